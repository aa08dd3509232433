"""Sets of graphs as JSON: a list of graphs in the node-link form, each with its class.

{"graphs": [{"class": "ring", "nodes": [...], "links": [...]}, ...]}
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from algorithms.data import DataError, Graph, GraphSet
from algorithms.data.graph_set import MAX_GRAPHS
from mlviz.data.graph_files.node_link import held_graph, json_is, json_value, node_link_json
from mlviz.data.graph_files.parts import file_text


def read_graph_set(path: Path) -> GraphSet:
    """The graphs in a file."""
    return graph_set_of(file_text(path), path.name)


def graph_set_of(text: str, name: str = "The text") -> GraphSet:
    """The graphs of a text."""
    held = json_value(text, name)
    if not _is_graph_set(held):
        raise DataError(f"{name} is no set of graphs: it must have a list of graphs.")
    described = held["graphs"]
    if len(described) > MAX_GRAPHS:
        raise DataError(f"{name} has {len(described):,} graphs; at most {MAX_GRAPHS:,} can be used.")
    graphs = tuple(_graph(one, f"Graph {number} of {name}") for number, one in enumerate(described, start=1))
    labels = [one.get("class") for one in described]
    if all(label is None for label in labels):
        return GraphSet(graphs)
    for number, label in enumerate(labels, start=1):
        if not isinstance(label, str | int | float) or isinstance(label, bool):
            raise DataError(f"Graph {number} of {name} has no class, but others have one.")
    words = [str(label) for label in labels]
    listed = held.get("classes")
    if isinstance(listed, list) and listed and all(word in listed for word in set(words)):
        return GraphSet(graphs, [listed.index(word) for word in words], tuple(map(str, listed)))  # type: ignore[arg-type]
    return GraphSet(graphs, words)  # type: ignore[arg-type]


def _graph(held: Any, name: str) -> Graph:
    empty = isinstance(held, dict) and held.get("nodes") == [] and held.get("links", held.get("edges")) == []
    if not empty:
        return held_graph(held, name)
    return Graph(0, [], directed=held.get("directed") is True)  # type: ignore[arg-type]


def _is_graph_set(held: Any) -> bool:
    found = held.get("graphs") if isinstance(held, dict) else None
    return isinstance(found, list) and bool(found) and all(isinstance(one, dict) for one in found)


def looks_like_graph_set(path: Path) -> bool:
    """Whether a JSON file holds a set of graphs."""
    return json_is(path, _is_graph_set)


def graph_set_json(data: GraphSet) -> str:
    """The graphs in the node-link form, each with the name of its class."""
    made = []
    for number, graph in enumerate(data.graphs):
        text = node_link_json(graph).strip()
        label = "" if data.y is None else f'"class": {_written(data.classes[int(data.y[number])])}, '
        made.append("{" + label + text[1:])
    classes = f'"classes": {_written(list(data.classes))},\n' if data.classes else ""
    return f'{{{classes}"graphs": [\n' + ",\n".join(made) + "\n]}\n"


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
