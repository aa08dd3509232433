"""Bayes' rule: the error that no rule avoids, thresholds by hand, and integrals as an oracle."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm, uniform

from algorithms import find, fit
from algorithms.classification.bayes_rule import Params
from algorithms.classification.bayes_rule.solver import Density, Problem
from algorithms.data import Nothing
from algorithms.marks import Curve, Dots, Polygons, ReferenceLine, Table

RULE = find("bayes_rule")
SHAPES = ("Gaussian", "Laplace", "uniform")


def play(**params):
    return list(RULE.start(Nothing(), RULE.make_params(params), 0))


def problem(**params):
    return Problem.of(Params(**params))


def model(**params):
    return fit("bayes_rule", **params).model


def marks(frame, kind, panel):
    return [item for item in frame.views[panel] if isinstance(item, kind)]


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_two_gaussians_two_deviations_apart_cannot_be_told_apart_better_than_this():
    """d = 2, s = 1: the Bayes error is Φ(-1) = 0.158655, at the middle."""
    found = model()
    assert found.threshold == pytest.approx(0.0, abs=1e-9)
    assert found.risk == pytest.approx(0.158655, abs=5e-7)
    assert found.bayes_risk == pytest.approx(norm.cdf(-1.0))


@pytest.mark.parametrize(("distance", "deviation"), [(2.0, 1.0), (1.0, 0.5), (3.0, 2.0), (0.5, 1.0)])
def test_the_bayes_error_of_equal_deviations(distance, deviation):
    found = model(mean_1=-distance / 2, mean_2=distance / 2, deviation_1=deviation, deviation_2=deviation)
    assert found.risk == pytest.approx(norm.cdf(-distance / (2 * deviation)))


@pytest.mark.parametrize("prior", [0.2, 0.5, 0.9])
def test_the_prior_moves_the_threshold_by_its_log_odds(prior):
    """Equal deviations 1, means ±1: 2t = log(P(1) / P(2))."""
    assert model(prior=prior).threshold == pytest.approx(math.log(prior / (1 - prior)) / 2)


def test_costs_move_it_as_priors_do():
    dear = model(costs=((0.0, 1.0), (10.0, 0.0)))
    assert dear.threshold == pytest.approx(-math.log(10.0) / 2)
    assert dear.risk < model(costs=((0.0, 1.0), (10.0, 0.0)), threshold=0.0).problem.risk(0.0)[0]


def test_unequal_deviations_cross_twice_and_a_single_threshold_is_not_best():
    """N(0, 1) and N(0, 2²): equal where x² (1 - 1/4) / 2 = log 2, at ±√(8 log 2 / 3) = ±1.35956."""
    found = model(mean_1=0.0, mean_2=0.0, deviation_1=1.0, deviation_2=2.0)
    place = math.sqrt(8 * math.log(2) / 3)
    assert place == pytest.approx(1.35956, abs=5e-6)
    assert found.crossings == pytest.approx([-place, place])
    inner = norm.cdf(place) - norm.cdf(-place), norm.cdf(place / 2) - norm.cdf(-place / 2)
    assert found.bayes_risk == pytest.approx(0.5 * (1 - inner[0]) + 0.5 * inner[1])
    assert found.bayes_risk < found.risk


def test_a_certain_class_is_always_decided():
    found = model(prior=1.0)
    assert found.risk == pytest.approx(0.0)
    assert (
        "always the same class is decided"
        in next(frame for frame in play(prior=1.0) if frame.phase == "optimum").caption
    )


def test_uniform_densities_that_do_not_meet_make_no_error():
    found = model(density_1="uniform", density_2="uniform", mean_1=-3.0, mean_2=3.0)
    assert found.bayes_risk == pytest.approx(0.0, abs=1e-12)
    assert found.risk == pytest.approx(0.0, abs=1e-12)


# --- identities and oracles -------------------------------------------------------------------------------------------

THEIRS = {
    "Gaussian": lambda m, s: norm(m, s),
    "Laplace": lambda m, s: laplace(m, s / math.sqrt(2)),
    "uniform": lambda m, s: uniform(m - s * math.sqrt(3), 2 * s * math.sqrt(3)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_densities_are_those_of_scipy(shape):
    ours, theirs = Density(shape, 0.7, 1.3), THEIRS[shape](0.7, 1.3)
    x, u = np.linspace(-4, 5, 40), np.linspace(0.01, 0.99, 33)
    assert ours.pdf(x) == pytest.approx(theirs.pdf(x))
    assert ours.cdf(x) == pytest.approx(theirs.cdf(x))
    assert ours.quantile(u) == pytest.approx(theirs.ppf(u))
    assert theirs.std() == pytest.approx(1.3)


@given(
    shapes=st.tuples(st.sampled_from(SHAPES), st.sampled_from(SHAPES)),
    means=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
    deviations=st.tuples(st.floats(0.2, 3), st.floats(0.2, 3)),
    prior=st.floats(0.05, 0.95),
    dear=st.floats(0.2, 5.0),
)
@settings(max_examples=40, deadline=None)
def test_no_threshold_is_better_than_the_best_and_none_below_the_bayes_risk(shapes, means, deviations, prior, dear):
    set_so = problem(
        density_1=shapes[0],
        density_2=shapes[1],
        mean_1=means[0],
        mean_2=means[1],
        deviation_1=deviations[0],
        deviation_2=deviations[1],
        prior=prior,
        costs=((0.0, dear), (1.0, 0.0)),
    )
    crossings, decided = set_so.best_rule()
    best, least = set_so.best(crossings), set_so.bayes_risk(crossings, decided)
    others = set_so.risk(np.linspace(-20, 20, 2001))
    assert set_so.risk(best)[0] <= others.min() + 1e-9
    assert least <= set_so.risk(best)[0] + 1e-9
    x = np.linspace(*set_so.ends(30.0), 200_001)
    joint = set_so.weighted(x)
    expected = np.minimum(joint[0] * dear, joint[1]).sum() * (x[1] - x[0])
    assert least == pytest.approx(expected, abs=3e-3)


def test_the_risk_is_the_integral_of_the_expected_cost():
    set_so = problem(prior=0.3, costs=((0.5, 2.0), (3.0, 0.25)), deviation_2=2.0)
    for t in (-1.0, 0.4, 2.0):

        def cost(x, t=t):
            joint = set_so.weighted(np.array([x]))[:, 0]
            return float(joint @ set_so.costs[:, 0 if x <= t else 1])

        whole = quad(cost, -20, t)[0] + quad(cost, t, 30)[0]
        assert set_so.risk(t)[0] == pytest.approx(whole, rel=1e-6)
        assert (set_so.table(t) * set_so.costs).sum() == pytest.approx(whole, rel=1e-6)


def test_the_evidence_weighs_the_densities_with_the_priors():
    """The slides print the integral of p(x | y); only with the priors in it do the posteriors add up to 1."""
    set_so = problem(prior=0.2)
    x = np.linspace(-6, 6, 50)
    assert set_so.posteriors(x).sum(axis=0) == pytest.approx(np.ones(50))
    one, two = 0.2 * norm(-1, 1).pdf(x), 0.8 * norm(1, 1).pdf(x)
    assert set_so.posteriors(x)[0] == pytest.approx(one / (one + two))


def test_the_class_with_the_larger_mean_is_above_the_threshold():
    turned = problem(mean_1=1.0, mean_2=-1.0)
    assert turned.risk(0.0) == pytest.approx(problem().risk(0.0))
    assert turned.table(0.0) == pytest.approx(problem().table(0.0))


# --- estimating -------------------------------------------------------------------------------------------------------


def test_the_empirical_risk_is_unbiased_and_comes_near_as_one_over_the_root_of_n():
    risk = problem().risk(1.0)[0]
    few, many = (
        np.array([fit("bayes_rule", points=n, seed=seed).model.empirical[-1, 1] for seed in range(150)])
        for n in (50, 800)
    )
    for found, n in ((few, 50), (many, 800)):
        error = math.sqrt(risk * (1 - risk) / n)
        assert abs(found.mean() - risk) < 4 * error / math.sqrt(150)
        assert found.std() == pytest.approx(error, rel=0.25)


def test_the_metrics_do_not_follow_the_scan_of_thresholds():
    """The risk of the threshold 1 is (1 - Φ(2)) / 2 + Φ(0) / 2 = 0.261375 in every frame."""
    frames = play()
    assert {frame.phase for frame in frames} >= {"sweep", "sample"}
    assert [frame.metrics["risk"] for frame in frames] == pytest.approx([0.261375] * len(frames), abs=5e-7)


def test_the_estimated_risk_is_not_known_before_a_point_is_drawn():
    for frame in play(points=10):
        assert math.isnan(frame.metrics["empirical"]) == (frame.phase != "sample")


def test_a_standard_error_is_told_only_where_the_costs_differ():
    told = [frame.caption for frame in play(prior=0.9, points=100) if frame.phase == "sample"]
    assert told[0] == "1 point drawn: your threshold costs 0 there; its true risk is 0.07048."
    assert told[1] == "2 points drawn: your threshold costs 0 at each of them; its true risk is 0.07048."
    assert "with a standard error of 0.0" in told[-1]


# --- what is seen -----------------------------------------------------------------------------------------------------


def test_the_shaded_areas_are_the_probabilities_of_the_errors():
    frame = next(frame for frame in play(threshold=0.4) if frame.phase == "errors")
    areas = [
        abs(np.trapezoid(corners[:, 1], corners[:, 0])) for corners in marks(frame, Polygons, "densities")[0].corners
    ]
    table = problem().table(0.4)
    assert areas == pytest.approx([table[0, 1], table[1, 0]], abs=2e-4)
    assert marks(frame, Table, "table")[0].values == pytest.approx(table)


def test_the_threshold_can_be_dragged_wherever_it_is_seen():
    last = play()[-1]
    for panel in ("densities", "posterior", "risk"):
        assert [line.at for line in marks(last, ReferenceLine, panel) if line.handle == "threshold"] == [1.0]


def test_the_curve_of_the_risk_grows_to_the_right_and_its_least_is_marked():
    frames = play()
    lengths = [len(marks(frame, Curve, "risk")[0].x) for frame in frames if frame.phase == "sweep"]
    assert lengths == sorted(lengths)
    best = next(dots for dots in marks(frames[-1], Dots, "risk") if dots.known)
    curve = marks(frames[-1], Curve, "risk")[0]
    assert best.at[0, 1] <= curve.y.min() + 1e-9
    assert frames[-1].model.threshold == pytest.approx(best.at[0, 0])
