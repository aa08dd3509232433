"""What is seen of a hidden Markov chain: the series with its states, the trellis, probabilities, the chain itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Sequences
from algorithms.marks import Bars, Curve, Ellipses, Highlight, Mark, ReferenceLine, Scatter, Strip, Table, Trellis
from algorithms.maths import gaussians
from algorithms.sequences.hidden_markov import words

if TYPE_CHECKING:
    from algorithms.sequences.hidden_markov import Model, Shot

WINDOW = 12
"""Columns of the trellis."""
GRID = 241
CLEAR = 1_000
"""Up to so many moments the filtered probability is drawn beside the smoothed one."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame."""
    data, model = shot.given.data, shot.model
    return {
        "series": _series(data, model, shot),
        "trellis": (_trellis(data, model, shot),),
        "posterior": _posterior(data, model, shot),
        "chain": (_chain(model, shot),),
        "emission": _emission(data, model, shot),
    }


def _now(shot: Shot) -> int:
    """The moment that is worked on, or -1."""
    return shot.shown.last - 1 if shot.phase in ("forward", "viterbi") else shot.shown.first


def _names(model: Model) -> tuple[str, ...]:
    return tuple(f"state {k + 1}" for k in range(len(model.initial)))


def _decodes(shot: Shot) -> bool:
    return shot.phase in ("viterbi", "back", "compare")


def _series(data: Sequences, model: Model, shot: Shot) -> tuple[Mark, ...]:
    """Two rows of states: filtered and smoothed, or Viterbi's and the smoothed ones."""
    labels, sure = np.full((2, data.n), -1), np.ones((2, data.n))
    if _decodes(shot):
        names = ("Viterbi", "posterior")
        known = shot.shown.deltas[: data.n - len(model.path)]
        labels[0, : len(known)] = known.argmax(axis=1) if len(known) else -1
        sure[0, : len(known)] = 0.4  # the best end at each moment; only the way back makes a path of them
        if len(model.path):
            labels[0, data.n - len(model.path) :] = model.path
        behind = 0
    else:
        names = ("filtered", "smoothed")
        labels[0, : len(model.filtered)] = model.filtered.argmax(axis=1) if len(model.filtered) else -1
        sure[0, : len(model.filtered)] = model.filtered.max(axis=1, initial=0.0)
        behind = 1 if len(model.posterior) == data.n else 0
    if len(model.posterior):
        labels[1, data.n - len(model.posterior) :] = model.posterior.argmax(axis=1)
        sure[1, data.n - len(model.posterior) :] = model.posterior.max(axis=1)
    strip = Strip(labels, names, _names(model), sure, behind)
    return (strip,) if _now(shot) < 0 else (strip, Highlight(np.array([_now(shot)])))


# --- trellis ----------------------------------------------------------------------------------------------------------


def _trellis(data: Sequences, model: Model, shot: Shot) -> Trellis:
    first, last = _window(data, model, shot)
    k, count = len(model.initial), last - first
    filtered = _part(model.filtered, first, last, 0)
    values, known = np.zeros((count, k)), np.zeros(count, dtype=bool)
    name = {"initial": "", "forward": "P(state | seen so far)", "backward": "P(state | everything)"}.get(shot.phase, "")
    if _decodes(shot):
        name = "best path that ends here"
        deltas = _part(shot.shown.deltas, first, last, 0)
        values[: len(deltas)] = (
            np.exp(deltas - deltas.max(axis=1, keepdims=True, initial=-np.inf)) if len(deltas) else 0
        )
        values[: len(deltas)] /= values[: len(deltas)].sum(axis=1, keepdims=True)
        known[: len(deltas)] = True
    else:
        values[: len(filtered)], known[: len(filtered)] = filtered, True
        smoothed = _part(model.posterior, first, last, data.n - len(model.posterior))
        if len(smoothed):
            values[count - len(smoothed) :], name = smoothed, "P(state | everything)"
    pointers = path = None
    if _decodes(shot):
        found = _part(shot.shown.pointers, first, last, 0)
        pointers = np.full((count, k), -1)
        pointers[: len(found)] = found
        pointers[0] = -1
        path = np.full(count, -1)
        ended = _part(model.path, first, last, data.n - len(model.path))
        if len(ended):
            path[count - len(ended) :] = ended
    return Trellis(
        values=values,
        known=known,
        times=tuple(str(data.place_of(t)[1] + 1) for t in range(first, last)),
        seen=tuple(words.seen(data, t) for t in range(first, last)),
        names=_names(model),
        flow=_flow(model, shot, first, last),
        back=pointers,
        path=path,
        active=_now(shot) - first,
        points=np.arange(first, last),
        values_name=name,
        flow_name="what it comes from" if shot.phase == "forward" else "paths that go this way",
        back_name="the best state before",
        path_name="the best path",
    )


def _window(data: Sequences, model: Model, shot: Shot) -> tuple[int, int]:
    """The moments of the trellis, all of one series: around the one of this step, or around the first change."""
    now = _now(shot)
    if now < 0:
        turns = np.flatnonzero(np.diff(model.path)) if len(model.path) == data.n else np.empty(0, dtype=int)
        now = int(turns[0]) if len(turns) else 0
    series, time = data.place_of(now)
    start, length = int(data.starts[series]), len(data.series[series])
    lead = WINDOW // 4 if shot.phase in ("backward", "back") else 3 * WINDOW // 4 if _now(shot) >= 0 else WINDOW // 2
    first = min(max(time - lead, 0), max(length - WINDOW, 0))
    return start + first, start + min(first + WINDOW, length)


