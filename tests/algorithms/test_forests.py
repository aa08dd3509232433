"""Trees grown side by side: the same as one by one; weights as repeated points; sums on pictures as at points."""

import re

import numpy as np
import pytest

from algorithms.data import MAX_CLASSES, DataError, Points
from algorithms.maths.bags import problem_of, refuse_large_crowd
from algorithms.maths.forest_growth import Presorted, grow, grown
from algorithms.maths.forest_pictures import lines_of
from algorithms.maths.forests import LIMIT, MOST_BYTES, Forest, forest_bytes
from algorithms.maths.tree_growth import Growth, Problem
from algorithms.params import schema
from algorithms.registry import find

CRITERIA = ("gini", "cross-entropy", "misclassification")
COLUMNS = ("feature", "threshold", "child", "depth", "count", "weight", "impurity", "gain", "value")


def cloud(n=150, d=3, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    return rng.normal(size=(n, d)).round(1) + 0.9 * y[:, None], y


def cut_by_cut(problem, depth):
    growth = Growth(problem, depth)
    for _ in range(depth):
        sweep = growth.search()
        for region in range(len(growth.level.nodes)):
            cut = growth.best_cut(sweep, region)
            if cut is not None and not growth.refusal(region, cut):
                growth.split(region, cut)
        if not growth.go_down():
            break
    return growth.tree()


def assert_same(one, other, *but):
    for name in (name for name in COLUMNS if name not in but):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_tree_grown_at_once_is_the_one_that_is_watched(criterion, weighted):
    X, y = cloud()
    weights = np.random.default_rng(1).uniform(0.1, 2.0, len(X)) if weighted else None
    problem = Problem(X, y, 3, criterion, 2, 0.001, weights)
    assert_same(grown(problem, 6), cut_by_cut(problem, 6))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_for_values(weighted):
    X, y = cloud()
    weights = np.random.default_rng(1).uniform(0.1, 2.0, len(X)) if weighted else None
    problem = Problem(X, X[:, 0] ** 2 + y, 0, "squared error", weights=weights)
    assert_same(grown(problem, 5), cut_by_cut(problem, 5))


@pytest.mark.parametrize("criterion", [*CRITERIA, "squared error"])
def test_a_whole_weight_is_so_many_equal_points(criterion):
    X, y = cloud(60)
    real = criterion == "squared error"
    target, classes = (X[:, 1] * y, 0) if real else (y, 3)
    weights = np.random.default_rng(2).integers(0, 4, len(X))
    weighted = grow(Problem(X, target, classes, criterion), 4, weights[None].astype(float)).tree(0)
    repeated = Problem(np.repeat(X, weights, axis=0), np.repeat(target, weights), classes, criterion)
    other = grown(repeated, 4)
    # of equally good cuts the one that halves the points best is taken, and a repeated point is several
    places = np.random.default_rng(3).normal(size=(300, 3)) * 2
    assert weighted.weight[0] == weights.sum() == other.count[0]
    assert weighted.impurity[0] == pytest.approx(other.impurity[0])
    assert np.mean(np.abs(weighted.value[weighted.leaf_of(places)] - other.value[other.leaf_of(places)]) < 1e-9) > 0.8


def test_a_weighted_stump_by_hand():
    # 0 at 0 and 1, 1 at 2, 0 at 3: by count the cut at 1.5 errs once; when the last point weighs 5 it errs by 5/8, and
    # calling everything 0 errs by 1/8, which a cut at 2.5 or 0.5 does as well
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 0])
    problem = Problem(X, y, 2, "misclassification")
    light = grow(problem, 1, np.ones((1, 4))).tree(0)
    assert light.threshold[0] == 1.5
    heavy = grow(problem, 1, np.array([[1.0, 1.0, 1.0, 5.0]])).tree(0)
    assert heavy.impurity[0] == pytest.approx(1 / 8)
    assert heavy.value[0].tolist() == [7 / 8, 1 / 8]
    # with the first two points as good as absent, the last two are told apart without an error
    alone = grow(problem, 1, np.array([[0.0, 0.0, 1.0, 5.0]])).tree(0)
    assert alone.threshold[0] == 2.5
    assert alone.count.tolist() == [2, 1, 1]
    assert alone.weight.tolist() == [6.0, 1.0, 5.0]


