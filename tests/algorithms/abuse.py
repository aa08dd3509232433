"""Odd data with random parameters: what they are made of, and a watch over the run on them.

A run is watched by the work it does, counted in function calls, so that the same run is judged alike on any machine:
between two frames or checkpoints there may be no more of it than ``MOST_CALLS``, and after ``ENOUGH`` calls the run is
called off, which it must heed. A clock that is handed in holds the same to ``MOST_SECONDS``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import algorithms
from algorithms._checks import examples
from algorithms._checks.rule import ask_everything
from algorithms._checks.values import fault_of_mark, is_sentence
from algorithms.contract import Algorithm
from algorithms.data import Data, DataError, Distances, Points
from algorithms.data.points import Scale
from algorithms.data.scaling import SCALES, scaled
from algorithms.interrupt import Interrupted, interruptible
from algorithms.method_choice import methods_for
from algorithms.params import Field, ParamError

ALGORITHMS = os.path.dirname(algorithms.__file__)
MOST_CALLS = 200_000
"""Some hundred milliseconds."""
ENOUGH = 60_000
FRAMES = 40
MOST_SECONDS = 2.0
FACTORS = (1.0, 1e-99, 1e98, 1e-170, 1e300)
"""Sizes of numbers at the ends of what methods take, and beyond."""


class Endless(BaseException):
    """Too much was done without a frame or a checkpoint."""


class Watch:
    """Counts what a run does; use it as ``with watch:`` around the run, and tell it of every frame."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self.calls = self.since = 0
        self._clock = clock or (lambda: 0.0)
        self._seen = 0.0

    def __enter__(self) -> Watch:
        self._seen = self._clock()
        self._called_off = interruptible(self._checkpoint)
        self._called_off.__enter__()
        sys.setprofile(self._count)
        return self

    def __exit__(self, *error: Any) -> None:
        sys.setprofile(None)
        self._called_off.__exit__(*error)

    def _count(self, frame: Any, *_: Any) -> None:
        if not frame.f_code.co_filename.startswith(ALGORITHMS):  # importing SciPy is no step of a method
            return
        self.calls += 1
        self.since += 1
        if self.since > MOST_CALLS:
            self.since = 0  # what is raised unwinds through functions that are counted, too
            raise Endless(f"More than {MOST_CALLS:,} calls without a frame or a checkpoint.")

    def _checkpoint(self) -> bool:
        self.seen()
        return self.calls > ENOUGH

    def seen(self) -> None:
        """There is a frame, or a checkpoint."""
        now, before, self.since = self._clock(), self._seen, 0
        self._seen = now
        if now - before > MOST_SECONDS:
            raise Endless(f"{now - before:.1f} s without a frame or a checkpoint.")


def odd_data(algorithm: Algorithm) -> st.SearchStrategy[tuple[str, Data]]:
    """The degenerate data of every kind that the algorithm accepts and ordinary ones, very large and small, scaled."""
    found: dict[str, Data] = {f"ordinary {k}": data for k, data in enumerate(examples.ordinary(algorithm))}
    found |= examples.degenerate(algorithm)
    sizes = st.builds(_times, st.sampled_from(list(found.items())), st.sampled_from(FACTORS))
    return st.builds(_on_a_scale, sizes, st.sampled_from(("given", *SCALES)))


def _on_a_scale(named: tuple[str, Data], kind: Scale) -> tuple[str, Data]:
    """As a document gives its points to a method; what cannot be scaled is given."""
    name, data = named
    if not isinstance(data, Points) or not data.n:
        return named
    try:
        return f"{name}, {kind}", scaled(data, kind)[0]
    except DataError:
        return named


def _times(named: tuple[str, Data], factor: float) -> tuple[str, Data]:
    name, data = named
    if factor == 1.0 or not isinstance(data, Points | Distances):
        return named
    with np.errstate(over="ignore", under="ignore"):
        if isinstance(data, Points):
            if data.categories or not np.isfinite(data.X * factor).all():
                return named
            return f"{name} times {factor}", data.with_rows(data.X * factor, data.y)
        if not np.isfinite(data.table * factor).all():
            return named
        return f"{name} times {factor}", replace(data, table=data.table * factor)


