"""Principal component analysis: the few directions in which points vary most.

An axis is laid through the mean of the points. Seen along it they vary by u'Cu, with the covariance C of the points;
what is left over are the distances from the axis, and both add up to the whole variance. So the axis along which the
points vary most is the one with the shortest whiskers. Turned until then, it is the first eigenvector of C; the next
ones are found at right angles to it:

    C u_j = l_j u_j,    z_i = (u_1'(x_i - m), ..., u_k'(x_i - m)),    rebuilt: m + sum_j z_ij u_j

The axis can also be taken by its end and turned by hand; let go, it turns on to where the whiskers are shortest. The
squared whiskers of k components add up to n - 1 times the variances along all others. When rows are pictures, so
are the mean and the components. Noise spreads over all directions and the picture over few, so rebuilding with few
takes noise away. Unlike the line of least squares, which keeps upright whiskers short, the principal axis keeps those
across it short (total least squares).

Handbook section 3.1.1 (Alg. 1-3; the sum of the left-over variances is the squared error up to the factor n - 1);
Methods for Data Science section 11.1 (with 1/n); Pearson 1901; Hotelling 1933.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, Case, Counterpart, Explanation, Line, Metric, Panel, Run, Snapshot, Stop, Try
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.pca import solver, views, words
from algorithms.embedding.pca.views import Picture, frame
from algorithms.maths import maps
from algorithms.maths.components import Components, components_around
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.scales import deviations
from algorithms.params import Between, Doc, Handles, Unit, When

TURN = 24
"""Frames in which the axis turns once around."""
SETTLE = 6
"""Frames in which it goes to where the points vary most."""
SLIDE = 5
"""Frames in which the points slide to their shadows on the axis."""
EQUAL = 1e-6
"""Two variances nearer than this fraction of the first are equal."""


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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Turn an axis until the whiskers are shortest, add the next components, and rebuild the points from them."""
    rows, mean, scale = _prepared(data, params, rng)
    centred = (rows - mean) / scale if params.scaling == "standardised" else rows - mean
    found = components_around(np.zeros(data.d), centred)
    kept = min(params.dimensions, *centred.shape)
    scores = centred @ found.directions[:kept].T
    picture = views.first_picture(data, _model(found, 0, mean, scale, scores), rows, found, kept, params.noise > 0.0)
    errors = solver.errors(found, centred, (data.X - mean) / scale if picture.noisy else None)
    picture = replace(picture, clean_errors=(float(errors[0]),), lines=solver.Lines.of(centred))
    if data.d > 1:
        plane = solver.Plane.of(centred, found)
        seen = centred @ plane.basis.T
        picture = replace(picture, plane=plane)
        picture = _turned(picture, seen, np.radians(params.angle) if params.axis == "by hand" else 0.0)
    yield frame(picture, "start", words.opening(picture, params.scaling, params.axis == "by hand"))
    if data.d > 1:
        picture = yield from _turn(picture, seen, params.axis == "by hand")
    if data.d == 2:
        yield from _slide(picture)
    for k in sorted({*range(1, kept + 1), *picture.ladder}):
        if k <= kept:
            picture = replace(picture, model=_model(found, k, mean, scale, scores))
        elif not picture.warning:
            picture = _warned(picture, found, kept)
        picture = replace(picture, count=k)
        if k in picture.ladder:
            picture = replace(picture, clean_errors=(*picture.clean_errors, float(errors[k])))
        caption = words.component(picture, k) if k <= kept else words.beyond(picture, k)
        yield frame(picture, "component" if k <= kept else "beyond", caption)
        if k == 1:
            yield from _compare(picture)
    picture = replace(picture, count=kept)
    yield frame(picture, "result", words.closing(picture))
    return Stop.COMPLETE


