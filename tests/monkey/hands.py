"""Hands at a window: carries out actions, plain lists that mean the same in any window.

What does not apply where it is done does nothing. ``do`` says what went wrong in ``problems`` and what took long in
``stalls``: how long the event loop stood still, how much of that it waited, without what other programs took.
"""

from __future__ import annotations

import json
import random
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import shiboken6
from PySide6.QtCore import QAbstractListModel, QCoreApplication, QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QGraphicsView,
    QLineEdit,
    QMenu,
    QTabBar,
    QWidget,
)

from algorithms import DataError, ParamError, Points
from algorithms._checks import examples
from mlviz.app import garbage_collector_of
from mlviz.data.spec import parse_spec
from mlviz.session.comparison import MOST_BOARDS
from mlviz.session.document import Document
from mlviz.ui.garbage_collector import keep_memory_together
from mlviz.ui.window import MainWindow
from mlviz.views.evaluation import EvaluationView
from tests.monkey.answers import Janitor, sample_files
from tests.monkey.watch import Pulse, collected

STALL = 0.5
"""Seconds after which an event loop counts as standing still."""
USABLE = (QAbstractButton, QComboBox, QAbstractSlider, QAbstractSpinBox, QLineEdit, QTabBar, QAbstractItemView)
NEVER_USED = ("quit", "qt_dockwidget_closebutton")
TEXTS = (
    "",
    "0",
    "3",
    "-1",
    "1e9",
    "0.5",
    "k",
    "means",
    "<b>&",
    "x**2",
    "[[1,0],[0,1]]",
    "8,8",
    "\u4e2d\u6587 \U0001f600",
)
BUTTONS = {
    "left": Qt.MouseButton.LeftButton,
    "right": Qt.MouseButton.RightButton,
    "middle": Qt.MouseButton.MiddleButton,
}
Action = list[Any]


