"""The pictures of the evaluation: score histograms, a curve with a point on it, and the confusion matrix.

In each plot a click or a drag anywhere moves the threshold: the whole plot is the handle.
"""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from algorithms.data import Array
from algorithms.maths.scores import precision_recall, roc
from mlviz.session.nearest import nearest
from mlviz.session.scoring import between
from mlviz.views.axes import style_axes
from mlviz.views.lines import CurveItem, StraightLine
from mlviz.views.menuless_plot import MenulessPlot
from mlviz.views.pens import make_pen
from mlviz.views.plain_text import markup
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.theme import LIGHT, SPACING, Theme

BINS = 30
ALARMS = 0.05
"""The rate of false alarms at which classifiers are compared: TPR@FPR (Introduction to Machine Learning, section 6)."""
SMALLEST = 0.7
"""How far the letters beside a curve may shrink."""
LEFT, RIGHT = 0.28, 0.78
"""How opaque the bars are below and above the threshold."""


class _PickBox(pg.ViewBox):
    """Clicking or dragging anywhere says where."""

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__(enableMenu=False)

    def mouseDragEvent(self, event: MouseDragEvent, axis: int | None = None) -> None:
        """Follow the mouse."""
        event.accept()
        self.picked.emit(self.mapToView(event.pos()))

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Go there."""
        event.accept()
        self.picked.emit(self.mapToView(event.pos()))

    def wheelEvent(self, event: object, axis: int | None = None) -> None:
        """Everything is always in view."""


class ScorePlot(MenulessPlot):
    """A small plot that always shows everything and can be picked anywhere."""

    threshold_picked = Signal(float)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        self.box = _PickBox()
        super().__init__(parent, viewBox=self.box)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.theme = LIGHT
        self._labels = ("", "")
        self.setMinimumSize(70, 60)
        self.box.disableAutoRange()
        self.box.picked.connect(self._picked)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.theme = theme
        self.setBackground(theme.plot)
        style_axes(self, theme)
        self.set_labels(*self._labels)

    def set_labels(self, x: str, y: str) -> None:
        """The names of the axes."""
        self._labels = (x, y)
        self.setLabel("bottom", markup(x))
        self.setLabel("left", markup(y))
        self.getAxis("bottom").resizeEvent()  # a new name is put in the middle only then

    def _picked(self, place: QPointF) -> None:
        raise NotImplementedError


class HistogramItem(pg.GraphicsObject):
    """Bars of every class over each other; the part above the threshold is stronger."""

    def __init__(self) -> None:
        super().__init__()
        self.edges = np.array([0.0, 1.0])
        self.counts = np.zeros((0, 1))
        self.colours: tuple[str, ...] = ()
        self.threshold = 0.5

    def set(self, edges: Array, counts: Array, colours: tuple[str, ...]) -> None:
        """Show these bars, (classes, bins)."""
        self.prepareGeometryChange()
        self.edges, self.counts, self.colours = edges, counts, colours
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in plot coordinates."""
        top = max(float(self.counts.max(initial=0.0)), 1.0)
        return QRectF(self.edges[0], 0.0, self.edges[-1] - self.edges[0], top)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw every bar in two parts, below and above the threshold."""
        for counts, colour in zip(self.counts, self.colours):
            weak, strong = QColor(colour), QColor(colour)
            weak.setAlphaF(LEFT)
            strong.setAlphaF(RIGHT)
            for left, right, height in zip(self.edges[:-1], self.edges[1:], counts):
                if height:
                    cut = min(max(self.threshold, left), right)
                    painter.fillRect(QRectF(left, 0.0, cut - left, height), weak)
                    painter.fillRect(QRectF(cut, 0.0, right - cut, height), strong)


class HistogramPlot(ScorePlot):
    """The scores of every class, with the threshold as a line to drag."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("score_histogram", "Scores of each class", parent)
        self.bars = HistogramItem()
        self.line = StraightLine(angle=90, movable=False)
        self.line.setZValue(20)
        self._ticks = SpriteLayer()
        self._ticks.setZValue(30)
        for item in (self.bars, self.line, self._ticks):
            self.addItem(item, ignoreBounds=True)
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        self.line.setPen(make_pen(theme.line, theme.stroke * 1.25))

    def show_scores(self, scores: Array, truth: Array, count: int, span: tuple[float, float]) -> None:
        """The histogram of each of ``count`` classes over the span."""
        edges = np.linspace(*span, BINS + 1)
        counts = np.array([np.histogram(scores[truth == k], edges)[0] for k in range(count)], dtype=float)
        self.bars.set(edges, counts, tuple(self.theme.colour(k) for k in range(count)))
        top = max(float(counts.max(initial=0.0)), 1.0)
        self.box.setRange(xRange=span, yRange=(0.0, top * 1.05), padding=0.02, disableAutoRange=True)
        self.mark_scores(np.empty(0))

    def set_threshold(self, threshold: float) -> None:
        """Move the line."""
        self.bars.threshold = threshold
        self.bars.update()
        self.line.setValue(threshold)

    def mark_scores(self, scores: Array) -> None:
        """Point at these scores: points that another view means."""
        look = Sprite("t1", self.theme.point, self.theme.line, self.theme.plot, 1.0)
        at = np.stack([scores, np.zeros(len(scores))], axis=1) if len(scores) else EMPTY
        self._ticks.set(at, (look,), np.zeros(len(at), dtype=np.intp))

    def _picked(self, place: QPointF) -> None:
        self.threshold_picked.emit(place.x())


