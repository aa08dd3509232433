"""What a diffusion map says: its captions and warnings."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.embedding.diffusion_map.views import Picture, kept, reached

APART = 1.0 - 1e-9
"""A second eigenvalue above this says that the walk never leaves its part."""
MIXED = 0.05
"""A second eigenvalue below this says that a single step reaches everything."""


def affinity(picture: Picture, s: float) -> str:
    """The caption of the affinities around the source."""
    assert picture.heat is not None
    near = int((picture.heat > np.exp(-2.0)).sum()) - 1
    return (
        f"Affinities to point {picture.source + 1}, exp(-l²/2s²) with s = {s:.3g}: {near:,} other points are nearer "
        "than twice the width."
    )


def density(picture: Picture, alpha: float) -> str:
    """The caption of the densities."""
    assert picture.heat is not None
    low, high = float(picture.heat.min()), float(picture.heat.max())
    what = {0.0: "they stay as they are", 1.0: "so that only the form counts, not how dense the points are"}
    use = what.get(alpha, "so that dense regions count less")
    return (
        f"q, the sum of all affinities of a point, goes from {low:.3g} to {high:.3g}; affinities are divided by "
        f"(q_i q_j)^{alpha:g}, {use}."
    )


def walk(picture: Picture) -> str:
    """The caption of one step of the walk."""
    stay = float(picture.model.heat[picture.source])
    return (
        f"Rows that add up to 1 are the steps of a walk: from point {picture.source + 1} it stays with the probability "
        f"{stay:.2g}, and else goes to near points."
    )


def spectrum(values: Array, dimensions: int) -> str:
    """The caption of the eigenvalues."""
    chosen = ", ".join(f"{value:.4g}" for value in values[1 : dimensions + 1])
    following = f"; the next is {values[dimensions + 1]:.4g}" if len(values) > dimensions + 1 else ""
    return f"The constant vector has the eigenvalue 1 and says nothing; those that are kept are {chosen}{following}."


def unrolling(fraction: float) -> str:
    """The caption while the map unrolls."""
    return f"From principal components to the map (l_1 ψ_1, l_2 ψ_2, ...) after one step, {100 * fraction:.0f} %."


def spreading(picture: Picture) -> str:
    """The caption while heat spreads."""
    steps = "1 step" if picture.time == 1 else f"{picture.time} steps"
    return (
        f"After {steps} the heat has spread over about {reached(picture.model.heat):.3g} points; the map shows "
        f"{100 * kept(picture):.3g} % of what is left of the squared distances."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    return (
        f"The map of {picture.stage.data.n:,} points after {picture.time} steps: two of them are as far apart as the "
        f"heat from the one is unlike that from the other; {100 * kept(picture):.3g} % of the squares are shown."
    )


def warning(values: Array, dimensions: int) -> str:
    """A warning when the walk is in parts, or mixes at once; else nothing."""
    if len(values) < 2:
        return ""
    if values[1] > APART:
        parts = int((values > APART).sum())
        return (
            f"The eigenvalue 1 comes {'twice' if parts == 2 else f'{parts} times'}: with so small a width the walk "
            "never leaves the part it begins in, and the map shows little but the parts. Raise width."
        )
    if values[1] < MIXED:
        return "With so large a width a single step leads anywhere, and the map says little. Lower width."
    return ""
