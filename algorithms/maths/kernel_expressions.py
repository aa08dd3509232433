"""Kernels typed by a user, such as ``0.5*rbf(sigma=1) + poly(degree=2)``: read by a grammar of our own, never run.

    sum     = product { ("+" | "-") product }
    product = factor { "*" factor } { "/" number }
    factor  = [ "-" ] atom [ ("^" | "**") whole number ]
    atom    = number | "(" sum ")" | ("exp" | "abs") "(" sum ")" | name [ "(" [argument {"," argument}] ")" ]

Sums, products, positive multiples and powers of kernels are kernels, and so is every power series with coefficients
>= 0, such as exp(k). A convex function of a kernel need not be one: -k and |k| can be written, and the spectrum
shows what they are.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from algorithms.maths.expressions import MAX_LETTERS, ExpressionError
from algorithms.records import dataclass

Array = NDArray[Any]
MAX_DEPTH = 30
MAX_POWER = 10
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/^(),=]))")


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression: itself a function of two points. ``text`` is how it is written."""

    text: str

    @property
    def parts(self) -> tuple[Node, ...]:
        """What it is made of."""
        return ()

    @property
    def semidefinite(self) -> bool:
        """Whether it is a kernel by the rules; where not, it may be one all the same."""
        raise NotImplementedError

    @property
    def definite(self) -> bool:
        """Whether by the rules every eigenvalue is positive when no two points are equal."""
        return False

    def __call__(self, X: Array, Z: Array) -> Array:
        """All values between the rows of ``X`` and of ``Z``, (n, m)."""
        raise NotImplementedError

    def within(self) -> Iterator[Node]:
        """All parts, the innermost first, and this; numbers are left out."""
        for part in self.parts:
            yield from part.within()
        if not isinstance(self, Number):
            yield self


@dataclass(frozen=True, slots=True)
class Number(Node):
    """The constant kernel: the same for all points."""

    value: float

    @property
    def semidefinite(self) -> bool:
        """A constant feature, unless it is negative."""
        return self.value >= 0.0

    def __call__(self, X: Array, Z: Array) -> Array:
        return np.full((len(X), len(Z)), self.value)


@dataclass(frozen=True, slots=True)
class Named(Node):
    """One of the kernels that have a name."""

    name: str
    values: tuple[float, ...]

    @property
    def semidefinite(self) -> bool:
        """All of them but the sigmoid."""
        return self.name != "sigmoid" and not (self.name == "polynomial" and self.values[1] < 0.0)

    @property
    def definite(self) -> bool:
        """Their Fourier transforms are positive everywhere."""
        return self.name in ("rbf", "laplacian")

    def __call__(self, X: Array, Z: Array) -> Array:
        from algorithms.maths import kernels  # loaded when a kernel is used, not when the knobs are declared

        first, *rest = (*self.values, 0.0)
        makers: dict[str, Callable[[], kernels.Kernel]] = {
            "linear": kernels.Linear,
            "rbf": lambda: kernels.Gaussian(first),
            "laplacian": lambda: kernels.Laplacian(first),
            "sigmoid": lambda: kernels.Sigmoid(first, rest[0]),
        }
        if self.name == "polynomial":
            return _power(X @ Z.T + rest[0], int(first))
        return makers[self.name]()(X, Z)


@dataclass(frozen=True, slots=True)
class Pair(Node):
    """A sum, a difference or a product of two."""

    sign: Literal["+", "-", "*"]
    first: Node
    second: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        """Both."""
        return self.first, self.second

    @property
    def semidefinite(self) -> bool:
        """Of sums and products; a difference is not known to be a kernel."""
        return self.sign != "-" and self.first.semidefinite and self.second.semidefinite

    @property
    def definite(self) -> bool:
        """A definite kernel plus a kernel, and a definite kernel times another or times a positive number."""
        definite = [part.definite or (isinstance(part, Number) and part.value > 0.0) for part in self.parts]
        one = self.first.definite or self.second.definite
        return self.semidefinite and one and (self.sign == "+" or all(definite))

    def __call__(self, X: Array, Z: Array) -> Array:
        one, two = self.first(X, Z), self.second(X, Z)
        return one * two if self.sign == "*" else one + two if self.sign == "+" else one - two


