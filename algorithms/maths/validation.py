"""Which points learn and which ones test: hold-out, k folds, folds again and again, leave one out.

What is held out must have no say in anything that is learned. So a method is run anew on the points that learn, and
whatever else is estimated from data (a scale, a choice of features) belongs inside that run as well.

Reference: Handbook §2.1.4, §4.2.2; Methods for Data Science §2.0, §3.2; CROSS VALIDATION (Statistical Machine
Learning); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 7.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.data.scaling import rescaled
from algorithms.interrupt import checkpoint
from algorithms.maths.words import number
from algorithms.method_choice import Method
from algorithms.params import Doc, Group
from algorithms.records import dataclass

Scheme = Literal["hold-out", "k-fold", "stratified", "repeated", "leave-one-out"]
LastWord = Annotated[
    Literal["none", "locked", "open"],
    Group("last word"),
    Doc("A third of the points is kept aside: locked until you have chosen, then opened once."),
]
MOST_SPLITS = 5_000
TEST_FRACTION = 1.0 / 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The numbers of the points that learn and of those that test, and where the split belongs."""

    learn: Array  # (l,) int
    test: Array  # (t,) int
    fold: int = 0
    repeat: int = 0


def stratified_parts(y: Array, count: int, rng: np.random.Generator) -> list[Array]:
    """Disjoint sets of points that cover all, sizes differ by at most one, each with its part of every class."""
    shuffled = rng.permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    return [np.sort(order[k::count]) for k in range(count)]


def held_out_part(y: Array, fraction: float, rng: np.random.Generator) -> Array:
    """About this fraction of every class, and never all points of one."""
    parts = []
    for group in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == group))
        parts.append(members[: min(max(round(fraction * len(members)), 1), len(members) - 1)])
    return np.sort(np.concatenate(parts))


def part_of(data: Points, fraction: float, rng: np.random.Generator) -> Array:
    """About this fraction of the points, of every class where there are classes; never all of them."""
    if data.y is not None and data.is_labelled:
        part = held_out_part(data.y, fraction, rng)
        if len(part):
            return part
    count = min(max(round(fraction * data.n), 1), data.n - 1)
    return np.sort(rng.permutation(data.n)[:count])


def parts_of(data: Points, count: int, rng: np.random.Generator, stratified: bool = True) -> list[Array]:
    """Disjoint sets of points that cover all, each with its part of every class where there are classes."""
    if stratified and data.y is not None and data.is_labelled:
        return stratified_parts(data.y, count, rng)
    return [np.sort(part) for part in np.array_split(rng.permutation(data.n), count)]


def splits(
    data: Points,
    scheme: Scheme,
    rng: np.random.Generator,
    folds: int = 5,
    repeats: int = 1,
    held_out: float = 0.3,
) -> tuple[Split, ...]:
    """Every split of a scheme, in the order in which they are used.

    ``repeated`` are stratified folds, drawn anew ``repeats`` times; only there classes or none make no difference to
    the number of splits. Where there are no classes, stratified folds are plain ones.
    """
    n = data.n
    if n < 2:
        raise DataError("To hold points out there must be at least two.")
    if scheme == "hold-out":
        return tuple(_away(n, part_of(data, held_out, rng), 0, repeat) for repeat in range(repeats))
    if scheme == "leave-one-out":
        _refuse_many(n)
        return tuple(_away(n, np.array([point]), point, 0) for point in range(n))
    rounds, count = (repeats if scheme == "repeated" else 1), min(folds, n)
    _refuse_many(rounds * count)
    found = []
    for repeat in range(rounds):
        parts = parts_of(data, count, rng, stratified=scheme != "k-fold")
        found += [_away(n, part, fold, repeat) for fold, part in enumerate(parts)]
    return tuple(found)


def refuse_one_class(data: Points, parts: Sequence[Split], method: Method) -> None:
    """Raise :class:`DataError` where a method needs two classes and the points that learn in a split have only one."""
    if method.algorithm.target != "classes" or data.y is None or not data.is_labelled:
        return
    rare = data.n - int(np.bincount(data.y).max())  # points outside the largest class
    for part in parts:
        if len(part.test) >= rare and len(np.unique(data.y[part.learn])) < 2:
            raise DataError(
                f"{method.algorithm.title} needs points of at least two classes; without those that are held out in "
                "one of the splits all are of one class. Take more points of the rare class."
            )


def aside(data: Points, rng: np.random.Generator) -> tuple[Array, Array]:
    """The points that everything happens on, and a third that is kept away from all of it."""
    if data.n < 6:
        raise DataError("To keep a third aside and still have folds there must be at least six points.")
    assert data.y is not None
    if data.is_labelled:
        test = held_out_part(data.y, TEST_FRACTION, rng)
    else:
        test = np.sort(rng.permutation(data.n)[: round(TEST_FRACTION * data.n)])
    return np.setdiff1d(np.arange(data.n), test), test


def losses(data: Points, truth: Array, answers: Array) -> Array:
    """1 for a wrong class, or the squared difference from a value; one number for every point."""
    if data.is_labelled:
        return np.asarray(answers != truth, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.minimum(np.square(np.asarray(answers, dtype=np.float64) - truth), np.finfo(np.float64).max)


def rate(error: float, labelled: bool) -> str:
    """A mean loss in words: the part of wrong answers, or a mean square."""
    return f"{100.0 * error:.1f} % wrong" if labelled else f"mean square {number(error)}"


def scatter(deviation: float, labelled: bool) -> str:
    """How a mean loss scatters, in the unit of :func:`rate`."""
    return f"{100.0 * deviation:.1f} %" if labelled else number(deviation)


def held_out_errors(
    methods: Sequence[Method], data: Points, parts: Sequence[Split], seed: int
) -> list[Array | DataError]:
    """For each of some settings of one method the mean loss on the test points of every split, (s,), or its refusal."""
    assert data.y is not None
    models = iter(_fitted_together(methods, data, parts))
    found: list[Array | DataError] = []
    for method in methods:
        errors: Array | DataError = np.empty(len(parts))
        for position, part in enumerate(parts):
            checkpoint()
            model = next(models)
            if isinstance(errors, DataError):
                continue
            try:
                learn, own = rescaled(data.rows(part.learn))
                model = method.fit(learn, seed) if model is None else model
                answers = method.predict(model, own.applied(data.X[part.test]))
                errors[position] = losses(data, data.y[part.test], answers).mean()
            except DataError as refused:
                errors = refused
        found.append(errors)
    return found


def _fitted_together(methods: Sequence[Method], data: Points, parts: Sequence[Split]) -> list[Any]:
    """The models of each method on each split, where the method can make many at once; None where it cannot."""
    many = methods[0].algorithm.fit_many
    if many is None:
        return [None] * (len(methods) * len(parts))
    if data.scale == "given":  # all splits share what depends on the rows
        return many(data, [(part.learn, method.params) for method in methods for part in parts])
    tables = []
    for part in parts:
        learn, _ = rescaled(data.rows(part.learn))
        tables.append(many(learn, [(np.arange(learn.n), method.params) for method in methods]))
    return [table[number] for number in range(len(methods)) for table in tables]


def _away(n: int, part: Array, fold: int, repeat: int) -> Split:
    learns = np.ones(n, dtype=bool)
    learns[part] = False
    return Split(np.flatnonzero(learns), part, fold, repeat)


def _refuse_many(count: int) -> None:
    if count > MOST_SPLITS:
        raise DataError(f"{count:,} splits are too many to fit one after the other; take at most {MOST_SPLITS:,}.")
