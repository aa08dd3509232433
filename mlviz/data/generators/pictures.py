"""Generators of grey pictures: small ones, each a point with an image shape, and a larger one, each row a point."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.params import Between, Doc
from mlviz.data.generators.declare import Count, Noise, generator, labelled, labels_by_weight

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
BLOCK = 256
"""Pictures that are drawn at a time."""
VEIL = 0.25
"""How much of a background lies over every mask."""


@generator("Some handwritten digits", quick=20_000)
def some_digits(rng: np.random.Generator, n: Count = 600, noise: Noise = 0.0) -> Points:
    """Some of the 1,797 handwritten digits, drawn at random; more than there are come again and again."""
    from mlviz.data.builtin import load_builtin  # it knows the generators

    digits: Points = load_builtin("digits")
    assert digits.y is not None
    chosen = np.resize(rng.permutation(digits.n), n)
    X = digits.X[chosen] + noise * rng.standard_normal((n, digits.d))
    points = labelled(rng, X, digits.y[chosen], digits.classes)
    return replace(points, features=digits.features, target=digits.target, image_shape=digits.image_shape)


@generator("Masks among backgrounds", quick=2_000)
def masks(
    rng: np.random.Generator,
    n: Count = 2000,
    noise: Noise = 0.05,
    fraction: Annotated[float, Between(0.001, 0.999), Doc("Which fraction of the pictures is a mask.")] = 0.1,
    light: Annotated[float, Between(0, 1), Doc("How unequally the pictures are lit, from one side.")] = 0.5,
    near: Annotated[float, Between(0, 1), Doc("Which fraction of the backgrounds is nearly a mask.")] = 0.3,
) -> Points:
    """Small pictures, few of which are a mask: two dark patches, a bright bridge between them and a dark bar below."""
    labels = labels_by_weight(n, (1.0 - fraction, fraction))
    backgrounds = int((labels == 0).sum())
    nearly = round(near * backgrounds)
    plain, many = backgrounds - nearly, n - backgrounds
    drawn = np.concatenate(
        [_waves(rng, plain, np.arange(plain)), _misses(rng, nearly), _masks(rng, many, np.arange(many))]
    )
    _light(rng, drawn, light)
    for few in _in_blocks(n):
        drawn[few] += noise * rng.standard_normal(drawn[few].shape)
    points = labelled(rng, np.clip(drawn, 0.0, 1.0, out=drawn).reshape(n, -1), labels, ("background", "mask"))
    return replace(points, image_shape=(SIDE, SIDE))


def _masks(rng: np.random.Generator, count: int, rows: Array, eyes: int = 2, mouth: bool = True) -> Array:
    """The pattern, around 0: moved and stretched a little, every part weaker or stronger, under a veil of waves.

    Of ``count`` pictures only these ``rows`` are drawn.
    """
    picture = VEIL * _waves(rng, count, rows)
    shift = rng.uniform(-LOOSE, LOOSE, (2, count, 1, 1))[:, rows]
    stretch = rng.uniform(0.88, 1.12, (2, count, 1, 1))[:, rows]
    down, across = (axis + 0.5 - SIDE / 2.0 for axis in np.mgrid[:SIDE, :SIDE])
    parts = [(_BRIDGE, (3.4, 1.4), 0.7), *((eye, (1.7, 2.4), -1.0) for eye in _EYES[:eyes])]
    for (row, column), (high, wide), strength in [*parts, *([(_MOUTH, (1.2, 3.4), -0.8)] if mouth else [])]:
        low, aside = rng.uniform(-0.3, 0.3, (2, count, 1, 1))[:, rows]
        sizes = rng.uniform(0.85, 1.15, (2, count, 1, 1))[:, rows]
        weight = strength * rng.uniform(0.65, 1.0, (count, 1, 1))[rows]
        upright = (down[:, :1] - stretch[0] * row - shift[0] - low) / (high * sizes[0])
        level = (across[:1] - stretch[1] * column - shift[1] - aside) / (wide * sizes[1])
        upright, level = np.square(upright), np.square(level)
        for few in _in_blocks(len(rows)):
            patch = np.exp(-np.square(upright[few] + level[few]))  # flat inside and soft at the edge
            picture[few] += weight[few] * patch
    return picture


def _misses(rng: np.random.Generator, count: int) -> Array:
    """Pictures that have something of a mask, but are none: of each kind every fourth is drawn."""
    found = np.empty((count, SIDE, SIDE))
    every = [np.arange(kind, count, MISSES) for kind in range(MISSES)]
    whole = np.concatenate(every[:2])
    drawn = _masks(rng, count, whole)
    found[every[0]], found[every[1]] = drawn[: len(every[0]), ::-1], -drawn[len(every[0]) :]
    found[every[2]] = _masks(rng, count, every[2], eyes=1)
    found[every[3]] = _masks(rng, count, every[3], mouth=False)
    return found


def _waves(rng: np.random.Generator, count: int, rows: Array) -> Array:
    """Smooth patterns without a meaning, around 0: a few waves of any direction and length, some with hard edges."""
    down, across = np.mgrid[:SIDE, :SIDE] / SIDE
    picture = np.zeros((len(rows), SIDE, SIDE))
    for _ in range(WAVES):
        angle, phase = rng.uniform(0.0, 2.0 * np.pi, (2, count, 1, 1))[:, rows]
        turns = 2.0 * np.pi * rng.uniform(0.2, 2.5, (count, 1, 1))[rows]
        strength = rng.uniform(0.1, 0.5, (count, 1, 1))[rows]
        level, upright = np.cos(angle) * across[:1], np.sin(angle) * down[:, :1]
        for few in _in_blocks(len(rows)):
            wave = turns[few] * (level[few] + upright[few])
            wave += phase[few]
            picture[few] += strength[few] * np.cos(wave, out=wave)
    hard = np.flatnonzero(rng.random(count)[rows] < 0.25)
    picture[hard] = 0.5 * np.tanh(6.0 * picture[hard])
    return picture


def _in_blocks(count: int) -> list[slice]:
    """Some pictures at a time: what is worked out for them stays in the cache of the processor."""
    return [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]


def _light(rng: np.random.Generator, drawn: Array, light: float) -> None:
    """Make the pictures grey between 0 and 1, each with a contrast and a light from some side of its own."""
    count = len(drawn)
    contrast = rng.uniform(0.35, 0.6, (count, 1, 1))
    angle = rng.uniform(0.0, 2.0 * np.pi, (count, 1, 1))
    down, across = np.mgrid[:SIDE, :SIDE] / (SIDE - 1.0) - 0.5
    steepness = light * rng.uniform(0.0, 0.6, (count, 1, 1))
    brightness = 0.5 + light * rng.uniform(-0.2, 0.2, (count, 1, 1))
    level, upright = np.cos(angle) * across[:1], np.sin(angle) * down[:, :1]
    for few in _in_blocks(count):
        slope = steepness[few] * (level[few] + upright[few])
        drawn[few] = brightness[few] + slope + contrast[few] * drawn[few]


@generator("A picture, row by row", target="none", group="tables", quick=256)
def picture(
    rng: np.random.Generator,
    n: Annotated[int, Between(1, 512), Doc("How many rows of pixels.")] = 96,
    noise: Noise = 0.02,
    pattern: Annotated[
        Literal["harbour", "chessboard", "stripes", "waves", "disc", "diagonal"],
        Doc("What is to be seen: some are few layers of columns times rows, some are many."),
    ] = "harbour",
    width: Annotated[int, Between(1, 512), Doc("How many columns of pixels.")] = 128,
) -> Points:
    """A grey picture as a matrix: each point is a row of pixels, from black, 0, to white, 1."""
    down, across = np.meshgrid((np.arange(n) + 0.5) / n, (np.arange(width) + 0.5) / width, indexing="ij")
    grey = PATTERNS[pattern](rng, down, across)
    if noise > 0.0:
        grey = np.clip(grey + noise * rng.standard_normal(grey.shape), 0.0, 1.0)
    return grey_rows(grey)


def grey_rows(grey: Array) -> Points:
    """A picture (height, width) from 0 to 1 as a matrix: each row of pixels is a point."""
    return Points(grey, features=_columns(grey.shape[1]))


def is_grey_rows(points: Points) -> bool:
    """Whether points are the rows of a picture, as they were made above, or edited since."""
    inside = points.y is None and points.n > 0 and points.X.min() >= 0.0 and points.X.max() <= 1.0
    return bool(inside and points.features == _columns(points.d))


def _columns(width: int) -> tuple[str, ...]:
    return tuple(f"column {j + 1}" for j in range(width))


def _harbour(rng: np.random.Generator, down: Array, across: Array) -> Array:
    """Hills behind a harbour at dusk, with a low sun, houses on the quay, a boat, and all of it again in the water."""
    shore = 0.66
    mirrored = np.where(down <= shore, down, 2.0 * shore - down + 0.02 * np.sin(90.0 * down))
    grey = 0.9 - 0.35 * mirrored / shore  # the sky
    sun = np.hypot(1.3 * (across - 0.72), mirrored - 0.30)
    grey = np.where(sun < 0.1, 1.0, grey + 0.25 * np.exp(-np.square(sun / 0.16)) * (sun >= 0.1))
    for height, shade in ((0.36, 0.5), (0.48, 0.36)):
        phases = rng.uniform(0.0, 2.0 * np.pi, 4)
        waves = sum(np.sin((3.0 * k + 2.5) * across + phases[k]) / (k + 1.6) for k in range(4))
        grey = np.where(mirrored > height + 0.07 * waves, shade, grey)
    for left in np.linspace(0.03, 0.86, 9)[rng.permutation(9)[:6]]:
        wide, high = rng.uniform(0.05, 0.1), rng.uniform(0.09, 0.26)
        inside = (across > left) & (across < left + wide) & (mirrored > shore - high)
        grey = np.where(inside, rng.uniform(0.1, 0.3), grey)
        lit = ((across - left) / wide * 3.0) % 1.0, ((mirrored - shore + high) / 0.05) % 1.0
        grey = np.where(inside & (lit[0] > 0.35) & (lit[0] < 0.75) & (lit[1] > 0.3) & (lit[1] < 0.8), 0.85, grey)
    grey = np.where(down > shore, 0.12 + 0.6 * grey + 0.05 * np.sin(140.0 * down), grey)
    hull = (down > 0.76) & (down < 0.83) & (np.abs(across - 0.35) < 0.13 - 0.9 * (down - 0.76))
    sail = (down > 0.47) & (down < 0.75) & (across > 0.35) & (across - 0.35 < 0.38 * (down - 0.47))
    mast = (down > 0.45) & (down < 0.77) & (np.abs(across - 0.347) < 0.006)
    return np.clip(np.where(hull | mast, 0.03, np.where(sail, 0.97, grey)), 0.0, 1.0)


def _chessboard(rng: np.random.Generator, down: Array, across: Array) -> Array:
    return np.asarray((np.floor(8.0 * down) + np.floor(8.0 * across)) % 2.0)


def _stripes(rng: np.random.Generator, down: Array, across: Array) -> Array:
    return np.asarray((0.3 + 0.7 * down) * (0.5 + 0.5 * np.sign(np.sin(36.0 * across))))


def _soft_waves(rng: np.random.Generator, down: Array, across: Array) -> Array:
    level = 0.24 * np.sin(7.0 * down) * np.cos(9.0 * across)
    return np.asarray(0.5 + level + 0.24 * np.cos(15.0 * across + 5.0 * down))


def _disc(rng: np.random.Generator, down: Array, across: Array) -> Array:
    return np.where(np.hypot(down - 0.5, across - 0.5) < 0.35, 0.9, 0.1)


def _diagonal(rng: np.random.Generator, down: Array, across: Array) -> Array:
    return np.where(np.abs(down - across) < 0.04, 1.0, 0.15)


PATTERNS = {
    "harbour": _harbour,
    "chessboard": _chessboard,
    "stripes": _stripes,
    "waves": _soft_waves,
    "disc": _disc,
    "diagonal": _diagonal,
}
