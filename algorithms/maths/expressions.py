"""Formulae of one or two variables, typed by a user: read by our own rules, never run as Python.

A formula is parsed once into a tree of known operations; anything else is refused with the place where it stands. The
result works on arrays. Overflow and undefined places give infinities and NaN without a warning: the caller decides.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.records import dataclass

Array = NDArray[Any]

MAX_LETTERS = 200
MAX_DEPTH = 40
CONSTANTS = {"pi": float(np.pi), "e": float(np.e)}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "atan": np.arctan,
    "abs": np.abs,
    "sign": np.sign,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}


class ExpressionError(ValueError):
    """A formula that cannot be read; the message is a sentence that names the place."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read; call it with one array for each variable."""

    text: str
    variables: tuple[str, ...]

    def __call__(self, *values: Array) -> Array:
        """The values of the formula where its variables have these."""
        named = dict(zip(self.variables, (np.asarray(value, dtype=np.float64) for value in values), strict=True))
        with np.errstate(all="ignore"):
            found = _value(_tree(self.text, self.variables), named)
        return np.array(np.broadcast_to(found, np.broadcast_shapes(*(value.shape for value in named.values()))))


def parse_expression(text: str, variables: tuple[str, ...] = ("x",)) -> Formula:
    """The formula that a text means, or :class:`ExpressionError`."""
    _tree(text, variables)
    return Formula(text, variables)


@functools.lru_cache(maxsize=64)
def _tree(text: str, variables: tuple[str, ...]) -> ast.expr:
    if not text.strip():
        raise ExpressionError("nothing is written there.")
    if len(text) > MAX_LETTERS:
        raise ExpressionError(f"it has {len(text)} letters; at most {MAX_LETTERS} can be read.")
    try:
        body = ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = getattr(error, "offset", None) or len(text.strip())
        raise ExpressionError(f"it cannot be read at letter {place}.") from error
    _check(body, variables, MAX_DEPTH)
    return body


def _check(node: ast.expr, variables: tuple[str, ...], depth: int) -> None:
    place = f"at letter {node.col_offset + 1}"
    if depth == 0:
        raise ExpressionError("it is nested too deeply.")
    match node:
        case ast.Constant(value=bool()):
            raise ExpressionError(f"only numbers can stand {place}.")
        case ast.Constant(value=int() | float()):
            return
        case ast.Name(id=name) if name in variables or name in CONSTANTS:
            return
        case ast.Name(id=name):
            known = ", ".join([*variables, *CONSTANTS])
            raise ExpressionError(f"{name!r} {place} is unknown; there are {known}.")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            _check(inner, variables, depth - 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left, variables, depth - 1)
            _check(right, variables, depth - 1)
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in FUNCTIONS:
            _check(inner, variables, depth - 1)
        case ast.Call():
            raise ExpressionError(f"the function {place} is unknown; there are {', '.join(FUNCTIONS)}.")
        case _:
            raise ExpressionError(f"what stands {place} is not understood.")


def _value(node: ast.expr, values: Mapping[str, Array]) -> Any:
    match node:
        case ast.Constant(value=number):
            return float(number)  # type: ignore[arg-type]
        case ast.Name(id=name):
            return values[name] if name in values else CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=inner):
            return _value(inner, values) * (-1.0 if isinstance(op, ast.USub) else 1.0)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=[inner]):
            return FUNCTIONS[name](_value(inner, values))
    raise AssertionError(node)
