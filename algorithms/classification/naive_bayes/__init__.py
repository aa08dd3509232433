"""Naive Bayes: the features are taken as independent within a class, so their probabilities are multiplied.

To estimate how the features of a class depend on each other takes very many points. Naive Bayes assumes that they do
not: one small table or bell for each feature is enough, and all of it is learned by counting. Taken as logarithms,
every feature adds its part to the log-odds:

    P(k | x) = P(k) Π_j P(x_j | k) / Σ_l P(l) Π_j P(x_j | l)

How a feature is spread in a class is a choice. Gaussian: a bell with the mean and the variance (divided by N - 1) of
its values. Counting: how often every value occurs, for categories. Bernoulli: whether there is any. Multinomial: words
drawn one after the other, where what counts is how often each occurs. Histogram: how many fall into each bin.

A value that a class has never shown has the probability 0, and one zero makes the whole product zero. Laplace's
smoothing adds s to every count and s times the number of values to the total, so that the probabilities still add up
to 1.

Reference: Bishop, Pattern Recognition and Machine Learning, section 4.2.3; Manning, Raghavan and Schütze, Introduction
to Information Retrieval, chapter 13; Quinlan 1986 for the days of tennis; Statistical Machine Learning (Orbanz), Naive
Bayes, Estimation (the product runs over the features x_j); Methods for Data Science, section 5.1 (there the number of
features stands in place of the number of values); Machine Learning (Buhmann), slides 237-238 (15 intervals).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.naive_bayes import words
from algorithms.classification.naive_bayes.solver import (
    Encoding,
    Kind,
    counted_in,
    drawn_rows,
    overall_variances,
    posteriors,
    prepared,
    winners,
)
from algorithms.classification.naive_bayes.views import views
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
from algorithms.data import Array, DataError, Item, Points
from algorithms.maths.counting import priors_of
from algorithms.maths.distances import refuse_extremes
from algorithms.params import Between, Doc, UpTo, When

_COUNTED = ("counting", "bernoulli", "multinomial", "histogram")


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    kind: Annotated[
        Kind,
        Doc("How a feature is spread in a class: a bell, its values, yes or no, words that are drawn, or bins."),
    ] = "gaussian"
    smoothing: Annotated[
        float,
        Between(0.0, 10.0),
        When("kind", *_COUNTED),
        Doc("What is added to every count (Laplace: 1); with 0 a value that was never seen is impossible."),
    ] = 1.0
    bins: Annotated[int, Between(2, 100), When("kind", "histogram"), Doc("Into how many bins a feature is cut.")] = 15
    priors: Annotated[
        Literal["class frequencies", "equal"], Doc("How probable a class is before the features are seen.")
    ] = "class frequencies"
    feature: Annotated[int, Between(1, 500), UpTo("features"), Doc("Which feature is shown class by class.")] = 1
    point: Annotated[
        int,
        Between(1, 100_000),
        UpTo("items"),
        Doc("The point whose log-odds are bars while none is pointed at."),
    ] = 1


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Naive Bayes after so many points. What a kind does not need is empty."""

    kind: Kind
    priors: Array  # (c,)
    class_counts: Array  # (c,) points counted in
    means: Array  # (c, d)
    variances: Array  # (c, d)
    counts: Array  # (c, V) how often every value, or (c, d) every word, was counted in a class
    encoding: Encoding
    smoothing: float

    @property
    def log_table(self) -> Array:
        """The logarithms of P(value | class), (c, V); -inf where the probability is zero."""
        totals = self._totals()
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.log((self.counts + self.smoothing) / totals)
        # a class without points has no probabilities either, without smoothing: all values are equally probable then
        return np.where(totals > 0.0, table, -np.log(np.broadcast_to(self._values_of_cell(), table.shape)))

    def _totals(self) -> Array:
        """N_q + smoothing × (number of values): with that, and not with the number of features, they add up to 1."""
        if self.kind == "multinomial":
            return self.counts.sum(axis=1, keepdims=True) + self.smoothing * self.counts.shape[1]
        return self.class_counts[:, None] + self.smoothing * self._values_of_cell()

    def _values_of_cell(self) -> Array:
        """How many values the feature of each cell has, (V,)."""
        if self.kind == "multinomial":
            return np.full(self.counts.shape[1], float(self.counts.shape[1]))
        return np.repeat(self.encoding.sizes, self.encoding.sizes).astype(np.float64)

    @property
    def zeros(self) -> int:
        """How many of the probabilities of the classes that were seen are zero."""
        seen = self.class_counts > 0
        return int(np.count_nonzero(np.isneginf(self.log_table[seen]))) if self.counts.size else 0


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    feature: int  # that is shown class by class
    point: int  # whose log-odds are shown


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Which points have just been counted in."""

    newest: Array | None = None  # None when all have been


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Count the points in; then smooth what was counted, and classify."""
    y = data.class_numbers("Naive Bayes")
    if params.kind == "gaussian":
        refuse_extremes(data.X)
    none = priors_of(np.ones(len(data.classes)), "equal")
    model, error = _nothing_counted(data, params.kind, params.bins, params.smoothing, none), math.nan
    given = Given(data, min(params.feature, data.d) - 1, min(params.point, data.n) - 1)
    yield _shot(given, "start", model, error, Shown(np.empty(0, dtype=np.intp)))
    for counted, error, new in counted_in(data, y, model, params.priors):
        model = counted
        yield _shot(given, "count", model, error, Shown(new))
    if params.kind in _COUNTED:
        yield _shot(given, "smooth", model, error, Shown())
    yield _shot(given, "classify", model, error, Shown())
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, error: float, shown: Shown) -> Shot:
    return Snapshot(given, phase, model, {"error": error, "counted": int(model.class_counts.sum())}, shown)


