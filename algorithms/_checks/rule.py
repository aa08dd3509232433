"""What the checks have in common: a rule is broken with a sentence, and every warning breaks it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, Points

Check = Callable[[Algorithm], None]


class ContractError(AssertionError):
    """An algorithm breaks the contract; the message is a sentence that says where."""


def strict(check: Check) -> Check:
    """Every warning is a failure, whatever the caller's filters and NumPy's error state are."""

    @functools.wraps(check)
    def strictly(algorithm: Algorithm) -> None:
        with warnings.catch_warnings(), np.errstate(divide="warn", over="warn", invalid="warn", under="ignore"):
            warnings.simplefilter("error")
            check(algorithm)

    return strictly


def require(condition: bool, sentence: str) -> None:
    """The sentence is what to mend when the condition does not hold."""
    if not condition:
        raise ContractError(sentence)


def ask_everything(algorithm: Algorithm, model: Any, data: Any, X: Array | None = None) -> list[Any]:
    """What the model says: the predictions, the field and the explanation of the first item."""
    functions = (algorithm.predict, algorithm.field)
    if isinstance(data, Points):
        rows = data.X if X is None else X
        answers: list[Any] = [np.empty(0) if function is None else function(model, rows) for function in functions]
    else:
        answers = [np.empty(0), np.empty(0)]
    asked = algorithm.explain is not None and data.n > 0
    return [*answers, algorithm.explain(model, data, data.item(0)) if asked else None]  # type: ignore[misc]
