"""What t-SNE says: its captions, its warnings and what it knows about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.contract import Explanation
from algorithms.data import Array, Points
from algorithms.embedding.t_sne.solver import Similarities, pulls_on
from algorithms.maths.moving_maps import place_words, pull_words

if TYPE_CHECKING:
    from algorithms.embedding.t_sne import Model


def opening(data: Points, begin: str) -> str:
    """The caption of the first frame."""
    features = "1 feature" if data.d == 1 else f"{data.d} features"
    first = "small map of principal components" if begin == "principal components" else "small map drawn at random"
    return f"{data.n:,} points with {features}; the map begins as a {first}."


def similar(similarities: Similarities, widths: Array, perplexity: float) -> str:
    """The caption when the similarities are known."""
    low, high = float(widths.min()), float(widths.max())
    return (
        f"Around every point lies a Gaussian bell that is so wide (σ from {low:.3g} to {high:.3g}) that it reaches "
        f"about {perplexity:.3g} neighbours; {len(similarities.p):,} pairs are similar."
    )


def step(iteration: int, exaggeration: float, kl: float, trust: float) -> str:
    """The caption of a step."""
    if exaggeration > 1.0:
        pull = f"all attraction is {exaggeration:.3g} times as strong, so that groups gather"
    else:
        pull = "attraction and repulsion as they are"
    return f"Iteration {iteration:,}, {pull}: KL divergence {kl:z.3f}, trustworthiness {trust:.3f}."


def closing(iteration: int, kl: float, trust: float, k: int) -> str:
    """The caption of the last frame."""
    return (
        f"After {iteration:,} iterations the KL divergence is {kl:z.3f}; the trustworthiness of {k} neighbours is "
        f"{trust:.3f}. Sizes of groups and distances between them say little."
    )


def lowered(wanted: float, possible: float, n: int) -> str:
    """The warning when there are too few points for the perplexity; empty when there are enough."""
    if possible >= wanted:
        return ""
    return f"{n:,} points allow a perplexity of {possible:.3g} at most; it was lowered from {wanted:.3g}."


def swings(divergences: Array) -> str:
    """The warning when the divergence (f,) has been much lower before than at the end; empty when it has not."""
    low, last = float(divergences.min()), float(divergences[-1])
    if last <= SWINGING * low + 0.01:
        return ""
    return f"The divergence has been down to {low:.3g} and is up again: the steps are too long. Choose a lower rate."


SWINGING = 1.05
FLEW = "The steps are too long and the map flies apart. Choose a lower rate."


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
