"""The sparse SVM: the linear programme by hand, against the whole programme, and beside the quadratic one."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.svm import SVC

from algorithms import DataError, Points, find, fit
from algorithms._checks.examples import degenerate
from algorithms.classification.lp_svm.solver import programme, rounds, shown_points
from algorithms.marks import Bars, Curve, Highlight, ReferenceLine, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.kernels import Gaussian, Linear, Polynomial
from mlviz.data.spec import load_data

SPARSE = find("lp_svm")
MOONS = load_data("moons(n=60,noise=0.2,seed=1)")
NONE = np.empty(0, dtype=np.intp)


def play(data, **params):
    return list(SPARSE.start(data, SPARSE.make_params(params), 0))


def whole(gram, signs, C, with_signs=True):
    """The programme with all columns at once; the slide prints it without the signs z_j of the columns."""
    n = len(signs)
    table = signs[:, None] * gram * (signs if with_signs else 1.0)
    A = np.hstack([-table, -signs[:, None], -np.eye(n)])
    cost = np.concatenate([np.ones(n), [0.0], np.full(n, C)])
    bounds = [(0, None)] * n + [(None, None)] + [(0, None)] * n
    return linprog(cost, A_ub=A, b_ub=-np.ones(n), bounds=bounds)


def problem(seed=0, n=24, C=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    signs = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
    gram = Gaussian(0.7)(X, X)
    return gram, signs, C


# --- the programme ----------------------------------------------------------------------------------------------------


def test_two_points_by_hand():
    """x = -1 and 1 with the linear kernel: f(x) = (a1 + a2) x, so a1 + a2 = 1 costs 1; no slack for C > ½."""
    X, signs = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    last = list(rounds(np.outer(signs, signs) * Linear()(X, X), signs, 2.0, NONE))[-1].answer
    assert last.objective == pytest.approx(1.0)
    assert last.weights.sum() == pytest.approx(1.0)
    assert last.offset == pytest.approx(0.0, abs=1e-9)
    dear = programme(np.outer(signs, signs) * Linear()(X, X), signs, 0.2, np.arange(2))
    assert dear.weights.sum() == 0.0  # slack for both costs 0.4, less than 1
    assert dear.objective == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", [0.3, 3.0])
def test_column_by_column_it_ends_at_the_optimum_of_the_whole_programme(seed, C):
    gram, signs, _ = problem(seed)
    found = list(rounds(np.outer(signs, signs) * gram, signs, C, NONE))
    assert found[-1].answer.objective == pytest.approx(whole(gram, signs, C).fun, rel=1e-6)
    costs = [one.answer.objective for one in found]
    assert (np.diff(costs) <= 1e-9).all()
    assert found[-1].answer.saved.max() <= 1.0 + 1e-6  # no point is worth more than it costs: the certificate


def test_points_that_left_do_not_come_back_for_ever():
    """Points that hardly see each other have many optima, between which columns went in and out without end."""
    data = degenerate(SPARSE)["ten features"]
    signs, gram = data.two_sides(""), Gaussian(0.5)(data.X, data.X)
    found = list(itertools.islice(rounds(np.outer(signs, signs) * gram, signs, 4.6415888336127775, NONE), 40))
    assert not len(found[-1].fresh)
    assert found[-1].answer.objective == pytest.approx(whole(gram, signs, 4.6415888336127775).fun)


def test_the_weights_fulfil_the_constraints_with_the_sign_of_the_column():
    gram, signs, C = problem()
    answer = list(rounds(np.outer(signs, signs) * gram, signs, C, NONE))[-1].answer
    values = gram @ (answer.weights * signs) + answer.offset
    slack = np.maximum(1 - signs * values, 0)
    assert answer.weights.min() >= 0.0
    assert answer.weights.sum() + C * slack.sum() == pytest.approx(answer.objective, rel=1e-6)


def test_the_printed_constraint_is_another_and_poorer_machine():
    """Without z_j every bump pulls to the same side; it costs more or the same, and here more."""
    gram, signs, C = problem(1, C=5.0)
    assert whole(gram, signs, C).fun < whole(gram, signs, C, with_signs=False).fun - 0.1


# --- beside the quadratic machine -------------------------------------------------------------------------------------


def test_it_needs_fewer_points_than_the_quadratic_machine_and_is_as_right():
    last = play(MOONS)[-1]
    assert 0 < last.metrics["weights"] < last.metrics["support"]
    usual = (last.model.values(MOONS.X, svm=True) >= 0) == (MOONS.y == 1)
    assert last.metrics["wrong"] <= np.count_nonzero(~usual) + 3


def test_the_quadratic_machine_is_that_of_libsvm():
    model = play(MOONS, path=0)[-1].model
    theirs = SVC(kernel="rbf", gamma=1 / (2 * 0.5**2), C=1.0, tol=1e-6).fit(MOONS.X, MOONS.y)
    assert model.values(MOONS.X, svm=True) == pytest.approx(theirs.decision_function(MOONS.X), abs=5e-3)


def test_the_numbers_of_points_over_C_are_recorded_and_C_can_be_dragged():
    frames = play(MOONS, path=5)
    path = frames[-1].views["path"]
    one, two = (mark for mark in path if isinstance(mark, Curve))
    assert one.x == pytest.approx(np.logspace(-2, 2, 5))
    assert (one.y <= two.y).all()
    assert next(mark for mark in path if isinstance(mark, ReferenceLine)).handle == "C"
    assert [frame.phase for frame in frames].count("path") == 5
    at_one = fit("lp_svm", MOONS, C=1.0, path=0).last.metrics["weights"]
    assert one.y[2] == pytest.approx(at_one, abs=2)  # other columns may be in, and corners may tie


# --- what is seen, and other data -------------------------------------------------------------------------------------


def test_both_boundaries_and_who_has_weight_are_drawn():
    last = play(MOONS)[-1]
    plane = last.views["plane"]
    line = next(mark for mark in plane if isinstance(mark, Segments))
    assert np.abs(last.model.values(line.start, svm=True)).max() < 0.1
    rings = [mark.points.tolist() for mark in plane if isinstance(mark, Highlight)]
    assert rings == [np.flatnonzero(last.model.quadratic).tolist(), np.flatnonzero(last.model.alpha).tolist()]
    (bars,) = (mark for mark in last.views["weights"] if isinstance(mark, Bars))
    assert (bars.values > 0).all()


def test_the_zero_line_of_a_circle():
    x, y = np.linspace(-2, 2, 81), np.linspace(-1.5, 1.5, 61)
    pieces = zero_pieces(x[None] ** 2 + y[:, None] ** 2 - 1.0, x, y)
    assert np.linalg.norm(pieces, axis=2) == pytest.approx(1.0, abs=2e-3)
    assert np.linalg.norm(pieces[:, 1] - pieces[:, 0], axis=1).sum() == pytest.approx(2 * np.pi, rel=1e-2)
    assert len(zero_pieces(np.ones((4, 4)), np.arange(4.0), np.arange(4.0))) == 0


def test_of_many_points_some_of_both_classes_take_part():
    signs = np.where(np.arange(5000) < 3, 1.0, -1.0)
    part = shown_points(signs, 400)
    assert len(part) <= 401
    assert set(signs[part]) == {-1.0, 1.0}


def test_up_to_4000_points_all_take_part_and_otherwise_it_is_said():
    def first(n, **params):
        data = load_data(f"moons(n={n},seed=1)")
        return next(iter(SPARSE.start(data, SPARSE.make_params(params), 0)))

    exact, of_many, chosen = first(4000), first(4100), first(400, landmarks=100)
    assert (exact.given.count, exact.warning) == (4000, "")
    assert of_many.given.count == 1000
    assert "1,000 landmarks carry it, not all 4,100 points" in of_many.warning
    assert "1,000 of the 4,100 points take part" in of_many.caption
    assert chosen.given.count == 100
    assert np.isnan(chosen.metrics["support"])  # not known yet
    assert "100 landmarks" in chosen.warning


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf"])
@pytest.mark.parametrize("C", [1.0, 10.0])
def test_the_programme_that_is_solved_is_the_one_that_is_printed(kernel, C):
    """On the features as they are: the minimum, and the machine beside it, are those of others."""
    data = load_data("blobs(n=60,centres=2,noise=1.4,spread=3,seed=6)")
    signs = np.where(data.y == 1, 1.0, -1.0)
    makers = {"linear": Linear(), "polynomial": Polynomial(3, 1.0), "rbf": Gaussian(0.5)}
    last = play(data, kernel=kernel, C=C, path=0)[-1]
    assert last.metrics["objective"] == pytest.approx(whole(makers[kernel](data.X, data.X), signs, C).fun, rel=1e-6)
    values = last.model.values(data.X)
    slack = np.maximum(1.0 - signs * values, 0.0)
    assert last.model.alpha.sum() + C * slack.sum() == pytest.approx(last.metrics["objective"], rel=1e-6)
    if kernel == "linear":
        theirs = SVC(kernel="linear", C=C, tol=1e-6).fit(data.X, data.y)
        assert last.metrics["support"] == len(theirs.support_)


def test_scaled_features_are_another_programme_that_is_asked_for():
    data = load_data("blobs(n=60,centres=2,noise=1.4,spread=3,seed=6)")
    signs, middle = np.where(data.y == 1, 1.0, -1.0), data.X.mean(axis=0)
    reach = np.sqrt(np.square(data.X - middle).sum(axis=1).mean())
    X = (data.X - middle) / reach
    scaled = play(data, kernel="linear", scaling="centred and scaled", path=0)[-1].metrics["objective"]
    assert scaled == pytest.approx(whole(X @ X.T, signs, 1.0).fun, rel=1e-6)
    assert abs(scaled - play(data, kernel="linear", path=0)[-1].metrics["objective"]) > 0.1


@pytest.mark.parametrize("d", [1, 50])
def test_one_feature_and_fifty(d):
    y = np.arange(40) % 2
    data = Points(np.random.default_rng(1).normal(size=(40, d)) + 6.0 * y[:, None] + 1e5, y)
    assert (fit("lp_svm", data, kernel="linear", path=0).predict(data.X) == y).mean() >= 0.95


def test_a_low_price_leaves_no_weight_and_64_classes_are_refused():
    assert play(MOONS, C=0.005, path=0)[-1].metrics["weights"] == 0
    with pytest.raises(DataError, match="are of 64"):
        play(Points(np.arange(128.0).reshape(64, 2), np.arange(64)))
