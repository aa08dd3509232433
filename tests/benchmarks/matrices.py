"""Matrices taken apart, every frame yielded, against NumPy's own decomposition."""

from __future__ import annotations

import copy

import numpy as np

from algorithms import fit
from algorithms.data import Points
from tests.benchmarks.record import Effort, Row, duel_for, words


def measure(effort: Effort) -> list[Row]:
    """A picture as it is opened, and a tall table."""
    side, tall = effort.size(256, 40), effort.size(10_000, 150)
    return [_fit((side, side), effort), _fit((tall, 64), effort)]


def _fit(shape: tuple[int, int], effort: Effort) -> Row:
    data = Points(np.random.default_rng(1).normal(size=shape) * np.linspace(5.0, 1.0, shape[1]))
    _, theirs_s, _ = np.linalg.svd(data.X, full_matrices=False)
    reached = float(np.abs(fit("svd", data).model.spectrum - theirs_s).max() / theirs_s[0])
    ours, theirs = duel_for(
        lambda: fit("svd", copy.copy(data)),
        lambda: np.linalg.svd(data.X, full_matrices=False),
        effort.seconds(2.0),
        25,
    )
    best = float(ours.min()), float(theirs.min())
    detail = {"largest difference of a singular value": reached, "same values": bool(reached <= 1e-10)}
    case = f"svd, {shape[0]:,} × {shape[1]:,}: 20 layers"
    numbers = words(best[0]), words(best[1]), best[0] / best[1]
    return Row("fit", case, "numpy.linalg.svd", *numbers, 3.0, summary=False, detail=detail)
