"""What a diffusion map says: its captions and warnings."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.embedding.diffusion_map.views import Picture, kept, reached
from algorithms.maths.maps import smallest_words
from algorithms.maths.words import counted, number, percent, share

APART = 1.0 - 1e-9
"""A second eigenvalue above this says that the walk never leaves its part."""
MIXED = 0.05
"""A second eigenvalue below this says that a single step reaches everything."""


def affinity(picture: Picture, s: float) -> str:
    """The caption of the affinities around the source."""
    assert picture.heat is not None
    near = int((picture.heat > np.exp(-2.0)).sum()) - 1
    return (
        f"Affinities to point {picture.source + 1}, exp(-l²/2s²) with s = {number(s)}: {counted(near, 'other point')} "
        f"{'is' if near == 1 else 'are'} nearer than 2s."
    )


def density(picture: Picture, alpha: float) -> str:
    """The caption of the densities."""
    assert picture.heat is not None
    low, high = number(float(picture.heat.min())), number(float(picture.heat.max()))
    what = {0.0: "which leaves them as they are", 1.0: "so that only the form counts, not how dense the points are"}
    use = what.get(alpha, "so that dense regions count less")
    extent = f"goes from {low} to {high}" if low != high else f"is {low} everywhere"
    return f"The density q, the sum of all affinities of a point, {extent}; K is divided by (q_i q_j)^{alpha:g}, {use}."


def walk(picture: Picture) -> str:
    """The caption of one step of the walk."""
    stay = float(picture.model.heat[picture.source])
    return (
        f"Rows that add up to 1 are the steps of a random walk: from point {picture.source + 1} it stays there with "
        f"the probability {number(stay)}, else it goes to another point, mostly a near one."
    )


def spectrum(values: Array, dimensions: int) -> str:
    """The caption of the eigenvalues."""
    return f"The constant vector has the eigenvalue 1 and is left out; {smallest_words(values, dimensions)}."


def unrolling(fraction: float) -> str:
    """The caption while the map unrolls."""
    to = "the diffusion map (l_1 ψ_1, l_2 ψ_2, ...) after one step"
    return f"The map goes over from principal components to {to}, {percent(fraction, '.0f')}."


def spreading(picture: Picture) -> str:
    """The caption while heat spreads."""
    return (
        f"After {counted(picture.time, 'step')} the heat has spread over about {reached(picture.model.heat):.3g} "
        f"points; the map shows {share(kept(picture))} of the squared diffusion distances."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    return (
        f"The map of {counted(picture.stage.data.n, 'point')} after {counted(picture.time, 'step')}: distances in it "
        "compare how heat spreads from the one and from the other point (diffusion distances), of whose squares it "
        f"shows {share(kept(picture))}."
    )


def warning(values: Array, dimensions: int) -> str:
    """A warning when the walk is in parts, or mixes at once; else nothing."""
    if len(values) < 2:
        return ""
    if values[1] > APART:
        parts = int((values > APART).sum())
        return (
            f"The eigenvalue 1 occurs {'twice' if parts == 2 else f'{parts} times'}: with so small a width the walk "
            "never leaves the part in which it begins, and the map shows little but the parts. Raise width."
        )
    if values[1] < MIXED:
        return "With so large a width a single step reaches all points, and the map says little. Lower width."
    return ""
