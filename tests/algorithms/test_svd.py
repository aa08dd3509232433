"""Singular values: by hand, the theorem of Eckart and Young, NumPy as an oracle, and as frames."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes

from algorithms import Item, Points, fit
from algorithms.data import DataError
from algorithms.embedding.svd import ALGORITHM
from algorithms.embedding.svd.solver import Circle, Decomposition, ladder, spectral_norm
from algorithms.marks import Arrows, Dots, Images, Polygons
from mlviz.data.spec import load_data
from tests.algorithms.played import phase

BY_HAND = np.array([[3.0, 0.0], [4.0, 5.0]])
"""A'A = [[25, 20], [20, 25]] has 45 along (1, 1) and 5 along (1, -1); A(1, 1)/root 2 = (3, 9)/root 2 = root 45 u_1."""


def frames(data, **params):
    data = data if isinstance(data, Points) else Points(data)
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


def matrix(n, d, seed):
    return np.random.default_rng(seed).normal(size=(n, d))


# --- known answers ----------------------------------------------------------------------------------------------------


def test_two_by_two_by_hand():
    model = fit("svd", BY_HAND).model
    root = np.sqrt(0.5)
    assert model.s == pytest.approx(np.sqrt([45.0, 5.0]))
    assert model.Vt[0] == pytest.approx([root, root])
    assert np.abs(model.Vt[1]) == pytest.approx([root, root])
    assert model.U[:, 0] == pytest.approx(np.array([1.0, 3.0]) / np.sqrt(10.0))
    assert (model.U * model.s) @ model.Vt == pytest.approx(BY_HAND)


def test_one_layer_of_it_by_hand():
    """The first layer is [[1.5, 1.5], [4.5, 4.5]]; what is left over, [[1.5, -1.5], [-0.5, 0.5]], has norm root 5."""
    result = fit("svd", BY_HAND, rank=1)
    assert (result.model.U * result.model.s) @ result.model.Vt == pytest.approx(np.array([[1.5, 1.5], [4.5, 4.5]]))
    assert result.last.metrics["spectral"] == pytest.approx(np.sqrt(5.0))
    assert result.last.metrics["frobenius"] == pytest.approx(np.sqrt(5.0))
    assert result.last.metrics["kept"] == pytest.approx(0.9)
    assert result.last.metrics["numbers"] == pytest.approx(5 / 4)


@pytest.mark.parametrize(("pattern", "rank"), [("stripes", 1), ("chessboard", 2)])
def test_patterns_of_low_rank(pattern, rank):
    found = Decomposition.of(load_data(f'picture(pattern="{pattern}",noise=0)').X)
    assert found.rank == rank
    assert found.sum_of(rank) == pytest.approx(found.A, abs=1e-12)


def test_a_line_across_a_picture_has_nearly_full_rank():
    assert Decomposition.of(load_data('picture(n=64,width=64,pattern="diagonal",noise=0)').X).rank > 60


# --- identities and oracles -------------------------------------------------------------------------------------------


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 10**6))
def test_what_is_left_over_is_the_next_singular_value_and_nothing_is_nearer(n, d, seed):
    A = matrix(n, d, seed)
    theirs = np.linalg.svd(A, compute_uv=False)
    other = np.random.default_rng(seed + 1)
    for k in range(1, min(n, d) + 1):
        result = fit("svd", A, rank=k)
        model, metrics = result.model, result.last.metrics
        assert model.s == pytest.approx(theirs[:k])
        assert pytest.approx(np.eye(k), abs=1e-9) == model.U.T @ model.U
        assert model.Vt @ model.Vt.T == pytest.approx(np.eye(k), abs=1e-9)
        rest = A - (model.U * model.s) @ model.Vt
        assert metrics["spectral"] == pytest.approx(np.linalg.norm(rest, 2), abs=1e-9)
        assert metrics["frobenius"] == pytest.approx(np.linalg.norm(rest), abs=1e-9)
        assert spectral_norm(rest) == pytest.approx(np.linalg.norm(rest, 2), abs=1e-7)
        rival = other.normal(size=(n, k)) @ other.normal(size=(k, d))
        assert np.linalg.norm(A - rival, 2) >= metrics["spectral"] * (1 - 1e-9)
        assert np.linalg.norm(A - rival) >= metrics["frobenius"] * (1 - 1e-9)


