"""Graphs as nodes and lines: nodes are stamped as sprites, lines are drawn style by style, words find their room."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from algorithms.data import Array, Graph
from algorithms.marks import NodeLink
from mlviz.views.colours import numbers, text_of
from mlviz.views.legend_rows import Row
from mlviz.views.renderers._links import LinkItem, LinkStyle, Net
from mlviz.views.renderers._node_names import WordItem, Words
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.scale import FEW, end_colour, value_colours
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.theme import Theme

REACH = 6.0
"""How near, in pixels, the mouse must be to the rim of a node to mean it."""
LEVELS = 16
"""Different sizes of nodes."""
LARGEST, SMALLEST = 2.6, 0.55
"""The diameter of nodes, in sizes of a point: in a small graph and in a large one."""
ROOM = 0.3
"""The diameter of a node as a fraction of the room that it has."""
TOUCHING = 0.75
"""And as a fraction of the distance to the next node, where nodes are near each other."""
MANY_EDGES = 1200
"""More edges than this are drawn one pixel wide: Qt draws such lines four times as fast."""
FEW_LIT = 80
"""A tree of more edges than this is drawn with thinner lines."""
MOST_WEIGHTS = 60
"""The weights of more edges than this are not written on them."""
WIDTHS = 6
"""Different widths of edges."""


class NodeLayer(SpriteLayer):
    """Nodes; a view that fits itself to them leaves room for their words."""

    def __init__(self) -> None:
        super().__init__()
        self.room = 0.0

    def pixelPadding(self) -> float:
        """The room around the nodes, in pixels."""
        return self.room


@renders(NodeLink)
class NodeLinkRenderer(Renderer):
    """The whole picture of a graph, whatever the mark says about it and whatever it leaves to the data."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._links: LinkItem = self.add(LinkItem())
        self._nodes: NodeLayer = self.add(NodeLayer())
        self._rings: SpriteLayer = self.add(SpriteLayer())
        self._words: WordItem = self.add(WordItem())
        self._ring: SpriteLayer = self.add(SpriteLayer())
        self._mark: NodeLink | None = None
        self._fills: Array | None = None
        self._lit: Array = NO_POINTS
        self._diameters: Array = np.empty(0)
        self._spaced: tuple[Array, float] = (EMPTY, 0.0)  # places, and how near the nearest of them are
        self._base_kept: tuple[Any, ...] | None = None
        self._held: int | None = None  # which flag is being dragged
        self._target: int | None = None  # the node it would be put on
        canvas.box.sigResized.connect(self._resized)

    def set_height(self, height: int) -> None:
        for item, depth in zip(self.items, (20.0, 100.0, 110.0, 130.0, 900.0)):
            item.setZValue(depth)

    # -- what the mark leaves to the data ------------------------------------------------------------------------

    def _at(self, mark: NodeLink) -> Array:
        return self.scene.at if mark.at is None else mark.at

    def _graph(self) -> Graph | None:
        return self.scene.data if isinstance(self.scene.data, Graph) else None

    def _edges(self, mark: NodeLink) -> tuple[Array, bool]:
        graph = self._graph()
        if mark.edges is None and graph is not None:
            return graph.edges, graph.directed
        return (np.empty((0, 2), dtype=np.int64) if mark.edges is None else mark.edges), mark.directed

    def _names(self, mark: NodeLink) -> tuple[str, ...]:
        graph = self._graph()
        if mark.names or graph is None:
            return mark.names
        rows = range(graph.n) if mark.points is None else mark.points.tolist()
        return tuple(graph.node_name(node) for node in rows)

    def _rows(self, mark: NodeLink) -> Array:
        """The item of the data that each node is."""
        return np.arange(len(self._at(mark))) if mark.points is None else mark.points

    # -- drawing -------------------------------------------------------------------------------------------------

    def show(self, mark: NodeLink) -> None:
        """Draw the graph."""
        self._mark = mark
        self._fills = None
        self._take_canvas()
        self._draw()

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def end(self) -> None:
        self.canvas.box.sigResized.disconnect(self._resized)
        super().end()

    def paint_nodes(self, fills: Array) -> None:
        """Colour the nodes, (n,) 0xRRGGBB, as another mark of the frame says."""
        self._fills = fills
        self._draw()

    def net(self) -> Net:
        """What is drawn now."""
        return self._links.net

    def margins(self, scale: float = 0.0) -> Array:
        """The room (n, 4) that each node needs around it, in pixels: left, right, above, below; at this zoom."""
        return self._words.margins(scale)

    def _take_canvas(self) -> None:
        """A graph has one scale and no axes, whatever panel it stands in."""
        if self.canvas.panel.space != "data":
            for layer in (self._nodes, self._rings, self._ring):
                layer.shrinks = True  # another graph may be smaller, and is to be fitted as well
            self.canvas.box.setAspectLocked(True, ratio=1.0)
            if self.canvas.panel.space == "own":
                for side in ("left", "bottom"):
                    self.canvas.hideAxis(side)
        self.canvas.legend.avoid = self.places

    def _resized(self) -> None:
        if self._mark is not None:
            self._draw()

    def _draw(self) -> None:
        assert self._mark is not None
        mark, theme = self._mark, self.theme
        at = self._at(mark)
        if len(at) != len(self._rows(mark)):
            return  # an edit has taken nodes away; a frame that fits is on its way
        self._diameters = self._sized(mark, len(at))
        edges, directed = self._edges(mark)
        net = Net(at, edges, directed, self._diameters / 2)
        lit = tuple(_link_style(theme, links.role, links.edges) for links in mark.links if len(links.edges))
        self._links.set(net, theme, self._base(mark, edges), lit, self._weights(mark))
        codes, hollow = self._codes(mark)
        self._stamp(at, codes, hollow)
        inks = _inks(theme, codes, hollow)
        order = np.argsort(-self._diameters - 1e-6 * np.bincount(edges.ravel(), minlength=len(at)), kind="stable")
        words = Words(self._names(mark), mark.notes, inks, order, self._flags(mark), _numbers(mark.tokens))
        self._words.set(net, theme, words)
        self._nodes.room = float(self._words.margins().max(initial=0.0))
        self._draw_rings(mark, at)
        self._draw_lit()
        for item in self.items:
            item.setVisible(True)

    def _sized(self, mark: NodeLink, n: int) -> Array:
        """The diameters of the nodes in pixels, in few steps."""
        box, point = self.canvas.box.boundingRect(), self.theme.point
        wanted = ROOM * math.sqrt(max(box.width() * box.height(), 1.0) / max(n, 1))
        at = self._at(mark)
        if at is not self._spaced[0]:
            self._spaced = (at, _nearest(at))
        if n > 1:
            scale = float(np.min(np.array([box.width(), box.height()]) / np.maximum(np.ptp(at, axis=0), 1e-12)))
            wanted = min(wanted, TOUCHING * self._spaced[1] * scale)
        usual = float(np.clip(wanted, SMALLEST * point, LARGEST * point))
        if mark.sizes is None:
            return np.full(n, usual)
        top = float(mark.sizes.max(initial=0.0))
        fraction = np.sqrt(mark.sizes / top) if top > 0 else np.full(n, 0.25)
        return np.asarray(usual * (0.4 + 1.5 * np.rint(fraction * LEVELS) / LEVELS))

    def _codes(self, mark: NodeLink) -> tuple[Array, Array]:
        """The shape and the colour of every node as a number, and which of them are hollow."""
        scene, rows = self.scene, self._rows(mark)
        hollow = np.zeros(len(rows), dtype=bool) if mark.unknown is None else mark.unknown
        if self._fills is not None and len(self._fills) == len(rows):
            fills = self._fills
        elif mark.values is not None:
            known = mark.values[~hollow]
            low, high = float(known.min(initial=np.inf)), float(known.max(initial=-np.inf))
            fraction = (mark.values - low) / (high - low) if high > low else np.full(len(rows), 0.5)
            fills = numbers(value_colours(scene.theme, np.rint(FEW * np.clip(fraction, 0, 1)) / FEW))
        elif mark.groups is not None:
            fills = scene.group_colours(mark.groups)
        else:
            fills = scene.class_fills()[rows]
        return (scene.shapes[rows] << 24) | fills.astype(np.int64), hollow

    def _stamp(self, at: Array, codes: Array, hollow: Array) -> None:
        theme = self.theme
        sizes, size = np.unique(self._diameters, return_inverse=True)
        looks, which = np.unique(
            np.column_stack([np.where(hollow, -1 - (codes >> 24), codes), size]), axis=0, return_inverse=True
        )
        sprites = tuple(_node_sprite(theme, code, float(sizes[number])) for code, number in looks.tolist())
        self._nodes.set(at, sprites, which.reshape(-1))

    def _base(self, mark: NodeLink, edges: Array) -> tuple[LinkStyle, ...]:
        """The edges without a reason to be lit; the very same value as long as nothing about them changes."""
        out = [links.edges for links in mark.links if links.role == "out"]
        left = np.concatenate(out) if out else NO_POINTS
        key = (id(edges), self.theme, id(mark.widths), left.tobytes())
        if self._base_kept is None or self._base_kept[0] != key:
            rest = np.setdiff1d(np.arange(len(edges)), left)
            self._base_kept = (key, _plain_styles(self.theme, rest, mark.widths), edges, mark.widths)
        return self._base_kept[1]

    def _weights(self, mark: NodeLink) -> tuple[str, ...]:
        graph = self._graph()
        if graph is None or mark.edges is not None or not graph.weighted or graph.m > MOST_WEIGHTS:
            return ()
        return tuple(f"{weight:.3g}" for weight in graph.lengths.tolist())

    def _draw_rings(self, mark: NodeLink, at: Array) -> None:
        places, which = [EMPTY], []
        sprites: list[Sprite] = []
        for rings in mark.rings:
            for node in rings.nodes.tolist():
                places.append(at[node : node + 1])
                which.append(len(sprites))
                sprites.append(_ring_sprite(self.theme, rings.role, float(self._diameters[node])))
        distinct = list(dict.fromkeys(sprites))
        number = np.array([distinct.index(sprites[one]) for one in which], dtype=np.intp)
        self._rings.set(np.concatenate(places), tuple(distinct), number)

    def _draw_lit(self) -> None:
        if self._mark is None:
            return
        nodes = self._nodes_of(self._lit)
        sizes, which = np.unique(self._diameters[nodes], return_inverse=True)
        looks = tuple(Sprite("o", float(size) + 9.0, None, self.theme.line, self.theme.stroke) for size in sizes)
        self._ring.set(self._nodes.at[nodes], looks, which.reshape(-1))
        self._words.light(nodes)

    def _flags(self, mark: NodeLink) -> tuple[tuple[int, str], ...]:
        """The nodes with flags; the one that is being dragged is where it would be put."""
        ends = _numbers(mark.ends)
        held = [
            self._target if number == self._held and self._target is not None else node
            for number, node in enumerate(ends)
        ]
        return tuple(zip(held, mark.end_names))

    # -- the legend ----------------------------------------------------------------------------------------------

    def legend(self, mark: NodeLink) -> tuple[Row, ...]:
        theme, rows = self.theme, list(self._colour_rows(mark))
        if mark.sizes is not None and mark.sizes_name:
            rows.append(Row(mark.sizes_name, sprite=Sprite("o", theme.point * 1.6, theme.muted, theme.plot)))
        rows += [
            Row(rings.name, sprite=_ring_sprite(theme, rings.role, theme.point * 0.8))
            for rings in mark.rings
            if rings.name
        ]
        for links in mark.links:
            if links.name:  # also when there are none now: a legend that comes and goes would move the graph
                style = _link_style(theme, links.role, links.edges)
                rows.append(Row(links.name, line=style.colour, dashed=style.dashed, width=style.width))
        if mark.widths is not None and mark.widths_name:
            rows.append(Row(mark.widths_name, line=theme.faint(theme.muted, 0.5), width=theme.stroke * 1.5))
        if mark.tokens is not None and len(mark.tokens) and mark.tokens_name:
            rows.append(Row(mark.tokens_name, sprite=Sprite("o", theme.point, theme.warning, theme.plot)))
        return tuple(rows)

    def _colour_rows(self, mark: NodeLink) -> list[Row]:
        theme, data = self.theme, self.scene.data
        recoloured = mark.values is not None or mark.groups is not None or self._fills is not None
        rows = [
            Row(
                name,
                sprite=Sprite(theme.shape(c), theme.point, theme.muted if recoloured else theme.colour(c), theme.plot),
            )
            for c, name in enumerate(data.classes)
        ]
        if mark.values is not None:
            known = mark.values if mark.unknown is None else mark.values[~mark.unknown]
            ends = [] if not len(known) else [(float(known.max()), 1.0), (float(known.min()), 0.0)]
            if len(ends) == 2 and ends[0][0] == ends[1][0]:
                ends = [(ends[0][0], 0.5)]
            rows += [
                Row(
                    f"{mark.values_name} = {end:.3g}",
                    sprite=Sprite("o", theme.point, end_colour(theme, fraction), theme.plot),
                )
                for end, fraction in ends
            ]
        return rows

    def places(self) -> Array:
        """Where nodes, flags and names are, in the pixels of the view, for the legend to keep off them."""
        if self._mark is None or not len(self._nodes.at):
            return EMPTY
        (left, right), (bottom, top) = self.canvas.box.viewRange()
        size = self.canvas.box.boundingRect()
        at = (self._nodes.at - (left, top)) / (right - left, bottom - top) * (size.width(), size.height())
        need = self._words.margins()
        corners = [
            at,
            at - need[:, [0, 2]],
            at + need[:, [1, 3]],
            at + need[:, [1, 2]] * (1, -1),
            at + need[:, [0, 3]] * (-1, 1),
        ]
        return np.concatenate(corners)

    # -- the mouse -----------------------------------------------------------------------------------------------

    def light_points(self, points: Array) -> None:
        self._lit = points
        self._draw_lit()

    def points_at(self, place: QPointF) -> Array:
        node = self.node_at(place)
        return NO_POINTS if node is None or self._mark is None else self._rows(self._mark)[node : node + 1]

    def _nodes_of(self, points: Array) -> Array:
        """The nodes that some items of the data are."""
        assert self._mark is not None
        if self._mark.points is None:
            return points[points < len(self._diameters)]
        return np.flatnonzero(np.isin(self._mark.points, points))

    def node_at(self, place: QPointF, reach: float = REACH) -> int | None:
        """The node at a place of the view: the one whose rim is nearest, within reach."""
        if self._mark is None or not len(self._nodes.at):
            return None
        away = self.canvas.pixels_away(self._nodes.at, place) - self._diameters / 2
        nearest = int(away.argmin())
        return nearest if away[nearest] <= reach else None

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        """A flag is held at its node, or at the flag itself above it."""
        mark = self._mark
        if mark is None or not mark.handles or mark.ends is None:
            return False
        wide, high = self.canvas.box.viewPixelSize()
        for number, node in enumerate(mark.ends.tolist()):
            x, y = self._nodes.at[node]
            radius = float(self._diameters[node]) / 2 + 4.0
            across, up = abs(place.x() - x) / wide, (place.y() - y) / high
            if across <= max(radius, 22.0 if up > radius else 0.0) and -radius <= up <= radius + 24.0:
                self._held, self._target = number, None
                return True
        return False

    def drag(self, place: QPointF, finished: bool) -> None:
        """The flag goes to the nearest node; that sets its parameter."""
        mark, held = self._mark, self._held
        if mark is None or held is None:
            return
        target = self.node_at(place, reach=40.0)
        moved = target is not None and target != self._target
        self._target = self._target if target is None else target
        chosen = self._target
        if finished:
            self._held = self._target = None
        self._draw()
        if chosen is not None and (moved or finished):
            number = int(self._rows(mark)[chosen]) + 1
            self.canvas.param_dragged.emit((mark.handles[held], number, finished))


