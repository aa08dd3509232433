"""What the frames of one linear regression have in common: the design, the models made of it, captions and views."""

from __future__ import annotations

from dataclasses import replace
from math import log, pi
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import FrozenDict, LazyViews, Snapshot
from algorithms.data import Array, DataError, Points
from algorithms.marks import Bars, Curve, Dots, Highlight, Mark
from algorithms.maths.coordinate_descent import CoordinateDescent
from algorithms.maths.cross_validation import Folds
from algorithms.maths.design import Design, count_directions
from algorithms.maths.dictionaries import LARGEST, Dictionary, build_dictionary
from algorithms.maths.linear_fits import fitted, solve
from algorithms.maths.linear_model import Band, chosen_pair, formula, noise_band, spread_of
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.power_penalty import PowerDescent, valleys
from algorithms.regression._redraw_marks import Cloud
from algorithms.regression._regression_marks import ErrorCurve, Plane, condition_number, eigenvalue_marks
from algorithms.regression._regression_views import Picture, Trial, draw
from algorithms.regression._subsets import Choice, lattice

if TYPE_CHECKING:
    from algorithms.regression.linear_regression import Params

OWNER = "Linear regression"
FEWEST = 4
"""Fewer points than this cannot be split into training and validation."""
MOST_FRAMES = 60
"""Columns are added in at most this many frames."""
_DOUBTFUL = 1e12


