"""The mathematics of a Gaussian process, in the eigenvectors of its Gram matrix.

With K = a² U L U' over the points and noise of variance σ² the log marginal likelihood is a sum over eigenvectors,

    log p(y) = -½ Σ_j c_j² / (a² L_j + σ²) - ½ Σ_j log(a² L_j + σ²) - n/2 log 2π,    c = U'y

so one decomposition serves every amplitude a and every noise σ; only a length scale needs another one. Of more than
1,000 points it is the one of landmarks, for the map and for the pictures on the way; the evidence, its slope and the
posterior itself are then those of a Cholesky factor of K + σ²I.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.cholesky import Cholesky, squared
from algorithms.maths.kernel_spectrum import Spectrum, blocks, gram, spectrum_of, width_grid
from algorithms.maths.kernels import Gaussian, Kernel, Linear, Matern, Periodic, Polynomial, Scaled, Sum
from algorithms.maths.landmarks import spectral_count

if TYPE_CHECKING:
    from algorithms.regression.gaussian_process import Model

KernelName = Literal["rbf", "matern 5/2", "matern 3/2", "matern 1/2", "periodic", "linear"]
JITTER = 1e-10
"""The least variance of the noise, as a fraction of a²: with less, rounding decides."""
MOST_JOINT = 500
"""Values that are drawn together; more are drawn beside them, each by itself."""
LENGTHS, NOISES = 21, 31
"""Length scales and noises in the map of the log marginal likelihood."""
SPANS = ((1e-3, 1e3), (1e-3, 1e4), (1e-4, 1e4))
"""Between which values length scale, amplitude and noise are looked for."""
_STEP = 1e-4
"""Of the logarithm of the length scale, for the slope along it."""
_LONGEST = 1.0
"""No step changes a logarithm by more than this."""
_ENOUGH = 1e-7
"""The climb has ended when a step gains less than this of a point's worth."""
MOST_STEPS = 40


def kernel_of(name: KernelName, length: float, period: float) -> Kernel:
    """The kernel with amplitude 1. The linear one is 1 + x·z / length², that of straight lines."""
    if name == "linear":
        return Sum(Polynomial(0), Scaled(Linear(), 1.0 / length**2))
    kernels: dict[str, Kernel] = {
        "rbf": Gaussian(length),
        "matern 5/2": Matern(2.5, length),
        "matern 3/2": Matern(1.5, length),
        "matern 1/2": Matern(0.5, length),
        "periodic": Periodic(period, length),
    }
    return kernels[name]


@dataclass(frozen=True, slots=True)
class Hyper:
    """The three hyper-parameters."""

    length: float
    amplitude: float  # a, the standard deviation of the function before anything is observed
    noise: float  # σ, of an observation

    @property
    def variance(self) -> float:
        """σ², never so small that rounding decides."""
        return max(self.noise**2, JITTER * self.amplitude**2)

    @property
    def logarithms(self) -> Array:
        """(3,): the climb is among them."""
        return np.log([self.length, self.amplitude, self.noise])

    @classmethod
    def at(cls, logarithms: Array) -> Hyper:
        """The other way round, inside what can be set."""
        values = [float(np.clip(np.exp(x), *span)) for x, span in zip(logarithms.tolist(), SPANS)]
        return cls(*values)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The log marginal likelihood and its two parts."""

    fit: float  # -½ y'(K + σ²I)⁻¹y
    simplicity: float  # -½ log|K + σ²I|
    constant: float  # -n/2 log 2π

    @property
    def total(self) -> float:
        """The log marginal likelihood log p(y)."""
        return self.fit + self.simplicity + self.constant


@dataclass(frozen=True, slots=True, eq=False)
class Process:
    """The points as the kernel sees them, and what the function is drawn with."""

    places: Array  # (n, d)
    y: Array  # (n,)
    name: KernelName
    period: float
    count: int  # points that carry the functions

    @property
    def spectral(self) -> int:
        """How many landmarks carry the functions of a spectrum."""
        return spectral_count(len(self.places), self.count)

    @property
    def factored(self) -> bool:
        """Whether the posterior needs a Cholesky factor: a spectrum is of fewer points."""
        return self.spectral < self.count == len(self.places)

    def spectrum(self, length: float, rows: Array | None = None) -> Spectrum:
        """The Gram matrix of the points, or of some of them, for a length scale, at amplitude 1."""
        X, y = (self.places, self.y) if rows is None else (self.places[rows], self.y[rows])
        count = self.spectral if rows is None else len(rows)
        return spectrum_of(kernel_of(self.name, length, self.period), X, y, False, count)

    def carried(self, length: float) -> Spectrum:
        """The spectrum of as many landmarks as the knob says, for the posterior."""
        kernel = kernel_of(self.name, length, self.period)
        return spectrum_of(kernel, self.places, self.y, False, self.count)

    def place(self, hyper: Hyper) -> Decomposed | Factored:
        """What the points say about these hyper-parameters."""
        if self.factored:
            return Factored.of(self, hyper)
        return Decomposed(self, hyper, self.spectrum(hyper.length))

    def slopes(self, length: float, rows: slice) -> Array:
        """Rows of K', the slope of K in the logarithm of the length scale."""
        X = self.places
        up, down = (kernel_of(self.name, length * np.exp(side * _STEP), self.period) for side in (1.0, -1.0))
        return np.asarray((up(X[rows], X) - down(X[rows], X)) / (2.0 * _STEP))

    def order(self, hyper: Hyper) -> Array:
        """The points from the one that is least known on: each time the one with the largest posterior variance."""
        kernel, n = kernel_of(self.name, hyper.length, self.period), len(self.places)
        K = hyper.amplitude**2 * kernel(self.places, self.places)
        left = np.diagonal(K).copy()  # what is not known about each point
        known = np.zeros((n, n))
        order = np.empty(n, dtype=np.intp)
        waiting = np.ones(n, dtype=bool)
        for k in range(n):
            if k % 32 == 0:
                checkpoint()
            i = int(np.where(waiting, left, -np.inf).argmax())
            order[k], waiting[i] = i, False
            known[:, k] = (K[:, i] - known[:, :k] @ known[i, :k]) / np.sqrt(max(left[i], 0.0) + hyper.variance)
            left -= np.square(known[:, k])
        return order


