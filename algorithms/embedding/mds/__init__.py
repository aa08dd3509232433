"""Multidimensional scaling: a map from nothing but a table of distances.

Somebody has measured how far apart things are, but not where they are. Classical scaling squares the distances and
centres the table; what results would be the inner products of centred points, and its eigenvectors are their
coordinates:

    B = -1/2 H D^2 H,  H = I - 1/n,     z_i = (sqrt(l_1) V_i1, ..., sqrt(l_m) V_im)

The map can be turned and mirrored at will: distances do not know where north is. When D holds straight distances it is
the map of principal components. When no points in any space have these distances (roads lead around mountains), B has
negative eigenvalues. Metric scaling starts from any map and goes down the stress, sum (|z_i - z_j| - D_ij)^2, or the
squared stress, sum (|z_i - z_j|^2 - D_ij^2)^2, step by step; the Shepard plot shows each distance in the map over the
one asked for. Non-metric scaling trusts only the order of the distances: before every step D is replaced by the rising
function of D that is nearest to the distances in the map, so that only pairs in the wrong order pull.

Handbook section 3.1.2; Methods for Data Science section 12.5.2 (which prints B without the factor 1/2, and the squared
stress above the solution of another problem, the strain); Torgerson 1952; Kruskal 1964; Gower 1966, 1968; de Leeuw
1977.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import array_source
from algorithms.data import Array, Data, Distances, Item, Points
from algorithms.embedding.mds import solver, views, words
from algorithms.embedding.mds.solver.stress import Misfit, Wanted, centred
from algorithms.embedding.mds.views import Picture, frame
from algorithms.maths import maps
from algorithms.maths.scaling import centred_products, coordinates, gower
from algorithms.params import Advanced, Between, Doc, Log, When

GROW = 8
"""Frames in which a coordinate grows."""
DIVERGED = 10.0
"""A stress of so many times that of a map with all points in one place is a map that flies apart."""
SWINGS = 1.01
"""A last stress of more than this times the lowest one before has not been gone down to."""
MOST_NEGATIVE = 0.1
"""A negative eigenvalue of this size beside the largest one says that no map is true."""
SQUARED = "squared stress by gradient descent"


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of multidimensional scaling."""

    kind: Annotated[
        Literal["classical", "metric", "non-metric"],
        Doc(
            "How distances become a map: by eigenvectors at once, down the stress step by step, or by their order only "
            f"(for at most {solver.MOST_RANKED:,} rows)."
        ),
    ] = "classical"
    dimensions: Annotated[int, Between(1, 3), Doc("How many coordinates the map has.")] = 2
    descent: Annotated[
        Literal["stress by majorisation", "stress by gradient descent", "squared stress by gradient descent"],
        When("kind", "metric"),
        Doc("Which stress is minimised, and how: by the minimum of a quadratic above it, or along the gradient."),
    ] = "stress by majorisation"
    begin: Annotated[
        Literal["random", "classical scaling"],
        When("kind", "metric", "non-metric"),
        Doc("The map before the first step."),
    ] = "random"
    step: Annotated[
        float,
        Between(0.05, 3.0),
        When("descent", "stress by gradient descent", "squared stress by gradient descent"),
        Doc("Length of a step: 1 is that of majorisation, or the best one for the squared stress; above 2 it swings."),
    ] = 1.0
    max_steps: Annotated[
        int, Between(1, 5000), Log, When("kind", "metric", "non-metric"), Doc("Most steps down the stress.")
    ] = 300
    tol: Annotated[
        float,
        Between(1e-9, 1e-1),
        Log,
        Advanced,
        When("kind", "metric", "non-metric"),
        Doc("Stop when a step lowers the stress by less than this fraction."),
    ] = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A map, and what is needed to find the place of something new in it."""

    embedding: Array  # (n, dimensions); zeros until something is known
    eigenvalues: Array  # (e,) of B, falling: all, or the largest and the smallest; empty until known
    stress: float  # sqrt(sum (f - d)^2 / sum d^2) over all pairs; by order only, Kruskal's with what D is replaced by
    squared_stress: float  # the same for squares of distances
    norms: Array  # (n,) the diagonal of B: squared distances from the centre
    points: Array | None  # (n, d) where the distances were measured; None for a table
    descended: bool = False  # the map went down the stress
    rising: Array = dataclasses.field(default_factory=lambda: np.empty((2, 0)))
    """(2, r) distances asked for, and what they are replaced by where only their order counts; else empty."""


def run(data: Distances | Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Square the distances, centre the table, and turn its eigenvectors into coordinates; or go down the stress."""
    distances, unit = solver.distances_of(data, params.kind == "non-metric")
    wanted = Wanted.of(distances)
    picture = views.first_picture(data, _nothing_known(data, params.dimensions), distances, unit)
    yield frame(picture, "start", words.opening(data, distances, unit))
    picture = replace(picture, sample=maps.SampledDistances.of(distances))
    shown = np.ix_(picture.rows, picture.rows)
    yield frame(views.with_table(picture, distances[shown] ** 2, "square"), "square", words.SQUARED)
    rows = solver.centred_rows(distances, picture.rows)
    yield frame(views.with_table(picture, rows, "rows"), "centre", words.ROWS)
    products = centred_products(distances)
    picture = views.with_table(picture, products[shown], "products")
    norms = np.diagonal(products).copy() * unit**2
    yield frame(replace(picture, model=replace(picture.model, norms=norms)), "centre", words.CENTRED)
    values, vectors = solver.spectrum(products)
    picture = _with_spectrum(picture, values * unit**2, norms, params.dimensions)
    yield frame(picture, "eigen", f"{maps.spectrum_words(picture.model.eigenvalues, params.dimensions)}.")
    places = solver.upright(coordinates(values, vectors, params.dimensions))
    if params.kind != "classical":
        picture = views.with_table(picture, distances[shown], "distances")
        if params.kind == "non-metric":
            return (yield from _by_order(picture, wanted, places, params, rng))
        return (yield from _down_the_stress(picture, wanted, places, params, rng))
    picture = yield from _coordinate_by_coordinate(picture, wanted, places)
    yield frame(views.laid_over(picture), "result", words.closing(picture))
    return Stop.COMPLETE


