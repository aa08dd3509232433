"""A run that cannot begin: what is left of the one before goes, and the window says what is missing and where it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from algorithms.contract import Algorithm
from algorithms.data import Points
from mlviz.data.spec import parse_spec
from mlviz.ui.blank import SOURCE

if TYPE_CHECKING:
    from mlviz.ui.pane import Pane
    from mlviz.ui.window import MainWindow


def refuse(window: MainWindow, pane: Pane, sentence: str) -> None:
    """Say why the method of a pane cannot use the data, with a button that leads to what it needs."""
    forget_run(window, pane)
    method, document = pane.player.algorithm, window.document
    if method is not None and (wanted := method.wants(document.data)):
        pane.board.message.say(wanted, calm=True)
        return
    hint, action = _way_out(window, method)
    drawing = document.source == SOURCE
    pane.board.message.say(f"{sentence} {hint}".strip(), calm=drawing, below=drawing, action=action)


def forget_run(window: MainWindow, pane: Pane) -> None:
    """Nothing that is seen may be taken for a result of a run without frames."""
    if not pane.player.ended_without_frames:
        return
    pane.board.forget_run()
    if pane is window.boards.active:
        window.what_happens.show_frame(None)
        window.pointer.forget()


def _way_out(window: MainWindow, method: Algorithm | None) -> tuple[str, tuple[str, Callable[[], object]] | None]:
    data, wanted = window.document.data, "none" if method is None else method.target
    if not isinstance(data, Points) or wanted == "none" or data.is_labelled or (data.is_valued and wanted != "classes"):
        return "", _to_example(window, method)
    again = window.data_controller.choose_target
    if again is not None:
        return "One of the columns of the file can be the target.", ("Choose the target…", again)
    what = "classes" if wanted == "classes" else "a target"
    return f"Other data have {what}.", ("Choose other data…", window.show_data_tab)


def _to_example(window: MainWindow, method: Algorithm | None) -> tuple[str, Callable[[], object]] | None:
    """A class waits: one click shows the method on data that suit it, unless they are these or are being drawn."""
    if method is None or not method.accepts or window.document.source in (SOURCE, method.example):
        return None
    return "Show it on its example", partial(window.choose_data, parse_spec(method.example))
