"""Drawing graphs: add, move, connect, weigh, reverse and delete nodes and edges, and lay them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, DataError, Graph
from algorithms.maths.layouts import placed
from mlviz.session import graph_edits as edits
from mlviz.session.document import Document
from mlviz.ui.editors.base import Editor
from mlviz.ui.editors.toolbox import GRAPH
from mlviz.views.brush import Band, BrushLayer, PointerState
from mlviz.views.canvas import REACH
from mlviz.views.renderers.base import NO_POINTS

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

STEP = 40.0
"""Pixels of an upward drag that double a weight."""


class GraphEditor(Editor):
    """The tools for graphs."""

    kind = "graph"
    tools = GRAPH

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._layers: tuple[object, BrushLayer] | None = None
        self._held: int | None = None  # the node or the edge that the stroke works on
        self._from: Array = np.zeros(2)
        self._weight = 1.0
        self._start: Graph | None = None

    # -- what is on the desk -------------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph on the desk, with places for its nodes."""
        data = self._window.document.data
        assert isinstance(data, Graph)
        return placed(data)

    @property
    def brush(self) -> BrushLayer | None:
        """What the tools show on the canvas of the moment."""
        canvas = self.canvas
        if canvas is None or not self.active:
            return None
        if self._layers is None or self._layers[0] is not canvas:
            self._layers = (canvas, BrushLayer(canvas))
        self._layers[1].set_theme(canvas.theme)
        return self._layers[1]

    def select(self, items: Array) -> None:
        """Select these nodes."""
        super().select(items)
        if self.active and self.brush is not None:
            at = self.graph.positions
            self.brush.show_selection(self.selection, at if at is not None else np.zeros((0, 2)))

    def select_all(self) -> None:
        """Select every node, and take the tool that moves them."""
        if self.possible:
            self.choose("select")
            self.select(np.arange(self.graph.n))

    def delete_selection(self) -> None:
        """Take the selected nodes away, with their edges."""
        if not len(self.selection):
            self._say("No node is selected; V selects nodes.")
            return
        made, origin = edits.delete_nodes(self.graph, self.selection)
        self.select(NO_POINTS)
        self._merge = ""
        self.commit(made, "delete nodes", origin)

    def lay_out(self, layout: edits.Layout) -> None:
        """Put the nodes at the places that a layout gives them."""
        if self.active:
            self._merge = ""
            self.commit(edits.laid_out(self.graph, layout, self._window.document.seed), f"{layout} layout")
            self._window.board.fit_view()

    def toggle_direction(self) -> None:
        """Give the edges a direction, or take it away."""
        if self.active:
            self._merge = ""
            directed = not self.graph.directed
            self.commit(edits.with_direction(self.graph, directed), "directed" if directed else "undirected")

    def document_changed(self, before: Document | None) -> None:
        """The window has another document."""
        super().document_changed(before)
        if self.active:
            self._window.actions_table["directed"].setChecked(self.graph.directed)
            self.select(self.selection)

    # -- the mouse -----------------------------------------------------------------------------------------------

    def begin(self, pointer: PointerState) -> None:
        """Take hold of a node or an edge, or make a node."""
        graph = self._start = self.graph
        self._from = pointer.at
        self._held = edits.nearest_node(graph, pointer.at, pointer.pixel, 1.5 * REACH)
        getattr(self, f"_begin_{self.tool.stroke}")(graph, pointer)

    def go(self, pointer: PointerState) -> None:
        """Follow the mouse."""
        act = getattr(self, f"_go_{self.tool.stroke}", None)
        if act is not None and self._start is not None:
            act(self._start, pointer)

    def end(self, pointer: PointerState) -> None:
        """Let go."""
        act = getattr(self, f"_end_{self.tool.stroke}", None)
        if act is not None and self._start is not None:
            act(self._start, pointer)
        self._show_band(None)
        self._held = self._start = None

    def abandon(self) -> bool:
        """Undo the stroke that is going on; False when there is none."""
        start, self._start = self._start, None
        if start is None:
            return False
        self._show_band(None)
        if self._window.document.data is not start:
            self.commit(start)
        return True

    def _begin_node(self, graph: Graph, pointer: PointerState) -> None:
        self._go_node(graph, pointer)

    def _go_node(self, graph: Graph, pointer: PointerState) -> None:
        self.commit(edits.add_node(graph, pointer.at), origin=_origin(graph, 1))

    def _begin_connect(self, graph: Graph, pointer: PointerState) -> None:
        if self._held is None:
            self._held = graph.n
            self._start = edits.add_node(graph, pointer.at)
            self.commit(self._start, origin=_origin(graph, 1))

    def _go_connect(self, graph: Graph, pointer: PointerState) -> None:
        assert graph.positions is not None
        if self._held is not None:
            self._show_band(Band("line", np.array([graph.positions[self._held], pointer.at])))

    def _end_connect(self, graph: Graph, pointer: PointerState) -> None:
        if self._held is None:
            return
        head = edits.nearest_node(graph, pointer.at, pointer.pixel, 1.5 * REACH)
        moved = np.abs((pointer.at - self._from) / pointer.pixel).max() > REACH
        if head == self._held and not moved:
            return  # a click makes a node and nothing else
        made = graph if head is not None else edits.add_node(graph, pointer.at)
        made = edits.connect(made, self._held, graph.n if head is None else head)
        self.commit(made, origin=_origin(graph, made.n - graph.n))

    def _begin_select(self, graph: Graph, pointer: PointerState) -> None:
        if self._held is None:
            if not pointer.shift:
                self.select(NO_POINTS)
        elif self._held not in self.selection:
            kept = self.selection if pointer.shift else NO_POINTS
            self.select(np.append(kept, self._held))

    def _go_select(self, graph: Graph, pointer: PointerState) -> None:
        if self._held is not None:
            self.commit(edits.move(graph, self.selection, pointer.at - self._from))
            self.select(self.selection)
        else:
            self._show_band(Band("rectangle", np.array([self._from, pointer.at])))

    def _end_select(self, graph: Graph, pointer: PointerState) -> None:
        if self._held is None and graph.positions is not None:
            low, high = np.minimum(self._from, pointer.at), np.maximum(self._from, pointer.at)
            inside = np.flatnonzero(((graph.positions >= low) & (graph.positions <= high)).all(axis=1))
            self.select(np.union1d(self.selection, inside) if pointer.shift else inside)

    def _begin_weigh(self, graph: Graph, pointer: PointerState) -> None:
        self._held = edits.nearest_edge(graph, pointer.at, pointer.pixel, REACH)
        if self._held is None:
            raise DataError("There is no edge here.")
        self._weight = float(graph.lengths[self._held])
        if pointer.double:
            self._ask_weight(graph, self._held)
        else:
            self._say(graph.edge_text(self._held))

    def _ask_weight(self, graph: Graph, edge: int) -> None:
        self._start = None
        about, old = graph.edge_text(edge), float(graph.lengths[edge])
        weight = self.ask_number("Weight of the edge", about, old, -edits.HEAVIEST, edits.HEAVIEST)
        if weight is not None:
            self.commit(edits.weigh(graph, edge, weight))

    def _go_weigh(self, graph: Graph, pointer: PointerState) -> None:
        if self._held is None:
            return
        upward = (pointer.y - self._from[1]) / pointer.pixel[1]
        weight = float(f"{(self._weight or 1.0) * 2.0 ** (upward / STEP):.2g}")
        made = edits.weigh(graph, self._held, weight)
        self.commit(made)
        self._say(made.edge_text(self._held))

    def _begin_reverse(self, graph: Graph, pointer: PointerState) -> None:
        edge = edits.nearest_edge(graph, pointer.at, pointer.pixel, REACH)
        if edge is None:
            raise DataError("There is no edge here.")
        self.commit(edits.reverse(graph, edge))

    def _begin_erase(self, graph: Graph, pointer: PointerState) -> None:
        self._go_erase(graph, pointer)

    def _go_erase(self, _: Graph, pointer: PointerState) -> None:
        graph = self.graph
        node = edits.nearest_node(graph, pointer.at, pointer.pixel, REACH)
        if node is not None:
            made, origin = edits.delete_nodes(graph, np.array([node]))
            self.commit(made, origin=origin)
            return
        edge = edits.nearest_edge(graph, pointer.at, pointer.pixel, 0.5 * REACH)
        if edge is not None:
            self.commit(edits.delete_edge(graph, edge))

    def _show_band(self, band: Band | None) -> None:
        if self.brush is not None:
            self.brush.show_band(band)


def _origin(graph: Graph, added: int) -> Array:
    """Which node each one was before some were added at the end."""
    return np.concatenate([np.arange(graph.n), np.full(added, -1)])
