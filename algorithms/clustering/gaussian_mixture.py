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
in the plane the ellipses at 1 and 2 standard deviations hold 39.35 % and 86.47 % (68 % and 95 % are for one dimension).
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.clustering import _em
from algorithms.contract import Algorithm, Explanation, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Array, DataError, Item, Points
from algorithms.marks import Bars, Centres, Ellipses, Mark, Regions, SoftAssignment, Trail
from algorithms.maths import gaussians, lloyd, seeding
from algorithms.maths.distances import Cloud, refuse_overflow, round_origin
from algorithms.params import Advanced, Between, Doc, Handles, Live, Log, PointList, When

TRAIL_LENGTH = 32
MASSES = (1.0 - math.exp(-0.5), 1.0 - math.exp(-2.0))
"""What the ellipses at one and two standard deviations hold in the plane: 39.35 % and 86.47 %."""
_DENSITY = Regions("density")


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of the mixture."""

    k: Annotated[int, Between(1, 20), Doc("Number of Gaussian components.")] = 3
    covariance: Annotated[
        Literal["full", "diagonal", "spherical", "tied"],
        Doc("Shape of the components: any ellipse, ellipses along the axes, circles, or one ellipse shared by all."),
    ] = "full"
    init: Annotated[
        Literal["k-means", "random points", "random responsibilities", "by hand"],
        Doc("Where the components begin: on a k-means solution, on points, from random shares, or where you put them."),
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
class _Result:
    """A finished restart."""

    last: _em.HalfStep
    model: Model
    trail: Array
    number: int

    @property
    def rank(self) -> tuple[bool, float]:
        """A restart that collapsed is worse than any that did not, however high its likelihood."""
        return self.last.stop is not Stop.DIVERGED, self.last.bound


@dataclass(frozen=True, slots=True)
class _Scene:
    """What a frame shows of the restarts before it."""

    n: int
    finals: tuple[float, ...]
    restarts: int


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Begin, then E and M steps until the likelihood stands still; then the best restart."""
    refuse_overflow(data.X)
    if start is None:
        seeding.need_distinct_points(data.X, params.k, "components")
    cloud = Cloud.of(data.X)
    rules = _rules(cloud, params)
    restarts = 1 if start is not None else params.restarts
    results: list[_Result] = []
    for number in range(1, restarts + 1):
        scene = _Scene(data.n, tuple(result.model.log_likelihood for result in results), restarts)
        mixture, shares = _beginning(cloud, params, rules, rng, start)
        yield _initial_frame(cloud, mixture, shares, params, start, scene, rules)
        results.append((yield from _one_run(cloud, mixture, rules, scene, number)))
    best = max(results, key=lambda result: result.rank)
    if restarts > 1:
        scene = _Scene(data.n, tuple(result.model.log_likelihood for result in results), restarts)
        yield _best_frame(best, scene)
    assert best.last.stop is not None
    return best.last.stop


def _rules(cloud: Cloud, params: Params) -> _em.Rules:
    """The floor in the units of the data, and what counts as a collapse there."""
    spread = _mean_variance(cloud)
    if spread == 0.0 and params.floor == 0.0:
        raise DataError("All points are the same, so that no Gaussian fits them; set floor above 0.")
    collapsed = _em.SMALLEST_RATIO * spread
    least = max(params.floor, collapsed) if params.floor > 0.0 else 0.0
    return _em.Rules(params.covariance, least, collapsed, params.temperature, params.tol, params.max_steps)


def _mean_variance(cloud: Cloud) -> float:
    return float(cloud.columns.var(axis=1).mean())


