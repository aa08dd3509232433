"""Every mark is drawn, and drawn as approved."""

import subprocess
import sys
from typing import get_args

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import (
    Assignment,
    Bars,
    Bundle,
    Centres,
    Curve,
    DividingLine,
    Dots,
    Ellipses,
    Highlight,
    Isolines,
    Mark,
    PointSizes,
    Polygons,
    ReferenceLine,
    Regions,
    Segments,
    SoftAssignment,
    Space,
    Trail,
    TurningAxis,
    mark_types,
)
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.views.canvas import Canvas
from mlviz.views.colours import channels
from mlviz.views.compositor import raster_needs
from mlviz.views.plane import PlaneView
from mlviz.views.plots import PlotView
from mlviz.views.renderers._image import SmoothImage
from mlviz.views.renderers.base import MODULES, renderer_for
from mlviz.views.renderers.dividing_line import ARROW
from mlviz.views.renderers.shapes import EllipsesRenderer, bell, ellipse
from mlviz.views.scene import Scene
from mlviz.views.sprites import Sprite, _Atlas, forget_looks
from mlviz.views.theme import DARK, LIGHT
from tests.views.conftest import difference, pixels
from tests.views.pictures import differences

RNG = np.random.default_rng(5)
CENTRES = np.array([[-2.0, 0.0], [2.0, 0.5], [0.0, 3.0]])
X = np.concatenate([RNG.normal(size=(20, 2)) * 0.6 + centre for centre in CENTRES])
LABELS = np.repeat(np.arange(3), 20)
DATA = Points(X, LABELS, classes=("one", "two", "three"))
SIDE = np.linspace(-1, 1, 40)
SADDLE = (SIDE[None, :] * 2 + SIDE[:, None] ** 2) * 2
THREE = np.stack([SADDLE, -SADDLE, np.broadcast_to(SIDE[:, None] * 3, (40, 40))], axis=2)

PLANE_CASES = {
    "nothing": (),
    "assignment": (Assignment(np.roll(LABELS, 7)),),
    "soft": (SoftAssignment(RNG.dirichlet(np.ones(3), size=60)),),
    "sizes": (PointSizes(np.linspace(0, 1, 60), name="share"),),
    "centres": (Trail(np.stack([CENTRES - 1, CENTRES - 0.4, CENTRES])), Centres(CENTRES, handle="centres")),
    "ellipses": (
        Ellipses(CENTRES, np.array([np.eye(2), np.diag([0.2, 1.0]), [[1, 0.8], [0.8, 1]]]), np.array([0.2, 0.5, 0.3])),
    ),
    "segments": (
        Segments(X[:10], X[:10] + 0.7, role="slack"),
        Segments(X[20:30], X[20:30] - 0.7, role="edge"),
        Segments(X[40:50], X[40:50] + (1.0, 0.0), role="link"),
    ),
    "highlights": tuple(
        Highlight(np.arange(start, start + 5), role=role, name=role)
        for start, role in ((0, "changed"), (20, "free"), (40, "bound"), (50, "chosen"))
    ),
    "regions-classes": (Regions("classes"),),
    "regions-signed": (Regions("signed"), Isolines(strong=(0.0,), weak=(-1.0, 1.0))),
    "regions-density": (Regions("density"),),
    "regions-three": (Regions("probability"), Isolines()),
    "regions-votes": (Regions("votes", names=("one", "two", "three")),),
    "polygons": (
        Polygons((CENTRES, X[20:23]), np.array([0, 1]), filled=True),
        Polygons(
            (CENTRES[0] + np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]),), dashed=True, name="ball"
        ),
    ),
    "turning-axis": (
        TurningAxis(np.array([[-3.0, -1.0], [3.0, 3.0]]), np.array([0.0, 1.0]), np.ones(2), "angle", "axis"),
    ),
    "dividing-line": (DividingLine(np.array([3.0, 4.0]), 5.0, (-0.5, 0.5), ("angle", "offset"), CENTRES[0]),),
}
RASTERS = {
    "regions-classes": {"predict": (SADDLE > 0).astype(int) + (SADDLE > 2).astype(int)},
    "regions-signed": {"field": SADDLE},
    "regions-density": {"field": np.exp(-(SIDE[None, :] ** 2) * 4 - SIDE[:, None] ** 2 * 4)},
    "regions-three": {"field": THREE},
    "regions-votes": {"field": np.round(THREE).clip(0, 1) + 0.3 * np.tanh(THREE)},
}
NO_ITEMS = ("assignment", "sizes")
"""Those that have the plane paint its points."""
PLOT_CASES = {
    "bars": (
        Bars(
            np.array([0.2, 1.0, 0.6, 0.9]),
            points=np.array([3, 9, 21, 44]),
            groups=np.array([0, 0, 1, 2]),
            limit=1.0,
            limit_name="C",
        ),
    ),
    "named-bars": (Bars(np.array([3.0, -1.0, 2.0]), names=("a", "b", "c")),),
    "bundle": (
        Bundle(np.arange(8.0), np.add.outer(np.arange(5.0), np.sin(np.arange(8.0))), "drawn again"),
        Dots(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 1.0]]), "estimates", 1),
        Dots(np.array([[2.0, 2.0]]), "others"),
    ),
    "curves": (
        Curve(np.arange(8.0), np.arange(8.0) ** 2, name="square", dots=True),
        Curve(np.arange(8.0), 30 - np.arange(8.0), "falling", np.arange(20.0, 28.0), np.arange(32.0, 40.0)),
        ReferenceLine(3.0, "here"),
        ReferenceLine(25.0, "level", axis="y"),
    ),
}


