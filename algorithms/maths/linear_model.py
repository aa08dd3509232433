"""What a fitted regression knows: its functions, their coefficients, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Item, Points
from algorithms.maths.design import EPSILON, Design, count_directions
from algorithms.maths.dictionaries import Dictionary
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty

CONFIDENCE = 0.95
"""Of every band."""
_MEDIAN = 0.6744897501960817
"""The median of |z| for a standard normal z."""
MOST_TERMS = 8
"""An explanation names this many terms; the rest is added up."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The uncertainty of a fit: Var f(x) = base + |(h(x) - means) factor|², and σ² for a new point."""

    means: Array  # (p,)
    factor: Array  # (p, r), the scale of the coefficients' error included: σ, except for a robust loss
    base: float  # its square / n with a free intercept
    sigma: float  # of the noise
    degrees: float  # n less the effective number of coefficients
    quantile: float  # how many standard errors the band is wide to either side
    new_points: bool  # the band is for new points, not for the curve

    def half_width(self, columns: Array) -> Array:
        """Half the width of the band where the functions have these values (m, p)."""
        if len(self.means) > columns.shape[1]:  # the intercept was fitted as one more column
            columns = np.column_stack([np.ones(len(columns)), columns])
        away = (columns - self.means) @ self.factor
        variance = np.einsum("ij,ij->i", away, away) + self.base
        return np.asarray(self.quantile * np.sqrt(variance + (self.sigma**2 if self.new_points else 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """f(x) = intercept + Σ coefficients_j h_j(x)."""

    dictionary: Dictionary
    intercept: float
    coefficients: Array  # (p,)
    spread: Spread | None = None
    names: tuple[str, ...] = ()


def predict(model: LinearModel, X: Array) -> Array:
    """The value of the fit."""
    return np.asarray(model.intercept + model.dictionary.columns(X) @ model.coefficients)


def explain(model: LinearModel, data: Points, item: Item) -> Explanation:
    """The terms that add up to the prediction, its uncertainty, and the residual when x is one of the points."""
    x = item.x
    columns = model.dictionary.columns(x[None, :])[0]
    intercept, terms, names = _terms(model, x, columns)
    answer: Explanation = {"prediction": float(intercept + terms.sum())}
    if model.spread is not None:
        name = "± for a new point" if model.spread.new_points else "± of the fit"
        name = "± of the noise" if not model.spread.factor.shape[1] else name
        answer[name] = float(model.spread.half_width(columns[None, :])[0])
    if item.number >= 0 and data.y is not None:
        target = float(data.y[item.number])
        answer["target"] = target
        answer["residual"] = target - answer["prediction"]
    answer["intercept"] = intercept
    return answer | largest_terms(terms, names.__getitem__)


def largest_terms(terms: Array, name: Callable[[int], str]) -> dict[str, float]:
    """The largest terms (m,) of a sum by name, and the rest added up."""
    order = np.argsort(-np.abs(terms), kind="stable")
    named = {name(j): float(terms[j]) for j in order[:MOST_TERMS].tolist()}
    if len(terms) > MOST_TERMS:
        named[f"{len(terms) - MOST_TERMS} smaller terms"] = float(terms[order[MOST_TERMS:]].sum())
    return named


def _terms(model: LinearModel, x: Array, columns: Array) -> tuple[float, Array, list[str]]:
    """What adds up to the prediction, with names: the functions, or for a kernel the points in b + Σ a_i k(x_i, x)."""
    dictionary, beta = model.dictionary, model.coefficients
    if dictionary.space is None:
        return model.intercept, beta * columns, [f"{b:.3g} · {name}" for b, name in zip(beta, model.names, strict=True)]
    space, beta = dictionary.space, beta / dictionary.unit
    a = space.alpha(beta[None, :])[0]
    terms = a * space.kernel.row(dictionary.kernel_places(x[None, :])[0], space.centres)
    names = [f"{value:.3g} · k of point {i + 1}" for value, i in zip(a.tolist(), space.members.tolist(), strict=True)]
    return model.intercept - float(beta @ dictionary.middle), terms, names


@dataclass(frozen=True, slots=True)
class Band:
    """Which band was asked for."""

    new_points: bool
    level: float = CONFIDENCE

    @classmethod
    def of(cls, kind: str) -> Band | None:
        """The band of a knob; none where none is wanted."""
        return None if kind == "none" else cls(kind == "for new points")


def spread_of(
    design: Design, penalty: Penalty, loss: Loss, residuals: Array, band: Band, centred: bool
) -> Spread | None:
    """The uncertainty by the formulas of the linear model; ``None`` where there is no such formula, or no spare point.

    ``design`` and, for the squared loss, ``residuals`` may be reduced: only their squares matter. Least squares:
    σ² = RSS / (n - p - 1), Cov = σ²(Φ'Φ)⁻¹. Ridge: Cov = σ²(A + λI)⁻¹A(A + λI)⁻¹ with A = Φ'Φ and the trace of the hat
    matrix for p + 1; the band then shows the variance only, not the bias. Principal components: m for p, and the same
    is true of the band. Huber: the coefficients vary as if the noise had the variance Σψ² / (n - p - 1)
    over the squared fraction of points inside δ; σ, that of the noise itself, is the median of |r| by 0.6745 as soon
    as a point is beyond δ.
    """
    if not penalty.closed or loss.kind not in ("squared", "huber") or (loss.kind == "huber" and penalty.l2):
        return None
    n, (rows, p) = design.n, design.Z.shape
    unit = np.ones(p) if penalty.directions is None else design.lengths
    U, s, Vt = np.linalg.svd(np.vstack([design.Z * unit, np.diag(design.scaled(penalty)[0])]), full_matrices=False)
    true = s > EPSILON * max(n, p) * float(s.max(initial=0.0))
    if penalty.directions is not None:
        true = np.arange(len(s)) < count_directions(s, max(n, p), penalty.directions)
    top = U[:rows] * true  # the rows of the data, without the rows of the penalty
    degrees = n - float(np.einsum("ij,ij->", top, top)) - (1.0 if centred else 0.0)
    if degrees < 1e-6:
        return None
    sigma = scale = float(np.sqrt(residuals @ residuals / degrees))  # of the noise, and of the coefficients' error
    if loss.kind == "huber":
        inside = float((np.abs(residuals) <= loss.delta).mean())
        if inside == 0.0:
            return None
        clipped = np.clip(residuals, -loss.delta, loss.delta)
        scale = float(np.sqrt(clipped @ clipped / degrees)) / inside
        if inside < 1.0:
            sigma = float(np.median(np.abs(residuals))) / _MEDIAN * (n / degrees) ** 0.5
    factor = (Vt.T / np.where(true, s, 1.0)) @ top.T * scale / (design.lengths / unit)[:, None]
    base = scale**2 / n if centred else 0.0
    return Spread(design.means, factor, base, sigma, degrees, band_quantile(degrees, band), band.new_points)


def band_quantile(degrees: float, band: Band) -> float:
    """How many standard errors a band is wide to either side, by Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + band.level / 2.0))


def noise_band(design: Design, sigma: float) -> Spread:
    """The Gaussian around the curve from which the targets are thought to be drawn: as wide everywhere as σ says."""
    from scipy.special import ndtri

    factor = np.zeros((len(design.means), 0))
    return Spread(design.means, factor, 0.0, sigma, float(design.n), float(ndtri(0.5 + CONFIDENCE / 2.0)), True)


def value_of(model: LinearModel, number: int) -> float:
    """A coefficient by its number; 0 is the intercept."""
    return model.intercept if number == 0 else float(model.coefficients[number - 1])


def chosen_pair(wanted: tuple[int, ...], count: int, intercept: bool) -> tuple[int, int] | None:
    """Two coefficients that exist, by number (0: the intercept): those wanted, otherwise the first ones."""
    exist = [number for number in (*wanted, 1, 2, 0) if (0 if intercept else 1) <= number <= count]
    pair = sorted(list(dict.fromkeys(exist))[:2])
    return (pair[0], pair[1]) if len(pair) == 2 else None


def formula(model: LinearModel, most: int = 4) -> str:
    """The fit in letters, with its largest terms."""
    order = np.argsort(-np.abs(model.coefficients), kind="stable")
    shown = sorted(j for j in order[:most].tolist() if model.coefficients[j] != 0.0)
    text = f"{model.intercept:.3g}"
    for j in shown:
        value = float(model.coefficients[j])
        text += f" {'-' if value < 0 else '+'} {abs(value):.3g} {model.names[j]}"
    return text + (" + ..." if np.count_nonzero(model.coefficients) > len(shown) else "")
