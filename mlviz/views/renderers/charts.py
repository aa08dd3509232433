"""Marks of plots with free axes: curves, rules and bars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from algorithms.data import Array
from algorithms.marks import Bars, Curve, ReferenceLine
from mlviz.views.decimate import minmax_decimate
from mlviz.views.legend_rows import Row
from mlviz.views.lines import LineItem, StraightLine
from mlviz.views.pens import make_pen, set_pen
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

LONG = 600
"""A curve with more values is drawn by its least and greatest ones in each part: thick lines are slow to paint."""


@renders(Curve)
class CurveRenderer(Renderer):
    """A line, optionally with dots and a band."""

    depth = 40.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._low = pg.PlotCurveItem()
        self._high = pg.PlotCurveItem()
        self._band = self.add(pg.FillBetweenItem(self._low, self._high))
        self._line = self.add(LineItem(antialias=True))
        self._dots: SpriteLayer = self.add(SpriteLayer())
        self._mark: Curve | None = None

    def show(self, mark: Curve) -> None:
        self._mark = mark
        colour = self._colour(mark)
        x, y = self.on_axis(mark.x), self.on_axis(mark.y, "y")
        kept = slice(None) if len(x) < LONG or (np.diff(x) < 0.0).any() else minmax_decimate(y)[0]
        self._line.setData(x=x[kept], y=y[kept], pen=make_pen(colour, self._width(mark), dashed=mark.quiet))
        self._line.setVisible(True)
        banded = mark.low is not None and mark.high is not None and len(mark.x) > 1
        self._band.setVisible(banded)
        if banded:
            shade = QColor(colour)
            shade.setAlphaF(0.18)
            self._low.setData(x=x, y=self.on_axis(mark.low, "y"))
            self._high.setData(x=x, y=self.on_axis(mark.high, "y"))
            self._band.setBrush(shade)
        at = np.stack([x, y], axis=1) if mark.dots else EMPTY
        self._dots.set(at, (Sprite("o", self.theme.point * 0.8, colour, self.theme.plot, 1.0),), np.zeros(len(at), int))
        self._dots.setVisible(mark.dots)

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def hover(self, place: QPointF | None) -> tuple[str, Any] | None:
        """The nearest place of a curve whose places can be chosen."""
        mark = self._mark
        if place is None or mark is None or not mark.handle or mark.numbers is None or not len(mark.x):
            return None
        left, right, bottom, top = self.canvas.view_rect()
        if not (left <= place.x() <= right and bottom <= place.y() <= top):
            return None
        nearest = int(np.abs(self.on_axis(mark.x) - place.x()).argmin())
        return mark.handle, (int(mark.numbers[nearest]),)

    def click(self, place: QPointF) -> bool:
        meant = self.hover(place)
        if meant is not None:
            self.canvas.param_dragged.emit((*meant, True))
        return meant is not None

    def legend(self, mark: Curve) -> tuple[Row, ...]:
        return (Row(mark.name, line=self._colour(mark), width=self._width(mark), dashed=mark.quiet),)

    def _colour(self, mark: Curve) -> str:
        return self.theme.muted if mark.quiet else self.theme.colour(self.ordinal)

    def _width(self, mark: Curve) -> float:
        return self.theme.stroke * (0.75 if mark.quiet else 1.0)


@renders(ReferenceLine)
class ReferenceLineRenderer(Renderer):
    """A dashed line across the plot with its name on it."""

    depth = 50.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._mark: ReferenceLine | None = None
        self._lines = {
            "x": self.add(StraightLine(angle=90, movable=False)),
            "y": self.add(StraightLine(angle=0, movable=False)),
        }

    def show(self, mark: ReferenceLine) -> None:
        for axis, line in self._lines.items():
            line.setVisible(axis == mark.axis)
        line = self._lines[mark.axis]
        line.setPen(make_pen(self.theme.muted, self.theme.stroke * 0.75, dashed=True))
        line.setValue(self.on_axis(mark.at, mark.axis))
        self._mark = mark

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        if self._mark is None or not self._mark.handle or not self._lines[self._mark.axis].isVisible():
            return False
        across = self._mark.axis == "x"
        at = self.on_axis(self._mark.at, self._mark.axis)
        return bool(abs((place.x() if across else place.y()) - at) <= reach[0 if across else 1])

    def drag(self, place: QPointF, finished: bool) -> None:
        assert self._mark is not None
        value = self.off_axis(place.x() if self._mark.axis == "x" else place.y(), self._mark.axis)
        self.canvas.param_dragged.emit((self._mark.handle, value, finished))

    def legend(self, mark: ReferenceLine) -> tuple[Row, ...]:
        name = f"{mark.name} (drag)" if mark.handle else mark.name
        return (Row(name, line=self.theme.muted, dashed=True, width=self.theme.stroke * 0.75),)


class BarItem(pg.GraphicsObject):
    """Bars from zero, painted in one pass; one of them may be lit."""

    def __init__(self) -> None:
        super().__init__()
        self.values = np.empty(0)
        self.colours: tuple[QColor, ...] = ()
        self.limit: float | None = None
        self.limit_pen = make_pen("#000000")
        self.lit_pen = make_pen("#000000")
        self.lit: Array = NO_POINTS

    def set(self, values: Any, colours: tuple[QColor, ...], limit: float | None) -> None:
        """Show these bars."""
        reshaped = self._extent(values, limit) != self._extent(self.values, self.limit)
        self.values, self.colours, self.limit = values, colours, limit
        if reshaped:
            self.prepareGeometryChange()
            self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:
        """The extent in plot coordinates."""
        count, low, high = self._extent(self.values, self.limit)
        return QRectF(-0.6, low, count + 0.2, high - low)

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float]:
        """The range along one axis, for fitting the view."""
        box = self.boundingRect()
        return (box.left(), box.right()) if ax == 0 else (box.top(), box.bottom())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the bars and the limit."""
        for number, (value, colour) in enumerate(zip(self.values.tolist(), self.colours)):
            painter.fillRect(QRectF(number - 0.4, 0.0, 0.8, value).normalized(), colour)
        set_pen(painter, self.lit_pen)
        for number in self.lit[self.lit < len(self.values)].tolist():
            painter.drawRect(QRectF(number - 0.4, 0.0, 0.8, float(self.values[number])).normalized())
        if self.limit is not None:
            set_pen(painter, self.limit_pen)
            painter.drawLine(QLineF(-0.6, self.limit, len(self.values) - 0.4, self.limit))

    @staticmethod
    def _extent(values: Any, limit: float | None) -> tuple[int, float, float]:
        high = max(float(values.max(initial=0.0)), (limit or 0.0) * 1.05)
        low = min(float(values.min(initial=0.0)), 0.0)
        return max(len(values), 1), low, high if high > low else low + 1.0


