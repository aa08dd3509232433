"""A run of one's own under the pictures of a method, and the questions about a run."""

import numpy as np
import pytest

from algorithms import DataError, fit, show
from algorithms.foreign import steps_of

X = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [10.0, 0.0]])


def own_k_means(X, centres):
    """Lloyd's algorithm as a student writes it."""
    yield centres
    for _ in range(3):
        labels = np.square(X[:, None] - centres[None]).sum(axis=2).argmin(axis=1)
        yield centres, labels
        centres = np.array([X[labels == k].mean(axis=0) for k in range(len(centres))])
        yield centres, labels


def test_a_run_of_ones_own_has_our_pictures_numbers_and_words():
    frames = list(show("k_means", own_k_means(X, X[:2]), X, {"k": 2}))
    ours = fit("k_means", X, k=2, init="by hand", centres=((0.0, 0.0), (1.0, 0.0)))
    assert [frame.phase for frame in frames[:3]] == ["seed", "assign", "update"]
    assert frames[-1].metrics["J"] == pytest.approx(ours.metrics["J"][-1]) == pytest.approx(1.0)
    assert frames[1].metrics["changed"] == 4
    assert frames[2].caption.startswith("Centres move to the mean of their points, by at most ")
    assert frames[2].views["plane"]


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (np.zeros((2, 3)), r"Step 1 has to give centres \(k, 2\) and labels \(4,\); it gave the shape \(2, 3\)\."),
        ((np.zeros((2, 2)), [0, 1]), r"Step 1 .*; it gave the shape \(2, 2\) and \(2,\)\."),
        ((X[:2], [0, 1, 2, 0]), r"Step 1 gives the label 2, but there are only 2 centres\."),
        ("no numbers", r"Step 1 has to give centres .*, numbers: "),
        ((X[:2] * np.nan, [0, 1, 0, 0]), r"Step 1 gives numbers that are not finite\."),
    ],
)
def test_a_wrong_shape_is_a_sentence_with_the_step(step, sentence):
    with pytest.raises(DataError, match=sentence):
        list(show("k_means", [X[:2], step], X, {"k": 2}))


def test_a_free_length_is_the_same_wherever_it_is_named():
    assert [w.shape for w, _ in steps_of([(np.zeros(3), np.zeros(3))], {"w": ("k",), "b": ("k",)})] == [(3,)]
    with pytest.raises(DataError, match=r"Step 0 has to give w \(k,\) and b \(k,\)"):
        list(steps_of([(np.zeros(3), np.zeros(2))], {"w": ("k",), "b": ("k",)}))


def test_a_method_that_understands_no_other_run_says_so():
    with pytest.raises(DataError, match="cannot show a run of your own"):
        list(show("naive_bayes", [1], X))
    with pytest.raises(DataError, match="nothing to work on yet"):
        list(show("k_means", [X], np.empty((0, 2))))


def test_the_questions_of_a_run_have_its_answers():
    fitted = fit("k_means", X, k=2, seed=1)
    asked = list(fitted.questions())
    losses = [item for item in asked if item.text == "How large is J when the centres have moved?"]
    assert losses
    assert [item.answer for item in losses] == [fitted.metrics["J"][item.step + 1] for item in losses]
