"""What a model answers: predictions, fields, explanations."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np

from algorithms._checks import cases, examples
from algorithms._checks.rule import ContractError, ask_everything, require, strict
from algorithms._checks.values import (
    same,
)
from algorithms.contract import Algorithm
from algorithms.data import Points


@strict
def check_predict_and_field_shapes(algorithm: Algorithm) -> None:
    """One answer per point, finite, for no, one and many points, the same alone as in company, from any frame."""
    if Points not in algorithm.accepts:
        return
    for data, frame in cases.few_frames(algorithm):
        X = examples.queries(data)
        for name, function in (("predict", algorithm.predict), ("field", algorithm.field)):
            if function is None:
                continue
            together = function(frame.model, X)
            shapes = ((len(X),),) if name == "predict" else ((len(X),), (len(X), *together.shape[1:2]))
            require(together.shape in shapes, f"{name} gives the shape {together.shape} for {len(X)} points.")
            require(bool(np.isfinite(together).all()), f"{name} is not finite everywhere.")
            for rows in (X[:0], X[:1], X[3:5]):
                few = function(frame.model, rows)
                fair = few.shape == (len(rows), *together.shape[1:])
                require(fair, f"{name} gives the shape {few.shape} for {len(rows)} points.")
            alone = np.concatenate([function(frame.model, X[i : i + 1]) for i in range(len(X))])
            close = np.allclose(alone, together, rtol=1e-7, atol=1e-9 * float(np.abs(together).max()))
            require(close, f"{name} of a point depends on the other points asked about.")
            if name == "predict" and algorithm.target == "classes":
                whole = together.dtype.kind in "iu" and set(together.tolist()) <= set(range(len(data.classes)))
                require(whole, "predict gives something else than class numbers.")


@strict
def check_explain(algorithm: Algorithm) -> None:
    """An explanation is a dictionary of named finite numbers and texts, for every item and for new points."""
    if algorithm.explain is None:
        return
    for data, frame in cases.few_frames(algorithm):
        for item in examples.items(data):
            answer = algorithm.explain(frame.model, data, item)
            require(isinstance(answer, dict) and len(answer) > 0, f"explain gives {answer!r}.")
            for name, value in answer.items():
                require(isinstance(name, str) and name != "", f"explain names something {name!r}.")
                number = isinstance(value, int | float | np.number) and math.isfinite(value)
                require(number or isinstance(value, str), f"explain says {name} = {value!r}.")


@strict
def check_pickles(algorithm: Algorithm) -> None:
    """The record, its parameters and its frames survive pickling, and the restored model answers alike."""
    require(_through_pickle(algorithm) == algorithm, "The Algorithm comes back from a pickle changed.")
    for data, frame in cases.few_frames(algorithm):
        restored = _through_pickle(frame)
        require(same(restored, frame), f"A frame in the phase {frame.phase!r} comes back from a pickle changed.")
        answers = [ask_everything(algorithm, model, data) for model in (restored.model, frame.model)]
        require(same(*answers), "A model that has been pickled answers differently.")


def _through_pickle(value: Any) -> Any:
    try:
        return pickle.loads(pickle.dumps(value))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise ContractError(f"A {type(value).__name__} cannot be pickled: {error}.") from error
