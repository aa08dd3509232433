"""What all formats of graphs share: a graph on its way out of a file, and its nodes on their way into one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.data import MAX_CLASSES, Array, DataError, Graph
from algorithms.data.graph import MAX_EDGES, MAX_NODES
from algorithms.maths.layouts import placed

MAX_BYTES = 64_000_000
MAX_PARTS = 10 * MAX_EDGES
"""Lines, words or values in a file: what a graph can have of nodes and edges, each with some facts."""


_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
"""As Python splits lines."""


@dataclass(slots=True)
class Parts:
    """A graph on its way out of a file: nodes and edges in the order in which they are met."""

    directed: bool = False
    numbers: dict[Any, int] = field(default_factory=dict)
    facts: list[dict[str, Any]] = field(default_factory=list)
    edges: dict[tuple[int, int], float] = field(default_factory=dict)
    weighted: bool = False

    def node(self, key: Any, facts: dict[str, Any] | None = None) -> int:
        """The number of a node, which is a new one when it is met for the first time."""
        if key not in self.numbers:
            if len(self.numbers) >= MAX_NODES:
                raise DataError(f"The graph has more than {MAX_NODES:,} nodes, which is more than can be used.")
            self.numbers[key] = len(self.numbers)
            self.facts.append({})
        if facts:
            self.facts[self.numbers[key]] |= facts
        return self.numbers[key]

    def edge(self, one: int, two: int, weight: Any = None) -> None:
        """One more edge; the weights of equal ones add up."""
        self.weighted |= weight is not None
        ends = (one, two) if self.directed or (two, one) not in self.edges else (two, one)
        before = self.edges.get(ends)
        value = 1.0 if weight is None else finite_number(weight, "The weight of an edge")
        self.weighted |= before is not None
        self.edges[ends] = value if before is None else before + value
        if len(self.edges) > MAX_EDGES:
            raise DataError(f"The graph has more than {MAX_EDGES:,} edges, which is more than can be used.")

    def graph(self) -> Graph:
        """What has been read, with places."""
        if not self.numbers:
            raise DataError("There are no nodes in it.")
        ends = np.array(list(self.edges), dtype=np.int64).reshape(-1, 2)
        weights = np.array(list(self.edges.values()))
        names = [_name(facts, key) for key, facts in zip(self.numbers, self.facts)]
        groups, classes = _groups(self.facts)
        positions = _positions(self.facts)
        weighted = self.weighted and len(ends) > 0
        graph = Graph(
            len(names), ends, weights if weighted else None, self.directed, given_names(names), weighted=weighted
        )
        return placed(replace(graph, positions=positions, groups=groups, classes=classes))


def given_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, or none where they are only the numbers that the nodes have anyway."""
    return () if list(names) == [str(number + 1) for number in range(len(names))] else tuple(names)


def _name(facts: dict[str, Any], key: Any) -> str:
    for attribute in ("label", "name", "id"):
        if isinstance(facts.get(attribute), str | int | float) and str(facts[attribute]).strip():
            return _text(facts[attribute])
    return _text(key)


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip()


def _groups(facts: list[dict[str, Any]]) -> tuple[Array | None, tuple[str, ...]]:
    """The group of every node, where all have one; numbers stay in their order, words in that of their first use."""
    found = [next((entry[key] for key in ("group", "club", "class", "block") if key in entry), None) for entry in facts]
    if any(value is None or isinstance(value, dict | list) for value in found):
        return None, ()
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in found)
    levels: list[Any] = sorted(set(found)) if numeric else list(dict.fromkeys(found))
    if len(levels) > MAX_CLASSES:
        return None, ()
    return np.array([levels.index(value) for value in found]), tuple(_text(level) for level in levels)


def _positions(facts: list[dict[str, Any]]) -> Array | None:
    """The places, where all nodes have one and they are not all the same."""
    found = [_place(entry) for entry in facts]
    if any(place is None for place in found):
        return None
    at = np.array(found, dtype=float)
    apart = np.isfinite(at).all() and np.abs(at).max() < 1e100 and (len(at) < 2 or np.ptp(at, axis=0).any())
    return at if apart else None


def _place(facts: dict[str, Any]) -> tuple[float, float] | None:
    inside = facts.get("graphics")
    source = inside if isinstance(inside, dict) and "x" in inside else facts
    pair = source.get("pos", (source.get("x"), source.get("y")))
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) < 2:
        return None
    try:
        return float(pair[0]), float(pair[1])
    except (TypeError, ValueError, OverflowError):
        return None


def finite_number(value: Any, what: str) -> float:
    """A finite number, or a :class:`DataError`."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{what} is {str(value)[:40]!r}, which is not a number.") from error
    if not math.isfinite(number):
        raise DataError(f"{what} is {str(value)[:40]!r}, which is not finite.")
    return number


def file_bytes(path: Path) -> bytes:
    """The content of a file that is not too large."""
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path.name} is larger than {MAX_BYTES // 1_000_000} MB, which is too much for a graph.")
    return path.read_bytes()


def refuse_many(count: int, what: str, file: str, most: int = MAX_PARTS) -> None:
    """Refuse a file of more parts than any graph needs, before each of them takes memory."""
    if count > most:
        raise DataError(f"{file} has more than {most:,} {what}, too many for a graph.")


def file_text(path: Path) -> str:
    """The text of a file in whatever encoding."""
    raw = file_bytes(path)
    for encoding in ("utf-8-sig", "utf-16") if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def table_lines(path: Path) -> list[str]:
    """The lines of a text that are not empty."""
    text = file_text(path)
    refuse_many(sum(1 for _ in _LINE.finditer(text)), "lines", path.name)
    return [line for line in text.splitlines() if line.strip()]


def is_number(cell: str) -> bool:
    """Whether a cell is a number; an empty one counts as 0."""
    try:
        float(cell or "0")
    except ValueError:
        return False
    return True


def plain(value: float) -> float:
    """A whole number without its point."""
    return int(value) if value.is_integer() else value


def node_facts(graph: Graph) -> Iterable[dict[str, Any]]:
    """What is known of every node besides its number."""
    for node in range(graph.n):
        facts: dict[str, Any] = {"name": graph.names[node]} if graph.names else {}
        if graph.positions is not None:
            facts |= dict(zip(("x", "y"), graph.positions[node].tolist()))
        if graph.groups is not None:
            facts["group"] = graph.classes[int(graph.groups[node])]
        yield facts


def shortest(value: float) -> str:
    """The shortest text that is read back as this number."""
    return repr(value).removesuffix(".0")


def distinct_names(graph: Graph) -> list[str]:
    """A name for every node, none of them twice and none empty: they say which node is meant."""
    taken: set[str] = set()
    found = []
    for node in range(graph.n):
        name = " ".join(graph.node_name(node).split()) or str(node + 1)
        while name in taken:
            name += "'"
        taken.add(name)
        found.append(name)
    return found
