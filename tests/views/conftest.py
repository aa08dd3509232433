"""Approved pictures: a drawing is compared with one that a person has looked at.

To approve what is drawn now, look at the files in ``tests/views/diffs`` and run ``make approve KEY=...`` with a word of
the test's name, such as the key of a method.
"""

import functools
import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QFont, QFontDatabase, QImage

from tests.views.pictures import SHARE, difference, differences, pixels, read, where, write

__all__ = ["SHARE", "difference", "pixels"]  # for tests that compare two drawings of their own

HERE = Path(__file__).parent
APPROVED, DIFFS = HERE / "approved", HERE / "diffs"


@pytest.fixture(autouse=True)
def font_of_the_pictures(request):
    """The font of the approved pictures, without the adjustments that each machine makes in its own way."""
    if not {"qapp", "qtbot"} & set(request.fixturenames):
        yield
        return
    app = request.getfixturevalue("qapp")
    _find_font()
    usual = app.font()
    font = QFont("DejaVu Sans", usual.pointSize())
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    app.setFont(font)
    yield
    app.setFont(usual)


@functools.cache
def _find_font():
    """Where the machine has other fonts only, that of matplotlib is taken, which the tests have anyway."""
    if "DejaVu Sans" not in QFontDatabase.families():
        folder = Path(importlib.util.find_spec("matplotlib").origin).parent / "mpl-data" / "fonts" / "ttf"
        for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
            assert QFontDatabase.addApplicationFont(str(folder / name)) >= 0


@pytest.fixture
def picture_folders():
    """Where approved pictures are, and where those that differ are put."""
    return APPROVED, DIFFS


@pytest.fixture
def approved(picture_folders):
    """``approved(image, name)`` fails when the picture differs from the approved one, and saves both and the diff."""

    def check(image: QImage, name: str) -> None:
        wanted, got = (folder / f"{name}.png" for folder in picture_folders)
        drawn = pixels(image)
        far = differences(drawn, read(wanted)) if wanted.exists() else np.full((1, 1), np.inf)
        if far.max() > 1.0 and os.environ.get("MLVIZ_APPROVE"):
            write(drawn, wanted)
            print(f"approved {wanted}; look at it")
            return
        if far.max() > 1.0:
            write(drawn, got)
        assert wanted.exists(), f"{name} has never been approved; look at {got}"
        if far.max() > 1.0 and far.shape != (1, 1):
            write(np.abs(drawn - read(wanted)), got.with_stem(f"{name}-diff"))
        assert far.max() <= 1.0, f"{name} differs from the approved picture, {where(far)}; look at {got}"

    return check
