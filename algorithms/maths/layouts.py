"""Places for the nodes of a graph, so that a reader sees how it hangs together.

On a **circle** every node has the same standing. The **spectral** layout uses the eigenvectors v of the second and
third smallest eigenvalues l of L = D - A, the two slowest ways in which the graph can swing, as places v / sqrt(l).
The **spring** layout begins there and lets forces decide (Fruchterman and Reingold): all nodes push each other apart,
edges pull their ends together,

    push = k² / d,    pull = d² / k,

and nobody moves farther than a temperature that falls from step to step; where both ends have many edges each of these
pulls less, so that a clique is not pulled into a lump. Only who is joined to whom counts: a weight may be a length or
a strength. Pieces that are not connected are laid out one by one and set side by side; each is turned
so that it is wider than it is high. Rounded places and vectors that their space alone determines give the same picture
on every processor, although springs make much of little.

Reference: Fruchterman and Reingold, Graph drawing by force-directed placement, Software: Practice and Experience 1991;
Koren, Drawing graphs by eigenvectors, 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from algorithms.data import Array, Graph
from algorithms.interrupt import checkpoint

STEPS = 150
"""Steps of the springs of a small graph; large ones make fewer, because each takes longer."""
WORK = 60_000_000
"""Pairs of nodes that push each other, all steps together; at least ``FEWEST`` steps are made. An edge costs as ten."""
FEWEST = 30
NEAR = 3.0
"""In a graph of more than ``MANY`` nodes only those within so many spring lengths push each other."""
MANY = 1500
STIRRED = 1e-3
"""How far eigenvectors are stirred, as a fraction of their reach,"""
APART = 0.4
"""and how far nodes that would share a place then stand from it, in lengths of an edge."""
_DENSE = 400  # nodes up to which all eigenvectors are found at once
_BEFORE, _DECIMALS = 3, 6  # to which places are rounded before the first step of the springs, and after each
_EQUAL = 1e-6  # eigenvalues that differ by less, as a fraction of the largest, are one
GAP = 1.6
"""Room between two pieces, in spring lengths."""

Layout = Callable[[int, Array, np.random.Generator], Array]


def circle_layout(n: int) -> Array:
    """Nodes on a circle of radius one, clockwise from the top, (n, 2)."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / max(n, 1)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def spectral_layout(graph: Graph, seed: int = 0) -> Array:
    """Places (n, 2) from the two slowest modes of every piece of the graph; who would share one stands around it."""
    return _piece_by_piece(graph, seed, lambda n, edges, rng: _parted(_spectral(n, edges, rng)))


def spring_layout(graph: Graph, seed: int = 0) -> Array:
    """Places (n, 2) at which springs along the edges and a push between all nodes are in balance."""
    return _piece_by_piece(graph, seed, _springs)


def placed(graph: Graph) -> Graph:
    """The graph itself where its nodes have places, else with those of the spring layout."""
    return graph if graph.positions is not None else replace(graph, positions=spring_layout(graph))


def _piece_by_piece(graph: Graph, seed: int, layout: Layout) -> Array:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    at = np.zeros((graph.n, 2))
    if not graph.n:
        return at
    rng = np.random.default_rng(seed)
    ends = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
    table = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(graph.n, graph.n))
    count, piece = connected_components(table, directed=False)
    numbers = np.empty(graph.n, dtype=np.int64)
    members = np.split(np.argsort(piece, kind="stable"), np.cumsum(np.bincount(piece, minlength=count))[:-1])
    of_edges = np.split(
        np.argsort(piece[ends[:, 0]], kind="stable"), np.cumsum(np.bincount(piece[ends[:, 0]], minlength=count))[:-1]
    )
    for nodes, own in zip(members, of_edges):
        numbers[nodes] = np.arange(len(nodes))
        at[nodes] = _lying(layout(len(nodes), numbers[ends[own]], rng))
    return np.round(at if count == 1 else _side_by_side(at, members), _DECIMALS)


