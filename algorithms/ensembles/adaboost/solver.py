"""The rounds of AdaBoost: a weak learner for the weights of now, its vote, and the weights that follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.maths.forest_growth import Presorted, grow
from algorithms.maths.forests import Forest, Grove
from algorithms.maths.stumps import reweighted
from algorithms.maths.tree_growth import Level, Problem, costs
from algorithms.maths.trees import Tree

Base = Literal["stump", "tree"]
Outcome = Literal["", "perfect", "chance"]
NOTHING = 1e-12
"""Weighted errors that are nearer to 0 or to chance than this are there: the rest is rounding."""
FAINT = 1e-280
"""No point weighs less, because still smaller numbers are slow to compute with."""
REMEMBERED, FEW_POINTS = 30, 3000
"""Rounds whose weights are remembered, where there are no more points than this;"""
SHORTLY = 7
"""and where there are more."""
HEAVIEST = 15
"""Points among which the three are chosen whose weights are followed."""
FIRST_CYCLE, SAME = 24, 1e-6
"""Before so many rounds nothing is called a cycle, nor where the weights differ by more than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What stays the same during a run."""

    problem: Problem
    presorted: Presorted
    depth: int
    rate: float
    training: Array  # (n,) bool

    @classmethod
    def of(cls, X: Array, y: Array, classes: int, base: Base, depth: int, rate: float, training: Array) -> Task:
        """Stumps minimise the weighted error itself, deeper trees Gini's index cut by cut."""
        stump = base == "stump"
        problem = Problem(X, y, classes, "misclassification" if stump else "gini")
        return cls(problem, Presorted.of(X), 1 if stump else depth, rate, training)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.problem.classes

    @property
    def chance_level(self) -> float:
        """The error of guessing, 1 - 1/c: a weak learner has to be better."""
        return 1.0 - 1.0 / self.classes

    def first_weights(self) -> Array:
        """Every training point weighs the same, the others nothing."""
        return self.training / float(np.count_nonzero(self.training))

    def learner(self, weights: Array) -> Grove:
        """The weak learner for these weights."""
        return grow(self.problem, self.depth, weights[None], presorted=self.presorted)

    def errors_along(self, feature: int, weights: Array) -> tuple[Array, Array]:
        """Every threshold (m,) along a feature, and the weighted error (m,) of the better stump that cuts there.

        Of two classes it answers one on each side, :meth:`without_a_cut` says what the same answer everywhere costs.
        Of more classes each side answers its heaviest one. For a tree it is the criterion of its first cut instead.
        """
        order, values = self.presorted.order[feature], self.presorted.values[feature]
        taken = self.training.take(order)
        order, values = order.compress(taken), values.compress(taken)
        ends = np.flatnonzero(values[1:] > values[:-1])
        ordered, second = weights.take(order), self.problem.target.take(order) == 1
        if self.stump and self.classes == 2:
            error = float(ordered[~second].sum()) + np.where(second, ordered, -ordered).cumsum()
            found = np.minimum(error, 1.0 - error)
        else:
            level = Level.of(np.zeros(1, dtype=np.intp), np.array([len(order)]), order[None])
            found = costs(self.problem, level, ordered[None], np.zeros(1))[0]
        return values[ends] / 2 + values[ends + 1] / 2, found[ends]

    def without_a_cut(self, weights: Array) -> float:
        """The weighted error of the same answer everywhere."""
        return 1.0 - float(np.bincount(self.problem.target, weights, minlength=self.classes).max())

    @property
    def stump(self) -> bool:
        """Whether the learners minimise the weighted error itself."""
        return self.problem.criterion == "misclassification"


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What one round has found."""

    learner: Tree
    grove: Grove
    answers: Array  # (n,) int
    wrong: Array  # (n,) bool
    error: float  # weighted
    alpha: float
    outcome: Outcome


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The vote after some rounds."""

    weights: Array  # (n,) sum to 1
    votes: Array  # (n, c) the alphas of the learners that said so
    exponents: Array  # (n,) logarithm of the exponential loss of every point
    alphas: Array  # (m,)
    errors: Array  # (m,) weighted
    stumps: Forest  # the weak learners; their leaves hold alpha for the class they vote for
    track: Array  # (m + 1, 3) training error, exponential loss, error of the points held out
    past: tuple[Array, ...]  # the latest weights, those of now at last; the frames share them

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return len(self.alphas)


def beginning(task: Task) -> State:
    """Before the first round: no vote, and equal weights."""
    n, c = len(task.problem.X), task.classes
    weights = task.first_weights()
    nobody = Forest((), 0)
    nothing, none = np.zeros(n), np.empty(0)
    state = State(weights, np.zeros((n, c)), nothing, none, none, nobody, np.empty((0, 3)), (weights,))
    return replace(state, track=_measured(task, state)[None])


