"""How the window looks at a document: what each canvas shows, which tabs are in front, how the docks stand.

It is plain data in words of our own, so that it can lie in a session file that comes from anyone. Everything read is
bounded and checked; a part that makes no sense is left as the window has it, and what a newer program may have added
is passed over.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal, TypeVar, cast

from algorithms.data import MAX_CLASSES
from algorithms.records import dataclass
from mlviz.session.comparison import MOST_BOARDS
from mlviz.session.scoring import SOURCES, Source

Rect = tuple[float, float, float, float]
Area = Literal["left", "right", "top", "bottom"]
AREAS: tuple[Area, ...] = ("left", "right", "top", "bottom")

MAX_NAME = 64
MAX_RECIPE = 1000
MAX_ENTRIES = 64
MAX_PINNED = 10_000
MAX_PIXELS = 32_768
MAX_PLACE = 1e300
OLD_NAMES = {"viewports": "eyes", "evaluation": "judging", "large_height": "share"}
"""How older files call these entries."""
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Viewport:
    """Where a canvas is looked at from: left, right, bottom and top, and the two angles of a cloud in space."""

    rect: Rect | None = None
    angles: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Dock:
    """A panel at the side of the window; those of one area with the same ``place`` lie over each other as tabs."""

    name: str
    area: Area
    place: int = 0
    shown: bool = True
    width: int = 0
    height: int = 0


FOLDS, HELD_OUT = (2, 100), (0.05, 0.9)
"""How many folds cross-validation may have, and which fraction of the points validation may hold out."""


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """The choices of the evaluation; a threshold of None is the one it begins with, ``cell`` the chosen one."""

    source: Source = "training"
    positive: int | None = None
    threshold: float | None = None
    every_class: bool = False
    curve: int = 0
    cell: tuple[int, int] | None = None
    large_height: float | None = None
    folds: int = 5
    held_out: float = 0.3
    fold: int = 1


@dataclass(frozen=True, slots=True)
class BoardLook:
    """How one of several boards is looked at.

    Parameters
    ----------
    large : mapping of method key to view key
        Which view is the large one, under the methods where that is not the picture of the data.
    second, curve : str
        The tabs in front: of the second views, and of the metric curves.
    evaluation : EvaluationSettings, optional
        The choices of its evaluation.
    """

    large: Mapping[str, str] = field(default_factory=dict)
    second: str = ""
    curve: str = ""
    evaluation: EvaluationSettings | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything about the look of a document that is not in the document. Made by the window, or by :func:`checked`.

    Parameters
    ----------
    viewports : mapping of panel key to Viewport
        What each canvas shows.
    large : mapping of method key to view key
        Which view (a panel, ``evaluation`` or ``curves``) is large, under the methods where it is not the first one.
    second, controls, curve : str
        The tabs in front: of the second views, of the controls, of the metric curves; empty for the first.
    logarithmic : mapping of metric group to bool
        The scale of each group of curves.
    pinned : tuple of int
        The points that were clicked.
    large_height, beside : float, optional
        The fraction of the height that the large view has, and that of the width that the second views have.
    docks : tuple of Dock
        In the order in which they stand; empty for as they are.
    boards : tuple of BoardLook
        Where several stand beside each other, in their order; the fields above are about the active one.
    speed : float, optional
        Steps a second; infinite for as fast as it computes, None for one that suits the length of the run.
    recipe : str
        In older files: where the data came from, as in ``moons(n=300,noise=0.1)``; now the document knows that.
    """

    viewports: Mapping[str, Viewport] = field(default_factory=dict)
    large: Mapping[str, str] = field(default_factory=dict)
    second: str = ""
    controls: str = ""
    curve: str = ""
    logarithmic: Mapping[str, bool] = field(default_factory=dict)
    evaluation: EvaluationSettings | None = None
    pinned: tuple[int, ...] = ()
    large_height: float | None = None
    beside: float | None = None
    docks: tuple[Dock, ...] = ()
    boards: tuple[BoardLook, ...] = ()
    speed: float | None = None
    by_phase: bool = False
    recipe: str = ""

    def on_board(self, place: int, active: bool) -> BoardLook:
        """How the board at this place is looked at; older files know only the ``active`` one, and what was large."""
        if place < len(self.boards):
            return self.boards[place]
        return BoardLook(self.large, self.second, self.curve, self.evaluation) if active else BoardLook(self.large)


UNCHANGED = Layout()
"""Everything as the window has it."""


def as_plain(layout: Layout) -> dict[str, Any]:
    """The layout as JSON values."""
    plain = dataclasses.asdict(layout)
    plain["pinned"] = list(layout.pinned[:MAX_PINNED])
    plain["recipe"] = layout.recipe if len(layout.recipe) <= MAX_RECIPE else ""
    plain["speed"] = "max" if layout.speed == math.inf else layout.speed
    return plain


