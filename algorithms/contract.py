"""The contract: an algorithm is a pure generator of immutable snapshots.

Everything else in the laboratory only stores, shows, scrubs and exports snapshots. Because data, parameters and seed
fix every frame, stepping back is indexing, a replay is exact, and a test needs no window.
"""

from __future__ import annotations

import dataclasses
import enum
import operator
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

import numpy as np

from algorithms.dataset import Array, DataError, Points
from algorithms.marks import Mark
from algorithms.params import Field, schema, validated

__all__ = ["Algorithm", "DataError", "Explanation", "Metric", "Panel", "Run", "Snapshot", "Stop", "arrays_in", "frozen"]


class Stop(enum.Enum):
    """Why a run ended."""

    CONVERGED = "converged"
    COMPLETE = "complete"
    LIMIT = "limit"
    DIVERGED = "diverged"

    @property
    def words(self) -> str:
        """The reason as the transport bar writes it."""
        return _STOP_WORDS[self]


_STOP_WORDS = {
    Stop.CONVERGED: "converged",
    Stop.COMPLETE: "complete",
    Stop.LIMIT: "stopped at the step limit",
    Stop.DIVERGED: "diverged",
}


class FrozenDict(dict[str, Any]):
    """A dictionary that refuses to change, pickles, and compares as a dictionary."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a snapshot cannot be changed")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One frame: everything that is to be seen after one phase of the algorithm.

    Parameters
    ----------
    model : frozen dataclass
        The state, complete enough for ``predict``, ``field``, ``explain`` and going on from here.
    views : mapping of panel key to marks
        What to draw in each panel, bottom layer first.
    metrics : mapping of name to number
        The same names in every frame, finite numbers.
    phase : str
        The phase that led here; the pseudo-code line with this phase is lit.
    caption : str
        One sentence for the student, with numbers.
    warning : str
        A sentence in amber, when something about this run deserves doubt.
    """

    model: Any
    views: Mapping[str, tuple[Mark, ...]]
    metrics: Mapping[str, float]
    phase: str
    caption: str
    warning: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", FrozenDict({key: tuple(marks) for key, marks in self.views.items()}))
        object.__setattr__(self, "metrics", FrozenDict({key: float(value) for key, value in self.metrics.items()}))
        frozen((self.model, self.views))

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the snapshot anew locks it again.
        return Snapshot, tuple(getattr(self, field.name) for field in dataclasses.fields(self))


Run = Generator[Snapshot, None, Stop]
Explanation = dict[str, Any]
"""Named numbers and short texts that say why, for one point."""


class RunFunction(Protocol):
    """``run(data, params, rng, start=None)``: yields the initial state first and returns why it ended."""

    def __call__(self, data: Any, params: Any, rng: np.random.Generator, start: Any = None, /) -> Run: ...


@dataclass(frozen=True, slots=True)
class Panel:
    """One view. The panel with the key ``plane`` is the data plane; every algorithm that takes points has it.

    The first panel of an algorithm is the large one. ``kind`` says which canvas the marks are drawn on: ``plane`` (data
    coordinates), ``plot`` (two free axes, always fitted), ``surface`` (a plane of its own, in which ``field`` is
    evaluated) or ``diagram`` (no axes, one scale).
    """

    key: str
    title: str
    kind: Literal["plane", "plot", "surface", "diagram"] = "plot"
    x: str = ""
    y: str = ""
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True, slots=True)
class Metric:
    """A number recorded at every step and drawn as a curve. Metrics of one ``group`` share a plot."""

    name: str
    label: str
    group: str = ""
    log: bool = False
    better: Literal["lower", "higher", "neither"] = "lower"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of pseudo-code, lit while one of its phases is current; ``{name}`` is filled in from the metrics."""

    text: str
    phases: tuple[str, ...] = ()

    def __init__(self, text: str, *phases: str) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "phases", phases)


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A frozen record of pure functions. One per module, found by :mod:`algorithms.registry`.

    ``target`` says what the algorithm wants of ``y``: ``none`` (it does not look), ``classes``, ``values`` or ``any``.
    ``resumes`` says that ``run`` accepts a model as ``start``.
    ``example`` is a data set on which the method shows itself best.
    """

    key: str
    title: str
    family: str
    summary: str
    params: type
    run: RunFunction
    panels: tuple[Panel, ...]
    metrics: tuple[Metric, ...]
    pseudocode: tuple[Line, ...]
    reference: str
    accepts: type = Points
    target: Literal["none", "classes", "values", "any"] = "none"
    predict: Callable[[Any, Array], Array] | None = None
    field: Callable[[Any, Array], Array] | None = None
    explain: Callable[[Any, Any, Array], Explanation] | None = None
    resumes: bool = False
    example: str = "blobs(n=300,noise=1,seed=1)"

    @property
    def fields(self) -> tuple[Field, ...]:
        """The declared parameters."""
        return schema(self.params)

    def make_params(self, values: Mapping[str, Any]) -> Any:
        """The parameters with these values, checked by name."""
        return validated(self.params, values, owner=self.key)

    def start(self, data: Any, params: Any, seed: int, start: Any = None) -> Run:
        """A run with its own random numbers: the one way in which runs are begun."""
        return self.run(data, params, np.random.default_rng(seed), start)


def frozen(value: Any) -> Any:
    """Lock every array inside, in place, so that an algorithm that later writes into one fails at that line."""
    for array in arrays_in(value):
        array.setflags(write=False)  # three times as fast as flags.writeable
    return value


def arrays_in(value: Any) -> Iterator[Array]:
    """Every array inside dataclasses, tuples, lists and mappings, each as often as it occurs."""
    found: list[Array] = []
    _collect(value, found)
    return reversed(found)  # the walk below takes the last first


def _collect(value: Any, found: list[Array]) -> None:
    # Every snapshot passes here, so this walk must not cost more than a step: what is inside a value is found by its
    # type, and how to look into a type is found out once.
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind in _LEAVES:
            continue
        look = _LOOKS[kind] if kind in _LOOKS else _look_into(kind)
        if look is None:
            found.append(item)
        else:
            waiting.extend(look(item))


_LEAVES = frozenset({float, int, str, bool, type(None)})
_LOOKS: dict[type, Callable[[Any], Iterable[Any]] | None] = {}
"""What is inside values of a type; None: it is an array itself."""


def _look_into(kind: type) -> Callable[[Any], Iterable[Any]] | None:
    look: Callable[[Any], Iterable[Any]] | None = _nothing_in
    names = tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()
    if issubclass(kind, np.ndarray):
        look = None
    elif names:
        look = operator.attrgetter(*names, "__class__")  # gives a tuple even where there is only one name
    elif issubclass(kind, tuple | list):
        look = iter
    elif issubclass(kind, Mapping):
        look = operator.methodcaller("values")
    return _LOOKS.setdefault(kind, look)


def _nothing_in(_: Any) -> tuple[()]:
    return ()
