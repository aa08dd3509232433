"""Splits, held-out errors and grids of parameters: by hand, against scikit-learn, and the same whoever works."""

import math

import numpy as np
import pytest
from sklearn.svm import SVC

from algorithms import DataError, Points, find
from algorithms.classification.kernel_svm.solver.smo_batch import solve_many
from algorithms.executor import Inline
from algorithms.maths.sweeps import Axis, Sweep, SweepError, best_of, cells, parse_axis
from algorithms.maths.validation import held_out_errors, splits
from algorithms.method_choice import parse_method
from algorithms.params import ParamError
from mlviz.data.generators import generate

MOONS = generate("moons", n=60, noise=0.3, seed=1)
SVM = find("kernel_svm")


def draws():
    return np.random.default_rng(0)


@pytest.mark.parametrize("scheme", ["k-fold", "stratified", "repeated", "leave-one-out"])
def test_every_point_is_tested_once_a_round(scheme):
    found = splits(MOONS, scheme, draws(), folds=7, repeats=3)
    rounds = 3 if scheme == "repeated" else 1
    assert len(found) == (60 if scheme == "leave-one-out" else 7 * rounds)
    for repeat in range(rounds):
        tested = np.concatenate([split.test for split in found if split.repeat == repeat])
        assert sorted(tested.tolist()) == list(range(60))
    for split in found:
        assert sorted([*split.learn.tolist(), *split.test.tolist()]) == list(range(60))


def test_stratified_folds_have_their_part_of_every_class():
    uneven = Points.of(np.arange(30.0), np.repeat([0, 1], [25, 5]))
    assert [int((uneven.y[split.test] == 1).sum()) for split in splits(uneven, "stratified", draws(), 5)] == [1] * 5


def test_hold_out_takes_the_fraction_of_each_class_and_is_drawn_again():
    first, second = splits(MOONS, "hold-out", draws(), repeats=2, held_out=0.2)
    assert np.bincount(MOONS.y[first.test]).tolist() == [6, 6]
    assert not np.array_equal(first.test, second.test)


def test_too_little_and_too_much_are_sentences():
    with pytest.raises(DataError, match="at least two"):
        splits(Points.of([[1.0]], [0]), "k-fold", draws())
    with pytest.raises(DataError, match="6,000 splits are too many"):
        splits(MOONS, "repeated", draws(), folds=60, repeats=100)


def test_errors_by_hand():
    """A constant guess: least squares of degree 0 on 1, 2, 6 leaves one out and misses by 3, 1.5 and 4.5."""
    data = Points.of([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0], "values")
    [errors] = held_out_errors(
        [parse_method("linear_regression(degree=0)")], data, splits(data, "leave-one-out", draws()), 0
    )
    assert errors == pytest.approx([9.0, 2.25, 20.25])


def test_a_refusal_is_kept_beside_the_errors():
    data = Points.of([[0.0], [1.0], [2.0]], [0, 0, 1])
    parts = splits(data, "leave-one-out", draws())
    [refused] = held_out_errors([parse_method("kernel_svm")], data, parts, 0)
    assert isinstance(refused, DataError)
    assert "two classes" in str(refused)


@pytest.mark.parametrize(
    ("text", "values", "log"),
    [
        ("C=0.01..100:log:3", (0.01, 1.0, 100.0), True),
        ("C=1..3:linear:3", (1.0, 2.0, 3.0), False),
        ("C=1..100", tuple(float(f"{v:.6g}") for v in np.geomspace(1, 100, 11)), True),
        ("degree=1..4", (1, 2, 3, 4), False),
        ("degree=1..2:linear:9", (1, 2), False),
        ("kernel=linear,rbf,linear", ("linear", "rbf"), False),
    ],
)
def test_axes_are_read(text, values, log):
    assert parse_axis(text, SVM) == Axis(text.partition("=")[0], values, log)


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("Q=1..2", SweepError, "kernel_svm has no parameter 'Q' to be varied; it has kernel, C"),
        ("C", SweepError, "Say over which values: C=0.01..100:log:20"),
        ("C=a..b", SweepError, "is not written like C=0.01..100:log:20."),
        ("C=0..1:log", SweepError, "both ends must be above 0."),
        ("C=1..1e9", ParamError, "C must be a number from 0.001 to 100000"),
        ("kernel=1..2", SweepError, "kernel is no number"),
        ("C=1..2:log:99999", SweepError, "C cannot take 99,999 values"),
        ("C=1..1e999:log:3", SweepError, "is not written like C=0.01..100:log:20."),
        ("max_steps=1..nan", SweepError, "is not written like C=0.01..100:log:20."),
        (f"C=1..2:log:{'9' * 5000}", ParamError, "C must be a number from 0.001 to 100000"),
    ],
)
def test_axes_that_cannot_be_are_sentences(text, error, sentence):
    with pytest.raises(error) as refused:
        parse_axis(text, SVM)
    assert sentence in str(refused.value)


