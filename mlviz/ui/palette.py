"""The command palette: any method, data set or command by a few letters of its name (Ctrl+K)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.records import dataclass
from mlviz.ui.icons import icon
from mlviz.views.colours import blend
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, Theme

Index = QModelIndex | QPersistentModelIndex
GUESS, SCATTERED = 5, 3
"""The rank of letters in the middle of a word, which count for nothing beside a word (ROC is not in a process), and,
where they only follow each other in order, over how many times their number they may be scattered."""
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be done, as the palette offers it."""

    title: str
    group: str
    shortcut: str
    run: Callable[[], Any]
    synonyms: tuple[str, ...] = ()
    """Other words by which people look for it."""
    also: str = ""
    """Words that find it where nothing is called so: what a method is for, and its parameters."""
    needs: str = ""
    """What it waits for while it cannot be done; it is then found, and says so."""


@dataclass(frozen=True, slots=True)
class Match:
    """How a command matches: a smaller rank is better; ``places`` are the letters of the title that matched."""

    rank: tuple[int, int]
    places: tuple[int, ...] = ()


def match(query: str, title: str, group: str = "", synonyms: Sequence[str] = (), also: str = "") -> Match | None:
    """Compare letters: the beginning beats the start of a word, that beats a synonym, words in another order or among
    those that only go ``also`` with it, the inside and at last letters in order.
    """
    phrase = query.strip().lower()
    wanted = "".join(phrase.split())
    if not wanted:
        return Match((0, 0))
    lowered = title.lower()
    starts = _word_starts(lowered)
    if lowered == phrase:
        return Match((0, -1), tuple(range(len(phrase))))
    if any(name.lower() == phrase for name in synonyms):
        return Match((0, 0))
    if lowered.startswith(phrase):
        return Match((0, len(title)), tuple(range(len(phrase))))
    at = next((place for place in starts if lowered.startswith(phrase, place)), -1)
    if at >= 0:
        return Match((1, at), tuple(range(at, at + len(phrase))))
    if any(name.lower().startswith(phrase) for name in synonyms):
        return Match((2, len(title)))
    initials = _subsequence(wanted, lowered, starts)
    if initials is not None:
        return Match((3, initials[-1]), initials)
    known = " ".join((lowered, group.lower(), *(name.lower() for name in synonyms), also.lower()))
    heads = _word_starts(known)
    if all(any(known.startswith(word, head) for head in heads) for word in phrase.split()):
        return Match((4, len(title)))
    at = lowered.find(phrase)
    if at >= 0:
        return Match((GUESS, at), tuple(range(at, at + len(phrase))))
    letters = _subsequence(wanted, lowered, range(len(lowered)))
    if letters is not None and letters[-1] - letters[0] < SCATTERED * len(wanted):
        return Match((GUESS + 1, letters[-1] - letters[0]), letters)
    return None


def _word_starts(text: str) -> list[int]:
    return [at for at, letter in enumerate(text) if letter.isalnum() and (at == 0 or not text[at - 1].isalnum())]


def _subsequence(wanted: str, text: str, places: Sequence[int]) -> tuple[int, ...] | None:
    """Places, in order, where the wanted letters stand."""
    taken: list[int] = []
    for place in places:
        if len(taken) < len(wanted) and text[place] == wanted[len(taken)]:
            taken.append(place)
    return tuple(taken) if len(taken) == len(wanted) else None


