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
scatter of the means beside the scatter within the classes, and the histograms on it show how well the classes part.

Orbanz slides (a very simple classifier; maximum likelihood; the determinant needs (2π)^d, one slide prints 2π); the
slides say that the boundary is a hyperplane if both covariances are the same multiple of the identity: any common
covariance will do. Fisher 1936; Friedman 1989 for the shrinkage.
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
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
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
class _Context:
    """What stays the same during a run."""

    data: Points
    params: Params
    spread: Spread

    def assumed(self, moments: Moments, assumption: Assumption) -> tuple[Array, Array]:
        """The covariances (c, d, d) and the priors (c,) of what has been counted, as far as they may differ."""
        rule = "equal" if assumption == "nearest mean" else self.params.priors
        return self._covariances(moments, assumption)[0], priors_of(moments.counts, rule, self.params.weights)

    def model(self, moments: Moments, covariances: Array, priors: Array) -> Model:
        """The Gaussians with these covariances around the means of what has been counted."""
        covariances, factors, sizes, _ = whitened(covariances, self.spread)
        centre = self.spread.mean
        nowhere = np.zeros(len(centre))
        return Model(priors, moments.means, covariances, factors, sizes, moments.counts, centre, nowhere, 0.0)

    def warning(self, moments: Moments) -> str:
        """What is doubtful about the Gaussians."""
        covariances, borrowed = self._covariances(moments, self.params.covariance)
        flat = whitened(covariances, self.spread).flat & ~borrowed
        return words.warning(self.data, borrowed, bool(flat.any()), moments.counts)

    def _covariances(self, moments: Moments, assumption: Assumption) -> tuple[Array, Array]:
        return assumed(moments, self.spread, assumption, self.params.shrinkage, self.params.divisor == "n - 1")

    def frame(
        self,
        model: Model,
        moments: Moments,
        error: float,
        phase: str,
        caption: str,
        warning: str = "",
        newest: Array | None = None,
    ) -> DrawnSnapshot:
        """The state as a frame; on Fisher's direction the boundary is seen when there is one at the end."""
        threshold = _threshold(model, self.params) if phase == "done" else None
        drawn = LazyViews(views, model, moments, self.spread, self.data, newest, threshold)
        metrics = {"error": error, "counted": float(moments.counted)}
        return DrawnSnapshot(model, drawn, metrics, phase, caption, warning)


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Count the points in, each into the ellipse of its class; then turn the ellipses into what is assumed."""
    y, classes = data.class_numbers("The Gaussian classifier"), len(data.classes)
    columns = np.ascontiguousarray(data.X.T)
    refuse_extremes(columns.T)
    spread = Spread.of(columns)
    queue, run_of = Queue.of(columns, y, classes, spread.mean), _Context(data, params, spread)
    moments = Moments.none(classes, spread.mean)
    own = run_of.model(moments, *run_of.assumed(moments, "own"))
    caption = f"No point has been counted in: each of the {classes} classes has the Gaussian of all points."
    yield run_of.frame(own, moments, 0.0, "start", caption)
    for moments, new in queue.counted_in(spread.mean):
        own = run_of.model(moments, *run_of.assumed(moments, "own"))
        error = _error(own, queue, new.stop)
        caption = words.counting(own, data.classes, int(queue.y[new.stop - 1]), error)
        yield run_of.frame(own, moments, error, "count", caption, newest=queue.order[new])
    model = own
    before, after = (run_of.assumed(moments, name) for name in ("own", params.covariance))
    for fraction in np.linspace(0.0, 1.0, TURN)[1:].tolist() if params.covariance != "own" else ():
        turned = [(1.0 - fraction) * was + fraction * wanted for was, wanted in zip(before, after)]
        model = run_of.model(moments, *(turned if fraction < 1.0 else after))
        error = _error(model, queue, data.n)
        caption = words.assumption(model, params.covariance, fraction, error)
        yield run_of.frame(model, moments, error, "assume", caption)
    direction, ratio = fisher(moments, spread)
    model = replace(model, direction=direction, ratio=ratio)
    yield run_of.frame(model, moments, error, "done", words.conclusion(model, data, error), run_of.warning(moments))
    return Stop.COMPLETE


def _error(model: Model, queue: Queue, count: int) -> float:
    """The fraction of the first points that are on the wrong side."""
    joint = _log_joint(model, queue.columns[:, :count])
    return float(np.count_nonzero(gaussians.largest_rows(joint) != queue.y[:count])) / count


def _threshold(model: Model, params: Params) -> float | None:
    """Where the line of two classes that share a covariance crosses Fisher's direction; None for anything else."""
    seen = np.flatnonzero(model.priors)
    if params.covariance != "shared" or params.shrinkage > 0.0 or len(seen) != 2 or not model.direction.any():
        return None
    one, two = (model.means[seen] - model.centre) @ model.direction
    if two <= one:
        return None
    variance = float(model.direction @ model.covariances[seen[0]] @ model.direction)
    return float((one + two) / 2.0 + variance * np.log(model.priors[seen[0]] / model.priors[seen[1]]) / (two - one))


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
        Metric("error", "wrong, of the points counted in", group="error"),
        Metric("counted", "points counted in", group="points", better="neither"),
    ),
    pseudocode=(
        Line("every class: the Gaussian of all points", "start"),
        Line("for each point x of class k:   ({counted} counted)"),
        Line("    count it into the mean μ_k and the covariance Σ_k", "count"),
        Line("turn the covariances into what is assumed: own, shared, diagonal, round", "assume"),
        Line("boundary: where P(k) g(x; μ_k, Σ_k) is equal for two classes   (error {error})", "done"),
    ),
    reference="Statistical Machine Learning (Orbanz), A very simple classifier, Maximum likelihood; Fisher 1936; "
    "Friedman 1989",
    example="blobs_anisotropic(n=300,centres=2,parallel=False,noise=1.4,stretch=6,spread=4,seed=3)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
