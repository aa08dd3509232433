"""The captions, warnings and explanations of the support vector machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.kernel_svm.solver import REST, Machine
from algorithms.contract import Case, Counterpart, Explanation, Stop, Try
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Item, Points
from algorithms.maths.smo import Pair, Standing
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model, Params

_TERMS = 5
HARD = 1000.0
"""A price of slack that is taken for a hard margin."""
LOCAL = "The kernel is not positive semi-definite on these points: this may be only a local optimum."
UNBOUNDED = "The kernel is not positive semi-definite here, so that with squared slack the dual is unbounded."


def indefinite(eigenvalue: float) -> str:
    """The warning about a kernel with this negative eigenvalue; none where it is 0."""
    if eigenvalue == 0.0:
        return ""
    return (
        f"The kernel is not positive semi-definite on these points (smallest eigenvalue {eigenvalue:.3g}): "
        "the dual is not concave, so the end may be only a local optimum."
    )


def limit(pairs: int, standing: Standing) -> str:
    """The warning at the limit of the steps."""
    return f"The limit of {counted(pairs, 'pair')} came before the certificate ({certificate(standing)})."


def rounding(standing: Standing) -> str:
    """The warning where the pairs do not move any more."""
    return f"Rounding stops the pairs before the certificate is reached ({certificate(standing)})."


def certificate(standing: Standing) -> str:
    """The two numbers that certify the optimum."""
    return _certificate(standing.violation, standing.gap)


def _certificate(violation: float, gap: float) -> str:
    return f"KKT violation {violation:.2g}, gap {gap:.3g}"


def where(machine: Machine, classes: tuple[str, ...], number: int, total: int) -> str:
    """A problem among several."""
    return f"problem {number + 1} of {total}, {machine_name(machine, classes)}"


def machine_name(machine: Machine, classes: tuple[str, ...]) -> str:
    """The two sides in words."""
    other = "the rest" if machine.negative == REST else classes[machine.negative]
    return f"{classes[machine.positive]} against {other}"


def opening(support: int, standing: Standing, place: str) -> str:
    """The caption of the first frame; ``place`` says which problem it is, where there are several."""
    if support:
        return f"It goes on from {counted(support, 'support vector')}: {certificate(standing)}."
    several = f" This is {place}." if place else ""
    return f"All α are 0, so f is 0 everywhere and every point pays a slack of 1.{several}"


def pair(step: int, every: int, moved: Pair, members: Array, violation: float, gap: float, place: str) -> str:
    """The caption of a pair, of which one in ``every`` has a frame, and how far it has come."""
    i, j = int(members[moved.i]) + 1, int(members[moved.j]) + 1
    clipped = " (clipped by the box)" if moved.moved != moved.wanted else ""
    several = f" in {place}" if place else ""
    left_out = f" (one in {every} is shown)" if every > 1 else ""
    return (
        f"Pair {step}{left_out}: α of point {i} goes {moved.old[0]:.3g} → {moved.new[0]:.3g}, of point {j} "
        f"{moved.old[1]:.3g} → {moved.new[1]:.3g}{clipped}; {_certificate(violation, gap)}{several}."
    )


def face(step: int, free: int, standing: Standing) -> str:
    """The caption of a Newton step."""
    moves = f"the pairs crawl, so all {free} multipliers with 0 < α < C move at once"
    return f"Iteration {step}: {moves}; {certificate(standing)}."


def idle(passes: int, standing: Standing) -> str:
    """The caption where the documents would stop."""
    return (
        f"{counted(passes, 'pass', 'passes')} without a change: the handbook's rule would stop here, but that is no "
        f"certificate ({certificate(standing)}). The most violating pairs take over."
    )


def conclusion(stop: Stop, standings: tuple[Standing, ...], support: int, held: int) -> str:
    """The caption of the last frame; ``held`` multipliers are at C."""
    gap, primal = sum(s.gap for s in standings), sum(s.primal for s in standings)
    relative = gap / primal if primal > 0.0 else 0.0
    words = {
        Stop.CONVERGED: "The optimum is certified",
        Stop.LIMIT: "The run ends without a certificate",
        Stop.DIVERGED: "The multipliers grow without end",
    }[stop]
    violation = max(standing.violation for standing in standings)
    return (
        f"{words}: KKT violation {violation:.2g}, duality gap {gap:.3g} ({relative:.2%} of the primal value); "
        f"{counted(support, 'support vector')}, {held:,} of the multipliers held at C."
    )


def slack_limit(C: float, wrong: int, held: int) -> str:
    """That even a large price does not part the classes: it only makes the points at its limit count more."""
    if C < HARD or not wrong:
        return ""
    side = f"{wrong:,} {'is' if wrong == 1 else 'are'} on the wrong side and {held:,} of the multipliers are held at it"
    return (
        f"C = {C:g} is as good as a hard margin, but {side}: these classes are not parted with this kernel, "
        "and the limit C, not the margin, decides."
    )


def explanation(model: Model, data: Points, item: Item, values: Array, scores: Array, winner: int) -> Explanation:
    """Why x gets its class: the largest terms α_i y_i k(x_i, x), the bias, and the votes of several machines.

    ``values`` are those of the machines at x, and ``scores`` those of the classes.
    """
    answer: Explanation = {"class": data.classes[winner]}
    shown = 0
    if model.classes == 2:
        answer["f(x)"] = float(values[0])
    else:
        kind = "f" if model.multiclass == "one-versus-rest" else "votes"
        answer |= {f"{kind} of {name}": float(score) for name, score in zip(data.classes, scores, strict=True)}
        shown = _deciding(model, values, winner)
        answer["machine shown"] = machine_name(model.machines[shown], data.classes)
    machine = model.machines[shown]
    answer["bias"] = machine.bias
    support = np.flatnonzero(machine.alpha)
    terms = machine.alpha[support] * machine.signs[support]
    terms = terms * model.kernel(item.x[None, :], model.X[machine.members[support]])[0]
    order = np.argsort(-np.abs(terms), kind="stable")
    for k in order[:_TERMS].tolist():
        answer[f"α y k of point {int(machine.members[support[k]]) + 1}"] = float(terms[k])
    answer["sum of the other terms"] = float(terms[order[_TERMS:]].sum())
    return answer | _training_point(machine, item.number, float(values[shown]))


def _deciding(model: Model, values: Array, winner: int) -> int:
    """The machine of the class that wins; of one-versus-one the closest decision that it took part in."""
    own = [k for k, machine in enumerate(model.machines) if winner in (machine.positive, machine.negative)]
    if model.multiclass == "one-versus-rest":
        return next(k for k in own if model.machines[k].positive == winner)
    return min(own, key=lambda k: abs(float(values[k])))


def _training_point(machine: Machine, number: int, value: float) -> Explanation:
    """α, y f and the slack ξ, when it is one of the points that this machine was trained on."""
    found = np.flatnonzero(machine.members == number)
    if not len(found):
        return {}
    k = int(found[0])
    agreement = float(machine.signs[k]) * value
    return {
        "training point": int(machine.members[k]) + 1,
        "α": float(machine.alpha[k]),
        "y f(x)": agreement,
        "slack ξ": max(0.0, 1.0 - agreement),
    }


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``SVC``, which has linear slack and no sums or products of kernels."""
    kernels = {
        "laplacian": f"kernel=partial(laplacian_kernel, gamma={1 / params.sigma!r})",
        "linear": "kernel='linear'",
        "rbf": f"kernel='rbf', gamma={1 / (2 * params.sigma**2)!r}",
        "polynomial": f"kernel='poly', gamma=1.0, degree={params.degree}, coef0={params.offset!r}",
        "sigmoid": f"kernel='sigmoid', gamma={0.5 / params.sigma**2!r}, coef0={-params.offset!r}",
    }
    if params.slack != "linear" or params.kernel not in kernels:
        return None
    make = f"SVC(C={params.C!r}, {kernels[params.kernel]}, tol={params.tol!r})"
    imports = "from sklearn.svm import SVC"
    if params.kernel == "laplacian":
        imports += "\nfrom functools import partial\nfrom sklearn.metrics.pairwise import laplacian_kernel"
    if case is not None and len(case.data.classes) > 2 and params.multiclass == "one-versus-rest":
        make = f"OneVsRestClassifier({make})"
        imports += "\nfrom sklearn.multiclass import OneVsRestClassifier"
    return Counterpart(
        imports=imports,
        make=make,
        difference=SAME_LABELS.format(ours="ours.predict(X)", theirs="theirs.predict(X)"),
        measure="fraction of points predicted differently",
        caveat="A point almost on the decision line may fall on either side of it: both stop at the tolerance.",
    )


