"""Captions of subset selection."""

from __future__ import annotations

from algorithms.maths.linear_model import formula
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.regression_frames import Shown, column_name
from algorithms.maths.words import counted
from algorithms.regression.subset_selection.solver import Choice


def choice(problem: LinearProblem, made: Choice) -> str:
    """One choice."""
    names = ", ".join(column_name(problem, j) for j in made.columns[:6]) or "none"
    more = ", ..." if len(made.columns) > 6 else ""
    words = f"{counted(len(made.columns), 'column')} in use ({names}{more}), {certainty(made)}"
    return f"{words}; the sum of squares is {made.rss:.4g}."


def certainty(made: Choice) -> str:
    """How sure the choice is."""
    if made.search is None:
        return f"the best of {counted(made.tried, 'subset')} tried"
    total = made.search.total
    every = f"{total:,}" if total < 10**12 else f"2^{total.bit_length() - 1}"
    looked = f"{made.tried:,} of {every} subsets"
    if made.search.proven:
        return f"proven to be the best of its size after {looked}"
    if made.search.given_up:
        return f"the best of its size that was found among {looked}"
    return f"the best of its size so far, after {looked}"


def given_up(made: Choice) -> str:
    """The warning of a search that was cut off."""
    return f"After {made.tried:,} subsets the search was given up; there may be better ones."


def done(shown: Shown) -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shown.model)}; the mean squared residual is {shown.metrics['mse']:.4g}"
    return words + (f", σ = {shown.model.spread.sigma:.3g}." if shown.model.spread is not None else ".")
