"""Stumps by hand and by brute force, and what a round of AdaBoost does to the weights."""

import math

import numpy as np
import pytest

from algorithms.maths.stumps import SortedColumns, Stump, reweighted, vote_of


def brute_force(X, y, weights):
    """The least weighted error of all stumps, tried one by one."""
    best = np.inf
    for column in X.T:
        levels = np.unique(column)
        for cut in (levels[1:] + levels[:-1]) / 2.0:
            for sign in (1.0, -1.0):
                best = min(best, float(weights[np.where(column > cut, sign, -sign) != y].sum() / weights.sum()))
    return best


def problem(seed, n=40, d=4):
    rng = np.random.default_rng(seed)
    return np.rint(rng.normal(size=(n, d)) * 3.0), np.where(rng.random(n) < 0.4, 1.0, -1.0), rng.random(n)


def test_by_hand():
    # 1 2 3 | 4 with y = - - + +: between 2 and 3 nothing is wrong; a heavy 3 does not change that, a lie does
    columns = SortedColumns.of(np.array([[1.0, 2.0, 3.0, 4.0]]))
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    assert columns.best_stump(y, np.full(4, 0.25)) == (Stump(0, 2.5, 1.0), 0.0)
    assert columns.best_stump(-y, np.full(4, 0.25)) == (Stump(0, 2.5, -1.0), 0.0)
    lie = np.array([-1.0, 1.0, -1.0, 1.0])
    stump, error = columns.best_stump(lie, np.array([0.1, 0.6, 0.2, 0.1]))
    assert stump == Stump(0, 1.5, 1.0)
    assert error == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_stumps(seed):
    X, y, weights = problem(seed)
    stump, error = SortedColumns.of(X.T).best_stump(y, weights)
    assert error == pytest.approx(brute_force(X, y, weights))
    assert weights[stump.votes(X) != y].sum() / weights.sum() == pytest.approx(error)


def test_whole_weights_are_repeated_points():
    X, y, _ = problem(9)
    times = np.random.default_rng(1).integers(1, 4, len(y))
    weighted = SortedColumns.of(X.T).best_stump(y, times.astype(float))
    repeated = SortedColumns.of(X.repeat(times, axis=0).T).best_stump(y.repeat(times), np.ones(times.sum()))
    assert weighted[0] == repeated[0]
    assert weighted[1] == pytest.approx(repeated[1])


def test_the_order_of_the_points_does_not_matter():
    X, y, weights = problem(3)
    order = np.random.default_rng(2).permutation(len(y))
    assert (
        SortedColumns.of(X[order].T).best_stump(y[order], weights[order])[0]
        == SortedColumns.of(X.T).best_stump(y, weights)[0]
    )


def test_no_stump_on_constant_columns():
    assert SortedColumns.of(np.ones((3, 5))).best_stump(np.ones(5), np.ones(5)) is None
    assert SortedColumns.of(np.empty((0, 5))).best_stump(np.ones(5), np.ones(5)) is None


def test_a_cut_between_neighbouring_numbers_parts_them():
    below = 1.0
    above = np.nextafter(below, 2.0)
    stump, error = SortedColumns.of(np.array([[below, above]])).best_stump(np.array([-1.0, 1.0]), np.ones(2))
    assert error == 0.0
    assert stump.votes(np.array([[below], [above]])).tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("error", [0.01, 0.25, 0.4])
def test_after_a_round_the_stump_is_no_better_than_chance(error):
    assert vote_of(error) == pytest.approx(math.log((1.0 - error) / error))
    X, y, weights = problem(5)
    weights = weights / weights.sum()
    stump, found = SortedColumns.of(X.T).best_stump(y, weights)
    wrong = stump.votes(X) != y
    after = reweighted(weights, vote_of(found), wrong)
    assert after.sum() == pytest.approx(1.0)
    assert after[wrong].sum() == pytest.approx(0.5)
