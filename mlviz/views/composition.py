"""How the views of a method share a room: a board in the window and a page of a file ask here alike. No Qt.

Which view is the large one, in which order the others follow, which part of the room the large one has, and where the
others stand around it. On a board the others are tabs, among which a user chooses; a page shows as many of them as
there is room for.
"""

from __future__ import annotations

import math
from typing import Literal

from algorithms.contract import Panel
from algorithms.data import Data, Points
from algorithms.data.points import BLANK
from algorithms.records import dataclass
from mlviz.views.theme import SPACING

EVALUATION, CURVES = "evaluation", "curves"
"""The views that no panel describes: the pictures of a classifier's scores, and the curves of the metrics."""

# -- which view is which ----------------------------------------------------------------------------------------------


MAP = "Map"
"""The title of the panel in which a method shows where it puts the items of the data."""


@dataclass(frozen=True, slots=True)
class ViewOrder:
    """The views of a method, and which of them is the large one.

    Parameters
    ----------
    panels : tuple of Panel
        In the order of their importance.
    evaluated : bool
        Whether there is an evaluation.
    chosen : str
        The key of the view that the user wants to be large; passed over where there is no such view.
    shared : bool
        Whether settings stand beside each other, of which each shows its map of the data that all share, or the data.
    drawn : bool
        Whether the data are drawn on a blank board: their picture is what one draws on.
    """

    panels: tuple[Panel, ...]
    evaluated: bool = False
    chosen: str = ""
    shared: bool = False
    drawn: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Of all views, in the order in which they stand."""
        return (*(panel.key for panel in self.panels), *([EVALUATION] if self.evaluated else []), CURVES)

    @property
    def data(self) -> str | None:
        """The key of the panel with the picture of the data; None where there is none."""
        return next((panel.key for panel in self.panels if panel.space == "data"), None)

    @property
    def first(self) -> str:
        """The key of the view that is large while none is chosen."""
        if not self.shared:
            return (self.data if self.drawn else None) or next(iter(self.keys))
        map_of_data = next((panel.key for panel in self.panels if panel.title == MAP), None)
        return map_of_data or self.data or next(iter(self.keys))

    @property
    def reserved(self) -> str | None:
        """The key of the second view whose place is kept while nothing is in it; None where there is none."""
        kept = (panel.key for panel in self.panels if panel.reserved and not panel.beside)
        return next((key for key in kept if key != self.large), None)

    @property
    def large(self) -> str:
        """The key of the large view."""
        return self.chosen if self.chosen in self.keys else self.first

    @property
    def fraction(self) -> float:
        """The part of the height of the large view; a picture of data below it needs more room than a curve."""
        return DATA_ABOVE if self.data in (None, self.large) else DATA_BELOW

    def is_like(self, other: ViewOrder) -> bool:
        """Whether the same views have the same places."""
        return (self.keys, self.large) == (other.keys, other.large)

    def before(self, key: str) -> tuple[str, ...]:
        """The keys of the views that stand before this one."""
        return self.keys[: self.keys.index(key)] if key in self.keys else self.keys


def is_drawn(data: Data | None) -> bool:
    """Whether these are points that somebody draws on a blank board."""
    return isinstance(data, Points) and data.name == BLANK


# -- a board ----------------------------------------------------------------------------------------------------------

DATA_ABOVE, DATA_BELOW = 0.70, 0.55
"""The part of the height that the large view has, by where the picture of the data is."""
LOW, LOW_BELOW = 50.0, 0.42
"""On a board lower than so many font sizes, what axes and tabs take away is made up for: the least part below."""
LOW_SCREEN = 45.0
"""In a window lower than so many font sizes (presenter mode on a small projector) there is no room for the curves below
the second views beside the large one: what would be left of both is axes and tabs. It is the window that counts: how
high a board is depends on the lines of a caption, and nothing may move with them."""
WIDE, BESIDE = 0.95, 0.58
"""A board so many times as wide as high has room beside the large view, which then has this part of the width."""
Mode = Literal["rest", "low", "side"]


def board_mode(size: tuple[int, int], font: float, compact: bool) -> Mode:
    """How a board of this size shares its room.

    Usually the small views stand side by side below the large one. On a board of few lines of text (with the large
    letters of the presenter mode, or above the table of points) the plane would be a strip. Where the board is wide
    they stand beside the large view instead, one above the other, unless (``compact``) there are other boards. Which of
    them is looked at changes nothing: what was in view stays there, and what the mouse points at stays under it.
    """
    width, height = size
    if height >= LOW * font:
        return "rest"
    if width >= WIDE * height and not compact:
        return "side"
    return "low"


def large_fraction(mode: Mode, rest: float) -> float:
    """The part of the large view in this mode, where it has the part ``rest`` on a board that is high enough."""
    if mode == "side":
        return BESIDE
    return min(rest, 1.0 - LOW_BELOW) if mode == "low" else rest


# -- a page -----------------------------------------------------------------------------------------------------------

FEWEST, MOST = 3, 4
"""How many small views may stand side by side in a single row, as the width allows."""
LEAST_WIDTH = 128
"""Of a small view, in logical pixels: a canvas cannot be narrower."""
LARGE, SMALL, CORNER, WORDS = 12, 8, 8.5, 4
"""Lines of text for which the large view, a row of small ones, one of those around the corner, and the title with the
caption need room at least."""


@dataclass(frozen=True, slots=True)
class Composition:
    """Where the small views stand.

    Parameters
    ----------
    beside : int
        So many stand to the right of the large view, one above the other.
    below : int
        So many stand below it, side by side.
    large : int
        The size of the large view, when a row of small ones below it has the size ``small``.
    small : int
        That size.
    """

    beside: int
    below: int
    large: int
    small: int

    @property
    def count(self) -> int:
        """How many small views there are."""
        return self.beside + self.below


ALONE = Composition(0, 0, 1, 1)


@dataclass(frozen=True, slots=True)
class Page:
    """The room of a figure: its size in logical pixels, its font in points, and what else stands on it."""

    size: tuple[int, int]
    font: float
    words: bool
    judged: bool

    def compose(self, wanted: int, fraction: float = DATA_ABOVE) -> Composition:
        """The places of as many of the small views as there is room for without cutting anything off.

        A row below the large view, which has this fraction of the height, holds a few. More of them would leave a strip
        for each, so they stand around its corner, where every place has the form of the page.
        """
        across = self._across() if self._lines() >= LARGE + SMALL else 0
        parts = _in_whole_numbers(fraction)
        if wanted <= across:
            return Composition(0, wanted, *parts)
        for cells in range(wanted // 2 + 1, 2, -1):
            if self._holds(cells):
                count = min(wanted, 2 * cells - 1)
                return Composition(cells - 1, count - cells + 1, cells - 1, 1)
        return Composition(0, across, *parts)

    def _lines(self) -> float:
        """How many lines of text there is room for besides the words and the evaluation."""
        line = 1.25 * self.font * 96 / 72
        return self.size[1] / line - (1.5 * SMALL if self.judged else 0) - (WORDS if self.words else 0)

    def _across(self) -> int:
        wide = self.size[0] - 4 * SPACING
        return max(min(max(round(wide / (24 * self.font)), FEWEST), MOST, wide // (LEAST_WIDTH + SPACING)), 1)

    def _holds(self, cells: int) -> bool:
        """Whether the page can be divided into so many cells in both directions."""
        wide = max(18 * self.font, LEAST_WIDTH + SPACING)
        return self._lines() >= cells * CORNER and self.size[0] - 4 * SPACING >= cells * wide


def _in_whole_numbers(fraction: float) -> tuple[int, int]:
    """A part and the rest in twentieths, as small numbers: 7 and 3 for 0.7."""
    large = round(20 * fraction)
    common = math.gcd(large, 20 - large)
    return large // common, (20 - large) // common