class CurvePlot(ScorePlot):
    """A curve in the unit square that a threshold runs along."""

    def __init__(self, name: str, title: str, x: str, y: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, parent)
        self.set_labels(x, y)
        self._reference = CurveItem(antialias=True)
        self._curve = CurveItem(antialias=True)
        self._passed = pg.PlotCurveItem(antialias=False, pen=None)
        self._dot = SpriteLayer()
        self.text = pg.TextItem(anchor=(1.0, 1.0))
        for height, item in enumerate((self._reference, self._passed, self._curve, self._dot, self.text)):
            item.setZValue(10.0 + height)
            self.addItem(item, ignoreBounds=True)
        self._thresholds = np.empty(0)
        self._at = EMPTY
        self._drawn = EMPTY
        self._colour = "#000000"
        self._words = ""
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setTicks([[(0.0, "0"), (0.5, "0.5"), (1.0, "1")], []])
        self.box.setRange(xRange=(0.0, 1.0), yRange=(0.0, 1.0), padding=0.07, disableAutoRange=True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.box.sigResized.connect(self._resized)

    @property
    def dot(self) -> tuple[float, float] | None:
        """Where the point of the current threshold is."""
        return (float(self._dot.at[0, 0]), float(self._dot.at[0, 1])) if len(self._dot.at) else None

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        self._reference.setPen(make_pen(theme.muted, theme.stroke * 0.75, dashed=True))
        self._write(self._words)

    def show_curve(self, x: Array, y: Array, thresholds: Array, colour: str, words: str, steps: bool = False) -> None:
        """A curve, the threshold of each of its corners, and what is written beside it.

        With ``steps`` it is a staircase: between two corners of precision and recall there is no straight way.
        """
        self._at, self._thresholds, self._colour = np.stack([x, y], axis=1), thresholds, colour
        shade = QColor(colour)
        shade.setAlphaF(0.14)
        if steps:
            x, y = np.append(0.0, np.repeat(x, 2)[:-1]), np.repeat(y, 2)
        self._drawn = np.stack([x, y], axis=1)
        self._curve.setData(x=x, y=y, pen=make_pen(colour, self.theme.stroke), fillLevel=0.0, brush=shade)
        self._write(words)

    def set_reference(self, x: tuple[float, float], y: tuple[float, float], text_at: tuple[float, float]) -> None:
        """The dashed line of pure chance, and where the words stand."""
        self._reference.setData(x=np.array(x), y=np.array(y))
        self.text.setPos(*text_at)

    def set_point(self, x: float, y: float) -> None:
        """Where the current threshold is, with the area up to it; nowhere when a number does not exist."""
        known = math.isfinite(x) and math.isfinite(y)
        before = int(np.searchsorted(self._drawn[:, 0], x, side="left")) if known else 0
        area = np.vstack([self._drawn[:before], [(x, self._drawn[before - 1, 1]), (x, y)]]) if before else EMPTY
        shade = QColor(self._colour)
        shade.setAlphaF(0.24)
        self._passed.setData(x=area[:, 0], y=area[:, 1], fillLevel=0.0, brush=shade)
        look = Sprite("o", self.theme.point * 1.3, self._colour, self.theme.line, self.theme.stroke * 0.75)
        self._dot.set(np.array([[x, y]]) if known else EMPTY, (look,), np.zeros(int(known), dtype=np.intp))

    def clear_curve(self, words: str) -> None:
        """Show no curve, and say why."""
        self._at, self._thresholds = EMPTY, np.empty(0)
        self._drawn = EMPTY
        self._passed.setData(x=np.empty(0), y=np.empty(0))
        self._curve.setData(x=np.empty(0), y=np.empty(0))
        self._dot.clear()
        self._write(words)

    def _write(self, words: str) -> None:
        """The words beside the curve, in smaller letters where the plot is narrower than they are."""
        self._words = words
        font = self.font()
        font.setPointSizeF(self.theme.font)
        widest = max(QFontMetricsF(font).horizontalAdvance(line) for line in words.split("\n")) + 2 * SPACING
        room = self.box.boundingRect().width()
        font.setPointSizeF(self.theme.letters(min(max(room / widest, SMALLEST), 1.0)))
        self.text.setFont(font)
        fitting = [line for line in words.split("\n") if self._fits(line, font, room)] if self.theme.least else [words]
        self.text.setText("\n".join(fitting), color=self.theme.text)

    @staticmethod
    def _fits(line: str, font: QFont, room: float) -> bool:
        return QFontMetricsF(font).horizontalAdvance(line) + SPACING <= room

    def _resized(self) -> None:
        self._write(self._words)

    def _picked(self, place: QPointF) -> None:
        picked = nearest(self._at, place.x(), place.y(), self.box.viewPixelSize())
        if picked is not None:
            self.threshold_picked.emit(float(self._thresholds[picked]))


def show_curves(
    operating: CurvePlot, recall: CurvePlot, scores: Array, positive: Array, span: tuple[float, float], colour: str
) -> None:
    """The receiver operating characteristic, and precision over recall, of scores (n,) of which some are positive."""
    if not positive.any() or positive.all():
        for plot in (operating, recall):
            plot.clear_curve("one class only")
        return
    curve, other = roc(scores, positive), precision_recall(scores, positive)
    picks = between(curve.thresholds, *span)
    words = f"TPR@{ALARMS:.0%} {curve.tpr_at(ALARMS):.2f}\nAUC {curve.area:.3f}"
    operating.show_curve(curve.fpr, curve.tpr, picks, colour, words)
    recall.set_reference((0.0, 1.0), (float(positive.mean()),) * 2, text_at=(1.0, 0.02))
    recall.show_curve(other.recall, other.precision, picks[1:], colour, f"AP {other.average:.3f}", True)
