"""Questions about values that :mod:`algorithms.checks` asks: are they the same, can they change, do marks fit?"""

from __future__ import annotations

import ast
import dataclasses
import enum
import hashlib
import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from algorithms import marks
from algorithms.contract import Algorithm, FrozenDict, Panel
from algorithms.data import Array, Data, Graph, Points
from algorithms.structure import ByType, inside, parts_of


def same(one: Any, two: Any) -> bool:
    """Whether two values are equal all the way down: types, shapes and every number."""
    if one is two:
        return True
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and np.array_equal(one, two, equal_nan=one.dtype.kind in "fc")
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        compared = (item.name for item in dataclasses.fields(one) if item.compare)
        aside = getattr(one, "__aside__", ())
        return all(same(getattr(one, name), getattr(two, name)) for name in compared if name not in aside)
    if isinstance(one, tuple | list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, Mapping):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    return bool(one == two) or bool(one != one and two != two)


def everything_in(value: Any) -> Iterator[Any]:
    """The value and everything inside it."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        yield item
        waiting += inside(item)


def what_can_change(value: Any, where: str) -> str:
    """The first part that could be altered later, in words; empty when there is none."""
    return _where_it_can_change(value, where) if any(map(can_change, everything_in(value))) else ""


def _where_it_can_change(value: Any, where: str) -> str:
    if can_change(value):
        return f"{where} is a {type(value).__name__} that can be changed"
    found = ((part, f"{where}, {name}") for name, part in parts_of(value).items())
    return next(filter(None, (_where_it_can_change(part, there) for part, there in found)), "")


def fingerprint(value: Any) -> bytes:
    """A short text that is the same for two values that are equal all the way down, and for no others."""
    digest = hashlib.blake2b(digest_size=16)
    lines: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind in _PLAIN or (kind is tuple and _PLAIN.issuperset(map(type, item))):
            lines.append(repr(item))  # which also tells 1, 1.0, True and "1" apart
        elif isinstance(item, np.ndarray):
            lines.append(f"{item.dtype.str}{item.shape}")
            digest.update(np.ascontiguousarray(item).tobytes() if not item.dtype.hasobject else repr(item).encode())
        elif isinstance(item, _LEAVES):
            lines.append(f"{kind.__name__} {item!r}")
        elif isinstance(item, Mapping):
            lines.append(f"{kind.__name__} {list(item)}")
            waiting += inside(item)
        else:
            lines.append(f"{kind.__qualname__} {len(item) if isinstance(item, tuple | list) else ''}")
            waiting += inside(item)
    digest.update("\n".join(lines).encode())
    return digest.digest()


_PLAIN = frozenset({bool, int, float, str, type(None)})
_LEAVES = (bool, int, float, complex, str, bytes, type(None), enum.Enum, np.generic)
_FIXED = (*_LEAVES, tuple, frozenset, FrozenDict)


def can_change(value: Any) -> bool:
    """Whether this value (not what it contains) could be altered later. What is unknown counts as changeable."""
    changes = _CHANGES[type(value)]
    return bool(value.flags.writeable or value.dtype.hasobject) if changes is None else changes


def _changes(kind: Any) -> bool | None:
    """The same for all values of a type; None where each has to be looked at."""
    if issubclass(kind, np.ndarray):
        return None
    if dataclasses.is_dataclass(kind):
        declaration: Any = kind
        return not declaration.__dataclass_params__.frozen
    return not issubclass(kind, _FIXED)


_CHANGES = ByType(_changes)


def global_state() -> tuple[Any, ...]:
    """Everything global that an algorithm must leave alone: two random generators and NumPy's error handling."""
    numpy_state: Any = np.random.get_state()
    return numpy_state[1].tobytes(), numpy_state[2:], random.getstate(), np.geterr()


def is_sentence(text: str) -> bool:
    """Whether a text is one line that ends with a full stop."""
    return len(text) > 1 and text == text.strip() and "\n" not in text and text.endswith(".")


def is_generator_call(text: str) -> bool:
    """Whether a text is a call such as ``moons(n=300,noise=0.1)``: a name, and named plain values."""
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            return False
        return all(ast.literal_eval(item.value) is not None for item in call.keywords)
    except (SyntaxError, ValueError):
        return False


