"""What the singular value decomposition says: its captions, warnings and explanations."""

from __future__ import annotations

import numpy as np

from algorithms.embedding.svd.solver import NOTHING
from algorithms.embedding.svd.views import Picture, subscript
from algorithms.maths.words import counted, number, percent, share


def opening(picture: Picture) -> str:
    """The caption of the first frame."""
    n, d = picture.found.A.shape
    found = picture.found
    return (
        f"A has {counted(n, 'row')} and {counted(d, 'column')}: the squares of its {counted(n * d, 'number')} add up "
        "to "
        f"{number(float(found.squares[0]))}, and no unit vector x has an Ax longer than {number(float(found.s[0]))}."
    )


def turning(picture: Picture, longest: bool) -> str:
    """The caption while a unit vector turns."""
    assert picture.angle is not None
    assert picture.circle is not None
    here = np.array([[np.cos(picture.angle), np.sin(picture.angle)]])
    length = float(np.linalg.norm(picture.circle.image(here)))
    where = "Towards the longest Ax" if longest else "The unit vector x turns"
    return f"{where}: at {np.degrees(picture.angle) % 180.0:.0f}° the length of Ax is {number(length)}."


def layer(picture: Picture, before: int) -> str:
    """The caption when one layer, or some, are added."""
    found, k = picture.found, picture.count
    if k - before > 1:
        which = f"Layers {before + 1} to {k} are added"
    else:
        j = subscript(k)
        which = f"Layer {k} is σ{j} = {number(float(found.s[k - 1]))} times column u{j} times row v{j}"
    return f"{which}. {remainder(picture)}"


def remainder(picture: Picture) -> str:
    """Both norms of what is missing."""
    found, k = picture.found, picture.count
    if found.next_value(k) <= NOTHING * found.s[0]:
        return f"The sum of {counted(k, 'layer')} is A itself."
    return (
        f"The remainder has the spectral norm {number(found.next_value(k))} = σ{subscript(k + 1)} and the Frobenius "
        "norm "
        f"{number(found.frobenius(k))}, the root of the sum of all later σ²."
    )


def closing(picture: Picture) -> str:
    """The caption of the last frame."""
    many = counted(picture.count, "layer")
    if picture.count == len(picture.found.s):
        return f"All {many} together are A again." if picture.count > 1 else "The only layer is A itself."
    has = "has" if picture.count == 1 else "have"
    return (
        f"{many} {has} {share(picture.kept)} of the sum of squares of A with {percent(picture.numbers)} as many "
        "numbers; "
        f"no matrix of rank {picture.count} is nearer to A."
    )


def warning(picture: Picture, asked: int) -> str:
    """A warning where the best matrix is not the only one, or where there are not as many layers."""
    found, k = picture.found, picture.rank
    if k < len(found.s) and found.s[k] > 1e-9 * found.s[0] and found.s[k - 1] - found.s[k] <= 1e-9 * found.s[0]:
        return f"σ{subscript(k)} and σ{subscript(k + 1)} are equal: another matrix of rank {k} is just as near."
    if found.rank < min(asked, len(found.s)):
        return f"The matrix has rank {found.rank}: all later layers are 0."
    return ""
