"""The mathematics of UMAP: the fuzzy graph, its first map, what pulls and pushes, and the place of a new point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances
from algorithms.maths.maps import evenly, oriented
from algorithms.maths.moving_maps import Pulls, WeightedPairs, both_directions, principal_map, upper_half
from algorithms.maths.nearest_points import search_in

HALVINGS = 60
NARROWEST = 1e-3
"""The least sigma, as a fraction of the mean distance of the neighbours: where all are equally near there is none."""
FIRST_SIZE = 10.0
"""How far the first map reaches from its middle."""
JITTER = 1e-4
BATCHES = 8
"""Parts in which the edges of an epoch pull, one after the other, so that a point is not pulled by all at once."""
MOST_PULLS = 1 << 15
"""In one part; where there are very many edges there are more parts, so that a run can be called off."""
AT_ONCE = 3.0
"""A point that is pulled more often than this in one part goes as far as with so many pulls of mean strength."""
FARTHEST = 4.0
"""The largest step of a coordinate by one pull or push."""
SOFT = 1e-3
"""Added to squared distances, so that points on top of each other are not thrown to infinity."""
JUDGED = 64
"""Points whose loss is added up, evenly chosen."""
SETTLING = 60
"""Steps in which a new point finds its place."""
DECIMALS = 6
"""Of a map, and of what moves it. Processors disagree in the sixteenth digit, epochs make small differences large, and
the same seed shall give the same map everywhere."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similar two points of the map are at the distance d: 1 / (1 + a d^2b)."""

    a: float
    b: float

    def at(self, distances: Array) -> Array:
        """From 1 for no distance down to 0."""
        return np.asarray(1.0 / (1.0 + self.a * np.power(distances, 2.0 * self.b)))

    def pull(self, squared: Array) -> Array:
        """How strongly an edge pulls, by distance: -log of the similarity, derived by the squared distance, twice."""
        grown = self.a * np.power(squared, self.b)
        return np.asarray(2.0 * self.b * grown / ((1.0 + grown) * np.maximum(squared, 1e-12)))

    def push(self, squared: Array) -> Array:
        """How strongly strangers push: the same of -log of what is missing from 1, a little softer when very near."""
        return np.asarray(2.0 * self.b / ((SOFT + squared) * (1.0 + self.a * np.power(squared, self.b))))


def wanted_similarity(distances: Array, min_dist: float) -> Array:
    """1 up to ``min_dist``, from there falling as exp(-(d - min_dist))."""
    return np.exp(-np.maximum(distances - min_dist, 0.0))


def fitted_similarity(min_dist: float) -> Similarity:
    """A and b with which the smooth curve comes nearest to the wanted one, by least squares up to a distance of 3."""
    from scipy.optimize import curve_fit

    x = np.linspace(0.0, 3.0, 300)
    (a, b), _ = curve_fit(lambda x, a, b: 1.0 / (1.0 + a * x ** (2.0 * b)), x, wanted_similarity(x, min_dist))
    return Similarity(round(float(a), DECIMALS), round(float(b), DECIMALS))


# --- the graph --------------------------------------------------------------------------------------------------------


def memberships(distances: Array) -> tuple[Array, Array, Array]:
    """How strongly each point is joined to its neighbours (n, k), with rho (n,) and sigma (n,).

    The nearest one (that is not equal) is joined with strength 1; sigma is found by halving so that the strengths
    exp(-max(d - rho, 0) / sigma) add up to log2 k.
    """
    apart = distances > 0.0
    rho = np.where(apart.any(axis=1), np.where(apart, distances, np.inf).min(axis=1, initial=np.inf), 0.0)
    beyond = np.maximum(distances - rho[:, None], 0.0)
    mean = distances.mean(axis=1)
    mean = np.where(mean > 0.0, mean, 1.0)
    low, high = np.full(len(distances), -7.0), np.full(len(distances), 7.0)  # log10 of sigma / mean
    wanted = np.log2(distances.shape[1])
    for _ in range(HALVINGS):
        checkpoint()
        middle = 0.5 * (low + high)
        total = np.exp(-beyond / (mean * 10.0**middle)[:, None]).sum(axis=1)
        low, high = np.where(total < wanted, middle, low), np.where(total < wanted, high, middle)
    sigma = mean * np.maximum(10.0 ** (0.5 * (low + high)), NARROWEST)
    return np.exp(-beyond / sigma[:, None]), rho, sigma


@dataclass(frozen=True, slots=True, eq=False)
class FuzzyGraph(WeightedPairs):
    """Points joined to a degree between 0 and 1."""

    def degrees(self) -> Array:
        """The sum of the weights at each point, (n,)."""
        ends = np.concatenate([self.first, self.second])
        return np.bincount(ends, np.concatenate([self.weights, self.weights]), minlength=self.n)


