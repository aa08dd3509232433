"""Graph kernels: how alike two graphs are, by the small pieces that both are made of.

Graphs have no coordinates, but they can be counted in. Any three nodes of a graph have no edge between them, one edge,
two (a path) or three (a triangle): what fraction of all triples is of each kind describes the graph by four numbers,
and the scalar product of two such descriptions is a kernel.

    φ_F(G) = number of occurrences of F in G / number of triples C(n, 3),      k(G, H) = Σ_F φ_F(G) φ_F(H)

The random walk kernel counts walks of every length that can be taken in both graphs at once, that is walks in their
direct product A×, where every step costs a factor λ. The sum has a limit only where λ is below 1 divided by the largest
eigenvalue of A×.

    k(G, H) = Σ_l λ^l 1ᵀ A×^l 1 = 1ᵀ (I - λ A×)⁻¹ 1

With the table of all pairs, the Gram matrix, a support vector machine tells classes of graphs apart.

Machine Learning (Buhmann), graph kernels, where random walk kernels are named; Gärtner, Flach, Wrobel 2003;
Vishwanathan, Schraudolph, Kondor, Borgwardt 2010; Shervashidze et al. 2009.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.classification.graph_kernel import solver, words
from algorithms.classification.graph_kernel.solver import Kind
from algorithms.classification.graph_kernel.views import Stage, is_pictured, views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DataError,
    DrawnRun,
    DrawnSnapshot,
    Ended,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
)
from algorithms.data import Array, GraphSet, Item
from algorithms.maths.gram_machines import Machines, normalised, train
from algorithms.maths.gram_views import machine_caption
from algorithms.params import Advanced, Between, Doc, Log, UpTo, When, Zero

MOST_STEPS = 20_000
ONE_BY_ONE = 84
"""Frames in which the triples of a graph are counted: the triples of nine nodes one by one, of more some at a time."""
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
        Zero("most alike"),
        When("kind", "random walk"),
        Doc("The graph that it is compared with; 0 is the most alike one."),
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
        found: Array = (self.machines.coefficients * inverse) @ self.features
        return found

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


def run(data: GraphSet, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Count in one graph, or in two at once, then in all; train the machine on the table of all pairs."""
    solver.refuse_too_much(data.graphs)
    n = data.n
    machines = Machines.blank(data.y, len(data.classes), n)
    width = 4 if params.kind == "subgraph size 3" else 1
    model = Model(np.zeros((n, width)), np.zeros((n, n)), np.zeros(n), machines, data, params.kind, params.normalise)
    warning = words.warnings(data, params.kind)
    stage = Stage(min(params.first, n) - 1)
    count = _triples if params.kind == "subgraph size 3" else _walks
    model, stage, counted = yield from count(model, stage, params, rng, warning)
    for known in _in_steps(n):
        stage = replace(stage, rows=known, shown=known - 1)
        yield _frame(model, stage, "gram", words.gram_rows(model, stage), counted, warning=warning)
    stage = replace(stage, shown=min(params.first, n) - 1)
    stop = Stop.COMPLETE
    gap = dual = 0.0
    decisions = np.tile(machines.bias, (n, 1))
    for progress in train(model.gram, machines, params.C, params.tol, MOST_STEPS):
        model = replace(model, machines=progress.machines)
        dual, gap = progress.standing.dual, progress.standing.gap
        stage = replace(stage, moved=progress.pair or ())
        if progress.pair is None and not progress.certified:
            stop = Stop.LIMIT
        caption = machine_caption(model.machines, data.classes, progress, "graphs")
        decisions[:, progress.machine] = progress.decisions
        yield _frame(model, stage, "machine", caption, counted, dual, gap, warning, decisions)
    stage = replace(stage, moved=(), done=True)
    decisions = model.machines.decisions(model.gram)
    yield _frame(model, stage, "done", words.conclusion(model), counted, dual, gap, warning, decisions)
    return Ended(stop, "stopped without a certificate") if stop is Stop.LIMIT else Stop.COMPLETE


Counted = Generator[DrawnSnapshot, None, tuple[Model, Stage, float]]


