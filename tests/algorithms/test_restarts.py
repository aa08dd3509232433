"""Restarts: which run is kept, what is told to the runs, and what is shown of those before."""

from dataclasses import dataclass

import pytest

from algorithms.maths.restarts import Restarts, best_of


@dataclass(frozen=True)
class End:
    objective: float
    number: int


def play(objectives):
    told = []

    def attempt(restarts):
        told.append((restarts.number, restarts.finals))
        yield f"a frame of run {restarts.number}"
        return End(objectives[restarts.number - 1], restarts.number)

    run, frames = best_of(len(objectives), attempt, lambda new, best: new.objective < best.objective), []
    while True:
        try:
            frames.append(next(run))
        except StopIteration as end:
            return frames, told, *end.value


def test_the_best_run_is_kept_and_the_earliest_of_equals():
    frames, told, best, restarts = play([3.0, 1.0, 2.0, 1.0])
    assert frames == [f"a frame of run {number}" for number in (1, 2, 3, 4)]
    assert told == [(1, ()), (2, (3.0,)), (3, (3.0, 1.0)), (4, (3.0, 1.0, 2.0))]
    assert (best.number, restarts.finals) == (2, (3.0, 1.0, 2.0, 1.0))


def test_a_single_run_is_not_called_a_restart():
    _, told, best, restarts = play([3.0])
    assert (told, best.number, restarts.views(3.0)) == ([(1, ())], 1, {})
    assert restarts.caption("It begins.") == "It begins."


def test_what_the_panel_and_the_captions_say():
    second = Restarts(3, (4.0,))
    assert second.caption("It begins.") == "Restart 2: It begins."
    (bars,) = second.views(7.0)["restarts"]
    assert (bars.values.tolist(), bars.names) == ([4.0, 7.0], ("1", "2"))  # what the run has reached that goes on
    (bars,) = Restarts(3, (4.0, 7.0, 5.0)).views(4.0)["restarts"]
    assert bars.values.tolist() == [4.0, 7.0, 5.0]
    with pytest.raises(AttributeError):
        second.total = 2
