"""Approved pictures: a drawing is compared with one that a person has looked at.

To approve what is drawn now, look at the files in ``tests/views/diffs`` and run the tests with ``MLVIZ_APPROVE=1``.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

HERE = Path(__file__).parent
APPROVED, DIFFS = HERE / "approved", HERE / "diffs"
BLOCK = 4
"""Pictures are compared after averaging blocks of this many pixels: fonts and anti-aliasing differ between machines."""
LEVEL = 20.0
"""A block differs when a channel is off by more than this, of 255."""
SHARE = 0.015
"""How many blocks may differ."""


def pixels(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), dtype=np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : plain.width() * 3].reshape(plain.height(), plain.width(), 3).astype(float)


def difference(first: np.ndarray, second: np.ndarray) -> float:
    """The share of blocks that differ; 1 for pictures of different sizes."""
    if first.shape != second.shape:
        return 1.0
    return float((np.abs(blocks(first) - blocks(second)).max(axis=2) > LEVEL).mean())


def blocks(picture: np.ndarray) -> np.ndarray:
    height, width = (side // BLOCK * BLOCK for side in picture.shape[:2])
    cut = picture[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3)
    return cut.mean(axis=(1, 3))


@pytest.fixture
def approved():
    """``approved(image, name)`` fails when the picture differs from the approved one, and saves both and the diff."""

    def check(image: QImage, name: str) -> None:
        wanted = APPROVED / f"{name}.png"
        if os.environ.get("MLVIZ_APPROVE") and not (wanted.exists() and _same(image, wanted)):
            APPROVED.mkdir(exist_ok=True)
            assert image.save(str(wanted))
        DIFFS.mkdir(exist_ok=True)
        got = DIFFS / f"{name}.png"
        assert wanted.exists() or not image.save(str(got)), f"{name} has never been approved; look at {got}"
        reference = pixels(QImage(str(wanted)))
        found = difference(pixels(image), reference)
        if found > SHARE:
            image.save(str(got))
            if reference.shape == pixels(image).shape:
                _save(np.abs(pixels(image) - reference), DIFFS / f"{name}-diff.png")
        assert found <= SHARE, f"{found:.1%} of {name} differs from the approved picture; look at {got}"

    return check


def _same(image: QImage, wanted: Path) -> bool:
    return difference(pixels(image), pixels(QImage(str(wanted)))) <= SHARE


def _save(picture: np.ndarray, path: Path) -> None:
    data = np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))
    QImage(data.data, data.shape[1], data.shape[0], 3 * data.shape[1], QImage.Format.Format_RGB888).copy().save(
        str(path)
    )
