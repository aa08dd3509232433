"""``fit``: run an algorithm to its end, without a window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from algorithms.contract import Algorithm, AnySnapshot, DataError, Ended, FrozenDict, Item, Stop
from algorithms.data import Array, Data, Distances, Nothing, Points
from algorithms.data.kind import column_of
from algorithms.moved import moved
from algorithms.records import dataclass
from algorithms.registry import find

MAX_NUMBERED_CLASSES = 20
"""A target of numbers with more different ones than this is measured."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question that can be asked at a step, about the one after it."""

    step: int
    text: str
    answer: Any


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A finished run: the last model, why it stopped, and the numbers of every step.

    Parameters
    ----------
    stop, reason
        Why the run ended, as one of four cases and in words.
    steps : int
        How many steps led from the initial state to the last; the metrics begin with the initial state.
    """

    algorithm: Algorithm
    data: Data
    params: Any
    seed: int
    last: AnySnapshot
    stop: Stop
    reason: str
    steps: int
    metrics: dict[str, Array]
    labels: Array | None = field(default=None, repr=False)

    @property
    def model(self) -> Any:
        """The fitted state."""
        return self.last.model

    @property
    def warnings(self) -> tuple[str, ...]:
        """What deserves doubt in the fitted state, in sentences."""
        return (self.last.warning,) if self.last.warning else ()

    def predict(self, X: ArrayLike | Data) -> Array:
        """Labels (as the caller wrote them) or values for new points, or for new data of the method's kind."""
        answer = self._ask("predict", "predict", self._checked(X))
        return answer if self.labels is None else self.labels[answer]

    def field(self, X: ArrayLike) -> Array:
        """The real-valued surface of the algorithm (decision value, probability, density) at new points."""
        return self._ask("field", "have a field", self._checked(X))

    def transform(self, X: ArrayLike) -> Array:
        """New points as places of the map."""
        return self._ask("transform", "map new points", self._checked(X))

    def inverse(self, Z: ArrayLike) -> Array:
        """Places of the map as points."""
        return self._ask("inverse", "lead back from its map", np.atleast_2d(np.asarray(Z, dtype=np.float64)))

    def sample(self, n: int, seed: int = 0) -> Data:
        """New data drawn from the model."""
        if self.algorithm.sample is None:
            raise TypeError(f"{self.algorithm.title} does not draw new data")
        return self.algorithm.drawn(self.model, self.data, n, np.random.default_rng(seed))

    def explain(self, item: int | ArrayLike | Item) -> dict[str, Any]:
        """Why, for one item: its number, or the features of a new point."""
        if self.algorithm.explain is None:
            raise TypeError(f"{self.algorithm.title} does not explain")
        if isinstance(item, int | np.integer):
            item = self.data.item(int(item))
        elif not isinstance(item, Item):
            item = Item(x=self._checked(np.atleast_2d(np.asarray(item)))[0])
        return self.algorithm.explain(self.model, self.data, item)

    def _ask(self, name: str, words: str, rows: Any) -> Array:
        function = getattr(self.algorithm, name)
        if function is None:
            raise TypeError(f"{self.algorithm.title} does not {words}")
        return np.asarray(function(self.model, rows))

    def questions(self) -> Iterator[Asked]:
        """What could have been asked about the next step, and the answers; the run is played once more."""
        asked = self.algorithm.questions
        for step, frame in enumerate(self.algorithm.start(self.data, self.params, self.seed)):
            for question in asked if step else ():
                if question.phase == frame.phase:
                    yield Asked(step - 1, question.text, question.answered(frame))

    def _checked(self, X: Any) -> Any:
        if isinstance(X, Data) and not isinstance(X, Points):
            return refuse_other_kinds(self.algorithm, X)
        table = X.X if isinstance(X, Points) else Points(X).X
        if isinstance(self.data, Points) and table.shape[1] != self.data.d:
            raise DataError(f"The model was fitted on {self.data.d} features; these points have {table.shape[1]}.")
        return table


def fit(
    key: str, X: ArrayLike | Data | None = None, y: ArrayLike | None = None, *, seed: int = 0, **params: Any
) -> Fit:
    """Run the algorithm ``key`` to its end.

    Parameters
    ----------
    key : str
        As listed by :func:`all_algorithms`, for example ``"k_means"``.
    X, y : array-like, or any kind of data and nothing, or nothing at all
        The points and, where the algorithm looks at it, the target; or a ``Graph``, ``Sequences`` ... Texts and whole
        numbers are classes and other numbers are values; ``Points`` take either as they are given.
    seed : int
        Same data, parameters and seed: same result.
    **params
        The algorithm's own parameters.
    """
    key, values, _ = moved(key, {name.removesuffix("_"): value for name, value in params.items()})
    algorithm = find(key)
    data, labels = as_dataset(algorithm, X, y)
    checked = algorithm.make_params(values)
    run = algorithm.start(data, checked, seed)
    rows: list[dict[str, float]] = []
    while True:
        try:
            last = next(run)
        except StopIteration as end:
            metrics = {name: np.array([row[name] for row in rows]) for name in rows[0]}
            ended = Ended.of(end.value)
            return Fit(algorithm, data, checked, seed, last, ended.stop, ended.words, len(rows) - 1, metrics, labels)
        rows.append(dict(last.metrics))


