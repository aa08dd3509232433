"""Decision tree: impurities by hand, the greedy rule against brute force, scikit-learn as oracle, identities."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from algorithms import Item, fit
from algorithms._checks import cases
from algorithms.classification import decision_tree
from algorithms.classification.decision_tree import ALGORITHM, Params
from algorithms.contract import DataError, Stop
from algorithms.data import Points
from algorithms.marks import OPEN, Curve, Rectangles, ReferenceLine, Regions, TreeDiagram
from algorithms.maths.tree_growth import Growth, Problem, curve
from algorithms.maths.trees import impurity

CRITERIA = ("gini", "cross-entropy", "misclassification")
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_CLASSES = np.array([0, 1, 1, 0])


def frames_of(data, **params):
    return cases.play(ALGORITHM, data, ALGORITHM.make_params(params))


def tree_of(X, y, **params):
    return fit("decision_tree", X, y, **params).model


def cloud(n=120, d=2, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    return rng.normal(size=(n, d)) + 0.9 * y[:, None], y


# --- impurities -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("classes", "gini"), [(2, 1 / 2), (3, 2 / 3), (4, 3 / 4)])
def test_uniform_shares_have_the_largest_impurity(classes, gini):
    counts = np.full(classes, 7)
    assert impurity(counts, "gini") == pytest.approx(gini)
    assert impurity(counts, "cross-entropy") == pytest.approx(np.log(classes))
    assert impurity(counts, "misclassification") == pytest.approx(1 - 1 / classes)
    others = np.random.default_rng(1).integers(0, 30, size=(200, classes)) + np.eye(classes, dtype=int)[0]
    for criterion in CRITERIA:
        assert (impurity(others, criterion) <= impurity(counts, criterion) + 1e-12).all()


def test_impurities_of_one_in_ten():
    counts = np.array([1, 9])
    assert impurity(counts, "gini") == pytest.approx(0.18)
    assert impurity(counts, "cross-entropy") == pytest.approx(0.3250829734, abs=1e-10)
    assert impurity(counts, "misclassification") == pytest.approx(0.1)


def test_pure_regions_have_none():
    for criterion in CRITERIA:
        assert impurity(np.array([[0, 12, 0], [5, 0, 0]]), criterion).tolist() == [0.0, 0.0]


def test_squared_error_of_the_class_indicators_is_gini():
    X, y = cloud()
    indicators = np.eye(3)[y]
    assert ((indicators - indicators.mean(axis=0)) ** 2).sum(axis=1).mean() == pytest.approx(
        impurity(np.bincount(y), "gini")
    )
    one, two = (tree_of(X, y, criterion=criterion) for criterion in ("gini", "squared error"))
    assert np.array_equal(one.threshold, two.threshold)


# --- known answers --------------------------------------------------------------------------------------------------


def test_a_split_worked_by_hand():
    """Six points on a line, a a b a b b: the cuts behind 2 and behind 4 are equally good, and no other is better."""
    x, y = np.arange(1.0, 7.0), np.array([0, 0, 1, 0, 1, 1])
    growth = Growth(Problem(x[:, None], y, 2, "gini"), 1)
    sweep = growth.search()
    thresholds, cost = curve(x[:, None], growth.level, sweep, 0, 0)
    assert thresholds.tolist() == [1.5, 2.5, 3.5, 4.5, 5.5]
    # behind 1: 5/6 · 12/25; behind 2: 4/6 · 3/8; behind 3: 4/9; then the mirror image
    assert cost == pytest.approx([0.4, 0.25, 4 / 9, 0.25, 0.4])
    stump = tree_of(x[:, None], y, depth=1)
    assert stump.threshold[0] == 2.5
    assert stump.gain[0] == pytest.approx(0.25)
    assert stump.count.tolist() == [6, 2, 4]
    assert stump.value[1:].tolist() == [[1.0, 0.0], [0.25, 0.75]]


def test_a_regression_split_worked_by_hand():
    """y = 0 0 3 3 over x = 0 1 2 3: the cut at 1.5 leaves nothing, the mean squared error before is 9/4."""
    fitted = fit("decision_tree", np.arange(4.0)[:, None], np.array([0.0, 0.0, 3.0, 3.0]), depth=3)
    assert fitted.model.threshold[0] == 1.5
    assert fitted.model.impurity.tolist() == [2.25, 0.0, 0.0]
    assert fitted.metrics["impurity"][0] == 2.25
    assert fitted.predict(np.array([[1.4], [1.5], [9.0]])).tolist() == [0.0, 3.0, 3.0]


@pytest.mark.parametrize("flip", [False, True])
def test_a_stump_has_both_polarities(flip):
    x, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    fitted = fit("decision_tree", x, 1 - y if flip else y, depth=1)
    assert len(fitted.model.child) == 3
    assert fitted.predict(np.array([[2.4], [2.6]])).tolist() == ([1, 0] if flip else [0, 1])


def test_a_point_on_the_threshold_goes_right():
    fitted = fit("decision_tree", np.array([[1.0], [2.0]]), np.array([0, 1]), depth=1)
    assert fitted.model.threshold[0] == 1.5
    assert fitted.predict(np.array([[1.5]])).tolist() == [1]


def test_figure_of_the_notes():
    """Fig. 6.1: S1 on x1, then S11 and S21 on x2, four regions."""
    x1, x2 = np.meshgrid(np.arange(10) + 0.5, np.arange(10) + 0.5)
    X = np.column_stack([x1.ravel(), x2.ravel()])
    y = np.where(X[:, 0] < 4, X[:, 1] < 7, X[:, 1] >= 8).astype(int)
    tree = tree_of(X, y, depth=2, criterion="cross-entropy")
    splits = [(int(tree.feature[node]), float(tree.threshold[node])) for node in np.flatnonzero(tree.child >= 0)]
    assert splits == [(0, 4.0), (1, 7.0), (1, 8.0)]
    assert (tree.impurity[tree.child < 0] == 0).all()


# --- the greedy rule ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_xor_gains_nothing_at_first_and_needs_depth_two(criterion):
    stump, deep = (tree_of(XOR, XOR_CLASSES, criterion=criterion, depth=depth) for depth in (1, 2))
    assert stump.gain[0] == pytest.approx(0.0, abs=1e-15)
    assert (ALGORITHM.predict(stump, XOR) == XOR_CLASSES).mean() == 0.5
    assert (ALGORITHM.predict(deep, XOR) == XOR_CLASSES).all()


def test_a_plateau_ends_the_tree_when_a_gain_is_asked_for():
    frames, stop = frames_of(Points(XOR, XOR_CLASSES), min_gain=0.01)
    assert stop is Stop.COMPLETE
    assert frames[-1].metrics["leaves"] == 1
    assert any("min gain" in frame.caption for frame in frames if frame.phase == "leaf")


def test_equal_cuts_are_decided_by_balance():
    """On an XOR grid every cut costs the same; only the one in the middle lets the next level separate it."""
    X = np.array(list(itertools.product(range(6), range(6))), dtype=float)
    y = ((X[:, 0] < 3) ^ (X[:, 1] < 3)).astype(int)
    tree = tree_of(X, y, depth=2, criterion="misclassification")
    assert (tree.feature[0], tree.threshold[0]) == (0, 2.5)
    assert (ALGORITHM.predict(tree, X) == y).all()


def brute_force(X, y, rows, criterion, min_leaf):
    """The least cost of all cuts of these rows, by counting each of them."""
    least = np.inf
    cuts = [(j, s) for j in range(X.shape[1]) for s in np.unique(X[rows, j])[1:]]
    for j, s in cuts:
        parts = [rows[X[rows, j] < s], rows[X[rows, j] >= s]]
        if min(map(len, parts)) < min_leaf:
            continue
        if criterion == "squared error":
            inside = [np.var(y[part]) for part in parts]
        else:
            inside = [impurity(np.bincount(y[part], minlength=y.max() + 1), criterion) for part in parts]
        least = min(least, sum(len(part) * value for part, value in zip(parts, inside)) / len(rows))
    return least


@pytest.mark.parametrize("criterion", [*CRITERIA, "squared error"])
@pytest.mark.parametrize("min_leaf", [1, 4])
def test_every_cut_is_the_best_of_all(criterion, min_leaf):
    X, y = cloud(n=50, seed=3)
    X = np.round(X, 1)  # equal values are not to be torn apart
    y = X[:, 0] * y if criterion == "squared error" else y
    tree = tree_of(X, y, criterion=criterion, depth=4, min_leaf=min_leaf)
    at = np.zeros(len(X), dtype=int)
    for node in np.flatnonzero(tree.child >= 0).tolist():
        rows = np.flatnonzero(at == node)
        children = tree.child[node] + (X[rows, tree.feature[node]] >= tree.threshold[node])
        at[rows] = children
        counts = tree.count[[tree.child[node], tree.child[node] + 1]]
        cost = counts @ tree.impurity[[tree.child[node], tree.child[node] + 1]] / counts.sum()
        assert counts.tolist() == [np.sum(children == tree.child[node]), np.sum(children == tree.child[node] + 1)]
        assert counts.min() >= min_leaf
        assert cost == pytest.approx(brute_force(X, y, rows, criterion, min_leaf), abs=1e-12)
        assert tree.gain[node] == pytest.approx(tree.impurity[node] - cost, abs=1e-12)
    assert (tree.child >= 0).sum() > 3


# --- scikit-learn ---------------------------------------------------------------------------------------------------

NAMES = {"gini": "gini", "cross-entropy": "log_loss"}


@pytest.mark.parametrize("criterion", NAMES)
@pytest.mark.parametrize("params", [{"depth": 3}, {"depth": 6, "min_leaf": 5}, {"depth": 8, "min_gain": 0.01}])
def test_the_same_tree_as_scikit_learn(criterion, params):
    """On continuous data nearly all best cuts are unique, so the trees must be the same."""
    X, y = cloud(n=400, d=3, seed=5)
    tree = tree_of(X, y, criterion=criterion, **params)
    unit = impurity(np.bincount(y), criterion) / (np.log(2.0) if criterion == "cross-entropy" else 1.0)
    oracle = DecisionTreeClassifier(
        criterion=NAMES[criterion],
        max_depth=params["depth"],
        min_samples_leaf=params.get("min_leaf", 1),
        min_impurity_decrease=params.get("min_gain", 0.0) * unit,
        random_state=0,
    ).fit(X, y)
    queries = np.random.default_rng(8).normal(size=(3000, 3)) * 2
    sure = np.isin(tree.leaf_of(queries), same_leaves(tree, oracle.tree_, bits=criterion == "cross-entropy"))
    assert sure.mean() > 0.9
    assert np.array_equal(ALGORITHM.predict(tree, queries)[sure], oracle.predict(queries)[sure])
    assert ALGORITHM.field(tree, queries)[sure] == pytest.approx(oracle.predict_proba(queries)[sure])


@pytest.mark.parametrize("params", [{"depth": 3}, {"depth": 7, "min_leaf": 4}])
def test_the_same_regression_tree_as_scikit_learn(params):
    rng = np.random.default_rng(4)
    X = rng.uniform(-3, 3, size=(300, 2))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=300)
    tree = tree_of(X, y + 1e6, **params)  # far from zero, where squares would lose their digits
    oracle = DecisionTreeRegressor(max_depth=params["depth"], min_samples_leaf=params.get("min_leaf", 1)).fit(X, y)
    sure = np.isin(tree.leaf_of(X), same_leaves(tree, oracle.tree_))
    assert sure.mean() > 0.9
    assert ALGORITHM.predict(tree, X)[sure] == pytest.approx(oracle.predict(X)[sure] + 1e6, abs=1e-8)


def same_leaves(tree, oracle, bits=False):
    """Compare node by node; below cuts that are equally good the two may differ. Gives the leaves that are the same.

    Scikit-learn numbers its nodes depth first, measures entropy in bits and stores features with 32 bits.
    """
    unit = 1 / np.log(2) if bits else 1.0
    pairs, leaves = [(0, 0)], []
    for ours, theirs in pairs:
        assert tree.count[ours] == oracle.n_node_samples[theirs]
        assert tree.impurity[ours] * unit == pytest.approx(oracle.impurity[theirs], abs=1e-9)
        assert (tree.child[ours] < 0) == (oracle.children_left[theirs] < 0)
        if tree.child[ours] < 0:
            leaves.append(ours)
            continue
        below = [oracle.children_left[theirs], oracle.children_right[theirs]]
        after = oracle.n_node_samples[below] @ oracle.impurity[below] / oracle.n_node_samples[theirs]
        assert tree.gain[ours] * unit == pytest.approx(oracle.impurity[theirs] - after, abs=1e-9)
        same = tree.feature[ours] == oracle.feature[theirs]
        if same and tree.threshold[ours] == pytest.approx(oracle.threshold[theirs], abs=1e-6):
            pairs.extend((tree.child[ours] + side, below[side]) for side in (0, 1))
    return leaves


# --- identities -----------------------------------------------------------------------------------------------------

tables = st.integers(0, 10_000).map(lambda seed: _table(seed))


def _table(seed):
    """A small table with ties, constant columns and a class or two missing, as it comes."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, 4))
    X = np.round(rng.normal(size=(n, d)) * rng.integers(1, 30), int(rng.integers(0, 3)))
    return X, rng.integers(0, int(rng.integers(1, 5)) + 1, size=n)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from([*CRITERIA, "squared error"]), st.integers(0, 6), st.integers(1, 4))
