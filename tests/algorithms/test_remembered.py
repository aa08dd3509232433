"""What is remembered about a table is what it says, as long as it is there and nobody can write into it."""

import gc

import numpy as np
import pytest

from algorithms.data import Points
from algorithms.data.kind import locked
from algorithms.data.magnitude import column_ranges
from algorithms.data.remembered import Remembered


def test_a_locked_table_is_looked_at_once_for_each_question():
    asked = []
    remembered = Remembered()
    table = locked(np.arange(6.0))
    for question in (1, 1, 2, 2):
        remembered.of(table, lambda question=question: asked.append(question), question)
    assert asked == [1, 2]


@pytest.mark.parametrize("table", [np.arange(6.0), locked(np.arange(6.0)[1:])], ids=["can be written", "a part"])
def test_a_table_that_may_change_is_looked_at_every_time(table):
    asked = []
    remembered = Remembered()
    for _ in range(2):
        remembered.of(table, lambda: asked.append(1))
    assert asked == [1, 1]


def test_it_is_forgotten_with_its_table():
    remembered = Remembered()
    table = locked(np.arange(6.0))
    remembered.of(table, lambda: 1)
    assert len(remembered._known) == 1
    del table
    gc.collect()
    assert not remembered._known


def test_tables_one_after_the_other_in_the_same_memory_have_their_own_ranges():
    for number in range(50):
        data = Points(np.full((40, 3), float(number)))
        for _ in range(2):
            low, high = column_ranges(data.X)
            np.testing.assert_array_equal(low, [number] * 3)
            np.testing.assert_array_equal(high, [number] * 3)
        del data


def test_the_ranges_are_those_of_numpy_in_pieces_too():
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (50_000, 40), (700, 3)):
        data = Points(rng.normal(size=shape))
        low, high = column_ranges(data.X)
        np.testing.assert_array_equal(low, data.X.min(axis=0))
        np.testing.assert_array_equal(high, data.X.max(axis=0))
        assert column_ranges(data.X)[0] is low
