"""Graph kernels: how similar two graphs are, by the small pieces that both are made of.

Graphs have no coordinates, but they can be counted in. Any three nodes of a graph have no edge between them, one edge,
two (a path) or three (a triangle): what fraction of all triples is of each kind describes the graph by four numbers,
and the scalar product of two such descriptions is a kernel.

    φ_F(G) = number of occurrences of F in G / number of triples C(n, 3),      k(G, H) = Σ_F φ_F(G) φ_F(H)

The random walk kernel counts walks of every length that can be taken in both graphs at once, that is walks in their
direct product A×, where every step costs a factor λ. The sum has a limit only where λ is below 1 divided by the largest
eigenvalue of A×.

    k(G, H) = Σ_l λ^l 1ᵀ A×^l 1 = 1ᵀ (I - λ A×)⁻¹ 1

With the table of all pairs, the Gram matrix, a support vector machine tells classes of graphs apart.

Reference: Shervashidze et al. 2009, Efficient graphlet kernels for large graph comparison; Gärtner, Flach and Wrobel
2003, On graph kernels; Vishwanathan, Schraudolph, Kondor and Borgwardt 2010, Graph kernels; Statistical Machine
Learning (Orbanz), Unusual example: graph kernels (random walks are named there under Other graph kernels).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.classification.graph_kernel import solver, words
from algorithms.classification.graph_kernel.solver import Kind
from algorithms.classification.graph_kernel.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DataError,
    Ended,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, GraphSet, Item
from algorithms.maths.gram_machines import Machines, Update, normalised, train, wrong_fraction
from algorithms.params import Advanced, Between, Doc, Log, UpTo, When, Zero

MOST_STEPS = 20_000
LENGTHS = 24
"""The most lengths of walks that are shown one by one."""
ROWS = 48
"""The most frames in which all graphs are counted, and of the Gram matrix."""


@dataclass(frozen=True, slots=True)
class Params:
    """What is counted, and the machine."""

    kind: Annotated[
        Kind, Doc("Count the four kinds of three nodes, or the walks that can be taken in two graphs at once.")
    ] = "subgraph size 3"
    decay: Annotated[
        float,
        Between(0.01, 0.95),
        When("kind", "random walk"),
        Doc("The factor λ for each step of a walk, as a fraction of that from which on the sum has no limit."),
    ] = 0.5
    normalise: Annotated[
        bool, Doc("Divide by √(k(G, G) k(H, H)), so that a graph is 1 with itself, however large it is.")
    ] = False
    first: Annotated[
        int, Between(1, 1000), UpTo("items"), Doc("The graph in which counting is shown, by its number.")
    ] = 1
    second: Annotated[
        int,
        Between(0, 1000),
        UpTo("items"),
        Zero("most similar"),
        When("kind", "random walk"),
        Doc("The graph that it is compared with; 0 is the most similar one."),
    ] = 0
    C: Annotated[float, Between(1e-3, 1e5), Log, Doc("The price of slack in the support vector machine.")] = 100.0
    tol: Annotated[
        float, Between(1e-9, 1e-1), Log, Advanced, Doc("Largest KKT violation, and gap relative to the primal.")
    ] = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What was counted, the table of all pairs and the machines; before they are known they are zeros."""

    features: Array  # (n, 4) fractions of the kinds of triples, or (n, l) walks by their length, each step paid for
    gram: Array  # (n, n)
    norms: Array  # (n,) k of each graph with itself, before anything is divided
    machines: Machines
    data: GraphSet
    kind: Kind
    normalise: bool
    attenuation: float = 0.0  # λ
    largest: float = 0.0  # the largest eigenvalue of any of the graphs

    @property
    def alpha(self) -> Array:
        """The multiplier of every graph, (n,); with several machines the largest one."""
        return self.machines.largest

    @property
    def weights(self) -> Array:
        """F is linear in what is counted: the weight of each feature in each machine, (q, 4) or (q, l)."""
        scales = np.sqrt(self.norms) if self.normalise else np.ones(len(self.norms))
        inverse = np.divide(1.0, scales, out=np.zeros(len(scales)), where=scales > 0.0)
        return (self.machines.coefficients * inverse) @ self.features

    def labels(self) -> Array:
        """The class (n,) that the machines give each graph."""
        return self.machines.labels(self.machines.decisions(self.gram))

    def most_alike(self, row: int) -> tuple[int, float]:
        """Of the others the graph with the largest cosine, which does not prefer large ones, and this cosine."""
        own = np.diagonal(self.gram)
        cosines = normalised(self.gram[row : row + 1], own[row : row + 1], own)[0]
        cosines[row] = -1.0
        near = int(cosines.argmax())
        return near, float(cosines[near])

    def values(self, new: GraphSet) -> Array:
        """The kernel between new graphs and those of the model, (m, n)."""
        known, features = self.features, np.zeros((new.n, self.features.shape[1]))
        if self.kind == "subgraph size 3":
            features = solver.fractions(solver.triple_counts(new.graphs))
        elif new.n:
            top = float(solver.largest_eigenvalues(new.graphs).max())
            solver.refuse_divergence(top, self.largest, self.attenuation)
            needed = solver.lengths_needed(max(self.attenuation * max(top, self.largest) * self.largest, 0.01))
            needed = max(needed, known.shape[1])
            features = solver.walk_features(new.graphs, self.attenuation, needed)
            if needed > known.shape[1]:  # more walks fit into the new graphs than into those of the model
                known = solver.walk_features(self.data.graphs, self.attenuation, needed)
        found: Array = features @ known.T
        if not self.normalise:
            return found
        return normalised(found, np.square(features).sum(axis=1), np.square(known).sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    empty: int  # graphs in which nothing can be counted
    ignored: tuple[str, ...]  # what the graphs have and the kernel does not see
    tops: Array  # (n,) the largest eigenvalue of each graph, for walks


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Which graphs a frame shows, and how far counting, matrix and machine have come."""

    graph: int
    counts: Array | None = None  # (4,) triples so far, while they are counted
    total: int = 0  # triples of the graph
    tallest: float = 1.0  # the largest fraction in any graph, so that histograms can be compared
    triple: Array | None = None  # (3,) the nodes that are looked at
    edges: int = 0  # between them
    known: int = 0  # graphs in which everything is counted
    pair: tuple[int, ...] = ()  # the two whose walks are counted
    walks: tuple[Array, ...] = ()  # a walk in each of them
    length: int = -1  # of the walks that were counted last
    rows: int = 0  # of the Gram matrix
    update: Update | None = None  # of the machine


Shot = Snapshot[Given, Model, Shown]


def run(data: GraphSet, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Count in one graph, or in two at once, then in all; train the machine on the table of all pairs."""
    solver.refuse_too_much(data.graphs)
    n = data.n
    machines = Machines.blank(data.y, len(data.classes), n)
    walking = params.kind == "random walk"
    zeros = np.zeros((n, 1 if walking else 4))
    model = Model(zeros, np.zeros((n, n)), np.zeros(n), machines, data, params.kind, params.normalise)
    tops = solver.largest_eigenvalues(data.graphs) if walking else np.empty(0)
    given = Given(sum(graph.n < (1 if walking else 3) for graph in data.graphs), solver.ignored(data.graphs), tops)
    count = _walks if walking else _triples
    model, shown, counted = yield from count(given, model, Shown(min(params.first, n) - 1), params, rng)
    for known in _in_steps(n):
        shown = replace(shown, rows=known, graph=known - 1)
        yield _shot(given, "gram", model, shown, counted=counted)
    shown = replace(shown, graph=min(params.first, n) - 1)
    stop, numbers = Stop.COMPLETE, {"counted": counted}
    for progress in train(model.gram, data.y, machines, params.C, params.tol, MOST_STEPS):
        model, shown = replace(model, machines=progress.machines), replace(shown, update=progress.update)
        if not (progress.update.pair or progress.update.certified):
            stop = Stop.LIMIT
        numbers |= {"dual": progress.dual, "gap": progress.gap, "error": progress.error}
        yield _shot(given, "machine", model, shown, **numbers)
    numbers["error"] = wrong_fraction(model.labels(), data.y)
    yield _shot(given, "done", model, replace(shown, update=None), **numbers)
    return Ended(stop, "stopped without a certificate") if stop is Stop.LIMIT else Stop.COMPLETE


Counted = Generator[Shot, None, tuple[Model, Shown, float]]


def _triples(given: Given, model: Model, shown: Shown, params: Params, rng: np.random.Generator) -> Counted:
    """The triples of one graph one by one, then those of all graphs; the table of all pairs is known, but not shown."""
    data, graph = model.data, model.data.graphs[shown.graph]
    counts = solver.triple_counts(data.graphs)
    total = math.comb(graph.n, 3)
    shown = replace(shown, tallest=float(solver.fractions(counts).max()) or 1.0, total=total)
    yield _shot(given, "start", model, shown)
    if graph.n <= solver.ENUMERATED:
        triples, edges = solver.triples_of(graph)
        sums = np.cumsum(edges[:, None] == np.arange(4), axis=0)
        step = -(-total // solver.ONE_BY_ONE)
        for done in range(step, total + step, step) if total else ():
            last = min(done, total) - 1
            now = replace(shown, counts=sums[last], triple=triples[last], edges=int(edges[last]))
            yield _shot(given, "count", model, now, counted=float(last + 1))
    model = _with_features(model, solver.fractions(counts))
    for known in _in_steps(data.n):
        shown = replace(shown, graph=known - 1, known=known)
        yield _shot(given, "features", model, shown, counted=float(total))
    return model, shown, float(total)


def _walks(given: Given, model: Model, shown: Shown, params: Params, rng: np.random.Generator) -> Counted:
    """The walks in two graphs at once, length by length; the table of all pairs is known, but not shown."""
    data, first, top = model.data, shown.graph, float(given.tops.max())
    attenuation = params.decay / top**2 if top > 0.0 else params.decay
    before = replace(model, attenuation=attenuation, largest=top)
    model = _with_features(before, solver.walk_features(data.graphs, attenuation, solver.lengths_needed(params.decay)))
    second = min(params.second, data.n) - 1 if params.second else model.most_alike(first)[0]
    shown = replace(shown, pair=(first, second))
    yield _shot(given, "start", before, shown)
    sums = np.cumsum(model.features[first] * model.features[second])
    enough = int(np.searchsorted(sums, 0.999 * sums[-1])) + 1 if sums[-1] > 0.0 else 1
    lengths = min(max(enough, 4), LENGTHS, len(sums))
    if all(solver.is_pictured(data.graphs[k]) for k in (first, second)):
        walks = tuple(solver.one_walk(data.graphs[k], lengths - 1, rng) for k in (first, second))
        shown = replace(shown, walks=walks)
    for length in range(lengths):
        shown = replace(shown, length=length)
        yield _shot(given, "walk", replace(before, features=model.features), shown, counted=float(sums[length]))
    return model, replace(shown, known=data.n), float(sums[-1])


def _with_features(model: Model, features: Array) -> Model:
    """The table of all pairs is the table of all scalar products."""
    gram = features @ features.T
    norms = np.diagonal(gram).copy()
    if model.normalise:
        gram = normalised(gram, norms, norms)
    return replace(model, features=features, gram=gram, norms=norms)


def _in_steps(n: int) -> list[int]:
    """How many graphs are known in each frame: one more, or several where there are many."""
    step = -(-n // ROWS)
    return [min(known, n) for known in range(step, n + step, step)]


def _shot(given: Given, phase: str, model: Model, shown: Shown, **numbers: float) -> Shot:
    unknown = dict.fromkeys(("counted", "rows", "dual", "gap", "error"), math.nan)
    return Snapshot(given, phase, model, {**unknown, "rows": shown.rows, **numbers}, shown)


def predict(model: Model, data: GraphSet) -> Array:
    """The class (m,) of new graphs."""
    if model.data.y is None:
        raise DataError("The graphs had no classes, so there is nothing to predict.")
    solver.refuse_too_much(data.graphs)
    return model.machines.labels(model.machines.decisions(model.values(data)))


def explain(model: Model, data: GraphSet, item: Item) -> Explanation:
    """What was counted in a graph, which one is most similar, and what the machine decides."""
    return words.explanation(model, data, item.number)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """A machine of scikit-learn on a table that is made by looking at all triples, or at whole products of graphs."""
    data = case.data if case is not None and isinstance(case.data, GraphSet) else None
    if data is not None:
        largest = max((graph.n for graph in data.graphs), default=0)
        if data.y is None or len(np.unique(data.y)) < 2 or largest > (60 if params.kind == "random walk" else 150):
            return None
    imports, table = "from itertools import combinations\n\n", words.TABLE_OF_TRIPLES
    if params.kind == "random walk":
        imports, table = "", words.TABLE_OF_WALKS.replace("DECAY", repr(params.decay))
    make = f"SVC(C={params.C!r}, kernel='precomputed', tol={params.tol!r})"
    if data is not None and data.y is not None and len(np.unique(data.y)) > 2:
        imports += "from sklearn.multiclass import OneVsRestClassifier\n"
        make = f"OneVsRestClassifier({make})"
    return Counterpart(
        imports=imports + words.JOINED + table + (words.COSINES if params.normalise else words.PRODUCTS),
        make=f"{make}.fit(gram_matrix(data), data.y).predict(gram_matrix(data))",
        difference="np.mean(theirs != ours.predict(data))",
        measure="fraction of graphs predicted differently",
        estimator=False,
    )


ALGORITHM = Algorithm(
    key="graph_kernel",
    title="Graph kernel",
    family="classification",
    summary="How similar graphs are by the triples of nodes, or the walks, in them; a machine tells them apart.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    accepts=(GraphSet,),
    target="classes",
    predict=predict,
    explain=explain,
    looks=True,
    counterpart=counterpart,
    synonyms=(
        "graphlet kernel",
        "subgraph kernel",
        "random walk kernel",
        "graph classification",
        "direct product graph",
        "triad census",
        "motifs",
        "Gram matrix",
        "precomputed kernel",
        "similarity of graphs",
    ),
    panels=(
        Panel("counted", "What is counted", space="none"),
        Panel("graphs", "Graphs", space="data"),
        Panel("histogram", "Histogram", x="edges, or steps of a walk", y="φ, or part of k", beside=True),
        Panel("gram", "Gram matrix", x="graph", y="graph"),
        Panel("alphas", "Multipliers α of the support vectors", x="support vector", y="α"),
    ),
    metrics=(
        Metric("counted", "triples counted, or k of the two graphs", group="counted", better="neither"),
        Metric("rows", "rows of the Gram matrix", group="gram", better="neither"),
        Metric("dual", "dual objective", group="objective", better="higher"),
        Metric("gap", "duality gap", group="gap", better="neither"),
        Metric("error", "fraction of graphs misclassified", group="error"),
    ),
    pseudocode=(
        Line("take a graph, or two", "start"),
        Line("for each triple of nodes: count its edges, 0, 1, 2 or 3", "count"),
        Line("φ_F(G) = number of triples of the kind F / C(n, 3), for all graphs G", "features"),
        Line("or for each length l: k ← k + λ^l × walks in G × walks in H", "walk"),
        Line("for all pairs of graphs: K_ab = φ(G_a) · φ(G_b)", "gram"),
        Line("α ← support vector machine on K, pair by pair   (gap {gap})", "machine"),
        Line("f(G) = Σ α_a y_a k(G_a, G) + b   (error {error})", "done"),
    ),
    reference="Shervashidze et al. 2009, Efficient graphlet kernels for large graph comparison; Gärtner, Flach and "
    "Wrobel 2003, On graph kernels; Vishwanathan, Schraudolph, Kondor and Borgwardt 2010, Graph kernels; Statistical "
    "Machine Learning (Orbanz), Unusual example: graph kernels",
    example="friend_graphs()",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How many edges does the next triple have?", "count", "shown.edges"),
        Question("How large is k with the walks of the next length?", "walk", "metrics.counted"),
        Question("How large is the duality gap after the next pair?", "machine", "metrics.gap"),
    ),
)
