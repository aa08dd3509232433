"""The mathematics of a layered network: forward, backward, activations, outputs with their losses, initial weights.

All parameters live in one vector θ, layer after layer (weights, biases, and with batch normalisation scales), so that
an optimiser is one call and a frame shares one array. With h⁰ = x, layer k computes

    aᵏ = hᵏ⁻¹ Wᵏ + bᵏ,    hᵏ = σ(aᵏ)
    aᵏ = γᵏ (zᵏ - mean(zᵏ)) / sd(zᵏ) + bᵏ  with  zᵏ = hᵏ⁻¹ Wᵏ        (with batch normalisation)

and backpropagation goes back through the same steps: δ of the last layer is (ŷ - y)/n for each pair of output and loss
(softmax with cross-entropy, sigmoid with binary cross-entropy, identity with half the squared error), then
δᵏ = σ'(aᵏ) ⊙ δᵏ⁺¹ Wᵏ⁺¹ᵀ, and the gradients are hᵏ⁻¹ᵀ δᵏ and the column sums of δᵏ.

Dropout is inverted: what stays on in training is divided by 1 - p, and testing changes nothing. (The handbook scales
the input of the first layer, which nothing was dropped from, and not that of the last, which was.)

Reference: Methods for Data Science §8.2-8.6; Handbook §4.5, Algorithms 15-18; §9 (Introduction to Machine Learning).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.losses import expit, softplus

SELU_SCALE: Final = 1.0507009873554805
SELU_ALPHA: Final = 1.6732632423543772
TINY_VARIANCE: Final = 1e-5
"""What batch normalisation adds to a variance, so that a unit that says the same to everybody divides by something."""
_LARGEST_EXPONENT = 300.0
_MANY = 1000
"""With more points than this, one layer may take so long that a run can be called off before it."""
_BLOCK = 1 << 17
"""Sums of units worked out at once when many points are sent through: they stay in the cache."""


@dataclass(frozen=True, slots=True)
class Activation:
    """A function of the weighted sum a, and its derivative from a and the value h."""

    value: Callable[[Array], Array]
    slope: Callable[[Array, Array], Array]


def _elu(a: Array) -> Array:
    return np.where(a > 0.0, a, np.expm1(np.minimum(a, 0.0)))


def _elu_slope(a: Array, h: Array) -> Array:
    return np.where(a > 0.0, 1.0, h + 1.0)


def _selu(a: Array) -> Array:
    return SELU_SCALE * np.where(a > 0.0, a, SELU_ALPHA * np.expm1(np.minimum(a, 0.0)))


def _selu_slope(a: Array, h: Array) -> Array:
    return np.where(a > 0.0, SELU_SCALE, h + SELU_SCALE * SELU_ALPHA)


def _swish_slope(a: Array, h: Array) -> Array:
    gate: Array = expit(a)
    return gate + h * (1.0 - gate)


ACTIVATIONS: Final[dict[str, Activation]] = {
    "identity": Activation(lambda a: a, lambda a, h: np.ones_like(a)),
    "sigmoid": Activation(expit, lambda a, h: h * (1.0 - h)),
    "tanh": Activation(np.tanh, lambda a, h: 1.0 - h * h),
    "relu": Activation(lambda a: np.maximum(a, 0.0), lambda a, h: (a > 0.0).astype(np.float64)),
    "elu": Activation(_elu, _elu_slope),
    "selu": Activation(_selu, _selu_slope),
    "softplus": Activation(softplus, lambda a, h: expit(a)),
    "swish": Activation(lambda a: a * expit(a), _swish_slope),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """Where the parameters of one layer lie in θ."""

    shape: tuple[int, int]  # units before, units in this layer
    weights: slice
    biases: slice
    scales: slice | None  # of batch normalisation
    units: slice  # where its units lie among all hidden units


@dataclass(frozen=True)
class Architecture:
    """What a network is apart from its numbers. ``sizes`` counts the units of every layer, input and output too."""

    sizes: tuple[int, ...]
    activation: str = "tanh"
    output: str = "sigmoid"
    batch_norm: bool = False

    @functools.cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Where each layer lies in θ."""
        return _slots(self)

    @functools.cached_property
    def edges(self) -> list[int]:
        """Where in θ the weights of each layer begin and end, one after the other."""
        return [edge for slot in self.slots for edge in (slot.weights.start, slot.weights.stop)]

    @property
    def parameters(self) -> int:
        """How many numbers θ has."""
        last = self.slots[-1]
        return last.biases.stop

    @property
    def hidden(self) -> int:
        """How many hidden units there are."""
        return sum(self.sizes[1:-1])

    def weights(self, theta: Array, layer: int) -> Array:
        """The weights into a layer, (units before, units); a view."""
        slot = self.slots[layer]
        return theta[slot.weights].reshape(slot.shape)


