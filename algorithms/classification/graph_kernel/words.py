"""Captions, warnings and explanations of graph kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.graph_kernel.solver import ENUMERATED, KINDS_OF_TRIPLES, Kind
from algorithms.classification.graph_kernel.views import Stage
from algorithms.contract import Explanation, Try
from algorithms.data import Array, Graph, GraphSet
from algorithms.maths.gram_views import decision_answer
from algorithms.maths.words import counted, number, signed

if TYPE_CHECKING:
    from algorithms.classification.graph_kernel import Model

_SAID = ("no edge", "one edge", "two edges, a path", "three edges, a triangle")


def opening_triples(data: GraphSet, shown: int) -> str:
    """Before anything is counted."""
    graph = data.graphs[shown]
    total = graph.n * (graph.n - 1) * (graph.n - 2) // 6
    name = f"Graph {shown + 1} has {graph.counted()}"
    if not total:
        return f"{name}: three nodes cannot be taken from it."
    how = "" if graph.n <= ENUMERATED else " They are counted at once, from degrees and triangles."
    return f"{name} and {counted(total, 'triple')} of nodes, each of one of four kinds.{how}"


def triple(graph: Graph, stage: Stage, edges: int, step: int) -> str:
    """After a triple, or the last of some."""
    assert stage.counts is not None
    assert stage.triple is not None
    one, two, three = (graph.node_name(int(node)) for node in stage.triple)
    done = int(stage.counts.sum())
    which = f"Triple {done:,} of {stage.total:,}" if step == 1 else f"{done:,} of {stage.total:,} triples, last"
    return f"{which}: the nodes {one}, {two} and {three} have {_SAID[edges]}. So far {_four(stage.counts)}."


def _four(counts: Array) -> str:
    none, single, paths, triangles = (int(count) for count in counts)
    return (
        f"{none:,} without an edge, {single:,} with one, {counted(paths, 'path')} and {counted(triangles, 'triangle')}"
    )


def histogram(data: GraphSet, shown: int, counts: Array) -> str:
    """What was counted in a graph."""
    graph = data.graphs[shown]
    if not counts.any():
        return f"Graph {shown + 1} has {counted(graph.n, 'node')}: fewer than three, so φ = 0."
    return f"Graph {shown + 1}: of {counted(int(counts.sum()), 'triple')} {_four(counts)}."


def opening_walks(model: Model, stage: Stage, tops: Array) -> str:
    """Which graphs are compared, and that the sum has a limit."""
    one, two = (f"graph {k + 1}" for k in stage.pair)
    compared = "itself" if one == two else two
    first = f"Walks that can be taken in {one} and {compared} at once are walks in the product of the two."
    top = float(np.prod(tops[list(stage.pair)]))
    if top <= 0.0:
        return f"{first} No step can be taken in it, so only its nodes count."
    return (
        f"{first} Its largest eigenvalue is {number(top)}, and λ = {number(model.attenuation)} is below "
        f"1 / {number(top)} = {number(1.0 / top)}: the sum over all lengths has a limit."
    )


def walks(model: Model, stage: Stage, term: float, so_far: float, limit: float) -> str:
    """After the walks of one length."""
    length = stage.length
    one, two = (model.features[k, length] / model.attenuation ** (length / 2) for k in stage.pair)
    if not term:
        return f"There is no walk of length {length} in both graphs: k = {number(so_far)} is all there is."
    return (
        f"Length {length}: {_whole(one)} × {_whole(two)} = {_whole(one * two)} walks, times λ^{length} that adds "
        f"{number(term)}. k = {number(so_far)} so far, {number(limit)} in the limit."
    )


def _whole(value: float) -> str:
    return f"{round(value):,}" if value < 1e9 else number(value)


def gram_rows(model: Model, stage: Stage) -> str:
    """While the table of all pairs is filled."""
    n = model.data.n
    done = f"{stage.rows:,} of {counted(n, 'row')}"
    if n == 1:
        return f"{done}: there is one graph, and nothing to compare it with."
    row = stage.rows - 1
    if not model.norms[row]:
        return f"{done}: nothing could be counted in graph {row + 1}, so k = 0 with every graph."
    near, cosine = model.most_alike(row)
    value = f"k = {number(model.gram[row, near])}" + ("" if model.normalise else f", a cosine of {number(cosine)}")
    return f"{done}: graph {row + 1} is most alike graph {near + 1} ({value})."


def warnings(data: GraphSet, kind: Kind) -> str:
    """What does not count, and in which graphs nothing can be counted."""
    found = []
    least, what = (3, "triple") if kind == "subgraph size 3" else (1, "walk")
    small = sum(graph.n < least for graph in data.graphs)
    if small:
        have = "All graphs have" if small == data.n else f"{counted(small, 'graph')} {'has' if small == 1 else 'have'}"
        size = "no node" if least == 1 else "fewer than 3 nodes"
        found.append(f"{have} {size}: without a {what} a graph is alike to nothing.")
    ignored = [
        word
        for word, there in (
            ("directions", any(graph.directed for graph in data.graphs)),
            ("weights", any(graph.weighted for graph in data.graphs)),
            ("loops", any((graph.edges[:, 0] == graph.edges[:, 1]).any() for graph in data.graphs)),
        )
        if there
    ]
    if ignored:
        listed = " and ".join([", ".join(ignored[:-1]), ignored[-1]] if len(ignored) > 1 else ignored)
        found.append(f"Only who is joined to whom counts: {listed} of edges do not.")
    return " ".join(found)


def conclusion(model: Model) -> str:
    """At the end."""
    data, machines = model.data, model.machines
    if data.y is None:
        return "The graphs have no classes: the table of all pairs is all there is to see."
    if not len(machines.alpha):
        return f"All graphs are of the class {data.classes[machines.only]!r}: there is nothing to tell apart."
    wrong = int(np.count_nonzero(machines.labels(machines.decisions(model.gram)) != data.y))
    support = counted(int(np.count_nonzero(model.alpha)), "support vector")
    text = f"{support} of {counted(data.n, 'graph')}; {wrong:,} {'is' if wrong == 1 else 'are'} on the wrong side."
    if model.kind == "subgraph size 3" and machines.classes == 2:
        weights = model.weights[0]
        if np.ptp(weights) <= 1e-9 * machines.alpha.sum():  # equal graphs on both sides leave rounding
            return text
        low, high = int(weights.argmin()), int(weights.argmax())
        text += (
            f" {KINDS_OF_TRIPLES[low].capitalize()} (weight {signed(weights[low])}) speaks most for "
            f"{data.classes[0]}, {KINDS_OF_TRIPLES[high]} ({signed(weights[high])}) for {data.classes[1]}."
        )
    return text


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
        answer["most alike"] = f"graph {near + 1}"
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
TRIES = (
    Try(
        "Friends and strangers have equally many edges: the triangles tell them apart.",
        "friend_graphs()",
    ),
    Try(
        "Where all meet by chance, nothing that is counted differs: the machine needs nearly every graph.",
        "friend_graphs(closure=0)",
    ),
    Try(
        "Rings, trees, random graphs and stars: four machines against the rest, on four numbers.",
        "graph_families(families=4,seed=3)",
    ),
    Try(
        "Walks tell rings from trees, whose triples are much alike: in a ring two steps are possible at every node.",
        "graph_families(families=2)",
        {"kind": "random walk"},
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
