"""A cascade of boosted stages: reject what is surely no target early, and look closely at what is left.

Where targets are rare, as faces among all the windows of a photograph, the classifier that always says no is nearly
always right, and nearly all of the work goes into places where there is nothing. A cascade asks in stages. Each stage
is a sum of a few stumps found by AdaBoost, with its threshold lowered until almost all targets pass, even though many
others do; whatever it drops is gone for good. The next stage learns from what still passes, so the classes even out
from stage to stage while the questions get harder. Only what passes all stages is called a target, and the rates of
the stages multiply:

    F_j(x) = sum_m alpha_jm g_jm(x) >= theta_j  for all j        DR = prod_j DR_j        FPR = prod_j FPR_j

Ten stages that each keep 99 % of the targets and 30 % of the rest keep 0.99^10 = 90 % and 0.3^10 = 0.0006 %. On
pictures the stumps ask for Haar-like features: the mean of some blocks of pixels less that of the blocks between them.
The integral image gives the sum over any block from its four corners, at any size, so a window of a large scene is
looked at as quickly as a small picture. New backgrounds for the next stage are windows of a larger background that the
stages so far let pass. On other points a stump asks for one of the features.

The second class is the target. A part of both classes is held out: rates on what was learned from flatter.

Reference: Viola, Jones, "Robust real-time face detection" (2004), also for the integral image; Freund, Schapire (1997);
Orbanz slides (class imbalance and cascades: 0.99^10 and 0.3^10; Viola-Jones).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import Algorithm, Ended, Explanation, Line, Metric, Panel, Question, Run, Snapshot, Stop, Try
from algorithms.data import Array, Item, Points
from algorithms.ensembles.cascade import solver, words
from algorithms.ensembles.cascade.solver import Lens, Round, Stage, scene
from algorithms.ensembles.cascade.solver.integral_images import haar_features, slide_places
from algorithms.ensembles.cascade.solver.scene import Sweep
from algorithms.ensembles.cascade.views import views
from algorithms.params import Advanced, Between, Doc, Log
from algorithms.played import Played

NO_RATES: Array = np.empty((0, 2))
ROWS, SLIDES = 16, 16
"""Frames in which the integral image is filled, and a feature slides over a picture."""
QUILTS = 4
"""Backgrounds from whose windows new examples are taken."""
TILES = 1000
"""Pictures that backgrounds are made of, and over which the mean target is taken."""
FEWEST = 2
"""Held-out targets below which the scene hides targets that were learned from."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the cascade."""

    stages: Annotated[int, Between(1, 20), Doc("How many stages there are at most.")] = 10
    detection: Annotated[float, Between(0.5, 1.0), Doc("The fraction of the targets that each stage has to keep.")] = (
        0.99
    )
    false_positives: Annotated[
        float, Between(0.01, 0.95), Doc("The fraction of the others that each stage may keep at most.")
    ] = 0.3
    stumps: Annotated[int, Between(1, 50), Doc("How many stumps a stage may have.")] = 20
    cost: Annotated[
        float,
        Between(0.1, 20.0),
        Log,
        Advanced,
        Doc("How much all targets together weigh when a stage begins, beside all others."),
    ] = 1.0
    held_out: Annotated[
        float, Between(0.0, 0.5), Advanced, Doc("The fraction of each class that no stage learns from.")
    ] = 0.25
    normalise: Annotated[
        bool, Doc("On pictures: divide differences of grey by the contrast of the window, against the light.")
    ] = True
    mining: Annotated[
        bool, Doc("On pictures: each stage also learns from windows of a large background that still pass.")
    ] = True
    agree: Annotated[
        int, Between(1, 20), Doc("On pictures: so many windows over each other have to survive for a find.")
    ] = 2


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The stages so far, and the rates that were measured."""

    stages: tuple[Stage, ...]
    rates: Array  # (k, 2) of each stage: the fraction of targets and of others that it kept, of those it learned from
    held_out: Array  # (k, 2) the same of those held out
    lens: Lens | None  # of pictures

    @property
    def detection(self) -> float:
        """The product of the detection rates."""
        return float(self.rates[:, 0].prod())

    @property
    def false_positives(self) -> float:
        """The product of the false-positive rates."""
        return float(self.rates[:, 1].prod())

    @property
    def stump_count(self) -> int:
        """All stumps of all stages."""
        return sum(len(stage.votes) for stage in self.stages)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    y: Array  # (n,) +1.0 for targets
    held: Array  # (n,) bool: no stage learns from these
    detection: float  # what each stage is to keep of the targets,
    false_positives: float  # and may keep of the others
    stages: int
    stumps: int  # a stage may have so many
    truth: Array  # (t, 4) where targets are in the scene
    example: Array  # (h, w) the target nearest to the mean of all
    mean: Array  # (h, w) of those that are learned from
    windows: Sweep | None  # all windows of the scene


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Who has been dropped so far, and what the present stage is made from."""

    dropped_by: Array  # (n,) int, the stage; 0 for nobody
    measured: Array  # (k, 2) rates with the threshold lowered
    sweep: Sweep | None = None  # the windows of the scene that pass
    windows_left: tuple[float, ...] = ()  # after every stage: the fraction of windows, away from targets, that pass
    rows_learned: Array | None = None  # (m,) points that this stage learns from
    learned_y: Array | None = None  # (m + windows,)
    round: Round | None = None
    crops: Array | None = None  # (c, h, w) some windows that were mined
    found: Array | None = None  # (f, 4) where targets are found
    rows: int = 0  # of the integral image that are known
    place: int = 0  # of the feature that slides
    helpless: bool = False  # no stump is better than guessing

    @property
    def passing(self) -> Array:
        """Who has not been dropped, (n,) bool."""
        return self.dropped_by == 0

    @property
    def vote(self) -> float:
        """The vote of the newest stump."""
        return 0.0 if self.round is None else float(self.round.stage.votes[-1])


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """One stage after another, each from what the stages before let pass."""
    given, model, shown, pool = _prepared(data, params, rng)
    yield _shot(given, "start", model, shown)
    if model.lens is not None:
        yield from _windows(given, model, shown)
    asks, exhausted = _asks(data), False
    for number in range(1, params.stages + 1):
        rows, mined = _examples(given, shown, pool, len(asks), rng)
        shown = replace(shown, rows_learned=rows, round=None)
        model, shown = yield from _stage(given, model, shown, mined, asks, params.cost)
        if len(model.stages) < number:
            yield _shot(given, "result", model, replace(shown, helpless=True))
            return Ended(Stop.LIMIT, "no stump is better than guessing")
        model, shown = _dropped(given, model, shown, mined)
        yield _shot(given, "drop", model, shown)
        pool = tuple(part.after(model.stages[-1]) for part in pool)
        exhausted = not ((shown.passing & ~given.held & (given.y < 0.0)).any() or any(part.count for part in pool))
        if model.rates[-1, 1] == 1.0 or exhausted:
            break
    found = None if shown.sweep is None else scene.merged(shown.sweep.boxes(), params.agree)
    yield _shot(given, "result", model, replace(shown, found=found))
    if exhausted:
        return Ended(Stop.COMPLETE, "nothing is left to learn from")
    return Stop.COMPLETE if len(model.stages) == params.stages else Ended(Stop.LIMIT, "a stage dropped nothing")


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    left = shown.passing & ~given.held
    metrics = {
        "detection": float(shown.measured[:, 0].prod()),
        "false_positives": float(shown.measured[:, 1].prod()),
        "targets": float((left & (given.y > 0.0)).sum()),
        "others": float((left & (given.y < 0.0)).sum()),
        "stumps": float(model.stump_count),
    }
    return Snapshot(given, phase, model, metrics, shown)


