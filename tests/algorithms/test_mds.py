"""Multidimensional scaling: by hand, R's published numbers, scikit-learn as an oracle, and as frames."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist, pdist
from sklearn.decomposition import PCA
from sklearn.manifold import MDS, ClassicalMDS

from algorithms import Distances, Points, fit
from algorithms.contract import Stop
from algorithms.data import DataError
from algorithms.embedding.mds import ALGORITHM, solver
from algorithms.embedding.mds.solver.stress import Wanted
from algorithms.marks import Cloud3D, Matrix, Scatter
from mlviz.data.generators import generate
from mlviz.data.spec import load_data
from tests.algorithms.played import cloud, same_up_to_sign

ROLL = generate("swiss_roll", n=120, noise=0, seed=1)
TRIANGLE = Distances([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]], names=("corner", "three", "four"))
METRIC = {"kind": "metric"}


def frames(data=ROLL, seed=0, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), seed))


def ring(n):
    """Hops around a cycle."""
    gaps = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return Distances(np.minimum(gaps, n - gaps))


# --- classical: known answers -----------------------------------------------------------------------------------------


def test_two_things_lie_half_their_distance_from_the_middle():
    model = fit("mds", Distances([[0, 4], [4, 0]]), dimensions=1).model
    assert model.embedding[:, 0] == pytest.approx([2.0, -2.0])
    assert model.eigenvalues == pytest.approx([8.0, 0.0], abs=1e-12)  # 2² + 2²
    assert model.stress == pytest.approx(0.0, abs=1e-12)


def test_things_along_a_line():
    model = fit("mds", Distances(np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))), dimensions=1).model
    assert model.embedding[:, 0] == pytest.approx([2.0, 1.0, 0.0, -1.0, -2.0])  # the first one on the right
    assert model.eigenvalues == pytest.approx([10.0, 0, 0, 0, 0], abs=1e-9)


def test_a_right_triangle():
    """Centred, its corners have the products [[6, -4], [-4, 32/3]]: trace 50/3, determinant 48."""
    result = fit("mds", TRIANGLE)
    root = np.sqrt(193.0)
    assert result.model.eigenvalues == pytest.approx([(25 + root) / 3, (25 - root) / 3, 0.0], abs=1e-9)
    assert cdist(result.model.embedding, result.model.embedding) == pytest.approx(TRIANGLE.table, abs=1e-9)
    assert result.model.norms == pytest.approx(np.square(result.model.embedding).sum(axis=1))


def test_the_numbers_that_r_prints_for_its_road_distances():
    """``cmdscale(eurodist, k = 3, eig = TRUE)``: a misprint in the table would move them all."""
    model = fit("mds", load_data("cities_by_road"), dimensions=3).model
    assert model.eigenvalues[:4] == pytest.approx([1.953838e7, 1.185656e7, 1.528844e6, 1.118742e6], rel=1e-6)
    assert model.eigenvalues[-1] == pytest.approx(-2.251844e6, rel=1e-6)
    above = np.maximum(model.eigenvalues, 0.0)
    assert above[:2].sum() / above.sum() == pytest.approx(0.8679134)  # its second measure of fit
    athens, barcelona = np.abs(model.embedding[:2])
    assert athens == pytest.approx([2290.27468, 1798.8029, 53.79314], rel=1e-6)
    assert barcelona == pytest.approx([825.38279, 546.8115, 113.85842], rel=1e-6)


def test_hops_around_a_cycle_fit_into_no_space():
    last = fit("mds", ring(20)).last
    assert last.model.eigenvalues[0] == pytest.approx(204.317, abs=5e-4)
    assert last.model.eigenvalues[-1] == pytest.approx(-52.3607, abs=5e-5)
    assert last.metrics["negative"] == pytest.approx(52.3607 / 204.317, rel=1e-4)
    assert "no points in any Euclidean space have these distances" in last.warning
    assert "9 of 20 eigenvalues are negative, the most negative 26 % of the largest" in last.warning


def test_equal_distances_need_a_dimension_less_than_there_are_things():
    last = fit("mds", Distances(3.0 * (1.0 - np.eye(6)))).last
    assert last.model.eigenvalues == pytest.approx([4.5] * 5 + [0.0], abs=1e-9)  # 3²/2 for each of n - 1 directions
    assert "All distances are equal: the corners of a regular simplex, which needs 5 dimensions" in last.warning
    flat = fit("mds", Distances(3.0 * (1.0 - np.eye(3)))).last  # an equilateral triangle lies in a plane
    assert flat.warning == ""
    assert pdist(flat.model.embedding) == pytest.approx([3.0] * 3)


# --- classical: identities and oracles --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "dimensions"), [(40, 2), (40, 3), (350, 2)])
def test_scikit_learn_draws_the_same_map(n, dimensions):
    X = cloud(n, 5) * np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    table = cdist(X, X, "cityblock")  # no straight distances
    theirs = ClassicalMDS(dimensions, metric="precomputed").fit(table)
    ours = fit("mds", Distances(table), dimensions=dimensions).model
    assert same_up_to_sign(ours.embedding, theirs.embedding_)
    assert ours.eigenvalues[:dimensions] == pytest.approx(theirs.eigenvalues_)


def test_straight_distances_give_principal_components():
    X = cloud(60, 5) * [5, 4, 1, 1, 1]
    ours = fit("mds", X).model
    assert same_up_to_sign(ours.embedding, PCA(2).fit_transform(X))
    assert ours.eigenvalues[:2] / 59 == pytest.approx(PCA(2).fit(X).explained_variance_)
    assert np.allclose(fit("mds", Distances(cdist(X, X))).model.embedding, ours.embedding)


@given(st.integers(2, 15), st.integers(1, 3), st.integers(0, 10**6))
def test_points_are_rebuilt_from_their_distances(n, d, seed):
    """Up to a turn and a mirror: Procrustes leaves nothing over."""
    X = cloud(n, d, seed)
    model = fit("mds", Distances(cdist(X, X)), dimensions=3).model
    assert pdist(model.embedding) == pytest.approx(pdist(X), abs=1e-6 * np.abs(X).max())
    assert model.stress < 1e-6
    padded = np.pad(X, ((0, 0), (0, 3 - d)))
    if n > 2:
        assert procrustes(padded, model.embedding)[2] < 1e-9


def test_turned_and_moved_points_give_the_same_map():
    X = cloud(25, 2)
    turned = X @ np.array([[0.6, 0.8], [-0.8, 0.6]]) + 7.0
    assert np.allclose(fit("mds", turned).model.embedding, fit("mds", X).model.embedding)


@pytest.mark.parametrize("size", [1e-98, 1e-3, 1e98])
def test_the_unit_of_the_distances_does_not_matter(size):
    table = load_data("cities_by_road").table / 4532.0
    one, two = fit("mds", Distances(table)), fit("mds", Distances(table * size))
    assert two.model.embedding / size == pytest.approx(one.model.embedding)
    assert two.model.stress == pytest.approx(one.model.stress)


# --- something new ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"dimensions": 1}, {"dimensions": 3}])
def test_what_is_in_the_map_is_found_where_it_is(params):
    data = load_data("cities_by_road")
    result = fit("mds", data, **params)
    assert result.transform(data.table) == pytest.approx(result.model.embedding)
    X = cloud(30, 4)
    result = fit("mds", X, **params)
    assert result.transform(X) == pytest.approx(result.model.embedding)


def test_a_new_point_lies_at_its_scores():
    """Gower's place among straight distances is the projection onto the principal components."""
    X, new = cloud(40, 4) * [4, 3, 2, 1], cloud(7, 4, seed=1)
    result = fit("mds", X)
    ours = np.vstack([result.model.embedding, result.transform(new)])
    assert same_up_to_sign(ours, PCA(2).fit(X).transform(np.vstack([X, new])))


