"""UMAP and its pieces: known answers by hand, identities, and maps as trustworthy as those of scikit-learn's t-SNE."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.manifold import TSNE
from sklearn.manifold import trustworthiness as their_trustworthiness

import algorithms
from algorithms.contract import Stop
from algorithms.data import DataError, Points
from algorithms.embedding.umap import ALGORITHM, solver
from algorithms.marks import Arrows, Bars, Cloud3D, Curve, Scatter, Segments
from algorithms.maths.nearest_points import nearest_others
from tests.algorithms.played import cloud


def groups(n=90, d=8, seed=0, spread=8.0):
    """Three groups far apart in many dimensions, and which one each point is in."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return spread * rng.normal(size=(3, d))[labels] + rng.normal(size=(n, d)), labels


def run(X, y=None, seed=0, **params):
    stops = []

    def whole():
        stops.append((yield from ALGORITHM.start(Points(X, y), ALGORITHM.make_params(params), seed)))

    return list(whole()), stops[0]


def fuzzy(X, k):
    found = nearest_others(X, k)
    return solver.union(found.points, solver.memberships(found.distances)[0])


def table(graph):
    W = np.zeros((graph.n, graph.n))
    W[graph.first, graph.second] = W[graph.second, graph.first] = graph.weights
    return W


# --- the curve --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("min_dist", "a", "b"), [(0.1, 1.577, 0.895), (0.5, 0.583, 1.334), (0.001, 1.929, 0.792)])
def test_the_curve_is_the_published_one(min_dist, a, b):
    """a and b as the authors' own program has them for a spread of 1."""
    curve = solver.fitted_similarity(min_dist)
    assert (curve.a, curve.b) == pytest.approx((a, b), abs=1e-3)


def test_pull_and_push_are_the_slopes_of_the_logarithms():
    curve = solver.fitted_similarity(0.1)
    d, step = np.array([0.2, 0.7, 2.0]), 1e-6
    for force, energy in (
        (curve.pull, lambda d: -np.log(curve.at(d))),
        (curve.push, lambda d: np.log(1.0 - curve.at(d))),
    ):
        slope = (energy(d + step) - energy(d - step)) / (2 * step)
        assert force(d * d) * d == pytest.approx(slope, rel=0.03)  # the push is a little softer


# --- the graph --------------------------------------------------------------------------------------------------------


def test_the_strengths_of_every_point_add_up_to_the_logarithm_of_their_number():
    found = nearest_others(cloud(60, 4), 12)
    strengths, rho, sigma = solver.memberships(found.distances)
    assert strengths.sum(axis=1) == pytest.approx(np.log2(12))
    assert rho == pytest.approx(found.distances[:, 0])
    assert strengths[:, 0] == pytest.approx(1.0)
    assert (np.diff(strengths, axis=1) <= 0.0).all()
    assert (sigma > 0.0).all()


def test_strengths_by_hand():
    """Distances 1, 2, 2, 2: 1 + 3 exp(-1 / s) = log2 4 = 2 for s = 1 / log 3."""
    strengths, rho, sigma = solver.memberships(np.array([[1.0, 2.0, 2.0, 2.0]]))
    assert rho == pytest.approx([1.0])
    assert sigma == pytest.approx([1.0 / np.log(3.0)])
    assert strengths[0] == pytest.approx([1.0, 1 / 3, 1 / 3, 1 / 3])


def test_equal_points_are_joined_fully():
    strengths, rho, _ = solver.memberships(np.array([[0.0, 0.0, 1.0, 3.0], [0.0, 0.0, 0.0, 0.0]]))
    assert strengths[0, :3] == pytest.approx(1.0)
    assert rho.tolist() == [1.0, 0.0]
    assert strengths[1] == pytest.approx(1.0)


def test_the_fuzzy_union_of_both_directions():
    found = nearest_others(cloud(40, 3, seed=1), 5)
    strengths, _, _ = solver.memberships(found.distances)
    A = np.zeros((40, 40))
    np.put_along_axis(A, found.points, strengths, axis=1)
    graph = solver.union(found.points, strengths)
    assert table(graph) == pytest.approx(A + A.T - A * A.T)
    assert (graph.first < graph.second).all()
    assert graph.degrees() == pytest.approx(table(graph).sum(axis=1))
    points, weights = graph.of(7)
    assert weights.tolist() == sorted(weights.tolist(), reverse=True)
    assert weights == pytest.approx(table(graph)[7, points])
    assert len(points) == (table(graph)[7] > 0).sum()


