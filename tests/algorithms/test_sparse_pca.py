"""Sparse principal components: by hand, identities, scikit-learn as an oracle, and as frames."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes
from sklearn.decomposition import PCA, SparsePCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from algorithms import Item, Points, fit
from algorithms.contract import Case, Stop
from algorithms.data import DataError
from algorithms.embedding.sparse_pca import ALGORITHM, PENALTIES, _prepared, solver
from algorithms.embedding.sparse_pca.solver import Problem
from algorithms.marks import Bars, Bundle, Images
from mlviz.data.spec import load_data
from tests.algorithms.played import phase

PLAIN = {"scaling": "as they are", "sweep": False}


def frames(data, **params):
    data = data if isinstance(data, Points) else Points(data)
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


def cloud(n, d, seed=0):
    """Points in which features come in pairs that go together."""
    rng = np.random.default_rng(seed)
    common = np.repeat(rng.normal(size=(n, (d + 1) // 2)), 2, axis=1)[:, :d]
    return (common + 0.4 * rng.normal(size=(n, d))) * np.linspace(2.0, 1.0, d) + 3.0


# --- known answers ----------------------------------------------------------------------------------------------------


def test_a_threshold_by_hand():
    assert solver.shrunk(np.array([3.0, -2.0, 0.5, 0.0]), 1.0) == pytest.approx([2.0, -1.0, 0.0, 0.0])


def test_a_bound_by_hand():
    """S((3, 2), δ) = (3 - δ, 2 - δ) has the direction (0.96, 0.28) with the sum 1.24 when 24 (2 - δ) = 7 (3 - δ)."""
    found = solver.bounded(np.array([3.0, 2.0]), 1.24)
    assert found / np.linalg.norm(found) == pytest.approx([0.96, 0.28])
    assert 3.0 - found[0] == pytest.approx(27 / 17)
    assert np.count_nonzero(solver.bounded(np.array([2.0, 2.0, 1.0]), 1.0)) == 1  # two that are equal
    assert solver.bounded(np.array([3.0, 2.0]), 2.0) == pytest.approx([3.0, 2.0])


def test_one_step_by_hand():
    """Columns (2, 0) and (0, 1), v = (0.6, 0.8): Xv = (1.2, 0.8), u = (3, 2)/√13, X'u = (6, 2)/√13."""
    problem = Problem(np.array([[2.0, 0.0], [0.0, 1.0]]), 1.0 / np.sqrt(13.0))
    step = solver.power_step(problem, np.array([0.6, 0.8]))
    root = np.sqrt(13.0)
    assert step.weights == pytest.approx(np.array([5.0, 1.0]) / root)
    assert step.loadings == pytest.approx(np.array([5.0, 1.0]) / np.sqrt(26.0))
    rest = problem.table - np.outer(np.array([3.0, 2.0]) / root, step.weights)
    assert step.objective == pytest.approx(0.5 * np.square(rest).sum() + (6.0 / root) / root)


# --- identities and oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{"lam": 0.0}, {"form": "bound", "t": 8.0}])
@pytest.mark.parametrize("scaling", ["as they are", "standardised"])
def test_without_a_penalty_it_is_principal_component_analysis(params, scaling):
    X = cloud(60, 5)
    result = fit("sparse_pca", X, dimensions=3, scaling=scaling, sweep=False, tol=1e-12, **params)
    rows = StandardScaler().fit_transform(X) if scaling == "standardised" else X
    theirs = PCA(3).fit(rows)
    assert np.abs(result.model.components) == pytest.approx(np.abs(theirs.components_), abs=1e-4)
    assert result.model.explained == pytest.approx(theirs.explained_variance_ratio_.sum())
    assert np.abs(result.transform(X)) == pytest.approx(np.abs(theirs.transform(rows)), abs=1e-2)
    assert procrustes(theirs.transform(rows), result.transform(X))[2] < 1e-6


def test_a_bound_of_one_leaves_the_feature_that_varies_most():
    X = cloud(50, 6)
    model = fit("sparse_pca", X, form="bound", t=1.0, dimensions=1, **PLAIN).model
    assert np.flatnonzero(model.components[0]).tolist() == [int(X.var(axis=0).argmax())]
    assert model.explained == pytest.approx(X.var(axis=0).max() / X.var(axis=0).sum(), rel=0.2)
    nearly = fit("sparse_pca", X, lam=0.999, dimensions=1, **PLAIN).model
    assert np.flatnonzero(nearly.components[0]).tolist() == [int(X.var(axis=0).argmax())]


@given(st.integers(0, 10**6), st.floats(1.0, 3.0))
@settings(max_examples=20)
def test_the_bound_holds_and_the_variance_never_falls(seed, t):
    problem = Problem.of(cloud(20, 6, seed) - cloud(20, 6, seed).mean(axis=0), 0.0, t)
    _, first = solver.begin(problem)
    variances = []
    for step, _ in solver.descend(problem, first, 1e-9, 60):
        assert np.linalg.norm(step.loadings) == pytest.approx(1.0)
        assert np.abs(step.loadings).sum() <= t + 1e-9
        variances.append(np.square(problem.table @ step.loadings).sum())
    assert np.diff(variances).min(initial=0.0) >= -1e-9 * variances[-1]


@given(st.integers(0, 10**6), st.floats(0.0, 0.95))
@settings(max_examples=20)
def test_the_sum_never_rises_and_ends_at_a_standstill(seed, lam):
    told = frames(cloud(25, 5, seed), lam=lam, dimensions=1, tol=1e-12, max_steps=2000, **PLAIN)
    values = [frame.metrics["objective"] for frame in phase(told, "shrink")]
    assert np.diff(values).max(initial=0.0) <= 1e-9 * values[0]
    model = told[-1].model
    table, _, _, _ = _prepared(Points(cloud(25, 5, seed)), ALGORITHM.make_params(PLAIN))
    again = solver.power_step(Problem.of(table, lam, None), model.components[0])
    assert again.loadings == pytest.approx(model.components[0], abs=1e-4)