def test_a_new_thing_from_its_distances_alone():
    X, new = cloud(12, 2), np.array([[0.3, -0.4]])
    result = fit("mds", Distances(cdist(X, X)))
    place = result.transform(cdist(new, X))
    assert cdist(place, result.model.embedding) == pytest.approx(cdist(new, X))
    with pytest.raises(DataError, match="found from its distances to all 12 rows of the table; got 2 numbers"):
        result.transform(new)


def test_in_a_map_that_went_down_the_stress_a_new_point_goes_down_its_own():
    X = cloud(25, 2)
    result = fit("mds", X, **METRIC, tol=1e-9, max_steps=3000)
    assert result.transform(X) == pytest.approx(result.model.embedding, abs=1e-3)
    new = np.array([[0.3, -0.4]])
    assert cdist(result.transform(new), result.model.embedding) == pytest.approx(cdist(new, X), abs=1e-2)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(load_data("cities"))
    phases = [frame.phase for frame in told]
    assert list(dict.fromkeys(phases)) == ["start", "square", "centre", "eigen", "coordinate", "result"]
    tables = {frame.phase: frame.views["table"][0] for frame in told}
    D = load_data("cities").table
    assert told[0].views["table"][0].values == pytest.approx(D)
    assert tables["square"].values == pytest.approx(D**2)
    rows, both = (frame.views["table"][0] for frame in told if frame.phase == "centre")
    assert rows.values.sum(axis=1) == pytest.approx(np.zeros(27), abs=1e-3)
    assert both.values.sum(axis=0) == pytest.approx(np.zeros(27), abs=1e-3)
    assert np.abs(rows.values.sum(axis=0)).max() > 1e3
    assert isinstance(both, Matrix)
    assert both.signed