def scene(theme=LIGHT, data=DATA):
    return Scene.of(data, Projection.of(data), theme)


def drawn(canvas: Canvas) -> QImage:
    return canvas.grab().toImage()


@pytest.fixture
def plane(qtbot):
    view = PlaneView(Panel("plane", "Data plane", "data"))
    qtbot.addWidget(view)
    view.resize(420, 320)
    return view


def show(plane, name, theme=LIGHT):
    plane.set_theme(theme)
    plane.set_scene(scene(theme))
    plane.fit_view()
    plane.show_marks(PLANE_CASES[name])
    for what, values in RASTERS.get(name, {}).items():
        plane.set_raster(what, Raster(values, (-4.0, 4.0, -2.0, 5.0)))
    return drawn(plane)


def test_every_mark_has_a_renderer_in_the_module_that_is_listed_for_it():
    """A frozen program has no sources to look through, so the list must be complete and right."""
    listed = [mark for marks in MODULES.values() for mark in marks]
    assert sorted(listed) == sorted(mark.__name__ for mark in mark_types())
    homes = {name: f"mlviz.views.renderers.{module}" for module, marks in MODULES.items() for name in marks}
    assert all(renderer_for(mark).__module__ == homes[mark.__name__] for mark in mark_types())


def test_every_mark_of_the_vocabulary_is_listed_in_it():
    written = {mark.__name__ for mark in Mark.__subclasses__() if mark.__module__.startswith("algorithms.marks.")}
    assert written == {mark.__name__ for mark in mark_types()}


def test_every_mark_says_where_it_has_a_meaning():
    assert [mark.__name__ for mark in mark_types() if not mark.spaces] == []
    assert {space for mark in mark_types() for space in mark.spaces} == set(get_args(Space))


def test_a_mark_that_no_module_renders_is_named():
    with pytest.raises(LookupError, match="renders Mark"):
        renderer_for(Mark)


