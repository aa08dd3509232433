"""A first look at a data set: what every column is like, how they go together, and what to know before fitting."""

from __future__ import annotations

import re
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
SKEWED = 2.0
"""From here on a skewness is worth a word."""
TELLING = 0.3
"""From here on a feature says something about the target by itself."""
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
    skewness: float = 0.0
    """The third moment by the cube of the deviation: 0 where it is symmetric, above 0 with a long tail to the right."""
    outcome: float | None = None
    """How it goes together with the target: Pearson's r with a value, from -1 to 1; with classes the correlation ratio,
    the root of the fraction of its variance that lies between them, from 0 to 1; None without a target."""
    coded: bool = False
    """Whether the numbers are codes of categories, with which one cannot calculate."""


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


def summarise(points: Points, rows: Array) -> tuple[FeatureSummary, ...]:
    """Every feature of some of the points: those that are selected."""
    some = points.rows(rows)
    return tuple(_feature(some, column, points) for column in range(points.d))


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


def _feature(points: Points, column: int, whole: Points | None = None) -> FeatureSummary:
    """One feature of points; its histogram goes over the range that it has in the ``whole`` they are a part of."""
    values, coded = points.X[:, column], column in dict(points.categories)
    scale = power_of_two(values)
    small = values / scale  # sums of the largest numbers would overflow
    low, first, middle, third, high = np.percentile(small, [0, 25, 50, 75, 100])
    reach = WHISKER * (third - first)
    outliers = int(np.count_nonzero((small < first - reach) | (small > third + reach)))
    ends = (low, high) if whole is None else (whole.X[:, column].min() / scale, whole.X[:, column].max() / scale)
    edges = np.linspace(*ends, BINS + 1) if ends[1] > ends[0] else np.array([low - 0.5, low + 0.5])
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
        skewness=0.0 if coded else skewness(small),
        outcome=category_outcome(points, values) if coded else outcome(points, small),
        coded=coded,
    )


def skewness(values: Array) -> float:
    """m₃ / m₂^{3/2}, as SciPy has it; 0 where nothing changes."""
    away = values - values.mean()
    reach = float(np.abs(away).max(initial=0.0))
    if not reach > 1e-12 * float(np.abs(values).max(initial=0.0)):
        return 0.0
    away = away / reach
    return float(np.mean(away**3) / np.mean(away**2) ** 1.5)


def outcome(points: Points, values: Array) -> float | None:
    """How the values of a feature go together with the target of the points."""
    if points.y is None or not len(values):
        return None
    if not points.is_labelled:
        return float(correlations(np.column_stack([values, points.y]))[0, 1])
    return correlation_ratio(values, points.y, len(points.classes))


def category_outcome(points: Points, codes: Array) -> float | None:
    """The same for categories: how much of the variance of a value lies between them; None where the target is none."""
    if not points.is_valued or points.y is None or not len(codes):
        return None
    return correlation_ratio(points.y, codes.astype(np.intp), int(codes.max()) + 1)


def correlation_ratio(values: Array, groups: Array, count: int) -> float:
    """The root of the fraction of the variance of values that lies between ``count`` groups."""
    away = values - values.mean()
    reach = float(np.abs(away).max(initial=0.0))
    if not reach > 0.0:
        return 0.0
    away = away / reach
    sizes = np.bincount(groups, minlength=count)
    sums = np.bincount(groups, weights=away, minlength=count)
    between = float(np.sum(sums**2 / np.maximum(sizes, 1)))
    return float(np.sqrt(min(between / float(away @ away), 1.0)))


# -- hints ------------------------------------------------------------------------------------------------------------


def _hints(
    points: Points, features: list[FeatureSummary], correlation: Array, balance: tuple[tuple[str, int], ...]
) -> tuple[str, ...]:
    found = [_constant(features), *_alike(points, correlation), _repeated_rows(points), _scales(features)]
    found += [_impossible(points), _codes_of_gaps(points), _outliers(features, points.n), _skewed(features)]
    found += [_balance(balance), _many_features(points), _telling(points, features)]
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
    spreads = {feature.name: feature.deviation for feature in features if feature.deviation > 0 and not feature.coded}
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