def test_what_holds_for_every_tree(table, criterion, depth, min_leaf):
    X, y = table
    tree = tree_of(X, y, criterion=criterion, depth=depth, min_leaf=min_leaf)
    leaves, inner = tree.child < 0, np.flatnonzero(tree.child >= 0)
    assert leaves.sum() <= 2**depth
    assert leaves.sum() == len(inner) + 1
    assert tree.count[leaves].sum() == len(X)
    if len(inner):
        assert tree.count[1:].min() >= min_leaf
    left, right = tree.child[inner], tree.child[inner] + 1
    weights = tree.count[left] / tree.count[inner], tree.count[right] / tree.count[inner]
    after = weights[0] * tree.impurity[left] + weights[1] * tree.impurity[right]
    assert (after <= tree.impurity[inner] + 1e-12).all()
    total = tree.impurity[0] - tree.count[inner] @ tree.gain[inner] / len(X)
    assert tree.count[leaves] @ tree.impurity[leaves] / len(X) == pytest.approx(total, abs=1e-12)
    own, numbers = tree.leaf_of(X), np.unique(y, return_inverse=True)[1]
    for node in np.flatnonzero(leaves).tolist():
        assert tree.count[node] == (own == node).sum()
        members = numbers[own == node]
        assert tree.value[node] == pytest.approx(np.bincount(members, minlength=len(tree.value[0])) / len(members))
        assert tree.path(X[np.flatnonzero(own == node)[0]])[-1] == node


