"""The tree diagram and its rectangles: as approved, and linked to the points both ways."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from algorithms.classification.decision_tree import ALGORITHM
from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import OPEN, Rectangles, TreeDiagram
from mlviz.session.projection import PrincipalPlane, Projection
from mlviz.views.plane import PlaneView
from mlviz.views.plots import DiagramView, PlotView
from mlviz.views.renderers._cells import askew_cut, cell, half_planes
from mlviz.views.renderers.tree import RectangleItem, TreeItem, places
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import SHARE, difference, pixels

RNG = np.random.default_rng(3)
LABELS = np.repeat(np.arange(3), 15)
X = np.array([[-2.0, 0.0], [2.0, 0.5], [0.0, 3.0]])[LABELS] + 0.9 * RNG.normal(size=(45, 2))
DATA = Points(X, LABELS, classes=("one", "two", "three"))
FRAMES = list(ALGORITHM.start(DATA, ALGORITHM.make_params({"depth": 3}), 0))
LAST = FRAMES[-1]
SWEEP = next(frame for frame in FRAMES if frame.phase == "sweep" and len(frame.model.child) > 1)
OWNER = LAST.views["tree"][0].owner


def draw(view, frame, theme=LIGHT, data=DATA):
    view.set_theme(theme)
    view.set_scene(Scene.of(data, Projection.of(data), theme))
    if isinstance(view, PlaneView):
        view.fit_view()
    view.show_marks(frame.views.get(view.panel.key, ()))
    return view.grab().toImage()


@pytest.fixture
def diagram(qtbot):
    view = DiagramView(Panel("tree", "Tree", "none"))
    qtbot.addWidget(view)
    view.resize(480, 260)
    return view


@pytest.fixture
def plane(qtbot):
    view = PlaneView(Panel("plane", "Regions", "data"))
    qtbot.addWidget(view)
    view.resize(420, 320)
    return view


def at(view, x, y):
    return view.mapFromScene(view.getViewBox().mapViewToScene(QPointF(float(x), float(y)))).toPointF()


# --- pictures -------------------------------------------------------------------------------------------------------


def test_diagram(diagram, approved):
    approved(draw(diagram, LAST), "tree-diagram")


def test_diagram_in_the_dark_with_a_path(diagram, approved):
    draw(diagram, LAST, DARK)
    diagram.light_points(np.array([7]))
    approved(diagram.grab().toImage(), "tree-diagram-dark-path")


def test_diagram_for_a_projector_on_a_low_canvas(diagram, approved):
    diagram.resize(480, 150)
    draw(diagram, LAST, LIGHT.presenting())
    diagram.light_points(np.array([7]))
    approved(diagram.grab().toImage(), "tree-diagram-presenting-path")


def test_rectangles(plane, approved):
    approved(draw(plane, LAST), "tree-rectangles")


def test_rectangles_with_a_proposed_cut(plane, approved):
    approved(draw(plane, SWEEP, DARK), "tree-rectangles-dark-sweep")


def test_sweep(qtbot, approved):
    view = PlotView(next(panel for panel in ALGORITHM.panels if panel.key == "sweep"))
    qtbot.addWidget(view)
    view.resize(360, 240)
    approved(draw(view, SWEEP), "tree-sweep")


def test_steps_over_one_feature(plane, approved):
    x = np.sort(RNG.uniform(0, 6, size=60))
    data = Points(x[:, None], np.sin(x), features=("x",), target="y")
    frames = list(ALGORITHM.start(data, ALGORITHM.make_params({"depth": 3}), 0))
    approved(draw(plane, frames[-1], data=data), "tree-steps")


def test_nodes_of_a_regression_tree_wear_the_colour_of_their_mean(diagram, approved):
    data = Points(X, X[:, 0] * X[:, 1], target="y")
    frames = list(ALGORITHM.start(data, ALGORITHM.make_params({"depth": 4}), 0))
    approved(draw(diagram, frames[-1], data=data), "tree-diagram-values")


# --- the layout -----------------------------------------------------------------------------------------------------


def test_leaves_stand_side_by_side_and_parents_above_the_middle():
    parent = np.array([-1, 0, 0, 1, 1, 4, 4])
    assert places(parent).tolist() == [[1.875, 0], [0.75, -1], [3, -1], [0, -2], [1.5, -2], [1, -3], [2, -3]]


def test_a_very_deep_tree_is_laid_out():
    """One leaf goes off at every level: recursion would not survive it."""
    parent = np.array([-1, *np.repeat(np.arange(0, 5998, 2), 2)])
    assert np.unique(places(parent)[:, 1]).size == 3000


def test_a_diagram_has_no_axes(diagram):
    draw(diagram, LAST)
    assert not diagram.getAxis("left").isVisible()
    assert not diagram.getAxis("bottom").isVisible()


# --- links ----------------------------------------------------------------------------------------------------------


def test_hovering_a_node_means_the_points_below_it(diagram):
    draw(diagram, LAST)
    mark = LAST.views["tree"][0]
    where = places(mark.parent)
    for leaf in np.flatnonzero(LAST.model.child < 0):
        assert diagram.points_at(at(diagram, *where[leaf])).tolist() == np.flatnonzero(leaf == OWNER).tolist()
    assert len(diagram.points_at(at(diagram, *where[0]))) == DATA.n
    node = int(LAST.model.child[0])
    below = X[:, LAST.model.feature[0]] < LAST.model.threshold[0]
    assert diagram.points_at(at(diagram, *where[node])).tolist() == np.flatnonzero(below).tolist()
    assert len(diagram.points_at(at(diagram, -0.4, 0))) == 0


def test_hovering_a_rectangle_means_its_points_and_a_point_itself(plane):
    draw(plane, LAST)
    boxes = LAST.views["plane"][0]
    assert plane.points_at(at(plane, *X[20])).tolist() == [20]
    corner = np.array([-3.9, 4.4])
    inside = int(np.flatnonzero(((boxes.low <= corner) & (corner < boxes.high)).all(axis=1))[0])
    assert np.hypot(*(X - corner).T).min() > 0.5
    assert plane.points_at(at(plane, *corner)).tolist() == np.flatnonzero(boxes.owner == inside).tolist()


def test_a_point_lights_its_leaf_its_path_and_its_rectangle(diagram, plane):
    draw(diagram, LAST)
    draw(plane, LAST)
    for view in (diagram, plane):
        view.light_points(np.array([12]))
    item = next(iter(diagram._renderers.values()))._item
    path = LAST.model.path(X[12])
    assert list(item.path) == path
    feature, threshold = LAST.model.feature[0], LAST.model.threshold[0]
    sign = "<" if X[12, feature] < threshold else "≥"
    assert item.path[0] == f"x{feature + 1} = {X[12, feature]:.3g} {sign} {threshold:.3g}"
    assert item.lit == {path[-1]}
    boxes = next(iter(plane._renderers.values()))._item
    (left, right, bottom, top) = boxes.boxes[boxes.lit[0]]
    assert len(boxes.lit) == 1
    assert left <= X[12, 0] < right
    assert bottom <= X[12, 1] < top


def test_what_is_lit_stays_lit_in_the_next_frame_and_goes_out(diagram):
    dark = pixels(draw(diagram, LAST))
    draw(diagram, FRAMES[0])
    diagram.light_points(np.flatnonzero(OWNER[12] == OWNER))
    diagram.show_marks(LAST.views["tree"])
    assert next(iter(diagram._renderers.values()))._item.lit == {int(OWNER[12])}
    assert difference(pixels(diagram.grab().toImage()), dark) > 0
    diagram.light_points(np.empty(0, dtype=np.intp))
    assert difference(pixels(diagram.grab().toImage()), dark) == 0


def test_a_slice_shows_the_boxes_it_passes_through(plane):
    """Three features: the box above x3 = 1 does not touch the plane through the mean x3 = 0."""
    data = Points(np.column_stack([X, np.linspace(-2, 2, 45)]), LABELS, classes=DATA.classes)
    low, high = np.full((3, 3), -OPEN), np.full((3, 3), OPEN)
    high[:2, 2] = low[2, 2] = 1.0
    high[0, 0] = low[1, 0] = 0.5
    plane.set_scene(Scene.of(data, Projection.of(data), LIGHT))
    plane.show_marks((Rectangles(low, high, active=(0, 1), cut=(0, 0.5)),))
    item = next(iter(plane._renderers.values()))._item
    assert item.boxes[:, :2].tolist() == [[-OPEN, 0.5], [0.5, OPEN]]
    assert (item.cut.x1(), item.cut.x2()) == (0.5, 0.5)
    plane.show_marks((Rectangles(low, high, active=(0, 2), cut=(2, 1.0)),))
    assert item.cut is None


def test_boxes_of_the_frame_before_are_not_lit(plane):
    """A tree whose points have no owner yet, after one with more boxes."""
    low, high = np.full((3, 2), -OPEN), np.full((3, 2), OPEN)
    plane.set_scene(Scene.of(DATA, Projection.of(DATA), LIGHT))
    plane.show_marks((Rectangles(low, high, owner=np.full(45, 2)),))
    plane.light_points(np.array([7]))
    item = next(iter(plane._renderers.values()))._item
    assert item.lit == [2]
    plane.show_marks((Rectangles(low[:1], high[:1]),))
    assert item.lit == []
    plane.grab()


def test_a_cut_without_an_active_box_runs_across_all_and_is_painted_anew(plane, monkeypatch):
    """Nobody owns the boxes and none is active, as for a stump: the line moves on all the same."""
    draw(plane, LAST)
    painted = []
    monkeypatch.setattr(RectangleItem, "update", lambda item, *_: painted.append(item.cut))
    whole = np.full((1, 2), OPEN)
    for cut in ((0, 0.5), (1, 1.0)):
        plane.show_marks((Rectangles(-whole, whole, cut=cut),))
    lines = [line for line in painted if line is not None]
    assert (lines[0].x1(), lines[0].x2()) == (0.5, 0.5)
    assert (lines[-1].y1(), lines[-1].y2()) == (1.0, 1.0)


def test_endless_boxes_survive_zooming_far_out_and_in(plane):
    clean = pixels(draw(plane, LAST))
    for half in (1e-9, 1e9):
        plane.box.setRange(xRange=(-half, half), yRange=(-half, half), padding=0)
        plane.grab()
    plane.fit_view()
    assert difference(pixels(plane.grab().toImage()), clean) <= SHARE


def test_endless_boxes_reach_the_edge_of_what_is_seen_after_a_zoom(plane, diagram):
    for view in (plane, diagram):
        draw(view, LAST)
        (item,) = (item for item in view.box.addedItems if isinstance(item, RectangleItem | TreeItem))
        view.box.setRange(xRange=(-40, 40), yRange=(-30, 30), padding=0)
        view.grab()
        assert item.boundingRect().contains(view.box.viewRect().adjusted(1, 1, -1, -1))
    picture = pixels(plane.grab().toImage())
    left, bottom = (int(v) for v in at(plane, -39.0, 0.0).toTuple())
    assert not np.array_equal(picture[bottom, left, :3], np.array([255, 255, 255]))  # it is filled, not left white


def test_a_tree_without_data_answers_nothing(diagram):
    diagram.set_scene(Scene.of(DATA, Projection.of(DATA), LIGHT))
    diagram.show_marks((TreeDiagram(np.array([-1, 0, 0]), ("q", "a", "b"), np.array([3, 1, 2])),))
    diagram.grab()
    diagram.light_points(np.array([1]))
    assert len(diagram.points_at(at(diagram, 0.5, 0))) == 0


# --- a plane that lies askew ----------------------------------------------------------------------------------------


def test_a_box_cut_by_an_oblique_plane_is_a_polygon():
    """The cube [-1, 1]^3 and the plane spanned by (1, 1, 0)/sqrt 2 and z: a rectangle of 2 sqrt 2 by 2."""
    root = 0.5**0.5
    plane = PrincipalPlane((0.0, 0.0, 0.0), ((root, root, 0.0), (0.0, 0.0, 1.0)), (0.7, 0.3))
    corners = cell(*half_planes(np.full(3, -1.0), np.full(3, 1.0), plane), QRectF(-9, -9, 18, 18))
    spans = {(round(x, 9), round(y, 9)) for x, y in corners.tolist()}
    wide = round(2**0.5, 9)
    assert spans == {(wide, 1.0), (wide, -1.0), (-wide, 1.0), (-wide, -1.0)}
    beside = cell(*half_planes(np.full(3, 40.0), np.full(3, OPEN), plane), QRectF(-9, -9, 18, 18))
    assert len(beside) == 0
    open_box = cell(*half_planes(np.full(3, -OPEN), np.full(3, OPEN), plane), QRectF(-9, -9, 18, 18))
    assert len(open_box) == 4


def test_a_cut_on_the_principal_components_runs_across_its_box():
    root = np.sqrt(0.5)
    plane = PrincipalPlane((0.0, 0.0, 0.0), ((root, root, 0.0), (0.0, 0.0, 1.0)), (0.7, 0.3))
    boxes = {"low": np.full((1, 3), -1.0), "high": np.full((1, 3), 1.0), "active": (0,)}
    (line,) = askew_cut(Rectangles(**boxes, cut=(2, 0.5)), plane).lines(QRectF(-9, -9, 18, 18))
    assert sorted([line.x1(), line.x2()]) == pytest.approx([-np.sqrt(2), np.sqrt(2)])
    assert (line.y1(), line.y2()) == pytest.approx((0.5, 0.5))
    (line,) = askew_cut(Rectangles(**boxes, cut=(0, 0.5)), plane).lines(QRectF(-9, -9, 18, 18))
    assert (line.x1(), line.x2()) == pytest.approx((np.sqrt(0.5), np.sqrt(0.5)))
    assert askew_cut(Rectangles(**boxes, cut=(2, 4.0)), plane).lines(QRectF(-9, -9, 18, 18)) == []
    assert askew_cut(Rectangles(**boxes), plane) is None


def test_on_the_principal_components_each_place_wears_the_colour_of_its_leaf(plane):
    rng = np.random.default_rng(0)
    space = Points(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)), rng.integers(0, 3, 60), classes=("a", "b", "c"))
    frame = list(ALGORITHM.start(space, ALGORITHM.make_params({"depth": 3}), 0))[-1]
    projection = Projection.of(space, PrincipalPlane.of(space))
    plane.set_theme(LIGHT)
    plane.set_scene(Scene.of(space, projection, LIGHT))
    plane.fit_view()
    plane.show_marks(frame.views["plane"])
    plane.grab()
    item = next(item for item in plane.getPlotItem().items if isinstance(item, RectangleItem))
    spots = rng.uniform((-1, -1), (1, 1), (200, 2))
    predicted = ALGORITHM.predict(frame.model, projection.lift(spots))
    for place, group in zip(spots, predicted):
        inside = [number for number, (normals, bounds) in enumerate(item.cells) if (normals @ place >= bounds).all()]
        assert len(inside) == 1
        assert item.fills[inside[0]].rgb() == QColor(LIGHT.colour(int(group))).rgb()
    assert len(plane.points_at(at(plane, *spots[0]))) > 0