NEVER_NEGATIVE = frozenset(
    [
        "age",
        "ages",
        "height",
        "weight",
        "length",
        "width",
        "depth",
        "size",
        "area",
        "volume",
        "mass",
        "distance",
        "duration",
        "count",
        "counts",
        "number",
        "price",
        "cost",
        "income",
        "salary",
        "population",
        "radius",
        "diameter",
        "thickness",
        "bmi",
        "pressure",
        "glucose",
        "insulin",
        "rooms",
        "bedrooms",
        "floors",
        "speed",
        "concentration",
        "alcohol",
    ]
)
"""Words in the name of a feature that cannot be below 0."""
RARE = 0.25
"""Mistakes are no more than this part of a column."""
OLDEST = 130.0
CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0)
"""Numbers that are written where a value is missing."""


def _words_of(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))


def _impossible(points: Points) -> str:
    """Values that the name of a column does not allow: lengths below 0, ages of 200 years, percentages above 100."""
    coded, found = dict(points.categories), []
    for column, name in enumerate(points.features):
        if column in coded or name.endswith(("(standardised)", "(0 to 1)")):
            continue
        values, said = points.X[:, column], _words_of(name)
        bad = np.zeros(points.n, dtype=bool)
        if said & NEVER_NEGATIVE and np.mean(values < 0.0) <= RARE:  # a column that was centred has lost its zero
            bad |= values < 0.0
        if "age" in said and float(np.median(values)) > 1.0:
            bad |= values > OLDEST
        if said & {"percent", "percentage"} or "%" in name:
            bad |= (values < 0.0) | (values > 100.0)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            count = int(bad.sum())
            rows = f"row {row + 1}" if count == 1 else f"{count:,} rows, the first is row {row + 1}"
            found.append(f"{name} is {values[row]:.4g} ({rows})")
    return f"Values that cannot be: {_listed(found)}." if found else ""


def _codes_of_gaps(points: Points) -> str:
    """Numbers such as -999 that stand far away from all others, again and again: they mean that there is no value."""
    found = []
    coded = dict(points.categories)
    for column, name in enumerate(points.features):
        values = points.X[:, column]
        for code in CODES if column not in coded else ():
            here = values == code
            count = int(np.count_nonzero(here))
            rest = values[~here]
            if count < 2 or len(rest) < 3 or count > len(rest):
                continue
            spread = float(np.ptp(rest))
            gap = min(abs(code - float(rest.min())), abs(code - float(rest.max())))
            outside = not float(rest.min()) <= code <= float(rest.max())
            if outside and gap > max(spread, 1.0):
                found.append(f"{code:g} in {name} ({count} times)")
    return f"Probably missing values: {_listed(found)}." if found else ""


def _skewed(features: list[FeatureSummary]) -> str:
    tails = [f for f in features if abs(f.skewness) > SKEWED and f.distinct > 2]
    names = [f"{f.name} ({f.skewness:+.1f})" for f in sorted(tails, key=lambda f: -abs(f.skewness))]
    return (
        f"Long tails (skewness): {_listed(names)}. A logarithm may help where all values are above 0." if names else ""
    )


def _telling(points: Points, features: list[FeatureSummary]) -> str:
    """Where the signal is, as far as single features show it."""
    if points.y is None or len(np.unique(points.y)) < 2:
        return ""
    coded = {f.name for f in features if f.coded}
    known = [(f.name, f.outcome) for f in features if f.outcome is not None and abs(f.outcome) >= TELLING]
    known.sort(key=lambda pair: -abs(pair[1]))
    names = [f"{name} ({_degree(points, value, name in coded)})" for name, value in known[:3]]
    return f"The target {points.target} goes most with {_listed(names)}." if names else ""


def _degree(points: Points, value: float, coded: bool) -> str:
    return f"η = {value:.2f}" if points.is_labelled or coded else f"r = {value:+.2f}"


def _outliers(features: list[FeatureSummary], n: int) -> str:
    names = [
        f"{feature.name} ({feature.outliers})"
        for feature in features
        if 0 < feature.outliers <= 0.1 * n and not feature.coded
    ]
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