def evidence_of(spectrum: Spectrum, hyper: Hyper) -> Evidence:
    """The log marginal likelihood of the points of a spectrum."""
    n, r = len(spectrum.target), len(spectrum.L)
    d = hyper.amplitude**2 * spectrum.L + hyper.variance
    fit = -0.5 * (float((np.square(spectrum.coordinates) / d).sum()) + spectrum.rest / hyper.variance)
    simplicity = -0.5 * (float(np.log(d).sum()) + (n - r) * float(np.log(hyper.variance)))
    return Evidence(fit, simplicity, -0.5 * n * float(np.log(2.0 * np.pi)))


@dataclass(frozen=True, slots=True, eq=False)
class Decomposed:
    """The points and some hyper-parameters, by the eigenvectors of K."""

    process: Process
    hyper: Hyper
    spectrum: Spectrum

    @property
    def evidence(self) -> Evidence:
        """The log marginal likelihood."""
        return evidence_of(self.spectrum, self.hyper)

    def slope(self) -> Array:
        """The gradient of log p(y) in the logarithms of the hyper-parameters, (3,)."""
        spectrum, hyper = self.spectrum, self.hyper
        a2, s2 = hyper.amplitude**2, hyper.variance
        d = a2 * spectrum.L + s2
        pull = np.square(spectrum.coordinates) / d**2 - 1.0 / d
        by_amplitude = float((a2 * spectrum.L * pull).sum())
        n, r = len(spectrum.target), len(spectrum.L)
        by_noise = float(s2 * pull.sum()) + spectrum.rest / s2 - (n - r)
        if spectrum.complete:
            by_length = self._by_length(d)
        else:
            ends = [self.process.spectrum(hyper.length * np.exp(side * _STEP)) for side in (1.0, -1.0)]
            up, down = (evidence_of(end, hyper).total for end in ends)
            by_length = (up - down) / (2.0 * _STEP)
        return np.array([by_length, by_amplitude, by_noise])

    def _by_length(self, d: Array) -> float:
        """½ (α' K' α - tr (K + σ²I)⁻¹ K') with K' the slope of K in the logarithm of the length scale."""
        spectrum = self.spectrum
        slope = self.hyper.amplitude**2 * self.process.slopes(self.hyper.length, slice(None))
        turned = slope @ spectrum.U
        alpha = spectrum.U @ (spectrum.coordinates / d)
        trace = float((np.einsum("ij,ij->j", spectrum.U, turned) / d).sum())
        return 0.5 * (float(alpha @ slope @ alpha) - trace)


