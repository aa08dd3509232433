"""Data far from 1, equal points and nothing at all: what single methods made of them."""

import numpy as np
import pytest

from algorithms import DataError, Graph, GraphSet, Points, find
from algorithms.maths.cross_validation import averaged
from algorithms.maths.scales import deviation
from algorithms.maths.sweeps import Cell
from algorithms.method_choice import parse_method
from tests.algorithms.abuse import Watch, outcome

RNG = np.random.default_rng(3)
ONE = Points(np.array([[1.0, 2.0]]), np.array([8e14]))
FOUR_PLACES = Points(np.repeat(RNG.normal(size=(4, 2)), 10, axis=0), RNG.normal(size=40) * 1e99)
EQUAL = Points(np.full((40, 2), 1e99), np.arange(40) % 2)
NEXT_TO_EACH_OTHER = Points(1e99 * (1.0 + np.arange(40)[:, None] % 3 * 2.3e-16), np.arange(40) % 2)
BESIDE_ROUNDING = Points(
    -1e99 * (1.0 + np.random.default_rng(38).integers(0, 3, size=(40, 2)) * 2.3e-16), np.arange(40) % 2
)
ZEROS = Points(np.zeros((40, 1)), np.arange(40) % 2)
TINY = Points(np.arange(40.0)[:, None] * 1e-40, RNG.normal(size=40) * 1e15)
FAR_BELOW = Points(np.array([[-3e60, 1.0]]), np.array([8e14]))
WITHOUT_NODES = GraphSet((Graph(0, np.empty((0, 2), dtype=int)), Graph(2, np.array([[0, 1]]))), np.array([0, 1]))

AS_IT_IS = {
    "length": 109.93929242926876,
    "amplitude": 0.001,
    "noise": 0.3163907511972568,
    "scale": "as they are",
    "learn": True,
    "map": False,
}
WILD_RING = Graph(
    8, np.array([(k, (k + 1) % 8) for k in range(8)]), 10.0 ** np.array([-90, 90, 0, -45, 45, 88, -88, 3])
)
OUTLIER = Points(np.vstack([RNG.normal(size=(20, 2)), [[1e97, -1e97]]]), RNG.normal(size=21))


@pytest.mark.parametrize(
    ("key", "data", "chosen"),
    [
        ("linear_regression", ONE, {}),
        ("linear_regression", FOUR_PLACES, {}),
        ("linear_regression", FAR_BELOW, {"dictionary": "log"}),
        ("model_selection", FOUR_PLACES, {"method": "linear_regression"}),
        ("cross_validation", FOUR_PLACES, {"method": "linear_regression"}),
        ("centralities", WILD_RING, {"kind": "betweenness", "weights": "used"}),
        ("gaussian_process", Points(np.array([[0.5]]), np.array([1e99])), AS_IT_IS),
        ("naive_bayes", EQUAL, {"kind": "histogram"}),
        ("naive_bayes", NEXT_TO_EACH_OTHER, {"kind": "histogram", "bins": 31}),
        ("gaussian_classifier", BESIDE_ROUNDING, {}),
        ("logistic_regression", ZEROS, {"solver": "gradient descent", "intercept": False}),
        ("graph_kernel", WITHOUT_NODES, {"kind": "random walk"}),
        ("graph_kernel", GraphSet(WITHOUT_NODES.graphs[:1] * 2, np.array([0, 1])), {"kind": "random walk"}),
    ],
)
def test_frames_are_finite(key, data, chosen):
    assert outcome(find(key), data, chosen, Watch()) in ("", "It was called off.")


def test_a_spread_that_is_no_number_is_a_sentence():
    said = outcome(find("bias_variance"), TINY, {"method": "lasso", "source": "a formula"}, Watch())
    assert said == "The coefficients spread beyond the range of numbers; scale the features first."


def test_the_spread_of_squares_of_large_numbers_is_a_number():
    errors = np.array([1e198, 2e198, 3e198])
    assert deviation(errors, ddof=1) == pytest.approx(1e198)
    assert averaged([0.0] * 3, errors.tolist()).standard_error == pytest.approx(1e198 / 3**0.5)
    assert Cell((0,), "", errors).standard_error == pytest.approx(1e198 / 3**0.5)
    assert [deviation(errors[:1], ddof=1), deviation(errors[:0]), deviation(np.zeros(3))] == [0.0, 0.0, 0.0]


def test_an_outlier_that_is_held_out_is_a_refusal_of_the_setting():
    chosen = {"method": "linear_regression(degree=4)", "grid": "one parameter", "first": "degree=1,4"}
    assert outcome(find("model_selection"), OUTLIER, chosen, Watch()) == ""
    method = parse_method("linear_regression(degree=4)")
    model = method.fit(OUTLIER.rows(np.arange(20)), 0)
    with pytest.raises(DataError, match="is no number; scale the features first"):
        method.predict(model, OUTLIER.X)
