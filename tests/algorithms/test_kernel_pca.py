"""Kernel principal components: by hand, identities, scikit-learn as an oracle, pre-images, and as frames."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes
from sklearn.decomposition import PCA, KernelPCA

from algorithms import Item, Points, fit
from algorithms.contract import Case
from algorithms.data import DataError
from algorithms.embedding.kernel_pca import ALGORITHM, MOST_POINTS, WIDTHS, solver
from algorithms.marks import Bars, Cloud3D, Images, Isolines, Scatter, Segments
from algorithms.maths.kernels import Gaussian, Linear, Polynomial, named_kernel
from mlviz.data.spec import load_data
from tests.algorithms.played import phase

QUICK = {"sweep": False, "pre_image": False}


def frames(data, **params):
    data = data if isinstance(data, Points) else Points(data)
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), 0))


def cloud(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.arange(d, 0, -1) + 1.5


def up_to_sign(one, two):
    return one * np.where((one * two).sum(axis=0) < 0.0, -1.0, 1.0)


# --- known answers ----------------------------------------------------------------------------------------------------


def test_two_points_by_hand():
    """K = [[0, 0], [0, 4]] is [[1, -1], [-1, 1]] when centred: l = 2, a = (-1, 1)/√2, α = (-1, 1)/2, z = (-1, 1)."""
    model = fit("kernel_pca", np.array([[0.0], [2.0]]), kernel="linear", dimensions=1).model
    assert model.eigenvalues == pytest.approx([2.0])
    assert model.alphas[:, 0] == pytest.approx([-0.5, 0.5])
    assert model.embedding[:, 0] == pytest.approx([-1.0, 1.0])


def test_three_equally_distant_points_by_hand():
    """With one value e between all, K̃ = (1 - e) (I - 1/3): two eigenvalues 1 - e, and nothing along (1, 1, 1)."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    model = fit("kernel_pca", corners, sigma=1.0, dimensions=3).model
    assert model.eigenvalues == pytest.approx([1 - np.exp(-0.5)] * 2 + [0.0], abs=1e-12)
    assert model.embedding[:, 2] == pytest.approx(0.0)


def test_a_wide_bell_gives_the_map_of_principal_components():
    """exp(-d²/2σ²) is 1 - d²/2σ² for large σ, and centred that is x·z/σ²: the scores by σ."""
    X = cloud(20, 2)
    ours = fit("kernel_pca", X, sigma=1000.0, **QUICK).model.embedding * 1000.0
    theirs = PCA(2).fit_transform(X)
    assert up_to_sign(ours, theirs) == pytest.approx(theirs, rel=1e-3, abs=1e-3)


# --- identities and oracles -------------------------------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(1, 3), st.sampled_from(["rbf", "polynomial", "laplacian", "linear + rbf"]))
@settings(max_examples=25)
def test_axes_have_length_one_around_the_mean(n, d, kernel):
    X = cloud(n, d, seed=n)
    result = fit("kernel_pca", X, kernel=kernel, sigma=1.0, dimensions=3, **QUICK)
    model = result.model
    K = model.axes.kernel(X, X)
    centre = np.eye(n) - 1.0 / n
    K = centre @ K @ centre
    there = model.eigenvalues > 0.0
    assert model.alphas.T @ K @ model.alphas == pytest.approx(np.diag(there.astype(float)), abs=1e-6)
    assert model.alphas.sum(axis=0) == pytest.approx(0.0, abs=1e-9)
    assert K @ model.alphas == pytest.approx(model.embedding, abs=1e-6 * K.max())
    assert result.transform(X) == pytest.approx(model.embedding, abs=1e-6 * K.max())
    assert np.square(model.alphas).sum(axis=0)[there] == pytest.approx(1.0 / model.eigenvalues[there])


def test_the_linear_kernel_is_principal_component_analysis():
    X, new = cloud(30, 3), cloud(5, 3, seed=1)
    result = fit("kernel_pca", X, kernel="linear", dimensions=3, **QUICK)
    theirs = PCA(3).fit(X)
    assert up_to_sign(result.model.embedding, theirs.transform(X)) == pytest.approx(theirs.transform(X))
    assert result.model.eigenvalues / 29 == pytest.approx(theirs.explained_variance_)
    signs = np.sign((result.model.embedding * theirs.transform(X)).sum(axis=0))
    assert result.transform(new) == pytest.approx(theirs.transform(new) * signs)


def test_a_polynomial_is_the_analysis_of_its_features():
    """(x·z + 1)² = φ(x)·φ(z) with 1, √2 x, √2 y, x², y², √2 xy."""
    X = cloud(25, 2)
    x, y = X.T
    root = np.sqrt(2.0)
    features = np.column_stack([root * x, root * y, x**2, y**2, root * x * y])
    ours = fit("kernel_pca", X, kernel="polynomial", degree=2, offset=1.0, dimensions=4, **QUICK).model.embedding
    theirs = PCA(4).fit_transform(features)
    assert up_to_sign(ours, theirs) == pytest.approx(theirs)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial", "sigmoid"])
