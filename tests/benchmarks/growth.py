"""How the time of a run grows with the number of points, against what theory says of the method.

It is CPU time: a neighbour that comes or goes while the sizes are doubled would bend the curve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms import find
from algorithms.clustering.agglomerative.solver import MOST_POINTS
from algorithms.data import Points
from mlviz.data.generators import generate
from mlviz.data.generators.declare import MAX_POINTS
from tests.benchmarks.record import Effort, Row, cpu_seconds, words

RUN_SECONDS = 1.0
"""Sizes are doubled until a run takes as long as this."""


@dataclass(frozen=True, slots=True)
class Law:
    """A method with a fixed number of steps, and the exponent of n that its textbook gives."""

    key: str
    theory: float
    why: str
    make: Callable[[int], Points]
    params: dict[str, Any]
    least: int = 500
    largest: int = 256_000


def _many(name: str, n: int, **values: Any) -> Points:
    """A generated data set of any size, in pieces of what the generator offers."""
    pieces = [
        generate(name, n=min(n - first, MAX_POINTS), seed=1 + number, **values)
        for number, first in enumerate(range(0, n, MAX_POINTS))
    ]
    X, y = np.concatenate([piece.X for piece in pieces]), np.concatenate([piece.y for piece in pieces])
    return Points(X, y, classes=pieces[0].classes)


def _moons(n: int) -> Points:
    return _many("moons", n, noise=0.3)


def _blobs(n: int) -> Points:
    return _many("blobs", n, centres=5, noise=4)


def _pair(n: int) -> Points:
    return _many("blobs", n, centres=2, noise=4)


def _line(n: int) -> Points:
    return _many("polynomial", n, noise=0.25, degree=3)


def _roll(n: int) -> Points:
    return generate("swiss_roll", n=n, noise=0, seed=1)


def _wide(n: int) -> Points:
    rng = np.random.default_rng(1)
    return Points(rng.normal(size=(n, 64)) * np.linspace(5.0, 1.0, 64))


LAWS = (
    Law("k_means", 1, "n k d a step", _blobs, {"k": 5, "max_steps": 40}),
    Law("gaussian_mixture", 1, "n k d² a step", _blobs, {"k": 5, "max_steps": 40, "init": "random points"}),
    # Up to the most points it takes: below two thousand its n frames take longer than the distances.
    Law("agglomerative", 2, "nearest-neighbour chain: n²", _blobs, {}, least=625, largest=MOST_POINTS),
    Law("decision_tree", 1.1, "n log n", _moons, {"depth": 6}),
    Law("logistic_regression", 1, "n d² a step", _pair, {"lam": 1.0, "max_steps": 8}),
    Law("kernel_svm", 1, "n a pair, rows of the kernel as needed", _moons, {"max_steps": 200, "patience": 0}),
    Law("mlp", 1, "n an epoch", _moons, {"epochs": 4, "validation": 0.0, "patience": 0}),
    # Below a thousand points the fixed price of its forty frames is most of the time, which says nothing about n.
    Law("isomap", 2.1, "Dijkstra from n points: n² log n", _roll, {}, least=1250, largest=5000),
    Law("mds", 2, "all pairs: n²", _roll, {}, least=500, largest=4000),
    Law("pca", 1, "n d²", _wide, {}),
    Law("gradient_descent", 1, "n a step", _pair, {"surface": "logistic loss of the data", "max_steps": 20}),
    Law("linear_regression", 1, "n p²", _line, {"degree": 5, "penalty": "ridge", "sweep": False}),
)


def measure(effort: Effort) -> list[Row]:
    """One line a method, and the worst of them."""
    rows = [_law(law, effort) for law in LAWS[: 3 if effort.quick else None]]
    worst = max(rows, key=lambda row: row.ratio)
    summary = Row(
        "growth",
        f"worst method: {worst.case}",
        "theoretical exponent",
        worst.ours,
        worst.theirs,
        worst.ratio,
        0.3,
        detail={"ratio": "distance of the exponents"},
    )
    return [*rows, summary]


def _law(law: Law, effort: Effort) -> Row:
    sizes, times = _times(law, effort)
    # The smallest runs are mostly the fixed price of a step; theory speaks of what comes after.
    exponent = float(np.polyfit(np.log(sizes[-3:]), np.log(times[-3:]), 1)[0])
    steps = ", ".join(f"{n:,}: {words(t)}" for n, t in zip(sizes, times))
    return Row(
        "growth",
        f"{law.key}, n = {sizes[0]:,} to {sizes[-1]:,}",
        f"theory: {law.why}",
        f"n^{exponent:.2f}",
        f"n^{law.theory:g}",
        abs(exponent - law.theory),
        0.3,
        summary=False,
        detail={"times": steps, "whole range": float(np.polyfit(np.log(sizes), np.log(times), 1)[0])},
    )


def _times(law: Law, effort: Effort) -> tuple[list[int], list[float]]:
    """The smallest CPU time at each size; the sizes go round and round, so that a cold cache meets all of them."""
    algorithm = find(law.key)
    params = algorithm.make_params(law.params)
    sizes, times = [], []
    n = effort.size(law.least, 60)
    most = effort.size(law.largest, 240)
    while n <= most:
        data = law.make(n)
        times.append(cpu_seconds(lambda data=data: _exhaust(algorithm, data, params)))
        sizes.append(n)
        if times[-1] > RUN_SECONDS and len(sizes) >= 3:
            break
        n *= 2
    for _ in range(effort.many(1, 0)):
        for number, n in enumerate(sizes):
            data = law.make(n)
            taken = cpu_seconds(lambda data=data: _exhaust(algorithm, data, params))
            times[number] = min(times[number], taken)
    return sizes, times


def _exhaust(algorithm: Any, data: Points, params: Any) -> None:
    for _ in algorithm.start(data, params, 0):
        pass
