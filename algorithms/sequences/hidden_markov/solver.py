"""The recursions of a hidden Markov chain: forward, backward and Viterbi, and chains from counts.

Several series are worked on as one, end to end: where a series ``begins``, the chain forgets the moment before and
draws its state from the initial distribution. Emissions come as logarithms, because a density of 1e-400 is nothing
special in ten columns; within a moment only their ratios matter, and the largest is 1.

A step depends on the one before, which is slow to write in NumPy for ten thousand moments. The recursions are products
of matrices, though, and a product may be bracketed at will: a long stretch is cut into about √n blocks, all blocks
are followed at once from every state that may precede them, and then the blocks are joined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import add, mul, or_
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from algorithms.data import Array, DataError, Sequences
from algorithms.maths import gaussians
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.sequences.hidden_markov import Params

Origin = Literal["by hand", "counted", "guessed"]
"""Where a chain comes from."""
SHORT = 160
"""Up to so many moments they are followed one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """The three parts of a hidden Markov chain; ``covariances`` are empty where symbols are emitted."""

    initial: Array  # (k,)
    transition: Array  # (k, k), row i is where state i goes
    emission: Array  # (k, m) probabilities of the symbols, or (k, d) means
    covariances: Array  # (k, d, d), or (0, 0, 0)

    @property
    def k(self) -> int:
        """How many states there are."""
        return len(self.initial)

    @property
    def is_gaussian(self) -> bool:
        """Whether the states emit vectors."""
        return len(self.covariances) > 0


def log_emissions(chain: Chain, observations: Array) -> Array:
    """The logarithms of B_tk (n, k): how probable each state makes what is seen; -inf where it cannot be."""
    if not chain.is_gaussian:
        return np.ascontiguousarray(_log(chain.emission).T[observations])
    origin = chain.emission[0]
    columns = np.ascontiguousarray((observations - origin).T)
    return np.ascontiguousarray(gaussians.log_densities(columns, chain.emission - origin, chain.covariances).T)


def forward(chain: Chain, log_b: Array, begins: Array, before: Array | None = None) -> tuple[Array, Array]:
    """α_tk = P(state k at t | x_1 .. x_t), (n, k), and log M_t = log P(x_t | x_1 .. x_{t-1}), (n,).

        α_tk = B_tk Σ_j α_{t-1,j} A_jk / M_t        α_1k = B_1k π_k / M_1

    ``before`` is α of the moment before the first one, where the stretch does not begin with a series.
    """
    weights, tops = _scaled(log_b)
    predicted = _follow(chain.initial, chain.transition, weights, begins, before)
    joint = predicted * weights
    scale = joint.sum(axis=1)
    return joint / scale[:, None], np.log(scale) + tops


def backward(chain: Chain, log_b: Array, begins: Array, filtered: Array, after: Array | None = None) -> Array:
    """β_tk = P(x_{t+1} .. x_T | state k at t) / P(x_{t+1} .. x_T | x_1 .. x_t), (n, k), so that Σ_k α_tk β_tk = 1.

        β_tk = Σ_j A_kj B_{t+1,j} β_{t+1,j} / M_{t+1}        β_Tk = 1

    The same recursion as forward in reversed time, for B_t β_t and with the transposed matrix. ``after`` is B β of the
    moment after the last one, of any size, where the stretch does not end with a series.
    """
    weights, _ = _scaled(log_b)
    ends = np.append(begins[1:], after is None)
    unscaled = _follow(np.ones(chain.k), chain.transition.T, weights[::-1], ends[::-1], after)[::-1]
    return unscaled / np.einsum("tk,tk->t", filtered, unscaled)[:, None]


def smoothed(filtered: Array, betas: Array) -> Array:
    """γ_tk = P(state k at t | all), (n, k): proportional to α β, and normalised once more against rounding."""
    gammas = filtered * betas
    return gammas / gammas.sum(axis=1, keepdims=True)


def viterbi(chain: Chain, log_b: Array, begins: Array, before: Array | None = None) -> tuple[Array, Array]:
    """The logarithms of δ_tk, the best path that ends in state k at t, and the state before it there; both (n, k).

        δ_tk = max_i δ_{t-1,i} A_ik B_tk        δ_1k = π_k B_1k

    ``before`` is log δ of the moment before the first one. A series that begins goes on from the best end of the series
    before it, so that the last δ belongs to all of them together; a tie goes to the lower state.
    """
    log_a, log_pi = _log(chain.transition), _log(chain.initial)
    first = np.zeros(chain.k) if before is None else before
    tops = log_b.max(axis=1, keepdims=True)  # alike for all paths; without them the numbers stay small and exact
    top = first.max()
    deltas = _follow_best(log_pi, log_a, log_b - tops, begins, first - top)
    previous = np.concatenate([first[None] - top, deltas[:-1]])
    pointers = (previous[:, :, None] + log_a).argmax(axis=1)
    pointers[begins] = previous[begins].argmax(axis=1)[:, None]
    return deltas + (np.cumsum(tops) + top)[:, None], pointers


