"""Support vector machine with kernels, trained pair by pair (sequential minimal optimisation).

Of all boundaries it finds the one with the widest margin; points inside the margin have a slack ξ, at the price C:

    minimise ½|w|² + C Σ ξ_i          (slack "linear";  in the dual 0 <= α_i <= C)
    minimise ½|w|² + C/2 Σ ξ_i²       (slack "squared"; in the dual k_ij + 1/C on the diagonal, α_i >= 0, ξ_i = α_i / C)
    maximise Σ α_i - ½ Σ α_i α_j y_i y_j k(x_i, x_j)  subject to  Σ α_i y_i = 0,      f(x) = Σ α_i y_i k(x_i, x) + bias

A large C is the hard margin. Each step improves two multipliers, the fewest that can keep Σ α y = 0. The primal value
is never below the dual one, so their gap and the violation of the KKT conditions *certify* the optimum: the run is
called converged only when both are below ``tol`` (the gap relative to the primal value). The simplified rule stops
after several passes without a change, which certifies nothing; when it stops too early the run says so and goes on with
the most violating pairs. Where pairs converge slowly, because C is large, a Newton step for all free multipliers comes
between them. The first 64 pairs are all shown, and of more than that ever fewer.

Reference: Handbook §4.4.3, Algorithms 13 and 14 (line 12 corrected); Statistical Machine Learning (Orbanz), Support
vector machine to Kernel SVM, Multiple classes (C is the slides' gamma for squared slack); Methods for Data Science
§7.1-7.3; Machine Learning (Buhmann), slides 205-227; Platt, "Sequential minimal optimization" (1998); Fan, Chen, Lin,
"Working set selection using second order information" (2005); Bishop, Pattern Recognition and Machine Learning, 7.1.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.kernel_svm import words
from algorithms.classification.kernel_svm.solver import (
    Machine,
    Task,
    machines_of_many,
    make_kernel,
    negative_eigenvalue,
    votes_of,
)
from algorithms.classification.kernel_svm.state import ALL, NO_DOUBTS, Doubts, End, Given, Shown, Turn
from algorithms.classification.kernel_svm.views import views
from algorithms.contract import (
    Algorithm,
    Ended,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, Item, Points
from algorithms.maths.kernels import Kernel, KernelName
from algorithms.maths.smo import KktStatus
from algorithms.maths.smo_rules import Simplified, newton_on_free_alphas, stretch, trail_of
from algorithms.maths.suggestions import kernel_width
from algorithms.params import Advanced, Between, Doc, Log, Suggest, When, Zero

_SIMPLE = "simplified (random second)"
Machines = tuple[Machine, ...]
Statuses = tuple[KktStatus, ...]


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    kernel: Annotated[
        KernelName,
        Doc(
            "How alike two points are; sums and products of kernels are kernels. The sigmoid is in general not positive"
            " semi-definite."
        ),
    ] = "rbf"
    C: Annotated[
        float, Between(1e-3, 1e5), Log, Doc("The cost of slack: small is soft and smooth, large is the hard margin.")
    ] = 1.0
    sigma: Annotated[
        float,
        Between(1e-3, 1e3),
        Suggest(kernel_width, "from the distances"),
        Log,
        When("kernel", "rbf", "laplacian", "linear + rbf", "polynomial × rbf", "sigmoid"),
        Doc(
            "Width in data units of the bell exp(-|x-z|²/(2 sigma²)), exp(-|x-z|₁/sigma) of the Laplacian, and"
            " tanh(x·z/(2 sigma²) - offset) of the sigmoid; gamma elsewhere is 1/(2 sigma²) or 1/sigma."
        ),
    ] = 0.5
    degree: Annotated[
        int,
        Between(1, 10),
        When("kernel", "polynomial", "polynomial × rbf"),
        Doc("Degree of (x·z + offset)^degree."),
    ] = 3
    offset: Annotated[
        float,
        Between(0, 100),
        When("kernel", "polynomial", "polynomial × rbf", "sigmoid"),
        Doc("What is added to x·z in the polynomial (0 keeps only the top degree), or taken off it in the sigmoid."),
    ] = 1.0
    slack: Annotated[
        Literal["linear", "squared"],
        Doc("Pay C ξ (each α at most C) or C ξ²/2 (α without a limit, 1/C on the diagonal of the kernel)."),
    ] = "linear"
    selection: Annotated[
        Literal["most violating pair", "simplified (random second)"],
        Doc("Best pair by a second-order estimate, or sweep over the points, each with a random partner."),
    ] = "most violating pair"
    passes: Annotated[
        int,
        Between(1, 1000),
        When("selection", _SIMPLE),
        Doc("Sweeps without a change after which it stops."),
    ] = 10
    multiclass: Annotated[
        Literal["one-versus-rest", "one-versus-one"],
        Doc("With c > 2 classes: c machines and the largest f, or c(c-1)/2 machines and a majority vote."),
    ] = "one-versus-rest"
    tol: Annotated[
        float,
        Between(1e-9, 1e-1),
        Log,
        Advanced,
        Doc("Largest KKT violation, and gap relative to the primal, called converged."),
    ] = 1e-3
    patience: Annotated[
        int,
        Between(0, 1_000_000),
        Zero("never"),
        Advanced,
        Doc(
            "After so many pairs (which converge slowly when C is large) all free multipliers move at once; 0 is never."
        ),
    ] = 1000
    max_steps: Annotated[int, Between(1, 10_000_000), Log, Advanced, Doc("Most pairs of each two-class problem.")] = (
        50_000
    )


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """All machines, with the points they refer to (shared by all frames, never copied)."""

    X: Array  # (n, d)
    y: Array  # (n,) class numbers
    machines: tuple[Machine, ...]
    kernel: Kernel
    C: float
    slack: Literal["linear", "squared"]
    multiclass: Literal["one-versus-rest", "one-versus-one"]
    classes: int

    @property
    def limit(self) -> float:
        """The lid of the box, which squared slack does not have."""
        return np.inf if self.slack == "squared" else self.C

    @property
    def alpha(self) -> Array:
        """The multiplier of every point, (n,); with several machines the largest one."""
        largest = np.zeros(len(self.X))
        for machine in self.machines:
            largest[machine.members] = np.maximum(largest[machine.members], machine.alpha)
        return largest

    @property
    def bias(self) -> float:
        """The offset of the (first) machine."""
        return self.machines[0].bias

    @property
    def support(self) -> Array:
        """The numbers of the support vectors, (s,)."""
        return np.flatnonzero(self.alpha)

    @property
    def weights(self) -> Array:
        """Σ α_i y_i x_i of every machine, (machines, d): the normal of the plane, where the kernel is linear."""
        return np.array([(m.alpha * m.signs) @ self.X[m.members] for m in self.machines])

    def with_machine(self, slot: int, machine: Machine) -> Model:
        """The same with another machine in one place."""
        machines = (*self.machines[:slot], machine, *self.machines[slot + 1 :])
        return Model(self.X, self.y, machines, self.kernel, self.C, self.slack, self.multiclass, self.classes)

    def decisions(self, X: Array) -> Array:
        """The value of every machine at the rows of ``X``, (m, machines); only support vectors are looked at."""
        coefficients = np.zeros((len(self.X), len(self.machines)))
        for column, machine in enumerate(self.machines):
            coefficients[machine.members, column] = machine.alpha * machine.signs
        support = np.flatnonzero(coefficients.any(axis=1))
        values: Array = self.kernel(X, self.X[support]) @ coefficients[support]
        values += np.array([machine.bias for machine in self.machines])
        return values

    def values_of(self, machine: Machine, X: Array) -> Array:
        """The machine's f at the rows of ``X``, (m,)."""
        places, pulls = self._pulling(machine)
        return np.asarray(self.kernel(X, places) @ pulls + machine.bias)

    def slope_of(self, machine: Machine, X: Array) -> Array:
        """The gradient of the machine's f at the rows of ``X``, (m, d)."""
        places, pulls = self._pulling(machine)
        return self.kernel.gradient(places, X, np.broadcast_to(pulls[:, None], (len(pulls), len(X))))

    def _pulling(self, machine: Machine) -> tuple[Array, Array]:
        """The support vectors of a machine, (s, d), and their α y, (s,)."""
        support = machine.alpha.nonzero()[0]
        return self.X[machine.members.take(support)], machine.alpha.take(support) * machine.signs.take(support)


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Solve the two-class problems one after the other, each with a frame for its first pairs and for some of many."""
    task = Task.of(data, params, start)
    given = Given(data.classes, params, negative_eigenvalue(task.kernel, data.X), len(task.problems))
    standings, doubts, stops = task.standings, NO_DOUBTS, list[Stop]()
    shot = Turn.of(given, task, _model(data, task.machines, params), 0, standings).now("initial", standings[0], doubts)
    yield shot
    for number in range(len(task.problems)):
        turn = Turn.of(given, task, shot.model, number, standings)
        if number:
            shot = turn.now("problem", standings[number], doubts)
            yield shot
        stop, standing, shot, doubts = yield from _solve(turn, params, rng, shot, doubts)
        stops.append(stop)
        standings = (*standings[:number], standing, *standings[number + 1 :])
    stop = max(stops, key=_SEVERITY.index)
    yield _done(turn, standings, stop, doubts)
    return Ended(stop, "stopped without a certificate") if stop is Stop.LIMIT else stop


_SEVERITY = (Stop.CONVERGED, Stop.LIMIT, Stop.DIVERGED)


def _solve(
    turn: Turn, params: Params, rng: np.random.Generator, shot: Shot, doubts: Doubts
) -> Generator[Shot, None, tuple[Stop, KktStatus, Shot, Doubts]]:
    """Pairs of one problem until the certificate holds; gives where it stands, the last frame and the doubts."""
    problem, rule = turn.problem, None
    if params.selection == _SIMPLE:
        rule = Simplified(problem, params.tol, params.passes, rng)
    else:
        problem.bias = None
    ceiling = 10.0 * params.C * np.sqrt(len(problem.y))  # a concave dual keeps every α below 2 C √n
    patience = params.patience or params.max_steps + 2
    standing, step, trail = problem.standing(), 1, trail_of(problem)
    while True:
        if standing.certified(params.tol):  # and also when the residuals are calculated afresh
            problem.refresh()
            standing = problem.standing()
            if standing.certified(params.tol):
                return Stop.CONVERGED, standing, shot, doubts
        if step > params.max_steps:
            return Stop.LIMIT, standing, shot, doubts.ended("limit", standing)
        pair, free = None, 0
        if rule is None and step % patience:
            most = min(patience - step % patience, params.max_steps + 1 - step)
            steps = stretch(problem, trail, step, most, params.tol, ceiling)
            doubts = doubts.noted(problem, turn.given)
            for made in steps:
                standing, step = made.standing, made.number + 1
                shot = turn.shot("pair", made, doubts)
                yield shot
            if steps:
                continue
        if rule is None and step % patience == 0 and (free := newton_on_free_alphas(problem)):
            phase, standing = "face", problem.standing()
        elif (pair := rule.next_pair() if rule else problem.best_pair(*problem.extremes()[:2])) is None:
            rule, problem.bias = None, None
            phase, standing = "idle", problem.standing()
        else:
            if not max(abs(pair.moved), *pair.new) <= ceiling:
                return Stop.DIVERGED, standing, shot, doubts.ended("unbounded", standing)
            if pair.new == pair.old:
                return Stop.LIMIT, standing, shot, doubts.ended("rounding", standing)
            problem.apply(pair)
            if rule:
                rule.applied(pair)
            phase, standing = "pair", problem.standing()
        doubts = doubts.noted(problem, turn.given)
        shot = turn.now(phase, standing, doubts, pair, step, free)
        yield shot
        step += 1


def _done(turn: Turn, standings: Statuses, stop: Stop, doubts: Doubts) -> Shot:
    """The last frame: the certificate of all problems, with the support vectors of all machines."""
    problems = turn.task.problems
    held = sum(int(np.count_nonzero(problem.alpha >= problem.limit)) for problem in problems)
    wrong = sum(int(np.count_nonzero(standing.margins > 1.0)) for standing in standings)
    violation = max(standing.violation for standing in standings)
    shot = turn.now("done", standings[-1], doubts)
    shown = replace(shot.shown, end=End(stop, violation, held, wrong))
    if len(problems) > 1:
        shown = replace(shown, slot=ALL, inside=shown.inside[:0])
    return Snapshot(turn.given, "done", shot.model, {**shot.metrics, "violation": violation}, shown)


def fit_many(data: Points, jobs: Sequence[tuple[Array, Params]]) -> list[Model | None]:
    """The models of many runs at once, for folds and sweeps: pairs as in ``run``, made for all of them together."""
    return [
        None if machines is None else _model(data.rows(rows), machines, params)
        for (rows, params), machines in zip(jobs, machines_of_many(data, jobs), strict=True)
    ]


def _model(data: Points, machines: Machines, params: Params) -> Model:
    y = data.several_classes("The support vector machine")
    return Model(data.X, y, machines, make_kernel(params), params.C, params.slack, params.multiclass, len(data.classes))


def field(model: Model, X: Array) -> Array:
    """The decision value: (m,), positive for the second class, or one column per class, (m, c).

    One-versus-rest: f of each class's machine. One-versus-one: the votes.
    """
    values = model.decisions(X)
    if model.classes == 2:
        return values[:, 0]
    if model.multiclass == "one-versus-rest":
        return values
    return votes_of(model.machines, values, model.classes)


def predict(model: Model, X: Array) -> Array:
    """The class number of every row; f = 0 counts as the second class."""
    values = field(model, X)
    if model.classes == 2:
        return (values >= 0.0).astype(np.int64)
    return values.argmax(axis=1).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Why a point gets its class."""
    row = item.x[None, :]
    scores = np.atleast_1d(field(model, row)[0])
    return words.explanation(model, data, item, model.decisions(row)[0], scores, int(predict(model, row)[0]))


