"""The perceptron: one neuron with a step, that learns from each of its mistakes.

A neuron weighs its inputs, adds a bias and fires when the sum is not negative. McCulloch and Pitts set the weights by
hand and built logic from such units; Rosenblatt let the unit find them: whenever a point is on the wrong side, its
vector is added to the weights (or taken away), and the line turns towards having it right.

    output = step(w . x + b),    on a mistake  w <- w + rate y x,  b <- b + rate y       (y = -1 or +1)

With z = (w, b) and x~ = (x, 1): if some line parts the classes with margin g (u . y x~ >= g, |u| = 1) and no |x~|
exceeds R, then from z = 0 each mistake lengthens u . z by at least g and |z|^2 by at most R^2, so there are at most
(R/g)^2 mistakes (Novikoff). Without such a line it never comes to rest; the exclusive or is the smallest example. All
mistakes can also be added at once: that is gradient descent on the perceptron criterion, the sum of |z . x~| over them.
Several classes have a unit each, and the largest sum wins; a mistake turns the right one up and the winner down.

Reference: Methods for Data Science §8.1 (002); Statistical Machine Learning, The perceptron (001; whose printed update
lacks "if misclassified", and whose cost the absolute value); Rosenblatt 1958; McCulloch, Pitts 1943; Novikoff 1962.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, DataError, Explanation, LazyViews, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Array, Item, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import refuse_overflow
from algorithms.neural._perceptron_marks import Model, Picture, length_of, margins, views_of
from algorithms.params import Between, Doc, Log, When

BY_HAND = "set by hand"
WATCHED, LEAST_WATCHED = 300, 30
"""How many of the first mistakes have a frame of their own; later only passes have.

