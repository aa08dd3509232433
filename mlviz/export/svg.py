"""SVG as it is seen: shapes and texts in the coordinates of the page, and fields as embedded pictures.

Qt's own generator loses clipping inside widgets and scales lines that should keep their width, so that data drawn in
its own coordinates comes out with strokes as wide as the plot.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainterPath, QPen, QTextItem, QTransform

from algorithms.data import Array
from mlviz.export.flat import DPI

_CAPS = {Qt.PenCapStyle.FlatCap: "butt", Qt.PenCapStyle.RoundCap: "round"}
_JOINS = {Qt.PenJoinStyle.MiterJoin: "miter", Qt.PenJoinStyle.RoundJoin: "round"}
_KINDS = QPainterPath.ElementType
_LETTERS = {_KINDS.MoveToElement: "M", _KINDS.LineToElement: "L", _KINDS.CurveToElement: "C"}


class SvgSink:
    """Collects shapes, and writes them down in :meth:`document`, which may happen in another thread."""

    def __init__(self) -> None:
        self._shapes: list[tuple[Callable[[], str], QPainterPath]] = []
        self._groups: list[tuple[str, list[str]]] = []
        self._pen: tuple[QPen | None, str] = (None, "")
        self._clips: dict[str, int] = {}

    def document(self, width: float, height: float, title: str) -> str:
        """The text of the file."""
        for element, clip in self._shapes:
            self._add(element(), clip)
        self._shapes.clear()
        wide, high = _number(width), _number(height)
        content = "\n".join(map(_grouped, self._groups))
        clips = "".join(
            f'<clipPath id="clip{number}"><path d="{path}"/></clipPath>\n' for path, number in self._clips.items()
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
            f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">\n'
            f"<title>{escape(title)}</title>\n<defs>\n{clips}</defs>\n{content}\n</svg>\n"
        )

    def path(self, path: QPainterPath, fill: QColor | None, pen: QPen | None, clip: QPainterPath) -> None:
        """A shape."""
        paint = _filling(path, fill)
        if pen is not None and pen is not self._pen[0]:  # many shapes have the same one
            self._pen = pen, _stroke(pen)
        stroke = "" if pen is None else self._pen[1]
        kept = QPainterPath(path)
        self._shapes.append((lambda: f'<path d="{_path_data(kept)}" {paint}{stroke}/>', clip))

    def symbols(
        self,
        x: Array,
        y: Array,
        which: Array,
        shapes: list[tuple[QPainterPath, QColor | None, QPen | None]],
        clip: QPainterPath,
    ) -> bool:
        """Many shapes in few looks, each moved to its place."""

        def written() -> str:
            openings = [
                f'<path d="{_path_data(path)}" {_filling(path, fill)}' + ("" if pen is None else _stroke(pen))
                for path, fill, pen in shapes
            ]
            places = zip(map(_number, x.tolist()), map(_number, y.tolist()), which.tolist())
            return "\n".join(f'{openings[look]} transform="translate({left} {top})"/>' for left, top, look in places)

        self._shapes.append((written, clip))
        return True

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
        element = f'<text {at} xml:space="preserve" {style} {paint} {_matrix(transform)}>{content}</text>'
        self._shapes.append((lambda: element, clip))

    def image(self, rect: QRectF, image: QImage, opacity: float, transform: QTransform, clip: QPainterPath) -> None:
        """A field, embedded as PNG."""
        sides = {"x": rect.x(), "y": rect.y(), "width": rect.width(), "height": rect.height()}
        box = " ".join(f'{name}="{_number(value)}"' for name, value in sides.items())
        faint = f' opacity="{_number(opacity)}"' if opacity < 1 else ""
        matrix, kept = _matrix(transform), image.copy()
        self._shapes.append(
            (lambda: f'<image {box} preserveAspectRatio="none"{faint} {matrix} xlink:href="{_embedded(kept)}"/>', clip)
        )

    def _add(self, element: str, clip: QPainterPath) -> None:
        """Add an element; neighbours under the same clip share one group around them."""
        data = _path_data(clip)
        opening = f'<g clip-path="url(#clip{self._clips.setdefault(data, len(self._clips))})">' if data else ""
        if opening and self._groups and self._groups[-1][0] == opening:
            self._groups[-1][1].append(element)
        else:
            self._groups.append((opening, [element]))


def _grouped(group: tuple[str, list[str]]) -> str:
    opening, elements = group
    return opening + "\n".join(elements) + ("\n</g>" if opening else "")


def _embedded(image: QImage) -> str:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(bytes(buffer.data().data())).decode()}"


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


def _filling(path: QPainterPath, fill: QColor | None) -> str:
    if fill is None:
        return 'fill="none"'
    return _paint("fill", fill) + ("" if path.fillRule() == Qt.FillRule.WindingFill else ' fill-rule="evenodd"')


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
    fraction = colour.alphaF()
    return f'{what}="{colour.name()}"' + (f' {what}-opacity="{_number(fraction)}"' if fraction < 1 else "")