def _nearest(at: Array) -> float:
    """How far from each other the nodes are that are near each other: one in ten is nearer to the next one."""
    from scipy.spatial import cKDTree

    return float(np.quantile(np.asarray(cKDTree(at).query(at, k=2)[0])[:, 1], 0.1)) if len(at) > 1 else 0.0


def _numbers(nodes: Array | None) -> tuple[int, ...]:
    return () if nodes is None else tuple(nodes.tolist())


def _node_sprite(theme: Theme, code: int, size: float) -> Sprite:
    shape = theme.shape(-1 - code if code < 0 else code >> 24)
    even = {"star": 1.3, "d": 1.15, "t1": 1.15, "t": 1.15}.get(shape, 1.0)  # these look smaller than they are
    if code < 0:
        return Sprite(shape, size * even, theme.plot, theme.muted, theme.stroke * 0.6)
    return Sprite(shape, size * even, text_of(code), theme.plot, theme.stroke * 0.6)


def _ring_sprite(theme: Theme, role: str, size: float) -> Sprite:
    colour, width, dashed = {
        "current": (theme.line, theme.stroke * 1.3, False),
        "frontier": (theme.warning, theme.stroke, True),
        "chosen": (theme.accent, theme.stroke * 1.3, False),
    }[role]
    return Sprite("o", size + 2.0 + 2.0 * theme.stroke, None, colour, width, dashed)


