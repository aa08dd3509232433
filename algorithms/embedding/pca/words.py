"""What principal component analysis says: its captions and its warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import counted
from algorithms.embedding.pca.views import clean_errors, squares

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
    return (
        f"Along components {kept} and {kept + 1} the points vary equally, so these could be turned at will: no "
        "direction between them is better than another."
    )


def _start(shot: Shot) -> str:
    given, data = shot.given, shot.given.data
    if given.params.axis == "by hand" and given.plane is not None:
        return _turning(shot, "By hand at")
    scaled = ", each divided by its standard deviation" if given.params.scaling == "standardised" else ""
    noise = " with noise" if given.noisy else ""
    return (
        f"{counted(data.n, 'point')}{noise} with {counted(data.d, 'feature')}{scaled}: around their mean they vary by "
        f"{given.total:.4g} in all directions together."
    )


def _turning(shot: Shot, where: str = "At") -> str:
    return (
        f"{where} {np.degrees(shot.shown.angle) % 180.0:.0f}°: along the axis the points vary by "
        f"{shot.metrics['variance']:.4g}, across it {shot.metrics['error']:.4g} is left over, together always "
        f"{shot.given.total:.4g}; the squared whiskers add up to {squares(shot):.4g}."
    )


def _settling(shot: Shot) -> str:
    return _turning(shot, "Towards the largest variance,")


def _sliding(shot: Shot) -> str:
    return (
        "Each point goes to its shadow on the axis, one number instead of two: "
        f"{shot.metrics['variance']:.4g} of the variance {shot.given.total:.4g} is still there."
    )


def _component(shot: Shot) -> str:
    k, fractions = shot.shown.count, shot.model.fractions
    which = f"Component {k}, at right angles to those before," if k > 1 else "Component 1"
    verb = "shows" if k == 1 else f"adds {100 * fractions[k - 1]:.3g} %; the first {k} show"
    return f"{which} {verb} {100 * fractions[:k].sum():.3g} % of the variance."


def _beyond(shot: Shot) -> str:
    """Points rebuilt from more components than are kept."""
    words = (
        f"Were {shot.shown.count} components kept, the rebuilt points would be off by {shot.metrics['error']:.3g} on "
    )
    if not shot.given.noisy:
        return f"{words}average, squared: {100 * shot.metrics['kept']:.3g} % of the variance would be there."
    return f"{words}average, squared, and by {clean_errors(shot)[-1]:.3g} from the points without noise."


def _comparing(shot: Shot) -> str:
    """Beside least squares."""
    lines, (first, second) = shot.given.lines, shot.given.data.features
    assert lines is not None
    if shot.shown.whiskers == "upright":
        return (
            f"The line of {second} on {first} keeps upright whiskers short: their squares add up to "
            f"{lines.upright_errors[0]:.4g}, those of the principal axis to {lines.upright_errors[1]:.4g}."
        )
    return (
        f"The principal axis keeps whiskers across it short (total least squares): {lines.across_errors[1]:.4g} beside "
        f"{lines.across_errors[0]:.4g} of the line of {second} on {first}; it lies between the two lines."
    )


def _closing(shot: Shot) -> str:
    given, count = shot.given, shot.shown.count
    words = f"{counted(count, 'component')} of {len(given.found.lengths)} show{'s' * (count == 1)}"
    text = f"{words} {100 * shot.metrics['kept']:.4g} % of the variance."
    if given.noisy:
        best = (0, *given.ladder)[int(np.argmin(clean_errors(shot)))]
        text += f" The points without noise are met best by {counted(best, 'component')}."
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
