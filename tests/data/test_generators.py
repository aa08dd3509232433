"""The generators: the shapes they promise, in the seed they promise, at every extreme of their declarations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.params import ParamError, bad_values
from mlviz.data.builtin import load_builtin
from mlviz.data.generators import Generator, all_generators, generate
from mlviz.data.generators.declare import even_labels, labels_by_weight

NAMES = [
    "blobs",
    "blobs_varied",
    "blobs_anisotropic",
    "blobs_imbalanced",
    "moons",
    "circles",
    "spirals",
    "xor",
    "gate",
    "checkerboard",
    "alternating",
    "rings",
    "gaussians_5d",
    "separable",
    "nested_blobs",
    "mixtures",
    "uniform",
    "blobs_outliers",
    "some_digits",
    "masks",
    "line",
    "polynomial",
    "sine",
    "step",
    "heteroscedastic",
    "collinear",
    "swiss_roll",
    "s_curve",
    "helix",
    "cylinder",
    "picture",
]

POINTS = [generator for generator in all_generators() if generator.kind == "points"]
each = pytest.mark.parametrize("generator", POINTS, ids=lambda generator: generator.name)


def test_the_names_are_those_of_the_command_line() -> None:
    assert [generator.name for generator in POINTS] == NAMES


@each
def test_declaration_is_complete(generator: Generator) -> None:
    names = [field.name for field in generator.fields]
    assert names[:2] == ["n", "noise"]
    assert names[-1] == "seed"
    assert generator.title
    assert generator.doc.endswith((".", "?"))
    assert all(field.doc.endswith(".") for field in generator.fields)


@each
def test_target_is_as_declared(generator: Generator) -> None:
    data = generator.generate()
    kind = "classes" if data.is_labelled else "values" if data.is_valued else "none"
    assert kind == generator.target
    assert data.name == generator.name


@each
def test_same_seed_same_points_and_another_seed_other_points(generator: Generator) -> None:
    state = np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]
    first, again, other = (generator.generate(n=40, seed=seed) for seed in (7, 7, 8))
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y) or first.y is None
    assert not np.array_equal(first.X, other.X)
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index, union-attr]


@each
@pytest.mark.parametrize("end", ["low", "high"])
def test_every_extreme_of_every_parameter_gives_points(generator: Generator, end: str) -> None:
    for field in generator.fields:
        if field.kind not in ("int", "float"):
            continue
        value = field.low if end == "low" else field.high
        data = generator.generate(**{"n": 50, field.name: value})
        assert data.n == (value if field.name == "n" else 50)
        assert len(data.classes) <= data.n


@each
def test_bad_values_are_refused_by_name(generator: Generator) -> None:
    for field in generator.fields:
        for value in bad_values(field):
            with pytest.raises(ParamError, match=field.name):
                generator.generate(**{field.name: value})


@each
@settings(max_examples=10, deadline=None)
@given(n=st.integers(1, 60), noise=st.floats(0, 10), seed=st.integers(0, 2**31 - 1))
def test_any_size_and_noise_gives_that_many_points(generator: Generator, n: int, noise: float, seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = generator.generate(n=n, noise=noise, seed=seed)
    assert data.n == n
    assert np.isfinite(data.X).all()
    if data.is_labelled:
        assert set(data.y.tolist()) == set(range(len(data.classes)))  # type: ignore[union-attr]


def test_no_prefix_is_one_class() -> None:
    assert set(generate("moons", n=200).y[:20].tolist()) == {0, 1}  # type: ignore[index]


def test_blobs_without_noise_are_their_centres() -> None:
    data = generate("blobs", n=31, noise=0, centres=4, features=3)
    assert len(np.unique(data.X, axis=0)) == 4
    assert np.bincount(data.y).tolist() == [8, 8, 8, 7]  # type: ignore[arg-type]


def test_blobs_have_the_stated_width() -> None:
    data = generate("blobs", n=100_000, noise=2.0, centres=1)
    assert data.X.std(axis=0) == pytest.approx([2, 2], rel=0.02)


def test_varied_widths_keep_their_ratio() -> None:
    data = generate("blobs_varied", n=30_000, ratio=9, centres=3)
    within = [np.sqrt(data.X[data.y == label].var(axis=0).mean()) for label in range(3)]
    assert max(within) / min(within) == pytest.approx(9, rel=0.05)


def test_anisotropic_blobs_have_the_stated_stretch() -> None:
    data = generate("blobs_anisotropic", n=60_000, stretch=5, centres=2, parallel=False)
    for label in range(2):
        values = np.linalg.eigvalsh(np.cov(data.X[data.y == label].T))
        assert np.sqrt(values[1] / values[0]) == pytest.approx(5, rel=0.05)


def test_imbalanced_blobs_have_the_stated_sizes() -> None:
    counts = np.bincount(generate("blobs_imbalanced", n=1110, imbalance=100).y)  # type: ignore[arg-type]
    assert counts.tolist() == [1000, 100, 10]


def test_circles_lie_on_circles() -> None:
    data = generate("circles", noise=0, factor=0.3)
    radius = np.hypot(*data.X.T)
    assert radius == pytest.approx(np.where(data.y == 0, 1, 0.3))


def test_moons_lie_on_half_circles() -> None:
    data = generate("moons", noise=0, gap=0.25)
    centre = np.where(data.y[:, None] == 0, [[0, 0]], [[1, 0.25]])  # type: ignore[index]
    assert np.hypot(*(data.X - centre).T) == pytest.approx(np.ones(data.n))
    assert (data.X[data.y == 0, 1] >= 0).all()
    assert (data.X[data.y == 1, 1] <= 0.25).all()


def test_spiral_arms_are_one_another_turned() -> None:
    data = generate("spirals", noise=0, arms=3, turns=2)
    radius, angle = np.hypot(*data.X.T), np.arctan2(data.X[:, 1], data.X[:, 0])
    expected = 2 * np.pi * (2 * radius / 2 + data.y / 3)  # type: ignore[operator]
    assert np.exp(1j * angle) == pytest.approx(np.exp(1j * expected))


def test_xor_is_the_sign_of_the_product() -> None:
    data = generate("xor", noise=0.1)
    assert np.array_equal(data.y == 0, data.X.prod(axis=1) > 0)


def test_checkerboard_alternates() -> None:
    data = generate("checkerboard", cells=3)
    assert np.array_equal(data.y, np.floor(data.X).sum(axis=1) % 2)


def test_alternating_classes_take_turns() -> None:
    data = generate("alternating", n=7)
    order = data.X[:, 0].argsort()
    assert data.X[order].tolist() == [[place, place] for place in range(1, 8)]
    assert data.y[order].tolist() == [0, 1, 0, 1, 0, 1, 0]


def test_rings_have_whole_radii() -> None:
    data = generate("rings", noise=0, core=0, rings=3)
    assert np.hypot(*data.X.T) == pytest.approx(data.y)


def test_gaussians_have_the_stated_distance_and_correlation() -> None:
    data = generate("gaussians_5d", n=100_000, distance=3, correlation=0.4)
    means = [data.X[data.y == label].mean(axis=0) for label in range(2)]
    assert np.linalg.norm(means[1] - means[0]) == pytest.approx(3, rel=0.02)
    correlations = np.corrcoef(data.X[data.y == 0].T)[np.triu_indices(5, 1)]
    assert correlations == pytest.approx(np.full(10, 0.4), abs=0.02)


def test_separable_keeps_the_margin_free() -> None:
    data = generate("separable", n=2000, margin=1.5, angle=30)
    distance = data.X @ [np.cos(np.pi / 6), np.sin(np.pi / 6)]
    assert distance[data.y == 0].max() <= -0.75
    assert distance[data.y == 1].min() >= 0.75


def test_nested_blobs_without_noise_are_groups_times_parts() -> None:
    data = generate("nested_blobs", noise=0, groups=4, parts=3)
    assert len(np.unique(data.X, axis=0)) == 12
    assert len(data.classes) == 4


def test_mixtures_are_never_negative_and_named_after_their_parts():
    data = generate("mixtures", n=200, noise=0.5, parts=3)
    assert data.X.min() >= 0.0
    assert data.classes == ("part 1", "part 2", "part 3")
    angles = np.rad2deg(np.arctan2(*generate("mixtures", n=200, noise=0).X.T[::-1]))
    assert 15.0 <= angles.min() < 25.0 < 60.0 < angles.max() <= 70.0  # a cone between the two parts
    words = generate("mixtures", n=300, parts=4, features=30, counts=True)
    assert (np.rint(words.X) == words.X).all()
    assert words.X.mean() == pytest.approx(10.0, rel=0.05)


def test_uniform_can_deal_out_classes() -> None:
    assert generate("uniform").y is None
    assert len(generate("uniform", classes=4).classes) == 4


def test_some_digits_are_digits_each_once_as_long_as_there_are_enough() -> None:
    digits = load_builtin("digits")
    known = {row.tobytes(): digits.classes[label] for row, label in zip(digits.X, digits.y)}
    some = generate("some_digits", n=300, seed=1)
    assert some.image_shape == (8, 8)
    assert [known[row.tobytes()] for row in some.X] == [some.classes[label] for label in some.y]
    assert len(np.unique(some.X, axis=0)) == 300
    assert len(np.unique(generate("some_digits", n=2000, seed=1).X, axis=0)) == len(np.unique(digits.X, axis=0))


def test_masks_are_few_pictures_with_dark_patches_and_a_bright_bridge() -> None:
    data = generate("masks", n=400, fraction=0.05, noise=0.0, light=0.0)
    assert data.image_shape == (16, 16)
    assert data.classes == ("background", "mask")
    assert int((data.y == 1).sum()) == 20
    assert data.X.min() >= 0.0
    assert data.X.max() <= 1.0
    mask, background = (data.X[data.y == k].reshape(-1, 16, 16).mean(axis=0) for k in (1, 0))
    eyes, bridge, bar = (mask[5:7, 3:6], mask[5:7, 10:13]), mask[5:9, 7:9].mean(), mask[12:14, 5:11].mean()
    assert max(eye.mean() for eye in eyes) < 0.4 < 0.5 < bridge
    assert bar < 0.4
    assert float(np.ptp(background)) < 0.5 * float(np.ptp(mask))


def test_light_and_noise_change_the_pictures_but_not_their_classes() -> None:
    plain, lit = (generate("masks", n=50, light=light, noise=0.0, seed=3) for light in (0.0, 1.0))
    assert (plain.y == lit.y).all()
    assert np.abs(plain.X - lit.X).max() > 0.1


def test_outliers_are_named() -> None:
    data = generate("blobs_outliers", n=200, outliers=0.1, centres=2)
    assert data.classes == ("class 1", "class 2", "outlier")
    assert np.bincount(data.y).tolist() == [90, 90, 20]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "values", "formula"),
    [
        ("line", {"slope": 3, "intercept": -2}, lambda x: 3 * x - 2),
        ("polynomial", {"degree": 3}, lambda x: 4 * x**3 - 3 * x),
        ("sine", {"periods": 2, "amplitude": 5}, lambda x: 5 * np.sin(4 * np.pi * x)),
        ("step", {"steps": 1, "height": 4}, lambda x: 4.0 * (x >= 0.5)),
        ("heteroscedastic", {"slope": 2}, lambda x: 2 * x),
    ],
)
def test_curves_without_noise_follow_their_formula(name: str, values: dict[str, float], formula) -> None:  # type: ignore[no-untyped-def]
    data = generate(name, noise=0, **values)
    assert data.y == pytest.approx(formula(data.X[:, 0]))


def test_heteroscedastic_noise_grows() -> None:
    data = generate("heteroscedastic", n=100_000, noise=0.5, growth=2)
    x = data.X[:, 0]
    standard = (data.y - x) / (0.5 * (1 + 2 * x))
    assert standard.std() == pytest.approx(1, rel=0.02)
    assert standard[x > 9].std() == pytest.approx(standard[x < 1].std(), rel=0.05)


def test_collinear_features_have_the_stated_correlation() -> None:
    data = generate("collinear", n=100_000, noise=0, correlation=0.9, first=2, second=-1)
    assert np.corrcoef(data.X.T)[0, 1] == pytest.approx(0.9, abs=0.005)
    assert data.y == pytest.approx(data.X @ [2, -1])


def test_manifolds_fulfil_their_equations() -> None:
    roll, wire, tin, letter = (generate(name) for name in ("swiss_roll", "helix", "cylinder", "s_curve"))
    assert np.hypot(roll.X[:, 0], roll.X[:, 2]) == pytest.approx(roll.y)
    assert wire.X[:, 2] == pytest.approx(wire.y)
    assert wire.X[:, 0] == pytest.approx(np.cos(2 * np.pi * wire.X[:, 2]))
    assert np.hypot(*wire.X[:, :2].T) == pytest.approx(np.ones(wire.n))
    assert np.hypot(*tin.X[:, :2].T) == pytest.approx(np.ones(tin.n))
    assert np.hypot(letter.X[:, 0], 1 - np.abs(letter.X[:, 2])) == pytest.approx(np.ones(letter.n))


@given(n=st.integers(0, 500), weights=st.lists(st.floats(0.01, 100), min_size=1, max_size=12))
def test_shares_are_within_one_point_of_their_proportion(n: int, weights: list[float]) -> None:
    counts = np.bincount(labels_by_weight(n, weights), minlength=len(weights))
    assert counts.sum() == n
    assert (np.abs(counts - n * np.array(weights) / sum(weights)) < 1 + 1e-9).all()


def test_even_shares_by_hand() -> None:
    assert even_labels(7, 3).tolist() == [0, 0, 0, 1, 1, 2, 2]
