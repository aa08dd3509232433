"""Lloyd's half steps without pictures: k-means draws them, mixtures start from them, the elbow curve repeats them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from algorithms.contract import Stop
from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths import seeding
from algorithms.maths.distances import Cloud, NearestCentre
from algorithms.records import dataclass

EmptyRule = Literal["farthest point", "keep centre", "drop"]
_NONE = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class HalfStep:
    """The state after one half step; centres are given from the cloud's origin."""

    phase: Literal["assign", "update"]
    centres: Array  # (k, d)
    labels: Array  # (n,) int32
    changed: Array  # (m,) int32, the points whose label this half step changed
    J: float
    shift: float
    stop: Stop | None = None  # why this half step is the last
    empty: int = 0  # clusters that had lost all their points
    kept: Array | None = None  # (k,) which of the centres before are still there, when some were dropped


def half_steps(
    here: NearestCentre, empty: EmptyRule, max_steps: int, tol: float = 0.0, assigned: bool = False
) -> Iterator[HalfStep]:
    """Assign and update in turn; the last half step says why it is the last.

    ``here`` holds the first centres. With ``assigned`` its labels are an assignment of their own (a random partition);
    otherwise they are the nearest centres already, and the first half step only reports them. A step is a pair of half
    steps; one that lowers the loss by less than the part ``tol`` of it is the last.
    """
    changed = here.assign() if assigned else np.arange(here.cloud.n, dtype=np.int32)
    before = here.loss
    for step in range(1, max_steps + 1):
        loss = here.loss
        stalled = step > 1 and before - loss < tol * before
        stop = Stop.CONVERGED if len(changed) == 0 or stalled else None
        yield HalfStep("assign", here.centres, here.labels, changed, loss, 0.0, stop)
        if stop is not None:
            return
        before = loss
        stop = Stop.LIMIT if step == max_steps else None
        yield _update(here, empty, stop)
        changed = here.assign() if stop is None else changed


def final_partition(cloud: Cloud, centres: Array, max_steps: int, empty: EmptyRule = "farthest point") -> NearestCentre:
    """Where Lloyd's algorithm ends when it begins with these centres."""
    here = NearestCentre(cloud, centres)
    for _ in half_steps(here, empty, max_steps):
        checkpoint()
    return here


def elbow_curve(cloud: Cloud, largest: int, restarts: int, max_steps: int, rng: np.random.Generator) -> Iterator[float]:
    """The smallest loss found for k = 1, 2, ... clusters, as far as there are distinct points.

    Beside the k-means++ runs, each k is also tried from the best centres for k - 1 and the point farthest from them,
    so that the curve can never rise.
    """
    best: NearestCentre | None = None
    for k in range(1, largest + 1):
        starts = [cloud.columns[:, seeding.plus_plus(cloud, k, rng)].T for _ in range(restarts)]
        if best is not None:
            squared = best.squared()
            farthest = int(squared.argmax())
            if squared[farthest] == 0.0:
                return
            starts.append(np.vstack([best.centres, cloud.columns[:, farthest]]))
        ends = [final_partition(cloud, np.ascontiguousarray(centres), max_steps) for centres in starts]
        best = min(ends, key=lambda end: end.loss)
        yield best.loss


def _update(here: NearestCentre, rule: EmptyRule, stop: Stop | None) -> HalfStep:
    """Move every centre to the mean of its points, and do with empty clusters as the rule says."""
    counts = here.counts()
    if all(counts.tolist()):
        shift = here.update()
        return HalfStep("update", here.centres, here.labels, _NONE, here.loss, shift, stop)
    empty, kept, changed = int(np.count_nonzero(counts == 0)), None, _NONE
    if rule == "drop":  # the others move up in the numbering
        kept = np.flatnonzero(counts)
        numbers = (np.cumsum(counts > 0) - 1).astype(np.int32)
        here.reset(here.centres[kept], numbers[here.labels])
    elif rule == "farthest point":
        labels, changed = _reseeded(here, counts)
        here.reset(here.centres, labels)
    shift = here.update()
    return HalfStep("update", here.centres, here.labels, changed, here.loss, shift, stop, empty, kept)


def _reseeded(here: NearestCentre, counts: Array) -> tuple[Array, Array]:
    """Give every empty cluster the point that is farthest from its centre, never the last one of another cluster."""
    labels, counts, squared = here.labels.copy(), counts.copy(), here.squared()
    changed = []
    for number in np.flatnonzero(counts == 0):
        squared[counts[labels] == 1] = 0.0
        point = int(squared.argmax())
        if squared[point] == 0.0:
            break
        counts[labels[point]] -= 1
        counts[number] = 1
        labels[point] = number
        changed.append(point)
    return labels, np.array(changed, dtype=np.int32)