def _asks(data: Points) -> Array:
    """Everything that a stump may ask for: Haar features of pictures, or columns."""
    features = np.empty((0, 5)) if data.image_shape is None else haar_features(*data.image_shape)
    return features if len(features) else np.arange(data.d)


def _prepared(data: Points, params: Params, rng: np.random.Generator) -> tuple[Given, Model, Shown, tuple[Sweep, ...]]:
    """Everything before the first stage: who is learned from, and on pictures the scene and the backgrounds."""
    y = data.two_sides("A cascade")
    held = solver.split(y, params.held_out, rng)
    lens = None
    if data.image_shape is not None and len(_asks(data)) and _asks(data).ndim == 2:
        lens = Lens.of(data, data.image_shape, params.normalise, held)
    model, shown = Model((), NO_RATES, NO_RATES, lens), Shown(np.zeros(data.n, dtype=np.int64), NO_RATES)
    asked, none = (params.detection, params.false_positives, params.stages, params.stumps), np.empty((0, 0))
    given = Given(data, y, held, *asked, np.empty((0, 4), dtype=np.int64), none, none, None)
    if lens is None:
        return given, model, shown, ()
    honest = all(int((held & (y == side)).sum()) >= FEWEST for side in (-1.0, 1.0))
    unseen = held if honest else np.ones(data.n, dtype=bool)
    others, hidden, known, targets = (
        lens.pictures(data.X[solver.sampled(np.flatnonzero(some), most, rng)])
        for some, most in (
            (unseen & (y < 0.0), TILES),
            (unseen & (y > 0.0), len(scene.HIDDEN)),
            (~held & (y < 0.0), TILES),
            (~held & (y > 0.0), TILES),
        )
    )
    drawn, truth = scene.with_targets(scene.quilt(others, rng), rng.permutation(hidden), rng)
    quilts = range(QUILTS if params.mining else 0)
    pool = tuple(Sweep.of(scene.quilt(known, rng), lens) for _ in quilts)
    mean = targets.mean(axis=0)
    example = targets[int(np.square(targets - mean).sum(axis=(1, 2)).argmin())]
    given = replace(given, truth=truth, example=example, mean=mean, windows=Sweep.of(drawn, lens))
    return given, model, replace(shown, sweep=given.windows), pool


