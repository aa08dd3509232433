"""One parameter as the rest of the program sees it: values are checked, read from texts and put into words here."""

from __future__ import annotations

import itertools
import keyword
import math
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from algorithms.maths.expressions import ExpressionError, parse_expression
from algorithms.maths.kernel_expressions import parse_kernel
from algorithms.maths.words import SentenceError
from algorithms.params.markers import PointList, Suggest, Suits, When
from algorithms.records import dataclass

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
    zero: str = ""
    """What 0 stands for."""
    up_to: str = ""
    """What in the data there is a number of, where the knob goes no farther than that: items, features or columns."""
    log: bool = False
    live: bool = False
    handles: bool = False
    advanced: bool = False
    group: str = ""
    when: When | None = None
    suits: Suits | None = None
    suggest: Suggest | None = None
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

    def suited(self, values: Mapping[str, Any]) -> Any:
        """The default beside these other values."""
        pairs = () if self.suits is None else self.suits.pairs
        wanted = None if self.suits is None else values.get(self.suits.name)
        return next((own for other, own in pairs if other == wanted), self.default)

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
