"""Distances: equal to the double loop, exact where a student would check by hand, and shared by the clusterings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from algorithms import DataError
from algorithms.maths.distances import (
    Cloud,
    NearestCentre,
    nearest,
    refuse_overflow,
    round_origin,
    squared_distances,
    squared_norms,
)


def loop(X, Z):
    return np.array([[sum((a - b) ** 2 for a, b in zip(x, z)) for z in Z] for x in X])


@pytest.mark.parametrize("d", [1, 2, 3, 4, 12])
def test_all_pairs_equal_the_double_loop(d):
    rng = np.random.default_rng(d)
    X, Z = rng.normal(size=(9, d)), rng.normal(size=(5, d))
    assert squared_distances(X, Z) == pytest.approx(loop(X, Z), rel=1e-12, abs=1e-13)
    shared = squared_distances(X, Z, squared_norms(X), squared_norms(Z))
    assert np.array_equal(shared, squared_distances(X, Z))
    cloud = Cloud.of(X)
    assert cloud.squared_to(Z - cloud.origin) == pytest.approx(loop(Z, X), rel=1e-12, abs=1e-13)


def test_a_matrix_of_distances_has_a_zero_diagonal_and_is_symmetric_and_not_negative():
    X = 1e4 + np.random.default_rng(0).normal(size=(40, 7)) * 1e-5
    squared = squared_distances(X, X)
    assert np.array_equal(np.diag(squared), np.zeros(40))
    assert np.array_equal(squared, squared.T)
    assert (squared >= 0).all()
    assert (squared_distances(X, X[:1].copy()) >= 0).all()


def test_whole_numbers_stay_whole_so_that_ties_stay_ties():
    X = np.array([[0.0], [1.0], [2.0], [4.0], [5.0]])  # the mean 2.4 is no binary number
    origin = round_origin(X.T)
    assert origin == 2.0
    labels, squared = nearest(X, np.array([[0.0], [2.0]]))
    assert labels.tolist() == [0, 0, 1, 1, 1]  # the point 1 is as near to 0 as to 2: the lowest number wins
    assert squared.tolist() == [0, 1, 0, 4, 9]


def test_a_far_origin_does_not_cost_digits():
    rng = np.random.default_rng(1)
    small, centres = rng.normal(size=(50, 6)), rng.normal(size=(4, 6))
    labels, squared = nearest(small + 2.0**30, centres + 2.0**30)
    expected = cdist((small + 2.0**30) - 2.0**30, (centres + 2.0**30) - 2.0**30, "sqeuclidean")
    assert np.array_equal(labels, expected.argmin(axis=1))
    assert squared == pytest.approx(expected.min(axis=1), rel=1e-12)


def test_nearest_of_no_points_and_of_more_than_a_block():
    X = np.random.default_rng(2).normal(size=(9000, 2))
    labels, squared = nearest(X, X[:7].copy())
    assert labels.dtype == np.int32
    assert np.array_equal(labels, cdist(X, X[:7]).argmin(axis=1))
    assert squared[:7].tolist() == [0.0] * 7
    none, empty = nearest(X[:0], X[:3])
    assert (none.shape, empty.shape) == ((0,), (0,))


def test_values_whose_squares_overflow_are_refused_in_a_sentence():
    refuse_overflow(np.full((10, 2), 1e150))
    with pytest.raises(DataError, match=r"^The values reach 1e\+160, .*first\.$"):
        refuse_overflow(np.full((10, 2), 1e160))


@pytest.mark.parametrize("d", [2, 5])
@given(seed=st.integers(0, 10**6), k=st.integers(1, 9))
@settings(max_examples=25, deadline=None)
def test_the_labels_that_are_kept_up_to_date_are_those_of_a_full_search(d, seed, k):
    """The triangle inequality may only save work, never change an answer, however the centres move."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, d))
    cloud = Cloud.of(X)
    here = NearestCentre(cloud, X[:k] - cloud.origin)
    for _ in range(12):
        expected, squared = nearest(X, here.centres + cloud.origin)
        assert np.array_equal(here.labels, expected)
        assert here.loss == pytest.approx(squared.sum(), rel=1e-11, abs=1e-12)
        before, loss = here.centres, here.loss
        longest = here.update()
        means = np.array([X[expected == j].mean(axis=0) if (expected == j).any() else before[j] for j in range(k)])
        assert here.centres + cloud.origin == pytest.approx(means, abs=1e-12)
        assert longest == pytest.approx(np.linalg.norm(here.centres - before, axis=1).max(), abs=1e-12)
        assert here.loss == pytest.approx(here.squared().sum(), rel=1e-11, abs=1e-12)
        assert here.loss <= loss
        old = here.labels
        changed = here.assign()
        assert np.array_equal(changed, np.flatnonzero(old != here.labels))


def test_sums_carried_for_many_steps_stay_sums():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(3000, 2))
    cloud = Cloud.of(X)
    here = NearestCentre(cloud, X[:20] - cloud.origin)
    for _ in range(150):
        here.update()
        here.assign()
    sums, counts = cloud.sums(here.labels, 20)
    assert np.array_equal(here.counts(), counts)
    here.update()
    assert here.centres == pytest.approx(sums / counts[:, None], rel=1e-12, abs=1e-13)
    assert here.loss == pytest.approx(here.squared().sum(), rel=1e-12)
