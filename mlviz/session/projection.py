"""From the space of the data to the plane of the screen, and back.

With two features the plane is the data. With more, points are seen along two chosen axes, and a field can only be
shown on a slice: the other features are held at their means. Or the points are projected on the plane of their first
two principal components; a field is then shown on that plane through the mean. Either way the plane says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.data import Array, Points
from algorithms.data.kind import locked
from algorithms.data.remembered import Remembered
from algorithms.maths.components import principal_components
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class PrincipalPlane:
    """The plane through the mean along which the points vary most.

    It is a value that the document keeps, not something found anew after each edit: the plane must not turn under the
    brush. Choosing the view again fits it to the present points.
    """

    mean: tuple[float, ...]
    directions: tuple[tuple[float, ...], tuple[float, ...]]
    """Two unit vectors at a right angle; the largest number of each is positive."""
    fractions: tuple[float, float]
    """How much of the variance of the points each of them showed, from 0 to 1."""

    @classmethod
    def of(cls, data: Points) -> PrincipalPlane:
        """The plane of the first two principal components of the points; at least two features."""
        found = principal_components(data.X, 2)
        first, second = found.directions.tolist()
        one, two = found.fractions.tolist()
        return cls(tuple(found.mean.tolist()), (tuple(first), tuple(second)), (one, two))

    @property
    def d(self) -> int:
        """How many features the points have."""
        return len(self.mean)


Axes = tuple[int, int] | PrincipalPlane
"""What is looked at: two features by number, or the plane of the principal components."""


@dataclass(frozen=True, slots=True)
class Projection:
    """Which two features are seen, and where the others are held. Made by :meth:`of`; compares and hashes by value.

    With a ``plane`` the points are seen on that instead, and ``axes`` mean nothing.
    """

    axes: tuple[int, int] = (0, 1)
    means: tuple[float, ...] = (0.0, 0.0)
    features: tuple[str, ...] = ("x1", "x2")
    target: str = ""
    """The name of the real target when it is the vertical axis, otherwise empty."""
    plane: PrincipalPlane | None = None

    def __post_init__(self) -> None:
        if self.d >= 2 and not valid_axes(self.axes, self.d):
            raise ValueError(f"The axes {self.axes} are not two different features of {self.d}.")

    @classmethod
    def of(cls, data: Points, axes: Axes = (0, 1)) -> Projection:
        """The projection of this data set as its axes say (a single feature is the horizontal axis)."""
        if isinstance(axes, PrincipalPlane):
            return cls((0, 1), axes.mean, data.features, plane=axes)
        means = tuple((np.full(data.n, 1.0 / max(data.n, 1)) @ data.X).tolist())  # ``mean`` takes ten times as long
        target = data.target if data.d == 1 and data.is_valued else ""
        return cls((0, 1) if data.d == 1 else axes, means, data.features, target)

    @property
    def d(self) -> int:
        """How many features the data has."""
        return len(self.means)

    @property
    def note(self) -> str:
        """What the plane does not show, as a sentence; empty when it shows everything."""
        if self.plane is not None:
            return f"Projection (PCA of {self.d} features); fields on its plane"
        others = self.d - 2
        if others <= 0:
            return ""
        if others == 1:
            return "Slice through the mean of the other feature"
        return f"Slice through the means of the other {others} features"

    @property
    def labels(self) -> tuple[str, str]:
        """The names of the horizontal and the vertical axis."""
        if self.plane is not None:
            first, second = (
                f"PC {number} ({fraction:.0%})" for number, fraction in enumerate(self.plane.fractions, start=1)
            )
            return first.replace("%", " %"), second.replace("%", " %")
        if self.d == 1:
            return self.features[0], self.target
        return self.features[self.axes[0]], self.features[self.axes[1]]

    def points(self, data: Points) -> Array:
        """Where the points of the data set itself are drawn, (n, 2): over one feature the real target is the height."""
        if data.d == 1 and data.is_valued and data.y is not None:
            return np.column_stack([data.X[:, 0], data.y])
        if self.plane is None:
            return self.project(data.X)
        return _seen.of(data.X, lambda: locked(self.project(data.X)), self.plane)  # of many pictures it takes long

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
        if self.plane is not None:
            return np.asarray((at - np.array(self.means)) @ np.array(self.plane.directions).T)
        return at[..., list(self.axes)]

    def lift(self, at: Array) -> Array:
        """Positions in the plane (..., 2) as points (..., d): on the slice, or on the plane of the components."""
        at = np.asarray(at, dtype=np.float64)
        if self.d == 1:
            return at[..., :1].copy()
        if self.plane is not None:
            return np.asarray(np.array(self.means) + at @ np.array(self.plane.directions))
        lifted = np.empty((*at.shape[:-1], self.d))
        lifted[...] = self.means
        lifted[..., list(self.axes)] = at
        return lifted

    def moved(self, X: Array, at: Array) -> Array:
        """Points (..., d) carried to the places ``at`` (..., 2) of the plane; what the plane does not show stays."""
        X = np.array(X, dtype=np.float64)
        self._check(X.shape[-1])
        if self.plane is not None:
            return np.asarray(X + (at - self.project(X)) @ np.array(self.plane.directions))
        axes = list(self.axes)[: self.d]
        X[..., axes] = np.asarray(at)[..., : len(axes)]
        return X

    def covariance(self, cov: Array) -> Array:
        """Covariances (..., d, d) of the marginal distribution in the plane (..., 2, 2)."""
        cov = np.asarray(cov, dtype=np.float64)
        self._check(cov.shape[-1])
        if self.d == 1:
            flat = np.zeros((*cov.shape[:-2], 2, 2))
            flat[..., 0, 0] = cov[..., 0, 0]
            return flat
        if self.plane is not None:
            directions = np.array(self.plane.directions)
            return np.asarray(directions @ cov @ directions.T)
        axes = np.array(self.axes)
        return cov[..., axes[:, None], axes[None, :]]

    def _check(self, columns: int) -> None:
        if columns != self.d:
            raise ValueError(f"The positions have {columns} features; the data has {self.d}.")


_seen: Remembered[Array] = Remembered()


MANY_FEATURES = 40
"""Of so many features no two show much: two pixels of a picture, or two words."""


def is_seen_by_pca(data: Any) -> bool:
    """Whether data are seen on the plane of their principal components, until somebody chooses otherwise."""
    return isinstance(data, Points) and data.d > 2 and (data.image_shape is not None or data.d > MANY_FEATURES)


def valid_axes(axes: Axes, d: int) -> bool:
    """Whether these are two different features of ``d`` (with a single feature there is nothing to choose)."""
    if isinstance(axes, PrincipalPlane):
        return d > 2 and axes.d == d
    return d == 1 or (axes[0] != axes[1] and all(0 <= axis < d for axis in axes))


def checked_plane(raw: Any, d: int) -> PrincipalPlane:
    """The plane that a session file describes, or ValueError."""
    if not isinstance(raw, dict):
        raise ValueError("The plane of the principal components is not described.")
    raw = {"fractions": raw.get("shares", []), **raw}  # as older files call them
    mean, directions, fractions = (raw.get(name, []) for name in ("mean", "directions", "fractions"))
    if not (_numbers(mean, d) and _numbers(fractions, 2) and isinstance(directions, list) and len(directions) == 2):
        raise ValueError("The plane of the principal components does not fit the data.")
    if not all(_numbers(direction, d) for direction in directions):
        raise ValueError("The plane of the principal components does not fit the data.")
    basis = np.array(directions, dtype=np.float64)
    if d < 3 or not np.allclose(basis @ basis.T, np.eye(2), atol=1e-6):
        raise ValueError("The principal components are not at a right angle.")
    first, second = (tuple(map(float, direction)) for direction in directions)
    one, two = (min(max(float(fraction), 0.0), 1.0) for fraction in fractions)
    return PrincipalPlane(tuple(map(float, mean)), (first, second), (one, two))


def _numbers(values: Any, count: int) -> bool:
    if not isinstance(values, list) or len(values) != count:
        return False
    return all(type(value) in (int, float) and abs(value) < 1e200 for value in values)
