"""Scores of a classifier, or answers of a regression method, computed away from the window.

Training scores ask the model on show. The others run the same algorithm again on a part of the points, up to the same
step (or to its own end, where the run on show has ended), and ask about the rest; that takes as long as several runs,
so it can be given up at any checkpoint, only the latest request counts, and the runs are kept for the next step asked
for. What is held out has no say in the scale of the features either: it is fitted anew to the points of each run.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, Data, DataError, Points
from algorithms.data.scaling import split
from algorithms.interrupt import Interrupted, current_driver, interruptible
from algorithms.maths.validation import held_out_part, part_of, parts_of
from algorithms.records import dataclass
from mlviz.session.layout import EvaluationSettings
from mlviz.session.scoring import Scores, Source
from mlviz.session.value_scoring import ValueScores
from mlviz.worker.fold_runs import BUDGET, FoldRun
from mlviz.worker.latest_only import Abandoned, LatestOnlyWorker

CHUNK = 4096
FOLDS = 5
NO_POINTS: Array = np.empty(0, dtype=np.intp)
HELD_OUT = 0.3
"""The fraction of the points that validation keeps away from training, where nobody says otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationRequest:
    """What is to be scored; ``key`` is handed back with the result, for the caller to recognise it by.

    ``step`` is the step that ``model`` belongs to; None asks validation for models at the end of their own runs.
    """

    algorithm: Algorithm
    data: Points
    params: Any
    seed: int
    model: Any
    source: Source
    key: object = None
    step: int | None = None
    folds: int = FOLDS
    held_out: float = HELD_OUT


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The scores, or the sentence or error that came instead."""

    request: EvaluationRequest
    scores: Scores | ValueScores | None = None
    refusal: str = ""
    error: BaseException | None = None


def can_evaluate(algorithm: Algorithm, data: Data) -> bool:
    """Whether the answers can be held against the truth: of a classifier, or of a regression method."""
    return scores_classes(algorithm, data) or predicts_values(algorithm, data)


def scores_classes(algorithm: Algorithm, data: Data) -> bool:
    """Whether this is a classifier whose ``field`` scores the points, on points of at least two classes."""
    if not isinstance(data, Points) or algorithm.predict is None or algorithm.target not in ("classes", "any"):
        return False
    if algorithm.scores_on(data) not in ("probability", "decision"):
        return False
    return data.y is not None and data.is_labelled and len(np.unique(data.y)) > 1


def predicts_values(algorithm: Algorithm, data: Data) -> bool:
    """Whether this predicts the target of points whose target is a number."""
    if not isinstance(data, Points) or algorithm.predict is None or algorithm.target not in ("values", "any"):
        return False
    return data.is_valued and data.n > 1 and algorithm.scores_on(data) == "value"


def validation_points(data: Points, seed: int, fraction: float = HELD_OUT) -> Array:
    """The points that validation keeps away from training, in a run with this seed: about this fraction of them."""
    assert data.y is not None
    if data.is_labelled:
        return held_out_part(data.y, fraction, _split_draws(seed))
    return part_of(data, fraction, _split_draws(seed))


def held_out_points(data: Points, seed: int, settings: EvaluationSettings) -> Array:
    """The points that are kept away from training by these settings: none, a part of all, or a fold of them."""
    if settings.source == "cross-validation":
        parts = parts_of(data, min(settings.folds, data.n), _split_draws(seed))
        return parts[min(settings.fold, len(parts)) - 1]
    return validation_points(data, seed, settings.held_out) if settings.source == "validation" else NO_POINTS


def _split_draws(seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, 14])  # the split depends on the seed, not on the algorithm's draws


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Points that are held out: their rows as the run without them has to be asked about them."""

    run: FoldRun
    rows: Array  # (m, d)


