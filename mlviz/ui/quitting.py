"""The end of the program: it comes with the window, whatever else is open, and by one key wherever the keyboard is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from mlviz.ui import problems

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

KEYS = "Ctrl+Q"


@runtime_checkable
class Stoppable(Protocol):
    """A dialog in which something goes on that has to stop before the window goes."""

    def stop(self) -> None:
        """Stop now."""


def end_each(endings: Iterable[Callable[[], object]]) -> None:
    """Do all of it, whatever goes wrong in one: a program whose window has gone half way would never end."""
    for end in endings:
        try:
            end()
        except Exception as error:  # in the log, and said as long as there is anybody to say it to
            problems.report(error)


class Quitting(QObject):
    """Ends the event loop when the window has been closed.

    Qt would wait for the last of all windows, and one that nobody sees any more is enough to keep it waiting. The
    shortcuts of a window sleep below a modal dialog or a popup, so these get the key, too: a dialog when it comes to
    the front.
    """

    def __init__(self, app: QApplication, window: MainWindow) -> None:
        super().__init__(window)
        self._app, self._window = app, window
        app.setQuitOnLastWindowClosed(False)
        window.closed.connect(partial(app.exit, 0))
        self._give_key(window.palette_popup)
        app.focusWindowChanged.connect(self._take_keys)

    def end(self) -> None:
        """The loop has ended."""
        self._app.setQuitOnLastWindowClosed(True)
        self._app.focusWindowChanged.disconnect(self._take_keys)

    @Slot()
    def _take_keys(self) -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is not None and dialog.findChild(QShortcut, "quit") is None:
            self._give_key(dialog)

    def _give_key(self, widget: QWidget) -> None:
        QShortcut(QKeySequence(KEYS), widget, objectName="quit").activated.connect(self._window.close)