def _beginning(
    cloud: Cloud, params: Params, rules: _em.Rules, rng: np.random.Generator, start: Model | None
) -> tuple[_em.Mixture, Array | None]:
    """The first parameters, and the responsibilities (k, n) that they come from, if they do.

    Without responsibilities the handbook begins with weights 1/k and Σ = I. The identity means little for data in other
    units, so that the mean variance of the features takes its place; on standardised data it *is* the identity.
    """
    k = params.k
    if start is not None:
        if start.means.shape[1] != cloud.d:
            raise DataError(f"The model has means with {start.means.shape[1]} features; the data have {cloud.d}.")
        return _em.Mixture(start.weights, start.means - cloud.origin, start.covariances), None
    variance = max(_mean_variance(cloud), rules.least)
    round_one = np.tile(variance * np.eye(cloud.d), (k, 1, 1))
    if params.init in ("random points", "by hand"):
        if params.init == "by hand":
            means = seeding.given_centres(cloud, params.centres, k, "the mixture")
        else:
            means = np.ascontiguousarray(cloud.columns[:, seeding.random_points(cloud, k, rng)].T)
        return _em.Mixture(np.full(k, 1.0 / k), means, round_one), None
    if params.init == "k-means":
        seeds = cloud.columns[:, seeding.plus_plus(cloud, k, rng)].T
        here = lloyd.settle(cloud, np.ascontiguousarray(seeds), params.max_steps)
        shares = np.zeros((k, cloud.n))
        shares[here.labels, np.arange(cloud.n)] = 1.0
    else:
        shares = np.ascontiguousarray(rng.dirichlet(np.ones(k), size=cloud.n).T)
    mixture = _em.maximisation(cloud.columns, shares, params.covariance)
    flat = gaussians.smallest_eigenvalues(mixture.covariances) <= rules.collapsed
    covariances = (
        np.where(flat[:, None, None], round_one, mixture.covariances)
        if rules.least == 0.0
        else (gaussians.floored(mixture.covariances, rules.least))
    )
    return _em.Mixture(mixture.weights, mixture.means, covariances), shares


def _initial_frame(
    cloud: Cloud,
    mixture: _em.Mixture,
    shares: Array | None,
    params: Params,
    start: Model | None,
    scene: _Scene,
    rules: _em.Rules,
) -> Snapshot:
    """The first parameters, with the points still undecided where no responsibilities are given."""
    joint = mixture.log_joint(cloud.columns)
    likelihood = float(gaussians.log_sum_exp(joint).sum())
    bound = _em.expectation(joint, rules.temperature)[1] if rules.temperature > 0.0 else float(joint.max(axis=0).sum())
    k = len(mixture.weights)
    if shares is None:
        shares = np.tile(mixture.weights[:, None] / mixture.weights.sum(), (1, cloud.n))
    words = {
        "k-means": "on the clusters of a k-means run",
        "random points": "round, on points drawn by chance",
        "random responsibilities": "from random responsibilities",
        "by hand": "round, where they were put by hand",
    }[params.init]
    where = f"go on from {'a' if k == 1 else 'the'} given model" if start is not None else f"begin {words}"
    caption = f"{_count(k, 'component')} {where}; {_likelihood_words(likelihood, cloud.n)}."
    half = _em.HalfStep("E step", mixture, shares, likelihood, bound, 0.0)
    model = (
        _model(half, cloud.origin)
        if start is None
        else Model(start.weights, start.means, start.covariances, likelihood)
    )
    return _frame(half, model, model.means[None], scene, "initial", caption)


def _one_run(
    cloud: Cloud, mixture: _em.Mixture, rules: _em.Rules, scene: _Scene, number: int
) -> Generator[Snapshot, None, _Result]:
    """The half steps of EM as frames."""
    steps = _em.hard_half_steps if rules.temperature == 0.0 else _em.half_steps
    trail = (mixture.means + cloud.origin)[None]
    before = None
    half = None
    for half in steps(cloud, mixture, rules):
        model = _model(half, cloud.origin)
        if half.phase == "M step":
            trail = np.concatenate([trail[1 - TRAIL_LENGTH :], model.means[None]])
        caption, warning = _caption(half, before, cloud.n), _warning(half)
        yield _frame(half, model, trail, scene, half.phase, caption, warning)
        before = half.log_likelihood
    assert half is not None
    return _Result(half, model, trail, number)


def _model(half: _em.HalfStep, origin: Array) -> Model:
    mixture = half.mixture
    return Model(mixture.weights, mixture.means + origin, mixture.covariances, half.log_likelihood)


