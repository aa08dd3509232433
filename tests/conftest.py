"""What every test shares: an offscreen Qt, a home of its own, and the rule that nothing may be left behind.

Qt warnings fail a test (``qt_log_level_fail`` in pyproject.toml); so do threads, timers and widgets that outlive it.

Property tests draw the same examples in every run, so that a run says something about the change under test.
``make hunt`` draws new ones: what it finds becomes an ``@example`` (see ``tests/hunt.py``).
"""

import gc
import itertools
import os
import tempfile
import threading
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["MLVIZ_HOME"] = tempfile.mkdtemp(prefix="mlviz-tests-")

import pytest
from hypothesis import HealthCheck, settings
from pytestqt.qtbot import QtBot

PATIENCE = 240.0
"""Seconds after which what has not happened never will, however busy the machine is; nothing is ever that slow."""
for name in ("waitUntil", "waitSignal", "waitSignals", "waitExposed", "waitActive"):
    getattr(QtBot, name).__kwdefaults__["timeout"] = round(1000 * PATIENCE)

# how fast examples come depends on what else the machine does
settings.register_profile("hunt", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("hunt"), derandomize=True)
settings.load_profile("hunt" if os.environ.get("MLVIZ_HUNT") else "repeatable")


def pytest_configure(config):
    """The mark of pytest-xdist is known without it, too: ``-p no:xdist``."""
    config.addinivalue_line("markers", "xdist_group(name): tests that run in the same worker")


def pytest_collection_finish():
    """Set aside what imports have made, some 350,000 objects.

    They live as long as the process, and looking through all of them after every test costs more than the test.
    """
    gc.collect()
    gc.freeze()


SHARING = (
    "algorithms/test_captions.py",
    "algorithms/test_contract.py",
    "views/test_phases.py",
    "export/test_pictures.py",
    "export/test_script.py",
    "export/test_tables.py",
)
"""Files whose tests look at the same recordings, of which only those of the latest method are kept."""


SMALL = tuple(Path(__file__).with_name(name).as_posix() + "/" for name in ("algorithms", "data", "session"))
"""Folders with thousands of tests of a few milliseconds: to hand them to the workers one by one would take as long."""


def makes_something_once(item):
    """Whether the file of a test makes something for all its tests."""
    return any(found[-1].scope == "module" for found in item._fixtureinfo.name2fixturedefs.values())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What looks at the recordings of a method runs in one go and, with several workers, in one of them.

    First of all: pytest-xdist reads the marks in the same hook, and would find none.
    """
    shared = {}
    for item in items:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        key = getattr(given.get("algorithm"), "key", given.get("key"))
        if item.path.as_posix().endswith(SHARING) and isinstance(key, str):
            item.add_marker(pytest.mark.xdist_group(key))
            shared.setdefault(key, []).append(item)
        elif (item.path.as_posix().startswith(SMALL) and key is None) or makes_something_once(item):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    together = [item for group in shared.values() for item in group]
    chosen = set(together)
    items[:] = [*together, *(item for item in items if item not in chosen)]


@pytest.fixture(autouse=True)
def nothing_left_behind(request):
    """Fail a test that leaves a thread, an active timer or a top-level widget behind."""
    before = set(threading.enumerate())
    with_qt = "qtbot" in request.fixturenames or "qapp" in request.fixturenames
    if with_qt:
        gc.disable()  # as mlviz/ui/garbage_collector.py does: Qt objects must not be collected by a worker's thread
        let_go_of_the_keys()
    yield
    assert not _lingering_threads(before), "threads left behind"
    if with_qt:
        left = leftovers()
        undress()
        collect_garbage()
        gc.enable()
        assert not left, "timers or widgets left behind"


def let_go_of_the_keys():
    """Shift and Ctrl are up again: what a test clicked with last stays held for Qt, and means another selection."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QWindow
    from PySide6.QtTest import QTest

    if isinstance(QGuiApplication.instance(), QGuiApplication) and QGuiApplication.keyboardModifiers():
        somewhere = QWindow()
        somewhere.resize(9, 9)
        QTest.mouseRelease(somewhere, Qt.MouseButton.NoButton)


def undress():
    """No style sheet, and the font and the colours of the beginning: no test begins in the clothes of another one.

    It is quicker, too: under a style sheet every part of a window is dressed whenever it finds its place.
    """
    from PySide6.QtGui import QFontDatabase, QPalette
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance()
    if isinstance(app, QApplication) and app.styleSheet():
        app.setStyleSheet("")
        app.setPalette(QPalette())
        app.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))


WINDOWS = itertools.count(1)
"""Tests with windows so far."""
THOROUGH = 50
"""After so many of them everything is looked through."""


def collect_garbage():
    """What a test has left over; what outlives it is set aside for a while, or every test would look through all of it.

    Recordings, modules and caches grow to a million objects, and one look at them takes as long as a window.
    """
    if next(WINDOWS) % THOROUGH == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


def _lingering_threads(before, patience=PATIENCE):
    """The laboratory's own threads that were not there before and do not end."""
    new = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("mlviz")]
    for thread in new:
        thread.join(patience)
    return [thread for thread in new if thread.is_alive()]


def leftovers() -> list[str]:
    """Active timers and visible top-level widgets that nobody has closed."""
    import shiboken6
    from PySide6.QtCore import QCoreApplication, QEvent, QTimer
    from PySide6.QtWidgets import QApplication

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QCoreApplication.processEvents()
    timers = [
        f"timer {item.objectName() or item}"
        for item in shiboken6.getAllValidWrappers()
        if isinstance(item, QTimer) and item.isActive() and item.objectName()
    ]
    widgets = [f"widget {w.objectName() or w}" for w in QApplication.topLevelWidgets() if w.isVisible()]
    return timers + widgets
