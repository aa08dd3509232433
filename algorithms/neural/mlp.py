"""A multilayer perceptron, trained by backpropagation in mini-batches.

Layers of simple units follow each other; each unit weighs what the layer before says, adds a bias and bends the sum.
The loss falls along its gradient, which the chain rule gives for all weights in one pass back through the network.
With enough bent units any boundary can be drawn; validation, penalties and dropout keep it from drawing the noise.

    h⁰ = x,  hᵏ = σ(hᵏ⁻¹ Wᵏ + bᵏ),  ŷ = σ_out(...)        loss L = mean of l(y, ŷ)  (+ l1 Σ|w| + l2 Σ w²)
    θ ← (1 - weight_decay) θ - step of the optimiser along ∂L/∂θ over a random mini-batch

The output and its loss match the target: softmax with cross-entropy, sigmoid with binary cross-entropy, or identity
with half the squared error; for all three δ = (ŷ - y)/n. Features (and a real target) are standardised first. Each
knob marked as live can be turned while it trains: the weights and the optimiser's memory are kept.

Reference: Handbook §4.5, Algorithms 15-18 (000); Methods for Data Science §8.1-8.6 (002); §9-9.3 (004). Corrected:
Adam's bias correction has the power t, and dropout scales exactly the units it drops from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, Explanation, Line, Metric, Panel, Run, Stop
from algorithms.data import Array, Item, Points
from algorithms.neural import _layers as layers
from algorithms.neural._training import WATCHED, Model, Trainer, chosen
from algorithms.params import Advanced, Between, Doc, Live, Log, When


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    hidden: Annotated[
        tuple[int, ...], Between(1, 256), Doc("Units of each hidden layer; none at all is a single neuron.")
    ] = (8, 8)
    activation: Annotated[
        Literal["identity", "sigmoid", "tanh", "relu", "elu", "selu", "softplus", "swish"],
        Doc("How a hidden unit bends its sum; with the identity the whole network stays linear."),
    ] = "tanh"
    output: Annotated[
        Literal["automatic", "softmax", "sigmoid", "identity", "tanh", "softplus", "exponential"],
        Advanced,
        Doc("The last layer; automatic is sigmoid or softmax for classes, else identity. tanh says values in a range."),
    ] = "automatic"
    optimiser: Annotated[
        Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam"],
        Live,
        Doc("How a gradient becomes a step; changing it keeps the weights and empties its memory."),
    ] = "adam"
    learning_rate: Annotated[
        float, Between(1e-5, 10.0), Log, Live, Doc("Length of a step; too small crawls, too large jumps about.")
    ] = 0.02
    momentum: Annotated[
        float,
        Between(0.0, 0.999),
        Live,
        When("optimiser", "momentum", "nesterov"),
        Doc("The share of the last step that is kept."),
    ] = 0.9
    rate_decay: Annotated[
        float, Between(0.0, 1.0), Live, Advanced, Doc("The rate in epoch t is learning_rate / (1 + rate_decay t).")
    ] = 0.0
    batch: Annotated[
        int, Between(1, 10_000), Log, Live, Doc("Most points in a mini-batch; all of them is gradient descent.")
    ] = 32
    epochs: Annotated[
        int, Between(1, 5000), Log, Live, Doc("Most passes over the data; a finished run goes on for as many again.")
    ] = 300
    l1: Annotated[float, Between(0.0, 0.1), Live, Doc("Price of Σ|w|: weights that help little go to 0.")] = 0.0
    l2: Annotated[float, Between(0.0, 0.1), Live, Doc("Price of Σ w²: large weights become small.")] = 0.0
    weight_decay: Annotated[
        float, Between(0.0, 0.1), Live, Doc("The share by which weights shrink at every step, besides the gradient.")
    ] = 0.0
    dropout: Annotated[
        float, Between(0.0, 0.9), Live, Doc("Probability that a hidden unit is switched off for a mini-batch.")
    ] = 0.0
    batch_norm: Annotated[
        bool, Doc("Give every hidden unit mean 0 and variance 1 over the mini-batch before it bends its sum.")
    ] = False
    validation: Annotated[float, Between(0.0, 0.9), Doc("The share of the points that is only watched.")] = 0.2
    patience: Annotated[
        int, Between(0, 1000), Live, Doc("Stop after so many epochs without a better validation loss; 0 never does.")
    ] = 60
    init: Annotated[
        Literal["xavier", "he", "lecun", "small random", "zeros"],
        Doc("Variance of the first weights: 2/(in+out), 2/in, 1/in, 0.0001 or 0; too small or large starves layers."),
    ] = "xavier"


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Train epoch by epoch; the first mini-batches have frames of their own."""
    trainer = Trainer(data, params, rng, start)
    yield trainer.frame("start", _opening(trainer))
    while trainer.state.epoch < trainer.last:
        shown = trainer.model
        for number, batch in enumerate(trainer.mini_batches(), trainer.state.batch + 1):
            if trainer.state.epoch == 0 and number == 1:
                yield from _there_and_back(trainer, batch)
            if not trainer.step(batch):
                yield from _diverged(trainer, shown)
                return Stop.DIVERGED
            if trainer.state.epoch * trainer.batches + number <= WATCHED and number < trainer.batches:
                yield trainer.frame("batch", _batch_words(trainer, number, len(batch)))
                shown = trainer.model
        if not trainer.end_epoch():
            yield from _diverged(trainer, shown)
            return Stop.DIVERGED
        yield trainer.frame("epoch", _epoch_words(trainer))
        if trainer.out_of_patience:
            break
    stop = Stop.COMPLETE if trainer.out_of_patience else Stop.LIMIT
    if trainer.stops_early and trainer.model.best.epoch < trainer.state.epoch:
        last = trainer.state.epoch
        trainer.return_to_best()
        yield trainer.frame("restore", _restore_words(trainer, last))
    return stop


