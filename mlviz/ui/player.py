"""The player: one run and its playhead. It knows no widget and computes nothing; a ticker moves it.

Where runs are compared, one player leads and the others follow its playhead. The leader's clock then counts the steps
of the longest run, so that each is seen to its end; or the runs have the fraction of their lengths in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from algorithms import find
from algorithms.contract import Algorithm, DataError
from mlviz.session.comparison import Clock, step_beside
from mlviz.session.document import Document
from mlviz.ui.ticker import Ticker
from mlviz.worker.engine import Engine, History
from mlviz.worker.timeline import Frame, Timeline

DEBOUNCE_MS = 60

AfterChange = Literal["start", "keep", "end"]


class Player(QObject):
    """Runs the current document and moves through its frames."""

    run_started = Signal(object)
    """A new engine has begun; frames shown from now on are its own."""
    playing_changed = Signal(bool)
    data_refused = Signal(str)
    """The algorithm cannot use the data; the sentence says why."""
    run_failed = Signal(object)
    """Something unexpected went wrong inside the algorithm; the exception."""

    def __init__(self, ticker: Ticker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ticker = ticker
        ticker.players.append(self)
        self.engine: Engine | None = None
        self._document: Document | None = None
        self._start: Frame | None = None
        self._before: Document | None = None
        """What was run up to ``_start``, the frame from which the current run went on."""
        self.algorithm: Algorithm | None = None
        self.after_change: AfterChange = "keep"
        self.by_phase = False
        self.playing = False
        self.to_end = False
        """Whether the run is to be computed to its end although nobody looks at it: a film waits for it."""
        self.clock: Clock = "step"
        self.followers: tuple[Player, ...] = ()
        """The players whose playheads go along with this one."""
        self._leader: Player | None = None
        self._speed = 4.0
        self._position = 0.0
        self._anchor: float | None = None
        self._goal: int | None = None
        self._shown: Frame | None = None
        self._shown_step = -1
        self._reported = False
        self._retired: list[Engine] = []
        self._pending: tuple[Document, Frame | None] | None = None
        self._debounce = QTimer(self, objectName="player_debounce", interval=DEBOUNCE_MS, singleShot=True)
        self._debounce.timeout.connect(self._run_pending)
        self._next: Callable[[], None] | None = None
        self._soon = QTimer(self, objectName="player_soon", interval=0, singleShot=True)
        self._soon.timeout.connect(self._do_next)

    # -- runs ----------------------------------------------------------------------------------------------------

    def run(self, document: Document, start: Frame | None = None, at: int | None = None) -> None:
        """Run the document now, from its beginning or going on from a frame; ``at`` is the step to show."""
        self._debounce.stop()
        self._soon.stop()
        self._pending = self._next = None
        anchor = self._next_anchor(start)
        if start is not self._start or start is None:
            self._before = self._document
        history = self._history(document, start)
        self._retire()
        self.algorithm, self._document, self._start = find(document.algorithm), document, start
        params = self.algorithm.make_params(document.params)
        self.engine = Engine(
            self.algorithm,
            document.data,
            params,
            document.seed,
            start=None if start is None else start.snapshot.model,
            scaling=document.scaling,
            history=history,
        )
        self._position, self._anchor, self._goal = float(self.engine.since), anchor if at is None else None, at
        self._shown, self._reported = None, False
        self.engine.watch(None if self._wants_end() else self.position)
        self.engine.begin()
        self.ticker.start()
        self.run_started.emit(self.engine)

    def run_soon(self, document: Document, start: Frame | None = None) -> None:
        """Run the document when changes have come to rest for a moment; the current run stops at once.

        A run that went on and has not come to its end yet was only passing by, while a slider is dragged: the next one
        goes on from the same frame. A method that learns nothing answers at once, so it is asked at once.
        """
        if find(document.algorithm).lazy and self.is_up_to_date and self.runs(document):
            self.run(document, start)
            return
        if self.engine is not None:
            if start is not None and self._start is not None and self._anchor is not None:
                start = self._start
            self.engine.cancel()
        self._pending = (document, start)
        if not self._debounce.isActive():
            self._debounce.start()

    @property
    def is_up_to_date(self) -> bool:
        """Whether the latest run has shown something, so that nothing is lost when it is replaced."""
        return self._shown is not None and self._pending is None

    def when_up_to_date(self, call: Callable[[], None]) -> None:
        """Do this when the run has shown something, unless another one begins before; the latest call counts."""
        self._next = call

    def rest(self) -> None:
        """Stop, show nothing and be moved by nobody, until the next run."""
        self.ticker.leave(self)
        self._debounce.stop()
        self._soon.stop()
        self._pending = self._next = self._shown = self._document = None
        self._leader, self.followers, self.playing, self.to_end = None, (), False, False
        self._position, self._anchor, self._goal = 0.0, None, None
        self._retire()

    def forget_ended(self) -> None:
        """Let go of the runs that were replaced and have ended: each has up to 256 MB of frames."""
        if self._retired:
            self._retired = [engine for engine in self._retired if not engine.join(0.0)]

    def close(self) -> None:
        """Stop everything and wait for the threads."""
        self.rest()
        for engine in self._retired:
            engine.join(2.0)
        self._retired.clear()

    @property
    def timeline(self) -> Timeline | None:
        """The frames of the current run."""
        return self.engine.timeline if self.engine is not None else None

    @property
    def steps(self) -> int:
        """How many steps are known so far."""
        return len(self.engine.timeline) if self.engine is not None else 0

    @property
    def position(self) -> int:
        """The step under the playhead."""
        return min(int(self._position), max(self.steps - 1, 0))

    @property
    def clock_steps(self) -> int:
        """How many steps the playhead can be on: those of the longest run that has the step in common with this."""
        shared = self.followers if self.clock == "step" else ()
        return max([self.steps, *(player.steps for player in shared)])

    @property
    def clock_position(self) -> int:
        """Where the playhead is; beyond the end of this run while a longer one beside it goes on."""
        return min(int(self._position), max(self.clock_steps - 1, 0))

    @property
    def clock_running(self) -> bool:
        """Whether further steps may still come here or beside it; a run that is about to begin has some."""
        return self.running or any(player.running or player._pending is not None for player in self.followers)

    def lead(self, followers: tuple[Player, ...], clock: Clock, before: Player | None = None) -> None:
        """Have these players follow from now on, with the playhead where the leader ``before`` had it."""
        if before is not None and before is not self:
            self._take_over(before)
        self._leader, self.followers, self.clock = None, followers, clock
        for player in followers:
            player._leader, player.followers = self, ()

    def _take_over(self, before: Player) -> None:
        at = step_beside(before.clock, before.clock_position, before.clock_steps, self.steps)
        self._position = before._position if before.clock == "step" else float(at)
        self._anchor, self._goal = before._anchor, before._goal
        self.playing, before.playing = before.playing, False
        self.by_phase, self.after_change, self._speed = before.by_phase, before.after_change, before._speed
        self.to_end, before.to_end = before.to_end, False

    @property
    def arrived(self) -> bool:
        """Whether the playhead has come to the step at which the run was to be shown."""
        return self._goal is None

    @property
    def shown(self) -> Frame | None:
        """The frame on the screen."""
        return self._shown

    def runs(self, document: Document) -> bool:
        """Whether the run belongs to this document: the same method on the very same data.

        For a moment after a change it does not. Whatever is resumed, dragged, explained or exported asks this first.
        """
        parts = {"algorithm", "data", "scaling"}
        return self._document is not None and not self._document.changes(document) & parts

    def frame_of(self, document: Document) -> Frame | None:
        """The frame on the screen, if it belongs to this document."""
        return self._shown if self.runs(document) else None

    @property
    def running(self) -> bool:
        """Whether further steps may still come."""
        return self.engine is not None and self.engine.state in ("ready", "running", "waiting")

    @property
    def ended_without_frames(self) -> bool:
        """Whether the run is over without a single frame, and no other one is about to begin."""
        return self._pending is None and not self.running and not self.steps

    @property
    def reason(self) -> str:
        """Why the run ended, in words; empty while it goes on."""
        return "" if self.engine is None or self.running else self.engine.reason

    # -- time ----------------------------------------------------------------------------------------------------

    def set_playing(self, playing: bool) -> None:
        """Play or pause. Playing from the last frame starts over."""
        if playing and not self.clock_running and self.clock_position >= self.clock_steps - 1:
            self._position = 0.0
        self._anchor = self._goal = None
        if playing != self.playing:
            self.playing = playing
            self.ticker.restart_time()
            self.playing_changed.emit(playing)

    def set_speed(self, steps_per_second: float) -> None:
        """How fast to play; infinity means as fast as it computes."""
        self._speed = steps_per_second
        self.ticker.start()

    def step(self, count: int) -> None:
        """Move by frames; pauses."""
        self.seek(self.clock_position + count)

    def step_phase(self, direction: int) -> None:
        """Move to where the phase changes; pauses."""
        if self.timeline is not None and self.steps:
            self.seek(self.timeline.next_phase(self.position, direction))

    def seek(self, step: int) -> None:
        """Put the playhead on a step; pauses."""
        self.set_playing(False)
        self._position = float(max(0, min(step, max(self.clock_steps - 1, 0))))
        self._anchor = None
        self.ticker.wake()

    def jump(self, where: str) -> None:
        """Go to the ``start``, or to the ``end`` even when that has still to be computed."""
        if where == "start":
            self.seek(0)
        else:
            self.set_playing(False)
            self._anchor = 1.0
            self.ticker.wake()

    def advance(self, elapsed: float) -> None:
        """So many seconds have passed: move the playhead, and have the engine compute as far as it is wanted."""
        self.forget_ended()
        if self.engine is not None and self._pending is None:  # a run that is about to be replaced shows nothing more
            if self._leader is None:
                self._move(elapsed)
            else:
                self._follow(self._leader)
            self.engine.watch(None if self._wants_end() or self.to_end else self.position)

    def take_frame(self) -> Frame | None:
        """The frame under the playhead, which is on show from now on; None when it was already."""
        frame = self.frame_to_show()
        if frame is not None:
            self._shown, self._shown_step = frame, self.position
            if self._next is not None:
                self._soon.start()
        return frame

    def frame_to_show(self) -> Frame | None:
        """The frame under the playhead if it is another one than that on show."""
        if self.engine is None or self._pending is not None or not self.steps:
            return None
        step = self.position
        frame = self.engine.timeline.frame(step)
        if not frame.exact and not (self._leader or self).playing:
            self.engine.rebuild(step)
        same = self._shown is not None and frame.snapshot is self._shown.snapshot and step == self._shown_step
        return None if same else frame

    @property
    def hurrying(self) -> bool:
        """Whether frames come as fast as they can be computed; the last one of a short run comes at once."""
        return self.playing and math.isinf(self._speed)

    @property
    def answers_soon(self) -> bool:
        """Whether a method that learns nothing has been asked and has not answered yet."""
        lazy = self.algorithm is not None and self.algorithm.lazy
        return lazy and self.running and self._shown is None and self._pending is None

    @property
    def busy(self) -> bool:
        """Whether the next tick may have something new."""
        running = self.engine is None or self.engine.state == "running"
        return running or self.playing or self._anchor is not None or self._goal is not None

    def report_failure(self) -> None:
        """Say once why a run has failed."""
        if self._pending is not None or self.engine is None:
            return
        if self.engine.state == "failed" and not self._reported and self.engine.error is not None:
            self._reported = True
            self.set_playing(False)
            if isinstance(self.engine.error, DataError):
                self.data_refused.emit(str(self.engine.error))
            else:
                self.run_failed.emit(self.engine.error)

    # -- inside --------------------------------------------------------------------------------------------------

    def _history(self, document: Document, start: Frame | None) -> History | None:
        """What a run that goes on from a frame has before it, where that is one training and not another beginning."""
        before = self._before
        if start is None or before is None or self.engine is None or not document.method.continues:
            return None
        changed = [
            field for field in document.method.fields if document.params[field.name] != before.params[field.name]
        ]
        change = "; ".join(
            f"{item.label}: {before.params[item.name]} → {document.params[item.name]}" for item in changed
        )
        return self.engine.history(start, f"{change}." if change else "It goes on.")

    def _next_anchor(self, start: Frame | None) -> float | None:
        """Where the playhead is to be in the next run, as a fraction of its length."""
        if self._leader is not None or self.playing or self.engine is None or self.after_change == "start":
            return None
        if self.after_change == "end" or start is not None:
            return 1.0
        if self._anchor is not None:
            return self._anchor
        last = max(self.clock_steps - 1, 1)
        return self.clock_position / last if self.clock_position else None

    def _follow(self, leader: Player) -> None:
        self._position = float(step_beside(leader.clock, leader.clock_position, leader.clock_steps, self.steps))

    def _wants_end(self) -> bool:
        if self._leader is not None:
            return self._leader.to_end or self._leader._wants_end()
        at_end = bool(self.followers) and self.clock == "fraction"  # the length of a run is known at its end
        flat_out = self.playing and math.isinf(self._speed)
        return at_end or flat_out or self._anchor is not None or self._goal is not None

    def _move(self, elapsed: float) -> None:
        steps, running = (self.steps, self.running) if self.by_phase else (self.clock_steps, self.clock_running)
        last = max(steps - 1, 0)
        if self._goal is not None:
            self._position = float(min(self._goal, last))
            if last >= self._goal or not running:
                self._goal = None
        elif self._anchor is not None:
            self._position = float(round(self._anchor * last))
            if not running:
                self._anchor = None
        elif self.playing:
            if math.isinf(self._speed):
                self._position = float(last)
            elif self.by_phase:
                self._advance_phases(elapsed)
            else:
                self._position = min(self._position + self._speed * elapsed, float(last) + (0.999 if running else 0.0))
            if not running and self._position >= last:
                self._position = float(last)
                self.set_playing(False)

    def _advance_phases(self, elapsed: float) -> None:
        """Move through the phases at the chosen rate; the fraction of the position counts the time."""
        whole, part = divmod(self._position, 1.0)
        part += self._speed * elapsed
        step = int(whole)
        assert self.timeline is not None
        while part >= 1.0:
            following = self.timeline.next_phase(step, +1)
            if following == step:
                part = 0.0 if self.running else 1.0
                break
            step, part = following, part - 1.0
        self._position = min(step + min(part, 0.999), float(max(self.steps - 1, 0)) + 0.999)
        if not self.running and step >= self.steps - 1:
            self._position = float(self.steps - 1)

    def _retire(self) -> None:
        """Tell the old engine to stop and forget it; it ends at its next yield."""
        if self.engine is not None:
            self.engine.cancel()
            self._retired.append(self.engine)
            self.engine = None

    @Slot()
    def _do_next(self) -> None:
        call, self._next = self._next, None
        if call is not None:
            call()

    @Slot()
    def _run_pending(self) -> None:
        if self._pending is not None:
            document, start = self._pending
            self.run(document, start)
