"""The support vector machine: closed-form answers, identities of the theory, libsvm as an independent oracle."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_blobs
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from algorithms import fit
from algorithms.classification.kernel_svm import ALGORITHM
from algorithms.contract import Ended, Stop
from algorithms.data import DataError, Points
from algorithms.maths.smo_rules import stride
from mlviz.data.spec import load_data
from tests.algorithms.svm_cases import DATA, KERNELS, SIMPLE, dual_of, grid, libsvm, overlapping, play, separable

# --- closed form ---------------------------------------------------------------------------------------------------


def test_two_points() -> None:
    """(1, 1) against (-1, -1): α = 1/4, w = (1/2, 1/2), b = 0, margin √2 (catalogue, part 7b)."""
    frames, stop = play([[1.0, 1.0], [-1.0, -1.0]], [1, 0], kernel="linear", C=100.0)
    model = frames[-1].model
    assert stop is Stop.CONVERGED
    assert [frame.phase for frame in frames] == ["initial", "pair", "done"]
    np.testing.assert_allclose(model.alpha, [0.25, 0.25], rtol=1e-14)
    np.testing.assert_allclose(model.weights[0], [0.5, 0.5], rtol=1e-14)
    assert model.bias == 0.0
    assert 1 / np.linalg.norm(model.weights[0]) == pytest.approx(np.sqrt(2.0))


@pytest.mark.parametrize("selection", ["most violating pair", SIMPLE])
def test_exclusive_or(selection: str) -> None:
    """With (1 + x·z)²: α = 1/8 each, W = 1/4, no offset, f = ±1 at all four points."""
    X = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    y = np.array([1, 1, 0, 0])
    frames, stop = play(X, y, kernel="polynomial", degree=2, offset=1.0, C=10.0, tol=1e-9, selection=selection)
    model = frames[-1].model
    assert stop is Stop.CONVERGED
    np.testing.assert_allclose(model.alpha, np.full(4, 1 / 8), rtol=1e-7)
    assert frames[-1].metrics["dual"] == pytest.approx(1 / 4, rel=1e-7)
    assert model.bias == pytest.approx(0.0, abs=1e-7)
    np.testing.assert_allclose(ALGORITHM.field(model, X), [1, 1, -1, -1], rtol=1e-7)


def test_the_first_frame_is_the_untrained_machine() -> None:
    X, y = overlapping(20)
    first = play(X, y, C=3.0)[0][0]
    assert first.phase == "initial"
    assert not first.model.alpha.any()
    assert first.metrics == {"dual": 0.0, "primal": 60.0, "gap": 60.0, "violation": 2.0, "support_vectors": 0.0}
    np.testing.assert_array_equal(ALGORITHM.field(first.model, X), np.zeros(20))


# --- libsvm --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf"])
@pytest.mark.parametrize("name", DATA)
def test_agrees_with_libsvm(name: str, kernel: str, C: float) -> None:
    X, y = DATA[name]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = fit("kernel_svm", X, y, kernel=kernel, C=C, **KERNELS[kernel][0])
    theirs = libsvm(kernel, C=C).fit(X, y)
    assert ours.stop is Stop.CONVERGED
    assert ours.metrics["dual"][-1] == pytest.approx(dual_of(theirs, X), rel=1e-3)
    places = grid(X)
    assert np.mean(ours.predict(places) == theirs.predict(places)) >= 0.995
    np.testing.assert_allclose(ours.field(X), theirs.decision_function(X), rtol=2e-3, atol=0.03)


@pytest.mark.parametrize("name", ["blobs", "overlapping"])
def test_agrees_with_libsvm_for_the_sigmoid(name: str) -> None:
    X, y = DATA[name]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = fit("kernel_svm", X, y, kernel="sigmoid", C=5.0, tol=1e-4, **KERNELS["sigmoid"][0])
    theirs = libsvm("sigmoid", C=5.0).fit(X, y)
    assert ours.stop is Stop.CONVERGED
    assert ours.metrics["dual"][-1] == pytest.approx(dual_of(theirs, X), rel=1e-3)
    assert np.mean(ours.predict(grid(X)) == theirs.predict(grid(X))) >= 0.995


@pytest.mark.parametrize("multiclass", ["one-versus-rest", "one-versus-one"])
def test_agrees_with_libsvm_on_iris(multiclass: str) -> None:
    X, y = load_iris(return_X_y=True)
    ours = fit("kernel_svm", X, y, sigma=1.0, multiclass=multiclass)
    theirs = SVC(C=1.0, gamma=0.5)
    theirs = (OneVsRestClassifier(theirs) if multiclass == "one-versus-rest" else theirs).fit(X, y)
    assert ours.stop is Stop.CONVERGED
    rng = np.random.default_rng(0)
    places = rng.uniform(X.min(axis=0), X.max(axis=0), size=(2000, 4))
    assert np.mean(ours.predict(places) == theirs.predict(places)) >= 0.995
    assert np.mean(ours.predict(X) == y) > 0.96
    if multiclass == "one-versus-rest":
        np.testing.assert_allclose(ours.field(X), theirs.decision_function(X), atol=0.02)


# --- the certificate -----------------------------------------------------------------------------------------------

RULES = [
    ("rbf", "linear", "most violating pair"),
    ("linear", "linear", "most violating pair"),
    ("rbf", "squared", "most violating pair"),
    ("linear", "linear", SIMPLE),
    ("rbf", "squared", SIMPLE),
]


@pytest.mark.parametrize(("kernel", "slack", "selection"), RULES)
def test_every_step_climbs_and_stays_feasible(kernel: str, slack: str, selection: str) -> None:
    X, y = overlapping(40)
    C = 2.0
    frames, stop = play(X, y, kernel=kernel, slack=slack, selection=selection, C=C)
    assert stop is Stop.CONVERGED
    signs = np.where(y == 1, 1.0, -1.0)
    duals = np.array([frame.metrics["dual"] for frame in frames])
    assert (np.diff(duals) >= -1e-12 * np.abs(duals[1:])).all()
    for before, frame in itertools.pairwise(frames):
        alpha = frame.model.alpha
        assert alpha.min() >= 0.0
        assert slack == "squared" or alpha.max() <= C
        assert abs(alpha @ signs) <= 1e-12 * C
        one_in = frame.caption.partition("(one in ")[2].partition(" ")[0]
        pairs = int(one_in or 1)
        assert frame.phase == "face" or np.count_nonzero(alpha != before.model.alpha) <= 2 * pairs
        assert frame.metrics["gap"] >= 0.0
        assert frame.metrics["primal"] - frame.metrics["dual"] == pytest.approx(frame.metrics["gap"], abs=1e-12)


def test_of_many_pairs_ever_fewer_are_shown() -> None:
    """All of the first 64, then every second to 128, every fourth to 256 ..., and the last of all."""
    X, y = overlapping(60)
    frames, stop = play(X, y, sigma=0.5, C=100.0, patience=0)
    numbers = [int(frame.caption.split()[1].rstrip(":")) for frame in frames if frame.phase == "pair"]
    steps = np.diff([0, *numbers])
    assert stop is Stop.CONVERGED
    assert numbers[:64] == list(range(1, 65))
    assert numbers[-1] > 300
    assert len(numbers) < 200
    for number, step in zip(numbers[:-1], steps[:-1].tolist(), strict=True):
        assert step <= stride(number)
    late = next(frame for frame in frames if "one in 4 is shown" in frame.caption)
    assert late.caption.startswith("Pair ")


@pytest.mark.parametrize(("kernel", "slack", "selection"), RULES)
def test_metrics_are_what_their_names_say(kernel: str, slack: str, selection: str) -> None:
    """Primal and dual of every frame, recalculated from the model by the formulae of the docstring."""
    X, y = overlapping(30)
    C, signs = 2.0, np.where(y == 1, 1.0, -1.0)
    for frame in play(X, y, kernel=kernel, slack=slack, selection=selection, C=C)[0]:
        model = frame.model
        signed = model.alpha * signs
        squared_norm = signed @ model.kernel(X, X) @ signed
        xi = np.maximum(0.0, 1.0 - signs * ALGORITHM.field(model, X))
        price = C * xi.sum() if slack == "linear" else 0.5 * C * (xi @ xi)
        ridge = 0.0 if slack == "linear" else model.alpha @ model.alpha / C
        assert frame.metrics["primal"] == pytest.approx(0.5 * squared_norm + price, rel=1e-9)
        assert frame.metrics["dual"] == pytest.approx(model.alpha.sum() - 0.5 * (squared_norm + ridge), abs=1e-9)
        assert frame.metrics["support_vectors"] == np.count_nonzero(model.alpha)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
def test_optimality_conditions(kernel: str) -> None:
    """α = 0: y f >= 1; α = C: y f <= 1; in between y f = 1. Slack only at α = C, and no gap."""
    X, y = overlapping(60)
    result = fit("kernel_svm", X, y, kernel=kernel, C=1.0, tol=1e-6, max_steps=200_000)
    assert result.stop is Stop.CONVERGED
    alpha, agreement = result.model.alpha, np.where(y == 1, 1.0, -1.0) * result.field(X)
    assert (agreement[alpha == 0.0] >= 1.0 - 1e-6).all()
    assert (agreement[alpha == 1.0] <= 1.0 + 1e-6).all()
    free = (alpha > 0.0) & (alpha < 1.0)
    assert free.any()
    np.testing.assert_allclose(agreement[free], 1.0, atol=1e-6)
    assert result.metrics["primal"][-1] == pytest.approx(result.metrics["dual"][-1], rel=1e-6)


def test_idle_passes_are_not_called_converged() -> None:
    """The documents' rule gives up with a large gap (catalogue H22, CAUTION); the run says so and goes on."""
    early = 0
    for seed in range(3):
        X, y = overlapping(40)
        frames, stop = play(X, y, seed=seed, kernel="linear", selection=SIMPLE, passes=1)
        optimum = fit("kernel_svm", X, y, kernel="linear", tol=1e-6).metrics["dual"][-1]
        idle = [k for k, frame in enumerate(frames) if frame.phase == "idle"]
        assert stop is Stop.CONVERGED
        assert len(idle) <= 1
        if idle:
            frame = frames[idle[0]]
            assert frame.metrics["gap"] > 1e-3 * frame.metrics["primal"]
            assert "no certificate" in frame.caption
            assert idle[0] < len(frames) - 2
            early += frame.metrics["dual"] < optimum - 0.1
        assert frames[-1].metrics["gap"] <= 1e-3 * frames[-1].metrics["primal"]
        assert frames[-1].metrics["dual"] == pytest.approx(optimum, rel=1e-3)
    assert early >= 1


