"""The evaluation of predicted values: four pictures, linked dots, and how they share a place with those of classes."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from mlviz.session.layout import EvaluationSettings
from mlviz.session.scoring import Scores
from mlviz.session.value_scoring import ValueScores
from mlviz.views.theme import DARK, LIGHT
from tests.events import settle
from tests.views.evaluation_views import shown

RNG = np.random.default_rng(3)
TRUTH = RNG.normal(size=80) * 3 + 10
ANSWERS = TRUTH + RNG.normal(size=80) * 0.8
VALUES = ValueScores("training", ANSWERS, TRUTH, np.arange(80) + 5, "price")
CLASSES = Scores(
    "training", RNG.uniform(size=80), np.arange(80) % 2, np.arange(80) % 2, np.arange(80), ("a", "b"), True
)


def make(qtbot, scores=VALUES, theme=LIGHT, size=(900, 240)):
    return shown(qtbot, scores, theme, size)


def seen(view):
    return [picture.objectName() for picture in view._pictures() if picture.isVisible()]


@pytest.mark.parametrize(
    ("name", "theme", "size"),
    [("light", LIGHT, (900, 240)), ("dark", DARK, (480, 230)), ("presenting", LIGHT.presenting(), (1024, 420))],
)
def test_pictures_are_as_approved(qtbot, approved, name, theme, size):
    view = make(qtbot, theme=theme, size=size)
    for picture in view._pictures():
        if picture.isVisible():
            picture.setFixedSize(size[0] // 3, 200)  # the list above them is as high as the last window has dressed it
            settle()
            approved(picture.grab().toImage(), f"residuals-{name}-{picture.objectName()}")


def test_what_is_drawn(qtbot):
    view = make(qtbot)
    pictures = view.regression
    np.testing.assert_array_equal(pictures.fitted.at, np.column_stack([TRUTH, ANSWERS]))
    np.testing.assert_array_equal(pictures.residuals.at, np.column_stack([ANSWERS, TRUTH - ANSWERS]))
    assert pictures.quantiles.at[:, 1].tolist() == sorted((TRUTH - ANSWERS).tolist())
    assert pictures.histogram.bars.counts.sum() == 80
    assert pictures.fitted.text.toPlainText().startswith(f"R² {1 - np.var(TRUTH - ANSWERS) / np.var(TRUTH):.2f}"[:5])
    assert view.contour is None
    assert view.confusion is None


def test_a_click_beside_a_dot_means_its_point(qtbot):
    view = make(qtbot)
    plot = view.regression.fitted
    place = plot.mapFromScene(plot.box.mapViewToScene(QPointF(*plot.at[7])))
    with qtbot.waitSignal(view.points_clicked) as clicked:
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (points,) = clicked.args
    assert len(points) == 1
    chosen = plot.at[plot.points == points[0]][0]
    assert np.abs((chosen - plot.at[7]) / np.ptp(plot.at, axis=0)).max() < 0.03
    view.light_points(points)
    assert [len(one._rings.at) for one in view.regression.dotted] == [1, 1, 1]
    view.light_points(np.empty(0, dtype=np.intp))
    assert [len(one._rings.at) for one in view.regression.dotted] == [0, 0, 0]


def test_classes_and_values_take_turns(qtbot):
    view = make(qtbot)
    assert seen(view) == ["fitted_values", "residual_plot", "residual_quantiles", "residual_histogram"]
    assert view.classes.isHidden()
    assert view.spin.isHidden()
    view.set_scores(CLASSES)
    assert not any(picture.isVisible() for picture in view.regression.all)
    assert view.roc.isVisible()
    assert not view.spin.isHidden()
    view.set_scores(VALUES)
    assert not view.roc.isVisible()
    assert view.regression.fitted.isVisible()
    assert view.settings() == EvaluationSettings()


def test_in_a_narrow_place_they_take_turns(qtbot):
    view = make(qtbot, size=(250, 200))
    assert len(seen(view)) < 4
    names = [view.curve_choice.itemText(k) for k in range(view.curve_choice.count())]
    assert names[0] == "residuals"
    view.curve_choice.setCurrentIndex(1)
    assert "residual_quantiles" in seen(view)
    view.apply(EvaluationSettings(curve=0))
    assert "residual_plot" in seen(view)


def test_one_value_everywhere(qtbot):
    view = make(qtbot, ValueScores("training", np.ones(4), np.ones(4), np.arange(4), "y"))
    assert view.regression.fitted.text.toPlainText().startswith("R² –")
