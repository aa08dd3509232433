"""The shortest segment between two hulls: answers by hand, the identities with the support vector machine, oracles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from algorithms import DataError, Points, find, fit
from algorithms.classification.hull_margin.solver import Hulls, face, mdm, reduced_outline
from algorithms.marks import Bars, DividingLine, Polygons, Regions
from mlviz.data.spec import load_data

HULLS = find("hull_margin")
METHODS = ("Gilbert", "MDM")
SEPARABLE = load_data("separable(n=60,margin=0.6,seed=7)")
OVERLAPPING = load_data("blobs(n=80,centres=2,noise=1.6,spread=2,seed=3)")


def play(data, **params):
    return list(HULLS.start(data, HULLS.make_params(params), 0))


# --- by hand ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_two_points_by_hand(method):
    """x+ = (1, 1), x- = (-1, -1): w = (1/2, 1/2), b = 0, width 2 sqrt 2, and the multipliers of the dual are 1/4."""
    model = fit("hull_margin", Points([[1.0, 1.0], [-1.0, -1.0]], [1, 0]), method=method).model
    assert model.normal == pytest.approx([0.5, 0.5])
    assert model.offset == pytest.approx(0.0, abs=1e-12)
    assert model.distance == pytest.approx(2 * np.sqrt(2))
    assert 2 * model.weights / model.distance**2 == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize("method", METHODS)
def test_a_point_before_a_segment_by_hand(method):
    """The nearest place of the segment from (2, -1) to (2, 3) to the origin is (2, 0), with the weights 3/4 and 1/4."""
    data = Points([[0.0, 0.0], [2.0, -1.0], [2.0, 3.0], [5.0, 0.0]], [0, 1, 1, 1])
    model = fit("hull_margin", data, method=method, tol=1e-8).model
    assert model.u == pytest.approx([2.0, 0.0], abs=1e-4)
    assert model.weights == pytest.approx([1.0, 0.75, 0.25, 0.0], abs=1e-4)
    assert model.normal == pytest.approx([1.0, 0.0], abs=1e-4)
    assert model.offset == pytest.approx(1.0, abs=1e-4)


# --- the support vector machine ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [7, 8])
def test_it_is_the_line_of_the_machine_with_a_linear_kernel_and_a_large_C(method, seed):
    """|u - v| = 2/|w|, w = 2 (u - v)/|u - v|², α = 2 λ/|u - v|², |w|² = Σ α: up to this scaling they coincide."""
    data = load_data(f"separable(n=60,margin=0.6,seed={seed})")
    ours = fit("hull_margin", data, method=method, tol=1e-7).model
    svm = fit("kernel_svm", data, kernel="linear", C=1e5, tol=1e-8).model
    w = svm.weights[0]
    assert ours.distance == pytest.approx(2 / np.linalg.norm(w), rel=1e-4)
    assert ours.normal == pytest.approx(w, rel=1e-2, abs=1e-3 * np.abs(w).max())
    assert ours.normal == pytest.approx(2 * (ours.u - ours.v) / ours.distance**2)
    assert -ours.offset == pytest.approx(svm.bias, rel=1e-2, abs=1e-3)
    alpha = 2 * ours.weights / ours.distance**2
    assert alpha == pytest.approx(svm.alpha, abs=0.02 * svm.alpha.max())
    assert alpha.sum() == pytest.approx(w @ w, rel=1e-3)


def test_the_margin_is_the_least_distance_of_a_point_and_of_a_hull():
    model = fit("hull_margin", SEPARABLE, tol=1e-9).model
    values = HULLS.field(model, SEPARABLE.X) * (2 * SEPARABLE.y - 1)
    assert values.min() == pytest.approx(1.0, abs=1e-4)
    assert 1 / np.linalg.norm(model.normal) == pytest.approx(model.distance / 2)


def test_points_without_weight_do_not_matter():
    model = fit("hull_margin", SEPARABLE, tol=1e-9).model
    kept = SEPARABLE.rows(np.flatnonzero(model.weights))
    assert fit("hull_margin", kept, tol=1e-9).model.normal == pytest.approx(model.normal, rel=1e-4)


def test_each_is_one_click_away_from_the_other_on_the_same_data():
    ours, theirs = HULLS.related[0], find("kernel_svm").related[0]
    assert (ours.method, ours.params["kernel"], ours.params["C"]) == ("kernel_svm", "linear", 1e5)
    assert theirs.method == "hull_margin"


# --- the walks --------------------------------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(METHODS), st.sampled_from([1.0, 0.4, 0.15]), st.integers(1, 5))
def test_the_distance_falls_the_bound_rises_and_between_them_is_that_of_a_general_solver(seed, method, cap, d):
    rng = np.random.default_rng(seed)
    y = np.arange(14) % 2
    data = Points(rng.normal(size=(14, d)) + 3.0 * y[:, None], y)
    frames = play(data, method=method, reduced=cap, max_steps=800)
    distance = np.array([frame.metrics["distance"] for frame in frames])
    bound = np.array([frame.metrics["bound"] for frame in frames])
    assert (np.diff(distance) <= 1e-9).all()
    assert (np.diff(bound) >= -1e-9).all()
    weights = frames[-1].model.weights
    assert weights.min() >= 0.0
    assert weights.max() <= max(cap, 1 / 7) + 1e-9
    assert [weights[y == k].sum() for k in (0, 1)] == pytest.approx([1.0, 1.0])
    signed = data.X * (2.0 * y - 1.0)[:, None]
    answer = minimize(
        lambda a: (a @ signed) @ (a @ signed),
        np.full(14, 1 / 7),
        jac=lambda a: 2 * signed @ (a @ signed),
        bounds=[(0, max(cap, 1 / 7))] * 14,
        constraints=[{"type": "eq", "fun": lambda a, k=k: a[y == k].sum() - 1} for k in (0, 1)],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    best = np.sqrt(max(answer.fun, 0.0))
    assert bound[-1] <= best + 1e-4
    assert distance[-1] >= best - 1e-4


def test_moving_weight_needs_fewer_steps_than_gilbert():
    steps = {method: play(SEPARABLE, method=method)[-1].model.steps for method in METHODS}
    assert steps["MDM"] < 0.1 * steps["Gilbert"]


# --- hulls that overlap, and reduced ones -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_overlapping_hulls_are_said_in_words_with_a_common_point(method):
    last = play(OVERLAPPING, method=method)[-1]
    assert "hulls overlap" in last.caption
    assert not last.model.normal.any()
    assert not [mark for mark in last.views["plane"] if isinstance(mark, Regions | DividingLine)]  # no line, no sides
    assert last.metrics["bound"] == 0.0
    assert last.model.u == pytest.approx(last.model.v, abs=1e-4)


def test_reduced_hulls_part_overlapping_classes():
    last = play(OVERLAPPING, reduced=0.05)[-1]
    assert last.metrics["bound"] > 0.1
    assert last.model.weights.max() <= 0.05 + 1e-12
    outlines = [mark for mark in last.views["plane"] if isinstance(mark, Polygons)]
    assert [mark.name for mark in outlines] == ["convex hull", "reduced hull"]
    assert next(mark for mark in last.views["weights"] if isinstance(mark, Bars)).limit == 0.05


def test_the_smallest_reduced_hulls_are_the_means():
    model = fit("hull_margin", OVERLAPPING, reduced=0.001).model
    means = [OVERLAPPING.X[OVERLAPPING.y == k].mean(axis=0) for k in (0, 1)]
    assert model.v == pytest.approx(means[0])
    assert model.u == pytest.approx(means[1])


def test_the_outline_of_a_reduced_hull_is_deepest_in_every_direction():
    X = np.random.default_rng(3).normal(size=(15, 2))
    outline = reduced_outline(X, 0.3, corners=720)
    hulls = Hulls.of(np.concatenate([X, X]), np.repeat([1.0, -1.0], 15), 0.3)
    for turn in np.linspace(0, 2 * np.pi, 7):
        z = np.array([np.cos(turn), np.sin(turn)])
        deepest = hulls.pair(hulls.deepest(z))[0]
        assert (outline @ z).min() == pytest.approx(deepest @ z, abs=1e-3)


# --- other data -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 50])
def test_one_feature_and_fifty(d):
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    data = Points(rng.normal(size=(40, d)) + 8.0 * y[:, None], y)
    found = fit("hull_margin", data)
    assert (found.predict(data.X) == y).all()
    assert not any(isinstance(mark, DividingLine) for mark in found.last.views["plane"])


def test_equal_points_in_both_classes_overlap_and_64_classes_are_refused():
    last = play(Points(np.ones((6, 2)), [0, 1, 0, 1, 0, 1]))[-1]
    assert "overlap" in last.caption
    with pytest.raises(DataError, match="are of 64"):
        play(Points(np.arange(128.0).reshape(64, 2), np.arange(64)))


# --- the step over a whole face --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [1.0, 0.4])
def test_the_face_is_searched_to_its_minimum(cap):
    rng = np.random.default_rng(4)
    signs = np.repeat([1.0, -1.0], 5)
    hulls = Hulls.of(0.3 * rng.normal(size=(10, 3)) + signs[:, None], signs, cap)
    begun = np.full(10, 0.2)
    found = face(hulls, begun).weights
    walked = begun
    for _ in range(20_000):
        walked = mdm(hulls, walked, hulls.difference(walked)).weights
    assert np.linalg.norm(hulls.difference(walked)) <= np.linalg.norm(hulls.difference(found)) + 1e-12
    assert np.linalg.norm(hulls.difference(found)) < np.linalg.norm(hulls.difference(begun))
    assert found[signs > 0.0].sum() == pytest.approx(1.0)
    assert found[signs < 0.0].sum() == pytest.approx(1.0)
    assert (found >= 0.0).all()
    assert (found <= cap + 1e-12).all()


def test_steps_over_faces_end_the_crawling_of_pairs():
    """Pairs alone took 880 steps here."""
    data = load_data("separable(n=1000,seed=2)")
    assert fit("hull_margin", data).model.steps < 100
