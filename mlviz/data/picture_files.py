"""Pictures from PNG and JPEG files: a matrix of grey values, each row of pixels a point.

They are unpacked in a process of its own, and what is larger than a few hundred pixels is made smaller there.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from algorithms.data import DataError, Points
from algorithms.maths.words import counted
from mlviz.data import reader_process
from mlviz.data.generators.pictures import grey_rows
from mlviz.data.process import read_in_process
from mlviz.data.reading import Reading

SUFFIXES = (".png", ".jpg", ".jpeg")
METHOD = "svd"
"""What a picture is opened with: any other method would take its rows for points that somebody has measured."""


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """A picture as data, and what has become of it on the way, as a sentence."""

    points: Points
    notice: str


def is_picture(path: Path) -> bool:
    """Whether a file of this name is read as a picture."""
    return path.suffix.lower() in SUFFIXES


def read_picture(path: Path, reading: Reading | None = None) -> ReadPicture:
    """The grey values of a picture from 0, black, to 1, white.

    Raises
    ------
    DataError
        When it has too many pixels, or is none.
    """
    with tempfile.TemporaryDirectory(prefix="mlviz-") as folder:
        copy = Path(folder) / "picture.npz"
        code = read_in_process("picture", path, copy, reading or Reading())
        if code == reader_process.TOO_LARGE:
            most = f"{reader_process.MAX_PIXELS // 10**6} million"
            raise DataError(f"{path.name} has {copy.read_text(encoding='utf-8')} pixels; at most {most} are read.")
        if code == reader_process.REFUSED:
            raise DataError(f"{path.name} cannot be read as a picture: {_reason(copy.read_text(encoding='utf-8'))}.")
        if code != 0 or not copy.exists():
            raise DataError(f"{path.name} cannot be read as a picture: it is damaged.")
        with np.load(copy, allow_pickle=False) as archive:
            grey, (height, width) = archive["grey"], archive["size"].tolist()
    points = grey_rows(grey / 255.0).renamed(path.stem)
    notice = f"A picture of {width:,} × {height:,} pixels, in grey"
    if grey.shape != (height, width):
        notice += f", made smaller: {counted(grey.shape[1], 'column')} and {counted(grey.shape[0], 'row')}"
    return ReadPicture(points, notice + ".")


def _reason(said: str) -> str:
    """What the reader complained of, in our words."""
    kind, _, words = said.partition(": ")
    if kind == "UnidentifiedImageError":
        return "it is no PNG or JPEG file"
    if "truncated" in words.lower():
        return "its end is missing"
    return "it is damaged"
