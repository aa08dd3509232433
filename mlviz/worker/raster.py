"""Rasters: a model's prediction or field over a rectangle of the plane, computed away from the window.

Coarse first, then fine; in pieces of a few thousand points, so that a request that is out of date is dropped within one
piece. The window asks by *slot* (one for the regions, one for the isolines ...): in each the latest request counts.
Models are stored, rasters never.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
import time
from collections.abc import Callable

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import Interrupted, interruptible
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster, RasterRequest, Rect, Size, Slot, cell_centres
from mlviz.worker.blas import limit_blas_threads
from mlviz.worker.gui_priority import NAP, WINDOW, Breather, lower_priority
from mlviz.worker.latest_only import REST, has_ended

CHUNK, LARGE_CHUNK = 2048, 8192
"""Points per piece: small enough to stop soon and to let the window go first; more where that takes no time."""
NO_TIME = 0.0007
"""Seconds for a small piece, up to which the next ones are large."""

FEW_FEATURES = 4
"""Positions in so few dimensions are remembered from one raster to the next: a few megabytes."""


def evaluate(request: RasterRequest) -> Raster:
    """The finest raster of the request, at once and in this thread: for pictures made without a window."""
    job = _Job(Slot("", request.what), 0, request, time.perf_counter, level=len(request.sizes) - 1)
    while True:
        raster = job.advance()
        if raster is not None:
            return raster


class Rasteriser:
    """One thread that serves all slots, the coarse passes of all before the fine pass of any."""

    def __init__(self, nap: float = NAP, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._breather = Breather(nap, clock)
        self._changed = threading.Condition()
        self._jobs: dict[Slot, _Job] = {}
        self._next: dict[Slot, _Job] = {}
        self._results: dict[Slot, Raster] = {}
        self._generations = itertools.count(1)
        self._closed = False
        self._thread: threading.Thread | None = None

    def request(self, slot: Slot, request: RasterRequest) -> int:
        """Ask for a raster in place of what was asked for in this slot before. Returns the generation number.

        A coarse pass that has begun for the same ``key`` is finished first, and a result that nobody has fetched yet
        stays: while frames come faster than they can be evaluated, every request would otherwise be dropped for
        the next and nothing would ever be seen. Whatever was asked with another key is dropped.
        """
        with self._changed:
            generation = next(self._generations)
            if self._closed:
                return generation
            job = _Job(slot, generation, request, self._clock)
            running = self._jobs.get(slot)
            if running is not None and running.begun and running.level == 0 and running.key is request.key:
                self._next[slot] = job
            else:
                self._next.pop(slot, None)
                self._jobs[slot] = job
            finished = self._results.get(slot)
            if finished is not None and finished.key is not request.key:
                del self._results[slot]
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="mlviz-raster", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            return generation

    def drop(self, slot: Slot | None = None) -> None:
        """Forget the request of this slot (of all slots) and its results."""
        with self._changed:
            for name in list({*self._jobs, *self._results}) if slot is None else [slot]:
                self._jobs.pop(name, None)
                self._next.pop(name, None)
                self._results.pop(name, None)

    def poll(self) -> list[Raster]:
        """What has been finished since the last call: at most one raster a slot, the finest, never an old one."""
        with self._changed:
            results = list(self._results.values())
            self._results.clear()
            return results

    @property
    def busy(self) -> bool:
        """Whether anything is still to be computed."""
        with self._changed:
            return bool(self._jobs)

    def close(self, timeout: float | None = None) -> bool:
        """Drop everything and end the thread; whether it has ended. At most one piece is waited for."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            self._next.clear()
            self._results.clear()
            self._changed.notify_all()
            thread = self._thread
        return has_ended(thread, timeout)

    def _work(self) -> None:
        limit_blas_threads()
        lower_priority()
        with contextlib.suppress(Interrupted), interruptible(lambda: self._closed):
            self._work_on()

    def _work_on(self) -> None:
        while self._serve_next():
            self._breather.breathe()
            WINDOW.yield_to_gui()

    def _serve_next(self) -> bool:
        """Do a piece of the next job; False when there is none to come. Whoever waits must not hold the last one."""
        job = self._next_job()
        if job is None:
            return False
        raster = job.advance()
        if raster is not None:
            self._deliver(job, raster)
        return True

    def _next_job(self) -> _Job | None:
        """The coarsest job there is, the oldest of these; None when closed or long at rest: then the thread ends."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._closed or bool(self._jobs), REST):
                self._thread = None
                _remembered.cache_clear()
                return None
            if self._closed:
                return None
            return min(self._jobs.values(), key=lambda job: (job.level, job.generation))

    def _deliver(self, job: _Job, raster: Raster) -> None:
        with self._changed:
            if self._jobs.get(job.slot) is not job:
                return
            self._results[job.slot] = raster
            if job.slot in self._next:
                self._jobs[job.slot] = self._next.pop(job.slot)
            elif raster.final:
                del self._jobs[job.slot]


class _Job:
    """The passes over one request, advanced piece by piece."""

    def __init__(
        self, slot: Slot, generation: int, request: RasterRequest, clock: Callable[[], float], level: int = 0
    ) -> None:
        self.slot = slot
        self.generation = generation
        self.level = level
        self._request, self._clock = request, clock
        self.begun = False
        self._pieces: list[Array] = []
        self._row = 0
        self._points = CHUNK

    @property
    def key(self) -> object:
        """What the request is known by."""
        return self._request.key

    def advance(self) -> Raster | None:
        """Evaluate one piece; the raster when that completes a pass or fails."""
        self.begun = True
        width, height = self._request.sizes[self.level]
        try:
            if self._row < height:
                self._pieces.append(self._next_piece(width, height))
                return None
            values = np.concatenate(self._pieces)
        except Exception as error:  # whatever the algorithm raises; the view says it
            return self._raster(np.empty((0, 0)), final=True, error=error)
        values.flags.writeable = False
        raster = self._raster(values, final=self.level == len(self._request.sizes) - 1)
        if values.ndim == 3:
            _ = raster.ranking  # here and not in the window's thread
        if not raster.final:
            self.level += 1
            self._pieces, self._row = [], 0
        return raster

    def _next_piece(self, width: int, height: int) -> Array:
        """Some more rows; how long they take says how many are to be next."""
        last = min(self._row + max(1, self._points // width), height)
        began = self._clock()
        piece = _evaluated(self._request, (width, height), self._row, last)
        if self._points == CHUNK and self._clock() - began < NO_TIME * (last - self._row) * width / CHUNK:
            self._points = LARGE_CHUNK
        self._row = last
        return piece

    def _raster(self, values: Array, final: bool, error: BaseException | None = None) -> Raster:
        request = self._request
        return Raster(values, request.rect, request.key, self.slot, self.generation, final, error)


def _evaluated(request: RasterRequest, size: Size, first: int, last: int) -> Array:
    """The values of some rows, (last - first, width) or with a further axis for several columns."""
    function = request.algorithm.predict if request.what == "predict" else request.algorithm.field
    if function is None:
        raise TypeError(f"{request.algorithm.title} has no {request.what}")
    few = request.projection.d <= FEW_FEATURES
    positions = (_remembered if few else _positions)(request.projection, request.rect, size, first, last)
    with np.errstate(over="ignore", invalid="ignore"):  # far outside of the data, where there may be no answer
        values = np.asarray(function(request.model, positions))
    if values.ndim not in (1, 2) or len(values) != len(positions):
        raise ValueError(
            f"{request.algorithm.title}: {request.what} gave the shape {values.shape} for {len(positions)} points"
        )
    return values.reshape(last - first, size[0], *values.shape[1:])


def _positions(projection: Projection, rect: Rect, size: Size, first: int, last: int) -> Array:
    """Where the cells of some rows are in the space of the data, (cells, d)."""
    (width, height), (x0, x1, y0, y1) = size, rect
    across, up = np.meshgrid(cell_centres(x0, x1, width), cell_centres(y0, y1, height)[first:last])
    positions = projection.lift(np.column_stack([across.ravel(), up.ravel()]))
    positions.flags.writeable = False
    return positions


_remembered = functools.lru_cache(maxsize=64)(_positions)
"""While a run plays, every frame is evaluated at the same places. A rasteriser that comes to rest forgets them."""