def test_a_renderer_is_imported_with_its_first_mark():
    code = (
        "import sys; from algorithms.marks import Dendrogram; import mlviz.views.canvases;"
        "from mlviz.views.renderers.base import renderer_for; name = 'mlviz.views.renderers.dendrogram';"
        "before = name in sys.modules; renderer_for(Dendrogram); print(before, name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "False True\n", done.stderr


@pytest.mark.parametrize("name", PLANE_CASES)
def test_plane(plane, approved, name):
    approved(show(plane, name), f"plane-{name}")


@pytest.mark.parametrize("name", ["assignment", "regions-signed", "highlights"])
def test_plane_in_the_dark(plane, approved, name):
    approved(show(plane, name, DARK), f"dark-{name}")


def test_plane_for_a_projector(plane, approved):
    approved(show(plane, "centres", LIGHT.presenting()), "presenting-centres")


@pytest.mark.parametrize("name", PLOT_CASES)
def test_plot(qtbot, approved, name):
    view = PlotView(Panel(name, name, x="across", y="up"))
    qtbot.addWidget(view)
    view.resize(360, 240)
    view.set_scene(scene())
    view.show_marks(PLOT_CASES[name])
    approved(drawn(view), f"plot-{name}")


def test_a_dividing_line_turns_about_its_origin_and_shifts(plane):
    show(plane, "dividing-line")
    moves = []
    plane.param_dragged.connect(moves.append)
    normal, origin = np.array([0.6, 0.8]), CENTRES[0]
    foot = origin + (1.0 - origin @ normal) * normal
    tip = foot + ARROW * np.linalg.norm(np.ptp(X, axis=0)) * normal
    renderer = plane.renderer_to_drag(QPointF(*tip))
    renderer.drag(QPointF(*(origin + (0.0, 3.0))), False)
    along = foot + 2.0 * np.array([-0.8, 0.6])
    renderer = plane.renderer_to_drag(QPointF(*along))
    renderer.drag(QPointF(*(along + 0.5 * normal)), True)
    assert moves[0] == ("angle", pytest.approx(90.0), False)
    assert moves[1] == ("offset", pytest.approx(1.0 - origin @ normal + 0.5), True)
    assert plane.renderer_to_drag(QPointF(*(foot + 1.5 * normal - 3.0 * np.array([-0.8, 0.6])))) is None


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_an_axis_is_turned_by_either_end_in_the_units_of_its_features(plane, axes):
    """Towards (2, 5) from (0, 1), where the second feature counts in twos: 2 across and 2 up, 45 degrees."""
    plane.set_scene(Scene.of(DATA, Projection.of(DATA, axes), LIGHT))
    plane.fit_view()
    ends = np.array([[-3.0, -1.0], [3.0, 3.0]])
    plane.show_marks((TurningAxis(ends, np.array([0.0, 1.0]), np.array([1.0, 2.0]), "angle"),))
    moves = []
    plane.param_dragged.connect(moves.append)
    for end, place in ((0, (2.0, 5.0)), (1, (-2.0, -3.0))):
        renderer = plane.renderer_to_drag(QPointF(*ends[end, list(axes)]))
        renderer.drag(QPointF(*np.array(place)[list(axes)]), end == 1)
    assert moves == [("angle", pytest.approx(45.0), False), ("angle", pytest.approx(45.0), True)]
    assert plane.renderer_to_drag(QPointF(-2.0, 2.9)) is None
    plane.show_marks((TurningAxis(ends, np.zeros(2), np.ones(2)),))
    assert plane.renderer_to_drag(QPointF(*ends[0, list(axes)])) is None


def test_among_several_classes_the_line_is_where_the_best_one_changes_whatever_the_level(plane):
    probabilities = np.exp(THREE) / np.exp(THREE).sum(axis=2, keepdims=True)
    pictures = []
    for level in (0.0, 0.5):
        plane.set_scene(scene())
        plane.fit_view()
        plane.show_marks((Isolines(strong=(level,)),))
        plane.set_raster("field", Raster(probabilities, (-4.0, 4.0, -2.0, 5.0)))
        pictures.append(pixels(drawn(plane)))
    assert difference(*pictures) == 0.0


def test_only_places_without_a_winner_are_hatched(plane):
    show(plane, "regions-votes")
    (regions,) = (item for item in plane.items() if isinstance(item, SmoothImage))
    line = np.array(channels(LIGHT.line))
    striped = (regions.image[:, :, :3] == line).all(axis=2)
    votes = np.sort(np.round(RASTERS["regions-votes"]["field"]), axis=2)
    tied = votes[:, :, -1] == votes[:, :, -2]
    assert 0.3 < striped[tied].mean() < 0.7
    assert not striped[~tied].any()


def test_comparison_bites(plane):
    """A picture with two of sixty points missing is not taken for the approved one."""
    whole = pixels(show(plane, "assignment"))
    plane.set_scene(scene(data=Points(X[2:], LABELS[2:], classes=DATA.classes)))
    plane.show_marks((Assignment(np.roll(LABELS, 7)[2:] * 0),))
    assert differences(pixels(drawn(plane)), whole).max() > 1.0


def test_marks_that_are_gone_leave_nothing_behind(plane):
    plane.resize(700, 500)  # large enough for every legend: the axes would remember one that stood below
    clean = pixels(show(plane, "nothing"))
    for name in PLANE_CASES:
        show(plane, name)
    plane.legend.forget_place()
    assert difference(pixels(show(plane, "nothing")), clean) == 0.0


@pytest.mark.parametrize("name", PLANE_CASES)
def test_at_rest_what_drew_other_marks_goes_and_is_made_again(plane, name):
    plane.resize(700, 500)  # large enough for every legend: the axes would remember one that stood below
    for one in (name, "centres"):
        show(plane, one)
    wanted = pixels(show(plane, name))
    show(plane, "centres")
    plane.drop_unused()
    assert {kind for kind, _ in plane._renderers} == {*map(type, PLANE_CASES["centres"])}
    assert difference(pixels(show(plane, name)), wanted) == 0.0
    plane.show_marks(())
    items = len(plane.getPlotItem().items)
    plane.drop_unused()
    assert not plane._renderers
    assert len(plane.getPlotItem().items) < items or not PLANE_CASES[name] or name in NO_ITEMS
    plane.resize(692, 500)  # nobody who is gone hears of it
    drawn(plane)


def test_changing_the_theme_repaints_the_same_marks(plane):
    wanted = pixels(show(plane, "regions-signed", DARK))
    show(plane, "regions-signed", LIGHT)
    plane.set_theme(DARK)
    assert difference(pixels(drawn(plane)), wanted) == 0.0


def test_what_is_asked_of_the_model():
    assert raster_needs((Regions("classes"), Centres(CENTRES))) == ("predict",)
    assert raster_needs((Regions("signed"), Isolines())) == ("field",)
    assert raster_needs((Regions("classes"), Isolines())) == ("field", "predict")
    assert raster_needs((Centres(CENTRES),)) == ()


@pytest.mark.parametrize("deviations", [1.0, 2.0])
def test_an_ellipse_is_so_many_standard_deviations_from_its_mean(deviations):
    covariance = np.array([[2.0, 0.7], [0.7, 1.0]])
    line = ellipse(np.array([1.0, -1.0]), covariance, deviations) - (1.0, -1.0)
    mahalanobis = np.sqrt(np.einsum("ij,jk,ik->i", line, np.linalg.inv(covariance), line))
    assert mahalanobis == pytest.approx(deviations)


def test_a_bell_has_upright_lines_at_its_standard_deviations():
    """Between 3 ± 2 lie 68 % of N(3, 2²), between 3 ± 4 lie 95 %."""
    outline, *uprights = bell(3.0, 2.0, 5.0, 1.0, (1.0, 2.0))
    assert outline[:, 0] == pytest.approx(np.linspace(-4, 10, 71))
    assert outline[:, 1] == pytest.approx(1 + 5 * np.exp(-(((outline[:, 0] - 3) / 2) ** 2) / 2))
    assert [piece[0].tolist() for piece in uprights] == [[1, 1], [5, 1], [-1, 1], [7, 1]]
    assert [piece[1, 1] for piece in uprights] == pytest.approx(1 + 5 * np.exp([-0.5, -0.5, -2, -2]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DATA, "holds 39% and 86% of a component"),
        (Points(X[:, :1]), "between upright lines 68% and 95%"),
        (Points(X[:, :1], X[:, 1]), "between upright lines 68% and 95%"),
        (Points(np.column_stack([X, X])), "holds 39% and 86% of a component"),
    ],
    ids=["plane", "line", "line with a target", "four features"],
)
def test_the_legend_says_what_the_outlines_of_a_gaussian_hold(plane, data, words):
    plane.set_scene(scene(data=data))
    plane.show_marks((Ellipses(np.zeros((2, data.d)), np.stack([np.eye(data.d)] * 2), np.array([0.4, 0.6])),))
    assert [row.name for row in plane.legend.rows if "%" in row.name] == [words]


