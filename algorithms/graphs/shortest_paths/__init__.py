"""Shortest paths in a graph: as the wave runs from one node, or between all pairs.

The distance of two nodes is the least sum of weights along a path between them. Breadth-first search counts edges: the
nodes wait in a line, and the one that has waited longest passes the wave on to its neighbours. Dijkstra's algorithm
always takes the nearest of those that wait; since weights are not negative, no shorter path to it can be found later:

    d(v) <- min(d(v), d(u) + w(u, v))    for every edge from the node u that was taken.

Floyd and Warshall fill a table of all pairs by allowing one node k after the other as a stop on the way; weights may be
negative there, as long as no cycle is:

    d(i, j) <- min(d(i, j), d(i, k) + d(k, j)).

The path itself follows from remembering, for every node, which one came before. The largest distance of all is the
diameter. Loops never shorten a path.

Methods for Data Science section 12.1.6 (which names the three methods); Dijkstra 1959; Floyd 1962; Cormen et al.,
Introduction to Algorithms, chapters 22, 24 and 25.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    LazyCaption,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import NETWORKX_GRAPH
from algorithms.data import Array, DataError, Graph, Item
from algorithms.graphs.shortest_paths import solver, views, words
from algorithms.graphs.shortest_paths.solver import NONE, Wave
from algorithms.maths.adjacency import Adjacency, longest_distance
from algorithms.params import Between, Doc, UpTo, When, Zero

SLOWLY = 60
"""Up to so many nodes there is a frame when a node is taken and one when its neighbours are looked at; of larger graphs
several nodes make one frame."""
MOST_PAIRS = 500
"""Nodes of the largest table of all pairs."""
MOST_FOR_DIAMETER = 400
"""Nodes up to which the search also says how far apart any two nodes are: all paths take longer than one wave."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of shortest paths."""

    method: Annotated[
        Literal["breadth first", "Dijkstra", "Floyd-Warshall"],
        Doc(
            "Counting edges from one node, adding up weights from one node, or all pairs in a table (of at most "
            f"{MOST_PAIRS} nodes)."
        ),
    ] = "Dijkstra"
    from_: Annotated[
        int, Between(1, 20_000), UpTo("items"), Doc("The number of the node where paths begin; drag the flag.")
    ] = 1
    to: Annotated[
        int,
        Between(0, 20_000),
        UpTo("items"),
        Zero("farthest"),
        Doc("The number of the node to which a path is drawn, or 0 for the one that is farthest away; drag the flag."),
    ] = 0
    until: Annotated[
        Literal["everything is reached", "the target is reached"],
        When("method", "breadth first", "Dijkstra"),
        Doc("Whether the search ends as soon as the distance of the target is final."),
    ] = "everything is reached"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Distances and paths, as far as they are known."""

    distances: Array  # (n,) from the source, or (n, n) of all pairs; infinite where no path is known
    path: Array  # (p,) the nodes from the source to the target; empty where no path is known
    before: Array  # (n,) or (n, n): the node before each on its path, -1 for none
    taken: Array  # (t,) the nodes whose distance is final, in their order
    source: int
    target: int


def run(data: Graph, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Let the wave run from the source, or fill the table of all pairs."""
    source = _checked(data, params)
    adjacency = Adjacency.of(data, weighted=params.method != "breadth first")
    if params.method == "Floyd-Warshall":
        return (yield from _all_pairs(data, adjacency, params, source))
    ends = (source, params.to - 1 if params.to else _farthest(adjacency, source))
    wave = yield from _search(data, adjacency, params, ends)
    path = wave.path_to(ends[1])
    weighted = bool(data.weighted) and params.method == "Dijkstra"
    caption = words.closing(data, path, float(wave.distances[ends[1]]), ends, weighted)
    if data.n <= MOST_FOR_DIAMETER:
        distances = adjacency.distances()
        caption += " " + words.diameter(data, longest_distance(distances), bool(np.isfinite(distances).all()))
    yield _wave_frame(data, wave, params, ends, "result", caption, path)
    return Stop.COMPLETE


