"""Edits of a data set: what the drawing tools do to the points, as pure functions without a window.

Everything happens in the plane that is looked at. A new point gets the means of the features that are not seen, because
that is the slice the plane shows, or lies on the plane of the principal components; a moved point keeps what the plane
does not show. Where a single feature has a real target, the height is
that target.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.data import MAX_CLASSES, Array, DataError, Points
from algorithms.records import dataclass
from mlviz.session.projection import Axes, Projection

MOST_CLASSES = MAX_CLASSES
"""As many classes can be drawn as can be loaded."""


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """Data while it is drawn. The identities say which points of two drafts of one stroke are the same."""

    data: Points
    ids: Array  # (n,) int, ascending

    @classmethod
    def of(cls, data: Points) -> Draft:
        """The beginning of a stroke."""
        return cls(data, np.arange(data.n))

    def origin(self, older: Draft) -> Array:
        """For every point (n,) its number in an older draft, or -1 where it was not there."""
        if self.ids is older.ids:
            return np.arange(self.data.n)
        if not len(older.ids):
            return np.full(len(self.ids), -1)
        found = np.searchsorted(older.ids, self.ids)
        found[found == len(older.ids)] = 0
        return np.where(older.ids[found] == self.ids, found, -1)


def positions(data: Points, axes: Axes) -> Array:
    """Where the points are in the plane, (n, 2)."""
    return Projection.of(data, axes).points(data)


# -- points --------------------------------------------------------------------------------------------------------


def add(draft: Draft, axes: Axes, at: Array, group: int = 0) -> Draft:
    """New points at places ``at`` (m, 2) of the plane.

    They belong to class ``group``; the number after the last class makes a new one. A real target that is not an axis
    is taken over from the nearest point.
    """
    at = np.asarray(at, dtype=np.float64).reshape(-1, 2)
    if not len(at):
        return draft
    data = draft.data
    projection = Projection.of(data, axes)
    X = np.concatenate([data.X, _coded(data, projection.lift(at))])
    ids = np.concatenate([draft.ids, (draft.ids[-1] + 1 if data.n else 0) + np.arange(len(at))])
    if data.y is None:
        return Draft(replace(data, X=_owned(X)), ids)
    if data.is_labelled:
        data = with_class(data, group)
        fresh: Array = np.full(len(at), group, dtype=np.int64)
    else:
        fresh = at[:, 1] if data.d == 1 else _nearest_values(data, projection, at)
    assert data.y is not None
    return Draft(replace(data, X=_owned(X), y=np.concatenate([data.y, fresh])), ids)


def with_row(data: Points, row: Array, group: int = 0) -> Points:
    """One more point with these features (d,), of a class; a real target is that of the nearest point, or 0."""
    X = np.concatenate([data.X, _coded(data, np.array(row, dtype=np.float64)[None])])
    if data.y is None:
        return replace(data, X=_owned(X))
    if data.is_labelled:
        data = with_class(data, group)
    assert data.y is not None
    if data.is_labelled:
        return replace(data, X=_owned(X), y=np.append(data.y, group))
    value = data.y[np.argmin(((data.X - X[-1]) ** 2).sum(axis=1))] if data.n else 0.0
    return replace(data, X=_owned(X), y=np.append(data.y, value))


def levels(data: Points) -> tuple[float, float]:
    """The least and the largest number among the features: white and black where the points are pictures."""
    if data.n == 0:
        return 0.0, 1.0
    return float(data.X.min()), float(data.X.max())


def _coded(data: Points, X: Array) -> Array:
    """The rows with the nearest code in every column that holds categories."""
    for column, names in data.categories:
        X[:, column] = np.clip(np.rint(X[:, column]), 0, len(names) - 1)
    return X


def erase(draft: Draft, which: Array) -> Draft:
    """Without the points ``which`` (numbers or a mask); all may go."""
    kept = np.ones(draft.data.n, dtype=bool)
    kept[which] = False
    if kept.all():
        return draft
    data = draft.data
    y = None if data.y is None else data.y[kept]
    return Draft(replace(data, X=_owned(data.X[kept]), y=y), draft.ids[kept])


def move(draft: Draft, axes: Axes, which: Array, at: Array) -> Draft:
    """The points ``which`` (m,) at the places ``at`` (m, 2) of the plane."""
    data = draft.data
    if not len(which):
        return draft
    X = data.X.copy()
    X[which] = _coded(data, Projection.of(data, axes).moved(X[which], at))
    if data.d > 1 or not data.is_valued or data.y is None:
        return Draft(replace(data, X=_owned(X)), draft.ids)
    y = data.y.copy()
    y[which] = at[:, 1]
    return Draft(replace(data, X=_owned(X), y=y), draft.ids)


def relabel(draft: Draft, which: Array, group: int) -> Draft:
    """The points ``which`` in class ``group``; the number after the last class makes a new one."""
    draft.data.class_numbers("The relabel brush")
    if not len(which):
        return draft
    data = with_class(draft.data, group)
    assert data.y is not None
    y = data.y.copy()
    y[which] = group
    return Draft(replace(data, y=y), draft.ids) if (y != data.y).any() else draft


def jitter(draft: Draft, axes: Axes, which: Array, spread: tuple[float, float], rng: np.random.Generator) -> Draft:
    """The points ``which`` displaced at random, with standard deviation ``spread`` along each axis of the plane."""
    at = positions(draft.data, axes)[which]
    return move(draft, axes, which, at + rng.normal(size=at.shape) * spread)


def attract(draft: Draft, axes: Axes, which: Array, place: Array, fraction: float) -> Draft:
    """The points ``which`` moved by a ``fraction`` of the distance to ``place``; a negative one pushes them away."""
    at = positions(draft.data, axes)[which]
    return move(draft, axes, which, at + fraction * (np.asarray(place) - at))


# -- classes -------------------------------------------------------------------------------------------------------


def next_class_name(classes: tuple[str, ...]) -> str:
    """A name for one more class, in the manner of those that are there."""
    numbers = [int(name) for name in classes if name.isdecimal()]
    if len(numbers) == len(classes):
        return str(max(numbers, default=0) + 1)
    number = len(classes) + 1
    while f"class {number}" in classes:
        number += 1
    return f"class {number}"


def with_class(data: Points, group: int) -> Points:
    """The same data with class ``group`` among its classes; it may be the one after the last."""
    if group < len(data.classes):
        return data
    if group > len(data.classes):
        raise DataError(f"There is no class {group + 1} yet.")
    if group >= MOST_CLASSES:
        raise DataError(f"At most {MOST_CLASSES} classes can be drawn.")
    return replace(data, classes=(*data.classes, next_class_name(data.classes)))


def renamed_class(classes: tuple[str, ...], group: int, name: str) -> tuple[str, ...]:
    """The classes with another name for one of them."""
    name = name.strip()
    if not name:
        raise DataError("A class needs a name.")
    if name in classes[:group] + classes[group + 1 :]:
        raise DataError(f"There is a class named {name} already.")
    return *classes[:group], name, *classes[group + 1 :]


# -- places --------------------------------------------------------------------------------------------------------


def sprayed(rng: np.random.Generator, centres: Array, radii: tuple[float, float], count: int) -> Array:
    """``count`` places (m, 2), evenly spread over the ellipse of these radii around each of the centres."""
    centres = np.repeat(np.asarray(centres, dtype=np.float64).reshape(-1, 2), count, axis=0)
    angle = rng.uniform(0.0, 2.0 * np.pi, len(centres))
    distance = np.sqrt(rng.uniform(0.0, 1.0, len(centres)))
    return centres + (distance * np.array([np.cos(angle), np.sin(angle)])).T * radii


def along(first: Array, last: Array, count: int) -> Array:
    """``count`` places at equal distances on a line, both ends among them."""
    fraction = np.linspace(0.0, 1.0, max(count, 2))[:, None]
    return np.asarray(first) + fraction * (np.asarray(last) - np.asarray(first))


def dabs(last: Array, place: Array, radii: tuple[float, float], left_over: float) -> tuple[Array, float]:
    """Where a brush dabs on its way from ``last`` to ``place``: once every half radius, however fast it moves.

    ``left_over`` is the distance since the last dab, in radii; the second value is what is left over of it now.
    """
    step = np.asarray(place, dtype=np.float64) - last
    distance = float(np.hypot(*(step / radii)))
    when = np.arange(0.5 - left_over, distance + 1e-12, 0.5)
    centres = np.asarray(last) + (when / distance if distance else when)[:, None] * step
    return centres, distance - float(when[-1]) if len(when) else left_over + distance


# -- which points are meant ----------------------------------------------------------------------------------------


def under_brush(at: Array, last: Array, place: Array, radii: tuple[float, float]) -> Array:
    """The numbers of the points that a brush touches on its straight path from ``last`` to ``place``."""
    last, place = np.asarray(last, dtype=np.float64), np.asarray(place, dtype=np.float64)
    low, high = np.minimum(last, place) - radii, np.maximum(last, place) + radii
    x, y = at.T
    near = np.flatnonzero((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))  # most are far away
    step = (place - last) / radii
    gap = (at[near] - last) / radii
    length = float(step @ step)
    fraction = np.clip(gap @ step / length, 0.0, 1.0) if length > 0 else np.zeros(len(near))
    gap = gap - fraction[:, None] * step
    return np.asarray(near[np.einsum("ij,ij->i", gap, gap) <= 1.0])


def in_rectangle(at: Array, first: Array, last: Array) -> Array:
    """The numbers of the points between two corners."""
    low, high = np.minimum(first, last), np.maximum(first, last)
    return np.flatnonzero(((at >= low) & (at <= high)).all(axis=1))


def in_polygon(at: Array, corners: Array) -> Array:
    """The numbers of the points inside a closed line through the corners (m, 2), by the even-odd rule."""
    inside = np.zeros(len(at), dtype=bool)
    x, y = at[:, 0], at[:, 1]
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0)):
        if y1 != y2:
            crosses = (y1 > y) != (y2 > y)
            inside ^= crosses & (x < x1 + (y - y1) * ((x2 - x1) / (y2 - y1)))
    return np.flatnonzero(inside)


def _nearest_values(data: Points, projection: Projection, at: Array) -> Array:
    """The real target of the nearest point, distances measured in standard deviations along each axis."""
    from scipy.spatial import cKDTree  # 0.3 s, which the start of the program need not wait for

    assert data.y is not None
    if not data.n:
        return np.zeros(len(at))
    known = projection.points(data)
    scale = known.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return np.asarray(data.y[cKDTree(known / scale).query(at / scale)[1]])


def _owned(X: Array) -> Array:
    """An array that the data set need not copy, because nobody else has it."""
    if X.dtype == np.float64 and X.base is None and X.flags.c_contiguous:
        X.flags.writeable = False
    return X
