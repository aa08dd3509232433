"""The likelihood of logistic regression: its value, its gradient, and the two steps that climb it.

Everything is calculated in the coordinates z = (x - centre) / reach, in which every feature runs from -1 to 1; Newton's
step is the same in any coordinates, and a step of gradient descent is translated, so that it is exactly the step
w <- w - eta grad J(w) on the features as they are.

With a kernel the features are those of its feature space, of which w = Φᵀα needs no more than the points span. The
penalty λ/2 |w|² is then λ/2 αᵀKα, and where the gradient vanishes α_i = (y_i - h_i) / λ: the pull of a point is its own
error. Reference: sections 7, 7.2 (Introduction to Machine Learning).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.classification.logistic_regression.solver.balance import balance_weights
from algorithms.classification.logistic_regression.solver.curvature import (
    MOST_DIRECT,
    largest_eigenvalue,
    solve_by_products,
    solve_flat,
)
from algorithms.data import Array, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.feature_space import FeatureSpace, PivotedSpace, Span, spanned
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Polynomial
from algorithms.maths.landmarks import landmark_count
from algorithms.maths.losses import expit, softplus
from algorithms.maths.margins import widest_margin
from algorithms.maths.scales import means

if TYPE_CHECKING:
    from algorithms.classification.logistic_regression import Model, Params

KernelName = Literal["none", "polynomial", "Gaussian", "Laplacian"]
Doubt = Literal["", "separated", "rising", "runaway", "diverged"]
"""What deserves doubt: no maximum, a step too far, a part of w without an end, coefficients without a bound."""
_MOST_ENTRIES = 40_000_000
"""Of the table of features of all points: of more than 40,000 points fewer than 1,000 landmarks carry the sum."""
_HALVINGS = 40
_PRODUCTS = 200_000_000
"""Multiplications between two places where a run can be called off: a hundredth of a second or two."""
_COLUMNS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Some coefficients and what they give on the training points."""

    theta: Array  # (p, k)
    logits: Array  # (n, k)
    probabilities: Array  # (n, k)
    loss: float
    gradient: Array  # (p, k)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step and how it was found; ``gain`` is what the quadratic model promises, ``swing`` the largest change of f."""

    to: Place
    gain: float
    swing: float
    halvings: int = 0

    @property
    def is_finite(self) -> bool:
        """Whether the step led to numbers that can be drawn."""
        return bool(np.isfinite(self.to.loss) and np.abs(self.to.theta).max() < 1e100)


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """J(w, b) = 1/n [ sum of the cross-entropies + lam/2 |w|^2 ] for a sigmoid (k = 1) or a softmax (k columns).

    With weights v every point counts v times, and n is their sum. Made by :meth:`of`.
    """

    Z: Array  # (n, p) the features in the inner coordinates, and a column of ones
    y: Array  # (n,) class numbers
    k: int
    lam: float
    intercept: bool
    weights: Array  # (n,) how often each point counts
    total: float  # of the weights
    fractions: Array  # (n,) the weights, with the sum 1
    signs: Array  # (n,) of the sigmoid: -1 or 1
    targets: Array  # (n, k) what the probabilities should be
    centre: Array  # (d,)
    reach: Array  # (d,)
    penalty: Array  # (p,)
    raw: Array | None  # (p, p) the matrix M with theta = M (w, b); None where the coordinates are not scaled
    scale: Array  # (p,) how large each feature is, 1 for the intercept

    @classmethod
    def of(
        cls,
        X: Array,
        y: Array,
        k: int,
        lam: float,
        intercept: bool,
        weights: Array | None = None,
        scaled: bool = True,
    ) -> Likelihood:
        """The likelihood of some points.

        Parameters
        ----------
        X : array of shape (n, d)
            The features.
        y : array of shape (n,)
            Class numbers 0 .. k - 1 (0 and 1 for the sigmoid).
        k : int
            Columns of coefficients: 1 is the sigmoid, otherwise one for each class.
        lam : float
            The ridge penalty of the weights; the intercept is free.
        intercept : bool
            Whether there is one.
        weights : array of shape (n,), optional
            How often each point counts; once without them.
        scaled : bool
            Whether to calculate in scaled coordinates; features of a kernel have axes of their own.
        """
        n, d = X.shape
        weights = np.ones(n) if weights is None else weights
        total = float(weights.sum())
        fractions = weights / total
        Z, centre, reach = _inner(X, intercept, scaled)
        targets = y[:, None].astype(float) if k == 1 else np.eye(k)[y]
        penalty = np.zeros(Z.shape[1])
        penalty[:d] = lam / total / reach**2
        raw = _to_inner(centre, reach, intercept) if scaled else None
        scale = np.sqrt(_mean_squares(_raw_features(Z, raw), fractions))
        return cls(
            Z=Z,
            y=y,
            k=k,
            lam=lam,
            intercept=intercept,
            weights=weights,
            total=total,
            fractions=fractions,
            signs=np.where(y == 1, 1.0, -1.0),
            targets=targets,
            centre=centre,
            reach=reach,
            penalty=penalty,
            raw=raw,
            scale=np.where(scale > 0.0, scale, 1.0),
        )

    # -- coefficients --------------------------------------------------------------------------------------------

    def theta_of(self, weights: Array, intercepts: Array) -> Array:
        """Coefficients of the features as they are, (k, d) and (k,), in the inner coordinates (p, k)."""
        beta = np.vstack([weights.T, intercepts[None, :]]) if self.intercept else weights.T
        return beta if self.raw is None else self.raw @ beta

    def _raw_gradient(self, place: Place) -> Array:
        """By the coefficients of the features as they are, (p, k)."""
        return place.gradient if self.raw is None else self.raw.T @ place.gradient

    def coefficients(self, theta: Array) -> tuple[Array, Array]:
        """The weights (k, d) and intercepts (k,) of the features as they are."""
        weights = theta[: len(self.reach)].T / self.reach
        if not self.intercept:
            return weights, np.zeros(self.k)
        return weights, theta[-1] - weights @ self.centre

    # -- the function --------------------------------------------------------------------------------------------

    def at(self, theta: Array) -> Place:
        """Value and gradient at these coefficients."""
        checkpoint()
        logits = self.Z @ theta
        checkpoint()
        found = probabilities(logits)
        losses = softplus(-self.signs * logits[:, 0]) if self.k == 1 else self._softmax_loss(logits)
        penalty = self.penalty[:, None] * theta
        loss = float(self.fractions @ losses + 0.5 * (penalty * theta).sum())
        gradient = self.Z.T @ (self.fractions[:, None] * (found - self.targets)) + penalty
        return Place(theta, logits, found, loss, gradient)

    def _softmax_loss(self, logits: Array) -> Array:
        top = logits.max(axis=1)
        return np.asarray(
            np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top - logits[np.arange(len(self.y)), self.y]
        )

    def residual(self, place: Place) -> float:
        """The largest part of the gradient by w and b, each measured by the size of its feature; at most about 1."""
        return float((np.abs(self._raw_gradient(place)) / self.scale[:, None]).max())

    def smallest_margin(self, place: Place) -> float:
        """How far the worst training point that counts is on the right side, in units of f; positive when all are."""
        counts = self.weights > 0.0
        if self.k == 1:
            return float((self.signs * place.logits[:, 0])[counts].min())
        others = place.logits.copy()
        own = others[np.arange(len(self.y)), self.y]
        others[np.arange(len(self.y)), self.y] = -np.inf
        return float((own - others.max(axis=1))[counts].min())

    def hessian(self, place: Place) -> Array:
        """The block matrix of second derivatives, (k p, k p): Z^T diag(v h_a (1[a=b] - h_b)) Z / n, and the penalty."""
        p, k, h = self.Z.shape[1], self.k, place.probabilities
        H = np.empty((k * p, k * p))
        for a in range(k):
            checkpoint()
            for b in range(a, k):
                weight = self.fractions * h[:, a] * ((1.0 if a == b else 0.0) - h[:, b])
                block = _gram(self.Z, weight)
                H[a * p : (a + 1) * p, b * p : (b + 1) * p] = block
                H[b * p : (b + 1) * p, a * p : (a + 1) * p] = block
        H[np.diag_indices(k * p)] += np.tile(self.penalty, k)
        return H

    def _bent(self, place: Place, direction: Array) -> Array:
        """The same matrix times a direction (p, k), without writing it down."""
        h, change = place.probabilities, self.Z @ direction
        swing = self.fractions[:, None] * h * (change - (h * change).sum(axis=1, keepdims=True))
        return np.asarray(self.Z.T @ swing + self.penalty[:, None] * direction)

    # -- the steps -----------------------------------------------------------------------------------------------

    def descent(self, place: Place, rate: float) -> Step:
        """Go w <- w - rate grad J(w), and the same for the intercept."""
        slope = self._raw_gradient(place)
        change = -rate * (slope if self.raw is None else self.raw @ slope)
        return Step(self.at(place.theta + change), 0.0, float(np.abs(self.Z @ change).max()))

    def newton(self, place: Place) -> Step:
        """The top of the quadratic that touches here; the step is halved while the likelihood does not rise."""
        gradient = place.gradient.T.ravel()  # class after class
        if gradient.size > MOST_DIRECT:
            change = -solve_by_products(partial(self._bent, place), place.gradient)
            if self.k > 1:  # adding the same to all classes changes no probability: rounding must not
                change -= change.mean(axis=1, keepdims=True)
            change = change.T.ravel()
        else:
            change = -solve_flat(self.hessian(place), gradient, self.k)
        gain = -float(gradient @ change)
        move = change.reshape(self.k, -1).T
        to, halvings = self.at(place.theta + move), 0
        # below the accuracy of a sum there is nothing to compare: near the top the full step is right
        while gain > 1e-12 * max(place.loss, 1e-3) and to.loss > place.loss - 1e-4 * gain and halvings < _HALVINGS:
            halvings, move, gain = halvings + 1, move / 2.0, gain / 2.0
            to = self.at(place.theta + move)
        return Step(to, gain, float(np.abs(self.Z @ move).max()), halvings)

    def safe_rate(self) -> float:
        """Below this rate gradient descent lowers J at every step: 2 / (an upper bound of the curvature)."""
        features = _raw_features(self.Z, self.raw)
        if features.shape[1] > MOST_DIRECT:
            largest = 1.02 * largest_eigenvalue(features, self.fractions)
        else:
            largest = float(np.linalg.eigvalsh(_gram(features, self.fractions))[-1])
        curvature = largest * (0.25 if self.k == 1 else 0.5)
        bound = curvature + self.lam / self.total
        return 2.0 / bound if bound > 0.0 else np.inf  # where all features are 0 and nothing is shrunk, J is flat


