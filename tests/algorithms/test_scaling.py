"""Classical scaling: by hand, identities, and principal components as an oracle."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist, pdist

from algorithms.maths import scaling
from tests.algorithms.played import cloud, same_up_to_sign


def test_products_of_straight_distances_are_those_of_the_centred_points():
    X = cloud(30, 4)
    centred = X - X.mean(axis=0)
    assert np.allclose(scaling.centred_products(cdist(X, X)), centred @ centred.T, atol=1e-12)


@pytest.mark.parametrize("n", [40, 350])  # decomposed whole, and by ARPACK
def test_scaling_of_straight_distances_is_principal_component_analysis(n):
    X = cloud(n, 5) * np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    centred = X - X.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    assert same_up_to_sign(scaling.classical_scaling(cdist(X, X), 3), centred @ axes[:3].T)


def test_scaling_recovers_distances_when_there_are_enough_dimensions():
    """With the factor 1/2 they come back as they were; without it all coordinates would be sqrt 2 too large."""
    X = cloud(25, 2)
    assert np.allclose(pdist(scaling.classical_scaling(cdist(X, X), 2)), pdist(X))
    turned = X @ np.array([[0.6, 0.8], [-0.8, 0.6]]) + 7.0
    assert np.allclose(pdist(scaling.classical_scaling(cdist(turned, turned), 2)), pdist(X))


def test_a_right_triangle_by_hand():
    """Distances 3, 4, 5: the corner lies at the origin of two perpendicular legs, so B has the trace 50/3."""
    D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    B = scaling.centred_products(D)
    assert np.trace(B) == pytest.approx(50.0 / 3.0)  # 1/(2n) times the sum of all squares, 2 (9 + 16 + 25) / 6
    assert B.sum(axis=0) == pytest.approx(np.zeros(3))
    assert cdist(scaling.classical_scaling(D, 2), scaling.classical_scaling(D, 2)) == pytest.approx(D, abs=1e-12)


def test_hops_around_a_cycle_fit_into_no_flat_space():
    ring = np.roll(np.eye(20), 1, axis=1)
    D = shortest_path(ring + ring.T, unweighted=True)
    assert D.max() == 10.0
    values, _ = scaling.ends_of_spectrum(scaling.centred_products(D), 10, 10)
    assert values[0] == pytest.approx(204.317, abs=5e-4)
    assert values[-1] == pytest.approx(-52.3607, abs=5e-5)


@pytest.mark.parametrize("n", [200, 320])
def test_the_ends_of_a_spectrum(n):
    A = cloud(n, n)
    A = A + A.T
    values, vectors = scaling.ends_of_spectrum(A, 6, 4)
    everything = np.linalg.eigvalsh(A)[::-1]
    assert values == pytest.approx(np.concatenate([everything[:6], everything[-4:]]), rel=1e-8)
    assert np.allclose(A @ vectors, vectors * values[:6], atol=1e-6)


def test_values_that_lie_close_together_are_found():
    """The negative ones of bent distances crowd below 0, where a search for both ends does not converge."""
    X = cloud(320, 3)
    B = scaling.centred_products(cdist(X, X) ** 0.9)
    values, vectors = scaling.ends_of_spectrum(B, 10, 6)
    everything = np.linalg.eigvalsh(B)[::-1]
    assert values == pytest.approx(np.concatenate([everything[:10], everything[-6:]]), rel=1e-8, abs=1e-8)
    assert np.allclose(B @ vectors, vectors * values[:10], atol=1e-6)
