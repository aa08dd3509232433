"""The majority vote: Condorcet's sums by hand, correlated voters, random lines, and a simulation that agrees."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from algorithms import DataError, Points, fit
from algorithms.data import Nothing
from algorithms.ensembles.majority_vote import ALGORITHM, Params
from algorithms.ensembles.majority_vote import solver as vote
from algorithms.marks import Bars, Strip

probabilities = st.floats(0.0, 1.0)


def exactly(p: Fraction, m: int) -> Fraction:
    """Condorcet's sum in fractions; an even vote counts half."""
    chance = [math.comb(m, j) * p**j * (1 - p) ** (m - j) for j in range(m + 1)]
    return sum(chance[m // 2 + 1 :]) + (chance[m // 2] / 2 if m % 2 == 0 else 0)


def test_three_voters_by_hand():
    """Right are two of three in three ways, or all: 3 · 0.6² · 0.4 + 0.6³ = 0.648."""
    assert vote.majority_curve(0.6, 3).tolist() == pytest.approx([0.6, 0.6, 0.648], abs=1e-15)
    assert fit("majority_vote", p=0.6, m=3, elections=1).model.probability == pytest.approx(0.648, abs=1e-15)


@pytest.mark.parametrize(
    ("p", "values"),
    [
        (0.55, [0.55, 0.57475, 0.593127, 0.633123, 0.679003, 0.764071, 0.843755]),
        (0.45, [1 - v for v in (0.55, 0.57475, 0.593127, 0.633123, 0.679003, 0.764071, 0.843755)]),
        (0.85, [0.85, 0.93925, 0.973388, 0.997343, 0.99993, 1.0, 1.0]),
    ],
)
def test_the_numbers_of_the_slides(p, values):
    curve = vote.right_curve(p, 0.0, 101)
    assert curve[[0, 2, 4, 10, 20, 50, 100]] == pytest.approx(values, abs=1e-6)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 10, 31])
@pytest.mark.parametrize(
    "p", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(11, 20), Fraction(9, 10), Fraction(1)]
)
def test_exact_sums(p, m):
    assert vote.majority_curve(float(p), m)[-1] == pytest.approx(float(exactly(p, m)), abs=1e-13)


