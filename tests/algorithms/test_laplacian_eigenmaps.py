"""Laplacian eigenmaps: by hand, identities, scikit-learn and SciPy as oracles, and as frames."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.manifold import SpectralEmbedding

from algorithms import Points, fit
from algorithms.data import DataError
from algorithms.embedding.laplacian_eigenmaps import ALGORITHM
from algorithms.maths import maps
from algorithms.maths.graphs import neighbour_graph
from mlviz.data.generators import generate
from tests.algorithms.played import cloud

ROLL = generate("swiss_roll", n=300, noise=0, seed=1)
ONES = {"kernel": "0 and 1"}


def affinities(X, k, width=None):
    """A, as the notes define it, entry by entry."""
    D = cdist(X, X)
    near = np.zeros_like(D, dtype=bool)
    order = np.argsort(D + np.diag(np.full(len(X), np.inf)), axis=1)[:, :k]
    near[np.arange(len(X))[:, None], order] = True
    near |= near.T
    if width is None:
        return near.astype(float)
    s = width * D[np.triu(near)].mean()
    return np.where(near, np.exp(-0.5 * (D / s) ** 2), 0.0)


def path(n):
    """Points along a line: each is joined to the one before and the one after."""
    return np.arange(float(n))[:, None] ** 1.0


# --- known answers ----------------------------------------------------------------------------------------------------


def test_the_path_of_three_points():
    """L v = l D v on the path 1-2-3: l = 0, 1, 2 with (1, 1, 1), (1, 0, -1), (1, -1, 1); Z'DZ = 1 makes it 1/√2."""
    model = fit("laplacian_eigenmaps", path(3), graph="epsilon ball", epsilon=0.6, dimensions=2, **ONES).model
    assert model.eigenvalues == pytest.approx([0, 1, 2])
    assert np.abs(model.embedding[:, 0]) == pytest.approx([0.5**0.5, 0, 0.5**0.5])
    assert np.abs(model.embedding[:, 1]) == pytest.approx([0.5] * 3)
    assert model.strengths.tolist() == [1, 2, 1]


@pytest.mark.parametrize("n", [7, 90])
def test_a_path_has_cosines_and_the_first_goes_along_it(n):
    """Unnormalised, the eigenvalues of a path are 2 - 2 cos(pi j / n)."""
    model = fit(
        "laplacian_eigenmaps", path(n), graph="epsilon ball", epsilon=1.1 / (n - 1), laplacian="unnormalised", **ONES
    ).model
    expected = 2.0 - 2.0 * np.cos(np.pi * np.arange(len(model.eigenvalues)) / n)
    assert model.eigenvalues == pytest.approx(expected, rel=1e-6, abs=1e-10)
    wave = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    assert abs(np.corrcoef(model.embedding[:, 0], wave)[0, 1]) == pytest.approx(1.0)
    assert abs(spearmanr(model.embedding[:, 0], np.arange(n)).statistic) == pytest.approx(1.0)


def test_points_on_a_circle_become_a_circle_and_one_coordinate_alone_is_one_of_many():
    angle = 2 * np.pi * np.arange(40) / 40
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    last = fit("laplacian_eigenmaps", X, neighbours=2, **ONES).last
    assert procrustes(X, last.model.embedding)[2] < 1e-9
    assert last.warning == ""
    assert "Eigenvalues 1 and 2 are equal" in fit("laplacian_eigenmaps", X, neighbours=2, dimensions=1).last.warning


