"""What Bayes' rule, Gaussians, naive Bayes and nearest neighbours look like besides their example, as approved."""

import pytest
from PySide6.QtGui import QImage

from algorithms import find
from algorithms.data import Nothing
from mlviz.data.spec import load_data
from mlviz.export.render import Style, render_picture

PICTURES = {
    "panel-gaussian_classifier-shared": ("gaussian_classifier", "", {"covariance": "shared"}, "dark"),
    "panel-k_nearest-cells": ("k_nearest", "moons(n=90,noise=0.25,seed=1)", {"k": 1, "query": [[0.5, 0.6]]}, "dark"),
    "panel-k_nearest-steps": ("k_nearest", "sine(n=60,noise=0.2,seed=1)", {"k": 6, "query": [[0.3]]}, "light"),
    "panel-k_nearest-pictures": ("k_nearest", "digits()", {"k": 8}, "light"),
    "panel-k_nearest-bits": ("k_nearest", "gate(n=12,kind=XOR)", {"k": 4, "metric": "hamming"}, "light"),
    "panel-naive_bayes-words": ("naive_bayes", "subject_words()", {"kind": "multinomial", "point": 2}, "light"),
    "panel-naive_bayes-categories": ("naive_bayes", "tennis()", {"kind": "counting", "smoothing": 0.0}, "dark"),
    "panel-naive_bayes-bins": ("naive_bayes", "circles(n=400,noise=0.1,seed=1)", {"kind": "histogram"}, "light"),
    "panel-bayes_rule-twice": (
        "bayes_rule",
        "",
        {"mean_1": 0.0, "deviation_1": 0.7, "mean_2": 0.5, "deviation_2": 2.5, "density_2": "Laplace"},
        "dark",
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(qapp, approved, tmp_path, name):
    key, data, params, theme = PICTURES[name]
    algorithm, path = find(key), tmp_path / "a.png"
    chosen = algorithm.make_params(params)
    points = load_data(data or algorithm.example) if algorithm.accepts else Nothing()
    render_picture(algorithm, points, chosen, 0, path, style=Style(size=(800, 600), theme=theme))
    approved(QImage(str(path)), name)
