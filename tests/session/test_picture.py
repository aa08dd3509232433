"""Pictures that are drawn by hand: dots, and the pixels that they make."""

import numpy as np
import pytest

from algorithms import Points
from mlviz.session import edits
from mlviz.session.picture import Sketch


def test_a_pixel_counts_the_dots_in_it():
    sheet = Sketch.blank((8, 8))
    assert sheet.is_blank
    assert sheet.dots.shape == (32, 32)
    assert (sheet.pixels(0.0, 16.0) == 0.0).all()
    full = Sketch((8, 8), np.ones((32, 32), dtype=bool))
    assert (full.pixels(-1.0, 16.0) == 16.0).all()
    corner = Sketch((8, 8), np.arange(32)[:, None] + 32 * np.arange(32) < 3)  # three dots of the first block
    assert corner.pixels(0.0, 16.0)[0, 0] == 3.0
    assert corner.pixels(0.0, 16.0).sum() == 3.0


def test_a_stroke_inks_the_pixels_along_it_and_the_eraser_takes_them_back():
    sheet = Sketch.blank((8, 8)).stroked((0.0625, 0.5), (0.9375, 0.5))
    pixels = sheet.pixels(0.0, 1.0)
    assert (pixels[3:5, 1:7] > 0.5).all()
    assert (pixels[[0, 1, 6, 7]] == 0.0).all()
    assert np.allclose(pixels, pixels[::-1])
    dot = Sketch.blank((8, 8)).stroked((0.5, 0.5), (0.5, 0.5))
    assert 0 < dot.dots.sum() < 40
    assert sheet.stroked((0.0, 0.5), (1.0, 0.5), ink=False).is_blank
    assert Sketch.blank((8, 8)).stroked((-3.0, 0.5), (-2.0, 0.5)).is_blank


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (28, 28), (64, 3), (100, 100)])
def test_any_shape_can_be_drawn_on(shape):
    sheet = Sketch.blank(shape).stroked((0.0, 0.0), (1.0, 1.0))
    assert sheet.pixels(2.0, 5.0).shape == shape
    assert sheet.pixels(2.0, 5.0).max() > 2.0


def test_a_row_is_added_with_its_class_or_the_value_of_the_nearest():
    labelled = Points([[0.0, 0.0], [4.0, 4.0]], [0, 1], classes=("a", "b"), image_shape=(1, 2))
    made = edits.with_row(labelled, np.array([1.0, 2.0]), 1)
    assert (made.n, made.y.tolist(), made.image_shape) == (3, [0, 1, 1], (1, 2))
    assert edits.with_row(labelled, np.array([1.0, 2.0]), 2).classes == ("a", "b", "class 3")
    valued = Points([[0.0, 0.0], [4.0, 4.0]], [0.5, 2.5])
    assert edits.with_row(valued, np.array([3.0, 3.0])).y.tolist() == [0.5, 2.5, 2.5]
    assert edits.with_row(Points([[0.0, 0.0]]), np.array([3.0, 3.0])).n == 2
    assert edits.levels(labelled) == (0.0, 4.0)
