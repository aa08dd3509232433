"""Restarts: a method that ends in a local optimum runs from several random beginnings, and the best run is kept."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Protocol, TypeVar

import numpy as np

from algorithms.marks import Bars, Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class Restarts:
    """How many runs there are in all, and the objective that each finished one has reached."""

    total: int = 1
    finals: tuple[float, ...] = ()

    @property
    def number(self) -> int:
        """Which run is going on, counted from 1."""
        return len(self.finals) + 1

    def caption(self, words: str) -> str:
        """The caption of a frame of the present run, which says which one it is where there are several."""
        return words if self.total == 1 else f"Restart {self.number}: {words}"

    def views(self, present: float) -> dict[str, tuple[Mark, ...]]:
        """The panel ``restarts``, where there are several: a bar for each run; the last one may be at ``present``."""
        if self.total == 1:
            return {}
        reached = (*self.finals, present)[: self.total]
        return {"restarts": (Bars(np.array(reached), tuple(str(k) for k in range(1, len(reached) + 1))),)}


class Ended(Protocol):
    """What is known about a finished run."""

    @property
    def objective(self) -> float:
        """What the bar of the run shows."""


F = TypeVar("F")
R = TypeVar("R", bound=Ended)


def best_of(
    total: int, attempt: Callable[[Restarts], Generator[F, None, R]], better: Callable[[R, R], bool]
) -> Generator[F, None, tuple[R, Restarts]]:
    """The frames of all runs, one run after the other; gives the best, the earliest of equals, and all objectives.

    Parameters
    ----------
    total : int
        How many runs there are.
    attempt : function of Restarts
        One run; it is told what those before it have reached.
    better : function of (new, best so far)
        Whether a finished run takes the place of the best one.
    """
    restarts = Restarts(total)
    best = yield from attempt(restarts)
    restarts = replace(restarts, finals=(best.objective,))
    while len(restarts.finals) < total:
        end = yield from attempt(restarts)
        restarts = replace(restarts, finals=(*restarts.finals, end.objective))
        best = end if better(end, best) else best
    return best, restarts
