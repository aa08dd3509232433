"""What is held out has no say in the scale of the features: for every method that holds points out by itself.

To scale scaled features anew gives what scaling the given ones would. So whoever sets the scale by the points in
training alone comes to the same numbers when the features were stretched and moved before; whoever keeps the scale of
all points does not.
"""

import contextlib
import re
from dataclasses import replace
from itertools import islice, takewhile

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, PolynomialFeatures, StandardScaler

from algorithms import DataError, Points, all_algorithms, find, fit
from algorithms.classification.k_nearest.solver import errors_over_k
from algorithms.data.scaling import rescaled, scaled, without_each
from algorithms.ensembles.cascade.solver import split
from algorithms.marks import Curve
from algorithms.maths.cross_validation import Working, sweep_lambda
from algorithms.maths.dictionaries import LARGEST
from algorithms.maths.linear_model import predict
from algorithms.maths.linear_problem import linear_problem
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import made_folds, own_folds
from algorithms.regression.kernel_ridge.solver import Refits
from mlviz.data.spec import load_data

SCALERS = [("standardised", StandardScaler), ("0 to 1", MinMaxScaler)]
HELD_OUT = re.compile(r"held.out|validat|left.out|leave-one-out|out.of.bag|-fold|split", re.IGNORECASE)
"""How numbers are called that points without a say have brought about."""
BY_GRID = {"lasso"}
"""Their errors are over a grid of λ that the columns of all points set: only an oracle can be compared with."""
HOLDS_OUT = {
    "adaboost",
    "bagging",
    "cascade",
    "component_regression",
    "cross_validation",
    "decision_tree",
    "gradient_boosting",
    "k_nearest",
    "kernel_ridge",
    "lasso",
    "linear_regression",
    "mlp",
    "model_selection",
    "random_forest",
    "robust_regression",
}
"""Those that are known to: that they are found by their words shows that others would be."""
FRAMES = 150