def union(neighbours: Array, strengths: Array) -> FuzzyGraph:
    """The fuzzy union of both directions: an edge is there if either says so, w = a + b - ab."""
    given, taken = both_directions(neighbours, strengths)
    return FuzzyGraph(len(neighbours), *upper_half(given + taken - given * taken))


def pieces(graph: FuzzyGraph) -> int:
    """In how many connected pieces the graph is."""
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(_matrix(graph), directed=False)[0])


def _matrix(graph: FuzzyGraph):  # type: ignore[no-untyped-def]
    from scipy.sparse import csr_array

    ends = np.concatenate([graph.first, graph.second]), np.concatenate([graph.second, graph.first])
    return csr_array((np.concatenate([graph.weights, graph.weights]), ends), shape=(graph.n, graph.n))


# --- the first map ----------------------------------------------------------------------------------------------------


def first_map(X: Array, dimensions: int) -> Array:
    """That of principal components."""
    return _sized(principal_map(X, dimensions))


def random_map(n: int, dimensions: int, rng: np.random.Generator) -> Array:
    """Places drawn evenly."""
    return rng.uniform(-FIRST_SIZE, FIRST_SIZE, (n, dimensions))


def spectral_map(graph: FuzzyGraph, like: Array, rng: np.random.Generator) -> Array | None:
    """The eigenvectors of the normalised Laplacian with the smallest eigenvalues but one; None where there are none.

    They are turned to where another map points. A graph in pieces has none that tell the points of a piece apart.
    """
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    dimensions = like.shape[1]
    if graph.n <= dimensions + 2 or pieces(graph) > 1:
        return None
    scale = 1.0 / np.sqrt(graph.degrees())
    matrix = _matrix(graph)

    def shifted(v: Array) -> Array:  # I + D^-1/2 W D^-1/2, whose largest eigenvalues are wanted
        checkpoint()
        v = v.ravel()
        return np.asarray(v + scale * (matrix @ (scale * v)))

    operator = LinearOperator((graph.n, graph.n), matvec=shifted, dtype=np.float64)
    try:
        values, vectors = eigsh(
            operator, dimensions + 1, which="LA", v0=rng.uniform(0.5, 1.5, graph.n), tol=1e-4, maxiter=graph.n * 5
        )
    except ArpackError:
        return None
    places = vectors[:, np.argsort(-values)[1:]]
    return _sized(oriented(places, like))


def _sized(places: Array) -> Array:
    places = places - places.mean(axis=0)
    return np.asarray(places * (FIRST_SIZE / np.abs(places).max()))


# --- the way ----------------------------------------------------------------------------------------------------------


def rounded(numbers: Array) -> Array:
    """What every processor agrees in."""
    return np.round(numbers, DECIMALS)


