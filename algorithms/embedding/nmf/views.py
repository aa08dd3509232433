"""What a frame of non-negative factorisation shows: parts as pictures, bars or rays, weights, and what is left over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Points
from algorithms.marks import Bars, Images, Mark, Matrix, Segments
from algorithms.maths import maps

if TYPE_CHECKING:
    from algorithms.embedding.nmf import Shot

ROWS, FEATURES = 160, 120
"""Points and features in the tables, evenly chosen."""
LONG = 5
"""A table shows at most so many points for each of its rows: its cells are square."""
FEW = 3
"""Up to so many rows a table says nothing."""
MOST_BARS = 16
"""Features that have bars; of more the parts are a table."""
MOST_GROUPS = 4
"""Parts that have bars."""
MOST_RAYS = 12
"""Parts that are drawn as rays."""
MOST_WHISKERS = 200
"""Points whose distance to the cone is drawn."""
EXAMPLES = 10
"""Pictures that are put together again."""
WIDE = 12
"""The most parts in a row."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    found: dict[str, tuple[Mark, ...]] = {"plane": _plane(shot), "map": (_map(shot),)}
    if len(shot.model.H) > FEW:
        found["weights"] = (_weights(shot),)
    if shot.given.data.d > FEW:
        found["left"] = (_left(shot),)
    shape = shot.given.data.image_shape
    return found | ({"parts": (_parts(shot),)} if shape is None else {"pictures": (_images(shot, shape),)})


# --- parts ------------------------------------------------------------------------------------------------------------


def _images(shot: Shot, shape: tuple[int, int]) -> Images:
    """The parts, each by its own largest number; below, some rows and what the parts add up to."""
    data, model = shot.given.data, shot.model
    tops = np.maximum(model.H.max(axis=1, keepdims=True), 1e-300)
    rank = len(model.H)
    first = (rank - 1) // WIDE + 1
    at = np.stack(np.divmod(np.arange(rank), -(-rank // first)), axis=1)
    captions = [f"part {k + 1}" if rank <= WIDE else f"H {k + 1}" for k in range(rank)]  # with less room, shorter
    some = maps.one_of_each(data, EXAMPLES)
    top = max(float(data.X.max()), 1e-300)
    pairs = [data.X[some] / top, np.clip(model.W[some] @ model.H / top, 0.0, 1.0)]
    below = [np.column_stack([np.full(len(some), first + k), np.arange(len(some))]) for k in range(2)]
    names = [data.classes[int(data.y[i])] if data.classes and data.y is not None else f"point {i + 1}" for i in some]
    pixels = np.concatenate([model.H / tops, *pairs]).reshape(-1, *shape)
    points = np.concatenate([np.full(rank, -1), some, some])
    return Images(
        pixels,
        np.concatenate([at, *below]),
        (*captions, *names, *["W H"] * len(some)),
        levels=(0.0, 1.0),
        points=points,
    )


def _parts(shot: Shot) -> Mark:
    """The parts feature by feature, each by its own largest number: bars, or a table where there are many."""
    H, features = shot.model.H, shot.given.data.features
    scaled = H / np.maximum(H.max(axis=1, keepdims=True), 1e-300)
    if H.shape[1] > MOST_BARS or len(H) > MOST_GROUPS:
        return Matrix(scaled[:, maps.evenly(H.shape[1], FEATURES)], name="amount / its largest")
    count = len(H)
    names = tuple(features[j] if k == 0 else "" for j in range(H.shape[1]) for k in range(count))
    labels = tuple(f"part {k + 1}" for k in range(count))
    return Bars(scaled.T.ravel(), names, groups=np.tile(np.arange(count), H.shape[1]), group_names=labels)


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """A ray from the origin along every part, as far as any point has of it; from some points to what is rebuilt."""
    X, W, H = shot.given.data.X, shot.model.W, shot.model.H
    some = maps.evenly(len(X), MOST_WHISKERS)
    rays = H[:MOST_RAYS] * W[:, :MOST_RAYS].max(axis=0)[:, None]
    away = Segments(X[some], W[some] @ H, "residual", some, "residuals")
    return away, Segments(np.zeros_like(rays), rays, "axis", name="parts, from zero")


# --- weights and tables -----------------------------------------------------------------------------------------------


def _map(shot: Shot) -> Mark:
    W = shot.model.W
    return maps.scores_mark(W, shot.given.data, [f"part {k + 1}" for k in range(W.shape[1])])


def _in_order(data: Points, height: int) -> Array:
    """Some points, class by class, for the columns of a table with so many rows."""
    order = np.arange(data.n) if data.groups is None else np.argsort(data.groups, kind="stable")
    return np.asarray(order[maps.evenly(data.n, min(ROWS, LONG * height))])


def _weights(shot: Shot) -> Matrix:
    """How much of each part, row by row, some points have, by its largest amount."""
    W = shot.model.W
    chosen = _in_order(shot.given.data, W.shape[1])
    return Matrix((W[chosen] / np.maximum(W.max(axis=0), 1e-300)).T, name="amount / its largest")


def _left(shot: Shot) -> Matrix:
    """X - WH, feature by feature, of some points."""
    data, model = shot.given.data, shot.model
    features = maps.evenly(data.d, FEATURES)
    chosen = _in_order(data, len(features))
    left = data.X[np.ix_(chosen, features)] - model.W[chosen] @ model.H[:, features]
    return Matrix(left.T, signed=True, name="residual")
