"""The start page: the lessons that come with the program, what was open last, and other ways to begin.

It lies over the window, which always shows something; nobody is met by it who has not asked for it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from mlviz import paths
from mlviz.session.archive import SessionError
from mlviz.session.files import load
from mlviz.session.lesson import Lesson, Slide
from mlviz.ui.cards import BAR, card_size, card_view, paint_card
from mlviz.ui.column_table import NOWHERE, Index
from mlviz.ui.controls import PushButton
from mlviz.ui.recent import recent_files
from mlviz.ui.screen import fit_to_screen
from mlviz.ui.slide_thumbnails import SlideThumbnails
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import LIGHT, SPACING, Theme

CARD = Qt.ItemDataRole.UserRole
SHOWN = 2
"""The slide whose picture stands for a lesson: by then something has happened."""
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
log = logging.getLogger("mlviz.lesson")


@dataclass(frozen=True, slots=True)
class LessonCard:
    """A lesson that comes with the program."""

    path: Path
    lesson: Lesson

    @property
    def title(self) -> str:
        """What the lesson is called."""
        return self.lesson.title or self.path.stem

    @property
    def slide(self) -> Slide:
        """The one whose picture is shown."""
        return self.lesson.slides[min(SHOWN, len(self.lesson) - 1)]

    @property
    def words(self) -> tuple[str, str, str]:
        """The title, the methods, and how long it is."""
        methods = dict.fromkeys(slide.document.method.title for slide in self.lesson.slides)
        return self.title, ", ".join(methods), f"{len(self.lesson)} slides"


def lessons_folder() -> Path:
    """Where the lessons lie that come with the program."""
    return paths.assets() / "lessons"


def shipped_lessons() -> list[LessonCard]:
    """The lessons that come with the program, in the order of their file names."""
    found = []
    for path in sorted(lessons_folder().glob("*.mlviz")):
        try:
            lesson = load(path).document.lesson
        except SessionError as error:  # somebody has put something else there
            log.warning("no lesson: %s", error)
            continue
        if lesson.slides:
            found.append(LessonCard(path, lesson))
    return found


class _Cards(QAbstractListModel):
    def __init__(self, cards: Sequence[LessonCard], parent: QWidget) -> None:
        super().__init__(parent)
        self.cards = cards

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        card = self.cards[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return card.title
        if role == CARD:
            return card
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return plain(": ".join(card.words))
        return None

    @Slot()
    def redraw(self) -> None:
        self.dataChanged.emit(self.index(0), self.index(len(self.cards) - 1))


class _CardDelegate(QStyledItemDelegate):
    def __init__(self, thumbnails: SlideThumbnails, parent: QWidget) -> None:
        super().__init__(parent)
        self._thumbnails = thumbnails
        self.theme = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = self.parent()
        return card_size(self.theme, view.width() - BAR if isinstance(view, QWidget) else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        card = index.data(CARD)
        paint_card(painter, option, self.theme, self._thumbnails.picture(card.slide), card.words)


class StartPage(QDialog):
    """What to begin with. Files are told by :attr:`chosen`; the buttons below have been given their actions."""

    lesson_chosen = Signal(object)
    file_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("start_page")
        self.setWindowTitle("Start")
        self.thumbnails = SlideThumbnails(lambda: True, self)
        self.cards = _Cards(shipped_lessons(), self)
        self.view = card_view("start_lessons", "Lessons", self)
        self.view.setModel(self.cards)
        self._delegate = _CardDelegate(self.thumbnails, self.view)
        self.view.setItemDelegate(self._delegate)
        self.recent = QListWidget(objectName="start_recent")
        self.recent.setAccessibleName("Recent files")
        self.buttons = QVBoxLayout()
        self._arrange()
        self.thumbnails.drawn.connect(self.cards.redraw)
        self.view.clicked.connect(self._lesson_clicked)
        self.recent.itemClicked.connect(self._file_clicked)
        self.set_theme(theme)

    def _arrange(self) -> None:
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(_heading("Lessons: open one, press F5, and go through it with Page Down"))
        left.addWidget(self.view, stretch=1)
        right.addWidget(_heading("Begin with"))
        right.addLayout(self.buttons)
        right.addSpacing(2 * SPACING)
        right.addWidget(_heading("Recent files"))
        right.addWidget(self.recent, stretch=1)
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * SPACING, 2 * SPACING, 2 * SPACING, 2 * SPACING)
        row.setSpacing(2 * SPACING)
        row.addLayout(left, stretch=4)
        row.addLayout(right, stretch=1)

    def offer(self, text: str, run: Any, tip: str = "") -> None:
        """One more way to begin."""
        button = PushButton(text)
        button.setObjectName("start_" + text.split()[0].lower())
        button.setToolTip(plain(tip))
        button.clicked.connect(self.accept)
        button.clicked.connect(run)
        self.buttons.addWidget(button)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._delegate.theme = theme
        self.thumbnails.set_theme(theme.name)
        self.recent.setMinimumWidth(round(theme.font * 18))
        self.view.viewport().update()

    def open_over(self, window: QWidget) -> None:
        """Show the page over most of the window, and have the missing pictures drawn."""
        self.recent.clear()
        for path in recent_files():
            item = QListWidgetItem(path.name, self.recent)
            item.setToolTip(plain(str(path)))
            item.setData(CARD, str(path))
        if not self.recent.count():
            item = QListWidgetItem("Nothing yet", self.recent)
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.resize(window.size() * 0.92)
        self.open()
        fit_to_screen(self)
        self.view.setFocus()
        self.view.setCurrentIndex(self.cards.index(0))
        self.thumbnails.want([card.slide for card in self.cards.cards])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens what the keyboard has reached."""
        if event.key() not in ENTER:
            super().keyPressEvent(event)
        elif self.focusWidget() is self.recent:
            if self.recent.currentItem() is not None:
                self._file_clicked(self.recent.currentItem())
        elif self.view.currentIndex().isValid():
            self._lesson_clicked(self.view.currentIndex())

    def close_drawing(self) -> None:
        """Drop what is being drawn: the window is about to go."""
        self.thumbnails.close()

    @Slot(object)
    def _lesson_clicked(self, index: Any) -> None:
        self.accept()
        self.lesson_chosen.emit(index.data(CARD).path)

    @Slot(QListWidgetItem)
    def _file_clicked(self, item: QListWidgetItem) -> None:
        name = item.data(CARD)
        if name is not None:
            self.accept()
            self.file_chosen.emit(Path(name))


def _heading(text: str) -> PlainLabel:
    label = PlainLabel(text, wordWrap=True)  # in the letters of the presenter mode it would be wider than the screen
    label.setProperty("role", "heading")
    return label
