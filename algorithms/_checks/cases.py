"""The runs on which :mod:`algorithms.checks` puts an algorithm to the test, each recorded once for all checks.

Only the recordings of the latest algorithm are kept: checks go algorithm by algorithm, and a few hundred frames on two
dozen points are small, but those of eighty methods together are not.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from algorithms._checks.examples import degenerate, first_rows, ordinary
from algorithms._checks.rule import ask_everything
from algorithms._checks.values import fingerprint, global_state
from algorithms.contract import Algorithm, AnySnapshot, DataError, Ended, Stop
from algorithms.method_choice import methods_for
from algorithms.params import Field

ENDLESS = 20_000
"""More frames than this on two dozen points is a run that does not end."""
SOME = 60
"""Enough frames to have seen every phase several times, where a check does not need the end."""
MANY = 4 * SOME
"""Frames that are looked at on odd data and with extreme parameters."""
WATCHED = frozenset({*range(6), *range(6, SOME, 6)})
"""The frames that are looked at all over, marks and all; so is the first one of each phase."""


def play(
    algorithm: Algorithm, data: Any, params: Any, limit: int | None = None, start: Any = None, seed: int = 0
) -> tuple[list[AnySnapshot], Stop | Ended | None]:
    """The frames of a run, and why it ended: ``None`` when it was cut off at ``limit`` frames."""
    frames: list[AnySnapshot] = []
    run = algorithm.start(data, params, seed, start)
    while len(frames) < (ENDLESS if limit is None else limit):
        try:
            frames.append(next(run))
        except StopIteration as end:
            return frames, end.value
    run.close()
    return frames, None


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """Data and parameters on which an algorithm is watched."""

    data: Any
    params: Any


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A run with seed 0 to its end (``returned`` is None where it has none).

    ``fingerprints`` say what the watched frames were, by their number, in the moment in which they were yielded.
    """

    data: Any
    params: Any
    frames: tuple[AnySnapshot, ...]
    returned: Stop | Ended | None
    fingerprints: dict[int, bytes]

    @property
    def watched(self) -> Iterator[tuple[int, AnySnapshot]]:
        """The watched frames with their numbers."""
        return ((number, self.frames[number]) for number in self.fingerprints)


def settings(algorithm: Algorithm) -> list[Setting]:
    """The defaults on ordinary data of every kind, and every variant on its own on the first that it takes.

    A variant is another choice, or a whole number one above its least: two restarts, a curve of one value, and so on.
    Data that are refused (directed graphs, five features) do not count, as long as some are not.
    """
    given = ordinary(algorithm)
    return [Setting(given[number], params) for number, params in _taken(algorithm)]


@functools.lru_cache(maxsize=1)
def _taken(algorithm: Algorithm) -> list[tuple[int, Any]]:
    """The settings, each with the number of its ordinary data set: these are made anew, what is taken stays so."""
    default = algorithm.params()
    given = dict(enumerate(ordinary(algorithm)))
    found = [(number, default) for number, data in given.items() if _works(algorithm, data, default)] or [(0, default)]
    for field in algorithm.fields:
        for value in _variants(field):
            if value == field.default:
                continue
            params = algorithm.make_params({**_needed(algorithm, field), field.name: value})
            number = next((number for number, data in given.items() if _works(algorithm, data, params)), None)
            found += [] if number is None else [(number, params)]
    return found


def _variants(field: Field) -> tuple[Any, ...]:
    if field.kind == "int" and field.low is not None:
        return (int(field.low) + 1,)
    return ends(field) if field.kind in ("choice", "bool") else ()


def _needed(algorithm: Algorithm, field: Field) -> dict[str, Any]:
    """The values of other parameters without which this one has no effect."""
    if field.when is None:
        return {}
    other = next(other for other in algorithm.fields if other.name == field.when.name)
    if other.default in field.when.values:
        return _needed(algorithm, other)
    return {**_needed(algorithm, other), other.name: field.when.values[0]}


def _works(algorithm: Algorithm, data: Any, params: Any) -> bool:
    """Some choices need a value beside them (centres set by hand) and refuse to begin without it."""
    try:
        play(algorithm, data, params, limit=1)
    except DataError:
        return False
    return True


@functools.lru_cache(maxsize=1)
def recordings(algorithm: Algorithm) -> list[Recording]:
    """Every setting, played to its end."""
    return [recorded(algorithm, setting.data, setting.params) for setting in settings(algorithm)]


def recorded(algorithm: Algorithm, data: Any, params: Any) -> Recording:
    """A run with seed 0, to its end."""
    frames: list[AnySnapshot] = []
    fingerprints: dict[int, bytes] = {}
    phases: set[str] = set()
    run = algorithm.start(data, params, 0)
    while len(frames) < ENDLESS:
        try:
            frame = next(run)
        except StopIteration as end:
            return Recording(data, params, tuple(frames), end.value, fingerprints)
        if len(frames) in WATCHED or frame.phase not in phases:
            fingerprints[len(frames)] = fingerprint(frame)
            phases.add(frame.phase)
        frames.append(frame)
    run.close()
    return Recording(data, params, tuple(frames), None, fingerprints)


