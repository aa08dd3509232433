"""The gallery: every method by family, found by typing."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.contract import Algorithm
from algorithms.search import rank as search_rank
from mlviz.ui.controls import PushButton, leaves, let_go
from mlviz.ui.icons import icon
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import LIGHT, SPACING, Theme

KEY_ROLE = Qt.ItemDataRole.UserRole
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
SOFT_HYPHEN = "\u00ad"
"""Seen only where a line ends at it."""
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Gallery(QWidget):
    """A search line over a tree of methods; ``chosen`` carries the key of the method."""

    chosen = Signal(str)

    def __init__(self, *, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("gallery")
        self._items: dict[str, tuple[Algorithm, QTreeWidgetItem]] = {}
        self._current = ""
        self.search = QLineEdit(parent=self)
        self.search.setObjectName("gallery_search")
        self.search.setPlaceholderText("Search methods")
        self.search.setAccessibleName("Search methods")
        self.search.setClearButtonEnabled(True)
        self.tree = _Tree(parent=self)
        self.nothing = PlainLabel(parent=self)
        self.nothing.setObjectName("gallery_nothing")
        self.nothing.setProperty("role", "muted")
        self.nothing.setWordWrap(True)
        self.nothing.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        column.setSpacing(SPACING)
        self.page_button = PushButton("All methods…", parent=self)
        self.page_button.setObjectName("gallery_page_button")
        self.page_button.setToolTip("All methods as cards, with filters (Ctrl+G)")
        for part in (self.search, self.nothing, self.tree, self.page_button):
            column.addWidget(part)
        self._find = self.search.addAction(icon("search", theme, theme.muted), QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.tree.itemClicked.connect(self._clicked)
        self.tree.entered.connect(self._choose_current)

    def set_theme(self, theme: Theme) -> None:
        """Colour the icon anew."""
        self._find.setIcon(icon("search", theme, theme.muted))

    def add_algorithms(self, algorithms: tuple[Algorithm, ...]) -> None:
        """Put them at the end of the tree, families in the order in which they come."""
        for family, members in groupby(algorithms, key=lambda algorithm: algorithm.family):
            branch = self._branch(family)
            branch.setExpanded(True)
            for algorithm in members:
                leaf = QTreeWidgetItem(branch, [algorithm.title])
                leaf.setToolTip(0, plain(f"{algorithm.title}: {algorithm.summary}"))
                leaf.setData(0, KEY_ROLE, algorithm.key)
                self._items[algorithm.key] = (algorithm, leaf)
        if self.search.text():
            self._filter(self.search.text())
        elif any(algorithm.key == self._current for algorithm in algorithms):
            self.set_current(self._current)

    def set_current(self, key: str) -> None:
        """Mark the method that is shown; nothing is emitted."""
        self._current = key
        for algorithm, leaf in self._items.values():
            font = QFont()
            font.setBold(algorithm.key == key)
            leaf.setFont(0, font)
        self.tree.scheduleDelayedItemsLayout()  # bold letters may need another line
        if key in self._items:
            self.tree.setCurrentItem(self._items[key][1])
            self.tree.scrollToItem(self._items[key][1])

    def sizeHint(self) -> QSize:
        """Room for a title of about twenty letters."""
        return QSize(self.fontMetrics().averageCharWidth() * 28, self.fontMetrics().height() * 24)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys and Enter in the search line work on the tree."""
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in _MOVES:
                self.tree.steer(event)
                return True
            if event.key() in _ENTER:
                self._choose_current()
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    def _branch(self, family: str) -> QTreeWidgetItem:
        branch = QTreeWidgetItem(self.tree, [family[:1].upper() + family[1:]])
        branch.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = QFont()
        font.setBold(True)
        branch.setFont(0, font)
        return branch

    @Slot(str)
    def _filter(self, text: str) -> None:
        """Hide what does not match; the best match becomes current, so Enter chooses it."""
        words = text.lower().split()
        ranked: list[tuple[int, int, QTreeWidgetItem]] = []
        for algorithm, leaf in self._items.values():
            rank = search_rank(algorithm, words)
            leaf.setHidden(rank is None)
            if rank is not None:
                ranked.append((rank, len(ranked), leaf))
        for at in range(self.tree.topLevelItemCount()):
            branch = self.tree.topLevelItem(at)
            assert branch is not None
            branch.setHidden(all(leaf.isHidden() for _, leaf in self._items.values() if leaf.parent() is branch))
        if words and ranked:
            self.tree.setCurrentItem(min(ranked, key=lambda entry: entry[:2])[2])
        elif not words:
            self.set_current(self._current)
        self.nothing.setText(f"No method matches “{text.strip()}”." if words else "There are no methods.")
        self.nothing.setVisible(not ranked and bool(words or self._items))
        self.tree.setVisible(bool(ranked) or not words)

    @Slot(QTreeWidgetItem, int)
    def _clicked(self, item: QTreeWidgetItem, column: int) -> None:
        self._choose(item)

    @Slot()
    def _choose_current(self) -> None:
        item = self.tree.currentItem()
        if item is not None and not item.isHidden() and self.tree.isVisibleTo(self):
            self._choose(item)

    def _choose(self, item: QTreeWidgetItem) -> None:
        key = item.data(0, KEY_ROLE)
        if key is None:
            item.setExpanded(not item.isExpanded())
            return
        self.set_current(key)
        self.chosen.emit(key)
        let_go(self)


class _Titles(QStyledItemDelegate):
    """The title of a method takes as many lines as it needs: half a name finds nothing.

    A word that is longer than a line has a hyphen where it is broken.
    """

    def __init__(self, tree: _Tree) -> None:
        super().__init__(tree)
        self._tree = tree

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Break the lines of titles."""
        super().initStyleOption(option, index)
        if index.parent().isValid():
            option.features |= QStyleOptionViewItem.ViewItemFeature.WrapText
            room, width = self._room(), QFontMetrics(option.font).horizontalAdvance
            option.text = " ".join(w if width(w) <= room else _breakable(w) for w in option.text.split())

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as the lines of the title."""
        hint, whole = super().sizeHint(option, index), QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        if whole.features & QStyleOptionViewItem.ViewItemFeature.WrapText:
            metrics = QFontMetrics(whole.font)
            box = metrics.boundingRect(QRect(0, 0, self._room(), 10_000), Qt.TextFlag.TextWordWrap, whole.text)
            hint.setHeight(hint.height() + box.height() - metrics.height())
        return hint

    def _room(self) -> int:
        """For a line, in pixels."""
        return max(self._tree.viewport().width() - 2 * self._tree.indentation() - 2 * SPACING, 1)


def _breakable(word: str) -> str:
    """The word with hyphens where it may be broken, three letters from its ends."""
    return SOFT_HYPHEN.join((word[:3], *word[3:-3], word[-3:])) if len(word) > 5 else word


class _Tree(QTreeWidget):
    """The tree; Enter on it is a choice."""

    entered = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName("gallery_tree")
        self.setAccessibleName("Methods")
        self.setHeaderHidden(True)
        self.setIndentation(10)
        self.setItemDelegate(_Titles(self))
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)  # rows differ in height
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Titles may need another number of lines."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses, Up and Down move; the other keys drive time."""
        if event.key() in _ENTER:
            self.entered.emit()
        elif leaves(event) and event.key() not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def steer(self, event: QKeyEvent) -> None:
        """Move as if the tree had the keyboard."""
        super().keyPressEvent(event)
