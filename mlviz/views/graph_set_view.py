"""Small graphs side by side, each a node-link picture with the sign of its class; one of them can be opened."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Array, Graph, GraphSet
from algorithms.maths.layouts import placed
from mlviz.views.cells import PAD, CellsView, Grid
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers._links import LinkStyle, Net, shape_of
from mlviz.views.scene import Scene

SMALLEST, LARGEST = 92.0, 240.0
"""The side of a picture, in pixels."""
APART = 60.0
"""Pixels between two nodes one apart, at most; in an opened graph twice as many."""
HIDDEN = 10_000.0
"""Where the signs of the graphs are that are not shown: far outside the view."""
ROOM = 0.7
"""The part of its cell that a graph may fill while it is opened: the rest is for new nodes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How the plane of a graph lies in its cell: the place of the view where its origin is, and pixels for a unit."""

    x: float
    y: float
    scale: float

    def to_view(self, at: Array) -> Array:
        """Where places (k, 2) of the graph are in the view."""
        return np.asarray(at * self.scale + (self.x, self.y))

    def to_graph(self, at: Array) -> Array:
        """The place (2,) of the graph at a place of the view."""
        return np.asarray((at - (self.x, self.y)) / self.scale)


class GraphSetView(CellsView):
    """The canvas of sets of graphs. A double click opens a graph, so that it fills the view, or closes it."""

    NEW = "+"

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self.opened: int | None = None
        self.held: tuple[int, Frame] | None = None
        """While a graph is being edited, it lies in its cell as it did before."""
        self._placed: dict[int, tuple[Graph, Graph]] = {}
        super().__init__(panel, parent)

    @property
    def graphs(self) -> GraphSet:
        """The data on show."""
        assert self.scene_info is not None
        assert isinstance(self.scene_info.data, GraphSet)
        return self.scene_info.data

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show other graphs, or the same edited; the one that is opened stays so."""
        if self.opened is not None:
            same = origin is not None and self.opened in origin
            self.opened = int(np.flatnonzero(origin == self.opened)[0]) if same and origin is not None else None
        super().set_scene(scene, origin)

    def open(self, number: int | None) -> None:
        """Let one graph fill the view; None shows all of them."""
        if number != self.opened:
            self.opened = number
            self.held = None
            self._top = 0.0
            self.arrange()

    def graph(self, number: int) -> Graph:
        """A graph with places for its nodes."""
        graph = self.graphs.graphs[number]
        kept = self._placed.get(number)
        if kept is None or kept[0] is not graph:
            kept = self._placed[number] = (graph, placed(graph))
        return kept[1]

    # -- the cells -----------------------------------------------------------------------------------------------

    @property
    def _small(self) -> QFont:
        font = QFont()
        font.setPointSizeF(self.theme.letters(0.85))
        return font

    @property
    def _caption(self) -> float:
        return math.ceil(1.3 * QFontMetricsF(self._small).height())

    def make_grid(self, count: int, width: float, height: float) -> Grid:
        """Cells as large as they can be with all of them in view, but neither tiny nor huge."""
        if self.opened is not None:
            return Grid(1, 1, width, height)
        side = LARGEST
        while side > SMALLEST:
            if math.floor(width / side) * math.floor(height / (side + self._caption)) >= count:
                break
            side -= 4.0
        columns = max(math.floor(width / side), 1)
        return Grid(count, columns, min(width / columns, 1.25 * side), side + self._caption)

    def cell_of(self, number: int) -> QRectF:
        """Where a graph is; an opened one is alone in the view."""
        return self.grid.rect(0 if self.opened is not None else number)

    def item_at(self, x: float, y: float) -> int | None:
        """The graph at a place of the view."""
        if self.opened is None:
            return super().item_at(x, y)
        return None if self.grid.cell_at(x, y) is None else self.opened

    def _in_view(self) -> list[int]:
        return super()._in_view() if self.opened is None else [self.opened]

    def glyph_places(self) -> Array:
        """In the line below each picture; when one is opened, the others have no place."""
        n = self.graphs.n
        found = np.full((n, 2), -HIDDEN)
        for number in range(n) if self.opened is None else (self.opened,):
            box = self.cell_of(number)
            found[number] = box.left() + PAD + 0.7 * self.theme.point, box.top() + self._caption / 2
        return found

    def frame(self, number: int) -> Frame:
        """How a graph lies in its cell."""
        if self.held is not None and self.held[0] == number:
            return self.held[1]
        box = self.cell_of(number).adjusted(PAD, self._caption + PAD, -PAD, -PAD)
        at = self.graph(number).positions
        assert at is not None
        middle = np.zeros(2) if not len(at) else (at.min(axis=0) + at.max(axis=0)) / 2
        span = np.zeros(2) if not len(at) else np.ptp(at, axis=0)
        room = np.array([box.width(), box.height()]) - 2 * self.radius
        largest = APART
        if self.opened is not None:
            room, largest = ROOM * room, 2 * APART
        scale = float(min(np.min(room / np.maximum(span, 1e-9)), largest))
        return Frame(box.center().x() - middle[0] * scale, box.center().y() - middle[1] * scale, max(scale, 1e-9))

    @property
    def radius(self) -> float:
        """The radius of a node, in pixels."""
        side = min(self.grid.width, self.grid.height)
        return float(np.clip(0.035 * side, 0.3 * self.theme.point, 0.9 * self.theme.point))

    def filled_rects(self) -> list[QRectF]:
        """The pictures in view."""
        return [self.cell_of(number) for number in self._in_view()]

    # -- painting ------------------------------------------------------------------------------------------------

    def paint_cell(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Edges, nodes, and below them what the graph is."""
        theme = self.theme
        set_pen(painter, make_pen(theme.grid, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.opened is None:
            painter.drawRoundedRect(box.adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)
        cell, graph = self.cell_of(number), self.graph(number)
        assert graph.positions is not None
        at = self.frame(number).to_view(graph.positions)
        device = np.column_stack([at[:, 0] - cell.left() + box.left(), box.bottom() - (at[:, 1] - cell.top())])
        painter.save()
        painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        self._draw_edges(painter, graph, device)
        self._draw_nodes(painter, number, graph, device)
        painter.restore()
        painter.setFont(self._small)
        painter.setPen(QColor(theme.muted))
        line = QRectF(box.left(), box.bottom() - self._caption, box.width(), self._caption)
        words = QFontMetricsF(self._small).elidedText(
            self.caption(number), Qt.TextElideMode.ElideRight, line.width() - 3 * PAD - 1.7 * theme.point
        )
        left = line.left() + 2 * PAD + 1.7 * theme.point
        painter.drawText(line.adjusted(left - line.left(), 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), words)

    def caption(self, number: int) -> str:
        """The number and the class of a graph."""
        data = self.graphs
        kind = "" if data.y is None else f"  {data.classes[int(data.y[number])]}"
        return f"{number + 1}{kind}"

    def tip(self, number: int) -> str:
        """How large a graph is."""
        return self.graphs.item_text(number)

    def _draw_edges(self, painter: QPainter, graph: Graph, device: Array) -> None:
        if not graph.m:
            return
        net = Net(device, graph.edges, graph.directed, np.full(graph.n, self.radius))
        style = LinkStyle(np.arange(graph.m), self.theme.muted, 1.2)
        shape = shape_of(net, device, style, net.bent)
        set_pen(painter, make_pen(style.colour, style.width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ends = shape.lines.reshape(-1, 4).tolist()
        painter.drawLines([QLineF(*four) for four in ends])
        if shape.curves is not None:
            painter.drawPath(shape.curves)
        if shape.heads is not None:
            painter.fillPath(shape.heads, QColor(style.colour))

    def _draw_nodes(self, painter: QPainter, number: int, graph: Graph, device: Array) -> None:
        """In the colours of their groups, or in that of the graph."""
        groups = np.zeros(graph.n, dtype=int) if graph.groups is None else graph.groups
        for group in np.unique(groups).tolist():
            own = QColor(self.theme.colour(group)) if graph.groups is not None else self.fill_of(number)
            places = QPolygonF([QPointF(x, y) for x, y in device[groups == group].tolist()])
            for colour, width in ((QColor(self.theme.plot), 2 * self.radius + 2.0), (own, 2 * self.radius)):
                painter.setPen(QPen(colour, width, c=Qt.PenCapStyle.RoundCap))
                painter.drawPoints(places)
        if self.opened is not None and graph.n:
            painter.setFont(self._small)
            painter.setPen(QColor(self.theme.text))
            away = device - device.mean(axis=0)
            away /= np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-9)[:, None]
            side = 2 * self.radius + QFontMetricsF(self._small).height()
            for node, (x, y) in enumerate((device + 0.7 * side * away).tolist()):  # outside, where no edges are
                box = QRectF(x - 50.0, y - side / 2, 100.0, side)
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), graph.node_name(node))

    def is_lit(self, number: int) -> bool:
        """Whether a graph is meant by the mouse; an opened one always is."""
        return self.opened is None and super().is_lit(number)

    # -- the mouse -----------------------------------------------------------------------------------------------

    def viewportEvent(self, event: QEvent) -> bool:
        """A double click with the hand opens a graph or closes it."""
        found = super().viewportEvent(event)
        if event.type() == QEvent.Type.MouseButtonDblClick and self._ready and self.mouse.tool is None:
            place = self.place_of(event.position())  # type: ignore[attr-defined]
            self.toggle(place.x(), place.y())
        return found

    def toggle(self, x: float, y: float) -> None:
        """Open the graph at a place, or show all where one is open."""
        self.open(self.item_at(x, y) if self.opened is None else None)