@settings(max_examples=30, deadline=None)
@given(tables, st.sampled_from(CRITERIA))
def test_a_deep_tree_tells_distinct_points_apart(table, criterion):
    X, y = table
    _, first = np.unique(X, axis=0, return_index=True)
    fitted = fit("decision_tree", X[first], y[first], criterion=criterion, depth=20)
    assert fitted.metrics["error"][-1] == 0.0


@settings(max_examples=30, deadline=None)
@given(tables, st.sampled_from(CRITERIA))
def test_monotone_transforms_change_thresholds_only(table, criterion):
    X, y = table
    plain, bent = (tree_of(at, y, criterion=criterion, depth=5) for at in (X, np.sinh(X / 20) * 3 - 7))
    assert np.array_equal(plain.feature, bent.feature)
    assert np.array_equal(plain.child, bent.child)
    assert np.array_equal(ALGORITHM.predict(plain, X), ALGORITHM.predict(bent, np.sinh(X / 20) * 3 - 7))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("depth", [0, 2, 5])
def test_many_points_looked_up_and_few_led_down_find_the_same_leaves(d, depth):
    X, y = cloud(n=200, d=d)
    tree = tree_of(X, y, depth=depth)
    on_edges = np.random.default_rng(1).choice(tree.threshold, size=(3000, d))  # the edge belongs to the right part
    points = np.concatenate([X, on_edges, X * 100.0])
    walked = np.array([tree.path(x)[-1] for x in points])
    assert np.array_equal(tree.leaf_of(points), walked)
    assert np.array_equal(np.concatenate([tree.leaf_of(points[k : k + 1]) for k in range(0, 3400, 17)]), walked[::17])


