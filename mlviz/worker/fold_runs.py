"""Runs of an algorithm without some of the points, which can be asked for their model after any number of steps.

Scrubbing asks for one step after another, forwards and back. So a run is kept where it stopped, and the models it has
passed are kept in a time line of its own, within a memory budget: going on costs the new steps only and going back
costs nothing, unless the time line had to thin out, in which case the run is repeated up to the step.

A run that nobody wants any more is ended in the middle of a step, at a checkpoint; one that is only to wait for another
question ends its step first, because a run that was ended in the middle of one has to be begun again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.contract import AnySnapshot, Run
from algorithms.data import Array
from algorithms.interrupt import Interrupted, interruptible
from mlviz.worker.gui_priority import Breather
from mlviz.worker.latest_only import Abandoned
from mlviz.worker.replay import NEIGHBOURS
from mlviz.worker.timeline import Timeline

BUDGET = 48 * 2**20
"""Bytes for the models of all runs of one evaluation together."""


class FoldRun:
    """One run on the points outside a fold.

    Parameters
    ----------
    start_run : callable
        Begins the run; it is deterministic, so it may be called again.
    asked : array of int
        The points of the fold, which this run does not see and is asked about.
    budget : int
        Bytes for the models that are kept.
    """

    def __init__(self, start_run: Callable[[], Run[AnySnapshot]], asked: Array, budget: int = BUDGET) -> None:
        self._start_run = start_run
        self.asked = asked
        self._timeline = Timeline(budget)
        self._run: Run[AnySnapshot] | None = None
        self._breather = Breather()
        self.ended = False
        """Whether the end has been seen, so that the number of steps is known."""

    @property
    def steps(self) -> int:
        """How many steps are known so far."""
        return len(self._timeline)

    def model_at(
        self,
        step: int | None,
        give_up: Callable[[], bool] = lambda: False,
        passed: Callable[[int], None] = lambda _: None,
        pause: Callable[[], bool] = lambda: False,
    ) -> Any:
        """The model after this step, or the last one where the run is shorter or ``step`` is None.

        ``passed`` hears of every new step. Raises :class:`Abandoned` at the next checkpoint after ``give_up`` says so,
        or at the next step after ``pause`` does; what has been computed by then is kept.
        """

        def ask() -> None:
            if give_up() or pause():
                raise Abandoned

        try:
            with interruptible(give_up):
                while not self.ended and (step is None or self.steps <= step):
                    if self._take_step(ask):
                        passed(self.steps - 1)
                wanted = self.steps - 1 if step is None else min(step, self.steps - 1)
                if not self._timeline.frame(wanted).exact:
                    self._repeat(wanted, ask)
        except Interrupted:
            self._run = None  # the step has unwound, and with it the run
            raise Abandoned from None
        return self._timeline.frame(wanted).snapshot.model

    def close(self) -> None:
        """Let the algorithm clean up; the run can be asked no further."""
        run, self._run = self._run, None
        self.ended = True
        if run is not None:
            run.close()

    def _take_step(self, ask: Callable[[], None]) -> bool:
        """Compute one more step; False when there is none."""
        if self._run is None:
            run = self._start_run()
            for _ in range(self.steps):  # known from before it was ended in the middle of a step
                self._next(run, ask)
            self._run = run
        snapshot = self._next(self._run, ask)
        if snapshot is None:
            self.close()
            return False
        self._timeline.append(snapshot)
        return True

    def _repeat(self, step: int, ask: Callable[[], None]) -> None:
        """Run once more from the beginning, for a step whose model had to be forgotten."""
        run = self._start_run()
        try:
            for number in range(step + 1):
                snapshot = self._next(run, ask)
                assert snapshot is not None, "the run was shorter the second time"
                if number >= step - NEIGHBOURS:
                    self._timeline.put(number, snapshot)
        finally:
            run.close()

    def _next(self, run: Run[AnySnapshot], ask: Callable[[], None]) -> AnySnapshot | None:
        """One step, without its pictures, which nobody will see; None at the end."""
        ask()
        self._breather.breathe()
        snapshot = next(run, None)
        return None if snapshot is None else snapshot.stripped()
