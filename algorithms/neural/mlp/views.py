"""What a training network looks like: diagram, boundary with hinges, fitted curve, gradients, losses, hidden space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import (
    Bars,
    Curve,
    HeldOut,
    Highlight,
    Isolines,
    Mark,
    NetworkDiagram,
    ReferenceLine,
    Regions,
    Scatter,
    Segments,
)
from algorithms.maths.neuron_maps import MOST_UNITS, STRONG, Extent, extent_around, grid_over, lines_around, maps_of
from algorithms.neural.mlp.solver import Scaling
from algorithms.neural.mlp.solver.networks import (
    ACTIVATIONS,
    TINY_VARIANCE,
    Activation,
    Architecture,
    Trace,
    dropout_factors,
    forward,
    outputs,
    weight_mask,
)

if TYPE_CHECKING:
    from algorithms.neural.mlp import Model, Shot

CURVE_CELLS = 160
PASSES = 40
"""How often dropout is drawn anew for the band around a fitted curve."""
MOST_DOTS = 2000
"""How many points are shown in the hidden space and on the activation."""
REACH = 4.0
"""How far the activation is drawn at least to both sides of 0."""
EXPONENTIAL = Activation(lambda a: np.exp(np.minimum(a, 20.0)), lambda a, h: h)
BINS = 21
"""Bars of the histogram of the weights; an odd number, so that one of them is around 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Everything about the pictures of a run that does not change from frame to frame."""

    data: Points
    architecture: Architecture
    scaling: Scaling
    extent: Extent
    grid: Array  # (cells, d) the middles of the cells of the small maps, as the network sees them
    shown: tuple[int, ...]  # units drawn of each layer
    titles: tuple[str, ...]
    groups: Array  # (units drawn,) the class of a unit of the output layer, else -1
    line: Array  # (cells,) where a curve over one feature is drawn

    @classmethod
    def of(cls, data: Points, architecture: Architecture, scaling: Scaling) -> Pictures:
        """The pictures of networks of this kind for these data."""
        extent = extent_around(data.X)
        shown = tuple(min(size, MOST_UNITS) for size in architecture.sizes)
        hidden = tuple(f"{k}: {architecture.activation}" for k in range(1, len(architecture.sizes) - 1))
        groups = np.full(sum(shown), -1)
        if data.is_labelled and architecture.sizes[-1] > 1:
            groups[-shown[-1] :] = np.arange(shown[-1])
        return cls(
            data,
            architecture,
            scaling,
            extent,
            grid=scaling.inputs(grid_over(data.X, extent)),
            shown=shown,
            titles=("input", *hidden, architecture.output),
            groups=groups,
            line=np.linspace(extent[0], extent[1], CURVE_CELLS),
        )

    @property
    def values(self) -> bool:
        """Whether the target is a real value."""
        return not self.data.is_labelled

    @property
    def omitted(self) -> tuple[int, ...]:
        """Units of each layer that are not drawn."""
        return tuple(size - shown for size, shown in zip(self.architecture.sizes, self.shown, strict=True))

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the units drawn, layer by layer."""
        data, shown = self.data, self.shown
        last = (data.target,) if self.values else data.classes if shown[-1] > 1 else (data.classes[1],)
        hidden = tuple(("",) * count for count in shown[1:-1])
        return (data.features[: shown[0]], *hidden, last[: shown[-1]])

    def diagram(
        self, theta: Array, running: Array | None, factors: Array | None, gradient: Array | None = None
    ) -> NetworkDiagram:
        """The network with a small map in every neuron; dropout's factors say which units were off.

        With a ``gradient`` the edges show where it pulls the weights instead of the weights themselves.
        """
        trace = forward(self.architecture, theta, self.grid, running)
        said = outputs(self.architecture, trace.logits)
        if self.architecture.sizes[-1] == 1 and self.architecture.output == "sigmoid":
            said = 2.0 * said - 1.0
        layers = [self.grid, *trace.values[:-1], said]
        table = np.concatenate([layer[:, :count] for layer, count in zip(layers, self.shown, strict=True)], axis=1)
        size = np.abs(table).max(axis=0)
        size[self.groups >= 0] = 1.0
        maps = maps_of(table * (127.0 / np.where(size > 0.0, size, 1.0)))
        edges = theta if gradient is None else -gradient * (STRONG / max(float(np.abs(gradient).max()), 1e-300))
        weights = tuple(
            self.architecture.weights(edges, k)[: self.shown[k], : self.shown[k + 1]]
            for k in range(len(self.shown) - 1)
        )
        dropped = None if factors is None else self._dropped(factors)
        return NetworkDiagram(
            weights,
            maps,
            self.extent,
            self.names,
            self.titles,
            self.groups,
            self.omitted,
            dropped,
            edges_name="weight" if gradient is None else "pull on the weight",
        )

    def _dropped(self, factors: Array) -> Array:
        off = [np.zeros(self.shown[0], dtype=bool)]
        for slot, count in zip(self.architecture.slots, self.shown[1:-1], strict=False):
            off.append(factors[slot.units][:count] == 0.0)
        off.append(np.zeros(self.shown[-1], dtype=bool))
        return np.concatenate(off)

    def plane(
        self, theta: Array, running: Array | None, batch: Array | None, probability: float, rng: np.random.Generator
    ) -> tuple[Mark, ...]:
        """The boundary (or the fitted surface or curve), the hinges of the first layer, and the mini-batch."""
        marks: tuple[Mark, ...]
        if self.values:
            marks = (self.curve(theta, running, probability, rng),) if self.data.d == 1 else (Regions("value"),)
        else:
            single = self.architecture.sizes[-1] == 1
            marks = (Regions("probability"), Isolines(strong=(0.5 if single else 0.0,)))
        if self.data.d == 2 and len(self.architecture.sizes) > 2:
            marks += self.hinges(theta, running)
        if batch is not None:
            marks += (Highlight(batch, "chosen", "mini-batch"),)
        return marks

    def curve(self, theta: Array, running: Array | None, probability: float, rng: np.random.Generator) -> Curve:
        """The function of one feature, with a band of two deviations where dropout makes it uncertain."""
        inputs, scaling = self.scaling.inputs(self.line[:, None]), self.scaling
        line = outputs(self.architecture, forward(self.architecture, theta, inputs, running).logits)[:, 0]
        y = scaling.target_centre + scaling.target_scale * line
        if probability == 0.0 or self.architecture.hidden == 0:
            return Curve(self.line, y, "network")
        passes = [
            forward(
                self.architecture, theta, inputs, running, dropout_factors(self.architecture.hidden, probability, rng)
            )
            for _ in range(PASSES)
        ]
        said = [outputs(self.architecture, trace.logits)[:, 0] for trace in passes]
        deviation = scaling.target_scale * np.std(said, axis=0)
        return Curve(self.line, y, "network, ±2 deviations of dropout", y - 2 * deviation, y + 2 * deviation)

    def hinges(self, theta: Array, running: Array | None) -> tuple[Mark, ...]:
        """Where the units of the first hidden layer change sign: their lines in the plane, cut to the picture."""
        slot = self.architecture.slots[0]
        weights, biases = self.architecture.weights(theta, 0), theta[slot.biases]
        if slot.scales is not None and running is not None:
            mean, variance = running[:, slot.units]
            factor = theta[slot.scales] / np.sqrt(variance + TINY_VARIANCE)
            weights, biases = weights * factor, biases - mean * factor
        normals = weights.T[:MOST_UNITS]  # (units, 2)
        low, high = self.scaling.inputs(np.array(self.extent).reshape(2, 2).T)
        ends = lines_around(normals, biases[:MOST_UNITS], low, high)
        if not len(ends):
            return ()
        ends = ends * self.scaling.scale + self.scaling.centre
        return (Segments(ends[:, 0], ends[:, 1], "edge", name="hinges"),)


