"""What a training network looks like: diagram, boundary with hinges, fitted curve, gradients and losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Points
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, NetworkDiagram, ReferenceLine, Regions, Segments
from algorithms.maths.neuron_maps import MOST_UNITS, STRONG, extent_around, grid_over, lines_around, maps_of
from algorithms.neural._layers import TINY_VARIANCE, Architecture, dropout_factors, forward, outputs

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


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """Everything about the pictures of a run that does not change from frame to frame."""

    data: Points
    architecture: Architecture
    scaling: Scaling
    extent: tuple[float, float, float, float]
    grid: Array  # (cells, d) the middles of the cells of the little fields, as the network sees them
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
        """The network with a little field in every neuron; dropout's factors say which units were off.

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
        inputs, scaling = self.scaling.inputs(self.line[:, None]), self.scaling
        line = outputs(self.architecture, forward(self.architecture, theta, inputs, running).logits)[:, 0]
        y = scaling.target_centre + scaling.target_scale * line
        if share == 0.0 or self.architecture.hidden == 0:
            return Curve(self.line, y, "network")
        passes = [
            forward(self.architecture, theta, inputs, running, dropout_factors(self.architecture.hidden, share, rng))
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
    """Training and validation loss over the epochs, with the best epoch so far."""
    if not len(history):
        return ()
    epochs = np.arange(1, len(history) + 1, dtype=np.float32)
    marks: tuple[Mark, ...] = (Curve(epochs, history[:, 0], "training"),)
    if has_validation:
        marks += (Curve(epochs, history[:, 1], "validation"), ReferenceLine(float(best), "best epoch"))
    return marks
