"""Maps by going down the stress: by hand, against finite differences, SciPy and scikit-learn, and as frames."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist, pdist
from sklearn.manifold import MDS, smacof

from algorithms import fit
from algorithms.contract import Stop
from algorithms.data import Points
from algorithms.embedding._graph import complete
from algorithms.embedding._maps import Known, principal_scores
from algorithms.embedding.isomap import ALGORITHM
from algorithms.maths.stress import Wanted, centred
from mlviz.data.generators import generate

ROLL = generate("swiss_roll", n=120, noise=0, seed=1)


def frames(data=ROLL, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


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


# --- the mathematics --------------------------------------------------------------------------------------------------


def test_two_points_by_hand():
    """At distance 1 where 3 is wanted: (1 - 3)^2 / 3^2 and (1 - 9)^2 / 9^2 under the roots; one bowl gets it right."""
    wanted = Wanted.of(np.array([[0.0, 3.0], [3.0, 0.0]]))
    places = np.array([[-0.5], [0.5]])
    found = wanted.misfit(places)
    assert (found.stress, found.squared_stress) == pytest.approx((2 / 3, 8 / 9))
    np.testing.assert_allclose(places + found.way, [[-1.5], [1.5]])
    # -T'/4 at z_1 is -(1 - 9)(z_1 - z_2) = -8; (1 + 16 t)^2 = 9 at the best step
    steepest = wanted.misfit(places, squared=True).way
    np.testing.assert_allclose(steepest, [[-8.0], [8.0]])
    assert wanted.lowest_along(places, steepest) == pytest.approx(1 / 8)


def test_points_in_one_place_have_stress_one_and_stay():
    wanted = Wanted.of(1.0 - np.eye(4))
    found = wanted.misfit(np.zeros((4, 2)))
    assert (found.stress, found.squared_stress) == (1.0, 1.0)
    np.testing.assert_array_equal(found.way, 0.0)


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
    known = Known.of(distances)
    assert len(known.rows) == min(n, 100)
    found, wanted = cdist(places[known.rows], places), distances[known.rows]
    residual = 1.0 - np.corrcoef(found.ravel(), wanted.ravel())[0, 1] ** 2
    expected = [np.sqrt(np.square(found**p - wanted**p).sum() / np.square(wanted**p).sum()) for p in (1, 2)]
    assert known.judged(places) == pytest.approx((residual, *expected), rel=1e-9)
    if n <= 100:
        assert known.judged(places)[1:] == pytest.approx(Wanted.of(distances).stresses(places), rel=1e-12)


@pytest.mark.parametrize(("squared", "factor"), [(False, -2 * 7), (True, -4)])
def test_the_ways_are_the_gradients_by_finite_differences(squared, factor):
    """The way to the lowest place of the bowl is the gradient step of length 1/(2n)."""
    distances, places = problem(7)
    way, h = Wanted.of(distances).misfit(places, squared).way, 1e-6
    for place in np.ndindex(places.shape):
        shift = np.zeros_like(places)
        shift[place] = h
        power = 2 if squared else 1
        slope = (raw(places + shift, distances, power) - raw(places - shift, distances, power)) / (2 * h)
        assert factor * way[place] == pytest.approx(slope, rel=1e-5, abs=1e-5)


@given(some.integers(3, 12), some.integers(0, 10**6), some.sampled_from([1, 2, 3]))
def test_the_bowl_never_lets_the_stress_rise(n, seed, dimensions):
    distances, places = problem(n, seed, dimensions)
    wanted = Wanted.of(distances)
    before = wanted.misfit(places)
    after = wanted.misfit(places + before.way)
    assert after.stress <= before.stress * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_step_along_the_gradient_is_the_best(seed):
    distances, places = problem(15, seed)
    wanted = Wanted.of(distances)
    way = wanted.misfit(places, squared=True).way
    step = wanted.lowest_along(places, way)
    slope = wanted.misfit(places + step * way, squared=True).way
    assert abs(np.vdot(slope, way)) < 1e-9 * np.vdot(way, way)  # it is level there
    oracle = minimize_scalar(lambda t: raw(places + t * way, distances, 2), bounds=(0, 3 * step), method="bounded")
    assert raw(places + step * way, distances, 2) <= oracle.fun * (1 + 1e-9)
    assert wanted.lowest_along(places, np.zeros_like(way)) == 0.0


@pytest.mark.parametrize("n", [20, 200])
def test_majorisation_goes_the_way_of_scikit_learn(n):
    distances, places = problem(n)
    wanted = Wanted.of(distances)
    theirs, stress = smacof(
        distances, n_components=2, init=places, n_init=1, max_iter=10, eps=0, normalized_stress=False
    )
    ours = places
    for _ in range(10):
        ours = centred(ours + wanted.misfit(ours).way)
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert raw(ours, distances) == pytest.approx(stress, rel=1e-9)


def test_the_best_size_is_where_the_stress_is_least():
    distances, places = problem(10)
    wanted = Wanted.of(distances)
    size = wanted.best_size(places)
    around = [wanted.stresses(places * size * factor)[0] for factor in (0.99, 1.0, 1.01)]
    assert min(around) == around[1]


# --- whole runs -------------------------------------------------------------------------------------------------------


def test_a_gradient_step_of_length_one_is_majorisation():
    by_bowls = fit("isomap", ROLL, scaling="stress by majorisation", max_steps=40)
    by_gradient = fit("isomap", ROLL, scaling="stress by gradient descent", step=1.0, max_steps=40)
    np.testing.assert_allclose(by_bowls.metrics["stress"], by_gradient.metrics["stress"], rtol=1e-12)
    np.testing.assert_allclose(by_bowls.model.embedding, by_gradient.model.embedding, atol=1e-9)


def test_each_way_ends_below_classical_scaling_in_what_it_goes_down():
    """Classical scaling is best for the strain, not for either stress: from its map both go down further."""
    classical = fit("isomap", ROLL).last.metrics
    for scaling, name in (
        ("stress by majorisation", "stress"),
        ("squared stress by gradient descent", "squared_stress"),
    ):
        ended = fit("isomap", ROLL, scaling=scaling, begin="classical scaling")
        assert ended.stop is Stop.CONVERGED
        assert ended.last.metrics[name] < classical[name]


@pytest.mark.parametrize("scaling", ["stress by majorisation", "squared stress by gradient descent"])
def test_the_stress_never_rises_and_is_that_of_the_map_shown(scaling):
    name = "stress" if "majorisation" in scaling else "squared_stress"
    ended = frames(scaling=scaling, max_steps=30)
    steps = [frame for frame in ended if frame.phase in ("majorise", "descend")]
    values = [frame.metrics[name] for frame in steps]
    assert len(values) == 31
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(values))
    x, y = shepard(steps[-1])
    # the plot shows some of the pairs; their stress is near that of all
    if name == "stress":
        assert np.sqrt(np.square(x - y).sum() / np.square(x).sum()) == pytest.approx(values[-1], rel=0.3)


def shepard(frame):
    dots, diagonal = frame.views["shepard"]
    np.testing.assert_array_equal(diagonal.x, diagonal.y)
    return dots.x, dots.y


@pytest.mark.parametrize("scaling", ["stress by majorisation", "stress by gradient descent"])
def test_flat_points_are_rebuilt_from_their_distances_alone(scaling):
    X = np.random.default_rng(5).normal(size=(25, 2))
    ended = fit("isomap", X, graph="complete graph", scaling=scaling, tol=1e-9, max_steps=5000, seed=1)
    np.testing.assert_allclose(pdist(ended.model.embedding), pdist(X), atol=1e-3 * pdist(X).max())
    # laid over the data (Procrustes), every point is where it was
    (rest,) = [mark for mark in ended.last.views["plane"] if getattr(mark, "role", "") == "residual"]
    np.testing.assert_allclose(rest.end, rest.start, atol=5e-3)


def test_all_pairs_joined_is_plain_scaling_and_so_principal_components():
    X = np.random.default_rng(0).normal(size=(60, 5)) * [5, 4, 1, 1, 1]
    ended = fit("isomap", X, graph="complete graph")
    scores = principal_scores(X - X.mean(axis=0), 2)
    np.testing.assert_allclose(np.abs(ended.model.embedding), np.abs(scores), atol=1e-9)
    assert ended.last.metrics["edges"] == 60 * 59 / 2
    assert ended.last.metrics["components"] == 1
    assert ended.explain(X[3])["edges"] == 59
    assert len(ended.model.path) == 2


def test_all_pairs_joined_ends_where_scikit_learn_ends():
    X = np.random.default_rng(3).normal(size=(40, 3))
    ours = fit(
        "isomap", X, graph="complete graph", scaling="stress by majorisation", begin="classical scaling", tol=1e-9
    )
    theirs = MDS(
        n_components=2, n_init=1, init="random", random_state=0, normalized_stress=False, max_iter=2000, eps=1e-12
    )
    theirs.fit(X, init=fit("isomap", X, graph="complete graph").model.embedding)
    assert raw(ours.model.embedding, cdist(X, X)) == pytest.approx(theirs.stress_, rel=1e-4)


@pytest.mark.parametrize(("n", "most"), [(2, 10), (7, 100), (40, 50)])
def test_the_pairs_listed_are_pairs_and_all_of_them_when_few(n, most):
    neighbourhood = complete(np.random.default_rng(0).normal(size=(n, 2)), most)
    assert neighbourhood.joined == n * (n - 1) // 2
    edges = [tuple(edge) for edge in neighbourhood.graph.edges.tolist()]
    every = list(itertools.combinations(range(n), 2))
    assert set(edges) <= set(every)
    assert len(set(edges)) == len(edges)
    assert edges == every if len(every) <= most else len(edges) == most
    assert {edges[0], edges[-1]} == {every[0], every[-1]}


def test_the_shepard_plot_comes_with_the_distances_and_holds_the_map_against_them():
    ended = frames(generate("swiss_roll", n=500, noise=0, seed=1))
    known = [frame for frame in ended if "shepard" in frame.views]
    assert known[0].phase == "centre"
    assert ended[-1] is known[-1]
    dots = known[-1].views["shepard"][0]
    places = known[-1].model.embedding
    apart = np.linalg.norm(places[dots.points] - places[dots.partners], axis=1)
    np.testing.assert_allclose(dots.y, apart)
    assert np.corrcoef(dots.x, dots.y)[0, 1] > 0.99
    assert np.corrcoef(*shepard(known[0]))[0, 1] < 0.9  # principal components do not know the way along the roll


def test_a_valley_that_is_not_the_deepest_is_said():
    said = [
        fit("isomap", generate("moons", n=60, noise=0.1, seed=1), scaling="stress by majorisation", seed=seed).last
        for seed in range(8)
    ]
    worse = [last for last in said if last.metrics["stress"] > 1.5 * min(other.metrics["stress"] for other in said)]
    assert worse
    assert all("not the deepest" in last.warning for last in worse)
    assert any("not the deepest" not in last.warning for last in said)


def test_steps_that_are_too_long_swing_or_fly_apart_and_that_is_said():
    swinging = fit("isomap", ROLL, scaling="stress by gradient descent", step=2.6, max_steps=60)
    assert swinging.stop is Stop.LIMIT
    assert "swings" in swinging.last.warning
    flying = fit("isomap", ROLL, scaling="squared stress by gradient descent", step=3.0)
    assert flying.stop is Stop.DIVERGED
    assert "flies apart" in flying.last.warning
    assert np.isfinite(flying.model.embedding).all()


def test_too_few_steps_are_said():
    ended = fit("isomap", ROLL, scaling="stress by majorisation", max_steps=3)
    assert ended.stop is Stop.LIMIT
    assert "max_steps" in ended.last.warning


def test_another_seed_begins_elsewhere_but_only_where_it_is_random():
    first = [fit("isomap", ROLL, scaling="stress by majorisation", max_steps=1, seed=seed) for seed in (0, 1)]
    assert not np.allclose(first[0].model.embedding, first[1].model.embedding)
    fixed = [
        fit("isomap", ROLL, scaling="stress by majorisation", begin="principal components", max_steps=1, seed=seed)
        for seed in (0, 1)
    ]
    np.testing.assert_array_equal(fixed[0].model.embedding, fixed[1].model.embedding)


def test_only_the_largest_piece_is_let_down():
    X = np.concatenate([ROLL.X, ROLL.X[:20] + 1000.0])
    ended = fit("isomap", Points.of(X), scaling="stress by majorisation", max_steps=2)
    assert len(ended.model.embedding) == len(ended.model.members) == 120
