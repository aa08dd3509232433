"""A widget that is never shown on a screen: it is drawn in pixels, or as shapes and texts."""

from __future__ import annotations

from collections.abc import Iterator

import pyqtgraph as pg
import shiboken6
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QRegion
from PySide6.QtWidgets import QWidget

from mlviz.views.sprites import SpriteLayer


class PaintedWidget(QWidget):
    """Its direct children are the parts that are painted one after the other."""

    def __init__(self, surface: str, transparent: bool) -> None:
        super().__init__()
        self._surface, self._transparent = surface, transparent
        self.setObjectName("figure")
        self.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)

    @property
    def background(self) -> QColor:
        """What is behind everything."""
        return QColor(0, 0, 0, 0) if self._transparent else QColor(self._surface)

    def draw(self) -> QImage:
        """What is on show with one pixel for each logical one; quick, for films."""
        image = QImage(self.size(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(self.background)
        self.render(image, QPoint(), QRegion(), self._flags())
        return image if self._transparent else image.convertToFormat(QImage.Format.Format_RGB32)

    def paint(self, painter: QPainter) -> Iterator[tuple[int, int]]:
        """Draw it as shapes and texts, in pieces, one view after the other, for a page to be enlarged at will."""
        if self.background.alpha():
            sheet = QPainterPath()
            sheet.addRect(QRectF(self.rect()))
            painter.fillPath(sheet, self.background)
        for part in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if part.isVisible():
                _paint_part(part, painter)
                yield (0, 0)

    def dispose(self) -> None:
        """End the widgets now, from the top down; left to Python's collector they would end in any order and crash."""
        self.close()
        shiboken6.delete(self)

    def settle_axes(self) -> None:
        """Give every plot its final room: only a drawn axis knows how much of it its numbers take."""
        self.draw()
        for plot in self.findChildren(pg.PlotWidget):
            plot.getPlotItem().layout.activate()

    def clear_backgrounds(self) -> None:
        """Have nothing behind the plots."""
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        for view in self.findChildren(pg.PlotWidget):
            view.setBackground(None)
            view.setStyleSheet("background: transparent; border: none;")

    def _flags(self) -> QWidget.RenderFlag:
        children = QWidget.RenderFlag.DrawChildren
        return children if self._transparent else children | QWidget.RenderFlag.DrawWindowBackground


def _paint_part(part: QWidget, painter: QPainter) -> None:
    plots = [part] if isinstance(part, pg.PlotWidget) else part.findChildren(pg.PlotWidget)
    sprites = [item for plot in plots for item in plot.scene().items() if isinstance(item, SpriteLayer)]
    for layer in sprites:
        layer.vector = True
    painter.save()
    painter.translate(part.pos())
    try:
        # a plot has another method of this name
        QWidget.render(part, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    finally:
        painter.restore()
        for layer in sprites:
            layer.vector = False
