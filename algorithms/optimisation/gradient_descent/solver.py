"""The mathematics of a descent: how each method plans its next step, and when a walker has arrived or is lost.

A method plans from where its walker stands and what that remembers:

    fixed step               θ ← θ - η g
    exact line search        θ ← θ - η g, η where f is least along the line (on a quadratic η = gᵀg / gᵀHg)
    Armijo backtracking      θ ← θ - η g, η halved until f(θ - η g) ≤ f(θ) - c η |g|²
    momentum, Nesterov, Adagrad, RMSprop, Adam, SGD: the rules of :mod:`algorithms.maths.optimisers`
    conjugate gradient       p ← -g + β p, β = max(0, g·(g - g₋) / g₋·g₋) (Polak, Ribière), η by exact line search
    Newton                   θ ← θ - H⁻¹ g: to the lowest (or only level) place of the local quadratic
    damped Newton            p = -|H|⁻¹ g with the negative curvatures turned over, η by backtracking from 1

A plan holds the parts of the step, so that a picture can show the step before it is made. A run is a chain of frozen
values: the :class:`Course` that all steps share, and a :class:`Descent` for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.contract import Stop
from algorithms.data import Array, DataError, Points
from algorithms.maths.line_search import backtrack, exact_length
from algorithms.maths.optimisers import SGD, Adagrad, Adam, Memory, Momentum, Nesterov, Optimiser, RMSprop
from algorithms.maths.surfaces import Surface, analytic
from algorithms.optimisation.gradient_descent.losses import Loss, logistic_loss, squared_loss

if TYPE_CHECKING:
    from algorithms.optimisation.gradient_descent import Model, Params

FLAT = 1e-12
"""A curvature this small beside the other one counts as none."""
EDGE = 1e60
"""Places are looked up no farther out than this: fourth powers stay finite."""
MOST = 1e300
"""Heights beyond this are not told apart."""
RIM = 50.0
"""How many widths away a place is drawn at most: farther out there is nothing but rounding."""
FAR = 1000.0
"""A walker this many widths of the picture away has diverged; where the surface has no floor, a few are enough."""
FAR_DOWNHILL = 3.0
RHO, BETA2 = 0.9, 0.999
"""How much of the squares is usually remembered, in RMSprop and in Adam."""
ARMIJO = 1e-4
"""The fraction of the promised fall that a step must bring."""
ROOM = 4.0
"""How far outside the picture, in pictures, a start may be before the picture grows."""


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


# --- a run ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What does not change in a run: the surface, where to begin, who walks, and what counts as level."""

    params: Params
    surface: Surface
    start: Array  # (2,)
    methods: tuple[str, ...]
    level: float  # a gradient this small means that a walker has arrived

    @classmethod
    def of(cls, data: Points, params: Params) -> Course:
        """What the parameters ask for."""
        if params.surface == "squared loss of the data":
            surface: Surface = squared_loss(data)
        elif params.surface == "logistic loss of the data":
            surface = logistic_loss(data)
        else:
            surface = analytic(params.surface, params.condition)
        start = _starting_place(surface, params.start)
        surface = _widened(surface, start)
        methods = RUNNERS.get(params.method, (params.method,))
        return cls(params, surface, start, methods, params.tol * surface.scale)

    def settings(self, steps: int) -> Settings:
        """The knobs for the next step: the learning rate falls as 1/(1 + decay t)."""
        params = self.params
        rate = params.learning_rate / (1.0 + params.decay * steps)
        return Settings(rate, params.momentum, params.memory or RHO, params.memory or BETA2, params.batch)


def _starting_place(surface: Surface, wanted: tuple[tuple[float, ...], ...]) -> Array:
    """The place set by hand, or the surface's own."""
    if not wanted:
        return np.array(surface.start)
    if len(wanted) > 1 or len(wanted[0]) != 2:
        raise DataError("start must be one place with two coordinates, such as [[-1, 2]].")
    if np.abs(wanted[0]).max() > 1e9 * (1.0 + surface.span):
        raise DataError("start is too far away from the surface.")
    return np.array(wanted[0])


