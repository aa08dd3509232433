"""Marks that stand in rows and columns: numbers, colours and small pictures."""

from __future__ import annotations

from typing import ClassVar, Literal

from algorithms.data import Array
from algorithms.marks.base import Mark
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Matrix(Mark):
    """A table of numbers as an image, the first row on top; ``points`` says which data point each row and column is.

    ``signed`` tells numbers below zero from those above; ``unknown`` are cells that have no number yet.
    """

    spaces: ClassVar = ("own",)
    values: Array  # (r, c)
    points: Array | None = None  # (r,) indices, of the rows and, in the same order, of the columns
    signed: bool = False
    unknown: Array | None = None  # (r, c) bool
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CellMap(Mark):
    """A number for every pair of settings: a cell for each, the first row at the bottom, strong where it is small.

    ``unknown`` cells have no number yet; a frame is drawn around the cell ``best`` (row, column), and a dashed one
    around ``seen``. With ``handle`` a cell can be clicked, or dragged over, and sets the parameter of that name to its
    column and row, counted from 1.
    """

    spaces: ClassVar = ("own",)
    values: Array  # (r, c)
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    x: str
    y: str
    unknown: Array | None = None  # (r, c) bool
    best: tuple[int, int] | None = None
    seen: tuple[int, int] | None = None
    name: str = ""  # of the numbers
    handle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Table(Mark):
    """Numbers in cells, the first row on top; larger ones in stronger cells, and those of this step ``lit``.

    ``texts`` are written in place of the numbers; ``unknown`` cells are empty. ``points`` says which item of the data
    each row is and, where there are as many columns, each column.
    """

    spaces: ClassVar = ("none",)
    values: Array  # (r, c)
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    lit: Array | None = None  # (m, 2) int, row and column
    unknown: Array | None = None  # (r, c) bool
    texts: tuple[tuple[str, ...], ...] = ()
    row_groups: Array | None = None  # (r,) int, colours the names of the rows
    column_groups: Array | None = None  # (c,) int
    rows_name: str = ""
    columns_name: str = ""
    shaded: bool = True
    points: Array | None = None  # (r,) indices


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Some rectangles on the pictures of :class:`Images`, by what they are.

    A ``window`` is looked into, something is ``found`` in it or known to be there (``truth``); of the blocks of a
    feature those called ``plus`` are added and those called ``minus`` are subtracted; a ``sum`` is over all of it.
    """

    at: Array  # (b, 5) the number of the picture, and in its pixels top, left, height and width
    role: Literal["window", "found", "truth", "plus", "minus", "sum"]
    name: str = ""  # for the legend


@dataclass(frozen=True, slots=True, eq=False)
class Images(Mark):
    """Small pictures in a grid, each with a caption below it, the first row on top.

    Grey pictures are shown between the two ``levels``, the lower one in the colour of the background, or in
    ``photographs`` black and the upper one white; ``signed`` ones tell numbers below zero from those above, all by the
    same scale, in which ``signed_level`` is fullest. ``points`` says which data point a picture shows. ``shown`` fades
    what is not looked at.
    """

    spaces: ClassVar = ("own", "none")
    pixels: Array  # (m, height, width), row 0 on top
    at: Array  # (m, 2) int, the row and the column of each in the grid
    captions: tuple[str, ...] = ()  # (m,)
    signed: Array | None = None  # (m,) bool; without it all are grey
    levels: tuple[float, float] | None = None  # without it, the least and the largest number of the grey ones
    points: Array | None = None  # (m,) indices, -1 for none
    photographs: bool = False
    shown: Array | None = None  # (m, height, width) from 0 to 1: how much of a pixel is seen
    boxes: tuple[Boxes, ...] = ()  # bottom layer first
    signed_level: float | None = None  # without it, the largest size of a signed number
    large: bool = False  # few pictures with many pixels: captions need less room beside them


@dataclass(frozen=True, slots=True, eq=False)
class Strip(Mark):
    """Bands along a line of items, such as the moments of series or the points of a fold: each row gives them groups.

    In the picture of series the rows lie below every series, and row ``behind`` also colours what is seen there. On
    axes of its own item ``i`` is at ``i + first``, and the rows share the height from ``low`` to ``high``, the
    first on top.
    """

    spaces: ClassVar = ("data", "own")
    labels: Array  # (r, n) int, -1: none
    names: tuple[str, ...] = ()  # of the rows
    group_names: tuple[str, ...] = ()  # for the legend
    strengths: Array | None = None  # (r, n) from 0 to 1, how sure a group is
    behind: int = 0
    first: float = 0.0
    low: float = 0.0
    high: float = 1.0
