"""Rebuilding thinned-out frames: the run is deterministic, so replaying it gives the very same frame again."""

from __future__ import annotations

import threading
from collections.abc import Callable

from algorithms.contract import AnySnapshot, Run
from algorithms.interrupt import Interrupted, interruptible
from algorithms.records import dataclass
from mlviz.worker.blas import limit_blas_threads
from mlviz.worker.gui_priority import WINDOW, Breather, lower_priority
from mlviz.worker.latest_only import has_ended
from mlviz.worker.timeline import Timeline

NEIGHBOURS = 8
"""Frames before the wanted one that are kept on the way, so that stepping back from it is exact at once."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a time line that one run has made: ``begin`` starts that run, whose first frame is step ``first``.

    A run that goes on from an earlier one begins with the state from which it goes on: that frame belongs to the
    earlier segment.
    """

    first: int
    begin: Callable[[], Run[AnySnapshot]]


class Replay:
    """Replays a run in the background up to the step asked for last, and puts its frame into the time line.

    The replayed generator is kept where it stopped: going forward from there costs one step, not all of them.
    """

    def __init__(self, segments: tuple[Segment, ...], timeline: Timeline, breather: Breather) -> None:
        self._segments = segments
        self._segment = segments[0]
        self._timeline = timeline
        self._breather = breather
        self._lock = threading.Lock()
        self._wanted: int | None = None
        self._cancelled = False
        self._working = False
        self._thread: threading.Thread | None = None
        self._run: Run[AnySnapshot] | None = None
        self._position = -1  # the step that ``_run`` has yielded last
        self.error: BaseException | None = None
        """Why replaying is impossible, when it is: the run was not the same the second time."""

    @property
    def busy(self) -> bool:
        """Whether a frame is being rebuilt."""
        with self._lock:
            return self._wanted is not None

    def ask(self, step: int) -> None:
        """Rebuild this step; a request that is still being worked on is replaced."""
        with self._lock:
            if self._cancelled or self.error is not None:
                return
            self._wanted = step
            if not self._working:
                self._working = True
                self._thread = threading.Thread(target=self._work, name="mlviz-rebuild", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        """Stop at the next step and never start again; returns at once."""
        with self._lock:
            self._cancelled = True
            self._wanted = None
            if not self._working:
                self._close()

    def join(self, timeout: float | None) -> bool:
        """Wait for the thread; whether it has ended."""
        return has_ended(self._thread, timeout)

    def _work(self) -> None:
        try:
            limit_blas_threads()
            lower_priority()
            with interruptible(lambda: self._cancelled):
                self._advance()
        except Interrupted:
            with self._lock:
                self._finish()
        except BaseException as error:  # kept for the window, which decides how to say it
            with self._lock:
                self.error = error
                self._finish()

    def _advance(self) -> None:
        """Work towards the step that is wanted by now, until its frame is there."""
        while True:
            with self._lock:
                wanted = self._wanted
                if wanted is None or self._timeline.frame(wanted).exact:
                    self._finish()
                    return
            segment = self._segment_of(wanted)
            if self._run is None or segment is not self._segment or self._position >= wanted:
                self._close()
                self._segment, self._run, self._position = segment, segment.begin(), segment.first - 1
            try:
                snapshot = next(self._run)
            except StopIteration as end:
                raise RuntimeError("The run was shorter the second time, so this frame cannot be rebuilt.") from end
            self._position += 1
            own = self._position > segment.first or segment is self._segments[0]
            if own and wanted - NEIGHBOURS <= self._position <= wanted:
                with self._lock:
                    if not self._cancelled:
                        self._timeline.put(self._position, snapshot)
            self._breather.breathe()
            WINDOW.yield_to_gui()

    def _segment_of(self, step: int) -> Segment:
        """The part of the time line to which a step belongs."""
        return next((part for part in reversed(self._segments) if part.first < step), self._segments[0])

    def _finish(self) -> None:
        """Under the lock: nothing is wanted any more, and the next request needs a new thread."""
        self._wanted = None
        self._working = False
        if self._cancelled or self.error is not None:
            self._close()

    def _close(self) -> None:
        run, self._run, self._position = self._run, None, -1
        try:
            if run is not None:
                run.close()
        except BaseException as error:  # a generator that fails while it cleans up
            self.error = error
