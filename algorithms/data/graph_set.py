"""Graph sets: small graphs, each with an optional class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from algorithms.data.graph import Graph
from algorithms.data.kind import (
    Array,
    Data,
    DataError,
    label,
    labels,
    levels_of,
    listed,
    locked,
    text_in,
    texts_in,
    whole_numbers,
)
from algorithms.maths.words import counted
from algorithms.records import dataclass

MAX_GRAPHS = 1_000
MAX_ALL_NODES = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class GraphSet(Data):
    """Graphs with classes.

    Parameters
    ----------
    graphs : sequence of Graph
    y : array-like of shape (n,), optional
        Class labels of any sort; with ``classes`` their numbers.
    """

    kind: ClassVar[str] = "graph_set"
    item_name: ClassVar[str] = "graph"
    invitation: ClassVar[str] = "Draw graphs"

    graphs: tuple[Graph, ...]
    y: Array | None = None  # (n,) int64 class numbers
    classes: tuple[str, ...] = ()
    name: str = "graphs"

    def __post_init__(self) -> None:
        graphs = listed(self.graphs, "graphs")
        if not all(isinstance(graph, Graph) for graph in graphs):
            raise DataError("A set of graphs holds graphs and nothing else.")
        if len(graphs) > MAX_GRAPHS or sum(graph.n for graph in graphs) > MAX_ALL_NODES:
            raise DataError(f"At most {MAX_GRAPHS:,} graphs with {MAX_ALL_NODES:,} nodes together can be used.")
        y: Array | None = None
        classes: tuple[str, ...] = ()
        if self.y is not None:
            classes = labels(self.classes)
            if classes:
                y = whole_numbers(self.y, "classes of the graphs", (len(graphs),), 0, len(classes))
            else:
                classes, codes = levels_of(self.y, len(graphs), "graph")
                y = locked(codes)
        for name, value in (("graphs", graphs), ("y", y), ("classes", classes), ("name", label(self.name))):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the value anew locks it again.
        return GraphSet, (self.graphs, self.y, self.classes, self.name)

    @classmethod
    def blank(cls, target: str = "none") -> GraphSet:
        """No graphs of two classes yet."""
        return cls((), np.empty(0, dtype=np.int64), ("1", "2"), "blank set of graphs")

    @property
    def n(self) -> int:
        """How many graphs there are."""
        return len(self.graphs)

    @property
    def groups(self) -> Array | None:
        """The class of every graph, or None."""
        return self.y

    @property
    def is_labelled(self) -> bool:
        """Whether the graphs have classes."""
        return self.y is not None

    def item_text(self, number: int) -> str:
        """A graph with its class and size."""
        graph = self.graphs[number]
        kind = "" if self.y is None else f"   class: {self.classes[int(self.y[number])]}"
        return f"graph {number + 1}:   {graph.counted()}{kind}"

    def counted(self) -> str:
        """How many graphs, in words."""
        return counted(self.n, "graph")

    def columns(self) -> dict[str, list[Any]]:
        """One row an item, with its class."""
        columns: dict[str, list[Any]] = {
            "graph": list(range(1, self.n + 1)),
            "nodes": [graph.n for graph in self.graphs],
            "edges": [graph.m for graph in self.graphs],
        }
        return columns if self.y is None else columns | {"class": [self.classes[k] for k in self.y.tolist()]}

    def arrays(self) -> dict[str, Array]:
        """The arrays of every graph under its number, and the classes."""
        found = {f"{k}.{key}": array for k, graph in enumerate(self.graphs) for key, array in graph.arrays().items()}
        return found if self.y is None else found | {"y": self.y}

    def facts(self) -> dict[str, Any]:
        """What the arrays do not say of each graph, and the names of the classes."""
        return {
            "name": self.name,
            "graphs": [graph.facts() for graph in self.graphs],
            "classes": list(self.classes),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> GraphSet:
        """The graphs of a file."""
        described = facts.get("graphs")
        if not isinstance(described, list) or not all(isinstance(one, dict) for one in described):
            raise DataError("The graphs are not described.")
        if len(described) > MAX_GRAPHS:
            raise DataError(f"At most {MAX_GRAPHS:,} graphs can be used.")
        graphs = []
        for k, one in enumerate(described):
            own = {key.partition(".")[2]: array for key, array in arrays.items() if key.partition(".")[0] == str(k)}
            graphs.append(Graph.from_arrays(own, one))
        return cls(tuple(graphs), arrays.get("y"), texts_in(facts, "classes"), text_in(facts, "name", "graphs"))
