"""Naive Bayes: days of tennis and words of spam by hand, sums that must be 1, zeros that are named, oracles."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

from algorithms import DataError, Points, find, fit
from algorithms.classification.naive_bayes.solver import log_joint, parts, posteriors
from algorithms.classification.naive_bayes.words import Odds
from algorithms.data import Item
from algorithms.marks import Bars, Ellipses, Polygons
from mlviz.data.spec import load_data
from tests.algorithms.played import mark

NAIVE = find("naive_bayes")
KINDS = ("gaussian", "counting", "bernoulli", "multinomial", "histogram")


def play(data, **params):
    return list(NAIVE.start(data, NAIVE.make_params(params), 0))


def codes(n=120, d=4, classes=3, seed=0):
    """Whole numbers from 0 to 3 whose frequencies depend on the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return Points((rng.random((n, d)) * (2 + y[:, None] % 3)).astype(int).astype(float), y)


# --- by hand ----------------------------------------------------------------------------------------------------------

TENNIS = load_data("tennis")
SUNNY_COOL_HIGH_STRONG = np.array([[2.0, 0.0, 0.0, 0.0]])


def test_a_sunny_cool_humid_windy_day_is_no_day_for_tennis():
    """yes: 9/14 · 2/9 · 3/9 · 3/9 · 3/9 = 0.00529; no: 5/14 · 3/5 · 1/5 · 4/5 · 3/5 = 0.02057; so no with 0.795."""
    named = dict(TENNIS.categories)
    words = [named[j][int(code)] for j, code in enumerate(SUNNY_COOL_HIGH_STRONG[0])]
    assert words == ["sunny", "cool", "high", "strong"]
    model = fit("naive_bayes", TENNIS, kind="counting", smoothing=0.0).model
    no, yes = np.exp(log_joint(model, SUNNY_COOL_HIGH_STRONG))[:, 0]
    assert TENNIS.classes == ("no", "yes")
    assert yes == pytest.approx(9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9)
    assert no == pytest.approx(5 / 14 * 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5)
    assert posteriors(model, SUNNY_COOL_HIGH_STRONG)[0, 0] == pytest.approx(0.795, abs=5e-4)


def test_laplaces_smoothing_adds_the_number_of_values_to_the_total():
    """Overcast was never a day without tennis: (0 + 1) / (5 + 3) with the three values of the outlook.

    The notes print N + p with the number of features (four here), with which the probabilities do not add up to 1.
    """
    model = fit("naive_bayes", TENNIS, kind="counting", smoothing=1.0).model
    table, offsets = np.exp(model.log_table), model.encoding.offsets
    assert dict(TENNIS.categories)[0] == ("overcast", "rain", "sunny")
    assert table[0, :3] == pytest.approx([1 / 8, 3 / 8, 4 / 8])
    for first, last in itertools.pairwise(offsets):
        assert table[:, first:last].sum(axis=1) == pytest.approx([1.0, 1.0])


WORDS = ("george", "you", "your", "hp", "free", "hpl", "!", "our", "re", "edu", "remove")
SPAM = [0.00, 2.26, 1.38, 0.02, 0.52, 0.01, 0.51, 0.51, 0.13, 0.01, 0.28]
EMAIL = [1.27, 1.27, 0.44, 0.90, 0.07, 0.43, 0.11, 0.18, 0.42, 0.29, 0.01]


def test_the_words_of_the_spam_table():
    """The class means of the slides as counts of a hundred messages: 563 words of spam, 539 of e-mail."""
    data = Points(np.rint(100 * np.array([EMAIL, SPAM])), ["email", "spam"], features=WORDS)
    plain = fit("naive_bayes", data, kind="multinomial", smoothing=0.0).model
    free = WORDS.index("free")
    assert math.exp(plain.log_table[1, free] - plain.log_table[0, free]) == pytest.approx((52 / 563) / (7 / 539))
    smooth = fit("naive_bayes", data, kind="multinomial").model
    assert math.exp(smooth.log_table[1, free] - smooth.log_table[0, free]) == pytest.approx((53 / 574) / (8 / 550))
    assert plain.log_table[1, WORDS.index("george")] == -np.inf
    letter = np.zeros((1, 11))
    letter[0, [free, WORDS.index("remove")]] = 3, 1
    assert posteriors(plain, letter)[1, 0] > 0.99
    letter[0, 0] = 1
    assert posteriors(plain, letter)[1, 0] == 0.0  # one george, and it cannot be spam
    assert posteriors(smooth, letter)[1, 0] > 0.5


