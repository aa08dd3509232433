"""Dictionaries: the functions h_j(x) whose weighted sum f(x) = b + Σ β_j h_j(x) is fitted.

The fit is linear in β whatever the functions are. What a dictionary needs to know of the data (where the bumps stand,
how long a period is) is fixed when it is made, so that it means the same for new points.

The dictionary of a kernel are the axes φ_j of the feature space that the points span (see ``feature_space.py``): ridge
over them *is* kernel ridge regression, f(x) = Σ a_i k(x_i, x) with (K + λI) a = y (Introduction to Machine Learning
§7.1, where λ is n times that).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.data import Array, DataError
from algorithms.data.scaling import AS_GIVEN, Scaling
from algorithms.interrupt import checkpoint
from algorithms.maths.feature_space import FeatureSpace
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Polynomial
from algorithms.maths.scales import deviations

Kind = Literal[
    "polynomial",
    "sine and cosine",
    "gaussian bumps",
    "log",
    "wavelets",
    "polynomial kernel",
    "gaussian kernel",
    "laplacian kernel",
]
MOST_COLUMNS = 400
"""More functions than this cannot be told apart in any picture, and fitting them keeps nobody company."""
MOST_CENTRES = 120
"""A kernel's sum is over all points up to here; of more points so many landmarks span nearly the same functions."""
_LEAST_WIDTH = 1e-6
"""A wave or bell that is narrower than this is as good as none, and its square leaves the range of numbers."""
_SWEPT_DEGREES = {1: 10, 2: 6}  # by the number of features
_SWEPT_LEVELS = 5  # wavelets double their number with each
_SWEPT_COLUMNS = 120
LARGEST = 1e100
"""Beyond this, squares and their products leave the range of floating-point numbers."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The functions of one fit. ``columns(X)`` evaluates them; made by :func:`make_dictionary`."""

    kind: Kind
    degree: int
    features: tuple[str, ...]
    low: Array  # (d,) least value of each feature
    span: Array  # (d,) its range, never 0
    width: float  # of a bump, in distances between neighbouring bumps; the longest wave; 0: as the data say
    shift: Array  # (d,) added to the features before the logarithm
    middle: Array  # (p,) subtracted from each column
    unit: Array  # (p,) each column is divided by it
    space: FeatureSpace | None = None  # of a kernel
    scaling: Scaling = AS_GIVEN  # of the features, where it is made of others: of those in training, in their own scale

    @property
    def names(self) -> tuple[str, ...]:
        """A short name for every column."""
        return _NAMES[self.kind](self)

    @property
    def bell(self) -> float:
        """The width of a bump or a kernel; 1 where it is left to the data."""
        return max(self.width, _LEAST_WIDTH) if self.width else 1.0

    def columns(self, X: Array) -> Array:
        """The functions at the rows of ``X``: (m, p)."""
        return (_raw_columns(self, self.scaling.applied(X)) - self.middle) / self.unit

    def kernel_places(self, X: Array) -> Array:
        """Where a kernel sees the points: radial ones with every feature running from 0 to 1, products as they are."""
        return X if self.kind == "polynomial kernel" else (X - self.low) / self.span


def build_dictionary(
    kind: Kind,
    degree: int,
    X: Array,
    features: tuple[str, ...],
    width: float = 0.0,
    standardised: bool = False,
) -> tuple[Dictionary, Array]:
    """The dictionary for these points and its columns at them, (n, p); ``standardised``: of mean 0 and variance 1."""
    count = column_count(kind, degree, X.shape[1])
    if count > MOST_COLUMNS:
        raise DataError(
            f"This dictionary has {count} functions; at most {MOST_COLUMNS} can be fitted. Lower the degree."
        )
    low, high = X.min(axis=0), X.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    least = np.maximum(0.05 * span, 4.0 * np.spacing(np.abs(low)))  # next to large numbers a small span is nothing
    shift = np.where(low > 0.0, 0.0, least - low)  # the logarithm needs positive numbers
    none, one = np.zeros(count), np.ones(count)
    plain = Dictionary(kind, degree, features, low, span, width, shift, none, one)
    if kind in KERNELS and degree:
        space = FeatureSpace.of(_kernel(plain), plain.kernel_places(X), MOST_CENTRES)
        count = len(space.eigenvalues)
        plain = replace(plain, space=space, middle=np.zeros(count), unit=np.ones(count))
    with np.errstate(over="ignore", invalid="ignore"):
        columns = _raw_columns(plain, X)
        if not max(columns.max(initial=0.0), -columns.min(initial=0.0)) < LARGEST:
            raise DataError(f"The values are too large for a dictionary of degree {degree}; scale the features first.")
    if not standardised:
        return plain, columns
    dictionary = replace(plain, middle=columns.mean(axis=0), unit=deviations(columns))
    return dictionary, (columns - dictionary.middle) / dictionary.unit


