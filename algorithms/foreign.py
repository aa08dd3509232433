"""A run that somebody else has written, step by step, in the shapes that a method understands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from algorithms.data import Array, DataError
from algorithms.maths.words import listed

Shape = tuple[int | str, ...]
"""The length of each axis; a name stands for a length that is free, and the same wherever the name occurs."""


def steps_of(
    foreign: Iterable[Any], wanted: Mapping[str, Shape], optional: int = 0, infinite: bool = False
) -> Iterator[tuple[Any, ...]]:
    """What each step yields, as an array of numbers for each name.

    ``steps_of(run, {"centres": ("k", 2), "labels": (300,)})``; the last ``optional`` of them may be left out (None),
    and numbers may be ``infinite``. What does not fit is a sentence with the number of the step.
    """
    for step, said in enumerate(foreign):
        parts = said if isinstance(said, tuple) else (said,)
        try:
            arrays = [np.array(part, dtype=float) for part in parts]
        except (TypeError, ValueError) as error:
            raise DataError(f"Step {step} has to give {_in_words(wanted)}, numbers: {error}.") from error
        if not len(wanted) - optional <= len(arrays) <= len(wanted) or not _fit(arrays, list(wanted.values())):
            shapes = listed(str(array.shape) for array in arrays)
            raise DataError(f"Step {step} has to give {_in_words(wanted)}; it gave the shape {shapes}.")
        if any(np.isnan(array).any() or (not infinite and np.isinf(array).any()) for array in arrays):
            raise DataError(f"Step {step} gives numbers that are not finite.")
        yield (*arrays, *[None] * (len(wanted) - len(arrays)))


def _fit(arrays: list[Array], shapes: list[Shape]) -> bool:
    free: dict[str, int] = {}
    for array, shape in zip(arrays, shapes):
        if array.ndim != len(shape):
            return False
        for length, side in zip(array.shape, shape, strict=True):
            if length != (free.setdefault(side, length) if isinstance(side, str) else side):
                return False
    return True


def _in_words(wanted: Mapping[str, Shape]) -> str:
    return listed(f"{name} ({', '.join(map(str, shape))}{',' * (len(shape) == 1)})" for name, shape in wanted.items())
