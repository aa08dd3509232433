"""Locally linear embedding: by hand, identities, scikit-learn as an oracle, and as frames."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes
from sklearn.manifold import LocallyLinearEmbedding

from algorithms import Item, Points, find, fit
from algorithms.data import DataError
from algorithms.embedding.lle import ALGORITHM, solver
from algorithms.marks import Bars, Cloud3D, Segments
from algorithms.maths import maps
from algorithms.maths.spectra import cholesky_by_blocks, smallest_above_zero
from mlviz.data.generators import generate
from tests.algorithms.played import cloud

ROLL = generate("swiss_roll", n=400, noise=0, seed=1)


def frames(data, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


def matrix_of(model):
    """M of the members, entry by entry as the handbook prints it."""
    W = model.weights[np.ix_(model.members, model.members)]
    return np.eye(len(W)) - W - W.T + W.T @ W


# --- weights ----------------------------------------------------------------------------------------------------------


def test_the_middle_of_two_neighbours_takes_half_of_each():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    assert solver.weights_for(X[:1], X, np.array([[1, 2]]), 1e-3) == pytest.approx(np.array([[0.5, 0.5]]))


def test_a_point_a_third_of_the_way_takes_two_thirds_of_the_nearer():
    """By hand: C = [[1, -2], [-2, 4]] with trace 5; a tiny ridge leaves (2/3, 1/3)."""
    X = np.array([[0.0], [1.0], [-2.0]])
    assert solver.weights_for(X[:1], X, np.array([[1, 2]]), 1e-9)[0] == pytest.approx([2 / 3, 1 / 3], abs=1e-6)
    v = 0.1 * 5.0
    by_hand = np.linalg.solve([[1 + v, -2], [-2, 4 + v]], [1, 1])
    assert solver.weights_for(X[:1], X, np.array([[1, 2]]), 0.1)[0] == pytest.approx(by_hand / by_hand.sum())


def test_a_large_ridge_makes_weights_alike():
    X = cloud(7, 2)
    weights = solver.weights_for(X[:1], X, np.arange(1, 7)[None], 1.0)[0]
    assert np.ptp(weights) < np.ptp(solver.weights_for(X[:1], X, np.arange(1, 7)[None], 1e-6)[0])


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 25), st.integers(1, 5), st.integers(1, 8), st.integers(0, 10**6))
def test_weights_add_up_to_one_and_do_not_know_where_the_points_are(n, d, k, seed):
    """Turned, moved and stretched points are rebuilt with the same weights: the ridge is a part of the trace."""
    X, k = cloud(n, d, seed), min(k, n - 1)
    lists = solver.Lists.nearest(X, k)
    W = solver.all_weights(X, lists, 1e-3)
    assert W.sum(axis=1) == pytest.approx(np.ones(n))
    turn, _ = np.linalg.qr(cloud(d, d, seed + 1))
    moved = 3.7 * X @ turn + 5.0
    assert solver.all_weights(moved, lists, 1e-3) == pytest.approx(W, abs=1e-6)


def test_points_without_a_neighbour_have_no_weights():
    X = np.array([[0.0], [0.1], [0.2], [9.0]])
    model = fit("lle", X, graph="epsilon ball", epsilon=0.05, dimensions=1).model
    assert model.weights.sum(axis=1) == pytest.approx([1, 1, 1, 0])
    assert model.members.tolist() == [0, 1, 2]


# --- the matrix and its vectors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [60, 400])  # decomposed whole, and by Lanczos's method
def test_the_map_solves_its_problem(n):
    data = generate("swiss_roll", n=n, noise=0, seed=1)
    model = fit("lle", data, dimensions=3).model
    M, Z = matrix_of(model), model.embedding
    assert np.abs(M @ np.ones(n)).max() < 1e-9
    assert Z.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-7)
    assert pytest.approx(np.eye(3), abs=1e-7) == Z.T @ Z
    values = np.linalg.eigvalsh(M)
    assert model.eigenvalues[0] == 0.0
    assert model.eigenvalues[1:] == pytest.approx(values[1 : len(model.eigenvalues)], rel=1e-3, abs=1e-10)
    assert np.trace(Z.T @ M @ Z) == pytest.approx(model.eigenvalues[1:4].sum(), rel=1e-6)


def test_the_misfit_is_the_root_of_the_mean_eigenvalue():
    last = fit("lle", ROLL).last
    assert last.metrics["misfit"] == pytest.approx(np.sqrt(last.model.eigenvalues[1:3].mean()))


@pytest.mark.parametrize(("k", "dimensions", "ridge"), [(12, 2, 1e-3), (8, 3, 1e-2), (20, 1, 1e-3)])
def test_scikit_learn_draws_the_same_map(k, dimensions, ridge):
    theirs = LocallyLinearEmbedding(n_neighbors=k, n_components=dimensions, reg=ridge, eigen_solver="dense")
    wanted = theirs.fit_transform(ROLL.X)
    ours = fit("lle", ROLL, neighbours=k, dimensions=dimensions, ridge=ridge).model.embedding
    assert procrustes(np.pad(wanted, ((0, 0), (0, 1))), np.pad(ours, ((0, 0), (0, 1))))[2] < 1e-8
    assert np.abs(np.abs(ours) - np.abs(wanted)).max() < 1e-4 * np.ptp(wanted)


def test_in_many_dimensions_the_map_is_that_of_scikit_learn_too():
    X = cloud(300, 8) * np.array([9, 7, 1, 1, 1, 1, 1, 1])
    wanted = LocallyLinearEmbedding(n_neighbors=15, eigen_solver="dense").fit_transform(X)
    assert procrustes(wanted, fit("lle", X, neighbours=15).model.embedding)[2] < 1e-8


def test_full_and_sparse_factors_give_the_same_vectors():
    A = solver.left_over(fit("lle", ROLL).model.weights, solver.Lists.nearest(ROLL.X, 12), np.arange(400))
    constant = np.full(400, 0.05)
    (_, sparse), (_, full) = (smallest_above_zero((A.T @ A).tocsc(), constant, 5, flat) for flat in (True, False))
    assert np.abs((sparse * full).sum(axis=0)) == pytest.approx(np.ones(5), abs=1e-6)


def test_factors_by_blocks_are_those_of_numpy():
    B = cloud(450, 450)
    M = B @ B.T + np.eye(450)
    assert np.tril(cholesky_by_blocks(M.copy())) == pytest.approx(np.linalg.cholesky(M))


def test_a_roll_becomes_a_sheet():
    """The first coordinate goes along the roll, which principal components do not."""
    roll = generate("swiss_roll", n=1000, noise=0, seed=1)
    told = frames(roll)
    first, last = (abs(np.corrcoef(frame.model.embedding[:, 0], roll.y)[0, 1]) for frame in (told[0], told[-1]))
    assert first < 0.6 < 0.99 < last


def test_flat_points_keep_their_form():
    """Weights rebuild flat points as they rebuild their map: it is the data, stretched and turned."""
    X = cloud(80, 2) * (3.0, 1.0)
    last = fit("lle", X, ridge=1e-9).last
    whitened = (X - X.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(X.T))).T
    assert procrustes(whitened, last.model.embedding)[2] < 1e-4
    assert "the map is the data" in last.warning


# --- what can go wrong ------------------------------------------------------------------------------------------------


def test_a_graph_in_pieces_is_said_and_its_largest_piece_mapped():
    X = np.concatenate([cloud(20, 3, 9), cloud(40, 3, 10) + 100.0])
    last = fit("lle", X, neighbours=6).last
    assert "The graph is in 2 pieces with no path between them; only the largest, 40 of 60" in last.warning
    assert last.model.members.tolist() == list(range(20, 60))
    assert last.model.embedding.shape == (40, 2)
    alone = fit("lle", X[20:], neighbours=6).model.embedding
    assert procrustes(alone, last.model.embedding)[2] < 1e-8


def test_groups_that_nobody_leaves_are_said():
    """A point between two groups joins them in the graph, but they look only at themselves."""
    X = np.concatenate([cloud(12, 3, 1), cloud(12, 3, 2) + 30.0, [[15.0, 15.0, 15.0]]])
    last = fit("lle", X, neighbours=4).last
    assert last.metrics["components"] == 1
    assert "2 groups of points are rebuilt only from points of their own group" in last.warning
    assert last.model.eigenvalues[1] < 1e-9


def test_too_few_neighbours_are_said():
    angle = np.linspace(0, 5, 40)
    X = np.column_stack([np.cos(angle), np.sin(angle), angle])
    assert "A map of 2 dimensions needs at least 2 neighbours" in fit("lle", X, neighbours=1).last.warning


@pytest.mark.parametrize(
    ("X", "params", "words"),
    [
        (np.zeros((1, 2)), {}, "at least two different points"),
        (np.ones((5, 2)), {}, "at least two different points"),
        (np.arange(10.0)[:, None] ** 2, {"graph": "epsilon ball", "epsilon": 0.01}, "raise epsilon"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(X, params, words):
    with pytest.raises(DataError, match=words):
        fit("lle", X, **params)


def test_more_dimensions_than_there_are_stay_zero():
    model = fit("lle", np.array([[0.0], [1.0]]), dimensions=3).model
    assert np.abs(model.embedding[:, 0]) == pytest.approx([0.5**0.5] * 2)
    assert not model.embedding[:, 1:].any()


# --- new points -------------------------------------------------------------------------------------------------------


def test_new_points_are_placed_as_scikit_learn_places_them():
    X, new = ROLL.X, ROLL.X[:30] + 0.2 * cloud(30, 3)
    theirs = LocallyLinearEmbedding(n_neighbors=12, eigen_solver="dense").fit(X)
    fitted = fit("lle", X)
    signs = np.sign((theirs.embedding_ * fitted.model.embedding).sum(axis=0))
    assert fitted.transform(new) == pytest.approx(theirs.transform(new) * signs, abs=1e-4)


def test_a_point_of_the_data_is_placed_where_it_is():
    fitted = fit("lle", ROLL, ridge=1e-6)
    assert fitted.transform(ROLL.X) == pytest.approx(fitted.model.embedding, abs=1e-3)


def test_before_the_map_unrolls_a_new_point_is_in_that_of_principal_components():
    first = frames(ROLL)[0].model
    assert ALGORITHM.transform(first, ROLL.X) == pytest.approx(first.embedding)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(ROLL)
    phases = [frame.phase for frame in told]
    assert list(dict.fromkeys(phases)) == ["start", "connect", "weights", "eigen", "unroll", "result"]
    misfits = [frame.metrics["misfit"] for frame in told if frame.phase == "unroll"]
    assert misfits[-1] == min(misfits) < 0.2 * misfits[0]
    shown = next(frame for frame in told if frame.phase == "weights")
    (bars,) = shown.views["weights"]
    assert isinstance(bars, Bars)
    assert bars.values.sum() == pytest.approx(1.0)
    (space,) = shown.views["cloud"]
    assert isinstance(space, Cloud3D)
    assert space.spoke_weights == pytest.approx(bars.values)
    (spectrum,) = told[-1].views["spectrum"]
    assert spectrum.groups[:3].tolist() == [maps.DROPPED, maps.KEPT, maps.KEPT]


def test_the_weights_of_the_point_that_is_looked_at_are_shown():
    last = fit("lle", ROLL).last
    closer = ALGORITHM.focused(last, ROLL.item(7))
    (space,) = closer.views["cloud"]
    assert set(space.spokes[:, 0].tolist()) == {7}
    assert sorted(space.spokes[:, 1].tolist()) == np.flatnonzero(last.model.weights[7]).tolist()
    spokes = next(mark for mark in closer.views["embedding"] if isinstance(mark, Segments))
    assert spokes.start[0] == pytest.approx(last.model.embedding[7])
    assert spokes.weights @ spokes.end == pytest.approx(last.model.embedding[7], abs=0.02)


def test_why_for_a_point():
    fitted = fit("lle", ROLL)
    answer = fitted.explain(7)
    first = int(fitted.model.weights[7].argmax())
    assert answer[f"weight of point {first + 1}"] == pytest.approx(fitted.model.weights[7].max())
    left = np.linalg.norm(ROLL.X[7] - fitted.model.weights[7] @ ROLL.X)
    assert answer["distance from what is rebuilt"] == pytest.approx(left)
    assert ALGORITHM.explain(fitted.model, ROLL, Item(x=ROLL.X[7] + 1e-6))["nearest point"] == 8


def test_a_target_is_not_needed():
    with_target, without = fit("lle", ROLL).model, fit("lle", Points(ROLL.X)).model
    assert with_target.embedding == pytest.approx(without.embedding)


def test_equal_distances_are_said():
    """The corners of a regular simplex: any turn of the map is as good."""
    algorithm = find("lle")
    *_, last = algorithm.start(Points(np.eye(6)), algorithm.make_params({}), 0)
    assert "Eigenvalues 2 and 3 are equal" in last.warning
