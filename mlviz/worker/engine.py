"""The engine: drives one run of one algorithm in a thread and records it in a time line of its own.

There is no Qt here and nothing is sent to anybody: the window polls. A change of the document makes a new engine, and
the old one is cancelled and forgotten, so no late frame can reach a new picture.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from algorithms.contract import Algorithm, AnySnapshot, DataError, Ended, Run, Stop
from algorithms.data.scaling import AS_GIVEN, Scaling
from algorithms.interrupt import Interrupted, interruptible
from algorithms.params import ParamError
from algorithms.records import dataclass
from mlviz.worker.blas import limit_blas_threads
from mlviz.worker.gui_priority import NAP, WINDOW, Breather, lower_priority
from mlviz.worker.replay import Replay, Segment
from mlviz.worker.timeline import DEFAULT_BUDGET, Frame, Timeline

State = Literal["ready", "running", "waiting", "finished", "cancelled", "failed"]

_STATE_WORDS: dict[State, str] = {
    "ready": "not started",
    "running": "running",
    "waiting": "waiting for the playhead",
    "cancelled": "cancelled",
}


@dataclass(frozen=True, slots=True)
class History:
    """The time line up to where a run goes on, and the parts from which its frames can be replayed."""

    timeline: Timeline
    segments: tuple[Segment, ...]


class Engine:
    """One run, from its initial state to its end, a failure or a cancellation.

    Parameters
    ----------
    algorithm, data, params, seed, start
        What is run; ``params`` may be the algorithm's own ``Params`` or a mapping of values.
    budget : int
        Bytes for the time line.
    lead : int
        How many frames the engine may be ahead of the playhead before it waits.
    nap : float
        Seconds of sleep after each frame while ahead of the playhead. Python hands the interpreter over only
        now and then; without the nap the window would draw at a tenth of its speed.
    scaling : Scaling
        What was done to the features of the data.
    clock : callable
        The time in seconds.
    history : History
        What came before a run that goes on; without it the time line begins with this run.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        data: Any,
        params: Any,
        seed: int,
        start: Any = None,
        budget: int = DEFAULT_BUDGET,
        lead: int = 2000,
        nap: float = NAP,
        scaling: Scaling = AS_GIVEN,
        clock: Callable[[], float] = time.perf_counter,
        history: History | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.data = data
        self.params = algorithm.make_params(params) if isinstance(params, Mapping) else params
        self.seed = seed
        self.scaling = scaling
        self.timeline = Timeline(budget, algorithm.metrics) if history is None else history.timeline
        self._start = start
        self.since = 0 if history is None else len(self.timeline) - 1
        """The step of the time line from which this run went on."""
        # not a method of the engine: the runs that go on from this one would keep all of its frames
        self._new_run = functools.partial(algorithm.start, data, self.params, seed, start)
        self._segments = (*(() if history is None else history.segments), Segment(self.since, self._new_run))
        self._frames = 0
        self._lead = lead
        self._clock = clock
        self._breather = Breather(nap, clock)
        self._playhead: int | None = 0
        self._state: State = "ready"
        self._end: Ended | None = None
        self._error: BaseException | None = None
        self._seconds = 0.0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._replay = Replay(self._segments, self.timeline, Breather(nap, clock))

    @property
    def state(self) -> State:
        """Where the run stands."""
        return self._state

    @property
    def resumed(self) -> bool:
        """Whether the run went on from an earlier state instead of beginning anew."""
        return self._start is not None

    def goes_on_from(self, model: Any) -> bool:
        """Whether this is the state from which the run went on."""
        return self._start is not None and model is self._start

    @property
    def ended(self) -> bool:
        """Whether no further frame will come."""
        return self._state in ("finished", "cancelled", "failed")

    def reached(self, step: int | None) -> bool:
        """Whether it has come to this step, or to its end; None is the end."""
        return self.ended or (step is not None and len(self.timeline) > step)

    @property
    def stop(self) -> Stop | None:
        """Why the algorithm ended, once it has."""
        return None if self._end is None else self._end.stop

    @property
    def error(self) -> BaseException | None:
        """What went wrong, when the state is ``failed``."""
        return self._error

    @property
    def reason(self) -> str:
        """The state, or why the run ended, in words for the transport bar."""
        if self._end is not None:
            return self._end.words
        if self._state == "failed" and self._error is not None:
            if isinstance(self._error, DataError | ParamError):
                return str(self._error)
            return f"{self.algorithm.title} failed: {type(self._error).__name__}: {self._error}"
        return _STATE_WORDS.get(self._state, self._state)

    @property
    def seconds(self) -> float:
        """The time the algorithm itself has computed, without waits and naps."""
        return self._seconds

    @property
    def rebuilding(self) -> bool:
        """Whether an exact frame is being rebuilt."""
        return self._replay.busy

    @property
    def rebuild_error(self) -> BaseException | None:
        """Why frames cannot be rebuilt, when a replay has failed."""
        return self._replay.error

    def history(self, frame: Frame, change: str) -> History:
        """What a run that goes on from a frame of this one has before it; the words say what was changed."""
        earlier = tuple(part for part in self._segments if part.first < frame.step or part is self._segments[0])
        return History(self.timeline.branch(frame, change), earlier)

    def begin(self) -> None:
        """Start the thread. An engine that was cancelled before does not start any more."""
        with self._changed:
            if self._thread is not None:
                raise RuntimeError("the engine was already started")
            if self._state != "ready":
                return
            self._state = "running"
            self._thread = threading.Thread(target=self._drive, name="mlviz-engine", daemon=True)
            self._thread.start()

    def watch(self, step: int | None) -> None:
        """Say where the playhead is; ``None`` lets the engine run to the end."""
        if step == self._playhead:
            return
        with self._changed:
            self._playhead = step
            self._changed.notify_all()

    def hurry(self) -> None:
        """Run to the end without waiting for the playhead."""
        self.watch(None)

    def cancel(self) -> None:
        """Stop at the next yield or checkpoint. Returns at once; from then on no frame is added to the time line."""
        with self._changed:
            if not self.ended:
                self._state = "cancelled"
                self._changed.notify_all()
        self._replay.cancel()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until both threads have ended, for each so many seconds; whether they have."""
        if self._thread is not None:
            self._thread.join(timeout)
            if self._thread.is_alive():
                return False
        return self._replay.join(timeout)

    def rebuild(self, step: int) -> None:
        """Ask for the exact frame of a step that was thinned out. The latest request counts."""
        if 0 <= step < len(self.timeline) and not self.timeline.frame(step).exact:
            self._replay.ask(step)

    def run_here(self, progress: Callable[[int], None] | None = None) -> None:
        """Run in the calling thread: what :meth:`begin` does in the background. Used by the command line."""
        with self._changed:
            if self._state != "ready":
                raise RuntimeError("the engine was already started")
            self._state = "running"
        self._drive(progress)

    def _drive(self, progress: Callable[[int], None] | None = None) -> None:
        run: Run[AnySnapshot] | None = None
        try:
            limit_blas_threads()
            lower_priority()
            # cancelled in the middle of a step, the state says so already
            with contextlib.suppress(Interrupted), interruptible(self._called_off):
                run = self._new_run()
                while self._take_step(run) and self._pace():
                    if progress is not None:
                        progress(len(self.timeline))
        except BaseException as error:  # everything: the window says it, with the traceback that it carries
            self._fail(error)
        finally:
            self._close(run)

    def _called_off(self) -> bool:
        """In the middle of a long step: let the window draw, and say whether the run was cancelled."""
        WINDOW.yield_to_gui()
        return self._state == "cancelled"

    def _take_step(self, run: Run[AnySnapshot]) -> bool:
        """Compute and record one frame; False when the run is over."""
        began = self._clock()
        try:
            snapshot = next(run)
        except StopIteration as end:
            self._finish(end.value)
            return False
        finally:
            self._seconds += self._clock() - began
        return self._record(snapshot)

    def _record(self, snapshot: AnySnapshot) -> bool:
        with self._changed:
            if self._state == "cancelled":
                return False
            self._frames += 1
            if self._frames > 1 or len(self._segments) == 1:  # the first frame of a run that goes on is there already
                self.timeline.append(snapshot)
            return True

    def _pace(self) -> bool:
        """Wait while too far ahead, nap while ahead; False when cancelled meanwhile."""
        with self._changed:
            while self._state != "cancelled" and self._ahead() > self._lead:
                self._state = "waiting"
                self._changed.wait()
            if self._state == "cancelled":
                return False
            self._state = "running"
            ahead = self._ahead() > 0
        # Nobody waits for frames that lie ahead, so breathe after each; otherwise only often enough to let others live.
        self._breather.breathe(now=ahead)
        WINDOW.yield_to_gui()
        return True

    def _ahead(self) -> int:
        return 0 if self._playhead is None else len(self.timeline) - 1 - self._playhead

    def _finish(self, returned: Any) -> None:
        end = Ended.of(returned)
        if not self._frames:
            raise TypeError("the run ended without a single frame")
        with self._changed:
            if self._state != "cancelled":
                self._end = end
                self._state = "finished"

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._error = error
            if self._state != "cancelled":
                self._state = "failed"

    def _close(self, run: Run[AnySnapshot] | None) -> None:
        try:
            if run is not None:
                run.close()
        except BaseException as error:  # a generator that fails while it cleans up
            self._fail(error)


def run_to_end(
    algorithm: Algorithm,
    data: Any,
    params: Any,
    seed: int,
    progress: Callable[[int], None] | None = None,
    budget: int = DEFAULT_BUDGET,
) -> Engine:
    """Run to the end in this thread, on the same code as the window; ``progress`` hears the number of frames so far.

    A failure of the algorithm is in ``error``, as in the window; only an interruption by the user is raised.
    """
    engine = Engine(algorithm, data, params, seed, budget=budget, nap=0.0)
    engine.hurry()
    engine.run_here(progress)
    if isinstance(engine.error, KeyboardInterrupt | SystemExit):
        raise engine.error
    return engine
