"""What a run has learned in a few lines for the terminal: centres, coefficients with their names, a path. No Qt."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from algorithms.data import Array, Data, Graph, Points
from algorithms.maths.words import counted, number
from mlviz.export.parameters import Outcome

SHOWN = (
    "method", "path", "estimate", "standard_error", "intercept", "coefficients", "weights", "intercepts",
    "normal", "offset", "bias", "centres", "priors", "means", "variances", "components", "fractions", "initial",
    "transition", "emission", "values", "errors",
)  # fmt: skip
"""The parts of models that are worth a line, in this order; the others are in the files."""
ROWS, COLUMNS, LONGEST = 8, 8, 24
"""How many rows and columns of a table, and how many numbers of a list, are printed."""


def learned(outcome: Outcome) -> list[str]:
    """The lines."""
    data, model = outcome.data, outcome.last[1]
    own = {field.name for field in dataclasses.fields(model)} - set(
        outcome.metrics
    )  # w of a kernel is none of the data
    parts = {name: getattr(model, name) for name in SHOWN if name in own}
    classes = data.classes if isinstance(data, Points) and outcome.algorithm.target != "none" else ()
    return [line for name, value in parts.items() for line in _part(name, value, model, data, classes)]


def _part(name: str, value: Any, model: Any, data: Data, classes: Sequence[str]) -> Iterator[str]:
    title = name.replace("_", " ")
    if isinstance(value, str):
        yield f"{title}  {value}"
    elif np.ndim(value) == 0 and isinstance(value, int | float | np.number):
        if math.isfinite(float(value)):
            yield f"{title}  {number(float(value))}"
    elif not isinstance(value, np.ndarray) or not value.size or value.dtype.kind not in "iuf":
        return
    elif isinstance(data, Graph):
        yield from _of_nodes(title, value, data)
    elif value.ndim == 1 and len(value) <= LONGEST and len(value) != data.n and title != "normal":
        yield f"{title}  {_listed(value, _names_of(name, len(value), model, data, classes))}"
    elif value.ndim == 2 and len(value) <= LONGEST and name != "errors":
        yield from _table(title, value, data, classes)


def _of_nodes(title: str, value: Array, data: Graph) -> Iterator[str]:
    """The nodes of a path, or those with the largest values."""
    if title == "path" and value.dtype.kind in "iu":
        yield f"{title}  {' - '.join(data.node_name(int(node)) for node in value[:LONGEST])}"
    elif title == "values" and value.shape == (data.n,):
        first = np.argsort(-value, kind="stable")[:5]
        named = (f"{data.node_name(int(node))} {number(float(value[node]))}" for node in first)
        yield f"most central  {', '.join(named)}"


def _names_of(name: str, count: int, model: Any, data: Data, classes: Sequence[str]) -> Sequence[str]:
    """What the numbers of a list belong to: coefficients, classes or features."""
    own = tuple(getattr(model, "names", ()))
    if name == "coefficients" and len(own) == count:
        return own
    if name in ("priors", "intercepts") and len(classes) == count:
        return classes
    if isinstance(data, Points) and name in ("normal", "weights") and data.d == count:
        return data.features
    return ()


def _listed(values: Array, names: Sequence[str]) -> str:
    said = [number(float(value)) for value in values]
    return ", ".join(f"{name} {value}" for name, value in zip(names, said)) if names else ", ".join(said)


def _table(title: str, values: Array, data: Data, classes: Sequence[str]) -> Iterator[str]:
    """A row for each centre, class or component, under the names of the features."""
    features = data.features if isinstance(data, Points) and values.shape[1] == data.d else ()
    head = list(features[:COLUMNS])
    more = values.shape[1] - COLUMNS
    named = classes if len(classes) == len(values) else [str(row + 1) for row in range(len(values))]
    cells = [[number(float(value)) for value in row[:COLUMNS]] for row in values[:ROWS]]
    widths = [max(map(len, column)) for column in zip(*([head] if head else []), *cells)]
    first = max(map(len, named[:ROWS]))
    yield title + (f" (the first {COLUMNS} of {values.shape[1]} columns)" if more > 0 else "")
    if head:
        yield "  " + " " * first + "".join(f"  {text:>{width}}" for text, width in zip(head, widths))
    for label, row in zip(named, cells):
        yield f"  {label:<{first}}" + "".join(f"  {text:>{width}}" for text, width in zip(row, widths))
    if len(values) > ROWS:
        yield f"  and {counted(len(values) - ROWS, 'row')} more"
