"""The common core of the graph maps: Isomap, LLE, Laplacian eigenmaps and diffusion maps.

A cloud shows the points in space, or along their first three principal axes, with the edges of the graph as it grows.
The first map is that of principal components; when the method has found its own, both the map and the cloud move there
in ``UNROLL`` frames. ``Stage`` is what is given once a run, ``Grown`` what a frame shows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from algorithms.contract import AnySnapshot, Explanation
from algorithms.data import Array, Item, Points
from algorithms.marks import Cloud3D, Mark
from algorithms.maths.components import Components, principal_components
from algorithms.maths.distances import squared_distances
from algorithms.maths.graphs import NeighbourGraph
from algorithms.maths.maps import eased, evenly, laid_flat, map_mark
from algorithms.maths.neighbourhoods import Neighbourhood, growth_words, largest_component, pieces_warning

MOST_EDGES = 6000
"""More edges than this cannot be told apart and are slow to draw; an even selection of them is shown."""
UNROLL = 16
"""Frames in which a map unrolls."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstMap:
    """The map of principal components, each coordinate of length one over all points, and new points in it."""

    centre: Array  # (d,)
    unit: float
    components: Components  # of the points around 0 and of size one
    lengths: Array  # (dimensions,) what each coordinate is divided by; 0 where there is none

    @classmethod
    def of(cls, X: Array, centre: Array, unit: float, dimensions: int) -> FirstMap:
        """That of centred points of size one, which in the data are around ``centre`` and in this unit."""
        components = principal_components(X, 3)
        scores = components.scores(X)
        lengths = np.zeros(dimensions)
        known = min(dimensions, scores.shape[1])
        lengths[:known] = np.linalg.norm(scores[:, :known], axis=0)
        return cls(centre, unit, components, np.where(lengths > 1e-9 * max(lengths[0], 1e-300), lengths, 0.0))

    def resized(self, size: float) -> FirstMap:
        """The same map of another size: the root of the sum of the squares of all coordinates."""
        now = float(np.sqrt((self.lengths > 0.0).sum()))
        return replace(self, lengths=self.lengths * now / size) if size > 0.0 else self

    def scaled(self, X: Array) -> Array:
        """New points as the method sees them: around 0 and of size one."""
        return np.asarray((X - self.centre) / self.unit)

    def places(self, scaled: Array) -> Array:
        """Where points (q, d) lie in this map, (q, dimensions)."""
        scores = self.components.scores(scaled)[:, : len(self.lengths)]
        scores = np.pad(scores, ((0, 0), (0, len(self.lengths) - scores.shape[1])))
        return np.divide(scores, self.lengths, out=np.zeros_like(scores), where=self.lengths > 0.0)

    def unrolled(self, X: Array, part: float, places: Callable[[Array], Array]) -> Array:
        """Where new points lie when so large a part of the way is done from this map to the one that has ``places``."""
        X = self.scaled(X)
        found = (1.0 - part) * self.places(X)
        return np.asarray(found + part * places(X) if part else found)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Where the points stand during a run, and the graph that joins them."""

    data: Points
    at: Array  # (n, 3) where the cloud shows the points
    axes: tuple[str, ...]
    graph: NeighbourGraph
    drawn: Array  # (e,) which of the edges are drawn, rising
    drawn_ends: Array  # (e, 2) the edges themselves
    members: Array  # (m,) the points that are mapped in the end: all, or the largest piece

    @classmethod
    def of(cls, data: Points, graph: NeighbourGraph, components: Components, X: Array, unit: float) -> Stage:
        """That of points whose principal components are known."""
        scores = components.scores(X)
        scores = np.pad(scores, ((0, 0), (0, 3 - scores.shape[1])))
        drawn = evenly(len(graph), MOST_EDGES)
        at, axes = in_space(data, scores * unit)
        members = largest_component(graph)[2] if len(graph) else np.arange(data.n)
        return cls(data, at, axes, graph, drawn, graph.edges[drawn], members)

    def unrolling(self, first: Array, last: Array, sized: bool = True) -> Iterator[tuple[Grown, Array]]:
        """The map (m, k) going over from one to another, with the cloud; ``sized``: its size means nothing."""
        here = self.at[self.members]
        middle = here.mean(axis=0)
        size = float(np.linalg.norm(here - middle)) / max(float(np.linalg.norm(last)), 1e-300) if sized else 1.0
        there = laid_flat(last * size, here - middle) + middle
        for step in range(1, UNROLL + 1):
            grown = Grown(len(self.graph), len(self.graph), unrolled=step / UNROLL, there=there)
            yield grown, (1.0 - grown.fraction) * first + grown.fraction * last

    # -- marks -----------------------------------------------------------------------------------------------------

    def cloud(
        self,
        model: Mapped,
        grown: Grown,
        values: Array | None = None,
        values_name: str = "",
        spokes: Array | None = None,
        weights: Array | None = None,
        spokes_name: str = "",
        handle: tuple[str, int] | None = None,
    ) -> Cloud3D:
        """The cloud with the edges so far; ``values`` (n,) colour it.

        ``spokes`` (s, 2) are edges between data points with ``weights`` (s,). ``handle`` is the name of a parameter and
        the point that it means now.
        """
        members, there = model.members, grown.there
        whole, at = there is None, self.at
        if there is not None:
            at = (1.0 - grown.fraction) * self.at[members] + grown.fraction * there
        shown = int(np.searchsorted(self.drawn, grown.count))
        fresh = shown - int(np.searchsorted(self.drawn, grown.before))
        apart = np.flatnonzero(model.pieces > 0) if whole and len(members) < self.data.n else None
        if spokes is not None and not (whole or np.isin(spokes, members).all()):
            spokes = weights = None
        held = handle if whole else None
        return Cloud3D(
            at=at,
            axes=self.axes if whole else (),
            points=None if whole else members,
            values=values if values is None or whole else values[members],
            values_name=values_name,
            edges=self.rows(self.drawn_ends[:shown], grown),
            edges_name="edge" if len(self.drawn) == len(self.graph) else f"edge ({len(self.drawn):,} drawn)",
            fresh=fresh,
            spokes=None if spokes is None else self.rows(spokes, grown),
            spoke_weights=weights,
            spokes_name=spokes_name,
            left_out=apart,
            left_out_name="" if apart is None else "not connected",
            chord=None if held is None else np.array([held[1], held[1]]),
            handles=() if held is None else (held[0], held[0]),
        )

    def rows(self, edges: Array, grown: Grown) -> Array:
        """Edges between data points as edges between rows of the cloud; those that are not all in it are left out."""
        return edges if grown.there is None else edges_among(edges, self.members, self.data.n)

    def map(self, model: Mapped, values: Array | None = None, values_name: str = "", path: Array | None = None) -> Mark:
        """The map (m, dimensions) of the members; ``values`` (n,) colour it."""
        data, members = self.data, model.members
        heights = data.y[members] if data.is_valued and data.y is not None else None
        return map_mark(
            model.embedding,
            None if len(members) == data.n else members,
            None if values is None else values[members],
            values_name,
            path,
            heights,
            data.target,
        )


class Mapped(Protocol):
    """What the model of such a method knows of its points."""

    @property
    def embedding(self) -> Array:
        """The map (m, dimensions)."""

    @property
    def members(self) -> Array:
        """The points in it, (m,)."""

    @property
    def pieces(self) -> Array:
        """The connected piece of each point (n,), 0 for the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """How many edges there are, and how far the cloud is on its way into the map."""

    count: int = 0  # edges so far
    before: int = 0  # edges in the frame before
    rule: str = ""  # how they were joined last
    unrolled: float = 0.0  # from 0 to 1, in equal steps
    there: Array | None = None  # (m, 3) where the cloud goes to while it unrolls

    @property
    def fraction(self) -> float:
        """How far the points are on their way."""
        return eased(self.unrolled)


