"""Kernel, sparse and non-negative components given to us and to scikit-learn: the same start, tolerance and steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.decomposition import KernelPCA

from mlviz.data.generators import generate
from tests.benchmarks.match import Match


def matches(n: int) -> Iterator[Match]:
    """All the problems at this n; kernel components keep a table of all pairs, so they are at most at 3,000."""
    yield _kernel_components(min(n, 3000))


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
