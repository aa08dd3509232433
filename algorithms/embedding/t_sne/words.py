"""What t-SNE says: its captions, its warnings and what it knows about a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.contract import Explanation
from algorithms.data import Points
from algorithms.embedding.t_sne.solver import pulls_on
from algorithms.maths.maps import ALIKE
from algorithms.maths.moving_maps import place_words, pull_words
from algorithms.maths.trustworthiness import trust_words
from algorithms.maths.words import counted, number

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
            again = f"The divergence was {number(low)} before and has risen to {number(last)}"
            return f"{again}: the steps are too long. Choose a lower rate."
    if possible >= wanted:
        return None
    n = counted(shot.given.data.n, "point")
    return f"{n} allow a perplexity of at most {number(possible)}; it was lowered from {number(wanted)}."


def _opening(shot: Shot) -> str:
    data, begin = shot.given.data, shot.given.params.begin
    first = "small map of principal components" if begin == "principal components" else "small map drawn at random"
    return f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}; the map begins as a {first}."


def _similar(shot: Shot) -> str:
    model = shot.model
    assert model.similar is not None
    low, high = number(float(model.widths.min())), number(float(model.widths.max()))
    widths = f"σ from {low} to {high}" if low != high else f"σ = {low}"
    pairs = len(model.similar.p)
    return (
        f"Each point gets a Gaussian of its own width ({widths}), so that its perplexity, the effective number of its "
        f"neighbours, is {number(model.perplexity)}; {counted(pairs, 'pair')} {'is' if pairs == 1 else 'are'} similar."
    )


def _step(shot: Shot) -> str:
    model, trust = shot.model, shot.metrics["trustworthiness"]
    if shot.shown.flew:
        return FLEW
    if model.exaggeration > 1.0:
        pull = f", with the attraction multiplied by {number(model.exaggeration)}"
    else:
        pull = ""
    return (
        f"Iteration {model.iteration:,}{pull}: the KL divergence is {model.kl:z.3f}, "
        f"{trust_words(trust, shot.given.judged)}."
    )


def _closing(shot: Shot) -> str:
    model, trust = shot.model, shot.metrics["trustworthiness"]
    return (
        f"After {counted(model.iteration, 'iteration')} the KL divergence is {model.kl:z.3f}, "
        f"{trust_words(trust, shot.given.judged)}. Sizes of groups and distances between them have no meaning."
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
