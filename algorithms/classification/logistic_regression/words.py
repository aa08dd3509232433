"""The captions and warnings of logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.logistic_regression.solver.balance import size_for
from algorithms.contract import Ended, Stop, Try
from algorithms.maths.landmarks import landmark_warning
from algorithms.maths.words import counted, number, percent
from algorithms.played import Played

if TYPE_CHECKING:
    from algorithms.classification.logistic_regression import Given, Shot

SEPARABLE = Ended(Stop.LIMIT, "separable: |w| grows for ever")
PARTLY_SEPARABLE = Ended(Stop.LIMIT, "partly separable: a part of w grows for ever")


def warning(shot: Shot) -> str:
    """What deserves doubt."""
    given, shown = shot.given, shot.shown
    few = landmark_warning(given.data.n, given.centres) if given.centres else ""
    doubt = ""
    if shown.doubt == "separated":
        doubt = (
            "The classes are separable: every longer w is more likely, so |w| grows for ever; a ridge penalty gives it "
            "an end."
        )
    elif shown.doubt == "runaway":
        doubt = (
            "Some points are separable from the rest, so a part of w grows for ever; a ridge penalty gives it an end."
        )
    elif shown.doubt == "diverged":
        doubt = f"The coefficients grow without bound: η is far above the safe {given.safe_rate:.2g}."
    elif shown.doubt == "rising":
        doubt = (
            f"J rose from {number(shown.before)} to {number(shot.metrics['J'])}: η = {given.params.learning_rate:.3g} "
            f"is too large; below {given.safe_rate:.3g} J falls at every step."
        )
    return f"{few} {doubt}".strip()


def _opening(shot: Shot) -> str:
    given, norm = shot.given, shot.metrics["norm"]
    if norm or shot.model.intercepts.any():
        return f"It goes on from a model with J = {number(shot.metrics['J'])} and |w| = {norm:.3g}."
    equal = 1.0 / max(len(shot.model.present), 2)
    words = f"All coefficients are 0, so every class has the probability {equal:.3g} everywhere."
    return words + _space(given) + _balance(given)


def _space(given: Given) -> str:
    """Which points f is a sum over, with a kernel."""
    n, count = given.data.n, given.centres
    if not count:
        return ""
    points = f"all {n:,} points" if count == n else f"{count:,} of the {n:,} points, evenly chosen from the table"
    span = counted(given.dimensions, "dimension")
    return f" With the kernel f is a sum over {points}, which span {span} of its feature space."


def _balance(given: Given) -> str:
    """What is done about classes of different sizes."""
    weights, how = given.weights, given.params.balance
    if how == "none":
        return ""
    if how == "re-weight":
        light, heavy = weights.min(), weights.max()
        return f" A point of the largest class counts {light:.3g} times, one of the smallest {heavy:.3g} times."
    size = counted(size_for(np.bincount(given.y), how), "point")
    dropped, repeated = int((weights == 0.0).sum()), int((weights > 1.0).sum())
    return f" Every class is brought to {size}: {dropped:,} dropped, {repeated:,} repeated."


def _step(shot: Shot) -> str:
    shown, numbers = shot.shown, shot.metrics
    text = f"Step {shown.number}: J = {number(numbers['J'])}, |w| = {numbers['norm']:.3g}"
    if shot.phase != "newton":
        return f"{text}, and the largest part of the gradient is {numbers['gradient']:.2g}."
    halved = f" (step halved {counted(shown.halvings, 'time')}, else J would rise)" if shown.halvings else ""
    return f"{text}; weighted least squares change the log-odds by up to {shown.swing:.2g}{halved}."


def _conclusion(shot: Shot) -> str:
    given, shown, loss = shot.given, shot.shown, number(shot.metrics["J"])
    right = f"{percent(shot.metrics['accuracy'], '.1f')} of the training points right"
    if shown.doubt == "diverged":
        return f"After {counted(shown.number, 'step')} gradient descent diverges."
    if shown.doubt == "separated":
        norm = f"|w| = {shot.metrics['norm']:.3g} and still growing"
        return f"At step {shown.number} {norm}, because the classes are separable; {_turned(shot)}{right}."
    if shown.stop is Stop.CONVERGED:
        count = given.weights[given.y == given.y.max()].sum()
        name = given.data.classes[int(shot.model.present[-1])]
        return (
            f"Converged at step {shown.number} with J = {loss}: the probabilities of {name} sum to "
            f"{shown.expected:.4g}, its points to {count:.4g}; {right}."
        )
    return f"Stopped at step {shown.number} with J = {loss}, before the gradient vanished; {right}."


def _turned(shot: Shot) -> str:
    """How near gradient descent has come to the widest margin."""
    path = shot.model.turning
    if path is None or not len(path) or path.shape[1] == 2:
        return ""
    return f"its cosine to the direction of the widest margin is {path[-1, 2]:.5f}; "


CAPTIONS = {"start": _opening, "newton": _step, "gradient descent": _step, "done": _conclusion}


def _turns(played: Played) -> bool:
    """Whether the direction comes nearer to the widest margin with every tenfold of the time."""
    steps, _, cosines = played.model.turning.T
    at = np.interp([10, 100, 1000], steps, cosines)
    return bool((np.diff(at) > 0.0).all()) and played.last.shown.doubt == "separated"


TRIES = (
    Try(
        "Classes that a line separates have no most likely w: without a penalty |w| grows at every step, for ever.",
        "separable(n=100,margin=1,seed=1)",
        {"lam": 0.0},
        shows=lambda played: (
            played.last.shown.doubt == "separated" and bool((np.diff(played.curve("norm")[:-1]) > 0.0).all())
        ),
    ),
    Try(
        "Gradient descent on such classes turns, ever more slowly, towards the widest margin: the cosine grows with "
        "the logarithm of time.",
        "separable(n=60,margin=1,seed=1)",
        {"solver": "gradient descent", "lam": 0.0, "learning_rate": 0.5, "max_steps": 1500},
        shows=_turns,
    ),
    Try(
        "The same classes with a penalty: the run converges.",
        "separable(n=100,margin=1,seed=1)",
        {"lam": 1.0},
        shows=lambda played: played.ended.stop is Stop.CONVERGED,
    ),
    Try(
        "Gradient descent has not converged after 1,000 small steps, Newton's method has after seven.",
        params={"solver": "gradient descent"},
        shows=lambda played: (
            played.ended.stop is Stop.LIMIT
            and played.last.shown.number == 1000
            and played.but(solver="newton").last.shown.number == 7
        ),
    ),
    Try(
        "With a Gaussian kernel the boundary encloses the inner circle and is right about all points; a straight one "
        "is wrong about more than four in ten.",
        "circles(n=200,noise=0.1,seed=1)",
        {"kernel": "Gaussian", "lam": 0.1},
        shows=lambda played: played.wrong() == 0 and played.but(kernel="none").wrong() > 0.4 * played.data.n,
    ),
)
