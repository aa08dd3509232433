"""Where what has moved is found now: an old session, script or command line opens in the new place.

Kept for ever, like the migrations of session files. A rule takes the parameters that were given to a method and gives
the method and the parameters that mean the same today.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Place = tuple[str, dict[str, Any]]


def moved(key: str, values: Mapping[str, Any]) -> Place:
    """The method and its parameters as they are called today; the same where nothing has moved."""
    rule = RULES.get(key)
    return (key, dict(values)) if rule is None else rule(dict(values))


def _isomap(values: dict[str, Any]) -> Place:
    """All pairs joined is plain multidimensional scaling, and going down the stress belongs there, too.

    Stress along a graph has no new place; there the parameter stays, so that it is said to be unknown.
    """
    scaling = values.get("scaling", "classical")
    descent: dict[str, Any] = {name: values[name] for name in ("begin", "step", "max_steps", "tol") if name in values}
    rest = {name: value for name, value in values.items() if name not in (*descent, "scaling")}
    if values.get("graph") != "complete graph":
        return "isomap", rest if scaling == "classical" else {**rest, "scaling": scaling}
    if descent.get("begin") == "principal components":
        descent["begin"] = "classical scaling"  # the same map where all pairs are joined
    kind = {"kind": "classical"} if scaling == "classical" else {"kind": "metric", "descent": scaling}
    dimensions = {"dimensions": values["dimensions"]} if "dimensions" in values else {}
    return "mds", {**kind, **dimensions, **descent}


RULES: dict[str, Callable[[dict[str, Any]], Place]] = {"isomap": _isomap}