def _checked(data: Graph, params: Params) -> int:
    """The source; everything that cannot be worked on is refused."""
    for name, node in (("from", params.from_), ("to", params.to)):
        if node > data.n:
            raise DataError(f"{name} is {node}, but the graph has only {data.n} nodes.")
    solver.refuse_negative(data, params.method)
    if params.method == "Floyd-Warshall" and data.n > MOST_PAIRS:
        raise DataError(
            f"Floyd-Warshall fills a table of all pairs; {data.n:,} nodes have too many. Use at most {MOST_PAIRS}."
        )
    return params.from_ - 1


def _farthest(adjacency: Adjacency, source: int) -> int:
    """The node that the wave reaches last."""
    distances = adjacency.distances(np.array([source]))[0]
    return int(np.where(np.isfinite(distances), distances, -1.0).argmax())


def _search(
    data: Graph, adjacency: Adjacency, params: Params, ends: tuple[int, int]
) -> Generator[DrawnSnapshot, None, Wave]:
    """The wave from its beginning to its end, or to the target."""
    every = max(1, -(-data.n // SLOWLY))
    breadth = params.method == "breadth first"
    wave = None
    for wave in solver.waves(adjacency, ends[0], breadth, every, both=data.n <= SLOWLY):
        if wave.phase == "start":
            caption = words.opening(data, ends[0], params.method)
        else:
            caption = LazyCaption.of(words.wave_words, data, wave, params.method)
        yield _wave_frame(data, wave, params, ends, wave.phase, caption)
        if params.until == "the target is reached" and ends[1] in wave.taken:
            break
    assert wave is not None
    return wave


def _wave_frame(
    data: Graph, wave: Wave, params: Params, ends: tuple[int, int], phase: str, caption: str, path: Array = NONE
) -> DrawnSnapshot:
    ignored = params.method == "breadth first" and bool(data.weighted)
    return DrawnSnapshot(
        model=Model(wave.distances, wave.path_to(ends[1]), wave.before, wave.taken, *ends),
        views=LazyViews(views.wave_views, data, wave, ends, path),
        metrics={
            "reached": len(wave.taken) + wave.waits,
            "waiting": wave.waits,
            "lowered": wave.total,
            "farthest": wave.distances.max(where=wave.before >= 0, initial=0.0),
        },
        phase=phase,
        caption=caption,
        warning="Breadth first counts edges: the weights of this graph are not looked at." if ignored else "",
    )


def _all_pairs(data: Graph, adjacency: Adjacency, params: Params, source: int) -> DrawnRun:
    """The table of all pairs, stop by stop."""
    every = max(1, -(-data.n // SLOWLY))
    *_, last = solver.floyd_warshall(adjacency, adjacency.n)
    row = np.where(np.isfinite(last.distances[source]), last.distances[source], -np.inf)
    ends = (source, params.to - 1 if params.to else int(row.argmax()))
    for table in solver.floyd_warshall(adjacency, every):
        first = table.stops == 0
        caption = words.opening(data, source, params.method) if first else words.table_words(data, table, every)
        yield _table_frame(data, table, ends, every, "start" if first else "stop", caption)
    path = last.path(*ends)
    caption = words.closing(data, path, float(last.distances[ends]), ends, bool(data.weighted))
    longest = words.diameter(data, longest_distance(last.distances), bool(np.isfinite(last.distances).all()))
    yield _table_frame(data, last, ends, every, "result", f"{caption} {longest}")
    return Stop.COMPLETE


def _table_frame(
    data: Graph, table: solver.Table, ends: tuple[int, int], every: int, phase: str, caption: str
) -> DrawnSnapshot:
    known = np.isfinite(table.distances)
    return DrawnSnapshot(
        model=Model(table.distances, table.path(*ends), table.before, np.arange(table.stops), *ends),
        views=LazyViews(views.table_views, data, table, ends, every, phase == "result"),
        metrics={
            "reached": known[ends[0]].sum(),
            "waiting": data.n - table.stops,
            "lowered": table.total,
            "farthest": table.distances[known].max(),
        },
        phase=phase,
        caption=caption,
    )


def explain(model: Model, data: Graph, item: Item) -> Explanation:
    """How far a node is, and by which path; or what an edge is good for."""
    if item.what == "edge":
        before = model.before[model.source] if model.distances.ndim == 2 else model.before
        return words.explain_edge(data, before, model.path, model.source, item.number)
    if model.distances.ndim == 2:
        ends = (model.source, model.target)
        return words.explain_table(data, model.distances, model.before, ends, item.number)
    return words.explain_wave(data, model.distances, model.before, model.taken, model.source, item.number)


def counterpart(params: Params, case: Case | None = None) -> Counterpart | None:
    """The same distances from networkx."""
    weight = "None" if params.method == "breadth first" else "'weight'"
    imports, make = NETWORKX_GRAPH, "np.asarray(nx.floyd_warshall_numpy(G))"
    if params.method != "Floyd-Warshall":
        imports += f"\nlengths = nx.shortest_path_length(G, {params.from_ - 1}, weight={weight})"
        make = "np.array([lengths.get(node, np.inf) for node in range(data.n)])"
    early = params.until == "the target is reached" and params.method != "Floyd-Warshall"
    return Counterpart(
        imports=imports,
        make=make,
        difference="np.abs(np.nan_to_num(ours.model.distances, posinf=-1) - np.nan_to_num(theirs, posinf=-1)).max()",
        measure="largest difference of a distance",
        caveat="The search of mlviz ended at the target; networkx goes on." if early else "",
        package="networkx",
        estimator=False,
        target=False,
    )


ALGORITHM = Algorithm(
    key="shortest_paths",
    title="Shortest paths",
    family="graphs",
    summary="Finds how far every node is and by which path, as a wave from one node or between all pairs at once.",
    params=Params,
    run=run,
    explain=explain,
    counterpart=counterpart,
    accepts=(Graph,),
    panels=(
        Panel("graph", "Graph", space="data"),
        Panel("queue", "Queue", x="nodes as they are taken", y="distance"),
        Panel("table", "Distances of all pairs", x="to node", y="from node"),
    ),
    metrics=(
        Metric("reached", "nodes reached", group="nodes", better="neither"),
        Metric("waiting", "nodes that wait", group="nodes", better="neither"),
        Metric("lowered", "distances lowered", group="work", better="neither"),
        Metric("farthest", "largest distance so far", group="distance", better="neither"),
    ),
    pseudocode=(
        Line("d(source) ← 0, d(others) ← ∞; the source waits", "start"),
        Line("while the queue is not empty:"),
        Line("    u ← take the nearest node (breadth first: the oldest)", "take"),
        Line("    for every edge u → v:"),
        Line("        if d(u) + w(u,v) < d(v): d(v) ← d(u) + w(u,v), v waits", "relax"),
        Line("or, between all pairs: for every node k:"),
        Line("    d(i,j) ← min(d(i,j), d(i,k) + d(k,j)) for all i, j", "stop"),
        Line("follow the nodes before back from the target", "result"),
    ),
    reference="Methods for Data Science §12.1.6; Dijkstra 1959; Floyd 1962; Cormen et al., chapters 22, 24, 25",
    example="florentine()",
    synonyms=("BFS", "breadth-first search", "Dijkstra", "Floyd-Warshall", "geodesic distance", "diameter", "route"),
    formulas=(
        r"\text{Dijkstra:}\quad d(v) \leftarrow \min\left( d(v),\ d(u) + w(u, v) \right) \quad \text{for every edge "
        "from the nearest node } u",
        r"\text{Floyd and Warshall:}\quad d(i, j) \leftarrow \min\left( d(i, j),\ d(i, k) + d(k, j) \right)",
    ),
    tries=(
        Try(
            "A wave in a grid with walls: the front goes around them.",
            "grid(rows=8,columns=12,walls=0.25,seed=3)",
            {"method": "breadth first"},
        ),
        Try(
            "A ring with a few shortcuts: everybody is near everybody.",
            "small_world(n=40,rewiring=0.1,seed=1)",
            {"method": "Dijkstra"},
        ),
        Try(
            "All pairs at once: the table fills as one node after the other is allowed as a stop.",
            "florentine()",
            {"method": "Floyd-Warshall"},
        ),
    ),
)
