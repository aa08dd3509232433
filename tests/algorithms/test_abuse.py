"""Every method on odd data with random parameters: finite frames or a sentence, no warning, no endless step."""

import itertools
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from algorithms import DataError, Distances, Points, all_algorithms, find
from algorithms._checks import examples
from algorithms.contract import Stop
from algorithms.data.magnitude import refuse_extreme_numbers
from tests.algorithms import abuse, faulty
from tests.algorithms.abuse import Endless, Watch, odd_data, outcome, parameters
from tests.hunt import CLOCK

EXAMPLES = 25 if CLOCK is None else 300


@pytest.mark.hypothesis  # the examples are drawn inside, which a hunt would not see
@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_odd_data_with_random_parameters(algorithm, capfd):
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None)
    @given(odd_data(algorithm), parameters(algorithm))
    def attack(named, chosen):
        outcome(algorithm, named[1], chosen, Watch(CLOCK))
        assert capfd.readouterr() == ("", ""), "LAPACK complains of what is not finite in words of its own."

    attack()


def test_a_hunt_attacks_every_method():
    """It looks at tests of this mark, and only there steps are timed."""
    assert "hypothesis" in {mark.name for mark in test_odd_data_with_random_parameters.pytestmark}


@pytest.mark.parametrize(
    ("key", "name", "chosen"), [("k_nearest", "ordinary 0", {"metric": "cosine"}), ("naive_bayes", "one point", {})]
)
def test_numbers_near_the_limit(key, name, chosen):
    algorithm = find(key)
    known = {f"ordinary {k}": data for k, data in enumerate(examples.ordinary(algorithm))}
    data = (known | examples.degenerate(algorithm))[name]
    assert outcome(algorithm, data.with_rows(data.X * 1e98, data.y), chosen, Watch()) == ""


def run_to_nowhere(data, params, rng, start=None):
    yield from faulty.run(data, params, rng, start)
    while True:
        data.X.sum()


def run_into_nothing(data, params, rng, start=None):
    for frame in faulty.run(data, params, rng, start):
        yield replace(frame, metrics={"errors": float("inf")})
    return Stop.COMPLETE


def run_in_code(data, params, rng, start=None):
    yield from faulty.run(data, params, rng, start)
    raise DataError("code 17")


@pytest.mark.parametrize(
    ("run", "error"), [(run_to_nowhere, Endless), (run_into_nothing, AssertionError), (run_in_code, AssertionError)]
)
def test_faults_are_found(run, error, monkeypatch):
    monkeypatch.setattr(abuse, "ALGORITHMS", str(Path(__file__).parent))
    algorithm = replace(faulty.CORRECT, run=run)
    with pytest.raises(error):
        outcome(algorithm, examples.blobs(algorithm), {}, Watch())


def test_a_slow_step_is_found():
    ticks = itertools.count(0, 3)  # seconds between any two readings
    with pytest.raises(Endless, match=r"3\.0 s without"):
        outcome(faulty.CORRECT, examples.blobs(faulty.CORRECT), {}, Watch(lambda: float(next(ticks))))


def test_a_long_run_is_called_off_and_ends(monkeypatch):
    monkeypatch.setattr(abuse, "ENOUGH", 0)
    assert outcome(find("mlp"), examples.blobs(find("mlp")), {"epochs": 1000}, Watch()) == "It was called off."


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (Points([[1e101, 0.0], [0.0, 1.0]]), "The values of 'x1' reach 1e+101; methods calculate with numbers up to"),
        (Points([[1.0], [2.0]], [1e-101, 0.0]), "The values of 'y' reach 1e-101 only; methods calculate with numbers"),
        (Points([[0.0, 1e-99], [1.0, 0.0]], [1e2, 0.0]), "The values of 'y' reach 100 and the values of 'x2' 1e-99"),
        (Points([[1e98, 1e-98], [0.0, 0.0]]), "The values of 'x1' reach 1e+98 and the values of 'x2' 1e-98 only"),
        (Distances(np.array([[0, 1e200], [1e200, 0]])), "The numbers of the table reach 1e+200"),
    ],
)
def test_numbers_beyond_the_limits_are_refused_for_every_method(data, words):
    for algorithm in all_algorithms():
        if algorithm.takes(data):
            with pytest.raises(DataError) as caught:
                algorithm.start(data, algorithm.params(), 0)
            assert str(caught.value).startswith(words)


def test_columns_of_zeros_are_no_extremes():
    refuse_extreme_numbers(Points(np.zeros((3, 2)), np.zeros(3)))


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms() if algorithm.most])
def test_a_table_of_all_pairs_is_refused_before_memory_is_taken(key):
    algorithm = find(key)
    data = Points(np.arange(algorithm.most + 1.0)[:, None])
    tracemalloc.start()
    with pytest.raises(DataError, match=f"t most {algorithm.most:,}"):
        next(algorithm.start(data, algorithm.params(), 0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < algorithm.most**2  # a table of floats would take eight times as much


def test_a_method_that_has_nothing_to_vary_is_refused_in_a_sentence():
    algorithm, chosen = find("cross_validation"), {"method": "multi_class", "scheme": "nested"}
    said = outcome(algorithm, examples.ordinary(algorithm)[0], chosen, Watch())
    assert said == "Several classes from lines has no number that could be varied."


@pytest.mark.parametrize("solver", ["newton", "gradient descent"])
def test_features_of_zeros_say_nothing_where_there_is_no_intercept(solver):
    """Found by a hunt: gradient descent divided by a curvature of nought."""
    algorithm, data = find("logistic_regression"), Points(np.zeros((2, 2)), [0, 1])
    assert outcome(algorithm, data, {"solver": solver, "intercept": False}, Watch()) == ""