def test_the_map_grows_coordinate_by_coordinate_and_the_stress_falls():
    told = frames(load_data("cities"))
    places = [frame.model.embedding for frame in told]
    assert not places[0].any()
    assert told[0].metrics["stress"] == 1.0
    flat = [frame for frame in told if frame.phase == "coordinate" and not frame.model.embedding[:, 1].any()]
    assert len(flat) == 8
    assert np.array_equal(flat[-1].model.embedding[:, 0], places[-1][:, 0])
    stresses = [frame.metrics["stress"] for frame in told]
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(stresses))
    assert stresses[-1] < 0.003


def test_names_stand_beside_few_things_and_only_where_there_is_a_map():
    told = frames(load_data("cities"))
    assert told[0].views["embedding"][0].names == ()
    assert told[-1].views["embedding"][0].names == load_data("cities").names
    assert frames(Distances(cdist(cloud(100, 2), cloud(100, 2))))[-1].views["embedding"][0].names == ()


@pytest.mark.parametrize(("dimensions", "mark"), [(1, Scatter), (2, Scatter), (3, Cloud3D)])
def test_maps_of_any_dimension(dimensions, mark):
    last = frames(ROLL, dimensions=dimensions)[-1]
    assert isinstance(last.views["embedding"][0], mark)
    assert last.model.embedding.shape == (120, dimensions)


def test_over_points_of_two_features_the_map_lies_on_them():
    X = cloud(30, 2)
    last = fit("mds", X).last
    (rest,) = last.views["plane"]
    assert rest.end == pytest.approx(rest.start)
    assert fit("mds", cloud(30, 3)).last.views["plane"] == ()


def test_why_for_a_city():
    answer = fit("mds", load_data("cities_by_road")).explain(5)
    assert answer["row"] == "Cologne"
    assert answer["nearest in the data"] == "Brussels (206)"
    assert answer["worst distance"].startswith("Geneva:")  # a famous misprint: it is no 1662 km by road
    assert 0.0 < answer["stress of its distances"] < 1.0


