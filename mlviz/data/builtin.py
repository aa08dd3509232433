"""Real data that comes with the laboratory: small, famous, with source and licence in ``assets/datasets/SOURCES.md``.

A built-in set is declared like a generator, so that the form, the palette and the command line treat both alike. The
one parameter of a table is the target: every column can be the one to predict. Sets of other kinds stand in modules of
their own (``builtin_graphs`` ...) and are gathered in :func:`all_builtin`.
"""

from __future__ import annotations

import csv
import dataclasses
import difflib
import gzip
import io
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from algorithms.data import Array, Data, DataError, Points
from algorithms.params import Doc, Field, as_dict, schema, validated
from algorithms.records import dataclass
from mlviz import paths

NO_TARGET = "none"


@dataclass(frozen=True, slots=True)
class Builtin:
    """Data of one kind in the assets. ``read`` makes the value of the text of the file.

    A file with several sets has ``choices``, one of which is the parameter ``which``; ``read`` is then asked for it.
    """

    name: str
    title: str
    doc: str
    file: str
    group: str
    kind: str
    read: Callable[..., Data]
    choices: tuple[str, ...] = ()

    @property
    def params(self) -> type:
        """What can be chosen, as a frozen dataclass."""
        return _choice(self)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters."""
        return schema(self.params)

    def generate(self, **values: Any) -> Any:
        """The data, read once."""
        return _data(self, *as_dict(validated(self.params, values, owner=self.name)).values())


@dataclass(frozen=True, slots=True)
class BuiltinTable:
    """A table in the assets. ``labels`` names its class column, which is the last one; empty when it has none."""

    name: str
    title: str
    doc: str
    file: str
    labels: str = ""
    axes: tuple[int, int] = (0, 1)
    """The two features worth looking at first."""
    value: str = ""
    """The column of numbers that is usually predicted, where there is one."""
    image_shape: tuple[int, int] | None = None
    """Where the features of a row are the pixels of a picture."""
    group: ClassVar[str] = "tables"
    kind: ClassVar[str] = "points"

    @property
    def params(self) -> type:
        """What can be chosen, as a frozen dataclass."""
        return _params(self)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters."""
        return schema(self.params)

    def generate(self, **values: Any) -> Points:
        """The points. A feature that is chosen as the target is no feature any more; the classes are left out then."""
        target = as_dict(validated(self.params, values, owner=self.name))["target"]
        header, X, labels = _table(self)
        whole: dict[str, Any] = {"features": header, "name": self.name, "image_shape": self.image_shape}
        if self.labels and target == self.labels:
            return Points.of(X, labels, "classes", target=target, **whole)
        if target == NO_TARGET:
            return Points.of(X, **whole)
        column = header.index(target)
        rest = tuple(name for name in header if name != target)
        return Points(np.delete(X, column, axis=1), X[:, column], features=rest, target=target, name=self.name)


_TABLES = (
    BuiltinTable(
        "iris",
        "Iris",
        "Three species of iris, 150 flowers: one species stands apart, two overlap a little.",
        "iris.csv",
        "species",
        (2, 3),
    ),
    BuiltinTable(
        "wine",
        "Wine",
        "Chemistry of 178 Italian wines from three cultivars; the features have very different scales.",
        "wine.csv",
        "cultivar",
        (0, 6),
    ),
    BuiltinTable(
        "breast_cancer",
        "Breast cancer",
        "Cell nuclei of 569 tumours, malignant or benign: 30 features, many of them strongly correlated.",
        "breast_cancer.csv.gz",
        "diagnosis",
        (0, 1),
    ),
    BuiltinTable(
        "digits",
        "Handwritten digits",
        "1,797 handwritten digits as 8×8 grey levels: 64 features.",
        "digits.csv.gz",
        "digit",
        (36, 21),
        image_shape=(8, 8),
    ),
    BuiltinTable(
        "old_faithful",
        "Old Faithful",
        "272 eruptions of a geyser: how long each lasted and the waiting time for the next, in minutes.",
        "old_faithful.csv",
    ),
    BuiltinTable(
        "diabetes",
        "Diabetes",
        "442 patients, ten measurements each, and how far the disease had gone a year later: the table of the lasso.",
        "diabetes.csv",
        axes=(2, 8),
        value="progression",
    ),
)


