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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.svd import words
from algorithms.embedding.svd.solver import Circle, Decomposition, ladder
from algorithms.embedding.svd.views import subscript, views
from algorithms.maths import maps
from algorithms.maths.distances import refuse_overflow
from algorithms.params import Between, Doc

MOST_ROWS = 256
"""Rows and columns of a matrix that are shown as pixels, evenly chosen."""
LEAST_SIDE, NARROW = 12, 2
"""A matrix with few rows or columns has larger pixels, and is not shown narrower than one in two."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run: the solution, and which part of the matrix is shown as pixels."""

    data: Points
    found: Decomposition
    rank: int  # layers that were asked for, as far as there are any
    doubt: Literal["", "equal", "rank"]  # whether the best matrix is not the only one, or has a lower rank
    circle: Circle | None
    rows: Array  # those that are shown as pixels
    columns: Array
    repeat: tuple[int, int]  # pixels of the screen for a number, down and across

    @classmethod
    def of(cls, data: Points, rank: int) -> Given:
        """That of a matrix."""
        found = Decomposition.of(data.X)
        rows, columns = (maps.evenly(side, MOST_ROWS) for side in found.A.shape)
        high, wide = len(rows), len(columns)
        least = max(LEAST_SIDE, -(-max(high, wide) // NARROW))
        repeat = (-(-least // high) if high < least else 1, -(-least // wide) if wide < least else 1)
        circle = Circle.of(found) if data.d == 2 else None
        return cls(data, found, min(rank, len(found.s)), found.doubt(rank), circle, rows, columns, repeat)


@dataclass(frozen=True, slots=True)
class Shown:
    """How many layers there are, and where the unit vector is."""

    count: int = 0
    before: int = 0  # layers in the frame before
    angle: float | None = None  # of the unit vector that turns
    length: float = 0.0  # of its image


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Take the matrix of all rows apart, and add layer after layer.

    What it leads to is known beforehand: the solution is in what is given.
    """
    refuse_overflow(data.X)
    given = Given.of(data, params.rank)
    if given.circle is None:
        yield shot(given, "start", Shown())
    else:
        yield from turn(given, given.circle)
    count = 0
    for k in ladder(given.rank):
        yield shot(given, "layer", Shown(k, count))
        count = k
    yield shot(given, "result", Shown(count))
    return Stop.COMPLETE


def turn(given: Given, circle: Circle) -> Iterator[Shot]:
    """A unit vector goes around the circle, and then to where the matrix makes it longest."""
    around = [np.pi * step / TURN for step in range(1, TURN + 1)]
    onward = [np.pi + maps.eased(step / SETTLE) * circle.angle for step in range(1, SETTLE + 1)]
    for phase, angles in (("start", [0.0]), ("turn", around), ("longest", onward)):
        for angle in angles:
            image = circle.image(np.array([[np.cos(angle), np.sin(angle)]]))
            yield shot(given, phase, Shown(angle=angle, length=float(np.linalg.norm(image))))


def shot(given: Given, phase: str, shown: Shown) -> Shot:
    """The first layers, and what they leave over."""
    found, k = given.found, shown.count
    n, d = found.A.shape
    numbers = {
        "spectral": found.next_value(k),
        "frobenius": found.frobenius(k),
        "kept": 1.0 - float(found.squares[k] / found.squares[0]),
        "numbers": k * (n + d + 1.0) / (n * d),
    }
    return Snapshot(given, phase, Model(found.U[:, :k], found.s[:k], found.Vt[:k], found.s), numbers, shown)


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
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
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
                max(frame.shown.length for frame in played.frames) <= played.model.s[0] * (1.0 + 1e-12)
                and next(frame for frame in played.frames[::-1] if frame.phase == "longest").shown.length
                > 0.9999 * played.model.s[0]
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
    questions=(
        Question("How long is Ax at the next angle?", "turn", "shown.length"),
        Question("How large is the spectral norm of the remainder after the next layer?", "layer", "metrics.spectral"),
        Question("Which fraction of the sum of squares do the layers have then?", "layer", "metrics.kept"),
    ),
)
