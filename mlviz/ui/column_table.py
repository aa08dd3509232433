"""The list of columns in the column dialog: what each holds, a tiny histogram, and what it is to be used as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from mlviz.data.roles import ROLES, Role
from mlviz.data.table import Summary, Table
from mlviz.ui.controls import ListBox
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
HEADINGS = ("Column", "Type", "Missing", "Range", "Histogram", "Use as")
NAME, KIND, MISSING, RANGE, HISTOGRAM, ROLE = range(6)
BARS = Qt.ItemDataRole.UserRole
NOWHERE = QModelIndex()


def fit_headings(view: QTableView, widest: float = 28.0) -> None:
    """Make every column wide enough for its name, up to so many letters; names that are longer end with an ellipsis."""
    header = view.horizontalHeader()
    header.ensurePolished()  # only then it knows its letters
    header.setTextElideMode(Qt.TextElideMode.ElideRight)
    most = round(widest * header.fontMetrics().averageCharWidth())
    for column in range(header.count()):
        hint = min(header.sectionSizeHint(column), max(most, header.defaultSectionSize()))
        header.resizeSection(column, max(hint, header.defaultSectionSize()))


class ColumnModel(QAbstractTableModel):
    """One row per column of the table. Only the last cell can be edited: there is one target at most."""

    roles_changed = Signal()

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._summaries: list[Summary] = []
        self.roles: list[Role] = []
        self.theme: Theme = LIGHT

    def set_table(self, table: Table | None, summaries: Sequence[Summary], roles: Sequence[Role]) -> None:
        """Show another table."""
        self.beginResetModel()
        self._names = [] if table is None else [column.name for column in table.columns]
        self._summaries = list(summaries)
        self.roles = list(roles)
        self.endResetModel()

    def set_roles(self, rows: Sequence[int], role: Role) -> None:
        """Use these columns so; a new target or class makes the old one a feature again (or leaves it out)."""
        if role in ("target", "class"):
            rows = rows[:1]
            for row, old in enumerate(self.roles):
                if old in ("target", "class"):
                    self.roles[row] = "ignore" if self._summaries[row].kind == "text" else "feature"
        for row in rows:
            self.roles[row] = role
        if rows:
            self.dataChanged.emit(self.index(0, ROLE), self.index(len(self.roles) - 1, ROLE))
            self.roles_changed.emit()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """How many columns the table has."""
        return 0 if parent.isValid() else len(self._names)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """How much is said of each."""
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The headings; the rows are counted from 1."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return HEADINGS[section] if orientation == Qt.Orientation.Horizontal else section + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The use can be changed."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == ROLE else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if not index.isValid():
            return None
        summary = self._summaries[index.row()]
        if role == BARS:
            return summary.bars
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.EditRole):
            texts = (self._names[index.row()], summary.kind, f"{summary.missing:,}" if summary.missing else "", "", "")
            shown = summary.range if index.column() == RANGE else (*texts, self.roles[index.row()])[index.column()]
            return (plain(shown) if role == Qt.ItemDataRole.ToolTipRole else shown) or None
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == MISSING:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(index)
        return None

    def _colour(self, index: Index) -> QColor | None:
        role = self.roles[index.row()]
        if index.column() == MISSING:
            return QColor(self.theme.warning)
        if role == "ignore":
            return QColor(self.theme.muted)
        return QColor(self.theme.accent) if index.column() == ROLE and role != "feature" else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take another use from the editor."""
        if index.column() != ROLE or role != Qt.ItemDataRole.EditRole or value not in ROLES:
            return False
        if value != self.roles[index.row()]:
            self.set_roles([index.row()], value)
        return True


class HistogramDelegate(QStyledItemDelegate):
    """Paints the tiny histogram of a column."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Bars from the bottom of the cell."""
        super().paint(painter, option, index)
        bars = index.data(BARS)
        model = index.model()
        if not bars or not isinstance(model, ColumnModel):
            return
        area = QRectF(option.rect).adjusted(6, 4, -6, -4)
        width = area.width() / max(len(bars), 8)
        painter.save()
        used = model.roles[index.row()] != "ignore"
        colour = QColor(model.theme.accent if used else model.theme.muted)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for number, height in enumerate(bars):
            tall = max(height * area.height(), 1.0 if height else 0.0)
            painter.drawRect(QRectF(area.left() + number * width, area.bottom() - tall, max(width - 1.0, 1.0), tall))
        painter.restore()


class RoleDelegate(QStyledItemDelegate):
    """Chooses the use of a column from a list."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """The list, open at once."""
        editor = ListBox(parent, objectName="role_editor")
        editor.addItems(list(ROLES))
        editor.activated.connect(lambda: self._finish(editor))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the present use."""
        assert isinstance(editor, QComboBox)
        editor.setCurrentText(str(index.data()))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Give the choice to the model."""
        assert isinstance(editor, QComboBox)
        model.setData(index, editor.currentText())

    def _finish(self, editor: QComboBox) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)


class PreviewModel(QAbstractTableModel):
    """The first rows of the table as they were understood."""

    ROWS = 50

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._table: Table | None = None

    def set_table(self, table: Table | None) -> None:
        """Show another table."""
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """At most so many."""
        return 0 if self._table is None or parent.isValid() else min(self._table.rows, self.ROWS)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """All of them."""
        return 0 if self._table is None or parent.isValid() else len(self._table.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The names of the columns; the rows are counted from 1."""
        if role != Qt.ItemDataRole.DisplayRole or self._table is None:
            return None
        return self._table.columns[section].name if orientation == Qt.Orientation.Horizontal else section + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """To be looked at."""
        return Qt.ItemFlag.ItemIsEnabled if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; numbers to the right, so that words among them are seen."""
        if self._table is None or not index.isValid():
            return None
        column = self._table.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.shown(index.row())
        if role == Qt.ItemDataRole.TextAlignmentRole and not column.is_text:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None
