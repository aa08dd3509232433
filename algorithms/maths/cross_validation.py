"""The same fit for every degree and for every λ: error curves on training and held-out points, and the path of β."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.design import Design, triangle
from algorithms.maths.dictionaries import Dictionary
from algorithms.maths.linear_fits import fitted, fitting, solve
from algorithms.maths.linear_problem import FoldColumns
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.scales import deviation, deviations

STEPS = 41
"""Values of λ along a path."""
_VANISHING = 1e-12
"""A column of length 1 that varies by less over the points in training is constant there."""


@dataclass(frozen=True, slots=True)
class Errors:
    """The mean loss on training and held-out points, averaged over the folds, and its standard error."""

    training: float
    validation: float
    standard_error: float

    @property
    def words(self) -> str:
        """For a caption."""
        return f"the error is {self.training:.3g} in training, {self.validation:.3g} held out"


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """k parts of the points; each is held out once while the others train."""

    parts: tuple[Array, ...]
    n: int
    standardised: bool = False  # the columns, each time by the points in training alone
    own: tuple[FoldColumns, ...] = ()  # one for each part, where the document has scaled the features

    @classmethod
    def of(cls, n: int, k: int, rng: np.random.Generator, standardised: bool = False) -> Folds:
        """Parts whose sizes differ by at most one."""
        return cls(tuple(np.array_split(rng.permutation(n), min(k, n))), n, standardised)

    def splits(self) -> Iterator[tuple[Array, Array]]:
        """(training, validation) indices."""
        for part in self.parts:
            held = np.zeros(self.n, dtype=bool)
            held[part] = True
            yield np.flatnonzero(~held), part

    def errors(self, columns: Array, y: Array, loss: Loss, fits: list[tuple[float, Array]]) -> Errors:
        """The errors of one fit per fold."""
        training, validation = [], []
        for fold, ((inside, outside), (intercept, beta)) in enumerate(zip(self.splits(), fits, strict=True), start=1):
            each = loss.each(y - intercept - self.columns(fold, columns) @ beta)
            training.append(float(each[inside].mean()))
            validation.append(float(each[outside].mean()))
        return averaged(training, validation)

    def columns(self, fold: int, columns: Array) -> Array:
        """The columns of all points as a fold, counted from 1, has them; those of fold 0, of all points, are given."""
        return self.own[fold - 1].at(np.arange(self.n)) if fold and self.own else columns


def averaged(training: list[float], validation: list[float]) -> Errors:
    """The errors of all folds as one."""
    standard_error = deviation(np.array(validation), ddof=1) / float(np.sqrt(len(validation)))
    return Errors(float(np.mean(training)), float(np.mean(validation)), standard_error)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScale:
    """Columns of mean 0 and variance 1 over the points in training: those held out have no say."""

    middle: Array  # (p,)
    unit: Array  # (p,)
    ones: Array  # the column of ones of a penalised intercept, where there is one; it stays as it is

    @classmethod
    def of(cls, columns: Array, rows: Array) -> ColumnScale:
        """The scale of these rows."""
        part, moving = columns[rows], np.ptp(columns, axis=0) > 0.0
        ones = np.flatnonzero(~moving & (columns[0] != 0.0))
        return cls(np.where(moving, part.mean(axis=0), 0.0), deviations(part), ones)

    def __call__(self, columns: Array) -> Array:
        """These columns in this scale."""
        return np.asarray((columns - self.middle) / self.unit)

    def back(self, intercept: float, beta: Array) -> tuple[float, Array]:
        """The same function of the columns as they were."""
        beta = beta / self.unit
        shift = float(self.middle @ beta)
        if not len(self.ones):
            return intercept - shift, beta
        beta[self.ones[0]] -= shift
        return intercept, beta


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One split for the squared loss, without its points: triangles say all that least squares asks of them."""

    design: Design  # of the points in training
    inside: Array  # (·, p + 2) triangle of [1, Z, y] over the points in training; without the 1 when not centred
    outside: Array  # the same over those held out
    counts: tuple[int, int]
    centred: bool

    def errors(self, b: Array) -> tuple[float, float]:
        """The mean squares in training and held out that scaled coefficients leave."""
        level = []
        if self.centred:
            first = self.inside[0]
            level = [float(first[1:-1] @ b - first[-1]) / float(first[0])]
        ends = np.concatenate([level, -b, [1.0]])
        inside, outside = self.inside @ ends, self.outside @ ends
        return float(inside @ inside) / self.counts[0], float(outside @ outside) / self.counts[1]