def test_the_step_limit_is_no_certificate() -> None:
    X, y = overlapping(60)
    frames, stop = play(X, y, max_steps=5)
    assert stop == Ended(Stop.LIMIT, "stopped without a certificate")
    assert len(frames) == 7
    assert "limit of 5 pairs" in frames[-1].warning
    assert "without a certificate" in frames[-1].caption


HARD = [("linear", 1e3, "linear"), ("linear", 1e5, "squared"), ("polynomial", 1e3, "linear"), ("rbf", 1e5, "linear")]


@pytest.mark.parametrize(("kernel", "C", "slack"), HARD)
def test_large_prices_are_certified_in_few_steps(kernel: str, C: float, slack: str) -> None:
    """Here pairs alone need 30,000 steps and more; the Newton steps between them climb and stay feasible, too."""
    X, y = overlapping(100)
    frames, stop = play(X, y, kernel=kernel, C=C, slack=slack)
    assert stop is Stop.CONVERGED
    assert len(frames) < 20_000
    assert any(frame.phase == "face" for frame in frames)
    duals = np.array([frame.metrics["dual"] for frame in frames])
    assert (np.diff(duals) >= -1e-10 * duals[-1]).all()
    signs = np.where(y == 1, 1.0, -1.0)
    for frame in frames[::7] + frames[-2:]:
        alpha = frame.model.alpha
        assert alpha.min() >= 0.0
        assert slack == "squared" or alpha.max() <= C
        assert abs(alpha @ signs) <= 1e-12 * C


