"""What a run has learned, as plain values: fitted parameters, predictions and metric curves. No Qt.

``Outcome`` is the run as it is to be written down; :mod:`mlviz.export.tables` writes it as JSON, CSV or NPZ.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, Data
from algorithms.params import as_dict
from mlviz import __version__


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """One recorded run, or the part of it that is to be written.

    Parameters
    ----------
    stop : str
        Why the run ended (``converged`` ...), or ``running`` when it has not.
    reason : str
        The same in the words that the window shows.
    metrics : mapping of name to array
        One number for every step.
    models : mapping of step to model
        The states to write, in the order of their steps: one, or all of them.
    resumed : bool
        Whether the run went on from an earlier state, so that the seed alone does not give it again.
    warnings : tuple of str
        What deserves doubt in these states, each sentence once.
    """

    algorithm: Algorithm
    data: Data
    params: Any
    seed: int
    stop: str
    reason: str
    metrics: Mapping[str, Array]
    models: Mapping[int, Any]
    resumed: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """How many steps led from the initial state to the last one."""
        return max((len(values) for values in self.metrics.values()), default=len(self.models)) - 1

    @property
    def last(self) -> tuple[int, Any]:
        """The latest of the states to write, with its step."""
        return max(self.models.items(), key=lambda item: item[0])

    def predictions(self) -> Array | None:
        """The predicted class number or value of each item by the latest state; None where nothing is predicted."""
        if self.algorithm.predict is None:
            return None
        return np.asarray(self.algorithm.predict(self.last[1], self.data.query()))


def about(outcome: Outcome) -> dict[str, Any]:
    """What was run, on what and by which program: enough to run it again and to know that it is the same."""
    data = outcome.data
    return {
        "program": "mlviz",
        "version": __version__,
        "algorithm": outcome.algorithm.key,
        "title": outcome.algorithm.title,
        "params": plain(as_dict(outcome.params)),
        "seed": outcome.seed,
        "data": {"name": data.name, **data.about(), "sha256": data.sha256},
        "stop": outcome.stop,
        "reason": outcome.reason,
        "resumed": outcome.resumed,
        "steps": outcome.steps,
        "warnings": list(outcome.warnings),
    }


def fitted(outcome: Outcome) -> dict[str, Any]:
    """The whole outcome as plain values.

    One state is ``model``, nested as the algorithm declares it. Of several states, what never changes is written once
    under ``constant`` and the rest for each step under ``models``, both by dotted names.
    """
    record = about(outcome) | {"metrics": plain(outcome.metrics)}
    predicted = outcome.predictions()
    if predicted is not None:
        record["predictions"] = plain(predicted)
    if len(outcome.models) == 1:
        step, model = outcome.last
        return record | {"step": step, "model": plain(model)}
    constant, changing = split(outcome.models)
    record["constant"] = plain(constant)
    record["models"] = [{"step": step, "model": plain(leaves)} for step, leaves in changing.items()]
    return record


def split(models: Mapping[int, Any]) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """The named leaves that are the same in all states, and those of each step that are not."""
    flat = {step: flatten(model) for step, model in models.items()}
    rows = list(flat.values())
    first = rows[0]
    constant = {name: value for name, value in first.items() if all(_alike(row.get(name), value) for row in rows[1:])}
    return constant, {
        step: {name: value for name, value in row.items() if name not in constant} for step, row in flat.items()
    }


def _alike(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return type(one) is type(other) and not isinstance(one, np.ndarray) and bool(one == other)


def flatten(value: Any, name: str = "") -> dict[str, Any]:
    """Every array, number and text inside, by its dotted name: ``centres``, ``machines[0].alpha``."""
    if isinstance(value, Mapping):
        parts = [(f"{name}.{key}" if name else str(key), item) for key, item in value.items()]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        parts = [(f"{name}.{field.name}" if name else field.name, getattr(value, field.name)) for field in fields]
    elif isinstance(value, list | tuple):
        if value and all(isinstance(item, int | float) for item in value):
            return {name: np.asarray(value)}
        parts = [(f"{name}[{i}]", item) for i, item in enumerate(value)]
    elif value is None:
        return {}
    else:
        return {name: value if isinstance(value, np.ndarray | np.generic | str | int | float) else plain(value)}
    found: dict[str, Any] = {}
    for key, item in parts:
        found.update(flatten(item, key))
    return found


def as_json(value: Any) -> str:
    """The text of the file: indented, but every list of numbers on one line."""
    return _layout(value, "") + "\n"


def plain(value: Any) -> Any:
    """The same as dictionaries, lists, numbers and texts. JSON has no infinity: what is not finite becomes null."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if callable(value):  # its repr would name an address, another one in every run
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    return repr(value)


def _layout(value: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        rows = (f"{deeper}{json.dumps(key)}: {_layout(item, deeper)}" for key, item in value.items())
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[\n" + ",\n".join(deeper + _layout(item, deeper) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
