"""Gaussian mixture: the data come from k Gaussians, and EM finds out which ones.

A hidden component is drawn with the weights π, then the point from its Gaussian: p(x) = Σ_k π_k N(x | μ_k, Σ_k). EM
raises the log-likelihood l(θ) = Σ_i log p(x_i) in two half steps:

    E step   r_ik = π_k N(x_i | μ_k, Σ_k) / p(x_i)                       (responsibilities)
    M step   n_k = Σ_i r_ik,  π_k = n_k / n,  μ_k = Σ_i r_ik x_i / n_k,  Σ_k = Σ_i r_ik (x_i - μ_k)(x_i - μ_k)ᵀ / n_k

Why it climbs: F(r, θ) = Σ_ik r_ik log π_k N(x_i | μ_k, Σ_k) + T Σ_i H(r_i) lies below l(θ) at T = 1; the E step makes
it touch, the M step lifts it. Only a local maximum is promised, hence restarts.

The temperature T turns the same F into other algorithms: the E step becomes r_ik ∝ (π_k N_k)^(1/T), the M step stays.
T = 1 is EM; between 0 and 1 the responsibilities are sharper, above 1 softer (deterministic annealing). T = 0 is the
hard limit with equal weights and one common spherical covariance, which moves the means exactly as k-means does.

The likelihood has no maximum when a component may shrink onto one point. The floor forbids variances below it in any
direction (the best such matrix is taken, so l still never falls); floor = 0 lets the collapse happen and says so.

Handbook §3.2.3 (Alg. 8); Methods for Data Science §10.1 (with (2π)^(-d/2), d the dimension); Buhmann slides 247-266;
in the plane the ellipses at 1 and 2 standard deviations hold 39.35 % and 86.47 %, over one feature 68.27 % and 95.45 %.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from algorithms.clustering.gaussian_mixture import solver, words
from algorithms.clustering.gaussian_mixture.solver import CovarianceType, HalfStep, Mixture
from algorithms.clustering.gaussian_mixture.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Ended,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.counterpart import array_source
from algorithms.data import Array, DataError, Item, Points
from algorithms.foreign import Shape, steps_of
from algorithms.maths import gaussians, seeding
from algorithms.maths.distances import Cloud, refuse_overflow, round_origin
from algorithms.maths.restarts import Restarts, best_of
from algorithms.params import Advanced, Between, Doc, Handles, Live, Log, PointList, When

TRAIL_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the mixture."""

    k: Annotated[int, Between(1, 20), Doc("Number of Gaussian components.")] = 3
    covariance: Annotated[
        CovarianceType,
        Doc("Shape of the components: any ellipse, ellipses along the axes, circles, or one ellipse shared by all."),
    ] = "full"
    init: Annotated[
        Literal["k-means", "random points", "random responsibilities", "by hand"],
        Doc(
            "Where the components begin: on a k-means solution, on points, from random numbers, or where you put them."
        ),
    ] = "k-means"
    centres: Annotated[
        PointList,
        Handles,
        When("init", "by hand"),
        Doc("The first means; drag them. Missing ones are put on the point farthest from all means."),
    ] = ()
    temperature: Annotated[
        float,
        Between(0.0, 5.0),
        Live,
        Doc("1 is EM; below it the responsibilities get sharper, and 0 is k-means; above it they get softer."),
    ] = 1.0
    restarts: Annotated[int, Between(1, 50), Doc("Runs from different beginnings; the best is kept.")] = 1
    floor: Annotated[
        float,
        Between(0.0, 1.0),
        Doc("No component has a smaller variance in any direction; 0 lets a component collapse onto a point."),
    ] = 1e-6
    tol: Annotated[
        float,
        Between(1e-12, 0.1),
        Log,
        Advanced,
        Doc("Stop when a step raises the log-likelihood by less than this per point."),
    ] = 1e-6
    max_steps: Annotated[int, Between(1, 10_000), Advanced, Doc("The most steps (E and M) of one run.")] = 300


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Weights, means and covariances, and the log-likelihood of the data with them."""

    weights: Array  # (k,)
    means: Array  # (k, d)
    covariances: Array  # (k, d, d)
    log_likelihood: float


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    init: str  # how it began; "going on" from a model
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The responsibilities, the way of the means, and what a step has come to."""

    responsibilities: Array  # (k, n)
    trail: Array  # (steps, k, d)
    restarts: Restarts
    before: float = math.nan  # the log-likelihood before this half step
    stop: Stop | None = None  # why this half step is the last
    collapsed: int = -1  # a component that would have become singular
    number: int = 0  # the restart that is kept


