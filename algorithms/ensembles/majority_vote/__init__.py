"""Majority vote: many who are right a little more often than not are together nearly always right.

Each of m voters is right with the probability p, and the decision is that of the majority, sgn(Σ_j f_j). When the votes
are independent, Condorcet's jury theorem gives the probability that it is right (m odd; an even vote is decided by a
coin, so that one voter more than an odd number changes nothing):

    P_m = Σ_{j > m/2} C(m, j) p^j (1 - p)^(m - j)
    P_{m+2} - P_m = (2p - 1) C(m, (m+1)/2) (p (1 - p))^((m+1)/2)

The second formula says why: two more voters matter only where the others differ by one vote. Above p = 1/2 the
majority is right in the end, below it wrong, and at 1/2 no number of voters helps.

Voters who follow each other are fewer than they look. Here each one follows the same leader with the probability √ρ and
else decides alone, which makes the correlation of any two votes ρ. Given what the leader says the votes are independent
again, with q = √ρ + (1 - √ρ) p where it is right and q = (1 - √ρ) p where it is wrong, so

    P_m = p V_m(√ρ + (1 - √ρ) p) + (1 - p) V_m((1 - √ρ) p)        V_m(q): the sum above with q for p

Classifiers vote as well: a line through the middle of a disc, turned by a random angle with mean (1 - p) π from the
true boundary, is right on the fraction p of the disc on average. Their vote gains less than Condorcet says, because all
of them are unsure at the same places, near the boundary; and lines of any direction (p = 1/2) are right on half of the
disc however many they are.

Reference: Condorcet (1785); Boland, "Majority systems and the Condorcet jury theorem" (1989); Ladha (1992) for
correlated votes; Orbanz slides (voting, Condorcet's rule: p = 0.55, 0.45, 0.85).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import Algorithm, Line, Metric, Panel, Question, Run, Snapshot, Stop, Try
from algorithms.data import Array, Nothing
from algorithms.ensembles.majority_vote import solver, words
from algorithms.ensembles.majority_vote.views import views
from algorithms.params import Between, Doc, Log

FIRST = 200
"""Votes that are simulated for every number of voters on the way; for the last one there are more."""
KEPT = 12
"""Votes that are shown voter by voter."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    m: int  # voters in the end


Shot = Snapshot[Given, Model, None]


def run(data: Nothing, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Two voters more at a time, each number of voters tried out; then many votes with all of them."""
    given, model = Given(params.m), None
    angles = solver.turns(params.p, params.m, params.correlation, rng)
    for voters in solver.numbers(params.m):
        model = _with_voters(model, voters, params, angles, rng)
        yield _shot(given, "initial" if voters == 1 else "voters", model)
    assert model is not None
    for more in solver.batches(params.elections - model.elections):
        model = _after_votes(model, more, rng)
        yield _shot(given, "elections", model)
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model) -> Shot:
    metrics = {"probability": model.probability, "simulated": model.simulated, "lines": model.lines_right}
    return Snapshot(given, phase, model, metrics, None)


def _with_voters(model: Model | None, voters: int, params: Params, angles: Array, rng: np.random.Generator) -> Model:
    """The model with so many voters, who have voted for the first time."""
    p, rho = params.p, params.correlation
    votes = solver.votes(rng, min(FIRST, params.elections), voters, p, rho)
    counts = np.bincount(votes.sum(axis=1), minlength=voters + 1)
    right = solver.rightly(counts)
    tried = np.array([[voters, right / len(votes)]])
    turned = angles[:voters]
    return Model(
        probability=float(solver.right_curve(p, rho, voters)[-1]),
        p=p,
        correlation=rho,
        voters=voters,
        elections=len(votes),
        right=right,
        counts=counts,
        ballots=votes[-KEPT:],
        tried=tried if model is None else np.concatenate([model.tried, tried]),
        lines=np.column_stack([np.cos(turned), np.sin(turned)]),
        lines_right=solver.vote_of_lines(turned),
    )


def _after_votes(model: Model, more: int, rng: np.random.Generator) -> Model:
    """The same voters after some more votes."""
    votes = solver.votes(rng, more, model.voters, model.p, model.correlation)
    counts = model.counts + np.bincount(votes.sum(axis=1), minlength=model.voters + 1)
    right, elections = solver.rightly(counts), model.elections + more
    tried = np.concatenate([model.tried[:-1], [[model.voters, right / elections]]])
    ballots = np.concatenate([model.ballots, votes[-KEPT:]])[-KEPT:]
    return replace(model, elections=elections, right=right, counts=counts, ballots=ballots, tried=tried)


def field(model: Model, X: Array) -> Array:
    """The fraction of the lines that vote for the right half of the disc, (n,)."""
    return np.asarray((X @ model.lines.T > 0.0).mean(axis=1))


ALGORITHM = Algorithm(
    key="majority_vote",
    title="Majority vote",
    family="ensembles",
    summary="Independent voters who are right a little more often than not are together nearly always right.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
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
        Line("add two voters: they matter where the others differ by one vote", "voters"),
        Line("    P = P + (2p - 1) C(m, (m+1)/2) (p (1-p))^((m+1)/2)   ({probability})"),
        Line("let all of them vote many times", "elections"),
        Line("    count how often the majority is right   ({simulated})"),
    ),
    reference="Condorcet (1785); Boland, Majority systems and the Condorcet jury theorem (1989); Ladha (1992); "
    "Statistical Machine Learning (Orbanz), Voting",
    example="blobs(n=300,noise=1,seed=1)",
    formulas=(
        r"P_m = \sum_{j > m/2} \binom{m}{j} p^j (1 - p)^{m - j}",
        r"P_{m+2} - P_m = (2p - 1) \binom{m}{(m+1)/2} \left( p(1 - p) \right)^{(m+1)/2}",
        r"P_m = p\, V_m\!\left( \sqrt{\rho} + (1 - \sqrt{\rho})\, p \right) + (1 - p)\, V_m\!\left( (1 - "
        r"\sqrt{\rho})\, p \right)",
    ),
    tries=(
        Try(
            "Voters a little better than a coin: with every two more the majority is right more often, with 301 "
            "of them with the probability 0.96.",
            params={"p": 0.55, "m": 301},
            shows=lambda played: (
                round(played.final("probability"), 2) == 0.96
                and bool((np.diff(played.curve("probability")) >= 0.0).all())
            ),
        ),
        Try(
            "Voters a little worse than a coin: the majority of 301 is right with the probability 0.04 only.",
            params={"p": 0.45, "m": 301},
            shows=lambda played: round(played.final("probability"), 2) == 0.04,
        ),
        Try(
            "Voters whose votes are correlated are fewer than they look: 301 of them are right with the probability "
            "0.55, independent ones with 0.96.",
            params={"p": 0.55, "m": 301, "correlation": 0.3},
            shows=lambda played: (
                round(played.final("probability"), 2) == 0.55
                and round(played.but(correlation=0.0).final("probability"), 2) == 0.96
            ),
        ),
    ),
    questions=(
        Question("How probably is the majority of the next number of voters right?", "voters", "metrics.probability"),
        Question("In which fraction of all votes so far is the majority right?", "elections", "metrics.simulated"),
    ),
)
