"""The mathematics of t-SNE: how similar points are, what pulls and pushes in the map, and the place of a new point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.embedding.t_sne.solver.all_pairs import repulsion
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances
from algorithms.maths.moving_maps import Pulls, WeightedPairs, both_directions, principal_map, upper_half
from algorithms.maths.nearest_points import Found, nearest_others, search_in

REACH = 3
"""Neighbours that are looked at, in perplexities: farther ones have hardly any part in the Gaussian bell."""
MOST_NEIGHBOURS = 1_500_000
"""Of all points together: a step with more of them would take too long to be called off at once."""
FIRST_SIZE = 1e-4
"""The spread of the first map: small, so that far points can still pass each other."""
JITTER = 0.01
"""... and how far points are moved at random, beside that: equal points would stay on top of each other for ever."""
HALVINGS = 50
SHARPEST, FLATTEST = 70.0, -12.0
"""The logarithms of the precisions between which the one of the wanted perplexity is looked for."""
SETTLING = 60
"""Steps in which a new point finds its place."""
_CELLS = 1 << 18  # neighbours whose bells are worked on at once: they stay in the cache, and a run can be called off


@dataclass(frozen=True, slots=True, eq=False)
class Similarities(WeightedPairs):
    """p_ij of all pairs that are similar at all; twice their sum is 1."""

    entropy: float  # sum of p_ij log p_ij over all i and j

    @property
    def p(self) -> Array:
        """p_ij of each pair, (e,)."""
        return self.weights


def possible_perplexity(wanted: float, n: int) -> float:
    """The perplexity, lowered where there are not three times as many neighbours, or far too many for one step."""
    return max(1.0, min(wanted, (n - 1) / REACH, MOST_NEIGHBOURS / n / REACH))


def neighbours_of(X: Array, perplexity: float) -> Found:
    """The neighbours of each point that can have a part in its perplexity."""
    return nearest_others(X, _reach(perplexity, len(X) - 1))


def _reach(perplexity: float, most: int) -> int:
    return min(int(REACH * perplexity) + 1, most)


def conditional(distances: Array, perplexity: float) -> tuple[Array, Array]:
    """p_j|i (n, k) of neighbours at these distances, and the width sigma_i (n,) of each Gaussian bell.

    The width is found by halving: a wider bell has the higher entropy, whose exponential is the perplexity. Bells in
    which too many neighbours are equally near stay as narrow as may be, and those without any distance are even.
    """
    parts = [_bells(distances[rows], perplexity) for rows in _blocks(*distances.shape)]
    p, widths = (np.concatenate(found) for found in zip(*parts))
    return p, widths


def _blocks(n: int, k: int) -> Iterator[slice]:
    size = max(1, _CELLS // k)
    return (slice(start, start + size) for start in range(0, n, size))


def _bells(distances: Array, perplexity: float) -> tuple[Array, Array]:
    squared = np.square(distances)
    squared -= squared.min(axis=1, keepdims=True)  # a common factor of all p_j|i
    scale = squared.mean(axis=1)
    even = scale == 0.0
    squared /= np.where(even, 1.0, scale)[:, None]
    low, high = np.full(len(squared), FLATTEST), np.full(len(squared), SHARPEST)
    for _ in range(HALVINGS):
        checkpoint()
        middle = 0.5 * (low + high)
        too_flat = _entropy(squared, np.exp(middle)) > np.log(perplexity)
        low, high = np.where(too_flat, middle, low), np.where(too_flat, high, middle)
    precision = np.exp(0.5 * (low + high))
    p = np.exp(-precision[:, None] * squared)
    p /= p.sum(axis=1, keepdims=True)
    return p, np.sqrt(0.5 * scale / precision)


def _entropy(squared: Array, precision: Array) -> Array:
    """The entropy (n,) of p_j proportional to exp(-precision * squared), whose least square is 0."""
    exponent = precision[:, None] * squared
    p = np.exp(-exponent)
    total = p.sum(axis=1)
    entropy: Array = np.log(total) + np.einsum("ij,ij->i", p, exponent) / total
    return entropy


def symmetric(neighbours: Array, p: Array) -> Similarities:
    """p_ij = (p_j|i + p_i|j) / 2n of all pairs."""
    given, taken = both_directions(neighbours, p)
    table = given + taken
    table.data /= 2.0 * len(p)
    first, second, values = upper_half(table)
    return Similarities(len(p), first, second, values, entropy=2.0 * float(values @ np.log(values)))


def first_map(X: Array, dimensions: int, begin: str, rng: np.random.Generator) -> Array:
    """A small map (n, dimensions): of principal components, or random."""
    places = rng.standard_normal((len(X), dimensions))
    if begin == "principal components":
        places = principal_map(X, dimensions) + JITTER * places
    places -= places.mean(axis=0)
    return np.asarray(places * FIRST_SIZE)


class Slope(NamedTuple):
    """The gradient of the divergence in a map, and what was found on the way."""

    gradient: Array  # (n, m)
    spread: Array  # (e,) 1 + |z_i - z_j|^2 of the similar pairs
    total: float  # the sum Z of w_ij over all i and j that differ


class Forces:
    """What moves the points of a map: similar ones attract each other, and all repel all.

    It keeps a sparse table in which only the numbers change from step to step.
    """

    def __init__(self, similar: Similarities) -> None:
        from scipy.sparse import csr_array

        self.similar = similar
        starts = np.searchsorted(similar.first, np.arange(similar.n + 1)).astype(np.int32)
        ends = similar.second.astype(np.int32)
        self._pulls: Any = csr_array((similar.p.copy(), ends, starts), shape=(similar.n, similar.n))

    def slope(self, places: Array, exaggeration: float = 1.0) -> Slope:
        """With all p_ij multiplied by ``exaggeration``, dC/dz_i = 4 sum_j (p_ij - q_ij) w_ij (z_i - z_j)."""
        spread = np.ones(len(self.similar.p))
        for axis in np.ascontiguousarray(places.T):  # column by column: ten times as fast as rows of two
            checkpoint()
            away = axis.take(self.similar.first)
            away -= axis.take(self.similar.second)
            away *= away
            spread += away
        np.divide(self.similar.p, spread, out=self._pulls.data)
        checkpoint()
        with_ones = np.column_stack([places, np.ones(len(places))])
        pulled = self._pulls @ with_ones + self._pulls.T @ with_ones
        pulls = pulled[:, -1:] * places - pulled[:, :-1]
        pushes, total = repulsion(places)
        return Slope(4.0 * (exaggeration * pulls - pushes / total), spread, total)

    def divergence(self, slope: Slope) -> float:
        """KL(P || Q) = sum p_ij log p_ij + sum p_ij log(1 + |z_i - z_j|^2) + log Z."""
        apart = 2.0 * float(self.similar.p @ np.log(slope.spread))
        return self.similar.entropy + apart + float(np.log(slope.total))


def pulls_on(
    point: int, places: Array, similar: Similarities, exaggeration: float, total: float
) -> tuple[Pulls, Array]:
    """What moves one point, without the factor 4, and the similarities q in the map beside those in the data.

    ``total`` is the sum Z of all w_ij.
    """
    neighbours, p = similar.of(point)
    away = places[point] - places
    weights = 1.0 / (1.0 + np.square(away).sum(axis=1))
    attraction = -(exaggeration * p * weights[neighbours]) @ away[neighbours]
    pushes = (weights * weights) @ away / total
    what = f"similarity to point {point + 1}"
    return Pulls(point, neighbours, p, attraction, pushes, what), weights[neighbours] / total


def placed_beside(places: Array, X: Array, new: Array, perplexity: float) -> Array:
    """The places (r, m) of new points: among their neighbours, then down their own divergence while the others stay.

    Each step goes to where its neighbours would pull it at once, half of the way, and is pushed aside by all points.
    """
    found = search_in(X, "euclidean").nearest(new, _reach(perplexity, len(X)))
    p, _ = conditional(found.distances, min(perplexity, found.points.shape[1]))
    near = places[found.points]  # (r, k, m)
    at = np.einsum("rk,rkm->rm", p, near)
    for _ in range(SETTLING):
        checkpoint()
        away = at[:, None] - near
        pull = p / (1.0 + np.square(away).sum(axis=2))
        weights = 1.0 / (1.0 + squared_distances(at, places))
        q = weights * weights / weights.sum(axis=1, keepdims=True)
        push = q.sum(axis=1)[:, None] * at - q @ places
        slope = np.einsum("rk,rkm->rm", pull, away) - push
        at = at - 0.5 * slope / pull.sum(axis=1)[:, None]
    return np.asarray(at)
