"""Captions of several classifiers, and what the help invites to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.data import Array
from algorithms.maths.words import counted
from algorithms.played import Played

if TYPE_CHECKING:
    from algorithms.classification.multi_class import Shot


def _kind(shot: Shot, count: int) -> str:
    """So many classifiers, or discriminants."""
    return counted(count, "discriminant" if shot.model.scheme == "discriminant" else "binary classifier")


def _opening(shot: Shot) -> str:
    given = shot.given
    classes = len(np.unique(given.data.class_numbers("")))
    return f"{counted(classes, 'class', 'classes')} need {_kind(shot, given.count)}; none is trained yet."


def _machine(shot: Shot) -> str:
    given, model, shown = shot.given, shot.model, shot.shown
    trained = len(model.weights)
    name = model.name_of(trained - 1, given.data.classes)
    together = f"the decision of all so far is wrong for {shown.wrong:,} of {counted(given.data.n, 'point')}"
    own = f"{name} makes {counted(shown.latest, 'mistake')}"
    return f"{trained:,} of {_kind(shot, given.count)} trained: {own}; {together}."


def _conclusion(shot: Shot) -> str:
    given, shown, scheme = shot.given, shot.shown, shot.model.scheme
    how = {
        "one-vs-rest": "each class against the rest",
        "one-vs-one": "each pair of classes has its own, and the majority wins",
        "discriminant": "one function for each class, and the largest wins, so that no region is ambiguous",
    }[scheme]
    ties = int(np.count_nonzero(shown.ties))
    unclear = "" if scheme == "discriminant" else f", without a clear winner {counted(ties, 'point')}"
    return f"{_kind(shot, given.count)}: {how}. Wrong are {shown.wrong:,} of {counted(given.data.n, 'point')}{unclear}."


CAPTIONS = {"start": _opening, "machine": _machine, "done": _conclusion}


def _grid(played: Played) -> Array:
    """Places all over the plane of the data."""
    low, high = played.data.X.min(axis=0), played.data.X.max(axis=0)
    x, y = (np.linspace(a, b, 120) for a, b in zip(low, high))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _has_circles(played: Played) -> bool:
    """Whether there are places where three classes have as many votes, of three pairs among them."""
    votes = np.sort(played.model.votes_and_scores(_grid(played))[0], axis=0)
    return bool((votes[-1] == votes[-3]).any())


def _is_masked(played: Played) -> bool:
    """Whether hardly a point of some class is predicted as such, and none is wrong in pairs."""
    y, found = played.data.y, played.predicted()
    kept = min(float((found[y == k] == k).mean()) for k in range(3))
    return kept <= 0.1 and played.but(scheme="one-vs-one").wrong() == 0


def _is_convex(played: Played) -> bool:
    """Whether no point is ambiguous, and halfway between two places of one class is always that class."""
    at = _grid(played)
    other = at[::-1].reshape(120, 120, 2).transpose(1, 0, 2).reshape(-1, 2)
    one, two = played.predicted(at), played.predicted(other)
    same = one == two
    halfway = played.predicted((at[same] + other[same]) / 2)
    return played.final("ambiguous") == 0 and bool((halfway == one[same]).all())


def _mistakes_by_pair(played: Played) -> dict[str, int]:
    """How often the classifier of each pair of classes is wrong about the points of the two."""
    model, y = played.model, played.data.y
    values = model.values(played.data.X)
    answer = {}
    for k, (one, two) in enumerate(zip(model.positive.tolist(), model.negative.tolist())):
        wrong = ((y == one) & (values[k] <= 0.0)) | ((y == two) & (values[k] > 0.0))
        answer[model.name_of(k, played.data.classes)] = int(wrong.sum())
    return answer


def _hardest_are_5_and_9(played: Played) -> bool:
    mistakes = _mistakes_by_pair(played)
    return max(mistakes, key=mistakes.__getitem__) == "5 vs 9" and list(mistakes.values()).count(0) == 37


TRIES = (
    Try(
        "Each pair of classes votes: hatched where three classes beat each other in a circle.",
        params={"scheme": "one-vs-one"},
        shows=_has_circles,
    ),
    Try(
        "Three classes in a row, least squares against the rest: the class in the middle is masked, nine in ten of its "
        "points or more go to the others. One-vs-one gets all of them right.",
        "blobs(n=240,centres=3,noise=0.8,spread=4,seed=175)",
        {"base": "least squares", "normalise": False},
        shows=_is_masked,
    ),
    Try(
        "Discriminants: every point has one winner, and all regions are convex.",
        params={"scheme": "discriminant", "base": "logistic"},
        shows=_is_convex,
    ),
    Try(
        "Ten digits, 45 pairs of them, by least squares: 37 pairs are without a mistake, and 5 and 9 are the hardest "
        "to tell apart.",
        "digits()",
        {"scheme": "one-vs-one", "base": "least squares"},
        shows=_hardest_are_5_and_9,
    ),
)
