"""Which points of a large cloud can be seen at all.

Most points of a dense cloud lie under later ones: of 100,000 normally distributed points on 900 by 700 pixels some
16,000 show. Which ones depends on places and symbols only, not on colours: it is worked out once for a view, and
recolouring then paints only those.

The number of the topmost point is written at the place of every point, and each symbol then spreads these numbers over
its pixels, the larger number winning: a maximum filter, whose time depends on the pixels and not on the points.
"""

from __future__ import annotations

import numpy as np

from algorithms.data import Array

VEIL_CELL, VEILS = 4.0, 12
"""The side of a square in pixels, and how many veils in it are painted: so many, each a quarter opaque, let three
hundredths of what is under them through even where no neighbour reaches over them."""


def topmost_of_veils(places: Array, sizes: Array) -> Array:
    """The numbers, ascending, of the discs through which one sees that are worth painting where many lie together.

    ``places`` (2, n) are pixels, ``sizes`` (n,) diameters. In every small square the largest are kept.
    """
    column, row = np.floor(places / VEIL_CELL).astype(np.int64)
    square = (column - column.min()) + (row - row.min()) * (np.ptp(column) + 1)
    order = np.lexsort((sizes, square))
    square = square[order]
    kept = np.ones(len(order), dtype=bool)
    kept[:-VEILS] = square[VEILS:] != square[:-VEILS]  # fewer than so many larger ones follow
    return np.sort(order[kept])


def visible_points(corners: Array, kinds: Array, symbols: list[Array], size: tuple[int, int]) -> Array:
    """The numbers, ascending, of the points that keep a pixel of their own when all are painted in their order.

    ``corners`` (n, 2) are whole columns and rows in a picture of ``size`` (width, height), where the upper left corner
    of a point's symbol lies; ``kinds`` (n,) says which of the ``symbols``, (h, w) of bool, it has. Points outside the
    picture are left out.
    """
    pad = max(max(symbol.shape) for symbol in symbols)
    width, height = size[0] + 2 * pad, size[1] + 2 * pad
    column, row = corners.T + pad
    inside = (column >= 0) & (column < width - pad) & (row >= 0) & (row < height - pad)
    numbers = np.flatnonzero(inside).astype(np.int32)
    places, kinds = (row * width + column)[numbers], kinds[numbers]
    owner = np.full(width * height, -1, dtype=np.int32)
    for kind, symbol in enumerate(symbols):
        chosen = kinds == kind
        top = np.full(width * height, -1, dtype=np.int32)
        top[places[chosen]] = numbers[chosen]  # of several at one place the last is written, and that is the topmost
        _spread(top, symbol, width, owner)
    picture = owner.reshape(height, width)[pad:-pad, pad:-pad]
    seen = np.zeros(len(corners), dtype=bool)
    seen[picture[picture >= 0]] = True
    return np.flatnonzero(seen)


def _spread(top: Array, symbol: Array, width: int, owner: Array) -> None:
    """Raise ``owner`` to ``top`` moved to each pixel of the symbol.

    The pixels are taken as horizontal runs. The maximum over a run of ``length`` is that of two runs whose length is a
    power of two, and those are made from the ones half as long.
    """
    runs = _runs(symbol)
    reach, longest = 1, max((length for _, length in runs), default=0)
    while reach <= longest:
        for place, length in runs:
            if reach <= length < 2 * reach:
                row, column = divmod(place, symbol.shape[1])
                first = row * width + column
                for shift in {first, first + length - reach}:
                    np.maximum(owner[shift:], top[: len(top) - shift], out=owner[shift:])
        wider = top.copy()
        np.maximum(top[reach:], top[:-reach], out=wider[reach:])
        top, reach = wider, 2 * reach


def _runs(symbol: Array) -> list[tuple[int, int]]:
    """The horizontal runs of a symbol: where each begins in the flattened picture, and its length."""
    edges = np.diff(np.pad(symbol.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    begin, end = np.argwhere(edges == 1), np.argwhere(edges == -1)
    return [(int(row * symbol.shape[1] + first), int(last - first)) for (row, first), (_, last) in zip(begin, end)]
