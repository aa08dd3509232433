"""The pictures of agglomerative clustering: the merge of this step in the plane, and the dendrogram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.clustering.agglomerative.solver import Grown, MergeTree
from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Assignment, Dendrogram, Hulls, Mark, Segments

if TYPE_CHECKING:
    from algorithms.clustering.agglomerative import Model

_MEASURED = {"single": "nearest pair", "complete": "farthest pair"}
"""The line that shows the distance which decided; for the other linkages it joins the means."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that the frames of one run have in common."""

    grown: Grown
    linkage: str
    model: Model
    groups: Array  # (m + 1,) the cluster of each leaf at the cut
    cut: float
    loss: Array  # (m + 1,) the sum of squared distances to the cluster means after each number of merges
    most: int  # clusters that the cut can be dragged to

    @property
    def tree(self) -> MergeTree:
        """The tree of the run."""
        return self.grown.tree


def views(scene: Scene, count: int, phase: str) -> Views:
    """Every panel after so many merges."""
    tree, model = scene.tree, scene.model
    plane = {"start": _start, "merge": _merge, "cut": _cut}[phase](scene, count)
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
        most=scene.most,
    )
    return {"plane": plane, "dendrogram": (dendrogram,)}


def _start(scene: Scene, count: int) -> tuple[Mark, ...]:
    tree, nobody = scene.tree, Assignment(np.full(len(scene.model.X), -1, dtype=np.int8))
    if scene.linkage != "step-wise optimal":
        return (nobody,)
    return Hulls(tuple(tree.members(leaf) for leaf in range(tree.leaves)), "start cluster"), nobody


def _merge(scene: Scene, count: int) -> tuple[Mark, ...]:
    tree, grown = scene.tree, scene.grown
    a, b = tree.children[count - 1].tolist()
    start, end = (ends[count - 1 : count] for ends in grown.measured)
    return (
        Hulls((tree.members(a), tree.members(b)), "merged now"),
        Segments(grown.link[0][:count], grown.link[1][:count], role="edge", name="merges so far"),
        Assignment(_coloured(scene, count)),
        Segments(start, end, role="link", name=_MEASURED.get(scene.linkage, "between the means")),
    )


def _coloured(scene: Scene, count: int) -> Array:
    """The colours after a merge: a leaf takes that of its cluster at the cut when it first joins another."""
    tree, labels = scene.tree, scene.model.labels
    if count >= tree.leaves - scene.model.k:
        return labels
    joined = np.zeros(2 * tree.leaves - 1, dtype=bool)
    joined[tree.children[:count]] = True
    return np.where(joined[scene.model.leaf_of], labels, np.int8(-1))


def _cut(scene: Scene, count: int) -> tuple[Mark, ...]:
    start, end = (ends[: scene.tree.leaves - scene.model.k] for ends in scene.grown.link)
    return Segments(start, end, role="edge", name="merges so far"), Assignment(scene.model.labels)