def _link_style(theme: Theme, role: str, edges: Array) -> LinkStyle:
    stroke = theme.stroke
    tree = stroke * 1.1 if len(edges) <= FEW_LIT else max(stroke * 0.5, 1.0)
    return {
        "path": LinkStyle(edges, theme.line, stroke * 1.7, rim=theme.plot),
        "tree": LinkStyle(edges, theme.accent, tree),
        "frontier": LinkStyle(edges, theme.warning, stroke * 0.8, dashed=True),
        "considered": LinkStyle(edges, theme.warning, stroke * 1.5),
        "out": LinkStyle(edges, theme.grid, stroke * 0.5),
    }[role]


def _plain_styles(theme: Theme, edges: Array, widths: Array | None) -> tuple[LinkStyle, ...]:
    """Grey lines; the more there are the thinner and fainter, since they lie over each other."""
    crowd = min(len(edges) / MANY_EDGES, 1.0)
    thin = 1.0 if crowd == 1.0 else theme.stroke * 0.6
    colour = theme.faint(theme.muted, 0.55 - 0.27 * crowd)
    if widths is None:
        return (LinkStyle(edges, colour, thin),) if len(edges) else ()
    top = float(widths.max(initial=0.0))
    level = np.rint(WIDTHS * (widths / top if top > 0 else 0.0 * widths)).astype(int)[edges]
    found = (LinkStyle(edges[level == step], colour, thin * (0.4 + 2.6 * step / WIDTHS)) for step in range(WIDTHS + 1))
    return tuple(style for style in found if len(style.edges))


def _inks(theme: Theme, codes: Array, hollow: Array) -> tuple[str, ...]:
    """Letters that can be read on each node: light on dark colours and dark on light ones."""
    channels = np.stack([codes >> 16 & 255, codes >> 8 & 255, codes & 255]) / 255.0
    light = np.array([0.2126, 0.7152, 0.0722]) @ channels**2.2 > 0.32
    on_hollow = QColor(theme.text).name()
    return tuple(
        on_hollow if empty else "#14181c" if bright else "#ffffff"
        for bright, empty in zip(light.tolist(), hollow.tolist())
    )
