"""Scores of classifiers: the documents' numbers, the identities between the scores, scikit-learn as an oracle."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn import metrics as oracle

from algorithms.maths.scores import (
    Counts,
    confusion,
    counts_of,
    macro,
    micro,
    precision_recall,
    roc,
)
from tests.oracles import counts_at

# few distinct values, so that ties are common
SAMPLES = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(positive for _, positive in rows) < len(rows)
)


def columns(rows):
    scores, positive = zip(*rows)
    return np.array(scores, dtype=float), np.array(positive)


def test_roc_of_the_handbook_sequence():
    """H14: y = (+, +, -, +, -) in the order of the scores."""
    curve = roc(np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([True, True, False, True, False]))
    assert np.allclose(curve.fpr, [0, 0, 0, 0.5, 0.5, 1])
    assert np.allclose(curve.tpr, [0, 1 / 3, 2 / 3, 2 / 3, 1, 1])
    assert curve.area == pytest.approx(5 / 6)


def test_a_tie_is_one_diagonal():
    curve = roc(np.array([1.0, 1.0, 1.0, 1.0]), np.array([True, False, False, True]))
    assert curve.fpr.tolist() == [0.0, 1.0]
    assert curve.tpr.tolist() == [0.0, 1.0]
    assert curve.area == 0.5


@settings(max_examples=40, deadline=None)
@given(SAMPLES)
def test_roc_rises_from_corner_to_corner_and_its_area_is_mann_whitney(rows):
    scores, positive = columns(rows)
    curve = roc(scores, positive)
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(curve.fpr) >= 0).all()
    assert (np.diff(curve.tpr) >= 0).all()
    pairs = scores[positive][:, None] - scores[~positive][None, :]
    by_pairs = float((pairs > 0).mean() + 0.5 * (pairs == 0).mean())
    assert curve.area == pytest.approx(by_pairs)
    assert curve.area == pytest.approx(oracle.roc_auc_score(positive, scores))


@settings(max_examples=40, deadline=None)
@given(SAMPLES)
def test_area_ignores_monotone_maps_and_turns_with_the_sign(rows):
    scores, positive = columns(rows)
    area = roc(scores, positive).area
    assert roc(np.exp(scores) * 3 - 7, positive).area == pytest.approx(area)
    assert roc(-scores, positive).area == pytest.approx(1 - area)


@settings(max_examples=40, deadline=None)
@given(SAMPLES)
def test_every_point_of_the_curves_belongs_to_its_threshold(rows):
    scores, positive = columns(rows)
    curve, other = roc(scores, positive), precision_recall(scores, positive)
    for fpr, tpr, threshold in zip(curve.fpr, curve.tpr, curve.thresholds):
        cells = counts_at(scores, positive, threshold)
        assert (cells.fpr, cells.tpr) == (fpr, tpr)
    for recall, precision, threshold in zip(other.recall, other.precision, other.thresholds):
        cells = counts_at(scores, positive, threshold)
        assert (cells.tpr, cells.precision) == (recall, precision)
    assert other.average == pytest.approx(oracle.average_precision_score(positive, scores))


def test_two_gaussians_have_the_area_of_theory():
    """H14: unit Gaussians at the distance d give Phi(d / sqrt 2)."""
    quantiles = norm.ppf((np.arange(2000) + 0.5) / 2000)
    scores = np.concatenate([quantiles, quantiles + 1.5])
    positive = np.arange(4000) >= 2000
    assert roc(scores, positive).area == pytest.approx(norm.cdf(1.5 / math.sqrt(2)), abs=1e-3)


def test_tpr_at_a_false_alarm_rate_reads_the_curve():
    """N14: TPR at FPR = 5 %, on the line between two corners where a tie spans it."""
    curve = roc(np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([True, True, False, True, False]))
    assert curve.tpr_at(0.0) == pytest.approx(2 / 3)
    assert curve.tpr_at(0.05) == pytest.approx(2 / 3)
    assert curve.tpr_at(0.5) == pytest.approx(1.0)
    assert curve.tpr_at(1.0) == 1.0
    tied = roc(np.zeros(4), np.array([True, False, False, True]))
    assert tied.tpr_at(0.05) == pytest.approx(0.05)


def test_counts_by_hand():
    scores = np.array([0.9, 0.8, 0.5, 0.4, 0.2, 0.1])
    positive = np.array([True, False, True, True, False, False])
    cells = counts_at(scores, positive, 0.5)  # a score at the threshold is not above it
    assert cells == Counts(tp=1, fp=1, fn=2, tn=2)
    assert (cells.tpr, cells.tnr, cells.precision) == (1 / 3, 2 / 3, 1 / 2)
    assert cells.f_score == pytest.approx(0.4)
    assert cells.accuracy == 0.5


@given(*[st.integers(0, 50)] * 4)
def test_identities_between_the_scores(tp, fp, fn, tn):
    cells = Counts(tp, fp, fn, tn)
    assert cells.total == tp + fp + fn + tn
    if tp + fn:
        assert cells.tpr + cells.fnr == pytest.approx(1.0)
    if tn + fp:
        assert cells.tnr + cells.fpr == pytest.approx(1.0)
    if tp:
        p, r = cells.precision, cells.tpr
        assert cells.f_score == pytest.approx(2 * p * r / (p + r))
        assert min(p, r) - 1e-12 <= cells.f_score <= max(p, r) + 1e-12


def test_a_score_of_nothing_does_not_exist():
    nothing = Counts(0, 0, 3, 4)
    assert math.isnan(nothing.precision)
    assert nothing.tpr == 0.0
    assert nothing.f_score == 0.0
    assert math.isnan(Counts(0, 1, 0, 4).tpr)
    assert math.isnan(Counts(0, 0, 0, 0).accuracy)


def test_a_rare_class_hides_in_the_accuracy():
    """L4.3: always negative with 1 % positives."""
    cells = counts_at(np.zeros(1000), np.arange(1000) < 10, 0.5)
    assert (cells.accuracy, cells.tpr, cells.balanced_accuracy) == (0.99, 0.0, 0.5)


def test_confusion_has_answers_in_rows_and_truth_in_columns():
    matrix = confusion(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 0]), 3)
    assert matrix.tolist() == [[1, 0, 1], [1, 1, 0], [0, 0, 1]]
    assert counts_of(matrix, 0) == Counts(tp=1, fp=1, fn=1, tn=2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_averages_agree_with_scikit_learn(rows):
    truth, answers = (np.array(column) for column in zip(*rows))
    matrix = confusion(truth, answers, 4)
    assert matrix.sum() == len(rows)
    assert np.array_equal(matrix.T, oracle.confusion_matrix(truth, answers, labels=range(4)))
    assert micro(matrix, "f_score") == pytest.approx(np.trace(matrix) / len(rows))  # L4.4
    named = {"labels": range(4), "zero_division": 0.0}
    assert macro(matrix, "f_score") == pytest.approx(oracle.f1_score(truth, answers, average="macro", **named))
    assert macro(matrix, "tpr") == pytest.approx(oracle.recall_score(truth, answers, average="macro", **named))
    assert macro(matrix, "precision") == pytest.approx(oracle.precision_score(truth, answers, average="macro", **named))


def test_two_classes_reduce_to_the_four_cells():
    truth, answers = np.array([1, 1, 0, 0, 1]), np.array([1, 0, 0, 1, 1])
    assert counts_of(confusion(truth, answers, 2), 1) == counts_at(answers.astype(float), truth == 1, 0.5)


@pytest.mark.parametrize("positive", [np.ones(3, dtype=bool), np.zeros(3, dtype=bool)])
def test_a_curve_needs_both_kinds(positive):
    with pytest.raises(ValueError, match="needs positive"):
        roc(np.arange(3.0), positive)
