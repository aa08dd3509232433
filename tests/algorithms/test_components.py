"""Principal components: by hand, identities, and scikit-learn as an oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from algorithms.interrupt import interruptible
from algorithms.maths import components
from algorithms.maths.components import longest_directions, principal_components


def cloud(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) * np.arange(d, 0, -1)


def test_four_corners_by_hand():
    """(2, 0), (-2, 0), (0, 1), (0, -1) around (5, 7): squares 8 along the first axis and 2 along the second."""
    X = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) + (5.0, 7.0)
    found = principal_components(X)
    assert found.mean == pytest.approx([5.0, 7.0])
    assert found.directions == pytest.approx(np.eye(2))
    assert found.lengths**2 == pytest.approx([8.0, 2.0])
    assert found.variances(4) == pytest.approx([8 / 3, 2 / 3])
    assert found.fractions == pytest.approx([0.8, 0.2])
    assert found.scores(X) == pytest.approx(X - (5.0, 7.0))
    assert found.restored(found.scores(X)[:, :1]) == pytest.approx(np.array([[7, 7], [3, 7], [5, 7], [5, 7]]))


@pytest.mark.parametrize(("n", "d"), [(60, 4), (5, 12), (40, 1)])
def test_scikit_learn_agrees_also_in_the_signs(n, d):
    X = cloud(n, d)
    found, wanted = principal_components(X), PCA().fit(X)
    assert found.mean == pytest.approx(wanted.mean_)
    assert found.variances(n) == pytest.approx(wanted.explained_variance_, abs=1e-12)
    assert found.fractions == pytest.approx(wanted.explained_variance_ratio_, abs=1e-12)
    k = min(d, n - 1)  # the last direction of too few points is any one
    assert found.directions[:k] == pytest.approx(wanted.components_[:k])


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 10**6))
def test_what_is_left_out_is_the_error_of_the_reconstruction(n, d, seed):
    X = cloud(n, d, seed)
    found = principal_components(X, d)
    assert found.directions @ found.directions.T == pytest.approx(np.eye(d), abs=1e-9)
    Z = found.scores(X)
    for m in range(d + 1):
        error = np.square(X - found.restored(Z[:, :m])).sum()
        assert error == pytest.approx(np.square(found.lengths[m:]).sum(), rel=1e-9, abs=1e-9)
    assert found.lengths**2 @ np.ones(d) == pytest.approx(np.square(X - X.mean(axis=0)).sum())


def test_a_few_directions_of_a_large_table(monkeypatch):
    X = cloud(60, 40, seed=3)
    whole = principal_components(X)
    monkeypatch.setattr(components, "MAX_DENSE", 10)
    few = principal_components(X, 3)
    assert few.directions == pytest.approx(whole.directions[:3])
    assert few.lengths == pytest.approx(whole.lengths[:3])
    assert few.fractions == pytest.approx(whole.fractions[:3])


def test_points_in_one_place_have_directions_of_no_length():
    found = principal_components(np.ones((1, 3)), 2)
    assert found.directions @ found.directions.T == pytest.approx(np.eye(2))
    assert found.lengths.tolist() == found.fractions.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_squares_neither_overflow_nor_vanish(size):
    X = cloud(20, 3)
    found = principal_components(X * size)
    assert found.fractions == pytest.approx(principal_components(X).fractions)
    assert found.lengths / size == pytest.approx(principal_components(X).lengths)


def test_a_table_may_be_taken_as_it_is():
    """Without centring, these are the singular values: of (3, 4) the length is 5 along (0.6, 0.8)."""
    lengths, directions = longest_directions(np.array([[3.0, 4.0], [-3.0, -4.0]]), 1)
    assert lengths == pytest.approx([5.0 * np.sqrt(2.0)])
    assert directions == pytest.approx(np.array([[0.6, 0.8]]))


@pytest.mark.parametrize(("n", "d"), [(60, 3), (5, 4), (32, 16), (97, 16)])
def test_tall_tables_are_turned_a_few_rows_after_the_other(monkeypatch, n, d):
    monkeypatch.setattr(components, "ROWS", 8)
    X, looks = np.random.default_rng(n).normal(size=(n, d)), []
    with interruptible(lambda: looks.append(1) is not None):
        R = components.triangle(X)
    assert R.shape == (d, d)
    np.testing.assert_allclose(R.T @ R, X.T @ X, atol=1e-12 * n)
    assert np.array_equal(R, np.triu(R))
    assert len(looks) == (n - 1) // max(8, 2 * d)
