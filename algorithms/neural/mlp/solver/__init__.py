"""Training a network: mini-batches, one step of an optimiser, early stopping. No pictures.

The random numbers of an epoch and of a mini-batch depend only on the key of the run and their number, and the state
holds everything else, the memory of the optimiser too. So a run that goes on from any frame goes exactly the way it
would have gone, unless a knob was turned meanwhile.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from algorithms.contract import DataError
from algorithms.data import Array, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.optimisers import OPTIMISERS, Memory, Momentum, Optimiser
from algorithms.maths.scales import mean_and_spread
from algorithms.neural.mlp.solver import networks
from algorithms.neural.mlp.solver.networks import Architecture

if TYPE_CHECKING:
    from algorithms.neural.mlp import Params

POSITIVE = ("softplus", "exponential")
"""Outputs that say a real value that cannot be negative."""
INERTIA = 0.9
"""How much of the running statistics of batch normalisation stays at each mini-batch."""
MOST_WEIGHTS, MOST_VALUES = 2_000_000, 50_000_000
"""How many weights a network may have, and how many values in all its units all points together."""
TOO_LARGE = 1e6
"""Weights beyond this, for inputs of deviation 1, mean that the training has diverged."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """From the units of the data to those of the network, where the training points have mean 0 and deviation 1."""

    centre: Array  # (d,)
    scale: Array  # (d,)
    target_centre: float = 0.0
    target_scale: float = 1.0

    @classmethod
    def of(cls, X: Array, targets: Array, output: str, classes: bool) -> Scaling:
        """The scaling of these points; the codes of classes stay as they are."""
        own = (0.0, 1.0) if classes else _target_scale(targets, output)
        return cls(*mean_and_spread(X), *own)

    def inputs(self, X: Array) -> Array:
        """Points as the network sees them."""
        return (X - self.centre) / self.scale


def _target_scale(targets: Array, output: str) -> tuple[float, float]:
    """Centre and scale of a real target as the output says it: in [-1, 1] for tanh, from 0 where it is positive."""
    centre, scale = mean_and_spread(targets)
    if output == "tanh":
        low, high = float(targets.min()), float(targets.max())
        return (low + high) / 2, (high - low) / 2 or 1.0
    return (0.0 if output in POSITIVE else float(centre[0])), float(scale[0])


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that one mini-batch hands to the next."""

    theta: Array  # (p,)
    running: Array  # (2, hidden units), empty without batch normalisation
    memory: Memory
    epoch: int = 0  # epochs completed
    batch: int = 0  # mini-batches of the current epoch done

    @classmethod
    def random(cls, architecture: Architecture, params: Params, rng: np.random.Generator) -> State:
        """A network before its first mini-batch."""
        theta = networks.initial(architecture, params.init, rng)
        hidden = architecture.hidden if params.batch_norm else 0
        running = np.stack([np.zeros(hidden), np.ones(hidden)])
        return cls(theta, running, fresh_memory(params.optimiser, theta))


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What does not change in a run: the points as the network sees them, and how it learns from them."""

    params: Params
    architecture: Architecture
    classes: int  # 0 for a real target
    inputs: Array  # (n, d)
    targets: Array  # (n, outputs)
    taught: Array  # the points to learn from
    held_out: Array  # the points that are only watched
    key: int  # of the random numbers
    batches: int  # mini-batches in an epoch
    rule: Optimiser

    @classmethod
    def of(
        cls,
        data: Points,
        params: Params,
        architecture: Architecture,
        targets: Array,
        scaling: Scaling,
        held_out: Array,
        key: int,
    ) -> Training:
        """The training of a network of this architecture on these points but those held out."""
        checkpoint()
        rule: Optimiser = OPTIMISERS[params.optimiser]()
        if isinstance(rule, Momentum):
            rule = replace(rule, beta=params.momentum)
        rows = np.ones(data.n, dtype=bool)
        rows[held_out] = False
        taught = np.flatnonzero(rows)
        targets = (targets - scaling.target_centre) / scaling.target_scale
        batches = -(-len(taught) // params.batch)
        inputs = scaling.inputs(data.X)
        checkpoint()
        return cls(params, architecture, len(data.classes), inputs, targets, taught, held_out, key, batches, rule)

    @property
    def stops_early(self) -> bool:
        """Whether there is a patience, and points to watch."""
        return self.params.patience > 0 and len(self.held_out) > 0

    def out_of_patience(self, waited: int) -> bool:
        """Whether so many epochs without a better validation loss are enough."""
        return self.stops_early and self.params.patience <= waited


class Step(NamedTuple):
    """What one mini-batch did."""

    state: State
    squares: Array  # (layers,) squared length of the gradient in the weights of each layer
    factors: Array | None  # (hidden units,) of dropout


def check_size(architecture: Architecture, n: int) -> None:
    """Refuse a network that would not fit into memory, before any of it is taken."""
    sizes = architecture.sizes
    weights = sum(before * count + count for before, count in itertools.pairwise(sizes))
    if weights > MOST_WEIGHTS:
        raise DataError(
            f"This network has {weights:,} weights; at most {MOST_WEIGHTS:,} can be trained. Use fewer units."
        )
    if n * sum(sizes) > MOST_VALUES:
        raise DataError(
            f"{n:,} points have {n * sum(sizes):,} values in the {sum(sizes):,} units of this network; at most "
            f"{MOST_VALUES:,} can be kept. Use fewer units or fewer points."
        )


def mini_batches(training: Training, state: State) -> Iterator[Array]:
    """The mini-batches that remain of this epoch: all training points in random order, in equal parts."""
    order = np.random.default_rng([training.key, state.epoch]).permutation(training.taught)
    yield from np.array_split(order, training.batches)[state.batch :]


def _dropped(training: Training, state: State) -> Array | None:
    """What dropout multiplies each hidden unit with in the next mini-batch."""
    if not training.params.dropout:
        return None
    rng = np.random.default_rng([training.key, state.epoch, state.batch + 1])
    return networks.dropout_factors(training.architecture.hidden, training.params.dropout, rng)


def there_and_back(training: Training, state: State, batch: Array) -> tuple[float, Array, Array | None]:
    """Forward and backward without a step: the mean loss of the mini-batch, the gradient, and dropout's factors."""
    factors = _dropped(training, state)
    targets = training.targets[batch]
    place = training.rule.look_ahead(state.memory, state.theta)
    gradient, trace = networks.loss_gradient(training.architecture, place, training.inputs[batch], targets, factors)
    return float(networks.losses(training.architecture, trace.logits, targets).mean()), gradient, factors


