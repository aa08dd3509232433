"""Starting the laboratory."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType

import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from algorithms import find, maths, registry
from algorithms.executor import use_by_default
from mlviz import __version__, paths
from mlviz.data.spec import Recipe, parse_spec
from mlviz.session.document import Document
from mlviz.session.files import Loaded
from mlviz.ui import problems, style
from mlviz.ui.autosave import Running
from mlviz.ui.deferred_startup import DeferredStartup
from mlviz.ui.file_controller import last_session, playhead_of, remembered, remembered_cluster, remembered_theme
from mlviz.ui.garbage_collector import FEW, GuiGarbageCollector, forget_remembered, keep_memory_together
from mlviz.ui.quitting import Quitting
from mlviz.ui.signals import ClosedBySignal
from mlviz.ui.window import MainWindow
from mlviz.views.plain_text import plain
from mlviz.views.sprites import forget_looks
from mlviz.views.theme import THEMES
from mlviz.worker.processes import end_processes
from mlviz.worker.task import wait_for_threads
from mlviz.worker.workplace import WORKPLACE

LIBRARIES = (
    "numpy.ma",  # which NumPy itself imports with the first ``unique``
    "unittest",
    "importlib.metadata",
    "numpy.testing",
    "numpy.f2py",
    "numpy.polynomial",
    "numpy.fft",
    "numpy.strings",
    "numpy.ctypeslib",
    "numpy.char",
    "numpy.rec",
    "scipy",
    "scipy.constants",
    "scipy.sparse",
    "scipy.linalg",
    "scipy.special",
    "scipy.fft",
    "scipy.sparse.csgraph",
    "scipy.spatial",
    "scipy.optimize",
)
"""What the methods import of SciPy, and it of others, in pieces: the first method that needs it would take 0.3 s."""
SHARED = (
    "losses",
    "kernels",
    "design",
    "feature_space",
    "linear_model",
    "coordinate_descent",
    "linear_fits",
    "trees",
    "forests",
    "tree_growth",
    "forest_growth",
)
"""What the shared mathematics is built on, from below: each is imported by itself before the rest of it."""
LATER = (
    "mlviz.data.reader_process",
    "mlviz.data.array_files",
    "mlviz.data.text_files",
    "mlviz.data.column_files",
    "mlviz.data.files",
    "mlviz.export.figure",
    "mlviz.export.films",
    "mlviz.export.tables",
    "PySide6.QtPrintSupport",
    "mlviz.export.pictures",
    "mlviz.export.pieces",
    "mlviz.export.render",
    "mlviz.export.lesson",
    "mlviz.ui.export_dialog",
    "mlviz.ui.exporting",
    "mlviz.data.exploring",
    "mlviz.ui.explore_plots",
    "mlviz.ui.columns_dialog",
    "mlviz.ui.explore",
)
"""Modules that are imported with their first use or after the first picture, in this order."""
HINT_MS = 20_000
SWITCH_INTERVAL = 0.0001
"""How often Python's threads take turns, in seconds. At the default of 5 ms a busy worker slows drawing 14-fold.

