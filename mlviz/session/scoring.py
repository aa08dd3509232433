"""Scores of points under a classifier, and what one threshold makes of them. Pure values; no Qt, no threads.

Everything the evaluation shows (histograms, ROC, precision-recall, matrix, contour) is a function of one
:class:`Scores`, the positive class and the threshold, so the views cannot disagree.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.maths.scores import Counts, counts_of, macro, micro
from algorithms.records import dataclass

Source = Literal["training", "validation", "cross-validation"]
SOURCES: tuple[Source, ...] = ("training", "validation", "cross-validation")


def origin_of(source: Source, step: int | None, ended: int, count: int) -> str:
    """Which model has answered about so many points, in words."""
    when = "end" if step is None else f"step {step}"
    if source == "training":
        return when
    if source == "validation":
        early = " (it ended before)" if ended else ""
        return f"{when} of a run without these {count} points{early}"
    early = f" ({ended} ended before)" if ended else ""
    return f"{when} of each run without a fold{early}"


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where the decision line runs: at this level of the field, or of one of its columns."""

    level: float
    column: int | None = None


def neutral(probability: bool) -> float:
    """The threshold to begin with: a probability of one half, a decision value of zero."""
    return 0.5 if probability else 0.0


def on_field(positive: int, threshold: float, columns: bool, probability: bool) -> Threshold:
    """A threshold on the score of a class as a level of the field, which may have a column for each class."""
    if columns:
        return Threshold(threshold, positive)
    if positive == 1:
        return Threshold(threshold)
    return Threshold(1.0 - threshold if probability else -threshold)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a classifier says about some points of a data set."""

    source: Source
    values: Array  # (m,) for the second of two classes, or (m, c)
    answers: Array  # (m,) the predicted class
    truth: Array  # (m,) the true class
    points: Array  # (m,) the numbers of the points
    classes: tuple[str, ...]
    probability: bool
    step: int | None = None  # of the run; None for the end of each run
    ended: int = 0  # how many of the runs without a fold were over before this step

    @property
    def neutral(self) -> float:
        """The threshold to begin with."""
        return neutral(self.probability)

    @property
    def present(self) -> tuple[int, ...]:
        """The classes that some points belong to."""
        return tuple(np.unique(self.truth).tolist())

    @property
    def origin(self) -> str:
        """Which model has given these scores, in words."""
        return origin_of(self.source, self.step, self.ended, len(self.points))

    def of(self, positive: int) -> Array:
        """The score of one class, (m,): high where the class is likely."""
        if self.values.ndim == 2:
            return self.values[:, positive]
        if positive == 1:
            return self.values
        return 1.0 - self.values if self.probability else -self.values

    def span(self, positive: int) -> tuple[float, float]:
        """Between which numbers a threshold makes a difference."""
        if self.probability:
            return 0.0, 1.0
        scores = self.of(positive)
        low, high = float(scores.min()), float(scores.max())
        room = 0.05 * (high - low) or 1.0
        return min(low, 0.0) - room, max(high, 0.0) + room

    def on_field(self, positive: int, threshold: float) -> Threshold:
        """The same threshold as a level of the field in the plane."""
        return on_field(positive, threshold, self.values.ndim == 2, self.probability)


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """A confusion matrix with the points in its cells: rows are the answers, columns the truth."""

    names: tuple[str, ...]  # (k,)
    rows: Array  # (m,) the answer to each point, as a row
    columns: Array  # (m,) its true class, as a column
    points: Array  # (m,)
    binary: bool

    @property
    def matrix(self) -> Array:
        """The counts, (k, k)."""
        k = len(self.names)
        return np.bincount(self.rows * k + self.columns, minlength=k * k).reshape(k, k)

    @property
    def counts(self) -> Counts:
        """The four cells of the first name against the rest."""
        return counts_of(self.matrix, 0)

    def members(self, row: int, column: int) -> Array:
        """The points in a cell."""
        return self.points[(self.rows == row) & (self.columns == column)]

    def cell_of(self, point: int) -> tuple[int, int] | None:
        """The cell a point is in, where it was scored."""
        found = np.flatnonzero(self.points == point)
        return (int(self.rows[found[0]]), int(self.columns[found[0]])) if len(found) else None

    @property
    def rates(self) -> tuple[tuple[str, float], ...]:
        """The named scores below the matrix; with several classes the averages that ignore their sizes (macro)."""
        matrix = self.matrix
        if self.binary:
            cells = counts_of(matrix, 0)
            return (
                ("TPR", cells.tpr),
                ("TNR", cells.tnr),
                ("FPR", cells.fpr),
                ("FNR", cells.fnr),
                ("precision", cells.precision),
                ("F", cells.f_score),
                ("accuracy", cells.accuracy),
                ("balanced", cells.balanced_accuracy),
            )
        accuracy = float(np.trace(matrix) / matrix.sum()) if matrix.sum() else math.nan
        return (
            ("accuracy", accuracy),
            ("macro TPR", macro(matrix, "tpr")),
            ("macro precision", macro(matrix, "precision")),
            ("macro F", macro(matrix, "f_score")),
            ("micro F", micro(matrix, "f_score")),
            ("micro FPR", micro(matrix, "fpr")),
        )


def confusion_at(scores: Scores, positive: int, threshold: float) -> Confusion:
    """One class against the rest: a point above the threshold is called positive."""
    others = [name for k, name in enumerate(scores.classes) if k != positive]
    names = (scores.classes[positive], others[0] if len(others) == 1 else "other")
    rows = np.where(scores.of(positive) > threshold, 0, 1)
    columns = np.where(scores.truth == positive, 0, 1)
    return Confusion(names, rows, columns, scores.points, binary=True)


def confusion_of_all(scores: Scores) -> Confusion:
    """Every class against every other, by the classifier's own answers; there is no threshold in it."""
    return Confusion(scores.classes, scores.answers, scores.truth, scores.points, binary=False)


def between(thresholds: Array, low: float, high: float) -> Array:
    """A threshold for each point of a curve, in the middle of all that give this point, inside the span."""
    above = np.append(high, thresholds[:-1])
    middle = (np.clip(thresholds, low, high) + np.clip(above, low, high)) / 2.0
    return np.where(np.isfinite(thresholds), middle, low)