def fault_of_mark(algorithm: Algorithm, panel: Panel, mark: Any, data: Data) -> str:
    """What is wrong with a mark in a panel, in words; empty when nothing is."""
    if type(mark) not in marks.mark_types():
        return "it is not one of the known marks"
    if panel.space not in mark.spaces:
        return f"it stands in the space {panel.space!r}, and has a meaning in {mark.spaces} only"
    if isinstance(mark, marks.Regions | marks.Isolines | marks.Extent) and panel.space == "own" and not panel.surface:
        return "the panel is no surface"
    if not all(np.isfinite(array).all() for array in _arrays(mark)):
        return "it holds numbers that are not finite"
    if isinstance(mark, marks.Regions):
        asked = "predict" if mark.kind == "classes" else "field"
        return "" if getattr(algorithm, asked) else f"the algorithm has no {asked}"
    if isinstance(mark, marks.Isolines):
        return "" if algorithm.field else "the algorithm has no field"
    if isinstance(mark, marks.Centres) and mark.handle:
        handles = {field.name for field in algorithm.fields if field.handles}
        if mark.handle not in handles:
            return f"its handle {mark.handle!r} is not a parameter with Handles"
    if isinstance(mark, marks.NodeLink):
        return _fault_of_nodes(mark, panel, data)
    return _fault_of_shape(mark, data.n, data.d if panel.space == "data" and isinstance(data, Points) else 2)


def _fault_of_nodes(mark: marks.NodeLink, panel: Panel, data: Data) -> str:
    """A picture of a graph speaks of as many nodes and edges as it has."""
    if mark.at is None and panel.space != "data":
        return "its nodes have no places"
    edges = data.edges if mark.edges is None and isinstance(data, Graph) else mark.edges
    n, m = data.n if mark.at is None else len(mark.at), 0 if edges is None else len(edges)
    for name, count in (("values", n), ("unknown", n), ("groups", n), ("sizes", n), ("points", n), ("widths", m)):
        values = getattr(mark, name)
        if values is not None and values.shape != (count,):
            return f"{name} has the shape {values.shape}"
    for name in ("names", "notes"):
        if getattr(mark, name) and len(getattr(mark, name)) != n:
            return f"there are {len(getattr(mark, name))} {name} for {n} nodes"
    for numbers, count in (
        *((links.edges, m) for links in mark.links),
        *((rings.nodes, n) for rings in mark.rings),
        (mark.tokens, n),
        (mark.ends, n),
        (mark.edges, n),
        (mark.points, data.n),
    ):
        if numbers is not None and not np.isin(numbers, np.arange(count)).all():
            return "it speaks of nodes or edges that do not exist"
    if mark.handles and len(mark.handles) != len(mark.end_names):
        return f"it has {len(mark.handles)} handles for {len(mark.end_names)} flags"
    return ""


def _arrays(mark: marks.Mark) -> Iterator[Array]:
    for item in dataclasses.fields(mark):
        value = getattr(mark, item.name)
        if isinstance(value, np.ndarray):
            yield value


def _fault_of_shape(mark: marks.Mark, n: int, d: int) -> str:
    """Marks speak of the n items of the data by their number and of places by d coordinates; both must exist.

    Over one feature a place may also say its height in the drawn plane.
    """
    place = {1: (1, 2)}.get(d, (d,))
    expected: tuple[tuple[str, tuple[Any, ...]], ...] = {
        marks.Assignment: (("labels", (n,)),),
        marks.SoftAssignment: (("weights", (n, None)),),
        marks.PointSizes: (("weights", (n,)),),
        marks.Centres: (("at", (None, place)),),
        marks.Trail: (("at", (None, None, place)),),
        marks.Ellipses: (("means", (None, d)), ("covariances", (None, d, d)), ("weights", (None,))),
        marks.Segments: (("start", (None, place)), ("end", (None, place))),
        marks.Curve: (("x", (None,)), ("y", (None,))),
        marks.Bars: (("values", (None,)),),
    }.get(type(mark), ())
    for name, shape in expected:
        actual = getattr(mark, name).shape
        if len(actual) != len(shape) or not all(map(_fits, shape, actual)):
            return f"{name} has the shape {actual}"
    if isinstance(mark, marks.Curve) and len(mark.x) != len(mark.y):
        return "x and y have different lengths"
    first = -1 if isinstance(mark, marks.Images) else 0  # a picture need not be of any point
    for name in ("points", "changed"):
        numbers = getattr(mark, name, None)
        if numbers is not None and not np.isin(numbers, np.arange(first, n)).all():
            return f"{name} speaks of points that do not exist"
    return ""


def _fits(wanted: Any, side: int) -> bool:
    """Whether a side of an array has the wanted length: any, one, or one of several."""
    return wanted is None or side == wanted or (isinstance(wanted, tuple) and side in wanted)
