"""Bagging and random forests: votes by hand, identities, scikit-learn as oracle."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from algorithms import Item, fit
from algorithms.contract import DataError
from algorithms.data import Points
from algorithms.ensembles import bagging, random_forest
from algorithms.ensembles.random_forest.solver import Shuffling, proximities
from algorithms.maths.bags import Neighbours, Tally, Trees, batches, draw, problem_of
from algorithms.maths.forests import Forest
from algorithms.maths.tree_growth import Problem
from mlviz.data.generators import generate
from mlviz.data.spec import load_data
from mlviz.worker.timeline import Timeline

MOONS = generate("moons", n=200, noise=0.3, seed=1)
SINE = generate("sine", n=100, noise=0.2, seed=1)


def frames(algorithm, data, seed=0, **params):
    return list(algorithm.start(data, algorithm.make_params(params), seed))


def test_a_bag_leaves_out_one_point_in_e():
    bags = draw(np.random.default_rng(0), 400, 100, 100)
    assert (bags.sum(axis=1) == 100).all()
    assert (bags == 0).mean() == pytest.approx(0.99**100, abs=0.005)  # 0.366
    assert draw(np.random.default_rng(0), 3, 100, 40).sum(axis=1).tolist() == [40, 40, 40]


def test_members_come_singly_at_first():
    assert list(batches(40, 100)) == [1, 1, 2, 4, 8, 16, 8]
    assert list(batches(3, 10**6)) == [1, 1, 1]


class Fixed:
    """Members with given answers for the points."""

    def __init__(self, *answers):
        self.given = answers

    def each(self, X):
        return iter(self.given)


def test_the_errors_by_hand():
    # four points 0 0 1 1; the first member calls all of them 0, the second is right, the third calls all of them 1
    problem = Problem(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), 2, "gini")
    zero, one, right = np.eye(2)[[0, 0, 0, 0]], np.eye(2)[[1, 1, 1, 1]], np.eye(2)[[0, 0, 1, 1]]
    bags = np.array([[2, 1, 1, 0], [1, 2, 0, 1], [0, 0, 2, 2]])
    found = Tally(problem, False).add(Fixed(zero, right, one), bags)
    assert found.single.tolist() == [1.0, 0.0, 1.0]  # the fourth point; the third; the first two
    assert found.mean.tolist() == pytest.approx([1.0, 1 / 2, 2 / 3])
    assert found.crowd.tolist() == [0.5, 0.5, 0.0]  # equal fractions answer 0
    # out of bag: point 4 is called 0; point 3 is called 1; points 1 and 2 are called 1
    assert found.out.tolist() == [1.0, 1 / 2, 3 / 4]
    assert found.missed.tolist() == [[False] * 3 + [True], [False] * 3 + [True], [True, True, False, True]]
    # pairs that disagree: 1 and 2 on two points, 2 and 3 on two, 1 and 3 on all four: 8 of 12
    assert found.apart.tolist() == pytest.approx([0.0, 1 / 2, 2 / 3])


def test_the_error_of_the_members_is_that_of_their_mean_and_their_spread():
    """Krogh and Vedelsby 1995: exact for values."""
    base = Trees(problem_of(SINE, "gini", 1, ""), 5)
    bags = draw(np.random.default_rng(1), 12, SINE.n, SINE.n)
    part = base.grown(bags)
    found = Tally(base.problem, False).add(part, bags)
    each = np.array([answer[:, 0] for answer in part.each(SINE.X)])
    mean_error = np.square(each - SINE.y).mean() / np.var(SINE.y)
    assert mean_error == pytest.approx(found.crowd[-1] + found.apart[-1])


def test_one_vote_each_counts_heads():
    fractions = fit("bagging", MOONS, trees=9, depth=2).model
    heads = fit("bagging", MOONS, trees=9, depth=2, vote="one each").model
    ballots = np.array([heads.trees.answers(number, MOONS.X) for number in range(9)])
    np.testing.assert_allclose(bagging.field(heads, MOONS.X), ballots.mean(axis=0))
    assert np.abs(bagging.field(fractions, MOONS.X) - ballots.mean(axis=0)).max() > 0.05
    assert heads.trees.ballots(MOONS.X[3]).tolist() == ballots[:, 3].tolist()


@pytest.mark.parametrize("base", ["tree", "stump", "k nearest"])
@pytest.mark.parametrize("data", [MOONS, SINE], ids=["classes", "values"])
def test_every_base_grows_and_its_total_is_the_sum_of_its_members(base, data):
    made = frames(bagging.ALGORITHM, data, base=base, trees=6, k=3, depth=4)
    model = made[-1].model
    assert len(model.trees) == 6
    assert [frame.phase for frame in made].count("vote") == 6
    answers = np.array([model.trees.answers(number, data.X) for number in range(6)])
    if data is SINE:
        np.testing.assert_allclose(bagging.predict(model, data.X), answers.mean(axis=0), atol=1e-12)
    else:
        assert np.abs(bagging.predict(model, data.X) - (answers.mean(axis=0) > 0.5)).mean() < 0.06


def test_neighbours_of_a_bag_are_those_of_the_repeated_points():
    bag = draw(np.random.default_rng(2), 1, MOONS.n, MOONS.n)
    ours = Neighbours(problem_of(MOONS, "gini", 1, ""), 5, (bag,), 1)
    repeated = np.repeat(np.arange(MOONS.n), bag[0])
    theirs = KNeighborsClassifier(5).fit(MOONS.X[repeated], MOONS.y[repeated])
    places = np.random.default_rng(3).uniform(-1.5, 2.5, size=(200, 2))
    np.testing.assert_allclose(ours.total(places), theirs.predict_proba(places), atol=1e-12)


def test_a_bag_with_few_of_the_nearest_points_looks_further():
    X = np.arange(60.0)[:, None]
    bag = np.zeros((1, 60), dtype=np.uint16)
    bag[0, -2:] = 30
    ours = Neighbours(Problem(X, np.arange(60.0), 0, "squared error"), 1, (bag,), 1)
    assert ours.answers(0, np.array([[0.0]])).tolist() == [58.0]


# --- forests --------------------------------------------------------------------------------------------------------


def test_a_forest_that_sees_all_features_is_bagging():
    bag = fit("bagging", MOONS, trees=7, depth=6).model
    forest = fit("random_forest", MOONS, trees=7, depth=6, features=2, shuffle=False, map=False).model
    np.testing.assert_array_equal(bagging.field(bag, MOONS.X), bagging.field(forest, MOONS.X))
    assert bag.oob_error == forest.oob_error


def test_random_features_make_trees_less_alike():
    wine = load_data("wine")
    apart = [
        fit("random_forest", wine, trees=60, depth=4, features=m, shuffle=False, map=False).metrics["apart"][-1]
        for m in (1, 13)
    ]
    assert apart[0] > 1.5 * apart[1]


def test_more_trees_vary_less():
    place = np.array([[0.5, 0.25]])
    spread = {}
    for trees in (1, 20):
        found = [
            bagging.field(frames(bagging.ALGORITHM, MOONS, seed, trees=trees, depth=5)[-1].model, place)
            for seed in range(12)
        ]
        spread[trees] = np.std(found)
    assert spread[20] < 0.6 * spread[1]


def test_errors_are_those_of_scikit_learn_within_noise():
    train, test = (generate("moons", n=400, noise=0.3, seed=seed) for seed in (1, 2))
    settings = {"n_estimators": 60, "random_state": 0, "oob_score": True}
    pairs = [
        (fit("random_forest", train, trees=60, depth=8, shuffle=False, map=False),
         RandomForestClassifier(max_depth=8, **settings)),
        (fit("bagging", train, trees=60, depth=8),
         BaggingClassifier(DecisionTreeClassifier(max_depth=8), **settings)),
    ]  # fmt: skip
    for ours, theirs in pairs:
        theirs.fit(train.X, train.y)
        errors = np.mean(ours.predict(test.X) != test.y), 1.0 - theirs.score(test.X, test.y)
        assert abs(errors[0] - errors[1]) < 0.025
        assert abs(ours.model.oob_error - (1.0 - theirs.oob_score_)) < 0.03
        assert abs(ours.model.oob_error - errors[0]) < 0.05  # a test without test data


def test_values_are_those_of_scikit_learn_within_noise():
    theirs = RandomForestRegressor(60, max_depth=8, oob_score=True, random_state=0).fit(SINE.X, SINE.y)
    ours = fit("random_forest", SINE, trees=60, depth=8, shuffle=False, map=False)
    assert abs(ours.model.oob_error - (1.0 - theirs.oob_score_)) < 0.03
    assert np.corrcoef(ours.predict(SINE.X), theirs.predict(SINE.X))[0, 1] > 0.99


def test_importances_of_the_wines_are_those_of_scikit_learn():
    wine = load_data("wine")
    ours = fit("random_forest", wine, trees=100).model
    theirs = RandomForestClassifier(100, random_state=0).fit(wine.X, wine.y)
    assert ours.importances.sum() == pytest.approx(1.0)
    assert np.corrcoef(ours.importances, theirs.feature_importances_)[0, 1] > 0.9
    assert np.corrcoef(ours.importances, ours.shuffled)[0, 1] > 0.8  # on these data both ways agree


def test_shuffling_tells_a_feature_that_matters_from_one_that_does_not():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3))
    data = Points(X, (X[:, 1] > 0).astype(int))
    model = fit("random_forest", data, trees=30, features=2).model
    assert model.shuffled[1] == pytest.approx(0.5, abs=0.1)  # half of the shuffled points are on the other side
    assert np.abs(model.shuffled[[0, 2]]).max() < 0.05
    assert model.importances.argmax() == 1
    unchanged = Shuffling(model.trees, Problem(np.ones((300, 3)), data.y, 2, "gini"), model.bags, rng)
    assert unchanged.rise(1) == 0.0  # equal values can be shuffled without anybody noticing


def test_proximities_by_hand():
    # one stump, three points: two in one leaf
    X = np.array([[0.0], [1.0], [5.0]])
    part = Trees(Problem(X, np.array([0, 0, 1]), 2, "gini"), 1).grown(np.ones((1, 3)))
    found = proximities(Forest((part,), 1), X)
    assert found.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_the_map_parts_the_kinds_of_wine():
    wine = load_data("wine")
    last = frames(random_forest.ALGORITHM, wine, trees=40, shuffle=False)[-1]
    (scatter,) = last.views["map"]
    centres = np.array([scatter.at[wine.y[scatter.points] == c].mean(axis=0) for c in range(3)])
    nearest = np.linalg.norm(scatter.at[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == wine.y[scatter.points]).mean() > 0.95


# --- frames ---------------------------------------------------------------------------------------------------------


def test_frames_of_a_thousand_trees_share_their_trees():
    data = generate("moons", n=300, noise=0.3, seed=1)
    timeline = Timeline()
    for frame in random_forest.ALGORITHM.start(
        data, random_forest.ALGORITHM.make_params({"trees": 1000, "depth": 8, "shuffle": False, "map": False}), 0
    ):
        timeline.append(frame)
    assert timeline.thinned == 0
    assert timeline.nbytes < 40 * 2**20


def test_what_a_point_is_told():
    model = fit("bagging", MOONS, trees=20).model
    said = bagging.explain(model, MOONS, MOONS.item(5))
    assert said["answer"] in MOONS.classes
    outside = sum(int(bag[5] == 0) for part in model.bags for bag in part)
    assert said["members that have not seen it"] == outside
    place = bagging.explain(model, MOONS, Item(-1, np.array([0.1, 0.2])))
    assert "members that have not seen it" not in place
    valued = bagging.explain(fit("bagging", SINE, trees=5).model, SINE, SINE.item(0))
    assert "mean of the members" in valued


def test_a_target_is_needed():
    for algorithm in (bagging.ALGORITHM, random_forest.ALGORITHM):
        with pytest.raises(DataError, match="needs a class or a value"):
            frames(algorithm, Points(MOONS.X))


def test_nothing_is_recorded_before_there_are_members():
    played = frames(bagging.ALGORITHM, generate("moons", n=40, noise=0.3, seed=1), trees=3)
    voted = [frame for frame in played if frame.phase == "vote"]
    assert np.isnan(list(played[0].metrics.values())).all()
    assert np.isnan(voted[0].metrics["apart"])  # of one learner
    assert np.isfinite([frame.metrics["oob"] for frame in voted]).all()
    assert np.isfinite([frame.metrics["apart"] for frame in voted[1:]]).all()


def test_an_error_above_the_variance_is_a_multiple_of_it():
    """A line of three points: 151 % was written as 1.51e+03 % where it was ten times as large."""
    data = load_data("line(n=3,noise=1,seed=2)")
    played = frames(bagging.ALGORITHM, data, trees=2)
    assert played[0].caption.startswith("One tree on all 3 points: squared error 1.512 times the variance on points")
    assert "e+" not in " ".join(frame.caption for frame in played)