def trace_back(pointers: Array, last: int) -> Array:
    """The states (n,) of the path that ends in ``last``, along pointers (n, k); the first row is not used."""
    path = np.empty(len(pointers), dtype=np.int64)
    state = last
    for t, row in zip(range(len(pointers) - 1, -1, -1), pointers[::-1].tolist()):
        path[t] = state
        state = row[state]
    return path


def log_joint(chain: Chain, log_b: Array, begins: Array, path: Array) -> float:
    """The logarithm of P(states, observations) for a path (n,)."""
    log_a, log_pi = _log(chain.transition), _log(chain.initial)
    steps = np.where(begins[1:], log_pi[path[1:]], log_a[path[:-1], path[1:]])
    return float(log_pi[path[0]] + steps.sum() + log_b[np.arange(len(path)), path].sum())


def first_impossible(chain: Chain, log_b: Array, begins: Array) -> int:
    """The first moment that no path can reach with what is seen up to there; -1 when there is none."""
    if (chain.initial > 0).all() and (chain.transition > 0).all() and np.isfinite(log_b).all():
        return -1
    bits = 1 << np.arange(chain.k)  # a set of states is a number
    first, steps = int((chain.initial > 0) @ bits), ((chain.transition > 0) @ bits).tolist()
    onward = [
        reduce(or_, (step for k, step in enumerate(steps) if states >> k & 1), 0) for states in range(1 << chain.k)
    ]
    reach = 0
    for t, (possible, new) in enumerate(zip((np.isfinite(log_b) @ bits).tolist(), begins.tolist())):
        reach = (first if new else onward[reach]) & possible
        if not reach:
            return t
    return -1


def entropies(probabilities: Array) -> Array:
    """How uncertain the state of every moment is, in bits, (n,)."""
    return np.asarray(-(probabilities * np.log2(np.maximum(probabilities, 1e-300))).sum(axis=1))


def draw_states(chain: Chain, n: int, rng: np.random.Generator) -> Array:
    """The states (n,) of a new series."""
    first, rows = np.cumsum(chain.initial), np.cumsum(chain.transition, axis=1)
    states = np.empty(n, dtype=np.int64)
    limits = first
    for t, draw in enumerate(rng.random(n).tolist()):
        states[t] = state = min(int(np.searchsorted(limits, draw, side="right")), chain.k - 1)
        limits = rows[state]
    return states


# --- chains ---------------------------------------------------------------------------------------------------------


def counted_chain(states: tuple[Array, ...], series: tuple[Array, ...], k: int, symbols: int) -> Chain:
    """The chain of greatest likelihood where the states are known: relative frequencies, means and covariances.

    A state that is never left goes everywhere alike; ``symbols`` is 0 where vectors are emitted.
    """
    starts = np.bincount([int(one[0]) for one in states], minlength=k).astype(float)
    steps = np.zeros((k, k))
    for one in states:
        np.add.at(steps, (one[:-1], one[1:]), 1.0)
    path, observations = np.concatenate(states), np.concatenate(series)
    if symbols:
        table = np.zeros((k, symbols))
        np.add.at(table, (path, observations), 1.0)
        return Chain(_rows_to_one(starts[None])[0], _rows_to_one(steps), _rows_to_one(table), _NO_COVARIANCES)
    means, covariances = _moments(observations, path, k)
    return Chain(_rows_to_one(starts[None])[0], _rows_to_one(steps), means, covariances)


def known_states(data: Sequences) -> int:
    """How many true states there are in the data, 0 where they are not known."""
    return 0 if data.states is None else max(int(one.max()) for one in data.states) + 1


