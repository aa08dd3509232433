"""Data, settings and oracles that the tests of the support vector machine share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.svm import SVC

from algorithms._checks import cases
from algorithms.classification.kernel_svm import ALGORITHM
from algorithms.contract import AnySnapshot, Stop
from algorithms.data import Points

SIMPLE = "simplified (random second)"


def play(X: Any, y: Any, seed: int = 0, start: Any = None, **params: Any) -> tuple[list[AnySnapshot], Stop]:
    """All frames, and why the run ended."""
    data = X if isinstance(X, Points) else Points.of(X, y, "classes")
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params), start=start, seed=seed)


def overlapping(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + 1.2 * y[:, None], y


def separable(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(24) % 2
    return rng.uniform(-1, 1, size=(24, 2)) + np.array([2.6, 1.0]) * y[:, None], y


DATA = {
    "moons": make_moons(120, noise=0.25, random_state=0),
    "circles": make_circles(120, noise=0.1, factor=0.5, random_state=0),
    "blobs": make_blobs(120, centers=2, cluster_std=1.0, random_state=3),
    "overlapping": overlapping(120),
}
KERNELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "linear": ({}, {}),
    "polynomial": ({"degree": 3, "offset": 1.0}, {"kernel": "poly", "degree": 3, "coef0": 1.0, "gamma": 1.0}),
    "rbf": ({"sigma": 0.5}, {"gamma": 2.0}),
    "sigmoid": ({"sigma": 5.0, "offset": 0.1}, {"gamma": 0.02, "coef0": -0.1}),
}


def libsvm(kernel: str, **params: Any) -> SVC:
    return SVC(**{"kernel": kernel, "tol": 1e-4, **KERNELS[kernel][1], **params})


def dual_of(machine: SVC, X: np.ndarray) -> float:
    """W(α) of a fitted scikit-learn machine, from its own coefficients."""
    Z, signed = machine.support_vectors_, machine.dual_coef_[0]
    products = Z @ Z.T
    squares = np.diag(products)[:, None] + np.diag(products) - 2 * products
    gram = {
        "linear": lambda: products,
        "poly": lambda: (machine.gamma * products + machine.coef0) ** machine.degree,
        "rbf": lambda: np.exp(-machine.gamma * squares),
        "sigmoid": lambda: np.tanh(machine.gamma * products + machine.coef0),
    }[machine.kernel]()
    return float(np.abs(signed).sum() - 0.5 * signed @ gram @ signed)


def grid(X: np.ndarray, side: int = 60) -> np.ndarray:
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    axes = np.meshgrid(*(np.linspace(a, b, side) for a, b in zip(low, high, strict=True)))
    return np.stack([axis.ravel() for axis in axes], axis=1)
