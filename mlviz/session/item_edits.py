"""Edits of lists of things with classes - texts, small graphs - as pure functions without a window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from algorithms.data import Array, DataError, Graph, GraphSet, Strings
from mlviz.session.edits import MOST_CLASSES, next_class_name

Listed = TypeVar("Listed", Strings, GraphSet)


def without(data: Listed, items: Array) -> tuple[Listed, Array]:
    """The data without some items, and which item each of the others was."""
    kept = np.setdiff1d(np.arange(data.n), items)
    y = None if data.y is None else data.y[kept]
    if isinstance(data, Strings):
        return replace(data, texts=tuple(data.texts[k] for k in kept.tolist()), y=y), kept
    return replace(data, graphs=tuple(data.graphs[k] for k in kept.tolist()), y=y), kept


def with_item(data: Listed, item: Any, group: int = 0) -> Listed:
    """One more text or graph at the end, of this class where there are classes; it may be the one after the last."""
    members: dict[str, Any] = (
        {"texts": (*data.texts, item)} if isinstance(data, Strings) else {"graphs": (*data.graphs, item)}
    )
    if data.y is None:
        return replace(data, **members)
    return replace(data, y=np.append(data.y, group), classes=_classes(data, group), **members)


def with_graph(data: GraphSet, number: int, graph: Graph) -> GraphSet:
    """Another graph in the place of one."""
    return replace(data, graphs=(*data.graphs[:number], graph, *data.graphs[number + 1 :]))


def relabel(data: Listed, items: Array, group: int) -> Listed:
    """Another class for some items, which may be the one after the last."""
    y = np.zeros(data.n, dtype=np.int64) if data.y is None else np.array(data.y)
    if data.y is not None and (y[items] == group).all():
        return data
    y[items] = group
    return replace(data, y=y, classes=_classes(data, group))


def labelled(data: Listed) -> Listed:
    """The data with classes: all items are of the first where there were none."""
    if data.y is not None:
        return data
    return replace(data, y=np.zeros(data.n, dtype=np.int64), classes=(next_class_name(()),))


def _classes(data: Listed, group: int) -> tuple[str, ...]:
    if group < len(data.classes):
        return data.classes
    if group > len(data.classes):
        raise DataError(f"There is no class {group + 1} yet.")
    if group >= MOST_CLASSES:
        raise DataError(f"At most {MOST_CLASSES} classes can be drawn.")
    return (*data.classes, next_class_name(data.classes))
