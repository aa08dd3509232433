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

Orbanz slides (class imbalance and cascades: 0.99^10 and 0.3^10; Viola-Jones); Viola and Jones 2001, 2004, for the
integral image, which the slides do not mention; Freund and Schapire 1997.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import Algorithm, DrawnRun, DrawnSnapshot, Ended, Explanation, Line, Metric, Panel, Stop, Try
from algorithms.data import Array, Item, Points
from algorithms.ensembles.cascade import solver, words
from algorithms.ensembles.cascade.solver import Lens, Stage, scene
from algorithms.ensembles.cascade.solver.integral_images import haar_features
from algorithms.ensembles.cascade.views import Picture, frame
from algorithms.params import Advanced, Between, Doc, Log

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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """One stage after another, each from what the stages before let pass."""
    picture = _prepared(data, params, rng)
    yield frame(picture, "start", words.opening(picture))
    if picture.lens is not None:
        yield from _integral(picture)
        yield from _sliding(picture)
    asks = _asks(data)
    for number in range(1, params.stages + 1):
        picture = _examples(picture, asks, params, rng)
        picture = yield from _stage(picture, asks, params)
        if not picture.model.stages or len(picture.model.stages) < number:
            yield frame(replace(picture, phase="result"), "result", words.helpless(picture))
            return Ended(Stop.LIMIT, "no stump is better than chance")
        picture = _dropped(picture)
        yield frame(picture, "drop", words.dropping(picture))
        if picture.model.rates[-1, 1] == 1.0 or picture.is_exhausted:
            break
    picture = _finds(picture, params.agree)
    yield frame(picture, "result", words.closing(picture))
    if picture.is_exhausted:
        return Ended(Stop.COMPLETE, "nothing is left to learn from")
    return Stop.COMPLETE if len(picture.model.stages) == params.stages else Ended(Stop.LIMIT, "a stage dropped nothing")


def _asks(data: Points) -> Array:
    """Everything that a stump may ask for: Haar features of pictures, or columns."""
    features = np.empty((0, 5)) if data.image_shape is None else haar_features(*data.image_shape)
    return features if len(features) else np.arange(data.d)


def _prepared(data: Points, params: Params, rng: np.random.Generator) -> Picture:
    """Everything before the first stage: who is learned from, and on pictures the scene."""
    y = data.two_sides("A cascade")
    held = solver.split(y, params.held_out, rng)
    lens = None
    if data.image_shape is not None and len(_asks(data)) and _asks(data).ndim == 2:
        lens = Lens.of(data, data.image_shape, params.normalise, held)
    model = Model((), np.empty((0, 2)), np.empty((0, 2)), lens)
    picture = Picture(data, model, y, held, params.detection, params.false_positives, params.stages)
    if lens is None:
        return picture
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
    pool = tuple(scene.Sweep.of(scene.quilt(known, rng), lens) for _ in quilts)
    mean = targets.mean(axis=0)
    example = targets[int(np.square(targets - mean).sum(axis=(1, 2)).argmin())]
    sweep = scene.Sweep.of(drawn, lens)
    return replace(picture, sweep=sweep, truth=truth, pool=pool, honest=honest, example=example, mean=mean)


def _integral(picture: Picture) -> Generator[DrawnSnapshot, None, None]:
    """The integral image of a target, filled row by row."""
    assert picture.lens is not None
    height = picture.lens.shape[0]
    for rows in np.unique(np.linspace(1, height, min(ROWS, height)).astype(int)).tolist():
        shown = replace(picture, phase="integral", rows=rows)
        yield frame(shown, "integral", words.integral(shown))


def _sliding(picture: Picture) -> Generator[DrawnSnapshot, None, None]:
    """A feature that slides over the target."""
    assert picture.lens is not None
    places = picture.slide_places()
    for number in np.unique(np.linspace(0, len(places) - 1, min(SLIDES, len(places))).astype(int)).tolist():
        shown = replace(picture, phase="slide", rows=picture.lens.shape[0], place=number)
        yield frame(shown, "slide", words.sliding(shown))


