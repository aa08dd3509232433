"""What Laplacian eigenmaps say: captions and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.data import Array
from algorithms.maths.cloud_stage import grown_warning, growth
from algorithms.maths.maps import equal_eigenvalues, opening_words, smallest_words
from algorithms.maths.words import counted, number, percent

if TYPE_CHECKING:
    from algorithms.embedding.laplacian_eigenmaps import Shot

NEARLY = 1e-8
"""An eigenvalue below this says that the graph is all but in pieces."""


def warning(shot: Shot) -> str:
    """What is wrong with the graph and, from the eigenvalues on, whether there is one best map."""
    given, values = shot.given, shot.model.eigenvalues
    apart = grown_warning(given.stage, shot.shown.grown, shot.metrics, given.params.graph)
    if not len(values):
        return apart
    unsure = nearly_apart(values, given.params.kernel) or equal_eigenvalues(values[1:], given.params.dimensions)
    return f"{apart} {unsure}".strip()


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    return opening_words(shot.given.stage.data, shot.given.params.dimensions)


def weighed(shot: Shot) -> str:
    """The caption of the weights."""
    low, high = number(float(shot.given.weights.min())), number(float(shot.given.weights.max()))
    if not shot.given.s > 0.0:
        return (
            "Every edge has the weight 1; the graph Laplacian is L = D - A with the row sums of A on the diagonal of D."
        )
    extent = f"from {low} for the longest edge to {high} for the shortest" if low != high else f"{low} for every edge"
    return f"An edge of length l has the weight exp(-l²/2s²) with s = {number(shot.given.s)}: {extent}; L = D - A."


def spectrum(shot: Shot) -> str:
    """The caption of the eigenvalues."""
    kept = smallest_words(shot.model.eigenvalues, shot.given.params.dimensions)
    return f"The constant vector has the eigenvalue 0 and is left out; {kept}."


def vector(shot: Shot) -> str:
    """The caption of an eigenvector."""
    which, values = shot.shown.which, shot.shown.vector
    assert values is not None
    if which == 0:
        return "Eigenvector 0 is constant: as a coordinate it would put all points at one place, so it is left out."
    value = float(shot.model.eigenvalues[which])
    ends = shot.given.stage.graph.among(shot.model.members).edges
    across = int((values[ends[:, 0]] * values[ends[:, 1]] < 0.0).sum())
    use = f"it is coordinate {which} of the map" if which <= shot.given.params.dimensions else "it is not used"
    signs = f"{counted(across, 'edge')} {'joins' if across == 1 else 'join'} points of different sign"
    return f"Eigenvector {which} as colours, eigenvalue {number(value)}: {signs}, and {use}."


def unrolling(shot: Shot) -> str:
    """The caption while the map unrolls."""
    return (
        f"The map goes over from principal components to eigenvectors, {percent(shot.shown.grown.unrolled, '.0f')}: "
        "its weighted "
        f"squared edge lengths, tr Z'LZ by the size of the map, are {number(shot.metrics['tension'])}."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    m, kept = len(shot.model.members), shot.model.eigenvalues[1 : shot.given.params.dimensions + 1]
    return (
        f"The map of {counted(m, 'point')}: ½ Σ A_ij |z_i - z_j|² = tr(Z'LZ) = {number(float(kept.sum()))}, the sum of "
        f"the kept {'eigenvalue' if len(kept) == 1 else 'eigenvalues'}; no map of this size has less."
    )


CAPTIONS = {
    "start": opening,
    "connect": growth,
    "weigh": weighed,
    "eigen": spectrum,
    "vector": vector,
    "unroll": unrolling,
    "result": closing,
}


def nearly_apart(values: Array, kernel: str) -> str:
    """A warning when the graph hangs together by edges that weigh next to nothing; else nothing."""
    if len(values) < 2 or values[1] > NEARLY:
        return ""
    knob = "Raise width" if kernel == "heat" else "Raise neighbours"
    return (
        f"The second eigenvalue is {values[1]:.1g}: parts of the graph are joined only by edges with hardly any "
        f"weight, and the map shows little but these parts. {knob}."
    )
