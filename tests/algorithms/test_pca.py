"""Principal components: by hand, identities, scikit-learn as an oracle, and as frames."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import procrustes
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from algorithms import Item, Points, find, fit
from algorithms.data import DataError
from algorithms.embedding.pca import ALGORITHM, solver
from algorithms.marks import Bars, Cloud3D, Dots, Images, Scatter, Segments
from mlviz.data.spec import load_data
from tests.algorithms.played import phase

CORNERS = np.array([[2.0, 2.0], [-2.0, -2.0], [1.0, -1.0], [-1.0, 1.0]]) + (5.0, 7.0)
"""Squares 16 along (1, 1) and 4 along (1, -1), around (5, 7)."""


def frames(data, **params):
    data = data if isinstance(data, Points) else Points(data)
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


def cloud(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.arange(d, 0, -1) @ np.linalg.qr(rng.normal(size=(d, d)))[0] + 3.0


# --- known answers ----------------------------------------------------------------------------------------------------


def test_four_corners_by_hand():
    model = fit("pca", CORNERS).model
    root = np.sqrt(0.5)
    assert model.mean == pytest.approx([5.0, 7.0])
    assert np.abs(model.components) == pytest.approx(np.full((2, 2), root))
    assert model.components[0] == pytest.approx([root, root])
    assert model.variances == pytest.approx([16 / 3, 4 / 3])
    assert model.fractions == pytest.approx([0.8, 0.2])
    assert model.embedding[:, 0] == pytest.approx([2 / root, -2 / root, 0.0, 0.0], abs=1e-12)


def test_the_axis_turns_to_the_largest_variance_by_hand():
    """At 0 degrees the points vary by (4 + 4 + 1 + 1) / 3; at 45 by 16/3, at 135 by 4/3."""
    told = frames(CORNERS)
    by_angle = {round(np.degrees(k * np.pi / 24)): frame for k, frame in enumerate([told[0], *phase(told, "turn")])}
    assert by_angle[0].metrics["variance"] == pytest.approx(10 / 3)
    assert by_angle[45].metrics["variance"] == pytest.approx(16 / 3)
    assert by_angle[135].metrics["variance"] == pytest.approx(4 / 3)
    assert by_angle[45].caption == (
        "At 45°: the variance is 5.333 along the axis and 1.333 across it, together always 6.667; "
        "the squared distances from the axis add up to 4."
    )
    settled = phase(told, "settle")[-1]
    assert settled.metrics["variance"] == pytest.approx(16 / 3)
    assert np.abs(settled.model.components[0]) == pytest.approx([np.sqrt(0.5)] * 2)


def test_lines_by_hand():
    """(-1, -1), (0, 0), (1, 1), (0, 1), (0, -1): xx = 2, xy = 2, yy = 4, so y on x has slope 1, x on y 1/2."""
    points = np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, -1.0]])
    lines = solver.Lines.of(points)
    assert lines.upright[1] / lines.upright[0] == pytest.approx(1.0)
    assert lines.level[0] / lines.level[1] == pytest.approx(0.5)
    golden = (1 + np.sqrt(5)) / 2  # the eigenvector of [[2, 2], [2, 4]] is (1, golden)
    assert lines.principal[1] / lines.principal[0] == pytest.approx(golden)
    assert lines.upright_errors[0] == pytest.approx(2.0)  # 4 - 2
    assert lines.across_errors[1] == pytest.approx(3 - np.sqrt(5))  # the smaller eigenvalue
    assert lines.across_errors[0] == pytest.approx(1.0)  # the whole 6 less 5 along (1, 1)


# --- identities and oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d", "dimensions"), [(60, 4, 2), (60, 4, 4), (5, 12, 3), (30, 1, 1), (40, 3, 3)])
@pytest.mark.parametrize("scaling", ["as they are", "standardised"])
def test_scikit_learn_agrees(n, d, dimensions, scaling):
    X, new = cloud(n, d), cloud(7, d, seed=1)
    result = fit("pca", X, dimensions=dimensions, scaling=scaling)
    scaler = StandardScaler().fit(X) if scaling == "standardised" else StandardScaler(with_std=False).fit(X)
    theirs = PCA(dimensions).fit(scaler.transform(X))
    model = result.model
    assert np.abs(model.components) == pytest.approx(np.abs(theirs.components_))
    assert model.variances == pytest.approx(theirs.explained_variance_)
    assert model.fractions == pytest.approx(theirs.explained_variance_ratio_)
    signs = np.sign((model.components * theirs.components_).sum(axis=1))
    assert result.transform(new) == pytest.approx(signs * theirs.transform(scaler.transform(new)), abs=1e-9)
    assert procrustes(theirs.transform(scaler.transform(X)), model.embedding)[2] < 1e-12
    back = scaler.inverse_transform(theirs.inverse_transform(theirs.transform(scaler.transform(new))))
    assert result.inverse(result.transform(new)) == pytest.approx(back)


@given(st.integers(3, 15), st.integers(1, 5), st.integers(0, 10**6))
def test_what_is_left_over_is_what_is_not_kept(n, d, seed):
    X = cloud(n, d, seed)
    for m in range(1, min(n, d) + 1):
        result = fit("pca", X, dimensions=m)
        model = result.model
        assert model.components @ model.components.T == pytest.approx(np.eye(m), abs=1e-9)
        left = np.square(X - result.inverse(model.embedding)).sum() / (n - 1)
        assert left == pytest.approx(result.last.metrics["error"], abs=1e-9)
        assert result.last.metrics["error"] + result.last.metrics["variance"] == pytest.approx(
            np.var(X, axis=0, ddof=1).sum()
        )
        covariance = np.cov(model.embedding.T, ddof=1).reshape(m, m)
        assert covariance == pytest.approx(np.diag(model.variances), abs=1e-9)
    assert pytest.approx(fit("pca", X, dimensions=64).inverse(fit("pca", X, dimensions=64).model.embedding)) == X


@given(st.integers(0, 10**6))
def test_no_angle_shows_more_and_no_line_is_nearer(seed):
    X = cloud(20, 2, seed)
    told = frames(X)
    best = phase(told, "settle")[-1].metrics["variance"]
    assert all(frame.metrics["variance"] <= best * (1 + 1e-12) for frame in phase(told, "turn"))
    assert best == pytest.approx(told[-1].model.variances[0])
    lines = solver.Lines.of(X - X.mean(axis=0))
    assert lines.across_errors[1] <= lines.across_errors[0] * (1 + 1e-12)
    assert lines.upright_errors[0] <= lines.upright_errors[1] * (1 + 1e-12)
    slopes = [
        lines.upright[1] / lines.upright[0],
        lines.principal[1] / lines.principal[0],
        lines.level[1] / lines.level[0],
    ]
    assert slopes == sorted(slopes) or slopes == sorted(slopes, reverse=True)  # the principal axis lies between them


def test_the_covariance_and_the_singular_values_lead_to_the_same():
    """C = X'HX / (n - 1) with the centring matrix H = HH, H1 = 0; its eigenvalues are the squared singular values."""
    X, n = cloud(40, 5), 40
    H = np.eye(n) - np.full((n, n), 1 / n)
    assert pytest.approx(H) == H @ H
    assert H @ np.ones(n) == pytest.approx(np.zeros(n), abs=1e-12)
    model = fit("pca", X, dimensions=5).model
    values, vectors = np.linalg.eigh(X.T @ H @ X / (n - 1))
    assert model.variances == pytest.approx(values[::-1])
    assert np.abs(model.components) == pytest.approx(np.abs(vectors.T[::-1]))
    lengths = np.linalg.svd(H @ X, compute_uv=False)
    assert model.variances * (n - 1) / n == pytest.approx(lengths**2 / n)  # as the notes write it, with 1/n
    few = fit("pca", X, dimensions=2)
    off = np.square(X - few.inverse(few.model.embedding)).sum(axis=1).mean()
    assert off == pytest.approx(model.variances[2:].sum() * (n - 1) / n)


