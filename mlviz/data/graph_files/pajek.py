"""Graphs in the format of Pajek."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from algorithms.data import DataError, Graph
from algorithms.data.graph import MAX_NODES
from mlviz.data.encoding import refuse_long_line
from mlviz.data.graph_files.parts import Parts, distinct_names, finite_number, is_number, shortest, table_lines


def read_pajek(path: Path) -> Graph:
    """Pajek's sections: vertices, then arcs, edges, lists of them, or a matrix.

    networkx takes edges after arcs for arcs, and vertices of one name for one vertex.
    """
    parts, section, count, row = Parts(), "", 0, 0
    lines = [line for line in table_lines(path) if not line.lstrip().startswith("%")]
    heads = [line.split()[0].lower() for line in lines if line.lstrip().startswith("*")]
    if heads.count("*vertices") > 1:
        raise DataError(f"{path.name} says twice how many vertices there are.")
    parts.directed = any(head.startswith(("*arcs", "*matrix")) for head in heads)
    for line in lines:
        refuse_long_line(line, path.name)
        cells = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', line)]
        if line.lstrip().startswith("*"):
            section, row = cells[0].lower(), 0
            if section == "*vertices":
                count = _vertex_count(path, cells)
                for number in range(count):
                    parts.node(number, {"label": number + 1})
        elif section == "*vertices":
            _vertex(parts, path, cells, count)
        elif section in ("*arcs", "*edges", "*arcslist", "*edgeslist"):
            _lines_of(parts, path, cells, section)
        elif section == "*matrix":
            ends = [(row, column, finite_number(cell, "A cell of the matrix")) for column, cell in enumerate(cells)]
            for one, two, weight in ends:
                if weight:
                    parts.edge(_vertex_number(path, one + 1, count), _vertex_number(path, two + 1, count), weight)
            row += 1
    if not heads:
        raise DataError(f"{path.name} does not say how many vertices there are.")
    parts.weighted = any(weight != 1.0 for weight in parts.edges.values())  # every line has a weight, mostly 1
    return parts.graph()


def _vertex_count(path: Path, cells: list[str]) -> int:
    if len(cells) < 2 or not re.fullmatch(r"\d{1,9}", cells[1]):
        raise DataError(f"{path.name} does not say how many vertices there are.")
    if int(cells[1]) > MAX_NODES:
        raise DataError(f"The graph has {int(cells[1]):,} nodes; at most {MAX_NODES:,} can be used.")
    return int(cells[1])


def _vertex(parts: Parts, path: Path, cells: list[str], count: int) -> None:
    facts: dict[str, Any] = {"label": cells[1]} if len(cells) > 1 else {}
    if len(cells) > 3 and is_number(cells[2]) and is_number(cells[3]):
        facts |= {"x": float(cells[2] or 0), "y": float(cells[3] or 0)}
    parts.facts[_vertex_number(path, cells[0], count)] |= facts


def _lines_of(parts: Parts, path: Path, cells: list[str], section: str) -> None:
    if len(cells) < 2:
        raise DataError(f"A line of {path.name} has no two ends.")
    listed = section.endswith("list")
    first, *others = [_vertex_number(path, cell, count=len(parts.numbers)) for cell in (cells if listed else cells[:2])]
    weight = cells[2] if len(cells) > 2 and not listed and is_number(cells[2]) else 1
    for other in others:
        parts.edge(first, other, weight)
        if parts.directed and section.startswith("*edges") and other != first:
            parts.edge(other, first, weight)


def _vertex_number(path: Path, cell: str | int, count: int) -> int:
    text = str(cell)
    if not re.fullmatch(r"\d{1,9}", text) or not 1 <= int(text) <= count:
        raise DataError(f"{path.name} speaks of the vertex {text[:40]!r}; there are vertices 1 to {count}.")
    return int(text) - 1


def pajek_text(graph: Graph) -> str:
    """Pajek's format; quotation marks cannot stand in its names, and groups have no place in it."""
    rows = [f"*Vertices {graph.n}"]
    for node, name in enumerate(distinct_names(graph)):
        at = "" if graph.positions is None else " {!r} {!r}".format(*graph.positions[node].tolist())
        quoted = name.replace('"', "'")
        rows.append(f'{node + 1} "{quoted}"{at}')
    rows.append("*Arcs" if graph.directed else "*Edges")
    for (one, two), weight in zip(graph.edges.tolist(), graph.lengths.tolist()):
        rows.append(f"{one + 1} {two + 1} {shortest(weight)}")
    return "\n".join(rows) + "\n"
