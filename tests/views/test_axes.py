"""How the numbers of an axis are chosen and written."""

import itertools

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPointF, QSizeF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QGraphicsSceneWheelEvent, QWidget

from algorithms import all_algorithms, find
from algorithms._checks import cases
from algorithms.contract import Panel
from algorithms.data import Points
from mlviz.session.projection import Projection
from mlviz.views.axes import RoomyAxis, StepAxis
from mlviz.views.plane import PlaneView
from mlviz.views.plots import PlotView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT
from tests.events import settle
from tests.views.composed import composed, draw


@pytest.fixture
def axis(qtbot):
    def make(log=False, side="left"):
        made = RoomyAxis(side)
        made.setLogMode(log, log)
        return made

    return make


def value_of(text):
    """A number read back from its blackboard form."""
    plain = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    if "10" in text and any(letter in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹" for letter in text):
        mantissa, power = plain.split("·10") if "·" in text else ("1", plain[2:])
        return float(mantissa) * 10.0 ** int(power)
    return float(plain)


def test_large_and_small_numbers_share_one_power_of_ten(axis):
    assert axis().tickStrings([0.0, 2e8, 4e8], 1.0, 2e8) == ["0", "2·10⁸", "4·10⁸"]
    assert axis().tickStrings([-5e6, 1e7], 1.0, 5e6) == ["-0.5·10⁷", "1.0·10⁷"]
    assert axis().tickStrings([2e-6, 4e-6], 1.0, 2e-6) == ["2·10⁻⁶", "4·10⁻⁶"]
    assert axis().tickStrings([0.0, 0.5, 1.0], 1.0, 0.5) == ["0", "0.5", "1.0"]
    assert axis().tickStrings([250_000.0], 1.0, 50_000.0) == ["250000"]


@pytest.mark.parametrize(("low", "high"), [(0.0, 4.7e8), (-3.0, 1e8), (0.0, 2e-7), (1e8, 1.6e8), (0.0, 1.0)])
def test_a_linear_axis_of_any_size_has_numbers_that_do_not_overlap(axis, low, high):
    upright = axis()
    for size in (60.0, 150.0, 400.0):
        spacing, values = upright.tickValues(low, high, size)[0]
        texts = upright.tickStrings(list(values), 1.0, spacing)
        assert len(texts) >= 1
        assert len(set(texts)) == len(texts)
        assert spacing / (high - low) * size >= QFontMetricsF(upright.font()).height()


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 8.0), (8.0, 8.2), (-12.0, 0.5), (0.4, 0.95), (-0.3, -0.17), (2.0, 4.0)]
)
def test_a_logarithmic_axis_writes_several_true_numbers(axis, low, high):
    upright = axis(log=True)
    spacing, values = upright.tickValues(low, high, 150.0)[0]
    texts = upright.tickStrings(list(values), 1.0, spacing)
    assert 3 <= len(texts) <= upright._most(150.0)
    assert np.allclose([value_of(text) for text in texts], 10.0 ** np.array(values), rtol=1e-3)
    assert all(low - 1e-9 <= value <= high + 1e-9 for value in values)
    assert not any("e" in text for text in texts)


@pytest.mark.parametrize(
    ("low", "high"), [(-319.6, -319.5), (-2e90, -1e90), (1e90, 2e90), (3e8, 3e8 + 1.0), (5.0, 5.0)]
)
def test_a_logarithmic_axis_beyond_all_numbers_writes_none(axis, low, high):
    assert all(places == [] for _, places in axis(log=True).logTickValues(low, high, 400.0, []))


@pytest.mark.parametrize("last", [1.0, 2.0, 7.0, 300.0])
def test_steps_are_counted_in_whole_numbers(qtbot, last):
    view = PlotView(Panel("gap", "Gap", "own", x="step", integer_x=True))
    qtbot.addWidget(view)
    bottom = view.getAxis("bottom")
    assert isinstance(bottom, StepAxis)
    places = [place for _, values in bottom.tickValues(0.0, last, 400.0) for place in values]
    assert len(places) >= 2
    assert all(place == round(place) for place in places)


