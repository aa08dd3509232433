"""Trees in the plane: the boxes of their nodes."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.marks import OPEN
from algorithms.maths.trees import Tree


def node_boxes(tree: Tree, d: int) -> tuple[Array, Array]:
    """The lower and the upper corner of the box of every node, (m, d) each."""
    low, high = np.full((len(tree.child), d), -OPEN), np.full((len(tree.child), d), OPEN)
    for depth in range(int(tree.depth.max())):
        inner = np.flatnonzero((tree.depth == depth) & (tree.child >= 0))
        first, feature, threshold = tree.child[inner], tree.feature[inner], tree.threshold[inner]
        low[first] = low[first + 1] = low[inner]
        high[first] = high[first + 1] = high[inner]
        high[first, feature] = low[first + 1, feature] = threshold
    return low, high


def leaf_boxes(tree: Tree, d: int) -> tuple[Array, Array]:
    """The lower and the upper corner of the box of every leaf, (l, d) each."""
    low, high = node_boxes(tree, d)
    leaves = tree.child < 0
    return low[leaves], high[leaves]
