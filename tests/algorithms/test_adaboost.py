"""AdaBoost: rounds by hand, the golden cycle, brute-force stumps and scikit-learn as oracles, the identities."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from algorithms import DataError, Item, Points, fit
from algorithms._checks import cases
from algorithms.contract import Ended, Stop
from algorithms.ensembles.adaboost import ALGORITHM, field, predict
from algorithms.ensembles.adaboost.solver import REMEMBERED, Task, added, attempt, beginning, cycle_of, margins
from algorithms.marks import (
    Bars,
    Curve,
    Dots,
    Highlight,
    Isolines,
    Multiples,
    Paths,
    PointSizes,
    Rectangles,
    Regions,
    Scatter,
)
from tests.algorithms.played import marks

IN_A_ROW = Points(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0]))
XOR = Points(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0]))


def frames_of(data, seed=0, **params):
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params), seed=seed)


def cloud(n=60, d=2, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return Points(rng.normal(size=(n, d)) + 0.8 * y[:, None], y)


def task_of(data, base="stump", depth=1, rate=1.0):
    return Task.of(data.X, data.y, len(data.classes), base, depth, rate, np.ones(data.n, dtype=bool))


def states_of(task, rounds):
    state = beginning(task)
    for _ in range(rounds):
        found = attempt(task, state)
        before, state = state, added(task, state, found)
        yield before, found, state


def brute_force(X, y, weights, classes):
    """The least weighted error of any stump, its answers on both sides free; none is also a stump."""
    best = 1.0 - max(weights[y == k].sum() for k in range(classes))
    for column in X.T:
        for threshold in np.unique(column)[1:]:
            right = column >= threshold
            kept = sum(max(weights[side & (y == k)].sum() for k in range(classes)) for side in (right, ~right))
            best = min(best, 1.0 - kept)
    return best


class BruteStump(ClassifierMixin, BaseEstimator):
    """The same stump as an estimator for scikit-learn's AdaBoost; of equal ones that which halves the points best."""

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        found = []
        for j, column in enumerate(X.T):
            values = np.unique(column)
            for threshold in values[:-1] / 2 + values[1:] / 2:
                right = column >= threshold
                sums = [[sample_weight[side & (y == k)].sum() for k in self.classes_] for side in (~right, right)]
                error = sample_weight.sum() - sum(max(side) for side in sums)
                answers = (self.classes_[np.argmax(side)] for side in sums)
                found.append((error, -min(right.sum(), (~right).sum()), j, threshold, *answers))
        good = min(found)[0] + 1e-12
        best = min((stump for stump in found if stump[0] <= good), key=lambda stump: stump[1:4])
        _, _, self.feature_, self.threshold_, self.below_, self.above_ = best
        return self

    def predict(self, X):
        return np.where(X[:, self.feature_] >= self.threshold_, self.above_, self.below_)


# --- by hand --------------------------------------------------------------------------------------------------------


def test_two_rounds_by_hand():
    """+ + - + - - on a line: the first stump misses one point of six, α = log 5, and that point then weighs a half."""
    data = Points(np.arange(1.0, 7.0)[:, None], np.array([1, 1, 0, 1, 0, 0]))
    (_, first, one), (_, second, two) = states_of(task_of(data), 2)
    assert first.error == pytest.approx(1 / 6)
    assert first.alpha == pytest.approx(math.log(5))
    missed = int(np.flatnonzero(first.wrong)[0])
    assert missed in (2, 3)
    assert one.weights == pytest.approx(np.where(np.arange(6) == missed, 0.5, 0.1))
    assert second.error == pytest.approx(0.1)  # the mirrored stump misses the other one of the two in the middle
    assert second.alpha == pytest.approx(math.log(9))
    assert two.weights[np.flatnonzero(second.wrong)] == pytest.approx([0.5])


def test_the_cycle_of_three_points_has_the_golden_ratio():
    """Each of three stumps misses another point: errors (3 - √5)/4, weights ½, 0.309 and 0.191 that take turns."""
    model = fit("adaboost", IN_A_ROW, rounds=60).model
    golden = (math.sqrt(5) - 1) / 2
    cycle = [0.5, golden / 2, 0.5 - golden / 2]
    assert model.errors[-9:] == pytest.approx(np.full(9, (3 - math.sqrt(5)) / 4), abs=1e-9)
    assert cycle == pytest.approx([0.5, 0.309017, 0.190983], abs=1e-6)
    last = [state.weights for *_, state in states_of(task_of(IN_A_ROW), 60)][-6:]
    for weights in last:
        assert sorted(weights, reverse=True) == pytest.approx(cycle, abs=1e-9)
    for one, two in zip(last, last[3:]):
        assert one == pytest.approx(two, abs=1e-9)
    assert len({int(weights.argmax()) for weights in last[:3]}) == 3
    frames, _ = frames_of(IN_A_ROW, rounds=60)
    assert "the weights return every 3 rounds with the weighted errors 0.191" in frames[-1].caption


