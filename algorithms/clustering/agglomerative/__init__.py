"""Agglomerative clustering: begin with single points and merge the two nearest clusters until one is left.

What "nearest" means is the linkage. For clusters G and H with the distances D_ij between their points,

    single    min D_ij            complete    max D_ij            average    mean D_ij
    Ward      √(2Δ),  Δ = |G||H| / (|G| + |H|) |m_G - m_H|²    (the rise of the squared distances to the cluster means)

The heights of the merges never fall, so the dendrogram can be cut at any height, which leaves k clusters; a large jump
between two heights is a good place. *Step-wise optimal* merging begins with the clusters of k-means instead of points,
and its heights are the rises Δ of the loss themselves.

Methods for Data Science §9.5.1 (single is "simple linkage" there); Handbook §3.2.2 (Alg. 7; its assignment matrix needs
k - 1 rows, and the last merge, which it leaves out, completes the tree).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.clustering.agglomerative import words
from algorithms.clustering.agglomerative.solver import (
    MOST_CLUSTERS,
    MOST_POINTS,
    DistanceName,
    Grown,
    MergeTree,
    grown_from_clusters,
    grown_from_points,
    of_size_one,
)
from algorithms.clustering.agglomerative.views import views
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
from algorithms.counterpart import SAME_GROUPS
from algorithms.data import Array, DataError, Item, Points
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.words import are, counted
from algorithms.params import Between, Doc, When

_OWN_METRIC = ("ward", "step-wise optimal")
"""Linkages that are defined by means and squared Euclidean distances."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of agglomerative clustering."""

    linkage: Annotated[
        Literal["single", "complete", "average", "ward", "step-wise optimal"],
        Doc("The distance of two clusters: nearest, farthest or mean pair, or what their merge adds to the loss."),
    ] = "average"
    k: Annotated[int, Between(1, MOST_CLUSTERS), Doc("Clusters at the cut; drag the cut in the dendrogram.")] = 3
    metric: Annotated[
        DistanceName,
        When("linkage", "single", "complete", "average"),
        Doc("The distance of two points; Ward and step-wise optimal merging need the Euclidean one and ignore this."),
    ] = "euclidean"
    start_clusters: Annotated[
        int,
        Between(2, MOST_CLUSTERS),
        When("linkage", "step-wise optimal"),
        Doc("How many clusters of k-means the step-wise optimal merging begins with."),
    ] = 10


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The whole tree, how much of it has grown, and the clusters at the cut. Frames share everything but ``count``."""

    X: Array  # (n, d)
    metric: DistanceName
    tree: MergeTree
    leaf_of: Array  # (n,) the leaf in which each point lies
    labels: Array  # (n,) the cluster of each point at the cut
    k: int
    count: int  # merges so far


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """All merges of the run, and the cut through them."""

    linkage: str
    unused: str  # a metric that was chosen although the linkage has its own
    grown: Grown
    groups: Array  # (m + 1,) the cluster of each leaf at the cut
    cut: float


@dataclass(frozen=True, slots=True)
class Shown:
    """The two nodes of the tree that have just been merged."""

    merged: tuple[int, int] | None = None


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Find all merges, then show one after the other: ``run`` is choreography, the tree is there at its head."""
    refuse_overflow(data.X)
    given, full = _solution(data, params, rng)
    tree = full.tree
    within = float(np.square(data.X - tree.means[full.leaf_of]).sum()) if tree.leaves < data.n else 0.0
    loss = within + np.concatenate([[0.0], np.cumsum(tree.loss_rises())])

    def shot(phase: str, count: int, shown: Shown) -> Shot:
        height = tree.heights.item(count - 1) if count else 0.0
        metrics = {"height": height, "W": loss.item(count), "clusters": float(tree.leaves - count)}
        return Snapshot(given, phase, replace(full, count=count), metrics, shown)

    yield shot("start", 0, Shown())
    for count, (one, two) in enumerate(tree.children.tolist(), start=1):
        yield shot("merge", count, Shown((one, two)))
    yield shot("cut", len(tree.heights), Shown())
    return Stop.COMPLETE


def _metric(params: Params) -> DistanceName:
    return "euclidean" if params.linkage in _OWN_METRIC else params.metric


def _solution(data: Points, params: Params, rng: np.random.Generator) -> tuple[Given, Model]:
    """All merges, the cut through them, and the model with the whole tree."""
    metric = _metric(params)
    if params.linkage == "step-wise optimal":
        grown, what = grown_from_clusters(data.X, params.start_clusters, rng), "start cluster"
    else:
        grown, what = grown_from_points(data, params.linkage, metric), "point"
    tree, k = grown.tree, params.k
    if k > tree.leaves:
        needed = f"A cut into {k} clusters needs at least {counted(k, what)}"
        raise DataError(f"{needed}; there {are(tree.leaves)} {counted(tree.leaves, what)}.")
    labels = tree.clusters(k)[1]
    groups = labels[tree.points[tree.begin[: tree.leaves]]]
    unused = "" if params.metric == metric else params.metric
    given = Given(params.linkage, unused, grown, groups, tree.cut_height(k))
    return given, Model(data.X, metric, tree, grown.leaf_of, labels, k, count=0)


