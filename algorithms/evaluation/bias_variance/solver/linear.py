"""Fits that add up functions with a free intercept: all redraws are fitted at once, or nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.evaluation.bias_variance.solver import Basis, Estimates, Experiment, Rule, Truth
from algorithms.evaluation.bias_variance.solver.game import Cloud, Drawn, Steps, TradeOff, count_of, floor_of
from algorithms.maths.ball_marks import pair_names
from algorithms.maths.cross_validation import lambda_grid
from algorithms.maths.dictionaries import Dictionary, swept_degrees
from algorithms.maths.linear_model import chosen_pair
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.penalties import Penalty

ONE_BY_ONE, FRAMES = 8, 24
"""Redraws that are shown one by one at the beginning, and frames for all of them."""
SLOW = 20
"""Redraws in the curves against degree and λ when every single fit is a slow descent."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearFits:
    """All fits so far, f_k(x) = intercepts_k + Σ coefficients_kj h_j(x), and how far they are from the truth."""

    dictionary: Dictionary
    truth: Truth
    intercepts: Array  # (k,)
    coefficients: Array  # (k, p)
    bias2: float  # at the points, on average
    variance: float
    noise: float  # σ²

    def fits(self, X: Array) -> Array:
        """Every fit at the rows of ``X``, (k, m)."""
        return np.asarray(self.intercepts[:, None] + self.coefficients @ self.dictionary.columns(X).T)


@dataclass(frozen=True, slots=True, eq=False)
class LinearGame:
    """One truth and one rule, whose fits to redrawn targets are made together."""

    problem: LinearProblem
    truth: Truth
    rule: Rule
    experiment: Experiment
    pair: tuple[int, int] | None  # the two coefficients of the cloud
    count: int  # redraws in all

    @classmethod
    def of(cls, problem: LinearProblem, truth: Truth, rule: Rule, pair: tuple[int, ...], redraws: int) -> LinearGame:
        """The game of a run."""
        experiment = Experiment(problem, truth, rule.loss, Basis.of(problem.columns, truth.values))
        chosen = chosen_pair(pair, len(problem.names), intercept=True)
        return cls(problem, truth, rule, experiment, chosen, count_of(redraws, problem.data))

    @property
    def data(self) -> Points:
        """The points."""
        return self.problem.data

    @property
    def y(self) -> Array:
        """The values of the data."""
        return self.problem.y

    @property
    def penalty(self) -> Penalty:
        """That of the method as it is."""
        return self.rule.penalty_at(self.rule.lam)

    def cloud_extent(self) -> tuple[tuple[str, str], Array, Array] | None:
        """The names of the pair, where the truth is, and how far the picture of the cloud reaches from there."""
        if self.pair is None:
            return None
        both, experiment = list(self.pair), self.experiment
        return pair_names(self.problem, self.pair), experiment.nearest()[both], experiment.reach(self.penalty)[both]

    def suits(self, start: object) -> bool:
        """Whether a model is one of these fits."""
        return isinstance(start, LinearFits) and len(start.dictionary.features) == self.data.d

    def nothing(self) -> LinearFits:
        """No fit yet: the function 0."""
        off, none = float(self.truth.values @ self.truth.values) / self.data.n, np.zeros((1, len(self.problem.names)))
        return LinearFits(self.problem.dictionary, self.truth, np.zeros(1), none, off, 0.0, self.truth.sigma**2)

    def redraws(self, rng: np.random.Generator, hurry: bool) -> Iterator[Drawn]:
        """The first redraws one by one, then in larger steps; in a hurry only the last one."""
        targets, found = np.empty((0, self.data.n)), None
        for number in [self.count] if hurry else frames_of(self.count):
            new = self.experiment.targets(number - len(targets), rng)
            more = self.experiment.estimates(self.experiment.basis, new, self.penalty)
            found = more if found is None else found.joined(more)
            targets = np.concatenate([targets, new])
            yield self._model(self.problem.dictionary, found), targets, self._cloud(found, self.penalty)

    def sweeps(self, targets: Array) -> Iterator[tuple[TradeOff, Steps]]:
        """Every degree, then every λ; without a penalty, those that ridge would have."""
        slow = self.rule.loss.kind != "squared" or not self.penalty.closed
        some = targets[:SLOW] if slow else targets
        noise, floor = self.truth.sigma**2, floor_of(self.truth, self.y, self.count)
        degree, lam = float(self.rule.functions.degree), self.rule.lam if self.rule.priced else None
        yield TradeOff("degree", "bias_degrees", "degree", degree, noise, floor), self._degrees(some)
        if self.problem.names:
            trade = TradeOff("lam", "bias_lambdas", "lambda", lam, noise, floor, hypothetical=not self.rule.priced)
            yield trade, self._lambdas(some)

    def _degrees(self, targets: Array) -> Steps:
        functions = self.rule.functions
        for degree in swept_degrees(functions.dictionary, self.data.d, max(functions.degree, self.truth.degree)):
            try:
                dictionary, columns = self.problem.build(degree)
            except DataError:  # values too large for this power, or too many functions: the curve ends here
                break
            basis = self.experiment.basis_of(columns)
            found = self.experiment.estimates(basis, targets, self.penalty)
            exact = self.experiment.exact_parts(basis, self.penalty)
            yield float(degree), self._model(dictionary, found), exact, None

    def _lambdas(self, targets: Array) -> Steps:
        experiment, before = self.experiment, None
        priced = self.rule.penalty_at if self.rule.priced else lambda value: Penalty(l2=value)
        for value in lambda_grid(self.problem.design, priced(1.0), self.rule.lam).tolist():
            penalty = priced(value)
            found = experiment.estimates(experiment.basis, targets, penalty, before)
            before, exact = found.b, experiment.exact_parts(experiment.basis, penalty)
            yield value, self._model(self.problem.dictionary, found), exact, self._cloud(found, penalty)

    def _model(self, dictionary: Dictionary, found: Estimates) -> LinearFits:
        return LinearFits(dictionary, self.truth, *found.coefficients, *found.parts(), self.truth.sigma**2)

    def _cloud(self, found: Estimates, penalty: Penalty) -> Cloud | None:
        """The estimates of the pair of coefficients, with what the formula says of them."""
        if self.pair is None:
            return None
        both, exact = list(self.pair), self.experiment.exact_spread(penalty)
        ellipse = None if exact is None else (exact[0][both], exact[1][np.ix_(both, both)])
        return Cloud(np.column_stack(found.coefficients)[:, both], ellipse, penalty.priced)


def frames_of(count: int) -> list[int]:
    """After how many redraws there is a frame."""
    first = range(1, min(count, ONE_BY_ONE) + 1)
    later = np.linspace(min(count, ONE_BY_ONE), count, FRAMES - ONE_BY_ONE)
    return sorted({*first, *(round(number) for number in later.tolist())})