def all_builtin() -> tuple[Builtin | BuiltinTable, ...]:
    """Every built-in data set: the tables, then those of other kinds."""
    from mlviz.data.builtin_distances import DISTANCES
    from mlviz.data.builtin_graphs import GRAPHS
    from mlviz.data.builtin_points import POINTS
    from mlviz.data.builtin_sequences import SEQUENCES
    from mlviz.data.builtin_strings import STRINGS

    return *_TABLES, *POINTS, *GRAPHS, *DISTANCES, *SEQUENCES, *STRINGS


def find_builtin(name: str) -> Builtin | BuiltinTable:
    """The built-in set of this name, or a :class:`DataError` with the nearest name as a suggestion."""
    for item in all_builtin():
        if item.name == name:
            return item
    names = [item.name for item in all_builtin()]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "there are " + ", ".join(names) + "."
    raise DataError(f"There is no built-in data set {name!r}; {hint}")


def load_builtin(name: str, target: str | None = None) -> Any:
    """The data of a built-in set; ``target`` is a column of a table by name or by number counted from 1."""
    item = find_builtin(name)
    if target is None:
        return item.generate()
    if isinstance(item, Builtin):
        raise DataError(f"{name} is no table of points; it has no target column to choose.")
    columns = [*_table(item)[0], *([item.labels] if item.labels else [])]
    if target.isascii() and target.isdigit() and 1 <= int(target[:9]) <= len(columns):
        target = columns[int(target[:9]) - 1]
    target = target or NO_TARGET
    if target not in (*columns, NO_TARGET):
        near = difflib.get_close_matches(target, columns, n=1)
        some = ", ".join(columns[:12]) + (" ..." if len(columns) > 12 else "")
        hint = f"did you mean {near[0]!r}?" if near else f"it has {some}."
        raise DataError(f"{name} has no column {target!r}; {hint}")
    return item.generate(target=target)


@cache
def _data(item: Builtin, *chosen: str) -> Data:
    return item.read(_text(item.file), *chosen).renamed(item.name)


@cache
def _choice(item: Builtin) -> type:
    if not item.choices:
        return _params_class(item.name, [])
    choices = item.choices
    kind = Annotated[Literal[choices], Doc("Which one of them.")]  # type: ignore[valid-type]
    return _params_class(item.name, [("which", kind, dataclasses.field(default=item.choices[0]))])


def _params_class(name: str, fields: list[Any]) -> type:
    title = "".join(part.capitalize() for part in name.split("_")) + "Params"
    return dataclasses.make_dataclass(title, fields, frozen=True, slots=True)


@cache
def _params(item: BuiltinTable) -> type:
    header = _table(item)[0]
    default = item.labels or item.value or NO_TARGET
    choices = tuple(dict.fromkeys([default, NO_TARGET, *header]))
    kind = Annotated[Literal[choices], Doc("What is to be predicted.")]  # type: ignore[valid-type]
    return _params_class(item.name, [("target", kind, dataclasses.field(default=default))])


@cache
def _table(item: BuiltinTable) -> tuple[tuple[str, ...], Array, Array | None]:
    """The feature names, the features (locked) and the class of each row."""
    header, *rows = csv.reader(io.StringIO(_text(item.file)))
    width = len(header) - bool(item.labels)
    X = np.array([row[:width] for row in rows], dtype=np.float64)
    X.flags.writeable = False
    labels = np.array([row[-1] for row in rows]) if item.labels else None
    return tuple(header[:width]), X, labels


def _text(file: str) -> str:
    raw = (paths.assets() / "datasets" / file).read_bytes()
    return (gzip.decompress(raw) if file.endswith(".gz") else raw).decode("utf-8")
