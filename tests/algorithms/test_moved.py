"""What an old session, script or command line names is found in its new place."""

import numpy as np
import pytest

from algorithms import fit
from algorithms.moved import moved
from algorithms.params import ParamError
from algorithms.registry import find

OLD_ISOMAP = {
    "graph": "k nearest neighbours",
    "neighbours": 7,
    "epsilon": 0.1,
    "dimensions": 2,
    "scaling": "classical",
    "begin": "random places",
    "step": 1.0,
    "max_steps": 300,
    "tol": 1e-4,
    "paths": "Dijkstra",
    "colour": "target",
    "from_point": 0,
    "to_point": 0,
}
"""All parameters, as session files hold them."""


def test_what_has_not_moved_stays():
    assert moved("k_means", {"k": 4}) == ("k_means", {"k": 4})


def test_an_old_isomap_is_still_isomap():
    key, values = moved("isomap", OLD_ISOMAP)
    assert key == "isomap"
    assert find(key).make_params(values) == find(key).params()


def test_a_complete_graph_was_multidimensional_scaling():
    key, values = moved("isomap", {**OLD_ISOMAP, "graph": "complete graph", "dimensions": 3})
    assert key == "mds"
    assert find(key).make_params(values) == find(key).params(dimensions=3)


@pytest.mark.parametrize(
    "scaling", ["stress by majorisation", "stress by gradient descent", "squared stress by gradient descent"]
)
def test_going_down_the_stress_is_done_by_multidimensional_scaling(scaling):
    X = np.random.default_rng(0).normal(size=(20, 3))
    old = {**OLD_ISOMAP, "graph": "complete graph", "scaling": scaling, "begin": "principal components", "max_steps": 9}
    result = fit("isomap", X, **old)
    assert result.algorithm.key == "mds"
    assert (result.params.kind, result.params.descent, result.params.max_steps) == ("metric", scaling, 9)


def test_stress_along_a_graph_has_no_new_place_and_that_is_said():
    with pytest.raises(ParamError, match="scaling"):
        fit("isomap", np.eye(4), scaling="stress by majorisation")
