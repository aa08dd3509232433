"""Gradient boosting: rounds by hand for every loss, scikit-learn as oracle, and what must always hold."""

import math

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from algorithms import DataError, Item, Points, fit
from algorithms._checks import cases
from algorithms.contract import Case, Stop
from algorithms.ensembles.gradient_boosting import ALGORITHM, WATCHED, field, predict
from algorithms.ensembles.gradient_boosting.solver import lower_median, probabilities
from algorithms.marks import Bars, Curve, Highlight, Isolines, PointSizes, Rectangles, Regions, Segments, TreeDiagram
from tests.algorithms.played import marks

WHOLE = {"validation": 0.0, "rate": 1.0}


def frames_of(data, seed=0, **params):
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params), seed=seed)


def curved(n=101, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)


def in_classes(y, c):
    return np.digitize(y, np.quantile(y, np.arange(1, c) / c))


# --- by hand --------------------------------------------------------------------------------------------------------


def test_two_stumps_by_hand():
    """y = 0 0 6 6 10: the mean 4.4; the first stump splits 2 | 3, steps -4.4 and 2.93; the next one takes the 10."""
    X, y = np.arange(5.0)[:, None], np.array([0.0, 0.0, 6.0, 6.0, 10.0])
    one = fit("gradient_boosting", X, y, rounds=1, depth=1, **WHOLE)
    assert one.model.start.tolist() == pytest.approx([4.4])
    assert one.predict(X) == pytest.approx([0, 0, 22 / 3, 22 / 3, 22 / 3])
    two = fit("gradient_boosting", X, y, rounds=2, depth=1, **WHOLE)
    # residuals 0 0 -4/3 -4/3 8/3: cut before the last one, the others have the mean -2/3
    assert two.predict(X) == pytest.approx([-2 / 3, -2 / 3, 20 / 3, 20 / 3, 10])
    half = fit("gradient_boosting", X, y, rounds=1, depth=1, validation=0.0, rate=0.5)
    assert half.predict(X) == pytest.approx([2.2, 2.2, 4.4 + 22 / 15, 4.4 + 22 / 15, 4.4 + 22 / 15])


def test_the_absolute_loss_takes_medians():
    """y = 1 2 30 over 0, then 5 6 70 over 1: residuals are signs, leaves step to their own median."""
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [1.0]])
    y = np.array([1.0, 2.0, 30.0, 5.0, 6.0, 7.0, 70.0])
    fitted = fit("gradient_boosting", X, y, rounds=1, depth=1, loss="absolute", **WHOLE)
    assert fitted.model.start.tolist() == [6.0]
    assert fitted.predict(np.array([[0.0], [1.0]])).tolist() == [2.0, 6.0]
    assert [lower_median(np.array(v)) for v in ([3.0, 1.0, 2.0], [4.0, 1.0, 3.0, 2.0])] == [2.0, 2.0]


def test_huber_by_hand():
    """One leaf on each side; of 0 1 2 3 100 the lower median is 2, and 100 counts as far as δ only."""
    X = np.r_[np.zeros(5), np.ones(5)][:, None]
    y = np.array([0.0, 1, 2, 3, 100, 10, 11, 12, 13, 14])
    fitted = fit("gradient_boosting", X, y, rounds=1, depth=1, loss="huber", **WHOLE)
    start = np.median(y)
    delta = np.sort(np.abs(y - start))[8]  # the ninth of ten
    left = y[:5] - start
    step = -8.5 + np.clip(left + 8.5, -delta, delta).mean()
    assert start + step == pytest.approx(float(fitted.predict(np.zeros((1, 1)))[0]))


def test_a_logistic_round_by_hand():
    """Three of four are of the second class on the right, none on the left: p = 3/8, γ = Σ r / Σ p (1 - p)."""
    X = np.r_[np.zeros(4), np.ones(4)][:, None]
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    model = fit("gradient_boosting", X, y, rounds=1, depth=1, **WHOLE).model
    assert model.start == pytest.approx([math.log(3 / 5)])
    p = 3 / 8
    left, right = -4 * p / (4 * p * (1 - p)), (3 * (1 - p) - p) / (4 * p * (1 - p))
    assert model.total(np.array([[0.0], [1.0]]))[:, 0] == pytest.approx(model.start[0] + np.array([left, right]))
    assert field(model, np.array([[1.0]])) == pytest.approx(1 / (1 + math.exp(-(model.start[0] + right))))


def test_one_round_of_whole_steps_is_a_regression_tree():
    X, y = curved()
    fitted = fit("gradient_boosting", X, y, rounds=1, depth=4, **WHOLE)
    assert fitted.predict(X) == pytest.approx(fit("decision_tree", X, y, depth=4).predict(X))
    assert fitted.predict(X) == pytest.approx(DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y).predict(X))


