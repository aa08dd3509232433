"""Least squares along the first singular directions of the columns, and its error on points held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from algorithms.data import Array
from algorithms.maths.components import longest_directions
from algorithms.maths.cross_validation import Errors, Folds, averaged, folded
from algorithms.maths.design import Design, count_directions
from algorithms.maths.linear_fits import by_directions
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.regression_frames import frame_sizes


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """The singular directions of the centred columns Φ = U S V', longest first."""

    eigenvalues: Array  # (r,) d = s² of Φ'Φ
    V: Array  # (p, r)
    rank: int
    used: int
    sizes: tuple[int, ...]  # how many directions the fits have that are looked at
    betas: tuple[Array, ...]  # the coefficients of each of them, (p,)

    def beta(self, size: int) -> Array:
        """β = V_m S_m⁻¹ U_m'y with so many directions."""
        return self.betas[self.sizes.index(size)]


def directions_of(problem: LinearProblem, wanted: int) -> Directions:
    """All directions of a problem and the fits along them; of ``wanted`` 0 the redundant ones are not used."""
    raw, y = problem.raw()
    s, directions = longest_directions(raw)
    rows = max(problem.data.n, *raw.shape)
    rank, used = count_directions(s, rows, len(s)), count_directions(s, rows, wanted)
    sizes = sorted({*frame_sizes(rank), used} - {0})
    betas = tuple(beta for beta, *_ in by_directions(raw, y, 0.0, sizes, problem.data.n))
    return Directions(s**2, directions.T, rank, used, tuple(sizes), betas)


def held_out_errors(columns: Array, y: Array, centred: bool, sizes: tuple[int, ...], folds: Folds) -> Iterator[Errors]:
    """The errors of the folds with so many singular directions of the points in training."""
    design = Design.of(columns, y, centred)
    splits = folded(design, centred, folds)[1]
    walks = [
        by_directions(fold.design.Z * fold.design.lengths, fold.design.y, 0.0, list(sizes), fold.counts[0])
        for fold in splits
    ]
    for _ in sizes:
        errors = [fold.errors(next(walk)[0] * fold.design.lengths) for fold, walk in zip(splits, walks, strict=True)]
        training, validation = (list(side) for side in zip(*errors, strict=True))
        yield averaged(training, validation)