def test_without_noise_all_lines_are_the_same():
    x = np.linspace(-1, 1, 9)
    lines = solver.Lines.of(np.column_stack([x, 0.5 * x]))
    assert lines.upright == pytest.approx(lines.principal)
    assert lines.across_errors == pytest.approx((0.0, 0.0), abs=1e-12)


def test_the_unit_of_a_feature_matters_only_as_they_are():
    X = cloud(40, 3)
    other = X * [1000.0, 1.0, 1.0]
    assert np.abs(fit("pca", other).model.components[0]) == pytest.approx([1.0, 0.0, 0.0], abs=1e-2)
    one, two = (fit("pca", rows, scaling="standardised").model for rows in (X, other))
    assert two.embedding == pytest.approx(one.embedding)


def test_a_feature_that_never_changes_has_no_part():
    """The deviation of ten times 0.1 is a rounding error: divided by it, what centring leaves would be a component."""
    X = cloud(10, 3)
    X[:, 1] = 0.1
    assert X.std(axis=0)[1] > 0.0
    model = fit("pca", X, scaling="standardised").model
    assert model.components[:, 1] == pytest.approx([0.0, 0.0])
    assert model.scale[1] == 1.0


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(cloud(30, 2), dimensions=1)
    assert list(dict.fromkeys(frame.phase for frame in told)) == [
        "start", "turn", "settle", "project", "component", "compare", "beyond", "result",
    ]  # fmt: skip
    assert len(told[0].model.components) == 1  # the axis before it turns
    assert len(phase(told, "turn")) == 24
    assert list(dict.fromkeys(frame.phase for frame in frames(cloud(30, 1)))) == ["start", "component", "result"]
    assert "compare" not in {frame.phase for frame in frames(cloud(30, 3))}


