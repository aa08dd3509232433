"""Whether another seed has changed anything: where nothing is drawn at random, two runs are one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.data import Array
from mlviz.ui.player import Player

SAME = "The seed changes nothing: with these parameters nothing is drawn at random."

SAME_HERE = "the seed changes nothing"

Trace = Mapping[str, Array]


def trace(player: Player) -> Trace:
    """Every metric at every step of a run that has ended; empty for any other."""
    timeline, engine = player.timeline, player.engine
    if timeline is None or engine is None or not engine.ended or player.reason == "cancelled":
        return {}
    return {name: np.array(timeline.metric(name)) for name in timeline.metrics}


def same(one: Trace, other: Trace) -> bool:
    """Whether two runs that have ended were the same, as far as can be told by their metrics."""
    return bool(one) and one.keys() == other.keys() and all(np.array_equal(one[k], other[k], True) for k in one)