def _spectral(n: int, edges: Array, rng: np.random.Generator) -> Array:
    """Two eigenvectors of L, so long that neighbours are about one apart; fewer than four nodes lie on a circle."""
    if n < 4:
        return _few(n)
    at = _slowest(n, edges)
    at = at + STIRRED * np.abs(at).max() * rng.standard_normal((n, 2))  # leaves of one node would lie on each other
    gaps = np.linalg.norm(at[edges[:, 0]] - at[edges[:, 1]], axis=1)
    return np.asarray(at / max(float(np.median(gaps)), 1e-9 * float(np.abs(at).max()), 1e-300))


def _parted(at: Array) -> Array:
    """Nodes that only a stir keeps apart, such as leaves of one node, on a small circle around where they all are."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    n = len(at)
    if n > _DENSE:  # too small to be told apart anyway
        return at
    one, two = cKDTree(at).query_pairs(6.0 * STIRRED * float(np.abs(at).max()), output_type="ndarray").T
    count, group = connected_components(coo_array((np.ones(len(one)), (one, two)), shape=(n, n)), directed=False)
    at = at.copy()
    for number in np.flatnonzero(np.bincount(group, minlength=count) > 1):
        nodes = np.flatnonzero(group == number)
        at[nodes] = at[nodes].mean(axis=0) + APART * max(1.0, len(nodes) / 6.0) * circle_layout(len(nodes))
    return at


def _few(n: int) -> Array:
    return np.zeros((1, 2)) if n == 1 else np.array([[-0.5, 0.0], [0.5, 0.0]]) if n == 2 else circle_layout(3)


def _slowest(n: int, edges: Array) -> Array:
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import ArpackError, eigsh

    both = (np.concatenate([edges[:, 0], edges[:, 1]]), np.concatenate([edges[:, 1], edges[:, 0]]))
    table = coo_array((np.ones(2 * len(edges)), both), shape=(n, n)).tocsr()
    table.data[:] = 1.0  # an edge there and one back pull no more than one
    degrees = np.asarray(table.sum(axis=1)).ravel()
    if n <= _DENSE:
        values, vectors = (part[..., 1:] for part in np.linalg.eigh(np.diag(degrees) - table.toarray()))
    else:
        # the normalised form has its small eigenvalues at one end of [0, 2], where Lanczos finds them without solving
        root = 1.0 / np.sqrt(degrees)
        walk = diags_array(root) @ table @ diags_array(root)
        try:
            found, vectors = eigsh(walk, 3, which="LA", v0=np.sqrt(degrees) + 0.1 * np.cos(np.arange(n)), maxiter=2000)
        except ArpackError:
            return circle_layout(n)
        slow = np.argsort(-found)[1:3]
        values, vectors = 1.0 - found[slow], vectors[:, slow] * root[:, None]
    return _determined(values, vectors) / np.sqrt(np.maximum(values[:2], 1e-9))  # a slow mode reaches far


def _determined(values: Array, vectors: Array) -> Array:
    """The first two eigenvectors, rising, as far as the graph determines them: their spaces; the rest is a rule.

    The sign of an eigenvector is arbitrary, and so is which vectors stand for a space of several with the same value.
    Those are taken which are nearest to fixed irregular ones, one after the other.
    """
    irregular = np.cos(np.outer(np.arange(1, len(vectors) + 1), np.sqrt([2.0, 3.0])))
    equal = np.abs(values - values[:2, None]) <= _EQUAL * values[-1]
    first, second = (vectors[:, mask] @ (vectors[:, mask].T @ seen) for mask, seen in zip(equal, irregular.T))
    first = first / np.linalg.norm(first)
    second = second - first * (first @ second)
    return np.column_stack([first, second / np.linalg.norm(second)])


def _springs(n: int, edges: Array, rng: np.random.Generator) -> Array:
    """Springs of length one, from the spectral layout, which is already unfolded."""
    if n < 4:
        return _few(n)
    at = _spectral(n, edges, rng)
    at *= np.sqrt(n) / max(float(np.abs(at).max()), 1e-300)
    at = np.round(at + 0.1 * rng.standard_normal((n, 2)), _BEFORE)
    degrees = np.bincount(edges.ravel(), minlength=n)
    strengths = (2.0 / (1.0 + np.minimum(degrees[edges[:, 0]], degrees[edges[:, 1]])))[:, None]
    pairs = n * n if n <= MANY else 60 * n + 10 * len(edges)
    steps = int(np.clip(WORK // pairs, FEWEST, STEPS))
    for step in range(steps):
        checkpoint()
        force = (_push if n <= MANY else _push_nearby)(at) - _pull(at, edges, strengths)
        length = np.linalg.norm(force, axis=1, keepdims=True)
        temperature = 0.15 * np.sqrt(n) * (1.0 - step / steps)
        at = np.round(at + force / np.maximum(length, 1e-12) * np.minimum(length, temperature), _DECIMALS)
    return at


def _push(at: Array) -> Array:
    """sum_j (x_i - x_j) / |x_i - x_j|^2 as two products with the table of 1 / |x_i - x_j|^2."""
    squares = np.einsum("ij,ij->i", at, at)
    table = squares[:, None] + squares - 2.0 * (at @ at.T)
    np.maximum(table, 1e-4, out=table)
    np.divide(1.0, table, out=table)
    np.fill_diagonal(table, 0.0)
    return np.asarray(at * table.sum(axis=1)[:, None] - table @ at)


def _push_nearby(at: Array) -> Array:
    """The same among nodes that are near each other, and a steady push from the middle for all the others."""
    from scipy.spatial import cKDTree

    one, two = cKDTree(at).query_pairs(NEAR, output_type="ndarray").T
    gap = at[one] - at[two]
    gap /= np.maximum(np.einsum("ij,ij->i", gap, gap), 1e-4)[:, None]
    away = at - at.mean(axis=0)
    spread = max(float(np.einsum("ij,ij->i", away, away).mean()), 1e-12)
    return _gathered(gap, one, two, len(at)) + 0.5 * len(at) * away / spread


def _pull(at: Array, edges: Array, strengths: Array) -> Array:
    gap = at[edges[:, 0]] - at[edges[:, 1]]
    force = gap * np.linalg.norm(gap, axis=1, keepdims=True) * strengths
    return _gathered(force, edges[:, 0], edges[:, 1], len(at))


def _gathered(forces: Array, one: Array, two: Array, n: int) -> Array:
    """What acts on every node when a force acts on one end of each pair and its opposite on the other."""
    sums = [np.bincount(one, axis, n) - np.bincount(two, axis, n) for axis in forces.T]
    return np.column_stack(sums)


def _lying(at: Array) -> Array:
    """Turned around its middle so that its longest direction is level."""
    at = at - (at.min(axis=0) + at.max(axis=0)) / 2
    if len(at) < 4:
        return at
    spread, axes = np.linalg.eigh(np.cov(at.T))
    turned = at @ axes[:, ::-1] if spread[0] < (1.0 - _EQUAL) * spread[1] else at
    first = np.argmax(np.abs(turned) > 0.63 * np.abs(turned).max(axis=0), axis=0)  # one of those far out, and no tie
    return np.asarray(turned * np.where(turned[first, [0, 1]] < 0, -1.0, 1.0))


def _side_by_side(at: Array, members: list[Array]) -> Array:
    """The pieces in rows like words, the largest first, in a room that is about three to two."""
    boxes = np.array([np.ptp(at[nodes], axis=0) + GAP for nodes in members])
    order = sorted(range(len(members)), key=lambda number: (-len(members[number]), number))
    width = max(float(np.sqrt(1.5 * boxes.prod(axis=1).sum())), float(boxes[:, 0].max()))
    x = y = height = 0.0
    found = at.copy()
    for number in order:
        wide, high = boxes[number].tolist()
        if x and x + wide > width * 1.0001:
            x, y, height = 0.0, y - height, 0.0
        found[members[number]] = at[members[number]] + (x + wide / 2, y - high / 2)
        x, height = x + wide, max(height, high)
    return found - (found.min(axis=0) + found.max(axis=0)) / 2
