"""Lasso, elastic net and powers: by hand, optimality conditions, scikit-learn, brute force, and the ball touched."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import ElasticNet, Lasso

import algorithms
from algorithms import Stop, find
from algorithms.data import Points
from algorithms.interrupt import interruptible
from algorithms.marks import Curve, Dots, Extent, ReferenceLine
from algorithms.maths.ball_marks import Section, outline
from algorithms.maths.coordinate_descent import CoordinateDescent, kkt_violation, sign_search, soft
from algorithms.maths.cross_validation import along_path, lambda_grid
from algorithms.maths.design import Design
from algorithms.maths.dictionaries import build_dictionary
from algorithms.maths.linear_fits import fitted, solve
from algorithms.maths.linear_model import chosen_pair
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty, powers
from algorithms.maths.power_penalty import PowerDescent, jump, shrink, solve_power, valleys
from algorithms.regression.lasso.solver import descend
from algorithms.regression.lasso.views import unit_balls
from tests.algorithms.regression_cases import wavy

KEY = "lasso"
X4, Y4 = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 2.0, 5.0])
POWERS = (0.0, 0.3, 0.5, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0)


def problem(seed=0, n=30, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, -1] += X[:, 0]
    return X, X @ np.array([2.0, -1.0, 0.0, 0.5, 0.1][:p]) + rng.normal(size=n)


def fit(X, y, **params):
    """Over the features themselves, where nothing else is said."""
    return algorithms.fit(KEY, X, y, **{"degree": 1, **params})


def frames_of(data, **params):
    algorithm = find(KEY)
    return list(algorithm.start(data, algorithm.make_params({"degree": 1, **params}), 0))


def ridge(X, y, **params):
    return algorithms.fit("linear_regression", X, y, penalty="ridge", **params)


# --- by hand ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lam", "slope"), [(1e-6, 1.1), (1.0, 1.0), (4.0, 0.7), (20.0, 0.0)])
def test_lasso_of_one_feature(lam, slope):
    result = fit(X4, Y4, lam=lam)
    assert result.model.coefficients[0] == pytest.approx(slope, abs=1e-6)
    assert result.model.intercept == pytest.approx(Y4.mean() - slope * X4.mean(), abs=1e-5)
    assert result.stop is Stop.CONVERGED


def test_orthonormal_columns():
    """z = (1.5, -0.2, 0.6), λ = 1: soft threshold λ/2."""
    result = fit(np.eye(3), np.array([1.5, -0.2, 0.6]), lam=1.0, intercept="none")
    assert result.model.coefficients == pytest.approx((1.0, 0.0, 0.1), abs=1e-9)
    assert result.model.intercept == 0.0


def test_soft_threshold():
    assert [soft(value, 0.5) for value in (1.5, -0.2, 0.6, -2.0)] == pytest.approx([1.0, 0.0, 0.1, -1.5])


def test_elastic_net_ends():
    X, y = wavy(d=2)
    lasso, plain = fit(X, y, lam=3.0, degree=3).model, ridge(X, y, lam=3.0, degree=3).model
    for mix, pure in ((1.0, lasso), (0.0, plain)):
        mixed = fit(X, y, penalty="elastic net", mix=mix, lam=3.0, degree=3).model
        assert mixed.coefficients == pytest.approx(pure.coefficients, abs=1e-6)


def test_there_is_no_band():
    assert fit(X4, Y4).model.spread is None


# --- the conditions --------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.floats(1e-3, 30.0), st.floats(0.05, 1.0))
def test_sign_search_ends_where_the_conditions_hold(seed, p, lam, share):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(12, p))
    Z[:, -1] = Z[:, 0] + 0.01 * rng.normal(size=12)  # nearly the same column twice
    H, c, l1 = Z.T @ Z + lam * (1 - share) * np.eye(p), Z.T @ rng.normal(size=12), np.full(p, lam * share)
    found = sign_search(H, c, l1)
    assert kkt_violation(H, c, l1, found) < 1e-8 * (1 + np.abs(c).max())


def test_coordinate_descent_never_raises_the_objective_and_meets_the_sign_search():
    X, y = wavy(d=2)
    frames = frames_of(Points(X, y), lam=2.0, degree=3, sweep=False)
    values = [frame.metrics["objective"] for frame in frames]
    assert np.diff(values).max() <= 1e-9
    assert {"coordinate", "sweep"} <= {frame.phase for frame in frames}
    columns = frames[-1].model.dictionary.columns(X)
    _, exact = fitted(columns, y, True, Penalty(2.0), Loss())
    assert frames[-1].model.coefficients == pytest.approx(exact, abs=1e-6)
    assert fit(X, y, lam=2.0, degree=3, sweep=False).stop is Stop.CONVERGED


def test_conditions_of_the_lasso():
    X, y = wavy(d=2)
    lam = 4.0
    result = fit(X, y, lam=lam, degree=3)
    beta, columns = result.model.coefficients, result.model.dictionary.columns(X)
    slope = 2 * columns.T @ (y - result.predict(X))
    assert 0 < np.count_nonzero(beta) < len(beta)
    assert slope[beta != 0] == pytest.approx(lam * np.sign(beta[beta != 0]), abs=1e-5)
    assert np.abs(slope[beta == 0]).max() <= lam + 1e-5


def test_everything_is_zero_from_the_largest_lambda_on():
    X, y = wavy(d=2)
    largest = 2 * np.abs(X.T @ (y - y.mean())).max()
    assert np.count_nonzero(fit(X, y, lam=1.001 * largest).model.coefficients) == 0
    assert np.count_nonzero(fit(X, y, lam=0.99 * largest).model.coefficients) == 1


def test_a_slow_descent_is_finished_exactly():
    x = np.random.default_rng(0).random((100, 1))
    y = np.sin(6 * x[:, 0])
    result = fit(x, y, degree=9, lam=0.01, sweep=False)
    assert result.stop is Stop.CONVERGED
    oracle = fitted(result.model.dictionary.columns(x), y, True, Penalty(0.01), Loss())[1]
    assert result.model.coefficients == pytest.approx(oracle, abs=1e-4)
    cut = fit(x, y, degree=9, lam=0.01, sweep=False, max_steps=5)
    assert cut.stop is Stop.LIMIT
    assert "5 sweeps were not enough" in cut.last.warning


def test_descent_steps_are_soft_thresholds_of_the_raw_columns():
    X, y = wavy(d=2)
    centred, target = X - X.mean(axis=0), y - y.mean()
    design, lam, mix = Design.of(X, y, centred=True), 3.0, 0.4
    descent = CoordinateDescent.of(design, Penalty(lam * mix, lam * (1 - mix)))
    b, *_ = descent.step(np.zeros(2), 0)
    column = centred[:, 0]
    by_hand = soft(float(column @ target), lam * mix / 2) / float(column @ column + lam * (1 - mix))
    assert design.coefficients(b)[1] == pytest.approx([by_hand, 0.0])


# --- scikit-learn ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dictionary", ["polynomial", "sine and cosine", "gaussian bumps", "log", "wavelets"])
@pytest.mark.parametrize("d", [1, 2])
def test_against_scikit_learn(dictionary, d):
    """It divides the squares by 2n: alpha = λ/(2n) is our lasso."""
    X, y = wavy(60, d=d)
    lam, mix, n = 0.8, 0.3, len(X)
    columns = build_dictionary(dictionary, 3, X, tuple("ab"[:d]))[0].columns(X)
    l1, l2 = lam * mix / (2 * n), lam * (1 - mix) / n
    exact = {"tol": 1e-12, "max_iter": 200_000}
    oracles = {
        "lasso": Lasso(alpha=lam / (2 * n), **exact),
        "elastic net": ElasticNet(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2), **exact),
    }
    for penalty, oracle in oracles.items():
        ours = fit(X, y, dictionary=dictionary, degree=3, penalty=penalty, lam=lam, mix=mix, sweep=False)
        wanted = oracle.fit(columns, y).predict(columns)
        assert ours.predict(X) == pytest.approx(wanted, abs=2e-5), penalty


def test_path_is_the_fit_of_each_lambda():
    X, y = wavy(d=2)
    columns = build_dictionary("polynomial", 3, X, ("a", "b"))[0].columns(X)
    lambdas = np.geomspace(30.0, 0.01, 7)
    for lam, (intercept, beta) in zip(lambdas, along_path(columns, y, True, Loss(), [Penalty(lam) for lam in lambdas])):
        oracle = Lasso(alpha=lam / (2 * len(X)), tol=1e-12, max_iter=200_000).fit(columns, y)
        assert (intercept, *beta) == pytest.approx((oracle.intercept_, *oracle.coef_), abs=1e-5)


# --- the run ---------------------------------------------------------------------------------------------------------


def test_path_and_its_handle():
    X, y = wavy(d=2)
    frames = frames_of(Points(X, y), lam=0.5)
    *curves, rule = frames[-1].views["path"]
    assert isinstance(rule, ReferenceLine)
    assert (rule.at, rule.handle) == (0.5, "lam")
    assert len(curves) == 2
    assert all(curve.y[0] == 0.0 for curve in curves)  # beyond the largest λ
    assert curves[0].x[0] > 0.5 > curves[0].x[-1]
    assert [frame.phase for frame in frames].count("lambda") == len(curves[0].x)


def test_a_live_change_goes_on_from_the_fit():
    X, y = wavy()
    data, algorithm = Points(X, y), find(KEY)
    before = frames_of(data, lam=1.0, degree=4)[-1].model
    params = algorithm.make_params({"lam": 1.1, "degree": 4, "sweep": False})
    warm = list(algorithm.start(data, params, 0, before))
    cold = list(algorithm.start(data, params, 0))
    assert warm[0].model.coefficients.tolist() == before.coefficients.tolist()
    assert warm[-1].model.coefficients == pytest.approx(cold[-1].model.coefficients, abs=1e-6)
    assert len(warm) < len(cold)


def test_the_names_that_users_write_down():
    fields = {field.name: field for field in find(KEY).fields}
    assert {"penalty", "lam", "mix", "q", "dictionary", "degree"} <= set(fields)
    assert set(fields["penalty"].choices) == {"lasso", "elastic net", "power"}


# --- one coefficient -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("q", "answer"), [(0.0, 3.0), (1.0, 2.5), (2.0, 1.5)])
def test_hard_threshold_soft_threshold_and_division(q, answer):
    """b² - 6b + |b|^q: with q = 0 nothing or all of 3, with q = 1 a half less, with q = 2 a half of it."""
    assert shrink(3.0, 1.0, 1.0, q) == pytest.approx(answer)
    assert shrink(-3.0, 1.0, 1.0, q) == pytest.approx(-answer)
    assert shrink(0.9, 1.0, 1.0, 0.0) == 0.0
    assert shrink(0.4, 1.0, 1.0, 1.0) == 0.0


@settings(max_examples=200, deadline=None)
@example(q=1.2, c=5e-324, h=1.0, price=1.0)
@example(q=3.0, c=5e-324, h=5.0, price=1.0)
@given(st.sampled_from(POWERS), st.floats(-5, 5), st.floats(0.1, 5), st.floats(0.01, 10))
def test_no_place_is_cheaper(q, c, h, price):
    def cost(b):
        return h * b**2 - 2 * c * b + price * np.where(b == 0, 0.0, np.abs(b) ** q)

    best = cost(np.array(shrink(c, h, price, q)))
    assert best <= cost(np.linspace(-1.2 * abs(c) / h, 1.2 * abs(c) / h, 4001)).min() + 1e-9 * (1 + abs(best))


@pytest.mark.parametrize("q", [0.0, 0.3, 0.7])
def test_below_one_a_coefficient_jumps(q):
    """Just below the jump 0 costs least, just above a value well away from it; at the jump both cost the same."""
    edge = jump(2.0, 3.0, q)
    assert shrink(0.999 * edge, 2.0, 3.0, q) == 0.0
    away = shrink(1.001 * edge, 2.0, 3.0, q)
    assert away > 0.3 * edge / 2.0
    assert 2.0 * away**2 - 2.0 * edge * away + 3.0 * away**q == pytest.approx(0.0, abs=0.01)


def test_at_one_half_the_known_threshold():
    """For ½(b - c)² + μ√b the jump is at 3/2 μ^(2/3) (Xu et al. 2012); ours is twice that with μ = price / 2."""
    assert jump(1.0, 2.0, 0.5) == pytest.approx(1.5)


# --- several coefficients --------------------------------------------------------------------------------------------


def test_the_two_powers_with_names():
    X, y = problem()
    for q, named in ((1.0, fit(X, y, lam=5.0)), (2.0, ridge(X, y, lam=5.0))):
        power = fit(X, y, penalty="power", q=q, lam=5.0).model
        assert power.coefficients == pytest.approx(named.model.coefficients, abs=1e-9)


@pytest.mark.parametrize("q", [0.999, 1.001, 1.999, 2.001])
def test_nothing_jumps_beside_them(q):
    X, y = problem()
    near = fit(X, y, penalty="power", q=q, lam=5.0, sweep=False).model.coefficients
    there = fit(X, y, penalty="power", q=round(q), lam=5.0, sweep=False).model.coefficients
    assert near == pytest.approx(there, abs=0.02)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.floats(1.0, 60.0))
def test_power_zero_is_the_best_subset_with_a_price_for_each_column(seed, lam):
    X, y = problem(seed)
    design = Design.of(X, y, centred=True)
    H, c = design.Z.T @ design.Z, design.Z.T @ design.y
    best = min(valleys(H, c, np.full(4, lam), 0.0), key=lambda one: one[0])[0]
    costs = []
    for size in range(5):
        for columns in itertools.combinations(range(4), size):
            part = list(columns)
            costs.append(lam * size - (c[part] @ np.linalg.solve(H[np.ix_(part, part)], c[part]) if part else 0.0))
    assert best >= min(costs) - 1e-9
    # a descent may end in another valley than the best subset, but in none that one exchange would leave
    assert best <= sorted(costs)[2] + 1e-9


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(POWERS), st.floats(0.5, 20))
def test_every_small_move_costs(seed, q, lam):
    X, y = problem(seed)
    design = Design.of(X, y, centred=True)
    _, beta = design.coefficients(solve(design, Penalty.power(lam, q)))
    Xc, yc = X - X.mean(axis=0), y - y.mean()

    def objective(b):
        return ((yc - Xc @ b) ** 2).sum() + lam * powers(b, q)

    best, rng = objective(beta), np.random.default_rng(seed)
    for _ in range(60):
        direction = rng.normal(size=4) * (1.0 if q >= 1 else (beta != 0) | (rng.random(4) < 0.3))
        assert objective(beta + 1e-4 * direction) >= best - 1e-9


def test_gradient_is_zero_where_the_penalty_is_smooth():
    X, y = problem()
    lam, q = 4.0, 1.5
    result = fit(X, y, penalty="power", q=q, lam=lam)
    beta = result.model.coefficients
    slope = -2 * X.T @ (y - result.predict(X)) + lam * q * np.abs(beta) ** (q - 1) * np.sign(beta)
    assert slope == pytest.approx(np.zeros(4), abs=1e-5)
    assert (beta != 0).all()
    assert result.stop is Stop.CONVERGED


def test_smaller_powers_are_sparser():
    X, y = problem(p=5)
    used = [np.count_nonzero(fit(X, y, penalty="power", q=q, lam=8.0).model.coefficients) for q in (0.5, 1.0, 1.5)]
    assert used == sorted(used)
    assert used[0] < 5 == used[-1]


def test_the_objective_never_rises_and_valleys_are_compared():
    X, y = problem(3)
    frames = frames_of(Points(X, y), penalty="power", q=0.5, lam=6.0, degree=2, sweep=False)
    assert np.diff([frame.metrics["objective"] for frame in frames]).max() <= 1e-9
    assert [frame.phase for frame in frames].count("valley") == 1
    assert "valley" not in [f.phase for f in frames_of(Points(X, y), penalty="power", q=1.5, lam=6.0, sweep=False)]


def test_two_valleys_are_said():
    """Two equal columns: either alone explains y, and from one to the other the way is uphill."""
    a = np.array([1.0, -1.0, 2.0, -2.0])
    H = np.array([[10.0, 9.9], [9.9, 10.0]])
    ends = {tuple(np.flatnonzero(b)) for b in (solve_power(H, H @ [1.0, 0.0], np.ones(2), 0.5, s) for s in np.eye(2))}
    assert ends == {(0,), (1,)}
    data = Points(np.column_stack([a, a + [0.1, 0.1, -0.1, -0.1]]), a)
    assert frames_of(data, penalty="power", q=0.5, lam=0.5)[-1].model.coefficients[1] == 0.0


def test_beyond_the_first_lambda_of_the_grid_all_is_zero():
    X, y = problem()
    design = Design.of(X, y, centred=True).reduced()
    for q in (0.0, 0.5):
        largest = lambda_grid(design, Penalty.power(1.0, q), 1.0)[0]
        assert not solve(design, Penalty.power(float(largest), q)).any()
        assert solve(design, Penalty.power(float(largest) / 3, q)).any()


@pytest.mark.parametrize("q", [0.0, 0.5, 4.0])
def test_tiny_and_large_numbers_are_no_trouble(q):
    X, y = problem()
    for factor in (1e-98, 1e-8, 1e8):
        result = fit(X * factor, y, penalty="power", q=q, lam=1.0, sweep=False)
        assert np.isfinite(result.predict(X * factor)).all()


def test_newton_takes_over_where_sweeps_crawl():
    x = np.linspace(0, 1, 30)[:, None]
    design = Design.of(np.hstack([x**k for k in range(1, 8)]), np.sin(6 * x[:, 0]), centred=True).reduced()
    descent = PowerDescent.of(design, Penalty(lq=0.01, q=1.5))
    found = descent.finish(np.zeros(7))
    assert descent.violation(found) < 1e-9
    slow = np.zeros(7)
    for _ in range(150):
        slow = descent.sweep(slow)
    assert descent.objective(slow) > descent.objective(found)


# --- the ball --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [0.3, 0.7, 1.0, 1.5, 2.0, 4.0])
def test_a_ball_is_convex_from_one_on(q):
    """Midpoints of two places on the skin are inside, everywhere if and only if q >= 1."""
    skin = outline(Penalty(lq=1.0, q=q), np.array([1.0, 0.0]))
    assert [powers(at, q) for at in skin] == pytest.approx(np.ones(len(skin)))
    middles = 0.5 * (skin[:, None, :] + skin[None, :, :]).reshape(-1, 2)
    assert all(powers(at, q) <= 1 + 1e-9 for at in middles) == (q >= 1)


def test_balls_with_names():
    at = np.array([0.6, 0.8])
    assert np.hypot(*outline(Penalty(l2=3.0), at).T) == pytest.approx(1.0)
    assert np.abs(outline(Penalty(l1=3.0), at)).sum(axis=1) == pytest.approx(1.4)
    mixed = outline(Penalty(1.0, 2.0), at)
    assert np.abs(mixed).sum(axis=1) + 2 * (mixed**2).sum(axis=1) == pytest.approx(1.4 + 2.0)
    assert len(outline(Penalty(l1=1.0), np.zeros(2))) == 0
    cross = outline(Penalty(lq=1.0, q=0.0), np.array([0.0, 2.0]))
    assert (cross == 0).any(axis=1).all()


@pytest.mark.parametrize(
    "price",
    [{"penalty": "power", "q": 2.0}, {}, {"penalty": "elastic net"}, {"penalty": "power", "q": 1.5}],
    ids=["ridge", "lasso", "elastic net", "power"],
)
def test_ellipse_and_ball_touch_at_the_fit(price):
    """No place inside the ball has a smaller sum of squares."""
    X, y = problem(p=3)
    frame = frames_of(Points(X, y), lam=20.0, sweep=False, **price)[-1]
    marks = {mark.name: mark for mark in frame.views["ball"] if isinstance(mark, Curve | Dots)}
    held, ball = frame.model, marks["the ball of its penalty"]
    assert (marks["fit"].x[0], marks["fit"].y[0]) == pytest.approx(held.coefficients[:2])

    def squares(first, second):
        beta = np.array([first, second, held.coefficients[2]])
        residuals = y - X @ beta
        return ((residuals - residuals.mean()) ** 2).sum()

    best = squares(*held.coefficients[:2])
    assert min(squares(x, z) for x, z in zip(ball.x, ball.y)) >= best - 1e-6
    ring = marks["sum of squares of the fit"]
    assert [squares(x, z) for x, z in zip(ring.x, ring.y)] == pytest.approx(np.full(len(ring.x), best))
    assert squares(*marks["least squares"].at[0]) < best


def test_the_section_is_the_quadratic_of_the_catalogue():
    """x = 0 .. 3, y = 1 3 2 5 over (intercept, slope): least at (1.1, 1.1); the Hessian 2/n G is [[2, 3], [3, 7]]."""
    frame = frames_of(Points(X4, Y4), sweep=False)[-1]
    ball = frame.given.ball
    section = Section.of(ball.problem, ball.pair, frame.model)
    assert section.centre == pytest.approx([1.1, 1.1])
    assert pytest.approx(np.array([[2.0, 3.0], [3.0, 7.0]])) == 2 / 4 * section.G
    assert np.linalg.eigvalsh(2 / 4 * section.G) == pytest.approx([0.594875162, 8.405124838])
    assert section.least == pytest.approx(4 * 0.675)


def test_which_two_coefficients():
    assert chosen_pair((1, 2), 5, True) == (1, 2)
    assert chosen_pair((4, 2), 5, True) == (2, 4)
    assert chosen_pair((9, 3), 5, True) == (1, 3)
    assert chosen_pair((1, 2), 1, True) == (0, 1)
    assert chosen_pair((0, 0, 0), 3, False) == (1, 2)
    assert chosen_pair((1, 2), 1, False) is None
    assert chosen_pair((), 0, True) is None


def test_unit_balls_and_the_way_with_lambda():
    X, y = problem(p=2)
    frames = frames_of(Points(X, y), penalty="lasso", lam=2.0)
    way = frames[-1].views["ball"][-1]
    assert (way.x[0], way.y[0]) == (0.0, 0.0)
    assert (way.x[-1], way.y[-1]) == pytest.approx(
        np.linalg.lstsq(X - X.mean(0), y - y.mean(), rcond=None)[0], abs=0.05
    )
    extent, *_, used = frames[-1].views["balls"]
    assert isinstance(extent, Extent)
    assert np.abs(used.x) + np.abs(used.y) == pytest.approx(1.0)
    assert len(unit_balls(Penalty(l2=1.0))) == len(frames[-1].views["balls"])


def test_every_sweep_of_a_descent_can_be_called_off():
    """Sweeps of later frames are many, and each over many columns may take long."""
    X, y = problem(n=40, p=5)
    design, asked = Design.of(X, y, True), []
    with interruptible(lambda: bool(asked.append(0))):
        *_, (_, last) = descend(design, Penalty.power(0.3, 1.5), np.zeros(5), 0.0, 60, False)
    assert last.sweeps == 60
    assert len(asked) >= 60
