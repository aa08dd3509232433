"""What a frame of sparse principal components shows: loadings, their path over the penalty, the map and the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array, Points
from algorithms.embedding.sparse_pca.solver import Step
from algorithms.marks import Bars, Bundle, Centres, Curve, Images, Mark, ReferenceLine, Segments
from algorithms.maths import maps

if TYPE_CHECKING:
    from algorithms.embedding.sparse_pca import Model

MOST_FEATURES = 40
"""Features in the chart of the loadings: the ones with the largest."""
MOST_CURVES = 8
"""Features whose loading is a curve with a name; the others are thin lines."""
COLUMNS = 4
"""Pictures of components in a row."""
AXES = 3
"""Components that are drawn as axes in the plane."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    model: Model
    directions: Array  # (r, d) the principal components,
    fractions: Array  # (r,) and their parts of the variance
    unit: float  # in which the squares are counted
    form: str  # penalty or bound
    lam: float
    objective: float  # what is minimised, in that unit
    taken: int = 0  # components that are ready
    dense: Array | None = None  # (d,) what the component at work began with
    now: Step | None = None  # where it is
    penalties: Array | None = None  # (p,) as fractions of the least one at which all loadings are 0
    path: Array | None = None  # (p, d) the loadings of the first component there
    kept: Array | None = None  # (p,) its fraction of the variance
    penalty: float | None = None  # the one of this frame
    warning: str = ""

    @property
    def loadings(self) -> Array:
        """The component at work, (d,)."""
        return np.asarray(self.model.components[-1])


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    components = picture.model.components
    metrics = {
        "objective": picture.objective * picture.unit**2,
        "explained": picture.model.explained,
        "features": float(np.count_nonzero(components[-1])) if len(components) else float(picture.data.d),
    }
    return DrawnSnapshot(picture.model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    views: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(picture),
        "loadings": _loadings(picture),
        "scree": _scree(picture),
    }
    if len(picture.model.components):
        views["map"] = (_map(picture),)
    if picture.penalties is not None and picture.path is not None and picture.kept is not None:
        here = ReferenceLine(*_here(picture), handle="lam" if picture.form == "penalty" else "")
        views["path"] = (*_path(picture, picture.penalties, picture.path), here)
        filled = 100.0 * np.count_nonzero(picture.path, axis=1) / picture.data.d
        kept = Curve(picture.penalties, 100.0 * picture.kept, "variance of component 1")
        views["kept"] = (kept, Curve(picture.penalties, filled, "loadings that are not zero"), here)
    return views


def _here(picture: Picture) -> tuple[float, str]:
    penalty = picture.lam if picture.penalty is None else picture.penalty
    return penalty, f"λ = {penalty:.2f}"


# --- loadings ---------------------------------------------------------------------------------------------------------


def _loadings(picture: Picture) -> tuple[Mark, ...]:
    if picture.data.image_shape is not None:
        return (_images(picture, picture.data.image_shape),)
    if picture.dense is not None and picture.penalty is None and picture.now is None and not picture.taken:
        return (_bars(picture, picture.dense[None], ("principal component",)),)
    if picture.dense is not None and len(picture.model.components):
        both = np.stack([picture.dense, picture.loadings])
        number = 1 if picture.penalty is not None else len(picture.model.components)
        return (_bars(picture, both, ("without a penalty", f"component {number}"), first=-1),)
    if len(picture.model.components):
        few = picture.model.components[:AXES]
        return (_bars(picture, few, tuple(f"component {k + 1}" for k in range(len(few)))),)
    return (_bars(picture, picture.directions[:1], ("principal component",), first=-1),)


def _bars(picture: Picture, rows: Array, labels: tuple[str, ...], first: int = 0) -> Bars:
    """Some loadings (k, d) side by side, feature by feature; with ``first`` = -1 the first row is grey."""
    d = rows.shape[1]
    chosen = np.arange(d)
    if d > MOST_FEATURES:
        chosen = np.sort(np.argsort(-np.abs(rows).max(axis=0), kind="stable")[:MOST_FEATURES])
    count = len(rows)
    names = tuple(picture.data.features[j] if k == 0 else "" for j in chosen.tolist() for k in range(count))
    groups = np.tile(np.arange(count) + first, len(chosen))
    return Bars(rows[:, chosen].T.ravel(), names, groups=groups, group_names=labels[-first:] if first else labels)


def _images(picture: Picture, shape: tuple[int, int]) -> Images:
    """The components as pictures, or the one at work beside what it began with."""
    components = picture.model.components
    if not len(components):
        captions: tuple[str, ...] = ("principal component",)
        rows = picture.directions[:1]
    elif picture.penalty is not None and picture.dense is not None:
        rows = np.stack([picture.dense, components[0]])
        captions = ("without a penalty", f"λ = {picture.penalty:.2f}")
    else:
        rows = components
        captions = tuple(f"{k + 1}: {np.count_nonzero(row)} pixels" for k, row in enumerate(components))
    at = np.stack(np.divmod(np.arange(len(rows)), COLUMNS), axis=1)
    return Images(rows.reshape(-1, *shape), at, captions, np.ones(len(rows), dtype=bool))


def _path(picture: Picture, penalties: Array, path: Array) -> tuple[Mark, ...]:
    """Every loading over the penalty: the largest with names, the others thin."""
    order = np.argsort(-np.abs(path).max(axis=0), kind="stable")
    curves = [Curve(penalties, path[:, j], picture.data.features[j]) for j in order[:MOST_CURVES].tolist()]
    rest = order[MOST_CURVES:]
    return (*([Bundle(penalties, path[:, rest].T, "others")] if len(rest) else []), *curves)


# --- the map, the plane and the variance ------------------------------------------------------------------------------


def _map(picture: Picture) -> Mark:
    places = picture.model.scores(picture.data.X)
    return maps.scores_mark(places, picture.data, [f"component {k + 1}" for k in range(places.shape[1])])


def _plane(picture: Picture) -> tuple[Mark, ...]:
    """The mean, and every component as an axis of two standard deviations."""
    model, data = picture.model, picture.data
    marks: tuple[Mark, ...] = (Centres(model.mean[None], name="mean"),)
    away = (data.X - model.mean) / model.scale
    for k, row in enumerate(model.components[:AXES]):
        length = 2.0 * float((away @ row).std())
        ends = np.stack([-length * row, length * row]) * model.scale + model.mean
        marks = (*marks, Segments(ends[:1], ends[1:], "axis", name=f"component {k + 1}"))
    return marks


def _scree(picture: Picture) -> tuple[Mark, ...]:
    """How much principal components show together, and how much as many sparse ones do."""
    together = 100.0 * np.cumsum(picture.fractions)
    most = min(len(together), 12)
    steps = np.arange(1.0, most + 1.0)
    marks: tuple[Mark, ...] = (Curve(steps, together[:most], "principal components", dots=True),)
    count = len(picture.model.components)
    if count:
        sparse = Curve(np.array([float(count)]), np.array([100.0 * picture.model.explained]), "sparse ones", dots=True)
        marks = (*marks, sparse)
    return marks