def show(
    key: str, foreign: Iterable[Any], data: ArrayLike | Data | None = None, params: Mapping[str, Any] | None = None
) -> Iterator[AnySnapshot]:
    """Somebody else's run as snapshots of the method ``key``, with its pictures, numbers and captions.

    ``foreign`` yields what the method understands, step by step: for k-means ``centres`` at first, then
    ``centres, labels`` after every half step. ``show("k_means", my_run(X), X, {"k": 3})``
    """
    algorithm = find(key)
    values = {name.removesuffix("_"): value for name, value in (params or {}).items()}
    return algorithm.shows(iter(foreign), as_dataset(algorithm, data)[0], algorithm.make_params(values))


def as_dataset(
    algorithm: Algorithm, X: ArrayLike | Data | None, y: ArrayLike | None = None
) -> tuple[Data, Array | None]:
    """The data as the algorithm wants it, and the caller's own labels where ``predict`` is to give those back."""
    if X is None:
        return refuse_other_kinds(algorithm, Nothing(), WRITTEN), None
    if isinstance(X, Data):
        if y is not None:
            raise DataError("The data set has its own target; give either a data set, or X and y.")
        return refuse_other_kinds(algorithm, X, WRITTEN), None
    if Points not in algorithm.accepts:
        refuse_other_kinds(algorithm, Points.of(X), WRITTEN)
    if Distances in algorithm.accepts and _may_be_distances(Points.of(X).X):
        raise DataError(
            "A square table with zeros on its diagonal may be distances or points: write Distances(X) or Points(X)."
        )
    if y is None or algorithm.target == "none":
        return Points.of(X), None
    _refuse_other_target(algorithm, column_of(y, "values of the target"))
    if algorithm.target == "values":
        return Points.of(X, y, "values"), None
    data = Points.of(X, y, "classes" if algorithm.target == "classes" else "auto")
    return data, np.unique(np.asarray(y)) if data.is_labelled else None


def _may_be_distances(X: Array) -> bool:
    """Whether a table could be one of distances between its rows: square, symmetric, nothing from a row to itself."""
    square = X.shape[0] == X.shape[1] > 1
    return square and not np.diagonal(X).any() and bool((X >= 0).all()) and np.allclose(X, X.T)


def _refuse_other_target(algorithm: Algorithm, y: Array) -> None:
    """A :class:`DataError` where classes are wanted and the target looks measured, or the other way round."""
    levels = len(np.unique(y)) if y.dtype.kind in "iufb" else 0
    few = levels <= MAX_NUMBERED_CLASSES and (levels <= 2 or 2 * levels <= len(y))
    if algorithm.target == "classes" and y.dtype.kind == "f" and not few:
        raise DataError(
            f"{algorithm.title} needs a class for every point, and y holds {levels:,} different values. Take a method "
            "for values, such as kernel_ridge, or give the classes as whole numbers or texts."
        )
    if algorithm.target == "values" and y.dtype.kind in "iub" and few:
        raise DataError(
            f"{algorithm.title} needs a value for every point, and the whole numbers in y, of which "
            f"{'there is 1' if levels == 1 else f'{levels} differ'}, are taken as classes. Take a method for classes, "
            "such as logistic_regression, or give measured values as y.astype(float)."
        )


WRITTEN = {
    "points": "Points(X, y)",
    "graph": "Graph(nodes, edges)",
    "sequences": "Sequences(series)",
    "distances": "Distances(table)",
    "strings": "Strings(texts, y)",
    "graph_set": "GraphSet(graphs, y)",
}
"""How the kinds of data are written in Python."""


def refuse_other_kinds(algorithm: Algorithm, data: Data, written: Mapping[str, str] = FrozenDict()) -> Data:
    """The data, or a :class:`DataError` that says which kinds the method takes, and how each is ``written``."""
    if algorithm.takes(data):
        return data
    if not algorithm.accepts:
        raise DataError(f"{algorithm.title} needs no data.")
    kinds = " or ".join(written.get(kind.kind, kind.__name__) for kind in algorithm.accepts)
    given = "nothing was given" if isinstance(data, Nothing) else f"these are {type(data).__name__}"
    raise DataError(f"{algorithm.title} works on {kinds}; {given}.")
