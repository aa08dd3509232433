"""Graphs as JSON in the form of D3 and networkx."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from algorithms.data import DataError, Graph
from mlviz.data.graph_files.parts import MAX_PARTS, Parts, file_text, node_facts, plain, refuse_many


def read_node_link(path: Path) -> Graph:
    """The form of D3 and networkx: an object with lists of nodes and of links (or edges)."""
    return node_link_graph(file_text(path), path.name)


def node_link_graph(text: str, name: str = "The text") -> Graph:
    """The graph of a text in the form of D3 and networkx."""
    return held_graph(json_value(text, name), name)


def json_value(text: str, name: str) -> Any:
    """What a text in JSON holds."""
    refuse_many(_values(text), "values", name)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # a ValueError where a number has thousands of digits
        where = f" from line {error.lineno}, column {error.colno} on" if isinstance(error, json.JSONDecodeError) else ""
        raise DataError(f"{name} is not JSON{where}.") from error


def held_graph(held: Any, name: str) -> Graph:
    """The graph that an object in the form of D3 and networkx describes."""
    if not _is_node_link(held):
        raise DataError(f"{name} is no graph: it must have a list of nodes and a list of links (or edges).")
    parts = Parts(directed=held.get("directed") is True)
    by_index = not any(isinstance(node, dict) and "id" in node for node in held["nodes"])
    for number, node in enumerate(held["nodes"]):
        facts = {key: value for key, value in node.items() if key != "id"} if isinstance(node, dict) else {}
        key = number if by_index and isinstance(node, dict) else node.get("id") if isinstance(node, dict) else node
        if parts.node(_key(key, name), facts) != number:
            raise DataError(f"The node {str(key)[:40]!r} is twice in {name}.")
        if by_index and isinstance(node, dict) and not {"label", "name"} & set(node):
            parts.facts[number]["label"] = number + 1
    for link in held["links"] if "links" in held else held["edges"]:
        one, two, weight = _ends_of(link, name)
        parts.edge(_known(parts, one, name), _known(parts, two, name), weight)
    return parts.graph()


def _is_node_link(held: Any) -> bool:
    links = held.get("links", held.get("edges")) if isinstance(held, dict) else None
    return isinstance(links, list) and isinstance(held.get("nodes"), list)


def looks_like_node_link(path: Path) -> bool:
    """Whether a JSON file holds a graph."""
    return json_is(path, _is_node_link)


def json_is(path: Path, what: Callable[[Any], bool]) -> bool:
    """Whether a file is JSON whose value passes a test; nothing too large is read."""
    try:
        text = file_text(path)
        return _values(text) <= MAX_PARTS and what(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _values(text: str) -> int:
    """At least as many as there are values in a text in JSON: each has a comma or a bracket before it."""
    return sum(map(text.count, ",[{"))


def _ends_of(link: Any, name: str) -> tuple[Any, Any, Any]:
    if isinstance(link, dict) and "source" in link and "target" in link:
        return link["source"], link["target"], link.get("weight", link.get("value"))
    if isinstance(link, list) and len(link) in (2, 3):
        return link[0], link[1], link[2] if len(link) == 3 else None
    raise DataError(f"A link of {name} has no source and target.")


def _key(value: Any, name: str) -> Any:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return value
    raise DataError(f"A node of {name} has the id {str(value)[:40]!r}, which is neither a word nor a number.")


def _known(parts: Parts, key: Any, name: str) -> int:
    if isinstance(key, dict | list) or key not in parts.numbers:
        raise DataError(f"A link of {name} leads to {str(key)[:40]!r}, which is not among its nodes.")
    return parts.numbers[key]


def node_link_json(graph: Graph) -> str:
    """Nodes with id, name, place and group; links with source, target and weight; a node or link in each line."""
    nodes = [json.dumps({"id": node + 1} | facts, ensure_ascii=False) for node, facts in enumerate(node_facts(graph))]
    links = []
    for (one, two), weight in zip(graph.edges.tolist(), graph.lengths.tolist()):
        link = {"source": one + 1, "target": two + 1} | ({"weight": plain(weight)} if graph.weighted else {})
        links.append(json.dumps(link))
    head = f'"directed": {json.dumps(graph.directed)}, "multigraph": false, "graph": {{}}'
    inside = ["[\n" + ",\n".join(rows) + "\n]" if rows else "[]" for rows in (nodes, links)]
    return f'{{{head},\n"nodes": {inside[0]},\n"links": {inside[1]}}}\n'