def test_gaussians_over_one_feature_are_bells(plane, approved):
    plane.set_theme(LIGHT)
    plane.set_scene(scene(data=Points(X[:, :1])))
    plane.fit_view()
    plane.show_marks((Ellipses(CENTRES[:, :1], np.array([0.4, 0.5, 0.3]).reshape(3, 1, 1), np.array([0.3, 0.2, 0.5])),))
    approved(drawn(plane), "bells")


def test_bells_over_a_target_stand_on_its_least_value(plane):
    plane.set_scene(scene(data=Points(X[:, :1], np.linspace(100.0, 200.0, len(X)))))
    plane.show_marks((Ellipses(np.zeros((1, 1)), np.ones((1, 1, 1)), np.ones(1)),))
    (curve,) = next(r for r in plane._renderers.values() if isinstance(r, EllipsesRenderer)).items
    heights = curve.getData()[1]
    assert (heights.min(), heights.max()) == pytest.approx((100.0, 130.0), abs=0.1)


def test_points_are_found_under_the_mouse(plane):
    show(plane, "nothing")
    box = plane.getViewBox()
    for index in (0, 25, 59):
        place = plane.mapFromScene(box.mapViewToScene(_point(X[index])))
        found = int(plane.points_at(place.toPointF())[0])
        assert np.hypot(*(X[found] - X[index])) < 0.15
    corner = plane.mapFromScene(box.mapViewToScene(_point((-20.0, -20.0))))
    assert len(plane.points_at(corner.toPointF())) == 0


