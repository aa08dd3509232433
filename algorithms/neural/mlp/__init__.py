"""A multilayer perceptron, trained by backpropagation in mini-batches.

Layers of simple units follow each other; each unit weighs what the layer before says, adds a bias and bends the sum.
The loss falls along its gradient, which the chain rule gives for all weights in one pass back through the network.
With enough bent units any boundary can be drawn; validation, penalties and dropout keep it from drawing the noise.

    h⁰ = x,  hᵏ = σ(hᵏ⁻¹ Wᵏ + bᵏ),  ŷ = σ_out(...)        loss L = mean of l(y, ŷ)  (+ l1 Σ|w| + l2 Σ w²)
    θ ← (1 - weight_decay) θ - step of the optimiser along ∂L/∂θ over a random mini-batch

The output and its loss match the target: softmax with cross-entropy, sigmoid with binary cross-entropy, or identity
with half the squared error; for all three δ = (ŷ - y)/n. Features (and a real target) are standardised first, by mean
and deviation of the training points alone. Each knob marked as live can be turned while it trains: the weights and the
optimiser's memory are kept.

Reference: Handbook §4.5, Algorithms 15-18; Methods for Data Science §8.1-8.6; §9-9.3 (Introduction to Machine
Learning); Goodfellow, Bengio and Courville, Deep Learning, chapters 6-8. Corrected: Adam's bias correction has the
power t, and dropout scales exactly the units it drops from.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Count,
    Ended,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.words import counted
from algorithms.neural.mlp import words
from algorithms.neural.mlp.solver import (
    MOST_WEIGHTS,
    TOO_LARGE,
    Scaling,
    State,
    Training,
    check_size,
    favoured,
    fresh_memory,
    measured,
    mini_batches,
    networks,
    opening_norms,
    output_and_targets,
    patience_after,
    step,
    there_and_back,
)
from algorithms.neural.mlp.solver.networks import Architecture
from algorithms.neural.mlp.views import Pictures, views
from algorithms.params import Advanced, Between, Doc, Group, Live, Log, When, Zero

WATCHED = 8
"""How many mini-batches at the beginning have a frame of their own."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    hidden: Annotated[
        tuple[int, ...],
        Between(1, 256),
        Group("network"),
        Doc(f"Units of each hidden layer; none at all is a single neuron. At most {MOST_WEIGHTS:,} weights."),
    ] = (8, 8)
    activation: Annotated[
        Literal["identity", "sigmoid", "tanh", "relu", "elu", "selu", "softplus", "swish"],
        Group("network"),
        Doc("How a hidden unit bends its sum; with the identity the whole network stays linear."),
    ] = "tanh"
    output: Annotated[
        Literal["automatic", "softmax", "sigmoid", "identity", "tanh", "softplus", "exponential"],
        Advanced,
        Group("network"),
        Doc("The last layer; automatic is sigmoid or softmax for classes, else identity. tanh says values in a range."),
    ] = "automatic"
    batch_norm: Annotated[
        bool,
        Group("network"),
        Doc("Give every hidden unit mean 0 and variance 1 over the mini-batch before it bends its sum."),
    ] = False
    init: Annotated[
        Literal["xavier", "he", "lecun", "small random", "zeros"],
        Group("network"),
        Doc("Variance of the first weights: 2/(in+out), 2/in, 1/in, 0.0001 or 0; too small or large starves layers."),
    ] = "xavier"
    optimiser: Annotated[
        Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam"],
        Live,
        Group("training"),
        Doc("How a gradient becomes a step; changing it keeps the weights and empties its memory."),
    ] = "adam"
    learning_rate: Annotated[
        float,
        Between(1e-5, 10.0),
        Log,
        Live,
        Group("training"),
        Doc("Length of a step; too small converges slowly, too large jumps about."),
    ] = 0.02
    momentum: Annotated[
        float,
        Between(0.0, 0.999),
        Live,
        When("optimiser", "momentum", "nesterov"),
        Group("training"),
        Doc("The fraction of the last step that is kept."),
    ] = 0.9
    rate_decay: Annotated[
        float,
        Between(0.0, 1.0),
        Live,
        Advanced,
        Group("training"),
        Doc("The rate in epoch t is learning_rate / (1 + rate_decay t)."),
    ] = 0.0
    batch: Annotated[
        int,
        Between(1, 10_000),
        Log,
        Live,
        Group("training"),
        Doc("Most points in a mini-batch; all of them is gradient descent."),
    ] = 32
    epochs: Annotated[
        int,
        Between(1, 5000),
        Log,
        Live,
        Group("training"),
        Doc("Most passes over the data; a finished run goes on for as many again."),
    ] = 300
    l1: Annotated[
        float, Between(0.0, 0.1), Live, Group("regularisation"), Doc("Price of Σ|w|: weights that help little go to 0.")
    ] = 0.0
    l2: Annotated[
        float, Between(0.0, 0.1), Live, Group("regularisation"), Doc("Price of Σ w²: large weights become small.")
    ] = 0.0
    weight_decay: Annotated[
        float,
        Between(0.0, 0.1),
        Live,
        Group("regularisation"),
        Doc("The fraction by which weights shrink at every step, besides the gradient."),
    ] = 0.0
    dropout: Annotated[
        float,
        Between(0.0, 0.9),
        Live,
        Group("regularisation"),
        Doc("Probability that a hidden unit is switched off for a mini-batch."),
    ] = 0.0
    validation: Annotated[
        float, Between(0.0, 0.9), Group("early stopping"), Doc("The fraction of the points that is only watched.")
    ] = 0.2
    patience: Annotated[
        int,
        Between(0, 1000),
        Zero("never"),
        Live,
        Group("early stopping"),
        Doc("Stop after so many epochs without a better validation loss; 0 never does."),
    ] = 60


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
        return networks.forward(self.architecture, self.state.theta, self.scaling.inputs(X), self.running()).logits


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    pictures: Pictures
    taught: int  # points to learn from
    held_out: int  # points that are only watched
    batches: int  # mini-batches in an epoch
    dropout: float
    patience: int
    zeros: bool  # all first weights are 0


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The mini-batch that is shown, or why an epoch is the last."""

    batch: Array | None = None  # the points of the mini-batch
    factors: Array | None = None  # of dropout: 0 for a unit that is off
    gradient: Array | None = None
    loss: float = 0.0  # the mean over the mini-batch
    last: int = 0  # the epoch after which it returned to the best one
    diverged: int = 0  # the epoch in which the numbers grew without end

    @property
    def off(self) -> int:
        """How many units are switched off."""
        return 0 if self.factors is None else int(np.count_nonzero(self.factors == 0.0))


Shot = Snapshot[Given, Model, Shown]
Metrics = dict[str, float]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Train epoch by epoch; the first mini-batches have frames of their own."""
    training, model = begin(data, params, rng, start)
    pictures = Pictures.of(data, training.architecture, model.scaling)
    counts = len(training.taught), len(training.held_out), training.batches
    given = Given(pictures, *counts, params.dropout, params.patience, params.init == "zeros")
    metrics = measured(training, model.state)
    yield shot(given, "start", model, metrics, Shown())
    last = params.epochs if model.state.epoch < params.epochs else model.state.epoch + params.epochs
    while model.state.epoch < last and not training.out_of_patience(model.waited):
        trained = yield from _epoch(training, given, model, metrics)
        if trained is None:
            return Stop.DIVERGED
        model, metrics = trained
        yield shot(given, "epoch", model, metrics, Shown())
    last = model.state.epoch
    if training.stops_early and model.best.epoch < last:
        model = replace(model, state=model.best)
        yield shot(given, "restore", model, measured(training, model.state), Shown(last=last))
    if training.out_of_patience(model.waited):
        return Ended(Stop.COMPLETE, words.patience_is_over(params.patience))
    return Ended(Stop.LIMIT, f"all {counted(last, 'epoch')} done")


