"""How data of other kinds than points lie in files: one declared format per ending, gathered here from every kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from algorithms.data import Data
from algorithms.records import dataclass


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
    """

    kind: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Path], Data] | None
    write: Callable[[Any], str] | None
    own: bool = True
    looks: Callable[[Path], bool] | None = None


def all_formats() -> tuple[DataFormat, ...]:
    """Every format of every kind but points, whose tables have columns to choose from and modules of their own."""
    # they declare formats as the class above
    from mlviz.data import distance_files, graph_files, sequence_files, string_files

    return *graph_files.FORMATS, *distance_files.FORMATS, *sequence_files.FORMATS, *string_files.FORMATS