class FoldRuns:
    """The runs that validation has begun, kept for as long as the same run is evaluated."""

    def __init__(self) -> None:
        self._request: EvaluationRequest | None = None
        self._folds: dict[Source, tuple[Fold, ...]] = {}

    def keep_for(self, request: EvaluationRequest) -> None:
        """Forget the runs of anything but this."""
        if self._request is None or not _same_run(self._request, request):
            self.close()
        self._request = dataclasses.replace(request, model=None, key=None)  # a key may hold a whole time line

    def of(self, request: EvaluationRequest) -> tuple[Fold, ...]:
        """The folds of a request's source: those begun for an earlier step of the same run, or new ones."""
        if request.source not in self._folds:
            parts = _parts(request)
            self._folds[request.source] = tuple(_fold(request, part, BUDGET // len(parts)) for part in parts)
        return self._folds[request.source]

    def close(self) -> None:
        """Forget all runs."""
        for folds in self._folds.values():
            for fold in folds:
                fold.run.close()
        self._folds = {}


def evaluate(
    request: EvaluationRequest,
    give_up: Callable[[], bool] | None = None,
    progress: Callable[[str], None] = lambda _: None,
    runs: FoldRuns | None = None,
    pause: Callable[[], bool] = lambda: False,
) -> Evaluation:
    """Work the scores out, in this thread; raises :class:`Abandoned` at the next checkpoint after ``give_up`` says so.

    Without ``give_up`` whoever drives this thread is asked. With ``runs`` the next step of the same run is quick;
    without, every run is begun anew and ended. ``pause`` gives up at the next step only, where the runs can go on.
    """
    give_up = current_driver() if give_up is None else give_up
    kept = FoldRuns() if runs is None else runs
    kept.keep_for(request)
    try:
        with interruptible(give_up):
            return Evaluation(request, _scores(request, give_up, pause, progress, kept))
    except (Abandoned, Interrupted):
        raise Abandoned from None
    except Exception as error:  # whatever the algorithm raises; the window says it
        kept.close()  # a run that has failed cannot go on
        if isinstance(error, DataError):
            return Evaluation(request, refusal=str(error))
        return Evaluation(request, error=error)
    finally:
        if runs is None:
            kept.close()


def _scores(
    request: EvaluationRequest,
    give_up: Callable[[], bool],
    pause: Callable[[], bool],
    progress: Callable[[str], None],
    runs: FoldRuns,
) -> Scores | ValueScores:
    data = request.data
    assert data.y is not None
    valued = predicts_values(request.algorithm, data)
    values: list[Array] = []
    answers: list[Array] = []
    asked: list[Array] = []
    for model, points, X in _models(request, give_up, pause, progress, runs):
        for start in range(0, len(points), CHUNK):
            if give_up() or pause():
                raise Abandoned
            rows = X[start : start + CHUNK]
            if not valued:
                values.append(_field(request, model, rows))
            answers.append(request.algorithm.predict(model, rows))  # type: ignore[misc]
        asked.append(points)
    points = np.concatenate(asked)
    order = np.argsort(points)
    points, answered = points[order], np.concatenate(answers)[order]
    ended = 0 if request.source == "training" else _ended_before(request.step, runs.of(request))
    if valued:
        fitted = np.asarray(answered, dtype=np.float64)
        return ValueScores(request.source, fitted, data.y[points], points, data.target, request.step, ended)
    table, probability = np.concatenate(values)[order], request.algorithm.scores_on(data) == "probability"
    known = (data.y[points], points, data.classes, probability, request.step, ended)
    return Scores(request.source, table, answered, *known)


def _models(
    request: EvaluationRequest,
    give_up: Callable[[], bool],
    pause: Callable[[], bool],
    progress: Callable[[str], None],
    runs: FoldRuns,
) -> Iterator[tuple[Any, Array, Array]]:
    """Models, each with the points it is to be asked about and their rows."""
    if request.source == "training":
        yield request.model, np.arange(request.data.n), request.data.query()
        return
    folds = runs.of(request)
    goal = "" if request.step is None else f" of {request.step}"
    for number, fold in enumerate(folds):
        name = f"training fold {number + 1} of {len(folds)}" if len(folds) > 1 else "training without them"
        passed = functools.partial(_say_step, progress, name, goal)
        yield fold.run.model_at(request.step, give_up, passed, pause), fold.run.asked, fold.rows


def _say_step(progress: Callable[[str], None], name: str, goal: str, step: int) -> None:
    progress(f"{name}: step {step}{goal}")


def _parts(request: EvaluationRequest) -> list[Array]:
    """The sets of points that are kept away from training, one after the other."""
    data = request.data
    if request.source == "cross-validation":
        return parts_of(data, min(request.folds, data.n), _split_draws(request.seed))
    part = validation_points(data, request.seed, request.held_out)
    if not len(part):
        raise DataError("Validation needs at least two points of some class.")
    return [part]


def _fold(request: EvaluationRequest, part: Array, budget: int) -> Fold:
    """The request's run on all points but these, on a scale that these do not know."""
    rest, X = split(request.data, part)
    return Fold(FoldRun(lambda: request.algorithm.start(rest, request.params, request.seed), part, budget), X)


def _ended_before(step: int | None, folds: tuple[Fold, ...]) -> int:
    """How many of the runs were over before this step, so that their last model was asked."""
    return 0 if step is None else sum(fold.run.ended and fold.run.steps <= step for fold in folds)


def _same_run(one: EvaluationRequest, other: EvaluationRequest) -> bool:
    same = one.algorithm is other.algorithm and one.data is other.data
    settings = [(run.params, run.seed, run.folds, run.held_out) for run in (one, other)]
    return same and settings[0] == settings[1]


def _field(request: EvaluationRequest, model: Any, X: Array) -> Array:
    assert request.algorithm.field is not None
    values = np.asarray(request.algorithm.field(model, X))
    count = len(request.data.classes)
    if values.shape != (len(X), count) and not (count == 2 and values.shape == (len(X),)):
        raise DataError(f"{request.algorithm.title} gives no score for each of the {count} classes.")
    return values


class Evaluator(LatestOnlyWorker[EvaluationRequest, Evaluation]):
    """Evaluates the latest request in a thread, and gives up a running one for it."""

    def __init__(self) -> None:
        super().__init__(self._evaluate, "mlviz-evaluator")
        self._runs = FoldRuns()
        self.progress = ""
        """What is being done, in words; empty when nothing is."""

    def close(self, timeout: float | None = None) -> bool:
        """End the thread and its runs; whether it has ended."""
        ended = super().close(timeout)
        if ended:
            self._runs.close()
        return ended

    def _evaluate(self, request: EvaluationRequest, outdated: Callable[[], bool]) -> Evaluation:
        def give_up() -> bool:
            wanted = self.wanted
            return outdated() and (wanted is None or not _same_run(wanted, request))

        try:
            return evaluate(request, give_up, self._say, self._runs, pause=outdated)
        finally:
            self.progress = ""

    def _say(self, words: str) -> None:
        self.progress = words