class Motion:
    """Moves the points of a map: in each epoch an edge pulls its ends as often as its weight says, on average.

    After each pull some points drawn at random push the first of the two ends away. Every edge is there in both
    directions.
    """

    def __init__(self, graph: FuzzyGraph, similarity: Similarity, negatives: int, rng: np.random.Generator) -> None:
        self._heads = np.concatenate([graph.first, graph.second])
        self._tails = np.concatenate([graph.second, graph.first])
        self._rates = np.tile(rounded(graph.weights / graph.weights.max()), 2)
        self._phases = rng.random(len(self._rates))
        self._similarity, self._negatives, self._rng = similarity, negatives, rng

    def epoch(self, places: Array, number: int, rate: float) -> Array:
        """The places after the epoch of this number, counted from 1."""
        turn = np.floor(number * self._rates + self._phases) > np.floor((number - 1) * self._rates + self._phases)
        edges = self._rng.permutation(np.flatnonzero(turn))
        for part in np.array_split(edges, max(BATCHES, len(edges) // MOST_PULLS)):
            checkpoint()
            if len(part):
                places = places + rate * self._moves(places, self._heads[part], self._tails[part])
        return places

    def _moves(self, places: Array, heads: Array, tails: Array) -> Array:
        n = len(places)
        pulls = _limited(places[tails] - places[heads], self._similarity.pull)
        strangers = self._rng.integers(0, n, (len(heads), self._negatives))
        pushed = np.repeat(heads, self._negatives)
        pushes = _limited(places[pushed] - places[strangers.ravel()], self._similarity.push)
        ends = np.concatenate([heads, tails])
        often = np.bincount(ends, minlength=n)
        calm = AT_ONCE / np.maximum(often, AT_ONCE)
        moves = np.empty_like(places)
        for axis in range(places.shape[1]):
            along = np.concatenate([pulls[:, axis], -pulls[:, axis]])
            moves[:, axis] = calm * np.bincount(ends, along, minlength=n)
            moves[:, axis] += np.bincount(pushed, pushes[:, axis], minlength=n)
        return moves


def _limited(away: Array, strength) -> Array:  # type: ignore[no-untyped-def]
    moves = strength(np.einsum("ij,ij->i", away, away))[:, None] * away
    return np.clip(moves, -FARTHEST, FARTHEST, out=moves)


def loss(places: Array, graph: FuzzyGraph, similarity: Similarity, negatives: int) -> float:
    """What the epochs go down, on average over an even selection of points: long edges, and strangers that are near.

    sum_j w_ij (-log v_ij) + m d_i / 2n sum_l (-log(1 - v_il)),  v = 1 / (1 + a |z_i - z_j|^2b),  d_i = sum_j w_ij
    """
    checkpoint()
    rows = evenly(graph.n, JUDGED)
    asked = np.zeros(graph.n, dtype=bool)
    asked[rows] = True
    pairs, weights = [], []
    for one, two in ((graph.first, graph.second), (graph.second, graph.first)):
        chosen = asked[one]
        pairs.append(np.stack([one[chosen], two[chosen]]))
        weights.append(graph.weights[chosen])
    pulled = _long_edges(places, np.concatenate(pairs, axis=1), np.concatenate(weights), similarity)
    checkpoint()
    return (pulled + _near_strangers(places, rows, graph.degrees()[rows], similarity, negatives)) / len(rows)


def loss_before(X: Array, places: Array, k: int, similarity: Similarity, negatives: int) -> float:
    """The loss of a map before the graph is known: by the edges of the selected points to their own neighbours."""
    rows = evenly(len(X), JUDGED)
    found = search_in(X, "euclidean").nearest(X[rows], k + 1)
    strengths, _, _ = memberships(found.distances[:, 1:])
    pairs = np.stack([np.repeat(rows, k), found.points[:, 1:].ravel()])
    pulled = _long_edges(places, pairs, strengths.ravel(), similarity)
    return (pulled + _near_strangers(places, rows, strengths.sum(axis=1), similarity, negatives)) / len(rows)


def _long_edges(places: Array, pairs: Array, weights: Array, similarity: Similarity) -> float:
    v = similarity.at(np.linalg.norm(places[pairs[0]] - places[pairs[1]], axis=1))
    return -float(weights @ np.log(np.maximum(v, 1e-12)))


def _near_strangers(places: Array, rows: Array, degrees: Array, similarity: Similarity, negatives: int) -> float:
    v = similarity.at(np.sqrt(squared_distances(places[rows], places)))
    v[np.arange(len(rows)), rows] = 0.0
    strange = -np.log(np.maximum(1.0 - v, SOFT)).sum(axis=1)
    return float(negatives * degrees @ strange / (2.0 * len(places)))


def pulls_on(point: int, places: Array, graph: FuzzyGraph, similarity: Similarity, negatives: int) -> Pulls:
    """What moves one point in an epoch on average, at a rate of 1: its edges, and strangers as often as drawn."""
    neighbours, weights = graph.of(point)
    away = places[point] - places[neighbours]
    attraction = -2.0 * (weights * similarity.pull(np.square(away).sum(axis=1))) @ away
    away = places[point] - places
    drawn = negatives * float(weights.sum()) / graph.n
    repulsion = drawn * similarity.push(np.square(away).sum(axis=1)) @ away
    return Pulls(point, neighbours, weights, attraction, repulsion, f"edge of point {point + 1}")


def placed_beside(places: Array, X: Array, new: Array, k: int, similarity: Similarity, negatives: int) -> Array:
    """The places (r, m) of new points: among their neighbours, then to where pulls and pushes balance."""
    found = search_in(X, "euclidean").nearest(new, k)
    strengths, _, _ = memberships(found.distances)
    near = places[found.points]  # (r, k, m)
    degrees = strengths.sum(axis=1)
    at = np.einsum("rk,rkm->rm", strengths, near) / degrees[:, None]
    drawn = negatives * degrees / (2.0 * len(places))
    for _ in range(SETTLING):
        checkpoint()
        away = at[:, None] - near
        pull = strengths * similarity.pull(np.square(away).sum(axis=2) + SOFT)
        push = similarity.push(squared_distances(at, places))
        pushes = drawn[:, None] * (push.sum(axis=1)[:, None] * at - push @ places)
        slope = np.einsum("rk,rkm->rm", pull, away) - pushes
        at = at - 0.5 * slope / pull.sum(axis=1)[:, None]
    return np.asarray(at)
