"""Odd data, extreme parameters, and going on from a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms._checks import cases, examples
from algorithms._checks.rule import ContractError, ask_everything, require, strict
from algorithms._checks.values import (
    is_sentence,
)
from algorithms.contract import Algorithm, DataError, Ended, Stop


@strict
def check_degenerate_data(algorithm: Algorithm) -> None:
    """Odd data are worked on with finite results, or refused by a :class:`DataError` that is a sentence."""
    for name, (data, played) in cases.on_odd_data(algorithm).items():
        _survives(algorithm, data, played, f"On {name}")


@strict
def check_extreme_parameters(algorithm: Algorithm) -> None:
    """Every end of every range, and every choice, works on ordinary data, or is refused by a sentence."""
    data = cases.recordings(algorithm)[0].data
    for field in algorithm.fields:
        for end in cases.ends(field):
            played = cases.begun(algorithm, data, algorithm.make_params({field.name: end}))
            _survives(algorithm, data, played, f"With {field.name} = {end}")


def _survives(algorithm: Algorithm, data: Any, played: cases.Begun, case: str) -> None:
    frames = played.frames
    try:
        if played.error is not None:
            raise played.error
        answers = ask_everything(algorithm, frames[-1].model, data)
    except DataError as error:
        require(is_sentence(str(error)), f"{case} the DataError is no sentence: {error}")
        return
    except Exception as error:
        raise ContractError(f"{case} there is {error!r} instead of a DataError.") from error
    infinite = any(np.isinf(list(frame.metrics.values())).any() for frame in frames)  # NaN: not known yet
    finite = all(np.isfinite(array).all() for array in answers[:2])
    require(finite and not infinite, f"{case} something is not finite.")


@strict
def check_going_on_from_a_model(algorithm: Algorithm) -> None:
    """Where offered, a run started from a model shows that model first and ends, also when a point has moved."""
    live = [field.name for field in algorithm.fields if field.live]
    require(algorithm.resumes or not algorithm.continues, "It continues, but a run cannot go on from a model.")
    require(algorithm.resumes or not live, f"{live} are Live, which needs an algorithm that resumes.")
    if not algorithm.resumes:
        return
    for data, frame in cases.few_frames(algorithm):
        frames, stop = cases.play(algorithm, data, algorithm.params(), start=frame.model)
        answers = [ask_everything(algorithm, model, data)[:2] for model in (frames[0].model, frame.model)]
        kept = all(np.allclose(one, two, rtol=1e-6) for one, two in zip(*answers))
        require(kept, f"Going on from a model of the phase {frame.phase!r} begins with another model.")
        require(isinstance(stop, Stop | Ended), "A run that went on from a model did not end with a Stop.")
        _, stop = cases.play(algorithm, examples.one_moved(data), algorithm.params(), start=frame.model)
        require(isinstance(stop, Stop | Ended), "A run that went on after a point had moved did not end with a Stop.")
