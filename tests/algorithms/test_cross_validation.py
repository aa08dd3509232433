"""Cross-validation: by hand, against scikit-learn's splits, what cheating buys, both levels, and the locked third."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from algorithms import DataError, Points, fit
from algorithms.data.scaling import scaled
from algorithms.evaluation.cross_validation.solver import Preparation, relevance
from algorithms.executor import Inline, use_by_default
from mlviz.data.generators import generate
from mlviz.worker.processes import Processes

MOONS = generate("moons", n=45, noise=0.3, seed=3)
NOISE = generate("uniform", n=60, classes=2, features=50, seed=1)


def test_leave_one_out_by_hand():
    """The mean of the others misses 1, 2 and 6 by 3, 1.5 and 4.5: mean square (9 + 2.25 + 20.25) / 3 = 10.5."""
    data = Points.of([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0], "values")
    found = fit("cross_validation", data, method="linear_regression(degree=0)", scheme="leave-one-out")
    assert found.model.errors == pytest.approx([9.0, 2.25, 20.25])
    assert found.model.mean == pytest.approx(10.5)
    assert found.model.held_out == pytest.approx([4.0, 3.5, 1.5])


def test_leave_one_out_is_that_of_scikit_learn():
    found = fit("cross_validation", MOONS, method="k_nearest(k=3)", scheme="leave-one-out")
    theirs = cross_val_score(KNeighborsClassifier(3), MOONS.X, MOONS.y, cv=LeaveOneOut())
    assert np.array_equal(found.model.errors, 1.0 - theirs)


def test_every_point_was_held_out_once_and_is_explained():
    found = fit("cross_validation", MOONS, method="gaussian_classifier", folds=5)
    assert np.bincount(found.model.fold_of).tolist() == [9] * 5
    wrong = found.model.held_out != MOONS.y
    assert found.model.mean == pytest.approx(wrong.mean())
    first = found.explain(0)
    assert first["held out in split"] == found.model.fold_of[0] + 1
    assert first["class"] == MOONS.classes[MOONS.y[0]]


@pytest.mark.parametrize("preparation", ["standardise", "best features"])
def test_what_is_held_out_has_no_say_in_the_preparation(preparation):
    learn = NOISE.rows(np.arange(40))
    own = Preparation.of(learn, preparation, 3)
    moved = NOISE.with_rows(np.concatenate([NOISE.X[:40], 100.0 + NOISE.X[40:]]), NOISE.y)
    again = Preparation.of(moved.rows(np.arange(40)), preparation, 3)
    assert np.array_equal(own.rows(NOISE.X), again.rows(NOISE.X))


def test_relevance_by_hand():
    """A feature that is the class explains everything, a constant and a balanced one nothing."""
    y = np.array([0, 0, 1, 1])
    X = np.column_stack([y, np.ones(4), [0.0, 1.0, 0.0, 1.0]])
    assert relevance(Points.of(X, y)) == pytest.approx([1.0, 0.0, 0.0])
    assert relevance(Points.of(X, y.astype(float), "values")) == pytest.approx([1.0, 0.0, 0.0])


def test_cheating_on_noise_buys_optimism():
    noise = generate("uniform", n=40, classes=2, features=50, seed=4)
    asked = {"method": "gaussian_classifier(covariance='nearest mean')", "preparation": "best features", "features": 10}
    cheat, honest = fit("cross_validation", noise, cheat=True, **asked), fit("cross_validation", noise, **asked)
    assert np.array_equal(cheat.model.honest, honest.model.errors)
    assert cheat.model.mean < honest.model.mean - 0.1
    assert "too good" in cheat.last.warning
    assert "Prepared without the held-out points it is" in cheat.last.caption
    assert honest.last.warning == ""


def test_nested_chooses_inside_and_judges_outside():
    found = fit("cross_validation", MOONS, method="k_nearest", scheme="nested", over="k=1,3,5", folds=3)
    assert len(found.model.errors) == len(found.model.inner) == 3
    assert "The inner errors, by which was chosen, were" in found.last.caption


def test_the_third_that_is_kept_aside_learns_nothing_and_is_asked_once():
    locked = fit("cross_validation", MOONS, method="gaussian_classifier", test="locked")
    opened = fit("cross_validation", MOONS, method="gaussian_classifier", test="open")
    kept = np.flatnonzero(locked.model.fold_of < 0)
    assert len(kept) == 15
    assert np.isnan(locked.model.test_error)
    assert np.array_equal(locked.model.errors, opened.model.errors)
    answers = opened.predict(MOONS.X[kept])
    assert opened.model.test_error == pytest.approx((answers != MOONS.y[kept]).mean())


def test_other_processes_give_the_same_frames():
    here = fit("cross_validation", MOONS, method="gaussian_classifier", folds=3)
    elsewhere = Processes(1)
    try:
        use_by_default(lambda: elsewhere)
        there = fit("cross_validation", MOONS, method="gaussian_classifier", folds=3)
    finally:
        use_by_default(Inline)
        elsewhere.close()
    assert np.array_equal(here.model.errors, there.model.errors)
    assert here.last.caption == there.last.caption


@pytest.mark.parametrize(
    ("data", "params", "sentence"),
    [
        (Points.of([[0.0], [1.0]]), {}, "needs a target to be predicted"),
        (Points.of([[0.0], [1.0]], [0, 0]), {}, "at least two classes"),
        (MOONS, {"scheme": "nested", "over": "Q=1"}, "has no parameter 'Q' to be varied"),
        (Points.of([[0.0], [1.0], [2.0]], [0, 1, 0]), {"test": "locked"}, "at least six points"),
    ],
)
def test_what_cannot_be_is_a_sentence(data, params, sentence):
    with pytest.raises(DataError, match=sentence):
        fit("cross_validation", data, **params)


# --- the scale of the document ----------------------------------------------------------------------------------------

UNEVEN = Points(
    np.random.default_rng(7).standard_t(2, (40, 3)) * [1.0, 50.0, 0.1],
    np.random.default_rng(8).normal(size=40),
)
"""Heavy tails: a point or two set the scale, so that it matters who has a say in it."""


SCALERS = {"standardised": StandardScaler, "0 to 1": MinMaxScaler}


@pytest.mark.parametrize("kind", ["standardised", "0 to 1"])
@pytest.mark.parametrize("preparation", ["none", "best features"])
def test_every_split_sets_the_scale_of_the_document_anew(kind, preparation):
    asked = {"method": "kernel_ridge", "scheme": "k-fold", "preparation": preparation, "features": 2}
    found = fit("cross_validation", scaled(UNEVEN, kind)[0], **asked).model
    for fold, error in enumerate(found.errors):
        learn, test = (np.flatnonzero(side) for side in (found.fold_of != fold, found.fold_of == fold))
        X = SCALERS[kind]().fit(UNEVEN.X[learn]).transform(UNEVEN.X)
        if preparation == "best features":
            X = X[:, np.sort(np.argsort(-relevance(UNEVEN.rows(learn)), kind="stable")[:2])]
        own = fit("kernel_ridge", Points(X[learn], UNEVEN.y[learn]))
        answers = own.predict(X[test])
        assert np.abs(found.held_out[test] - answers).max() < 1e-10
        assert error == pytest.approx(np.square(answers - UNEVEN.y[test]).mean(), rel=1e-12)


def test_the_fit_of_a_split_is_drawn_where_the_points_of_the_document_are():
    """Its scale is its own; asked about the rows of the document it gives the answers that the errors were made of."""
    data = scaled(UNEVEN, "standardised")[0]
    found = fit("cross_validation", data, method="kernel_ridge", scheme="k-fold")
    last = found.model.fold_of == found.model.splits - 1
    assert np.array_equal(found.predict(data.X[last]), found.model.held_out[last])
    opened = fit("cross_validation", data, method="kernel_ridge", scheme="k-fold", test="open")
    kept = opened.model.fold_of < 0
    X = SCALERS["standardised"]().fit(UNEVEN.X[~kept]).transform(UNEVEN.X)
    own = fit("kernel_ridge", Points(X[~kept], UNEVEN.y[~kept])).predict(X[kept])
    assert np.abs(opened.predict(data.X[kept]) - own).max() < 1e-10


def test_the_codes_of_categories_stay_codes():
    coded = Points(np.column_stack([UNEVEN.X[:, 0], np.arange(40) % 3]), UNEVEN.y, categories={1: ("a", "b", "c")})
    own = Preparation.of(scaled(coded, "standardised")[0].rows(np.arange(20)), "none", 1)
    seen = own.applied(scaled(coded, "standardised")[0])
    assert np.array_equal(seen.X[:, 1], coded.X[:, 1])
    assert (seen.categories, seen.scale) == (coded.categories, "standardised")


def test_a_feature_that_is_constant_in_training_keeps_its_unit():
    """Ten times 0.1 deviate by a rounding error, by which what is held out must not be divided."""
    data = Points(np.column_stack([np.arange(10.0), np.full(10, 0.1)]), np.arange(10) % 2, classes=("a", "b"))
    assert data.X.std(axis=0)[1] > 0.0
    own = Preparation.of(data, "standardise", 1)
    assert own.rows(np.array([[4.5, 1.1]])) == pytest.approx(np.array([[0.0, 1.0]]))


def test_nothing_is_recorded_before_it_is_known():
    found = fit("cross_validation", MOONS, method="gaussian_classifier", folds=3)
    assert np.isnan([found.metrics[name][0] for name in ("error", "mean", "spread")]).all()
    assert np.isfinite(found.metrics["mean"][1:]).all()
    assert np.isnan(found.metrics["spread"][1])  # one error has no standard deviation
    assert np.isfinite(found.metrics["spread"][2:]).all()
    assert found.model.spread == pytest.approx(found.model.errors.std())
