"""The part of a run in which the noise is drawn again and again around a truth that is known because it was chosen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.contract import Snapshot
from algorithms.data import Array, DataError
from algorithms.maths.cross_validation import lambda_grid
from algorithms.maths.linear_fits import fitted
from algorithms.maths.penalties import Penalty
from algorithms.regression._redraw_marks import Cloud, TradeOff
from algorithms.regression._redraws import (
    MOST_NUMBERS,
    SLOW,
    Basis,
    Estimates,
    Truth,
    estimate,
    estimate_robustly,
    formula_parts,
    formula_spread,
)
from algorithms.regression._regression_stage import Stage
from algorithms.regression._sweep_stage import top_degree

_ONE_BY_ONE = 8
_FRAMES = 24


class Redraws:
    """Redrawn targets and the fits to them. A working object of one run."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.truth = _truth(stage)
        self.basis = Basis.of(stage.columns, self.truth.values, stage.centred)
        self.count = min(stage.params.redraws, max(MOST_NUMBERS // stage.data.n, 2))
        self.targets = np.empty((0, stage.data.n))
        self.pads = self._pads()
        if self.count < stage.params.redraws:
            stage.add_warning(f"With so many points the noise is drawn {self.count} times only.")

    def frames(self, hurry: bool) -> Iterator[Snapshot]:
        """The first redraws one by one, then in larger steps."""
        stage, found = self.stage, None
        for number in [self.count] if hurry else _numbers(self.count):
            new = self._draw(number - len(self.targets))
            more = self._estimates(self.basis, new, stage.penalty)
            found = more if found is None else found.joined(more)
            stage.cloud = self._cloud(found, stage.penalty, new[-1])
            yield stage.frame(stage.final, "redraw", self._caption(number, found))
        assert found is not None
        stage.cloud = self._cloud(found, stage.penalty)

    def _caption(self, number: int, found: Estimates) -> str:
        truth = self.truth
        words = f"Redraw {number}: noise with σ = {truth.sigma:.3g} around a truth of our choice, the least-squares fit"
        words += f" of degree {truth.model.dictionary.degree} (nobody knows the real one)"
        bias, variance = found.parts()
        if number > 1:
            words += f"; so far bias² = {bias:.3g} and variance = {variance:.3g} at the points"
        return words + "."

    def _draw(self, count: int) -> Array:
        noise = self.truth.sigma * self.stage.rng.standard_normal((count, self.stage.data.n))
        new = self.truth.values + noise
        self.targets = np.concatenate([self.targets, new])
        return new

    def _estimates(self, basis: Basis, targets: Array, penalty: Penalty, start: Array | None = None) -> Estimates:
        if self.stage.loss.kind == "squared":
            return estimate(basis, basis.seen(targets), penalty, start)
        return estimate_robustly(basis, targets, penalty, self.stage.loss)

    def _cloud(self, found: Estimates, penalty: Penalty, targets: Array | None = None) -> Cloud:
        intercepts, betas = found.coefficients
        intercept, best = self.basis.best()
        formula = self._formula(penalty)
        if self.stage.params.intercept == "penalised":
            intercepts, betas, intercept, best = betas[:, 0], betas[:, 1:], float(best[0]), best[1:]
        mean, covariance = formula if formula is not None else (None, None)
        beside = np.append(intercept, best)
        return Cloud(self.truth.model, intercepts, betas, beside, mean, covariance, self.pads, targets)

    def _formula(self, penalty: Penalty) -> tuple[Array, Array] | None:
        """Mean and covariance of (intercept, β) by the formula."""
        found = formula_spread(self.basis, penalty, self.truth.sigma) if self.stage.loss.kind == "squared" else None
        if found is None or self.stage.params.intercept == "penalised":
            return found
        beta, covariance = found
        means, n = self.basis.small.means, self.stage.data.n
        to_both = np.vstack([-means, np.eye(len(means))])  # (intercept, β) = (level, 0) + to_both β
        whole = to_both @ covariance @ to_both.T
        whole[0, 0] += self.truth.sigma**2 / n if self.stage.centred else 0.0
        return np.append(self.basis.level - means @ beta, beta), whole

    def _pads(self) -> Array:
        """Four standard errors of least squares, so that the picture stays while λ moves; not too many of today's."""
        free, now = self._formula(Penalty()), self._formula(self.stage.penalty)
        wide = 4.0 * np.sqrt(np.diag(free[1])) if free is not None else self._seen_spread()
        if now is None:
            return wide
        today = np.sqrt(np.diag(now[1]))
        off = np.abs(now[0] - (free[0] if free is not None else now[0]))
        return np.minimum(wide, 12.0 * today + 1.2 * off)

    def _seen_spread(self) -> Array:
        """For other losses: four standard errors that least squares would have."""
        found = formula_spread(self.basis, Penalty(), self.truth.sigma)
        assert found is not None
        spread = 4.0 * np.sqrt(np.diag(found[1]))
        if self.stage.params.intercept == "penalised":
            return spread
        level = 4.0 * self.truth.sigma / np.sqrt(self.stage.data.n)
        return np.append(level + np.abs(self.basis.small.means) @ spread, spread)

    # -- bias and variance against degree and λ --------------------------------------------------------------------

    def degrees(self) -> Iterator[Snapshot]:
        """The parts of the error for every degree."""
        stage = self.stage
        trade = TradeOff("degree", float(stage.params.degree), self.truth.sigma**2, self._floor())
        for degree in range(max(top_degree(stage), self.truth.model.dictionary.degree) + 1):
            try:
                _, functions = stage.build(degree)
            except DataError:  # values too large for this power, or too many functions: the curve ends here
                return
            basis = Basis.of(stage.with_ones(functions), self.truth.values, stage.centred)
            parts = self._estimates(basis, self._few(), stage.penalty).parts()
            trade.add(float(degree), parts, self._exact(basis, stage.penalty))
            stage.views["bias_degrees"] = trade.marks()
            yield stage.frame(stage.final, "trade", self._words(f"Degree {degree}", parts))
        stage.least.append(f"degree {trade.best:.0f}")

    def lambdas(self) -> Iterator[Snapshot]:
        """The parts of the error for every λ; without a penalty, for those that ridge would have."""
        stage, params = self.stage, self.stage.params
        if not len(stage.names):
            return
        none = params.penalty == "none"
        current = None if none else params.lam
        trade = TradeOff("lam", current, self.truth.sigma**2, self._floor())
        unit = Penalty(l2=1.0) if none else stage.penalty_at(1.0)
        before: Array | None = None
        for lam in lambda_grid(stage.design, unit, params.lam).tolist():
            penalty = Penalty(l2=lam) if none else stage.penalty_at(lam)
            found = self._estimates(self.basis, self._few(), penalty, before)
            before = found.b
            parts = found.parts()
            trade.add(lam, parts, self._exact(self.basis, penalty))
            stage.views["bias_lambdas"] = trade.marks()
            kept, stage.cloud = stage.cloud, self._cloud(found, penalty)
            name = f"Were there a ridge penalty with λ = {lam:.3g}" if none else f"λ = {lam:.3g}"
            yield stage.frame(stage.final, "trade", self._words(name, parts))
            stage.cloud = kept
        if not none:
            stage.least.append(f"λ = {trade.best:.3g}")

    def _few(self) -> Array:
        return self.targets if self.stage.loss.kind == "squared" else self.targets[:SLOW]

    def _exact(self, basis: Basis, penalty: Penalty) -> tuple[float, float] | None:
        return formula_parts(basis, penalty, self.truth.sigma) if self.stage.loss.kind == "squared" else None

    def _words(self, what: str, parts: tuple[float, float]) -> str:
        (bias, variance), whole = parts, sum(parts)
        return f"{what}: bias² {bias:.3g} + variance {variance:.3g} = {whole:.3g}, and σ² = {self.truth.sigma**2:.3g}."

    def _floor(self) -> float:
        """The least that is drawn on a logarithmic axis."""
        seen = 0.1 * self.truth.sigma**2 / (self.stage.data.n * self.count)  # what the mean of the redraws is off by
        return max(seen, 1e-12 * float(np.var(self.stage.y)), 1e-300)


def _truth(stage: Stage) -> Truth:
    """Least squares with the degree asked for, or the highest below it that leaves points to spare."""
    for degree in range(stage.params.truth, -1, -1):
        dictionary, functions = stage.build(degree)
        columns = stage.with_ones(functions)
        spare = stage.data.n - columns.shape[1] - 1
        if spare >= 1 or degree == 0:
            break
    intercept, beta = fitted(columns, stage.y, stage.centred, Penalty(), stage.loss)
    values = intercept + columns @ beta
    residuals = stage.y - values
    sigma = stage.params.noise or float(np.sqrt(residuals @ residuals / max(spare, 1)))
    return Truth(stage.model_of(intercept, beta, dictionary), values, sigma)


def _numbers(count: int) -> list[int]:
    """After how many redraws there is a frame."""
    first = range(1, min(count, _ONE_BY_ONE) + 1)
    later = np.linspace(min(count, _ONE_BY_ONE), count, _FRAMES - _ONE_BY_ONE)
    return sorted({*first, *(round(number) for number in later.tolist())})
