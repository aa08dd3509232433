"""The pictures of the dividing line: whiskers, the map of errors, its two cuts, and the lift into space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.hyperplane.solver import (
    Solutions,
    Staircase,
    standard,
    wrong_over_angles,
    wrong_over_offsets,
)
from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import (
    Cloud3D,
    Curve,
    DividingLine,
    Dots,
    Ellipses,
    Highlight,
    Isolines,
    Mark,
    Matrix,
    ReferenceLine,
    Regions,
    Segments,
)

if TYPE_CHECKING:
    from algorithms.classification.hyperplane import Given, Model, Shot

MOST_WHISKERS = 400
MOST_LIFTED = 1000
_CUT = 601  # places along a cut of the staircase
_FEW = 12  # so many points classified at once are ringed


def views(shot: Shot) -> Views:
    """Every panel. In the phase of the tails the classes are seen as Gaussians, with the line of the widest margin."""
    given, model, stairs = shot.given, shot.model, shot.shown.stairs
    return {
        "plane": _plane(shot),
        "map": _map(model, stairs),
        "offsets": _over_offsets(given, model, stairs),
        "angles": _over_angles(given, model),
        "lift": _lift(given.data, model, shot.shown.solutions),
    }


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """Both sides, the line with its handles, a whisker from every classified point to its foot (or the Gaussians), and
    the wrong points ringed.
    """
    data, model, now = shot.given.data, shot.model, shot.shown.now
    numbers = np.arange(model.counted)
    X = data.X[: model.counted]
    distances = (X - model.origin) @ model.normal - model.offset
    wrong = numbers[(distances >= 0.0) != (shot.given.signs[: model.counted] > 0.0)]
    line: Mark = Isolines()
    if data.d == 2:
        at = float(model.normal @ model.origin) + model.offset
        line = DividingLine(model.normal, at, handles=("angle", "offset"), origin=model.origin)
    marks: list[Mark] = [Regions("signed"), line]
    if shot.phase == "tails":
        marks += _gaussians(shot.given, model, shot.shown.solutions)
    elif model.counted:
        shown = numbers[-MOST_WHISKERS:]
        feet = data.X[shown] - distances[shown, None] * model.normal
        marks.append(Segments(data.X[shown], feet, "residual", shown, "signed distance"))
    marks.append(Highlight(wrong, "bound", "on the wrong side"))
    if 0 < len(now) <= _FEW:
        marks.append(Highlight(now, "changed", "classified now"))
    return tuple(marks)


def _gaussians(given: Given, model: Model, solutions: Solutions | None) -> list[Mark]:
    """The classes as Gaussians, and the line of the widest margin where there is one."""
    data, bells = given.data, given.bells
    if data.d != 2:
        return []
    marks: list[Mark] = [Ellipses(bells.means + model.origin, bells.covariances, np.full(2, 0.5), whole="class")]
    if solutions is not None:
        normal = solutions.normal
        middle, along = model.origin + solutions.offset * normal, np.array([-normal[1], normal[0]])
        reach = 1.5 * float(np.sqrt(np.square(data.X - model.origin).sum(axis=1).max()))
        marks.append(Segments((middle - reach * along)[None], (middle + reach * along)[None], name="widest margin"))
    return marks


def _map(model: Model, stairs: Staircase) -> tuple[Mark, ...]:
    """Angles to the right, offsets upwards; the present line and the best one that has been found."""
    if not stairs.known:
        return ()
    side = len(stairs.angles)
    missing = np.broadcast_to(np.arange(side) >= stairs.known, stairs.wrong.shape)
    unknown = missing.copy() if missing.any() else None
    _, angle, offset = stairs.best
    name = "angle, -180° to 180°; mistakes"
    return (
        Matrix(stairs.wrong[::-1].astype(np.float64), unknown=unknown, name=name),
        Dots(_cells(stairs, angle, offset), "fewest mistakes", known=True),
        Dots(_cells(stairs, model.angle, model.offset), "this line"),
    )


def _cells(stairs: Staircase, angle: float, offset: float) -> Array:
    """Where a line is in the map, whose cells have the side 1; beyond its edge it stands on the edge."""
    side = len(stairs.angles)
    reach = float(stairs.offsets[-1])
    across = (angle + 180.0) / 360.0
    up = (offset + reach) / (2.0 * reach) if reach > 0.0 else 0.5
    return np.clip(np.array([[across, up]]) * (side - 1) + 0.5, 0.0, side)


def _over_offsets(given: Given, model: Model, stairs: Staircase) -> tuple[Mark, ...]:
    """The mistakes of all parallel lines: steps; and, smoothly, how many of as many Gaussian points are expected."""
    bells = given.bells
    along = (given.data.X - model.origin) @ model.normal
    reach = max(float(stairs.offsets[-1]), abs(model.offset)) or 1.0
    offsets = np.linspace(-reach, reach, _CUT)
    wrong = wrong_over_offsets(along, given.signs, offsets).astype(np.float64)
    expected = bells.counts @ bells.beyond(model.normal, offsets)
    line = ReferenceLine(model.offset, "this line", handle="offset")
    return Curve(offsets, wrong, "at this angle"), Curve(offsets, expected, "as Gaussians", quiet=True), line


def _over_angles(given: Given, model: Model) -> tuple[Mark, ...]:
    """The mistakes of all lines at this offset."""
    data, signs = given.data, given.signs
    if data.d == 1:
        angles = np.array([-180.0, -90.0, -90.0, 90.0, 90.0, 180.0])
        sides = np.array([-180.0, -180.0, 0.0, 0.0, 180.0, 180.0])
        wrong = wrong_over_angles(data.X - model.origin, signs, sides, model.offset)
    else:
        angles = np.linspace(-180.0, 180.0, 181 if data.n > 2000 else 361)
        wrong = wrong_over_angles(data.X[:, :2] - model.origin[:2], signs, angles, model.offset)
    line = ReferenceLine(model.angle, "this line", handle="angle")
    return Curve(angles, wrong.astype(np.float64), "at this offset"), line


def _lift(data: Points, model: Model, solutions: Solutions | None) -> tuple[Mark, ...]:
    """The points one above the origin, the line as a plane through it, its normal, and the cone of all solutions."""
    if data.d < 2:
        return ()
    at, unit = standard(data.X, model.origin)
    shown = np.arange(data.n) if data.n <= MOST_LIFTED else np.linspace(0, data.n - 1, MOST_LIFTED).astype(np.intp)
    lifted = np.column_stack([at[shown], np.ones(len(shown))])
    reach = float(np.abs(at).max()) or 1.0
    normal = model.normal[:2]
    along, foot = np.array([-normal[1], normal[0], 0.0]), np.append(model.offset / unit * normal, 1.0)
    size = 1.1 * reach
    plane = np.stack([-size * along, size * along, size * along + foot, -size * along + foot, np.zeros(3), foot])
    z = np.append(normal, -model.offset / unit)
    tip = reach * z / np.linalg.norm(z)
    rays = np.empty((0, 3)) if solutions is None else 1.2 * reach * solutions.cone
    m = len(lifted)
    corner = m + len(plane) + 1 + np.arange(len(rays))
    outline = np.array([[m, m + 1], [m + 1, m + 2], [m + 2, m + 3], [m + 3, m], [m + 4, m + 5]])
    around = np.concatenate(
        [np.column_stack([np.full(len(rays), m + 4), corner]), np.column_stack([corner, np.roll(corner, -1)])]
    )
    return (
        Cloud3D(
            lifted,
            axes=(f"{data.features[0]} from the mean", f"{data.features[1]} from the mean", "constant 1"),
            points=shown,
            edges=outline,
            edges_name="plane through 0; on the height 1 it is the line",
            path=np.array([m + 4, m + len(plane)]),
            path_name="z = (v, -c)",
            suspects=around if len(rays) else None,
            suspects_name="cone of solutions" if len(rays) else "",
            corners=np.concatenate([plane, tip[None], rays]),
        ),
    )
