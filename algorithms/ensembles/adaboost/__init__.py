"""AdaBoost: weak learners one after the other, each for the points that the ones before it got wrong.

All points weigh the same at first. A weak learner, such as a stump that cuts along one axis, makes the weighted error
as small as it can; it may be little better than guessing. Its vote counts the more the fewer errors it makes, and the
points that it got wrong weigh more from now on, so that the next learner has to care about them. The weighted vote of
all of them is a strong classifier.

    err_m = Σ w_i [g_m(x_i) ≠ y_i],   α_m = log((1 - err_m)/err_m),   w_i ← w_i exp(α_m [g_m(x_i) ≠ y_i]) / sum
    f(x) = sgn F(x),   F(x) = ½ Σ α_m g_m(x)

With its new weights a learner is wrong on exactly half, so the next one must say something else. Seen from afar every
round is the best step for the exponential loss mean exp(-y F(x)), which lies above the fraction of errors: it falls by
the factor 2 √(err (1 - err)) in each round. When the training error is 0 the margins y F / ½ Σ α go on growing.

With c classes α has log(c - 1) more (SAMME), a learner has to beat 1 - 1/c, and the class with most votes wins.

Reference: Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, sections 10.1 to 10.5; BOOSTING
(Statistical Machine Learning); Freund, Schapire (1997); Schapire, Freund, Bartlett, Lee (1998) for the margins; Rudin,
Daubechies, Schapire (2004) for the cycles; Zhu, Zou, Rosset, Hastie (2009) for several classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Ended,
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
from algorithms.data import Array, Item, Points
from algorithms.ensembles.adaboost import words
from algorithms.ensembles.adaboost.solver import (
    Base,
    Outcome,
    Round,
    State,
    Task,
    added,
    attempt,
    beginning,
    cycle_of,
    majority,
)
from algorithms.ensembles.adaboost.views import views
from algorithms.maths.forests import Forest
from algorithms.maths.threshold_axis import ThresholdAxis
from algorithms.maths.trees import Tree
from algorithms.params import Advanced, Between, Doc, Log, When

SWEPT = 2
"""Rounds in which the stump is seen sweeping, threshold after threshold,"""
STOPS = 6
"""at so many of them along each feature,"""
FEW_FEATURES = 3
"""where there are no more features than this."""
WATCHED = 60
"""Rounds with a frame for the learner and one for the weights; after these there is one for both."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of AdaBoost."""

    rounds: Annotated[int, Between(1, 1000), Log, Doc("How many weak learners vote in the end.")] = 50
    base: Annotated[
        Base, Doc("The weak learner: a stump cuts once, where the weighted error is least; a tree cuts several times.")
    ] = "stump"
    depth: Annotated[
        int, Between(1, 6), When("base", "tree"), Doc("Most cuts between the root and a leaf of a tree.")
    ] = 2
    rate: Annotated[
        float, Between(0.01, 1.0), Log, Doc("Factor of every α: smaller votes, weights that change more slowly.")
    ] = 1.0
    validation: Annotated[
        float, Between(0.0, 0.5), Advanced, Doc("Fraction of the points that are held out and only counted.")
    ] = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The learners and their votes, and what the points weigh now."""

    alphas: Array  # (m,)
    errors: Array  # (m,) weighted, each with the weights of its round
    stumps: Forest  # the weak learners; a leaf holds alpha for the class that it votes for
    weights: Array  # (n,) for the next learner
    classes: int
    answer: int  # the most frequent class, as long as nobody votes


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    task: Task
    axis: ThresholdAxis
    one_class: bool  # all points to learn from are of one

    @property
    def training(self) -> int:
        """How many points there are to learn from."""
        return int(np.count_nonzero(self.task.training))


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The vote so far, and the learner of a frame: a whole one with what it gets wrong, or a cut that is only tried."""

    state: State
    learner: Tree | None = None
    wrong: Array | None = None  # (n,) bool
    cut: tuple[int, float] | None = None
    error: float = 0.0  # of the cut
    best: bool = False  # whether no other cut along this feature is better
    outcome: Outcome = ""

    @property
    def cut_across(self) -> tuple[int, float] | None:
        """The one cut that there is, of a stump or of one that is tried; none where both sides have one answer."""
        tree = self.learner
        if tree is None or len(tree.child) != 3:
            return self.cut
        below, above = tree.value[1:].argmax(axis=1)
        return (int(tree.feature[0]), float(tree.threshold[0])) if below != above else None


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Learner, vote, weights; and again."""
    y = data.several_classes("AdaBoost")
    training = np.ones(data.n, dtype=bool)
    training[rng.permutation(data.n)[: _held_out(params.validation, y)]] = False
    task = Task.of(data.X, y, len(data.classes), params.base, params.depth, params.rate, training)
    values, learnt = task.presorted.values, task.problem.target[training]
    axis = ThresholdAxis.of(data.features, values[:, 0], values[:, -1])
    given, state = Given(data, task, axis, bool((learnt == learnt[0]).all())), beginning(task)
    yield _shot(given, "start", Shown(state))
    for number in range(1, params.rounds + 1):
        found = attempt(task, state)
        if number <= SWEPT and data.d <= FEW_FEATURES:
            yield from _sweep(given, state)
        shown = Shown(state, found.learner, found.wrong, outcome=found.outcome)
        if number <= WATCHED or found.outcome:
            yield _shot(given, "learn", shown, found)
        if found.outcome == "chance":
            yield _shot(given, "end", shown, found)
            return Ended(Stop.CONVERGED, "no learner is better than guessing")
        state = added(task, state, found)
        shown = Shown(state, found.learner, outcome=found.outcome)
        if found.outcome == "perfect":
            yield _shot(given, "end", shown)
            return Ended(Stop.CONVERGED, "one learner gets everything right")
        yield _shot(given, "weigh", shown)
    yield _shot(given, "end", Shown(state))
    return Stop.COMPLETE


def _held_out(fraction: float, y: Array) -> int:
    """How many points are held out, so that two of them are left to learn from."""
    return max(min(round(fraction * len(y)), len(y) - 2), 0)


def _sweep(given: Given, state: State) -> Iterator[Shot]:
    """The stump on its way along each feature, and the weighted error it would have."""
    for feature in range(given.data.d):
        at, errors = given.task.errors_along(feature, state.weights)
        if not len(at):
            continue
        stops, best = np.unique(np.linspace(0, len(at) - 1, min(STOPS, len(at))).astype(int)), int(errors.argmin())
        for stop in [*stops.tolist(), best]:
            cut = (feature, float(at[stop]))
            yield _shot(given, "sweep", Shown(state, cut=cut, error=float(errors[stop]), best=stop == best))


def _shot(given: Given, phase: str, shown: Shown, found: Round | None = None) -> Shot:
    """The vote so far; ``found`` is a learner that does not vote yet."""
    task, state = given.task, shown.state
    last = (state.errors[-1], state.alphas[-1]) if state.rounds else (math.nan, math.nan)
    last = last if found is None else (found.error, found.alpha)
    model = Model(state.alphas, state.errors, state.stumps, state.weights, task.classes, majority(task))
    error, loss, _ = state.track[-1]
    numbers = {
        "training": error,
        "exponential": loss,
        "error": last[0],
        "alpha": last[1],
    }
    return Snapshot(given, phase, model, numbers, shown)


def votes(model: Model, X: Array) -> Array:
    """The α (n, c) of those who vote for each class."""
    return model.stumps.total(X) if len(model.alphas) else np.zeros((len(X), model.classes))


def predict(model: Model, X: Array) -> Array:
    """The class with most votes."""
    if not len(model.alphas):
        return np.full(len(X), model.answer)
    return votes(model, X).argmax(axis=1)


def field(model: Model, X: Array) -> Array:
    """F(x) = ½ Σ α g(x) (n,), above 0 for the second class; of more classes their votes (n, c), halved."""
    found = votes(model, X)
    return np.asarray(0.5 * (found[:, 1] - found[:, 0] if model.classes == 2 else found))


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Who votes for what at a place, and what the point weighs."""
    answer: Explanation = {}
    if item.number >= 0:
        answer["weight, times the number of points"] = float(model.weights[item.number] * data.n)
    total = float(model.alphas.sum())
    if total <= 0.0:
        return answer | {"votes": "none yet"}
    found = votes(model, item.x[None])[0]
    for number in np.argsort(-found, kind="stable")[:6].tolist():
        answer[f"votes for {data.class_name(number)}"] = float(found[number])
    answer["answer"] = data.class_name(int(found.argmax()))
    if item.number >= 0:
        own = int(data.class_numbers("")[item.number])
        answer["margin"] = float((found[own] - np.delete(found, own).max()) / total)
    return answer


