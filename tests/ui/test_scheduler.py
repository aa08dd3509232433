"""The scheduler: everything at once at rest, as much as fits into a turn in a hurry; the clock is the test's own."""

from __future__ import annotations

import pytest

from mlviz.ui.scheduler import TURN, Piece, Scheduler


class Work:
    """Stages of pieces that take so many milliseconds on a clock of their own."""

    def __init__(self, *stages: dict[str, float]) -> None:
        self.now, self.done, self.asked = 0.0, [], []
        self.stages = stages
        self.scheduler = Scheduler(lambda: self.now)
        self.scheduler.stages = tuple(self._stage(number) for number in range(len(stages)))

    def _stage(self, number):
        def pieces(hurried):
            self.asked.append((number, hurried))
            return [Piece(name, lambda name=name: self._do(name, number)) for name in self.stages[number]]

        return pieces

    def _do(self, name, number):
        self.now += self.stages[number][name] / 1000
        self.done.append(name)

    def turn(self, hurrying=True):
        self.done.clear()
        self.scheduler.turn(hurrying)
        return list(self.done)


def test_at_rest_everything_is_done_in_one_turn_however_long_it_takes():
    work = Work({"frame": 20.0}, {"field": 30.0, "other field": 1.0}, {}, {"words": 5.0})
    assert work.turn(hurrying=False) == ["frame", "field", "other field", "words"]
    assert work.asked == [(number, False) for number in range(4)]
    assert not work.scheduler.spreading


def test_what_is_not_known_yet_has_a_turn_of_its_own_and_then_what_fits_is_done():
    work = Work({"a": 2.0, "b": 2.0, "c": 1.0, "d": 3.0})
    assert [work.turn() for _ in range(4)] == [["a"], ["b"], ["c"], ["d"]]
    assert [work.turn() for _ in range(3)] == [["a", "b", "c"], ["d"], ["a", "b", "c"]]


def test_what_takes_longer_than_a_turn_is_done_alone():
    work = Work({"short": 1.0, "long": 40.0, "brief": 1.0})
    for _ in range(3):
        work.turn()
    assert [work.turn() for _ in range(3)] == [["short"], ["long"], ["brief"]]


def test_the_cost_of_a_piece_follows_what_it_takes():
    work = Work({"a": 4.0})
    piece = Piece("a", lambda: None)
    assert work.scheduler.cost(piece) == TURN
    work.turn()
    assert work.scheduler.cost(piece) == pytest.approx(0.004)
    work.stages[0]["a"] = 2.0
    work.turn()
    assert work.scheduler.cost(piece) == pytest.approx(0.003)


def test_a_stage_is_asked_when_everything_before_it_is_done():
    work = Work({"frame": 10.0}, {"field": 10.0}, {"words": 1.0})
    work.turn()
    assert work.asked == [(0, True), (1, True)]  # the field is known to come next, but not the words
    work.turn()
    assert work.asked[2:] == [(2, True)]


def test_what_a_hurry_has_left_is_still_done_in_turns_and_then_everything_at_once():
    work = Work({"a": 10.0, "b": 10.0})
    assert work.turn() == ["a"]
    assert work.turn(hurrying=False) == ["b"]
    assert work.scheduler.spreading
    work.stages[0].clear()
    assert work.turn(hurrying=False) == []
    assert not work.scheduler.spreading


def test_after_a_failure_the_others_have_their_turn():
    work = Work({"a": 1.0}, {"b": 1.0})
    work.turn()  # both known

    def fail():
        raise ZeroDivisionError

    work.scheduler.stages = (lambda _: [Piece("bad", fail)], work.scheduler.stages[1])
    work.turn()  # the rest of the round
    with pytest.raises(ZeroDivisionError):
        work.turn()
    assert work.turn() == ["b"]