def test_integer_weights_are_duplicated_points():
    data = cloud(30, seed=3)
    times = np.random.default_rng(1).integers(1, 5, size=30)
    one = task_of(data).learner(times / times.sum()).tree(0)
    again = Points(np.repeat(data.X, times, axis=0), np.repeat(data.y, times))
    two = task_of(again).learner(np.full(again.n, 1 / again.n)).tree(0)
    assert (one.feature[0], one.threshold[0]) == (two.feature[0], two.threshold[0])
    assert one.value == pytest.approx(two.value)


def test_the_exclusive_or_ends_before_it_begins():
    frames, ended = frames_of(XOR)
    assert ended == Ended(Stop.CONVERGED, "no learner is better than guessing")
    assert len(frames[-1].model.alphas) == 0
    assert "Boosting cannot begin: the best learner is wrong on 0.5 of the weight" in frames[-1].caption
    assert fit("adaboost", XOR, base="tree", depth=2).model.errors.tolist() == [0.0]


def test_a_perfect_learner_decides_alone_and_ends_it():
    data = Points(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]))
    frames, ended = frames_of(data)
    assert ended == Ended(Stop.CONVERGED, "one learner gets everything right")
    assert frames[-1].model.alphas.tolist() == [1.0]
    assert "log((1 - 0)/0) is infinite, so it decides alone" in frames[-1].caption
    assert predict(frames[-1].model, data.X).tolist() == [0, 0, 1, 1]


def test_a_perfect_learner_outvotes_all_before_it():
    task = task_of(cloud(40, seed=5), "tree", 6)
    *_, (before, found, after) = states_of(task, 1)
    assert found.outcome == "perfect"
    assert after.alphas[-1] > before.alphas.sum()


