"""Where a box of a given size hides nothing, or least, at the edges of a view."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF

from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.views.theme import SPACING

PITCH = 6.0
"""The pixels from one place that is looked at to the next."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for a box: how far from the right edge and from the upper one, as fractions of what is possible."""

    leftwards: float = 0.0
    down: float = 0.0
    hides: int = 0

    @property
    def in_corner(self) -> bool:
        """Whether it is one of the four best places."""
        return {self.leftwards, self.down} <= {0.0, 1.0}

    def corner(self, area: QRectF, size: QSizeF) -> QPointF:
        """The upper left corner of the box there."""
        free = free_room(area, size)
        right, top = area.right() - SPACING - size.width(), area.top() + SPACING
        return QPointF(right - self.leftwards * max(free.width(), 0.0), top + self.down * max(free.height(), 0.0))


def free_room(area: QRectF, size: QSizeF) -> QSizeF:
    """How far a box can be moved in an area, with a gap to its border; negative where it does not fit."""
    return QSizeF(area.width() - size.width() - 2 * SPACING, area.height() - size.height() - 2 * SPACING)


def hidden_by(at: Array, box: QRectF) -> int:
    """How many of these places (m, 2) lie in this box."""
    inside = (at[:, 0] > box.left()) & (at[:, 0] < box.right()) & (at[:, 1] > box.top()) & (at[:, 1] < box.bottom())
    return int(np.count_nonzero(inside))


def best_spot(area: QRectF, size: QSizeF, at: Array, reach: float = 0.0) -> Spot:
    """The place at an edge where a box hides fewest of the places (m, 2); top right, or near a corner, when in doubt.

    Every place is counted once into a table of squares, and sums over boxes are then differences of sums from the
    corner, so that all places for the box cost as much as one.
    """
    room = free_room(area, size)
    steps = [max(round(side / PITCH), 1) if side >= 1.0 else 0 for side in (room.width(), room.height())]
    pitch = [side / count if count else 1.0 for side, count in zip((room.width(), room.height()), steps)]
    cells = [math.floor((side + 2 * reach) / step) + 1 for side, step in zip((size.width(), size.height()), pitch)]
    # leftwards from the right edge of the first place, and down from its upper one
    away = np.column_stack([area.right() - SPACING + reach - at[:, 0], at[:, 1] - area.top() - SPACING + reach])
    shape, numbers = (steps[0] + cells[0], steps[1] + cells[1]), np.floor(away / pitch)
    numbers = numbers[((numbers >= 0) & (numbers < shape)).all(axis=1)].astype(np.int64)  # some are endlessly far
    counts = np.bincount(numbers[:, 0] * shape[1] + numbers[:, 1], minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.zeros((shape[0] + 1, shape[1] + 1), dtype=np.int64)
    sums[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)
    wide, high = cells
    hidden = sums[wide:, high:] - sums[:-wide, high:] - sums[wide:, :-high] + sums[:-wide, :-high]
    across, down = np.meshgrid(np.arange(steps[0] + 1), np.arange(steps[1] + 1), indexing="ij")
    cost = _cost(across, down, steps, pitch, parts_picture=size.width() > area.width() / 2)
    least = np.where(np.isfinite(cost), hidden, hidden.max() + 1).min()
    column, row = np.unravel_index(int(np.where(hidden == least, cost, np.inf).argmin()), hidden.shape)
    return Spot(column / max(steps[0], 1), row / max(steps[1], 1), int(least))


def _cost(across: Array, down: Array, steps: list[int], pitch: list[float], parts_picture: bool) -> Array:
    """How much worse than the upper right corner each place is: pixels to the next corner; infinite off the edges."""
    ends = [np.minimum(number, most - number) for number, most in zip((across, down), steps)]
    cost = ends[0] * pitch[0] + ends[1] * pitch[1] + across / max(steps[0], 1) + 2 * down / max(steps[1], 1)
    allowed = ends[1] == 0 if parts_picture else (ends[0] == 0) | (ends[1] == 0)
    return np.where(allowed, cost, np.inf)
