"""The plane shaded by a classifier: our raster against scikit-learn's predict on the same grid."""

from __future__ import annotations

import warnings

import numpy as np

from algorithms import find, fit
from mlviz.data.generators import generate
from mlviz.session.projection import Projection
from mlviz.session.rasters import RasterRequest, cell_centres
from mlviz.worker.raster import evaluate
from tests.benchmarks.opponents import classifiers, name_of
from tests.benchmarks.record import Effort, Row, duel_for, words

RECT = (-2.0, 3.0, -1.5, 2.0)


def measure(effort: Effort) -> list[Row]:
    """One line a classifier, and the worst of them."""
    warnings.simplefilter("ignore")  # scikit-learn's remarks about its own iterations
    n, side = effort.size(2000, 100), 256 if not effort.quick else 16
    data = generate("moons", n=n, noise=0.3, seed=1)
    projection = Projection.of(data, (0, 1))
    across, up = np.meshgrid(cell_centres(*RECT[:2], side), cell_centres(*RECT[2:], side))
    grid = np.column_stack([across.ravel(), up.ravel()])
    rows = []
    for key, params, estimator in classifiers():
        ours = fit(key, data, **params)
        theirs = estimator.fit(data.X, data.y)
        request = RasterRequest(find(key), ours.model, "field", projection, RECT, ((side, side),))
        taken = duel_for(
            lambda request=request: evaluate(request),
            lambda theirs=theirs: theirs.predict(grid),
            effort.seconds(4.0),
            15,
        )
        differ = float(np.mean(ours.predict(grid) != theirs.predict(grid)))
        best = [float(times.min()) for times in taken]
        rows.append(
            Row(
                "field",
                f"{key}, n = {n:,}, {side}² cells",
                f"scikit-learn {name_of(theirs)}.predict",
                words(best[0]),
                words(best[1]),
                best[0] / best[1],
                1.0,
                summary=False,
                detail={"statistic": "smallest", "cells predicted differently": differ, "params": params},
            )
        )
    worst = max(rows, key=lambda row: row.ratio)
    case = f"worst classifier: {worst.case}"
    return [*rows, Row("field", case, worst.opponent, worst.ours, worst.theirs, worst.ratio, 1.0)]
