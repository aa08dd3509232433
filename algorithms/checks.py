"""What every algorithm must satisfy: one ``check_*`` function per promise of the contract.

The test suite applies every check to every algorithm the registry finds, so a new file is tested before anybody has
written a test for it. A check takes the :class:`Algorithm`, returns nothing, and raises :class:`ContractError` with a
sentence that says what to mend. NumPy's warnings count as failures: a student must never see one.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import math
import pickle
import re
import string
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms import _check_cases as cases
from algorithms import _check_data as examples
from algorithms._check_values import (
    fault_of_mark,
    fingerprint,
    global_state,
    is_generator_call,
    is_sentence,
    same,
    what_can_change,
)
from algorithms.contract import Algorithm, DataError, Snapshot, Stop, arrays_in
from algorithms.data import Array, Points
from algorithms.params import Field, ParamError, bad_values
from algorithms.registry import families

Check = Callable[[Algorithm], None]


class ContractError(AssertionError):
    """An algorithm breaks the contract; the message is a sentence that says where."""


def _strict(check: Check) -> Check:
    """Every warning is a failure, whatever the caller's filters and NumPy's error state are."""

    @functools.wraps(check)
    def strictly(algorithm: Algorithm) -> None:
        with warnings.catch_warnings(), np.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
            warnings.simplefilter("error")
            check(algorithm)

    return strictly


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise ContractError(sentence)


def _accepts(field: Field, value: Any) -> bool:
    try:
        return bool(field.check(value) == value)
    except ParamError:
        return False


# --- the declaration ------------------------------------------------------------------------------------------------


@_strict
def check_identity(algorithm: Algorithm) -> None:
    """The key is the module's name, the family its package, and nothing a reader looks for is empty."""
    package, _, name = algorithm.run.__module__.rpartition(".")
    _require(algorithm.key == name.lstrip("_"), f"The key is {algorithm.key!r} but the module is {name!r}.")
    _require(algorithm.family in families(), f"{algorithm.family!r} is not a family; there are {families()}.")
    home = package.removeprefix("algorithms.")
    if home in families():
        _require(algorithm.family == home, f"The family is {algorithm.family!r} but the package is {home!r}.")
    for attribute in ("title", "reference"):
        _require(bool(getattr(algorithm, attribute).strip()), f"The {attribute} is empty.")
    _require(is_sentence(algorithm.summary), f"The summary is not a sentence: {algorithm.summary!r}.")
    _require(is_generator_call(algorithm.example), f"The example is not a generator call: {algorithm.example!r}.")


@_strict
def check_schema(algorithm: Algorithm) -> None:
    """Every parameter has a kind, a range, a default inside it, and a sentence of explanation."""
    declared: Any = algorithm.params
    _require(dataclasses.is_dataclass(declared), "Params is not a dataclass.")
    _require(declared.__dataclass_params__.frozen, "Params is not frozen.")
    try:
        fields = {field.name: field for field in algorithm.fields}
    except TypeError as error:
        raise ContractError(f"The declaration of the parameters is incomplete: {error}.") from error
    for field in fields.values():
        _require(is_sentence(field.doc), f"The Doc of {field.name} is not a sentence: {field.doc!r}.")
        if field.low is not None and field.high is not None:
            _require(field.low < field.high, f"The range of {field.name} is empty.")
            _require(not field.log or field.low > 0, f"{field.name} is Log but its range reaches {field.low:g}.")
        if field.when is not None:
            _require(field.when.name in fields, f"{field.name} depends on {field.when.name!r}, which does not exist.")
            other = fields[field.when.name]
            for value in field.when.values:
                _require(_accepts(other, value), f"{field.name} waits for {other.name} = {value!r}, which cannot be.")


@_strict
def check_bad_values_are_refused(algorithm: Algorithm) -> None:
    """Values outside the declaration are refused with the parameter's name; both ends of a range are allowed."""
    for field in algorithm.fields:
        for value in bad_values(field):
            _refused(algorithm, field.name, value)
        for end in cases.ends(field):
            kept = getattr(algorithm.make_params({field.name: end}), field.name)
            _require(kept == end, f"{field.name} = {end!r} became {kept!r}.")
    _refused(algorithm, "no_such_parameter", 1)


def _refused(algorithm: Algorithm, name: str, value: Any) -> None:
    try:
        algorithm.make_params({name: value})
    except ParamError as error:
        named = re.search(rf"\b{re.escape(name)}\b", str(error))
        _require(named is not None, f"Refusing {name} = {value!r} does not name the parameter: {error}")
        _require(str(error).endswith("."), f"Refusing {name} = {value!r} is not a sentence: {error}")
    else:
        raise ContractError(f"{name} = {value!r} was accepted.")


