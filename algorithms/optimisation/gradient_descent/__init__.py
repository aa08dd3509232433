"""Gradient descent and its relatives on a plane of two parameters.

A function f of two parameters θ is a landscape. Each method stands somewhere in it, looks at the slope (Newton also at
the curvature) under its feet and makes a step; a step that is too long for the curvature leads up instead of down, and
the path flies away. The landscape can be a formula or the loss of the data set, whose line then moves with θ.

    θ ← θ - η ∇f(θ)            converges on a quadratic for 0 < η < 2/λmax,  fastest for η = 2/(λmin + λmax):
                               |θ_t - θ*| ≤ ρᵗ |θ_0 - θ*|,  ρ = (κ-1)/(κ+1),  κ = λmax/λmin
    θ ← θ - H(θ)⁻¹ ∇f(θ)       Newton: one step on a quadratic; far from a minimum only damping makes it safe

Against the course's slides, Newton's method does not always converge where f'' > 0: on the surface "square roots" it
goes from x to -x³.

Reference: Methods for Data Science §2.4 (gradient descent, Newton), §8.2.2-8.2.3 and 8.5 (SGD, optimisers); Statistical
Machine Learning TYPES OF MINIMA to NEWTON: PROPERTIES; Introduction to Machine Learning §3 and 3.1; Boyd and
Vandenberghe, Convex Optimization, chapter 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.contract import Algorithm, Ended, Line, Metric, Panel, Question, Run, Snapshot, Stop, Try
from algorithms.data import Array, Points
from algorithms.foreign import steps_of
from algorithms.optimisation.gradient_descent import words
from algorithms.optimisation.gradient_descent.solver import (
    MOST,
    Course,
    Descent,
    begin,
    brought,
    leader_of,
    places,
    stepped,
    worst_shrinking,
)
from algorithms.optimisation.gradient_descent.solver.losses import LogisticLoss, SquaredLoss
from algorithms.optimisation.gradient_descent.solver.plans import RUNNERS, Plan, Walker, slope_at
from algorithms.optimisation.gradient_descent.solver.surfaces import Surface, basins
from algorithms.optimisation.gradient_descent.views import views
from algorithms.params import Advanced, Between, Doc, Group, Handles, Live, Log, PointList, Suits, When, Zero

_WITH_RATE = ("fixed step", "momentum", "Nesterov", "SGD", "Adagrad", "RMSprop", "Adam", *RUNNERS)
_FORMULAE = ("quadratic", "Rosenbrock", "Himmelblau", "two wells", "saddle", "square roots", "root of x² - 2")


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    surface: Annotated[
        Literal[
            "quadratic",
            "Rosenbrock",
            "Himmelblau",
            "two wells",
            "saddle",
            "square roots",
            "root of x² - 2",
            "squared loss of the data",
            "logistic loss of the data",
        ],
        Group("landscape"),
        Doc("The landscape: a formula, or the loss of the data set in two parameters of a line."),
    ] = "quadratic"
    condition: Annotated[
        float,
        Between(1, 1000),
        Log,
        When("surface", "quadratic"),
        Group("landscape"),
        Doc("How much more the valley is bent across than along: λmax / λmin, with λmax = 10."),
    ] = 10.0
    start: Annotated[
        PointList,
        Handles,
        Group("landscape"),
        Doc("Where to begin: one point such as [[-1, 2]]; empty for the usual one."),
    ] = ()
    shade: Annotated[
        Literal["height", "basins", "curvature"],
        When("surface", *_FORMULAE),
        Group("landscape"),
        Doc("Colour the map by height, by the minimum that is found from each point, or by how the surface is bent."),
    ] = "height"
    method: Annotated[
        Literal[
            "fixed step",
            "exact line search",
            "Armijo backtracking",
            "momentum",
            "Nesterov",
            "conjugate gradient",
            "Newton",
            "damped Newton",
            "SGD",
            "Adagrad",
            "RMSprop",
            "Adam",
            "race",
            "race of step lengths",
            "race of momentum",
            "race of adaptive rates",
            "race of second order",
            "race of all twelve",
        ],
        Group("method"),
        Doc("How the next step is chosen; a race lets several methods run side by side, one of each kind or as named."),
    ] = "fixed step"
    learning_rate: Annotated[
        float,
        Between(1e-5, 10),
        Log,
        Live,
        When("method", *_WITH_RATE),
        Suits("surface", ("Rosenbrock", 0.001), ("Himmelblau", 0.01), ("squared loss of the data", 0.015)),
        Group("method"),
        Doc("The factor η of the gradient. Beyond 2 / curvature the steps grow."),
    ] = 0.13
    decay: Annotated[
        float,
        Between(0, 1),
        Live,
        When("method", *_WITH_RATE),
        Group("method"),
        Doc("Let η fall as η / (1 + decay t) in step t."),
    ] = 0.0
    momentum: Annotated[
        float,
        Between(0, 0.999),
        Live,
        When("method", "momentum", "Nesterov", "Adam", *RUNNERS),
        Group("method"),
        Doc("The fraction β of the last step that is kept; in Adam the memory of the mean gradient."),
    ] = 0.9
    batch: Annotated[
        int,
        Between(1, 10_000),
        Log,
        Live,
        When("method", "SGD", *RUNNERS),
        Group("method"),
        Doc("Data points in a batch; without data, how many noisy gradients are averaged."),
    ] = 10
    memory: Annotated[
        float,
        Between(0, 0.9999),
        Zero("as usual"),
        Advanced,
        When("method", "RMSprop", "Adam", *RUNNERS),
        Group("method"),
        Doc("How long squares of gradients are remembered: ρ of RMSprop, β₂ of Adam; 0: the usual 0.9 and 0.999."),
    ] = 0.0
    tol: Annotated[
        float,
        Between(1e-12, 1),
        Log,
        Group("stopping"),
        Doc("Arrived when the gradient is this small (for data: beside that of a point)."),
    ] = 1e-5
    max_steps: Annotated[int, Between(1, 20_000), Log, Group("stopping"), Doc("Most steps.")] = 300


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Everybody's place after a step, and the path there."""

    surface: Surface
    walkers: tuple[Walker, ...]
    steps: int
    trail: Array  # (steps + 1, k, 2), drawn places: those far outside are pulled to the rim
    heights: Array  # (steps + 1, k)
    rate: float
    shade: str

    @property
    def leader(self) -> int:
        """Who stands lowest; those who flew away do not count unless all did."""
        return leader_of(self.walkers, self.heights[-1])

    @property
    def parameters(self) -> Array:
        """Where the leader stands, (2,)."""
        return self.walkers[self.leader].at


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    course: Course
    shrink: float | None  # the factor that theory promises a fixed step on a quadratic


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How the last step was made, and what is planned."""

    plans: tuple[Plan | None, ...]  # of the next step; None of those who have arrived or are lost
    moved: float  # how far the leader went
    stop: Stop | None = None  # at the end


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Walk down: plan, show the plan, step, until everybody has arrived or flown away; the last step shows the end."""
    course = Course.of(data, params)
    descent = begin(course, rng, start)
    plain = params.method == "fixed step" and params.decay == 0 and start is None
    given = Given(data, course, worst_shrinking(course.surface, params.learning_rate) if plain else None)
    yield shot(given, descent, "start")
    phase = _PHASES.get(params.method, "adaptive")
    for left in reversed(range(params.max_steps)):
        if descent.stop is not None:
            break
        descent = stepped(course, descent, rng)
        if descent.steps == 1 or (left and descent.stop is None):
            yield shot(given, descent, phase)
    stop = descent.stop or Stop.LIMIT
    last = shot(given, descent, "diverged" if stop is Stop.DIVERGED else "done", stop)
    yield last
    return Ended(stop, reason) if (reason := words.reason(last.model, stop)) else stop


