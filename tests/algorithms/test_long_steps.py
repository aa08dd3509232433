"""No regression method stands still for long: what it does between two frames, and between two checkpoints, is bounded.

Counted, not timed: the floating-point work of a step is that of its factorisations, whose shapes are known.
"""

import numpy as np
import pytest

from algorithms import find
from algorithms.data import Points
from algorithms.interrupt import interruptible
from algorithms.maths import design as design_module
from algorithms.maths import graphs, tree_growth
from algorithms.maths.cross_validation import HEAVY, Folds, Working, sweep_lambda
from algorithms.maths.design import triangle
from algorithms.maths.gaussians import log_densities
from algorithms.maths.linear_fits import fitted
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.tree_growth import Growth, Problem
from tests.oracles import fit_and_errors

HUBER = Loss("huber", 0.5)


def wide(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] * X[:, 1] + rng.normal(size=n)


def test_a_tall_triangle_is_made_in_parts_that_can_be_called_off():
    A = np.random.default_rng(0).normal(size=(9_500, 12))
    asked = []
    with interruptible(lambda: bool(asked.append(1))):
        R = triangle(A)
    assert len(asked) >= 3
    assert R.shape == (12, 12)
    np.testing.assert_allclose(R.T @ R, A.T @ A, rtol=1e-10)
    np.testing.assert_allclose(np.abs(R), np.abs(np.linalg.qr(A)[1]), atol=1e-9)


def test_no_factorisation_is_longer_than_its_part(monkeypatch):
    sizes = []
    made = design_module._triangle
    monkeypatch.setattr(design_module, "_triangle", lambda A: sizes.append(A.shape) or made(A))
    triangle(np.random.default_rng(0).normal(size=(20_000, 30)))
    assert max(rows for rows, _ in sizes) <= 2_000 + 30
    assert sum(rows for rows, _ in sizes) >= 20_000


def test_long_robust_fits_are_seen_step_by_step(monkeypatch):
    """The errors are the same, whether the steps between are seen or not."""
    X, y = wide(300, 6)
    folds = Folds.of(300, 5, np.random.default_rng(1))
    plain = fit_and_errors(X, y, True, Penalty(), HUBER, folds)
    monkeypatch.setattr("algorithms.maths.cross_validation.HEAVY", 1.0)
    *between, last = sweep_lambda(X, y, True, HUBER, [Penalty()], folds)
    assert all(isinstance(step, Working) for step in between)
    assert {step.fold for step in between} == {0, 1, 2, 3, 4, 5}
    assert (last[0], last[2]) == (plain[0], plain[2])
    np.testing.assert_array_equal(last[1], plain[1])
    on_all = [step for step in between if step.fold == 0]
    assert fitted(X, y, True, Penalty(), HUBER)[0] == on_all[-1].intercept


@pytest.mark.parametrize("penalty", ["none", "ridge"])
def test_frames_of_a_robust_sweep_move(monkeypatch, penalty):
    monkeypatch.setattr("algorithms.maths.cross_validation.HEAVY", 1.0)
    algorithm = find("robust_regression")
    X, y = wide(60, 2)
    frames = list(algorithm.start(Points(X, y), algorithm.make_params({"penalty": penalty, "degree": 2}), 0))
    words = [frame.caption for frame in frames if frame.phase in ("degree", "lambda")]
    assert any("without part 3 is weighted anew, step 2" in caption for caption in words)
    assert any("held out" in caption for caption in words)


def test_what_counts_as_long():
    """Ten thousand rows of a hundred and fifty columns; the examples of the gallery are far below."""
    assert 10_000 * 150**2 > HEAVY > 100 * 400 * 20**2


def test_shuffling_many_features_is_seen_in_parts():
    """With 45 features three have a frame together; with many points and trees each has one."""
    X, y = wide(40, 45)
    algorithm = find("random_forest")
    params = algorithm.make_params({"trees": 3, "depth": 2, "map": False})
    frames = [frame for frame in algorithm.start(Points(X, y), params, 0) if frame.phase == "shuffle"]
    assert len(frames) == 15
    assert "3 of 45 features shuffled, one at a time" in frames[0].caption
    tried = [int(np.count_nonzero(frame.model.shuffled)) for frame in frames]
    assert tried == sorted(tried)


@pytest.mark.parametrize("target", ["classes", "values"])
def test_a_tree_over_many_features_looks_at_some_at_a_time(monkeypatch, target):
    X, y = wide(200, 30)
    problem = Problem(X, (y > 0).astype(int), 2, "gini") if target == "classes" else Problem(X, y, 0, "gini")
    whole = Growth(problem, 3)
    monkeypatch.setattr(tree_growth, "_CELLS", 7 * 200)
    asked = []
    with interruptible(lambda: bool(asked.append(1))):
        parted = Growth(problem, 3)
        assert len(asked) == 5
        for _ in range(3):
            sweeps = whole.search(), parted.search()
            np.testing.assert_array_equal(sweeps[0].cost, sweeps[1].cost)
            assert sweeps[0].threshold == sweeps[1].threshold
            for region in range(len(whole.level.nodes)):
                for growth, sweep in zip((whole, parted), sweeps):
                    cut = growth.best_cut(sweep, region)
                    if not growth.refusal(region, cut):
                        growth.split(region, cut)
            assert whole.go_down() == parted.go_down()
            np.testing.assert_array_equal(whole.level.orders, parted.level.orders)
    assert len(asked) > 20


def test_densities_over_many_features_can_be_called_off():
    columns = np.random.default_rng(0).normal(size=(100, 3000))
    asked = []
    with interruptible(lambda: bool(asked.append(1))):
        log_densities(columns, np.zeros((2, 100)), np.stack([np.eye(100)] * 2))
    assert len(asked) >= 5


def test_many_edges_are_sorted_in_parts(monkeypatch):
    """Found by a hunt: twelve million edges of a ball graph, sorted at once, stood still for seconds."""
    X = np.random.default_rng(0).integers(0, 6, size=(60, 2)).astype(float)  # many edges are equally long
    whole = graphs.ball_graph(X, 4.0)
    monkeypatch.setattr(graphs, "_SORTED", 100)
    asked = []
    with interruptible(lambda: bool(asked.append(1))):
        parts = graphs.ball_graph(X, 4.0)
    assert len(asked) > len(whole) // 100
    np.testing.assert_array_equal(parts.edges, whole.edges)
    np.testing.assert_array_equal(parts.lengths, whole.lengths)


@pytest.mark.parametrize("radius", [0.0, np.inf])
def test_edges_that_are_sorted_in_parts_are_all_there_once(radius, monkeypatch):
    """Where all are equally long, every range ended where it began."""
    monkeypatch.setattr(graphs, "_SORTED", 10)
    found = graphs.ball_graph(np.ones((20, 2)), radius).edges
    assert len(found) == len(np.unique(found, axis=0)) == 190


def test_a_sweep_in_which_nothing_moves_can_be_called_off():
    """Found by a hunt: one sweep over twenty thousand points, of which every pair is tried in vain."""
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 300, axis=0)
    data, asked = Points(X, np.arange(600) % 2), []
    algorithm = find("kernel_svm")
    chosen = {"kernel": "linear", "selection": "simplified (random second)", "C": 1e-3, "passes": 1}
    with interruptible(lambda: bool(asked.append(1))):
        frames = list(algorithm.start(data, algorithm.make_params(chosen), 0))
    assert len(asked) > 600 + 2 * len(frames)