def test_a_zero_probability_is_named():
    data = Points(np.rint(100 * np.array([EMAIL, SPAM])), ["email", "spam"], features=WORDS)
    last = play(data, kind="multinomial", smoothing=0.0)[-1]
    assert last.warning.startswith("P(george | spam) = 0")
    x = np.zeros(11)
    x[[0, 4]] = 1, 2
    found = NAIVE.explain(last.model, data, Item(x=x))
    assert found["george = 1"] == "impossible for spam (probability 0)"
    assert play(data, kind="multinomial", smoothing=0.01)[-1].warning == ""
    days = play(TENNIS, kind="counting", smoothing=0.0)[-1]
    assert days.warning.startswith("P(outlook = overcast | no) = 0")


def test_where_every_class_is_impossible_the_priors_are_left():
    data = Points([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["a", "a", "b"])
    model = fit("naive_bayes", data, kind="bernoulli", smoothing=0.0).model
    assert posteriors(model, np.array([[1.0, 1.0]]))[:, 0] == pytest.approx([2 / 3, 1 / 3])


def test_the_variance_of_1_2_3_is_1():
    model = fit("naive_bayes", Points([[1.0], [2.0], [3.0], [5.0], [9.0]], [0, 0, 0, 1, 1])).model
    assert model.variances[:, 0] == pytest.approx([1.0, 8.0])
    assert model.means[:, 0] == pytest.approx([2.0, 7.0])


# --- identities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_log_posteriors_are_sums_of_what_the_features_say(kind):
    data = codes()
    model = fit("naive_bayes", data, kind=kind).model
    joint = np.log(model.priors)[:, None] + parts(model, data.X).sum(axis=2)
    assert log_joint(model, data.X) == pytest.approx(joint)
    assert posteriors(model, data.X) == pytest.approx(np.exp(joint) / np.exp(joint).sum(axis=0))


@given(smoothing=st.floats(0.001, 10), seed=st.integers(0, 1000), kind=st.sampled_from(KINDS[1:]))
@settings(max_examples=20, deadline=None)
def test_smoothed_probabilities_are_never_zero_and_add_up_to_1(smoothing, seed, kind):
    model = fit("naive_bayes", codes(40, seed=seed), kind=kind, smoothing=smoothing, bins=5).model
    table = np.exp(model.log_table)
    assert table.min() > 0.0
    offsets = [0, 4] if kind == "multinomial" else model.encoding.offsets
    for first, last in itertools.pairwise(offsets):
        assert table[:, first:last].sum(axis=1) == pytest.approx(np.ones(3))


def test_gaussian_naive_bayes_is_the_gaussian_classifier_with_a_diagonal_covariance():
    data = load_data("blobs(n=200,noise=2,spread=5,seed=2)")
    naive = fit("naive_bayes", data)
    gaussian = fit("gaussian_classifier", data, covariance="diagonal", divisor="n - 1")
    assert naive.field(data.X) == pytest.approx(gaussian.field(data.X))


def test_equal_variances_give_a_line():
    rng = np.random.default_rng(0)
    cloud = rng.normal(size=(50, 2)) * [1.0, 3.0]
    model = fit("naive_bayes", Points(np.concatenate([cloud, cloud + [2.0, 1.0]]), np.repeat([0, 1], 50))).model
    at = np.array([0.3, -1.0]) + np.linspace(-3, 3, 9)[:, None] * np.array([1.0, 0.7])
    joint = log_joint(model, at)
    assert np.diff(joint[1] - joint[0], 2) == pytest.approx(np.zeros(7), abs=1e-9)


# --- oracles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.3, 1.0])
@pytest.mark.parametrize(
    ("kind", "oracle"), [("counting", CategoricalNB), ("bernoulli", BernoulliNB), ("multinomial", MultinomialNB)]
)
def test_scikit_learn_says_the_same(kind, oracle, alpha):
    data = codes()
    theirs = oracle(alpha=alpha).fit(data.X, data.y).predict_proba(data.X)
    assert fit("naive_bayes", data, kind=kind, smoothing=alpha).field(data.X) == pytest.approx(theirs)
    theirs = oracle(alpha=alpha, fit_prior=False).fit(data.X, data.y).predict_proba(data.X)
    ours = fit("naive_bayes", data, kind=kind, smoothing=alpha, priors="equal")
    assert ours.field(data.X) == pytest.approx(theirs)


def test_scikit_learns_gaussian_divides_by_n():
    data = load_data("blobs(n=150,noise=2,spread=5,seed=2)")
    theirs = GaussianNB(var_smoothing=0.0).fit(data.X, data.y)
    model = fit("naive_bayes", data).model
    n = model.class_counts[:, None]
    assert model.variances * (n - 1) / n == pytest.approx(theirs.var_)
    for k in range(3):
        density = norm(model.means[k], np.sqrt(model.variances[k])).logpdf(data.X).sum(axis=1)
        assert log_joint(model, data.X)[k] == pytest.approx(np.log(model.priors[k]) + density)


def test_a_histogram_counts_what_falls_into_its_bins():
    data = load_data("circles(n=200,noise=0.1,seed=1)")
    model = fit("naive_bayes", data, kind="histogram", bins=15, smoothing=0.0).model
    for k in range(2):
        counts = np.histogram(data.X[data.y == k, 0], 15, (data.X[:, 0].min(), data.X[:, 0].max()))[0]
        assert model.counts[k, :15].tolist() == counts.tolist()
    assert (fit("naive_bayes", data, kind="histogram").predict(data.X) == data.y).mean() > 0.9


# --- words ------------------------------------------------------------------------------------------------------------


def test_the_subjects_are_counted_word_by_word():
    texts, words = load_data("subjects"), load_data("subject_words")
    assert words.n == len(texts.texts) == 120
    assert words.classes == texts.classes == ("ham", "spam")
    row = next(i for i, text in enumerate(texts.texts) if text == "You have won a free cruise!!!")
    found = dict(zip(words.features, words.X[row]))
    assert (found["free"], found["!"], found["you"]) == (1, 3, 1)
    assert (words.X > 0).sum(axis=0).min() >= 2
    assert "cruise" not in found or (words.X[:, words.features.index("cruise")] > 0).sum() >= 2


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_spam_is_told_from_ham_also_when_it_was_not_counted(kind):
    data = load_data("subject_words")
    rows = np.arange(data.n)
    right = []
    for k in range(10):
        left_out = rows % 10 == k
        found = fit("naive_bayes", data.rows(~left_out), kind=kind).predict(data.X[left_out])
        right.append(found == data.y[left_out])
    assert np.concatenate(right).mean() > 0.8


def test_the_bars_of_a_subject_add_up_to_its_log_odds():
    data = load_data("subject_words")
    last = play(data, kind="multinomial", point=2)[-1]
    odds = Odds(last.model, data.X[1])
    assert odds.prior + odds.parts.sum() == pytest.approx(odds.total)
    bars = mark(last, Bars, "odds")
    assert bars.names[0] == "prior"
    shown = dict(zip(bars.names, bars.values))
    assert shown["free"] == pytest.approx(odds.parts[data.features.index("free")])
    assert bars.groups[list(bars.names).index("free")] == 1
    found = NAIVE.explain(last.model, data, data.item(1))
    assert "█" in found["! = 3"]
    assert found["class"] == "spam"


# --- what is seen, and what can go wrong ------------------------------------------------------------------------------


def test_ellipses_stand_along_the_axes_while_points_are_counted_in():
    data = load_data("blobs(n=60,noise=2,spread=5,seed=2)")
    frames = play(data)
    assert [frame.metrics["counted"] for frame in frames][-1] == 60
    shapes = mark(frames[-1], Ellipses).covariances
    assert shapes == pytest.approx(shapes * np.eye(2))
    assert frames[3].model.class_counts.sum() < 60


def test_histograms_have_the_area_1():
    last = play(load_data("circles(n=200,noise=0.1,seed=1)"), kind="histogram", feature=2)[-1]
    for corners in mark(last, Polygons, "feature").corners:
        assert np.trapezoid(corners[:, 1], corners[:, 0]) == pytest.approx(1.0)


def test_negative_words_are_refused_and_so_are_points_without_classes():
    with pytest.raises(DataError, match="not negative"):
        fit("naive_bayes", Points([[-1.0], [1.0]], [0, 1]), kind="multinomial")
    with pytest.raises(DataError, match="needs a class for every point"):
        fit("naive_bayes", np.ones((4, 2)))


@pytest.mark.parametrize("kind", KINDS)
def test_one_class_64_classes_and_50_features(kind):
    rng = np.random.default_rng(0)
    y = np.arange(256) % 64
    many = Points(np.rint(20 * np.maximum(rng.normal(size=(64, 50)), 0.0))[y], y)
    assert (fit("naive_bayes", many, kind=kind, smoothing=0.1).predict(many.X) == y).mean() > 0.9
    alone = play(Points(np.rint(np.abs(rng.normal(size=(9, 2)))), ["a"] * 9), kind=kind)[-1]
    assert alone.caption == "There is only one class, a, so there is nothing to decide."


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_a_class_that_one_word_makes_impossible_is_said_in_a_sentence(kind):
    data = Points([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 1.0]], [0, 0, 1, 1], features=("meeting", "prize"))
    last = list(find("naive_bayes").start(data, find("naive_bayes").make_params({"kind": kind, "smoothing": 0.0}), 0))[
        -1
    ]
    assert last.caption.startswith("Point 1 is in class '0', since in class '1' meeting = ")
    assert "has the probability 0" in last.caption
    assert "infinite" not in last.caption