def test_a_coarse_grid_comes_first_and_every_cell_once():
    axes = (Axis("a", tuple(range(9))), Axis("b", tuple(range(5))))
    order = cells(axes)
    assert len(order) == len(set(order)) == 45
    assert set(order[:9]) == {(a, b) for a in (0, 4, 8) for b in (0, 2, 4)}
    with pytest.raises(SweepError, match="cells are too many"):
        cells((Axis("a", tuple(range(101))), Axis("b", tuple(range(100)))))


def sweep(method="kernel_svm", over=("C=0.1..10:log:3", "sigma=0.2..2:log:3")):
    chosen = parse_method(method)
    axes = tuple(parse_axis(text, chosen.algorithm) for text in over)
    return Sweep(chosen, axes, MOONS, splits(MOONS, "stratified", draws(), 5))


def table_of(found, axes):
    """The mean errors, an axis for each parameter."""
    table = np.full([len(axis.values) for axis in axes], np.nan)
    for cell in found:
        table[cell.place] = cell.mean
    return table


def test_the_table_is_that_of_scikit_learn():
    asked = sweep()
    found = list(asked.run(Inline()))
    theirs = np.empty((3, 3))
    for i, C in enumerate(asked.axes[0].values):
        for j, sigma in enumerate(asked.axes[1].values):
            svc = SVC(C=C, gamma=1 / (2 * sigma**2), tol=1e-3)
            wrong = [
                (svc.fit(MOONS.X[s.learn], MOONS.y[s.learn]).predict(MOONS.X[s.test]) != MOONS.y[s.test]).mean()
                for s in asked.parts
            ]
            theirs[i, j] = np.mean(wrong)
    ours = table_of(found, asked.axes)
    assert np.abs(ours - theirs).max() <= 1 / 60  # a point on the line
    best = best_of(found)
    assert best is not None
    assert best.mean == ours.min()
    assert parse_method(best.method).text == best.method


def test_one_by_one_gives_the_same_as_all_together():
    asked = sweep("decision_tree", ("depth=1..3",))
    together = table_of(asked.run(Inline()), asked.axes)
    alone = table_of(
        (cell for place in reversed(cells(asked.axes)) for cell in asked.run(Inline(), [place])), asked.axes
    )
    assert np.array_equal(together, alone)


def test_what_a_cell_tells():
    asked = sweep(over=("C=1,2",))
    first = next(asked.run(Inline()))
    assert first.standard_error == pytest.approx(np.std(first.errors, ddof=1) / math.sqrt(5))
    assert asked.axes[0].values[first.place[0]] == asked.at(first.place).params.C
    blocked = Points.of([[0.0], [1.0], [2.0]], [0, 0, 1])
    refused = next(Sweep(asked.method, asked.axes, blocked, splits(blocked, "leave-one-out", draws())).run(Inline()))
    assert refused.refusal
    assert math.isnan(refused.mean)
    assert best_of([refused]) is None


def test_many_problems_at_once_by_hand():
    """Two points at -1 and 1 with a linear kernel: α = 1/2 each, f(x) = x; with C = 0.1 both stay at C."""
    K = np.array([[1.0, -1.0, 2.0], [-1.0, 1.0, -2.0], [2.0, -2.0, 4.0]])
    signs = np.tile([1.0, -1.0, 1.0], (2, 1))
    inside = np.array([[True, True, False]] * 2)
    found = solve_many(K, signs, np.array([10.0, 0.1]), inside, 1e-6, 100)
    assert found.certified.all()
    assert found.signed == pytest.approx(np.array([[0.5, -0.5, 0.0], [0.1, -0.1, 0.0]]))
    assert found.bias == pytest.approx([0.0, 0.0], abs=1e-6)
    assert not solve_many(K, signs, np.array([10.0, 0.1]), inside, 1e-6, 0).certified.any()
