"""What the frames of one linear regression have in common: the design, the models made of it, captions and views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Snapshot
from algorithms.dataset import Array, DataError, Points
from algorithms.marks import Bars, Curve, Highlight, Mark
from algorithms.regression._dictionary import LARGEST, Dictionary, column_count, make_dictionary
from algorithms.regression._regression_marks import ErrorCurve, Path, Plane, coefficient_bars, residual_plot
from algorithms.regression._regression_model import Band, Model, predict, spread_of
from algorithms.regression._solvers import Design, Loss, Penalty, fitted
from algorithms.regression._subsets import Choice
from algorithms.regression._sweeps import Folds, degree_errors, lambda_grid, sweep_lambda

if TYPE_CHECKING:
    from algorithms.regression.linear_regression import Params

OWNER = "Linear regression"
FEWEST = 4
"""Fewer points than this cannot be split into training and validation."""
_SWEPT_DEGREES = {1: 10, 2: 6}
_SWEPT_LEVELS = 5  # wavelets double their number with each
_SWEPT_COLUMNS = 120
_DOUBTFUL = 1e12


class Stage:
    """One run: its data, its columns, the best model so far and the curves that have been drawn."""

    def __init__(self, data: Points, params: Params, rng: np.random.Generator) -> None:
        self.data, self.params = data, params
        self.y = data.values(OWNER)
        if not np.abs(self.y).max() < LARGEST:
            raise DataError("The target is too large for a sum of squares; scale it first.")
        self.dictionary = self._dictionary(params.degree)
        self.names = self.dictionary.names
        self.centred = params.intercept == "free"
        self._functions = self.dictionary.columns(data.X)  # (n, p)
        self.columns = self._with_ones(self._functions)
        self.penalty, self.loss = self.penalty_at(params.lam), Loss(params.loss, params.delta, params.tau)
        self.design = Design.of(self.columns, self.y, self.centred)
        self.mean = self.design.y_mean
        self.plane = Plane.of(data, self.y)
        enough = data.n >= FEWEST and params.sweep
        self.folds = Folds.of(data.n, params.folds, rng) if enough else None
        self.warning = ""
        self.views: dict[str, tuple[Mark, ...]] = {}
        self.curve: ErrorCurve | None = None
        self.lambda_curve: ErrorCurve | None = None
        self.rings: tuple[Mark, ...] = ()
        self._staircase: list[tuple[float, float]] = []
        self._shown: tuple[Model, dict[str, tuple[Mark, ...]], dict[str, float]] | None = None
        self.final = self.model_of(0.0, np.zeros(self.columns.shape[1]))

    def _dictionary(self, degree: int) -> Dictionary:
        params, data = self.params, self.data
        standardised = params.columns == "standardised"
        return make_dictionary(
            params.dictionary, degree, data.X, data.features, params.period, params.width, standardised
        )

    def _with_ones(self, columns: Array) -> Array:
        if self.params.intercept != "penalised":
            return columns
        return np.column_stack([np.ones(len(columns)), columns])

    def penalty_at(self, lam: float) -> Penalty:
        """The penalty for a value of λ."""
        share = {"none": 0.0, "ridge": 0.0, "lasso": 1.0, "elastic net": self.params.mix}[self.params.penalty]
        return Penalty() if self.params.penalty == "none" else Penalty(lam * share, lam * (1.0 - share))

    # -- models ----------------------------------------------------------------------------------------------------

    def model_of(self, intercept: float, beta: Array, dictionary: Dictionary | None = None) -> Model:
        """A model of raw coefficients; a penalised intercept is the first of them."""
        dictionary = dictionary or self.dictionary
        if self.params.intercept == "penalised":
            intercept, beta = float(beta[0]), beta[1:]
        return Model(dictionary, float(intercept), np.array(beta), names=dictionary.names)

    def from_scaled(self, b: Array) -> Model:
        """A model of coefficients of the columns of length 1."""
        return self.model_of(*self.design.coefficients(b))

    def from_raw(self, beta: Array) -> Model:
        """A model of coefficients of the centred columns."""
        return self.model_of(self.mean - float(self.design.means @ beta), beta)

    def raw_centred(self) -> tuple[Array, Array]:
        """The columns as they are, only centred, and the centred target."""
        return self.design.Z * self.design.lengths, self.design.y

    def warm(self, start: Model | None) -> Array:
        """Scaled coefficients to begin with: those of the start where it has the same columns, otherwise zeros."""
        pair = self.warm_pair(start)
        return np.zeros(self.columns.shape[1]) if pair is None else pair[1] * self.design.lengths

    def warm_pair(self, start: Model | None) -> tuple[float, Array] | None:
        """The intercept and raw coefficients of the start, where it has the same columns."""
        if start is None or start.names != self.names:
            return None
        if self.params.intercept == "penalised":
            return 0.0, np.concatenate([[start.intercept], start.coefficients])
        return start.intercept, start.coefficients

    def settle(self, model: Model, chosen: tuple[int, ...] | None = None) -> None:
        """Make it the fit; from here on it has a band, which takes a chosen subset as given."""
        params, spread = self.params, None
        if params.band != "none":
            residuals = self.y - self._fitted(model)
            band = Band(params.confidence, params.band == "for new points")
            design = self.design if chosen is None else self.design.only(chosen)
            spread = spread_of(design, self.penalty, self.loss, residuals, band, self.centred)
        self.final = replace(model, spread=spread)
        self._doubt_the_columns()

    def _doubt_the_columns(self) -> None:
        """Say so when the columns nearly depend on each other: S60, the condition number of Φ'Φ."""
        if self.loss.kind != "squared" or self.penalty.l1 or not self.columns.shape[1]:
            return
        raw, _ = self.raw_centred()
        s = np.linalg.svd(raw, compute_uv=False)
        eigenvalues = np.append(s**2, np.zeros(raw.shape[1] - len(s))) + self.penalty.l2
        condition = float(eigenvalues.max() / max(eigenvalues.min(), 1e-60 * eigenvalues.max(), np.finfo(float).tiny))
        normal = self.params.solver == "normal equation"
        if condition > 1e30 and not self.warning:
            self.doubt(
                "The columns depend on each other, so that many coefficients fit equally well; this is one of them."
            )
        elif condition > _DOUBTFUL and normal:
            digits = min(round(np.log10(condition)), 16)
            words = f"The condition number of Φ'Φ is {condition:.1g}"
            self.doubt(f"{words}, so the normal equation loses about {digits} of 16 digits; QR loses half of that.")

    def doubt(self, sentence: str) -> None:
        """Warn in all frames from here on."""
        if sentence not in self.warning:
            self.warning = f"{self.warning} {sentence}".strip()

    # -- frames ----------------------------------------------------------------------------------------------------

    def frame(self, model: Model, phase: str, caption: str, extra: tuple[Mark, ...] = ()) -> Snapshot:
        """A model in every view; what a model looks like is worked out once, however many frames it is on show."""
        if self._shown is None or self._shown[0] is not model:
            self._shown = (model, self._views_of(model), self._metrics_of(model))
        _, views, metrics = self._shown
        plane = (*views["plane"], *extra)
        return Snapshot(model, {**self.views, **views, "plane": plane}, metrics, phase, caption, self.warning)

    def _views_of(self, model: Model) -> dict[str, tuple[Mark, ...]]:
        fitted = self._fitted(model)
        name = "fit" if model.spread is None else f"fit, {100 * self.params.confidence:.3g} % band"
        views = {
            "plane": self.plane.marks(model, fitted, self.params.residuals, name),
            "residuals": residual_plot(fitted, self.y - fitted),
        }
        if len(model.coefficients):
            views["coefficients"] = (coefficient_bars(model, coloured=self.params.penalty != "none"),)
        return views

    def _fitted(self, model: Model) -> Array:
        if model.dictionary is not self.dictionary:
            return predict(model, self.data.X)
        return np.asarray(model.intercept + self._functions @ model.coefficients)

    def _metrics_of(self, model: Model) -> dict[str, float]:
        residuals, beta = self.y - self._fitted(model), model.coefficients
        priced = np.append(beta, model.intercept) if self.params.intercept == "penalised" else beta
        return {
            "objective": float(self.loss.each(residuals).sum()) + self.penalty.of(priced),
            "mse": float(np.mean(residuals**2)),
            "norm": float(np.linalg.norm(beta)),
            "nonzero": int(np.count_nonzero(beta)),
        }

    @property
    def objective(self) -> float:
        """Of the frame before."""
        return float("nan") if self._shown is None else self._shown[2]["objective"]

    def opening(self, start: Model | None) -> Snapshot:
        """The first frame: no coefficients yet, or those of the model to go on from."""
        if start is not None:
            return self.frame(replace(start, spread=None), "design", "It goes on from the fit before the change.")
        count = len(self.names)
        words = f"{count} function{'s' if count != 1 else ''} of {' and '.join(self.data.features[:3])}"
        return self.frame(
            self.final, "design", f"{words}; all coefficients are 0, so that each residual is the target."
        )

    def column_frame(self, k: int, model: Model, nothing_new: bool, directions: bool = False) -> Snapshot:
        """The fit with the first k columns."""
        before = self.objective
        frame = self.frame(model, "direction" if directions else "column", "?.")
        now = frame.metrics["objective"]
        if k == 0:
            what = "The intercept alone is the mean"
        else:
            name = self._column_name(k - 1)
            what = f"{name} joins: the best fit with {k} column{'s' if k > 1 else ''}"
            if nothing_new:
                what = f"{name} says nothing that the columns before it have not said"
        return replace(frame, caption=f"{what}; the objective goes from {before:.4g} to {now:.4g}.")

    def direction_frame(self, k: int, model: Model, eigenvalues: Array, share: Array) -> Snapshot:
        """The fit with the k longest singular directions."""
        names = tuple(f"{value:.1g}" for value in eigenvalues.tolist())
        self.views["directions"] = (Bars(share, names),)
        before = self.objective
        frame = self.frame(model, "direction", "?.")
        what = f"Direction {k} of Φ has d = {eigenvalues[k - 1]:.3g}"
        if share[k - 1] == 0.0:
            what += ", which is rounding: it is left out"
        elif self.penalty.l2:
            what += f" and keeps the share d / (d + λ) = {share[k - 1]:.3g}"
        return replace(
            frame, caption=f"{what}; the objective goes from {before:.4g} to {frame.metrics['objective']:.4g}."
        )

    def subset_frame(self, model: Model, choice: Choice) -> Snapshot:
        """After one choice of subset selection, with the staircase so far."""
        self._staircase.append((float(len(choice.columns)), choice.rss))
        at, rss = np.array(self._staircase).T
        self.views["subsets"] = (Curve(at, rss, f"{self.params.subset}", dots=True),)
        names = ", ".join(self._column_name(j) for j in choice.columns[:6]) or "none"
        more = ", ..." if len(choice.columns) > 6 else ""
        words = f"{len(choice.columns)} in use ({names}{more}), the best of {choice.tried} tried"
        return self.frame(model, "subset", f"{words}; the sum of squares is {choice.rss:.4g}.")

    def coordinate_frame(self, j: int, model: Model, before: Array, correlation: float, threshold: float) -> Snapshot:
        """After one coefficient of the first sweep."""
        shift = 1 if self.params.intercept == "penalised" else 0
        length = float(self.design.lengths[j])
        value = model.coefficients[j - shift] if j >= shift else model.intercept
        old = before[j - shift] if j >= shift else 0.0
        words = f"{self._column_name(j)}: h'r = {correlation * length:.3g}, threshold {threshold * length:.3g}"
        return self.frame(model, "coordinate", f"{words}, so β goes from {old:.3g} to {value:.3g}.")

    def sweep_frame(self, sweeps: int, model: Model, violation: float, finish: bool = False) -> Snapshot:
        """After whole sweeps of coordinate descent, or after the exact step that finishes a slow one."""
        zeros = int(np.count_nonzero(model.coefficients == 0.0))
        words = f"Sweep {sweeps}: {zeros} of {len(model.coefficients)} coefficients are 0"
        if finish:
            words = f"After {sweeps} sweeps the signs are taken as known, which leaves linear equations: solved exactly"
        return self.frame(model, "sweep", f"{words}; the optimality conditions are violated by {violation:.2g}.")

    def reweight_frame(self, number: int, model: Model, weights: Array) -> Snapshot:
        """After one weighted fit; the points that count less are ringed."""
        if self.loss.kind == "huber":
            outside = np.flatnonzero(weights < 1.0)
            words = f"{len(outside)} points are further than δ = {self.params.delta:.3g} away"
            words += f" and count less, down to {weights.min():.2g}" if len(outside) else ""
        else:
            outside = np.flatnonzero(weights == weights.max())
            words = f"{len(outside)} points lie on the dearer side"
        self.rings = (Highlight(outside, "bound", "counts less" if self.loss.kind == "huber" else "dearer side"),)
        return self.frame(model, "reweight", f"Weighted fit {number}: {words}.", self.rings)

    def done(self) -> Snapshot:
        """The fit with everything that is known about it."""
        model = self.final
        frame = self.frame(model, "done", "?.", self.rings)
        words = f"f = {formula(model)}; the mean squared residual is {frame.metrics['mse']:.4g}"
        if model.spread is not None:
            words += f", σ = {model.spread.sigma:.3g}"
        for curve, name in ((self.lambda_curve, "λ"), (self.curve, "degree")):
            if curve is not None and curve.at:
                words += f". Held-out points favour {name} = {curve.best:.3g}"
                break
        return replace(frame, caption=words + ".")

    def _column_name(self, j: int) -> str:
        if self.params.intercept == "penalised":
            return "The column of ones" if j == 0 else self.names[j - 1]
        return self.names[j]

    # -- sweeps ----------------------------------------------------------------------------------------------------

    def degrees(self) -> Iterator[Snapshot]:
        """The same fit for every degree, and its error on held-out points."""
        if self.folds is None:
            return
        curve = self.curve = ErrorCurve("degree", float(self.params.degree), self._floor())
        for degree in range(self._top_degree() + 1):
            try:
                dictionary = self._dictionary(degree)
            except DataError:  # values too large for this power: the curve ends here
                return
            columns = self._with_ones(dictionary.columns(self.data.X))
            errors = degree_errors(columns, self.y, self.centred, self.penalty, self.loss, self.folds)
            curve.add(float(degree), errors)
            model = self.model_of(*fitted(columns, self.y, self.centred, self.penalty, self.loss), dictionary)
            self.views["degrees"] = curve.marks()
            caption = (
                f"Degree {degree}: the error is {errors.training:.3g} in training, {errors.validation:.3g} held out."
            )
            yield self.frame(self.final, "degree", caption, self._ghost(model, "with this degree"))

    def _top_degree(self) -> int:
        kind, d = self.params.dictionary, self.data.d
        top = _SWEPT_LEVELS if kind == "wavelets" else _SWEPT_DEGREES.get(d, 3)
        while top > 1 and column_count(kind, top, d) > _SWEPT_COLUMNS:
            top -= 1
        return max(top, self.params.degree)

    def lambdas(self) -> Iterator[Snapshot]:
        """The same fit for every λ, from the strongest penalty to the weakest."""
        if self.params.penalty == "none" or not len(self.names):
            return
        share = self.penalty_at(1.0).l1
        grid = lambda_grid(self.design, share, self.params.lam)
        path = Path(self.names, self.params.lam)
        curve = self.lambda_curve = ErrorCurve("lam", self.params.lam, self._floor()) if self.folds else None
        penalties = [self.penalty_at(lam) for lam in grid.tolist()]
        walk = sweep_lambda(self.columns, self.y, self.centred, self.loss, penalties, self.folds)
        for lam, (intercept, beta, errors) in zip(grid.tolist(), walk, strict=True):
            model = self.model_of(intercept, beta)
            path.add(lam, model.coefficients)
            self.views["path"] = path.marks()
            caption = f"λ = {lam:.3g}: {np.count_nonzero(model.coefficients)} coefficients are not 0"
            if curve is not None and errors is not None:
                curve.add(lam, errors)
                self.views["lambdas"] = curve.marks()
                caption += f"; the error is {errors.training:.3g} in training, {errors.validation:.3g} held out"
            yield self.frame(self.final, "lambda", caption + ".", self._ghost(model, "with this λ"))

    def _ghost(self, model: Model, name: str) -> tuple[Mark, ...]:
        """The curve that is being tried, beside the fit; its name has no number, or the legend would flicker."""
        return (self.plane.curve(model, name),) if self.data.d == 1 else ()

    def _floor(self) -> float:
        """The least error that is drawn: on a logarithmic axis there is no zero."""
        return max(1e-12 * float(np.var(self.y)), 1e-300)


def formula(model: Model, most: int = 4) -> str:
    """The fit in letters, with its largest terms."""
    order = np.argsort(-np.abs(model.coefficients), kind="stable")
    shown = sorted(j for j in order[:most].tolist() if model.coefficients[j] != 0.0)
    text = f"{model.intercept:.3g}"
    for j in shown:
        value = float(model.coefficients[j])
        text += f" {'-' if value < 0 else '+'} {abs(value):.3g} {model.names[j]}"
    return text + (" + ..." if np.count_nonzero(model.coefficients) > len(shown) else "")