FORMULAS = (
    r"\min_{w,\, b,\, \xi} \ \frac{1}{2}\|w\|^2 + C \sum_i \xi_i \qquad \text{with}\quad y_i f(x_i) \ge 1 - "
    r"\xi_i, \quad \xi_i \ge 0",
    r"\max_{\alpha} \ \sum_i \alpha_i - \frac{1}{2} \sum_{i,j} \alpha_i \alpha_j y_i y_j\, k(x_i, x_j) \qquad "
    r"\text{with}\quad 0 \le \alpha_i \le C, \quad \sum_i \alpha_i y_i = 0",
    r"f(x) = \sum_i \alpha_i y_i\, k(x_i, x) + b",
)
TRIES = (
    Try(
        "A hard margin: with a straight boundary and a large C a few support vectors carry it alone.",
        "separable(n=100,margin=1,seed=1)",
        {"kernel": "linear", "C": 1000.0},
    ),
    Try(
        "A soft margin: with a small C the margin is wide and many points lie inside it.",
        "separable(n=100,margin=1,seed=1)",
        {"kernel": "linear", "C": 0.01},
    ),
    Try("A narrow kernel draws an island around every point.", params={"sigma": 0.08, "C": 100.0}),
    Try(
        "A polynomial of degree 2 is all that circles need.",
        "circles(n=200,noise=0.1,seed=1)",
        {"kernel": "polynomial", "degree": 2},
    ),
)
RELATED = (
    Try(
        "With a linear kernel and a large C the line is the bisector of the shortest segment between the two hulls.",
        method="hull_margin",
    ),
)
