"""What a frame of the singular value decomposition shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.embedding.svd.solver import NOTHING, Circle, Decomposition, spectral_norm
from algorithms.marks import Arrows, Curve, Dots, Extent, Images, Mark, Polygons, ReferenceLine, Segments
from algorithms.maths import maps
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.embedding.svd import Shot

TILES = 12
"""Layers that are shown one by one."""
MOST_WHISKERS = 300
MEASURED = 4.0e7
"""Rows times columns times the smaller of both up to which what is left over is measured, too."""
CORNERS = 73
"""Corners of a circle."""
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def subscript(number: int) -> str:
    """A number below the line."""
    return str(number).translate(SUBSCRIPTS)


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    found: dict[str, tuple[Mark, ...]] = {
        "pictures": (_sums(shot),),
        "spectrum": _spectrum(shot),
        "error": _errors(shot),
        "plane": _plane(shot),
        "layers": (_layers(shot),),
    }
    if shot.given.circle is not None:
        found["circle"] = _circle(shot, shot.given.circle)
    return found


# --- matrices as pictures ---------------------------------------------------------------------------------------------


def _pixels(shot: Shot, part: Array) -> Array:
    """Each number of the part that is shown as one or more pixels."""
    down, across = shot.given.repeat
    return np.repeat(np.repeat(part, down, axis=0), across, axis=1)


def _sums(shot: Shot) -> Images:
    """The matrix beside the sum of its layers, then the newest layer and what is left over, both by one scale.

    High pictures stand side by side, others two in a row.
    """
    found, k = shot.given.found, shot.shown.count
    n, d = found.A.shape
    part = "" if (len(shot.given.rows), len(shot.given.columns)) == (n, d) else ", a part"
    whole = found.A[np.ix_(shot.given.rows, shot.given.columns)]
    columns, rows = found.U[shot.given.rows, :k] * found.s[:k], found.Vt[:k, shot.given.columns]
    so_far = columns @ rows
    tiles = [(whole, f"A: {n} × {d}{part}"), (so_far, f"sum of {counted(k, 'layer')}" if k else "no layer yet")]
    if k:
        tiles.append((np.outer(columns[:, -1], rows[-1]), f"layer {k}: σ{subscript(k)} = {found.s[k - 1]:.3g}"))
    tiles.append((whole - so_far, _left_over(shot)))
    matrices, captions = zip(*tiles)
    pixels = np.stack([_pixels(shot, matrix) for matrix in matrices])
    places = np.array([0, 1, 2, 3] if k else [0, 1, 3])
    high = pixels.shape[1] > 1.2 * pixels.shape[2]
    positive = bool(found.A.min() >= 0.0)
    return Images(
        pixels,
        np.stack(np.divmod(places, 4 if high else 2), axis=1),
        captions,
        (places > 1) | (not positive),
        (float(found.A.min()), float(found.A.max())),
        photographs=positive,
        signed_level=float(np.abs(found.A).max()) * (0.5 if positive else 1.0),
        large=True,
    )


def _left_over(shot: Shot) -> str:
    """What is below the picture of what is left over: its norm, measured, and the singular value that it is.

    Short, so that it fits below in the letters of a projector.
    """
    found, k = shot.given.found, shot.shown.count
    if k >= len(found.s):
        return "rest: 0"
    n, d = found.A.shape
    small = float(n) * d * min(n, d) <= MEASURED
    norm = spectral_norm(found.A - found.sum_of(k)) if small else found.next_value(k)
    return f"rest: {norm:.4g} = σ{subscript(k + 1)}"


def _layers(shot: Shot) -> Images:
    """The patterns u_k v_k' of the first layers, each by a scale of its own, with what they count."""
    found, shown = shot.given.found, min(shot.shown.count, TILES)
    if not shown:
        return Images(
            _pixels(shot, np.zeros((len(shot.given.rows), len(shot.given.columns))))[None], np.zeros((1, 2), int)
        )
    wide = 4 if min(shot.given.rank, TILES) > 6 else 3
    tiles = np.stack(
        [
            _pixels(shot, np.outer(found.U[shot.given.rows, k], found.Vt[k, shot.given.columns]) / _largest(found, k))
            for k in range(shown)
        ]
    )
    at = np.stack(np.divmod(np.arange(shown), wide), axis=1)
    captions = tuple(f"σ{subscript(k + 1)}: {found.s[k]:.3g}" for k in range(shown))
    return Images(tiles, at, captions, np.ones(shown, dtype=bool), signed_level=1.0)


