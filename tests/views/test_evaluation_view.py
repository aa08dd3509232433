"""The evaluation's pictures: drawn as approved, and all driven by one threshold."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF
from sklearn.metrics import average_precision_score, roc_auc_score

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Isolines, Regions
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.session.scoring import Scores, Threshold, confusion_at
from mlviz.views.canvas import Canvas
from mlviz.views.evaluation_layout import grid
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.theme import DARK, LIGHT
from tests.events import drag, settle
from tests.oracles import counts_at
from tests.views.evaluation_views import shown

RNG = np.random.default_rng(3)
TRUTH = np.repeat([0, 1], 60)
LOGITS = RNG.normal(size=120) * 1.3 + np.where(TRUTH == 1, 1.2, -1.2)
CHANCES = 1 / (1 + np.exp(-LOGITS))
TWO = Scores("training", CHANCES, (CHANCES > 0.5).astype(int), TRUTH, np.arange(120), ("ham", "spam"), True)
SIGNED = Scores("training", LOGITS, TWO.answers, TRUTH, np.arange(120), ("ham", "spam"), False)
GROUPS = np.arange(120) % 3
TABLE = RNG.dirichlet(np.ones(3), size=120) * 0.5 + 0.5 * np.eye(3)[GROUPS]
THREE = Scores("training", TABLE, TABLE.argmax(axis=1), GROUPS, np.arange(120), ("a", "b", "c"), True)


def make(qtbot, scores=TWO, theme=LIGHT, size=(760, 240)):
    return shown(qtbot, scores, theme, size)


def click_cell(qtbot, view, row, column):
    qtbot.mouseClick(view.matrix, Qt.MouseButton.LeftButton, pos=view.matrix.cell_rect(row, column).center().toPoint())


@pytest.mark.parametrize(
    ("name", "scores", "theme", "size"),
    [
        ("two", TWO, LIGHT, (760, 240)),
        ("dark", SIGNED, DARK, (760, 240)),
        ("narrow", TWO, LIGHT, (480, 230)),
        ("three", THREE, LIGHT, (760, 240)),
        ("presenting", TWO, LIGHT.presenting(), (1024, 330)),
    ],
)
def test_pictures_are_as_approved(qtbot, approved, name, scores, theme, size):
    view = make(qtbot, scores, theme, size)
    if name == "two":
        view.set_threshold(0.7)
        click_cell(qtbot, view, 1, 0)
    pictures = [w for w in (view.histogram, view.roc, view.recall, view.matrix) if w.isVisible()]
    assert len(pictures) == (3 if name in ("narrow", "presenting") else 4)
    for picture in pictures:  # the room that the header leaves depends on the style of the application
        picture.setFixedSize((size[0] - 40) // len(pictures), size[1] - 40)
    settle()
    for number, picture in enumerate(pictures):
        approved(picture.grab().toImage(), f"evaluation-{name}-{number}")


@pytest.mark.parametrize(
    ("place", "count", "across"),
    [
        ((760, 200, 10), 4, 4),  # below a plane
        ((480, 200, 10), 3, 3),
        ((400, 200, 10), 2, 2),
        ((200, 90, 10), 1, 1),  # not even one has the room it wants
        ((428, 500, 20), 2, 1),  # a column on a projector
        ((805, 860, 20), 4, 2),
        ((577, 800, 10), 4, 2),
        ((200, 480, 10), 4, 1),
    ],
)
def test_as_many_pictures_are_seen_as_have_room(place, count, across):
    assert grid(*place) == (count, across)


@pytest.mark.parametrize("scores", [TWO, THREE])
def test_in_a_column_the_controls_break_into_lines_and_the_rest_takes_turns(qtbot, scores):
    view = make(qtbot, scores, LIGHT.presenting(), (428, 600))
    controls = [view.source, view.classes, view.spin, view.curve_choice]
    controls += [view.all_classes] if scores is THREE else []
    boxes = [control.geometry() for control in controls]
    assert all(box.right() < view.header.width() and box.bottom() < view.header.height() for box in boxes)
    assert not any(one.intersects(other) for one, other in itertools.combinations(boxes, 2))
    assert len({box.top() for box in boxes}) > 1
    assert all(box.width() >= control.sizeHint().width() for box, control in zip(boxes, controls))
    assert view.header.geometry().bottom() < view.histogram.geometry().top()
    for number, picture in enumerate((view.roc, view.recall, view.matrix)):
        view.curve_choice.setCurrentIndex(number)
        shown = [other for other in view._pictures() if other.isVisible()]
        assert shown == [view.histogram, picture]
        assert view.settings().curve == number
    view.resize(1300, 600)
    assert all(picture.isVisible() for picture in view._pictures())
    view.resize(428, 600)
    assert view.matrix.isVisible()  # the choice is not lost


def test_dragging_in_the_histogram_moves_everything(qtbot):
    view = make(qtbot)
    levels = []
    view.threshold_changed.connect(levels.append)
    drag(qtbot, view.histogram, (0.5, 5.0), (0.6, 5.0), (0.8, 5.0))
    assert view.threshold == pytest.approx(0.8, abs=0.02)
    assert view.histogram.line.value() == view.histogram.bars.threshold == view.threshold
    cells = counts_at(CHANCES, TRUTH == 1, view.threshold)
    assert view.roc.dot == pytest.approx((cells.fpr, cells.tpr))
    assert view.recall.dot == pytest.approx((cells.tpr, cells.precision))
    assert view.matrix.confusion.matrix.tolist() == [[cells.tp, cells.fp], [cells.fn, cells.tn]]
    assert view.spin.value() == pytest.approx(view.threshold, abs=0.005)
    assert levels[-1] == Threshold(view.threshold)
    assert f"TPR {cells.tpr:.2f}" in view.matrix.rate_texts()


@pytest.mark.parametrize("name", ["roc", "recall"])
def test_clicking_a_curve_goes_to_that_corner(qtbot, name):
    view = make(qtbot)
    plot = getattr(view, name)
    for wanted in (0.3, 0.75):
        goal = confusion_at(TWO, 1, wanted).counts
        place = (goal.fpr, goal.tpr) if name == "roc" else (goal.tpr, goal.precision)
        at = plot.mapFromScene(plot.box.mapViewToScene(QPointF(*place)))
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert plot.dot == pytest.approx(place, abs=0.03)


def test_the_threshold_stays_in_its_span_and_the_spin_box_sets_it(qtbot):
    view = make(qtbot)
    view.set_threshold(7.0)
    assert view.threshold == 1.0
    assert view.confusion.matrix[0].sum() == 0
    assert "precision –" in view.matrix.rate_texts()
    assert view.recall.dot is None  # there is no precision without a positive answer
    view.spin.setValue(0.25)
    assert view.threshold == 0.25
    assert view.histogram.line.value() == 0.25


def test_the_area_is_written_beside_the_curve(qtbot):
    view = make(qtbot)
    fourth = np.sort(CHANCES[TRUTH == 0])[-4]  # above it are three of sixty false alarms, which are 5 %
    found = fourth < CHANCES
    words = f"TPR@5% {found[TRUTH == 1].mean():.2f}\nAUC {roc_auc_score(TRUTH, CHANCES):.3f}"
    assert view.roc.text.toPlainText() == words


def test_a_cell_names_exactly_its_points_and_follows_the_threshold(qtbot):
    view = make(qtbot)
    clicked, followed, hovered = [], [], []
    view.points_clicked.connect(clicked.append)
    view.points_followed.connect(followed.append)
    view.points_hovered.connect(hovered.append)
    click_cell(qtbot, view, 0, 1)
    wrong = np.flatnonzero((CHANCES > 0.5) & (TRUTH == 0))
    assert clicked[-1].tolist() == wrong.tolist()
    view.set_threshold(0.2)
    assert followed[-1].tolist() == np.flatnonzero((CHANCES > 0.2) & (TRUTH == 0)).tolist()
    qtbot.mouseMove(view.matrix, view.matrix.cell_rect(1, 0).center().toPoint())
    assert hovered[-1].tolist() == np.flatnonzero((CHANCES <= 0.2) & (TRUTH == 1)).tolist()
    click_cell(qtbot, view, 0, 1)  # once more takes it back
    assert len(clicked[-1]) == 0
    view.release()
    assert view.matrix.chosen is None


def test_points_meant_elsewhere_are_shown_at_their_score_and_in_their_cell(qtbot):
    view = make(qtbot)
    view.light_points(np.array([4]))
    assert view.histogram._ticks.at[0, 0] == CHANCES[4]
    assert view.matrix.lit == view.confusion.cell_of(4)
    view.light_points(np.array([], dtype=int))
    assert not len(view.histogram._ticks.at)
    assert view.matrix.lit is None


def test_the_other_class_can_be_positive(qtbot):
    view = make(qtbot)
    view.classes.setCurrentIndex(0)
    assert view.matrix.confusion.names == ("ham", "spam")
    view.set_threshold(0.7)
    assert view.contour == Threshold(pytest.approx(0.3))
    assert view.matrix.confusion.matrix[0, 0] == ((1 - CHANCES > 0.7) & (TRUTH == 0)).sum()


def test_several_classes_begin_with_the_whole_matrix_and_end_at_one_against_the_rest(qtbot):
    view = make(qtbot, THREE)
    assert view.all_classes.isVisible()
    assert view.matrix.confusion.matrix.shape == (3, 3)
    assert view.contour is None
    view.classes.setCurrentIndex(2)
    assert view.matrix.confusion.names == ("c", "other")
    view.set_threshold(0.4)
    assert view.contour == Threshold(0.4, 2)
    view.all_classes.click()
    assert view.contour is None
    assert view.matrix.confusion.matrix.shape == (3, 3)


def test_choices_stay_while_the_classes_do_and_begin_anew_with_others(qtbot):
    view = make(qtbot)
    view.set_threshold(0.8)
    view.set_scores(Scores("training", CHANCES**2, TWO.answers, TRUTH, TWO.points, TWO.classes, True))
    assert view.threshold == 0.8
    view.set_scores(SIGNED)
    assert view.threshold == 0.0


def test_one_class_only_has_no_curves_and_says_so(qtbot):
    few = np.flatnonzero(TRUTH == 0)
    view = make(qtbot, Scores("validation", CHANCES[few], TWO.answers[few], TRUTH[few], few, TWO.classes, True))
    assert view.roc.text.toPlainText() == "one class only"
    assert view.matrix.confusion.matrix[:, 0].sum() == 0


def test_in_a_narrow_place_the_two_curves_take_turns(qtbot):
    view = make(qtbot, size=(480, 230))
    assert view.roc.isVisible()
    assert not view.recall.isVisible()
    view.curve_choice.setCurrentIndex(1)
    assert view.recall.isVisible()
    assert not view.roc.isVisible()
    view.resize(900, 230)
    assert view.recall.isVisible()
    assert view.roc.isVisible()


def test_a_sentence_takes_the_place_of_the_pictures(qtbot):
    view = make(qtbot)
    view.show_message("A boundary needs points of at least two classes.")
    assert not any(w.isVisible() for w in (view.histogram, view.roc, view.recall, view.matrix))
    view.set_scores(TWO)
    assert view.histogram.isVisible()
    assert not view.message.isVisible()


# --- the plane ------------------------------------------------------------------------------------------------------

SIDE = np.linspace(0.0125, 0.9875, 40)
SLOPE = np.broadcast_to(SIDE[None, :], (40, 40)).copy()
"""A field that grows from 0 at the left to 1 at the right."""


def plane(qtbot, marks, field) -> Canvas:
    data = Points(np.array([[0.0, 0.0], [1.0, 1.0]]), [0, 1])
    view = PlaneView(Panel("plane", "Plane", "data"))
    qtbot.addWidget(view)
    view.set_theme(LIGHT)
    view.set_scene(Scene.of(data, Projection.of(data), LIGHT))
    view.show_marks(marks)
    view.set_raster("field", Raster(field, (0.0, 1.0, 0.0, 1.0)))
    return view


def line_of(view):
    (renderer,) = [r for r in view._renderers.values() if hasattr(r, "_strong")]
    return renderer._strong.getData()[0]


def shaded(view):
    """The alpha of the shading and whether it is of the second class, along the middle row."""
    (renderer,) = [r for r in view._renderers.values() if hasattr(r, "_image")]
    row = renderer._image.image[20]
    return row[:, 3].astype(float), row[:, 0] > row[:, 2]


def test_a_threshold_moves_the_line_and_the_shading(qtbot):
    view = plane(qtbot, (Regions("probability"), Isolines(strong=(0.5,), weak=(0.1,))), SLOPE)
    assert np.allclose(line_of(view), 0.5)
    assert "decision line" in [row.name for row in view.legend.rows]
    view.set_threshold(Threshold(0.8))
    assert np.allclose(line_of(view), 0.8)
    alpha, second = shaded(view)
    assert np.array_equal(second, SIDE > 0.8)
    assert abs(SIDE[int(alpha.argmin())] - 0.8) < 0.03
    assert "decision line at 0.80" in [row.name for row in view.legend.rows]
    view.set_threshold(None)
    assert np.allclose(line_of(view), 0.5)


def test_a_threshold_on_one_class_draws_its_own_level(qtbot):
    rest = (1.0 - SLOPE) / 2.0
    view = plane(qtbot, (Regions("probability"), Isolines(strong=(0.0,))), np.stack([SLOPE, rest, rest], axis=2))
    view.set_threshold(Threshold(0.65, 0))
    assert np.allclose(line_of(view), 0.65)
    view.set_threshold(Threshold(0.65))  # of a field with one column: not this one
    assert len(line_of(view)) > 0
    assert not np.allclose(line_of(view), 0.65)


def test_decision_values_are_shaded_around_the_threshold(qtbot):
    view = plane(qtbot, (Regions("signed"), Isolines()), 4.0 * SLOPE - 2.0)
    view.set_threshold(Threshold(1.0))
    assert np.allclose(line_of(view), 0.75)
    assert np.array_equal(shaded(view)[1], SIDE > 0.75)


def area_passed(plot):
    """The area under a curve up to the point of the current threshold."""
    x, y = plot._passed.getData()
    return 0.0 if x is None else float(np.trapezoid(y, x))


def test_the_area_fills_with_the_threshold(qtbot):
    view = make(qtbot)
    areas = []
    for threshold in (1.0, 0.8, 0.5, 0.2, 0.0):
        view.set_threshold(threshold)
        areas.append((area_passed(view.roc), area_passed(view.recall)))
    assert areas[0] == (0.0, 0.0)
    assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in itertools.pairwise(areas))
    assert areas[-1][0] == pytest.approx(roc_auc_score(TRUTH, CHANCES))
    assert areas[-1][1] == pytest.approx(average_precision_score(TRUTH, CHANCES), abs=1e-9)


def test_every_score_has_a_bar_of_its_length(qtbot):
    view = make(qtbot, size=(1100, 330))
    lines = view.matrix._rate_lines()
    assert [k for line in lines for k in line] == list(range(8))
    assert any(text.startswith("balanced ") for text in view.matrix.rate_texts())
    line = view.matrix._line()
    picture = view.matrix.grab().toImage()
    top = view.matrix._grid().bottom() + 4 + line - 1  # through the bars of the first line
    painted = sum(picture.pixelColor(x, int(top)) == QColor(LIGHT.accent) for x in range(picture.width()))
    metrics = QFontMetricsF(view.matrix._font())
    texts, rates = view.matrix.rate_texts(), view.confusion.rates
    assert painted == pytest.approx(sum(rates[k][1] * metrics.horizontalAdvance(texts[k]) for k in lines[0]), abs=6)
