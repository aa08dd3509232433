"""Edits of a table of distances by hand."""

import numpy as np
import pytest

from algorithms import DataError, Distances
from mlviz.session import distance_edits as edits

TABLE = Distances([[0, 2, 4], [2, 0, 6], [4, 6, 0]], ("a", "b", "c"))


def test_a_distance_changes_in_both_halves():
    assert edits.with_distance(TABLE, 0, 2, 5.0).table.tolist() == [[0, 2, 5], [2, 0, 6], [5, 6, 0]]


def test_rows_come_and_go():
    less, origin = edits.without(TABLE, np.array([1]))
    assert (less.table.tolist(), less.names, origin.tolist()) == ([[0, 4], [4, 0]], ("a", "c"), [0, 2])
    more = edits.with_row(TABLE)
    assert (more.table[3].tolist(), more.names[-1]) == ([4, 4, 4, 0], "new 4")
    assert edits.with_row(Distances([[0.0]])).table.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: edits.with_distance(TABLE, 1, 1, 2.0), "to itself"),
        (lambda: edits.with_distance(TABLE, 0, 1, -1.0), "from 0 to"),
        (lambda: edits.with_distance(TABLE, 0, 1, np.nan), "from 0 to"),
        (lambda: edits.without(TABLE, np.arange(3)), "One row"),
    ],
)
def test_what_cannot_be_is_said(act, words):
    with pytest.raises(DataError, match=words):
        act()
