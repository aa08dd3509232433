"""The soft margin in the primal: subgradients by hand and by differences, the exact optimum, both ways down."""

import numpy as np
import pytest
from sklearn.svm import SVC

from algorithms import DataError, Points, find, fit
from algorithms.classification.hinge_svm.solver import Primal, exact, pegasos_step, pegasos_steps
from algorithms.marks import Curve, DividingLine, Dots, Highlight, Segments
from algorithms.maths.kernels import Linear
from algorithms.maths.smo import Problem
from algorithms.maths.smo_rules import solve
from mlviz.data.spec import load_data

HINGE = find("hinge_svm")
DATA = load_data("blobs(n=80,centres=2,noise=1.4,spread=3,seed=6)")


def play(data, **params):
    return list(HINGE.start(data, HINGE.make_params(params), 0))


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_the_hard_margin_of_two_points_by_hand():
    """x = ±(1, 1): w = (½, ½), b = 0, J = ½|w|² = ¼ for every C >= ¼ (the multipliers are ¼)."""
    data = Points([[1.0, 1.0], [-1.0, -1.0]], [1, 0])
    goal = exact(Primal.of(data, 1.0, "linear"))
    assert goal.bound == pytest.approx(0.25)
    frames = play(data, passes=2000)
    assert frames[0].metrics["objective"] == 2.0  # w = 0: both pay 1
    model = frames[-1].model
    assert model.objective == pytest.approx(0.25, rel=2e-3)
    assert model.weights == pytest.approx([0.5, 0.5], rel=0.05)
    assert model.bias == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_the_pull_is_minus_the_slope_of_the_mean_loss(slack):
    primal = Primal.of(DATA, 1.0, slack)
    w, b, h = np.array([0.4, -0.7]), 0.2, 1e-6

    def loss(w, b):
        xi = primal.slacks(w, b)
        return float((xi if slack == "linear" else xi**2 / 2).mean())

    pull, pull_b = primal.pull(w, b, slice(None))
    slopes = [(loss(w + h * e, b) - loss(w - h * e, b)) / (2 * h) for e in np.eye(2)]
    assert -pull == pytest.approx(slopes, abs=1e-6)
    assert -pull_b == pytest.approx((loss(w, b + h) - loss(w, b - h)) / (2 * h), abs=1e-6)


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_the_objective_is_that_of_the_data_whatever_the_inner_units(slack):
    model = play(DATA, slack=slack)[-1].model
    xi = np.maximum(1 - (2 * DATA.y - 1) * (DATA.X @ model.weights + model.bias), 0)
    loss = xi.sum() if slack == "linear" else (xi**2).sum() / 2
    assert model.objective == pytest.approx(model.weights @ model.weights / 2 + loss)


# --- the optimum ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_the_exact_optimum_is_that_of_libsvm(C):
    svm = SVC(kernel="linear", C=C, tol=1e-8).fit(DATA.X, DATA.y)
    w = svm.coef_[0]
    xi = np.maximum(1 - (2 * DATA.y - 1) * svm.decision_function(DATA.X), 0)
    goal = exact(Primal.of(DATA, C, "linear"))
    assert goal.exact
    assert goal.bound == pytest.approx(w @ w / 2 + C * xi.sum(), rel=1e-4)


def test_with_squared_slack_the_multipliers_are_the_slacks_times_C():
    primal = Primal.of(DATA, 0.5, "squared")
    problem = Problem(primal.X, np.arange(DATA.n), primal.y, Linear(), primal.C, "squared")
    standing = solve(problem, 1e-9, 50_000)
    w = (problem.alpha * primal.y) @ primal.X
    assert primal.slacks(w, standing.bias) == pytest.approx(problem.alpha / primal.C, abs=1e-6)
    assert 2 * standing.dual == pytest.approx(problem.alpha.sum(), rel=1e-6)  # primal value = Σα/2


@pytest.mark.parametrize("solver", ["subgradient", "Pegasos"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_both_ways_come_near_the_optimum_and_never_below(solver, slack):
    frames = play(DATA, solver=solver, slack=slack, C=0.1, passes=300)
    last = frames[-1].metrics
    assert last["optimum"] <= last["best"] * (1 + 1e-9)
    assert last["best"] <= 1.02 * last["optimum"]
    best = [frame.metrics["best"] for frame in frames]
    assert (np.diff(best) <= 1e-12).all()


def test_the_curve_of_the_optimum_begins_where_it_is_known():
    first, second = play(DATA)[:2]
    assert np.isnan([first.metrics["optimum"], first.metrics["left"]]).all()
    assert second.metrics["left"] == pytest.approx(second.metrics["best"] - second.metrics["optimum"])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (Points([[0.0], [1.0], [3.0]], [0, 1, 1]), "is that of iteration 1, the optimum (1.5)"),
        (load_data("blobs(n=2,centres=2,seed=1)"), "101 % above the optimum"),
    ],
)
def test_how_far_the_end_is_from_the_optimum_is_said_in_plain_numbers(data, said):
    assert said in play(data)[-1].caption