Shot = Snapshot[Given, Model, Shown]


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """A finished run."""

    last: Shot
    stop: Stop
    number: int

    @property
    def objective(self) -> float:
        """The log-likelihood."""
        return self.last.model.log_likelihood

    def is_better(self, best: End) -> bool:
        """A run that collapsed is worse than any that did not, however high its likelihood."""
        return self._rank > best._rank

    @property
    def _rank(self) -> tuple[bool, float]:
        return self.stop is not Stop.DIVERGED, self.last.metrics["bound"]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Begin, then E and M steps until the likelihood stands still; then the best restart."""
    refuse_overflow(data.X)
    if start is None:
        seeding.need_distinct_points(data.X, params.k, "components")
    cloud, given = Cloud.of(data.X), Given(params.init if start is None else "going on", data.n)
    rules = solver.rules_for(cloud, params)

    def attempt(restarts: Restarts) -> Generator[Shot, None, End]:
        mixture, first = solver.beginning(cloud, params, rules, rng) if start is None else _resumed(start, cloud)
        half = solver.at_first(cloud, mixture, first, rules)
        model = _model(half, cloud) if start is None else replace(start, log_likelihood=half.log_likelihood)
        shown = Shown(half.responsibilities, model.means[None], restarts)
        yield Snapshot(given, "initial", model, _numbers(half), shown)
        for half in solver.half_steps(cloud, mixture, rules):
            model = _model(half, cloud)
            shown = _followed(shown, half, model)
            last = Snapshot(given, half.phase, model, _numbers(half), shown)
            yield last
            shown = replace(shown, before=half.log_likelihood)
        assert shown.stop is not None
        return End(last, shown.stop, restarts.number)

    total = params.restarts if start is None else 1
    best, restarts = yield from best_of(total, attempt, End.is_better)
    if total > 1:
        shown = replace(best.last.shown, restarts=restarts, number=best.number)
        yield replace(best.last, phase="best", shown=shown)
    return Ended(best.stop, "a component collapsed") if best.stop is Stop.DIVERGED else best.stop


def _resumed(start: Model, cloud: Cloud) -> tuple[Mixture, None]:
    if start.means.shape[1] != cloud.d:
        raise DataError(f"The model has means with {start.means.shape[1]} features; the data have {cloud.d}.")
    return Mixture(start.weights, start.means - cloud.origin, start.covariances), None


def _followed(shown: Shown, half: HalfStep, model: Model) -> Shown:
    """What there is to show after a half step; the trail grows where the means have moved."""
    trail, collapsed = shown.trail, -1 if half.collapsed is None else int(half.collapsed[0])
    if half.phase == "M step":
        trail = np.concatenate([trail[1 - TRAIL_LENGTH :], model.means[None]])
    return Shown(half.responsibilities, trail, shown.restarts, shown.before, half.stop, collapsed)


def _model(half: HalfStep, cloud: Cloud) -> Model:
    mixture = half.mixture
    return Model(mixture.weights, mixture.means + cloud.origin, mixture.covariances, half.log_likelihood)


def _numbers(half: HalfStep) -> dict[str, float]:
    weights = half.mixture.weights
    return {
        "log_likelihood": half.log_likelihood,
        "bound": half.bound,
        "gain": half.gain / half.responsibilities.shape[1],
        "effective": math.exp(-float(weights @ np.log(weights))),
    }


def adopt(data: Points, params: Params, foreign: Iterator[Any]) -> Iterator[Shot]:
    """Somebody else's EM: ``weights, means, covariances`` at first, then with ``responsibilities`` (n, k), too."""
    cloud, given, shown, before = Cloud.of(data.X), Given("by hand", data.n), None, None
    wanted: dict[str, Shape] = {"weights": ("k",), "means": ("k", data.d), "covariances": ("k", data.d, data.d)}
    steps = steps_of(foreign, wanted | {"responsibilities": (data.n, "k")}, optional=1)
    for step, (weights, means, covariances, r) in enumerate(steps):
        if (weights <= 0.0).any() or (np.linalg.eigvalsh(covariances) <= 0.0).any():
            raise DataError(f"Step {step} gives weights or covariances that are not positive.")
        mixture = Mixture(weights, means - cloud.origin, covariances)
        if shown is None or before is None or len(weights) != len(before.mixture.weights):
            half = solver.at_first(cloud, mixture, None if r is None else r.T, solver.rules_for(cloud, params))
            shown = Shown(half.responsibilities, means[None], Restarts())
            yield Snapshot(given, "initial", _model(half, cloud), _numbers(half), shown)
        else:
            kept = before.responsibilities if r is None else np.ascontiguousarray(r.T)
            moved = not np.array_equal(means, shown.trail[-1]) or not np.array_equal(weights, before.mixture.weights)
            half = solver.judged(cloud, mixture, kept, "M step" if moved else "E step", before.bound)
            model = _model(half, cloud)
            shown = _followed(replace(shown, before=before.log_likelihood), half, model)
            yield Snapshot(given, half.phase, model, _numbers(half), shown)
        before = half


