"""Every contract check on every algorithm the registry finds: a new file is tested before it has tests of its own."""

import pytest

from algorithms import _skeleton, all_algorithms
from algorithms.checks import ALL_CHECKS
from mlviz.data.spec import load_data


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_contract(algorithm, check):
    check(algorithm)


@pytest.mark.parametrize("algorithm", [*all_algorithms(), _skeleton.ALGORITHM], ids=lambda algorithm: algorithm.key)
def test_the_example_exists_and_suits_the_algorithm(algorithm):
    """What the gallery loads beside an algorithm must be something it can begin with."""
    data = load_data(algorithm.example)
    assert isinstance(data, algorithm.accepts)
    assert algorithm.target != "classes" or data.is_labelled
    assert algorithm.target != "values" or data.is_valued
    first = next(algorithm.start(data, algorithm.params(), seed=0))
    assert first.views[algorithm.panels[0].key]
