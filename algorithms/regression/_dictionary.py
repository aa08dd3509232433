"""Dictionaries: the functions h_j(x) whose weighted sum f(x) = b + Σ β_j h_j(x) is fitted.

The fit is linear in β whatever the functions are. What a dictionary needs to know of the data (where the bumps stand,
how long a period is) is fixed when it is made, so that it means the same for new points.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from math import comb
from typing import Literal

import numpy as np

from algorithms.dataset import Array, DataError

Kind = Literal["polynomial", "sine and cosine", "gaussian bumps", "log", "wavelets"]
MOST_COLUMNS = 400
"""More functions than this cannot be told apart in any picture, and fitting them keeps nobody company."""
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
    period: float  # 0: the range of each feature
    width: float  # of a bump, in distances between neighbouring bumps
    shift: Array  # (d,) added to the features before the logarithm
    middle: Array  # (p,) subtracted from each column
    unit: Array  # (p,) each column is divided by it

    @property
    def names(self) -> tuple[str, ...]:
        """A short name for every column."""
        return _NAMES[self.kind](self)

    def columns(self, X: Array) -> Array:
        """The functions at the rows of ``X``: (m, p)."""
        return (_raw_columns(self, X) - self.middle) / self.unit


def make_dictionary(
    kind: Kind,
    degree: int,
    X: Array,
    features: tuple[str, ...],
    period: float = 0.0,
    width: float = 1.0,
    standardised: bool = False,
) -> Dictionary:
    """The dictionary for these points, with columns of mean 0 and variance 1 when ``standardised``."""
    count = column_count(kind, degree, X.shape[1])
    if count > MOST_COLUMNS:
        raise DataError(
            f"This dictionary has {count} functions; at most {MOST_COLUMNS} can be fitted. Lower the degree."
        )
    low, high = X.min(axis=0), X.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    shift = np.where(low > 0.0, 0.0, 0.05 * span - low)  # the logarithm needs positive numbers
    none, one = np.zeros(count), np.ones(count)
    plain = Dictionary(kind, degree, features, low, span, period, width, shift, none, one)
    with np.errstate(over="ignore", invalid="ignore"):
        columns = _raw_columns(plain, X)
        if not (np.abs(columns) < LARGEST).all():
            raise DataError(f"The values are too large for a dictionary of degree {degree}; scale the features first.")
    if not standardised:
        return plain
    spread = columns.std(axis=0)
    return replace(plain, middle=columns.mean(axis=0), unit=np.where(spread > 0.0, spread, 1.0))


def column_count(kind: Kind, degree: int, d: int) -> int:
    """How many functions there are: for monomials of total degree <= D in d features C(d + D, D), less the constant."""
    if kind in ("polynomial", "log"):
        return comb(d + degree, degree) - 1
    if kind == "sine and cosine":
        return 2 * degree * d
    if kind == "wavelets":
        return d * int(2**degree - 1)
    return degree**2 if d == 2 else degree * d


def _raw_columns(dictionary: Dictionary, X: Array) -> Array:
    return np.asarray(_COLUMNS[dictionary.kind](dictionary, X), dtype=np.float64)


# --- polynomials of x or log x ---------------------------------------------------------------------------------------


def monomials(d: int, degree: int) -> list[tuple[int, ...]]:
    """The features of every product, by total degree: (0,), (1,), (0, 0), (0, 1), (1, 1) ..."""
    degrees = range(1, degree + 1)
    return [combo for k in degrees for combo in itertools.combinations_with_replacement(range(d), k)]


def _products(X: Array, degree: int) -> Array:
    """Every monomial; each is the one before it in its first factors, times one more feature."""
    terms = monomials(X.shape[1], degree)
    columns = np.empty((len(X), len(terms)))
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
    period = dictionary.period or dictionary.span
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
    share = (X - dictionary.low) / dictionary.span  # (m, d)
    gap = 1.0 / max(count - 1, 1)
    centres = np.linspace(0.0, 1.0, count) if count > 1 else np.full(count, 0.5)
    with np.errstate(over="ignore"):  # far outside a bump is 0 all the same
        bells = np.exp(-0.5 * ((share[:, :, None] - centres) / (dictionary.width * gap)) ** 2)  # (m, d, count)
    if X.shape[1] == 2:
        bells = bells[:, 0, :, None] * bells[:, 1, None, :]
    return bells.reshape(len(X), -1)


def _bump_names(dictionary: Dictionary) -> tuple[str, ...]:
    numbers = range(1, dictionary.degree + 1)
    d = len(dictionary.features)
    if d == 2:
        return tuple(f"bump {i},{j}" for i in numbers for j in numbers)
    return tuple(f"bump {i}" if d == 1 else f"{name} bump {i}" for name in dictionary.features for i in numbers)


def _wavelets(dictionary: Dictionary, X: Array) -> Array:
    """Haar wavelets: +1 on the left half of an interval, -1 on the right; the intervals halve from level to level."""
    share = (X - dictionary.low) / dictionary.span
    share = np.where(share == 1.0, np.nextafter(1.0, 0.0), share)  # the last point belongs to the last interval
    blocks = []
    for level in range(dictionary.degree):
        place = share[:, :, None] * 2.0**level - np.arange(2.0**level)  # (m, d, 2^level)
        inside = (place >= 0.0) & (place < 1.0)
        blocks.append(np.where(inside, np.where(place < 0.5, 1.0, -1.0), 0.0).reshape(len(X), -1))
    return np.concatenate(blocks, axis=1) if blocks else np.empty((len(X), 0))


def _wavelet_names(dictionary: Dictionary) -> tuple[str, ...]:
    several = len(dictionary.features) > 1
    return tuple(
        f"{name} {level + 1}.{k + 1}" if several else f"haar {level + 1}.{k + 1}"
        for level in range(dictionary.degree)
        for name in dictionary.features
        for k in range(2**level)
    )


_COLUMNS = {
    "polynomial": _polynomial,
    "sine and cosine": _waves,
    "gaussian bumps": _bumps,
    "log": _logarithms,
    "wavelets": _wavelets,
}
_NAMES = {
    "polynomial": _product_names,
    "sine and cosine": _wave_names,
    "gaussian bumps": _bump_names,
    "log": _product_names,
    "wavelets": _wavelet_names,
}
