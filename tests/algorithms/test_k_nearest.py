"""k nearest neighbours: the flip of the notes, ties by hand, scikit-learn as an oracle, and what is drawn."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from algorithms import DataError, Points, find, fit
from algorithms.classification.k_nearest import ask, field, model_of
from algorithms.classification.k_nearest.solver import contrast_by_chance, errors_over_k
from algorithms.data import Item
from algorithms.marks import Bars, Centres, Curve, Highlight, Images, Polygons, ReferenceLine, Segments, Table
from algorithms.maths.nearest_points import Search
from mlviz.data.spec import load_data
from tests.algorithms.played import mark

NEAREST = find("k_nearest")
METRICS = ("euclidean", "manhattan", "cosine", "hamming")
RNG = np.random.default_rng(0)


def play(data, **params):
    return list(NEAREST.start(data, NEAREST.make_params(params), 0))


def bits(n=60, d=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, size=(n, d)).astype(float)


# --- by hand ----------------------------------------------------------------------------------------------------------

TRIANGLES_AND_SQUARES = Points(
    [[0.1, 0.0], [0.0, 0.2], [0.3, 0.0], [0.4, 0.0], [0.0, 0.5], [0.6, 0.0], [9.0, 9.0]],
    ["triangle", "triangle", "square", "square", "square", "square", "triangle"],
)


@pytest.mark.parametrize(("k", "name", "share"), [(3, "triangle", 2 / 3), (6, "square", 4 / 6)])
def test_three_neighbours_say_triangle_and_six_say_square(k, name, share):
    ours = fit("k_nearest", TRIANGLES_AND_SQUARES, k=k)
    assert TRIANGLES_AND_SQUARES.classes[int(ours.predict([[0.0, 0.0]])[0])] == name
    triangle = TRIANGLES_AND_SQUARES.classes.index("triangle")
    found = float(ours.field([[0.0, 0.0]])[0])
    assert (found if triangle == 1 else 1 - found) == pytest.approx(share if name == "triangle" else 1 - share)


def test_of_points_at_the_same_distance_the_lower_number_is_nearer():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        found = Search(X[order], "euclidean").nearest(np.zeros((1, 2)), 2)
        assert found.points.tolist() == [[0, 1]]
        assert found.distances.tolist() == [[1.0, 1.0]]


def test_in_a_tie_of_votes_the_nearest_of_the_tied_classes_decides():
    data = Points([[1.0], [2.0], [-3.0], [-4.0], [5.0]], ["b", "a", "a", "b", "c"])
    assert fit("k_nearest", data, k=4).predict([[0.0]]).tolist() == [1]  # two of each, and point 1 is nearest
    turned = Points([[1.0], [2.0], [-3.0], [-4.0], [5.0]], ["a", "b", "b", "a", "c"])
    assert fit("k_nearest", turned, k=4).predict([[0.0]]).tolist() == [0]
    assert "tie" in play(data, k=4, query=[[0.0]])[0].caption


def test_nearer_neighbours_count_more():
    """At the distances 1, 2, 4 the weights are 1, 1/2, 1/4: 1 against 3/4, though it is one vote against two."""
    data = Points([[1.0], [-2.0], [-4.0]], ["a", "b", "b"])
    assert fit("k_nearest", data, k=3).predict([[0.0]]).tolist() == [1]
    ours = fit("k_nearest", data, k=3, weights="distance")
    assert ours.predict([[0.0]]).tolist() == [0]
    assert ours.field([[0.0]]) == pytest.approx([0.75 / 1.75])
    assert ours.field([[-2.0]]).tolist() == [1.0]  # at a point only that point counts


def test_the_mean_of_the_values():
    data = Points([[0.0], [1.0], [2.0], [10.0]], [1.0, 3.0, 8.0, 100.0])
    assert fit("k_nearest", data, k=3).predict([[1.2]]) == pytest.approx([4.0])
    assert fit("k_nearest", data, k=2, weights="distance").predict([[0.25]]) == pytest.approx([1.5])


def test_hammings_distance_counts_the_features_that_differ():
    X = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 1]], dtype=float)
    found = Search(X, "hamming").nearest(X[:1], 3)
    assert found.points.tolist() == [[0, 2, 1]]
    assert found.distances.tolist() == [[0.0, 1.0, 2.0]]


def test_a_row_of_zeros_has_a_direction_of_its_own():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0], [2.0, 2.0]])
    found = Search(X, "cosine").nearest(np.array([[3.0, 0.0], [0.0, 0.0]]), 4)
    assert found.points[0].tolist() == [0, 3, 1, 2]
    assert found.distances[0] == pytest.approx([0.0, 1 - 0.5**0.5, 1.0, 2.0])
    assert found.points[1, 0] == 1


# --- identities -------------------------------------------------------------------------------------------------------


def test_one_neighbour_makes_no_mistake_on_distinct_points_and_all_of_them_give_the_majority():
    data = load_data("moons(n=60,noise=0.3,seed=2)")
    assert (fit("k_nearest", data, k=1).predict(data.X) == data.y).all()
    uneven = data.rows(np.arange(60)[(data.y == 0) | (np.arange(60) < 30)])
    majority = int(np.bincount(uneven.y).argmax())
    assert (fit("k_nearest", uneven, k=500).predict(data.X) == majority).all()
    values = load_data("sine(n=40,noise=0.2,seed=1)")
    assert fit("k_nearest", values, k=1).predict(values.X) == pytest.approx(values.y)
    assert fit("k_nearest", values, k=40).predict([[0.0], [9.0]]) == pytest.approx([values.y.mean()] * 2)


@given(seed=st.integers(0, 10_000), k=st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_probabilities_are_multiples_of_one_over_k_and_the_order_of_the_rows_does_not_matter(seed, k):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    queries, order = rng.normal(size=(20, 2)), rng.permutation(30)
    shares = fit("k_nearest", Points(X, y), k=k).field(queries)
    assert shares.sum(axis=1) == pytest.approx(np.ones(20))
    assert shares * k == pytest.approx(np.rint(shares * k))
    assert shares == pytest.approx(fit("k_nearest", Points(X[order], y[order]), k=k).field(queries))


def test_on_bits_hamming_and_manhattan_are_the_same_and_it_is_a_metric():
    X = bits()
    for one, two in zip(Search(X, "hamming").nearest(X, 60), Search(X, "manhattan").nearest(X, 60)):
        assert (one == two).all()
    table = np.empty((60, 60))
    found = Search(X, "hamming").nearest(X, 60)
    np.put_along_axis(table, found.points, found.distances, axis=1)
    assert (table == table.T).all()
    assert (np.diag(table) == 0).all()
    assert (table[:, None, :] <= table[:, :, None] + table[None, :, :]).all()


# --- oracles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_the_search_finds_what_looking_at_all_points_finds(metric, d):
    rng = np.random.default_rng(d)
    X, Q = rng.normal(size=(200, d)), rng.normal(size=(50, d))
    if metric == "hamming":
        X, Q = np.rint(X), np.rint(Q).clip(-2, 2)
    name = {"manhattan": "cityblock"}.get(metric, metric)
    all_distances = cdist(Q, X, name) * (d if metric == "hamming" else 1)
    found = Search(X, metric).nearest(Q, 9)
    kept = slice(None) if metric != "hamming" else np.isin(Q, X).all(axis=1)
    assert found.distances[kept] == pytest.approx(np.sort(all_distances, axis=1)[kept, :9], abs=1e-7)
    if d > 1:
        order = np.argsort(np.round(all_distances, 9), axis=1, kind="stable")[:, :9]
        assert (found.points[kept] == order[kept]).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("d", [3, 30])
def test_the_ball_holds_all_points_that_are_near_enough(metric, d):
    X, Q = (bits(50, d), bits(7, d, 1)) if metric == "hamming" else (RNG.normal(size=(n, d)) for n in (50, 7))
    far = cdist(Q, X, "cityblock" if metric == "manhattan" else metric) * (d if metric == "hamming" else 1)
    radius = float(np.median(far)) + 1e-9
    queries, points, distances = Search(X, metric).within(Q, radius)
    assert [queries.tolist(), points.tolist()] == [one.tolist() for one in np.nonzero(far <= radius)]
    assert distances == pytest.approx(far[far <= radius])
    assert len(Search(X, metric).within(Q[:0], radius).points) == 0


def test_the_search_does_not_keep_the_table_of_all_distances():
    """3,000 points in 64 dimensions: the table takes 72 MB, a part of it at a time 17 MB."""
    X = RNG.normal(size=(3000, 64))
    search = Search(X, "euclidean")
    tracemalloc.start()
    search.nearest(X, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 45e6


@pytest.mark.parametrize("repeats", [2, 5])
def test_many_equal_points_are_taken_by_their_numbers(repeats):
    X = np.tile(np.random.default_rng(3).normal(size=(20, 2)), (repeats, 1))
    Q = np.random.default_rng(4).normal(size=(30, 2))
    order = np.argsort(cdist(Q, X), axis=1, kind="stable")
    for k in (1, 3, 7, 20 * repeats):
        assert (Search(X, "euclidean").nearest(Q, k).points == order[:, :k]).all()


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("d", [2, 20])
def test_scikit_learn_says_the_same(metric, weights, d):
    rng = np.random.default_rng(d)
    X, y, Q = rng.normal(size=(300, d)), rng.integers(0, 3, 300), rng.normal(size=(100, d))
    params = {"metric": metric, "weights": weights}
    theirs = KNeighborsClassifier(7, **params).fit(X, y).predict_proba(Q)
    assert fit("k_nearest", Points(X, y), k=7, **params).field(Q) == pytest.approx(theirs)
    values = X @ rng.normal(size=d)
    theirs = KNeighborsRegressor(7, **params).fit(X, values).predict(Q)
    assert fit("k_nearest", Points(X, values), k=7, **params).predict(Q) == pytest.approx(theirs)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_the_errors_over_k_are_those_of_leaving_out_one_point_after_the_other(weights):
    data = load_data("moons(n=40,noise=0.3,seed=3)")
    found = errors_over_k(data, "euclidean", weights, 12)
    rows = np.arange(40)
    for k in (1, 2, 5, 12):
        wrong = [
            fit("k_nearest", data.rows(rows != i), k=k, weights=weights).predict(data.X[i : i + 1])[0] != data.y[i]
            for i in rows
        ]
        assert found.left_out[k - 1] == pytest.approx(np.mean(wrong))
        assert found.training[k - 1] == pytest.approx(
            (fit("k_nearest", data, k=k, weights=weights).predict(data.X) != data.y).mean()
        )
    values = load_data("sine(n=30,noise=0.2,seed=1)")
    found = errors_over_k(values, "euclidean", weights, 5)
    rows = np.arange(30)
    missed = [
        fit("k_nearest", values.rows(rows != i), k=5, weights=weights).predict(values.X[i : i + 1])[0] for i in rows
    ]
    assert found.left_out[4] == pytest.approx(np.square(missed - values.y).mean())


def test_of_many_points_some_are_tested_evenly():
    data = load_data("moons(n=5000,noise=0.3,seed=1)")
    found = errors_over_k(data, "euclidean", "uniform", 3)
    assert found.tested == 2000
    assert "2,000 points" in play(data, curve=3)[-2].caption


# --- what is seen -----------------------------------------------------------------------------------------------------

MOONS = load_data("moons(n=80,noise=0.25,seed=1)")


def test_the_first_frame_has_the_whole_answer_and_then_the_ball_grows():
    frames = play(MOONS, k=4, query=[[0.5, 0.2]])
    order = np.argsort(np.square(MOONS.X - [0.5, 0.2]).sum(axis=1))[:4]
    assert [frame.phase for frame in frames] == ["query", *["neighbour"] * 4, "vote", "errors", "concentration"]
    assert mark(frames[0], Highlight).points.tolist() == order.tolist()
    grown = [mark(frame, Highlight).points.tolist() for frame in frames[1:5]]
    assert grown == [order[:j].tolist() for j in (1, 2, 3, 4)]
    radii = [frame.metrics["radius"] for frame in frames[1:5]]
    assert radii == sorted(radii)
    votes = np.bincount(MOONS.y[order], minlength=2)
    assert mark(frames[-1], Bars, "votes").values.tolist() == votes.tolist()
    assert mark(frames[-1], ReferenceLine, "errors").handle == "k"


def test_every_query_is_answered_by_the_same_model():
    one, two = (play(MOONS, query=[[x, 0.0]])[0] for x in (0.0, 1.0))
    assert one.model is two.model
    assert play(MOONS, k=3)[0].model is not one.model


def test_a_query_that_does_not_fit_the_data_gives_way_to_one_between_two_classes():
    places = [mark(play(MOONS, query=query)[0], Centres).at for query in ((), ((1.0, 2.0, 3.0),))]
    assert (places[0] == places[1]).all()
    assert mark(play(MOONS)[0], Centres).handle == "query"


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_the_outline_of_the_ball_is_as_far_as_the_last_neighbour(metric):
    frame = play(MOONS, metric=metric, query=[[0.7, 0.4]])[0]
    corners = mark(frame, Polygons).corners[0]
    corners = corners[[1, -1]] if metric == "cosine" else corners
    distances = cdist([[0.7, 0.4]], corners, {"manhattan": "cityblock"}.get(metric, metric))[0]
    assert distances == pytest.approx(np.full(len(corners), frame.metrics["radius"]))


def test_the_cells_of_one_neighbour_are_voronois():
    frame = play(MOONS, k=1)[0]
    cells = next(item for item in frame.views["plane"] if isinstance(item, Polygons) and len(item.corners) > 1).corners
    assert len(cells) == MOONS.n
    search = Search(MOONS.X, "euclidean")
    middles = np.array([cell.mean(axis=0) for cell in cells])
    assert sorted(search.nearest(middles, 1).points[:, 0].tolist()) == list(range(MOONS.n))
    inner = np.concatenate([0.999 * cell + 0.001 * middle for cell, middle in zip(cells, middles)])
    owner = np.repeat(search.nearest(middles, 1).points[:, 0], [len(cell) for cell in cells])
    assert (search.nearest(inner, 1).points[:, 0] == owner).all()
    x, y = zip(*(cell.T for cell in cells))
    areas = [abs(np.dot(a, np.roll(b, 1)) - np.dot(b, np.roll(a, 1))) / 2 for a, b in zip(x, y)]
    assert sum(areas) == pytest.approx(np.prod(1.3 * np.ptp(MOONS.X, axis=0)))


def test_over_one_feature_the_answer_is_a_curve_of_steps():
    data = load_data("sine(n=30,noise=0.2,seed=1)")
    frame = play(data, k=4)[0]
    curve = mark(frame, Curve)
    assert len(curve.x) == 2 * (30 - 4 + 1)
    middles = (curve.x[::2] + curve.x[1::2]) / 2
    assert curve.y[::2] == pytest.approx(field(frame.model, middles[:, None]))
    assert (curve.y[::2] == curve.y[1::2]).all()
    edge = curve.x[2]
    assert field(frame.model, np.array([[edge - 1e-9], [edge + 1e-9]])) == pytest.approx(curve.y[[1, 2]])
    assert mark(frame, Centres).at[0, 1] == pytest.approx(frame.metrics["score"])
    assert len([item for item in frame.views["plane"] if isinstance(item, Segments)]) == 2


def test_neighbours_of_a_picture_are_pictures():
    digits = load_data("digits")
    frame = play(digits, k=5)[0]
    pictures = mark(frame, Images, "pictures")
    assert pictures.pixels.shape == (6, 8, 8)
    answer = ask(frame.model, pictures.pixels[0].ravel())
    assert pictures.points.tolist() == [-1, *answer.points.tolist()]
    assert (pictures.pixels[1].ravel() == digits.X[answer.points[0]]).all()


def test_rows_of_bits_light_where_they_differ():
    X = bits(d=6)
    table = mark(play(Points(X, np.arange(60) % 2), metric="hamming", k=4)[0], Table, "neighbours")
    lit = np.bincount(table.lit[:, 0], minlength=5)
    assert lit[1:].tolist() == table.values[1:, -1].tolist()
    assert lit[0] == 0


@pytest.mark.parametrize("metric", METRICS)
def test_in_many_dimensions_near_and_far_are_almost_the_same(metric):
    features, ratios = contrast_by_chance(metric, 1)
    assert features[-1] == 500
    assert ratios[0] < 0.1
    assert ratios[-1] > 0.75
    assert ratios[-1] > ratios[6] > ratios[1]


# --- what can go wrong ------------------------------------------------------------------------------------------------


def test_points_without_a_target_are_refused():
    with pytest.raises(DataError, match="class or a value for every point"):
        fit("k_nearest", np.ones((4, 2)))


def test_more_neighbours_than_points():
    frames = play(Points([[0.0], [1.0]], ["a", "b"]), k=5)
    assert "only 2 points" in frames[0].warning
    assert play(Points([[0.0]], ["a"]))[-1].phase == "concentration"


def test_64_classes_and_50_features():
    y = np.arange(256) % 64
    data = Points(20 * RNG.normal(size=(64, 50))[y] + RNG.normal(size=(256, 50)), y)
    assert (fit("k_nearest", data, k=3).predict(data.X) == y).all()


def test_the_explanation_names_the_neighbours():
    model = model_of(MOONS, 5, "euclidean", "uniform")
    found = NEAREST.explain(model, MOONS, Item(3, MOONS.X[3]))
    assert found["neighbour 1"].startswith("point 4 (")
    assert sum(value for name, value in found.items() if name.startswith("votes")) == 5
