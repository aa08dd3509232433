"""Majority vote: many who are right a little more often than not are together nearly always right.

Each of m voters is right with the probability p, and the decision is that of the majority, sgn(Σ_j f_j). When the votes
are independent, Condorcet's jury theorem gives the probability that it is right (m odd; an even vote is decided by a
coin, so that one voter more than an odd number changes nothing):

    P_m = Σ_{j > m/2} C(m, j) p^j (1 - p)^(m - j)
    P_{m+2} - P_m = (2p - 1) C(m, (m+1)/2) (p (1 - p))^((m+1)/2)

The second formula says why: two more voters matter only where the others are apart by one vote. Above p = 1/2 the
majority is right in the end, below it wrong, and at 1/2 no number of voters helps.

Voters who follow each other are fewer than they look. Here each one follows the same leader with the probability √ρ and
else decides alone, which makes the correlation of any two votes ρ. Given what the leader says the votes are independent
again, with q = √ρ + (1 - √ρ) p where it is right and q = (1 - √ρ) p where it is wrong, so

    P_m = p V_m(√ρ + (1 - √ρ) p) + (1 - p) V_m((1 - √ρ) p)        V_m(q): the sum above with q for p

Classifiers vote as well: a line through the middle of a disc, turned by a random angle with mean (1 - p) π from the
true boundary, is right on the fraction p of the disc on average. Their vote gains less than Condorcet says, because all
of them are unsure at the same places, near the boundary; and lines of any direction (p = 1/2) are right on half of the
disc however many they are.

Orbanz slides (voting, Condorcet's rule: p = 0.55, 0.45, 0.85); Condorcet 1785; Ladha 1992 for correlated votes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from scipy.special import gammaln

from algorithms.contract import Algorithm, DrawnRun, DrawnSnapshot, LazyViews, Line, Metric, Panel, Stop, Try
from algorithms.data import Array, Nothing
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
from algorithms.maths.words import counted
from algorithms.params import Between, Doc, Log

FIRST = 200
"""Votes that are simulated for every number of voters on the way; for the last one there are more."""
SINGLY, STRETCHES, BATCHES = 8, 32, 24
"""The first pairs of voters come one by one, the others in stretches; then the votes of all of them in batches."""
OTHERS = (0.35, 0.45, 0.5, 0.55, 0.65, 0.75, 0.85)
"""Other voters, for comparison."""
KEPT = 12
"""Votes that are shown voter by voter,"""
SEEN = 60
"""with so many voters, and as many lines."""
ANGLES, PLACES = 720, 90
"""Directions in which the vote of the lines is looked at, and where their average is worked out."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the vote."""

    p: Annotated[float, Between(0.0, 1.0), Doc("The probability that a voter is right.")] = 0.55
    m: Annotated[int, Between(1, 501), Doc("Number of voters; an even vote is decided by a coin.")] = 51
    correlation: Annotated[
        float, Between(0.0, 1.0), Doc("Correlation of any two votes: 0 is independence, at 1 all say the same.")
    ] = 0.0
    elections: Annotated[int, Between(1, 100_000), Log, Doc("How many votes of all voters are simulated.")] = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The voters so far: how probably their majority is right, and what came out when they voted."""

    probability: float
    p: float
    correlation: float
    voters: int
    elections: int  # simulated with so many voters
    right: float  # how many of them were decided rightly; a vote that is even counts half
    counts: Array  # (voters + 1,) how often so many voters were right
    ballots: Array  # (<= KEPT, voters) bool: who was right in the latest votes
    tried: Array  # (k, 2) numbers of voters so far, and the fraction of simulated votes that were right
    lines: Array  # (voters, 2) the normals of as many random lines
    lines_right: float  # the fraction of the disc where they vote rightly

    @property
    def simulated(self) -> float:
        """The fraction of the simulated votes that were right."""
        return self.right / self.elections


def run(data: Nothing, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Two voters more at a time, each number of voters tried out; then many votes with all of them."""
    angles = _angles(params, rng)
    model = None
    for voters in _numbers(params.m):
        model = _with_voters(model, voters, params, angles, rng)
        phase = "initial" if voters == 1 else "voters"
        yield _frame(model, params, phase, _words_of_voters(model, params))
    assert model is not None
    for more in _batches(params.elections - model.elections):
        model = _after_votes(model, more, rng)
        yield _frame(model, params, "elections", _words_of_votes(model))
    return Stop.COMPLETE


