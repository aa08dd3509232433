"""One or two parameters of a method over a grid: the held-out errors of every cell.

A coarse grid comes first and then the cells between, so that the whole map is seen early. The errors of a cell depend
on its values, the splits and the seed alone, so it makes no difference who works them out, or when.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, DataError, Points
from algorithms.executor import Executor
from algorithms.maths.scales import deviation
from algorithms.maths.validation import Split, held_out_errors
from algorithms.maths.words import SentenceError
from algorithms.method_choice import Method
from algorithms.params import Field

MOST_CELLS = 10_000
USUAL = 11
TOGETHER = 20
"""Cells that one worker is given at once where the method can fit several together."""
_RANGE = re.compile(r"(?P<low>[^:]+?)\.\.(?P<high>[^:]+?)(?::(?P<scale>log|linear))?(?::(?P<count>\d{1,9}))?")


class SweepError(SentenceError):
    """What is to be varied cannot be; the message says how to write it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A parameter and the values that it takes, in their order along an axis."""

    name: str
    values: tuple[Any, ...]
    log: bool = False

    def __str__(self) -> str:
        return f"{self.name}={','.join(str(value) for value in self.values)}"


def parse_axis(text: str, algorithm: Algorithm) -> Axis:
    """``C=0.01..100:log:20``, ``k=1..15`` or ``kernel=linear,rbf``."""
    name, equals, values = text.partition("=")
    name = name.strip()
    field = next((field for field in algorithm.fields if field.name == name), None)
    if field is None:
        known = ", ".join(field.name for field in algorithm.fields if field.kind in ("int", "float", "choice", "bool"))
        raise SweepError(f"{algorithm.key} has no parameter {name!r} to be varied; it has {known}.")
    if not equals:
        raise SweepError(f"Say over which values: {name}=0.01..100:log:20, or {name}=1,2,5.")
    match = _RANGE.fullmatch(values.strip())
    if match is None:
        chosen = tuple(field.parse(value) for value in values.split(","))
        return Axis(name, tuple(dict.fromkeys(chosen)), field.log)
    low, high = _number(match["low"], text), _number(match["high"], text)
    log = None if match["scale"] is None else match["scale"] == "log"
    return between(field, low, high, int(match["count"] or 0), log)


def between(field: Field, low: float, high: float, count: int = 0, log: bool | None = None) -> Axis:
    """So many values of a number from one end to the other, by factors where the parameter is one of factors."""
    if field.kind not in ("int", "float"):
        raise SweepError(f"{field.name} is no number; write its values one by one: {field.name}={field.default}.")
    steps = field.log if log is None else log
    if steps and not (low > 0.0 and high > 0.0):
        raise SweepError(f"{field.name} from {low:g} to {high:g} cannot go by factors; both ends must be above 0.")
    whole = field.kind == "int"
    count = count or (int(high - low) + 1 if whole and not steps and abs(high - low) < 2 * USUAL else USUAL)
    if not 1 <= count <= MOST_CELLS:
        raise SweepError(f"{field.name} cannot take {count:,} values; at most {MOST_CELLS:,}.")
    numbers = (np.geomspace if steps else np.linspace)(low, high, count).tolist()
    values = [field.check(round(value) if whole else float(f"{value:.6g}")) for value in numbers]
    return Axis(field.name, tuple(dict.fromkeys(values)), steps)


def usual_axis(algorithm: Algorithm, beside: str = "") -> Axis:
    """The first number among the parameters, other than ``beside``, around its default: where one would look first."""
    for field in algorithm.fields:
        if field.kind not in ("int", "float") or field.name == beside or field.advanced or field.when is not None:
            continue
        assert field.low is not None
        assert field.high is not None
        if field.log:
            return between(field, max(field.default / 100.0, field.low), min(field.default * 100.0, field.high), 9)
        high = min(max(3.0 * field.default, field.low + 10.0), field.high)
        return between(field, max(field.low, min(1.0, high)), high, 0 if field.kind == "int" else 9)
    raise SweepError(f"{algorithm.title} has no number that could be varied.")


def cells(axes: Sequence[Axis]) -> list[tuple[int, ...]]:
    """The places of all cells, a coarse grid first and then those between."""
    count = math.prod(len(axis.values) for axis in axes)
    if count > MOST_CELLS:
        raise SweepError(f"{count:,} cells are too many; at most {MOST_CELLS:,}.")
    ranges = [range(len(axis.values)) for axis in axes]
    places = itertools.product(*ranges)
    return sorted(places, key=lambda place: (max(map(_level, place, map(len, ranges))), place[::-1]))


def _level(position: int, length: int) -> int:
    """0 for the positions of the coarsest grid, 1 for those in the middle between them, ..."""
    stride, level = 1 << max((length - 1).bit_length() - 2, 0), 0
    while position % stride:
        stride, level = stride >> 1, level + 1
    return level


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The held-out errors of one setting, or why the method refuses it."""

    place: tuple[int, ...]
    method: str
    errors: Array  # (s,) empty where it was refused
    refusal: str = ""

    @property
    def mean(self) -> float:
        """The mean over all splits; NaN where the method refuses the setting."""
        return float(self.errors.mean()) if len(self.errors) else math.nan

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, as if the splits were independent."""
        return deviation(self.errors, ddof=1) / math.sqrt(max(len(self.errors), 1))


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """What is asked: a method, the values of one or two of its parameters, and the splits."""

    method: Method
    axes: tuple[Axis, ...]
    data: Points
    parts: tuple[Split, ...]
    seed: int = 0

    def values(self, place: tuple[int, ...]) -> dict[str, Any]:
        """The values of a cell by name."""
        return {axis.name: axis.values[position] for axis, position in zip(self.axes, place, strict=True)}

    def at(self, place: tuple[int, ...]) -> Method:
        """The method with the values of a cell."""
        return self.method.with_values(**self.values(place))

    def run(self, executor: Executor, places: Sequence[tuple[int, ...]] | None = None) -> Iterator[Cell]:
        """Cells in the order of their places, a coarse grid first unless others are asked for."""
        asked = cells(self.axes) if places is None else list(places)
        for group in executor.map(worked_out, self._tasks(asked), self):
            yield from group

    def _tasks(self, places: Sequence[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
        """The places in pieces for one worker each; one by one where the method cannot fit several at once."""
        size = 1 if self.method.algorithm.fit_many is None else TOGETHER
        return [list(places[start : start + size]) for start in range(0, len(places), size)]


def worked_out(sweep: Sweep, places: Sequence[tuple[int, ...]]) -> list[Cell]:
    """Some cells; a function of a module, so that another process can be asked for them."""
    methods = [sweep.at(place) for place in places]
    found = held_out_errors(methods, sweep.data, sweep.parts, sweep.seed)
    return [
        Cell(place, method.text, np.empty(0), str(errors))
        if isinstance(errors, DataError)
        else Cell(place, method.text, errors)
        for place, method, errors in zip(places, methods, found, strict=True)
    ]


def best_of(found: Iterable[Cell]) -> Cell | None:
    """The cell with the least mean error; of equals the one that comes first."""
    known = [cell for cell in found if len(cell.errors)]
    return min(known, key=lambda cell: cell.mean, default=None)


def _number(text: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SweepError(f"{whole!r} is not written like C=0.01..100:log:20.")
    return number