def gradient_bars(norms: Array) -> Bars:
    """The length of the gradient in the weights of each layer: vanishing and exploding are seen at a glance."""
    return Bars(norms, names=tuple(f"layer {k + 1}" for k in range(len(norms))))


def learning_curves(history: Array, best: int, has_validation: bool) -> tuple[Mark, ...]:
    """Training and validation loss over the epochs, with the best epoch so far; where nobody watches there is none."""
    if not len(history) or not has_validation:
        return ()
    epochs = np.arange(1, len(history) + 1, dtype=np.float32)
    curves = Curve(epochs, history[:, 0], "training"), Curve(epochs, history[:, 1], "validation")
    return (*curves, ReferenceLine(float(best), "best epoch"))


def views(shot: Shot) -> Views:
    """All marks of a frame."""
    pictures, model, shown, dropout = shot.given.pictures, shot.model, shot.shown, shot.given.dropout
    state, running = model.state, model.running()
    rng = np.random.default_rng([model.key, state.epoch, state.batch, 0])
    points = np.arange(0, pictures.data.n, -(-pictures.data.n // MOST_DOTS))
    inputs = model.scaling.inputs(pictures.data.X[points])
    trace = forward(model.architecture, state.theta, inputs, running)
    return {
        "network": (pictures.diagram(state.theta, running, shown.factors, shown.gradient),),
        "plane": (*pictures.plane(state.theta, running, shown.batch, dropout, rng), *_watched(model.held_out)),
        "gradients": (gradient_bars(model.norms),),
        "learning": learning_curves(model.history, model.best.epoch, len(model.held_out) > 0),
        "hidden": _hidden(pictures, model, trace, points),
        "activation": _activation(pictures, model, trace, points),
        "sizes": (_sizes(model),),
    }


def _watched(held_out: Array) -> tuple[Mark, ...]:
    """The points that are only watched."""
    return (HeldOut(held_out, "validation"),) if len(held_out) else ()


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
        return (Scatter(np.column_stack([values[:, 0], height]), points, x="hidden unit 1", y=pictures.data.target),)
    first, second = np.sort(np.argsort(-np.abs(weights).sum(axis=1), kind="stable")[:2])
    names = f"hidden unit {first + 1}", f"hidden unit {second + 1}"
    marks: tuple[Mark, ...] = (Scatter(values[:, [first, second]], points, x=names[0], y=names[1]),)
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
    if name == "softmax":
        return _softmax(architecture, trace.logits, x, pictures.data.classes[0], points)
    chosen = ACTIVATIONS.get(name, EXPONENTIAL)
    y = chosen.value(x)
    unit = "unit 1 of layer 1" if architecture.hidden else "the output"
    return (
        Curve(x, y, f"{name}, the points at {unit}"),
        Curve(x, chosen.slope(x, y), "slope"),
        Scatter(np.column_stack([sums, chosen.value(sums)]), points),
    )


def _softmax(architecture: Architecture, logits: Array, x: Array, name: str, points: Array) -> tuple[Mark, ...]:
    """The probability of the first class over its own sum. It depends on the sums of all classes, so the curve is drawn
    with the others at their means, and the points stand where the softmax of their own sums puts them.
    """
    table = np.tile(logits.mean(axis=0), (len(x), 1))
    table[:, 0] = x
    y = outputs(architecture, table)[:, 0]
    return (
        Curve(x, y, f"softmax for {name}, the other sums at their means"),
        Curve(x, y * (1.0 - y), "slope"),
        Scatter(np.column_stack([logits[:, 0], outputs(architecture, logits)[:, 0]]), points),
    )


def _sizes(model: Model) -> Bars:
    """How many weights are how large; penalties draw them together, and L1 piles them up at 0."""
    weights = model.state.theta[weight_mask(model.architecture) > 0.0]
    largest = float(np.abs(weights).max(initial=0.0)) or 1.0
    edges = np.linspace(-largest, largest, BINS + 1)
    counts, _ = np.histogram(weights, edges)
    middles = (edges[:-1] + edges[1:]) / 2
    return Bars(counts.astype(np.float64), tuple(f"{middle:z.2g}" for middle in np.round(middles, 12)))
