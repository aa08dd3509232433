"""Garbage collection on the GUI thread only.

Python collects cycles on whichever thread happens to allocate. When that is the worker, and the cycle holds widgets or
graphics items, Qt objects die on the wrong thread and the program crashes. So the automatic collector is switched off
while the window is open, and a timer does its work here, the expensive part only when nothing is moving.

Ten thousand frames are hundreds of thousands of objects: to look at all of them takes a third of a second. They hold no
cycles, and whatever nobody holds any more goes without the collector. So while there are many frames, what has grown
old is set aside, at no cost, and looked at again when the frames have gone.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 100
ROUNDS = 3
"""After this many rounds what has survived is looked at once more: the more often, the less there is each time."""
CALM = 10
"""Rounds (a second) in which nothing must have moved before the expensive collection: between two turns of a knob, or
two short runs, somebody is still at work."""
PATIENCE = 600
"""After this many rounds (a minute) without quiet, what there is is set aside."""
REST = 20
"""After this many rounds (two seconds) in which nothing moved or was made, what nobody uses is dropped.

A round later all that is old or was set aside is collected: what was in use then may have gone since.
"""
ALLOCATOR = ((-8, 1), (-3, 2**20))
"""M_ARENA_MAX and M_MMAP_THRESHOLD of the GNU C library."""
FEW = 1000
"""With so many frames the expensive collection is still short."""


class GuiGarbageCollector(QObject):
    """Collects garbage between frames; ``stop`` gives the work back to Python.

    ``drop_unused`` is called once in a rest, before everything is collected and memory is given back.
    """

    def __init__(
        self, quiet: Callable[[], bool], parent: QObject | None = None, drop_unused: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(parent)
        self._quiet, self._drop_unused = quiet, drop_unused
        self._thresholds = gc.get_threshold()
        self._waited = 0
        self._quiet_rounds = 0
        self._set_aside = self._ever_set_aside = False
        self._rounds_at_rest = 0
        self._timer = QTimer(self, objectName="garbage_collector", interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Take over from Python. What the start has made lives for ever and is not looked at again.

        Not even now: to find the thousand objects among 120,000 that could go would take longer than a frame.
        """
        gc.freeze()
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Give back to Python."""
        self._timer.stop()
        gc.enable()

    @Slot()
    def collect(self) -> None:
        """Collect as many generations as are due."""
        young, middle, old = gc.get_count()
        self._quiet_rounds = self._quiet_rounds + 1 if self._quiet() else 0
        at_work = young > self._thresholds[0]
        self._rounds_at_rest = self._rounds_at_rest + 1 if self._quiet_rounds and not at_work else 0
        if self._rounds_at_rest == REST:
            self._drop_unused()
        elif self._rounds_at_rest == REST + 1:  # Qt has deleted what was dropped, in its own order
            self._set_aside = self._ever_set_aside
            self._collect_all()
        elif at_work or self._waited:
            self._waited += 1
            if old > self._thresholds[2] and self._quiet_rounds >= CALM:
                self._collect_all()
            elif self._waited > PATIENCE:
                gc.freeze()
                self._set_aside = self._ever_set_aside = True
                self._waited = 0
            else:
                gc.collect(1 if middle > ROUNDS else 0)

    def _collect_all(self) -> None:
        if self._set_aside:
            gc.unfreeze()
        gc.collect(2)
        if self._set_aside:
            gc.freeze()
            self._set_aside = False
        self._waited = 0
        give_back_memory()


def forget_remembered() -> None:
    """Clear every bounded cache of ours: it holds models, pictures and looks of runs that have gone.

    What a run on show asks for again is worked out once more. Caches without a bound hold what never changes.
    """
    for name, module in list(sys.modules.items()):  # a thread may be importing others
        for value in list(vars(module).values()) if name.startswith(("algorithms.", "mlviz.")) else ():
            if isinstance(value, functools._lru_cache_wrapper) and value.cache_parameters()["maxsize"] is not None:
                value.cache_clear()


def keep_memory_together() -> bool:
    """Have the allocator use one pool for all threads, and the system for what is large; whether it could be asked.

    A pool that a thread has made already stays, so this is asked before there are any.
    Left alone it has a pool for every few threads, and once something large has been freed it takes all that is smaller
    from the pools. What lives long then lies scattered among what has gone: after ten thousand actions in the window a
    third of its memory was such holes.
    """
    adjust = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return adjust is not None and all(adjust(what, value) == 1 for what, value in ALLOCATOR)


def give_back_memory() -> bool:
    """Give what the allocator keeps for later back to the system, where it can be asked to; whether it was asked."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    return trim is not None and trim(0) >= 0