def test_singular_vectors_are_eigenvectors_of_both_products():
    A = matrix(7, 5, 3)
    model = fit("svd", A).model
    assert pytest.approx(model.Vt.T * model.s**2) == A.T @ A @ model.Vt.T
    assert pytest.approx(model.U * model.s**2) == A @ A.T @ model.U
    assert pytest.approx(model.U * model.s) == A @ model.Vt.T
    assert np.linalg.norm(A) ** 2 == pytest.approx((model.s**2).sum())


def test_rows_go_into_the_layers_and_back():
    A = matrix(30, 6, 1)
    result = fit("svd", A, rank=3)
    model = result.model
    assert result.transform(A) == pytest.approx(model.U * model.s)
    assert result.inverse(result.transform(A)) == pytest.approx((model.U * model.s) @ model.Vt)
    with pytest.raises(DataError, match="There are 3 layers; these rows have 2 coordinates"):
        result.inverse(np.zeros((1, 2)))


def test_centred_rows_give_principal_components():
    A = matrix(40, 4, 2)
    A -= A.mean(axis=0)
    ours, theirs = fit("svd", A).model, fit("pca", A, dimensions=4).model
    assert ours.s**2 / 39 == pytest.approx(theirs.variances)
    assert np.abs(ours.Vt) == pytest.approx(np.abs(theirs.components))
    assert procrustes(theirs.embedding, ours.U * ours.s)[2] < 1e-12


@pytest.mark.parametrize("A", [BY_HAND, matrix(5, 2, 4), matrix(1, 2, 5)])
def test_the_circle_becomes_an_ellipse_with_the_singular_values_as_half_axes(A):
    found = Decomposition.of(A)
    circle = Circle.of(found)
    turn = np.linspace(0.0, 2.0 * np.pi, 721)
    lengths = np.linalg.norm(circle.image(np.column_stack([np.cos(turn), np.sin(turn)])), axis=1)
    assert lengths.max() == pytest.approx(found.s[0], rel=1e-4)
    least = np.append(found.s, 0.0)[1]
    assert lengths.min() == pytest.approx(least, rel=1e-2, abs=1e-2)
    ends = circle.image(circle.v)
    assert np.linalg.norm(ends, axis=1) == pytest.approx([found.s[0], least], abs=1e-12)
    assert ends[0] @ ends[1] == pytest.approx(0.0, abs=1e-9)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(BY_HAND)
    assert list(dict.fromkeys(frame.phase for frame in told)) == ["start", "turn", "longest", "layer", "result"]
    assert [len(frame.model.s) for frame in phase(told, "layer")] == [1, 2]
    assert phase(told, "layer")[0].caption == (
        "Layer 1 is σ₁ = 6.708 times column u₁ times row v₁. The remainder has the spectral norm 2.236 = σ₂ and the "
        "Frobenius norm 2.236, the root of the sum of all later σ²."
    )
    assert phase(told, "longest")[-1].caption.endswith("at 45° the length of Ax is 6.708.")
    assert list(dict.fromkeys(frame.phase for frame in frames(matrix(6, 4, 0)))) == ["start", "layer", "result"]


def test_the_picture_is_the_sum_of_its_layers():
    """The tiles are the matrix, the sum, the newest layer and the rest; sum and rest together are the matrix."""
    data = load_data("picture(n=24,width=32)")
    sums = np.zeros((24, 32))
    for frame in phase(frames(data, rank=5), "layer"):
        (images,) = frame.views["pictures"]
        given_, so_far, layer, rest = images.pixels
        sums = sums + layer
        assert given_ == pytest.approx(data.X)
        assert so_far == pytest.approx(sums)
        assert so_far + rest == pytest.approx(data.X)
        assert images.signed.tolist() == [False, False, True, True]
        following = "₀₁₂₃₄₅₆"[len(frame.model.s) + 1]
        assert images.captions[3] == f"rest: {np.linalg.norm(rest, 2):.4g} = σ{following}"
        assert np.linalg.matrix_rank(layer, tol=1e-9) == 1