def step(training: Training, state: State, batch: Array) -> Step | None:
    """Forward, backward, and one step of the optimiser; None when the numbers have grown out of hand."""
    checkpoint()
    params, architecture = training.params, training.architecture
    factors = _dropped(training, state)
    rate = params.learning_rate / (1.0 + params.rate_decay * state.epoch)
    with np.errstate(over="ignore", invalid="ignore"):
        place = training.rule.look_ahead(state.memory, state.theta)
        inputs, targets = training.inputs.take(batch, axis=0), training.targets.take(batch, axis=0)
        gradient, trace = networks.loss_gradient(architecture, place, inputs, targets, factors)
        squares = networks.layer_squares(architecture, gradient)
        if params.l1 or params.l2:
            gradient += networks.penalty_gradient(architecture, place, params.l1, params.l2)
        memory, change = training.rule.update(state.memory, gradient, rate)
        theta = state.theta - change
        if params.weight_decay:
            theta -= params.weight_decay * networks.weight_mask(architecture) * state.theta
        largest = float(np.abs(theta).max())
    if not largest <= TOO_LARGE:
        return None
    running = state.running
    if architecture.batch_norm:
        running = INERTIA * running + (1.0 - INERTIA) * trace.statistics
    return Step(State(theta, running, memory, state.epoch, state.batch + 1), squares, factors)


