"""Data on which several regression methods are put to the test."""

import numpy as np


def wavy(n=40, seed=0, d=1):
    """A curve over the first feature and a parabola over the last, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, size=(n, d))
    return X, np.sin(2.0 * X[:, 0]) + 0.5 * X[:, -1] ** 2 + 0.2 * rng.normal(size=n)