def test_the_playhead_lies_on_the_curve_of_the_variance():
    for frame in phase(frames(cloud(30, 2)), "turn"):
        along, left, together, line, dots = frame.views["turning"]
        place, height = dots.at[0]
        assert line.handle == "angle"
        assert together.y == pytest.approx(along.y[:2] + left.y[:2])
        assert place == pytest.approx(line.at)
        assert height == pytest.approx(np.interp(place, along.x, along.y), rel=1e-3)
        assert height == pytest.approx(frame.metrics["variance"])
        assert along.y + left.y == pytest.approx(np.full(181, along.y[0] + left.y[0]))


def test_whiskers_stand_at_right_angles_on_the_axis():
    for frame in phase(frames(cloud(30, 2)), "turn")[::6]:
        whiskers, _, axis = frame.views["plane"]
        along = axis.at[1] - axis.at[0]
        assert (whiskers.end - whiskers.start) @ along == pytest.approx(np.zeros(30), abs=1e-9)
        squares = np.square(whiskers.end - whiskers.start).sum()
        assert squares / 29 == pytest.approx(frame.metrics["error"])
        assert whiskers.name == f"residuals: squares add up to {squares:.4g}"


@pytest.mark.parametrize("scaling", ["as they are", "standardised"])
def test_the_axis_is_where_it_was_put_and_goes_the_short_way(scaling):
    """Put at 170 degrees, the axis of points along 45 goes up through 180 and not back through 90."""
    told = frames(CORNERS, axis="by hand", angle=170.0, scaling=scaling)
    assert "turn" not in {frame.phase for frame in told}
    axis = told[0].views["plane"][-1]
    away = (axis.at[1] - axis.at[0]) / axis.scale
    assert np.degrees(np.arctan2(away[1], away[0])) % 180.0 == pytest.approx(170.0)
    assert axis.handle == "angle"
    assert told[0].caption.startswith("By hand at 170°: the variance is")
    angles = [frame.views["turning"][3].at for frame in phase(told, "settle")]
    assert all(angle > 165.0 or angle < 46.0 for angle in angles)
    assert angles[-1] == pytest.approx(45.0)
    assert fit("pca", CORNERS, axis="by hand", angle=20.0).model.components == pytest.approx(
        fit("pca", CORNERS).model.components
    )


def test_points_slide_to_their_shadows():
    told = phase(frames(CORNERS), "project")
    gaps = []
    for frame in told:
        whiskers, dots = (mark for mark in frame.views["plane"] if isinstance(mark, Segments | Dots))
        gaps.append(float(np.square(dots.at - whiskers.end).sum()))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == pytest.approx(0.0, abs=1e-12)
    assert 0.0 < gaps[0] < 4.0


def test_least_squares_and_total_least_squares_stand_side_by_side():
    """Every point is there twice; each copy has its own whiskers, and their squares add up to what is written."""
    X = cloud(30, 2)
    last = frames(X)[-1]
    upright, across, both, points = last.views["lines"]
    lines = solver.Lines.of(X - X.mean(axis=0))
    assert points.points.tolist() == [*range(30), *range(30)]
    assert points.equal  # or no angle would be right
    assert points.at[:30, 0].max() < points.at[30:, 0].min()
    assert (upright.end - upright.start)[:, 0] == pytest.approx(np.zeros(30))
    assert (across.end - across.start) @ (both.end - both.start)[1] == pytest.approx(np.zeros(30), abs=1e-9)
    for whiskers, whole in ((upright, lines.upright_errors[0]), (across, lines.across_errors[1])):
        assert np.square(whiskers.end - whiskers.start).sum() == pytest.approx(whole)
        assert whiskers.name.endswith(f": {whole:.4g}")
    slope = np.polyfit(*X.T, 1)[0]
    assert np.divide(*(both.end - both.start)[0][::-1]) == pytest.approx(slope)
    turning = frames(X)[3].views["lines"][1]  # the right one turns with the axis
    assert np.square(turning.end - turning.start).sum() / 29 == pytest.approx(frames(X)[3].metrics["error"])


