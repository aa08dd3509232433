"""Drawing small graphs in their cells: nodes and edges come, move and go; graphs are chosen, labelled, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, DataError, Graph, GraphSet
from mlviz.session import graph_edits, item_edits
from mlviz.ui.editors.items import ItemsEditor
from mlviz.ui.editors.toolbox import GRAPH_SET
from mlviz.views.brush import Band, PointerState
from mlviz.views.canvas import REACH
from mlviz.views.graph_set_view import Frame, GraphSetView

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


class GraphSetEditor(ItemsEditor):
    """The tools for sets of graphs."""

    kind = "graph_set"
    tools = GRAPH_SET

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._item = 0  # the graph that the stroke works on
        self._graph: Graph | None = None  # as it was when the stroke began
        self._frame = Frame(0.0, 0.0, 1.0)
        self._node: int | None = None
        self._start: GraphSet | None = None

    @property
    def view(self) -> GraphSetView:
        """The canvas, which a stroke needs."""
        canvas = self.canvas
        if not isinstance(canvas, GraphSetView):
            raise DataError("The graphs are not shown here.")
        return canvas

    def take_canvas(self) -> None:
        """Have the canvas give the mouse to the tool in hand, or keep it."""
        super().take_canvas()
        canvas = self.canvas
        if self.active and isinstance(canvas, GraphSetView):
            canvas.offer_new(self.tool.stroke == "node")

    def add_graph(self) -> None:
        """One more graph, without nodes, of the chosen class."""
        if self.possible:
            self._merge = ""
            self._append()
            self.view.open(None)
            self.view.reveal(self.data.n - 1)
            self.select(np.array([self.data.n - 1]))

    def open_graph(self) -> None:
        """Let the selected graph fill the view, or show all of them again."""
        if not self.possible:
            return
        if self.view.opened is not None:
            self.view.open(None)
        elif len(self.selection):
            self.view.open(int(self.selection[0]))
        else:
            self._say("No graph is selected; V selects.")

    def _append(self) -> None:
        made = item_edits.with_item(self.data, Graph(0, np.empty((0, 2), dtype=np.int64)), self.group)
        self.commit(made, "add a graph", np.append(np.arange(self.data.n), -1))

    # -- the mouse -----------------------------------------------------------------------------------------------

    def begin(self, pointer: PointerState) -> None:
        """Take hold of a graph and perhaps of a node of it."""
        view, self._graph, self._start = self.view, None, self.data
        if pointer.double:
            self._from = None
            view.toggle(pointer.x, pointer.y)
            return
        item = view.item_at(pointer.x, pointer.y)
        if item is None and self.tool.stroke == "node" and view.grid.cell_at(pointer.x, pointer.y) is not None:
            item = self.data.n
            self._append()
        if item is not None:
            self._item, self._graph, self._frame = item, view.graph(item), view.frame(item)
            view.held = (item, self._frame)
            self._node = self._node_at(self._graph, pointer)
        super().begin(pointer)

    def end(self, pointer: PointerState) -> None:
        """Let go; the graph is fitted to its cell again."""
        try:
            super().end(pointer)
        finally:
            self._release()

    def abandon(self) -> bool:
        """Undo the stroke that is going on; False when there is none."""
        going, start = super().abandon(), self._start
        if going:
            self._release()
            if start is not None and self.data is not start:
                self._window.undo()
        return going

    def _release(self) -> None:
        self._graph = self._node = self._start = None
        if isinstance(self.canvas, GraphSetView):
            self.canvas.held = None
            self.canvas.arrange()

    def _place(self, pointer: PointerState) -> Array:
        return self._frame.to_graph(pointer.at)

    def _node_at(self, graph: Graph, pointer: PointerState) -> int | None:
        pixel = 1.0 / self._frame.scale
        return graph_edits.nearest_node(graph, self._place(pointer), (pixel, pixel), REACH)

    def _change(self, graph: Graph) -> None:
        """The graph from now on."""
        self.commit(item_edits.with_graph(self.data, self._item, graph))

    def _begin_node(self, pointer: PointerState) -> None:
        self._go_node(pointer)

    def _go_node(self, pointer: PointerState) -> None:
        if self._graph is not None:
            self._change(graph_edits.add_node(self._graph, self._place(pointer)))

    def _begin_connect(self, pointer: PointerState) -> None:
        if self._graph is not None and self._node is None:
            self._node = self._graph.n
            self._graph = graph_edits.add_node(self._graph, self._place(pointer))
            self._change(self._graph)

    def _go_connect(self, pointer: PointerState) -> None:
        if self._graph is not None and self._node is not None:
            assert self._graph.positions is not None
            start = self._frame.to_view(self._graph.positions[self._node])
            self.show_band(Band("line", np.array([start, pointer.at])))

    def _end_connect(self, pointer: PointerState) -> None:
        graph, tail = self._graph, self._node
        if graph is None or tail is None or self._from is None:
            return
        head = self._node_at(graph, pointer)
        if head == tail and np.abs(pointer.at - self._from).max() <= REACH:
            return  # a click makes a node and nothing else
        if head is None and self.view.item_at(pointer.x, pointer.y) != self._item:
            raise DataError("Both ends of an edge belong to one graph.")
        made = graph if head is not None else graph_edits.add_node(graph, self._place(pointer))
        self._change(graph_edits.connect(made, tail, graph.n if head is None else head))

    def _begin_select(self, pointer: PointerState) -> None:
        if self._node is None or pointer.shift:
            self._node = None
            super()._begin_select(pointer)
        else:
            self.select(np.array([self._item]))

    def _go_select(self, pointer: PointerState) -> None:
        if self._node is None or self._graph is None or self._from is None:
            super()._go_select(pointer)
            return
        by = (pointer.at - self._from) / self._frame.scale
        self._change(graph_edits.move(self._graph, np.array([self._node]), by))

    def _begin_erase(self, pointer: PointerState) -> None:
        self._go_erase(pointer)

    def _go_erase(self, pointer: PointerState) -> None:
        if self._graph is None:
            return
        graph, pixel = self.view.graph(self._item), 1.0 / self._frame.scale
        node = self._node_at(graph, pointer)
        if node is not None:
            self._change(graph_edits.delete_nodes(graph, np.array([node]))[0])
            return
        edge = graph_edits.nearest_edge(graph, self._place(pointer), (pixel, pixel), 0.5 * REACH)
        if edge is not None:
            self._change(graph_edits.delete_edge(graph, edge))

    def _end_erase(self, pointer: PointerState) -> None:
        """All is done already."""
