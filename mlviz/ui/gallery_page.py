"""The gallery as a page of cards: what a method looks like, its name, one line, and what data it takes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QProcess, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.contract import Algorithm
from mlviz.export.thumbnails import path_of
from mlviz.ui.cards import BAR, card_size, card_view, paint_card
from mlviz.ui.column_table import NOWHERE, Index
from mlviz.ui.controls import ComboBox
from mlviz.ui.method_search import KINDS, Filter, chapters, data_words
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, Theme

LOOK_MS = 400
"""How often the page looks for pictures that have been drawn meanwhile."""
LINES = 4
"""Of the summary; what is left of it can be read when the mouse rests on the card."""
METHOD = Qt.ItemDataRole.UserRole
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class CardModel(QAbstractListModel):
    """The methods that fit the filter, the best first."""

    def __init__(self, algorithms: tuple[Algorithm, ...], parent: Any = None) -> None:
        super().__init__(parent)
        self.algorithms = algorithms
        self.shown = list(algorithms)
        self.pictures: dict[str, QPixmap] = {}
        self.theme = "light"

    def set_filter(self, wanted: Filter) -> None:
        """Show what fits."""
        ranked = [(wanted.rank(algorithm), place, algorithm) for place, algorithm in enumerate(self.algorithms)]
        self.beginResetModel()
        fitting = sorted((rank, place) for rank, place, _ in ranked if rank is not None)
        self.shown = [self.algorithms[place] for _, place in fitting]
        self.endResetModel()

    def look(self) -> bool:
        """Load the pictures that have appeared; whether any is still missing."""
        missing = False
        for row, algorithm in enumerate(self.shown):
            if algorithm.key not in self.pictures:
                picture = _loaded(path_of(algorithm.key, self.theme))
                if picture is None:
                    missing = True
                else:
                    self.pictures[algorithm.key] = picture
                    self.dataChanged.emit(self.index(row), self.index(row))
        return missing

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """One card a method."""
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The title, the method itself for the delegate, and all words for a screen reader."""
        if not index.isValid():
            return None
        algorithm = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return algorithm.title
        if role == METHOD:
            return algorithm
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{algorithm.title}: {algorithm.summary} Works on {data_words(algorithm)}."
        return None


def _loaded(path: Path) -> QPixmap | None:
    picture = QPixmap(str(path)) if path.exists() else QPixmap()
    return None if picture.isNull() else picture


