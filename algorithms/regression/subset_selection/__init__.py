"""Subset selection: which few of the columns explain most of the target.

f(x) = b + Σ β_j h_j(x) over a subset S of the columns, by least squares; of all subsets of a size the one with the
least sum of squares is wanted:

    minimise Σ_i (y_i - b - Σ_{j in S} β_j h_j(x_i))²    over S with |S| = k

Trying every subset is certain and soon impossible (there are 2^p); adding the best column at a time, or dropping the
least missed one, is fast and not always right. Leaps and bounds (Furnival and Wilson, 1974) is certain and looks at
few: fewer columns never explain more, so that a set of columns that is already worse than the best known subset of each
smaller size need not be taken apart any further.

Methods for Data Science §2.6.1; Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, §3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Ended,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.data import Array, Points
from algorithms.maths import regression_frames
from algorithms.maths.linear_model import Band, LinearModel, explain, predict
from algorithms.maths.linear_problem import FREE, SQUARED, linear_problem, usable
from algorithms.maths.regression_frames import Shown, after, first
from algorithms.maths.regression_knobs import (
    BandKnob,
    ColumnsKnob,
    DegreeKnob,
    DictionaryKnob,
    InterceptKnob,
    ResidualsKnob,
    WidthKnob,
)
from algorithms.maths.regression_marks import Picture
from algorithms.maths.suggestions import polynomial_degree
from algorithms.params import Between, Doc, Suggest
from algorithms.played import Played
from algorithms.regression.subset_selection import words
from algorithms.regression.subset_selection.solver import Choice, Rule, choices, coefficients, lattice
from algorithms.regression.subset_selection.views import views


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of subset selection."""

    subset: Annotated[
        Rule,
        Doc(
            "Add the best column at a time; drop the least missed one; try all subsets; or find the best ones without"
            " trying all (leaps and bounds)."
        ),
    ] = "forward"
    size: Annotated[int, Between(0, 50), Doc("How many columns are kept.")] = 3
    dictionary: DictionaryKnob = "polynomial"
    degree: Annotated[DegreeKnob, Suggest(polynomial_degree, "from the number of features")] = 5
    width: WidthKnob = 0.0
    columns: ColumnsKnob = "as they are"
    residuals: ResidualsKnob = "bars"
    band: BandKnob = "of the fit"
    intercept: InterceptKnob = "free"


@dataclass(frozen=True, slots=True, eq=False)
class Given(regression_frames.Given):
    """What stays the same during a run."""

    rule: Rule
    every: Array  # (2^p, 2) size and sum of squares of every subset, when they are few


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A choice of columns, and what was chosen so far."""

    choice: Choice
    stairs: tuple[tuple[int, float], ...]  # size and sum of squares of every choice so far

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns in use."""
        return self.choice.columns


Shot = Snapshot[Given, LinearModel, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: LinearModel | None = None) -> Run[Shot]:
    """Let the columns join or leave, one choice per frame."""
    problem, start = linear_problem(data, params, ALGORITHM.title), usable(start, data)
    steps, picture = choices(problem.design, params.subset, params.size), Picture.of(problem, params.residuals)
    given = Given(picture, FREE, SQUARED, start is not None, params.subset, lattice(problem.design))
    shot = first(given, problem.zero() if start is None else start)
    yield shot
    shot, chosen = after(shot, "done", problem.mean()), Chosen(Choice((), 0.0, 0), ())
    for choice in steps:
        chosen = Chosen(choice, (*chosen.stairs, (len(choice.columns), choice.rss)))
        model = problem.from_scaled(coefficients(problem.design, choice.columns))
        shot = after(shot, "subset" if choice.search is None else "leap", model, fact=chosen)
        yield shot
    choice = chosen.choice
    model = problem.with_band(shot.model, Band.of(params.band), chosen=choice.columns)
    given_up = choice.search is not None and choice.search.given_up
    yield after(shot, "done", model, fact=chosen, doubt=choice.tried if given_up else None)
    return Ended(Stop.LIMIT, f"given up after {choice.tried:,} subsets") if given_up else Stop.COMPLETE


def _explained(played: Played, size: int) -> float:
    """By how much the first columns lower the sum of squares."""
    found = [frame.metrics["objective"] for frame in played.frames if frame.phase == "subset"]
    return float(np.square(played.data.y - played.data.y.mean()).sum()) - found[size - 1]


ALGORITHM = Algorithm(
    key="subset_selection",
    title="Subset selection",
    family="regression",
    summary="Least squares with the few columns that explain most, found greedily, by leaps and bounds, or one by one.",
    params=Params,
    ignores_scale=True,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("Which columns are in use after the next step?", "subset", "shown.fact.columns"),
        Question("How large is the sum of squares after the next step?", "subset", "metrics.objective"),
    ),
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    target="values",
    resumes=True,
    example="polynomial(n=60,noise=0.25,degree=3,seed=1)",
    synonyms=(
        "forward selection",
        "backward elimination",
        "stepwise regression",
        "best subset",
        "leaps and bounds",
        "feature selection",
        "variable selection",
    ),
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("subsets", "Subsets", x="columns in use", y="sum of squares", integer_x=True),
        Panel("coefficients", "Coefficients", y="β"),
    ),
    metrics=(
        Metric("objective", "sum of squares"),
        Metric("mse", "mean squared residual", better="neither"),
        Metric("norm", "length of β", better="neither"),
        Metric("nonzero", "coefficients that are not 0", better="neither"),
    ),
    pseudocode=(
        Line("Φ ← the functions h_j at every point, β ← 0", "design"),
        Line("forward: the column joins that lowers the sum of squares most", "subset"),
        Line("    backward: of all columns the one leaves that is missed least"),
        Line("    exhaustive: the best of all subsets of 1, 2, ... columns"),
        Line(
            "leaps and bounds: drop columns from all; leap over sets that are no better than known smaller ones", "leap"
        ),
        Line("the fit is ready        {nonzero} columns, mean squared residual = {mse}", "done"),
    ),
    reference="Methods for Data Science §2.6.1; Furnival, Wilson, Regressions by leaps and bounds (1974); "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, §3.3",
    formulas=(
        r"\min_{|S| = k} \ \min_{b,\, \beta} \ \sum_i \Bigl( y_i - b - \sum_{j \in S} \beta_j\, h_j(x_i) \Bigr)^2",
    ),
    tries=(
        Try(
            "Ten measurements of patients, the best added first: two of them explain 85 % of what all ten do.",
            "diabetes()",
            {"subset": "forward", "degree": 1, "size": 4},
            shows=lambda played: _explained(played, 2) > 0.85 * _explained(played.but(size=10), 10),
        ),
        Try(
            "The same by leaps and bounds: certain to be best, without looking at all 1,024 subsets.",
            "diabetes()",
            {"subset": "leaps and bounds", "degree": 1, "size": 4},
            shows=lambda played: bool(
                np.isclose(played.final("objective"), played.but(subset="exhaustive").final("objective"))
                and "proven to be the best of its size after 221 of 1,024 subsets" in played.frames[-2].caption
            ),
        ),
    ),
)
