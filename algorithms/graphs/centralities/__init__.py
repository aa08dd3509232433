"""Centralities: which nodes of a graph matter most, by six meanings of the word.

With the edges A_ij from j to i, the distances d_ij, n nodes and E edges in all,

    degree        c_i = d_i / 2E                      how many edges end at i
    closeness     c_i = 1 / (1/n sum_j d_ij)          how near i is to everybody
    betweenness   c_i = sum over pairs of sigma_jk(i) / sigma_jk, over the number of pairs:
                                                      how many shortest paths of others lead through i
    eigenvector   A c = lambda c, lambda largest      how important the neighbours are (power steps)
    Katz          c = alpha A c + 1                   the same, with something of one's own; alpha < 1 / lambda
    HITS          a = A h, h = A^T a                  authorities are pointed to by hubs, hubs point to authorities

Betweenness is found source by source (Brandes): counts of shortest paths grow outwards, and what depends on a node
comes back inwards. Power steps use A + I, which has the same eigenvectors: on a star plain steps would swing for ever.
In a directed graph edges count where they end, and closeness measures the distances to the node.

Methods for Data Science section 12.6, whose closeness has 1/n where most others have 1/(n - 1), and which has neither
Katz nor HITS; Brandes 2001; Katz 1953; Kleinberg 1999; Newman, Networks, chapter 7.
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
from algorithms.graphs.centralities import solver, words
from algorithms.graphs.centralities.solver import NONE, Step
from algorithms.graphs.centralities.views import views
from algorithms.maths.adjacency import Adjacency
from algorithms.maths.words import listed
from algorithms.params import Advanced, Between, Doc, Log, When

MOST_FRAMES = 150
"""Nodes or edges that are shown one by one; of more, several make one frame."""
MOST_IN_TABLE = 3000
"""Nodes whose table of edges fits into the memory of a small computer."""
ITERATED = ("eigenvector", "Katz", "HITS")
PHASES = {"degree": "edge", "closeness": "node", "betweenness": "source"}


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of centralities."""

    kind: Annotated[
        Literal["degree", "closeness", "betweenness", "eigenvector", "Katz", "HITS"],
        Doc(
            "What makes a node central: its edges, being near, being between, or having central neighbours (the last "
            f"three keep a table of all pairs, of at most {MOST_IN_TABLE:,} nodes)."
        ),
    ] = "betweenness"
    scaling: Annotated[
        Literal["standard", "as in networkx", "none"],
        When("kind", "degree", "closeness", "betweenness"),
        Doc(
            "By what sums are divided: all edge ends, the mean distance over all n nodes, all pairs; by n - 1 as in "
            "networkx; or not at all."
        ),
    ] = "standard"
    weights: Annotated[
        Literal["ignored", "used"],
        Doc("Whether weights count: as lengths for closeness and betweenness, as strengths for the others."),
    ] = "ignored"
    attenuation: Annotated[
        float,
        Between(0.01, 0.99),
        When("kind", "Katz"),
        Doc("How much of a neighbour's value is passed on, as a fraction of what would let the sums grow for ever."),
    ] = 0.85
    side: Annotated[
        Literal["authorities", "hubs"], When("kind", "HITS"), Doc("Which of the two values of a node is shown.")
    ] = "authorities"
    tol: Annotated[
        float,
        Between(1e-12, 1e-2),
        Log,
        Advanced,
        When("kind", "eigenvector", "Katz", "HITS"),
        Doc("Stop when a round changes the values by less than this."),
    ] = 1e-9
    max_steps: Annotated[
        int,
        Between(1, 10_000),
        Log,
        Advanced,
        When("kind", "eigenvector", "Katz", "HITS"),
        Doc("Most rounds."),
    ] = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The values so far."""

    values: Array  # (n,)
    kind: str
    title: str  # what the values are called
    done: int  # edges, nodes or rounds gone through
    eigenvalue: float = 0.0  # the largest one, where the values are its eigenvector
    other: Array | None = None  # (n,) the hubs where the values are authorities, or the reverse


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The graph, and what the values of its nodes mean."""

    data: Graph
    kind: str
    title: str  # what the values are called
    parts: int  # of the graph, where their number matters; otherwise 1


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What was worked on last, and who is ahead."""

    ahead: int = 0  # the node with the largest value
    node: int = -1
    edges: Array = field(default_factory=NONE.copy)  # (k,) those that played a part
    limited: bool = False  # the rounds ran out


Shot = Snapshot[Given, Model, Shown]


def run(data: Graph, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Go through edges, nodes or rounds, until all are counted or nothing changes any more."""
    _check(data, params)
    kind, iterated = params.kind, params.kind in ITERATED
    given = Given(data, kind, _title(params), _parts(data, params))
    values = np.full(data.n, 1.0 / np.sqrt(data.n)) if iterated else np.zeros(data.n)
    stop = Stop.LIMIT if iterated else Stop.COMPLETE
    yield (shot := _shot(given, "start", Step(values), 0.0))
    for step in _steps(data, params, _every(data, kind)):
        step = replace(step, values=step.values * _scale(data, params))
        change = float(np.linalg.norm(step.values - values))
        values = step.values
        yield (shot := _shot(given, PHASES.get(kind, "round"), step, change))
        if iterated and change <= params.tol:
            stop = Stop.CONVERGED
            break
    shown = replace(shot.shown, limited=stop is Stop.LIMIT)
    yield replace(shot, phase="result", metrics={**shot.metrics, "change": 0.0}, shown=shown)
    return stop


