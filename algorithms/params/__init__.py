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
import keyword
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from algorithms.calls import MAX_LETTERS as MOST_CALL_LETTERS
from algorithms.maths.expressions import MAX_LETTERS
from algorithms.params.field import MOST_NUMBERS, MOST_POINTS, Field, Kind, ParamError, bad_values
from algorithms.params.markers import (
    Advanced,
    Between,
    Doc,
    Expression,
    Group,
    Handles,
    KernelExpression,
    Letters,
    Live,
    Log,
    Marker,
    MatrixOf,
    MethodOf,
    PointList,
    Suggest,
    Suits,
    Unit,
    UpTo,
    When,
    Zero,
)

__all__ = [
    "Advanced",
    "Between",
    "Doc",
    "Expression",
    "Field",
    "Group",
    "Handles",
    "KernelExpression",
    "Kind",
    "Letters",
    "Live",
    "Log",
    "MOST_NUMBERS",
    "MOST_POINTS",
    "Marker",
    "MatrixOf",
    "MethodOf",
    "ParamError",
    "PointList",
    "Suggest",
    "Suits",
    "Unit",
    "UpTo",
    "When",
    "Zero",
    "as_dict",
    "bad_values",
    "following",
    "json_schema",
    "schema",
    "suited",
    "validated",
]

T = TypeVar("T")


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
    if Zero in by_type and (span is None or span.low != 0):
        raise TypeError(f"{where} says what 0 stands for, but does not begin there")
    field = Field(
        name=item.name.removesuffix("_") if keyword.iskeyword(item.name.removesuffix("_")) else item.name,
        kind=kind,
        default=item.default,
        doc=by_type[Doc].text,
        low=span.low if span else None,
        high=span.high if span else None,
        choices=choices,
        unit=by_type[Unit].text if Unit in by_type else "",
        zero=by_type[Zero].text if Zero in by_type else "",
        up_to=by_type[UpTo].what if UpTo in by_type else "",
        log="log" in flags,
        live="live" in flags,
        handles="handles" in flags,
        advanced="advanced" in flags,
        group=by_type[Group].text if Group in by_type else "",
        when=by_type.get(When),
        suits=by_type.get(Suits),
        suggest=by_type.get(Suggest),
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


def suited(params: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """These values, and what suits them of the parameters that are not among them."""
    fields = schema(params)
    values = {field.name: field.default for field in fields} | dict(given)
    own = [field for field in fields if field.suits is not None and field.name not in given]
    return {**given, **{field.name: field.suited(values) for field in own}}


def following(params: type, values: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """What changes when one parameter is changed by hand: with it those that still had what suited it before."""
    after = {**values, name: value}
    return {name: value} | {
        field.name: field.suited(after)
        for field in schema(params)
        if field.suits is not None and field.suits.name == name and values[field.name] == field.suited(values)
    }


def as_dict(params: Any) -> dict[str, Any]:
    """The values by name, in the order of declaration; plain types that JSON can hold."""
    return {field.name: getattr(params, field.attribute) for field in schema(type(params))}


def json_schema(params: type) -> list[dict[str, Any]]:
    """The declaration as plain values, for ``mlviz list --json`` and other programs."""
    rows = []
    for field in schema(params):
        row = {key: value for key, value in dataclasses.asdict(field).items() if value not in (None, "", (), False)}
        row["default"] = field.default
        row.pop("suits", None)
        row.pop("suggest", None)
        if field.when is not None:
            row["when"] = {field.when.name: list(field.when.values)}
        rows.append(row)
    return rows
