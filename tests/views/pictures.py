"""Comparing a drawing with one that a person has looked at, region by region.

Fonts and anti-aliasing differ a little between machines, and a text moves by a few pixels. So two pictures are not
compared pixel by pixel but window by window: each window of 32 pixels has a mean colour and a contrast (the
standard deviation of its colours), and both must lie between the least and the greatest that the other picture has
nearby. A thin line, a number at an axis or a title that is missing takes the contrast out of the windows where it was,
however large the picture is; a title in another weight does not.
"""

from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtGui import QImage
from scipy.ndimage import maximum_filter, minimum_filter

BLOCK = 4
"""Windows move by so many pixels."""
WINDOW = 8
"""The side of a window, in blocks."""
NEARBY = 2
"""How far things may have moved, in blocks."""
LEVEL = 8.0
"""How far a mean colour or a contrast may be outside of what is nearby, of 255."""
MOST_LOST = 0.5
"""How far a file with few colours may be from the drawing."""
PART = 0.3
"""How far a contrast may be outside in addition, as a fraction of itself."""


def pixels(image: QImage) -> np.ndarray:
    """The colours (height, width, 3) of an image."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), dtype=np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : plain.width() * 3].reshape(plain.height(), plain.width(), 3).astype(float)


def read(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(float)


def write(picture: np.ndarray, path: Path) -> None:
    """A small file: 256 colours are enough to compare with, but for some pictures with soft shades."""
    image = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    few = image.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    lost = differences(picture, np.asarray(few.convert("RGB")).astype(float)).max()
    path.parent.mkdir(exist_ok=True)
    (image if lost > MOST_LOST else few).save(path, optimize=True)


def differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """For every window how far the pictures are apart there; more than 1 is too far."""
    if first.shape != second.shape:
        return np.full((1, 1), np.inf)
    worst = np.zeros(1)
    ours, theirs = _windows(first), _windows(second)
    for one, two in ((ours, theirs), (theirs, ours)):
        for name, part in (("mean", 0.0), ("contrast", PART)):
            size = (2 * NEARBY + 1, 2 * NEARBY + 1, 1)
            outside = np.maximum(
                minimum_filter(two[name], size) - one[name], one[name] - maximum_filter(two[name], size)
            )
            allowed = LEVEL + part * np.maximum(one[name], two[name])
            worst = np.maximum(worst, (outside / allowed).max(axis=2))
    return worst


SHARE = 0.015
"""The fraction of blocks up to which two drawings of the same test may count as the same."""


def difference(first: np.ndarray, second: np.ndarray) -> float:
    """The fraction of blocks that differ by more than 20 of 255; 1 for pictures of different sizes."""
    if first.shape != second.shape:
        return 1.0
    return float((np.abs(_blocks(first) - _blocks(second)).max(axis=2) > 20.0).mean())


def where(far: np.ndarray) -> str:
    """The window that is farthest off, in words."""
    if far.shape == (1, 1):
        return "they have different sizes"
    row, column = (int(k) * BLOCK for k in np.unravel_index(far.argmax(), far.shape))
    side = WINDOW * BLOCK
    return f"most of all between x = {column} and {column + side}, y = {row} and {row + side} ({far.max():.1f} times)"


def _blocks(picture: np.ndarray) -> np.ndarray:
    """The mean colour of every whole block; sums of every fourth row and column are quicker than a mean of means."""
    height, width = (side // BLOCK * BLOCK for side in picture.shape[:2])
    rows = sum(picture[start:height:BLOCK, :width] for start in range(BLOCK))
    return sum(rows[:, start::BLOCK] for start in range(BLOCK)) / BLOCK**2


def _windows(picture: np.ndarray) -> dict[str, np.ndarray]:
    """Mean colour and contrast of every window."""
    room = [(0, max(WINDOW * BLOCK - side, 0)) for side in picture.shape[:2]]
    whole = np.pad(picture, [*room, (0, 0)], mode="edge") if np.any(room) else picture
    mean, square = (_box(_blocks(power)) for power in (whole, np.square(whole)))
    return {"mean": mean, "contrast": np.sqrt(np.maximum(square - np.square(mean), 0.0))}


def _box(blocks: np.ndarray) -> np.ndarray:
    """The mean over every window of blocks."""
    sums = np.pad(blocks.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0), (0, 0)))
    w = WINDOW
    return (sums[w:, w:] - sums[:-w, w:] - sums[w:, :-w] + sums[:-w, :-w]) / w**2
