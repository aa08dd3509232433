"""The pictures of the majority vote: its probability, the lines, who is right, and the latest votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.ensembles.majority_vote.solver import distribution, lines_curve, majority_curve, right_curve
from algorithms.marks import (
    Bars,
    Bundle,
    Curve,
    Dots,
    Extent,
    Isolines,
    Mark,
    ReferenceLine,
    Regions,
    Segments,
    Strip,
)

if TYPE_CHECKING:
    from algorithms.ensembles.majority_vote import Model, Shot

OTHERS = (0.35, 0.45, 0.5, 0.55, 0.65, 0.75, 0.85)
"""Other voters, for comparison."""
SEEN = 60
"""Voters of a vote that are shown, and as many lines."""


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    model = shot.model
    return {
        "jury": _jury(model, shot.given.m),
        "lines": _lines(model),
        "votes": _histogram(model),
        "ballots": (_ballots(model),),
    }


def _jury(model: Model, m: int) -> tuple[Mark, ...]:
    """P over the number of voters, among other voters, with what the simulation says."""
    m = max(m, 3)
    odd = np.arange(0, m, 2)
    x, now = odd + 1.0, odd[odd < model.voters]
    name = f"p = {model.p:g}" + (f", correlation {model.correlation:g}" if model.correlation else "")
    marks: list[Mark] = [
        Bundle(x, np.stack([majority_curve(q, m)[odd] for q in OTHERS]), f"p from {OTHERS[0]} to {OTHERS[-1]}"),
        Curve(now + 1.0, lines_curve(model.p, model.correlation, m)[now], "random lines, on average"),
        Curve(now + 1.0, right_curve(model.p, model.correlation, m)[now], name),
        Dots(model.tried, "simulated", 1),
        ReferenceLine(model.p, "one voter", axis="y", handle="p"),
    ]
    if model.correlation:
        marks.append(Curve(x, majority_curve(model.p, m)[odd], "without correlation", quiet=True))
    return tuple(marks)


def _lines(model: Model) -> tuple[Mark, ...]:
    """Random lines, what most of them say, and the truth: the right half of the disc."""
    normals = model.lines[-SEEN:]
    along = np.column_stack([-normals[:, 1], normals[:, 0]])
    return (
        Extent(-1.1, 1.1, -1.1, 1.1, equal=True),
        Regions("probability"),
        Segments(-along, along, role="edge", name="voters"),
        Isolines(strong=(0.5,)),
        ReferenceLine(0.0, "truth"),
    )


def _histogram(model: Model) -> tuple[Mark, ...]:
    """How many voters are right: exactly, and as often as it was seen."""
    exact = distribution(model.p, model.correlation, model.voters)
    shown = np.flatnonzero((exact > 1e-4 * exact.max()) | (model.counts > 0))
    first, last = int(shown[0]), int(shown[-1]) + 1
    right = np.arange(first, last)
    seen = model.counts[first:last] / model.elections
    groups = np.where(2 * right > model.voters, 0, np.where(2 * right < model.voters, 1, -1))
    names = tuple(str(number) for number in right)
    return (
        Bars(seen, names, groups=groups, group_names=("majority right", "majority wrong")),
        Curve(right - float(first), exact[first:last], "exact", dots=last - first <= 30, quiet=True),
    )


def _ballots(model: Model) -> Strip:
    """The latest votes, one in each row."""
    wrong = (~model.ballots[:, :SEEN]).astype(np.int64)
    names = ("right", "wrong")
    return Strip(wrong, group_names=names, first=1.0, low=0.0, high=float(len(wrong)))