def test_newton_steps_change_the_way_not_the_goal() -> None:
    X, y = overlapping(60)
    with_it, without = (fit("kernel_svm", X, y, kernel="linear", C=50.0, patience=p) for p in (50, 0))
    assert with_it.stop is without.stop is Stop.CONVERGED
    assert with_it.steps < without.steps
    assert with_it.metrics["dual"][-1] == pytest.approx(without.metrics["dual"][-1], rel=1e-3)
    theirs = SVC(kernel="linear", C=50.0).fit(X, y)
    assert with_it.metrics["dual"][-1] == pytest.approx(dual_of(theirs, X), rel=1e-3)


# --- hard margin, hulls, squared slack -----------------------------------------------------------------------------


def hard_margin(X: np.ndarray, y: np.ndarray) -> Any:
    return fit("kernel_svm", X, y, kernel="linear", C=1e5, tol=1e-8)


def test_hard_margin_identities() -> None:
    """|w|² = Σ α = 2 W*, margin 1/|w|, min y f = 1 on both sides; points that are no support vectors do not matter."""
    X, y = separable()
    result = hard_margin(X, y)
    model, signs = result.model, np.where(y == 1, 1.0, -1.0)
    w = model.weights[0]
    assert w @ w == pytest.approx(model.alpha.sum(), rel=1e-6)
    assert w @ w == pytest.approx(2 * result.metrics["dual"][-1], rel=1e-6)
    agreement = signs * result.field(X)
    assert agreement[y == 0].min() == pytest.approx(1.0, abs=1e-6)
    assert agreement[y == 1].min() == pytest.approx(1.0, abs=1e-6)
    projections = X @ w
    offset = -0.5 * (projections[y == 1].min() + projections[y == 0].max())  # the sign for + w0
    assert model.bias == pytest.approx(offset, abs=1e-6)
    kept = hard_margin(X[model.support], y[model.support])
    np.testing.assert_allclose(kept.model.weights[0], w, rtol=1e-5)