def test_copies_of_all_points_change_nothing_but_the_counts():
    X, y = cloud(n=60)
    once, thrice = tree_of(X, y), tree_of(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert np.array_equal(once.threshold, thrice.threshold)
    assert np.array_equal(3 * once.count, thrice.count)


def test_two_classes_never_err_in_more_than_half():
    X, y = cloud(classes=2, seed=9)
    errors = fit("decision_tree", X, y, criterion="misclassification", depth=6).metrics["error"]
    assert errors.max() <= 0.5
    assert (np.diff(errors) <= 1e-15).all()


def test_regression_refines_from_the_mean_to_the_points():
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 10, size=(80, 1))
    y = np.sin(x[:, 0])
    errors = []
    for depth in (*range(6), 20):
        tree = tree_of(x, y, depth=depth)
        errors.append(np.mean((ALGORITHM.predict(tree, x) - y) ** 2))
        for node in np.flatnonzero(tree.child < 0):
            assert tree.value[node, 0] == pytest.approx(y[tree.leaf_of(x) == node].mean())
    assert tree_of(x, y, depth=0).value[0, 0] == pytest.approx(y.mean())
    assert (np.diff(errors) <= 1e-15).all()
    assert errors[-1] == 0.0


def test_a_threshold_between_neighbouring_numbers_still_parts_them():
    """The middle of two neighbouring floating-point numbers is one of them; it must not send both the same way."""
    for low in (1.0, -1.0, 1e-99, 1e99):
        x = np.array([[low], [np.nextafter(low, np.inf)]])
        assert fit("decision_tree", x, np.array([0, 1])).predict(x).tolist() == [0, 1]


