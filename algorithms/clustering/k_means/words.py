"""What k-means says, and what there is to try."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from algorithms.clustering.k_means.solver import End, Half, Seed
from algorithms.contract import Try
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.clustering.k_means import Shot
    from algorithms.maths.lloyd import HalfStep
    from algorithms.played import Played


def _elbow_words(shot: Shot) -> str:
    assert isinstance(shot.shown, End)
    k, first, loss = len(shot.shown.losses), shot.shown.losses[0], shot.shown.losses[-1]
    part = f", {100 * loss / first:.1f} % of W(1)" if k > 1 and first > 0.0 else ""
    return f"With {counted(k, 'cluster')} the best loss found is W({k}) = {number(loss)}{part}."


def _best_words(shot: Shot) -> str:
    end = shot.shown
    assert isinstance(end, End)
    words = f"Restart {end.number} of {end.restarts.total} is the best: J = {number(end.objective)}"
    return f"{words}; the worst ended at {number(max(end.restarts.finals))}."


def _seed_words(shot: Shot) -> str:
    seed, k, loss = shot.shown, len(shot.model.centres), number(shot.model.loss)
    assert isinstance(seed, Seed)
    if seed.how == "k-means++":
        words = f"The first centre is point {seed.point + 1}, drawn at random"
        if seed.chance is not None:
            words = f"Centre {k} is point {seed.point + 1}, drawn with probability D²/ΣD² = {number(seed.chance)}"
        return seed.restarts.caption(f"{words}; the squared distances D² add up to {loss}.")
    verb = "is" if k == 1 else "are"
    words = {
        "going on": f"Going on from {counted(k, 'centre')}",
        "random partition": f"Every point gets one of {counted(k, 'group')} at random; each centre is the mean of its "
        "group",
        "random points": f"{counted(k, 'point')} drawn at random {verb} the first centres",
        "by hand": f"The first {counted(k, 'centre')} {verb} placed by hand",
    }[seed.how]
    return seed.restarts.caption(f"{words}; J = {loss}.")


def _half_words(shot: Shot) -> str:
    assert isinstance(shot.shown, Half)
    half, before, n = shot.shown.half, shot.shown.before, shot.given.n
    change = f"J falls from {number(before)} to {number(half.J)}" if before > half.J else f"J stays {number(half.J)}"
    verb = "changes" if len(half.changed) == 1 else "change"
    words = f"{len(half.changed):,} of {counted(n, 'point')} {verb} to a nearer centre; {change}."
    if half.phase == "update":
        moves = f"Centres move to the mean of their points, by at most {number(half.shift)}"
        words = f"{moves}; {change}.{_empty_words(half)}"
    elif len(half.changed) == 0:
        words = f"No point changes its cluster: k-means has converged with J = {number(half.J)}."
    elif len(half.changed) == n:
        words = f"Each of the {counted(n, 'point')} joins its nearest centre; J = {number(half.J)}."
    return shot.shown.restarts.caption(words)


def _empty_words(half: HalfStep) -> str:
    """What has become of clusters without points."""
    if half.empty == 0:
        return ""
    if half.kept is not None:
        verb = "is" if half.empty == 1 else "are"
        return f" {counted(half.empty, 'empty cluster')} {verb} dropped; {len(half.kept)} remain."
    if len(half.changed):
        names = ", ".join(str(point + 1) for point in half.changed)
        return f" An empty cluster takes the point farthest from its centre (point {names})."
    return " An empty cluster keeps its centre."


CAPTIONS = {
    "seed": _seed_words,
    "assign": _half_words,
    "update": _half_words,
    "best": _best_words,
    "elbow": _elbow_words,
}

FORMULAS = (
    r"J = \sum_{i=1}^{n} \|x_i - m_{r_i}\|^2",
    r"\text{assign:}\quad r_i = \operatorname{argmin}_{l} \|x_i - m_l\|^2",
    r"\text{update:}\quad m_l = \frac{1}{n_l} \sum_{i:\, r_i = l} x_i",
)


def _falls(played: Played) -> list[float]:
    """By which part of W(1) each further cluster lowers the loss."""
    losses = played.last.shown.losses
    return [(before - after) / losses[0] for before, after in itertools.pairwise(losses)]


TRIES = (
    Try(
        "First centres at random: this run ends in a poor local minimum; with the seed 2 J is less than a third.",
        "blobs(n=300,centres=5,noise=0.7,spread=5,seed=4)",
        {"k": 5, "init": "random points"},
        shows=lambda played: played.but(seed=2).final("J") < played.final("J") / 3,
    ),
    Try(
        "Moons are cut straight through: a straight line divides two clusters of k-means, and a quarter lies wrong.",
        "moons(n=300,noise=0.08,seed=1)",
        {"k": 2},
        shows=lambda played: 0.7 < played.matched() < 0.8,
    ),
    Try(
        "The elbow: W(k) falls steeply up to the three clusters that are there, and slowly afterwards.",
        "blobs(n=300,noise=1,seed=1)",
        {"elbow": 8},
        shows=lambda played: _falls(played)[1] > 0.3 and max(_falls(played)[2:]) < 0.02,
    ),
)
