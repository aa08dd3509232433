"""What a frame of a regression looks like, worked out when somebody looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array
from algorithms.marks import Mark
from algorithms.maths.dictionaries import Dictionary
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.linear_model import predict
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.regression._ball import ball_marks, unit_balls
from algorithms.regression._redraw_marks import Cloud, cloud_marks, fan_marks
from algorithms.regression._regression_marks import Plane, Residuals, coefficient_bars, loss_marks, residual_plot
from algorithms.regression._space_marks import projection_marks, surface_marks


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What all frames of a run have in common."""

    plane: Plane
    dictionary: Dictionary
    functions: Array  # (n, p) the dictionary at the points
    style: Residuals
    confidence: float
    penalty: Penalty  # of the run
    pair: tuple[int, int] | None  # the coefficients in the picture of two; 0 is the intercept
    free: bool  # the intercept is fitted but not penalised
    spare: float  # points less coefficients, at least 1
    loss: Loss
    by_squares: Model | None  # for another loss: the fit by the squared one
    turned: Array | None = None  # (p, r) for principal components: the singular directions, longest first

    def fitted(self, model: Model) -> Array:
        """The values of a model at the points."""
        if model.dictionary is not self.dictionary:
            return predict(model, self.plane.data.X)
        return np.asarray(model.intercept + self.functions @ model.coefficients)


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A model that is being tried beside the fit; its name has no number, or the legend would flicker."""

    model: Model
    name: str
    penalty: Penalty | None = None  # where it is another one than that of the run


def draw(
    picture: Picture,
    model: Model,
    kept: Mapping[str, tuple[Mark, ...]],
    rings: tuple[Mark, ...],
    trial: Trial | None,
    cloud: Cloud | None,
) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame: those of the model, and those that were ``kept`` from frames before."""
    fitted, plane = picture.fitted(model), picture.plane
    if cloud is not None and plane.data.d == 1:  # the fan says more of doubt than a band, and bars would hide it
        marks = [plane.curve(replace(model, spread=None), "fit"), *fan_marks(picture, cloud), *rings]
    else:
        name = "fit" if model.spread is None else f"fit, {100 * picture.confidence:.3g} % band"
        marks = [*plane.marks(model, fitted, picture.style, name), *rings]
    if picture.by_squares is not None:
        views_of_loss = {"losses": loss_marks(picture.loss, plane.y - fitted)}
        marks += [plane.curve(picture.by_squares, "by squares", quiet=True)] if plane.data.d == 1 else []
    else:
        views_of_loss = {}
    if trial is not None and plane.data.d == 1:
        marks.append(plane.curve(trial.model, trial.name))
    views = {**kept, **views_of_loss, "plane": tuple(marks), "residuals": residual_plot(fitted, plane.y - fitted)}
    if len(model.coefficients):
        views["coefficients"] = (coefficient_bars(model, coloured=picture.penalty.priced),)
    if picture.pair is not None and model.dictionary is picture.dictionary:
        other = trial if trial is not None and trial.penalty is not None else Trial(model, "", picture.penalty)
        assert other.penalty is not None
        views["ball"] = (*ball_marks(picture, model, other.model, other.penalty), *kept.get("ball", ()))
        if picture.penalty.priced:
            views["balls"] = unit_balls(picture.penalty)
        if 0 not in picture.pair:
            views["projection"] = projection_marks(picture, model)
    if plane.data.d == 2:
        views["space"] = surface_marks(picture, model, fitted)
    if cloud is not None and picture.pair is not None:
        views["cloud"] = cloud_marks(picture, cloud)
    return views
