"""One frame of a run: what it holds, that nobody can change it, and that pictures and words wait until wanted."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, NoReturn, Protocol, TypeAlias, TypeVar

from algorithms.marks import Mark
from algorithms.records import dataclass
from algorithms.structure import frozen, lock


class FrozenDict(dict[str, Any]):
    """A dictionary that refuses to change, pickles, and compares as a dictionary."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a snapshot cannot be changed")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


Views = Mapping[str, tuple[Mark, ...]]


_drawing = threading.RLock()  # the window and an export may look at the same frame
_latest: deque[tuple[Any, FrozenDict]] = deque(maxlen=8)


def _kept(owner: Any, draw: Callable[[], Views]) -> FrozenDict:
    """The marks of one of the frames that were looked at last, or drawn now; locked."""
    with _drawing:
        for other, views in _latest:
            if other is owner:
                return views
        views = _fixed(draw())
        _latest.append((owner, views))
        return views


def _fixed(views: Views) -> FrozenDict:
    marks = FrozenDict({key: tuple(layers) for key, layers in views.items()})
    frozen(marks)
    return marks


G = TypeVar("G")
M = TypeVar("M")
S = TypeVar("S")


class Teller(Protocol):
    """What draws and says a snapshot: its method."""

    @property
    def views(self) -> Callable[[Any], Views]: ...

    @property
    def captions(self) -> Mapping[str, Callable[[Any], str]]: ...

    @property
    def warning(self) -> Callable[[Any], str | None] | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot(Generic[G, M, S]):
    """The mathematics after one phase of a run; pictures and words are made from it when somebody looks.

    A method names its kind once, beside its model: ``Shot = Snapshot[Given, Model, Shown]``.

    Parameters
    ----------
    given : frozen dataclass
        What stays the same during the run: one object for all of its snapshots, with what pictures and words need, not
        what only the solver needs.
    phase : str
        The phase that led here; it lights the line of the pseudo-code and chooses the caption.
    model : frozen dataclass
        The state, complete enough for ``predict``, ``field``, ``explain`` and going on from here.
    metrics : mapping of name to number
        Exactly the declared ones, finite numbers. Captions read their numbers here.
    shown : frozen dataclass
        Small facts that are only seen: who changed, a doubt, a candidate, the place of a sweep.
    focus : Item, optional
        What is hovered or pinned, where the pictures of the method can speak of one item.
    told_by : Algorithm
        The method, set by ``Algorithm.start``; a run does not know it. Not part of the value.
    """

    given: G
    phase: str
    model: M
    metrics: Mapping[str, float]
    shown: S
    focus: Any = None
    told_by: Teller | None = None

    __aside__: ClassVar = ("told_by",)

    def __post_init__(self) -> None:
        if not isinstance(self.metrics, FrozenDict):
            object.__setattr__(self, "metrics", FrozenDict({key: float(value) for key, value in self.metrics.items()}))
        lock([self.given, self.model, self.shown])

    @property
    def views(self) -> Views:
        """What to draw in each panel, bottom layer first, locked. The latest few are kept."""
        return _kept(self, lambda: self._teller.views(self))

    @property
    def caption(self) -> str:
        """One sentence for the student, with numbers."""
        return self._teller.captions[self.phase](self)

    @property
    def warning(self) -> str:
        """A sentence in amber, when something about this run deserves doubt."""
        doubt = self._teller.warning
        return (doubt(self) or "") if doubt else ""

    def stripped(self) -> Snapshot[Any, M, Any]:
        """Phase and model alone, and silent: for runs that nobody looks at (folds)."""
        return Snapshot(None, self.phase, self.model, FrozenDict(), None, None, _SILENT)

    @property
    def _teller(self) -> Teller:
        if self.told_by is None:
            raise RuntimeError("This snapshot has no method that draws it: begin the run with Algorithm.start.")
        return self.told_by

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the snapshot anew locks it again.
        return Snapshot, (self.given, self.phase, self.model, dict(self.metrics), self.shown, self.focus, self.told_by)


AnySnapshot: TypeAlias = Snapshot[Any, Any, Any]
"""A snapshot of any method, for what only stores and shows it."""


class _Silent:
    """Tells nothing, in place of the method of a stripped snapshot."""

    warning = None

    def views(self, _: Any) -> Views:
        return {}

    @property
    def captions(self) -> Mapping[str, Callable[[Any], str]]:
        return _WITHOUT_WORDS


class _WithoutWords(dict[str, Any]):
    def __missing__(self, _: str) -> Callable[[Any], str]:
        return lambda snapshot: ""


_WITHOUT_WORDS = _WithoutWords()
_SILENT = _Silent()
