"""What a view asks of a model, and what it gets: ``predict`` or ``field`` over a rectangle of the plane. Plain values.

Views make requests and the worker answers them; neither knows the other.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.session.projection import Projection

Rect = tuple[float, float, float, float]
"""Left, right, bottom, top."""
Size = tuple[int, int]
"""Width and height in cells."""
What = Literal["predict", "field"]


class Slot(NamedTuple):
    """The place for a raster: a panel, and what its marks need of the model. In each the latest request counts."""

    panel: str
    what: What


@dataclass(frozen=True, slots=True, eq=False)
class RasterRequest:
    """What is to be evaluated, and where.

    ``rect`` is a part of the plane; ``sizes`` are given coarse first; ``key`` is handed back with the result, for the
    caller to recognise it by.
    """

    algorithm: Algorithm
    model: Any
    what: What
    projection: Projection
    rect: Rect
    sizes: tuple[Size, ...] = ((64, 64), (256, 256))
    key: object = None


class Ranking(NamedTuple):
    """Which of several columns is ahead in every cell."""

    winner: Array  # (h, w)
    best: Array  # (h, w)
    second: Array  # (h, w), -inf where there is only one column
    leads: Array  # (c, h, w), of every column over the best of the others; a single one is its own


@dataclass(frozen=True, eq=False)
class Raster:
    """The values at the centres of the cells, row 0 at the lower edge; empty when ``error`` says what went wrong."""

    values: Array  # (h, w) or (h, w, c)
    rect: Rect
    key: object = None
    slot: Slot | None = None
    generation: int = 0
    final: bool = True
    """Whether no finer one follows."""
    error: BaseException | None = None

    @property
    def size(self) -> Size:
        """How many cells there are."""
        return self.values.shape[1], self.values.shape[0]

    @cached_property
    def ranking(self) -> Ranking:
        """Of values in several columns. Found once, and by the thread that made them: it takes longer than a frame."""
        columns = np.ascontiguousarray(np.moveaxis(self.values, 2, 0), dtype=float)
        winner, best = columns.argmax(axis=0), columns.max(axis=0)
        second = np.full(best.shape, -np.inf)
        for number, column in enumerate(columns):
            np.maximum(second, column, out=second, where=winner != number)
        if len(columns) == 1:
            return Ranking(winner, best, second, columns)
        leads = columns - best
        np.put_along_axis(leads, winner[None], (best - second)[None], axis=0)
        return Ranking(winner, best, second, leads)

    @property
    def x(self) -> Array:
        """The horizontal positions of the columns, (w,)."""
        return cell_centres(self.rect[0], self.rect[1], self.size[0])

    @property
    def y(self) -> Array:
        """The vertical positions of the rows, (h,)."""
        return cell_centres(self.rect[2], self.rect[3], self.size[1])


def cell_centres(low: float, high: float, count: int) -> Array:
    """The middles of ``count`` equal cells between two ends."""
    return low + (high - low) * (np.arange(count) + 0.5) / count


def grid(side: int, wide: float) -> Size:
    """About side² cells, nearly square ones."""
    wide = min(max(wide, 0.25), 4.0)
    return max(round(side * wide**0.5), 2), max(round(side / wide**0.5), 2)
