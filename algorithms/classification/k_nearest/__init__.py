"""k nearest neighbours: a new point is what most of the k training points around it are.

Nothing is learned: all points are kept, and when a query comes, a ball around it grows until it holds k of them. They
vote with their classes, one vote each or the more the nearer they are, or the mean of their values is the answer:

    f(x) = argmax_c Σ_{i in N_k(x)} w_i [y_i = c]        f(x) = Σ w_i y_i / Σ w_i         w_i = 1, or 1 / d(x, x_i)

With k = 1 each point rules its Voronoi cell and no training point is wrong, which says nothing about new ones; with
k = n everything gets the majority. In between lies the k with the smallest error on points that are left out. What is
near depends on the metric and on the scales of the features: standardise them if they are not comparable. In many
dimensions all points are almost equally far away, and the word loses its meaning.

Two rules make the answer unique. Of points at the same distance the one with the lower number is nearer. When classes
have equally many votes, the nearest neighbour among theirs decides. A value that does not occur counts, for Hamming's
distance, as the nearest one that does.

Reference: Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, section 13.3; Cover and Hart 1967;
Beyer et al. 1999 for the distances in many dimensions; Methods for Data Science, sections 3.1 and 3.3; Introduction
to Machine Learning, section 8.1.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.classification.k_nearest import words
from algorithms.classification.k_nearest.solver import (
    Answer,
    Errors,
    Weights,
    contrast,
    errors_over_k,
    votes_of,
    weights_of,
    winners,
)
from algorithms.classification.k_nearest.views import views
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
)
from algorithms.counterpart import SAME_LABELS, SAME_VALUES
from algorithms.data import Array, DataError, Item, Points
from algorithms.maths.distances import refuse_extremes
from algorithms.maths.nearest_points import MetricName, search_in
from algorithms.params import Advanced, Between, Doc, Handles, PointList

SINGLY = 24
"""Frames in which the ball grows: neighbour by neighbour, or by several where there are more."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    k: Annotated[int, Between(1, 500), Doc("How many neighbours vote.")] = 5
    metric: Annotated[
        MetricName,
        Doc("What is near: straight lines, along the axes, the angle between directions, or how many features differ."),
    ] = "euclidean"
    weights: Annotated[
        Weights, Doc("Whether every neighbour has one vote, or the more the nearer it is (1 / distance).")
    ] = "uniform"
    query: Annotated[
        PointList, Handles, Doc("The place that is asked about; drag it. Without one it lies between two classes.")
    ] = ()
    curve: Annotated[int, Between(1, 200), Advanced, Doc("The errors are worked out for k = 1 up to this number.")] = 60


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """All points, and how they are to be asked."""

    X: Array  # (n, d)
    y: Array  # (n,) class numbers, or values
    classes: int  # 0 where the target is a value
    k: int
    metric: MetricName
    weights: Weights


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the query has been answered so far, and how good such answers are."""

    answer: Answer
    errors: Errors | None = None
    ratio: float = 1.0  # the distance of the nearest point beside that of the farthest
    seed: int | None = None  # of the random points with which it is compared


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Ask for the neighbours of the query one after the other; then how good such answers are."""
    refuse_extremes(data.X)
    model, given = model_of(data, params.k, params.metric, params.weights), Given(data)
    answer = ask(model, _query(data, params))
    yield _shot(given, "query", model, Shown(answer))
    k = len(answer.points)
    for j in np.unique(np.rint(np.linspace(1, k, min(k, SINGLY))).astype(int)).tolist():
        yield _shot(given, "neighbour", model, Shown(answer.first(j)))
    yield _shot(given, "vote", model, Shown(answer))
    errors = _errors(data, params.metric, params.weights, params.curve)
    yield _shot(given, "errors", model, Shown(answer, errors))
    ratio, seed = contrast(data.X, answer.query, params.metric), int(rng.integers(1 << 32))
    yield _shot(given, "concentration", model, Shown(answer, errors, ratio, seed))
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    return Snapshot(given, phase, model, {"radius": shown.answer.radius, "score": shown.answer.score}, shown)


@functools.lru_cache(maxsize=4)
def model_of(data: Points, k: int, metric: MetricName, weights: Weights) -> Model:
    """The points as they are asked. The same model for every query, so that what was drawn of it stays true."""
    if data.y is None:
        raise DataError("k nearest neighbours needs a class or a value for every point; this data set has none.")
    return Model(data.X, data.y, len(data.classes), k, metric, weights)


@functools.lru_cache(maxsize=4)
def _errors(data: Points, metric: MetricName, weights: Weights, most: int) -> Errors | None:
    """The errors over k; dragging a query does not change them."""
    return errors_over_k(data, metric, weights, most)


def ask(model: Model, query: Array) -> Answer:
    """The neighbours of a place and their votes."""
    found = search_in(model.X, model.metric).nearest(query[None], model.k)
    counts = weights_of(found.distances, model.weights)[0]
    points = found.points[0]
    return Answer(query, points, found.distances[0], counts, model.y[points], model.classes)


