"""A layout that writes its widgets in lines, like words: as many on each line as have room."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget


class FlowLayout(QLayout):
    """Widgets from left to right and from line to line; one that ignores its own width takes what its line leaves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []

    def addItem(self, item: QLayoutItem) -> None:
        """Append."""
        self._items.append(item)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One of them."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove one of them."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more height than its lines."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """A narrow place needs more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines."""
        margins = self.contentsMargins()
        lines = self._lines(width - margins.left() - margins.right())
        heights = sum(max(item.sizeHint().height() for item in line) for line in lines)
        return heights + self.spacing() * max(len(lines) - 1, 0) + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        """The room of the largest widget: the lines are broken to what there is."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The room of the largest widget."""
        margins, size = self.contentsMargins(), QSize()
        for item in self._shown():
            size = size.expandedTo(QSize(0 if _ignores(item) else item.minimumSize().width(), item.sizeHint().height()))
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def setGeometry(self, rect: QRect) -> None:
        """Put every widget into its place."""
        super().setGeometry(rect)
        inner = rect.marginsRemoved(self.contentsMargins())
        top = inner.top()
        for line in self._lines(inner.width()):
            left, height = inner.left(), max(item.sizeHint().height() for item in line)
            for item in line:
                rest = max(inner.right() + 1 - left, 0)
                width = rest if _ignores(item) else min(item.sizeHint().width(), rest)
                item.setGeometry(QRect(QPoint(left, top), QSize(width, height)))
                left += width + self.spacing()
            top += height + self.spacing()

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        used = 0
        for item in self._shown():
            wide = 0 if _ignores(item) else item.sizeHint().width()
            if lines and (_ignores(item) or used + self.spacing() + wide <= width):
                lines[-1].append(item)
                used += self.spacing() + wide
            else:
                lines.append([item])
                used = wide
        return lines


def _ignores(item: QLayoutItem) -> bool:
    widget = item.widget()
    return widget is not None and widget.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Ignored
