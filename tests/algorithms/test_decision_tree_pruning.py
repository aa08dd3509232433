"""Weights of points, pruning, importances and criteria of a decision tree: by hand, and scikit-learn as oracle."""

import itertools

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from algorithms import fit
from algorithms.classification import decision_tree
from algorithms.classification.decision_tree.solver import folded, pruning_path
from algorithms.contract import Stop
from algorithms.data import Points
from algorithms.marks import PointSizes
from tests.algorithms.test_decision_tree import XOR, XOR_CLASSES, cloud, frames_of, tree_of

# --- weights --------------------------------------------------------------------------------------------------------


def test_a_heavy_point_by_hand():
    # 0 at 0 and 1, 1 at 2, 0 at 3. The third point weighs 7 of 10, so that the root answers 1
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 0])
    fitted = fit("decision_tree", X, y, depth=1, weights="single points", points=(3,), point_weight=7.0)
    tree = fitted.model
    assert tree.weight.tolist() == [10.0, 2.0, 8.0]
    assert tree.value[0].tolist() == [0.3, 0.7]
    assert tree.impurity[0] == pytest.approx(1 - 0.3**2 - 0.7**2)
    assert tree.threshold[0] == 1.5
    assert fitted.predict(X).tolist() == [0, 0, 1, 1]  # the last point is outvoted 7 to 1
    assert fitted.metrics["error"][-1] == pytest.approx(0.1)


@pytest.mark.parametrize(("weights", "given", "theirs"), [
    ("balanced", (), "balanced"),
    ("by class", (1.0, 5.0, 0.5), {0: 1.0, 1: 5.0, 2: 0.5}),
])  # fmt: skip
def test_weights_of_classes_are_those_of_scikit_learn(weights, given, theirs):
    X, y = cloud(150)
    X, y = X[(y < 2) | (np.arange(150) % 4 == 0)], y[(y < 2) | (np.arange(150) % 4 == 0)]
    ours = tree_of(X, y, depth=4, weights=weights, class_weights=given)
    oracle = DecisionTreeClassifier(max_depth=4, class_weight=theirs, random_state=0).fit(X, y)
    assert np.mean(ours.leaf_of(X) >= 0) == 1.0
    answers = ours.value.argmax(axis=1)[ours.leaf_of(X)]
    assert np.mean(answers == oracle.predict(X)) > 0.97  # equal cuts are broken differently
    assert ours.impurity[0] == pytest.approx(oracle.tree_.impurity[0])
    assert ours.gain[0] * ours.weight[0] == pytest.approx(
        ours.weight[0] * oracle.tree_.impurity[0]
        - sum(oracle.tree_.weighted_n_node_samples[n] * oracle.tree_.impurity[n]
              for n in (oracle.tree_.children_left[0], oracle.tree_.children_right[0]))
    )  # fmt: skip


def test_weights_are_seen_as_sizes():
    data = Points(*cloud(40, classes=2))
    plain, weighed = frames_of(data)[0][-1], frames_of(data, weights="by class", class_weights=(1.0, 5.0))[0][-1]
    assert not any(isinstance(mark, PointSizes) for mark in plain.views["plane"])
    (sizes,) = (mark for mark in weighed.views["plane"] if isinstance(mark, PointSizes))
    assert sizes.weights.tolist() == np.where(data.y == 1, 5.0, 1.0).tolist()


# --- pruning --------------------------------------------------------------------------------------------------------


def test_pruning_by_hand():
    # a chain: the root parts 8 points 4 to 4 (0000 | 0011 -> mixed), and the right part is parted once more
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 0, 0, 1, 1])
    tree = tree_of(X, y, depth=3)
    assert tree.threshold[0] == 5.5  # one cut is enough: Gini 2 · 3/4 · 1/4 = 3/8 is taken away by one leaf
    path = pruning_path(tree)
    assert path.order.tolist() == [0]
    assert path.alphas.tolist() == pytest.approx([3 / 8])
    # exclusive or, 4 points: the first cut gains nothing and the two below 1/4 each; the whole costs 1/2 for 3 leaves
    tree = tree_of(XOR, XOR_CLASSES, depth=2)
    path = pruning_path(tree)
    assert path.order.tolist() == [0]
    assert path.alphas.tolist() == pytest.approx([1 / 6])


