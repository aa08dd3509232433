"""What is written in and beside the nodes of a node-link picture: names, notes, flags, tokens; none over another."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QTransform,
)

from algorithms.data import Array
from mlviz.views.lines import on_device
from mlviz.views.renderers._links import Net, PixelItem, loop_boxes
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.theme import Theme

MOST_NAMES = 250
"""Of more nodes only those that are pointed at are named."""
FEW_NAMES = 40
"""Up to so many all are named, even where one name touches another,"""
FILLED = 0.25
"""as long as the names fill no more than this fraction of the picture."""
RIM = 3.0
"""The width of the rim around words, in pixels."""
MOST_PICTURES = 2000
GAP = 2.0
"""Pixels between a node and its name."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What is written at the nodes.

    ``inks`` are the colours of letters on the nodes; ``order`` says who is named first where there is no room for all.
    """

    names: tuple[str, ...] = ()  # (n,)
    notes: tuple[str, ...] = ()  # (n,)
    inks: tuple[str, ...] = ()  # (n,)
    order: Array | None = None  # (n,)
    flags: tuple[tuple[int, str], ...] = ()
    tokens: tuple[int, ...] = ()


def label_places(at: Array, radii: Array, sizes: Array, order: Array, taken: Array, crowded: bool) -> Array:
    """The upper left corners (n, 2) of labels, relative to their nodes; not a number where there is no room.

    Parameters
    ----------
    at, radii : (n, 2), (n,)
        The nodes, in pixels.
    sizes : (n, 2)
        Width and height of each label; a width of 0 means none.
    order : (n,)
        Who chooses first.
    taken : (k, 4)
        Boxes that are occupied already: left, top, right, bottom.
    crowded : bool
        Whether labels without room are left out instead of being put where they hide least.
    """
    found = np.full((len(at), 2), np.nan)
    nodes = np.column_stack([at - radii[:, None], at + radii[:, None]])
    boxes = np.concatenate([nodes, taken, np.zeros((len(at), 4))])
    count = len(nodes) + len(taken)
    for node in order.tolist():
        width, height = sizes[node]
        if width <= 0:
            continue
        away = radii[node] + GAP
        corners = np.array(
            [
                (-width / 2, away),
                (away + GAP, -height / 2),
                (-width / 2, -away - height),
                (-away - GAP - width, -height / 2),
            ]
        )  # below, right, above, left
        left, top = (corners + at[node]).T
        across = np.minimum(left[:, None] + width, boxes[:count, 2]) - np.maximum(left[:, None], boxes[:count, 0])
        down = np.minimum(top[:, None] + height, boxes[:count, 3]) - np.maximum(top[:, None], boxes[:count, 1])
        hidden = (np.maximum(across, 0.0) * np.maximum(down, 0.0)).sum(axis=1)
        best = int(hidden.argmin())
        if crowded and hidden[best] > 0.04 * width * height:
            continue
        found[node] = corners[best]
        boxes[count] = left[best], top[best], left[best] + width, top[best] + height
        count += 1
    return found


class WordItem(PixelItem):
    """Names, notes, flags and tokens, painted in one pass above the nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.words = Words()
        self.lit: Array = NO_POINTS
        self._inside: Array = np.empty(0, dtype=bool)
        self._sizes = np.empty((0, 2))
        self._placed: tuple[tuple[float, float], Array] | None = None
        self._pictures: dict[tuple[str, str, float], tuple[QPixmap, QPointF]] = {}
        self._advances: dict[str, float] = {}

    def set(self, net: Net, theme: Theme, words: Words) -> None:
        """Write these from now on."""
        if theme is not self.theme:
            self._advances, self._pictures = {}, {}
        before = (self.net, self._sizes, self.words.flags)
        self.words = words
        self.set_net(net, theme)
        self._measure()
        same = net.at is before[0].at and np.array_equal(net.radii, before[0].radii)
        if not (same and np.array_equal(self._sizes, before[1]) and words.flags == before[2]):
            self._placed = None

    def light(self, nodes: Array) -> None:
        """Name these nodes, whatever else there is."""
        self.lit = nodes
        self.update()

    def margins(self, scale: float = 0.0) -> Array:
        """The room (n, 4) that each node needs around it, in pixels: left, right, above, below.

        With ``scale``, the pixels of a unit of the view, words are where they then find room; without it below.
        """
        need = np.repeat(self.net.radii[:, None] + 3.0, 4, axis=1)
        if (self._sizes[:, 0] > 0).any():
            below = np.column_stack([-self._sizes[:, 0] / 2, self.net.radii + GAP])
            places = self._places_at(self.net.at * (scale, -scale), (scale, -scale)) if scale else below
            corner = np.where(np.isfinite(places) & (self._sizes[:, :1] > 0), places, 0.0)
            size = np.where(np.isfinite(places), self._sizes, 0.0)
            around = np.column_stack([-corner[:, 0], (corner + size)[:, 0], -corner[:, 1], (corner + size)[:, 1]])
            need = np.maximum(need, around + 1.0)
        for node, text in self._raised():
            box = self._flag_box(text)
            need[node, 2] = max(need[node, 2], self.net.radii[node] - box.top() + 1.0)
            need[node, :2] = np.maximum(need[node, :2], box.width() / 2)
        loops = self.net.edges[self.net.loops, 0]
        need[loops] = np.maximum(need[loops], 3.2 * self.net.radii[loops, None] + 12.0)
        return need

    # -- measuring -----------------------------------------------------------------------------------------------

    def _font(self, factor: float = 0.85, bold: bool = False) -> QFont:
        font = QFont()
        font.setPointSizeF(self.theme.letters(factor))
        font.setBold(bold)
        return font

    def _advance(self, text: str) -> float:
        if text not in self._advances:
            self._advances[text] = QFontMetricsF(self._font()).horizontalAdvance(text)
        return self._advances[text]

    def _measure(self) -> None:
        """Which names fit into their nodes, and how large the words beside the others are."""
        n, words = len(self.net.at), self.words
        names = words.names if n <= MOST_NAMES else ()
        line = QFontMetricsF(self._font()).height()
        wide = np.array([self._advance(name) for name in names]) if names else np.zeros(n)
        self._inside = (wide > 0) & (wide <= 1.7 * self.net.radii) & (0.6 * line <= 1.5 * self.net.radii)
        if n and not np.ptp(self.net.radii) and not self._inside.all():
            self._inside[:] = False  # alike nodes are named alike
        noted = words.notes if n <= MOST_NAMES else ()
        note = max((self._advance(text) for text in noted), default=0.0)  # one width for all: they change all the time
        has_note = np.array([bool(text) for text in noted]) if noted else np.zeros(n, dtype=bool)
        beside = np.where(self._inside, 0.0, wide)
        width = np.maximum(beside, np.where(has_note, note, 0.0))
        height = 0.9 * line * ((beside > 0).astype(float) + has_note)
        self._sizes = np.column_stack([width, height])

    def _places_at(self, device: Array, scale: tuple[float, float]) -> Array:
        """Where the words are relative to their nodes; kept until the zoom changes."""
        if self._placed is None or self._placed[0] != scale:
            n = len(device)
            order = np.arange(n) if self.words.order is None else self.words.order
            flags = [
                self._flag_box(text).translated(device[node][0], device[node][1] - self.net.radii[node])
                for node, text in self._raised()
            ]
            taken = np.array([(box.left(), box.top(), box.right(), box.bottom()) for box in flags]).reshape(-1, 4)
            taken = np.concatenate([taken, loop_boxes(self.net, device)])
            crowded = n > FEW_NAMES or self._sizes.prod(axis=1).sum() > FILLED * float(np.ptp(device, axis=0).prod())
            places = label_places(device, self.net.radii, self._sizes, order, taken, crowded)
            self._placed = (scale, places)
        return self._placed[1]

    def _raised(self) -> list[tuple[int, str]]:
        return [(node, text) for node, text in self.words.flags if node < len(self.net.at)]

    def _flag_box(self, text: str) -> QRectF:
        """The box of a flag, relative to its node; the radius of the node is not yet counted."""
        metrics = QFontMetricsF(self._font(0.8, bold=True))
        width, height = metrics.horizontalAdvance(text) + 10.0, metrics.height() + 2.0
        return QRectF(-width / 2, -height - 7.0, width, height)

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write everything."""
        if not len(self.net.at):
            return
        transform = painter.worldTransform()
        device = on_device(transform, np.ascontiguousarray(self.net.at.T))
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font())
        self._write_inside(painter, device)
        self._write_beside(painter, device, transform)
        self._draw_tokens(painter, device)
        self._draw_flags(painter, device)
        self._write_lit(painter, device)
        painter.restore()

    def _write_inside(self, painter: QPainter, device: Array) -> None:
        metrics = QFontMetricsF(self._font())
        rise = metrics.capHeight() / 2
        for node in np.flatnonzero(self._inside).tolist():
            x, y = device[node].tolist()
            name = self.words.names[node]
            painter.setPen(QColor(self.words.inks[node]))
            painter.drawText(QPointF(x - self._advance(name) / 2, y + rise), name)

    def _write_beside(self, painter: QPainter, device: Array, transform: QTransform) -> None:
        """The words beside the nodes, with a rim that keeps lines off them; on a screen they are kept as pictures."""
        raster = painter.paintEngine().type() == QPaintEngine.Type.Raster
        ratio = painter.device().devicePixelRatioF()
        for text, at, is_note in self._lines(device, transform):
            colour = self.theme.accent if is_note else self.theme.text
            if raster:
                picture, origin = self._picture(text, colour, ratio)
                corner = at - origin
                painter.drawPixmap(
                    QPointF(round(corner.x() * ratio) / ratio, round(corner.y() * ratio) / ratio), picture
                )
            else:
                self._write(painter, text, at, colour)

    def _write(self, painter: QPainter, text: str, at: QPointF, colour: str) -> None:
        path = QPainterPath()
        path.addText(at, self._font(), text)
        painter.strokePath(path, QPen(QColor(self.theme.plot), RIM, j=Qt.PenJoinStyle.RoundJoin))
        painter.setPen(QColor(colour))
        painter.drawText(at, text)

    def _picture(self, text: str, colour: str, ratio: float) -> tuple[QPixmap, QPointF]:
        """A word as a picture, and where its base line begins in it: to stroke the rim takes longer than all else."""
        key = (text, colour, ratio)
        if key not in self._pictures:
            metrics = QFontMetricsF(self._font())
            origin = QPointF(RIM, math.ceil(metrics.ascent()) + RIM)
            size = QSizeF(math.ceil(self._advance(text)) + 2 * RIM, math.ceil(metrics.height()) + 2 * RIM)
            picture = QPixmap((size * ratio).toSize())
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            own = QPainter(picture)
            own.setRenderHint(QPainter.RenderHint.Antialiasing)
            own.setFont(self._font())
            self._write(own, text, origin, colour)
            own.end()
            if len(self._pictures) > MOST_PICTURES:
                self._pictures.clear()
            self._pictures[key] = (picture, origin)
        return self._pictures[key]

    def _lines(self, device: Array, transform: QTransform) -> list[tuple[str, QPointF, bool]]:
        """Every line beside a node: its text, where it begins, and whether it is a note."""
        if not (self._sizes[:, 0] > 0).any():
            return []
        places = self._places_at(device, (transform.m11(), transform.m22()))
        metrics = QFontMetricsF(self._font())
        pitch, ascent = 0.9 * metrics.height(), metrics.ascent() - 0.05 * metrics.height()
        found = []
        for node in np.flatnonzero(np.isfinite(places[:, 0])).tolist():
            left, top = (device[node] + places[node]).tolist()
            texts = [] if self._inside[node] or not self.words.names else [(self.words.names[node], False)]
            texts += [(self.words.notes[node], True)] if self.words.notes and self.words.notes[node] else []
            on_side = abs(places[node, 0] + self._sizes[node, 0] / 2) > 1.0
            for number, (text, is_note) in enumerate(texts):
                slack = self._sizes[node, 0] - self._advance(text)
                start = left + (slack / 2 if not on_side else slack if places[node, 0] < 0 else 0.0)
                found.append((text, QPointF(start, top + number * pitch + ascent), is_note))
        return found

    def _write_lit(self, painter: QPainter, device: Array) -> None:
        """The names of nodes that are pointed at and were not named, on a little board."""
        named = self._inside.copy()
        if self._placed is not None:
            named |= np.isfinite(self._placed[1][:, 0])
        for node in [node for node in self.lit.tolist() if node < len(device)][:12]:
            text = self.words.names[node] if node < len(self.words.names) else ""
            if not text or named[node]:
                continue
            x, y = device[node].tolist()
            height = QFontMetricsF(self._font()).height()
            board = QRectF(
                x - self._advance(text) / 2 - 4, y + self.net.radii[node] + 4, self._advance(text) + 8, height
            )
            painter.setPen(QPen(QColor(self.theme.border), 1.0))
            painter.setBrush(QColor(self.theme.surface))
            painter.drawRoundedRect(board, 3, 3)
            painter.setPen(QColor(self.theme.text))
            painter.drawText(board, int(Qt.AlignmentFlag.AlignCenter), text)

    def _draw_flags(self, painter: QPainter, device: Array) -> None:
        painter.setFont(self._font(0.8, bold=True))
        raised: Counter[int] = Counter()
        for node, text in self._raised():
            x, y = device[node].tolist()
            foot = QPointF(x, y - float(self.net.radii[node]) - 1.0)
            box = self._flag_box(text).translated(foot)
            box.translate(0.0, -raised[node] * (box.height() + 2.0))  # two flags on one node stand on each other
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.accent))
            painter.drawRoundedRect(box, 3, 3)
            if not raised[node]:
                corners = [foot, QPointF(x - 4.0, box.bottom() - 0.5), QPointF(x + 4.0, box.bottom() - 0.5)]
                painter.drawPolygon(QPolygonF(corners))
            painter.setPen(QColor(self.theme.on_accent))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
            raised[node] += 1
        painter.setFont(self._font())

    def _draw_tokens(self, painter: QPainter, device: Array) -> None:
        """A disc on the shoulder of a node, with a number where several stand there."""
        font = self._font(0.75, bold=True)
        for node, count in Counter(self.words.tokens).items():
            radius = float(self.net.radii[node])
            size = max(0.75 * radius, 0.55 * self.theme.point)
            middle = QPointF(*device[node].tolist()) + QPointF(0.85 * radius, -0.85 * radius)
            painter.setPen(QPen(QColor(self.theme.plot), self.theme.stroke * 0.75))
            painter.setBrush(QColor(self.theme.warning))
            painter.drawEllipse(middle, size, size)
            if count > 1:
                painter.setFont(font)
                painter.setPen(QColor(self.theme.plot))
                box = QRectF(middle.x() - 20, middle.y() - 20, 40, 40)
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), str(count))
                painter.setFont(self._font())
