"""t-SNE and its pieces: known answers by hand, identities, sums over all pairs, scikit-learn as oracle."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from sklearn.manifold import TSNE
from sklearn.manifold import trustworthiness as their_trustworthiness

import algorithms
from algorithms.contract import Stop
from algorithms.data import DataError, Points
from algorithms.embedding.t_sne import ALGORITHM, EARLY, solver
from algorithms.embedding.t_sne.solver import all_pairs
from algorithms.marks import Arrows, Bars, Cloud3D, Curve, ReferenceLine, Scatter, Segments
from algorithms.maths.nearest_points import nearest_others
from algorithms.maths.trustworthiness import KnownNeighbours
from tests.algorithms.played import cloud


def groups(n=90, d=8, seed=0):
    """Three groups far apart in many dimensions, and which one each point is in."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return 8.0 * rng.normal(size=(3, d))[labels] + rng.normal(size=(n, d)), labels


def run(X, y=None, seed=0, **params):
    frames, stops = [], []

    def whole():
        stops.append((yield from ALGORITHM.start(Points(X, y), ALGORITHM.make_params(params), seed)))

    frames.extend(whole())
    return frames, stops[0]


def table(similar):
    """The similarities as a full table."""
    P = np.zeros((similar.n, similar.n))
    P[similar.first, similar.second] = P[similar.second, similar.first] = similar.p
    return P


def similarities(X, perplexity):
    found = solver.neighbours_of(X, perplexity)
    return solver.symmetric(found.points, solver.conditional(found.distances, perplexity)[0])


def divergence(P, Z):
    W = 1.0 / (1.0 + cdist(Z, Z, "sqeuclidean"))
    np.fill_diagonal(W, 0.0)
    Q = W / W.sum()
    return float((P[P > 0] * np.log(P[P > 0] / Q[P > 0])).sum())


# --- similarities -----------------------------------------------------------------------------------------------------


def test_every_bell_reaches_as_many_neighbours_as_the_perplexity_says():
    found = nearest_others(cloud(60, 3), 30)
    p, _ = solver.conditional(found.distances, 9.0)
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert np.exp(-(p * np.log(p)).sum(axis=1)) == pytest.approx(9.0)


def test_the_width_of_a_bell_is_found_again():
    """p of distances 1, 2, 3 under sigma = 1.5 by hand, and back from their perplexity."""
    distances = np.array([[1.0, 2.0, 3.0]])
    weights = np.exp(-np.square(distances) / (2 * 1.5**2))
    p = weights / weights.sum()
    perplexity = float(np.exp(-(p * np.log(p)).sum()))
    found, widths = solver.conditional(distances, perplexity)
    assert widths == pytest.approx([1.5])
    assert found == pytest.approx(p)


def test_neighbours_that_are_all_equally_near_share_evenly():
    p, widths = solver.conditional(np.array([[2.0, 2.0, 2.0, 2.0]]), 2.0)
    assert p[0] == pytest.approx([0.25] * 4)
    assert np.isfinite(widths).all()
    nearest, _ = solver.conditional(np.array([[1.0, 5.0, 9.0]]), 1.0)
    assert nearest[0] == pytest.approx([1.0, 0.0, 0.0])


def test_similarities_are_the_mean_of_both_directions():
    X = cloud(25, 2, seed=1)
    found = solver.neighbours_of(X, 8.0)  # all other points
    p, _ = solver.conditional(found.distances, 8.0)
    one_way = np.zeros((25, 25))
    np.put_along_axis(one_way, found.points, p, axis=1)
    similar = solver.symmetric(found.points, p)
    assert table(similar) == pytest.approx((one_way + one_way.T) / 50.0)
    assert 2.0 * similar.p.sum() == pytest.approx(1.0)
    points, values = similar.of(7)
    assert dict(zip(points.tolist(), values.tolist())) == pytest.approx(
        {j: value for j, value in enumerate(table(similar)[7].tolist()) if value > 0}
    )


