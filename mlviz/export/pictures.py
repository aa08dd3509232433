"""Pictures of a figure: PNG in pixels, SVG and PDF as shapes and texts; also for a printer and the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QPagedPaintDevice,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QTextItem,
    QTransform,
)

from mlviz import __version__
from mlviz.export.figure import Figure
from mlviz.export.flat import DPI, FlatPage
from mlviz.export.svg import SvgSink
from mlviz.worker.timeline import Frame

PICTURE_SUFFIXES = (".png", ".svg", ".pdf")
INCH = 72.0  # points
Drawing = Callable[[QPainter], None]


def save_picture(figure: Figure, frame: Frame, path: Path, scale: float = 1.0) -> None:
    """Write one frame in the format that the name of the file says; ``scale`` is for PNG only."""
    if path.suffix.lower() == ".png":
        image = picture(figure, frame, scale)
        if not image.save(str(path), "PNG"):
            raise OSError(f"the picture could not be written to {path}")
        return
    size = (figure.width(), figure.height())
    save_page(path, size, figure.title.text(), lambda painter: figure.paint(frame, painter))


def picture(figure: Figure, frame: Frame, scale: float = 1.0) -> QImage:
    """One frame in pixels; enlarged, lines and letters grow with everything else."""
    if scale == 1.0:
        return figure.draw(frame)
    size = (figure.width(), figure.height())
    return page_image(size, scale, figure.background, lambda painter: figure.paint(frame, painter))


def page_image(size: tuple[float, float], scale: float, background: QColor, draw: Drawing) -> QImage:
    """A page in pixels, so many for each logical one."""
    image = QImage(round(size[0] * scale), round(size[1] * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(background)
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    try:
        painted(FlatPage(*size, _Enlarged(painter, scale)), draw)
    finally:
        painter.end()
    for set_density in (image.setDotsPerMeterX, image.setDotsPerMeterY):
        set_density(round(DPI * scale / 0.0254))
    opaque = background.alpha() == 255
    return image.convertToFormat(QImage.Format.Format_RGB32) if opaque else image


class _Enlarged:
    """Paints the shapes of a page with so many pixels for each logical one."""

    def __init__(self, painter: QPainter, scale: float) -> None:
        self._painter = painter
        self._scale = QTransform.fromScale(scale, scale)

    def path(self, path: QPainterPath, fill: QColor | None, pen: QPen | None, clip: QPainterPath) -> None:
        """A shape."""
        self._begin(QTransform(), clip)
        self._painter.setPen(QPen(Qt.PenStyle.NoPen) if pen is None else pen)
        self._painter.setBrush(QBrush() if fill is None else QBrush(fill))
        self._painter.drawPath(path)

    def text(self, place: QPointF, item: QTextItem, colour: QColor, transform: QTransform, clip: QPainterPath) -> None:
        """A run of text."""
        self._begin(transform, clip)
        self._painter.setPen(colour)
        self._painter.setFont(item.font())
        self._painter.drawText(place, item.text())

    def image(self, rect: QRectF, image: QImage, opacity: float, transform: QTransform, clip: QPainterPath) -> None:
        """A field."""
        self._begin(transform, clip)
        self._painter.setOpacity(opacity)
        self._painter.drawImage(rect, image)
        self._painter.setOpacity(1.0)

    def _begin(self, transform: QTransform, clip: QPainterPath) -> None:
        self._painter.setTransform(self._scale)
        if clip.isEmpty():
            self._painter.setClipping(False)
        else:
            self._painter.setClipPath(clip)
        self._painter.setTransform(transform * self._scale)


def save_page(path: Path, size: tuple[float, float], title: str, draw: Drawing) -> None:
    """Write an SVG or a PDF of so many logical pixels on which ``draw`` paints."""
    if path.suffix.lower() == ".svg":
        sink = SvgSink()
        painted(FlatPage(*size, sink), draw)
        path.write_text(sink.document(*size, title), encoding="utf-8")
        return
    writer = QPdfWriter(str(path))
    writer.setTitle(title)
    writer.setCreator(f"mlviz {__version__}")
    writer.setResolution(DPI)  # the resolution for which the figure is laid out, so that fonts keep their size
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(QSizeF(*size) * INCH / DPI, QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    painted(writer, draw)


def painted(device: FlatPage | QPagedPaintDevice, draw: Drawing) -> None:
    """Paint on a device, or say that it cannot be written."""
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("the file could not be opened for writing")
    try:
        draw(painter)
    finally:
        painter.end()


def fitted_on(painter: QPainter, page: QRectF, size: tuple[float, float]) -> None:
    """Move and scale what follows, of this size, into the middle of a page."""
    scale = min(page.width() / size[0], page.height() / size[1])
    painter.translate(page.center())
    painter.scale(scale, scale)
    painter.translate(-size[0] / 2, -size[1] / 2)
