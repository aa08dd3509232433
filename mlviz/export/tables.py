"""Files of numbers: an outcome as JSON, CSV or NPZ, points with their predictions, curves, a data set. No Qt."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from algorithms.data import Array, Data, DataError, Sequences
from algorithms.data.points import free_name
from mlviz.export.parameters import Outcome, about, as_json, fitted, flatten, plain, split

OUTCOME_SUFFIXES = (".json", ".csv", ".npz")


def outcome_bytes(outcome: Outcome, suffix: str) -> bytes:
    """The content of a file with the fitted parameters, in the format that the suffix names."""
    if suffix == ".npz":
        return _npz(_outcome_arrays(outcome))
    return (as_json(fitted(outcome)) if suffix == ".json" else outcome_csv(outcome)).encode()


def data_bytes(data: Data, suffix: str) -> bytes:
    """The content of a file with the points."""
    if suffix == ".npz":
        return _npz(data_arrays(data))
    return data_csv(data).encode()


# -- CSV --------------------------------------------------------------------------------------------------------------


def outcome_csv(outcome: Outcome) -> str:
    """One number a row: step, name, row, column, value. What belongs to no step (what was run, on what) comes first."""
    parts = [iter([("step", "name", "row", "column", "value")]), _entries("", flatten(plain(about(outcome))))]
    if len(outcome.models) == 1:
        step, model = outcome.last
        parts.append(_entries(step, flatten(model)))
    else:
        constant, changing = split(outcome.models)
        parts.append(_entries("", constant))
        parts += [_entries(step, leaves) for step, leaves in changing.items()]
    return _csv(itertools.chain.from_iterable(parts))


def _entries(step: Any, leaves: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """(step, name, row, column, value) of every number; a third dimension becomes part of the name."""
    again = itertools.repeat
    for name, value in leaves.items():
        array = np.asarray(value)
        if array.ndim > 2:
            yield from _entries(step, {f"{name}[{i}]": part for i, part in enumerate(array)})
            continue
        cells = _cells(array)
        if array.ndim == 0:
            yield step, name, "", "", cells
        elif array.ndim == 1:
            yield from zip(again(step), again(name), itertools.count(), again(""), cells)
        else:
            for i, line in enumerate(cells):  # a model may hold a table of millions
                yield from zip(again(step), again(name), again(i), itertools.count(), line)


def _cells(array: Array) -> Any:
    """What is written for every number of an array, as lists; a number that is none of the real ones has no text."""
    if array.dtype.kind in "biuU" or (array.dtype.kind == "f" and np.isfinite(array).all()):
        return array.tolist()  # each is written in the shortest form that reads back as the same number
    cells = np.empty(array.shape, dtype=object)
    for place, item in np.ndenumerate(array):
        cells[place] = _cell(item.item() if isinstance(item, np.generic) else item)
    return cells.tolist()


def data_csv(data: Data, predictions: Array | None = None, of_classes: bool = True) -> str:
    """The items as a table with their target and, where given, the prediction beside it.

    ``of_classes`` says that predicted whole numbers are classes, to be written by name; clusters keep their numbers.
    """
    columns = data.columns()
    if predictions is not None:
        named = of_classes and data.classes and predictions.dtype.kind in "iu"
        counted_from = 1 if isinstance(data, Sequences) else 0  # states are counted from 1, as in the column beside it
        values = (predictions + counted_from).tolist()
        columns[free_name("predicted", columns)] = [data.classes[k] for k in values] if named else values
    return _csv([list(columns), *zip(*([_cell(item) for item in column] for column in columns.values()))])


def predictions_csv(outcome: Outcome) -> str:
    """The items with the prediction of the latest state."""
    predicted = outcome.predictions()
    if predicted is None:
        raise DataError(f"{outcome.algorithm.title} predicts nothing for these data.")
    return data_csv(outcome.data, predicted, of_classes=outcome.algorithm.target != "none")


def metrics_csv(metrics: Mapping[str, Array]) -> str:
    """The metric curves: one row a step."""
    count = max((len(values) for values in metrics.values()), default=0)
    rows = ([step, *(_cell(float(values[step])) for values in metrics.values())] for step in range(count))
    return _csv([["step", *metrics], *rows])


def _cell(value: Any) -> Any:
    """A number in the shortest form that reads back as the same number; nothing where there is none."""
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value


def _csv(rows: Iterable[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


# -- NPZ --------------------------------------------------------------------------------------------------------------


def data_arrays(data: Data) -> dict[str, Array]:
    """The numbers and the names; none of them needs pickle to be read."""
    texts = {key: np.array(value) for key, value in data.facts().items() if value not in ("", [], None)}
    return {**data.arrays(), **{key: array for key, array in texts.items() if array.dtype.kind in "Uiufb"}}


def _outcome_arrays(outcome: Outcome) -> dict[str, Array]:
    """Named arrays of the model, ``about`` as JSON text, ``metrics.NAME``, ``predictions``.

    With several states, an array that changes from step to step but keeps its shape is stacked along a new first axis;
    one whose shape changes too is written as ``NAME.step7``. ``about`` lists the stacked ones as ``stacked``, and
    ``at_steps`` says which steps they are.
    """
    arrays: dict[str, Array] = {"at_steps": np.array(list(outcome.models))}
    stacked: list[str] = []
    if len(outcome.models) == 1:
        arrays |= {name: np.asarray(value) for name, value in flatten(outcome.last[1]).items()}
    else:
        constant, changing = split(outcome.models)
        arrays |= {name: np.asarray(value) for name, value in constant.items()}
        for name in dict.fromkeys(key for leaves in changing.values() for key in leaves):
            found = {step: np.asarray(leaves[name]) for step, leaves in changing.items() if name in leaves}
            if len(found) == len(changing) and len({array.shape for array in found.values()}) == 1:
                arrays[name] = np.stack(list(found.values()))
                stacked.append(name)
            else:
                arrays |= {f"{name}.step{step}": array for step, array in found.items()}
    arrays |= {f"metrics.{name}": values for name, values in outcome.metrics.items()}
    predicted = outcome.predictions()
    if predicted is not None:
        arrays["predictions"] = predicted
    return arrays | {"about": np.array(json.dumps(about(outcome) | {"stacked": stacked}, ensure_ascii=False))}


def _npz(arrays: Mapping[str, Array]) -> bytes:
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()
