"""Plots without pyqtgraph's menu: no widgets for it, and the settings that its controls would have."""

import gc
import weakref

import pyqtgraph as pg
import pytest
import shiboken6
from pyqtgraph.graphicsItems.PlotItem import plotConfigTemplate_generic as template
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QApplication, QGroupBox, QSpinBox, QWidget

from algorithms.contract import Panel
from mlviz.views.menuless_plot import MenulessPlot, Settings
from mlviz.views.plots import PlotView


@pytest.fixture
def plot(qapp):
    made = MenulessPlot()
    yield made
    shiboken6.delete(made)


def test_the_settings_are_those_of_a_new_menu(qapp):
    form, real, ours = QWidget(), template.Ui_Form(), Settings()
    real.setupUi(form)
    ours.setupUi(None)
    for name, control in vars(real).items():
        if isinstance(control, QAbstractButton | QGroupBox) and control.isCheckable():
            assert getattr(ours, name).isChecked() == control.isChecked(), name
        elif isinstance(control, QSpinBox | QAbstractSlider):
            mine = getattr(ours, name)
            assert (mine.value(), mine.maximum()) == (control.value(), control.maximum()), name
    shiboken6.delete(form)


def test_a_plot_is_its_view_and_nothing_else(qapp):
    before = len(QApplication.allWidgets())
    canvas = PlotView(Panel("curve", "Curve"))
    made = len(QApplication.allWidgets()) - before
    shiboken6.delete(canvas)
    assert made < 10  # the canvas, its viewport and scroll bars, and not the fifty of a menu
    assert len(QApplication.allWidgets()) == before


def test_a_scale_a_grid_and_curves_work_as_in_any_plot(plot):
    plot.setLogMode(x=False, y=True)
    plot.showGrid(x=True, alpha=0.5)
    item = plot.plotItem
    assert item.getAxis("left").logMode
    assert not item.getAxis("bottom").logMode
    assert item.getAxis("bottom").grid == 127
    assert item.getAxis("left").grid is False
    curve = item.plot([1.0, 10.0, 100.0])
    assert curve.opts["logMode"] == [False, True]
    assert isinstance(item, pg.PlotItem)
    assert not item.menuEnabled()


def test_the_settings_keep_no_plot_alive(qapp):
    plot = MenulessPlot()
    settings, known = plot.plotItem.ctrl, weakref.ref(plot.plotItem)
    shiboken6.delete(plot)
    del plot
    gc.collect()
    assert known() is None
    settings.logXCheck.setChecked(True)  # nobody hears it any more
