"""How data points look outside the plane: the same shape and colour as in it, or a colour for a value of their own."""

from __future__ import annotations

import functools

import numpy as np

from algorithms.data import Array
from mlviz.views.colours import blend, number, numbers, text_of
from mlviz.views.legend_rows import Row
from mlviz.views.scale import end_colour, value_colours
from mlviz.views.scene import Scene
from mlviz.views.sprites import Sprite
from mlviz.views.theme import Theme


def codes_of(scene: Scene, points: Array | None, values: Array | None, count: int, grey: bool = False) -> Array:
    """The look of each row as a number: its shape (the class) and 0xRRGGBB. ``points`` says which data point it is."""
    if grey:
        return np.array(number(scene.theme.muted))
    rows = np.arange(count) if points is None else points
    if values is None:
        fills = scene.class_fills()[rows]
    else:
        low, high = float(values.min()), float(values.max())
        fraction = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
        fills = numbers(value_colours(scene.theme, fraction))
    return (scene.shapes[rows].astype(np.int64) << 24) | fills.astype(np.int64)


@functools.lru_cache(maxsize=4096)
def sprite_of(theme: Theme, code: int, size: float, fog: float = 0.0) -> Sprite:
    """The sprite of a look, at a fraction of the usual size, faded into the background by ``fog``."""
    shape = theme.shape(code >> 24)
    even = {"star": 1.35, "d": 1.2, "t1": 1.1, "t": 1.1}.get(shape, 1.0)  # these look smaller than they are
    fill = blend(text_of(code), theme.plot, fog)
    return Sprite(shape, theme.point * even * size, fill, theme.plot, theme.stroke / 2)


def value_rows(scene: Scene, values: Array | None, name: str) -> tuple[Row, ...]:
    """What the colours mean: the ends of a scale of values, or the classes."""
    theme, data = scene.theme, scene.data
    if values is None and scene.is_valued and scene.points.d > 1:
        values, name = scene.points.y, scene.points.target
    if values is None:
        looks = [Sprite(theme.shape(c), theme.point, theme.colour(c), theme.plot) for c in range(len(data.classes))]
        return tuple(Row(label, sprite=look) for label, look in zip(data.classes, looks))
    ends = ((float(values.max()), 1.0), (float(values.min()), 0.0))
    return tuple(
        Row(f"{name} = {end:.3g}", sprite=Sprite("o", theme.point, end_colour(theme, fraction), theme.plot))
        for end, fraction in ends
    )


def weight_styles(theme: Theme, weights: Array) -> list[tuple[str, float, Array]]:
    """Colour, width and choice (m,) of lines with weights: a few widths, so that a few pens are enough."""
    size = np.abs(weights) / max(float(np.abs(weights).max(initial=0.0)), 1e-300)
    return [
        (colour, theme.stroke * width, (size >= low) & (size < high) & ((weights < 0.0) == negative))
        for negative, colour in ((True, theme.danger), (False, theme.line))
        for low, high, width in ((0.0, 0.2, 0.5), (0.2, 0.5, 1.0), (0.5, 2.0, 2.0))
    ]


def weight_rows(theme: Theme, weights: Array, name: str) -> tuple[Row, ...]:
    """What the lines with weights mean: the largest one, and those below zero where there are any."""
    rows = [Row(f"{name}: up to {float(weights.max()):.2g}", line=theme.line, width=theme.stroke * 2.0)]
    if (weights < 0.0).any():
        rows.append(Row(f"below 0: down to {float(weights.min()):.2g}", line=theme.danger, width=theme.stroke))
    return tuple(rows)
