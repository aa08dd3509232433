"""What locally linear embedding says: its captions, warnings and explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.embedding.lle.views import weights_of
from algorithms.maths.cloud_stage import grown_warning, growth
from algorithms.maths.maps import equal_eigenvalues, opening_words, smallest_words
from algorithms.maths.neighbourhoods import NEAREST
from algorithms.maths.words import counted, number, percent

if TYPE_CHECKING:
    from algorithms.embedding.lle import Shot


def warning(shot: Shot) -> str:
    """What is wrong with the graph; from the eigenvalues on, what the neighbours say about the map."""
    given = shot.given
    sentences = [grown_warning(given.stage, shot.shown.grown, shot.metrics, given.params.graph)]
    if len(shot.model.eigenvalues):
        sentences += [_neighbours_warning(shot), flat_warning(given.stage.data.d) if given.flat else ""]
        if not any(sentences):
            sentences = [equal_eigenvalues(shot.model.eigenvalues[1:], given.params.dimensions)]
    return " ".join(filter(None, sentences))


def _neighbours_warning(shot: Shot) -> str:
    """What the lists of neighbours say about the map to come."""
    params = shot.given.params
    if shot.given.groups > 1:
        return closed_warning(shot.given.groups, "neighbours" if params.graph == NEAREST else "epsilon")
    few = params.graph == NEAREST and min(params.neighbours, shot.given.stage.data.n - 1) < params.dimensions
    return few_neighbours_warning(params.dimensions) if few else ""


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    return opening_words(shot.given.stage.data, shot.given.params.dimensions)


def rebuilt(shot: Shot) -> str:
    """The caption of a frame that shows the weights of one point."""
    near, weights = weights_of(shot.model, shot.shown.point)
    if not len(near):
        return f"Point {shot.shown.point + 1} has no neighbour and cannot be rebuilt."
    largest = zip(near[:3].tolist(), weights[:3].tolist())
    parts = " + ".join(f"{weight:z.2f} · point {point + 1}" for point, weight in largest)
    rest = " + ..." if len(near) > 3 else ""
    left = distance_left(shot.given.stage.data.X, shot.shown.point, near, weights)
    return (
        f"Point {shot.shown.point + 1} ≈ {parts}{rest}: the weights add up to 1, and the rebuilt point is "
        f"{number(left)} "
        "away."
    )


def distance_left(X: Array, point: int, near: Array, weights: Array) -> float:
    """How far a point is from what its neighbours rebuild."""
    return float(np.linalg.norm(X[point] - weights @ X[near]))


def spectrum(shot: Shot) -> str:
    """The caption of the eigenvalues."""
    kept = smallest_words(shot.model.eigenvalues, shot.given.params.dimensions)
    return f"M 1 = 0: the constant vector has the eigenvalue 0 and is left out; {kept}."


def unrolling(shot: Shot) -> str:
    """The caption while the map unrolls."""
    return (
        f"The map goes over from principal components to LLE, {percent(shot.shown.grown.unrolled, '.0f')}: its "
        "relative reconstruction "
        f"error is {number(shot.metrics['misfit'])}."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    m = len(shot.model.members)
    return (
        f"The map of {counted(m, 'point')}: with the same weights the relative reconstruction error is "
        f"{number(shot.metrics['error'])} in the data and {number(shot.metrics['misfit'])} in the map."
    )


CAPTIONS = {
    "start": opening,
    "connect": growth,
    "weights": rebuilt,
    "eigen": spectrum,
    "unroll": unrolling,
    "result": closing,
}


def closed_warning(groups: int, knob: str) -> str:
    """When points have neighbours only among themselves, they fall together in the map."""
    return (
        f"{counted(groups, 'group')} of points are rebuilt only from points of their own group: each can shrink to a "
        f"single point, and the map shows little else. Raise {knob} to join them."
    )


def few_neighbours_warning(dimensions: int) -> str:
    """Neighbours that span too small a space cannot place a point in the map."""
    return (
        f"A map of {counted(dimensions, 'dimension')} needs at least {counted(dimensions, 'neighbour')} of each point. "
        "Raise neighbours."
    )


def flat_warning(features: int) -> str:
    """With as many coordinates as features nothing has to be unrolled."""
    return (
        f"The points have only {counted(features, 'feature')}: the map is the data, stretched and turned, because the "
        "weights stay the same under both."
    )
