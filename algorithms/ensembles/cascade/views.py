"""What a frame of the cascade shows: the scene, the plane, Haar features, who is dropped, rates and thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array, Points
from algorithms.ensembles.cascade.solver import Lens, Round, scene
from algorithms.ensembles.cascade.solver.integral_images import Windows, blocks_of, integral_image
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
    from algorithms.ensembles.cascade import Model

NO_ROWS: Array = np.empty(0, dtype=np.int64)
FADED = 0.16
"""How much is seen of the scene where no window is left."""
MOST_OUTLINES = 150
"""Windows that are outlined; before, only what they cover is lit."""
A_ROW, STAGES_SHOWN = 9, 3
"""Pictures in a row of those that are dropped, and rows of them."""
FEATURES_A_ROW, FEATURES = 8, 16
"""Features in a row of the chosen ones, and how many are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    model: Model
    y: Array  # (n,) +1.0 for targets
    held: Array  # (n,) bool: nobody learns from these
    detection: float  # what each stage is to keep of the targets,
    false_positives: float  # and may keep of the others
    stages: int
    phase: str = "start"
    dropped_by: Array = field(default_factory=lambda: NO_ROWS)  # (n,) int, the stage; 0 for nobody
    rows_learned: Array = field(default_factory=lambda: NO_ROWS)  # (m,) points that this stage learns from
    learned_y: Array = field(default_factory=lambda: np.empty(0))  # (m + windows,)
    measured: Array = field(default_factory=lambda: np.empty((0, 2)))  # (k, 2) rates with the threshold lowered
    round: Round | None = None
    rows: int = 0  # of the integral image that are known
    place: int = 0  # of the feature that slides
    sweep: Sweep | None = None  # the windows of the scene that pass
    truth: Array = field(default_factory=lambda: np.empty((0, 4), dtype=np.int64))  # where targets are in it
    found: Array | None = None  # (f, 4) where they are found
    honest: bool = True  # the scene is made of pictures that were held out
    pool: tuple[Sweep, ...] = ()  # backgrounds in which new examples are looked for
    mined: tuple[Sweep, ...] = ()  # and those of this stage
    crops: Array | None = None  # (c, h, w) some of these
    example: Array = field(default_factory=lambda: np.empty((0, 0)))  # (h, w) the target nearest to the mean of all
    mean: Array = field(default_factory=lambda: np.empty((0, 0)))  # (h, w) of those that are learned from
    windows_left: tuple[float, ...] = ()  # after every stage: the fraction of windows, away from targets, that pass

    def __post_init__(self) -> None:
        if not len(self.dropped_by):
            object.__setattr__(self, "dropped_by", np.zeros(self.data.n, dtype=np.int64))

    @property
    def lens(self) -> Lens | None:
        """How pictures are seen."""
        return self.model.lens

    @property
    def passing(self) -> Array:
        """Who has not been dropped, (n,) bool."""
        return np.asarray(self.dropped_by == 0)

    @property
    def targets_left(self) -> int:
        """How many targets pass."""
        return int((self.passing & (self.y > 0.0)).sum())

    @property
    def others_left(self) -> int:
        """How many others pass."""
        return int((self.passing & (self.y < 0.0)).sum())

    @property
    def is_exhausted(self) -> bool:
        """Whether no other is left that the next stage could learn from, neither points nor windows."""
        return not (self.passing & ~self.held & (self.y < 0.0)).any() and not self.pool_left

    @property
    def pool_left(self) -> int:
        """How many windows of backgrounds pass."""
        return sum(part.count for part in self.pool)

    @property
    def stump_count(self) -> int:
        """All stumps of all stages."""
        return sum(len(stage.votes) for stage in self.model.stages)

    def slide_places(self) -> Array:
        """A feature of two blocks, one above the other, at all places (p, 5) of a picture in reading order."""
        assert self.lens is not None
        height, width = self.lens.shape
        kind = 1 if height > 1 else 0
        high, wide = max(1, height // 5), max(1, width // (3 if kind else 5))
        tops = np.arange(height - high * (1 + kind) + 1)
        lefts = np.arange(width - wide * (2 - kind) + 1)
        down, across = (grid.ravel() for grid in np.meshgrid(tops, lefts, indexing="ij"))
        return np.column_stack(
            [np.full(len(down), kind), down, across, np.full(len(down), high), np.full(len(down), wide)]
        )

    def alarms(self, sweep: Sweep) -> float:
        """The fraction of all windows of the scene that pass without a target in them."""
        boxes = sweep.boxes()
        away = scene.overlaps(boxes, self.truth).max(axis=1, initial=0.0) < 0.5 * scene.SAME
        return float(away.sum() / sweep.total)


def frame(picture: Picture, phase: str, caption: str, warning: str = "") -> DrawnSnapshot:
    """The snapshot of a picture."""
    metrics = {
        "detection": float(picture.measured[:, 0].prod()),
        "false_positives": float(picture.measured[:, 1].prod()),
        "targets": float((picture.passing & ~picture.held & (picture.y > 0.0)).sum()),
        "others": float((picture.passing & ~picture.held & (picture.y < 0.0)).sum()),
        "stumps": float(picture.stump_count),
    }
    return DrawnSnapshot(picture.model, LazyViews(views_of, picture), metrics, phase, caption, warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    views: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(picture),
        "sieve": _sieve(picture),
        "rates": _rates(picture),
        "threshold": _threshold(picture),
    }
    if picture.sweep is not None:
        views["scene"] = (_scene(picture, picture.sweep),)
        views["features"] = (_features(picture),)
    return views


# --- the scene and the plane ------------------------------------------------------------------------------------------


def _scene(picture: Picture, sweep: Sweep) -> Images:
    """The scene, dark where no window passes; the last ones are outlined."""
    boxes = sweep.boxes()
    lit = np.where(scene.covered(boxes, sweep.scene.shape) > 0.0, 1.0, FADED)
    layers = [Boxes(_on_picture(picture.truth), "truth")]  # without names: a legend would hide a part of the scene
    if len(boxes) <= MOST_OUTLINES and picture.found is None:
        layers.append(Boxes(_on_picture(boxes), "window"))
    if picture.found is not None:
        layers.append(Boxes(_on_picture(picture.found), "found"))
    stages = len(picture.model.held_out)  # those that the windows have been through
    words = f"{sweep.total:,} windows of three sizes"
    if stages:
        words = f"{sweep.count:,} of {sweep.total:,} windows pass {counted(stages, 'stage')}"
    ending = "dashed: hidden targets" if picture.found is None else "dashed: hidden, thick: found"
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


def _plane(picture: Picture) -> tuple[Mark, ...]:
    """Who has been dropped is grey; on plain points the regions that pass, stage by stage."""
    data, model = picture.data, picture.model
    count, marks = len(model.stages), []
    if picture.lens is None and count:
        levels = tuple(stage / count - 1.0 for stage in range(1, count))
        marks += [Regions("signed"), Isolines(strong=(0.0,), weak=levels, weak_name="earlier stages")]
    marks.append(Assignment(np.where(picture.passing, picture.y > 0.0, -1)))
    found = picture.round
    if picture.phase in ("round", "threshold") and found is not None:
        weights = np.zeros(data.n)
        weights[picture.rows_learned] = found.weights[: len(picture.rows_learned)]
        marks.append(PointSizes(weights))
        if picture.lens is None and data.d == 2:
            normal = np.zeros(2)
            normal[int(found.stage.asks[-1])] = found.stage.signs[-1]
            marks.append(DividingLine(normal, float(found.stage.signs[-1] * found.stage.cuts[-1]), name="new stump"))
    if picture.phase == "drop":
        gone = np.flatnonzero(picture.dropped_by == count)
        marks.append(Highlight(gone[picture.y[gone] < 0.0], "changed", "dropped now"))
    lost = np.flatnonzero(~picture.passing & (picture.y > 0.0))
    return tuple(marks) if not len(lost) else (*marks, Highlight(lost, "bound", "missed"))


# --- features ---------------------------------------------------------------------------------------------------------


def _features(picture: Picture) -> Images:
    if picture.phase in ("start", "integral", "slide"):
        return _integral(picture)
    return _chosen(picture)


def _integral(picture: Picture) -> Images:
    """A target, its integral image as far as it is known, and what the feature says wherever it has been."""
    example, rows = picture.example, picture.rows
    height, width = example.shape
    table = integral_image(example)[1:, 1:]
    shown = np.ones((3, height, width))
    shown[1, rows:] = 0.0
    answers, known = _answers(picture)
    shown[2] = known
    pixels = np.stack([example, table / max(float(table[-1, -1]), 1e-9), answers])
    boxes: tuple[Boxes, ...] = ()
    if picture.phase == "integral":
        summed = np.array([[0, 0, 0, rows, width], [1, 0, 0, rows, width]])
        boxes = (Boxes(summed, "sum", "summed so far"),)
    elif picture.phase == "slide":
        plus, minus = (np.array(blocks) for blocks in blocks_of(picture.slide_places()[picture.place]))
        boxes = (Boxes(_on_picture(plus), "plus"), Boxes(_on_picture(minus), "minus"))
        boxes += (Boxes(np.concatenate([_on_picture(plus, 1), _on_picture(minus, 1)]), "sum"),)
    last = "white less black" if picture.phase == "slide" else ""
    count = 3 if picture.phase == "slide" else 2
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


def _answers(picture: Picture) -> tuple[Array, Array]:
    """The sliding feature wherever its middle has been, (h, w), and where that is."""
    example = picture.example
    answers, known = np.zeros(example.shape), np.zeros(example.shape)
    if picture.phase == "slide":
        places = picture.slide_places()
        values = Windows.of_pictures(example[None], False).values(places)[:, 0]
        rows = places[:, 1] + np.where(places[:, 0] == 1, places[:, 3], places[:, 3] // 2)
        columns = places[:, 2] + np.where(places[:, 0] == 1, places[:, 4] // 2, places[:, 4])
        been = slice(picture.place + 1)
        answers[rows[been], columns[been]] = values[been]
        known[rows[been], columns[been]] = 1.0
    return answers, known


def _chosen(picture: Picture) -> Images:
    """The features of the stumps, newest last, over the mean of all targets."""
    mean = picture.mean
    asked = [
        (number, ask, vote, sign)
        for number, stage in enumerate(picture.model.stages, start=1)
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


def _sieve(picture: Picture) -> tuple[Mark, ...]:
    return (_funnel(picture),) if picture.lens is None else (_dropped_pictures(picture, picture.lens),)


def _funnel(picture: Picture) -> Strip:
    """A row for each stage, the last one on top: who has passed it, by class, those that stay longest in the middle."""
    number = len(picture.model.held_out)
    lasting = np.where(picture.passing, number + 1, picture.dropped_by)
    order = np.lexsort((np.where(picture.y > 0.0, -lasting, lasting), picture.y > 0.0))
    groups = (picture.y > 0.0).astype(np.int64)[order]
    rows = [np.where(lasting[order] > stage, groups, -1) for stage in range(number, -1, -1)]
    return Strip(np.stack(rows), (), picture.data.classes[:2], low=-0.5, high=number + 0.5)


def _dropped_pictures(picture: Picture, lens: Lens) -> Images:
    """Some that each stage has dropped, targets first, and below some that still pass."""
    number = len(picture.model.held_out)
    first = max(1, number - STAGES_SHOWN + 2)
    tiles: list[tuple[Array, int, int, str, int]] = []
    for row, stage in enumerate((*range(first, number + 1), 0)):
        members = np.flatnonzero(picture.dropped_by == stage)
        members = members[np.argsort(-picture.y[members], kind="stable")]
        if stage == 0:  # those that should not pass come first
            members = members[np.argsort(picture.y[members], kind="stable")]
        for column, point in enumerate(members[:A_ROW].tolist()):
            target = picture.y[point] > 0.0
            outcome = "passes" if stage == 0 else f"missed by {stage}" if target else f"dropped by {stage}"
            tiles.append((lens.pictures(picture.data.X[point])[0], row, column, outcome, point))
        if stage == 0 and picture.crops is not None and len(members) < A_ROW:
            for column, crop in enumerate(picture.crops[: A_ROW - len(members)], start=len(members)):
                tiles.append((crop, row, column, "mined", -1))
    pixels, rows, columns, captions, points = zip(*tiles)
    at = np.column_stack([rows, columns])
    return Images(np.stack(pixels), at, captions, levels=(0.0, 1.0), points=np.array(points), photographs=True)


# --- rates ------------------------------------------------------------------------------------------------------------


def _rates(picture: Picture) -> tuple[Mark, ...]:
    """The products of the rates, beside those that were asked for."""
    model = picture.model
    k = np.arange(picture.stages + 1.0)
    marks: list[Mark] = [
        Curve(
            k, picture.detection**k, f"asked for: {picture.detection:g}^k and {picture.false_positives:g}^k", quiet=True
        ),
        Curve(k, picture.false_positives**k, quiet=True),
    ]
    products = np.concatenate([np.ones((1, 2)), np.cumprod(model.rates, axis=0)])
    held = np.concatenate([np.ones((1, 2)), np.cumprod(model.held_out, axis=0)])
    some = picture.held.any()
    for side, name in ((0, "targets"), (1, "others")):
        marks.append(_product(products[:, side], f"{name}, learned from"))
        if some:
            marks.append(_product(held[:, side], f"{name}, held out"))
    if picture.sweep is not None:
        marks.append(_product(np.array([1.0, *picture.windows_left]), "windows of the scene"))
    return tuple(marks)


def _product(values: Array, name: str) -> Curve:
    """A curve that ends where nothing passes any more: that has no place on a logarithmic axis."""
    above = values[values > 0.0]
    return Curve(np.arange(len(above)) * 1.0, above, name, dots=True)


def _threshold(picture: Picture) -> tuple[Mark, ...]:
    """Who passes at which threshold, of those that the stage learns from."""
    found = picture.round
    if found is None:
        return ()
    marks: list[Mark] = []
    stage, reach = found.stage, found.stage.reach
    at = np.unique(np.concatenate([found.scores, [-reach, reach]]))
    for side, name in ((1.0, "targets"), (-1.0, "others")):
        scores = np.sort(found.scores[picture.learned_y == side])
        fraction = 1.0 - np.searchsorted(scores, at, "left") / len(scores)
        x, y = np.repeat(at, 2)[:-1], np.repeat(fraction, 2)[1:]  # up to a score and with it, all from there on pass
        marks.append(Curve(x, y, name))
    rates = picture.model.rates[-1]
    marks += [
        ReferenceLine(picture.detection, f"{picture.detection:g} asked for", axis="y", handle="detection"),
        ReferenceLine(
            picture.false_positives, f"{picture.false_positives:g} at most", axis="y", handle="false_positives"
        ),
        ReferenceLine(stage.threshold, "θ" if picture.phase != "round" else "θ = 0"),
        Dots(np.array([[stage.threshold, rates[0]], [stage.threshold, rates[1]]]), "what passes"),
    ]
    return tuple(marks)
