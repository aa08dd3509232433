"""Generators of small grey pictures: rows of points with an image shape."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from algorithms.data import Array, Points
from algorithms.params import Between, Doc
from mlviz.data.generators.declare import Count, Noise, generator, labelled, shares

SIDE = 16
"""Pixels along a side of a mask."""
_EYES = ((-2.2, -3.7), (-2.2, 3.7))
_BRIDGE, _MOUTH = (-0.6, 0.0), (4.6, 0.0)  # pixels from the middle, down and across
LOOSE = 1.0
"""Pixels by which a mask may be off the middle: neighbouring windows of a scene see it as well."""
WAVES = 4
"""Waves that a background is made of."""
MISSES = 4
"""Kinds of background that are nearly a mask: upside down, light for dark, with one dark patch, or without the bar."""
VEIL = 0.25
"""How much of a background lies over every mask."""


@generator("Masks among backgrounds")
def masks(
    rng: np.random.Generator,
    n: Count = 2000,
    noise: Noise = 0.05,
    share: Annotated[float, Between(0.001, 0.999), Doc("Which share of the pictures is a mask.")] = 0.1,
    light: Annotated[float, Between(0, 1), Doc("How unequally the pictures are lit, from one side.")] = 0.5,
    near: Annotated[float, Between(0, 1), Doc("Which share of the backgrounds is nearly a mask.")] = 0.3,
) -> Points:
    """Small pictures, few of which are a mask: two dark patches, a bright bridge between them and a dark bar below."""
    labels = shares(n, (1.0 - share, share))
    backgrounds = int((labels == 0).sum())
    nearly = round(near * backgrounds)
    drawn = np.concatenate([_waves(rng, backgrounds - nearly), _misses(rng, nearly), _masks(rng, n - backgrounds)])
    lit = _lit(rng, drawn, light) + noise * rng.standard_normal(drawn.shape)
    points = labelled(rng, np.clip(lit, 0.0, 1.0).reshape(n, -1), labels, ("background", "mask"))
    return replace(points, image_shape=(SIDE, SIDE))


def _masks(rng: np.random.Generator, count: int, eyes: int = 2, mouth: bool = True) -> Array:
    """The pattern, around 0: moved and stretched a little, every part weaker or stronger, under a veil of waves."""
    picture = VEIL * _waves(rng, count)
    shift = rng.uniform(-LOOSE, LOOSE, (2, count, 1, 1))
    stretch = rng.uniform(0.88, 1.12, (2, count, 1, 1))
    down, across = (axis + 0.5 - SIDE / 2.0 for axis in np.mgrid[:SIDE, :SIDE])
    parts = [(_BRIDGE, (3.4, 1.4), 0.7), *((eye, (1.7, 2.4), -1.0) for eye in _EYES[:eyes])]
    for (row, column), (high, wide), strength in [*parts, *([(_MOUTH, (1.2, 3.4), -0.8)] if mouth else [])]:
        low, aside = rng.uniform(-0.3, 0.3, (2, count, 1, 1))
        sizes = rng.uniform(0.85, 1.15, (2, count, 1, 1))
        upright = (down - stretch[0] * row - shift[0] - low) / (high * sizes[0])
        level = (across - stretch[1] * column - shift[1] - aside) / (wide * sizes[1])
        patch = np.exp(-np.square(np.square(upright) + np.square(level)))  # flat inside and soft at the edge
        picture += strength * rng.uniform(0.65, 1.0, (count, 1, 1)) * patch
    return picture


def _misses(rng: np.random.Generator, count: int) -> Array:
    """Pictures that have something of a mask, but are none."""
    whole = _masks(rng, count)
    kinds = np.stack([whole[:, ::-1], -whole, _masks(rng, count, eyes=1), _masks(rng, count, mouth=False)])
    return np.asarray(kinds[np.arange(count) % MISSES, np.arange(count)])


def _waves(rng: np.random.Generator, count: int) -> Array:
    """Smooth patterns without a meaning, around 0: a few waves of any direction and length, some with hard edges."""
    down, across = np.mgrid[:SIDE, :SIDE] / SIDE
    picture = np.zeros((count, SIDE, SIDE))
    for _ in range(WAVES):
        angle, phase = rng.uniform(0.0, 2.0 * np.pi, (2, count, 1, 1))
        turns = rng.uniform(0.2, 2.5, (count, 1, 1))
        wave = np.cos(2.0 * np.pi * turns * (np.cos(angle) * across + np.sin(angle) * down) + phase)
        picture += rng.uniform(0.1, 0.5, (count, 1, 1)) * wave
    hard = rng.random((count, 1, 1)) < 0.25
    return np.where(hard, 0.5 * np.tanh(6.0 * picture), picture)


def _lit(rng: np.random.Generator, drawn: Array, light: float) -> Array:
    """The pictures as grey between 0 and 1, each with a contrast and a light from some side of its own."""
    count = len(drawn)
    contrast = rng.uniform(0.35, 0.6, (count, 1, 1))
    angle = rng.uniform(0.0, 2.0 * np.pi, (count, 1, 1))
    down, across = np.mgrid[:SIDE, :SIDE] / (SIDE - 1.0) - 0.5
    slope = light * rng.uniform(0.0, 0.6, (count, 1, 1)) * (np.cos(angle) * across + np.sin(angle) * down)
    return np.asarray(0.5 + light * rng.uniform(-0.2, 0.2, (count, 1, 1)) + slope + contrast * drawn)
