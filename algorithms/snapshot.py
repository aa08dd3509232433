"""One frame of a run: what it holds, that nobody can change it, and that pictures and words wait until wanted."""

from __future__ import annotations

import dataclasses
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NoReturn, cast

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


class LazyViews(Views):
    """Views that are drawn when somebody looks: ``LazyViews(function, *values)`` in place of ``function(*values)``.

    A run of ten thousand steps is looked at in a few hundred places, and making the marks of a frame often costs more
    than the step itself. The function is one of a module and the values do not change, so the same marks come
    whenever they are asked for. The latest few are kept.
    """

    __slots__ = ("arguments", "function")
    __holds__ = "arguments"

    def __init__(self, function: Callable[..., Views], *values: Any) -> None:
        self.function = function
        self.arguments = values
        """What the marks will be made from, and all that this keeps in memory."""

    def drawn(self) -> FrozenDict:
        """The marks, locked."""
        with _drawing:
            for other, views in _latest:
                if other is self:
                    return views
            views = _fixed(self.function(*self.arguments))
            _latest.append((self, views))
            return views

    def __getitem__(self, key: str) -> tuple[Mark, ...]:
        marks: tuple[Mark, ...] = self.drawn()[key]
        return marks

    def __iter__(self) -> Iterator[str]:
        return iter(self.drawn())

    def __len__(self) -> int:
        return len(self.drawn())

    def __reduce__(self) -> tuple[Any, ...]:
        return LazyViews, (self.function, *self.arguments)


class LazyCaption:
    """A caption that is written when somebody reads it: ``LazyCaption.of(function, *values)``, see :meth:`of`."""

    __slots__ = ("arguments", "function")
    __holds__ = "arguments"

    def __init__(self, function: Callable[..., str], values: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, values

    @classmethod
    def of(cls, function: Callable[..., str], *values: Any) -> str:
        """In place of ``function(*values)``, for a snapshot, whose ``caption`` is then this text.

        Of ten thousand sentences a few hundred are read, and writing one can cost more than the step that it is about.
        The function is one of a module and the values do not change.
        """
        return cast("str", cls(function, values))


_drawing = threading.RLock()  # the window and an export may look at the same frame
_latest: deque[tuple[LazyViews, FrozenDict]] = deque(maxlen=8)


def _fixed(views: Views) -> FrozenDict:
    marks = FrozenDict({key: tuple(layers) for key, layers in views.items()})
    frozen(marks)
    return marks


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One frame: everything that is to be seen after one phase of the algorithm.

    Parameters
    ----------
    model : frozen dataclass
        The state, complete enough for ``predict``, ``field``, ``explain`` and going on from here.
    views : mapping of panel key to marks
        What to draw in each panel, bottom layer first; a :class:`LazyViews` where making the marks costs time. A panel
        without marks is not looked at, but no marks for that of the data show the data as they are.
    metrics : mapping of name to number
        The same names in every frame, finite numbers.
    phase : str
        The phase that led here; the pseudo-code line with this phase is lit.
    caption : str
        One sentence for the student, with numbers; a :class:`LazyCaption` where writing it costs time.
    warning : str
        A sentence in amber, when something about this run deserves doubt.
    """

    model: Any
    views: Views
    metrics: Mapping[str, float]
    phase: str
    caption: str
    warning: str = ""

    __kept_as__: ClassVar = {"caption": "given_caption"}

    def __post_init__(self) -> None:
        if not isinstance(self.metrics, FrozenDict):
            object.__setattr__(self, "metrics", FrozenDict({key: float(value) for key, value in self.metrics.items()}))
        if not isinstance(self.views, LazyViews):
            object.__setattr__(self, "views", _fixed(self.views))
        lock([self.model, self.views])

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the snapshot anew locks it again.
        return Snapshot, tuple(getattr(self, field.name) for field in dataclasses.fields(self))


def _written(snapshot: Snapshot) -> str:
    caption: str | LazyCaption = _given_caption.__get__(snapshot)
    return caption if isinstance(caption, str) else caption.function(*caption.arguments)


_given_caption: Any = Snapshot.__dict__["caption"]
type.__setattr__(Snapshot, "given_caption", _given_caption)
type.__setattr__(Snapshot, "caption", property(_written, _given_caption.__set__))
