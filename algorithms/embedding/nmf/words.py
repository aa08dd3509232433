"""What non-negative factorisation says: captions, explanations, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Item, Points
from algorithms.embedding.nmf.solver import placed
from algorithms.maths.words import counted, number, percent

if TYPE_CHECKING:
    from algorithms.embedding.nmf import Model, Shot
    from algorithms.played import Played

MOST_TERMS = 6


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    data, rank = shot.given.data, len(shot.model.H)
    return (
        f"X has {counted(data.n * data.d, 'number')}; W and H, {counted(rank, 'part')} and the amount of each in every "
        f"row, have {rank * (data.n + data.d):,}. They start at random: the loss is {number(shot.metrics['loss'])}."
    )


def weights(shot: Shot) -> str:
    """The caption after W was updated."""
    return (
        f"Iteration {shot.shown.step}, update of W: every row takes more of the parts that it lacks and less of the "
        "others; "
        f"{_loss(shot)}."
    )


def parts(shot: Shot) -> str:
    """The caption after H was updated."""
    return (
        f"Iteration {shot.shown.step}, update of H: every part grows where its rows lack something and shrinks "
        "elsewhere; "
        f"{_loss(shot)}."
    )


def _loss(shot: Shot) -> str:
    error = percent(shot.metrics["error"])
    return f"the loss is {number(shot.metrics['loss'])}, the relative reconstruction error {error}"


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    return f"After {counted(shot.shown.step, 'iteration')} with {counted(len(shot.model.H), 'part')}: {_loss(shot)}."


CAPTIONS = {"start": opening, "weights": weights, "parts": parts, "result": closing}


def explanation(model: Model, data: Points, item: Item) -> Explanation:
    """How much of each part a row has, the most first, and what they leave over."""
    known = 0 <= item.number < len(model.W)
    x = data.X[item.number] if known else item.x
    amounts = model.W[item.number] if known else placed(x[None], model.H, model.loss)[0]
    answer: Explanation = {"point": item.number + 1} if known else {}
    parts = amounts * model.H.sum(axis=1)
    total = float(parts.sum())
    for k in np.argsort(-parts, kind="stable")[:MOST_TERMS].tolist():
        if parts[k] > 0.0:
            answer[f"from part {k + 1}"] = f"{percent(parts[k] / total)} of what is rebuilt"
    size = float(np.linalg.norm(x))
    answer["size of the row"] = size
    answer["reconstruction error"] = float(np.linalg.norm(x - amounts @ model.H))
    return answer


FORMULAS = (
    r"X \approx W H, \qquad W \ge 0, \quad H \ge 0",
    r"\text{Frobenius:}\quad W \leftarrow W \circ \frac{X H^{\top}}{W H H^{\top}}, \qquad H \leftarrow H \circ "
    r"\frac{W^{\top} X}{W^{\top} W H}",
    r"\text{KL:}\quad W_{ij} \leftarrow W_{ij}\, \frac{\sum_k H_{jk} X_{ik} / (WH)_{ik}}{\sum_k H_{jk}}, \qquad H_{jk} "
    r"\leftarrow H_{jk}\, \frac{\sum_i W_{ij} X_{ik} / (WH)_{ik}}{\sum_i W_{ij}}",
)


def _in_the_cone(played: Played, number: int) -> float:
    """The fraction of points that are sums of the two parts with no negative amount."""
    amounts = np.linalg.solve(played.frames[number].model.H.T, played.data.X.T)
    return float((amounts >= -1e-3).all(axis=0).mean())


def _main_topics(played: Played) -> float:
    """The fraction of rows whose largest part is their class, with the best names for the parts."""
    from scipy.optimize import linear_sum_assignment

    largest = (played.model.W * played.model.H.sum(axis=1)).argmax(axis=1)
    together = np.array([[((largest == k) & (played.data.y == c)).sum() for k in range(4)] for c in range(4)])
    return float(together[linear_sum_assignment(-together)].sum() / played.data.n)


TRIES = (
    Try(
        "With 24 parts instead of 10 each is smaller, a stroke or a dot: 80 % of its pixels are nearly 0, instead of "
        "66 %.",
        params={"rank": 24, "max_steps": 300},
        shows=lambda played: [round(100 * run.final("zeros")) for run in (played, played.but(rank=10))] == [80, 66],
    ),
    Try(
        "In the plane the two parts turn until nearly all points lie in the cone between them.",
        "mixtures(n=200,noise=0.03,seed=1)",
        {"rank": 2},
        shows=lambda played: _in_the_cone(played, 0) < 0.1 and _in_the_cone(played, -1) > 0.95,
    ),
    Try(
        "Counts of thirty words in texts about four topics: of three texts in four, the largest part is their main "
        "topic.",
        "mixtures(n=300,parts=4,features=30,counts=True,seed=1)",
        {"rank": 4, "loss": "KL"},
        shows=lambda played: _main_topics(played) > 0.75,
    ),
)