# --- identities and oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("laplacian", ["random walk", "unnormalised"])
@pytest.mark.parametrize("width", [None, 0.7])
def test_the_map_solves_its_problem(laplacian, width):
    params = ONES if width is None else {"width": width}
    model = fit("laplacian_eigenmaps", ROLL, neighbours=8, laplacian=laplacian, dimensions=3, **params).model
    A = affinities(ROLL.X, 8, width)
    D, Z = np.diag(A.sum(axis=1)), model.embedding
    B = D if laplacian == "random walk" else np.eye(300)
    assert np.diag(D) == pytest.approx(model.strengths)
    assert pytest.approx(np.eye(3), abs=1e-6) == Z.T @ B @ Z  # the constraint
    assert np.ones(300) @ B @ Z == pytest.approx(np.zeros(3), abs=1e-6)
    values, _ = eigh(D - A, B)
    assert model.eigenvalues == pytest.approx(values[: len(model.eigenvalues)], abs=1e-8)
    half = 0.5 * (A * cdist(Z, Z, "sqeuclidean")).sum()
    assert half == pytest.approx(np.trace(Z.T @ (D - A) @ Z)) == pytest.approx(model.eigenvalues[1:4].sum())


def test_no_other_map_of_this_size_has_shorter_edges():
    told = list(ALGORITHM.start(ROLL, ALGORITHM.params(), 0))
    tension = [frame.metrics["tension"] for frame in told if frame.phase == "unroll"]
    assert tension[-1] == pytest.approx(told[-1].model.eigenvalues[1:3].mean())
    assert tension[-1] == min(tension) < 0.5 * tension[0]


@pytest.mark.parametrize(("width", "dimensions"), [(None, 2), (0.8, 3)])
def test_scikit_learn_draws_the_same_map(width, dimensions):
    params = ONES if width is None else {"width": width}
    A = affinities(ROLL.X, 8, width)
    theirs = SpectralEmbedding(dimensions, affinity="precomputed", random_state=0).fit(A).embedding_
    ours = fit("laplacian_eigenmaps", ROLL, neighbours=8, dimensions=dimensions, **params).model.embedding
    assert np.abs(np.abs(ours) - np.abs(theirs)).max() < 1e-4 * np.ptp(theirs)
    assert procrustes(theirs, ours)[2] < 1e-8


def test_the_graph_is_that_of_isomap():
    graph, _ = neighbour_graph(ROLL.X, 10)
    assert fit("laplacian_eigenmaps", ROLL).last.metrics["edges"] == len(graph)


# --- what can go wrong ------------------------------------------------------------------------------------------------


def test_a_graph_in_pieces_is_said_and_its_largest_piece_mapped():
    X = np.concatenate([cloud(20, 3, 9), cloud(40, 3, 10) + 100.0])
    last = fit("laplacian_eigenmaps", X, neighbours=6).last
    assert "The graph is in 2 pieces with no path between them; only the largest, 40 of 60" in last.warning
    assert last.model.members.tolist() == list(range(20, 60))
    alone = fit("laplacian_eigenmaps", X[20:], neighbours=6, **ONES).model.embedding
    assert procrustes(alone, fit("laplacian_eigenmaps", X, neighbours=6, **ONES).model.embedding)[2] < 1e-8


def test_edges_that_weigh_next_to_nothing_are_said():
    X = np.concatenate([cloud(15, 2, 1), cloud(15, 2, 2) + 40.0, np.linspace(4.0, 36.0, 3)[:, None] * np.ones(2)])
    last = fit("laplacian_eigenmaps", X, neighbours=5, width=0.3).last
    assert last.metrics["components"] == 1
    assert "only by edges with hardly any weight" in last.warning


def test_equal_distances_are_said():
    last = fit("laplacian_eigenmaps", np.eye(6), neighbours=5).last
    assert last.model.eigenvalues[1:] == pytest.approx(np.full(5, 6 / 5))
    assert "Eigenvalues 2 and 3 are equal" in last.warning


def test_equal_points_are_refused():
    with pytest.raises(DataError, match="at least two different points"):
        fit("laplacian_eigenmaps", np.ones((5, 2)))


# --- new points -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{}, ONES, {"laplacian": "unnormalised"}, {"graph": "epsilon ball", "epsilon": 0.15}]
)
def test_a_point_of_the_data_is_placed_where_it_is(params):
    fitted = fit("laplacian_eigenmaps", ROLL, **params)
    places = fitted.model.embedding
    assert fitted.transform(ROLL.X[fitted.model.members]) == pytest.approx(places, abs=1e-6 * np.ptp(places))


