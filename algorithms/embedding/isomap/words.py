"""What Isomap says: its captions and its warnings."""

from __future__ import annotations

from algorithms.data import Array, Points
from algorithms.embedding.isomap.views import Picture, straight
from algorithms.maths.maps import spectrum_words

CENTRED = "Squared, halved and centred, the distances become the inner products B = H (-D²/2) H of centred points."


def opening(data: Points, dimensions: int) -> str:
    """The caption of the first frame."""
    map_words = "a line" if dimensions == 1 else "a plane" if dimensions == 2 else "space"
    features = "1 feature" if data.d == 1 else f"{data.d} features"
    return (
        f"{data.n:,} points with {features}; the map shows their projection onto {map_words} by principal components, "
        "the table their straight distances."
    )


def growth(rule: str, count: int, pieces: int) -> str:
    """The caption of a frame in which edges grow."""
    edges = "1 edge" if count == 1 else f"{count:,} edges"
    return f"Joined to {rule}: {edges}; the graph is in {'one piece' if pieces == 1 else f'{pieces:,} pieces'}."


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
    knob = "neighbours" if kind == "k nearest neighbours" else "epsilon"
    sentences = []
    if pieces > 1:
        sentences.append(
            f"The graph is in {pieces:,} pieces with no path between them; only the largest, {members:,} of {n:,} "
            f"points, can be mapped. Raise {knob} to join them."
        )
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
