"""The node-link picture of a graph: nodes, edges, arrows, weights and names, under whatever an algorithm says of them.

There is always one :class:`NodeLink` on show: that of the frame, or a plain one. One scale on both axes, no axes; the
view fits itself to the graph with all its words until the user moves it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QSizeF
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Array, Graph
from algorithms.marks import Mark, NodeLink
from mlviz.session.layout import Viewport
from mlviz.views.canvas import Canvas
from mlviz.views.renderers._links import BEND, Net
from mlviz.views.scene import Scene
from mlviz.views.theme import Theme

PAD = 6.0
"""Pixels that stay free along the border."""
LARGEST_SCALE = 160.0
"""Pixels between two nodes that are joined: a graph of two nodes need not fill the room."""
WORDS = 0.25
"""The fraction of the view that the words on one side of a node may claim."""
MOST_CARRIED = 5000
"""Edges up to which a graph keeps its look while it is edited."""
CROWDING = 0.05
"""The fraction of the nodes and names that the legend may hide."""

SQUEEZED = 0.45
"""A legend that takes more than this part of both sides has no room kept for it: the graph would be a knot."""


class GraphView(Canvas):
    """The canvas of graphs. Nodes are the items."""

    PANS = True
    SEES_ALL = False

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self._fits = True
        self._fitted_size = (0.0, 0.0)
        self._fitting = False
        self._kept_free = QSizeF(0.0, 0.0)  # the room for the largest legend so far
        super().__init__(panel, parent)
        self.box.setAspectLocked(True, ratio=1.0)
        self.legend.crowding = CROWDING

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show another graph, or the same one edited: then it looks as before until the next frame."""
        before, marks = self.scene_info, self._marks
        if origin is None:
            self._kept_free = QSizeF(0.0, 0.0)
        super().set_scene(scene)
        if origin is None or before is None:
            self.show_marks(())
            self.fit_view()
            return
        shown = [mark for mark in marks if isinstance(mark, NodeLink) and len(self.nodes.net().edges) <= MOST_CARRIED]
        self.show_marks(after_edit(mark, origin, before.data, scene.data) for mark in shown)  # type: ignore[arg-type]

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        if self.scene_info is not None and self.scene_info.theme is not theme:
            self.scene_info = Scene(self.scene_info.data, self.scene_info.projection, theme, self.scene_info.at)
        super().set_theme(theme)
        if self._fits:
            self.fit_view()

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame, the graph itself in any case."""
        marks = tuple(marks)
        plain = () if any(isinstance(mark, NodeLink) for mark in marks) else (NodeLink(),)
        super().show_marks((*plain, *marks))
        wanted = self.legend.wanted_size()
        room = wanted.expandedTo(self._kept_free)
        if self._fits and room != self._kept_free:
            self._kept_free = room
            self.fit_view()
            self.legend.place(anew=True)

    def paint_points(self, fills: Array, same: Array | None = None) -> None:
        """Colour the nodes, (n,) 0xRRGGBB: what an assignment of the frame wants."""
        self.nodes.paint_nodes(fills)

    @property
    def nodes(self) -> Any:
        """The renderer of the graph, which knows where nodes and edges are on the screen."""
        return self._renderers[NodeLink, 0]

    # -- the view ------------------------------------------------------------------------------------------------

    def fit_view(self) -> None:
        """Show the whole graph with its words, as large as the room allows."""
        self._fits = True
        area = self.box.boundingRect()
        if self.scene_info is None or (NodeLink, 0) not in self._renderers or min(area.width(), area.height()) < 8:
            return
        net = self.nodes.net()
        if not len(net.at):
            return
        self._fitted_size = (area.width(), area.height())
        left, right, bottom, top = self._best_rect(net, area.width(), area.height())
        self._fitting = True
        self.box.setRange(xRange=(left, right), yRange=(bottom, top), padding=0, disableAutoRange=True)
        self._fitting = False

    def note_stroke(self, begins: bool) -> None:
        """The part on show is the user's choice from now on."""
        self._fits = False

    def _best_rect(self, net: Net, width: float, height: float) -> tuple[float, float, float, float]:
        """The part of the plane that shows everything, with a corner or else a side of the view free for the legend."""
        legend = self._kept_free.width(), self._kept_free.height()
        whole = self._fitted(net, width, height)
        squeezed = legend[0] > SQUEEZED * width and legend[1] > SQUEEZED * height  # it has to stand elsewhere
        if not legend[0] or squeezed or self._has_free_corner(net, whole, (width, height), legend):
            return whole
        left, right, bottom, top = self._fitted(net, max(width - legend[0], 0.5 * width), height)
        beside = (left, left + (right - left) * width / max(width - legend[0], 0.5 * width), bottom, top)
        left, right, bottom, top = self._fitted(net, width, max(height - legend[1], 0.5 * height))
        above = (left, right, bottom, bottom + (top - bottom) * height / max(height - legend[1], 0.5 * height))
        return min(beside, above, key=lambda rect: rect[1] - rect[0])

    def _fitted(self, net: Net, width: float, height: float) -> tuple[float, float, float, float]:
        needed = self.nodes.margins()
        for _ in range(3):  # at another zoom words find room elsewhere: at last there is room for both
            rect = fitting_rect(net, needed, (width, height))
            found = self.nodes.margins(width / (rect[1] - rect[0]))
            if np.array_equal(found, needed):
                return rect
            before, needed = needed, found
        return fitting_rect(net, np.maximum(needed, before), (width, height))

    def _has_free_corner(
        self, net: Net, rect: tuple[float, float, float, float], size: tuple[float, float], legend: tuple[float, float]
    ) -> bool:
        left, right, _, top = rect
        scale = size[0] / (right - left)
        at = (net.at - (left, top)) * (scale, -scale)
        need = self.nodes.margins(scale)
        low, high = at - need[:, [0, 2]], at + need[:, [1, 3]]
        corners = [(x, y) for x in (0.0, size[0] - legend[0]) for y in (0.0, size[1] - legend[1])]
        return any(not ((low < (x + legend[0], y + legend[1])) & (high > (x, y))).all(axis=1).any() for x, y in corners)

    def shows_data(self) -> bool:
        """Whether any node lies in the visible part."""
        assert self.scene_info is not None
        return self.scene_info.any_within(*self.view_rect())

    def viewport_state(self) -> Viewport:
        """Where it is looked at from, when that is the user's choice."""
        return Viewport(None, None) if self._fits else super().viewport_state()

    def restore_viewport(self, viewport: Viewport) -> None:
        """Look at the part that was chosen."""
        if viewport.rect is not None:
            self._fits = False
        super().restore_viewport(viewport)

    def _resized(self) -> None:
        if self._fits:
            self.fit_view()
        super()._resized()

    def _ranged(self) -> None:
        area = self.box.boundingRect()
        if not self._fitting and (area.width(), area.height()) == self._fitted_size:
            self._fits = False  # the room is the same, so it was the user
        super()._ranged()

    def _label_axes(self) -> None:
        self.hideAxis("left")
        self.hideAxis("bottom")


