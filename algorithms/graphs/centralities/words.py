"""What centralities say, and what there is to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Graph
from algorithms.maths.words import counted, listed, number

if TYPE_CHECKING:
    from algorithms.graphs.centralities import Shot
    from algorithms.played import Played

IDEAS = {
    "degree": "Which node has the most edges? They are counted one by one.",
    "closeness": "Which node is near all others? One after the other gets the sum of the distances to it.",
    "betweenness": "Which node lies on the shortest paths of others? They are counted from one source after the other.",
    "eigenvector": "Which node has important neighbours? All begin alike; in each round a node gets what they have.",
    "Katz": "Every node has 1 of its own and a part of what its neighbours have, who have a part of theirs.",
    "HITS": "Good hubs point to good authorities, and good authorities are those that good hubs point to.",
}


def _start(shot: Shot) -> str:
    return IDEAS[shot.given.kind]


def _edge(shot: Shot) -> str:
    data = shot.given.data
    one, two = (data.node_name(int(node)) for node in data.edges[shot.shown.edges[-1]])
    return f"{counted(shot.model.done, 'edge')} counted, now the one between {one} and {two}; {_best(shot)} is ahead."


def _node(shot: Shot) -> str:
    name = shot.given.data.node_name(shot.shown.node)
    if not shot.model.values[shot.shown.node]:
        return f"Not every node has a path to {name}, so the mean distance to it is infinite and its closeness is 0."
    done = counted(shot.model.done, "node")
    return f"The distances of all others to {name} are added up; {done} done, {_best(shot)} is ahead."


def _source(shot: Shot) -> str:
    name = shot.given.data.node_name(shot.shown.node)
    return f"The shortest paths from {name} to all others are counted at the nodes on them; {_best(shot)} is ahead."


def _round(shot: Shot) -> str:
    return f"Round {shot.model.done} changes the values by {number(shot.metrics['change'])}; {_best(shot)} is ahead."


def _best(shot: Shot) -> str:
    return f"{shot.given.data.node_name(shot.shown.ahead)} with {number(shot.metrics['largest'])}"


def _result(shot: Shot) -> str:
    """Who is first, second and third."""
    data, title, values = shot.given.data, shot.given.title, shot.model.values
    order = np.argsort(-values, kind="stable")
    if not values.any():
        return f"All nodes have the {title} 0{'' if data.m else ': there is no edge'}."
    if np.ptp(values) <= 1e-9 * float(values.max()):
        return f"All nodes have the same {title}, {number(float(values[0]))}."
    first, *others = (f"{data.node_name(int(node))} ({number(float(values[node]))})" for node in order[:3])
    then = f", then {listed(others)}" if others else ""
    largest = f" The largest eigenvalue is {number(shot.model.eigenvalue)}." if shot.given.kind == "eigenvector" else ""
    return f"{first} has the largest {title}{then}.{largest}"


CAPTIONS = {"start": _start, "edge": _edge, "node": _node, "source": _source, "round": _round, "result": _result}


def warning(shot: Shot) -> str:
    """A graph that does not hang together, and rounds that ran out."""
    parts = shot.given.parts
    doubts = []
    if parts > 1 and shot.given.kind == "closeness":
        doubts.append("Not all nodes can reach each other: a node that not all others reach has the closeness 0.")
    if parts > 1 and shot.given.kind == "eigenvector":
        what = f"{counted(parts, 'part')} between which one cannot go to and fro"
        doubts.append(
            f"The graph has {what}: the vector belongs to the part with the largest eigenvalue, and others may get 0."
        )
    if shot.shown.limited:
        doubts.append("The rounds ran out before the values stood still: raise max_steps.")
    return " ".join(doubts)


def explain_node(data: Graph, kind: str, title: str, values: Array, node: int) -> Explanation:
    """The value of a node, its rank among the others, and where it comes from."""
    rank = 1 + int((values > values[node]).sum())
    answer: Explanation = {
        "node": data.node_name(node),
        title: float(values[node]),
        "rank": f"{rank} of {data.n}",
        "edges": int(data.degrees()[node]),
    }
    ends = data.edges if data.directed else np.concatenate([data.edges, data.edges[:, ::-1]])
    into = np.unique(ends[ends[:, 1] == node, 0])
    if len(into) and kind in ("eigenvector", "Katz", "HITS", "degree"):
        top = into[np.argsort(-values[into], kind="stable")][:3]
        named = ", ".join(f"{data.node_name(int(one))} ({number(float(values[one]))})" for one in top)
        answer["edges from" if data.directed else "neighbours"] = named
    return answer


def explain_edge(data: Graph, values: Array, edge: int) -> Explanation:
    """The values at both ends of an edge."""
    one, two = (int(node) for node in data.edges[edge])
    names = (data.node_name(one), data.node_name(two))
    answer: Explanation = {"edge": f"{names[0]} {'→' if data.directed else '–'} {names[1]}"}
    return answer | {names[0]: float(values[one]), names[1]: float(values[two])}


FORMULAS = (
    r"\text{degree:}\ c_i = \frac{d_i}{2E} \qquad \text{closeness:}\ c_i = \Bigl( \frac{1}{n} \sum_j d_{ij} "
    r"\Bigr)^{-1}",
    r"\text{betweenness:}\quad c_i \propto \sum_{j \ne i \ne k} \frac{\sigma_{jk}(i)}{\sigma_{jk}}",
    r"\text{eigenvector:}\ A c = \lambda_{\max}\, c \qquad \text{Katz:}\ c = \alpha A c + \mathbf{1}",
    r"\text{HITS:}\quad a = A h, \qquad h = A^{\top} a",
)


def _first(played: Played) -> str:
    """The name of the node with the largest value."""
    name: str = played.data.node_name(played.last.shown.ahead)
    return name


TRIES = (
    Try(
        "Florence around 1430: the Medici are on more than half of the shortest paths between the others.",
        "florentine()",
        {"kind": "betweenness"},
        shows=lambda played: _first(played) == "Medici" and played.final("largest") > 0.5,
    ),
    Try(
        "Two complete graphs and a bridge: its nodes have the fewest edges and the largest betweenness.",
        "barbell(size=6,bridge=2)",
        {"kind": "betweenness"},
        shows=lambda played: played.data.degrees()[played.last.shown.ahead] == played.data.degrees().min() == 2,
    ),
    Try(
        "Hubs point to good authorities: the best hub is the home page, the best authority is another one.",
        "small_web()",
        {"kind": "HITS", "side": "hubs"},
        shows=lambda played: _first(played) == "home" != _first(played.but(side="authorities")),
    ),
)
