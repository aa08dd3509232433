"""What a network says: captions with numbers, and why it answers as it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Case, Counterpart, Explanation, Try
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Item, Points
from algorithms.maths.words import are, counted, percent
from algorithms.neural.mlp.solver import class_codes, favoured, networks

if TYPE_CHECKING:
    from algorithms.neural.mlp import Model, Params, Shot


def opening(shot: Shot) -> str:
    """What there is before the first step."""
    given, model = shot.given, shot.model
    state, loss = model.state, f"loss {shot.metrics['loss']:.3g}"
    if state.epoch or state.batch:
        return f"The training continues after epoch {state.epoch}: {loss}, {_score(model, shot.metrics)}."
    points = f"{counted(given.taught, 'point')} to learn from, {given.held_out:,} for validation"
    how = "all weights 0" if given.zeros else "the weights drawn at random"
    return f"{counted(model.architecture.parameters, 'parameter')}, {how}: {loss}; {points}."


def forward(shot: Shot) -> str:
    """The first mini-batch on its way through the network."""
    size = _size(shot)
    points = f"{counted(size, 'point')} {are(size, 'goes', 'go')}"
    return f"Forward: {points} through the network; the mean loss is {shot.shown.loss:.3g}."


def backward(shot: Shot) -> str:
    """The errors on their way back."""
    return "Backward: the errors flow back; each edge shows in which direction its weight has to change."


def of_batch(shot: Shot) -> str:
    """What one mini-batch did."""
    shown = shot.shown
    off = "" if shown.factors is None else f" with {counted(shown.off, 'unit')} switched off"
    which = f"Mini-batch {shot.model.state.batch} of {shot.given.batches}"
    return f"{which}: one step against the gradient over {counted(_size(shot), 'point')}{off}."


def of_epoch(shot: Shot) -> str:
    """Where an epoch has led."""
    model, metrics = shot.model, shot.metrics
    if shot.shown.diverged:
        return f"In epoch {shot.shown.diverged} the weights grow without end; this is the network before."
    taught = f"loss {metrics['loss']:.3g} ({_score(model, metrics)})"
    if not shot.given.held_out:
        return f"Epoch {model.state.epoch}: {taught}."
    best = f"the best was epoch {model.best.epoch}" if model.waited else "the best so far"
    return f"Epoch {model.state.epoch}: {taught}, {_watched('validation', model, metrics)}; {best}."


def of_restoring(shot: Shot) -> str:
    """Why it returns to an earlier epoch, and what it finds there."""
    model = shot.model
    why = f"Epoch {shot.shown.last} was the last"
    if 0 < shot.given.patience <= model.waited:
        why = f"{counted(model.waited, 'epoch')} without a better validation loss"
    return f"{why}: back to epoch {model.state.epoch}, {_watched('validation loss', model, shot.metrics)}."


def warning(shot: Shot) -> str:
    """A training whose steps are too long."""
    return (
        "The training diverged: the steps are too long. Choose a smaller learning rate." if shot.shown.diverged else ""
    )


CAPTIONS = {
    "start": opening,
    "forward": forward,
    "backward": backward,
    "batch": of_batch,
    "epoch": of_epoch,
    "restore": of_restoring,
}


def patience_is_over(patience: int) -> str:
    """Why it stopped early."""
    return f"{counted(patience, 'epoch')} without a better validation loss"


def _size(shot: Shot) -> int:
    assert shot.shown.batch is not None
    return len(shot.shown.batch)


def _watched(what: str, model: Model, metrics: Mapping[str, float]) -> str:
    return f"{what} {metrics['validation_loss']:.3g} ({_score(model, metrics, 'validation_')})"


def _score(model: Model, metrics: Mapping[str, float], prefix: str = "") -> str:
    """Accuracy, or R² for a real target."""
    score = metrics[f"{prefix}accuracy"]
    if model.classes:
        return f"{percent(score, '.1f')} right"
    return f"R² {score:z.3f}" if abs(score) < 1000.0 else f"R² {score:.3g}"


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What every layer says about the point, its loss if it is one of the data, and how the output changes with x."""
    inputs = model.scaling.inputs(item.x[None, :])
    trace = networks.forward(model.architecture, model.state.theta, inputs, model.running())
    said = networks.outputs(model.architecture, trace.logits)[0]
    found: Explanation = {}
    if model.classes:
        found["predicted class"] = data.classes[int(favoured(model.architecture, trace.logits)[0])]
        names = data.classes if len(said) > 1 else data.classes[1:2]
        found.update({f"output for {name}": float(p) for name, p in zip(names, said, strict=True)})
    else:
        found["predicted value"] = model.scaling.target_centre + model.scaling.target_scale * float(said[0])
    found |= _loss(model, trace, data, item)
    for layer, values in enumerate(trace.values[:-1], 1):
        unit = int(np.abs(values[0]).argmax())
        found[f"strongest of hidden layer {layer}"] = f"unit {unit + 1} says {values[0, unit]:.3g}"
    return found | _slopes(model, trace, data)