def _largest(found: Decomposition, k: int) -> float:
    return float(np.abs(found.U[:, k]).max() * np.abs(found.Vt[k]).max()) or 1.0


# --- plots ------------------------------------------------------------------------------------------------------------


def _spectrum(shot: Shot) -> tuple[Mark, ...]:
    """All singular values, those of the layers so far among them, and the one that is the error."""
    s, k = shot.given.found.s, shot.shown.count
    shown = s[s > NOTHING * s[0]]
    number = np.arange(1.0, len(shown) + 1.0)
    marks: tuple[Mark, ...] = (Curve(number, shown, "singular values", dots=len(shown) <= 64),)
    if k < len(shown):
        name = f"error of {counted(k, 'layer')} = σ{subscript(k + 1)} = {s[k]:.4g}"
        marks = (*marks, Dots(np.array([[k + 1.0, s[k]]]), name, 1))
    return (*marks, ReferenceLine(float(shot.given.rank), "rank", handle="rank"))


def _errors(shot: Shot) -> tuple[Mark, ...]:
    """What is left over after k layers, in both norms, beside the same norm of the whole matrix."""
    found = shot.given.found
    number = np.arange(len(found.s) + 1.0)
    spectral = 100.0 * np.append(found.s, 0.0) / found.s[0]
    frobenius = 100.0 * np.sqrt(found.squares / found.squares[0])
    here = np.array([[shot.shown.count, spectral[shot.shown.count]], [shot.shown.count, frobenius[shot.shown.count]]])
    words = f"after {shot.shown.count}: {here[0, 1]:.3g} % and {here[1, 1]:.3g} %"
    return (
        Curve(number, spectral, "spectral norm: the next σ"),
        Curve(number, frobenius, "Frobenius norm: all that follow"),
        Dots(here, words, groups=np.array([0, 1])),
    )


def _circle(shot: Shot, circle: Circle) -> tuple[Mark, ...]:
    """The unit circle and the ellipse that it becomes, with the singular vectors as its half axes."""
    first, second = circle.s.tolist()
    unit = 1.0 if 0.2 <= first <= 8.0 else first
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS)[:-1]
    round_ = np.column_stack([np.cos(turn), np.sin(turn)])
    ellipse = circle.image(round_) / unit
    scaled = "" if unit == 1.0 else f", in units of {unit:.3g}"
    marks: list[Mark] = [
        Polygons((round_,), dashed=True, name="all x of length 1"),
        Polygons((ellipse,), np.array([0]), name=f"their Ax{scaled}"),
    ]
    if shot.shown.angle is not None:
        here = np.array([[np.cos(shot.shown.angle), np.sin(shot.shown.angle)]])
        there = circle.image(here)
        names = ("x", f"Ax, {shot.shown.length:.4g} long")
        ends = np.concatenate([here, there / unit])
        marks.append(Arrows(np.zeros((2, 2)), ends, ("memory", "force"), names))
    else:
        ends = np.concatenate([circle.v, circle.image(circle.v) / unit])
        half_axes = ("v₁", "v₂", f"Av₁ = σ₁u₁, σ₁ = {first:.4g}", f"Av₂ = σ₂u₂, σ₂ = {second:.4g}")
        marks.append(Arrows(np.zeros((4, 2)), ends, ("memory", "memory", "step", "step"), half_axes))
    reach = 1.15 * max(1.0, float(np.abs(ellipse).max()))
    axes = ("first coordinate", "second coordinate")
    if not circle.whole:
        axes = ("first coordinate; of Ax along u₁", "second coordinate; of Ax along u₂")
    return (Extent(-reach, reach, -reach, reach, equal=True, names=axes), *marks)


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """The rows as points, and how far those of the sum so far are from them; of two columns also the directions v."""
    found, k = shot.given.found, shot.shown.count
    some = maps.evenly(shot.given.data.n, MOST_WHISKERS)
    marks: tuple[Mark, ...] = ()
    if k and k < len(found.s):
        again = (found.U[some, :k] * found.s[:k]) @ found.Vt[:k]
        marks = (Segments(found.A[some], again, "residual", some, "remainder of each row"),)
    if found.A.shape[1] == 2:
        reach = 1.05 * float(np.sqrt(np.square(found.A).sum(axis=1).max()))
        for j in range(min(max(k, 0), len(found.s))):
            ends = reach * np.stack([-found.Vt[j], found.Vt[j]])
            marks = (*marks, Segments(ends[:1], ends[1:], "axis", name=f"along v{subscript(j + 1)}, through 0"))
    return marks