@pytest.mark.parametrize("criterion", ["gini", "cross-entropy"])
def test_the_path_of_pruning_is_that_of_scikit_learn(criterion):
    X, y = cloud(120, classes=2)
    tree = tree_of(X, y, depth=20, criterion=criterion)
    oracle = DecisionTreeClassifier(criterion="entropy" if criterion == "cross-entropy" else "gini", random_state=0)
    unit = np.log(2.0) if criterion == "cross-entropy" else 1.0
    theirs = oracle.cost_complexity_pruning_path(X, y)
    ours = pruning_path(tree)
    # in the smallest regions some cuts are equally good, and are broken differently
    np.testing.assert_allclose(np.unique(ours.alphas)[-6:], np.unique(unit * theirs.ccp_alphas)[-6:])
    alpha = float(np.sqrt(theirs.ccp_alphas[-3] * theirs.ccp_alphas[-2]))
    pruned = fit("decision_tree", X, y, depth=20, criterion=criterion, alpha=alpha * unit)
    other = oracle.set_params(ccp_alpha=alpha).fit(X, y)
    assert (pruned.model.child < 0).sum() == other.get_n_leaves()
    np.testing.assert_array_equal(pruned.predict(X), other.predict(X))


def test_the_path_of_values_is_that_of_scikit_learn():
    X, _ = cloud(80)
    y = X[:, 0] ** 2 + np.sin(X[:, 1])
    theirs = DecisionTreeRegressor(random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(pruning_path(tree_of(X, y, depth=20)).alphas[-40:], theirs.ccp_alphas[-40:], rtol=1e-6)


def test_a_pruned_tree_is_the_best_of_its_size():
    """Of all trees folded from the whole one, that on the path at α has the least R + α · leaves."""
    X, y = cloud(40, classes=2)
    tree = tree_of(X, y, depth=4)
    path = pruning_path(tree)
    inner = np.flatnonzero(tree.child >= 0)

    def cost(one, alpha):
        leaf = one.child < 0
        return one.impurity[leaf] @ one.weight[leaf] / one.weight[0] + alpha * leaf.sum()

    for alpha in (0.005, 0.02, 0.06):
        best = cost(folded(tree, path.order[: path.count(alpha)]), alpha)
        for size in (0, 1, 2):
            for nodes in itertools.combinations(inner.tolist(), size):
                assert best <= cost(folded(tree, np.array(nodes, dtype=np.intp)), alpha) + 1e-12


def test_pruning_is_shown_link_by_link_and_measured():
    data = Points(*cloud(100, classes=2))
    found, stop = frames_of(data, depth=8, alpha=0.02)
    assert stop is Stop.COMPLETE
    folds = [frame for frame in found if frame.phase == "prune"]
    leaves = [frame.metrics["leaves"] for frame in folds]
    assert leaves == sorted(leaves, reverse=True)
    assert all(frame.metrics["leaves"] == (frame.model.child < 0).sum() for frame in folds)
    training, others, _, line = found[-1].views["pruning"]
    assert (np.diff(training.y) >= -1e-12).all()  # the smaller tree fits its own points no better
    assert others.y[0] > training.y[0]
    assert (line.at, line.handle) == (0.02, "alpha")
    wrong = np.mean(decision_tree.predict(found[-1].model, data.X) != data.y)
    assert found[-1].metrics["error"] == pytest.approx(wrong)


def test_a_leaf_alone_has_nothing_to_prune():
    found, _ = frames_of(Points(np.arange(5.0)[:, None], np.zeros(5, dtype=int)), alpha=0.1)
    assert "pruning" not in found[-1].views


# --- importances and criteria ---------------------------------------------------------------------------------------


def test_importances_are_those_of_scikit_learn():
    X, y = cloud(150, d=4)
    data = Points(X, y)
    (bars,) = frames_of(data, depth=5)[0][-1].views["importances"]
    theirs = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y).feature_importances_
    np.testing.assert_allclose(bars.values / bars.values.sum(), theirs, atol=0.05)
    tree = tree_of(X, y, depth=5)
    leaf = tree.child < 0
    left = float(tree.impurity[leaf] @ tree.weight[leaf]) / 150
    assert bars.values.sum() == pytest.approx(tree.impurity[0] - left)  # what was taken away


def test_criteria_over_the_fraction_of_a_class():
    gini, entropy, error, *_ = frames_of(Points(*cloud(60, classes=2)))[0][-1].views["criteria"]
    np.testing.assert_allclose(gini.y, 2 * gini.x * (1 - gini.x), atol=1e-12)
    assert gini.y[20] == pytest.approx(0.18)  # p = 0.1
    assert entropy.y[20] == pytest.approx(0.3250829734)
    np.testing.assert_allclose(error.y, np.minimum(error.x, 1 - error.x), atol=1e-12)
    assert "criteria" not in frames_of(Points(*cloud(60, classes=3)))[0][-1].views


def test_the_gain_of_a_cut_is_the_height_above_the_chord():
    found, _ = frames_of(Points(*cloud(60, classes=2)), depth=1)
    split = next(frame for frame in found if frame.phase == "split")
    *_, chord, parts, before = split.views["criteria"]
    (x, y), ((x1, y1), (x2, y2)) = before.at[0], parts.at
    assert chord.start[0].tolist() == [x1, y1]
    height = y - (y1 + (y2 - y1) * (x - x1) / (x2 - x1))
    assert height == pytest.approx(split.model.gain[0])
