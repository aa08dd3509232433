"""What a method invites to try is there to be seen: every sentence of the help is played and asked for its claim."""

import pytest

from algorithms.played import Played
from algorithms.registry import all_algorithms, find
from mlviz.data.spec import load_data

TRIES = [
    pytest.param(method.key, number, id=f"{method.key}-{number}")
    for method in all_algorithms()
    for number, _ in enumerate((*method.tries, *method.related))
]


@pytest.mark.parametrize(("key", "number"), TRIES)
def test_a_try_shows_what_its_sentence_says(key, number):
    method = find(key)
    item = (*method.tries, *method.related)[number]
    assert item.shows is not None, f"Nothing is said about how {item.text!r} can be found in the played run."
    data = load_data(item.data or method.example)
    tried = find(item.method) if item.method else method
    assert item.shows(Played(tried, data, tried.make_params(item.params), load_data)), item.text
