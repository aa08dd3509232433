"""What agglomerative clustering says, and what there is to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.data import Array
from algorithms.maths.words import are, capital, counted, listed, number

if TYPE_CHECKING:
    from algorithms.clustering.agglomerative import Shot
    from algorithms.clustering.agglomerative.solver import MergeTree

_HEIGHTS = {
    "single": "their nearest points are {} apart",
    "complete": "their farthest points are {} apart",
    "average": "their points are {} apart on average",
    "ward": "√(2Δ) = {}, the least for any pair",
    "step-wise optimal": "this raises J by {}, the least for any pair",
}


def _start(shot: Shot) -> str:
    leaves = shot.model.tree.leaves
    if shot.given.linkage == "step-wise optimal":
        return f"k-means gives {counted(leaves, 'start cluster')} with the loss J = {number(shot.metrics['W'])}."
    return f"Each of the {counted(leaves, 'point')} is a cluster of its own."


def _merge(shot: Shot) -> str:
    tree, left = shot.model.tree, shot.model.tree.leaves - shot.model.count
    assert shot.shown.merged is not None
    one, two = (_cluster(tree, node) for node in shot.shown.merged)
    height = _HEIGHTS[shot.given.linkage].format(number(shot.metrics["height"]))
    return f"{capital(one)} and {two} join: {height}; {counted(left, 'cluster')} {are(left, 'remains', 'remain')}."


def _cluster(tree: MergeTree, node: int) -> str:
    size = int(tree.sizes[node])
    return f"point {int(tree.points[tree.begin[node]]) + 1}" if size == 1 else f"a cluster of {size:,} points"


def _cut(shot: Shot) -> str:
    """What the cut leaves, and where the heights jump most."""
    tree, k = shot.model.tree, shot.model.k
    sizes = sorted(np.bincount(shot.model.labels).tolist(), reverse=True)
    largest = listed(map(str, sizes)) if k <= 6 else ", ".join(map(str, sizes[:6])) + " ..."
    of_size = f"of {counted(sizes[0], 'point')}" if k == 1 else f"of the sizes {largest}"
    caption = f"The cut at {number(shot.given.cut)} leaves {counted(k, 'cluster')} {of_size}"
    best = tree.largest_jump()
    if best > 1:
        low, high = tree.heights[len(tree.heights) - best : len(tree.heights) - best + 2].tolist()
        caption += f"; the largest jump of the height, from {number(low)} to {number(high)}, suggests {best} clusters"
    return caption + "."


CAPTIONS = {"start": _start, "merge": _merge, "cut": _cut}


def warning(shot: Shot) -> str:
    """Where the chosen metric has no part."""
    if not shot.given.unused:
        return ""
    name = "Ward's criterion" if shot.given.linkage == "ward" else "Step-wise optimal merging"
    return f"{name} is defined by Euclidean distances; the {shot.given.unused} metric is not used."


FORMULAS = (
    r"\text{single:}\ \min_{i \in G,\, j \in H} D_{ij} \qquad \text{complete:}\ \max_{i \in G,\, j \in H} D_{ij}",
    r"\text{average:}\ \frac{1}{|G||H|} \sum_{i \in G} \sum_{j \in H} D_{ij}",
    r"\text{Ward:}\ \sqrt{2\Delta}, \qquad \Delta = \frac{|G||H|}{|G|+|H|}\, \|m_G - m_H\|^2",
)


def _doublings(heights: Array) -> list[int]:
    """The numbers of clusters, at most 20, before the merges that are more than twice as high as the one before."""
    steep = np.flatnonzero(heights[1:] > 2.0 * heights[:-1]) + 1
    return [left for left in (len(heights) + 1 - steep).tolist() if left <= 20]


TRIES = (
    Try(
        "Single linkage follows the moons around the bend, because a chain of near neighbours is enough.",
        "moons(n=200,noise=0.05,seed=1)",
        {"linkage": "single", "k": 2},
        shows=lambda played: played.matched() == 1.0,
    ),
    Try(
        "Complete linkage on the same moons wants compact clusters and cuts them.",
        "moons(n=200,noise=0.05,seed=1)",
        {"linkage": "complete", "k": 2},
        shows=lambda played: played.matched() < 0.9 and played.but(linkage="single").matched() == 1.0,
    ),
    Try(
        "Clusters of clusters: the height more than doubles twice, so the dendrogram can be cut at 9 or at 3 clusters.",
        "nested_blobs(n=120,seed=1)",
        {"linkage": "average", "k": 3},
        shows=lambda played: _doublings(played.model.tree.heights) == [9, 3],
    ),
)
