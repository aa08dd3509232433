"""A picture that is drawn by hand, as a value without a window: fine dots, of which the pixels are the means.

That is how the handwritten digits were made: a pixel counts the dots of a 4×4 block of the scanned sheet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array

DOTS = 32
"""Dots along the longer side, at least; a pixel has at least two."""
PEN, RUBBER = 0.08, 0.12
"""The radius of the pen and of the eraser, in lengths of the longer side."""


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Dots that are inked or not, behind a picture of this many rows and columns of pixels."""

    shape: tuple[int, int]
    dots: Array  # (rows, columns) bool, row 0 on top

    @classmethod
    def blank(cls, shape: tuple[int, int]) -> Sketch:
        """An empty sheet."""
        fine = max(-(-DOTS // max(shape)), 2)
        return cls(shape, np.zeros((shape[0] * fine, shape[1] * fine), dtype=bool))

    @property
    def is_blank(self) -> bool:
        """Whether nothing is drawn."""
        return not self.dots.any()

    def stroked(self, start: tuple[float, float], end: tuple[float, float], ink: bool = True) -> Sketch:
        """The sheet after a straight stroke from one place to another, given as fractions from the left and the top."""
        rows, columns = self.dots.shape
        size = np.array([columns, rows])
        one, two = np.array(start) * size, np.array(end) * size
        x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
        at = np.stack([x, y], axis=-1)
        stroke = two - one
        along = np.clip((at - one) @ stroke / max(float(stroke @ stroke), 1e-12), 0.0, 1.0)
        away = np.hypot(*np.moveaxis(at - one - along[..., None] * stroke, -1, 0))
        touched = away <= max((PEN if ink else RUBBER) * max(rows, columns), 0.8)
        return replace(self, dots=self.dots | touched if ink else self.dots & ~touched)

    def pixels(self, low: float, high: float) -> Array:
        """The picture, (rows, columns): from ``low`` where no dot of a pixel is inked to ``high`` where all are."""
        rows, columns = self.shape
        fine = self.dots.shape[0] // rows
        return low + (high - low) * self.dots.reshape(rows, fine, columns, fine).mean(axis=(1, 3))
