"""The spectrum kernel and its machine, every frame yielded, against counts of pieces and a linear machine."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC

from algorithms import fit
from mlviz.data.spec import load_data
from tests.benchmarks.record import Effort, Row, duel_for, words


def measure(effort: Effort) -> list[Row]:
    """Few short texts, and many."""
    specs = ("subjects()", f"motifs(n={effort.size(1000, 40)},length=60,mutations=0,seed=1)")
    return [_fit(spec, effort) for spec in specs]


def _fit(spec: str, effort: Effort) -> Row:
    data = load_data(spec)
    counts = CountVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False)
    machine = make_pipeline(counts, Normalizer(), SVC(kernel="linear", C=1.0, tol=1e-3))
    model = fit("string_kernel", data, kind="spectrum").model
    ours_f = model.machines.decisions(model.gram)[:, 0]
    reached = float(np.abs(ours_f - machine.fit(data.texts, data.y).decision_function(data.texts)).max())
    ours, theirs = duel_for(
        lambda: fit("string_kernel", copy.copy(data), kind="spectrum"),
        lambda: machine.fit(data.texts, data.y),
        effort.seconds(2.0),
        25,
    )
    best = float(ours.min()), float(theirs.min())
    detail = {"largest difference of f": reached, "same machine": bool(reached <= 2e-2)}
    case = f"string_kernel, n = {data.n:,}: spectrum"
    numbers = words(best[0]), words(best[1]), best[0] / best[1]
    return Row("fit", case, "scikit-learn CountVectorizer, SVC.fit", *numbers, 3.0, summary=False, detail=detail)
