"""Training a network: the state that one mini-batch hands to the next, early stopping, and the frames of a run.

The random numbers of an epoch and of a mini-batch depend only on the key of the run and their number, and the state
holds everything else, the memory of the optimiser too. So a run that goes on from any frame goes exactly the way it
would have gone, unless a knob was turned meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DataError, LazyViews, Snapshot
from algorithms.data import Array, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.optimisers import OPTIMISERS, Memory, Momentum, Optimiser
from algorithms.maths.scales import mean_and_spread
from algorithms.neural import _layers as layers
from algorithms.neural._layers import Architecture
from algorithms.neural._network_marks import Pictures, Scaling
from algorithms.neural._network_views import views_of

if TYPE_CHECKING:
    from algorithms.neural.mlp import Params

WATCHED = 8
"""How many mini-batches at the beginning have a frame of their own."""
POSITIVE = ("softplus", "exponential")
"""Outputs that say a real value that cannot be negative."""
INERTIA = 0.9
"""How much of the running statistics of batch normalisation stays at each mini-batch."""
TOO_LARGE = 1e6
"""Weights beyond this, for inputs of deviation 1, mean that the training has diverged."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that one mini-batch hands to the next."""

    theta: Array  # (p,)
    running: Array  # (2, hidden units), empty without batch normalisation
    memory: Memory
    epoch: int = 0  # epochs completed
    batch: int = 0  # mini-batches of the current epoch done


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The network after a frame, with all that is needed to go on from it."""

    architecture: Architecture
    state: State
    scaling: Scaling
    classes: int  # 0 for a real target
    best: State
    best_loss: float  # infinite before the first epoch
    waited: int  # epochs without a better validation loss
    history: Array  # (epochs, 2) float32: training and validation loss
    held_out: Array  # the points of the validation set
    key: int  # of the random numbers
    optimiser: str
    batches: int  # mini-batches in an epoch
    norms: Array  # (layers,) length of the gradient in each layer's weights

    def running(self) -> Array | None:
        """The statistics for batch normalisation in testing, if it is used."""
        return self.state.running if self.architecture.batch_norm else None

    def logits(self, X: Array) -> Array:
        """The sums of the output layer for points in data units, (m, outputs)."""
        return layers.forward(self.architecture, self.state.theta, self.scaling.inputs(X), self.running()).logits


def patience_after(best: float, waited: int, loss: float) -> tuple[float, int]:
    """The best validation loss, and how many epochs it has been waited for a better one, after one more epoch."""
    return (loss, 0) if loss < best else (best, waited + 1)


class Trainer:
    """One training: it holds the current state and makes the frames."""

    def __init__(self, data: Points, params: Params, rng: np.random.Generator, start: Model | None) -> None:
        self.data, self.params = data, params
        output, self.targets = _output_and_targets(data, params.output)
        sizes = (data.d, *params.hidden, self.targets.shape[1])
        self.architecture = Architecture(sizes, params.activation, output, params.batch_norm)
        self.model = self._begun(rng) if start is None or not self._fits(start) else self._resumed(start)
        if self.model.classes == 0:
            scaling = self.model.scaling
            self.targets = (self.targets - scaling.target_centre) / scaling.target_scale
        checkpoint()
        self.inputs = self.model.scaling.inputs(data.X)
        self.held_out = self.model.held_out
        taught = np.ones(data.n, dtype=bool)
        taught[self.held_out] = False
        self.training = np.flatnonzero(taught)
        checkpoint()
        self.batches = -(-len(self.training) // params.batch)
        if self.model.state.batch and self.model.batches != self.batches:
            self.model = replace(self.model, state=replace(self.model.state, batch=0))
        self.model = replace(self.model, batches=self.batches, optimiser=params.optimiser)
        self.state = self.model.state
        self.rule: Optimiser = OPTIMISERS[params.optimiser]()
        if isinstance(self.rule, Momentum):
            self.rule = replace(self.rule, beta=params.momentum)
        self.pictures = Pictures.of(data, self.architecture, self.model.scaling)
        self.last = params.epochs if self.state.epoch < params.epochs else self.state.epoch + params.epochs
        self.batch: Array | None = None
        self.factors: Array | None = None
        self.gradient: Array | None = None
        self._squares = np.zeros(len(self.architecture.slots))  # of the gradient in each layer, in the latest step
        self._sum = np.zeros(len(self._squares))  # in this epoch
        self._measured: tuple[Array, dict[str, float]] | None = None
        self.warning = ""

    # -- the beginning -------------------------------------------------------------------------------------------------

    def _begun(self, rng: np.random.Generator) -> Model:
        """A network with random weights, and a random part of the data held out."""
        checkpoint()
        data, params, architecture = self.data, self.params, self.architecture
        key = int(rng.integers(2**62))
        count = min(round(params.validation * data.n), data.n - 1)
        held_out = np.sort(rng.permutation(data.n)[:count])
        theta = layers.initial(architecture, params.init, rng)
        hidden = architecture.hidden if params.batch_norm else 0
        running = np.stack([np.zeros(hidden), np.ones(hidden)])
        state = State(theta, running, OPTIMISERS[params.optimiser]().init(theta.shape))
        classes = len(data.classes)
        scaling = Scaling(*mean_and_spread(data.X))
        if not classes:
            centre, scale = _target_scale(self.targets, architecture.output)
            scaling = replace(scaling, target_centre=centre, target_scale=scale)
        return Model(
            architecture,
            state,
            scaling,
            classes,
            best=state,
            best_loss=math.inf,
            waited=0,
            history=np.empty((0, 2), dtype=np.float32),
            held_out=held_out,
            key=key,
            optimiser=params.optimiser,
            batches=0,
            norms=np.zeros(len(architecture.slots)),
        )

    def _fits(self, start: Model) -> bool:
        """Whether the model is a network of this kind for this many points; another one is not looked at."""
        same = start.architecture == self.architecture and start.classes == len(self.data.classes)
        return same and (len(start.held_out) == 0 or int(start.held_out.max()) < self.data.n)

    def _resumed(self, start: Model) -> Model:
        """The model as it was; another optimiser begins with an empty memory, and patience begins anew at a stop."""
        if start.optimiser != self.params.optimiser:
            memory = OPTIMISERS[self.params.optimiser]().init(start.state.theta.shape)
            start = replace(start, state=replace(start.state, memory=memory))
        stopped = 0 < self.params.patience <= start.waited or start.state.epoch == start.best.epoch
        waited = 0 if stopped else start.waited
        return replace(start, waited=waited, history=start.history[: start.state.epoch])

    # -- training ------------------------------------------------------------------------------------------------------

    def mini_batches(self) -> Iterator[Array]:
        """The mini-batches that remain of this epoch: all training points in random order, in equal parts."""
        order = np.random.default_rng([self.model.key, self.state.epoch]).permutation(self.training)
        yield from np.array_split(order, self.batches)[self.state.batch :]

    def _dropped(self) -> Array | None:
        """What dropout multiplies each hidden unit with in the next mini-batch."""
        if not self.params.dropout:
            return None
        rng = np.random.default_rng([self.model.key, self.state.epoch, self.state.batch + 1])
        return layers.dropout_factors(self.architecture.hidden, self.params.dropout, rng)

    def look_at(self, batch: Array) -> float:
        """Forward and backward without a step, to be shown; the mean loss of the mini-batch."""
        self.batch, self.factors = batch, self._dropped()
        inputs, targets = self.inputs[batch], self.targets[batch]
        place = self.rule.look_ahead(self.state.memory, self.state.theta)
        self.gradient, trace = layers.loss_gradient(self.architecture, place, inputs, targets, self.factors)
        return float(layers.losses(self.architecture, trace.logits, targets).mean())

    def step(self, batch: Array) -> bool:
        """Forward, backward, and one step of the optimiser; False when the numbers have grown out of hand."""
        checkpoint()
        params, state, architecture = self.params, self.state, self.architecture
        factors = self._dropped()
        rate = params.learning_rate / (1.0 + params.rate_decay * state.epoch)
        with np.errstate(over="ignore", invalid="ignore"):
            place = self.rule.look_ahead(state.memory, state.theta)
            gradient, trace = layers.loss_gradient(
                architecture, place, self.inputs.take(batch, axis=0), self.targets.take(batch, axis=0), factors
            )
            squares = layers.layer_squares(architecture, gradient)
            if params.l1 or params.l2:
                gradient += layers.penalty_gradient(architecture, place, params.l1, params.l2)
            memory, change = self.rule.update(state.memory, gradient, rate)
            theta = state.theta - change
            if params.weight_decay:
                theta -= params.weight_decay * layers.weight_mask(architecture) * state.theta
            largest = float(np.abs(theta).max())
        if not largest <= TOO_LARGE:
            return False
        running = state.running
        if architecture.batch_norm:
            running = INERTIA * running + (1.0 - INERTIA) * trace.statistics
        self.state = State(theta, running, memory, state.epoch, state.batch + 1)
        self._squares = squares
        self._sum += squares
        self.batch, self.factors = batch, factors
        return True

    def end_epoch(self) -> bool:
        """Measure, remember the best epoch, count the patience; False when the loss is no longer a number."""
        epoch = self.state.epoch + 1
        self.state = replace(self.state, epoch=epoch, batch=0)
        self._squares, self._sum = self._sum / self.batches, np.zeros_like(self._sum)
        measured = self.measured()
        losses = measured["loss"], measured["validation_loss"]
        if not max(losses) < TOO_LARGE**2:
            return False
        best_loss, waited = patience_after(self.model.best_loss, self.model.waited, losses[1])
        history = np.concatenate([self.model.history, np.array([losses], dtype=np.float32)])
        best = self.state if waited == 0 else self.model.best
        self.model = replace(self._caught_up(), best=best, best_loss=best_loss, waited=waited, history=history)
        return True

    def _caught_up(self) -> Model:
        """The model of the current state: the mini-batches between two frames need none."""
        if self.model.state is not self.state:
            self.model = replace(self.model, state=self.state, norms=np.sqrt(self._squares))
        return self.model

    @property
    def out_of_patience(self) -> bool:
        """Whether it has been waited long enough for a better validation loss."""
        return self.stops_early and self.params.patience <= self.model.waited

    @property
    def stops_early(self) -> bool:
        """Whether there is a patience, and points to watch."""
        return self.params.patience > 0 and len(self.held_out) > 0

    def return_to_best(self) -> None:
        """Take the state after the epoch with the least validation loss; the curves still show what came later."""
        self.state = self.model.best
        self.model = replace(self.model, state=self.state)

    def take_back(self, model: Model) -> None:
        """Return to an earlier model, whose numbers are still numbers."""
        self.model, self.state = model, model.state

    # -- frames --------------------------------------------------------------------------------------------------------

    def measured(self) -> dict[str, float]:
        """Loss and accuracy (R² for a real target) on the training and the validation points, as in testing."""
        if self._measured is not None and self._measured[0] is self.state.theta:
            return self._measured[1]
        with np.errstate(over="ignore", invalid="ignore"):
            running = self.state.running if self.architecture.batch_norm else None
            logits = layers.logits_of(self.architecture, self.state.theta, self.inputs, running)
            losses = layers.losses(self.architecture, logits, self.targets)
            found = {}
            for prefix, part in (("", self.training), ("validation_", self.held_out)):
                rows = part if len(part) else self.training
                found[f"{prefix}loss"] = float(losses[rows].mean())
                found[f"{prefix}accuracy"] = self._accuracy(logits[rows], self.targets[rows])
        order = ("loss", "validation_loss", "accuracy", "validation_accuracy")
        self._measured = (self.state.theta, {name: found[name] for name in order})
        return self._measured[1]

    def _accuracy(self, logits: Array, targets: Array) -> float:
        if self.model.classes:
            return float((chosen(logits, self.architecture) == chosen_target(targets)).mean())
        spread = float(np.square(targets - targets.mean()).sum())
        errors = layers.outputs(self.architecture, logits) - targets
        return 1.0 - float(np.square(errors).sum()) / spread if spread > 0.0 else 0.0

    def frame(self, phase: str, caption: str) -> Snapshot:
        """The current state as a frame."""
        model = self._caught_up()
        if phase == "start":
            model = self.model = replace(model, norms=self._opening_norms())
            self.batch = self.factors = None
        in_batch = phase in ("forward", "backward", "batch")
        batch = np.sort(self.batch) if in_batch and self.batch is not None else None
        factors, gradient = self.factors if in_batch else None, self.gradient if phase == "backward" else None
        views = LazyViews(views_of, self.pictures, model, self.params.dropout, batch, factors, gradient)
        weights = self.state.theta * layers.weight_mask(self.architecture)
        metrics = self.measured() | {
            "gradient_first": float(model.norms[0]),
            "gradient_last": float(model.norms[-1]),
            "weights": float(np.sqrt(weights @ weights)),
        }
        return Snapshot(model, views, metrics, phase, caption.format(**metrics), self.warning)

    def _opening_norms(self) -> Array:
        gradient = layers.whole_gradient(
            self.architecture, self.state.theta, self.inputs[self.training], self.targets[self.training]
        )
        return np.sqrt(layers.layer_squares(self.architecture, gradient))

    def score(self, prefix: str = "") -> str:
        """How a caption writes accuracy or R², to be filled in from the metrics."""
        return f"{{{prefix}accuracy:.1%}} right" if self.model.classes else f"R² {{{prefix}accuracy:.3f}}"


def chosen(logits: Array, architecture: Architecture) -> Array:
    """The class that the output layer favours, (n,)."""
    if architecture.sizes[-1] > 1:
        return logits.argmax(axis=1)
    threshold = 0.5 if architecture.output == "identity" else 0.0
    return (logits[:, 0] > threshold).astype(np.int64)


def chosen_target(targets: Array) -> Array:
    """The class number from its 0-1 code, (n,)."""
    return targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0].astype(np.int64)


def _target_scale(targets: Array, output: str) -> tuple[float, float]:
    """Centre and scale of a real target as the output says it: in [-1, 1] for tanh, from 0 where it is positive."""
    centre, scale = mean_and_spread(targets)
    if output == "tanh":
        low, high = float(targets.min()), float(targets.max())
        return (low + high) / 2, (high - low) / 2 or 1.0
    return (0.0 if output in POSITIVE else float(centre[0])), float(scale[0])


def _output_and_targets(data: Points, wanted: str) -> tuple[str, Array]:
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
    y, count = data.class_numbers("The network"), len(data.classes)
    present = np.flatnonzero(np.bincount(y, minlength=count))
    if len(present) < 2:
        name = data.classes[int(present[0])]
        raise DataError(f"A boundary needs points of at least two classes; all of these are of the class {name!r}.")
    output = wanted if wanted != "automatic" else "sigmoid" if count == 2 else "softmax"
    if count == 2 and output != "softmax":
        return output, y[:, None].astype(np.float64)
    return output, np.eye(count)[y]
