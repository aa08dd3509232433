"""What the singular value decomposition says: its captions, warnings and explanations."""

from __future__ import annotations

import numpy as np

from algorithms.data import counted
from algorithms.embedding.svd.views import Picture, subscript


def opening(picture: Picture) -> str:
    """The caption of the first frame."""
    n, d = picture.found.A.shape
    found = picture.found
    return (
        f"A has {counted(n, 'row')} and {counted(d, 'column')}, {n * d:,} numbers: their squares add up to "
        f"{found.squares[0]:.4g}, and no unit vector becomes longer than {found.s[0]:.4g}."
    )


def turning(picture: Picture, longest: bool) -> str:
    """The caption while a unit vector turns."""
    assert picture.angle is not None
    assert picture.circle is not None
    here = np.array([[np.cos(picture.angle), np.sin(picture.angle)]])
    length = float(np.linalg.norm(picture.circle.image(here)))
    where = "Towards the longest" if longest else "The unit vector x"
    return f"{where}: at {np.degrees(picture.angle) % 180.0:.0f}° the matrix makes x {length:.4g} long."


def layer(picture: Picture, before: int) -> str:
    """The caption when one layer, or some, are added."""
    found, k = picture.found, picture.count
    if k - before > 1:
        which = f"Layers {before + 1} to {k} are added"
    else:
        j = subscript(k)
        which = f"Layer {k} is σ{j} = {found.s[k - 1]:.4g} times column u{j} times row v{j}"
    return f"{which}. {left_over(picture)}"


def left_over(picture: Picture) -> str:
    """Both norms of what is missing."""
    found, k = picture.found, picture.count
    if k >= len(found.s):
        return "Nothing is left over."
    return (
        f"What is left over has the norm {found.next_value(k):.4g} = σ{subscript(k + 1)}, and the Frobenius norm "
        f"{found.frobenius(k):.4g}, the root of all later σ² together."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    many = counted(picture.count, "layer")
    if picture.count == len(picture.found.s):
        return f"All {many} together are A again." if picture.count > 1 else "The only layer is A itself."
    verb = "shows" if picture.count == 1 else "show"
    return (
        f"{many} {verb} {100 * picture.kept:.4g} % of the squares with {100 * picture.numbers:.3g} % as many numbers; "
        f"no matrix of rank {picture.count} is nearer to A."
    )


def warning(picture: Picture, asked: int) -> str:
    """A warning where the best matrix is not the only one, or where there are not as many layers."""
    found, k = picture.found, picture.rank
    if k < len(found.s) and found.s[k] > 1e-9 * found.s[0] and found.s[k - 1] - found.s[k] <= 1e-9 * found.s[0]:
        return f"σ{subscript(k)} and σ{subscript(k + 1)} are equal: another matrix of rank {k} is just as near."
    if found.rank < min(asked, len(found.s)):
        return f"The matrix has rank {found.rank}: the layers after it add nothing."
    return ""