def test_trees_grown_side_by_side_do_not_know_each_other():
    X, y = cloud()
    problem, rng = Problem(X, y, 3, "gini"), np.random.default_rng(4)
    weights = rng.integers(0, 3, size=(5, len(X))).astype(float)
    grove = grow(problem, 6, weights)
    for number, own in enumerate(weights):
        assert_same(grove.tree(number), grow(problem, 6, own[None]).tree(0))
    assert_same(grow(problem, 6, weights, presorted=Presorted.of(X)).table, grove.table)


def test_features_are_drawn_for_every_region():
    X, y = cloud(d=8)
    problem = Problem(X, y, 3, "gini")
    tree = grow(problem, 6, None, 1, np.random.default_rng(5)).tree(0)
    assert len(np.unique(tree.feature[tree.feature >= 0])) > 4
    same = grow(problem, 6, None, 1, np.random.default_rng(5)).tree(0)
    assert_same(tree, same)
    assert_same(grow(problem, 6, None, 8, np.random.default_rng(6)).tree(0), grown(problem, 6))


def test_a_region_that_the_drawn_features_cannot_cut_looks_at_all_of_them():
    X = np.zeros((20, 6))
    X[10:, 5] = 1.0
    y = (np.arange(20) >= 10).astype(int)
    for seed in range(5):
        tree = grow(Problem(X, y, 2, "gini"), 3, None, 1, np.random.default_rng(seed)).tree(0)
        assert tree.feature.tolist() == [5, -1, -1]


def a_forest(real=False, trees=7, d=3):
    X, y = cloud(d=d)
    problem = Problem(X, X[:, 0] + y, 0, "squared error") if real else Problem(X, y, 3, "gini")
    rng, forest = np.random.default_rng(7), Forest((), 0)
    while len(forest) < trees:
        weights = rng.multinomial(len(X), np.full(len(X), 1 / len(X)), size=3).astype(float)
        forest = forest.plus(grow(problem, 5, weights, 2, rng))
    return forest.first(trees), X


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("votes", [False, True])
def test_the_total_is_the_sum_of_the_trees_on_any_points(real, votes):
    forest, X = a_forest(real)
    across, up = np.meshgrid(np.linspace(-3, 5, 20), np.linspace(-3, 4, 15))
    plane = np.column_stack([across.ravel(), np.full(across.size, 0.3), up.ravel()])
    line = np.column_stack([np.linspace(-3, 5, 40), np.zeros(40), np.ones(40)])
    for places in (X, plane, line, plane[:1], plane[:0], np.random.default_rng(8).permutation(plane)):
        answers = [tree.value[tree.leaf_of(places)] for tree in forest]
        if votes and not real:
            answers = [np.eye(3)[answer.argmax(axis=1)] for answer in answers]
        np.testing.assert_allclose(forest.total(places, votes), np.sum(answers, axis=0), atol=1e-12)


