"""Support vector machine with kernels, trained pair by pair (sequential minimal optimisation).

Of all boundaries the machine looks for the one with the widest margin; points inside it pay a slack ξ:

    minimise ½|w|² + C Σ ξ_i          (slack "linear";  in the dual 0 <= α_i <= C)
    minimise ½|w|² + C/2 Σ ξ_i²       (slack "squared"; in the dual k_ij + 1/C on the diagonal, α_i >= 0, ξ_i = α_i / C)
    maximise Σ α_i - ½ Σ α_i α_j y_i y_j k(x_i, x_j)  subject to  Σ α_i y_i = 0,      f(x) = Σ α_i y_i k(x_i, x) + bias

A large C is the hard margin. Each step improves two multipliers, the fewest that can keep Σ α y = 0. The primal value
is never below the dual one, so their gap and the violation of the KKT conditions *certify* the optimum: the run is
called converged only when both are below ``tol`` (the gap relative to the primal value). The documents' rule, P
passes without a change, certifies nothing; when it fires too early the run says so and goes on with the most violating
pairs. Where pairs crawl, because C is large, a Newton step for all free multipliers comes between them (``_face.py``).

Reference: Handbook §4.4.3, Algorithms 13 and 14 (line 12 corrected) (000); SUPPORT VECTOR MACHINE to KERNEL SVM,
MULTIPLE CLASSES (001; C is the slides' gamma for squared slack); §7.1-7.3 (002); slides 205-227 (003);
Fan, Chen, Lin, "Working set selection using second order information" (2005).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification._face import climb_face
from algorithms.classification._smo import Pair, Problem, Simplified, Standing
from algorithms.classification._svm_model import Model, explain, field, predict
from algorithms.classification._svm_stage import Stage
from algorithms.contract import Algorithm, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Points
from algorithms.params import Advanced, Between, Doc, Log, When

_SIMPLE = "simplified (random second)"


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    kernel: Annotated[
        Literal["linear", "polynomial", "rbf", "sigmoid", "laplacian", "linear + rbf", "polynomial × rbf"],
        Doc(
            "How alike two points are; sums and products of kernels are kernels. The sigmoid is in general not positive"
            " semi-definite."
        ),
    ] = "rbf"
    C: Annotated[
        float, Between(1e-3, 1e5), Log, Doc("The price of slack: small is soft and smooth, large is the hard margin.")
    ] = 1.0
    sigma: Annotated[
        float,
        Between(1e-3, 1e3),
        Log,
        When("kernel", "rbf", "laplacian", "linear + rbf", "polynomial × rbf"),
        Doc(
            "Width in data units of the bell exp(-|x-z|²/(2 sigma²)), or exp(-|x-z|₁/sigma) of the Laplacian; gamma"
            " elsewhere is 1/(2 sigma²) or 1/sigma."
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
        When("kernel", "polynomial", "polynomial × rbf"),
        Doc("What is added to x·z; 0 keeps only the top degree."),
    ] = 1.0
    slope: Annotated[
        float, Between(1e-3, 1e2), Log, When("kernel", "sigmoid"), Doc("Factor of x·z in tanh(slope x·z - shift).")
    ] = 0.5
    shift: Annotated[float, Between(-10, 10), When("kernel", "sigmoid"), Doc("Shift in tanh(slope x·z - shift).")] = 0.0
    slack: Annotated[
        Literal["linear", "squared"],
        Doc("Pay C ξ (each α at most C) or C ξ²/2 (α without a limit, 1/C on the diagonal of the kernel)."),
    ] = "linear"
    selection: Annotated[
        Literal["most violating pair", "simplified (random second)"],
        Doc("Best pair by a second-order estimate, or sweep over the points with a random partner as in the handbook."),
    ] = "most violating pair"
    passes: Annotated[
        int, Between(1, 1000), When("selection", _SIMPLE), Doc("Sweeps without a change after which the rule gives up.")
    ] = 10
    multiclass: Annotated[
        Literal["one-versus-rest", "one-versus-one"],
        Doc("With c > 2 classes: c machines and the largest f, or c(c-1)/2 machines and a majority vote."),
    ] = "one-versus-rest"
    tol: Annotated[
        float, Between(1e-9, 1e-1), Log, Doc("Largest KKT violation, and gap relative to the primal, called converged.")
    ] = 1e-3
    patience: Annotated[
        int,
        Between(0, 1_000_000),
        Advanced,
        Doc(
            "After so many pairs (pairs crawl when C is large) all free multipliers move at once; 0 is never: pure SMO."
        ),
    ] = 1000
    max_steps: Annotated[int, Between(1, 10_000_000), Log, Advanced, Doc("Most pairs of each two-class problem.")] = (
        50_000
    )


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Solve the two-class problems one after the other, one frame per pair."""
    stage = Stage(data, params, start)
    yield stage.frame("initial", stage.opening())
    stops = []
    for number in range(len(stage.problems)):
        if number:
            stage.turn_to(number)
            yield stage.frame("problem", f"Next, {stage.where}: its own α, its own bias.")
        stops.append((yield from _solve(stage, params, rng)))
    stop = max(stops, key=_SEVERITY.index)
    yield stage.done(stop)
    return stop


