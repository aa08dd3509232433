"""Hidden Markov chain: a state that nobody sees goes from moment to moment, and each moment shows something of it.

A state is drawn from π, then each next one from the row A_i of the state before; state k shows x with the probability
(or density) b_k(x): a table over symbols, or a Gaussian N(x | μ_k, Σ_k). There are two questions about a series: how
probable is it, and which path of states is the most probable?

    evaluate   how probable is it, and what was the state at t?   α_tk = P(state k at t | x_1 .. x_t)       forward
                   α_tk = b_k(x_t) Σ_j α_{t-1,j} A_jk / M_t,   log P(x) = Σ_t log M_t                       (filtered)
                   β_tk = Σ_j A_kj b_j(x_{t+1}) β_{t+1,j} / M_{t+1},   γ_tk ∝ α_tk β_tk                     (smoothed)
    decode     which path of states is the most probable?         δ_tk = max_i δ_{t-1,i} A_ik b_k(x_t)      Viterbi
                   and back from the best end along the states where the maxima were taken

The best path is one path with all its steps possible; the most probable states moment by moment need not be a path at
all. Nothing underflows however long the series is: α and β are divided by M_t = P(x_t | x_1 .. x_{t-1}), and δ is
kept as a logarithm.

The chain itself is counted along the true states where the data have them (the estimate of greatest likelihood),
guessed where they have none, or given by hand.

Methods for Data Science §10.2 (10.23 swaps the indices of A and writes Z_t for M_t; β has to be divided by M_{t+1}; the
normaliser of 10.15 is (2π)^(-d/2) with the dimension d); Rabiner 1989; Viterbi 1967; Durbin et al. 1998 ch. 3.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

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
from algorithms.data import Array, DataError, Item, Sequences
from algorithms.maths.distances import refuse_overflow
from algorithms.params import Between, Doc, MatrixOf, PointList, When, Zero
from algorithms.sequences.hidden_markov import solver, words
from algorithms.sequences.hidden_markov.solver import Chain, Origin
from algorithms.sequences.hidden_markov.views import views

SINGLY, STRETCHES = 8, 32
"""The first moments are shown one by one, the others in at most so many stretches."""
_NOWHERE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the chain."""

    task: Annotated[
        Literal["evaluate", "decode"],
        Doc("Find the probability of the series and of every state, or the most probable path of states."),
    ] = "decode"
    states: Annotated[
        int,
        Between(0, 8),
        Zero("as the data"),
        Doc("Number of hidden states; 0 means as many as the data know, or two where they know none."),
    ] = 0
    emissions: Annotated[
        Literal["automatic", "symbols", "Gaussian"],
        Doc("What a state shows: symbols from a table, or values from a Gaussian; by itself as the data are."),
    ] = "automatic"
    chain: Annotated[
        Literal["from the data", "by hand"],
        Doc("Count the chain along the true states of the data (guess it where there are none), or give it below."),
    ] = "from the data"
    initial: Annotated[
        tuple[float, ...],
        Between(0.0, 1000.0),
        When("chain", "by hand"),
        Doc("How probable each state is at first, in any scale; nothing means alike."),
    ] = ()
    transition: Annotated[
        PointList,
        MatrixOf(),
        Between(0.0, 1000.0),
        When("chain", "by hand"),
        Doc("Row i says where state i goes; every row is scaled to sum to 1."),
    ] = ((0.95, 0.05), (0.1, 0.9))
    probabilities: Annotated[
        PointList,
        MatrixOf(most=64),
        Between(0.0, 1000.0),
        When("chain", "by hand"),
        Doc("Row i says how often state i shows each symbol; every row is scaled to sum to 1."),
    ] = ((1.0, 1.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0, 1.0, 5.0))
    means: Annotated[
        PointList,
        MatrixOf(),
        Between(-1e6, 1e6),
        When("chain", "by hand"),
        Doc("Row i is the mean of what state i shows, where values are shown."),
    ] = ((0.0,), (3.0,))
    deviations: Annotated[
        tuple[float, ...],
        Between(1e-6, 1e6),
        When("chain", "by hand"),
        Doc("The standard deviation of what each state shows, the same in all columns."),
    ] = (1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The chain, and what is known of the states so far.

    ``filtered`` belongs to the first moments, ``posterior`` and ``path`` to the last ones; at the end to all of them.
    ``path`` is Viterbi's where the task is to decode, else the most probable state of every moment.
    """

    initial: Array  # (k,)
    transition: Array  # (k, k)
    emission: Array  # (k, m) probabilities of the symbols, or (k, d) means
    covariances: Array  # (k, d, d), or (0, 0, 0) for symbols
    log_likelihood: float  # of the moments seen so far
    path: Array  # (<= n,) int
    log_path: float  # of the best path together with the moments seen so far; 0 where it is not looked for
    filtered: Array  # (<= n, k)
    posterior: Array  # (<= n, k)
    symbols: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    @property
    def chain(self) -> Chain:
        """The chain alone."""
        return Chain(self.initial, self.transition, self.emission, self.covariances)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run: the series end to end, and the chain."""

    data: Sequences
    chain: Chain
    log_b: Array  # (n, k)
    begins: Array  # (n,) bool
    origin: Origin

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """The moments of one frame after the other: the first ones singly."""
        n = len(self.begins)
        cuts = [*range(min(SINGLY, n)), *np.linspace(min(SINGLY, n), n, STRETCHES + 1).astype(int).tolist()]
        cuts = sorted(set(cuts))
        return list(itertools.pairwise(cuts))


def _no_rows() -> Array:
    return np.empty((0, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The moments that are worked on, and the passes as far as they have got."""

    first: int = -1
    last: int = -1  # the first one that is not
    deltas: Array = field(default_factory=_no_rows)  # (<= n, k), of the first moments
    pointers: Array = field(default_factory=_no_rows)  # (<= n, k), of the first moments
    betas: Array = field(default_factory=_no_rows)  # (<= n, k), of the last moments
    log_m: float = 0.0  # of the first of them, forward


Shot = Snapshot[Given, Model, Shown]


def run(data: Sequences, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """The chain, then forward and backward, or Viterbi's pass and the way back."""
    given = _given(data, params)
    yield _shot(given, "initial", _model(given, 0.0), 0.0, Shown())
    yield from _evaluate(given) if params.task == "evaluate" else _decode(given)
    return Stop.COMPLETE


def _evaluate(given: Given) -> Iterator[Shot]:
    """Forward with the filtered states, backward with the smoothed ones."""
    chain, log_b, begins, n = given.chain, given.log_b, given.begins, len(given.begins)
    alphas, logs, betas, gammas = np.empty_like(log_b), np.empty(n), np.empty_like(log_b), np.empty_like(log_b)
    path, entropy = np.empty(n, dtype=np.int64), np.empty(n)
    for first, last in given.stretches:
        part, before = slice(first, last), alphas[first - 1] if first else None
        alphas[part], logs[part] = solver.forward(chain, log_b[part], begins[part], before)
        entropy[part] = solver.entropies(alphas[part])
        model = _model(given, float(logs[:last].sum()), alphas[:last])
        yield _shot(given, "forward", model, entropy[:last].mean(), Shown(first, last, log_m=float(logs[first])))
    for first, last in reversed(given.stretches):
        part = slice(first, last)
        betas[part] = solver.backward(chain, log_b[part], begins[part], alphas[part], _after(given, betas, last))
        gammas[part] = solver.smoothed(alphas[part], betas[part])
        path[part], entropy[part] = gammas[part].argmax(axis=1), solver.entropies(gammas[part])
        model = _model(given, float(logs.sum()), alphas, gammas[first:], path[first:])
        yield _shot(given, "backward", model, entropy.mean(), Shown(first, last, betas=betas[first:]))
    yield _shot(given, "posterior", model, entropy.mean(), Shown(betas=betas))


def _decode(given: Given) -> Iterator[Shot]:
    """Viterbi's pass with its pointers, the way back, and the path beside the smoothed states."""
    chain, log_b, begins, n = given.chain, given.log_b, given.begins, len(given.begins)
    alphas, logs, deltas = np.empty_like(log_b), np.empty(n), np.empty_like(log_b)
    pointers, path, entropy = np.empty(log_b.shape, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
    for first, last in given.stretches:
        part = slice(first, last)
        before = (alphas[first - 1], deltas[first - 1]) if first else (None, None)
        alphas[part], logs[part] = solver.forward(chain, log_b[part], begins[part], before[0])
        deltas[part], pointers[part] = solver.viterbi(chain, log_b[part], begins[part], before[1])
        entropy[part] = solver.entropies(alphas[part])
        model = _model(given, float(logs[:last].sum()), alphas[:last], log_path=float(deltas[last - 1].max()))
        yield _shot(given, "viterbi", model, entropy[:last].mean(), Shown(first, last, deltas[:last], pointers[:last]))
    for first, last in reversed(given.stretches):
        end = int(deltas[-1].argmax()) if last == n else int(pointers[last, path[last]])
        path[first:last] = solver.trace_back(pointers[first:last], end)
        model = replace(model, path=path[first:])
        yield _shot(given, "back", model, entropy.mean(), Shown(first, last, deltas, pointers))
    betas = solver.backward(chain, log_b, begins, alphas)
    model = replace(model, posterior=solver.smoothed(alphas, betas))
    yield _shot(
        given, "compare", model, solver.entropies(model.posterior).mean(), Shown(-1, -1, deltas, pointers, betas)
    )


def _after(given: Given, betas: Array, last: int) -> Array | None:
    """B β of the moment after a stretch, of any size; None where a series ends there."""
    if last == len(betas) or given.begins[last]:
        return None
    return np.asarray(np.exp(given.log_b[last] - given.log_b[last].max()) * betas[last])


def _model(
    given: Given,
    log_likelihood: float,
    filtered: Array | None = None,
    posterior: Array | None = None,
    path: Array = _NOWHERE,
    log_path: float = 0.0,
) -> Model:
    chain, none = given.chain, np.empty((0, given.chain.k))
    parts = (chain.initial, chain.transition, chain.emission, chain.covariances)
    found = (none if filtered is None else filtered, none if posterior is None else posterior)
    return Model(*parts, log_likelihood, path, log_path, *found, given.data.symbols, given.data.features)


def _shot(given: Given, phase: str, model: Model, uncertainty: float, shown: Shown) -> Shot:
    numbers = {
        "log_likelihood": model.log_likelihood,
        "per_moment": model.log_likelihood / max(len(model.filtered), 1),
        "uncertainty": uncertainty,
    }
    return Snapshot(given, phase, model, numbers, shown)


# --- the chain --------------------------------------------------------------------------------------------------------


def _given(data: Sequences, params: Params) -> Given:
    """The chain as the parameters say, and how probable it makes what is seen; or :class:`DataError`."""
    if params.emissions == "symbols" and not data.is_discrete:
        raise DataError("The series hold measured values, so emissions cannot be symbols; choose Gaussian.")
    if params.emissions == "Gaussian" and data.is_discrete:
        raise DataError("The series hold symbols, so emissions cannot be Gaussian; write values with a decimal point.")
    observations = np.concatenate(data.series)
    if not data.is_discrete:
        refuse_overflow(observations)
    chain, origin = _chain(data, params)
    begins = np.zeros(data.n, dtype=bool)
    begins[data.starts] = True
    log_b = solver.log_emissions(chain, observations)
    stuck = solver.first_impossible(chain, log_b, begins)
    if stuck >= 0:
        series, time = data.place_of(stuck)
        where = f"moment {time + 1} of series {series + 1}" if len(data.series) > 1 else f"moment {time + 1}"
        raise DataError(f"With this chain the series cannot be: at {where} every state has the probability 0.")
    return Given(data, chain, log_b, begins, origin)


def _chain(data: Sequences, params: Params) -> tuple[Chain, Origin]:
    """As it is given; or counted along the true states where there are as many as wanted, else a guess."""
    if params.chain == "by hand":
        return solver.given_chain(data, params), "by hand"
    k = params.states or min(solver.known_states(data), 8) or 2
    if data.states is not None and solver.known_states(data) == k:
        return solver.counted_chain(data.states, data.series, k, len(data.symbols)), "counted"
    return solver.guessed_chain(data.series, k, len(data.symbols)), "guessed"


# --- the answers ------------------------------------------------------------------------------------------------------


def predict(model: Model, data: Sequences) -> Array:
    """The most probable path (n,) of the states of new series, one after the other."""
    width = len(data.symbols) if data.is_discrete else data.d
    if data.is_discrete == model.chain.is_gaussian or width > model.emission.shape[1]:
        raise DataError("The new series show something else than those of the model.")
    log_b = solver.log_emissions(model.chain, np.concatenate(data.series))
    begins = np.zeros(data.n, dtype=bool)
    begins[data.starts] = True
    deltas, pointers = solver.viterbi(model.chain, log_b, begins)
    return solver.trace_back(pointers, int(deltas[-1].argmax()))


def explain(model: Model, data: Sequences, item: Item) -> Explanation:
    """What is seen at a moment, how probable each state makes it, and what is known of the state there."""
    t, k = item.number, len(model.initial)
    answer: Explanation = {"seen": data.item_text(t)}
    series, time = data.place_of(t)
    shown = np.exp(np.maximum(solver.log_emissions(model.chain, data.series[series][time : time + 1])[0], -700.0))
    noun = "density" if model.chain.is_gaussian else "probability"
    for state in range(k):
        answer[f"{noun} of it in state {state + 1}"] = float(shown[state])
    later = data.n - t
    for name, found, row in (
        ("state {} from what was seen so far", model.filtered, t),
        ("state {} from everything", model.posterior, len(model.posterior) - later),
    ):
        if 0 <= row < len(found):
            answer |= {name.format(state + 1): float(found[row, state]) for state in range(k)}
    if later <= len(model.path):
        answer["decoded state"] = int(model.path[-later]) + 1
    elif t >= len(model.filtered):
        answer["state"] = "not reached yet"
    return answer


def sample(model: Model, n: int, rng: np.random.Generator) -> Sequences:
    """A new series of n moments with its states."""
    states = solver.draw_states(model.chain, n, rng)
    if not model.chain.is_gaussian:
        seen = (rng.random(n)[:, None] > np.cumsum(model.emission, axis=1)[states]).sum(axis=1)
        seen = np.minimum(seen, len(model.symbols) - 1)
        return Sequences((seen,), (states,), model.symbols, name="drawn from the chain")
    factors = np.linalg.cholesky(model.covariances)
    noise = rng.standard_normal((n, model.emission.shape[1]))
    seen = model.emission[states] + np.einsum("nij,nj->ni", factors[states], noise)
    return Sequences((seen,), (states,), features=model.features, name="drawn from the chain")


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """The chain of hmmlearn with the same numbers."""
    if case is None or not isinstance(case.data, Sequences):
        return None
    chain = _given(case.data, params).chain
    kind = "GaussianHMM" if chain.is_gaussian else "CategoricalHMM"
    own = "covariance_type='full'" if chain.is_gaussian else f"n_features={len(case.data.symbols)}"
    lines = [
        f"from hmmlearn.hmm import {kind}",
        "",
        f"chain = {kind}({chain.k}, {own})",
        f"chain.startprob_ = {array_source(chain.initial)}",
        f"chain.transmat_ = {array_source(chain.transition)}",
    ]
    if chain.is_gaussian:
        lines += [
            f"chain.means_ = {array_source(chain.emission)}",
            f"chain.covars_ = {array_source(chain.covariances)}",
        ]
    else:
        lines += [f"chain.emissionprob_ = {array_source(chain.emission)}"]
    shape = "" if chain.is_gaussian else "[:, None]"
    given = f"np.concatenate(data.series){shape}, [len(one) for one in data.series]"
    if params.task == "evaluate":
        make, ours, measure = f"chain.score({given})", "ours.model.log_likelihood", "difference in the log-likelihood"
    else:
        make, ours = f"chain.decode({given})[0]", "ours.model.log_path"
        measure = "difference in the logarithm of the best path's probability"
    return Counterpart(
        imports="\n".join(lines),
        make=make,
        difference=f"abs(theirs - {ours})",
        measure=measure,
        package="hmmlearn",
        estimator=False,
    )


ALGORITHM = Algorithm(
    key="hidden_markov",
    title="Hidden Markov chain",
    family="sequences",
    summary="Unseen states follow each other; what they show tells how probable they are and which path is the best.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    questions=(
        Question("How large is the log-likelihood with the next moment?", "forward", "metrics.log_likelihood"),
        Question("How uncertain is a state after the next step back?", "backward", "metrics.uncertainty"),
        Question("Through which states does the path go?", "back", "model.path"),
    ),
    warning=words.warning,
    accepts=(Sequences,),
    predict=predict,
    explain=explain,
    sample=sample,
    counterpart=counterpart,
    synonyms=(
        "HMM",
        "hidden Markov model",
        "Viterbi",
        "forward-backward",
        "filtering",
        "smoothing",
        "time series",
    ),
    panels=(
        Panel("series", "Series and states", space="data"),
        Panel("trellis", "Trellis", space="none"),
        Panel("posterior", "Probability of the states", x="moment", y="probability", integer_x=True),
        Panel("chain", "Transition matrix", space="none", beside=True),
        Panel("emission", "What the states show"),
    ),
    metrics=(
        Metric("log_likelihood", "log-likelihood of the moments so far", group="likelihood", better="neither"),
        Metric("per_moment", "the same per moment", group="per moment", better="neither"),
        Metric("uncertainty", "uncertainty of a state in bits", group="uncertainty", better="neither"),
    ),
    pseudocode=(
        Line("take the chain: initial π, transition A, emissions b", "initial"),
        Line("evaluate:"),
        Line("    for t = 1 .. T:  α_k(t) = b_k(x_t) Σ_j α_j(t-1) A_jk / M_t", "forward"),
        Line("    log P(x) = Σ_t log M_t   ({log_likelihood})"),
        Line("    for t = T .. 1:  β_k(t) = Σ_j A_kj b_j(x_t+1) β_j(t+1) / M_t+1", "backward"),
        Line("    γ_k(t) = α_k(t) β_k(t): the probability of state k at t", "posterior"),
        Line("decode:"),
        Line("    for t = 1 .. T:  δ_k(t) = max_i δ_i(t-1) A_ik b_k(x_t), and point back to that i", "viterbi"),
        Line("    from argmax_k δ_k(T) follow the pointers back", "back"),
        Line("    compare the path with the most probable states", "compare"),
    ),
    reference="Methods for Data Science §10.2; Rabiner 1989; Viterbi 1967; Durbin, Eddy, Krogh, Mitchison 1998",
    example="casino(n=150,seed=4)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
