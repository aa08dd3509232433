"""The model of a crowd whose members have bags of their own, and its pictures and words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Item, Points
from algorithms.marks import Bundle, Curve, Highlight, Isolines, Mark, Multiples, PointSizes, ReferenceLine, Regions
from algorithms.maths.bags import Base, Crowd, Errors, Tally, answers_of, cross_validated
from algorithms.maths.tree_growth import Problem
from algorithms.maths.words import counted

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
class Stage:
    """What the frames of a run have in common."""

    data: Points
    problem: Problem
    member: str  # what one of them is called
    alone: float  # the error of one member on all points, on others
    nothing: float  # the error of the answer without members
    votes: bool
    grid: Array  # (m, 1) over one feature

    @classmethod
    def of(
        cls, data: Points, problem: Problem, base: Base, member: str, votes: bool, rng: np.random.Generator
    ) -> Stage:
        """The stage before the first bag."""
        tally = Tally(problem, votes)
        nothing = float(tally.wrong(np.repeat(prior_of(problem)[None], data.n, axis=0)).mean()) / tally.unit
        grid = _along(data) if problem.real and data.d == 1 else np.empty((0, 1))
        return cls(data, problem, member, cross_validated(base, problem, rng), nothing, votes, grid)

    @property
    def members(self) -> str:
        """What several of them are called."""
        return self.member + "s"


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


def common_views(
    stage: Stage, model: Bagged, errors: tuple[Errors, ...], bag: Array | None
) -> dict[str, tuple[Mark, ...]]:
    """The vote in the plane, the single members, and the errors over their number; or a bag that is drawn."""
    found = {"plane": _plane(stage, model, errors, bag)}
    size = len(model.trees)
    if size:
        names = ("single", "mean", "crowd", "out")
        single, mean, crowd, out = (np.concatenate([getattr(e, name) for e in errors])[:size] for name in names)
        note = "filled: in its bag, larger: drawn more often"
        found["members"] = (Multiples(model.trees, stage, stage.member, model.bags, note, single, "error"),)
        number = np.arange(1.0, size + 1.0)
        found["errors"] = (
            Curve(number, mean, f"a single {stage.member}", dots=size < 30),
            Curve(number, out, "all, out of bag", dots=size < 30),
            Curve(number, crowd, "all, on all points", dots=size < 30),
            ReferenceLine(stage.alone, f"one {stage.member} on all points", axis="y"),
        )
    return found


def _plane(stage: Stage, model: Bagged, errors: tuple[Errors, ...], bag: Array | None) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    size = len(model.trees)
    if stage.problem.real and stage.data.d == 1:
        x = stage.grid[:, 0]
        if size:
            curves = [model.trees.answers(number, stage.grid) for number in range(max(size - MOST_CURVES, 0), size)]
            marks.append(Bundle(x, np.array(curves), f"single {stage.members}"))
        marks.append(Curve(x, predict(model, stage.grid), "mean"))
    elif stage.problem.real:
        marks.append(Regions("value"))
    else:
        marks += [Regions("probability"), Isolines(strong=(0.5,))]
    if bag is not None:
        return (*marks, PointSizes(bag.astype(np.float64), "times drawn"))
    if size and not stage.problem.real:
        missed = np.concatenate([part.missed for part in errors])[size - 1]
        if missed.any():
            wrong = np.flatnonzero(missed)
            marks.append(Highlight(wrong, "changed", "wrong out of bag"))
    return tuple(marks)


def metrics(stage: Stage, size: int, errors: tuple[Errors, ...]) -> dict[str, float]:
    """The out-of-bag error, that on all points, and how far the members are apart."""
    if not size:
        return {"oob": stage.alone, "crowd": stage.alone, "apart": 0.0}  # of the one member on all points
    first = size - 1
    for part in errors:
        if first < len(part.out):
            return {name: float(getattr(part, field)[first]) for name, field in _METRICS.items()}
        first -= len(part.out)
    raise IndexError(size)


_METRICS = {"oob": "out", "crowd": "crowd", "apart": "apart"}


def opening(stage: Stage) -> str:
    """The first sentence: how good one member is."""
    wrong = _percent(stage.alone)
    if stage.problem.real:
        begin = f"One {stage.member} on all {counted(stage.data.n, 'point')} leaves {wrong} of the variance of others"
    else:
        begin = f"One {stage.member} on all {counted(stage.data.n, 'point')} errs on {wrong} of others"
    return f"{begin} (cross-validated); now many, each on a bag of its own."


def bag_words(number: int, bag: Array) -> str:
    """What was drawn into a bag."""
    n, draws, left = len(bag), int(bag.sum()), int((bag == 0).sum())
    return (
        f"Bag {number}: {counted(draws, 'draw')} with replacement hit {n - left:,} of {counted(n, 'point')}; "
        f"{left:,} ({_percent(left / n)}) are left out."
    )


def joined_words(stage: Stage, size: int, single: float, out: float) -> str:
    """What the newest member is worth alone and with the others."""
    unit = " of the variance left" if stage.problem.real else " wrong"
    own = f"{stage.member} {size} alone: {_percent(single)}{unit} out of its bag"
    return f"{own[0].upper()}{own[1:]}; all {size} together: {_percent(out)}."


def closing(stage: Stage, size: int, mean: float, out: float) -> str:
    """What all of them have come to."""
    unit = "of the variance left" if stage.problem.real else "wrong"
    return (
        f"{counted(size, stage.member)}: {_percent(out)} {unit} out of bag, {_percent(mean)} for a single one of them, "
        f"{_percent(stage.alone)} for one {stage.member} on all points."
    )


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g}%"
