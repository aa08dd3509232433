"""Principal component analysis: the few directions in which points vary most.

An axis goes through the mean of the points. Along it their variance is u'Cu, with the covariance C of the points; the
rest of the variance is that of the residuals, the distances from the axis. So the axis with the largest variance is the
one with the smallest residuals: the first eigenvector of C. The next ones are found at right angles to it:

    C u_j = l_j u_j,    z_i = (u_1'(x_i - m), ..., u_k'(x_i - m)),    rebuilt: m + sum_j z_ij u_j

The axis can also be taken by its end and turned by hand; let go, it turns on to where the variance is largest. The
squared residuals of k components add up to n - 1 times the variances along all others. When rows are pictures, so are
the mean and the components. Noise has variance in all directions and the pictures in few, so rebuilding from few
components takes noise away. Unlike the line of least squares, which minimises vertical distances, the principal axis
minimises those at right angles to it (total least squares).

`run` is choreography: the decomposition stands in `_given`, and the axis turns to what is known already.

Reference: Handbook section 3.1.1 (Alg. 1-3; the sum of the other variances is the squared error up to the factor
n - 1); Methods for Data Science section 11.1 (with 1/n); Bishop, Pattern Recognition and Machine Learning, 12.1;
Pearson 1901; Hotelling 1933.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.pca import solver, words
from algorithms.embedding.pca.views import views
from algorithms.maths import maps
from algorithms.maths.components import Components, components_around
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.scales import deviations
from algorithms.maths.verdicts import agreeing
from algorithms.maths.words import counted
from algorithms.params import Between, Doc, Handles, Unit, When
from algorithms.played import Played

TURN = 24
"""Frames in which the axis turns once around."""
SETTLE = 6
"""Frames in which it goes to where the points vary most."""
SLIDE = 5
"""Frames in which the points slide to their shadows on the axis."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of principal component analysis."""

    dimensions: Annotated[int, Between(1, 64), Doc("How many components are kept.")] = 2
    scaling: Annotated[
        Literal["as they are", "standardised"],
        Doc("Whether each feature is first divided by its standard deviation, so that its unit does not matter."),
    ] = "as they are"
    axis: Annotated[
        Literal["turning", "by hand"],
        Doc("Whether the axis turns once around by itself, or starts where it is put: drag its end in the plane."),
    ] = "turning"
    angle: Annotated[
        float,
        Between(0.0, 180.0),
        Unit("°"),
        Handles,
        When("axis", "by hand"),
        Doc("The angle at which the axis starts by hand, in the plane of two features or of the first two components."),
    ] = 0.0
    noise: Annotated[
        float,
        Between(0.0, 5.0),
        Doc("Random noise added to all features, in typical standard deviations, to see whether it is taken away."),
    ] = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known so far: one axis while it turns, then one component more in every frame."""

    mean: Array  # (d,)
    components: Array  # (k, d) unit rows at right angles, of the scaled features
    variances: Array  # (k,) along each of them
    embedding: Array  # (n, k) the scores of the points
    scale: Array  # (d,) what each feature was divided by
    fractions: Array  # (k,) of the whole variance


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run: the solution, and what the axis is compared with on its way."""

    data: Points
    params: Params
    rows: Array  # (n, d) the points, perhaps with noise
    mean: Array  # (d,) of them
    scale: Array  # (d,) what each feature is divided by
    found: Components  # all of them
    scores: Array  # (n, kept)
    errors: Array  # mean and squared, of what 0, 1, 2 ... components rebuild, beside data without noise; else empty
    total: float  # the whole variance
    ladder: tuple[int, ...]  # from how many components points are rebuilt
    plane: solver.Plane | None
    seen: Array  # (n, 2) the points in the plane
    lines: solver.Lines | None

    @property
    def kept(self) -> int:
        """How many components there are in the end."""
        return int(self.scores.shape[1])

    @property
    def noisy(self) -> bool:
        """Whether noise was added."""
        return self.params.noise > 0.0


