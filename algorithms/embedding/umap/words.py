"""What UMAP says: its captions, its warnings and what it knows about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Points
from algorithms.embedding.umap.solver import FuzzyGraph, pulls_on
from algorithms.maths.moving_maps import place_words, pull_words
from algorithms.maths.trustworthiness import trust_words
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.embedding.umap import Model


def opening(data: Points) -> str:
    """The caption of the first frame."""
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}; the map begins as the map of principal "
        "components."
    )


def joined(k: int, rho: Array, sigma: Array) -> str:
    """The caption when each point has its neighbours."""
    if k == 1:
        return "Each point is joined to its nearest neighbour with the strength 1."
    low, high = number(float(sigma.min())), number(float(sigma.max()))
    widths = f"σ from {low} to {high}" if low != high else f"σ = {low}"
    return (
        f"Each point is joined to its {k} nearest neighbours: to the first with the strength 1, to the others with a "
        f"width σ for which the strengths add up to log₂ {k} = {number(float(np.log2(k)))} ({widths})."
    )


def united(graph: FuzzyGraph) -> str:
    """The caption of the fuzzy union."""
    return (
        f"The fuzzy union of both directions, a + b - ab: {counted(len(graph.weights), 'edge')} with a total weight of "
        f"{number(float(graph.weights.sum()))}."
    )


BEGUN = {
    "spectral": "The map begins with eigenvectors of the graph Laplacian, the smallest eigenvalues first.",
    "principal components": "The map begins with the principal components of the data.",
    "random": "The map begins at random.",
}


def in_pieces(count: int) -> str:
    """The caption when the spectral map does not exist."""
    return (
        f"The graph is in {count:,} pieces, whose places its Laplacian does not determine: the map begins with the "
        "principal components of the data."
    )


def apart(count: int) -> str:
    """The same at all later steps: no edge says where the pieces lie."""
    return f"The graph is in {count:,} pieces: the distances between them in the map mean nothing. Raise neighbours."


TOO_FEW = "There are too few points for eigenvectors: the map begins with the principal components of the data."


def fewer(wanted: int, possible: int, n: int) -> str:
    """The warning when there are too few points for so many neighbours; empty when there are enough."""
    if possible >= wanted:
        return ""
    if possible < n - 1:
        return f"{counted(n, 'point')} are joined to at most {counted(possible, 'neighbour')} each, not to {wanted:,}."
    return f"Each of the {n:,} points has only {counted(possible, 'other point')}, not {wanted:,} neighbours."


def epoch(count: int, last: int, loss: float, trust: float, k: int) -> str:
    """The caption of an epoch."""
    return (
        f"Epoch {count:,} of {last:,}: edges pull their ends together, points drawn at random push each other away; "
        f"the loss is {loss:.3f}, {trust_words(trust, k)}."
    )


def closing(count: int, loss: float, trust: float, k: int) -> str:
    """The caption of the last frame."""
    return (
        f"After {counted(count, 'epoch')} the loss is {loss:.3f}, {trust_words(trust, k)}. Distances between groups "
        "that "
        "are far apart have no meaning."
    )


def about(model: Model, data: Points, point: int, nearest: bool) -> Explanation:
    """What is known about a data point; ``nearest`` when it stands for a place beside it."""
    answer: Explanation = {"nearest point": point + 1} if nearest else {}
    if len(model.rho):
        answer["distance ρ to its nearest neighbour"] = float(model.rho[point])
        answer["width σ beyond it"] = float(model.sigma[point])
    if model.graph is not None:
        pulls = pulls_on(point, model.embedding, model.graph, model.similarity, model.negatives)
        answer["edges"] = len(pulls.neighbours)
        answer["sum of their weights"] = float(pulls.strengths.sum())
        answer |= pull_words(pulls)
    return answer | place_words(model.embedding, point)
