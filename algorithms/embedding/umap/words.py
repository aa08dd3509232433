"""What UMAP says: its captions, its warnings and what it knows about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Points
from algorithms.embedding.umap.solver import FuzzyGraph, pulls_on
from algorithms.maths.moving_maps import place_words, pull_words

if TYPE_CHECKING:
    from algorithms.embedding.umap import Model


def opening(data: Points) -> str:
    """The caption of the first frame."""
    features = "1 feature" if data.d == 1 else f"{data.d} features"
    return f"{data.n:,} points with {features}; the map begins as that of principal components."


def joined(k: int, rho: Array, sigma: Array) -> str:
    """The caption when each point has its neighbours."""
    nearest = "the nearest neighbour" if k == 1 else f"the {k} nearest neighbours"
    return (
        f"Each point is joined to {nearest}: fully to the first, and to the others so that the strengths add up to "
        f"log₂ {k} = {np.log2(k):.3g} (σ from {sigma.min():.3g} to {sigma.max():.3g})."
    )


def united(graph: FuzzyGraph) -> str:
    """The caption of the fuzzy union."""
    return (
        f"The fuzzy union of both directions, a + b - ab: {len(graph.weights):,} edges with weights that add up to "
        f"{float(graph.weights.sum()):.4g}."
    )


BEGUN = {
    "spectral": "The map begins with the slowest vibrations of the graph: eigenvectors of its Laplacian.",
    "principal components": "The map begins with the principal components of the data.",
    "random": "The map begins at random.",
}


def in_pieces(count: int) -> str:
    """The caption when the spectral map does not exist."""
    return f"The graph is in {count:,} pieces, which its Laplacian cannot tell apart: principal components instead."


def apart(count: int) -> str:
    """The same at all later steps: no edge says where the pieces lie."""
    return f"The graph is in {count:,} pieces: how far apart they lie in the map says nothing. Raise neighbours."


TOO_FEW = "There are too few points for eigenvectors: the map begins with the principal components of the data."


def fewer(wanted: int, possible: int, n: int) -> str:
    """The warning when there are too few points for so many neighbours; empty when there are enough."""
    if possible >= wanted:
        return ""
    if possible < n - 1:
        return f"{n:,} points are joined to {possible:,} neighbours each at most, not to {wanted:,}."
    others = "1 other point" if possible == 1 else f"{possible:,} others"
    return f"Each of the {n:,} points has only {others}, not {wanted:,} neighbours."


def epoch(number: int, last: int, loss: float, trust: float) -> str:
    """The caption of an epoch."""
    return (
        f"Epoch {number:,} of {last:,}: edges pull their ends together, strangers drawn at random push; "
        f"loss {loss:.3f}, trustworthiness {trust:.3f}."
    )


def closing(number: int, loss: float, trust: float, k: int) -> str:
    """The caption of the last frame."""
    return (
        f"After {number:,} epochs the loss is {loss:.3f}; the trustworthiness of {k} neighbours is {trust:.3f}. "
        "Distances between far groups say little."
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
