"""A colour scale for real values, made from the theme's first two class colours.

It is mixed in Oklab, where equal steps look equal, and passes through a grey between them: blue is low, orange is high,
and neither end is mistaken for a class because the steps between are seen.
"""

from __future__ import annotations

import functools

import numpy as np

from algorithms.data import Array
from mlviz.views.colours import channels, text
from mlviz.views.theme import Theme

STEPS = 257
"""Distinct colours of a surface."""
MANY = 250_000
"""Numbers of a table that are coloured exactly; of more, each has one of the distinct colours."""
FEW = 32
"""Points wear one of these many (and one more): enough to tell them apart, few enough to be drawn once each."""

# Björn Ottosson's Oklab: linear RGB -> cone responses -> (their cube roots) -> lightness and two opponent axes
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def value_colours(theme: Theme, fraction: Array) -> Array:
    """The colours (..., 3) of 0 .. 255 for values whose fraction of the range is given: 0 is lowest, 1 is highest."""
    return _scale(theme)[np.rint(np.asarray(fraction) * (STEPS - 1)).astype(np.intp)]


def table_colours(theme: Theme, values: Array, signed: bool = False) -> Array:
    """The colours (..., 3) of the numbers of a table: strong where they are small; with ``signed``, far from 0.

    Roots of the numbers are shown, so that a few large ones do not leave the others without a colour.
    """
    top = float(np.abs(values).max(initial=0.0)) or 1.0
    root = np.sqrt(np.abs(values) / top)
    if signed:
        return signed_colours(theme, np.copysign(root, values))
    return _from_near_to_far(theme, root)


def table_pixels(theme: Theme, values: Array, signed: bool = False) -> Array:
    """The same colours as pixels (..., 4) that cover what is behind them.

    In a large table they are mixed once for all: a mixture for each of four million numbers would take a second.
    """
    if values.size <= MANY:
        image = np.full((*values.shape, 4), 255, dtype=np.ubyte)
        image[..., :3] = table_colours(theme, values, signed)
        return image
    numbers = np.abs(values)
    numbers /= float(numbers.max()) or 1.0
    np.sqrt(numbers, out=numbers)
    if signed:
        numbers = 0.5 + 0.5 * np.copysign(numbers, values)
    numbers *= STEPS - 1
    scale = np.full((STEPS, 4), 255, dtype=np.ubyte)
    scale[:, :3] = _scale(theme, theme.plot) if signed else _from_near_to_far(theme, np.linspace(0.0, 1.0, STEPS))
    chosen = scale.view(np.uint32)[:, 0].take(np.rint(numbers, out=numbers).astype(np.uint16), mode="clip")
    return chosen.view(np.ubyte).reshape(*values.shape, 4)


def _from_near_to_far(theme: Theme, fraction: Array) -> Array:
    """Colours (..., 3) from the strong one at 0 to that of the background at 1."""
    near, far = (np.array(channels(colour)) for colour in (theme.accent, theme.plot))
    return np.rint(near + (far - near) * fraction[..., None]).astype(np.ubyte)


def signed_colours(theme: Theme, values: Array) -> Array:
    """The colours (..., 3) of numbers from -1 to 1: blue below 0, orange above, and at 0 that of the background."""
    return _scale(theme, theme.plot)[np.rint((0.5 + 0.5 * values) * (STEPS - 1)).astype(np.intp)]


def end_colour(theme: Theme, fraction: float) -> str:
    """One colour of the scale as ``#rrggbb``."""
    return text(*value_colours(theme, np.array(fraction)).tolist())


@functools.lru_cache(maxsize=8)
def _scale(theme: Theme, between: str = "") -> Array:
    """The colours from low to high through the one ``between``, or else through a grey."""
    low, high = _oklab(theme.colour(0)), _oklab(theme.colour(1))
    grey = 0.5 * (_oklab(theme.muted) + _oklab(theme.plot)) * (1.0, 0.3, 0.3)
    middle = _oklab(between) if between else grey
    fraction = np.linspace(0.0, 1.0, STEPS)
    stops = np.array([low, middle, high])
    mixed = np.stack([np.interp(fraction, (0.0, 0.5, 1.0), stops[:, axis]) for axis in range(3)], axis=1)
    return _rgb(mixed)


def _oklab(colour: str) -> Array:
    parts = np.array(channels(colour)) / 255.0
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.asarray(_TO_LAB @ np.cbrt(_TO_CONES @ linear))


def _rgb(lab: Array) -> Array:
    cones = (lab @ np.linalg.inv(_TO_LAB).T) ** 3
    linear = np.clip(cones @ np.linalg.inv(_TO_CONES).T, 0.0, 1.0)
    parts = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(255.0 * parts).astype(np.ubyte)
