"""Gaussian mixtures: known answers, the identities behind EM, scikit-learn as an oracle, the limit that is k-means."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import chi2, multivariate_normal
from sklearn.mixture import GaussianMixture

from algorithms import DataError, Ended, Points, Stop, find, fit, show
from algorithms._checks import cases
from algorithms.clustering import gaussian_mixture
from algorithms.marks import Bars, Centres, Ellipses, Regions, SoftAssignment, Trail
from algorithms.maths.gaussians import mass_within
from mlviz.data.spec import load_data
from tests.algorithms.played import mark

MIXTURE = find("gaussian_mixture")
K_MEANS = find("k_means")
TYPES = {"full": "full", "diagonal": "diag", "spherical": "spherical", "tied": "tied"}
INITS = ["k-means", "random points", "random responsibilities", "by hand"]


def play(X, seed=0, start=None, algorithm=MIXTURE, **params):
    return cases.play(algorithm, Points(X), algorithm.make_params(params), start=start, seed=seed)


def stretched(n=150, k=3, d=2, seed=0):
    """Groups of unequal size and shape."""
    rng = np.random.default_rng(seed)
    groups = rng.choice(k, size=n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    shapes = rng.normal(size=(k, d, d)) + np.eye(d)
    return 4 * rng.normal(size=(k, d))[groups] + np.einsum("nij,nj->ni", shapes[groups], rng.normal(size=(n, d)))


def log_likelihood(model, X):
    parts = zip(model.weights, model.means, model.covariances)
    return logsumexp([math.log(w) + multivariate_normal.logpdf(X, m, c) for w, m, c in parts], axis=0).sum()


# --- by hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "masses"), [(1, (0.6827, 0.9545)), (2, (0.3935, 0.8647))])
def test_what_one_and_two_standard_deviations_hold(d, masses):
    """68 % and 95 % over one feature; the same ellipses hold 39 % and 86 % of the plane."""
    ours = tuple(mass_within(deviations, d) for deviations in (1.0, 2.0))
    assert ours == pytest.approx(masses, abs=5e-5)
    assert ours == pytest.approx(chi2.cdf([1, 4], df=d))


# --- one step -------------------------------------------------------------------------------------


def test_one_component_is_the_mean_and_the_covariance_by_n_in_one_step():
    X = stretched()
    for init in INITS:
        frames, stop = play(X, k=1, init=init)
        fitted = next(frame for frame in frames if frame.phase == "M step").model
        assert stop is Stop.CONVERGED
        assert fitted.means[0] == pytest.approx(X.mean(axis=0))
        assert fitted.covariances[0] == pytest.approx(np.cov(X.T, bias=True))
        assert frames[-1].metrics["log_likelihood"] == pytest.approx(log_likelihood(fitted, X))


def test_a_gaussian_on_the_line_has_the_variance_by_n():
    """log p = -n/2 log(2π s²) - Σ(x - μ)²/(2 s²), greatest at the mean and the variance by n, not n - 1."""
    X = np.array([[1.0], [2.0], [4.0], [9.0]])
    model = fit("gaussian_mixture", X, k=1).model
    assert (model.means[0, 0], model.covariances[0, 0, 0]) == pytest.approx((4.0, 9.5))
    assert model.log_likelihood == pytest.approx(-2 * math.log(2 * math.pi * 9.5) - 2)


def test_the_first_step_by_hand():
    """Two unit Gaussians at ±1 and the points ±1: each point goes to its side with 1/(1+e⁻²)."""
    frames, _ = play([[-1.0], [1.0]], k=2, init="by hand", centres=[[-1], [1]], max_steps=1)
    initial, e_step, m_step, last = frames
    assert initial.model.covariances.ravel().tolist() == [1, 1]  # the mean variance of the data
    soft = 1 / (1 + math.exp(-2))
    assert mark(e_step, SoftAssignment).weights == pytest.approx(np.array([[soft, 1 - soft], [1 - soft, soft]]))
    assert m_step.model.means.ravel() == pytest.approx([1 - 2 * soft, 2 * soft - 1])
    assert m_step.model.covariances.ravel() == pytest.approx([1 - (2 * soft - 1) ** 2] * 2)
    assert m_step.model.weights == pytest.approx([0.5, 0.5])
    assert last.phase == "E step"


# --- identities of EM -----------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 4),
    d=st.sampled_from([1, 2, 4]),
    covariance=st.sampled_from(list(TYPES)),
    init=st.sampled_from(INITS),
    floor=st.sampled_from([1e-6, 0.3]),
)
@settings(max_examples=60, deadline=None)
def test_em_never_lowers_the_likelihood_and_the_bound_stays_below(seed, k, d, covariance, init, floor):
    X = stretched(40, 3, d, seed)
    frames, stop = play(X, seed, k=k, covariance=covariance, init=init, floor=floor, max_steps=40)
    assert stop in (Stop.CONVERGED, Stop.LIMIT)
    likelihood = np.array([frame.metrics["log_likelihood"] for frame in frames])
    bound = np.array([frame.metrics["bound"] for frame in frames])
    slack = 1e-10 * np.abs(likelihood).max()
    assert (np.diff(likelihood) >= -slack).all()
    assert (np.diff(bound) >= -slack).all()
    assert (bound <= likelihood + slack).all()
    for frame in frames:
        weights = mark(frame, SoftAssignment).weights
        assert weights.shape == (40, k)
        assert weights.sum(axis=1) == pytest.approx(np.ones(40))
        assert frame.model.weights.sum() == pytest.approx(1.0)
        assert np.array_equal(frame.model.covariances, frame.model.covariances.transpose(0, 2, 1)) or (
            frame.model.covariances == pytest.approx(frame.model.covariances.transpose(0, 2, 1))
        )
        assert np.linalg.eigvalsh(frame.model.covariances).min() >= floor * (1 - 1e-6)
        if frame.phase == "E step":
            assert frame.metrics["bound"] == pytest.approx(frame.metrics["log_likelihood"], rel=1e-10)
    last = frames[-1].model
    assert last.log_likelihood == pytest.approx(log_likelihood(last, X), rel=1e-9)


def test_the_moments_of_the_data_are_those_of_the_mixture_after_every_m_step():
    X = stretched()
    for frame in play(X, k=3, init="random points")[0]:
        if frame.phase == "M step":
            weights, means, covariances = frame.model.weights, frame.model.means, frame.model.covariances
            assert weights @ means == pytest.approx(X.mean(axis=0))
            second = np.einsum("k,kij->ij", weights, covariances + np.einsum("ki,kj->kij", means, means))
            assert second - np.outer(X.mean(axis=0), X.mean(axis=0)) == pytest.approx(np.cov(X.T, bias=True))


def test_the_likelihood_is_q_minus_the_expected_log_posterior():
    """l(θ) = Q(θ, θ~) - E~[log p(M | x, θ)] at every step, and E~[log p~] >= E~[log p] (Gibbs)."""
    X = stretched(60)
    frames = [frame for frame in play(X, k=2, init="random points", max_steps=10)[0] if frame.phase == "M step"]
    for before, after in itertools.pairwise(frames):
        old = gaussian_mixture.responsibilities(before.model, X)
        joint = gaussian_mixture._log_joint(after.model, X).T
        posterior = joint - logsumexp(joint, axis=1, keepdims=True)
        q = (old * joint).sum()
        assert q - (old * posterior).sum() == pytest.approx(after.model.log_likelihood, rel=1e-10)
        assert (old * np.log(old)).sum() >= (old * posterior).sum()
        entropy = -(old * np.log(old)).sum()
        assert q + entropy == pytest.approx(after.metrics["bound"], rel=1e-9)


def test_expected_complete_likelihood_splits_into_weights_and_densities():
    X = stretched(60)
    model = fit("gaussian_mixture", X, k=2).model
    soft = gaussian_mixture.responsibilities(model, X)
    joint = gaussian_mixture._log_joint(model, X).T
    densities = np.stack([multivariate_normal.logpdf(X, m, c) for m, c in zip(model.means, model.covariances)], axis=1)
    split = (soft * np.log(model.weights)).sum() + (soft * densities).sum()
    assert (soft * joint).sum() == pytest.approx(split)


@given(seed=st.integers(0, 10**6), temperature=st.sampled_from([0.0, 0.2, 0.7, 1.5, 4.0]))
@settings(max_examples=25, deadline=None)
def test_the_bound_rises_at_every_temperature(seed, temperature):
    frames, _ = play(stretched(40, seed=seed), seed, k=3, temperature=temperature, max_steps=30)
    bound = np.array([frame.metrics["bound"] for frame in frames[1:]])
    assert (np.diff(bound) >= -1e-10 * np.abs(bound).max()).all()


# --- oracle ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance", TYPES)
@pytest.mark.parametrize(("d", "seed"), [(1, 0), (2, 1), (5, 2)])
def test_scikit_learn_reaches_the_same_likelihood(covariance, d, seed):
    X = stretched(200, 3, d, seed)
    variance = X.var(axis=0).mean()
    precision = {
        "full": np.stack([np.eye(d) / variance] * 3),
        "diagonal": np.full((3, d), 1 / variance),
        "spherical": np.full(3, 1 / variance),
        "tied": np.eye(d) / variance,
    }[covariance]
    oracle = GaussianMixture(
        3,
        covariance_type=TYPES[covariance],
        tol=1e-10,
        reg_covar=0.0,
        max_iter=3000,
        weights_init=np.full(3, 1 / 3),
        means_init=X[:3],
        precisions_init=precision,
    ).fit(X)
    ours = fit(
        "gaussian_mixture", X, covariance=covariance, init="by hand", centres=X[:3].tolist(), tol=1e-10, max_steps=3000
    )
    assert ours.stop is Stop.CONVERGED
    assert ours.model.log_likelihood == pytest.approx(200 * oracle.score(X), rel=1e-6)
    assert ours.model.means == pytest.approx(oracle.means_, abs=1e-2)
    assert ours.model.weights == pytest.approx(oracle.weights_, abs=1e-3)
    assert np.mean(ours.predict(X) == oracle.predict(X)) >= 0.99
    assert np.log(ours.field(X)) == pytest.approx(oracle.score_samples(X), abs=1e-2)


@pytest.mark.parametrize("covariance", TYPES)
def test_scikit_learn_takes_the_same_steps(covariance):
    """After each of five steps the parameters agree to rounding, not only the end."""
    X = stretched(100, 2, 2, 5)
    frames, _ = play(X, k=2, covariance=covariance, init="by hand", centres=X[:2].tolist(), max_steps=5, tol=1e-12)
    model = frames[0].model
    for frame in [frame for frame in frames if frame.phase == "M step"]:
        soft = np.stack(
            [w * multivariate_normal.pdf(X, m, c) for w, m, c in zip(model.weights, model.means, model.covariances)]
        )
        soft /= soft.sum(axis=0)
        oracle = GaussianMixture(2, covariance_type=TYPES[covariance], reg_covar=0.0)
        oracle._m_step(X, np.log(soft.T))
        model = frame.model
        assert model.weights == pytest.approx(oracle.weights_)
        assert model.means == pytest.approx(oracle.means_)
        shapes = {
            "full": oracle.covariances_,
            "diagonal": [np.diag(row) for row in np.atleast_2d(oracle.covariances_)],
            "spherical": [value * np.eye(2) for value in np.ravel(oracle.covariances_)[:2]],
            "tied": [oracle.covariances_] * 2,
        }[covariance]
        assert model.covariances == pytest.approx(np.array(shapes))


# --- temperature ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k", "d", "seed"), [(80, 3, 2, 0), (60, 5, 2, 1), (50, 2, 1, 2), (90, 4, 6, 3)])
def test_at_temperature_zero_the_means_go_the_way_of_k_means(n, k, d, seed):
    X = stretched(n, 3, d, seed)
    start = {"k": k, "init": "by hand", "centres": X[:k].tolist()}
    soft, stop = play(X, temperature=0.0, **start)
    hard, _ = play(X, algorithm=K_MEANS, empty="keep centre", **start)
    assert stop is Stop.CONVERGED
    assert len(soft) == len(hard)
    for one, two in zip(soft, hard):
        assert np.array_equal(one.model.means, two.model.centres)
        assert np.array_equal(one.model.weights, np.full(k, 1 / k))
    for one, two in zip(soft[1:], hard[1:]):
        assert {"E step": "assign", "M step": "update"}[one.phase] == two.phase
        labels = next(item.labels for item in two.views["plane"] if type(item).__name__ == "Assignment")
        assert np.array_equal(mark(one, SoftAssignment).weights, np.eye(k)[labels])
    last = soft[-1].model
    assert last.covariances == pytest.approx(np.stack([hard[-1].model.loss / (n * d) * np.eye(d)] * k))


def test_a_low_temperature_gives_nearly_hard_and_a_high_one_soft_responsibilities():
    X = stretched(60, seed=3)
    sharpness = []
    for temperature in (0.05, 0.5, 1.0, 3.0):
        frames, _ = play(X, k=3, init="random points", temperature=temperature, max_steps=1)
        sharpness.append(mark(frames[1], SoftAssignment).weights.max(axis=1).mean())
    assert sharpness[0] > 0.95
    assert sharpness == sorted(sharpness, reverse=True)


def test_responsibilities_at_a_temperature_by_hand():
    frames, _ = play([[-1.0], [1.0]], k=2, init="by hand", centres=[[-1], [1]], max_steps=1, temperature=0.5)
    assert mark(frames[1], SoftAssignment).weights[1, 1] == pytest.approx(1 / (1 + math.exp(-4)))


# --- variants -------------------------------------------------------------------------------------


def test_beginning_with_k_means_begins_at_its_clusters():
    X = stretched(120, seed=2)
    first = play(X, k=3, init="k-means")[0][0]
    labels = mark(first, SoftAssignment).weights.argmax(axis=1)
    assert set(np.unique(mark(first, SoftAssignment).weights)) == {0.0, 1.0}
    for number in range(3):
        members = X[labels == number]
        assert first.model.weights[number] == pytest.approx(len(members) / 120)
        assert first.model.means[number] == pytest.approx(members.mean(axis=0))
        assert first.model.covariances[number] == pytest.approx(np.cov(members.T, bias=True))
    nearest = ((X[:, None] - first.model.means) ** 2).sum(axis=2).argmin(axis=1)
    assert np.array_equal(labels, nearest)


def test_beginning_on_points_is_round_with_equal_weights():
    X = stretched()
    model = play(X, k=4, init="random points")[0][0].model
    assert model.weights.tolist() == [0.25] * 4
    assert all(any(np.allclose(mean, x) for x in X) for mean in model.means)
    assert model.covariances == pytest.approx(np.stack([X.var(axis=0).mean() * np.eye(2)] * 4))


def test_beginning_with_random_responsibilities_shows_them():
    X = stretched()
    first = play(X, k=3, init="random responsibilities")[0][0]
    soft = mark(first, SoftAssignment).weights
    assert first.model.means == pytest.approx((soft.T @ X) / soft.sum(axis=0)[:, None])


def test_equal_means_are_a_saddle_that_em_cannot_leave():
    X = stretched()
    centre = X.mean(axis=0).tolist()
    frames, stop = play(X, k=2, init="by hand", centres=[centre, centre])
    assert stop is Stop.CONVERGED
    assert frames[-1].model.means[0] == pytest.approx(frames[-1].model.means[1])
    assert frames[-1].model.log_likelihood < fit("gaussian_mixture", X, k=2).model.log_likelihood - 1


def test_the_best_restart_is_shown_last():
    X = stretched(120, 4, seed=9)
    frames, stop = play(X, k=4, init="random points", restarts=4)
    assert stop is Stop.CONVERGED
    assert frames[-1].phase == "best"
    finals = mark(frames[-1], Bars, "restarts").values
    assert len(finals) == 4
    assert len(set(finals.round(3))) > 1
    assert frames[-1].model.log_likelihood == finals.max()
    ends = [one.model.log_likelihood for one, two in itertools.pairwise(frames) if two.phase in ("initial", "best")]
    assert ends == finals.tolist()


def test_step_limit_and_tolerance():
    X = stretched()
    frames, stop = play(X, k=3, init="random points", max_steps=2)
    assert stop is Stop.LIMIT
    assert [frame.phase for frame in frames] == ["initial", "E step", "M step", "E step", "M step", "E step"]
    loose, tight = (fit("gaussian_mixture", X, init="random points", tol=tol) for tol in (1e-2, 1e-9))
    assert loose.steps < tight.steps
    assert "EM has converged" in tight.last.caption
    gain = tight.metrics["log_likelihood"][-1] - tight.metrics["log_likelihood"][-3]
    assert gain < 1e-9 * 150


def test_going_on_from_a_model():
    X = stretched()
    frames, _ = play(X, k=3, init="random points", tol=1e-9)
    middle = frames[8].model
    again, _ = play(X, seed=5, k=3, start=middle, tol=1e-9)
    assert np.array_equal(again[0].model.means, middle.means)
    assert again[0].model.log_likelihood == pytest.approx(middle.log_likelihood)
    assert again[-1].model.log_likelihood == pytest.approx(frames[-1].model.log_likelihood, rel=1e-9)
    hard, stop = play(X, k=3, start=middle, temperature=0.0)
    assert stop is Stop.CONVERGED
    assert hard[1].model.weights.tolist() == [1 / 3] * 3
    with pytest.raises(DataError, match=r"means with 2 features; the data have 1\.$"):
        play([[0.0], [1.0]], k=1, start=middle)


# --- collapse and odd data ------------------------------------------------------------------------


def test_without_a_floor_a_collapse_is_seen_and_explained():
    X = np.vstack([np.random.default_rng(0).normal(size=(40, 2)), [[30.0, 30.0]]])
    start = {"k": 2, "init": "by hand", "centres": [[0, 0], [30, 30]]}
    frames, stop = play(X, floor=0.0, **start)
    assert stop == Ended(Stop.DIVERGED, "a component collapsed")
    assert "Component 2 collapses" in frames[-1].caption
    assert "set floor above 0" in frames[-1].warning
    assert np.linalg.eigvalsh(frames[-1].model.covariances).min() > 0
    held, stop = play(X, floor=0.01, **start)
    assert stop is Stop.CONVERGED
    assert held[-1].model.covariances[1] == pytest.approx(0.01 * np.eye(2))
    assert held[-1].warning == ""


def test_a_restart_that_collapsed_is_not_the_best_however_high_its_likelihood():
    X = np.random.default_rng(0).normal(size=(14, 2))
    frames, stop = play(X, seed=2, k=3, init="random points", floor=0.0, restarts=6)
    ends = [one for one, two in itertools.pairwise(frames) if two.phase in ("initial", "best")]
    sound = [frame.model.log_likelihood for frame in ends if not frame.warning]
    collapsed = [frame.model.log_likelihood for frame in ends if frame.warning]
    assert max(collapsed) > max(sound)
    assert frames[-1].model.log_likelihood == max(sound)
    assert (stop, frames[-1].warning) == (Stop.CONVERGED, "")


def test_a_floor_below_the_variances_changes_nothing():
    X = stretched(seed=4)
    none, small = (fit("gaussian_mixture", X, floor=floor).model for floor in (0.0, 1e-6))
    assert np.array_equal(none.covariances, small.covariances)


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("covariance", TYPES)
def test_odd_data_work(init, covariance):
    def ends(X, **params):
        return fit("gaussian_mixture", X, init=init, covariance=covariance, **params)

    one = ends([[3.0, 4.0]], k=1)
    assert one.model.means[0].tolist() == [3, 4]
    assert one.model.covariances[0] == pytest.approx(1e-6 * np.eye(2))
    constant = ends(np.column_stack([np.arange(12.0), np.full(12, 7.0)]), k=2)
    assert constant.model.means[:, 1] == pytest.approx([7, 7])
    repeated = ends(np.repeat([[0.0, 0.0], [1.0, 2.0], [4.0, 4.0]], 5, axis=0), k=3)
    assert np.isfinite(repeated.model.log_likelihood)
    usual, huge = (ends(stretched(30) * scale, k=2, seed=1, max_steps=20) for scale in (1.0, 1e98))
    assert huge.model.log_likelihood == pytest.approx(usual.model.log_likelihood - 30 * 2 * 98 * math.log(10), rel=1e-6)
    assert np.isfinite(ends(stretched(30) * 1e-98, k=2, max_steps=20).field(stretched(30) * 1e-98)).all()


def test_data_that_cannot_be_used_are_refused():
    with pytest.raises(DataError, match=r"^3 components need at least 3 distinct points; there are 2\.$"):
        fit("gaussian_mixture", [[0.0]] * 5 + [[1.0]] * 5, k=3)
    with pytest.raises(DataError, match=r"^All points are the same, .* set floor above 0\.$"):
        fit("gaussian_mixture", [[1.0, 2.0]] * 4, k=1, floor=0.0)
    with pytest.raises(DataError, match=r"reach .* calculate with numbers up to"):
        fit("gaussian_mixture", stretched() * 1e200)
    with pytest.raises(DataError, match=r"^Centre 1 of the mixture has 1 coordinate; the data have 2 features\.$"):
        fit("gaussian_mixture", stretched(), init="by hand", centres=[[1]])


# --- frames and answers ---------------------------------------------------------------------------


def test_what_a_frame_shows():
    frames, _ = play(stretched(), k=3)
    for frame in frames:
        kinds = [type(item) for item in frame.views["plane"]]
        assert kinds == [Regions, SoftAssignment, Trail, Ellipses, Centres]
        assert mark(frame, Regions).kind == "density"
        assert mark(frame, Ellipses).deviations == (1.0, 2.0)
        assert np.array_equal(mark(frame, Trail).at[-1], frame.model.means)
        assert 1.0 <= frame.metrics["effective"] <= 3.0 + 1e-9


def test_the_density_adds_up_to_one():
    model = fit("gaussian_mixture", stretched(seed=1), k=3).model
    x, y = np.linspace(-40, 40, 400), np.linspace(-40, 40, 400)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    assert gaussian_mixture.field(model, grid).sum() * (80 / 399) ** 2 == pytest.approx(1.0, abs=2e-3)


# --- drawn from the model -------------------------------------------------------------------------


def test_points_drawn_from_the_model_have_its_moments():
    covariances = np.array([[[1.0, 0.8], [0.8, 1.0]], [[0.25, 0.0], [0.0, 4.0]]])
    model = gaussian_mixture.Model(np.array([0.3, 0.7]), np.array([[-5.0, 0.0], [5.0, 2.0]]), covariances, 0.0)
    drawn = gaussian_mixture.sample(model, 20_000, np.random.default_rng(3))
    assert (drawn.n, drawn.classes) == (20_000, ("component 1", "component 2"))
    for component in (0, 1):
        own = drawn.X[drawn.y == component]
        assert len(own) / drawn.n == pytest.approx(model.weights[component], abs=0.01)
        assert own.mean(axis=0) == pytest.approx(model.means[component], abs=0.06)
        assert np.cov(own.T) == pytest.approx(covariances[component], abs=0.12)


def test_a_mixture_fitted_to_what_it_has_drawn_is_found_again():
    model = fit("gaussian_mixture", [[0.0], [1.0], [10.0], [12.0], [13.0]] * 3, k=2).model
    again = fit("gaussian_mixture", gaussian_mixture.sample(model, 5000, np.random.default_rng(0)), k=2).model
    order = again.means[:, 0].argsort()
    mine = model.means[:, 0].argsort()
    assert again.means[order] == pytest.approx(model.means[mine], abs=0.1)
    assert again.weights[order] == pytest.approx(model.weights[mine], abs=0.03)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_drawing_works_in_any_dimension_and_repeats_with_its_seed(d):
    found = fit("gaussian_mixture", stretched(d=d), k=3)
    one, two = found.sample(7, seed=4), found.sample(7, seed=4)
    assert (one.n, one.d) == (7, d)
    assert np.array_equal(one.X, two.X)


def test_what_is_drawn_has_the_names_of_the_features_but_components_of_its_own():
    iris = load_data("iris")
    drawn = fit("gaussian_mixture", iris, k=3).sample(20)
    assert drawn.features == iris.features
    assert (drawn.classes, drawn.target) == (("component 1", "component 2", "component 3"), "component")
    assert fit("gaussian_classifier", iris).sample(20).classes == iris.classes


def own_em(X, weights, means, covariances, steps):
    """EM as a student writes it."""
    yield weights, means, covariances
    for _ in range(steps):
        dense = [w * multivariate_normal(m, c).pdf(X) for w, m, c in zip(weights, means, covariances)]
        r = np.column_stack(dense) / np.sum(dense, axis=0)[:, None]
        yield weights, means, covariances, r
        masses = r.sum(axis=0)
        weights, means = masses / len(X), (r.T @ X) / masses[:, None]
        offsets = X[:, None] - means
        covariances = np.einsum("nk,nki,nkj->kij", r, offsets, offsets) / masses[:, None, None]
        yield weights, means, covariances, r


def test_a_students_own_em_is_shown_with_our_numbers():
    X = np.random.default_rng(3).normal(size=(60, 2)) + np.repeat([[0, 0], [4, 1]], 30, axis=0)
    begin = (np.array([0.5, 0.5]), X[[0, 40]], np.tile(np.eye(2), (2, 1, 1)))
    frames = list(show("gaussian_mixture", own_em(X, *begin, 5), X, {"k": 2}))
    assert [frame.phase for frame in frames] == ["initial", *["E step", "M step"] * 5]
    density = sum(w * multivariate_normal(m, c).pdf(X) for w, m, c in zip(*list(own_em(X, *begin, 5))[-1][:3]))
    assert frames[-1].metrics["log_likelihood"] == pytest.approx(np.log(density).sum())
    bounds = [frame.metrics["bound"] for frame in frames[1:]]
    assert (np.diff(bounds) >= -1e-9).all()  # the E step makes the bound touch, the M step lifts it
    assert frames[1].metrics["bound"] == pytest.approx(frames[1].metrics["log_likelihood"])
    assert "Weights, means and covariances are fitted" in frames[-1].caption
    assert frames[-1].views["plane"]


def test_a_covariance_of_ones_own_that_is_none_is_a_sentence_with_the_step():
    steps = [(np.ones(1), np.zeros((1, 2)), np.eye(2)[None]), (np.ones(1), np.zeros((1, 2)), -np.eye(2)[None])]
    with pytest.raises(DataError, match="Step 1 gives weights or covariances that are not positive"):
        list(show("gaussian_mixture", steps, np.eye(2), {"k": 1}))