def guessed_chain(series: tuple[Array, ...], k: int, symbols: int, stay: float = 0.9) -> Chain:
    """A chain to begin with where no states are known: sticky, and every state has its own part of what is seen.

    Values are cut into k parts of equal size along their widest direction; a symbol is three times as probable in every
    k-th state.
    """
    transition = np.full((k, k), (1.0 - stay) / max(k - 1, 1))
    np.fill_diagonal(transition, stay if k > 1 else 1.0)
    initial, observations = np.full(k, 1.0 / k), np.concatenate(series)
    if symbols:
        table = np.where(np.arange(symbols) % k == np.arange(k)[:, None], 3.0, 1.0)
        return Chain(initial, transition, _rows_to_one(table), _NO_COVARIANCES)
    widest = int(np.ptp(observations, axis=0).argmax())
    order = np.argsort(observations[:, widest], kind="stable")
    path = np.empty(len(order), dtype=np.int64)
    path[order] = np.arange(len(order)) * k // len(order)
    means, covariances = _moments(observations, path, k)
    return Chain(initial, transition, means, covariances)


_NO_COVARIANCES = np.empty((0, 0, 0))
LEAST_VARIANCE = 1e-6
"""No state has a smaller variance in any direction, as a fraction of the variance of all observations."""


def _moments(observations: Array, path: Array, k: int) -> tuple[Array, Array]:
    """Means (k, d) and covariances (k, d, d) of the moments in every state; of all of them where a state has none."""
    means, covariances = [], []
    spread = float(observations.var(axis=0).max())
    for state in range(k):
        chosen = observations[path == state]
        rows = chosen if len(chosen) else observations
        mean = rows.mean(axis=0)
        means.append(mean)
        covariances.append((rows - mean).T @ (rows - mean) / len(rows))
    floor = LEAST_VARIANCE * spread if spread > 0.0 else LEAST_VARIANCE
    return np.array(means), gaussians.floored(np.array(covariances), floor)


def _rows_to_one(counts: Array) -> Array:
    """Rows that sum to 1; equal numbers where a row has no counts."""
    sums = counts.sum(axis=1, keepdims=True)
    return np.where(sums > 0.0, counts / np.where(sums > 0.0, sums, 1.0), 1.0 / counts.shape[1])


# --- the recursions ---------------------------------------------------------------------------------------------------


def _log(probabilities: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))


def _scaled(log_b: Array) -> tuple[Array, Array]:
    """Emissions relative to the most probable state of each moment (n, k), and the logarithm of that one (n,)."""
    tops = log_b.max(axis=1)
    return np.exp(log_b - tops[:, None]), tops


def _follow(start: Array, matrix: Array, weights: Array, begins: Array, before: Array | None) -> Array:
    """p_t = v_{t-1} @ matrix, or ``start`` where a series begins, (n, k); v_t is p_t times weights_t, normalised."""
    n, k = weights.shape
    first = np.full(k, 1.0 / k) if before is None else before / before.sum()
    if n <= SHORT:
        return _follow_one_by_one(start, matrix, weights, begins, first)
    blocks, news = _in_blocks(weights, 1.0), _in_blocks(begins[:, None], False)
    length, count = len(blocks), blocks.shape[2]
    # here[i, :, b] is where block b has got to when it was preceded by state i, and size[i, b] the log of its weight
    here, size = np.tile(np.eye(k)[:, :, None], (1, 1, count)), np.zeros((k, count))
    ends, sizes = np.empty((length, k, k, count)), np.empty((length, k, count))
    for step in range(length):
        onward = matrix.T @ here
        if news[step].any():
            onward = np.where(news[step], here.sum(axis=1, keepdims=True) * start[:, None], onward)
        here = onward * blocks[step]
        sums = here.sum(axis=1)
        here /= np.where(sums > 0.0, sums, 1.0)[:, None]
        size = size + _log(sums)
        ends[step], sizes[step] = here, size
    entries, entry = np.empty((k, count)), first
    for block in range(count):
        entries[:, block] = entry
        entry = _mixed(_log(entry)[:, None] + sizes[-1, :, block, None], ends[-1, :, :, block, None])[:, 0]
    v = _mixed(_log(entries) + sizes, ends)  # (length, k, count), of every moment
    predicted = np.concatenate([first[None], _in_order(v, n)[:-1]]) @ matrix
    predicted[begins] = start
    return predicted


def _follow_one_by_one(start: Array, matrix: Array, weights: Array, begins: Array, v: Array) -> Array:
    # for a few numbers at a time plain ones are faster than arrays
    columns, first, state, predicted = matrix.T.tolist(), start.tolist(), v.tolist(), []
    for new, weight in zip(begins.tolist(), weights.tolist()):
        here = first if new else [sum(map(mul, state, column)) for column in columns]
        joint = list(map(mul, here, weight))
        total = sum(joint) or 1.0
        state = [value / total for value in joint]
        predicted.append(here)
    return np.array(predicted).reshape(weights.shape)


