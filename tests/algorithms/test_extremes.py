"""Numbers at the ends of what a computer can hold: finite frames, or a sentence."""

import warnings

import numpy as np
import pytest

from algorithms import find
from algorithms._checks.values import everything_in, is_sentence
from algorithms.data import DataError, Points

CLOUD = np.random.default_rng(0).normal(size=(20, 2))
LABELS = (CLOUD.sum(axis=1) > 0).astype(int)


@pytest.mark.parametrize("key", ["logistic_regression", "mlp", "perceptron", "k_means", "agglomerative", "isomap"])
@pytest.mark.parametrize("factor", [4e307, 1e300, 1e149, 1e-149, 1e-300, 5e-321])
def test_frames_are_finite_or_there_is_a_sentence(key, factor):
    method, data = find(key), Points(CLOUD * factor, LABELS)
    sentence = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            run = method.start(data, method.make_params({}), 0)
            for _, snapshot in zip(range(6), run):
                found = [value for panel in snapshot.views.values() for value in everything_in(panel)]
                tables = [value for value in found if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
                assert tables
                assert not any(np.isnan(table).any() for table in tables)
        except DataError as error:
            sentence = str(error)
    assert not sentence or is_sentence(sentence)
