"""The perceptron: one neuron with a step, that learns from each of its mistakes.

A neuron weights its inputs, adds a bias and fires when the sum is not negative. McCulloch and Pitts set the weights by
hand and built logic from such units; Rosenblatt let the unit learn them: whenever a point is not on its own side, its
vector, times its sign, is added to the weights, and the line turns towards having it right.

    on a mistake, y (w . x + b) <= 0:    w <- w + rate y x,    b <- b + rate y       (y = -1 or +1)

While it learns a sum of 0 is undecided and therefore a mistake; before the first one all weights are 0 and there is no
line. With z = (w, b) and x~ = (x, 1): if some line separates the classes with margin g (u . y x~ >= g, |u| = 1) and no
|x~| exceeds R, then from z = 0 each mistake lengthens u . z by at least g and |z|^2 by at most R^2, so there are at
most (R/g)^2 mistakes (Novikoff). Without such a line it never converges; the exclusive or is the smallest example. All
mistakes can also be added at once: that is gradient descent on the perceptron criterion, the sum of |z . x~| over them.
Several classes have a unit each, and the largest sum wins; a mistake turns the right one up and the winner down.

Reference: Methods for Data Science §8.1; Statistical Machine Learning (Orbanz), The perceptron (whose printed update
lacks "if misclassified", and whose cost the absolute value); Rosenblatt 1958; McCulloch, Pitts 1943; Novikoff 1962;
Bishop, Pattern Recognition and Machine Learning, 4.1.7.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DataError,
    Ended,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Points
from algorithms.foreign import Shape, steps_of
from algorithms.interrupt import checkpoint
from algorithms.maths.words import counted
from algorithms.neural.perceptron import words
from algorithms.neural.perceptron.solver import (
    BY_HAND,
    Problem,
    added_point,
    all_at_once,
    length_of,
    mistakes_of,
    one_by_one,
)
from algorithms.neural.perceptron.views import views
from algorithms.params import Between, Doc, Log, When

WATCHED, LEAST_WATCHED = 300, 30
"""How many of the first mistakes have a frame of their own; later only passes have.

