"""Captions, warnings and explanations of the kernel laboratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Item
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.kernel_lab import Model, Shot


def _start(shot: Shot) -> str:
    kernel = shot.model.kernel
    parts = sum(1 for _ in kernel.within()) - 1
    made = f", made of {counted(parts, 'part')}" if parts else ""
    rule = "a kernel by the rules" if kernel.semidefinite else "no kernel that the rules know: the spectrum will tell"
    return f"k = {kernel.text}{made}, is {rule}."


def _part(shot: Shot) -> str:
    kernel = shot.model.kernel
    rule = "a kernel by the rules" if kernel.semidefinite else "not known to be a kernel"
    return f"The part {kernel.text} is {rule}; its smallest eigenvalue is {number(shot.metrics['smallest'])}."


def _gram(shot: Shot) -> str:
    model, n = shot.model, shot.given.n
    m = len(model.X)
    some = "" if m == n else f" (of {n:,} points, taken evenly)"
    low, high = number(model.gram.min()), number(model.gram.max())
    return f"The matrix of k = {model.kernel.text} between {counted(m, 'point')}{some}: values from {low} to {high}."


def _spectrum(shot: Shot) -> str:
    model, below, smallest = shot.model, int(shot.metrics["negative"]), number(shot.metrics["smallest"])
    if below:
        return (
            f"{counted(below, 'eigenvalue')} of {len(model.eigenvalues)} {'is' if below == 1 else 'are'} negative, the "
            f"smallest {smallest}: {model.kernel.text} is not a kernel."
        )
    if model.kernel.semidefinite:
        return f"No eigenvalue is negative (smallest {smallest}), as the rules say: it is a kernel."
    return (
        f"No eigenvalue is negative (smallest {smallest}): these points do not refute it, but no rule says that "
        "it is a kernel."
    )


def warning(shot: Shot) -> str | None:
    """That it is not a kernel, once its matrix is there."""
    below = int(shot.metrics["negative"])
    return f"Not a kernel: {counted(below, 'eigenvalue')} below zero." if below and shot.phase != "part" else None


def _function(shot: Shot) -> str:
    t, eigenvalues = shot.shown.rebuilt - 1, shot.model.eigenvalues
    fraction = float(eigenvalues[t] / np.abs(eigenvalues).sum())
    return f"Eigenfunction {t + 1}: λ = {number(eigenvalues[t])}, {100 * fraction:.1f} % of the spectrum."


def _rebuild(shot: Shot) -> str:
    coordinates, left = counted(shot.shown.rebuilt, "coordinate"), shot.metrics["left"]
    return f"With {coordinates} φ(x_i)·φ(x_j) rebuilds the matrix up to {100 * left:.3g} % of it."


def _done(shot: Shot) -> str:
    model = shot.model
    if shot.metrics["negative"]:
        lost = float(np.abs(model.eigenvalues[model.negative]).sum() / np.abs(model.eigenvalues).sum())
        return (
            f"{model.kernel.text} is not a kernel: no space has these products; {100 * lost:.3g} % of the spectrum is "
            "below zero and is missing in the lift."
        )
    rank = int(np.count_nonzero(model.eigenvalues > 1e-9 * model.size))
    return f"The points span {counted(rank, 'dimension')} of the space of k; the lift shows the first three."


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
TRIES = (
    Try("Two rings and a sum of kernels: the matrix is built part by part, and no eigenvalue is negative."),
    Try(
        "The sigmoid is called a kernel, but some of its eigenvalues are negative.",
        "blobs(n=60,noise=1,seed=1)",
        {"kernel": "sigmoid", "slope": 1.0, "shift": 1.0},
    ),
    Try(
        "The absolute value is convex, and yet |x·z| is not a kernel: the marked bars are below zero.",
        "circles(n=80,noise=0.1,seed=1)",
        {"expression": "abs(linear)"},
    ),
    Try(
        "The square of the inner product lifts the rings to three dimensions, in which a plane parts them.",
        "circles(n=150,noise=0.05,seed=1)",
        {"kernel": "polynomial", "degree": 2, "offset": 0.0},
    ),
)