# --- frames ---------------------------------------------------------------------------------------------------------


def test_a_sweep_is_seen_before_its_cut():
    X, y = cloud(n=60)
    frames, _ = frames_of(Points(X, y), depth=2)
    assert [frame.phase for frame in frames[:4]] == ["start", "sweep", "sweep", "split"]
    assert "sweep" not in frames[0].views
    for before, frame in itertools.pairwise(frames):
        if frame.phase != "split":
            continue
        curves = [mark for mark in before.views["sweep"] if isinstance(mark, Curve)]
        rules = {mark.axis: mark for mark in before.views["sweep"] if isinstance(mark, ReferenceLine)}
        assert [curve.name for curve in curves] == ["x1", "x2"]
        boxes = frame.views["plane"][-1]
        feature, threshold = boxes.cut
        assert rules["x"].at == threshold
        node = int(frame.views["tree"][0].parent[frame.views["tree"][0].active[0]])
        assert rules["y"].at == frame.model.impurity[node]
        gain = rules["y"].at - min(curve.y.min() for curve in curves)
        assert frame.model.gain[node] == pytest.approx(gain)
        assert curves[feature].x[curves[feature].y.argmin()] == pytest.approx(threshold)
    assert sum(frame.phase == "split" for frame in frames) == 3


def test_rectangles_and_diagram_speak_of_the_same_leaves():
    X, y = cloud(n=80, d=3)
    frames, _ = frames_of(Points(X, y), depth=3)
    for frame in frames:
        (boxes,), (diagram,) = frame.views["plane"], frame.views["tree"]
        assert isinstance(boxes, Rectangles)
        assert isinstance(diagram, TreeDiagram)
        inside = ((boxes.low[:, None] <= X) & (boxes.high[:, None] > X)).all(axis=2)
        assert (inside.sum(axis=0) == 1).all()
        assert np.array_equal(inside.argmax(axis=0), boxes.owner)
        leaves = np.flatnonzero(frame.model.child < 0)
        assert np.array_equal(leaves[boxes.owner], diagram.owner)
        assert np.array_equal(diagram.owner, frame.model.leaf_of(X))
        assert np.array_equal(boxes.groups[boxes.owner], ALGORITHM.predict(frame.model, X))
        assert boxes.high.max() == OPEN


