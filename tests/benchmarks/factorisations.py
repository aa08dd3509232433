"""Kernel, sparse and non-negative components given to us and to scikit-learn: the same start, tolerance and steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.decomposition import NMF, KernelPCA, SparsePCA

from algorithms import Fit, find
from algorithms.data import Array, Points
from mlviz.data.generators import generate
from tests.benchmarks.match import Match


def matches(n: int) -> Iterator[Match]:
    """All the problems at this n; kernel components keep a table of all pairs, so they are at most at 3,000."""
    yield _kernel_components(min(n, 3000))
    yield _sparse_components(n)
    yield _parts(n, "Frobenius")
    yield _parts(min(n, 3000), "KL")  # the loss of every frame takes logarithms, of which theirs are one in twenty


def _kernel_components(n: int) -> Match:
    return Match(
        "kernel_pca",
        "rbf σ = 0.4, 2 components",
        generate("circles", n=n, noise=0.05, seed=1),
        {"sigma": 0.4, "dimensions": 2, "sweep": False, "pre_image": False},
        KernelPCA(2, kernel="rbf", gamma=0.5 / 0.4**2, eigen_solver="arpack"),
        lambda ours, theirs: float(np.abs(theirs.eigenvalues_ - ours.model.eigenvalues).max() / theirs.eigenvalues_[0]),
        1e-9,
    )


def _sparse_components(n: int) -> Match:
    """One component: for more scikit-learn solves another problem, all of them together."""
    rng = np.random.default_rng(1)
    groups = np.repeat(rng.normal(size=(n, 8)), 8, axis=1)
    data = Points((groups + 0.5 * rng.normal(size=(n, 64))) * np.linspace(2.0, 1.0, 64))
    params = {"lam": 0.4, "dimensions": 1, "scaling": "as they are", "sweep": False, "tol": 1e-8, "max_steps": 1000}
    algorithm = find("sparse_pca")
    run = algorithm.start(data, algorithm.make_params(params), 0)
    loadings = next(shot.model.components[0] for shot in run if shot.phase == "begin")
    centred = data.X - data.X.mean(axis=0)
    scores = centred @ loadings
    price = 0.4 * float(np.linalg.norm(centred, axis=0).max())
    theirs = SparsePCA(
        1,
        alpha=price,
        method="cd",
        tol=1e-8,
        max_iter=1000,
        U_init=(scores / np.linalg.norm(scores))[:, None],
        V_init=loadings[None],
    )

    def gap(ours: Fit, theirs: Any) -> float:
        return float(ours.metrics["objective"][-1] / theirs.error_[-1] - 1.0)

    return Match("sparse_pca", "64 features, 1 component, same start, tol 1e-8", data, params, theirs, gap, 1e-5)


class FromAStart(NMF):
    """The factorisation from given factors, which ``fit`` alone does not take."""

    start: tuple[Array, Array]

    def fit(self, X: Array, y: Any = None) -> FromAStart:
        """Begin with copies of the factors."""
        W, H = self.start
        self.fit_transform(X, W=W.copy(), H=H.copy())
        return self


def _parts(n: int, loss: str) -> Match:
    rng = np.random.default_rng(1)
    data = Points(rng.poisson(rng.gamma(0.4, size=(n, 10)) @ rng.gamma(0.4, size=(10, 64)) * 4.0).astype(float))
    params = {"rank": 10, "loss": loss, "tol": 1e-4, "max_steps": 200}
    algorithm = find("nmf")
    first = next(algorithm.start(data, algorithm.make_params(params), 0)).model
    name = {"Frobenius": "frobenius", "KL": "kullback-leibler"}[loss]
    theirs = FromAStart(10, init="custom", solver="mu", beta_loss=name, tol=1e-4, max_iter=200)
    theirs.start = (first.W, first.H)

    def gap(ours: Fit, theirs: Any) -> float:
        return float(np.sqrt(2.0 * ours.metrics["loss"][-1]) / theirs.reconstruction_err_ - 1.0)

    return Match("nmf", f"{loss}, 64 features, 10 parts, same start, tol 1e-4", data, params, theirs, gap, 1e-6)
