"""The first look at the data: a summary of every column, correlations, a scatter matrix, class balance and hints.

Computed in a thread; follows the document while it is open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from algorithms.data import Array, Points
from algorithms.maths.words import counted
from mlviz.data.exploring import Exploration, FeatureSummary, explore, summarise
from mlviz.ui import problems
from mlviz.ui.column_table import NOWHERE, Index
from mlviz.ui.explore_page import PicturePage
from mlviz.ui.explore_plots import BalanceBars, HeatMap, ScatterMatrix, stacked_bars
from mlviz.views.plain_text import PlainLabel, plain
from mlviz.views.theme import LIGHT, SPACING, Theme
from mlviz.worker.task import Task

HEADINGS = (
    *("Feature", "Histogram", "Mean", "Std", "Skewness", "Min", "25 %", "Median", "75 %", "Max"),
    *("Distinct", "Outliers", "With target"),
)
HISTOGRAM = 1
POLL = 30


class SummaryModel(QAbstractTableModel):
    """One row per feature; while points are selected a second one below it, of these alone."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.seen: Exploration | None = None
        self.chosen: tuple[FeatureSummary, ...] = ()
        self.count = 0
        self.theme: Theme = LIGHT

    def set_exploration(self, seen: Exploration | None, theme: Theme) -> None:
        """Show another data set."""
        self.beginResetModel()
        if seen is not self.seen:
            self.chosen, self.count = (), 0
        self.seen, self.theme = seen, theme
        self.endResetModel()

    def set_selection(self, chosen: tuple[FeatureSummary, ...], count: int) -> None:
        """Show what so many selected points are like; none for no selection."""
        self.beginResetModel()
        self.chosen, self.count = chosen, count
        self.endResetModel()

    def feature(self, row: int) -> FeatureSummary:
        """What a row speaks of."""
        assert self.seen is not None
        if not self.chosen:
            return self.seen.features[row]
        return (self.chosen if row % 2 else self.seen.features)[row // 2]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """The features."""
        if self.seen is None or parent.isValid():
            return 0
        return len(self.seen.features) * (2 if self.chosen else 1)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """What is said of each."""
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The headings."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(TIPS.get(HEADINGS[section], ""))
        return HEADINGS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A number in a few digits."""
        if self.seen is None or not index.isValid():
            return None
        selected = bool(self.chosen) and index.row() % 2 == 1
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() > HISTOGRAM:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and selected:
            return QColor(self.theme.accent)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        feature = self.feature(index.row())
        numbers = (feature.mean, feature.deviation, feature.skewness, *feature.quantiles)
        name = f"    {counted(self.count, 'selected point')}" if selected else feature.name
        texts = (name, "", *(f"{number:.4g}" for number in numbers))
        target = "" if feature.outcome is None else f"{feature.outcome:.2f}"
        shown = (*texts, f"{feature.distinct:,}", f"{feature.outliers:,}", target)[index.column()]
        return (plain(shown) if role == Qt.ItemDataRole.ToolTipRole else shown) or None


TIPS = {
    "Skewness": "0: symmetric; above 0: a long tail towards large values; below 0: towards small ones.",
    "With target": "How the feature goes together with the target by itself: Pearson's r with a value; "
    "with classes the correlation ratio, from 0 to 1.",
}


class _Bars(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        if isinstance(model, SummaryModel) and model.seen is not None:
            painter.save()
            area = QRectF(option.rect).adjusted(6, 3, -6, -3)
            stacked_bars(painter, area, model.feature(index.row()).counts, model.theme)
            painter.restore()


class ExploreDialog(QDialog):
    """A window beside the laboratory; it stays open and follows the data."""

    pair_chosen = Signal(object)

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("explore_dialog")
        self._theme = theme
        self._task: Task[Exploration] | None = None
        self._points: Points | None = None
        self._rows: Array = np.empty(0, dtype=np.intp)
        self.seen: Exploration | None = None
        self.model = SummaryModel(self)
        self.heat, self.scatter, self.balance = HeatMap("heat_map"), ScatterMatrix("scatter_matrix"), BalanceBars()
        self.pages = PicturePage(self.heat), PicturePage(self.scatter)
        self._build()
        self._timer = QTimer(self, objectName="explore_poll", interval=POLL)
        self._timer.timeout.connect(self._poll)
        self.heat.pair_chosen.connect(self.pair_chosen)
        self.scatter.pair_chosen.connect(self.pair_chosen)
        self.finished.connect(self._end)
        room = self.screen().availableSize()
        self.resize(min(round(94 * theme.font), room.width()), min(round(62 * theme.font), room.height()))

    def _build(self) -> None:
        self.hints = PlainLabel(objectName="hints", wordWrap=True)
        self.hints.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        view = QTableView(objectName="summary_view")
        view.setModel(self.model)
        view.setItemDelegateForColumn(HISTOGRAM, _Bars(view))
        view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        view.setTabKeyNavigation(False)
        view.verticalHeader().hide()
        self.view = view
        self._size_columns()
        self.tabs = QTabWidget(objectName="explore_tabs", documentMode=True)
        self.tabs.addTab(view, "Columns")
        for page, title in zip(self.pages, ("Correlation", "Scatter matrix")):
            self.tabs.addTab(page, title)
            page.changed.connect(self._show_note)
        area = QScrollArea(objectName="balance_area", widgetResizable=True)
        area.setWidget(self.balance)
        self.tabs.addTab(area, "Classes")
        self.note = PlainLabel(objectName="explore_note", wordWrap=True)
        self.note.setProperty("role", "muted")
        self.tabs.currentChanged.connect(self._show_note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[SPACING * 2] * 4)
        layout.setSpacing(SPACING)
        layout.addWidget(self.hints)
        layout.addWidget(self.tabs, stretch=1)
        layout.addWidget(self.note)

    def set_theme(self, theme: Theme) -> None:
        """Colours from now on."""
        self._theme = theme
        self._size_columns()
        self._show()

    def _size_columns(self) -> None:
        font, header = self._theme.font, self.view.horizontalHeader()
        header.ensurePolished()  # only then it knows its letters
        self.view.verticalHeader().setDefaultSectionSize(round(font * 3.4))
        for column, width in enumerate((15.0, 12.0, *[6.0] * (len(HEADINGS) - 2))):
            self.view.setColumnWidth(column, max(round(font * width), header.sectionSizeHint(column)))

    def set_selection(self, rows: Array) -> None:
        """Also show what these points are like, while they are selected."""
        self._rows = rows
        known = self.seen is not None and self.seen.points is self._points
        if not known or self._points is None:
            return
        some = 0 < len(rows) < self._points.n and int(rows.max()) < self._points.n
        self.model.set_selection(summarise(self._points, rows) if some else (), len(rows) if some else 0)

    def set_points(self, points: Points) -> None:
        """Look at these points; what is on show stays until the new look is ready."""
        if points is self._points:
            return
        self._points = points
        self.setWindowTitle(f"Explore {points.name}")
        if self._task is not None:
            self._task.cancel()
        self._task = Task(lambda reading: explore(points, reading), "mlviz-explore")
        if self.seen is None:
            self.hints.setText("Looking at the data …")
        self._timer.start()

    @Slot()
    def _poll(self) -> None:
        outcome = None if self._task is None else self._task.poll()
        if outcome is None:
            return
        self._task = None
        self._timer.stop()
        if outcome.error is not None:
            problems.report(outcome.error)
            return
        self.seen = outcome.value
        self._show()
        self.set_selection(self._rows)

    def _show(self) -> None:
        for part in (self.model, *self.pages, self.balance):
            part.set_exploration(self.seen, self._theme)
        if self.seen is not None:
            self.hints.setText("\n".join(f"• {hint}" for hint in self.seen.hints))
            self.tabs.setTabVisible(3, bool(self.seen.balance))
        self._show_note()

    @Slot()
    def _show_note(self) -> None:
        """What the picture leaves out, and what a click does."""
        page = {1: self.pages[0], 2: self.pages[1]}.get(self.tabs.currentIndex())
        if page is None or self.seen is None:
            balance = self.tabs.currentIndex() == 3
            outliers = (
                "Outliers lie more than 1.5 interquartile ranges outside the quartiles. Select points in the plane "
                "(V, or S for a lasso) to see what they alone are like."
            )
            self.note.setText("How many points each class has." if balance else outliers)
            return
        self.note.setText(f"{page.note}Click a pair to look at it in the plane.")

    @Slot()
    def _end(self) -> None:
        self._timer.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.deleteLater()
