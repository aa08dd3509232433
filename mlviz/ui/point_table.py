"""The points as a table: sorted by any column, its rows linked with the plane, its cells editable."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QItemSelection, QItemSelectionModel, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from algorithms.data import Array, Data, DataError, Nothing, Points, Strings
from mlviz.data.roles import LARGEST
from mlviz.data.table import parsed
from mlviz.session import strings
from mlviz.ui.column_table import NOWHERE, Index, fit_headings

ROW = 26
"""The height of a row, in logical pixels."""
MAX_LISTED = 100_000
"""More items of another kind than points are not listed."""
MAX_SELECTED = 2_000
"""More rows than this are not marked one by one."""


class PointModel(QAbstractTableModel):
    """Rows are points in the chosen order; the target is the last column."""

    edited = Signal(object)
    """New :class:`Points`, after a cell was changed."""
    refused = Signal(str)

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.points: Points | None = None
        self.order: Array = np.zeros(0, dtype=np.int64)
        self._sorted: tuple[int, bool] | None = None

    def set_points(self, points: Points) -> None:
        """Show other points in the order that was chosen before."""
        self.beginResetModel()
        if self.points is not None and points.features != self.points.features:
            self._sorted = None
        self.points = points
        self.order = self._ordered()
        self.endResetModel()

    def _ordered(self) -> Array:
        assert self.points is not None
        if self._sorted is None or self._sorted[0] >= self.columnCount():
            return np.arange(self.points.n)
        column, descending = self._sorted
        values = self.points.X[:, column] if column < self.points.d else self.points.y
        assert values is not None
        return np.argsort(-values if descending else values, kind="stable")

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows; a negative column brings back the order of the data."""
        self._sorted = None if column < 0 else (column, order == Qt.SortOrder.DescendingOrder)
        if self.points is not None:
            self.beginResetModel()
            self.order = self._ordered()
            self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """One row per point."""
        return 0 if self.points is None or parent.isValid() else self.points.n

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """The features and the target."""
        return 0 if self.points is None or parent.isValid() else self.points.d + (self.points.y is not None)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The names of the columns, and the numbers of the points, counted from 1."""
        if role != Qt.ItemDataRole.DisplayRole or self.points is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            # a header that still counts the rows of before asks for them while the model is exchanged
            return int(self.order[section]) + 1 if section < len(self.order) else None
        return self.points.features[section] if section < self.points.d else self.points.target

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every cell can be edited."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A number, or the name of the class."""
        if self.points is None or not index.isValid():
            return None
        is_class = index.column() == self.points.d and self.points.is_labelled
        if role == Qt.ItemDataRole.TextAlignmentRole and not is_class:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return None
        point = int(self.order[index.row()])
        if index.column() < self.points.d:
            value = self.points.X[point, index.column()]
        else:
            assert self.points.y is not None
            value = self.points.y[point]
            if is_class:
                return self.points.classes[int(value)]
        return f"{value:.6g}" if role == Qt.ItemDataRole.DisplayRole else repr(float(value)).removesuffix(".0")

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Change a number or a class; what cannot be used is said and changes nothing."""
        if self.points is None or role != Qt.ItemDataRole.EditRole or value == index.data(role):
            return False
        try:
            points = changed(self.points, int(self.order[index.row()]), index.column(), str(value))
        except DataError as error:
            self.refused.emit(str(error))
            return False
        self.edited.emit(points)
        return True


class ItemModel(QAbstractTableModel):
    """The items of data of any other kind; texts can be typed in, and a new one below the last."""

    edited = Signal(object)
    """New data, after a cell was changed."""
    refused = Signal(str)

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.items: Data = Nothing()
        self.order: Array = np.zeros(0, dtype=np.int64)
        self._columns: dict[str, list[Any]] = {}

    def set_data(self, data: Data) -> None:
        """Show other data."""
        self.beginResetModel()
        self.items = data
        self.order = np.arange(data.n + isinstance(data, Strings))
        self._columns = data.columns() if data.n <= MAX_LISTED else {}
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows; a negative column brings back the order of the data."""
        self.beginResetModel()
        count = len(self.order)
        values = list(self._columns.values())[column] if 0 <= column < len(self._columns) else range(count)
        down = order == Qt.SortOrder.DescendingOrder and column >= 0
        placed = sorted(range(len(values)), key=lambda row: values[row], reverse=down)
        self.order = np.array([*placed, *range(len(values), count)], dtype=np.int64)
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """One row per item."""
        return 0 if parent.isValid() or not self._columns else len(self.order)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """What there is to say of an item."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The names of the columns, and the numbers of the items, counted from 1."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            if section >= len(self.order):
                return None
            return int(self.order[section]) + 1 if self.order[section] < self.items.n else "+"
        return list(self._columns)[section] if section < len(self._columns) else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Texts can be edited."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsEditable if isinstance(self.items, Strings) else usual

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A number or a text."""
        if not index.isValid() or self.order[index.row()] >= self.items.n:
            return None
        value = list(self._columns.values())[index.column()][int(self.order[index.row()])]
        if role == Qt.ItemDataRole.TextAlignmentRole and isinstance(value, int | float):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return None
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Change a text or its class; what cannot be used is said and changes nothing."""
        if role != Qt.ItemDataRole.EditRole or not isinstance(self.items, Strings) or value == index.data(role):
            return False
        try:
            made = strings.changed(self.items, int(self.order[index.row()]), index.column(), str(value))
        except DataError as error:
            self.refused.emit(str(error))
            return False
        self.edited.emit(made)
        return True


def changed(points: Points, point: int, column: int, text: str) -> Points:
    """The points with one cell changed."""
    if column == points.d and points.is_labelled:
        assert points.y is not None
        if text.strip() not in points.classes:
            raise DataError(f"There is no class {text.strip()[:40]!r}; there are {', '.join(points.classes)}.")
        y = points.y.copy()
        y[point] = points.classes.index(text.strip())
        return dataclasses.replace(points, y=y)
    number = parsed(text)
    if number is None or not abs(number) <= LARGEST:
        what = "too large" if number is not None and np.isfinite(number) else "not a finite number"
        raise DataError(f"{text.strip()[:40]!r} is {what}.")
    if column == points.d:
        assert points.y is not None
        values = points.y.copy()
        values[point] = number
        return dataclasses.replace(points, y=values)
    X = points.X.copy()
    X[point, column] = number
    return dataclasses.replace(points, X=X)


class RowNumbers(QHeaderView):
    """The numbers of the rows, as wide as the largest: Qt would measure two hundred of them at every change of look."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setSectionsClickable(True)
        self.setHighlightSections(True)
        self.setDefaultSectionSize(ROW)

    def sizeHint(self) -> QSize:
        """The room around the first number is that around all."""
        if not self.count() or not self.model().rowCount():
            return super().sizeHint()
        font = QFont(self.font())
        font.setBold(True)  # as the number of the row in which the keyboard is
        first = str(self.model().headerData(0, Qt.Orientation.Vertical))
        wide = (QFontMetrics(font).horizontalAdvance(text) for text in ("0" * len(str(self.count())), first))
        largest, known = wide
        around = self.sectionSizeFromContents(0)
        return QSize(around.width() + max(largest - known, 0), around.height())


