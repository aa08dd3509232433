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

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.clustering._linkage import Linkage, Metric, merges_of_points, step_wise_optimal
from algorithms.clustering._merge_tree import MergeTree
from algorithms.contract import Algorithm, Explanation, LazyViews, Line, Panel, Run, Snapshot, Stop
from algorithms.contract import Metric as Number
from algorithms.data import Array, DataError, Item, Points
from algorithms.marks import Assignment, Dendrogram, Hulls, Mark, Segments
from algorithms.maths import seeding
from algorithms.maths.distances import Cloud, refuse_overflow
from algorithms.maths.lloyd import settle
from algorithms.params import Between, Doc, When

MOST_CLUSTERS = 100
_KMEANS_STEPS = 300
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
        Metric,
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
    metric: Metric
    tree: MergeTree
    leaf_of: Array  # (n,) the leaf in which each point lies
    labels: Array  # (n,) the cluster of each point at the cut
    k: int
    count: int  # merges so far


@dataclass(frozen=True, slots=True, eq=False)
class _Grown:
    """A finished tree and the lines that show its merges in the plane; a cut changes nothing of it."""

    tree: MergeTree
    leaf_of: Array  # (n,)
    link: tuple[Array, Array]  # two (m, d): where the line that stays after each merge begins and ends
    measured: tuple[Array, Array]  # two (m, d): the distance that decided, as a line


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """Everything that the frames of one run have in common."""

    grown: _Grown
    linkage: str
    model: Model
    groups: Array  # (m + 1,) the cluster of each leaf at the cut
    cut: float
    loss: Array  # (m + 1,) the sum of squared distances to the cluster means after each number of merges
    warning: str

    @property
    def tree(self) -> MergeTree:
        """The tree of the run."""
        return self.grown.tree


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Begin with every point (or every k-means cluster) on its own, and show one merge after the other."""
    refuse_overflow(data.X)
    if params.linkage == "step-wise optimal":
        grown = _grown_from_clusters(data.X, params.start_clusters, rng)
    else:
        grown = _grown_from_points(data, params.linkage, _metric(params))
    scene = _scene(data, params, grown)
    yield _start_frame(scene)
    for count, caption in enumerate(_merge_captions(scene), start=1):
        yield _frame(scene, count, "merge", caption)
    yield _cut_frame(scene)
    return Stop.COMPLETE


def _metric(params: Params) -> Metric:
    return "euclidean" if params.linkage in _OWN_METRIC else params.metric


@functools.lru_cache(maxsize=2)
def _grown_from_points(data: Points, linkage: Linkage, metric: Metric) -> _Grown:
    """The tree of single points. Another cut through the same tree finds it here: dragging the cut is quick."""
    X, leaf_of = data.X, np.arange(data.n, dtype=np.int32)
    tree = MergeTree.of(merges_of_points(X, linkage, metric), X, leaf_of)
    near = tree.links(X, metric)
    link = measured = X[near[:, 0]], X[near[:, 1]]
    if linkage == "complete":
        far = tree.links(X, metric, farthest=True)
        measured = X[far[:, 0]], X[far[:, 1]]
    elif linkage != "single":
        measured = _between_means(tree)
    return _Grown(tree, leaf_of, link, measured)


def _grown_from_clusters(X: Array, start_clusters: int, rng: np.random.Generator) -> _Grown:
    """The tree of the clusters that k-means ends with, when it begins with k-means++."""
    seeding.need_distinct_points(X, start_clusters, "start clusters")
    cloud = Cloud.of(X)
    centres = cloud.columns[:, seeding.plus_plus(cloud, start_clusters, rng)].T
    labels = settle(cloud, np.ascontiguousarray(centres), _KMEANS_STEPS).labels
    leaf_of = np.unique(labels, return_inverse=True)[1].astype(np.int32)  # a cluster may have been left empty
    means, sizes = cloud.means(leaf_of, int(leaf_of.max()) + 1)
    tree = MergeTree.of(step_wise_optimal(means, sizes), X, leaf_of)
    return _Grown(tree, leaf_of, _between_means(tree), _between_means(tree))


def _between_means(tree: MergeTree) -> tuple[Array, Array]:
    a, b = tree.children.T
    return tree.means[a], tree.means[b]


def _scene(data: Points, params: Params, grown: _Grown) -> _Scene:
    tree, k = grown.tree, params.k
    if k > tree.leaves:
        what = "start cluster" if params.linkage == "step-wise optimal" else "point"
        there = f"there is 1 {what}" if tree.leaves == 1 else f"there are {tree.leaves} {what}s"
        raise DataError(f"A cut into {k} clusters needs at least {k} {what}s; {there}.")
    labels = tree.clusters(k)[1]
    within = float(np.square(data.X - tree.means[grown.leaf_of]).sum()) if tree.leaves < data.n else 0.0
    return _Scene(
        grown=grown,
        linkage=params.linkage,
        model=Model(data.X, _metric(params), tree, grown.leaf_of, labels, k, count=0),
        groups=labels[tree.points[tree.begin[: tree.leaves]]],
        cut=tree.cut_height(k),
        loss=within + np.concatenate([[0.0], np.cumsum(tree.loss_rises())]),
        warning=_ignored_metric(params),
    )


def _ignored_metric(params: Params) -> str:
    if params.metric == _metric(params):
        return ""
    name = "Ward's criterion" if params.linkage == "ward" else "Step-wise optimal merging"
    return f"{name} is defined by Euclidean distances; the {params.metric} metric is not used."


def _start_frame(scene: _Scene) -> Snapshot:
    leaves = scene.tree.leaves
    caption = f"Each of the {_count(leaves, 'point')} is a cluster of its own."
    if scene.linkage == "step-wise optimal":
        caption = f"k-means gives {_count(leaves, 'start cluster')} with the loss J = {_number(scene.loss[0])}."
    return _frame(scene, 0, "start", caption)


def _merge_captions(scene: _Scene) -> Iterator[str]:
    tree, (_, words) = scene.tree, _MEASURED[scene.linkage]
    names = [
        f"point {first + 1}" if size == 1 else f"a cluster of {size} points"
        for first, size in zip(tree.points[tree.begin].tolist(), tree.sizes.tolist())
    ]
    for left, (a, b), height in zip(range(tree.leaves - 1, 0, -1), tree.children.tolist(), tree.heights.tolist()):
        pair = f"{names[a]} and {names[b]}"
        remain = "1 cluster remains" if left == 1 else f"{left} clusters remain"
        yield f"{pair[0].upper()}{pair[1:]} join: {words.format(_number(height))}; {remain}."


_MEASURED = {
    "single": ("nearest pair", "their nearest points are {} apart"),
    "complete": ("farthest pair", "their farthest points are {} apart"),
    "average": ("between the means", "their points are {} apart on average"),
    "ward": ("between the means", "√(2Δ) = {}, the least for any pair"),
    "step-wise optimal": ("between the means", "this raises J by {}, the least for any pair"),
}
"""What decides: the name of its line, and the height in words."""


def _cut_frame(scene: _Scene) -> Snapshot:
    tree, k = scene.tree, scene.model.k
    sizes = sorted(np.bincount(scene.model.labels).tolist(), reverse=True)
    listed = ", ".join(map(str, sizes[:6])) + (" ..." if k > 6 else "")
    caption = f"The cut at {_number(scene.cut)} leaves {_count(k, 'cluster')} (of {listed} points)"
    best = tree.largest_jump()
    if best > 1:
        low, high = tree.heights[len(tree.heights) - best : len(tree.heights) - best + 2].tolist()
        caption += f"; the largest jump of the height, from {_number(low)} to {_number(high)}, suggests {best} clusters"
    return _frame(scene, len(tree.heights), "cut", caption + ".")


def _frame(scene: _Scene, count: int, phase: str, caption: str) -> Snapshot:
    tree, model = scene.tree, scene.model
    model = Model(model.X, model.metric, tree, model.leaf_of, model.labels, model.k, count)
    height = tree.heights.item(count - 1) if count else 0.0
    metrics = {"height": height, "W": scene.loss.item(count), "clusters": tree.leaves - count}
    return Snapshot(model, LazyViews(_views, scene, count, phase), metrics, phase, caption, scene.warning)


def _views(scene: _Scene, count: int, phase: str) -> dict[str, tuple[Mark, ...]]:
    tree, model = scene.tree, scene.model
    plane = {"start": _start_marks, "merge": _merge_marks, "cut": _cut_marks}[phase](scene, count)
    dendrogram = Dendrogram(
        children=tree.children,
        heights=tree.heights,
        order=tree.order,
        groups=scene.groups,
        leaf_of=model.leaf_of,
        count=count,
        k=model.k,
        cut=scene.cut,
        merging=phase == "merge",
        handle="k",
        most=MOST_CLUSTERS,
    )
    return {"plane": plane, "dendrogram": (dendrogram,)}


def _start_marks(scene: _Scene, count: int) -> tuple[Mark, ...]:
    tree, nobody = scene.tree, Assignment(np.full(len(scene.model.X), -1, dtype=np.int8))
    if scene.linkage != "step-wise optimal":
        return (nobody,)
    return Hulls(tuple(tree.members(leaf) for leaf in range(tree.leaves)), "start cluster"), nobody


def _merge_marks(scene: _Scene, count: int) -> tuple[Mark, ...]:
    tree, grown = scene.tree, scene.grown
    a, b = tree.children[count - 1].tolist()
    start, end = (ends[count - 1 : count] for ends in grown.measured)
    return (
        Hulls((tree.members(a), tree.members(b)), "merged now"),
        Segments(grown.link[0][:count], grown.link[1][:count], role="edge", name="merges so far"),
        Assignment(_coloured(scene, count)),
        Segments(start, end, role="link", name=_MEASURED[scene.linkage][0]),
    )


def _coloured(scene: _Scene, count: int) -> Array:
    """The colours after a merge: a leaf takes that of its cluster at the cut when it first joins another."""
    tree, labels = scene.tree, scene.model.labels
    if count >= tree.leaves - scene.model.k:
        return labels
    joined = np.zeros(2 * tree.leaves - 1, dtype=bool)
    joined[tree.children[:count]] = True
    return np.where(joined[scene.model.leaf_of], labels, np.int8(-1))


def _cut_marks(scene: _Scene, count: int) -> tuple[Mark, ...]:
    start, end = (ends[: scene.tree.leaves - scene.model.k] for ends in scene.grown.link)
    return Segments(start, end, role="edge", name="merges so far"), Assignment(scene.model.labels)


def _number(value: float) -> str:
    return f"{value:.4g}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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


ALGORITHM = Algorithm(
    key="agglomerative",
    title="Agglomerative clustering",
    family="clustering",
    summary="The two nearest clusters merge, again and again, into a tree that can be cut at any height.",
    params=Params,
    run=run,
    predict=predict,
    explain=explain,
    panels=(
        Panel("plane", "Agglomerative clustering", space="data"),
        Panel("dendrogram", "Dendrogram", y="height"),
    ),
    metrics=(
        Number("height", "height of the merge", group="height", better="neither"),
        Number("W", "W, squared distances to the cluster means", group="W", better="neither"),
        Number("clusters", "clusters left", group="clusters", better="neither"),
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
    reference="002 §9.5.1; 000 §3.2.2 Alg. 7; Lance and Williams 1967; Müllner 2011",
    example="blobs(n=120,noise=1,seed=1)",
)
