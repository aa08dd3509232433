"""Colours, shapes and sizes: the one place where the look of the laboratory is decided.

Classes differ by colour *and* shape. The colours are Okabe and Ito's, which stay apart for every common kind of colour
blindness; the dark theme lightens those that would sink into the background.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from algorithms.records import dataclass
from mlviz.views.colours import blend

SHAPES = ("o", "s", "t1", "d", "star", "p", "t", "h", "+", "x")
"""pyqtgraph's symbol names, in the order of the classes."""

SPACING = 8
"""The unit of all margins and gaps, in logical pixels."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One look. Colours are ``#rrggbb``; sizes are logical pixels or points."""

    name: Literal["light", "dark"]
    window: str
    surface: str
    plot: str
    text: str
    muted: str
    border: str
    grid: str
    accent: str
    on_accent: str
    warning: str
    danger: str
    line: str
    classes: tuple[str, ...]
    font: float = 10.0
    point: float = 9.0
    stroke: float = 2.0
    least: float = 0.0

    def colour(self, group: int) -> str:
        """The colour of a class or cluster; grey for none (-1)."""
        return self.muted if group < 0 else self.classes[group % len(self.classes)]

    def shape(self, group: int) -> str:
        """The symbol of a class."""
        return SHAPES[group % len(SHAPES)] if group >= 0 else "o"

    def letters(self, factor: float) -> float:
        """The size of letters this much smaller or larger than usual, in points; those in the last row can read it."""
        return max(self.font * factor, self.least)

    def faint(self, colour: str, fraction: float) -> str:
        """A colour mixed into the background. A translucent pen looks the same there, but takes ten times as long."""
        return blend(self.plot, colour, fraction)

    def with_classes(self, colours: tuple[str, ...]) -> Theme:
        """The same look with the user's colours for some classes; empty ones leave the theme's."""
        if not any(colours):
            return self
        count = max(len(colours), len(self.classes))
        own = (*colours, *[""] * (count - len(colours)))
        return replace(self, classes=tuple(own[c] or self.colour(c) for c in range(count)))

    def presenting(self) -> Theme:
        """The same look for a projector: fonts of at least 20 points, thick lines, large points."""
        return replace(self, font=20.0, point=15.0, stroke=4.0, least=20.0)


LIGHT = Theme(
    name="light",
    window="#f4f5f7",
    surface="#ffffff",
    plot="#ffffff",
    text="#1c2126",
    muted="#5f6b76",
    border="#d5dae0",
    grid="#e6e9ed",
    accent="#0b63b0",
    on_accent="#ffffff",
    warning="#9a5b00",
    danger="#b3261e",
    line="#14181c",
    classes=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#6b7785"),
)

DARK = Theme(
    name="dark",
    window="#16191d",
    surface="#1e2227",
    plot="#191c20",
    text="#e8ebee",
    muted="#9aa5b1",
    border="#343a41",
    grid="#2a2f35",
    accent="#5aa9f0",
    on_accent="#0d1115",
    warning="#f2b24c",
    danger="#ff8a80",
    line="#f5f7fa",
    classes=("#4aa8e0", "#ff8340", "#2cc79b", "#e59ac4", "#f0b429", "#8fd0f5", "#cbb26a", "#a7b2bd"),
)

THEMES = {"light": LIGHT, "dark": DARK}
