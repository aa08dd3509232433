"""The views of a frame of a network, made when somebody looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.marks import Bars, Curve, Embedding, Mark, Scatter
from algorithms.neural._layers import ACTIVATIONS, Activation, Trace, forward, weight_mask
from algorithms.neural._network_marks import Pictures, gradient_bars, learning_curves

if TYPE_CHECKING:
    from algorithms.neural._training import Model

MOST_DOTS = 2000
"""How many points are shown in the hidden space and on the activation."""
REACH = 4.0
"""How far the activation is drawn at least to both sides of 0."""
EXPONENTIAL = Activation(lambda a: np.exp(np.minimum(a, 20.0)), lambda a, h: h)
BINS = 21
"""Bars of the histogram of the weights; an odd number, so that one of them is around 0."""


def views_of(
    pictures: Pictures,
    model: Model,
    dropout: float,
    batch: Array | None,
    factors: Array | None,
    gradient: Array | None,
) -> dict[str, tuple[Mark, ...]]:
    """All marks of a frame; ``batch``, ``factors`` and ``gradient`` belong to the mini-batch that is shown, if any."""
    state, running = model.state, model.running()
    rng = np.random.default_rng([model.key, state.epoch, state.batch, 0])
    points = np.arange(0, pictures.data.n, -(-pictures.data.n // MOST_DOTS))
    inputs = model.scaling.inputs(pictures.data.X[points])
    trace = forward(model.architecture, state.theta, inputs, running)
    return {
        "network": (pictures.diagram(state.theta, running, factors, gradient),),
        "plane": pictures.plane(state.theta, running, batch, dropout, rng),
        "gradients": (gradient_bars(model.norms),),
        "learning": learning_curves(model.history, model.best.epoch, len(model.held_out) > 0),
        "hidden": _hidden(pictures, model, trace, points),
        "activation": _activation(pictures, model, trace, points),
        "sizes": (_sizes(model),),
    }


def _hidden(pictures: Pictures, model: Model, trace: Trace, points: Array) -> tuple[Mark, ...]:
    """The points as the last hidden layer sees them: where the two units that weigh most put them."""
    architecture = model.architecture
    if architecture.hidden == 0:
        return ()
    values = trace.values[-2]
    weights = architecture.weights(model.state.theta, len(architecture.slots) - 1)  # (units, outputs)
    if values.shape[1] == 1:
        y = pictures.data.y
        height = np.zeros(len(points)) if y is None else y[points].astype(np.float64)
        return (Embedding(np.column_stack([values[:, 0], height]), points, x="hidden unit 1", y=pictures.data.target),)
    first, second = np.sort(np.argsort(-np.abs(weights).sum(axis=1), kind="stable")[:2])
    names = f"hidden unit {first + 1}", f"hidden unit {second + 1}"
    marks: tuple[Mark, ...] = (Embedding(values[:, [first, second]], points, x=names[0], y=names[1]),)
    if values.shape[1] == 2 and weights.shape[1] == 1 and model.classes:
        marks += _border(values, weights[:, 0], float(model.state.theta[architecture.slots[-1].biases][0]))
    return marks


def _border(values: Array, weights: Array, bias: float) -> tuple[Mark, ...]:
    """The straight line to which the output's border becomes in a hidden space of two units."""
    if abs(weights[1]) < 1e-12:
        return ()
    x = np.array([values[:, 0].min(), values[:, 0].max()])
    y = -(weights[0] * x + bias) / weights[1]
    # cut to the height of the points, where the line is steep
    low, high = values[:, 1].min(), values[:, 1].max()
    if abs(weights[0]) > 1e-12:
        kept = np.clip(y, low, high)
        x = np.where(kept == y, x, -(weights[1] * kept + bias) / weights[0])
        y = kept
    return (Curve(x, y, "border"),) if np.isfinite(x).all() else ()


def _activation(pictures: Pictures, model: Model, trace: Trace, points: Array) -> tuple[Mark, ...]:
    """How a unit bends its sum, with its slope, and where the points are on it at the first unit of the first layer."""
    architecture = model.architecture
    sums = trace.sums[0][:, 0]
    reach = max(REACH, float(np.abs(sums).max(initial=0.0)))
    x = np.linspace(-reach, reach, 241)
    name = architecture.activation if architecture.hidden else architecture.output
    chosen = ACTIVATIONS.get(name, EXPONENTIAL if name == "exponential" else ACTIVATIONS["sigmoid"])
    value, slope = chosen.value, chosen.slope
    y = value(x)
    unit = "unit 1 of layer 1" if architecture.hidden else "the output"
    return (
        Curve(x, y, f"{name}, the points at {unit}"),
        Curve(x, slope(x, y), "slope"),
        Scatter(sums, value(sums), points),
    )


def _sizes(model: Model) -> Bars:
    """How many weights are how large; penalties draw them together, and L1 piles them up at 0."""
    weights = model.state.theta[weight_mask(model.architecture) > 0.0]
    largest = float(np.abs(weights).max(initial=0.0)) or 1.0
    edges = np.linspace(-largest, largest, BINS + 1)
    counts, _ = np.histogram(weights, edges)
    middles = (edges[:-1] + edges[1:]) / 2
    return Bars(counts.astype(np.float64), tuple(f"{middle:.2g}" for middle in np.round(middles, 12)))