def _windows(given: Given, model: Model, shown: Shown) -> Iterator[Shot]:
    """The integral image of a target, filled row by row; then a feature that slides over the target."""
    height = len(given.example)
    for rows in np.unique(np.linspace(1, height, min(ROWS, height)).astype(int)).tolist():
        yield _shot(given, "integral", model, replace(shown, rows=rows))
    places = len(slide_places(given.example.shape))
    for place in np.unique(np.linspace(0, places - 1, min(SLIDES, places)).astype(int)).tolist():
        yield _shot(given, "slide", model, replace(shown, rows=height, place=place))


def _examples(
    given: Given, shown: Shown, pool: tuple[Sweep, ...], asks: int, rng: np.random.Generator
) -> tuple[Array, tuple[Sweep, ...]]:
    """What the next stage learns from: targets and others that still pass, and windows of backgrounds that do."""
    most = max(solver.MOST_VALUES // asks, 4)
    inside = shown.passing & ~given.held
    targets = solver.sampled(np.flatnonzero(inside & (given.y > 0.0)), most // 2, rng)
    others = solver.sampled(np.flatnonzero(inside & (given.y < 0.0)), most // 2, rng)
    wanted = min(int((~given.held & (given.y < 0.0)).sum()), most // 2) - len(others)
    left = max(sum(part.count for part in pool), 1)
    counts = [round(wanted * part.count / left) for part in pool]
    mined = tuple(part.drawn(count, rng) for part, count in zip(pool, counts) if count > 0 and part.count)
    return np.concatenate([targets, others]), mined


def _stage(
    given: Given, before: Model, shown: Shown, mined: tuple[Sweep, ...], asks: Array, cost: float
) -> Generator[Shot, None, tuple[Model, Shown]]:
    """Add stumps, and lower the threshold after each, until few enough of the others pass."""
    learned, model = shown.rows_learned, before
    assert learned is not None
    source = solver.source_of(given.data.X[learned], before.lens)
    values = solver.side_by_side([source.values(asks), *(part.values(asks) for part in mined)])
    y = np.concatenate([given.y[learned], np.full(values.shape[1] - len(learned), -1.0)])
    for _, found in zip(range(given.stumps), solver.rounds(values, asks, y, cost)):
        for phase in ("round", "threshold"):
            if phase == "threshold":
                threshold = solver.lowered(found.scores, y, found.stage.reach, given.detection)
                found = replace(found, stage=replace(found.stage, threshold=threshold))
            passes = found.scores >= found.stage.threshold
            rates = np.array([[passes[y > 0.0].mean(), passes[y < 0.0].mean()]])
            model = replace(before, stages=(*before.stages, found.stage), rates=np.concatenate([before.rates, rates]))
            measured = shown.measured if phase == "round" else model.rates
            shown = replace(shown, measured=measured, round=found, learned_y=y)
            yield _shot(given, phase, model, shown)
        if rates[0, 1] <= given.false_positives:
            break
    return model, shown


def _dropped(given: Given, model: Model, shown: Shown, mined: tuple[Sweep, ...]) -> tuple[Model, Shown]:
    """The points and windows after the stage that was learned last."""
    stage, inside = model.stages[-1], np.flatnonzero(shown.passing)
    passes = np.zeros(len(inside), dtype=bool)
    for rows, source in solver.in_parts(given.data.X[inside], model.lens):
        passes[rows] = stage.passes(source)
    out = shown.dropped_by.copy()
    out[inside[~passes]] = len(model.stages)
    held = [_fraction(passes, given.held[inside] & (given.y[inside] == side)) for side in (1.0, -1.0)]
    model, shown = replace(model, held_out=np.concatenate([model.held_out, [held]])), replace(shown, dropped_by=out)
    if shown.sweep is None:
        return model, shown
    sweep = shown.sweep.after(stage)
    crops = np.concatenate([np.empty((0, *sweep.lens.shape)), *(part.crops(4) for part in mined)])
    away = scene.overlaps(sweep.boxes(), given.truth).max(axis=1, initial=0.0) < 0.5 * scene.SAME
    left = (*shown.windows_left, float(away.sum() / sweep.total))
    return model, replace(shown, sweep=sweep, windows_left=left, crops=crops)


def _fraction(passes: Array, of: Array) -> float:
    """The fraction of some that pass; 1 where there are none."""
    return float(passes[of].mean()) if of.any() else 1.0


def _passing(model: Model, X: Array) -> tuple[Array, Array]:
    passed, decision = np.zeros(len(X), dtype=np.int64), np.ones(len(X))
    for rows, source in solver.in_parts(X, model.lens):
        passed[rows], decision[rows] = solver.passing(model.stages, source, len(X[rows]))
    return passed, decision


def predict(model: Model, X: Array) -> Array:
    """1 for what all stages let pass, 0 for the rest."""
    return (_passing(model, X)[0] == len(model.stages)).astype(np.int64)


def field(model: Model, X: Array) -> Array:
    """Above 0 where all stages are passed; below it the lower, the earlier a stage says no."""
    return _passing(model, X)[1]


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """How far a point comes, with its score in every stage that it reaches and the threshold there."""
    x = data.X[item.number] if item.number >= 0 else item.x
    source = solver.source_of(x[None], model.lens)
    answer: Explanation = {}
    for number, stage in enumerate(model.stages, start=1):
        score = float(stage.scores(source)[0])
        passes = score >= stage.threshold
        answer[f"stage {number}"] = f"F = {score:.3g} {'≥' if passes else '<'} {stage.threshold:.3g}"
        if not passes:
            return answer | {"result": f"dropped by stage {number}"}
    return answer | {"result": f"passes {words.all_stages(len(model.stages))}"}


def _windows_after(played: Played, stages: int) -> float:
    """The fraction of the windows of the scene that pass the first stages."""
    sweep = [frame.shown.sweep for frame in played.frames if frame.phase == "drop"][stages - 1]
    return float(sweep.count / sweep.total)


def _others_learned(played: Played, stage: int) -> int:
    """From how many others a stage learns."""
    learned = [f.shown.learned_y for f in played.frames if f.phase == "round" and len(f.model.stages) == stage]
    return int((learned[0] < 0.0).sum())


ALGORITHM = Algorithm(
    key="cascade",
    title="Cascade",
    family="ensembles",
    summary="Finds rare targets in stages: each drops most of what is surely none, and rates multiply.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    target="classes",
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    panels=(
        Panel("scene", "Scene", space="none", pictures=True),
        Panel("features", "Haar features", space="none", pictures=True),
        Panel("plane", "Data", space="data"),
        Panel("sieve", "Who is dropped", x="points", y="passed stages"),
        Panel("rates", "Rates multiply", x="stages", y="fraction that passes", log_y=True, integer_x=True),
        Panel("threshold", "Threshold of the stage", x="threshold θ", y="fraction that passes"),
    ),
    metrics=(
        Metric("detection", "detection rate", group="rates", log=True, better="higher"),
        Metric("false_positives", "false-positive rate", group="rates", log=True),
        Metric("targets", "targets left", group="left", log=True, better="neither"),
        Metric("others", "others left", group="left", log=True, better="neither"),
        Metric("stumps", "stumps", group="stumps", better="neither"),
    ),
    pseudocode=(
        Line("hold out a part; P ← targets, N ← others", "start"),
        Line("on pictures: I ← sums of all pixels up to (r, c)", "integral"),
        Line("    slide blocks; each is four corners of I", "slide"),
        Line("repeat for each stage, while others pass:"),
        Line("    repeat: add the best stump to F", "round"),
        Line("        lower θ: enough of P pass ({detection})", "threshold"),
        Line("    until few of N have F ≥ θ ({false_positives})"),
        Line("    drop all below θ; N ← what passes ({others})", "drop"),
        Line("return the stages: a target passes all", "result"),
    ),
    reference="Viola, Jones, Robust real-time face detection (2004); Freund, Schapire (1997); Statistical Machine "
    "Learning (Orbanz), Cascades and Viola-Jones",
    example="masks(n=2000,seed=1)",
    synonyms=(
        "Viola-Jones",
        "attentional cascade",
        "Haar features",
        "integral image",
        "summed-area table",
        "face detection",
        "object detection",
        "class imbalance",
        "rejection cascade",
        "hard negative mining",
    ),
    formulas=(
        r"F_j(x) = \sum_m \alpha_{jm}\, g_{jm}(x) \ge \theta_j \quad \text{for all } j",
        r"\mathrm{DR} = \prod_{j=1}^{k} \mathrm{DR}_j, \qquad \mathrm{FPR} = \prod_{j=1}^{k} \mathrm{FPR}_j",
        r"I(r, c) = \sum_{i < r,\, j < c} x_{ij}",
        r"\sum_{\mathrm{block}} x = I(b, r) - I(t, r) - I(b, l) + I(t, l)",
    ),
    tries=(
        Try(
            "Masks hidden in a scene: after three stages less than 1 % of the windows are left, and in the end all six "
            "masks are found without a false alarm.",
            shows=lambda played: (
                _windows_after(played, 3) < 0.01
                and scene.hits(played.last.shown.found, played.last.given.truth) == (6, 0)
            ),
        ),
        Try(
            "Light from one side: without dividing by the contrast of the window a mask in the scene is missed.",
            "masks(n=2000,light=1,seed=1)",
            {"normalise": False},
            shows=lambda played: scene.hits(played.last.shown.found, played.last.given.truth)[0] < 6,
        ),
        Try(
            "Stages that may keep half of the others: there are eight in place of six, with fewer stumps each.",
            params={"false_positives": 0.5, "stages": 16},
            shows=lambda played: (
                len(played.model.stages) == 8
                and len((usual := played.but(false_positives=0.3, stages=10)).model.stages) == 6
                and played.model.stump_count / 8 < usual.model.stump_count / 6
            ),
        ),
        Try(
            "Few targets among many others: the second stage learns from fewer than a third of the others, and all "
            "targets are still there.",
            "blobs_imbalanced(n=1000,noise=1.5,centres=2,imbalance=20,spread=2,seed=3)",
            shows=lambda played: _others_learned(played, 2) < _others_learned(played, 1) / 3,
        ),
    ),
    questions=(
        Question("How large is the weighted error of the next stump?", "round", "shown.round.error"),
        Question("How large is the vote of the next stump?", "round", "shown.vote"),
    ),
)