def _epoch(
    training: Training, given: Given, model: Model, metrics: Metrics
) -> Generator[Shot, None, tuple[Model, Metrics] | None]:
    """All training points once, in random mini-batches; None where the numbers have grown out of hand."""
    state, squares = model.state, np.zeros(len(training.architecture.slots))
    epoch, seen = state.epoch + 1, model
    for batch in mini_batches(training, state):
        if epoch == 1 and state.batch == 0:  # in slow motion: what goes forward, and the errors that come back
            loss, gradient, factors = there_and_back(training, state, batch)
            yield shot(given, "forward", model, metrics, Shown(np.sort(batch), factors, loss=loss))
            yield shot(given, "backward", model, metrics, Shown(np.sort(batch), factors, gradient))
        taken = step(training, state, batch)
        if taken is None:
            yield shot(given, "epoch", seen, measured(training, seen.state), Shown(diverged=epoch))
            return None
        state, squares = taken.state, squares + taken.squares
        if (epoch - 1) * training.batches + state.batch <= WATCHED and state.batch < training.batches:
            seen = replace(seen, state=state, norms=np.sqrt(taken.squares))
            yield shot(given, "batch", seen, measured(training, state), Shown(np.sort(batch), taken.factors))
    state = replace(state, epoch=epoch, batch=0)
    metrics = measured(training, state)
    losses = metrics["loss"], metrics["validation_loss"]
    if not max(losses) < TOO_LARGE**2:
        yield shot(given, "epoch", seen, measured(training, seen.state), Shown(diverged=epoch))
        return None
    best_loss, waited = patience_after(model.best_loss, model.waited, losses[1])
    history = np.concatenate([model.history, np.array([losses], dtype=np.float32)])
    best, norms = state if waited == 0 else model.best, np.sqrt(squares / training.batches)
    after = replace(model, state=state, norms=norms, best=best, best_loss=best_loss, waited=waited, history=history)
    return after, metrics