class CommandPalette(QFrame):
    """A popup with a line to type in and the matching commands below it. Enter runs, Esc closes."""

    def __init__(self, *, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setWindowFlags(Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("command_palette")
        self.setProperty("role", "popup")
        self.line = QLineEdit(parent=self)
        self.line.setObjectName("command_line")
        self.line.setPlaceholderText("Find a method, a data set or a command")
        self.line.setAccessibleName("Find a command")
        self._model = _Commands(parent=self)
        self._delegate = _Delegate(theme, parent=self)
        self.list = QListView(parent=self)
        self.list.setObjectName("command_list")
        self.list.setAccessibleName("Commands")
        self.list.setModel(self._model)
        self.list.setItemDelegate(self._delegate)
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing = PlainLabel("Nothing matches.", parent=self)
        self.nothing.setObjectName("command_nothing")
        self.nothing.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        column.setSpacing(SPACING)
        for part in (self.line, self.nothing, self.list):
            column.addWidget(part)
        self._find = self.line.addAction(icon("search", theme, theme.muted), QLineEdit.ActionPosition.LeadingPosition)
        self._commands: tuple[Command, ...] = ()
        self.line.textChanged.connect(self._filter)
        self.line.installEventFilter(self)
        self.list.clicked.connect(self._run)
        self._filter("")

    def set_commands(self, commands: Sequence[Command]) -> None:
        """Offer these commands, in this order while nothing is typed."""
        self._commands = tuple(commands)
        self._filter(self.line.text())

    def set_theme(self, theme: Theme) -> None:
        """Paint in other colours and sizes."""
        self._delegate.theme = theme
        self._find.setIcon(icon("search", theme, theme.muted))
        if self.isVisible():  # else it is filled anew when it opens
            self.list.doItemsLayout()

    def open(self) -> None:
        """Show it empty, near the top of the window."""
        self.line.clear()
        self._filter("")
        metrics = QFontMetrics(self.font())
        width, height = metrics.averageCharWidth() * 70, metrics.height() * 20
        parent = self.parentWidget()
        if parent is not None:
            window = parent.window()
            width = min(width, window.width() - 2 * SPACING)
            height = min(height, window.height() * 3 // 4)
            corner = window.mapToGlobal(window.rect().topLeft())
            self.move(corner.x() + (window.width() - width) // 2, corner.y() + window.height() // 12)
        self.resize(width, height)
        self.show()
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)

    def titles(self) -> list[str]:
        """The titles on offer, best first."""
        return [command.title for command, _ in self._model.rows]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys and Enter in the line work on the list."""
        if watched is self.line and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in _MOVES:
                self._move(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self.list.currentIndex())
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        return super().eventFilter(watched, event)

    def _move(self, event: QKeyEvent) -> None:
        rows = self._model.rowCount()
        if not rows:
            return
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}
        by = step[Qt.Key(event.key())]
        row = self.list.currentIndex().row() + by
        row = row % rows if abs(by) == 1 else min(max(row, 0), rows - 1)
        self.list.setCurrentIndex(self._model.index(row))

    @Slot(str)
    def _filter(self, text: str) -> None:
        found = [
            (command, match(text, command.title, command.group, command.synonyms, command.also))
            for command in self._commands
        ]
        rows = [(command, how) for command, how in found if how is not None]
        if any(how.rank[0] < GUESS for _, how in rows):
            rows = [(command, how) for command, how in rows if how.rank[0] < GUESS]
        rows.sort(key=lambda row: (row[1].rank[0], bool(row[0].needs), row[1].rank[1]))
        self._model.show_rows(rows)
        self.list.setCurrentIndex(self._model.index(0))
        self.list.setVisible(bool(rows))
        self.nothing.setVisible(not rows)

    @Slot(QModelIndex)
    def _run(self, index: QModelIndex) -> None:
        if index.isValid():
            command, _ = self._model.rows[index.row()]
            self.close()
            command.run()


class _Commands(QAbstractListModel):
    """The commands that match, best first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[tuple[Command, Match]] = []

    def show_rows(self, rows: list[tuple[Command, Match]]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """How many match."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The title, for drawing and for screen readers; the row itself for the delegate."""
        command, _ = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return command.title
        return self.rows[index.row()] if role == Qt.ItemDataRole.UserRole else None


class _Delegate(QStyledItemDelegate):
    """One row: the title with its matching letters in bold, the group and the shortcut on the right."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A line with some air."""
        return QSize(200, QFontMetrics(self._font(option)).height() + SPACING + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row."""
        command, how = index.data(Qt.ItemDataRole.UserRole)
        theme = self.theme
        area: QRect = option.rect
        state: QtWidgets.QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QtWidgets.QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(blend(theme.surface, theme.accent, 0.16)))
            painter.drawRoundedRect(area, 4, 4)
        painter.setFont(self._font(option))
        inner = area.adjusted(SPACING, 0, -SPACING, 0)
        inner.setRight(self._paint_shortcut(painter, inner, command.shortcut))
        painter.setPen(QColor(theme.muted))
        beside = command.needs or command.group
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), beside)
        inner.setRight(inner.right() - painter.fontMetrics().horizontalAdvance(beside) - SPACING)
        colour = theme.muted if command.needs else theme.text
        self._paint_title(painter, inner, command.title, frozenset(how.places), colour)
        painter.restore()

    def _font(self, option: QStyleOptionViewItem) -> QFont:
        font = QFont(option.font)
        font.setPointSizeF(self.theme.font)
        return font

    def _paint_shortcut(self, painter: QPainter, area: QRect, shortcut: str) -> int:
        """Draw the key caps; where the free room now ends."""
        if not shortcut:
            return area.right()
        width = painter.fontMetrics().horizontalAdvance(shortcut) + 2 * SPACING
        cap = QRect(area.right() - width, area.top() + 4, width, area.height() - 8)
        painter.setPen(QColor(self.theme.border))
        painter.setBrush(QColor(self.theme.window))
        painter.drawRoundedRect(cap, 4, 4)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(cap, int(Qt.AlignmentFlag.AlignCenter), shortcut)
        return cap.left() - SPACING

    def _paint_title(self, painter: QPainter, area: QRect, title: str, places: frozenset[int], colour: str) -> None:
        plain = painter.font()
        bold = QFont(plain)
        bold.setBold(True)
        shown = QFontMetrics(bold).elidedText(title, Qt.TextElideMode.ElideRight, max(area.width(), 0))
        x = area.left()
        for at, letter in enumerate(shown):
            lit = at in places
            painter.setFont(bold if lit else plain)
            painter.setPen(QColor(self.theme.accent if lit else colour))
            width = painter.fontMetrics().horizontalAdvance(letter)
            painter.drawText(QRect(x, area.top(), width + 2, area.height()), int(Qt.AlignmentFlag.AlignVCenter), letter)
            x += width
