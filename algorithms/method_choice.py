"""A method with its parameters as the value of a parameter: ``kernel_svm(C=10.0,kernel='linear')``.

Cross-validation, the choice of a model and the like take any other method of the gallery. The value is a text, so that
sessions, scripts and the command line hold it as they hold any other; it is always written in the same way: parameters
in the order of their declaration, and only those that differ from their defaults.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.calls import parse_call, written_call
from algorithms.contract import Algorithm
from algorithms.data import Array, Data, DataError, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.words import SentenceError
from algorithms.moved import moved
from algorithms.params import as_dict
from algorithms.records import dataclass
from algorithms.registry import UnknownAlgorithm, all_algorithms, find

_MEANT = {
    "predictor": "predict a class or a value",
    "classifier": "predict a class",
    "regression": "predict a value",
    "clustering": "part points into groups",
}


class NoSuchMethod(SentenceError):
    """The text names no method that can be used here."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method with checked parameters, ready to be run on other data."""

    algorithm: Algorithm
    params: Any

    @property
    def text(self) -> str:
        """As it is written."""
        return written_call(self.algorithm.key, _changed(self.algorithm, as_dict(self.params)))

    def fit(self, data: Data, seed: int) -> Any:
        """The model at the end of a run; the steps between are checkpoints."""
        model = None
        for snapshot in self.algorithm.start(data, self.params, seed):
            checkpoint()
            model = snapshot.model
        return model

    def predict(self, model: Any, X: Array) -> Array:
        """What the model says of new rows; a sentence (DataError) where it is no number, far from what it has seen."""
        assert self.algorithm.predict is not None
        with np.errstate(over="ignore", invalid="ignore"):
            answers = self.algorithm.predict(model, X)
        if not np.isfinite(answers).all():
            raise DataError(f"What {self.algorithm.title} says of other points is no number; scale the features first.")
        return answers

    def with_values(self, **values: Any) -> Method:
        """The same method with other values of some parameters."""
        return Method(self.algorithm, self.algorithm.make_params({**as_dict(self.params), **values}))


def serves(algorithm: Algorithm, purpose: str) -> bool:
    """Whether a method can be used for a purpose; one that itself takes a method cannot."""
    if Points not in algorithm.accepts or algorithm.predict is None or algorithm.family == "evaluation":
        return False
    if purpose == "clustering":
        return algorithm.target == "none"
    targets = {"predictor": ("classes", "values", "any"), "classifier": ("classes", "any")}
    return algorithm.target in targets.get(purpose, ("values", "any"))


def methods_for(purpose: str) -> tuple[Algorithm, ...]:
    """Every method of the gallery that can be used for a purpose."""
    return tuple(algorithm for algorithm in all_algorithms() if serves(algorithm, purpose))


@functools.lru_cache(maxsize=256)
def parse_method(text: str, purpose: str = "") -> Method:
    """The method that a text describes, or a :class:`SentenceError` that says what is wrong with it."""
    key, given = parse_call(text)
    key, values, _ = moved(key, {name.removesuffix("_"): value for name, value in given.items()})
    try:
        algorithm = find(key)
    except UnknownAlgorithm as error:
        raise NoSuchMethod(str(error)) from error
    if purpose and not serves(algorithm, purpose):
        raise NoSuchMethod(f"{algorithm.title} does not {_MEANT[purpose]}.")
    return Method(algorithm, algorithm.make_params(values))


def written_method(key: str, values: Mapping[str, Any]) -> str:
    """The text for a method and the values of its parameters."""
    algorithm = find(key)
    return Method(algorithm, algorithm.make_params(values)).text


def _changed(algorithm: Algorithm, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f.attribute: values[f.name] for f in algorithm.fields if values[f.name] != f.default}
