"""Counts and numbers in words."""

import pytest

from algorithms.maths.words import capital, counted, number, signed


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


def test_a_sentence_begins_with_a_capital():
    assert (capital("point 3 of k-Means"), capital("")) == ("Point 3 of k-Means", "")