def _shot(given: Given, phase: str, step: Step, change: float) -> Shot:
    other = step.other if len(step.other) else None
    model = Model(step.values, given.kind, given.title, step.done, step.eigenvalue, other)
    shown = Shown(int(step.values.argmax()), step.node, step.edges)
    return Snapshot(given, phase, model, {"largest": step.values.max(), "change": change}, shown)


def _title(params: Params) -> str:
    """What the values are called."""
    if params.kind == "HITS":
        return "authority" if params.side == "authorities" else "hub value"
    return f"{params.kind} centrality" if params.kind in ("eigenvector", "Katz") else params.kind


def _check(data: Graph, params: Params) -> None:
    if params.weights == "used":
        solver.refuse_bad_weights(data, params.kind)
    if params.kind in ITERATED and data.n > MOST_IN_TABLE:
        raise DataError(
            f"{params.kind} needs a table of all pairs; {data.n:,} nodes have too many. Use at most {MOST_IN_TABLE:,}."
        )
    if params.kind == "HITS" and not data.m:
        raise DataError("Without edges there are neither hubs nor authorities.")
    if params.kind == "eigenvector" and not solver.has_cycle(data):
        why = "no path leads back to where it began" if data.m else "there are no edges"
        raise DataError(f"There is no eigenvector centrality here: {why}, so the only eigenvalue is 0. Katz works.")
    if params.kind in ITERATED and params.weights == "used" and data.m and not data.lengths.any():
        raise DataError("All weights are 0, so no node passes anything on to another.")


def _parts(data: Graph, params: Params) -> int:
    """How many parts the graph has, where a node that cannot be reached changes the values."""
    reached_only = params.kind == "closeness" and params.scaling == "as in networkx"
    return solver.pieces(data) if params.kind in ("closeness", "eigenvector") and not reached_only else 1


