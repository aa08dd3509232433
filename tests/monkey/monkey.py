"""A monkey at the window: seeded actions of every sort, and what went wrong while it played.

``python -m tests.monkey.monkey --seed 1 --actions 10000`` plays, prints what it counted, and where an exception was
raised the shortest tail of actions, of those it tried, that raises it again in a new window. ``--replay FILE`` plays
such a tail. An action is a plain list that means the same in any window; what does not apply there does nothing.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import random
import sys
import threading
import time
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QMenu, QMessageBox, QTabBar

from algorithms import DataError, ParamError, find
from algorithms.params import Field
from algorithms.registry import all_algorithms
from mlviz.app import tidied
from mlviz.data.spec import parse_spec
from mlviz.session.document import Document
from mlviz.ui.window import MainWindow

STALL = 0.5
"""Seconds after which an event loop counts as standing still."""
DATA = ("blobs(n=60)", "moons(n=120)", "line(n=80,slope=100,noise=10)", "circles(n=30)", "swiss_roll(n=90)", "iris")
KEYS = ("Space", "Right", "Left", "Home", "End", "Escape", "Tab", "Plus", "Minus", "1", "2", "3", "B", "E", "S", "M")
KEYS += ("Delete", "Up", "Down", "PageUp", "PageDown", "Return")
NEVER = ("quit",)
QUIET = ("This plugin does not support",)
"""What the platform without a screen says at every window."""
Action = list[Any]


class Monkey:
    """Chooses actions and carries them out in one window."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.problems: list[str] = []
        self.stalls: list[tuple[float, Action]] = []
        self.window = MainWindow(Document(parse_spec("blobs(n=60)").make(), "k_means"))
        self.window.player.run_failed.connect(self._failed)
        self._collector = tidied(self.window)  # graphics items must not be collected while they are painted
        self.window.resize(1100, 760)
        self.window.set_theme("light")
        self.window.show()

    def close(self) -> None:
        """Leave nothing behind."""
        self.window.files.path = None
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog):
                widget.close()
        self.window.close()
        shiboken6.delete(self.window)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()

    def _failed(self, error: BaseException) -> None:
        self.problems.append("".join(traceback.format_exception(error)))

    # -- choosing ------------------------------------------------------------------------------------------------

    def choose(self) -> Action:
        """The next action."""
        kinds = {"method": 4, "data": 3, "param": 12, "trigger": 10, "key": 8, "stroke": 8, "tab": 4, "wheel": 2}
        kinds |= {"resize": 1, "rest": 6, "dialogs": 2, "seek": 4}
        kind = self.rng.choices(list(kinds), list(kinds.values()))[0]
        return [kind, *getattr(self, f"_choose_{kind}", tuple)()]

    def _choose_method(self) -> Action:
        return [self.rng.choice([method.key for method in all_algorithms()])]

    def _choose_data(self) -> Action:
        return [self.rng.choice(DATA)]

    def _choose_param(self) -> Action:
        fields = self.window.document.method.fields
        if not fields:
            return ["", None]
        field = self.rng.choice(fields)
        return [field.name, self._value(field)]

    def _value(self, field: Field) -> Any:
        if field.kind == "choice":
            return self.rng.choice(field.choices)
        if field.kind == "bool":
            return self.rng.random() < 0.5
        if field.kind in ("int", "float") and field.low is not None and field.high is not None:
            value = self.rng.choice([field.low, field.default, min(field.high, max(field.low, field.default * 2))])
            return int(value) if field.kind == "int" else float(value)
        return json.loads(json.dumps(field.default))

    def _choose_trigger(self) -> Action:
        return [self.rng.choice([spec.name for spec in self.window.actions_table.specs if spec.name not in NEVER])]

    def _choose_key(self) -> Action:
        return [self.rng.choice(KEYS), self.rng.random() < 0.1]

    def _choose_stroke(self) -> Action:
        """Places on the canvas, and perhaps another action while the button is down."""
        places = [[round(self.rng.random(), 3), round(self.rng.random(), 3)] for _ in range(self.rng.randint(1, 6))]
        inside = [self.rng.choice(["method", "data"])] if self.rng.random() < 0.3 else []
        return [places, [*inside, *getattr(self, f"_choose_{inside[0]}")()] if inside else []]

    def _choose_tab(self) -> Action:
        return [self.rng.randrange(8), self.rng.randrange(6)]

    def _choose_wheel(self) -> Action:
        return [self.rng.choice([-120, 120]), self.rng.randint(1, 40)]

    def _choose_resize(self) -> Action:
        return [self.rng.randint(700, 1500), self.rng.randint(500, 950)]

    def _choose_rest(self) -> Action:
        return [self.rng.choice([0, 20, 100])]

    def _choose_seek(self) -> Action:
        return [self.rng.random()]

    # -- doing ---------------------------------------------------------------------------------------------------

    def do(self, action: Action) -> None:
        """Carry one action out; a :class:`DataError` or :class:`ParamError` is an answer, anything else a problem."""
        begun = time.perf_counter()
        with collected(self.problems):
            try:
                getattr(self, f"_{action[0]}")(*action[1:])
            except (DataError, ParamError):
                pass
            except Exception:
                self.problems.append(traceback.format_exc())
            QCoreApplication.processEvents()
        spent = time.perf_counter() - begun - (action[1] / 1000 if action[0] == "rest" else 0.0)
        if spent > STALL:
            self.stalls.append((spent, action))

    def _method(self, key: str) -> None:
        self.window.choose_algorithm(key)

    def _data(self, spec: str) -> None:
        self.window.choose_data(parse_spec(spec))

    def _param(self, name: str, value: Any) -> None:
        if name in {field.name for field in self.window.document.method.fields}:
            self.window.set_param(name, value)

    def _trigger(self, name: str) -> None:
        self.window.actions_table[name].trigger()

    def _key(self, name: str, shift: bool) -> None:
        modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(QApplication.focusWidget() or self.window, getattr(Qt.Key, f"Key_{name}"), modifier)

    def _stroke(self, places: list[list[float]], inside: Action) -> None:
        if self.window.board.data_view is None:
            return
        canvas = self.window.board.data_view.viewport()
        at = [QPoint(round(x * canvas.width()), round(y * canvas.height())) for x, y in places]
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(canvas, left, pos=at[0])
        for number, place in enumerate(at):
            if inside and number == len(at) // 2:
                getattr(self, f"_{inside[0]}")(*inside[1:])
            if shiboken6.isValid(canvas):
                QTest.mouseMove(canvas, place)
        if shiboken6.isValid(canvas):
            QTest.mouseRelease(canvas, left, pos=at[-1])

    def _tab(self, bar: int, tab: int) -> None:
        bars = [found for found in self.window.findChildren(QTabBar) if found.count()]
        if bars:
            chosen = bars[bar % len(bars)]
            chosen.setCurrentIndex(tab % chosen.count())

    def _wheel(self, angle: int, notches: int) -> None:
        canvas = self.window.board.data_view
        if canvas is None:
            return
        for _ in range(notches):
            canvas.box.scaleBy((1.1, 1.1) if angle < 0 else (0.9, 0.9))

    def _resize(self, width: int, height: int) -> None:
        self.window.resize(width, height)

    def _rest(self, milliseconds: int) -> None:
        QTest.qWait(milliseconds)

    def _dialogs(self) -> None:
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog | QMenu) and widget.isVisible():
                widget.close()

    def _seek(self, fraction: float) -> None:
        self.window.player.seek(int(fraction * self.window.player.steps))


