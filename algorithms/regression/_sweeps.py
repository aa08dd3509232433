"""The same fit for every degree and for every λ: error curves on training and held-out points, and the path of β."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.dataset import Array
from algorithms.regression._solvers import Design, Loss, Penalty, fitted, solve

STEPS = 41
"""Values of λ along a path."""


@dataclass(frozen=True, slots=True)
class Errors:
    """The mean loss on training and held-out points, averaged over the folds; ``doubt`` is the standard error."""

    training: float
    validation: float
    doubt: float


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """k parts of the points; each is held out once while the others train."""

    parts: tuple[Array, ...]
    n: int

    @classmethod
    def of(cls, n: int, k: int, rng: np.random.Generator) -> Folds:
        """Parts whose sizes differ by at most one."""
        return cls(tuple(np.array_split(rng.permutation(n), min(k, n))), n)

    def splits(self) -> Iterator[tuple[Array, Array]]:
        """(training, validation) indices."""
        for part in self.parts:
            held = np.zeros(self.n, dtype=bool)
            held[part] = True
            yield np.flatnonzero(~held), part

    def errors(self, columns: Array, y: Array, loss: Loss, fits: list[tuple[float, Array]]) -> Errors:
        """The errors of one fit per fold."""
        training, validation = [], []
        for (inside, outside), (intercept, beta) in zip(self.splits(), fits, strict=True):
            each = loss.each(y - intercept - columns @ beta)
            training.append(float(each[inside].mean()))
            validation.append(float(each[outside].mean()))
        doubt = float(np.std(validation, ddof=1) / np.sqrt(len(validation))) if len(validation) > 1 else 0.0
        return Errors(float(np.mean(training)), float(np.mean(validation)), doubt)


def degree_errors(columns: Array, y: Array, centred: bool, penalty: Penalty, loss: Loss, folds: Folds) -> Errors:
    """The errors with these columns."""
    fits = [fitted(columns[inside], y[inside], centred, penalty, loss) for inside, _ in folds.splits()]
    return folds.errors(columns, y, loss, fits)


def lambda_grid(design: Design, share: float, current: float) -> Array:
    """Values of λ, largest first: from where next to nothing is left of β down to where next to nothing is penalised.

    With an l1 share α all coefficients are 0 from λ = 2 max|x_j'(y - ȳ)| / α on.
    """
    raw = design.Z * design.lengths
    if share > 0.0:
        top = 2.0 * float(np.abs(raw.T @ design.y).max(initial=0.0)) / share
    else:
        top = 10.0 * float(np.square(design.lengths).max(initial=0.0))
    top = min(max(top, 1e-6), 1e12)
    low = min(top * (1e-5 if share > 0.0 else 1e-7), current / 2.0)
    return np.geomspace(max(2.0 * current, 1.5 * top), low, STEPS)


def along_path(
    columns: Array, y: Array, centred: bool, loss: Loss, penalties: list[Penalty]
) -> Iterator[tuple[float, Array]]:
    """(intercept, coefficients) for each penalty, every one started from the one before."""
    if loss.kind != "squared":
        found: tuple[float, Array] | None = None
        for penalty in penalties:
            found = fitted(columns, y, centred, penalty, loss, found)
            yield found
        return
    design = Design.of(columns, y, centred)
    small = design.reduced()
    scaled: Array | None = None
    for penalty in penalties:
        scaled = solve(small, penalty, scaled)
        yield design.coefficients(scaled)


def sweep_lambda(
    columns: Array,
    y: Array,
    centred: bool,
    loss: Loss,
    penalties: list[Penalty],
    folds: Folds | None,
) -> Iterator[tuple[float, Array, Errors | None]]:
    """The fit on all points and the errors of the folds, one λ after the other."""
    walk: Callable[[Array], Iterator[tuple[float, Array]]] = lambda rows: along_path(  # noqa: E731
        columns[rows], y[rows], centred, loss, penalties
    )
    whole = walk(np.arange(len(y)))
    walks = [walk(inside) for inside, _ in folds.splits()] if folds else []
    for intercept, beta in whole:
        errors = folds.errors(columns, y, loss, [next(one) for one in walks]) if folds else None
        yield intercept, beta, errors
