"""``fit``: the library without a window, on an algorithm whose answers are known by hand."""

import pickle

import numpy as np
import pytest

from algorithms import DataError, Dataset, ParamError, Stop, UnknownAlgorithm, _skeleton, all_algorithms, fit, fitting
from algorithms._checks.examples import blobs
from algorithms._checks.values import same
from algorithms.data import Distances, Points
from tests.algorithms import faulty

SQUARE = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]
CROSS = [[0.0, 0.0], [2.0, 0.0], [10.0, 0.0], [14.0, 0.0]]


@pytest.fixture
def small_library(monkeypatch):
    """The skeleton and the tiny classifier under their keys."""
    known = {"skeleton": _skeleton.ALGORITHM, "faulty": faulty.CORRECT}
    monkeypatch.setattr(fitting, "find", known.__getitem__)


@pytest.mark.usefixtures("small_library")
class TestFit:
    def test_the_mean_of_a_square_is_its_middle(self):
        fitted = fit("skeleton", SQUARE, rate=1.0)
        assert fitted.model.centre.tolist() == [1.0, 1.0]
        assert fitted.stop is Stop.CONVERGED
        assert fitted.reason == "converged"
        # The step that reaches the mean, and the step of length zero that shows it.
        assert fitted.steps == 2
        # From a corner: squared distances 0, 4, 4, 8 with mean 4; from the middle all are 2.
        assert fitted.metrics["J"].tolist() == [4.0, 2.0, 2.0]

    def test_half_the_way_at_a_time(self):
        fitted = fit("skeleton", [[0.0], [8.0]], rate=0.5)
        # The centre starts 4 from the mean and halves that: J = 16 + distance squared.
        assert fitted.metrics["J"][:4].tolist() == [32.0, 20.0, 17.0, 16.25]

    def test_the_result_depends_on_the_seed_alone(self):
        one, two = (fit("skeleton", SQUARE, seed=3) for _ in range(2))
        assert same(one.last, two.last)
        starts = {tuple(next(_skeleton.ALGORITHM.start(one.data, one.params, s)).model.centre) for s in range(20)}
        assert len(starts) > 1

    def test_predict_field_and_explain(self):
        fitted = fit("skeleton", SQUARE, rate=1.0)
        assert fitted.field([[1.0, 1.0], [4.0, 5.0]]).tolist() == [0.0, 5.0]
        assert fitted.predict([[1.0, 1.0], [4.0, 5.0]]).tolist() == [1, 0]
        assert fitted.explain([4.0, 5.0]) == {
            "distance to the centre": 5.0,
            "typical distance": pytest.approx(np.sqrt(2)),
            "fraction of points nearer": 1.0,
        }

    @pytest.mark.parametrize(
        "labels", [["low", "low", "up", "up"], [1.0, 1.0, 2.0, 2.0], [7, 7, 9, 9], [False, False, True, True]]
    )
    def test_predictions_come_in_the_callers_own_labels(self, labels):
        fitted = fit("faulty", CROSS, labels)
        # The means are at 1 and 12, so the border is at 6.5.
        answer = fitted.predict([[6.4, 0.0], [6.6, 0.0]])
        assert answer.tolist() == [labels[0], labels[-1]]
        assert answer.dtype == np.asarray(labels).dtype

    def test_a_dataset_gives_class_numbers(self):
        fitted = fit("faulty", Dataset(CROSS, ["low", "low", "up", "up"]))
        assert fitted.predict(CROSS).tolist() == [0, 0, 1, 1]
        with pytest.raises(DataError, match="own target"):
            fit("faulty", Dataset(CROSS), [0, 0, 1, 1])

    def test_an_algorithm_that_does_not_look_at_y_is_not_given_it(self):
        assert fit("skeleton", SQUARE, ["a", "b", "c", "d"]).data.y is None

    def test_a_missing_target_is_said_in_a_sentence(self):
        with pytest.raises(DataError, match=r"^Nearest mean needs a class for every point; this data set has none\.$"):
            fit("faulty", CROSS)

    def test_new_points_must_have_the_same_features(self):
        fitted = fit("skeleton", SQUARE)
        for ask in (fitted.predict, fitted.field):
            with pytest.raises(DataError, match=r"fitted on 2 features; these points have 3"):
                ask([[1.0, 2.0, 3.0]])
        with pytest.raises(DataError, match=r"fitted on 2 features; these points have 1"):
            fitted.explain([1.0])
        with pytest.raises(DataError, match="not a finite number"):
            fitted.predict([[np.nan, 1.0]])

    def test_bad_parameters_are_refused_by_name(self):
        with pytest.raises(ParamError, match=r"^rate must be a number from 0.05 to 1; got 2\.$"):
            fit("skeleton", SQUARE, rate=2)
        with pytest.raises(ParamError, match=r"^skeleton has no parameter 'k'; it has rate\.$"):
            fit("skeleton", SQUARE, k=2)

    def test_a_fit_survives_a_pickle(self):
        fitted = fit("faulty", CROSS, ["low", "low", "up", "up"])
        again = pickle.loads(pickle.dumps(fitted))
        assert again.algorithm == fitted.algorithm
        assert same(again.last, fitted.last)
        assert again.predict(CROSS).tolist() == ["low", "low", "up", "up"]

    def test_what_is_not_offered_is_said(self, monkeypatch):
        from dataclasses import replace

        mute = replace(_skeleton.ALGORITHM, predict=None, field=None, explain=None)
        monkeypatch.setattr(fitting, "find", lambda key: mute)
        fitted = fit("mute", SQUARE)
        with pytest.raises(TypeError, match="does not predict"):
            fitted.predict(SQUARE)
        with pytest.raises(TypeError, match="does not have a field"):
            fitted.field(SQUARE)
        with pytest.raises(TypeError, match="does not explain"):
            fitted.explain(SQUARE[0])


