"""Learners that have bags of their own: run, model, pictures and words that bagging and forests share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.contract import Explanation, Snapshot
from algorithms.data import Array, Item, Points
from algorithms.marks import Bundle, Curve, Highlight, Isolines, Mark, Multiples, PointSizes, ReferenceLine, Regions
from algorithms.maths.bags import Base, Crowd, Errors, Tally, answers_of, batches, cross_validated, draw
from algorithms.maths.tree_growth import Problem
from algorithms.maths.words import capital, counted, number, percent

WATCHED = 3
"""The bags of the first members are shown before the members."""
PLACES = 600
"""Places at which members are drawn over one feature."""
MOST_CURVES = 25
"""Single members that are drawn over one feature, the newest ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Bagged:
    """The members so far and what they have learned."""

    trees: Crowd
    oob_error: float
    bags: tuple[Array, ...]  # (b, n) each: how often each point was drawn
    prior: Array  # (c,) the fractions of the classes, or the mean: the answer of nobody
    votes: bool  # whether each member has one vote, in place of its fractions
    real: bool

    def fractions(self, X: Array) -> Array:
        """The mean answer of the members: fractions (n, c) of the classes, or values (n, 1)."""
        if not len(self.trees):
            return np.repeat(self.prior[None], len(X), axis=0)
        return self.trees.total(X, self.votes) / len(self.trees)


def predict(model: Bagged, X: Array) -> Array:
    """The class (n,) that has most of the vote, or the mean of all answers."""
    return answers_of(model.fractions(X), model.real)


def field(model: Bagged, X: Array) -> Array:
    """The fraction (n,) of the second of two classes, the fractions (n, c) of more, or the mean (n,)."""
    fractions = model.fractions(X)
    if model.real:
        return fractions[:, 0]
    fractions = np.clip(np.round(fractions, 12), 0.0, 1.0)
    return fractions[:, 1] if fractions.shape[1] == 2 else fractions


def explain(model: Bagged, data: Points, item: Item) -> Explanation:
    """How the members have voted on a point, and how those that have not seen it."""
    said: Explanation = {}
    ballots = model.trees.ballots(item.x)
    seen = np.concatenate([part[:, item.number] for part in model.bags]) if item.number >= 0 and model.bags else None
    drawn = None if seen is None else seen[: len(ballots)]
    if model.real:
        said["mean of the members"] = float(predict(model, item.x[None])[0])
        if len(ballots):
            said["least and largest"] = f"{ballots.min():.4g} to {ballots.max():.4g}"
    else:
        counts = np.bincount(ballots.astype(np.int64), minlength=len(model.prior))
        for number in np.argsort(-counts, kind="stable")[:6].tolist():
            if counts[number]:
                said[f"members for {data.class_name(number)}"] = f"{counts[number]} of {len(ballots)}"
        said["answer"] = data.class_name(int(predict(model, item.x[None])[0]))
    if drawn is not None and len(drawn):
        outside = ballots[drawn == 0]
        said["times drawn into the newest bag"] = int(drawn[-1])
        said["members that have not seen it"] = len(outside)
        if len(outside) and model.real:
            said["their mean"] = float(outside.mean())
        elif len(outside):
            said["their answer"] = data.class_name(int(np.bincount(outside.astype(np.int64)).argmax()))
    return said