def _nothing_known(data: Data, dimensions: int) -> Model:
    points = data.X if isinstance(data, Points) else None
    return Model(np.zeros((data.n, dimensions)), np.empty(0), 1.0, 1.0, np.zeros(data.n), points)


def _with_spectrum(picture: Picture, values: Array, norms: Array, dimensions: int) -> Picture:
    """The eigenvalues and what they say: which space the distances need, and whether there is one."""
    negative = max(0.0, -float(values[-1])) / float(values[0]) if values[0] > 0.0 else 0.0
    warning = words.equal_distances(values, picture.data.n, dimensions)
    if negative > MOST_NEGATIVE:
        warning = words.negative_eigenvalues(values, picture.data.n)
    model = replace(picture.model, eigenvalues=values, norms=norms)
    bars = views.bars(values, dimensions, picture.data.n)
    return replace(picture, model=model, negative=negative, spectrum=bars, warning=warning)


def _coordinate_by_coordinate(
    picture: Picture, wanted: Wanted, places: Array
) -> Generator[DrawnSnapshot, None, Picture]:
    """The map growing out of one place, along one eigenvector after the other."""
    for number in range(places.shape[1]):
        for step in range(1, GROW + 1):
            now = np.where(np.arange(places.shape[1]) < number, places, 0.0)
            now[:, number] = maps.eased(step / GROW) * places[:, number]
            picture = _at(picture, now, wanted.stresses(now))
            yield frame(picture, "coordinate", words.coordinate(picture, number, step / GROW))
    return picture


def _at(picture: Picture, places: Array, stresses: tuple[float, float]) -> Picture:
    stress, squared = stresses
    model = replace(picture.model, embedding=places * picture.unit, stress=stress, squared_stress=squared)
    return replace(picture, model=model)


