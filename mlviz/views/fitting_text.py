"""Words that fit into a given room: cut, or left out where hardly anything of them would be read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

FEWEST = 2
"""Letters that must be left of a word that is cut."""


def elided(
    words: str, metrics: QFontMetricsF, room: float, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> str:
    """The words, cut where they are longer than the room; nothing where only dots or a single letter would be left."""
    cut = metrics.elidedText(words, mode, room)
    return cut if cut == words or len(cut.strip("…")) >= FEWEST else ""