@dataclass(frozen=True, slots=True, eq=False)
class Factored:
    """The points and some hyper-parameters, by the Cholesky factor of K + σ²I; K holds a² here."""

    process: Process
    hyper: Hyper
    factor: Cholesky  # gone after slope() or inverse()
    alpha: Array  # (n,)
    evidence: Evidence

    @classmethod
    def of(cls, process: Process, hyper: Hyper) -> Factored:
        """With a factor of their own."""
        K = gram(kernel_of(process.name, hyper.length, process.period), process.places)
        K *= hyper.amplitude**2
        factor = Cholesky.of(K, hyper.variance)
        alpha, n = factor.solve(process.y), len(process.y)
        fit, simplicity = -0.5 * float(process.y @ alpha), -0.5 * factor.log_determinant
        return cls(process, hyper, factor, alpha, Evidence(fit, simplicity, -0.5 * n * float(np.log(2.0 * np.pi))))

    def inverse(self) -> tuple[Array, float]:
        """L⁻¹, and the mean standard deviation of the function at the points: its variance is σ² - σ⁴ [A⁻¹]_ii."""
        W, s2 = self.factor.inverted(), self.hyper.variance
        diagonal = np.concatenate([np.einsum("ij,ij->j", W[:, some], W[:, some]) for some in blocks(len(W))])
        return W, float(np.sqrt(np.maximum(s2 - s2**2 * diagonal, 0.0)).mean())

    def slope(self) -> Array:
        """The gradient of log p(y) in the logarithms of the hyper-parameters, (3,)."""
        a2, s2, alpha, y = self.hyper.amplitude**2, self.hyper.variance, self.alpha, self.process.y
        inverse = squared(self.factor.inverted())
        trace = float(np.trace(inverse))
        by_length = 0.0
        for rows in blocks(len(y)):
            checkpoint()
            slopes = a2 * self.process.slopes(self.hyper.length, rows)
            by_length += 0.5 * float(alpha[rows] @ slopes @ alpha - np.einsum("ij,ij->", inverse[rows], slopes))
        squares = float(alpha @ alpha)
        by_amplitude = float(y @ alpha) - s2 * squares - (len(y) - s2 * trace)
        return np.array([by_length, by_amplitude, s2 * (squares - trace)])


# --- the map ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """What the log marginal likelihood needs to know about a length scale: enough for every amplitude and noise."""

    length: float
    L: Array  # (r,)
    squares: Array  # (r,)
    rest: float
    n: int

    @classmethod
    def of(cls, length: float, spectrum: Spectrum) -> Row:
        """The row of a spectrum."""
        return cls(length, spectrum.L, np.square(spectrum.coordinates), spectrum.rest, len(spectrum.target))

    def heights(self, amplitude: float, noises: Array) -> tuple[Array, Array]:
        """The two parts of log p(y), each (k,) for k values of the noise; the constant is in the second one."""
        s2 = np.maximum(noises**2, JITTER * amplitude**2)
        d = amplitude**2 * self.L + s2[:, None]  # (k, r)
        fit = -0.5 * ((self.squares / d).sum(axis=1) + self.rest / s2)
        logs = np.log(d).sum(axis=1) + (self.n - len(self.L)) * np.log(s2) + self.n * np.log(2.0 * np.pi)
        return fit, -0.5 * logs

    def totals(self, amplitude: float, noises: Array) -> Array:
        """The log marginal likelihood for every noise, (k,)."""
        fit, rest = self.heights(amplitude, noises)
        return np.asarray(fit + rest)

    def peak(self, amplitude: float, noises: Array) -> Peak:
        """The noise of the highest log marginal likelihood."""
        heights = self.totals(amplitude, noises)
        best = int(heights.argmax())
        return Peak(float(heights[best]), self.length, float(noises[best]))


@dataclass(frozen=True, slots=True)
class Peak:
    """A place of the map of log p(y)."""

    height: float
    length: float
    noise: float


def length_grid(places: Array, current: float) -> Array:
    """Length scales, smallest first, the current one among them."""
    return np.clip(width_grid(places, current, LENGTHS), *SPANS[0])


def noise_grid(y: Array, current: float) -> Array:
    """Noises, smallest first: from a hundredth of the spread of the target to all of it, and the current one."""
    spread = float(y.std()) or 1.0
    low, high = min(0.01 * spread, 0.5 * current), max(2.0 * spread, 2.0 * current)
    return np.clip(np.geomspace(low, high, NOISES), *SPANS[2])


