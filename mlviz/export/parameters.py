"""Fitted parameters and the numbers of every step as JSON, for other programs. No Qt."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.contract import Algorithm, Stop
from algorithms.dataset import Array, Points
from algorithms.params import as_dict
from mlviz import __version__


def fitted(
    algorithm: Algorithm,
    data: Points,
    params: Any,
    seed: int,
    model: Any,
    stop: Stop,
    metrics: Mapping[str, Array],
) -> dict[str, Any]:
    """Everything about a finished run that can be written down: what was run, on what, and what came out.

    ``model`` is the last state, whose fields become named lists; ``metrics`` hold one number for every step.
    """
    steps = max((len(values) for values in metrics.values()), default=0)
    return {
        "program": "mlviz",
        "version": __version__,
        "algorithm": algorithm.key,
        "title": algorithm.title,
        "params": plain(as_dict(params)),
        "seed": seed,
        "data": {
            "name": data.name,
            "points": data.n,
            "features": list(data.features),
            "target": data.target or None,
            "classes": list(data.classes),
        },
        "stop": stop.value,
        "steps": steps,
        "metrics": plain(metrics),
        "model": plain(model),
    }


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
    return repr(value)


def _layout(value: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        rows = (f"{deeper}{json.dumps(key)}: {_layout(item, deeper)}" for key, item in value.items())
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[\n" + ",\n".join(deeper + _layout(item, deeper) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
