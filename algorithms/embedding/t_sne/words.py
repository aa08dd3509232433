"""What t-SNE says: its captions, its warnings and what it knows about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.contract import Explanation
from algorithms.data import Points
from algorithms.embedding.t_sne.solver import pulls_on
from algorithms.maths.maps import ALIKE
from algorithms.maths.moving_maps import place_words, pull_words

if TYPE_CHECKING:
    from algorithms.embedding.t_sne import Model, Shot


SWINGING = 1.05
FLEW = "The steps are too long and the map flies apart. Choose a lower rate."


def warning(shot: Shot) -> str | None:
    """What deserves doubt, the worst first."""
    shown, wanted, possible = shot.shown, shot.given.params.perplexity, shot.model.perplexity
    if shown.flew:
        return FLEW
    if shown.alike:
        return ALIKE
    if shot.phase == "result":  # whether the divergence has been much lower before
        low, last = float(shown.divergences.min()), float(shown.divergences[-1])
        if last > SWINGING * low + 0.01:
            again = f"The divergence has been down to {low:.3g} and is up again"
            return f"{again}: the steps are too long. Choose a lower rate."
    if possible >= wanted:
        return None
    n = shot.given.data.n
    return f"{n:,} points allow a perplexity of {possible:.3g} at most; it was lowered from {wanted:.3g}."


def _opening(shot: Shot) -> str:
    data, begin = shot.given.data, shot.given.params.begin
    features = "1 feature" if data.d == 1 else f"{data.d} features"
    first = "small map of principal components" if begin == "principal components" else "small map drawn at random"
    return f"{data.n:,} points with {features}; the map begins as a {first}."


def _similar(shot: Shot) -> str:
    model = shot.model
    assert model.similar is not None
    low, high = float(model.widths.min()), float(model.widths.max())
    return (
        f"Around every point lies a Gaussian bell that is so wide (σ from {low:.3g} to {high:.3g}) that it reaches "
        f"about {model.perplexity:.3g} neighbours; {len(model.similar.p):,} pairs are similar."
    )


def _step(shot: Shot) -> str:
    model, trust = shot.model, shot.metrics["trustworthiness"]
    if shot.shown.flew:
        return FLEW
    if model.exaggeration > 1.0:
        pull = f"all attraction is {model.exaggeration:.3g} times as strong, so that groups gather"
    else:
        pull = "attraction and repulsion as they are"
    return f"Iteration {model.iteration:,}, {pull}: KL divergence {model.kl:z.3f}, trustworthiness {trust:.3f}."


def _closing(shot: Shot) -> str:
    model, trust = shot.model, shot.metrics["trustworthiness"]
    return (
        f"After {model.iteration:,} iterations the KL divergence is {model.kl:z.3f}; the trustworthiness of "
        f"{shot.given.known.k} neighbours is {trust:.3f}. Sizes of groups and distances between them say little."
    )


CAPTIONS = {"start": _opening, "similar": _similar, "exaggerate": _step, "descend": _step, "result": _closing}


def about(model: Model, data: Points, point: int, nearest: bool) -> Explanation:
    """What is known about a data point; ``nearest`` when it stands for a place beside it."""
    answer: Explanation = {"nearest point": point + 1} if nearest else {}
    if model.similar is not None:
        answer["width σ of its bell"] = float(model.widths[point])
        pulls, q = pulls_on(point, model.embedding, model.similar, model.exaggeration, model.total)
        if len(pulls.neighbours):
            answer["most similar point in the data"] = int(pulls.neighbours[0]) + 1
            answer["p of that point"] = float(pulls.strengths[0])
            answer["q of it in the map"] = float(q[0])
        answer |= pull_words(pulls)
    return answer | place_words(model.embedding, point)