def _examples(picture: Picture, asks: Array, params: Params, rng: np.random.Generator) -> Picture:
    """What the next stage learns from: targets and others that still pass, and windows of backgrounds that do."""
    most = max(solver.MOST_VALUES // len(asks), 4)
    inside = picture.passing & ~picture.held
    targets = solver.sampled(np.flatnonzero(inside & (picture.y > 0.0)), most // 2, rng)
    others = solver.sampled(np.flatnonzero(inside & (picture.y < 0.0)), most // 2, rng)
    wanted = min(int((~picture.held & (picture.y < 0.0)).sum()), most // 2) - len(others)
    counts = [round(wanted * part.count / max(picture.pool_left, 1)) for part in picture.pool]
    mined = tuple(part.drawn(count, rng) for part, count in zip(picture.pool, counts) if count > 0 and part.count)
    return replace(picture, rows_learned=np.concatenate([targets, others]), mined=mined, round=None)


def _stage(picture: Picture, asks: Array, params: Params) -> Generator[DrawnSnapshot, None, Picture]:
    """Add stumps, and lower the threshold after each, until few enough of the others pass."""
    learned = picture.rows_learned
    source = solver.source_of(picture.data.X[learned], picture.lens)
    values = solver.side_by_side([source.values(asks), *(part.values(asks) for part in picture.mined)])
    y = np.concatenate([picture.y[learned], np.full(values.shape[1] - len(learned), -1.0)])
    before = picture.model
    for number, found in zip(range(1, params.stumps + 1), solver.rounds(values, asks, y, params.cost)):
        for phase in ("round", "threshold"):
            if phase == "threshold":
                threshold = solver.lowered(found.scores, y, found.stage.reach, params.detection)
                found = replace(found, stage=replace(found.stage, threshold=threshold))
            passes = found.scores >= found.stage.threshold
            rates = np.array([[passes[y > 0.0].mean(), passes[y < 0.0].mean()]])
            model = replace(before, stages=(*before.stages, found.stage), rates=np.concatenate([before.rates, rates]))
            measured = picture.measured if phase == "round" else model.rates
            picture = replace(picture, model=model, measured=measured, round=found, learned_y=y, phase=phase)
            caption = words.stump(picture, number) if phase == "round" else words.threshold(picture, number)
            yield frame(picture, phase, caption, words.too_few_stumps(picture, number, params.stumps))
        if rates[0, 1] <= params.false_positives:
            break
    return picture


def _dropped(picture: Picture) -> Picture:
    """The points and windows after the stage that was learned last."""
    model, number = picture.model, len(picture.model.stages)
    stage = model.stages[-1]
    inside = np.flatnonzero(picture.passing)
    passes = np.zeros(len(inside), dtype=bool)
    for rows, source in solver.in_parts(picture.data.X[inside], model.lens):
        passes[rows] = stage.passes(source)
    out = picture.dropped_by.copy()
    out[inside[~passes]] = number
    held = [_fraction(passes, picture.held[inside] & (picture.y[inside] == side)) for side in (1.0, -1.0)]
    model = replace(model, held_out=np.concatenate([model.held_out, [held]]))
    picture = replace(picture, model=model, dropped_by=out, phase="drop")
    if picture.sweep is None:
        return picture
    sweep, gone = picture.sweep.after(stage), tuple(part.after(stage) for part in picture.pool)
    crops = np.concatenate([np.empty((0, *sweep.lens.shape)), *(part.crops(4) for part in picture.mined)])
    away = (*picture.windows_left, picture.alarms(sweep))
    return replace(picture, sweep=sweep, pool=gone, windows_left=away, crops=crops)


def _fraction(passes: Array, of: Array) -> float:
    """The fraction of some that pass; 1 where there are none."""
    return float(passes[of].mean()) if of.any() else 1.0


def _finds(picture: Picture, agree: int) -> Picture:
    """What is found in the scene: windows over each other are one find."""
    found = None if picture.sweep is None else scene.merged(picture.sweep.boxes(), agree)
    return replace(picture, phase="result", found=found)


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


ALGORITHM = Algorithm(
    key="cascade",
    title="Cascade",
    family="ensembles",
    summary="Finds rare targets in stages: each drops most of what is surely none, and rates multiply.",
    params=Params,
    run=run,
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
    reference="Statistical Machine Learning (Orbanz), cascades and Viola-Jones; Viola and Jones 2004",
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
        Try("Masks hidden in a scene: after a few stages hardly a window of the background is left."),
        Try(
            "Without dividing by the contrast of the window, light from one side looks like a feature.",
            "masks(n=2000,light=1,seed=1)",
            {"normalise": False},
        ),
        Try(
            "Stages that may keep half of the rest are shorter, and there are more of them.",
            params={"false_positives": 0.5, "stages": 16},
        ),
        Try(
            "Few points among many: what one stage drops is grey, and the next one learns only from the rest.",
            "blobs_imbalanced(n=1000,noise=1.5,centres=2,imbalance=20,spread=2,seed=3)",
        ),
    ),
)
