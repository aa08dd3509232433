"""How good a classifier is: pure functions of true classes and scores.

A point counts as positive when its score lies *above* the threshold, so that P > 1/2 and f > 0 give the class that the
shading shows. A score that divides by nothing (precision without a positive answer) is NaN: it does not exist, and a
view writes a dash.

Reference: Handbook §4.1, §4.2.1, Algorithm 9 (ties are drawn as one diagonal, which the printed algorithm leaves
open); §4.2 (Methods for Data Science; the plot is TPR against FPR, not FNR as its last sentence says); section 6
(Introduction to Machine Learning).
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.data import Array
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """The four cells of the confusion matrix of one positive class; FP is a type I error, FN one of type II."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def total(self) -> int:
        """How many points there are."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def tpr(self) -> float:
        """Sensitivity, recall: the fraction of the positive points that are found."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def tnr(self) -> float:
        """Specificity: the fraction of the negative points that are left alone."""
        return _ratio(self.tn, self.tn + self.fp)

    @property
    def fpr(self) -> float:
        """1 - TNR: the fraction of false alarms among the negative points."""
        return _ratio(self.fp, self.tn + self.fp)

    @property
    def fnr(self) -> float:
        """1 - TPR: the fraction of the positive points that are missed."""
        return _ratio(self.fn, self.tp + self.fn)

    @property
    def precision(self) -> float:
        """The fraction of true ones among the points called positive."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def f_score(self) -> float:
        """The harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN)."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        """The fraction of right answers."""
        return _ratio(self.tp + self.tn, self.total)

    @property
    def balanced_accuracy(self) -> float:
        """The mean of TPR and TNR, which a rare class cannot hide in."""
        return (self.tpr + self.tnr) / 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """The curve of a moving threshold: point ``i`` belongs to ``score > thresholds[i]``. Ties are one diagonal."""

    fpr: Array  # (m,) from 0 to 1
    tpr: Array  # (m,) from 0 to 1
    thresholds: Array  # (m,) falling, the last one -inf

    @property
    def area(self) -> float:
        """AUC by the trapezoids under the curve: the Mann-Whitney probability, a tie counting one half."""
        return float(np.sum(np.diff(self.fpr) * (self.tpr[1:] + self.tpr[:-1])) / 2.0)

    def tpr_at(self, fpr: float) -> float:
        """The TPR where the curve crosses this FPR (the highest one there)."""
        last = int(np.searchsorted(self.fpr, fpr, side="right")) - 1
        if last + 1 == len(self.fpr) or self.fpr[last] == fpr:
            return float(self.tpr[last])
        fraction = (fpr - self.fpr[last]) / (self.fpr[last + 1] - self.fpr[last])
        return float(self.tpr[last] + fraction * (self.tpr[last + 1] - self.tpr[last]))


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecall:
    """Precision against recall as the threshold falls; point ``i`` belongs to ``score > thresholds[i]``."""

    recall: Array  # (m,) rising to 1
    precision: Array  # (m,)
    thresholds: Array  # (m,)

    @property
    def average(self) -> float:
        """The average precision: each precision weighted by the recall that is gained with it."""
        return float(np.sum(np.diff(self.recall, prepend=0.0) * self.precision))


def roc(scores: Array, positive: Array) -> Roc:
    """The ROC curve of scores (n,) of which those in ``positive`` (n,) bool are true; both kinds must occur."""
    thresholds, tp, fp = _cumulated(scores, positive)
    if tp[-1] == 0 or fp[-1] == 0:
        raise ValueError("A ROC curve needs positive and negative points.")
    return Roc(fp / fp[-1], tp / tp[-1], thresholds)


def precision_recall(scores: Array, positive: Array) -> PrecisionRecall:
    """The precision-recall curve; there must be a positive point. It begins with the highest score, not at recall 0."""
    thresholds, tp, fp = _cumulated(scores, positive)
    if tp[-1] == 0:
        raise ValueError("A precision-recall curve needs positive points.")
    return PrecisionRecall(tp[1:] / tp[-1], tp[1:] / (tp[1:] + fp[1:]), thresholds[1:])


def confusion(truth: Array, answers: Array, classes: int) -> Array:
    """How often each answer (row) was given to each true class (column), (c, c): as in Table 4.1."""
    flat = np.bincount(np.asarray(answers) * classes + np.asarray(truth), minlength=classes * classes)
    return flat.reshape(classes, classes)


def counts_of(matrix: Array, positive: int) -> Counts:
    """The four cells of one class against the rest, from a confusion matrix (rows: answers, columns: truth)."""
    tp = int(matrix[positive, positive])
    fp, fn = int(matrix[positive].sum()) - tp, int(matrix[:, positive].sum()) - tp
    return Counts(tp, fp, fn, int(matrix.sum()) - tp - fp - fn)


def macro(matrix: Array, name: str) -> float:
    """A score (``precision``, ``tpr``, ``f_score`` ...) averaged over the classes; one that does not exist counts 0."""
    values = [float(getattr(counts_of(matrix, k), name)) for k in range(len(matrix))]
    return sum(0.0 if math.isnan(value) else value for value in values) / len(values)


def micro(matrix: Array, name: str) -> float:
    """A score of the cells summed over the classes; micro-F is the accuracy when every point has one class."""
    parts = [counts_of(matrix, k) for k in range(len(matrix))]
    return float(getattr(Counts(*(sum(getattr(p, cell) for p in parts) for cell in ("tp", "fp", "fn", "tn"))), name))


def _cumulated(scores: Array, positive: Array) -> tuple[Array, Array, Array]:
    """Thresholds, and the true and false positives above each: one entry per distinct score, and one for all points."""
    values, mask = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    if values.shape != mask.shape or values.ndim != 1 or not len(values):
        raise ValueError("There must be one score and one truth for every point.")
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    ends = np.flatnonzero(np.append(np.diff(ranked) != 0.0, True))  # the last point of every tie
    tp = np.append(0, np.cumsum(mask[order])[ends])
    fp = np.append(0, ends + 1 - tp[1:])
    return np.append(ranked[ends], -np.inf), tp, fp


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
