"""What a frame of the singular value decomposition shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array, Points
from algorithms.embedding.svd.solver import NOTHING, Circle, Decomposition, spectral_norm
from algorithms.marks import Arrows, Curve, Dots, Extent, Images, Mark, Polygons, ReferenceLine, Segments
from algorithms.maths import maps
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.embedding.svd import Model

MOST_ROWS = 256
"""Rows and columns of a matrix that are shown as pixels, evenly chosen."""
TILES = 12
"""Layers that are shown one by one."""
LEAST_SIDE, NARROW = 12, 2
"""A matrix with few rows or columns has larger pixels, and is not shown narrower than one in two."""
MOST_WHISKERS = 300
MEASURED = 4.0e7
"""Rows times columns times the smaller of both up to which what is left over is measured, too."""
CORNERS = 73
"""Corners of a circle."""
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of."""

    data: Points
    found: Decomposition
    rank: int  # layers that were asked for, as far as there are any
    circle: Circle | None
    rows: Array = field(repr=False)  # those that are shown as pixels
    columns: Array = field(repr=False)
    repeat: tuple[int, int] = (1, 1)  # pixels of the screen for a number, down and across
    count: int = 0  # layers so far
    angle: float | None = None  # of the unit vector that turns
    warning: str = ""

    @property
    def kept(self) -> float:
        """The fraction of the squares that is there."""
        return 1.0 - float(self.found.squares[self.count] / self.found.squares[0])

    @property
    def numbers(self) -> float:
        """How many numbers the layers are made of, as a fraction of those of the matrix."""
        n, d = self.found.A.shape
        return self.count * (n + d + 1.0) / (n * d)


