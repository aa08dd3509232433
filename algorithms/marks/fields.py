"""Marks over the whole plane: what a model says everywhere, and how much of it is shown."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.marks.base import Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Regions(Mark):
    """The plane shaded by this snapshot's model.

    ``classes`` colours by ``predict``; ``probability`` mixes the class colours by ``field`` (columns sum to 1, or one
    column for the second class); ``signed`` shades a decision value around zero; ``density`` shades a
    non-negative height; ``value`` a real one, by its logarithm above the lowest place where ``log`` is set, so that the
    floor of a steep valley is seen. ``votes`` colours by the largest column of ``field``, in which whole
    numbers are votes and what is less than a half breaks a tie: hatched where the first two columns have as many votes.
    """

    spaces: ClassVar = ("data", "own")
    kind: Literal["classes", "probability", "signed", "density", "value", "votes"] = "classes"
    log: bool = False
    names: tuple[str, ...] = ()  # of the classes, to be listed


@dataclass(frozen=True, slots=True, eq=False)
class Isolines(Mark):
    """Contours of ``field``: the strong one first in meaning (decision line), the weak ones dashed (``weak_name``).

    When ``field`` has several columns the strong line is where the best class changes. ``fine`` are the thin lines of a
    map, all of them called ``fine_name``.
    """

    spaces: ClassVar = ("data", "own")
    strong: tuple[float, ...] = (0.0,)
    weak: tuple[float, ...] = ()
    fine: tuple[float, ...] = ()
    fine_name: str = "equal height"
    weak_name: str = "margin"


@dataclass(frozen=True, slots=True, eq=False)
class Extent(Mark):
    """What part of a ``surface`` panel to show when it first appears; ``equal``: one scale on both axes.

    ``names`` are written on the axes instead of those of the panel, which do not know what is on them.
    """

    spaces: ClassVar = ("own",)
    left: float
    right: float
    bottom: float
    top: float
    equal: bool = False
    names: tuple[str, str] | None = None