def test_hovering_a_bar_means_its_point(qtbot):
    view = PlotView(Panel("bars", "bars"))
    qtbot.addWidget(view)
    view.resize(360, 240)
    view.set_scene(scene())
    view.show_marks(PLOT_CASES["bars"])
    drawn(view)
    place = view.mapFromScene(view.getViewBox().mapViewToScene(_point((2.0, 0.3))))
    assert view.points_at(place.toPointF()).tolist() == [21]


def test_many_features_are_seen_as_a_slice_and_say_so(plane):
    wide = Points(np.column_stack([X, X[:, 0] * 2, X[:, 1]]), LABELS, classes=DATA.classes)
    plane.set_scene(scene(data=wide))
    plane.show_marks((Centres(np.zeros((2, 4))), Ellipses(np.zeros((1, 4)), np.eye(4)[None], np.ones(1))))
    assert "Slice through the means of the other 2 features" in plane.note.toPlainText()


def _point(at):
    from PySide6.QtCore import QPointF

    return QPointF(*map(float, at))


def test_a_small_sprite_is_stamped_without_the_room_of_a_large_one(qapp):
    atlas, looks = _Atlas(), (Sprite("o", 4.0, "#ff0000", "#000000", 3.0), Sprite("s", 40.0, "#00ff00"))
    _, places = atlas.prepare(looks, 2.0)
    assert places[0, 2] < places[1, 2] / 3
    for (left, top, width, height), look in zip(places.astype(int).tolist(), looks):
        whole = atlas.alpha(look)
        part = whole[top % atlas.cell :, left % atlas.cell :][:height, :width]
        assert part.shape == (height, width)
        assert part.sum() == whole.sum() > 0  # nothing is cut off


def test_an_atlas_of_one_sprite_is_small(qapp):
    atlas = _Atlas()
    pixmap, _ = atlas.prepare((Sprite("o", 40.0, "#ff0000"),), 1.0)
    assert pixmap.height() == atlas.cell
    assert pixmap.width() <= _Atlas.WIDTH


def test_however_many_looks_come_and_go_an_atlas_keeps_to_its_size(qapp):
    atlas = _Atlas()
    for frame in range(40):
        looks = tuple(Sprite("o", 30.0 + frame % 2, f"#{256 * frame + number:06x}") for number in range(200))
        pixmap, places = atlas.prepare(looks, 1.0)
        assert len(places) == len(looks)
        assert all(atlas.alpha(look).any() for look in looks[::50])
        assert pixmap.width() * pixmap.height() <= 2 * _Atlas.MOST + atlas.WIDTH * atlas.cell
    atlas.prepare((Sprite("o", 90.0, "#000000"),), 1.0)
    atlas.prepare(looks, 1.0)
    assert pixmap.width() * pixmap.height() <= 2 * _Atlas.MOST + atlas.WIDTH * atlas.cell


def test_looks_that_were_forgotten_are_drawn_again_when_they_are_painted(qapp):
    atlas, look, other = _Atlas(), (Sprite("o", 10.0, "#ff0000"),), (Sprite("o", 60.0, "#00ff00"),)
    before = [part.copy() for part in atlas.prepare(look, 1.0)]
    atlas.prepare(other, 1.0)
    forget_looks()
    assert atlas._pixmap.isNull()
    pixmap, places = atlas.prepare(look, 1.0)
    assert pixmap.toImage() == before[0].toImage()
    assert np.array_equal(places, before[1])


@pytest.mark.parametrize(("largest", "level"), [(0.0, 24), (4.0, 12), (0.5, 24)])
def test_halos_can_be_compared_from_frame_to_frame(plane, largest, level):
    """Equal weights have the largest halos, unless larger ones are said to: a quarter has half the size."""
    show(plane, "sizes")
    plane.show_marks((PointSizes(np.ones(60), largest=largest),))
    (renderer,) = plane._renderers.values()
    assert set(renderer._layer._which.tolist()) == {level}


class Drag:
    """A drag with the right button, as pyqtgraph tells of it."""

    def accept(self): ...

    def isStart(self):
        return False

    def isFinish(self):
        return False

    def lastPos(self):
        return QPointF(3.0, 4.0)

    def pos(self):
        return QPointF(5.0, 9.0)


@pytest.mark.parametrize("place", [np.inf, np.nan, 1e300])
def test_a_drag_over_a_view_without_any_room_moves_nothing(plane, monkeypatch, place):
    show(plane, "sizes")
    before = plane.box.viewRange()
    plane.box.mouseDragEvent(Drag())
    after = plane.box.viewRange()
    assert after != before
    monkeypatch.setattr(plane.box, "mapToView", lambda pos: QPointF(place, 0.0))  # as a layout leaves it for a moment
    plane.box.mouseDragEvent(Drag())
    assert plane.box.viewRange() == after