It is shorter than most calls into NumPy: a thread that lets go for such a call and takes hold again before the interval
is over is never asked to hand over, and the window waits for it.
"""


def main(arguments: list[str] | None = None, path: Path | None = None, method: str | None = None) -> int:
    """Open the window, on a file and with a method when these are given, and stay until it is closed."""
    app = application(arguments)
    problems.install(paths.log_folder() / "mlviz.log")
    WORKPLACE.use(remembered_cluster())
    use_by_default(WORKPLACE.executor)
    running = Running()
    window = make_window(crashed=running.begin())
    if method is not None:
        window.choose_algorithm(method)
    if path is not None:
        window.files.open_path(path)
    collector = garbage_collector_of(window)
    window.files.autosave.start()
    window.fit_to_screen()
    window.show()
    QTimer.singleShot(0, window, window.fit_to_screen)  # now the window manager has given it a frame
    quitting, signals = Quitting(app, window), ClosedBySignal(window)
    code = app.exec()
    quitting.end()
    signals.end()
    code = signals.code or code
    WORKPLACE.close()
    end_processes()
    wait_for_threads()
    running.end()
    collector.stop()
    problems.uninstall()
    shiboken6.delete(window)  # from the top down, before Python clears its modules in any order
    return code


def garbage_collector_of(window: MainWindow) -> GuiGarbageCollector:
    """Collects the garbage of a window; all of it when nothing moves and there are few frames."""

    def quiet() -> bool:
        return not window.player.playing and window.player.steps < FEW

    def drop_unused() -> None:
        window.boards.drop_unused()
        forget_looks()
        forget_remembered()
        style.freshen()

    collector = GuiGarbageCollector(quiet=quiet, parent=window, drop_unused=drop_unused)
    collector.start()
    return collector


def application(arguments: list[str] | None = None) -> QApplication:
    """The configured Qt application."""
    import pyqtgraph as pg  # after ``mlviz.views``, which knows how to import it quickly

    keep_memory_together()
    sys.setswitchinterval(SWITCH_INTERVAL)
    pg.setConfigOptions(antialias=True)
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else _new_application(arguments or [])
    app.setApplicationName("mlviz")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("mlviz")
    return app


def _new_application(arguments: list[str]) -> QApplication:
    """The style is asked for by name: to set it later, PySide6 would make the class of all styles, which takes 9 ms."""
    app = QApplication(["mlviz", "-style", style.NAME, *arguments])
    app.setProperty(style.DRESSED, True)
    return app


def make_window(crashed: bool = False) -> MainWindow:
    """The window as it was left the last time, or with k-means at its first step.

    After a crash the user is asked, because what was open may be the very reason.
    """
    style.prepare(application(), THEMES[remembered_theme()])  # the window is dressed when it is complete, by restore()
    session = remembered()
    if crashed and session is not None and not _wants_recovery(session):
        session = None
    window = (
        MainWindow(*first_document(), full=False)
        if session is None
        else MainWindow(session.document, None, playhead_of(session), full=False)
    )
    DeferredStartup(later(window), lambda: window.player.shown is not None, window)
    window.files.restore()
    if session is not None:
        window.files.recall(session, crashed)
    else:
        window.statusBar().showMessage("Space plays. Ctrl+Shift+L has lessons, Ctrl+K finds anything.", HINT_MS)
    return window


def later(window: MainWindow) -> Iterator[object]:
    """What the first picture does not need: the other methods, and the parts of the window that are not in view."""
    window.data_panel.furnish()
    yield window.data_panel
    shared = (*SHARED, *(part.name for part in pkgutil.iter_modules(maths.__path__)))
    yield from imported(*LIBRARIES, *(f"{maths.__name__}.{name}" for name in shared))
    yield from listed(window)
    yield from imported(*LATER)
    yield window.exporter
    evaluation = window.board.evaluation.view
    yield evaluation.histogram
    yield evaluation.roc
    evaluation.furnish()


def listed(window: MainWindow) -> Iterator[object]:
    """The methods, imported one by one; each family is in the list as soon as it is complete."""
    for _, modules in itertools.groupby(registry.modules(), key=lambda module: module.__name__.split(".")[1]):
        complete: list[ModuleType] = []
        for module in modules:
            complete.append(module)
            yield module
        window.gallery.add_algorithms(registry.methods_of(complete))


def imported(*names: str) -> Iterator[object]:
    """Modules, imported one by one; those that came with another one are passed over."""
    for name in names:
        if name not in sys.modules:
            yield importlib.import_module(name)


def first_document() -> tuple[Document, Recipe]:
    """What a first start shows: a data set, and k-means at its first step."""
    algorithm = find("k_means")
    recipe = parse_spec(algorithm.example)
    return Document(recipe.make(), algorithm.key), recipe


def _wants_recovery(session: Loaded) -> bool:
    kept = datetime.fromtimestamp(last_session().stat().st_mtime)
    document = session.document
    buttons = QMessageBox.StandardButton
    choice = QMessageBox.question(
        None,
        "mlviz",
        plain(
            f"mlviz did not end properly the last time. Restore the session of {kept:%H:%M} "
            f"({document.method.title} on {document.data.name})?"
        ),
        buttons.Yes | buttons.No,
        buttons.Yes,
    )
    return choice == buttons.Yes