def _numbers(m: int) -> list[int]:
    """The numbers of voters on the way: odd ones, the first in pairs, then in stretches, and m itself."""
    odd = np.arange(1, m + 1, 2)
    kept = np.unique(np.concatenate([odd[:SINGLY], odd[np.linspace(0, len(odd) - 1, STRETCHES).astype(int)]]))
    return sorted({*kept.tolist(), m})


def _batches(count: int) -> Iterator[int]:
    """How many votes come next: few at first, and ``count`` of them together."""
    ends = np.unique(np.rint(count * np.linspace(0.0, 1.0, BATCHES + 1) ** 2).astype(int))
    return (int(size) for size in np.diff(ends[ends >= 0])) if count > 0 else iter(())


# --- exact numbers ----------------------------------------------------------------------------------------------------


def majority_curve(q: float, m: int) -> Array:
    """V_1 .. V_m (m,): how probably the majority of independent voters is right, each with the probability q."""
    pairs = (m + 1) // 2
    ratios = 4.0 * (2.0 * np.arange(1, pairs) + 1.0) / (2.0 * np.arange(1, pairs) + 2.0) * q * (1.0 - q)
    gains = (2.0 * q - 1.0) * q * (1.0 - q) * np.concatenate([[1.0], np.cumprod(ratios)])[: pairs - 1]
    odd = np.concatenate([[q], q + np.cumsum(gains)])
    return np.clip(np.repeat(odd, 2)[:m], 0.0, 1.0)


