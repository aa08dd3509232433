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
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.clustering.gaussian_mixture import solver, words
from algorithms.clustering.gaussian_mixture.solver import CovarianceType, HalfStep, Mixture, Rules
from algorithms.clustering.gaussian_mixture.views import views
from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Ended,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import array_source
from algorithms.data import Array, DataError, Item, Points
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
class _End:
    """A finished run."""

    last: HalfStep
    model: Model
    trail: Array  # (steps, k, d)
    stop: Stop
    number: int

    @property
    def objective(self) -> float:
        """The log-likelihood."""
        return self.model.log_likelihood

    def is_better(self, best: _End) -> bool:
        """A run that collapsed is worse than any that did not, however high its likelihood."""
        return self._rank > best._rank

    @property
    def _rank(self) -> tuple[bool, float]:
        return self.stop is not Stop.DIVERGED, self.last.bound


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Begin, then E and M steps until the likelihood stands still; then the best restart."""
    refuse_overflow(data.X)
    if start is None:
        seeding.need_distinct_points(data.X, params.k, "components")
    cloud = Cloud.of(data.X)
    rules = solver.rules_for(cloud, params)

    def attempt(restarts: Restarts) -> Generator[DrawnSnapshot, None, _End]:
        mixture, given = solver.beginning(cloud, params, rules, rng) if start is None else _resumed(start, cloud)
        first = solver.at_first(cloud, mixture, given, rules)
        model = _model(first, cloud) if start is None else replace(start, log_likelihood=first.log_likelihood)
        caption = restarts.caption(words.opening(first, params.init, start is not None))
        yield _frame(first, model, model.means[None], restarts, "initial", caption)
        return (yield from _em(cloud, mixture, rules, restarts))

    total = params.restarts if start is None else 1
    best, restarts = yield from best_of(total, attempt, _End.is_better)
    if total > 1:
        caption = words.best(best.last, best.number, restarts)
        yield _frame(best.last, best.model, best.trail, restarts, "best", caption)
    return Ended(best.stop, "a component collapsed") if best.stop is Stop.DIVERGED else best.stop


def _resumed(start: Model, cloud: Cloud) -> tuple[Mixture, None]:
    if start.means.shape[1] != cloud.d:
        raise DataError(f"The model has means with {start.means.shape[1]} features; the data have {cloud.d}.")
    return Mixture(start.weights, start.means - cloud.origin, start.covariances), None


def _em(cloud: Cloud, mixture: Mixture, rules: Rules, restarts: Restarts) -> Generator[DrawnSnapshot, None, _End]:
    """The half steps of EM as frames."""
    trail = (mixture.means + cloud.origin)[None]
    before = half = None
    for half in solver.half_steps(cloud, mixture, rules):
        model = _model(half, cloud)
        if half.phase == "M step":
            trail = np.concatenate([trail[1 - TRAIL_LENGTH :], model.means[None]])
        yield _frame(half, model, trail, restarts, half.phase, restarts.caption(words.step(half, before)))
        before = half.log_likelihood
    assert half is not None
    assert half.stop is not None
    return _End(half, model, trail, half.stop, restarts.number)


def _model(half: HalfStep, cloud: Cloud) -> Model:
    mixture = half.mixture
    return Model(mixture.weights, mixture.means + cloud.origin, mixture.covariances, half.log_likelihood)


def _frame(half: HalfStep, model: Model, trail: Array, restarts: Restarts, phase: str, caption: str) -> DrawnSnapshot:
    weights = model.weights
    metrics = {
        "log_likelihood": half.log_likelihood,
        "bound": half.bound,
        "gain": half.gain / half.responsibilities.shape[1],
        "effective": math.exp(-float(weights @ np.log(weights))),
    }
    drawn = LazyViews(views, model, half.responsibilities, trail, restarts)
    return DrawnSnapshot(model, drawn, metrics, phase, caption, words.collapse(half))


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
    formulas=(
        r"p(x) = \sum_{k} \pi_k \, \mathcal{N}(x \mid \mu_k, \Sigma_k)",
        r"\text{E step:}\quad r_{ik} = \frac{\pi_k \, \mathcal{N}(x_i \mid \mu_k, \Sigma_k)}{p(x_i)}",
        r"\text{M step:}\quad n_k = \sum_i r_{ik}, \quad \pi_k = \frac{n_k}{n}, \quad \mu_k = \frac{1}{n_k} \sum_i "
        r"r_{ik}\, x_i",
        r"\Sigma_k = \frac{1}{n_k} \sum_i r_{ik}\, (x_i - \mu_k)(x_i - \mu_k)^{\top}",
    ),
    tries=(
        Try(
            "Long clusters, which k-means cuts across: full covariances find them.",
            "blobs_anisotropic(n=300,seed=1)",
            {"covariance": "full"},
        ),
        Try(
            "At the temperature 0 the responsibilities are hard, and the means move exactly as those of k-means.",
            params={"temperature": 0.0},
        ),
        Try(
            "Without a floor a component can shrink onto a single point, where the likelihood has no maximum.",
            "blobs(n=30,noise=2,seed=1)",
            {"k": 6, "floor": 0.0, "init": "random points"},
        ),
    ),
)