def shot(given: Given, descent: Descent, phase: str, stop: Stop | None = None) -> Shot:
    """The snapshot of a step."""
    trail, params, surface = descent.trail, given.course.params, given.course.surface
    places, heights = trail.places[: trail.rows], trail.heights[: trail.rows]
    model = Model(surface, descent.walkers, descent.steps, places, heights, params.learning_rate, params.shade)
    leader = model.leader
    planned = descent.plans[leader]
    slope = math.hypot(*slope_at(surface, model.walkers[leader]).tolist())
    metrics = {
        "height": float(heights[-1, leader]),
        "gradient": min(slope, MOST),
        "step": min(descent.moved, MOST),
        "rate": min(descent.rate if planned is None else planned.rate, MOST),
    }
    return Snapshot(given, phase, model, metrics, Shown(descent.plans, descent.moved, stop))


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's descent, which yields a place ``(θ1, θ2)`` after every step."""
    course, descent = Course.of(data, params), None
    given = Given(data, course, None)
    for (place,) in steps_of(foreign, {"place": (2,)}):
        descent = brought(course, descent, place)
        yield shot(given, descent, _PHASES.get(params.method, "adaptive") if descent.steps else "start")


_PHASES = {
    "fixed step": "fixed",
    "SGD": "fixed",
    "exact line search": "search",
    "Armijo backtracking": "search",
    "momentum": "momentum",
    "Nesterov": "momentum",
    "conjugate gradient": "conjugate",
    "Newton": "newton",
    "damped Newton": "newton",
    **dict.fromkeys(RUNNERS, "race"),
}


def field(model: Model, X: Array) -> Array:
    """The height of the surface at places (m, 2) of the parameter plane."""
    return model.surface.height(places(X))


def predict(model: Model, X: Array) -> Array:
    """What the fitted line says of data points; without data, where a descent from each place of the plane ends.

    With the squared loss the value, with the logistic loss 0 or 1. On a surface without data the number of the
    minimum that is found from there, one more than there are for none; or with the shading by curvature 0 where the
    surface is bent upwards, 1 where it is a saddle and 2 where it is bent downwards.
    """
    surface = model.surface
    if isinstance(surface, SquaredLoss):
        return surface.line(model.parameters, X[:, 0])
    if isinstance(surface, LogisticLoss):
        return (surface.scores(model.parameters, X) > 0).astype(np.int64)
    if model.shade == "curvature":
        bent = np.linalg.eigvalsh(surface.curvature(places(X)))
        return (bent <= 0).sum(axis=1)
    return basins(surface, places(X), model.walkers[0].method, model.rate)