def table(n=36):
    """Two features whose scale a few points set, and values that both have a part in."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) * [1.0, 20.0]
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] / 20.0 + 0.3 * rng.normal(size=n)
    X[[3, 17]] *= 9.0
    return X, y


def points_for(algorithm):
    X, y = table()
    return Points(X, y) if algorithm.target == "values" else Points(X, (y > 0.0).astype(int), classes=("a", "b"))


def supervised():
    return [one for one in all_algorithms() if Points in one.accepts and one.target != "none"]


def asked(algorithm):
    """Everything is shown, and points are held out where that can be chosen."""
    found = {}
    for field in algorithm.fields:
        if field.kind == "bool":
            found[field.name] = True
        elif field.kind in ("int", "float") and field.default == 0 and HELD_OUT.search(f"{field.name} {field.doc}"):
            found[field.name] = 4 if field.kind == "int" else 0.3
    return found


def held_out_numbers(algorithm, data, params, until=""):
    """What the last frame before a phase says of points that were held out: numbers, and curves as (2, m) tables."""
    frames = algorithm.start(data, algorithm.make_params(params), 0)
    *_, last = islice(takewhile(lambda frame: frame.phase != until, frames), FRAMES)
    names = [metric.name for metric in algorithm.metrics if HELD_OUT.search(f"{metric.name} {metric.label}")]
    curves = {
        f"{view}: {mark.name}": np.array([mark.x, mark.y])
        for view, marks in last.views.items()
        for mark in marks
        if isinstance(mark, Curve) and HELD_OUT.search(mark.name)
    }
    return {name: np.array([[0.0], [last.metrics[name]]]) for name in names} | curves


def stretched(data):
    """The same points and the same kind of scale, as if they had been given in other units."""
    unit, zero = np.resize([8.0, 0.25], data.d), np.resize([3.0, -2.0], data.d)
    return replace(data, X=data.X * unit + zero)


def refuse_a_say(algorithm, data, params):
    """The numbers do not change with the units; how many of them could be compared."""
    ours, theirs = (held_out_numbers(algorithm, one, params, "lambda") for one in (data, stretched(data)))
    assert ours.keys() == theirs.keys()
    same = [name for name in ours if ours[name][0].tolist() == theirs[name][0].tolist()]
    for name in same:
        np.testing.assert_allclose(ours[name][1], theirs[name][1], rtol=1e-4, atol=1e-9, err_msg=f"{name} {params}")
    return len(same)


COMPARED = sorted({one.key for one in supervised()} - BY_GRID)


@pytest.mark.parametrize("kind", ["standardised", "0 to 1"])
@pytest.mark.parametrize("key", COMPARED)
def test_the_units_of_the_document_do_not_matter_to_what_is_held_out(key, kind):
    """The words tell: a method whose numbers are called so is one that holds points out."""
    algorithm = find(key)
    compared = refuse_a_say(algorithm, scaled(points_for(algorithm), kind)[0], asked(algorithm))
    assert compared or key not in HOLDS_OUT


def test_a_method_that_keeps_the_scale_of_all_points_is_found(monkeypatch):
    """The closed form of leaving one out, on points that all of them have scaled."""
    monkeypatch.setattr(Refits, "of", lambda *_: None)
    algorithm = find("kernel_ridge")
    with pytest.raises(AssertionError, match="loo"):
        refuse_a_say(algorithm, scaled(points_for(algorithm), "0 to 1")[0], {"sweep": False})


LIGHTER = {
    "kernel_ridge": {"sweep": False},
    "model_selection": {"method": "k_nearest", "repeats": 1},
    "robust_regression": {"penalty": "ridge"},  # without it several curves are as good as each other
}


@pytest.mark.parametrize("key", COMPARED)
def test_nor_with_any_other_choice(key):
    """Every choice that a method has, one at a time: another learner, another kernel, another distance."""
    algorithm, compared = find(key), 0
    data, _ = scaled(points_for(algorithm), "standardised")
    params = asked(algorithm) | LIGHTER.get(key, {})
    if key not in HOLDS_OUT and not held_out_numbers(algorithm, data, params):
        return  # the same with any choice: there is nothing to compare
    for field in algorithm.fields:
        for choice in field.choices if field.kind == "choice" else ():
            with contextlib.suppress(DataError):  # not every choice suits these points
                compared += refuse_a_say(algorithm, data, params | {field.name: choice})
    assert compared or not any(field.kind == "choice" for field in algorithm.fields)


# --- by retraining, with the scales of scikit-learn -------------------------------------------------------------------


def retrained(key, X, y, parts, scaler, **params):
    """The mean over the parts of the mean loss of this method where each is held out, in training and held out."""
    loss = Loss("huber") if key == "robust_regression" else Loss()
    means = []
    for part in parts:
        inside = np.delete(np.arange(len(X)), part)
        seen = scaler().fit(X[inside]).transform(X)
        values = fit(key, Points(seen[inside], y[inside]), sweep=False, **params).predict(seen)
        each = loss.each(y - values)
        means.append((each[inside].mean(), each[part].mean()))
    return np.mean(means, axis=0)


@pytest.mark.parametrize(("kind", "scaler"), SCALERS)
@pytest.mark.parametrize(
    ("key", "view", "params"),
    [
        ("linear_regression", "lam", {"degree": 3, "penalty": "ridge"}),
        ("linear_regression", "lam", {"degree": 1, "penalty": "ridge", "intercept": "none"}),
        ("linear_regression", "lam", {"degree": 2, "penalty": "ridge", "intercept": "penalised"}),
        ("linear_regression", "lam", {"degree": 2, "penalty": "ridge", "columns": "standardised"}),
        ("linear_regression", "lam", {"degree": 2, "penalty": "ridge", "dictionary": "sine and cosine"}),
        ("linear_regression", "lam", {"degree": 2, "penalty": "ridge", "dictionary": "wavelets"}),
        ("linear_regression", "degree", {"degree": 2, "penalty": "ridge", "lam": 3.0}),
        ("linear_regression", "degree", {"degree": 2, "penalty": "ridge", "lam": 3.0, "dictionary": "log"}),
        ("lasso", "lam", {"degree": 2}),
        ("lasso", "lam", {"degree": 2, "columns": "standardised"}),
        ("robust_regression", "degree", {"degree": 1, "penalty": "ridge", "lam": 3.0, "loss": "huber"}),
        ("component_regression", "components", {"degree": 2}),
        ("component_regression", "components", {"degree": 2, "columns": "standardised"}),
    ],
    ids=str,
)
def test_error_curves_are_those_of_retraining(key, view, params, kind, scaler):
    """Functions of features that each fold has scaled, whatever they are: powers, waves, logarithms, steps."""
    X, y = table()
    algorithm = find(key)
    *_, last = algorithm.start(scaled(Points(X, y), kind)[0], algorithm.make_params(params), 3)
    training, validation, *_ = last.views[{"lam": "lambdas", "degree": "degrees"}.get(view, view)]
    parts = np.array_split(np.random.default_rng(3).permutation(len(X)), 5)
    for place in range(0, 33, 8) if view == "lam" else range(len(training.x)):
        setting = training.x[place] if view == "lam" else int(training.x[place])
        oracle = retrained(key, X, y, parts, scaler, **params | {view: setting})
        rtol = 1e-3 if key == "robust_regression" else 1e-8  # it ends as soon as the cost hardly changes
        np.testing.assert_allclose((training.y[place], validation.y[place]), oracle, rtol, err_msg=str(setting))


def test_the_columns_of_a_fold_are_those_of_a_pipeline():
    """The same by scikit-learn alone: its scales, its powers, its ridge and its lasso."""
    X, y = table()
    parts = np.array_split(np.random.default_rng(3).permutation(len(X)), 5)
    powers = PolynomialFeatures(2, include_bias=False)
    inside_size = len(X) - np.array([len(part) for part in parts])
    for kind, scaler in SCALERS:
        data, _ = scaled(Points(X, y), kind)
        for key, params in (("linear_regression", {"degree": 2, "penalty": "ridge"}), ("lasso", {"degree": 2})):
            algorithm = find(key)
            *_, last = algorithm.start(data, algorithm.make_params(params), 3)
            _, validation, *_ = last.views["lambdas"]
            errors = []
            for part, size in zip(parts, inside_size.tolist(), strict=True):
                lam = float(validation.x[12])
                model = Ridge(lam) if key != "lasso" else Lasso(lam / (2 * size), tol=1e-12, max_iter=10**6)
                inside = np.delete(np.arange(len(X)), part)
                theirs = make_pipeline(scaler(), powers, model).fit(X[inside], y[inside])
                errors.append(np.mean((theirs.predict(X[part]) - y[part]) ** 2))
            assert validation.y[12] == pytest.approx(np.mean(errors), rel=1e-7)


def test_a_long_step_of_a_fold_is_drawn_where_the_points_are(monkeypatch):
    """Its functions are of features in its own scale; asked about rows of the document it gives its own answers."""
    monkeypatch.setattr("algorithms.maths.cross_validation.HEAVY", 1.0)
    X, y = table()
    data, _ = scaled(Points(X[:, :1], y), "0 to 1")
    algorithm = find("robust_regression")
    params = algorithm.make_params({"degree": 2, "loss": "huber"})
    problem = linear_problem(data, params, "")
    folds = own_folds(problem, made_folds(problem, np.random.default_rng(0), wanted=True), 2)
    swept = sweep_lambda(problem.columns, y, True, Loss("huber"), [Penalty()], folds)
    *_, step = (found for found in swept if isinstance(found, Working) and found.fold == 4)
    rest, own = rescaled(data.rows(np.delete(np.arange(data.n), folds.parts[3])))
    theirs = fit("robust_regression", rest, degree=2, loss="huber", sweep=False)
    ours = predict(problem.model(step.intercept, step.beta, step.dictionary), data.X)
    np.testing.assert_allclose(ours, theirs.predict(own.applied(data.X)), rtol=1e-3, atol=1e-4)
    frames = list(algorithm.start(data, params, 0))
    assert any("without part 4" in frame.caption and frame.views["plane"] for frame in frames)


def test_a_fold_whose_powers_leave_the_range_of_numbers_ends_the_curve():
    """Nine points that hardly differ and one far away: without it, it is 1e40 of their deviations away."""
    X = np.append(np.linspace(0.0, 1e-40, 9), 1.0)[:, None]
    data = replace(scaled(Points(X, np.arange(10.0)), "standardised")[0], X=X)
    problem = linear_problem(data, find("linear_regression").make_params({"degree": 3}), "")
    folds = made_folds(problem, np.random.default_rng(0), wanted=True)
    assert own_folds(problem, folds, 2) is not None
    assert own_folds(problem, folds, 3) is None  # 1e120 is beyond the largest
    assert LARGEST == 1e100
    *_, last = find("linear_regression").start(data, problem.functions, 0)
    assert last.views["degrees"][1].x.tolist() == [0.0, 1.0, 2.0]
    *_, last = find("kernel_ridge").start(data, find("kernel_ridge").make_params({"kernel": "polynomial"}), 0)
    assert 1e100 < last.metrics["loo"] < np.inf


@pytest.mark.parametrize(
    ("kind", "scaler", "features"),
    [
        *[(*one, features) for one in SCALERS for features in ("as they are", "from 0 to 1")],
        ("given", FunctionTransformer, "from 0 to 1"),  # which leaves them as they are
    ],
)
def test_kernel_ridge_leaves_out_every_point_by_a_fit_in_the_scale_of_the_others(kind, scaler, features):
    X, y = table(30)
    data, _ = scaled(Points(X, y), kind)
    algorithm = find("kernel_ridge")
    frames = list(algorithm.start(data, algorithm.make_params({"sigma": 0.5, "lam": 0.2, "features": features}), 0))
    left_out = frames[-1].shown.left_out

    def by_hand(sigma, lam):
        errors = []
        for i in range(len(X)):
            rest = np.delete(np.arange(len(X)), i)
            steps = [scaler(), *([MinMaxScaler()] if features == "from 0 to 1" else [])]
            model = make_pipeline(*steps, KernelRidge(alpha=lam, kernel="rbf", gamma=0.5 / sigma**2))
            errors.append(y[i] - model.fit(X[rest], y[rest]).predict(X[i : i + 1])[0])
        return np.array(errors)

    np.testing.assert_allclose(frames[-1].model.left_out, by_hand(0.5, 0.2), rtol=1e-9, atol=1e-12)
    assert frames[-1].metrics["loo"] == pytest.approx(np.square(by_hand(0.5, 0.2)).mean(), rel=1e-9)
    for row, column in ((0, 5), (left_out.current, 20), (8, 12)):
        oracle = np.square(by_hand(left_out.sigmas[row], left_out.lambdas[column])).mean()
        assert left_out.errors[row, column] == pytest.approx(oracle, rel=1e-9)
    assert "30 fits" in next(frame.caption for frame in frames if frame.phase == "loo")
    assert fit("kernel_ridge", data, sigma=0.5).explain(4).keys() >= {"prediction without this point"}


def test_of_many_points_kernel_ridge_leaves_out_parts(monkeypatch):
    """Then it says so, and each part is judged by the fit to the others."""
    monkeypatch.setattr("algorithms.regression.kernel_ridge.solver.MOST_LEFT_OUT", 20)
    X, y = table()
    data, _ = scaled(Points(X, y), "standardised")
    algorithm = find("kernel_ridge")
    frames = list(algorithm.start(data, algorithm.make_params({"sigma": 0.5, "intercept": "free"}), 7))
    model = frames[-1].model
    parts = np.array_split(np.random.default_rng(7).permutation(len(X)), 10)
    for part in parts:
        inside = np.delete(np.arange(len(X)), part)
        seen = StandardScaler().fit(X[inside]).transform(X)
        theirs = fit("kernel_ridge", seen[inside], y[inside], sigma=0.5, intercept="free", sweep=False)
        np.testing.assert_allclose(model.left_out[part], y[part] - theirs.predict(seen[part]), rtol=1e-9, atol=1e-12)
    assert "10 fits" in next(frame.caption for frame in frames if frame.phase == "loo")
    assert frames[-1].views["loo"][1].name == "10-fold, σ in use"
    assert "prediction without its part of the points" in algorithm.explain(model, data, data.item(0))


@pytest.mark.parametrize(("kind", "scaler"), SCALERS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("labelled", [True, False])
def test_neighbours_of_a_left_out_point_are_near_in_the_scale_of_the_others(kind, scaler, metric, labelled):
    X, y = table()
    y = (y > 0.0).astype(int) if labelled else y
    data, _ = scaled(Points(X, y, classes=("a", "b") if labelled else ()), kind)
    found = errors_over_k(data, metric, "distance", 9)
    for k in (1, 4, 9):
        errors = []
        for i in range(len(X)):
            rest = np.delete(np.arange(len(X)), i)
            learner = (KNeighborsClassifier if labelled else KNeighborsRegressor)(k, metric=metric, weights="distance")
            answer = make_pipeline(scaler(), learner).fit(X[rest], y[rest]).predict(X[i : i + 1])[0]
            errors.append(float(answer != y[i]) if labelled else (answer - y[i]) ** 2)
        assert found.left_out[k - 1] == pytest.approx(np.mean(errors), rel=1e-9)


@pytest.mark.parametrize("kind", ["standardised", "0 to 1"])
@pytest.mark.parametrize("far", [1.0, 1e3, 1e12])
def test_the_scales_without_each_point_are_those_of_the_others(kind, far):
    """Also where one point is nearly all of the deviation, and where a feature is a code or never changes."""
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(12, 2)), np.full(12, 0.1), rng.integers(0, 3, 12)])
    X[5, 0], X[6:, 1] = far, X[6, 1]
    X[:6, 1] = X[0, 1]
    data = Points(X, categories={3: ("a", "b", "c")}, scale=kind)
    shifts, factors = without_each(data)
    for i in range(12):
        _, own = rescaled(data.rows(np.delete(np.arange(12), i)))
        np.testing.assert_allclose(factors[i], own.factor, rtol=1e-7)
        np.testing.assert_allclose((shifts[i] - own.shift) / own.factor, 0.0, atol=1e-7)


@pytest.mark.parametrize(("kind", "scaler"), SCALERS)
@pytest.mark.parametrize("labelled", [True, False])
def test_every_bag_of_neighbours_sets_the_scale_anew(kind, scaler, labelled):
    X, y = table()
    y = (y > 0.0).astype(int) if labelled else y
    data, _ = scaled(Points(X, y, classes=("a", "b") if labelled else ()), kind)
    model = fit("bagging", data, base="k nearest", k=3, trees=12).model
    total, asked_of = np.zeros((len(X), 2 if labelled else 1)), np.zeros(len(X))
    for number, bag in enumerate(np.concatenate(model.bags)):
        rows, out = np.repeat(np.arange(len(X)), bag), np.flatnonzero(bag == 0)
        learner = (KNeighborsClassifier if labelled else KNeighborsRegressor)(3, algorithm="brute")
        theirs = make_pipeline(scaler(), learner).fit(X[rows], y[rows])
        answers = theirs.predict_proba(X) if labelled else theirs.predict(X)[:, None]
        assert model.trees.answers(number, data.X) == pytest.approx(answers.argmax(1) if labelled else answers[:, 0])
        total[out] += answers[out]
        asked_of[out] += 1
    judged = asked_of > 0
    means = total[judged] / asked_of[judged, None]
    wrong = np.round(means, 9).argmax(1) != y[judged] if labelled else np.square(means[:, 0] - y[judged]) / y.var()
    assert model.oob_error == pytest.approx(wrong.mean())


@pytest.mark.parametrize(("kind", "scaler"), SCALERS)
@pytest.mark.parametrize("normalise", [True, False])
def test_the_pixels_of_a_cascade_are_scaled_by_the_pictures_it_learns_from(kind, scaler, normalise):
    """The rates are those on pictures given in that scale; those held out are brighter, which does not matter."""
    given = load_data("masks(n=200,fraction=0.3,seed=1)")
    held = split(given.two_sides(""), 0.25, np.random.default_rng(0))
    bright = replace(given, X=np.where(held[:, None], 3.0 * given.X + 0.5, given.X))
    params = {"stages": 2, "stumps": 3, "mining": False, "normalise": normalise}
    ours = fit("cascade", scaled(bright, kind)[0], **params).model
    own = scaler().fit(given.X[~held])
    learned = fit("cascade", replace(given, X=own.transform(np.where(held[:, None], 0.5, given.X))), **params).model
    np.testing.assert_allclose(ours.rates, learned.rates)
    assert [stage.asks.tolist() for stage in ours.stages] == [stage.asks.tolist() for stage in learned.stages]
    answers = find("cascade").predict(ours, scaled(bright, kind)[0].X)
    passed = [answers[held & (given.two_sides("") == side)].mean() for side in (1.0, -1.0)]
    assert passed == pytest.approx(ours.held_out.prod(axis=0))
