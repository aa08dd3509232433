"""A paint device that maps everything to the page before it passes it on.

Views draw data in its own coordinates with pens that keep their width, inside widgets that clip them. Files and
enlarged pictures need plain shapes in the coordinates of the page instead: lines with a width of their own, and a clip
beside each shape. A :class:`Sink` receives those, and writes or paints them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainterPath,
    QPen,
    QPolygonF,
    QTextItem,
    QTransform,
)

from algorithms.data import Array

DPI = 96
_CLIP = QPaintEngine.DirtyFlag.DirtyClipPath | QPaintEngine.DirtyFlag.DirtyClipRegion
_CLIP |= QPaintEngine.DirtyFlag.DirtyClipEnabled
_BRUSH = QPaintEngine.DirtyFlag.DirtyBrush


class Sink(Protocol):
    """Who receives the shapes, in the coordinates of the page; an empty clip means that nothing is cut off."""

    def path(self, path: QPainterPath, fill: QColor | None, pen: QPen | None, clip: QPainterPath) -> None:
        """A shape, filled or stroked or both."""

    def text(self, place: QPointF, item: QTextItem, colour: QColor, transform: QTransform, clip: QPainterPath) -> None:
        """A run of text that begins at a place before the transformation."""

    def image(self, rect: QRectF, image: QImage, opacity: float, transform: QTransform, clip: QPainterPath) -> None:
        """A picture in a rectangle before the transformation."""


class FlatPage(QPaintDevice):
    """A page of so many logical pixels; whatever is painted on it reaches the sink."""

    def __init__(self, width: float, height: float, sink: Sink) -> None:
        super().__init__()
        kinds = QPaintDevice.PaintDeviceMetric
        self._answers = {
            kinds.PdmWidth: round(width),
            kinds.PdmHeight: round(height),
            kinds.PdmWidthMM: round(width * 25.4 / DPI),
            kinds.PdmHeightMM: round(height * 25.4 / DPI),
            kinds.PdmNumColors: 2**24,
            kinds.PdmDepth: 24,
            kinds.PdmDevicePixelRatio: 1,
            kinds.PdmDevicePixelRatioScaled: round(QPaintDevice.devicePixelRatioFScale()),
        }
        self._engine = _FlatEngine(sink)

    def paintEngine(self) -> QPaintEngine:
        """Where the shapes arrive."""
        return self._engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        """The size of the page and its resolution, as painters ask for them."""
        return self._answers.get(metric, DPI)


class _FlatEngine(QPaintEngine):
    """Maps what a painter draws; pens and brushes are plain colours, which is all that the laboratory draws with."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self._sink = sink
        self._transform = QTransform()
        self._pen = QPen()
        self._trace: QPen | None = None
        self._traced = False
        self._fill: QColor | None = None
        self._opacity = 1.0
        self._own_clip = QPainterPath()

    def type(self) -> QPaintEngine.Type:
        """An engine that Qt does not know."""
        return QPaintEngine.Type.User

    def begin(self, _: QPaintDevice) -> bool:
        """Nothing to prepare."""
        return True

    def end(self) -> bool:
        """Nothing to finish."""
        return True

    def updateState(self, state: QPaintEngineState) -> None:
        """Remember what has changed."""
        dirty = state.state()
        if dirty & ~_BRUSH:
            self._transform, self._pen, self._opacity = state.transform(), state.pen(), state.opacity()
            self._traced = False
        brush = state.brush()
        self._fill = self._faded(brush.color()) if brush.style() != Qt.BrushStyle.NoBrush else None
        if dirty & _CLIP:
            clip = state.painter().clipPath() if state.isClipEnabled() else QPainterPath()
            self._own_clip = self._transform.map(clip)

    def drawPath(self, path: QPainterPath) -> None:
        """A shape with the pen and the brush."""
        self._pass_on(path, self._fill)

    def drawPolygon(self, points: Iterable[Any], mode: QPaintEngine.PolygonDrawMode) -> None:
        """A polygon or an open line."""
        path = QPainterPath()
        path.addPolygon(QPolygonF(list(points)))
        closed = mode != QPaintEngine.PolygonDrawMode.PolylineMode
        if closed:
            path.closeSubpath()
        if mode == QPaintEngine.PolygonDrawMode.WindingMode:
            path.setFillRule(Qt.FillRule.WindingFill)
        self._pass_on(path, self._fill if closed else None)

    def symbols(self, at: Array, looks: Sequence[tuple[QPen, QBrush, QPainterPath]], which: Array) -> bool:
        """Many shapes in few looks around places (n, 2), all at once; False when the sink wants them one by one."""
        receive = getattr(self._sink, "symbols", None)
        if receive is None:
            return False
        turn, shift = self._transform, QPointF(self._transform.dx(), self._transform.dy())
        kept = self._pen, self._fill
        shapes = []
        for pen, brush, outline in looks:
            self._pen = pen
            fill = self._faded(brush.color()) if brush.style() != Qt.BrushStyle.NoBrush else None
            shapes.append((turn.map(outline).translated(-shift), fill, self._plain_pen()))
        self._pen, self._fill = kept
        (xx, xy), (yx, yy) = (turn.m11(), turn.m12()), (turn.m21(), turn.m22())
        x, y = at[:, 0] * xx + at[:, 1] * yx + shift.x(), at[:, 0] * xy + at[:, 1] * yy + shift.y()
        return bool(receive(x, y, which, shapes, self._clip()))

    def drawTextItem(self, place: Any, item: QTextItem) -> None:
        """A run of text, as text."""
        # A label is as wide as its text, so its widget need not cut it; other programs set letters a little wider.
        self._sink.text(place, item, self._faded(self._pen.color()), self._transform, self._own_clip)

    def drawImage(self, rect: Any, image: QImage, source: Any, *_: object) -> None:
        """A field."""
        part = image if QRectF(image.rect()) == source else image.copy(source.toAlignedRect())
        self._sink.image(QRectF(rect), part, self._opacity, self._transform, self._clip())

    def drawPixmap(self, rect: Any, pixmap: Any, source: Any) -> None:
        """The same for what is kept as a pixmap."""
        self.drawImage(rect, pixmap.toImage(), QRectF(source))

    def _pass_on(self, path: QPainterPath, fill: QColor | None) -> None:
        if not self._traced:
            self._trace, self._traced = self._plain_pen(), True
        pen = self._trace
        fill = None if fill is None or fill.alpha() == 0 else fill
        if not path.isEmpty() and (fill is not None or pen is not None):
            self._sink.path(self._transform.map(path), fill, pen, self._clip())

    def _plain_pen(self) -> QPen | None:
        """The pen with its width on the page, or None when it leaves no trace."""
        if self._pen.style() == Qt.PenStyle.NoPen or self._pen.color().alpha() == 0:
            return None
        pen = QPen(self._pen)
        scale = 1.0 if pen.isCosmetic() else math.sqrt(abs(self._transform.determinant()))
        pen.setWidthF((pen.widthF() or 1.0) * scale)
        pen.setCosmetic(False)
        pen.setColor(self._faded(pen.color()))
        return pen

    def _faded(self, colour: QColor) -> QColor:
        faded = QColor(colour)
        faded.setAlphaF(colour.alphaF() * self._opacity)
        return faded

    def _clip(self) -> QPainterPath:
        """The painter's own clip, or that of the widget being painted."""
        if not self._own_clip.isEmpty():
            return self._own_clip
        box, region = QPainterPath(), self.systemClip()
        if not region.isEmpty():  # an empty region leaves a point in the path, that would cut everything off
            box.addRegion(region)
        return box
