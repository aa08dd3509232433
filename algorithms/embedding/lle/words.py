"""What locally linear embedding says: its captions, warnings and explanations."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array, Points
from algorithms.embedding.lle.views import Picture, weights_of
from algorithms.maths.maps import opening_words, smallest_words
from algorithms.maths.words import counted, number, percent


def opening(data: Points, dimensions: int) -> str:
    """The caption of the first frame."""
    return opening_words(data, dimensions)


def rebuilt(picture: Picture) -> str:
    """The caption of a frame that shows the weights of one point."""
    near, weights = weights_of(picture.model, picture.focus)
    if not len(near):
        return f"Point {picture.focus + 1} has no neighbour and cannot be rebuilt."
    largest = zip(near[:3].tolist(), weights[:3].tolist())
    parts = " + ".join(f"{weight:z.2f} · point {point + 1}" for point, weight in largest)
    rest = " + ..." if len(near) > 3 else ""
    left = distance_left(picture.stage.data.X, picture.focus, near, weights)
    return (
        f"Point {picture.focus + 1} ≈ {parts}{rest}: the weights add up to 1, and the rebuilt point is {number(left)} "
        "away."
    )


def distance_left(X: Array, point: int, near: Array, weights: Array) -> float:
    """How far a point is from what its neighbours rebuild."""
    return float(np.linalg.norm(X[point] - weights @ X[near]))


def spectrum(values: Array, dimensions: int) -> str:
    """The caption of the eigenvalues."""
    return f"M 1 = 0: the constant vector has the eigenvalue 0 and is left out; {smallest_words(values, dimensions)}."


def unrolling(fraction: float, misfit: float) -> str:
    """The caption while the map unrolls."""
    return (
        f"The map goes over from principal components to LLE, {percent(fraction, '.0f')}: its relative reconstruction "
        f"error is {number(misfit)}."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    m = len(picture.stage.members)
    return (
        f"The map of {counted(m, 'point')}: with the same weights the relative reconstruction error is "
        f"{number(picture.error)} in the data and {number(picture.misfit)} in the map."
    )


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