def test_the_spectral_map_has_the_eigenvectors_of_the_laplacian():
    X = cloud(60, 3, seed=2)
    graph = fuzzy(X, 10)
    W = table(graph)
    scale = 1.0 / np.sqrt(W.sum(axis=1))
    _, vectors = eigh(np.eye(60) - scale[:, None] * W * scale)
    found = solver.spectral_map(graph, cloud(60, 2), np.random.default_rng(0))
    for number in range(2):
        wanted = vectors[:, number + 1] - vectors[:, number + 1].mean()
        cosine = found[:, number] @ wanted / np.linalg.norm(found[:, number]) / np.linalg.norm(wanted)
        assert abs(cosine) > 0.999
    assert np.abs(found).max() == pytest.approx(10.0)


# --- runs -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grouped():
    X, labels = groups(spread=3.0)
    return X, labels, *run(X, labels, neighbours=12, epochs=120)


def test_groups_come_out_apart(grouped):
    _, labels, frames, stop = grouped
    places = frames[-1].model.embedding
    D = cdist(places, places)
    np.fill_diagonal(D, np.inf)
    assert (labels[D.argmin(axis=1)] == labels).mean() > 0.97
    assert stop.stop is Stop.COMPLETE
    assert stop.words == "after 120 epochs"
    assert frames[-1].model.loss < frames[2].model.loss
    assert list(dict.fromkeys(frame.phase for frame in frames)) == [
        "start",
        "join",
        "union",
        "begin",
        "epoch",
        "result",
    ]


def test_as_trustworthy_as_another_map_whatever_the_seed():
    X, _ = groups(150, 6, seed=2)
    X = X + 3.0 * cloud(150, 6, seed=3)
    theirs = TSNE(perplexity=15.0, max_iter=300, init="pca", random_state=0, method="exact").fit_transform(X)
    other = their_trustworthiness(X, theirs, n_neighbors=10)
    for seed in (0, 1):
        ours = algorithms.fit("umap", X, seed=seed, neighbours=15, epochs=200).model.embedding
        assert their_trustworthiness(X, ours, n_neighbors=10) > other - 0.05


def test_another_seed_leads_to_nearly_the_same_map(grouped):
    """Laid over each other (Procrustes): what is left is 0 for the same map, and nearly 1 for strangers."""
    X, labels, frames, _ = grouped
    places = frames[-1].model.embedding
    maps = [run(X, labels, seed=seed, neighbours=12, epochs=120)[0][-1].model.embedding for seed in range(1, 6)]
    assert np.median([procrustes(again, places)[2] for again in maps]) < 0.1
    assert procrustes(maps[0], np.random.default_rng(0).permutation(places))[2] > 0.8


def test_another_processor_leads_to_the_same_map(monkeypatch):
    """Exponentials and powers differ in their last digit from one to the next; the map differed by a third."""
    X, _ = groups()
    wanted = run(X)[0][-1].model.embedding
    noise = np.random.default_rng(1)

    def of_another_processor(function):
        def almost(*arguments):
            found = function(*arguments)
            return found * (1.0 + 2.0**-52 * noise.integers(-1, 2, found.shape))

        return almost

    for name in ("pull", "push"):
        monkeypatch.setattr(solver.Similarity, name, of_another_processor(getattr(solver.Similarity, name)))
    monkeypatch.setattr(solver, "first_map", of_another_processor(solver.first_map))
    assert np.array_equal(run(X)[0][-1].model.embedding, wanted)
    assert noise.integers(1 << 60) != np.random.default_rng(1).integers(1 << 60)  # it was asked


def test_very_many_neighbours_are_too_many_for_an_epoch():
    shot = next(ALGORITHM.start(Points(cloud(4000, 2)), ALGORITHM.make_params({"neighbours": 200}), 0))
    assert shot.model.neighbours == 187
    assert shot.warning == "4,000 points are joined to at most 187 neighbours each, not to 200."


def test_an_edge_pulls_as_often_as_its_weight_says():
    graph = solver.FuzzyGraph(3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 0.25]))
    rng = np.random.default_rng(0)
    motion = solver.Motion(graph, solver.fitted_similarity(0.1), 1, rng)
    moved = []
    motion._moves = lambda places, heads, tails: moved.append(np.stack([heads, tails], axis=1)) or np.zeros((3, 2))
    for number in range(1, 41):
        motion.epoch(np.zeros((3, 2)), number, 1.0)
    pairs = [tuple(pair) for part in moved for pair in part.tolist()]
    assert [pairs.count(pair) for pair in ((0, 1), (1, 0), (1, 2), (2, 1))] == [40, 40, 10, 10]


