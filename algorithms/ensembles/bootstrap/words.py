"""The captions of the bootstrap."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.ensembles.bootstrap.solver import Resampling, left_out_exactly
from algorithms.maths.words import capital, counted, number, signed


def what(state: Resampling) -> str:
    """The statistic as a caption calls it: ``the slope of y over x``."""
    question = state.question
    if question.statistic == "slope":
        return f"the slope of {question.names[1]} over {question.names[0]}"
    if question.statistic == "correlation":
        return f"the correlation of {question.names[0]} and {question.names[1]}"
    return f"the {question.statistic} of {question.names[0]}"


def opening(state: Resampling) -> str:
    """The statistic of the data."""
    found = f"{capital(what(state))} is {number(state.question.estimate)}"
    points = counted(state.question.n, "point")
    return f"{found} for these {points}; resamples say how far it would move with others."


def drawing(counts: Array, latest: int) -> str:
    """How far the first resample is drawn."""
    n, drawn, distinct = len(counts), int(counts.sum()), int(np.count_nonzero(counts))
    if drawn < n:
        again = counted(drawn - distinct, "repetition")
        return f"{counted(drawn, 'draw')} with replacement, the latest of point {latest + 1}: {again} so far."
    out = n - distinct
    return (
        f"{counted(n, 'draw')} from {counted(n, 'point')}: {distinct:,} of them are in the resample, the most frequent "
        f"{counted(int(counts.max()), 'time')}, and {out:,} are left out ({out / n:.1%})."
    )


def resampled(state: Resampling, more: int) -> str:
    """What the latest resamples have added."""
    if not len(state.replicates):
        return f"This resample is the same point again and again: it has no {state.question.statistic}."
    if more == 1:
        first = f"Resample {state.resamples:,}: {what(state)} is {number(state.replicates[-1])}"
    else:
        first = f"{counted(state.resamples, 'resample')}: the latest has {number(state.replicates[-1])}"
    if len(state.replicates) == 1:
        return f"{first}, with all points it was {number(state.question.estimate)}."
    left = f"on average {state.left_out:.1%} of the points are left out"
    return f"{first}; the standard error is {number(state.standard_error)}, and {left}."


def intervals(state: Resampling) -> str:
    """Both intervals, and the bias."""
    low, high = (number(end) for end in state.interval)
    first, last = (number(end) for end in state.normal)
    error = state.standard_error
    words = f"{state.level:.3g} of {counted(len(state.replicates), 'replicate')} lie from {low} to {high}"
    words += f"; T ± z·se is {first} to {last}, se = {number(error)}"
    if error > 0.0:
        words += f", bias {signed(state.bias)} ({abs(state.bias) / error:.2f} se)"
    exact = left_out_exactly(state.question.n)
    return f"{words}; left out: {state.left_out:.4f}, exactly {exact:.4f}."


def warning(state: Resampling) -> str:
    """Resamples without a statistic, and data that say nothing about errors."""
    if state.question.n == 1:
        return "One point drawn again is the same point: the bootstrap cannot see that one point says little."
    if state.undefined:
        count = counted(state.undefined, "resample")
        verb = "has" if state.undefined == 1 else "have"
        return f"{count} of {state.resamples:,} {verb} no {state.question.statistic} and are not counted."
    return ""
