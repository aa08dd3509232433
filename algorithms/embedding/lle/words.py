"""What locally linear embedding says: its captions, warnings and explanations."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array, Points
from algorithms.embedding.lle.views import Picture, weights_of
from algorithms.maths.maps import opening_words


def opening(data: Points, dimensions: int) -> str:
    """The caption of the first frame."""
    return opening_words(data, dimensions)


def rebuilt(picture: Picture) -> str:
    """The caption of a frame that shows the weights of one point."""
    near, weights = weights_of(picture.model, picture.focus)
    if not len(near):
        return f"Point {picture.focus + 1} has no neighbour and cannot be rebuilt."
    parts = " + ".join(f"{weight:z.2f} x{point + 1}" for point, weight in zip(near[:3].tolist(), weights[:3].tolist()))
    rest = " + ..." if len(near) > 3 else ""
    left = distance_left(picture.stage.data.X, picture.focus, near, weights)
    return f"Point {picture.focus + 1} ≈ {parts}{rest}: the weights add up to 1 and miss it by {left:.3g}."


def distance_left(X: Array, point: int, near: Array, weights: Array) -> float:
    """How far a point is from what its neighbours rebuild."""
    return float(np.linalg.norm(X[point] - weights @ X[near]))


def spectrum(values: Array, dimensions: int) -> str:
    """The caption of the eigenvalues."""
    kept = ", ".join(f"{value:.3g}" for value in values[1 : dimensions + 1])
    following = f"; the next is {values[dimensions + 1]:.3g}" if len(values) > dimensions + 1 else ""
    return f"M 1 = 0, so the first eigenvalue is 0 and says nothing; those that are kept are {kept}{following}."


def unrolling(fraction: float, misfit: float) -> str:
    """The caption while the map unrolls."""
    return f"From principal components to the map, {100 * fraction:.0f} %: the weights leave over {misfit:.3g} of it."


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    m = len(picture.stage.members)
    return (
        f"The map of {m:,} points: the weights that leave over {picture.error:.3g} of every point leave over "
        f"{picture.misfit:.3g} of its position in the map."
    )


def closed_warning(groups: int, knob: str) -> str:
    """When points have neighbours only among themselves, they fall together in the map."""
    return (
        f"{groups} groups of points have no neighbour outside of themselves: each can shrink to a single point, and "
        f"the map shows little else. Raise {knob} to join them."
    )


def few_neighbours_warning(dimensions: int) -> str:
    """Neighbours that span too small a space cannot place a point in the map."""
    return (
        f"So few neighbours span less than {dimensions} dimensions, so they cannot rebuild a surface of "
        f"{dimensions} dimensions. Raise neighbours."
    )


def flat_warning(features: int) -> str:
    """With as many coordinates as features nothing has to be unrolled."""
    return (
        f"The points have only {'1 feature' if features == 1 else f'{features} features'}: the map is the data, "
        "stretched and turned, because weights do not change under either."
    )