def test_the_kept_components_can_be_dragged():
    line = frames(cloud(30, 4))[-1].views["error"][-1]
    assert (line.at, line.handle) == (2.0, "dimensions")


def test_the_scree_plot_adds_up():
    bars, together, usual = frames(load_data("wine"), scaling="standardised")[-1].views["scree"]
    assert bars.values.sum() == pytest.approx(100.0)
    assert together.y == pytest.approx(np.cumsum(bars.values))
    assert bars.groups.tolist() == [0, 0] + [-1] * 11
    assert usual.at == 80.0


@pytest.mark.parametrize(("dimensions", "mark"), [(1, Scatter), (2, Scatter), (3, Cloud3D), (4, Scatter)])
def test_maps(dimensions, mark):
    (shown,) = frames(load_data("iris"), dimensions=dimensions)[-1].views["map"]
    assert isinstance(shown, mark)


def test_components_of_features_are_bars_and_of_pixels_pictures():
    (bars,) = frames(load_data("iris"))[-1].views["loadings"]
    assert isinstance(bars, Bars)
    assert bars.names[::2] == load_data("iris").features
    (images,) = frames(load_data("digits"))[-1].views["pictures"]
    assert isinstance(images, Images)
    assert images.pixels.shape[1:] == (8, 8)


def test_pictures_of_the_digits():
    """The mean and the first components on top; below, digits that get nearer to themselves with every step."""
    data = load_data("digits")
    told = frames(data)
    model = fit("pca", data, dimensions=7).model
    (images,) = told[-1].views["pictures"]
    top = images.at[:, 0] == 0
    assert images.captions[0] == "mean"
    assert images.pixels[0] == pytest.approx(data.X.mean(axis=0).reshape(8, 8))
    assert images.pixels[top][1:] == pytest.approx(model.components.reshape(7, 8, 8))
    assert images.signed.tolist() == [False] + [True] * 7 + [False] * (len(top) - 8)
    row = images.pixels[images.at[:, 0] == 2]
    point = int(images.points[images.at[:, 0] == 2][0])
    assert data.classes[data.y[point]] == "3"
    assert row[0] == pytest.approx(data.X[point].reshape(8, 8))
    gaps = [float(np.square(again - row[0]).sum()) for again in row[1:]]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == pytest.approx(0.0, abs=1e-9)
    assert [caption for caption, at in zip(images.captions, images.at) if at[0] == 2] == [
        "3", "from 1", "from 2", "from 4", "from 8", "from 16", "from 32", "from 64",
    ]  # fmt: skip


def test_reconstructions_grow_with_the_number_of_components():
    counts = [len(frame.views["pictures"][0].pixels) for frame in frames(load_data("digits"))]
    assert counts == sorted(counts)
    assert counts[0] == 1 + 1 + 4 * 2  # the mean, the axis, and what is rebuilt from it
    assert counts[-1] == 8 + 4 * 8


def test_the_axis_that_turns_is_a_picture_as_well():
    told = frames(load_data("digits"))
    for frame in (told[0], phase(told, "turn")[5]):
        (images,) = frame.views["pictures"]
        assert images.captions[:2] == ("mean", "axis")
        assert images.pixels[1] == pytest.approx(frame.model.components[0].reshape(8, 8))
        again = ALGORITHM.inverse(frame.model, frame.model.embedding[images.points[2:4]])
        assert images.pixels[3] == pytest.approx(again[1].reshape(8, 8))


def test_few_components_take_noise_away():
    """Noise lies in all directions: too few components miss the digit, too many bring the noise back."""
    told = frames(load_data("digits"), noise=1.0)
    errors = told[-1].views["error"][1].y
    best = int(np.argmin(errors))
    assert 0 < best < len(errors) - 1
    assert errors[best] < 0.5 * errors[-1]
    assert "16 components come nearest to the points without noise" in told[-1].caption


