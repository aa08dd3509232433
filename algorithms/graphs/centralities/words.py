"""Captions and explanations of centralities."""

from __future__ import annotations

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Graph
from algorithms.graphs.centralities.solver import Step
from algorithms.maths.words import counted, number

IDEAS = {
    "degree": "Who has the most edges? They are counted one by one.",
    "closeness": "Who is near everybody? For one node after the other the distances of all others to it are added up.",
    "betweenness": "Who lies on the shortest paths of others? They are counted from one source after the other.",
    "eigenvector": "Who has important neighbours? All begin alike; in every round each gets what its neighbours have.",
    "Katz": "Everybody has 1 of their own and a part of what their neighbours have, who have a part of theirs.",
    "HITS": "Good hubs point to good authorities, and good authorities are those that good hubs point to.",
}


def step_words(data: Graph, kind: str, step: Step, change: float) -> str:
    """What one step has done."""
    best = _best(data, step.values)
    name = data.node_name(step.node)
    if kind == "degree":
        one, two = (data.node_name(int(node)) for node in data.edges[step.edges[-1]])
        return f"{counted(step.done, 'edge')} counted, now the one between {one} and {two}; {best} is ahead."
    if kind == "closeness":
        if not step.values[step.node]:
            return f"Not everybody has a path to {name}, which is as if somebody were infinitely far away."
        return (
            f"The distances of all others to {name} are added up; {counted(step.done, 'node')} done, {best} is ahead."
        )
    if kind == "betweenness":
        return f"The shortest paths from {name} to all others are counted at the nodes on them; {best} is ahead."
    return f"Round {step.done} changes the values by {number(change)}; {best} is ahead."


def _best(data: Graph, values: Array) -> str:
    node = int(values.argmax())
    return f"{data.node_name(node)} with {number(float(values[node]))}"


def closing(data: Graph, kind: str, title: str, values: Array, eigenvalue: float) -> str:
    """Who is first, second and third."""
    order = np.argsort(-values, kind="stable")
    if not values.any():
        return f"Nobody has any {title}: {'there is no edge' if not data.m else 'no node is preferred'}."
    if np.ptp(values) <= 1e-9 * float(values.max()):
        return f"All nodes have the same {title}, {number(float(values[0]))}."
    first, *others = (f"{data.node_name(int(node))} ({number(float(values[node]))})" for node in order[:3])
    then = f", then {' and '.join(others)}" if others else ""
    largest = f" The largest eigenvalue is {number(eigenvalue)}." if kind == "eigenvector" else ""
    return f"{first} has the largest {title}{then}.{largest}"


def cut_off(kind: str, pieces: int) -> str:
    """What a graph that does not hang together does to a centrality."""
    if kind == "closeness":
        return "Not all nodes can reach each other: whoever cannot be reached by all has the closeness 0."
    if kind == "eigenvector":
        what = f"{counted(pieces, 'part')} between which one cannot go to and fro"
        return (
            f"The graph has {what}: the vector belongs to the part with the largest eigenvalue, and others may get 0."
        )
    return ""


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