@dataclass(frozen=True, slots=True)
class Shown:
    """Where the axis is, and which components the picture is made of."""

    angle: float = 0.0
    slid: float = 0.0  # how far the points have gone to the axis
    count: int = 0  # components so far
    reached: int = 0  # steps of the ladder so far
    whiskers: Literal["", "upright", "across"] = ""  # those of the comparison in the plane
    foreign: bool = False  # the axis is that of somebody else's run


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Turn an axis until the variance along it is largest, add the next components, and rebuild the points from them.

    What it leads to is known beforehand: the solution is in what is given.
    """
    given = _given(data, params, rng)
    model, shown = _model(given, 0), Shown()
    if given.plane is not None:
        shown = Shown(float(np.radians(params.angle)) if params.axis == "by hand" else 0.0)
        model = _turned(given, given.plane, shown.angle)
    yield _shot(given, "start", model, shown)
    if given.plane is not None:
        model, shown = yield from _turn(given, given.plane, shown.angle)
    if data.d == 2:
        for step in range(1, SLIDE + 1):  # the points go along their whiskers to the axis
            yield _shot(given, "project", model, replace(shown, slid=maps.eased(step / SLIDE)))
    for k in sorted({*range(1, given.kept + 1), *given.ladder}):
        model = _model(given, min(k, given.kept))
        shown = replace(shown, count=k, reached=shown.reached + (k in given.ladder))
        yield _shot(given, "component" if k <= given.kept else "beyond", model, shown)
        if k == 1 and given.lines is not None:  # beside it, the lines that keep upright or level whiskers short
            yield _shot(given, "compare", model, replace(shown, whiskers="upright"))
            yield _shot(given, "compare", model, replace(shown, whiskers="across"))
    yield _shot(given, "result", model, replace(shown, count=given.kept))
    return Stop.COMPLETE


def _given(data: Points, params: Params, rng: np.random.Generator) -> Given:
    """The rows, perhaps with noise, what each feature is divided by, and the components."""
    refuse_overflow(data.X)
    if not (data.X[0] != data.X).any():
        raise DataError("Principal component analysis needs at least two different points; here all are equal.")
    rows = data.X
    if params.noise > 0.0:
        typical = float(np.sqrt(np.square(rows.std(axis=0)).mean()))
        rows = rows + params.noise * typical * rng.standard_normal(rows.shape)
    mean, scale = rows.mean(axis=0), deviations(rows) if params.scaling == "standardised" else np.ones(data.d)
    centred = (rows - mean) / scale if params.scaling == "standardised" else rows - mean
    found = components_around(np.zeros(data.d), centred)
    scores = centred @ found.directions[: min(params.dimensions, *centred.shape)].T
    errors = solver.errors(found, centred, (data.X - mean) / scale) if params.noise > 0.0 else np.empty(0)
    total, ladder = float(found.variances(data.n).sum()), solver.ladder(len(found.lengths))
    plane, seen, lines = None, np.empty((data.n, 0)), solver.Lines.of(centred)
    if data.d > 1:
        plane = solver.Plane.of(centred, found)
        seen = centred @ plane.basis.T
    return Given(data, params, rows, mean, scale, found, scores, errors, total, ladder, plane, seen, lines)


def _model(given: Given, k: int) -> Model:
    """The first k components."""
    found, scores = given.found, given.scores
    variances, fractions = found.variances(len(scores))[:k], found.fractions[:k]
    return Model(given.mean, found.directions[:k], variances, scores[:, :k], given.scale, fractions)


def _turn(given: Given, plane: solver.Plane, start: float) -> Generator[Shot, None, tuple[Model, Shown]]:
    """The axis once around, unless it was put somewhere, and then on to where the points vary most along it."""
    turn = plane.best_angle
    if given.params.axis == "by hand":
        turn = (turn - start + np.pi / 2) % np.pi - np.pi / 2
    else:
        for step in range(1, TURN + 1):
            shown = Shown(np.pi * step / TURN)
            yield _shot(given, "turn", _turned(given, plane, shown.angle), shown)
        start = shown.angle
    for step in range(1, SETTLE + 1):
        shown = Shown(start + maps.eased(step / SETTLE) * turn)
        model = _turned(given, plane, shown.angle)
        yield _shot(given, "settle", model, shown)
    return model, shown


def _turned(given: Given, plane: solver.Plane, angle: float) -> Model:
    """The axis at an angle, and what is seen along it."""
    variance, direction = float(plane.variance(angle)), plane.direction(angle)
    along = given.seen @ np.array([[np.cos(angle)], [np.sin(angle)]])
    fraction = variance / plane.total if plane.total > 0.0 else 0.0
    return Model(given.mean, direction[None], np.array([variance]), along, given.scale, np.array([fraction]))


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    """What is shown of the whole variance: along the axis while it turns, then along so many components."""
    total, variance = given.total, float(model.variances.sum())
    if shown.count and not shown.whiskers:
        variance = float(given.found.variances(given.data.n)[: shown.count].sum())
    numbers = {
        "variance": variance,
        "error": max(total - variance, 0.0),
        "kept": min(variance / total, 1.0) if total > 0.0 else 0.0,
    }
    return Snapshot(given, phase, model, numbers, shown)


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run, which yields a direction (d,) of the scaled features in every step, of any length."""
    given = _given(data, params, np.random.default_rng(0))
    centred = (given.rows - given.mean) / given.scale
    for step, said in enumerate(foreign):
        direction = np.array(said, dtype=float)
        if direction.shape != (data.d,) or not np.isfinite(direction).all() or not direction.any():
            wanted = f"a direction, {counted(data.d, 'finite number')} of which one is not 0"
            raise DataError(f"Step {step} has to give {wanted}; it gave {direction.tolist()}.")
        direction = direction / np.linalg.norm(direction)
        along = centred @ direction
        variance, angle = float(along @ along) / max(data.n - 1, 1), 0.0
        if given.plane is not None:
            angle = float(np.arctan2(*(given.plane.basis @ direction)[::-1]) % np.pi)
        fraction = np.array([variance / given.total])
        model = Model(given.mean, direction[None], np.array([variance]), along[:, None], given.scale, fraction)
        yield _shot(given, "turn" if step else "start", model, Shown(angle, foreign=True))


