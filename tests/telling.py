"""Snapshots with fixed pictures and words, for tests of what only stores and shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from algorithms.contract import AnySnapshot, FrozenDict, Snapshot
from algorithms.snapshot import Views


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What is to be seen and read of a snapshot."""

    views: Views
    caption: str
    warning: str


def views(shot: Any) -> Views:
    return shot.shown.views


def caption(shot: Any) -> str:
    return shot.shown.caption


def warning(shot: Any) -> str:
    return shot.shown.warning


class AnyPhase(dict[str, Callable[[Any], str]]):
    """Captions for the phases that are named, and the same for every other one."""

    def __missing__(self, phase: str) -> Callable[[Any], str]:
        return caption


AS_SHOWN: dict[str, Any] = {"views": views, "captions": AnyPhase(), "warning": warning}
"""What an ``Algorithm`` declares whose run yields snapshots that :func:`told` has made."""


@dataclass(frozen=True, slots=True)
class Teller:
    """In place of the method of a snapshot that no run has yielded."""

    views: Callable[[Any], Views] = views
    captions: Mapping[str, Callable[[Any], str]] = field(default_factory=AnyPhase)
    warning: Callable[[Any], str] = warning


def told(
    model: Any = None,
    views: Mapping[str, Any] | None = None,
    metrics: Mapping[str, float] | None = None,
    phase: str = "a",
    caption: str = "",
    warning: str = "",
) -> AnySnapshot:
    """A snapshot that shows these marks and says these sentences."""
    said = Said(FrozenDict({key: tuple(marks) for key, marks in (views or {}).items()}), caption, warning)
    return Snapshot(None, phase, model, metrics or {}, said, told_by=Teller())