def _part(rows: Array, first: int, last: int, begin: int) -> Array:
    """The rows that belong to the moments from ``first`` to ``last``, where row 0 is the moment ``begin``."""
    return rows[max(first - begin, 0) : max(last - begin, 0)]


def _flow(model: Model, shot: Shot, first: int, last: int) -> Array | None:
    """How much goes from state i at c to state j at c + 1, (c, k, k): as far as it is known, else nothing.

    Forward this is P(state i at c, state j at c + 1 | x_1 .. x_{c+1}); when the future is known, given everything.
    """
    if _decodes(shot) or shot.phase == "initial":
        return None
    log_b, count = shot.given.log_b, last - first
    flow = np.zeros((count, len(model.initial), len(model.initial)))
    weights = np.exp(log_b[first:last] - log_b[first:last].max(axis=1, keepdims=True))
    for column in range(count - 1):
        t = first + column + 1
        if t >= len(model.filtered):
            break
        after = t - (len(log_b) - len(shot.shown.betas))
        beta = shot.shown.betas[after] if after >= 0 else np.ones(len(model.initial))
        pair = model.filtered[t - 1][:, None] * model.transition * (weights[column + 1] * beta)
        flow[column] = pair / pair.sum()
    return flow


# --- plots ------------------------------------------------------------------------------------------------------------


def _posterior(data: Sequences, model: Model, shot: Shot) -> tuple[Mark, ...]:
    """The probability of every state over time, and above it the path and the true states."""
    found, begin = (model.posterior, data.n - len(model.posterior)) if len(model.posterior) else (model.filtered, 0)
    if not len(found):
        return ()
    time = np.arange(begin + 1.0, begin + len(found) + 1.0)
    marks: list[Mark] = [Curve(time, found[:, k], name) for k, name in enumerate(_names(model))]
    if len(model.posterior) and len(model.initial) == 2 and data.n <= CLEAR and not _decodes(shot):
        marks.append(Curve(np.arange(1.0, data.n + 1.0), model.filtered[:, 1], "state 2, filtered", quiet=True))
    rows = np.full((1 if data.states is None else 2, data.n), -1)
    if len(model.path):
        rows[0, data.n - len(model.path) :] = model.path
    if data.states is not None:
        rows[1] = np.concatenate(data.states)
    return (*marks, Strip(rows, ("path", "true"), first=1.0, low=1.06, high=1.06 + 0.09 * len(rows)))


def _chain(model: Model, shot: Shot) -> Table:
    """The transition matrix with the initial distribution above it; the step of the path at this moment is lit."""
    names, k = _names(model), len(model.initial)
    lit = None
    if shot.phase == "back" and len(model.path) > 1:
        lit = np.array([[1 + int(model.path[0]), int(model.path[1])]])
    values = np.vstack([model.initial, model.transition])
    return Table(
        values,
        ("start", *names),
        names,
        lit=lit,
        texts=tuple(tuple(words.probability(value) for value in row) for row in values.tolist()),
        row_groups=np.arange(-1, k),
        column_groups=np.arange(k),
        rows_name="from",
        columns_name="to",
    )


def _emission(data: Sequences, model: Model, shot: Shot) -> tuple[Mark, ...]:
    """Bars for symbols, bells for values, ellipses for vectors."""
    if not len(model.covariances):
        return (_bars(model),)
    if data.d == 1:
        return _bells(data, model, shot)
    observations = np.concatenate(data.series)[:, :2]
    weights = np.full(len(model.initial), 1.0 / len(model.initial))
    labels = model.path if len(model.path) == data.n else np.full(data.n, -1)
    return (
        Ellipses(model.emission[:, :2], model.covariances[:, :2, :2], weights),
        Scatter(observations, np.arange(data.n), labels),
    )


def _bars(model: Model) -> Bars:
    """The probabilities of a symbol side by side, state by state, and a gap before the next symbol."""
    k, m = model.emission.shape
    values, groups = np.zeros((m, k + 1)), np.tile(np.arange(k + 1), (m, 1))
    values[:, :k] = model.emission.T
    groups[:, k] = -1
    names = [""] * (m * (k + 1))
    names[(k - 1) // 2 :: k + 1] = model.symbols
    return Bars(values.ravel()[:-1], tuple(names[:-1]), groups=groups.ravel()[:-1], group_names=_names(model))


def _bells(data: Sequences, model: Model, shot: Shot) -> tuple[Mark, ...]:
    deviations = np.sqrt(model.covariances[:, 0, 0])
    low, high = (model.emission[:, 0] - 3.5 * deviations).min(), (model.emission[:, 0] + 3.5 * deviations).max()
    grid = np.linspace(low, high, GRID)
    logs = gaussians.log_densities(grid[None] - low, model.emission - low, model.covariances)
    marks: list[Mark] = [Curve(grid, np.exp(logs[k]), name) for k, name in enumerate(_names(model))]
    if _now(shot) >= 0:
        series, time = data.place_of(_now(shot))
        marks.append(ReferenceLine(float(data.series[series][time, 0]), f"seen at t = {time + 1}"))
    return tuple(marks)
