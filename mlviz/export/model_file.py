"""A fitted model in a file, and the predictions that it makes for the rows of another table. No Qt, no pickle.

The model is written as the values of its dataclasses, each under the name of its class; only frozen dataclasses,
enumerations and functions of :mod:`algorithms` are made again from a file. Beside it stands how the table was read: the
columns by name, the words of categories, what fills a gap, the scale.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms import registry
from algorithms.contract import Algorithm, FrozenDict
from algorithms.data import Array, DataError, Points
from algorithms.data.coding import as_categories, as_indicators
from algorithms.data.scaling import Scaling
from algorithms.structure import frozen
from mlviz.data.table import Column, Table

FORMAT = 1
MOST_DEPTH = 40
NO_MODEL = "{file} holds no model that can predict: write one with mlviz fit KEY --out FILE.json."


# -- what a file holds ------------------------------------------------------------------------------------------------


def predictor(algorithm: Algorithm, data: Points, scaling: Scaling, model: Any) -> dict[str, Any]:
    """What is needed to answer for the rows of another table, as plain values."""
    given = as_categories(scaling.undone(data))
    named = dict(given.categories)
    columns = [
        {"name": name, "words": list(named[j]) if j in named else None, "fill": _fill(given.X[:, j], j in named)}
        for j, name in enumerate(given.features)
    ]
    return {
        "format": FORMAT,
        "algorithm": algorithm.key,
        "columns": columns,
        "indicators": bool(data.indicators),
        "scaling": {"kind": scaling.kind, "shift": list(scaling.shift), "factor": list(scaling.factor)},
        "target": data.target,
        "classes": list(data.classes),
        "model": encoded(model),
    }


def _fill(values: Array, coded: bool) -> float:
    """What stands for a gap: the median, or the commonest code."""
    if not coded:
        return float(np.median(values))
    codes, counts = np.unique(values, return_counts=True)
    return float(codes[counts.argmax()])


@dataclasses.dataclass(frozen=True)
class Predictor:
    """A model from a file, and how it reads a table."""

    algorithm: Algorithm
    model: Any
    columns: tuple[tuple[str, tuple[str, ...] | None, float], ...]
    indicators: bool
    scaling: Scaling
    target: str
    classes: tuple[str, ...]

    @classmethod
    def of(cls, found: Any, file: str) -> Predictor:
        """The model of a file, or a :class:`DataError` that says why there is none."""
        try:
            if found["format"] != FORMAT:
                raise DataError(f"{file} was written by a newer version of mlviz.")
            scaling = found["scaling"]
            kinds = tuple(
                (
                    str(entry["name"]),
                    None if entry["words"] is None else tuple(map(str, entry["words"])),
                    float(entry["fill"]),
                )
                for entry in found["columns"]
            )
            return cls(
                registry.find(str(found["algorithm"])),
                decoded(found["model"]),
                kinds,
                bool(found["indicators"]),
                Scaling(scaling["kind"], tuple(map(float, scaling["shift"])), tuple(map(float, scaling["factor"]))),
                str(found["target"]),
                tuple(map(str, found["classes"])),
            )
        except DataError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, ImportError) as error:
            raise DataError(
                f"{file} holds no model that can predict: write one with mlviz fit KEY --out FILE.json."
            ) from error

    def rows_of(self, table: Table) -> tuple[Array, tuple[str, ...]]:
        """The rows (n, d) as the model wants them, and what was filled in, in sentences."""
        by_name = {column.name: column for column in table.columns}
        missing = [name for name, _, _ in self.columns if name not in by_name]
        if missing:
            some = ", ".join(map(repr, missing[:6])) + (" ..." if len(missing) > 6 else "")
            raise DataError(f"{table.file} has no column {some}, which the model was trained on.")
        notes: list[str] = []
        numbers = [self._numbers(by_name[name], words, fill, notes) for name, words, fill in self.columns]
        names = tuple(name for name, _, _ in self.columns)
        coded = tuple((j, words) for j, (_, words, _) in enumerate(self.columns) if words is not None)
        rows = Points(np.column_stack(numbers), features=names, categories=coded)
        return self.scaling.applied((as_indicators(rows) if self.indicators else rows).X), tuple(notes)

    def _numbers(self, column: Column, words: tuple[str, ...] | None, fill: float, notes: list[str]) -> Array:
        values = _codes(column, words) if words is not None else _measured(column)
        gaps = ~np.isfinite(values)
        if gaps.any():
            what = repr(words[int(fill)]) if words is not None else f"{fill:.6g}"
            count = int(gaps.sum())
            verb = "is" if count == 1 else "are"
            notes.append(f"{count:,} of {len(values):,} values of {column.name!r} {verb} missing: {what} is used.")
        return np.where(gaps, fill, values)

    def predictions(self, X: Array) -> list[Any]:
        """The answer for every row, classes by name."""
        assert self.algorithm.predict is not None
        answers = np.asarray(self.algorithm.predict(self.model, X)).tolist()
        return [self.classes[int(answer)] for answer in answers] if self.classes else answers


def _measured(column: Column) -> Array:
    if column.is_text:
        raise DataError(f"The column {column.name!r} holds words; the model was trained on numbers there.")
    return column.values


def _codes(column: Column, words: tuple[str, ...]) -> Array:
    """The codes of the words that were there in training; another word gets a sentence."""
    place = {word: code for code, word in enumerate(words)}
    if column.levels is None:
        texts = ["" if gap else f"{value:.10g}" for value, gap in zip(column.values.tolist(), column.missing.tolist())]
    else:
        texts = [column.levels[value] if value >= 0 else "" for value in column.values.tolist()]
    unknown = next((row for row, text in enumerate(texts) if text and text not in place), None)
    if unknown is not None:
        some = ", ".join(map(repr, words[:6])) + (" ..." if len(words) > 6 else "")
        raise DataError(
            f"Row {unknown + 1} of {column.name!r} is {texts[unknown]!r}, a category that the model has not seen; "
            f"it knows {some}."
        )
    return np.array([place.get(text, np.nan) for text in texts], dtype=np.float64)


# -- values as text ---------------------------------------------------------------------------------------------------


def encoded(value: Any) -> Any:
    """The value as lists, dictionaries, numbers and texts, exact to the last bit."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        if array.dtype.kind not in "biufcU":
            raise DataError(f"A model with an array of {array.dtype} cannot be written.")
        return {
            "array": base64.b64encode(array.tobytes()).decode(),
            "type": array.dtype.str,
            "shape": list(np.shape(value)),
        }
    if isinstance(value, enum.Enum):
        return {"enum": _name_of(type(value)), "name": value.name}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"class": _name_of(type(value)), "fields": fields}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"named": _name_of(type(value)), "items": [encoded(item) for item in value]}
    if isinstance(value, list | tuple):
        return {"list" if isinstance(value, list) else "tuple": [encoded(item) for item in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[encoded(key), encoded(item)] for key, item in value.items()]}
    if callable(value):
        return {"function": _name_of(value)}
    raise DataError(f"A model with a {type(value).__name__} cannot be written.")