A frame counts all points that are wrong, so beyond a thousand points fewer mistakes are watched one by one: 150 among
2,000 points, 30 among 10,000 and more. That bounds what a run takes for being watched; its line is the same.
"""
FIRST, FARTHEST = 128, 8192
"""How many points are looked at together in search of the next mistake: few behind a mistake, more when none comes."""
TOLD = 16
"""How many inputs a unit set by hand is shown to decide one by one."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    rule: Annotated[
        Literal["one mistake at a time", "all mistakes at once", "set by hand"],
        Doc("Learn from each mistake, from all of a pass together, or set the unit of McCulloch and Pitts yourself."),
    ] = "one mistake at a time"
    order: Annotated[
        Literal["in turn", "random"],
        When("rule", "one mistake at a time"),
        Doc("The order in which the points are looked at in a pass."),
    ] = "in turn"
    begin: Annotated[
        Literal["zeros", "random"],
        When("rule", "one mistake at a time", "all mistakes at once"),
        Doc("The weights before the first mistake."),
    ] = "zeros"
    rate: Annotated[
        float,
        Between(1e-3, 1e3),
        Log,
        When("rule", "one mistake at a time", "all mistakes at once"),
        Doc("How much of a point is added on a mistake; from zeros it only scales all weights."),
    ] = 1.0
    schedule: Annotated[
        Literal["constant", "1/pass"],
        When("rule", "one mistake at a time", "all mistakes at once"),
        Doc("Whether the rate stays or is divided by the number of the pass."),
    ] = "constant"
    passes: Annotated[
        int,
        Between(1, 10_000),
        Log,
        When("rule", "one mistake at a time", "all mistakes at once"),
        Doc("Most passes over the points."),
    ] = 100
    weight_1: Annotated[float, Between(-10, 10), When("rule", BY_HAND), Doc("Weight of the first feature.")] = 1.0
    weight_2: Annotated[float, Between(-10, 10), When("rule", BY_HAND), Doc("Weight of the second feature.")] = 1.0
    threshold: Annotated[
        float, Between(-20, 20), When("rule", BY_HAND), Doc("The unit fires when the sum is not below this.")
    ] = 1.5


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Look at point after point; on a mistake turn the line; end with a pass without any."""
    y = _checked(data, params.rule)
    picture = Picture.of(data, y, params.rule, params.rate, params.begin == "zeros" and params.schedule == "constant")
    if params.rule == BY_HAND:
        return (yield from _decide(data, y, params, picture))
    watched = _watched(data.n)
    model = Model.begun(data, rng if params.begin == "random" else None)
    yield _frame(model, picture, "start", _opening(model, picture))
    for number in range(1, params.passes + 1):
        rate = params.rate / (number if params.schedule == "1/pass" else 1)
        before = model.mistakes
        if params.rule == "all mistakes at once":
            model = _all_at_once(model, picture.columns, y, rate)
        else:
            order = rng.permutation(data.n) if params.order == "random" else None
            for z, point in _one_by_one(model.z, picture.columns, y, order, rate):
                model = model.turned(z, np.array([point])) if model.mistakes < watched else model.went_on(z)
                if model.mistakes <= watched:
                    yield _frame(model, picture, "turn", _turn_words(model, data, y))
        model = model.after_pass(model.mistakes - before).measured(picture.columns, y)
        if not np.isfinite(model.z).all():
            raise DataError("The weights grew out of range; divide the features by a constant first.")
        yield _frame(model, picture, "pass", _pass_words(model, picture))
        if model.mistakes == before:
            return Stop.CONVERGED
    return Stop.LIMIT


def _checked(data: Points, rule: str) -> Array:
    """The class numbers; for a unit set by hand 0 for the first class and 1 for any other."""
    y = data.class_numbers("The perceptron")
    if (y == y[0]).all():
        name = data.classes[int(y[0])]
        raise DataError(f"A line needs points of at least two classes; all of these are of the class {name!r}.")
    refuse_overflow(data.X)
    return np.minimum(y, 1) if rule == BY_HAND else y


def _watched(n: int) -> int:
    """How many mistakes have a frame of their own among so many points."""
    return min(WATCHED, max(WATCHED * 1000 // n, LEAST_WATCHED))


def _one_by_one(z: Array, columns: Array, y: Array, order: Array | None, rate: float) -> Iterator[tuple[Array, int]]:
    """The weights after each mistake of a pass over the points in this order, and which point it was."""
    if order is not None:
        columns, y = columns[:, order], y[order]
    place, size = 0, FIRST
    while place < len(y):
        checkpoint()
        part = slice(place, place + size)
        wrong = margins(z, columns[:, part], y[part]) <= 0.0
        first = int(wrong.argmax())
        if not wrong[first]:  # none in this part, so look farther ahead at once
            place, size = place + size, min(4 * size, FARTHEST)
            continue
        place += first
        z = _turn(z, columns[:, place], int(y[place]), rate)
        yield z, place if order is None else int(order[place])
        place, size = place + 1, FIRST


def _turn(z: Array, x: Array, label: int, rate: float) -> Array:
    """The weights (units, d + 1) after one mistake; for one unit the sign of the class is in x."""
    if len(z) == 1:
        return z + rate * x
    turned = z.copy()
    sums = z @ x
    sums[label] = -np.inf
    turned[label] += rate * x
    turned[int(sums.argmax())] -= rate * x
    return turned


def _all_at_once(model: Model, columns: Array, y: Array, rate: float) -> Model:
    """One step down the gradient of the perceptron criterion: all points on the wrong side are added together."""
    wrong = np.flatnonzero(margins(model.z, columns, y) <= 0.0)
    if not len(wrong):
        return model
    x, labels = columns[:, wrong], y[wrong]
    if len(model.z) == 1:
        return model.turned(model.z + rate * x.sum(axis=1), wrong)
    here = np.arange(len(wrong))
    sums = model.z @ x
    sums[labels, here] = -np.inf
    signs = np.zeros_like(sums)
    signs[sums.argmax(axis=0), here] = -1.0
    signs[labels, here] = 1.0
    return model.turned(model.z + rate * (signs @ x.T), wrong)


def _decide(data: Points, y: Array, params: Params, picture: Picture) -> Run:
    """A unit whose weights are given decides about one input after the other; it learns nothing."""
    weights = np.zeros(data.d + 1)
    weights[: min(data.d, 2)] = (params.weight_1, params.weight_2)[: data.d]
    weights[-1] = -params.threshold
    model = replace(Model.begun(data, None), z=np.zeros((1, data.d + 1)))
    model = model.measured(picture.columns, y, fires_at_zero=True)
    yield _frame(model, picture, "start", "A unit without weights: every sum is 0, and it always fires.")
    model = replace(model, z=weights[None]).measured(picture.columns, y, fires_at_zero=True)
    given = f"it fires where the sum is at least {params.threshold:g}, and is to be silent for the first class only"
    yield _frame(model, picture, "set", f"Weights and threshold are set by hand: {given}.")
    for point in range(min(data.n, TOLD)):
        model = replace(model, points=np.array([point]))
        yield _frame(model, picture, "fire", _fire_words(model, data, y, point, params.threshold))
    model = replace(model, points=np.empty(0, dtype=np.int64))
    right = data.n - model.wrong
    yield _frame(model, picture, "result", f"{right:,} of {data.n:,} inputs are answered as they should be.")
    return Stop.COMPLETE


def _frame(model: Model, picture: Picture, phase: str, caption: str) -> Snapshot:
    if model.wrong < 0:
        model = model.measured(picture.columns, picture.labels)
    metrics = {
        "wrong": model.wrong,
        "mistakes": model.mistakes,
        "criterion": model.criterion,
        "length": length_of(model.z),
    }
    return Snapshot(model, LazyViews(views_of, model, picture), metrics, phase, caption, picture.warning)


# --- words ------------------------------------------------------------------------------------------------------------


def _opening(model: Model, picture: Picture) -> str:
    if len(model.z) > 1:
        return f"{len(model.z)} units, one for each class; the largest sum wins, and a tie is a mistake."
    if picture.margin == 0.0 and picture.warning:
        return "No line parts these classes, so there will always be another mistake."
    if picture.margin == 0.0:
        return "Some line parts the classes, but beside the size of the features its margin is next to nothing."
    bound = (picture.radius / picture.margin) ** 2
    counted = f"at most (R/g)² = {bound:,.4g} mistakes" if picture.bounded else "finitely many mistakes"
    return f"Some line parts the classes with margin g = {picture.margin:.3g}, and R = {picture.radius:.3g}: {counted}."


def _turn_words(model: Model, data: Points, y: Array) -> str:
    point = int(model.points[0])
    name = data.classes[int(y[point])]
    verb = "added to" if len(model.z) > 1 or y[point] == 1 else "taken from"
    whose = f"the weights of {name!r}" if len(model.z) > 1 else "the weights"
    return f"Mistake {model.mistakes}: point {point + 1} of class {name!r} is on the wrong side and is {verb} {whose}."


def _pass_words(model: Model, picture: Picture) -> str:
    count = int(model.per_pass[-1])
    if count == 0:
        limit = (picture.radius / picture.margin) ** 2 if picture.bounded and picture.margin else 0.0
        bound = f"; the bound was {limit:,.4g}" if limit else ""
        return f"Pass {len(model.per_pass)} without a mistake: it rests; mistakes in all: {model.mistakes:,}{bound}."
    mistakes = "1 mistake" if count == 1 else f"{count:,} mistakes"
    now = f"{model.wrong:,} of {picture.data.n:,} points are wrong now"
    return f"Pass {len(model.per_pass)}: {mistakes}, {model.mistakes:,} so far; {now}."


def _fire_words(model: Model, data: Points, y: Array, point: int, threshold: float) -> str:
    x, w = data.X[point, :2], model.z[0, : min(data.d, 2)]
    terms = " + ".join(f"{weight:g}·{value:.3g}" for weight, value in zip(w, x))
    total = float(model.sums(data.X[[point]])[0, 0]) + threshold
    fires = total >= threshold
    sign, verb = (">=", "fires") if fires else ("<", "is silent")
    verdict = "right" if fires == bool(y[point] == 1) else "wrong"
    return f"Input {point + 1}: {terms} = {total:.3g} {sign} {threshold:g}, so the unit {verb}, which is {verdict}."


# --- answers ----------------------------------------------------------------------------------------------------------


def predict(model: Model, X: Array) -> Array:
    """The class number of every point."""
    sums = model.sums(X)
    return sums.argmax(axis=1) if sums.shape[1] > 1 else (sums[:, 0] >= 0.0).astype(np.int64)


def field(model: Model, X: Array) -> Array:
    """The sum before the step, of the one unit or of every class."""
    sums = model.sums(X)
    return sums if sums.shape[1] > 1 else sums[:, 0]


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What each feature adds to the sum, and on which side the point lies."""
    x = item.x
    sums = model.sums(x[None])[0]
    unit = int(sums.argmax()) if len(sums) > 1 else 0
    found: Explanation = {"predicted class": data.classes[int(predict(model, x[None])[0])]}
    weights = model.z[unit]
    strongest = np.sort(np.argsort(-np.abs(weights[:-1] * x), kind="stable")[:4])
    found |= {f"weight times {data.features[j]}": float(weights[j] * x[j]) for j in strongest}
    found["bias"] = float(weights[-1])
    found["sum"] = float(sums[unit])
    length = float(np.linalg.norm(weights[:-1]))
    if len(sums) == 1 and length > 0.0:
        found["distance from the line"] = float(sums[0] / length)
    return found


