"""The whole window: how soon it is there, whether it stays lively while something runs, and drawing with the mouse."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import shiboken6
from PySide6.QtCore import QEvent, QEventLoop, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent

import algorithms
from algorithms import all_algorithms
from algorithms.contract import Algorithm
from algorithms.data import Data
from algorithms.marks import Centres
from mlviz.app import application, garbage_collector_of, later
from mlviz.data.generators import generate
from mlviz.data.spec import Recipe, example_of, find_source, parse_spec
from mlviz.session.document import Document
from mlviz.ui.garbage_collector import GuiGarbageCollector
from mlviz.ui.window import MainWindow
from tests.benchmarks.record import Effort, Row, words

TICK = 0.016


def measure(effort: Effort) -> list[Row]:
    """Everything that needs a window."""
    application()
    return [*_strokes(effort), _query(effort), *_ticks(effort), *_start(effort)]


def opened(document: Document) -> MainWindow:
    """A window as the program opens it, with its first frame on the screen; garbage is collected as it does that."""
    app = application()
    window = MainWindow(document)
    garbage_collector_of(window)
    window.resize(1280, 820)
    window.set_theme("light")
    window.show()
    deadline = time.perf_counter() + 30
    while window.player.shown is None and time.perf_counter() < deadline:
        app.processEvents()
    for _ in later(window):  # a second after its start the program has done this too
        app.processEvents()
    return window


def closed(window: MainWindow) -> None:
    """Away with it, from the top down and on this thread."""
    for collector in window.findChildren(GuiGarbageCollector):
        collector.stop()
    window.close()
    application().processEvents()
    shiboken6.delete(window)


# -- drawing with the mouse -------------------------------------------------------------------------------------------


class _Paints(QObject):
    """Counts how often a widget was painted."""

    def __init__(self, widget: QObject) -> None:
        super().__init__()
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.count += 1
        return False


class _Stroke:
    """A stroke of one tool in a window of its own, moved one mouse event at a time around a circle."""

    def __init__(self, n: int, tool: str = "spray") -> None:
        self.window = opened(Document(generate("blobs", n=n, noise=2, seed=1), "k_means"))
        self.window.drawing.choose(tool)
        self.window.drawing.choose_class(1)
        self.port = self.window.board.plane.viewport()
        self.paints = _Paints(self.port)
        self._angle = 0.0
        self._middle = self._start(tool)
        self._send(QEvent.Type.MouseButtonPress, Qt.MouseButton.LeftButton)

    def _start(self, tool: str) -> QPointF:
        """The middle of the circle: that of the plane, or for a tool that takes hold of a point beside one."""
        plane, reach = self.window.board.plane, 0.3 * min(self.port.width(), self.port.height())
        if tool != "select":
            return QPointF(self.port.rect().center())
        at = self.window.document.data.X
        nearest = at[np.linalg.norm(at - at.mean(axis=0), axis=1).argmin()]
        return QPointF(plane.mapFromScene(plane.box.mapViewToScene(QPointF(*nearest)))) - QPointF(reach, 0.0)

    def _send(self, kind: QEvent.Type, button: Qt.MouseButton) -> None:
        middle, reach = self._middle, 0.3 * min(self.port.width(), self.port.height())
        at = QPointF(middle.x() + reach * np.cos(self._angle), middle.y() + reach * np.sin(self._angle))
        held, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QMouseEvent(kind, at, QPointF(self.port.mapToGlobal(at.toPoint())), button, held, keys)
        application().sendEvent(self.port, event)

    def move(self) -> float:
        """From the mouse event to the painted plane."""
        app = application()
        app.processEvents()
        self._angle += 0.05
        before, began = self.paints.count, time.perf_counter()
        self._send(QEvent.Type.MouseMove, Qt.MouseButton.NoButton)
        while self.paints.count == before and time.perf_counter() - began < 2:
            app.processEvents()
        return time.perf_counter() - began

    def renew(self) -> None:
        """Take the stroke back and begin it again where it was: few points would be used up by a long one."""
        self._send(QEvent.Type.MouseButtonRelease, Qt.MouseButton.LeftButton)
        self.window.undo()
        deadline = time.perf_counter() + 0.05
        while time.perf_counter() < deadline:
            application().processEvents()
        self._send(QEvent.Type.MouseButtonPress, Qt.MouseButton.LeftButton)

    def close(self) -> None:
        self._send(QEvent.Type.MouseButtonRelease, Qt.MouseButton.LeftButton)
        self.port.removeEventFilter(self.paints)
        closed(self.window)


STROKES = ("spray", "erase", "relabel", "jitter", "attract", "select")


def _strokes(effort: Effort) -> list[Row]:
    """Every tool that follows the mouse; ``select`` drags a single point."""
    return [_stroke(effort, tool) for tool in STROKES[: 2 if effort.quick else None]]


def _stroke(effort: Effort, tool: str) -> Row:
    few, many = _Stroke(100, tool), _Stroke(effort.size(10_000, 300), tool)
    times: dict[_Stroke, list[float]] = {few: [], many: []}
    for number in range(effort.many(120, 4)):
        for stroke in (few, many):
            if tool == "erase" and number % 10 == 0:
                stroke.renew()
            times[stroke].append(stroke.move())
    few.close()
    many.close()
    ours, theirs = (float(np.median(times[stroke])) for stroke in (many, few))
    return Row(
        "spray",
        f"{tool} stroke at 10,000 points, mouse event to painted",
        "the same stroke at 100 points",
        words(ours),
        words(theirs),
        ours / theirs,
        2.0,
        summary=tool == "spray",
        detail={"statistic": "medians", "events": len(times[few]), "method": "k_means follows the stroke"},
    )


# -- dragging a query -------------------------------------------------------------------------------------------------


class _Query:
    """The query of the nearest neighbours, dragged around a circle in a window of its own."""

    def __init__(self, n: int) -> None:
        self.window = opened(Document(generate("moons", n=n, noise=0.25, seed=1), "k_nearest"))
        self.plane, self.port = self.window.board.plane, self.window.board.plane.viewport()
        _at_rest(self.window)
        self.paints = _Paints(self.port)
        at = QPointF(*self.asked.tolist())
        self._start = QPointF(self.plane.mapFromScene(self.plane.box.mapViewToScene(at)))
        self._angle = 0.0
        self._send(QEvent.Type.MouseButtonPress, Qt.MouseButton.LeftButton)

    @property
    def asked(self) -> np.ndarray:
        """The place (2,) on show."""
        return next(mark.at[0] for mark in self.plane.marks if isinstance(mark, Centres))

    def _send(self, kind: QEvent.Type, button: Qt.MouseButton) -> None:
        at = self._start + 60.0 * QPointF(np.cos(self._angle) - 1.0, np.sin(self._angle))
        held, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QMouseEvent(kind, at, QPointF(self.port.mapToGlobal(at.toPoint())), button, held, keys)
        application().sendEvent(self.port, event)

    def move(self) -> tuple[float, float]:
        """From the mouse event to the painted answer, and what the window's thread has computed meanwhile."""
        self._angle += 0.05
        before, painted = self.asked, self.paints.count
        began, worked = time.perf_counter(), time.thread_time()
        self._send(QEvent.Type.MouseMove, Qt.MouseButton.NoButton)
        wait = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while (self.asked is before or self.paints.count == painted) and time.perf_counter() - began < 2:
            application().processEvents(wait)
        return time.perf_counter() - began, time.thread_time() - worked

    def close(self) -> None:
        self._send(QEvent.Type.MouseButtonRelease, Qt.MouseButton.LeftButton)
        self.port.removeEventFilter(self.paints)
        closed(self.window)


