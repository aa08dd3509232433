"""A regression to be solved: the points as columns of functions, and the models that coefficients make of them.

f(x) = b + Σ β_j h_j(x). The intercept b is free (columns and target are centred, so that it follows from β), one more
column of ones that is treated like all others, or absent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.data.scaling import rescaled
from algorithms.maths.design import EPSILON, Design
from algorithms.maths.dictionaries import LARGEST, Dictionary, build_dictionary
from algorithms.maths.linear_fits import solve
from algorithms.maths.linear_model import Band, LinearModel, predict, spread_of
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_knobs import Functions, Intercept

SQUARED, FREE = Loss(), Penalty()


@dataclass(frozen=True, slots=True, eq=False)
class FoldColumns:
    """The columns of one fold: functions that the points in training alone have set, of features in their scale."""

    dictionary: Dictionary
    X: Array  # (n, d) all points
    intercept: Intercept

    def at(self, rows: Array) -> Array:
        """The columns at these points."""
        return _with_ones(self.dictionary.columns(self.X[rows]), self.intercept)


@dataclass(frozen=True, slots=True, eq=False)
class LinearProblem:
    """One data set with one dictionary; made by :func:`linear_problem`."""

    data: Points
    y: Array  # (n,)
    functions: Functions
    dictionary: Dictionary
    names: tuple[str, ...]
    values: Array  # (n, p) the functions at the points
    columns: Array  # (n, p), or with the ones in front (n, p + 1)
    design: Design  # of the columns, in p + 1 rows that say as much as n

    @property
    def intercept(self) -> Intercept:
        """What is done about the constant."""
        return self.functions.intercept

    @property
    def centred(self) -> bool:
        """Whether the intercept is fitted but not penalised."""
        return self.functions.intercept == "free"

    @property
    def p(self) -> int:
        """How many coefficients are fitted beside a free intercept."""
        return self.columns.shape[1]

    def raw(self) -> tuple[Array, Array]:
        """The columns as they are, only centred, and the centred target; in few rows."""
        return self.design.Z * self.design.lengths, self.design.y

    # -- other degrees ---------------------------------------------------------------------------------------------

    def build(self, degree: int) -> tuple[Dictionary, Array]:
        """The dictionary of another degree, and its columns at the points."""
        dictionary, values = _build(self.data, self.functions, degree)
        return dictionary, _with_ones(values, self.intercept)

    def of_fold(self, inside: Array, outside: Array, degree: int) -> FoldColumns:
        """The columns by the points in training alone, where the document has scaled the features.

        Raises
        ------
        DataError
            When they, or what is held out in their scale, are too large for this degree.
        """
        part, own = rescaled(self.data.rows(inside))
        dictionary, _ = _build(part, self.functions, degree)
        made = FoldColumns(replace(dictionary, scaling=own), self.data.X, self.intercept)
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.abs(made.at(outside)).max(initial=0.0) < LARGEST:
                raise DataError(f"What is held out is too far from the others for a dictionary of degree {degree}.")
        return made

    # -- models ----------------------------------------------------------------------------------------------------

    def model(self, intercept: float, beta: Array, dictionary: Dictionary | None = None) -> LinearModel:
        """A model of raw coefficients; a penalised intercept is the first of them."""
        dictionary = dictionary or self.dictionary
        if self.intercept == "penalised":
            intercept, beta = float(beta[0]), beta[1:]
        names = self.names if dictionary is self.dictionary else dictionary.names
        return LinearModel(dictionary, float(intercept), np.array(beta), names=names)

    def from_scaled(self, b: Array) -> LinearModel:
        """A model of coefficients of the columns of length 1."""
        return self.model(*self.design.coefficients(b))

    def from_raw(self, beta: Array) -> LinearModel:
        """A model of coefficients of the centred columns."""
        return self.model(self.design.y_mean - float(self.design.means @ beta), beta)

    def zero(self) -> LinearModel:
        """Nothing is known yet."""
        return self.model(0.0, np.zeros(self.p))

    def mean(self) -> LinearModel:
        """The intercept alone."""
        return self.model(self.design.y_mean, np.zeros(self.p))

    def raw_start(self, start: LinearModel | None) -> tuple[float, Array] | None:
        """The intercept and raw coefficients of a model to go on from, where it has the same columns."""
        if start is None or start.names != self.names:
            return None
        if self.intercept == "penalised":
            return 0.0, np.concatenate([[start.intercept], start.coefficients])
        return start.intercept, start.coefficients

    def scaled_start(self, start: LinearModel | None) -> Array:
        """Scaled coefficients to begin with; zeros where there is no model to go on from."""
        raw = self.raw_start(start)
        return np.zeros(self.p) if raw is None else raw[1] * self.design.lengths

    # -- how good a model is ---------------------------------------------------------------------------------------

    def fitted(self, model: LinearModel) -> Array:
        """The values of a model at the points."""
        if model.dictionary is not self.dictionary:
            return predict(model, self.data.X)
        return np.asarray(model.intercept + self.values @ model.coefficients)

    def residuals(self, model: LinearModel, loss: Loss = SQUARED) -> Array:
        """Of every point; for the squared loss perhaps in fewer rows with the same squares."""
        if loss.kind != "squared" or model.dictionary is not self.dictionary:
            return self.y - self.fitted(model)
        return np.append(*self._rest(model))

    def _rest(self, model: LinearModel) -> tuple[Array, float]:
        """What a model of these columns leaves of the reduced target, and of its mean; their squares add up to all."""
        design, beta = self.design, model.coefficients
        if self.intercept == "penalised":
            beta = np.append(model.intercept, beta)
        rest = design.y - design.Z @ (beta * design.lengths)
        if not self.centred:
            return rest, 0.0
        return rest, (design.y_mean - model.intercept - float(design.means @ beta)) * design.n**0.5

    def measured(self, model: LinearModel, penalty: Penalty, loss: Loss = SQUARED) -> dict[str, float]:
        """What is minimised, the mean squared residual, the length of β, and how many coefficients are not 0."""
        beta = model.coefficients
        if loss.kind == "squared" and model.dictionary is self.dictionary:
            rest, gap = self._rest(model)
            cost = squares = float(rest @ rest) + gap**2
        else:
            residuals = self.residuals(model, loss)
            squares, cost = float(residuals @ residuals), float(loss.each(residuals).sum())
        priced = np.append(beta, model.intercept) if self.intercept == "penalised" else beta
        return {
            "objective": cost + penalty.of(priced),
            "mse": squares / self.data.n,
            "norm": float(np.sqrt(beta @ beta)),
            "nonzero": int(np.count_nonzero(beta)),
        }

    def pilot_noise(self) -> float:
        """σ of the noise by least squares with these columns, never below what rounding leaves of the target."""
        squares = self.design.squares(solve(self.design, Penalty()))
        sigma = (squares / max(self.data.n - self.p - 1, 1)) ** 0.5
        return max(sigma, 1e-6 * float(np.std(self.y)), EPSILON * float(np.abs(self.y).max()), 1e-150)

    def with_band(
        self,
        model: LinearModel,
        band: Band | None,
        penalty: Penalty = FREE,
        loss: Loss = SQUARED,
        chosen: tuple[int, ...] | None = None,
    ) -> LinearModel:
        """The model with its uncertainty, where there is a formula; ``chosen`` columns are taken as given."""
        if band is None:
            return model
        design = self.design if chosen is None else self.design.only(chosen)
        spread = spread_of(design, penalty, loss, self.residuals(model, loss), band, self.centred)
        return replace(model, spread=spread)


def linear_problem(data: Points, functions: Functions, owner: str) -> LinearProblem:
    """The problem of a data set; ``owner`` is the method in messages.

    Raises
    ------
    DataError
        When there are no values to be predicted, or the numbers are too large to be squared.
    """
    y = data.values(owner)
    if not np.abs(y).max() < LARGEST:
        raise DataError("The target is too large for a sum of squares; scale it first.")
    dictionary, values = _build(data, functions, functions.degree)
    columns = _with_ones(values, functions.intercept)
    design = Design.of(columns, y, functions.intercept == "free").reduced()
    return LinearProblem(data, y, functions, dictionary, dictionary.names, values, columns, design)


def usable(start: LinearModel | None, data: Points) -> LinearModel | None:
    """A model to go on from, without its band; none when it is of other features."""
    fits = start is not None and len(start.dictionary.features) == data.d
    return replace(start, spread=None) if fits and start is not None else None


def _build(data: Points, functions: Functions, degree: int) -> tuple[Dictionary, Array]:
    standardised = functions.columns == "standardised"
    return build_dictionary(functions.dictionary, degree, data.X, data.features, functions.width, standardised)


def _with_ones(values: Array, intercept: Intercept) -> Array:
    """A penalised intercept is one more column."""
    if intercept != "penalised":
        return values
    return np.asfortranarray(np.column_stack([np.ones(len(values)), values]))
