"""The next step of each method, planned from where its walker stands and what that remembers.

    fixed step               θ ← θ - η g
    exact line search        θ ← θ - η g, η where f is least along the line (on a quadratic η = gᵀg / gᵀHg)
    Armijo backtracking      θ ← θ - η g, η halved until f(θ - η g) ≤ f(θ) - c η |g|²
    momentum, Nesterov, Adagrad, RMSprop, Adam, SGD: the rules of :mod:`algorithms.maths.optimisers`
    conjugate gradient       p ← -g + β p, β = max(0, g·(g - g₋) / g₋·g₋) (Polak, Ribière), η by exact line search
    Newton                   θ ← θ - H⁻¹ g: to the lowest (or only level) place of the local quadratic
    damped Newton            p = -|H|⁻¹ g with the negative curvatures turned over, η by backtracking from 1

A plan holds the parts of the step, so that a picture can show the step before it is made. How far to go along a
direction p is looked for in two ways:

    exact search     the first η > 0 with (d/dη) f(θ + η p) = 0;  on a quadratic η = -gᵀp / pᵀHp
    backtracking     η, η/2, η/4 ... until f(θ + η p) ≤ f(θ) + c η gᵀp  (Armijo)

Reference: Methods for Data Science §2.4; Boyd and Vandenberghe, Convex Optimization, section 9.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.maths.optimisers import SGD, Adagrad, Adam, Memory, Momentum, Nesterov, Optimiser, RMSprop
from algorithms.optimisation.gradient_descent.solver.losses import Loss
from algorithms.optimisation.gradient_descent.solver.surfaces import Surface

FLAT = 1e-12
"""A curvature this small beside the other one counts as none."""
RHO, BETA2 = 0.9, 0.999
"""How much of the squares is usually remembered, in RMSprop and in Adam."""
ARMIJO = 1e-4
"""The fraction of the promised fall that a step must bring."""
SMALLEST_LENGTH = 1e-20
"""Backtracking that has halved down to this has met rounding, not a slope."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The knobs of all methods, as they are for the next step."""

    rate: float = 0.1
    momentum: float = 0.9
    rho: float = RHO
    beta2: float = BETA2
    batch: int = 10


@dataclass(frozen=True, slots=True, eq=False)
class Walker:
    """One method on its way: where it is and everything it remembers."""

    method: str
    at: Array  # (2,)
    memory: Memory
    direction: Array  # (2,) of the last step; the conjugate gradient reads it
    before: Array  # (2,) the gradient there
    length: float = 0.5  # of the last accepted step along its direction; backtracking begins at twice this
    order: Array | None = None  # (n,) the data points in the order of this epoch
    used: int = 0  # how many of them have been looked at
    status: Literal["walking", "converged", "diverged", "endless"] = "walking"
    slope: Array | None = None  # (2,) the gradient where it stands, once somebody has asked
    height: float | None = None  # f there

    @classmethod
    def begin(cls, method: str, at: Array) -> Walker:
        """A walker that remembers nothing yet."""
        return cls(method, at, Memory(0, np.zeros(2), np.zeros(2)), np.zeros(2), np.zeros(2))


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One ingredient of a step, as an arrow; the step itself comes last."""

    role: Literal["force", "memory", "step"]
    name: str
    vector: Array  # (2,)
    offset: Array | None = None  # (2,) where it begins, seen from the walker


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The next step of a walker."""

    after: Walker  # the walker when it has made the step
    move: Array  # (2,)
    rates: Array  # (2,) what each component of the gradient is multiplied by, as far as that can be said
    parts: tuple[Part, ...] = ()
    direction: Array | None = None  # (2,) along which lengths were tried
    trials: tuple[float, ...] = ()  # the lengths that were tried, the accepted one last
    batch: Array | None = None  # (b,) the data points that were looked at
    remark: str = ""

    @property
    def rate(self) -> float:
        """One number for the rates: their geometric mean."""
        first, second = self.rates.tolist()
        return math.sqrt(abs(first * second))


