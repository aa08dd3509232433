"""The pictures of the regression methods: curves, bands, residuals, values as colours, logarithmic axes, handles."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from algorithms import find
from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Curve, ReferenceLine, Squares
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.views.axes import RoomyAxis
from mlviz.views.canvases import make_canvas
from mlviz.views.plane import PlaneView
from mlviz.views.plots import PlotView
from mlviz.views.renderers.squares import SquaresItem
from mlviz.views.scale import end_colour, value_colours
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT

LINEAR = "linear_regression"
SINE = load_data("sine(n=40,seed=2)")
PLANE = Points(np.random.default_rng(1).normal(size=(60, 2)) * (1.5, 1.0), np.linspace(-1, 2, 60))


def last_frame(key, data, **params):
    algorithm = find(key)
    *_, last = algorithm.start(data, algorithm.make_params(params), 0)
    return last


def make(qtbot, key, panel, data=SINE, theme=LIGHT, size=(420, 320)):
    view = make_canvas(next(one for one in find(key).panels if one.key == panel))
    qtbot.addWidget(view)
    view.resize(*size)
    view.set_theme(theme)
    view.set_scene(Scene.of(data, Projection.of(data), theme))
    if isinstance(view, PlaneView):
        view.fit_view()
    return view


def drawn(view, frame):
    view.show_marks(frame.views[view.panel.key])
    return view.grab().toImage()


# --- linear regression -----------------------------------------------------------------------------------------------


def test_curve_with_band_and_residuals(qtbot, approved):
    view = make(qtbot, LINEAR, "plane")
    approved(drawn(view, last_frame(LINEAR, SINE, degree=3, sweep=False)), "linear_regression-bars")
    assert view.getAxis("left").labelText == "y"
    assert view.getAxis("bottom").labelText == "x"


def test_squares_in_the_dark(qtbot, approved):
    frame = last_frame(LINEAR, SINE, degree=3, residuals="squares", sweep=False)
    approved(drawn(make(qtbot, LINEAR, "plane", theme=DARK), frame), "linear_regression-squares-dark")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_values_over_two_features(qtbot, approved, theme):
    frame = last_frame(LINEAR, PLANE, degree=2, sweep=False)
    view = make(qtbot, LINEAR, "plane", PLANE, theme)
    view.show_marks(frame.views["plane"])
    left, right, bottom, top = view.view_rect()
    x, y = np.meshgrid(np.linspace(left, right, 60), np.linspace(bottom, top, 60))
    values = find(LINEAR).field(frame.model, np.column_stack([x.ravel(), y.ravel()])).reshape(60, 60)
    view.set_raster("field", Raster(values, (left, right, bottom, top)))
    approved(view.grab().toImage(), f"linear_regression-values-{theme.name}")


@pytest.mark.parametrize("panel", ["degrees", "lambdas", "eigenvalues", "coefficients"])
def test_ridge(qtbot, approved, panel):
    frame = last_frame(LINEAR, SINE, degree=5, penalty="ridge", lam=0.02)
    approved(drawn(make(qtbot, LINEAR, panel, size=(360, 240)), frame), f"linear_regression-{panel}")


@pytest.mark.parametrize("panel", ["space", "projection"])
def test_in_space(qtbot, approved, panel):
    data = Points(PLANE.X, PLANE.X @ [1.0, -0.6] + np.sin(np.arange(60.0)), features=("length", "width"))
    frame = last_frame(LINEAR, data, degree=2 if panel == "space" else 1, sweep=False)
    approved(drawn(make(qtbot, LINEAR, panel, data), frame), f"linear_regression-{panel}")


# --- the others ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("panel", ["coefficients", "path", "lambdas"])
def test_lasso(qtbot, approved, panel):
    frame = last_frame("lasso", SINE, degree=5, lam=0.1)
    approved(drawn(make(qtbot, "lasso", panel, size=(360, 240)), frame), f"lasso-{panel}")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("panel", ["ball", "balls"])
def test_ball_of_a_power(qtbot, approved, panel, theme):
    frame = last_frame("lasso", SINE, degree=2, penalty="power", q=0.5, lam=0.5)
    view = make(qtbot, "lasso", panel, theme=theme, size=(360, 300))
    approved(drawn(view, frame), f"lasso-{panel}-{theme.name}")


def test_outliers_for_a_projector(qtbot, approved):
    data = Points(SINE.X, np.where(np.arange(40) < 3, 2.0, SINE.y), features=("x",))
    frame = last_frame("robust_regression", data, dictionary="gaussian bumps", degree=5, delta=0.3, sweep=False)
    view = make(qtbot, "robust_regression", "plane", data, LIGHT.presenting(), (640, 420))
    approved(drawn(view, frame), "robust_regression-presenting")


@pytest.mark.parametrize("panel", ["losses", "residuals"])
def test_robust(qtbot, approved, panel):
    frame = last_frame("robust_regression", SINE, degree=5, delta=0.1, sweep=False)
    approved(drawn(make(qtbot, "robust_regression", panel, size=(360, 240)), frame), f"robust_regression-{panel}")


@pytest.mark.parametrize("loss", ["absolute", "pinball"])
def test_a_loss_with_a_corner(qtbot, approved, loss):
    frame = last_frame("robust_regression", SINE, degree=3, loss=loss, sweep=False)
    approved(drawn(make(qtbot, "robust_regression", "plane"), frame), f"robust_regression-{loss}")


def test_staircase_of_subsets(qtbot, approved):
    frame = last_frame("subset_selection", SINE, degree=5, size=4)
    approved(drawn(make(qtbot, "subset_selection", "subsets", size=(360, 240)), frame), "subset_selection-subsets")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_leaps_and_bounds(qtbot, approved, theme):
    X = np.random.default_rng(3).normal(size=(60, 9))
    data = Points(X, X[:, :3] @ [2.0, -1.5, 1.0] + X[:, 8])
    frame = last_frame("subset_selection", data, degree=1, subset="leaps and bounds", size=6)
    view = make(qtbot, "subset_selection", "subsets", data, theme, (360, 240))
    approved(drawn(view, frame), f"subset_selection-leaps-{theme.name}")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("panel", ["components", "eigenvalues", "ball"])
def test_principal_components(qtbot, approved, panel, theme):
    data = load_data("collinear(n=60,correlation=0.9,seed=3)")
    params = {"components": 1, "degree": 1} if panel == "ball" else {"components": 4, "degree": 3}
    frame = last_frame("component_regression", data, **params)
    view = make(qtbot, "component_regression", panel, data, theme, (360, 260))
    approved(drawn(view, frame), f"component_regression-{panel}-{theme.name}")


def test_nothing_is_written_between_one_direction_and_two(qtbot):
    data = load_data("collinear(n=60,seed=3)")
    view = make(qtbot, "component_regression", "components", data, size=(500, 260))
    drawn(view, last_frame("component_regression", data, components=1, degree=1))
    axis = view.getAxis("bottom")
    low, high = axis.range
    assert high - low < 2.0
    spacings = axis.tickValues(low, high, axis.width())
    assert [place for _, places in spacings for place in places] == [1.0, 2.0]


@pytest.mark.parametrize("panel", ["plane", "alpha", "loo", "widths", "map", "directions"])
def test_kernel_ridge(qtbot, approved, panel):
    frame = last_frame("kernel_ridge", SINE, sigma=0.15, lam=0.1)
    approved(drawn(make(qtbot, "kernel_ridge", panel, size=(420, 300)), frame), f"kernel_ridge-{panel}")


def test_left_out_errors_in_the_dark(qtbot, approved):
    frame = last_frame("kernel_ridge", SINE, sigma=0.15, lam=0.1)
    approved(drawn(make(qtbot, "kernel_ridge", "loo", theme=DARK, size=(420, 300)), frame), "kernel_ridge-loo-dark")


@pytest.mark.parametrize("panel", ["plane", "cloud", "bias_lambdas", "bias_degrees"])
def test_redrawn_noise(qtbot, approved, panel):
    frame = last_frame("bias_variance", SINE, method="linear_regression(degree=3,penalty=ridge,lam=0.02)", redraws=60)
    approved(drawn(make(qtbot, "bias_variance", panel, size=(420, 300)), frame), f"bias_variance-{panel}")


def test_redrawn_noise_for_a_projector(qtbot, approved):
    frame = last_frame("bias_variance", SINE, method="linear_regression(degree=6)", redraws=40)
    view = make(qtbot, "bias_variance", "plane", theme=DARK.presenting(), size=(640, 420))
    approved(drawn(view, frame), "bias_variance-presenting")


# --- logarithmic axes and handles ------------------------------------------------------------------------------------


@pytest.fixture
def log_plot(qtbot):
    view = PlotView(Panel("path", "path", log_x=True, log_y=True))
    qtbot.addWidget(view)
    view.resize(360, 240)
    view.set_scene(Scene.of(SINE, Projection.of(SINE), LIGHT))
    view.show_marks(
        (Curve(np.array([0.01, 1.0, 100.0]), np.array([1.0, 10.0, 1000.0])), ReferenceLine(10.0, handle="lam"))
    )
    view.grab()
    return view


def test_a_curve_stands_at_the_logarithms(log_plot):
    (left, right), (bottom, top) = log_plot.box.viewRange()
    assert left == pytest.approx(-2.0, abs=0.6)
    assert right == pytest.approx(2.0, abs=0.6)
    assert bottom == pytest.approx(0.0, abs=0.6)
    assert top == pytest.approx(3.0, abs=0.6)


def test_dragging_a_rule_gives_the_value_not_its_logarithm(log_plot):
    moves = []
    log_plot.param_dragged.connect(moves.append)
    assert log_plot.renderer_to_drag(QPointF(-1.0, 1.0)) is None
    held = log_plot.renderer_to_drag(QPointF(1.02, 1.0))
    held.drag(QPointF(-1.0, 1.0), finished=True)
    assert moves == [("lam", pytest.approx(0.1), True)]


def test_dragged_numbers_become_allowed_ones():
    fields = {field.name: field for field in find(LINEAR).fields}
    assert fields["degree"].nearest(3.4) == 3
    assert fields["degree"].nearest(99.0) == 20
    assert fields["lam"].nearest(1e-30) == 1e-6
    assert fields["lam"].nearest(0.25) == 0.25
    assert fields["lam"].nearest(0.0013669005499) == 0.001367  # as much as the screen can tell
    assert fields["penalty"].nearest("ridge") == "ridge"


@pytest.mark.parametrize(("low", "high"), [(-1.7, -0.1), (-3.0, 1.0), (-12.0, 9.0)])
def test_a_logarithmic_axis_writes_few_numbers(qtbot, low, high):
    axis = RoomyAxis("left")
    (_, written), (spacing, small) = axis.logTickValues(low, high, 120.0, [])
    assert 2 <= len(written) <= 8
    assert all(low <= place <= high for place in written)
    assert axis.logTickStrings(small, 1.0, spacing) == []
    assert axis.logTickStrings([-1.0, 0.0, 1.0, 6.0], 1.0, 1.0) == ["0.1", "1", "10", "10⁶"]


# --- squares ---------------------------------------------------------------------------------------------------------


def test_squares_look_square_at_any_zoom(qtbot):
    view = make(qtbot, LINEAR, "plane")
    drawn(view, last_frame(LINEAR, SINE, degree=3, residuals="squares", sweep=False))
    item = next(item for item in view.getPlotItem().items if isinstance(item, SquaresItem))
    for span in (1.0, 0.2, 30.0):
        view.box.setRange(xRange=(0.0, span), yRange=(-1.0, 1.0), padding=0)
        view.grab()
        width, height = view.box.viewPixelSize()
        boxes = item.rectangles(item.ratio())
        assert boxes[:, 2] / width == pytest.approx(boxes[:, 3] / height, rel=1e-6)


def test_hovering_a_square_means_its_point_and_the_other_way_round(qtbot):
    view = make(qtbot, LINEAR, "plane")
    mark = Squares(np.array([0.2, 0.6]), np.array([0.5, -0.5]), np.array([0.1, -0.1]), np.array([7, 9]))
    view.show_marks((mark,))
    view.grab()
    item = next(item for item in view.getPlotItem().items if isinstance(item, SquaresItem))
    for number, point in enumerate((7, 9)):
        left, bottom, width, height = item.rectangles(item.ratio())[number]
        assert item.at(QPointF(left + width / 2, bottom + height / 2)).tolist() == [number]
        renderer = next(r for r in view._renderers.values() if r.items == [item])
        assert renderer.points_at(QPointF(left + width / 2, bottom + height / 2)).tolist() == [point]
        renderer.light_points(np.array([point]))
        assert item.lit.tolist() == [number]


# --- colours of values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_ends_of_the_scale_are_the_theme_s(theme):
    assert end_colour(theme, 0.0) == theme.colour(0)
    assert end_colour(theme, 1.0) == theme.colour(1)
    low, middle, high = value_colours(theme, np.array([0.0, 0.5, 1.0])).astype(int)
    assert np.ptp(middle) < 25  # a grey between two colours
    assert min(np.ptp(low), np.ptp(high)) > 80


def test_points_of_equal_value_are_coloured_alike():
    data = Points(np.zeros((3, 2)), np.array([5.0, 5.0, 5.0]))
    assert len(set(Scene.of(data, Projection.of(data), LIGHT).class_fills().tolist())) == 1
    scene = Scene.of(PLANE, Projection.of(PLANE), LIGHT)
    fills = scene.class_fills()
    assert fills[0] == int(LIGHT.colour(0)[1:], 16)
    assert fills[-1] == int(LIGHT.colour(1)[1:], 16)
    assert scene.value_fraction(np.array([-9.0, 0.5, 9.0])) == pytest.approx([0.0, 0.5, 1.0])
    assert len(set(Scene.of(SINE, Projection.of(SINE), LIGHT).class_fills().tolist())) == 1  # the height says it
