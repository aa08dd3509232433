"""Marks that are a whole diagram: trees, networks and trellises."""

from __future__ import annotations

from typing import ClassVar

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Dendrogram(Mark):
    """A tree of merges, grown as far as the first ``count`` of them, with a cut into ``k`` clusters.

    Leaves are the nodes 0 .. m and merge ``i`` makes node m + 1 + i. All arrays belong to the whole tree, so that the
    frames of a run share them. With ``handle`` the cut can be dragged and sets the parameter of that name to the number
    of clusters at the new height, at most ``most``.
    """

    spaces: ClassVar = ("own",)
    children: Array  # (m, 2) int
    heights: Array  # (m,) never falling
    order: Array  # (m + 1,) the leaves from left to right
    groups: Array  # (m + 1,) int, the cluster of each leaf at the cut
    leaf_of: Array  # (n,) the leaf in which each data point lies
    count: int
    k: int
    cut: float
    merging: bool = False  # the last of the ``count`` merges happens now
    handle: str = ""
    most: int = 100


@dataclass(frozen=True, slots=True, eq=False)
class TreeDiagram(Mark):
    """A tree of decisions. Node 0 is the root; children stand in the order of their numbers, left to right.

    ``owner`` is the node in which each data point ends: hovering a node lights the points below it; for a single
    point its whole path is lit, with its value of the feature that each node asks for.
    """

    spaces: ClassVar = ("none",)
    parent: Array  # (m,) int, -1 for the root
    texts: tuple[str, ...]  # (m,) the question of an inner node, the answer of a leaf
    counts: Array  # (m,) int
    fractions: Array | None = None  # (m, c) the mix of classes in a node
    groups: Array | None = None  # (m,) int, colours a leaf
    values: Array | None = None  # (m,) the mean of a node, colours it where the target is a value
    features: Array | None = None  # (m,) int, the feature a node asks for, -1 for a leaf
    thresholds: Array | None = None  # (m,) smaller values go to the first child
    owner: Array | None = None  # (n,)
    active: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NetworkDiagram(Mark):
    """A layered network: edges by sign and size of their weight, and what every unit says all over the plane.

    ``maps`` holds the units layer after layer, inputs first, each scaled by its own largest size. A unit whose
    ``groups`` is not -1 is the probability of that class. Layers may show only their first units; ``omitted`` counts
    the others.
    """

    spaces: ClassVar = ("none",)
    weights: tuple[Array, ...]  # for each pair of layers (shown units before, shown units)
    maps: Array  # (units, side, side) int8 from -127 to 127, row 0 at the lower edge
    extent: tuple[float, float, float, float]  # what the maps cover: left, right, bottom, top
    names: tuple[tuple[str, ...], ...]  # for each layer, the name of each shown unit or nothing
    titles: tuple[str, ...]  # for each layer
    groups: Array  # (units,) int
    omitted: tuple[int, ...]  # for each layer
    dropped: Array | None = None  # (units,) bool: switched off by dropout
    edges_name: str = "weight"  # what the edges show


@dataclass(frozen=True, slots=True, eq=False)
class Trellis(Mark):
    """States over time: a node for each state of some consecutive moments, and what leads from one to the next.

    ``back`` holds for every node the state that it points back to, -1 for none; ``path`` the state of the path at every
    moment, -1 where it is not known. The column ``active`` is worked on now.
    """

    spaces: ClassVar = ("none",)
    values: Array  # (c, k) from 0 to 1, how full each node is
    known: Array  # (c,) bool: the columns that have values
    times: tuple[str, ...]  # (c,) what is written below a column,
    seen: tuple[str, ...]  # (c,) and what is observed there
    names: tuple[str, ...]  # (k,) of the states
    flow: Array | None = None  # (c, k, k) from 0 to 1: how much goes from state i to state j of the next column
    back: Array | None = None  # (c, k) int
    path: Array | None = None  # (c,) int
    active: int = -1
    points: Array | None = None  # (c,) the moments, as items of the data
    values_name: str = ""
    flow_name: str = ""
    back_name: str = ""
    path_name: str = ""
