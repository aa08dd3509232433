"""Help made from the declarations: what the method is, what its knobs do, what to try, and the keyboard."""

from __future__ import annotations

import html
import string

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from algorithms.contract import Algorithm, Try
from mlviz.data.reading import Reading
from mlviz.ui.actions import ActionSpec, keyboard_table
from mlviz.ui.formula import Formula, typeset
from mlviz.ui.help_text import idea, typographic
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import SPACING
from mlviz.worker.task import Task

SIZE = QSize(760, 640)
POLL_MS = 15


class KeyboardHelp(QDialog):
    """The keyboard table."""

    def __init__(self, specs: tuple[ActionSpec, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="help_dialog")
        self.setWindowTitle("Keyboard")
        self.browser = QTextBrowser(objectName="help_page")
        rows = "".join(
            f"<tr><td><code>{html.escape(keys)}</code></td><td>{html.escape(text)}</td></tr>"
            for keys, text in keyboard_table(specs)
        )
        self.browser.setHtml(f"<h2>Keyboard</h2><table cellpadding='4'>{rows}</table>")
        _fill(self, self.browser, QSize(640, 560))


class MethodHelp(QDialog):
    """A method explained: idea, formula, steps, knobs, what to try, reference."""

    tried = Signal(object)
    """Something to try was chosen, a :class:`Try`; the page closes for it."""

    def __init__(self, method: Algorithm, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="help_dialog")
        self.setWindowTitle(method.title)
        page = QWidget(objectName="help_page")
        self._page = QVBoxLayout(page, spacing=SPACING)
        self._page.setContentsMargins(2 * SPACING, SPACING, 2 * SPACING, 2 * SPACING)
        self._add(_label(method.title, role="title"))
        self._add(_label(method.summary))
        self._heading("Idea", *(_label(paragraph) for paragraph in idea(method)))
        self._formulas = [Formula(latex, late=True) for latex in method.formulas]
        self._heading("Formula", *self._formulas)
        self._heading("Steps", _steps(method))
        self._heading("Knobs", _knobs(method))
        self.try_buttons: list[QPushButton] = []
        self._heading("What to try", *(self._try(item) for item in method.tries))
        self.related_buttons: list[QPushButton] = []
        self._heading("The same data with another method", *(self._related(item) for item in method.related))
        self._heading("Reference", _label(method.reference))
        self._page.addStretch(1)
        area = QScrollArea(objectName="help_area", widgetResizable=True, frameShape=QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        _fill(self, area, SIZE)
        self._timer = QTimer(self, objectName="formulae", interval=POLL_MS)
        self._timer.timeout.connect(self._show_formulas)
        if not all(formula.show_set() for formula in self._formulas):
            self._set_formulas()

    def _set_formulas(self) -> None:
        """Have a thread set the formulae, which takes up to half a second; each is shown when it is there."""
        wanted = [formula.latex for formula in self._formulas]

        def work(reading: Reading) -> None:
            for latex in wanted:
                if not reading.cancelled:
                    typeset(latex)

        self._setting = Task(work, "mlviz-formulae")
        self.finished.connect(self._setting.cancel)
        self._timer.start()

    @Slot()
    def _show_formulas(self) -> None:
        outcome = self._setting.poll()
        if all(formula.show_set() for formula in self._formulas) or outcome is not None:
            self._timer.stop()
        if outcome is not None and outcome.error is not None:
            raise outcome.error

    def texts(self) -> str:
        """Every word of the page, for a test and for whoever reads it aloud."""
        return "\n".join(label.text() for label in self.findChildren(PlainLabel))

    def _heading(self, title: str, *parts: QWidget) -> None:
        if parts:
            self._add(_label(title, role="heading"))
            for part in parts:
                self._add(part)

    def _add(self, part: QWidget) -> None:
        self._page.addWidget(part)

    def _try(self, item: Try) -> QWidget:
        return self._row(item, QPushButton("Try it", objectName=f"try_{len(self.try_buttons)}"), self.try_buttons)

    def _related(self, item: Try) -> QWidget:
        button = QPushButton("Show it", objectName=f"related_{len(self.related_buttons)}")
        return self._row(item, button, self.related_buttons)

    def _row(self, item: Try, button: QPushButton, buttons: list[QPushButton]) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row, spacing=2 * SPACING)
        layout.setContentsMargins(0, 0, 0, 0)
        button.setAutoDefault(False)
        button.setAccessibleName(f"{button.text()}: {item.text}")
        button.clicked.connect(lambda: self._take(item))
        buttons.append(button)
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(_label(item.text), 1)
        return row

    def _take(self, item: Try) -> None:
        self.accept()
        self.tried.emit(item)


def _label(text: str, role: str = "") -> PlainLabel:
    label = PlainLabel(text, wordWrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if role:
        label.setProperty("role", role)
    return label


def _steps(method: Algorithm) -> QWidget:
    """The pseudo-code, without the numbers that a run puts into it; long lines hang below their beginning."""
    lines = QWidget()
    layout = QVBoxLayout(lines, spacing=2)
    layout.setContentsMargins(0, 0, 0, 0)
    for line in method.pseudocode:
        parts = string.Formatter().parse(line.text)
        text = "".join(text + ("" if name is None else "…") for text, name, *_ in parts).rstrip()
        label = _label(typographic(text.lstrip()))
        label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        depth = len(text) - len(text.lstrip())
        label.setContentsMargins(depth * label.fontMetrics().horizontalAdvance("x"), 0, 0, 0)
        layout.addWidget(label)
    return lines


def _knobs(method: Algorithm) -> QWidget:
    grid_widget = QWidget()
    grid = QGridLayout(grid_widget, horizontalSpacing=2 * SPACING, verticalSpacing=SPACING // 2)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setColumnStretch(1, 1)
    for row, field in enumerate(method.fields):
        name, doc = _label(field.label), _label(f"{typographic(field.doc)} ({field.describe()})")
        name.setWordWrap(False)
        grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(doc, row, 1)
    return grid_widget


def _fill(dialog: QDialog, page: QWidget, size: QSize) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    layout.addWidget(page)
    layout.addWidget(buttons)
    dialog.resize(size.boundedTo(dialog.screen().availableGeometry().size() * 0.9))
