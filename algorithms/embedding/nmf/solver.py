"""The mathematics of non-negative factorisation: Lee and Seung's updates, and what they lower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

LossName = Literal["Frobenius", "KL"]
PLACING = 300
"""Updates with which new points are placed."""
_CANCELLED = 1e-6  # a loss that is this small beside the table is added up from its parts
_TINY = 1e-150  # below this a sum is 0, and what it divides is multiplied by 0 in any case
_BLOCK = 1 << 14  # numbers of the table that are worked on at once, so that they stay in the cache
_DENSE = 0.7  # from this fraction on all logarithms are taken, also those that count nothing


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """W (n, r) and H (r, d), what WH loses of the table, and by what the next update is made."""

    W: Array
    H: Array
    loss: float
    squares: float  # Σ (X - WH)²
    wanted: Array  # what the table asks for: (n, r) where W is updated next, (r, d) where H is


class Loss(Protocol):
    """How far WH is from the table, and the two updates that never make it larger."""

    def begin(self, W: Array, H: Array) -> Factors: ...

    def update_weights(self, at: Factors) -> Factors: ...

    def update_parts(self, at: Factors) -> Factors: ...


@dataclass(frozen=True, slots=True, eq=False)
class Frobenius:
    """½ Σ (X - WH)²: W <- W XH' / WHH', then H <- H W'X / W'WH."""

    X: Array  # (n, d)
    size: float  # the squares of the table

    def begin(self, W: Array, H: Array) -> Factors:
        """The two factors with their loss; W is updated next."""
        return self._with(W, H, W.T @ W, H @ H.T, self.X @ H.T, float(np.vdot(W, self.X @ H.T)))

    def update_weights(self, at: Factors) -> Factors:
        """W <- W XH' / WHH', number by number."""
        HH = at.H @ at.H.T
        W = at.W * _divided(at.wanted, at.W @ HH)
        return self._with(W, at.H, W.T @ W, HH, W.T @ self.X, float(np.vdot(W, at.wanted)))

    def update_parts(self, at: Factors) -> Factors:
        """H <- H W'X / W'WH, number by number."""
        WW = at.W.T @ at.W
        H = at.H * _divided(at.wanted, WW @ at.H)
        return self._with(at.W, H, WW, H @ H.T, self.X @ H.T, float(np.vdot(H, at.wanted)))

    def _with(self, W: Array, H: Array, WW: Array, HH: Array, wanted: Array, shared: float) -> Factors:
        """|X - WH|² = |X|² - 2 X·WH + |WH|², of which the updates have all parts; where they cancel, from scratch."""
        checkpoint()
        squares = self.size - 2.0 * shared + float(np.vdot(WW, HH))
        if squares <= _CANCELLED * self.size:
            squares = float(np.square(self.X - W @ H).sum())
        return Factors(W, H, 0.5 * squares, squares, wanted)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows of the table."""

    rows: slice
    X: Array  # (b, d)
    filled: Array | None  # where it is not 0, flat; None where it nearly always is not
    values: Array  # what is there


@dataclass(frozen=True, slots=True, eq=False)
class KullbackLeibler:
    """Σ X log(X / WH) - X + WH: W_ij <- W_ij Σ_k H_jk X_ik / (WH)_ik / Σ_k H_jk over all columns k, and H likewise.

    Up to a constant this is minus the log-likelihood of counts with the means WH (Poisson). One pass over the table
    gives the loss and what the next update needs.
    """

    blocks: tuple[Block, ...]
    size: float  # the squares of the table
    constant: float  # Σ X log X - X

    @classmethod
    def of(cls, X: Array) -> KullbackLeibler:
        """The loss of a table."""
        n, d = X.shape
        step = max(_BLOCK // d, 1)
        blocks = []
        for start in range(0, n, step):
            part = X[start : start + step]
            filled = np.flatnonzero(part)
            dense = len(filled) > _DENSE * part.size
            values = part.ravel() if dense else part.ravel()[filled]
            blocks.append(Block(slice(start, start + step), part, None if dense else filled, values))
        values = X[X > 0.0]
        return cls(tuple(blocks), float(np.vdot(X, X)), float(values @ np.log(values) - values.sum()))

    def begin(self, W: Array, H: Array) -> Factors:
        """The two factors with their loss; W is updated next."""
        return self._with(W, H, np.empty_like(W))

    def update_weights(self, at: Factors) -> Factors:
        """W_ij <- W_ij Σ_k H_jk X_ik / (WH)_ik / Σ_k H_jk."""
        return self._with(at.W * _divided(at.wanted, at.H.sum(axis=1)), at.H, None)

    def update_parts(self, at: Factors) -> Factors:
        """H_jk <- H_jk Σ_i W_ij X_ik / (WH)_ik / Σ_i W_ij."""
        H = at.H * _divided(at.wanted, at.W.sum(axis=0)[:, None])
        return self._with(at.W, H, np.empty_like(at.W))

    def _with(self, W: Array, H: Array, wanted: Array | None) -> Factors:
        """The factors, their loss, and Σ_k H_jk X_ik / (WH)_ik, or Σ_i W_ij X_ik / (WH)_ik where none is given."""
        shared, squares = 0.0, self.size
        parts = np.zeros_like(H)
        for block in self.blocks:
            checkpoint()
            product = W[block.rows] @ H
            np.maximum(product, _TINY, out=product)
            flat = product.ravel()
            there = np.log(flat if block.filled is None else flat[block.filled])
            shared += float(block.values @ there)
            squares += float(flat @ flat) - 2.0 * float(np.vdot(block.X, product))
            np.divide(block.X, product, out=product)
            if wanted is None:
                parts += W[block.rows].T @ product
            else:
                wanted[block.rows] = product @ H.T
        total = float(W.sum(axis=0) @ H.sum(axis=1))
        loss = max(self.constant - shared + total, 0.0)
        return Factors(W, H, loss, max(squares, 0.0), parts if wanted is None else wanted)


def loss_of(name: LossName, X: Array) -> Loss:
    """The loss of this name for a table."""
    return Frobenius(X, float(np.vdot(X, X))) if name == "Frobenius" else KullbackLeibler.of(X)


def _divided(above: Array, below: Array) -> Array:
    """The quotient; where nothing is below, nothing comes of it."""
    return np.asarray(above / np.maximum(below, _TINY))


def first_factors(X: Array, rank: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Random numbers above 0 whose products are about as large as the table."""
    typical = float(np.sqrt(X.mean() / rank))
    return (
        typical * np.abs(rng.standard_normal((len(X), rank))),
        typical * np.abs(rng.standard_normal((rank, X.shape[1]))),
    )


def placed(X: Array, H: Array, name: LossName) -> Array:
    """The weights (m, r) with which the parts come nearest to new rows; each row by itself, what is below 0 as 0."""
    X = np.maximum(X, 0.0)
    rank = len(H)
    W = np.repeat(np.sqrt(X.mean(axis=1, keepdims=True) / rank), rank, axis=1)
    products, sums = H @ H.T, H.sum(axis=1)
    pulls = X @ H.T
    for _ in range(PLACING if len(X) else 0):
        checkpoint()
        if name == "Frobenius":
            W = W * _divided(pulls, W @ products)
        else:
            W = W * _divided(_divided(X, W @ H) @ H.T, sums)
    return W