def after_edit(mark: NodeLink, origin: Array, before: Graph, now: Graph) -> NodeLink:
    """What a mark says about a graph, said about the graph after an edit.

    ``origin`` (n,) is the number that each node had before, -1 for a new one; edges are known by their ends.
    """
    kept = origin >= 0
    number = np.full(before.n + 1, -1)  # of every old node; the last stands for none
    number[origin[kept]] = np.flatnonzero(kept)
    places = {_ends(now, *ends): edge for edge, ends in enumerate(now.edges.tolist())}
    edge_number = np.array([places.get(_ends(now, *ends), -1) for ends in number[before.edges].tolist()] or [-1])

    def per_node(values: Array | None, new: float | bool) -> Array | None:
        return None if values is None else np.where(kept, values[origin], new)

    def still(numbers: Array | None, of: Array) -> Array | None:
        return None if numbers is None else of[numbers][of[numbers] >= 0]

    ends = still(mark.ends, number)
    complete = ends is not None and mark.ends is not None and len(ends) == len(mark.ends)
    unknown = np.zeros(before.n, dtype=bool) if mark.unknown is None else mark.unknown
    return NodeLink(
        values=per_node(mark.values, 0.0),
        values_name=mark.values_name,
        unknown=per_node(unknown, True) if mark.values is not None else None,
        groups=per_node(mark.groups, -1),
        sizes=per_node(mark.sizes, 0.0),
        sizes_name=mark.sizes_name,
        notes=tuple(mark.notes[node] if node >= 0 else "" for node in origin.tolist()) if mark.notes else (),
        links=tuple(replace(links, edges=still(links.edges, edge_number)) for links in mark.links),  # type: ignore[arg-type]
        rings=tuple(replace(rings, nodes=still(rings.nodes, number)) for rings in mark.rings),  # type: ignore[arg-type]
        tokens=still(mark.tokens, number),
        tokens_name=mark.tokens_name,
        ends=ends if complete else None,
        end_names=mark.end_names if complete else (),
        handles=mark.handles if complete else (),
    )