# --- forces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 3])
def test_repulsion_is_the_sum_over_all_pairs(m):
    Z = 3.0 * cloud(50, m, seed=2)
    W = 1.0 / (1.0 + cdist(Z, Z, "sqeuclidean"))
    wanted = np.einsum("ij,ijm->im", W**2, Z[:, None] - Z[None])
    found = all_pairs.exact(Z)
    assert found.pushes == pytest.approx(wanted)
    assert found.total == pytest.approx(W.sum() - 50)


@pytest.mark.parametrize(("m", "size"), [(1, 20.0), (2, 1e-4), (2, 1.0), (2, 12.0), (3, 5.0)])
def test_repulsion_by_the_grid_is_that_of_all_pairs(m, size):
    Z = size * cloud(400, m, seed=3)
    wanted, found = all_pairs.exact(Z), all_pairs.interpolated(Z, *all_pairs._grid(Z))
    assert np.linalg.norm(found.pushes - wanted.pushes) <= 0.03 * np.linalg.norm(wanted.pushes)
    assert found.total == pytest.approx(wanted.total, rel=1e-3)


def test_a_finer_grid_is_more_exact(monkeypatch):
    Z = 6.0 * cloud(300, 2, seed=4)
    wanted, errors = all_pairs.exact(Z).pushes, []
    for spacing in (0.8, 0.4, 0.2):
        monkeypatch.setitem(all_pairs.SPACING, 2, spacing)
        errors.append(np.linalg.norm(all_pairs.interpolated(Z, *all_pairs._grid(Z)).pushes - wanted))
    assert errors[2] < 0.2 * errors[1] < 0.04 * errors[0]


def test_many_points_go_by_the_grid_and_few_by_pairs(monkeypatch):
    asked = []
    monkeypatch.setattr(all_pairs, "exact", lambda places: asked.append("pairs"))
    monkeypatch.setattr(all_pairs, "interpolated", lambda *_: asked.append("grid"))
    for n in (50, 3000):
        all_pairs.repulsion(10.0 * cloud(n, 2))
    assert asked == ["pairs", "grid"]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_gradient_is_the_slope_of_the_divergence(m):
    similar = similarities(cloud(20, 3, seed=5), 4.0)
    P, Z, forces = table(similar), cloud(20, m, seed=6), solver.Forces(similar)
    slope = forces.slope(Z)
    assert forces.divergence(slope) == pytest.approx(divergence(P, Z))
    for i, axis in ((0, 0), (7, m - 1), (19, 0)):
        step = np.zeros_like(Z)
        step[i, axis] = 1e-5
        numeric = (divergence(P, Z + step) - divergence(P, Z - step)) / 2e-5
        assert slope.gradient[i, axis] == pytest.approx(numeric, rel=1e-5, abs=1e-9)


def test_exaggeration_multiplies_the_attraction_alone():
    similar = similarities(cloud(20, 3, seed=5), 4.0)
    Z, forces = cloud(20, 2, seed=6), solver.Forces(similar)
    once, twice, thrice = (forces.slope(Z, factor).gradient for factor in (1.0, 2.0, 3.0))
    assert thrice - twice == pytest.approx(twice - once)
    W = 1.0 / (1.0 + cdist(Z, Z, "sqeuclidean"))
    assert forces.slope(Z).total == pytest.approx(W.sum() - 20)
    pulls, q = solver.pulls_on(4, Z, similar, 3.0, W.sum() - 20)
    assert -4.0 * pulls.left == pytest.approx(thrice[4])
    assert q == pytest.approx(W[4, pulls.neighbours] / (W.sum() - 20))


# --- trustworthiness --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 5, 12])
def test_trustworthiness_is_that_of_scikit_learn(k):
    X, Z = cloud(80, 5, seed=7), cloud(80, 2, seed=8)
    assert KnownNeighbours.of(X, k).trustworthiness(Z) == pytest.approx(their_trustworthiness(X, Z, n_neighbors=k))
    assert KnownNeighbours.of(X, k).trustworthiness(X) == 1.0


def test_trustworthiness_of_some_points_is_near_that_of_all():
    X = cloud(400, 5, seed=7)
    some, every = KnownNeighbours.of(X, sample=100), KnownNeighbours.of(X, sample=400)
    assert some.trustworthiness(X[:, :2]) == pytest.approx(every.trustworthiness(X[:, :2]), abs=0.02)
    assert KnownNeighbours.of(X[:2]).trustworthiness(X[:2]) == 1.0  # nobody else could have come in


