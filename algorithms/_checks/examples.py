"""The small data sets on which :mod:`algorithms.checks` puts an algorithm to the test, for every kind of data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import (
    Array,
    Data,
    DataError,
    Distances,
    Graph,
    GraphSet,
    Item,
    Nothing,
    Points,
    Sequences,
    Strings,
)


def ordinary(algorithm: Algorithm) -> list[Any]:
    """Three groups and two groups of every kind that the algorithm accepts; the most usual kind comes first.

    Points have two features, and then one and five; where the algorithm has panels for pictures, some are pictures.
    """
    found = [_of_kind(algorithm, kind, groups) for kind in _kinds(algorithm) for groups in (3, 2)]
    found += [blobs(algorithm, d=d) for d in (1, 5) if Points in algorithm.accepts]
    return found + ([_pictures(algorithm)] if any(panel.pictures for panel in algorithm.panels) else [])


def _pictures(algorithm: Algorithm, n: int = 24, side: int = 4) -> Points:
    """Grey pictures with more light in one corner or another."""
    rng = np.random.default_rng(7)
    labels = np.arange(n) % groups_taken(algorithm)
    X = rng.uniform(size=(n, side, side))
    for picture, label in zip(X, labels.tolist()):
        row, column = divmod(label, 2)
        picture[row * side // 2 :, column * side // 2 :][: side // 2, : side // 2] += 1.0
    points = _with_target(algorithm, X.reshape(n, -1), labels)
    return Points(points.X, points.y, classes=points.classes, image_shape=(side, side))


def blobs(algorithm: Algorithm, groups: int = 0, d: int = 2, n: int = 24) -> Any:
    """Ordinary data of the most usual kind that the algorithm accepts, in as many groups as it takes."""
    return _of_kind(algorithm, _kinds(algorithm)[0], groups or groups_taken(algorithm), d, n)


@functools.cache
def groups_taken(algorithm: Algorithm) -> int:
    """Three, or two where the algorithm refuses points of three classes: a single line parts two."""
    if Points not in algorithm.accepts or algorithm.target != "classes":
        return 3
    try:
        next(algorithm.start(_of_kind(algorithm, Points, 3), algorithm.params(), 0))
    except DataError:
        return 2
    except Exception:  # the checks will say what is wrong
        return 3
    return 3


def _kinds(algorithm: Algorithm) -> list[type[Data]]:
    return sorted(algorithm.data_kinds, key=lambda kind: kind is not Points)


def _of_kind(algorithm: Algorithm, kind: type[Data], groups: int, d: int = 2, n: int = 24) -> Any:
    """Data of one kind; points are round groups that overlap a little."""
    if kind is not Points:
        return _ORDINARY[kind](groups, n)
    X, labels = _round_groups(groups, d, n)
    return _with_target(algorithm, X - X.min(axis=0) if refuses_negative(algorithm) else X, labels)


def _round_groups(groups: int, d: int, n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    labels = np.arange(n) % groups
    centres = rng.normal(size=(groups, d)) * 0.5
    centres[:, 0] += 3.0 * np.arange(groups)
    return centres[labels] + 0.8 * rng.normal(size=(n, d)), labels


@functools.cache
def refuses_negative(algorithm: Algorithm) -> bool:
    """Whether the algorithm takes points only as long as no number is below zero; then none of the examples is."""
    if Points not in algorithm.accepts or algorithm.target != "none":
        return False
    X, _ = _round_groups(3, 2, 24)
    return not _begins(algorithm, Points(X)) and _begins(algorithm, Points(X - X.min(axis=0)))


def _begins(algorithm: Algorithm, data: Points) -> bool:
    try:
        next(algorithm.start(data, algorithm.params(), 0))
    except DataError:
        return False
    except Exception:  # the checks will say what is wrong
        return True
    return True


def easy(algorithm: Algorithm) -> list[tuple[Any, Array]]:
    """Data that leave no doubt, with the truth about every item: groups far apart, and a straight line."""
    found: list[tuple[Any, Array]] = []
    for groups in (3, 2) if algorithm.family != "clustering" else (3,):
        X, labels = _far_apart(groups)
        for kind in algorithm.accepts:
            if kind is not Points:
                found += [_EASY[kind](groups)] if kind in _EASY else []
            elif algorithm.target == "none":
                found.append((Points(X), labels))
            elif algorithm.target in ("classes", "any"):
                found.append((Points(X, labels), labels))
    if Points in algorithm.accepts and algorithm.target in ("values", "any"):
        X, labels = _far_apart(3)
        y = 1.0 + 2.0 * X[:, 0] - X[:, 1]
        found.append((Points(X, y), y))
    return found


def _far_apart(groups: int, n: int = 60) -> tuple[Array, Array]:
    """Round groups ten spreads away from each other, and the group of every point."""
    labels = np.arange(n) % groups
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])
    return centres[labels] + 0.4 * np.random.default_rng(5).normal(size=(n, 2)), labels


def _easy_distances(groups: int) -> tuple[Data, Array]:
    X, labels = _far_apart(groups, 30)
    return Distances(np.sqrt(np.square(X[:, None] - X[None]).sum(axis=2))), labels


def _easy_graph(groups: int) -> tuple[Data, Array]:
    """Everybody knows everybody within a group, and one pair across."""
    size = 6
    within = [(k * size + i, k * size + j) for k in range(groups) for i in range(size) for j in range(i)]
    across = [(k * size, (k + 1) * size) for k in range(groups - 1)]
    labels = np.repeat(np.arange(groups), size)
    return Graph(groups * size, within + across, groups=labels), labels  # type: ignore[arg-type]


def _easy_strings(groups: int) -> tuple[Data, Array]:
    """Words of two letters that no other class uses."""
    rng = np.random.default_rng(5)
    labels = np.arange(30) % groups
    words = ["".join(rng.choice(list(("ab", "cd", "ef")[group]), size=8)) for group in labels]
    return Strings(tuple(words), labels), labels


def _easy_graph_set(groups: int) -> tuple[Data, Array]:
    """Rings, stars and complete graphs of five to nine nodes."""
    labels = np.arange(24) % groups
    graphs = []
    for number, group in enumerate(labels):
        n = 5 + number % 5
        ring, star = [(k, (k + 1) % n) for k in range(n)], [(0, k) for k in range(1, n)]
        graphs.append(Graph(n, (ring, star, [(i, j) for i in range(n) for j in range(i)])[group]))  # type: ignore[arg-type]
    return GraphSet(tuple(graphs), labels), labels


_EASY: dict[type[Data], Callable[[int], tuple[Data, Array]]] = {
    Distances: _easy_distances,
    Graph: _easy_graph,
    Strings: _easy_strings,
    GraphSet: _easy_graph_set,
}


def _graph(groups: int, n: int) -> Graph:
    """A ring within each group and a bridge between them, with weights and places; directed for two groups."""
    size = max(n // (2 * groups), 3)
    ends, at = [], []
    for group in range(groups):
        first = group * size
        ends += [(first + k, first + (k + 1) % size) for k in range(size)]
        turn = 2.0 * np.pi * np.arange(size) / size
        at.append(np.column_stack([np.cos(turn) + 3.0 * group, np.sin(turn)]))
    ends += [(group * size, (group + 1) * size) for group in range(groups - 1)]
    weights = 1.0 + np.arange(len(ends)) % 3
    groups_of = np.repeat(np.arange(groups), size)
    return Graph(groups * size, ends, weights, groups == 2, positions=np.concatenate(at), groups=groups_of)  # type: ignore[arg-type]


def _sequences(groups: int, n: int) -> Sequences:
    """Two series of symbols (three groups) or of values (two groups), with their states."""
    rng = np.random.default_rng(7)
    states = [np.repeat(np.arange(n // 4) % 2, 4)[: n - 4 * k] for k in range(2)]
    if groups == 2:
        return Sequences([3.0 * one + rng.normal(size=len(one)) for one in states], states)  # type: ignore[arg-type]
    return Sequences([(one + rng.integers(0, 2, len(one))) % 3 for one in states], states)  # type: ignore[arg-type]


def _distances(groups: int, n: int) -> Distances:
    """Straight distances between points in groups."""
    rng = np.random.default_rng(7)
    at = rng.normal(size=(n // 2, 2)) + 3.0 * (np.arange(n // 2) % groups)[:, None]
    return Distances(np.sqrt(((at[:, None] - at[None]) ** 2).sum(axis=2)))


def _strings(groups: int, n: int) -> Strings:
    """Short words over few letters, each class with its own favourite."""
    rng = np.random.default_rng(7)
    labels = np.arange(n // 2) % groups
    words = ["".join(rng.choice(list("abc") + ["abc"[g]] * 3, size=6)) for g in labels]
    return Strings(tuple(words), labels)


def _graph_set(groups: int, n: int) -> GraphSet:
    """Rings and paths of growing size."""
    graphs = [
        Graph(5 + k % 3, [(i, (i + 1) % (5 + k % 3)) for i in range(4 + (k % 2) * (1 + k % 3))])  # type: ignore[arg-type]
        for k in range(n // 4)
    ]
    return GraphSet(tuple(graphs), np.arange(len(graphs)) % groups)


_ORDINARY: dict[type[Data], Callable[[int, int], Data]] = {
    Graph: _graph,
    Sequences: _sequences,
    Distances: _distances,
    Strings: _strings,
    GraphSet: _graph_set,
    Nothing: lambda groups, n: Nothing(),
}


def first_rows(data: Any) -> Array | None:
    """A few rows that may be asked about, where the data have rows."""
    return np.array(data.X[:3]) if isinstance(data, Points) else None


def items(data: Any) -> list[Item]:
    """Some items of the data, edges where there are any, and a point far outside."""
    found = [data.item(number) for number in sorted({0, 1, data.n // 2, data.n - 1}) if 0 <= number < data.n]
    if isinstance(data, Graph):
        found += [data.item(number, "edge") for number in sorted({0, data.m - 1}) if 0 <= number < data.m]
    return [*found, Item(x=queries(data)[-1])] if isinstance(data, Points) else found


def one_moved(data: Any) -> Any:
    """The same data after a student has dragged the first point."""
    if not isinstance(data, Points):
        return data
    X = np.array(data.X)
    X[0] += 1.5
    return data.with_rows(X, data.y)


def queries(data: Points) -> Array:
    """Seven new points in and around the data; the last one far outside."""
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    X = low + (high - low) * np.random.default_rng(3).uniform(-0.3, 1.3, size=(7, data.d))
    X[-1] = high + 5.0 * (high - low)
    return X


def degenerate(algorithm: Algorithm) -> dict[str, Data]:
    """Data that break careless code, by name, for every kind that the algorithm accepts."""
    found: dict[str, Data] = _degenerate_points(algorithm) if Points in algorithm.accepts else {}
    for kind in algorithm.accepts:
        found |= _DEGENERATE[kind]() if kind in _DEGENERATE else {}
    return found


def _degenerate_graphs() -> dict[str, Data]:
    ring = [(k, (k + 1) % 5) for k in range(5)]
    edges: dict[str, tuple[Any, ...]] = {
        "a graph without nodes": (0, []),
        "one node": (1, []),
        "one node with a loop": (1, [(0, 0)]),
        "nodes without edges": (4, []),
        "two pieces": (6, [(0, 1), (1, 2), (3, 4), (4, 5)]),
        "a ring with a loop": (5, [*ring, (2, 2)]),
        "edges of no length": (5, ring, np.zeros(5)),
        "negative weights": (5, ring, -np.ones(5)),
        "huge weights": (5, ring, np.full(5, 1e300)),
        "a directed graph with a dead end": (3, [(0, 1), (1, 2)], None, True),
        "a directed ring": (5, ring, None, True),
        "a star": (6, [(0, k) for k in range(1, 6)]),
        "two nodes": (2, [(0, 1)]),
        "a complete graph": (5, [(i, j) for i in range(5) for j in range(i)]),
        "a long path": (30, [(k, k + 1) for k in range(29)]),
        "nodes that nobody can leave or reach": (4, [(0, 1), (2, 1), (2, 3)], None, True),
        "both ways, unequally": (3, [(0, 1), (1, 0), (1, 2)], [1.0, 5.0, 2.0], True),
        "tiny weights": (5, ring, np.full(5, 1e-300)),
        "weights that cancel": (4, [(0, 1), (1, 2), (2, 3), (3, 0)], [1.0, -1.0, 1.0, -1.0]),
    }
    groups = Graph(5, ring, groups=["a", "a", "a", "a", "b"])  # type: ignore[arg-type]
    crowded = Graph(5, ring, positions=np.zeros((5, 2)), names=("", "x", "x", "y", "z"))  # type: ignore[arg-type]
    found: dict[str, Data] = {name: Graph(*parts) for name, parts in edges.items()}
    return found | {"a group of one node": groups, "all nodes in one place": crowded}


def _degenerate_sequences() -> dict[str, Data]:
    return {
        "one moment": Sequences([np.array([0])]),  # type: ignore[arg-type]
        "one symbol only": Sequences([np.zeros(9, dtype=int)]),  # type: ignore[arg-type]
        "a constant series": Sequences([np.full(9, 2.5)]),  # type: ignore[arg-type]
        "one value": Sequences([np.array([1.5])]),  # type: ignore[arg-type]
        "huge values in a series": Sequences([np.array([1e150, -1e150, 1e149, 0.0])]),  # type: ignore[arg-type]
        "series of unequal length": Sequences([np.array([0, 1]), np.array([1, 0, 1, 1, 0, 2, 1])]),  # type: ignore[arg-type]
        "vectors in a series": Sequences([np.arange(12.0).reshape(6, 2)]),  # type: ignore[arg-type]
        "two symbols in turn": Sequences([np.arange(12) % 2], [np.arange(12) % 2]),  # type: ignore[arg-type]
        "words as symbols": Sequences([np.array(["rain", "sun", "sun", "rain"])]),  # type: ignore[arg-type]
        "many short series": Sequences([np.array([k % 3]) for k in range(6)]),  # type: ignore[arg-type]
        "a symbol that never comes": Sequences([np.array([0, 3, 0, 3, 3])]),  # type: ignore[arg-type]
        "tiny values in a series": Sequences([np.array([1e-300, -1e-300, 2e-300, 0.0])]),  # type: ignore[arg-type]
        "a trend": Sequences([np.arange(20.0)]),  # type: ignore[arg-type]
        "one jump": Sequences([np.repeat([0.0, 1e6], 10)], [np.repeat([0, 1], 10)]),  # type: ignore[arg-type]
    }


def _degenerate_distances() -> dict[str, Data]:
    line = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    equal = 1.0 - np.eye(6)
    broken = line.copy()
    broken[0, 4] = broken[4, 0] = 50.0
    return {
        "one row": Distances(np.zeros((1, 1))),
        "two rows": Distances(np.array([[0.0, 2.0], [2.0, 0.0]])),
        "rows in the same place": Distances(np.kron(1.0 - np.eye(3), np.ones((2, 2)))),
        "one row far away": Distances(np.abs(np.subtract.outer(place := np.array([0.0, 1.0, 2.0, 1e6]), place))),
        "no distances": Distances(np.zeros((4, 4))),
        "equal distances": Distances(equal),
        "a line of rows": Distances(line),
        "distances that break the triangle": Distances(broken),
        "huge distances": Distances(line * 1e150),
        "tiny distances": Distances(line * 1e-150),
    }


def _degenerate_strings() -> dict[str, Data]:
    return {
        "one text": Strings(("abc",)),
        "empty texts": Strings(("", "", "a"), [0, 1, 1]),  # type: ignore[arg-type]
        "equal texts": Strings(("ab", "ab", "ab"), [0, 1, 0]),  # type: ignore[arg-type]
        "one class of texts": Strings(("ab", "ba"), [0, 0]),  # type: ignore[arg-type]
        "texts without classes": Strings(("ab", "ba", "bb", "aa")),
        "a class of one text": Strings(("ab", "ba", "bb", "aa"), [0, 0, 0, 1]),  # type: ignore[arg-type]
        "a long text among short ones": Strings(("a" * 400, "b", "ab"), [0, 1, 1]),  # type: ignore[arg-type]
        "letters of other alphabets": Strings(("\u03b1\u03b2", "\u4e2d\u6587", "\U0001f600 a", "\n"), [0, 1, 0, 1]),  # type: ignore[arg-type]
        "texts that share nothing": Strings(("ab", "cd", "ef", "gh"), [0, 1, 0, 1]),  # type: ignore[arg-type]
    }


def _degenerate_graph_sets() -> dict[str, Data]:
    graphs = [graph for graph in _degenerate_graphs().values() if isinstance(graph, Graph)]
    return {
        "one graph": GraphSet((graphs[6],)),
        "odd graphs": GraphSet(tuple(graphs), np.arange(len(graphs)) % 2),
        "one class of graphs": GraphSet((graphs[6], graphs[7]), [0, 0]),  # type: ignore[arg-type]
        "graphs without classes": GraphSet((graphs[4], graphs[5], graphs[11])),
        "equal graphs": GraphSet((graphs[4],) * 4, [0, 1, 0, 1]),  # type: ignore[arg-type]
        "a class of one graph": GraphSet((graphs[4], graphs[5], graphs[11]), [0, 0, 1]),  # type: ignore[arg-type]
        "graphs without edges": GraphSet((graphs[1], graphs[3]), [0, 1]),  # type: ignore[arg-type]
    }


_DEGENERATE: dict[type[Data], Callable[[], dict[str, Data]]] = {
    Graph: _degenerate_graphs,
    Sequences: _degenerate_sequences,
    Distances: _degenerate_distances,
    Strings: _degenerate_strings,
    GraphSet: _degenerate_graph_sets,
}


def _degenerate_points(algorithm: Algorithm) -> dict[str, Data]:
    usual = blobs(algorithm)
    groups = groups_taken(algorithm)
    X, labels = np.array(usual.X), np.arange(usual.n) % groups
    constant, line = X.copy(), np.linspace(-1, 1, 12)
    constant[:, 1] = 4.0
    tables = {
        "one point": X[:1],
        "two points": X[:2],
        "two equal points": X[[0, 0]],
        "equal points only": X[[0] * 9],
        "three points repeated": X[[0, 1, 2] * 6],
        "the same points in both classes": X[[0, 0, 1, 1, 2, 2]],
        "a constant column": constant,
        "points on a line": np.column_stack([line, 2 * line]),
        "huge values": X * 1e150,
        "tiny values": X * 1e-150,
        "values far from zero": X + 1e8,
        "columns of unequal scale": X * np.array([1e8, 1e-8]),
        "one feature": X[:, :1],
        "ten features": np.array(blobs(algorithm, d=10).X),
        "fewer points than features": np.array(blobs(algorithm, d=10).X[:5]),
        "whole numbers": np.rint(X),
        "one point far away": np.where(np.arange(len(X))[:, None] == 0, 1e6, X),
        "equal columns": X[:, [0, 0]],
        "points on a circle": np.column_stack([np.cos(np.arange(12.0)), np.sin(np.arange(12.0))]),
    }
    cases: dict[str, Data] = {
        name: _with_target(algorithm, table, np.arange(len(table)) % groups) for name, table in tables.items()
    }
    cases["one class"] = _with_target(algorithm, X, np.zeros(len(X), dtype=int))
    cases["a class without points"] = Points(X, labels % 2, classes=("a", "b", "c"))
    cases["a class of one point"] = _with_target(algorithm, X, (np.arange(len(X)) == 0).astype(int))
    cases["as many classes as points"] = _with_target(algorithm, X, np.arange(len(X)))
    cases["a column of categories"] = Points(
        np.column_stack([X[:, 0], labels]), usual.y, categories=((1, tuple("abc")),)
    )
    cases["pictures"] = Points(np.abs(np.tile(X, 2)), usual.y, image_shape=(2, 2))
    cases["a target without spread"] = Points(X, np.ones(len(X)))
    cases["a target of zeros"] = Points(X, np.zeros(len(X)))
    cases["no target"] = Points(X)
    cases["a target of values"] = Points(X, X[:, 0])
    return cases


def _with_target(algorithm: Algorithm, X: Array, labels: Array) -> Points:
    if algorithm.target == "none":
        return Points(X)
    if algorithm.target == "values":
        return Points(X, 0.5 * X[:, 0] + 0.1 * np.abs(X).max() * (labels - 1.0))
    return Points(X, labels)
