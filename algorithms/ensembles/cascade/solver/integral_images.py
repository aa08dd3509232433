"""Integral images and Haar-like features: means of rectangles from the numbers at their corners.

An integral image holds at every corner between pixels the sum of all pixels above and to the left of it, so the sum
over any rectangle, however large, is four numbers:

    I(r, c) = sum of x(i, j) over i < r, j < c        sum over [t, b) x [l, r) = I(b, r) - I(t, r) - I(b, l) + I(t, l)

A Haar-like feature is the mean of some blocks less the mean of the blocks between them: two beside each other (an
edge), three (a line) or four (a diagonal). Blocks can be made larger at no cost, so a feature that was found on small
pictures is looked for at any size in a large one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

KINDS = ((1, 2), (2, 1), (1, 3), (3, 1), (2, 2))
"""Rows and columns of blocks of each kind of feature; the blocks with an even sum of row and column are added."""
GROWTH = 1.5
"""Each size of a block is so many times the one before."""
FINEST = 8
"""The smallest blocks are this fraction of a side of the picture, but at least a pixel."""
FLAT = 1.0 / 64.0
"""Less contrast than this fraction of the range of grey counts as so much: noise is not made larger."""
_BLOCK = 1 << 19  # numbers gathered at once


def integral_image(pictures: Array) -> Array:
    """The integral images (..., h + 1, w + 1) of pictures (..., h, w), the first row and column zero."""
    *many, height, width = pictures.shape
    table = np.zeros((*many, height + 1, width + 1))
    np.cumsum(pictures, axis=-2, out=table[..., 1:, 1:])
    np.cumsum(table[..., 1:, 1:], axis=-1, out=table[..., 1:, 1:])
    return table


def block_sum(table: Array, top: int, left: int, height: int, width: int) -> Array:
    """The sum (...) over a rectangle of pixels, from its four corners in the integral images (..., h + 1, w + 1)."""
    bottom, right = top + height, left + width
    corners = table[..., bottom, right] - table[..., top, right] - table[..., bottom, left] + table[..., top, left]
    return np.asarray(corners)


def haar_features(height: int, width: int) -> Array:
    """All features (f, 5) on pictures of this size: kind, top, left, and the height and width of one block."""
    found = []
    for kind, (rows, columns) in enumerate(KINDS):
        for high in _sizes(height, rows):
            for wide in _sizes(width, columns):
                tops = range(0, height - rows * high + 1, (high + 1) // 2)
                lefts = range(0, width - columns * wide + 1, (wide + 1) // 2)
                found += [(kind, top, left, high, wide) for top in tops for left in lefts]
    return np.array(found, dtype=np.int64).reshape(-1, 5)


def _sizes(side: int, blocks: int) -> list[int]:
    """The sizes of a block along a side on which so many have to fit."""
    size, sizes = float(max(1, round(side / FINEST))), []
    while blocks * round(size) <= side:
        sizes.append(round(size))
        size = max(size * GROWTH, round(size) + 1.0)
    return sizes


def blocks_of(feature: Array, scale: float = 1.0) -> tuple[list[tuple[int, int, int, int]], ...]:
    """The blocks of a feature that are added and those that are subtracted: top, left, height and width of each."""
    kind, top, left, high, wide = feature.tolist()
    rows, columns = KINDS[kind]
    downs, acrosses = _edges(top, high, rows, scale), _edges(left, wide, columns, scale)
    sides: tuple[list[tuple[int, int, int, int]], ...] = ([], [])
    for row in range(rows):
        for column in range(columns):
            box = (downs[row], acrosses[column], downs[row + 1] - downs[row], acrosses[column + 1] - acrosses[column])
            sides[(row + column) % 2].append(box)
    return sides


def _edges(start: int, size: int, count: int, scale: float) -> list[int]:
    return [round(scale * (start + k * size)) for k in range(count + 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Windows of one size on integral images: where each begins, and the contrast of what is in it.

    Whole pictures are windows at their own corner; the windows of a scene lie anywhere on its one table.
    """

    table: Array  # the integral images, flat
    stride: int  # numbers in a row of them
    base: Array  # (m,) int: the upper left corner of each window in the table
    scale: float  # how many times larger they are than the pictures that features were made for
    contrast: Array | float  # (m,) what differences of grey are divided by

    @classmethod
    def of_pictures(cls, pictures: Array, normalised: bool) -> Windows:
        """Each of some pictures (m, h, w) as a window."""
        m, height, width = pictures.shape
        table = integral_image(pictures)
        contrast: Array | float = 1.0
        if normalised:
            size = height * width
            contrast = _contrast(table[:, -1, -1], integral_image(np.square(pictures))[:, -1, -1], size)
        base = np.arange(m) * table[0].size if m else np.empty(0, dtype=np.int64)
        return cls(table.ravel(), width + 1, base, 1.0, contrast)

    @classmethod
    def on_scene(cls, scene: Array, shape: tuple[int, int], at: Array, scale: float, normalised: bool) -> Windows:
        """Windows of a scene (h, w) with these upper left corners ``at`` (m, 2), so many times ``shape``."""
        table = integral_image(scene)
        base = at[:, 0] * table.shape[1] + at[:, 1]
        contrast: Array | float = 1.0
        if normalised:
            high, wide = round(scale * shape[0]), round(scale * shape[1])
            corners = (base, base + wide, base + high * table.shape[1], base + high * table.shape[1] + wide)
            sums = [
                flat[corners[3]] - flat[corners[2]] - flat[corners[1]] + flat[corners[0]]
                for flat in (table.ravel(), integral_image(np.square(scene)).ravel())
            ]
            contrast = _contrast(sums[0], sums[1], high * wide)
        return cls(table.ravel(), table.shape[1], base, scale, contrast)

    def some(self, chosen: Array) -> Windows:
        """Those with these numbers, or in this mask."""
        contrast = self.contrast if isinstance(self.contrast, float) else self.contrast[chosen]
        return Windows(self.table, self.stride, self.base[chosen], self.scale, contrast)

    def values(self, features: Array) -> Array:
        """The features (f, m) of all windows: a row for each of the features (f, 5)."""
        found = np.empty((len(features), len(self.base)))
        some = max(_BLOCK // max(len(self.base), 1), 1)
        for kind in range(len(KINDS)):
            of_kind = np.flatnonzero(features[:, 0] == kind)
            for start in range(0, len(of_kind), some):
                checkpoint()
                rows = of_kind[start : start + some]
                found[rows] = self._values(features[rows, 1:], *KINDS[kind])
        return found

    def _values(self, places: Array, rows: int, columns: int) -> Array:
        """Each corner of the blocks is looked up once: six for two blocks, eight for three, nine for four."""
        downs = _all_edges(places[:, 0], places[:, 2], rows, self.scale)
        acrosses = _all_edges(places[:, 1], places[:, 3], columns, self.scale)
        areas = (np.diff(downs)[:, :, None] * np.diff(acrosses)[:, None, :]).astype(np.float64)
        odd = np.add.outer(np.arange(rows), np.arange(columns)) % 2 == 1
        per_pixel = np.where(odd, -1.0 / areas[:, odd].sum(axis=1)[:, None, None], 1.0)
        per_pixel = np.where(odd, per_pixel, 1.0 / areas[:, ~odd].sum(axis=1)[:, None, None])
        weights = np.zeros((len(places), rows + 1, columns + 1))  # a corner is shared by up to four blocks
        weights[:, 1:, 1:] += per_pixel
        weights[:, :-1, 1:] -= per_pixel
        weights[:, 1:, :-1] -= per_pixel
        weights[:, :-1, :-1] += per_pixel
        total = np.zeros((len(places), len(self.base)))
        for row in range(rows + 1):
            for column in range(columns + 1):
                if weights[:, row, column].any():
                    corner = downs[:, row] * self.stride + acrosses[:, column]
                    total += weights[:, row, column, None] * self.table.take(self.base + corner[:, None])
        total /= self.contrast
        return total


def _all_edges(starts: Array, sizes: Array, count: int, scale: float) -> Array:
    """The edges (f, count + 1) of the blocks of several features along one side."""
    return np.rint(scale * (starts[:, None] + sizes[:, None] * np.arange(count + 1))).astype(np.int64)


def _contrast(sums: Array, squares: Array, pixels: int) -> Array:
    """The standard deviation of the pixels of windows, from their sums and those of their squares."""
    mean = sums / pixels
    return np.maximum(np.sqrt(np.maximum(squares / pixels - np.square(mean), 0.0)), FLAT)


def slide_places(shape: tuple[int, ...]) -> Array:
    """A feature of two blocks, one above the other, at all places (p, 5) of a picture in reading order."""
    height, width = shape
    kind = 1 if height > 1 else 0
    high, wide = max(1, height // 5), max(1, width // (3 if kind else 5))
    tops = np.arange(height - high * (1 + kind) + 1)
    lefts = np.arange(width - wide * (2 - kind) + 1)
    down, across = (grid.ravel() for grid in np.meshgrid(tops, lefts, indexing="ij"))
    return np.column_stack([np.full(len(down), kind), down, across, np.full(len(down), high), np.full(len(down), wide)])
