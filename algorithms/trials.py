"""What a method that fits many others tells about them: how far it is, what each one was, and what was looked at last.

Filling a map of settings takes longer than one step of anything else, and its cells are models of another method. So
the window wants to say how long it will take, show the model of a cell that is pointed at, hand its parameters to that
method, and remember that the points kept aside were looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class Trials:
    """A frozen record of pure functions.

    Parameters
    ----------
    progress : function of (model)
        How many fits are done, and of how many.
    opened : function of (model)
        Whether the points that were kept aside have had their say.
    lock : str
        The parameter with the choices ``locked`` and ``open`` for those points.
    handle : str
        The parameter that points at one of the settings; empty where none can be pointed at.
    setting : function of (params, model)
        The method with the parameters that are pointed at, or else those of the model on show if there is one, written
        as a call, and the names of those that are varied; None where there is nothing yet.
    peek : function of (snapshot, data, params, seed)
        The frame as it would be seen with the model that the parameters point at; its caption is about that one.
    """

    progress: Callable[[Any], tuple[int, int]]
    opened: Callable[[Any], bool]
    lock: str = "test"
    handle: str = ""
    setting: Callable[[Any, Any], tuple[str, tuple[str, ...]] | None] | None = None
    peek: Callable[[Any, Any, Any, int], Any] | None = None