def _best_frame(best: _Result, scene: _Scene) -> Snapshot:
    words = _likelihood_words(best.model.log_likelihood, scene.n)
    caption = (
        f"Restart {best.number} of {scene.restarts} is the best: {words}; "
        f"all of them end between {min(scene.finals):.6g} and {max(scene.finals):.6g}."
    )
    return _frame(best.last, best.model, best.trail, scene, "best", caption, _warning(best.last))


def _frame(
    half: _em.HalfStep, model: Model, trail: Array, scene: _Scene, phase: str, caption: str, warning: str = ""
) -> Snapshot:
    marks: tuple[Mark, ...] = (
        _DENSITY,
        SoftAssignment(half.responsibilities.T),
        Trail(trail),
        Ellipses(model.means, model.covariances, model.weights, MASSES),
        Centres(model.means, handle="centres"),
    )
    views: dict[str, tuple[Mark, ...]] = {"plane": marks}
    if scene.restarts > 1:
        caption = caption if phase == "best" else f"Restart {len(scene.finals) + 1}: {caption}"
        if scene.finals:
            names = tuple(str(i + 1) for i in range(len(scene.finals)))
            views["restarts"] = (Bars(np.array(scene.finals), names),)
    weights = model.weights
    metrics = {
        "log_likelihood": half.log_likelihood,
        "bound": half.bound,
        "gain": half.gain / scene.n,
        "effective": math.exp(-float(weights @ np.log(weights))),
    }
    return Snapshot(model, views, metrics, phase, caption, warning)


def _caption(half: _em.HalfStep, before: float | None, n: int) -> str:
    words = _likelihood_words(half.log_likelihood, n)
    if half.collapsed is not None:
        return f"Component {half.collapsed[0] + 1} collapses: its covariance becomes singular, and EM stops before it."
    if half.phase == "M step":
        rise = "" if before is None else f", {half.log_likelihood - before:+.4g}"
        return f"Weights, means and covariances are fitted to the shares of the points; {words}{rise}."
    sure = int(np.count_nonzero(half.responsibilities.max(axis=0) > 0.9))
    shared = f"{sure} of {_count(n, 'point')} belong to one component by more than 90 %"
    if half.stop is Stop.CONVERGED:
        return f"EM has converged: {words}; {shared}."
    return f"Every point is shared among the components; {shared}; {words}."


def _warning(half: _em.HalfStep) -> str:
    if half.collapsed is None:
        return ""
    return (
        "A component that shrinks onto too few points makes the likelihood grow without limit; "
        "set floor above 0 or begin elsewhere."
    )


def _likelihood_words(value: float, n: int) -> str:
    return f"log-likelihood {value:.6g} ({value / n:.4g} per point)"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _log_joint(model: Model, X: Array) -> Array:
    """The logarithms of π_k N(x | μ_k, Σ_k) at new points, (k, n)."""
    origin = round_origin(model.means.T)
    mixture = _em.Mixture(model.weights, model.means - origin, model.covariances)
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
    shares, logs = gaussians.softmax(joint)
    factors, _ = gaussians.whitening(model.covariances)
    origin = model.means[0]
    squared = gaussians.squared_mahalanobis((x - origin)[:, None], model.means - origin, factors)[:, 0]
    densities = gaussians.bounded_exp(joint[:, 0] - np.log(model.weights))
    answer: Explanation = {
        "component": int(joint[:, 0].argmax()) + 1,
        "density p(x)": float(gaussians.bounded_exp(logs)[0]),
    }
    for number, share in enumerate(shares[:, 0], start=1):
        answer[f"responsibility of component {number}"] = float(share)
        answer[f"density of component {number}"] = float(densities[number - 1])
        answer[f"Mahalanobis distance to component {number}"] = math.sqrt(squared[number - 1])
    return answer


ALGORITHM = Algorithm(
    key="gaussian_mixture",
    title="Gaussian mixture (EM)",
    family="clustering",
    summary="EM shares every point among Gaussian components and fits each component to its shares, in turn.",
    params=Params,
    run=run,
    predict=predict,
    field=field,
    scores="density",
    explain=explain,
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
    reference="000 §3.2.3 Alg. 8; 002 §10.1; 003 slides 247-266; Dempster, Laird, Rubin 1977; Ueda, Nakano 1998",
    example="blobs(n=300,noise=2,seed=6)",
)
