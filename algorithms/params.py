"""Parameters, declared once.

A parameter is a field of a frozen ``Params`` dataclass whose annotation carries its range, its scale and its
explanation. The form, the messages, the session file, the command line and the contract checks all read this one
declaration through :func:`schema`; nothing about a parameter is written a second time.

    @dataclass(frozen=True, slots=True)
    class Params:
        k: Annotated[int, Between(1, 20), Doc("Number of clusters.")] = 3
        tol: Annotated[float, Between(1e-9, 1e-1), Log, Doc("Stop when the gain falls below this.")] = 1e-6
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import keyword
import math
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from algorithms.calls import MAX_LETTERS as MOST_CALL_LETTERS
from algorithms.maths.expressions import MAX_LETTERS, ExpressionError, parse_expression
from algorithms.maths.kernel_expressions import parse_kernel
from algorithms.maths.words import SentenceError

T = TypeVar("T")
Kind = Literal[
    "int", "float", "bool", "choice", "ints", "floats", "points", "matrix", "expression", "kernel", "method", "text"
]


MOST_NUMBERS, MOST_POINTS = 64, 10_000
"""How many a list may hold."""
NOTHING = 1e-100
"""A number closer to 0 is taken for 0: its square is 0 as well, and nobody can mean it."""


class ParamError(SentenceError):
    """A parameter value that was refused; the message is a full sentence naming the parameter."""


@dataclass(frozen=True, slots=True)
class Between:
    """The closed range a number must lie in (for ``ints``: each of the numbers)."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Doc:
    """One sentence for the student: what the knob does."""

    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """What the number is counted in, shown behind the value."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """The section of the form in which the knob stands, for a method with many of them."""

    text: str


@dataclass(frozen=True, slots=True)
class When:
    """The parameter matters only while another one has one of these values; the form greys it out otherwise."""

    name: str
    values: tuple[Any, ...]

    def __init__(self, name: str, *values: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, slots=True)
class MatrixOf:
    """A ``PointList`` that is a small matrix, with so many rows and columns; 0 stands for any number up to ``most``."""

    rows: int = 0
    columns: int = 0
    most: int = 8


@dataclass(frozen=True, slots=True)
class Letters:
    """The most letters that a text may have."""

    most: int = 200


@dataclass(frozen=True, slots=True)
class Expression:
    """A text that is a formula of these variables, such as ``x**3 - 2*x``; see :mod:`algorithms.maths.expressions`."""

    variables: tuple[str, ...] = ("x",)

    def __init__(self, *variables: str) -> None:
        object.__setattr__(self, "variables", variables or ("x",))


@dataclass(frozen=True, slots=True)
class KernelExpression:
    """A text that is made of kernels, such as ``0.5*rbf(sigma=1) + poly(degree=2)``; see ``kernel_expressions``."""


@dataclass(frozen=True, slots=True)
class MethodOf:
    """A text that is another method with its parameters, for a purpose; see :mod:`algorithms.method_choice`."""

    purpose: Literal["predictor", "classifier", "regression", "clustering"] = "predictor"


@dataclass(frozen=True, slots=True)
class Marker:
    """A flag without a value; see ``Log``, ``Live``, ``Handles`` and ``Advanced``."""

    name: str


Log: Final = Marker("log")
"""The knob moves by factors, not by differences."""
Live: Final = Marker("live")
"""Changing it goes on from the current model instead of starting again."""
Handles: Final = Marker("handles")
"""A ``points`` parameter shown as handles that can be dragged on the plane."""
Advanced: Final = Marker("advanced")
"""Folded away in the form until asked for."""

PointList = tuple[tuple[float, ...], ...]
"""The type of a ``points`` parameter: positions in data coordinates."""


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter as the rest of the program sees it."""

    name: str
    kind: Kind
    default: Any
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    log: bool = False
    live: bool = False
    handles: bool = False
    advanced: bool = False
    group: str = ""
    when: When | None = None
    rows: int = 0
    columns: int = 0
    most: int = 0
    """Of a matrix: rows and columns (0: free) and the most of either; of a text, a list: the most letters, items."""
    variables: tuple[str, ...] = ()
    purpose: str = ""
    """What a method is wanted for."""

    @property
    def attribute(self) -> str:
        """The name inside ``Params``: a parameter that is called like a word of Python has an underscore there."""
        return self.name + "_" if keyword.iskeyword(self.name) else self.name

    @property
    def label(self) -> str:
        """The name as people read it: ``max_steps`` becomes ``max steps``."""
        return self.name.replace("_", " ")

    def relevant(self, values: Mapping[str, Any]) -> bool:
        """Whether the parameter has any effect beside these other values."""
        return self.when is None or values.get(self.when.name) in self.when.values

    def describe(self) -> str:
        """The allowed values in words, as used in messages: ``a whole number from 1 to 20``."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "bool":
            return "true or false"
        if self.kind == "points":
            return "a list of points such as [[0, 1], [2, 3]]"
        if self.kind == "text":
            return f"a text of at most {self.most} letters"
        if self.kind == "kernel":
            return f"an expression of kernels such as {self.default}"
        if self.kind == "method":
            return f"a method with its parameters such as {self.default}"
        if self.kind == "expression":
            return f"a formula in {', '.join(self.variables)} such as {self.default}"
        span = f" from {_short(self.low)} to {_short(self.high)}"
        if self.kind == "matrix":
            size = f"{self.rows or 'some'} rows of {self.columns or 'some'} numbers"
            return f"a matrix with {size}{span}, such as [[1, 0], [0, 1]]"
        if self.kind in ("ints", "floats"):
            return f"a list of at most {self.most} {'whole ' if self.kind == 'ints' else ''}numbers{span}"
        return ("a whole number" if self.kind == "int" else "a number") + span

    def check(self, value: Any) -> Any:
        """The value in its proper type, or :class:`ParamError`."""
        try:
            return self._converted(value)
        except ParamError:
            raise
        except ExpressionError as error:
            what = "kernel" if self.kind == "kernel" else "formula"
            raise ParamError(f"{self.name} is no {what}: {error}") from error
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ParamError(f"{self.name} must be {self.describe()}; got {_shown(value)}.") from error

    def nearest(self, value: Any) -> Any:
        """The allowed value next to a number that was dragged somewhere; anything else is left as it is.

        A place on the screen has no more than a few digits, so the number gets no more either.
        """
        if self.kind not in ("int", "float") or self.low is None or self.high is None:
            return value
        inside = min(max(float(f"{float(value):.4g}"), self.low), self.high)
        return round(inside) if self.kind == "int" else inside

    def parse(self, text: str) -> Any:
        """The value written as on the command line (``3``, ``rbf``, ``true``, ``8,8`` or ``[[0,1],[2,3]]``)."""
        stripped = text.strip()
        if self.kind in ("int", "float"):
            return self.check(_number(stripped))
        if self.kind == "bool":
            return self.check({"true": True, "yes": True, "false": False, "no": False}.get(stripped.lower(), stripped))
        if self.kind in ("choice", "text", "expression", "kernel", "method"):
            return self.check(stripped)
        return self.check(_nested(stripped))

    def _converted(self, value: Any) -> Any:
        if self.kind == "choice":
            if value not in self.choices:
                raise ValueError(value)
            return str(value)
        if self.kind == "bool":
            if not isinstance(value, bool) and value not in (0, 1):
                raise ValueError(value)
            return bool(value)
        if self.kind == "int":
            return self._whole(value)
        if self.kind == "float":
            return self._inside(_as_float(value))
        if self.kind in ("text", "expression", "kernel", "method"):
            return self._text(value)
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | typing.Iterable):
            raise TypeError(value)
        value = list(itertools.islice(value, self.most + 1))
        if len(value) > self.most:
            raise ValueError(value)
        if self.kind == "ints":
            return tuple(self._whole(item) for item in value)
        if self.kind == "floats":
            return tuple(self._inside(_as_float(item)) for item in value)
        return self._positions(value) if self.kind == "points" else self._matrix(value)

    def _text(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > self.most or not value.isprintable():
            raise ValueError(value)
        if self.kind == "expression":
            parse_expression(value, self.variables)
        elif self.kind == "kernel":
            parse_kernel(value)
        elif self.kind == "method":
            return self._method(value)
        return value

    def _method(self, value: str) -> str:
        from algorithms.method_choice import parse_method  # which knows the methods, and they know this module

        try:
            return parse_method(value, self.purpose).text
        except SentenceError as error:
            raise ParamError(f"{self.name} cannot be {_shown(value)}: {error}") from error

    def _matrix(self, value: typing.Iterable[Any]) -> PointList:
        rows = self._positions(value)
        if not rows or len(rows) > self.most or len(rows[0]) > self.most:
            raise ValueError(value)
        if (self.rows and len(rows) != self.rows) or (self.columns and len(rows[0]) != self.columns):
            raise ValueError(value)
        for number in itertools.chain.from_iterable(rows):
            self._inside(number)
        return rows

    def _positions(self, value: typing.Iterable[Any]) -> PointList:
        positions = tuple(tuple(_finite(_as_float(item)) for item in point) for point in value)
        if len({len(position) for position in positions}) > 1 or () in positions:
            raise ValueError(value)
        return positions

    def _whole(self, value: Any) -> int:
        number = _as_float(value)
        if number != int(number):
            raise ValueError(value)
        self._inside(number)
        return int(number)

    def _inside(self, number: float) -> float:
        _finite(number)
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise ValueError(number)
        return number


def schema(params: type) -> tuple[Field, ...]:
    """The fields of a ``Params`` class, in the order of declaration.

    Raises
    ------
    TypeError
        When a field lacks a default, a ``Doc`` or (for a number) a ``Between``: an unfinished declaration is a
        programming error and is found by the contract checks.
    """
    return _schema(params)


@functools.cache
def _schema(params: typing.Hashable) -> tuple[Field, ...]:
    assert isinstance(params, type)
    hints = typing.get_type_hints(params, include_extras=True)
    return tuple(_field(params, item, hints[item.name]) for item in dataclasses.fields(params))


def _field(owner: type, item: dataclasses.Field[Any], hint: Any) -> Field:
    where = f"{owner.__module__}.{item.name}"
    extras: tuple[Any, ...] = ()
    if get_origin(hint) is typing.Annotated:
        hint, *rest = get_args(hint)
        extras = tuple(rest)
    by_type = {type(extra): extra for extra in extras}
    kind, choices = _kind(hint, where, by_type)
    flags = {extra.name for extra in extras if isinstance(extra, Marker)}
    if item.default is dataclasses.MISSING:
        raise TypeError(f"{where} has no default")
    if Doc not in by_type:
        raise TypeError(f"{where} has no Doc")
    if kind in ("int", "float", "ints", "floats", "matrix") and Between not in by_type:
        raise TypeError(f"{where} has no Between")
    span = by_type.get(Between)
    field = Field(
        name=item.name.removesuffix("_") if keyword.iskeyword(item.name.removesuffix("_")) else item.name,
        kind=kind,
        default=item.default,
        doc=by_type[Doc].text,
        low=span.low if span else None,
        high=span.high if span else None,
        choices=choices,
        unit=by_type[Unit].text if Unit in by_type else "",
        log="log" in flags,
        live="live" in flags,
        handles="handles" in flags,
        advanced="advanced" in flags,
        group=by_type[Group].text if Group in by_type else "",
        when=by_type.get(When),
        **_extent(kind, by_type),
    )
    try:
        kept = field.check(item.default)
    except ParamError as error:
        raise TypeError(f"{where} has a default outside its own declaration: {error}") from error
    if kept != item.default:
        raise TypeError(f"{where} has a default that would be changed to {kept!r}")
    return field


def _extent(kind: Kind, by_type: Mapping[type, Any]) -> dict[str, Any]:
    """How large a matrix or a text may be, and what a formula may speak of."""
    if kind == "matrix":
        matrix = by_type[MatrixOf]
        return {"rows": matrix.rows, "columns": matrix.columns, "most": max(matrix.rows, matrix.columns, matrix.most)}
    if kind == "expression":
        return {"most": MAX_LETTERS, "variables": by_type[Expression].variables}
    if kind == "kernel":
        return {"most": MAX_LETTERS}
    if kind == "method":
        return {"most": MOST_CALL_LETTERS, "purpose": by_type[MethodOf].purpose}
    if kind == "points":
        return {"most": MOST_POINTS}
    if kind in ("ints", "floats"):
        return {"most": MOST_NUMBERS}
    return {"most": by_type.get(Letters, Letters()).most} if kind == "text" else {}


_TEXTS: dict[type, Kind] = {Expression: "expression", KernelExpression: "kernel", MethodOf: "method"}


def _kind(hint: Any, where: str, by_type: Mapping[type, Any]) -> tuple[Kind, tuple[str, ...]]:
    if get_origin(hint) is Literal:
        return "choice", tuple(get_args(hint))
    simple: dict[Any, Kind] = {
        int: "int",
        float: "float",
        bool: "bool",
        str: next((name for marker, name in _TEXTS.items() if marker in by_type), "text"),
        tuple[int, ...]: "ints",
        tuple[float, ...]: "floats",
        PointList: "matrix" if MatrixOf in by_type else "points",
    }
    if hint in simple:
        return simple[hint], ()
    raise TypeError(f"{where} has the type {hint!r}, which is not a kind of parameter")


def validated(params: type[T], values: Mapping[str, Any], owner: str = "This algorithm") -> T:
    """A ``Params`` made of these values and the defaults, every one checked and refused by name."""
    fields = {field.name: field for field in schema(params)}
    for name in values:
        if name not in fields:
            raise ParamError(f"{owner} has no parameter {name!r}; it has {', '.join(fields) or 'none'}.")
    return params(**{fields[name].attribute: fields[name].check(value) for name, value in values.items()})


def as_dict(params: Any) -> dict[str, Any]:
    """The values by name, in the order of declaration; plain types that JSON can hold."""
    return {field.name: getattr(params, field.attribute) for field in schema(type(params))}


def json_schema(params: type) -> list[dict[str, Any]]:
    """The declaration as plain values, for ``mlviz list --json`` and other programs."""
    rows = []
    for field in schema(params):
        row = {key: value for key, value in dataclasses.asdict(field).items() if value not in (None, "", (), False)}
        row["default"] = field.default
        if field.when is not None:
            row["when"] = {field.when.name: list(field.when.values)}
        rows.append(row)
    return rows


def bad_values(field: Field) -> tuple[Any, ...]:
    """Values this field must refuse, *generated* from its declaration; the contract checks use them."""
    never: tuple[Any, ...] = (None, object(), "no such value")
    if field.kind == "choice":
        return (*never, 3.5)
    if field.kind == "bool":
        return (*never, 2, "maybe")
    if field.kind == "points":
        return (*never, 3, ((float("nan"), 0.0),), ((0.0, 1.0), (2.0,)))
    if field.kind == "text":
        return (None, object(), 3.5, "a" * (field.most + 1), "two\nlines")
    if field.kind in ("expression", "kernel", "method"):
        return (None, object(), 3.5, "", "1 +", "__import__('os')", "no_such_name + 1", "x" * (field.most + 1))
    assert field.low is not None
    assert field.high is not None
    below, above = math.nextafter(field.low - 1, -math.inf), math.nextafter(field.high + 1, math.inf)
    numbers: tuple[Any, ...] = (below, above, float("nan"), float("inf"))
    if field.kind == "ints":
        return (*never, 3, *((number,) for number in numbers), (field.low + 0.5,))
    if field.kind == "floats":
        return (*never, 3, *((number,) for number in numbers))
    if field.kind == "matrix":
        shape = (field.rows or 2, field.columns or 2)
        wrong = [((number,) * shape[1],) * shape[0] for number in numbers]
        return (*never, 3, (), ((field.low,) * (field.most + 1),) * shape[0], *wrong)
    if field.kind == "int":
        numbers = (*numbers, field.low + 0.5)
    return (*never, *numbers, (1, 2), True)


def _as_float(value: Any) -> float:
    if isinstance(value, bool | str | bytes) or value is None or getattr(value, "ndim", 0) > 0:
        raise TypeError(value)
    number = float(value)
    return 0.0 if abs(number) < NOTHING else number


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError(number)
    return number


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _nested(text: str) -> Any:
    import json

    body = text if text.startswith("[") else f"[{text}]"
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return text


def _short(number: float | None) -> str:
    if number is None:
        return "any"
    return str(int(number)) if number == int(number) and abs(number) < 1e7 else f"{number:g}"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return _short(value) if math.isfinite(value) else str(value)
    if isinstance(value, str | int | bool | tuple | list | types.NoneType):
        try:
            text = repr(value)
        except RecursionError:
            return "lists inside lists inside lists"
        return text if len(text) <= 60 else text[:57] + "..."
    return f"a {type(value).__name__}"
