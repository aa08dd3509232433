"""What a frame needs before it can be drawn: fields and scores of its model, worked out in any thread. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from algorithms.contract import Algorithm, DataError
from algorithms.data import Data
from mlviz.session.rasters import Raster, RasterRequest, Slot
from mlviz.session.scoring import Scores
from mlviz.session.value_scoring import ValueScores
from mlviz.worker import evaluation, raster
from mlviz.worker.evaluation import EvaluationRequest, predicts_values, scores_classes

EVALUATIONS = {
    "evaluation": "Evaluation: all four pictures",
    "histogram": "Evaluation: scores of each class",
    "roc": "Evaluation: ROC curve",
    "precision_recall": "Evaluation: precision and recall",
    "confusion": "Evaluation: confusion matrix",
}
VALUE_EVALUATIONS = {
    "evaluation": "Evaluation: all four pictures",
    "fitted": "Evaluation: fitted against true values",
    "residuals": "Evaluation: residuals over fitted values",
    "qq": "Evaluation: quantiles of the residuals",
    "residual_histogram": "Evaluation: histogram of the residuals",
}
ALL_EVALUATIONS = EVALUATIONS | VALUE_EVALUATIONS
"""Of a classifier and of a regression method."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The fields and the scores."""

    rasters: Mapping[Slot, Raster]
    scores: Scores | ValueScores | None = None


@dataclass(frozen=True, slots=True)
class ModelQueries:
    """Questions to the model of one frame."""

    rasters: Mapping[Slot, RasterRequest]
    scores: EvaluationRequest | None = None

    def answered(self) -> Answers:
        """Work everything out, in this thread; what goes wrong is raised."""
        found: dict[Slot, Raster] = {}
        for slot, request in self.rasters.items():
            found[slot] = raster.evaluate(request)
            error = found[slot].error
            if error is not None:
                raise error
        return Answers(found, None if self.scores is None else _scores(self.scores))


def _scores(request: EvaluationRequest) -> Scores | ValueScores:
    found = evaluation.evaluate(request)
    if found.error is not None:
        raise found.error
    if found.scores is None:
        raise DataError(found.refusal)
    return found.scores


def views_of(method: Algorithm, data: Data | None = None) -> dict[str, str]:
    """What can be drawn: the whole figure (empty key), each panel, the curves and the evaluation; with titles."""
    suited = method.panels if data is None else method.panels_on(data)
    panels = {panel.key: panel.title for panel in suited}
    views = {"": "The whole figure", **panels, "curves": "Metric curves"}
    if data is not None and scores_classes(method, data):
        return views | EVALUATIONS
    return views | VALUE_EVALUATIONS if data is not None and predicts_values(method, data) else views
