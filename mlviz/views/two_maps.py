"""The same data in two maps: where each item lies in the one, and a line from there to its place in the other."""

from __future__ import annotations

from algorithms.contract import Panel
from algorithms.data import Array
from algorithms.marks import Dots, Mark, Scatter, Segments
from algorithms.maths.maps import evenly

MOST_LINES = 200
"""More lines than this hide the maps."""
PANEL = Panel("two_maps", "Same data, two maps", x="coordinate 1", y="coordinate 2")


def map_marks(
    rows: Array, places: tuple[Array, ...], names: tuple[str, ...], labels: tuple[str, ...] = ()
) -> tuple[Mark, ...]:
    """The first map (m, 2) in the looks of the items ``rows``, and the second, laid over it, as grey dots.

    ``names`` are those of the maps, and ``labels`` those of the items.

    More maps than two would be a tangle: their residuals are in the words. Where there are many items, an even
    selection of them has a line.
    """
    first, second = places[:2]
    lines = evenly(len(rows), MOST_LINES)
    same = "the same item" if len(lines) == len(rows) else f"the same item ({len(lines)} drawn)"
    return (
        Segments(first[lines], second[lines], "edge", points=rows[lines], name=same),
        Dots(second, name=f"in the map of {names[1]}"),
        Scatter(first, rows, equal=True, names=tuple(labels[row] for row in rows.tolist()) if labels else ()),
    )
