"""What non-negative factorisation says: captions, explanations, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Item, Points, counted
from algorithms.embedding.nmf.solver import placed
from algorithms.embedding.nmf.views import Picture

if TYPE_CHECKING:
    from algorithms.embedding.nmf import Model

MOST_TERMS = 6


def opening(picture: Picture) -> str:
    """The caption of the first frame."""
    data, rank = picture.data, len(picture.model.H)
    numbers = data.n * data.d
    fewer = rank * (data.n + data.d)
    return (
        f"{numbers:,} numbers are to become {counted(rank, 'part')} and how much of each every row has, {fewer:,} "
        f"numbers that start at random: the loss is {picture.loss:.4g}."
    )


def weights(picture: Picture, step: int) -> str:
    """The caption after W was updated."""
    return (
        f"Iteration {step}: every row takes more of the parts that it lacks and less of the others; {_loss(picture)}."
    )


def parts(picture: Picture, step: int) -> str:
    """The caption after H was updated."""
    return f"Iteration {step}: every part grows where its rows lack something and shrinks elsewhere; {_loss(picture)}."


def _loss(picture: Picture) -> str:
    return f"the loss is {picture.loss:.5g}, and {100 * picture.error:.3g} % of the table is left over"


def closing(picture: Picture, step: int) -> str:
    """The caption of the last frame."""
    rank = len(picture.model.H)
    verb = "leaves" if rank == 1 else "leave"
    return (
        f"After {counted(step, 'step')} {counted(rank, 'part')} {verb} {100 * picture.error:.3g} % of the "
        f"table over; the loss is {picture.loss:.5g}."
    )


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
            answer[f"from part {k + 1}"] = f"{100 * parts[k] / total:.3g} % of what is rebuilt"
    size = float(np.linalg.norm(x))
    answer["size of the row"] = size
    answer["left over"] = float(np.linalg.norm(x - amounts @ model.H))
    return answer


FORMULAS = (
    r"X \approx W H, \qquad W \ge 0, \quad H \ge 0",
    r"\text{Frobenius:}\quad W \leftarrow W \circ \frac{X H^{\top}}{W H H^{\top}}, \qquad H \leftarrow H \circ "
    r"\frac{W^{\top} X}{W^{\top} W H}",
    r"\text{KL:}\quad W_{ij} \leftarrow W_{ij}\, \frac{\sum_k H_{jk} X_{ik} / (WH)_{ik}}{\sum_k H_{jk}}, \qquad H_{jk} "
    r"\leftarrow H_{jk}\, \frac{\sum_i W_{ij} X_{ik} / (WH)_{ik}}{\sum_i W_{ij}}",
)

TRIES = (
    Try("More parts are smaller ones: strokes and dots that all digits share.", params={"rank": 24}),
    Try(
        "In the plane the two parts turn until all points lie in the cone between them.",
        "mixtures(n=200,noise=0.03,seed=1)",
        {"rank": 2},
    ),
    Try(
        "Counts of thirty words in texts about four topics: the divergence finds the topics as parts.",
        "mixtures(n=300,parts=4,features=30,counts=True,seed=1)",
        {"rank": 4, "loss": "KL"},
    ),
)
