"""What UMAP says: its captions, its warnings and what it knows about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Points
from algorithms.embedding.umap.solver import pulls_on
from algorithms.maths.maps import ALIKE
from algorithms.maths.moving_maps import place_words, pull_words
from algorithms.maths.trustworthiness import trust_words
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.embedding.umap import Model, Shot


def warning(shot: Shot) -> str:
    """What deserves doubt about the data, the neighbours and the graph."""
    shown, n, wanted, possible = shot.shown, shot.given.data.n, shot.given.params.neighbours, shot.model.neighbours
    sentences = []
    if shown.alike:
        sentences.append(ALIKE)
    elif possible < min(wanted, n - 1):
        sentences.append(
            f"{counted(n, 'point')} are joined to at most {counted(possible, 'neighbour')} each, not to {wanted:,}."
        )
    elif possible < wanted:
        sentences.append(
            f"Each of the {n:,} points has only {counted(possible, 'other point')}, not {wanted:,} neighbours."
        )
    if shown.pieces > 1:
        sentences.append(
            f"The graph is in {shown.pieces:,} pieces: the distances between them in the map mean nothing. Raise "
            "neighbours."
        )
    return " ".join(sentences)


def _opening(shot: Shot) -> str:
    data = shot.given.data
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}; the map begins as the map of principal "
        "components."
    )


def _joined(shot: Shot) -> str:
    k, sigma = shot.model.neighbours, shot.model.sigma
    if k == 1:
        return "Each point is joined to its nearest neighbour with the strength 1."
    low, high = number(float(sigma.min())), number(float(sigma.max()))
    widths = f"σ from {low} to {high}" if low != high else f"σ = {low}"
    return (
        f"Each point is joined to its {k} nearest neighbours: to the first with the strength 1, to the others with a "
        f"width σ for which the strengths add up to log₂ {k} = {number(float(np.log2(k)))} ({widths})."
    )


def _united(shot: Shot) -> str:
    graph = shot.model.graph
    assert graph is not None
    return (
        f"The fuzzy union of both directions, a + b - ab: {counted(len(graph.weights), 'edge')} with a total weight of "
        f"{number(float(graph.weights.sum()))}."
    )


BEGUN = {
    "spectral": "The map begins with eigenvectors of the graph Laplacian, the smallest eigenvalues first.",
    "principal components": "The map begins with the principal components of the data.",
    "random": "The map begins at random.",
    "foreign": "The map begins where it was put.",
    "too few": "There are too few points for eigenvectors: the map begins with the principal components of the data.",
}


def _begun(shot: Shot) -> str:
    if shot.shown.pieces > 1:
        return (
            f"The graph is in {shot.shown.pieces:,} pieces, whose places its Laplacian does not determine: the map "
            "begins "
            "with the principal components of the data."
        )
    return BEGUN[shot.shown.begun]


def _epoch(shot: Shot) -> str:
    return (
        f"Epoch {shot.model.epoch:,} of {shot.given.params.epochs:,}: edges pull their ends together, points drawn at "
        f"random push each other away; {_quality(shot)}."
    )


def _closing(shot: Shot) -> str:
    return (
        f"After {counted(shot.model.epoch, 'epoch')} {_quality(shot)}. Distances between groups that are far apart "
        "have "
        "no meaning."
    )


def _quality(shot: Shot) -> str:
    trust = trust_words(shot.metrics["trustworthiness"], shot.given.judged)
    return f"the loss is {shot.metrics['loss']:.3f}, {trust}"


CAPTIONS = {
    "start": _opening,
    "join": _joined,
    "union": _united,
    "begin": _begun,
    "epoch": _epoch,
    "result": _closing,
}


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