def _query(effort: Effort) -> Row:
    """A frame lasts 16 ms where there are 60 of them a second."""
    query = _Query(effort.size(10_000, 300))
    times = np.array([query.move() for _ in range(effort.many(240, 4))])[effort.many(40, 1) :]
    query.close()
    ours, worked = np.median(times, axis=0).tolist()
    late = np.percentile(times, 95, axis=0).tolist()
    detail = {"statistic": "median", "events": len(times), "p95 ms": 1e3 * late[0], "of it computing ms": 1e3 * worked}
    case = "k_nearest: dragging the query at n = 10,000, event to painted"
    return Row("query", case, "16 ms", words(ours), "16 ms", ours / TICK, 1.0, detail=detail)


# -- staying lively ---------------------------------------------------------------------------------------------------


LONG: dict[str, dict[str, object]] = {
    "agglomerative": {},
    "decision_tree": {"depth": 20, "by_depth": 20},
    "gaussian_mixture": {"restarts": 50},
    "gradient_descent": {"method": "race of all twelve", "max_steps": 5000, "tol": 1e-12},
    "isomap": {},
    "k_means": {"restarts": 50, "elbow": 20},
    "kernel_svm": {"C": 1000.0, "patience": 0},
    "lasso": {"degree": 20},
    "logistic_regression": {"solver": "gradient descent", "learning_rate": 1e-3, "max_steps": 100_000, "tol": 1e-12},
    "mlp": {"epochs": 5000, "patience": 0},
}
"""Parameters with which a run does not end at once, so that the thread is busy while the window is watched."""


