"""A tiny method on lists of things: looks at one item after the other, and lights the vowels of texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms import registry
from algorithms.contract import Algorithm, Line, Metric, Panel, Stop
from algorithms.data import GraphSet, Strings
from algorithms.marks import Highlight, Spans
from mlviz.ui import player
from tests.telling import AS_SHOWN, told


@dataclass(frozen=True, slots=True)
class Params:
    """None."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    seen: int


def vowels(data):
    """Where the vowels of texts are."""
    found = [(t, k, k + 1, "aeiou".index(c)) for t, text in enumerate(data.texts) for k, c in enumerate(text.lower())
             if c in "aeiou"]  # fmt: skip
    texts, start, end, groups = np.array(found, dtype=int).reshape(-1, 4).T
    return Spans(texts, start, end, groups, group_names=tuple("aeiou"))


def run(data, params, rng, start=None):
    for item in range(min(data.n, 3)):
        spans = (vowels(data),) if isinstance(data, Strings) else ()
        views = {"list": (*spans, Highlight(np.array([item]), "chosen"))}
        yield told(Model(item), views, {"seen": item}, "look", f"Looks at {data.item_name} {item + 1}.")
    return Stop.COMPLETE


LISTER = Algorithm(
    key="lister",
    title="Lister",
    family="evaluation",
    summary="Looks at everything.",
    params=Params,
    run=run,
    panels=(Panel("list", "Data", space="data"),),
    metrics=(Metric("seen", "seen"),),
    pseudocode=(Line("look", "look at the next one"),),
    reference="none",
    **AS_SHOWN,
    accepts=(Strings, GraphSet),
    explain=lambda model, data, item: {"number": item.number + 1},
)


def install(monkeypatch):
    """Have the registry know the method."""
    real = registry.find
    for module in (registry, player):
        monkeypatch.setattr(module, "find", lambda key: LISTER if key == "lister" else real(key))
