"""Clouds in space, maps and tables of distances: drawn as approved, turned, dragged and linked."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.embedding.isomap import ALGORITHM
from algorithms.marks import Arrows, Bars, Cloud3D, Curve, Matrix, Scatter
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.renderers._space import Camera, box_lines, sphere
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import SHARE, difference, pixels

ROLL = load_data("swiss_roll(n=300,noise=0,seed=1)")
CUBE = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], dtype=float)


def frames(data=ROLL, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), seed=0))


@pytest.fixture
def canvas(qtbot):
    """``canvas(key, marks)``: a view of a panel of Isomap with these marks on it."""

    def make(key, marks, theme=LIGHT, data=ROLL, size=(460, 340)):
        panel = next(panel for panel in ALGORITHM.panels if panel.key == key)
        view = make_canvas(panel)
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection.of(data), theme))
        view.show_marks(marks)
        view.grab()
        return view

    return make


def renderer(view):
    return next(iter(view._renderers.values()))


def place_of(view, at):
    """Where in the widget a place of the view is."""
    return view.mapFromScene(view.box.mapViewToScene(QPointF(*map(float, at)))).toPointF()


# --- pictures ---------------------------------------------------------------------------------------------------------

PICTURES = {
    "growing": (2, {}, LIGHT),
    "path": (-1, {}, LIGHT),
    "dark": (-1, {"neighbours": 14}, DARK),
    "presenting": (-1, {}, LIGHT.presenting()),
    "unrolling": (-6, {}, LIGHT),
}


@pytest.mark.parametrize("name", PICTURES)
def test_cloud(canvas, approved, name):
    number, params, theme = PICTURES[name]
    size = (900, 560) if name == "presenting" else (460, 340)
    view = canvas("cloud", frames(**params)[number].views["cloud"], theme, size=size)
    approved(view.grab().toImage(), f"cloud-{name}")


def test_cloud_in_pieces(canvas, approved):
    data = load_data("moons(n=120,noise=0.06,seed=1)")
    view = canvas("cloud", frames(data, neighbours=4)[-1].views["cloud"], data=data)
    approved(view.grab().toImage(), "cloud-pieces")


def test_map(canvas, approved):
    approved(canvas("embedding", frames()[-1].views["embedding"]).grab().toImage(), "map")


def test_the_view_of_a_map_shrinks_with_it_and_arrows_do_not_widen_it(canvas):
    at = np.random.default_rng(0).normal(size=(300, 2))
    view = canvas("embedding", (Scatter(100.0 * at, equal=True),))
    arrows = Arrows(at[:1], at[:1] + 50.0, ("force",), ("attraction",))
    spans = []
    for marks in ((Scatter(1e-4 * at, equal=True),), (Scatter(1e-4 * at, equal=True), arrows)):
        view.show_marks(marks)
        view.grab()
        spans.append(np.ptp(view.box.viewRange(), axis=1).max())
    assert spans[0] < 1e-2
    assert spans[1] == spans[0]


def test_table_of_distances(canvas, approved):
    half = next(frame for frame in frames() if frame.phase == "geodesics" and "150 of" in frame.caption)
    approved(canvas("distances", half.views["distances"]).grab().toImage(), "table-distances")


def test_table_of_products(canvas, approved):
    centred = next(frame for frame in frames() if frame.phase == "centre")
    approved(canvas("distances", centred.views["distances"], DARK).grab().toImage(), "table-products")


def test_spectrum(canvas, approved):
    data = load_data("cylinder(n=200,seed=1)")
    view = canvas("spectrum", frames(data)[-1].views["spectrum"], data=data)
    assert [row.name for row in view.legend.rows] == ["kept", "negative"]
    approved(view.grab().toImage(), "spectrum")


@pytest.mark.parametrize(("name", "theme"), [("shepard", LIGHT), ("shepard-dark", DARK)])
def test_shepard_plot(canvas, approved, name, theme):
    half_way = [frame for frame in frames() if frame.phase == "unroll"][7]
    approved(canvas("shepard", half_way.views["shepard"], theme).grab().toImage(), name)


def test_a_pair_in_the_shepard_plot_lights_both_its_points_and_either_lights_it(canvas):
    marks = frames()[-1].views["shepard"]
    dots = marks[0]
    view = canvas("shepard", marks, size=(900, 700))
    alone = int(np.argmin(dots.at[:, 1] - dots.at[:, 0]))  # far below the diagonal, with no other pair near by
    pair = [int(dots.points[alone]), int(dots.partners[alone])]
    scene_place = view.box.mapViewToScene(QPointF(*dots.at[alone].tolist()))
    assert view.points_at(view.mapFromScene(scene_place).toPointF()).tolist() == pair
    for point in pair:
        view.light_points(np.array([point]))
        ring = renderer(view)._ring
        lit = np.isin(dots.points, [point]) | np.isin(dots.partners, [point])
        assert len(ring._at) == lit.sum() > 0


def test_changing_the_theme_repaints_a_cloud(canvas):
    marks = frames()[-1].views["cloud"]
    wanted = pixels(canvas("cloud", marks, DARK).grab().toImage())
    view = canvas("cloud", marks)
    view.set_scene(Scene.of(ROLL, Projection.of(ROLL), DARK))
    view.set_theme(DARK)
    view.show_marks(marks)
    assert difference(pixels(view.grab().toImage()), wanted) == 0.0


# --- the camera -------------------------------------------------------------------------------------------------------


def test_a_camera_is_a_rotation():
    for camera in (Camera.aside(), Camera.above(), Camera(1.0, -0.4)):
        assert camera.basis.T @ camera.basis == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(camera.basis) == pytest.approx(1.0)


def test_from_above_a_flat_cloud_looks_as_in_the_plane():
    at = np.column_stack([np.random.default_rng(0).normal(size=(20, 2)), np.zeros(20)])
    middle, radius = sphere(at)
    seen, depth = Camera.above().project(at)
    assert seen == pytest.approx((at - middle)[:, :2] / radius)
    assert depth == pytest.approx(np.zeros(20), abs=1e-12)


def test_near_things_are_larger():
    """Of two edges of a cube the one towards the viewer is seen longer; depth says which one that is."""
    seen, depth = Camera(-math.pi / 2, 0.0).project(CUBE)  # from the front: along the second axis
    near, far = [0, 1], [2, 3]
    assert depth[near] == pytest.approx(-depth[far])
    assert (depth[near] > 0).all()
    assert np.ptp(seen[near, 0]) > 1.2 * np.ptp(seen[far, 0])


def test_a_camera_stops_at_the_pole():
    assert Camera.aside().turned(0.0, 9.0).raised == pytest.approx(math.pi / 2)
    assert Camera.aside().turned(0.0, -9.0).raised == pytest.approx(-math.pi / 2)


def test_a_box_has_twelve_edges():
    ends = box_lines(np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 4.0]])).reshape(12, 2, 3)
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    assert sorted(lengths.tolist()) == [1.0] * 4 + [2.0] * 4 + [4.0] * 4


# --- the mouse --------------------------------------------------------------------------------------------------------


def test_dragging_turns_the_cloud_and_the_view_stays(canvas):
    view = canvas("cloud", frames()[-1].views["cloud"])
    before, seen, picture = view.view_rect(), renderer(view).camera, pixels(view.grab().toImage())
    drawn = renderer(view)
    assert drawn.grab(QPointF(-0.9, -0.9), (0.01, 0.01))
    drawn.drag(QPointF(-0.4, -0.9), False)
    drawn.drag(QPointF(-0.4, -0.7), True)
    assert drawn.camera.around == pytest.approx(seen.around - 1.6 * 0.5)
    assert drawn.camera.raised == pytest.approx(seen.raised - 1.6 * 0.2)
    assert difference(pixels(view.grab().toImage()), picture) > SHARE
    assert view.view_rect() == pytest.approx(before)
    view.show_marks(frames()[3].views["cloud"])  # another frame is seen from where the user is
    assert drawn.camera.around == pytest.approx(seen.around - 0.8)


def test_a_real_mouse_turns_the_cloud(canvas, qapp):
    view = canvas("cloud", frames()[0].views["cloud"])
    view.show()
    seen, start = renderer(view).camera, QPointF(view.viewport().rect().center())
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    moves = [(QEvent.Type.MouseMove, 12.0 * step, none, left) for step in range(1, 6)]
    for kind, way, button, held in (
        (QEvent.Type.MouseButtonPress, 0.0, left, left),
        *moves,
        (QEvent.Type.MouseButtonRelease, 60.0, left, none),
    ):
        at = start + QPointF(way, 0.0)
        modifiers = Qt.KeyboardModifier.NoModifier
        qapp.sendEvent(view.viewport(), QMouseEvent(kind, at, view.mapToGlobal(at), button, held, modifiers))
    assert renderer(view).camera.around < seen.around
    assert renderer(view).camera.raised == seen.raised


def test_flat_data_are_seen_from_above_and_solid_ones_from_the_side(canvas):
    flat = load_data("moons(n=40,seed=1)")
    view = canvas("cloud", frames(flat)[0].views["cloud"], data=flat)
    assert renderer(view).camera == Camera.above()
    view.set_scene(Scene.of(ROLL, Projection.of(ROLL), LIGHT))
    view.show_marks(frames()[0].views["cloud"])
    assert renderer(view).camera == Camera.aside()
    view.show_marks(frames()[-2].views["cloud"])  # the unrolled sheet is flat, too, but the camera is not moved
    assert renderer(view).camera == Camera.aside()


def test_dragging_an_end_of_the_path_sets_its_point(canvas):
    last = frames()[-1]
    (mark,) = last.views["cloud"]
    view = canvas("cloud", (mark,))
    drawn, emitted = renderer(view), []
    view.param_dragged.connect(emitted.append)
    seen, _ = drawn.camera.project(mark.at)
    target = int(np.hypot(*(seen - seen[mark.chord[1]]).T).argmax())
    target = int(view_point(drawn, seen[target]))
    assert drawn.grab(QPointF(*seen[mark.chord[1]]), (0.02, 0.02))
    drawn.drag(QPointF(*seen[target]), False)
    assert emitted == []  # a run would start at every step of the way
    drawn.drag(QPointF(*seen[target]), True)
    assert emitted == [("to_point", target + 1, True)]
    assert drawn.camera == Camera.aside()
    moved = frames(from_point=int(mark.chord[0]) + 1, to_point=target + 1)[-1]
    assert moved.model.path[-1] == target


def view_point(drawn, place):
    return drawn.points_at(QPointF(*place))[0]


def test_of_two_points_behind_each_other_the_front_one_is_meant(canvas):
    at = np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    data = Points(at)
    view = canvas("cloud", (Cloud3D(at, axes=("a", "b", "c"), points=np.array([2, 1, 0])),), data=data)
    drawn = renderer(view)
    drawn.camera = Camera(-math.pi / 2, 0.0)
    drawn._redraw()
    assert drawn.points_at(QPointF(0.0, 0.0)).tolist() == []
    seen, _ = drawn.camera.project(at)
    assert drawn.points_at(QPointF(*seen[0])).tolist() == [2]  # the first row is nearest, and is point 2
    drawn.camera = Camera(math.pi / 2, 0.0)
    drawn._redraw()
    seen, _ = drawn.camera.project(at)
    assert drawn.points_at(QPointF(*seen[1])).tolist() == [1]


def test_a_point_lights_up_in_cloud_map_and_table(canvas):
    last = frames()[-1]
    views = {key: canvas(key, last.views[key]) for key in ("cloud", "embedding", "distances")}
    point = int(last.views["distances"][0].points[20])
    (mark,) = last.views["embedding"]
    hovered = views["embedding"].points_at(place_of(views["embedding"], mark.at[point]))
    assert np.hypot(*(mark.at[hovered[0]] - mark.at[point])) < 1.0
    for view in views.values():
        dark = pixels(view.grab().toImage())
        view.light_points(np.array([point]))
        assert (np.abs(pixels(view.grab().toImage()) - dark) > 60).any()
        view.light_points(np.empty(0, dtype=np.intp))
        assert (pixels(view.grab().toImage()) == dark).all()


def test_a_cell_of_a_table_means_two_points(canvas):
    points = np.array([4, 9, 1])
    values = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    view = canvas("distances", (Matrix(values, points, name="distance"),))
    assert view.points_at(place_of(view, (2.5, 2.5))).tolist() == [1, 4]  # the first row, on top; the last column
    assert view.points_at(place_of(view, (1.5, 1.5))).tolist() == [9]
    assert view.points_at(place_of(view, (5.0, 1.5))).tolist() == []
    assert view.getAxis("bottom").labelText == "distance up to 3"
    unknown = np.zeros((3, 3), dtype=bool)
    unknown[1:, 1:] = True
    view.show_marks((Matrix(values, points, unknown=unknown, name="distance"),))
    assert view.getAxis("bottom").labelText == "distance up to 2, grey: unknown"


def test_a_map_of_three_dimensions_is_a_cloud_without_axes(canvas):
    view = canvas("embedding", frames(dimensions=3)[-1].views["embedding"])
    assert not view.getAxis("left").isVisible()
    assert view.legend.rows == ()
    view.show_marks(frames()[-1].views["embedding"])
    assert view.getAxis("left").isVisible()
    view.show_marks(frames(dimensions=1)[-1].views["embedding"])
    assert view.getAxis("left").labelText == "angle"
    view.show_marks(frames()[-1].views["embedding"])
    assert view.getAxis("left").labelText == "coordinate 2"


def test_one_scale_on_both_axes_of_a_map(canvas):
    at = np.array([[0.0, 0.0], [10.0, 1.0]])
    view = canvas("embedding", (Scatter(at, equal=True),), data=Points(at))
    width, height = view.box.viewPixelSize()
    assert width == pytest.approx(height)
    view.show_marks((Curve(np.arange(3.0), np.arange(3.0) * 100),))
    view.grab()
    width, height = view.box.viewPixelSize()
    assert height > 10 * width


def test_grey_bars_and_named_groups(qtbot):
    view = make_canvas(Panel("bars", "bars"))
    qtbot.addWidget(view)
    view.set_scene(Scene.of(ROLL, Projection.of(ROLL), LIGHT))
    view.show_marks((Bars(np.array([3.0, 2.0, -1.0]), groups=np.array([0, -1, 1]), group_names=("kept", "below")),))
    colours = [colour.name() for colour in renderer(view)._bars.colours]
    assert colours == [LIGHT.colour(0), LIGHT.muted, LIGHT.colour(1)]