def transform(model: Model, X: Array) -> Array:
    """The scores (m, k) of new points, around the mean of the old ones."""
    return np.asarray((X - model.mean) / model.scale @ model.components.T)


def inverse(model: Model, Z: Array) -> Array:
    """The points (m, d) with these scores."""
    maps.require_coordinates(Z, len(model.components))
    return np.asarray(model.mean + Z @ model.components * model.scale)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The scores of a point, how far it is from what they rebuild, and what fraction of its distance they show."""
    x = data.X[item.number] if item.number >= 0 else item.x
    scores = transform(model, x[None])
    answer: Explanation = {"point": item.number + 1} if item.number >= 0 else {}
    answer |= {f"component {k}": float(score) for k, score in enumerate(scores[0][:6], start=1)}
    away = (x - model.mean) / model.scale
    left = away - scores[0] @ model.components
    answer["distance from the mean"] = float(np.linalg.norm(away))
    answer["distance from what is rebuilt"] = float(np.linalg.norm(left))
    shown, rest = float(scores[0] @ scores[0]), float(left @ left)
    answer["squares: along the axes + residual"] = f"{shown:.4g} + {rest:.4g} = {shown + rest:.4g}"
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.decomposition.PCA``, behind a ``StandardScaler`` where features are standardised."""
    if params.noise > 0.0 or case is None or not isinstance(case.data, Points):
        return None
    make = f"PCA({min(params.dimensions, case.data.n, case.data.d)})"
    imports = "from sklearn.decomposition import PCA"
    if params.scaling == "standardised":
        make = f"make_pipeline(StandardScaler(), {make})"
        imports += "\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import StandardScaler"
    return Counterpart(
        imports=imports,
        make=make,
        difference="np.abs(np.abs(theirs.transform(X)) - np.abs(ours.model.embedding)).max() "
        "/ np.ptp(ours.model.embedding)",
        measure="largest difference of a score, by their range and up to sign",
        target=False,
    )


def _settled(played: Played) -> Shot:
    return [frame for frame in played.frames if frame.phase == "settle"][-1]