class Hands:
    """One window, and hands at it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = [path.name for path in sample_files(folder)]
        self.problems: list[str] = []
        self.stalls: list[tuple[float, float, Action]] = []
        self.pulse = Pulse()
        keep_memory_together()  # as the program does when it starts
        self.window = MainWindow(Document(parse_spec("blobs(n=60)").make(), "k_means"))
        self._collector = garbage_collector_of(
            self.window
        )  # graphics items must not be collected while they are painted
        self.janitor = Janitor(self.use_something, self.window)
        beats = QTimer(self.window, interval=20)
        beats.timeout.connect(self.pulse.beat)
        beats.start()
        self.window.resize(1100, 760)
        self.window.set_theme("light")
        self.window.show()

    def close(self) -> None:
        """Leave nothing behind."""
        with collected(self.problems):
            self._dialogs()
            self.window.files.path = None
            for _ in range(10):  # it may be asked whether to save, and the answer may be not to close
                self.janitor.begin("close")
                if self.window.close():
                    break
            self._collector.stop()
            shiboken6.delete(self.window)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            QCoreApplication.processEvents()

    def do(self, action: Action) -> None:
        """Carry one action out; a :class:`DataError` or :class:`ParamError` is an answer, anything else a problem."""
        self.pulse.begin()
        self.janitor.begin(json.dumps(action))
        with collected(self.problems):
            try:
                self._act(action)
            except (DataError, ParamError):
                pass
            except Exception:
                self.problems.append(traceback.format_exc())
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # as a loop does that runs
        self.pulse.beat()
        if self.pulse.longest > STALL and action[0] != "settle":
            self.stalls.append((self.pulse.longest, self.pulse.waited, action))

    def _act(self, action: Action) -> None:
        getattr(self, f"_{action[0]}")(*action[1:])

    # -- the document --------------------------------------------------------------------------------------------

    def _method(self, key: str) -> None:
        self.window.choose_algorithm(key)

    def _data(self, spec: str) -> None:
        self.window.choose_data(parse_spec(spec))

    def _odd(self, name: str, factor: float) -> None:
        data = examples.degenerate(self.window.document.method).get(name)
        if data is None:
            return
        if isinstance(data, Points) and np.abs(data.X).max() < 1e100:
            data = data.with_rows(data.X * factor, data.y)
        self.window.apply(self.window.on_desk(data, ""), "odd data")

    def _param(self, name: str, value: Any) -> None:
        if name in {field.name for field in self.window.document.method.fields}:
            self.window.set_param(name, value)

    def _file(self, name: str) -> None:
        self.window.files.open_path(self.folder / name)

    def _seek(self, fraction: float) -> None:
        self.window.player.seek(int(fraction * self.window.player.steps))

    def _trigger(self, name: str) -> None:
        if name in {spec.name for spec in self.window.actions_table.specs}:
            self.window.actions_table[name].trigger()

    # -- the keyboard --------------------------------------------------------------------------------------------

    def _key(self, name: str, modifiers: int) -> None:
        QTest.keyClick(_focus(self.window), getattr(Qt.Key, f"Key_{name}"), Qt.KeyboardModifier(modifiers))

    def _type(self, text: str) -> None:
        for letter in text:
            _write(_focus(self.window), letter)

    def _clip(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)

    # -- the mouse -----------------------------------------------------------------------------------------------

    def canvases(self) -> list[QGraphicsView]:
        """Every canvas in view, that of the data first."""
        found = [view for view in self.window.findChildren(QGraphicsView) if view.isVisible()]
        return sorted(found, key=lambda view: view is not self.window.board.data_view)

    def _canvas(self, number: int) -> QWidget | None:
        found = self.canvases()
        return found[number % len(found)].viewport() if found else None

    def _stroke(self, number: int, button: str, modifiers: int, places: list[list[float]], inside: Action) -> None:
        """A drag over a canvas, and perhaps another action while the button is down."""
        canvas = self._canvas(number)
        if canvas is None:
            return
        at, held = _on(canvas, places), Qt.KeyboardModifier(modifiers)
        QTest.mousePress(canvas, BUTTONS[button], held, at[0])
        for count, place in enumerate(at):
            if inside and count == len(at) // 2:
                self._act(inside)
            if shiboken6.isValid(canvas):
                QTest.mouseMove(canvas, place)
            self.pulse.beat()  # each of these would be a turn of the loop
        if shiboken6.isValid(canvas):
            QTest.mouseRelease(canvas, BUTTONS[button], held, at[-1])

    def _hover(self, number: int, places: list[list[float]]) -> None:
        canvas = self._canvas(number)
        for place in _on(canvas, places) if canvas is not None else []:
            if shiboken6.isValid(canvas):
                QTest.mouseMove(canvas, place)
                QCoreApplication.processEvents()
                self.pulse.beat()

    def _double(self, number: int, place: list[float]) -> None:
        canvas = self._canvas(number)
        if canvas is not None:
            QTest.mouseDClick(canvas, BUTTONS["left"], Qt.KeyboardModifier.NoModifier, _on(canvas, [place])[0])

    def _wheel(self, number: int, angle: int, notches: int) -> None:
        canvas = self._canvas(number)
        for _ in range(notches if canvas is not None else 0):
            middle = QPointF(canvas.width() / 2, canvas.height() / 2)  # type: ignore[union-attr]
            event = QWheelEvent(
                middle,
                QPointF(canvas.mapToGlobal(middle.toPoint())),  # type: ignore[union-attr]
                QPoint(),
                QPoint(0, angle),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(canvas, event)
            self.pulse.beat()

    # -- widgets -------------------------------------------------------------------------------------------------

    def usable(self, inside: QWidget | None = None) -> list[tuple[list[Any], QWidget]]:
        """Everything in view that can be used, each with how to find it again: its class, its name, its number.

        Not by ``findChildren``: the window would keep what that finds in PySide for as long as it lives.
        """
        modal = inside or QApplication.activeModalWidget()
        found: list[tuple[tuple[str, str, int, int], QWidget]] = []
        for widget in QApplication.allWidgets():
            if not isinstance(widget, USABLE) or not widget.isVisible() or not widget.isEnabled():
                continue
            if modal is not None and not modal.isAncestorOf(widget):
                continue
            if isinstance(widget.window(), QFileDialog) or widget.objectName() in NEVER_USED:
                continue
            at = widget.mapToGlobal(QPoint())
            found.append(((type(widget).__name__, widget.objectName(), at.y(), at.x()), widget))
        found.sort(key=lambda known: known[0])
        counts: dict[tuple[str, str], int] = {}
        numbered: list[tuple[list[Any], QWidget]] = []
        for (kind, name, *_), widget in found:
            counts[kind, name] = counts.get((kind, name), -1) + 1
            numbered.append(([kind, name, counts[kind, name]], widget))
        return numbered

    def _use(self, what: list[Any], chance: float) -> None:
        widget = next((widget for known, widget in self.usable() if known == what), None)
        if widget is not None:
            use(widget, chance)

    def use_something(self, dialog: QWidget, rng: random.Random) -> None:
        """Use one of the widgets of a dialog that blocks."""
        found = self.usable(dialog)
        if found:
            use(rng.choice(found)[1], rng.random())
        else:
            dialog.close()

    def _dock(self, number: int, how: str) -> None:
        dock = self.window.docks[number % len(self.window.docks)]
        if how == "float":
            dock.setFloating(not dock.isFloating())
        elif how == "toggle":
            dock.toggleViewAction().trigger()
        else:
            self.window.addDockWidget(getattr(Qt.DockWidgetArea, f"{how}DockWidgetArea"), dock)

    def _resize(self, width: int, height: int) -> None:
        self.window.resize(width, height)

    def _rest(self, milliseconds: int) -> None:
        QTest.qWait(milliseconds)

    def _shown(self) -> None:
        """Wait until every board shows its run, in all views that it may need; not for ever."""
        boards = [pane.board for pane in self.window.boards.panes]
        for _ in range(200):
            QTest.qWait(20)
            if all(board.up_to_date and not board.missing_canvas(False) for board in boards):
                break

    def _furnish(self) -> None:
        """Have every evaluation make the plots that it makes when it comes to the front for the first time."""
        for view in self.window.findChildren(EvaluationView):
            view.furnish()

    def _dialogs(self) -> None:
        for widget in QApplication.topLevelWidgets():
            if shiboken6.isValid(widget) and isinstance(widget, QDialog | QMenu) and widget.isVisible():
                widget.close()

    def _settle(self) -> None:
        """The same state whatever was before: what is open is closed, k-means on blobs, and nothing moves.

        The boards that wait for the next comparison show that, too: they keep the canvases of what they showed last.
        """
        self._dialogs()
        window = self.window
        if window.presenting:
            window.toggle_presenter()
        window.set_theme("light")
        window.apply(window.document.alone(), "one board")
        window.side_panels.restore_first()
        window.resize(1100, 760)
        window.choose_algorithm("k_means")
        window.choose_data(parse_spec("blobs(n=60)"))
        window.player.set_playing(False)
        for _ in range(100):
            QTest.qWait(20)
            if window.player.runs(window.document) and window.player.engine is not None and window.player.engine.ended:
                break
        self._shown()
        for _ in range(MOST_BOARDS - 1):
            window.actions_table["compare_same"].trigger()
        self._shown()
        window.apply(window.document.alone(), "one board")
        self._shown()
        QTest.qWait(500)  # a chore here and there waits for a moment of rest
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def use(widget: QWidget, chance: float) -> None:
    """Do with a widget what people do with such a one; the number from 0 to 1 says what exactly."""
    if isinstance(widget, QAbstractButton):
        widget.click()
    elif isinstance(widget, QTabBar):
        if widget.count():
            widget.setCurrentIndex(int(chance * widget.count()))
    elif isinstance(widget, QComboBox):
        keys = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Home, Qt.Key.Key_End)
        QTest.keyClick(widget, keys[int(4 * chance)])
    elif isinstance(widget, QAbstractSlider):
        widget.setValue(round(widget.minimum() + chance * (widget.maximum() - widget.minimum())))
    elif isinstance(widget, QAbstractSpinBox):
        if chance < 0.5:
            widget.stepBy(round(8 * chance) - 2)
        else:
            _enter(widget, chance)
    elif isinstance(widget, QLineEdit):
        _enter(widget, chance)
    elif isinstance(widget, QAbstractItemView):
        _use_items(widget, chance)


def _use_items(view: QAbstractItemView, chance: float) -> None:
    model = view.model()
    wide = 1 if isinstance(model, QAbstractListModel) else model.columnCount() if model is not None else 0
    if not wide or not model.rowCount():
        return
    row, column = divmod(int(chance * model.rowCount() * wide), wide)
    view.setCurrentIndex(model.index(row, column))
    keys = (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_F2, Qt.Key.Key_Down, Qt.Key.Key_Escape)
    QTest.keyClick(view, keys[int(chance * 997) % len(keys)])
    if shiboken6.isValid(view) and view.isVisible():
        focus = _focus(view)
        if isinstance(focus, QLineEdit):
            _enter(focus, chance)


def _enter(widget: QWidget, chance: float) -> None:
    """Replace what stands in it and press Return."""
    if isinstance(widget, QLineEdit | QAbstractSpinBox):
        widget.selectAll()
    for letter in TEXTS[int(chance * 991) % len(TEXTS)]:
        if shiboken6.isValid(widget):
            _write(widget, letter)
    if shiboken6.isValid(widget):
        QTest.keyClick(widget, Qt.Key.Key_Return)


def _write(widget: QWidget, letter: str) -> None:
    """One letter of any alphabet, as an input method sends it."""
    QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, letter))


def _focus(otherwise: QWidget) -> QWidget:
    focus = QApplication.focusWidget()
    return focus if focus is not None and not isinstance(focus.window(), QFileDialog) else otherwise


def _on(canvas: QWidget, places: list[list[float]]) -> list[QPoint]:
    return [QPoint(round(x * canvas.width()), round(y * canvas.height())) for x, y in places]
