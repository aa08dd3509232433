"""What a run promises: frames that cannot change, an end with a reason, nothing else touched."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import threading

from algorithms._checks import cases, examples
from algorithms._checks.rule import ContractError, ask_everything, require, strict
from algorithms._checks.values import (
    fault_of_mark,
    fingerprint,
    is_sentence,
    same,
    what_can_change,
)
from algorithms.contract import Algorithm, Ended, Snapshot, Stop, arrays_in
from algorithms.data import Points
from algorithms.params import as_dict

MOST_CAPTIONS = 60
"""So many captions of a run are read for their numbers."""


@strict
def check_first_frame_is_the_initial_state(algorithm: Algorithm) -> None:
    """The first frame lights the first phase of the pseudo-code, draws something, and has not yet learned."""
    for recording in cases.recordings(algorithm):
        frames = recording.frames
        first, opening = frames[0], next((line.phases for line in algorithm.pseudocode if line.phases), ())
        require(first.phase in opening, f"The first frame is in the phase {first.phase!r}, not in one of {opening}.")
        require(any(first.views.values()), "The first frame shows nothing.")
        learned = not algorithm.lazy and len(frames) > 1 and same(first.model, frames[-1].model)
        require(not learned, "The first frame already holds the model of the last one.")


@strict
def check_terminates_and_says_why(algorithm: Algorithm) -> None:
    """The run ends on its own, after at least one frame, and says truly why: a :class:`Stop`, or :class:`Ended`."""
    for recording in cases.recordings(algorithm):
        count, returned = len(recording.frames), recording.returned
        require(count < cases.ENDLESS, f"The run has not ended after {cases.ENDLESS} frames.")
        require(isinstance(returned, Stop | Ended), f"The run returned {returned!r} instead of a Stop.")
        if isinstance(returned, Ended):
            words = returned.words
            fits = len(words) <= LONGEST_REASON and words == words.strip() != "" and not words.endswith(".")
            require(fits and "\n" not in words, f"{words!r} does not fit beside the time line: a few words, no stop.")
            require(words not in _USUAL_WORDS, f"{words!r} is what the bare Stop says, too.")
        elif returned is Stop.LIMIT:
            limits = [value for name, value in as_dict(recording.params).items() if is_limit(name)]
            reached = any(count > limit for limit in limits) or not limits
            require(reached, f"The run says {returned.words!r} after {count} frames; its limits are {limits}.")


LONGEST_REASON = 50
"""Letters for which there is room beside the time line."""
_USUAL_WORDS = frozenset(stop.words for stop in Stop)


def is_limit(name: str) -> bool:
    """Whether a parameter is by its name a limit of steps."""
    return name.startswith("max_") or name in ("epochs", "passes", "steps", "sweeps", "rounds", "iterations")


@strict
def check_can_be_closed_at_any_yield(algorithm: Algorithm) -> None:
    """Closing the generator after any frame raises nothing, ends it, and leaves no thread behind."""
    data, params, threads = examples.blobs(algorithm), algorithm.params(), threading.active_count()
    length = len(cases.play(algorithm, data, params, limit=cases.SOME)[0])
    for position in sorted({*range(min(length, 9)), length - 1, length}):
        run = algorithm.start(data, params, seed=0)
        require(inspect.isgenerator(run), "run is not a generator function.")
        for _ in range(position):
            next(run)
        try:
            run.close()
        except BaseException as error:
            raise ContractError(f"Closing the run after {position} frames raised {error!r}.") from error
        require(next(run, None) is None, f"The run goes on after being closed at frame {position}.")
        require(threading.active_count() == threads, f"Closing the run after {position} frames left a thread.")


@strict
def check_same_seed_same_frames(algorithm: Algorithm) -> None:
    """Data, parameters and seed fix every frame: model, marks, metrics, phase and caption."""
    for recording, again in zip(cases.recordings(algorithm), cases.repetitions(algorithm), strict=True):
        for number, (before, frame) in enumerate(zip(recording.frames[: cases.SOME], again.frames, strict=True)):
            alike = frame.caption == before.caption and same(frame.metrics, before.metrics)
            alike = alike and recording.fingerprints.get(number) == again.fingerprints.get(number)
            require(alike, f"Frame {number} differs between two runs with the same seed ({recording.params}).")


@strict
def check_frames_are_immutable(algorithm: Algorithm) -> None:
    """A frame holds only values that cannot change, and has not changed when the run (or a reader) has gone on."""
    for recording in cases.recordings(algorithm):
        for _, frame in recording.watched:
            made = isinstance(frame, Snapshot)
            require(made, f"The run yielded a {type(frame).__name__} instead of a Snapshot.")
            require(dataclasses.is_dataclass(frame.model), "The model is not a dataclass.")
            ask_everything(algorithm, frame.model, recording.data)
        for number, frame in recording.watched:
            fault = what_can_change(frame, f"frame {number}")
            require(not fault, f"In {fault}.")
            kept = fingerprint(frame) == recording.fingerprints[number]
            require(kept, f"Frame {number} changed after it had been yielded.")


@strict
def check_data_and_global_state_untouched(algorithm: Algorithm) -> None:
    """The data, the points asked about, the global random numbers and NumPy's error state stay as they were."""
    for again in cases.repetitions(algorithm):
        require(again.left_alone, "The global random or error state was changed.")
        locked = not any(array.flags.writeable for array in arrays_in(again.data))
        require(same(again.data, again.before) and locked, "The data were changed.")
        require(same(again.query, again.asked), "predict, field or explain changed the points it was asked about.")