@contextmanager
def collected(problems: list[str]):
    """While this lasts exceptions in slots and threads, Qt's messages and Python's warnings are problems."""
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook

    def raised(kind: Any, error: Any, trace: Any) -> None:
        problems.append("".join(traceback.format_exception(kind, error, trace)))

    def said(_: Any, __: Any, text: str) -> None:
        if not any(word in text for word in QUIET):
            problems.append(f"Qt: {text}")

    sys.excepthook = raised
    threading.excepthook = sys.unraisablehook = lambda args: raised(args.exc_type, args.exc_value, args.exc_traceback)
    before = qInstallMessageHandler(said)
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            yield
        problems += [f"warning: {one.category.__name__}: {one.message} ({one.filename}:{one.lineno})" for one in found]
    finally:
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
        qInstallMessageHandler(before)


@contextmanager
def nobody_answers():
    """Dialogs that wait for an answer get none."""
    buttons = QMessageBox.StandardButton
    answers = {
        (QMessageBox, "question"): lambda *_, **__: buttons.No,
        (QInputDialog, "getDouble"): lambda *_, **__: (0.0, False),
        (QFileDialog, "getOpenFileName"): lambda *_, **__: ("", ""),
        (QFileDialog, "getSaveFileName"): lambda *_, **__: ("", ""),
        (QFileDialog, "getExistingDirectory"): lambda *_, **__: "",
        (QDialog, "exec"): lambda *_: 0,
        (QMenu, "exec"): lambda *_: None,
    }
    before = {place: getattr(*place) for place in answers}
    for (owner, name), answer in answers.items():
        setattr(owner, name, answer)
    try:
        yield
    finally:
        for (owner, name), old in before.items():
            setattr(owner, name, old)


