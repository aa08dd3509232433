"""Several runs on one clock as if they were one: what is drawn of a comparison comes from this. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from algorithms.contract import Algorithm
from algorithms.data import Data
from mlviz.session.comparison import Clock, step_beside
from mlviz.session.document import Document
from mlviz.worker.engine import Engine, State, run_to_end
from mlviz.worker.timeline import Frame


@dataclass(frozen=True, slots=True)
class SharedFrame(Frame):
    """The frame of the active run, and those of all runs at the same time."""

    parts: tuple[Frame, ...] = ()


class SharedTimeline:
    """The frames of all runs by the steps of the clock: those of the longest run, or of the active one."""

    def __init__(self, engines: tuple[Engine, ...], active: int, clock: Clock) -> None:
        self._engines, self._active, self._clock = engines, active, clock

    def __len__(self) -> int:
        own = self._engines[self._active]
        if not all(len(engine.timeline) for engine in self._engines):
            return 0  # a frame has a part of every run
        return max(len(engine.timeline) for engine in (self._engines if self._clock == "step" else (own,)))

    def steps(self, step: int) -> list[int]:
        """The step of every run at this one of the clock."""
        return [step_beside(self._clock, step, len(self), len(engine.timeline)) for engine in self._engines]

    def frame(self, step: int) -> SharedFrame:
        """The frames of all runs at this step of the clock."""
        parts = tuple(engine.timeline.frame(own) for engine, own in zip(self._engines, self.steps(step)))
        return SharedFrame(step, parts[self._active].snapshot, all(part.exact for part in parts), parts)


class SharedRun:
    """The runs of all settings of a document; for a drawing it is like the engine of one of them."""

    def __init__(self, document: Document, engines: tuple[Engine, ...]) -> None:
        self.document, self.engines = document, engines
        self._clock = document.comparison.clock
        self.timeline = SharedTimeline(engines, document.comparison.place, self._clock)

    @property
    def active(self) -> Engine:
        """The run of the setting in hand."""
        return self.engines[self.document.comparison.place]

    @property
    def algorithm(self) -> Algorithm:
        """The method in hand."""
        return self.active.algorithm

    @property
    def data(self) -> Data:
        """What all of them run on."""
        return self.active.data

    @property
    def ended(self) -> bool:
        """Whether no further frame will come."""
        return all(engine.ended for engine in self.engines)

    def reached(self, step: int | None) -> bool:
        """Whether all have come to this step of the clock, or to their ends; a fraction is known at the end only."""
        return all(engine.reached(step if self._clock == "step" else None) for engine in self.engines)

    @property
    def state(self) -> State:
        """Where the runs stand."""
        return "cancelled" if any(engine.state == "cancelled" for engine in self.engines) else self.active.state

    @property
    def error(self) -> BaseException | None:
        """What went wrong in any of them."""
        return next((engine.error for engine in self.engines if engine.error is not None), None)

    @property
    def rebuild_error(self) -> BaseException | None:
        """Why frames cannot be rebuilt."""
        return next((engine.rebuild_error for engine in self.engines if engine.rebuild_error is not None), None)

    def rebuild(self, step: int) -> None:
        """Ask for the exact frames at a step of the clock."""
        for engine, own in zip(self.engines, self.timeline.steps(step)):
            engine.rebuild(own)

    def begin(self) -> None:
        """Start all threads."""
        for engine in self.engines:
            engine.begin()

    def watch(self, step: int | None) -> None:
        """How far to compute; a fraction of a run is known at its end."""
        for engine in self.engines:
            engine.watch(step if self._clock == "step" else None)

    def hurry(self) -> None:
        """Run all to their ends."""
        self.watch(None)

    def cancel(self) -> None:
        """Stop all."""
        for engine in self.engines:
            engine.cancel()


def new_run(document: Document) -> Engine | SharedRun:
    """What is to be begun to see a document: its run, or those of all its settings."""
    engines = tuple(
        Engine(alone.method, alone.data, alone.make_params(), alone.seed, scaling=alone.scaling)
        for alone in map(document.at, range(len(document.settings)))
    )
    return engines[0] if len(engines) == 1 else SharedRun(document, engines)


def finished_run(document: Document, progress: Callable[[int], None] | None = None) -> Engine | SharedRun:
    """The same, run to the end in this thread; whatever a method has against the data is raised."""
    engines = tuple(
        run_to_end(alone.method, alone.data, alone.make_params(), alone.seed, progress)
        for alone in map(document.at, range(len(document.settings)))
    )
    run = engines[0] if len(engines) == 1 else SharedRun(document, engines)
    if run.error is not None:
        raise run.error
    return run
