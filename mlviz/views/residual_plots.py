"""The pictures of a regression method's answers: fitted against true, residuals, their quantiles and their histogram.

A click beside a dot chooses its point, wherever else it is drawn; points that another view means are ringed here.
"""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QGridLayout, QWidget

from algorithms.data import Array
from algorithms.maths.regression_scores import quantile_pairs
from mlviz.session.nearest import nearest
from mlviz.session.value_scoring import ValueScores
from mlviz.views.evaluation_plots import BINS, SMALLEST, HistogramItem, ScorePlot
from mlviz.views.lines import CurveItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.theme import LIGHT, SPACING, Theme

NAMES = ("fitted", "residuals", "qq", "residual_histogram")
"""The pictures, as files call them."""
CHOICES = ("residuals", "QQ", "histogram", "fitted")
"""The same as they take turns, the second one first."""
MOST = 20_000
"""Dots in a plot; of more points some at equal distances in the table."""
REACH = 14.0
"""How many pixels beside a dot a click may be."""


class WrittenPlot(ScorePlot):
    """A plot with a few words in a corner: smaller where it is narrow, and above all else where they would cover it."""

    wide = 0.0
    """Words that take no more than this part of the width may stand among what is drawn."""

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, parent)
        self.text = pg.TextItem(anchor=(0.0, 0.0))
        self.text.setZValue(30.0)
        self.addItem(self.text, ignoreBounds=True)
        self._words = ""
        self._spans = ((0.0, 1.0), (0.0, 1.0))
        for side in ("left", "bottom"):
            self.getAxis(side).setTickDensity(0.7)
        self.box.sigResized.connect(self._settle)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        self._settle()

    def write(self, words: str) -> None:
        """Write this."""
        self._words = words
        self._settle()

    def look_at(self, x: Array, y: Array, floor: float | None = None) -> None:
        """Have all of this in view; with ``floor`` nothing below it."""
        spans = []
        for values in (x, y):
            low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
            room = 0.06 * (high - low) or max(abs(low), 1.0) * 0.5
            spans.append((low - room, high + room))
        (left, right), (low, high) = spans
        self._spans = (left, right), (low if floor is None else floor, high)
        self._settle()

    def _settle(self) -> None:
        """Place the words, and what is drawn below them."""
        font = self.font()
        font.setPointSizeF(self.theme.font)
        lines = self._words.split("\n")
        widest = max(QFontMetricsF(font).horizontalAdvance(line) for line in lines) + 2 * SPACING
        wide, high = self.box.boundingRect().width(), self.box.boundingRect().height()
        font.setPointSizeF(self.theme.letters(min(max(wide / widest, SMALLEST), 1.0)))
        metrics = QFontMetricsF(font)
        self.text.setFont(font)
        self.text.setText(self._words, color=self.theme.text)
        taken = max(metrics.horizontalAdvance(line) for line in lines) / max(wide, 1.0)
        part = (len(lines) * metrics.height() + SPACING) / max(high, 1.0) if taken > self.wide else 0.0
        (left, right), (low, top) = self._spans
        top += min(part, 0.5) / (1.0 - min(part, 0.5)) * (top - low)
        self.box.setRange(xRange=(left, right), yRange=(low, top), padding=0.0, disableAutoRange=True)
        self.text.setPos(left, top)


class DotPlot(WrittenPlot):
    """A dot for every point, with a line where all of them would be best."""

    point_picked = Signal(object)

    def __init__(self, name: str, title: str, x: str, y: str, parent: QWidget | None = None) -> None:
        super().__init__(name, title, parent)
        self.set_labels(x, y)
        self._line = CurveItem(antialias=True)
        self._dots, self._rings = SpriteLayer(), SpriteLayer()
        layers: tuple[pg.GraphicsObject, ...] = (self._line, self._dots, self._rings)
        for height, item in enumerate(layers):
            item.setZValue(10.0 + height)
            self.addItem(item, ignoreBounds=True)
        self.at, self.points = EMPTY, NO_POINTS
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        self._line.setPen(make_pen(theme.line, theme.stroke * 0.75, dashed=True))
        self._show_dots()

    def show_dots(self, at: Array, points: Array, line: Array) -> None:
        """A dot at each of ``at`` (m, 2) for the points (m,), and the line through the places ``line`` (k, 2)."""
        self.at, self.points = at, points
        self._line.setData(x=line[:, 0], y=line[:, 1])
        self._show_dots()
        self.look_at(np.append(at[:, 0], line[:, 0]), np.append(at[:, 1], line[:, 1]))

    def ring(self, points: Array) -> None:
        """Point at these points, which another view means."""
        rows = np.flatnonzero(np.isin(self.points, points)) if len(points) else NO_POINTS
        look = Sprite("o", self.theme.point * 1.5, None, self.theme.line, self.theme.stroke)
        self._rings.set(self.at[rows] if len(rows) else EMPTY, (look,), np.zeros(len(rows), dtype=np.intp))

    def _show_dots(self) -> None:
        many = len(self.at) > 500
        size = self.theme.point * (0.5 if many else 0.75)
        look = Sprite("o", size, self.theme.accent, None if many else self.theme.plot, 0.75)
        self._dots.set(self.at, (look,), np.zeros(len(self.at), dtype=np.intp))

    def _picked(self, place: QPointF) -> None:
        row = nearest(self.at, place.x(), place.y(), self.box.viewPixelSize(), REACH)
        self.point_picked.emit(NO_POINTS if row is None else self.points[row : row + 1])


