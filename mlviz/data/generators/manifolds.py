"""Generators of curved sheets and curves in space. Their target is the position along the manifold."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import Array, Points
from algorithms.params import Between, Doc
from mlviz.data.generators.declare import Count, Noise, generator


@generator("Swiss roll", target="values", group="manifolds")
def swiss_roll(
    rng: np.random.Generator,
    n: Count = 1000,
    noise: Noise = 0.0,
    turns: Annotated[float, Between(0.25, 5), Doc("How often the sheet is rolled up.")] = 1.5,
    width: Annotated[float, Between(0, 100), Doc("Width of the sheet.")] = 20.0,
) -> Points:
    """A rolled-up sheet: near in space is not near along the sheet."""
    angle = 2 * np.pi * (0.75 + turns * rng.random(n))
    X = np.column_stack([angle * np.cos(angle), width * rng.random(n), angle * np.sin(angle)])
    return _manifold(rng, X, noise, angle, "angle")


@generator("S-curve", target="values", group="manifolds")
def s_curve(
    rng: np.random.Generator,
    n: Count = 1000,
    noise: Noise = 0.0,
    width: Annotated[float, Between(0, 20), Doc("Width of the sheet.")] = 2.0,
) -> Points:
    """A sheet bent into the letter S."""
    angle = 3 * np.pi * (rng.random(n) - 0.5)
    X = np.column_stack([np.sin(angle), width * rng.random(n), np.sign(angle) * (np.cos(angle) - 1)])
    return _manifold(rng, X, noise, angle, "angle")


@generator("Helix", target="values", group="manifolds")
def helix(
    rng: np.random.Generator,
    n: Count = 500,
    noise: Noise = 0.0,
    turns: Annotated[float, Between(0.25, 20), Doc("How many turns.")] = 3.0,
    pitch: Annotated[float, Between(0, 10), Doc("How much it rises in one turn; the radius is 1.")] = 1.0,
) -> Points:
    """A wire wound into a screw: one dimension that fills three."""
    turn = turns * rng.random(n)
    X = np.column_stack([np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn), pitch * turn])
    return _manifold(rng, X, noise, turn, "turn")


@generator("Cylinder", target="values", group="manifolds")
def cylinder(
    rng: np.random.Generator,
    n: Count = 1000,
    noise: Noise = 0.0,
    height: Annotated[float, Between(0, 100), Doc("Height; the radius is 1.")] = 3.0,
) -> Points:
    """The side of a tin, which no flat map can show without a cut."""
    angle = 2 * np.pi * rng.random(n)
    X = np.column_stack([np.cos(angle), np.sin(angle), height * rng.random(n)])
    return _manifold(rng, X, noise, angle, "angle")


def _manifold(rng: np.random.Generator, X: Array, noise: float, position: Array, target: str) -> Points:
    return Points(X + noise * rng.standard_normal(X.shape), position, target=target)
