"""One trial: prepare, learn, test. Each is a function of what is given, so that any process can be asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.data.points import Scale
from algorithms.data.scaling import rescaled
from algorithms.executor import Inline
from algorithms.maths.scales import deviations, means
from algorithms.maths.sweeps import Axis, Cell, Sweep, best_of, cells
from algorithms.maths.validation import Split, losses, splits
from algorithms.method_choice import Method

Kind = Literal["none", "standardise", "best features"]


@dataclass(frozen=True, slots=True, eq=False)
class Preparation:
    """What is done to the features before the method sees them, as some points say: x[kept] -> (x - shift) / factor."""

    kept: Array  # (k,) int, the features that stay
    shift: Array  # (k,)
    factor: Array  # (k,)
    scale: Scale = "given"  # that of the document or the standardised one, which an inner level sets anew
    categories: tuple[tuple[int, tuple[str, ...]], ...] = ()  # of the features that stay

    @classmethod
    def of(cls, data: Points, kind: Kind, features: int) -> Preparation:
        """Estimated from these points alone."""
        everything = np.arange(data.d)
        if kind == "standardise":
            return cls(everything, data.X.mean(axis=0), deviations(data.X), "standardised")
        _, own = rescaled(data)  # the scale of the document, by these points
        shift, factor = np.array(own.shift or [0.0] * data.d), np.array(own.factor or [1.0] * data.d)
        kept = everything
        if kind == "best features":
            kept = np.sort(np.argsort(-relevance(data), kind="stable")[:features])
        coded = dict(data.categories)
        categories = tuple((place, coded[j]) for place, j in enumerate(kept.tolist()) if j in coded)
        return cls(kept, shift[kept], factor[kept], data.scale, categories)

    def rows(self, X: Array) -> Array:
        """Rows as the method sees them."""
        return np.asarray((X[:, self.kept] - self.shift) / self.factor)

    def applied(self, data: Points) -> Points:
        """The points as the method sees them."""
        return Points(
            self.rows(data.X),
            data.y,
            classes=data.classes,
            target=data.target,
            name=data.name,
            categories=self.categories,
            scale=self.scale,
        )


def relevance(data: Points) -> Array:
    """How much of each feature's variance the target explains, (d,): R² of the class means, or of a straight line."""
    assert data.y is not None
    X = data.X - means(data.X)
    total = np.square(X).sum(axis=0)
    if data.is_labelled:
        explained = sum(
            (data.y == k).sum() * np.square(X[data.y == k].mean(axis=0)) for k in np.unique(data.y).tolist()
        )
    else:
        y = data.y - data.y.mean()
        explained = np.square(X.T @ y) / max(float(y @ y), 1e-300)
    return np.asarray(np.where(total > 0.0, explained / np.where(total > 0.0, total, 1.0), 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """Everything that the trials have in common."""

    method: Method
    data: Points  # those that are not kept aside
    parts: tuple[Split, ...]
    seed: int
    kind: Kind
    features: int
    cheats: bool
    axis: Axis | None = None  # what an inner cross-validation chooses
    folds: int = 5

    def preparation(self, learn: Array, cheats: bool) -> Preparation:
        """From the points that learn; who cheats asks all points."""
        return Preparation.of(self.data if cheats else self.data.rows(learn), self.kind, self.features)


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What came of one split."""

    method: Method  # as it was chosen
    preparation: Preparation
    model: Any  # of the method
    answers: Array  # (t,) for the test points
    error: float
    honest: float  # the error where what is held out had no say in the preparation
    inner: tuple[Cell, ...] = ()  # what the choice was made from


def tried(experiment: Experiment, number: int) -> Trial:
    """Learn from the points of one split and test on the others."""
    part = experiment.parts[number]
    found = _trial(experiment, part, experiment.cheats)
    honest = _trial(experiment, part, False).error if experiment.cheats else found.error
    return Trial(found.method, found.preparation, found.model, found.answers, found.error, honest, found.inner)


def _trial(experiment: Experiment, part: Split, cheats: bool) -> Trial:
    data = experiment.data
    assert data.y is not None
    preparation = experiment.preparation(part.learn, cheats)
    seen = preparation.applied(data.rows(part.learn))
    method, inner = chosen(experiment, seen)
    model = method.fit(seen, experiment.seed)
    answers = method.predict(model, preparation.rows(data.X[part.test]))
    error = float(losses(data, data.y[part.test], answers).mean())
    return Trial(method, preparation, model, answers, error, error, inner)


def chosen(experiment: Experiment, data: Points) -> tuple[Method, tuple[Cell, ...]]:
    """The method, with the value that an inner cross-validation of these points likes best where one is asked for."""
    if experiment.axis is None:
        return experiment.method, ()
    rng = np.random.default_rng([experiment.seed, data.n])
    parts = splits(data, "stratified", rng, experiment.folds)
    sweep = Sweep(experiment.method, (experiment.axis,), data, parts, experiment.seed)
    found = sorted(sweep.run(Inline(), sorted(cells(sweep.axes))), key=lambda cell: cell.place)
    best = best_of(found)
    if best is None:
        raise DataError(found[0].refusal)
    return sweep.at(best.place), tuple(found)
