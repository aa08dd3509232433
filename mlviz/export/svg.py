"""SVG as it is seen: shapes and texts in the coordinates of the page, and fields as embedded pictures.

Qt's own generator loses clipping inside widgets and scales lines that should keep their width, so that data drawn in
its own coordinates comes out with strokes as wide as the plot.
"""

from __future__ import annotations

import base64
from html import escape

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainterPath, QPen, QTextItem, QTransform

from mlviz.export.flat import DPI

_CAPS = {Qt.PenCapStyle.FlatCap: "butt", Qt.PenCapStyle.RoundCap: "round"}
_JOINS = {Qt.PenJoinStyle.MiterJoin: "miter", Qt.PenJoinStyle.RoundJoin: "round"}
_KINDS = QPainterPath.ElementType
_LETTERS = {_KINDS.MoveToElement: "M", _KINDS.LineToElement: "L", _KINDS.CurveToElement: "C"}


class SvgSink:
    """Collects elements; :meth:`document` is the file."""

    def __init__(self) -> None:
        self._elements: list[str] = []
        self._clips: dict[str, int] = {}

    def document(self, width: float, height: float, title: str) -> str:
        """The text of the file."""
        wide, high = _number(width), _number(height)
        clips = "".join(
            f'<clipPath id="clip{number}"><path d="{path}"/></clipPath>\n' for path, number in self._clips.items()
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
            f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">\n'
            f"<title>{escape(title)}</title>\n<defs>\n{clips}</defs>\n" + "\n".join(self._elements) + "\n</svg>\n"
        )

    def path(self, path: QPainterPath, fill: QColor | None, pen: QPen | None, clip: QPainterPath) -> None:
        """A shape."""
        rule = "" if fill is None or path.fillRule() == Qt.FillRule.WindingFill else ' fill-rule="evenodd"'
        paint = 'fill="none"' if fill is None else _paint("fill", fill)
        stroke = "" if pen is None else _stroke(pen)
        self._add(f'<path d="{_path_data(path)}" {paint}{rule}{stroke}/>', clip)

    def text(self, place: QPointF, item: QTextItem, colour: QColor, transform: QTransform, clip: QPainterPath) -> None:
        """A run of text."""
        font = item.font()
        size = font.pixelSize() if font.pixelSize() > 0 else font.pointSizeF() * DPI / 72
        style = f'font-family="{escape(font.family())}, sans-serif" font-size="{_number(size)}"'
        if font.weight() > QFont.Weight.Normal:
            style += f' font-weight="{int(font.weight())}"'
        if font.italic():
            style += ' font-style="italic"'
        # Other programs space letters otherwise; the length keeps a text where it belongs.
        at = f'x="{_number(place.x())}" y="{_number(place.y())}" textLength="{_number(item.width())}"'
        paint = _paint("fill", colour)
        content = escape(item.text())
        self._add(f'<text {at} xml:space="preserve" {style} {paint} {_matrix(transform)}>{content}</text>', clip)

    def image(self, rect: QRectF, image: QImage, opacity: float, transform: QTransform, clip: QPainterPath) -> None:
        """A field, embedded as PNG."""
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")
        content = base64.b64encode(bytes(buffer.data().data())).decode()
        sides = {"x": rect.x(), "y": rect.y(), "width": rect.width(), "height": rect.height()}
        box = " ".join(f'{name}="{_number(value)}"' for name, value in sides.items())
        faint = f' opacity="{_number(opacity)}"' if opacity < 1 else ""
        link = f'xlink:href="data:image/png;base64,{content}"'
        self._add(f'<image {box} preserveAspectRatio="none"{faint} {_matrix(transform)} {link}/>', clip)

    def _add(self, element: str, clip: QPainterPath) -> None:
        """Add an element; neighbours under the same clip share one group around them."""
        data = _path_data(clip)
        if not data:
            self._elements.append(element)
            return
        opening = f'<g clip-path="url(#clip{self._clips.setdefault(data, len(self._clips))})">'
        if self._elements and self._elements[-1].startswith(opening):
            self._elements[-1] = self._elements[-1].removesuffix("</g>") + element + "\n</g>"
        else:
            self._elements.append(f"{opening}{element}\n</g>")


def _stroke(pen: QPen) -> str:
    dashed = pen.style() != Qt.PenStyle.SolidLine
    # square caps would close the gaps of a dashed line
    cap = "butt" if dashed else _CAPS.get(pen.capStyle(), "square")
    parts = [_paint("stroke", pen.color()), f'stroke-width="{_number(pen.widthF())}"', f'stroke-linecap="{cap}"']
    parts.append(f'stroke-linejoin="{_JOINS.get(pen.joinStyle(), "bevel")}"')
    if dashed:
        dashes = " ".join(_number(length * pen.widthF()) for length in pen.dashPattern())
        parts.append(f'stroke-dasharray="{dashes}"')
    return " " + " ".join(parts)


def _path_data(path: QPainterPath) -> str:
    """The path in SVG's letters; a curve arrives as a control point with two more points behind it."""
    elements = (path.elementAt(i) for i in range(path.elementCount()))
    return " ".join(f"{_LETTERS.get(e.type, '')}{_number(e.x)},{_number(e.y)}" for e in elements)


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _matrix(transform: QTransform) -> str:
    numbers = (transform.m11(), transform.m12(), transform.m21(), transform.m22(), transform.dx(), transform.dy())
    return f'transform="matrix({" ".join(f"{number:.6g}" for number in numbers)})"'


def _paint(what: str, colour: QColor) -> str:
    share = colour.alphaF()
    return f'{what}="{colour.name()}"' + (f' {what}-opacity="{_number(share)}"' if share < 1 else "")
