"""The first look: hand-worked summaries, NumPy as the oracle, and each hint on data that has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import skew as scipy_skewness

from algorithms.data import Points
from mlviz.data.builtin import load_builtin
from mlviz.data.exploring import correlations, explore, outcome, skewness, summarise


def hints(X: object, y: object = None, **names: object) -> str:
    return " ".join(explore(Points(X, y, **names)).hints)  # type: ignore[arg-type]


def test_one_feature_by_hand() -> None:
    seen = explore(Points([[1.0], [2.0], [3.0], [4.0], [100.0]], ["a", "b", "a", "a", "b"])).features[0]  # type: ignore[arg-type]
    assert (seen.mean, seen.distinct, seen.outliers) == (22.0, 5, 1)
    assert seen.quantiles == pytest.approx((1, 2, 3, 4, 100))
    assert seen.deviation == pytest.approx(np.std([1, 2, 3, 4, 100]))
    assert seen.counts.sum(axis=1).tolist() == [3, 2]
    assert seen.counts[:, -1].tolist() == [0, 1]


def test_the_correlation_is_numpys() -> None:
    X = load_builtin("wine").X
    assert np.allclose(correlations(X), np.corrcoef(X.T))


@given(X=arrays(np.float64, (6, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_any_finite_numbers_can_be_explored(X: np.ndarray) -> None:  # type: ignore[type-arg]
    seen = explore(Points(X))
    assert np.isfinite(seen.correlation).all()
    assert np.allclose(seen.correlation, seen.correlation.T)
    assert all(feature.counts.sum() == 6 for feature in seen.features)
    assert all(hint.endswith(".") for hint in seen.hints)


def test_each_hint_is_given_where_it_belongs() -> None:
    ramp = np.arange(20.0)
    wave = np.sin(ramp)
    assert "The same value in every row: b." in hints(np.c_[ramp, np.ones(20)], features=("a", "b"))
    assert "Equal columns: a and b." in hints(np.c_[wave, wave], features=("a", "b"))
    assert "Nearly the same information: a and b (r = -1.0000)." in hints(
        np.c_[wave, 3 - 2 * wave], features=("a", "b")
    )
    assert "1 of 3 rows repeat an earlier one." in hints([[1, 2], [3, 4], [1, 2]])
    assert "a varies 1000 times as much as b" in hints(np.c_[1000 * wave, np.roll(wave, 5)], features=("a", "b"))
    assert "Values far outside the quartiles: a (1)." in hints(np.r_[ramp, 900.0][:, None], features=("a",))
    assert "The classes are unbalanced: u has 4.0 times as many points as v." in hints(
        wave[:, None], ["u"] * 16 + ["v"] * 4
    )
    assert "There are 3 features but only 2 points." in hints([[1, 5, 3], [2, 1, 9]])
    assert hints(np.c_[wave, np.cos(ramp)]) == "Nothing unusual was found."


def test_the_balance_counts_the_classes() -> None:
    assert explore(load_builtin("breast_cancer")).balance == (("benign", 357), ("malignant", 212))
    assert explore(load_builtin("old_faithful")).balance == ()


def test_skewness_is_scipys_and_none_of_a_symmetric_sample() -> None:
    X = load_builtin("wine").X
    found = [feature.skewness for feature in explore(Points(X)).features]
    assert np.allclose(found, scipy_skewness(X))
    assert skewness(np.array([-3.0, -1.0, 0.0, 1.0, 3.0])) == pytest.approx(0.0)
    assert skewness(np.full(4, 7.0)) == 0.0
    assert "Long tails (skewness): a (+" in hints(np.exp(2.0 * np.linspace(-3, 3, 60))[:, None], features=("a",))


def test_how_features_go_with_the_target() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = 2.0 * X[:, 1] + rng.normal(size=80)
    seen = explore(Points(X, y, features=("a", "b", "c"), target="price"))
    found = [feature.outcome for feature in seen.features]
    assert np.allclose(found, [np.corrcoef(X[:, j], y)[0, 1] for j in range(3)])
    assert any(hint.startswith("The target price goes most with b (r = +0.") for hint in seen.hints)
    assert [feature.outcome for feature in explore(Points(X)).features] == [None, None, None]


def test_the_correlation_ratio_by_hand() -> None:
    """Two classes with means 1 and 3 around 2: between 4, in all 4 + 4: the root of a half."""
    points = Points([[0.0], [2.0], [2.0], [4.0]], ["u", "u", "v", "v"])  # type: ignore[arg-type]
    assert outcome(points, points.X[:, 0]) == pytest.approx(np.sqrt(4 / 8))
    apart = Points([[1.0], [1.0], [5.0]], ["u", "u", "v"])  # type: ignore[arg-type]
    assert outcome(apart, apart.X[:, 0]) == pytest.approx(1.0)


def test_values_that_cannot_be() -> None:
    ages = np.array([30.0, 41.0, -5.0, 52.0, 230.0, 18.0])
    assert "Values that cannot be: age is -5 (2 rows, the first is row 3)." in hints(ages[:, None], features=("age",))
    tall = np.array([1.7, 1.6, -1.8, 1.9, 1.75])
    assert "body height is -1.8 (row 3)" in hints(tall[:, None], features=("body height",))
    assert "cannot be" not in hints(tall[:, None], features=("profit",))
    centred = np.linspace(-1.0, 1.0, 7)[:, None]
    assert "cannot be" not in hints(centred, features=("height",))
    assert "humidity % is 140 (row 2)" in hints([[20.0], [140.0], [60.0]], features=("humidity %",))
    gaps = np.array([3.0, 4.0, -999.0, 5.0, 4.5, -999.0, 3.5])
    assert "Probably missing values: -999 in a (2 times)." in hints(gaps[:, None], features=("a",))
    assert "Probably missing" not in hints(np.arange(-5.0, 5.0)[:, None])


def test_some_rows_alone() -> None:
    points = load_builtin("iris")
    rows = np.flatnonzero(points.y == 2)
    found = summarise(points, rows)
    assert [feature.mean for feature in found] == pytest.approx(points.X[rows].mean(axis=0).tolist())
    assert found[0].name == points.features[0]
    assert found[2].counts[2].sum() == 50
    assert found[2].counts[:, :10].sum() == 0  # bars stand where they stand among all points


def test_codes_of_categories_are_no_measurements() -> None:
    """Two colours with mean prices 1 and 3 around 2, as by hand above; neither skewness nor scale has a meaning."""
    X = np.column_stack([[0.0, 0.0, 1.0, 1.0], [1e4, 2e4, 1e4, 2.5e4]])
    points = Points(
        X, np.array([0.0, 2.0, 2.0, 4.0]), features=("colour", "mileage"), categories=((0, ("red", "blue")),)
    )
    colour = explore(points).features[0]
    assert colour.outcome == pytest.approx(np.sqrt(4 / 8))
    assert colour.skewness == 0.0
    assert "colour (η = 0.71)" in " ".join(explore(points).hints)
    assert "varies" not in " ".join(explore(points).hints)
