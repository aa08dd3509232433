"""Several classes from lines: how many machines, who wins, where nobody does, and what others calculate."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from algorithms import DataError, Points, find, fit
from algorithms.classification.multi_class.solver import _logistic, _squared_hinge, newton, train, train_together
from algorithms.interrupt import Interrupted, interruptible
from algorithms.marks import DividingLine, Highlight, Regions, Segments, Table
from mlviz.data.spec import load_data

MULTI = find("multi_class")
SCHEMES = ("one-vs-rest", "one-vs-one", "discriminant")
BASES = ("least squares", "perceptron", "logistic", "linear SVM")
DATA = load_data("blobs(n=120,centres=4,noise=0.9,spread=4,seed=3)")


def play(data, **params):
    return list(MULTI.start(data, MULTI.make_params(params), 0))


def corners(classes, each=3, seed=0):
    """Classes on a circle."""
    y = np.repeat(np.arange(classes), each)
    turn = 2 * np.pi * y / classes
    X = 10 * np.column_stack([np.cos(turn), np.sin(turn)]) + 0.1 * np.random.default_rng(seed).normal(size=(len(y), 2))
    return Points(X, y)


# --- machines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "count"), [("one-vs-rest", 5), ("one-vs-one", 10), ("discriminant", 5)])
def test_how_many_machines_there_are(scheme, count):
    frames = play(corners(5), scheme=scheme)
    assert [frame.metrics["machines"] for frame in frames[:-1]] == list(range(count + 1))
    assert frames[-1].model.weights.shape == (count, 2)


def test_least_squares_by_hand():
    """Labels -1, -1, 1, 1 at 0, 1, 2, 3: slope 4/5, zero at 3/2."""
    Z = np.column_stack([np.arange(4.0), np.ones(4)])
    assert train("least squares", Z, np.array([-1.0, -1.0, 1.0, 1.0]), 1.0) == pytest.approx([0.8, -1.2])


@pytest.mark.parametrize("loss", [_logistic, _squared_hinge])
def test_newton_ends_where_the_slope_is_zero(loss):
    rng = np.random.default_rng(0)
    Z = np.column_stack([rng.normal(size=(60, 3)), np.ones(60)])
    y = np.where(Z[:, 0] + rng.normal(size=60) > 0, 1.0, -1.0)
    z = newton(Z, y, 2.0, loss)
    price = np.array([1.0, 1.0, 1.0, 0.0])

    def value(z):
        return 0.5 * price @ (z * z) + 2.0 * loss(y * (Z @ z))[0].sum()

    def slope(z):
        return price * z - 2.0 * (loss(y * (Z @ z))[1] * y) @ Z

    assert check_grad(value, slope, z + 0.1) < 1e-4
    assert slope(z) == pytest.approx(0.0, abs=1e-5)


def test_the_perceptron_keeps_its_best_pass():
    Z = np.column_stack([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], np.ones(4)])
    y = np.array([-1.0, 1.0, 1.0, -1.0])  # the exclusive or: at least one mistake
    z = train("perceptron", Z, y, 1.0)
    assert np.count_nonzero(y * (Z @ z) <= 0) <= 2


@pytest.mark.parametrize("base", BASES)
def test_discriminants_trained_together_part_corners(base):
    data = corners(6)
    Z = np.column_stack([data.X / 10, np.ones(data.n)])
    w = train_together(base, Z, data.y, 6, 10.0)
    assert ((Z @ w.T).argmax(axis=1) == data.y).mean() >= 0.9


# --- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("base", BASES)
def test_corners_are_told_apart(scheme, base):
    data = corners(3)
    assert (fit("multi_class", data, scheme=scheme, base=base).predict(data.X) == data.y).all()


def test_logistic_machines_are_those_of_scikit_learn():
    theirs = LogisticRegression(C=1.0, tol=1e-8, max_iter=2000)
    rest = OneVsRestClassifier(theirs).fit(DATA.X, DATA.y)
    ours = fit("multi_class", DATA, base="logistic", normalise=False)
    assert ours.model.weights == pytest.approx(np.array([m.coef_[0] for m in rest.estimators_]), rel=1e-3, abs=1e-4)
    assert (ours.predict(DATA.X) == rest.predict(DATA.X)).all()
    pairs = OneVsOneClassifier(theirs).fit(DATA.X, DATA.y)
    voted = fit("multi_class", DATA, base="logistic", scheme="one-vs-one")
    assert (voted.predict(DATA.X) == pairs.predict(DATA.X)).mean() >= 0.98
    soft = theirs.fit(DATA.X, DATA.y)
    joint = fit("multi_class", DATA, base="logistic", scheme="discriminant", normalise=False)
    assert (joint.predict(DATA.X) == soft.predict(DATA.X)).all()


def test_regions_of_discriminants_are_convex_and_nothing_is_ambiguous():
    found = fit("multi_class", DATA, scheme="discriminant")
    rng = np.random.default_rng(0)
    one, two = rng.uniform(-8, 8, size=(2, 400, 2))
    same = found.predict(one) == found.predict(two)
    assert (found.predict((one + two) / 2)[same] == found.predict(one)[same]).all()
    assert found.metrics["ambiguous"][1:].max() == 0.0  # there is nothing to decide before the first


def test_the_centre_of_a_circle_of_classes_is_claimed_by_nobody():
    """Each class is parted from the rest by a line on its own side of the centre: no vote, and the scores decide."""
    found = fit("multi_class", corners(3), base="linear SVM")
    votes, _ = found.model.votes_and_scores(np.zeros((1, 2)))
    assert votes.sum() == 0
    values = found.field(np.zeros((1, 2)))
    assert (np.rint(values) == 0).all()  # a tie for the hatching: rounded columns are equal
    item = find("multi_class").explain(found.model, corners(3), type(corners(3).item(0))(-1, np.zeros(2)))
    assert "no classifier claims it" in item["ambiguous"]


def test_votes_are_whole_numbers_and_ties_are_broken_below_one_half():
    model = play(DATA, scheme="one-vs-one")[-1].model
    X = np.random.default_rng(0).uniform(-10, 10, size=(200, 2))
    votes, _ = model.votes_and_scores(X)
    assert (votes.sum(axis=0) == 6).all()
    assert np.abs(MULTI.field(model, X) - votes.T).max() < 0.5


def test_normalised_scores_are_distances():
    model = play(DATA)[-1].model
    lengths = np.linalg.norm(model.weights, axis=1)
    raw = (DATA.X - model.middle) @ model.weights.T + model.levels
    found = model.values(DATA.X).T
    assert found == pytest.approx(raw / lengths)


def test_two_classes_are_one_line():
    data = corners(2)
    found = fit("multi_class", data)
    assert found.field(data.X).ndim == 1
    assert (found.predict(data.X) == data.y).all()
    assert found.model.weights[0] == pytest.approx(-found.model.weights[1])


# --- what is seen, and other data -------------------------------------------------------------------------------------


def test_each_boundary_appears_and_the_plane_is_hatched_where_nobody_wins():
    frames = play(DATA)
    second = frames[2]
    assert isinstance(second.views["plane"][0], Regions)
    assert second.views["plane"][0].kind == "votes"
    assert any(isinstance(mark, DividingLine) for mark in second.views["plane"])
    lines = [mark for mark in frames[-1].views["plane"] if isinstance(mark, Segments)]
    assert len(lines[0].start) == 4
    (table,) = (mark for mark in second.views["machines"] if isinstance(mark, Table))
    assert table.rows == ("class 1 vs rest", "class 2 vs rest")
    votes, _ = frames[-1].model.votes_and_scores(DATA.X)
    tied = np.flatnonzero(np.sort(votes, axis=0)[-1] == np.sort(votes, axis=0)[-2])
    assert next(m for m in frames[-1].views["plane"] if isinstance(m, Highlight)).points.tolist() == tied.tolist()
    assert play(DATA, scheme="discriminant")[-1].views["plane"][0].kind == "classes"


def test_64_classes_are_2016_machines_that_can_be_called_off():
    data = corners(64)
    frames = play(data, scheme="one-vs-one")
    assert frames[-1].metrics["machines"] == 2016
    assert len(frames) <= 66
    assert frames[-1].metrics["error"] < 0.2
    asked = iter([False] * 40 + [True] * 1000)
    with pytest.raises(Interrupted), interruptible(lambda: next(asked)):
        play(data, scheme="one-vs-one")


@pytest.mark.parametrize("d", [1, 50])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_feature_and_fifty(d, scheme):
    y = np.arange(60) % 3
    data = Points(np.random.default_rng(1).normal(size=(60, d)) + 8.0 * y[:, None], y)
    right = (fit("multi_class", data, scheme=scheme, base="logistic").predict(data.X) == y).mean()
    assert right >= (0.95 if scheme != "one-vs-rest" or d > 1 else 0.6)  # the middle class of a line is masked


def test_one_class_is_refused_in_a_sentence():
    with pytest.raises(DataError, match="at least two classes"):
        play(Points([[0.0, 1.0], [1.0, 2.0]], [0, 0]))