def shot(given: Given, phase: str, model: Model, metrics: Metrics, shown: Shown) -> Shot:
    """The snapshot of a network, with the length of its weights and gradients."""
    weights = model.state.theta * networks.weight_mask(model.architecture)
    first, last, length = float(model.norms[0]), float(model.norms[-1]), float(np.sqrt(weights @ weights))
    more = {"gradient_first": first, "gradient_last": last, "weights": length}
    return Snapshot(given, phase, model, metrics | more, shown)


def begin(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> tuple[Training, Model]:
    """The training, and the network before it: a random one, or that of a model which fits."""
    output, targets = output_and_targets(data, params.output)
    architecture = Architecture(
        (data.d, *params.hidden, targets.shape[1]), params.activation, output, params.batch_norm
    )
    check_size(architecture, data.n)
    if start is None or not _fits(start, architecture, data):
        model = _random(data, params, architecture, targets, rng)
    else:
        model = _resumed(start, params)
    training = Training.of(data, params, architecture, targets, model.scaling, model.held_out, model.key)
    state = model.state
    if state.batch and model.batches != training.batches:
        state = replace(state, batch=0)
    norms = opening_norms(training, state)
    return training, replace(model, state=state, batches=training.batches, optimiser=params.optimiser, norms=norms)


def _random(
    data: Points, params: Params, architecture: Architecture, targets: Array, rng: np.random.Generator
) -> Model:
    """A network with random weights, and a random part of the data held out."""
    checkpoint()
    key = int(rng.integers(2**62))
    count = min(round(params.validation * data.n), data.n - 1)
    held_out = np.sort(rng.permutation(data.n)[:count])
    taught = np.delete(np.arange(data.n), held_out)
    state = State.random(architecture, params, rng)
    return Model(
        architecture,
        state,
        Scaling.of(data.X[taught], targets[taught], architecture.output, data.is_labelled),
        classes=len(data.classes),
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


def _fits(start: Model, architecture: Architecture, data: Points) -> bool:
    """Whether the model is a network of this kind for this many points; another one is not looked at."""
    same = start.architecture == architecture and start.classes == len(data.classes)
    return same and (len(start.held_out) == 0 or int(start.held_out.max()) < data.n)


def _resumed(start: Model, params: Params) -> Model:
    """The model as it was; another optimiser begins with an empty memory, and patience begins anew at a stop."""
    state = start.state
    if start.optimiser != params.optimiser:
        state = replace(state, memory=fresh_memory(params.optimiser, state.theta))
    stopped = 0 < params.patience <= start.waited or state.epoch == start.best.epoch
    return replace(start, state=state, waited=0 if stopped else start.waited, history=start.history[: state.epoch])


def predict(model: Model, X: Array) -> Array:
    """The class number, or the real value, of every point."""
    return favoured(model.architecture, model.logits(X)) if model.classes else field(model, X)


def field(model: Model, X: Array) -> Array:
    """The probability of the second class, of every class, or the real value."""
    said = networks.outputs(model.architecture, model.logits(X))
    if not model.classes:
        return model.scaling.target_centre + model.scaling.target_scale * said[:, 0]
    return said[:, 0] if said.shape[1] == 1 else said


ALGORITHM = Algorithm(
    key="mlp",
    title="Neural network",
    family="neural",
    summary="Layers of simple units learn a boundary or a curve by backpropagation, while you watch and steer.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("How large is the training loss after the next epoch?", "epoch", "metrics.loss"),
        Question("How long is the first layer's gradient in the next mini-batch?", "batch", "metrics.gradient_first"),
    ),
    count=Count("epoch", "state.epoch"),
    predict=predict,
    field=field,
    scores="probability",
    explain=words.explain,
    counterpart=words.counterpart,
    target="any",
    resumes=True,
    continues=True,
    example="circles(n=300,noise=0.1,seed=1)",
    synonyms=(
        "neural network",
        "multilayer perceptron",
        "MLP",
        "feed-forward network",
        "deep learning",
        "backpropagation",
        "dropout",
        "batch normalisation",
        "early stopping",
    ),
    panels=(
        Panel("network", "Network", "none"),
        Panel("plane", "Data plane", "data"),
        Panel("gradients", "Gradient of each layer", "own", x="", y="length of the gradient"),
        Panel("learning", "Early stopping", "own", x="epoch", y="loss"),
        Panel("hidden", "Hidden space", "own", x="first unit", y="second unit"),
        Panel("activation", "Activation", "own", x="sum", y="output"),
        Panel("sizes", "Weights", "own", x="weight", y="how many"),
    ),
    metrics=(
        Metric("loss", "training loss", group="loss", better="neither"),
        Metric("validation_loss", "validation loss", group="loss", better="neither"),
        Metric("accuracy", "training accuracy (R²)", group="accuracy", better="neither"),
        Metric("validation_accuracy", "validation accuracy (R²)", group="accuracy", better="neither"),
        Metric("gradient_first", "gradient, first layer", group="gradient norm", log=True, better="neither"),
        Metric("gradient_last", "gradient, last layer", group="gradient norm", log=True, better="neither"),
        Metric("weights", "length of all weights", better="neither"),
    ),
    pseudocode=(
        Line("weights ← random, biases ← 0; hold out a part for validation", "start"),
        Line("for each epoch:"),
        Line("    for each random mini-batch:"),
        Line("        forward:  hᵏ ← σ(hᵏ⁻¹ Wᵏ + bᵏ)", "forward"),
        Line("        backward: δ ← ŷ - y,  δᵏ ← σ'(aᵏ) · δᵏ⁺¹ Wᵏ⁺¹ᵀ", "backward"),
        Line("        W, b ← W, b - step of the optimiser along the gradient", "batch"),
        Line("    measure: loss {loss}, on the validation points {validation_loss}", "epoch"),
        Line("    stop when patience has passed without a better validation loss"),
        Line("return to the epoch with the best validation loss", "restore"),
    ),
    reference="Handbook §4.5, Algorithms 15-18; Methods for Data Science §8.1-8.6; "
    "Introduction to Machine Learning §9-9.3; Goodfellow, Bengio, Courville, Deep Learning, chapters 6-8",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
