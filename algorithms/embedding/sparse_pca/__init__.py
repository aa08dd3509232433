"""Sparse principal components: directions of much variance that are made of few features.

A principal component is a mixture of all features, which is hard to read. Here the absolute values of the loadings are
penalised, as coefficients are in the lasso, so that most of them become exactly zero, for a little of the variance. Two
steps alternate, each the best one while the other stays: the scores of the points along the loadings, and a soft
threshold of the loadings. A component is subtracted (deflation) before the next one is looked for:

    minimise ½ |X - u w'|² + λ Σ_j |w_j|  over |u| = 1:    u <- Xv / |Xv|,   w <- S(X'u, λ),   v <- w / |w|

S(a, λ) = sign(a) max(|a| - λ, 0). In the other form v'X'Xv is maximised while |v| = 1 and Σ|v_j| <= t; then the
threshold is the one at which v meets the bound t. From t = √d on (and for λ = 0) it is the principal component; with
t = 1 a single feature is left, the one that varies most. Neither form is convex, so another beginning may end
elsewhere; sparse components are not at right angles, and their variance is that in the space that they span.

Methods for Data Science section 11.2.2 (the problem; no algorithm is printed); Witten, Tibshirani, Hastie 2009; Shen,
Huang 2008.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
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
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.embedding.sparse_pca import solver, words
from algorithms.embedding.sparse_pca.solver import Problem, Step
from algorithms.embedding.sparse_pca.views import views
from algorithms.maths.components import longest_directions
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.maps import require_coordinates
from algorithms.maths.scales import means
from algorithms.params import Advanced, Between, Doc, Log, When

PENALTIES = 31
"""Prices at which the path of the loadings is followed."""
PATH_TOL, PATH_STEPS = 1e-6, 100


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of sparse principal components."""

    lam: Annotated[
        float,
        Between(0.0, 1.0),
        When("form", "penalty"),
        Doc("The penalty λ, as a fraction of the least one at which all loadings are 0; 0 gives principal components."),
    ] = 0.4
    dimensions: Annotated[int, Between(1, 16), Doc("How many components are looked for, one after the other.")] = 2
    form: Annotated[
        Literal["penalty", "bound"],
        Doc("A penalty λ on the absolute value of every loading, or a bound t on their sum."),
    ] = "penalty"
    t: Annotated[
        float,
        Between(1.0, 8.0),
        When("form", "bound"),
        Doc("The largest sum of the absolute values of the loadings: 1 leaves one feature, √d all of them."),
    ] = 1.7
    scaling: Annotated[
        Literal["as they are", "standardised"],
        Doc("Whether each feature is first divided by its standard deviation, so that its unit does not matter."),
    ] = "standardised"
    sweep: Annotated[bool, Doc("Afterwards follow the loadings of the first component over all penalties.")] = True
    tol: Annotated[
        float,
        Between(1e-12, 1e-2),
        Log,
        Advanced,
        Doc("A component is ready when the sum falls by less than this part."),
    ] = 1e-6
    max_steps: Annotated[int, Between(1, 10_000), Log, Advanced, Doc("Most steps for each component.")] = 200


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The components so far; the last one may be on its way."""

    components: Array  # (k, d) of the scaled features, rows of length 1, or 0 where nothing was left
    mean: Array  # (d,)
    scale: Array  # (d,) what each feature was divided by
    explained: float  # the fraction of the variance in the space that they span

    def scores(self, X: Array) -> Array:
        """The mixture of components (m, k) that comes nearest to each row."""
        return np.asarray((X - self.mean) / self.scale @ np.linalg.pinv(self.components))


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The first component over the penalty."""

    penalties: Array  # (p,) as fractions of the least one at which all loadings are 0
    loadings: Array  # (p, d)
    kept: Array  # (p,) its fraction of the variance


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    params: Params
    directions: Array  # (r, d) the principal components,
    fractions: Array  # (r,) and their parts of the variance
    unit: float  # in which the squares are counted

    @property
    def form(self) -> str:
        """Penalty or bound."""
        return self.params.form

    @property
    def lam(self) -> float:
        """The penalty that was asked for."""
        return self.params.lam


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Which component is at work, and the path of the first one over the penalty."""

    taken: int = 0  # components that are ready
    step: int = 0
    at_work: bool = False  # a component is on its way
    dense: Array | None = None  # (d,) what the component at work began with
    left: float = 1.0  # the fraction of the squares that is left for the next
    path: Path | None = None
    penalty: float | None = None  # the one of this frame
    doubt: Literal["", "used up", "steps"] = ""


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """For each component: scores, threshold, and again; deflate; at last the path over all penalties."""
    table, mean, scale, unit = _prepared(data, params)
    whole = left = Problem.of(table, params.lam, params.t if params.form == "bound" else None)
    lengths, directions = longest_directions(whole.table)
    given = Given(data, params, directions, np.square(lengths) / whole.size, unit)
    model, shown = Model(np.zeros((0, data.d)), mean, scale, 0.0), Shown()
    objective = 0.5 * whole.size
    yield _shot(given, "start", model, objective, shown)
    for k in range(min(params.dimensions, data.d)):
        if solver.is_used_up(left, whole.size):
            shown = replace(shown, doubt="used up")
            break
        model, dense, step, ready = yield from _component(given, model, whole, left, k)
        left, objective = left.without(step), step.objective
        doubt = shown.doubt if ready else "steps"
        shown = Shown(k + 1, dense=dense, left=left.size / whole.size, doubt=doubt)
        yield _shot(given, "deflate", model, objective, replace(shown, doubt=""))
    if params.sweep:
        shown = yield from _path(given, model, whole, objective, shown)
    yield _shot(given, "result", model, objective, shown)
    return Stop.LIMIT if shown.doubt == "steps" else Stop.CONVERGED


def _shot(given: Given, phase: str, model: Model, objective: float, shown: Shown) -> Shot:
    components = model.components
    numbers = {
        "objective": objective * given.unit**2,
        "explained": model.explained,
        "features": float(np.count_nonzero(components[-1])) if len(components) else float(given.data.d),
    }
    return Snapshot(given, phase, model, numbers, shown)


def _prepared(data: Points, params: Params) -> tuple[Array, Array, Array, float]:
    """The points around their mean by the scale of each feature and by a unit, and all three of these."""
    refuse_overflow(data.X)
    if not np.ptp(data.X, axis=0).any():
        raise DataError("Sparse principal components need at least two different points; here all are equal.")
    mean = means(data.X)
    centred = data.X - mean
    unit = float(np.abs(centred).max())  # tiny numbers have no squares
    scale = np.ones(data.d)
    if params.scaling == "standardised":
        spread = (centred / unit).std(axis=0) * unit
        scale = np.where(spread > 0.0, spread, 1.0)
        unit = float(np.abs(centred / scale).max())
    return centred / scale / unit, mean, scale, unit


def _component(
    given: Given, model: Model, whole: Problem, left: Problem, k: int
) -> Generator[Shot, None, tuple[Model, Array, Step, bool]]:
    """One component, step by step: the model with it, what it began with, its last step, and whether it was ready."""
    before, params = model.components, given.params

    def having(loadings: Array) -> Model:
        components = np.vstack([before, loadings])
        return replace(model, components=components, explained=whole.explained(components))

    direction, step = solver.begin(left)
    shown = Shown(k, dense=direction)
    yield _shot(given, "begin", having(direction), 0.5 * left.size, shown)
    model, shown = having(step.loadings), replace(shown, at_work=True, step=1)
    yield _shot(given, "shrink", model, step.objective, shown)
    ready = not step.loadings.any()
    for number, (now, over) in enumerate(solver.descend(left, step, params.tol, params.max_steps), start=2):
        step, ready = now, over
        model = having(step.loadings)
        yield _shot(given, "shrink", model, step.objective, replace(shown, step=number))
    return model, direction, step, ready


def _path(given: Given, last: Model, whole: Problem, objective: float, shown: Shown) -> Generator[Shot, None, Shown]:
    """The loadings of the first component from no penalty to the one at which none is left."""
    penalties = np.linspace(0.0, 1.0, PENALTIES)
    loadings = solver.path(whole, penalties * whole.largest_penalty, PATH_TOL, PATH_STEPS)
    path = Path(penalties, loadings, np.array([whole.explained(row[None]) for row in loadings]))
    shown = replace(shown, dense=None, path=path)
    for number in range(PENALTIES):
        model = replace(last, components=loadings[number : number + 1], explained=float(path.kept[number]))
        here = replace(shown, dense=given.directions[0], penalty=float(penalties[number]))
        yield _shot(given, "path", model, objective, here)
    return shown


def transform(model: Model, X: Array) -> Array:
    """The scores (m, k) of new points."""
    return model.scores(X)


def inverse(model: Model, Z: Array) -> Array:
    """The points (m, d) with these scores."""
    require_coordinates(Z, len(model.components))
    return np.asarray(model.mean + Z @ model.components * model.scale)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The scores of a point, and which features the first of them is made of."""
    return words.explanation(model, data, item)


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """``sklearn.decomposition.SparsePCA`` at the same penalty, behind a ``StandardScaler`` for scaled features."""
    if case is None or not isinstance(case.data, Points) or params.form == "bound":
        return None
    table, _, _, unit = _prepared(case.data, params)
    penalty = Problem.of(table, params.lam, None).lam * unit
    make = f"SparsePCA({params.dimensions}, alpha={penalty!r}, tol={params.tol!r}, max_iter={params.max_steps})"
    imports = "from sklearn.decomposition import SparsePCA"
    component = "theirs.components_"
    if params.scaling == "standardised":
        make = f"make_pipeline(StandardScaler(), {make})"
        imports += "\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import StandardScaler"
        component = "theirs[-1].components_"
    return Counterpart(
        imports=imports,
        make=make,
        difference=f"np.abs(np.abs({component}[0]) - np.abs(ours.model.components[0])).max()",
        measure="largest difference of a loading of the first component, up to sign",
        target=False,
        caveat="The sum has several minima, and scikit-learn begins elsewhere."
        if params.dimensions == 1
        else "Scikit-learn fits all components together; here one follows the other.",
    )