def growing(neighbourhood: Neighbourhood) -> Iterator[tuple[Grown, Array, Array]]:
    """The graph as it grows: what is new, the degrees (n,) of the points and the pieces (n,) in which they are."""
    before, pieces = 0, np.empty(0)
    for count, rule in zip(neighbourhood.counts, neighbourhood.words):
        graph = neighbourhood.graph.first(count)
        if not before or pieces.any():  # more edges do not part what is in one piece
            _, pieces, _ = largest_component(graph)
        yield Grown(count, before, rule), graph.degrees(), pieces
        before = count


def edges_among(edges: Array, members: Array, n: int) -> Array:
    """Those edges between n points whose ends are both members, as edges between rows of ``members``."""
    if len(members) == n:
        return edges
    row = np.full(n, -1, dtype=np.int64)
    row[members] = np.arange(len(members))
    rows = row[edges]
    return rows[(rows >= 0).all(axis=1)]


def in_space(data: Points, scores: Array) -> tuple[Array, tuple[str, ...]]:
    """Where the cloud shows the points, (n, 3), and the names of its axes: the data, or their principal axes."""
    if data.d == 3:
        return data.X, data.features
    if data.d > 3:
        return scores, ("principal axis 1", "principal axis 2", "principal axis 3")
    return np.column_stack([data.X, np.zeros((data.n, 3 - data.d))]), data.features


# --- what the methods do alike ----------------------------------------------------------------------------------------


def growth(shot: AnySnapshot) -> str:
    """The caption of a frame in which edges grow."""
    grown: Grown = shot.shown.grown
    return growth_words(grown.rule, grown.count, round(shot.metrics["components"]))


def grown_warning(stage: Stage, grown: Grown, metrics: Mapping[str, float], rule: str) -> str:
    """What a graph in pieces means for the map, as soon as it is complete."""
    if grown.count < len(stage.graph):
        return ""
    return pieces_warning(rule, round(metrics["components"]), len(stage.members), stage.data.n)


def meant(data: Points, item: Item) -> int:
    """The point that an item is, or the one nearest to another place."""
    return item.number if item.number >= 0 else int(squared_distances(item.x[None], data.X)[0].argmin())


def joined_words(model: Any, data: Points, item: Item) -> Explanation:
    """Which point is meant, and how it is joined in the graph."""
    point = meant(data, item)
    answer: Explanation = {
        "point" if item.number >= 0 else "nearest point": point + 1,
        "edges": int(model.degrees[point]),
    }
    if model.degrees.any():
        answer["connected piece"] = int(model.pieces[point]) + 1
    return answer


def coordinate_words(embedding: Array, members: Array, point: int) -> Explanation:
    """Where a point lies in the map; nothing where it is not in it."""
    row = np.flatnonzero(members == point)
    return {f"coordinate {k}": float(value) for k, value in enumerate(embedding[row[0]] if len(row) else (), start=1)}