@pytest.mark.parametrize("n", [30, 320])  # all eigenvectors, and only the first ones
def test_scikit_learn_agrees(kernel, n):
    X, new = cloud(n, 3), cloud(6, 3, seed=1)
    params = {"kernel": kernel, "sigma": 2.0, "dimensions": 3, "offset": 0.5}
    result = fit("kernel_pca", X, **params, **QUICK)
    found = ALGORITHM.counterpart(ALGORITHM.make_params(params), Case(Points(X), 0, lambda: None))
    theirs = eval(found.make, {"KernelPCA": KernelPCA}).fit(X)
    assert result.model.eigenvalues == pytest.approx(theirs.eigenvalues_)
    whole = theirs.transform(X)
    signs = np.sign((result.model.embedding * whole).sum(axis=0))
    assert result.model.embedding * signs == pytest.approx(whole, abs=1e-6)
    assert procrustes(whole, result.model.embedding)[2] < 1e-9
    assert result.transform(new) * signs == pytest.approx(theirs.transform(new), abs=1e-6)


def test_components_are_uncorrelated_and_their_variances_are_the_eigenvalues():
    model = fit("kernel_pca", cloud(40, 2), sigma=1.0, dimensions=4, **QUICK).model
    assert model.embedding.T @ model.embedding == pytest.approx(np.diag(model.eigenvalues), abs=1e-9)


def test_rings_come_apart_in_the_map():
    data = load_data("circles(n=200,noise=0.05,factor=0.3,seed=1)")
    model = fit("kernel_pca", data, **QUICK).model
    first = model.embedding[:, 0]
    ends = sorted((first[data.y == k].min(), first[data.y == k].max()) for k in (0, 1))
    assert ends[1][0] - ends[0][1] > 0.5 * first.std()  # a cut along component 1 parts them


# --- pre-images -------------------------------------------------------------------------------------------------------


def test_one_step_is_the_fixed_point_by_hand():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    axes = solver.principal_axes(solver.Gram.of(Gaussian(1.0), X), 1)
    scores = (axes.alphas * axes.eigenvalues)[:1]
    gamma = 1 / 3 + axes.alphas @ scores.T
    search = solver.Search.of(axes, scores, X[:1])
    weights = gamma[:, 0] * np.exp(-0.5 * np.square(X - X[0]).sum(axis=1))
    assert search.step().at[0] == pytest.approx(weights @ X / weights.sum())


@pytest.mark.parametrize("kernel", [Gaussian(0.7), Polynomial(2), Linear()])
def test_the_distance_in_the_feature_space_never_rises(kernel):
    X = cloud(20, 2)
    axes = solver.principal_axes(solver.Gram.of(kernel, X), 1)
    search = solver.Search.of(axes, axes.alphas * axes.eigenvalues, X)
    for _ in range(15):
        before, search = search, search.step()
        assert (search.value <= before.value).all()
    assert (search.value < solver.Search.of(axes, axes.alphas * axes.eigenvalues, X).value).any()


def test_the_pre_image_of_the_linear_kernel_is_the_reconstruction():
    X = cloud(30, 3)
    result = fit("kernel_pca", X, kernel="linear", dimensions=2, **QUICK)
    theirs = PCA(2).fit(X)
    rebuilt = theirs.inverse_transform(theirs.transform(X))
    assert result.inverse(result.model.embedding) == pytest.approx(rebuilt, abs=1e-3)


def test_a_place_of_the_map_leads_back_to_its_point():
    X = load_data("moons(n=60,noise=0,seed=1)").X
    result = fit("kernel_pca", X, sigma=0.5, dimensions=12, **QUICK)
    assert np.linalg.norm(result.inverse(result.model.embedding) - X, axis=1).max() < 0.05
    with pytest.raises(DataError, match="has 12 coordinates; these rows have 2"):
        result.inverse(np.zeros((1, 2)))


def test_few_components_take_noise_away():
    clean = load_data("moons(n=150,noise=0,seed=1)").X
    noisy = clean + 0.12 * np.random.default_rng(0).normal(size=clean.shape)
    result = fit("kernel_pca", noisy, sigma=0.5, dimensions=5, **QUICK)
    back = result.inverse(result.model.embedding)

    def off(points):
        return np.linalg.norm(points[:, None] - clean, axis=2).min(axis=1).mean()

    assert off(back) < 0.8 * off(noisy)


# --- frames -----------------------------------------------------------------------------------------------------------


def test_frames_tell_the_story_in_order():
    told = frames(cloud(20, 2), sigma=1.0, dimensions=3)
    story = ["start", "gram", "centre", "eigen", "component", "width", "pre-image", "result"]
    assert list(dict.fromkeys(frame.phase for frame in told)) == story
    assert [len(frame.model.eigenvalues) for frame in phase(told, "component")] == [1, 2, 3]
    assert [frame.model.shown for frame in phase(told, "component")] == [0, 1, 2]
    assert told[0].model.alphas.shape == (20, 0)
    views = told[-1].views
    assert isinstance(views["map"][0], Cloud3D)
    assert isinstance(views["components"][0], Images)
    assert isinstance(views["spectrum"][0], Bars)
    assert [type(mark) for mark in views["plane"][:3]][1:] == [Isolines, Segments]
    assert np.square(views["components"][0].pixels).max() <= 9.0


