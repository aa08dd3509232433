"""What a board shows while the mouse is over a setting that was tried: the model of that one among the data."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from algorithms.contract import AnySnapshot
from mlviz.worker.engine import Engine
from mlviz.worker.peeking import Glance, Peeker

KEPT = 64
"""Models of settings that are kept: the mouse goes back and forth over the same few."""


class Peek:
    """Asks a thread for the model of the setting under the mouse, and keeps the latest ones of a run."""

    def __init__(self) -> None:
        self._peeker = Peeker()
        self._engine: Engine | None = None
        self._wanted: Any = None
        self._known: OrderedDict[Any, AnySnapshot] = OrderedDict()

    @property
    def snapshot(self) -> AnySnapshot | None:
        """The frame with the model of the setting under the mouse, once there is one."""
        return None if self._wanted is None else self._known.get(self._wanted)

    def forget(self) -> None:
        """Another run has begun."""
        self._engine, self._wanted = None, None
        self._known.clear()
        self._peeker.drop()

    def point_at(self, engine: Engine, shown: AnySnapshot, meant: tuple[str, Any] | None) -> bool:
        """The mouse is over the value of a parameter, or has left; whether something else is to be seen now."""
        trials, before = engine.algorithm.trials, self.snapshot
        if engine is not self._engine:
            self.forget()
            self._engine = engine
        able = trials is not None and trials.peek is not None and meant is not None and meant[0] == trials.handle
        self._wanted = meant[1] if able and meant is not None else None
        self._peeker.drop()
        if self._wanted is not None and self._wanted not in self._known:
            self._peeker.ask(Glance(engine, shown, self._wanted))
        return self.snapshot is not before

    def poll(self) -> bool:
        """Take what the thread has fitted; whether it is to be seen now. What went wrong is raised."""
        found = self._peeker.poll()
        if found is None or found.glance.engine is not self._engine:
            return False
        if found.error is not None:
            raise found.error
        if found.snapshot is None:
            return False
        self._known[found.glance.value] = found.snapshot
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return found.glance.value == self._wanted

    def close(self) -> None:
        """End the thread."""
        self._peeker.close()