class Stage:
    """One run: its data, its columns, the best model so far and the curves that have been drawn."""

    def __init__(self, data: Points, params: Params, rng: np.random.Generator) -> None:
        self.data, self.params, self.rng = data, params, rng
        self.y = data.values(OWNER)
        if not np.abs(self.y).max() < LARGEST:
            raise DataError("The target is too large for a sum of squares; scale it first.")
        self.dictionary, functions = self.build(params.degree)
        self.names = self.dictionary.names
        self.centred = params.intercept == "free"
        self.columns = self.with_ones(functions)  # (n, p)
        self.penalty, self.loss = (
            self.penalty_at(params.lam),
            Loss("expectile" if params.loss == "asymmetric" else params.loss, params.delta, params.tau),
        )
        self.design = Design.of(self.columns, self.y, self.centred).reduced()
        self.mean = self.design.y_mean
        self.sigma = params.noise or self._pilot()
        self.picture = Picture(
            Plane.of(data, self.y),
            self.dictionary,
            functions,
            params.residuals,
            params.confidence,
            self.penalty,
            self._pair(),
            self.centred,
            max(1.0, float(data.n - self.columns.shape[1] - 1)),
            self.loss,
            self._by_squares(),
        )
        enough = data.n >= FEWEST and params.sweep
        self.folds = Folds.of(data.n, params.folds, rng) if enough else None
        self.warning = ""
        self.views: dict[str, tuple[Mark, ...]] = {}
        self.curve: ErrorCurve | None = None
        self.lambda_curve: ErrorCurve | None = None
        self.component_curve: ErrorCurve | None = None
        self.rings: tuple[Mark, ...] = ()
        self.cloud: Cloud | None = None
        self.least: list[str] = []  # where bias² + variance is least, in words
        self.condition = 0.0
        self._staircase: dict[int, float] = {}  # the sum of squares by the number of columns
        self._lattice: Array | None = None  # (2^p, 2) size and sum of squares of every subset, when they are few
        self._measured: tuple[Model, dict[str, float]] | None = None
        self.final = self.model_of(0.0, np.zeros(self.columns.shape[1]))

    def _pilot(self) -> float:
        """σ of the noise by least squares with these columns, never 0."""
        squares = self.design.squares(solve(self.design, Penalty()))
        sigma = (squares / max(self.data.n - self.columns.shape[1] - 1, 1)) ** 0.5
        return max(sigma, 1e-6 * float(np.std(self.y)), 1e-150)

    def build(self, degree: int) -> tuple[Dictionary, Array]:
        """The dictionary of a degree, and its functions at the points."""
        params, data = self.params, self.data
        standardised = params.columns == "standardised"
        width = params.period if params.dictionary == "sine and cosine" else params.width
        return build_dictionary(params.dictionary, degree, data.X, data.features, width, standardised)

    def _by_squares(self) -> Model | None:
        """For another loss: what the squared one would give, to be compared."""
        if self.loss.kind == "squared":
            return None
        return self.model_of(*fitted(self.columns, self.y, self.centred, self.penalty, Loss()))

    def _pair(self) -> tuple[int, int] | None:
        """The coefficients in the picture of two; for other losses than squares there are no ellipses to draw."""
        if self.params.loss != "squared":
            return None
        return chosen_pair(self.params.pair, len(self.names), self.params.intercept != "none")

    def with_ones(self, columns: Array) -> Array:
        """A penalised intercept is one more column."""
        if self.params.intercept != "penalised":
            return columns
        return np.asfortranarray(np.column_stack([np.ones(len(columns)), columns]))

    def penalty_at(self, lam: float) -> Penalty:
        """The penalty for a value of λ."""
        kind = self.params.penalty
        if kind == "none":
            principal = self.params.subset == "principal components" and self.params.loss == "squared"
            return Penalty(directions=self.params.components if principal else None)
        if kind == "power":
            return Penalty.power(lam, self.params.q)
        share = {"ridge": 0.0, "lasso": 1.0, "elastic net": self.params.mix}[kind]
        return Penalty(lam * share, lam * (1.0 - share))

    @property
    def selects(self) -> bool:
        """Whether only some of the columns are in use; the curves against the degree then have all of them."""
        params = self.params
        plain = params.penalty == "none" and params.loss == "squared" and self.penalty.directions is None
        return plain and params.subset != "all columns"

    # -- models ----------------------------------------------------------------------------------------------------

    def model_of(self, intercept: float, beta: Array, dictionary: Dictionary | None = None) -> Model:
        """A model of raw coefficients; a penalised intercept is the first of them."""
        dictionary = dictionary or self.dictionary
        if self.params.intercept == "penalised":
            intercept, beta = float(beta[0]), beta[1:]
        names = self.names if dictionary is self.dictionary else dictionary.names
        return Model(dictionary, float(intercept), np.array(beta), names=names)

    def from_scaled(self, b: Array) -> Model:
        """A model of coefficients of the columns of length 1."""
        return self.model_of(*self.design.coefficients(b))

    def from_raw(self, beta: Array) -> Model:
        """A model of coefficients of the centred columns."""
        return self.model_of(self.mean - float(self.design.means @ beta), beta)

    def raw_centred(self) -> tuple[Array, Array]:
        """The columns as they are, only centred, and the centred target; in p + 1 rows that say as much as n."""
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
        if params.band == "of the noise":
            spread = noise_band(self.design, self.sigma, params.confidence)
        elif params.band != "none":
            band = Band(params.confidence, params.band == "for new points")
            design = self.design if chosen is None else self.design.only(chosen)
            spread = spread_of(design, self.penalty, self.loss, self._residuals(model), band, self.centred)
        self.final = replace(model, spread=spread)
        self._weigh_directions()

    def _weigh_directions(self) -> None:
        """The eigenvalues of Φ'Φ, which ridge lifts by λ; and a warning when columns depend on each other (S60)."""
        if self.loss.kind != "squared" or not self.penalty.closed or not self.columns.shape[1]:
            return
        raw, _ = self.raw_centred()
        s = np.linalg.svd(raw, compute_uv=False)
        eigenvalues = np.append(s**2, np.zeros(raw.shape[1] - len(s)))
        used = self.penalty.directions
        if used is not None:
            used = count_directions(s, max(self.data.n, *raw.shape), used)
            if not used:
                return
        if len(eigenvalues) > 1:
            self.views["eigenvalues"] = eigenvalue_marks(eigenvalues, self.penalty.l2, used)
        self.condition = condition = condition_number(eigenvalues[:used] + self.penalty.l2)
        if condition > 1e30 and not self.warning:
            self.add_warning(
                "The columns depend on each other, so that many coefficients fit equally well; this is one of them."
            )
        elif condition > _DOUBTFUL and self.params.solver == "normal equation":
            digits = min(round(np.log10(condition)), 16)
            words = f"The condition number of Φ'Φ is {condition:.1g}"
            self.add_warning(
                f"{words}, so the normal equation loses about {digits} of 16 digits; QR loses half of that."
            )

    def add_warning(self, sentence: str) -> None:
        """Warn in all frames from here on."""
        if sentence not in self.warning:
            self.warning = f"{self.warning} {sentence}".strip()

    # -- frames ----------------------------------------------------------------------------------------------------

    def frame(
        self, model: Model, phase: str, caption: str, extra: tuple[Mark, ...] = (), trial: Trial | None = None
    ) -> Snapshot:
        """A model in every view."""
        metrics = self.measured(model)
        views = LazyViews(draw, self.picture, model, FrozenDict(self.views), extra, trial, self.cloud)
        return Snapshot(model, views, metrics, phase, caption, self.warning)

    def measured(self, model: Model) -> dict[str, float]:
        """The numbers of a model, worked out once, however many frames it is on show."""
        if self._measured is None or self._measured[0] is not model:
            self._measured = (model, self._metrics_of(model))
        return self._measured[1]

    def _residuals(self, model: Model) -> Array:
        """Of every point; for the squared loss perhaps in fewer rows with the same squares."""
        if self.loss.kind != "squared" or model.dictionary is not self.dictionary:
            return self.y - self.picture.fitted(model)
        rest, gap = self._rest(model)
        return np.append(rest, gap)

    def _rest(self, model: Model) -> tuple[Array, float]:
        """What a model of these columns leaves of the reduced target, and of its mean; their squares add up to all."""
        design, beta = self.design, model.coefficients
        if self.params.intercept == "penalised":
            beta = np.append(model.intercept, beta)
        rest = design.y - design.Z @ (beta * design.lengths)
        if not self.centred:
            return rest, 0.0
        return rest, (design.y_mean - model.intercept - float(design.means @ beta)) * design.n**0.5

    def _metrics_of(self, model: Model) -> dict[str, float]:
        beta = model.coefficients
        if self.loss.kind == "squared" and model.dictionary is self.dictionary:
            rest, gap = self._rest(model)
            cost = squares = float(rest @ rest) + gap**2
        else:
            residuals = self._residuals(model)
            squares, cost = float(residuals @ residuals), float(self.loss.each(residuals).sum())
        priced = np.append(beta, model.intercept) if self.params.intercept == "penalised" else beta
        return {
            "objective": cost + self.penalty.of(priced),
            "mse": squares / self.data.n,
            "log_likelihood": -0.5 * self.data.n * log(2.0 * pi * self.sigma**2) - 0.5 * squares / self.sigma**2,
            "norm": float(np.sqrt(beta @ beta)),
            "nonzero": int(np.count_nonzero(beta)),
        }

    @property
    def objective(self) -> float:
        """Of the frame before."""
        return float("nan") if self._measured is None else self._measured[1]["objective"]

    def opening(self, start: Model | None) -> Snapshot:
        """The first frame: no coefficients yet, or those of the model to go on from."""
        if start is not None:
            return self.frame(replace(start, spread=None), "design", "It goes on from the fit before the change.")
        count = len(self.names)
        words = f"{count} function{'s' if count != 1 else ''} of {' and '.join(self.data.features[:3])}"
        if self.dictionary.space is not None:
            words += f", the axes of the feature space that {len(self.dictionary.space.members)} points span"
        return self.frame(
            self.final, "design", f"{words}; all coefficients are 0, so that each residual is the target."
        )

    def column_frame(self, k: int, model: Model, nothing_new: bool, directions: bool = False) -> Snapshot:
        """The fit with the first k columns."""
        before, now = self.objective, self.measured(model)["objective"]
        if k == 0:
            what = "The intercept alone is the mean"
        else:
            name = self._column_name(k - 1)
            what = f"{name} joins: the best fit with {k} column{'s' if k > 1 else ''}"
            if nothing_new:
                what = f"{name} says nothing that the columns before it have not said"
        phase = "direction" if directions else "column"
        return self.frame(model, phase, f"{what}; the objective goes from {before:.4g} to {now:.4g}.")

    def direction_frame(self, k: int, model: Model, eigenvalues: Array, share: Array, more: str = "") -> Snapshot:
        """The fit with the k longest singular directions, and what ``more`` there is to say."""
        names = tuple(f"{value:.1g}" for value in eigenvalues.tolist())
        self.views["directions"] = (Bars(share, names),)
        before, now = self.objective, self.measured(model)["objective"]
        what = f"Direction {k} of Φ has d = {eigenvalues[k - 1]:.3g}"
        if share[k - 1] == 0.0:
            what += ", which is rounding: it is left out"
        elif self.penalty.l2:
            what += f" and keeps the share d / (d + λ) = {share[k - 1]:.3g}"
        return self.frame(model, "direction", f"{what}{more}; the objective goes from {before:.4g} to {now:.4g}.")

    def subset_frame(self, model: Model, choice: Choice) -> Snapshot:
        """After one choice of subset selection, with the staircase so far."""
        self._staircase[len(choice.columns)] = choice.rss
        at, rss = np.array(list(self._staircase.items()), dtype=float).T
        if self._lattice is None:
            self._lattice = lattice(self.design)
        marks: list[Mark] = [Curve(at, rss, f"{self.params.subset}", dots=True)]
        if len(self._lattice):
            least = np.array(
                [self._lattice[self._lattice[:, 0] == k, 1].min() for k in range(self.columns.shape[1] + 1)]
            )
            sizes = np.arange(float(len(least)))
            seen = [] if choice.search is None else [Dots(choice.search.looked, "looked at", 0)]
            best = Curve(sizes, least, "best of each size", quiet=True)
            marks = [Dots(self._lattice, "every subset"), *seen, best, *marks]
        self.views["subsets"] = tuple(marks)
        names = ", ".join(self._column_name(j) for j in choice.columns[:6]) or "none"
        more = ", ..." if len(choice.columns) > 6 else ""
        words = f"{len(choice.columns)} in use ({names}{more}), {choice.words}"
        phase = "subset" if choice.search is None else "leap"
        return self.frame(model, phase, f"{words}; the sum of squares is {choice.rss:.4g}.")

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
            if self.penalty.lq:
                words = f"After {sweeps} sweeps Newton's method takes over among the coefficients in use"
        return self.frame(model, "sweep", f"{words}; the optimality conditions are violated by {violation:.2g}.")

    def valley_frame(self, descent: CoordinateDescent | PowerDescent, b: Array) -> tuple[Array, Snapshot]:
        """The lowest of the valleys that other starts end in, where there is more than one."""
        assert isinstance(descent, PowerDescent)
        here = descent.objective(b)
        found = valleys(descent.H, descent.c, descent.prices, descent.q)
        heights = {here, *(height for height, _ in found if abs(height - here) > 1e-6 * abs(here))}
        least, best = min(found, key=lambda one: one[0])
        words = "Descents from zero, from least squares and down from the lasso end in the same valley"
        if len(heights) > 1:
            words = f"Descents from other starts end in {len(heights)} different valleys, because q < 1 is not convex"
            self.add_warning("A penalty with q < 1 has several valleys; there may be a lower one than was found.")
        if least < here - 1e-9 * abs(here):
            b = best
            words += "; the lowest of them is kept"
        return b, self.frame(self.from_scaled(b), "valley", words + ".")

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
        words = f"f = {formula(model)}; the mean squared residual is {self.measured(model)['mse']:.4g}"
        if model.spread is not None:
            words += f", σ = {model.spread.sigma:.3g}"
        if 1.0 < self.condition < 1e30:
            matrix = "Φ'Φ + λI" if self.penalty.l2 else "Φ'Φ"
            matrix += " along the directions in use" if self.penalty.directions is not None else ""
            words += f", the condition number of {matrix} is {self.condition:.2g}"
        for curve, name in (
            (self.lambda_curve, "λ"),
            (self.component_curve, "components"),
            (self.curve, "degree"),
        ):
            if curve is not None and curve.at:
                words += f". Held-out points favour {name} = {curve.best:.3g}" + ", all columns in use" * self.selects
                break
        if self.least:
            words += ". Around the truth that was chosen, bias² + variance is least at " + " and ".join(self.least)
        return self.frame(model, "done", words + ".", self.rings)

    def _column_name(self, j: int) -> str:
        if self.params.intercept == "penalised":
            return "The column of ones" if j == 0 else self.names[j - 1]
        return self.names[j]


def frame_sizes(p: int) -> list[int]:
    """How many columns each frame has: all numbers when there are few, otherwise spread out evenly."""
    return sorted({round(k) for k in np.linspace(1, p, min(p, MOST_FRAMES))}) if p else []
