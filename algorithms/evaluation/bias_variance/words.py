"""The captions and the warning of bias and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.evaluation.bias_variance.solver import Truth
from algorithms.evaluation.bias_variance.solver.game import TradeOff
from algorithms.maths.words import capital, counted, number

if TYPE_CHECKING:
    from algorithms.evaluation.bias_variance import Shot


def warning(shot: Shot) -> str | None:
    """That there are fewer redraws than asked for."""
    given = shot.given
    return f"With so many points the noise is drawn {given.count} times only." if given.count < given.wanted else None


def _opening(shot: Shot) -> str:
    """The first frame."""
    given = shot.given
    if shot.shown.goes_on:
        return "It goes on from the fits before the change."
    points = counted(given.data.n, "point")
    return f"{capital(_named(given.truth))} is taken as the truth at {points}; noise is drawn and fitted next."


def _redraw(shot: Shot) -> str:
    """So many fits to noise that was drawn anew."""
    truth, drawn = shot.given.truth, shot.shown.drawn
    words = f"Redraw {drawn}: noise with σ = {number(truth.sigma)} around a truth of our choice, {_named(truth)}"
    if truth.curve is not None:
        words += " (the real one is not known)"
    if drawn > 1:
        words += f"; so far bias² = {number(shot.metrics['bias2'])} and variance = {number(shot.metrics['variance'])}"
    return words + "."


def _trade(shot: Shot) -> str:
    """The parts of the error for another degree or another λ."""
    trade, value = shot.shown.trades[-1], shot.shown.value
    bias, variance = trade.parts[value]
    what = capital(_setting(trade, value)) if trade.name == "degree" else _setting(trade, value)
    if trade.hypothetical:
        what = f"With a ridge penalty, {what}"
    whole = number(bias + variance)
    return f"{what}: bias² {number(bias)} + variance {number(variance)} = {whole}, and σ² = {number(trade.noise)}."


def _done(shot: Shot) -> str:
    """Everything that was found."""
    parts = shot.metrics
    words = f"A new target is missed by {number(parts['error'])} in the mean square: bias² {number(parts['bias2'])}"
    words += f" + variance {number(parts['variance'])} + noise {number(parts['noise'])}"
    real = [trade for trade in shot.shown.trades if not trade.hypothetical]
    least = [_setting(trade, trade.least) for trade in real if trade.least is not None]
    if least:
        words += ". Around this truth bias² + variance is least at " + " and ".join(least)
    for trade in real:
        if trade.least is None:
            words += f". It is the same for every {'λ' if trade.name == 'lam' else trade.name}"
    return words + "."


def _setting(trade: TradeOff, value: float) -> str:
    """``degree 3``, ``λ = 0.1``."""
    if trade.name == "degree":
        return f"degree {value:.0f}"
    return f"{'λ' if trade.name == 'lam' else trade.name} = {number(value)}"


def _named(truth: Truth) -> str:
    if truth.curve is None:
        return f"the function {truth.formula}"
    return f"the least-squares fit of degree {truth.degree}"


CAPTIONS = {"truth": _opening, "redraw": _redraw, "degree": _trade, "lambda": _trade, "done": _done}
