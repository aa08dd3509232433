"""Functions that losses are made of, against NumPy's own where it has them."""

import numpy as np
import pytest

from algorithms.maths.losses import softplus


def test_softplus_is_the_logarithm_of_a_sum():
    a = np.linspace(-60.0, 60.0, 1201)
    np.testing.assert_allclose(softplus(a), np.logaddexp(0.0, a), rtol=1e-14)
    np.testing.assert_allclose(softplus(a) - softplus(-a), a, atol=1e-14 * 60)
    assert softplus(np.zeros(1))[0] == pytest.approx(np.log(2.0))


def test_softplus_of_numbers_whose_exponential_is_none():
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_array_equal(softplus(np.array([-np.inf, -1e4, 1e4, np.inf])), [0.0, 0.0, 1e4, np.inf])
    table = np.array([[1.0, -2.0]])
    softplus(table)
    np.testing.assert_array_equal(table, [[1.0, -2.0]])  # it leaves its argument alone
