"""Whatever goes wrong unexpectedly reaches one dialog and the log file, from any thread.

``install`` takes over the hooks of Python (main thread, other threads, destructors) and of Qt (its messages go to the
log). Problems of other threads come to the GUI thread as a queued signal; no widget is made elsewhere. While the
dialog is open, further problems are added to it, and the same problem again only counts.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, Slot, qInstallMessageHandler
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout

from algorithms.records import dataclass
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import SPACING

LOGGER = logging.getLogger("mlviz")
_QT_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went wrong: a sentence, and everything a developer wants to know."""

    sentence: str
    details: str


def describe(error: BaseException) -> Problem:
    """The problem an exception stands for."""
    text = str(error).strip()
    kind = type(error).__name__
    sentence = f"Something unexpected happened: {kind}: {text}" if text else f"Something unexpected happened: {kind}"
    if not sentence.endswith((".", "!", "?")):
        sentence += "."
    return Problem(sentence, "".join(traceback.format_exception(type(error), error, error.__traceback__)))


class ProblemDialog(QDialog):
    """Says what went wrong, shows the details on request, and copies them."""

    def __init__(self, log_file: Path) -> None:
        super().__init__()
        self.setObjectName("problem_dialog")
        self.setWindowTitle("A problem")
        self.problems: dict[Problem, int] = {}
        self._log_file = log_file
        self.sentence = PlainLabel(parent=self)
        self.sentence.setObjectName("problem_sentence")
        self.sentence.setWordWrap(True)
        self.sentence.setMinimumWidth(480)
        self.where = PlainLabel(f"It is written in the log file {log_file}", parent=self)
        self.where.setObjectName("problem_log_file")
        self.where.setProperty("role", "muted")
        self.where.setWordWrap(True)
        self.where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details = QPlainTextEdit(parent=self)
        self.details.setObjectName("problem_details")
        self.details.setReadOnly(True)
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setMinimumHeight(200)
        self.details.hide()
        self._arrange()

    def add(self, problem: Problem) -> None:
        """Show one more problem."""
        self.problems[problem] = self.problems.get(problem, 0) + 1
        first = next(iter(self.problems)).sentence
        more = sum(self.problems.values()) - 1
        self.sentence.setText(first + (f"\n\n{more} more problem{'s' if more > 1 else ''} since then." if more else ""))
        self.details.setPlainText(self.text())

    def text(self) -> str:
        """All the details, as they are copied."""
        parts = (f"{problem.details}{_times(count)}" for problem, count in self.problems.items())
        return "\n".join((*parts, f"Log file: {self._log_file}"))

    def _arrange(self) -> None:
        self.more_button = QPushButton("Show details", parent=self)
        self.more_button.setObjectName("problem_more")
        self.more_button.setCheckable(True)
        self.more_button.toggled.connect(self._unfold)
        self.copy_button = QPushButton("Copy details", parent=self)
        self.copy_button.setObjectName("problem_copy")
        self.copy_button.clicked.connect(self._copy)
        self.close_button = QPushButton("Close", parent=self)
        self.close_button.setObjectName("problem_close")
        self.close_button.setProperty("role", "primary")
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.close)
        row = QHBoxLayout()
        row.setSpacing(SPACING)
        row.addWidget(self.more_button)
        row.addWidget(self.copy_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACING, 2 * SPACING, 2 * SPACING, 2 * SPACING)
        column.setSpacing(SPACING)
        for part in (self.sentence, self.where):
            column.addWidget(part)
        column.addWidget(self.details, 1)
        column.addLayout(row)

    @Slot(bool)
    def _unfold(self, shown: bool) -> None:
        self.details.setVisible(shown)
        self.more_button.setText("Hide details" if shown else "Show details")
        self.adjustSize()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
        self.copy_button.setText("Copied")


class Problems(QObject):
    """Owns the hooks, the log handler and the one dialog. Lives in the thread that made it, the GUI thread."""

    _arrived = Signal(object)

    def __init__(self, log_file: Path) -> None:
        super().__init__()
        self.log_file = log_file
        self.dialog: ProblemDialog | None = None
        self._handler = _log_handler(log_file)
        self._level = LOGGER.level
        LOGGER.addHandler(self._handler)
        LOGGER.setLevel(logging.INFO)
        self._arrived.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._hooks: tuple[Any, ...] = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._in_main
        threading.excepthook = self._in_thread
        sys.unraisablehook = self._in_destructor
        self._qt_handler = qInstallMessageHandler(_qt_message)

    def report(self, error: BaseException) -> None:
        """Log an exception and show it; from any thread."""
        problem = describe(error)
        LOGGER.error("%s\n%s", problem.sentence, problem.details)
        if sys.stderr is not None:
            sys.stderr.write(problem.details)
        self._arrived.emit(problem)

    def uninstall(self) -> None:
        """Give everything back."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._hooks
        qInstallMessageHandler(self._qt_handler)
        LOGGER.removeHandler(self._handler)
        LOGGER.setLevel(self._level)
        self._handler.close()
        self._arrived.disconnect(self._show)
        if self.dialog is not None:
            self.dialog.close()
            self.dialog.deleteLater()
            self.dialog = None

    @Slot(object)
    def _show(self, problem: Problem) -> None:
        if not isinstance(QApplication.instance(), QApplication):
            return
        if self.dialog is None or not self.dialog.isVisible():
            if self.dialog is not None:
                self.dialog.deleteLater()
            self.dialog = ProblemDialog(self.log_file)
        self.dialog.add(problem)
        self.dialog.show()

    def _in_main(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            self._hooks[0](kind, error, trace)
        else:
            self.report(error)

    def _in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            self.report(args.exc_value)

    def _in_destructor(self, args: Any) -> None:
        if args.exc_value is not None:
            self.report(args.exc_value)


_installed: Problems | None = None


def install(log_file: Path) -> Problems:
    """Send every unexpected problem to the dialog and the log file from now on; call it in the GUI thread."""
    global _installed
    uninstall()
    _installed = Problems(log_file)
    return _installed


def uninstall() -> None:
    """Undo ``install``; does nothing when nothing is installed."""
    global _installed
    if _installed is not None:
        _installed.uninstall()
        _installed = None


def report(error: BaseException) -> None:
    """Show and log an exception that was caught somewhere; before ``install`` it goes to the log only."""
    if _installed is not None:
        _installed.report(error)
    else:
        LOGGER.error("%s", describe(error).details)


def _times(count: int) -> str:
    return f"(happened {count} times)\n" if count > 1 else ""


def _log_handler(log_file: Path) -> logging.Handler:
    """The rotating file; where it cannot be written, standard error, because a log must not stop the program."""
    layout = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler: logging.Handler
    try:
        log_file.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(log_file, maxBytes=1_000_000, backupCount=3, encoding="utf-8")
    except OSError as error:
        handler = logging.StreamHandler()
        LOGGER.warning("The log file %s cannot be written: %s", log_file, error)
    handler.setFormatter(layout)
    return handler


def _qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    logging.getLogger("mlviz.qt").log(_QT_LEVELS.get(kind, logging.WARNING), "%s", message)