def test_scikit_learn_reaches_the_same_sum_step_by_step():
    """From the same u and w the same alternation, so the same sum after every one of its iterations."""
    X = cloud(40, 7)
    centred = X - X.mean(axis=0)
    problem = Problem.of(centred, 0.4, None)
    _, step = solver.begin(problem)
    first = step
    u = centred @ step.loadings / np.linalg.norm(centred @ step.loadings)
    theirs = SparsePCA(
        1, alpha=problem.lam, method="cd", tol=0.0, max_iter=12, U_init=u[:, None], V_init=first.weights[None]
    ).fit(X)
    ours = []
    for _ in range(12):
        step = solver.power_step(problem, step.loadings)
        scores = centred @ step.loadings / np.linalg.norm(centred @ step.loadings)
        rest = centred - np.outer(scores, step.weights)
        ours.append(0.5 * np.square(rest).sum() + problem.lam * np.abs(step.weights).sum())
    assert ours == pytest.approx(theirs.error_[:12], rel=1e-6)
    assert np.abs(step.loadings) == pytest.approx(np.abs(theirs.components_[0]), abs=1e-4)


@pytest.mark.parametrize("scaling", ["as they are", "standardised"])
def test_the_counterpart_finds_the_same_component(scaling):
    X = cloud(40, 6)
    X[:, 2] += 2.0 * X[:, 0]  # three that go together, so that there is one best component
    params = ALGORITHM.make_params({"lam": 0.4, "dimensions": 1, "scaling": scaling, "tol": 1e-9, "max_steps": 1000})
    found = ALGORITHM.counterpart(params, Case(Points(X), 0, lambda: None))
    names = {"SparsePCA": SparsePCA, "make_pipeline": make_pipeline, "StandardScaler": StandardScaler}
    theirs = eval(found.make, names).fit(X)
    ours = fit("sparse_pca", X, lam=0.4, dimensions=1, scaling=scaling, tol=1e-9, max_steps=1000, sweep=False)
    assert eval(found.difference, {"np": np, "ours": ours, "theirs": theirs}) < 1e-3
    assert "several minima" in found.caveat


def test_points_are_rebuilt_in_the_space_of_the_components():
    X = cloud(30, 5)
    result = fit("sparse_pca", X, lam=0.4, dimensions=2, **PLAIN)
    back = result.inverse(result.transform(X))
    left = np.square(X - back).sum() / np.square(X - X.mean(axis=0)).sum()
    assert left == pytest.approx(1.0 - result.model.explained)
    with pytest.raises(DataError, match="has 2 coordinates"):
        result.inverse(np.zeros((1, 3)))


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(cloud(30, 6), lam=0.4)
    story = ["start", "begin", "shrink", "deflate", "path", "result"]
    assert list(dict.fromkeys(frame.phase for frame in told)) == story
    assert len(phase(told, "begin")) == 2
    features = [frame.metrics["features"] for frame in told if len(frame.model.components) == 1]
    assert features[0] == 6.0
    assert min(features[1:]) < 6.0
    (bars,) = phase(told, "shrink")[0].views["loadings"]
    assert isinstance(bars, Bars)
    assert bars.groups.tolist()[:2] == [-1, 0]  # grey without a penalty, coloured with it
    assert "% of the variance; as many principal components have" in told[-1].caption


def test_the_path_shrinks_to_nothing():
    told = frames(cloud(30, 6), lam=0.3, dimensions=1)
    along = phase(told, "path")
    assert len(along) == PENALTIES
    counts = [int(np.count_nonzero(frame.model.components)) for frame in along]
    assert counts[0] == 6
    assert counts[-1] == 0
    assert counts == sorted(counts, reverse=True)
    kept = [frame.metrics["explained"] for frame in along]
    assert kept[0] == max(kept)
    assert told[-1].views["path"][-1].handle == "lam"
    wide = frames(cloud(30, 12), lam=0.3, dimensions=1)[-1].views["path"]
    assert isinstance(wide[0], Bundle)


def test_pictures_are_components():
    data = load_data("digits()").rows(np.arange(60))
    (grid,) = frames(data, dimensions=2, lam=0.4, **PLAIN)[-1].views["loadings"]
    assert isinstance(grid, Images)
    assert grid.pixels.shape == (2, 8, 8)


def test_explaining_a_point_names_features():
    X = cloud(30, 4)
    result = fit("sparse_pca", X, lam=0.4, **PLAIN)
    told = ALGORITHM.explain(result.model, Points(X), Item(2, X[2]))
    assert told["component 1"] == pytest.approx(result.transform(X)[2, 0])
    assert any("· x1" in name for name in told)


def test_sentences():
    with pytest.raises(DataError, match="need at least two different points"):
        frames(np.ones((3, 2)))
    line = frames(np.column_stack([np.arange(6.0), 2 * np.arange(6.0)]), lam=0.0)
    assert line[-1].warning == "After 1 component the remainder is 0, so there are no more."
    empty = frames(cloud(20, 3), lam=1.0, dimensions=1)
    assert not empty[-1].model.components.any()
    assert "all loadings are 0" in phase(empty, "shrink")[-1].caption
    short = fit("sparse_pca", cloud(30, 6), max_steps=2, tol=1e-12)
    assert short.stop is Stop.LIMIT
    assert "still changing after 2 steps" in short.last.warning