# --- scikit-learn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "name", "rounds"),
    [("squared", "squared_error", 25), ("absolute", "absolute_error", 8), ("huber", "huber", 5)],
)
def test_values_like_scikit_learn(loss, name, rounds):
    X, y = curved(150)
    ours = fit("gradient_boosting", X, y, rounds=rounds, rate=0.1, depth=3, loss=loss, validation=0.0)
    theirs = GradientBoostingRegressor(loss=name, n_estimators=rounds, learning_rate=0.1, max_depth=3, random_state=0)
    assert ours.predict(X) == pytest.approx(theirs.fit(X, y).predict(X), abs=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_like_scikit_learn(classes):
    X, y = curved(150)
    y = in_classes(y, classes)
    ours = fit("gradient_boosting", X, y, rounds=15, rate=0.1, depth=3, validation=0.0)
    theirs = GradientBoostingClassifier(n_estimators=15, learning_rate=0.1, max_depth=3, random_state=0).fit(X, y)
    chance = theirs.predict_proba(X)
    assert field(ours.model, X) == pytest.approx(chance[:, 1] if classes == 2 else chance, abs=1e-9)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_the_test_error_is_that_of_scikit_learn_within_noise():
    X, y = curved(300, seed=1)
    fresh, truth = curved(1000, seed=2)
    ours = fit("gradient_boosting", X, y, rounds=60, rate=0.1, depth=3, subsample=0.5, validation=0.0)
    theirs = GradientBoostingRegressor(n_estimators=60, learning_rate=0.1, max_depth=3, subsample=0.5, random_state=0)
    errors = [np.square(fitted.predict(fresh) - truth).mean() for fitted in (ours, theirs.fit(X, y))]
    assert errors[0] == pytest.approx(errors[1], rel=0.15)


@pytest.mark.parametrize("labelled", [False, True])
def test_the_script_names_scikit_learn(labelled):
    X, y = curved(40)
    data = Points(X, in_classes(y, 2) if labelled else y)
    params = ALGORITHM.make_params({"rounds": 7, "validation": 0.0})
    written = ALGORITHM.counterpart(params, Case(data, 3, lambda: None))
    names = {}
    exec(written.imports, names)
    theirs = eval(written.make, names).fit(data.X, data.y)
    ours = fit("gradient_boosting", data, rounds=7, validation=0.0)
    assert eval(written.difference, {"np": np, "theirs": theirs, "ours": ours, "X": X, "y": data.y}) < 1e-9
    assert ALGORITHM.counterpart(ALGORITHM.make_params({}), Case(data, 3, lambda: None)) is None


# --- identities -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_no_step_raises_the_training_loss(loss):
    X, y = curved(80)
    metrics = fit("gradient_boosting", X, y, rounds=30, loss=loss, validation=0.0).metrics["loss"]
    assert (np.diff(metrics) <= 1e-12).all()


def test_the_model_says_what_the_frames_measured():
    X, y = curved(80)
    data = Points(X, y)
    frames, stop = frames_of(data, rounds=25, rate=0.3)
    assert stop is Stop.COMPLETE
    for frame in frames[:: len(frames) // 5]:
        held = marks(frame, "plane", Highlight)[0].points
        inside = np.setdiff1d(np.arange(80), held)
        assert np.square(y - predict(frame.model, X))[inside].mean() == pytest.approx(frame.metrics["loss"])
        assert np.square(y - predict(frame.model, X))[held].mean() == pytest.approx(frame.metrics["validation_loss"])


def test_classes_ignore_the_loss_of_values_and_values_the_logistic_one():
    X, y = curved(60)
    classes = in_classes(y, 2)
    one, two = (fit("gradient_boosting", X, classes, rounds=4, loss=loss).model for loss in ("huber", "logistic"))
    assert np.array_equal(one.total(X), two.total(X))
    one, two = (fit("gradient_boosting", X, y, rounds=4, loss=loss).model for loss in ("squared", "logistic"))
    assert np.array_equal(one.total(X), two.total(X))


def test_probabilities_sum_to_one_and_never_overflow():
    F = np.array([[0.0, 0.0, 0.0], [1000.0, -1000.0, 0.0]])
    assert probabilities(F) == pytest.approx(np.array([[1 / 3] * 3, [1, 0, 0]]))
    assert probabilities(np.array([[-2000.0], [0.0], [2000.0]]))[:, 0].tolist() == [0.0, 0.5, 1.0]


def test_a_forest_that_grows_tree_by_tree_keeps_few_tables():
    X, y = curved(40)
    trees = fit("gradient_boosting", X, y, rounds=37, depth=2).model.trees
    assert len(trees) == 37
    assert [len(grove) for grove in trees.groves] == [32, 4, 1]
    one_by_one = sum(tree.value[tree.leaf_of(X), 0] for tree in trees)
    assert trees.total(X)[:, 0] == pytest.approx(one_by_one)


# --- frames ---------------------------------------------------------------------------------------------------------


def test_frames_over_one_feature():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, size=50))
    data = Points(x[:, None], np.sin(x) + 0.1 * rng.normal(size=50))
    frames, _ = frames_of(data, rounds=WATCHED + 4)
    phases = [frame.phase for frame in frames]
    assert phases[:4] == ["start", "residuals", "tree", "add"]
    assert phases[-5:] == ["add"] * 4 + ["done"]
    for frame in frames[3::17]:
        curve = marks(frame, "plane", Curve)[0]
        inside = np.searchsorted(curve.x, x, "right") - 1
        assert curve.y[inside] == pytest.approx(predict(frame.model, data.X))
        pieces = marks(frame, "plane", Segments)[0]
        assert pieces.end[:, 1] == pytest.approx(predict(frame.model, data.X)[pieces.points])
        assert pieces.start[:, 1] == pytest.approx(data.y[pieces.points])
    tree = frames[2]
    assert marks(tree, "residuals", Curve)
    assert marks(tree, "tree", TreeDiagram)[0].counts[0] == 40
    assert not marks(frames[-1], "axes", Bars)


