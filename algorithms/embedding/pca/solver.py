"""The mathematics of principal components, beside ``maths/components``: an axis that turns, and lines to compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.maths.components import Components


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The plane in which the axis turns: that of two features, or that of the first two components of more."""

    basis: Array  # (2, d) the directions of 0 and of 90 degrees
    covariance: Array  # (2, 2) of the points seen in it
    total: float  # the variance of the points in all directions

    @classmethod
    def of(cls, centred: Array, found: Components) -> Plane:
        """The plane of centred points (n, d), d at least 2."""
        d = centred.shape[1]
        basis = np.eye(2) if d == 2 else found.directions[[1, 0]] if len(found.directions) > 1 else np.eye(2, d)
        seen = centred @ basis.T
        n = max(len(centred) - 1, 1)
        return cls(basis, seen.T @ seen / n, float(np.einsum("ij,ij->", centred, centred)) / n)

    def direction(self, angle: float) -> Array:
        """The axis at an angle, a unit vector (d,)."""
        return np.asarray(np.array([np.cos(angle), np.sin(angle)]) @ self.basis)

    def variance(self, angle: float | Array) -> Array | float:
        """The variance u'Cu along the axis at an angle, or at several."""
        cos, sin = np.cos(angle), np.sin(angle)
        (across, both), (_, up) = self.covariance
        return np.maximum(across * cos * cos + 2.0 * both * cos * sin + up * sin * sin, 0.0)

    @property
    def best_angle(self) -> float:
        """Where the points vary most, from 0 to less than pi."""
        (across, both), (_, up) = self.covariance
        return float(0.5 * np.arctan2(2.0 * both, across - up) % np.pi)


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines through the mean of points in the plane, by their directions, and how long the whiskers of each are."""

    upright: tuple[float, float]  # direction of the line of the second feature on the first
    level: tuple[float, float]  # of the first on the second
    principal: tuple[float, float]
    upright_errors: tuple[float, float]  # squared upright whiskers of the first line, and of the principal axis
    across_errors: tuple[float, float]  # squared whiskers at right angles of both

    @classmethod
    def of(cls, centred: Array) -> Lines | None:
        """The lines of centred points (n, 2); None without two features that vary, or where the axis is upright."""
        if centred.shape[1] != 2:
            return None
        covariance = centred.T @ centred
        (xx, xy), (_, yy) = covariance
        values, vectors = np.linalg.eigh(covariance)
        axis = vectors[:, 1] * (-1.0 if vectors[0, 1] < 0.0 else 1.0)
        if not (xx > 0.0 and yy > 0.0) or abs(axis[0]) < 1e-9:
            return None
        slope = xy / xx
        errors = (yy - xy * slope, yy - 2.0 * xy * axis[1] / axis[0] + xx * (axis[1] / axis[0]) ** 2)
        line = np.array([1.0, slope]) / np.hypot(1.0, slope)
        across = (xx + yy - line @ covariance @ line, values[0])
        return cls(
            (float(line[0]), float(line[1])),
            (float(xy), float(yy)) if xy or yy else (0.0, 1.0),
            (float(axis[0]), float(axis[1])),
            (float(max(errors[0], 0.0)), float(max(errors[1], 0.0))),
            (float(max(across[0], 0.0)), float(max(across[1], 0.0))),
        )


def errors(found: Components, centred: Array, clean: Array) -> Array:
    """The mean squared distance of what is rebuilt from 0, 1, 2 ... components from centred clean points.

    Along a component that is used the scores differ, along another one the clean score is missing.
    """
    wanted = clean @ found.directions.T
    noise = centred @ found.directions.T - wanted
    used = np.einsum("ij,ij->j", noise, noise)
    missing = np.einsum("ij,ij->j", wanted, wanted)
    outside = max(float(np.einsum("ij,ij->", clean, clean) - missing.sum()), 0.0)  # where there are fewer directions
    left = np.concatenate([np.cumsum(missing[::-1])[::-1], [0.0]]) + np.concatenate([[0.0], np.cumsum(used)])
    return np.asarray((left + outside) / len(clean))


def ladder(count: int) -> tuple[int, ...]:
    """1, 2, 3 ... for few components, else 1, 2, 4, 8 ...; always the last."""
    if count <= 6:
        return tuple(range(1, count + 1))
    steps = [2**power for power in range(count.bit_length()) if 2**power < count]
    return (*steps, count)