def folded(design: Design, centred: bool, folds: Folds) -> tuple[Design, list[Fold]]:
    """The design in few rows, and every split of it; each point is looked at once, if all folds share the columns."""
    if folds.own:
        splits = zip(folds.own, folds.splits(), strict=True)
        return design.reduced(), [_own_fold(own, design.y, *rows, centred) for own, rows in splits]
    levelled = centred or folds.standardised
    table = np.column_stack([*([np.ones(design.n)] if levelled else []), design.Z, design.y])
    parts = []
    for part in folds.parts:
        checkpoint()
        parts.append(triangle(table[part]))
    made = []
    for i, part in enumerate(folds.parts):
        inside = triangle(np.vstack([other for j, other in enumerate(parts) if j != i]))
        outside, counts, scaled = parts[i], (design.n - len(part), len(part)), design
        if folds.standardised:
            inside, outside, scaled = _standardised(design, inside, outside, counts[0], centred)
        made.append(Fold(_below(scaled, inside, centred), inside, outside, counts, centred))
    whole = np.vstack(parts)
    return _below(design, triangle(whole if levelled == centred else whole[:, 1:]), centred), made


def _own_fold(own: FoldColumns, y: Array, rows: Array, others: Array, centred: bool) -> Fold:
    """One split with the columns of its own ``rows`` in training, in which the ``others`` are held out."""
    design = Design.of(own.at(rows), y[rows], centred)
    outside = (own.at(others) - design.means) / design.lengths, y[others] - design.y_mean
    inside, held = (
        triangle(np.column_stack([*([np.ones(len(Z))] if centred else []), Z, target]))
        for Z, target in ((design.Z, design.y), outside)
    )
    return Fold(_below(design, inside, centred), inside, held, (len(rows), len(others)), centred)


def _standardised(design: Design, inside: Array, outside: Array, n: int, centred: bool) -> tuple[Array, Array, Design]:
    """Two triangles of [1, Z, y] with the scale of the n points in training, which are those of the first one.

    What is done to columns is done to those of a triangle, too. A coefficient is priced as that of a column with
    variance 1; without a free intercept it also matters where the column is 0, and the ones have had their part.
    """
    moving = np.ptp(design.Z, axis=0) > 0.0
    deviation = np.sqrt(np.square(inside[1:, 1:-1]).sum(axis=0) / n)
    known = moving & (deviation > _VANISHING / np.sqrt(n))  # a column of Z is of length 1
    scaled = replace(design, lengths=np.where(known, 1.0 / np.where(known, deviation, 1.0), design.lengths))
    if centred:
        return inside, outside, scaled
    middle = np.append(np.where(moving, inside[0, 1:-1] / inside[0, 0], 0.0), 0.0)
    return *(table[:, 1:] - table[:, :1] * middle for table in (inside, outside)), scaled


def _below(design: Design, R: Array, centred: bool) -> Design:
    """The problem that is left when the column of ones, if it is the first of R, has had its part."""
    rest = R[1:, 1:] if centred else R
    return replace(design, Z=np.ascontiguousarray(rest[:, :-1]), y=rest[:, -1].copy())