def test_why_for_one_of_two_equal_rows_and_for_a_place():
    X = cloud(30, 2)
    X[20] = X[3]
    result = fit("mds", X)
    assert result.explain(20)["point"] == "point 21"
    assert result.explain(20)["nearest in the data"] == "point 4 (0)"
    assert list(result.explain(X[5])) == ["coordinate 1", "coordinate 2"]
    assert result.explain(X[5])["coordinate 1"] == pytest.approx(result.model.embedding[5, 0])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (Points([[1.0, 2.0]]), "at least two objects"),
        (Points(np.ones((5, 2))), "everything lies at one point"),
        (Distances(np.zeros((4, 4))), "everything lies at one point"),
        (Points(np.arange(4001.0)[:, None]), "Use at most 4,000"),
        (Distances(np.array([[0, 1e200], [1e200, 0]])), "calculate with numbers up to"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(data, words):
    with pytest.raises(DataError, match=words):
        fit("mds", data)


def test_by_their_order_fewer_rows_are_taken():
    """Every step sorts all pairs; the form says so beside the choice."""
    data = Points(np.arange(1201.0)[:, None])
    with pytest.raises(DataError, match="Use at most 1,200, or another kind"):
        fit("mds", data, kind="non-metric")
    assert "at most 1,200 rows" in next(field.doc for field in ALGORITHM.fields if field.name == "kind")


# --- down the stress --------------------------------------------------------------------------------------------------

MAJORISATION = {"kind": "metric", "descent": "stress by majorisation"}
GRADIENT = {"kind": "metric", "descent": "stress by gradient descent"}
SQUARED = {"kind": "metric", "descent": "squared stress by gradient descent"}


def test_a_gradient_step_of_length_one_is_majorisation():
    by_bowls = fit("mds", ROLL, **MAJORISATION, max_steps=40)
    by_gradient = fit("mds", ROLL, **GRADIENT, step=1.0, max_steps=40)
    np.testing.assert_allclose(by_bowls.metrics["stress"], by_gradient.metrics["stress"], rtol=1e-12)
    np.testing.assert_allclose(by_bowls.model.embedding, by_gradient.model.embedding, atol=1e-9)


def test_each_descent_ends_below_classical_scaling_in_what_it_goes_down():
    """Classical scaling is best for the strain, not for either stress: from its map both go down further."""
    classical = fit("mds", ROLL).last.metrics
    for params, name in ((MAJORISATION, "stress"), (SQUARED, "squared_stress")):
        ended = fit("mds", ROLL, **params, begin="classical scaling")
        assert ended.stop is Stop.CONVERGED
        assert ended.last.metrics[name] < classical[name]


@pytest.mark.parametrize("params", [MAJORISATION, SQUARED])
def test_the_stress_never_rises_and_is_that_of_the_map_shown(params):
    name = "stress" if params is MAJORISATION else "squared_stress"
    steps = [frame for frame in frames(**params, max_steps=30) if frame.phase in ("majorise", "descend")]
    values = [frame.metrics[name] for frame in steps]
    assert len(values) == 31
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(values))
    power = 1 if name == "stress" else 2
    found, wanted = pdist(steps[-1].model.embedding) ** power, pdist(ROLL.X) ** power
    assert values[-1] == pytest.approx(np.sqrt(np.square(found - wanted).sum() / np.square(wanted).sum()))


@pytest.mark.parametrize("params", [MAJORISATION, GRADIENT])
def test_flat_points_are_rebuilt_by_going_down(params):
    X = np.random.default_rng(5).normal(size=(25, 2))
    ended = fit("mds", X, **params, tol=1e-9, max_steps=5000, seed=1)
    np.testing.assert_allclose(pdist(ended.model.embedding), pdist(X), atol=1e-3 * pdist(X).max())
    (rest,) = ended.last.views["plane"]  # laid over the data (Procrustes), every point is where it was
    np.testing.assert_allclose(rest.end, rest.start, atol=5e-3)


def test_the_descent_ends_where_scikit_learn_ends():
    X = np.random.default_rng(3).normal(size=(40, 3))
    ours = fit("mds", X, **MAJORISATION, begin="classical scaling", tol=1e-9)
    theirs = MDS(2, n_init=1, init="random", random_state=0, normalized_stress=False, max_iter=2000, eps=1e-12)
    theirs.fit(X, init=fit("mds", X).model.embedding)
    wanted = pdist(X)
    assert np.square(pdist(ours.model.embedding) - wanted).sum() == pytest.approx(theirs.stress_, rel=1e-4)


def test_the_shepard_plot_holds_the_map_against_the_distances():
    told = frames(load_data("cities_by_road"))
    known = [frame for frame in told if "shepard" in frame.views]
    assert known[0].phase == "square"
    dots, diagonal = known[-1].views["shepard"]
    np.testing.assert_array_equal(diagonal.x, diagonal.y)
    places = known[-1].model.embedding
    np.testing.assert_allclose(dots.at[:, 1], np.linalg.norm(places[dots.points] - places[dots.partners], axis=1))
    np.testing.assert_allclose(dots.at[:, 0], load_data("cities_by_road").table[dots.points, dots.partners])


def test_a_local_minimum_is_said():
    said = [fit("mds", load_data("cities_by_road"), **MAJORISATION, seed=seed).last for seed in range(8)]
    worse = [last for last in said if last.metrics["stress"] > 1.5 * min(other.metrics["stress"] for other in said)]
    assert worse
    assert all("local minimum" in last.warning for last in worse)
    assert any("local minimum" not in last.warning for last in said)


def test_steps_that_are_too_long_swing_or_fly_apart_and_that_is_said():
    swinging = fit("mds", ROLL, **GRADIENT, step=2.6, max_steps=60)
    assert swinging.stop is Stop.LIMIT
    assert "swings" in swinging.last.warning
    flying = fit("mds", ROLL, **SQUARED, step=3.0)
    assert flying.stop is Stop.DIVERGED
    assert "flies apart" in flying.last.warning
    assert np.isfinite(flying.model.embedding).all()


