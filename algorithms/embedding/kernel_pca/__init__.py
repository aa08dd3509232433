"""Kernel principal component analysis: principal components of what a kernel makes of the points.

A kernel k(x, z) = φ(x)·φ(z) is the inner product in a feature space whose coordinates are never computed. The matrix of
these products around the mean of the images φ(x_i) determines their principal axes: an axis is a weighted sum over the
points, and the score of a point along it is a function over the plane, whose level sets can be bent:

    K̃ = K - 1K - K1 + 1K1,    K̃ a_j = l_j a_j,    α_j = a_j / sqrt(l_j),    z_j(x) = Σ_i α_ij k̃(x_i, x)

So rings can be separated by a straight line in the map. The linear kernel gives the map of principal components, and a
very wide Gaussian the same up to its size. The way back asks for the point whose image is nearest to
what the first components keep: for the bell z <- Σ γ_i k(x_i, z) x_i / Σ γ_i k(x_i, z), for other kernels down the
slope of that distance.

Two things that documents leave out: K has to be centred, and an axis has the length 1 only with α'K̃α = 1, that is
a'a = 1/(n λ) for the eigenvalues λ = l / n of the covariance. The width c of exp(-|x-z|²/c) is 2 sigma².

Methods for Data Science section 11.2.1; Introduction to Machine Learning section 10.2.2; Schölkopf, Smola, Müller 1998;
Mika et al. 1999 (pre-images).
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
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.kernel_pca import solver, words
from algorithms.embedding.kernel_pca.solver import Axes, Gram, Search
from algorithms.embedding.kernel_pca.views import centred_table, gram_table, views
from algorithms.marks import Matrix
from algorithms.maths import maps
from algorithms.maths.distances import refuse_overflow as refuse_large
from algorithms.maths.kernels import Kernel, KernelName, named_kernel, refuse_overflow
from algorithms.maths.suggestions import kernel_width
from algorithms.params import Between, Doc, Log, Suggest, When

MOST_POINTS = 5000
"""The table of the kernel between more points than this does not fit into the memory of a small computer."""
MOST_SWEPT = 400
"""With more points than this other widths would take too long to be looked at in passing."""
WIDTHS, WIDEST, NARROWEST = 25, 8.0, 1 / 16
"""Widths of the bell that are tried beside the chosen one, and from where to where, by the spread of the points."""
SEARCHED = 120
"""Points whose pre-images are looked for."""
STEPS, MORE_STEPS = 30, 60
"""Steps of that search that are seen, and those of a search that nobody watches."""
STILL = 1e-3
"""The search ends when no pre-image wants to move by more than this fraction of the spread of the points."""
WITH_A_BELL = ("rbf", "laplacian", "linear + rbf", "polynomial × rbf")
_BELLS = (*WITH_A_BELL, "sigmoid")


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of kernel principal component analysis."""

    kernel: Annotated[
        KernelName,
        Doc("The inner product that takes the place of x·z; the sigmoid is in general no kernel."),
    ] = "rbf"
    sigma: Annotated[
        float,
        Between(1e-3, 1e3),
        Suggest(kernel_width, "from the distances"),
        Log,
        When("kernel", *_BELLS),
        Doc(
            "Width in data units of the bell exp(-|x-z|²/(2 sigma²)), exp(-|x-z|₁/sigma) of the Laplacian, and"
            " tanh(x·z/(2 sigma²) - offset) of the sigmoid."
        ),
    ] = 0.4
    degree: Annotated[
        int,
        Between(1, 10),
        When("kernel", "polynomial", "polynomial × rbf"),
        Doc("Degree of (x·z + offset)^degree."),
    ] = 2
    offset: Annotated[
        float,
        Between(0, 100),
        When("kernel", "polynomial", "polynomial × rbf", "sigmoid"),
        Doc("What is added to x·z in the polynomial, or taken off it in the sigmoid."),
    ] = 1.0
    dimensions: Annotated[
        int, Between(1, 16), Doc("How many components are kept; the map shows two of them, or three of three.")
    ] = 2
    component: Annotated[int, Between(1, 16), Doc("Whose level sets are in the plane at the end.")] = 1
    sweep: Annotated[
        bool, When("kernel", "rbf", "laplacian"), Doc("Afterwards let sigma run from wide to narrow, up to 400 points.")
    ] = True
    pre_image: Annotated[bool, Doc("Afterwards look for the points whose images are nearest to what is kept.")] = True


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The axes found so far, and the component whose level sets are on show."""

    alphas: Array  # (n, k) an axis in each column, as a sum over the points: α'K̃α = 1
    eigenvalues: Array  # (k,) of the centred matrix, falling
    embedding: Array  # (n, k) the scores of the points
    axes: Axes
    shown: int  # which component, -1 for none


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """What each component has of the variance at other widths."""

    widths: Array  # (w,) falling
    fractions: Array  # (w, k)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run: the solution, and parts of the kernel matrix."""

    data: Points
    bell: KernelName  # the kernel
    sigma: float
    axes: Axes
    gram: Matrix  # a part of the kernel matrix
    centred: Matrix  # the same around the mean
    own: tuple[float, float]  # the smallest and the largest number of its diagonal
    mean: float  # of all its numbers
    total: float  # the sum of all eigenvalues
    spread: float  # the usual distance of the points from their mean
    larger: float  # a width that is suggested, 0 where this one is not too narrow

    @property
    def handle(self) -> str:
        """The parameter that is the width, where there is one."""
        return "sigma" if self.bell in ("rbf", "laplacian") else ""

    @classmethod
    def of(cls, data: Points, params: Params) -> Given:
        """The kernel matrix and its eigenvectors."""
        gram = Gram.of(_kernel(data, params), data.X)
        axes = solver.principal_axes(gram, params.dimensions)
        if not axes.eigenvalues[0] > 0.0:
            raise DataError(words.NOTHING_APART)
        own, bell = gram.kernel.diagonal(data.X), params.kernel in WITH_A_BELL
        return cls(
            data=data,
            bell=params.kernel,
            sigma=params.sigma,
            axes=axes,
            gram=gram_table(data, gram),
            centred=centred_table(data, gram),
            own=(float(own.min()), float(own.max())),
            mean=float(gram.means.mean()),
            total=gram.total,
            spread=solver.spread(data.X),
            larger=solver.wider(axes, params.sigma, params.kernel == "laplacian") if bell else 0.0,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The width that is tried, and how far the search for pre-images is."""

    swept: Swept | None = None
    width: float | None = None  # that of this frame
    step: int = 0  # of the search
    searched: Array | None = None  # (s,) points that have pre-images,
    found: Array | None = None  # (s, d) and these


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Centre the kernel matrix, take its eigenvectors one by one, vary the width, and look for the way back.

    What it leads to is known beforehand: the solution is in what is given.
    """
    given, shown = Given.of(data, params), Shown()
    for phase in ("start", "gram", "centre", "eigen"):
        yield _shot(given, phase, _model(given.axes, 0), shown)
    for k in range(1, len(given.axes.eigenvalues) + 1):
        yield _shot(given, "component", _model(given.axes, k), shown)
    model = replace(_model(given.axes, k), shown=min(params.component, k) - 1)
    if params.sweep and given.handle and data.n <= MOST_SWEPT:
        shown = yield from _sweep(given, model)
    if params.pre_image:
        shown = yield from _look_back(given, model, shown)
    yield _shot(given, "result", model, shown)
    return Stop.COMPLETE


def _shot(given: Given, phase: str, model: Model, shown: Shown) -> Shot:
    axes, known, moved = model.axes, phase not in ("start", "gram", "centre"), np.nan
    if shown.searched is not None and shown.found is not None:
        moved = float(np.linalg.norm(shown.found - given.data.X[shown.searched], axis=1).mean())
    numbers = {
        "kept": min(float(axes.fractions[: model.alphas.shape[1]].sum()), 1.0) if known else np.nan,
        "first": float(axes.eigenvalues[0]) if known else np.nan,
        "moved": moved,
    }
    return Snapshot(given, phase, model, numbers, shown)


def _kernel(data: Points, params: Params) -> Kernel:
    """The kernel, or a sentence why there is nothing to be done."""
    if data.n > MOST_POINTS:
        raise DataError(
            f"Kernel principal components compare all pairs of points, of at most {MOST_POINTS:,}; there are "
            f"{data.n:,}. Take a part of them."
        )
    refuse_large(data.X)
    if not np.ptp(data.X, axis=0).any():
        raise DataError(words.NOTHING_APART)
    kernel = named_kernel(params.kernel, params.sigma, params.degree, params.offset)
    refuse_overflow(kernel, data.X)
    return kernel


def _model(axes: Axes, k: int) -> Model:
    """The first k components; the last of them is on show."""
    alphas, values = axes.alphas[:, :k], axes.eigenvalues[:k]
    return Model(alphas, values, alphas * values, axes, k - 1)


def _sweep(given: Given, model: Model) -> Generator[Shot, None, Shown]:
    """The same with other widths, from wide to narrow: the map goes over from principal components to lone points."""
    axes = given.axes
    grid = np.geomspace(NARROWEST * given.spread, WIDEST * given.spread, WIDTHS)
    widths = np.union1d(grid, [given.sigma])[::-1].copy()
    middle = int(np.flatnonzero(widths == given.sigma)[0])
    found = {middle: axes}
    for numbers in (range(middle - 1, -1, -1), range(middle + 1, len(widths))):
        before = axes
        for number in numbers:  # from the width that was chosen, so that no axis changes its side on the way
            kernel = named_kernel(given.bell, float(widths[number]), 2, 1.0)
            before = solver.principal_axes(
                Gram.of(kernel, axes.X), len(axes.eigenvalues), before.alphas * before.eigenvalues
            )
            found[number] = before
    swept = Swept(widths, np.stack([found[number].fractions for number in range(len(widths))]))
    for number in range(len(widths)):
        at = replace(_model(found[number], len(axes.eigenvalues)), shown=model.shown)
        yield _shot(given, "width", at, Shown(swept, float(widths[number])))
    return Shown(swept)


def _look_back(given: Given, model: Model, shown: Shown) -> Generator[Shot, None, Shown]:
    """From some points to the points whose images are nearest to what the components keep of theirs."""
    data = given.data
    some = maps.evenly(data.n, SEARCHED)
    spread = float(np.ptp(data.X, axis=0).max())
    search = Search.of(model.axes, model.embedding[some], data.X[some])
    for step in range(1, STEPS + 1):
        search = search.step()
        shown = Shown(shown.swept, None, step, some, search.at)
        yield _shot(given, "pre-image", model, shown)
        if search.wanted <= STILL * spread:
            break
    return shown


def transform(model: Model, X: Array) -> Array:
    """The scores (m, k) of new points."""
    return model.axes.scores(X)[:, : model.alphas.shape[1]]


def inverse(model: Model, Z: Array) -> Array:
    """Points (m, d) whose images are nearest to the places with these scores."""
    count = model.alphas.shape[1]
    maps.require_coordinates(Z, count)
    axes = replace(model.axes, alphas=model.alphas, eigenvalues=model.eigenvalues, levels=model.axes.levels[:count])
    return solver.pre_images(axes, model.embedding, Z, MORE_STEPS)


def field(model: Model, X: Array) -> Array:
    """The component that is on show, in standard deviations of the points along it, (m,)."""
    if model.shown < 0 or not model.axes.eigenvalues[model.shown] > 0.0:
        return np.zeros(len(X))
    deviation = np.sqrt(model.axes.eigenvalues[model.shown] / len(model.axes.X))
    return np.asarray(model.axes.scores(X)[:, model.shown] / deviation)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The scores of a point, and the points that have most to do with the first of them."""
    x = data.X[item.number] if item.number >= 0 else item.x
    return words.explanation(model, x, item.number)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.decomposition.KernelPCA``."""
    if case is None or case.data.n < params.dimensions:
        return None
    gamma = 0.5 / params.sigma**2
    kernels = {
        "linear": "kernel='linear'",
        "rbf": f"kernel='rbf', gamma={gamma!r}",
        "polynomial": f"kernel='poly', degree={params.degree}, gamma=1.0, coef0={params.offset!r}",
        "sigmoid": f"kernel='sigmoid', gamma={gamma!r}, coef0={-params.offset!r}",
    }
    if params.kernel not in kernels:
        return None
    return Counterpart(
        imports="from sklearn.decomposition import KernelPCA",
        make=f"KernelPCA({params.dimensions}, {kernels[params.kernel]})",
        difference="np.abs(np.abs(theirs.transform(X)) - np.abs(ours.model.embedding)).max() "
        "/ np.ptp(ours.model.embedding)",
        measure="largest difference of a score, by their range and up to sign",
        target=False,
    )


ALGORITHM = Algorithm(
    key="kernel_pca",
    title="Kernel principal components",
    family="embedding",
    summary="Principal components behind a kernel: bent level sets in the plane, and a map in which rings come apart.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    field=field,
    explain=explain,
    transform=transform,
    inverse=inverse,
    counterpart=counterpart,
    panels=(
        Panel("plane", "Level sets of a component", space="data"),
        Panel("map", "Map", x="component 1", y="component 2"),
        Panel("components", "One by one"),
        Panel("spectrum", "Eigenvalues", x="component", y="eigenvalue"),
        Panel("widths", "Other widths", x="σ", y="%", log_x=True),
        Panel("gram", "Kernel matrix", x="point", y="point", reserved=True),
    ),
    metrics=(
        Metric("kept", "fraction of the variance", group="fraction", better="neither"),
        Metric("first", "eigenvalue of component 1", group="eigenvalue", better="neither"),
        Metric("moved", "mean distance to the pre-images", group="distance", better="neither"),
    ),
    pseudocode=(
        Line("choose k(x, z) = φ(x)·φ(z)", "start"),
        Line("K_ij ← k(x_i, x_j)", "gram"),
        Line("K̃ ← K - 1K - K1 + 1K1", "centre"),
        Line("K̃ a_j = l_j a_j;  α_j ← a_j / √l_j", "eigen"),
        Line("z_j(x) ← Σ_i α_ij k̃(x_i, x); together {kept}", "component"),
        Line("the same for other widths σ", "width"),
        Line("z ← the point whose φ(z) is nearest: {moved} away", "pre-image"),
        Line("return α, l, z", "result"),
    ),
    reference="Methods for Data Science §11.2.1; Introduction to Machine Learning §10.2.2 (with K centred and axes of "
    "length 1); Bishop, Pattern Recognition and Machine Learning §12.3; Schölkopf, Smola, Müller, Neural Computation "
    "10, "
    "1998; Mika et al., NIPS 1998 (pre-images)",
    most=MOST_POINTS,
    example="circles(n=200,noise=0.05,factor=0.3,seed=1)",
    synonyms=("kernel PCA", "KPCA", "non-linear components", "pre-image", "denoising", "kernel trick", "feature space"),
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("Which fraction of the variance do the components so far have?", "component", "metrics.kept"),
        Question("How large is the first eigenvalue at the next width?", "width", "metrics.first"),
        Question("How far are the pre-images from the points after the next step?", "pre-image", "metrics.moved"),
    ),
)