def _there_and_back(trainer: Trainer, batch: Array) -> Run:
    """The first mini-batch in slow motion: what goes forward, and the errors that come back."""
    loss = trainer.look_at(batch)
    points = "1 point goes" if len(batch) == 1 else f"{len(batch)} points go"
    yield trainer.frame("forward", f"Forward: {points} through the network; the mean loss is {loss:.3g}.")
    yield trainer.frame("backward", "Backward: the errors flow back; each edge shows where its weight is to go.")
    return Stop.LIMIT


def _opening(trainer: Trainer) -> str:
    state, architecture = trainer.state, trainer.architecture
    if state.epoch or state.batch:
        return f"It goes on after epoch {state.epoch}: loss {{loss:.3g}}, {trainer.score()}."
    points = f"{len(trainer.training)} points to learn from, {len(trainer.held_out)} to watch"
    return f"{architecture.parameters} parameters at random, loss {{loss:.3g}}; {points}."


def _batch_words(trainer: Trainer, number: int, size: int) -> str:
    off = "" if trainer.factors is None else f" with {np.count_nonzero(trainer.factors == 0.0)} units off"
    return f"Mini-batch {number} of {trainer.batches}: one step along the gradient over {size} points{off}."


def _epoch_words(trainer: Trainer) -> str:
    training = f"loss {{loss:.3g}} ({trainer.score()})"
    if not len(trainer.held_out):
        return f"Epoch {trainer.state.epoch}: {training}."
    watched = f"validation {{validation_loss:.3g}} ({trainer.score('validation_')})"
    waited = trainer.model.waited
    best = f"best epoch was {trainer.model.best.epoch}" if waited else "the best so far"
    return f"Epoch {trainer.state.epoch}: {training}, {watched}; {best}."


def _restore_words(trainer: Trainer, last: int) -> str:
    waited = f"{trainer.model.waited} epochs without a better one"
    why = waited if trainer.out_of_patience else f"Epoch {last} was the last"
    found = f"validation loss {{validation_loss:.3g}} ({trainer.score('validation_')})"
    return f"{why}: back to epoch {trainer.state.epoch}, {found}."


