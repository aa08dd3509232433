"""Non-negative matrix factorisation: parts that can only be added.

A table without negative numbers is taken for a product of two such tables: every row of X is a mixture of the r parts
in the rows of H, and W says how much of each. Nothing can be taken away again, so parts of pictures look like parts and
not like components, and in the plane the points lie in the cone between the parts. W and H start at random and are
multiplied, number by number, by what they miss: they stay positive, and the loss never rises.

    X ≈ WH,    Frobenius: W <- W XH' / WHH',  H <- H W'X / W'WH
    KL:  W_ij <- W_ij Σ_k H_jk X_ik / (WH)_ik / Σ_k H_jk,   H_jk <- H_jk Σ_i W_ij X_ik / (WH)_ik / Σ_i W_ij

The first one lowers ½ Σ (X - WH)², the second one Σ X log(X / WH) - X + WH, which is minus the log-likelihood of counts
(Poisson), up to a constant. The sum in the denominator of W runs over all columns of the table (it is printed with
another end). A zero stays a zero, and another start may end elsewhere: a local minimum is all that is promised.

Methods for Data Science section 11.2.3 (corrected); Lee, Seung 1999 and 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import array_source
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.nmf import solver, words
from algorithms.embedding.nmf.solver import Factors, LossName
from algorithms.embedding.nmf.views import views
from algorithms.maths.distances import refuse_overflow
from algorithms.params import Advanced, Between, Doc, Log

CHECKED = 10
"""Whether the loss still falls is looked at after so many steps."""
NEARLY = 0.01
"""A number of a part below this fraction of its largest is nearly zero."""
_SHOWN_SOURCE = 4000
"""Up to so many numbers a script has the same start written into it."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of non-negative matrix factorisation."""

    rank: Annotated[int, Between(1, 64), Doc("How many parts there are, of which every row is a mixture.")] = 10
    loss: Annotated[
        LossName,
        Doc("What is lowered: squared differences, or the Kullback-Leibler divergence, which suits counts."),
    ] = "Frobenius"
    tol: Annotated[
        float,
        Between(1e-9, 1e-1),
        Log,
        Advanced,
        Doc("Converged when ten steps lower the root of the loss by less than this part of its start."),
    ] = 1e-4
    max_steps: Annotated[int, Between(1, 10_000), Log, Advanced, Doc("Most steps, each with both updates.")] = 500


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The two factors after an update."""

    W: Array  # (n, rank) how much of each part every row has
    H: Array  # (rank, d) the parts
    loss: LossName


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    size: float  # |X|


@dataclass(frozen=True, slots=True)
class Shown:
    """How far the run is."""

    step: int = 0


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Multiply W and H in turn by what they miss, until the loss hardly falls."""
    X = _prepared(data)
    given = Given(data, float(np.linalg.norm(X)))
    loss = solver.loss_of(params.loss, X)
    at = loss.begin(*solver.first_factors(X, params.rank, rng))
    yield _shot(given, params, "start", at, 0)
    first = before = np.sqrt(2.0 * at.loss)
    stop, step = Stop.LIMIT, 0
    while step < params.max_steps and stop is Stop.LIMIT:
        step += 1
        at = loss.update_weights(at)
        yield _shot(given, params, "weights", at, step)
        at = loss.update_parts(at)
        yield _shot(given, params, "parts", at, step)
        if step % CHECKED == 0:
            now = np.sqrt(2.0 * at.loss)
            stop = Stop.CONVERGED if before - now <= params.tol * first else Stop.LIMIT
            before = now
    yield _shot(given, params, "result", at, step)
    return stop


def _shot(given: Given, params: Params, phase: str, at: Factors, step: int) -> Shot:
    small = np.less_equal(at.H, NEARLY * at.H.max(axis=1, keepdims=True))
    numbers = {"loss": at.loss, "error": float(np.sqrt(at.squares)) / given.size, "zeros": float(small.mean())}
    return Snapshot(given, phase, Model(at.W, at.H, params.loss), numbers, Shown(step))


