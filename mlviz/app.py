"""Starting the laboratory."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import pyqtgraph as pg
import shiboken6
from PySide6.QtWidgets import QApplication, QMessageBox

from mlviz import __version__, paths
from mlviz.session.files import Loaded
from mlviz.ui import problems
from mlviz.ui.autosave import Running
from mlviz.ui.desk import last_session, playhead_of, remembered
from mlviz.ui.tidy import Tidy
from mlviz.ui.window import MainWindow, first_document

SWITCH_INTERVAL = 0.0005
"""How often Python's threads take turns, in seconds. At the default of 5 ms a busy worker slows drawing 14-fold."""


def main(arguments: list[str] | None = None, path: Path | None = None) -> int:
    """Open the window, on a file when one is given, and stay until it is closed."""
    app = application(arguments)
    problems.install(paths.log_folder() / "mlviz.log")
    running = Running()
    window = make_window(crashed=running.begin())
    if path is not None:
        window.desk.open_path(path)
    tidy = Tidy(quiet=lambda: not window.player.playing, parent=window)
    tidy.start()
    window.desk.autosave.start()
    window.show()
    code = app.exec()
    running.end()
    tidy.stop()
    problems.uninstall()
    shiboken6.delete(window)  # from the top down, before Python clears its modules in any order
    return code


def application(arguments: list[str] | None = None) -> QApplication:
    """The configured Qt application."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    pg.setConfigOptions(antialias=True)
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(["mlviz", *(arguments or [])])
    app.setApplicationName("mlviz")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("mlviz")
    return app


def make_window(crashed: bool = False) -> MainWindow:
    """The window as it was left the last time, or with k-means at its first step.

    After a crash the user is asked, because what was open may be the very reason.
    """
    session = remembered()
    if crashed and session is not None and not _wants_recovery(session):
        session = None
    window = (
        MainWindow(*first_document()) if session is None else MainWindow(session.document, None, playhead_of(session))
    )
    window.desk.restore()
    return window


def _wants_recovery(session: Loaded) -> bool:
    kept = datetime.fromtimestamp(last_session().stat().st_mtime)
    document = session.document
    buttons = QMessageBox.StandardButton
    choice = QMessageBox.question(
        None,
        "mlviz",
        f"mlviz did not end properly the last time. Restore the session of {kept:%H:%M} "
        f"({document.method.title} on {document.data.name})?",
        buttons.Yes | buttons.No,
        buttons.Yes,
    )
    return choice == buttons.Yes
