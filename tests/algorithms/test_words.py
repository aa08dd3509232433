"""Counts and numbers in words."""

import numpy as np
import pytest

from algorithms import Points, find, fit
from algorithms.maths.words import capital, counted, number, percent, signed


@pytest.mark.parametrize(
    ("count", "noun", "plural", "words"),
    [
        (1, "point", "", "1 point"),
        (0, "point", "", "0 points"),
        (1000, "point", "", "1,000 points"),
        (2, "series", "", "2 series"),
        (2, "entry", "", "2 entries"),
        (2, "leaf", "leaves", "2 leaves"),
        (1, "leaf", "leaves", "1 leaf"),
    ],
)
def test_a_count_agrees_with_its_noun(count, noun, plural, words):
    assert counted(count, noun, plural) == words


def test_numbers_have_four_digits():
    assert (number(1 / 3), number(2.0), number(1234567.0)) == ("0.3333", "2", "1.235e+06")
    assert (signed(1 / 3), signed(-2.0), signed(0.0)) == ("+0.3333", "-2", "+0")
    assert (number(-0.0), signed(-0.0)) == ("0", "+0")
    assert (number(np.nan), signed(np.nan), percent(np.nan)) == ("–", "–", "–")


def test_a_sentence_begins_with_a_capital():
    assert (capital("point 3 of k-Means"), capital("")) == ("Point 3 of k-Means", "")


def captions(key, data, **chosen):
    algorithm = find(key)
    return [frame.caption for frame in algorithm.start(data, algorithm.make_params(chosen), 0)]


def test_captions_of_extreme_fits_can_be_read():
    """Found by a hunt: 2^60 in digits, an R² in ninety of them, and noughts with a sign."""
    rng = np.random.default_rng(0)
    wide = Points(rng.normal(size=(4, 60)), rng.normal(size=4))
    leaps = captions("subset_selection", wide, subset="leaps and bounds", size=3, degree=1)
    assert any("of 2^60 subsets" in caption for caption in leaps)
    offset = Points(np.eye(8), 1e8 + 1e-8 * rng.normal(size=8))
    assert max(map(len, captions("mlp", offset, epochs=3, validation=0.7, learning_rate=10.0))) < 200
    assert "-0" not in fit("mlp", offset, epochs=1).last.views["sizes"][0].names
    zeros = captions("gaussian_process", Points(np.eye(3), np.zeros(3)))
    assert any("0 is the fit" in caption for caption in zeros)
    assert not any("-0 is the fit" in caption for caption in zeros)
