"""Everything a window makes once and keeps, made before anything is counted: what comes after that is growth.

Canvases of every kind of data on as many boards as there may be, the map of differences, the pad, the pages of cards,
lessons with the notes for the lecturer, every dialog, both themes and presenter mode.
"""

from __future__ import annotations

from collections.abc import Iterator

from algorithms import all_algorithms
from mlviz.session.comparison import MOST_BOARDS
from tests.monkey.hands import Action, Hands

NEVER = ("quit",)
OVER = [[0.3, 0.3], [0.5, 0.5], [0.6, 0.4], [0.7, 0.7]]
"""Where the mouse goes; a thread explains what is there."""

COMPARED: list[Action] = [
    *[["trigger", "compare_same"]] * (MOST_BOARDS - 1),
    *(["trigger", "difference"], ["shown"], ["trigger", "only_board"]),
]
"""As many boards as there may be, and back to one."""


def warming(hands: Hands) -> Iterator[Action]:
    """The actions, each to be done before the next is asked for; they end with a window that has settled."""
    kinds: dict[str, str] = {}
    for method in all_algorithms():
        yield from (["method", method.key], ["shown"], ["hover", 0, OVER])
        kinds.setdefault(hands.window.document.data.kind, method.key)
    for key in kinds.values():
        yield from (["method", key], *COMPARED)
    for data, key in (("sine(n=60)", "linear_regression"), ("blobs(n=60)", "logistic_regression")):
        yield from (["data", data], ["method", key], *COMPARED[:-1], ["furnish"], *COMPARED[-1:])
    yield from (["data", "digits"], ["shown"])  # the pad comes with the first pictures
    yield from (["trigger", "slide_add"], ["trigger", "slide_add"])  # without a lesson there are no notes
    for spec in hands.window.actions_table.specs:
        if spec.name not in NEVER:
            twice = spec.checkable or spec.name in ("theme", "present", "present_here")
            yield from [["trigger", spec.name], ["rest", 20]] * (1 + twice)
            yield ["dialogs"]
    yield ["settle"]
