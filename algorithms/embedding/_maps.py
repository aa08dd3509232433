"""Pieces of maps: where they start, how good they are, how they turn, and the words about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Points
from algorithms.embedding._graph import evenly
from algorithms.embedding._pictures import NEGATIVE, Pairs, Stage, straight
from algorithms.interrupt import checkpoint
from algorithms.maths.components import principal_components

SAMPLE = 100
"""Points whose distances to all others measure how good a map is."""
PAIRS = 1500
"""Pairs of points in the Shepard plot."""
BLOCK = 1 << 14
"""Distances worked on at once, so that they stay in the cache and a run can be called off."""
STRAIGHT = "All pairs are joined, so the distances along the graph are the straight ones: no way is a detour."
CENTRED = "Squared, halved and centred, the distances become the inner products B = H (-D²/2) H of centred points."


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The distances along the graph that a map is compared with: those of some points to all."""

    rows: Array  # (s,)
    distances: Array  # (s, m)
    above: Array  # (s, m) the distances less their mean
    squares: Array  # (s, m)

    @classmethod
    def of(cls, distances: Array) -> Known:
        """An even selection of the rows of a table of distances."""
        rows = evenly(len(distances), SAMPLE)
        some = distances[rows]
        return cls(rows, some, some - some.mean(), np.square(some))

    def pairs(self, unit: float) -> Pairs:
        """Some of the pairs, for the Shepard plot."""
        m = self.distances.shape[1]
        row, second = np.divmod(evenly(self.distances.size, PAIRS), m)
        apart = self.rows[row] != second
        rows = np.stack([self.rows[row], second], axis=1)[apart]
        return Pairs(rows, self.distances[row, second][apart] * unit)

    def judged(self, places: Array) -> tuple[float, float, float]:
        """What a map is worth: its residual variance 1 - r^2, its stress and its squared stress.

        r correlates distances in the map with those along the graph.
        """
        sums = np.zeros(5)
        size = max(1, BLOCK // len(places))
        for start in range(0, len(self.rows), size):
            checkpoint()
            sums += self._sums(places, slice(start, start + size))
        total, squares, shared, raw, squared = sums
        above, wanted = self.above.ravel(), self.squares.ravel()
        spread = float(above @ above) * max(squares - total**2 / len(wanted), 0.0)
        residual = min(max(1.0 - shared**2 / spread, 0.0), 1.0) if spread > 0.0 else 1.0
        wanted_squares = float(wanted.sum())
        if not wanted_squares > 0.0:
            return residual, 0.0, 0.0
        return residual, float(np.sqrt(raw / wanted_squares)), float(np.sqrt(squared / (wanted @ wanted)))

    def _sums(self, places: Array, some: slice) -> tuple[float, ...]:
        """The sums over pairs from which the worth of a map is made."""
        from scipy.spatial.distance import cdist

        found = cdist(places[self.rows[some]], places).ravel()
        gap = found - self.distances[some].ravel()
        squares = np.square(found)
        total = float(squares.sum())
        squares -= self.squares[some].ravel()
        return (
            float(found.sum()),
            total,
            float(found @ self.above[some].ravel()),
            float(gap @ gap),
            float(squares @ squares),
        )


def principal_scores(X: Array, count: int) -> Array:
    """The first scores (n, count) of principal component analysis; zeros where there are no more."""
    found = principal_components(X, count).scores(X)
    return np.pad(found, ((0, 0), (0, count - found.shape[1])))


def in_space(data: Points, scores: Array) -> tuple[Array, tuple[str, ...]]:
    """Where the cloud shows the points, (n, 3), and the names of its axes: the data, or their principal axes."""
    if data.d == 3:
        return data.X, data.features
    if data.d > 3:
        return scores, ("principal axis 1", "principal axis 2", "principal axis 3")
    return np.column_stack([data.X, np.zeros((data.n, 3 - data.d))]), data.features


def oriented(places: Array, like: Array) -> Array:
    """The same map with each coordinate pointing where that of the other map does: eigenvectors have no sign."""
    signs = np.where((places * like).sum(axis=0) < 0.0, -1.0, 1.0)
    return places * signs


def aligned(places: Array, like: Array) -> Array:
    """A map laid into space, turned or mirrored so that it is as near as may be to other places (Procrustes).

    A map of up to two dimensions is laid flat on the ground of the first two directions, where it can be seen.
    """
    ground = max(places.shape[1], 2)
    flat = np.zeros((len(places), ground))
    flat[:, : places.shape[1]] = places
    left, _, right = np.linalg.svd(flat.T @ like[:, :ground])
    laid = np.zeros((len(places), 3))
    laid[:, :ground] = flat @ (left @ right)
    return laid


def eased(share: float) -> float:
    """From 0 to 1, slowly at both ends."""
    return share * share * (3.0 - 2.0 * share)


def part_of_path(path: Array, reach: Array, share: float) -> Array:
    """The first part of a path, up to a share of its length."""
    if not len(path):
        return path
    return path[reach[path] <= share * reach[path[-1]] * (1.0 + 1e-12)]


# --- words ----------------------------------------------------------------------------------------------------------


def opening(data: Points, dimensions: int) -> str:
    """The caption of the first frame."""
    map_words = "a line" if dimensions == 1 else "a plane" if dimensions == 2 else "space"
    features = "1 feature" if data.d == 1 else f"{data.d} features"
    return (
        f"{data.n:,} points with {features}; the map shows their projection onto {map_words} by principal components, "
        "the table their straight distances."
    )


def growth_words(words: str, count: int, pieces: int) -> str:
    """The caption of a frame in which edges grow."""
    edges = "1 edge" if count == 1 else f"{count:,} edges"
    return f"Joined to {words}: {edges}; the graph is in {'one piece' if pieces == 1 else f'{pieces:,} pieces'}."


def path_words(stage: Stage, method: str, known: int, m: int) -> str:
    """The caption of a frame in which shortest paths are found."""
    if known < m:
        if method == "Dijkstra":
            return f"Dijkstra's algorithm has found all shortest paths from {known:,} of {m:,} points."
        return f"Floyd and Warshall: shortest paths that stop only at the first {known:,} of {m:,} points."
    assert stage.ends is not None
    start, end = stage.ends
    way, line = float(stage.model.reach[end]), straight(stage)
    ends = f"from point {start + 1} to point {end + 1}"
    if way < 0.0:
        return f"All shortest paths are known; there is none {ends}, {line:.3g} apart, which lie in different pieces."
    times = f", {way / line:.2f} times as far" if line > 0.0 else ""
    return f"All shortest paths are known: {ends} it is {way:.3g} along the graph and {line:.3g} straight{times}."


def spectrum_words(values: Array, dimensions: int, cleared: bool) -> str:
    """The caption of the eigenvalues; ``cleared``: they refute the suspicion that some edges are shortcuts."""
    kept = ", ".join(f"{value:.3g}" for value in values[:dimensions])
    verb = "eigenvalue is" if dimensions == 1 else "eigenvalues are"
    following = f"; the next is {values[dimensions]:.3g}" if len(values) > dimensions else ""
    last = float(values[-1])
    if last < NEGATIVE * max(float(values[0]), 0.0):
        below = f"the most negative is {last:.3g}, {-100 * last / values[0]:.1f} % of the largest"
    else:
        below = "none is negative"
    relief = ", so the doubtful edges do no harm" if cleared else ""
    return f"The largest {verb} {kept}{following}; {below}{relief}."


def unroll_words(share: float, residual: float) -> str:
    """The caption while the map unrolls."""
    return f"Unrolling, {100 * share:.0f} %: the residual variance of the distances in the map is {residual:.3g}."


def closing(stage: Stage, isomap: float, pca: float) -> str:
    """The caption of the last frame."""
    m = len(stage.model.members)
    return (
        f"The map of {m:,} points accounts for {100 * isomap:.2f} % of the variance of the distances along the graph; "
        f"that of principal components accounted for {100 * pca:.2f} %."
    )


def graph_warning(kind: str, pieces: int, members: int, n: int, suspects: int, factor: float) -> str:
    """What is wrong with the graph, in words; empty when nothing is."""
    knob = "neighbours" if kind == "k nearest neighbours" else "epsilon"
    sentences = []
    if pieces > 1:
        sentences.append(
            f"The graph is in {pieces:,} pieces with no path between them; only the largest, {members:,} of {n:,} "
            f"points, can be mapped. Raise {knob} to join them."
        )
    if suspects:
        verb = "edge looks like a shortcut" if suspects == 1 else "edges look like shortcuts"
        sentences.append(
            f"{suspects} {verb} between sheets: along the nearest neighbours the way between the ends is up to "
            f"{factor:.0f} times as long. Lower {knob}, or the map folds there."
        )
    return " ".join(sentences)


def negative_warning(share: float) -> str:
    """What a large negative eigenvalue means."""
    return (
        f"The most negative eigenvalue is {100 * share:.0f} % of the largest: no flat map has these distances; "
        "the surface may be closed, or shortcuts may lead across it."
    )
