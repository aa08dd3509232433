"""What a frame of the cascade shows: the scene, the plane, Haar features, who is dropped, rates and thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.ensembles.cascade.solver import Lens, scene
from algorithms.ensembles.cascade.solver.integral_images import Windows, blocks_of, integral_image, slide_places
from algorithms.ensembles.cascade.solver.scene import Sweep
from algorithms.marks import (
    Assignment,
    Boxes,
    Curve,
    DividingLine,
    Dots,
    Highlight,
    Images,
    Isolines,
    Mark,
    PointSizes,
    ReferenceLine,
    Regions,
    Strip,
)
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.ensembles.cascade import Shot

FADED = 0.16
"""How much is seen of the scene where no window is left."""
MOST_OUTLINES = 150
"""Windows that are outlined; before, only what they cover is lit."""
A_ROW, STAGES_SHOWN = 9, 3
"""Pictures in a row of those that are dropped, and rows of them."""
FEATURES_A_ROW, FEATURES = 8, 16
"""Features in a row of the chosen ones, and how many are shown."""


def views(shot: Shot) -> Views:
    """The marks of every panel."""
    found: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(shot),
        "sieve": _sieve(shot),
        "rates": _rates(shot),
        "threshold": _threshold(shot),
    }
    if shot.shown.sweep is not None:
        found["scene"] = (_scene(shot, shot.shown.sweep),)
        found["features"] = (_features(shot),)
    return found


# --- the scene and the plane ------------------------------------------------------------------------------------------


def _scene(shot: Shot, sweep: Sweep) -> Images:
    """The scene, dark where no window passes; the last ones are outlined."""
    boxes = sweep.boxes()
    lit = np.where(scene.covered(boxes, sweep.scene.shape) > 0.0, 1.0, FADED)
    layers = [Boxes(_on_picture(shot.given.truth), "truth")]  # without names: a legend would hide a part of the scene
    if len(boxes) <= MOST_OUTLINES and shot.shown.found is None:
        layers.append(Boxes(_on_picture(boxes), "window"))
    if shot.shown.found is not None:
        layers.append(Boxes(_on_picture(shot.shown.found), "found"))
    stages = len(shot.model.held_out)  # those that the windows have been through
    words = f"{sweep.total:,} windows of three sizes"
    if stages:
        words = f"{sweep.count:,} of {sweep.total:,} windows pass {counted(stages, 'stage')}"
    ending = "dashed: hidden targets" if shot.shown.found is None else "dashed: hidden, thick: found"
    return Images(
        sweep.scene[None],
        np.zeros((1, 2), dtype=np.int64),
        (f"{words}; {ending}",),
        levels=(0.0, 1.0),
        photographs=True,
        shown=lit[None],
        boxes=tuple(layers),
    )


def _on_picture(boxes: Array, number: int = 0) -> Array:
    """Boxes (b, 4) of one picture, as boxes (b, 5) of several."""
    return np.column_stack([np.full(len(boxes), number, dtype=np.int64), boxes])


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """Who has been dropped is grey; on plain points the regions that pass, stage by stage."""
    data, model = shot.given.data, shot.model
    count, marks = len(model.stages), []
    if shot.model.lens is None and count:
        levels = tuple(stage / count - 1.0 for stage in range(1, count))
        marks += [Regions("signed"), Isolines(strong=(0.0,), weak=levels, weak_name="earlier stages")]
    marks.append(Assignment(np.where(shot.shown.passing, shot.given.y > 0.0, -1)))
    found = shot.shown.round
    learned = shot.shown.rows_learned
    if shot.phase in ("round", "threshold") and found is not None and learned is not None:
        weights = np.zeros(data.n)
        weights[learned] = found.weights[: len(learned)]
        marks.append(PointSizes(weights))
        if shot.model.lens is None and data.d == 2:
            normal = np.zeros(2)
            normal[int(found.stage.asks[-1])] = found.stage.signs[-1]
            marks.append(DividingLine(normal, float(found.stage.signs[-1] * found.stage.cuts[-1]), name="new stump"))
    if shot.phase == "drop":
        gone = np.flatnonzero(shot.shown.dropped_by == count)
        marks.append(Highlight(gone[shot.given.y[gone] < 0.0], "changed", "dropped now"))
    lost = np.flatnonzero(~shot.shown.passing & (shot.given.y > 0.0))
    return tuple(marks) if not len(lost) else (*marks, Highlight(lost, "bound", "missed"))


# --- features ---------------------------------------------------------------------------------------------------------


def _features(shot: Shot) -> Images:
    if shot.phase in ("start", "integral", "slide"):
        return _integral(shot)
    return _chosen(shot)


def _integral(shot: Shot) -> Images:
    """A target, its integral image as far as it is known, and what the feature says wherever it has been."""
    example, rows = shot.given.example, shot.shown.rows
    height, width = example.shape
    table = integral_image(example)[1:, 1:]
    shown = np.ones((3, height, width))
    shown[1, rows:] = 0.0
    answers, known = _answers(shot)
    shown[2] = known
    pixels = np.stack([example, table / max(float(table[-1, -1]), 1e-9), answers])
    boxes: tuple[Boxes, ...] = ()
    if shot.phase == "integral":
        summed = np.array([[0, 0, 0, rows, width], [1, 0, 0, rows, width]])
        boxes = (Boxes(summed, "sum", "summed so far"),)
    elif shot.phase == "slide":
        feature = slide_places(example.shape)[shot.shown.place]
        plus, minus = (np.array(blocks) for blocks in blocks_of(feature))
        boxes = (Boxes(_on_picture(plus), "plus"), Boxes(_on_picture(minus), "minus"))
        boxes += (Boxes(np.concatenate([_on_picture(plus, 1), _on_picture(minus, 1)]), "sum"),)
    last = "white less black" if shot.phase == "slide" else ""
    count = 3 if shot.phase == "slide" else 2
    return Images(
        pixels[:count],
        np.array([[0, 0], [0, 1], [0, 2]])[:count],
        ("target", "integral image", last)[:count],
        np.array([False, False, True])[:count],
        (0.0, 1.0),
        photographs=True,
        shown=shown[:count],
        boxes=boxes,
    )


def _answers(shot: Shot) -> tuple[Array, Array]:
    """The sliding feature wherever its middle has been, (h, w), and where that is."""
    example = shot.given.example
    answers, known = np.zeros(example.shape), np.zeros(example.shape)
    if shot.phase == "slide":
        places = slide_places(shot.given.example.shape)
        values = Windows.of_pictures(example[None], False).values(places)[:, 0]
        rows = places[:, 1] + np.where(places[:, 0] == 1, places[:, 3], places[:, 3] // 2)
        columns = places[:, 2] + np.where(places[:, 0] == 1, places[:, 4] // 2, places[:, 4])
        been = slice(shot.shown.place + 1)
        answers[rows[been], columns[been]] = values[been]
        known[rows[been], columns[been]] = 1.0
    return answers, known


def _chosen(shot: Shot) -> Images:
    """The features of the stumps, newest last, over the mean of all targets."""
    mean = shot.given.mean
    asked = [
        (number, ask, vote, sign)
        for number, stage in enumerate(shot.model.stages, start=1)
        for ask, vote, sign in zip(stage.asks, stage.votes.tolist(), stage.signs.tolist())
    ][-FEATURES:]
    boxes: tuple[list[Array], list[Array]] = ([], [])
    for place, (_, ask, _, sign) in enumerate(asked):
        for bright, blocks in zip((0, 1), blocks_of(ask)):
            side = bright if sign > 0.0 else 1 - bright  # white is where a target is brighter
            boxes[side].append(_on_picture(np.array(blocks), place))
    places = np.arange(len(asked))
    return Images(
        np.broadcast_to(mean, (len(asked), *mean.shape)).copy(),
        np.column_stack(np.divmod(places, FEATURES_A_ROW)),
        tuple(f"{number}: α {vote:.1f}" for number, _, vote, _ in asked),
        levels=(float(mean.min()), float(mean.max())),
        photographs=True,
        boxes=(Boxes(np.concatenate(boxes[0]), "plus"), Boxes(np.concatenate(boxes[1]), "minus")),
    )


# --- who is dropped ---------------------------------------------------------------------------------------------------


def _sieve(shot: Shot) -> tuple[Mark, ...]:
    return (_funnel(shot),) if shot.model.lens is None else (_dropped_pictures(shot, shot.model.lens),)


def _funnel(shot: Shot) -> Strip:
    """A row for each stage, the last one on top: who has passed it, by class, those that stay longest in the middle."""
    number = len(shot.model.held_out)
    lasting = np.where(shot.shown.passing, number + 1, shot.shown.dropped_by)
    order = np.lexsort((np.where(shot.given.y > 0.0, -lasting, lasting), shot.given.y > 0.0))
    groups = (shot.given.y > 0.0).astype(np.int64)[order]
    rows = [np.where(lasting[order] > stage, groups, -1) for stage in range(number, -1, -1)]
    return Strip(np.stack(rows), (), shot.given.data.classes[:2], low=-0.5, high=number + 0.5)


def _dropped_pictures(shot: Shot, lens: Lens) -> Images:
    """Some that each stage has dropped, targets first, and below some that still pass."""
    number = len(shot.model.held_out)
    first = max(1, number - STAGES_SHOWN + 2)
    tiles: list[tuple[Array, int, int, str, int]] = []
    for row, stage in enumerate((*range(first, number + 1), 0)):
        members = np.flatnonzero(shot.shown.dropped_by == stage)
        members = members[np.argsort(-shot.given.y[members], kind="stable")]
        if stage == 0:  # those that should not pass come first
            members = members[np.argsort(shot.given.y[members], kind="stable")]
        for column, point in enumerate(members[:A_ROW].tolist()):
            target = shot.given.y[point] > 0.0
            outcome = "passes" if stage == 0 else f"missed by {stage}" if target else f"dropped by {stage}"
            tiles.append((lens.pictures(shot.given.data.X[point])[0], row, column, outcome, point))
        if stage == 0 and shot.shown.crops is not None and len(members) < A_ROW:
            for column, crop in enumerate(shot.shown.crops[: A_ROW - len(members)], start=len(members)):
                tiles.append((crop, row, column, "mined", -1))
    pixels, rows, columns, captions, points = zip(*tiles)
    at = np.column_stack([rows, columns])
    return Images(np.stack(pixels), at, captions, levels=(0.0, 1.0), points=np.array(points), photographs=True)


# --- rates ------------------------------------------------------------------------------------------------------------


def _rates(shot: Shot) -> tuple[Mark, ...]:
    """The products of the rates, beside those that were asked for."""
    model = shot.model
    k = np.arange(shot.given.stages + 1.0)
    detection, others = shot.given.detection, shot.given.false_positives
    marks: list[Mark] = [
        Curve(k, detection**k, f"asked for: {detection:g}^k and {others:g}^k", quiet=True),
        Curve(k, others**k, quiet=True),
    ]
    products = np.concatenate([np.ones((1, 2)), np.cumprod(model.rates, axis=0)])
    held = np.concatenate([np.ones((1, 2)), np.cumprod(model.held_out, axis=0)])
    some = shot.given.held.any()
    for side, name in ((0, "targets"), (1, "others")):
        marks.append(_product(products[:, side], f"{name}, learned from"))
        if some:
            marks.append(_product(held[:, side], f"{name}, held out"))
    if shot.shown.sweep is not None:
        marks.append(_product(np.array([1.0, *shot.shown.windows_left]), "windows of the scene"))
    return tuple(marks)


def _product(values: Array, name: str) -> Curve:
    """A curve that ends where nothing passes any more: that has no place on a logarithmic axis."""
    above = values[values > 0.0]
    return Curve(np.arange(len(above)) * 1.0, above, name, dots=True)


def _threshold(shot: Shot) -> tuple[Mark, ...]:
    """Who passes at which threshold, of those that the stage learns from."""
    found = shot.shown.round
    if found is None:
        return ()
    marks: list[Mark] = []
    stage, reach = found.stage, found.stage.reach
    at = np.unique(np.concatenate([found.scores, [-reach, reach]]))
    for side, name in ((1.0, "targets"), (-1.0, "others")):
        scores = np.sort(found.scores[shot.shown.learned_y == side])
        fraction = 1.0 - np.searchsorted(scores, at, "left") / len(scores)
        x, y = np.repeat(at, 2)[:-1], np.repeat(fraction, 2)[1:]  # up to a score and with it, all from there on pass
        marks.append(Curve(x, y, name))
    rates = shot.model.rates[-1]
    marks += [
        ReferenceLine(shot.given.detection, f"{shot.given.detection:g} asked for", axis="y", handle="detection"),
        ReferenceLine(
            shot.given.false_positives, f"{shot.given.false_positives:g} at most", axis="y", handle="false_positives"
        ),
        ReferenceLine(stage.threshold, "θ" if shot.phase != "round" else "θ = 0"),
        Dots(np.array([[stage.threshold, rates[0]], [stage.threshold, rates[1]]]), "what passes"),
    ]
    return tuple(marks)
