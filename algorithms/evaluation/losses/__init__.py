"""Losses: what it costs to be wrong, and which answer is then the best.

A loss says what a residual r = y - c costs. Choosing it is choosing the answer: of all constants, the mean has the
least squared loss, the median the least absolute one, the quantile the least pinball loss, the most frequent value the
least zero-one loss. Huber's loss is squared near zero and grows like the absolute one beyond delta, so a single outlier
pulls no harder than delta; its constant lies between the mean and the median. What is minimised is the empirical risk,
the mean loss over the data. For a fixed answer it is an unbiased estimate of the risk, the expected loss, and comes
nearer to it with the root of the number of points:

    R_n(c) = 1/n sum_i L(y_i - c),        c* = argmin R_n(c),        E[R_n] = R,        sd(R_n) = sd(L) / sqrt(n)

Losses of a margin y f, with the class y = ±1, replace the zero-one loss by something with a slope. Exponential, hinge
and logistic loss (to the base 2) lie above it everywhere, so whoever makes them small makes few mistakes.

Handbook section 4.1; Introduction to Machine Learning sections 2.1.1 and 5 (exponential, logistic and linear loss are
printed there without the minus sign and would reward mistakes); Orbanz slides (losses and risk); Huber 1964.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    FrozenDict,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Nothing, Points
from algorithms.evaluation.losses import solver
from algorithms.evaluation.losses.views import Picture, views_of
from algorithms.maths.words import counted, number
from algorithms.params import Between, Doc, Handles, PointList

SWEEP = 24
"""Frames in which the constant goes from the least to the largest number."""
NAMES = {
    "squared": "mean",
    "absolute": "median",
    "huber": "between mean and median",
    "pinball": "quantile",
    "expectile": "expectile",
    "zero-one": "mode",
}


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


def run(data: Points | Nothing, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """A constant goes over the numbers; then the best one for each loss; then the risk from more and more draws."""
    numbers = _numbers(data, params)
    low, high = float(numbers.min()), float(numbers.max())
    model = Model(FrozenDict(), numbers, low, params.loss, params.delta, params.tau)
    at = solver.places(numbers)
    risks = np.stack([solver.risk(kind, numbers, at, params.delta, params.tau) for kind in solver.RESIDUAL])
    picture = Picture(model, isinstance(data, Points) and data.is_valued, at, risks)
    yield _frame(
        picture, "start", f"The constant {number(low)} is asked to stand for {counted(len(numbers), 'number')}."
    )
    for constant in np.linspace(low, high, SWEEP)[1:] if high > low else ():
        model = replace(model, constant=float(constant))
        picture = replace(picture, model=model)
        yield _frame(picture, "sweep", _words_of_sweep(model))
    for kind in (*(kind for kind in solver.RESIDUAL if kind != params.loss), params.loss):
        best = solver.best_constant(kind, numbers, params.delta, params.tau)
        model = replace(model, constants=FrozenDict({**model.constants, kind: best}), constant=best)
        picture = replace(picture, model=model)
        caption = f"The {kind} loss is least at {number(best)}: the {NAMES[kind]}."
        yield _frame(picture, "minimum", caption.replace("the between", "any value between"))
    losses = solver.cost(params.loss, numbers - model.constant, params.delta, params.tau)
    drawn = losses[rng.integers(len(losses), size=(params.paths, params.draws))].cumsum(axis=1)
    for count in sorted({*(2**k for k in range(13) if 2**k <= params.draws), params.draws}):
        picture = replace(picture, means=drawn[:, :count] / np.arange(1, count + 1), spread=float(losses.std()))
        yield _frame(picture, "risk", _words_of_risk(picture, count))
    return Stop.COMPLETE


def _numbers(data: Points | Nothing, params: Params) -> Array:
    """The values of the points, or where they have none the numbers of the knob."""
    if isinstance(data, Points) and data.is_valued:
        return data.values("The loss")
    if not params.numbers:
        raise DataError("There are no numbers: type some into the field, or take data with values.")
    return np.array([place[0] for place in params.numbers])


def _frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    model = picture.model
    metrics = {"risk": model.risk, "constant": model.constant, "slope": model.slope}
    return DrawnSnapshot(model, LazyViews(views_of, picture), metrics, phase, caption)


def _words_of_sweep(model: Model) -> str:
    where = "the risk falls" if model.slope < 0.0 else "the risk rises" if model.slope > 0.0 else "the risk is level"
    if model.loss == "zero-one":
        where = "there is no slope that says where to go"
    return f"The constant {number(model.constant)} costs {number(model.risk)} on average; {where} here."


def _words_of_risk(picture: Picture, count: int) -> str:
    assert picture.means is not None
    last = picture.means[:, -1]
    expected = picture.spread / np.sqrt(count)
    return (
        f"With {counted(count, 'draw')} the empirical risk is {number(float(last.mean()))} on average over "
        f"{counted(len(last), 'path')}, and they spread by {number(float(last.std()))}; expected are "
        f"{number(picture.model.risk)} and {number(float(expected))}."
    )


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
        Metric("risk", "empirical risk", group="risk", better="neither"),
        Metric("constant", "constant c", group="constant", better="neither"),
        Metric("slope", "slope of the risk", group="slope", better="neither"),
    ),
    pseudocode=(
        Line("take a constant c for all numbers", "start"),
        Line("move c: R(c) = mean of L(y - c) = {risk}", "sweep"),
        Line("for each loss: c* ← argmin R(c)   (slope {slope})", "minimum"),
        Line("draw more and more numbers: mean loss → risk", "risk"),
    ),
    reference="Handbook §4.1; Introduction to Machine Learning §2.1.1, §5; Orbanz slides (risk); Huber 1964",
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
            "The absolute loss is least at the median, a corner: far numbers pull no harder.", "", {"loss": "absolute"}
        ),
        Try(
            "Pinball: residuals above cost nine times as much, so nine tenths of the numbers lie below.",
            "",
            {"loss": "pinball", "tau": 0.9},
        ),
        Try(
            "Huber's loss goes from the median (small delta) to the mean (large).", "", {"loss": "huber", "delta": 0.1}
        ),
        Try("The zero-one loss has no slope: nothing says in which direction it falls.", "", {"loss": "zero-one"}),
    ),
)