# --- oracles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_weighted_errors_against_brute_force(classes):
    data = cloud(40, 3, classes, seed=classes)
    for before, found, _ in states_of(task_of(data), 12):
        assert found.error == pytest.approx(brute_force(data.X, data.y, before.weights, classes), abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_scikit_learn_round_by_round_over_the_same_stumps(classes):
    data = cloud(50, 2, classes, seed=7)
    ours = fit("adaboost", data, rounds=15).model
    theirs = AdaBoostClassifier(BruteStump(), n_estimators=15, learning_rate=1.0).fit(data.X, data.y)
    assert ours.errors == pytest.approx(theirs.estimator_errors_, abs=1e-9)
    assert ours.alphas == pytest.approx(theirs.estimator_weights_, abs=1e-8)
    assert np.array_equal(predict(ours, data.X), theirs.predict(data.X))


def _before_the_first_tie(ours, theirs):
    """Equally good stumps are broken differently, and later rounds build on that."""
    same = np.abs(ours.errors - theirs.estimator_errors_) < 1e-9
    return len(same) if same.all() else int(same.argmin())


@pytest.mark.parametrize(("depth", "rate"), [(1, 1.0), (2, 0.5)])
def test_scikit_learn_over_trees(depth, rate):
    data = cloud(80, seed=2)
    ours = fit("adaboost", data, rounds=20, base="tree", depth=depth, rate=rate)
    trees = DecisionTreeClassifier(max_depth=depth, random_state=0)
    theirs = AdaBoostClassifier(trees, n_estimators=20, learning_rate=rate, random_state=0).fit(data.X, data.y)
    rounds = _before_the_first_tie(ours.model, theirs)
    assert rounds >= 8
    assert ours.model.alphas[:rounds] == pytest.approx(theirs.estimator_weights_[:rounds], abs=1e-8)
    if rounds == 20:
        assert np.array_equal(ours.predict(data.X), theirs.predict(data.X))


def test_the_script_names_scikit_learn():
    written = ALGORITHM.counterpart(ALGORITHM.make_params({"base": "tree", "depth": 3, "rounds": 7}), None)
    names = {}
    exec(written.imports, names)
    assert eval(written.make, names).n_estimators == 7
    assert ALGORITHM.counterpart(ALGORITHM.make_params({"validation": 0.3}), None) is None


# --- identities -----------------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([(2, "stump"), (3, "stump"), (2, "tree"), (4, "tree")]))
def test_what_always_holds(seed, case):
    classes, base = case
    data = cloud(36, 2, classes, seed)
    product = 1.0
    for before, found, after in states_of(task_of(data, base, 2), 8):
        if found.outcome:
            break
        assert after.weights.sum() == pytest.approx(1.0)
        # under the new weights the learner is no better than chance
        assert after.weights @ found.wrong == pytest.approx(1.0 - 1.0 / classes)
        step = (1 - found.error) * math.exp(-found.alpha * (classes - 1) / classes)
        product *= step + found.error * math.exp(found.alpha / classes)
        error, loss, _ = after.track[-1]
        assert loss == pytest.approx(product)
        assert loss <= before.track[-1, 1] + 1e-12
        if classes == 2:
            assert error <= loss + 1e-12
            assert step + found.error * math.exp(found.alpha / 2) == pytest.approx(
                2 * math.sqrt(found.error * (1 - found.error))
            )


def test_the_loss_is_the_mean_of_exp_minus_y_F():
    data = cloud(50, seed=1)
    fitted = fit("adaboost", data, rounds=10)
    signs = 2.0 * data.y - 1.0
    assert np.exp(-signs * field(fitted.model, data.X)).mean() == pytest.approx(fitted.metrics["exponential"][-1])
    assert (predict(fitted.model, data.X) != data.y).mean() == pytest.approx(fitted.metrics["training"][-1])


def test_margins_are_y_F_over_half_the_votes():
    data = cloud(50, seed=1)
    *_, (_, _, state) = states_of(task_of(data), 10)
    found = margins(state.votes, data.y, state.alphas.sum())
    model = fit("adaboost", data, rounds=10).model
    assert found == pytest.approx((2.0 * data.y - 1.0) * field(model, data.X) / (0.5 * model.alphas.sum()))
    assert np.abs(found).max() <= 1.0 + 1e-12


def test_the_margins_go_on_growing_when_there_are_no_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    data = Points(X, (np.abs(X).sum(axis=1) > 1.2).astype(int))
    states = [state for *_, state in states_of(task_of(data), 120)]
    clean = next(k for k, state in enumerate(states) if state.track[-1, 0] == 0.0)
    least = [margins(state.votes, data.y, state.alphas.sum()).min() for state in states[clean::20]]
    assert least[-1] > least[0] > 0.0


def test_several_classes_vote():
    data = cloud(90, 2, 3, seed=4)
    fitted = fit("adaboost", data, rounds=10)
    votes = 2.0 * field(fitted.model, data.X)
    assert votes.shape == (90, 3)
    assert votes.sum(axis=1) == pytest.approx(np.full(90, fitted.model.alphas.sum()))
    assert np.array_equal(predict(fitted.model, data.X), votes.argmax(axis=1))


def test_a_rate_makes_all_votes_smaller():
    data = cloud(seed=6)
    full, half = (fit("adaboost", data, rounds=1, rate=rate).model for rate in (1.0, 0.5))
    assert half.alphas == pytest.approx(0.5 * full.alphas)


# --- frames ---------------------------------------------------------------------------------------------------------


def test_what_the_frames_show():
    data = cloud(40, seed=8)
    frames, stop = frames_of(data, rounds=14)
    assert stop is Stop.COMPLETE
    sweep = [frame for frame in frames if frame.phase == "sweep"]
    assert {marks(frame, "plane", Rectangles)[0].cut[0] for frame in sweep} == {0, 1}
    learn = [frame for frame in frames if frame.phase == "learn"]
    assert len(learn) == 14
    assert [frame.metrics["error"] for frame in learn] == pytest.approx(frames[-1].model.errors)
    for frame in learn:
        wrong = marks(frame, "plane", Highlight)[0].points
        assert frame.model.weights[wrong].sum() < 0.5
        assert np.array_equal(marks(frame, "plane", PointSizes)[0].weights, frame.model.weights)
    last = frames[-1]
    assert marks(last, "plane", Regions)
    assert marks(last, "plane", Isolines)
    training, loss = marks(last, "losses", Curve)
    assert len(training.x) == len(loss.x) == 15
    assert (training.y <= loss.y + 1e-12).all()
    assert marks(last, "axes", Bars)[0].values.sum() == pytest.approx(last.model.alphas.sum())
    (crowd,) = marks(last, "learners", Multiples)
    said = np.stack([crowd.members.answers(number, data.X) for number in range(14)])
    assert np.array_equal(last.model.alphas @ said > last.model.alphas.sum() / 2, predict(last.model, data.X) == 1)
    assert np.array_equal(crowd.numbers, last.model.alphas)


def test_the_swept_curve_grows_up_to_the_cut_and_its_least_value_is_the_learner():
    data = cloud(40, seed=8)
    frames, _ = frames_of(data, rounds=1)
    sweep = [frame for frame in frames if frame.phase == "sweep"]
    lengths = [len(marks(frame, "sweep", Curve)[0].x) for frame in sweep if len(marks(frame, "sweep", Curve)) == 1]
    assert lengths[0] == 1
    assert lengths[-2] > lengths[0]
    learned = next(frame for frame in frames if frame.phase == "learn")
    least = min(float(curve.y.min()) for curve in marks(learned, "sweep", Curve))
    assert least == pytest.approx(frames[-1].model.errors[0])


@pytest.mark.parametrize("classes", [2, 3])
def test_the_curves_and_no_cut_hold_the_error_of_every_learner(classes):
    data = cloud(30, 2, classes, seed=11)
    task = task_of(data)
    for before, found, _ in states_of(task, 10):
        curves = [task.errors_along(feature, before.weights)[1] for feature in range(2)]
        least = min(*(float(curve.min()) for curve in curves), task.without_a_cut(before.weights))
        assert found.error == pytest.approx(least)


def test_three_points_are_followed_in_the_triangle():
    data = cloud(40, seed=8)
    frames, _ = frames_of(data, rounds=20)
    path = marks(frames[-1], "simplex", Paths)[0].at
    assert path.shape == (21, 1, 2)
    assert path[0, 0] == pytest.approx([0.5, 0.75**0.5 / 3])
    assert len(np.unique(path.round(9), axis=0)) > 3  # they do not all weigh the same
    last = frames_of(IN_A_ROW, rounds=40)[0][-1]
    (stars,) = marks(last, "simplex", Dots)
    path = marks(last, "simplex", Paths)[0].at[:, 0]
    assert len(path) == REMEMBERED
    assert all(np.hypot(*(stars.at - place).T).min() < 1e-6 for place in path[-3:])


def test_who_weighs_nothing_is_not_followed():
    data = cloud(60, seed=9)
    for frame in frames_of(data, rounds=12, validation=0.4)[0]:
        (corners,) = marks(frame, "simplex", Scatter)
        assert (frame.model.weights[corners.points] > 0.0).all()


def test_cycles_are_found_only_where_there_are_any():
    *_, (_, _, state) = states_of(task_of(IN_A_ROW), 60)
    assert cycle_of(state) == 3
    *_, (_, _, state) = states_of(task_of(cloud(60, seed=1)), 40)
    assert cycle_of(state) == 0


def test_points_held_out_weigh_nothing_and_are_counted():
    data = cloud(60, seed=9)
    frames, _ = frames_of(data, rounds=5, validation=0.3)
    weights = frames[-1].model.weights
    assert np.count_nonzero(weights == 0.0) == 18
    assert len(marks(frames[-1], "losses", Curve)) == 3
    outside = weights == 0.0
    wrong = (predict(frames[-1].model, data.X) != data.y)[outside].mean()
    assert marks(frames[-1], "losses", Curve)[2].y[-1] == pytest.approx(wrong)


def test_a_point_is_explained():
    data = cloud(40, seed=8)
    fitted = fit("adaboost", data, rounds=5)
    answer = ALGORITHM.explain(fitted.model, data, data.item(3))
    assert answer["answer"] == data.classes[predict(fitted.model, data.X[3:4])[0]]
    assert answer["weight, times the number of points"] == pytest.approx(40 * fitted.model.weights[3])
    assert "margin" not in ALGORITHM.explain(fitted.model, data, Item(x=data.X[0]))


def test_stumps_that_say_the_same_everywhere_are_called_so():
    frames, _ = frames_of(IN_A_ROW, rounds=6)
    assert any("a stump that says 0 everywhere" in frame.caption for frame in frames)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="at least two classes"):
        frames_of(Points(np.arange(4.0)[:, None], np.zeros(4, dtype=int)))


def test_error_and_vote_are_not_recorded_before_the_first_learner():
    frames, _ = frames_of(cloud(), rounds=2)
    first = next(number for number, frame in enumerate(frames) if frame.phase == "learn")
    assert all(np.isnan([frame.metrics["error"], frame.metrics["alpha"]]).all() for frame in frames[:first])
    assert np.isfinite(frames[first].metrics["error"])
    assert "points with 0." in frames[first].caption
