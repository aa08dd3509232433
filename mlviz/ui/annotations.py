"""A pen for what is to be pointed out in front of a class: strokes over the board that are not data.

A stroke belongs to the view on which it begins and stays with what it marks there, through steps, zooming and resizing;
while that view is behind another tab it is not seen either. Nothing of it is saved or exported.
"""

from __future__ import annotations

import pyqtgraph as pg
import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QWidget

from algorithms.records import dataclass
from mlviz.views.theme import LIGHT, Theme

WIDTH, RIM = 2.0, 1.5
"""The thickness of a stroke and of the light edge around it, in strokes of the theme."""


@dataclass(frozen=True, slots=True, eq=False)
class Annotation:
    """One stroke, in the coordinates of its view."""

    view: QWidget
    path: QPainterPath


class Annotations(QWidget):
    """Lies over a widget; takes the mouse only while the pen is in hand."""

    def __init__(self, below: QWidget) -> None:
        super().__init__(below, objectName="annotations")
        self._below = below
        self._theme = LIGHT
        self._strokes: list[Annotation] = []
        self._stroke: Annotation | None = None
        below.installEventFilter(self)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.take_pen(False)

    @property
    def strokes(self) -> tuple[Annotation, ...]:
        """What has been drawn, the first stroke first."""
        return tuple(self._strokes)

    @property
    def pen_in_hand(self) -> bool:
        """Whether the mouse draws."""
        return not self.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def take_pen(self, on: bool) -> None:
        """Let the mouse draw, or leave it to the views again; what has been drawn stays."""
        self._stroke = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not on)
        self._cover()

    def clear(self) -> None:
        """Wipe everything off."""
        self._strokes.clear()
        self._stroke = None
        self._cover()

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.update()

    def _cover(self) -> None:
        """Lie over everything as long as there is something to draw or to see."""
        self.setVisible(self.pen_in_hand or bool(self._strokes))
        self.setGeometry(self._below.rect())
        self.raise_()
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as what lies below."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._below.rect())
        return super().eventFilter(watched, event)

    # -- drawing -------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a stroke on the view below the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            view = self._view_at(event.position().toPoint())
            if isinstance(view, pg.PlotWidget):
                view.getViewBox().sigTransformChanged.connect(self._moved)
            start = self._to_view(view).map(event.position())
            path = QPainterPath(start)
            path.lineTo(start)  # a click leaves a dot
            self._stroke = Annotation(view, path)
            self._strokes.append(self._stroke)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with the stroke, as long as its view is there: a slide may have been turned meanwhile."""
        stroke = self._stroke
        if stroke is not None and shiboken6.isValid(stroke.view):
            stroke.path.lineTo(self._to_view(stroke.view).map(event.position()))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The stroke is done."""
        self._stroke = None

    def _view_at(self, place: QPoint) -> QWidget:
        """The plot below a place, or else whatever stands there."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, True)  # so that it is not found itself
        found: QWidget = self._below.childAt(place) or self._below
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, False)
        widget: QWidget | None = found
        while widget is not None and widget is not self._below:
            if isinstance(widget, pg.PlotWidget):
                return widget
            widget = widget.parentWidget()
        return found

    def _to_view(self, view: QWidget) -> QTransform:
        return self._from_view(view).inverted()[0]

    def _from_view(self, view: QWidget) -> QTransform:
        """From the coordinates of a view (of a plot: those of its axes) to the places of this widget."""
        if not isinstance(view, pg.PlotWidget):
            corner = view.mapTo(self._below, QPoint())
            return QTransform.fromTranslate(corner.x(), corner.y())
        corner = view.viewport().mapTo(self._below, QPoint())
        box = view.getViewBox()
        return (
            box.childTransform()
            * box.sceneTransform()
            * view.viewportTransform()
            * QTransform.fromTranslate(corner.x(), corner.y())
        )

    @Slot()
    def _moved(self) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the strokes of the views that are seen; those of views that are gone go with them."""
        self._strokes = [stroke for stroke in self._strokes if shiboken6.isValid(stroke.view)]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = WIDTH * self._theme.stroke
        pens = ((self._theme.plot, width + RIM * self._theme.stroke), (self._theme.danger, width))
        for stroke in self._strokes:
            if stroke.view.isVisible():
                path = self._from_view(stroke.view).map(stroke.path)
                for colour, thick in pens:
                    round_ends = (Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
                    painter.strokePath(path, QPen(QColor(colour), thick, *round_ends))
        painter.end()