class CardDelegate(QStyledItemDelegate):
    """Paints a card."""

    def __init__(self, model: CardModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.theme = LIGHT
        self.instead = ""  # of a picture that is not there

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Of a card."""
        view = self.parent()
        return card_size(self.theme, view.width() - BAR if isinstance(view, QWidget) else 0, most=8, lines=LINES)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The picture, the title, the summary, and what data it takes."""
        algorithm = index.data(METHOD)
        words = (algorithm.title, algorithm.summary, data_words(algorithm))
        paint_card(painter, option, self.theme, self._model.pictures.get(algorithm.key), words, self.instead, LINES)


class GalleryPage(QDialog):
    """All methods at a glance; ``chosen`` carries the key of the method."""

    chosen = Signal(str)

    def __init__(self, algorithms: tuple[Algorithm, ...], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("gallery_page")
        self.setWindowTitle("Methods")
        self.model = CardModel(algorithms, self)
        self.model.theme = theme.name
        self.search = QLineEdit(objectName="page_search", placeholderText="Search: a name, EM, GMM, SVM, knn …")
        self.search.setAccessibleName("Search methods")
        self.search.setClearButtonEnabled(True)
        self.family = _choice("page_family", "Every task", sorted({a.family for a in algorithms}))
        used = {kind.kind for a in algorithms for kind in a.data_kinds}
        self.kind = _choice("page_kind", "All data", [name for name in KINDS if name in used], KINDS)
        listed = dict.fromkeys(chapter for a in algorithms for chapter in chapters(a))
        self.chapter = _choice("page_chapter", "Every chapter", sorted(listed, key=_chapter_place))
        self.view = card_view("cards", "Methods", self)
        self.view.setModel(self.model)
        self._delegate = CardDelegate(self.model, self.view)
        self.view.setItemDelegate(self._delegate)
        self.nothing = PlainLabel(objectName="page_nothing", visible=False, alignment=Qt.AlignmentFlag.AlignCenter)
        self._arrange()
        self._process: QProcess | None = None
        self._drawn_in = ""  # the theme for which the process draws
        self._timer = QTimer(self, objectName="page_look", interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self.search.textChanged.connect(self.refresh)
        for box in (self.family, self.kind, self.chapter):
            box.currentIndexChanged.connect(self.refresh)
        self.view.clicked.connect(self._choose)
        self.set_theme(theme)
        self.refresh()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(SPACING)
        row.addWidget(self.search, stretch=2)
        for box in (self.family, self.kind, self.chapter):
            row.addWidget(box, stretch=1)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING, SPACING, SPACING, SPACING)
        column.setSpacing(SPACING)
        column.addLayout(row)
        column.addWidget(self.nothing)
        column.addWidget(self.view, stretch=1)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._delegate.theme = theme
        if theme.name != self.model.theme:
            self.model.theme = theme.name
            self.model.pictures.clear()
        self.view.viewport().update()

    def open_over(self, window: QWidget) -> None:
        """Show the page over most of the window, and have the missing pictures drawn."""
        self.resize(window.size() * 0.92)
        self.open()
        self.search.setFocus()
        self.search.selectAll()
        self._look()

    @property
    def filter(self) -> Filter:
        """What is looked for."""
        parts = (self.family.currentData(), self.kind.currentData(), self.chapter.currentData())
        return Filter(self.search.text(), *parts)

    @Slot()
    def refresh(self) -> None:
        """Show what fits; the best match is current, so Enter chooses it."""
        self.model.set_filter(self.filter)
        self.nothing.setText("No method fits. Leave a filter open, or search for another word.")
        self.nothing.setVisible(not self.model.shown)
        if self.model.shown:
            self.view.setCurrentIndex(self.model.index(0))
        if self.isVisible():
            self._look()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses, arrows move among the cards."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.view.currentIndex())
        elif event.key() in _MOVES:
            self.view.setFocus()
            self.view.keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Stop looking; a process that draws goes on to its end, for the next time."""
        self._timer.stop()
        super().done(result)

    def close_process(self) -> None:
        """End the process that draws: the program ends, or draws for another theme."""
        if self._process is not None:
            self._process.kill()
            self._process.waitForFinished(1000)
            self._process.deleteLater()
            self._process = None

    @Slot()
    def _look(self) -> None:
        """Show what has been drawn; where something is missing, have it drawn, or say that it could not be."""
        process = self._process
        asked = process is not None and self._drawn_in == self.model.theme
        ended = process is not None and asked and process.state() == QProcess.ProcessState.NotRunning
        missing = self.model.look()  # after the process was looked at: what it has drawn last is not lost
        if missing and not asked:
            self._start_process()
        if missing and not ended:
            self._timer.start()
        else:
            self._timer.stop()
        self._delegate.instead = "no picture" if ended else "drawing …"
        self.view.viewport().update()

    def _start_process(self) -> None:
        """Have all pictures of this theme drawn, those that are shown first; what another theme lacks can wait."""
        self.close_process()
        self._process, self._drawn_in = QProcess(self), self.model.theme
        keys = dict.fromkeys(algorithm.key for algorithm in (*self.model.shown, *self.model.algorithms))
        self._process.start(sys.executable, ["-m", "mlviz", "thumbnails", *keys, "--theme", self.model.theme])

    @Slot(object)
    def _choose(self, index: Any) -> None:
        if index.isValid():
            key = index.data(METHOD).key
            self.accept()
            self.chosen.emit(key)


def _choice(name: str, everything: str, values: list[str], titles: dict[str, str] | None = None) -> ComboBox:
    box = ComboBox()
    box.setObjectName(name)
    box.setAccessibleName(everything)
    box.addItem(everything, "")
    for value in values:
        title = (titles or {}).get(value, value)
        box.addItem(title[:1].upper() + title[1:], value)
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box


def _chapter_place(name: str) -> tuple[str, int]:
    title, _, number = name.partition(", chapter ")
    return title, int(number or 0)