# --- the climb -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """A place on the way up, with what BFGS has learned about the curvature."""

    place: Decomposed | Factored
    slope: Array  # (3,)
    inverse: Array  # (3, 3), of minus the Hessian, about

    @classmethod
    def begin(cls, process: Process, hyper: Hyper) -> Climb:
        """The foot of the climb; the first step goes along the slope."""
        place = process.place(hyper)
        slope = place.slope()
        return cls(place, slope, np.eye(3) / max(float(np.abs(slope).max()), 1e-12))

    @property
    def hyper(self) -> Hyper:
        """Where it is."""
        return self.place.hyper

    @property
    def evidence(self) -> Evidence:
        """How high it is."""
        return self.place.evidence

    def step(self, process: Process) -> Climb | None:
        """One step of BFGS, halved until it leads up; None where none does."""
        here = self.hyper.logarithms
        free = ~_held(here, self.slope)
        slope = np.where(free, self.slope, 0.0)
        inverse = np.where(free[:, None] & free, self.inverse, 0.0)
        direction = inverse @ slope
        if not float(direction @ slope) > 0.0:
            direction = slope / max(float(np.abs(slope).max()), 1e-12)
        direction *= min(1.0, _LONGEST / max(float(np.abs(direction).max()), 1e-12))
        found = _upwards(process, self, here, direction)
        if found is None:
            return None
        new = found.slope()
        return Climb(found, new, _learned(self.inverse, found.hyper.logarithms - here, new - self.slope))

    def gained(self, before: Climb) -> bool:
        """Whether the step was worth it."""
        return self.evidence.total - before.evidence.total > _ENOUGH * len(self.place.process.y)


def _held(here: Array, slope: Array) -> Array:
    """Which hyper-parameters stand at the end of what can be set, and want to go on."""
    low, high = np.log(np.array(SPANS)).T
    return np.asarray(((here <= low + 1e-9) & (slope < 0.0)) | ((here >= high - 1e-9) & (slope > 0.0)))


def _upwards(process: Process, climb: Climb, here: Array, direction: Array) -> Decomposed | Factored | None:
    """The longest of 1, ½, ¼ ... steps that gains a fair part of what the slope promises (Armijo)."""
    promise = float(direction @ climb.slope)
    for length in 0.5 ** np.arange(12):
        checkpoint()
        place = process.place(Hyper.at(here + length * direction))
        if place.evidence.total > climb.evidence.total + 1e-4 * length * max(promise, 0.0):
            return place
    return None


def _learned(inverse: Array, moved: Array, turned: Array) -> Array:
    """The update of BFGS for a maximum: the slope turned against the way that was gone."""
    bend = -float(moved @ turned)
    if not bend > 1e-12 * math.hypot(*moved) * math.hypot(*turned):  # whose squares leave the range of numbers
        return inverse
    left = np.eye(3) + np.outer(moved, turned) / bend
    return np.asarray(left @ inverse @ left.T + np.outer(moved, moved) / bend)


def root_of(covariance: Array) -> Array:
    """The symmetric root of a covariance: a small change of it is a small change of what is drawn with it."""
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    """Points on one function that is drawn from the process, at random places, with noise.

    The values at the first places are drawn together; those at more places are drawn given these, each by itself.
    """
    low, high = model.extent
    X = rng.uniform(low, np.where(high > low, high, low + 1.0), size=(n, len(low)))
    first = X[:MOST_JOINT]
    f = model.values(first) + root_of(model.covariance(first)) @ rng.standard_normal(len(first))
    if n > MOST_JOINT:
        f = np.append(f, _beside(model, first, f, X[MOST_JOINT:], rng))
    return Points(X, f + model.scale * model.noise * rng.standard_normal(n), name="drawn from the process")


def _beside(model: Model, first: Array, f: Array, X: Array, rng: np.random.Generator) -> Array:
    """Values at further places, given those at the first ones."""
    own = model.covariance(first)
    jitter = 1e-9 * float(np.trace(own)) / len(own) + 1e-300
    known, seen = model.rows(first) @ model.factor, model.rows(X) @ model.factor
    between = (model.scale * model.amplitude) ** 2 * (model.rows(X, first) - seen @ known.T)  # (m, k)
    weights = np.linalg.solve(own + jitter * np.eye(len(own)), between.T)  # (k, m)
    left = np.square(model.deviation(X)) - np.einsum("ij,ji->i", between, weights)
    mean = model.values(X) + weights.T @ (f - model.values(first))
    return np.asarray(mean + np.sqrt(np.maximum(left, 0.0)) * rng.standard_normal(len(X)))