def test_names_below_bars_never_lie_over_each_other_whatever_the_width(qtbot):
    view = PlotView(Panel("bars", "Bars"))
    qtbot.addWidget(view)
    axis = view.getAxis("bottom")
    names = tuple(f"{value:.2f}" for value in np.linspace(-3.3, 3.3, 21))
    axis.set_names(names)
    wide = QFontMetricsF(axis.style["tickFont"]).horizontalAdvance("-3.30")
    shown = {}
    for size in (90.0, 300.0, 2000.0):
        ((_, places),) = axis.tickValues(-0.6, 20.6, size)
        assert places[0] == 0
        assert np.diff(places).min() * size / 21.2 >= wide
        assert axis.tickStrings(places, 1.0, 1.0) == [names[int(place)] for place in places]
        shown[size] = len(places)
    assert shown[90.0] < shown[300.0] < shown[2000.0] == 21
    axis.set_names(())
    assert len(axis.tickValues(0.0, 10.0, 300.0)) > 1  # numbers again


def test_of_bars_in_pairs_those_with_a_name_share_the_room(qtbot):
    view = PlotView(Panel("bars", "Bars"))
    qtbot.addWidget(view)
    axis = view.getAxis("bottom")
    axis.set_names(("alcohol", "", "ash", "", "hue", ""))
    wide = QFontMetricsF(axis.style["tickFont"]).horizontalAdvance("alcohol")
    ((_, places),) = axis.tickValues(-0.6, 5.6, 3.5 * wide + 40)  # room for a name in two bars, not in one
    assert places == [0.0, 2.0, 4.0]
    ((_, places),) = axis.tickValues(-0.6, 5.6, 2.0 * wide)
    assert places == [0.0, 4.0]


@pytest.fixture
def low_plot(qtbot):
    view = PlotView(Panel("low", "Low", y="length of the gradient of every layer"))
    qtbot.addWidget(view)
    view.resize(260, 130)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_a_number_that_the_upper_edge_would_cut_is_not_written(low_plot):
    axis = low_plot.getAxis("left")
    low_plot.box.setRange(yRange=(0.0, 100.0), padding=0.0)
    image = QImage(10, 10, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    _, ticks, texts = axis.generateDrawSpecs(painter)
    painter.end()
    assert len(texts) >= 1
    assert {text for *_, text in texts}.isdisjoint({"100"})
    assert min(box.top() + axis._margin() for box, *_ in texts) >= 0.0
    assert ticks  # its tick stays


def test_the_name_of_a_low_axis_shrinks_until_it_fits(low_plot):
    axis = low_plot.getAxis("left")
    small = axis.label.scale()
    assert 0.7 <= small < 1.0
    low_plot.resize(260, 600)
    assert axis.label.scale() == 1.0
    top = axis.label.pos().y() - axis.label.boundingRect().width()
    assert top == pytest.approx(axis.size().height() - axis.label.pos().y(), abs=2)  # in the middle


def test_an_axis_without_a_name_leaves_its_room_to_the_plot(qtbot):
    heights = []
    for name in ("", "feature"):
        view = PlotView(Panel("bars", "Bars", space="own", x=name, y="weight"))
        qtbot.addWidget(view)
        view.set_theme(LIGHT.presenting())
        view.resize(400, 300)
        view.show()
        settle()
        heights.append(view.box.boundingRect().height())
    assert heights[0] > heights[1] + LIGHT.presenting().font


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.presenting()])
def test_the_name_of_an_upright_axis_does_not_touch_its_numbers(qtbot, theme):
    view = PlotView(Panel("residuals", "Residuals", space="own", x="x", y="y - f(x)"))
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.resize(420, 300)
    view.show()
    view.box.setRange(yRange=(-1.8, 1.6), disableAutoRange=True)
    settle()
    axis = view.getAxis("left")
    room = axis.width() - axis.textWidth - axis.style["tickTextOffset"][0]
    margin = axis.label.document().documentMargin()
    assert axis.textWidth > 0
    assert room >= axis.label.pos().x() + axis.label.boundingRect().height() - margin + 0.1 * theme.font


