"""Leaps and bounds (R2.6 a): as certain as trying every subset, with fewer looks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import Stop, fit
from algorithms.marks import Dots
from algorithms.maths.design import Design
from algorithms.regression import _subsets
from algorithms.regression._subsets import LeapsAndBounds, choices, unexplained

KEY = "linear_regression"


def problem(seed, p, kind):
    """Columns and a target: independent, mixed, doubled, constant, of few values (ties), or with too few points."""
    rng = np.random.default_rng(seed)
    n = 4 if kind == "few points" else 25
    X = rng.normal(size=(n, p))
    if kind == "mixed":
        X = X @ rng.normal(size=(p, p))
    if kind == "doubled":
        X[:, p // 2 :] = X[:, : p - p // 2] * rng.choice([-2.0, 1.0, 1e3], size=p - p // 2)
    if kind == "nearly the same":
        X = X[:, :1] + 1e-6 * X
    if kind == "constant":
        X[:, ::2] = 7.0
    if kind == "ties":
        X = rng.integers(0, 2, size=(n, p)).astype(float)
    y = X @ rng.integers(-1, 2, size=p) + (rng.normal(size=n) if seed % 3 else 0.0)
    return X, np.round(y) if kind == "ties" else y


KINDS = ("independent", "mixed", "doubled", "nearly the same", "constant", "ties", "few points")


def proven(design, size):
    return {len(one.columns): one for one in choices(design, "leaps and bounds", size) if one.search.proven}


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.sampled_from(KINDS), st.integers(1, 8))
def test_the_best_of_every_size_is_that_of_brute_force(seed, p, kind, size):
    design = Design.of(*problem(seed, p, kind), centred=True)
    scale = float(design.y @ design.y)
    found = proven(design, size)
    best = {len(one.columns): one.rss for one in choices(design, "exhaustive", size)}
    assert found.keys() == best.keys() == set(range(1, min(size, p) + 1))
    for k, one in found.items():
        assert one.rss == pytest.approx(best[k], rel=1e-9, abs=1e-9 * scale)
        assert one.rss == pytest.approx(unexplained(design, one.columns), rel=1e-9, abs=1e-9 * scale)
        assert one.tried <= 2**p - 1
        assert one.search.total == 2**p


def test_equal_columns_are_a_tie_that_ends():
    """Orthonormal columns with the same share of y: all subsets of a size are equally good."""
    Z = np.linalg.qr(np.column_stack([np.ones(12), np.random.default_rng(0).normal(size=(12, 6))]))[0][:, 1:]
    found = proven(Design.of(Z, Z.sum(axis=1), centred=True), 6)
    assert [found[k].rss for k in range(1, 7)] == pytest.approx([5.0, 4.0, 3.0, 2.0, 1.0, 0.0], abs=1e-12)


def test_by_hand():
    """Centred columns e1, e2, e3 (orthogonal, length 2) with y = 3 e1 - 2 e2 + e3: what is left out is what is left."""
    e1, e2, e3 = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=float)
    steps = list(
        choices(Design.of(np.column_stack([e3, e1, e2]), 3 * e1 - 2 * e2 + e3, centred=True), "leaps and bounds", 3)
    )
    assert [(one.columns, round(one.rss, 9)) for one in steps[-3:]] == [((1,), 20.0), ((1, 2), 4.0), ((0, 1, 2), 0.0)]
    assert steps[-1].tried == 6  # all three, each pair, and under the best pair the two singles; {e3} cannot be better
    assert "proven by a look at 6 of 8 subsets" in steps[-1].words


def test_it_looks_at_few_of_many():
    X, y = problem(1, 16, "independent")
    (last,) = (one for one in proven(Design.of(X, y, centred=True), 4).values() if len(one.columns) == 4)
    assert last.tried < 2**16 / 10
    design = Design.of(X, y, centred=True).reduced()
    assert last.rss == pytest.approx(min(unexplained(design, one) for one in combinations(range(16), 4)))


def test_every_improvement_is_an_improvement():
    design = Design.of(*problem(5, 10, "mixed"), centred=True)
    least: dict[int, float] = {}
    tried = 0
    for one in LeapsAndBounds(design.reduced(), 10).choices():
        assert one.rss <= least.get(len(one.columns), np.inf)
        assert one.tried >= tried
        least[len(one.columns)], tried = one.rss, one.tried
    assert len(one.search.looked) == tried


def test_frames_say_how_much_was_looked_at_and_what_is_proven():
    X, y = problem(2, 9, "mixed")
    result = fit(KEY, X, y, subset="leaps and bounds", size=3)
    assert result.stop is Stop.COMPLETE
    best = fit(KEY, X, y, subset="exhaustive", size=3)
    assert result.model.coefficients == pytest.approx(best.model.coefficients)
    assert result.model.spread.degrees == best.model.spread.degrees
    assert "favour degree" in result.last.caption
    assert "all columns in use" in result.last.caption  # the sweep over degrees does not choose
    every, looked, *_ = result.last.views["subsets"]
    assert isinstance(looked, Dots)
    assert len(looked.at) < len(every.at) == 2**9


def test_a_search_without_an_end_says_so(monkeypatch):
    monkeypatch.setattr(_subsets.LeapsAndBounds.__init__, "__defaults__", (60,))
    result = fit(KEY, *problem(3, 12, "mixed"), subset="leaps and bounds", size=4)
    assert result.stop is Stop.LIMIT
    assert "the search was given up; there may be better ones" in result.last.warning
    assert np.count_nonzero(result.model.coefficients) == 4


def test_nothing_is_chosen_of_nothing():
    assert list(choices(Design.of(*problem(0, 3, "mixed"), centred=True), "leaps and bounds", 0)) == []
    flat = fit(KEY, *problem(0, 2, "mixed"), subset="leaps and bounds", size=0)
    assert flat.model.coefficients.tolist() == [0.0, 0.0]
    assert fit(KEY, *problem(0, 2, "mixed"), subset="leaps and bounds", degree=0).model.coefficients.size == 0