def _ends(graph: Graph, one: int, two: int) -> tuple[int, int]:
    """The ends of an edge, in one order where it has no direction."""
    return (one, two) if graph.directed or one <= two else (two, one)


def fitting_rect(net: Net, margins: Array, size: tuple[float, float]) -> tuple[float, float, float, float]:
    """The part of the plane (left, right, bottom, top) that shows all nodes with so much room around them.

    Parameters
    ----------
    net : Net
        The nodes and edges; bent edges bulge.
    margins : (n, 4)
        The pixels that each node needs to the left, right, above and below.
    size : (float, float)
        Width and height of the view in pixels.
    """
    at, need = net.at, margins
    bent = net.edges[net.bent]
    if len(bent):
        one, two = net.at[bent[:, 0]], net.at[bent[:, 1]]
        span = two - one
        bulges = (one + two) / 2 + 0.6 * BEND * span[:, ::-1] * (1.0, -1.0)
        at = np.concatenate([at, bulges])
        need = np.concatenate([need, np.full((len(bulges), 4), 4.0)])
    room = np.maximum(np.array(size) - 2 * PAD, 8.0)
    need = np.minimum(need, WORDS * np.repeat(room, 2))  # long names in a small view must not push the nodes together

    def extent(scale: float) -> tuple[Array, Array]:
        pixels = at * scale
        return (pixels - need[:, [0, 3]]).min(axis=0), (pixels + need[:, [1, 2]]).max(axis=0)

    low, high = 1e-9 * room.min() / max(float(np.ptp(at, axis=0).max()), 1e-12), _largest_scale(net, room)
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        first, last = extent(middle)
        low, high = (middle, high) if ((last - first) <= room).all() else (low, middle)
    first, last = extent(low)
    centre = (first + last) / 2 / low
    half = np.array(size) / 2 / low
    (left, bottom), (right, top) = (centre - half).tolist(), (centre + half).tolist()
    return left, right, bottom, top


def _largest_scale(net: Net, room: Array) -> float:
    """Pixels for each unit of the plane that are enough: edges need not be longer than a hand."""
    span = float(np.ptp(net.at, axis=0).max(initial=0.0))
    if not len(net.edges) or span == 0.0:
        return float(room.min()) / max(span, 1.0) / 4
    ends = net.at[net.edges]
    lengths = np.hypot(*(ends[:, 0] - ends[:, 1]).T)
    typical = float(np.median(lengths[lengths > 0])) if (lengths > 0).any() else span
    return max(2.5 * LARGEST_SCALE / typical, 1e-6)
