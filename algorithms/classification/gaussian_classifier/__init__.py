"""Gaussian classifier: one bell for each class, and a point belongs to the class whose bell is highest there.

Each class gets the Gaussian that makes its points most likely, which has their mean and their covariance. Weighted with
how frequent the class is, the densities are compared, and the largest one wins:

    f(x) = argmax_k P(k) g(x; μ_k, Σ_k),      g(x; μ, Σ) = ((2π)^d det Σ)^(-1/2) exp(-½ (x - μ)ᵀ Σ⁻¹ (x - μ))

What is assumed about Σ decides what the boundary looks like. With an own covariance for each class the difference of
the logarithms is a quadratic, and the boundary a conic (quadratic discriminant analysis). When all classes share one,
the quadratic parts cancel and a line is left (linear discriminant analysis). Ellipses along the axes are naive
Bayes, circles ignore the scales of the features, and with circles of one size and equal priors the nearest mean wins.
Fewer numbers have to be estimated with each assumption, at the price of being wrong when it does not hold.

For a shared covariance all that matters happens along one direction, Fisher's: of all directions it has the largest
scatter of the means beside the scatter within the classes, and the histograms on it show how well the classes are
separated.

Reference: Bishop, Pattern Recognition and Machine Learning, sections 4.1.4 and 4.2; Hastie, Tibshirani and Friedman,
The Elements of Statistical Learning, section 4.3; Fisher 1936; Friedman 1989 for the shrinkage; Statistical Machine
Learning (Orbanz), A very simple classifier (one slide prints 2π for (2π)^d, and asks for the same multiple of the
identity where any common covariance gives a hyperplane).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.gaussian_classifier import words
from algorithms.classification.gaussian_classifier.solver import (
    Assumption,
    Spread,
    assumed,
    fisher,
    whitened,
)
from algorithms.classification.gaussian_classifier.views import views
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
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Item, Points
from algorithms.maths import gaussians
from algorithms.maths.counting import Moments, Queue, priors_of
from algorithms.maths.distances import refuse_extremes
from algorithms.params import Advanced, Between, Doc, When

TURN = 5
"""Frames in which the ellipses turn into those that are assumed."""


@dataclass(frozen=True, slots=True)
class Params:
    """What is assumed about the classes."""

    covariance: Annotated[
        Assumption,
        Doc(
            "What is assumed: an ellipse for each class, one for all, ellipses along the axes, circles, or only the "
            "distance to the mean."
        ),
    ] = "own"
    priors: Annotated[
        Literal["class frequencies", "equal", "by hand"],
        Doc("How probable a class is before the point is seen; for the nearest mean all classes are equally probable."),
    ] = "class frequencies"
    weights: Annotated[
        tuple[float, ...],
        Between(0.0, 1000.0),
        When("priors", "by hand"),
        Doc("One number for each class, in their order; the priors are in proportion to them."),
    ] = ()
    shrinkage: Annotated[
        float,
        Between(0.0, 1.0),
        Doc("How far every ellipse is drawn towards a circle of its mean variance: helps where points are few."),
    ] = 0.0
    divisor: Annotated[
        Literal["n", "n - 1"],
        Advanced,
        Doc("Divide the squares by n, which is most likely, or by n - 1, which is right on average."),
    ] = "n"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """One Gaussian for each class; a class that has not been seen yet has the prior 0."""

    priors: Array  # (c,)
    means: Array  # (c, d)
    covariances: Array  # (c, d, d)
    factors: Array  # (c, d, d) with |A(x - μ)|² = (x - μ)ᵀ Σ⁻¹ (x - μ)
    log_determinants: Array  # (c,) of the covariances
    counts: Array  # (c,) points counted in
    centre: Array  # (d,) the mean of all points
    direction: Array  # (d,) Fisher's, along which the classes have the spread 1; zeros where there is none
    ratio: float  # the scatter of the means along it, beside that within the classes


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    params: Params
    spread: Spread


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a frame shows beside the Gaussians."""

    direction: Array  # (d,) Fisher's, of the points counted in
    newest: Array | None = None  # the points counted in last, None when all have been
    fraction: float = 1.0  # of the way to the covariances that are assumed
    borrowed: Array | None = None  # (c,) bool, at the end: the classes that have the covariance of all points
    flat: bool = False  # a class lies in a line or a plane


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Count the points in, each into the ellipse of its class; then turn the ellipses into what is assumed."""
    y, classes = data.class_numbers("The Gaussian classifier"), len(data.classes)
    columns = np.ascontiguousarray(data.X.T)
    refuse_extremes(columns.T)
    spread = Spread.of(columns)
    given, queue = Given(data, params, spread), Queue.of(columns, y, classes, spread.mean)
    moments, error = Moments.none(classes, spread.mean), math.nan
    model = _model(spread, moments, *_assumed(given, moments, "own"))
    yield _shot(given, "start", model, error, Shown(model.direction))
    for moments, new in queue.counted_in(spread.mean):
        model = _model(spread, moments, *_assumed(given, moments, "own"))
        error = _error(model, queue, new.stop)
        yield _shot(given, "count", model, error, Shown(fisher(moments, spread)[0], queue.order[new]))
    direction, ratio = fisher(moments, spread)
    before, after = (_assumed(given, moments, name) for name in ("own", params.covariance))
    for fraction in np.linspace(0.0, 1.0, TURN)[1:].tolist() if params.covariance != "own" else ():
        turned = [(1.0 - fraction) * was + fraction * wanted for was, wanted in zip(before, after)]
        model = _model(spread, moments, *(turned if fraction < 1.0 else after))
        error = _error(model, queue, data.n)
        yield _shot(given, "assume", model, error, Shown(direction, fraction=fraction))
    model = replace(model, direction=direction, ratio=ratio)
    covariances, borrowed = _covariances(given, moments, params.covariance)
    flat = bool((whitened(covariances, spread).flat & ~borrowed).any())
    yield _shot(given, "done", model, error, Shown(direction, borrowed=borrowed, flat=flat))
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, error: float, shown: Shown) -> Shot:
    return Snapshot(given, phase, model, {"error": error, "counted": int(model.counts.sum())}, shown)


def _assumed(given: Given, moments: Moments, assumption: Assumption) -> tuple[Array, Array]:
    """The covariances (c, d, d) and the priors (c,) of what has been counted, as far as they may differ."""
    rule = "equal" if assumption == "nearest mean" else given.params.priors
    return _covariances(given, moments, assumption)[0], priors_of(moments.counts, rule, given.params.weights)


def _covariances(given: Given, moments: Moments, assumption: Assumption) -> tuple[Array, Array]:
    return assumed(moments, given.spread, assumption, given.params.shrinkage, given.params.divisor == "n - 1")


def _model(spread: Spread, moments: Moments, covariances: Array, priors: Array) -> Model:
    """The Gaussians with these covariances around the means of what has been counted."""
    covariances, factors, sizes, _ = whitened(covariances, spread)
    nowhere = np.zeros(len(spread.mean))
    return Model(priors, moments.means, covariances, factors, sizes, moments.counts, spread.mean, nowhere, 0.0)


def _error(model: Model, queue: Queue, count: int) -> float:
    """The fraction of the first points that are misclassified."""
    joint = _log_joint(model, queue.columns[:, :count])
    return float(np.count_nonzero(gaussians.largest_rows(joint) != queue.y[:count])) / count


def log_joint(model: Model, X: Array) -> Array:
    """The logarithms of P(k) g(x; μ_k, Σ_k), (c, n); -inf for a class without a prior."""
    return _log_joint(model, np.ascontiguousarray((X - model.centre).T))


def _log_joint(model: Model, columns: Array) -> Array:
    """The same for points feature by feature, (d, n), seen from the centre."""
    with np.errstate(divide="ignore"):
        levels = np.log(model.priors) - 0.5 * (len(columns) * math.log(2.0 * math.pi) + model.log_determinants)
    values = gaussians.squared_mahalanobis(columns, model.means - model.centre, model.factors)
    values *= -0.5
    values += levels[:, None]
    return values


def predict(model: Model, X: Array) -> Array:
    """The class (n,) with the greatest probability; the lowest number in a tie."""
    return gaussians.largest_rows(log_joint(model, X))


def field(model: Model, X: Array) -> Array:
    """The probability of the second of two classes, (n,), or of every class, (n, c)."""
    posteriors = gaussians.softmax(log_joint(model, X))[0]
    return posteriors[1] if len(posteriors) == 2 else np.ascontiguousarray(posteriors.T)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The probabilities, the distances, and what the log-odds are made of."""
    projected = float((item.x - model.centre) @ model.direction)
    if not model.counts.any():
        return {"class": "not known before a point has been counted in"}
    return words.explanation(model, data, item.x, log_joint(model, item.x[None])[:, 0], projected)


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    """New points: the class drawn with the priors, then the point from its Gaussian."""
    classes = rng.choice(len(model.priors), size=n, p=model.priors / model.priors.sum())
    factors = np.linalg.cholesky(model.covariances)
    noise = rng.standard_normal((n, model.means.shape[1]))
    X = model.means[classes] + np.einsum("nij,nj->ni", factors[classes], noise)
    names = tuple(f"class {number}" for number in range(1, len(model.priors) + 1))
    return Points(X, classes, classes=names, name="drawn from the Gaussians")


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's discriminant analyses, its naive Bayes and its nearest centroid; circles it does not have."""
    classes = "len(np.unique(y))"
    priors = {"equal": f"np.full({classes}, 1 / {classes})", "class frequencies": "None"}.get(params.priors)
    if params.covariance == "spherical" or (priors is None and params.covariance != "nearest mean"):
        return None
    caveat, analysis = "", "from sklearn.discriminant_analysis import "
    if params.covariance == "nearest mean":
        imports, make = "from sklearn.neighbors import NearestCentroid", "NearestCentroid()"
    elif params.shrinkage > 0.0 and params.covariance != "shared":
        return None
    elif params.covariance == "own":
        imports, make = analysis + "QuadraticDiscriminantAnalysis", f"QuadraticDiscriminantAnalysis(priors={priors})"
        caveat = "Before version 1.8 it divides by n - 1." if params.divisor == "n" else "It divides by n."
    elif params.covariance == "shared":
        shrinkage = repr(params.shrinkage) if params.shrinkage > 0.0 else "None"
        imports = analysis + "LinearDiscriminantAnalysis"
        make = f"LinearDiscriminantAnalysis(solver='lsqr', shrinkage={shrinkage}, priors={priors})"
        caveat = "" if priors == "None" else "It weighs the covariances of the classes with the priors."
    else:
        imports = "from sklearn.naive_bayes import GaussianNB"
        make = f"GaussianNB(priors={priors}, var_smoothing=1e-9)"
        caveat = "It divides by n." if params.divisor != "n" else ""
    return Counterpart(
        imports=imports,
        make=make,
        difference=SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)"),
        measure="fraction of points predicted differently",
        caveat=caveat,
    )