A frame counts all points that are wrong, so beyond a thousand points fewer mistakes are watched one by one: 150 among
2,000 points, 30 among 10,000 and more. That bounds what a run takes for being watched; its line is the same.
"""
MOST_SHOWN = 16
"""How many inputs a unit set by hand is shown to decide one by one."""
MOST_LENGTHS = 300
"""How many mistakes the curve of the length follows one by one."""
NOTHING = np.empty(0, dtype=np.int64)


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
    orders: Annotated[
        int,
        Between(0, 200),
        When("rule", "one mistake at a time"),
        Doc("How many other random orders are run in the end, to see in how many lines they end."),
    ] = 0
    weight_1: Annotated[float, Between(-10, 10), When("rule", BY_HAND), Doc("Weight of the first feature.")] = 1.0
    weight_2: Annotated[float, Between(-10, 10), When("rule", BY_HAND), Doc("Weight of the second feature.")] = 1.0
    threshold: Annotated[
        float, Between(-20, 20), When("rule", BY_HAND), Doc("The unit fires when the sum is not below this.")
    ] = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The weights, how they came about, and what turned them last."""

    z: Array  # (units, d + 1): weights, and the bias last; one unit for two classes
    mistakes: int
    per_pass: Array  # (passes,) mistakes in each completed pass
    lengths: Array  # (t, 2) mistakes so far and the length of z then
    before: Array | None  # z before the last turn
    points: Array  # (m,) the points that turned it, or the one that is decided about
    wrong: int  # points on the wrong side; -1 until counted
    criterion: float  # the sum of their margins
    ends: Array | None = None  # (m, d + 1) where other orders have ended, once they are looked at

    @classmethod
    def begun(cls, data: Points, rng: np.random.Generator | None) -> Model:
        """All weights 0, or random ones."""
        units = len(data.classes) if len(data.classes) > 2 else 1
        z = np.zeros((units, data.d + 1)) if rng is None else rng.standard_normal((units, data.d + 1))
        return cls(z, 0, NOTHING, np.array([[0.0, length_of(z)]]), None, NOTHING, wrong=-1, criterion=0.0)

    def sums(self, X: Array) -> Array:
        """The sum of each unit for each point, (n, units)."""
        return np.asarray(X @ self.z[:, :-1].T + self.z[:, -1])

    def measured(self, problem: Problem, fires_at_zero: bool = False) -> Model:
        """The same with the mistakes counted."""
        count, criterion = mistakes_of(self.z, problem, fires_at_zero)
        # there is a frame for every mistake, and naming all fields takes a third of the time of dataclasses.replace
        return Model(self.z, self.mistakes, self.per_pass, self.lengths, self.before, self.points, count, criterion)

    def turned(self, z: Array, points: Array) -> Model:
        """The model after a mistake (or several at once)."""
        mistakes, lengths = self.mistakes + len(points), self.lengths
        if len(lengths) <= MOST_LENGTHS:
            lengths = np.concatenate([lengths, [[mistakes, length_of(z)]]])
        return Model(z, mistakes, self.per_pass, lengths, self.z, points, -1, 0.0)

    def went_on(self, z: Array) -> Model:
        """The model after a mistake that nobody watches."""
        return Model(z, self.mistakes + 1, self.per_pass, self.lengths, None, self.points, -1, 0.0)

    def after_pass(self, count: int) -> Model:
        """The model at the end of a pass with so many mistakes."""
        lengths = self.lengths
        if lengths[-1, 0] < self.mistakes:
            lengths = np.concatenate([lengths, [[self.mistakes, length_of(self.z)]]])
        passes = np.append(self.per_pass, count)
        return replace(self, per_pass=passes, lengths=lengths, before=None, points=NOTHING, wrong=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The point that this step is about, or -1."""

    point: int = -1
    kept: float = 0.0  # by how much it was on its own side
    rival: int = -1  # the unit of several that had the larger sum


Shot = Snapshot[Problem, Model, Shown]
NOTHING_SHOWN = Shown()


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Look at point after point; on a mistake turn the line; end with a pass without any."""
    problem = Problem.of(data, params.rule, params.rate, params.begin == "zeros" and params.schedule == "constant")
    if params.rule == BY_HAND:
        return (yield from _decide(problem, params))
    watched = min(WATCHED, max(WATCHED * 1000 // data.n, LEAST_WATCHED))
    model = Model.begun(data, rng if params.begin == "random" else None)
    first = model.z
    stop: Stop | Ended = Ended(Stop.LIMIT, f"stopped after {counted(params.passes, 'pass', 'passes')}")
    yield _shot(problem, "start", model)
    for number in range(1, params.passes + 1):
        rate = params.rate / (number if params.schedule == "1/pass" else 1)
        before = model.mistakes
        if params.rule == "all mistakes at once":
            z, wrong = all_at_once(model.z, problem, rate)
            model = model.turned(z, wrong) if len(wrong) else model
        else:
            order = rng.permutation(data.n) if params.order == "random" else None
            for z, point in one_by_one(model.z, problem, order, rate):
                model = model.turned(z, np.array([point])) if model.mistakes < watched else model.went_on(z)
                if model.mistakes <= watched:
                    yield _shot(problem, "turn", model, _mistake(problem, model, point))
        model = model.after_pass(model.mistakes - before).measured(problem)
        if not np.isfinite(model.z).all():
            raise DataError("The weights grew out of range; divide the features by a constant first.")
        yield _shot(problem, "pass", model)
        if model.mistakes == before:
            stop = Stop.CONVERGED
            break
    if params.rule == "one mistake at a time":
        yield from _other_orders(model, problem, params, first, rng)
    return stop


def _other_orders(
    model: Model, problem: Problem, params: Params, first: Array, rng: np.random.Generator
) -> Generator[Shot]:
    """Where random orders end that begin with the same weights: each at a line of its own, all of them right."""
    ends: list[Array] = []
    for _ in range(params.orders):
        z = first
        for number in range(1, params.passes + 1):
            checkpoint()
            rate = params.rate / (number if params.schedule == "1/pass" else 1)
            turns = deque(one_by_one(z, problem, rng.permutation(problem.data.n), rate), maxlen=1)
            if not turns:
                break
            z = turns[0][0]
        ends.append(z[0])
        model = replace(model, ends=np.array(ends))
        yield _shot(problem, "orders", model)


def _decide(problem: Problem, params: Params) -> Run[Shot]:
    """A unit whose weights are given decides about one input after the other; it learns nothing."""
    data = problem.data
    weights = np.zeros((1, data.d + 1))
    weights[0, : min(data.d, 2)] = (params.weight_1, params.weight_2)[: data.d]
    weights[0, -1] = -params.threshold
    model = replace(Model.begun(data, None), z=np.zeros_like(weights)).measured(problem, fires_at_zero=True)
    yield _shot(problem, "start", model)
    model = replace(model, z=weights).measured(problem, fires_at_zero=True)
    yield _shot(problem, "set", model)
    for point in range(min(data.n, MOST_SHOWN)):
        yield _shot(problem, "fire", replace(model, points=np.array([point])), Shown(point))
    yield _shot(problem, "result", model)
    return Stop.COMPLETE


def _mistake(problem: Problem, model: Model, point: int) -> Shown:
    """What was wrong with a point that has turned the line."""
    assert model.before is not None
    label = int(problem.labels[point])
    sums = model.before @ problem.columns[:, point]
    if len(sums) == 1:
        return Shown(point, float(sums[0]))
    own, sums[label] = float(sums[label]), -np.inf
    return Shown(point, own - float(sums.max()), int(sums.argmax()))


def _shot(problem: Problem, phase: str, model: Model, shown: Shown = NOTHING_SHOWN) -> Shot:
    if model.wrong < 0 and (phase != "start" or model.z.any()):
        model = model.measured(problem)
    numbers = {
        "wrong": model.wrong if model.wrong >= 0 else np.nan,  # before there is a line
        "mistakes": model.mistakes,
        "criterion": model.criterion,
        "length": length_of(model.z),
    }
    return Snapshot(problem, phase, model, numbers, shown)


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's run, which yields ``w, b`` at first and after every mistake: (d,) and a number, or a row a class.

    The point that has turned the line is found by what was added to the weights.
    """
    problem = Problem.of(data, "one mistake at a time", params.rate, params.schedule == "constant")
    model = Model.begun(data, None)
    units, columns = len(model.z), problem.columns
    wanted: dict[str, Shape] = {"w": (data.d,), "b": ()} if units == 1 else {"w": (units, data.d), "b": (units,)}
    for step, (w, b) in enumerate(steps_of(foreign, wanted)):
        z = np.column_stack([w.reshape(units, data.d), b.reshape(units)])
        if step == 0:
            model = replace(model, z=z, lengths=np.array([[0.0, length_of(z)]]))
            yield _shot(problem, "start", model)
            continue
        point = added_point(z - model.z, columns, problem.labels)
        if point < 0:
            model = replace(model, z=z, before=model.z, points=NOTHING, wrong=-1)
            yield _shot(problem, "turn", model)
        else:
            model = model.turned(z, np.array([point]))
            yield _shot(problem, "turn", model, _mistake(problem, model, point))


def predict(model: Model, X: Array) -> Array:
    """The class number of every point."""
    sums = model.sums(X)
    return sums.argmax(axis=1) if sums.shape[1] > 1 else (sums[:, 0] >= 0.0).astype(np.int64)


def field(model: Model, X: Array) -> Array:
    """The sum before the step, of the one unit or of every class."""
    sums = model.sums(X)
    return sums if sums.shape[1] > 1 else sums[:, 0]


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """The perceptron of scikit-learn, which begins with zeros and learns from one mistake at a time."""
    if params.rule != "one mistake at a time" or params.schedule != "constant" or params.begin != "zeros":
        return None
    make = (
        f"Perceptron(eta0={params.rate!r}, max_iter={params.passes}, tol=None, "
        f"shuffle={params.order == 'random'}, random_state={0 if case is None else case.seed})"
    )
    difference = SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)")
    caveat = "It trains each of several classes against the rest."
    imports = "from sklearn.linear_model import Perceptron"
    return Counterpart(imports, make, difference, "fraction of points predicted differently", caveat=caveat)


ALGORITHM = Algorithm(
    key="perceptron",
    title="Perceptron",
    family="neural",
    summary="One neuron with a step turns its line at every mistake; it converges when a line separates the classes.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    predict=predict,
    field=field,
    scores="decision",
    explain=words.explain,
    counterpart=counterpart,
    target="classes",
    example="blobs(n=80,centres=2,noise=1,spread=3,seed=6)",
    synonyms=(
        "Rosenblatt",
        "McCulloch-Pitts neuron",
        "threshold logic unit",
        "single neuron",
        "Novikoff",
        "linear classifier",
    ),
    panels=(
        Panel("plane", "Data plane", "data"),
        Panel("unit", "Neuron", "none"),
        Panel("sums", "The step", x="sum", y="output"),
        Panel("proof", "Why it must end", x="mistakes", y="length of (w, b)"),
        Panel("passes", "Mistakes of each pass", x="pass", y="mistakes"),
    ),
    metrics=(
        Metric("wrong", "points not on their side", group="wrong", better="neither"),
        Metric("mistakes", "mistakes so far", group="mistakes", better="neither"),
        Metric("criterion", "perceptron criterion", group="criterion", better="neither"),
        Metric("length", "length of all weights", group="length", better="neither"),
    ),
    pseudocode=(
        Line("w, b ← 0", "start"),
        Line("set w and b = -threshold by hand, or", "set"),
        Line("repeat passes over the points:"),
        Line("    if y (w·x + b) ≤ 0:  a mistake (a sum of 0 is undecided), {mistakes} so far"),
        Line("        w ← w + rate y x,  b ← b + rate y", "turn"),
        Line("    until a pass has no mistake: {wrong} wrong", "pass"),
        Line("other orders of the points end in other lines", "orders"),
        Line("a unit set by hand fires if w·x + b ≥ 0", "fire", "result"),
    ),
    reference="Methods for Data Science §8.1; Statistical Machine Learning (Orbanz), The perceptron; "
    "Rosenblatt 1958; McCulloch, Pitts 1943; Novikoff 1962; Bishop, Pattern Recognition and Machine Learning, 4.1.7",
    formulas=(
        r"\text{output} = \operatorname{sgn}(w^{\top} x + b) \qquad \text{(undecided at 0)}",
        r"\text{on a mistake, } y\,(w^{\top} x + b) \le 0:\quad w \leftarrow w + \eta\, y\, x, \quad "
        r"b \leftarrow b + \eta\, y",
        r"\text{Novikoff:}\quad \text{at most}\ \left( \frac{R}{\gamma} \right)^2\ \text{mistakes}",
    ),
    tries=(
        Try(
            "A narrow gap: more than a hundred mistakes until it converges, a tenth of the bound (R/g)² at most.",
            "separable(n=200,margin=0.02,seed=2)",
            shows=lambda played: (
                played.ended.stop is Stop.CONVERGED and 100 < played.final("mistakes") < played.last.given.bound / 10
            ),
        ),
        Try(
            "The exclusive or: no line separates it, every pass has a mistake, and the perceptron never converges.",
            "gate(kind='XOR')",
            {"passes": 20},
            shows=lambda played: len(played.model.per_pass) == 20 and played.model.per_pass.min() > 0,
        ),
        Try(
            "McCulloch and Pitts set the weights by hand: this unit is an AND, which is right for all inputs.",
            "gate(kind='AND')",
            {"rule": "set by hand", "weight_1": 1.0, "weight_2": 1.0, "threshold": 1.5},
            shows=lambda played: played.wrong() == 0 and played.but(threshold=0.5).wrong() > 0,
        ),
    ),
    questions=(
        Question("Which point is the next mistake?", "turn", "shown.point"),
        Question("How many points will not be on their side after the next mistake?", "turn", "metrics.wrong"),
    ),
)