def test_every_width_is_a_map_of_its_own():
    X = cloud(20, 2)
    told = phase(frames(X, sigma=1.0, dimensions=1, pre_image=False), "width")
    assert len(told) == WIDTHS + 1
    for frame in (told[0], told[-1]):
        alone = fit("kernel_pca", X, sigma=frame.model.axes.kernel.sigma, dimensions=1, **QUICK).model
        assert frame.model.eigenvalues == pytest.approx(alone.eigenvalues)
        assert up_to_sign(frame.model.embedding, alone.embedding) == pytest.approx(alone.embedding, abs=1e-9)
    fractions = [frame.metrics["kept"] for frame in told]
    assert fractions[0] > 0.6
    assert fractions == sorted(fractions, reverse=True)  # narrow bells spread the variance
    same = next(frame for frame in told if frame.model.axes.kernel.sigma == 1.0)
    assert same.views["widths"][-1].handle == "sigma"


def test_the_field_is_the_component_on_show_in_standard_deviations():
    X = cloud(30, 2)
    result = fit("kernel_pca", X, sigma=1.0, dimensions=3, component=2, **QUICK)
    assert result.model.shown == 1
    assert result.field(X).std() == pytest.approx(1.0)
    assert np.corrcoef(result.field(X), result.model.embedding[:, 1])[0, 1] == pytest.approx(1.0)
    told = ALGORITHM.explain(result.model, Points(X), Item(3, X[3]))
    assert told["component 2"] == pytest.approx(result.model.embedding[3, 1])


def test_pictures_have_pre_images():
    data = load_data("digits()").rows(np.arange(0, 200))
    told = frames(data, sigma=25.0, dimensions=2, sweep=False)
    (grid,) = told[-1].views["components"]
    assert grid.captions.count("pre-image") == 8
    assert isinstance(told[-1].views["map"][0], Scatter)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_width_that_is_recommended_is_larger_and_ends_the_warning(kernel):
    """With sigma 0.8 the sentence said "take a larger sigma, such as 0.74"."""
    X = 0.33 * np.random.default_rng(0).normal(size=(200, 20))
    sentence = frames(X, kernel=kernel, sigma=0.8, **QUICK)[-1].warning
    assert "take a larger sigma, such as" in sentence
    larger = float(sentence.split()[-1].rstrip("."))
    assert larger > 0.8
    assert not frames(X, kernel=kernel, sigma=larger, **QUICK)[-1].warning


def test_a_function_that_is_no_kernel_has_no_variance():
    """The fractions were of the trace, in which negative eigenvalues count against the others: 100 %."""
    last = frames(cloud(30, 2), kernel="sigmoid", sigma=1.0, **QUICK)[-1]
    values = np.linalg.eigvalsh(solver.Gram.of(named_kernel("sigmoid", 1.0, 2, 1.0), cloud(30, 2)).centred)
    assert values[0] < -1.0
    expected = np.square(values[-2:]).sum() / np.square(values).sum()
    assert last.metrics["kept"] == pytest.approx(expected)
    assert last.caption.startswith(f"2 components have {100 * expected:.3g} % of the sum of all squared eigenvalues")


def test_sentences():
    with pytest.raises(DataError, match="here all of them are equal"):
        frames(np.ones((4, 2)))
    with pytest.raises(DataError, match="of at most 5,000"):
        frames(np.zeros((MOST_POINTS + 1, 1)))
    assert "take a larger sigma" in frames(cloud(30, 2), sigma=0.001, **QUICK)[-1].warning
    assert "is no kernel on these points" in frames(cloud(30, 2), kernel="sigmoid", sigma=1.0, **QUICK)[-1].warning
    line = frames(np.arange(5.0)[:, None], kernel="linear", **QUICK)[-1]
    assert line.warning == "The images vary in only 1 direction: the components beyond are zero."
    apart = frames(Points(np.eye(5)), sigma=2.0, **QUICK)[-1]  # all distances are equal
    assert apart.warning.startswith("Eigenvalues 2 and 3 are equal")
    assert line.model.embedding[:, 1] == pytest.approx(0.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("places", "params"),
    [
        (1e50 * np.outer(np.arange(400.0), [1.0, 2.0]), {"kernel": "rbf"}),
        (np.vstack([np.zeros((349, 2)), [[1e12, 1e12]]]), {"kernel": "laplacian"}),
    ],
)
def test_a_kernel_that_tells_all_points_apart_is_decomposed(places, params):
    """All eigenvalues but a few are equal, or none but one is there: searches and slopes come to their limits."""
    model = fit("kernel_pca", places, **params).model
    assert np.isfinite(model.embedding).all()
    exact = np.linalg.eigvalsh(solver.Gram.of(model.axes.kernel, places).centred)[::-1]
    assert np.allclose(model.eigenvalues, exact[: len(model.eigenvalues)])
