"""Starting the laboratory."""

from __future__ import annotations

import sys

import pyqtgraph as pg
import shiboken6
from PySide6.QtWidgets import QApplication

from mlviz import __version__, paths
from mlviz.ui import problems
from mlviz.ui.desk import playhead_of, remembered
from mlviz.ui.tidy import Tidy
from mlviz.ui.window import MainWindow, first_document

SWITCH_INTERVAL = 0.0005
"""How often Python's threads take turns, in seconds. At the default of 5 ms a busy worker slows drawing 14-fold."""


def main(arguments: list[str] | None = None) -> int:
    """Open the window and stay until it is closed."""
    app = application(arguments)
    problems.install(paths.log_folder() / "mlviz.log")
    window = make_window()
    tidy = Tidy(quiet=lambda: not window.player.playing, parent=window)
    tidy.start()
    window.show()
    code = app.exec()
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


def make_window() -> MainWindow:
    """The window as it was left the last time, or with k-means at its first step."""
    session = remembered()
    window = (
        MainWindow(*first_document()) if session is None else MainWindow(session.document, None, playhead_of(session))
    )
    window.desk.restore()
    return window
