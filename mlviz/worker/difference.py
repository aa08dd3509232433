"""Where the answers of several models differ: over a part of the plane and at the points. No Qt.

Classes are compared as they are. The numbers of clusters mean nothing, so those of each model are first matched with
those of the first one, by the points they have in common. Real answers have a difference that is measured. Maps are
laid over each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, Data, Points
from algorithms.records import dataclass
from mlviz.session.layout import EvaluationSettings
from mlviz.session.projection import Projection
from mlviz.session.rasters import Rect, Size, cell_centres
from mlviz.session.scoring import Threshold, neutral, on_field
from mlviz.worker.evaluation import scores_classes
from mlviz.worker.latest_only import Abandoned, LatestOnlyWorker
from mlviz.worker.two_maps import TwoMaps, has_map, two_maps

Sort = Literal["classes", "clusters", "values", "maps", ""]
CHUNK = 4096
"""Points that are asked in one go: so soon the work can be called off."""


def sort_of(method: Algorithm, data: Data) -> Sort:
    """What the answers of a method on these data are; empty where it gives none for a point of the plane."""
    if has_map(method) and data.n > 1:
        return "maps"
    if not isinstance(data, Points) or method.predict is None or data.n == 0:
        return ""
    if method.target == "none":
        return "clusters" if method.family == "clustering" else ""
    if method.target in ("classes", "any") and data.is_labelled:
        return "classes"
    return "values" if method.target in ("values", "any") and data.is_valued else ""


def why_not(methods: tuple[Algorithm, ...], data: Data) -> str:
    """Why the answers of these methods cannot be compared, as a sentence; empty when they can."""
    if data.n == 0:
        return "There is nothing to compare yet: the board is blank."
    sorts = [sort_of(method, data) for method in methods]
    mute = next((method.title for method, sort in zip(methods, sorts) if not sort), None)
    if mute is not None:
        return f"{mute} gives no answer for every point of the plane, so there is no map of differences."
    if len(set(sorts)) > 1:
        return f"There are {sorts[0]} on one board and {next(s for s in sorts if s != sorts[0])} on another."
    return ""


def decision_line(algorithm: Algorithm, model: Any, data: Data, settings: EvaluationSettings) -> Threshold | None:
    """Where the threshold of an evaluation runs in the field of a model; None while every class counts."""
    if settings.every_class or not scores_classes(algorithm, data) or algorithm.field is None:
        return None
    assert isinstance(data, Points)
    probability, several = algorithm.scores_on(data) == "probability", len(data.classes) > 2
    first = 0 if several else len(data.classes) - 1
    positive = first if settings.positive is None or settings.positive >= len(data.classes) else settings.positive
    threshold = settings.threshold if settings.threshold is not None else neutral(probability)
    columns = np.asarray(algorithm.field(model, data.X[:1])).ndim == 2
    return on_field(positive, threshold, columns, probability)


@dataclass(frozen=True, slots=True, eq=False)
class Answerer:
    """A model, and the threshold at which it decides where one was set."""

    method: Algorithm
    model: Any
    threshold: Threshold | None = None

    def answers(self, X: Array) -> Array:
        """What it says about points (n, d)."""
        if self.threshold is not None and self.method.field is not None:
            field = np.asarray(self.method.field(self.model, X))
            if field.ndim == 1 or self.threshold.column is not None:
                column = field if field.ndim == 1 else field[:, self.threshold.column]
                return np.asarray(column > self.threshold.level).astype(np.intp)
        assert self.method.predict is not None
        return np.asarray(self.method.predict(self.model, X))


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceRequest:
    """Whose answers, on which data, over which part of the plane, in how many cells."""

    models: tuple[Answerer, ...]
    data: Data
    projection: Projection
    rect: Rect
    size: Size
    key: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The map, and what it comes to.

    ``cells`` (h, w), row 0 at the lower edge, are 1 where the answers differ and 0 elsewhere; of two real answers the
    first one less the second, of more the range. ``points`` (n,) say the same of the data.
    """

    request: DifferenceRequest
    sort: Sort = ""
    cells: Array | None = None
    points: Array | None = None
    flat: bool = False
    """Whether the answers are heights over a single feature, and the cells lie between the curves."""
    mean: float = 0.0
    most: float = 0.0
    """Of real answers, over the part of the plane."""
    clusters: tuple[Array, ...] = ()
    """Of every model the number in the first one for each of its clusters, so that both can wear one colour."""
    maps: TwoMaps | None = None
    """Where the answers are maps: nothing else is then known."""
    error: BaseException | None = None

    @property
    def words(self) -> str:
        """The difference in a sentence."""
        if self.maps is not None:
            return self.maps.words
        if self.cells is None or self.points is None:
            return ""
        n, two = len(self.points), len(self.request.models) == 2
        if self.sort == "values":
            at = float(np.abs(self.points).mean())
            return f"They differ by {self.mean:.3g} on average and {self.most:.3g} at most; at the points by {at:.3g}."
        wrong = int(self.points.sum())
        who = "They disagree" if two else "Not all agree"
        where = "slice" if self.request.projection.d > 2 else "plane"
        matched = ", clusters matched" if self.sort == "clusters" else ""
        if not wrong and not self.cells.any():
            return f"They agree on all of the {where} shown and on all {n} points{matched}."
        return f"{who} on {percent(self.cells.mean())} of the {where} shown and on {wrong} of {n} points{matched}."


