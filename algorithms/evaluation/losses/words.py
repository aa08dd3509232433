"""The captions of losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.words import counted, number, percent

if TYPE_CHECKING:
    from algorithms.evaluation.losses import Shot


def _opening(shot: Shot) -> str:
    model = shot.model
    return f"The constant {number(model.constant)} is asked to stand for {counted(len(model.numbers), 'number')}."


def _swept(shot: Shot) -> str:
    model, slope = shot.model, shot.model.slope
    where = "the risk falls" if slope < 0.0 else "the risk rises" if slope > 0.0 else "the risk is level"
    if model.loss == "zero-one":
        where = "the slope is 0, so it does not say where to go"
    return f"The constant {number(model.constant)} costs {number(model.risk)} on average; {where} here."


def _least(shot: Shot) -> str:
    model, kind = shot.model, shot.shown.kind
    share = percent(model.tau)
    names = {
        "squared": "the mean",
        "absolute": "the median",
        "huber": f"delta is {number(model.delta)}; a smaller one leads to the median, a larger one to the mean",
        "pinball": f"the {share} quantile",
        "expectile": f"the {share} expectile",
        "zero-one": "the most frequent number",
    }
    what = "Huber" if kind == "huber" else kind
    return f"The {what} loss is least at {number(model.constant)}: {names[kind]}."


def _drawn(shot: Shot) -> str:
    given, count = shot.given, shot.shown.draws
    last = given.means[:, count - 1]
    return (
        f"With {counted(count, 'draw')} the empirical risk is {number(float(last.mean()))} on average over "
        f"{counted(len(last), 'repetition')}, with the standard deviation {number(float(last.std()))}; expected are "
        f"{number(shot.metrics['risk'])} and {number(given.deviation / float(np.sqrt(count)))}."
    )


CAPTIONS = {"start": _opening, "sweep": _swept, "minimum": _least, "risk": _drawn}
