"""Generators of series from hidden chains; the true states are kept. References: Durbin et al. 1998; Rabiner 1989."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import Array, Sequences
from algorithms.params import Between, Doc, Log
from mlviz.data.generators.declare import MAX_POINTS, generator

Moments = Annotated[int, Between(1, MAX_POINTS), Log, Doc("How many moments each series has.")]
Several = Annotated[int, Between(1, 20), Doc("How many series.")]
Stay = Annotated[float, Between(0.0, 1.0), Doc("The probability that the state stays as it is from moment to moment.")]


@generator("Dishonest casino", group="sequences", kind="sequences", quick=50_000)
def casino(
    rng: np.random.Generator,
    n: Moments = 300,
    series: Several = 1,
    fair: Annotated[float, Between(0.0, 1.0), Doc("The probability that the fair die is thrown again.")] = 0.95,
    loaded: Annotated[float, Between(0.0, 1.0), Doc("The probability that the loaded die is thrown again.")] = 0.9,
    six: Annotated[float, Between(0.0, 1.0), Doc("The probability of a six with the loaded die.")] = 0.5,
) -> Sequences:
    """Throws of a die that is sometimes changed for a loaded one with many sixes: state 1 is fair, state 2 is not."""
    transition = np.array([[fair, 1.0 - fair], [1.0 - loaded, loaded]])
    table = np.array([[1.0 / 6.0] * 6, [(1.0 - six) / 5.0] * 5 + [six]])
    states = [_states(rng, n, np.array([0.5, 0.5]), transition) for _ in range(series)]
    return Sequences(tuple(_shown(rng, one, table) for one in states), tuple(states), tuple("123456"))


@generator("Weather and what a friend does", group="sequences", kind="sequences", quick=50_000)
def weather(rng: np.random.Generator, n: Moments = 60, series: Several = 1) -> Sequences:
    """Whether a friend walks, shops or cleans, day by day; behind it rain (state 1) and sunshine (state 2)."""
    transition = np.array([[0.7, 0.3], [0.4, 0.6]])
    table = np.array([[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]])
    states = [_states(rng, n, np.array([0.6, 0.4]), transition) for _ in range(series)]
    return Sequences(tuple(_shown(rng, one, table) for one in states), tuple(states), ("walk", "shop", "clean"))


@generator("Gaussian chain", group="sequences", kind="sequences", quick=50_000)
def gaussian_chain(
    rng: np.random.Generator,
    n: Moments = 200,
    noise: Annotated[float, Between(0.0, 10.0), Doc("Standard deviation of what is seen around its state.")] = 1.0,
    states: Annotated[int, Between(1, 8), Doc("How many states, three units apart.")] = 3,
    stay: Stay = 0.95,
    series: Several = 1,
    features: Annotated[int, Between(1, 4), Doc("How many numbers a moment has.")] = 1,
) -> Sequences:
    """Values around a level that jumps: a chain of equally likely states, each with its own mean."""
    transition = np.full((states, states), (1.0 - stay) / max(states - 1, 1))
    np.fill_diagonal(transition, stay if states > 1 else 1.0)
    turns = 2.0 * np.pi * np.arange(features)[None, :] / max(features, 2) / 2.0
    levels = 3.0 * np.arange(states)[:, None]
    means = levels * np.cos(turns) + 3.0 * (np.arange(states)[:, None] % 2) * np.sin(turns)
    paths = [_states(rng, n, np.full(states, 1.0 / states), transition) for _ in range(series)]
    shown = tuple(means[path] + noise * rng.standard_normal((n, features)) for path in paths)
    return Sequences(shown, tuple(paths))


def _states(rng: np.random.Generator, n: int, initial: Array, transition: Array) -> Array:
    """The states (n,) of a chain; the jumps of all states are drawn beforehand."""
    draws = rng.random(n)
    following = (draws[:, None, None] >= np.cumsum(transition, axis=1)[None, :, :-1]).sum(axis=2).tolist()
    path = [int((draws[0] >= np.cumsum(initial)[:-1]).sum())]
    for t in range(1, n):
        path.append(following[t][path[-1]])
    return np.array(path)


def _shown(rng: np.random.Generator, states: Array, table: Array) -> Array:
    """A symbol (n,) for each state, with the probabilities of the state's row."""
    return np.asarray((rng.random(len(states))[:, None] >= np.cumsum(table, axis=1)[states, :-1]).sum(axis=1))
