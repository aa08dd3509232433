"""Several classes from binary linear classifiers: one against the rest, one against one, or discriminants compared.

A line separates two classes. For more there are three ways: a classifier for each class against all others, one for
each pair of classes and a vote among them, or one linear function for each class, of which the largest wins.

    one-vs-rest: K classifiers     one-vs-one: K (K - 1) / 2 classifiers     discriminant: argmax_k <x, v_k> - c_k

The first two leave regions without a clear winner: places that no classifier claims, or several, or where the votes of
the pairs go round in a circle. There the scores decide; those of classifiers trained one by one are comparable only
after each is divided by the length of its normal, which makes distances of them. Discriminants leave no such region,
and theirs are convex.

Reference: Statistical Machine Learning (Orbanz), Multiple classes; Bishop, Pattern Recognition and Machine Learning,
4.1.2; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.2 (masking); Weston and Watkins 1999;
Kesler for the perceptron.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.multi_class import words
from algorithms.classification.multi_class.solver import Base, train, train_together
from algorithms.classification.multi_class.views import views
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
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import refuse_extremes
from algorithms.params import Between, Doc, Log, When

Scheme = Literal["one-vs-rest", "one-vs-one", "discriminant"]
REST = -1
FRAMES = 64
"""With more classifiers than this several of them appear in one frame."""
_ROWS = 4096
_LARGEST = 1e40
_NOBODY = -0.45
"""The score of a class whose classifier is not there yet."""


@dataclass(frozen=True, slots=True)
class Params:
    """How classifiers are made, and how they decide together."""

    scheme: Annotated[
        Scheme, Doc("Each class against the rest, each pair with a vote, or one function for each class.")
    ] = "one-vs-rest"
    base: Annotated[Base, Doc("What each classifier minimises: squares, mistakes, logistic loss, squared slack.")] = (
        "linear SVM"
    )
    C: Annotated[
        float,
        Between(1e-3, 1e4),
        Log,
        When("base", "logistic", "linear SVM"),
        Doc("The price of errors beside the length of the normal."),
    ] = 1.0
    normalise: Annotated[
        bool,
        When("scheme", "one-vs-rest", "one-vs-one"),
        Doc("Divide the value of each classifier by the length of its normal, so that scores are distances."),
    ] = True


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The classifiers trained so far, f(x) = w·(x - middle) + level."""

    scheme: Scheme
    classes: int
    weights: Array  # (m, d)
    levels: Array  # (m,)
    positive: Array  # (m,) int, the class where f > 0
    negative: Array  # (m,) int, the other one, or REST
    middle: Array  # (d,)
    normalise: bool

    def values(self, X: Array) -> Array:
        """F of every classifier at every row, (m, rows), as distances where they are normalised."""
        found = self.weights @ (X - self.middle).T + self.levels[:, None]
        if self.normalise and self.scheme != "discriminant" and len(found):
            lengths = np.sqrt(np.square(self.weights).sum(axis=1))
            found /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
        return np.asarray(found)

    def votes_and_scores(self, X: Array) -> tuple[Array, Array]:
        """How many classifiers each class wins, and its score, both (classes, rows); 0 for a class without any."""
        votes, scores = np.zeros((2, self.classes, len(X)))
        for first in range(0, len(X), _ROWS):
            checkpoint()
            part = slice(first, first + _ROWS)
            values = self.values(X[part])
            if self.scheme != "one-vs-one":
                votes[self.positive, part] = values > 0.0
                scores[self.positive, part] = values
                continue
            for value, one, two in zip(values, self.positive.tolist(), self.negative.tolist()):
                won = value > 0.0
                votes[one, part] += won
                votes[two, part] += ~won
                scores[one, part] += value
                scores[two, part] -= value
        return votes, scores

    def name_of(self, machine: int, names: tuple[str, ...]) -> str:
        """Who against whom."""
        one, two = int(self.positive[machine]), int(self.negative[machine])
        if two == REST:
            return f"{names[one]} vs rest" if self.scheme == "one-vs-rest" else names[one]
        return f"{names[one]} vs {names[two]}"


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The points as classifiers see them."""

    Z: Array  # (n, d + 1) from the middle, in units of the reach, with a constant
    y: Array
    C: float
    middle: Array
    reach: float
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, data: Points, params: Params) -> _Task:
        y = data.several_classes("Several classes")
        refuse_extremes(data.X)
        middle = data.X.mean(axis=0)
        reach = float(np.sqrt(np.square(data.X - middle).sum(axis=1).mean())) or 1.0
        if not 1.0 / _LARGEST < reach < _LARGEST:
            raise DataError(f"The points spread over {reach:.3g}; multiply the features by a constant first.")
        present = np.unique(y).tolist()
        pairs = [(k, REST) for k in present]
        if params.scheme == "one-vs-one":
            pairs = [(one, two) for number, one in enumerate(present) for two in present[number + 1 :]]
        Z = np.column_stack([(data.X - middle) / reach, np.ones(data.n)])
        return cls(Z, y, params.C * reach**2, middle, reach, tuple(pairs))

    def machine(self, base: Base, one: int, two: int) -> tuple[Array, int]:
        """The coefficients (d + 1,) of one classifier, and its mistakes."""
        members = slice(None) if two == REST else np.flatnonzero((self.y == one) | (self.y == two))
        Z, signs = self.Z[members], np.where(self.y[members] == one, 1.0, -1.0)
        z = train(base, Z, signs, self.C)
        return z, int(np.count_nonzero((Z @ z > 0.0) != (signs > 0.0)))

    def together(self, base: Base) -> tuple[Array, Array]:
        """The coefficients (k, d + 1) of discriminants, and how many points of each class are lost to others."""
        present = np.unique(self.y)
        numbers = np.searchsorted(present, self.y)
        w = train_together(base, self.Z, numbers, len(present), self.C)
        lost = (self.Z @ w.T).argmax(axis=1) != numbers
        return w, np.bincount(numbers[lost], minlength=len(present))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    params: Params
    count: int  # of classifiers


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How the classifiers so far do on the points."""

    fresh: int  # how many are new
    mistakes: Array  # (m,) of each on its own points
    ties: Array  # (n,) bool, points without a clear winner
    wrong: int  # points that are decided wrongly
    latest: int = 0  # mistakes of the latest one


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Train classifier after classifier; every one that appears changes the regions."""
    task = _Task.of(data, params)
    count = len(task.pairs)
    given = Given(data, params, count)
    found: list[Array] = []
    mistakes: list[int] = []
    yield _shot(given, task, found, mistakes, 0, "start")
    joint = task.together(params.base) if params.scheme == "discriminant" else None
    size = -(-count // FRAMES)
    for first in range(0, count, size):
        part = task.pairs[first : first + size]
        for number, (one, two) in enumerate(part, first):
            checkpoint()
            if joint is not None:
                z, lost = joint[0][number], int(joint[1][number])
            else:
                z, lost = task.machine(params.base, one, two)
            found.append(z)
            mistakes.append(lost)
        yield _shot(given, task, found, mistakes, len(part), "machine")
    yield _shot(given, task, found, mistakes, 0, "done")
    return Stop.COMPLETE


def _shot(given: Given, task: _Task, found: list[Array], mistakes: list[int], fresh: int, phase: str) -> Shot:
    """The classifiers so far, and how they decide together."""
    data, params = given.data, given.params
    trained = np.array(found).reshape(-1, data.d + 1)
    pairs = np.array(task.pairs[: len(found)], dtype=np.int64).reshape(-1, 2)
    weights, levels = trained[:, :-1] / task.reach, trained[:, -1]
    model = Model(
        params.scheme, len(data.classes), weights, levels, pairs[:, 0], pairs[:, 1], task.middle, params.normalise
    )
    ties = ties_of(model, model.votes_and_scores(data.X)[0])
    wrong = int(np.count_nonzero(predict(model, data.X) != task.y))
    numbers = {
        "error": wrong / data.n if found else np.nan,
        "ambiguous": float(np.count_nonzero(ties)) / data.n if found else np.nan,
        "machines": float(len(found)),
    }
    latest = mistakes[-1] if mistakes else 0
    shown = Shown(fresh, np.array(mistakes), ties, wrong, latest)
    return Snapshot(given, phase, model, numbers, shown)


def ties_of(model: Model, votes: Array) -> Array:
    """Whether the two classes with the most votes have as many, (n,); discriminants do not vote."""
    if model.scheme == "discriminant" or model.classes < 3 or not len(model.weights):
        return np.zeros(votes.shape[1], dtype=bool)
    top = np.partition(votes, -2, axis=0)[-2:]
    return np.asarray(top[0] == top[1])


def field(model: Model, X: Array) -> Array:
    """Votes, and a score squashed below one half that breaks ties, (n, c); of discriminants their values.

    Of two classes the difference, (n,).
    """
    votes, scores = model.votes_and_scores(X)
    known = np.zeros(model.classes, dtype=bool)
    known[model.positive] = True
    known[model.negative[model.negative >= 0]] = True
    if model.scheme == "discriminant":
        table = np.where(known[:, None], scores, scores.min(axis=0) - 1.0)
    else:
        table = np.where(known[:, None], votes + scores / (3.0 * (1.0 + np.abs(scores))), _NOBODY)
    if model.classes == 2:
        return np.asarray(table[1] - table[0])
    return np.ascontiguousarray(table.T)


def predict(model: Model, X: Array) -> Array:
    """The class with the most votes, or the largest value; in a tie the score decides."""
    values = field(model, X)
    return (values > 0.0).astype(np.int64) if values.ndim == 1 else values.argmax(axis=1).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The votes and the scores of the best classes at a place."""
    if not len(model.weights):
        return {"class": "no classifier is trained yet"}
    votes, scores = (part[:, 0] for part in model.votes_and_scores(item.x[None]))
    answer: Explanation = {"class": data.classes[int(predict(model, item.x[None])[0])]}
    what = "distance" if model.normalise and model.scheme != "discriminant" else "value"
    for k in np.lexsort((-scores, -votes))[:5].tolist():
        if model.scheme != "discriminant":
            answer[f"votes for {data.classes[k]}"] = int(votes[k])
        answer[f"{what} for {data.classes[k]}"] = float(scores[k])
    if bool(ties_of(model, votes[:, None])[0]):
        claims = "no classifier claims it" if not votes.any() else "several classes have as many votes"
        answer["ambiguous"] = f"{claims}, so the scores decide"
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's schemes around its logistic regression; its other linear classifiers penalise the bias."""
    if params.base != "logistic":
        return None
    make = f"LogisticRegression(C={params.C!r}, tol=1e-6, max_iter=1000)"
    imports = "from sklearn.linear_model import LogisticRegression"
    if params.scheme != "discriminant":
        name = "OneVsRestClassifier" if params.scheme == "one-vs-rest" else "OneVsOneClassifier"
        make, imports = f"{name}({make})", f"{imports}\nfrom sklearn.multiclass import {name}"
    return Counterpart(
        imports=imports,
        make=make,
        difference=SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)"),
        measure="fraction of points predicted differently",
        caveat="It compares probabilities of one against the rest, which is the same only without normalising.",
    )


