"""A sweep of the kernel SVM over C and σ with five folds, against scikit-learn's grid search with as many processes."""

from __future__ import annotations

import numpy as np
from joblib.externals.loky import get_reusable_executor
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from algorithms.executor import Executor, Inline
from algorithms.maths.sweeps import Sweep, parse_axis
from algorithms.maths.validation import splits
from algorithms.method_choice import parse_method
from mlviz.data.spec import load_data
from mlviz.worker.processes import Processes
from tests.benchmarks.record import Effort, Row, duel, words


def measure(effort: Effort) -> list[Row]:
    """One process and two, and how much faster two are."""
    sweep = _asked(effort)
    pool = Processes(2)
    try:
        list(sweep.run(pool))  # starts the processes
        rows = [_against(sweep, executor, effort) for executor in (Inline(), pool)]
        return [*rows, _both(sweep, pool, effort)]
    finally:
        pool.close()
        get_reusable_executor().shutdown(kill_workers=True)  # joblib's, which would keep our output open for minutes


def _asked(effort: Effort) -> Sweep:
    data, method = load_data(f"moons(n={effort.size(300, 40)},noise=0.3,seed=1)"), parse_method("kernel_svm")
    count = 2 if effort.quick else 20
    axes = tuple(parse_axis(f"{over}:log:{count}", method.algorithm) for over in ("C=0.01..100", "sigma=0.05..5"))
    return Sweep(method, axes, data, splits(data, "stratified", np.random.default_rng(0), 5))


def _against(sweep: Sweep, executor: Executor, effort: Effort) -> Row:
    widths = [0.5 / sigma**2 for sigma in sweep.axes[1].values]
    grid = {"C": list(sweep.axes[0].values), "gamma": widths}
    search = GridSearchCV(SVC(tol=1e-3), grid, cv=5, refit=False, n_jobs=executor.workers)
    ours, theirs = duel(
        lambda: list(sweep.run(executor)),
        lambda: search.fit(sweep.data.X, sweep.data.y),
        effort.many(2, 1),
        warm=0,
    )
    best = float(ours.min()), float(theirs.min())
    cells = len(sweep.axes[0].values) * len(sweep.axes[1].values)
    case = f"kernel_svm, {cells} cells x 5 folds, n = {sweep.data.n}, processes: {executor.workers}"
    return Row("sweep", case, "scikit-learn GridSearchCV.fit", *map(words, best), best[0] / best[1], 1.5)


def _both(sweep: Sweep, pool: Executor, effort: Effort) -> Row:
    """The time of two processes as a part of that of one; at most 1 / 1.7."""
    two, one = duel(lambda: list(sweep.run(pool)), lambda: list(sweep.run(Inline())), effort.many(3, 1), warm=0)
    best = float(two.min()), float(one.min())
    return Row("sweep", "two processes instead of one", "one process", *map(words, best), best[0] / best[1], 1 / 1.7)
