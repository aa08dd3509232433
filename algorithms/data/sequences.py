"""Sequences: one or more series over time, of symbols or of vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from algorithms.data.kind import (
    Array,
    Data,
    DataError,
    Item,
    array_in,
    column_of,
    label,
    labels,
    locked,
    numbers,
    text_in,
    texts_in,
    whole_numbers,
)
from algorithms.maths.words import counted
from algorithms.records import dataclass

MAX_LENGTH = 1_000_000
"""Moments of all series together."""
MAX_SYMBOLS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Sequences(Data):
    """Series of whole numbers or texts (symbols), or of real numbers or vectors.

    Parameters
    ----------
    series : sequence of array-like, each (T,) or (T, d)
        Whole numbers and texts are symbols; floating-point numbers are values. Afterwards every series is a locked
        array: (T,) int64 symbol numbers, or (T, d) float64.
    states : sequence of array-like, each (T,), optional
        The true hidden state of every moment, 0, 1, ..., where it is known.
    symbols : names of the symbols, by number, optional
    features : names of the columns of a vector, optional
    """

    kind: ClassVar[str] = "sequences"
    item_name: ClassVar[str] = "moment"
    invitation: ClassVar[str] = "Draw a series"

    series: tuple[Array, ...]
    states: tuple[Array, ...] | None = None
    symbols: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    name: str = "series"

    def __post_init__(self) -> None:
        given = [column_of(one, "values of a series") for one in _as_list(self.series)]
        if not given:
            raise DataError("There is no series.")
        discrete = bool(self.symbols) or all(one.dtype.kind in "iuUSb" for one in given)
        if discrete:
            series, symbols = _symbol_series(given, labels(self.symbols))
            features: tuple[str, ...] = ()
        else:
            series, symbols = _value_series(given), ()
            d = series[0].shape[1]
            features = labels(self.features) or (("value",) if d == 1 else tuple(f"x{j + 1}" for j in range(d)))
            if len(features) != d:
                raise DataError(f"The series have {d} columns but {len(features)} names.")
        if sum(map(len, series)) > MAX_LENGTH:
            raise DataError(f"The series are too long: at most {MAX_LENGTH:,} moments can be used.")
        states = None if self.states is None else _state_series(_as_list(self.states), series)
        object.__setattr__(self, "name", label(self.name))
        for name, value in (("series", series), ("states", states), ("symbols", symbols), ("features", features)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the series anew locks them again.
        return Sequences, (self.series, self.states, self.symbols, self.features, self.name)

    @classmethod
    def blank(cls, target: str = "none") -> Sequences:
        """One series of values without any moment yet."""
        return cls((np.empty((0, 1)),), name="blank series")

    @property
    def n(self) -> int:
        """How many moments all series have together."""
        return sum(map(len, self.series))

    @property
    def is_discrete(self) -> bool:
        """Whether the series are of symbols."""
        return bool(self.symbols)

    @property
    def d(self) -> int:
        """How many numbers a moment has; 0 for symbols."""
        return len(self.features)

    @property
    def starts(self) -> Array:
        """The number of the first moment of every series."""
        return np.concatenate([[0], np.cumsum([len(one) for one in self.series])[:-1]]).astype(np.int64)

    def place_of(self, number: int) -> tuple[int, int]:
        """The series in which a moment lies, and its time there."""
        which = int(np.searchsorted(self.starts, number, side="right")) - 1
        return which, number - int(self.starts[which])

    def item(self, number: int, what: str = "") -> Item:
        """One moment; ``x`` holds its numbers (its symbol's number, where it has one)."""
        which, time = self.place_of(number)
        return Item(number, np.atleast_1d(self.series[which][time]).astype(np.float64), what)

    def item_text(self, number: int) -> str:
        """What is observed at a moment."""
        which, time = self.place_of(number)
        value = self.series[which][time]
        if self.is_discrete:
            seen = self.symbols[int(value)]
        else:
            seen = "   ".join(f"{name} = {number:.4g}" for name, number in zip(self.features, value))
        of = f" of series {which + 1}" if len(self.series) > 1 else ""
        state = "" if self.states is None else f"   true state {int(self.states[which][time]) + 1}"
        return f"t = {time + 1}{of}:   {seen}{state}"

    def columns(self) -> dict[str, list[Any]]:
        """One row a moment: series, time, what is observed, and the true state where it is known."""
        columns: dict[str, list[Any]] = {
            "series": [k + 1 for k, one in enumerate(self.series) for _ in one],
            "time": [t + 1 for one in self.series for t in range(len(one))],
        }
        joined = np.concatenate(self.series)
        if self.is_discrete:
            columns["symbol"] = [self.symbols[k] for k in joined.tolist()]
        else:
            columns |= {name: joined[:, j].tolist() for j, name in enumerate(self.features)}
        if self.states is not None:
            columns["state"] = (np.concatenate(self.states) + 1).tolist()
        return columns

    def about(self) -> dict[str, Any]:
        """How many series of which length."""
        return {
            "kind": self.kind,
            "lengths": [len(one) for one in self.series],
            "symbols": list(self.symbols),
            "features": list(self.features),
        }

    def counted(self) -> str:
        """Series and moments, in words."""
        count = len(self.series)
        return f"{count} series, {counted(self.n, 'moment')}"

    def arrays(self) -> dict[str, Array]:
        """All series end to end, their lengths, and the states."""
        found = {
            "series": np.concatenate(self.series),
            "lengths": np.array([len(one) for one in self.series], dtype=np.int64),
        }
        return found if self.states is None else found | {"states": np.concatenate(self.states)}

    def facts(self) -> dict[str, Any]:
        """The names."""
        return {"name": self.name, "symbols": list(self.symbols), "features": list(self.features)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Sequences:
        """The series of a file."""
        joined, lengths = array_in(arrays, "series"), array_in(arrays, "lengths")
        lengths = whole_numbers(lengths, "lengths of the series", (-1,), 0, MAX_LENGTH + 1)
        if int(lengths.sum()) != len(joined):
            raise DataError("The lengths of the series do not fit their numbers.")
        cuts = np.cumsum(lengths)[:-1]
        states = arrays.get("states")
        if states is not None and len(states) != len(joined):
            raise DataError("The states do not fit the series.")
        return cls(
            tuple(np.split(joined, cuts)),
            None if states is None else tuple(np.split(states, cuts)),
            texts_in(facts, "symbols"),
            texts_in(facts, "features"),
            text_in(facts, "name", "series"),
        )


def _as_list(series: Any) -> list[Any]:
    """The series, also where a single one was given by itself."""
    if isinstance(series, np.ndarray):
        return [series]
    given = list(series) if isinstance(series, Sequence) and not isinstance(series, str) else [series]
    if given and all(isinstance(one, int | float | str | np.generic) for one in given):
        return [np.asarray(given)]
    return given


def _symbol_series(columns: list[Array], symbols: tuple[str, ...]) -> tuple[tuple[Array, ...], tuple[str, ...]]:
    if any(column.ndim != 1 or len(column) == 0 for column in columns):
        raise DataError("A series of symbols must be a list with at least one symbol.")
    if symbols:
        return tuple(whole_numbers(c, "symbols", (-1,), 0, len(symbols)) for c in columns), symbols
    if any(column.dtype.kind in "US" for column in columns):
        levels, codes = np.unique(np.concatenate([column.astype(str) for column in columns]), return_inverse=True)
        names = tuple(str(level) for level in levels)
    else:
        codes = np.concatenate(columns).astype(np.int64)
        if codes.min() < 0:
            raise DataError("Symbols are numbered from 0.")
        names = tuple(str(k) for k in range(min(int(codes.max()), MAX_SYMBOLS) + 1))
    if len(names) > MAX_SYMBOLS or int(codes.max()) >= MAX_SYMBOLS:
        raise DataError(f"There are more than {MAX_SYMBOLS} symbols; write measured values with a decimal point.")
    parts = np.split(np.asarray(codes, dtype=np.int64), np.cumsum([len(column) for column in columns])[:-1])
    return tuple(locked(part.copy()) for part in parts), names


def _value_series(given: list[Array]) -> tuple[Array, ...]:
    found = []
    for one in given:
        table = numbers(one[:, None] if one.ndim == 1 else one, "values of a series", 2)
        if table.shape[1] == 0 or (len(table) == 0 and len(given) > 1):
            raise DataError("A series must have at least one moment.")
        found.append(table)
    if len({table.shape[1] for table in found}) > 1:
        raise DataError("All series must have the same number of columns.")
    return tuple(found)


def _state_series(given: list[Any], series: tuple[Array, ...]) -> tuple[Array, ...]:
    if len(given) != len(series):
        raise DataError(f"There are {len(series)} series but {len(given)} lists of states.")
    return tuple(
        whole_numbers(one, "states", (len(there),), 0, MAX_SYMBOLS) for one, there in zip(given, series, strict=True)
    )
