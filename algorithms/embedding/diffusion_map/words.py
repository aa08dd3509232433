"""What a diffusion map says: its captions and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.maps import equal_eigenvalues, opening_words, smallest_words
from algorithms.maths.words import counted, number, percent, share

if TYPE_CHECKING:
    from algorithms.embedding.diffusion_map import Shot

APART = 1.0 - 1e-9
"""A second eigenvalue above this says that the walk never leaves its part."""
MIXED = 0.05
"""A second eigenvalue below this says that a single step reaches everything."""


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    return opening_words(shot.given.stage.data, shot.given.params.dimensions)


def affinity(shot: Shot) -> str:
    """The caption of the affinities around the source."""
    heat = shot.shown.heat
    assert heat is not None
    near = int((heat > np.exp(-2.0)).sum()) - 1
    return (
        f"Affinities to point {shot.given.source + 1}, exp(-l²/2s²) with s = {number(shot.given.s)}: "
        f"{counted(near, 'other point')} "
        f"{'is' if near == 1 else 'are'} nearer than 2s."
    )


def density(shot: Shot) -> str:
    """The caption of the densities."""
    heat = shot.shown.heat
    assert heat is not None
    low, high = number(float(heat.min())), number(float(heat.max()))
    what = {0.0: "which leaves them as they are", 1.0: "so that only the form counts, not how dense the points are"}
    use = what.get(shot.given.params.alpha, "so that dense regions count less")
    extent = f"goes from {low} to {high}" if low != high else f"is {low} everywhere"
    return (
        f"The density q, the sum of all affinities of a point, {extent}; K is divided by (q_i "
        f"q_j)^{shot.given.params.alpha:g}, {use}."
    )


def walk(shot: Shot) -> str:
    """The caption of one step of the walk."""
    stay = float(shot.model.heat[shot.given.source])
    return (
        f"Rows that add up to 1 are the steps of a random walk: from point {shot.given.source + 1} it stays there with "
        f"the probability {number(stay)}, else it goes to another point, mostly a near one."
    )


def spectrum(shot: Shot) -> str:
    """The caption of the eigenvalues."""
    kept = smallest_words(shot.model.eigenvalues, shot.given.params.dimensions)
    return f"The constant vector has the eigenvalue 1 and is left out; {kept}."


def unrolling(shot: Shot) -> str:
    """The caption while the map unrolls."""
    to = "the diffusion map (l_1 ψ_1, l_2 ψ_2, ...) after one step"
    return f"The map goes over from principal components to {to}, {percent(shot.shown.grown.unrolled, '.0f')}."


def spreading(shot: Shot) -> str:
    """The caption while heat spreads."""
    return (
        f"After {counted(shot.model.placing.time, 'step')} the heat has spread over about "
        f"{shot.metrics['reached']:.3g} "
        f"points; the map shows {share(shot.metrics['kept'])} of the squared diffusion distances."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    return (
        f"The map of {counted(shot.given.stage.data.n, 'point')} after {counted(shot.model.placing.time, 'step')}: "
        "distances in it "
        "compare how heat spreads from the one and from the other point (diffusion distances), of whose squares it "
        f"shows {share(shot.metrics['kept'])}."
    )


CAPTIONS = {
    "start": opening,
    "affinity": affinity,
    "density": density,
    "walk": walk,
    "eigen": spectrum,
    "unroll": unrolling,
    "spread": spreading,
    "result": closing,
}


def warning(shot: Shot) -> str:
    """A warning when the walk is in parts, or mixes at once; else nothing."""
    values = shot.model.eigenvalues
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
    return equal_eigenvalues(values[1:], shot.given.params.dimensions)