@_strict
def check_pseudocode(algorithm: Algorithm) -> None:
    """Every phase lights a line, no line waits for a phase that never comes, the placeholders are metrics."""
    lit = {phase for line in algorithm.pseudocode for phase in line.phases}
    seen = {frame.phase for _, frame in cases.many_frames(algorithm)}
    _require(seen <= lit, f"No line of the pseudo-code is lit in the phase {sorted(seen - lit)}.")
    _require(lit <= seen, f"The pseudo-code waits for the phase {sorted(lit - seen)}, which no variant ever reaches.")
    names = {metric.name for metric in algorithm.metrics}
    for line in algorithm.pseudocode:
        _require(bool(line.text.strip()), "A line of the pseudo-code is empty.")
        for _, placeholder, *_ in _pieces(line.text):
            known = placeholder is None or placeholder in names
            _require(known, f"The pseudo-code asks for {{{placeholder}}}, which is not a metric.")


def _pieces(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(string.Formatter().parse(text))
    except ValueError as error:
        raise ContractError(f"The braces of the pseudo-code {text!r} do not match.") from error


# --- the run --------------------------------------------------------------------------------------------------------


@_strict
def check_first_frame_is_the_initial_state(algorithm: Algorithm) -> None:
    """The first frame lights the first phase of the pseudo-code, draws something, and has not yet learned."""
    for recording in cases.recordings(algorithm):
        frames = recording.frames
        first, opening = frames[0], next((line.phases for line in algorithm.pseudocode if line.phases), ())
        _require(first.phase in opening, f"The first frame is in the phase {first.phase!r}, not in one of {opening}.")
        _require(any(first.views.values()), "The first frame shows nothing.")
        learned = len(frames) > 1 and same(first.model, frames[-1].model)
        _require(not learned, "The first frame already holds the model of the last one.")


@_strict
def check_terminates_and_says_why(algorithm: Algorithm) -> None:
    """The run ends on its own, after at least one frame, and returns a :class:`Stop`."""
    for recording in cases.recordings(algorithm):
        count, stop = len(recording.frames), recording.stop
        _require(count < cases.ENDLESS, f"The run has not ended after {cases.ENDLESS} frames.")
        _require(isinstance(stop, Stop), f"The run returned {stop!r} instead of a Stop.")


@_strict
def check_can_be_closed_at_any_yield(algorithm: Algorithm) -> None:
    """Closing the generator after any frame raises nothing, ends it, and leaves no thread behind."""
    data, params, threads = examples.blobs(algorithm), algorithm.params(), threading.active_count()
    length = len(cases.play(algorithm, data, params, limit=cases.SOME)[0])
    for position in sorted({*range(min(length, 9)), length - 1, length}):
        run = algorithm.start(data, params, seed=0)
        _require(inspect.isgenerator(run), "run is not a generator function.")
        for _ in range(position):
            next(run)
        try:
            run.close()
        except BaseException as error:
            raise ContractError(f"Closing the run after {position} frames raised {error!r}.") from error
        _require(next(run, None) is None, f"The run goes on after being closed at frame {position}.")
        _require(threading.active_count() == threads, f"Closing the run after {position} frames left a thread.")


@_strict
def check_same_seed_same_frames(algorithm: Algorithm) -> None:
    """Data, parameters and seed fix every frame: model, marks, metrics, phase and caption."""
    for recording in cases.recordings(algorithm):
        again = cases.recorded(algorithm, recording.data, recording.params, limit=cases.SOME)
        for number, (before, frame) in enumerate(zip(recording.frames[: cases.SOME], again.frames, strict=True)):
            alike = frame.caption == before.caption and same(frame.metrics, before.metrics)
            alike = alike and recording.fingerprints.get(number) == again.fingerprints.get(number)
            _require(alike, f"Frame {number} differs between two runs with the same seed ({recording.params}).")


@_strict
def check_frames_are_immutable(algorithm: Algorithm) -> None:
    """A frame holds only values that cannot change, and has not changed when the run (or a reader) has gone on."""
    for recording in cases.recordings(algorithm):
        for number, frame in recording.watched:
            _require(isinstance(frame, Snapshot), f"The run yielded a {type(frame).__name__} instead of a Snapshot.")
            _require(dataclasses.is_dataclass(frame.model), "The model is not a dataclass.")
            fault = what_can_change(frame, f"frame {number}")
            _require(not fault, f"In {fault}.")
            _ask_everything(algorithm, frame.model, recording.data)
        for number, frame in recording.watched:
            kept = fingerprint(frame) == recording.fingerprints[number]
            _require(kept, f"Frame {number} changed after it had been yielded.")


@_strict
def check_data_and_global_state_untouched(algorithm: Algorithm) -> None:
    """The data, the points asked about, the global random numbers and NumPy's error state stay as they were."""
    for setting in cases.settings(algorithm):
        data = setting.data  # made anew: no other check has had it in its hands
        before, query = copy.deepcopy(data), examples.first_rows(data)
        asked, outside = copy.deepcopy(query), global_state()
        for number, frame in zip(range(cases.SOME), algorithm.start(data, setting.params, seed=0)):
            if number in cases.WATCHED:
                _ask_everything(algorithm, frame.model, data, query)
            _require(global_state() == outside, "The global random or error state was changed.")
        locked = not any(array.flags.writeable for array in arrays_in(data))
        _require(same(data, before) and locked, "The data were changed.")
        _require(same(query, asked), "predict, field or explain changed the points it was asked about.")


@_strict
def check_metrics(algorithm: Algorithm) -> None:
    """Every frame has exactly the declared metrics, in their order, and all are finite numbers."""
    names = tuple(metric.name for metric in algorithm.metrics)
    _require(len(set(names)) == len(names) > 0, f"The metrics are not named apart: {names}.")
    for metric in algorithm.metrics:
        _require(metric.name.isidentifier(), f"{metric.name!r} is not a name that pseudo-code and files can use.")
        _require(bool(metric.label.strip()), f"The metric {metric.name} has no label.")
    for _, frame in cases.many_frames(algorithm):
        _require(tuple(frame.metrics) == names, f"A frame has the metrics {tuple(frame.metrics)}, not {names}.")
        for name, value in frame.metrics.items():
            _require(math.isfinite(value), f"The metric {name} is {value} in the phase {frame.phase!r}.")


@_strict
def check_captions(algorithm: Algorithm) -> None:
    """Every caption, and every warning that is not empty, is a sentence on one line."""
    for _, frame in cases.many_frames(algorithm):
        _require(is_sentence(frame.caption), f"The caption of {frame.phase!r} is no sentence: {frame.caption!r}.")
        fair = frame.warning == "" or is_sentence(frame.warning)
        _require(fair, f"The warning of {frame.phase!r} is no sentence: {frame.warning!r}.")


@_strict
def check_views(algorithm: Algorithm) -> None:
    """Marks are known, fit the data, and stand in declared panels of their spaces; every declared panel is used."""
    panels = {panel.key: panel for panel in algorithm.panels}
    keys = [panel.key for panel in algorithm.panels]
    _require(len(set(keys)) == len(keys), f"Two panels have the same key: {keys}.")
    shown = [panel.key for panel in algorithm.panels if panel.space == "data"]
    _require(len(shown) <= 1, f"There are several panels that show the data: {shown}.")
    _require(Points not in algorithm.accepts or shown in ([], ["plane"]), f"The plane has the key {shown}.")
    used = set()
    for data, frame in cases.shown_frames(algorithm):
        for key, layers in frame.views.items():
            _require(key in keys, f"A frame draws in {key!r}, which is not one of the panels {keys}.")
            for mark in layers:
                fault = fault_of_mark(algorithm, panels[key], mark, data)
                _require(not fault, f"{type(mark).__name__} in {key!r}, phase {frame.phase!r}: {fault}.")
            used |= {key} if layers else set()
    _require(used == set(keys), f"Nothing is ever drawn in the panel {sorted(set(keys) - used)}.")


def _ask_everything(algorithm: Algorithm, model: Any, data: Any, X: Array | None = None) -> list[Any]:
    """What the model says: the predictions, the field and the explanation of the first item."""
    functions = (algorithm.predict, algorithm.field)
    if isinstance(data, Points):
        rows = data.X if X is None else X
        answers: list[Any] = [np.empty(0) if function is None else function(model, rows) for function in functions]
    else:
        answers = [np.empty(0), np.empty(0)]
    asked = algorithm.explain is not None and data.n > 0
    return [*answers, algorithm.explain(model, data, data.item(0)) if asked else None]  # type: ignore[misc]


# --- the answers ----------------------------------------------------------------------------------------------------


@_strict
def check_predict_and_field_shapes(algorithm: Algorithm) -> None:
    """One answer per point, finite, for no, one and many points, the same alone as in company, from any frame."""
    if Points not in algorithm.accepts:
        return
    for data, frame in cases.few_frames(algorithm):
        X = examples.queries(data)
        for name, function in (("predict", algorithm.predict), ("field", algorithm.field)):
            if function is None:
                continue
            together = function(frame.model, X)
            shapes = ((len(X),),) if name == "predict" else ((len(X),), (len(X), *together.shape[1:2]))
            _require(together.shape in shapes, f"{name} gives the shape {together.shape} for {len(X)} points.")
            _require(bool(np.isfinite(together).all()), f"{name} is not finite everywhere.")
            for rows in (X[:0], X[:1], X[3:5]):
                few = function(frame.model, rows)
                fair = few.shape == (len(rows), *together.shape[1:])
                _require(fair, f"{name} gives the shape {few.shape} for {len(rows)} points.")
            alone = np.concatenate([function(frame.model, X[i : i + 1]) for i in range(len(X))])
            close = np.allclose(alone, together, rtol=1e-7, atol=1e-9 * float(np.abs(together).max()))
            _require(close, f"{name} of a point depends on the other points asked about.")
            if name == "predict" and algorithm.target == "classes":
                whole = together.dtype.kind in "iu" and set(together.tolist()) <= set(range(len(data.classes)))
                _require(whole, "predict gives something else than class numbers.")


@_strict
def check_explain(algorithm: Algorithm) -> None:
    """An explanation is a dictionary of named finite numbers and texts, for every item and for new points."""
    if algorithm.explain is None:
        return
    for data, frame in cases.few_frames(algorithm):
        for item in examples.items(data):
            answer = algorithm.explain(frame.model, data, item)
            _require(isinstance(answer, dict) and len(answer) > 0, f"explain gives {answer!r}.")
            for name, value in answer.items():
                _require(isinstance(name, str) and name != "", f"explain names something {name!r}.")
                number = isinstance(value, int | float | np.number) and math.isfinite(value)
                _require(number or isinstance(value, str), f"explain says {name} = {value!r}.")


@_strict
def check_pickles(algorithm: Algorithm) -> None:
    """The record, its parameters and its frames survive pickling, and the restored model answers alike."""
    _require(_through_pickle(algorithm) == algorithm, "The Algorithm comes back from a pickle changed.")
    for data, frame in cases.few_frames(algorithm):
        restored = _through_pickle(frame)
        _require(same(restored, frame), f"A frame in the phase {frame.phase!r} comes back from a pickle changed.")
        answers = [_ask_everything(algorithm, model, data) for model in (restored.model, frame.model)]
        _require(same(*answers), "A model that has been pickled answers differently.")


def _through_pickle(value: Any) -> Any:
    try:
        return pickle.loads(pickle.dumps(value))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ContractError(f"A {type(value).__name__} cannot be pickled: {error}.") from error


# --- hard cases -----------------------------------------------------------------------------------------------------


@_strict
def check_degenerate_data(algorithm: Algorithm) -> None:
    """Odd data are worked on with finite results, or refused by a :class:`DataError` that is a sentence."""
    for name, data in examples.degenerate(algorithm).items():
        _survives(algorithm, data, algorithm.params(), f"On {name}")


@_strict
def check_extreme_parameters(algorithm: Algorithm) -> None:
    """Every end of every range, and every choice, works on ordinary data, or is refused by a sentence."""
    data = cases.recordings(algorithm)[0].data
    for field in algorithm.fields:
        for end in cases.ends(field):
            _survives(algorithm, data, algorithm.make_params({field.name: end}), f"With {field.name} = {end}")


def _survives(algorithm: Algorithm, data: Any, params: Any, case: str) -> None:
    try:
        frames = cases.beginning(algorithm, data, params, limit=4 * cases.SOME)
        answers = _ask_everything(algorithm, frames[-1].model, data)
    except DataError as error:
        _require(is_sentence(str(error)), f"{case} the DataError is no sentence: {error}")
        return
    except Exception as error:
        raise ContractError(f"{case} there is {error!r} instead of a DataError.") from error
    numbers = [np.array(list(frame.metrics.values())) for frame in frames] + answers[:2]
    _require(all(np.isfinite(array).all() for array in numbers), f"{case} something is not finite.")


@_strict
def check_going_on_from_a_model(algorithm: Algorithm) -> None:
    """Where offered, a run started from a model shows that model first and ends, also when a point has moved."""
    live = [field.name for field in algorithm.fields if field.live]
    _require(algorithm.resumes or not live, f"{live} are Live, which needs an algorithm that resumes.")
    if not algorithm.resumes:
        return
    for data, frame in cases.few_frames(algorithm):
        frames, stop = cases.play(algorithm, data, algorithm.params(), start=frame.model)
        answers = [_ask_everything(algorithm, model, data)[:2] for model in (frames[0].model, frame.model)]
        kept = all(np.allclose(one, two, rtol=1e-6) for one, two in zip(*answers))
        _require(kept, f"Going on from a model of the phase {frame.phase!r} begins with another model.")
        _require(isinstance(stop, Stop), "A run that went on from a model did not end with a Stop.")
        _, stop = cases.play(algorithm, examples.one_moved(data), algorithm.params(), start=frame.model)
        _require(isinstance(stop, Stop), "A run that went on after a point had moved did not end with a Stop.")


ALL_CHECKS: tuple[Check, ...] = tuple(value for name, value in globals().items() if name.startswith("check_"))
