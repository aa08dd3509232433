"""A long run in the window: memory never above the budget, and any frame at once."""

from __future__ import annotations

import time

import numpy as np

from mlviz.app import application
from mlviz.data.generators import generate
from mlviz.session.document import Document
from mlviz.worker.timeline import DEFAULT_BUDGET
from tests.benchmarks.record import Effort, Row, resident_bytes, words
from tests.benchmarks.window import closed, opened

METHODS = {
    "logistic_regression": {"solver": "gradient descent", "learning_rate": 1e-5, "tol": 1e-12},
    "kernel_svm": {"C": 1e4, "tol": 1e-9, "patience": 0},
}
"""Small frames (a few coefficients), and frames that hold numbers for every point."""


def measure(effort: Effort) -> list[Row]:
    """Record a run of each kind, then scrub to frames in any order."""
    application()
    return [row for method in METHODS for row in _measured(method, effort)]


def _measured(method: str, effort: Effort) -> list[Row]:
    n, frames = effort.size(2000, 100), effort.size(10_000, 120)
    data = generate("blobs", n=n, centres=2, noise=4, seed=1)
    window = opened(Document(data, method, {**METHODS[method], "max_steps": frames - 1}))
    before = resident_bytes()
    window.player.jump("end")
    peak = _record(window, 120.0)
    grown = resident_bytes() - before
    scrubs = _scrub(window, effort.many(150, 5))
    known, thinned = len(window.player.engine.timeline), window.player.engine.timeline.thinned
    exact = _rebuild(window, effort.many(5, 2))
    closed(window)
    about = {"frames": known, "thinned out": thinned, "resident growth in MB": round(grown / 2**20), "n": n}
    case = f"{method}, {known:,} frames at n = {n:,}"
    worst = float(np.max(scrubs))
    rows = [
        Row(
            "timeline",
            f"{case} ({known - thinned:,} of them kept): largest size",
            "budget 256 MB",
            f"{peak / 2**20:.0f} MB",
            "256 MB",
            peak / DEFAULT_BUDGET,
            1.0,
            detail=about,
        ),
        Row(
            "timeline",
            f"{method}: all that the process gained meanwhile (resident; also what the method and the window keep)",
            "budget 256 MB",
            f"{grown / 2**20:.0f} MB",
            "256 MB",
            max(grown, 0) / DEFAULT_BUDGET,
            None,
            summary=False,
        ),
        Row(
            "timeline",
            f"{method}: scrub to a frame, painted, slowest of all",
            "100 ms",
            words(worst),
            "100 ms",
            worst / 0.1,
            1.0,
            detail={"median ms": float(np.median(scrubs)) * 1e3, "count": len(scrubs)},
        ),
    ]
    rebuilt = [
        Row(
            "timeline",
            f"{method}: a thinned frame rebuilt exactly (the nearest is shown meanwhile), slowest",
            "100 ms",
            words(max(exact)),
            "100 ms",
            max(exact) / 0.1,
            None,
            summary=False,
        ),
    ]
    return [*rows, *(rebuilt if thinned else [])]


def _record(window, patience: float) -> int:
    """Let the run end; the largest size of the time line on the way."""
    app, peak, deadline = application(), 0, time.perf_counter() + patience
    while window.player.running and time.perf_counter() < deadline:
        app.processEvents()
        peak = max(peak, window.player.engine.timeline.nbytes)
    for _ in range(20):
        app.processEvents()
        time.sleep(0.01)
    return max(peak, window.player.engine.timeline.nbytes)


def _scrub(window, count: int) -> list[float]:
    """From seek to a drained event queue, for steps in random order."""
    app, rng, times = application(), np.random.default_rng(1), []
    for step in rng.integers(0, window.player.steps, count).tolist():
        began = time.perf_counter()
        window.player.seek(step)
        app.processEvents()
        times.append(time.perf_counter() - began)
    return times


def _rebuild(window, count: int) -> list[float]:
    """How long the exact frame takes where it was thinned out."""
    engine, rng, times = window.player.engine, np.random.default_rng(2), [0.0]
    for step in rng.integers(0, window.player.steps, count).tolist():
        began = time.perf_counter()
        engine.rebuild(step)
        while engine.rebuilding and time.perf_counter() - began < 20:
            time.sleep(0.001)
        times.append(time.perf_counter() - began)
    return times
