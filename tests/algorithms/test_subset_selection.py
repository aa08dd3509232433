"""Subset selection (R2.6): greedy rules against brute force; leaps and bounds is as certain with fewer looks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

import algorithms
from algorithms import DataError, Points, Stop, find
from algorithms.marks import Bars, Dots
from algorithms.maths.design import Design
from algorithms.regression.subset_selection import solver
from algorithms.regression.subset_selection.solver import choices, lattice, leaps_and_bounds, unexplained
from algorithms.regression.subset_selection.words import certainty
from tests.algorithms.regression_cases import wavy

KEY = "subset_selection"


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


def fit(X, y, **params):
    """Over the features themselves, where nothing else is said."""
    return algorithms.fit(KEY, X, y, **{"degree": 1, **params})


def frames_of(data, **params):
    algorithm = find(KEY)
    return list(algorithm.start(data, algorithm.make_params({"degree": 1, **params}), 0))


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
    assert "proven to be the best of its size after 6 of 8 subsets" in certainty(steps[-1])


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
    for one in leaps_and_bounds(design.reduced(), 10):
        assert one.rss <= least.get(len(one.columns), np.inf)
        assert one.tried >= tried
        least[len(one.columns)], tried = one.rss, one.tried
    assert len(one.search.looked) == tried


def test_frames_say_how_much_was_looked_at_and_what_is_proven():
    X, y = problem(2, 9, "mixed")
    result = fit(X, y, subset="leaps and bounds", size=3)
    assert result.stop is Stop.COMPLETE
    best = fit(X, y, subset="exhaustive", size=3)
    assert result.model.coefficients == pytest.approx(best.model.coefficients)
    assert result.model.spread.degrees == best.model.spread.degrees
    every, looked, *_ = result.last.views["subsets"]
    assert isinstance(looked, Dots)
    assert len(looked.at) < len(every.at) == 2**9


def test_a_search_without_an_end_says_so(monkeypatch):
    monkeypatch.setattr(solver, "MOST_LOOKS", 60)
    result = fit(*problem(3, 12, "mixed"), subset="leaps and bounds", size=4)
    assert result.stop is Stop.LIMIT
    assert "the search was given up; there may be better ones" in result.last.warning
    assert np.count_nonzero(result.model.coefficients) == 4


def test_nothing_is_chosen_of_nothing():
    assert list(choices(Design.of(*problem(0, 3, "mixed"), centred=True), "leaps and bounds", 0)) == []
    flat = fit(*problem(0, 2, "mixed"), subset="leaps and bounds", size=0)
    assert flat.model.coefficients.tolist() == [0.0, 0.0]
    assert fit(*problem(0, 2, "mixed"), subset="leaps and bounds", degree=0).model.coefficients.size == 0


# --- greedy rules ----------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_no_greedy_subset_beats_the_best_one(seed, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, p))
    X[:, -1] = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=20)
    design = Design.of(X, X[:, 0] - X[:, 1] + rng.normal(size=20), centred=True)
    best = {len(choice.columns): choice.rss for choice in choices(design, "exhaustive", p)}
    for rule in ("forward", "backward"):
        walk = list(choices(design, rule, p if rule == "forward" else 1))
        for choice in walk:
            assert choice.rss == pytest.approx(unexplained(design, choice.columns))
            assert choice.rss >= best[len(choice.columns)] * (1 - 1e-9)
    assert np.diff(list(best.values())).max() <= 1e-9
    assert sum(choice.tried for choice in choices(design, "exhaustive", p)) == 2**p - 1


def test_forward_selection_can_be_misled():
    """y = a - b; a third column resembles y more than a or b alone, but the pair (a, b) explains all of it."""
    rng = np.random.default_rng(0)
    a, b, noise = rng.normal(size=(3, 200))
    X, y = np.column_stack([a, b, a - b + 0.5 * noise]), a - b
    greedy, best = (fit(X, y, subset=rule, size=2).model.coefficients for rule in ("forward", "exhaustive"))
    assert greedy[2] != 0.0
    assert best == pytest.approx([1.0, -1.0, 0.0], abs=1e-9)


def test_a_subset_is_least_squares_on_its_columns():
    X, y = wavy(d=2)
    for rule in ("forward", "backward", "exhaustive", "leaps and bounds"):
        result = fit(X, y, degree=3, subset=rule, size=4)
        used = np.flatnonzero(result.model.coefficients)
        columns = result.model.dictionary.columns(X)
        assert len(used) == 4
        oracle = LinearRegression().fit(columns[:, used], y)
        assert result.predict(X) == pytest.approx(oracle.predict(columns[:, used]))
        assert result.model.spread.degrees == pytest.approx(len(X) - 5)
        way = result.last.views["subsets"][-1]
        assert way.y[way.x == 4.0] == pytest.approx(result.metrics["objective"][-1])


def test_too_many_subsets_are_refused():
    with pytest.raises(DataError, match="choose leaps and bounds, forward or backward"):
        fit(*wavy(d=2), degree=6, subset="exhaustive", size=12)


def test_lattice_of_all_subsets_and_the_greedy_way_through_it():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20, 5))
    y = X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=20)
    every = lattice(Design.of(X, y, centred=True))
    assert len(every) == 2**5
    assert [np.count_nonzero(every[:, 0] == k) for k in range(6)] == [1, 5, 10, 10, 5, 1]
    dots, best, way = frames_of(Points(X, y), subset="forward", size=3)[-1].views["subsets"]
    assert isinstance(dots, Dots)
    assert np.diff(best.y).max() <= 0  # one more column never hurts
    assert (way.y >= best.y[1:4] - 1e-9).all()
    assert len(lattice(Design.of(rng.normal(size=(20, 11)), y, centred=True))) == 0


def test_bars_of_the_columns_in_use_grow_one_by_one():
    frames = frames_of(Points(*wavy(30, d=2)), degree=2, subset="forward", size=3)
    used = [np.count_nonzero(frame.views["coefficients"][0].values) for frame in frames if frame.phase == "subset"]
    assert isinstance(frames[-1].views["coefficients"][0], Bars)
    assert used == [1, 2, 3]
