"""The support vector machine with the Laplacian and with kernels made of kernels, against LIBSVM on the same values."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from algorithms import fit
from algorithms.classification.kernel_svm import field
from algorithms.contract import Stop
from tests.algorithms.svm_cases import DATA, grid


def _sum(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.asarray(linear_kernel(A, B) + rbf_kernel(A, B, gamma=2.0))


def _product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.asarray(polynomial_kernel(A, B, degree=3, gamma=1.0, coef0=1.0) * rbf_kernel(A, B, gamma=2.0))


THEIRS = {"laplacian": partial(laplacian_kernel, gamma=2.0), "linear + rbf": _sum, "polynomial × rbf": _product}


@pytest.mark.parametrize("kernel", THEIRS)
@pytest.mark.parametrize("name", ["moons", "overlapping"])
def test_agrees_with_libsvm(name: str, kernel: str) -> None:
    X, y = DATA[name]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = fit("kernel_svm", X, y, kernel=kernel, sigma=0.5, C=2.0, tol=1e-5)
    theirs = SVC(kernel=THEIRS[kernel], C=2.0, tol=1e-5).fit(X, y)
    assert ours.stop is Stop.CONVERGED
    assert np.mean(ours.predict(grid(X)) == theirs.predict(grid(X))) >= 0.998
    np.testing.assert_allclose(ours.field(X), theirs.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "sigmoid", *THEIRS])
def test_the_slope_of_a_machine_by_finite_differences(kernel: str) -> None:
    X, y = DATA["moons"]
    model = fit("kernel_svm", X, y, kernel=kernel, C=2.0, **({"sigma": 5**0.5} if kernel == "sigmoid" else {})).model
    places = np.random.default_rng(0).normal(size=(6, 2))
    expected = np.empty((6, 2))
    for j, step in enumerate(1e-6 * np.eye(2)):
        expected[:, j] = (field(model, places + step) - field(model, places - step)) / 2e-6
    np.testing.assert_allclose(model.slope_of(model.machines[0], places), expected, rtol=1e-4, atol=1e-4)