@strict
def check_metrics(algorithm: Algorithm) -> None:
    """Every frame has exactly the declared metrics, in their order; finite numbers, or NaN until they are known."""
    names = tuple(metric.name for metric in algorithm.metrics)
    require(len(set(names)) == len(names) > 0, f"The metrics are not named apart: {names}.")
    for metric in algorithm.metrics:
        require(metric.name.isidentifier(), f"{metric.name!r} is not a name that pseudo-code and files can use.")
        require(bool(metric.label.strip()), f"The metric {metric.name} has no label.")
    for _, frame in cases.many_frames(algorithm):
        require(tuple(frame.metrics) == names, f"A frame has the metrics {tuple(frame.metrics)}, not {names}.")
        for name, value in frame.metrics.items():
            require(not math.isinf(value), f"The metric {name} is {value} in the phase {frame.phase!r}.")
    ends = [recording.frames[-1].metrics for recording in cases.recordings(algorithm)]
    for name in names:
        known = not all(math.isnan(end[name]) for end in ends)
        require(known, f"The metric {name} is NaN, that is not known, in the last frame of every run.")


@strict
def check_captions(algorithm: Algorithm) -> None:
    """Every caption, and every warning that is not empty, is a sentence on one line."""
    for _, frame in cases.many_frames(algorithm):
        require(is_sentence(frame.caption), f"The caption of {frame.phase!r} is no sentence: {frame.caption!r}.")
        fair = frame.warning == "" or is_sentence(frame.warning)
        require(fair, f"The warning of {frame.phase!r} is no sentence: {frame.warning!r}.")


@strict
def check_counts(algorithm: Algorithm) -> None:
    """A caption that begins with the number of a step, or of what the method counts, agrees with the time line."""
    for recording in cases.recordings(algorithm):
        frames = recording.frames
        for step in range(0, len(frames), len(frames) // MOST_CAPTIONS + 1):
            caption, counts = frames[step].caption, {"step": step}
            if algorithm.count is not None:
                counts[algorithm.count.name] = algorithm.count.of(frames[step].model)
            said = re.match(r"(\w+) ([\d,]+)\b", caption)
            number = None if said is None else counts.get(said[1].lower())
            agree = said is None or number is None or int(said[2].replace(",", "")) == number
            require(agree, f"The caption of step {step} counts otherwise than the time line: {caption!r}.")


@strict
def check_views(algorithm: Algorithm) -> None:
    """Marks are known, fit the data, and stand in declared panels of their spaces; every declared panel is used."""
    panels = {panel.key: panel for panel in algorithm.panels}
    keys = [panel.key for panel in algorithm.panels]
    require(len(set(keys)) == len(keys), f"Two panels have the same key: {keys}.")
    shown = [panel.key for panel in algorithm.panels if panel.space == "data"]
    require(len(shown) <= 1, f"There are several panels that show the data: {shown}.")
    require(Points not in algorithm.accepts or shown in ([], ["plane"]), f"The plane has the key {shown}.")
    used = set()
    for data, frame in cases.shown_frames(algorithm):
        for key, layers in frame.views.items():
            require(key in keys, f"A frame draws in {key!r}, which is not one of the panels {keys}.")
            for mark in layers:
                fault = fault_of_mark(algorithm, panels[key], mark, data)
                require(not fault, f"{type(mark).__name__} in {key!r}, phase {frame.phase!r}: {fault}.")
            used |= {key} if layers else set()
    require(used == set(keys), f"Nothing is ever drawn in the panel {sorted(set(keys) - used)}.")
