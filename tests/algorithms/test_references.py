"""Every help page cites a book or a paper that anyone can find, beside the documents of the course."""

import re

import pytest

from algorithms import all_algorithms

COURSE = (
    "Handbook",
    "Introduction to Machine Learning",
    "Machine Learning (Buhmann)",
    "Methods for Data Science",
    "Statistical Machine Learning (Orbanz)",
)


def findable(reference):
    """The entries of a reference that are no documents of the course, with a year or a chapter."""
    entries = [re.sub(r"^beside ", "", entry.strip()) for entry in reference.split(";")]
    return [entry for entry in entries if not entry.startswith(COURSE) and re.search(r"\d", entry)]


def test_a_course_document_is_not_enough():
    assert (
        findable("Handbook §3.2.1 (Alg. 6); Methods for Data Science §9.3; Statistical Machine Learning (Orbanz), x 3")
        == []
    )
    assert findable("Handbook §3.2.1; Bishop, Pattern Recognition and Machine Learning, 4.1.1") != []
    assert findable("Machine Learning (Buhmann), slide 221; Mercer 1909") == ["Mercer 1909"]


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_a_book_or_a_paper_is_cited(algorithm):
    assert findable(algorithm.reference), algorithm.reference