ALGORITHM = Algorithm(
    key="sparse_pca",
    title="Sparse principal components",
    family="embedding",
    summary="Principal components with penalised loadings: most become zero, and hardly any variance is lost.",
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
        Panel("loadings", "Loadings (grey: without a penalty)", y="loading"),
        Panel("map", "Map", x="component 1", y="component 2"),
        Panel("path", "Loadings over the penalty", x="λ", y="loading"),
        Panel("kept", "Variance kept", x="λ", y="%"),
        Panel("scree", "Beside PCA", x="components", y="%", integer_x=True),
        Panel("plane", "Data", space="data"),
    ),
    metrics=(
        Metric("objective", "½ |X - u w'|² + λ Σ|w|", group="objective"),
        Metric("explained", "fraction of the variance", group="fraction", better="neither"),
        Metric("features", "loadings that are not zero", group="loadings", better="neither"),
    ),
    pseudocode=(
        Line("X ← points around their mean", "start"),
        Line("v ← direction of most variance in X", "begin"),
        Line("repeat:  u ← Xv / |Xv|;  w ← S(X'u, λ);  v ← w / |w|     {features} loadings left", "shrink"),
        Line("X ← X - u w'; so far {explained} of the variance", "deflate"),
        Line("the first component at every penalty λ", "path"),
        Line("return v_1, v_2, ...", "result"),
    ),
    reference="Methods for Data Science §11.2.2; Hastie, Tibshirani, Friedman, The Elements of Statistical "
    "Learning §14.5.5; Witten, Tibshirani, Hastie, Biostatistics 10, 2009; Shen, Huang, Journal of "
    "Multivariate Analysis 99, 2008",
    example="wine()",
    synonyms=("SPCA", "SparsePCA", "sparse loadings", "penalised matrix decomposition", "soft threshold", "lasso"),
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("How many loadings of the component are not 0 after the next step?", "shrink", "metrics.features"),
        Question(
            "Which fraction of the variance do the components have after the next step?", "shrink", "metrics.explained"
        ),
    ),
)
