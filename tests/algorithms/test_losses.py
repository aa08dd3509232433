"""Functions that losses are made of, against NumPy's own where it has them."""

import numpy as np
import pytest

from algorithms.maths.losses import expit, logistic_in_place, softplus


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


def test_the_fast_logistic_function_is_that_of_scipy_but_for_the_last_digit():
    a = np.concatenate([np.linspace(-700.0, 700.0, 14_001), np.linspace(-40.0, 40.0, 8001), [-1e-9, 0.0, 1e-9]])
    a.sort()
    found = logistic_in_place(a.copy())
    np.testing.assert_array_max_ulp(found, expit(a), maxulp=2)
    assert (np.diff(found) >= 0.0).all()
    assert logistic_in_place(np.zeros(1))[0] == 0.5
    assert np.array_equal(found > 0.5, expit(a) > 0.5)


def test_the_fast_logistic_function_far_out_and_where_it_writes():
    a = np.array([-np.inf, -1e4, -750.0, 750.0, 1e4, np.inf])
    with np.errstate(all="raise", under="ignore"):
        assert logistic_in_place(a) is a
    np.testing.assert_array_equal(a, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