def _slots(architecture: Architecture) -> tuple[Slot, ...]:
    slots, place, unit = [], 0, 0
    sizes = architecture.sizes
    for layer, (before, count) in enumerate(itertools.pairwise(sizes)):
        weights = slice(place, place + before * count)
        scaled = architecture.batch_norm and layer < len(sizes) - 2
        scales = slice(weights.stop, weights.stop + count) if scaled else None
        biases = slice((scales or weights).stop, (scales or weights).stop + count)
        slots.append(Slot((before, count), weights, biases, scales, slice(unit, unit + count)))
        place, unit = biases.stop, unit + count
    return tuple(slots)


@functools.lru_cache(maxsize=64)
def weight_mask(architecture: Architecture) -> Array:
    """1 for every weight and 0 for biases and scales, which no penalty touches, (p,)."""
    mask = np.zeros(architecture.parameters)
    for slot in architecture.slots:
        mask[slot.weights] = 1.0
    mask.setflags(write=False)
    return mask


def initial(architecture: Architecture, scheme: str, rng: np.random.Generator) -> Array:
    """θ before training: random weights by the scheme, biases 0, scales 1."""
    theta = np.zeros(architecture.parameters)
    for slot in architecture.slots:
        before, count = slot.shape
        spread = {
            "xavier": math.sqrt(2.0 / (before + count)),
            "he": math.sqrt(2.0 / before),
            "lecun": math.sqrt(1.0 / before),
            "small random": 0.01,
            "zeros": 0.0,
        }[scheme]
        theta[slot.weights] = spread * rng.standard_normal(before * count)
        if slot.scales is not None:
            theta[slot.scales] = 1.0
    return theta


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What a pass forward leaves for the pass back: one entry for each layer."""

    entered: list[Array]  # hᵏ⁻¹ after dropout, (n, units before)
    sums: list[Array]  # aᵏ, (n, units)
    values: list[Array]  # hᵏ before dropout, (n, units); the last is the output's sum itself
    normal: list[tuple[Array, Array] | None]  # (z - mean) / sd and 1 / sd
    statistics: Array  # (2, hidden units): the means and variances that batch normalisation used

    @property
    def logits(self) -> Array:
        """The sums of the output layer, (n, outputs)."""
        return self.sums[-1]


def forward(
    architecture: Architecture, theta: Array, X: Array, running: Array | None = None, factors: Array | None = None
) -> Trace:
    """Send points through the network.

    ``running`` (2, hidden units) are the means and variances for batch normalisation, as in testing; without them
    those of ``X`` are used, as in training. ``factors`` (hidden units,) is what dropout multiplies each hidden unit
    with, 0 or 1/(1-p); without it all units work, as in testing.
    """
    sigma = ACTIVATIONS[architecture.activation].value
    trace = Trace([], [], [], [], np.empty((2, architecture.hidden if architecture.batch_norm else 0)))
    slots = architecture.slots
    last = len(slots) - 1
    h = X
    for layer, slot in enumerate(slots):
        if len(X) > _MANY:
            checkpoint()
        trace.entered.append(h)
        a = h @ theta[slot.weights].reshape(slot.shape)
        if slot.scales is not None:
            a = _normalise(trace, a, slot, running) * theta[slot.scales]
        else:
            trace.normal.append(None)
        a += theta[slot.biases]
        trace.sums.append(a)
        h = a if layer == last else sigma(a)
        trace.values.append(h)
        if factors is not None and layer < last:
            h = h * factors[slot.units]
    return trace


def logits_of(architecture: Architecture, theta: Array, X: Array, running: Array | None = None) -> Array:
    """The sums of the output layer in testing, (n, outputs), a block of points at a time."""
    if architecture.batch_norm and running is None:
        return forward(architecture, theta, X).logits
    block = max(_BLOCK // sum(architecture.sizes), 256)
    found = np.empty((len(X), architecture.sizes[-1]))
    for start in range(0, len(X), block):
        found[start : start + block] = forward(architecture, theta, X[start : start + block], running).logits
    return found


def _normalise(trace: Trace, z: Array, slot: Slot, running: Array | None) -> Array:
    if running is None:
        mean = z.mean(axis=0)
        variance = np.square(z - mean).mean(axis=0)
    else:
        mean, variance = running[:, slot.units]
    trace.statistics[0, slot.units], trace.statistics[1, slot.units] = mean, variance
    inverse = 1.0 / np.sqrt(variance + TINY_VARIANCE)
    normal = (z - mean) * inverse
    trace.normal.append((normal, inverse))
    return normal


def backward(
    architecture: Architecture, theta: Array, trace: Trace, delta: Array, factors: Array | None = None
) -> Array:
    """The gradient of the loss in θ, (p,), from δ of the output's sums.

    With batch normalisation it is the gradient of training, where mean and variance depend on the batch.
    """
    slope, slots = ACTIVATIONS[architecture.activation].slope, architecture.slots
    gradient = np.empty(len(theta))
    for layer in range(len(slots) - 1, -1, -1):
        if len(delta) > _MANY:
            checkpoint()
        slot, normal = slots[layer], trace.normal[layer]
        np.add.reduce(delta, axis=0, out=gradient[slot.biases])
        if slot.scales is not None and normal is not None:
            gradient[slot.scales] = (delta * normal[0]).sum(axis=0)
            delta = _back_through_normalisation(delta * theta[slot.scales], *normal)
        np.matmul(trace.entered[layer].T, delta, out=gradient[slot.weights].reshape(slot.shape))
        if layer > 0:
            delta = delta @ theta[slot.weights].reshape(slot.shape).T
            if factors is not None:
                delta = delta * factors[slots[layer - 1].units]
            delta *= slope(trace.sums[layer - 1], trace.values[layer - 1])
    return gradient


def input_slopes(architecture: Architecture, theta: Array, trace: Trace, delta: Array) -> Array:
    """How the outputs, weighted by δ, change with the inputs of a network in testing, (n, d)."""
    slope = ACTIVATIONS[architecture.activation].slope
    for layer in range(len(architecture.slots) - 1, -1, -1):
        slot, normal = architecture.slots[layer], trace.normal[layer]
        if slot.scales is not None and normal is not None:
            delta = delta * theta[slot.scales] * normal[1]
        delta = delta @ theta[slot.weights].reshape(slot.shape).T
        if layer > 0:
            delta = delta * slope(trace.sums[layer - 1], trace.values[layer - 1])
    return delta


def _back_through_normalisation(delta: Array, normal: Array, inverse: Array) -> Array:
    """δ before the normalisation: mean and deviation of the batch move with every point."""
    return (delta - delta.mean(axis=0) - normal * (delta * normal).mean(axis=0)) * inverse


def outputs(architecture: Architecture, logits: Array) -> Array:
    """What the output layer says: probabilities, or the sums themselves, (n, outputs)."""
    if architecture.output == "softmax":
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))
    if architecture.output in ACTIVATIONS:
        return ACTIVATIONS[architecture.output].value(logits)
    return np.exp(np.minimum(logits, _LARGEST_EXPONENT))


def losses(architecture: Architecture, logits: Array, targets: Array) -> Array:
    """The loss of every point, (n,), from the sums, so that no logarithm of 0 can occur."""
    if architecture.output == "softmax":
        top = logits.max(axis=1)
        return np.asarray(top + np.log(np.exp(logits - top[:, None]).sum(axis=1)) - (logits * targets).sum(axis=1))
    if architecture.output == "sigmoid":
        return np.asarray((softplus(logits) - targets * logits).sum(axis=1))
    return np.asarray(0.5 * np.square(outputs(architecture, logits) - targets).sum(axis=1))


def output_delta(architecture: Architecture, logits: Array, targets: Array) -> Array:
    """δ of the output's sums for the mean loss: (ŷ - y)/n for each matching pair of output and loss.

    An output that only bounds a real value (tanh, softplus, exponential) has the squared error, and its slope besides.
    """
    said = outputs(architecture, logits)
    delta = (said - targets) / len(targets)
    if architecture.output in ("tanh", "softplus"):
        delta *= ACTIVATIONS[architecture.output].slope(logits, said)
    elif architecture.output == "exponential":
        delta *= said
    return np.asarray(delta)


def loss_gradient(
    architecture: Architecture, theta: Array, X: Array, targets: Array, factors: Array | None = None
) -> tuple[Array, Trace]:
    """The gradient of the mean training loss over these points, (p,), and the trace of the pass."""
    trace = forward(architecture, theta, X, factors=factors)
    delta = output_delta(architecture, trace.logits, targets)
    return backward(architecture, theta, trace, delta, factors), trace


def whole_gradient(architecture: Architecture, theta: Array, X: Array, targets: Array) -> Array:
    """The gradient of the mean training loss over many points, (p,), a block of points at a time.

    Batch normalisation looks at all of them together, so there the whole is one block.
    """
    n = len(X)
    block = n if architecture.batch_norm else max(_BLOCK // sum(architecture.sizes), 256)
    gradient = np.zeros(len(theta))
    for start in range(0, n, block):
        part = slice(start, start + block)
        gradient += loss_gradient(architecture, theta, X[part], targets[part])[0] * (len(X[part]) / n)
    return gradient


def penalty_gradient(architecture: Architecture, theta: Array, l1: float, l2: float) -> Array:
    """The gradient of l1 Σ|w| + l2 Σ w² over the weights."""
    return weight_mask(architecture) * (l1 * np.sign(theta) + 2.0 * l2 * theta)


def layer_squares(architecture: Architecture, gradient: Array) -> Array:
    """The squared length of the gradient in the weights of each layer, (layers,)."""
    return np.add.reduceat(gradient * gradient, architecture.edges)[::2]


def dropout_factors(count: int, probability: float, rng: np.random.Generator) -> Array | None:
    """0 with this probability p, otherwise 1/(1 - p), for each hidden unit; None where nothing is dropped."""
    if probability == 0.0 or count == 0:
        return None
    return (rng.random(count) >= probability) / (1.0 - probability)
