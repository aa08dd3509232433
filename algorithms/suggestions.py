"""Parameters that the data suggest: what a method is begun with on data that nobody has prepared for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.contract import Algorithm
from algorithms.params import Field


def suggested_params(method: Algorithm, data: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, and what the data suggest for the knobs that are not among them."""
    found = {field.name: suggestion(field, data) for field in method.fields if field.name not in given}
    return {**given, **{name: value for name, value in found.items() if value is not None}}


def suggestion(field: Field, data: Any) -> Any:
    """What the data suggest for a knob, inside its range; None where the default is as good."""
    value = None if field.suggest is None else field.suggest.value(data)
    return None if value is None else field.check(field.nearest(value))