def slope_at(surface: Surface, walker: Walker) -> Array:
    """The gradient (2,) where the walker stands; a mean over all data points is not taken twice."""
    return surface.slope(walker.at[None])[0] if walker.slope is None else walker.slope


def plan(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    """What the walker is going to do next."""
    with np.errstate(over="ignore", invalid="ignore"):  # a step that overflows is noticed when it has been made
        return _PLANS[walker.method](surface, walker, settings, rng)


# --- steps by a rule ------------------------------------------------------------------------------------------------


def _by_rule(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    rule, memory = _rule(walker.method, settings), walker.memory
    ahead = rule.look_ahead(memory, walker.at)
    gradient = surface.slope(ahead[None])[0]
    after, step = rule.update(memory, gradient, settings.rate)
    parts = (*_ingredients(walker, gradient, -step, settings), Part("step", "next step", -step))
    walked = replace(
        walker, slope=None, height=None, at=walker.at - step, memory=after, direction=-step, before=gradient
    )
    return Plan(walked, -step, _rates(walker.method, after, settings), parts)


def _ingredients(walker: Walker, gradient: Array, move: Array, settings: Settings) -> tuple[Part, ...]:
    """What the step is made of: with momentum two arrows that add up to it, else the direction it is bent from."""
    if walker.method in ("momentum", "Nesterov"):
        carried, there = -settings.momentum * walker.memory.mean, walker.method == "Nesterov"
        memory = Part("memory", "look ahead" if there else "kept from the last step", carried)
        pull = "-η gradient there" if there else "-η gradient"
        return memory, Part("force", pull, -settings.rate * gradient, carried)
    if walker.method == "fixed step":
        return ()
    return (_downhill(gradient, move),)


def _downhill(gradient: Array, move: Array) -> Part:
    """The direction of steepest descent, as long as the step for comparison."""
    size = math.hypot(*gradient.tolist())
    return Part("force", "steepest descent", -gradient * (math.hypot(*move.tolist()) / size if size > 0 else 0.0))


def _rule(method: str, settings: Settings) -> Optimiser:
    rules: dict[str, Optimiser] = {
        "fixed step": SGD(),
        "momentum": Momentum(settings.momentum),
        "Nesterov": Nesterov(settings.momentum),
        "Adagrad": Adagrad(),
        "RMSprop": RMSprop(settings.rho),
        "Adam": Adam(settings.momentum, settings.beta2),
    }
    return rules[method]


def _rates(method: str, memory: Memory, settings: Settings) -> Array:
    """The learning rate of each parameter on its own: what the adaptive rules are about."""
    squares = memory.squares
    if method == "Adam":
        squares = squares / (1.0 - settings.beta2**memory.steps)
    if method in ("Adagrad", "RMSprop", "Adam"):
        return settings.rate / (np.sqrt(squares) + 1e-8)
    return np.full(2, settings.rate)


def _stochastic(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    """One step on a batch. Batches share out the data without repetition; then the next epoch begins."""
    rows: Array | None = None
    if isinstance(surface, Loss):
        walker, rows = next_batch(walker, surface.samples, settings.batch, rng)
        gradient = surface.slopes(walker.at, rows).mean(axis=0)
    else:
        gradient = surface.noisy_slope(walker.at, settings.batch, rng)
    memory, step = SGD().update(walker.memory, gradient, settings.rate)
    whole = -settings.rate * slope_at(surface, walker)
    parts = (Part("force", "step without noise", whole), Part("step", "next step", -step))
    after = replace(walker, slope=None, height=None, at=walker.at - step, memory=memory)
    return Plan(after, -step, np.full(2, settings.rate), parts, batch=rows)


def next_batch(walker: Walker, n: int, size: int, rng: np.random.Generator) -> tuple[Walker, Array]:
    """The next data points of this epoch, the last batch of which may be smaller; a new order when all are used."""
    if walker.order is None or len(walker.order) != n or walker.used >= n:
        walker = replace(walker, order=rng.permutation(n), used=0)
    assert walker.order is not None
    rows = walker.order[walker.used : walker.used + size]
    return replace(walker, used=walker.used + len(rows)), rows


# --- steps by a search along a line ---------------------------------------------------------------------------------


def _exact(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    gradient = slope_at(surface, walker)
    length = exact_length(surface, walker.at, -gradient)
    return _along(walker, gradient, -gradient, (length,))


def _armijo(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    gradient = slope_at(surface, walker)
    trials, height = backtrack(surface, walker.at, -gradient, gradient, 2.0 * walker.length, ARMIJO, walker.height)
    halvings = len(trials) - 1
    often = "once" if halvings == 1 else f"{halvings} times"
    remark = f"Backtracking halves η = {trials[0]:.3g} {often}, to {trials[-1]:.3g}" if halvings else ""
    return _along(walker, gradient, -gradient, trials, remark, height)


def _conjugate(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    gradient = slope_at(surface, walker)
    size = float(walker.before @ walker.before)
    beta = max(0.0, float(gradient @ (gradient - walker.before)) / size) if size > 0 else 0.0
    direction = -gradient + beta * walker.direction
    remark = f"The new direction keeps β = {beta:.3g} of the last one"
    if float(direction @ gradient) >= 0:  # rounding has bent it uphill
        direction, remark = -gradient, "The direction had turned uphill and is set back to -g"
    length = exact_length(surface, walker.at, direction)
    return _along(walker, gradient, direction, (length,), remark if size > 0 else "")


def _newton(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    gradient, hessian = slope_at(surface, walker), surface.curvature(walker.at[None])[0]
    values, axes = np.linalg.eigh(hessian)
    direction = -axes @ _divided(axes.T @ gradient, values)
    remark = ""
    if values[0] < 0:
        remark = f"The surface is bent downwards ({values[0]:.3g}), so Newton's step heads for a saddle or a maximum"
    return _along(walker, gradient, direction, (1.0,), remark)


def _damped(surface: Surface, walker: Walker, settings: Settings, rng: np.random.Generator) -> Plan:
    gradient, hessian = slope_at(surface, walker), surface.curvature(walker.at[None])[0]
    values, axes = np.linalg.eigh(hessian)
    sizes = np.abs(values)
    sizes = np.maximum(sizes, 1e-8 * sizes.max()) if sizes.max() > 0 else np.ones(2)
    direction = -axes @ (axes.T @ gradient / sizes)
    trials, height = backtrack(surface, walker.at, direction, gradient, 1.0, ARMIJO, walker.height)
    turned = "A negative curvature was turned over" if values[0] < 0 else ""
    damped = f"Backtracking shortens Newton's step to {trials[-1]:.3g} of it" if len(trials) > 1 else ""
    return _along(walker, gradient, direction, trials, "; ".join(filter(None, (turned, damped))), height)


def _divided(numbers: Array, by: Array) -> Array:
    """Quotients, with 0 where there is nothing to divide by: the pseudo-inverse along the axes."""
    solid = np.abs(by) > FLAT * np.abs(by).max()
    return np.where(solid, numbers / np.where(solid, by, 1.0), 0.0)


def _along(
    walker: Walker,
    gradient: Array,
    direction: Array,
    trials: tuple[float, ...],
    remark: str = "",
    height: float | None = None,
) -> Plan:
    """The plan that goes the last of these lengths along the direction, to where f is ``height`` if that is known."""
    length = trials[-1]
    move = length * direction
    after = Walker(
        walker.method,
        walker.at + move,
        walker.memory,
        direction,
        gradient,
        length,
        walker.order,
        walker.used,
        walker.status,
        slope=None,
        height=height,
    )
    straight = walker.method in ("exact line search", "Armijo backtracking")
    parts = (() if straight else (_downhill(gradient, move),)) + (Part("step", "next step", move),)
    return Plan(after, move, np.full(2, length), parts, direction, trials, remark=remark)


_PLANS: dict[str, Callable[[Surface, Walker, Settings, np.random.Generator], Plan]] = {
    "fixed step": _by_rule,
    "exact line search": _exact,
    "Armijo backtracking": _armijo,
    "momentum": _by_rule,
    "Nesterov": _by_rule,
    "conjugate gradient": _conjugate,
    "Newton": _newton,
    "damped Newton": _damped,
    "SGD": _stochastic,
    "Adagrad": _by_rule,
    "RMSprop": _by_rule,
    "Adam": _by_rule,
}
METHODS = tuple(_PLANS)
"""Every method, by the name that the parameter uses."""


RUNNERS: dict[str, tuple[str, ...]] = {
    "race": ("fixed step", "exact line search", "Nesterov", "conjugate gradient", "damped Newton", "Adam"),
    "race of step lengths": ("fixed step", "exact line search", "Armijo backtracking", "conjugate gradient"),
    "race of momentum": ("fixed step", "momentum", "Nesterov", "conjugate gradient"),
    "race of adaptive rates": ("SGD", "Adagrad", "RMSprop", "Adam"),
    "race of second order": ("exact line search", "conjugate gradient", "Newton", "damped Newton"),
    "race of all twelve": METHODS,
}


# --- how far to go along a direction --------------------------------------------------------------------------------


def exact_length(surface: Surface, at: Array, direction: Array) -> float:
    """The η with the least f(at + η direction), or the first such; very large where the way down has no end."""

    def slope(length: float) -> float:
        return float(surface.slope((at + length * direction)[None])[0] @ direction)

    def bend(length: float) -> float:
        return float(direction @ surface.curvature((at + length * direction)[None])[0] @ direction)

    size = float(np.linalg.norm(direction))
    if size == 0:
        return 0.0
    if surface.quadratic:
        return -slope(0.0) / bend(0.0) if bend(0.0) > 0 else 1e6 * surface.span / size
    low, high = 0.0, 1e-3 * surface.span / size
    while slope(high) < 0:
        low, high = high, 2.0 * high
        if high * size > 1e6 * surface.span:
            return high
    return _root(lambda length: (slope(length), bend(length)), low, high, 1e-13 * abs(slope(0.0)))


def _root(function: Callable[[float], tuple[float, float]], low: float, high: float, small: float) -> float:
    """Where an increasing function vanishes between two places: Newton's method for roots, with halving as a guard.

    ``function`` gives its value and its derivative; it is negative at ``low`` and positive at ``high``.
    """
    x = high
    for _ in range(100):
        value, derivative = function(x)
        if value < 0:
            low = x
        else:
            high = x
        if abs(value) <= small or high - low <= 1e-15 * high:
            break
        x = x - value / derivative if derivative > 0 else low
        if not low < x < high:
            x = 0.5 * (low + high)
    return x


def backtrack(
    surface: Surface,
    at: Array,
    direction: Array,
    gradient: Array,
    first: float,
    fraction: float,
    height: float | None = None,
) -> tuple[tuple[float, ...], float]:
    """The lengths first, first/2, first/4 ... down to the first that lowers f enough (Armijo), and f at the last.

    Enough is ``fraction`` of what the slope promises: f(at + η p) ≤ f(at) + fraction η gᵀp. ``height`` is f(at), where
    that is known. Where nothing is enough the last length is 0.
    """
    if height is None:
        height = float(surface.height(at[None])[0])
    promise = fraction * float(gradient @ direction)
    trials = [first]
    while trials[-1] > SMALLEST_LENGTH:
        length = trials[-1]
        there = float(surface.height((at + length * direction)[None])[0])
        if there <= height + length * promise:
            return tuple(trials), there
        trials.append(0.5 * length)
    return (*trials[:-1], 0.0), height
