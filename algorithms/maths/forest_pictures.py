"""What many trees answer, added up over the points of a picture, without asking every tree at every point.

Where the points lie on a grid along the axes, the box of a leaf is a rectangle of it. On any other plane through the
data, as that of the principal components, a row of the picture is a line along which every feature only rises or only
falls: a cut parts it in at most two pieces, so it is pieces of rows that go down the trees, not points. Either way a
leaf adds its answer where its part begins and takes it off where that ends, and running sums fill what is inside.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

if TYPE_CHECKING:
    from algorithms.maths.forests import Grove

SHORT = 16
"""Lines of fewer points are not worth it."""


# --- on a grid along the axes -----------------------------------------------------------------------------------------


class Grid(NamedTuple):
    """Points that are some of the crossings of a grid."""

    places: list[Array]  # for each feature the values it takes, in order
    cell: Array  # (n,) the crossing of every point


def grid_of(X: Array) -> Grid | None:
    """The grid of the points, unless it has many more crossings than there are points."""
    places: list[Array] = []
    cells = 1
    if not len(X):
        return None
    for column in X.T:
        places.append(np.unique(column))
        cells *= len(places[-1])
        if cells > len(X) + 16:
            return None
    cell = np.zeros(len(X), dtype=np.intp)
    for j, values in enumerate(places):
        if len(values) > 1:
            cell *= len(values)
            cell += values.searchsorted(X[:, j])
    return Grid(places, cell)


def total_on_grid(grove: Grove, trees: int, grid: Grid, votes: bool) -> Array:
    """The sum (n, c) of what the first trees answer: every leaf adds its own to the crossings in its box."""
    axes = tuple(j for j, values in enumerate(grid.places) if len(values) > 1)
    fixed = tuple(0.0 if len(values) > 1 else float(values[0]) for values in grid.places)
    shape = tuple(len(grid.places[j]) + 1 for j in axes)
    cells: list[Array] = []
    added: list[Array] = []
    low, high, leaves = _on_grid(_boxes(grove, axes, fixed), int(grove.start[trees]), grid, axes)
    answers = grove.table.answers(votes)[leaves]
    for corner in np.ndindex(*(2,) * len(axes)):
        at = [(high if side else low)[a] for a, side in enumerate(corner)]
        cells.append(np.ravel_multi_index(at, shape) if axes else np.zeros(len(leaves), dtype=np.intp))
        added.append(-answers if sum(corner) % 2 else answers)
    where, what = np.concatenate(cells), np.concatenate(added)
    columns = []
    for column in what.T:
        sums = np.bincount(where, column, minlength=math.prod(shape)).reshape(shape)
        for axis in range(len(axes)):
            sums = sums.cumsum(axis=axis)
        inside = sums[tuple(slice(-1) for _ in axes)]
        columns.append(inside.ravel().take(grid.cell))
    return np.stack(columns, axis=1)


class Boxes(NamedTuple):
    """The boxes of leaves along some axes."""

    low: Array  # (axes, l)
    high: Array  # (axes, l)
    leaves: Array  # (l,) nodes, rising


@functools.lru_cache(maxsize=32)
def _boxes(grove: Grove, axes: tuple[int, ...], fixed: tuple[float, ...]) -> Boxes:
    """The boxes of the leaves that a point can come to whose other features are fixed at these values (d,).

    A picture is made in pieces, and the trees of one frame are also in the next.
    """
    table, m = grove.table, len(grove.table.child)
    axis_of = np.full(len(fixed), -1)
    axis_of[list(axes)] = np.arange(len(axes))
    low, high = np.full((len(axes), m), -np.inf), np.full((len(axes), m), np.inf)
    met = np.ones(m, dtype=bool)  # whether the box holds what is fixed
    by_depth, ends = np.argsort(table.depth, kind="stable"), np.bincount(table.depth).cumsum()
    for first, last in zip([0, *ends[:-1].tolist()], ends.tolist()):
        nodes = by_depth[first:last]
        inner = nodes[table.child[nodes] >= 0]
        left, feature, threshold = table.child[inner], table.feature[inner], table.threshold[inner]
        axis, right = axis_of[feature], np.take(fixed, feature) >= threshold
        for child, is_right in ((left, False), (left + 1, True)):
            low[:, child], high[:, child] = low[:, inner], high[:, inner]
            met[child] = met[inner] & ((axis >= 0) | (right == is_right))
        free = np.flatnonzero(axis >= 0)
        high[axis[free], left[free]] = low[axis[free], left[free] + 1] = threshold[free]
    leaves = np.flatnonzero((table.child < 0) & met)
    return Boxes(low[:, leaves], high[:, leaves], leaves)


def _on_grid(boxes: Boxes, end: int, grid: Grid, axes: tuple[int, ...]) -> tuple[list[Array], list[Array], Array]:
    """The first crossing in each box and the first behind it along each axis, and the leaves that have any.

    Only nodes below ``end`` count.
    """
    count = int(boxes.leaves.searchsorted(end))
    low = [grid.places[j].searchsorted(boxes.low[a, :count]) for a, j in enumerate(axes)]
    high = [grid.places[j].searchsorted(boxes.high[a, :count]) for a, j in enumerate(axes)]
    some = np.ones(count, dtype=bool)
    for first, behind in zip(low, high):
        some &= behind > first
    low, high = ([numbers.compress(some) for numbers in ends] for ends in (low, high))
    return low, high, boxes.leaves[:count].compress(some)


# --- along lines ------------------------------------------------------------------------------------------------------


class Lines(NamedTuple):
    """Points in lines of equal length, one line after the other; along each every feature only rises or only falls."""

    values: Array  # (r, w, d)
    rises: Array  # (r, d) bool

    @property
    def width(self) -> int:
        """How many points a line has."""
        return self.values.shape[1]


def lines_of(X: Array) -> Lines | None:
    """The lines of the points, where they are long: what is equally far from the one before goes on with its line."""
    if len(X) < SHORT:
        return None
    fastest = int(np.abs(X[1] - X[0]).argmax())
    steps = np.diff(X[:, fastest])
    ends = np.flatnonzero(np.abs(steps - steps[0]) > 1e-3 * abs(steps[0]))
    width = int(ends[0]) + 1 if len(ends) else len(X)
    if width < SHORT or len(X) % width:
        return None
    values = np.ascontiguousarray(X).reshape(-1, width, X.shape[1])
    steps = np.diff(values, axis=1)
    rises, falls = np.all(steps >= 0.0, axis=1), np.all(steps <= 0.0, axis=1)
    return Lines(values, np.asarray(rises)) if np.all(rises | falls) else None


def total_along(grove: Grove, trees: int, lines: Lines, votes: bool) -> Array:
    """The sum (n, c) of what the first trees answer: pieces of lines go down them, and each ends in one leaf."""
    rows, width = lines.rises.shape[0], lines.width
    line, low, high, leaf = _pieces(grove, trees, lines)
    line *= width + 1
    first, behind, cells = line + low, line + high, rows * (width + 1)
    sums = []
    for column in grove.table.answers(votes).T:
        answers = column.take(leaf)
        sums.append(np.bincount(first, answers, minlength=cells) - np.bincount(behind, answers, minlength=cells))
    inside = np.cumsum(np.reshape(sums, (-1, rows, width + 1)), axis=2)[:, :, :-1]
    return np.ascontiguousarray(inside.reshape(len(sums), -1).T)


def _pieces(grove: Grove, trees: int, lines: Lines) -> tuple[Array, Array, Array, Array]:
    """Every line in every tree, cut into pieces: its line, the first place and the first behind it, and the leaf."""
    table, rows = grove.table, len(lines.rises)
    node = np.repeat(grove.start[:trees], rows)
    line = np.tile(np.arange(rows), trees)
    low, high = np.zeros(len(node), dtype=np.intp), np.full(len(node), lines.width)
    ended: list[tuple[Array, ...]] = []
    while len(node):
        checkpoint()
        child = table.child.take(node)
        leaf = child < 0
        ended.append(tuple(part.compress(leaf) for part in (line, low, high, node)))
        inner = ~leaf
        node, child, line, low, high = (part.compress(inner) for part in (node, child, line, low, high))
        feature = table.feature.take(node)
        rises = lines.rises.ravel().take(line * lines.rises.shape[1] + feature)
        cut = _cuts(lines, line, feature, table.threshold.take(node), rises)
        cut = np.minimum(np.maximum(cut, low), high)
        before, behind = cut > low, cut < high  # what is left of a line on both sides of the cut
        node = np.concatenate([(child + ~rises).compress(before), (child + rises).compress(behind)])
        line = np.concatenate([line.compress(before), line.compress(behind)])
        low, high = (
            np.concatenate([low.compress(before), cut.compress(behind)]),
            np.concatenate([cut.compress(before), high.compress(behind)]),
        )
    line, low, high, node = (np.concatenate(parts) for parts in zip(*ended))
    return line, low, high, node


def _cuts(lines: Lines, line: Array, feature: Array, threshold: Array, rises: Array) -> Array:
    """The first place of each line on the other side of a threshold than its beginning, if it begins below a rise.

    Points of a picture are equally far from each other, so dividing is nearly always right; the points themselves have
    the last word, since a model asks them.
    """
    width, d = lines.width, lines.values.shape[2]
    values = lines.values.ravel()
    at = line * (width * d) + feature  # where each line has its feature
    first, last = values.take(at), values.take(at + (width - 1) * d)
    span = last - first
    span[span == 0.0] = 1.0  # a line on which the feature is constant is not cut, whatever is guessed
    guess = (threshold - first) / span
    guess *= width - 1
    np.minimum(np.maximum(guess, -1.0, out=guess), width - 1, out=guess)
    cut = guess.astype(np.intp)  # rounded down, from 0 on
    cut += 1
    wrong = np.arange(len(cut))
    while len(wrong):
        place = cut.take(wrong)
        here = (values.take(at + np.minimum(place, width - 1) * d) >= threshold) == rises
        before = (values.take(at + np.maximum(place - 1, 0) * d) >= threshold) == rises
        step = ((place < width) & ~here).astype(np.intp) - ((place > 0) & before)
        moves = step.nonzero()[0]
        wrong, at, threshold, rises = (part.take(moves) for part in (wrong, at, threshold, rises))
        cut[wrong] += step.take(moves)
    return cut