def _diverged(trainer: Trainer, shown: Model) -> Run:
    epoch = trainer.state.epoch + 1
    trainer.take_back(shown)
    trainer.warning = "The training diverged: the steps are too long. Choose a smaller learning rate."
    yield trainer.frame("epoch", f"In epoch {epoch} the weights grow without end; this is the network before.")
    return Stop.DIVERGED


def predict(model: Model, X: Array) -> Array:
    """The class number, or the real value, of every point."""
    if model.classes:
        return chosen(model.logits(X), model.architecture)
    return field(model, X)


def field(model: Model, X: Array) -> Array:
    """The probability of the second class, of every class, or the real value."""
    said = layers.outputs(model.architecture, model.logits(X))
    if not model.classes:
        return model.scaling.target_centre + model.scaling.target_scale * said[:, 0]
    return said[:, 0] if said.shape[1] == 1 else said


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What every layer says about the point, its loss if its target is known, and how the output changes with x."""
    x = item.x
    inputs = model.scaling.inputs(x[None, :])
    trace = layers.forward(model.architecture, model.state.theta, inputs, model.running())
    said = layers.outputs(model.architecture, trace.logits)[0]
    found: Explanation = {}
    if model.classes:
        found["predicted class"] = data.classes[int(predict(model, x[None, :])[0])]
        names = data.classes if len(said) > 1 else data.classes[1:2]
        found.update({f"output for {name}": float(p) for name, p in zip(names, said, strict=True)})
    else:
        found["predicted value"] = float(field(model, x[None, :])[0])
    for layer, values in enumerate(trace.values[:-1], 1):
        unit = int(np.abs(values[0]).argmax())
        found[f"strongest of hidden layer {layer}"] = f"unit {unit + 1} says {values[0, unit]:.3g}"
    found.update(_slopes(model, trace, data))
    return found


def _slopes(model: Model, trace: layers.Trace, data: Points) -> Explanation:
    """How the favoured output's sum changes along each feature: backpropagation down to the input."""
    delta = np.zeros_like(trace.logits)
    delta[0, int(trace.logits[0].argmax())] = 1.0
    slopes = layers.input_slopes(model.architecture, model.state.theta, trace, delta)[0]
    scale = model.scaling.target_scale if model.architecture.output == "identity" and not model.classes else 1.0
    steepest = np.argsort(-np.abs(slopes))[:3]
    per_unit = slopes * scale / model.scaling.scale
    return {f"change of the output's sum per {data.features[j]}": float(per_unit[j]) for j in sorted(steepest.tolist())}


ALGORITHM = Algorithm(
    key="mlp",
    title="Neural network",
    family="neural",
    summary="Layers of simple units learn a boundary or a curve by backpropagation, while you watch and steer.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="probability",
    explain=explain,
    target="any",
    resumes=True,
    example="circles(n=300,noise=0.1,seed=1)",
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
        Line("weights ← random, biases ← 0; hold out a share for validation", "start"),
        Line("for each epoch:"),
        Line("    for each random mini-batch:"),
        Line("        forward:  hᵏ ← σ(hᵏ⁻¹ Wᵏ + bᵏ)", "forward"),
        Line("        backward: δ ← ŷ - y,  δᵏ ← σ'(aᵏ) · δᵏ⁺¹ Wᵏ⁺¹ᵀ", "backward"),
        Line("        W, b ← W, b - step of the optimiser along the gradient", "batch"),
        Line("    measure: loss {loss}, on the validation points {validation_loss}", "epoch"),
        Line("    stop when patience has passed without a better validation loss"),
        Line("return to the epoch with the best validation loss", "restore"),
    ),
    reference="000 §4.5, Algorithms 15-18; 002 §8.1-8.6; 004 §9-9.3",
)
