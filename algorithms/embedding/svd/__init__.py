"""Singular value decomposition: a matrix, or a picture, as a sum of layers, the most important one first.

Among all vectors of length 1 one becomes longest when the matrix A is applied to it: v_1 becomes s_1 u_1. At right
angles to it the same is sought again, and so on. The circle of all unit vectors becomes an ellipse whose half axes are
the singular values s, and the matrix is the sum of layers, each a column times a row:

    A = U S V' = sum_j s_j u_j v_j',    A_k = sum of the first k of them,    s_j^2 = eigenvalues of A'A and of AA'

Of all matrices of rank k the sum of the first k layers is the nearest. What it leaves over has the next singular value
as its norm, and the root of the sum of all later squares as its Frobenius norm:

    |A - A_k|_2 = s_(k+1),    |A - A_k|_F^2 = s_(k+1)^2 + s_(k+2)^2 + ...

A picture is a matrix of grey values. What runs along rows and columns needs few layers, what runs across them many.
Unlike principal components nothing is centred: the lines along v go through zero.

Methods for Data Science section 11.1.1 (which once writes AA' for A'A, and right for left); Eckart and Young 1936.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.svd import words
from algorithms.embedding.svd.solver import Decomposition, ladder
from algorithms.embedding.svd.views import Picture, first_picture, frame, subscript
from algorithms.maths import maps
from algorithms.maths.distances import refuse_overflow
from algorithms.params import Between, Doc

TURN, SETTLE = 18, 5
"""Frames in which a unit vector turns half around, and in which it goes to where it becomes longest."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knob of the singular value decomposition."""

    rank: Annotated[int, Between(1, 256), Doc("How many layers are added up.")] = 20


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The layers so far: U diag(s) Vt is their sum."""

    U: Array  # (n, k) columns of length 1 at right angles
    s: Array  # (k,) never rising
    Vt: Array  # (k, d) rows of length 1 at right angles
    spectrum: Array  # (min(n, d),) all singular values


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Take the matrix of all rows apart, and add layer after layer."""
    refuse_overflow(data.X)
    found = Decomposition.of(data.X)
    picture = first_picture(data, found, min(params.rank, len(found.s)))
    turning = replace(picture, angle=0.0) if picture.circle is not None else picture
    yield frame(turning, _model(found, 0), "start", words.opening(picture))
    if picture.circle is not None:
        yield from _turn(turning, _model(found, 0))
    for k in ladder(picture.rank):
        before, picture = picture.count, replace(picture, count=k)
        yield frame(picture, _model(found, k), "layer", words.layer(picture, before))
    picture = replace(picture, warning=words.warning(picture, params.rank))
    yield frame(picture, _model(found, picture.rank), "result", words.closing(picture))
    return Stop.COMPLETE


def _model(found: Decomposition, k: int) -> Model:
    """The first k layers."""
    return Model(found.U[:, :k], found.s[:k], found.Vt[:k], found.s)


def _turn(picture: Picture, model: Model) -> Generator[DrawnSnapshot, None, None]:
    """A unit vector goes around the circle, and then to where the matrix makes it longest."""
    assert picture.circle is not None
    longest = picture.circle.angle
    for step in range(1, TURN + 1):
        picture = replace(picture, angle=np.pi * step / TURN)
        yield frame(picture, model, "turn", words.turning(picture, longest=False))
    for step in range(1, SETTLE + 1):
        picture = replace(picture, angle=np.pi + maps.eased(step / SETTLE) * longest)
        yield frame(picture, model, "longest", words.turning(picture, longest=True))


def transform(model: Model, X: Array) -> Array:
    """Rows (m, d) along the directions v: (m, k)."""
    return np.asarray(X @ model.Vt.T)


def inverse(model: Model, Z: Array) -> Array:
    """The rows (m, d) with these coordinates."""
    if Z.shape[1] != len(model.Vt):
        raise DataError(f"There are {len(model.Vt)} layers; these rows have {Z.shape[1]} coordinates.")
    return np.asarray(Z @ model.Vt)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What a row is made of, and how much of it is left over."""
    x = data.X[item.number] if item.number >= 0 else item.x
    along = transform(model, x[None])[0]
    answer: Explanation = {"row": item.number + 1} if item.number >= 0 else {}
    answer |= {f"along v{subscript(k)}": float(value) for k, value in enumerate(along[:6], start=1)}
    answer["length of the row"] = float(np.linalg.norm(x))
    answer["length of the remainder"] = float(np.linalg.norm(x - along @ model.Vt))
    return answer


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.decomposition.TruncatedSVD``, which wants fewer layers than the matrix has."""
    if case is None or not isinstance(case.data, Points) or params.rank >= min(case.data.n, case.data.d):
        return None
    return Counterpart(
        imports="from sklearn.decomposition import TruncatedSVD",
        make=f'TruncatedSVD({params.rank}, algorithm="arpack")',
        difference="np.abs(theirs.singular_values_ - ours.model.s).max() / ours.model.s[0]",
        measure="largest difference of a singular value, by the first",
        target=False,
    )