MEASURED = np.linspace(0.0, 1.0, 30)
PLANE = np.column_stack([MEASURED, MEASURED**2])


@pytest.mark.parametrize("key", ["kernel_svm", "logistic_regression", "hinge_svm", "adaboost"])
def test_measured_values_are_no_classes(key):
    with pytest.raises(DataError, match="needs a class for every point, and y holds 30 different values"):
        fit(key, PLANE, MEASURED)
    assert fit(key, PLANE, (MEASURED > 0.5).astype(float)).predict(PLANE[:1]).tolist() == [0.0]


@pytest.mark.parametrize("key", ["linear_regression", "lasso", "kernel_ridge", "robust_regression"])
def test_classes_are_no_measured_values(key):
    classes = np.arange(30) % 3
    with pytest.raises(
        DataError, match=r"needs a value for every point, and the whole numbers in y, of which 3 differ"
    ):
        fit(key, PLANE, classes)
    assert fit(key, PLANE, classes.astype(float)).data.is_valued
    assert fit(key, PLANE, np.arange(30)).data.is_valued  # each another one: a count


def test_a_table_of_distances_says_what_it_is():
    table = np.abs(np.subtract.outer([0.0, 3.0, 7.0], [0.0, 3.0, 7.0]))
    with pytest.raises(DataError, match=r"write Distances\(X\) or Points\(X\)"):
        fit("mds", table)
    assert fit("mds", Distances(table)).data.kind == "distances"
    assert fit("mds", Points(table)).data.kind == "points"
    assert fit("k_means", table, k=2).data.kind == "points"  # which takes points only


def test_the_kinds_of_data_are_named_as_they_are_written():
    with pytest.raises(DataError, match=r"^Shortest paths works on Graph\(nodes, edges\); these are Points\.$"):
        fit("shortest_paths", PLANE)
    with pytest.raises(DataError, match=r"works on Distances\(table\) or Points\(X, y\); nothing was given"):
        fit("mds")


def test_an_unknown_key():
    with pytest.raises(UnknownAlgorithm, match="There is no algorithm 'nonsense'"):
        fit("nonsense", SQUARE)


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_every_algorithm_fits_from_arrays(algorithm):
    data = blobs(algorithm)
    fitted = fit(algorithm.key, np.array(data.X), data.y) if isinstance(data, Points) else fit(algorithm.key, data)
    assert isinstance(fitted.stop, Stop)
    assert fitted.steps >= 1
    assert set(fitted.metrics) == {metric.name for metric in algorithm.metrics}
    assert all(curve.shape == (fitted.steps + 1,) for curve in fitted.metrics.values())
    assert same(dict(fitted.last.metrics), {name: float(curve[-1]) for name, curve in fitted.metrics.items()})
    if algorithm.predict is not None:
        assert fitted.predict(data.X if isinstance(data, Points) else data).shape == (data.n,)
    again = pickle.loads(pickle.dumps(fitted))
    assert same(again.last, fitted.last)