def _nothing_counted(data: Points, kind: Kind, bins: int, smoothing: float, priors: Array) -> Model:
    """Before the first point: all classes are equal."""
    c, d = len(data.classes), data.d
    if kind == "multinomial" and float(data.X.min()) < 0.0:
        raise DataError(
            "Words cannot be counted less than zero times: multinomial needs features that are not negative."
        )
    none = Encoding(np.zeros(1, dtype=np.intp), np.empty(0), False)
    encoding = none if kind in ("gaussian", "multinomial") else Encoding.of(data, kind, bins)
    width = {"gaussian": 0, "multinomial": d}.get(kind, len(encoding.values))
    means, variances = np.empty((c, 0)), np.empty((c, 0))
    if kind == "gaussian":
        columns = np.ascontiguousarray(data.X.T)
        means, variances = np.tile(columns.mean(axis=1), (c, 1)), np.tile(overall_variances(columns), (c, 1))
    return Model(kind, priors, np.zeros(c, dtype=np.int64), means, variances, np.zeros((c, width)), encoding, smoothing)


def predict(model: Model, X: Array) -> Array:
    """The class (n,) with the greatest probability; the lowest number in a tie."""
    return winners(model, prepared(model, X))


def field(model: Model, X: Array) -> Array:
    """The probability of the second of two classes, (n,), or of every class, (n, c)."""
    found = posteriors(model, X)
    return found[1] if len(found) == 2 else np.ascontiguousarray(found.T)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The class, and how much every feature adds to its log-odds."""
    if not model.class_counts.any():
        return {"class": "not known before a point has been counted in"}
    return words.explanation(model, data, item.x)


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    """New points: the class drawn with the priors, then every feature on its own."""
    classes = rng.choice(len(model.priors), size=n, p=model.priors / model.priors.sum())
    names = tuple(f"class {number}" for number in range(1, len(model.priors) + 1))
    return Points(drawn_rows(model, classes, rng), classes, classes=names, name="drawn from naive Bayes")


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``GaussianNB``, ``CategoricalNB``, ``BernoulliNB`` or ``MultinomialNB``; bins it does not have."""
    if params.kind == "histogram" or (params.smoothing < 1e-10 and params.kind != "gaussian"):
        return None
    fitted = params.priors == "class frequencies"
    name = {"gaussian": "GaussianNB", "counting": "CategoricalNB", "bernoulli": "BernoulliNB"}.get(
        params.kind, "MultinomialNB"
    )
    equal = "priors=np.full(len(np.unique(y)), 1 / len(np.unique(y)))"
    if params.kind == "gaussian":
        make = f"GaussianNB({'' if fitted else equal})"
        caveat = "It divides the squares by N instead of N - 1."
    else:
        make = f"{name}(alpha={params.smoothing!r}, fit_prior={fitted})"
        caveat = "Its features must be whole numbers from 0 on." if params.kind == "counting" else ""
    return Counterpart(
        imports=f"from sklearn.naive_bayes import {name}",
        make=make,
        difference=SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)"),
        measure="fraction of points predicted differently",
        caveat=caveat,
    )


ALGORITHM = Algorithm(
    key="naive_bayes",
    title="Naive Bayes",
    family="classification",
    summary="Features are independent within a class: their probabilities are multiplied, and learned by counting.",
    params=Params,
    reads_categories=True,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    looks=True,
    sample=sample,
    counterpart=counterpart,
    target="classes",
    synonyms=(
        "NB",
        "GaussianNB",
        "MultinomialNB",
        "BernoulliNB",
        "Laplace smoothing",
        "spam filter",
        "bag of words",
        "text classification",
    ),
    panels=(
        Panel("plane", "Naive Bayes", "data"),
        Panel("feature", "Feature by class", y="probability or density"),
        Panel("odds", "Log-odds by feature", y="log-odds"),
    ),
    metrics=(
        Metric("error", "misclassified, of the points counted in", group="error"),
        Metric("counted", "points counted in", group="points", better="neither"),
    ),
    pseudocode=(
        Line("all counts ← 0; all classes are equal", "start"),
        Line("for each point x of class k:   ({counted} counted)"),
        Line("    count k, and each x_j for k on its own", "count"),
        Line("P(x_j = v | k) = (count + s) / (N_k + s · number of values)", "smooth"),
        Line("P(k | x) ∝ P(k) Π_j P(x_j | k)   (error {error})", "classify"),
    ),
    reference="Bishop, Pattern Recognition and Machine Learning, section 4.2.3; Manning, Raghavan and Schütze, "
    "Introduction to Information Retrieval, chapter 13; Quinlan 1986; Statistical Machine Learning (Orbanz), Naive "
    "Bayes, Estimation; Methods for Data Science §5.1; Machine Learning (Buhmann), slides 237-238",
    example=words.EXAMPLE,
    formulas=words.FORMULAS,
    tries=words.TRIES,
    related=words.RELATED,
    questions=(
        Question("What fraction is misclassified when the next points are counted in?", "count", "metrics.error"),
        Question("How many points of each class will have been counted in?", "count", "model.class_counts"),
    ),
)