def parameters(algorithm: Algorithm) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the parameters with any value that their declaration allows."""
    return st.fixed_dictionaries({}, optional={field.name: values(field) for field in algorithm.fields})


def values(field: Field) -> st.SearchStrategy[Any]:
    """Any value of one parameter, the ends of its range before all."""
    number = _numbers(field) if field.low is not None and field.high is not None else st.floats(-10.0, 10.0)
    return {
        "choice": st.sampled_from(field.choices or ("",)),
        "bool": st.booleans(),
        "int": number,
        "float": number,
        "ints": st.lists(number, max_size=4).map(tuple),
        "floats": st.lists(number, max_size=4).map(tuple),
        "points": st.integers(1, 3).flatmap(lambda d: st.lists(st.tuples(*[st.floats(-5.0, 5.0)] * d), max_size=4)),
        "matrix": st.integers(1, max(field.most, 1)).flatmap(
            lambda n: st.lists(
                st.tuples(*[number] * (field.columns or n)), min_size=field.rows or n, max_size=field.rows or n
            )
        ),
        "kernel": st.sampled_from(
            [field.default, "-linear", "exp(linear)", "1e300*poly(degree=10)", "0", "abs(sigmoid)"]
        ),
        "method": st.sampled_from([field.default, *(other.key for other in methods_for(field.purpose or "predictor"))]),
        "expression": st.sampled_from([field.default, *(f"{x}**3 - 2*{x}" for x in field.variables), "1/0", "1e300"]),
        "text": st.sampled_from([field.default, "", "a", "<b>&amp;"]),
    }[field.kind]


def _numbers(field: Field) -> st.SearchStrategy[Any]:
    low, high = field.low, field.high
    if field.kind in ("int", "ints"):
        between: st.SearchStrategy[Any] = st.integers(int(low), int(min(high, low + 30)))
        return st.one_of(between, between, st.just(int(low)), st.just(int(high)))
    if field.log and low > 0:
        between = st.floats(np.log(low), np.log(high)).map(lambda power: float(np.clip(np.exp(power), low, high)))
    else:
        between = st.floats(low, high)
    return st.one_of(between, between, st.just(float(low)), st.just(float(high)))


def outcome(algorithm: Algorithm, data: Data, chosen: dict[str, Any], watch: Watch) -> str:
    """What became of the run: a sentence that refuses it, or nothing where everything in it is finite.

    Raises
    ------
    AssertionError
        When something is not finite, or the refusal is no sentence.
    Exception
        Whatever the algorithm lets through, and every warning.
    """
    frames = []
    with warnings.catch_warnings(), np.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
        warnings.simplefilter("error")
        try:
            params = algorithm.make_params(chosen)
            with watch:
                for frame in algorithm.start(data, params, 0):
                    watch.seen()
                    frames.append(frame)
                    _assert_finite(algorithm, frame, data)
                    if len(frames) == FRAMES:
                        break
                answers = ask_everything(algorithm, frames[-1].model, data)
        except (DataError, ParamError) as error:
            said = str(error)
        except Interrupted:
            said = "It was called off."
        else:
            said = ""
    if said:
        assert is_sentence(said), f"This is no sentence: {said}"
    else:
        assert all(np.isfinite(answer).all() for answer in answers[:2]), "An answer is not finite."
    return said


def _assert_finite(algorithm: Algorithm, frame: Any, data: Data) -> None:
    assert not np.isinf(list(frame.metrics.values())).any(), f"The metrics are {dict(frame.metrics)}."
    for panel in algorithm.panels:
        for mark in frame.views.get(panel.key, ()):
            fault = fault_of_mark(algorithm, panel, mark, data)
            assert not fault, f"In the panel {panel.key!r} there is a {type(mark).__name__}: {fault}."
