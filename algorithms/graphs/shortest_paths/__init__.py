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

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import NETWORKX_GRAPH
from algorithms.data import Array, DataError, Graph, Item
from algorithms.foreign import Shape, steps_of
from algorithms.graphs.shortest_paths import solver, words
from algorithms.graphs.shortest_paths.solver import NONE, Wave
from algorithms.graphs.shortest_paths.views import views
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


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The graph, the ends of the path that was asked for, and how it is looked for."""

    data: Graph
    method: str
    source: int
    target: int
    every: int  # nodes that make one frame of a large graph


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The queue of a search and what its last node has brought nearer; of a table only how many pairs."""

    via: Array = field(default_factory=NONE.copy)  # (n,) the edge that leads to each node, -1 for none
    waiting: Array = field(default_factory=NONE.copy)  # (q,) the queue, its head first
    looked_at: Array = field(default_factory=NONE.copy)  # (k,) the edges from the node that was taken last
    lowered: Array = field(default_factory=NONE.copy)  # (l,) nodes that they brought nearer
    old: Array = field(default_factory=NONE.copy)  # (l,) how far those were before
    pairs: int = 0  # pairs of nodes that the last stops have brought nearer
    longest: tuple[float, int, int] | None = None  # the diameter, and the two nodes that are so far apart
    connected: bool = True


Shot = Snapshot[Given, Model, Shown]


def run(data: Graph, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Let the wave run from the source, or fill the table of all pairs."""
    source = _checked(data, params)
    adjacency = Adjacency.of(data, weighted=params.method != "breadth first")
    if params.method == "Floyd-Warshall":
        return (yield from _all_pairs(data, adjacency, params, source))
    target = params.to - 1 if params.to else _farthest(adjacency, source)
    given = Given(data, params.method, source, target, max(1, -(-data.n // SLOWLY)))
    breadth = params.method == "breadth first"
    for wave in solver.waves(adjacency, source, breadth, given.every, both=data.n <= SLOWLY):
        yield (last := _of_wave(given, wave))
        if params.until == "the target is reached" and target in wave.taken:
            break
    yield replace(last, phase="result", shown=_with_diameter(last.shown, adjacency))
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


def _of_wave(given: Given, wave: Wave) -> Shot:
    model = Model(wave.distances, wave.path_to(given.target), wave.before, wave.taken, given.source, given.target)
    numbers = {
        "reached": len(wave.taken) + wave.waits,
        "waiting": wave.waits,
        "lowered": wave.total,
        "farthest": wave.distances.max(where=wave.before >= 0, initial=0.0),
    }
    shown = Shown(wave.via, wave.waiting, wave.looked_at, wave.lowered, wave.old)
    return Snapshot(given, wave.phase, model, numbers, shown)


def _with_diameter(shown: Shown, adjacency: Adjacency) -> Shown:
    """How far apart any two nodes can be, where the graph is small enough to find out."""
    if adjacency.n > MOST_FOR_DIAMETER:
        return shown
    table = adjacency.distances()
    return replace(shown, longest=longest_distance(table), connected=bool(np.isfinite(table).all()))


def _all_pairs(data: Graph, adjacency: Adjacency, params: Params, source: int) -> Run[Shot]:
    """The table of all pairs, stop by stop."""
    every = max(1, -(-data.n // SLOWLY))
    *_, last = solver.floyd_warshall(adjacency, adjacency.n)
    row = np.where(np.isfinite(last.distances[source]), last.distances[source], -np.inf)
    target = params.to - 1 if params.to else int(row.argmax())
    given = Given(data, params.method, source, target, every)
    for table in solver.floyd_warshall(adjacency, every):
        known = np.isfinite(table.distances)
        numbers = {
            "reached": known[source].sum(),
            "waiting": data.n - table.stops,
            "lowered": table.total,
            "farthest": table.distances[known].max(),
        }
        path, stops = table.path(source, target), np.arange(table.stops)
        model = Model(table.distances, path, table.before, stops, source, target)
        yield (shot := Snapshot(given, "stop" if table.stops else "start", model, numbers, Shown(pairs=table.lowered)))
    connected = bool(np.isfinite(last.distances).all())
    shown = Shown(longest=longest_distance(last.distances), connected=connected)
    yield replace(shot, phase="result", shown=shown)
    return Stop.COMPLETE


def adopt(data: Graph, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's search: the ``distances`` (n,) at first, then with the ``node`` that was taken, from 0."""
    source = _checked(data, params)
    if params.method == "Floyd-Warshall":
        raise DataError("A run of your own is shown as a search from one node: choose Dijkstra or breadth first.")
    adjacency = Adjacency.of(data, weighted=params.method != "breadth first")
    given = Given(data, params.method, source, params.to - 1 if params.to else _farthest(adjacency, source), 1)
    wave: Wave | None = None
    wanted: dict[str, Shape] = {"distances": (data.n,), "node": ()}
    for step, (distances, node) in enumerate(steps_of(foreign, wanted, optional=1, infinite=True)):
        if node is not None and node not in range(data.n):
            raise DataError(f"Step {step} takes the node {node:g}; the nodes are 0 to {data.n - 1}.")
        wave = solver.followed(wave, adjacency, distances, None if node is None else int(node))
        yield _of_wave(given, wave)


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
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    questions=(
        Question("Which node is taken next?", "take", "model.taken"),
        Question("Which nodes does it bring nearer?", "relax", "shown.lowered"),
        Question("How many pairs does the next stop bring nearer?", "stop", "shown.pairs"),
    ),
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
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