def _down_the_stress(
    picture: Picture, wanted: Wanted, classical: Array, params: Params, rng: np.random.Generator
) -> DrawnRun:
    """Step after step down the stress, compared with the map of classical scaling."""
    best = wanted.stresses(classical)
    places = centred(classical) if params.begin == "classical scaling" else solver.random_map(wanted, classical, rng)
    picture, stop = yield from _descend(picture, wanted, places, centred(classical), params)
    if stop is Stop.DIVERGED:
        return stop
    yield frame(views.laid_over(picture), "result", words.end_of_descent(picture, stop, best))
    return stop


def _descend(
    picture: Picture, wanted: Wanted, places: Array, classical: Array, params: Params
) -> Generator[DrawnSnapshot, None, tuple[Picture, Stop]]:
    squared = params.descent == SQUARED
    phase = "majorise" if params.descent == "stress by majorisation" else "descend"
    best = wanted.stresses(classical)
    found = wanted.misfit(places, squared)
    picture = _turned(picture, places, found, classical)
    yield frame(picture, phase, words.first_map(params.begin, found, best))
    lowest = now = _objective(found, squared)
    for step in range(1, params.max_steps + 1):
        length = 1.0 if phase == "majorise" else params.step
        if squared:
            length *= wanted.lowest_along(places, found.direction)
        places = centred(places + length * found.direction)
        before, found = now, wanted.misfit(places, squared)
        now = _objective(found, squared)
        lowest = min(lowest, now)
        if not now < DIVERGED:
            picture = picture.warned("The steps are too long and the map flies apart. Choose a shorter step.")
            yield frame(picture, phase, words.step(step, picture, best))
            return picture, Stop.DIVERGED
        picture = _turned(picture, places, found, classical)
        yield frame(picture, phase, words.step(step, picture, best))
        if 0.0 <= before - now <= params.tol * before:
            return picture.warned(words.local_minimum(picture, best, squared)), Stop.CONVERGED
    swings = now > SWINGS * lowest
    return picture.warned(
        "The stress swings to and fro: choose a shorter step." if swings else "The steps ran out: raise max_steps."
    ), Stop.LIMIT


def _by_order(picture: Picture, wanted: Wanted, classical: Array, params: Params, rng: np.random.Generator) -> DrawnRun:
    """Step after step, each towards the rising function of the distances that is nearest to those in the map."""
    ranks = solver.Ranks.of(wanted)
    like = centred(classical)
    best = ranks.fitted(like).stress
    places = like if params.begin == "classical scaling" else solver.random_map(wanted, classical, rng)
    fitted, target = ranks.fitted(places), wanted.distances
    picture = _ranked(picture, places, fitted, like)
    yield frame(picture, "order", words.first_order(params.begin, fitted.stress, best))
    stop = Stop.LIMIT
    for step in range(1, params.max_steps + 1):
        places = centred(places + Wanted.of(target).misfit(places).direction)
        before, fitted = fitted.stress, ranks.fitted(places)
        target = fitted.table
        picture = _ranked(picture, places, fitted, like)
        yield frame(picture, "order", words.order(step, picture, best))
        if step > 1 and 0.0 <= before - fitted.stress <= params.tol * before:
            stop = Stop.CONVERGED
            break
    warning = (
        words.local_order(fitted.stress, best) if stop is Stop.CONVERGED else "The steps ran out: raise max_steps."
    )
    picture = picture.warned(words.degenerate_order(picture.model.embedding)).warned(warning)
    yield frame(views.laid_over(picture), "result", words.end_of_order(picture, stop, best))
    return stop


def _ranked(picture: Picture, places: Array, fitted: solver.Fitted, like: Array) -> Picture:
    """The picture with this map and what the distances are replaced by, turned like that of classical scaling."""
    picture = _at(picture, maps.turned(places, like), (fitted.stress, fitted.squared_stress))
    return replace(picture, model=replace(picture.model, descended=True, rising=fitted.rising * picture.unit))


def _objective(found: Misfit, squared: bool) -> float:
    return found.squared_stress if squared else found.stress