ALGORITHM = Algorithm(
    key="svd",
    title="Singular values",
    family="embedding",
    summary="Takes a matrix or a picture apart into layers and adds them up again, the most important one first.",
    params=Params,
    run=run,
    explain=explain,
    transform=transform,
    inverse=inverse,
    counterpart=counterpart,
    panels=(
        Panel("circle", "Circle and ellipse", x="first coordinate", y="second coordinate", surface=True, features=2),
        Panel("pictures", "Sum of layers", space="none"),
        Panel("layers", "Layers", space="none"),
        Panel("spectrum", "Singular values", x="layer", y="σ", log_y=True, integer_x=True),
        Panel("error", "Remainder", x="layers", y="% of the norm", integer_x=True),
        Panel("plane", "Rows as points", space="data"),
    ),
    metrics=(
        Metric("spectral", "spectral norm of the remainder", group="remainder"),
        Metric("frobenius", "Frobenius norm", group="remainder"),
        Metric("kept", "fraction of the squares", group="fraction", better="higher"),
        Metric("numbers", "fraction of the numbers", group="fraction", better="neither"),
    ),
    pseudocode=(
        Line("B ← 0: |A - B| = {spectral}", "start"),
        Line("turn x with |x| = 1: how long is Ax?", "turn"),
        Line("v_1 ← the x whose Ax is longest: A v_1 = s_1 u_1", "longest"),
        Line("B ← B + s_k u_k v_k': |A - B| = {spectral}", "layer"),
        Line("return U, s, V'        {kept} of the squares", "result"),
    ),
    reference="Methods for Data Science §11.1.1; Strang, Introduction to Linear Algebra, chapter 7; Trefethen, Bau, "
    "Numerical Linear Algebra, lectures 4 and 5; Eckart, Young, Psychometrika 1, 1936",
    example="picture(seed=2)",
    synonyms=(
        "SVD",
        "singular value decomposition",
        "Eckart-Young",
        "low rank",
        "low-rank approximation",
        "image compression",
        "picture",
        "photo",
        "matrix",
        "spectral norm",
        "Frobenius norm",
        "truncated SVD",
        "latent semantic analysis",
    ),
    formulas=(
        r"A = U \Sigma V^{\top} = \sum_j \sigma_j u_j v_j^{\top}, \qquad A_k = \sum_{j \le k} \sigma_j u_j v_j^{\top}",
        r"\|A - A_k\|_2 = \sigma_{k+1}, \qquad \|A - A_k\|_F^2 = \sum_{j > k} \sigma_j^2",
        r"A^{\top} A\, v_j = \sigma_j^2 v_j, \qquad A A^{\top} u_j = \sigma_j^2 u_j, \qquad A v_j = \sigma_j u_j",
    ),
    tries=(
        Try(
            "A harbour at dusk: twenty layers have 99.8 % of the sum of squares with 37 % as many numbers. Drop a PNG "
            "or "
            "JPEG file on the window to decompose a picture of your own.",
            "picture(seed=2)",
            shows=lambda played: played.final("kept") > 0.998 and round(100 * played.final("numbers")) == 37,
        ),
        Try(
            "A chessboard is two layers, however many squares it has.",
            'picture(pattern="chessboard",noise=0)',
            {"rank": 2},
            shows=lambda played: played.final("kept") == 1.0 and played.model.spectrum[1] > 1.0,
        ),
        Try(
            "A line across the picture has rank 95 of 96: what is simple for the eye is not always of low rank.",
            'picture(pattern="diagonal",noise=0)',
            {"rank": 40},
            shows=lambda played: int((played.model.spectrum > 1e-9 * played.model.spectrum[0]).sum()) == 95,
        ),
        Try(
            "Noise on a smooth picture: three layers are the picture, and the slowly falling tail of the singular "
            "values after them is the noise.",
            'picture(pattern="waves",noise=0.3)',
            {"rank": 3},
            shows=lambda played: (
                played.model.spectrum[2] > 1.7 * played.model.spectrum[3]
                and played.model.spectrum[3] < 1.7 * played.model.spectrum[20]
            ),
        ),
        Try(
            "A matrix of two rows and two columns: a unit vector x turns until Ax is longest, and the circle of all x "
            "becomes an ellipse. The rows are points: drag them in the tab Rows as points, and the ellipse follows.",
            "uniform(n=2,seed=3)",
            shows=lambda played: (
                played.last.phase == "result" and {"turn", "longest"} < {f.phase for f in played.frames}
            ),
        ),
    ),
    related=(
        Try(
            "Principal components: the same with the mean of the rows subtracted first.",
            method="pca",
            shows=lambda played: np.allclose(
                played.model.variances * (played.data.n - 1),
                np.square(np.linalg.svd(played.data.X - played.data.X.mean(axis=0))[1][:2]),
            ),
        ),
    ),
)
