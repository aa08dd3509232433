"""Scores on training, held-out and cross-validated points, and the thread that computes them."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from algorithms import find, fit
from algorithms.contract import Algorithm, Line, Metric, Panel, Snapshot
from algorithms.dataset import Points
from algorithms.marks import Regions
from mlviz.data.generators import generate
from mlviz.worker.evaluation import (
    Abandoned,
    EvaluationRequest,
    Evaluator,
    can_evaluate,
    evaluate,
    folds,
    held_out,
    scale_of,
)

LOGISTIC = find("logistic_regression")
DATA = generate("blobs", n=90, centres=2, noise=4.0, seed=2)


def request(source, data=DATA, algorithm=LOGISTIC, key=None, probability=None, **params):
    model = None if source != "training" else fit(algorithm.key, data, **params).model
    made = algorithm.make_params(params)
    return EvaluationRequest(algorithm, data, made, 0, model, source, probability, key)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(2, 6), st.integers(0, 3), st.integers(0, 99))
def test_folds_cover_every_point_once_in_even_sizes(n, count, extra, seed):
    y = np.arange(n) % (extra + 1)
    parts = folds(y, count, np.random.default_rng(seed))
    together = np.concatenate(parts)
    assert np.array_equal(np.sort(together), np.arange(n))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    for group in np.unique(y):
        shares = [int((y[part] == group).sum()) for part in parts]
        assert max(shares) - min(shares) <= 1


def test_held_out_takes_a_share_of_every_class_and_never_all_of_one():
    y = np.array([0] * 20 + [1] * 10 + [2])
    points = held_out(y, 0.3, np.random.default_rng(0))
    assert np.bincount(y[points], minlength=3).tolist() == [6, 3, 0]
    assert len(np.unique(points)) == len(points)


def test_training_scores_are_the_field_of_the_model():
    asked = request("training")
    scores = evaluate(asked).scores
    assert np.array_equal(scores.values, LOGISTIC.field(asked.model, DATA.X))
    assert np.array_equal(scores.answers, LOGISTIC.predict(asked.model, DATA.X))
    assert np.array_equal(scores.truth, DATA.y)
    assert np.array_equal(scores.points, np.arange(90))
    assert scores.probability


def test_cross_validated_scores_come_from_models_that_have_not_seen_the_point():
    scores = evaluate(request("cross-validation", tol=1e-10)).scores
    assert np.array_equal(scores.points, np.arange(90))
    parts = folds(DATA.y, 5, np.random.default_rng([0, 14]))
    for part in parts:
        train = np.setdiff1d(np.arange(90), part)
        oracle = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(DATA.X[train], DATA.y[train])
        assert np.allclose(scores.values[part], oracle.predict_proba(DATA.X[part])[:, 1], atol=1e-3)


def test_validation_scores_only_the_held_out_points():
    words = []
    scores = evaluate(request("validation"), progress=words.append).scores
    assert 20 <= len(scores.points) <= 34
    assert np.array_equal(scores.truth, DATA.y[scores.points])
    train = np.setdiff1d(np.arange(90), scores.points)
    oracle = fit("logistic_regression", Points(DATA.X[train], DATA.y[train], classes=DATA.classes))
    assert np.allclose(scores.values, oracle.field(DATA.X[scores.points]))
    assert words == ["training without them"]


def test_several_classes_and_decision_values():
    data = generate("blobs", n=60, centres=3, noise=2.0, seed=1)
    soft = evaluate(request("training", data)).scores
    assert soft.values.shape == (60, 3)
    assert soft.probability
    hard = evaluate(request("training", data, find("kernel_svm"))).scores
    assert hard.values.shape == (60, 3)
    assert not hard.probability


def test_data_that_a_fold_cannot_use_are_refused_with_a_sentence():
    data = Points(np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1], classes=("a", "b"))
    found = evaluate(request("cross-validation", data))
    assert found.scores is None
    assert "at least two classes" in found.refusal


def test_an_unexpected_failure_is_handed_over():
    broken = EvaluationRequest(LOGISTIC, DATA, LOGISTIC.params(), 0, model="nonsense", source="training")
    assert isinstance(evaluate(broken).error, AttributeError)


@pytest.mark.parametrize(
    ("key", "data", "able"),
    [
        ("logistic_regression", DATA, True),
        ("kernel_svm", DATA, True),
        ("decision_tree", DATA, True),
        ("mlp", DATA, True),
        ("k_means", DATA, False),
        ("linear_regression", DATA, False),
        ("gradient_descent", DATA, False),
        ("logistic_regression", Points(DATA.X), False),
        ("mlp", Points(DATA.X, DATA.X[:, 0]), False),
        ("logistic_regression", Points(DATA.X, np.zeros(90, int), classes=("a", "b")), False),
    ],
)
def test_which_runs_can_be_evaluated(key, data, able):
    assert can_evaluate(find(key), data) is able


def test_a_shaded_value_is_no_classifier_and_the_shading_tells_the_scale():
    assert not can_evaluate(find("mlp"), DATA, (Regions("value"),))
    assert scale_of((Regions("probability"),)) is True
    assert scale_of((Regions("signed"),)) is False
    assert scale_of((Regions("classes"),)) is None


# --- the thread -------------------------------------------------------------------------------------------------------


class Slow:
    """A classifier whose runs never end by themselves."""

    def __init__(self):
        self.started = threading.Event()
        self.closed = 0

    def run(self, data, params, rng, start=None):
        try:
            while True:
                yield Snapshot(LOGISTIC_MODEL, {"plane": ()}, {"J": 0.0}, "step", "On and on.")
                self.started.set()
                time.sleep(0.001)
        finally:
            self.closed += 1

    def algorithm(self):
        return Algorithm(
            "slow",
            "Slow",
            "classification",
            "Never ends.",
            LOGISTIC.params,
            self.run,
            (Panel("plane", "Plane", "plane"),),
            (Metric("J", "J"),),
            (Line("on", "step"),),
            "none",
            target="classes",
            predict=LOGISTIC.predict,
            field=LOGISTIC.field,
        )


LOGISTIC_MODEL = fit("logistic_regression", DATA).model


def wait_for(evaluator):
    deadline = time.monotonic() + 20.0
    while time.monotonic() < deadline:
        found = evaluator.poll()
        if found is not None:
            return found
        time.sleep(0.005)
    raise AssertionError("no answer came")


def test_giving_up_ends_a_run_at_its_next_step():
    slow = Slow()
    asked = EvaluationRequest(slow.algorithm(), DATA, LOGISTIC.params(), 0, None, "validation")
    with pytest.raises(Abandoned):
        evaluate(asked, give_up=slow.started.is_set)
    assert slow.closed == 1


def test_a_newer_request_replaces_one_that_is_running():
    slow, evaluator = Slow(), Evaluator()
    evaluator.ask(EvaluationRequest(slow.algorithm(), DATA, LOGISTIC.params(), 0, None, "cross-validation", key="old"))
    assert slow.started.wait(20.0)
    assert evaluator.progress == "training fold 1 of 5"
    evaluator.ask(request("training", key="new"))
    assert wait_for(evaluator).request.key == "new"
    assert slow.closed == 1
    assert evaluator.poll() is None
    assert evaluator.close(20.0)


def test_a_dropped_request_gives_no_answer_and_closing_ends_the_thread():
    slow, evaluator = Slow(), Evaluator()
    evaluator.ask(EvaluationRequest(slow.algorithm(), DATA, LOGISTIC.params(), 0, None, "validation"))
    assert slow.started.wait(20.0)
    evaluator.drop()
    evaluator.ask(request("training", key="next"))
    assert wait_for(evaluator).request.key == "next"
    assert evaluator.close(20.0)
    evaluator.ask(request("training"))
    assert evaluator.poll() is None
    assert Evaluator().close()


def test_refusal_reaches_the_caller_through_the_thread():
    evaluator = Evaluator()
    data = Points(np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1], classes=("a", "b"))
    evaluator.ask(request("cross-validation", data))
    assert wait_for(evaluator).refusal.endswith(".")
    assert evaluator.close(20.0)
