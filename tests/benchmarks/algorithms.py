"""Whole runs, every step yielded, against scikit-learn's fit; and how soon a run can be ended."""

from __future__ import annotations

import copy
import time
import warnings

import numpy as np

from algorithms import all_algorithms, fit
from algorithms.contract import Algorithm, DataError
from algorithms.data import Points
from mlviz.data.generators.declare import MAX_POINTS
from mlviz.data.spec import Recipe, find_source, load_data, parse_spec
from mlviz.worker.engine import Engine
from tests.benchmarks.opponents import Match, matches, name_of
from tests.benchmarks.record import Effort, Row, duel_for, geometric_mean, words


def measure(effort: Effort) -> list[Row]:
    """The fits, then the cancellations."""
    warnings.simplefilter("ignore")  # scikit-learn's remarks about its own iterations
    return [*_fits(effort), *_cancels(effort)]


def _fits(effort: Effort) -> list[Row]:
    rows = [_fit(match, effort) for match in matches(effort.size(1000, 120), effort.size(10_000, 150))]
    mean = geometric_mean([row.ratio for row in rows])
    worst = max(rows, key=lambda row: row.ratio / (row.reach or 1.0))
    opponent = "scikit-learn's fit"
    return [
        *rows,
        Row("fit", f"geometric mean of {len(rows)} fits", opponent, f"{mean:.2f}", "1", mean, 1.0),
        Row("fit", f"worst: {worst.case}", opponent, worst.ours, worst.theirs, worst.ratio, worst.reach),
    ]


def _fit(match: Match, effort: Effort) -> Row:
    data, target = match.data, match.target
    reached = match.gap(
        fit(match.key, data, seed=match.seed, **match.params),
        match.estimator.fit(data.X) if target is None else match.estimator.fit(data.X, target),
    )
    ours, theirs = duel_for(
        lambda: fit(match.key, copy.copy(data), seed=match.seed, **match.params),  # another one: nothing is remembered
        lambda: match.estimator.fit(data.X, target),
        effort.seconds(2.0),
        25,
    )
    best = float(ours.min()), float(theirs.min())
    return Row(
        "fit",
        f"{match.key}, n = {data.n:,}: {match.case}",
        f"scikit-learn {name_of(match.estimator)}.fit",
        words(best[0]),
        words(best[1]),
        best[0] / best[1],
        match.reach,
        summary=False,
        detail={
            "statistic": "smallest",
            "rounds": len(ours),
            "gap of the objectives": reached,
            "same objective": bool(reached <= match.tolerance),
            "ratio of medians": float(np.median(ours) / np.median(theirs)),
        },
    )


def _cancels(effort: Effort) -> list[Row]:
    """Each method at the most points it takes, ended at several moments of its run."""
    rows = [_cancel(algorithm, effort) for algorithm in all_algorithms()[: 2 if effort.quick else None]]
    worst = max(rows, key=lambda row: row.ratio)
    case = f"worst method: {worst.case}"
    return [*rows, Row("cancel", case, "100 ms", worst.ours, "100 ms", worst.ratio, 1.0, detail=worst.detail)]


def _cancel(algorithm: Algorithm, effort: Effort) -> Row:
    engine_data, n = _largest(algorithm, effort)
    moments = [0.02] if effort.quick else [0.02, 0.1, 0.3, 0.7, 1.5]
    waits = []
    for moment in moments:
        # the better of two, because a thread that waits for its turn behind other programs is not our doing
        waits.append(min(_time_to_end(algorithm, engine_data, moment) for _ in range(effort.many(2, 1))))
    worst = max(waits)
    return Row(
        "cancel",
        f"{algorithm.key} at n = {n:,}",
        "100 ms",
        words(worst),
        "100 ms",
        worst / 0.1,
        1.0,
        summary=False,
        detail={"ms by moment in s": {str(m): round(w * 1e3, 1) for m, w in zip(moments, waits)}},
    )


LARGEST_OF = {"graph": "scale_free(n=1000,links=5)"}
"""Data of other kinds than points on which runs are ended; without one, the example of the method."""


def _largest(algorithm: Algorithm, effort: Effort) -> tuple[object, int]:
    """The example with as many points as the generators offer, or as many as the method accepts."""
    recipe = parse_spec(algorithm.example)
    most = next((field.high for field in find_source(recipe.name).fields if field.name == "n"), None)
    if most is None or Points not in algorithm.accepts:
        data = load_data(LARGEST_OF.get(algorithm.data_kinds[0].kind, algorithm.example))
        return data, data.n
    for n in (MAX_POINTS, 50_000, 20_000, 10_000, 5_000, 2_000):
        n = effort.size(min(n, int(most)), 300)
        data = Recipe(recipe.name, {**recipe.values, "n": n}).make()
        if _accepts(algorithm, data):
            return data, n
    raise ValueError(f"{algorithm.title} takes not even 2,000 points")


def _accepts(algorithm: Algorithm, data: object) -> bool:
    run = algorithm.start(data, algorithm.make_params({}), 0)
    try:
        next(run)
    except DataError:
        return False
    finally:
        run.close()
    return True


def _time_to_end(algorithm: Algorithm, data: object, moment: float) -> float:
    """From asking to the end of the thread, when that is asked so many seconds after the beginning."""
    engine = Engine(algorithm, copy.copy(data), {}, 0)  # another one: nothing is remembered
    engine.hurry()
    engine.begin()
    deadline = time.perf_counter() + moment
    while time.perf_counter() < deadline and not engine.ended:
        time.sleep(0.002)
    began = time.perf_counter()
    engine.cancel()
    engine.join()
    return time.perf_counter() - began