def attempt(task: Task, state: State) -> Round:
    """The weak learner for the weights of now, its error and its vote."""
    grove = task.learner(state.weights)
    tree = grove.tree(0)
    answers = tree.value.argmax(axis=1).take(tree.leaf_of(task.problem.X))
    wrong = answers != task.problem.target
    error = float(state.weights @ wrong)
    if error <= NOTHING:
        # log((1 - 0)/0) is infinite: a vote that outweighs all others says the same
        return Round(tree, grove, answers, wrong, 0.0, 1.0 + float(state.alphas.sum()), "perfect")
    if error >= task.chance_level - NOTHING:
        return Round(tree, grove, answers, wrong, error, 0.0, "chance")
    alpha = task.rate * (math.log((1.0 - error) / error) + math.log(task.classes - 1.0))
    return Round(tree, grove, answers, wrong, error, alpha, "")


def added(task: Task, state: State, found: Round) -> State:
    """The vote with one more learner, and the weights for the next one."""
    weights = reweighted(state.weights, found.alpha, found.wrong) if not found.outcome else state.weights
    weights = np.where(task.training, np.maximum(weights, FAINT), 0.0)
    ballot = found.alpha * (np.arange(task.classes) == found.answers[:, None])
    grown = replace(
        state,
        weights=weights,
        votes=state.votes + ballot,
        exponents=state.exponents + found.alpha * (found.wrong - task.chance_level),
        alphas=np.append(state.alphas, found.alpha),
        errors=np.append(state.errors, found.error),
        stumps=state.stumps.with_next(_voting(found.grove, found.alpha)),
        past=(*state.past, weights)[-(REMEMBERED if len(weights) <= FEW_POINTS else SHORTLY) :],
    )
    return replace(grown, track=np.vstack([state.track, _measured(task, grown)]))


def _voting(grove: Grove, alpha: float) -> Grove:
    """The learner with its vote in its leaves: alpha for the class that it answers, nothing for the others."""
    table = grove.table
    ballot = alpha * (np.arange(table.value.shape[1]) == table.value.argmax(axis=1)[:, None])
    return Grove(grove.start, replace(table, value=ballot))


def _measured(task: Task, state: State) -> Array:
    """Training error, exponential loss and, where points were held out, their error (else that of training)."""
    y, training = task.problem.target, task.training
    wrong = state.votes.argmax(axis=1) != y if state.rounds else y != majority(task)
    whole = float(np.count_nonzero(training))
    error = np.count_nonzero(wrong & training) / whole
    loss = float(np.exp(np.minimum(state.exponents[training], 700.0)).mean())
    outside = len(y) - whole
    return np.array([error, loss, np.count_nonzero(wrong & ~training) / outside if outside else error])


def majority(task: Task) -> int:
    """The most frequent class, which is the answer before the first round."""
    return int(np.bincount(task.problem.target[task.training], minlength=task.classes).argmax())


def margins(votes: Array, y: Array, total: float) -> Array:
    """How much more of the vote the right class of each point (n,) has than the best other one, from -1 to 1."""
    rows = np.arange(len(y))
    own = votes[rows, y]
    others = votes.copy()
    others[rows, y] = -np.inf
    return np.asarray((own - others.max(axis=1)) / total)


def points_apart(history: Array) -> Array:
    """Three points (<= 3,) whose weights (rounds, n) go different ways: the heaviest, and those least like the others.

    Points that are always wrong together weigh the same for ever, and would stay in the middle of the triangle; only
    some of the heaviest points come into question.
    """
    heaviest = np.argsort(-history.mean(axis=0), kind="stable")[:HEAVIEST]
    courses, chosen = history[:, heaviest], [0]
    distance = np.full(len(heaviest), np.inf)
    while len(chosen) < min(3, len(heaviest)):
        distance = np.minimum(distance, np.abs(courses - courses[:, chosen[-1:]]).sum(axis=0))
        distance[chosen] = -1.0
        chosen.append(int(distance.argmax()))
    return np.sort(heaviest[chosen])


def cycle_of(state: State) -> int:
    """After how many rounds the weights and the errors come again, if they do; 0 if not."""
    for period in range(1, (len(state.past) - 1) // 2 + 1):
        if state.rounds < FIRST_CYCLE or np.abs(state.past[-1] - state.past[-1 - period]).max() > SAME:
            continue
        if np.abs(state.errors[-period:] - state.errors[-2 * period : -period]).max() <= SAME:
            return period
    return 0