class ResidualHistogram(WrittenPlot):
    """How often residuals are how large, beside the bell of the same mean and spread."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("residual_histogram", "Histogram of the residuals", parent)
        self.set_labels("residual", "points")
        self.bars = HistogramItem()
        self.bars.threshold = -np.inf
        self._bell = CurveItem(antialias=True)
        self._bell.setZValue(20.0)
        for item in (self.bars, self._bell):
            self.addItem(item, ignoreBounds=True)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        super().set_theme(theme)
        self._bell.setPen(make_pen(theme.line, theme.stroke))
        self.bars.set(self.bars.edges, self.bars.counts, (theme.accent,))

    def show_residuals(self, residuals: Array) -> None:
        """The histogram of these, symmetric around 0."""
        reach = float(np.abs(residuals).max(initial=0.0)) or 1.0
        edges = np.linspace(-reach, reach, min(BINS, max(int(2.0 * np.sqrt(len(residuals))), 5)) + 1)
        counts = np.histogram(residuals, edges)[0].astype(float)
        self.bars.set(edges, counts[None], (self.theme.accent,))
        x, mean, spread = np.linspace(-reach, reach, 121), float(residuals.mean()), float(residuals.std())
        bell = np.empty(0)
        if spread > 0.01 * (edges[1] - edges[0]):
            heights = np.exp(-0.5 * np.square((x - mean) / spread)) / (spread * np.sqrt(2.0 * np.pi))
            bell = heights * len(residuals) * (edges[1] - edges[0])
        self._bell.setData(x=x[: len(bell)], y=bell)
        top = max(float(counts.max()), float(bell.max(initial=0.0)), 1.0)
        self.look_at(np.array([-reach, reach]), np.array([0.0, top]), floor=0.0)

    def _picked(self, place: QPointF) -> None:
        """Bars mean many points; there is nothing to choose."""


class ResidualPictures:
    """All four of them, made when they are first needed, in the places of the evaluation."""

    def __init__(self, layout: QGridLayout) -> None:
        self.fitted = DotPlot("fitted_values", "Fitted against true values", "true", "fitted")
        self.residuals = DotPlot("residual_plot", "Residuals over fitted values", "fitted", "residual")
        self.quantiles = DotPlot("residual_quantiles", "Quantiles of the residuals", "normal quantile", "residual")
        self.histogram = ResidualHistogram()
        self.fitted.wide = 0.4  # the upper left corner is where dots are rare
        self.scores: ValueScores | None = None
        for plot in self.all:
            layout.addWidget(plot, 0, 0)
            plot.hide()

    @property
    def all(self) -> tuple[QWidget, ...]:
        """In the order of :data:`NAMES`."""
        return self.fitted, self.residuals, self.quantiles, self.histogram

    @property
    def dotted(self) -> tuple[DotPlot, ...]:
        """Those with a dot for every point."""
        return self.fitted, self.residuals, self.quantiles

    def set_theme(self, theme: Theme = LIGHT) -> None:
        """Colours and sizes from now on."""
        for plot in (*self.dotted, self.histogram):
            plot.set_theme(theme)

    def show(self, scores: ValueScores) -> None:
        """Draw these answers."""
        self.scores = scores
        rates = dict(scores.rates)
        some = np.arange(len(scores.points))
        if len(some) > MOST:
            some = np.unique(np.linspace(0, len(some) - 1, MOST).astype(np.intp))
        truth, answers, residuals = scores.truth[some], scores.answers[some], scores.residuals
        ends = np.array([min(truth.min(), answers.min()), max(truth.max(), answers.max())])
        self.fitted.set_labels(f"true {scores.target}", "fitted")
        dots, diagonal = np.column_stack([truth, answers]), np.column_stack([ends, ends])
        self.fitted.show_dots(dots, scores.points[some], diagonal)
        r2 = "–" if math.isnan(rates["R²"]) else f"{rates['R²']:.3f}"
        self.fitted.write(f"R² {r2}\nRMSE {rates['RMSE']:.3g}\nMAE {rates['MAE']:.3g}")
        level = np.array([[answers.min(), 0.0], [answers.max(), 0.0]])
        self.residuals.show_dots(np.column_stack([answers, residuals[some]]), scores.points[some], level)
        self.residuals.write(f"largest {rates['largest residual']:.3g}")
        at, heights, rows = quantile_pairs(residuals)
        mean, spread = float(residuals.mean()), float(residuals.std())
        line = np.column_stack([at[[0, -1]], mean + spread * at[[0, -1]]])
        self.quantiles.show_dots(np.column_stack([at, heights]), scores.points[rows], line)
        self.quantiles.write("on the line: normal")
        self.histogram.show_residuals(residuals)
        self.histogram.write(f"mean {mean:.2g}\ndeviation {spread:.3g}")

    def light(self, points: Array) -> None:
        """Ring the points that another view means."""
        for plot in self.dotted:
            plot.ring(points)