class PointTable(QWidget):
    """The table with its links: selected rows are meant in every view, meant points are selected here."""

    points_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("point_table")
        self.model = PointModel(self)
        self.items = ItemModel(self)
        self.view = QTableView(objectName="point_table_view", sortingEnabled=False)
        self.view.setModel(self.model)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setTabKeyNavigation(False)
        self.view.setAccessibleName("Table of the points")
        header = self.view.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self._sort)
        self.view.setVerticalHeader(RowNumbers(self.view))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.view.selectionModel().selectionChanged.connect(self._selected)
        self._quiet = False

    def sizeHint(self) -> QSize:
        """The heading and four rows: the board needs the height more."""
        return QSize(self.view.sizeHint().width(), round(5.5 * ROW))

    def set_data(self, data: Data) -> None:
        """Show these items when somebody looks."""
        if not isinstance(data, Points):
            self._set_items(data)
            return
        before = self.model.points
        if data is before and self.view.model() is self.model:
            return
        self._quiet = True
        self.model.set_points(data)
        self._use(self.model)
        self._quiet = False
        if before is None or (before.features, before.target) != (data.features, data.target):
            fit_headings(self.view)

    def _set_items(self, data: Data) -> None:
        if data is self.items.items and self.view.model() is self.items:
            return
        self._quiet = True
        self.items.set_data(data)
        self._use(self.items)
        self._quiet = False
        fit_headings(self.view)

    def _use(self, model: PointModel | ItemModel) -> None:
        """Show a model; the selection belongs to it, so its changes are listened to anew."""
        if self.view.model() is not model:
            self.view.setModel(model)
            self.view.selectionModel().selectionChanged.connect(self._selected)

    @property
    def _shown(self) -> PointModel | ItemModel:
        return self.items if self.view.model() is self.items else self.model

    @Slot(int, Qt.SortOrder)
    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        self._shown.sort(column, order)

    @Slot(object)
    def mark(self, points: Array) -> None:
        """Another view means these points, or none: select their rows and go there."""
        model = self._shown
        if not model.rowCount() or len(points) > MAX_SELECTED or not self.isVisible():
            return
        if np.array_equal(np.sort(self._chosen()), np.sort(points)):
            return
        place = np.empty(len(model.order), dtype=np.int64)
        place[model.order] = np.arange(len(model.order))
        rows = np.sort(place[np.asarray(points, dtype=np.int64)])
        selection = QItemSelection()
        last = model.columnCount() - 1
        for row in rows.tolist():
            selection.select(model.index(row, 0), model.index(row, last))
        self._quiet = True
        self.view.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._quiet = False
        if len(rows):
            self.view.scrollTo(model.index(int(rows[0]), 0))

    @Slot()
    def _selected(self) -> None:
        if not self._quiet:
            self.points_chosen.emit(self._chosen())

    def _chosen(self) -> Array:
        """The points whose rows are selected."""
        ranges = self.view.selectionModel().selection()
        parts = [ranges.at(number) for number in range(ranges.count())]
        rows = [row for part in parts for row in range(part.top(), part.bottom() + 1)]
        chosen = np.asarray(self._shown.order[np.unique(np.array(rows, dtype=np.int64))])
        return chosen if self._shown is self.model else chosen[chosen < self.items.items.n]