ALGORITHM = Algorithm(
    key="perceptron",
    title="Perceptron",
    family="neural",
    summary="One neuron with a step turns its line at every mistake, and rests when some line parts the classes.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    target="classes",
    example="blobs(n=80,centres=2,noise=1,spread=3,seed=6)",
    panels=(
        Panel("plane", "Data plane", "data"),
        Panel("unit", "Neuron", "none"),
        Panel("sums", "The step", x="sum", y="output"),
        Panel("proof", "Why it must end", x="mistakes", y="length of (w, b)"),
        Panel("passes", "Mistakes of each pass", x="pass", y="mistakes"),
    ),
    metrics=(
        Metric("wrong", "points on the wrong side", group="wrong", better="neither"),
        Metric("mistakes", "mistakes so far", group="mistakes", better="neither"),
        Metric("criterion", "perceptron criterion", group="criterion", better="neither"),
        Metric("length", "length of all weights", group="length", better="neither"),
    ),
    pseudocode=(
        Line("w, b ← 0", "start"),
        Line("set w and b = -threshold by hand, or", "set"),
        Line("repeat passes over the points:"),
        Line("    if y (w·x + b) ≤ 0:  a mistake, {mistakes} so far"),
        Line("        w ← w + rate y x,  b ← b + rate y", "turn"),
        Line("    until a pass has no mistake: {wrong} wrong", "pass"),
        Line("output = 1 if w·x + b ≥ 0 else 0", "fire", "result"),
    ),
    reference="002 §8.1; 001 The perceptron; Rosenblatt 1958; McCulloch, Pitts 1943; Novikoff 1962",
)