def _inner(X: Array, intercept: bool, scaled: bool) -> tuple[Array, Array, Array]:
    """The features in inner coordinates, with a column of ones for the intercept; the centre and the reach of each."""
    n, d = X.shape
    centre, reach = np.zeros(d), np.ones(d)
    Z = np.ones((n, d + intercept), order="F")  # a feature in one piece: there are few
    inside = Z[:, :d]
    inside[:] = X
    checkpoint()
    if scaled:
        centre = means(inside) if intercept else centre
        inside -= centre
        reach = np.abs(inside).max(axis=0)
        reach = np.where(reach > 0.0, reach, 1.0)
        inside /= reach
    checkpoint()
    return Z, centre, reach


def _to_inner(centre: Array, reach: Array, intercept: bool) -> Array:
    """The matrix M with theta = M (w, b), (p, p)."""
    d = len(reach)
    M = np.eye(d + intercept)
    M[np.arange(d), np.arange(d)] = reach
    if intercept:
        M[-1, :d] = centre
    return M


def _raw_features(Z: Array, raw: Array | None) -> Array:
    """The features as they are, and the column of ones: (n, p)."""
    return Z if raw is None else (raw.T @ Z.T).T


def _mean_squares(features: Array, fractions: Array) -> Array:
    """Of every feature, (p,); some columns at a time, so that it can be called off."""
    answer = np.empty(features.shape[1])
    for start in range(0, len(answer), _COLUMNS):
        checkpoint()
        answer[start : start + _COLUMNS] = fractions @ np.square(features[:, start : start + _COLUMNS])
    return answer