def percent(fraction: float) -> str:
    """A part of a whole; what is not nothing is not called 0 %."""
    if 0.0 < fraction < 0.001:
        return "less than 0.1 %"
    return f"{100 * fraction:.{0 if fraction >= 0.1 or fraction == 0 else 1}f} %"


def difference(request: DifferenceRequest, outdated: Callable[[], bool] = lambda: False) -> Difference:
    """Work it out, in this thread; what the methods raise is in the answer."""
    data, projection = request.data, request.projection
    try:
        sort = sort_of(request.models[0].method, data)
        if sort == "maps":
            X = data.X if isinstance(data, Points) else None
            models = tuple((one.method, one.model) for one in request.models)
            return Difference(request, sort, maps=two_maps(models, X, data.item_name))
        assert isinstance(data, Points)
        at_points = [_asked(model, data.X, outdated) for model in request.models]
        flat = bool(projection.target)
        (width, height), (left, right, bottom, top) = request.size, request.rect
        x, y = cell_centres(left, right, width), cell_centres(bottom, top, height)
        if flat:
            at_cells = [_asked(model, x[:, None], outdated) for model in request.models]
        else:
            places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
            lifted = projection.lift(places)
            at_cells = [_asked(model, lifted, outdated) for model in request.models]
    except Abandoned:
        raise
    except Exception as error:  # whatever a method raises; the window says it
        return Difference(request, error=error)
    if sort == "values":
        apart = _apart(at_cells)
        mean, most = float(np.abs(apart).mean()), float(np.abs(apart).max(initial=0.0))
        low, high = np.min(at_cells, axis=0), np.max(at_cells, axis=0)
        inside = (y[:, None] >= low) & (y[:, None] <= high) if flat else np.empty(0)
        cells = inside.astype(float) if flat else apart.reshape(height, width)
        return Difference(request, sort, cells, _apart(at_points), flat, mean, most)
    clusters = []
    if sort == "clusters":
        clusters = [np.arange(1 + int(at_points[0].max(initial=0)))]
        for k in range(1, len(at_points)):
            names = matched(at_points[0], at_points[k], at_cells[k])
            clusters.append(names)
            at_points[k], at_cells[k] = names[at_points[k]], names[at_cells[k]]
    rows = 1 if flat else height
    cells = _differ(at_cells).reshape(rows, width) if not flat else np.tile(_differ(at_cells), (height, 1))
    return Difference(request, sort, cells.astype(float), _differ(at_points), clusters=tuple(clusters))


def _asked(model: Answerer, X: Array, outdated: Callable[[], bool]) -> Array:
    parts = []
    for first in range(0, len(X), CHUNK):
        if outdated():
            raise Abandoned
        parts.append(model.answers(X[first : first + CHUNK]))
    return np.concatenate(parts)


def _differ(answers: list[Array]) -> Array:
    """Where not all answers are the same, (n,)."""
    return np.any([other != answers[0] for other in answers], axis=0)  # also of one alone, while others come or go


def _apart(answers: list[Array]) -> Array:
    """How far apart real answers are, (n,): of two the first less the second."""
    return answers[0] - answers[1] if len(answers) == 2 else np.ptp(answers, axis=0)


def matched(first: Array, second: Array, *more: Array) -> Array:
    """The number in ``first`` for every number in ``second``, so that as many items as possible agree.

    Clusters that have no partner get numbers that ``first`` does not have.
    """
    from scipy.optimize import linear_sum_assignment  # a third of the start, and few compare

    most = 1 + max(int(numbers.max(initial=0)) for numbers in (second, *more))
    count = 1 + int(first.max(initial=0))
    common = np.zeros((most, count), dtype=np.intp)
    np.add.at(common, (second, first), 1)
    names = count + np.arange(most)
    rows, columns = linear_sum_assignment(common, maximize=True)
    shared = common[rows, columns] > 0
    names[rows[shared]] = columns[shared]
    return names


class Differ(LatestOnlyWorker[DifferenceRequest, Difference]):
    """Answers the latest request in a thread."""

    def __init__(self) -> None:
        super().__init__(difference, "mlviz-difference")