def _p99(window: MainWindow, span: float, busy: bool) -> float:
    """The gap between beats of a 16 ms clock on the window's thread that only 1 in 100 exceeds."""
    beats: list[float] = []
    loop = QEventLoop()
    clock = QTimer(interval=int(TICK * 1000), timerType=Qt.TimerType.PreciseTimer)
    clock.timeout.connect(lambda: beats.append(time.perf_counter()))
    again = QTimer(interval=250)  # a run that has ended begins again, as often as somebody might turn a knob
    again.timeout.connect(lambda: _flat_out(window) if busy else None)
    if busy:
        _flat_out(window)
    clock.start()
    again.start()
    QTimer.singleShot(int(span * 1000), loop.quit)
    loop.exec()
    for timer in (clock, again):
        timer.stop()
        shiboken6.delete(timer)
    return float(np.percentile(np.diff(beats), 99))


def _flat_out(window: MainWindow) -> None:
    """See to it that something runs and is shown as fast as it comes."""
    if not window.player.running:
        window.player.run(window.document)
    window.player.set_playing(True)


def _ticks(effort: Effort) -> list[Row]:
    """Each method flat out against the same window at rest, in turns; medians over the rounds."""
    rows = [_tick(algorithm, effort) for algorithm in all_algorithms()[: 2 if effort.quick else None]]
    worst = max(rows, key=lambda row: row.ratio)
    case = f"worst method: {worst.case}"
    return [*rows, Row("tick", case, worst.opponent, worst.ours, worst.theirs, worst.ratio, 2.0)]


def _tick(algorithm: Algorithm, effort: Effort) -> Row:
    data = sized_example(algorithm, effort.size(1000, 60))
    n = data.n
    window = opened(Document(data, algorithm.key, LONG.get(algorithm.key, {})))
    window.transport.speed_box.setCurrentIndex(window.transport.speed_box.count() - 1)  # as fast as it computes
    assert math.isinf(window.transport.speed())
    rest, work = [], []
    for _ in range(effort.many(3, 1)):
        _at_rest(window)
        rest.append(_p99(window, effort.seconds(1.2), busy=False))
        work.append(_p99(window, effort.seconds(2.0), busy=True))
    closed(window)
    ours, theirs = float(np.median(work)), float(np.median(rest))
    return Row(
        "tick",
        f"{algorithm.key} flat out at n = {n:,}: p99 of the 16 ms tick",
        "the same window idle",
        words(ours),
        words(theirs),
        ours / theirs,
        2.0,
        summary=False,
        detail={
            "statistic": "medians of p99",
            "busy p99 ms": [round(1e3 * gap, 1) for gap in work],
            "idle p99 ms": [round(1e3 * gap, 1) for gap in rest],
        },
    )


def sized_example(algorithm: Algorithm, n: int) -> Data:
    """The method's example, as near to this size as can be chosen; nothing for a method that needs no data."""
    recipe = parse_spec(algorithm.example)
    fields = {field.name: field for field in find_source(recipe.name).fields} if algorithm.accepts else {}
    if "n" not in fields:
        return example_of(algorithm)
    return Recipe(recipe.name, {**recipe.values, "n": fields["n"].nearest(n)}).make()


def _at_rest(window: MainWindow) -> None:
    """Until the thread has really ended and the last raster is drawn: a step that goes on would pass for idleness."""
    window.player.set_playing(False)
    engine = window.player.engine
    if engine is not None:
        engine.cancel()
        if not engine.join(20.0):
            raise RuntimeError(f"{engine.algorithm.title} did not stop")
    deadline = time.perf_counter() + 0.8
    while time.perf_counter() < deadline:
        application().processEvents()
        time.sleep(0.001)


# -- starting ---------------------------------------------------------------------------------------------------------

OURS = """
import functools, sys
def ready(*_):
    from mlviz.ui.window import MainWindow
    app = QApplication.instance()
    window = next(w for w in app.topLevelWidgets() if isinstance(w, MainWindow))
    while window.player.shown is None or not window.isVisible():
        app.processEvents()
    app.processEvents()
    report()
    window.close()
    return 0
def open_window(usual):
    global QApplication
    import mlviz.views  # as the command does; before it, nobody may load NumPy or Qt: the command sets them up
    from PySide6.QtWidgets import QApplication
    QApplication.exec = ready
    return usual()
sys.argv = ["mlviz"]
from mlviz.cli import main, window
window.open_window = functools.partial(open_window, window.open_window)
main([])
"""

