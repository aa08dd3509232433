"""Captions, warnings and explanations of the kernel laboratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Item
from algorithms.maths.design import least_squares
from algorithms.maths.words import counted, number, percent

if TYPE_CHECKING:
    from algorithms.classification.kernel_lab import Model, Shot
    from algorithms.played import Played


def _start(shot: Shot) -> str:
    kernel = shot.model.kernel
    parts = sum(1 for _ in kernel.within()) - 1
    made = f", made of {counted(parts, 'part')}" if parts else ""
    if kernel.semidefinite:
        return f"k = {kernel.text}{made}, is a kernel by the rules."
    return f"k = {kernel.text}{made}, is not known to be a kernel by the rules; the spectrum shows whether it is one."


def _part(shot: Shot) -> str:
    kernel = shot.model.kernel
    rule = "a kernel by the rules" if kernel.semidefinite else "not known to be a kernel"
    return f"The part {kernel.text} is {rule}; its smallest eigenvalue is {_smallest(shot)}."


def _smallest(shot: Shot) -> str:
    """The smallest eigenvalue, and that it is positive where rounding hides it."""
    value = shot.metrics["smallest"]
    if value:
        return number(value)
    return "positive, but too small to be told from 0" if _is_definite(shot) else "0 up to rounding"


def _is_definite(shot: Shot) -> bool:
    return shot.model.kernel.definite and shot.given.distinct == len(shot.model.X)


def _gram(shot: Shot) -> str:
    model, n = shot.model, shot.given.n
    m = len(model.X)
    points = counted(m, "point") if m == n else f"{m} of the {n:,} points"
    low, high = number(model.gram.min()), number(model.gram.max())
    values = f"all are {low}" if low == high else f"its values go from {low} to {high}"
    return f"The Gram matrix of k = {model.kernel.text} on {points}: {values}."


def _spectrum(shot: Shot) -> str:
    model, below, smallest = shot.model, int(shot.metrics["negative"]), _smallest(shot)
    if below:
        return (
            f"{counted(below, 'eigenvalue')} of {len(model.eigenvalues)} {'is' if below == 1 else 'are'} negative, the "
            f"smallest {smallest}: {model.kernel.text} is not a kernel."
        )
    if model.kernel.semidefinite:
        return f"No eigenvalue is negative, as the rules say of a kernel; the smallest is {smallest}."
    return (
        f"No eigenvalue is negative; the smallest is {smallest}. These points do not refute that it is a kernel, but "
        "no rule says so."
    )


def warning(shot: Shot) -> str | None:
    """That it is not a kernel, once its matrix is there."""
    below = int(shot.metrics["negative"])
    verb = "is" if below == 1 else "are"
    return (
        f"This is not a kernel: {counted(below, 'eigenvalue')} {verb} negative."
        if below and shot.phase != "part"
        else None
    )


def _function(shot: Shot) -> str:
    t, eigenvalues = shot.shown.rebuilt - 1, shot.model.eigenvalues
    fraction = float(eigenvalues[t] / np.abs(eigenvalues).sum())
    return f"Eigenfunction {t + 1} has the eigenvalue {number(eigenvalues[t])}, {percent(fraction)} of their sum."


def _rebuild(shot: Shot) -> str:
    coordinates, left = counted(shot.shown.rebuilt, "coordinate"), shot.metrics["left"]
    if left == 0.0:
        return f"With {coordinates} the products φ(x_i)·φ(x_j) are the matrix, up to rounding."
    return f"With {coordinates} the products φ(x_i)·φ(x_j) differ from the matrix by {percent(left)} of its norm."


def _done(shot: Shot) -> str:
    model = shot.model
    if shot.metrics["negative"]:
        lost = float(np.abs(model.eigenvalues[model.negative]).sum() / np.abs(model.eigenvalues).sum())
        return (
            f"{model.kernel.text} is not a kernel: no space has these inner products. The negative eigenvalues, "
            f"{percent(lost)} of the sum of absolute values, are missing in the lift."
        )
    rank = int(np.count_nonzero(model.eigenvalues > 1e-9 * model.size))
    lift = " The lift shows the first three." if rank > 3 else ""
    if not _is_definite(shot):
        return f"The points span numerically {counted(rank, 'dimension')} of the space of k.{lift}"
    theory = f"The {counted(shot.given.distinct, 'distinct point')} span {counted(shot.given.distinct, 'dimension')}"
    if rank == shot.given.distinct:
        return f"{theory} of the space of k.{lift}"
    return f"{theory} of the space of k, but numerically {rank}: the other eigenvalues are lost in rounding.{lift}"


CAPTIONS = {
    "start": _start,
    "part": _part,
    "gram": _gram,
    "spectrum": _spectrum,
    "function": _function,
    "rebuild": _rebuild,
    "done": _done,
}


def explanation(model: Model, item: Item) -> Explanation:
    """What the kernel says about a place."""
    row, bump = item.x[None], model.places[:1]
    with np.errstate(all="ignore"):
        own = float(np.nan_to_num(model.kernel(row, row)[0, 0]))
        answer: Explanation = {"k with itself": own}
        if len(model.places) == 1:
            with_bump, of_bump = (float(np.nan_to_num(model.kernel(one, bump)[0, 0])) for one in (row, bump))
            answer["k with the chosen point"] = with_bump
            squared = own - 2.0 * with_bump + of_bump
            far = number(float(np.sqrt(squared))) if squared >= 0.0 else "none: its square would be negative"
            answer["distance to it in the space of k"] = far
        else:
            value = float(np.nan_to_num((model.kernel(row, model.places) @ model.weights)[0]))
            answer["value of the eigenfunction"] = value
    here = np.flatnonzero(model.members == item.number)
    if len(here):
        for axis in range(min(3, len(model.X))):
            answer[f"coordinate {axis + 1}"] = float(model.coordinates[here[0], axis])
    return answer


FORMULAS = (
    r"k(x, z) = \langle \phi(x), \phi(z) \rangle, \qquad K_{ij} = k(x_i, x_j), \qquad c^{\top} K c \geq 0",
    r"K = V \Lambda V^{\top}, \qquad "
    r"\phi(x_i) = \left( \sqrt{\lambda_1}\, v_{1i}, \sqrt{\lambda_2}\, v_{2i}, \dots \right)",
    r"\psi_t(x) = \frac{\sqrt{n}}{\lambda_t} \sum_{i=1}^n v_{ti}\, k(x_i, x), \qquad "
    r"k(x, z) = \sum_t \frac{\lambda_t}{n}\, \psi_t(x)\, \psi_t(z)",
    r"a k_1 + b k_2 \;(a, b \geq 0), \qquad k_1 k_2, \qquad f(x) f(z), \qquad e^{k}",
)


def _wrong_in_lift(played: Played) -> float:
    """The fraction of points that the best plane in the three coordinates of the lift puts on the wrong side."""
    lifted = np.column_stack([played.model.coordinates[:, :3], np.ones(played.data.n)])
    side = np.where(played.data.y == 0, -1.0, 1.0)
    plane = least_squares(lifted, side)
    return float((np.sign(lifted @ plane) != side).mean())


TRIES = (
    Try(
        "Two rings and a sum of kernels: the matrix is built part by part, and no eigenvalue is negative.",
        shows=lambda played: (
            sum(frame.phase == "part" for frame in played.frames) == 3 and not played.curve("negative").any()
        ),
    ),
    Try(
        "The sigmoid is often called a kernel, but a quarter of its eigenvalues are negative here.",
        "blobs(n=60,noise=1,seed=1)",
        {"kernel": "sigmoid", "slope": 1.0, "shift": 1.0},
        shows=lambda played: 12 <= played.final("negative") <= 18,
    ),
    Try(
        "The absolute value is convex, and yet |x·z| is not a kernel: the marked bars are below zero.",
        "circles(n=80,noise=0.1,seed=1)",
        {"expression": "abs(linear)"},
        shows=lambda played: played.final("negative") > 0 and played.final("smallest") < -1.0,
    ),
    Try(
        "The square of the inner product lifts the rings to three dimensions, in which a plane separates them.",
        "circles(n=150,noise=0.05,seed=1)",
        {"kernel": "polynomial", "degree": 2, "offset": 0.0},
        shows=lambda played: (
            next(frame.shown.rebuilt for frame in played.frames if frame.metrics["left"] == 0.0) == 3
            and _wrong_in_lift(played) == 0.0
        ),
    ),
)