def first_picture(data: Points, found: Decomposition, rank: int) -> Picture:
    """Before there is a layer."""
    rows, columns = (maps.evenly(side, MOST_ROWS) for side in found.A.shape)
    high, wide = len(rows), len(columns)
    least = max(LEAST_SIDE, -(-max(high, wide) // NARROW))
    repeat = (-(-least // high) if high < least else 1, -(-least // wide) if wide < least else 1)
    circle = Circle.of(found) if data.d == 2 else None
    return Picture(data, found, rank, circle, rows, columns, repeat)


def subscript(number: int) -> str:
    """A number below the line."""
    return str(number).translate(SUBSCRIPTS)


def frame(picture: Picture, model: Model, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    metrics = {
        "spectral": picture.found.next_value(picture.count),
        "frobenius": picture.found.frobenius(picture.count),
        "kept": picture.kept,
        "numbers": picture.numbers,
    }
    return DrawnSnapshot(model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    views: dict[str, tuple[Mark, ...]] = {
        "pictures": (_sums(picture),),
        "spectrum": _spectrum(picture),
        "error": _errors(picture),
        "plane": _plane(picture),
        "layers": (_layers(picture),),
    }
    if picture.circle is not None:
        views["circle"] = _circle(picture, picture.circle)
    return views


# --- matrices as pictures ---------------------------------------------------------------------------------------------


def _pixels(picture: Picture, part: Array) -> Array:
    """Each number of the part that is shown as one or more pixels."""
    down, across = picture.repeat
    return np.repeat(np.repeat(part, down, axis=0), across, axis=1)


def _sums(picture: Picture) -> Images:
    """The matrix beside the sum of its layers, then the newest layer and what is left over, both by one scale.

    High pictures stand side by side, others two in a row.
    """
    found, k = picture.found, picture.count
    n, d = found.A.shape
    part = "" if (len(picture.rows), len(picture.columns)) == (n, d) else ", a part"
    whole = found.A[np.ix_(picture.rows, picture.columns)]
    columns, rows = found.U[picture.rows, :k] * found.s[:k], found.Vt[:k, picture.columns]
    so_far = columns @ rows
    tiles = [(whole, f"A: {n} × {d}{part}"), (so_far, f"sum of {counted(k, 'layer')}" if k else "no layer yet")]
    if k:
        tiles.append((np.outer(columns[:, -1], rows[-1]), f"layer {k}: σ{subscript(k)} = {found.s[k - 1]:.3g}"))
    tiles.append((whole - so_far, _left_over(picture)))
    matrices, captions = zip(*tiles)
    pixels = np.stack([_pixels(picture, matrix) for matrix in matrices])
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


def _left_over(picture: Picture) -> str:
    """What is below the picture of what is left over: its norm, measured, and the singular value that it is.

    Short, so that it fits below in the letters of a projector.
    """
    found, k = picture.found, picture.count
    if k >= len(found.s):
        return "rest: 0"
    n, d = found.A.shape
    small = float(n) * d * min(n, d) <= MEASURED
    norm = spectral_norm(found.A - found.sum_of(k)) if small else found.next_value(k)
    return f"rest: {norm:.4g} = σ{subscript(k + 1)}"


def _layers(picture: Picture) -> Images:
    """The patterns u_k v_k' of the first layers, each by a scale of its own, with what they count."""
    found, shown = picture.found, min(picture.count, TILES)
    if not shown:
        return Images(
            _pixels(picture, np.zeros((len(picture.rows), len(picture.columns))))[None], np.zeros((1, 2), int)
        )
    wide = 4 if min(picture.rank, TILES) > 6 else 3
    tiles = np.stack(
        [
            _pixels(picture, np.outer(found.U[picture.rows, k], found.Vt[k, picture.columns]) / _largest(found, k))
            for k in range(shown)
        ]
    )
    at = np.stack(np.divmod(np.arange(shown), wide), axis=1)
    captions = tuple(f"σ{subscript(k + 1)}: {found.s[k]:.3g}" for k in range(shown))
    return Images(tiles, at, captions, np.ones(shown, dtype=bool), signed_level=1.0)


def _largest(found: Decomposition, k: int) -> float:
    return float(np.abs(found.U[:, k]).max() * np.abs(found.Vt[k]).max()) or 1.0


# --- plots ------------------------------------------------------------------------------------------------------------


def _spectrum(picture: Picture) -> tuple[Mark, ...]:
    """All singular values, those of the layers so far among them, and the one that is the error."""
    s, k = picture.found.s, picture.count
    shown = s[s > NOTHING * s[0]]
    number = np.arange(1.0, len(shown) + 1.0)
    marks: tuple[Mark, ...] = (Curve(number, shown, "singular values", dots=len(shown) <= 64),)
    if k < len(shown):
        name = f"error of {counted(k, 'layer')} = σ{subscript(k + 1)} = {s[k]:.4g}"
        marks = (*marks, Dots(np.array([[k + 1.0, s[k]]]), name, 1))
    return (*marks, ReferenceLine(float(picture.rank), "rank", handle="rank"))


def _errors(picture: Picture) -> tuple[Mark, ...]:
    """What is left over after k layers, in both norms, beside the same norm of the whole matrix."""
    found = picture.found
    number = np.arange(len(found.s) + 1.0)
    spectral = 100.0 * np.append(found.s, 0.0) / found.s[0]
    frobenius = 100.0 * np.sqrt(found.squares / found.squares[0])
    here = np.array([[picture.count, spectral[picture.count]], [picture.count, frobenius[picture.count]]])
    words = f"after {picture.count}: {here[0, 1]:.3g} % and {here[1, 1]:.3g} %"
    return (
        Curve(number, spectral, "spectral norm: the next σ"),
        Curve(number, frobenius, "Frobenius norm: all that follow"),
        Dots(here, words, groups=np.array([0, 1])),
    )


def _circle(picture: Picture, circle: Circle) -> tuple[Mark, ...]:
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
    if picture.angle is not None:
        here = np.array([[np.cos(picture.angle), np.sin(picture.angle)]])
        there = circle.image(here)
        names = ("x", f"Ax, {np.linalg.norm(there):.4g} long")
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


def _plane(picture: Picture) -> tuple[Mark, ...]:
    """The rows as points, and how far those of the sum so far are from them; of two columns also the directions v."""
    found, k = picture.found, picture.count
    some = maps.evenly(picture.data.n, MOST_WHISKERS)
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
