"""The pictures of agglomerative clustering: the merge of this step in the plane, and the dendrogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.clustering.agglomerative.solver import MOST_CLUSTERS
from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Assignment, Dendrogram, Hulls, Mark, Segments

if TYPE_CHECKING:
    from algorithms.clustering.agglomerative import Given, Model, Shot

_MEASURED = {"single": "nearest pair", "complete": "farthest pair"}
"""The line that shows the distance which decided; for the other linkages it joins the means."""


def views(shot: Shot) -> Views:
    """Every panel after so many merges."""
    given, model = shot.given, shot.model
    tree = model.tree
    dendrogram = Dendrogram(
        children=tree.children,
        heights=tree.heights,
        order=tree.order,
        groups=given.groups,
        leaf_of=model.leaf_of,
        count=model.count,
        k=model.k,
        cut=given.cut,
        merging=shot.phase == "merge",
        handle="k",
        most=MOST_CLUSTERS,
    )
    plane = {"start": _start, "merge": _merge, "cut": _cut}[shot.phase](given, model)
    return {"plane": plane, "dendrogram": (dendrogram,)}


def _start(given: Given, model: Model) -> tuple[Mark, ...]:
    tree, nobody = model.tree, Assignment(np.full(len(model.X), -1, dtype=np.int8))
    if given.linkage != "step-wise optimal":
        return (nobody,)
    return Hulls(tuple(tree.members(leaf) for leaf in range(tree.leaves)), "start cluster"), nobody


def _merge(given: Given, model: Model) -> tuple[Mark, ...]:
    tree, grown, count = model.tree, given.grown, model.count
    a, b = tree.children[count - 1].tolist()
    start, end = (ends[count - 1 : count] for ends in grown.measured)
    return (
        Hulls((tree.members(a), tree.members(b)), "merged now"),
        Segments(grown.link[0][:count], grown.link[1][:count], role="edge", name="merges so far"),
        Assignment(_coloured(model)),
        Segments(start, end, role="link", name=_MEASURED.get(given.linkage, "between the means")),
    )


def _coloured(model: Model) -> Array:
    """The colours after a merge: a leaf takes that of its cluster at the cut when it first joins another."""
    tree, labels, count = model.tree, model.labels, model.count
    if count >= tree.leaves - model.k:
        return labels
    joined = np.zeros(2 * tree.leaves - 1, dtype=bool)
    joined[tree.children[:count]] = True
    return np.where(joined[model.leaf_of], labels, np.int8(-1))


def _cut(given: Given, model: Model) -> tuple[Mark, ...]:
    start, end = (ends[: model.tree.leaves - model.k] for ends in given.grown.link)
    return Segments(start, end, role="edge", name="merges so far"), Assignment(model.labels)
