"""Losses: what it costs to be wrong, and which answer is then the best.

A loss says what a residual r = y - c costs. Choosing it is choosing the answer: of all constants, the mean has the
least squared loss, the median the least absolute one, the quantile the least pinball loss, the most frequent value the
least zero-one loss. Huber's loss is squared near zero and grows like the absolute one beyond delta, so a single outlier
pulls no harder than delta; its constant goes from the median (small delta) to the mean (large delta). What is minimised
is the empirical risk, the mean loss over the data. For a fixed answer it is an unbiased estimate of the risk, the
expected loss, and comes nearer to it with the root of the number of points:

    R_n(c) = 1/n sum_i L(y_i - c),        c* = argmin R_n(c),        E[R_n] = R,        sd(R_n) = sd(L) / sqrt(n)

Losses of a margin y f, with the class y = ±1, replace the zero-one loss by something with a slope. Exponential, hinge
and logistic loss (to the base 2) lie above it everywhere, so whoever makes them small makes few mistakes.

Reference: Huber, "Robust estimation of a location parameter" (1964); Hastie, Tibshirani, Friedman, The Elements of
Statistical Learning, sections 10.5 and 10.6 (losses of classes and of values); Handbook section 4.1; Introduction to
Machine Learning sections 2.1.1 and 5 (exponential, logistic and linear loss are printed there without the minus sign
and would reward mistakes); Orbanz slides (losses and risk).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Explanation,
    FrozenDict,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Nothing, Points
from algorithms.evaluation.losses import solver, words
from algorithms.evaluation.losses.views import views
from algorithms.params import Between, Doc, Handles, PointList

SWEEP = 24
"""Frames in which the constant goes from the least to the largest number."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    loss: Annotated[
        Literal["squared", "absolute", "huber", "pinball", "expectile", "zero-one"],
        Doc("What a residual costs."),
    ] = "squared"
    delta: Annotated[float, Between(0.01, 100.0), Doc("Huber's loss is squared up to this residual.")] = 1.0
    tau: Annotated[
        float, Between(0.01, 0.99), Doc("Pinball and expectile: what a residual above costs, beside one below.")
    ] = 0.75
    numbers: Annotated[
        PointList, Handles, Doc("The numbers where the data have no values: drag them; only left and right count.")
    ] = ((1.0, 0.0), (2.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0), (9.0, 0.0))
    draws: Annotated[int, Between(16, 4096), Doc("How many numbers are drawn at most, to see the risk.")] = 1024
    paths: Annotated[int, Between(1, 60), Doc("How many times that is done.")] = 20


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The numbers, the constant that is looked at, and the best ones that are known."""

    constants: Mapping[str, float]  # by loss
    numbers: Array  # (n,)
    constant: float
    loss: str
    delta: float
    tau: float

    @property
    def risk(self) -> float:
        """The mean cost of all numbers."""
        return float(solver.cost(self.loss, self.numbers - self.constant, self.delta, self.tau).mean())

    @property
    def slope(self) -> float:
        """How the risk changes when the constant grows."""
        return -solver.mean_pull(solver.slope(self.loss, self.numbers - self.constant, self.delta, self.tau))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run: the risks of all constants, and the mean losses of numbers drawn at random."""

    from_points: bool  # whether the numbers are the values of points
    at: Array  # (m,) constants
    risks: Array  # (losses, m) their risks
    means: Array  # (paths, draws) the mean loss of the numbers drawn so far
    deviation: float  # of the loss of a number


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Where the chosen loss costs least so far; the loss whose constant was just found, or how many were drawn."""

    constant: float
    risk: float
    kind: str = ""
    draws: int = 0


Shot = Snapshot[Given, Model, Shown]


def run(data: Points | Nothing, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Move a constant over the numbers; take the best one for each loss; draw more and more numbers.

    All of it is known from the beginning: the run is choreography.
    """
    numbers = _numbers(data, params)
    best = {kind: solver.best_constant(kind, numbers, params.delta, params.tau) for kind in solver.RESIDUAL}
    given = _given(data, numbers, best[params.loss], params, rng)
    low, high = float(numbers.min()), float(numbers.max())
    model = Model(FrozenDict(), numbers, low, params.loss, params.delta, params.tau)
    least = Shown(low, model.risk)
    yield _shot(given, "start", model, least)
    for constant in np.linspace(low, high, SWEEP)[1:] if high > low else ():
        model = replace(model, constant=float(constant))
        if model.risk < least.risk:
            least = Shown(model.constant, model.risk)
        yield _shot(given, "sweep", model, least)
    for kind in (*(kind for kind in solver.RESIDUAL if kind != params.loss), params.loss):
        model = replace(model, constants=FrozenDict({**model.constants, kind: best[kind]}), constant=best[kind])
        if kind == params.loss:
            least = Shown(model.constant, model.risk)
        yield _shot(given, "minimum", model, replace(least, kind=kind))
    for count in sorted({*(2**k for k in range(13) if 2**k <= params.draws), params.draws}):
        yield _shot(given, "risk", model, replace(least, draws=count))
    return Stop.COMPLETE


def _numbers(data: Points | Nothing, params: Params) -> Array:
    """The values of the points, or where they have none the numbers of the knob."""
    if isinstance(data, Points) and data.is_valued:
        return data.values("The loss")
    if not params.numbers:
        raise DataError("There are no numbers: type some into the field, or take data with values.")
    return np.array([place[0] for place in params.numbers])