def _prepared(data: Points, params: Params, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """The rows, perhaps with noise, their mean, and what each feature is divided by."""
    refuse_overflow(data.X)
    if not (data.X[0] != data.X).any():
        raise DataError("Principal component analysis needs at least two different points; here all are equal.")
    rows = data.X
    if params.noise > 0.0:
        typical = float(np.sqrt(np.square(rows.std(axis=0)).mean()))
        rows = rows + params.noise * typical * rng.standard_normal(rows.shape)
    scale = deviations(rows) if params.scaling == "standardised" else np.ones(data.d)
    return rows, rows.mean(axis=0), scale


def _model(found: Components, k: int, mean: Array, scale: Array, scores: Array) -> Model:
    """The first k components."""
    return Model(
        mean, found.directions[:k], found.variances(len(scores))[:k], scores[:, :k], scale, found.fractions[:k]
    )


def _turn(picture: Picture, seen: Array, by_hand: bool) -> Generator[Snapshot, None, Picture]:
    """The axis once around, unless it was put somewhere, and then on to where the points vary most along it."""
    assert picture.plane is not None
    first, best = picture.angle, picture.plane.best_angle
    if not by_hand:
        for step in range(1, TURN + 1):
            picture = _turned(picture, seen, first + np.pi * step / TURN)
            yield frame(picture, "turn", words.turning(picture, "At"))
    start = picture.angle
    turn = (best - start + np.pi / 2) % np.pi - np.pi / 2 if by_hand else best
    for step in range(1, SETTLE + 1):
        picture = _turned(picture, seen, start + maps.eased(step / SETTLE) * turn)
        yield frame(picture, "settle", words.turning(picture, "Towards the largest variance,"))
    return picture


def _turned(picture: Picture, seen: Array, angle: float) -> Picture:
    """With the axis at an angle, and what is seen along it of points seen in its plane (n, 2)."""
    plane = picture.plane
    assert plane is not None
    variance = plane.variance(angle)
    model = replace(
        picture.model,
        components=plane.direction(angle)[None],
        variances=np.array([variance]),
        embedding=seen @ np.array([[np.cos(angle)], [np.sin(angle)]]),
        fractions=np.array([variance / plane.total]) if plane.total > 0.0 else np.zeros(1),
    )
    return replace(picture, model=model, angle=angle)


def _slide(picture: Picture) -> Generator[Snapshot, None, None]:
    """The points go along their whiskers to the axis."""
    for step in range(1, SLIDE + 1):
        yield frame(replace(picture, slid=maps.eased(step / SLIDE)), "project", words.sliding(picture))


def _warned(picture: Picture, found: Components, kept: int) -> Picture:
    """A warning when the components are not the only ones."""
    variances = found.lengths**2
    if kept < len(variances) and variances[0] > 0.0:
        near = variances[kept - 1] - variances[kept] <= EQUAL * variances[0]
        if near and variances[kept] > EQUAL * variances[0]:
            return replace(picture, warning=words.equal_variances(kept))
    return picture


def _compare(picture: Picture) -> Generator[Snapshot, None, None]:
    """Beside the principal axis, the lines that keep upright or level whiskers short."""
    if picture.lines is None:
        return
    kinds: tuple[Literal["upright", "across"], ...] = ("upright", "across")
    for whiskers in kinds:
        yield frame(replace(picture, whiskers=whiskers), "compare", words.comparing(picture, picture.lines, whiskers))


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
    answer["squares: shown + left over"] = f"{shown:.4g} + {rest:.4g} = {shown + rest:.4g}"
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


ALGORITHM = Algorithm(
    key="pca",
    title="Principal components",
    family="embedding",
    summary="Turns an axis until the points vary most along it: the few directions that show most of the data.",
    params=Params,
    run=run,
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
        Panel("error", "Left over", x="components", y="squared error", integer_x=True),
    ),
    metrics=(
        Metric("variance", "variance that is shown", group="variance", better="higher"),
        Metric("error", "variance that is left over", group="variance"),
        Metric("kept", "fraction of the variance", group="fraction", better="higher"),
    ),
    pseudocode=(
        Line("m ← mean of the points; C ← their covariance", "start"),
        Line("turn u: variance u'Cu = {variance}, left over {error}", "turn"),
        Line("u_1 ← where u'Cu is largest: C u_1 = l_1 u_1", "settle"),
        Line("z ← u_1'(x - m): each point slides to its shadow", "project"),
        Line("u_k ← the same at right angles; together {kept}", "component"),
        Line("x̂ ← m + z_1 u_1 + ...: were there more, left over {error}", "beyond"),
        Line("beside it: the line of least squares", "compare"),
        Line("return m, u, z = u'(x - m)", "result"),
    ),
    reference="Handbook §3.1.1 (Alg. 1-3); Methods for Data Science §11.1; Pearson 1901; Hotelling 1933",
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
            "Take an end of the axis with the mouse and turn it: the squares of the whiskers add up to less and less "
            "until it lies along the cloud. Play lets it find the way itself.",
            params={"axis": "by hand", "angle": 40.0},
        ),
        Try(
            "The components of pictures are pictures, too: handwritten digits from 16 of their 64 directions.",
            "digits()",
            {"dimensions": 16},
        ),
        Try(
            "Digits in the rain: rebuilt from 16 components they are nearer to the clean ones than from 4 or from 64, "
            "because noise lies in all directions and the digits in few.",
            "digits()",
            {"noise": 1.0},
        ),
        Try(
            "Wines measured in different units: without standardising, one column is nearly the whole variance.",
            "wine()",
            {"scaling": "as they are"},
        ),
        Try("The same wines, standardised: now the three cultivars part.", "wine()", {"scaling": "standardised"}),
    ),
)
