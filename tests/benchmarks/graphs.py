"""Graphs: paths and centralities, every step yielded, against networkx; a frame of 1,000 nodes against matplotlib."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import shiboken6
from sklearn.svm import SVC

from algorithms import fit
from algorithms.contract import Panel
from algorithms.data import Graph
from algorithms.marks import Links, NodeLink
from mlviz.app import application
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.views.graph_view import GraphView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT
from tests.benchmarks.drawing import HEIGHT, WIDTH
from tests.benchmarks.record import Effort, Row, duel, duel_for, words


def measure(effort: Effort) -> list[Row]:
    """The fits, then the frame."""
    app = application()
    n = effort.size(1000, 60)
    graph = load_data(f"scale_free(n={n},links=3,weights=random,seed=1)")
    theirs = nx.Graph()
    theirs.add_weighted_edges_from(zip(*graph.edges.T.tolist(), graph.lengths.tolist()))
    matches: tuple[tuple[str, dict[str, Any], str, Callable[[], Any]], ...] = (
        ("shortest_paths", {}, "single_source_dijkstra", lambda: nx.single_source_dijkstra(theirs, 0)),
        ("centralities", {"kind": "betweenness"}, "betweenness_centrality", lambda: nx.betweenness_centrality(theirs)),
        (
            "centralities",
            {"kind": "eigenvector", "tol": 1e-6},
            "eigenvector_centrality",
            lambda: nx.eigenvector_centrality(theirs, max_iter=1000),
        ),
    )
    rows = [_fit(graph, *match, effort) for match in matches]
    rows.append(_kernel(effort))
    rows += _frame(effort)
    app.processEvents()
    return rows


def _fit(graph: Graph, key: str, params: dict[str, Any], name: str, act: Callable[[], Any], effort: Effort) -> Row:
    ours, theirs = duel_for(lambda: fit(key, copy.copy(graph), **params), act, effort.seconds(2.0), 15)
    best = float(ours.min()), float(theirs.min())
    case = f"{key}, {graph.n:,} nodes, {graph.m:,} edges" + "".join(f", {value}" for value in params.values())
    numbers = words(best[0]), words(best[1]), best[0] / best[1]
    return Row("fit", case, f"networkx {name}", *numbers, 3.0, summary=False)


def _kernel(effort: Effort) -> Row:
    """The kinds of triples of many graphs and the machine on them, against triangles one graph after the other."""
    data = load_data(f"friend_graphs(n={effort.size(300, 20)},smallest=20,largest=30,degree=5,seed=1)")
    others = [nx.Graph(graph.edges.tolist()) for graph in data.graphs]

    def act() -> Any:
        n, m = (np.array([count(graph) for graph in others]) for count in (len, nx.Graph.number_of_edges))
        triangles = np.array([sum(nx.triangles(graph).values()) // 3 for graph in others])
        degrees = [np.array([degree for _, degree in graph.degree]) for graph in others]
        paths = np.array([(d * (d - 1) // 2).sum() for d in degrees]) - 3 * triangles
        single = m * (n - 2) - 2 * paths - 3 * triangles
        total = n * (n - 1) * (n - 2) // 6
        features = np.column_stack([total - single - paths - triangles, single, paths, triangles]) / total[:, None]
        gram = features @ features.T
        return SVC(kernel="precomputed", C=100.0, tol=1e-3).fit(gram, data.y).decision_function(gram)

    model = fit("graph_kernel", data).model
    reached = float(np.abs(model.machines.decisions(model.gram)[:, 0] - act()).max())
    ours, theirs = duel_for(lambda: fit("graph_kernel", copy.copy(data)), act, effort.seconds(2.0), 15)
    best = float(ours.min()), float(theirs.min())
    detail = {"largest difference of f": reached, "same machine": bool(reached <= 2e-2)}
    numbers = words(best[0]), words(best[1]), best[0] / best[1]
    case = f"graph_kernel, n = {data.n:,}: triples"
    return Row("fit", case, "networkx triangles, SVC.fit", *numbers, 3.0, summary=False, detail=detail)


def _frame(effort: Effort) -> list[Row]:
    graph = load_data(f"scale_free(n={effort.size(1000, 60)},links=5,seed=1)")
    rng = np.random.default_rng(0)
    frames = [(rng.random(graph.n), rng.choice(graph.m, graph.m // 5, replace=False)) for _ in range(5)]
    view = GraphView(Panel("graph", "graph", "data"))
    view.resize(WIDTH, HEIGHT)
    view.set_scene(Scene.of(graph, Projection(), LIGHT))
    view.show()
    application().processEvents()
    ours, theirs = duel(
        _our_frame(view, frames), _matplotlib_frame(graph, frames), effort.many(60, 3), warm=effort.many(5, 1)
    )
    view.hide()
    shiboken6.delete(view)
    median, p95 = float(np.median(ours)), float(np.percentile(ours, 95))
    case = f"{graph.n:,} nodes recoloured, {graph.m:,} edges, a fifth of them lit, 900x700"
    other = float(np.median(theirs))
    return [
        Row("frame", case, "matplotlib (Agg), artists kept", words(median), words(other), median / other, 1 / 8),
        Row("frame", "p95 of our frame of a graph", "16 ms", words(p95), "16 ms", p95 / 0.016, 1.0),
    ]


def _our_frame(view: GraphView, frames: list[tuple[np.ndarray, np.ndarray]]) -> Callable[[], None]:
    number = 0

    def draw() -> None:
        nonlocal number
        number += 1
        values, lit = frames[number % len(frames)]
        view.show_marks((NodeLink(values=values, values_name="value", links=(Links(lit, "tree", "tree"),)),))
        view.viewport().repaint()

    return draw


def _matplotlib_frame(graph: Graph, frames: list[tuple[np.ndarray, np.ndarray]]) -> Callable[[], None]:
    """The same picture with artists that are kept and updated."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    assert graph.positions is not None
    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    lines = graph.positions[graph.edges]
    axes.add_collection(LineCollection(list(lines), colors="#aaaaaa", linewidths=0.7))
    tree = axes.add_collection(LineCollection([], colors="#0b63b0", linewidths=1.2))
    nodes = axes.scatter(*graph.positions.T, c=frames[0][0], cmap="coolwarm", s=25, edgecolors="w", zorder=3)
    axes.set_aspect("equal")
    number = 0

    def draw() -> None:
        nonlocal number
        number += 1
        values, lit = frames[number % len(frames)]
        nodes.set_array(values)
        tree.set_segments(list(lines[lit]))
        canvas.draw()

    return draw
