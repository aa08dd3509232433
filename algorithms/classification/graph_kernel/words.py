"""Captions, warnings and explanations of graph kernels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.graph_kernel.solver import ENUMERATED, KINDS_OF_TRIPLES, ONE_BY_ONE
from algorithms.contract import Explanation, Try
from algorithms.data import Array, GraphSet
from algorithms.maths.gram_views import decision_answer, machine_caption, machine_result
from algorithms.maths.words import counted, listed, number, of_class, signed

if TYPE_CHECKING:
    from algorithms.classification.graph_kernel import Model, Shot
    from algorithms.played import Played

_SAID = ("no edge", "one edge", "two edges, a path", "three edges, a triangle")


def _start(shot: Shot) -> str:
    return _start_of_walks(shot) if shot.shown.pair else _start_of_triples(shot)


def _start_of_triples(shot: Shot) -> str:
    shown = shot.shown
    graph = shot.model.data.graphs[shown.graph]
    name = f"Graph {shown.graph + 1} has {graph.counted()}"
    if not shown.total:
        return f"{name}: three nodes cannot be taken from it."
    how = "" if graph.n <= ENUMERATED else " They are counted at once, from degrees and triangles."
    return f"{name} and {counted(shown.total, 'triple')} of nodes, each of one of four kinds.{how}"


def _start_of_walks(shot: Shot) -> str:
    """Which graphs are compared, and that the sum has a limit."""
    one, two = (f"graph {k + 1}" for k in shot.shown.pair)
    compared = "itself" if one == two else two
    first = f"Walks that can be taken in {one} and {compared} at once are walks in the product of the two."
    top = float(np.prod(shot.given.tops[list(shot.shown.pair)]))
    if top <= 0.0:
        return f"{first} No step can be taken in it, so only its nodes count."
    return (
        f"{first} Its largest eigenvalue is {number(top)}, and λ = {number(shot.model.attenuation)} is below "
        f"1 / {number(top)} = {number(1.0 / top)}: the sum over all lengths has a limit."
    )


def _count(shot: Shot) -> str:
    """After a triple, or the last of some."""
    shown, graph = shot.shown, shot.model.data.graphs[shot.shown.graph]
    assert shown.counts is not None
    assert shown.triple is not None
    one, two, three = (graph.node_name(int(node)) for node in shown.triple)
    done = f"{int(shown.counts.sum()):,} of {shown.total:,}"
    which = f"Triple {done}" if shown.total <= ONE_BY_ONE else f"{done} triples, last"
    return f"{which}: the nodes {one}, {two} and {three} have {_SAID[shown.edges]}. So far {_four(shown.counts)}."


def _four(counts: Array) -> str:
    none, single, paths, triangles = (int(count) for count in counts)
    return (
        f"{none:,} without an edge, {single:,} with one, {counted(paths, 'path')} and {counted(triangles, 'triangle')}"
    )


def _features(shot: Shot) -> str:
    """What was counted in a graph."""
    k = shot.shown.graph
    n, total = shot.model.data.graphs[k].n, math.comb(shot.model.data.graphs[k].n, 3)
    if not total:
        return f"Graph {k + 1} has {counted(n, 'node')}: fewer than three, so φ = 0."
    return f"Graph {k + 1}: of {counted(total, 'triple')} {_four(np.rint(shot.model.features[k] * total))}."


def _walk(shot: Shot) -> str:
    """After the walks of one length."""
    model, length, pair = shot.model, shot.shown.length, shot.shown.pair
    terms = model.features[pair[0]] * model.features[pair[1]]
    one, two = (model.features[k, length] / model.attenuation ** (length / 2) for k in pair)
    so_far, limit = number(shot.metrics["counted"]), number(np.cumsum(terms)[-1])
    if not terms[length]:
        return f"There is no walk of length {length} in both graphs: k stays {so_far}."
    return (
        f"Length {length}: {_whole(one)} × {_whole(two)} = {_whole(one * two)} walks; times λ^{length} they add "
        f"{number(terms[length])}. k = {so_far} so far, {limit} in the limit."
    )


def _whole(value: float) -> str:
    return f"{round(value):,}" if value < 1e9 else number(value)


def _gram(shot: Shot) -> str:
    """While the table of all pairs is filled."""
    model, rows = shot.model, shot.shown.rows
    n = model.data.n
    done = f"{rows:,} of {counted(n, 'row')}"
    if n == 1:
        return f"{done}: there is one graph, and nothing to compare it with."
    near, cosine = model.most_alike(rows - 1)
    if cosine <= 0.0:
        return f"{done}: graph {rows} has nothing in common with any other graph, so k = 0."
    value = f"k = {number(model.gram[rows - 1, near])}" + ("" if model.normalise else f", a cosine of {number(cosine)}")
    return f"{done}: graph {rows} is most similar to graph {near + 1} ({value})."


def _machine(shot: Shot) -> str:
    assert shot.shown.update is not None
    return machine_caption(shot.model.machines, shot.model.data.classes, shot.shown.update, shot.metrics, "graphs")


def warning(shot: Shot) -> str | None:
    """What does not count, and in which graphs nothing can be counted."""
    given, found = shot.given, []
    if given.empty:
        least, what = ("no node", "walk") if shot.model.kind == "random walk" else ("fewer than 3 nodes", "triple")
        have = f"{counted(given.empty, 'graph')} {'has' if given.empty == 1 else 'have'}"
        have = "All graphs have" if given.empty == shot.model.data.n else have
        found.append(f"{have} {least}: without a {what} k with every graph is 0.")
    if given.ignored:
        found.append(f"Only which nodes are joined counts: {listed(given.ignored)} of edges are ignored.")
    return " ".join(found) or None


def _done(shot: Shot) -> str:
    model = shot.model
    data, machines = model.data, model.machines
    text = machine_result(machines, data.y, data.classes, shot.metrics["error"], "graphs")
    if model.kind == "random walk" or machines.classes != 2 or not len(machines.alpha):
        return f"{text}."
    weights = model.weights[0]
    small = 1e-9 * machines.alpha.sum()  # equal graphs on both sides leave rounding
    ends = ((int(weights.argmin()), data.classes[0]), (int(weights.argmax()), data.classes[1]))
    told = [
        f"{KINDS_OF_TRIPLES[which]} ({signed(weights[which])}) towards {of_class(name)}"
        for (which, name), sign in zip(ends, (-1.0, 1.0))
        if sign * weights[which] > small
    ]
    return f"{text}. The largest weights: {', '.join(told)}." if told else f"{text}."


CAPTIONS = {
    "start": _start,
    "count": _count,
    "features": _features,
    "walk": _walk,
    "gram": _gram,
    "machine": _machine,
    "done": _done,
}


def explanation(model: Model, data: GraphSet, k: int) -> Explanation:
    """What was counted in a graph, and what the machine says of it."""
    if not model.norms.any() and not model.gram.any():
        return {"kernel": "not known before all graphs are counted"}
    answer: Explanation = {}
    if model.kind == "subgraph size 3":
        answer |= {f"φ of {name}": float(value) for name, value in zip(KINDS_OF_TRIPLES, model.features[k])}
    answer["k with itself"] = float(model.norms[k])
    if data.n > 1:
        near, cosine = model.most_alike(k)
        answer["most similar"] = f"graph {near + 1}"
        answer["k with it"] = float(model.gram[k, near])
        answer["cosine"] = cosine
    machines = model.machines
    if data.y is None or not len(machines.alpha) or not machines.alpha.any():
        return answer
    answer |= decision_answer(machines, data.classes, model.gram[k])
    answer["α"] = float(model.alpha[k])
    if model.kind == "subgraph size 3" and machines.classes == 2:
        scale = float(np.sqrt(model.norms[k])) if model.normalise else 1.0
        parts = model.weights[0] * model.features[k] / (scale or 1.0)
        answer["f is the sum of"] = ", ".join(
            [*(f"{signed(part)} ({name})" for name, part in zip(KINDS_OF_TRIPLES, parts)), signed(machines.bias[0])]
        )
    return answer


FORMULAS = (
    r"\phi_F(G) = \frac{\#\{\text{triples of } G \text{ of the kind } F\}}{\binom{n}{3}}, \qquad "
    r"k(G, H) = \sum_{F} \phi_F(G)\, \phi_F(H)",
    r"\#\text{paths} = \sum_i \binom{d_i}{2} - 3t, \qquad \#\text{one edge} = m (n - 2) - 2\, \#\text{paths} - 3t, "
    r"\qquad t = \tfrac{1}{6} \mathrm{tr}\, A^3",
    r"k_\lambda(G, H) = \sum_{l = 0}^{\infty} \lambda^l\, 1^{\top} A_\times^l\, 1 = "
    r"1^{\top} (I - \lambda A_\times)^{-1} 1, \qquad A_\times = A_G \otimes A_H, "
    r"\qquad \lambda < \frac{1}{\rho(A_\times)}",
    r"f(G) = \sum_a \alpha_a y_a \, k(G_a, G) + b",
)


def _edges(played: Played) -> list[set[tuple[int, int]]]:
    """The numbers of nodes and edges that graphs of each class have."""
    data = played.data
    return [{(graph.n, graph.m) for graph, k in zip(data.graphs, data.y) if k == number} for number in (0, 1)]


TRIES = (
    Try(
        "Graphs of friends and of strangers have equally many edges: the triangles tell them apart.",
        "friend_graphs()",
        shows=lambda played: (
            _edges(played)[0] == _edges(played)[1]
            and int(np.abs(played.model.weights[0]).argmax()) == 3
            and played.final("error") == 0.0
        ),
    ),
    Try(
        "Where all meet at random, nothing that is counted differs: a third of the graphs are misclassified.",
        "friend_graphs(closure=0)",
        shows=lambda played: played.final("error") > 0.3 and int(np.count_nonzero(played.model.alpha)) >= 15,
    ),
    Try(
        "Rings, trees, random graphs and stars: four machines against the rest, on four numbers.",
        "graph_families(families=4,seed=3)",
        shows=lambda played: (
            len(played.model.machines.alpha) == played.model.features.shape[1] == 4 and played.final("error") < 0.1
        ),
    ),
    Try(
        "Walks tell rings from trees, whose triples are so similar that some are misclassified by them.",
        "graph_families(families=2)",
        {"kind": "random walk"},
        shows=lambda played: played.final("error") == 0.0 < played.but(kind="subgraph size 3").final("error"),
    ),
)

# --- the same in scikit-learn, for a script ---------------------------------------------------------------------------

JOINED = """from sklearn.svm import SVC