def compared(values: bool) -> tuple[str, str]:
    """How the answers of a crowd differ from those of another one, as a script works it out, and what that is."""
    if values:
        difference = "np.abs(theirs.predict(X) - ours.predict(X)).mean() / np.std(y)"
        return difference, "mean difference of the predictions, in deviations of y"
    return "np.mean(theirs.predict(X) != ours.predict(X))", "fraction of other answers"


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    real: bool  # whether the target is a value
    member: str  # what one of them is called
    alone: float  # the error of one member made on all points, on others
    nothing: float  # the error of the answer without members
    prior: Array  # the answer of nobody
    votes: bool
    grid: Array  # (m, 1) over one feature

    @classmethod
    def of(
        cls, data: Points, problem: Problem, base: Base, member: str, votes: bool, rng: np.random.Generator
    ) -> Given:
        """What is known before the first bag."""
        tally, prior = Tally(problem, votes), prior_of(problem)
        nothing = float(tally.wrong(np.repeat(prior[None], data.n, axis=0)).mean()) / tally.unit
        grid = _along(data) if problem.real and data.d == 1 else np.empty((0, 1))
        alone = cross_validated(base, problem, rng)
        return cls(data, problem.real, member, alone, nothing, prior, votes, grid)

    def model(self, trees: Crowd, error: float, bags: tuple[Array, ...]) -> Bagged:
        """The model of so many members."""
        return Bagged(trees, error, bags, self.prior, self.votes, self.real)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is known about the members so far, and the bag that is drawn."""

    errors: tuple[Errors, ...] = ()
    bag: Array | None = None  # (n,) how often each point was drawn

    @property
    def left_out(self) -> int:
        """How many points the bag leaves out."""
        return 0 if self.bag is None else int((self.bag == 0).sum())


Shot = Snapshot[Given, Bagged, Shown]


def joined(
    given: Given, base: Base, tally: Tally, rng: np.random.Generator, members: int, draws: int, at_once: int
) -> Iterator[Shot]:
    """Draw a bag, train a member on it, and let all of them vote; and again. Some are made together, ``at_once``."""
    everyone = base.nobody()
    bags: tuple[Array, ...] = ()
    errors: tuple[Errors, ...] = ()
    model = given.model(everyone, given.nothing, ())
    yield shot_of(given, "start", model, Shown())
    for together in batches(members, at_once):
        drawn = draw(rng, together, given.data.n, draws)
        part = base.grown(drawn)
        everyone, bags, errors = everyone.plus(part), (*bags, drawn), (*errors, tally.add(part, drawn))
        for new in range(together):
            number = len(everyone) - together + new + 1
            if number <= WATCHED:
                yield shot_of(given, "bag", model, Shown(errors, drawn[new]))
            model = given.model(everyone.first(number), float(errors[-1].out[new]), bags)
            yield shot_of(given, "vote", model, Shown(errors))


def shot_of(given: Any, phase: str, model: Any, shown: Any) -> Any:
    """The snapshot of a method of this kind."""
    return Snapshot(given, phase, model, metrics(len(model.trees), shown.errors), shown)


def _along(data: Points) -> Array:
    """Places (m, 1) over one feature, so near each other that the stairs of a tree are upright."""
    low, high = float(data.X.min()), float(data.X.max())
    margin = 0.05 * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, PLACES)[:, None]


def prior_of(problem: Problem) -> Array:
    """The fractions (c,) of the classes, or the mean (1,)."""
    if problem.real:
        return np.array([problem.target.mean()])
    return np.asarray(np.bincount(problem.target, minlength=problem.classes) / len(problem.target))


def common_views(shot: Snapshot[Given, Any, Any]) -> dict[str, tuple[Mark, ...]]:
    """The vote in the plane, the single members, and the errors over their number; or a bag that is drawn."""
    given, model, errors = shot.given, shot.model, shot.shown.errors
    found = {"plane": _plane(given, model, errors, shot.shown.bag)}
    size = len(model.trees)
    if size:
        names = ("single", "mean", "crowd", "out")
        single, mean, crowd, out = (np.concatenate([getattr(e, name) for e in errors])[:size] for name in names)
        note = "filled: in its bag, larger: drawn more often"
        found["members"] = (Multiples(model.trees, given, given.member, model.bags, note, single, "error"),)
        number = np.arange(1.0, size + 1.0)
        found["errors"] = (
            Curve(number, mean, f"a single {given.member}", dots=size < 30),
            Curve(number, out, "all, out of bag", dots=size < 30),
            Curve(number, crowd, "all, on all points", dots=size < 30),
            ReferenceLine(given.alone, f"one {given.member} on all points", axis="y"),
        )
    return found


def _plane(given: Given, model: Bagged, errors: tuple[Errors, ...], bag: Array | None) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    size = len(model.trees)
    if given.real and given.data.d == 1:
        x = given.grid[:, 0]
        if size:
            curves = [model.trees.answers(number, given.grid) for number in range(max(size - MOST_CURVES, 0), size)]
            marks.append(Bundle(x, np.array(curves), f"single {given.member}s"))
        marks.append(Curve(x, predict(model, given.grid), "mean"))
    elif given.real:
        marks.append(Regions("value"))
    else:
        marks += [Regions("probability"), Isolines(strong=(0.5,))]
    if bag is not None:
        return (*marks, PointSizes(bag.astype(np.float64), "times drawn"))
    if size and not given.real:
        missed = np.concatenate([part.missed for part in errors])[size - 1]
        if missed.any():
            wrong = np.flatnonzero(missed)
            marks.append(Highlight(wrong, "changed", "wrong out of bag"))
    return tuple(marks)


def metrics(size: int, errors: tuple[Errors, ...]) -> dict[str, float]:
    """The out-of-bag error, that on all points, and how far the members are apart; NaN before there are any."""
    first = size - 1
    for part in errors if size else ():
        if first < len(part.out):
            apart = float(part.apart[first]) if size > 1 else math.nan
            return {"oob": float(part.out[first]), "crowd": float(part.crowd[first]), "apart": apart}
        first -= len(part.out)
    return dict.fromkeys(("oob", "crowd", "apart"), math.nan)


def _opening(shot: Shot) -> str:
    """How good one member is."""
    given = shot.given
    what = "squared error " if given.real else ""
    begin = f"One {given.member} on all {counted(given.data.n, 'point')}: {what}{error_words(given, given.alone)}"
    return f"{begin} on points that it has not seen (cross-validation). Next come many, each on a bag of its own."


def _drawn(shot: Shot) -> str:
    """What was drawn into a bag."""
    bag, left = shot.shown.bag, shot.shown.left_out
    assert bag is not None
    return (
        f"Bag {len(shot.model.trees) + 1}: {counted(int(bag.sum()), 'draw')} with replacement contain "
        f"{len(bag) - left:,} of {counted(len(bag), 'point')}; {left:,} ({percent(left / len(bag))}) are left out."
    )


def _joined(shot: Shot) -> str:
    """How good the newest member is alone and with the others."""
    given, size = shot.given, len(shot.model.trees)
    single = np.concatenate([part.single for part in shot.shown.errors])[size - 1]
    what, together = ("squared error ", "mean") if given.real else ("", "vote")
    own = f"{capital(given.member)} {size}: {what}{error_words(given, float(single))} on the points out of its bag"
    return f"{own}; the {together} of all {size}: {error_words(given, shot.metrics['oob'])}." if size > 1 else f"{own}."


def _closing(shot: Shot) -> str:
    """What all of them have come to."""
    given, size, mean = shot.given, len(shot.model.trees), mean_of_members(shot)
    what = "squared error " if given.real else ""
    return (
        f"{counted(size, given.member)} together: {what}{error_words(given, shot.metrics['oob'])} out of bag; "
        f"a single one of them: {error_words(given, mean)} on average; one {given.member} on all points: "
        f"{error_words(given, given.alone)}."
    )


def mean_of_members(shot: Snapshot[Given, Any, Any]) -> float:
    """The mean error of the single members, each on the points out of its bag."""
    return float(np.concatenate([part.mean for part in shot.shown.errors])[len(shot.model.trees) - 1])


CAPTIONS = {"start": _opening, "bag": _drawn, "vote": _joined, "done": _closing}


def error_words(given: Given, error: float) -> str:
    """An error with its unit: ``9 % wrong``, or beside the variance of the target."""
    if not given.real:
        return f"{percent(error)} wrong"
    return f"{percent(error)} of the variance" if error <= 1.0 else f"{number(error)} times the variance"