def _with_half(model: Model) -> int:
    """How many points have half of the weight, the heaviest first."""
    return int((np.sort(model.weights)[::-1].cumsum() < 0.5).sum()) + 1


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's AdaBoost over its own trees."""
    if params.validation > 0.0:
        return None
    seed, depth = 0 if case is None else case.seed, 1 if params.base == "stump" else params.depth
    tree = f"DecisionTreeClassifier(max_depth={depth}, random_state={seed})"
    caveat = "Cuts that are equally good are broken differently, and later rounds build on that."
    if params.base == "stump":
        caveat = "Its stumps make Gini's index small, ours the weighted error itself; trees of depth 1 are the same."
    return Counterpart(
        imports="from sklearn.ensemble import AdaBoostClassifier\nfrom sklearn.tree import DecisionTreeClassifier",
        make=f"AdaBoostClassifier({tree}, n_estimators={params.rounds}, learning_rate={params.rate!r}, "
        f"random_state={seed})",
        difference="theirs.score(X, y) - np.mean(ours.predict(X) == y)",
        measure="difference in accuracy",
        caveat=caveat,
    )


ALGORITHM = Algorithm(
    key="adaboost",
    title="AdaBoost",
    family="ensembles",
    summary="Weak learners in turn, each for the points that the others got wrong; together they vote.",
    params=Params,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    counterpart=counterpart,
    synonyms=("boosting", "SAMME", "weak learner", "decision stump", "exponential loss", "margin", "ensemble"),
    target="classes",
    example="circles(n=200,noise=0.12,seed=1)",
    panels=(
        Panel("plane", "Weights and vote", "data"),
        Panel("sweep", "Where to cut", x="threshold", y="error", beside=True),
        Panel("losses", "Errors and loss", x="round", y="loss", integer_x=True),
        Panel("learners", "Learners", "none"),
        Panel("margins", "Margins", x="margin", y="density"),
        Panel("axes", "Votes by axis", y="Σ α"),
        Panel("simplex", "Three weights"),
    ),
    metrics=(
        Metric("training", "training error", group="loss"),
        Metric("exponential", "exponential loss", group="loss"),
        Metric("error", "weighted error of a learner", group="learner", better="neither"),
        Metric("alpha", "its vote α", group="learner", better="neither"),
    ),
    pseudocode=(
        Line("w_i ← 1/n for every point", "start"),
        Line("for each round m:"),
        Line("    along each axis: sweep the threshold", "sweep"),
        Line("    g ← least weighted error err = {error}", "learn"),
        Line("    α ← log((1 - err)/err) + log(c - 1) = {alpha}"),
        Line("    w_i ← w_i e^α where g is wrong; divide by Σ w", "weigh"),
        Line("f(x) = the class with most votes Σ α, wrong on {training}", "end"),
    ),
    reference="Hastie, Tibshirani, Friedman, The Elements of Statistical Learning §10.1 to §10.5; Freund, Schapire "
    "(1997); Rudin, Daubechies, Schapire (2004); Zhu, Zou, Rosset, Hastie (2009); Statistical Machine Learning "
    "(Orbanz), Boosting",
    formulas=(
        r"\mathrm{err}_m = \sum_i w_i\, [g_m(x_i) \ne y_i] \qquad \alpha_m = \log \frac{1 - \mathrm{err}_m}"
        r"{\mathrm{err}_m}\ \left( +\, \log(c - 1) \right)",
        r"w_i \leftarrow \frac{w_i\, e^{\alpha_m [g_m(x_i) \ne y_i]}}{\sum_k w_k\, e^{\alpha_m [g_m(x_k) \ne y_k]}}",
        r"F(x) = \frac{1}{2} \sum_m \alpha_m g_m(x) \qquad f(x) = \mathrm{sgn}\, F(x)",
        r"\frac{1}{n} \sum_i [f(x_i) \ne y_i] \;\le\; \frac{1}{n} \sum_i e^{-y_i F(x_i)} = \prod_m 2 \sqrt{\mathrm{err}"
        r"_m (1 - \mathrm{err}_m)}",
    ),
    tries=(
        Try(
            "The training error is 0 after six rounds; the held-out error is 6.9 % then and still falls, to 3.1 %.",
            "checkerboard(n=400,cells=3,seed=1)",
            {"base": "tree", "depth": 3, "rounds": 100, "validation": 0.4},
            shows=lambda played: (
                int((track := played.last.shown.state.track)[:, 0].argmin()) == 6
                and (round(track[6, 2], 3), round(track[-1, 2], 3)) == (0.069, 0.031)
            ),
        ),
        Try(
            "Three points in a row, the middle one of the other class: the weights end in a cycle of three rounds with "
            "the weighted error (3 - √5)/4 = 0.191.",
            "alternating(n=3)",
            {"rounds": 40},
            shows=lambda played: bool(
                cycle_of(played.last.shown.state) == 3 and np.isclose(played.final("error"), (3.0 - 5.0**0.5) / 4.0)
            ),
        ),
        Try(
            "The same cycle among 210 points: four of them have half of the weight in the end.",
            "moons(n=300,noise=0.15,seed=3)",
            {"base": "tree", "depth": 2, "rounds": 200, "validation": 0.3},
            shows=lambda played: cycle_of(played.last.shown.state) == 3 and _with_half(played.model) == 4,
        ),
        Try(
            "The exclusive or: every stump is wrong on half of the weight, so boosting ends before the first vote.",
            "gate(kind='XOR')",
            shows=lambda played: played.final("error") == 0.5 and len(played.model.alphas) == 0,
        ),
        Try(
            "Trees with two cuts in a row learn the exclusive or: the training error is 0 after eleven rounds. Stumps "
            "are wrong on more than a fifth after fifty.",
            "xor(n=300,noise=0.3,seed=1)",
            {"base": "tree", "depth": 2},
            shows=lambda played: (
                int(played.last.shown.state.track[:, 0].argmin()) == 11
                and played.but(base="stump").final("training") > 0.2
            ),
        ),
        Try(
            "Noise: the points on the wrong side of the boundary gain weight, and 25 of 200 points have half of it "
            "after 300 rounds.",
            "moons(n=200,noise=0.4,seed=1)",
            {"rounds": 300},
            shows=lambda played: _with_half(played.model) == 25,
        ),
        Try(
            "Three classes vote as well: a stump has to be wrong on less than 2/3 of the weight, and fifty of them are "
            "wrong on 1.7 % of the points.",
            "rings(n=300,rings=2,noise=0.1,seed=1)",
            shows=lambda played: bool(
                np.isclose(played.last.given.task.chance_level, 2.0 / 3.0)
                and round(played.final("training"), 3) == 0.017
            ),
        ),
    ),
    questions=(
        Question("How large is the weighted error of the next learner?", "learn", "metrics.error"),
        Question("On which fraction of the points is the vote wrong with it?", "weigh", "metrics.training"),
    ),
)
