"""What a frame needs before it can be drawn: fields and scores of its model, worked out in any thread. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from algorithms.contract import Algorithm, DataError
from algorithms.data import Data
from mlviz.session.rasters import Raster, RasterRequest, Slot
from mlviz.session.scoring import Scores
from mlviz.worker import evaluation, raster
from mlviz.worker.evaluation import EvaluationRequest, can_evaluate

EVALUATIONS = {
    "evaluation": "Evaluation: all four pictures",
    "histogram": "Evaluation: scores of each class",
    "roc": "Evaluation: ROC curve",
    "precision_recall": "Evaluation: precision and recall",
    "confusion": "Evaluation: confusion matrix",
}


@dataclass(frozen=True, slots=True)
class Answers:
    """The fields and the scores."""

    rasters: Mapping[Slot, Raster]
    scores: Scores | None = None


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


def _scores(request: EvaluationRequest) -> Scores:
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
    return views | EVALUATIONS if data is not None and can_evaluate(method, data) else views
