"""What the singular value decomposition says: its captions, warnings and explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.embedding.svd.solver import NOTHING
from algorithms.embedding.svd.views import subscript
from algorithms.maths.words import counted, number, percent, share

if TYPE_CHECKING:
    from algorithms.embedding.svd import Shot


def opening(shot: Shot) -> str:
    """The caption of the first frame."""
    n, d = shot.given.found.A.shape
    found = shot.given.found
    return (
        f"A has {counted(n, 'row')} and {counted(d, 'column')}: the squares of its {counted(n * d, 'number')} add up "
        "to "
        f"{number(float(found.squares[0]))}, and no unit vector x has an Ax longer than {number(float(found.s[0]))}."
    )


def turning(shot: Shot) -> str:
    """The caption while a unit vector turns."""
    assert shot.shown.angle is not None
    where = "Towards the longest Ax" if shot.phase == "longest" else "The unit vector x turns"
    return f"{where}: at {np.degrees(shot.shown.angle) % 180.0:.0f}° the length of Ax is {number(shot.shown.length)}."


def layer(shot: Shot) -> str:
    """The caption when one layer, or some, are added."""
    found, k, before = shot.given.found, shot.shown.count, shot.shown.before
    if k - before > 1:
        which = f"Layers {before + 1} to {k} are added"
    else:
        j = subscript(k)
        which = f"Layer {k} is σ{j} = {number(float(found.s[k - 1]))} times column u{j} times row v{j}"
    return f"{which}. {remainder(shot)}"


def remainder(shot: Shot) -> str:
    """Both norms of what is missing."""
    found, k = shot.given.found, shot.shown.count
    if found.next_value(k) <= NOTHING * found.s[0]:
        return f"The sum of {counted(k, 'layer')} is A itself."
    return (
        f"The remainder has the spectral norm {number(found.next_value(k))} = σ{subscript(k + 1)} and the Frobenius "
        "norm "
        f"{number(found.frobenius(k))}, the root of the sum of all later σ²."
    )


def closing(shot: Shot) -> str:
    """The caption of the last frame."""
    many = counted(shot.shown.count, "layer")
    if shot.shown.count == len(shot.given.found.s):
        return f"All {many} together are A again." if shot.shown.count > 1 else "The only layer is A itself."
    has = "has" if shot.shown.count == 1 else "have"
    return (
        f"{many} {has} {share(shot.metrics['kept'])} of the sum of squares of A with "
        f"{percent(shot.metrics['numbers'])} as many "
        "numbers; "
        f"no matrix of rank {shot.shown.count} is nearer to A."
    )


def warning(shot: Shot) -> str:
    """A warning where the best matrix is not the only one, or where there are not as many layers."""
    k = shot.given.rank
    if shot.phase != "result" or not shot.given.doubt:
        return ""
    if shot.given.doubt == "equal":
        return f"σ{subscript(k)} and σ{subscript(k + 1)} are equal: another matrix of rank {k} is just as near."
    return f"The matrix has rank {shot.given.found.rank}: all later layers are 0."


CAPTIONS = {"start": opening, "turn": turning, "longest": turning, "layer": layer, "result": closing}
