"""What Isomap says: its captions and its warnings."""

from __future__ import annotations

from algorithms.data import Array, Points
from algorithms.embedding.isomap.views import Picture, straight
from algorithms.maths.maps import opening_words, spectrum_words
from algorithms.maths.neighbourhoods import NEAREST, pieces_warning
from algorithms.maths.words import counted, number, percent, share

CENTRED = "Squared, halved and centred, the distances become the inner products B = H (-D²/2) H of centred points."


def opening(data: Points, dimensions: int) -> str:
    """The caption of the first frame."""
    return opening_words(data, dimensions, ", the table their straight-line distances")


def paths(picture: Picture, method: str, known: int, m: int) -> str:
    """The caption of a frame in which shortest paths are found."""
    if known < m:
        if method == "Dijkstra":
            return f"Dijkstra's algorithm has found all shortest paths from {known:,} of {counted(m, 'point')}."
        return (
            f"Floyd-Warshall: the shortest paths that pass only through the first {known:,} of {counted(m, 'point')}."
        )
    assert picture.ends is not None
    start, end = picture.ends
    length, line = float(picture.model.reach[end]), straight(picture)
    ends = f"from point {start + 1} to point {end + 1}"
    if length < 0.0:
        return f"All shortest paths are known; there is none {ends}: the two lie in different pieces."
    times = f", {length / line:.2f} times as far" if length > 1.005 * line > 0.0 else ""
    return (
        f"All shortest paths are known: {ends} it is {number(length)} along the graph and {number(line)} in a straight "
        f"line{times}."
    )


def spectrum(values: Array, dimensions: int, cleared: bool) -> str:
    """The caption of the eigenvalues; ``cleared``: they refute the suspicion that some edges are shortcuts."""
    relief = ", so the doubtful edges do no harm" if cleared else ""
    return f"{spectrum_words(values, dimensions)}{relief}."


def unrolling(fraction: float, residual: float) -> str:
    """The caption while the map unrolls."""
    return (
        f"The map goes over from principal components to Isomap, {percent(fraction, '.0f')}: the residual variance of "
        f"its distances is {number(residual, 1.0)}."
    )


def closing(picture: Picture, isomap: float, pca: float) -> str:
    """The caption of the last frame."""
    m = len(picture.model.members)
    return (
        f"The map of {counted(m, 'point')} accounts for {share(isomap)} of the variance of the distances along the "
        f"graph; the map of principal components accounts for {share(pca)}."
    )


def graph_warning(kind: str, pieces: int, members: int, n: int, suspects: int, factor: float) -> str:
    """What is wrong with the graph, in words; empty when nothing is."""
    knob = "neighbours" if kind == NEAREST else "epsilon"
    sentences = list(filter(None, [pieces_warning(kind, pieces, members, n)]))
    if suspects:
        verb = "looks like a shortcut" if suspects == 1 else "look like shortcuts"
        sentences.append(
            f"{counted(suspects, 'edge')} {verb} between sheets: along the nearest neighbours the path between the "
            f"ends is up to {factor:.0f} times as long. Lower {knob}, or the map folds there."
        )
    return " ".join(sentences)


def negative_warning(fraction: float) -> str:
    """What a large negative eigenvalue means."""
    return (
        f"The most negative eigenvalue is {percent(fraction, '.0f')} of the largest: no flat map has these distances; "
        "the surface may be closed, or shortcuts may lead across it."
    )
