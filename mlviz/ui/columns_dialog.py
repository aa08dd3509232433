"""The column dialog: how a table is read and what each column is for, seen before anything changes.

Reading and preparing run in a thread; the dialog polls. The document is touched only when the user says Open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QSpinBox,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from algorithms.data import DataError, Points
from mlviz.data.encoding import ENCODINGS, title
from mlviz.data.reading import Reading
from mlviz.data.roles import ROLES, Choices, Imported, Role, check_workable, to_points
from mlviz.data.table import MAX_ROWS, ReadOptions, Summary, Table, summarise
from mlviz.data.understanding import Needs, Understood, Wishes, understood
from mlviz.ui import problems
from mlviz.ui.column_table import (
    HISTOGRAM,
    KIND,
    MISSING,
    NAME,
    RANGE,
    ROLE,
    ColumnModel,
    HistogramDelegate,
    PreviewModel,
    RoleDelegate,
    fit_headings,
)
from mlviz.ui.controls import ComboBox, PushButton
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import LIGHT, SPACING, Theme
from mlviz.worker.task import Outcome, Task

Read = Callable[[ReadOptions, Reading], Table]
SAMPLE = 10_000
"""More rows than this are sampled unless the user wants more."""
POLL = 30
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
DECIMALS = {".": "point", ",": "comma"}
HEADERS = {True: "names first", False: "no names"}
GAPS = {
    "suggested": "as suggested",
    "drop": "leave out the row",
    "mean": "fill in the mean",
    "median": "fill in the median",
    "mode": "fill in the mode",
    "refuse": "do not open",
}


@dataclass(frozen=True, slots=True)
class _Loaded:
    table: Table
    summaries: tuple[Summary, ...]
    understood: Understood


class ColumnsDialog(QDialog):
    """Shows a table that is being read from ``read`` and hands over the points that the user makes of it."""

    imported = Signal(object)
    """An :class:`~mlviz.data.roles.Imported`, when the user says Open."""
    refused = Signal(str)
    """The sentence that says why the table cannot be read."""

    def __init__(
        self, name: str, read: Read, theme: Theme = LIGHT, parent: QWidget | None = None, needs: Needs = "any"
    ) -> None:
        super().__init__(parent)
        self.setObjectName("columns_dialog")
        self.setWindowTitle(f"Open {name}")
        self._read = read
        self._wishes = Wishes(needs=needs)
        self._understood: Understood | None = None
        self._notes: tuple[str, ...] = ()
        self._load: Task[_Loaded] | None = None
        self._prepare: Task[Imported] | None = None
        self._table: Table | None = None
        self._result: Imported | None = None
        self.columns, self.preview = ColumnModel(self), PreviewModel(self)
        self.columns.theme = theme
        self._build(theme)
        self._timer = QTimer(self, objectName="columns_poll", interval=POLL)
        self._timer.timeout.connect(self._poll)
        self.columns.roles_changed.connect(self._prepare_points)
        self.finished.connect(self._end)
        self._start()

    # -- construction --------------------------------------------------------------------------------------------

    def _build(self, theme: Theme) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[SPACING * 2] * 4)
        layout.setSpacing(SPACING)
        layout.addWidget(self._reading_row())
        halves = QSplitter(Qt.Orientation.Vertical, objectName="columns_halves", childrenCollapsible=False)
        halves.addWidget(self._columns_view(theme))
        halves.addWidget(self._preview_view(theme))
        halves.setSizes([280, 150])
        layout.addWidget(halves, stretch=1)
        layout.addLayout(self._role_row())
        layout.addLayout(self._rows_row())
        self.status = PlainLabel(objectName="columns_status", wordWrap=True)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.status)
        layout.addLayout(self._button_row())
        self.view.setFocus()  # here Enter opens the table; in a combo box it would open a list
        room = self.screen().availableSize()
        self.resize(min(round(86 * theme.font), room.width()), min(round(66 * theme.font), room.height()))

    def _reading_row(self) -> QWidget:
        self.options_row = QWidget(objectName="read_options")
        grid = QGridLayout(self.options_row)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACING)
        self.separator = self._chooser("separator", SEPARATORS)
        self.decimal = self._chooser("decimal", DECIMALS)
        self.header = self._chooser("header", HEADERS)
        self.encoding = self._chooser("encoding", {name: title(name) for name in ENCODINGS})
        self.sheet = ComboBox()
        self.sheet.setObjectName("option_sheet")
        self.sheet.activated.connect(self._start)
        named = {"Separator": self.separator, "Decimal mark": self.decimal, "Header": self.header}
        for column, (text, box) in enumerate({**named, "Encoding": self.encoding, "Sheet": self.sheet}.items()):
            label = PlainLabel(text)
            label.setProperty("role", "muted")
            label.setBuddy(box)
            box.setAccessibleName(text)
            grid.addWidget(label, 0, column)
            grid.addWidget(box, 1, column)
            grid.setColumnStretch(column, 0 if box is self.sheet else 1)
            box.setProperty("caption", label)
            for part in (box, label):
                part.setVisible(box is not self.sheet)  # not before it is known that there are several
        return self.options_row

    def _chooser(self, name: str, choices: dict[Any, str]) -> ComboBox:
        box = ComboBox()
        box.setObjectName(f"option_{name}")
        box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(6)
        box.addItem("detected", None)
        for value, text in choices.items():
            box.addItem(text, value)
        box.activated.connect(self._start)
        return box

    def _columns_view(self, theme: Theme) -> QTableView:
        view = QTableView(objectName="columns_view", alternatingRowColors=False, showGrid=False)
        view.setModel(self.columns)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setItemDelegateForColumn(HISTOGRAM, HistogramDelegate(view))
        view.setItemDelegateForColumn(ROLE, RoleDelegate(view))
        view.setWordWrap(False)
        view.verticalHeader().setDefaultSectionSize(round(theme.font * 3.3))
        view.verticalHeader().hide()
        view.setColumnWidth(NAME, min(round(theme.font * 19), 240))
        view.setColumnWidth(HISTOGRAM, round(94 + 3.6 * theme.font))
        for column in (KIND, MISSING, ROLE):
            view.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        view.horizontalHeader().setSectionResizeMode(RANGE, QHeaderView.ResizeMode.Stretch)
        view.setTabKeyNavigation(False)
        view.clicked.connect(self._clicked)
        self.view = view
        return view

    def _preview_view(self, theme: Theme) -> QTableView:
        view = QTableView(objectName="columns_preview")
        view.setModel(self.preview)
        view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        view.setTabKeyNavigation(False)
        view.verticalHeader().setDefaultSectionSize(round(theme.font * 2.4))
        view.horizontalHeader().setDefaultSectionSize(round(theme.font * 9.5))
        view.setAccessibleName("Preview of the first rows")
        self.preview_view = view
        return view

    def _role_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(PlainLabel("Selected columns are"))
        for role in ROLES:
            button = PushButton(role)
            button.setObjectName(f"use_as_{role}")
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._use_selected, role))
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _rows_row(self) -> QHBoxLayout:
        self.missing = ComboBox()
        self.missing.setObjectName("missing")
        for value, text in GAPS.items():
            self.missing.addItem(text, value)
        self.missing.activated.connect(self._prepare_points)
        self.limit = QSpinBox(objectName="limit", minimum=10, maximum=MAX_ROWS, singleStep=1000, value=SAMPLE)
        self.limit.setGroupSeparatorShown(True)
        self.limit.setKeyboardTracking(False)
        self.limit.setToolTip("A larger table is sampled at random, always in the same way")
        self.limit.valueChanged.connect(self._prepare_points)
        row = QHBoxLayout()
        for text, box in (("Missing values", self.missing), ("Rows at most", self.limit)):
            label = PlainLabel(text)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
            row.addSpacing(SPACING * 2)
        row.addStretch(1)
        return row

    def _button_row(self) -> QHBoxLayout:
        self.progress = QProgressBar(objectName="columns_progress", textVisible=False, maximumHeight=8)
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.cancel_button = PushButton("Cancel")
        self.cancel_button.setObjectName("columns_cancel")
        self.cancel_button.setAutoDefault(False)
        self.open_button = PushButton("Open")
        self.open_button.setObjectName("columns_open")
        self.open_button.setProperty("role", "primary")
        self.open_button.setDefault(True)
        self.cancel_button.clicked.connect(self.reject)
        self.open_button.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(self.progress, stretch=1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.open_button)
        return row

    # -- reading -------------------------------------------------------------------------------------------------

    @property
    def options(self) -> ReadOptions:
        """How the user wants the file to be read."""
        return ReadOptions(
            separator=self.separator.currentData(),
            decimal=self.decimal.currentData(),
            header=self.header.currentData(),
            encoding=self.encoding.currentData(),
            sheet=self.sheet.currentData(),
        )

    @Slot()
    def _start(self) -> None:
        """Read the table (again) as the options say."""
        self._stop_tasks()
        self._result = None
        self._load = Task(partial(_loaded, self._read, self._wishes, self.options), "mlviz-load")
        self._show_state()
        self._timer.start()

    @Slot()
    def _prepare_points(self) -> None:
        """Find out what the choices make of the table."""
        if self._table is None:
            return
        if self._prepare is not None:
            self._prepare.cancel()
        choices = Choices(tuple(self.columns.roles), self.missing.currentData(), self.limit.value())
        self._result = None
        suggested = self._understood is not None and choices.roles == self._understood.roles
        self._notes = self._understood.notes if suggested and self._understood is not None else ()
        self._prepare = Task(partial(_prepared, self._table, choices), "mlviz-prepare")
        self._show_state()
        self._timer.start()

    @Slot()
    def _poll(self) -> None:
        if self._load is not None:
            self._show_state()
            outcome = self._load.poll()
            if outcome is not None:
                self._load = None
                self._take(outcome)
        elif self._prepare is not None:
            made = self._prepare.poll()
            if made is not None:
                self._prepare = None
                self._take_points(made)
        else:
            self._timer.stop()

    def _take(self, outcome: Outcome[_Loaded]) -> None:
        if outcome.error is not None:
            self._table = None
            self.columns.set_table(None, (), ())
            self.preview.set_table(None)
            self._complain(outcome.error)
            return
        assert outcome.value is not None
        loaded = outcome.value
        names = [] if self._table is None else [column.name for column in self._table.columns]
        same = names == [column.name for column in loaded.table.columns]
        roles = tuple(self.columns.roles) if same else loaded.understood.roles
        self._table, self._understood = loaded.table, loaded.understood
        self.columns.set_table(loaded.table, loaded.summaries, roles)
        self.preview.set_table(loaded.table)
        fit_headings(self.preview_view)
        self._show_options(loaded.table)
        self._prepare_points()

    def _take_points(self, outcome: Outcome[Imported]) -> None:
        if outcome.error is not None:
            self._complain(outcome.error)
            return
        self._result = outcome.value
        self._show_state()

    def _complain(self, error: BaseException) -> None:
        self._show_state()
        self._say(str(error) if isinstance(error, DataError) else "The table cannot be read.", "error")
        if isinstance(error, DataError):
            self.refused.emit(str(error))
        else:
            problems.report(error)

    # -- showing -------------------------------------------------------------------------------------------------

    def _show_state(self) -> None:
        reading = self._load
        self.progress.setVisible(reading is not None)
        if reading is not None:
            fraction = reading.reading.fraction
            self.progress.setRange(0, 1000 if fraction >= 0 else 0)
            self.progress.setValue(round(1000 * max(fraction, 0.0)))
            self._say(f"{reading.reading.stage or 'Opening'} …", "muted")
        self.open_button.setEnabled(self._result is not None)
        if self._result is not None:
            notices = " ".join((*self._notes, *self._result.notices))
            self._say(f"{described(self._result.points)} {notices}".strip(), "warning" if notices else "muted")

    def _say(self, text: str, role: str) -> None:
        self.status.setText(text)
        if self.status.property("role") != role:
            self.status.setProperty("role", role)
            self.status.style().polish(self.status)

    def _show_options(self, table: Table) -> None:
        """Write beside "detected" what was detected; hide what means nothing for this kind of file."""
        used = table.options
        for box, found, shown in (
            (self.separator, SEPARATORS.get(used.separator or "", used.separator or ""), table.plain_text),
            (self.decimal, DECIMALS.get(used.decimal or "", ""), table.plain_text),
            (self.header, HEADERS.get(bool(used.header), ""), table.plain_text or bool(table.sheets)),
            (self.encoding, title(used.encoding or ""), table.plain_text),
            (self.sheet, "", len(table.sheets) > 1),
        ):
            if box is not self.sheet and box.currentIndex() == 0:
                box.setItemText(0, f"{found} (detected)" if found else "detected")
            box.setVisible(shown)
            box.property("caption").setVisible(shown)
        if [self.sheet.itemText(row) for row in range(self.sheet.count())] != list(table.sheets):
            self.sheet.clear()
            for name in table.sheets:
                self.sheet.addItem(name, name)
        self.sheet.setCurrentText(used.sheet or "")
        self.options_row.setVisible(table.plain_text or bool(table.sheets))

    # -- the user ------------------------------------------------------------------------------------------------

    @Slot(object)
    def _clicked(self, index: Any) -> None:
        if index.column() == ROLE:
            self.view.edit(index)

    def _use_selected(self, role: Role, *_: Any) -> None:
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        self.columns.set_roles(rows, role)

    def accept(self) -> None:
        """Hand the points over; not before they are ready."""
        if self._result is not None:
            self.imported.emit(self._result)
            super().accept()

    @Slot()
    def _end(self) -> None:
        self._stop_tasks()
        self._timer.stop()
        self._table = self._result = None
        self.deleteLater()

    def _stop_tasks(self) -> None:
        for task in (self._load, self._prepare):
            if task is not None:
                task.cancel()
        self._load = self._prepare = None


def _loaded(read: Read, wishes: Wishes, options: ReadOptions, reading: Reading) -> _Loaded:
    table = read(options, reading)
    summaries = []
    for number, column in enumerate(table.columns):
        reading.step(number / len(table.columns), "Summarising the columns")
        summaries.append(summarise(column))
    return _Loaded(table, tuple(summaries), understood(table, wishes))


def _prepared(table: Table, choices: Choices, reading: Reading) -> Imported:
    reading.step(0.0, "Preparing the points")
    made = to_points(table, choices)
    check_workable(made.points)
    return made


def described(points: Points) -> str:
    """What the points are, in a sentence."""
    count = f"{points.n:,} point{'s' if points.n != 1 else ''}, {points.d} feature{'s' if points.d != 1 else ''}"
    if points.is_labelled:
        return f"{count}, {len(points.classes)} classes from {points.target!r}."
    return f"{count}, the target is {points.target!r}." if points.is_valued else f"{count}."