def decoded(value: Any, depth: int = 0) -> Any:
    """The value that :func:`encoded` wrote; ValueError for anything else."""
    if depth > MOST_DEPTH:
        raise ValueError("too deep")
    if value is None or isinstance(value, bool | str | int):
        return value
    if not isinstance(value, dict):
        raise ValueError("neither a value nor one of the kinds")
    deeper = depth + 1
    if "float" in value:
        return float.fromhex(value["float"])
    if "array" in value:
        kind = np.dtype(value["type"])
        if kind.kind not in "biufcU":
            raise ValueError("no array of numbers or texts")
        array = (
            np.frombuffer(base64.b64decode(value["array"], validate=True), dtype=kind).reshape(value["shape"]).copy()
        )
        return array[()] if array.ndim == 0 else frozen(array)
    if "enum" in value:
        return _found(value["enum"], enum.EnumMeta)[value["name"]]
    if "class" in value:
        made: Any = _found(value["class"], type)
        if not dataclasses.is_dataclass(made):
            raise ValueError("no dataclass")
        fields = {name: decoded(item, deeper) for name, item in value["fields"].items()}
        make: Any = made
        return make(**{field.name: fields[field.name] for field in dataclasses.fields(made) if field.init})
    if "named" in value:
        return _found(value["named"], type)(*[decoded(item, deeper) for item in value["items"]])
    if "mapping" in value:
        return FrozenDict({decoded(key, deeper): decoded(item, deeper) for key, item in value["mapping"]})
    if "function" in value:
        return _found(value["function"], object)
    if "tuple" in value:
        return tuple(decoded(item, deeper) for item in value["tuple"])
    return [decoded(item, deeper) for item in value["list"]]


def _name_of(thing: Any) -> str:
    module, name = thing.__module__, thing.__qualname__
    if not module.startswith("algorithms.") or "<" in name:
        raise DataError(f"A model with {name} cannot be written.")
    return f"{module}:{name}"


def _found(name: Any, kind: type) -> Any:
    """A class or a function of our algorithms by its name; nothing else is ever looked up."""
    module, _, path = str(name).partition(":")
    if not module.startswith("algorithms.") or not all(
        part.isidentifier() for part in (module + "." + path).split(".")
    ):
        raise ValueError("not one of our own")
    thing: Any = importlib.import_module(module)
    for part in path.split("."):
        if part.startswith("__"):
            raise ValueError("not one of our own")
        thing = getattr(thing, part)
    if not isinstance(thing, kind) or not str(getattr(thing, "__module__", "")).startswith("algorithms."):
        raise ValueError("not one of our own")
    return thing
