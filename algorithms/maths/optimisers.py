"""Rules that turn a gradient into a step: SGD, momentum, Nesterov, Adagrad, RMSprop and Adam.

Each rule is a frozen value with three pure functions. ``init(shape)`` gives the memory before the first step;
``update(state, gradient, rate)`` gives the memory after it and the *step*, which is subtracted: θ ← θ - step.
``look_ahead(state, theta)`` says where the gradient is to be taken; that is θ itself for all but Nesterov's rule.

    SGD        step = η g
    momentum   v ← β v + η g;                                     step = v
    Nesterov   g taken at θ - β v;  v ← β v + η g;                step = v
    Adagrad    G ← G + g²;                                        step = η g / (√G + ε)
    RMSprop    E ← ρ E + (1-ρ) g²;                                step = η g / (√E + ε)
    Adam       m ← β₁ m + (1-β₁) g;  s ← β₂ s + (1-β₂) g²;        step = η m̂ / (√ŝ + ε)
               with m̂ = m / (1-β₁ᵗ) and ŝ = s / (1-β₂ᵗ) in the t-th step

The rate is given with every update, so it can be changed at any time without losing the memory. Two places where the
notes are not followed: they print Adam's corrections without the power t, which makes the first steps almost twice as
long as they should be (η 1, 1.34, 1.57, ... for a constant gradient); and they put ε inside the root, where it is an
error in the scale of g². Here ε stands outside, as in the paper on Adam and in PyTorch and Keras.

Reference: Methods for Data Science §8.5; Kingma and Ba, "Adam" (2015), Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from algorithms.data import Array

EPSILON: Final = 1e-8
"""What is added to the root, so that a gradient that has always been 0 divides by something."""


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What a rule remembers. A rule leaves at 0 what it does not need."""

    steps: int  # how many updates there have been
    mean: Array  # v or m: where the parameters have been heading
    squares: Array  # G, E or s: how large the gradient has been, squared


class Optimiser(Protocol):
    """What a rule can do."""

    def init(self, shape: int | tuple[int, ...]) -> Memory:
        """The memory before the first step, for parameters of this shape."""

    def look_ahead(self, state: Memory, theta: Array) -> Array:
        """Where the next gradient is to be taken."""

    def update(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        """The memory after this gradient, and the step to subtract. What overflows becomes infinite, silently."""


class _Rule:
    """What the rules have in common; each says in ``_step`` what is its own."""

    __slots__ = ()

    def init(self, shape: int | tuple[int, ...]) -> Memory:
        return Memory(0, np.zeros(shape), np.zeros(shape))

    def look_ahead(self, state: Memory, theta: Array) -> Array:
        return theta

    def update(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        # A run that diverges is for the caller to notice and to say; it must not end in a NumPy warning.
        with np.errstate(over="ignore", invalid="ignore"):
            return self._step(state, gradient, rate)

    def _step(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class SGD(_Rule):
    """Straight down the gradient."""

    def _step(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        return Memory(state.steps + 1, state.mean, state.squares), rate * gradient


@dataclass(frozen=True, slots=True)
class Momentum(_Rule):
    """A heavy ball: the step is a decaying sum of all gradients so far."""

    beta: float = 0.9

    def _step(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        velocity = self.beta * state.mean + rate * gradient
        return Memory(state.steps + 1, velocity, state.squares), velocity


@dataclass(frozen=True, slots=True)
class Nesterov(Momentum):
    """A heavy ball that looks where it is about to roll before it is pushed."""

    def look_ahead(self, state: Memory, theta: Array) -> Array:
        return theta - self.beta * state.mean


@dataclass(frozen=True, slots=True)
class Adagrad(_Rule):
    """A rate of its own for every parameter, which only ever falls."""

    epsilon: float = EPSILON

    def _step(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        squares = state.squares + gradient * gradient
        return Memory(state.steps + 1, state.mean, squares), rate * gradient / (np.sqrt(squares) + self.epsilon)


@dataclass(frozen=True, slots=True)
class RMSprop(_Rule):
    """Adagrad that forgets: the squares are a running mean."""

    rho: float = 0.9
    epsilon: float = EPSILON

    def _step(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        squares = self.rho * state.squares + (1.0 - self.rho) * (gradient * gradient)
        return Memory(state.steps + 1, state.mean, squares), rate * gradient / (np.sqrt(squares) + self.epsilon)


@dataclass(frozen=True, slots=True)
class Adam(_Rule):
    """Momentum and RMSprop together, both corrected for having begun at 0."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = EPSILON

    def _step(self, state: Memory, gradient: Array, rate: float) -> tuple[Memory, Array]:
        steps = state.steps + 1
        mean = self.beta1 * state.mean + (1.0 - self.beta1) * gradient
        squares = self.beta2 * state.squares + (1.0 - self.beta2) * (gradient * gradient)
        height = np.sqrt(squares / (1.0 - self.beta2**steps)) + self.epsilon
        return Memory(steps, mean, squares), (rate / (1.0 - self.beta1**steps)) * mean / height


OPTIMISERS: Final[dict[str, type[Any]]] = {
    "sgd": SGD,
    "momentum": Momentum,
    "nesterov": Nesterov,
    "adagrad": Adagrad,
    "rmsprop": RMSprop,
    "adam": Adam,
}
"""The rules by the names that parameters use; each is made without arguments or with its own constants."""
