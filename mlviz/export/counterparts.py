"""The same method in scikit-learn, where it has one: source code for a script, by algorithm key. No Qt.

This is the one place that knows both worlds. A function here looks at the run and gives the nearest estimator, or None
when these parameters have no counterpart. Nothing here imports scikit-learn: it is only written about.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms import contract
from algorithms.contract import Algorithm, Counterpart
from algorithms.counterpart import SAME_VALUES
from algorithms.data import Data, Points
from algorithms.maths.design import Design, count_directions
from algorithms.maths.dictionaries import KERNELS, MOST_CENTRES, build_dictionary


@dataclass(frozen=True, slots=True)
class Case:
    """The run for which a counterpart is wanted."""

    algorithm: Algorithm
    data: Points
    params: Any
    seed: int

    def first_model(self, ready: Callable[[Any], bool]) -> Any:
        """The first state that satisfies a condition: where the random beginning has ended."""
        begin = functools.partial(self.algorithm.start, self.data, self.params, self.seed)
        return contract.Case(self.data, self.seed, begin).first_model(ready)


def counterpart(algorithm: Algorithm, data: Data, params: Any, seed: int) -> Counterpart | None:
    """The nearest estimator elsewhere, or None when there is none for this method and these parameters."""
    if algorithm.counterpart is not None:
        begin = functools.partial(algorithm.start, data, params, seed)
        return algorithm.counterpart(params, contract.Case(data, seed, begin))
    make = _BY_KEY.get(algorithm.key)
    return None if make is None or not isinstance(data, Points) else make(Case(algorithm, data, params, seed))


def _linear_regression(case: Case) -> Counterpart | None:
    params, n = case.params, case.data.n
    usual = params.loss == "squared" and params.columns == "as they are" and params.intercept != "penalised"
    principal = params.subset == "principal components" and params.intercept == "free"
    usual = usual and (params.subset == "all columns" or params.penalty != "none" or principal)
    if params.dictionary in KERNELS:
        return _kernel_ridge(case) if usual else None
    if params.dictionary != "polynomial" or not usual or params.degree == 0:
        return None
    free = f"fit_intercept={params.intercept == 'free'}"
    estimators = {
        "none": f"LinearRegression({free})",
        "ridge": f"Ridge(alpha={params.lam!r}, {free})",
        "lasso": f"Lasso(alpha={params.lam / (2 * n)!r}, {free}, tol=1e-10, max_iter=1_000_000)",
    }
    if params.penalty not in estimators:
        return None
    estimator = estimators[params.penalty]
    imports = (
        f"from sklearn.linear_model import {estimator.partition('(')[0]}\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import PolynomialFeatures"
    )
    if principal and params.penalty == "none":
        imports = f"from sklearn.decomposition import PCA\n{imports}"
        estimator = f"PCA({_directions(case)}), {estimator}"
    make = f"make_pipeline(PolynomialFeatures({params.degree}, include_bias=False), {estimator})"
    return Counterpart(imports, make, SAME_VALUES, "largest difference of a prediction, by the range of y")


def _directions(case: Case) -> int:
    """How many directions the run uses; its parameter may leave that to the data."""
    functions = build_dictionary("polynomial", case.params.degree, case.data.X, case.data.features)[1]
    design = Design.of(functions, np.zeros(case.data.n), centred=True)
    s = np.linalg.svd(design.Z * design.lengths, compute_uv=False)
    return count_directions(s, max(design.Z.shape), case.params.components)


def _kernel_ridge(case: Case) -> Counterpart | None:
    """Only without an intercept, which it does not have, and while every point has its own term."""
    params = case.params
    if params.penalty != "ridge" or params.intercept != "none" or params.degree == 0 or case.data.n > MOST_CENTRES:
        return None
    gammas = {
        "gaussian kernel": 0.5 * (params.degree / params.width) ** 2,
        "laplacian kernel": params.degree / params.width,
    }
    names = {"gaussian kernel": "rbf", "laplacian kernel": "laplacian"}
    if params.dictionary == "polynomial kernel":
        make = f"KernelRidge(alpha={params.lam!r}, kernel='poly', degree={params.degree}, gamma=1.0, coef0=1.0)"
    else:
        kernel, gamma = names[params.dictionary], gammas[params.dictionary]
        make = f"make_pipeline(MinMaxScaler(), KernelRidge(alpha={params.lam!r}, kernel={kernel!r}, gamma={gamma!r}))"
    imports = (
        "from sklearn.kernel_ridge import KernelRidge\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import MinMaxScaler"
    )
    return Counterpart(imports, make, SAME_VALUES, "largest difference of a prediction, by the range of y")


_BY_KEY: dict[str, Callable[[Case], Counterpart | None]] = {
    "linear_regression": _linear_regression,
}
