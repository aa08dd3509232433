"""The pictures of the bootstrap: point sizes, the histogram of the statistic, the interval, and who is left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.ensembles.bootstrap.solver import SEEN, TIMES, Question, Resampling, left_out_exactly, times_exactly
from algorithms.marks import Bars, Curve, Dots, Ellipses, Highlight, Mark, PointSizes, Polygons, ReferenceLine, Segments
from algorithms.maths.histograms import bin_edges, histogram_outline
from algorithms.maths.words import percent

if TYPE_CHECKING:
    from algorithms.ensembles.bootstrap import Shot

OFTEN = 4.0
"""A point that is drawn so often has the largest halo."""
FEW = 3000
"""Points that are left out are ringed where there are no more points than this."""


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    data, state, counts = shot.given.data, shot.shown.state, shot.model.counts
    found: dict[str, tuple[Mark, ...]] = {"plane": _plane(data, state, counts, shot.phase)}
    if len(state.replicates):
        found["replicates"] = _histogram(state)
    if len(state.track):
        found["times"] = _times(state)
        found["left_out"] = _left_out(state)
    if state.resamples > 1:
        found["track"] = _track(state)
    return found


def _plane(data: Points, state: Resampling, counts: Array, phase: str) -> tuple[Mark, ...]:
    """The resample as sizes, what it leaves out, and the statistic of this and the latest resamples."""
    marks: list[Mark] = [PointSizes(counts.astype(np.float64), "times drawn", largest=OFTEN)]
    out = np.flatnonzero(counts == 0)
    if int(counts.sum()) == data.n and len(out) and data.n <= FEW:
        marks.append(Highlight(out, "changed", "left out"))
    return (*marks, *_lines(data, state, counts, drawn=phase in ("resample", "interval")))


def _lines(data: Points, state: Resampling, counts: Array, drawn: bool) -> list[Mark]:
    """The statistic in the plane, where the plane shows the columns that it is about."""
    question = state.question
    width = data.d + int(data.is_valued)
    if width != 2:
        return []
    kind = question.statistic
    if kind == "correlation":
        return [_ellipse(question, counts)] if data.d == 2 and drawn else []
    if kind == "variance":
        return []
    latest = state.replicates[-SEEN:]
    marks: list[Mark] = []
    if drawn and len(latest):
        marks.append(Segments(*_pieces(data, question, latest, state.means), role="edge", name="latest resamples"))
    estimate, middle = np.array([question.estimate]), np.array([[question.x.mean(), question.y.mean()]])
    return [*marks, Segments(*_pieces(data, question, estimate, middle), role="axis", name=f"{kind} of the data")]


def _pieces(data: Points, question: Question, values: Array, means: Array) -> tuple[Array, Array]:
    """The ends (m, 2) of the line of each value: across the column at a mean, or through its means with a slope."""
    low, high = float(question.x.min()), float(question.x.max())
    if question.statistic == "slope":
        x = np.array([low, high])[:, None]
        ends = np.stack([np.broadcast_to(x, (2, len(values))), means[:, 1] + (x - means[:, 0]) * values], axis=2)
    else:
        across = data.y if data.is_valued and question.numbers[0] == 0 else data.X[:, 1 - question.numbers[0]]
        assert across is not None
        sides = np.array([float(across.min()), float(across.max())])[:, None]
        ends = np.stack([np.broadcast_to(values, (2, len(values))), np.broadcast_to(sides, (2, len(values)))], axis=2)
    ends = ends if question.numbers[0] == 0 else ends[:, :, ::-1]
    return ends[0], ends[1]


def _ellipse(question: Question, counts: Array) -> Ellipses:
    """The scatter of the resample, whose slant is its correlation."""
    pair = np.stack([question.x, question.y])[:: 1 if question.numbers[0] == 0 else -1]
    mean = (pair * counts).sum(axis=1) / counts.sum()
    centred = pair - mean[:, None]
    return Ellipses(mean[None], ((centred * counts) @ centred.T / counts.sum())[None], np.ones(1), (1.0,))


def _histogram(state: Resampling) -> tuple[Mark, ...]:
    """The replicates so far, the bell with their standard error, and the ends of the interval."""
    edges = bin_edges(state.replicates)
    heights = np.histogram(state.replicates, edges, density=True)[0]
    marks: list[Mark] = [Polygons((histogram_outline(edges, heights),), np.zeros(1, dtype=int), filled=True)]
    error = state.standard_error
    if error > 0.0 and len(state.replicates) > 4:
        reach = np.linspace(-3.5, 3.5, 141)
        x = state.question.estimate + error * reach
        marks.append(Curve(x, np.exp(-0.5 * reach**2) / (error * math.sqrt(2.0 * math.pi)), "normal", quiet=True))
        low, high = state.interval
        marks += [ReferenceLine(float(low), f"{percent(state.level)} between"), ReferenceLine(float(high), "")]
    top = float(heights.max())
    latest = np.array([[state.replicates[-1], -0.03 * top]])
    truth = np.array([[state.question.estimate, -0.03 * top]])
    return (*marks, Dots(latest, "the latest", 1), Dots(truth, "all points", known=True))


def _track(state: Resampling) -> tuple[Mark, ...]:
    """The interval after ever more resamples."""
    count, error, low, high, _ = state.track[state.track[:, 0] > 1.0].T  # one resample has no standard error
    reach = float(state.normal[1] - state.question.estimate) / state.standard_error if state.standard_error else 0.0
    middle = np.full(len(count), state.question.estimate)
    return (
        Curve(count, middle, "estimate", low=low, high=high),
        Curve(count, middle - reach * error, "normal interval", quiet=True),
        Curve(count, middle + reach * error, "", quiet=True),
    )


def _times(state: Resampling) -> tuple[Mark, ...]:
    """How often points were drawn 0, 1, 2 ... times, and how often that is to be expected."""
    seen = state.times / state.times.sum()
    names = (*(str(k) for k in range(TIMES - 1)), f"{TIMES - 1} or more")
    groups = np.where(np.arange(TIMES) == 0, 1, 0)
    exact = times_exactly(state.question.n)
    return (
        Bars(seen, names, groups=groups, group_names=("drawn", "left out")),
        Curve(np.arange(float(TIMES)), exact, "exact", dots=True, quiet=True),
    )


def _left_out(state: Resampling) -> tuple[Mark, ...]:
    """The fraction that is left out, on average over more and more resamples."""
    return (
        Curve(state.track[:, 0], state.track[:, 4], "left out, on average", dots=len(state.track) < 30),
        Curve(state.track[:, 0], np.full(len(state.track), left_out_exactly(state.question.n)), "exactly (1 - 1/n)ⁿ"),
        ReferenceLine(math.exp(-1.0), "1/e", axis="y"),
    )
