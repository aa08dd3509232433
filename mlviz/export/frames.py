"""From a recorded run to what is to be written of it: exact frames, the steps of a film, the outcome. No Qt."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from algorithms.contract import Algorithm, DataError
from algorithms.data import Array, Data
from mlviz.export.parameters import Outcome
from mlviz.worker.engine import Engine, run_to_end
from mlviz.worker.shared_run import SharedRun
from mlviz.worker.timeline import Frame

MAX_FILM_FRAMES = 240
"""A longer film is thinned evenly: it would be too large to send and too long to watch."""
Progress = Callable[[int, int], None]
"""Hears how much is done and of how much; 0 of how much is not known."""


class Cancelled(Exception):
    """The user does not want the file any more."""


def recorded(
    algorithm: Algorithm, data: Data, params: Any, seed: int, progress: Callable[[int], None] | None = None
) -> Engine:
    """The finished run, or whatever the algorithm has against the data."""
    engine = run_to_end(algorithm, data, params, seed, progress)
    if engine.error is not None:
        raise engine.error
    return engine


def exact_frame(engine: Engine | SharedRun, step: int) -> Frame:
    """The frame of this very step, replayed when the time line had to thin it out."""
    frame = engine.timeline.frame(step)
    while not frame.exact:
        engine.rebuild(step)
        time.sleep(0.002)
        frame = engine.timeline.frame(step)
        if engine.rebuild_error is not None:
            raise engine.rebuild_error
    return frame


def checked_step(count: int, step: int | None) -> int:
    """The step, which must be one of the run; None is the last one."""
    if step is not None and not 0 <= step < count:
        raise DataError(f"There is no step {step}: the run has steps 0 to {count - 1}.")
    return count - 1 if step is None else step


def film_steps(count: int, first: int = 0, last: int | None = None, every: int | None = None) -> list[int]:
    """Which steps a film shows, always with the first and the last one.

    Parameters
    ----------
    count : int
        How many steps the run has.
    first, last : int
        The range; ``last`` None is the end of the run.
    every : int, optional
        Every so many steps. Without it all are shown, or evenly spaced ones when there are more than a film can hold.
    """
    first, last = checked_step(count, first), checked_step(count, last)
    if first > last:
        raise DataError(f"The first step ({first}) must not lie behind the last one ({last}).")
    if every is not None:
        return sorted({*range(first, last + 1, max(every, 1)), last})
    return evenly(first, last, MAX_FILM_FRAMES)


def evenly(first: int, last: int, most: int) -> list[int]:
    """At most so many steps from the first to the last, evenly spaced."""
    if last - first + 1 <= most:
        return list(range(first, last + 1))
    return sorted({first + round(i * (last - first) / max(most - 1, 1)) for i in range(most)})


MOST_ON_A_SHEET = 24
EVEN = 0.25
"""How much of a handout is spread evenly over the run, as a fraction of what goes where most changes."""


def sheet_steps(count: int, most: int, chosen: Sequence[int] | None = None, change: Array | None = None) -> list[int]:
    """The steps of a handout: the chosen ones, each of which must be there, or those where most changes.

    ``change`` (count,) says how much each step changes; without it the steps are evenly spaced.
    """
    most = min(most, MOST_ON_A_SHEET)
    if not chosen:
        return evenly(0, count - 1, most) if change is None else where_most_changes(change, most)
    steps = sorted({checked_step(count, step) for step in chosen})
    if len(steps) > MOST_ON_A_SHEET:
        raise DataError(f"A sheet has room for {MOST_ON_A_SHEET} steps, not {len(steps)}.")
    return steps


def where_most_changes(change: Array, most: int) -> list[int]:
    """At most so many steps, the first and the last among them, with about the same change between any two."""
    count = len(change)
    if count <= most or most < 3:
        return evenly(0, count - 1, most)
    rate = change + EVEN * max(float(change.mean()), 1e-300)
    travelled = np.concatenate([[0.0], np.cumsum(rate[1:])])
    steps = np.searchsorted(travelled, np.linspace(0.0, travelled[-1], most)).clip(0, count - 1)
    for place in range(1, most):  # no step twice: what a great jump takes away, its neighbours get
        steps[place] = max(steps[place], steps[place - 1] + 1)
    for place in range(most - 1, -1, -1):
        steps[place] = min(steps[place], count - most + place)
    return [0, *steps[1:-1].tolist(), count - 1]


def change_by_step(engine: Engine | SharedRun) -> Array | None:
    """How much each step (steps,) changes the metrics, each as a fraction of its range; None of several runs."""
    if not isinstance(engine, Engine):
        return None
    total = np.zeros(len(engine.timeline))
    for metric in engine.algorithm.metrics:
        values = engine.timeline.metric(metric.name)[: len(total)]
        known = values[~np.isnan(values)]
        if metric.log and (known > 0).all():
            values, known = np.log(values), np.log(known)
        size = float(np.ptp(known)) if np.isfinite(known).all() and len(known) else 0.0
        if size > 0:
            total[1:] += np.nan_to_num(np.abs(np.diff(values)) / size)  # 0 where it becomes known
    return total


def listed_steps(text: str) -> list[int]:
    """Steps as a user lists them: ``0, 3, 10-12``."""
    steps: list[int] = []
    for part in text.replace(";", ",").split(","):
        found = re.fullmatch(r"\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?", part, re.ASCII)
        if found is None or (found[2] is not None and not 0 <= int(found[2]) - int(found[1]) < MOST_ON_A_SHEET):
            raise DataError(
                f"Steps are listed like 0, 3, 10-12 (at most {MOST_ON_A_SHEET}); got {text.strip()[:40]!r}."
            )
        steps.extend(range(int(found[1]), int(found[2] or found[1]) + 1))
    return steps


def outcome_of(engine: Engine, steps: Sequence[int], progress: Progress | None = None) -> Outcome:
    """What the run has learned at these steps; frames that were thinned out are replayed."""
    timeline = engine.timeline
    models, warnings = {}, []
    for done, step in enumerate(steps):
        snapshot = exact_frame(engine, step).snapshot
        models[step] = snapshot.model
        warnings.append(snapshot.warning)
        if progress is not None:
            progress(done + 1, len(steps))
    return Outcome(
        algorithm=engine.algorithm,
        data=engine.data,
        params=engine.params,
        seed=engine.seed,
        stop=engine.state if engine.stop is None else engine.stop.value,
        reason=engine.reason,
        metrics={name: timeline.metric(name) for name in timeline.metrics},
        models=models,
        resumed=engine.resumed,
        warnings=each_once(warnings),
    )


def each_once(warnings: Iterable[str]) -> tuple[str, ...]:
    """The sentences, each once, in the order of their steps."""
    return tuple(dict.fromkeys(filter(None, warnings)))


def warnings_at(run: Engine | SharedRun, steps: Sequence[int]) -> tuple[str, ...]:
    """What deserves doubt in the frames of these steps, on all boards."""
    frames = [run.timeline.frame(step) for step in steps]
    parts = [getattr(frame, "parts", ()) or (frame,) for frame in frames]
    return each_once(part.snapshot.warning for several in parts for part in several)
