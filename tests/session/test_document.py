"""The document and the projection."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms import ParamError, Points, UnknownAlgorithm
from mlviz.session.document import Document
from mlviz.session.projection import Projection


def test_parameters_are_complete_checked_and_locked(data):
    document = Document(data, "first", {"k": 5.0})
    assert dict(document.params) == {"k": 5, "tol": 0.5, "init": "near", "centres": ()}
    assert document.make_params().k == 5
    assert document.method.key == "first"
    with pytest.raises(TypeError):
        document.params["k"] = 6
    with pytest.raises(ParamError, match="k must be a whole number from 1 to 20; got 0"):
        document.with_params(k=0)
    with pytest.raises(ParamError, match="no parameter 'colour'"):
        document.with_params(colour=1)
    with pytest.raises(UnknownAlgorithm, match="no algorithm 'third'"):
        document.with_algorithm("third")


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", None, True])
def test_bad_seeds_are_refused(data, seed):
    with pytest.raises(ValueError, match="seed must be a whole number"):
        Document(data, "first", {}, seed)


def test_each_change_names_itself(data):
    document = Document(data, "first", {"k": 5}, seed=1)
    assert document.changes(document.with_params(k=5)) == frozenset()
    assert document.changes(document.with_params(k=6)) == {"params"}
    assert document.changes(document.with_seed(2)) == {"seed"}
    assert document.changes(document.with_axes((1, 0))) == {"axes"}
    assert document.changes(document.with_data(Points(data.X))) == {"data"}
    other = document.with_algorithm("second")
    assert dict(other.params) == {"depth": 2}
    assert document.changes(other) == {"algorithm", "params"}
    assert dict(other.with_algorithm("first").params)["k"] == 3
    assert dict(document.params)["k"] == 5


def test_axes_that_the_data_does_not_have_become_the_first_two(data):
    wide = Document(Points(np.eye(4)), "first", axes=(3, 1))
    assert wide.axes == (3, 1)
    assert wide.with_data(data).axes == (0, 1)
    assert wide.with_axes((2, 2)).axes == (0, 1)
    assert wide.projection.labels == ("x4", "x2")


def test_two_features_are_the_plane_itself(data):
    plane = Projection.of(data)
    np.testing.assert_array_equal(plane.project(data.X), data.X)
    np.testing.assert_array_equal(plane.points(data), data.X)
    np.testing.assert_array_equal(plane.lift(data.X), data.X)
    assert (plane.note, plane.labels) == ("", ("x1", "x2"))
    assert plane == Projection.of(data)
    assert hash(plane) == hash(Projection.of(data))


def test_more_features_are_seen_on_a_slice_through_the_means():
    data = Points(np.arange(15.0).reshape(3, 5), features=list("abcde"))  # means 5, 6, 7, 8, 9
    plane = Projection.of(data, (4, 1))
    np.testing.assert_array_equal(plane.project(data.X), [[4, 1], [9, 6], [14, 11]])
    np.testing.assert_array_equal(plane.lift(np.array([[100.0, 200.0]])), [[5, 200, 7, 8, 100]])
    np.testing.assert_array_equal(plane.project(plane.lift(np.array([[3.0, 4.0]]))), [[3, 4]])
    assert plane.note == "Slice through the means of the other 3 features"
    assert plane.labels == ("e", "b")
    assert Projection.of(Points(np.eye(3))).note == "Slice through the mean of the other feature"
    trail = np.arange(2 * 3 * 5.0).reshape(2, 3, 5)
    np.testing.assert_array_equal(plane.project(trail), trail[:, :, [4, 1]])


def test_the_marginal_covariance_is_that_of_the_projected_points():
    X = np.random.default_rng(0).normal(size=(40, 4)) @ np.random.default_rng(1).normal(size=(4, 4))
    plane = Projection.of(Points(X), (2, 0))
    expected = np.cov(plane.project(X).T)
    np.testing.assert_allclose(plane.covariance(np.cov(X.T)[None])[0], expected)


def test_one_feature_lies_on_a_line_or_has_its_target_as_height():
    plain = Points([1.0, 2.0, 3.0])
    plane = Projection.of(plain)
    np.testing.assert_array_equal(plane.points(plain), [[1, 0], [2, 0], [3, 0]])
    np.testing.assert_array_equal(plane.lift(np.array([[5.0, 9.0]])), [[5]])
    np.testing.assert_array_equal(plane.covariance(np.array([[[4.0]]])), [[[4, 0], [0, 0]]])
    assert plane.labels == ("x1", "")
    valued = Points([1.0, 2.0], np.array([0.5, 0.7]), target="price")
    plane = Projection.of(valued)
    np.testing.assert_array_equal(plane.points(valued), [[1, 0.5], [2, 0.7]])
    np.testing.assert_array_equal(plane.project(np.array([[1.0, 7.0]])), [[1, 7]])
    np.testing.assert_array_equal(plane.project(np.array([[1.0]])), [[1, 0]])
    assert plane.labels == ("x1", "price")
    classes = Points([1.0, 2.0], np.array(["a", "b"]))
    np.testing.assert_array_equal(Projection.of(classes).points(classes), [[1, 0], [2, 0]])


def test_axes_and_positions_that_do_not_fit_are_refused(data):
    for axes in ((0, 0), (0, 2), (-1, 0)):
        with pytest.raises(ValueError, match="not two different features"):
            Projection.of(data, axes)
    with pytest.raises(ValueError, match="have 3 features; the data has 2"):
        Projection.of(data).project(np.zeros((1, 3)))