def _every(data: Graph, kind: str) -> int:
    """How many edges or nodes make one frame."""
    return max(1, -(-(data.m if kind == "degree" else data.n) // MOST_FRAMES))


def _steps(data: Graph, params: Params, every: int) -> Iterator[Step]:
    kind, weighted = params.kind, params.weights == "used"
    if kind == "degree":
        return solver.degrees(data, weighted, every)
    if kind == "closeness":
        return solver.closeness(Adjacency.of(data, weighted), every, params.scaling == "as in networkx")
    if kind == "betweenness":
        return solver.betweenness(Adjacency.of(data, weighted), every)
    table, unit = solver.influence(data, weighted)
    if kind == "eigenvector":
        return solver.eigenvector(table, unit, params.max_steps)
    if kind == "Katz":
        top = solver.largest_eigenvalue(table) if solver.has_cycle(data) else 1.0  # without a cycle any alpha will do
        return solver.katz(table, params.attenuation / top, params.max_steps)
    return solver.hits(table, params.max_steps, params.side == "hubs")


def _scale(data: Graph, params: Params) -> float:
    """By what the sums of degree, closeness and betweenness are multiplied."""
    n = data.n
    pairs = (n - 1) * (n - 2) or 1
    once = 1.0 if data.directed else 0.5  # without directions every pair is met from both of its ends
    total = float(data.lengths.sum()) if params.weights == "used" else float(data.m)
    factors = {
        ("degree", "standard"): 0.5 / (total or 1.0),
        ("degree", "as in networkx"): 1.0 / max(n - 1, 1),
        ("closeness", "standard"): float(n),
        ("closeness", "as in networkx"): float(n - 1),
        ("betweenness", "none"): once,
        ("betweenness", "standard"): 1.0 / pairs,
        ("betweenness", "as in networkx"): 1.0 / pairs,
    }
    return factors.get((params.kind, params.scaling), 1.0)


def adopt(data: Graph, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's power iteration: the ``values`` (n,) at first and after every round."""
    if params.kind not in ITERATED:
        raise DataError(f"A run of your own is shown as rounds: choose one of {listed(ITERATED, 'or')}.")
    _check(data, params)
    given = Given(data, params.kind, _title(params), _parts(data, params))
    table, unit = solver.influence(data, params.weights == "used")
    before: Array | None = None
    wanted: dict[str, Shape] = {"values": (data.n,)}
    for step, (values,) in enumerate(steps_of(foreign, wanted)):
        square = float(values @ values) or 1.0
        eigenvalue = float(values @ table @ values) / square * unit if params.kind == "eigenvector" else 0.0
        change = 0.0 if before is None else float(np.linalg.norm(values - before))
        yield _shot(given, "start" if before is None else "round", Step(values, step, eigenvalue=eigenvalue), change)
        before = values


def explain(model: Model, data: Graph, item: Item) -> Explanation:
    """The value of a node and its place among the others; of an edge, the values at both ends."""
    if item.what == "edge":
        return words.explain_edge(data, model.values, item.number)
    return words.explain_node(data, model.kind, model.title, model.values, item.number)


def counterpart(params: Params, case: Case | None = None) -> Counterpart | None:
    """The same values from networkx, scaled alike."""
    kind, weighted, scaling = params.kind, params.weights == "used", params.scaling
    if weighted and kind in ("degree", "Katz", "HITS"):
        return None  # networkx has no weighted degree centrality, and takes weights as they are, not beside the largest
    if case is not None and isinstance(case.data, Graph) and not _networkx_can(kind, case.data):
        return None
    weight = "'weight'" if weighted else "None"
    values = {
        "degree": "nx.degree_centrality(G)",
        "closeness": f"nx.closeness_centrality(G, distance={weight}, wf_improved={scaling == 'as in networkx'})",
        "betweenness": f"nx.betweenness_centrality(G, normalized={scaling != 'none'}, weight={weight})",
        "eigenvector": f"nx.eigenvector_centrality_numpy(G, weight={weight})",
        "Katz": f"nx.katz_centrality_numpy(G, {params.attenuation} / top)",
        "HITS": f"nx.hits(G, tol=1e-12)[{int(params.side == 'authorities')}]",
    }[kind]
    factor = {
        ("degree", "standard"): "(data.n - 1) / (2 * data.m) * ",
        ("degree", "none"): "(data.n - 1) * ",
        ("closeness", "standard"): "data.n / (data.n - 1) * ",
        ("closeness", "none"): "1 / (data.n - 1) * ",
    }.get((kind, scaling), "")
    return Counterpart(
        imports=NETWORKX_GRAPH + _PREPARED.get(kind, "") + f"\nvalues = {values}",
        make=f"{factor}np.array([values[node] for node in range(data.n)])",
        difference="np.abs(ours.model.values - theirs).max() / max(np.abs(theirs).max(), 1e-12)",
        measure="largest difference of a value, as a fraction of the largest value",
        caveat=_caveat(kind, scaling),
        package="networkx",
        estimator=False,
        target=False,
    )


def _caveat(kind: str, scaling: str) -> str:
    if kind == "closeness" and scaling != "as in networkx":
        return "Where some nodes cannot be reached networkx leaves them out; here the closeness is 0."
    return "Where the largest singular value is there more than once, either answer is one of many." * (kind == "HITS")


def _networkx_can(kind: str, graph: Graph) -> bool:
    """Whether networkx has an answer: it divides by n - 1 and by m, and wants one piece for an eigenvector."""
    return graph.n > 2 and graph.m > 0 and (kind != "eigenvector" or solver.pieces(graph) == 1)


_UNWEIGHTED = "\nfor *_, facts in G.edges(data=True):\n    facts.clear()"
_PREPARED = {
    "HITS": _UNWEIGHTED,
    "Katz": _UNWEIGHTED
    + "\ntop = np.abs(np.linalg.eigvals(nx.to_numpy_array(G))).max()\ntop = top if top > 1e-6 else 1.0",
}

ALGORITHM = Algorithm(
    key="centralities",
    title="Centralities",
    family="graphs",
    summary="Ranks the nodes of a graph: by edges, by nearness, by the paths through them, or by their neighbours.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    questions=(
        Question("Which node is ahead when the next edge is counted?", "edge", "shown.ahead"),
        Question("Which node is ahead when the paths from the next source are counted?", "source", "shown.ahead"),
        Question("By how much does the next round change the values?", "round", "metrics.change"),
    ),
    explain=explain,
    counterpart=counterpart,
    accepts=(Graph,),
    panels=(
        Panel("graph", "Graph", space="data"),
        Panel("ranking", "Ranking", x="node", y="centrality"),
        Panel("compare", "Centrality and degree", x="edges of the node", y="centrality"),
    ),
    metrics=(
        Metric("largest", "largest value", group="value", better="neither"),
        Metric("change", "change of the values", group="change", log=True, better="neither"),
    ),
    pseudocode=(
        Line("c ← 0 for all nodes (or 1/√n, where they are passed on)", "start"),
        Line("degree: for every edge (i, j): c_i ← c_i + 1, c_j ← c_j + 1", "edge"),
        Line("closeness: for every node i: c_i ← 1 / mean of the d_ij", "node"),
        Line("betweenness: for every source s: c_i ← c_i + paths from s over i", "source"),
        Line("eigenvector, Katz, HITS: c ← what the neighbours have {change}", "round"),
        Line("the largest value is {largest}", "result"),
    ),
    reference="Methods for Data Science §12.6; Brandes 2001; Katz 1953; Kleinberg 1999; Newman, Networks, chapter 7",
    example="florentine()",
    synonyms=("degree", "closeness", "betweenness", "Brandes", "eigenvector centrality", "Katz", "HITS", "hubs"),
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
