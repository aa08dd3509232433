"""What is meant by a place."""

import math

import numpy as np
import pytest

from mlviz.session.nearest import nearest

AT = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 4.0]])


def test_the_nearest_in_the_units_of_the_view_and_within_reach():
    assert nearest(AT, 0.2, 0.1, (1.0, 1.0)) == 0
    assert nearest(AT, 0.8, 3.0, (10.0, 1.0)) == 2
    assert nearest(AT, 0.8, 3.0, (0.1, 10.0)) == 1
    assert nearest(AT, 9.0, 9.0, (1.0, 1.0), reach=2.0) is None
    assert nearest(np.empty((0, 2)), 0.0, 0.0, (1.0, 1.0)) is None


@pytest.mark.parametrize("unit", [(0.0, 1.0), (1.0, 0.0), (math.nan, 1.0)])
def test_nothing_is_meant_in_a_view_without_extent(unit):
    """Found by a monkey: a stroke in a view of no height divided by the height of its pixels."""
    with np.errstate(all="raise"):
        assert nearest(AT, 0.2, 0.1, unit) is None
