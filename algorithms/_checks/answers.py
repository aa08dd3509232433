"""What a model answers: predictions, fields, explanations."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np

from algorithms._checks import cases, examples
from algorithms._checks.rule import ContractError, ask_everything, require, strict
from algorithms._checks.values import fault_of_mark, same
from algorithms.contract import Algorithm
from algorithms.data import Array, Points


@strict
def check_predict_and_field_shapes(algorithm: Algorithm) -> None:
    """One answer per point, finite, for no, one and many points, the same alone as in company, from any frame."""
    for data, frame in cases.few_frames(algorithm):
        if not isinstance(data, Points):
            continue
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
def check_predict_agrees_with_field(algorithm: Algorithm) -> None:
    """``predict`` says what ``field`` says: the likelier class, the side of the boundary, or the value itself."""
    if algorithm.predict is None or algorithm.field is None:
        return
    for data, frame in cases.few_frames(algorithm):
        meaning = algorithm.scores_on(data)
        if not isinstance(data, Points) or meaning == "":
            continue
        X = np.concatenate([data.X, examples.queries(data)])
        answers, values = algorithm.predict(frame.model, X).reshape(-1), algorithm.field(frame.model, X)
        if meaning in ("density", "probability"):
            require(float(values.min()) >= 0.0, f"field is a {meaning}, but falls to {values.min():g}.")
        if meaning == "probability":
            total = float((values.sum(axis=1) if values.ndim == 2 else values).max())
            require(total <= 1.0 + 1e-6, f"field is a probability, but rises to {total:g}.")
        if meaning == "value" and data.is_valued:
            close = np.allclose(answers, values, rtol=1e-7, atol=1e-9 * float(np.abs(values).max()))
            require(close, "field is the value, but predict gives another one.")
        if meaning in ("probability", "decision") and data.is_labelled:
            wrong = _against(answers, values, 0.5 if meaning == "probability" else 0.0)
            require(not wrong, f"For {wrong} points predict gives another class than the {meaning} of field.")


def _against(answers: Array, values: Array, threshold: float) -> int:
    """How many predicted classes are not those of the field; where it is undecided, either is right."""
    if values.ndim == 1:
        decided = np.abs(values - threshold) > 1e-9 * np.abs(values).max()
        return int(((values > threshold) != (answers == 1))[decided].sum())
    known = (answers >= 0) & (answers < values.shape[1])  # that there are no others is another check's business
    chosen = values[known, answers[known]]
    return int((chosen < values[known].max(axis=1) - 1e-9 * np.abs(values).max()).sum())


@strict
def check_fit_many(algorithm: Algorithm) -> None:
    """A model that is fitted together with others answers as the last one of a run; there may be none."""
    if algorithm.fit_many is None:
        return
    require(algorithm.predict is not None, "fit_many gives models, but the method cannot predict.")
    assert algorithm.predict is not None
    for data in examples.ordinary(algorithm):
        if not isinstance(data, Points):
            continue
        params, everyone = algorithm.params(), np.arange(data.n)
        jobs = [(everyone, params), (everyone[everyone % 4 > 0], params)]
        together = algorithm.fit_many(data, jobs)
        require(len(together) == len(jobs), f"fit_many gives {len(together)} models for {len(jobs)} jobs.")
        X = np.concatenate([data.X, examples.queries(data)])
        for (rows, _), model in zip(jobs, together, strict=True):
            if model is not None:
                frames, _ = cases.play(algorithm, data.rows(rows), params)
                answers = [algorithm.predict(one, X) for one in (model, frames[-1].model)]
                spread = float(np.ptp(answers[1])) if data.is_valued else 1.0
                off = np.abs(answers[0] - answers[1]) > 0.01 * spread
                require(float(off.mean()) <= 0.05, "fit_many gives another model than a run.")


@strict
def check_transform_and_sample(algorithm: Algorithm) -> None:
    """New rows get finite places in the map, places lead back to rows, and drawn data are of an accepted kind."""
    for data, frame in cases.few_frames(algorithm):
        if isinstance(data, Points) and algorithm.transform is not None:
            _check_maps(algorithm, frame.model, data)
        if algorithm.sample is not None:
            first, again, more = (algorithm.sample(frame.model, n, np.random.default_rng(0)) for n in (1, 1, 7))
            require(algorithm.takes(first), f"sample gives {type(first).__name__}, which the method does not accept.")
            require(first.n == 1 and more.n == 7, f"sample gives {more.n} items instead of 7.")
            require(first.sha256 == again.sha256, "sample gives something else with the same random numbers.")
            if isinstance(data, Points) and isinstance(more, Points):
                require(more.d == data.d, f"sample gives points with {more.d} features instead of {data.d}.")


def _check_maps(algorithm: Algorithm, model: Any, data: Points) -> None:
    assert algorithm.transform is not None
    X = examples.queries(data)
    places = algorithm.transform(model, X)
    fair = places.ndim == 2 and len(places) == len(X) and bool(np.isfinite(places).all())
    require(fair, f"transform gives the shape {places.shape} for {len(X)} points, or something that is not finite.")
    alone = np.concatenate([algorithm.transform(model, X[i : i + 1]) for i in range(len(X))])
    close = np.allclose(alone, places, rtol=1e-6, atol=1e-9 * float(np.abs(places).max(initial=0.0)))
    require(close, "transform of a point depends on the other points asked about.")
    if algorithm.inverse is not None:
        back = algorithm.inverse(model, places)
        fair = back.shape == X.shape and bool(np.isfinite(back).all())
        require(fair, f"inverse gives the shape {back.shape} instead of {X.shape}, or something that is not finite.")


@strict
def check_explain(algorithm: Algorithm) -> None:
    """An explanation is a dictionary of named finite numbers and texts, for every item and for new points."""
    if algorithm.explain is None:
        require(not algorithm.accepts, "The method explains nothing about its data.")
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
def check_looks(algorithm: Algorithm) -> None:
    """A frame that looks at an item shows something else in the same panels, and says the same; the same every time."""
    if not algorithm.looks:
        return
    panels, differs = {panel.key: panel for panel in algorithm.panels}, False
    for data, frame in cases.few_frames(algorithm):
        for number in sorted({0, data.n - 1}):
            closer, again = (algorithm.focused(frame, data.item(number)) for _ in range(2))
            require(same(closer.views, again.views), "With an item in focus the views differ the second time.")
            words = (closer.phase, closer.caption, closer.warning, closer.metrics)
            unchanged = words == (frame.phase, frame.caption, frame.warning, frame.metrics)
            require(unchanged, "An item in focus changes the numbers or the words of the frame.")
            differs = differs or not same(closer.views, frame.views) or not same(closer.model, frame.model)
            for key, layers in closer.views.items():
                require(key in frame.views, f"With an item in focus there is {key!r}, where the frame has nothing.")
                for mark in layers:
                    fault = fault_of_mark(algorithm, panels[key], mark, data)
                    where = f"{type(mark).__name__} in {key!r}, phase {frame.phase!r}, with an item in focus"
                    require(not fault, f"{where}: {fault}.")
    require(differs, "The method looks, but an item in focus changes nothing.")


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
