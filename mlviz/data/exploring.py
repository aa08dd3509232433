"""A first look at a data set: what every column is like, how they go together, and what to know before fitting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Points
from mlviz.data.reading import Reading
from mlviz.data.table import power_of_two

BINS = 24
WHISKER = 1.5
"""Outliers lie further from the quartiles than this many times their distance (Tukey)."""
SAME = 0.999
IMBALANCE = 3.0
NAMED = 5
"""So many names are listed in a hint; the rest is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSummary:
    """One feature in numbers. ``counts`` are per class (one row when there are none) and bin."""

    name: str
    mean: float
    deviation: float
    quantiles: tuple[float, float, float, float, float]
    """Minimum, lower quartile, median, upper quartile, maximum."""
    distinct: int
    outliers: int
    counts: Array  # (classes, bins) int


@dataclass(frozen=True, slots=True, eq=False)
class Exploration:
    """Everything a first look shows."""

    points: Points
    features: tuple[FeatureSummary, ...]
    correlation: Array
    """(d, d) Pearson; 0 beside a constant feature."""
    balance: tuple[tuple[str, int], ...]
    hints: tuple[str, ...]


def explore(points: Points, reading: Reading | None = None) -> Exploration:
    """Summarise, correlate and look for trouble."""
    watch = reading or Reading()
    features = []
    for column in range(points.d):
        watch.step(0.7 * column / points.d, "Summarising")
        features.append(_feature(points, column))
    watch.step(0.7, "Correlating")
    correlation = correlations(points.X)
    watch.step(0.9, "Looking for trouble")
    balance = tuple(zip(points.classes, np.bincount(_numbers(points), minlength=len(points.classes)).tolist()))
    hints = _hints(points, features, correlation, balance)
    return Exploration(points, tuple(features), correlation, balance, hints)


def correlations(X: Array) -> Array:
    """Pearson's r between all columns, 0 where one of them never changes."""
    scale = np.abs(X).max(axis=0)
    centred = X / np.where(scale > 0, scale, 1.0)
    centred = centred - centred.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    varies = (np.ptp(X / np.where(scale > 0, scale, 1.0), axis=0) > 0) & (lengths > 0)
    unit = np.where(varies, centred / np.where(varies, lengths, 1.0), 0.0)
    return np.clip(unit.T @ unit, -1.0, 1.0)


def _numbers(points: Points) -> Array:
    return points.y if points.is_labelled and points.y is not None else np.zeros(points.n, dtype=np.int64)


def _feature(points: Points, column: int) -> FeatureSummary:
    values = points.X[:, column]
    scale = power_of_two(values)
    small = values / scale  # sums of the largest numbers would overflow
    low, first, middle, third, high = np.percentile(small, [0, 25, 50, 75, 100])
    reach = WHISKER * (third - first)
    outliers = int(np.count_nonzero((small < first - reach) | (small > third + reach)))
    edges = np.linspace(low, high, BINS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    place = np.clip(np.searchsorted(edges, small, side="right") - 1, 0, len(edges) - 2)
    groups = max(len(points.classes), 1)
    counts = np.bincount(_numbers(points) * (len(edges) - 1) + place, minlength=groups * (len(edges) - 1))
    return FeatureSummary(
        name=points.features[column],
        mean=float(small.mean() * scale),
        deviation=float(small.std() * scale),
        quantiles=tuple(float(q * scale) for q in (low, first, middle, third, high)),  # type: ignore[arg-type]
        distinct=len(np.unique(values)),
        outliers=outliers,
        counts=counts.reshape(groups, len(edges) - 1),
    )


# -- hints ------------------------------------------------------------------------------------------------------------


def _hints(
    points: Points, features: list[FeatureSummary], correlation: Array, balance: tuple[tuple[str, int], ...]
) -> tuple[str, ...]:
    found = [_constant(features), *_alike(points, correlation), _repeated_rows(points), _scales(features)]
    found += [_outliers(features, points.n), _balance(balance), _many_features(points)]
    return tuple(hint for hint in found if hint) or ("Nothing unusual was found.",)


def _listed(names: list[str]) -> str:
    some = ", ".join(names[:NAMED])
    return some if len(names) <= NAMED else f"{some} and {len(names) - NAMED} more"


def _constant(features: list[FeatureSummary]) -> str:
    names = [feature.name for feature in features if feature.distinct == 1]
    return f"The same value in every row: {_listed(names)}. Such a feature says nothing." if names else ""


def _alike(points: Points, correlation: Array) -> list[str]:
    """Columns that are equal, and columns that are nearly a multiple of each other."""
    first, second = np.nonzero(np.triu(np.abs(correlation) > SAME, 1))
    equal, close = [], []
    for a, b in zip(first.tolist(), second.tolist()):
        pair = f"{points.features[a]} and {points.features[b]}"
        if np.array_equal(points.X[:, a], points.X[:, b]):
            equal.append(pair)
        else:
            close.append(f"{pair} (r = {correlation[a, b]:.4f})")
    hints = [f"Equal columns: {_listed(equal)}."] if equal else []
    return hints + ([f"Nearly the same information: {_listed(close)}."] if close else [])


def _repeated_rows(points: Points) -> str:
    whole = points.X if points.y is None else np.column_stack([points.X, points.y])
    copies = points.n - len(np.unique(whole, axis=0))
    return f"{copies:,} of {points.n:,} rows repeat an earlier one." if copies else ""


def _scales(features: list[FeatureSummary]) -> str:
    spreads = {feature.name: feature.deviation for feature in features if feature.deviation > 0}
    if len(spreads) < 2:
        return ""
    widest, narrowest = max(spreads, key=spreads.__getitem__), min(spreads, key=spreads.__getitem__)
    ratio = spreads[widest] / spreads[narrowest]
    if not ratio > 100:
        return ""
    return (
        f"{widest} varies {ratio:.0f} times as much as {narrowest}, so distances hardly see the latter; "
        "standardise the features for methods that use distances."
    )


def _outliers(features: list[FeatureSummary], n: int) -> str:
    names = [f"{feature.name} ({feature.outliers})" for feature in features if 0 < feature.outliers <= 0.1 * n]
    return f"Values far outside the quartiles: {_listed(names)}." if names else ""


def _balance(balance: tuple[tuple[str, int], ...]) -> str:
    if len(balance) < 2:
        return ""
    largest, smallest = max(balance, key=lambda item: item[1]), min(balance, key=lambda item: item[1])
    if smallest[1] == 0:
        return f"The class {smallest[0]} has no points."
    ratio = largest[1] / smallest[1]
    if ratio < IMBALANCE:
        return ""
    return f"The classes are unbalanced: {largest[0]} has {ratio:.1f} times as many points as {smallest[0]}."


def _many_features(points: Points) -> str:
    return f"There are {points.d} features but only {points.n} points." if points.d > points.n else ""
