"""Why, for one point: asked by hovering, answered by a thread, so that the window never computes."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from algorithms.contract import Algorithm, Explanation
from algorithms.data import Array, Data, Item, Points
from algorithms.records import dataclass
from mlviz.worker.latest_only import LatestOnlyWorker


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What does this model say about this item of the data? ``key`` is handed back with the answer."""

    algorithm: Algorithm
    model: Any
    data: Data
    item: Item
    key: object = None
    map_only: bool = False
    """Only where the item would stand in the map."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The prediction (``None`` where the algorithm does not predict; a class is an int) and the named reasons."""

    question: Question
    prediction: int | float | None = None
    reasons: Explanation = field(default_factory=dict)
    place: Array | None = None
    """Where the item stands in the map of the method, (k,)."""
    error: BaseException | None = None


def answer(question: Question) -> Answer:
    """Work the answer out, in this thread."""
    algorithm = question.algorithm
    try:
        if question.map_only:
            assert algorithm.transform is not None
            return Answer(question, place=np.asarray(algorithm.transform(question.model, question.item.x[None]))[0])
        prediction = None
        if algorithm.predict is not None and isinstance(question.data, Points):
            prediction = algorithm.predict(question.model, question.item.x[None])[0].item()
        explain = algorithm.explain
        reasons = {} if explain is None else explain(question.model, question.data, question.item)
    except Exception as error:  # whatever the algorithm raises; the window says it
        return Answer(question, error=error)
    return Answer(question, prediction, reasons)


class Explainer(LatestOnlyWorker[Question, Answer]):
    """Answers the latest question in a thread."""

    def __init__(self) -> None:
        super().__init__(lambda question, _: answer(question), "mlviz-explainer")