def test_a_new_point_lies_among_its_neighbours():
    new = generate("swiss_roll", n=60, noise=0, seed=2)
    fitted = fit("laplacian_eigenmaps", ROLL)
    nearest = cdist(new.X, ROLL.X).argmin(axis=1)
    away = np.linalg.norm(fitted.transform(new.X) - fitted.model.embedding[nearest], axis=1)
    assert np.median(away) < 0.05 * np.ptp(fitted.model.embedding)


def test_before_the_map_unrolls_a_new_point_is_in_that_of_principal_components():
    first = next(ALGORITHM.start(ROLL, ALGORITHM.params(), 0)).model
    assert ALGORITHM.transform(first, ROLL.X) == pytest.approx(first.embedding)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order_and_show_eigenvectors_as_colours():
    told = list(ALGORITHM.start(ROLL, ALGORITHM.params(), 0))
    order = ["start", "connect", "weigh", "eigen", "vector", "unroll", "result"]
    assert list(dict.fromkeys(frame.phase for frame in told)) == order
    shown = [frame.views["cloud"][0] for frame in told if frame.phase == "vector"]
    assert np.ptp(shown[0].values) < 1e-12  # the constant vector
    final = told[-1].model.embedding
    assert abs(np.corrcoef(shown[1].values, final[:, 0])[0, 1]) == pytest.approx(1.0)
    assert abs(np.corrcoef(shown[2].values, final[:, 1])[0, 1]) == pytest.approx(1.0)
    (bars,) = told[-1].views["spectrum"]
    assert bars.groups[:3].tolist() == [maps.DROPPED, maps.KEPT, maps.KEPT]


def test_colours_may_stay_those_of_a_coordinate():
    last = fit("laplacian_eigenmaps", ROLL, colour="coordinate 2").last
    assert abs(np.corrcoef(last.views["embedding"][0].values, last.model.embedding[:, 1])[0, 1]) == pytest.approx(1.0)
    assert fit("laplacian_eigenmaps", ROLL).last.views["embedding"][0].values is None


def test_the_edges_of_the_point_that_is_looked_at_are_shown():
    last = fit("laplacian_eigenmaps", Points(ROLL.X), neighbours=8, width=0.7).last
    (space,) = ALGORITHM.focused(last, ROLL.item(5)).views["cloud"]
    A = affinities(ROLL.X, 8, 0.7)
    assert sorted(space.spokes[:, 1].tolist()) == np.flatnonzero(A[5]).tolist()
    assert space.spoke_weights == pytest.approx(A[5, space.spokes[:, 1]])
    assert fit("laplacian_eigenmaps", ROLL, neighbours=8, width=0.7).explain(5)[
        "weight of its edges together"
    ] == pytest.approx(A[5].sum())


@pytest.mark.parametrize(
    ("X", "params"),
    [
        (np.stack([np.cos(np.arange(12.0)), np.sin(np.arange(12.0))], axis=1), {"neighbours": 1}),
        (1e98 * np.array([[0.0], [1.0], [3.0], [6.0], [9.0]]), {"graph": "epsilon ball", "epsilon": 0.15}),
    ],
    ids=["equal but for rounding", "one edge, so long that one half more or less makes no bin"],
)
def test_edges_that_are_equally_long_have_a_histogram(X, params):
    counts, _ = fit("laplacian_eigenmaps", Points(X), **params).last.views["kernel"][:2]
    assert counts.y.tolist() == [1.0]


@pytest.mark.parametrize("laplacian", ["random walk", "unnormalised"])
def test_a_new_point_on_members_that_are_all_in_one_place_is_there(laplacian):
    """Found by a hunt: nobody was joined to it, and the sum of no weights is nought."""
    X = np.array([[0.0, 0.0]] * 4 + [[1e9, 0.0], [1e9, 1.0]])
    made = fit("laplacian_eigenmaps", Points(X), neighbours=1, laplacian=laplacian)
    assert np.isfinite(made.transform(X)).all()
