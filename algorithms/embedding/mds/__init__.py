"""Multidimensional scaling: a map from nothing but a table of distances.

It is known how far apart objects are, but not where they are. Classical scaling squares the distances and
centres the table; what results would be the inner products of centred points, and its eigenvectors are their
coordinates:

    B = -1/2 H D^2 H,  H = I - 1/n,     z_i = (sqrt(l_1) V_i1, ..., sqrt(l_m) V_im)

Distances do not say where north is: the map may be turned and mirrored. When D holds straight distances it is
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
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    FrozenDict,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import array_source
from algorithms.data import Array, Data, Distances, Item, Points
from algorithms.embedding.mds import solver, views, words
from algorithms.embedding.mds.solver.stress import Misfit, Wanted, centred
from algorithms.maths import maps
from algorithms.maths.scaling import centred_products, coordinates, gower
from algorithms.params import Advanced, Between, Doc, Log, When

GROW = 8
"""Frames in which a coordinate grows."""
DIVERGED = 10.0
"""A stress of so many times that of a map with all points in one place is a map that flies apart."""
SWINGS = 1.01
"""A last stress of more than this times the lowest one before has not been gone down to."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Data
    params: Params
    unit: float  # the largest distance, which is 1 in what is computed
    longest: tuple[int, int]  # the two that are so far apart
    pairs: maps.Pairs  # of the Shepard plot
    rows: Array  # (r,) of the tables that are shown, in this order
    tables: FrozenDict  # name to (r, r): the distances, of which the largest is 1, and what is made of them


@dataclass(frozen=True, slots=True)
class Shown:
    """Which table is shown, the coordinate that grows, and how far the descent is."""

    table: str = "distances"
    coordinate: int = 0
    fraction: float = 0.0
    step: int = 0
    best: tuple[float, float] = (0.0, 0.0)  # stress and squared stress of classical scaling
    ended: Literal["", "converged", "ran out", "swings", "diverged"] = ""


Shot = Snapshot[Given, Model, Shown]


