"""Descent on surfaces: fixtures of the course, closed forms, identities, and SciPy and scikit-learn as oracles."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from sklearn.linear_model import LogisticRegression

from algorithms import Item, fit, show
from algorithms._checks import cases, examples
from algorithms.contract import Ended, Stop, arrays_in
from algorithms.data import DataError, Points
from algorithms.marks import Arrows, Centres, Curve, Extent, Highlight, Paths, Segments
from algorithms.optimisation.gradient_descent import _PHASES, ALGORITHM, Params
from algorithms.optimisation.gradient_descent.solver import best_rate, largest_rate
from algorithms.optimisation.gradient_descent.solver.losses import LogisticLoss, logistic_loss, squared_loss
from algorithms.optimisation.gradient_descent.solver.plans import (
    METHODS,
    RUNNERS,
    Settings,
    Walker,
    backtrack,
    exact_length,
    next_batch,
    plan,
)
from algorithms.optimisation.gradient_descent.solver.surfaces import analytic, quadratic
from algorithms.params import suited
from mlviz.data.generators import generate

FORMULAE = ("quadratic", "Rosenbrock", "Himmelblau", "two wells", "saddle", "square roots", "root of x² - 2")
SQUARED, LOGISTIC = "squared loss of the data", "logistic loss of the data"
LINE = Points(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0, 5.0]))  # the fixture of R2.1
RNG = np.random.default_rng(3)
CLOUD = np.concatenate([RNG.normal(size=(40, 2)) + (0.0, 1.0), RNG.normal(size=(40, 2)) + (1.5, -0.5)])
CLASSES = Points(CLOUD, np.repeat([0, 1], 40))
APART = Points(CLOUD + np.repeat([[0.0, 20.0], [0.0, 0.0]], 40, axis=0), np.repeat([0, 1], 40))


def play(data=LINE, seed=0, resume=None, **params):
    """The frames and why they ended."""
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params), start=resume, seed=seed)


def way(frames, walker=0):
    """The places of one walker, one row a step, unclipped."""
    by_step = {frame.model.steps: frame.model.walkers[walker].at for frame in frames}
    return np.array([by_step[step] for step in sorted(by_step)])


def surfaces():
    yield from ((name, analytic(name, 10.0)) for name in FORMULAE)
    yield SQUARED, squared_loss(LINE)
    yield LOGISTIC, logistic_loss(CLASSES)


# --- surfaces -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "surface"), list(surfaces()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_slopes_and_curvatures_are_the_derivatives(name, surface):
    left, right, bottom, top = surface.box
    at = np.random.default_rng(1).uniform((left, bottom), (right, top), size=(20, 2))
    h = 1e-5 * surface.span
    for axis in range(2):
        side = np.eye(2)[axis] * h
        slope = (surface.height(at + side) - surface.height(at - side)) / (2 * h)
        size = np.abs(surface.slope(at)).max()
        np.testing.assert_allclose(surface.slope(at)[:, axis], slope, atol=1e-6 * size)
        bend = (surface.slope(at + side) - surface.slope(at - side)) / (2 * h)
        np.testing.assert_allclose(surface.curvature(at)[:, axis], bend, atol=1e-6 * np.abs(bend).max() + 1e-12)


@pytest.mark.parametrize(
    ("name", "surface"), list(surfaces()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_minima_are_minima(name, surface):
    assert np.abs(surface.slope(surface.minima)).max(initial=0.0) < 1e-8
    assert np.linalg.eigvalsh(surface.curvature(surface.minima)).min(initial=1.0) > 0
    heights = surface.height(surface.minima)
    assert list(heights.round(9)) == sorted(heights.round(9))


def test_known_heights():
    heights = {name: float(analytic(name, 10.0).height(np.array([[1.0, 2.0]]))[0]) for name in FORMULAE}
    assert heights["Rosenbrock"] == 100.0
    assert heights["Himmelblau"] == 64.0 + 4.0
    assert heights["two wells"] == pytest.approx(4.3)
    assert heights["saddle"] == -1.5
    assert heights["square roots"] == pytest.approx(np.sqrt(2) + np.sqrt(5))
    assert heights["root of x² - 2"] == pytest.approx(1 / 3 - 2 + 2)


@given(condition=st.floats(1, 1000))
@settings(max_examples=25, deadline=None)
def test_the_quadratic_has_the_condition_asked_for(condition):
    low, high = np.linalg.eigvalsh(quadratic(condition).H)
    assert high == pytest.approx(10.0)
    assert high / low == pytest.approx(condition, rel=1e-6)


def test_squared_loss_of_the_course_fixture():
    loss = squared_loss(LINE)
    np.testing.assert_allclose(loss.H, [[2, 3], [3, 7]])
    np.testing.assert_allclose(np.linalg.eigvalsh(loss.H), [0.594875162, 8.405124838], atol=1e-9)
    np.testing.assert_allclose(loss.minima, [[1.1, 1.1]])
    assert loss.lowest == pytest.approx(0.675)
    assert 2 / np.linalg.eigvalsh(loss.H)[1] == pytest.approx(0.237950065, abs=1e-9)


@given(weights=st.tuples(st.floats(-50, 50), st.floats(-50, 50)))
@settings(max_examples=30, deadline=None)
def test_completing_the_square(weights):
    direct = np.square(LINE.y - weights[0] - weights[1] * LINE.X[:, 0]).mean()
    completed = squared_loss(LINE).height(np.array([weights]))[0]
    assert completed == pytest.approx(direct, rel=1e-12, abs=1e-12)


def test_with_two_features_the_line_goes_through_the_points_as_they_are_seen():
    best = squared_loss(CLASSES).minima[0]
    np.testing.assert_allclose(best[::-1], np.polyfit(CLOUD[:, 0], CLOUD[:, 1], 1))


def test_standardised_features_make_a_round_bowl():
    x = LINE.X[:, 0]
    data = Points(((x - x.mean()) / x.std())[:, None], LINE.y)
    np.testing.assert_allclose(squared_loss(data).H, 2 * np.eye(2), atol=1e-12)
    frames, _ = play(data, surface=SQUARED, method="Newton")
    predicted = ALGORITHM.predict(frames[-1].model, data.X)
    np.testing.assert_allclose(predicted, 1.1 + 1.1 * x)


def test_logistic_loss_has_the_minimum_that_scikit_learn_finds():
    loss = logistic_loss(CLASSES)
    centred = CLOUD - CLOUD.mean(axis=0)
    known = LogisticRegression(C=1e12, fit_intercept=False, tol=1e-12, max_iter=1000).fit(centred, CLASSES.y)
    np.testing.assert_allclose(loss.minima[0], known.coef_[0], rtol=1e-5)


def test_logistic_loss_over_one_feature_has_an_intercept():
    data = Points(CLOUD[:, :1], CLASSES.y)
    loss = logistic_loss(data)
    known = LogisticRegression(C=1e12, tol=1e-12, max_iter=1000).fit(data.X, data.y)
    np.testing.assert_allclose(loss.minima[0], [known.intercept_[0], known.coef_[0, 0]], rtol=1e-4)
    p = 1 / (1 + np.exp(-loss.Z @ loss.minima[0]))
    assert p.sum() == pytest.approx(40)  # the intercept's normal equation: Σ p = Σ y


def test_without_a_separating_line_there_is_a_minimum_and_with_one_there_is_none():
    assert len(logistic_loss(CLASSES).minima) == 1
    assert len(logistic_loss(APART).minima) == 0
    frames, stop = play(APART, surface=LOGISTIC, method="fixed step", learning_rate=0.1, max_steps=60)
    sizes = np.linalg.norm(way(frames), axis=1)
    assert stop is Stop.LIMIT
    assert (np.diff(sizes) > 0).all()
    assert "separates" in frames[-1].warning


# --- the fixtures of the methods -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "expected"), [(0.2379, Stop.LIMIT), (0.2380, Stop.LIMIT), (0.26, Stop.DIVERGED)])
def test_the_largest_rate_of_the_course_fixture(rate, expected):
    frames, stop = play(surface=SQUARED, method="fixed step", learning_rate=rate, max_steps=400)
    heights = np.array([frame.metrics["height"] for frame in frames[:-1]])
    assert stop is expected
    steep = np.linalg.eigh(squared_loss(LINE).H)[1][:, 1]
    errors = np.abs((way(frames) - 1.1) @ steep)
    if rate < 0.237950065:
        assert (np.diff(heights) < 0).all()
        assert errors[-1] < errors[1]
        assert frames[0].warning == ""
    else:
        assert errors[-1] > errors[1]
        assert "0.238" in frames[0].warning


@given(condition=st.floats(1.5, 50), start=st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
@settings(max_examples=15, deadline=None)
def test_the_best_rate_shrinks_the_error_as_promised(condition, start):
    bends = np.linalg.eigvalsh(quadratic(condition).H)
    rate, shrink = best_rate(bends)
    assert shrink == pytest.approx((condition - 1) / (condition + 1))
    at = way(play(method="fixed step", learning_rate=rate, condition=condition, start=[start], max_steps=30)[0])
    errors = np.linalg.norm(at, axis=1)
    assert (errors <= errors[0] * shrink ** np.arange(len(errors)) * (1 + 1e-9) + 1e-12).all()


def test_the_bound_is_drawn_above_the_path():
    frames, _ = play(method="fixed step", learning_rate=0.15)
    path, bound = frames[-1].views["gap"]
    assert (path.y <= bound.y * (1 + 1e-9)).all()
    assert bound.y[10] == pytest.approx(bound.y[0] * 0.85**20)  # λ = 1 and 10: max|1 - 0.15 λ| = 0.85


@given(start=st.tuples(st.floats(-9, 9), st.floats(-9, 9)), condition=st.floats(1, 1000))
@settings(max_examples=20, deadline=None)
def test_newton_needs_one_step_on_a_quadratic(start, condition):
    frames, stop = play(method="Newton", start=[start], condition=condition)
    assert stop is Stop.CONVERGED
    arrived = np.abs(start).max() < 1e-5  # where the slope may be within the tolerance already
    assert frames[-1].model.steps == 1 or (arrived and frames[-1].model.steps == 0)
    np.testing.assert_allclose(frames[-1].model.parameters, 0, atol=1e-5 if arrived else 1e-9)


@pytest.mark.parametrize("method", ["Newton", "damped Newton"])
def test_newton_needs_one_step_on_least_squares(method):
    frames, stop = play(surface=SQUARED, method=method, start=[[40.0, -30.0]])
    assert (stop, frames[-1].model.steps) == (Stop.CONVERGED, 1)
    np.testing.assert_allclose(frames[-1].model.parameters, [1.1, 1.1])


@given(start=st.tuples(st.floats(-9, 9), st.floats(-9, 9)), condition=st.floats(1, 1000))
@settings(max_examples=20, deadline=None)
def test_conjugate_gradients_need_two_steps_on_a_quadratic(start, condition):
    frames, stop = play(method="conjugate gradient", start=[start], condition=condition)
    assert stop is Stop.CONVERGED
    assert frames[-1].model.steps <= 2


def test_conjugate_gradients_need_two_steps_on_least_squares():
    frames, stop = play(surface=SQUARED, method="conjugate gradient")
    assert (stop, frames[-1].model.steps) == (Stop.CONVERGED, 2)
    one, two = np.diff(way(frames), axis=0)
    assert one @ squared_loss(LINE).H @ two == pytest.approx(0, abs=1e-12)  # conjugate directions


def test_newton_for_roots_doubles_the_digits_of_the_root_of_two():
    at = way(play(surface="root of x² - 2", method="Newton", tol=1e-12)[0])[:, 0]
    known = [1, 1.5, 1.4166666667, 1.4142156863, 1.4142135623747, 1.4142135623730951]
    np.testing.assert_allclose(at[:6], known, atol=1e-10)
    errors = np.abs(at[:5] - np.sqrt(2))
    np.testing.assert_allclose(errors, [4.1e-1, 8.6e-2, 2.5e-3, 2.1e-6, 1.6e-12], rtol=0.03)


def test_undamped_newton_flies_away_from_a_convex_function():
    frames, stop = play(surface="square roots", method="Newton")
    at = way(frames)
    np.testing.assert_allclose(at[:5, 0], [1.1, -1.331, 2.358, -13.11, 2253], rtol=1e-3)
    np.testing.assert_allclose(at[:5, 1], [0.9, -0.729, 0.387, -0.058, 2e-4], rtol=0.05)
    assert stop is Stop.DIVERGED
    assert frames[-1].phase == "diverged"
    assert frames[-1].caption.startswith("Diverged in 5 steps")
    assert "damped" in frames[-1].warning


def test_damped_newton_does_not():
    frames, stop = play(surface="square roots", method="damped Newton", start=[[30.0, -40.0]])
    assert stop is Stop.CONVERGED
    np.testing.assert_allclose(frames[-1].model.parameters, 0, atol=1e-4)


def test_newton_takes_the_saddle_for_its_goal_and_says_so():
    frames, stop = play(surface="saddle", method="Newton", start=[[1.0, 1.5]])
    assert (stop, frames[-1].model.steps) == (Stop.CONVERGED, 1)
    assert "a saddle" in frames[-1].caption
    assert "no minimum" in frames[-1].warning


@pytest.mark.parametrize("name", ["Rosenbrock", "Himmelblau", "two wells", "square roots"])
def test_damped_newton_is_monotone_everywhere(name):
    for start in np.random.default_rng(5).uniform(-2, 2, size=(5, 2)):
        frames, stop = play(surface=name, method="damped Newton", start=[start])
        heights = np.array([frame.metrics["height"] for frame in frames])
        assert stop is Stop.CONVERGED
        assert (np.diff(heights) <= 0).all()


@given(stretch=st.floats(0.2, 5), turn=st.floats(0, 3))
@settings(max_examples=15, deadline=None)
def test_newton_does_not_care_about_the_axes(stretch, turn):
    """Affine invariance: in other coordinates, θ = A φ, the same places are visited."""
    A = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag([stretch, 1.0])
    plain, at = analytic("Rosenbrock", 1.0), np.array([-1.2, 1.0])
    bent = np.linalg.solve(A, at)
    for _ in range(4):
        slope, hessian = A.T @ plain.slope((A @ bent)[None])[0], A.T @ plain.curvature((A @ bent)[None])[0] @ A
        bent = bent - np.linalg.solve(hessian, slope)
        at = plan(plain, Walker.begin("Newton", at), Settings(), np.random.default_rng()).after.at
        np.testing.assert_allclose(A @ bent, at, rtol=1e-5, atol=1e-7)


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["momentum", "Nesterov"])
def test_without_momentum_it_is_plain_descent(method):
    plain = way(play(method="fixed step", max_steps=40)[0])
    np.testing.assert_allclose(way(play(method=method, momentum=0.0, max_steps=40)[0]), plain, atol=1e-12)


@pytest.mark.parametrize("method", ["fixed step", "momentum", "Nesterov"])
@pytest.mark.parametrize("momentum", [0.3, 0.9])
def test_the_limit_of_the_rate_is_where_convergence_ends(method, momentum):
    limit = largest_rate(method, 10.0, momentum)
    common = {"method": method, "momentum": momentum, "condition": 2.0, "max_steps": 3000, "tol": 1e-9}
    assert play(learning_rate=0.97 * limit, **common)[1] is Stop.CONVERGED
    frames, stop = play(learning_rate=1.03 * limit, **common)
    assert stop is Stop.DIVERGED
    assert "limit of " + method in frames[0].warning


def test_a_rate_without_a_limit_is_not_warned_about():
    assert largest_rate("Adam", 10.0, 0.9) == np.inf
    assert play(method="Adam", learning_rate=1.0)[0][0].warning == ""


def test_adam_begins_with_a_step_of_the_learning_rate_in_every_parameter():
    start, first = way(play(method="Adam", learning_rate=0.05, max_steps=1)[0])
    np.testing.assert_allclose(np.abs(first - start), 0.05, rtol=1e-6)


def test_adagrads_rates_only_fall_and_differ():
    frames, _ = play(method="Adagrad", learning_rate=1.0, max_steps=50)
    rates = np.array([frame.views["rates"][0].values for frame in frames[:-1]])
    assert (np.diff(rates, axis=0) <= 0).all()
    assert rates[-1, 0] != pytest.approx(rates[-1, 1], rel=0.1)


@pytest.mark.parametrize("method", [m for m in METHODS if m != "SGD"])
def test_everybody_reaches_the_bottom_of_a_bowl(method):
    rate = {"Adagrad": 2.0, "RMSprop": 0.02, "Adam": 0.2, "momentum": 0.05, "Nesterov": 0.05}.get(method, 0.15)
    frames, stop = play(method=method, learning_rate=rate, max_steps=3000, tol=1e-3 if method != "RMSprop" else 0.1)
    assert stop is Stop.CONVERGED
    np.testing.assert_allclose(frames[-1].model.parameters, 0, atol=0.1)


def test_a_decaying_rate_is_used_step_by_step():
    frames, _ = play(method="fixed step", learning_rate=0.1, decay=0.5, max_steps=4, tol=1e-12)
    assert [frame.metrics["rate"] for frame in frames[:4]] == pytest.approx([0.1, 0.1 / 1.5, 0.05, 0.04])
    at, slope = way(frames), quadratic(10.0).slope
    np.testing.assert_allclose(at[2], at[1] - 0.1 / 1.5 * slope(at[1:2])[0])


# --- line searches ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["quadratic", "Rosenbrock", "Himmelblau", "two wells", "square roots"])
def test_exact_line_search_finds_the_lowest_place_on_the_line(name):
    surface = analytic(name, 10.0)
    at = np.array(surface.start)
    direction = -surface.slope(at[None])[0]
    length = exact_length(surface, at, direction)

    def height(t):
        return surface.height((at + t * direction)[None])[0]

    known = minimize_scalar(height, bounds=(0, 2 * length), method="bounded", options={"xatol": 1e-12})
    assert length == pytest.approx(known.x, rel=1e-4)
    slope = surface.slope((at + length * direction)[None])[0]
    assert slope @ direction == pytest.approx(0, abs=1e-9 * (direction @ direction))


def test_exact_line_search_on_a_quadratic_is_the_closed_form_and_turns_square():
    frames, _ = play(method="exact line search", max_steps=6, tol=1e-12)
    H, at = quadratic(10.0).H, way(frames)
    g = at[0] @ H
    assert frames[0].metrics["rate"] == pytest.approx((g @ g) / (g @ H @ g))
    moves = np.diff(at, axis=0)
    for one, two in itertools.pairwise(moves):
        assert one @ two == pytest.approx(0, abs=1e-9)


def test_backtracking_stops_at_the_first_length_that_is_low_enough():
    surface = analytic("Rosenbrock", 1.0)
    at = np.array([-1.2, 1.0])
    g = surface.slope(at[None])[0]
    trials, there = backtrack(surface, at, -g, g, 1.0, 1e-4)
    assert trials == tuple(0.5**k for k in range(len(trials)))
    assert there == surface.height((at - trials[-1] * g)[None])[0]
    assert backtrack(surface, at, g, g, 1.0, 1e-4)[0][-1] < 1e-12  # uphill only rounding is low enough

    def low_enough(t):
        return surface.height((at - t * g)[None])[0] <= surface.height(at[None])[0] - 1e-4 * t * g @ g

    assert low_enough(trials[-1])
    assert not any(low_enough(t) for t in trials[:-1])


def test_armijo_never_climbs_and_arrives():
    frames, stop = play(surface="Himmelblau", method="Armijo backtracking")
    heights = np.array([frame.metrics["height"] for frame in frames])
    assert stop is Stop.CONVERGED
    assert (np.diff(heights) <= 0).all()
    assert heights[-1] == pytest.approx(0, abs=1e-9)


def test_conjugate_gradients_cross_rosenbrocks_valley():
    frames, stop = play(surface="Rosenbrock", method="conjugate gradient")
    known = minimize(lambda t: analytic("Rosenbrock", 1.0).height(t[None])[0], (-1.2, 1.0), method="CG")
    assert stop is Stop.CONVERGED
    np.testing.assert_allclose(frames[-1].model.parameters, known.x, atol=1e-3)
    assert frames[-1].model.steps < 60


# --- batches ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surface", [SQUARED, LOGISTIC])
def test_a_batch_of_everything_is_plain_descent(surface):
    common = {"data": CLASSES, "surface": surface, "learning_rate": 0.05, "max_steps": 20}
    whole = way(play(method="SGD", batch=80, **common)[0])
    np.testing.assert_allclose(whole, way(play(method="fixed step", **common)[0]), atol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 10, 80, 200])
def test_an_epoch_uses_every_point_once(size):
    walker, rng, seen = Walker.begin("SGD", np.zeros(2)), np.random.default_rng(0), []
    for _ in range(-(-80 // size)):
        walker, rows = next_batch(walker, 80, size, rng)
        seen.extend(rows.tolist())
    assert sorted(seen) == list(range(80))
    assert sorted(next_batch(walker, 80, 80, rng)[1].tolist()) == list(range(80))


def test_the_gradients_of_the_batches_average_to_the_gradient():
    for make in (squared_loss, logistic_loss):
        loss, at = make(CLASSES), np.array([0.3, -0.7])
        parts = np.random.default_rng(0).permutation(80).reshape(8, 10)
        mean = np.mean([loss.slopes(at, rows).mean(axis=0) for rows in parts], axis=0)
        np.testing.assert_allclose(mean, loss.slope(at[None])[0])


def test_the_batch_is_ringed_before_it_is_used():
    frames, _ = play(CLASSES, surface=LOGISTIC, method="SGD", batch=5, learning_rate=0.3, max_steps=3)
    rows = next(mark.points for mark in frames[1].views["plane"] if isinstance(mark, Highlight))
    loss, at = logistic_loss(CLASSES), frames[1].model.parameters
    expected = at - 0.3 * loss.slopes(at, rows).mean(axis=0)
    np.testing.assert_allclose(frames[2].model.parameters, expected)


def test_noise_leads_away_from_a_saddle_where_plain_descent_rests():
    start = [[2.0, 0.0]]
    frames, stop = play(surface="saddle", method="fixed step", start=start)
    assert stop is Stop.CONVERGED
    assert "no minimum" in frames[-1].warning
    frames, stop = play(surface="saddle", method="SGD", start=start)
    assert stop == Ended(Stop.DIVERGED, "f falls for ever: it has no minimum")
    assert "no minimum" in frames[-1].caption


# --- what is said and shown ------------------------------------------------------------------------------------------


def test_divergence_is_said_and_stays_finite():
    frames, stop = play(surface="Rosenbrock", method="fixed step", learning_rate=0.15)
    assert stop is Stop.DIVERGED
    assert "limit of fixed step" in frames[0].warning
    assert frames[-1].caption.startswith("Diverged")
    assert "smaller learning rate" in frames[-1].warning
    for frame in frames:
        assert all(np.isfinite(array).all() for array in arrays_in(frame))
        assert np.isfinite(list(frame.metrics.values())).all()
    reach = max(np.abs(mark.at).max() for mark in frames[-1].views["surface"] if isinstance(mark, Paths))
    assert reach < 1000


def test_a_local_minimum_is_called_one():
    frames, stop = play(surface="two wells", method="fixed step", learning_rate=0.1)
    assert stop is Stop.CONVERGED
    assert frames[-1].model.parameters[0] == pytest.approx(0.9600, abs=1e-3)
    assert "only a local one" in frames[-1].warning
    assert play(surface="two wells", start=[[-1.5, 1.0]], learning_rate=0.1)[0][-1].warning == ""


def extent_and_start(start):
    first = play(start=[start], max_steps=1)[0][0]
    marks = {type(mark): mark for mark in first.views["surface"]}
    return marks[Extent], marks[Centres]


def test_the_start_can_be_dragged_and_the_picture_stands_still_meanwhile():
    usual, centre = extent_and_start((1.0, 2.0))
    assert centre.handle == "start"
    np.testing.assert_array_equal(centre.at, [[1.0, 2.0]])
    moved, _ = extent_and_start((6.9, -2.9))  # still on the screen of a wide window
    assert (moved.left, moved.right, moved.bottom, moved.top) == (usual.left, usual.right, usual.bottom, usual.top)


def test_the_picture_grows_for_a_start_far_away():
    grown, _ = extent_and_start((90.0, -20.0))
    assert grown.right > 90.0 / 4
    assert (grown.right - grown.left) / (grown.top - grown.bottom) == pytest.approx(8 / 6)


@pytest.mark.parametrize("start", [[[1.0, 2.0], [3.0, 4.0]], [[1.0]], [[1.0, 2.0, 3.0]], [[1e30, 0.0]]])
def test_a_start_that_is_no_place_is_refused(start):
    with pytest.raises(DataError, match="start"):
        play(start=start)


@pytest.mark.parametrize("method", METHODS)
def test_the_arrows_end_where_the_next_step_goes(method):
    frames, _ = play(surface="two wells", method=method, learning_rate=0.03, max_steps=4)
    for frame, after in itertools.pairwise(frames[:4]):
        arrows = next(mark for mark in frame.views["surface"] if isinstance(mark, Arrows))
        assert arrows.roles[-1] == "step"
        np.testing.assert_allclose(arrows.end[-1], after.model.parameters)
        np.testing.assert_allclose(arrows.start[-1], frame.model.parameters)


@pytest.mark.parametrize("method", ["momentum", "Nesterov"])
def test_momentum_and_pull_add_up_to_the_step(method):
    frame = play(method=method, learning_rate=0.02, max_steps=5)[0][4]
    arrows = next(mark for mark in frame.views["surface"] if isinstance(mark, Arrows))
    memory, force, step = np.stack([arrows.start, arrows.end], axis=1)
    np.testing.assert_allclose(memory[1], force[0])  # the pull begins where the momentum ends
    np.testing.assert_allclose(force[1], step[1])


def test_the_line_moves_with_the_parameters():
    frames, _ = play(surface=SQUARED, method="Newton")
    line = next(mark for mark in frames[-1].views["plane"] if isinstance(mark, Curve))
    np.testing.assert_allclose(line.y, 1.1 + 1.1 * line.x)
    residuals = next(mark for mark in frames[-1].views["plane"] if isinstance(mark, Segments))
    np.testing.assert_allclose((residuals.start - residuals.end)[:, 1], [-0.1, 0.8, -1.3, 0.6])


def test_the_boundary_of_the_logistic_loss_is_where_the_prediction_changes():
    frames, _ = play(CLASSES, surface=LOGISTIC, method="damped Newton")
    line = next(mark for mark in frames[-1].views["plane"] if isinstance(mark, Curve))
    on_line = np.column_stack([line.x, line.y])
    side = 1e-3 * np.array([frames[-1].model.parameters])
    assert (ALGORITHM.predict(frames[-1].model, on_line + side) == 1).all()
    assert (ALGORITHM.predict(frames[-1].model, on_line - side) == 0).all()


def test_each_of_a_race_runs_as_it_does_alone():
    frames, _ = play(surface="Himmelblau", method="race of all twelve", learning_rate=0.01, max_steps=25)
    for number, method in enumerate(METHODS):
        if method != "SGD":
            alone = way(play(surface="Himmelblau", method=method, learning_rate=0.01, max_steps=25)[0])
            np.testing.assert_array_equal(way(frames, number)[: len(alone)], alone)


def test_a_race_ends_when_nobody_walks_and_tells_who_was_lost():
    frames, stop = play(surface="Himmelblau", method="race of second order")
    assert stop == Ended(Stop.CONVERGED, "4 of 4 have arrived")
    frames, stop = play(surface="Rosenbrock", method="race of momentum", learning_rate=0.1)
    assert stop == Ended(Stop.CONVERGED, "1 of 4 has arrived")
    assert frames[-1].warning == "Fixed step, momentum and Nesterov diverged."
    names = next(mark.names for mark in frames[-1].views["surface"] if isinstance(mark, Paths))
    assert names == ("fixed step (flew away)", "momentum (flew away)", "Nesterov (flew away)", "conjugate gradient")


def test_nobody_flies_away_in_the_usual_race():
    frames, _ = play(method="race", max_steps=60)
    assert "diverged" not in frames[-1].warning
    assert np.isfinite(frames[-1].model.heights).all()


@pytest.mark.parametrize("race", ["race", "race of momentum"])
@pytest.mark.parametrize("surface", [*FORMULAE, SQUARED, LOGISTIC])
def test_no_step_that_suits_the_surface_flies_away_in_a_race(surface, race):
    """Only along a line that falls for ever, beside the pass of the saddle, a search ends nowhere."""
    given = suited(ALGORITHM.params, {"surface": surface, "method": race})
    frames, _ = play(CLASSES if surface == LOGISTIC else generate("line", n=60, noise=0.3, seed=1), **given)
    states = {walker.method: walker.status for walker in frames[-1].model.walkers}
    searching = {"exact line search", "conjugate gradient"} if surface == "saddle" else set()
    assert {method for method, status in states.items() if status == "diverged"} <= searching


def test_the_runners_are_methods():
    assert set().union(*RUNNERS.values()) == set(METHODS)


# --- predict, field, explain -----------------------------------------------------------------------------------------


def test_places_near_a_minimum_lead_to_it_and_a_rate_too_large_leads_nowhere():
    model = play(surface="Himmelblau", shade="basins", learning_rate=0.01, max_steps=1)[0][0].model
    near = model.surface.minima[:, None] + np.array([[0.3, 0.2], [-0.2, 0.1]])
    labels = ALGORITHM.predict(model, near.reshape(-1, 2)).reshape(4, 2)
    np.testing.assert_array_equal(labels, np.arange(4)[:, None] * [1, 1])
    wild = play(surface="Himmelblau", shade="basins", learning_rate=0.15, max_steps=1)[0][0].model
    assert (ALGORITHM.predict(wild, near.reshape(-1, 2)) == 4).all()


def test_basins_are_where_a_run_from_there_ends():
    model = play(surface="two wells", shade="basins", learning_rate=0.05, max_steps=1)[0][0].model
    starts = np.random.default_rng(2).uniform(-1.5, 1.5, size=(12, 2))
    for start, label in zip(starts, ALGORITHM.predict(model, starts)):
        end = play(surface="two wells", learning_rate=0.05, start=[start], max_steps=1000)[0][-1].model.parameters
        np.testing.assert_allclose(end, model.surface.minima[label], atol=1e-4)


def test_newtons_basins_are_newtons():
    model = play(surface="Himmelblau", method="Newton", shade="basins", max_steps=1)[0][0].model
    starts = np.random.default_rng(4).uniform(2, 5, size=(8, 2))
    for start, label in zip(starts, ALGORITHM.predict(model, starts)):
        frames, _ = play(surface="Himmelblau", method="Newton", start=[start])
        gaps = np.linalg.norm(model.surface.minima - frames[-1].model.parameters, axis=1)
        assert label == (gaps.argmin() if gaps.min() < 1e-3 else 4)


def test_the_shading_by_curvature_is_the_criterion_of_the_hessian():
    model = play(surface="two wells", shade="curvature", max_steps=1)[0][0].model
    x = np.array([-1.5, -0.6, -0.5, 0.0, 0.5, 0.6, 1.5])  # 12 x² - 4 > 0 beyond 1/√3 = 0.577
    np.testing.assert_array_equal(ALGORITHM.predict(model, np.column_stack([x, x])), [0, 0, 1, 1, 1, 0, 0])


def test_explanations():
    frames, _ = play(surface=SQUARED, method="Newton")
    answer = ALGORITHM.explain(frames[-1].model, LINE, LINE.item(1))
    assert answer["the line there"] == pytest.approx(2.2)
    assert answer["residual"] == pytest.approx(0.8)
    assert answer["pull on w1 (slope)"] == pytest.approx(2 * 0.8 * 1.0)
    frames, _ = play(CLASSES, surface=LOGISTIC, method="damped Newton")
    answer = ALGORITHM.explain(frames[-1].model, CLASSES, Item(x=CLASSES.X.mean(axis=0)))
    assert answer["probability of the second class"] == pytest.approx(0.5)
    answer = ALGORITHM.explain(play(surface="saddle", max_steps=1)[0][0].model, CLASSES, Item(x=np.array([1.0, 2.0])))
    assert (answer["height f"], answer["the surface here"]) == (-1.5, "a saddle")


def test_field_is_the_height():
    model = fit("gradient_descent", LINE, surface="Himmelblau", max_steps=1).model
    np.testing.assert_allclose(ALGORITHM.field(model, np.array([[0.0, 0.0], [3.0, 2.0]])), [170.0, 0.0])


# --- going on, odd data ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [m for m in METHODS if m != "SGD"])
def test_going_on_is_the_same_as_never_having_stopped(method):
    common = {"surface": "Himmelblau", "method": method, "learning_rate": 0.01, "max_steps": 24, "tol": 1e-9}
    whole, _ = play(**common)
    if whole[-1].model.steps > 6:
        resumed, _ = play(resume=whole[6].model, **common)
        for one, two in zip(resumed[:8], whole[6:14]):
            np.testing.assert_array_equal(one.model.parameters, two.model.parameters)
            np.testing.assert_array_equal(one.model.trail, two.model.trail)


def test_a_smaller_rate_brings_a_lost_walker_back_to_the_start():
    lost, stop = play(learning_rate=0.3)
    assert stop is Stop.DIVERGED
    frames, stop = play(learning_rate=0.15, resume=lost[-1].model)
    np.testing.assert_array_equal(frames[0].model.parameters, quadratic(10.0).start)
    assert stop is Stop.CONVERGED


@pytest.mark.parametrize("surface", [SQUARED, LOGISTIC])
@pytest.mark.parametrize("name", list(examples.degenerate(ALGORITHM)))
def test_losses_of_odd_data_are_finite_or_refused(surface, name):
    data = examples.degenerate(ALGORITHM)[name]
    for method in ("fixed step", "damped Newton", "SGD"):
        try:
            frames, _ = play(data, surface=surface, method=method, max_steps=12)
        except DataError as error:
            assert str(error).endswith(".")  # noqa: PT017
            continue
        for frame in frames:
            assert all(np.isfinite(array).all() for array in arrays_in(frame))
            assert np.isfinite(list(frame.metrics.values())).all()


@pytest.mark.parametrize(
    ("data", "surface", "words"),
    [
        (Points(np.arange(4.0), np.array([0, 1, 0, 1])), SQUARED, "a real value"),
        (Points(np.arange(4.0)), SQUARED, "a real value"),
        (Points(CLOUD), LOGISTIC, "needs a class"),
        (Points(CLOUD, np.zeros(80, dtype=int)), LOGISTIC, "two classes"),
    ],
)
def test_data_without_what_a_loss_needs_are_refused(data, surface, words):
    with pytest.raises(DataError, match=words):
        play(data, surface=surface)


def test_more_classes_are_the_first_against_the_others():
    three = Points(CLOUD, np.arange(80) % 3)
    two = Points(CLOUD, (np.arange(80) % 3 > 0).astype(int))
    one, other = logistic_loss(three), logistic_loss(two)
    assert isinstance(one, LogisticLoss)
    np.testing.assert_array_equal(one.y, other.y)


def test_every_method_has_a_line_of_its_own():
    lit = {phase for line in ALGORITHM.pseudocode for phase in line.phases}
    assert {_PHASES.get(method, "adaptive") for method in (*METHODS, *RUNNERS)} <= lit
    assert Params().method in METHODS


@pytest.mark.parametrize("surface", ["quadratic", "saddle"])
def test_the_caption_counts_the_steps_of_the_time_line(surface):
    """The last step is the last frame."""
    frames, _ = play(surface=surface)
    assert len(frames) - 1 == frames[-1].model.steps
    assert frames[-1].phase in ("done", "diverged")
    limited, _ = play(surface=surface, max_steps=7)
    assert len(limited) == 8
    assert limited[-1].caption.startswith("The limit is reached after 7 steps")


def test_a_students_own_descent_is_shown():
    """A place per step: our heights, slopes and captions; a wrong shape names the step."""
    places = [[-2.0, 1.0], [-1.0, 0.5], [0.0, 0.0]]
    shots = list(show("gradient_descent", iter(places), LINE, {"surface": "quadratic", "condition": 10.0}))
    heights = quadratic(10.0).height(np.array(places))
    assert [shot.metrics["height"] for shot in shots] == pytest.approx(heights.tolist())
    assert shots[1].metrics["step"] == pytest.approx(5**0.5 / 2)
    assert shots[1].caption.startswith(f"A step of 1.118: f falls from {heights[0]:.4g} to {heights[1]:.4g}, ")
    assert shots[-1].model.trail[:, 0].tolist() == places
    with pytest.raises(DataError, match="Step 1"):
        list(show("gradient_descent", iter([[0.0, 1.0], [0.0]]), LINE, {}))
