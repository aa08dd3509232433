"""A run that was played to its end, as the claim of a :class:`~algorithms.contract.Try` reads it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from algorithms.contract import Algorithm, Ended
    from algorithms.data import Array
    from algorithms.snapshot import AnySnapshot


class Played:
    """All frames of one run, and the runs that it can be compared with.

    Parameters
    ----------
    load : function of (text)
        Makes a data set from its name on the command line: this package reads none by itself.
    """

    def __init__(self, algorithm: Algorithm, data: Any, params: Any, load: Callable[[str], Any], seed: int = 0) -> None:
        self.algorithm, self.data, self.params, self.seed = algorithm, data, params, seed
        self._load = load

    @cached_property
    def _run(self) -> tuple[list[AnySnapshot], Ended]:
        from algorithms.contract import Ended

        frames, run = [], self.algorithm.start(self.data, self.params, self.seed)
        while True:
            try:
                frames.append(next(run))
            except StopIteration as end:
                return frames, Ended.of(end.value)

    @property
    def frames(self) -> list[AnySnapshot]:
        """Every frame, the initial state first."""
        return self._run[0]

    @property
    def ended(self) -> Ended:
        """Why the run ended."""
        return self._run[1]

    @property
    def last(self) -> AnySnapshot:
        """The last frame."""
        return self.frames[-1]

    @property
    def model(self) -> Any:
        """The model of the last frame."""
        return self.last.model

    def curve(self, metric: str) -> Array:
        """A metric over all frames."""
        return np.array([frame.metrics[metric] for frame in self.frames])

    def final(self, metric: str) -> float:
        """A metric in the last frame."""
        return float(self.last.metrics[metric])

    def predicted(self, X: Array | None = None) -> Array:
        """What the last model answers for new rows, or for those of the data."""
        assert self.algorithm.predict is not None
        return self.algorithm.predict(self.model, self.data.X if X is None else X)

    def wrong(self) -> int:
        """How many points of the data the last model puts into a wrong class."""
        return int((self.predicted() != self.data.y).sum())

    def matched(self) -> float:
        """The fraction of the points that lie in the cluster of their class, the clusters named as fits best."""
        from scipy.optimize import linear_sum_assignment

        clusters = self.predicted()
        table = np.zeros((int(clusters.max()) + 1, int(self.data.y.max()) + 1))
        np.add.at(table, (clusters, self.data.y), 1)
        return float(table[linear_sum_assignment(-table)].sum() / len(clusters))

    def but(self, data: str = "", seed: int | None = None, **params: Any) -> Played:
        """The same with other parameters, on other data or with another seed."""
        from algorithms.params import as_dict

        values = {**as_dict(self.params), **params}
        return Played(
            self.algorithm,
            self._load(data) if data else self.data,
            self.algorithm.make_params(values),
            self._load,
            self.seed if seed is None else seed,
        )

    def by(self, key: str, **params: Any) -> Played:
        """Another method on the same data."""
        from algorithms.registry import find

        other = find(key)
        return Played(other, self.data, other.make_params(params), self._load, self.seed)