def test_the_objective_is_noisy():
    objective = np.array([frame.metrics["objective"] for frame in play(DATA, batch=1)[:-1]])
    assert (np.diff(objective) > 0).any()


def test_pegasos_stays_in_the_ball_that_holds_the_optimum():
    primal = Primal.of(DATA, 5.0, "linear")
    rng, w, b = np.random.default_rng(0), np.zeros(2), 0.0
    for t in range(1, 30):
        w, b = pegasos_step(primal, w, b, 1.0, t, rng.integers(DATA.n, size=2))
        assert np.linalg.norm(w) <= (1 + 1e-12) / np.sqrt(primal.shrink)


@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize(("C", "rate"), [(1.0, 1.0), (100.0, 0.1), (0.01, 3.0)])
def test_many_steps_in_plain_numbers_are_the_steps_one_by_one(slack, C, rate):
    primal = Primal.of(DATA, C, slack)
    asked = np.random.default_rng(3).integers(DATA.n, size=(200, 4))
    w, b = np.zeros(2), 0.0
    for t, some in enumerate(asked, 1):
        w, b = pegasos_step(primal, w, b, rate, t, some)
    begun = pegasos_steps(primal, np.zeros(2), 0.0, rate, 1, asked[:70])
    for found in (
        pegasos_steps(primal, *begun, rate, 71, asked[70:]),
        pegasos_steps(primal, w * 0, 0.0, rate, 1, asked),
    ):
        np.testing.assert_allclose(found[0], w, rtol=1e-9)
        assert found[1] == pytest.approx(b, rel=1e-9)


def test_every_early_step_is_shown_and_then_as_many_as_there_are_frames_for():
    shown = [frame.model.step for frame in play(DATA, passes=30, optimum=False)[1:-1]]
    assert shown == [*range(1, 41), *range(42, 601, 2)]
    assert len(play(DATA, solver="subgradient", passes=30, optimum=False)) == 32


def test_points_beyond_the_kerbs_do_not_matter():
    data = load_data("separable(n=60,margin=0.6,seed=7)")
    primal = Primal.of(data, 10.0, "linear")
    goal = exact(primal)
    near = primal.y * (primal.X @ goal.w + goal.b) < 1.5
    kept = Points(data.X[near], data.y[near])
    assert exact(Primal.of(kept, 10.0, "linear")).bound == pytest.approx(goal.bound, rel=1e-3)


# --- what is seen, and other data -------------------------------------------------------------------------------------


def test_the_street_its_points_the_losses_and_the_optimum_are_drawn():
    frame = play(DATA)[-1]
    model = frame.model
    plane = frame.views["plane"]
    line = next(mark for mark in plane if isinstance(mark, DividingLine))
    assert line.margins[1] == pytest.approx(1 / np.linalg.norm(model.weights))
    paying = np.flatnonzero((2 * DATA.y - 1) * HINGE.field(model, DATA.X) < 1)
    assert next(mark for mark in plane if isinstance(mark, Highlight)).points.tolist() == paying.tolist()
    whiskers = next(mark for mark in plane if isinstance(mark, Segments))
    side = 2.0 * DATA.y[whiskers.points] - 1
    assert HINGE.field(model, whiskers.end) * side == pytest.approx(1.0)
    assert [mark.name for mark in frame.views["loss"] if isinstance(mark, Curve)] == ["hinge ξ", "0-1 loss"]
    assert any(isinstance(mark, Dots) and mark.known for mark in frame.views["path"])


@pytest.mark.parametrize("d", [1, 50])
def test_one_feature_and_fifty(d):
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    data = Points(rng.normal(size=(40, d)) + 4.0 * y[:, None] + 1e6, y)
    assert (fit("hinge_svm", data, passes=30).predict(data.X) == y).mean() >= 0.95


def test_without_the_optimum_nothing_is_bounded_and_64_classes_are_refused():
    last = play(DATA, optimum=False, passes=3)[-1]
    assert np.isnan(last.metrics["optimum"])
    assert np.isnan(last.metrics["left"])
    with pytest.raises(DataError, match="are of 64"):
        play(Points(np.arange(128.0).reshape(64, 2), np.arange(64)))
