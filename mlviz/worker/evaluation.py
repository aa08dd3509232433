"""Scores of a classifier on training, held-out or cross-validated points, computed away from the window.

Training scores ask the model on show. The others train the same algorithm again on a part of the points, to its end,
and ask it about the rest; that takes as long as several runs, so it can be given up at any step of the algorithm, and
only the latest request counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.contract import Algorithm, DataError
from algorithms.dataset import Array, Points
from algorithms.marks import Mark, Regions
from mlviz.session.scoring import Scores, Source
from mlviz.worker.latest import Abandoned, Latest
from mlviz.worker.replay import BREATH

CHUNK = 4096
FOLDS = 5
HELD_OUT = 0.3
"""The share of points that validation keeps away from training."""
NAP = 0.0005


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationRequest:
    """What is to be scored; ``key`` is handed back with the result, for the caller to recognise it by."""

    algorithm: Algorithm
    data: Points
    params: Any
    seed: int
    model: Any
    source: Source
    probability: bool | None = None  # None: to be seen from the values
    key: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The scores, or the sentence or error that came instead."""

    request: EvaluationRequest
    scores: Scores | None = None
    refusal: str = ""
    error: BaseException | None = None


def can_evaluate(algorithm: Algorithm, data: Points, marks: tuple[Mark, ...] = ()) -> bool:
    """Whether this is a classifier whose ``field`` speaks about data points; ``marks`` are those of the plane.

    A field that lives on a surface of its own is about something else, and a shaded value is a regression.
    """
    if algorithm.field is None or algorithm.predict is None or algorithm.target not in ("classes", "any"):
        return False
    if data.y is None or not data.is_labelled or len(np.unique(data.y)) < 2:
        return False
    elsewhere = any(panel.kind == "surface" for panel in algorithm.panels)
    valued = any(isinstance(mark, Regions) and mark.kind in ("value", "density") for mark in marks)
    return not elsewhere and not valued


def scale_of(marks: tuple[Mark, ...]) -> bool | None:
    """Whether the field is a probability, as far as the shading of the plane tells."""
    kinds = {mark.kind for mark in marks if isinstance(mark, Regions)}
    if kinds & {"probability", "signed"}:
        return "probability" in kinds
    return None


def folds(y: Array, count: int, rng: np.random.Generator) -> list[Array]:
    """Disjoint sets of points that cover all, of sizes that differ by at most one, each with its share of classes."""
    shuffled = rng.permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    return [np.sort(order[k::count]) for k in range(count)]


def held_out(y: Array, share: float, rng: np.random.Generator) -> Array:
    """The points kept for validation: about this share of every class, and never all points of one."""
    parts = []
    for group in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == group))
        parts.append(members[: min(max(round(share * len(members)), 1), len(members) - 1)])
    return np.sort(np.concatenate(parts))


def evaluate(
    request: EvaluationRequest,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda _: None,
) -> Evaluation:
    """Work the scores out, in this thread; raises :class:`Abandoned` soon after ``give_up`` says so."""
    try:
        return Evaluation(request, _scores(request, give_up, progress))
    except Abandoned:
        raise
    except DataError as error:
        return Evaluation(request, refusal=str(error))
    except Exception as error:  # whatever the algorithm raises; the window says it
        return Evaluation(request, error=error)


def _scores(request: EvaluationRequest, give_up: Callable[[], bool], progress: Callable[[str], None]) -> Scores:
    data = request.data
    assert data.y is not None
    values: list[Array] = []
    answers: list[Array] = []
    asked: list[Array] = []
    for model, points in _models(request, give_up, progress):
        for piece in np.array_split(points, max(-(-len(points) // CHUNK), 1)):
            if give_up():
                raise Abandoned
            values.append(_field(request, model, data.X[piece]))
            answers.append(request.algorithm.predict(model, data.X[piece]))  # type: ignore[misc]
            asked.append(piece)
    table, points = np.concatenate(values), np.concatenate(asked)
    order = np.argsort(points)
    points = points[order]
    probability = request.probability if request.probability is not None else _looks_like_chances(table)
    return Scores(
        request.source,
        table[order],
        np.concatenate(answers)[order],
        data.y[points],
        points,
        data.classes,
        probability,
    )


def _models(
    request: EvaluationRequest, give_up: Callable[[], bool], progress: Callable[[str], None]
) -> Iterator[tuple[Any, Array]]:
    """Models, each with the points it is to be asked about."""
    data = request.data
    assert data.y is not None
    if request.source == "training":
        yield request.model, np.arange(data.n)
        return
    rng = np.random.default_rng([request.seed, 14])  # the split depends on the seed, not on the algorithm's draws
    if request.source == "validation":
        parts = [held_out(data.y, HELD_OUT, rng)]
        if not len(parts[0]):
            raise DataError("Validation needs at least two points of some class.")
    else:
        parts = folds(data.y, min(FOLDS, data.n), rng)
    for number, part in enumerate(parts):
        progress(f"training fold {number + 1} of {len(parts)}" if len(parts) > 1 else "training without them")
        yield _trained(request, np.setdiff1d(np.arange(data.n), part), give_up), part


def _trained(request: EvaluationRequest, points: Array, give_up: Callable[[], bool]) -> Any:
    """The last model of a run on some of the points."""
    data = request.data
    assert data.y is not None
    part = Points(data.X[points], data.y[points], data.features, data.classes, data.target, data.name)
    run = request.algorithm.start(part, request.params, request.seed)
    rested = time.perf_counter()
    model = None
    for snapshot in run:
        model = snapshot.model
        if give_up():
            run.close()
            raise Abandoned
        if time.perf_counter() - rested > BREATH:
            time.sleep(NAP)  # the window draws meanwhile
            rested = time.perf_counter()
    return model


def _field(request: EvaluationRequest, model: Any, X: Array) -> Array:
    assert request.algorithm.field is not None
    values = np.asarray(request.algorithm.field(model, X))
    count = len(request.data.classes)
    if values.shape != (len(X), count) and not (count == 2 and values.shape == (len(X),)):
        raise DataError(f"{request.algorithm.title} gives no score for each of the {count} classes.")
    return values


def _looks_like_chances(values: Array) -> bool:
    if values.min(initial=0.0) < 0.0 or values.max(initial=0.0) > 1.0:
        return False
    return values.ndim == 1 or bool(np.allclose(values.sum(axis=1), 1.0))


class Evaluator(Latest[EvaluationRequest, Evaluation]):
    """Evaluates the latest request in a thread, and gives up a running one for it."""

    def __init__(self) -> None:
        super().__init__(self._evaluate, "mlviz-evaluator")
        self.progress = ""
        """What is being done, in words; empty when nothing is."""

    def _evaluate(self, request: EvaluationRequest, outdated: Callable[[], bool]) -> Evaluation:
        try:
            return evaluate(request, outdated, self._say)
        finally:
            self.progress = ""

    def _say(self, words: str) -> None:
        self.progress = words
