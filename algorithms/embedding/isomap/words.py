"""What Isomap says: its captions and its warnings."""

from __future__ import annotations

from algorithms.data import Array, Points
from algorithms.embedding.isomap.views import Picture, straight
from algorithms.maths.maps import opening_words, spectrum_words
from algorithms.maths.neighbourhoods import NEAREST, pieces_warning

CENTRED = "Squared, halved and centred, the distances become the inner products B = H (-D²/2) H of centred points."


def opening(data: Points, dimensions: int) -> str:
    """The caption of the first frame."""
    return opening_words(data, dimensions, ", the table their straight distances")


def paths(picture: Picture, method: str, known: int, m: int) -> str:
    """The caption of a frame in which shortest paths are found."""
    if known < m:
        if method == "Dijkstra":
            return f"Dijkstra's algorithm has found all shortest paths from {known:,} of {m:,} points."
        return f"Floyd and Warshall: shortest paths that stop only at the first {known:,} of {m:,} points."
    assert picture.ends is not None
    start, end = picture.ends
    length, line = float(picture.model.reach[end]), straight(picture)
    ends = f"from point {start + 1} to point {end + 1}"
    if length < 0.0:
        return f"All shortest paths are known; there is none {ends}, {line:.3g} apart, which lie in different pieces."
    times = f", {length / line:.2f} times as far" if line > 0.0 else ""
    return f"All shortest paths are known: {ends} it is {length:.3g} along the graph and {line:.3g} straight{times}."


def spectrum(values: Array, dimensions: int, cleared: bool) -> str:
    """The caption of the eigenvalues; ``cleared``: they refute the suspicion that some edges are shortcuts."""
    relief = ", so the doubtful edges do no harm" if cleared else ""
    return f"{spectrum_words(values, dimensions)}{relief}."


def unrolling(fraction: float, residual: float) -> str:
    """The caption while the map unrolls."""
    return f"Unrolling, {100 * fraction:.0f} %: the residual variance of the distances in the map is {residual:.3g}."


def closing(picture: Picture, isomap: float, pca: float) -> str:
    """The caption of the last frame."""
    m = len(picture.model.members)
    return (
        f"The map of {m:,} points accounts for {100 * isomap:.2f} % of the variance of the distances along the graph; "
        f"that of principal components accounted for {100 * pca:.2f} %."
    )


def graph_warning(kind: str, pieces: int, members: int, n: int, suspects: int, factor: float) -> str:
    """What is wrong with the graph, in words; empty when nothing is."""
    knob = "neighbours" if kind == NEAREST else "epsilon"
    sentences = list(filter(None, [pieces_warning(kind, pieces, members, n)]))
    if suspects:
        verb = "edge looks like a shortcut" if suspects == 1 else "edges look like shortcuts"
        sentences.append(
            f"{suspects} {verb} between sheets: along the nearest neighbours the path between the ends is up to "
            f"{factor:.0f} times as long. Lower {knob}, or the map folds there."
        )
    return " ".join(sentences)


def negative_warning(fraction: float) -> str:
    """What a large negative eigenvalue means."""
    return (
        f"The most negative eigenvalue is {100 * fraction:.0f} % of the largest: no flat map has these distances; "
        "the surface may be closed, or shortcuts may lead across it."
    )