@dataclass(frozen=True, slots=True)
class Function(Node):
    """The exponential, the absolute value or a power of another."""

    name: Literal["exp", "abs", "power"]
    inner: Node
    power: int = 1

    @property
    def parts(self) -> tuple[Node, ...]:
        """What it is a function of."""
        return (self.inner,)

    @property
    def semidefinite(self) -> bool:
        """A power series with coefficients >= 0 of a kernel; the absolute value has none."""
        return self.name != "abs" and self.inner.semidefinite

    @property
    def definite(self) -> bool:
        """A power series with positive coefficients of a definite kernel, by Schur's product theorem."""
        return self.name != "abs" and self.inner.definite

    def __call__(self, X: Array, Z: Array) -> Array:
        inner = self.inner(X, Z)
        if self.name == "power":
            return _power(inner, self.power)
        return np.exp(inner) if self.name == "exp" else np.abs(inner)


def _power(base: Array, exponent: int) -> Array:
    return base**exponent


@dataclass(frozen=True, slots=True)
class _Knob:
    name: str
    default: float
    low: float
    high: float
    whole: bool = False


_KERNELS: dict[str, tuple[_Knob, ...]] = {
    "linear": (),
    "polynomial": (_Knob("degree", 2, 1, MAX_POWER, True), _Knob("offset", 1.0, -100.0, 100.0)),
    "rbf": (_Knob("sigma", 1.0, 1e-6, 1e6),),
    "laplacian": (_Knob("sigma", 1.0, 1e-6, 1e6),),
    "sigmoid": (_Knob("slope", 1.0, -100.0, 100.0), _Knob("shift", 0.0, -100.0, 100.0)),
}
_SAME = {"poly": "polynomial", "gaussian": "rbf", "laplace": "laplacian"}
NAMES = ("linear", "poly", "rbf", "laplacian", "sigmoid", "exp", "abs")


@functools.lru_cache(maxsize=64)
def parse_kernel(text: str) -> Node:
    """The kernel that a text means, or :class:`ExpressionError` with the place at which it cannot be read."""
    if not text.strip():
        raise ExpressionError("nothing is written there.")
    if len(text) > MAX_LETTERS:
        raise ExpressionError(f"it has {len(text)} letters; at most {MAX_LETTERS} can be read.")
    return _Reader(text).whole()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Literal["number", "name", "sign", "end"]
    text: str
    at: int