def test_names_of_classes_that_are_long_numbers_are_rounded():
    data = Points([[0.0], [1.0], [2.0], [3.0]], ["0.18851919251246557"] * 2 + ["0.7012345678901234"] * 2)
    assert play(data)[-1].caption.startswith("Point 1 is in class '0.1885': its log-odds against class '0.7012' are +")


def test_the_error_is_not_known_before_a_point_is_counted_in():
    for frame in play(codes()):
        assert math.isnan(frame.metrics["error"]) == (frame.phase == "start")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_from_the_model_is_as_the_model_says(kind):
    data = Points(codes(seed=3).X, np.repeat([0, 1, 2], [60, 40, 20]))
    found = fit("naive_bayes", data, kind=kind, smoothing=0.5, bins=4)
    drawn = found.sample(30_000, seed=1)
    np.testing.assert_allclose(np.bincount(drawn.y) / drawn.n, found.model.priors, atol=0.01)
    again = fit("naive_bayes", drawn, kind=kind, smoothing=0.0, bins=4).model
    if kind == "gaussian":
        np.testing.assert_allclose(again.means, found.model.means, atol=0.05)
        np.testing.assert_allclose(again.variances, found.model.variances, rtol=0.08)
    else:
        np.testing.assert_allclose(np.exp(again.log_table), np.exp(found.model.log_table), atol=0.03)
    assert len(np.unique(drawn.X)) > (100 if kind in ("gaussian", "histogram") else 1)


def test_days_that_are_drawn_have_the_words_of_those_that_were_counted():
    days = load_data("tennis")
    drawn = fit("naive_bayes", days, kind="counting").sample(50)
    assert (drawn.features, drawn.classes, drawn.target) == (days.features, days.classes, "play")
    assert drawn.categories == days.categories
    bells = fit("naive_bayes", days, kind="gaussian").sample(50)
    assert (bells.features, bells.categories) == (days.features, ())
    assert NAIVE.sample(play(days, kind="multinomial")[0].model, 5, np.random.default_rng(0)).n == 5