BARE = """
import pyqtgraph as pg
app = pg.mkQApp()
window = pg.PlotWidget()
window.resize(1280, 820)
window.plot([1, 2, 3], [1, 3, 2])
window.show()
app.processEvents()
app.processEvents()
report()
"""

PRELUDE = """
import os, sys
def report():
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    print("ready", pages * os.sysconf("SC_PAGE_SIZE"), flush=True)
"""


MORE = 80
"""Methods that are added to see how the start grows with their number."""


def _with_more_methods(folder: Path) -> None:
    """A copy of the algorithms with many more methods, each the skeleton under another name."""
    source = Path(algorithms.__file__).parent
    shutil.copytree(source, folder / "algorithms", ignore=shutil.ignore_patterns("__pycache__"))
    skeleton = (source / "_skeleton.py").read_text(encoding="utf-8")
    for number in range(MORE):
        text = skeleton.replace('key="skeleton"', f'key="extra_{number}"')
        (folder / "algorithms" / "clustering" / f"extra_{number}.py").write_text(text, encoding="utf-8")


def _growth(effort: Effort) -> Row:
    """The start with many more methods against the start as it is."""
    with tempfile.TemporaryDirectory() as folder, _compiled(effort) as compiled:
        _with_more_methods(Path(folder))
        if not effort.quick:
            _launch(OURS, compiled, folder), _launch(OURS, compiled)
        pairs = [(_launch(OURS, compiled, folder), _launch(OURS, compiled)) for _ in range(effort.many(7, 1))]
    more, usual = (min(pair[side][0] for pair in pairs) for side in (0, 1))
    case = f"start with {MORE} methods more"
    detail = {"statistic": "smallest", "rounds": len(pairs)}
    return Row("start", case, "start as it is", words(more), words(usual), more / usual, 1.1, detail=detail)


def _compiled(effort: Effort) -> contextlib.AbstractContextManager[str]:
    """A folder for bytecode that nobody else uses; none where the figures mean nothing, for to compile takes long."""
    return contextlib.nullcontext("") if effort.quick else tempfile.TemporaryDirectory()


def _launch(code: str, compiled: str, first: str = "") -> tuple[float, int]:
    """Seconds until a new process says that its window can be used, and its memory at that moment.

    Both have their bytecode in the folder ``compiled``, as an installed program has: ours and the libraries'. Packages
    in the folder ``first`` come before all others.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "MLVIZ_HOME": home, "QT_LOGGING_RULES": "default.warning=false"}
        if compiled:
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            environment["PYTHONPYCACHEPREFIX"] = compiled
        if first:
            environment["PYTHONPATH"] = os.pathsep.join([first, environment.get("PYTHONPATH", "")])
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", PRELUDE + code], stdout=subprocess.PIPE, env=environment, text=True
        ) as process:
            assert process.stdout is not None
            line = process.stdout.readline().split()
            taken = time.perf_counter() - began
            process.communicate()
    if line[:1] != ["ready"]:
        raise RuntimeError(f"the window did not open: {line}")
    return taken, int(line[1])


def _start(effort: Effort) -> list[Row]:
    with _compiled(effort) as compiled:
        if not effort.quick:
            _launch(OURS, compiled), _launch(BARE, compiled)  # files are compiled and in the cache from here on
        pairs = [(_launch(OURS, compiled), _launch(BARE, compiled)) for _ in range(effort.many(9, 1))]
    ours, bare = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    opponent = "bare PySide6 + pyqtgraph plot window"
    best, memory = (ours[:, 0].min(), bare[:, 0].min()), (np.median(ours[:, 1]), np.median(bare[:, 1]))
    detail = {
        "statistic": "smallest",
        "rounds": len(pairs),
        "medians s": np.median([ours, bare], axis=1)[:, 0].tolist(),
    }
    return [
        _growth(effort),
        Row(
            "start",
            "mlviz to visible and interactive window",
            opponent,
            words(float(best[0])),
            words(float(best[1])),
            float(best[0] / best[1]),
            1.5,
            detail=detail,
        ),
        Row(
            "start",
            "memory of that process (resident)",
            opponent,
            f"{memory[0] / 2**20:.0f} MB",
            f"{memory[1] / 2**20:.0f} MB",
            float(memory[0] / memory[1]),
            1.8,
        ),
    ]
