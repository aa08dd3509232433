"""Snapshots: what has been yielded can never change, not even through a pickle."""

import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from algorithms import Points, Stop, find
from algorithms.contract import Snapshot, arrays_in, frozen
from algorithms.marks import Bars, Centres
from mlviz.session.memory import MemoryMeter
from tests.telling import Teller, told


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    centres: np.ndarray
    parts: tuple[np.ndarray, ...] = ()


def snapshot():
    model = Model(np.arange(4.0).reshape(2, 2), (np.ones(3),))
    return told(model, {"plane": [Centres(model.centres)]}, {"J": np.float32(1.5)}, "start", "It begins.")


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
        snapshot().phase = "end"


def test_marks_become_tuples_and_metrics_plain_numbers():
    frame = snapshot()
    assert isinstance(frame.views["plane"], tuple)
    assert type(frame.metrics["J"]) is float


def test_later_changes_of_the_given_dictionary_do_not_reach_the_snapshot():
    metrics = {"J": 1.0}
    frame = told(metrics=metrics)
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


made = []


def picture(shot):
    made.append(shot.shown)
    return {"plane": [Centres(shot.model.centres * shot.shown)]}


def sentence(shot):
    made.append(shot.phase)
    return f"There are {len(shot.model.centres)} centres."


def drawn_later(radius=2.0):
    teller = Teller(picture, {"start": sentence})
    return Snapshot(None, "start", Model(np.arange(4.0).reshape(2, 2)), {"J": 1.0}, radius, told_by=teller)


def test_views_are_drawn_when_they_are_looked_at_and_not_twice():
    made.clear()
    frame = drawn_later()
    assert not made
    assert list(frame.views) == ["plane"]
    assert frame.views.get("other") is None
    (mark,) = frame.views["plane"]
    assert mark.at.tolist() == [[0.0, 2.0], [4.0, 6.0]]
    assert not mark.at.flags.writeable
    assert frame.views["plane"][0] is mark
    assert made == [2.0]


def test_only_the_latest_drawings_are_kept():
    made.clear()
    frames = [drawn_later(float(radius)) for radius in range(20)]
    for frame in frames:
        assert frame.views["plane"]
    before = len(made)
    assert frames[-1].views["plane"]
    assert len(made) == before
    assert frames[0].views["plane"]
    assert len(made) == before + 1


def test_a_drawing_survives_a_pickle():
    again = pickle.loads(pickle.dumps(drawn_later(3.0)))
    assert again.views["plane"][0].at.tolist() == [[0.0, 3.0], [6.0, 9.0]]
    assert not any(array.flags.writeable for array in arrays_in((again, again.views)))


def test_a_caption_is_written_when_it_is_read():
    made.clear()
    frame = drawn_later()
    meter = MemoryMeter()
    meter.add(frame)
    assert made == []
    assert frame.caption == "There are 2 centres."
    assert made == ["start"]
    assert pickle.loads(pickle.dumps(frame)).caption == "There are 2 centres."
    meter.remove(frame)
    assert meter.nbytes == 0


def test_a_snapshot_that_nobody_tells_raises():
    """A test that calls ``run`` itself would see empty pictures."""
    frame = Snapshot(None, "start", Model(np.zeros((1, 2))), {"J": 1.0}, None)
    for part in ("views", "caption", "warning"):
        with pytest.raises(RuntimeError, match=r"begin the run with Algorithm\.start"):
            getattr(frame, part)


def test_a_stripped_snapshot_is_silent_and_keeps_the_model():
    """In the thread of a fold an exception would leave the window waiting."""
    frame = next(find("k_means").start(Points(np.arange(20.0).reshape(10, 2)), find("k_means").params(), 0))
    bare = pickle.loads(pickle.dumps(frame.stripped()))
    assert (dict(bare.views), bare.caption, bare.warning, dict(bare.metrics)) == ({}, "", "", {})
    assert (bare.phase, bare.given, bare.shown) == (frame.phase, None, None)
    np.testing.assert_array_equal(bare.model.centres, frame.model.centres)


@pytest.mark.parametrize(("key", "looks"), [("k_means", False), ("lle", True)])
def test_only_a_method_that_looks_has_an_item_in_focus(key, looks):
    method, data = find(key), Points(np.random.default_rng(0).normal(size=(30, 3)))
    frame = next(method.start(data, method.params(), 0))
    closer = method.focused(frame, data.item(4))
    assert (closer is frame) != looks
    assert (closer.focus.number if looks else closer.focus) == (4 if looks else None)
