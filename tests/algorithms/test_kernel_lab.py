"""The kernel laboratory: the space that a matrix builds, eigenfunctions, the explicit map, sentences."""

import itertools

import numpy as np
import pytest

from algorithms import DataError, Points, find, fit
from algorithms.classification.kernel_lab import rebuilding_error
from algorithms.marks import Bars, Centres, Cloud3D, Matrix
from mlviz.data.spec import load_data

LAB = find("kernel_lab")
X = np.random.default_rng(0).normal(size=(40, 2))
DATA = Points(X)


def play(data, **params):
    return list(LAB.start(data, LAB.make_params(params), 0))


def test_the_coordinates_rebuild_the_matrix():
    """φ(x_i)·φ(x_j) = K_ij: the finite space that a Gram matrix builds."""
    model = fit("kernel_lab", DATA).model
    assert model.coordinates @ model.coordinates.T == pytest.approx(model.gram, abs=1e-9)
    wanted = 0.5 * np.exp(-np.square(X[:, None] - X).sum(axis=2) / 2) + (X @ X.T + 1) ** 2
    assert model.gram == pytest.approx(wanted)
    assert model.eigenvalues == pytest.approx(np.linalg.eigvalsh(wanted)[::-1])
    assert rebuilding_error(model, 40) == pytest.approx(0.0, abs=1e-9)
    errors = [rebuilding_error(model, count) for count in range(41)]
    assert errors[0] == 1.0
    assert all(one >= two - 1e-12 for one, two in itertools.pairwise(errors))


def test_the_square_of_the_product_lifts_to_three_dimensions_with_a_root_of_two():
    """The slides write (x1², 2 x1 x2, x2²); with √2 it is <x, z>², with 2 it is not."""
    model = fit("kernel_lab", DATA, kernel="polynomial", degree=2, offset=0.0).model
    mapped = np.column_stack([X[:, 0] ** 2, np.sqrt(2.0) * X[:, 0] * X[:, 1], X[:, 1] ** 2])
    assert mapped @ mapped.T == pytest.approx(model.gram)
    assert (model.eigenvalues[3:] < 1e-9).all()
    assert model.coordinates[:, :3] @ model.coordinates[:, :3].T == pytest.approx(model.gram)
    printed = mapped * [1.0, np.sqrt(2.0), 1.0]
    assert np.abs(printed @ printed.T - model.gram).max() > 0.1


def test_eigenfunctions_pass_through_the_eigenvectors_and_are_orthonormal():
    frames = [frame for frame in play(DATA, kernel="rbf") if frame.phase == "function"]
    assert len(frames) == 6
    values = np.column_stack([LAB.field(frame.model, X) for frame in frames])
    assert values == pytest.approx(np.sqrt(40) * frames[0].model.vectors[:, :6], abs=1e-8)
    assert values.T @ values / 40 == pytest.approx(np.eye(6), abs=1e-8)


def test_mercer_with_all_eigenfunctions_is_the_kernel():
    model = play(Points(X[:6]), kernel="rbf")[-1].model
    psi = np.sqrt(6) * model.vectors
    assert (psi * model.eigenvalues / 6) @ psi.T == pytest.approx(model.gram)


def test_the_bump_is_the_kernel_with_its_place_and_can_be_dragged():
    frame = play(DATA, kernel="rbf", sigma=0.5, at=((0.5, -0.25),))[0]
    centre = next(mark for mark in frame.views["plane"] if isinstance(mark, Centres))
    assert centre.handle == "at"
    assert centre.at.tolist() == [[0.5, -0.25]]
    where = np.array([[0.5, -0.25], [1.0, -0.25]])
    assert LAB.field(frame.model, where) == pytest.approx([1.0, np.exp(-0.5)])


def test_negative_eigenvalues_are_marked_and_named():
    frames = play(DATA, kernel="sigmoid", slope=1.0, shift=1.0)
    last = frames[-1]
    assert last.model.eigenvalues[-1] < -1.0
    assert last.warning.startswith("This is not a kernel: ")
    assert "is not a kernel" in last.caption
    bars = next(mark for mark in last.views["spectrum"] if isinstance(mark, Bars))
    assert np.array_equal(bars.groups == 1, bars.values < -1e-6)
    assert (bars.groups == 1).sum() == last.metrics["negative"] > 0


def test_what_no_rule_knows_and_no_point_refutes_is_called_neither():
    frames = play(Points([[1.0, 0.0], [0.0, 1.0]]), expression="2*rbf - 0.1*rbf")
    told = next(frame for frame in frames if frame.phase == "spectrum")
    assert "do not refute that it is a kernel" in told.caption


def test_the_parts_are_built_one_after_the_other():
    frames = play(DATA)
    assert [frame.model.kernel.text for frame in frames if frame.phase == "part"] == [
        "rbf(sigma=1)",
        "0.5*rbf(sigma=1)",
        "poly(degree=2)",
    ]


def test_the_matrix_is_rebuilt_and_the_points_are_lifted():
    frames = play(DATA)
    one = next(frame for frame in frames if frame.phase == "rebuild")
    matrix = next(mark for mark in one.views["gram"] if isinstance(mark, Matrix))
    assert np.linalg.matrix_rank(matrix.values) == 1
    cloud = next(mark for mark in frames[-1].views["lift"] if isinstance(mark, Cloud3D))
    assert cloud.at == pytest.approx(frames[-1].model.coordinates[:, :3])


def test_of_many_points_some_are_taken():
    model = fit("kernel_lab", load_data("blobs(n=2000,seed=1)")).model
    assert model.gram.shape == (300, 300)
    assert len(np.unique(model.members)) == 300


def test_eigenvalues_lost_in_rounding_are_not_called_zero():
    """A Gaussian kernel of distinct points is positive definite: 120 of them span 120 dimensions."""
    frames = play(load_data("circles(n=120,noise=0.06,seed=1)"), kernel="rbf")
    told = {frame.phase: frame.caption for frame in frames}
    assert "positive, but too small to be told from 0" in told["spectrum"]
    assert told["done"].startswith("The 120 distinct points span 120 dimensions of the space of k, but numerically ")


def test_equal_points_and_polynomials_have_eigenvalues_of_zero():
    twice = play(Points(np.concatenate([X[:5], X[:5]])), kernel="rbf")
    assert "the smallest is 0 up to rounding" in next(frame.caption for frame in twice if frame.phase == "spectrum")
    assert twice[-1].caption.startswith("The points span numerically 5 dimensions of the space of k.")
    assert play(DATA, kernel="linear")[-1].caption == "The points span numerically 2 dimensions of the space of k."


def test_what_is_left_is_not_known_before_the_matrix_is_rebuilt():
    for frame in play(DATA):
        assert np.isnan(frame.metrics["left"]) == (frame.phase not in ("rebuild", "done"))


def test_values_that_are_too_large_are_refused_with_a_sentence():
    with pytest.raises(DataError, match=r"exp\(poly\(degree=10\)\) are too large"):
        play(Points(100 * X), expression="exp(poly(degree=10))")


def test_explain_gives_the_distance_in_the_space_of_the_kernel():
    fitted = fit("kernel_lab", DATA, kernel="rbf", at=((0.0, 0.0),))
    answer = fitted.explain(3)
    assert answer["k with itself"] == 1.0
    far = np.sqrt(2.0 - 2.0 * np.exp(-np.square(X[3]).sum() / 2))
    assert float(answer["distance to it in the space of k"]) == pytest.approx(far, rel=1e-3)
    assert answer["coordinate 1"] == pytest.approx(fitted.model.coordinates[3, 0])
