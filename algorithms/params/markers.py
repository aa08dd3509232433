"""What the annotation of a parameter carries: range, explanation, scale, group and how it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from algorithms.records import dataclass


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
class Zero:
    """What 0 stands for, in a word or two that the form shows instead of it."""

    text: str


@dataclass(frozen=True, slots=True)
class UpTo:
    """A number of an item or of a column: its slider ends where the data do, not where the range does."""

    what: Literal["items", "features", "columns"]


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
class Suits:
    """Other values than the default suit some values of another parameter, such as the step some surface: in pairs.

    Where this one still has what suited the other before, it follows when the other one is changed by hand.
    """

    name: str
    pairs: tuple[tuple[Any, Any], ...]

    def __init__(self, name: str, *pairs: tuple[Any, Any]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "pairs", pairs)


@dataclass(frozen=True, slots=True)
class Suggest:
    """What the data suggest in place of the default, where it was not chosen: ``value(data)``, None to keep it.

    ``source`` says where the number comes from, as the form writes it: ``from the distances``.
    """

    value: Callable[[Any], Any]
    source: str


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
