"""What a view asks of a model, and what it gets: ``predict`` or ``field`` over a rectangle of the plane. Plain values.

Views make requests and the worker answers them; neither knows the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array
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


@dataclass(frozen=True, slots=True, eq=False)
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