def _widened(surface: Surface, start: Array) -> Surface:
    """The surface with a larger picture when the start is far outside of it.

    In leaps: a picture that grew with every move of the start would run away under the mouse that drags it.
    """
    left, right, bottom, top = surface.box
    (x, y), wide, high = surface.middle.tolist(), (right - left) / 2, (top - bottom) / 2
    away, scale = float(np.max(np.abs(start - (x, y)) / (wide, high))), 1.0
    while away > ROOM * scale:
        scale *= ROOM
    box = (x - scale * wide, x + scale * wide, y - scale * high, y + scale * high)
    return surface if scale == 1.0 else replace(surface, box=box)


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """The places and heights of every step so far.

    A longer trail writes its last row behind those of the shorter one into the same arrays, so a step costs one row,
    however many there have been. Only the longest trail may be prolonged.
    """

    places: Array  # (room, k, 2)
    heights: Array  # (room, k)
    rows: int = 0  # how many of them are written

    @classmethod
    def of(cls, places: Array, heights: Array) -> Trail:
        """A trail of its own with these rows."""
        room = max(64, 2 * len(places))
        return cls(_longer(places, room), _longer(heights, room), len(places))

    def then(self, at: Array, heights: Array) -> Trail:
        """The trail with one more row."""
        trail = self if self.rows < len(self.places) else Trail.of(self.places, self.heights)
        trail.places[self.rows] = at
        trail.heights[self.rows] = np.clip(heights, -MOST, MOST)
        return Trail(trail.places, trail.heights, self.rows + 1)