def leaders(p: float, correlation: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The two cases, the leader right or wrong: their probability, and that of a voter to be right then."""
    follows = math.sqrt(correlation)
    return (p, follows + (1.0 - follows) * p), (1.0 - p, (1.0 - follows) * p)


def right_curve(p: float, correlation: float, m: int) -> Array:
    """P_1 .. P_m (m,) for voters who follow a leader now and then."""
    return np.asarray(sum(weight * majority_curve(q, m) for weight, q in leaders(p, correlation)))


def limit_of(p: float, correlation: float) -> float:
    """P_m for more and more voters."""
    return sum(weight * (1.0 if q > 0.5 else 0.5 if q == 0.5 else 0.0) for weight, q in leaders(p, correlation))


def distribution(p: float, correlation: float, m: int) -> Array:
    """The probability that 0, 1 .. m voters are right, (m + 1,)."""
    right = np.arange(m + 1)
    choose = gammaln(m + 1) - gammaln(right + 1) - gammaln(m - right + 1)
    total = np.zeros(m + 1)
    for weight, q in leaders(p, correlation):
        if 0.0 < q < 1.0:
            total += weight * np.exp(choose + right * math.log(q) + (m - right) * math.log1p(-q))
        else:
            total[m if q == 1.0 else 0] += weight
    return total


# --- voters and lines -------------------------------------------------------------------------------------------------


def _votes(rng: np.random.Generator, elections: int, voters: int, p: float, correlation: float) -> Array:
    """Who is right in each of some votes, (elections, voters) bool."""
    leader = rng.random((elections, 1)) < p
    alone = rng.random((elections, voters)) < p
    follows = rng.random((elections, voters)) < math.sqrt(correlation)
    return np.where(follows, leader, alone)


def _angles(params: Params, rng: np.random.Generator) -> Array:
    """How far each voter's line is turned from the true boundary, (m,): on average by (1 - p) π, to either side."""
    p, m = params.p, params.m
    span = rng.random(m + 1) * 2.0 * math.pi * min(p, 1.0 - p)
    angles = np.where(p >= 0.5, span, math.pi - span) * np.where(rng.random(m + 1) < 0.5, -1.0, 1.0)
    return np.where(rng.random(m) < math.sqrt(params.correlation), angles[0], angles[1:])


@functools.lru_cache(maxsize=16)  # the same in every frame of a run
def lines_curve(p: float, correlation: float, m: int) -> Array:
    """The fraction of the disc where 1 .. m random lines vote rightly, (m,), on average over all such lines.

    A place whose direction is turned by φ from the boundary is seen rightly by a line that is turned by less than φ to
    one side, or less than π - φ to the other.
    """
    off = (np.arange(PLACES) + 0.5) * math.pi / (2 * PLACES)
    span = 2.0 * math.pi * min(p, 1.0 - p)
    right = (np.minimum(off, span) + np.minimum(math.pi - off, span)) / (2.0 * span) if span > 0.0 else np.ones(PLACES)
    right = right if p >= 0.5 else 1.0 - right
    curve = np.mean([right_curve(float(q), correlation, m) for q in right], axis=0)
    curve.flags.writeable = False
    return np.asarray(curve)


def vote_of_lines(angles: Array) -> float:
    """The fraction of a disc where lines, turned so from the true boundary, vote rightly; an even vote counts half."""
    around = (np.arange(ANGLES) + 0.5) * 2.0 * math.pi / ANGLES
    agree = (np.cos(around[None] - angles[:, None]) > 0) == (np.cos(around) > 0)[None]
    fraction = agree.mean(axis=0)
    return float(np.mean(np.where(fraction == 0.5, 0.5, fraction > 0.5)))


def _with_voters(model: Model | None, voters: int, params: Params, angles: Array, rng: np.random.Generator) -> Model:
    """The model with so many voters, who have voted for the first time."""
    p, rho = params.p, params.correlation
    votes = _votes(rng, min(FIRST, params.elections), voters, p, rho)
    counts = np.bincount(votes.sum(axis=1), minlength=voters + 1)
    right = _rightly(counts)
    tried = np.array([[voters, right / len(votes)]])
    turned = angles[:voters]
    return Model(
        probability=float(right_curve(p, rho, voters)[-1]),
        p=p,
        correlation=rho,
        voters=voters,
        elections=len(votes),
        right=right,
        counts=counts,
        ballots=votes[-KEPT:],
        tried=tried if model is None else np.concatenate([model.tried, tried]),
        lines=np.column_stack([np.cos(turned), np.sin(turned)]),
        lines_right=vote_of_lines(turned),
    )


def _after_votes(model: Model, more: int, rng: np.random.Generator) -> Model:
    """The same voters after some more votes."""
    votes = _votes(rng, more, model.voters, model.p, model.correlation)
    counts = model.counts + np.bincount(votes.sum(axis=1), minlength=model.voters + 1)
    right, elections = _rightly(counts), model.elections + more
    tried = np.concatenate([model.tried[:-1], [[model.voters, right / elections]]])
    ballots = np.concatenate([model.ballots, votes[-KEPT:]])[-KEPT:]
    return replace(model, elections=elections, right=right, counts=counts, ballots=ballots, tried=tried)


def _rightly(counts: Array) -> float:
    """How many votes the majority decided rightly, when so many voters were right that often; even ones count half."""
    m = len(counts) - 1
    return float(counts[m // 2 + 1 :].sum() + (0.5 * counts[m // 2] if m % 2 == 0 else 0.0))


def field(model: Model, X: Array) -> Array:
    """The fraction of the lines that vote for the right half of the disc, (n,)."""
    return np.asarray((X @ model.lines.T > 0.0).mean(axis=1))


# --- words and pictures -----------------------------------------------------------------------------------------------


def _words_of_voters(model: Model, params: Params) -> str:
    found = f"in {counted(model.elections, 'simulated vote')} {model.simulated:.3f}"
    lines = f"{counted(model.voters, 'random line')} {'is' if model.voters == 1 else 'vote'} right on"
    ending = f"{lines} {model.lines_right:.0%} of the disc".replace("%", " %")
    if model.voters == 1:
        return f"One voter is right with the probability {model.probability:.4g}, {found}; {ending}."
    before = right_curve(model.p, model.correlation, model.voters)[max(model.voters - 3, 0)]
    gain = f"the last two change it by {model.probability - before:+.2g}, where the others are apart by one"
    who = f"The majority of {model.voters} voters is right with the probability {model.probability:.4g}"
    return f"{who} ({gain}), {found}; {ending}."


def _words_of_votes(model: Model) -> str:
    exact, error = model.probability, 2.0 * math.sqrt(model.probability * (1.0 - model.probability) / model.elections)
    most = limit_of(model.p, model.correlation)
    ending = "" if model.correlation == 0.0 else f"; more and more voters would be right with {most:.4g}"
    return (
        f"{counted(model.voters, 'voter')} voted {counted(model.elections, 'time')}, and the majority was right in "
        f"{model.simulated:.2%} of them; exactly it is {exact:.2%}, and two standard errors are {error:.2%}{ending}."
    )


def _frame(model: Model, params: Params, phase: str, caption: str) -> DrawnSnapshot:
    metrics = {
        "probability": model.probability,
        "simulated": model.simulated,
        "lines": model.lines_right,
    }
    return DrawnSnapshot(model, LazyViews(views, model, params.m), metrics, phase, caption)


def views(model: Model, m: int) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame."""
    return {
        "jury": _jury(model, m),
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


ALGORITHM = Algorithm(
    key="majority_vote",
    title="Majority vote",
    family="ensembles",
    summary="Independent voters who are right a little more often than not are together nearly always right.",
    params=Params,
    run=run,
    accepts=(),
    field=field,
    synonyms=("Condorcet's jury theorem", "voting", "ensemble", "wisdom of crowds", "weak learners"),
    panels=(
        Panel("jury", "Is the majority right?", x="voters", y="probability", integer_x=True),
        Panel("lines", "Random lines vote", surface=True),
        Panel("votes", "Voters who are right", x="voters who are right", y="fraction of the votes"),
        Panel("ballots", "The latest votes", x="voter", y="vote", integer_x=True),
    ),
    metrics=(
        Metric("probability", "exact probability", group="majority", better="neither"),
        Metric("simulated", "fraction of simulated votes", group="majority", better="neither"),
        Metric("lines", "vote of these random lines", group="lines", better="neither"),
    ),
    pseudocode=(
        Line("one voter is right with probability p", "initial"),
        Line("add two voters: they matter where the others are apart by one", "voters"),
        Line("    P = P + (2p - 1) C(m, (m+1)/2) (p (1-p))^((m+1)/2)   ({probability})"),
        Line("let all of them vote many times", "elections"),
        Line("    count how often the majority is right   ({simulated})"),
    ),
    reference="Statistical Machine Learning (Orbanz), voting and ensembles; Condorcet 1785; Ladha 1992",
    example="blobs(n=300,noise=1,seed=1)",
    formulas=(
        r"P_m = \sum_{j > m/2} \binom{m}{j} p^j (1 - p)^{m - j}",
        r"P_{m+2} - P_m = (2p - 1) \binom{m}{(m+1)/2} \left( p(1 - p) \right)^{(m+1)/2}",
        r"P_m = p\, V_m\!\left( \sqrt{\rho} + (1 - \sqrt{\rho})\, p \right) + (1 - p)\, V_m\!\left( (1 - "
        r"\sqrt{\rho})\, p \right)",
    ),
    tries=(
        Try(
            "Voters a little better than a coin: the more there are, the more often the majority is right.",
            params={"p": 0.55, "m": 301},
        ),
        Try(
            "Voters a little worse than a coin: the more there are, the more certainly they are wrong.",
            params={"p": 0.45, "m": 301},
        ),
        Try(
            "Voters who follow each other are fewer than they look: the curve stops rising.",
            params={"p": 0.55, "m": 301, "correlation": 0.3},
        ),
    ),
)