def _turned(picture: Picture, places: Array, found: Misfit, like: Array) -> Picture:
    """The picture with this map, turned or mirrored to lie like that of classical scaling (Procrustes)."""
    picture = _at(picture, maps.turned(places, like), (found.stress, found.squared_stress))
    return replace(picture, model=replace(picture.model, descended=True))


def transform(model: Model, X: Array) -> Array:
    """Places of new things, from the features of points, or from their distances to all rows of the table.

    By Gower: z = (Z'Z)^-1 Z' (b - d^2) / 2, with the squared distances b of the old things from the centre. In a map
    that went down the stress each new thing then goes down its own stress, while the others stay.
    """
    distances = solver.new_distances(model.points, X, len(model.embedding))
    if model.rising.size:  # the order of the distances in the table says how far it is in the map
        distances = np.interp(distances, *model.rising)
        places = gower(model.embedding, np.square(model.embedding).sum(axis=1), distances)
        return solver.placed_beside(model.embedding, places, distances)
    places = gower(model.embedding, model.norms, distances)
    return solver.placed_beside(model.embedding, places, distances) if model.descended else places


def explain(model: Model, data: Distances | Points, item: Item) -> Explanation:
    """Where something lies in the map, and how well its distances are kept there."""
    if item.number < 0:
        place = transform(model, item.x[None])[0]
        return {f"coordinate {number}": float(value) for number, value in enumerate(place, start=1)}
    return words.explained(model, data, item.number)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``ClassicalMDS``, or ``MDS`` from the same first map."""
    table = case is not None and isinstance(case.data, Distances)
    metric = "metric='precomputed'" if table else "metric='euclidean'"
    fitted = "data.table" if table else "X"
    if params.kind == "classical":
        return Counterpart(
            imports="from sklearn.manifold import ClassicalMDS",
            make=f"ClassicalMDS({params.dimensions}, {metric}).fit({fitted})",
            difference="np.abs(np.abs(theirs.embedding_) - np.abs(ours.model.embedding)).max() "
            "/ np.ptp(ours.model.embedding)",
            measure="largest difference of a coordinate, by their range and up to sign",
            target=False,
            estimator=False,
        )
    first = None if case is None else case.first_model(lambda model: model.descended)
    by_order = params.kind == "non-metric"
    if first is None or (params.descent == SQUARED and not by_order):
        return None
    if by_order:
        return Counterpart(
            imports="from sklearn.manifold import MDS",
            make=f"MDS({params.dimensions}, metric_mds=False, {metric}, n_init=1, init='random', random_state=0, "
            f"max_iter={params.max_steps}, eps=0, normalized_stress=True).fit({fitted}, "
            f"init={array_source(first.embedding)})",
            difference="theirs.stress_ - ours.model.stress",
            measure="difference in the stress",
            target=False,
            caveat="It measures the stress before the last monotone fit, and does not stop at a tolerance.",
            estimator=False,
        )
    make = (
        f"MDS({params.dimensions}, {metric}, n_init=1, init='random', random_state=0, max_iter={params.max_steps}, "
        f"eps=0, normalized_stress=False).fit({fitted}, init={array_source(first.embedding)})"
    )
    return Counterpart(
        imports="from sklearn.manifold import MDS",
        make=make,
        difference="np.sqrt(2 * theirs.stress_ / np.square(theirs.dissimilarity_matrix_).sum()) - ours.model.stress",
        measure="difference in the stress",
        target=False,
        caveat="It does not stop where a step lowers the stress by less than the tolerance.",
        estimator=False,
    )


ALGORITHM = Algorithm(
    key="mds",
    title="Multidimensional scaling",
    family="embedding",
    summary="Draws a map from nothing but a table of distances: how far apart things are, but not where.",
    params=Params,
    run=run,
    accepts=(Distances, Points),
    explain=explain,
    transform=transform,
    counterpart=counterpart,
    panels=(
        Panel("embedding", "Map", x="coordinate 1", y="coordinate 2"),
        Panel("plane", "Data", space="data"),
        Panel("table", "Table", x="row", y="row"),
        Panel("spectrum", "Eigenvalues", x="number", y="eigenvalue"),
        Panel("shepard", "Shepard plot", x="distance asked for", y="distance in the map"),
    ),
    metrics=(
        Metric("stress", "stress", group="stress"),
        Metric("squared_stress", "squared stress", group="stress"),
        Metric("residual", "residual variance of the map", group="map", better="neither"),
        Metric("negative", "most negative eigenvalue / largest", group="negative", better="neither"),
    ),
    pseudocode=(
        Line("D ← table of distances; all z ← 0", "start"),
        Line("A ← D², entry by entry", "square"),
        Line("B ← -½ H A H,  H = I - 1/n", "centre"),
        Line("l, V ← eigenvalues and vectors of B, the largest first", "eigen"),
        Line("z_i ← (√l_1 V_i1, √l_2 V_i2, ...): stress {stress}", "coordinate"),
        Line("or z ← random positions, then again and again:"),
        Line("    z ← minimum of a quadratic above the stress {stress}", "majorise"),
        Line("    z ← z - step · gradient of the stress {stress}", "descend"),
        Line("    D ← monotone, nearest to |z_i - z_j|; z ← minimum: {stress}", "order"),
        Line("return z: residual variance {residual}", "result"),
    ),
    reference="Handbook §3.1.2; Methods for Data Science §12.5.2; Hastie, Tibshirani, Friedman, The Elements of "
    "Statistical Learning §14.8; Borg, Groenen, Modern Multidimensional Scaling; Torgerson, Psychometrika 17, 1952; "
    "Kruskal, Psychometrika 29, 1964",
    most=solver.MOST_ROWS,
    example="cities()",
    synonyms=(
        "MDS",
        "principal coordinates",
        "PCoA",
        "Torgerson scaling",
        "SMACOF",
        "stress",
        "Shepard plot",
        "Kruskal",
        "NMDS",
        "dissimilarity",
        "similarity",
    ),
    formulas=(
        r"B = -\frac{1}{2} H D^{2} H, \qquad H = I - \frac{1}{n} \mathbf{1}\mathbf{1}^{\top}",
        r"z_i = \left( \sqrt{\lambda_1}\, V_{i1}, \ldots, \sqrt{\lambda_m}\, V_{im} \right), \qquad B = V \Lambda "
        r"V^{\top}",
        r"\text{stress} = \sum_{i < j} \left( \|z_i - z_j\| - D_{ij} \right)^2",
        r"\text{non-metric:}\quad \sqrt{ \sum_{i<j} \left( \|z_i - z_j\| - \hat{d}_{ij} \right)^2 \Big/ "
        r"\sum_{i<j} \|z_i - z_j\|^2 }, \qquad D_{ij} < D_{kl} \Rightarrow \hat{d}_{ij} \le \hat{d}_{kl}",
    ),
    tries=(
        Try(
            "Europe from its distances: the map is right up to turning and mirroring, its distances to less than 1 %.",
            "cities()",
            {"kind": "classical"},
            shows=lambda played: played.final("stress") < 0.01,
        ),
        Try(
            "Roads lead around mountains and seas: B has negative eigenvalues, and no map shows all distances.",
            "cities_by_road()",
            {"kind": "classical"},
            shows=lambda played: played.final("negative") > 0.1 and played.but(dimensions=3).final("stress") > 0.03,
        ),
        Try(
            "From random positions down the stress, which ends lower than in the map of classical scaling.",
            "cities()",
            {"kind": "metric"},
            shows=lambda played: played.final("stress") < played.but(kind="classical").final("stress"),
        ),
        Try(
            "Only the order of the distances is used, and still the map has the form of the map of classical scaling.",
            "cities()",
            {"kind": "non-metric", "begin": "classical scaling"},
            shows=lambda played: (
                maps.procrustes(played.but(kind="classical").model.embedding, played.model.embedding).residual < 0.001
            ),
        ),
    ),
)