# --- runs -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grouped():
    X, labels = groups()
    return X, labels, *run(X, labels, perplexity=10.0, iterations=300)


def test_groups_come_out_apart(grouped):
    _, labels, frames, _ = grouped
    places = frames[-1].model.embedding
    D = cdist(places, places)
    np.fill_diagonal(D, np.inf)
    assert (labels[D.argmin(axis=1)] == labels).all()
    assert frames[-1].model.kl < frames[1].model.kl
    assert frames[-1].metrics["trustworthiness"] > 0.9


def test_as_trustworthy_as_scikit_learn():
    X, labels = groups(150, 6, seed=2)
    X = X + 3.0 * cloud(150, 6, seed=3)  # so that no map can be perfect
    ours = algorithms.fit("t_sne", X, labels, perplexity=20.0, iterations=300).model
    theirs = TSNE(perplexity=20.0, max_iter=300, init="pca", random_state=0, method="exact").fit(X)
    mine, other = (their_trustworthiness(X, places, n_neighbors=10) for places in (ours.embedding, theirs.embedding_))
    assert mine == pytest.approx(other, abs=0.02)
    assert ours.kl <= theirs.kl_divergence_ + 0.02  # of its 300 steps 250 are with exaggeration, of ours 100


def test_another_seed_and_scikit_learn_lead_to_nearly_the_same_map():
    """Laid over each other (Procrustes): what is left is 0 for the same map, and nearly 1 for strangers."""
    X = groups(60)[0] + 2.0 * cloud(60, 8, seed=3)
    one, two = (run(X, seed=seed, perplexity=19.0)[0] for seed in (0, 1))
    begin, places = one[0].model.embedding, one[-1].model.embedding
    theirs = TSNE(perplexity=19.0, learning_rate=50.0, max_iter=750, init=begin.copy(), method="exact").fit_transform(X)
    assert procrustes(two[-1].model.embedding, places)[2] < 0.02
    assert procrustes(theirs, places)[2] < 0.2
    assert procrustes(theirs, np.random.default_rng(0).permutation(places))[2] > 0.8


def test_many_points_lower_the_perplexity_and_say_so():
    assert solver.possible_perplexity(200.0, 2000) == 200.0
    assert solver.possible_perplexity(200.0, 10_000) == 50.0  # 150 neighbours of each


def test_the_phases_come_in_their_order_and_the_end_of_the_exaggeration_is_marked(grouped):
    _, _, frames, stop = grouped
    phases = [frame.phase for frame in frames]
    assert list(dict.fromkeys(phases)) == ["start", "similar", "exaggerate", "descend", "result"]
    early = 100  # a third of the steps
    assert {frame.model.iteration for frame in frames if frame.phase == "exaggerate"} == set(range(1, early + 1))
    curve, line = frames[-1].views["progress"]
    assert isinstance(curve, Curve)
    assert isinstance(line, ReferenceLine)
    assert line.at == early
    assert curve.y[-1] == frames[-1].model.kl
    assert stop.stop is Stop.COMPLETE or stop is Stop.CONVERGED


def test_a_long_run_has_few_frames_and_ends_the_exaggeration_at_250():
    X, _ = groups(12)
    frames, _ = run(X, iterations=1500, perplexity=3.0)
    assert len(frames) < 300
    assert max(frame.model.iteration for frame in frames if frame.phase == "exaggerate") == EARLY


def test_without_exaggeration_nothing_is_marked():
    frames, _ = run(groups(12)[0], exaggeration=1.0, iterations=20, perplexity=3.0)
    assert {frame.phase for frame in frames} == {"start", "similar", "descend", "result"}
    assert all(isinstance(mark, Curve) for mark in frames[-1].views["progress"])