def test_layers_are_gathered_with_their_singular_values():
    told = phase(frames(matrix(20, 20, 1), rank=15), "layer")
    assert [len(frame.views["layers"][0].pixels) for frame in told] == [*range(1, 13), 12, 12, 12]
    assert told[0].views["layers"][0].captions == (f"σ₁: {told[0].model.s[0]:.3g}",)


def test_a_matrix_with_negative_numbers_is_signed_and_a_narrow_one_has_wide_pixels():
    (images,) = frames(matrix(30, 2, 1))[-1].views["pictures"]
    assert images.signed.all()
    height, width = images.pixels.shape[1:]
    assert (height, width) == (30, 16)
    assert images.at.tolist() == [[0, 0], [0, 1], [0, 2], [0, 3]]


def test_the_error_lies_on_both_curves_and_the_rank_can_be_dragged():
    for frame in frames(matrix(8, 6, 3), rank=4)[1:]:
        spectral, frobenius, here = frame.views["error"]
        k = len(frame.model.s)
        assert here.at.tolist() == [[k, spectral.y[k]], [k, frobenius.y[k]]]
        assert spectral.y[k] == pytest.approx(100 * frame.metrics["spectral"] / frame.model.spectrum[0])
        _, dot, line = frame.views["spectrum"]
        assert isinstance(dot, Dots)
        assert dot.at[0] == pytest.approx([k + 1, frame.metrics["spectral"]])
        assert (line.at, line.handle) == (4.0, "rank")


def test_circle_of_frames():
    turning = phase(frames(BY_HAND), "turn")[3]
    arrows = next(mark for mark in turning.views["circle"] if isinstance(mark, Arrows))
    assert np.linalg.norm(arrows.end[0]) == pytest.approx(1.0)
    assert arrows.end[1] == pytest.approx(BY_HAND @ arrows.end[0])
    last = frames(BY_HAND)[-1].views["circle"]
    assert sum(isinstance(mark, Polygons) for mark in last) == 2
    for d in (1, 3):
        assert "circle" not in frames(matrix(5, d, 0))[-1].views
        assert ALGORITHM.panels_on(Points(matrix(5, d, 0)))[0].key == "pictures"
    assert ALGORITHM.panels_on(Points(BY_HAND))[0].key == "circle"


def test_long_runs_take_larger_steps():
    assert ladder(3) == (1, 2, 3)
    steps = ladder(256)
    assert steps[:48] == tuple(range(1, 49))
    assert steps[-1] == 256
    assert len(steps) < 110


def test_equal_singular_values_and_a_lower_rank_are_said():
    assert "another matrix of rank 1 is just as near" in fit("svd", np.eye(3), rank=1).last.warning
    assert "has rank 1: all later layers are 0" in fit("svd", np.ones((4, 3)), rank=2).last.warning
    assert fit("svd", np.ones((4, 3)), rank=1).last.warning == ""
    assert fit("svd", BY_HAND).last.warning == ""


def test_why_for_a_row_and_for_a_place():
    result = fit("svd", BY_HAND, rank=1)
    answer = result.explain(0)
    assert answer["row"] == 1
    assert answer["along v₁"] == pytest.approx(3 * np.sqrt(0.5))
    assert answer["length of the row"] == 3.0
    assert answer["length of the remainder"] == pytest.approx(3 * np.sqrt(0.5))
    place = ALGORITHM.explain(result.model, Points(BY_HAND), Item(x=np.array([2.0, 2.0])))
    assert "row" not in place
    assert place["length of the remainder"] == pytest.approx(0.0, abs=1e-12)


def test_zeros_and_very_large_matrices_are_refused():
    with pytest.raises(DataError, match="All numbers of the matrix are 0"):
        fit("svd", np.zeros((3, 3)))
    with pytest.raises(DataError, match="1,100 × 1,100 numbers is too large"):
        fit("svd", np.broadcast_to(1.0, (1100, 1100)))


def test_a_large_matrix_is_shown_in_part():
    (images,) = frames(np.outer(np.arange(1.0, 601.0), np.arange(1.0, 4.0)), rank=1)[-1].views["pictures"]
    assert isinstance(images, Images)
    assert images.pixels.shape[1] == 256
    assert images.captions[0] == "A: 600 × 3, a part"
