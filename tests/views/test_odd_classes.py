"""Every classifier on odd data gives a picture or a sentence: one class, one point, equal points, 64 classes, d."""

import warnings

import numpy as np
import pytest

from algorithms import DataError, Points, all_algorithms, find
from algorithms.data import MAX_CLASSES
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


def shown(key, data):
    """Which panels show something in the last frame; or the sentence that says why there is none."""
    method = find(key)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            *_, last = method.start(data, method.params(), 0)
        except DataError as sentence:
            return str(sentence)
        with composed(method, data) as compositor:
            empty = picture(compositor, method.panels[0].key)
            draw(compositor, last)
            assert (picture(compositor, method.panels[0].key) != empty).any()
            return {panel for panel, marks in last.views.items() if marks}


@pytest.mark.parametrize("key", ALL)
def test_a_picture_or_a_sentence(qapp, key):
    for case, data in ODD.items():
        found = shown(key, data)
        if isinstance(found, str):
            assert found.endswith("."), case
            assert case in ("one class", "one point", "equal points", "64 classes"), f"{key}, {case}: {found}"
        else:
            assert found, case
