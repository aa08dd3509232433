"""The document and the projection."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms import DataError, ParamError, Points, UnknownAlgorithm
from mlviz.session.document import Document
from mlviz.session.files import load, save
from mlviz.session.projection import PrincipalPlane, Projection, checked_plane


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
    assert dict(other.with_algorithm("first").params)["k"] == 5
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


def test_principal_components_of_a_hand_worked_cloud():
    """Squares of 16 along (1, 1, 0) / sqrt 2 and of 8 along z, nothing across: shares of 2/3 and 1/3."""
    X = np.array([[2.0, 2.0, 0.0], [-2.0, -2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, -2.0]]) + (1.0, 2.0, 3.0)
    data = Points(X, features=["a", "b", "c"])
    plane = PrincipalPlane.of(data)
    np.testing.assert_allclose(plane.mean, [1, 2, 3])
    root = 0.5**0.5
    np.testing.assert_allclose(plane.directions, [[root, root, 0], [0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(plane.fractions, [2 / 3, 1 / 3])
    projection = Projection.of(data, plane)
    np.testing.assert_allclose(projection.points(data), [[8**0.5, 0], [-(8**0.5), 0], [0, 2], [0, -2]], atol=1e-12)
    np.testing.assert_allclose(projection.lift(np.array([[8**0.5, 1.0]])), [[3, 4, 4]])
    assert projection.labels == ("PC 1 (67 %)", "PC 2 (33 %)")
    assert projection.note == "Projection (PCA of 3 features); fields on its plane"


def test_principal_components_agree_with_scikit_learn():
    from sklearn.decomposition import PCA

    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 7)) @ rng.normal(size=(7, 7)) * 1e120 + 3e120  # squares overflow
    oracle = PCA(2, svd_solver="full").fit(X / 1e120)
    plane = PrincipalPlane.of(Points(X))
    directions = np.array(plane.directions)
    np.testing.assert_allclose(np.abs(np.sum(directions * oracle.components_, axis=1)), 1.0)
    np.testing.assert_allclose(plane.fractions, oracle.explained_variance_ratio_)
    assert (directions[np.arange(2), np.abs(directions).argmax(axis=1)] > 0).all()


def test_many_points_and_many_features_need_only_two_vectors(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 30)) * np.linspace(5, 1, 30)
    whole = PrincipalPlane.of(Points(X))
    monkeypatch.setattr("algorithms.maths.components.MAX_DENSE", 10)
    np.testing.assert_allclose(PrincipalPlane.of(Points(X)).directions, whole.directions, atol=1e-8)


def test_a_plane_of_points_that_do_not_vary_is_still_a_plane():
    for X in (np.ones((1, 4)), np.ones((5, 3)), np.outer(np.arange(6.0), [1.0, 2.0, 3.0])):
        plane = PrincipalPlane.of(Points(X))
        basis = np.array(plane.directions)
        np.testing.assert_allclose(basis @ basis.T, np.eye(2), atol=1e-12)
        assert 0 <= plane.fractions[1] <= plane.fractions[0] <= 1


def test_moving_on_the_plane_keeps_what_it_does_not_show():
    X = np.random.default_rng(2).normal(size=(30, 5))
    projection = Projection.of(Points(X), PrincipalPlane.of(Points(X)))
    at = np.random.default_rng(3).normal(size=(30, 2))
    moved = projection.moved(X, at)
    np.testing.assert_allclose(projection.project(moved), at)
    directions = np.array(projection.plane.directions)
    across = np.eye(5) - directions.T @ directions
    np.testing.assert_allclose(moved @ across, X @ across)
    np.testing.assert_allclose(projection.project(projection.lift(at)), at)
    expected = np.cov(projection.project(X).T)
    np.testing.assert_allclose(projection.covariance(np.cov(X.T)), expected, atol=1e-12)


def test_a_document_keeps_its_plane_through_edits_and_refits_it_when_asked():
    rng = np.random.default_rng(1)
    document = Document(Points(rng.normal(size=(20, 4))), "first").with_pca()
    assert document.shows_pca
    edited = document.with_data(Points(rng.normal(size=(21, 4))))
    assert edited.axes == document.axes
    again = edited.with_pca()
    assert again.axes != edited.axes
    assert again.changes(edited) == {"axes"}
    assert edited.with_data(Points(np.eye(3))).axes == (0, 1)
    scaled = document.with_scale("standardised")
    assert scaled.axes == PrincipalPlane.of(scaled.data)
    flat = Document(Points(np.eye(2)), "first")
    assert flat.with_pca() is flat


def test_a_damaged_plane_is_refused():
    good = {"mean": [0, 0, 0], "directions": [[1, 0, 0], [0, 0, 1]], "fractions": [0.5, 2.0]}
    assert checked_plane(good, 3) == PrincipalPlane((0.0,) * 3, ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), (0.5, 1.0))
    old = {"shares" if name == "fractions" else name: value for name, value in good.items()}
    assert checked_plane(old, 3) == checked_plane(good, 3)
    for wrong in (
        None,
        {},
        {**good, "mean": [0, 0]},
        {**good, "mean": ["0", 0, 0]},
        {**good, "mean": [float("nan"), 0, 0]},
        {**good, "fractions": [1]},
        {**good, "fractions": [True, False]},
        {**good, "directions": [[1, 0, 0]]},
        {**good, "directions": [[1, 0, 0], [0, 1]]},
    ):
        with pytest.raises(ValueError, match=r"not described|does not fit"):
            checked_plane(wrong, 3)
    with pytest.raises(ValueError, match="right angle"):
        checked_plane({**good, "directions": [[1, 0, 0], [1, 0, 0]]}, 3)


def test_every_method_keeps_its_parameters_while_another_is_looked_at(data):
    first = Document(data, "first", {"k": 7})
    away = first.with_algorithm("second")
    assert away.memory == {"first": {"k": 7}}
    assert away.with_algorithm("first").params["k"] == 7
    assert away.with_algorithm("first").memory == {}
    assert away.with_defaults().with_algorithm("first").params["k"] == 3


def test_what_was_set_back_to_its_default_is_not_remembered(data):
    plain = Document(data, "first", {"k": 7}).with_params(k=3)
    assert plain.with_algorithm("second").memory == {}


def test_the_parameters_of_other_methods_are_saved(data, tmp_path):
    save(tmp_path / "a.mlviz", Document(data, "first", {"k": 7}).with_algorithm("second"))
    loaded = load(tmp_path / "a.mlviz")
    assert loaded.notices == []
    assert loaded.document.with_algorithm("first").params["k"] == 7


@pytest.mark.parametrize("factor", [1e101, 1e-101])
def test_numbers_that_cannot_be_drawn_are_refused(factor):
    with pytest.raises(DataError, match="methods calculate with numbers"):
        Document(Points([[factor], [0.0]]), "k_means")


def test_what_was_given_goes_with_the_document_and_not_into_slides(data):
    """So undo brings it back, and what the history forgets is not kept anywhere else."""
    opened = Document(data, "first").with_source("a.csv").as_given()
    edited = opened.with_data(data.with_rows(data.X + 1, data.y))
    assert edited.given["points"] is data
    assert edited.given is opened.given
    assert edited.with_source("b.csv").given == {}
    assert edited.for_slide().given == {}