def lambda_grid(design: Design, unit: Penalty, current: float) -> Array:
    """Values of λ, largest first: from where next to nothing is left of β down to where next to nothing is penalised.

    ``unit`` is the penalty for λ = 1. With a part α of l1 all coefficients are 0 from λ = 2 max|x_j'(y - ȳ)| / α on;
    for q < 1 each stays 0 alone from some λ on; for q > 1 there is no such end.
    """
    pulls = np.abs(design.Z.T @ design.y)  # of the columns of length 1
    q = unit.q
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if unit.l1:
            each = 2.0 * pulls * design.lengths / unit.l1
        elif unit.lq and q < 1.0:
            each = (pulls * (2.0 - 2.0 * q) / (2.0 - q)) ** (2.0 - q) / (1.0 - q) * design.lengths**q
        elif unit.lq:
            each = 10.0**q * pulls ** (2.0 - q) * design.lengths**q
        else:
            each = 10.0 * design.lengths**2
    top = float(np.nan_to_num(each, posinf=1e12).max(initial=0.0))
    top = min(max(top, 1e-6), 1e12)
    low = min(top * (1e-5 if unit.l1 or (unit.lq and q < 1.0) else 1e-7), current / 2.0)
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
    small = Design.of(columns, y, centred).reduced()
    for b in _walk(small, penalties):
        yield small.coefficients(b)


def _walk(design: Design, penalties: list[Penalty]) -> Iterator[Array]:
    """Scaled coefficients for each penalty, every one started from the one before."""
    scaled: Array | None = None
    for penalty in penalties:
        checkpoint()
        scaled = solve(design, penalty, scaled)
        yield scaled


Swept = tuple[float, Array, Errors | None]
"""The intercept and the coefficients on all points, and the errors of the folds."""
HEAVY = 2e8
"""Rows times squared columns from which on a step of a robust fit is seen by itself: some tenths of a second."""


@dataclass(frozen=True, slots=True, eq=False)
class Working:
    """A step of a fit that takes long: on all points, or without a part of them."""

    fold: int  # counted from 1; 0 for all points
    step: int
    intercept: float
    beta: Array
    dictionary: Dictionary | None = None  # of the fold, where it has its own

    @property
    def words(self) -> str:
        """For a caption."""
        where = "on all points" if self.fold == 0 else f"without part {self.fold}"
        return f"the fit {where} is weighted anew, step {self.step}"


def sweep_lambda(
    columns: Array, y: Array, centred: bool, loss: Loss, penalties: list[Penalty], folds: Folds | None
) -> Iterator[Swept | Working]:
    """The fit on all points and the errors of the folds, one penalty after the other; long fits also on their way."""
    if folds is None:
        for intercept, beta in along_path(columns, y, centred, loss, penalties):
            yield intercept, beta, None
    elif loss.kind == "squared":
        yield from _sweep_squares(columns, y, centred, penalties, folds)
    else:
        yield from _sweep_points(columns, y, centred, loss, penalties, folds)


def _sweep_squares(columns: Array, y: Array, centred: bool, penalties: list[Penalty], folds: Folds) -> Iterator[Swept]:
    design = Design.of(columns, y, centred)
    small, splits = folded(design, centred, folds)
    walks = [_walk(fold.design, penalties) for fold in splits]
    for b in _walk(small, penalties):
        errors = [fold.errors(next(walk)) for fold, walk in zip(splits, walks, strict=True)]
        training, validation = (list(side) for side in zip(*errors, strict=True))
        yield *design.coefficients(b), averaged(training, validation)


def _sweep_points(
    columns: Array, y: Array, centred: bool, loss: Loss, penalties: list[Penalty], folds: Folds
) -> Iterator[Swept | Working]:
    parts = [np.arange(len(y)), *(inside for inside, _ in folds.splits())]
    scales = [ColumnScale.of(columns, rows) if fold and folds.standardised else None for fold, rows in enumerate(parts)]
    found: list[tuple[float, Array] | None] = [None] * len(parts)
    heavy = len(y) * columns.shape[1] ** 2 > HEAVY
    for penalty in penalties:
        for fold, (rows, scale) in enumerate(zip(parts, scales)):
            part = folds.columns(fold, columns)[rows]
            part = part if scale is None else scale(part)
            dictionary = folds.own[fold - 1].dictionary if fold and folds.own else None
            steps = fitting(part, y[rows], centred, penalty, loss, found[fold])
            for step, now in enumerate(steps, start=1):
                found[fold] = now
                if heavy:
                    yield Working(fold, step, *(now if scale is None else scale.back(*now)), dictionary)
        (intercept, beta), *others = [
            each if scale is None else scale.back(*each) for each, scale in zip(found, scales) if each is not None
        ]
        yield intercept, beta, folds.errors(columns, y, loss, others)