def _triples(model: Model, stage: Stage, params: Params, rng: np.random.Generator, warning: str) -> Counted:
    """The triples of one graph one by one, then those of all graphs; the table of all pairs is known, but not shown."""
    data, graph = model.data, model.data.graphs[stage.shown]
    counts = solver.triple_counts(data.graphs)
    stage = replace(stage, tallest=float(solver.fractions(counts).max()) or 1.0)
    yield _frame(model, stage, "start", words.opening_triples(data, stage.shown), warning=warning)
    total = graph.n * (graph.n - 1) * (graph.n - 2) // 6
    if graph.n <= solver.ENUMERATED:
        triples, edges = solver.triples_of(graph)
        sums = np.cumsum(edges[:, None] == np.arange(4), axis=0)
        step = -(-total // ONE_BY_ONE)
        for done in range(step, total + step, step) if total else ():
            last = min(done, total) - 1
            stage = replace(stage, counts=sums[last], triple=triples[last], total=total)
            caption = words.triple(graph, stage, int(edges[last]), step)
            yield _frame(model, stage, "count", caption, float(last + 1), warning=warning)
    model = _with_features(model, solver.fractions(counts))
    stage = replace(stage, counts=None, triple=None)
    for known in _in_steps(data.n):
        stage = replace(stage, shown=known - 1, known=known)
        caption = words.histogram(data, known - 1, counts[known - 1])
        yield _frame(model, stage, "features", caption, float(total), warning=warning)
    return model, stage, float(total)


def _walks(model: Model, stage: Stage, params: Params, rng: np.random.Generator, warning: str) -> Counted:
    """The walks in two graphs at once, length by length; the table of all pairs is known, but not shown."""
    data, first = model.data, stage.shown
    tops = solver.largest_eigenvalues(data.graphs)
    top = float(tops.max())
    attenuation = params.decay / top**2 if top > 0.0 else params.decay
    model = replace(model, attenuation=attenuation, largest=top)
    before = model
    model = _with_features(model, solver.walk_features(data.graphs, attenuation, solver.lengths_needed(params.decay)))
    second = min(params.second, data.n) - 1 if params.second else model.most_alike(first)[0]
    stage = replace(stage, pair=(first, second))
    yield _frame(before, stage, "start", words.opening_walks(model, stage, tops), warning=warning)
    terms = model.features[first] * model.features[second]
    sums = np.cumsum(terms)
    enough = int(np.searchsorted(sums, 0.999 * sums[-1])) + 1 if sums[-1] > 0.0 else 1
    shown = min(max(enough, 4), LENGTHS, len(sums))
    if all(is_pictured(data.graphs[k]) for k in (first, second)):
        stage = replace(stage, walks=tuple(solver.one_walk(data.graphs[k], shown - 1, rng) for k in (first, second)))
    for length in range(shown):
        stage = replace(stage, length=length)
        caption = words.walks(model, stage, terms[length], sums[length], sums[-1])
        yield _frame(replace(before, features=model.features), stage, "walk", caption, sums[length], warning=warning)
    return model, replace(stage, known=data.n), float(sums[-1])


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


def _frame(
    model: Model,
    stage: Stage,
    phase: str,
    caption: str,
    counted: float = 0.0,
    dual: float = 0.0,
    gap: float = 0.0,
    warning: str = "",
    decisions: Array | None = None,
) -> DrawnSnapshot:
    """The state as a frame."""
    wrong, y = 0.0, model.data.y
    if y is not None and decisions is not None:
        wrong = float(np.count_nonzero(model.machines.labels(decisions) != y) / model.data.n)
    metrics = {"counted": counted, "rows": float(stage.rows), "dual": dual, "gap": gap, "error": wrong}
    return DrawnSnapshot(model, LazyViews(views, model, stage), metrics, phase, caption, warning)


def predict(model: Model, data: GraphSet) -> Array:
    """The class (m,) of new graphs."""
    if model.data.y is None:
        raise DataError("The graphs had no classes, so there is nothing to predict.")
    solver.refuse_too_much(data.graphs)
    return model.machines.labels(model.machines.decisions(model.values(data)))


def explain(model: Model, data: GraphSet, item: Item) -> Explanation:
    """What was counted in a graph, which one is most alike, and what the machine makes of it."""
    return words.explanation(model, data, item.number)


def look_at(shot: DrawnSnapshot, data: GraphSet, item: Item) -> DrawnSnapshot:
    """The graph that is hovered, in place of the one that is shown, as soon as something is known of it."""
    assert isinstance(shot.views, LazyViews)
    model, stage = shot.views.arguments
    if item.number >= stage.known:
        return shot
    if stage.pair:
        pair = (stage.pair[0], item.number)
        return replace(shot, views=LazyViews(views, model, replace(stage, pair=pair, walks=())))
    return replace(shot, views=LazyViews(views, model, replace(stage, shown=item.number)))


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
    summary="How alike graphs are by the triples of nodes, or the walks, in them; a machine tells them apart.",
    params=Params,
    run=run,
    accepts=(GraphSet,),
    target="classes",
    predict=predict,
    explain=explain,
    look_at=look_at,
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
        Metric("error", "fraction of graphs on the wrong side", group="error"),
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
    reference="Machine Learning (Buhmann), graph kernels; Gärtner, Flach, Wrobel 2003; Vishwanathan, Schraudolph, "
    "Kondor, Borgwardt 2010; Shervashidze et al. 2009",
    example="friend_graphs()",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
