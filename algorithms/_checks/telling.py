"""How frames are told: pure functions of a snapshot make pictures and words, and a snapshot keeps little alive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from algorithms._checks import cases, examples
from algorithms._checks.rule import require, strict
from algorithms._checks.values import same
from algorithms.contract import Algorithm, AnySnapshot, DataError, Question
from algorithms.data import Array, Points
from algorithms.structure import arrays_in, parts_of

MOST_KEPT = 64 * 2**10
"""Bytes that a frame may keep alive beside its model and what is given once per run."""
ITEMS, FRAMES = 200, 8
"""On so many points a table of all pairs is too large; so many frames are looked at."""
LONG = 16
"""Numbers in an array that is worth keeping once."""
ASKED = 40
"""Frames of a run that are compared with the answer to a question."""


@strict
def check_captions_by_phase(algorithm: Algorithm) -> None:
    """There is a caption for each phase of the pseudo-code, and for no other."""
    lit = {phase for line in algorithm.pseudocode for phase in line.phases}
    told = set(algorithm.captions) == lit
    require(told, f"The captions are for the phases {sorted(algorithm.captions)}, the pseudo-code has {sorted(lit)}.")


@strict
def check_telling_is_pure(algorithm: Algorithm) -> None:
    """Views, caption and warning are the same when the frame is yielded, after the run, and from the last one back."""
    for recording, again in zip(cases.recordings(algorithm), cases.repetitions(algorithm), strict=True):
        for number, told in sorted(again.told.items(), reverse=True):
            alike = cases.told(algorithm, recording.frames[number]) == told
            require(alike, f"Views, caption or warning of frame {number} change: they have to read the snapshot only.")


@strict
def check_frames_keep_little(algorithm: Algorithm) -> None:
    """What a frame keeps alive beside ``given`` and ``model`` is small, and nothing repeats in every frame."""
    for frames in _some_runs(algorithm):
        for frame in frames:
            kept = sum(array.nbytes for array in _owners(frame.shown, frame.given, frame.model))
            sentence = f"In the phase {frame.phase!r} ``shown`` keeps {kept:,} bytes alive: facts, no tables."
            require(kept <= MOST_KEPT, sentence)
    repeated = [_repeated(recording.frames) for recording in cases.recordings(algorithm)]
    always = set.intersection(*([found for found in repeated if found is not None] or [set()]))
    require(not always, f"{sorted(always)} in ``shown`` are the same in every frame: they belong into ``given``.")


def _some_runs(algorithm: Algorithm) -> Iterator[Sequence[AnySnapshot]]:
    """The watched frames of every recording, and the first ones on more points."""
    yield from ([frame for _, frame in recording.watched] for recording in cases.recordings(algorithm))
    if Points in algorithm.accepts:
        data = examples.blobs(algorithm, n=ITEMS)
        yield cases.play(algorithm, data, algorithm.params(), FRAMES)[0]


def _owners(value: Any, *elsewhere: Any) -> list[Array]:
    """The arrays that own the memory of those inside a value, each once, but for those that are held elsewhere."""
    found = {id(array): array for array in map(_owner, arrays_in(value))}
    for array in arrays_in(elsewhere):
        found.pop(id(_owner(array)), None)
    return list(found.values())


def _owner(array: Array) -> Array:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _repeated(frames: Sequence[AnySnapshot]) -> set[str] | None:
    """The paths of long arrays that are made anew for every frame and are always equal; None for a short run."""
    if len(frames) < 4:
        return None
    first, *others = ({path: array for path, array in leaves(frame.shown) if _is_long(array)} for frame in frames)
    equal = {path for path, array in first.items() if all(same(other.get(path), array) for other in others)}
    return {path for path in equal if any(other[path] is not first[path] for other in others)}


def _is_long(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.size >= LONG


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every array, number and text inside a value, with the path to it."""
    parts = parts_of(value)
    if not parts:
        yield path, value
    for name, part in parts.items():
        yield from leaves(part, f"{path}.{name}" if path else str(name))


@strict
def check_bad_data_are_refused_at_once(algorithm: Algorithm) -> None:
    """Data on which the method cannot work are refused before the first snapshot."""
    for name, (_, played) in cases.on_odd_data(algorithm).items():
        late = isinstance(played.error, DataError) and len(played.frames) > 0
        require(not late, f"On {name} the data are refused after {len(played.frames)} frames: {played.error}")


@strict
def check_questions(algorithm: Algorithm) -> None:
    """There are two questions whose answers exist, vary from step to step, and cannot be read off the frame before."""
    require(len(algorithm.questions) >= 2, "There are fewer than two questions about the next step.")
    for question in algorithm.questions:
        _check_question(algorithm, question)


def _check_question(algorithm: Algorithm, question: Question) -> None:
    varies, shown = False, None
    for recording in cases.recordings(algorithm):
        frames = recording.frames
        steps = [step for step in range(1, len(frames)) if frames[step].phase == question.phase][:ASKED]
        answers = [_answer(question, frames[step]) for step in steps]
        varies = varies or any(not same(answer, answers[0]) for answer in answers)
        for step, answer in zip(steps, answers, strict=True):
            before = frames[step - 1]
            seen = {path for path, value in _visible(before) if _is_answer(value, answer)}
            shown = seen if shown is None else shown & seen
    require(varies, f"The answer to {question.text!r} is never another one from step to step.")
    require(not shown, f"The answer to {question.text!r} stands in the frame before: {sorted(shown or ())}.")


def _answer(question: Question, frame: AnySnapshot) -> Any:
    try:
        return question.answered(frame)
    except (AttributeError, KeyError, TypeError) as error:
        sentence = f"The answer to {question.text!r} is not there: {question.answer!r} in the phase {frame.phase!r}"
        require(False, f"{sentence} ({error!r}).")


def _visible(frame: AnySnapshot) -> Iterator[tuple[str, Any]]:
    for name in ("metrics", "model", "shown"):
        yield from leaves(getattr(frame, name), name)


def _is_answer(value: Any, answer: Any) -> bool:
    if isinstance(value, np.ndarray) or isinstance(answer, np.ndarray):
        return same(value, answer)
    return bool(type(value) is type(answer) and value == answer)
