"""The captions, warnings and explanations of the support vector machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.kernel_svm.solver import REST, Machine
from algorithms.contract import Case, Counterpart, Explanation, Stop, Try
from algorithms.counterpart import SAME_LABELS
from algorithms.data import Array, Item, Points
from algorithms.maths.words import counted, percent
from algorithms.played import Played

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model, Params, Shot
    from algorithms.classification.kernel_svm.state import End

_TERMS = 5
HARD = 1000.0
"""A price of slack that is taken for a hard margin."""


def warning(shot: Shot) -> str:
    """What deserves doubt: the kernel, the end of a problem, a price that decides in place of the margin."""
    given, shown = shot.given, shot.shown
    said = []
    if given.eigenvalue:
        said.append(
            f"The kernel is not positive semi-definite on these points (smallest eigenvalue {given.eigenvalue:.3g}): "
            "the dual is not concave, so the end may be only a local optimum."
        )
    elif shown.doubts.is_local:
        said.append("The kernel is not positive semi-definite on these points: this may be only a local optimum.")
    for why, violation, gap in shown.doubts.ends:
        numbers = _certificate(violation, gap)
        if why == "limit":
            pairs = counted(given.params.max_steps, "pair")
            said.append(f"The limit of {pairs} came before the certificate ({numbers}).")
        elif why == "rounding":
            said.append(f"Rounding stops the pairs before the certificate is reached ({numbers}).")
        else:
            said.append(
                "The kernel is not positive semi-definite here, so that with squared slack the dual is unbounded."
            )
    if shown.end is not None and shown.end.stop is Stop.CONVERGED and shot.model.slack == "linear":
        said.append(_slack_limit(shot.model.C, shown.end))
    return " ".join(said).strip()


def _slack_limit(C: float, end: End) -> str:
    """That even a large C does not separate the classes: it only makes the points at its limit count more."""
    if C < HARD or not end.wrong:
        return ""
    be = "is" if end.wrong == 1 else "are"
    side = f"{end.wrong:,} {be} on the wrong side and {end.held:,} of the multipliers are held at it"
    return (
        f"C = {C:g} is as good as a hard margin, but {side}: these classes are not separable with this "
        "kernel, and the limit C, not the margin, decides."
    )


def _certificate(violation: float, gap: float) -> str:
    return f"KKT violation {violation:.2g}, gap {gap:.3g}"


def _so_far(shot: Shot) -> str:
    """The two numbers that certify the optimum of the problem that is trained."""
    return _certificate(shot.metrics["violation"], shot.shown.gap)


def _where(shot: Shot) -> str:
    """The problem among several; empty where there are two classes only."""
    given, shown = shot.given, shot.shown
    if len(given.classes) <= 2:
        return ""
    name = machine_name(shot.model.machines[shown.slot], given.classes)
    return f"problem {shown.number + 1} of {given.total}, {name}"


def machine_name(machine: Machine, classes: tuple[str, ...]) -> str:
    """The two sides in words."""
    other = "the rest" if machine.negative == REST else classes[machine.negative]
    return f"{classes[machine.positive]} against {other}"


def _initial(shot: Shot) -> str:
    support = int(shot.metrics["support_vectors"])
    if support:
        return f"It goes on from {counted(support, 'support vector')}: {_so_far(shot)}."
    place = _where(shot) if shot.given.total > 1 else ""
    several = f" This is {place}." if place else ""
    return f"All α are 0, so f is 0 everywhere and every point has the slack 1.{several}"


def _problem(shot: Shot) -> str:
    return f"Next, {_where(shot)}: its own α, its own bias."


def _pair(shot: Shot) -> str:
    """A pair, of which one in so many has a frame, and how far it has come."""
    shown, moved = shot.shown, shot.shown.pair
    assert moved is not None
    members = shot.model.machines[shown.slot].members
    i, j = int(members[moved.i]) + 1, int(members[moved.j]) + 1
    clipped = " (clipped by the box)" if moved.moved != moved.wanted else ""
    several = f" in {place}" if (place := _where(shot)) else ""
    left_out = f" (one in {shown.every} is shown)" if shown.every > 1 else ""
    return (
        f"Pair {shown.step:,}{left_out}: α of point {i} {_change(moved.old[0], moved.new[0])}, of point {j} "
        f"{_change(moved.old[1], moved.new[1])}{clipped}; {_so_far(shot)}{several}."
    )


def _change(old: float, new: float) -> str:
    """The two numbers with three digits, or four where that tells them apart."""
    for digits in (3, 4):
        one, two = f"{old:.{digits}g}", f"{new:.{digits}g}"
        if one != two:
            return f"goes {one} → {two}"
    return f"hardly moves from {old:.3g}"


def _face(shot: Shot) -> str:
    """A Newton step."""
    free = counted(shot.shown.free, "multiplier")
    moves = f"pairs converge slowly, so a Newton step moves all {free} with 0 < α < C at once"
    return f"Iteration {shot.shown.step}: {moves}; {_so_far(shot)}."


def _idle(shot: Shot) -> str:
    """Where a rule without a certificate would stop."""
    return (
        f"{counted(shot.given.params.passes, 'pass', 'passes')} without a change: the simplified rule would stop here, "
        f"but that is no certificate ({_so_far(shot)}). The most violating pairs take over."
    )


def _done(shot: Shot) -> str:
    end, gap, primal = shot.shown.end, shot.metrics["gap"], shot.metrics["primal"]
    assert end is not None
    relative = gap / primal if primal > 0.0 else 0.0
    words = {
        Stop.CONVERGED: "The optimum is certified",
        Stop.LIMIT: "The run ends without a certificate",
        Stop.DIVERGED: "The multipliers grow without end",
    }[end.stop]
    held = "" if shot.model.limit == np.inf else f", {counted(end.held, 'multiplier')} at the limit C"
    support = counted(int(shot.metrics["support_vectors"]), "support vector")
    size = f"duality gap {gap:.3g} ({percent(relative, '.2g')} of the primal value)"
    return f"{words}: KKT violation {end.violation:.2g}, {size}; {support}{held}."


CAPTIONS = {
    "initial": _initial,
    "problem": _problem,
    "pair": _pair,
    "face": _face,
    "idle": _idle,
    "done": _done,
}


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


def _inside(played: Played) -> float:
    """The fraction of the points that are inside the margin."""
    values = np.abs(played.algorithm.field(played.model, played.data.X)) if played.algorithm.field else np.zeros(1)
    return float((values < 1.0).mean())


def _has_islands(played: Played) -> bool:
    """Whether one class has eight separate regions or more, nearly all points support, and f is nearly 0 elsewhere."""
    from scipy.ndimage import label

    X, sigma = played.data.X, played.params.sigma
    x, y = (np.linspace(a - 4 * sigma, b + 4 * sigma, 240) for a, b in zip(X.min(axis=0), X.max(axis=0)))
    at = np.stack(np.meshgrid(x, y), axis=-1)
    values = played.model.decisions(at.reshape(-1, 2)).reshape(at.shape[:2])
    islands = max(label(values < 0.0)[1], label(values >= 0.0)[1])
    return islands >= 8 and played.final("support_vectors") >= 0.99 * len(X) and float(np.median(np.abs(values))) < 0.02


TRIES = (
    Try(
        "A hard margin: with a straight boundary and a large C three support vectors carry it alone.",
        "separable(n=100,margin=1,seed=1)",
        {"kernel": "linear", "C": 1000.0},
        shows=lambda played: played.final("support_vectors") == 3 and played.wrong() == 0,
    ),
    Try(
        "A soft margin: with a small C the margin is wide, and more than four in ten points are inside it.",
        "separable(n=100,margin=1,seed=1)",
        {"kernel": "linear", "C": 0.01},
        shows=lambda played: _inside(played) > 0.4 and played.but(C=1000.0).final("support_vectors") == 3,
    ),
    Try(
        "A very narrow kernel: one class is eight islands or more, close around its points; nearly all points are "
        "support vectors, and elsewhere f is nearly 0.",
        params={"sigma": 0.03, "C": 100.0},
        shows=_has_islands,
    ),
    Try(
        "A polynomial of degree 2 is all that circles need: one of 200 points is wrong, with a straight line 84 are.",
        "circles(n=200,noise=0.1,seed=1)",
        {"kernel": "polynomial", "degree": 2},
        shows=lambda played: (played.wrong(), played.but(kernel="linear").wrong()) == (1, 84),
    ),
)
RELATED = (
    Try(
        "The widest margin as geometry: the convex hulls of the moons overlap, so no straight line separates them, and "
        "a kernel is needed.",
        method="hull_margin",
        shows=lambda played: played.last.shown.overlap,
    ),
)
