"""One threshold, and what it makes of scores."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.maths.scores import Counts, roc
from mlviz.session.scoring import Scores, Threshold, between, confusion_at, confusion_of_all
from tests.oracles import counts_at

CHANCES = np.array([0.9, 0.6, 0.5, 0.2, 0.1])
TWO = Scores(
    "training",
    CHANCES,
    (CHANCES > 0.5).astype(int),
    np.array([1, 0, 1, 0, 0]),
    np.arange(10, 15),
    ("ham", "spam"),
    True,
)
THREE = Scores(
    "training",
    np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]),
    np.array([0, 1, 2]),
    np.array([0, 2, 2]),
    np.arange(3),
    ("a", "b", "c"),
    True,
)


def test_the_score_of_the_other_class_is_the_mirror():
    assert TWO.of(1).tolist() == CHANCES.tolist()
    assert np.allclose(TWO.of(0), 1 - CHANCES)
    signed = Scores("training", CHANCES - 0.5, TWO.answers, TWO.truth, TWO.points, TWO.classes, False)
    assert np.allclose(signed.of(0), 0.5 - CHANCES)
    assert (TWO.neutral, signed.neutral) == (0.5, 0.0)
    assert THREE.of(2).tolist() == [0.1, 0.4, 0.4]


@pytest.mark.parametrize("positive", [0, 1])
@given(threshold=st.floats(0.01, 0.99))
def test_a_threshold_means_the_same_place_of_the_field(positive, threshold):
    """A point is called positive exactly where the field lies on that side of the level."""
    level = TWO.on_field(positive, threshold)
    assert level.column is None
    above = TWO.values > level.level
    called = TWO.of(positive) > threshold
    clear = np.abs(TWO.values - level.level) > 1e-9
    assert np.array_equal((above if positive == 1 else ~above)[clear], called[clear])


def test_with_several_classes_the_level_is_of_one_column():
    assert THREE.on_field(2, 0.3) == Threshold(0.3, 2)


def test_a_confusion_by_hand():
    confusion = confusion_at(TWO, 1, 0.55)
    assert confusion.names == ("spam", "ham")
    assert confusion.matrix.tolist() == [[1, 1], [1, 2]]
    assert confusion.counts == Counts(tp=1, fp=1, fn=1, tn=2) == counts_at(TWO.of(1), TWO.truth == 1, 0.55)
    assert confusion.members(0, 0).tolist() == [10]
    assert confusion.members(0, 1).tolist() == [11]
    assert confusion.members(1, 0).tolist() == [12]
    assert confusion.members(1, 1).tolist() == [13, 14]
    assert confusion.cell_of(12) == (1, 0)
    assert confusion.cell_of(0) is None
    assert dict(confusion.rates)["TPR"] == 0.5
    assert dict(confusion.rates)["precision"] == 0.5


def test_the_confusion_of_all_classes_takes_the_answers():
    confusion = confusion_of_all(THREE)
    assert confusion.matrix.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert dict(confusion.rates)["accuracy"] == pytest.approx(2 / 3)
    assert confusion_at(THREE, 0, 0.5).names == ("a", "other")


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_a_threshold_between_two_corners_gives_the_corner(values):
    scores = np.round(np.array(values), 2)
    positive = np.arange(len(scores)) % 2 == 0
    curve = roc(scores, positive)
    picks = between(curve.thresholds, -0.05, 1.05)
    for fpr, tpr, threshold in zip(curve.fpr, curve.tpr, picks):
        cells = counts_at(scores, positive, float(threshold))
        assert (cells.fpr, cells.tpr) == (fpr, tpr)


def test_a_span_holds_every_score_and_zero():
    signed = Scores("training", np.array([2.0, 3.0]), np.ones(2, int), np.ones(2, int), np.arange(2), ("a", "b"), False)
    low, high = signed.span(1)
    assert low < 0.0 < 3.0 < high
    assert TWO.span(1) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("source", "step", "ended", "words"),
    [
        ("training", 7, 0, "step 7"),
        ("validation", 7, 0, "step 7 of a run without these 5 points"),
        ("validation", 7, 1, "step 7 of a run without these 5 points (it ended before)"),
        ("validation", None, 0, "end of a run without these 5 points"),
        ("cross-validation", 7, 0, "step 7 of each run without a fold"),
        ("cross-validation", 7, 2, "step 7 of each run without a fold (2 ended before)"),
        ("cross-validation", None, 0, "end of each run without a fold"),
    ],
)
def test_the_scores_say_which_models_gave_them(source, step, ended, words):
    assert dataclasses.replace(TWO, source=source, step=step, ended=ended).origin == words


def test_false_rates_and_micro_averages_are_named():
    """One of two positives found, one of two negatives taken for one: FPR = FNR = 1/2, and TPR + FNR = 1."""
    two = Scores(
        "training",
        np.array([0.9, 0.2, 0.8, 0.1]),
        *np.array([[1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 2, 3]]),
        ("a", "b"),
        True,
    )
    rates = dict(confusion_at(two, 1, 0.5).rates)
    assert rates["FPR"] == rates["FNR"] == 0.5
    assert rates["TPR"] + rates["FNR"] == 1.0
    three = Scores("training", np.eye(3), *np.array([[0, 1, 1], [0, 1, 2], [0, 1, 2]]), ("a", "b", "c"), True)
    rates = dict(confusion_of_all(three).rates)
    assert rates["micro F"] == pytest.approx(rates["accuracy"])
    assert rates["micro FPR"] == pytest.approx(1 / 6)
