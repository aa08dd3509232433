"""What a method is for: it solves an easy problem, and the order of the rows does not matter to it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from algorithms._checks import cases, examples
from algorithms._checks.rule import require, strict
from algorithms._checks.values import fingerprint
from algorithms.contract import Algorithm, AnySnapshot, DataError
from algorithms.data import Array, Points
from algorithms.marks import Assignment, SoftAssignment

ENOUGH = 0.9
"""The fraction of right answers (or of explained variance) on data that leave no doubt."""
SEEDS = 3
"""A random beginning may be unlucky, but not every time."""


@strict
def check_skill(algorithm: Algorithm) -> None:
    """On groups far apart, or a straight line, the answers of the last model are nearly all right."""
    for data, truth in _easy(algorithm):
        found: list[float] = []
        for seed in range(SEEDS):
            if not found or max(found) < ENOUGH:
                skill = _skill(algorithm, data, truth, seed)
                found += [] if skill is None else [skill]
        good = max(found, default=1.0)
        require(good >= ENOUGH, f"On easy data the answers are only {good:z.0%} right.")


def _skill(algorithm: Algorithm, data: Any, truth: Array, seed: int) -> float | None:
    """How right the answers for the training data are; None where the method gives none or refuses the data."""
    try:
        last = _last(algorithm, data, seed)
    except DataError:
        return None
    answers = _answers(algorithm, data, last)
    if answers is None:
        return None
    if algorithm.family == "clustering":
        return _agreement(truth, answers)
    if truth.dtype.kind == "f":
        return float(1.0 - np.square(answers - truth).mean() / truth.var())
    return float((answers == truth).mean())


@functools.lru_cache(maxsize=1)
def _easy(algorithm: Algorithm) -> list[tuple[Any, Array]]:
    """The easy data of the latest algorithm, the same objects for every check."""
    return examples.easy(algorithm)


@functools.lru_cache(maxsize=16)
def _last(algorithm: Algorithm, data: Any, seed: int) -> AnySnapshot:
    """The last frame; both checks ask for it, the second more than once."""
    return cases.play(algorithm, data, algorithm.params(), seed=seed)[0][-1]


def _answers(algorithm: Algorithm, data: Any, frame: AnySnapshot) -> Array | None:
    """What the method says about each item: predictions of a target, or the groups that a clustering draws."""
    if algorithm.family == "clustering":
        return next((_groups(mark) for marks in frame.views.values() for mark in marks if _is_grouping(mark)), None)
    supervised = algorithm.target == "classes" or algorithm.scores_on(data) not in ("", "density")
    if algorithm.predict is None or algorithm.target == "none" or not supervised:
        return None
    return algorithm.predict(frame.model, data.X if isinstance(data, Points) else data).reshape(-1)


def _is_grouping(mark: Any) -> bool:
    return isinstance(mark, Assignment | SoftAssignment)


def _groups(mark: Any) -> Array:
    return np.asarray(mark.labels if isinstance(mark, Assignment) else mark.weights.argmax(axis=1))


def _agreement(one: Array, two: Array) -> float:
    """The fraction of pairs that two groupings both put together or both keep apart (Rand's index)."""
    together = [labels[:, None] == labels[None] for labels in (one, two)]
    return float((together[0] == together[1]).mean())


@strict
def check_permuted_rows(algorithm: Algorithm) -> None:
    """Where chance plays no part, the same points in another order get the same answers, or the same metrics.

    Methods whose last frame depends on the seed are left out. Answers are compared on easy data: a method that goes
    through the points in turn (the perceptron) may find another of many good boundaries, and still says the same there.
    """
    if Points not in algorithm.accepts:
        return
    usual = examples.blobs(algorithm)
    for data, truth in [*_easy(algorithm), (usual, np.empty(0))]:
        if not isinstance(data, Points) or not _is_fixed(algorithm, data):
            continue
        order = np.random.default_rng(1).permutation(data.n)
        permuted = data.rows(order)
        one, two = _last(algorithm, data, 0), _last(algorithm, permuted, 0)
        answers, theirs = _answers(algorithm, data, one), _answers(algorithm, permuted, two)
        if data is usual:
            alike = answers is not None or _same_metrics(one, two)
        elif answers is None or theirs is None:
            continue
        elif algorithm.family == "clustering":
            alike = _agreement(answers[order], theirs) == 1.0
        else:
            alike = np.allclose(answers[order], theirs, rtol=0.0, atol=0.02 * float(np.ptp(truth)))
        require(alike, "The same points in another order give another result.")


def _is_fixed(algorithm: Algorithm, data: Points) -> bool:
    """Whether the method takes the data, and ends in the same way whatever the seed is."""
    try:
        frames = [_last(algorithm, data, seed) for seed in (0, 1)]
    except DataError:
        return False
    return fingerprint(frames[0]) == fingerprint(frames[1])


def _same_metrics(one: AnySnapshot, two: AnySnapshot) -> bool:
    return np.allclose(list(one.metrics.values()), list(two.metrics.values()), rtol=1e-3, atol=1e-6, equal_nan=True)
