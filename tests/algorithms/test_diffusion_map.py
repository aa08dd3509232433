"""Diffusion maps: by hand, identities of the walk, and as frames."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist, pdist, squareform

from algorithms import Points, fit
from algorithms.data import DataError
from algorithms.embedding.diffusion_map import ALGORITHM, solver
from algorithms.marks import PointSizes
from algorithms.maths import maps
from mlviz.data.generators import generate
from tests.algorithms.played import cloud

ROLL = generate("swiss_roll", n=300, noise=0, seed=1)


def walk_of(X, width=0.7, alpha=1.0):
    """P as the formulas say, entry by entry."""
    X = np.asarray(X, dtype=float)
    K = np.exp(-0.5 * (cdist(X, X) / (width * solver.typical_distance(X))) ** 2)
    q = K.sum(axis=1)
    K = K / np.outer(q, q) ** alpha
    return K / K.sum(axis=1, keepdims=True)


# --- known answers ----------------------------------------------------------------------------------------------------


def test_two_points():
    """Their distance is the width: P = [[1, a], [a, 1]] / (1 + a) with a = e^-1/2, and l = (1 - a)/(1 + a)."""
    a = np.exp(-0.5)
    model = fit("diffusion_map", np.array([[0.0], [3.0]]), width=1.0, time=2, dimensions=1).model
    value = (1 - a) / (1 + a)
    assert model.eigenvalues == pytest.approx([1.0, value])
    assert np.abs(model.embedding[:, 0]) == pytest.approx([value**2] * 2)  # psi is (1, -1)
    assert model.heat == pytest.approx([(1 + value**2) / 2, (1 - value**2) / 2])


def test_points_on_a_circle_become_a_circle():
    angle = 2 * np.pi * np.arange(50) / 50
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    model = fit("diffusion_map", X).model
    assert procrustes(X, model.embedding)[2] < 1e-9
    assert model.eigenvalues[1] == pytest.approx(model.eigenvalues[2])
    assert "Eigenvalues 1 and 2 are equal" in fit("diffusion_map", X, dimensions=1).last.warning


def test_with_alpha_one_only_the_form_counts():
    """More points on one side of a circle bend the map for alpha = 0, and hardly for alpha = 1."""
    angle = 2 * np.pi * (np.linspace(0, 1, 400, endpoint=False)) ** 1.5
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    bent, even = (
        procrustes(X, fit("diffusion_map", X, alpha=alpha, width=3.0, time=1).model.embedding)[2]
        for alpha in (0.0, 1.0)
    )
    assert even < 0.2 * bent


# --- identities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("width", [1.0, 8.0])  # by the inverse, and straight
def test_coordinates_are_eigenvectors_of_the_walk(alpha, width):
    model = fit("diffusion_map", ROLL, alpha=alpha, width=width, time=1, dimensions=3).model
    P = walk_of(ROLL.X, width, alpha)
    assert P.sum(axis=1) == pytest.approx(np.ones(300))
    assert P @ model.embedding == pytest.approx(model.embedding * model.eigenvalues[1:4], abs=1e-7)
    values = np.sort(np.linalg.eigvals(P).real)[::-1]
    assert model.eigenvalues == pytest.approx(values[: len(model.eigenvalues)], abs=1e-8)
    assert model.stationary @ P == pytest.approx(model.stationary)
    psi = model.embedding / model.eigenvalues[1:4]
    assert psi.T @ np.diag(model.stationary) @ psi == pytest.approx(np.eye(3), abs=1e-6)


@pytest.mark.parametrize("time", [1, 3])
def test_distances_in_the_whole_map_are_those_of_the_walk(time):
    X = cloud(25, 3)
    P = walk_of(X, 1.5)
    scaled = (X - X.mean(axis=0)) / np.abs(X - X.mean(axis=0)).max()
    walk = solver.Walk.of(solver.affinities(scaled, 1.5 * solver.typical_distance(scaled)), 1.0)
    values, vectors = walk.spectrum(24)
    power = np.linalg.matrix_power(P, time)
    wanted = squareform(pdist(power / np.sqrt(walk.stationary)))
    assert cdist(vectors * values**time, vectors * values**time) == pytest.approx(wanted, abs=1e-7)


def test_heat_is_a_row_of_the_power_and_never_gets_lost():
    told = list(ALGORITHM.start(ROLL, ALGORITHM.make_params({"time": 10, "from_point": 7}), 0))
    P = walk_of(ROLL.X)
    for frame in told:
        assert frame.model.heat.sum() == pytest.approx(1.0)
        if frame.phase == "spread":
            wanted = np.linalg.matrix_power(P, int(frame.metrics["time"]))[6]
            assert frame.model.heat == pytest.approx(wanted, abs=1e-10)
    assert [int(frame.metrics["time"]) for frame in told if frame.phase == "spread"] == [1, 2, 3, 4, 6, 8, 10]


def test_after_a_very_long_time_heat_is_where_the_walk_always_is():
    model = fit("diffusion_map", cloud(30, 2), width=4.0, time=500).model
    assert model.heat == pytest.approx(model.stationary, abs=1e-6)
    assert np.abs(model.embedding).max() < 1e-6


def test_times_end_where_they_should():
    assert solver.times_up_to(1) == [0, 1]
    assert solver.times_up_to(32) == [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32]


# --- what can go wrong ------------------------------------------------------------------------------------------------


def test_a_walk_that_never_leaves_its_part_is_said():
    X = np.concatenate([cloud(20, 2), cloud(20, 2, 1) + 100.0])
    last = fit("diffusion_map", X, width=0.5).last
    assert "The eigenvalue 1 occurs twice" in last.warning
    assert "Raise width" in last.warning


def test_a_walk_that_mixes_at_once_is_said():
    assert "a single step reaches all points" in fit("diffusion_map", cloud(30, 2), width=30.0).last.warning


def test_equal_distances_are_said():
    assert "are equal" in fit("diffusion_map", np.eye(6)).last.warning


@pytest.mark.parametrize(
    ("X", "params", "words"),
    [
        (np.ones((5, 2)), {}, "at least two different points"),
        (cloud(9, 2), {"from_point": 10}, "from_point is 10, but there are only 9 points"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(X, params, words):
    with pytest.raises(DataError, match=words):
        fit("diffusion_map", X, **params)


# --- new points -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"alpha": 0.5, "time": 5}, {"width": 4.0, "time": 1, "dimensions": 3}])
def test_a_point_of_the_data_is_placed_exactly_where_it_is(params):
    fitted = fit("diffusion_map", ROLL, **params)
    assert fitted.transform(ROLL.X) == pytest.approx(fitted.model.embedding, abs=1e-7)


def test_a_point_far_away_is_placed_with_the_nearest():
    fitted = fit("diffusion_map", ROLL)
    far = ROLL.X[[4]] * 1e3
    nearest = int(cdist(far, ROLL.X).argmin())
    assert np.isfinite(fitted.transform(far)).all()
    away = np.abs(fitted.transform(far) - fitted.model.embedding[nearest]).max()
    assert away < 0.2 * np.ptp(fitted.model.embedding)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = list(ALGORITHM.start(ROLL, ALGORITHM.make_params({"time": 16}), 0))
    order = ["start", "affinity", "density", "walk", "eigen", "unroll", "spread", "result"]
    assert list(dict.fromkeys(frame.phase for frame in told)) == order
    spread = [frame for frame in told if frame.phase == "spread"]
    assert (np.diff([frame.metrics["reached"] for frame in spread]) > 0.0).all()
    assert (np.diff([frame.metrics["kept"] for frame in spread]) > 0.0).all()
    for frame in spread:
        (bars,) = frame.views["spectrum"]
        assert bars.values == pytest.approx(frame.model.eigenvalues ** frame.metrics["time"])
        assert bars.groups[:3].tolist() == [maps.DROPPED, maps.KEPT, maps.KEPT]
        colours = frame.views["cloud"][0].values
        assert (np.diff(colours[np.argsort(frame.model.heat)]) >= 0.0).all()
        assert colours.max() == pytest.approx(np.log10(frame.model.heat.max()))
        assert next(mark for mark in frame.views["plane"] if isinstance(mark, PointSizes)).weights == pytest.approx(
            frame.model.heat
        )


def test_the_roll_is_unrolled_along_its_length():
    long = generate("swiss_roll", n=800, noise=0, seed=1)
    model = fit("diffusion_map", Points(long.X)).model
    assert abs(np.corrcoef(model.embedding[:, 0], long.y)[0, 1]) > 0.9


def test_why_for_a_point():
    fitted = fit("diffusion_map", ROLL, from_point=3)
    answer = fitted.explain(2)
    assert answer["point"] == 3
    assert answer["probability of the walker"] == pytest.approx(fitted.model.heat[2])
    assert answer["coordinate 1"] == pytest.approx(fitted.model.embedding[2, 0])