@renders(Bars)
class BarsRenderer(Renderer):
    """A bar chart whose bars are linked to data points."""

    depth = 30.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._bars: BarItem = self.add(BarItem())
        self._mark: Bars | None = None

    def show(self, mark: Bars) -> None:
        self._mark = mark
        theme = self.theme
        groups = mark.groups if mark.groups is not None else np.zeros(len(mark.values), dtype=int)
        palette = {group: QColor(theme.colour(group)) for group in np.unique(groups).tolist()}
        self._bars.limit_pen = make_pen(theme.danger, theme.stroke, dashed=True)
        self._bars.lit_pen = make_pen(theme.line, theme.stroke)
        limit = mark.limit if mark.limit is not None and self._worth_showing(mark) else None
        self._bars.set(mark.values, tuple(palette[g] for g in groups.tolist()), limit)
        self._bars.setVisible(True)
        self._name_bars(mark)

    def hide(self) -> None:
        super().hide()
        self.canvas.getAxis("bottom").set_names(())

    def legend(self, mark: Bars) -> tuple[Row, ...]:
        theme, rows = self.theme, []
        for group, name in enumerate(mark.group_names):
            if mark.groups is not None and (mark.groups == group).any():
                rows.append(Row(name, sprite=Sprite("s", theme.point, theme.colour(group))))
        if mark.limit is not None and self._worth_showing(mark):
            rows.append(Row(mark.limit_name, line=theme.danger, dashed=True, width=theme.stroke))
        return tuple(rows)

    def light_points(self, points: Array) -> None:
        if self._mark is not None and self._mark.points is not None:
            self._bars.lit = np.flatnonzero(np.isin(self._mark.points, points))
            self._bars.update()

    def points_at(self, place: QPointF) -> Array:
        number = round(place.x())
        if self._mark is None or self._mark.points is None or not 0 <= number < len(self._mark.points):
            return NO_POINTS
        return self._mark.points[number : number + 1]

    @staticmethod
    def _worth_showing(mark: Bars) -> bool:
        """A limit far above every bar would flatten them all."""
        return mark.limit is not None and mark.limit <= 4.0 * float(mark.values.max(initial=0.0))

    def _name_bars(self, mark: Bars) -> None:
        names = mark.names
        if not names and mark.points is not None:
            names = tuple(str(point + 1) for point in mark.points.tolist())
        self.canvas.getAxis("bottom").set_names(names)