def _log_joint(model: Model, X: Array) -> Array:
    """The logarithms of π_k N(x | μ_k, Σ_k) at new points, (k, n)."""
    origin = round_origin(model.means.T)
    mixture = Mixture(model.weights, model.means - origin, model.covariances)
    return mixture.log_joint(np.ascontiguousarray((X - origin).T))


def responsibilities(model: Model, X: Array) -> Array:
    """r_ik (n, k): the probability that point i comes from component k."""
    return gaussians.softmax(_log_joint(model, X))[0].T


def predict(model: Model, X: Array) -> Array:
    """The component (n,) with the greatest responsibility; the lowest number in a tie."""
    return _log_joint(model, X).argmax(axis=0)


def field(model: Model, X: Array) -> Array:
    """The density p(x) of the mixture, (n,)."""
    return gaussians.bounded_exp(gaussians.log_sum_exp(_log_joint(model, X)))


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The density, and for every component its responsibility, density and Mahalanobis distance; counted from 1."""
    x = item.x
    joint = _log_joint(model, x[None])
    found, logs = gaussians.softmax(joint)
    factors, _ = gaussians.whitening(model.covariances)
    origin = model.means[0]
    squared = gaussians.squared_mahalanobis((x - origin)[:, None], model.means - origin, factors)[:, 0]
    densities = gaussians.bounded_exp(joint[:, 0] - np.log(model.weights))
    answer: Explanation = {
        "component": int(joint[:, 0].argmax()) + 1,
        "density p(x)": float(gaussians.bounded_exp(logs)[0]),
    }
    for number, responsibility in enumerate(found[:, 0], start=1):
        answer[f"responsibility of component {number}"] = float(responsibility)
        answer[f"density of component {number}"] = float(densities[number - 1])
        answer[f"Mahalanobis distance to component {number}"] = math.sqrt(squared[number - 1])
    return answer


def sample(model: Model, n: int, rng: np.random.Generator) -> Points:
    """New points with the component of each as its class: the component drawn with the weights, then the point."""
    components = rng.choice(len(model.weights), size=n, p=model.weights / model.weights.sum())
    factors = np.linalg.cholesky(model.covariances)
    noise = rng.standard_normal((n, model.means.shape[1]))
    X = model.means[components] + np.einsum("nij,nj->ni", factors[components], noise)
    names = tuple(f"component {number}" for number in range(1, len(model.weights) + 1))
    return Points(X, components, classes=names, target="component", name="drawn from the mixture")


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """scikit-learn's ``GaussianMixture``, from the same first parameters where there is one run only."""
    if params.temperature != 1.0:
        return None
    kind = {"full": "full", "diagonal": "diag", "spherical": "spherical", "tied": "tied"}[params.covariance]
    begin = f"n_init={params.restarts}"
    caveat = "The first parameters are other random numbers, so the best run may be another one."
    if case is not None and params.restarts == 1:
        start = case.first_model(lambda model: len(model.weights) == params.k)
        begin = (
            f"weights_init={array_source(start.weights / start.weights.sum())}, "
            f"means_init={array_source(start.means)}, "
            f"precisions_init={array_source(_precisions(start.covariances, params.covariance))}"
        )
        caveat = "It adds reg_covar to each variance where we keep the variances above the floor."
    return Counterpart(
        imports="from sklearn.mixture import GaussianMixture",
        make=f"GaussianMixture({params.k}, covariance_type={kind!r}, tol={params.tol!r}, reg_covar={params.floor!r}, "
        f"max_iter={params.max_steps}, random_state={0 if case is None else case.seed}, {begin})",
        difference="abs(theirs.score(X) * len(X) - ours.model.log_likelihood) / len(X)",
        measure="difference in the log-likelihood per point",
        target=False,
        caveat=caveat,
    )


