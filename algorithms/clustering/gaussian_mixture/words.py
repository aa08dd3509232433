"""What a mixture says, and what there is to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Stop, Try
from algorithms.maths.words import counted, signed

if TYPE_CHECKING:
    from algorithms.clustering.gaussian_mixture import Shot
    from algorithms.played import Played

_BEGINNINGS = {
    "k-means": "begin on the clusters of a k-means run",
    "random points": "begin round, on points drawn at random",
    "random responsibilities": "begin from random responsibilities",
    "by hand": "begin round, where they were put by hand",
}


def _initial(shot: Shot) -> str:
    k = len(shot.model.weights)
    going_on = f"go on from {'a' if k == 1 else 'the'} given model"
    where = _BEGINNINGS.get(shot.given.init, going_on)
    return shot.shown.restarts.caption(f"{counted(k, 'component')} {where}; {_likelihood(shot)}.")


def _e_step(shot: Shot) -> str:
    shown = shot.shown
    sure = int(np.count_nonzero(shown.responsibilities.max(axis=0) > 0.9))
    shared = f"{sure:,} of {counted(shot.given.n, 'point')} belong to one component by more than 90 %"
    words = f"Every point is shared among the components; {shared}; {_likelihood(shot)}."
    if shown.stop is Stop.CONVERGED:
        words = f"EM has converged: {_likelihood(shot)}; {shared}."
    return shown.restarts.caption(words)


def _m_step(shot: Shot) -> str:
    shown = shot.shown
    rise = f", {signed(shot.metrics['log_likelihood'] - shown.before)}"
    words = f"Weights, means and covariances are fitted to the responsibilities; {_likelihood(shot)}{rise}."
    if shown.collapsed >= 0:
        words = f"Component {shown.collapsed + 1} collapses: its covariance becomes singular, and EM stops before it."
    return shown.restarts.caption(words)


def _best(shot: Shot) -> str:
    number, restarts = shot.shown.number, shot.shown.restarts
    worst, best = (f"{end:.6g}" for end in (min(restarts.finals), max(restarts.finals)))
    ends = f"at {best}" if worst == best else f"between {worst} and {best}"
    return f"Restart {number} of {restarts.total} is the best: {_likelihood(shot)}; all of them end {ends}."


def _likelihood(shot: Shot) -> str:
    value = shot.metrics["log_likelihood"]
    return f"log-likelihood {value:.6g} ({value / shot.given.n:.4g} per point)"


CAPTIONS = {"initial": _initial, "E step": _e_step, "M step": _m_step, "best": _best}


def warning(shot: Shot) -> str:
    """Where a component has shrunk onto too few points."""
    if shot.shown.collapsed < 0:
        return ""
    return (
        "A component that shrinks onto too few points makes the likelihood grow without limit; "
        "set floor above 0 or begin elsewhere."
    )


FORMULAS = (
    r"p(x) = \sum_{k} \pi_k \, \mathcal{N}(x \mid \mu_k, \Sigma_k)",
    r"\text{E step:}\quad r_{ik} = \frac{\pi_k \, \mathcal{N}(x_i \mid \mu_k, \Sigma_k)}{p(x_i)}",
    r"\text{M step:}\quad n_k = \sum_i r_{ik}, \quad \pi_k = \frac{n_k}{n}, \quad \mu_k = \frac{1}{n_k} \sum_i "
    r"r_{ik}\, x_i",
    r"\Sigma_k = \frac{1}{n_k} \sum_i r_{ik}\, (x_i - \mu_k)(x_i - \mu_k)^{\top}",
)


def _moves_as_k_means(played: Played) -> bool:
    """Whether the means go from where they began along the same places as the centres of k-means."""
    begun = tuple(map(tuple, played.frames[0].model.means.tolist()))
    other = played.by("k_means", k=len(begun), init="by hand", centres=begun, empty="keep centre")
    ours = [frame.model.means for frame in played.frames if frame.phase == "M step"]
    theirs = [frame.model.centres for frame in other.frames if frame.phase == "update"]
    return len(ours) > 2 and len(ours) == len(theirs) and np.allclose(ours, theirs)


TRIES = (
    Try(
        "Long clusters: full covariances put all but a few points right, k-means cuts the ends off.",
        "blobs_anisotropic(n=300,noise=2.5,seed=3)",
        {"covariance": "full"},
        shows=lambda played: played.matched() > 0.98 and played.by("k_means", k=3).matched() < 0.9,
    ),
    Try(
        "At the temperature 0 the responsibilities are hard, and the means move exactly as those of k-means.",
        params={"temperature": 0.0, "init": "random points"},
        shows=lambda played: _moves_as_k_means(played),
    ),
    Try(
        "Without a floor a component can shrink onto a single point, where the likelihood has no maximum.",
        "blobs(n=30,noise=2,seed=1)",
        {"k": 6, "floor": 0.0, "init": "random points"},
        shows=lambda played: played.ended.stop is Stop.DIVERGED and played.last.shown.collapsed >= 0,
    ),
)
