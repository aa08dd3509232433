"""Scores on training, held-out and cross-validated points, and the thread that computes them."""

import dataclasses
import functools
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from algorithms import all_algorithms, find, fit
from algorithms.contract import Algorithm, Line, Metric, Panel, Stop
from algorithms.data import Points
from algorithms.interrupt import Interrupted, checkpoint, interruptible
from algorithms.maths.validation import held_out_part, parts_of, stratified_parts
from algorithms.method_choice import methods_for
from mlviz.data.generators import generate
from mlviz.session.document import Document
from mlviz.session.layout import EvaluationSettings
from mlviz.session.value_scoring import ValueScores
from mlviz.worker.evaluation import (
    Abandoned,
    EvaluationRequest,
    Evaluator,
    FoldRuns,
    can_evaluate,
    evaluate,
    held_out_points,
    predicts_values,
)
from mlviz.worker.fold_runs import FoldRun
from tests.telling import AS_SHOWN, told

LOGISTIC = find("logistic_regression")
DATA = generate("blobs", n=90, centres=2, noise=4.0, seed=2)


def request(source, data=DATA, algorithm=LOGISTIC, key=None, **params):
    model = None if source != "training" else fit(algorithm.key, data, **params).model
    made = algorithm.make_params(params)
    return EvaluationRequest(algorithm, data, made, 0, model, source, key)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(2, 6), st.integers(0, 3), st.integers(0, 99))
def test_folds_cover_every_point_once_in_even_sizes(n, count, extra, seed):
    y = np.arange(n) % (extra + 1)
    parts = stratified_parts(y, count, np.random.default_rng(seed))
    together = np.concatenate(parts)
    assert np.array_equal(np.sort(together), np.arange(n))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    for group in np.unique(y):
        fractions = [int((y[part] == group).sum()) for part in parts]
        assert max(fractions) - min(fractions) <= 1


def test_held_out_takes_a_share_of_every_class_and_never_all_of_one():
    y = np.array([0] * 20 + [1] * 10 + [2])
    points = held_out_part(y, 0.3, np.random.default_rng(0))
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
    parts = stratified_parts(DATA.y, 5, np.random.default_rng([0, 14]))
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
    assert words[0] == "training without them: step 0"
    assert words == [f"training without them: step {step}" for step in range(oracle.steps + 1)]


def test_folds_and_the_part_held_out_can_be_chosen():
    asked = request("validation")
    assert len(evaluate(dataclasses.replace(asked, held_out=0.5)).scores.points) > len(evaluate(asked).scores.points)
    runs = FoldRuns()
    crossed = dataclasses.replace(request("cross-validation"), folds=3)
    evaluate(crossed, runs=runs)
    assert len(runs.of(crossed)) == 3
    evaluate(dataclasses.replace(crossed, folds=4), runs=runs)
    assert len(runs.of(dataclasses.replace(crossed, folds=4))) == 4
    runs.close()


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
        ("mlp", Points(DATA.X, DATA.X[:, 0]), True),
        ("logistic_regression", Points(DATA.X, np.zeros(90, int), classes=("a", "b")), False),
    ],
)
def test_which_runs_can_be_evaluated(key, data, able):
    assert can_evaluate(find(key), data) is able


def test_what_the_field_means_says_the_method_not_its_picture():
    assert not can_evaluate(dataclasses.replace(find("mlp"), scores="value"), DATA)
    valued = Points(DATA.X, DATA.X[:, 0])
    assert [find(key).scores_on(DATA) for key in ("mlp", "kernel_svm", "gaussian_mixture", "k_means")] == [
        "probability",
        "decision",
        "density",
        "",
    ]
    assert find("mlp").scores_on(valued) == "value"


# --- the scale of the features ----------------------------------------------------------------------------------------

UNEVEN = Points(DATA.X * (1.0, 50.0) + (3.0, -7.0), DATA.y, classes=DATA.classes)


def scaled_request(source, data=UNEVEN, scale="standardised"):
    document = Document(data, "logistic_regression", {"lam": 5.0, "tol": 1e-10}).with_scale(scale)
    run = (LOGISTIC, document.data, document.make_params(), 0)
    return EvaluationRequest(*run, None, source)


