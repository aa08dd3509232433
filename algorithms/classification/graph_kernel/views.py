"""What is seen of graph kernels: the triple that is counted, histograms, walks, the Gram matrix, the multipliers."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.graph_kernel.solver import is_pictured, walk_ends
from algorithms.contract import Views
from algorithms.data import Array, Graph
from algorithms.marks import Bars, Curve, Highlight, Links, Mark, NodeLink, Rings
from algorithms.maths.gram_views import matrix_mark, multiplier_bars
from algorithms.maths.layouts import placed

if TYPE_CHECKING:
    from algorithms.classification.graph_kernel import Model, Shot, Shown

_GAP = 0.35  # between two graphs side by side, as a fraction of the size of one


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    model, shown = shot.model, _looked_at(shot)
    data, walking = model.data, bool(shown.pair)
    return {
        "counted": _walks(model, shown) if walking else _triple(model, shown),
        "graphs": _graphs(shot, shown),
        "histogram": _lengths(model, shown) if walking else _histogram(model, shown),
        "gram": (matrix_mark(model.gram, data.y, shown.rows, "k of two graphs"),),
        "alphas": multiplier_bars(model.alpha, data.y, data.classes),
    }


def _looked_at(shot: Shot) -> Shown:
    """With the graph that is looked at in place of the one that is shown, as soon as something is known of it."""
    shown, item = shot.shown, shot.focus
    if item is None or item.number >= shown.known:
        return shown
    if shown.pair:
        return replace(shown, pair=(shown.pair[0], item.number), walks=())
    return replace(shown, graph=item.number)


def _graphs(shot: Shot, shown: Shown) -> tuple[Mark, ...]:
    """Which graphs are meant now."""
    model, moved = shot.model, shown.update.pair if shown.update else ()
    support = np.flatnonzero(model.alpha)
    if moved or len(support):
        marks = [Highlight(support, "free", "support vector")]
        if moved:
            marks.append(Highlight(np.array(moved), "changed", "the pair that moved"))
        elif shot.phase == "done":
            wrong = np.flatnonzero(model.labels() != model.data.y)
            marks += [Highlight(wrong, "bound", "misclassified")] if len(wrong) else []
        return tuple(marks)
    if shown.rows and model.data.n > 1:
        row = shown.rows - 1
        pair = np.unique([row, model.most_alike(row)[0]])
        return (Highlight(pair, "chosen", "a graph and the most similar one"),)
    if shown.pair:
        return (Highlight(np.unique(shown.pair), "chosen", "the two graphs"),)
    return (Highlight(np.array([shown.graph]), "chosen", "the graph that is counted"),)


# --- triples ----------------------------------------------------------------------------------------------------------


def _triple(model: Model, shown: Shown) -> tuple[Mark, ...]:
    """The graph, and of it the triple that is looked at, with the edges that it has."""
    graph = model.data.graphs[shown.graph]
    if not is_pictured(graph):
        return ()
    rings: tuple[Rings, ...] = ()
    links: tuple[Links, ...] = ()
    if shown.triple is not None:
        inside = np.isin(graph.edges, shown.triple).all(axis=1) & (graph.edges[:, 0] != graph.edges[:, 1])
        rings = (Rings(shown.triple, "current", "three nodes"),)
        links = (Links(np.flatnonzero(inside), "considered", "edges between them"),)
    return (_picture(graph, shown.graph, rings, links),)


@functools.lru_cache(maxsize=32)
def _places(graph: Graph) -> Array:
    """Where its nodes are, (n, 2); a graph without places is laid out once, and shown in many frames."""
    at = placed(graph).positions
    assert at is not None
    return at


def _picture(graph: Graph, number: int, rings: tuple[Rings, ...], links: tuple[Links, ...]) -> NodeLink:
    return NodeLink(
        _places(graph),
        graph.edges,
        graph.directed,
        tuple(graph.node_name(node) for node in range(graph.n)),
        points=np.full(graph.n, number),
        rings=rings,
        links=links,
    )


def _histogram(model: Model, shown: Shown) -> tuple[Mark, ...]:
    """The four kinds, as far as they are counted."""
    if shown.counts is not None:
        values = shown.counts / shown.total
    elif shown.known:
        values = model.features[shown.graph]
    else:
        values = np.zeros(4)
    y, number = model.data.y, np.full(4, shown.graph)
    groups = None if y is None else y[number]
    line = Curve(np.array([-0.5, 3.5]), np.full(2, shown.tallest), "largest of all graphs", quiet=True)
    return (Bars(values, ("0", "1", "2", "3"), points=number, groups=groups), line)


# --- walks ------------------------------------------------------------------------------------------------------------


def _walks(model: Model, shown: Shown) -> tuple[Mark, ...]:
    """The two graphs side by side: where walks of this length end, and one walk in each of them."""
    graphs = [model.data.graphs[k] for k in shown.pair]
    if not all(map(is_pictured, graphs)):
        return ()
    length = max(shown.length, 0)
    sizes = [graph.n for graph in graphs]
    first = (0, sizes[0])
    names = tuple(graph.node_name(node) for graph in graphs for node in range(graph.n))
    steps, tokens = [], []
    for graph, walk, start, edges in zip(graphs, shown.walks, first, (0, graphs[0].m), strict=False):
        if shown.length >= 0 and len(walk):
            tokens.append(start + int(walk[min(length, len(walk) - 1)]))
            steps += [edges + edge for edge in _taken(graph, walk[: length + 1])]
    return (
        NodeLink(
            _side_by_side(graphs),
            np.concatenate([graph.edges + start for graph, start in zip(graphs, first, strict=True)]),
            False,
            names,
            points=np.repeat(shown.pair, sizes),
            values=np.concatenate([walk_ends(graph, length) for graph in graphs]),
            values_name="fraction of walks ending here",
            links=(Links(np.unique(np.array(steps, dtype=np.intp)), "path", "one walk in each"),),
            tokens=np.array(tokens, dtype=np.intp),
            tokens_name="where it is",
        ),
    )


def _taken(graph: Graph, walk: Array) -> list[int]:
    """The edges that a walk has taken."""
    ends = np.sort(graph.edges, axis=1)
    steps = np.sort(np.column_stack([walk[:-1], walk[1:]]), axis=1)
    return [int(np.flatnonzero((ends == step).all(axis=1))[0]) for step in steps]


def _side_by_side(graphs: list[Graph]) -> Array:
    """The places of two graphs, equally large and next to each other, (n, 2); one without nodes takes none."""
    found = [np.empty((0, 2))]
    for k, graph in enumerate(graphs):
        if not graph.n:
            continue
        at = _places(graph)
        size = float(np.ptp(at, axis=0).max()) or 1.0
        found.append((at - (at.min(axis=0) + at.max(axis=0)) / 2) / size + (k * (1.0 + _GAP), 0.0))
    return np.concatenate(found)


def _lengths(model: Model, shown: Shown) -> tuple[Mark, ...]:
    """What the walks of each length add to k of the two graphs."""
    one, two = shown.pair
    terms = (model.features[one] * model.features[two])[: max(shown.length, 0) + 1]
    return (Bars(terms, tuple(map(str, range(len(terms))))),)
