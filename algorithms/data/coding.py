"""Categories as codes, for methods that tell values apart, and as indicator columns, for methods that measure.

A category of two values is one column of 0 and 1, one of k values is k columns with a single 1 in each row. The points
remember which columns are those of one category, so that either form leads back to the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.data.kind import Array
from algorithms.data.points import Points


def as_indicators(data: Points) -> Points:
    """The same points with indicator columns in place of the codes of categories."""
    if not data.categories:
        return data
    named = dict(data.categories)
    columns: list[Array] = []
    features: list[str] = []
    groups: list[tuple[int, str, tuple[str, ...]]] = []
    known = {first: (name, levels) for first, name, levels in data.indicators}
    for j, feature in enumerate(data.features):
        if j in known:
            groups.append((len(columns), *known[j]))
        if j not in named:
            columns.append(data.X[:, j])
            features.append(feature)
            continue
        levels = named[j]
        groups.append((len(columns), feature, levels))
        for code in _coded_in(levels):
            columns.append((data.X[:, j] == code).astype(np.float64))
            features.append(f"{feature} = {levels[code]}")
    return replace(data, X=np.column_stack(columns), features=tuple(features), categories=(), indicators=tuple(groups))


def as_categories(data: Points) -> Points:
    """The same points with one column of codes in place of the indicator columns of each category."""
    if not data.indicators:
        return data
    columns: list[Array] = []
    features: list[str] = []
    categories: list[tuple[int, tuple[str, ...]]] = []
    known = {first: (name, levels) for first, name, levels in data.indicators}
    own = dict(data.categories)
    j = 0
    while j < data.d:
        if j in known:
            name, levels = known[j]
            width = len(_coded_in(levels))
            block = data.X[:, j : j + width]
            codes = block.argmax(axis=1) if len(levels) != 2 else (block[:, 0] > 0.5).astype(np.intp)
            categories.append((len(columns), levels))
            columns.append(codes.astype(np.float64))
            features.append(name)
            j += width
            continue
        if j in own:
            categories.append((len(columns), own[j]))
        columns.append(data.X[:, j])
        features.append(data.features[j])
        j += 1
    return replace(
        data, X=np.column_stack(columns), features=tuple(features), categories=tuple(categories), indicators=()
    )


def indicator_columns(data: Points) -> list[int]:
    """The numbers of the columns that say which value a category has."""
    return [first + k for first, _, levels in data.indicators for k in range(len(_coded_in(levels)))]


def _coded_in(levels: tuple[str, ...]) -> range:
    """The codes that have a column of their own: of two values only the second."""
    return range(1, 2) if len(levels) == 2 else range(len(levels))
