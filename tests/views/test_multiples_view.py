"""Small planes of the members of an ensemble: drawn as approved, kept, scrolled, and made large by a click."""

from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Multiples
from mlviz.session.projection import PrincipalPlane, Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.deferred_repaint import DeferredRepaint
from mlviz.views.renderers.multiples import AT_ONCE
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT

RUN = ("one run",)


@dataclass(frozen=True, slots=True, eq=False)
class Stumps:
    """Member i asks whether a feature is above a number that grows with i."""

    count: int
    real: bool = False

    def __len__(self):
        return self.count

    def answers(self, number, X):
        above = X[:, number % X.shape[1]] > 0.1 * (number % 7) - 0.3
        return above * 0.8 + 0.1 * number if self.real else above.astype(np.int64)


def points(d=2, n=60, real=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return Points(X, X.sum(axis=1) if real else (X[:, 0] > 0).astype(np.int64))


def planes(count, data, real=False, run=RUN):
    rng = np.random.default_rng(1)
    weights = rng.poisson(1.0, size=(count, data.n)).astype(float)
    halves = (weights[: count // 2], weights[count // 2 :])
    return Multiples(
        Stumps(count, real), run, "stump", halves, "larger: drawn more often", np.arange(count) / 50, "error"
    )


@pytest.fixture
def shown(qtbot):
    def make(mark, data, theme=LIGHT, size=(560, 300), axes=(0, 1)):
        view = make_canvas(Panel("members", "Members", "none"))
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection.of(data, axes), theme))
        view.show_marks((mark,))
        view.grab()
        return view

    return make


def renderer(view):
    return next(iter(view._renderers.values()))


def small(view, number):
    """The middle of a small plane, in the coordinates of the view."""
    item = renderer(view).item
    layout = item.layout()
    return view.box.mapToView(layout.place(number, item.offset(layout)).center())


@pytest.mark.parametrize(
    ("name", "theme", "size"),
    [("light", LIGHT, (560, 300)), ("dark", DARK, (560, 300)), ("narrow", LIGHT, (260, 420))],
)
def test_pictures(shown, approved, name, theme, size):
    data = points()
    view = shown(planes(40, data), data, theme, size)
    view.light_points(np.array([3]))
    approved(view.grab().toImage(), f"multiples-{name}")


def test_values_over_one_feature_are_curves(shown, approved):
    data = points(1, real=True)
    view = shown(planes(5, data, real=True), data)
    approved(view.grab().toImage(), "multiples-curves")


@pytest.mark.parametrize(("d", "real"), [(1, False), (2, True), (5, False), (5, True)])
def test_any_number_of_features_is_seen(shown, d, real):
    data = points(d, real=real)
    view = shown(planes(3, data, real), data)
    assert renderer(view).item.made == 4  # three small ones and the large one


def test_the_plane_of_the_components_can_be_seen_as_well(shown):
    data = points(5)
    assert renderer(shown(planes(3, data), data, axes=PrincipalPlane.of(data))).item.made == 4


def test_the_newest_is_large_until_another_one_is_clicked(shown):
    data = points()
    view = shown(planes(6, data), data)
    drawn = renderer(view)
    assert drawn.item.shown == 5
    assert drawn.item.title().startswith("stump 6, the newest: error 0.1")
    assert drawn.click(small(view, 2))
    assert drawn.item.shown == 2
    assert drawn.item.title().startswith("stump 3: error 0.04")
    view.show_marks((planes(7, data),))
    assert drawn.item.shown == 2  # it stays while the run goes on
    assert drawn.click(view.box.mapToView(drawn.item.layout().large.center()))
    assert drawn.item.shown == 6
    assert not drawn.click(view.box.mapToView(drawn.item.layout().large.center()))


def test_another_run_begins_with_its_newest(shown):
    data = points()
    view = shown(planes(6, data), data)
    renderer(view).click(small(view, 1))
    view.show_marks((planes(6, data, run=("another",)),))
    assert renderer(view).item.shown == 5


def test_of_a_thousand_only_those_in_view_are_made_and_kept(shown):
    data = points()
    view = shown(planes(1000, data), data)
    item = renderer(view).item
    layout = item.layout()
    seen = layout.visible(1000, item.offset(layout))
    assert seen[-1] == 999  # the newest is in view
    assert item.made == len(seen) + 1 < 60
    before = item.made
    view.show_marks((planes(1000, data),))
    view.grab()
    assert item.made == before
    view.show_marks((planes(1001, data),))
    view.grab()
    assert item.made <= before + 2 + layout.columns


def test_in_a_hurry_a_few_are_made_at_a_time_and_all_in_the_end(shown, qtbot):
    """Sixty new members in one frame would hold the window up for as many pictures."""
    data = points()
    view = shown(planes(2, data), data)
    view.show()
    item = renderer(view).item
    view.show_marks((planes(30, data, run=("another",)),))
    before, repaints = item.made, DeferredRepaint()
    repaints.hold(view)
    repaints.paint(view)
    assert item.made <= before + AT_ONCE + 1
    layout = item.layout()
    seen = len(layout.visible(30, item.offset(layout)))
    assert seen > AT_ONCE
    qtbot.waitUntil(lambda: item.made == before + seen + 1)


def test_the_wheel_scrolls(shown):
    data = points()
    view = shown(planes(100, data), data)
    drawn = renderer(view)
    item, layout = drawn.item, renderer(view).item.layout()
    end = item.offset(layout)
    assert end == layout.furthest(100) > 0
    assert view.scroll_marks(QPointF(0.5, 0.5), 1.0)
    assert item.offset(layout) == pytest.approx(end - layout.pitch)
    for _ in range(100):
        drawn.scroll(QPointF(0.5, 0.5), 1.0)
    assert item.offset(layout) == 0.0
    assert drawn.item.plane_at(layout.place(0, 0.0).center()) == 0
    for _ in range(200):
        drawn.scroll(QPointF(0.5, 0.5), -1.0)
    assert item.scrolled is None  # at the end, the newest stay in view


def test_dragging_scrolls(shown):
    data = points()
    view = shown(planes(100, data), data)
    drawn = renderer(view)
    layout = drawn.item.layout()
    at = layout.room.center()
    assert drawn.grab(view.box.mapToView(at), (1.0, 1.0))
    drawn.drag(view.box.mapToView(at + QPointF(0.0, 30.0)), True)
    assert drawn.item.offset(layout) == pytest.approx(layout.furthest(100) - 30.0)


def test_a_point_of_the_large_plane_means_itself(shown):
    data = points()
    view = shown(planes(3, data), data)
    drawn = renderer(view)
    large = drawn.item.layout().large
    for number in (0, 7):
        spot = drawn.item.planes.spots(large.width())[number] + (large.left(), large.top())
        assert drawn.points_at(view.box.mapToView(QPointF(*spot))).tolist() == [number]
    assert len(drawn.points_at(small(view, 0))) == 0
