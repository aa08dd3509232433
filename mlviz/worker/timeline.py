"""The time line: what a run has shown so far, within a memory budget.

The engine appends from its thread while the window reads from its own, so every method takes the one lock, briefly.
When the budget is spent the frames are thinned out: of the kept ones every second goes, oldest first and only as many
as are needed for the newcomer, so that no single append has to clear away half the run. The metrics and the phases of
*all* steps stay, hence curves and phase jumps are exact whatever was thinned.
"""

from __future__ import annotations

import bisect
import threading
from collections.abc import Sequence

import numpy as np

from algorithms.contract import AnySnapshot, Metric
from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.session.memory import MemoryMeter

DEFAULT_BUDGET = 256 * 2**20
MAX_REBUILT = 32
"""How many replayed frames are kept beside the thinned ones: enough to step about near where the user stopped."""
MAX_EVENTS = 500
"""A noisy metric gets worse at every other step; beyond this many, ticks say nothing."""
WORSE = 1e-9
"""A metric has got worse when it changed by more than this fraction of its size: less is rounding."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A kept frame; ``exact`` says whether it is the one that was asked for or its nearest neighbour."""

    step: int
    snapshot: AnySnapshot
    exact: bool


class Timeline:
    """The frames of one run; thread safe.

    Parameters
    ----------
    budget : int
        Bytes for everything kept, with shared arrays counted once. The first, the last and the latest rebuilt frame
        stay even when they alone are larger.
    metrics : sequence of Metric
        The algorithm's declarations; they tell for which metrics a change for the worse is an event.
    """

    def __init__(self, budget: int = DEFAULT_BUDGET, metrics: Sequence[Metric] = ()) -> None:
        self._lock = threading.Lock()
        self._budget = budget
        self._meter = MemoryMeter()
        self._length = 0
        self._kept: dict[int, AnySnapshot] = {}
        self._rebuilt: dict[int, AnySnapshot] = {}  # oldest first
        # Kept are the multiples of 2 * stride before ``_thinned`` (itself such a multiple), the multiples of stride
        # from there on, and the last.
        self._stride = 1
        self._thinned = 0
        self._series: dict[str, _Series] = {}
        self._starts: list[int] = []  # of the runs of equal phase
        self._phases: list[str] = []
        self._metrics = tuple(metrics)
        self._watch = _EventWatch(metrics)
        self._changes: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        """The memory held by frames, metrics and phases."""
        with self._lock:
            return self._spent()

    @property
    def kept(self) -> tuple[int, ...]:
        """The steps whose frames are kept, in order."""
        with self._lock:
            return tuple(sorted({*self._kept, *self._rebuilt}))

    @property
    def thinned(self) -> int:
        """How many steps have no frame of their own any more, and would have to be replayed."""
        with self._lock:
            return self._length - len(self._kept)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics seen so far."""
        with self._lock:
            return tuple(self._series)

    @property
    def events(self) -> list[tuple[int, str]]:
        """Steps that deserve a tick, with the reason: a metric that got worse, a warning."""
        with self._lock:
            return list(self._watch.events)

    @property
    def changes(self) -> list[tuple[int, str]]:
        """Steps after which the run went on differently, with what was changed."""
        with self._lock:
            return list(self._changes)

    def branch(self, frame: Frame, change: str) -> Timeline:
        """A time line of its own that has everything up to this frame, and goes on from there after a change."""
        made, step = Timeline(self._budget, self._metrics), frame.step
        with self._lock:
            halved = step < self._thinned  # where the frames up to the step are as far apart as a doubled stride says
            made._stride, made._thinned = (2 * self._stride, 0) if halved else (self._stride, self._thinned)
            made._kept = {kept: snapshot for kept, snapshot in self._kept.items() if kept < step}
            made._rebuilt = {kept: snapshot for kept, snapshot in self._rebuilt.items() if kept < step}
            made._series = {name: series.copy(step + 1) for name, series in self._series.items()}
            run = self._run(step)
            made._starts, made._phases = self._starts[: run + 1], self._phases[: run + 1]
            made._watch.events = [event for event in self._watch.events if event[0] <= step]
            made._changes = [*(other for other in self._changes if other[0] < step), (step, change)]
        made._kept[step] = frame.snapshot
        made._watch.resume(frame.snapshot)
        for snapshot in (*made._kept.values(), *made._rebuilt.values()):
            made._meter.add(snapshot)
        made._length = step + 1
        return made

    def append(self, snapshot: AnySnapshot) -> None:
        """Add the next step."""
        with self._lock:
            step = self._length
            self._watch.see(step, snapshot)
            self._note(step, snapshot)
            self._drop_former_last(step - 1)
            self._kept[step] = snapshot
            self._meter.add(snapshot)
            self._length = step + 1
            self._fit_budget()

    def put(self, step: int, snapshot: AnySnapshot) -> None:
        """Give back a frame that had been thinned out, as replayed. Steps that did not happen are refused."""
        with self._lock:
            if not 0 <= step < self._length:
                raise IndexError(f"step {step} is not one of the {self._length} steps so far")
            if step in self._kept or step in self._rebuilt:
                return
            self._rebuilt[step] = snapshot
            self._meter.add(snapshot)
            while len(self._rebuilt) > MAX_REBUILT:
                self._forget_rebuilt()
            self._fit_budget()

    def frame(self, step: int) -> Frame:
        """The frame of this step, or the nearest one that is kept."""
        with self._lock:
            if not self._length:
                raise IndexError("the time line has no frames yet")
            step = min(max(step, 0), self._length - 1)
            snapshot = self._kept.get(step) or self._rebuilt.get(step)
            if snapshot is not None:
                return Frame(step, snapshot, True)
            near = min((*self._neighbours(step), *self._rebuilt), key=lambda other: (abs(other - step), other))
            return Frame(near, self._kept.get(near) or self._rebuilt[near], False)

    def metric(self, name: str) -> Array:
        """The values of one metric over all steps so far, read-only (NaN where it is not known)."""
        with self._lock:
            if name not in self._series:
                return _NOTHING
            return self._series[name].upto(self._length)

    def phase(self, step: int) -> str:
        """The phase of this step, known for every step."""
        with self._lock:
            if not self._length:
                return ""
            return self._phases[self._run(step)]

    def next_phase(self, step: int, direction: int) -> int:
        """Where a jump by phase leads.

        Forward: the first frame of the next run of equal phases, or the last frame. Back: the first frame of the
        present run, or of the one before when already there.
        """
        with self._lock:
            if not self._length:
                return 0
            run = self._run(step)
            if direction > 0:
                return self._starts[run + 1] if run + 1 < len(self._starts) else self._length - 1
            if step > self._starts[run]:
                return self._starts[run]
            return self._starts[max(run - 1, 0)]

    def _run(self, step: int) -> int:
        return max(bisect.bisect_right(self._starts, step) - 1, 0)

    def _note(self, step: int, snapshot: AnySnapshot) -> None:
        for name, value in snapshot.metrics.items():
            if name not in self._series:
                self._series[name] = _Series()
            self._series[name].set(step, value)
        if not self._phases or self._phases[-1] != snapshot.phase:
            self._starts.append(step)
            self._phases.append(snapshot.phase)

    def _spent(self) -> int:
        series = sum(series.nbytes for series in self._series.values())
        return self._meter.nbytes + series + 48 * len(self._starts)

    def _spacing(self, step: int) -> int:
        """The distance between kept frames around this step."""
        return 2 * self._stride if step < self._thinned else self._stride

    def _drop_former_last(self, step: int) -> None:
        if step > 0 and step % self._spacing(step):
            self._meter.remove(self._kept.pop(step))

    def _neighbours(self, step: int) -> tuple[int, int]:
        """The kept steps just before and just after one that is not kept."""
        before = step - step % self._spacing(step)
        after = before + self._spacing(step)
        return before, min(after, self._length - 1)

    def _fit_budget(self) -> None:
        """Forget what must be forgotten: first older rebuilt frames, then every second of the kept ones."""
        while self._spent() > self._budget:
            if len(self._rebuilt) > 1:
                self._forget_rebuilt()
            elif not self._thin_one():
                return

    def _forget_rebuilt(self) -> None:
        oldest = next(iter(self._rebuilt))
        self._meter.remove(self._rebuilt.pop(oldest))

    def _thin_one(self) -> bool:
        """Drop the oldest frame that a doubled stride would not keep; False when only first and last are left."""
        while self._stride < self._length:
            victim = self._thinned + self._stride
            if victim < self._length - 1:
                self._thinned += 2 * self._stride
                self._meter.remove(self._kept.pop(victim))
                return True
            self._stride *= 2
            self._thinned = 0
        return False


class _Series:
    """Numbers that grow at the end. Views handed out earlier stay valid and never change."""

    def __init__(self) -> None:
        self._buffer = np.full(256, np.nan)

    @property
    def nbytes(self) -> int:
        return self._buffer.nbytes

    def set(self, step: int, value: float) -> None:
        if step >= len(self._buffer):
            grown = np.full(max(2 * len(self._buffer), step + 1), np.nan)
            grown[: len(self._buffer)] = self._buffer
            self._buffer = grown
        self._buffer[step] = value

    def copy(self, length: int) -> _Series:
        other = _Series()
        other.set(length - 1, np.nan)
        known = self._buffer[:length]
        other._buffer[: len(known)] = known
        return other

    def upto(self, length: int) -> Array:
        if length > len(self._buffer):
            self.set(length - 1, np.nan)
        view = self._buffer[:length]
        view.flags.writeable = False
        return view


_NOTHING = np.empty(0)
_NOTHING.flags.writeable = False


class _EventWatch:
    """Finds the steps worth a tick while they go by."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.events: list[tuple[int, str]] = []
        self._metrics = tuple(metric for metric in metrics if metric.better != "neither")
        self._before: dict[str, float] = {}
        self._warning = ""

    def see(self, step: int, snapshot: AnySnapshot) -> None:
        for metric in self._metrics:
            if metric.name in snapshot.metrics:
                self._compare(step, metric, snapshot.metrics[metric.name])
        if snapshot.warning and snapshot.warning != self._warning:
            self._add(step, snapshot.warning)
        self._warning = snapshot.warning

    def resume(self, snapshot: AnySnapshot) -> None:
        """Go on after this frame; what a change does to the metrics is no event."""
        self._before, self._warning = {}, snapshot.warning

    def _compare(self, step: int, metric: Metric, value: float) -> None:
        if np.isnan(value):  # not known, or not known yet
            return
        before = self._before.get(metric.name)
        self._before[metric.name] = value
        if before is None:
            return
        loss = value - before if metric.better == "lower" else before - value
        if loss > WORSE * max(abs(before), abs(value)):
            verb = "rose" if metric.better == "lower" else "fell"
            old, new = f"{before:.6g}", f"{value:.6g}"
            self._add(step, f"{metric.label} {verb} {f'by {loss:.3g}' if old == new else f'from {old} to {new}'}.")

    def _add(self, step: int, text: str) -> None:
        if len(self.events) < MAX_EVENTS:
            self.events.append((step, text))
