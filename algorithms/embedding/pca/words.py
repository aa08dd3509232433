"""What principal component analysis says: its captions and its warning."""

from __future__ import annotations

import numpy as np

from algorithms.data import counted
from algorithms.embedding.pca.solver import Lines
from algorithms.embedding.pca.views import Picture


def opening(picture: Picture, scaling: str, by_hand: bool) -> str:
    """The caption of the first frame."""
    if by_hand and picture.plane is not None:
        return turning(picture, "By hand at")
    data = picture.data
    scaled = ", each divided by its standard deviation" if scaling == "standardised" else ""
    noise = " with noise" if picture.noisy else ""
    return (
        f"{counted(data.n, 'point')}{noise} with {counted(data.d, 'feature')}{scaled}: around their mean they vary by "
        f"{picture.total:.4g} in all directions together."
    )


def turning(picture: Picture, where: str) -> str:
    """The caption while the axis turns."""
    left = max(picture.total - picture.variance, 0.0)
    return (
        f"{where} {np.degrees(picture.angle) % 180.0:.0f}°: along the axis the points vary by {picture.variance:.4g}, "
        f"across it {left:.4g} is left over, together always {picture.total:.4g}; the squared whiskers add up to "
        f"{picture.squares:.4g}."
    )


def sliding(picture: Picture) -> str:
    """The caption while the points go to the axis."""
    return (
        f"Each point goes to its shadow on the axis, one number instead of two: {picture.variance:.4g} of the variance "
        f"{picture.total:.4g} is still there."
    )


def component(picture: Picture, k: int) -> str:
    """The caption when a component is added."""
    fraction, together = picture.model.fractions[k - 1], picture.model.fractions[:k].sum()
    which = f"Component {k}, at right angles to those before," if k > 1 else "Component 1"
    verb = "shows" if k == 1 else f"adds {100 * fraction:.3g} %; the first {k} show"
    return f"{which} {verb} {100 * together:.3g} % of the variance."


def beyond(picture: Picture, k: int) -> str:
    """The caption of points rebuilt from more components than are kept."""
    left = max(picture.total - picture.variance, 0.0)
    words = f"Were {k} components kept, the rebuilt points would be off by {left:.3g} on average, squared"
    if not picture.noisy:
        return f"{words}: {100 * min(picture.variance / picture.total, 1.0):.3g} % of the variance would be there."
    return f"{words}, and by {picture.clean_errors[-1]:.3g} from the points without noise."


def comparing(picture: Picture, lines: Lines, whiskers: str) -> str:
    """The caption of the comparison with least squares."""
    first, second = picture.data.features
    if whiskers == "upright":
        return (
            f"The line of {second} on {first} keeps upright whiskers short: their squares add up to "
            f"{lines.upright_errors[0]:.4g}, those of the principal axis to {lines.upright_errors[1]:.4g}."
        )
    return (
        f"The principal axis keeps whiskers across it short (total least squares): {lines.across_errors[1]:.4g} beside "
        f"{lines.across_errors[0]:.4g} of the line of {second} on {first}; it lies between the two lines."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    fraction = 100.0 * min(picture.variance / picture.total, 1.0)
    words = f"{counted(picture.count, 'component')} of {len(picture.found.lengths)} show{'s' * (picture.count == 1)}"
    text = f"{words} {fraction:.4g} % of the variance."
    if picture.noisy and picture.clean_errors:
        best = (0, *picture.ladder)[int(np.argmin(picture.clean_errors))]
        text += f" The points without noise are met best by {counted(best, 'component')}."
    return text


def equal_variances(kept: int) -> str:
    """A warning when the points vary equally in several directions."""
    return (
        f"Along components {kept} and {kept + 1} the points vary equally, so these could be turned at will: no "
        "direction between them is better than another."
    )
