"""What Laplacian eigenmaps say: captions and warnings."""

from __future__ import annotations

from algorithms.data import Array
from algorithms.embedding.laplacian_eigenmaps.views import Picture
from algorithms.maths.maps import smallest_words
from algorithms.maths.words import counted, number, percent

NEARLY = 1e-8
"""An eigenvalue below this says that the graph is all but in pieces."""


def weighed(picture: Picture) -> str:
    """The caption of the weights."""
    low, high = number(float(picture.weights.min())), number(float(picture.weights.max()))
    if not picture.s > 0.0:
        return (
            "Every edge has the weight 1; the graph Laplacian is L = D - A with the row sums of A on the diagonal of D."
        )
    extent = f"from {low} for the longest edge to {high} for the shortest" if low != high else f"{low} for every edge"
    return f"An edge of length l has the weight exp(-l²/2s²) with s = {number(picture.s)}: {extent}; L = D - A."


def spectrum(values: Array, dimensions: int) -> str:
    """The caption of the eigenvalues."""
    return f"The constant vector has the eigenvalue 0 and is left out; {smallest_words(values, dimensions)}."


def vector(which: int, picture: Picture) -> str:
    """The caption of an eigenvector."""
    assert picture.vectors is not None
    if which == 0:
        return "Eigenvector 0 is constant: as a coordinate it would put all points at one place, so it is left out."
    value, values = float(picture.model.eigenvalues[which]), picture.vectors[:, which]
    ends = picture.stage.graph.among(picture.stage.members).edges
    across = int((values[ends[:, 0]] * values[ends[:, 1]] < 0.0).sum())
    use = f"it is coordinate {which} of the map" if which <= picture.dimensions else "it is not used"
    signs = f"{counted(across, 'edge')} {'joins' if across == 1 else 'join'} points of different sign"
    return f"Eigenvector {which} as colours, eigenvalue {number(value)}: {signs}, and {use}."


def unrolling(fraction: float, tension: float) -> str:
    """The caption while the map unrolls."""
    return (
        f"The map goes over from principal components to eigenvectors, {percent(fraction, '.0f')}: its weighted "
        f"squared edge lengths, tr Z'LZ by the size of the map, are {number(tension)}."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    m, kept = len(picture.stage.members), picture.model.eigenvalues[1 : picture.dimensions + 1]
    return (
        f"The map of {counted(m, 'point')}: ½ Σ A_ij |z_i - z_j|² = tr(Z'LZ) = {number(float(kept.sum()))}, the sum of "
        f"the kept {'eigenvalue' if len(kept) == 1 else 'eigenvalues'}; no map of this size has less."
    )


def nearly_apart(values: Array, kernel: str) -> str:
    """A warning when the graph hangs together by edges that weigh next to nothing; else nothing."""
    if len(values) < 2 or values[1] > NEARLY:
        return ""
    knob = "Raise width" if kernel == "heat" else "Raise neighbours"
    return (
        f"The second eigenvalue is {values[1]:.1g}: parts of the graph are joined only by edges with hardly any "
        f"weight, and the map shows little but these parts. {knob}."
    )