def column_count(kind: Kind, degree: int, d: int) -> int:
    """How many functions there are: for monomials of total degree <= D in d features C(d + D, D), less the constant."""
    if kind in ("polynomial", "log"):
        return math.comb(d + degree, degree) - 1
    if kind == "sine and cosine":
        return 2 * degree * d
    if kind in KERNELS:  # at most: as many as the points span
        products = math.comb(d + degree, degree) if kind == "polynomial kernel" else MOST_CENTRES
        return min(products, MOST_CENTRES) if degree else 0
    if kind == "wavelets":
        return d * int(2**degree - 1)
    return degree**2 if d == 2 else degree * d


def swept_degrees(kind: Kind, d: int, current: int) -> range:
    """The degrees of an error curve: up to where the dictionary is rich enough to fit the noise, or to ``current``."""
    top = _SWEPT_LEVELS if kind == "wavelets" else _SWEPT_DEGREES.get(d, 3)
    while top > 1 and column_count(kind, top, d) > _SWEPT_COLUMNS:
        top -= 1
    return range(max(top, current) + 1)


def _raw_columns(dictionary: Dictionary, X: Array) -> Array:
    return np.asfortranarray(_COLUMNS[dictionary.kind](dictionary, X), dtype=np.float64)


# --- polynomials of x or log x ---------------------------------------------------------------------------------------


def monomials(d: int, degree: int) -> list[tuple[int, ...]]:
    """The features of every product, by total degree: (0,), (1,), (0, 0), (0, 1), (1, 1) ..."""
    degrees = range(1, degree + 1)
    return [combo for k in degrees for combo in itertools.combinations_with_replacement(range(d), k)]


def _products(X: Array, degree: int) -> Array:
    """Every monomial; each is the one before it in its first factors, times one more feature."""
    terms = monomials(X.shape[1], degree)
    columns = np.empty((len(X), len(terms)), order="F")  # one column after the other, as everything below asks
    place = {term: number for number, term in enumerate(terms)}
    for number, term in enumerate(terms):
        last = X[:, term[-1]]
        columns[:, number] = columns[:, place[term[:-1]]] * last if len(term) > 1 else last
    return columns


def _polynomial(dictionary: Dictionary, X: Array) -> Array:
    return _products(X, dictionary.degree)


def _logarithms(dictionary: Dictionary, X: Array) -> Array:
    """Powers of log(x + shift). Below half the least value that was seen the logarithm is held, so it stays finite."""
    floor = 0.5 * (dictionary.low + dictionary.shift)
    return _products(np.log(np.maximum(X + dictionary.shift, floor)), dictionary.degree)


def _product_names(dictionary: Dictionary) -> tuple[str, ...]:
    names = []
    for term in monomials(len(dictionary.features), dictionary.degree):
        factors = []
        for j in sorted(set(term)):
            power = str(term.count(j)).translate(_SUPERSCRIPTS) if term.count(j) > 1 else ""
            factors.append(_factor(dictionary, j, power))
        names.append(" ".join(factors))
    return tuple(names)


def _factor(dictionary: Dictionary, j: int, power: str) -> str:
    feature, shift = dictionary.features[j], float(dictionary.shift[j])
    if dictionary.kind == "polynomial":
        return feature + power
    return f"log{power}({feature}{shift:+.3g})" if shift else f"log{power} {feature}"


# --- waves, bumps and steps ------------------------------------------------------------------------------------------


def _waves(dictionary: Dictionary, X: Array) -> Array:
    """Sine and cosine of k full turns per period, k = 1 .. degree, of each feature."""
    period = max(dictionary.width, _LEAST_WIDTH) if dictionary.width else dictionary.span
    turns = 2.0 * np.pi * (X / period)  # (m, d)
    angles = np.arange(1.0, dictionary.degree + 1.0)[:, None, None] * turns  # (degree, m, d)
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (degree, m, d, 2)
    return both.transpose(1, 0, 2, 3).reshape(len(X), 2 * dictionary.degree * X.shape[1])