def test_too_few_steps_are_said():
    ended = fit("mds", ROLL, **MAJORISATION, max_steps=3)
    assert ended.stop is Stop.LIMIT
    assert "max_steps" in ended.last.warning


def test_another_seed_begins_elsewhere_but_only_where_it_is_random():
    first = [fit("mds", ROLL, **MAJORISATION, max_steps=1, seed=seed) for seed in (0, 1)]
    assert not np.allclose(first[0].model.embedding, first[1].model.embedding)
    fixed = [fit("mds", ROLL, **MAJORISATION, begin="classical scaling", max_steps=1, seed=seed) for seed in (0, 1)]
    np.testing.assert_array_equal(fixed[0].model.embedding, fixed[1].model.embedding)


# --- by their order only ----------------------------------------------------------------------------------------------

ORDER = {"kind": "non-metric"}


def test_the_nearest_rising_function_by_hand():
    """Three pairs with the distances 1, 2, 3 asked for and 2, 1, 4 found: the first two are pooled at 3/2."""
    table = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    ranks = solver.Ranks.of(Wanted.of(table))
    found = ranks.fitted(np.array([[0.0, 0.0], [2.0, 0.0], [-1.0, 0.0]]))  # 2, 1 and 3
    assert found.rising[1] / found.rising[1, 0] == pytest.approx([1.0, 1.0, 2.0])
    assert found.stress == pytest.approx(np.sqrt(2 * 0.25 / 14))  # (1/2)^2 twice beside 4 + 1 + 9
    assert np.square(found.table).sum() == pytest.approx(np.square(table).sum())


def test_only_the_order_of_the_distances_counts():
    data = load_data("cities")
    bent = Distances(np.sqrt(data.table) + 3.0 * (data.table > 0), data.names)
    one, two = (fit("mds", each, **ORDER, begin="random", seed=2, max_steps=400) for each in (data, bent))
    assert procrustes(one.model.embedding, two.model.embedding)[2] < 1e-3
    assert one.model.stress == pytest.approx(two.model.stress, abs=2e-3)


def test_a_map_is_found_from_the_order_alone():
    X = cloud(40, 2, 3)
    ended = fit("mds", Distances(cdist(X, X) ** 3), **ORDER, begin="classical scaling", max_steps=1000, tol=1e-7)
    assert ended.model.stress < 0.01
    assert (
        procrustes(X, ended.model.embedding)[2]
        < 0.01
        < procrustes(X, fit("mds", Distances(cdist(X, X) ** 3)).model.embedding)[2]
    )


def test_the_stress_by_order_never_rises_after_the_first_step():
    told = [frame for frame in frames(load_data("cities_by_road"), **ORDER, seed=1) if frame.phase == "order"]
    values = [frame.metrics["stress"] for frame in told][1:]
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(values))
    dots, line = told[-1].views["shepard"]
    assert (np.diff(line.y) >= -1e-9).all()
    assert line.name == "nearest increasing function"
    assert isinstance(dots, Scatter)


def test_by_order_scikit_learn_goes_the_same_way():
    """The same steps from the same map; theirs measures the stress before it fits anew."""
    data = load_data("cities_by_road")
    ours = [frame for frame in frames(data, **ORDER, max_steps=30, tol=1e-9) if frame.phase == "order"]
    theirs = MDS(
        2, metric_mds=False, metric="precomputed", n_init=1, init="random", random_state=0, max_iter=30, eps=0
    ).fit(data.table, init=ours[0].model.embedding)
    assert procrustes(ours[-1].model.embedding, theirs.embedding_)[2] < 1e-6


def test_things_that_fall_together_are_said():
    """Two groups, all of whose members are farther from the others than from each other: order allows two places."""
    table = np.where(np.add.outer(np.arange(12), np.arange(12)) % 2 == 0, 1.0, 5.0) - np.eye(12)
    last = fit("mds", Distances(table + table.T), **ORDER, begin="classical scaling", max_steps=2000).last
    assert "lie at only 2 places of the map" in last.warning


def test_a_new_thing_by_the_order_of_its_distances():
    X = cloud(30, 2)
    result = fit("mds", X, **ORDER, begin="classical scaling")
    assert result.transform(X) == pytest.approx(result.model.embedding, abs=0.1)