def checked(raw: Any, n: int, notices: list[str]) -> Layout:
    """The layout in an untrusted file on a document of ``n`` points; parts that make no sense leave one notice."""
    if not isinstance(raw, dict):
        notices.append("The layout in this session could not be read; the window stays as it is.")
        return Layout()
    readers: dict[str, Callable[[Any], Any]] = {
        "viewports": lambda value: _mapping(value, _viewport),
        "large": lambda value: _mapping(value, _name),
        "second": _name,
        "controls": _name,
        "curve": _name,
        "logarithmic": lambda value: _mapping(value, _flag),
        "evaluation": _or_none(_evaluation),
        "pinned": lambda value: tuple(_whole(item, 0, n - 1) for item in _list(value, MAX_PINNED)),
        "large_height": _or_none(_fraction),
        "beside": _or_none(_fraction),
        "docks": _docks,
        "boards": lambda value: tuple(_board(item) for item in _list(value, MOST_BOARDS)),
        "speed": _or_none(lambda value: math.inf if value == "max" else _real(value, 1e-3, 1e6)),
        "by_phase": _flag,
        "recipe": lambda value: _name(value, MAX_RECIPE),
    }
    kept: dict[str, Any] = {}
    broken = False
    for name, read in readers.items():
        held = name if name in raw else OLD_NAMES.get(name)
        if held in raw:
            try:
                kept[name] = read(raw[held])
            except ValueError:
                broken = True
    if broken:
        notices.append("A part of the layout in this session could not be read; the window stays as it is there.")
    return Layout(**kept)


def _viewport(value: Any) -> Viewport:
    rect, angles = _entry(value, "rect"), _entry(value, "angles")
    seen = None if rect is None else tuple(_real(item, -MAX_PLACE, MAX_PLACE) for item in _list(rect, 4, 4))
    if seen is not None and not (seen[0] < seen[1] and seen[2] < seen[3]):
        raise ValueError(seen)
    turned = None if angles is None else tuple(_real(item, -1e6, 1e6) for item in _list(angles, 2, 2))
    return Viewport(cast("Rect | None", seen), cast("tuple[float, float] | None", turned))


def _evaluation(value: Any) -> EvaluationSettings:
    source = _entry(value, "source")
    if source not in SOURCES:
        raise ValueError(source)
    cell, height = _entry(value, "cell"), _entry(value, "large_height")
    positive, threshold = _entry(value, "positive"), _entry(value, "threshold")
    place = None if cell is None else tuple(_whole(item, 0, MAX_CLASSES) for item in _list(cell, 2, 2))
    return EvaluationSettings(
        source,
        None if positive is None else _whole(positive, 0, MAX_CLASSES),
        None if threshold is None else _real(threshold, -MAX_PLACE, MAX_PLACE),
        _flag(value.get("every_class", False)),
        _whole(value.get("curve", 0), 0, 3),
        cast("tuple[int, int] | None", place),
        None if height is None else _fraction(height),
        _whole(value.get("folds", 5), *FOLDS),
        _real(value.get("held_out", 0.3), *HELD_OUT),
        _whole(value.get("fold", 1), 1, FOLDS[1]),
    )


def _board(value: Any) -> BoardLook:
    return BoardLook(
        _mapping(_entry(value, "large"), _name),
        _name(_entry(value, "second")),
        _name(_entry(value, "curve")),
        _or_none(_evaluation)(_entry(value, "evaluation")),
    )


def _docks(value: Any) -> tuple[Dock, ...]:
    docks = tuple(_dock(item) for item in _list(value, MAX_ENTRIES))
    if len({dock.name for dock in docks}) != len(docks):
        raise ValueError(value)
    return docks


def _dock(value: Any) -> Dock:
    area = _entry(value, "area")
    if area not in AREAS:
        raise ValueError(area)
    return Dock(
        _name(_entry(value, "name")),
        area,
        _whole(value.get("place", 0), 0, MAX_ENTRIES),
        _flag(value.get("shown", True)),
        _whole(value.get("width", 0), 0, MAX_PIXELS),
        _whole(value.get("height", 0), 0, MAX_PIXELS),
    )


def _or_none(read: Callable[[Any], _Value]) -> Callable[[Any], _Value | None]:
    return lambda value: None if value is None else read(value)


def _entry(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(value)
    return value.get(name, value.get(OLD_NAMES.get(name)))


def _mapping(value: Any, read: Callable[[Any], _Value]) -> dict[str, _Value]:
    if not isinstance(value, dict) or len(value) > MAX_ENTRIES:
        raise ValueError("not a short mapping")
    return {_name(key): read(item) for key, item in value.items()}


def _list(value: Any, most: int, least: int = 0) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise ValueError("not a list of the right length")
    return value


def _name(value: Any, most: int = MAX_NAME) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("not a short text")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _whole(value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError("not a whole number in range")
    return value


def _real(value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError("not a number in range")
    return float(value)


def _fraction(value: Any) -> float:
    return _real(value, 0.0, 1.0)
