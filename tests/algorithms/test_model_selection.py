"""Choosing a model: the least of a table that scikit-learn gives too, the U of degrees, looking, and the lock."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from algorithms import DataError, Points, find, fit
from algorithms.data.scaling import scaled
from algorithms.maths.validation import aside, splits
from algorithms.params import as_dict
from mlviz.data.generators import generate

MOONS = generate("moons", n=60, noise=0.35, seed=3)
NEAREST = {"method": "k_nearest", "grid": "one parameter", "first": "k=1,3,5,9"}


def test_the_errors_are_those_of_a_grid_search():
    found = fit("model_selection", MOONS, seed=5, **NEAREST)
    rng = np.random.default_rng(5)
    rng.integers(2**31)  # the seed of the fits is drawn first
    fold = np.empty(60, dtype=int)
    for split in splits(MOONS, "repeated", rng, 5, 1):
        fold[split.test] = split.fold
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9]}, cv=PredefinedSplit(fold))
    search.fit(MOONS.X, MOONS.y)
    assert found.model.errors == pytest.approx(1.0 - search.cv_results_["mean_test_score"])
    assert found.model.grid == (("k", (1, 3, 5, 9)),)
    assert found.model.best == (int(np.argmin(found.model.errors)),)


def test_a_constant_that_is_too_stiff_and_a_degree_that_is_too_flexible_lose():
    data = generate("sine", n=30, noise=0.3, seed=1)
    found = fit(
        "model_selection", data, method="linear_regression", grid="one parameter", first="degree=0..10", repeats=2
    )
    assert 3 <= found.model.best[0] <= 7
    assert found.model.errors[found.model.best] < min(found.model.errors[0], found.model.errors[-1]) / 2
    assert found.predict(data.X) == pytest.approx(
        fit("linear_regression", data, degree=found.model.best[0]).predict(data.X)
    )


def test_two_parameters_are_a_map_whose_best_cell_is_fitted_to_all_points():
    found = fit("model_selection", MOONS, first="C=0.1,10", second="sigma=0.3,3", folds=4)
    assert found.model.errors.shape == (2, 2)
    C, sigma = (values[position] for (_, values), position in zip(found.model.grid, found.model.best, strict=True))
    assert found.model.method == f"kernel_svm(C={C},sigma={sigma})".replace("C=1.0,", "")
    own = fit("kernel_svm", MOONS, C=C, sigma=sigma)
    assert np.array_equal(found.predict(MOONS.X), own.predict(MOONS.X))
    assert "too good" in found.last.caption


def test_looking_at_a_cell_shows_its_model_and_goes_on_without_computing():
    method = find("model_selection")
    whole = fit("model_selection", MOONS, **NEAREST)
    params = method.make_params({**NEAREST, "look": (1,)})
    frames = list(method.start(MOONS, params, 0, whole.model))
    assert [frame.phase for frame in frames] == ["grid", "choose", "choose"]
    assert frames[-1].model.method == "k_nearest(k=1)"
    assert frames[-1].model.look == (0,)
    assert frames[-1].caption.startswith("You look at k = 1: ")
    assert (method.predict(frames[-1].model, MOONS.X) == MOONS.y).all()  # the nearest neighbour is the point itself


def test_a_glance_shows_the_model_of_a_cell_even_before_it_is_tried():
    method = find("model_selection")
    assert method.trials is not None
    data = MOONS
    params = method.make_params({"first": "C=0.1,10", "second": "sigma=0.3,3", "folds": 3, "look": (2, 1)})
    frames = list(method.start(data, method.make_params({**as_dict(params), "look": ()}), 4))
    own = fit("kernel_svm", data, C=10.0, sigma=0.3)
    for frame in (frames[0], frames[-1]):
        seen = method.trials.peek(frame, data, params, 4)
        assert seen.model.method == "kernel_svm(C=10.0,sigma=0.3)"
        assert np.array_equal(method.predict(seen.model, data.X), own.predict(data.X))
        assert np.array_equal(seen.model.errors, frame.model.errors, equal_nan=True)
        assert seen.views["map"][0].seen == (0, 1)
    assert method.trials.peek(frames[0], data, params, 4).caption == "C = 10, sigma = 0.3 has not been tried yet."
    assert "on held-out points, standard error " in seen.caption
    elsewhere = method.make_params({**as_dict(params), "look": (9, 9)})
    assert method.trials.peek(frames[-1], data, elsewhere, 4) is frames[-1]


def test_a_cell_is_a_method_with_its_parameters_and_the_work_is_counted():
    method = find("model_selection")
    trials = method.trials
    whole = fit("model_selection", MOONS, **NEAREST)
    at = method.make_params({**NEAREST, "look": (4,)})
    assert trials.setting(at, None) == ("k_nearest(k=9)", ("k",))
    nowhere = method.make_params(NEAREST)
    assert trials.setting(nowhere, None) is None
    assert trials.setting(nowhere, whole.model) == (whole.model.method, ("k",))  # that of the best one
    counts = [trials.progress(frame.model) for frame in method.start(MOONS, nowhere, 0)]
    assert counts == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4), (4, 4)]
    assert not trials.opened(whole.model)
    assert trials.opened(fit("model_selection", MOONS, test="open", **NEAREST).model)


def test_a_place_of_the_curve_can_be_chosen_by_its_number():
    found = fit("model_selection", MOONS, **NEAREST)
    curve = found.last.views["curve"][0]
    assert (curve.handle, curve.numbers.tolist()) == ("look", [1, 2, 3, 4])


def test_the_lock_is_opened_at_the_end():
    found = fit("model_selection", MOONS, test="open", **NEAREST)
    assert 0.0 <= found.model.test_error <= 1.0
    assert "only this once" in found.last.caption
    locked = fit("model_selection", MOONS, test="locked", **NEAREST)
    assert np.isnan(locked.model.test_error)
    assert np.array_equal(locked.model.errors, found.model.errors)


def test_a_method_whose_parameters_are_not_named_is_varied_in_its_first_number():
    found = fit("model_selection", MOONS, method="decision_tree", folds=3)
    assert found.model.grid[0][0] == "depth"


@pytest.mark.parametrize(
    ("data", "params", "sentence"),
    [
        (Points.of([[0.0], [1.0]]), {}, "needs a target to be predicted"),
        (MOONS, {"first": "C=1", "second": "C=2"}, "Both directions of the map vary C"),
        (MOONS, {"first": "C=1..oops"}, "is not written like"),
        (Points.of([[0.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1]), {"folds": 4}, "two classes"),
    ],
)
def test_what_cannot_be_is_a_sentence(data, params, sentence):
    with pytest.raises(DataError, match=sentence):
        fit("model_selection", data, **params)


# --- the scale of the document ----------------------------------------------------------------------------------------

TAILS = np.random.default_rng(7).standard_t(2, (40, 3)) * [1.0, 50.0, 0.1]
VALUED = Points(TAILS, np.random.default_rng(8).normal(size=40))
LABELLED = Points(TAILS, (np.random.default_rng(9).normal(size=40) + np.sign(TAILS[:, 0]) > 0).astype(int))


SCALERS = {"standardised": StandardScaler, "0 to 1": MinMaxScaler}


@pytest.mark.parametrize("kind", ["standardised", "0 to 1"])
@pytest.mark.parametrize(
    ("data", "method", "over"),
    [(VALUED, "kernel_ridge", "lam=0.01,1"), (LABELLED, "kernel_svm", "C=0.3,30")],
    ids=["one by one", "many at once"],
)
def test_every_fold_sets_the_scale_of_the_document_anew(data, kind, method, over):
    found = fit("model_selection", scaled(data, kind)[0], seed=5, method=method, grid="one parameter", first=over)
    rng = np.random.default_rng(5)
    rng.integers(2**31)  # the seed of the fits is drawn first
    errors = np.zeros((2, 5))
    for part in splits(data, "repeated", rng, 5, 1):
        X = SCALERS[kind]().fit(data.X[part.learn]).transform(data.X)
        for number, value in enumerate(found.model.grid[0][1]):
            own = fit(method, data.with_rows(X[part.learn], data.y[part.learn]), **{found.model.grid[0][0]: value})
            off = own.predict(X[part.test]) - data.y[part.test]
            errors[number, part.fold] = (off != 0).mean() if data.is_labelled else np.square(off).mean()
    assert found.model.errors == pytest.approx(errors.mean(axis=1), rel=1e-12)


def test_points_that_are_kept_aside_have_no_say_in_the_scale_of_the_document():
    data = scaled(VALUED, "0 to 1")[0]
    asked = {"method": "kernel_ridge", "grid": "one parameter", "first": "lam=0.01,1", "test": "open"}
    found = fit("model_selection", data, seed=5, **asked)
    rng = np.random.default_rng(5)
    rng.integers(2**31)
    desk, kept = aside(data, rng)
    X = SCALERS["0 to 1"]().fit(VALUED.X[desk]).transform(VALUED.X)
    own = fit("kernel_ridge", Points(X[desk], VALUED.y[desk]), lam=found.model.grid[0][1][found.model.best[0]])
    assert np.abs(found.predict(data.X) - own.predict(X)).max() < 1e-10
    assert np.abs(found.algorithm.field(found.model, data.X) - own.predict(X)).max() < 1e-10
    off = own.predict(X[kept]) - VALUED.y[kept]
    assert found.model.test_error == pytest.approx(np.square(off).mean(), rel=1e-12)


def test_the_least_error_is_not_known_before_the_first_setting():
    found = fit("model_selection", MOONS, **NEAREST)
    best = found.metrics["best"]
    assert np.isnan(best[0])
    assert np.isfinite(best[1:]).all()


def test_an_error_and_its_standard_error_have_one_unit():
    caption = fit("model_selection", MOONS, **NEAREST).last.caption
    assert caption.startswith("k = 3 is chosen: 16.7 % wrong on held-out points, standard error ")
    assert caption.split("standard error ")[1].split(";")[0].endswith(" %")