def joined(graph):
    A = np.zeros((graph.n, graph.n))
    A[graph.edges[:, 0], graph.edges[:, 1]] = A[graph.edges[:, 1], graph.edges[:, 0]] = 1
    np.fill_diagonal(A, 0)
    return A
"""
TABLE_OF_TRIPLES = """

def fractions(graph):
    A = joined(graph)
    edges = [int(A[i, j] + A[i, k] + A[j, k]) for i, j, k in combinations(range(graph.n), 3)]
    return np.bincount(np.array(edges, dtype=int), minlength=4) / max(len(edges), 1)


def products(data):
    features = np.array([fractions(graph) for graph in data.graphs])
    return features @ features.T
"""
TABLE_OF_WALKS = """

def walks(A, B, attenuation):
    product = np.kron(A, B)
    return np.linalg.solve(np.eye(len(product)) - attenuation * product, np.ones(len(product))).sum()


def products(data):
    tables = [joined(graph) for graph in data.graphs]
    top = max(np.linalg.eigvalsh(A).max(initial=0.0) for A in tables)
    attenuation = DECAY / top**2 if top > 0 else DECAY
    return np.array([[walks(A, B, attenuation) for A in tables] for B in tables])
"""
PRODUCTS = """

def gram_matrix(data):
    return products(data)
"""
COSINES = """

def gram_matrix(data):
    gram = products(data)
    scale = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    return gram / np.where(scale > 0, scale, 1)
"""