ALGORITHM = Algorithm(
    key="gradient_descent",
    title="Gradient descent",
    family="optimisation",
    summary="Walks down a landscape of two parameters by slope, momentum, line search or curvature.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    questions=(
        Question("How high is f after the next step?", "fixed", "metrics.height"),
        Question("How long is the next step?", "momentum", "metrics.step"),
        Question("How long is the next step?", "adaptive", "metrics.step"),
    ),
    predict=predict,
    field=field,
    explain=words.explain,
    target="any",
    resumes=True,
    continues=True,
    example="line(n=60,noise=0.3,seed=1)",
    synonyms=(
        "steepest descent",
        "SGD",
        "stochastic gradient descent",
        "momentum",
        "Nesterov",
        "Adagrad",
        "RMSprop",
        "Adam",
        "Newton's method",
        "conjugate gradient",
        "line search",
        "optimiser",
    ),
    panels=(
        Panel("surface", "Parameter plane", "own", x="first parameter", y="second parameter", surface=True),
        Panel("plane", "Data", "data"),
        Panel("gap", "Gap to the minimum", "own", x="step", y="f - least f", log_y=True, integer_x=True),
        Panel("slice", "Next step", "own", x="length of the step", y="f"),
        Panel("rates", "Rates", "own", y="effective learning rate"),
    ),
    metrics=(
        Metric("height", "height f", better="neither"),
        Metric("gradient", "slope |∇f|", log=True, better="neither"),
        Metric("step", "length of the step", group="step", log=True, better="neither"),
        Metric("rate", "learning rate used", group="step", log=True, better="neither"),
    ),
    pseudocode=(
        Line("θ ← the start", "start"),
        Line("repeat until |∇f(θ)| ≤ tol (it is {gradient}; f = {height}):"),
        Line("    g ← ∇f(θ), of everything or of a batch"),
        Line("    fixed step: θ ← θ - η g", "fixed"),
        Line("    line search: θ ← θ - η g with the η that lowers f most, or enough", "search"),
        Line("    momentum: v ← β v + η g;  θ ← θ - v", "momentum"),
        Line("    adaptive: θ ← θ - η g / √(squares of g so far)", "adaptive"),
        Line("    conjugate gradient: p ← -g + β p;  θ ← θ + η p, f least along p", "conjugate"),
        Line("    Newton: θ ← θ - H⁻¹ g (damped: only as far as f falls)", "newton"),
        Line("    race: every method makes one step", "race"),
        Line("arrived: the curvatures say what was found", "done"),
        Line("flown away: the steps were too long, or there is no floor", "diverged"),
    ),
    reference="Methods for Data Science §2.4, §8.2.2-8.2.3, §8.5; "
    "Statistical Machine Learning (Orbanz), Types of minima to Newton: properties; "
    "Introduction to Machine Learning §3, §3.1; Boyd, Vandenberghe, Convex Optimization, chapter 9; "
    "Nocedal, Wright, Numerical Optimization, chapters 3 and 5",
    formulas=(
        r"\theta \leftarrow \theta - \eta \nabla f(\theta)",
        r"\text{on a quadratic it converges for}\quad 0 < \eta < \frac{2}{\lambda_{\max}}, \quad \text{fastest "
        r"for}\quad \eta = \frac{2}{\lambda_{\min} + \lambda_{\max}}",
        r"\|\theta_t - \theta^{*}\| \le \rho^{t} \|\theta_0 - \theta^{*}\|, \qquad \rho = \frac{\kappa - 1}{\kappa +"
        r" 1}, \quad \kappa = \frac{\lambda_{\max}}{\lambda_{\min}}",
        r"\text{Newton:}\quad \theta \leftarrow \theta - H(\theta)^{-1} \nabla f(\theta)",
    ),
    tries=(
        Try(
            "A step a little longer than 2/λmax: every step overshoots by more than the last, and the path flies away.",
            params={"surface": "quadratic", "condition": 10.0, "learning_rate": 0.21},
            shows=lambda played: (
                bool((np.diff(played.curve("height")) > 0.0).all()) and played.ended.stop.name == "DIVERGED"
            ),
        ),
        Try(
            "A race down the banana-shaped valley: of six methods two have arrived after 300 steps, Newton's first.",
            params={"surface": "Rosenbrock", "method": "race", "learning_rate": 0.002},
            shows=lambda played: (
                sum(walker.status == "converged" for walker in played.model.walkers) == 2
                and "Newton" in played.model.walkers[played.model.leader].method
            ),
        ),
        Try(
            "Newton's method needs one step on a quadratic, however long and narrow the valley is.",
            params={"surface": "quadratic", "condition": 100.0, "method": "Newton"},
            shows=lambda played: played.model.steps == 1 and played.ended.stop is Stop.CONVERGED,
        ),
    ),
)
