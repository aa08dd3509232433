"""Captions of subset selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.maths.regression_frames import column_name, fit_words, opening
from algorithms.maths.words import counted
from algorithms.regression.subset_selection.solver import Choice

if TYPE_CHECKING:
    from algorithms.regression.subset_selection import Shot


def choice(shot: Shot) -> str:
    """One choice."""
    made = shot.shown.fact.choice
    names = ", ".join(column_name(shot.given.problem, j) for j in made.columns[:6]) or "none"
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


def warning(shot: Shot) -> str:
    """A search that was cut off."""
    tried = shot.shown.doubt
    return f"After {tried:,} subsets the search was given up; there may be better ones." if tried else ""


CAPTIONS = {"design": opening, "subset": choice, "leap": choice, "done": fit_words}
