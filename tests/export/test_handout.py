"""What stands above the figures of a handout."""

from types import SimpleNamespace

import pytest

from algorithms import all_algorithms, find
from algorithms.data import Nothing
from mlviz.data.spec import load_data
from mlviz.export.handout import facts


@pytest.mark.parametrize("method", all_algorithms(), ids=lambda method: method.key)
def test_what_is_as_usual_is_not_said(method):
    run = SimpleNamespace(algorithm=method, params=method.make_params({}), data=Nothing(), seed=3)
    assert facts(run) == "no data needed · seed 3"


def test_the_data_are_counted_in_their_own_words_and_knobs_have_the_names_of_the_form():
    method = find("shortest_paths")
    run = SimpleNamespace(
        algorithm=method, params=method.make_params({"from": 2}), data=load_data("florentine"), seed=0
    )
    assert facts(run) == "15 nodes, 20 edges · from = 2 · seed 0"
