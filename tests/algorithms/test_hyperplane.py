"""A line set by hand: side test, distances, the map of mistakes, the lift, and the cone of solutions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.stats import norm

from algorithms import DataError, Points, find, fit
from algorithms.classification.hyperplane.solver import (
    Bells,
    Staircase,
    cone_of_solutions,
    unit_normal,
    widest_line,
    wrong_over_angles,
    wrong_over_offsets,
)
from algorithms.marks import (
    Cloud3D,
    Curve,
    DividingLine,
    Ellipses,
    Highlight,
    Isolines,
    Matrix,
    ReferenceLine,
    Segments,
)
from algorithms.maths.hulls import _hull, hull_of
from mlviz.data.generators import generate
from mlviz.data.spec import load_data
from tests.algorithms.played import marks

LINE = find("hyperplane")


def play(data, **params):
    return list(LINE.start(data, LINE.make_params(params), 0))


def two_groups(n=40, gap=3.0, d=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[:, 0] += gap * y
    return Points(X, y)


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_signed_distances_by_hand():
    """v = (3, 4)/5 through the mean (0, 0): (3, 4) is 5 in front of the line, (4, -3) on it, (-3, -4) 5 behind."""
    data = Points([[3.0, 4.0], [-3.0, -4.0], [4.0, -3.0], [-4.0, 3.0]], [1, 0, 1, 0])
    found = fit("hyperplane", data, angle=np.degrees(np.arctan2(4, 3)))
    assert found.model.normal == pytest.approx([0.6, 0.8])
    assert found.model.offset == pytest.approx(0.0)
    assert found.field(data.X) == pytest.approx([5.0, -5.0, 0.0, 0.0], abs=1e-12)


def test_the_offset_is_the_distance_from_the_mean():
    data = Points([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0], [7.0, 0.0]], [0, 0, 1, 1])
    model = fit("hyperplane", data, angle=0.0, offset=1.5).model
    assert model.offset == 1.5
    assert model.origin.tolist() == [4.0, 0.0]
    assert play(data, offset=1.5)[-1].metrics["wrong"] == 1  # 5 is behind the line now
    assert play(data, offset=0.0)[-1].metrics["wrong"] == 0
    assert play(data, angle=180.0)[-1].metrics["wrong"] == 4  # the opposite normal swaps the sides


def test_the_offset_of_a_run_has_one_meaning():
    """In the caption, in the explanation, in the cut over the offset and in the model it is the knob."""
    data = two_groups(12, gap=6.0)
    frames = play(data, offset=1.5, angle=20.0)
    assert "the offset c = 1.5 from the mean" in frames[0].caption
    assert [line.at for line in marks(frames[-1], "offsets", ReferenceLine)] == [1.5]
    said = LINE.explain(frames[-1].model, data, data.item(3))
    parts = [value for key, value in said.items() if key.startswith("v · ")]
    assert said["offset c"] == 1.5
    assert sum(parts) - said["offset c"] == pytest.approx(said["signed distance"])


def test_the_cosine_is_positive_within_a_quarter_turn_only():
    """A slide prints "(-π, π)": at ±120° a point along the first axis is behind the line through the origin."""
    ahead = np.array([1.0, 0.0])
    assert [bool(unit_normal(angle, 2) @ ahead > 0.0) for angle in (-120, -89, 0, 89, 120)] == [0, 1, 1, 1, 0]


@settings(max_examples=30, deadline=None)
@given(st.floats(-180, 180), st.floats(-5, 5), st.floats(-9, 9), st.floats(-9, 9))
def test_the_distance_is_that_of_the_nearest_place_on_the_line(angle, offset, x, y):
    data = two_groups(8)
    found = fit("hyperplane", data, angle=angle, offset=offset)
    normal, along = found.model.normal, np.array([-found.model.normal[1], found.model.normal[0]])
    on_line = found.model.origin + found.model.offset * normal + np.linspace(-60, 60, 24001)[:, None] * along
    nearest = np.sqrt(np.square(on_line - [x, y]).sum(axis=1)).min()
    assert abs(float(found.field([[x, y]])[0])) == pytest.approx(nearest, abs=1e-3)


# --- the map of all lines ---------------------------------------------------------------------------------------------


def test_the_map_counts_as_every_line_does():
    data = two_groups(30, gap=1.0)
    frames = play(data)
    stairs = Staircase.none(5.0).counted(data.X - data.X.mean(axis=0), 2.0 * data.y - 1.0, 61)
    for row, column in [(0, 0), (30, 12), (44, 31), (60, 60), (17, 55)]:
        angle, offset = float(stairs.angles[column]), float(stairs.offsets[row])
        assert play(data, angle=angle, offset=offset)[-1].metrics["wrong"] == stairs.wrong[row, column]
    assert frames[-1].model.swept == 61
    assert frames[0].views["map"] == ()


def test_both_cuts_agree_with_the_side_test():
    data = two_groups(30, gap=1.0)
    X, signs = data.X - data.X.mean(axis=0), 2.0 * data.y - 1.0
    offsets = np.linspace(-3, 3, 41)
    by_hand = [np.count_nonzero((X @ unit_normal(25.0, 2) >= c) != (signs > 0)) for c in offsets]
    assert wrong_over_offsets(X @ unit_normal(25.0, 2), signs, offsets).tolist() == by_hand
    angles = np.linspace(-180, 180, 37)
    counts = wrong_over_angles(X, signs, angles, 0.3)
    assert counts[18] == np.count_nonzero((X[:, 0] >= 0.3) != (signs > 0))
    assert counts[0] == counts[-1]


def test_the_error_is_a_staircase_with_as_many_steps_as_points():
    data = two_groups(12)
    last = play(data)[-1]
    curve, _ = marks(last, "offsets", Curve)
    assert set(np.abs(np.diff(curve.y)).tolist()) <= {0.0, 1.0}
    assert np.count_nonzero(np.diff(curve.y)) == 12


def test_angle_and_offset_can_be_dragged_in_the_plane_and_in_their_cuts():
    last = play(two_groups())[-1]
    (line,) = marks(last, "plane", DividingLine)
    assert line.handles == ("angle", "offset")
    assert [marks(last, panel, ReferenceLine)[0].handle for panel in ("offsets", "angles")] == ["offset", "angle"]


# --- the lift and the cone --------------------------------------------------------------------------------------------


def test_the_lifted_plane_passes_through_the_origin_and_cuts_height_1_in_the_line():
    data = two_groups()
    frame = play(data, angle=35.0, offset=0.7)[-1]
    (cloud,) = marks(frame, "lift", Cloud3D)
    assert (cloud.at[:, 2] == 1.0).all()
    corners = cloud.corners
    z = corners[6]  # the tip of the normal
    assert corners[4].tolist() == [0.0, 0.0, 0.0]
    assert corners[:6] @ z == pytest.approx(0.0, abs=1e-9)
    assert np.sign(cloud.at @ z) == pytest.approx(np.sign(LINE.field(frame.model, data.X)))


def test_every_vector_of_the_cone_parts_the_classes_and_none_beyond_its_edges_does():
    data = two_groups(30, gap=6.0)
    X, signs = data.X - data.X.mean(axis=0), 2.0 * data.y - 1.0
    rays = cone_of_solutions(X, signs)
    rows = signs[:, None] * np.column_stack([X, np.ones(len(X))])
    assert (rows @ rays.T).min() > -1e-9  # the edges themselves
    rng = np.random.default_rng(0)
    inside = rng.dirichlet(np.ones(len(rays)), size=50) @ rays  # sums of solutions, and any multiple of them
    for scale in (1e-3, 1.0, 1e3):
        assert (scale * rows @ inside.T > 0.0).all()
    middle = rays.mean(axis=0)
    beyond = middle + 1.05 * (rays - middle)
    assert ((rows @ beyond.T) < 0.0).any(axis=0).all()


def test_where_no_line_parts_the_classes_there_is_no_cone():
    data = Points([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1])
    last = play(data)[-1]
    assert "no line separates" in last.caption
    assert marks(last, "lift", Cloud3D)[0].suspects is None
    assert marks(last, "map", Matrix)[0].values.min() == 1.0  # the exclusive or has one mistake at least


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 40), st.integers(0, 10_000))
def test_the_hull_has_the_corners_that_qhull_finds(n, seed):
    at = np.random.default_rng(seed).normal(size=(n, 2))
    assert set(hull_of(at).tolist()) == set(ConvexHull(at).vertices.tolist())
    corners = at[hull_of(at)]
    assert (
        np.cross(np.c_[corners, 0 * corners[:, 0]], np.c_[np.roll(corners, -1, 0), 0 * corners[:, 0]])[:, 2].sum() > 0
    )


@pytest.mark.parametrize(
    "at",
    [
        np.random.default_rng(0).normal(size=(2000, 2)) * [1e6, 1e-3] + [1e8, 3.0],
        np.random.default_rng(1).integers(0, 30, size=(2000, 2)).astype(float),
        np.column_stack([np.cos(np.arange(1500.0)), np.sin(np.arange(1500.0))]),
        np.column_stack([np.arange(1500.0), np.arange(1500.0)]),
    ],
    ids=["cloud", "grid", "circle", "line"],
)
def test_points_inside_many_others_are_left_out_before_the_hull_is_drawn(at):
    assert hull_of(at).tolist() == _hull(at).tolist()


def test_the_hull_of_few_or_equal_points():
    assert hull_of(np.array([[1.0, 2.0]] * 4)).tolist() in ([0], [1], [2], [3])
    assert len(hull_of(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]))) == 2


# --- the classes as Gaussians -----------------------------------------------------------------------------------------


def test_the_tails_beyond_a_line_by_hand():
    """Both classes are one deviation from the line: Φ(-1) of each lies beyond it, although no point does."""
    data = Points([[-2.0, 0.0], [-0.1, 0.0], [0.1, 0.0], [2.0, 0.0]], [0, 0, 1, 1])
    bells = Bells.of(data.X, np.array([-1.0, -1.0, 1.0, 1.0]))
    assert bells.means[:, 0] == pytest.approx([-1.05, 1.05])
    assert bells.covariances[:, 0, 0] == pytest.approx([0.95**2, 0.95**2])
    last = play(data)[-1]
    assert last.metrics["wrong"] == 0
    assert last.metrics["expected"] == pytest.approx(norm.cdf(-1.05 / 0.95))
    assert bells.beyond(np.array([-1.0, 0.0]), np.zeros(1)) == pytest.approx(norm.cdf(1.05 / 0.95))  # sides swapped
    alone = Bells.of(np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([-1.0, 1.0]))
    assert alone.beyond(np.array([1.0, 0.0]), np.array([0.0, 2.0, 4.0])).tolist() == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("seed", [1, 4, 7])
def test_the_line_of_the_widest_margin_is_that_of_the_hulls(seed):
    data = generate("separable", n=60, margin=0.4, seed=seed)
    normal, offset = widest_line(data.X, data.two_sides(""))
    hulls = fit("hull_margin", data, tol=1e-9).model
    size = np.linalg.norm(hulls.normal)
    assert normal == pytest.approx(hulls.normal / size, abs=1e-6)
    assert offset == pytest.approx(hulls.offset / size, abs=1e-6)


def test_the_widest_margin_is_not_the_best_line_between_gaussians():
    """A wide and a narrow class: a line nearer to the narrow one cuts off less than that of the widest margin."""
    data = load_data("blobs_varied(n=40,noise=1.7,centres=2,ratio=8,seed=4)")
    X, signs = data.X - data.X.mean(axis=0), data.two_sides("")
    normal, offset = widest_line(X, signs)
    bells = Bells.of(X, signs)
    widest, moved = bells.counts @ bells.beyond(normal, np.array([offset, offset - 1.69])) / data.n
    assert moved < 0.6 * widest
    frame = play(data, angle=137.0, offset=-4.26)[-2]
    assert frame.phase == "tails"
    assert frame.metrics["expected"] == pytest.approx(moved, rel=0.05)
    assert "With a Gaussian for each class" in frame.caption
    assert "widest margin" in frame.caption
    (ellipses,) = marks(frame, "plane", Ellipses)
    assert ellipses.means == pytest.approx(np.array([data.X[data.y == k].mean(axis=0) for k in (0, 1)]))
    (line,) = marks(frame, "plane", Segments)
    assert np.stack([line.start[0], line.end[0]]) @ normal == pytest.approx(data.X.mean(axis=0) @ normal + offset)
    _, smooth = marks(frame, "offsets", Curve)
    assert np.interp(-4.26, smooth.x, smooth.y) == pytest.approx(data.n * frame.metrics["expected"], rel=0.01)


# --- what is seen, and other data -------------------------------------------------------------------------------------


def test_points_are_asked_one_by_one_with_a_whisker_to_their_foot():
    data = two_groups(20, gap=0.5)
    frames = play(data)
    third = frames[3]
    assert (third.phase, third.model.counted) == ("count", 3)
    (whiskers,) = marks(third, "plane", Segments)
    assert len(whiskers.start) == 3
    assert LINE.field(third.model, whiskers.end) == pytest.approx(0.0, abs=1e-12)
    wrong = np.flatnonzero(LINE.predict(third.model, data.X[:3]) != data.y[:3])
    assert marks(third, "plane", Highlight)[0].points.tolist() == wrong.tolist()


def test_one_feature_is_a_threshold_and_of_many_two_are_used():
    thin = play(two_groups(d=1))[-1]
    assert "threshold" in thin.warning
    assert marks(thin, "plane", Isolines)
    many = play(two_groups(d=50), angle=90.0)[-1]
    assert "48 other features" in many.warning
    assert np.flatnonzero(np.abs(many.model.normal) > 1e-12).tolist() == [1]


@pytest.mark.parametrize(("y", "said"), [([0, 0, 0, 0], "all of these are of the class"), ([0, 1, 2, 3], "are of 4")])
def test_one_class_and_more_than_two_are_refused_in_a_sentence(y, said):
    with pytest.raises(DataError, match=said):
        play(Points([[0.0, 1.0], [1.0, 2.0], [2.0, 0.0], [3.0, 1.0]], y))


def test_far_from_zero_no_digit_is_lost():
    data = two_groups(20, gap=4.0)
    far = Points(data.X + 1e8, data.y)
    near = play(data)[-1].metrics
    assert play(far)[-1].metrics["wrong"] == near["wrong"]
