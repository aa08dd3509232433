"""Where a function over a grid is zero, as straight pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.data import Array


def zero_pieces(values: Array, x: Array, y: Array, levels: Sequence[float] = (0.0,)) -> Array:
    """The pieces (m, 2, 2) of the zero line of ``values`` (len(y), len(x)), or of the lines of some ``levels``.

    Each piece has its ends as (x, y).
    Each cell is cut into two triangles, over which the function is taken for linear; where the corners of a triangle
    differ in sign one corner stands alone, and the piece joins the two sides that meet in it.
    """
    at = np.stack(np.meshgrid(x, y), axis=-1)
    corner = (slice(None, -1), slice(1, None))
    pieces = []
    for rows in ((0, 0, 1), (1, 0, 1)):
        columns = (0, 1, 1) if rows == (0, 0, 1) else (0, 0, 1)
        picked = [(corner[row], corner[column]) for row, column in zip(rows, columns)]
        heights = np.stack([values[place] for place in picked], axis=-1).reshape(-1, 3)
        places = np.stack([at[place] for place in picked], axis=-2).reshape(-1, 3, 2)
        if len(levels) > 1 or levels[0]:  # all at once: a map has a dozen
            heights = (heights - np.array(levels)[:, None, None]).reshape(-1, 3)
            places = np.tile(places, (len(levels), 1, 1))
        above = heights >= 0.0
        for lone in range(3):
            one, two = (lone + 1) % 3, (lone + 2) % 3
            cut = (above[:, lone] != above[:, one]) & (above[:, one] == above[:, two])
            h, p = heights[cut], places[cut]
            ends = [
                p[:, lone] + (h[:, lone] / (h[:, lone] - h[:, k]))[:, None] * (p[:, k] - p[:, lone]) for k in (one, two)
            ]
            pieces.append(np.stack(ends, axis=1))
    return np.concatenate(pieces)