def test_frames_of_classes():
    X, y = curved(60, d=2)
    frames, _ = frames_of(Points(X, in_classes(y, 3)), rounds=3, validation=0.0)
    last = frames[-2]
    for kind in (Regions, Isolines, PointSizes, Rectangles):
        assert marks(last, "plane", kind)
    assert len(last.model.trees) == 9
    assert marks(last, "axes", Bars)[0].values.sum() == pytest.approx(1.0)
    assert "3 trees, one for each class" in frames[2].caption


def test_the_best_round_is_said():
    X, y = curved(60)
    frames, _ = frames_of(Points(X, y), rounds=40, rate=1.0, depth=5)
    curve = marks(frames[-1], "loss", Curve)[1]
    best = int(curve.y.argmin())
    assert best < 40
    assert f"least after {best} round" in frames[-1].caption


def test_a_subsample_is_drawn_anew_for_every_tree():
    X, y = curved(60)
    frames, _ = frames_of(Points(X, y), rounds=3, subsample=0.5, validation=0.0)
    trees = [frame for frame in frames if frame.phase == "tree"]
    assert all("of 30 points" in frame.caption for frame in trees)
    counts = [marks(frame, "tree", TreeDiagram)[0].counts[0] for frame in trees]
    assert counts == [30, 30, 30]


def test_points_are_explained():
    X, y = curved(60)
    data = Points(X, y)
    model = fit("gradient_boosting", data, rounds=5).model
    answer = ALGORITHM.explain(model, data, data.item(3))
    assert answer["constant"] + answer["sum of the trees"] == pytest.approx(answer["prediction"])
    assert answer["residual"] == pytest.approx(y[3] - predict(model, X[3:4])[0])
    data = Points(X, in_classes(y, 2))
    model = fit("gradient_boosting", data, rounds=5).model
    answer = ALGORITHM.explain(model, data, Item(x=X[0]))
    assert answer["probability of 0"] + answer["probability of 1"] == pytest.approx(1.0)


def test_data_without_a_target_and_of_one_class_are_refused():
    with pytest.raises(DataError, match="a class or a value"):
        frames_of(Points(np.ones((3, 2))))
    with pytest.raises(DataError, match="two classes"):
        frames_of(Points(np.arange(4.0)[:, None], np.zeros(4, dtype=int)))


def test_equal_targets_have_nothing_left_over():
    frames, _ = frames_of(Points(np.arange(6.0)[:, None], np.full(6, 3.0)), rounds=2)
    assert frames[-1].metrics["loss"] == 0.0
    assert "the same target" in frames[-1].warning


def test_a_loss_that_is_not_known_is_not_recorded_and_no_loss_falls_to_itself():
    data = Points(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0, 1.0]))
    frames, _ = cases.play(ALGORITHM, data, ALGORITHM.make_params({"rate": 1.0, "rounds": 3, "validation": 0.0}))
    assert all(np.isnan(frame.metrics["validation_loss"]) for frame in frames)
    added = [frame.caption for frame in frames if frame.phase == "add"]
    assert added[0] == "1 tree: the whole step is added; the training loss falls from 0.25 to 0."
    assert added[1] == "2 trees: the whole step is added; the training loss stays at 0."
