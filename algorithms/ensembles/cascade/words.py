"""Captions of the cascade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.ensembles.cascade.solver import scene
from algorithms.ensembles.cascade.solver.integral_images import block_sum, blocks_of, integral_image
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.ensembles.cascade.views import Picture


def percent(fraction: float) -> str:
    """A fraction as people read it: ``99 %``, ``0.45 %``, ``none``."""
    return f"{100.0 * fraction:.3g} %" if fraction > 0.0 else "none"


def all_stages(count: int) -> str:
    """How the stages are spoken of."""
    return {0: "everything: there is no stage yet", 1: "the only stage"}.get(count, f"all {count} stages")


def opening(picture: Picture) -> str:
    """What there is to be found, and why always saying no is no answer."""
    targets, others = int((picture.y > 0.0).sum()), int((picture.y < 0.0).sum())
    first = f"{counted(targets, 'target')} among {targets + others:,}: always saying no is wrong only in "
    first += f"{percent(targets / (targets + others))}"
    if picture.sweep is None:
        return f"{first}, and finds nothing."
    hidden = counted(len(picture.truth), "target")
    return f"{first}, and finds nothing; {hidden} hide among the {picture.sweep.total:,} windows of the scene."


def integral(picture: Picture) -> str:
    """The corner that was reached."""
    total = integral_image(picture.example[: picture.rows])[-1, -1]
    rows = counted(picture.rows, "row")
    return (
        f"Every corner holds the sum of all grey above and to the left of it; after {rows} the last one is {total:.4g}."
    )


def sliding(picture: Picture) -> str:
    """A feature from its corners."""
    feature = picture.slide_places()[picture.place]
    table = integral_image(picture.example)
    plus, minus = blocks_of(feature)
    means = [sum(float(block_sum(table, *b)) for b in bs) / sum(b[2] * b[3] for b in bs) for bs in (plus, minus)]
    where = f"row {int(feature[1]) + 1}, column {int(feature[2]) + 1}"
    return (
        f"At {where} the blocks have the means {means[0]:.3f} and {means[1]:.3f}, from six corners: "
        f"the feature is {means[0] - means[1]:+.3f}."
    )


def stump(picture: Picture, number: int) -> str:
    """A new stump."""
    found = picture.round
    assert found is not None
    stage, rates = len(picture.model.stages), picture.model.rates[-1]
    return (
        f"Stage {stage}, stump {number}: weighted error {found.error:.3f}, vote {found.stage.votes[-1]:.3g}; with "
        f"F ≥ 0 it keeps {percent(rates[0])} of the targets and {percent(rates[1])} of the others."
    )


def threshold(picture: Picture, number: int) -> str:
    """The lowered threshold, and whether the stage is good enough."""
    found, rates = picture.round, picture.model.rates[-1]
    assert found is not None
    enough = rates[1] <= picture.false_positives
    outcome = "the stage is done" if enough else f"more than {percent(picture.false_positives)}, so one stump more"
    theta = found.stage.threshold
    what = f"The threshold goes down to {theta:.3g}" if theta < 0.0 else "The threshold can stay at 0"
    return f"{what}: {percent(rates[0])} of the targets pass, and {percent(rates[1])} of the others: {outcome}."


def too_few_stumps(picture: Picture, number: int, most: int) -> str:
    """A warning when a stage is not allowed any more stumps."""
    if picture.phase == "threshold" and number == most and picture.model.rates[-1, 1] > picture.false_positives:
        kept = percent(picture.model.rates[-1, 1])
        return f"The stage has all of its {counted(most, 'stump')} and still keeps {kept} of the others."
    return ""


def dropping(picture: Picture) -> str:
    """Who is gone, and what is left."""
    number = len(picture.model.stages)
    gone = picture.dropped_by == number
    lost, others = int((gone & (picture.y > 0.0)).sum()), int((gone & (picture.y < 0.0)).sum())
    left = f"{counted(picture.targets_left, 'target')} and {counted(picture.others_left, 'other')} are left"
    text = f"Stage {number} drops {counted(others, 'other')} and {counted(lost, 'target')}; {left}"
    if picture.sweep is None:
        return f"{text}."
    return f"{text}, and {picture.sweep.count:,} of {picture.sweep.total:,} windows."


def helpless(picture: Picture) -> str:
    """No stump tells the classes apart."""
    return f"No stump tells the {counted(picture.targets_left, 'target')} from what else is left; this is the end."


def closing(picture: Picture) -> str:
    """Rates, and what was found in the scene."""
    model = picture.model
    product = f"{percent(model.detection)} of the targets and {percent(model.false_positives)} of the others"
    text = f"{counted(len(model.stages), 'stage')} keep {product}"
    if picture.found is None or picture.sweep is None:
        return f"{text}."
    found, wrong = scene.hits(picture.found, picture.truth)
    each = picture.sweep.looked_up / picture.sweep.total
    return (
        f"{text}; found {found} of {len(picture.truth)} in the scene with {counted(wrong, 'false alarm')}, at "
        f"{each:.1f} features a window instead of {picture.stump_count}."
    )