def test_a_point_that_is_looked_at_shows_what_moves_it(grouped):
    X, labels, frames, _ = grouped
    data, shot = Points(X, labels), frames[60]
    closer = ALGORITHM.focused(shot, data.item(5))
    scatter, lines, arrows = closer.views["embedding"]
    assert isinstance(scatter, Scatter)
    assert isinstance(lines, Segments)
    assert isinstance(arrows, Arrows)
    assert (lines.start == shot.model.embedding[5]).all()
    attraction, repulsed, left = arrows.end - arrows.start
    assert left == pytest.approx(attraction + repulsed)
    (bars,) = closer.views["similar"]
    assert isinstance(bars, Bars)
    assert bars.points[0] in np.argsort(cdist(X[[5]], X)[0])[1:4]
    assert isinstance(closer.views["cloud"][0], Cloud3D)
    assert (closer.views["cloud"][0].spokes[:, 0] == 5).all()


def test_a_map_of_three_dimensions_is_a_cloud():
    frames, _ = run(groups(30)[0], dimensions=3, perplexity=5.0, iterations=30)
    (mark,) = frames[-1].views["embedding"]
    assert isinstance(mark, Cloud3D)
    assert mark.at.shape == (30, 3)


# --- new points -------------------------------------------------------------------------------------------------------


def test_new_points_appear_among_their_neighbours(grouped):
    X, labels, frames, _ = grouped
    model = frames[-1].model
    new = X[:30] + 0.1 * cloud(30, X.shape[1], seed=9)
    places = ALGORITHM.transform(model, new)
    assert (labels[cdist(places, model.embedding).argmin(axis=1)] == labels[:30]).all()
    size = np.ptp(model.embedding)
    assert np.median(np.linalg.norm(places - model.embedding[:30], axis=1)) < 0.1 * size


# --- hard data --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [np.zeros((1, 2)), np.ones((30, 3))])
def test_points_that_are_all_equal_are_refused(X):
    with pytest.raises(DataError, match="at least two different points are needed; here all are equal"):
        run(X)


def test_too_many_points_are_refused():
    with pytest.raises(DataError, match="at most 10,000"):
        run(np.arange(10_001.0)[:, None])


@pytest.mark.parametrize("n", [2, 3, 4, 10])
def test_few_points_lower_the_perplexity_and_say_so(n):
    frames, _ = run(cloud(n, 2), iterations=30)
    assert frames[-1].model.perplexity == max(1.0, (n - 1) / 3)
    assert "allow a perplexity of" in frames[0].warning
    assert np.isfinite(frames[-1].model.embedding).all()


def test_equal_points_part_in_the_map():
    X = np.repeat(cloud(10, 2), 4, axis=0)
    frames, _ = run(X, perplexity=8.0, iterations=60)
    places = frames[-1].model.embedding
    assert len(np.unique(places, axis=0)) == 40
    assert np.isfinite(places).all()


def test_steps_that_are_too_long_are_said():
    X, _ = groups(60)
    assert "Choose a lower rate." in run(X, rate=20.0, exaggeration=4.0, perplexity=5.0, iterations=120)[0][-1].warning
    assert run(X, perplexity=5.0, iterations=120)[0][-1].warning == ""


def test_equal_distances_are_said():
    """The corners of a simplex: no map of them is better than another, and that is no fault of the rate."""
    last = run(np.eye(6), iterations=50)[0][-1]
    assert "equally far from each other" in last.warning
    assert "equally far" not in run(np.eye(6) + np.eye(6, k=1), iterations=50)[0][-1].warning


@pytest.mark.parametrize(("key", "phases"), [("t_sne", ["similar", "descend"]), ("umap", ["begin", "epoch"])])
def test_the_places_of_a_foreign_run_are_shown(key, phases):
    """Scikit-learn's principal components, then our own map: the second one is better by our own measure."""
    X = cloud(30, 4)
    ours = algorithms.fit(key, X)
    method, data = algorithms.find(key), Points(X)
    told = list(method.shows(iter([X[:, :2], ours.model.embedding]), data, method.params()))
    assert [frame.phase for frame in told] == phases
    name = method.metrics[0].name
    assert told[1].metrics[name] == pytest.approx(ours.last.metrics[name], rel=1e-6)
    assert told[1].metrics[name] < told[0].metrics[name]
    assert told[1].views["embedding"]
    assert told[1].caption
    with pytest.raises(DataError, match=r"Step 1 has to give finite places \(30, 1 to 3\); it gave \(29, 2\)"):
        list(method.shows(iter([X[:, :2], X[:29, :2]]), data, method.params()))