@pytest.mark.parametrize("width", [300, 420, 592, 640, 700, 760])
@pytest.mark.parametrize("span", [(-6.6, 9.4), (-0.66, 0.94), (-660, 940), (0.0, 15.0)])
def test_numbers_below_a_plot_do_not_touch_on_a_projector(qtbot, width, span):
    view = PlotView(Panel("plane", "Plane", space="own", x="x1", y="x2"))
    qtbot.addWidget(view)
    view.set_theme(LIGHT.presenting())
    view.resize(width, 300)
    view.show()
    view.box.setRange(xRange=span, padding=0, disableAutoRange=True)
    settle()
    axis = view.getAxis("bottom")
    picture = QImage(10, 10, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    painter.setFont(axis.style["tickFont"])
    texts = axis.generateDrawSpecs(painter)[2]
    painter.end()
    metrics = QFontMetricsF(axis.style["tickFont"])
    middles = np.array([rect.center().x() for rect, *_ in texts])
    halves = np.array([metrics.horizontalAdvance(text) for *_, text in texts]) / 2
    order = np.argsort(middles)
    assert len(texts) >= 2
    gaps = np.diff(middles[order]) - halves[order][1:] - halves[order][:-1]
    assert gaps.min() > 0.5 * LIGHT.presenting().font


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_the_stamped_axis_is_the_painted_one(qtbot, ratio):
    plot = pg.PlotWidget(axisItems={"left": RoomyAxis("left"), "bottom": RoomyAxis("bottom")})
    qtbot.addWidget(plot)
    plot.resize(403, 297)
    plot.setRange(xRange=(0.13, 7.7), yRange=(-1, 123))
    plot.show()
    settle()

    def picture():
        image = QImage((QSizeF(plot.size()) * ratio).toSize(), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(0)
        QWidget.render(plot, image)
        return image

    axis = plot.getAxis("bottom")
    axis._painted = ()
    first = picture()
    assert axis._stamp is None
    assert picture() == first
    assert (axis._stamp is not None) == ratio.is_integer()
    plot.setRange(xRange=(5, 6))
    assert picture() != first


def test_zooming_ends_where_numbers_end(qtbot):
    canvas = PlaneView(Panel("p", "Panel", "data"))
    qtbot.addWidget(canvas)
    canvas.resize(300, 200)
    for angle in (-120, 120):
        for _ in range(1500):
            event = QGraphicsSceneWheelEvent(QEvent.Type.GraphicsSceneWheel)
            event.setDelta(angle)
            event.setPos(QPointF(100, 100))
            canvas.box.wheelEvent(event)
        edges = np.array(canvas.box.viewRange())
        assert np.isfinite(edges).all()
        assert (edges[:, 1] > edges[:, 0]).all()
    canvas.grab()


def test_an_axis_does_not_waver_between_two_widths(qtbot):
    """Wider, it leaves a range with shorter numbers, for which it would be narrower again, for ever."""
    axis = RoomyAxis("left")
    axis.setRange(-1.51, 1.91)
    axis._updateMaxTextSize(36.0)
    axis._updateMaxTextSize(48.0)
    axis.setRange(-1.6, 2.0)
    axis._updateMaxTextSize(36.0)
    assert axis.textWidth == 48.0
    axis.setRange(-30.0, 30.0)  # another range altogether
    axis._updateMaxTextSize(36.0)
    assert axis.textWidth == 36.0


def test_an_axis_does_not_waver_beside_a_narrow_plot(qtbot):
    """There the two ranges are so different that neither is similar to the other."""
    axis, widths = RoomyAxis("left"), []
    for _ in range(10):
        for span, size in ((4.0, 48.0), (9.0, 36.0)):
            axis.setRange(-span, span)
            axis._updateMaxTextSize(size)
            widths.append(axis.textWidth)
    assert widths[-8:] == [48.0] * 8


@pytest.mark.parametrize("X", [[[1e98, 1e98]], [[1e98, 0.0], [np.nextafter(1e98, 2e98), 1.0]], [[1e-99, 0.0]]])
def test_a_picture_of_extreme_numbers_has_pixels(qtbot, X):
    view = PlaneView(Panel("plane", "Plane"))
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_scene(Scene.of(Points(X), Projection(), LIGHT))
    view.fit_view()
    assert min(view.box.viewPixelSize()) > 0
    view.points_at(QPointF(200, 150))  # nothing is divided by zero


def gaps(axis):
    """The pixels between the numbers of an axis as they are painted, from one to the next."""
    picture = QImage(10, 10, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    specs = axis.generateDrawSpecs(painter)
    painter.end()
    metrics = QFontMetricsF(axis.style["tickFont"])
    upright = axis.orientation == "left"
    extents = []
    for rect, _, text in specs[2] if specs is not None else ():
        middle = rect.center().y() if upright else rect.center().x()
        extents.append((middle, (metrics.capHeight() if upright else metrics.horizontalAdvance(text)) / 2))
    extents.sort()
    return [after[0] - after[1] - before[0] - before[1] for before, after in itertools.pairwise(extents)]


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.presenting()], ids=["at the desk", "on a projector"])
@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_numbers_of_an_axis_are_eight_pixels_apart_in_every_plot_of_every_method(qapp, key, theme):
    """In the sizes that the views have in a window of 1024 x 768: the large one, one below it, one beside it."""
    recording = cases.recordings(find(key))[0]
    near = []
    with composed(find(key), recording.data) as compositor:
        compositor.set_theme(theme)
        draw(compositor, recording.frames[-1])
        for name, size in itertools.product(compositor.panels, [(690, 380), (340, 190), (290, 330)]):
            canvas = compositor.canvas(name)
            canvas.resize(*size)
            canvas.grab()
            for side in ("left", "bottom"):
                axis = canvas.getAxis(side)
                near += [(name, size, side, gap) for gap in gaps(axis) if axis.isVisible() and gap < 8.0 - 1e-6]
    assert not near


@pytest.mark.parametrize("span", [(0.0, 1.0), (0.3, 0.95), (-0.004, 0.0113), (2.0, 9.0), (-40, 9999), (1e-9, 3e-5)])
@pytest.mark.parametrize("theme", [LIGHT, LIGHT.presenting()], ids=["at the desk", "on a projector"])
@pytest.mark.parametrize("log", [False, True])
def test_numbers_stay_apart_whatever_the_range_and_the_width(qtbot, span, theme, log):
    view = PlotView(Panel("plot", "Plot", space="own", x="x", y="y"))
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.show()
    for side in ("left", "bottom"):
        view.getAxis(side).setLogMode(log, log)
    view.box.setRange(xRange=span, yRange=span, padding=0, disableAutoRange=True)
    for width in range(200, 700, 37):
        view.resize(width, width // 2 + 80)
        settle()
        found = {side: gaps(view.getAxis(side)) for side in ("left", "bottom")}
        assert min([8.0, *found["left"], *found["bottom"]]) >= 8.0 - 1e-6, (width, found)


def test_where_there_is_no_room_for_every_number_it_is_every_second_one_rather_than_every_fifth(qtbot):
    view = PlotView(Panel("plot", "Plot", space="own", x="x", y="y"))
    qtbot.addWidget(view)
    view.set_theme(LIGHT)
    axis = view.getAxis("bottom")
    assert axis.tickValues(-9.3, 9.3, 500.0)[:2] == [(5.0, [-5.0, 0.0, 5.0]), (1.0, [*map(float, SINGLE)])]
    spacing, values = axis.tickValues(-9.3, 9.3, 340.0)[0]
    assert (spacing, values) == (2.0, [-8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0])


SINGLE = (-9, -8, -7, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 7, 8, 9)
