"""What Isomap says: its captions and its warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.embedding.isomap.views import LARGEST
from algorithms.maths.cloud_stage import grown_warning, growth
from algorithms.maths.maps import EQUAL, equal_eigenvalues, opening_words, spectrum_words
from algorithms.maths.neighbourhoods import NEAREST
from algorithms.maths.words import counted, number, percent, share

if TYPE_CHECKING:
    from algorithms.embedding.isomap import Shot

MOST_NEGATIVE = 0.1
"""A negative eigenvalue of this size beside the largest one says that no flat map is true."""
CENTRED = "Squared, halved and centred, the distances become the inner products B = H (-D²/2) H of centred points."


def warning(shot: Shot) -> str:
    """What is wrong with the graph; from the eigenvalues on, what these say about the map."""
    given, shown, values, m = shot.given, shot.shown, shot.model.eigenvalues, len(shot.model.members)
    sentences = [grown_warning(given.stage, shown.grown, shot.metrics, given.params.graph)]
    if shown.suspects is not None:
        sentences.append(shortcut_warning(given.params.graph, len(shown.suspects), given.factor))
    if len(values):
        negative, k = shot.metrics["negative"], given.params.dimensions
        sentences.append(negative_warning(negative) if negative > MOST_NEGATIVE else "")
        if m > k and values[k - 1] > EQUAL * abs(values[0]):
            sentences.append(equal_eigenvalues(values[: min(LARGEST, m)], k))
    return " ".join(filter(None, sentences))


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    further = ", the table their straight-line distances"
    return opening_words(shot.given.stage.data, shot.given.params.dimensions, further)


def paths(shot: Shot) -> str:
    """The caption of a frame in which shortest paths are found."""
    known, m = shot.shown.known, len(shot.model.members)
    if known < m:
        if shot.given.params.paths == "Dijkstra":
            return f"Dijkstra's algorithm has found all shortest paths from {known:,} of {counted(m, 'point')}."
        return (
            f"Floyd-Warshall: the shortest paths that pass only through the first {known:,} of {counted(m, 'point')}."
        )
    start, end = shot.given.ends
    length, line = float(shot.model.reach[end]), shot.given.straight
    ends = f"from point {start + 1} to point {end + 1}"
    if length < 0.0:
        return f"All shortest paths are known; there is none {ends}: the two lie in different pieces."
    times = f", {length / line:.2f} times as far" if length > 1.005 * line > 0.0 else ""
    return (
        f"All shortest paths are known: {ends} it is {number(length)} along the graph and {number(line)} in a straight "
        f"line{times}."
    )


def centred(_: Shot) -> str:
    """The caption of the inner products."""
    return CENTRED


def spectrum(shot: Shot) -> str:
    """The caption of the eigenvalues; they may refute the suspicion that some edges are shortcuts."""
    cleared = shot.given.suspects is not None and shot.shown.suspects is None
    relief = ", so the doubtful edges do no harm" if cleared else ""
    return f"{spectrum_words(shot.model.eigenvalues, shot.given.params.dimensions)}{relief}."


def unrolling(shot: Shot) -> str:
    """The caption while the map unrolls."""
    return (
        f"The map goes over from principal components to Isomap, {percent(shot.shown.grown.unrolled, '.0f')}: the "
        "residual variance of "
        f"its distances is {number(shot.metrics['residual'], 1.0)}."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    m = len(shot.model.members)
    isomap, pca = 1.0 - shot.metrics["residual"], 1.0 - shot.shown.residual_before
    return (
        f"The map of {counted(m, 'point')} accounts for {share(isomap)} of the variance of the distances along the "
        f"graph; the map of principal components accounts for {share(pca)}."
    )


CAPTIONS = {
    "start": opening,
    "connect": growth,
    "geodesics": paths,
    "centre": centred,
    "eigen": spectrum,
    "unroll": unrolling,
    "result": closing,
}


def shortcut_warning(kind: str, suspects: int, factor: float) -> str:
    """What edges that look like shortcuts mean for the map."""
    knob = "neighbours" if kind == NEAREST else "epsilon"
    verb = "looks like a shortcut" if suspects == 1 else "look like shortcuts"
    return (
        f"{counted(suspects, 'edge')} {verb} between sheets: along the nearest neighbours the path between the ends is "
        f"up to {factor:.0f} times as long. Lower {knob}, or the map folds there."
    )


def negative_warning(fraction: float) -> str:
    """What a large negative eigenvalue means."""
    return (
        f"The most negative eigenvalue is {percent(fraction, '.0f')} of the largest: no flat map has these distances; "
        "the surface may be closed, or shortcuts may lead across it."
    )
