"""A card: a picture with a title, two lines of words and a last line below it. The pages of cards paint them alike."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyleOptionViewItem, QWidget

from mlviz.views.theme import SPACING, Theme

BAR = 32
"""The scroll bar and the frame beside the cards."""


def card_size(theme: Theme, room: int = 0, most: int = 3, lines: int = 2) -> QSize:
    """A picture in 8:5 above a title, ``lines`` and one more; given a room, so wide that ``most`` or fewer fill it."""
    width = round(theme.font * 24)
    if room:
        width = room // min(max(round(room / width), 1), most)
    return QSize(width, round((width - 2 * SPACING) * 0.625 + theme.font * (5.6 + 1.5 * lines)))


def card_view(name: str, words: str, parent: QWidget) -> QListView:
    """A list whose items stand side by side."""
    view = QListView(parent, objectName=name)
    view.setViewMode(QListView.ViewMode.IconMode)
    view.setResizeMode(QListView.ResizeMode.Adjust)
    view.setMovement(QListView.Movement.Static)
    view.setUniformItemSizes(True)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setAccessibleName(words)
    return view


def paint_card(
    painter: QPainter,
    option: QStyleOptionViewItem,
    theme: Theme,
    picture: QPixmap | None,
    words: tuple[str, str, str],
    instead: str = "drawing …",
    lines: int = 2,
) -> None:
    """Paint a card into its place: the picture, or a word instead; the title, ``lines`` below it, and the last line."""
    card = QRectF(option.rect).adjusted(5, 5, -5, -5)
    states = QtWidgets.QStyle.StateFlag
    marked = bool(option.state & (states.State_Selected | states.State_MouseOver))
    painter.save()
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    outline = QPainterPath()
    outline.addRoundedRect(card, 8, 8)
    painter.fillPath(outline, QColor(theme.surface))
    painter.setPen(QPen(QColor(theme.accent if marked else theme.border), 2.0 if marked else 1.0))
    painter.drawPath(outline)
    inner = card.adjusted(SPACING, SPACING, -SPACING, -SPACING)
    area = QRectF(inner.left(), inner.top(), inner.width(), inner.width() * 0.625)
    if picture is None:
        painter.fillRect(area, QColor(theme.plot))
        painter.setPen(QColor(theme.muted))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), instead)
    else:
        painter.drawPixmap(area, picture, QRectF(picture.rect()))
    _paint_words(painter, QRectF(inner.left(), area.bottom() + 6, inner.width(), 0), theme, words, lines)
    painter.restore()


def whole_words(text: str, metrics: QFontMetricsF, width: float, lines: int) -> str:
    """The text, without the words that do not fit into so many lines any more."""
    room, wrap, kept = QRectF(0.0, 0.0, width, 1e4), int(Qt.TextFlag.TextWordWrap), text.split()
    shown = text
    while kept and metrics.boundingRect(room, wrap, shown).height() > (lines + 0.5) * metrics.lineSpacing():
        kept.pop()
        shown = " ".join(kept).rstrip(",;:.") + " …"
    return shown


def _paint_words(painter: QPainter, line: QRectF, theme: Theme, words: tuple[str, str, str], most: int) -> None:
    bold = QFont()
    bold.setPointSizeF(theme.font * 1.05)
    bold.setBold(True)
    plain = QFont()
    plain.setPointSizeF(theme.font * 0.9)
    wrap = int(Qt.TextFlag.TextWordWrap)
    left, top, width = line.left(), line.top(), line.width()
    tall = 2 if QFontMetricsF(bold).horizontalAdvance(words[0]) > width else 1
    looks = ((bold, theme.text, tall), (plain, theme.muted, most + 1 - tall), (plain, theme.accent, 1))
    for text, (font, colour, lines) in zip(words, looks, strict=True):
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        room = QRectF(left, top, width, lines * metrics.lineSpacing())
        painter.drawText(room, wrap, whole_words(text, metrics, width, lines))
        top = room.bottom() + 2