def _given(data: Points | Nothing, numbers: Array, best: float, params: Params, rng: np.random.Generator) -> Given:
    at = solver.places(numbers)
    risks = np.stack([solver.risk(kind, numbers, at, params.delta, params.tau) for kind in solver.RESIDUAL])
    losses = solver.cost(params.loss, numbers - best, params.delta, params.tau)
    drawn = losses[rng.integers(len(losses), size=(params.paths, params.draws))].cumsum(axis=1)
    means = drawn / np.arange(1, params.draws + 1)
    return Given(isinstance(data, Points) and data.is_valued, at, risks, means, float(losses.std()))


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    return Snapshot(given, phase, model, {"risk": shown.risk, "constant": shown.constant}, shown)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What a number costs beside the constant, and how strongly it pulls."""
    if item.number < 0 or not data.is_valued:
        return {"constant": model.constant, "risk": model.risk}
    residual = np.array([model.numbers[item.number] - model.constant])
    return {
        "number": float(model.numbers[item.number]),
        "residual": float(residual[0]),
        f"{model.loss} loss": float(solver.cost(model.loss, residual, model.delta, model.tau)[0]),
        "pull on the constant": float(solver.slope(model.loss, residual, model.delta, model.tau)[0]),
    }


ALGORITHM = Algorithm(
    key="losses",
    title="Losses and risk",
    family="evaluation",
    summary="Which constant stands best for some numbers depends on what a residual costs.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    accepts=(Points, Nothing),
    target="values",
    explain=explain,
    panels=(
        Panel("constants", "Which constant costs least?", x="constant c", y="risk, of its largest value"),
        Panel("losses", "What a residual costs", x="residual r = y - c", y="loss"),
        Panel("slopes", "How strongly it pulls", x="residual r = y - c", y="slope of the loss"),
        Panel("margins", "Losses of a margin", x="margin y f", y="loss"),
        Panel("convergence", "From empirical risk to risk", x="numbers drawn", y="mean loss", log_x=True),
    ),
    metrics=(
        Metric("risk", "least empirical risk so far", group="risk"),
        Metric("constant", "constant with this risk", group="constant", better="neither"),
    ),
    pseudocode=(
        Line("take a constant c for all numbers", "start"),
        Line("move c: R(c) = mean of L(y - c), least so far {risk}", "sweep"),
        Line("for each loss: c* ← argmin R(c)   (chosen loss: {constant})", "minimum"),
        Line("draw more and more numbers: mean loss → risk", "risk"),
    ),
    reference="Huber, Robust estimation of a location parameter (1964); Hastie, Tibshirani, Friedman, The Elements of "
    "Statistical Learning §10.5, §10.6; Handbook §4.1; Introduction to Machine Learning §2.1.1, §5; Statistical "
    "Machine Learning (Orbanz), Risk",
    example="sine(n=40,noise=0.3,seed=1)",
    synonyms=(
        "loss function",
        "squared error",
        "absolute error",
        "Huber loss",
        "pinball loss",
        "quantile",
        "median",
        "hinge loss",
        "exponential loss",
        "logistic loss",
        "0-1 loss",
        "empirical risk",
        "surrogate loss",
    ),
    formulas=(
        r"R_n(c) = \frac{1}{n} \sum_{i=1}^{n} L(y_i - c), \qquad c^* = \mathrm{argmin}_c\, R_n(c)",
        r"L_{\mathrm{Huber}}(r) = r^2 \ \text{for } |r| \le \delta, \qquad \delta\,(2|r| - \delta) \ \text{beyond}",
        r"L_{\tau}(r) = 2\tau\, r \ \text{for } r > 0, \qquad 2(1 - \tau)\,|r| \ \text{otherwise}",
        r"e^{-yf}, \qquad \log_2(1 + e^{-yf}), \qquad \max(0, 1 - yf) \ \ge\ [yf \le 0]",
    ),
    tries=(
        Try(
            "The absolute loss of 1, 2, 3, 4 and 20 is least at the median 3, a corner: the number 20 pulls no harder "
            "than any other. The mean is 6.",
            "gate(kind='XOR')",
            {"loss": "absolute", "numbers": tuple((x, 0.0) for x in (1.0, 2.0, 3.0, 4.0, 20.0))},
            shows=lambda played: (
                played.model.constants["absolute"] == 3.0 and np.isclose(played.model.constants["squared"], 6.0)
            ),
        ),
        Try(
            "Pinball with τ = 0.9: a residual above costs nine times as much, so nine tenths of the numbers lie below "
            "the best constant.",
            "",
            {"loss": "pinball", "tau": 0.9},
            shows=lambda played: np.mean(played.model.numbers < played.model.constant) == 0.9,
        ),
        Try(
            "With a small delta Huber's constant is nearly the median of the numbers, with a large one the mean.",
            "gate(kind='XOR')",
            {"loss": "huber", "delta": 0.01},
            shows=lambda played: (
                abs(played.model.constant - played.model.constants["absolute"]) < 0.5
                and np.isclose((mean := played.but(delta=100.0).model).constant, mean.constants["squared"])
            ),
        ),
        Try(
            "The zero-one loss is flat: nearly every constant has the risk 1, and no slope says where it is lower.",
            "",
            {"loss": "zero-one"},
            shows=lambda played: all(
                frame.model.slope == 0.0 and frame.model.risk >= 0.9
                for frame in played.frames
                if frame.phase == "sweep"
            ),
        ),
    ),
    questions=(
        Question("At which constant is this loss least?", "minimum", "model.constant"),
        Question("What does the next constant cost on average?", "sweep", "model.risk"),
    ),
)
