"""Sizes of pictures by where they are to be seen: on a screen, on a slide, in the column of a paper. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlviz.views.theme import Theme


@dataclass(frozen=True, slots=True)
class Preset:
    """A purpose with its size (logical pixels), pixels for each of them in a PNG, and sizes of fonts and lines."""

    key: str
    title: str
    size: tuple[int, int]
    scale: float
    font: float
    point: float
    stroke: float
    words: bool = True

    def styled(self, theme: Theme) -> Theme:
        """The theme in the sizes of this purpose."""
        return replace(theme, font=self.font, point=self.point, stroke=self.stroke)


SCREEN = Preset("screen", "Screen", (1200, 800), 1.0, font=10.0, point=9.0, stroke=2.0)
SLIDE = Preset("slide", "Slide (16:9)", (1280, 720), 1.5, font=14.0, point=12.0, stroke=3.0)
COLUMN = Preset("column", "Paper column (85 mm)", (321, 260), 6.25, font=7.0, point=4.5, stroke=1.1, words=False)
HANDOUT = Preset("handout", "Handout", (600, 450), 2.0, font=10.0, point=8.0, stroke=1.25)
"""Laid out in this size and then made smaller; lines keep their width, so they are thin to begin with."""
THUMBNAIL = Preset("thumbnail", "Thumbnail", (320, 200), 2.0, font=6.0, point=5.0, stroke=1.3, words=False)
PRESETS = {preset.key: preset for preset in (SCREEN, SLIDE, COLUMN)}