def predict(model: Model, X: Array) -> Array:
    """The cluster at the cut (n,) of the nearest data point, in the metric of the run."""
    return model.labels[_nearest(model, X)[1]].astype(np.intp)


def _nearest(model: Model, X: Array) -> tuple[Array, Array]:
    """The distance (n,) to the nearest data point, and which one that is."""
    from scipy.spatial import cKDTree

    if model.metric == "cosine":  # 1 - cos = |u - v|²/2 for directions u and v
        gaps, nearest = map(np.asarray, cKDTree(_directions(model.X)).query(_directions(X)))
        return np.square(gaps) / 2, nearest
    gaps, nearest = map(np.asarray, cKDTree(model.X).query(X, p=1 if model.metric == "manhattan" else 2))
    return gaps, nearest


def _directions(X: Array) -> Array:
    X = of_size_one(X)
    lengths = np.sqrt(np.square(X).sum(axis=1, keepdims=True))
    directions: Array = X / np.where(lengths > 0.0, lengths, 1.0)
    return directions


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The cluster of the point (or of the nearest one), when it first joined another, and when its cluster ends."""
    x = item.x
    tree = model.tree
    gaps, nearest = _nearest(model, x[None])
    point = item.number if item.number >= 0 else int(nearest[0])
    path = tree.path(int(model.leaf_of[point]))
    cluster = int(model.labels[point])
    answer: Explanation = {"cluster": cluster + 1, "points in this cluster": int((model.labels == cluster).sum())}
    if item.number < 0 and gaps[0] > 0.0:
        answer["distance to the nearest point"] = float(gaps[0])
    made = [merge for merge in path if merge < model.count]
    now = tree.leaves + made[-1] if made else int(model.leaf_of[point])
    answer["merges so far"] = len(made)
    answer["points merged with so far"] = int(tree.sizes[now]) - 1
    if path:
        answer["first merge at height"] = float(tree.heights[path[0]])
    above = [merge for merge in path if merge >= tree.leaves - model.k]
    if above:
        answer["its cluster joins the next at height"] = float(tree.heights[above[0]])
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``AgglomerativeClustering``; it has no step-wise optimal merging."""
    if params.linkage == "step-wise optimal":
        return None
    return Counterpart(
        imports="from sklearn.cluster import AgglomerativeClustering",
        make=f"AgglomerativeClustering(n_clusters={params.k}, linkage={params.linkage!r}, metric={_metric(params)!r})",
        difference=SAME_GROUPS.format(ours="ours.model.labels", theirs="theirs.labels_"),
        measure="groups that differ",
        target=False,
    )


ALGORITHM = Algorithm(
    key="agglomerative",
    title="Agglomerative clustering",
    family="clustering",
    summary="The two nearest clusters merge, again and again, into a tree that can be cut at any height.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("Which two clusters are merged next?", "merge", "shown.merged"),
        Question("At which height is the next merge?", "merge", "metrics.height"),
    ),
    predict=predict,
    explain=explain,
    counterpart=counterpart,
    synonyms=("hierarchical clustering", "HAC", "linkage", "dendrogram", "Ward", "single linkage", "complete linkage"),
    panels=(
        Panel("plane", "Agglomerative clustering", space="data"),
        Panel("dendrogram", "Dendrogram", y="height"),
    ),
    metrics=(
        Metric("height", "height of the merge", group="height", better="neither"),
        Metric("W", "W, squared distances to the cluster means", group="W", better="neither"),
        Metric("clusters", "clusters left", group="clusters", better="neither"),
    ),
    pseudocode=(
        Line("every point (or k-means cluster) is a cluster", "start"),
        Line("repeat until one cluster is left   ({clusters} left)"),
        Line("    find clusters G, H with the least d(G, H):"),
        Line("        single min, complete max, average mean of D_ij"),
        Line("        Ward √(2Δ), step-wise optimal Δ = rise of W"),
        Line("    merge them at the height d(G, H) = {height}", "merge"),
        Line("cut the tree where k clusters are left", "cut"),
    ),
    reference="Methods for Data Science §9.5.1; Handbook §3.2.2 Alg. 7; Lance and Williams 1967; Müllner 2011",
    most=MOST_POINTS,
    example="blobs(n=120,noise=1,seed=1)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