def played(actions: list[Action]) -> list[str]:
    """The problems that these actions bring about in a new window."""
    monkey = Monkey()
    try:
        for action in actions:
            monkey.do(action)
            if monkey.problems:
                break
        return monkey.problems
    finally:
        monkey.close()


def shortest_tail(actions: list[Action], problem: str) -> list[Action]:
    """The shortest tail, of lengths 1, 2, 4 ..., at whose end the same thing goes wrong; all where none does."""
    wanted = problem.strip().splitlines()[-1]
    length = 1
    while length < len(actions):
        if any(wanted in found for found in played(actions[-length:])):
            return actions[-length:]
        length *= 2
    return actions


def resources() -> dict[str, int]:
    """What must not grow: threads, open files, widgets and memory in MB."""
    status = Path("/proc/self/status").read_text() if Path("/proc/self/status").exists() else "VmRSS: 0 kB"
    memory = int(status.partition("VmRSS:")[2].split()[0]) // 1024
    files = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    return {
        "threads": threading.active_count(),
        "files": files,
        "widgets": len(QApplication.allWidgets()),
        "memory": memory,
    }


def play(seed: int, count: int) -> int:
    """Play so many actions; how many problems there were. Every problem ends a window, and the next one begins."""
    history: list[Action] = []
    problems: list[tuple[str, list[Action]]] = []
    stalls: list[tuple[float, Action]] = []
    monkey = Monkey(seed)
    first: dict[str, int] = {}
    for number in range(count):
        history.append(monkey.choose())
        monkey.do(history[-1])
        if number == count // 10:
            first = resources()
        if monkey.problems:
            problems.append((monkey.problems[0], history))
            stalls += monkey.stalls
            rng, history = monkey.rng, []
            monkey.close()
            monkey = Monkey()
            monkey.rng = rng
    stalls += monkey.stalls
    last = resources()
    monkey.close()
    print(f"seed {seed}: {count} actions, {len(problems)} problems, {len(stalls)} stalls over {STALL} s")
    print(f"after a tenth {first}, at the end {last}, closed {resources()}")
    for spent, action in sorted(stalls, reverse=True, key=lambda stall: stall[0])[:10]:
        print(f"  {spent:.1f} s  {action}")
    for text, actions in problems:
        print(text.strip())
        print(f"  replay: {json.dumps(shortest_tail(actions, text))}")
    return len(problems)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--replay", type=Path)
    options = parser.parse_args()
    faulthandler.enable()
    application = QApplication.instance() or QApplication([])
    assert application is not None
    find("k_means")
    with nobody_answers():
        if options.replay is not None:
            found = played(json.loads(options.replay.read_text()))
            print("\n".join(found) or "Nothing went wrong.")
            return len(found)
        return min(play(options.seed, options.actions), 1)


if __name__ == "__main__":
    sys.exit(main())
