"""Integral images and Haar-like features: by hand, by brute force, and at other sizes."""

import itertools

import numpy as np
import pytest

from algorithms.ensembles.cascade.solver.integral_images import (
    KINDS,
    Windows,
    block_sum,
    blocks_of,
    haar_features,
    integral_image,
)

NINE = np.arange(1.0, 10.0).reshape(3, 3)


def means(picture, boxes):
    """The mean over some blocks, pixel by pixel."""
    return np.concatenate([picture[t : t + h, x : x + w].ravel() for t, x, h, w in boxes]).mean()


def brute_force(picture, feature, scale=1.0):
    plus, minus = blocks_of(feature, scale)
    return means(picture, plus) - means(picture, minus)


def test_the_integral_image_of_nine_numbers_by_hand():
    assert integral_image(NINE).tolist() == [[0, 0, 0, 0], [0, 1, 3, 6], [0, 5, 12, 21], [0, 12, 27, 45]]
    assert block_sum(integral_image(NINE), 1, 1, 2, 2) == 5 + 6 + 8 + 9  # 45 - 6 - 12 + 1
    assert block_sum(integral_image(NINE), 0, 0, 3, 3) == 45
    assert block_sum(integral_image(NINE), 2, 0, 1, 1) == 7


def test_features_of_nine_numbers_by_hand():
    features = np.array([[0, 0, 0, 2, 1], [1, 1, 0, 1, 2], [2, 0, 0, 3, 1], [3, 0, 2, 1, 1], [4, 1, 1, 1, 1]])
    values = Windows.of_pictures(NINE[None], False).values(features)[:, 0]
    expected = [
        (1 + 4) / 2 - (2 + 5) / 2,
        (4 + 5) / 2 - (7 + 8) / 2,
        (1 + 4 + 7 + 3 + 6 + 9) / 6 - (2 + 5 + 8) / 3,
        (3 + 9) / 2 - 6,
        (5 + 9) / 2 - (6 + 8) / 2,
    ]
    assert values == pytest.approx(expected)


def test_every_feature_by_brute_force():
    pictures = np.random.default_rng(0).uniform(size=(3, 9, 12))
    features = haar_features(9, 12)
    assert set(features[:, 0].tolist()) == set(range(len(KINDS)))
    values = Windows.of_pictures(pictures, False).values(features)
    expected = [[brute_force(picture, feature) for picture in pictures] for feature in features]
    assert np.abs(values - expected).max() < 1e-12


def test_features_fit_into_the_picture_and_are_many():
    features = haar_features(16, 16)
    assert len(features) == len(np.unique(features, axis=0)) == 3635
    for feature in features[::50]:
        for top, left, height, width in itertools.chain(*blocks_of(feature)):
            assert top >= 0
            assert left >= 0
            assert top + height <= 16
            assert left + width <= 16
    assert len(haar_features(1, 1)) == 0
    assert len(haar_features(64, 64)) < 4000  # the blocks grow with the picture


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_windows_of_a_scene_are_what_is_cut_out_of_it(scale):
    scene = np.random.default_rng(1).uniform(size=(40, 50))
    at = np.array([[0, 0], [3, 7], [20, 30]])
    features = haar_features(8, 8)[::7]
    values = Windows.on_scene(scene, (8, 8), at, scale, True).values(features)
    side = round(8 * scale)
    for column, (top, left) in enumerate(at.tolist()):
        crop = scene[top : top + side, left : left + side]
        expected = np.array([brute_force(crop, feature, scale) for feature in features]) / crop.std()
        assert values[:, column] == pytest.approx(expected)


def test_the_contrast_of_the_window_takes_the_light_away():
    pictures = np.random.default_rng(2).uniform(size=(4, 8, 8))
    features = haar_features(8, 8)
    plain, lit = (Windows.of_pictures(some, True).values(features) for some in (pictures, 0.3 * pictures + 0.4))
    assert lit == pytest.approx(plain)
    assert not np.allclose(Windows.of_pictures(0.3 * pictures, False).values(features), plain)


def test_a_flat_window_has_no_contrast_to_divide_by():
    values = Windows.of_pictures(np.full((1, 4, 4), 0.7), True).values(haar_features(4, 4))
    assert np.abs(values).max() < 1e-9


def test_some_of_the_windows():
    pictures = np.random.default_rng(3).uniform(size=(5, 4, 4))
    windows, features = Windows.of_pictures(pictures, True), haar_features(4, 4)
    assert (windows.some(np.array([3, 1])).values(features) == windows.values(features)[:, [3, 1]]).all()