class _Reader:
    """Recursive descent over the tokens of a text: one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.position = text, list(_tokens(text)), 0

    def whole(self) -> Node:
        node = self._sum(MAX_DEPTH)
        if self._now.kind != "end":
            raise self._wrong("is not expected there")
        if not any(True for _ in node.within()):
            return Pair(node.text, "*", node, Number("1", 1.0))  # a number alone: a constant kernel
        return node

    @property
    def _now(self) -> _Token:
        return self.tokens[self.position]

    def _take(self, *signs: str) -> str:
        """The token, where it is one of these signs, else nothing."""
        now = self._now
        if now.kind == "sign" and now.text in signs:
            self.position += 1
            return now.text
        return ""

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._wrong(f"stands where {sign!r} was expected")

    def _wrong(self, what: str, token: _Token | None = None) -> ExpressionError:
        now = token or self._now
        if now.kind == "end":
            return ExpressionError(f"it ends too early, after letter {len(self.text.rstrip())}.")
        return ExpressionError(f"{now.text!r} at letter {now.at} {what}.")

    def _span(self, start: int) -> str:
        """The text from a token on to the one before this."""
        end = self.tokens[self.position - 1]
        return self.text[self.tokens[start].at - 1 : end.at - 1 + len(end.text)]

    def _sum(self, depth: int) -> Node:
        start = self.position
        node = self._product(depth)
        while sign := self._take("+", "-"):
            other = self._product(depth)
            node = Pair(self._span(start), "+" if sign == "+" else "-", node, other)
        return node

    def _product(self, depth: int) -> Node:
        start = self.position
        node = self._factor(depth)
        while sign := self._take("*", "/"):
            at = self.position
            other = self._factor(depth)
            if sign == "/":
                if not isinstance(other, Number) or other.value == 0.0:
                    raise self._wrong("divides, but only a number other than 0 can", self.tokens[at])
                other = Number(other.text, 1.0 / other.value)
            if isinstance(node, Number) and isinstance(other, Number):
                node = Number(self._span(start), node.value * other.value)
            else:
                node = Pair(self._span(start), "*", node, other)
        return node

    def _factor(self, depth: int) -> Node:
        if depth == 0:
            raise ExpressionError(f"it is nested too deeply at letter {self._now.at}.")
        start = self.position
        if self._take("-"):
            inner = self._factor(depth - 1)
            if isinstance(inner, Number):
                return Number(self._span(start), -inner.value)
            return Pair(self._span(start), "*", Number("-1", -1.0), inner)
        node = self._atom(depth - 1)
        if self._take("^", "**"):
            token = self._now
            value = float(token.text) if token.kind == "number" else math.nan
            if not (value.is_integer() and 1 <= value <= MAX_POWER):
                raise self._wrong(f"is no power: whole numbers from 1 to {MAX_POWER} are", token)
            self.position += 1
            if isinstance(node, Number):
                return Number(self._span(start), node.value**value)
            return Function(self._span(start), "power", node, int(value))
        return node

    def _atom(self, depth: int) -> Node:
        start, token = self.position, self._now
        if self._take("("):
            node = self._sum(depth)
            self._expect(")")
            return node
        if token.kind == "number":
            self.position += 1
            if not math.isfinite(float(token.text)):
                raise self._wrong("is too large", token)
            return Number(token.text, float(token.text))
        if token.kind != "name":
            raise self._wrong("stands where a kernel or a number was expected")
        self.position += 1
        name = _SAME.get(token.text.lower(), token.text.lower())
        if name in ("exp", "abs"):
            self._expect("(")
            inner = self._sum(depth)
            self._expect(")")
            return Function(self._span(start), "exp" if name == "exp" else "abs", inner)
        if name not in _KERNELS:
            raise self._wrong(f"is unknown; there are {', '.join(NAMES)}", token)
        values = self._arguments(name)
        return Named(self._span(start), name, values)

    def _arguments(self, name: str) -> tuple[float, ...]:
        """The values in brackets, by name or in their order; what is left out is as usual."""
        knobs = _KERNELS[name]
        values = {knob.name: knob.default for knob in knobs}
        if self._take("(") and not self._take(")"):
            for place in range(len(knobs) + 1):
                token = self._now
                knob = knobs[place] if place < len(knobs) else None
                if token.kind == "name":
                    knob = next((knob for knob in knobs if knob.name == token.text.lower()), None)
                    if knob is None:
                        known = ", ".join(knob.name for knob in knobs) or "nothing"
                        raise self._wrong(f"cannot be set: {name} has {known}", token)
                    self.position += 1
                    self._expect("=")
                if knob is None:
                    raise self._wrong(f"is one too many: {name} has {len(knobs) or 'no'} values", token)
                values[knob.name] = self._value(knob)
                if self._take(")"):
                    break
                self._expect(",")
        return tuple(values.values())

    def _value(self, knob: _Knob) -> float:
        negative, token = bool(self._take("-")), self._now
        if token.kind != "number":
            raise self._wrong(f"stands where a number for {knob.name} was expected")
        value = -float(token.text) if negative else float(token.text)
        if not knob.low <= value <= knob.high or (knob.whole and not value.is_integer()):
            what = "a whole number" if knob.whole else "a number"
            raise self._wrong(f"is no {knob.name}: {what} from {knob.low:g} to {knob.high:g} is", token)
        self.position += 1
        return value


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            place = at + len(text[at:]) - len(text[at:].lstrip()) + 1
            raise ExpressionError(f"{text[place - 1]!r} at letter {place} is not understood.")
        number, name, sign = found.groups()
        at = found.end()
        piece = number or name or sign
        yield _Token("number" if number else "name" if name else "sign", piece, at - len(piece) + 1)
    yield _Token("end", "", len(text) + 1)
