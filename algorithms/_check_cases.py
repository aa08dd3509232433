"""The small data sets and runs on which :mod:`algorithms.checks` puts an algorithm to the test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from algorithms.contract import Algorithm, DataError, Snapshot, Stop
from algorithms.dataset import Array, Points
from algorithms.params import Field

ENDLESS = 20_000
"""More frames than this on two dozen points is a run that does not end."""
SOME = 60
"""Enough frames to have seen every phase several times, where a check does not need the end."""


def play(
    algorithm: Algorithm, data: Any, params: Any, limit: int | None = None, start: Any = None
) -> tuple[list[Snapshot], Stop | None]:
    """The frames of a run with seed 0, and why it ended: ``None`` when it was cut off at ``limit`` frames."""
    frames: list[Snapshot] = []
    run = algorithm.start(data, params, 0, start)
    while len(frames) < (ENDLESS if limit is None else limit):
        try:
            frames.append(next(run))
        except StopIteration as end:
            return frames, end.value
    run.close()
    return frames, None


def settings(algorithm: Algorithm) -> list[tuple[Any, Any]]:
    """Data and parameters: the defaults on two and on three groups, and every variant on its own.

    A variant is another choice, or a whole number one above its least: two restarts, a curve of one value, and so on.
    """
    three, default = blobs(algorithm), algorithm.params()
    found = [(three, default), (blobs(algorithm, groups=2), default)]
    for field in algorithm.fields:
        for value in _variants(field):
            params = algorithm.make_params({field.name: value})
            if value != field.default and _works(algorithm, three, params):
                found.append((three, params))
    return found


def _variants(field: Field) -> tuple[Any, ...]:
    if field.kind == "int" and field.low is not None:
        return (int(field.low) + 1,)
    return ends(field) if field.kind in ("choice", "bool") else ()


def _works(algorithm: Algorithm, data: Any, params: Any) -> bool:
    """Some choices need a value beside them (centres set by hand) and refuse to begin without it."""
    try:
        play(algorithm, data, params, limit=1)
    except DataError:
        return False
    return True


def many_frames(algorithm: Algorithm) -> Iterator[tuple[Any, Snapshot]]:
    """Every frame of every setting, with its data."""
    for data, params in settings(algorithm):
        for frame in play(algorithm, data, params)[0]:
            yield data, frame


def few_frames(algorithm: Algorithm) -> Iterator[tuple[Any, Snapshot]]:
    """The first, a middle and the last frame with the default parameters, on three groups and on two."""
    for groups in (3, 2):
        data = blobs(algorithm, groups)
        frames, _ = play(algorithm, data, algorithm.params())
        for position in sorted({0, len(frames) // 2, len(frames) - 1}):
            yield data, frames[position]


def ends(field: Field) -> tuple[Any, ...]:
    """The allowed values at the edge: both ends of a range, every choice."""
    if field.kind == "choice":
        return field.choices
    if field.kind == "bool":
        return (False, True)
    if field.kind in ("int", "float"):
        return (field.low, field.high)
    return ((), (int(field.low),), (int(field.low),) * 3) if field.low is not None else ((),)


def blobs(algorithm: Algorithm, groups: int = 3, d: int = 2, n: int = 24) -> Points:
    """Round groups that overlap a little, with the target that the algorithm wants."""
    if algorithm.accepts is not Points:
        raise TypeError(f"There are no cases yet for an algorithm that accepts {algorithm.accepts.__name__}.")
    rng = np.random.default_rng(7)
    labels = np.arange(n) % groups
    centres = rng.normal(size=(groups, d)) * 0.5
    centres[:, 0] += 3.0 * np.arange(groups)
    return _with_target(algorithm, centres[labels] + 0.8 * rng.normal(size=(n, d)), labels)


def one_moved(data: Points) -> Points:
    """The same data after a student has dragged the first point."""
    X = np.array(data.X)
    X[0] += 1.5
    return Points(X, data.y, data.features, data.classes, data.target, data.name)


def queries(data: Points) -> Array:
    """Seven new points in and around the data; the last one far outside."""
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    X = low + (high - low) * np.random.default_rng(3).uniform(-0.3, 1.3, size=(7, data.d))
    X[-1] = high + 5.0 * (high - low)
    return X


def degenerate(algorithm: Algorithm) -> dict[str, Points]:
    """Data of the kinds that break careless code, by name."""
    usual = blobs(algorithm)
    X, labels = np.array(usual.X), np.arange(usual.n) % 3
    constant, line = X.copy(), np.linspace(-1, 1, 12)
    constant[:, 1] = 4.0
    tables = {
        "one point": X[:1],
        "two points": X[:2],
        "two equal points": X[[0, 0]],
        "equal points only": X[[0] * 9],
        "three points repeated": X[[0, 1, 2] * 6],
        "the same points in both classes": X[[0, 0, 1, 1, 2, 2]],
        "a constant column": constant,
        "points on a line": np.column_stack([line, 2 * line]),
        "huge values": X * 1e150,
        "tiny values": X * 1e-150,
        "values far from zero": X + 1e8,
        "columns of unequal scale": X * np.array([1e8, 1e-8]),
        "one feature": X[:, :1],
        "ten features": np.array(blobs(algorithm, d=10).X),
        "fewer points than features": np.array(blobs(algorithm, d=10).X[:5]),
    }
    cases = {name: _with_target(algorithm, table, np.arange(len(table)) % 3) for name, table in tables.items()}
    cases["one class"] = _with_target(algorithm, X, np.zeros(len(X), dtype=int))
    cases["a class without points"] = Points(X, labels % 2, classes=("a", "b", "c"))
    cases["no target"] = Points(X)
    cases["a target of values"] = Points(X, X[:, 0])
    return cases


def _with_target(algorithm: Algorithm, X: Array, labels: Array) -> Points:
    if algorithm.target == "none":
        return Points(X)
    if algorithm.target == "values":
        return Points(X, 0.5 * X[:, 0] + 0.1 * np.abs(X).max() * (labels - 1.0))
    return Points(X, labels)
