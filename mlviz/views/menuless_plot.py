"""pyqtgraph's plot without the menu that nobody opens.

Every plot of pyqtgraph makes a context menu with forty controls, which this program never shows: 40 % of all widgets of
the window, each of them dressed anew with every change of the theme, and in memory for as long as its plot. The plot
itself reads its settings from those controls. So here the constructor is given plain values in their place, and no
menu.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import pyqtgraph as pg
from PySide6 import QtWidgets
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from mlviz.views.paint_order import PaintOrder

GROUPS = ("transformGroup", "decimateGroup", "gridGroup")
OFF: tuple[str, ...] = (
    "averageGroup",
    "avgParamList",
    "clipToViewCheck",
    "maxTracesCheck",
    "downsampleCheck",
    "forgetTracesCheck",
)
OFF += ("meanRadio", "subsampleRadio", "logXCheck", "logYCheck", "derivativeCheck", "phasemapCheck", "fftCheck")
OFF += ("subtractMeanCheck", "xGridCheck", "yGridCheck", "autoAlphaCheck")
ON = ("peakRadio", "autoDownsampleCheck", "pointsGroup", "autoPointsCheck", "alphaGroup")
NUMBERS: dict[str, tuple[int, int]] = {
    "maxTracesSpin": (0, 99),
    "downsampleSpin": (1, 100_000),
    "gridAlphaSlider": (128, 255),
}
NUMBERS |= {"alphaSlider": (1000, 1000)}
"""What each control says in the menu of a new plot; of numbers also the largest."""


class Setting:
    """What a control of the menu would say, and who hears of a change: a plot asks it as it would ask the control."""

    def __init__(self, value: int = 0, most: int = 1) -> None:
        self._value, self._most = value, most
        self._listeners: list[weakref.WeakMethod[Callable[[], None]]] = []

    def isChecked(self) -> bool:
        """Whether it is on."""
        return bool(self._value)

    def value(self) -> int:
        """The number."""
        return self._value

    def maximum(self) -> int:
        """The largest number that it can be."""
        return self._most

    def count(self) -> int:
        """How many rows a list has: none."""
        return 0

    def clear(self) -> None:
        """Empty a list, which it is."""

    def setValue(self, value: int) -> None:
        """Change it, and tell who listens."""
        if value != self._value:
            self._value = value
            for listener in self._listeners:
                tell = listener()
                if tell is not None:
                    tell()

    def setChecked(self, on: bool) -> None:
        """Switch it on or off."""
        self.setValue(on)

    def connect(self, listener: Callable[[], None]) -> None:
        """Tell this one of every change, as long as it lives."""
        self._listeners.append(weakref.WeakMethod(listener))

    @property
    def toggled(self) -> Setting:
        """The signal of a switch."""
        return self

    @property
    def valueChanged(self) -> Setting:
        """The signal of a number."""
        return self

    @property
    def itemClicked(self) -> Setting:
        """The signal of a list."""
        return self


class Settings:
    """All that the menu would say."""

    def setupUi(self, _: object) -> None:
        """The settings of a new plot."""
        for name in (*GROUPS, *OFF):
            setattr(self, name, Setting())
        for name in ON:
            setattr(self, name, Setting(1))
        for name, (value, most) in NUMBERS.items():
            setattr(self, name, Setting(value, most))


class Unmade:
    """In the place of a menu, or of a part of one: takes every call and does nothing."""

    def __init__(self, *_: object) -> None: ...

    def __getattr__(self, name: str) -> Callable[..., Unmade]:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unmade


def _without_menu(constructor: Callable[..., None]) -> FunctionType:
    """The constructor of a plot, with other things to be found under the names of which it makes its menu."""
    assert isinstance(constructor, FunctionType)
    unmade = dict.fromkeys(("QWidget", "QMenu", "QWidgetAction"), Unmade)
    widgets = SimpleNamespace(
        QSizePolicy=QtWidgets.QSizePolicy, QGraphicsGridLayout=QtWidgets.QGraphicsGridLayout, **unmade
    )
    form = SimpleNamespace(Ui_Form=Settings)
    names = constructor.__globals__ | {"QtWidgets": widgets, "ui_template": form, "WidgetGroup": Unmade}
    code, defaults, closure = constructor.__code__, constructor.__defaults__, constructor.__closure__
    return FunctionType(code, names, constructor.__name__, defaults, closure)


_construct = _without_menu(pg.PlotItem.__init__)


class MenulessPlotItem(pg.PlotItem):
    """A plot whose settings are plain values."""

    def __init__(self, **options: Any) -> None:
        _construct(self, enableMenu=False, **options)


class MenulessPlot(pg.PlotWidget):
    """A widget with such a plot; the options are those of :class:`pyqtgraph.PlotItem`."""

    def __init__(self, parent: QWidget | None = None, background: str | None = None, **options: Any) -> None:
        super().__init__(parent=parent, background=background, plotItem=MenulessPlotItem(**options))
        self.hideButtons()
        self.setMenuEnabled(False)
        self.setCacheMode(self.CacheModeFlag.CacheNone)  # the background has one colour; a picture of it is a megabyte
        scene = self.scene()
        scene.sendHoverEvents = functools.partial(_hover, weakref.ref(scene))

    def showEvent(self, event: QShowEvent) -> None:
        """Be painted in order with the other plots of the window."""
        PaintOrder.note(self)
        super().showEvent(event)


def _hover(scene: weakref.ref[Any], event: Any, exitOnly: bool = False) -> None:
    """Say what the mouse is over, but not during a drag: nobody may answer then, and asking is a tenth of a frame."""
    here = scene()
    if here is not None and (exitOnly or here.dragItem is None or not event.buttons()):
        pg.GraphicsScene.sendHoverEvents(here, event, exitOnly)
