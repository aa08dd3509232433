"""Things on a canvas that stand for a parameter, and are dragged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.contract import AnySnapshot
from algorithms.data import Array
from algorithms.method_choice import parse_method
from algorithms.params import ParamError

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow


def drag(window: MainWindow, name: str, value: Any, finished: bool) -> None:
    """Set the parameter to where its handle was dragged; whatever makes it matter is set too.

    A handle that a run carries along, such as a first centre, stands where it was put in the first step only: so that
    step is shown. Of a method that answers at once each answer is seen before the next place is asked about.
    """
    player = window.player
    outer, _, inner = name.partition(".")  # "method.degree" is a parameter of the method that is a parameter
    field = next((field for field in window.document.method.fields if field.name == outer), None)
    if field is None or not player.runs(window.document):
        return  # it was drawn by the method before, whose last frame is seen until there is a new one
    if window.document.method.lazy and not finished and not player.is_up_to_date:
        player.when_up_to_date(partial(drag, window, name, value, finished))
        return
    changes = {outer: _within(window.document.params[outer], inner, value) if inner else field.nearest(value)}
    if field.when is not None and not field.relevant(window.document.params):
        changes[field.when.name] = field.when.values[0]
    carried = field.handles and is_carried(window, name)
    try:
        document = window.trials.pointing(window.document.with_params(**changes), name)
        window.apply(document, f"drag {field.label}", merge=f"handle {name}", start=window.start_for(field))
        if carried:
            window.player.seek(0)
    except ParamError as error:
        window.statusBar().showMessage(str(error), 6000)
    if finished:
        window.history.seal()
        window.trials.say_setting(name)


def _within(text: str, name: str, value: Any) -> str:
    """A method with one of its parameters where the handle was dragged."""
    method = parse_method(text)
    field = next((field for field in method.algorithm.fields if field.name == name), None)
    return text if field is None else method.with_values(**{name: field.nearest(value)}).text


def is_carried(window: MainWindow, name: str) -> bool:
    """Whether the handles of this parameter are elsewhere in the frame on show than they were in the first one."""
    shown, timeline = window.player.shown, window.player.timeline
    if shown is None or timeline is None or not shown.step:
        return False
    first, now = (_places(snapshot, name) for snapshot in (timeline.frame(0).snapshot, shown.snapshot))
    return len(first) != len(now) or not all(map(np.array_equal, first, now))


def _places(snapshot: AnySnapshot, name: str) -> list[Array]:
    """Where the handles are, in every mark that has them."""
    marks = (mark for panel in snapshot.views.values() for mark in panel)
    return [np.asarray(getattr(mark, "at", ())) for mark in marks if getattr(mark, "handle", "") == name]
