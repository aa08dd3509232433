"""The support vector machine as it is shown: going on from a model, pictures, explanations, parameters."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from algorithms import fit
from algorithms.classification.kernel_svm import ALGORITHM
from algorithms.classification.kernel_svm.solver import Task
from algorithms.contract import AnySnapshot, Stop
from algorithms.data import Item, Points
from algorithms.marks import Bars, Curve, Highlight, Isolines, Regions, Segments
from algorithms.maths.smo import feasible
from algorithms.params import schema
from tests.algorithms.svm_cases import KERNELS, SIMPLE, overlapping, play

# --- going on ------------------------------------------------------------------------------------------------------


def test_going_on_from_a_finished_model_costs_nothing() -> None:
    X, y = overlapping(60)
    model = play(X, y)[0][-1].model
    frames, stop = play(X, y, start=model)
    assert stop is Stop.CONVERGED
    assert [frame.phase for frame in frames] == ["initial", "done"]
    np.testing.assert_array_equal(frames[0].model.alpha, model.alpha)


@pytest.mark.parametrize("change", [{"C": 0.2}, {"C": 5.0}, {"sigma": 0.8}, {"slack": "squared"}, {"kernel": "linear"}])
def test_going_on_with_other_parameters_reaches_their_optimum(change: dict[str, Any]) -> None:
    X, y = overlapping(60)
    model = play(X, y)[0][-1].model
    frames, stop = play(X, y, start=model, **change)
    assert stop is Stop.CONVERGED
    assert frames[0].model.alpha.any()
    assert abs(frames[0].model.alpha @ np.where(y == 1, 1.0, -1.0)) <= 1e-12
    fresh = fit("kernel_svm", X, y, **change)
    assert frames[-1].metrics["dual"] == pytest.approx(fresh.metrics["dual"][-1], rel=2e-3)


def test_a_model_of_another_shape_is_not_looked_at() -> None:
    X, y = overlapping(60)
    model = play(X, y)[0][-1].model
    frames, stop = play(X[:40], y[:40], start=model)
    assert stop is Stop.CONVERGED
    assert not frames[0].model.alpha.any()


def test_feasible_repairs_box_and_balance() -> None:
    signs = np.array([1.0, 1.0, -1.0])
    np.testing.assert_allclose(feasible(np.array([5.0, 1.0, 1.0]), signs, 2.0), [2 / 3, 1 / 3, 1.0])
    np.testing.assert_array_equal(feasible(np.array([1.0, 1.0, 0.0]), signs, 2.0), np.zeros(3))


# --- pictures ------------------------------------------------------------------------------------------------------


def marks(frame: AnySnapshot, panel: str, kind: type) -> list[Any]:
    return [mark for mark in frame.views[panel] if isinstance(mark, kind)]


def test_the_plane_shows_field_margins_rings_and_pair() -> None:
    X, y = overlapping(40)
    frames, _ = play(X, y, kernel="linear", C=1.0)
    for frame in frames[1:]:
        assert marks(frame, "plane", Regions)[0].kind == "signed"
        assert marks(frame, "plane", Isolines)[0].weak == (-1.0, 1.0)
        rings = {mark.role: mark.points for mark in marks(frame, "plane", Highlight)}
        alpha = frame.model.alpha
        np.testing.assert_array_equal(rings["free"], np.flatnonzero((alpha > 0) & (alpha < 1)))
        np.testing.assert_array_equal(rings["bound"], np.flatnonzero(alpha == 1))
        (bars,) = marks(frame, "alphas", Bars)
        np.testing.assert_array_equal(bars.points, np.flatnonzero(alpha))
        np.testing.assert_array_equal(bars.values, alpha[alpha > 0])
        np.testing.assert_array_equal(bars.groups, y[alpha > 0])
        assert (bars.limit, bars.limit_name) == (1.0, "C")
    for before, frame in itertools.pairwise(frames[:65]):
        chosen = next(m.points for m in marks(frame, "plane", Highlight) if m.role == "chosen")
        moved = np.flatnonzero(frame.model.alpha != before.model.alpha)
        assert set(moved) <= set(chosen)


def test_linear_whiskers_end_on_the_margin_line() -> None:
    X, y = overlapping(40)
    last = play(X, y, kernel="linear", C=1.0, tol=1e-6)[0][-1]
    (whiskers,) = marks(last, "plane", Segments)
    signs = np.where(y == 1, 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * ALGORITHM.field(last.model, X))
    np.testing.assert_array_equal(whiskers.points, np.flatnonzero(slack > 1e-9))
    np.testing.assert_array_equal(whiskers.start, X[whiskers.points])
    np.testing.assert_allclose(ALGORITHM.field(last.model, whiskers.end), signs[whiskers.points], atol=1e-9)
    lengths = np.linalg.norm(whiskers.end - whiskers.start, axis=1)
    np.testing.assert_allclose(lengths, slack[whiskers.points] / np.linalg.norm(last.model.weights[0]), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "sigmoid"])
def test_curved_whiskers_follow_the_gradient_of_the_field(kernel: str) -> None:
    """One Newton step, bounded: the gradient that is kept up to date pair by pair is that of the field."""
    X, y = overlapping(40)
    params = KERNELS[kernel][0] | ({"sigma": 2.5**0.5} if kernel == "sigmoid" else {})
    last = play(X, y, kernel=kernel, C=1.0, **params)[0][-1]
    (whiskers,) = marks(last, "plane", Segments)
    h = 1e-6
    steps = [
        (ALGORITHM.field(last.model, whiskers.start + e) - ALGORITHM.field(last.model, whiskers.start - e)) / (2 * h)
        for e in h * np.eye(2)
    ]
    gradient = np.stack(steps, axis=1)
    signs = np.where(y == 1, 1.0, -1.0)[whiskers.points]
    slack = 1.0 - signs * ALGORITHM.field(last.model, whiskers.start)
    steepness = np.linalg.norm(gradient, axis=1)
    reach = 0.15 * np.linalg.norm(np.ptp(X, axis=0))
    length = np.minimum(slack / steepness, reach)
    expected = whiskers.start + gradient * (signs * length / steepness)[:, None]
    np.testing.assert_allclose(whiskers.end, expected, atol=1e-4)


def test_the_box_shows_the_pair() -> None:
    X, y = overlapping(40)
    for frame in play(X, y, C=1.0)[0][1:-1]:
        curves = {curve.name: curve for curve in marks(frame, "box", Curve)}
        move = curves["before and after"]
        chosen = next(m.points for m in marks(frame, "plane", Highlight) if m.role == "chosen")
        np.testing.assert_allclose([move.x[1], move.y[1]], frame.model.alpha[chosen], atol=1e-12)
        segment = curves["Σ α y stays 0"]
        assert min(segment.x.min(), segment.y.min()) >= -1e-12
        assert max(segment.x.max(), segment.y.max()) <= 1.0 + 1e-12


def test_frames_share_what_does_not_change() -> None:
    X, y = make_moons(300, noise=0.3, random_state=0)
    frames, _ = play(X, y)
    models = [frame.model for frame in frames]
    assert all(model.X is models[0].X and model.y is models[0].y for model in models)
    assert max(len(mark.values) for frame in frames for mark in marks(frame, "alphas", Bars)) == 60
    assert max(len(mark.points) for frame in frames for mark in marks(frame, "plane", Segments)) <= 300


# --- why -----------------------------------------------------------------------------------------------------------


def test_explanation_adds_up() -> None:
    X, y = overlapping(40)
    result = fit("kernel_svm", X, y)
    why = result.explain(3)
    terms = [value for name, value in why.items() if name.startswith("α y k of point")]
    assert len(terms) == 5
    assert sum(terms) + why["sum of the other terms"] + why["bias"] == pytest.approx(why["f(x)"])
    assert why["f(x)"] == pytest.approx(result.field(X[3:4])[0])
    assert why["class"] == str(result.predict(X[3:4])[0])
    assert why["training point"] == 4
    assert why["α"] == result.model.alpha[3]
    assert "α" not in result.explain(X[3] + 1e-3)


@pytest.mark.parametrize("multiclass", ["one-versus-rest", "one-versus-one"])
def test_explanation_of_several_classes(multiclass: str) -> None:
    X, y = load_iris(return_X_y=True)
    result = fit("kernel_svm", X, load_iris().target_names[y], multiclass=multiclass, sigma=1.0)
    why = result.explain(60)
    assert why["class"] == result.predict(X[60:61])[0] == "versicolor"
    assert "versicolor" in why["machine shown"]
    word = "f" if multiclass == "one-versus-rest" else "votes"
    assert [name for name in why if name.startswith(f"{word} of ")] == [
        f"{word} of {name}" for name in ("setosa", "versicolor", "virginica")
    ]


def test_parameters_have_their_public_names() -> None:
    fields = {field.name: field for field in schema(ALGORITHM.params)}
    assert fields["kernel"].choices[:4] == ("linear", "polynomial", "rbf", "sigmoid")
    assert fields["kernel"].choices[4:] == ("laplacian", "linear + rbf", "polynomial × rbf")
    assert fields["kernel"].default == "rbf"
    assert (fields["C"].default, fields["C"].log) == (1.0, True)
    assert fields["passes"].relevant({"selection": SIMPLE})
    assert not fields["passes"].relevant({"selection": "most violating pair"})


# --- memory --------------------------------------------------------------------------------------------------------


def test_machines_over_the_same_points_share_the_rows_of_the_kernel() -> None:
    data = Points.of(*load_iris(return_X_y=True), "classes")
    rest = Task.of(data, ALGORITHM.make_params({"multiclass": "one-versus-rest"}), None)
    assert len({id(problem.rows) for problem in rest.problems}) == 1
    pairs = Task.of(data, ALGORITHM.make_params({"multiclass": "one-versus-one"}), None)
    assert len({id(problem.rows) for problem in pairs.problems}) == 3
    assert {len(problem.rows[0]) for problem in pairs.problems} == {100}


def test_two_equal_rows_are_two_points_with_their_own_multipliers() -> None:
    """Rows 0 and 2 are equal but of different classes: one of them must pay a slack of 1 or more."""
    data = Points(np.array([[0.0], [2.0], [0.0], [-2.0]]), np.array([0, 1, 1, 0]))
    model = fit("kernel_svm", data, kernel="linear").model
    first, second = (ALGORITHM.explain(model, data, data.item(i)) for i in (0, 2))
    assert (first["training point"], second["training point"]) == (1, 3)
    assert first["y f(x)"] == pytest.approx(-second["y f(x)"])
    assert first["slack ξ"] + second["slack ξ"] == pytest.approx(2.0)
    assert "training point" not in ALGORITHM.explain(model, data, Item(x=np.array([0.0])))
