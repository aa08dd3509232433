"""Parameters that hold places of the data, such as first centres put by hand: they mean nothing on other data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.contract import Algorithm


def without_places(method: Algorithm, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without places of the data, and without the choice that such places are meant."""
    gone = set()
    for field in method.fields:
        if method.accepts and field.kind == "points" and field.default == () and params.get(field.name):
            gone.add(field.name)
            if field.when is not None and params.get(field.when.name) in field.when.values:
                gone.add(field.when.name)
    return {name: value for name, value in params.items() if name not in gone}
