"""The model of a setting that is pointed at: fitted by a thread, so that the window never computes."""

from __future__ import annotations

from typing import Any

from algorithms.contract import AnySnapshot, DataError
from algorithms.params import as_dict
from algorithms.records import dataclass
from mlviz.worker.engine import Engine
from mlviz.worker.latest_only import LatestOnlyWorker


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """How would this frame of a run look with the model of another setting? ``value`` says which one."""

    engine: Engine
    snapshot: AnySnapshot
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Peeked:
    """The frame with that model, or what went wrong."""

    glance: Glance
    snapshot: AnySnapshot | None = None
    error: BaseException | None = None


def peeked(glance: Glance) -> Peeked:
    """Fit the model, in this thread."""
    engine = glance.engine
    trials = engine.algorithm.trials
    assert trials is not None
    assert trials.peek is not None
    try:
        params = engine.algorithm.make_params({**as_dict(engine.params), trials.handle: glance.value})
        return Peeked(glance, trials.peek(glance.snapshot, engine.data, params, engine.seed))
    except DataError:
        return Peeked(glance)  # the run itself says what is wrong with the data
    except Exception as error:  # whatever the method raises; the window says it
        return Peeked(glance, error=error)


class Peeker(LatestOnlyWorker[Glance, Peeked]):
    """Fits the latest one in a thread; a fit that nobody waits for any more ends at its next checkpoint."""

    def __init__(self) -> None:
        super().__init__(lambda glance, _: peeked(glance), "mlviz-peeker")