def _follow_best(start: Array, log_a: Array, log_b: Array, begins: Array, before: Array) -> Array:
    """d_tk = max_i (d_{t-1,i} + log_a_ik) + log_b_tk, (n, k); max_i d_{t-1,i} + start_k + log_b_tk at a beginning."""
    n, k = log_b.shape
    if n <= SHORT:
        columns, first, delta, deltas = log_a.T.tolist(), start.tolist(), before.tolist(), []
        for new, seen in zip(begins.tolist(), log_b.tolist()):
            top = max(delta)
            onward = [top + value for value in first] if new else [max(map(add, delta, column)) for column in columns]
            delta = list(map(add, onward, seen))
            deltas.append(delta)
        return np.array(deltas).reshape(log_b.shape)
    blocks, news = _in_blocks(log_b, 0.0), _in_blocks(begins[:, None], False)
    length, count = len(blocks), blocks.shape[2]
    here = np.tile(_log(np.eye(k))[:, :, None], (1, 1, count))
    ends = np.empty((length, k, k, count))
    for step in range(length):
        onward = (here[:, :, None] + log_a[:, :, None]).max(axis=1)
        if news[step].any():
            onward = np.where(news[step], here.max(axis=1, keepdims=True) + start[:, None], onward)
        here = onward + blocks[step]
        ends[step] = here
    entries, entry = np.empty((k, count)), before
    for block in range(count):
        entries[:, block] = entry
        entry = (entry[:, None] + ends[-1, :, :, block]).max(axis=0)
    return _in_order((entries[:, None] + ends).max(axis=1), n)


def _in_blocks(values: Array, filling: float) -> Array:
    """Moments (n, k) as (length, k, count): a row is one step of every block; the last block is filled up."""
    n, k = values.shape
    length = math.isqrt(n - 1) + 1
    count = -(-n // length)
    padded = np.full((count * length, k), filling, dtype=values.dtype)
    padded[:n] = values
    return np.ascontiguousarray(padded.reshape(count, length, k).transpose(1, 2, 0))


def _in_order(blocks: Array, n: int) -> Array:
    """The inverse of :func:`_in_blocks`."""
    return np.ascontiguousarray(blocks.transpose(2, 0, 1).reshape(-1, blocks.shape[1])[:n])


def _mixed(logs: Array, rows: Array) -> Array:
    """Σ_i w_i rows_i, (..., k, b), with weights proportional to exp(logs) (..., i, b), of rows (..., i, k, b)."""
    weights = np.exp(logs - logs.max(axis=-2, keepdims=True))
    weights /= weights.sum(axis=-2, keepdims=True)
    return np.asarray(np.einsum("...ib,...ikb->...kb", weights, rows))


def given_chain(data: Sequences, params: Params) -> Chain:
    """The chain of the parameters, scaled so that rows sum to 1."""
    k = len(params.transition)
    if len(params.transition[0]) != k:
        raise DataError(
            f"The transition must be a square matrix; it has {k} rows of {len(params.transition[0])} numbers."
        )
    if params.states not in (0, k):
        raise DataError(f"The transition has {counted(k, 'row')}, but there are to be {params.states} states.")
    transition = _rows("transition", np.array(params.transition))
    initial = _rows("initial", np.array([_sized("initial", params.initial or (1.0,) * k, k)]))[0]
    if data.is_discrete:
        table = np.array(_sized("probabilities", params.probabilities, k))
        if table.shape[1] != len(data.symbols):
            symbols = counted(len(data.symbols), "symbol")
            raise DataError(f"The data have {symbols}, but the probabilities have {counted(table.shape[1], 'column')}.")
        return Chain(initial, transition, _rows("probabilities", table), np.empty((0, 0, 0)))
    means = np.array(_sized("means", params.means, k))
    if means.shape[1] != data.d:
        raise DataError(
            f"A moment has {counted(data.d, 'number')}, but the means have {counted(means.shape[1], 'column')}."
        )
    deviations = np.array(_sized("deviations", params.deviations, k))
    return Chain(initial, transition, means, deviations[:, None, None] ** 2 * np.eye(data.d))


def _sized(name: str, values: Any, k: int) -> Any:
    if len(values) != k:
        raise DataError(f"The transition has {counted(k, 'state')}, but {name} is given for {len(values)}.")
    return values


def _rows(name: str, table: Array) -> Array:
    sums = table.sum(axis=1, keepdims=True)
    if (sums <= 0.0).any():
        raise DataError(f"Row {int((sums <= 0.0).argmax()) + 1} of {name} has no positive number.")
    return np.asarray(table / sums)
