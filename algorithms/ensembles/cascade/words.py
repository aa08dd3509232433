"""The captions and the warning of the cascade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.ensembles.cascade.solver import scene
from algorithms.ensembles.cascade.solver.integral_images import block_sum, blocks_of, integral_image, slide_places
from algorithms.maths.words import counted, number, percent, signed

if TYPE_CHECKING:
    from algorithms.ensembles.cascade import Shot


def all_stages(count: int) -> str:
    """How the stages are spoken of."""
    return {0: "everything: there is no stage yet", 1: "the only stage"}.get(count, f"all {count} stages")


def _opening(shot: Shot) -> str:
    """What there is to be found, and why always saying no is no answer."""
    given, sweep = shot.given, shot.shown.sweep
    targets, n = int((given.y > 0.0).sum()), given.data.n
    first = f"{counted(targets, 'target')} among {counted(n, 'point')}: a classifier that always says no is wrong on "
    first += f"only {percent(targets / n)}, and finds nothing"
    if sweep is None:
        return f"{first}."
    hidden = counted(len(given.truth), "target")
    return f"{first}. {hidden} {'is' if len(given.truth) == 1 else 'are'} hidden in {counted(sweep.total, 'window')}."


def _integral(shot: Shot) -> str:
    """The corner that was reached."""
    rows = shot.shown.rows
    total = integral_image(shot.given.example[:rows])[-1, -1]
    return (
        "Every entry of the integral image is the sum of all grey values above and to the left of it; after "
        f"{counted(rows, 'row')} the last one is {number(total)}."
    )


def _sliding(shot: Shot) -> str:
    """A feature from its corners."""
    feature = slide_places(shot.given.example.shape)[shot.shown.place]
    table = integral_image(shot.given.example)
    plus, minus = blocks_of(feature)
    means = [sum(float(block_sum(table, *b)) for b in bs) / sum(b[2] * b[3] for b in bs) for bs in (plus, minus)]
    return (
        f"At row {int(feature[1]) + 1}, column {int(feature[2]) + 1} the blocks have the means {number(means[0])} and "
        f"{number(means[1])}, from six corners: the feature is {signed(means[0] - means[1])}."
    )


def _stump(shot: Shot) -> str:
    """A new stump."""
    found, (targets, others) = shot.shown.round, shot.model.rates[-1].tolist()
    assert found is not None
    votes = found.stage.votes
    return (
        f"Stage {len(shot.model.stages)}, stump {len(votes)}: weighted error {number(found.error)}, vote "
        f"{number(votes[-1])}; with F ≥ 0 {percent(targets)} of the targets pass, and {percent(others)} of the others."
    )


def _threshold(shot: Shot) -> str:
    """The lowered threshold, and whether the stage is good enough."""
    (targets, others), theta = shot.model.rates[-1].tolist(), shot.model.stages[-1].threshold
    most = shot.given.false_positives
    outcome = "the stage is done" if others <= most else f"more than {percent(most)}, so it needs one more stump"
    if others > most and len(shot.model.stages[-1].votes) == shot.given.stumps:
        outcome = f"more than {percent(most)}, but it has all of its stumps"
    what = f"The threshold is lowered to {number(theta)}" if theta < 0.0 else "The threshold can stay at 0"
    return f"{what}: {percent(targets)} of the targets pass, and {percent(others)} of the others: {outcome}."


def warning(shot: Shot) -> str | None:
    """When a stage is not allowed any more stumps."""
    if shot.phase != "threshold" or len(shot.model.stages[-1].votes) < shot.given.stumps:
        return None
    kept = float(shot.model.rates[-1, 1])
    if kept <= shot.given.false_positives:
        return None
    stumps = counted(shot.given.stumps, "stump")
    return f"The stage has all of its {stumps}, and {percent(kept)} of the others still pass."


def _dropping(shot: Shot) -> str:
    """Who is gone, and what is left."""
    given, shown, latest = shot.given, shot.shown, len(shot.model.stages)
    gone = shown.dropped_by == latest
    lost, others = (int((gone & (given.y == side)).sum()) for side in (1.0, -1.0))
    left = [int((shown.passing & (given.y == side)).sum()) for side in (1.0, -1.0)]
    text = f"Stage {latest} drops {_some(others, 'other')} and {_some(lost, 'target')}; "
    text += f"{_some(left[0], 'target')} and {_some(left[1], 'other')} are left"
    return f"{text}." if shown.sweep is None else f"{text}, and {shown.sweep.count:,} of {shown.sweep.total:,} windows."


def _closing(shot: Shot) -> str:
    """Rates, and what was found in the scene; or that no stump helps."""
    given, model, shown = shot.given, shot.model, shot.shown
    if shown.helpless:
        targets = int((shown.passing & (given.y > 0.0)).sum())
        return (
            f"No stump separates the {counted(targets, 'target')} from the others that are left: the cascade ends here."
        )
    product = f"{percent(model.detection)} of the targets and {percent(model.false_positives)} of the others"
    text = f"{counted(len(model.stages), 'stage')} {'passes' if len(model.stages) == 1 else 'pass'} {product}"
    if shown.found is None or shown.sweep is None:
        return f"{text}."
    found, wrong = scene.hits(shown.found, given.truth)
    each = number(shown.sweep.looked_up / shown.sweep.total)
    return (
        f"{text}. In the scene {found} of {counted(len(given.truth), 'target')} are found, with "
        f"{_some(wrong, 'false alarm')}; a window takes {each} features on average, of {model.stump_count}."
    )


def _some(count: int, noun: str) -> str:
    """``no target``, ``1 target``, ``2 targets``."""
    return counted(count, noun) if count else f"no {noun}"


CAPTIONS = {
    "start": _opening,
    "integral": _integral,
    "slide": _sliding,
    "round": _stump,
    "threshold": _threshold,
    "drop": _dropping,
    "result": _closing,
}
