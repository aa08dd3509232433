"""The common core of t-SNE and UMAP, whose maps are found by attraction between neighbours and repulsion of the others.

A cloud shows the points in space, or along their first three principal axes, in the colours of the map. The point that
is looked at has lines to the points that attract it, and arrows for the forces on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, DataError, Points
from algorithms.interrupt import checkpoint
from algorithms.marks import Arrows, Bars, Cloud3D, Images, Mark, Scatter, Segments
from algorithms.maths.cloud_stage import in_space
from algorithms.maths.components import principal_components
from algorithms.maths.distances import squared_distances
from algorithms.maths.maps import map_mark

MOST_LINES = 30
"""Neighbours to which lines are drawn, the strongest first."""
MOST_BARS = 12
"""Neighbours whose numbers are shown as bars."""
ROWS, COLUMNS = 2, 5
"""Of the pictures of a point and its neighbours."""
ARROW = 0.16
"""The length of the longest arrow, as a fraction of the map."""


def principal_map(X: Array, dimensions: int) -> Array:
    """The map of principal components (n, dimensions), the first coordinate with a standard deviation of 1."""
    scores = principal_components(X, dimensions).scores(X)
    scores = np.pad(scores, ((0, 0), (0, dimensions - scores.shape[1])))
    return np.asarray(scores / scores[:, 0].std())


def adopted_places(said: Any, n: int, step: int) -> Array:
    """The places of somebody else's map, or a sentence that names the step."""
    places = np.array(said, dtype=float)
    if places.ndim != 2 or len(places) != n or not 1 <= places.shape[1] <= 3 or not np.isfinite(places).all():
        raise DataError(f"Step {step} has to give finite places ({n}, 1 to 3); it gave {places.shape}.")
    return places


# --- who attracts whom ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class WeightedPairs:
    """Pairs of points that attract each other, each listed once, the lower number first."""

    n: int
    first: Array  # (e,) rising
    second: Array  # (e,)
    weights: Array  # (e,) above 0

    def of(self, point: int) -> tuple[Array, Array]:
        """The points that attract one, and how strongly, the strongest first."""
        low, high = np.searchsorted(self.first, [point, point + 1])
        before = np.flatnonzero(self.second == point)
        points = np.concatenate([self.second[low:high], self.first[before]])
        weights = np.concatenate([self.weights[low:high], self.weights[before]])
        order = np.lexsort((points, -weights))
        return points[order], weights[order]


def both_directions(neighbours: Array, strengths: Array) -> tuple[Any, Any]:
    """What each point gives its neighbours (n, k) as a sparse table, and what it is given by them."""
    from scipy.sparse import csr_array

    n, k = neighbours.shape
    given = csr_array((strengths.ravel(), neighbours.ravel(), np.arange(n + 1) * k), shape=(n, n))
    checkpoint()
    taken = given.T.tocsr()
    checkpoint()
    return taken.T.tocsr(), taken  # turned twice: now every row is in order


def upper_half(table: Any) -> tuple[Array, Array, Array]:
    """The pairs of a symmetric sparse table whose rows are in order: lower number, higher number, and the entry."""
    checkpoint()
    first = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    kept = np.flatnonzero((first < table.indices) & (table.data > 0.0))
    return first[kept], table.indices[kept].astype(np.int64), table.data[kept]