@pytest.mark.parametrize(("scale", "scaler"), [("standardised", StandardScaler), ("0 to 1", MinMaxScaler)])
def test_every_fold_sets_its_own_scale(scale, scaler):
    """The same as a pipeline of scikit-learn, which fits its scale to the training points of each fold."""
    scores = evaluate(scaled_request("cross-validation", scale=scale)).scores
    for part in stratified_parts(UNEVEN.y, 5, np.random.default_rng([0, 14])):
        train = np.setdiff1d(np.arange(90), part)
        oracle = make_pipeline(scaler(), LogisticRegression(C=1 / 5.0, tol=1e-10, max_iter=5000))
        oracle.fit(UNEVEN.X[train], UNEVEN.y[train])
        assert scores.values[part] == pytest.approx(oracle.predict_proba(UNEVEN.X[part])[:, 1], abs=1e-5)


def test_a_held_out_point_changes_nothing_for_the_others():
    before = evaluate(scaled_request("validation")).scores
    moved = np.array(UNEVEN.X)
    moved[before.points[0]] += 1e4
    after = evaluate(scaled_request("validation", UNEVEN.with_rows(moved, UNEVEN.y))).scores
    assert np.array_equal(after.points, before.points)
    assert after.values[1:] == pytest.approx(before.values[1:], abs=1e-9)


# --- the step under the playhead --------------------------------------------------------------------------------------


def rest_of(part, data=DATA):
    points = np.setdiff1d(np.arange(data.n), part)
    return Points(data.X[points], data.y[points], classes=data.classes)


def models_of(data, **params):
    """Every model of a run, by the library alone."""
    return [snapshot.model for snapshot in LOGISTIC.start(data, LOGISTIC.make_params(params), 0)]


@pytest.mark.parametrize("step", [0, 1, 3, 100])
def test_cross_validated_scores_are_of_the_step_asked_for(step):
    scores = evaluate(dataclasses.replace(request("cross-validation"), step=step)).scores
    early = 0
    for part in stratified_parts(DATA.y, 5, np.random.default_rng([0, 14])):
        models = models_of(rest_of(part))
        early += len(models) <= step
        assert np.array_equal(scores.values[part], LOGISTIC.field(models[min(step, len(models) - 1)], DATA.X[part]))
    assert (scores.step, scores.ended) == (step, early)
    assert early == (5 if step == 100 else 0)


def test_at_step_0_the_coefficients_are_zero_and_nothing_is_known_yet():
    scores = evaluate(dataclasses.replace(request("validation"), step=0)).scores
    assert (scores.values == 0.5).all()


class Counted:
    """A method of ten steps that counts what is computed."""

    def __init__(self):
        self.computed = 0
        self.begun = 0

    def run(self):
        self.begun += 1
        for step in range(10):
            self.computed += 1
            yield told(np.full(1000, float(step)), {}, {"J": 0.0}, "step", "One of ten.")
        return Stop.COMPLETE


def test_a_run_goes_on_from_where_it_was_and_going_back_computes_nothing():
    counted = Counted()
    run = FoldRun(counted.run, np.arange(2))
    for step in (2, 6, 3, 0, 6):
        assert run.model_at(step)[0] == step
    assert (counted.begun, counted.computed) == (1, 7)
    assert run.model_at(None)[0] == 9
    assert run.model_at(50)[0] == 9
    assert run.ended
    assert (counted.begun, counted.computed) == (1, 10)


def test_models_that_had_no_room_are_computed_again():
    counted = Counted()
    run = FoldRun(counted.run, np.arange(2), budget=30_000)  # three of the ten models
    assert run.model_at(None)[0] == 9
    for step in (5, 7, 1, 8):
        assert run.model_at(step)[0] == step
    assert counted.begun > 1


def test_what_was_computed_before_giving_up_is_kept():
    counted = Counted()
    run = FoldRun(counted.run, np.arange(2))
    with pytest.raises(Abandoned):
        run.model_at(9, give_up=lambda: counted.computed == 4)
    assert run.model_at(3)[0] == 3
    assert counted.computed == 4


def test_the_runs_are_kept_from_step_to_step_and_dropped_with_other_parameters():
    runs = FoldRuns()
    words = []
    for step in (1, 2, 1, 0):
        evaluate(dataclasses.replace(request("cross-validation"), step=step), progress=words.append, runs=runs)
    assert len(words) == 5 * 3  # steps 0, 1 and 2 of five folds, each once
    other = dataclasses.replace(request("cross-validation", lam=1.0), step=2)
    assert not np.array_equal(
        evaluate(other, progress=words.append, runs=runs).scores.values,
        evaluate(dataclasses.replace(request("cross-validation"), step=2)).scores.values,
    )
    assert len(words) == 2 * 5 * 3
    runs.close()


# --- in the middle of a step ------------------------------------------------------------------------------------------


