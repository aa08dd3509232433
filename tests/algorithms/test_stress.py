"""The stress of a map: by hand, against finite differences, SciPy and scikit-learn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from sklearn.manifold import smacof

from algorithms.embedding.mds.solver.stress import Wanted, centred
from algorithms.maths.maps import SampledDistances


def problem(n, seed=0, dimensions=2, features=4):
    """Distances that no map of few dimensions has, and a map to begin with."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features))
    return cdist(X, X), centred(rng.normal(size=(n, dimensions)))


def raw(places, distances, power=1):
    """The stress (power 1) or squared stress (power 2) as it is written, pair by pair."""
    return sum(
        (np.linalg.norm(places[i] - places[j]) ** power - distances[i, j] ** power) ** 2
        for i, j in itertools.combinations(range(len(places)), 2)
    )


def test_two_points_by_hand():
    """At distance 1 where 3 is wanted: (1 - 3)^2 / 3^2 and (1 - 9)^2 / 9^2 under the roots; one bowl gets it right."""
    wanted = Wanted.of(np.array([[0.0, 3.0], [3.0, 0.0]]))
    places = np.array([[-0.5], [0.5]])
    found = wanted.misfit(places)
    assert (found.stress, found.squared_stress) == pytest.approx((2 / 3, 8 / 9))
    np.testing.assert_allclose(places + found.direction, [[-1.5], [1.5]])
    # -T'/4 at z_1 is -(1 - 9)(z_1 - z_2) = -8; (1 + 16 t)^2 = 9 at the best step
    steepest = wanted.misfit(places, squared=True).direction
    np.testing.assert_allclose(steepest, [[-8.0], [8.0]])
    assert wanted.lowest_along(places, steepest) == pytest.approx(1 / 8)


def test_points_in_one_place_have_stress_one_and_stay():
    wanted = Wanted.of(1.0 - np.eye(4))
    found = wanted.misfit(np.zeros((4, 2)))
    assert (found.stress, found.squared_stress) == (1.0, 1.0)
    np.testing.assert_array_equal(found.direction, 0.0)


def test_stresses_are_the_sums_over_pairs():
    distances, places = problem(12)
    wanted = Wanted.of(distances)
    expected = [np.sqrt(raw(places, distances, p) / (pdist_power(distances, 2 * p))) for p in (1, 2)]
    found = wanted.misfit(places)
    assert (found.stress, found.squared_stress) == pytest.approx(tuple(expected), rel=1e-12)
    assert wanted.stresses(places) == pytest.approx(tuple(expected), rel=1e-12)


def pdist_power(distances, power):
    return sum(distances[i, j] ** power for i, j in itertools.combinations(range(len(distances)), 2))


@pytest.mark.parametrize("n", [9, 450])
def test_a_map_is_judged_by_the_distances_of_some_points_to_all(n):
    distances, places = problem(n)
    known = SampledDistances.of(distances)
    assert len(known.rows) == min(n, 100)
    found, wanted = cdist(places[known.rows], places), distances[known.rows]
    residual = 1.0 - np.corrcoef(found.ravel(), wanted.ravel())[0, 1] ** 2
    expected = [np.sqrt(np.square(found**p - wanted**p).sum() / np.square(wanted**p).sum()) for p in (1, 2)]
    assert known.quality(places) == pytest.approx((residual, *expected), rel=1e-9)
    if n <= 100:
        assert known.quality(places)[1:] == pytest.approx(Wanted.of(distances).stresses(places), rel=1e-12)


@pytest.mark.parametrize(("squared", "factor"), [(False, -2 * 7), (True, -4)])
def test_the_directions_are_the_gradients_by_finite_differences(squared, factor):
    """The step to the lowest point of the bowl is the gradient step of length 1/(2n)."""
    distances, places = problem(7)
    direction, h = Wanted.of(distances).misfit(places, squared).direction, 1e-6
    for place in np.ndindex(places.shape):
        shift = np.zeros_like(places)
        shift[place] = h
        power = 2 if squared else 1
        slope = (raw(places + shift, distances, power) - raw(places - shift, distances, power)) / (2 * h)
        assert factor * direction[place] == pytest.approx(slope, rel=1e-5, abs=1e-5)


@given(some.integers(3, 12), some.integers(0, 10**6), some.sampled_from([1, 2, 3]))
def test_the_bowl_never_lets_the_stress_rise(n, seed, dimensions):
    distances, places = problem(n, seed, dimensions)
    wanted = Wanted.of(distances)
    before = wanted.misfit(places)
    after = wanted.misfit(places + before.direction)
    assert after.stress <= before.stress * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_step_along_the_gradient_is_the_best(seed):
    distances, places = problem(15, seed)
    wanted = Wanted.of(distances)
    direction = wanted.misfit(places, squared=True).direction
    step = wanted.lowest_along(places, direction)
    slope = wanted.misfit(places + step * direction, squared=True).direction
    assert abs(np.vdot(slope, direction)) < 1e-9 * np.vdot(direction, direction)  # it is level there
    oracle = minimize_scalar(
        lambda t: raw(places + t * direction, distances, 2), bounds=(0, 3 * step), method="bounded"
    )
    assert raw(places + step * direction, distances, 2) <= oracle.fun * (1 + 1e-9)
    assert wanted.lowest_along(places, np.zeros_like(direction)) == 0.0


@pytest.mark.parametrize("n", [20, 200])
def test_majorisation_goes_the_way_of_scikit_learn(n):
    distances, places = problem(n)
    wanted = Wanted.of(distances)
    theirs, stress = smacof(
        distances, n_components=2, init=places, n_init=1, max_iter=10, eps=0, normalized_stress=False
    )
    ours = places
    for _ in range(10):
        ours = centred(ours + wanted.misfit(ours).direction)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert raw(ours, distances) == pytest.approx(stress, rel=1e-9)


def test_the_best_size_is_where_the_stress_is_least():
    distances, places = problem(10)
    wanted = Wanted.of(distances)
    size = wanted.best_size(places)
    around = [wanted.stresses(places * size * factor)[0] for factor in (0.99, 1.0, 1.01)]
    assert min(around) == around[1]
