"""The captions of a hidden Markov chain. Moments and states are counted from 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.contract import Try
from algorithms.data import Array, Sequences
from algorithms.maths.words import are, change, counted, percent
from algorithms.sequences.hidden_markov.solver import known_states

if TYPE_CHECKING:
    from algorithms.sequences.hidden_markov import Model, Shot


def warning(shot: Shot) -> str | None:
    """Where the chain is only a guess."""
    if shot.given.origin != "guessed":
        return None
    known = known_states(shot.given.data)
    why = f"The data have {counted(known, 'true state')}, not {shot.given.chain.k}" if known else ""
    return (
        f"{why or 'The data have no true states'}, so that the chain is a guess; give it by hand to have another one."
    )


def _opening(shot: Shot) -> str:
    """Where the chain comes from."""
    chain, data = shot.given.chain, shot.given.data
    stays = ", ".join(f"{value:.3g}" for value in np.diagonal(chain.transition))
    shows = "values" if chain.is_gaussian else counted(len(data.symbols), "symbol")
    origin = {"counted": "counted along the true states", "guessed": "guessed", "by hand": "given by hand"}
    return (
        f"{data.counted()}: a chain with {counted(chain.k, 'state')} that {are(chain.k, 'shows', 'show')} {shows}, "
        f"{origin[shot.given.origin]}; "
        f"a state stays with the probability {stays}."
    )


def _forward(shot: Shot) -> str:
    """What the newest moments have told."""
    data, model, first, last = shot.given.data, shot.model, shot.shown.first, shot.shown.last
    fraction = _largest(model.filtered[-1])
    if last - first == 1:
        said = (
            f"{moment(data, first)} shows {seen(data, first)}, which had the {_noun(model)} {_size(shot.shown.log_m)}"
        )
    else:
        said = f"{_moments(data, first, last)} are followed"
    return f"Forward: {_lower(said)}; {fraction} now; log-likelihood so far {model.log_likelihood:.6g}."


def _backward(shot: Shot) -> str:
    """What the future tells about these moments."""
    data, model, first, last = shot.given.data, shot.model, shot.shown.first, shot.shown.last
    before, now = model.filtered[first], model.posterior[0]
    state = int(np.abs(now - before).argmax())
    said = moment(data, first) if last - first == 1 else _moments(data, first, last)
    said_of_it = change(f"P(state {state + 1})", before[state], now[state], "{:.3f}".format)
    where = "" if last - first == 1 else " at the first of them"
    return f"Backward over {_lower(said)}: with what comes later {said_of_it}{where}."


def _evaluated(shot: Shot) -> str:
    """The result of both passes."""
    data, model = shot.given.data, shot.model
    changed = int((model.filtered.argmax(axis=1) != model.path).sum())
    return (
        f"Log-likelihood {model.log_likelihood:.6g} ({model.log_likelihood / data.n:.4g} per moment); looking back "
        f"changes the most probable state at {changed:,} of {counted(data.n, 'moment')}{_right(data, model.path)}."
    )


def _best_so_far(shot: Shot) -> str:
    """The best path that ends at the newest moment."""
    data, first, last, deltas = shot.given.data, shot.shown.first, shot.shown.last, shot.shown.deltas[-1]
    best = int(deltas.argmax())
    said = _moments(data, first, last)
    if last - first == 1:
        said = f"{moment(data, first)} shows {seen(data, first)}"
    gap = ""
    if len(deltas) > 1:
        second = float(np.partition(deltas, -2)[-2])
        ratio = float(deltas[best]) - second
        gap = f", {_times(ratio)} as probable as the next best end"
    size = f"log δ = {deltas[best]:.6g}"
    return f"Viterbi: {_lower(said)}; the best path so far ends in state {best + 1}{gap}, {size}."


def _back(shot: Shot) -> str:
    """Where the path goes through."""
    data, first, last = shot.given.data, shot.shown.first, shot.shown.last
    states = shot.model.path[: last - first] + 1
    if last - first == 1:
        return f"Back along the pointers: {_lower(moment(data, first))} is in state {states[0]}."
    turns = int((np.diff(states) != 0).sum())
    changes = counted(turns, "change") if turns else "no change"
    return f"Back along the pointers over {_lower(_moments(data, first, last))}: {changes} of state."


def _decoded(shot: Shot) -> str:
    """The path beside the smoothed states."""
    data, model = shot.given.data, shot.model
    differ = int((model.posterior.argmax(axis=1) != model.path).sum())
    fraction = np.exp(min(model.log_path - model.log_likelihood, 0.0))
    what = "log-probability" if data.symbols else "log-density"  # values have a density, whose logarithm may be above 0
    return (
        f"The best path has the {what} {model.log_path:.6g}, all paths together have {model.log_likelihood:.6g}, so it "
        f"is {percent(fraction)} of them; it differs from the most probable states at {differ:,} of "
        f"{counted(data.n, 'moment')}{_right(data, model.path)}."
    )


def moment(data: Sequences, number: int) -> str:
    """A moment by its time, and by its series where there are several."""
    series, time = data.place_of(number)
    return f"Moment {time + 1}" + (f" of series {series + 1}" if len(data.series) > 1 else "")


def seen(data: Sequences, number: int) -> str:
    """What a moment shows, shortly."""
    series, time = data.place_of(number)
    value: Any = data.series[series][time]
    return data.symbols[int(value)] if data.is_discrete else ", ".join(f"{part:.3g}" for part in value)


def probability(value: float) -> str:
    """A probability with three decimals at most."""
    return "<0.001" if 0.0 < value < 5e-4 else f"{value:.3f}".rstrip("0").rstrip(".")


def _moments(data: Sequences, first: int, last: int) -> str:
    (one, begin), (two, end) = data.place_of(first), data.place_of(last - 1)
    if one == two:
        return f"Moments {begin + 1} to {end + 1}" + (f" of series {one + 1}" if len(data.series) > 1 else "")
    return f"{counted(last - first, 'moment')} of series {one + 1} to {two + 1}"


def _lower(said: str) -> str:
    return said[:1].lower() + said[1:]


def _largest(probabilities: Array) -> str:
    best = int(probabilities.argmax())
    return f"state {best + 1} has the probability {probabilities[best]:.3f}"


def _noun(model: Model) -> str:
    return "density" if len(model.covariances) else "probability"


def _size(log: float) -> str:
    """A probability by its logarithm, which may be of any size."""
    return f"{np.exp(log):.3g}" if -690.0 < log < 690.0 else f"e^{log:.4g}"


def _times(log_ratio: float) -> str:
    if not np.isfinite(log_ratio) or log_ratio > np.log(1e6):
        return "more than a million times"
    return f"{np.exp(log_ratio):.3g} times"


def _right(data: Sequences, path: Array) -> str:
    """How many states are right, where that is known."""
    if data.states is None:
        return ""
    return f"; {np.mean(np.concatenate(data.states) == path):.1%} of the states are right".replace("%", " %")


CAPTIONS = {
    "initial": _opening,
    "forward": _forward,
    "backward": _backward,
    "posterior": _evaluated,
    "viterbi": _best_so_far,
    "back": _back,
    "compare": _decoded,
}
FORMULAS = (
    r"\text{forward:}\quad \alpha_{tk} = \frac{1}{M_t}\, b_k(x_t) \sum_j \alpha_{t-1,j}\, A_{jk}, \qquad \log "
    r"P(x) = \sum_t \log M_t",
    r"\text{backward:}\quad \beta_{tk} = \frac{1}{M_{t+1}} \sum_j A_{kj}\, b_j(x_{t+1})\, \beta_{t+1,j}, \qquad "
    r"\gamma_{tk} \propto \alpha_{tk}\, \beta_{tk}",
    r"\text{Viterbi:}\quad \delta_{tk} = \max_i \ \delta_{t-1,i}\, A_{ik}\, b_k(x_t)",
)
TRIES = (
    Try(
        "The dishonest casino: when was the die loaded? The most probable path is right at four throws of five.",
        "casino(n=150,seed=4)",
        {"task": "decode"},
        shows=lambda played: (played.model.path == np.concatenate(played.data.states)).mean() > 0.8,
    ),
    Try(
        "The same throws moment by moment: looking back changes the most probable state at some of them.",
        "casino(n=150,seed=4)",
        {"task": "evaluate"},
        shows=lambda played: 0 < (played.model.filtered.argmax(axis=1) != played.model.path).sum() < played.data.n / 4,
    ),
    Try(
        "The Nile fell about 1898: with two levels that seldom change, the best path has one step.",
        "nile()",
        {
            "chain": "by hand",
            "emissions": "Gaussian",
            "transition": ((0.99, 0.01), (0.01, 0.99)),
            "means": ((1100,), (850,)),
            "deviations": (130, 130),
        },
        shows=lambda played: (np.flatnonzero(np.diff(played.model.path)) + 1871).tolist() == [1898],
    ),
)
