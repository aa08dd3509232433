"""What a training network looks like: diagram, boundary with hinges, fitted curve, gradients and losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.contract import frozen
from algorithms.dataset import Array, Points
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, NetworkDiagram, Regions, Rule, Segments
from algorithms.neural._layers import TINY_VARIANCE, Architecture, dropout_factors, forward, outputs

SIDE = 16
"""Cells along a side of the little field in a neuron."""
MOST_UNITS = 16
"""How many units of a layer are drawn; more cannot be told apart."""
MARGIN = 0.08
"""What the little fields show beyond the data, as a share of its range."""
BEYOND = 2.0
"""How far the hinges go beyond the data, in ranges of the data: the plane may be wide."""
CURVE_CELLS = 160
PASSES = 40
"""How often dropout is drawn anew for the band around a fitted curve."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """From the units of the data to those of the network, where every feature has mean 0 and deviation 1."""

    centre: Array  # (d,)
    scale: Array  # (d,)
    target_centre: float = 0.0
    target_scale: float = 1.0

    def inputs(self, X: Array) -> Array:
        """Points as the network sees them."""
        return (X - self.centre) / self.scale


def standardising(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of every column; 1 for a column that is constant. Safe for huge and tiny numbers."""
    centre = X.mean(axis=0)
    largest = np.abs(X - centre).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)
    spread = largest * np.sqrt(np.square((X - centre) / largest).mean(axis=0))
    # rounding leaves a constant column far from zero with a tiny spread, which must not be blown up
    constant = spread <= 1e-12 * np.abs(centre)
    return centre, np.where(constant | (spread == 0.0), 1.0, spread)


class Pictures:
    """Everything about the pictures of a run that does not change from frame to frame."""

    def __init__(self, data: Points, architecture: Architecture, scaling: Scaling) -> None:
        self.data, self.architecture, self.scaling = data, architecture, scaling
        self.values = architecture.output == "identity" and not data.is_labelled
        self.extent = _extent(data.X)
        self._grid = scaling.inputs(_grid(data.X, self.extent))
        self._shown = tuple(min(size, MOST_UNITS) for size in architecture.sizes)
        self._omitted = tuple(size - shown for size, shown in zip(architecture.sizes, self._shown, strict=True))
        self._names = self._unit_names()
        hidden = tuple(f"{k}: {architecture.activation}" for k in range(1, len(architecture.sizes) - 1))
        self._titles = ("input", *hidden, architecture.output)
        groups = np.full(sum(self._shown), -1)
        if data.is_labelled and architecture.sizes[-1] > 1:
            groups[-self._shown[-1] :] = np.arange(self._shown[-1])
        self._groups = frozen(groups)
        left, right = self.extent[:2]
        self._line = frozen(np.linspace(left, right, CURVE_CELLS))

    def _unit_names(self) -> tuple[tuple[str, ...], ...]:
        data, shown = self.data, self._shown
        last = (data.target,) if self.values else data.classes if shown[-1] > 1 else (data.classes[1],)
        hidden = tuple(("",) * count for count in shown[1:-1])
        return (data.features[: shown[0]], *hidden, last[: shown[-1]])

    def diagram(self, theta: Array, running: Array | None, factors: Array | None) -> NetworkDiagram:
        """The network with a little field in every neuron; dropout's factors say which units were off."""
        trace = forward(self.architecture, theta, self._grid, running)
        said = outputs(self.architecture, trace.logits)
        if self.architecture.sizes[-1] == 1 and self.architecture.output == "sigmoid":
            said = 2.0 * said - 1.0
        layers = [self._grid, *trace.values[:-1], said]
        table = np.concatenate([layer[:, :count] for layer, count in zip(layers, self._shown, strict=True)], axis=1)
        size = np.abs(table).max(axis=0)
        size[self._groups >= 0] = 1.0
        scaled = np.rint(table * (127.0 / np.where(size > 0.0, size, 1.0)))
        side = len(table) // SIDE
        maps = np.ascontiguousarray(scaled.T.astype(np.int8)).reshape(-1, side, SIDE)
        weights = tuple(
            self.architecture.weights(theta, k)[: self._shown[k], : self._shown[k + 1]]
            for k in range(len(self._shown) - 1)
        )
        dropped = None if factors is None else self._dropped(factors)
        return NetworkDiagram(
            weights, maps, self.extent, self._names, self._titles, self._groups, self._omitted, dropped
        )

    def _dropped(self, factors: Array) -> Array:
        off = [np.zeros(self._shown[0], dtype=bool)]
        for slot, count in zip(self.architecture.slots, self._shown[1:-1], strict=False):
            off.append(factors[slot.units][:count] == 0.0)
        off.append(np.zeros(self._shown[-1], dtype=bool))
        return np.concatenate(off)

    def plane(
        self, theta: Array, running: Array | None, batch: Array | None, share: float, rng: np.random.Generator
    ) -> tuple[Mark, ...]:
        """The boundary (or the fitted surface or curve), the hinges of the first layer, and the mini-batch."""
        marks: tuple[Mark, ...]
        if self.values:
            marks = (self.curve(theta, running, share, rng),) if self.data.d == 1 else (Regions("value"),)
        else:
            single = self.architecture.sizes[-1] == 1
            marks = (Regions("probability"), Isolines(strong=(0.5 if single else 0.0,)))
        if self.data.d == 2 and len(self.architecture.sizes) > 2:
            marks += self.hinges(theta, running)
        if batch is not None:
            marks += (Highlight(batch, "chosen", "mini-batch"),)
        return marks

    def curve(self, theta: Array, running: Array | None, share: float, rng: np.random.Generator) -> Curve:
        """The function of one feature, with a band of two deviations where dropout makes it uncertain."""
        inputs, scaling = self.scaling.inputs(self._line[:, None]), self.scaling
        line = forward(self.architecture, theta, inputs, running).logits[:, 0]
        y = scaling.target_centre + scaling.target_scale * line
        if share == 0.0 or self.architecture.hidden == 0:
            return Curve(self._line, y, "network")
        passes = [
            forward(self.architecture, theta, inputs, running, dropout_factors(self.architecture.hidden, share, rng))
            for _ in range(PASSES)
        ]
        deviation = scaling.target_scale * np.std([trace.logits[:, 0] for trace in passes], axis=0)
        return Curve(self._line, y, "network, ±2 deviations of dropout", y - 2 * deviation, y + 2 * deviation)

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
        ends = _cut(normals, biases[:MOST_UNITS], low - BEYOND * (high - low), high + BEYOND * (high - low))
        if not len(ends):
            return ()
        ends = ends * self.scaling.scale + self.scaling.centre
        return (Segments(ends[:, 0], ends[:, 1], "edge", name="hinges"),)


