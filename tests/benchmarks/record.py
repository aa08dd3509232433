"""What a benchmark reports, and how time is taken on a machine that is never quiet.

Ours and the opponent take turns, so that whatever else the machine does falls on both alike. A ratio is made of medians
where a user would feel every single one (frames), and of the smallest times where only the work itself is meant
(fits, fields, growth): everything that disturbs a computation makes it longer, never shorter.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: ``quick`` only shows that everything runs, its figures mean nothing."""

    quick: bool = False

    def many(self, full: int, quick: int = 2) -> int:
        """A number of repetitions."""
        return quick if self.quick else full

    def size(self, full: int, quick: int = 200) -> int:
        """A number of points."""
        return min(full, quick) if self.quick else full

    def seconds(self, full: float, quick: float = 0.15) -> float:
        """A time to watch for."""
        return quick if self.quick else full


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    ``group`` is the row of the issue's table that it belongs to; ``ratio`` is ours by theirs (for the growth: the
    distance of the exponents), and ``reach`` is what it may be at most. ``summary`` lines answer the row as a whole.
    """

    group: str
    case: str
    opponent: str
    ours: str
    theirs: str
    ratio: float
    reach: float | None
    summary: bool = True
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where the line has none of its own."""
        return None if self.reach is None else bool(self.ratio <= self.reach)

    def as_dict(self) -> dict[str, Any]:
        """The line for the JSON file."""
        return {**asdict(self), "met": self.met}


def seconds(act: Callable[[], Any]) -> float:
    """How long one call takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def cpu_seconds(act: Callable[[], Any]) -> float:
    """How much work one call is, of all threads: for a quantity that has no opponent to share a disturbance with."""
    began = time.process_time()
    act()
    return time.process_time() - began


def duel(
    ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int, warm: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """The times of both, (rounds,) each, taken in turns; who begins changes from round to round."""
    for _ in range(warm):
        ours()
        theirs()
    times = np.empty((2, rounds))
    for number in range(rounds):
        for which in (0, 1) if number % 2 else (1, 0):
            times[which, number] = seconds((ours, theirs)[which])
    return times[0], times[1]


def duel_for(
    ours: Callable[[], Any], theirs: Callable[[], Any], budget: float, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`duel`, with as many rounds (3 to ``most``) as fit into ``budget`` seconds; one where that is short."""
    once = seconds(ours), seconds(theirs)
    if budget < 0.5:
        return np.array(once[:1]), np.array(once[1:])
    return duel(ours, theirs, int(np.clip(budget / max(sum(once), 1e-6), 3, most)), warm=0)


def words(time_taken: float) -> str:
    """A time for the table."""
    if time_taken >= 1.0:
        return f"{time_taken:.2f} s"
    return f"{time_taken * 1e3:.3g} ms" if time_taken >= 1e-3 else f"{time_taken * 1e6:.3g} µs"


def geometric_mean(ratios: Sequence[float]) -> float:
    """The mean that treats twice as fast and twice as slow alike."""
    return float(np.exp(np.mean(np.log(ratios))))


def resident_bytes(process: int | str = "self") -> int:
    """The memory that a process holds in RAM now."""
    with open(f"/proc/{process}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