ALGORITHM = Algorithm(
    key="multi_class",
    title="Several classes from lines",
    family="classification",
    summary="Binary classifiers decide among several classes: against the rest, in pairs, or as discriminants.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    looks=True,
    counterpart=counterpart,
    target="classes",
    synonyms=("one versus rest", "one versus one", "OvR", "OvO", "multiclass", "majority vote", "linear discriminant"),
    example="blobs(n=240,centres=4,noise=0.9,spread=4,seed=3)",
    panels=(
        Panel("plane", "Classifiers and regions", "data"),
        Panel("machines", "The classifiers", "none"),
        Panel("votes", "Votes on a point", y="pairs won, or value"),
        Panel("scores", "Scores of the points", y="class"),
    ),
    metrics=(
        Metric("error", "fraction wrong", group="points"),
        Metric("ambiguous", "fraction without a clear winner", group="points"),
        Metric("machines", "classifiers trained", better="neither"),
    ),
    pseudocode=(
        Line("K classes: K binary classifiers, or one for each pair", "start"),
        Line("for each classifier:   {machines} trained"),
        Line("    train it: its class against the rest, or against its rival", "machine"),
        Line("decide: most votes, ties by the score; or the largest discriminant   (error {error})", "done"),
    ),
    reference="Statistical Machine Learning (Orbanz), Multiple classes; Bishop, Pattern Recognition and Machine "
    "Learning, 4.1.2; Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 4.2; Weston, Watkins 1999",
    formulas=(
        r"\text{one-vs-rest:}\quad f_k(x) > 0\ ?\qquad \text{one-vs-one:}\quad \operatorname{argmax}_k \sum_{l \ne k} "
        r"[f_{kl}(x) > 0]",
        r"\text{discriminant:}\quad \operatorname{argmax}_k\; g_k(x), \qquad g_k(x) = \langle v_k, x \rangle - c_k",
        r"\text{normalised:}\quad \frac{g_k(x)}{\|v_k\|}",
    ),
    tries=words.TRIES,
    questions=(
        Question("How many mistakes will the next classifier make on its own points?", "machine", "shown.latest"),
        Question("How many points will be decided wrongly after the next classifier?", "machine", "shown.wrong"),
    ),
)