@dataclass(frozen=True, slots=True, eq=False)
class Pulls:
    """What moves one point of a map."""

    point: int
    neighbours: Array  # (k,) the points that attract it, the strongest first
    strengths: Array  # (k,) how strongly
    attraction: Array  # (m,)
    repulsion: Array  # (m,)
    what: str  # what the strengths are, such as "similarity to point 7"

    @property
    def left(self) -> Array:
        """What is left when the two are added."""
        return np.asarray(self.attraction + self.repulsion)


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Where the points are shown in space."""

    at: Array  # (n, 3)
    axes: tuple[str, ...]

    @classmethod
    def of(cls, data: Points) -> Cloud:
        """The data themselves, or along their principal axes where there are more than three features."""
        return cls(*in_space(data, principal_components(data.X, 3).scores(data.X) if data.d > 3 else data.X))

    def mark(self, pulls: Pulls | None = None, edges: Array | None = None, edges_name: str = "edge") -> Cloud3D:
        """The cloud, with lines from one point to those that attract it, or with other edges."""
        if pulls is None:
            return Cloud3D(self.at, self.axes, edges=edges, edges_name=edges_name)
        return _with_spokes(Cloud3D(self.at, self.axes), pulls)


def _spokes(pulls: Pulls) -> Array:
    ends = pulls.neighbours[:MOST_LINES]
    return np.column_stack([np.full(len(ends), pulls.point), ends])


def _with_spokes(cloud: Cloud3D, pulls: Pulls) -> Cloud3D:
    """The cloud with lines to those that attract a point, the thicker the more strongly."""
    strengths = pulls.strengths[:MOST_LINES]
    return replace(cloud, spokes=_spokes(pulls), spoke_weights=strengths, spokes_name=pulls.what)


def _lines(at: Array, pulls: Pulls) -> Segments:
    """The same where the points stand at other places."""
    start, end = (at[ends] for ends in _spokes(pulls).T)
    return Segments(start, end, "link", name=pulls.what, weights=pulls.strengths[:MOST_LINES])


def plane_marks(data: Points, pulls: Pulls) -> tuple[Mark, ...]:
    """In the plane of two features, lines from one point to those that attract it."""
    return (_lines(data.X, pulls),)


def picture_marks(data: Points, pulls: Pulls) -> tuple[Mark, ...]:
    """Where the rows are pictures, that of one point and those of the points that attract it most."""
    if data.image_shape is None:
        return ()
    points = np.append(pulls.point, pulls.neighbours[: ROWS * COLUMNS - 1])
    at = np.stack(np.divmod(np.arange(len(points)), COLUMNS), axis=1)
    captions = (f"point {pulls.point + 1}", *(f"{point + 1}" for point in points[1:].tolist()))
    levels = float(data.X.min()), float(data.X.max())
    return (Images(data.X[points].reshape(-1, *data.image_shape), at, captions, levels=levels, points=points),)


def map_marks(data: Points, places: Array, pulls: Pulls | None = None) -> tuple[Mark, ...]:
    """The map (n, 1 to 3), with what moves one point."""
    heights = data.y if data.is_valued else None
    mark = map_mark(places, heights=heights, target=data.target)
    if pulls is None:
        return (mark,)
    if isinstance(mark, Cloud3D):
        return (_with_spokes(mark, pulls),)
    assert isinstance(mark, Scatter)
    return mark, _lines(mark.at, pulls), *_arrows(mark.at, pulls)


def _arrows(at: Array, pulls: Pulls) -> tuple[Mark, ...]:
    """Attraction, repulsion and what is left, in one scale in which the longest can be seen."""
    forces = np.zeros((3, 2))
    forces[:, : len(pulls.left)] = np.stack([pulls.attraction, pulls.repulsion, pulls.left])
    longest = float(np.sqrt(np.square(forces).sum(axis=1)).max())
    size = ARROW * float(np.ptp(at, axis=0).max())
    if not (longest > 0.0 and size > 0.0):
        return ()
    start = np.repeat(at[[pulls.point]], 3, axis=0)
    end = start + forces * (size / longest)
    return (Arrows(start, end, ("force", "memory", "step"), ("attraction", "repulsion", "what is left of both")),)


def strength_bars(pulls: Pulls, other: Array | None, names: tuple[str, ...]) -> Bars:
    """How strongly the nearest few attract a point; beside each, where there is one, another number of that neighbour.

    ``names`` say what the numbers are.
    """
    count = min(len(pulls.neighbours), MOST_BARS)
    columns = [pulls.strengths[:count]] + ([] if other is None else [other[:count]])
    points = np.repeat(pulls.neighbours[:count], len(columns))
    words = [f"{pulls.point + 1}–{neighbour + 1}" for neighbour in pulls.neighbours[:count].tolist()]
    labels = tuple(word if part == 0 else "" for word in words for part in range(len(columns)))
    groups = np.tile(np.arange(len(columns)), count)
    return Bars(np.stack(columns, axis=1).ravel(), labels, points, groups, group_names=names)


# --- one point --------------------------------------------------------------------------------------------------------


def pull_words(pulls: Pulls) -> Explanation:
    """How strong the forces on a point are."""
    return {
        "attraction": float(np.linalg.norm(pulls.attraction)),
        "repulsion": float(np.linalg.norm(pulls.repulsion)),
        "what is left of both": float(np.linalg.norm(pulls.left)),
    }


def place_words(places: Array, point: int) -> Explanation:
    """Who is nearest to a point in the map (n, m), and where it lies."""
    away = squared_distances(places[[point]], places)[0]
    away[point] = np.inf
    answer: Explanation = {"nearest point in the map": int(away.argmin()) + 1}
    return answer | {f"coordinate {number}": float(value) for number, value in enumerate(places[point], start=1)}