def _longer(rows: Array, size: int) -> Array:
    longer = np.empty((size, *rows.shape[1:]))
    longer[: len(rows)] = rows
    return longer


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Everybody after a step: where they are, how they came there, and what they plan."""

    walkers: tuple[Walker, ...]
    trail: Trail
    plans: tuple[Plan | None, ...]  # None of those who have arrived or are lost
    rate: float  # of the leader's last step
    moved: float = 0.0  # how far the leader went

    @property
    def steps(self) -> int:
        """How many steps have been made."""
        return self.trail.rows - 1

    @property
    def leader(self) -> int:
        """Who stands lowest."""
        return leader_of(self.walkers, self.trail.heights[self.steps])

    @property
    def stop(self) -> Stop | None:
        """Why the run is over, when it is."""
        states = [walker.status for walker in self.walkers]
        if "walking" in states:
            return None
        return Stop.CONVERGED if "converged" in states else Stop.DIVERGED


def leader_of(walkers: tuple[Walker, ...], heights: Array) -> int:
    """Who stands lowest; those who flew away do not count unless all did."""
    if len(walkers) == 1:
        return 0
    lost = np.array([walker.status in ("diverged", "endless") for walker in walkers])
    return int(np.where(lost & ~lost.all(), np.inf, heights).argmin())


def begin(course: Course, rng: np.random.Generator, start: Model | None) -> Descent:
    """Everybody at the start, or where a model says they were, with a plan for the first step."""
    walkers, trail = tuple(Walker.begin(method, course.start) for method in course.methods), None
    if start is not None and tuple(walker.method for walker in start.walkers) != course.methods:
        walkers = tuple(replace(walker, at=start.parameters) for walker in walkers)
    elif start is not None:
        trail = Trail.of(start.trail[:-1], start.heights[:-1])
        walkers = tuple(  # those who had flown away begin again
            new if old.status in ("diverged", "endless") else replace(old, status="walking", slope=None, height=None)
            for new, old in zip(walkers, start.walkers)
        )
    if trail is None:
        trail = Trail.of(np.empty((0, len(walkers), 2)), np.empty((0, len(walkers))))
    judged = tuple(_judged(course, walker, False) for walker in walkers)
    descent = Descent(judged, _longer_trail(course, trail, judged), (), course.params.learning_rate)
    return _planned(course, descent, rng)


def stepped(course: Course, descent: Descent, rng: np.random.Generator) -> Descent:
    """Everybody makes the planned step, and plans the next one."""
    leader, plans = descent.leader, descent.plans
    planned, before = plans[leader], descent.walkers[leader].at
    walkers = tuple(w if p is None else p.after for p, w in zip(plans, descent.walkers))
    moved = math.hypot(*(walkers[leader].at - before).tolist())
    walkers = tuple(
        _judged(course, w, p is not None and not p.move.any()) if w.status == "walking" else w
        for p, w in zip(plans, walkers)
    )
    rate = descent.rate if planned is None else planned.rate
    after = Descent(walkers, _longer_trail(course, descent.trail, walkers), plans, rate, moved)
    return _planned(course, after, rng)


def _planned(course: Course, descent: Descent, rng: np.random.Generator) -> Descent:
    """Everybody who is still on the way plans the next step."""
    settings = course.settings(descent.steps)
    plans = tuple(
        plan(course.surface, walker, settings, rng) if walker.status == "walking" else None
        for walker in descent.walkers
    )
    return Descent(descent.walkers, descent.trail, plans, descent.rate, descent.moved)


def _judged(course: Course, walker: Walker, stuck: bool) -> Walker:
    """The walker, told whether it has arrived or flown away."""
    surface = course.surface
    away = float(np.abs(walker.at - surface.middle).max()) / surface.span
    if not away <= FAR:
        lost = np.clip(np.nan_to_num(walker.at, nan=EDGE, posinf=EDGE, neginf=-EDGE), -EDGE, EDGE)
        return replace(walker, at=lost, slope=None, height=None, status="diverged")
    if not surface.bounded and away > FAR_DOWNHILL:
        return replace(walker, status="endless")
    slope = slope_at(surface, walker)
    arrived = math.hypot(*slope.tolist()) <= course.level
    return replace(walker, slope=slope, status="converged" if arrived or stuck else "walking")


def _longer_trail(course: Course, trail: Trail, walkers: tuple[Walker, ...]) -> Trail:
    at = np.stack([walker.at for walker in walkers])
    known = [walker.height for walker in walkers]
    heights = course.surface.height(at) if None in known else np.array(known, float)
    return trail.then(pulled_in(at, course.surface), heights)


def pulled_in(at: Array, surface: Surface) -> Array:
    """Places (k, 2), those far outside the picture pulled back to its rim along the ray from its middle."""
    centre, rim = surface.middle, RIM * surface.span
    if np.abs(at - centre).max(initial=0.0) < 0.7 * rim:
        return at
    away = np.linalg.norm(at - centre, axis=1, keepdims=True)
    return centre + (at - centre) * np.minimum(1.0, rim / np.maximum(away, 1e-300))


def places(X: Array) -> Array:
    """Rows as places of the plane: the first two columns (0 for one that is missing), within the finite."""
    at = np.zeros((len(X), 2))
    at[:, : X.shape[1]] = X[:, :2]
    return np.clip(at, -EDGE, EDGE)


# --- what theory says -----------------------------------------------------------------------------------------------


def largest_rate(method: str, curvature: float, momentum: float) -> float:
    """The learning rate from which the rule no longer converges on a quadratic with this largest curvature.

    The roots of its recursion leave the unit circle there: 2/λ for a fixed step, 2(1+β)/λ with momentum, and
    2(1+β)/((1+2β)λ) with Nesterov's look ahead. The other methods have no such limit.
    """
    factor = {"fixed step": 2.0, "momentum": 2 * (1 + momentum), "Nesterov": 2 * (1 + momentum) / (1 + 2 * momentum)}
    return factor[method] / curvature if method in factor and curvature > 0 else math.inf


def best_rate(curvatures: Array) -> tuple[float, float]:
    """The best fixed η = 2/(λmin+λmax) on a quadratic, and the factor ρ = (κ-1)/(κ+1) by which it shrinks the error."""
    low, high = float(curvatures.min()), float(curvatures.max())
    return 2.0 / (low + high), (high - low) / (high + low)


def worst_shrinking(surface: Surface, rate: float) -> float | None:
    """The factor max|1 - ηλ| by which a fixed step shrinks the distance to the minimum of a quadratic, at worst."""
    if not surface.quadratic or not len(surface.minima):
        return None
    bends = np.linalg.eigvalsh(surface.curvature(surface.minima[:1])[0])
    return float(np.abs(1.0 - rate * bends).max())
