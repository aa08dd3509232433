"""Graphs in text tables: a list of edges, or the adjacency matrix."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from algorithms.data import DataError, Graph, graph_of
from algorithms.data.graph import MAX_EDGES
from algorithms.maths.layouts import placed
from mlviz.data.encoding import refuse_long_line
from mlviz.data.formats import COMMENT, table_text
from mlviz.data.graph_files.parts import (
    Parts,
    distinct_names,
    finite_number,
    given_names,
    is_number,
    shortest,
    table_lines,
)

MAX_MATRIX = 2_000
"""Rows of an adjacency matrix."""
MAX_ROWS, MAX_CELLS = 2 * MAX_EDGES, 2 * MAX_MATRIX**2
"""Of a list of edges, which may name each in both directions, and of any table of a graph."""
_SOURCE = {"source", "from", "tail", "start", "node1", "node 1", "u"}
_TARGET = {"target", "to", "head", "end", "node2", "node 2", "v"}
_WEIGHT = {"weight", "length", "value", "distance", "cost", "w"}
_TYPE = {"type", "directed"}


def read_csv_graph(path: Path) -> Graph:
    """A square table of weights, or a list of edges: two ends in each row, perhaps a weight, perhaps a header."""
    rows = _rows(path)
    return _from_matrix(path, rows) if _is_matrix(rows) else _from_edges(path, rows)


def read_matrix(path: Path) -> Graph:
    """A square table of weights."""
    return _from_matrix(path, _rows(path))


def names_edges(path: Path) -> bool:
    """Whether the first line names the columns of a list of edges as it is written here; points may have a target."""
    with path.open("rb") as file:
        raw = file.readline(1000)
    cells = raw.decode("utf-8-sig", errors="replace").strip().lower().replace("\t", ",").split(",")
    return cells in (["source", "target", "type"], ["source", "target", "type", "weight"])


def _rows(path: Path) -> list[list[str]]:
    lines = [line for line in table_lines(path) if not line.lstrip().startswith(COMMENT)]
    if not lines:
        raise DataError(f"There is nothing but comments in {path.name}.")
    if len(lines) > MAX_ROWS:
        raise DataError(f"{path.name} has {len(lines):,} rows; a list of edges may have {MAX_ROWS:,}.")
    for line in lines:
        refuse_long_line(line, path.name)
    separator = max(",;\t", key=lambda mark: lines[0].count(mark))
    try:
        if lines[0].count(separator):
            return _few_cells(csv.reader(lines, delimiter=separator, skipinitialspace=True), path.name)
        return _few_cells((line.split() for line in lines), path.name)
    except csv.Error as error:
        raise DataError(f"{path.name} is not a table: {error}.") from error


def _few_cells(rows: Iterable[list[str]], file: str) -> list[list[str]]:
    """The cells without space around them, as long as they are not more than any graph needs."""
    found, cells = [], 0
    for row in rows:
        cells += len(row)
        if cells > MAX_CELLS:
            raise DataError(f"{file} has more than {MAX_CELLS:,} cells, too many for a graph.")
        found.append([cell.strip() for cell in row])
    return found


def _is_matrix(rows: list[list[str]]) -> bool:
    """Whether it is square: as many rows as columns, with or without names along both sides."""
    width = len(rows[0])
    if any(len(row) != width for row in rows) or _edge_columns(rows[0]) is not None:
        return False
    named = not is_number(rows[0][-1]) or not rows[0][0]
    body = [row[1:] for row in rows[1:]] if named else rows
    if len(rows) != width or width < 2 or not all(is_number(cell) for row in body for cell in row):
        return False
    if width != 3 or named:
        return named or width > 3
    table = np.array([[float(cell or 0) for cell in row] for row in body])  # or three edges with their weights
    return np.array_equal(table, table.T) or not table.diagonal().any()


def _from_matrix(path: Path, rows: list[list[str]]) -> Graph:
    named = not is_number(rows[0][-1]) or not rows[0][0]
    names = tuple(rows[0][1:]) if named else ()
    body = [row[1:] for row in rows[1:]] if named else rows
    if len(body) > MAX_MATRIX:
        raise DataError(f"{path.name} has {len(body):,} rows; a matrix may have {MAX_MATRIX:,}. Use a list of edges.")
    if not body or any(len(row) != len(body) for row in body):
        raise DataError(f"{path.name} is not a square table with as many rows as columns.")
    table = [
        [finite_number(cell or 0, f"Row {row + 1}, column {column + 1}") for column, cell in enumerate(cells)]
        for row, cells in enumerate(body)
    ]
    if named and [row[0] for row in rows[1:]] != list(names):
        raise DataError(f"The names of the rows of {path.name} are not those of its columns.")
    return placed(graph_of(table, names=given_names(names)))


def _edge_columns(header: list[str]) -> tuple[int, int, int | None, int | None] | None:
    """Which columns hold the two ends, the weight and the type, when the first row names them."""
    words = [cell.lower() for cell in header]
    one, two, weight, kind = (
        next((words.index(word) for word in words if word in names), None)
        for names in (_SOURCE, _TARGET, _WEIGHT, _TYPE)
    )
    return None if one is None or two is None else (one, two, weight, kind)


def _from_edges(path: Path, rows: list[list[str]]) -> Graph:
    """A list of edges. Without a word about it they are directed when some pairs are there in both directions, but not
    when all are, which is how a table of neighbours lists edges without one.
    """
    columns = _edge_columns(rows[0])
    headed = columns is not None or (len(rows[0]) > 2 and not is_number(rows[0][2]))
    one, two, weight, kind = columns or (0, 1, 2 if len(rows[0]) > 2 else None, None)
    found: list[tuple[str, str, str | None]] = []
    types: set[str] = set()
    for number, row in enumerate(rows[1:] if headed else rows, start=1 + headed):
        if len(row) <= max(one, two) and len(row) != 1:
            raise DataError(f"Row {number} of {path.name} has no two ends of an edge.")
        cells = [*row, "", "", "", ""]
        if not cells[one]:
            raise DataError(f"Row {number} of {path.name} has no node to begin at.")
        heavy = cells[weight] if weight is not None and cells[weight] else None
        if heavy is not None and not is_number(heavy):
            raise DataError(f"Row {number} of {path.name} has the weight {heavy[:40]!r}, which is not a number.")
        found.append((cells[one], cells[two] if len(row) > 1 else "", heavy))
        types |= {cells[kind].lower()} if kind is not None and cells[kind] else set()
    pairs = {(a, b): heavy for a, b, heavy in found if b}
    back = [a == b or pairs.get((b, a), "") == heavy for (a, b), heavy in pairs.items()]
    both_ways = bool(back) and all(back) and len(pairs) == sum(bool(b) for _, b, _ in found)
    said = any(word.startswith(("directed", "true", "1", "yes")) for word in types)
    named = headed and rows[0][two].lower() in ("to", "head")
    one_way = any(a != b and (b, a) in pairs for a, b in pairs) and not both_ways
    parts = Parts(directed=said if types else named or one_way)
    _number_nodes(parts, found)
    for a, b, heavy in found:
        ends = (parts.node(a), parts.node(b)) if b else (0, -1)
        if b and (parts.directed or types or not both_ways or ends[0] <= ends[1]):
            parts.edge(*ends, heavy)
    return parts.graph()


def _number_nodes(parts: Parts, found: list[tuple[str, str, str | None]]) -> None:
    """Whole numbers in their order, words in that of their first use."""
    names = dict.fromkeys(name for a, b, _ in found for name in (a, b) if name)
    if all(re.fullmatch(r"\d{1,9}", name) for name in names) and not any(not b for _, b, _ in found):
        names = dict.fromkeys(sorted(names, key=int))
    for name in names:
        parts.node(name)


def edge_list_csv(graph: Graph) -> str:
    """A header, then an edge in each row; a node that the edges do not bring in its turn has a row of its own."""
    names, kind = distinct_names(graph), "directed" if graph.directed else "undirected"
    rows = [["source", "target", "type", *(["weight"] if graph.weighted else [])]]
    met = list(dict.fromkeys(graph.edges.ravel().tolist()))  # whole numbers are read in their order
    if (met if graph.names else sorted(met)) != list(range(graph.n)) or any(name.isdigit() for name in graph.names):
        rows += [[name, "", kind] for name in names]
    for (one, two), weight in zip(graph.edges.tolist(), graph.lengths.tolist()):
        rows.append([names[one], names[two], kind, *([shortest(weight)] if graph.weighted else [])])
    return table_text(rows)


def matrix_csv(graph: Graph) -> str:
    """The adjacency matrix with the names of the nodes along both sides."""
    if graph.n > MAX_MATRIX:
        raise DataError(f"A matrix may have {MAX_MATRIX:,} rows; save a graph of {graph.n:,} nodes as a list of edges.")
    if not graph.lengths.all():
        raise DataError(
            "A matrix has no place for an edge of weight 0, which means no edge there; save a list of edges."
        )
    names = distinct_names(graph)
    table = zip(names, graph.adjacency().tolist())
    return table_text([["", *names], *([name, *map(shortest, row)] for name, row in table)])
