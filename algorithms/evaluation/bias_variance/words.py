"""Captions of bias and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.evaluation.bias_variance.solver import Truth
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.evaluation.bias_variance import Model
    from algorithms.evaluation.bias_variance.solver.any_method import Repeated


def opening(truth: Truth, n: int, goes_on: bool) -> str:
    """The first frame."""
    if goes_on:
        return "It goes on from the fits before the change."
    return f"{_named(truth)} is taken as true at {counted(n, 'point')}; no noise is drawn yet, and nothing is fitted."


def redraw(number: int, model: Model | Repeated) -> str:
    """So many fits to noise that was drawn anew."""
    words = f"Redraw {number}: noise with σ = {model.truth.sigma:.3g} around a truth of our choice, "
    words += _named(model.truth)[0].lower() + _named(model.truth)[1:]
    if model.truth.curve is not None:
        words += " (nobody knows the real one)"
    if number > 1:
        words += f"; so far bias² = {model.bias2:.3g} and variance = {model.variance:.3g} at the points"
    return words + "."


def trade(what: str, parts: tuple[float, float], truth: Truth) -> str:
    """The parts of the error for another degree or another λ."""
    bias, variance = parts
    return f"{what}: bias² {bias:.3g} + variance {variance:.3g} = {sum(parts):.3g}, and σ² = {truth.sigma**2:.3g}."


def fewer(count: int) -> str:
    """The warning of very many points."""
    return f"With so many points the noise is drawn {count} times only."


def done(model: Model | Repeated, least: tuple[str, ...]) -> str:
    """Everything that was found."""
    whole = model.bias2 + model.variance + model.noise
    words = f"A new target is missed by {whole:.3g} in the mean square: bias² {model.bias2:.3g}"
    words += f" + variance {model.variance:.3g} + noise {model.noise:.3g}"
    if least:
        words += ". Around this truth bias² + variance is least at " + " and ".join(least)
    return words + "."


def _named(truth: Truth) -> str:
    if truth.curve is None:
        return f"The function {truth.formula}"
    return f"The least-squares fit of degree {truth.degree}"