def _wave_names(dictionary: Dictionary) -> tuple[str, ...]:
    orders = ("", *range(2, dictionary.degree + 1))[: dictionary.degree]
    return tuple(f"{wave} {k}{name}" for k in orders for name in dictionary.features for wave in ("sin", "cos"))


def _bumps(dictionary: Dictionary, X: Array) -> Array:
    """exp(-(x - c)² / (2 w²)) with equally spaced centres; over two features a grid of them."""
    count = dictionary.degree
    at = (X - dictionary.low) / dictionary.span  # (m, d), from 0 to 1 within the data
    gap = 1.0 / max(count - 1, 1)
    centres = np.linspace(0.0, 1.0, count) if count > 1 else np.full(count, 0.5)
    with np.errstate(over="ignore"):  # far outside a bump is 0 all the same
        bells = np.exp(-0.5 * ((at[:, :, None] - centres) / (dictionary.bell * gap)) ** 2)  # (m, d, count)
    if X.shape[1] == 2:
        bells = bells[:, 0, :, None] * bells[:, 1, None, :]
    return bells.reshape(len(X), math.prod(bells.shape[1:]))  # -1 is unknown without rows


def _bump_names(dictionary: Dictionary) -> tuple[str, ...]:
    numbers = range(1, dictionary.degree + 1)
    d = len(dictionary.features)
    if d == 2:
        return tuple(f"bump {i},{j}" for i in numbers for j in numbers)
    return tuple(f"bump {i}" if d == 1 else f"{name} bump {i}" for name in dictionary.features for i in numbers)


def _wavelets(dictionary: Dictionary, X: Array) -> Array:
    """Haar wavelets: +1 on the left half of an interval, -1 on the right; the intervals halve from level to level."""
    at = (X - dictionary.low) / dictionary.span
    at = np.where(at == 1.0, np.nextafter(1.0, 0.0), at)  # the last point belongs to the last interval
    blocks = []
    for level in range(dictionary.degree):
        checkpoint()
        place = at[:, :, None] * 2.0**level - np.arange(2.0**level)  # (m, d, 2^level)
        inside = (place >= 0.0) & (place < 1.0)
        waves = np.where(inside, np.where(place < 0.5, 1.0, -1.0), 0.0)
        blocks.append(waves.reshape(len(X), math.prod(waves.shape[1:])))
    return np.concatenate(blocks, axis=1) if blocks else np.empty((len(X), 0))


def _wavelet_names(dictionary: Dictionary) -> tuple[str, ...]:
    several = len(dictionary.features) > 1
    return tuple(
        f"{name} {level + 1}.{k + 1}" if several else f"haar {level + 1}.{k + 1}"
        for level in range(dictionary.degree)
        for name in dictionary.features
        for k in range(2**level)
    )


# --- kernels ---------------------------------------------------------------------------------------------------------


def _kernel(dictionary: Dictionary) -> Kernel:
    """The kernel of a dictionary: bells are the narrower the higher the degree, as bumps are."""
    width = dictionary.bell / dictionary.degree
    if dictionary.kind == "polynomial kernel":
        return Polynomial(dictionary.degree)
    return Gaussian(width) if dictionary.kind == "gaussian kernel" else Laplacian(width)


def _axes(dictionary: Dictionary, X: Array) -> Array:
    """The coordinates of φ(x) in the space that the points span, the longest axis first."""
    if dictionary.space is None:
        return np.empty((len(X), 0))
    return dictionary.space.features(dictionary.kernel_places(X))


def _axis_names(dictionary: Dictionary) -> tuple[str, ...]:
    return tuple(f"φ{j + 1}" for j in range(len(dictionary.middle)))


KERNELS = ("polynomial kernel", "gaussian kernel", "laplacian kernel")
_COLUMNS = {
    "polynomial": _polynomial,
    "sine and cosine": _waves,
    "gaussian bumps": _bumps,
    "log": _logarithms,
    "wavelets": _wavelets,
    **dict.fromkeys(KERNELS, _axes),
}
_NAMES = {
    "polynomial": _product_names,
    "sine and cosine": _wave_names,
    "gaussian bumps": _bump_names,
    "log": _product_names,
    "wavelets": _wavelet_names,
    **dict.fromkeys(KERNELS, _axis_names),
}