ALGORITHM = Algorithm(
    key="kernel_svm",
    title="Support vector machine",
    family="classification",
    summary="The boundary with the widest margin, straight or bent by a kernel, found two points at a time.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    counterpart=words.counterpart,
    fit_many=fit_many,
    synonyms=("SVM", "SVC", "SMO", "maximum margin", "kernel trick", "RBF", "sequential minimal optimisation"),
    target="classes",
    resumes=True,
    example="moons(n=200,noise=0.2,seed=1)",
    panels=(
        Panel("plane", "Boundary and margin", "data"),
        Panel("alphas", "Multipliers α of the support vectors", "own", x="support vector", y="α"),
        Panel("box", "The pair in its box", "own", x="first α", y="second α"),
    ),
    metrics=(
        Metric("dual", "dual objective", group="objective", better="higher"),
        Metric("primal", "primal objective", group="objective", better="neither"),
        Metric("gap", "duality gap", group="certificate", log=True, better="neither"),
        Metric("violation", "KKT violation", group="certificate", log=True, better="neither"),
        Metric("support_vectors", "support vectors", better="neither"),
    ),
    pseudocode=(
        Line("all α ← 0", "initial"),
        Line("for each two-class problem:", "problem"),
        Line("    repeat:"),
        Line("        i ← the point that violates its KKT condition most (or: the next one that does)"),
        Line("        j ← the partner with the largest gain (or: a random one)"),
        Line("        move α_i and α_j along Σ α y = 0 to the best point of their box", "pair"),
        Line("        (where this is slow: all α with 0 < α < C at once, a Newton step)", "face"),
        Line("        bias ← such that the margins of the free points are 1"),
        Line("    P sweeps without a change are no certificate: go on with the most violating pairs", "idle"),
        Line("until the KKT violation is at most tol, and the gap at most tol · primal", "done"),
    ),
    reference="Handbook §4.4.3 (Algorithms 13, 14); "
    "Statistical Machine Learning (Orbanz), Support vector machine to Kernel SVM, Multiple classes; "
    "Methods for Data Science §7.1-7.3; Machine Learning (Buhmann), slides 205-227; Platt 1998; "
    "Bishop, Pattern Recognition and Machine Learning, 7.1",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    related=words.RELATED,
    questions=(
        Question("Which multiplier moves next, as the first of the pair (a number from 0)?", "pair", "shown.first"),
        Question("How large will the dual objective be after the next pair?", "pair", "metrics.dual"),
    ),
)