def _precisions(covariances: Array, kind: CovarianceType) -> Array:
    inverse = np.linalg.inv(covariances)
    if kind == "full":
        return inverse
    if kind == "tied":
        return np.asarray(inverse[0])
    diagonal = np.diagonal(inverse, axis1=1, axis2=2)
    return diagonal if kind == "diagonal" else diagonal.mean(axis=1)


ALGORITHM = Algorithm(
    key="gaussian_mixture",
    title="Gaussian mixture (EM)",
    family="clustering",
    summary="EM gives Gaussian components responsibility for every point and fits them to these points, in turn.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    adopt=adopt,
    questions=(
        Question("Where do the means go in the next M step?", "M step", "model.means"),
        Question("How large is the log-likelihood after the next M step?", "M step", "metrics.log_likelihood"),
    ),
    predict=predict,
    field=field,
    scores="density",
    explain=explain,
    sample=sample,
    counterpart=counterpart,
    synonyms=(
        "GMM",
        "EM",
        "EM algorithm",
        "expectation maximisation",
        "mixture of Gaussians",
        "soft clustering",
        "density estimation",
    ),
    resumes=True,
    panels=(
        Panel("plane", "Gaussian mixture", space="data"),
        Panel("restarts", "Log-likelihood of every restart", x="restart", y="log-likelihood"),
    ),
    metrics=(
        Metric("log_likelihood", "log-likelihood (of all points)", group="likelihood", better="higher"),
        Metric("bound", "lower bound F(r, θ)", group="likelihood", better="higher"),
        Metric("gain", "rise of the bound per point", group="gain", better="neither"),
        Metric("effective", "effective number of components", group="components", better="neither"),
    ),
    pseudocode=(
        Line("choose weights π, means μ and covariances Σ", "initial"),
        Line("repeat"),
        Line("    E step: r_ik = π_k N(x_i | μ_k, Σ_k) / Σ_l π_l N(x_i | μ_l, Σ_l)", "E step"),
        Line("    M step: π_k, μ_k, Σ_k = weight, mean, covariance of the points weighted by r_ik", "M step"),
        Line("until the log-likelihood stands still   (l = {log_likelihood})"),
        Line("keep the restart with the greatest likelihood", "best"),
    ),
    reference="Handbook §3.2.3 Alg. 8; Methods for Data Science §10.1; "
    "Machine Learning (Buhmann), slides 247-266; Dempster, Laird, Rubin 1977; Ueda, Nakano 1998",
    example="blobs(n=300,noise=2,seed=6)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
)
