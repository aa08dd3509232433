"""How the views of a figure share its page: the large one, and small ones below it or around its corner. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from mlviz.views.theme import SPACING

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

    def compose(self, wanted: int) -> Composition:
        """The places of as many of the small views as there is room for without cutting anything off.

        A row below the large view holds a few. More of them would leave a strip for each, so they stand around its
        corner, where every place has the form of the page.
        """
        across = self._across() if self._lines() >= LARGE + SMALL else 0
        if wanted <= across:
            return Composition(0, wanted, 7, 3)
        for cells in range(wanted // 2 + 1, 2, -1):
            if self._holds(cells):
                count = min(wanted, 2 * cells - 1)
                return Composition(cells - 1, count - cells + 1, cells - 1, 1)
        return Composition(0, across, 7, 3)

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
