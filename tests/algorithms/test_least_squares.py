"""Least squares in one place: the shortest solution, and nothing infinite comes to LAPACK."""

import re
from pathlib import Path

import numpy as np
import pytest

import algorithms
from algorithms import DataError
from algorithms.maths.design import least_squares


def test_the_shortest_solution_by_hand():
    assert least_squares(np.array([[1.0, 1.0]]), np.array([2.0])) == pytest.approx([1.0, 1.0])
    assert least_squares(np.array([[1.0], [1.0]]), np.array([[1.0, 4.0], [3.0, 6.0]])) == pytest.approx(
        np.array([[2.0, 5.0]])
    )
    assert least_squares(np.empty((3, 0)), np.ones(3)).shape == (0,)


def test_short_directions_are_dropped():
    A = np.diag([1.0, 1e-9])
    assert least_squares(A, np.ones(2)) == pytest.approx([1.0, 1e9])
    assert least_squares(A, np.ones(2), dropped=1e-8) == pytest.approx([1.0, 0.0])
    assert least_squares(A, np.ones(2), n=10**8) == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(wrong):
    A, y = np.random.default_rng(0).normal(size=(5, 3)), np.ones(5)
    for table, target in ((np.where(A[1, 1] == A, wrong, A), y), (A, np.where(np.arange(5) == 2, wrong, y))):
        with pytest.raises(DataError, match="leave the range of numbers"):
            least_squares(table, target)


def test_no_method_goes_past_it():
    root = Path(algorithms.__file__).parent
    callers = [path for path in root.rglob("*.py") if re.search(r"\blstsq\(", path.read_text("utf-8"))]
    assert [path.relative_to(root).as_posix() for path in callers] == ["maths/design.py"]