@dataclass(frozen=True, slots=True, eq=False)
class Repetition:
    """The beginning of a run on data that no other check has had in its hands, and whatever could have been touched.

    Models are asked on the way about the ``query``; ``before`` and ``asked`` are copies of the data and of the query.
    """

    data: Any
    before: Any
    query: Any
    asked: Any
    frames: tuple[AnySnapshot, ...]
    fingerprints: dict[int, bytes]
    told: dict[int, bytes]  # the same of what was seen and said
    left_alone: bool  # nothing global has changed


@functools.lru_cache(maxsize=1)
def repetitions(algorithm: Algorithm) -> list[Repetition]:
    """Every setting once more, as far as ``SOME`` frames."""
    return [_repeated(algorithm, setting) for setting in settings(algorithm)]


def _repeated(algorithm: Algorithm, setting: Setting) -> Repetition:
    data, query = setting.data, first_rows(setting.data)
    before, asked, outside = copy.deepcopy(data), copy.deepcopy(query), global_state()
    frames: list[AnySnapshot] = []
    fingerprints: dict[int, bytes] = {}
    seen: dict[int, bytes] = {}
    phases: set[str] = set()
    left_alone = True
    for number, frame in zip(range(SOME), algorithm.start(data, setting.params, seed=0)):
        if number in WATCHED or frame.phase not in phases:
            fingerprints[number], seen[number] = fingerprint(frame), told(algorithm, frame)
            phases.add(frame.phase)
        if number in WATCHED:
            ask_everything(algorithm, frame.model, data, query)
        left_alone = left_alone and global_state() == outside
        frames.append(frame)
    return Repetition(data, before, query, asked, tuple(frames), fingerprints, seen, left_alone)


@functools.lru_cache(maxsize=1)
def on_odd_data(algorithm: Algorithm) -> dict[str, tuple[Any, Begun]]:
    """The first frames with the default parameters on degenerate data, by the name of the data."""
    return {name: (data, begun(algorithm, data, algorithm.params())) for name, data in degenerate(algorithm).items()}


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """The first frames of a run, and what was raised, if anything."""

    frames: list[AnySnapshot]
    error: Exception | None = None


def begun(algorithm: Algorithm, data: Any, params: Any) -> Begun:
    """The first frames of a run, from its recording where there is one."""
    for recording in recordings(algorithm):
        if recording.data is data and recording.params == params:
            return Begun(list(recording.frames[:MANY]))
    frames: list[AnySnapshot] = []
    try:
        for frame in itertools.islice(algorithm.start(data, params, 0), MANY):
            frames.append(frame)  # noqa: PERF402 (what came before an error is wanted)
    except Exception as error:
        return Begun(frames, error)
    return Begun(frames)


def told(algorithm: Algorithm, frame: AnySnapshot) -> bytes:
    """What is seen and said of a frame, made anew."""
    warning = algorithm.warning(frame) if algorithm.warning else None
    return fingerprint((algorithm.views(frame), algorithm.captions[frame.phase](frame), warning))


def many_frames(algorithm: Algorithm) -> Iterator[tuple[Any, AnySnapshot]]:
    """Every frame of every setting, with its data."""
    for recording in recordings(algorithm):
        for frame in recording.frames:
            yield recording.data, frame


def shown_frames(algorithm: Algorithm) -> Iterator[tuple[Any, AnySnapshot]]:
    """The watched frames of every setting and its last one, with their data."""
    for recording in recordings(algorithm):
        for number in sorted({*recording.fingerprints, len(recording.frames) - 1}):
            yield recording.data, recording.frames[number]


def few_frames(algorithm: Algorithm) -> Iterator[tuple[Any, AnySnapshot]]:
    """The first, a middle and the last frame with the default parameters, on every ordinary data set."""
    default = algorithm.params()
    for recording in recordings(algorithm):
        if recording.params == default:
            count = len(recording.frames)
            for position in sorted({0, count // 2, count - 1}):
                yield recording.data, recording.frames[position]


def ends(field: Field) -> tuple[Any, ...]:
    """The allowed values at the edge: both ends of a range, every choice."""
    if field.kind == "text":
        return ("", "a" * field.most)
    if field.kind == "kernel":
        return (field.default, "linear")
    if field.kind == "method":
        return (field.default, *(other.key for other in methods_for(field.purpose)[:2]))
    if field.kind == "expression":
        return (field.default, field.variables[0])
    if field.kind == "matrix":
        shape = (field.rows or 2, field.columns or 2)
        return tuple(((end,) * shape[1],) * shape[0] for end in (field.low, field.high))
    if field.kind == "floats":
        return ((), (field.low,), (field.low, field.high))
    if field.kind == "choice":
        return field.choices
    if field.kind == "bool":
        return (False, True)
    if field.kind in ("int", "float"):
        return (field.low, field.high)
    return ((), (int(field.low),), (int(field.low),) * 3) if field.low is not None else ((),)
