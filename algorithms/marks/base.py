"""What every mark is, and where marks stand."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.records import dataclass

Space = Literal["data", "own", "none"]
"""Where marks stand: in the picture of the data, on axes of their own, or in a diagram without axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """The base of all marks. Each says in the panels of which ``spaces`` it has a meaning."""

    spaces: ClassVar[tuple[Space, ...]] = ()