@given(st.floats(1e-9, 1.0 - 1e-9), st.integers(1, 501))
def test_scipy_agrees(p, m):
    wanted = binom.sf(m // 2, m, p) + (0.5 * binom.pmf(m // 2, m, p) if m % 2 == 0 else 0.0)
    assert vote.majority_curve(p, m)[-1] == pytest.approx(wanted, abs=1e-11)
    assert vote.distribution(p, 0.0, m) == pytest.approx(binom.pmf(np.arange(m + 1), m, p), abs=1e-11)


@given(probabilities, probabilities, st.integers(1, 60))
def test_identities_of_correlated_voters(p, rho, m):
    curve = vote.right_curve(p, rho, m)
    assert curve[0] == pytest.approx(p)
    assert ((curve >= 0) & (curve <= 1)).all()
    assert curve == pytest.approx(1.0 - vote.right_curve(1.0 - p, rho, m), abs=1e-9)
    chance = vote.distribution(p, rho, m)
    right = np.arange(m + 1)
    assert chance.sum() == pytest.approx(1.0)
    assert chance @ right == pytest.approx(m * p, abs=1e-8)
    variance = chance @ (right - m * p) ** 2
    assert variance == pytest.approx(p * (1 - p) * (m + m * (m - 1) * rho), abs=1e-7)  # each pair has correlation rho
    above = chance[m // 2 + 1 :].sum() + (0.5 * chance[m // 2] if m % 2 == 0 else 0.0)
    assert curve[-1] == pytest.approx(above, abs=1e-9)


def test_at_the_ends_of_correlation():
    assert vote.right_curve(0.7, 1.0, 99) == pytest.approx(np.full(99, 0.7))
    assert vote.right_curve(0.7, 0.0, 99) == pytest.approx(vote.majority_curve(0.7, 99))
    assert vote.limit_of(0.7, 0.0) == 1.0
    assert vote.limit_of(0.3, 0.0) == 0.0
    assert vote.limit_of(0.5, 0.0) == 0.5
    assert vote.limit_of(0.6, 0.3) == 0.6  # whoever follows a leader is not wiser than the leader
    assert vote.right_curve(0.6, 0.3, 501)[-1] == pytest.approx(0.6, abs=1e-3)


def test_the_simulation_comes_to_the_exact_number():
    for p, rho, m in ((0.55, 0.0, 51), (0.6, 0.25, 31), (0.4, 0.5, 10)):
        done = fit("majority_vote", p=p, correlation=rho, m=m, elections=20_000, seed=3)
        model = done.model
        exact = model.probability
        error = math.sqrt(exact * (1 - exact) / 20_000)
        assert model.elections == model.counts.sum() == 20_000
        assert abs(model.simulated - exact) < 4 * error
        assert abs(done.metrics["simulated"][-1] - exact) < 4 * error
        seen = model.counts / model.elections
        assert np.abs(seen - vote.distribution(p, rho, m)).max() < 0.02


def test_simulated_votes_have_the_correlation_that_is_asked_for():
    votes = vote.votes(np.random.default_rng(1), 200_000, 2, 0.6, 0.3)
    assert votes.mean(axis=0) == pytest.approx([0.6, 0.6], abs=0.005)
    assert np.corrcoef(votes.T)[0, 1] == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("p", [0.3, 0.5, 0.62, 0.9])
@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_random_lines_vote_as_their_average_says(p, rho):
    rng = np.random.default_rng(5)
    drawn = [vote.turns(p, 9, rho, rng) for _ in range(3000)]
    curve = vote.lines_curve(p, rho, 9)
    for m in (1, 3, 9):
        found = np.mean([vote.vote_of_lines(angles[:m]) for angles in drawn])
        assert found == pytest.approx(curve[m - 1], abs=0.02)
    assert curve[0] == pytest.approx(p, abs=1e-3)
    if p == 0.5:
        assert curve == pytest.approx(np.full(9, 0.5))  # lines of any direction: no vote helps


def test_lines_gain_less_than_independent_voters():
    assert (vote.lines_curve(0.7, 0.0, 51)[4:] < vote.right_curve(0.7, 0.0, 51)[4:]).all()
    assert vote.lines_curve(0.7, 0.0, 501)[-1] > 0.9


def test_the_field_is_the_vote_of_the_lines():
    model = fit("majority_vote", m=7, elections=1).model
    X = np.random.default_rng(0).normal(size=(20, 2))
    wanted = [np.mean([x @ normal > 0 for normal in model.lines]) for x in X]
    assert ALGORITHM.field(model, X) == pytest.approx(wanted)


def test_it_needs_no_data():
    assert fit("majority_vote", m=3, elections=5).data == Nothing()
    with pytest.raises(DataError, match="needs no data"):
        fit("majority_vote", Points(np.zeros((3, 2))))


def test_the_frames_add_two_voters_at_a_time_and_then_vote():
    frames = list(ALGORITHM.start(Nothing(), Params(m=13, elections=500), 1))
    voters = [frame.model.voters for frame in frames if frame.phase != "elections"]
    assert voters == [1, 3, 5, 7, 9, 11, 13]
    counts = [frame.model.elections for frame in frames if frame.phase == "elections"]
    assert counts == sorted(set(counts))
    assert counts[-1] == 500
    even = list(ALGORITHM.start(Nothing(), Params(m=4, elections=1), 1))
    assert [frame.model.voters for frame in even] == [1, 3, 4]
    assert even[-1].model.probability == even[-2].model.probability  # an even vote is decided by a coin
    bars, *_ = frames[-1].views["votes"]
    assert isinstance(bars, Bars)
    assert bars.values.sum() == pytest.approx(1.0)
    strip = frames[-1].views["ballots"][0]
    assert isinstance(strip, Strip)
    assert strip.labels.shape == (12, 13)
