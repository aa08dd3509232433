"""Every classifier on odd data gives a picture or a sentence: one class, one point, equal points, 64 classes, d."""

import warnings

import numpy as np
import pytest

from algorithms import DataError, Points, all_algorithms, find
from algorithms.data import MAX_CLASSES
from mlviz.session.document import Document
from tests.views.test_phases import composed, draw, picture

RNG = np.random.default_rng(5)
TWO = np.arange(30) % 2
CLASSES = np.arange(2 * MAX_CLASSES) % MAX_CLASSES
ODD = {
    "one class": Points(RNG.normal(size=(20, 2)), np.zeros(20, dtype=int)),
    "one point": Points(np.array([[1.0, 2.0]]), np.array([0])),
    "equal points": Points(np.full((12, 2), 3.0), np.arange(12) % 3),
    "64 classes": Points(RNG.normal(size=(len(CLASSES), 2)) + 0.4 * np.stack(np.divmod(CLASSES, 8), axis=1), CLASSES),
    "one feature": Points(RNG.normal(size=(30, 1)) + 3.0 * TWO[:, None], TWO),
    "fifty features": Points(RNG.normal(size=(30, 50)) + TWO[:, None], TWO),
}
ALL = [method.key for method in all_algorithms() if method.family == "classification" and Points in method.accepts]


def last_frame(method, data):
    """The end of a run; or the sentence that says why there is none."""
    try:
        *_, last = method.start(data, method.params(), 0)
    except DataError as sentence:
        return str(sentence)
    return last


@pytest.mark.parametrize("key", ALL)
def test_a_picture_or_a_sentence(qapp, key):
    method, plane = find(key), find(key).panels[0].key
    with warnings.catch_warnings(), composed(method, ODD["one class"]) as compositor:
        warnings.simplefilter("error")
        for case, data in ODD.items():
            last = last_frame(method, data)
            if isinstance(last, str):
                assert last.endswith("."), case
                assert case in ("one class", "one point", "equal points", "64 classes"), f"{key}, {case}: {last}"
                continue
            compositor.set_data(data, Document(data, key).projection)
            compositor.canvas(plane).fit_view()
            alone = picture(compositor, plane)
            draw(compositor, last)
            assert picture(compositor, plane) != alone, case