ALGORITHM = Algorithm(
    key="pca",
    title="Principal components",
    family="embedding",
    summary="Turns an axis until the points vary most along it: the few directions that show most of the data.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    explain=explain,
    transform=transform,
    inverse=inverse,
    counterpart=counterpart,
    panels=(
        Panel("pictures", "Mean, components and rebuilt pictures", space="none", pictures=True),
        Panel("plane", "Data", space="data"),
        Panel("turning", "Variance while turning", x="angle", y="variance"),
        Panel("loadings", "Components"),
        Panel("lines", "Two lines", space="none", features=2),
        Panel("map", "Map", x="component 1", y="component 2"),
        Panel("scree", "Scree plot", x="component", y="% of the variance"),
        Panel("error", "Reconstruction error", x="components", y="mean squared error", integer_x=True),
    ),
    metrics=(
        Metric("variance", "variance along the axes", group="variance", better="higher"),
        Metric("error", "variance of the residuals", group="variance"),
        Metric("kept", "fraction of the variance", group="fraction", better="higher"),
    ),
    pseudocode=(
        Line("m ← mean of the points; C ← their covariance", "start"),
        Line("turn u: variance u'Cu = {variance}, of the residuals {error}", "turn"),
        Line("u_1 ← where u'Cu is largest: C u_1 = l_1 u_1", "settle"),
        Line("z ← u_1'(x - m): each point is projected", "project"),
        Line("u_k ← the same at right angles; together {kept}", "component"),
        Line("x̂ ← m + z_1 u_1 + ... with more components: {error}", "beyond"),
        Line("beside it: the least-squares line", "compare"),
        Line("return m, u, z = u'(x - m)", "result"),
    ),
    reference="Handbook §3.1.1 (Alg. 1-3); Methods for Data Science §11.1; Bishop, Pattern Recognition and Machine "
    "Learning §12.1; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning §14.5.1",
    example="blobs_anisotropic(n=120,centres=1,stretch=3,seed=2)",
    synonyms=(
        "PCA",
        "Karhunen-Loève",
        "eigenfaces",
        "scree plot",
        "total least squares",
        "TLS",
        "whitening",
        "dimension reduction",
        "denoising",
    ),
    formulas=(
        r"C = \frac{1}{n-1} \sum_i (x_i - m)(x_i - m)^{\top}, \qquad C u_j = \lambda_j u_j",
        r"z_i = \left( u_1^{\top}(x_i - m), \ldots, u_k^{\top}(x_i - m) \right)",
        r"\text{rebuilt:}\quad \hat{x}_i = m + \sum_{j=1}^{k} z_{ij}\, u_j",
        r"\sum_i \|x_i - \hat{x}_i\|^2 = (n-1) \sum_{j>k} \lambda_j",
    ),
    tries=(
        Try(
            "Take an end of the axis with the mouse and turn it: the sum of the squared distances is least where it "
            "lies along the cloud. Play turns it there.",
            params={"axis": "by hand", "angle": 40.0},
            shows=lambda played: played.frames[0].metrics["error"] > 9.0 * _settled(played).metrics["error"],
        ),
        Try(
            "The components of pictures are pictures, too: 16 of their 64 directions have 85 % of the variance of "
            "handwritten digits.",
            "digits()",
            {"dimensions": 16},
            shows=lambda played: round(100 * played.final("kept")) == 85,
        ),
        Try(
            "Digits with noise: rebuilt from 16 components they are nearer to the clean ones than from 4 or from 64, "
            "because noise lies in all directions and the digits in few.",
            "digits()",
            {"noise": 1.0},
            shows=lambda played: played.last.given.errors[16] < min(played.last.given.errors[[4, 64]]),
        ),
        Try(
            "Wines measured in different units: without standardising, one feature has nearly the whole variance.",
            "wine()",
            {"scaling": "as they are"},
            shows=lambda played: played.model.fractions[0] > 0.99 and np.abs(played.model.components[0]).max() > 0.99,
        ),
        Try(
            "The same wines, standardised: now 95 % of them lie next to one of their cultivar in the map, instead of "
            "72 %.",
            "wine()",
            {"scaling": "standardised"},
            shows=lambda played: (
                [round(100 * agreeing(run)) for run in (played, played.but(scaling="as they are"))] == [95, 72]
            ),
        ),
    ),
    questions=(
        Question("How large is the variance along the axis at the next angle?", "turn", "metrics.variance"),
        Question("Which fraction of the variance do the components so far have?", "component", "metrics.kept"),
    ),
)
