"""Non-negative factorisation: by hand, identities, scikit-learn step by step, and as frames."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes
from sklearn.decomposition import NMF, non_negative_factorization

from algorithms import Item, Points, fit
from algorithms.contract import Case, Stop
from algorithms.data import DataError
from algorithms.embedding.nmf import ALGORITHM, solver
from algorithms.marks import Bars, Cloud3D, Images, Matrix, Segments
from mlviz.data.spec import load_data
from tests.algorithms.played import phase

LOSSES = {"Frobenius": "frobenius", "KL": "kullback-leibler"}


def counts(n=30, d=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(4.0 * rng.gamma(1.0, size=(n, 3)) @ rng.gamma(0.5, size=(3, d))).astype(float)


def frames(data, seed=0, **params):
    data = data if isinstance(data, Points) else Points(data)
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), seed))


def losses(told):
    return np.array([frame.metrics["loss"] for frame in told])


# --- known answers ----------------------------------------------------------------------------------------------------


def test_updates_by_hand():
    """X = (4, 2), W = 1, H = (1, 1). Squares: W <- 6/2 = 3, then H <- 3 (4, 2) / 9. KL: W <- (4 + 2)/2 = 3."""
    X, W, H = np.array([[4.0, 2.0]]), np.ones((1, 1)), np.ones((1, 2))
    squares = solver.loss_of("Frobenius", X)
    at = squares.begin(W, H)
    assert at.loss == pytest.approx(0.5 * (9 + 1))
    at = squares.update_weights(at)
    assert pytest.approx(3.0) == at.W
    assert at.loss == pytest.approx(0.5 * (1 + 1))
    at = squares.update_parts(at)
    assert at.H[0] == pytest.approx([4 / 3, 2 / 3])
    assert at.loss == pytest.approx(0.0, abs=1e-12)
    divergence = solver.loss_of("KL", X)
    at = divergence.update_weights(divergence.begin(W, H))
    assert pytest.approx(3.0) == at.W
    assert at.loss == pytest.approx(4 * np.log(4 / 3) + 2 * np.log(2 / 3))
    assert divergence.update_parts(at).H[0] == pytest.approx([4 / 3, 2 / 3])


def test_a_table_that_is_a_product_is_found():
    rng = np.random.default_rng(1)
    X = rng.gamma(1.0, size=(12, 2)) @ rng.gamma(1.0, size=(2, 6))
    for loss in LOSSES:
        told = frames(X, rank=2, loss=loss, max_steps=2000, tol=1e-9)
        assert told[-1].metrics["loss"] < 1e-4 * told[0].metrics["loss"]
        assert pytest.approx(X, abs=0.02 * X.max()) == told[-1].model.W @ told[-1].model.H


# --- identities and oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_scikit_learn_makes_the_same_steps(loss):
    X = counts()
    told = frames(X, rank=3, loss=loss, max_steps=25, tol=1e-9)
    first = told[0].model
    for step in (1, 2, 7, 25):
        W, H, _ = non_negative_factorization(
            X, first.W.copy(), first.H.copy(), n_components=3, init="custom", solver="mu",
            beta_loss=LOSSES[loss], tol=0.0, max_iter=step,
        )  # fmt: skip
        ours = phase(told, "parts")[step - 1].model
        assert pytest.approx(W, rel=1e-6, abs=1e-9) == ours.W
        assert pytest.approx(H, rel=1e-6, abs=1e-9) == ours.H


@pytest.mark.parametrize("loss", LOSSES)
def test_scikit_learn_stops_at_the_same_step(loss):
    X = counts(40, 10)
    told = frames(X, rank=3, loss=loss, tol=1e-3, max_steps=500)
    first = told[0].model
    theirs = NMF(3, init="custom", solver="mu", beta_loss=LOSSES[loss], tol=1e-3, max_iter=500)
    theirs.fit_transform(X, W=first.W.copy(), H=first.H.copy())
    assert len(phase(told, "parts")) == theirs.n_iter_
    assert np.sqrt(2 * told[-1].metrics["loss"]) == pytest.approx(theirs.reconstruction_err_)
    error = np.linalg.norm(X - told[-1].model.W @ told[-1].model.H) / np.linalg.norm(X)
    assert told[-1].metrics["error"] == pytest.approx(error)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_map_of_two_parts_is_that_of_scikit_learn(loss):
    """Laid over each other (Procrustes), from the same start and from another one; not when it is shuffled."""
    rng = np.random.default_rng(5)
    X = rng.gamma(1.0, size=(40, 2)) @ rng.gamma(0.5, size=(2, 8)) + 0.01
    result = fit("nmf", X, rank=2, loss=loss, max_steps=3000, tol=1e-6)
    first = frames(X, rank=2, loss=loss, max_steps=1)[0].model
    theirs = NMF(2, init="custom", solver="mu", beta_loss=LOSSES[loss], tol=1e-6, max_iter=3000)
    places = theirs.fit_transform(X, W=first.W.copy(), H=first.H.copy())
    assert procrustes(places, result.model.W)[2] < 1e-8
    assert procrustes(places, result.transform(X))[2] < 1e-3
    elsewhere = NMF(2, init="nndsvda", solver="mu", beta_loss=LOSSES[loss], tol=1e-6, max_iter=3000, random_state=0)
    assert procrustes(scaled(elsewhere.fit_transform(X)), scaled(result.model.W))[2] < 0.05
    assert procrustes(places, rng.permutation(result.model.W))[2] > 0.5


def scaled(W):
    """The amounts in units of their largest: a part may be twice as strong and its amounts half as large."""
    return W / W.max(axis=0)


@given(st.integers(0, 10**6), st.sampled_from(list(LOSSES)))
@settings(max_examples=20)
def test_no_update_raises_the_loss_and_nothing_is_negative(seed, loss):
    told = frames(counts(12, 5, seed), seed=seed, rank=2, loss=loss, max_steps=30)
    values = losses(told)
    assert np.diff(values).max() <= 1e-9 * values[0]
    assert min(frame.model.W.min() for frame in told) >= 0.0
    assert min(frame.model.H.min() for frame in told) >= 0.0


def test_after_an_update_the_sums_of_the_divergence_agree():
    """After W the rows of WH add up to those of X, after H the columns do."""
    X = counts()
    told = frames(X, rank=3, loss="KL", max_steps=5)
    for frame in phase(told, "weights"):
        assert (frame.model.W @ frame.model.H).sum(axis=1) == pytest.approx(X.sum(axis=1))
    for frame in phase(told, "parts"):
        assert (frame.model.W @ frame.model.H).sum(axis=0) == pytest.approx(X.sum(axis=0))


def test_the_loss_of_counts_is_minus_their_likelihood():
    X = counts()
    told = frames(X, rank=3, loss="KL", max_steps=5)
    likelihoods = []
    for frame in told:
        mean = frame.model.W @ frame.model.H
        likelihoods.append((X * np.log(mean) - mean).sum())
    values = losses(told)
    assert -np.diff(likelihoods) == pytest.approx(np.diff(values), abs=1e-6 * values[0])


@pytest.mark.parametrize("loss", LOSSES)
def test_a_zero_stays_a_zero(loss):
    X = counts()
    W, H = solver.first_factors(X, 3, np.random.default_rng(0))
    W[2, 1] = H[0, 4] = 0.0
    losses = solver.loss_of(loss, X)
    at = losses.begin(W, H)
    for _ in range(3):
        at = losses.update_parts(losses.update_weights(at))
    assert at.W[2, 1] == at.H[0, 4] == 0.0
    dead = losses.begin(np.zeros_like(W), H)  # a part that nobody has
    assert np.isfinite(losses.update_parts(losses.update_weights(dead)).loss)


@pytest.mark.parametrize("loss", LOSSES)
def test_points_that_are_known_are_placed_where_they_are(loss):
    X = counts(40, 8)
    result = fit("nmf", X, rank=2, loss=loss, max_steps=3000, tol=1e-8)
    model = result.model
    again = result.transform(X) @ model.H
    assert again == pytest.approx(model.W @ model.H, abs=0.02 * X.max())
    assert result.inverse(result.transform(X[:2])) == pytest.approx(again[:2])
    below = X[:1].copy()
    below[0, 0] = -3.0
    as_zero = below.clip(min=0.0)
    assert result.transform(below) == pytest.approx(result.transform(as_zero))
    with pytest.raises(DataError, match="There are 2 parts; these rows have 3 amounts"):
        result.inverse(np.zeros((1, 3)))


def test_the_counterpart_has_the_same_start():
    X = counts(20, 6)
    params = ALGORITHM.make_params({"rank": 2, "loss": "KL"})
    case = Case(Points(X), 4, lambda: ALGORITHM.start(Points(X), params, 4))
    found = ALGORITHM.counterpart(params, case)
    names = {"np": np}
    exec(found.imports, names)
    theirs = eval(found.make, names).fit(X)
    ours = fit("nmf", X, rank=2, loss="KL", seed=4)
    assert eval(found.difference, {"np": np, "ours": ours, "theirs": theirs}) < 1e-6
    large = load_data("digits()").rows(np.arange(1500))
    params = ALGORITHM.make_params({"rank": 10})
    other = ALGORITHM.counterpart(params, Case(large, 0, lambda: ALGORITHM.start(large, params, 0)))
    assert "local minima" in other.caveat


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(counts(), rank=3, max_steps=12)
    assert [frame.phase for frame in told[:4]] == ["start", "weights", "parts", "weights"]
    assert told[-1].phase == "result"
    views = told[-1].views
    assert isinstance(views["parts"][0], Bars)
    assert isinstance(views["map"][0], Cloud3D)
    assert isinstance(views["left"][0], Matrix)
    assert "weights" not in views  # three rows say nothing
    assert isinstance(frames(counts(), rank=6, max_steps=1)[-1].views["parts"][0], Matrix)


def test_digits_are_put_together_from_parts():
    data = load_data("digits()").rows(np.arange(0, 300))
    told = frames(data, rank=9, max_steps=20)
    (grid,) = told[-1].views["pictures"]
    assert isinstance(grid, Images)
    assert grid.captions[:9] == tuple(f"part {k}" for k in range(1, 10))
    assert grid.captions.count("W H") == 10
    assert "parts" not in told[-1].views
    assert told[-1].metrics["error"] < 0.6 * told[0].metrics["error"]


def test_the_rays_are_the_edges_of_the_cone():
    """Points between the directions (1, 0.2) and (0.2, 1): exact with two parts outside of them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 2.0, size=(60, 1)) * np.column_stack([np.cos(t := rng.uniform(0.2, 1.3, 60)), np.sin(t)])
    told = frames(X, rank=2, max_steps=3000, tol=1e-9)
    assert told[-1].metrics["error"] < 0.01
    rays = told[-1].views["plane"][1]
    assert isinstance(rays, Segments)
    angles = np.sort(np.arctan2(rays.end[:, 1], rays.end[:, 0]))
    seen = np.arctan2(X[:, 1], X[:, 0])
    assert angles[0] <= seen.min() + 0.02
    assert angles[1] >= seen.max() - 0.02


def test_explaining_a_row_says_what_it_is_made_of():
    X = counts()
    result = fit("nmf", X, rank=2)
    told = ALGORITHM.explain(result.model, Points(X), Item(3, X[3]))
    assert told["reconstruction error"] == pytest.approx(np.linalg.norm(X[3] - result.model.W[3] @ result.model.H))
    assert any(name.startswith("from part") for name in told)
    assert "reconstruction error" in ALGORITHM.explain(result.model, Points(X), Item(x=X.max(axis=0)))


def test_sentences():
    with pytest.raises(DataError, match=r"cannot give numbers below zero; the feature x2 falls to -1"):
        frames(np.array([[1.0, 2.0], [3.0, -1.0]]))
    with pytest.raises(DataError, match="All numbers are zero"):
        frames(np.zeros((3, 2)))
    assert fit("nmf", counts(), rank=2, max_steps=3).stop is Stop.LIMIT
    assert fit("nmf", counts(), rank=2, tol=0.1).stop is Stop.CONVERGED
