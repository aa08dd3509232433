"""What a model says of a point that is not among the data: asked by drawing one, answered by a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array
from mlviz.worker.latest_only import LatestOnlyWorker


@dataclass(frozen=True, slots=True, eq=False)
class Newcomer:
    """A point ``x`` (d,) and the model that is asked about it. ``key`` is handed back with the reply."""

    algorithm: Algorithm
    model: Any
    x: Array
    key: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """The prediction, the scores of ``field`` (k,) and the place in the map (m,), as far as the method has them."""

    newcomer: Newcomer
    prediction: int | float | None = None
    scores: Array | None = None
    place: Array | None = None
    error: Exception | None = None


def reply(newcomer: Newcomer) -> Reply:
    """Work the reply out, in this thread."""
    algorithm, model, row = newcomer.algorithm, newcomer.model, newcomer.x[None]
    try:
        prediction = None if algorithm.predict is None else algorithm.predict(model, row)[0].item()
        scores = None if algorithm.field is None else np.atleast_1d(np.asarray(algorithm.field(model, row))[0])
        place = None if algorithm.transform is None else np.asarray(algorithm.transform(model, row))[0]
    except Exception as error:  # whatever the algorithm raises; the window says it
        return Reply(newcomer, error=error)
    return Reply(newcomer, prediction, scores, place)


class NewcomerWorker(LatestOnlyWorker[Newcomer, Reply]):
    """Replies to the latest newcomer in a thread."""

    def __init__(self) -> None:
        super().__init__(lambda newcomer, _: reply(newcomer), "mlviz-newcomer")
