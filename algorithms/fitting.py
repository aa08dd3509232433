"""``fit``: run an algorithm to its end, without a window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from algorithms.contract import Algorithm, DataError, Snapshot, Stop
from algorithms.dataset import Array, Points
from algorithms.registry import find


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A finished run: the last model, why it stopped, and the numbers of every step."""

    algorithm: Algorithm
    data: Points
    params: Any
    seed: int
    last: Snapshot
    stop: Stop
    steps: int
    metrics: dict[str, Array]
    labels: Array | None = field(default=None, repr=False)

    @property
    def model(self) -> Any:
        """The fitted state."""
        return self.last.model

    def predict(self, X: ArrayLike) -> Array:
        """Labels (as the caller wrote them) or values for new points."""
        if self.algorithm.predict is None:
            raise TypeError(f"{self.algorithm.title} does not predict")
        answer = self.algorithm.predict(self.model, self._checked(X))
        return answer if self.labels is None else self.labels[answer]

    def field(self, X: ArrayLike) -> Array:
        """The real-valued surface of the algorithm (decision value, probability, density) at new points."""
        if self.algorithm.field is None:
            raise TypeError(f"{self.algorithm.title} has no field")
        return self.algorithm.field(self.model, self._checked(X))

    def explain(self, x: ArrayLike) -> dict[str, Any]:
        """Why, for one point."""
        if self.algorithm.explain is None:
            raise TypeError(f"{self.algorithm.title} does not explain")
        return self.algorithm.explain(self.model, self.data, self._checked(np.atleast_2d(np.asarray(x)))[0])

    def _checked(self, X: ArrayLike) -> Array:
        table = Points(X).X  # type: ignore[arg-type]
        if table.shape[1] != self.data.d:
            raise DataError(f"The model was fitted on {self.data.d} features; these points have {table.shape[1]}.")
        return table


def fit(key: str, X: ArrayLike | Points, y: ArrayLike | None = None, *, seed: int = 0, **params: Any) -> Fit:
    """Run the algorithm ``key`` to its end.

    Parameters
    ----------
    key : str
        As listed by :func:`all_algorithms`, for example ``"k_means"``.
    X, y : array-like, or a :class:`Dataset` and nothing
        The points and, where the algorithm looks at it, the target.
    seed : int
        Same data, parameters and seed: same result.
    **params
        The algorithm's own parameters.
    """
    algorithm = find(key)
    data, labels = as_dataset(algorithm, X, y)
    checked = algorithm.make_params(params)
    run = algorithm.start(data, checked, seed)
    rows: list[dict[str, float]] = []
    while True:
        try:
            last = next(run)
        except StopIteration as end:
            metrics = {name: np.array([row[name] for row in rows]) for name in rows[0]}
            return Fit(algorithm, data, checked, seed, last, end.value, len(rows), metrics, labels)
        rows.append(dict(last.metrics))


def as_dataset(algorithm: Algorithm, X: ArrayLike | Points, y: ArrayLike | None) -> tuple[Points, Array | None]:
    """The data as the algorithm wants it, and the caller's own labels where ``predict`` is to give those back."""
    if isinstance(X, Points):
        if y is not None:
            raise DataError("The data set has its own target; give either a Dataset, or X and y.")
        return X, None
    if y is None or algorithm.target == "none":
        return Points.of(X), None
    if algorithm.target == "values":
        return Points.of(X, y, "values"), None
    data = Points.of(X, y, "classes" if algorithm.target == "classes" else "auto")
    return data, np.unique(np.asarray(y)) if data.is_labelled else None