def _loss(model: Model, trace: networks.Trace, data: Points, item: Item) -> Explanation:
    """The target of a point of the data, its loss, and whether the network has learnt from it."""
    if item.number < 0 or data.y is None:
        return {}
    y, scaling = data.y[[item.number]], model.scaling
    if model.classes:
        target = class_codes(y, model.classes, len(trace.logits[0]))
    else:
        target = (y[:, None] - scaling.target_centre) / scaling.target_scale
    watched = item.number in model.held_out
    return {
        f"true {'class' if model.classes else 'value'}": data.classes[int(y[0])] if model.classes else float(y[0]),
        "loss": float(networks.losses(model.architecture, trace.logits, target)[0]),
        "used for": "validation, it is only watched" if watched else "training",
    }


def _slopes(model: Model, trace: networks.Trace, data: Points) -> Explanation:
    """How the favoured output's sum changes along each feature: backpropagation down to the input."""
    delta = np.zeros_like(trace.logits)
    delta[0, int(trace.logits[0].argmax())] = 1.0
    slopes = networks.input_slopes(model.architecture, model.state.theta, trace, delta)[0]
    scale = model.scaling.target_scale if model.architecture.output == "identity" and not model.classes else 1.0
    steepest = np.argsort(-np.abs(slopes))[:3]
    per_unit = slopes * scale / model.scaling.scale
    return {f"change of the output's sum per {data.features[j]}": float(per_unit[j]) for j in sorted(steepest.tolist())}


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """The classifier of scikit-learn, which knows four activations, four optimisers and the L2 penalty."""
    activations = {"identity": "identity", "sigmoid": "logistic", "tanh": "tanh", "relu": "relu"}
    solvers = {"adam": "adam", "sgd": "sgd", "momentum": "sgd", "nesterov": "sgd"}
    plain = not (params.dropout or params.batch_norm or params.l1 or params.weight_decay)
    known = params.activation in activations and params.optimiser in solvers and bool(params.hidden)
    labelled = case is None or bool(case.data.classes)
    if not (plain and known and labelled):
        return None
    momentum = params.momentum if params.optimiser != "sgd" else 0.0
    make = (
        f"make_pipeline(StandardScaler(), MLPClassifier({params.hidden!r}, "
        f"activation={activations[params.activation]!r}, "
        f"solver={solvers[params.optimiser]!r}, learning_rate_init={params.learning_rate!r}, momentum={momentum!r}, "
        f"nesterovs_momentum={params.optimiser == 'nesterov'}, batch_size=min({params.batch}, len(X)), "
        f"max_iter={params.epochs}, alpha={2 * params.l2!r}, "
        f"random_state={0 if case is None else case.seed}))"
    )
    imports = (
        "from sklearn.neural_network import MLPClassifier\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler"
    )
    difference = SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)")
    caveat = "The first weights and the order of the mini-batches are other random numbers."
    return Counterpart(imports, make, difference, "fraction of points predicted differently", caveat=caveat)


FORMULAS = (
    r"h^{0} = x, \qquad h^{k} = \sigma\!\left( h^{k-1} W^{k} + b^{k} \right), \qquad \hat{y} = "
    r"\sigma_{\mathrm{out}}\!\left( h^{K} W^{K+1} + b^{K+1} \right)",
    r"L = \frac{1}{n} \sum_i \ell(y_i, \hat{y}_i) + \lambda_1 \sum |w| + \lambda_2 \sum w^2",
    r"\delta^{k} = \sigma'(a^{k}) \cdot \delta^{k+1} (W^{k+1})^{\top}, \qquad \frac{\partial L}{\partial W^{k}} "
    r"= (h^{k-1})^{\top} \delta^{k}",
)
TRIES = (
    Try(
        "Three hidden units enclose the inner circle; two cannot, and misclassify many more points.",
        "circles(n=300,noise=0.1,seed=1)",
        {"hidden": (3,), "learning_rate": 0.05},
        shows=lambda played: played.final("accuracy") > 0.95 > 0.9 > played.but(hidden=(2,)).final("accuracy"),
    ),
    Try(
        "All weights zero: no gradient reaches them, they stay zero, and half of the points are wrong.",
        params={"init": "zeros", "epochs": 60},
        shows=lambda played: played.final("weights") == 0.0 and played.wrong() > 0.4 * played.data.n,
    ),
    Try(
        "Two layers of sixteen units follow the spirals without an error; one layer of four misclassifies many points.",
        "spirals(n=300,seed=1)",
        {"hidden": (16, 16), "epochs": 500, "patience": 200},
        shows=lambda played: played.wrong() == 0 and played.but(hidden=(4,)).wrong() > 30,
    ),
)