class Long:
    """A method whose second step does not end before it is let go or called off."""

    def __init__(self):
        self.computing, self.let_go = threading.Event(), threading.Event()
        self.begun = self.unwound = 0

    def run(self, data=None, params=None, rng=None, start=None):
        self.begun += 1
        try:
            for step in range(4):
                while step == 1 and not self.let_go.is_set():
                    self.computing.set()
                    checkpoint()
                yield told(LOGISTIC_MODEL, {}, {"J": float(step)}, "step", "One of four.")
        except Interrupted:
            self.unwound += 1
            raise
        return Stop.COMPLETE

    @functools.cached_property
    def algorithm(self):
        return dataclasses.replace(Slow().algorithm(), run=self.run)

    def request(self, source="validation", seed=0, step=3):
        return EvaluationRequest(self.algorithm, DATA, LOGISTIC.params(), seed, None, source, step=step)


def test_a_fold_is_given_up_in_the_middle_of_a_step_and_begins_again_when_asked():
    long = Long()
    run = FoldRun(long.run, np.arange(2))
    with pytest.raises(Abandoned):
        run.model_at(3, give_up=long.computing.is_set)
    assert (run.steps, long.begun, long.unwound) == (1, 1, 1)
    long.let_go.set()
    assert run.model_at(3) is LOGISTIC_MODEL
    assert (run.steps, long.begun, long.unwound) == (4, 2, 1)


def test_a_fold_that_is_only_to_wait_ends_its_step_and_goes_on_from_there():
    long = Long()
    run = FoldRun(long.run, np.arange(2))

    def pause():  # asked before the second step is begun, then by nobody until it has ended
        return long.let_go.is_set() and run.steps == 2

    releaser = threading.Thread(target=lambda: long.computing.wait(60) and long.let_go.set())
    releaser.start()
    with pytest.raises(Abandoned):
        run.model_at(3, pause=pause)
    releaser.join()
    assert (run.steps, long.unwound) == (2, 0)
    assert run.model_at(3) is LOGISTIC_MODEL
    assert (long.begun, long.unwound) == (1, 0)


def test_an_evaluation_asks_whoever_drives_its_thread():
    """An export evaluates in a task; when that is called off, so are its folds."""
    long = Long()
    with interruptible(long.computing.is_set), pytest.raises(Abandoned):
        evaluate(long.request())
    assert long.unwound == 1


def test_closing_ends_a_fold_in_the_middle_of_a_step():
    long, evaluator = Long(), Evaluator()
    evaluator.ask(long.request("cross-validation"))
    assert long.computing.wait(60)
    ended = evaluator.close(20)
    long.let_go.set()  # so that a thread that was not ended does not stay for ever
    assert (ended, long.unwound) == (True, 1)


def test_another_run_ends_a_fold_in_the_middle_of_a_step_and_the_same_run_does_not(wait_for):
    long, evaluator = Long(), Evaluator()
    evaluator.ask(long.request(step=3))
    assert long.computing.wait(60)
    evaluator.ask(long.request(step=0))
    long.let_go.set()
    assert wait_for(evaluator).request.step == 0
    assert (long.begun, long.unwound) == (1, 0)
    long.let_go.clear()
    long.computing.clear()
    evaluator.ask(long.request(seed=1))
    assert long.computing.wait(60)
    evaluator.ask(request("training", key="other"))
    assert wait_for(evaluator).request.key == "other"
    assert long.unwound == 1
    assert evaluator.close(20)


# --- the thread -------------------------------------------------------------------------------------------------------


class Slow:
    """A classifier whose runs never end by themselves."""

    def __init__(self):
        self.started = threading.Event()
        self.closed = 0

    def run(self, data, params, rng, start=None):
        try:
            while True:
                yield told(LOGISTIC_MODEL, {"plane": ()}, {"J": 0.0}, "step", "On and on.")
                self.started.set()
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
            (Panel("plane", "Plane", "data"),),
            (Metric("J", "J"),),
            (Line("on", "step"),),
            "none",
            **AS_SHOWN,
            target="classes",
            predict=LOGISTIC.predict,
            field=LOGISTIC.field,
        )


LOGISTIC_MODEL = fit("logistic_regression", DATA).model


@pytest.fixture
def wait_for(until):
    """``wait_for(evaluator)`` gives its answer."""

    def wait(evaluator):
        found = []
        until(lambda: found.append(evaluator.poll()) or found[-1] is not None, "an answer")
        return found[-1]

    return wait