def gradient_bars(norms: Array) -> Bars:
    """The length of the gradient in the weights of each layer: vanishing and exploding are seen at a glance."""
    return Bars(norms, names=tuple(f"layer {k + 1}" for k in range(len(norms))))


def learning_curves(history: Array, best: int, has_validation: bool) -> tuple[Mark, ...]:
    """Training and validation loss over the epochs, with the best epoch so far."""
    if not len(history):
        return ()
    epochs = np.arange(1, len(history) + 1, dtype=np.float32)
    marks: tuple[Mark, ...] = (Curve(epochs, history[:, 0], "training"),)
    if has_validation:
        marks += (Curve(epochs, history[:, 1], "validation"), Rule(float(best), "best epoch"))
    return marks


def _extent(X: Array) -> tuple[float, float, float, float]:
    low, high = X[:, :2].min(axis=0), X[:, :2].max(axis=0)
    span = high - low
    span = np.where(span > 0.0, span, 1.0)
    low, high = low - MARGIN * span, high + MARGIN * span
    if X.shape[1] == 1:
        return float(low[0]), float(high[0]), 0.0, 1.0
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def _grid(X: Array, extent: tuple[float, float, float, float]) -> Array:
    """The middles of the cells over the first two features, the others at their means, lowest row first."""
    left, right, bottom, top = extent
    x = left + (np.arange(SIDE) + 0.5) * ((right - left) / SIDE)
    if X.shape[1] == 1:
        return x[:, None]
    y = bottom + (np.arange(SIDE) + 0.5) * ((top - bottom) / SIDE)
    grid = np.empty((SIDE, SIDE, X.shape[1]))
    grid[...] = X.mean(axis=0)
    grid[..., 0], grid[..., 1] = x[None, :], y[:, None]
    return grid.reshape(SIDE * SIDE, X.shape[1])


def _cut(normals: Array, offsets: Array, low: Array, high: Array) -> Array:
    """The pieces of the lines n·x + b = 0 inside the rectangle from ``low`` to ``high``, (m, 2, 2)."""
    length = np.hypot(normals[:, 0], normals[:, 1])
    known = length > 1e-12
    normals, offsets, length = normals[known], offsets[known], length[known]
    along = np.stack([-normals[:, 1], normals[:, 0]], axis=1) / length[:, None]
    foot = -normals * (offsets / length**2)[:, None]
    # t at which foot + t along enters and leaves each pair of sides; a line parallel to a side never crosses it
    safe = np.where(np.abs(along) > 1e-12, along, 1e-12)
    first, second = (low - foot) / safe, (high - foot) / safe
    enter = np.minimum(first, second).max(axis=1)
    leave = np.maximum(first, second).min(axis=1)
    seen = enter < leave
    return np.stack([foot + enter[:, None] * along, foot + leave[:, None] * along], axis=1)[seen]