_SEVERITY = (Stop.CONVERGED, Stop.LIMIT, Stop.DIVERGED)


def _solve(stage: Stage, params: Params, rng: np.random.Generator) -> Generator[Snapshot, None, Stop]:
    """Pairs of the current problem, until the certificate holds."""
    problem = stage.problem
    rule = None
    if params.selection == _SIMPLE:
        rule = Simplified(problem, params.tol, params.passes, rng)
    else:
        problem.bias = None
    ceiling = 10.0 * params.C * np.sqrt(len(problem.y))  # a concave dual keeps every α below 2 C √n
    patience = params.patience or params.max_steps + 2
    stage.measure()
    for step in range(1, params.max_steps + 2):
        if stage.certified():
            return Stop.CONVERGED
        if step > params.max_steps:
            stage.add_warning(
                f"The limit of {params.max_steps} pairs came before the certificate ({stage.certificate})."
            )
            return Stop.LIMIT
        if rule is None and step % patience == 0 and (free := climb_face(problem)):
            stage.measure()
            yield stage.frame("face", stage.face_words(step, free))
            continue
        pair = rule.next_pair() if rule else _most_violating(problem, stage.standing)
        if pair is None:
            rule, problem.bias = None, None
            stage.measure()
            yield stage.frame("idle", stage.idle_words(params.passes))
            continue
        if not max(abs(pair.moved), *pair.new) <= ceiling:
            stage.add_warning(
                "The kernel is not positive semi-definite here, so that with squared slack the dual is unbounded."
            )
            return Stop.DIVERGED
        if pair.new == pair.old:
            stage.add_warning(f"Rounding stops the pairs before the certificate is reached ({stage.certificate}).")
            return Stop.LIMIT
        problem.apply(pair)
        if rule:
            rule.applied(pair)
        stage.measure()
        yield stage.frame("pair", stage.pair_words(step, pair), pair)
    raise AssertionError("the loop ends with a reason")


def _most_violating(problem: Problem, standing: Standing) -> Pair:
    """The multiplier that violates most, and the partner with which it gains most."""
    return problem.pair(standing.first, problem.second(standing))


ALGORITHM = Algorithm(
    key="kernel_svm",
    title="Support vector machine",
    family="classification",
    summary="The boundary with the widest margin, straight or bent by a kernel, found two points at a time.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
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
        Line("        move α_i and α_j along Σ α y = 0 to the best place in their box", "pair"),
        Line("        (when this crawls: all α with 0 < α < C at once, a Newton step)", "face"),
        Line("        bias ← such that the margins of the free points are 1"),
        Line("    P sweeps without a change are no certificate: go on with the most violating pairs", "idle"),
        Line("until the KKT violation is at most tol, and the gap at most tol · primal", "done"),
    ),
    reference="000 §4.4.3 (Algorithms 13, 14); 001 SUPPORT VECTOR MACHINE to KERNEL SVM, MULTIPLE CLASSES; "
    "002 §7.1-7.3; 003 slides 205-227",
)