def _query(data: Points, params: Params) -> Array:
    """The place that is asked about, as far as it fits the data: the one that was set, or one between two classes."""
    if params.query and len(params.query[0]) == data.d:
        query = np.array(params.query[0])
    else:
        query = _between(data)
    if params.metric == "hamming":
        nearest = np.abs(data.X - query).argmin(axis=0)
        query = data.X[nearest, np.arange(data.d)]
    return query


@functools.lru_cache(maxsize=2)
def _between(data: Points) -> Array:
    """Halfway from the first point to the nearest one of another class; the mean where there are no classes."""
    if data.groups is not None:
        others = np.flatnonzero(data.groups != data.groups[0])
        if len(others):
            nearest = others[np.square(data.X[others] - data.X[0]).sum(axis=1).argmin()]
            return (data.X[0] + data.X[nearest]) / 2.0
    return data.X.mean(axis=0)


def _fractions(model: Model, X: Array) -> tuple[Array, Array]:
    """The votes (m, c) for every row, and the classes (m, k) of its neighbours."""
    distances, points = search_in(model.X, model.metric).nearest(X, model.k)
    labels = model.y[points]
    return votes_of(labels, weights_of(distances, model.weights), model.classes), labels


def predict(model: Model, X: Array) -> Array:
    """The class (m,) with most votes, in a tie that of the nearest neighbour among theirs; or the mean value."""
    return winners(*_fractions(model, X)) if model.classes else field(model, X)


def field(model: Model, X: Array) -> Array:
    """The fraction of the votes for the second of two classes, (m,), or for every class, (m, c); or the mean value."""
    if model.classes == 0 or (model.classes == 2 and model.weights == "uniform"):
        distances, points = search_in(model.X, model.metric).nearest(X, model.k)
        counts = weights_of(distances, model.weights)
        return np.einsum("mk,mk->m", counts, model.y[points]) / counts.sum(axis=1)
    votes = _fractions(model, X)[0]
    votes = votes / votes.sum(axis=1, keepdims=True)
    return votes[:, 1] if model.classes == 2 else votes


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The neighbours and their votes. A training point is its own nearest one."""
    found = search_in(model.X, model.metric).nearest(item.x[None], model.k)
    answer = predict(model, item.x[None])[0]
    votes = _fractions(model, item.x[None])[0][0] if model.classes else np.empty(0)
    return words.explanation(model, data, found, votes, answer)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``KNeighborsClassifier`` or ``KNeighborsRegressor``."""
    valued = case is not None and isinstance(case.data, Points) and case.data.is_valued
    kind = "KNeighborsRegressor" if valued else "KNeighborsClassifier"
    k = params.k if case is None else min(params.k, case.data.n)
    labels = SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)")
    return Counterpart(
        imports=f"from sklearn.neighbors import {kind}",
        make=f"{kind}(n_neighbors={k}, metric={params.metric!r}, weights={params.weights!r})",
        difference=SAME_VALUES if valued else labels,
        measure="largest difference" if valued else "fraction of points predicted differently",
        caveat="Ties are settled by another rule there: the class with the lowest number, and any of the points.",
    )


ALGORITHM = Algorithm(
    key="k_nearest",
    title="k nearest neighbours",
    family="classification",
    summary="A new point is what most of the k points around it are; nothing is learned before it is asked.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    counterpart=counterpart,
    target="any",
    lazy=True,
    synonyms=(
        "kNN",
        "KNN",
        "nearest neighbour",
        "KNeighborsClassifier",
        "Voronoi",
        "instance-based",
        "Hamming distance",
    ),
    panels=(
        Panel("plane", "The query and its neighbours", "data"),
        Panel("pictures", "Neighbours", "none", pictures=True),
        Panel("votes", "Votes", y="votes, or values"),
        Panel("neighbours", "Neighbours", "none"),
        Panel("errors", "Errors over k", x="k", y="error", integer_x=True),
        Panel("concentration", "Near and far", x="features", y="near : far", log_x=True),
    ),
    metrics=(
        Metric("radius", "radius of the ball", group="radius", better="neither"),
        Metric("score", "fraction of the winner, or value", group="score", better="neither"),
    ),
    pseudocode=(
        Line("keep all points; wait for a query x", "query"),
        Line("let a ball around x grow until it holds k points   (radius {radius})", "neighbour"),
        Line("the k points vote, or the mean of their values is taken   ({score})", "vote"),
        Line("choose k: the error on points that were left out", "errors"),
        Line("beware of many features: all points are equally far", "concentration"),
    ),
    reference="Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, section 13.3; Cover and Hart "
    "1967; Beyer et al. 1999; Methods for Data Science §3.1, §3.3; Introduction to Machine Learning §8.1",
    example="moons(n=200,noise=0.25,seed=1)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How far does the ball reach when it holds the next neighbour?", "neighbour", "metrics.radius"),
        Question("What fraction of the votes has the leading class after the next one?", "neighbour", "metrics.score"),
    ),
)