def _gram(Z: Array, weights: Array) -> Array:
    """Z^T diag(weights) Z; with many columns a part of the rows at a time, so that it can be called off."""
    rows = max(_PRODUCTS // max(Z.shape[1] ** 2, 1), 1)
    gram: Array = Z[:rows].T @ (weights[:rows, None] * Z[:rows])
    for start in range(rows, len(Z), rows):
        checkpoint()
        part = Z[start : start + rows]
        gram += part.T @ (weights[start : start + rows, None] * part)
    return gram


def probabilities(logits: Array) -> Array:
    """Sigmoid of one column, softmax of several; no number overflows."""
    if logits.shape[1] == 1:
        return expit(logits)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


# -- the problem of a run --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What a run works on: the likelihood of its points over their features, or over those of a kernel."""

    likelihood: Likelihood
    space: FeatureSpace | PivotedSpace | None
    span: Span | None  # the same without axes, for the models
    present: Array  # (k,) the class of each column of coefficients
    classes: int
    counts: Array  # points of every class that is present

    @classmethod
    def of(cls, data: Points, params: Params, rng: np.random.Generator) -> Problem:
        """The problem that data and parameters pose; the points count as often as the balance says."""
        present, y = np.unique(data.several_classes("Logistic regression"), return_inverse=True)
        columns = present[1:] if len(data.classes) == 2 else present
        weights = balance_weights(y, params.balance, rng)
        space = _space_for(params, data.X)
        X = data.X if space is None else space.features(data.X)
        straight = space is None
        likelihood = Likelihood.of(X, y, len(columns), params.lam, params.intercept, weights, straight)
        span = None if space is None else space.span
        return cls(likelihood, space, span, columns, len(data.classes), np.bincount(y))

    def first(self, start: Model | None) -> Place:
        """Where the run begins: at 0, or at a model over the same classes and features."""
        like = self.likelihood
        theta = np.zeros((like.Z.shape[1], like.k))
        if start is not None and np.array_equal(start.present, self.present):
            straight = self.space is None and start.space is None
            if straight and start.weights.shape == (like.k, len(like.reach)):
                theta = like.theta_of(start.weights, start.intercepts)
            elif self.space is not None and self.space.same_as(start.space):
                theta = like.theta_of(self.space.weights(start.weights), start.intercepts)
        return like.at(theta)

    def is_separated(self, place: Place) -> bool:
        """Whether the likelihood has no maximum: one plane without an error on the training points proves it."""
        return self.likelihood.lam == 0.0 and self.likelihood.smallest_margin(place) > 0.0

    def accuracies(self, place: Place) -> tuple[float, float]:
        """The fraction of right answers among the training points, whether they count or not, and its mean by class.

        A rare class cannot hide in the second.
        """
        y = self.likelihood.y
        answers = place.logits[:, 0] > 0.0 if self.classes == 2 else place.logits.argmax(axis=1)
        right = self.counts - np.bincount(y.take((answers != y).nonzero()[0]), minlength=len(self.counts))
        return float(right.sum() / len(y)), float((right / self.counts).mean())

    def alpha(self, place: Place, weights: Array) -> Array:
        """The α of every centre of the kernel, (k, m), of weights (k, r).

        Of those that mean the same f the nearest to the errors / λ; at the optimum they are just that. Where only a
        part of the points are centres they carry the errors of others too.
        """
        space, like = self.space, self.likelihood
        assert space is not None
        if len(space.members) < len(like.y) or like.lam == 0.0 or not place.theta.any():
            return space.alpha(weights)
        errors = like.weights[:, None] * (like.targets - place.probabilities)
        return space.alpha(weights, errors.T / like.lam)


def _space_for(params: Params, X: Array) -> FeatureSpace | PivotedSpace | None:
    """The feature space of the chosen kernel; ``None`` without a kernel."""
    if params.kernel == "none":
        return None
    kernels: dict[str, Kernel] = {
        "polynomial": Polynomial(params.degree),
        "Gaussian": Gaussian(params.width),
        "Laplacian": Laplacian(params.width),
    }
    most = landmark_count(len(X), params.landmarks)
    return spanned(kernels[params.kernel], X, max(min(most, _MOST_ENTRIES // len(X)), 2))


@dataclass(frozen=True, slots=True, eq=False)
class ImplicitBias:
    """Where gradient descent turns on separated classes: to the direction of the widest margin, ever more slowly.

    The length of (w, b) grows for ever; its direction tends to the widest margin of the points with a 1 added, which
    nobody asked for (Introduction to Machine Learning, section 5.1). Noted at steps that grow by a tenth, because time
    counts by its logarithm.
    """

    direction: Array | None  # (p,) of the widest margin of two classes; None where no line parts them, or with a kernel
    unit: float  # the widest margin, or where it is not known the longest row
    path: Array  # (t, 2) step and margin of the worst point; (t, 3) with the cosine to the direction

    @classmethod
    def of(cls, problem: Problem, X: Array) -> ImplicitBias:
        """The widest margin, where two classes have one."""
        like = problem.likelihood
        rows = np.column_stack([X, np.ones(len(X))])[:, : X.shape[1] + like.intercept]
        longest = float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max())) or 1.0
        if like.k > 1 or problem.space is not None:
            return cls(None, longest, np.empty((0, 2)))
        widest, direction = widest_margin((rows * like.signs[:, None])[like.weights > 0.0])
        return cls(direction, widest or longest, np.empty((0, 2 if direction is None else 3)))

    def noted(self, step: int, place: Place, like: Likelihood) -> ImplicitBias:
        """The same with this step, where it is one of those that are kept."""
        if len(self.path) and step < 1.1 * self.path[-1, 0]:
            return self
        weights, intercepts = like.coefficients(place.theta)
        theta = np.column_stack([weights, intercepts])[:, : weights.shape[1] + like.intercept]
        length = float(np.linalg.norm(theta))
        if not length > 0.0:
            return self
        row = [step, like.smallest_margin(place) / length / self.unit]
        row += [] if self.direction is None else [float(theta[0] @ self.direction) / length]
        return replace(self, path=np.vstack([self.path, row]))
