"""The mathematics of string kernels: the recursion over two texts, the Gram matrix, and what passes through a letter.

Everything comes from one table. S_l[i, j] is the weight of all common pieces of l letters that end with letter i of the
one text and letter j of the other:

    S_1[i, j] = μ [s_i = t_j],      S_l[i, j] = μ [s_i = t_j] D_{l-1}[i-1, j-1],      k(s, t) = Σ_ij S_p[i, j]

For the spectrum kernel D is S itself (the letter before must be the neighbour) and μ = 1. For subsequences μ = λ² and
D[i, j] = Σ λ^(i - i') λ^(j - j') S[i', j'] over all earlier ends, so that each letter that is skipped costs λ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint

Kind = Literal["spectrum", "subsequence"]
MOST_TEXTS = 3_000
LONGEST = 2_000
MOST_CELLS = 2_000_000_000
"""Pairs of letters that are compared for the Gram matrix of the subsequence kernel."""
_BLOCK = 100_000  # pairs of letters at a time: what a processor keeps near itself
_MOST_PULLS = 40_000_000  # pairs of letters for the pulls at the end; later texts stay dark


@dataclass(frozen=True, slots=True)
class Pieces:
    """Which pieces of texts count: so many letters, neighbours or with gaps that cost ``decay`` a letter."""

    kind: Kind = "subsequence"
    length: int = 3
    decay: float = 0.5

    @property
    def match(self) -> float:
        """The weight μ of two equal letters."""
        return 1.0 if self.kind == "spectrum" else self.decay**2

    def reached(self, layer: Array) -> Array:
        """D: the weight of all pieces that end at or before each pair of letters, by what has been skipped since."""
        if self.kind == "spectrum":
            return layer
        found = layer.copy()
        for i in range(1, found.shape[0]):
            found[i] += self.decay * found[i - 1]
        for j in range(1, found.shape[1]):
            found[:, j] += self.decay * found[:, j - 1]
        return found

    def layers(self, equal: Array) -> Iterator[Array]:
        """S_1 ... S_p, each of the shape of ``equal``, (m, l, ...): which letters of two texts are the same."""
        weights = self.match * equal
        layer = weights
        yield layer
        for _ in range(self.length - 1):
            before = np.zeros_like(layer)
            before[1:, 1:] = self.reached(layer)[:-1, :-1]
            layer = weights * before
            yield layer

    def tables(self, one: str, two: str) -> tuple[Array, ...]:
        """S_1 ... S_p of two texts."""
        return tuple(self.layers(codes(one)[:, None] == codes(two)))

    def through(self, equal: Array) -> Array:
        """The weight of all common pieces that pass through each pair of letters; it adds up to p k(s, t)."""
        ends = list(self.layers(equal))
        begins = [layer[::-1, ::-1] for layer in self.layers(equal[::-1, ::-1])]
        total = np.zeros_like(ends[0])
        for place in range(self.length):
            total += ends[place] * begins[self.length - 1 - place]
        return total / self.match

    def common(self, one: str, two: str) -> tuple[Array, Array]:
        """The fraction of k(s, t) that passes through each letter of the one text and of the other; each adds to p."""
        total = self.through(codes(one)[:, None] == codes(two))
        value = total.sum() / self.length
        if value <= 0.0:
            return np.zeros(len(one)), np.zeros(len(two))
        return total.sum(axis=1) / value, total.sum(axis=0) / value


def codes(text: str) -> Array:
    """The letters as numbers, (m,)."""
    return np.fromiter(map(ord, text), dtype=np.int64, count=len(text))


def refuse_too_much(texts: Sequence[str], pieces: Pieces) -> None:
    """A sentence where the Gram matrix would take minutes, or more memory than there is."""
    longest = max(map(len, texts))
    if len(texts) > MOST_TEXTS:
        raise DataError(f"There are {len(texts):,} texts; the table of all pairs can be made for {MOST_TEXTS:,}.")
    if longest > LONGEST:
        raise DataError(f"The longest text has {longest:,} letters; texts of up to {LONGEST:,} can be compared.")
    letters = sum(map(len, texts))
    if pieces.kind == "subsequence" and letters**2 // 2 > MOST_CELLS:
        most = int(np.sqrt(2 * MOST_CELLS))
        raise DataError(
            f"The texts have {letters:,} letters together, and each is compared with each; subsequences can be counted "
            f"in up to {most:,}. The spectrum kernel is faster."
        )


# --- spectrum: by counting --------------------------------------------------------------------------------------------


class Counts:
    """The pieces of neighbouring letters of some texts, counted: φ_u(s) is how often u stands in s."""

    def __init__(self, texts: Sequence[str], length: int, vocabulary: dict[str, int] | None = None) -> None:
        """With a ``vocabulary`` other pieces are left out."""
        self.vocabulary: dict[str, int] = {} if vocabulary is None else vocabulary
        number, found = self.vocabulary, []
        sizes = [max(len(text) - length + 1, 0) for text in texts]
        for text, size in zip(texts, sizes, strict=True):
            pieces = [text[at : at + length] for at in range(size)]
            if vocabulary is None:
                found += [number.setdefault(piece, len(number)) for piece in pieces]
            else:
                found += [number.get(piece, -1) for piece in pieces]
        known = np.array(found, dtype=np.int64)
        owner = np.repeat(np.arange(len(texts)), sizes)
        start = np.concatenate([np.arange(size) for size in sizes])
        kept = known >= 0
        self.found, self.owner, self.start = known[kept], owner[kept], start[kept]
        self.n, self.length = len(texts), length

    def against(self, other: Counts) -> Array:
        """k(s, t) = Σ_u φ_u(s) φ_u(t) between these texts and others of the same vocabulary."""
        return (self._table() @ other._table().T).toarray()

    def _table(self) -> Any:  # a sparse matrix (n, v)
        from scipy.sparse import csr_matrix

        shape = (self.n, max(len(self.vocabulary), 1))
        return csr_matrix((np.ones(len(self.found)), (self.owner, self.found)), shape=shape)


# --- the Gram matrix --------------------------------------------------------------------------------------------------


def gram_matrix(texts: Sequence[str], pieces: Pieces) -> Array:
    """The kernel between all texts, (n, n)."""
    if pieces.kind == "spectrum":
        counts = Counts(texts, pieces.length)
        return counts.against(counts)
    order = sorted(range(len(texts)), key=lambda k: len(texts[k]))  # so that texts of one block are about as long
    gram = np.zeros((len(texts), len(texts)))
    for position, k in enumerate(order):
        others = order[: position + 1]
        row = _compared(texts[k], [texts[other] for other in others], pieces)
        gram[k, others] = row
        gram[others, k] = row
    return gram


def against(new: Sequence[str], texts: Sequence[str], pieces: Pieces) -> Array:
    """The kernel between new texts and those of a model, (m, n)."""
    if not new or not texts:
        return np.zeros((len(new), len(texts)))
    if pieces.kind == "spectrum":
        known = Counts(texts, pieces.length)
        return Counts(new, pieces.length, known.vocabulary).against(known)
    order = sorted(range(len(texts)), key=lambda k: len(texts[k]))
    values = np.zeros((len(new), len(texts)))
    for row, text in enumerate(new):
        values[row, order] = _compared(text, [texts[k] for k in order], pieces)
    return values


def self_values(texts: Sequence[str], pieces: Pieces) -> Array:
    """The kernel of every text with itself, (n,)."""
    if pieces.kind == "spectrum":
        counts = Counts(texts, pieces.length)
        codes_found = counts.owner * max(len(counts.vocabulary), 1) + counts.found
        owners, times = np.unique(codes_found, return_counts=True)
        return np.bincount(owners // max(len(counts.vocabulary), 1), times**2, len(texts))
    return np.array([float(_compared(text, (text,), pieces)[0]) for text in texts])


def _compared(text: str, others: Sequence[str], pieces: Pieces) -> Array:
    """The kernel between a text and others that are sorted by their length."""
    values = np.zeros(len(others))
    for block, equal in _blocks(text, others):
        *_, last = pieces.layers(equal)
        values[block] = last.sum(axis=(0, 1))
    return values


def _blocks(text: str, others: Sequence[str]) -> Iterator[tuple[slice, Array]]:
    """Some texts at a time: which letters of the one and of them are the same, (m, l, b)."""
    letters, start = codes(text), 0
    while start < len(others):
        checkpoint()
        size = max(_BLOCK // max(len(letters) * len(others[start]), 1), 1)
        some = others[start : start + size]
        while len(some) > 1 and len(letters) * max(map(len, some)) * len(some) > 2 * _BLOCK:
            some = some[: len(some) // 2]
        table = np.full((max(map(len, some)), len(some)), -1)
        for column, other in enumerate(some):
            table[: len(other), column] = codes(other)
        yield slice(start, start + len(some)), letters[:, None, None] == table
        start += len(some)


def pulls(texts: Sequence[str], pieces: Pieces, coefficients: Array, asked: Array, scales: Array) -> tuple[Array, ...]:
    """What each letter of each text adds to Σ_i c_i k(s_i, s) / (scale of s_i and of s), (m,) for each text.

    Parameters
    ----------
    texts, pieces
        The n texts, and what is compared.
    coefficients : (q, n)
        Rows of c.
    asked : (n,)
        Which of them is meant for each text.
    scales : (n,)
        What k is divided by for each text; 0 for a text without pieces.

    For subsequences only as many texts are looked at as can be in a moment; the letters of the others get 0.
    """
    inverse = np.divide(1.0, scales, out=np.zeros(len(texts)), where=scales > 0.0)
    if pieces.kind == "spectrum":
        return _spectrum_pulls(texts, pieces, coefficients * inverse, asked, inverse)
    order = sorted(range(len(texts)), key=lambda k: len(texts[k]))
    found, cells, letters = [], 0, sum(map(len, texts))
    for number, text in enumerate(texts):
        own = np.zeros(len(text))
        cells += len(text) * letters * pieces.length
        if cells <= _MOST_PULLS or number == 0:
            weights = (coefficients[asked[number]] * inverse)[order]
            support = np.flatnonzero(weights)
            for block, equal in _blocks(text, [texts[order[k]] for k in support]):
                own += (pieces.through(equal).sum(axis=1) * weights[support[block]]).sum(axis=1)
            own *= inverse[number] / pieces.length
        found.append(own)
    return tuple(found)


def _spectrum_pulls(
    texts: Sequence[str], pieces: Pieces, coefficients: Array, asked: Array, inverse: Array
) -> tuple[Array, ...]:
    """By the weight of each piece, shared evenly by its letters."""
    counts = Counts(texts, pieces.length)
    added = np.zeros(len(counts.found))
    for row, weights in enumerate(coefficients):
        mine = asked[counts.owner] == row
        by_piece = np.bincount(counts.found, weights[counts.owner], max(len(counts.vocabulary), 1))
        added[mine] = by_piece[counts.found[mine]]
    added *= inverse[counts.owner] / pieces.length
    begins = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    letters = np.zeros(begins[-1])
    for shift in range(pieces.length):
        np.add.at(letters, begins[counts.owner] + counts.start + shift, added)
    return tuple(letters[begins[k] : begins[k + 1]] for k in range(len(texts)))
