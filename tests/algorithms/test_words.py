"""Counts and numbers in words."""

import numpy as np
import pytest

from algorithms import Points, find, fit
from algorithms.maths.words import are, between, capital, change, counted, listed, number, of_class, percent, signed


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
    assert (number(1 / 3), number(2.0), number(1234567.0)) == ("0.3333", "2", "1,234,567")
    assert (number(13231.2), number(999.96), number(999.94), number(4e7), signed(13231.2)) == (
        "13,231", "1,000", "999.9", "4e+07", "+13,231",
    )  # fmt: skip
    assert (signed(1 / 3), signed(-2.0), signed(0.0)) == ("+0.3333", "-2", "+0")
    assert (number(-0.0), signed(-0.0)) == ("0", "+0")
    assert (number(np.nan), signed(np.nan), percent(np.nan)) == ("–", "–", "–")


def test_a_sentence_begins_with_a_capital():
    assert (capital("point 3 of k-Means"), capital("")) == ("Point 3 of k-Means", "")


def test_a_verb_agrees_with_its_count():
    assert (are(1), are(0), are(2), are(1, "lies", "lie")) == ("is", "are", "are", "lies")


def test_lists_have_one_and():
    assert (listed(["a"]), listed("ab"), listed("abc"), listed("abc", "or")) == (
        "a",
        "a and b",
        "a, b and c",
        "a, b or c",
    )


def test_a_change_is_one_that_can_be_seen():
    assert change("J", 3.0, 2.0) == "J falls from 3 to 2"
    assert change("f", 1.0, 1.5) == "f rises from 1 to 1.5"
    assert change("J", 2169.04, 2169.01) == "J stays 2,169"
    assert change("J", np.nan, 2.0) == "J is 2"
    assert change("P", 0.5, 0.25, percent) == "P falls from 50 % to 25 %"


def test_a_range_is_one_that_can_be_seen():
    assert (between(1.0, 2.0), between(0.04873, 0.048731)) == ("between 1 and 2", "all 0.04873")


def test_a_class_is_not_named_class_twice():
    assert (of_class("setosa"), of_class("class 1")) == ("class 'setosa'", "class 1")


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
