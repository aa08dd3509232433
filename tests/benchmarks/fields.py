"""The plane shaded by a classifier: our raster against scikit-learn's predict on the same grid."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from algorithms import find, fit
from algorithms.data import Points
from mlviz.data.generators import generate
from mlviz.data.spec import load_data
from mlviz.session.projection import PrincipalPlane, Projection
from mlviz.session.rasters import RasterRequest, Rect, cell_centres
from mlviz.worker.raster import evaluate
from tests.benchmarks import ensembles
from tests.benchmarks.opponents import classifiers, name_of
from tests.benchmarks.record import Effort, Row, duel_for, words

RECT = (-2.0, 3.0, -1.5, 2.0)


def measure(effort: Effort) -> list[Row]:
    """One line a classifier, forests also on a plane through many features, and the worst of them."""
    warnings.simplefilter("ignore")  # scikit-learn's remarks about its own iterations
    side = 256 if not effort.quick else 16
    data = generate("moons", n=effort.size(2000, 100), noise=0.3, seed=1)
    flat = Projection.of(data, (0, 1))
    rows = [_row(data, flat, RECT, side, classifier, effort) for classifier in classifiers()]
    wines = load_data("wine()")
    plane = Projection.of(wines, PrincipalPlane.of(wines))
    seen = plane.project(wines.X)
    low, high = seen.min(axis=0).tolist(), seen.max(axis=0).tolist()
    rect = (low[0], high[0], low[1], high[1])
    rows += [_row(wines, plane, rect, side, classifier, effort) for classifier in ensembles.classifiers()]
    worst = max(rows, key=lambda row: row.ratio)
    case = f"worst classifier: {worst.case}"
    return [*rows, Row("field", case, worst.opponent, worst.ours, worst.theirs, worst.ratio, 1.0)]


def _row(
    data: Points,
    projection: Projection,
    rect: Rect,
    side: int,
    classifier: tuple[str, dict[str, Any], Any],
    effort: Effort,
) -> Row:
    key, params, estimator = classifier
    across, up = np.meshgrid(cell_centres(*rect[:2], side), cell_centres(*rect[2:], side))
    grid = projection.lift(np.column_stack([across.ravel(), up.ravel()]))
    ours, theirs = fit(key, data, **params), estimator.fit(data.X, data.y)
    request = RasterRequest(find(key), ours.model, "field", projection, rect, ((side, side),))
    taken = duel_for(lambda: evaluate(request), lambda: theirs.predict(grid), effort.seconds(4.0), 15)
    differ = float(np.mean(ours.predict(grid) != theirs.predict(grid)))
    best = [float(times.min()) for times in taken]
    where = "" if projection.plane is None else f", the plane of two components of {data.d} features"
    return Row(
        "field",
        f"{key}, n = {data.n:,}, {side}² cells{where}",
        f"scikit-learn {name_of(theirs)}.predict",
        words(best[0]),
        words(best[1]),
        best[0] / best[1],
        1.0,
        summary=False,
        detail={"statistic": "smallest", "cells predicted differently": differ, "params": params},
    )