def _prepared(data: Points) -> Array:
    """The table, or a sentence why it cannot be taken for such a product."""
    refuse_overflow(data.X)
    low = data.X.min(axis=0)
    if low.min() < 0.0:
        column = int(low.argmin())
        raise DataError(
            f"Non-negative factorisation adds up parts, which cannot give numbers below zero; the feature "
            f"{data.features[column]} falls to {low[column]:.4g}. Take counts, grey levels or amounts, such as the "
            "handwritten digits or the mixtures of parts."
        )
    if not data.X.any():
        raise DataError("All numbers are zero, so there is nothing that parts could add up to.")
    return data.X


def transform(model: Model, X: Array) -> Array:
    """How much of each part (m, rank) new rows have, while the parts stay; what is below zero counts as zero."""
    return solver.placed(X, model.H, model.loss)


def inverse(model: Model, Z: Array) -> Array:
    """The rows (m, d) with these amounts of the parts."""
    if Z.shape[1] != len(model.H):
        raise DataError(f"There are {len(model.H)} parts; these rows have {Z.shape[1]} amounts.")
    return np.asarray(Z @ model.H)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """How much of each part a row has, and what they leave over."""
    return words.explanation(model, data, item)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.decomposition.NMF`` with the same updates, from the same start where that is short enough to write."""
    if case is None or not isinstance(case.data, Points):
        return None
    divergence = "frobenius" if params.loss == "Frobenius" else "kullback-leibler"
    first = case.first_model(lambda model: True)
    same = first is not None and first.W.size + first.H.size <= _SHOWN_SOURCE
    options = f"solver='mu', beta_loss={divergence!r}, tol={params.tol!r}, max_iter={params.max_steps}"
    imports = "from sklearn.decomposition import NMF"
    if same:
        imports += _FROM_A_START.format(W=array_source(first.W), H=array_source(first.H))
    make = f"NMF({params.rank}, {options}, init={'custom' if same else 'random'!r}, random_state=0)"
    return Counterpart(
        imports=imports,
        make=f"FromAStart({params.rank}, {options}, init='custom')" if same else make,
        difference="np.abs(theirs.reconstruction_err_ - np.sqrt(2 * ours.metrics['loss'][-1])) "
        "/ max(theirs.reconstruction_err_, 1e-12)",
        measure="difference of the roots of the losses, as a fraction",
        target=False,
        caveat="" if same else "Both start at random, so they may end in different local minima.",
    )


_FROM_A_START = """


class FromAStart(NMF):
    def fit(self, X, y=None):
        self.fit_transform(X, W={W}, H={H})
        return self
"""


ALGORITHM = Algorithm(
    key="nmf",
    title="Non-negative factorisation",
    family="embedding",
    summary="Takes a table without negative numbers apart into parts that can only be added: strokes, topics, cones.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    explain=explain,
    transform=transform,
    inverse=inverse,
    counterpart=counterpart,
    panels=(
        Panel("pictures", "Parts", pictures=True),
        Panel("plane", "Cone of the parts", space="data"),
        Panel("parts", "Parts", y="amount"),
        Panel("map", "Map", x="part 1", y="part 2"),
        Panel("weights", "W: how much of each part", x="point", y="part"),
        Panel("left", "Residuals X - WH", x="point", y="feature"),
    ),
    metrics=(
        Metric("loss", "loss", group="loss", log=True),
        Metric("error", "|X - WH| / |X|", group="error", better="neither"),
        Metric("zeros", "fraction of the parts that is nearly zero", group="zeros", better="neither"),
    ),
    pseudocode=(
        Line("W, H ← random numbers above 0", "start"),
        Line("repeat until the loss hardly falls:"),
        Line("    W ← W ∘ XH' / WHH'  (Frobenius):  loss {loss}", "weights"),
        Line("    H ← H ∘ W'X / W'WH  (Frobenius):  loss {loss}", "parts"),
        Line("return W, H: |X - WH| / |X| = {error}", "result"),
    ),
    reference="Methods for Data Science §11.2.3 (the sum for W runs over all columns); Hastie, Tibshirani, Friedman, "
    "The "
    "Elements of Statistical Learning §14.6; Lee, Seung, Nature 401, 1999",
    example="digits()",
    synonyms=("NMF", "NNMF", "non-negative matrix factorization", "Lee and Seung", "multiplicative updates", "topics"),
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How large is the loss after W is updated?", "weights", "metrics.loss"),
        Question("How large is the loss after H is updated?", "parts", "metrics.loss"),
    ),
)
