"""The same problems given to our ensembles and to SciPy or scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import bootstrap
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from mlviz.data.generators import generate
from tests.benchmarks.match import Match, wrong_less

FOREST = {"trees": 100, "depth": 8, "shuffle": False, "map": False}
ADABOOST = {"base": "tree", "depth": 1, "rounds": 50}
BOOSTING = {"rounds": 100, "rate": 0.1, "depth": 3, "validation": 0.0}
THEIR_BOOSTING = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 3, "random_state": 0}


def matches(n: int) -> Iterator[Match]:
    """Every ensemble on so many points."""
    yield _bootstrap(n)
    yield _bagging(n)
    yield _random_forest(n)
    yield _adaboost(n)
    yield _boosted_values(n)
    yield _boosted_classes(n)
    yield _cascade(n)


def classifiers() -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Those that shade the plane, for the field."""
    yield "random_forest", FOREST, _forest()
    yield "adaboost", ADABOOST, _stumps()
    yield "gradient_boosting", BOOSTING, GradientBoostingClassifier(**THEIR_BOOSTING)


def _forest() -> RandomForestClassifier:
    return RandomForestClassifier(100, max_depth=8, random_state=0)


def _random_forest(n: int) -> Match:
    """Ours works out the out-of-bag error after every tree as well, and that of one tree for comparison."""
    data = generate("moons", n=n, noise=0.3, seed=1)
    return Match("random_forest", "100 trees of depth 8", data, FOREST, _forest(), wrong_less, 0.02)


def _bagging(n: int) -> Match:
    data = generate("moons", n=n, noise=0.3, seed=1)
    theirs = BaggingClassifier(DecisionTreeClassifier(max_depth=8), n_estimators=60, random_state=0)
    return Match("bagging", "60 trees of depth 8", data, {"trees": 60, "depth": 8}, theirs, wrong_less, 0.02)


def _stumps() -> AdaBoostClassifier:
    return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=50, random_state=0)


class SciPyBootstrap(BaseEstimator):
    """SciPy's percentile interval for the mean of the first column, as something that is fitted."""

    def __init__(self, resamples: int) -> None:
        self.resamples = resamples

    def fit(self, X: Any, y: Any = None) -> SciPyBootstrap:
        """Draw the resamples, a hundred at a time so that memory does not decide."""
        rng = np.random.default_rng(0)
        resamples, column = {"n_resamples": self.resamples, "batch": 100}, np.ascontiguousarray(X[:, 0])
        self.result_ = bootstrap((column,), np.mean, **resamples, method="percentile", vectorized=True, rng=rng)
        return self


def _adaboost(n: int) -> Match:
    """Trees of depth 1 by Gini's index on both sides."""
    data = generate("circles", n=n, noise=0.2, seed=1)
    return Match("adaboost", "50 trees of depth 1", data, ADABOOST, _stumps(), wrong_less, 0.01)


def _boosted_values(n: int) -> Match:
    """The same cuts and the same steps, so nearly the same sum."""
    data = generate("sine", n=n, noise=0.3, periods=1.5, seed=1)
    estimator = GradientBoostingRegressor(**THEIR_BOOSTING)
    case = "squared loss, 100 trees of depth 3"
    return Match(
        "gradient_boosting",
        case,
        data,
        BOOSTING,
        estimator,
        lambda ours, theirs: float(np.abs(theirs.predict(data.X) - ours.predict(data.X)).max() / np.ptp(data.y)),
        0.05,
    )


def _boosted_classes(n: int) -> Match:
    data = generate("moons", n=n, noise=0.3, seed=1)
    estimator = GradientBoostingClassifier(**THEIR_BOOSTING)
    case = "two classes, 100 trees of depth 3"
    return Match("gradient_boosting", case, data, BOOSTING, estimator, wrong_less, 0.01)


class OneStage(BaseEstimator):
    """A stage of a cascade with scikit-learn: boosted stumps, both classes of equal weight, a lowered threshold."""

    def __init__(self, stumps: int, detection: float) -> None:
        self.stumps, self.detection = stumps, detection

    def fit(self, X: Any, y: Any) -> OneStage:
        """Boost, and keep so many of the targets."""
        weights = 0.5 / np.bincount(y)[y]
        stumps = DecisionTreeClassifier(max_depth=1)
        boosted = AdaBoostClassifier(stumps, n_estimators=self.stumps, random_state=0).fit(X, y, weights)
        scores = boosted.decision_function(X)
        threshold = min(np.quantile(scores[y == 1], 1.0 - self.detection, method="lower"), 0.0)
        self.false_positives_ = float((scores[y == 0] >= threshold).mean())
        return self


def _cascade(n: int) -> Match:
    """One stage of 20 stumps: ours are of least weighted error, theirs by Gini's index."""
    data = generate("blobs_imbalanced", n=n, noise=1.5, centres=2, imbalance=20, spread=2, seed=3)
    params = {"stages": 1, "stumps": 20, "false_positives": 0.01, "held_out": 0.0}
    return Match(
        "cascade",
        "one stage of 20 stumps, detection 0.99",
        data,
        params,
        OneStage(20, 0.99),
        lambda ours, theirs: float(ours.model.rates[0, 1] - theirs.false_positives_),
        0.1,
    )


def _bootstrap(n: int) -> Match:
    """The same resamples from the same seed, so the same interval."""
    return Match(
        "bootstrap",
        "mean, 1,000 resamples, percentile interval",
        generate("blobs", n=n, noise=2, seed=1),
        {"resamples": 1000},
        SciPyBootstrap(1000),
        lambda ours, theirs: float(np.abs(np.subtract(theirs.result_.confidence_interval, ours.model.interval)).max()),
        1e-9,
    )
