"""What principal component analysis says: its captions and its warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.embedding.pca.views import clean_errors, squares
from algorithms.maths.words import counted, number, share

if TYPE_CHECKING:
    from algorithms.embedding.pca import Shot

EQUAL = 1e-6
"""Two variances nearer than this fraction of the first are equal."""


def warning(shot: Shot) -> str | None:
    """A warning when the points vary equally in several directions, once there is more to be seen than is kept."""
    kept, variances = shot.given.kept, shot.given.found.lengths**2
    if shot.phase not in ("beyond", "result") or kept == len(variances):
        return None
    if variances[kept - 1] - variances[kept] > EQUAL * variances[0] or variances[kept] <= EQUAL * variances[0]:
        return None
    return f"Components {kept} and {kept + 1} have the same variance, so any turn of the two in their plane is as good."


def _start(shot: Shot) -> str:
    given, data = shot.given, shot.given.data
    if given.params.axis == "by hand" and given.plane is not None:
        return _turning(shot, "By hand at")
    scaled = ", each divided by its standard deviation" if given.params.scaling == "standardised" else ""
    noise = " and with noise added" if given.noisy else ""
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}{scaled}{noise}: their total variance, the trace "
        f"of C, is {number(given.total)}."
    )


def _turning(shot: Shot, where: str = "At") -> str:
    total = shot.given.total
    at = f"{where} {np.degrees(shot.shown.angle) % 180.0:.0f}°"
    if shot.shown.foreign and shot.given.data.d > 2:
        at = "Along the direction of this step"
    return (
        f"{at}: the variance is {number(shot.metrics['variance'])} "
        f"along the axis and {number(shot.metrics['error'], total)} across it, together always {number(total)}; the "
        f"squared distances from the axis add up to {number(squares(shot), total)}."
    )


def _settling(shot: Shot) -> str:
    return _turning(shot, "Towards the largest variance,")


def _sliding(shot: Shot) -> str:
    return (
        "Each point is projected onto the axis, one number instead of two, which keeps "
        f"{number(shot.metrics['variance'])} of the variance {number(shot.given.total)}."
    )


def _component(shot: Shot) -> str:
    k, fractions = shot.shown.count, shot.model.fractions
    together = share(min(float(fractions[:k].sum()), 1.0))
    if k == 1:
        return f"Component 1 has {together} of the variance."
    return (
        f"Component {k}, at right angles to those before, has {share(float(fractions[k - 1]))} of the variance; the "
        f"first {k} together have {together}."
    )


def _beyond(shot: Shot) -> str:
    """Points rebuilt from more components than are kept."""
    n = shot.given.data.n
    error = number(squares(shot) / n, shot.given.total)
    words = f"With {counted(shot.shown.count, 'component')} the mean squared reconstruction error is {error}"
    if not shot.given.noisy:
        return f"{words}: they have {share(shot.metrics['kept'])} of the variance."
    return f"{words}, and {number(float(clean_errors(shot)[-1]))} beside the points without noise."


def _comparing(shot: Shot) -> str:
    """Beside least squares."""
    lines, (first, second) = shot.given.lines, shot.given.data.features
    assert lines is not None
    total = shot.given.total
    if shot.shown.whiskers == "upright":
        return (
            f"The least-squares line of {second} on {first} minimises the squared vertical distances: they add up to "
            f"{number(lines.upright_errors[0])}, those from the principal axis to {number(lines.upright_errors[1])}."
        )
    return (
        "The principal axis minimises the squared distances at right angles to it (total least squares): "
        f"{number(lines.across_errors[1], total)} beside {number(lines.across_errors[0], total)} of the line of "
        f"{second} "
        f"on {first}; it lies between the two lines."
    )


def _closing(shot: Shot) -> str:
    given, count = shot.given, shot.shown.count
    has = "has" if count == 1 else "have"
    text = f"{count} of {counted(len(given.found.lengths), 'component')} {has} {share(shot.metrics['kept'])} of the "
    text += "variance."
    if given.noisy:
        best = (0, *given.ladder)[int(np.argmin(clean_errors(shot)))]
        text += f" {counted(best, 'component')} {'come' if best != 1 else 'comes'} nearest to the points without noise."
    return text


CAPTIONS = {
    "start": _start,
    "turn": _turning,
    "settle": _settling,
    "project": _sliding,
    "component": _component,
    "beyond": _beyond,
    "compare": _comparing,
    "result": _closing,
}
