"""The dendrogram and the outlines: drawn as approved, linked with the plane, and cut with the mouse."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.clustering.agglomerative import ALGORITHM
from algorithms.data import Points
from algorithms.marks import Dendrogram
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.renderers.dendrogram import Shape, clusters_at
from mlviz.views.renderers.hulls import hull
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import difference, pixels

LINE = Points(np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [7.0, 0.0], [12.0, 1.0]]))
BLOBS = Points(np.random.default_rng(2).normal(size=(24, 2)) + np.repeat([[0, 0], [6, 1], [2, 6]], 8, axis=0))
PANELS = {panel.key: panel for panel in ALGORITHM.panels}


def frames_of(data, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


@pytest.fixture
def shown(qtbot):
    """``shown(key, data, frame, theme)``: the canvas of a panel with the marks of a frame."""
    views = []  # qtbot holds its widgets weakly, and one that the garbage collector takes before it is closed crashes

    def show(key, data, frame, theme=LIGHT):
        view = make_canvas(PANELS[key])
        views.append(view)
        qtbot.addWidget(view)
        view.resize(420, 300)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection.of(data), theme))
        if key == "plane":
            view.fit_view()
        view.show_marks(frame.views[key])
        view.grab()
        return view

    yield show
    views.clear()


def pixel(view, x, y):
    """The place in the widget of a place in the plot."""
    return view.mapFromScene(view.box.mapViewToScene(QPointF(x, y))).toPointF()


@pytest.mark.parametrize("key", ["plane", "dendrogram"])
@pytest.mark.parametrize(("name", "step"), [("growing", 20), ("cut", -1)])
def test_pictures(shown, approved, key, name, step):
    view = shown(key, BLOBS, frames_of(BLOBS, linkage="ward")[step])
    approved(view.grab().toImage(), f"agglomerative-{key}-{name}")


@pytest.mark.parametrize(("name", "theme"), [("dark", DARK), ("presenting", LIGHT.presenting())])
def test_pictures_in_other_themes(shown, approved, name, theme):
    frame = frames_of(BLOBS, linkage="complete", k=4)[21]
    approved(shown("dendrogram", BLOBS, frame, theme).grab().toImage(), f"agglomerative-dendrogram-{name}")


def test_picture_of_start_clusters(shown, approved):
    frame = frames_of(BLOBS, linkage="step-wise optimal", start_clusters=6)[0]
    approved(shown("plane", BLOBS, frame).grab().toImage(), "agglomerative-plane-start-clusters")


def test_the_picture_holds_still_while_the_tree_grows(shown):
    frames = frames_of(BLOBS)
    view = shown("dendrogram", BLOBS, frames[0])
    before = view.view_rect()
    for frame in frames[1:]:
        view.show_marks(frame.views["dendrogram"])
        assert view.view_rect() == pytest.approx(before)
    assert before[3] > frames[-1].metrics["height"]


def test_hovering_a_branch_means_all_points_below_it(shown):
    """Of 0, 1, 3, 7, 12 complete linkage makes ((0 1) 3) at height about 3 and (7 12) at about 5."""
    frames = frames_of(LINE, linkage="complete", k=2)
    mark = frames[-1].views["dendrogram"][0]
    view, shape = shown("dendrogram", LINE, frames[-1]), Shape.of(mark)
    stem = {node: (shape.x[node], (shape.bottom[node] + shape.top[node]) / 2) for node in range(8)}
    below = {0: [0], 4: [4], 5: [0, 1], 6: [0, 1, 2], 7: [3, 4]}
    for node, points in below.items():
        assert view.points_at(pixel(view, *stem[node])).tolist() == points
    bar = (shape.left[3] + 0.3, mark.heights[3])
    assert view.points_at(pixel(view, *bar)).tolist() == [0, 1, 2, 3, 4]
    assert len(view.points_at(pixel(view, shape.x[8], mark.heights[3] * 0.85))) == 0


def test_branches_that_have_not_grown_are_not_found(shown):
    frames = frames_of(LINE, linkage="complete", k=2)
    mark, shape = frames[-1].views["dendrogram"][0], Shape.of(frames[-1].views["dendrogram"][0])
    view = shown("dendrogram", LINE, frames[1])
    assert len(view.points_at(pixel(view, shape.left[3] + 0.3, mark.heights[3]))) == 0


def test_a_point_lights_its_leaf_and_points_light_their_branch(shown):
    frame = frames_of(LINE, linkage="complete", k=2)[-1]
    mark = frame.views["dendrogram"][0]
    shape, view = Shape.of(mark), shown("dendrogram", LINE, frame)
    dark = pixels(view.grab().toImage())
    for points, node in (([3], 3), ([0, 1], 5), ([0, 1, 2], 6)):
        view.light_points(np.array(points))
        lit = pixels(view.grab().toImage())
        x, y = pixel(view, shape.x[node], (shape.bottom[node] + shape.top[node]) / 2).toTuple()
        changed = np.abs(lit - dark).max(axis=2) > 40
        assert changed[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].any()
        x, y = pixel(view, shape.x[4], shape.top[4] / 2).toTuple()
        assert not changed[round(y) - 2 : round(y) + 3, round(x) - 3 : round(x) + 4].any()
    view.light_points(np.empty(0, dtype=int))
    assert difference(pixels(view.grab().toImage()), dark) == 0.0


def test_dragging_the_cut_sets_k(shown):
    """Heights of the complete tree on 0, 1, 3, 7, 12 (second feature 0 or 1): about 1, 3.2, 5.1 and 12."""
    frame = frames_of(LINE, linkage="complete", k=2)[-1]
    view = shown("dendrogram", LINE, frame)
    sent = []
    view.param_dragged.connect(sent.append)
    mark = frame.views["dendrogram"][0]
    assert view.renderer_to_drag(QPointF(2.0, mark.cut + 3.0)) is None
    held = view.renderer_to_drag(QPointF(2.0, mark.cut))
    for y, finished in ((8.0, False), (4.0, False), (3.9, False), (2.0, False), (0.5, False), (11.0, True)):
        held.drag(QPointF(2.0, y), finished)
    assert sent == [("k", 3, False), ("k", 4, False), ("k", 5, False), ("k", 2, True)]


def test_the_line_follows_the_mouse_and_then_snaps(shown):
    first, second = (frames_of(LINE, linkage="complete", k=k)[-1] for k in (2, 3))
    view = shown("dendrogram", LINE, first)
    held = view.renderer_to_drag(QPointF(2.0, first.views["dendrogram"][0].cut))
    held.drag(QPointF(2.0, 4.9), False)
    view.show_marks(second.views["dendrogram"])
    assert held._cut.value() == 4.9
    held.drag(QPointF(2.0, 4.9), True)
    assert held._cut.value() == second.views["dendrogram"][0].cut


def test_clusters_at_a_height():
    heights = np.array([1.0, 2.0, 2.0, 6.0])
    tree = Dendrogram(
        np.array([[0, 1], [2, 3], [4, 5], [6, 7]]),
        heights,
        np.arange(5),
        np.zeros(5, int),
        np.arange(5),
        4,
        2,
        3.0,
        most=4,
    )
    assert [clusters_at(tree, y) for y in (-1.0, 0.5, 1.5, 2.0, 5.0, 6.5)] == [4, 4, 4, 2, 2, 1]


def test_the_tree_of_a_single_point_is_drawn(shown):
    data = Points([[1.0, 2.0]])
    frames = frames_of(data, k=1)
    view = shown("dendrogram", data, frames[-1])
    assert view.points_at(pixel(view, 0.0, 0.0)).tolist() == [0]


def test_hull_keeps_the_outermost_points():
    square = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    inside = np.random.default_rng(0).uniform(1.0, 3.0, size=(50, 2))
    assert sorted(map(tuple, hull(np.concatenate([inside, square])))) == sorted(map(tuple, square))
    assert hull(square[[0, 0]]).tolist() == [[0.0, 0.0]]
    assert sorted(map(tuple, hull(square[:2]))) == [(0.0, 0.0), (4.0, 0.0)]
