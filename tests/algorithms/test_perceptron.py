"""The perceptron: by hand, against scikit-learn, Novikoff's proof step by step, and logic gates."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import linprog, minimize
from sklearn.linear_model import Perceptron

from algorithms import DataError, fit
from algorithms.contract import Stop
from algorithms.data import Points
from algorithms.marks import Arrows, Curve, Highlight, NetworkDiagram, Regions, Scatter, Segments
from algorithms.maths.margins import widest_margin
from algorithms.neural.perceptron import ALGORITHM
from mlviz.data.generators import generate
from mlviz.data.spec import load_data
from tests.algorithms.played import marks

TINY = Points.of([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 1.0]], np.array(["b", "b", "a", "a"]), "classes")
"""The example of the course documents (S13)."""


def frames(data, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


def signed(data):
    return np.where(data.y == 1, 1.0, -1.0)[:, None] * np.column_stack([data.X, np.ones(data.n)])


def separable(n, seed, d=2, gap=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    direction = rng.normal(size=d)
    direction /= np.linalg.norm(direction)
    y = (X @ direction > 0.2).astype(int)
    y[:2] = (0, 1)
    X[:2] -= (X[:2] @ direction - [-0.5, 1.0])[:, None] * direction
    return Points.of(X + gap * np.where(y == 1, 1.0, -1.0)[:, None] * direction, y, "classes")


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_the_tiny_example_of_the_documents():
    """One mistake from z = 0 gives z = (w, b) = (2, 1, 1); the next pass is clean."""
    ended = fit("perceptron", TINY)
    np.testing.assert_array_equal(ended.model.z, [[2.0, 1.0, 1.0]])
    assert (ended.stop, ended.last.metrics["mistakes"]) == (Stop.CONVERGED, 1.0)
    assert [frame.phase for frame in frames(TINY)] == ["start", "turn", "pass", "pass"]


def test_a_point_of_the_first_class_is_taken_away():
    data = Points.of([[1.0, 0.0], [0.0, 1.0]], np.array([0, 1]), "classes")
    first, turned = frames(data)[:2]
    assert math.isnan(first.metrics["wrong"])
    np.testing.assert_array_equal(turned.model.z, [[-1.0, 0.0, -1.0]])
    assert "point 1 (0) has the sum 0, which decides nothing, so -x times the rate is added" in turned.caption


@pytest.mark.parametrize("data", ["blobs(n=80,centres=2,seed=6)", "blobs(n=80,centres=3,seed=6)"])
def test_without_weights_nothing_is_decided(data):
    """No side has a colour, no point counts as wrong, and it is said that there is no line yet."""
    first, turned = frames(load_data(data))[:2]
    assert not marks(first, "plane", Regions)
    assert not marks(first, "unit", NetworkDiagram)[0].maps[-1].any()
    assert math.isnan(first.metrics["wrong"])
    assert "there is no line yet" in first.caption
    assert marks(turned, "plane", Regions)
    assert turned.metrics["wrong"] > 0


def test_all_mistakes_at_once_is_the_gradient_of_the_criterion():
    """From 0 all four points count: z = sum of y x~ = (2 + 1 + 1 + 2, 1 + 3 + 1 - 1, 1 + 1 - 1 - 1)."""
    ended = frames(TINY, rule="all mistakes at once")
    np.testing.assert_array_equal(ended[1].model.z, [[6.0, 4.0, 0.0]])
    rng = np.random.default_rng(0)
    data = Points.of(rng.normal(size=(30, 2)), rng.integers(0, 2, 30), "classes")
    first, second = frames(data, rule="all mistakes at once", begin="random", rate=0.01)[:2]

    def criterion(z):
        products = signed(data) @ z
        return np.abs(products[products <= 0]).sum()

    z, h = first.model.z[0], 1e-7
    assert first.metrics["criterion"] == pytest.approx(criterion(z))
    slope = [(criterion(z + h * e) - criterion(z - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(second.model.z[0], z - 0.01 * np.array(slope), atol=1e-5)


def test_the_rate_divided_by_the_pass():
    XOR = generate("gate", kind="XOR", seed=3)
    z = frames(XOR, rule="all mistakes at once", begin="random", schedule="1/pass", passes=3)
    rows = signed(XOR)
    for number, (before, after) in enumerate(itertools.pairwise(z), start=1):
        wrong = rows @ before.model.z[0] <= 0
        np.testing.assert_allclose(after.model.z[0], before.model.z[0] + rows[wrong].sum(axis=0) / number)


def test_three_classes_turn_the_right_unit_up_and_the_winner_down():
    data = Points.of([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]], np.array([0, 1, 2]), "classes")
    turned = frames(data)[1]
    assert "added to the weights of 0 and taken from those of 1" in turned.caption
    np.testing.assert_array_equal(turned.model.z, [[2, 0, 1], [-2, 0, -1], [0, 0, 0]])
    ended = fit("perceptron", data)
    assert ended.stop is Stop.CONVERGED
    np.testing.assert_array_equal(ended.predict(data.X), [0, 1, 2])


# --- logic gates ------------------------------------------------------------------------------------------------------

UNITS = {"AND": (1, 1, 1.5), "OR": (1, 1, 0.5), "NAND": (-1, -1, -1.5), "NOR": (-1, -1, -0.5), "NOT": (-1, 0, -0.5)}
ANSWERS = {"AND": min, "OR": max, "NAND": lambda x: 1 - min(x), "NOR": lambda x: 1 - max(x), "NOT": lambda x: 1 - x[0]}


@pytest.mark.parametrize("kind", UNITS)
def test_units_of_mcculloch_and_pitts(kind):
    data = generate("gate", kind=kind)
    assert all(
        data.classes[label] == f"{ANSWERS[kind](x):.0f}" for x, label in zip(data.X.tolist(), data.y, strict=True)
    )
    first, second, threshold = UNITS[kind]
    ended = fit("perceptron", data, rule="set by hand", weight_1=first, weight_2=second, threshold=threshold)
    assert (ended.stop, ended.last.metrics["wrong"]) == (Stop.COMPLETE, 0.0)
    np.testing.assert_array_equal(ended.predict(data.X), data.y)


def test_a_unit_fires_at_its_threshold_exactly():
    data = generate("gate", kind="AND")
    ended = frames(data, rule="set by hand", threshold=2.0)
    assert ended[-1].metrics["wrong"] == 0
    spoken = [frame.caption for frame in ended if frame.phase == "fire"]
    assert len(spoken) == 4
    assert sum("1·1 + 1·1 = 2 ≥ 2, so the unit fires, which is right" in words for words in spoken) == 1


def test_a_wrong_unit_is_said_to_be_wrong():
    ended = frames(generate("gate", kind="OR"), rule="set by hand", threshold=1.5)
    assert "2 of 4 inputs" in ended[-1].caption
    assert sum("which is wrong" in frame.caption for frame in ended) == 2


@pytest.mark.parametrize(("kind", "bound"), [("AND", 51), ("NAND", 51), ("OR", 27), ("NOR", 27), ("NOT", 10)])
def test_gates_are_learnt_within_the_bound(kind, bound):
    """AND: the widest z = (2, 2, -3) has |z|^2 = 17 and R^2 = 3; OR: (2, 2, -1), 9; NOT: (-2, 1), 5 and R^2 = 2."""
    data = generate("gate", kind=kind)
    ended = fit("perceptron", data)
    assert ended.stop is Stop.CONVERGED
    assert ended.last.metrics["mistakes"] <= bound
    assert f"the bound was {bound}." in ended.last.caption


def test_no_unit_is_the_exclusive_or():
    data = generate("gate", kind="XOR")
    ended = fit("perceptron", data, passes=200)
    assert ended.stop is Stop.LIMIT
    assert "never converges" in ended.last.warning
    assert np.nanmin(ended.metrics["wrong"]) >= 1
    for first, second, threshold in itertools.product(
        np.linspace(-2, 2, 5), np.linspace(-2, 2, 5), np.linspace(-3, 3, 7)
    ):
        by_hand = fit("perceptron", data, rule="set by hand", weight_1=first, weight_2=second, threshold=threshold)
        assert by_hand.last.metrics["wrong"] >= 1


# --- Novikoff ---------------------------------------------------------------------------------------------------------


@given(some.integers(4, 40), some.integers(0, 10**6), some.sampled_from([1, 2, 4]))
def test_every_mistake_obeys_novikoff(n, seed, d):
    """u . z grows by at least the margin and |z|^2 by at most R^2, at each mistake; so they end in time."""
    data = separable(n, seed, d)
    rows = signed(data)
    margin, direction = widest_margin(rows)
    assert direction is not None
    radius = np.linalg.norm(rows, axis=1).max()
    turns = [frame for frame in frames(data, passes=2000) if frame.phase == "turn"]
    for number, frame in enumerate(turns, start=1):
        z = frame.model.z[0]
        assert z @ direction >= number * margin * (1 - 1e-6)
        assert z @ z <= number * radius**2 * (1 + 1e-9)
    assert len(turns) <= (radius / margin) ** 2


@given(some.integers(4, 30), some.integers(0, 10**6), some.sampled_from([1, 2, 3]))
def test_the_widest_margin_is_that_of_a_general_optimiser(n, seed, d):
    rows = signed(separable(n, seed, d))
    margin, direction = widest_margin(rows)
    assert direction is not None
    assert (rows @ direction).min() == pytest.approx(margin, rel=1e-6)
    oracle = minimize(
        lambda z: z @ z,
        direction / margin * 1.1,
        jac=lambda z: 2 * z,
        constraints={"type": "ineq", "fun": lambda z: rows @ z - 1, "jac": lambda z: rows},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert margin >= (1 - 1e-6) / np.linalg.norm(oracle.x) or not oracle.success


@given(some.integers(3, 12), some.integers(0, 10**6))
def test_there_is_a_margin_exactly_when_a_linear_programme_finds_a_line(n, seed):
    rng = np.random.default_rng(seed)
    rows = np.where(rng.random(n) < 0.5, 1.0, -1.0)[:, None] * np.column_stack([rng.normal(size=(n, 2)), np.ones(n)])
    program = linprog(np.zeros(3), A_ub=-rows, b_ub=-np.ones(n), bounds=(None, None))
    assert (widest_margin(rows)[1] is not None) == program.success


def test_two_points_have_their_margin_by_hand():
    """y x~ = (1, 1) and (1, -1): the direction (1, 0) keeps both at 1."""
    margin, direction = widest_margin(np.array([[1.0, 1.0], [1.0, -1.0]]))
    assert margin == pytest.approx(1.0)
    np.testing.assert_allclose(direction, [1.0, 0.0], atol=1e-12)
    assert widest_margin(np.array([[1.0, 1.0], [-1.0, -1.0]])) == (0.0, None)
    assert widest_margin(np.zeros((2, 3))) == (0.0, None)


def test_far_from_the_origin_a_line_is_still_known_to_be_there():
    data = separable(30, 1)
    far = Points.of(data.X + 1e8, data.y, "classes")
    first = frames(far, passes=1)[0]
    assert first.warning == ""
    assert "nearly 0" in first.caption


# --- identities and oracles -------------------------------------------------------------------------------------------


@given(some.integers(5, 40), some.integers(0, 10**6), some.floats(0.01, 100))
def test_from_zeros_the_rate_scales_the_weights_and_nothing_else(n, seed, rate):
    data = separable(n, seed)
    one, other = fit("perceptron", data), fit("perceptron", data, rate=rate)
    assert one.steps == other.steps
    np.testing.assert_allclose(other.model.z, rate * one.model.z, rtol=1e-9, atol=1e-9 * rate)


@pytest.mark.parametrize("passes", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_makes_the_same_mistakes(passes, seed):
    rng = np.random.default_rng(seed)
    data = Points.of(rng.normal(size=(50, 3)), rng.integers(0, 2, 50), "classes")
    ours = fit("perceptron", data, passes=passes).model.z[0]
    theirs = Perceptron(shuffle=False, max_iter=passes, tol=None).fit(data.X, data.y)
    np.testing.assert_allclose(ours, [*theirs.coef_[0], theirs.intercept_[0]], atol=1e-9)


def test_a_random_order_is_another_way_to_a_line():
    data = generate("blobs", n=80, centres=2, noise=1, spread=3, seed=6)
    ways = [fit("perceptron", data, order="random", passes=1000, seed=seed) for seed in range(3)]
    assert all(way.stop is Stop.CONVERGED and (way.predict(data.X) == data.y).all() for way in ways)
    assert not np.allclose(ways[0].model.z, ways[1].model.z)


@pytest.mark.parametrize("order", ["in turn", "random"])
def test_a_mistake_adds_the_very_point_that_is_named(order):
    data = separable(300, 7, gap=0.01)
    turns = [frame.model for frame in frames(data, order=order) if frame.phase == "turn"]
    for model in turns:
        (row,) = signed(data)[model.points]
        assert row @ model.before[0] <= 0
        np.testing.assert_array_equal(model.z[0], model.before[0] + row)
    assert len(turns) > 20


@pytest.mark.parametrize(("n", "shown"), [(800, 300), (2000, 150), (12_000, 30)])
def test_many_mistakes_are_counted_though_not_all_are_shown(n, shown):
    data = generate("blobs", n=n, centres=2, noise=4, seed=1)
    ended = frames(data, passes=3)
    turns = [frame for frame in ended if frame.phase == "turn"]
    assert [frame.metrics["mistakes"] for frame in turns] == list(range(1, shown + 1))
    z, mistakes = np.zeros(3), 0
    for row in itertools.chain.from_iterable([signed(data)] * 3):
        if row @ z <= 0:
            z, mistakes = z + row, mistakes + 1
    assert ended[-1].metrics["mistakes"] == mistakes
    np.testing.assert_allclose(ended[-1].model.z[0], z)
    assert ended[-1].model.per_pass.sum() == mistakes


# --- what is seen -----------------------------------------------------------------------------------------------------


def test_a_mistake_shows_the_point_the_line_before_and_how_the_vectors_add_up():
    data = generate("blobs", n=80, centres=2, noise=1, spread=3, seed=6)
    third = [frame for frame in frames(data) if frame.phase == "turn"][2]
    (ring,) = marks(third, "plane", Highlight)
    assert ring.points.tolist() == third.model.points.tolist()
    (before,) = marks(third, "plane", Segments)
    for end in (before.start[0], before.end[0]):
        assert third.model.before[0] @ [*end, 1.0] == pytest.approx(0.0, abs=1e-6)
    (arrows,) = marks(third, "plane", Arrows)
    spans = dict(zip(arrows.roles, arrows.end - arrows.start, strict=True))
    np.testing.assert_allclose(spans["memory"] + spans["force"], spans["step"])
    across = spans["step"] @ third.model.z[0, :2]
    assert across == pytest.approx(np.linalg.norm(spans["step"]) * np.linalg.norm(third.model.z[0, :2]))


def test_the_neuron_shows_its_weights_the_bias_and_both_sides():
    ended = frames(generate("gate", kind="AND"))[-1]
    (diagram,) = marks(ended, "unit", NetworkDiagram)
    np.testing.assert_allclose(diagram.weights[0][:, 0], ended.model.z[0] * 3 / 4)  # w = (2, 3), b = -4
    assert diagram.names == (("x1", "x2", "1"), ("1",))
    assert {-127, 127} == set(np.unique(diagram.maps[-1]).tolist())


def test_points_stand_over_the_step_at_their_sums():
    data = generate("gate", kind="OR")
    ended = frames(data)[-1]
    (dots,) = marks(ended, "sums", Scatter)
    np.testing.assert_array_equal((dots.at[:, 0] > 0), data.y[dots.points] == 1)
    np.testing.assert_array_equal(dots.at[:, 1], data.y[dots.points])


def test_the_proof_squeezes_the_length():
    ended = frames(generate("gate", kind="AND"))[-1]
    length, most, least = marks(ended, "proof", Curve)
    for k, value in zip(length.x, length.y, strict=True):
        assert math.sqrt(3) * math.sqrt(k) + 1e-9 >= value >= k / math.sqrt(17) - 1e-9
    assert most.y[-1] == pytest.approx(least.y[-1])  # they meet at the bound
    assert most.x[-1] == pytest.approx(51)


def test_why_for_a_point():
    why = fit("perceptron", TINY).explain([3.0, -1.0])
    assert why["predicted class"] == "b"
    assert (why["weight times x1"], why["weight times x2"], why["bias"], why["sum"]) == (6.0, -1.0, 1.0, 6.0)
    assert why["distance from the line"] == pytest.approx(6.0 / math.sqrt(5))


def test_two_equal_rows_are_two_points():
    """The same place with two classes: the one on its own side by 6, the other as far on the wrong side."""
    data = Points(np.concatenate([TINY.X, [[3.0, -1.0], [3.0, -1.0]]]), [*TINY.y, 0, 1], classes=TINY.classes)
    model = fit("perceptron", TINY).model
    wrong, right = (ALGORITHM.explain(model, data, data.item(number)) for number in (4, 5))
    assert (wrong["true class"], wrong["on its own side by"]) == ("a", -6.0)
    assert (right["true class"], right["on its own side by"]) == ("b", 6.0)
    three = Points.of([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]], np.array([0, 1, 2]), "classes")
    ended = fit("perceptron", three)
    sums = np.sort(ended.field(three.X[1:2])[0])
    assert ended.algorithm.explain(ended.model, three, three.item(1))["on its own side by"] == sums[-1] - sums[-2]


def test_what_is_refused():
    with pytest.raises(DataError, match="at least two classes"):
        fit("perceptron", Points.of([[0.0], [1.0]], np.array([0, 0]), "classes"))
    with pytest.raises(DataError, match="needs a class"):
        fit("perceptron", [[0.0], [1.0]])


def test_other_orders_end_in_other_lines_that_are_all_right():
    data = load_data("separable(n=60,margin=0.8,seed=1)")
    fitted = fit("perceptron", data, orders=12)
    ends = fitted.model.ends
    assert ends.shape == (12, 3)
    signs = np.where(data.y == 1, 1.0, -1.0)
    sums = data.X @ ends[:, :2].T + ends[:, 2]
    assert (sums * signs[:, None] > 0.0).all()
    assert len(np.unique(np.round(ends / np.linalg.norm(ends, axis=1)[:, None], 6), axis=0)) > 5
    assert fitted.stop is Stop.CONVERGED
    assert "12 other orders" in fitted.last.caption
    lines = [mark for mark in fitted.last.views["plane"] if getattr(mark, "name", "") == "where other orders end"]
    assert len(lines[0].start) == 12


# --- a run of somebody else -------------------------------------------------------------------------------------------


def own_run(data, rate=1.0):
    """The perceptron as a student writes it."""
    w, b = np.zeros(data.d), 0.0
    yield w, b
    for _ in range(50):
        wrong = 0
        for x, y in zip(data.X, np.where(data.y == 1, 1.0, -1.0), strict=True):
            if y * (w @ x + b) <= 0:
                w, b, wrong = w + rate * y * x, b + rate * y, wrong + 1
                yield w, b
        if not wrong:
            return


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_a_foreign_run_is_shown_as_our_own(rate):
    data = load_data("blobs(n=80,centres=2,noise=1,spread=3,seed=6)")
    params = ALGORITHM.make_params({"rate": rate})
    theirs = list(ALGORITHM.shows(own_run(data, rate), data, params))
    ours = [frame for frame in ALGORITHM.start(data, params, 0) if frame.phase in ("start", "turn")]
    assert [frame.caption for frame in theirs] == [frame.caption for frame in ours]
    assert [frame.metrics["wrong"] for frame in theirs[1:]] == [frame.metrics["wrong"] for frame in ours[1:]]
    assert marks(theirs[-1], "plane", Arrows)


def test_a_foreign_run_of_three_classes_and_one_that_skips_steps():
    data = Points.of([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]], np.array([0, 1, 2]), "classes")
    W = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 0.0]])
    steps = [(0 * W, np.zeros(3)), (W, np.array([1.0, -1.0, 0.0])), (5 * W + 1, np.ones(3))]
    _, turned, jump = ALGORITHM.shows(iter(steps), data, ALGORITHM.make_params({}))
    assert turned.shown.point == 0
    assert "Mistake 1: point 1 (0)" in turned.caption
    assert jump.shown.point == -1
    assert "not on their side" in jump.caption


@pytest.mark.parametrize("said", [(np.zeros(3), 0.0), np.zeros(2), (np.zeros((2, 2)), np.zeros(2))])
def test_a_wrong_shape_of_a_foreign_run_is_a_sentence_with_the_step(said):
    steps = iter([(np.zeros(2), 0.0), said])
    with pytest.raises(DataError, match=r"Step 1 has to give w \(2,\) and b \(\)"):
        list(ALGORITHM.shows(steps, TINY, ALGORITHM.make_params({})))
