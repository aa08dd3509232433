"""The captions and the warning of the bootstrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from algorithms.ensembles.bootstrap.solver import Question, left_out_exactly
from algorithms.maths.words import between, capital, counted, number, percent, signed

if TYPE_CHECKING:
    from algorithms.ensembles.bootstrap import Shot


def _what(question: Question) -> str:
    """The statistic as a caption calls it: ``the slope of y over x``."""
    if question.statistic == "slope":
        return f"the slope of {question.names[1]} over {question.names[0]}"
    if question.statistic == "correlation":
        return f"the correlation of {question.names[0]} and {question.names[1]}"
    return f"the {question.statistic} of {question.names[0]}"


def _opening(shot: Shot) -> str:
    question = shot.given.question
    found = f"{capital(_what(question))} is {number(question.estimate)}"
    return f"{found} for these {counted(question.n, 'point')}; resamples show how much it would vary with other points."


def _drawing(shot: Shot) -> str:
    """How far the first resample is drawn."""
    counts = shot.model.counts
    n, drawn, distinct = len(counts), int(counts.sum()), int(np.count_nonzero(counts))
    if drawn < n:
        again = f"{counted(drawn - distinct, 'repetition')} so far" if drawn > distinct else "no repetition so far"
        return f"{counted(drawn, 'draw')} with replacement, the latest is point {shot.shown.point + 1}: {again}."
    out = n - distinct
    return (
        f"{counted(n, 'draw')} from {counted(n, 'point')}: {distinct:,} of them are in the resample, one of them "
        f"{counted(int(counts.max()), 'time')}, and {out:,} are left out ({percent(out / n)})."
    )


def _resampled(shot: Shot) -> str:
    """What the latest resamples have added."""
    state, question = shot.shown.state, shot.given.question
    if not len(state.replicates):
        return f"This resample is one point again and again: it has no {question.statistic}."
    if shot.shown.more == 1:
        first = f"Resample {state.resamples:,}: {_what(question)} is {number(state.replicates[-1])}"
    else:
        first = f"{counted(state.resamples, 'resample')}: the latest has {number(state.replicates[-1])}"
    if len(state.replicates) == 1:
        return f"{first}; for all points it is {number(question.estimate)}."
    left = f"on average {percent(state.left_out)} of the points are left out"
    return f"{first}; the standard error is {number(state.standard_error)}, and {left}."


def _intervals(shot: Shot) -> str:
    """Both intervals, the bias, and how many points are left out."""
    state = shot.shown.state
    if len(state.replicates) < 2:
        return f"{counted(len(state.replicates), 'replicate')}: too few for a standard error and an interval."
    first, last = map(number, state.normal)
    words = f"{percent(state.level)} of {counted(len(state.replicates), 'replicate')} are {between(*state.interval)}; "
    words += f"{number(shot.given.question.estimate)} ± {float(ndtri((1.0 + state.level) / 2.0)):.3g} standard errors "
    words += f"of {number(state.standard_error)} is {first if first == last else f'{first} to {last}'}"
    if state.standard_error > 0.0:
        words += f"; the bias is {signed(state.bias)}"
    exact = percent(left_out_exactly(shot.given.question.n))
    return f"{words}. {percent(state.left_out)} of the points were left out on average, {exact} are expected."


def warning(shot: Shot) -> str | None:
    """Resamples without a statistic, and data that say nothing about errors."""
    state = shot.shown.state
    if shot.given.question.n == 1:
        return "One point drawn again is the same point: the bootstrap cannot see that one point says little."
    if state.undefined:
        count = counted(state.undefined, "resample")
        verb = "has" if state.undefined == 1 else "have"
        return f"{count} of {state.resamples:,} {verb} no {shot.given.question.statistic} and are not counted."
    return None


CAPTIONS = {"data": _opening, "draw": _drawing, "resample": _resampled, "interval": _intervals}
