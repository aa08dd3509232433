"""From the space of the data to the plane of the screen, and back.

With two features the plane is the data. With more, points are seen along two chosen axes, and a field can only be
shown on a slice: the other features are held at their means, and the plane says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.dataset import Array, Points


@dataclass(frozen=True, slots=True)
class Projection:
    """Which two features are seen, and where the others are held. Made by :meth:`of`; compares and hashes by value."""

    axes: tuple[int, int] = (0, 1)
    means: tuple[float, ...] = (0.0, 0.0)
    features: tuple[str, ...] = ("x1", "x2")
    target: str = ""
    """The name of the real target when it is the vertical axis, otherwise empty."""

    def __post_init__(self) -> None:
        if self.d >= 2 and not valid_axes(self.axes, self.d):
            raise ValueError(f"The axes {self.axes} are not two different features of {self.d}.")

    @classmethod
    def of(cls, data: Points, axes: tuple[int, int] = (0, 1)) -> Projection:
        """The projection of this data set onto two of its features (a single feature is the horizontal axis)."""
        means = tuple(float(mean) for mean in data.X.mean(axis=0))
        target = data.target if data.d == 1 and data.is_valued else ""
        return cls((0, 1) if data.d == 1 else axes, means, data.features, target)

    @property
    def d(self) -> int:
        """How many features the data has."""
        return len(self.means)

    @property
    def note(self) -> str:
        """What the plane does not show, as a sentence; empty when it shows everything."""
        others = self.d - 2
        if others <= 0:
            return ""
        if others == 1:
            return "Slice through the mean of the other feature"
        return f"Slice through the means of the other {others} features"

    @property
    def labels(self) -> tuple[str, str]:
        """The names of the horizontal and the vertical axis."""
        if self.d == 1:
            return self.features[0], self.target
        return self.features[self.axes[0]], self.features[self.axes[1]]

    def points(self, data: Points) -> Array:
        """Where the points of the data set itself are drawn, (n, 2): over one feature the real target is the height."""
        if data.d == 1 and data.is_valued and data.y is not None:
            return np.column_stack([data.X[:, 0], data.y])
        return self.project(data.X)

    def project(self, at: Array) -> Array:
        """Positions (..., d) seen in the plane (..., 2).

        Over a single feature, positions that already have a height (residuals, a fitted curve) are taken as they are.
        """
        at = np.asarray(at)
        if self.d == 1 and at.shape[-1] == 2:
            return at
        self._check(at.shape[-1])
        if self.d == 1:
            return np.concatenate([at, np.zeros_like(at)], axis=-1)
        return at[..., list(self.axes)]

    def lift(self, at: Array) -> Array:
        """Positions in the plane (..., 2) as points (..., d), with the other features at their means."""
        at = np.asarray(at, dtype=np.float64)
        if self.d == 1:
            return at[..., :1].copy()
        lifted = np.empty((*at.shape[:-1], self.d))
        lifted[...] = self.means
        lifted[..., list(self.axes)] = at
        return lifted

    def covariance(self, cov: Array) -> Array:
        """Covariances (..., d, d) of the marginal distribution in the plane (..., 2, 2)."""
        cov = np.asarray(cov, dtype=np.float64)
        self._check(cov.shape[-1])
        if self.d == 1:
            flat = np.zeros((*cov.shape[:-2], 2, 2))
            flat[..., 0, 0] = cov[..., 0, 0]
            return flat
        axes = np.array(self.axes)
        return cov[..., axes[:, None], axes[None, :]]

    def _check(self, columns: int) -> None:
        if columns != self.d:
            raise ValueError(f"The positions have {columns} features; the data has {self.d}.")


def valid_axes(axes: tuple[int, int], d: int) -> bool:
    """Whether these are two different features of ``d`` (with a single feature there is nothing to choose)."""
    return d == 1 or (axes[0] != axes[1] and all(0 <= axis < d for axis in axes))
