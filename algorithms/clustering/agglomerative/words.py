"""The captions of agglomerative clustering."""

from __future__ import annotations

import numpy as np

from algorithms.clustering.agglomerative.views import Scene
from algorithms.maths.words import capital, counted, number

_HEIGHTS = {
    "single": "their nearest points are {} apart",
    "complete": "their farthest points are {} apart",
    "average": "their points are {} apart on average",
    "ward": "√(2Δ) = {}, the least for any pair",
    "step-wise optimal": "this raises J by {}, the least for any pair",
}


def start(scene: Scene) -> str:
    """What the merging begins with."""
    leaves = scene.tree.leaves
    if scene.linkage == "step-wise optimal":
        return f"k-means gives {counted(leaves, 'start cluster')} with the loss J = {number(scene.loss[0])}."
    return f"Each of the {counted(leaves, 'point')} is a cluster of its own."


def merge(scene: Scene, count: int) -> str:
    """The last one of so many merges."""
    tree, left = scene.tree, scene.tree.leaves - count
    one, two = (_cluster(scene, node) for node in tree.children[count - 1].tolist())
    height = _HEIGHTS[scene.linkage].format(number(float(tree.heights[count - 1])))
    remain = f"{left:,} clusters remain" if left > 1 else "1 cluster remains"
    return f"{capital(one)} and {two} join: {height}; {remain}."


def _cluster(scene: Scene, node: int) -> str:
    tree = scene.tree
    size = int(tree.sizes[node])
    return f"point {int(tree.points[tree.begin[node]]) + 1}" if size == 1 else f"a cluster of {size:,} points"


def cut(scene: Scene) -> str:
    """What the cut leaves, and where the heights jump most."""
    tree, k = scene.tree, scene.model.k
    sizes = sorted(np.bincount(scene.model.labels).tolist(), reverse=True)
    listed = ", ".join(map(str, sizes[:6])) + (" ..." if k > 6 else "")
    caption = f"The cut at {number(scene.cut)} leaves {counted(k, 'cluster')} (of {listed} points)"
    best = tree.largest_jump()
    if best > 1:
        low, high = tree.heights[len(tree.heights) - best : len(tree.heights) - best + 2].tolist()
        caption += f"; the largest jump of the height, from {number(low)} to {number(high)}, suggests {best} clusters"
    return caption + "."


def unused_metric(linkage: str, metric: str) -> str:
    """The warning where the chosen metric has no part."""
    name = "Ward's criterion" if linkage == "ward" else "Step-wise optimal merging"
    return f"{name} is defined by Euclidean distances; the {metric} metric is not used."