def test_one_feature_with_a_real_target_is_a_curve_of_steps():
    x, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 1.0, 5.0, 6.0])
    frames, _ = frames_of(Points(x, y), depth=1)
    steps = frames[-1].views["plane"][0]
    assert isinstance(steps, Curve)
    assert steps.x == pytest.approx([-0.15, 1.5, 1.5, 3.15])
    assert steps.y == pytest.approx([1.0, 1.0, 5.5, 5.5])
    assert "squared error" in frames[0].caption


def test_two_features_with_a_real_target_are_shaded():
    X, _ = cloud(n=40)
    marks = frames_of(Points(X, X[:, 0]))[0][-1].views["plane"]
    assert isinstance(marks[0], Regions)
    assert marks[0].kind == "value"


def test_sweeps_of_unlike_features_share_an_axis_from_zero_to_one():
    X, y = cloud(n=60)
    frames, _ = frames_of(Points(X * (1.0, 1000.0), y), depth=1)
    curves = [mark for mark in frames[2].views["sweep"] if isinstance(mark, Curve)]
    assert "fraction of its range" in curves[1].name
    assert all(curve.x.min() >= 0 and curve.x.max() <= 1 for curve in curves)


def test_leaves_say_why():
    X, y = cloud(n=60)
    pure = [f.caption for f in frames_of(Points(X, y), depth=12)[0] if f.phase == "leaf"]
    assert any("pure" in caption for caption in pure)
    small = [f.caption for f in frames_of(Points(X, y), depth=12, min_leaf=9)[0] if f.phase == "leaf"]
    assert any("min leaf" in caption for caption in small)


def test_large_trees_are_shown_in_strides_and_are_the_same_trees():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 2)), rng.integers(2, size=900)
    frames, _ = frames_of(Points(X, y), depth=20)
    leaves = int(frames[-1].metrics["leaves"])
    assert leaves > decision_tree.WATCHED + decision_tree.BATCH
    assert len(frames[-1].model.child) == 2 * leaves - 1
    assert sum(f.phase == "split" for f in frames) < decision_tree.WATCHED + leaves / decision_tree.BATCH + 1
    assert (ALGORITHM.predict(frames[-1].model, X) == y).mean() == 1 - frames[-1].metrics["error"]


def test_error_by_depth_is_what_trees_of_that_depth_do():
    X, y = cloud(n=150, classes=2, seed=6)
    frames, _ = frames_of(Points(X, y), by_depth=5, depth=2)
    training, validation, rule = frames[-1].views["depth"]
    assert rule.handle == "depth"
    assert rule.at == 2
    wanted = [(ALGORITHM.predict(tree_of(X, y, depth=depth), X) != y).mean() for depth in range(6)]
    assert training.y == pytest.approx(wanted)
    fold = np.random.default_rng(0).permutation(150) % 5
    errors = [
        (ALGORITHM.predict(tree_of(X[fold != k], y[fold != k], depth=3), X[fold == k]) != y[fold == k]).mean()
        for k in range(5)
    ]
    assert validation.y[3] == pytest.approx(np.mean(errors))


