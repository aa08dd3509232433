"""Every point of a map pushes every other: the sums over all pairs, exactly or with a grid and the Fourier transform.

Wanted are, with w_ij = 1 / (1 + |z_i - z_j|^2), the sum Z of w over all pairs of different points and the pushes
f_i = sum_j w_ij^2 (z_i - z_j). Both come from one potential, phi(z) = sum_j 1 / (1 + |z - z_j|^2): Z is the sum of phi
at the points, less what each adds to itself, and f_i = -1/2 grad phi(z_i).

The potential is a convolution of a smooth kernel with the points. So the points are spread over the nodes of a grid
with cubic B-splines, the grid is convolved by the fast Fourier transform, and potential and slope are read off with the
same splines. Dividing the transform of the kernel by that of the splines, squared, makes the result exact for points on
nodes. This is the idea of FIt-SNE (Linderman et al. 2019) with the splines of the particle-mesh Ewald method (Essmann
et al. 1995): the time grows with n, and all of it is spent inside a few array operations, which a tree (Barnes and Hut)
in Python would not allow. With few points all pairs are quicker, and nothing is approximated.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import fft

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances

SPACING = {1: 0.25, 2: 0.4, 3: 0.6}
"""Between the nodes of the grid, for maps of so many dimensions; the kernel falls to one half at a distance of 1."""
LEAST_NODES = 16
"""Nodes along the longest side, at least: a small map has a finer grid, because slopes close by need it."""
MOST_NODES = 1 << 22
"""On the whole grid; a larger map gets wider spacings."""
PAIR, NODE, SPREAD = 4.0, 12.0, 30.0
"""Nanoseconds for a pair of points, for a node of the grid, and for one of the splines that a point is spread over."""
FEW = 100
"""So few points never need a grid."""
_CELLS = 1 << 18  # pairs at a time, so that they stay in the cache and a run can be called off


class Repulsion(NamedTuple):
    """What all other points do to each point, and the sum over all pairs."""

    pushes: Array  # (n, m) sum_j w_ij^2 (z_i - z_j)
    total: float  # sum of w_ij over all i and j that differ


def repulsion(places: Array) -> Repulsion:
    """The pushes in a map (n, m) of one to three dimensions, in the way that takes less time."""
    n, m = places.shape
    if n <= FEW:
        return exact(places)
    spacing, shape = _grid(places)
    by_grid = NODE * float(np.prod(shape)) + SPREAD * n * 4**m
    return exact(places) if PAIR * n * n <= by_grid else interpolated(places, spacing, shape)


def exact(places: Array) -> Repulsion:
    """All pairs, a few rows at a time."""
    n = len(places)
    pushes, total = np.empty_like(places), -float(n)
    size = max(1, _CELLS // n)
    for start in range(0, n, size):
        checkpoint()
        rows = places[start : start + size]
        weights = squared_distances(rows, places)
        weights += 1.0
        np.reciprocal(weights, out=weights)
        total += float(weights.sum())
        weights *= weights
        pushes[start : start + size] = weights.sum(axis=1)[:, None] * rows - weights @ places
    return Repulsion(pushes, total)


def interpolated(places: Array, spacing: float, shape: tuple[int, ...]) -> Repulsion:
    """By a grid with this spacing, of a shape that leaves half of it free: a convolution goes round the corner."""
    m = places.shape[1]
    at = (places - places.min(axis=0)) / spacing + 1.0
    first = at.astype(np.int64)
    part = at - first
    splines, slopes = _cubic_splines(part)  # (n, m, 4) each
    nodes = (first[:, :, None] + np.arange(-1, 3)) * _strides(shape)[:, None]
    where, weights = _outer(nodes, np.add), _outer(splines, np.multiply)  # (n, 4^m) each
    spread = np.bincount(where.ravel(), weights.ravel(), minlength=int(np.prod(shape)))
    kernel, own = _kernel(shape, spacing)
    checkpoint()
    transformed = fft.rfftn(spread.reshape(shape))
    transformed *= kernel
    potential = fft.irfftn(transformed, s=shape, overwrite_x=True)
    checkpoint()
    seen = potential.ravel().take(where)
    seen -= weights @ own  # what comes from the point itself
    total = float(np.vdot(seen, weights))
    pushes = np.empty_like(places)
    for axis in range(m):
        along = splines.copy()
        along[:, axis] = slopes[:, axis]
        pushes[:, axis] = np.einsum("ij,ij->i", seen, _outer(along, np.multiply))
    pushes *= -0.5 / spacing
    return Repulsion(pushes, total)


def _grid(places: Array) -> tuple[float, tuple[int, ...]]:
    """The spacing, in steps of a factor so that kernels can be kept, and the shape: twice the map in each direction."""
    m = places.shape[1]
    sides = np.ptp(places, axis=0)
    longest = max(float(sides.max()), 1e-9)
    finer = max(0.0, np.ceil(2.0 * np.log2(SPACING[m] * LEAST_NODES / longest)))
    spacing = SPACING[m] * 0.5 ** (0.5 * finer)
    while True:
        shape = tuple(fft.next_fast_len(2 * (int(side / spacing) + 5), real=True) for side in sides.tolist())
        if np.prod(shape, dtype=float) <= MOST_NODES:
            return spacing, shape
        spacing *= 1.5


def _cubic_splines(part: Array) -> tuple[Array, Array]:
    """How much of a point falls to the node before last, the last, the next and the one after; and the slopes of it."""
    rest = 1.0 - part
    square, cube = part * part, part * part * part
    splines = np.stack([rest**3, 3.0 * cube - 6.0 * square + 4.0, 3.0 * (part + square - cube) + 1.0, cube], axis=-1)
    slopes = np.stack([-rest * rest, 3.0 * square - 4.0 * part, 1.0 + 2.0 * part - 3.0 * square, square], axis=-1)
    return splines / 6.0, slopes / 2.0


def _strides(shape: tuple[int, ...]) -> Array:
    """How far apart neighbouring nodes of each direction are in the grid written as one row."""
    return np.array([int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))], dtype=np.int64)


def _outer(parts: Array, combine: np.ufunc) -> Array:
    """Of numbers (n, m, 4) all 4^m combinations across the directions, (n, 4^m)."""
    table = parts[:, 0]
    for axis in range(1, parts.shape[1]):
        table = combine(table[:, :, None], parts[:, axis, None, :]).reshape(len(parts), -1)
    return table


@lru_cache(maxsize=8)
def _kernel(shape: tuple[int, ...], spacing: float) -> tuple[Array, Array]:
    """The transform of the kernel on the grid, divided by that of the splines for spreading and for reading.

    And what one of the 4^m nodes around a point adds to another, (4^m, 4^m).
    """
    squared, splines = np.zeros([1] * len(shape)), np.ones([1] * len(shape))
    for axis, size in enumerate(shape):
        steps = np.arange(size)
        away = np.minimum(steps, size - steps) * spacing
        turns = steps[: size // 2 + 1] if axis == len(shape) - 1 else steps
        around = [1] * len(shape)
        around[axis] = -1
        squared = squared + (away * away).reshape(around)
        splines = splines * np.square((2.0 + np.cos(2.0 * np.pi * turns / size)) / 3.0).reshape(around)
    transformed = fft.rfftn(1.0 / (1.0 + squared)).real / splines  # the kernel is even, so there is no other part
    sparse = np.meshgrid(*[np.arange(4)] * len(shape), indexing="ij")
    nodes = np.stack([axis.ravel() for axis in sparse])  # (m, 4^m)
    steps = (nodes[:, :, None] - nodes[:, None]) % np.array(shape)[:, None, None]  # those before come round the corner
    return transformed, fft.irfftn(transformed, s=shape)[tuple(steps)]
