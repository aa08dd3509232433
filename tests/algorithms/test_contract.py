"""Every contract check on every algorithm the registry finds: a new file is tested before it has tests of its own."""

import pytest

from algorithms import all_algorithms
from algorithms.checks import ALL_CHECKS


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_contract(algorithm, check):
    check(algorithm)