def test_on_average_a_point_moves_as_its_forces_say():
    graph = fuzzy(cloud(25, 3, seed=4), 6)
    curve, places = solver.fitted_similarity(0.3), 4.0 * cloud(25, 2, seed=5)
    pulls = solver.pulls_on(3, places, graph, curve, 2)
    largest, total = graph.weights.max(), np.zeros(2)
    motion = solver.Motion(graph, curve, 2, np.random.default_rng(0))
    for number in range(1, 401):
        total += (motion.epoch(places, number, 1e-6)[3] - places[3]) / 1e-6
    assert total / 400 == pytest.approx(pulls.left / largest, rel=0.15, abs=0.15 * np.linalg.norm(pulls.attraction))


def test_a_point_that_is_looked_at_shows_its_edges_and_what_moves_it(grouped):
    X, labels, frames, _ = grouped
    data, shot = Points(X, labels), frames[60]
    closer = ALGORITHM.focused(shot, data.item(5))
    scatter, lines, arrows = closer.views["embedding"]
    assert isinstance(scatter, Scatter)
    assert isinstance(lines, Segments)
    assert isinstance(arrows, Arrows)
    attraction, repulsed, left = arrows.end - arrows.start
    assert left == pytest.approx(attraction + repulsed)
    assert isinstance(closer.views["member"][0], Bars)
    assert (closer.views["cloud"][0].spokes[:, 0] == 5).all()
    wanted, curve = shot.views["similarity"]
    assert isinstance(wanted, Curve)
    assert np.abs(wanted.y - curve.y).max() < 0.15


def test_pictures_show_a_point_and_its_neighbours():
    rng = np.random.default_rng(0)
    data = Points(rng.uniform(size=(30, 6)), image_shape=(2, 3))
    shot = list(ALGORITHM.start(data, ALGORITHM.make_params({"epochs": 5}), 0))[-1]
    (images,) = ALGORITHM.focused(shot, data.item(7)).views["pictures"]
    points, _ = shot.model.graph.of(7)
    assert images.points.tolist() == [7, *points[:9].tolist()]
    assert np.array_equal(images.pixels, data.X[images.points].reshape(-1, 2, 3))
    assert images.captions[0] == "point 8"


def test_a_map_of_three_dimensions_is_a_cloud():
    frames, _ = run(groups(30)[0], dimensions=3, neighbours=5, epochs=5)
    (mark,) = frames[-1].views["embedding"]
    assert isinstance(mark, Cloud3D)


def test_new_points_appear_among_their_neighbours(grouped):
    X, labels, frames, _ = grouped
    model = frames[-1].model
    new = X[:30] + 0.1 * cloud(30, X.shape[1], seed=9)
    places = ALGORITHM.transform(model, new)
    assert (labels[cdist(places, model.embedding).argmin(axis=1)] == labels[:30]).mean() > 0.95
    size = np.ptp(model.embedding)
    assert np.median(np.linalg.norm(places - model.embedding[:30], axis=1)) < 0.1 * size


# --- hard data --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [np.zeros((1, 2)), np.ones((30, 3))])
def test_points_that_are_all_equal_are_refused(X):
    with pytest.raises(DataError, match="at least two different points are needed; here all are equal"):
        run(X)


@pytest.mark.parametrize("n", [2, 3, 4, 10])
def test_few_points_have_fewer_neighbours_and_it_is_said(n):
    frames, _ = run(cloud(n, 2), epochs=5)
    assert frames[-1].model.neighbours == n - 1
    assert "not 15 neighbours" in frames[0].warning
    assert np.isfinite(frames[-1].model.embedding).all()


def test_a_graph_in_pieces_begins_with_principal_components_and_says_so():
    X = np.concatenate([cloud(20, 2), 100.0 + cloud(20, 2, seed=1)])
    frames, _ = run(X, neighbours=5, epochs=5)
    (begun,) = [frame for frame in frames if frame.phase == "begin"]
    assert "2 pieces" in begun.caption
    assert np.isfinite(frames[-1].model.embedding).all()


def test_equal_points_part_in_the_map():
    X = np.repeat(cloud(10, 2), 4, axis=0)
    frames, _ = run(X, neighbours=8, epochs=20)
    places = frames[-1].model.embedding
    assert len(np.unique(places, axis=0)) == 40
    assert np.isfinite(places).all()


def test_equal_distances_and_pieces_are_said_to_the_end():
    assert "equally far from each other" in run(np.eye(6), epochs=5)[0][-1].warning
    rng = np.random.default_rng(0)
    apart = np.concatenate([rng.normal(size=(30, 3)), rng.normal(size=(25, 3)) + 100.0])
    assert "in 2 pieces: the distances between them in the map mean nothing" in (
        run(apart, neighbours=5, epochs=5)[0][-1].warning
    )
