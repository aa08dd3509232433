"""What Laplacian eigenmaps say: captions and warnings."""

from __future__ import annotations

from algorithms.data import Array
from algorithms.embedding.laplacian_eigenmaps.views import Picture

NEARLY = 1e-8
"""An eigenvalue below this says that the graph is all but in pieces."""


def weighed(picture: Picture) -> str:
    """The caption of the weights."""
    low, high = float(picture.weights.min()), float(picture.weights.max())
    if not picture.s > 0.0:
        return "Every edge weighs 1; L = D - A has the sums of the weights at each point on its diagonal."
    return (
        f"An edge of length l weighs exp(-l²/2s²) with s = {picture.s:.3g}: from {low:.2g} for the longest to "
        f"{high:.2g} for the shortest; L = D - A."
    )


def spectrum(values: Array, dimensions: int) -> str:
    """The caption of the eigenvalues."""
    kept = ", ".join(f"{value:.3g}" for value in values[1 : dimensions + 1])
    following = f"; the next is {values[dimensions + 1]:.3g}" if len(values) > dimensions + 1 else ""
    return f"The constant vector has the eigenvalue 0 and says nothing; those that are kept are {kept}{following}."


def vector(number: int, picture: Picture) -> str:
    """The caption of an eigenvector."""
    assert picture.vectors is not None
    if number == 0:
        return "Eigenvector 0 is the same everywhere: neighbours could not be nearer, but nothing is told apart."
    value, values = float(picture.model.eigenvalues[number]), picture.vectors[:, number]
    ends = picture.stage.graph.among(picture.stage.members).edges
    across = int((values[ends[:, 0]] * values[ends[:, 1]] < 0.0).sum())
    use = f"it is coordinate {number} of the map" if number <= picture.dimensions else "it is not used"
    return (
        f"Eigenvector {number} as colours, eigenvalue {value:.3g}: {across:,} edges lead from below 0 to above, and "
        f"{use}."
    )


def unrolling(fraction: float, tension: float) -> str:
    """The caption while the map unrolls."""
    return (
        f"From principal components to the map, {100 * fraction:.0f} %: the weighted squares of its edges are "
        f"{tension:.3g}."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    m, kept = len(picture.stage.members), picture.model.eigenvalues[1 : picture.dimensions + 1]
    return (
        f"The map of {m:,} points: ½ Σ A_ij |z_i - z_j|² = tr(Z'LZ) = {float(kept.sum()):.4g}, the sum of the "
        f"{'eigenvalue' if len(kept) == 1 else 'eigenvalues'} kept, and no map of this size has less."
    )


def nearly_apart(values: Array, kernel: str) -> str:
    """A warning when the graph hangs together by edges that weigh next to nothing; else nothing."""
    if len(values) < 2 or values[1] > NEARLY:
        return ""
    knob = "Raise width" if kernel == "heat" else "Raise neighbours"
    return (
        f"The second eigenvalue is {values[1]:.1g}: the graph hangs together by edges that weigh next to nothing, and "
        f"the map shows little but its parts. {knob}."
    )
