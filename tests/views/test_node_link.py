"""The node-link picture: as approved, everything inside the view, words apart, hovered and dragged by the mouse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.data import Array, Graph
from algorithms.marks import Assignment, Highlight, Links, NodeLink, PointSizes, Rings
from mlviz.data.spec import load_data
from mlviz.session.layout import Viewport
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.graph_view import GraphView, after_edit, fitting_rect
from mlviz.views.plots import DiagramView
from mlviz.views.renderers import _links
from mlviz.views.renderers._links import LinkStyle, Net, loop_boxes, shape_of
from mlviz.views.renderers._node_names import label_places
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.events import settle
from tests.views.conftest import difference, pixels

GRID = load_data("grid(rows=4,columns=6,weights=random,seed=2)")
WEB = load_data("small_web")
KARATE = load_data("karate")


def spiral(graph: Graph) -> Graph:
    """The nodes in places of a formula: a layout of hundreds looks different after the last bit of one number."""
    k = np.arange(graph.n)
    turn = k * np.pi * (3.0 - np.sqrt(5.0))
    return replace(graph, positions=np.sqrt(k)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]))


def numbers(*values: int) -> Array:
    return np.array(values, dtype=np.int64)


SEARCH = NodeLink(
    values=np.arange(24.0) % 9,
    values_name="distance",
    unknown=np.arange(24) > 15,
    notes=tuple(str(node % 9) if node < 16 else "" for node in range(24)),
    links=(
        Links(np.arange(12), "tree", "tree"),
        Links(numbers(20, 21, 22, 23), "frontier", "to be looked at"),
        Links(numbers(30), "considered", "looked at now"),
        Links(numbers(1, 2, 3), "path", "path"),
        Links(numbers(16, 17), "out", ""),
    ),
    rings=(Rings(numbers(12, 13), "frontier", "in the queue"), Rings(numbers(8), "current", "taken now")),
    ends=numbers(0, 23),
    end_names=("from", "to"),
    handles=("from", "to"),
)
SURF = NodeLink(
    sizes=np.arange(12.0),
    sizes_name="rank",
    groups=np.arange(12) % 3,
    tokens=numbers(3, 3, 5),
    tokens_name="surfer",
    widths=np.arange(23.0),
    widths_name="traffic",
    rings=(Rings(numbers(0), "chosen", "chosen"),),
)
CASES = {
    "karate": (KARATE, NodeLink(), LIGHT),
    "karate-dark": (KARATE, NodeLink(), DARK),
    "les-miserables": (load_data("les_miserables"), NodeLink(), LIGHT),
    "florentine-presenting": (load_data("florentine"), NodeLink(), LIGHT.presenting()),
    "web": (WEB, SURF, LIGHT),
    "web-dark": (WEB, SURF, DARK),
    "search": (GRID, SEARCH, LIGHT),
    "search-dark": (GRID, SEARCH, DARK),
    "many": (spiral(load_data("scale_free(n=600,links=4)")), NodeLink(), LIGHT),
    "pieces": (load_data("random_graph(n=40,p=0.04,seed=3)"), NodeLink(), LIGHT),
}


@pytest.fixture
def view(qtbot):
    canvas = GraphView(Panel("graph", "Graph", space="data"))
    qtbot.addWidget(canvas)
    canvas.resize(620, 440)
    canvas.show()
    return canvas


def shown(view: GraphView, graph: Graph, mark: NodeLink | None = None, theme=LIGHT) -> GraphView:
    view.set_theme(theme)
    view.set_scene(Scene.of(graph, Projection(), theme))
    view.show_marks(() if mark is None else (mark,))
    view.grab()
    return view


def on_screen(view: GraphView, node: int) -> QPointF:
    """The pixel at which a node is drawn."""
    at = view.box.mapViewToScene(QPointF(*view.nodes.net().at[node].tolist()))
    return QPointF(view.mapFromScene(at))


@pytest.mark.parametrize("name", CASES)
def test_pictures(view, approved, name):
    graph, mark, theme = CASES[name]
    approved(shown(view, graph, mark, theme).grab().toImage(), f"graph-{name}")


def test_the_canvas_of_graphs(qtbot):
    canvas = make_canvas(Panel("graph", "Graph", space="data"), "graph")
    qtbot.addWidget(canvas)
    assert isinstance(canvas, GraphView)


# -- nothing clipped --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(620, 440), (200, 150), (900, 250), (240, 700)])
@pytest.mark.parametrize("name", ["karate", "web", "search", "florentine-presenting", "pieces"])
def test_everything_is_inside_the_view(view, name, size):
    graph, mark, theme = CASES[name]
    view.resize(*size)
    shown(view, graph, mark, theme)
    at = np.array([on_screen(view, node).toTuple() for node in range(graph.n)])
    left, right, *_ = view.view_rect()
    need = view.nodes.margins(view.box.width() / (right - left))
    slack = 2.0
    if min(size) > 240 and theme.font < 12:
        assert (at - need[:, [0, 2]]).min() >= -slack
        assert (at + need[:, [1, 3]] <= np.array(size) + slack).all()
    assert ((at > 0) & (at < size)).all()


def test_one_unit_is_as_wide_as_it_is_high(view):
    shown(view, GRID, SEARCH)
    assert np.diff(view.box.viewPixelSize()) == pytest.approx([0.0], abs=1e-9)


def test_the_legend_covers_no_node(view):
    shown(view, GRID, SEARCH)
    legend = view.legend.mapRectToScene(view.legend.boundingRect())
    assert view.legend.form == "list"
    for node in range(GRID.n):
        assert not legend.contains(on_screen(view, node))


def test_a_legend_in_large_letters_does_not_squeeze_the_graph_into_a_corner(view):
    """In presenter mode at 1024x768 it took half of both sides, and the names lay over each other."""
    view.resize(430, 400)
    shown(view, GRID, SEARCH, LIGHT.presenting())
    settle()
    at = np.array([on_screen(view, node).toTuple() for node in range(GRID.n)])
    assert np.ptp(at, axis=0).max() > 0.5 * view.width()
    assert view.legend.side == "below"


def test_a_resized_view_fits_again_and_a_moved_one_stays(view, qtbot):
    shown(view, KARATE)
    view.resize(400, 300)
    view.grab()
    assert view.viewport_state().rect is None
    (left, right), _ = view.box.viewRange()
    assert left < KARATE.positions[:, 0].min()
    assert right > KARATE.positions[:, 0].max()
    view.box.translateBy(x=1.0, y=0.0)
    moved = view.view_rect()
    assert view.viewport_state().rect == pytest.approx(moved, rel=0.01)  # what was asked for, not what the shape adds
    view.resize(420, 300)
    view.show_marks((SEARCH if KARATE.n == 24 else NodeLink(),))
    assert view.view_rect()[0] == pytest.approx(moved[0], abs=0.6)
    view.fit_view()
    assert view.viewport_state().rect is None


def test_a_graph_without_words_is_fitted_once(view, monkeypatch):
    """Where its nodes need the same room at the zoom that was found, that is not looked for again."""
    shown(view, KARATE)
    fits = []

    def noted(*asked):
        fits.append((asked, fitting_rect(*asked)))
        return fits[-1][1]

    monkeypatch.setattr("mlviz.views.graph_view.fitting_rect", noted)
    net = view.nodes.net()
    monkeypatch.setattr(view.nodes, "margins", lambda *_: np.full((KARATE.n, 4), 9.0))
    assert view._fitted(net, 400.0, 300.0) == fitting_rect(net, np.full((KARATE.n, 4), 9.0), (400.0, 300.0))
    assert len(fits) == 1
    rooms = iter([9.0, 12.0, 10.0, 11.0])
    monkeypatch.setattr(view.nodes, "margins", lambda *_: np.full((KARATE.n, 4), next(rooms)))
    assert view._fitted(net, 400.0, 300.0) == fitting_rect(net, np.full((KARATE.n, 4), 11.0), (400.0, 300.0))


def test_a_viewport_is_restored(view):
    shown(view, KARATE)
    view.restore_viewport(Viewport((-1.0, 1.0, -1.0, 1.0)))
    assert view.view_rect()[2:] == pytest.approx((-1.0, 1.0))
    assert view.viewport_state().rect is not None


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(1, 12), width=st.floats(150, 900), height=st.floats(120, 900))
def test_the_fitting_rectangle_holds_all_nodes_with_their_room(data, n, width, height):
    places = st.tuples(st.floats(-5, 5), st.floats(-5, 5))
    at = np.array(data.draw(st.lists(places, min_size=n, max_size=n)))
    need = np.full((n, 4), 12.0)
    net = Net(at, np.empty((0, 2), dtype=np.int64), False, np.full(n, 8.0))
    left, right, bottom, top = fitting_rect(net, need, (width, height))
    scale = width / (right - left)
    assert scale == pytest.approx(height / (top - bottom))
    assert ((at - (left, bottom)) * scale >= 12.0 - 1e-6).all()
    assert (((right, top) - at) * scale >= 12.0 - 1e-6).all()


# -- words ------------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(1, 25))
def test_labels_in_a_crowd_lie_on_nothing(data, n):
    places = st.tuples(st.floats(0, 300), st.floats(0, 300))
    at = np.array(data.draw(st.lists(places, min_size=n, max_size=n)))
    sizes = np.tile([40.0, 12.0], (n, 1))
    found = label_places(at, np.full(n, 5.0), sizes, np.arange(n), np.empty((0, 4)), crowded=True)
    boxes = [(*(at[i] + found[i]), *(at[i] + found[i] + sizes[i])) for i in range(n) if np.isfinite(found[i, 0])]
    for number, one in enumerate(boxes):
        for two in boxes[number + 1 :]:
            across = min(one[2], two[2]) - max(one[0], two[0])
            down = min(one[3], two[3]) - max(one[1], two[1])
            assert max(across, 0) * max(down, 0) <= 0.04 * 480 + 1e-9
    assert len(boxes) >= 1


def test_a_label_goes_below_and_aside_where_that_is_taken():
    one = label_places(
        np.array([[0.0, 0.0]]), np.array([5.0]), np.array([[30.0, 10.0]]), numbers(0), np.empty((0, 4)), True
    )
    assert one.tolist() == [[-15.0, 7.0]]
    taken = np.array([[-20.0, 6.0, 20.0, 30.0]])
    aside = label_places(np.array([[0.0, 0.0]]), np.array([5.0]), np.array([[30.0, 10.0]]), numbers(0), taken, True)
    assert aside.tolist() == [[9.0, -5.0]]


# -- lines ------------------------------------------------------------------------------------------------------------


def test_an_arrow_ends_at_the_rim_of_its_node():
    net = Net(np.zeros((2, 2)), np.array([[0, 1]]), True, np.array([5.0, 10.0]))
    shape = shape_of(net, np.array([[0.0, 0.0], [100.0, 0.0]]), LinkStyle(numbers(0), "#000000", 1.0), net.bent)
    assert shape.heads is not None
    assert shape.heads.boundingRect().right() == pytest.approx(89.5)
    assert shape.lines[0].tolist() == [0.0, 0.0]
    assert shape.lines[1, 0] < 89.5
    assert shape.curves is None


def test_there_and_back_are_bent_apart():
    net = Net(np.zeros((2, 2)), np.array([[0, 1], [1, 0]]), True, np.full(2, 5.0))
    assert net.bent.all()
    device = np.array([[0.0, 0.0], [100.0, 0.0]])
    boxes = [
        shape_of(net, device, LinkStyle(numbers(edge), "#000000", 1.0), net.bent).curves.boundingRect()  # type: ignore[union-attr]
        for edge in (0, 1)
    ]
    assert boxes[0].center().y() * boxes[1].center().y() < 0


def test_a_loop_goes_away_from_the_neighbours():
    net = Net(np.zeros((2, 2)), np.array([[0, 1], [0, 0]]), False, np.full(2, 5.0))
    (box,) = loop_boxes(net, np.array([[0.0, 0.0], [100.0, 0.0]]))
    assert box[2] < 0  # to the left, since the other node is on the right


def test_a_kept_picture_of_the_edges_is_the_same_picture(view):
    graph = load_data("scale_free(n=300,links=3)")
    shown(view, graph, NodeLink(links=(Links(np.arange(20), "tree", ""),)))
    again = pixels(view.grab().toImage())
    view.show_marks((NodeLink(),))
    view.show_marks((NodeLink(links=(Links(np.arange(20), "tree", ""),)),))
    assert difference(pixels(view.grab().toImage()), again) == 0.0


# -- other marks on a graph -------------------------------------------------------------------------------------------


def test_very_many_edges_are_drawn_without_smooth_borders(view, monkeypatch):
    """Sixty thousand edges with them take a third of a second, and nobody sees them."""
    shades = []
    for dense in (_links.DENSE, 0):
        monkeypatch.setattr(_links, "DENSE", dense)
        shown(view, load_data("random_graph(n=60,p=0.3,seed=1)"), theme=LIGHT if dense else DARK)
        picture = pixels(view.grab().toImage())
        shades.append(len(np.unique(picture[100:200, 100:200].reshape(-1, picture.shape[2]), axis=0)))
    assert shades[1] < shades[0] / 2


def test_marks_about_items_speak_of_nodes(view):
    shown(view, KARATE)
    plain = pixels(view.grab().toImage())
    groups = np.arange(KARATE.n) % 4
    for marks in ((Assignment(groups),), (Highlight(numbers(3, 4)),), (PointSizes(np.arange(34.0)),)):
        view.show_marks(marks)
        assert difference(pixels(view.grab().toImage()), plain) > 0.001
    view.show_marks(())
    assert difference(pixels(view.grab().toImage()), plain) == 0.0
    view.show_marks((Assignment(groups),))
    coloured = pixels(view.grab().toImage())
    view.show_marks((NodeLink(groups=groups),))
    assert difference(pixels(view.grab().toImage()), coloured) < 0.01


@pytest.mark.parametrize("space", ["own", "none"])
def test_a_graph_at_places_of_its_own_in_another_panel(qtbot, space):
    canvas = make_canvas(Panel("map", "Map", space=space), "graph")
    qtbot.addWidget(canvas)
    canvas.resize(400, 300)
    canvas.show()
    canvas.set_scene(Scene.of(KARATE, Projection(), LIGHT))
    points = numbers(5, 7, 9)
    mark = NodeLink(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[0, 1], [1, 2]]), points=points)
    canvas.show_marks((mark,))
    canvas.grab()
    if space == "none":
        assert isinstance(canvas, DiagramView)
    place = canvas.box.mapViewToScene(QPointF(1.0, 0.0))
    assert canvas.points_at(QPointF(canvas.mapFromScene(place))).tolist() == [7]
    canvas.light_points(numbers(9))


def test_a_changed_theme_repaints(view):
    shown(view, WEB, SURF, DARK)
    dark = pixels(view.grab().toImage())
    shown(view, WEB, SURF, LIGHT)
    view.set_theme(DARK)
    assert difference(pixels(view.grab().toImage()), dark) < 0.001


@pytest.mark.parametrize("name", ["a graph without nodes", "one node", "one node with a loop", "nodes without edges"])
def test_odd_graphs_are_drawn(view, name):
    graph = {
        "a graph without nodes": Graph(0, []),  # type: ignore[arg-type]
        "one node": Graph(1, []),  # type: ignore[arg-type]
        "one node with a loop": Graph(1, [(0, 0)], directed=True),  # type: ignore[arg-type]
        "nodes without edges": Graph(4, []),  # type: ignore[arg-type]
    }[name]
    shown(view, graph)
    assert view.points_at(QPointF(3.0, 3.0)).tolist() == []


# -- the mouse --------------------------------------------------------------------------------------------------------


def test_a_node_is_hovered_and_lit(view):
    shown(view, KARATE)
    plain = pixels(view.grab().toImage())
    assert view.points_at(on_screen(view, 16)).tolist() == [16]
    assert view.points_at(QPointF(2.0, 430.0)).tolist() == []
    view.light_points(numbers(16))
    assert difference(pixels(view.grab().toImage()), plain) > 0
    view.light_points(numbers())
    assert difference(pixels(view.grab().toImage()), plain) == 0.0


def test_a_flag_is_dragged_to_another_node(view):
    shown(view, GRID, SEARCH)
    said = []
    view.param_dragged.connect(said.append)
    at = GRID.positions
    renderer = view.renderer_to_drag(QPointF(*at[23].tolist()))
    assert renderer is view.nodes
    for node in (22, 16, 16):
        renderer.drag(QPointF(*at[node].tolist()), finished=False)
    renderer.drag(QPointF(*at[10].tolist()), finished=True)
    assert said == [("to", 23, False), ("to", 17, False), ("to", 11, True)]


def test_a_flag_is_held_above_its_node_and_nodes_without_one_are_not(view):
    shown(view, GRID, SEARCH)
    above = QPointF(GRID.positions[0, 0], GRID.positions[0, 1] + 26 * view.box.viewPixelSize()[1])
    assert view.renderer_to_drag(above) is view.nodes
    assert view.renderer_to_drag(QPointF(*GRID.positions[7].tolist())) is None
    shown(view, GRID, replace(SEARCH, handles=()))
    assert view.renderer_to_drag(above) is None


# -- edits ------------------------------------------------------------------------------------------------------------


def test_an_edited_graph_looks_as_before_until_the_next_frame(view):
    """Node 3 of the grid has gone and a new node has come; everything else keeps its look and its meaning."""
    origin = np.append(np.delete(np.arange(24), 3), -1)
    kept = (GRID.edges != 3).all(axis=1)
    number = np.full(24, -1)
    number[origin[:-1]] = np.arange(23)
    at = np.vstack([GRID.positions[origin[:-1]], [0.0, 5.0]])
    edited = Graph(24, number[GRID.edges[kept]], GRID.lengths[kept], positions=at, weighted=True)
    mark = after_edit(SEARCH, origin, GRID, edited)
    assert mark.values[:23].tolist() == SEARCH.values[origin[:-1]].tolist()
    assert mark.unknown[-1]
    assert mark.notes[-1] == ""
    assert mark.ends.tolist() == [0, 22]
    for links, old in zip(mark.links, SEARCH.links):
        pairs = {tuple(edited.edges[edge]) for edge in links.edges.tolist()}
        before = {tuple(number[GRID.edges[edge]]) for edge in old.edges.tolist() if kept[edge]}
        assert pairs == before
    shown(view, GRID, SEARCH)
    view.set_scene(Scene.of(edited, Projection(), LIGHT), origin)
    assert view.marks[0].values_name == "distance"
    gone = after_edit(SEARCH, np.arange(1, 24), GRID, Graph(23, [], positions=GRID.positions[1:]))  # type: ignore[arg-type]
    assert gone.ends is None
    assert gone.handles == ()


def test_an_edited_graph_keeps_the_view(view):
    shown(view, KARATE)
    before = view.view_rect()
    edited = replace(KARATE, edges=KARATE.edges[1:], weights=None)
    view.set_scene(Scene.of(edited, Projection(), LIGHT), np.arange(KARATE.n))
    assert view.view_rect() == pytest.approx(before)
    assert view.shows_data()


def test_a_smaller_graph_in_a_panel_of_its_own_is_fitted_as_well(qtbot):
    view = make_canvas(Panel("picture", "Picture", space="none"), WEB.kind)
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.set_scene(Scene.of(WEB, Projection(), LIGHT))
    view.show()
    ring, ends = np.array([[-9.0, 0.0], [0.0, 9.0], [9.0, 0.0], [0.0, -9.0]]), numbers(0, 1, 2, 3)

    def fitted(at):
        rings = (Rings(ends, "current"),)
        view.show_marks((NodeLink(at, np.column_stack([ends, np.roll(ends, 1)]), points=ends, rings=rings),))
        settle()
        return view.view_rect()

    alone = fitted(ring / 3)
    fitted(ring)
    assert fitted(ring / 3) == pytest.approx(alone)
