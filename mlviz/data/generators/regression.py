"""Generators of points with a real target: curves to fit."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import Array, Points
from algorithms.params import Between, Doc
from mlviz.data.generators.declare import Count, Noise, generator

Slope = Annotated[float, Between(-100, 100), Doc("How much y grows when x grows by one.")]
Intercept = Annotated[float, Between(-100, 100), Doc("The value of y at x = 0.")]


@generator("Line", target="values", group="regression")
def line(
    rng: np.random.Generator,
    n: Count = 100,
    noise: Noise = 1.0,
    slope: Slope = 1.0,
    intercept: Intercept = 0.0,
    outliers: Annotated[float, Between(0, 0.5), Doc("Which fraction of the points lies far above the line.")] = 0.0,
) -> Points:
    """A straight line: y = intercept + slope x."""
    x = rng.uniform(0, 10, n)
    y = intercept + slope * x + noise * rng.standard_normal(n)
    strays = round(outliers * n)
    y[:strays] += rng.uniform(10, 20, strays) * max(noise, 0.1)
    return _curve(x, y)


@generator("Polynomial", target="values", group="regression")
def polynomial(
    rng: np.random.Generator,
    n: Count = 100,
    noise: Noise = 0.1,
    degree: Annotated[int, Between(0, 12), Doc("Degree of the polynomial.")] = 3,
) -> Points:
    """The Chebyshev polynomial of the given degree, which swings between -1 and 1 for x from -1 to 1."""
    x = rng.uniform(-1, 1, n)
    y = np.polynomial.chebyshev.chebval(x, np.eye(degree + 1)[degree])
    return _curve(x, y + noise * rng.standard_normal(n))


@generator("Sine", target="values", group="regression")
def sine(
    rng: np.random.Generator,
    n: Count = 100,
    noise: Noise = 0.2,
    periods: Annotated[float, Between(0.1, 20), Doc("How many full waves for x from 0 to 1.")] = 1.0,
    amplitude: Annotated[float, Between(0, 100), Doc("Height of the wave.")] = 1.0,
) -> Points:
    """A sine wave: y = amplitude sin(2 pi periods x)."""
    x = rng.random(n)
    return _curve(x, amplitude * np.sin(2 * np.pi * periods * x) + noise * rng.standard_normal(n))


@generator("Steps", target="values", group="regression")
def step(
    rng: np.random.Generator,
    n: Count = 100,
    noise: Noise = 0.1,
    steps: Annotated[int, Between(0, 20), Doc("How many jumps for x from 0 to 1.")] = 1,
    height: Annotated[float, Between(-100, 100), Doc("Height of one jump.")] = 1.0,
) -> Points:
    """A staircase with sharp jumps, which smooth curves cannot follow."""
    x = rng.random(n)
    return _curve(x, height * np.floor(x * (steps + 1)) + noise * rng.standard_normal(n))


@generator("Growing noise", target="values", group="regression")
def heteroscedastic(
    rng: np.random.Generator,
    n: Count = 200,
    noise: Noise = 0.2,
    growth: Annotated[float, Between(0, 100), Doc("How much the noise grows, relative to x = 0, per unit of x.")] = 1.0,
    slope: Slope = 1.0,
    intercept: Intercept = 0.0,
) -> Points:
    """A straight line whose noise grows with x: its standard deviation is noise (1 + growth x)."""
    x = rng.uniform(0, 10, n)
    return _curve(x, intercept + slope * x + noise * (1 + growth * x) * rng.standard_normal(n))


@generator("Collinear features", target="values", group="regression")
def collinear(
    rng: np.random.Generator,
    n: Count = 100,
    noise: Noise = 0.5,
    correlation: Annotated[float, Between(-1, 1), Doc("Correlation between the two features.")] = 0.98,
    first: Annotated[float, Between(-100, 100), Doc("True coefficient of the first feature.")] = 1.0,
    second: Annotated[float, Between(-100, 100), Doc("True coefficient of the second feature.")] = 1.0,
) -> Points:
    """Two features that say nearly the same, so that their coefficients can hardly be told apart."""
    own = rng.standard_normal((n, 2))
    X = np.column_stack([own[:, 0], correlation * own[:, 0] + np.sqrt(1 - correlation**2) * own[:, 1]])
    return Points(X, X @ np.array([first, second]) + noise * rng.standard_normal(n))


def _curve(x: Array, y: Array) -> Points:
    return Points(x[:, None], y, features=("x",), target="y")