def test_noise_lifts_the_whole_spectrum():
    data = load_data("digits")
    typical = np.var(data.X, axis=0).mean()
    plain, noisy = (fit("pca", data, dimensions=64, noise=noise).model.variances for noise in (0.0, 1.0))
    assert plain[-1] == pytest.approx(0.0, abs=1e-9)  # some pixels are never written on
    assert noisy - plain == pytest.approx(np.full(64, typical), rel=0.4)


def test_the_mean_squared_error_divides_by_the_number_of_points():
    """With one of two components the squared residuals add up to 4: 1 for each of the four points, not 4/3."""
    beyond = phase(frames(CORNERS, dimensions=1), "beyond")[0]
    assert (
        beyond.caption
        == "With 2 components the mean squared reconstruction error is 0: they have 100 % of the variance."
    )
    errors = phase(frames(CORNERS), "result")[0].views["error"][0]
    assert errors.y == pytest.approx([20 / 4, 4 / 4, 0.0])
    noisy = fit("pca", CORNERS, noise=1.0).last.given
    rebuilt = noisy.mean + noisy.scores[:, :1] @ noisy.found.directions[:1]
    assert noisy.errors[1] == pytest.approx(np.square(rebuilt - CORNERS).sum() / 4)


def test_equal_variances_are_said():
    square = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert "have the same variance" in fit("pca", square, dimensions=1).last.warning
    assert fit("pca", square).last.warning == ""  # both are kept
    assert fit("pca", CORNERS, dimensions=1).last.warning == ""


def test_why_for_a_point_and_for_a_place():
    result = fit("pca", CORNERS, dimensions=1)
    answer = result.explain(2)
    assert answer["point"] == 3
    assert answer["component 1"] == pytest.approx(0.0, abs=1e-12)
    assert answer["squares: along the axes + residual"].endswith(" + 2 = 2")
    assert answer["distance from the mean"] == answer["distance from what is rebuilt"] == pytest.approx(np.sqrt(2))
    place = ALGORITHM.explain(result.model, Points(CORNERS), Item(x=np.array([6.0, 8.0])))
    assert "point" not in place
    assert place["component 1"] == pytest.approx(np.sqrt(2))
    assert place["distance from what is rebuilt"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.zeros((1, 3))])
def test_equal_points_have_no_direction(X):
    with pytest.raises(DataError, match="at least two different points"):
        fit("pca", X)


def test_places_of_another_map_are_refused():
    with pytest.raises(DataError, match="The map has 2 coordinates; these rows have 3"):
        fit("pca", CORNERS).inverse(np.zeros((1, 3)))


def test_steps_of_the_ladder():
    assert solver.ladder(1) == (1,)
    assert solver.ladder(6) == (1, 2, 3, 4, 5, 6)
    assert solver.ladder(13) == (1, 2, 4, 8, 13)
    assert solver.ladder(64) == (1, 2, 4, 8, 16, 32, 64)


def test_a_power_iteration_of_ones_own_is_shown():
    """C u, C C u, ... of four features turn to the first component, whose variance is the largest eigenvalue."""
    X = cloud(50, 4) * (3.0, 2.0, 1.0, 0.5)
    C, method = np.cov(X.T), find("pca")
    directions = [np.linalg.matrix_power(C, step) @ np.ones(4) for step in range(30)]
    told = list(method.shows(iter(directions), Points(X), method.params()))
    variances = [frame.metrics["variance"] for frame in told]
    assert (np.diff(variances) > -1e-12).all()
    assert variances[-1] == pytest.approx(np.linalg.eigvalsh(C)[-1], rel=1e-6)
    assert [frame.phase for frame in told[:2]] == ["start", "turn"]
    assert told[1].views["turning"][2].at[0, 1] == pytest.approx(variances[1])
    assert told[1].caption.startswith("Along the direction of this step: the variance is")
    with pytest.raises(DataError, match="Step 1 has to give a direction, 4 finite numbers"):
        list(method.shows(iter([np.ones(4), np.ones(3)]), Points(X), method.params()))


def test_a_direction_in_the_plane_has_an_angle():
    method = find("pca")
    told = list(method.shows(iter([[1.0, 0.0], [-2.0, -2.0]]), Points(CORNERS), method.params()))
    assert np.degrees(told[1].shown.angle) == pytest.approx(45.0)
    assert told[1].metrics["variance"] == pytest.approx(16 / 3)
