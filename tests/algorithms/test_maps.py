"""Maps of the same points laid over each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes as by_scipy
from scipy.spatial.distance import cdist

from algorithms import fit
from algorithms.maths.maps import SampledDistances, equal_eigenvalues, procrustes
from algorithms.maths.words import number, share
from tests.algorithms.played import cloud


def test_a_map_that_was_moved_turned_mirrored_and_stretched_comes_back():
    A = cloud(12, 2)
    turn = np.array([[0.6, 0.8], [0.8, -0.6]])  # a mirror, too
    found = procrustes(A, 3.0 * A @ turn + (5.0, -2.0))
    assert found.places == pytest.approx(A)
    assert found.residual == pytest.approx(0.0, abs=1e-12)


def test_by_hand():
    """Around their middles A is (1, 0), (-1, 0), (0, 0) and B the same upright with a bend: by formula."""
    A = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]])
    B = np.array([[0.0, 1.0], [0.0, -1.0], [3.0, 0.0]])
    B0 = B - B.mean(axis=0)
    common = np.linalg.svd(A.T @ B0, compute_uv=False).sum()
    assert procrustes(A, B).residual == pytest.approx(1 - common**2 / (np.square(A).sum() * np.square(B0).sum()))


def test_the_quality_of_a_map_does_not_depend_on_the_unit():
    """A map of one piece of the points may be as small as this beside all of them."""
    A, B = cloud(12, 2), cloud(12, 2, seed=1)
    found = SampledDistances.of(cdist(A, A)).quality(B)
    assert SampledDistances.of(cdist(A, A) * 1e-90).quality(B * 1e-90) == pytest.approx(found)
    assert min(found) > 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 20), st.integers(1, 3), st.integers(0, 10**6))
def test_scipy_leaves_as_much_over(n, d, seed):
    A, B = cloud(n, d, seed), cloud(n, d, seed + 1)
    found = procrustes(A, B)
    assert found.residual == pytest.approx(by_scipy(A, B)[2], abs=1e-9)
    size = np.square(A - A.mean(axis=0)).sum()
    assert np.square(found.places - A).sum() == pytest.approx(found.residual * size, abs=1e-9 * size)
    assert procrustes(B, A).residual == pytest.approx(found.residual)  # as a fraction it is the same both ways round


def test_a_map_with_fewer_coordinates_lies_in_the_plane_of_the_other():
    A = cloud(15, 3)
    found = procrustes(A, A[:, :2])
    assert found.places.shape == (15, 3)
    assert 0.0 < found.residual < 1.0


def test_single_places():
    assert procrustes(cloud(5, 2), np.zeros((5, 2))).residual == 1.0
    assert procrustes(np.ones((5, 2)), np.zeros((5, 2))).residual == 0.0


def test_equal_eigenvalues_are_said_where_it_matters():
    assert equal_eigenvalues(np.array([1.0, 2.0, 2.0, 3.0]), 1) == ""
    assert equal_eigenvalues(np.array([1.0, 2.0, 2.0, 3.0]), 2).startswith("Eigenvalues 2 and 3 are equal")
    assert equal_eigenvalues(np.array([1.0, 2.0]), 2) == ""


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        ("isomap", "residual"),
        ("isomap", "negative"),
        ("laplacian_eigenmaps", "gap"),
        ("diffusion_map", "kept"),
        ("kernel_pca", "kept"),
        ("kernel_pca", "first"),
        ("kernel_pca", "moved"),
        ("mds", "residual"),
        ("mds", "negative"),
    ],
)
def test_a_metric_begins_where_it_is_known(key, metric):
    """The curves began at a 0 (or a 1) that was no value."""
    values = fit(key, np.random.default_rng(0).normal(size=(30, 3))).metrics[metric]
    assert np.isnan(values[0])
    assert np.isfinite(values[-1])


def test_fractions_below_one_are_not_all():
    assert [share(part) for part in (0.5, 0.9998, 0.99999, 1.0 - 1e-15, 1.0)] == [
        "50 %",
        "99.98 %",
        "over 99.99 %",
        "100 %",
        "100 %",
    ]
    assert (number(3e-15, 1.0), number(3e-15), number(0.25, 1.0)) == ("0", "3e-15", "0.25")