def opening_norms(training: Training, state: State) -> Array:
    """The length of the gradient over all training points in the weights of each layer, (layers,)."""
    inputs, targets = training.inputs[training.taught], training.targets[training.taught]
    gradient = networks.whole_gradient(training.architecture, state.theta, inputs, targets)
    return np.sqrt(networks.layer_squares(training.architecture, gradient))


def measured(training: Training, state: State) -> dict[str, float]:
    """Loss and accuracy (R² for a real target) on the training and the validation points, as in testing."""
    architecture, targets = training.architecture, training.targets
    with np.errstate(over="ignore", invalid="ignore"):
        running = state.running if architecture.batch_norm else None
        logits = networks.logits_of(architecture, state.theta, training.inputs, running)
        losses = networks.losses(architecture, logits, targets)
        taught = training.taught
        watched = training.held_out if len(training.held_out) else taught
        return {
            "loss": float(losses[taught].mean()),
            "validation_loss": float(losses[watched].mean()),
            "accuracy": _accuracy(training, logits[taught], targets[taught]),
            "validation_accuracy": _accuracy(training, logits[watched], targets[watched]),
        }


def _accuracy(training: Training, logits: Array, targets: Array) -> float:
    if training.classes:
        return float((favoured(training.architecture, logits) == class_numbers(targets)).mean())
    spread = float(np.square(targets - targets.mean()).sum())
    errors = networks.outputs(training.architecture, logits) - targets
    return 1.0 - float(np.square(errors).sum()) / spread if spread > 0.0 else 0.0


def patience_after(best: float, waited: int, loss: float) -> tuple[float, int]:
    """The best validation loss, and how many epochs it has been waited for a better one, after one more epoch."""
    return (loss, 0) if loss < best else (best, waited + 1)


def fresh_memory(optimiser: str, theta: Array) -> Memory:
    """What an optimiser remembers before its first step."""
    memory: Memory = OPTIMISERS[optimiser]().init(theta.shape)
    return memory


def favoured(architecture: Architecture, logits: Array) -> Array:
    """The class that the output layer favours, (n,)."""
    if architecture.sizes[-1] > 1:
        return logits.argmax(axis=1)
    threshold = 0.5 if architecture.output == "identity" else 0.0
    return (logits[:, 0] > threshold).astype(np.int64)


def class_numbers(targets: Array) -> Array:
    """The class number from its 0-1 code, (n,)."""
    return targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0].astype(np.int64)


def class_codes(y: Array, count: int, outputs: int) -> Array:
    """The 0-1 code of class numbers for so many outputs, (n, outputs)."""
    return np.eye(count)[y] if outputs > 1 else y[:, None].astype(np.float64)


def output_and_targets(data: Points, wanted: str) -> tuple[str, Array]:
    """The output layer that suits the target, and the target as that layer is to say it, (n, outputs)."""
    if not data.is_labelled:
        values = data.values("The network")
        if wanted in ("softmax", "sigmoid"):
            raise DataError(f"A {wanted} output says probabilities of classes; this target is a real value.")
        if wanted in POSITIVE and values.min() < 0.0:
            raise DataError(f"A {wanted} output is never negative, but the target goes down to {values.min():.3g}.")
        return "identity" if wanted == "automatic" else wanted, values[:, None]
    if wanted in (*POSITIVE, "tanh"):
        raise DataError(f"A {wanted} output says a real value; classes need softmax, sigmoid or identity.")
    y, count = data.several_classes("The network"), len(data.classes)
    output = wanted if wanted != "automatic" else "sigmoid" if count == 2 else "softmax"
    return output, class_codes(y, count, 1 if count == 2 and output != "softmax" else count)