def test_giving_up_ends_a_run_at_its_next_step():
    slow = Slow()
    asked = EvaluationRequest(slow.algorithm(), DATA, LOGISTIC.params(), 0, None, "validation")
    with pytest.raises(Abandoned):
        evaluate(asked, give_up=slow.started.is_set)
    assert slow.closed == 1


def test_a_newer_request_replaces_one_that_is_running(wait_for):
    slow, evaluator = Slow(), Evaluator()
    evaluator.ask(EvaluationRequest(slow.algorithm(), DATA, LOGISTIC.params(), 0, None, "cross-validation", key="old"))
    assert slow.started.wait(60)
    assert evaluator.progress.startswith("training fold 1 of 5: step ")
    evaluator.ask(request("training", key="new"))
    assert wait_for(evaluator).request.key == "new"
    assert slow.closed == 1  # nobody can ask it again
    assert evaluator.poll() is None
    assert evaluator.close(20.0)


def test_a_dropped_request_gives_no_answer_and_closing_ends_the_thread(wait_for):
    slow, evaluator = Slow(), Evaluator()
    evaluator.ask(EvaluationRequest(slow.algorithm(), DATA, LOGISTIC.params(), 0, None, "validation"))
    assert slow.started.wait(60)
    evaluator.drop()
    evaluator.ask(request("training", key="next"))
    assert wait_for(evaluator).request.key == "next"
    assert evaluator.close(20.0)
    evaluator.ask(request("training"))
    assert evaluator.poll() is None
    assert Evaluator().close()


def test_refusal_reaches_the_caller_through_the_thread(wait_for):
    evaluator = Evaluator()
    data = Points(np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1], classes=("a", "b"))
    evaluator.ask(request("cross-validation", data))
    assert wait_for(evaluator).refusal.endswith(".")
    assert evaluator.close(20.0)


# --- values ----------------------------------------------------------------------------------------------------------

SINE = generate("sine", n=60, noise=0.2, seed=1)
REGRESSIONS = [method for method in all_algorithms() if predicts_values(method, SINE) and method.family != "evaluation"]


def test_every_regression_method_of_the_gallery_is_evaluated():
    """Whatever predicts a value has scores; nothing that is asked for classes has, on values."""
    keys = {method.key for method in REGRESSIONS}
    assert {"linear_regression", "lasso", "kernel_ridge", "gaussian_process", "k_nearest", "random_forest"} <= keys
    able = {m.key for m in methods_for("regression") if m.scores_on(SINE) == "value"}
    assert keys == able
    assert not can_evaluate(LOGISTIC, SINE)
    assert not predicts_values(find("linear_regression"), DATA)


def test_training_answers_are_those_of_the_model():
    asked = request("training", SINE, find("linear_regression"), degree=3, sweep=False)
    scores = evaluate(asked).scores
    assert isinstance(scores, ValueScores)
    np.testing.assert_array_equal(scores.answers, asked.algorithm.predict(asked.model, SINE.X))
    np.testing.assert_array_equal(scores.truth, SINE.y)
    assert dict(scores.rates)["R²"] == pytest.approx(r2_score(SINE.y, scores.answers))
    assert scores.target == SINE.target


def test_cross_validated_values_are_those_of_scikit_learn():
    asked = dataclasses.replace(request("cross-validation", SINE, find("linear_regression"), sweep=False), folds=4)
    scores = evaluate(asked).scores
    parts = parts_of(SINE, 4, np.random.default_rng([0, 14]))
    wanted = np.empty(60)
    for part in parts:
        rest = np.setdiff1d(np.arange(60), part)
        wanted[part] = LinearRegression().fit(SINE.X[rest], SINE.y[rest]).predict(SINE.X[part])
    np.testing.assert_allclose(scores.answers, wanted, atol=1e-9)
    assert scores.points.tolist() == list(range(60))
    for fold in range(1, 5):
        held = held_out_points(SINE, 0, EvaluationSettings("cross-validation", folds=4, fold=fold))
        assert held.tolist() == parts[fold - 1].tolist()


def test_validation_of_values_holds_out_a_part():
    asked = dataclasses.replace(request("validation", SINE, find("linear_regression"), sweep=False), held_out=0.25)
    scores = evaluate(asked).scores
    assert len(scores.points) == 15
    held = held_out_points(SINE, 0, EvaluationSettings("validation", held_out=0.25))
    assert held.tolist() == scores.points.tolist()
    other = held_out_points(SINE, 1, EvaluationSettings("validation", held_out=0.25))
    assert held.tolist() != other.tolist()
