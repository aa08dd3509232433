"""Kernels: hand-worked values, explicit feature maps, finite differences, semi-definiteness."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import laplacian_kernel

from algorithms.data import DataError
from algorithms.maths.kernels import (
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
    refuse_overflow,
    smallest_eigenvalue,
)

KERNELS = [
    Linear(),
    Polynomial(3, 1.0),
    Polynomial(2, 0.0),
    Polynomial(1, 2.0),
    Gaussian(0.7),
    Laplacian(0.8),
    Matern(0.5, 0.8),
    Matern(1.5, 0.8),
    Matern(2.5, 0.8),
    Periodic(1.7, 0.9),
    Sum(Linear(), Gaussian(0.7)),
    Product(Polynomial(2), Laplacian(1.5)),
    Scaled(Product(Gaussian(1.0), Sum(Linear(), Laplacian(0.5))), 2.5),
    Sigmoid(0.5, 0.2),
]


@pytest.fixture
def tables() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(7, 2)), rng.normal(size=(5, 2))


def test_values_by_hand() -> None:
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    assert Linear()(x, z)[0, 0] == 1.0
    assert Polynomial(3, 1.0)(x, z)[0, 0] == 8.0
    assert Polynomial(2, 0.0)(x, z)[0, 0] == 1.0
    assert Gaussian(2.0)(x, z)[0, 0] == pytest.approx(np.exp(-13 / 8), rel=1e-15)
    assert Laplacian(2.0)(x, z)[0, 0] == pytest.approx(np.exp(-5 / 2), rel=1e-15)
    s = np.sqrt(13.0) / 2.0
    assert Matern(0.5, 2.0)(x, z)[0, 0] == pytest.approx(np.exp(-s), rel=1e-14)
    t = np.sqrt(3.0) * s
    assert Matern(1.5, 2.0)(x, z)[0, 0] == pytest.approx((1 + t) * np.exp(-t), rel=1e-14)
    t = np.sqrt(5.0) * s
    assert Matern(2.5, 2.0)(x, z)[0, 0] == pytest.approx((1 + t + t * t / 3) * np.exp(-t), rel=1e-14)
    waves = np.sin(np.pi * 2 / 3) ** 2 + np.sin(np.pi) ** 2  # the differences are 2 and 3
    assert Periodic(3.0, 2.0)(x, z)[0, 0] == pytest.approx(np.exp(-2 * waves / 4), rel=1e-14)
    assert Sigmoid(2.0, 0.5)(x, z)[0, 0] == pytest.approx(np.tanh(1.5), rel=1e-15)
    assert Sum(Linear(), Polynomial(3))(x, z)[0, 0] == 9.0
    assert Product(Scaled(Linear(), 0.5), Polynomial(3))(x, z)[0, 0] == 4.0


def test_explicit_feature_maps(tables: tuple[np.ndarray, np.ndarray]) -> None:
    """(1 + x·z)² and (x·z)² are scalar products of the maps that the documents print."""
    root = np.sqrt(2.0)

    def full(X: np.ndarray) -> np.ndarray:
        a, b = X.T
        return np.stack([np.ones_like(a), root * a, root * b, a * a, b * b, root * a * b], axis=1)

    X, Z = tables
    np.testing.assert_allclose(Polynomial(2, 1.0)(X, Z), full(X) @ full(Z).T, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(Polynomial(2, 0.0)(X, Z), full(X)[:, 3:] @ full(Z)[:, 3:].T, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_row_and_diagonal_are_parts_of_the_gram_matrix(kernel: Kernel, tables: tuple[np.ndarray, np.ndarray]) -> None:
    for X in (tables[0], np.random.default_rng(1).normal(size=(9, 5))):
        gram = kernel(X, X)
        np.testing.assert_allclose(gram, gram.T, rtol=1e-13)
        np.testing.assert_allclose(kernel.row(X[2], X), gram[2], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), rtol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradients_agree_with_finite_differences(kernel: Kernel, tables: tuple[np.ndarray, np.ndarray]) -> None:
    X, Z = tables
    expected = [approx_fprime(z, lambda place: kernel.row(X[0], place[None, :])[0], 1e-7) for z in Z]
    found = kernel.gradient(X[:1], Z, np.ones((1, len(Z))))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_gradient_of_a_weighted_sum_is_the_sum(kernel: Kernel, tables: tuple[np.ndarray, np.ndarray]) -> None:
    X, Z = tables
    weights = np.random.default_rng(8).normal(size=(len(X), len(Z)))
    each = sum(kernel.gradient(x[None, :], Z, row[None, :]) for x, row in zip(X, weights, strict=True))
    np.testing.assert_allclose(kernel.gradient(X, Z, weights), each, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kernel", KERNELS[:-1], ids=repr)
def test_semidefinite_kernels_have_no_negative_eigenvalue(kernel: Kernel) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert kernel.semidefinite
    assert smallest_eigenvalue(kernel, X) > -1e-10 * np.abs(kernel.diagonal(X)).max()


def test_the_sigmoid_is_not_semidefinite() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    assert not Sigmoid(1.0, 1.0).semidefinite
    assert smallest_eigenvalue(Sigmoid(1.0, 1.0), X) < -1.0


def test_the_laplacian_agrees_with_scikit_learn(tables: tuple[np.ndarray, np.ndarray]) -> None:
    X, Z = tables
    np.testing.assert_allclose(Laplacian(0.4)(X, Z), laplacian_kernel(X, Z, gamma=2.5), rtol=1e-13)


def test_convex_functions_of_a_kernel_need_not_be_kernels() -> None:
    """Introduction to Machine Learning §7.2 allows f(k) for every convex f, but -k and |k| have negative eigenvalues.

    By hand: for |x·z| of four unit vectors 45° apart, h = 1/√2, the alternating vector (1, -1, 1, -1) has the
    eigenvalue 1 - 2h = -0.414. Powers and exp have coefficients >= 0 and stay kernels.
    """
    angles = np.arange(4) * np.pi / 4
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    gram = Linear()(X, X)
    assert np.linalg.eigvalsh(-gram)[0] == pytest.approx(-2.0)
    assert np.linalg.eigvalsh(np.abs(gram))[0] == pytest.approx(1 - np.sqrt(2))
    for series in (gram**2, gram**3, np.exp(gram), 1 + 2 * gram + gram**4):
        assert np.linalg.eigvalsh(series)[0] > -1e-12


def test_a_multiple_that_is_not_positive_is_refused() -> None:
    for factor in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="positive"):
            Scaled(Linear(), factor)


def test_composition_keeps_what_is_known_about_the_parts() -> None:
    assert Sum(Linear(), Gaussian()).semidefinite
    assert not Sum(Linear(), Sigmoid()).semidefinite
    assert not Scaled(Product(Sigmoid(), Gaussian()), 2.0).semidefinite


def test_narrow_and_wide_bells() -> None:
    """sigma → 0 gives the identity, sigma → ∞ a matrix of ones."""
    X = np.random.default_rng(2).normal(size=(6, 2))
    np.testing.assert_allclose(Gaussian(1e-3)(X, X), np.eye(6), atol=1e-12)
    np.testing.assert_allclose(Gaussian(1e3)(X, X), np.ones((6, 6)), atol=1e-4)


def test_distances_far_from_the_origin_keep_their_digits() -> None:
    X = np.random.default_rng(4).integers(0, 8, size=(20, 2)) / 8.0
    expected = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    np.testing.assert_allclose(Gaussian(1.0)(X + 1e8, X + 1e8), expected, rtol=1e-6)
    np.testing.assert_allclose(Gaussian(1.0).row(X[3] + 1e8, X + 1e8), expected[3], rtol=1e-12)


def test_the_finite_space_of_a_gram_matrix() -> None:
    """K = V L Vᵀ: the vectors sqrt(l_t) v_ti are points whose scalar products are the kernel."""
    X = np.random.default_rng(5).normal(size=(12, 2))
    gram = Gaussian(0.8)(X, X)
    values, vectors = np.linalg.eigh(gram)
    lifted = vectors * np.sqrt(np.maximum(values, 0.0))
    np.testing.assert_allclose(lifted @ lifted.T, gram, atol=1e-7)


def test_overflow_is_refused_in_words() -> None:
    with pytest.raises(DataError, match="divide the features by a constant first"):
        refuse_overflow(Polynomial(10, 1.0), np.array([[1e20]]))
    with pytest.raises(DataError, match="1e\\+200"):
        refuse_overflow(Gaussian(1.0), np.array([[1e200]]))
    refuse_overflow(Gaussian(1.0), np.array([[1e70]]))


def test_a_negative_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="offset"):
        Polynomial(2, -1.0)