def test_points_on_a_threshold_go_to_the_right_on_a_grid_as_well():
    forest, _ = a_forest(d=2)
    cuts = [np.unique(np.concatenate([tree.threshold[tree.feature == j] for tree in forest])) for j in (0, 1)]
    places = np.stack(np.meshgrid(*cuts), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(
        forest.total(places), np.sum([tree.value[tree.leaf_of(places)] for tree in forest], axis=0), atol=1e-12
    )


@pytest.mark.parametrize("real", [False, True])
def test_lines_of_a_tilted_plane_go_down_the_trees_in_pieces(real):
    forest, _ = a_forest(real)
    across, up = np.meshgrid(np.linspace(-6, 6, 40), np.linspace(-5, 5, 12))
    # the first feature rises along a line, the second falls, the third stays where it is
    tilted = across.reshape(-1, 1) * [0.8, -0.6, 0.0] + up.reshape(-1, 1) * [0.3, 0.4, 0.85]
    cuts = np.concatenate([tree.threshold[tree.feature == 0] for tree in forest])
    on_cuts = np.column_stack([np.sort(cuts)[:16], -np.arange(16.0), np.full(16, 0.5)])  # not equally far apart
    ragged = tilted * np.linspace(0.9, 1.1, len(tilted))[:, None]
    assert lines_of(tilted).values.shape == (12, 40, 3)
    assert lines_of(ragged) is None
    for places in (tilted, tilted[:40], on_cuts, ragged):
        expected = np.sum([tree.value[tree.leaf_of(places)] for tree in forest], axis=0)
        np.testing.assert_allclose(forest.total(places), expected, atol=1e-12)


def test_a_feature_that_turns_makes_no_line():
    X = np.column_stack([np.arange(32.0), np.abs(np.arange(32.0) - 16.0), np.zeros(32)])
    assert lines_of(X) is None
    assert lines_of(X[:16]).rises.tolist() == [[True, False, True]]


def test_a_forest_has_a_length_and_an_order():
    forest, _ = a_forest(trees=7)
    assert len(forest) == len(list(forest)) == 7
    assert_same(forest[-1], forest.groves[2].tree(0))
    with pytest.raises(IndexError):
        forest[7]


def test_importances_by_hand():
    # the first cut takes away all that there is: one tree, one feature
    X = np.column_stack([np.arange(8.0), np.arange(8) % 2])
    forest = Forest((grow(Problem(X, (X[:, 0] > 3).astype(int), 2, "gini"), 3),), 1)
    assert forest.importances(2).tolist() == [1.0, 0.0]
    # exclusive or: the first cut gains nothing, the two below take away a half each
    forest = Forest((grow(Problem(X, (X[:, 0] > 3).astype(int) ^ X[:, 1].astype(int), 2, "gini"), 2),), 1)
    assert forest.importances(2).sum() == pytest.approx(1.0)
    assert Forest((grow(Problem(X, np.zeros(8, dtype=int), 2, "gini"), 3),), 1).importances(2).tolist() == [0.0, 0.0]


# --- memory ----------------------------------------------------------------------------------------------------------


def taken(grove):
    return sum(getattr(grove.table, name).nbytes for name in COLUMNS)


def test_what_a_forest_takes_at_most_is_what_full_trees_take():
    X, values = np.arange(64.0)[:, None], np.random.default_rng(0).normal(size=64)
    full = grow(Problem(X, values, 0, "squared error"), 20)
    assert taken(full) == forest_bytes(1, 64, 1, depth=20) == 127 * 56
    classes = grow(Problem(X, np.arange(64) // 8, 8, "gini"), 3, np.ones((4, 64)))
    assert len(classes.table.child) == 4 * 15
    assert taken(classes) == forest_bytes(4, 64, 8, depth=3)
    assert forest_bytes(10, 64, 1, depth=20, min_leaf=8) == 10 * 15 * 56
    assert forest_bytes(1, 1, 1, depth=20, min_leaf=8) == 56


def crowded(n, classes):
    return Points(np.arange(n, dtype=float)[:, None], np.arange(n) % classes, classes=tuple(map(str, range(classes))))


DEEP = {"trees": 1000, "depth": 20}
TREES = "1,000 trees on 100,000 points can take 8.4 GB of memory; at most 2 GB may be taken. Use fewer trees, "
BOOSTED = "64,000 trees on 6,400 points can take 18.3 GB of memory; at most 2 GB may be taken. Use fewer rounds "


@pytest.mark.parametrize(
    ("key", "n", "classes", "params", "sentence"),
    [
        ("random_forest", 100_000, 2, DEEP, TREES + "a smaller depth or larger leaves."),
        ("bagging", 100_000, 2, DEEP, TREES + "a smaller depth or larger leaves."),
        ("bagging", 10**6, 2, {"trees": 1000, "base": "k nearest"}, "Use fewer nearest-neighbour rules."),
        ("gradient_boosting", 6400, 64, {"rounds": 1000, "depth": 8}, BOOSTED + "or a smaller depth."),
    ],
    ids=["random forest", "bagged trees", "bagged neighbours", "gradient boosting"],
)
def test_what_cannot_be_kept_is_refused_before_it_grows(monkeypatch, key, n, classes, params, sentence):
    for work in ("forest_growth.Presorted.of", "bagged_model.Given.of"):  # the first that a run does
        monkeypatch.setattr(f"algorithms.maths.{work}", None)
    method = find(key)
    with pytest.raises(DataError, match=re.escape(sentence) + "$"):
        next(method.start(crowded(n, classes), method.make_params(params), 0))
    assert LIMIT in schema(method.params)[0].doc


def test_what_a_class_grows_is_not_refused():
    for n, classes, trees, depth in ((10_000, 26, 500, 20), (100_000, 10, 100, 20), (100_000, 32, 1000, 10)):
        problem = problem_of(crowded(n, classes), "gini", 1, "A forest")
        refuse_large_crowd(problem, "tree", trees, n, depth)


def test_the_knobs_of_adaboost_bound_its_trees():
    most = {field.name: field.high for field in schema(find("adaboost").params)}
    assert forest_bytes(most["rounds"], 10**6, MAX_CLASSES, most["depth"]) <= MOST_BYTES / 10
