"""Pictures of a figure: PNG in pixels, SVG and PDF as shapes and texts; also for a printer and the clipboard."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QImage,
    QPagedPaintDevice,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QPixmap,
    QTextItem,
    QTransform,
)

from algorithms.contract import DataError
from algorithms.data import Array
from mlviz import __version__
from mlviz.export.flat import DPI, FlatPage
from mlviz.export.svg import SvgSink
from mlviz.views.sprites import stamp

if TYPE_CHECKING:
    from PIL import Image

INCH = 72.0  # points
CROWD = 5_000
"""So many points of an enlarged picture are stamped, each on the nearest pixel: as outlines 100,000 take 11 s."""


def save_image(image: QImage, path: Path) -> None:
    """Write a PNG, or say that it cannot be written: Qt would not say why, and takes no name that is not UTF-8."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):
        raise OSError("the picture could not be written")
    _write_bytes(path, buffer)


def _write_bytes(path: Path, buffer: QBuffer) -> None:
    path.write_bytes(buffer.data().data())


def pillow(image: QImage) -> Image.Image:
    """The picture in the hands of the library that packs films."""
    from PIL import Image  # only films need it

    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    return Image.frombytes("RGB", size, bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine(), 1)


MOST_PIXELS = 100_000_000
"""Of a picture: 400 MB of memory while it is drawn."""


def check_pixels(wide: int, high: int) -> None:
    """Refuse a picture in more pixels than there is memory for, before any of it is taken."""
    if wide * high > MOST_PIXELS:
        raise DataError(
            f"A picture of {wide:,} by {high:,} pixels is too large: {MOST_PIXELS // 10**6} million are the most. "
            "Choose a smaller size or scale, or SVG or PDF, which have no pixels."
        )


@contextlib.contextmanager
def image_page(size: QSizeF, scale: float, background: QColor) -> Iterator[tuple[Callable[[], QImage], QPainter]]:
    """A page in pixels, so many for each logical one: a painter for it, and what gives the picture afterwards."""
    wide, high = round(size.width() * scale), round(size.height() * scale)
    check_pixels(wide, high)
    image = QImage(wide, high, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        raise OSError(f"a picture of {wide} by {high} pixels does not fit into memory")
    image.fill(background)

    def picture() -> QImage:
        for set_density in (image.setDotsPerMeterX, image.setDotsPerMeterY):  # set before, it would enlarge the letters
            set_density(round(DPI * scale / 0.0254))
        return image.convertToFormat(QImage.Format.Format_RGB32) if background.alpha() == 255 else image

    target = QPainter(image)
    target.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    try:
        with painting(FlatPage(size.width(), size.height(), _Enlarged(target, scale))) as painter:
            yield picture, painter
    finally:
        target.end()


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

    def symbols(
        self,
        x: Array,
        y: Array,
        which: Array,
        shapes: list[tuple[QPainterPath, QColor | None, QPen | None]],
        clip: QPainterPath,
    ) -> bool:
        """Many shapes in few looks, each moved to its place; False when they are so few that outlines are as quick."""
        if len(x) < CROWD:
            return False
        self._begin(QTransform(), clip)
        self._painter.resetTransform()
        scale = self._scale.m11()
        at = np.rint(scale * np.stack([x, y]))
        stamp(self._painter, PrimitiveArray(QPainter.PixmapFragment, 10), at, self._atlas(shapes, which), 1.0)
        return True

    def _atlas(
        self, shapes: list[tuple[QPainterPath, QColor | None, QPen | None]], which: Array
    ) -> tuple[QPixmap, Array]:
        """Every shape in the middle of a square of its own, and the square (n, 4) of each point."""
        scale = self._scale.m11()
        boxes = [path.boundingRect().united(QRectF(-0.5, -0.5, 1.0, 1.0)) for path, *_ in shapes]
        reach = max(max(-box.left(), -box.top(), box.right(), box.bottom()) for box in boxes)
        reach += max((0.0 if pen is None else pen.widthF()) for *_, pen in shapes)
        half = math.ceil(scale * reach) + 1
        pixmap = QPixmap(2 * half * len(shapes), 2 * half)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, (path, fill, pen) in enumerate(shapes):
            painter.setTransform(self._scale * QTransform.fromTranslate((2 * number + 1) * half, half))
            painter.setPen(QPen(Qt.PenStyle.NoPen) if pen is None else pen)
            painter.setBrush(QBrush() if fill is None else QBrush(fill))
            painter.drawPath(path)
        painter.end()
        return pixmap, np.array([(2.0 * number * half, 0.0, 2.0 * half, 2.0 * half) for number in range(len(shapes))])[
            which
        ]

    def text(self, place: QPointF, item: QTextItem, colour: QColor, transform: QTransform, clip: QPainterPath) -> None:
        """A run of text."""
        self._begin(transform, clip)
        self._painter.setPen(colour)
        self._painter.setFont(_explicit(item.font()))
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


def _explicit(font: QFont) -> QFont:
    """The same font with everything said: what a rich text leaves open, a painter fills in from its own font."""
    said = QFont(font)
    said.setFamilies(font.families() or [font.family()])
    said.setWeight(font.weight())
    said.setItalic(font.italic())
    if font.pixelSize() > 0:
        said.setPixelSize(font.pixelSize())
    else:
        said.setPointSizeF(font.pointSizeF())
    return said


@contextlib.contextmanager
def page(path: Path, size: QSizeF, title: str) -> Iterator[tuple[Callable[[], None], QPainter]]:
    """A painter for an SVG or a PDF of so many logical pixels, and what writes the file afterwards, in any thread."""
    if path.suffix.lower() == ".svg":
        sink = SvgSink()

        def write() -> None:
            path.write_text(sink.document(size.width(), size.height(), title), encoding="utf-8")

        with painting(FlatPage(size.width(), size.height(), sink)) as painter:
            yield write, painter
        return
    with pdf_pages(path, size, title) as (write_pdf, _, painter):
        yield write_pdf, painter


@contextlib.contextmanager
def pdf_pages(
    path: Path, size: QSizeF, title: str
) -> Iterator[tuple[Callable[[], None], Callable[[], bool], QPainter]]:
    """A painter for a PDF with pages of so many logical pixels, what begins the next page, and first what writes the
    file afterwards, in any thread. Qt itself would not say that the disk is full.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator(f"mlviz {__version__}")
    writer.setResolution(DPI)  # the resolution for which the figure is laid out, so that fonts keep their size
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(size * INCH / DPI, QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    with painting(writer) as painter:
        yield (lambda: _write_bytes(path, buffer)), writer.newPage, painter


@contextlib.contextmanager
def painting(device: FlatPage | QPagedPaintDevice) -> Iterator[QPainter]:
    """A painter on a device, ended whatever happens; or say that it cannot be written."""
    painter = QPainter()
    if not painter.begin(device):
        raise OSError("the file could not be opened for writing")
    try:
        yield painter
    finally:
        painter.end()
