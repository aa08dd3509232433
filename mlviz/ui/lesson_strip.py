"""The slides of a lesson as a strip of thumbnails: click to go there, drag to put them into another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import QAbstractListModel, QItemSelectionModel, QMimeData, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from mlviz.session.lesson import NO_LESSON, Lesson, Slide
from mlviz.ui.column_table import NOWHERE, Index
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, SPACING, Theme

SLIDE = Qt.ItemDataRole.UserRole
_MIME = "application/x-mlviz-slide"


class SlideModel(QAbstractListModel):
    """The slides; whatever is dropped between them is told by :attr:`moved`, and the document decides."""

    moved = Signal(int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lesson = NO_LESSON

    def show_lesson(self, lesson: Lesson) -> None:
        """Show these slides."""
        if len(lesson) != len(self.lesson):
            self.beginResetModel()
            self.lesson = lesson
            self.endResetModel()
        else:
            self.lesson = lesson
            self.redraw()

    @Slot()
    def redraw(self) -> None:
        """Something about the slides looks different."""
        if self.lesson.slides:
            self.dataChanged.emit(self.index(0), self.index(len(self.lesson) - 1))

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """One row a slide."""
        return 0 if parent.isValid() else len(self.lesson)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The title, the slide itself for the delegate, and all its words for a tool tip and a screen reader."""
        if not index.isValid():
            return None
        slide = self.lesson.slides[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return slide.title
        if role == SLIDE:
            return slide
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"Slide {index.row() + 1}: {slide.title}. {slide.question}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain("\n".join(filter(None, (slide.title, slide.question))))
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Slides can be dragged, and dropped between others."""
        flags = super().flags(index)
        return flags | (Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.ItemIsDropEnabled)

    def supportedDropActions(self) -> Qt.DropAction:
        """They are moved, not copied."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """A slide of this lesson by its number; nothing from elsewhere."""
        return [_MIME]

    def mimeData(self, indexes: Sequence[Any]) -> QMimeData:
        """The number of the slide."""
        data = QMimeData()
        data.setData(_MIME, str(indexes[0].row()).encode())
        return data

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        """Say which slide is wanted where; False, for Qt is not to take the dragged row away."""
        text = bytes(data.data(_MIME).data())
        if text.isdigit() and int(text) < len(self.lesson):
            source, place = int(text), len(self.lesson) if row < 0 else row
            self.moved.emit(source, place - (source < place))
        return False


class SlideDelegate(QStyledItemDelegate):
    """Paints a slide: its number, its picture, its title, and whether the board shows something else by now."""

    def __init__(self, picture: Callable[[Slide], QPixmap | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = picture
        self.theme = LIGHT
        self.current = 0
        self.changed = False

    @property
    def _thumbnail(self) -> QSize:
        width = round(self.theme.font * 10.4)
        return QSize(width, round(width * 0.625))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A picture in 8:5, with the number before and the title behind it."""
        small = self._thumbnail
        return QSize(round(small.width() * 2.05), small.height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Everything of one slide."""
        theme, slide, row = self.theme, index.data(SLIDE), index.row()
        state = QtWidgets.QStyle.StateFlag
        current, marked = row == self.current, bool(option.state & state.State_Selected)
        hovered = bool(option.state & state.State_MouseOver)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(option.rect).adjusted(1, 1, -1, -1)
        if current or hovered or marked:
            ground = QColor(theme.accent)
            ground.setAlphaF(0.14 if current or marked else 0.06)
            path = QPainterPath()
            path.addRoundedRect(area, 6, 6)
            painter.fillPath(path, ground)
        small, number = self._thumbnail, round(theme.font * 1.7)
        place = QRectF(area.left() + number + 2, area.center().y() - small.height() / 2, small.width(), small.height())
        before = QRectF(area.left() + 2, place.top(), number, 2 * number)
        self._write(painter, before, str(row + 1), current, theme.muted, 1)
        self._paint_picture(painter, place, slide, current)
        words = QRectF(place.right() + SPACING, place.top(), area.right() - place.right() - SPACING - 4, place.height())
        lines = 3 if current and self.changed else 4
        self._write(painter, words, slide.title, current, theme.text, lines)
        if current and self.changed:
            self._write(painter, words.adjusted(0, words.height() * 0.76, 0, 8), "changed", False, theme.accent, 1)
        painter.restore()

    def _paint_picture(self, painter: QPainter, place: QRectF, slide: Slide, current: bool) -> None:
        picture, theme = self._picture(slide), self.theme
        if picture is None or picture.isNull():
            painter.fillRect(place, QColor(theme.plot))
        else:
            painter.drawPixmap(place, picture, QRectF(picture.rect()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent if current else theme.border), 2.0 if current else 1.0))
        painter.drawRect(place)

    def _write(self, painter: QPainter, place: QRectF, text: str, bold: bool, colour: str, lines: int) -> None:
        font = QFont()
        font.setPointSizeF(self.theme.font * 0.92)
        font.setBold(bold)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        room = QRectF(place.left(), place.top(), place.width(), lines * metrics.lineSpacing())
        width = place.width() * (1.0 if lines == 1 else 0.9 * lines)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
        painter.drawText(room, int(Qt.TextFlag.TextWordWrap), shown)


class SlideStrip(QListView):
    """The list. It leaves all keys to the window: slides are turned and moved by actions."""

    chosen = Signal(int)
    renamed = Signal()
    """A slide was clicked twice: its title is wanted in hand."""

    def __init__(self, picture: Callable[[Slide], QPixmap | None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("slide_strip")
        self.setAccessibleName("Slides of the lesson")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDropIndicatorShown(True)
        self.slides = SlideModel(self)
        self.setModel(self.slides)
        self.painter = SlideDelegate(picture, self)
        self.setItemDelegate(self.painter)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(self._renamed)

    def show_lesson(self, lesson: Lesson, changed: bool) -> None:
        """Show the slides, which of them is current, and whether the board has gone on from it."""
        moved = lesson.current != self.painter.current or len(lesson) != len(self.slides.lesson)
        self.painter.current, self.painter.changed = lesson.current, changed
        self.slides.show_lesson(lesson)
        if moved and lesson.slides:
            self.scrollTo(self.slides.index(lesson.current))
        self.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        """While it was hidden, slides may have been turned."""
        super().showEvent(event)
        self.scrollTo(self.slides.index(self.painter.current))

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.painter.theme = theme
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def lie(self, across: bool) -> None:
        """Stand in a column, or lie in a row where the dock is above or below the board."""
        self.setFlow(QListView.Flow.LeftToRight if across else QListView.Flow.TopToBottom)
        self.setWrapping(False)

    def place_of(self, number: int) -> QRect:
        """Where a slide is drawn."""
        return self.visualRect(self.slides.index(number))

    def marked(self) -> tuple[int, ...]:
        """The numbers of the slides that are selected, with Ctrl or Shift and the mouse."""
        return tuple(sorted(index.row() for index in self.selectedIndexes()))

    def mark(self, numbers: Sequence[int]) -> None:
        """Select these slides."""
        self.clearSelection()
        for number in numbers:
            self.selectionModel().select(self.slides.index(number), QItemSelectionModel.SelectionFlag.Select)

    @Slot(object)
    def _clicked(self, index: Any) -> None:
        """Go to a slide, unless several are being selected."""
        if len(self.marked()) <= 1 and index.row() in self.marked():
            self.chosen.emit(index.row())

    @Slot(object)
    def _renamed(self, _: Any) -> None:
        self.renamed.emit()
