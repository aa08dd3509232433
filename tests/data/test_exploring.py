"""The first look: hand-worked summaries, NumPy as the oracle, and each hint on data that has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.data import Points
from mlviz.data.builtin import load_builtin
from mlviz.data.exploring import correlations, explore


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
