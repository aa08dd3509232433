"""The likelihood of logistic regression: its value, its gradient, and the two steps that climb it.

Everything is calculated in the coordinates z = (x - centre) / reach, in which every feature runs from -1 to 1; Newton's
step is the same in any coordinates, and a step of gradient descent is translated, so that it is exactly the step
w <- w - eta grad J(w) on the features as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.losses import softplus

_HALVINGS = 40
_PRODUCTS = 200_000_000
"""Multiplications between two places where a run can be called off: a hundredth of a second or two."""
_COLUMNS = 16
_SINGULAR = 1e-12
"""Directions whose curvature is below this share of the largest one are flat: nothing is known about them."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Some coefficients and what they give on the training points."""

    theta: Array  # (p, k)
    logits: Array  # (n, k)
    chances: Array  # (n, k)
    loss: float
    gradient: Array  # (p, k)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step and how it was found; ``gain`` is what the quadratic model promises, ``swing`` the largest change of f."""

    to: Place
    gain: float
    swing: float
    halvings: int = 0


class Likelihood:
    """J(w, b) = 1/n [ sum of the cross-entropies + lam/2 |w|^2 ] for a sigmoid (k = 1) or a softmax (k columns).

    With weights v every point counts v times, and n is their sum.

    Parameters
    ----------
    X : array of shape (n, d)
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

    def __init__(
        self,
        X: Array,
        y: Array,
        k: int,
        lam: float,
        intercept: bool,
        weights: Array | None = None,
        scaled: bool = True,
    ) -> None:
        self.n, self.d = X.shape
        self.weights = np.ones(self.n) if weights is None else weights  # (n,)
        self.total = float(self.weights.sum())
        self.share = self.weights / self.total  # (n,) sums to 1
        self.k, self.lam, self.intercept = k, lam, intercept
        self.y = y
        self.signs = np.where(y == 1, 1.0, -1.0)  # (n,) of the sigmoid
        self.centre, self.reach = np.zeros(self.d), np.ones(self.d)
        self.Z = np.ones((self.n, self.d + intercept), order="F")  # (n, p), a feature in one piece: there are few
        inside = self.Z[:, : self.d]
        inside[:] = X
        checkpoint()
        if scaled:
            self.centre = inside.mean(axis=0) if intercept else self.centre
            inside -= self.centre
            reach = np.abs(inside).max(axis=0)
            self.reach = np.where(reach > 0.0, reach, 1.0)
            inside /= self.reach
        checkpoint()
        self.targets = y[:, None].astype(float) if k == 1 else np.eye(k)[y]  # (n, k)
        self.penalty = np.zeros(self.Z.shape[1])  # (p,)
        self.penalty[: self.d] = lam / self.total / self.reach**2
        self.raw = self._to_raw()
        self.scaled = scaled
        scale = np.sqrt(self._mean_squares())
        self.scale = np.where(scale > 0.0, scale, 1.0)  # (p,) how large each feature is, 1 for the intercept

    def _features(self) -> Array:
        """The features as they are, and the column of ones: (n, p)."""
        return np.asarray((self.raw.T @ self.Z.T).T) if self.scaled else self.Z

    def _mean_squares(self) -> Array:
        """Of every feature as it is, (p,); some columns at a time, so that it can be called off."""
        features, answer = self._features(), np.empty(self.Z.shape[1])
        for start in range(0, len(answer), _COLUMNS):
            checkpoint()
            answer[start : start + _COLUMNS] = self.share @ np.square(features[:, start : start + _COLUMNS])
        return answer

    def _to_raw(self) -> Array:
        """The matrix M with theta = M (w, b), (p, p)."""
        p = self.Z.shape[1]
        M = np.eye(p)
        M[np.arange(self.d), np.arange(self.d)] = self.reach
        if self.intercept:
            M[-1, : self.d] = self.centre
        return M

    # -- coefficients --------------------------------------------------------------------------------------------

    def theta_of(self, weights: Array, intercepts: Array) -> Array:
        """Coefficients of the features as they are, (k, d) and (k,), in the inner coordinates (p, k)."""
        beta = np.vstack([weights.T, intercepts[None, :]]) if self.intercept else weights.T
        return np.asarray(self.raw @ beta)

    def coefficients(self, theta: Array) -> tuple[Array, Array]:
        """The weights (k, d) and intercepts (k,) of the features as they are."""
        weights = theta[: self.d].T / self.reach
        if not self.intercept:
            return weights, np.zeros(self.k)
        return weights, theta[-1] - weights @ self.centre

    # -- the function --------------------------------------------------------------------------------------------

    def at(self, theta: Array) -> Place:
        """Value and gradient at these coefficients."""
        checkpoint()
        logits = self.Z @ theta
        checkpoint()
        chances = probabilities(logits)
        losses = softplus(-self.signs * logits[:, 0]) if self.k == 1 else self._softmax_loss(logits)
        penalty = self.penalty[:, None] * theta
        loss = float(self.share @ losses + 0.5 * (penalty * theta).sum())
        gradient = self.Z.T @ (self.share[:, None] * (chances - self.targets)) + penalty
        return Place(theta, logits, chances, loss, gradient)

    def _softmax_loss(self, logits: Array) -> Array:
        top = logits.max(axis=1)
        return np.asarray(np.log(np.exp(logits - top[:, None]).sum(axis=1)) + top - logits[np.arange(self.n), self.y])

    def residual(self, place: Place) -> float:
        """The largest part of the gradient by w and b, each measured by the size of its feature; at most about 1."""
        return float((np.abs(self.raw.T @ place.gradient) / self.scale[:, None]).max())

    def smallest_margin(self, place: Place) -> float:
        """How far the worst training point that counts is on the right side, in units of f; positive when all are."""
        counts = self.weights > 0.0
        if self.k == 1:
            return float((self.signs * place.logits[:, 0])[counts].min())
        others = place.logits.copy()
        own = others[np.arange(self.n), self.y]
        others[np.arange(self.n), self.y] = -np.inf
        return float((own - others.max(axis=1))[counts].min())

    def hessian(self, place: Place) -> Array:
        """The block matrix of second derivatives, (k p, k p): Z^T diag(v h_a (1[a=b] - h_b)) Z / n, and the penalty."""
        p, k, h = self.Z.shape[1], self.k, place.chances
        H = np.empty((k * p, k * p))
        for a in range(k):
            checkpoint()
            for b in range(a, k):
                weight = self.share * h[:, a] * ((1.0 if a == b else 0.0) - h[:, b])
                block = _gram(self.Z, weight)
                H[a * p : (a + 1) * p, b * p : (b + 1) * p] = block
                H[b * p : (b + 1) * p, a * p : (a + 1) * p] = block
        H[np.diag_indices(k * p)] += np.tile(self.penalty, k)
        return H

    # -- the steps -----------------------------------------------------------------------------------------------

    def descent(self, place: Place, rate: float) -> Step:
        """Go w <- w - rate grad J(w), and the same for the intercept."""
        change = -rate * (self.raw @ (self.raw.T @ place.gradient))
        return Step(self.at(place.theta + change), 0.0, float(np.abs(self.Z @ change).max()))

    def newton(self, place: Place) -> Step:
        """The top of the quadratic that touches here; the step is halved while the likelihood does not rise."""
        gradient = place.gradient.T.ravel()  # class after class
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
        spread = _gram(self._features(), self.share)
        curvature = float(np.linalg.eigvalsh(spread)[-1]) * (0.25 if self.k == 1 else 0.5)
        return 2.0 / (curvature + self.lam / self.total)


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
        odds = np.minimum(-logits, 700.0)
        np.exp(odds, out=odds)
        odds += 1.0
        return np.reciprocal(odds, out=odds)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def solve_flat(H: Array, g: Array, k: int) -> Array:
    """The shortest solution of H x = g for a positive semi-definite H.

    The softmax does not change when all classes get the same coefficients added: those directions are flat by
    construction, g has no part in them, and they are filled up so that Cholesky's method works. Other flat directions
    (a constant column, two equal ones, fewer points than features) need the eigenvalues.
    """
    filled = H
    if k > 1:
        p = len(H) // k
        filled = H + np.kron(np.ones((k, k)) / k, np.eye(p) * float(np.diag(H).max(initial=0.0)))
    try:
        factor = np.linalg.cholesky(filled)
    except np.linalg.LinAlgError:
        return _by_eigenvalues(H, g)
    pivots = np.square(np.diag(factor))
    if pivots.min() <= _SINGULAR * pivots.max():
        return _by_eigenvalues(H, g)
    from scipy.linalg.lapack import dpotrs  # ``cho_solve`` calls it, after fifty microseconds of questions

    return np.asarray(dpotrs(factor, g, lower=True)[0])


def _by_eigenvalues(H: Array, g: Array) -> Array:
    values, vectors = np.linalg.eigh(H)
    curved = values > _SINGULAR * max(values[-1], 0.0)
    vectors = vectors[:, curved]
    return np.asarray(vectors @ ((vectors.T @ g) / values[curved]))
