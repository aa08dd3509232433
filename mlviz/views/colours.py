"""Colours as texts (``#rrggbb``), as three channels of 0 to 255, and as numbers (``0xRRGGBB``). No Qt."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array

Channels = tuple[int, int, int]


def channels(colour: str) -> Channels:
    """Red, green and blue."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def text(red: int, green: int, blue: int) -> str:
    """The colour of three channels."""
    return f"#{red:02x}{green:02x}{blue:02x}"


def text_of(number: int) -> str:
    """The colour of a number, whatever else is held in its higher bits."""
    return f"#{number & 0xFFFFFF:06x}"


def number(colour: str) -> int:
    """The colour as a number."""
    return int(colour[1:], 16)


def numbers(rgb: Array) -> Array:
    """The colours of channels (..., 3), as numbers (...)."""
    red, green, blue = np.moveaxis(rgb.astype(np.int64), -1, 0)
    return np.asarray(red << 16 | green << 8 | blue)


def blend(first: str, second: str, amount: float) -> str:
    """The colour that lies ``amount`` of the way from ``first`` to ``second``."""
    return text(*(round(one + (other - one) * amount) for one, other in zip(channels(first), channels(second))))
