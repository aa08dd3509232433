"""How data of other kinds than points lie in files: one declared format per ending, gathered here from every kind."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from algorithms.data import Data
from algorithms.records import dataclass

COMMENT = ("#", "%")
"""What a line begins with that is no row of a table."""


@dataclass(frozen=True, slots=True)
class DataFormat:
    """A form in which one kind of data is read from a file and written to one.

    Parameters
    ----------
    kind : str
        The kind of data.
    title : str
        What people call the format, for dialogs.
    suffixes : tuple of str
        The endings, the usual one first. Where one kind has two formats with the same ending, the first is taken.
    read : function of a path
        Gives the data, or raises :class:`DataError` or ValueError; None where it is only written.
    write : function of the data
        The text of the file; None where the format is only read. The first of a kind is also what is copied.
    own : bool
        The endings mean this kind and no other. A CSV file may hold anything, so its kind must be asked for.
    looks : function of a path, optional
        Whether a file whose ending does not say so holds this kind.
    sure : bool
        What looks so can be nothing else, so that it is this kind also where a table of points would be welcome.
    """

    kind: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Path], Data] | None
    write: Callable[[Any], str] | None
    own: bool = True
    looks: Callable[[Path], bool] | None = None
    sure: bool = False


def separated(text: str, before: str, after: str) -> str:
    """A table with another separator; the comments above it are left as they are."""
    head = re.match(r"(?:#.*\n)*", text)
    assert head is not None
    return head[0] + table_text(csv.reader(io.StringIO(text[head.end() :]), delimiter=before), after)


def table_text(rows: Iterable[list[str]], separator: str = ",") -> str:
    """The rows as text. One that begins like a comment, say with the name of a node, is quoted."""
    text = io.StringIO()
    plain, quoted = (
        csv.writer(text, delimiter=separator, lineterminator="\n", quoting=which)
        for which in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    for row in rows:
        (quoted if row and row[0].lstrip().startswith(COMMENT) else plain).writerow(row)
    return text.getvalue()


def all_formats() -> tuple[DataFormat, ...]:
    """Every format of every kind but points, whose tables have columns to choose from and modules of their own."""
    # they declare formats as the class above
    from mlviz.data import distance_files, graph_files, sequence_files, string_files

    return *graph_files.FORMATS, *distance_files.FORMATS, *sequence_files.FORMATS, *string_files.FORMATS
