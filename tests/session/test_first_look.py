"""A new table is first seen along the features in which there is most to see."""

import numpy as np

from algorithms.data import Points
from mlviz.data.builtin import load_builtin
from mlviz.session.document import Document
from mlviz.session.first_look import telling_axes


def test_the_flowers_are_seen_along_their_petals():
    assert telling_axes(load_builtin("iris")) == (2, 3)


def test_two_features_that_separate_together_only():
    """Either alone has the same mean in both classes; their difference tells them apart."""
    rng = np.random.default_rng(0)
    along, y = rng.normal(size=200) * 3, np.arange(200) % 2
    X = np.column_stack([rng.normal(size=200), along, along + np.where(y, 0.5, -0.5), rng.normal(size=200)])
    assert telling_axes(Points(X, y)) == (1, 2)


def test_a_value_is_seen_along_the_features_that_go_with_it():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 5))
    assert telling_axes(Points(X, 3 * X[:, 4] - 2 * X[:, 1] + 0.1 * X[:, 0])) == (1, 4)


def test_without_a_target_the_principal_components_are_seen():
    rng = np.random.default_rng(2)
    document = Document(Points(rng.normal(size=(50, 4))), "k_means").with_telling_axes()
    assert document.shows_pca
    assert Document(load_builtin("iris"), "kernel_svm").with_telling_axes().axes == (2, 3)
    assert Document(Points(rng.normal(size=(50, 2))), "k_means").with_telling_axes().axes == (0, 1)