def run(data: Distances | Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Square the distances, centre the table, and turn its eigenvectors into coordinates; or go down the stress."""
    distances, unit = solver.distances_of(data, params.kind == "non-metric")
    wanted, sample = Wanted.of(distances), maps.SampledDistances.of(distances)
    products = centred_products(distances)
    given, model = _given(data, params, distances, products, unit, sample), _nothing_known(data, params.dimensions)
    yield _shot(given, "start", model, sample, Shown())
    yield _shot(given, "square", model, sample, Shown("square"))
    yield _shot(given, "centre", model, sample, Shown("rows"))
    model, shown = replace(model, norms=np.diagonal(products).copy() * unit**2), Shown("products")
    yield _shot(given, "centre", model, sample, shown)
    values, vectors = solver.spectrum(products)
    model = replace(model, eigenvalues=values * unit**2)
    yield _shot(given, "eigen", model, sample, shown)
    places = solver.upright(coordinates(values, vectors, params.dimensions))
    if params.kind == "classical":
        for number, fraction, now in _coordinate_by_coordinate(places):
            model = _with_map(model, now, unit, wanted.stresses(now))
            yield _shot(given, "coordinate", model, sample, replace(shown, coordinate=number, fraction=fraction))
        yield _shot(given, "result", model, sample, shown)
        return Stop.COMPLETE
    descent = _Descent(given, sample, wanted, places)
    begin = centred(places) if params.begin == "classical scaling" else solver.random_map(wanted, places, rng)
    return (yield from (_by_order if params.kind == "non-metric" else _down_the_stress)(descent, model, begin))


def _given(
    data: Data, params: Params, distances: Array, products: Array, unit: float, sample: maps.SampledDistances
) -> Given:
    row, column = np.unravel_index(int(distances.argmax()), distances.shape)
    rows = views.shown_rows(data)
    shown = np.ix_(rows, rows)
    blocks = {
        "distances": distances[shown],
        "square": distances[shown] ** 2,
        "rows": solver.centred_rows(distances, rows),
        "products": products[shown],
    }
    return Given(data, params, unit, (int(row), int(column)), sample.pairs(unit), rows, FrozenDict(blocks))


def _nothing_known(data: Data, dimensions: int) -> Model:
    points = data.X if isinstance(data, Points) else None
    return Model(np.zeros((data.n, dimensions)), np.empty(0), 1.0, 1.0, np.zeros(data.n), points)


def _coordinate_by_coordinate(places: Array) -> Iterator[tuple[int, float, Array]]:
    """The map growing out of one place, along one eigenvector after the other: which, how far, and the map."""
    for number in range(places.shape[1]):
        for step in range(1, GROW + 1):
            now = np.where(np.arange(places.shape[1]) < number, places, 0.0)
            now[:, number] = maps.eased(step / GROW) * places[:, number]
            yield number, step / GROW, now


def _with_map(model: Model, places: Array, unit: float, stresses: tuple[float, float]) -> Model:
    return replace(model, embedding=places * unit, stress=stresses[0], squared_stress=stresses[1])


def _shot(given: Given, phase: str, model: Model, sample: maps.SampledDistances, shown: Shown) -> Shot:
    values, residual, negative = model.eigenvalues, np.nan, np.nan
    if model.embedding.any():
        residual = sample.quality(model.embedding / given.unit)[0]
    if len(values):
        negative = max(0.0, -float(values[-1])) / float(values[0]) if values[0] > 0.0 else 0.0
    numbers = {
        "stress": model.stress,
        "squared_stress": model.squared_stress,
        "residual": residual,
        "negative": negative,
    }
    return Snapshot(given, phase, model, numbers, shown)


# --- going down the stress --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Descent:
    """What a descent needs: the distances asked for, and the map of classical scaling, beside which it is shown."""

    given: Given
    sample: maps.SampledDistances
    wanted: Wanted
    classical: Array  # (n, dimensions)

    def shot(self, phase: str, model: Model, shown: Shown) -> Shot:
        """A frame of the descent."""
        return _shot(self.given, phase, model, self.sample, shown)

    def turned(self, model: Model, places: Array, stresses: tuple[float, float]) -> Model:
        """The model with this map, turned or mirrored to lie like that of classical scaling (Procrustes)."""
        lying = maps.turned(places, centred(self.classical))
        return replace(_with_map(model, lying, self.given.unit, stresses), descended=True)


def _down_the_stress(descent: _Descent, model: Model, places: Array) -> Run[Shot]:
    """Step after step down the stress."""
    params, wanted = descent.given.params, descent.wanted
    squared = params.descent == SQUARED
    phase = "majorise" if params.descent == "stress by majorisation" else "descend"
    shown = Shown(best=wanted.stresses(centred(descent.classical)))
    found = wanted.misfit(places, squared)
    model = descent.turned(model, places, (found.stress, found.squared_stress))
    yield descent.shot(phase, model, shown)
    lowest = now = _objective(found, squared)
    ended: Literal["converged", "ran out", "swings"] = "ran out"
    for step in range(1, params.max_steps + 1):
        length = 1.0 if phase == "majorise" else params.step
        if squared:
            length *= wanted.lowest_along(places, found.direction)
        places = centred(places + length * found.direction)
        before, found, shown = now, wanted.misfit(places, squared), replace(shown, step=step)
        now = _objective(found, squared)
        lowest = min(lowest, now)
        if not now < DIVERGED:
            yield descent.shot(phase, model, replace(shown, ended="diverged"))
            return Stop.DIVERGED
        model = descent.turned(model, places, (found.stress, found.squared_stress))
        yield descent.shot(phase, model, shown)
        if 0.0 <= before - now <= params.tol * before:
            ended = "converged"
            break
    if ended != "converged" and now > SWINGS * lowest:
        ended = "swings"
    best = wanted.stresses(descent.classical)
    yield descent.shot("result", model, replace(shown, best=best, ended=ended))
    return Stop.CONVERGED if ended == "converged" else Stop.LIMIT


def _by_order(descent: _Descent, model: Model, places: Array) -> Run[Shot]:
    """Step after step, each towards the increasing function of the distances that is nearest to those in the map."""
    params, ranks = descent.given.params, solver.Ranks.of(descent.wanted)
    classical = ranks.fitted(centred(descent.classical))
    fitted, target = ranks.fitted(places), descent.wanted.distances
    model = _ranked(descent, model, places, fitted)
    shown = Shown(best=(classical.stress, classical.squared_stress))
    yield descent.shot("order", model, shown)
    ended: Literal["converged", "ran out"] = "ran out"
    for step in range(1, params.max_steps + 1):
        places = centred(places + Wanted.of(target).misfit(places).direction)
        before, fitted, shown = fitted.stress, ranks.fitted(places), replace(shown, step=step)
        target = fitted.table
        model = _ranked(descent, model, places, fitted)
        yield descent.shot("order", model, shown)
        if step > 1 and 0.0 <= before - fitted.stress <= params.tol * before:
            ended = "converged"
            break
    yield descent.shot("result", model, replace(shown, ended=ended))
    return Stop.CONVERGED if ended == "converged" else Stop.LIMIT


def _ranked(descent: _Descent, model: Model, places: Array, fitted: solver.Fitted) -> Model:
    """The model with this map, and what the distances are replaced by."""
    model = descent.turned(model, places, (fitted.stress, fitted.squared_stress))
    return replace(model, rising=fitted.rising * descent.given.unit)


def _objective(found: Misfit, squared: bool) -> float:
    return found.squared_stress if squared else found.stress


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
    views=views.views,
    captions=words.CAPTIONS,
    warning=words.warning,
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
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How large is the stress in the next frame?", "coordinate", "metrics.stress"),
        Question("How large is the stress after the next step?", "majorise", "metrics.stress"),
        Question("How large is the residual variance of the map then?", "coordinate", "metrics.residual"),
    ),
)
