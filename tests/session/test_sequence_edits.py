"""Edits of series by hand."""

import pytest

from algorithms import DataError, Sequences
from mlviz.session import sequence_edits as edits

VALUES = Sequences([[0.0, 1.0, 2.0], [5.0, 5.0]], states=[[0, 0, 1], [1, 1]])
SYMBOLS = Sequences([["a", "b", "a", "b"]])


def test_the_pen_sets_values_along_its_way():
    made = edits.draw(VALUES, 0, 0, (0.0, 4.0), (2.0, 8.0))
    assert made.series[0][:, 0].tolist() == [4, 6, 8]
    assert made.series[1] is not None
    assert made.states[0].tolist() == [0, 0, 1]
    assert edits.draw(VALUES, 0, 0, (2.0, 8.0), (0.0, 4.0)).series[0][:, 0].tolist() == [4, 6, 8]
    assert edits.draw(VALUES, 0, 0, (1.2, 9.0), (1.2, 7.0)).series[0][:, 0].tolist() == [0, 7, 2]


def test_behind_the_end_a_series_becomes_longer():
    made = edits.draw(VALUES, 1, 0, (1.0, 5.0), (3.0, 7.0))
    assert made.series[1][:, 0].tolist() == [5, 5, 6, 7]
    assert made.states[1].tolist() == [1, 1, 1, 1]
    with pytest.raises(DataError, match="too long"):
        edits.draw(VALUES, 1, 0, (1.0, 5.0), (1e5, 7.0))


def test_symbols_are_the_nearest_ones():
    assert edits.draw(SYMBOLS, 0, -1, (0.0, 0.6), (1.0, 9.0)).series[0].tolist() == [1, 1, 0, 1]


def test_moments_and_series_come_and_go():
    assert edits.erase(VALUES, 0, 0, 1).series[0][:, 0].tolist() == [2]
    assert edits.erase(VALUES, 0, 0, 1).states[0].tolist() == [1]
    assert edits.erase(VALUES, 0, 7, 9) is VALUES
    more = edits.add_series(VALUES)
    assert [len(one) for one in more.series] == [3, 2, 2]
    assert [len(one) for one in edits.remove_series(more, 0).series] == [2, 2]
    with pytest.raises(DataError, match="One moment"):
        edits.erase(VALUES, 0, 0, 2)
    with pytest.raises(DataError, match="One series"):
        edits.remove_series(SYMBOLS, 0)
