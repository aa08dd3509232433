"""Famous graphs that come with the laboratory, as node-link JSON; their sources stand beside the files."""

from __future__ import annotations

import json

from algorithms.data import Graph
from mlviz.data.builtin import Builtin


def _read(text: str) -> Graph:
    from mlviz.data.graph_files.node_link import node_link_graph  # with the first use: the start lists all sets

    return node_link_graph(text)


def _graph(name: str, title: str, doc: str) -> Builtin:
    return Builtin(name, title, doc, f"{name}.json", "graphs", "graph", _read)


def _one_of(text: str, which: str) -> Graph:
    return _read(json.dumps(json.loads(text)[which]))


GRAPHS: tuple[Builtin, ...] = (
    _graph(
        "karate",
        "Karate club",
        "Friendships of 34 members of a karate club that split in two: around the teacher and around the officer.",
    ),
    _graph(
        "florentine",
        "Florentine families",
        "Marriages between 15 families of Florence around 1430: the Medici were not the richest, but in the middle.",
    ),
    _graph(
        "les_miserables",
        "Les Misérables",
        "77 characters of Victor Hugo's novel; an edge counts the chapters in which two of them meet.",
    ),
    _graph(
        "small_web",
        "Small web",
        "Twelve pages and their links, with two dead ends and a trap that is easy to enter and impossible to leave.",
    ),
    Builtin(
        "textbook_graph",
        "Textbook graphs",
        "The small graphs on which the definitions of the course are worked out by hand.",
        "textbook_graphs.json",
        "graphs",
        "graph",
        _one_of,
        ("two triangles", "star", "directed star", "weighted star", "two pieces", "path", "two hubs"),
    ),
)