def test_the_widest_margin_is_half_the_distance_of_the_hulls() -> None:
    """|u - v| = 2/|w|, w = 2(u - v)/|u - v|², α = 2 α_hull/|u - v|²."""
    X, y = separable(1)
    signs = np.where(y == 1, 1.0, -1.0)
    result = hard_margin(X, y)
    answer = minimize(
        lambda a: 0.5 * np.sum(((a * signs) @ X) ** 2),
        np.where(y == 1, 1 / (y == 1).sum(), 1 / (y == 0).sum()),
        jac=lambda a: signs * (X @ ((a * signs) @ X)),
        bounds=[(0, 1)] * len(y),
        constraints=[
            {
                "type": "eq",
                "fun": lambda a, side=side: a[y == side].sum() - 1,
                "jac": lambda a, side=side: (y == side) * 1.0,
            }
            for side in (0, 1)
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    between = (answer.x * signs) @ X
    w = result.model.weights[0]
    assert np.linalg.norm(between) == pytest.approx(2 / np.linalg.norm(w), rel=1e-5)
    np.testing.assert_allclose(w, 2 * between / (between @ between), rtol=1e-4)
    alpha = result.model.alpha
    assert alpha[y == 1].sum() == pytest.approx(2 / (between @ between), rel=1e-5)
    np.testing.assert_allclose(alpha[y == 1] @ X[y == 1] / alpha[y == 1].sum(), answer.x[y == 1] @ X[y == 1], atol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_squared_slack(kernel: str) -> None:
    """ξ_i = α_i / C; primal = dual = ½ Σ α; the dual is the hard-margin one of k + I/C."""
    X, y = overlapping(50)
    C, signs = 3.0, np.where(y == 1, 1.0, -1.0)
    result = fit("kernel_svm", X, y, kernel=kernel, slack="squared", C=C, tol=1e-7)
    model = result.model
    assert result.stop is Stop.CONVERGED
    xi = np.maximum(0.0, 1.0 - signs * result.field(X))
    np.testing.assert_allclose(xi, model.alpha / C, atol=1e-6)
    assert result.metrics["primal"][-1] == pytest.approx(0.5 * model.alpha.sum(), rel=1e-6)
    theirs = SVC(kernel="precomputed", C=1e6, tol=1e-6).fit(model.kernel(X, X) + np.eye(50) / C, y)
    expected = np.zeros(50)
    expected[theirs.support_] = np.abs(theirs.dual_coef_[0])
    np.testing.assert_allclose(model.alpha, expected, atol=1e-4)


def test_a_large_price_is_the_hard_margin() -> None:
    X, y = separable()
    linear, squared = (fit("kernel_svm", X, y, kernel="linear", C=1e5, slack=slack) for slack in ("linear", "squared"))
    np.testing.assert_allclose(linear.model.weights, squared.model.weights, rtol=1e-3, atol=1e-3)
    assert np.mean(linear.predict(X) == y) == 1.0


# --- several classes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("multiclass", "machines"), [("one-versus-rest", 4), ("one-versus-one", 6)])
def test_number_of_machines_and_frames(multiclass: str, machines: int) -> None:
    X, y = make_blobs(60, centers=4, cluster_std=1.5, random_state=5)
    frames, stop = play(X, y, multiclass=multiclass, sigma=2.0)
    assert stop is Stop.CONVERGED
    assert len(frames[-1].model.machines) == machines
    assert [frame.phase for frame in frames].count("problem") == machines - 1
    assert ALGORITHM.field(frames[-1].model, X).shape == (60, 4)
    gaps = [frame.metrics["gap"] for frame in frames]
    assert gaps[-1] < 0.01 * gaps[0]
    duals = np.array([frame.metrics["dual"] for frame in frames])
    assert (np.diff(duals) >= -1e-9).all()
    earlier = frames[-2].model.machines[0]
    assert earlier is frames[-3].model.machines[0], "finished machines are shared, not copied"


def test_machines_are_the_binary_problems() -> None:
    X, y = make_blobs(60, centers=3, cluster_std=1.5, random_state=5)
    rest = fit("kernel_svm", X, y, multiclass="one-versus-rest", sigma=2.0)
    ones = fit("kernel_svm", X, y, multiclass="one-versus-one", sigma=2.0)
    single = fit("kernel_svm", X, (y == 1).astype(int), sigma=2.0)
    np.testing.assert_allclose(rest.field(X)[:, 1], single.field(X), atol=5e-3)
    pair = y != 1
    single = fit("kernel_svm", X[pair], y[pair], sigma=2.0)  # positive is class 2
    machine = ones.model.machines[1]
    assert (machine.positive, machine.negative) == (0, 2)
    np.testing.assert_array_equal(machine.members, np.flatnonzero(pair))
    np.testing.assert_allclose(machine.alpha, single.model.alpha, atol=5e-3)


def test_majority_vote() -> None:
    """The whole part of a class's field is its votes; ties go to the larger sum of decision values."""
    X, y = make_blobs(60, centers=3, cluster_std=2.0, random_state=5)
    result = fit("kernel_svm", X, y, multiclass="one-versus-one", kernel="linear")
    places = grid(X, 80)
    theirs = SVC(kernel="linear", decision_function_shape="ovr", break_ties=True, tol=1e-5).fit(X, y)
    assert np.mean(result.predict(places) == theirs.predict(places)) >= 0.995
    votes = np.rint(result.field(places))
    np.testing.assert_array_equal(votes.sum(axis=1), np.full(len(places), 3.0))


@pytest.mark.parametrize("multiclass", ["one-versus-rest", "one-versus-one"])
def test_a_class_without_points_is_never_predicted(multiclass: str) -> None:
    X, y = overlapping(20)
    data = Points(X, 2 * y, classes=("a", "b", "c"))
    frames, stop = play(data, None, multiclass=multiclass)
    assert stop is Stop.CONVERGED
    field = ALGORITHM.field(frames[-1].model, X)
    assert field.shape == (20, 3)
    assert set(ALGORITHM.predict(frames[-1].model, grid(X))) == {0, 2}


# --- odd data and kernels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slack", "expected"), [("linear", Stop.CONVERGED), ("squared", Stop.DIVERGED)])
def test_the_sigmoid_warns_and_ends(slack: str, expected: Stop) -> None:
    """A box keeps the multipliers of a dual that is not concave; without one they grow without end."""
    X, y = overlapping(60)
    for offset in (0.0, 1.0):
        frames, stop = play(X, y, kernel="sigmoid", sigma=0.5**0.5, offset=offset, slack=slack)
        assert stop is expected
        assert "not positive semi-definite" in frames[0].warning
        assert all(np.isfinite(list(frame.metrics.values())).all() for frame in frames)
        duals = [frame.metrics["dual"] for frame in frames]
        assert np.diff(duals).min() >= -1e-9 * max(duals)
    assert play(X, y, kernel="rbf")[0][-1].warning == ""


def test_negative_curvature_by_hand() -> None:
    """x = 1 and x = 3: tanh 1 + tanh 9 - 2 tanh 3 = -0.228, so α goes to C, and with squared slack without end."""
    X, y = [[1.0], [3.0]], [0, 1]
    frames, stop = play(X, y, kernel="sigmoid", sigma=0.5**0.5, offset=0.0, C=50.0)
    assert stop is Stop.CONVERGED
    assert frames[-1].model.alpha.tolist() == [50.0, 50.0]
    frames, stop = play(X, y, kernel="sigmoid", sigma=0.5**0.5, offset=0.0, C=50.0, slack="squared")
    assert stop is Stop.DIVERGED
    assert "unbounded" in frames[-1].warning


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial", "sigmoid"])
def test_equal_points_with_contradicting_labels(kernel: str) -> None:
    """No curvature between equal points: both multipliers go to C, and nothing else happens."""
    frames, stop = play([[1.0, 2.0]] * 5, [0, 1, 0, 1, 1], kernel=kernel, C=2.0)
    assert stop is Stop.CONVERGED
    alpha = frames[-1].model.alpha
    assert alpha[[0, 2]].tolist() == [2.0, 2.0]
    assert alpha[[1, 3, 4]].sum() == 4.0
    assert ALGORITHM.predict(frames[-1].model, np.array([[1.0, 2.0]])).tolist() == [1]


@pytest.mark.parametrize("shift", [1e4, 1e7])
def test_far_from_the_origin(shift: float) -> None:
    X, y = overlapping(40)
    near, far = (fit("kernel_svm", X + s, y, kernel="rbf") for s in (0.0, shift))
    assert far.stop is Stop.CONVERGED
    np.testing.assert_allclose(far.field(X + shift), near.field(X), atol=5e-3)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_linear_machine_follows_the_scale(scale: float) -> None:
    """f of s·x with the price C/s² is f of x with the price C; here C is large enough to be without effect."""
    X, y = separable()
    small, scaled = (fit("kernel_svm", X * s, y, kernel="linear", C=1e5) for s in (1.0, scale))
    if scale > 1.0:
        assert scaled.stop is Stop.CONVERGED
        np.testing.assert_allclose(scaled.field(X * scale), small.field(X), atol=5e-3)
    else:
        assert scaled.stop is Stop.CONVERGED
        assert (scaled.model.alpha[scaled.model.support] == 1e5).mean() > 0.9  # the price binds: w cannot be 1e9 long


def test_unusable_data_is_refused_in_words() -> None:
    with pytest.raises(DataError, match="two classes"):
        play([[0.0], [1.0]], [1, 1])
    with pytest.raises(DataError, match="two classes"):
        play([[0.0]], [1])
    with pytest.raises(DataError, match="divide the features"):
        play([[0.0], [1e99]], [0, 1])
    with pytest.raises(DataError, match="needs a class"):
        play(Points([[0.0], [1.0]]), None)


def test_constant_columns_and_one_feature() -> None:
    X, y = overlapping(30)
    one, two = X[:, :1], np.column_stack([X[:, 0], np.full(30, 7.0)])
    plain, padded = fit("kernel_svm", one, y), fit("kernel_svm", two, y)
    # the multipliers of neighbours can take over from each other within the gap, by the last digit of a processor
    np.testing.assert_allclose(padded.field(two), plain.field(one), atol=2e-3)
    assert padded.metrics["dual"][-1] == pytest.approx(plain.metrics["dual"][-1], abs=1e-3)


def test_the_limit_of_slack_is_named_where_a_large_price_does_not_part_the_classes():
    mixed = load_data("blobs(n=60,centres=2,noise=4,seed=1)")
    warning = fit("kernel_svm", mixed, kernel="linear", C=1e4).last.warning
    assert warning.startswith("C = 10000 is as good as a hard margin, but ")
    assert "the limit C, not the margin, decides" in warning
    assert fit("kernel_svm", mixed, kernel="linear", C=1.0).last.warning == ""
    parted = load_data("separable(n=60,margin=1,seed=1)")
    assert fit("kernel_svm", parted, kernel="linear", C=1e4).last.warning == ""
