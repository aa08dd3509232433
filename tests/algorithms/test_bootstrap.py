"""The bootstrap: every resample of small data worked out by hand, SciPy as oracle, and what stands in the slides."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from algorithms import DataError, Item, Points, find, fit
from algorithms.contract import Stop
from algorithms.ensembles.bootstrap import ALGORITHM
from algorithms.ensembles.bootstrap.solver import (
    AT_ONCE,
    Question,
    Resampling,
    batches,
    left_out_exactly,
    times_exactly,
)
from algorithms.marks import Bars, Highlight, PointSizes, Segments

STATISTICS = ("mean", "median", "variance", "correlation", "slope")


def frames_of(data, seed=0, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), seed))


def scattered(n=12, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return Points(np.column_stack([x, 0.6 * x + rng.normal(size=n)]))


def every_resample(n):
    return np.array(list(itertools.product(range(n), repeat=n)))


# --- by hand --------------------------------------------------------------------------------------------------------


def test_all_27_resamples_of_three_points():
    """The means of 0, 3, 6 drawn three times: 0 once, 1 three times, 2 six times, 3 seven times, and mirrored."""
    question = Question.of(Points(np.array([[0.0], [3.0], [6.0]])), "mean", 1, 2)
    means = question.at(every_resample(3))
    values, counts = np.unique(means, return_counts=True)
    assert values.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert counts.tolist() == [1, 3, 6, 7, 6, 3, 1]
    assert means.var() == pytest.approx(6.0 / 3.0)  # the variance 6 of the points, divided by n


def test_the_bootstrap_variance_is_n_minus_1_over_n_of_the_plug_in_variance():
    data = scattered(5)
    question = Question.of(data, "variance", 1, 2)
    assert question.estimate == pytest.approx(data.X[:, 0].var())
    assert question.at(every_resample(5)).mean() == pytest.approx(4 / 5 * data.X[:, 0].var())


def test_the_median_of_three_is_each_point_with_its_own_probability():
    """The middle of three draws is the lowest point in 1 + 3·2 = 7 of 27 cases, the middle one in 13."""
    question = Question.of(Points(np.array([[1.0], [10.0], [100.0]])), "median", 1, 2)
    values, counts = np.unique(question.at(every_resample(3)), return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist())) == {1.0: 7, 10.0: 13, 100.0: 7}


def test_a_slope_by_hand_and_where_there_is_none():
    data = Points(np.array([[0.0], [2.0], [4.0]]), np.array([1.0, 2.0, 9.0]))
    question = Question.of(data, "slope", 1, 2)
    slopes = question.at(np.array([[0, 1, 2], [0, 0, 1], [1, 2, 2], [2, 2, 2]]))
    assert slopes[:3].tolist() == pytest.approx([2.0, 0.5, 3.5])
    assert math.isnan(slopes[3])


@pytest.mark.parametrize(
    ("n", "probability"), [(1, 0.0), (2, 0.25), (5, 0.32768), (10, 0.348678), (20, 0.358486), (100, 0.366032)]
)
def test_left_out_as_in_the_slides(n, probability):
    assert left_out_exactly(n) == pytest.approx(probability, abs=1e-6)
    assert times_exactly(n)[0] == pytest.approx(probability, abs=1e-6)
    assert left_out_exactly(10**7) == pytest.approx(math.exp(-1), abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40])
def test_how_often_a_point_is_drawn(n):
    exact = times_exactly(n)
    assert exact.sum() == pytest.approx(1.0)
    shown = np.arange(len(exact) - 1)
    assert exact[:-1] == pytest.approx(binom.pmf(shown, n, 1 / n), abs=1e-12)


# --- oracle ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", STATISTICS)
def test_scipy_draws_the_same_resamples(statistic):
    """The script's counterpart, with the same seed: the same replicates and the same interval."""
    data = find_line()
    ours = fit("bootstrap", data, seed=4, statistic=statistic, resamples=200, level=0.9)
    case = type("Case", (), {"seed": 4})()
    params = ALGORITHM.make_params({"statistic": statistic, "resamples": 200, "level": 0.9})
    written = ALGORITHM.counterpart(params, case)
    names = {"np": np, "data": data}
    exec(written.imports, names)
    theirs = eval(written.make, names)
    assert ours.model.replicates == pytest.approx(theirs.bootstrap_distribution, abs=1e-12)
    assert ours.model.standard_error == pytest.approx(theirs.standard_error)
    assert ours.model.interval == pytest.approx(list(theirs.confidence_interval), abs=1e-12)
    assert eval(written.difference, {"np": np, "theirs": theirs, "ours": ours}) < 1e-9


