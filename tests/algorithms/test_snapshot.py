"""Snapshots: what has been yielded can never change, not even through a pickle."""

import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from algorithms import Stop
from algorithms.contract import Snapshot, arrays_in, frozen
from algorithms.marks import Bars, Centres


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    centres: np.ndarray
    parts: tuple[np.ndarray, ...] = ()


def snapshot():
    model = Model(np.arange(4.0).reshape(2, 2), (np.ones(3),))
    return Snapshot(model, {"plane": [Centres(model.centres)]}, {"J": np.float32(1.5)}, "start", "It begins.")


def test_every_array_is_locked():
    frame = snapshot()
    (mark,) = frame.views["plane"]
    for array in (frame.model.centres, frame.model.parts[0], mark.at):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    "write",
    [
        lambda frame: frame.views.__setitem__("plane", ()),
        lambda frame: frame.views.update(plane=()),
        lambda frame: frame.metrics.pop("J"),
        lambda frame: frame.metrics.clear(),
        lambda frame: frame.metrics.setdefault("K", 1.0),
        lambda frame: frame.metrics.__delitem__("J"),
        lambda frame: frame.metrics.__ior__({"J": 0.0}),
    ],
)
def test_views_and_metrics_refuse_writes(write):
    frame = snapshot()
    with pytest.raises(TypeError, match="cannot be changed"):
        write(frame)
    assert frame.metrics == {"J": 1.5}
    assert list(frame.views) == ["plane"]


def test_fields_refuse_writes():
    with pytest.raises(FrozenInstanceError):
        snapshot().caption = "Another."


def test_marks_become_tuples_and_metrics_plain_numbers():
    frame = snapshot()
    assert isinstance(frame.views["plane"], tuple)
    assert type(frame.metrics["J"]) is float


def test_later_changes_of_the_given_dictionary_do_not_reach_the_snapshot():
    metrics = {"J": 1.0}
    frame = Snapshot(Model(np.zeros((1, 2))), {}, metrics, "start", "It begins.")
    metrics["J"] = 2.0
    assert frame.metrics["J"] == 1.0


def test_a_pickle_keeps_values_and_locks():
    frame = snapshot()
    again = pickle.loads(pickle.dumps(frame))
    assert again.model.centres.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert (again.metrics, again.phase, again.caption, again.warning) == ({"J": 1.5}, "start", "It begins.", "")
    assert not any(array.flags.writeable for array in arrays_in((again.model, again.views)))
    with pytest.raises(TypeError, match="cannot be changed"):
        again.metrics["J"] = 0


def test_arrays_are_found_at_every_depth():
    a, b, c = np.zeros(1), np.ones(2), np.arange(3)
    found = list(arrays_in({"x": [a, (Model(b, (c,)), "text", 3)], "y": None}))
    assert [id(array) for array in found] == [id(a), id(b), id(c)]
    assert list(arrays_in(Model)) == []


def test_frozen_returns_its_argument():
    bars = Bars(np.ones(2))
    assert frozen(bars) is bars
    assert not bars.values.flags.writeable


@pytest.mark.parametrize("stop", Stop)
def test_every_reason_to_stop_has_words(stop):
    assert stop.words
    assert pickle.loads(pickle.dumps(stop)) is stop