def test_explain_tells_the_path_with_its_numbers():
    x1, x2 = np.meshgrid(np.arange(4.0), np.arange(4.0))
    X = np.column_stack([x1.ravel(), x2.ravel()])
    y = np.where(X[:, 0] < 2, 0, np.where(X[:, 1] < 3, 1, 2))
    data = Points(X, y, classes=("a", "b", "c"))
    tree = frames_of(data)[0][-1].model
    answer = ALGORITHM.explain(tree, data, Item(x=np.array([3.0, 3.0])))
    assert list(answer.items())[:2] == [("1. x1 = 3 ≥ 1.5", "right, 8 points"), ("2. x2 = 3 ≥ 2.5", "right, 2 points")]
    assert answer["answer"] == "c"
    assert answer["fraction of c"] == 1.0
    assert answer["points in the leaf"] == 2


def test_what_cannot_be_used_is_refused_in_words():
    with pytest.raises(DataError, match="needs a class or a value"):
        next(ALGORITHM.start(Points(np.eye(3)), Params(), 0))
    with pytest.raises(DataError, match="calculate with numbers up to"):
        next(ALGORITHM.start(Points(np.eye(3), np.array([1e200, 0.0, 1.0])), Params(), 0))


# --- a student's own tree ---------------------------------------------------------------------------------------------


def depth_first(problem):
    """The best cuts of our own search, taken from one branch to the next."""
    growth = Growth(problem, 20)
    tree = tree_of(problem.X, problem.target, depth=20)
    waiting = [(0, 0)]
    while waiting:
        ours, theirs = waiting.pop()
        if tree.child[ours] >= 0:
            first = growth.nodes
            growth.split_at(theirs, int(tree.feature[ours]), float(tree.threshold[ours]))
            yield theirs, int(tree.feature[ours]), float(tree.threshold[ours])
            waiting += [(int(tree.child[ours]), first), (int(tree.child[ours]) + 1, first + 1)]


def test_a_tree_grown_depth_first_by_somebody_else_answers_as_ours():
    data = Points(*cloud(60, classes=3))
    params = ALGORITHM.make_params({"depth": 20})
    problem = decision_tree.make_problem(data, params)
    shots = list(ALGORITHM.shows(depth_first(problem), data, params))
    ours = tree_of(data.X, data.y, depth=20)
    assert [shot.phase for shot in shots] == ["start", *["split"] * int((ours.child >= 0).sum()), "done"]
    assert shots[-1].metrics["error"] == 0.0
    assert shots[-1].metrics["leaves"] == (ours.child < 0).sum()
    assert (decision_tree.predict(shots[-1].model, data.X) == decision_tree.predict(ours, data.X)).all()
    assert np.sort(shots[-1].model.gain) == pytest.approx(np.sort(ours.gain))
    assert shots[1].caption == next(f.caption for f in frames_of(data, depth=20)[0] if f.phase == "split")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (0.5, "Step 0 has to give node (), feature () and threshold (); it gave the shape ()."),
        ((3, 0, 0.5), "Step 0 cuts node 3, which is no leaf of the tree."),
        ((0, 2, 0.5), "Step 0 cuts along feature 2; there are 2, counted from 0."),
        ((0, 0, 9.0), "Step 0 cuts node 0 at 9, where all its points are on one side."),
    ],
)
def test_a_cut_that_cannot_be_is_a_sentence_with_its_step(said, sentence):
    shots = ALGORITHM.shows(iter([said]), Points(XOR, XOR_CLASSES), ALGORITHM.make_params({}))
    next(shots)
    with pytest.raises(DataError) as error:
        next(shots)
    assert str(error.value) == sentence