def find_line():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, size=31)
    return Points(x[:, None], 2 * x + rng.normal(size=31))


# --- identities -----------------------------------------------------------------------------------------------------


def test_the_standard_error_of_a_mean_is_that_of_the_formula():
    data = scattered(60)
    model = fit("bootstrap", data, resamples=4000).model
    assert model.standard_error == pytest.approx(data.X[:, 0].std() / math.sqrt(60), rel=0.04)
    assert model.normal == pytest.approx(model.estimate + 1.959964 * model.standard_error * np.array([-1, 1]), abs=1e-6)
    assert model.interval == pytest.approx(model.normal, abs=0.2 * model.standard_error)
    assert model.left_out == pytest.approx(left_out_exactly(60), abs=0.01)


def test_the_interval_cuts_off_as_many_on_both_sides():
    model = fit("bootstrap", scattered(), statistic="median", resamples=999, level=0.9).model
    below, above = (model.replicates < model.interval[0]).mean(), (model.replicates > model.interval[1]).mean()
    assert max(below, above) <= 0.05 + 1e-9
    assert len(model.replicates) == 999


def test_resamples_do_not_depend_on_how_they_are_batched():
    question = Question.of(scattered(), "mean", 1, 2)
    one = Resampling.none(question, 0.95).more(50, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    many = Resampling.none(question, 0.95)
    for size in (1, 1, 7, 41):
        many = many.more(size, rng)
    assert np.array_equal(one.replicates, many.replicates)


def test_many_points_are_drawn_a_few_resamples_at_a_time():
    n = AT_ONCE // 3
    question = Question.of(Points(np.random.default_rng(0).normal(size=(n, 1))), "mean", 1, 2)
    state = Resampling.none(question, 0.95).more(4, np.random.default_rng(1))
    whole = np.random.default_rng(1).integers(0, n, size=(4, n))
    assert state.replicates == pytest.approx(question.x[whole].mean(axis=1))
    assert np.array_equal(state.counts, np.bincount(whole[-1], minlength=n))


def test_batches_add_up():
    for count in (1, 5, 12, 13, 100, 20_000):
        sizes = list(batches(count, 12, 40))
        assert sum(sizes) == count
        assert min(sizes) > 0
        assert len(sizes) <= 52


# --- frames ---------------------------------------------------------------------------------------------------------


def test_the_first_resample_is_drawn_before_it_is_counted():
    data = scattered(20)
    frames = frames_of(data, resamples=30)
    draws = [frame for frame in frames if frame.phase == "draw"]
    sums = [int(frame.model.counts.sum()) for frame in draws]
    assert sums == sorted(set(sums))
    assert sums[-1] == 20
    first = next(frame for frame in frames if frame.phase == "resample")
    assert np.array_equal(draws[-1].model.counts, first.model.counts)
    assert first.model.replicates[0] == pytest.approx((first.model.counts * data.X[:, 0]).sum() / 20)


def test_sizes_are_counts_and_who_is_left_out_is_ringed():
    data = scattered(20)
    for frame in frames_of(data, resamples=15)[1:]:
        sizes = next(mark for mark in frame.views["plane"] if isinstance(mark, PointSizes))
        assert np.array_equal(sizes.weights, frame.model.counts)
        rings = [mark for mark in frame.views["plane"] if isinstance(mark, Highlight)]
        if sizes.weights.sum() == 20:
            assert np.array_equal(rings[0].points, np.flatnonzero(sizes.weights == 0))


@pytest.mark.parametrize(("column", "other"), [(1, 2), (2, 1)])
def test_the_lines_in_the_plane_have_the_slopes_of_the_resamples(column, other):
    data = scattered(20)
    last = frames_of(data, statistic="slope", column=column, other=other, resamples=25)[-1]
    lines = next(mark for mark in last.views["plane"] if isinstance(mark, Segments) and mark.name == "latest resamples")
    step = lines.end - lines.start
    assert step[:, other - 1] / step[:, column - 1] == pytest.approx(last.model.replicates)


def test_bars_say_how_often_points_were_drawn():
    last = frames_of(scattered(20), resamples=200)[-1]
    bars, exact = last.views["times"]
    assert isinstance(bars, Bars)
    assert bars.values.sum() == pytest.approx(1.0)
    assert bars.values == pytest.approx(exact.y, abs=0.03)
    assert bars.values[0] == last.model.left_out


def test_a_point_can_be_asked_what_it_means():
    data = scattered(20)
    model = fit("bootstrap", data, statistic="correlation", resamples=20).model
    answer = ALGORITHM.explain(model, data, data.item(3))
    assert answer["times in this resample"] == model.counts[3]
    rest = np.delete(data.X, 3, axis=0)
    assert answer["correlation without this point"] == pytest.approx(np.corrcoef(rest.T)[0, 1])
    assert list(ALGORITHM.explain(model, data, Item(x=data.X[0]))) == ["correlation of x1 and x2"]


# --- degenerate data ------------------------------------------------------------------------------------------------


def test_one_point_says_so():
    frames = frames_of(Points(np.array([[2.0, 3.0]])), resamples=3)
    assert frames[-1].model.replicates.tolist() == [2.0, 2.0, 2.0]
    assert "One point" in frames[-1].warning


def test_two_points_have_a_slope_every_second_time():
    data = Points(np.array([[0.0], [1.0]]), np.array([0.0, 5.0]))
    last = frames_of(data, statistic="slope", resamples=400)[-1]
    assert set(last.model.replicates.tolist()) == {5.0}
    assert 150 < len(last.model.replicates) < 250
    assert "no slope and are not counted" in last.warning


@pytest.mark.parametrize(
    ("data", "params", "words"),
    [
        (Points(np.ones((5, 1)), np.arange(5.0)), {"statistic": "slope"}, "different values of x1"),
        (Points(np.arange(5.0)[:, None], np.ones(5)), {"statistic": "correlation"}, "different values of y"),
        (Points(np.arange(5.0)[:, None]), {"statistic": "correlation"}, "looks at column 2, and there is 1"),
        (Points(np.ones((5, 3))), {"column": 4}, "looks at column 4, and there are 3"),
    ],
)
def test_what_cannot_be_asked_is_said(data, params, words):
    with pytest.raises(DataError, match=words):
        frames_of(data, **params)


def test_classes_are_no_column_and_a_target_is():
    X = np.arange(6.0)[:, None]
    with pytest.raises(DataError, match="column 2"):
        frames_of(Points(X, np.array([0, 1] * 3)), column=2)
    valued = Points(X, np.arange(6.0) ** 2)
    assert fit("bootstrap", valued, column=2, resamples=2).model.estimate == pytest.approx(55 / 6)


def test_it_ends_complete():
    assert fit("bootstrap", scattered(), resamples=3).stop is Stop.COMPLETE
    assert find("bootstrap").title == "Bootstrap"


@pytest.mark.parametrize("factor", [2.0**320, 2.0**-320])  # their variances have squares beyond the range of numbers
def test_huge_and_tiny_numbers_have_the_standard_error_of_ordinary_ones(factor):
    data = scattered()
    with np.errstate(all="raise"):
        ours, theirs = (
            fit("bootstrap", Points(rows), statistic="variance").model.standard_error
            for rows in (data.X, data.X * factor)
        )
    assert theirs == ours * factor**2


def test_nothing_is_recorded_before_it_is_known():
    played = frames_of(scattered(20), resamples=30)
    known = {name: [np.isfinite(frame.metrics[name]) for frame in played] for name in played[0].metrics}
    first = {name: flags.index(True) for name, flags in known.items()}
    resamples = [number for number, frame in enumerate(played) if frame.phase == "resample"]
    assert first == {
        "standard_error": resamples[1],
        "low": resamples[1],
        "high": resamples[1],
        "left_out": resamples[0],
    }
    assert all(all(flags[first[name] :]) for name, flags in known.items())
    assert "track" not in played[resamples[0]].views
    assert played[-1].views["track"][0].x[0] == 2.0


def test_the_interval_is_said_in_per_cent():
    assert frames_of(scattered(20), resamples=30, level=0.9)[-1].caption.startswith(
        "90 % of 30 replicates are between "
    )
