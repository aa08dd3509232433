"""The widest margin by which a direction can keep all rows on its side: what bounds a perceptron's mistakes.

With rows r_i = y_i (x_i, 1) the widest margin is the largest g such that u . r_i >= g for all i and some u of length 1.
It is 1/|z| for the shortest z with z . r_i >= 1, and there is none when no line parts the classes. Lawson and Hanson
(1974, chapter 23) read z off a problem of non-negative least squares. Only few rows decide, so those that a first
answer violates most are added until none is violated.
"""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

_ADDED = 8
_ROUNDS = 500
_NONE = 1e-7  # a margin below this fraction of the longest row is none: rounding could have made it


def widest_margin(rows: Array) -> tuple[float, Array | None]:
    """The widest margin and its direction (p,); 0 and nothing where some rows pull in opposite ways."""
    size = float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max()))
    if not size > 0.0:
        return 0.0, None
    chosen, shortest, kept = [0], rows[0], rows[:, 0]
    for _ in range(_ROUNDS):
        checkpoint()
        answer = _shortest(rows[chosen] / size)
        if answer is None:
            return 0.0, None
        shortest = answer
        kept = rows @ (shortest / size)
        fresh = sorted(set(_worst(kept).tolist()).difference(chosen))
        if not fresh:
            break
        chosen += fresh
    length = float(np.linalg.norm(shortest))
    margin = float(kept.min()) / length
    return (margin * size, shortest / length) if margin > _NONE else (0.0, None)


def _worst(kept: Array) -> Array:
    """The few rows that are farthest from being kept; none where all are."""
    violated = np.flatnonzero(kept < 1.0 - 1e-9)
    if len(violated) > _ADDED:
        violated = violated[np.argpartition(kept[violated], _ADDED)[:_ADDED]]
    return violated


def _shortest(rows: Array) -> Array | None:
    """The shortest z with rows . z >= 1, (p,); none when there is none."""
    from scipy.optimize import nnls

    table = np.vstack([rows.T, np.ones(len(rows))])
    wanted = np.zeros(len(table))
    wanted[-1] = 1.0
    rest = table @ nnls(table, wanted)[0] - wanted
    if -rest[-1] < _NONE**2:
        return None
    return np.asarray(-rest[:-1] / rest[-1])