ALGORITHM = Algorithm(
    key="gaussian_classifier",
    title="Gaussian classifier",
    family="classification",
    summary="One Gaussian for each class; assumptions about their covariances make a conic or a line of the boundary.",
    params=Params,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    sample=sample,
    counterpart=counterpart,
    target="classes",
    synonyms=(
        "QDA",
        "LDA",
        "quadratic discriminant analysis",
        "linear discriminant analysis",
        "Fisher discriminant",
        "nearest centroid",
        "Gaussian naive Bayes",
    ),
    panels=(
        Panel("plane", "Ellipses and boundary", "data"),
        Panel("fisher", "On Fisher's direction", x="position along the direction", y="prior × density", reserved=True),
    ),
    metrics=(
        Metric("error", "misclassified, of the points counted in", group="error"),
        Metric("counted", "points counted in", group="points", better="neither"),
    ),
    pseudocode=(
        Line("every class: the Gaussian of all points", "start"),
        Line("for each point x of class k:   ({counted} counted)"),
        Line("    count it into the mean μ_k and the covariance Σ_k", "count"),
        Line("turn the covariances into what is assumed: own, shared, diagonal, round", "assume"),
        Line("boundary: where P(k) g(x; μ_k, Σ_k) is equal for two classes   (error {error})", "done"),
    ),
    reference="Bishop, Pattern Recognition and Machine Learning, sections 4.1.4 and 4.2; Hastie, Tibshirani and "
    "Friedman, The Elements of Statistical Learning, section 4.3; Fisher 1936; Friedman 1989; Statistical Machine "
    "Learning (Orbanz), A very simple classifier, Maximum likelihood",
    example="blobs_anisotropic(n=300,centres=2,parallel=False,noise=1.4,stretch=6,spread=4,seed=3)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("What fraction of the points is misclassified after the next ones?", "count", "metrics.error"),
        Question("Where does Fisher's direction point after the next points?", "count", "shown.direction"),
    ),
)
