"""One scheduler: the work of a frame is a list of pieces, and a turn does as many of them as fit into it. No Qt.

Together the pieces take longer than a tick. While steps pour in, each tick does a few, so that mouse and keys never
wait for long; otherwise it does them all. How long a piece takes is what pieces of its name took before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

from algorithms.records import dataclass

TURN = 0.006
"""Seconds that the window draws in one go while steps pour in, unless a single piece takes longer."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to do in one go: ``cost`` is what it is taken to need, in seconds, before it has been measured."""

    name: str
    run: Callable[[], None]
    cost: float = TURN


Stage = Callable[[bool], Iterable[Piece]]
"""What there is to do of one sort, asked when everything before it is done, and whether there is a hurry."""


class Scheduler:
    """Goes round and round through the stages."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.stages: tuple[Stage, ...] = ()
        self.spreading = False
        """Whether a turn does only as many pieces as fit into it: in a hurry, and until nothing is left of it."""
        self._to_come: deque[Stage] = deque()
        self._pieces: deque[Piece] = deque()
        self._costs: dict[str, float] = {}

    def cost(self, piece: Piece) -> float:
        """How long a piece is expected to take, in seconds."""
        return self._costs.get(piece.name, piece.cost)

    def turn(self, hurrying: bool) -> None:
        """Do everything that is new, or in a hurry what fits into a turn; the rest is for the next one."""
        self.spreading |= hurrying
        if not self.spreading:
            self._begin()
            while self._next() is not None:
                self._pieces.popleft().run()
            return
        if self._next() is None:
            self._begin()
            self.spreading = self._next() is not None or hurrying
        done, spent = 0, 0.0
        while (piece := self._next()) is not None and (not done or spent + self.cost(piece) <= TURN):
            spent += self._do(self._pieces.popleft())
            done += 1

    def _begin(self) -> None:
        self._to_come, self._pieces = deque(self.stages), deque()

    def _next(self) -> Piece | None:
        """The next piece of this round, if there is one."""
        while not self._pieces and self._to_come:
            self._pieces.extend(self._to_come.popleft()(self.spreading))
        return self._pieces[0] if self._pieces else None

    def _do(self, piece: Piece) -> float:
        """Do a piece; how long it took, in seconds."""
        began = self._clock()
        piece.run()
        took = self._clock() - began
        self._costs[piece.name] = (self._costs.get(piece.name, took) + took) / 2
        return took
