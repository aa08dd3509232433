"""The same problem given to us and to scikit-learn: data, parameters, and how to see that both reached the same.

Both run on one thread, from the same beginning where there is one (k-means, mixtures), to the same tolerance, and with
the same number of epochs where that is what ends a run (the network, the perceptron).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import Lasso, LogisticRegression, Perceptron, Ridge, SGDClassifier
from sklearn.manifold import MDS, ClassicalMDS, Isomap, LocallyLinearEmbedding, SpectralEmbedding
from sklearn.mixture import GaussianMixture
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, kneighbors_graph
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from algorithms import Fit, find, fit
from algorithms.data import Points
from mlviz.data.generators import generate
from tests.benchmarks import ensembles, factorisations, moving_maps
from tests.benchmarks.match import Match, name_of, wrong_less

__all__ = ["Match", "classifiers", "matches", "name_of"]


SVM = {"kernel": "rbf", "sigma": 0.5, "C": 1.0, "tol": 1e-3}
TREE = {"depth": 6}
LOGISTIC = {"lam": 1.0, "tol": 1e-6}
MLP = {"hidden": (8, 8), "learning_rate": 0.02, "batch": 32, "validation": 0.0, "patience": 0}


def _svm() -> SVC:
    return SVC(kernel="rbf", gamma=1 / (2 * 0.5**2), C=1.0, tol=1e-3)


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=6, random_state=0)


def _logistic() -> LogisticRegression:
    return LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-6)


def _mlp(epochs: int, n: int) -> Any:
    network = MLPClassifier(
        (8, 8),
        activation="tanh",
        solver="adam",
        alpha=0.0,
        batch_size=min(32, n),
        learning_rate_init=0.02,
        max_iter=epochs,
        n_iter_no_change=epochs + 1,
        tol=0.0,
        random_state=0,
    )
    return make_pipeline(StandardScaler(), network)  # we standardise inside as well


def _unit(passes: int) -> Perceptron:
    return Perceptron(shuffle=False, tol=None, max_iter=passes, eta0=1.0)  # in turn, and no pass is left out


def classifiers(epochs: int = 30) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every classifier with its counterpart, for the field."""
    yield "logistic_regression", LOGISTIC, _logistic()
    yield "decision_tree", TREE, _tree()
    yield "kernel_svm", SVM, _svm()
    yield "mlp", {**MLP, "epochs": epochs}, _mlp(epochs, 32)
    yield "perceptron", {"passes": epochs}, _unit(epochs)  # the classes overlap, so both make all passes
    yield "gaussian_classifier", {}, QuadraticDiscriminantAnalysis()
    yield "k_nearest", {"k": 5}, KNeighborsClassifier(5)
    yield "naive_bayes", {}, GaussianNB()
    yield "multi_class", {"base": "logistic"}, OneVsRestClassifier(_logistic())
    yield from ensembles.classifiers()


def matches(small: int, large: int) -> Iterator[Match]:
    """All the problems, at n = 1,000 and, where the method scales, at 10,000."""
    for n in (small, large):
        yield _k_means(n)
        yield _mixture(n)
        yield _decision_tree(n)
        yield _logistic_regression(n)
        yield _kernel_svm(n)
        yield _perceptron(n)
        yield _network(n, max(50_000 // n, 1) if n >= 1000 else 2)
        yield _regression(n, "ridge")
        yield _regression(n, "lasso")
        yield _descent(n)
        yield _components(n)
        yield _gaussians(n, "own", QuadraticDiscriminantAnalysis())
        yield _gaussians(n, "shared", LinearDiscriminantAnalysis())
        yield _naive_bayes(n)
        yield _words(n)
        yield _several(n, "one-vs-rest", OneVsRestClassifier(_logistic()))
        yield _several(n, "one-vs-one", OneVsOneClassifier(_logistic()))
        yield _hinge(n)
        yield _hulls(n)
        yield from ensembles.matches(n)
        yield from factorisations.matches(n)
    yield _process(min(300, small))
    yield from moving_maps.matches(small)
    for n in (small, min(4000, large)):
        yield _agglomerative(n)
    for n in (small, min(3000, large)):
        yield _isomap(n)
        yield _scaling(n)
        yield _rebuilt(n)
        yield _smoothest(n)
    yield _down_the_stress(min(500, small))


def _blobs(n: int) -> Points:
    return generate("blobs", n=n, centres=5, noise=2, seed=1)


def _k_means(n: int) -> Match:
    data = _blobs(n)
    centres = data.X[np.random.default_rng(3).choice(n, 5, replace=False)]
    return Match(
        "k_means",
        "k = 5, same first centres, until no point moves",
        data,
        {"k": 5, "init": "by hand", "centres": tuple(map(tuple, centres.tolist()))},
        KMeans(5, init=centres, n_init=1, tol=0.0, max_iter=300, algorithm="lloyd"),
        lambda ours, theirs: abs(theirs.inertia_ - ours.model.loss) / ours.model.loss,
        1e-6,
    )


def _mixture(n: int) -> Match:
    data = _blobs(n)
    centres = data.X[np.random.default_rng(3).choice(n, 5, replace=False)]
    params = {"k": 5, "init": "by hand", "centres": tuple(map(tuple, centres.tolist())), "max_steps": 2000}
    algorithm = find("gaussian_mixture")
    run = algorithm.start(data, algorithm.make_params(params), 0)
    first = next(shot.model for shot in run if len(shot.model.weights) == 5)
    theirs = GaussianMixture(
        5,
        tol=1e-6,
        reg_covar=1e-6,
        max_iter=1000,
        weights_init=first.weights / first.weights.sum(),
        means_init=first.means,
        precisions_init=np.linalg.inv(first.covariances),
    )
    return Match(
        "gaussian_mixture",
        "k = 5, full, same beginning, tol 1e-6 per point",
        data,
        params,
        theirs,
        lambda ours, theirs: abs(theirs.score(data.X) - ours.model.log_likelihood / n),
        1e-3,
    )


def _agglomerative(n: int) -> Match:
    return Match(
        "agglomerative",
        "average linkage, 3 clusters",
        _blobs(n),
        {"linkage": "average", "k": 3},
        AgglomerativeClustering(3, linkage="average", compute_full_tree=True),
        lambda ours, theirs: float(len(set(zip(ours.model.labels.tolist(), theirs.labels_.tolist()))) - 3),
        0.0,
    )


def _decision_tree(n: int) -> Match:
    data = generate("moons", n=n, noise=0.3, seed=1)
    return Match("decision_tree", "gini, depth 6, exact cuts", data, TREE, _tree(), wrong_less, 0.005)


def _logistic_regression(n: int) -> Match:
    data = generate("blobs", n=n, centres=2, noise=4, seed=1)
    return Match(
        "logistic_regression",
        "λ = 1, Newton on both sides, tol 1e-6",
        data,
        LOGISTIC,
        _logistic(),
        lambda ours, theirs: float(np.abs(theirs.coef_ - ours.model.weights).max()),
        1e-3,
    )


def _kernel_svm(n: int) -> Match:
    """Pair by pair on both sides; ours has frames, of the first 64 pairs for each and then for ever fewer of them."""
    data = generate("moons", n=n, noise=0.3, seed=1)
    case = "rbf σ = 0.5, C = 1, tol 1e-3, SMO (every 1,000 pairs all free α move at once)"
    return Match("kernel_svm", case, data, SVM, _svm(), wrong_less, 0.005)


def _gaussians(n: int, covariance: str, estimator: BaseEstimator) -> Match:
    case = f"{covariance} covariance, three classes"
    data = generate("blobs", n=n, noise=2, seed=1)
    return Match("gaussian_classifier", case, data, {"covariance": covariance}, estimator, wrong_less, 0.0)


def _several(n: int, scheme: str, estimator: BaseEstimator) -> Match:
    params = {"scheme": scheme, "base": "logistic", "normalise": False}
    return Match("multi_class", f"{scheme}, logistic, five classes", _blobs(n), params, estimator, wrong_less, 0.002)


def _hinge(n: int) -> Match:
    """As many passes over the points; we ask all of them in each step, which is what NumPy is good at.

    There is no row for Pegasos with a few points in each step: four points take 5 µs in plain numbers and a step of
    arrays 10 µs whatever is in it, while the loop in C that it would be compared with takes 0.1 µs for a point. That is
    30 times as fast as 7,500 steps of four points with their frames, 13 times without, and 3 times as steps of 1,000:
    the row would measure the language.
    """
    data = generate("blobs", n=n, centres=2, noise=3, seed=1)
    params = {"solver": "subgradient", "passes": 30, "optimum": False}
    estimator = SGDClassifier(alpha=1 / n, max_iter=30, tol=None, random_state=0)
    return Match("hinge_svm", "30 passes of subgradients, C = 1", data, params, estimator, wrong_less, 0.01)


def _hulls(n: int) -> Match:
    data = generate("separable", n=n, seed=1)
    return Match("hull_margin", "MDM, hard margin", data, {}, SVC(kernel="linear", C=1e6), _narrower, 1e-3)


def _narrower(ours: Fit, theirs: Any) -> float:
    """How much wider scikit-learn's margin is, as a fraction."""
    return float(2.0 / np.linalg.norm(theirs.coef_) / ours.model.distance - 1.0)


def _naive_bayes(n: int) -> Match:
    data = generate("blobs", n=n, noise=2, seed=1)
    return Match("naive_bayes", "gaussian, three classes", data, {}, GaussianNB(), wrong_less, 0.002)


def _words(n: int) -> Match:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    data = Points(rng.poisson(rng.gamma(0.5, size=(2, 100))[y]).astype(np.float64), y)
    params = {"kind": "multinomial"}
    return Match("naive_bayes", "multinomial, 100 words", data, params, MultinomialNB(), wrong_less, 0.0)


def _network(n: int, epochs: int) -> Match:
    data = generate("moons", n=n, noise=0.3, seed=1)
    case = f"8-8 tanh, Adam, batch 32, {epochs} epochs"
    return Match("mlp", case, data, {**MLP, "epochs": epochs}, _mlp(epochs, n), wrong_less, 0.02)


def _perceptron(n: int) -> Match:
    """The same mistakes one after the other, so the same weights; ours says how many passes that takes."""
    data = generate("separable", n=n, margin=0.1, seed=1)
    model = fit("perceptron", data).model
    passes = len(model.per_pass)
    return Match(
        "perceptron",
        f"margin 0.1, in turn from zeros, {model.mistakes} mistakes in {passes} passes",
        data,
        {},
        _unit(passes),
        lambda ours, theirs: float(np.abs(np.r_[theirs.coef_[0], theirs.intercept_] - ours.model.z[0]).max()),
        1e-9,
    )


def _regression(n: int, penalty: str) -> Match:
    data = generate("polynomial", n=n, noise=0.25, degree=3, seed=1)
    ridge = penalty == "ridge"
    tail = Ridge(alpha=1.0) if ridge else Lasso(alpha=1.0 / (2 * n), tol=1e-8, max_iter=100_000)
    return Match(
        "linear_regression" if ridge else "lasso",
        f"{penalty}, degree 5, λ = 1, without the sweep",
        data,
        {"degree": 5, "penalty": penalty, "lam": 1.0, "sweep": False},
        make_pipeline(PolynomialFeatures(5, include_bias=False), tail),
        lambda ours, theirs: float(np.abs(theirs.predict(data.X) - ours.predict(data.X)).max() / np.ptp(data.y)),
        1e-3,
    )


def _process(n: int) -> Match:
    """The same climb from the same place, in length scale, amplitude and noise; ours lets the points in one by one."""
    data = generate("sine", n=n, noise=0.25, periods=1.5, seed=1)
    bounds = [(1e-3, 1e3), (1e-6, 1e8), (1e-8, 1e8)]
    kernel = ConstantKernel(1.0, bounds[1]) * RBF(0.3, bounds[0]) + WhiteKernel(0.09, bounds[2])
    return Match(
        "gaussian_process",
        "Gaussian kernel, three hyper-parameters climbed",
        data,
        {"map": False, "draws": 0},
        make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True)),
        lambda ours, theirs: abs(float(theirs[-1].log_marginal_likelihood_value_) - ours.model.log_marginal) / n,
        1e-4,
    )


def _descent(n: int) -> Match:
    """The same logistic loss in the same two weights, by Newton's method."""
    data = generate("blobs", n=n, centres=2, noise=4, seed=1)
    data = Points(data.X - data.X.mean(axis=0), data.y, classes=data.classes)
    opponent = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-5, fit_intercept=False)

    def gap(ours: Fit, theirs: Any) -> float:
        scores = (2 * data.y - 1) * (data.X @ theirs.coef_[0])
        return float(ours.metrics["height"][-1] - np.logaddexp(0, -scores).mean())

    params = {"surface": "logistic loss of the data", "method": "damped Newton", "tol": 1e-5}
    return Match("gradient_descent", "logistic loss, damped Newton, tol 1e-5", data, params, opponent, gap, 1e-4)


def _components(n: int) -> Match:
    """Pictures of 16 x 16 pixels, so that there is something to compute beside the forty frames of the turning axis."""
    rng = np.random.default_rng(1)
    data = Points(rng.normal(size=(n, 256)) * np.linspace(5.0, 1.0, 256))
    return Match(
        "pca",
        "256 features, 2 components",
        data,
        {"dimensions": 2},
        PCA(2, svd_solver="covariance_eigh"),
        lambda ours, theirs: float(np.abs(np.abs(theirs.components_) - np.abs(ours.model.components)).max()),
        1e-6,
    )


def _scaling(n: int) -> Match:
    return Match(
        "mds",
        "classical, straight distances, 2 dimensions",
        generate("swiss_roll", n=n, noise=0, seed=1),
        {"dimensions": 2},
        ClassicalMDS(2),
        lambda ours, theirs: float(
            np.abs(np.abs(theirs.embedding_) - np.abs(ours.model.embedding)).max() / np.ptp(ours.model.embedding)
        ),
        1e-6,
    )


def _isomap(n: int) -> Match:
    return Match(
        "isomap",
        "7 neighbours, 2 dimensions",
        generate("swiss_roll", n=n, noise=0, seed=1),
        {"neighbours": 7, "dimensions": 2},
        Isomap(n_neighbors=7, n_components=2),
        lambda ours, theirs: float(
            np.abs(np.abs(theirs.embedding_) - np.abs(ours.model.embedding)).max() / np.ptp(ours.model.embedding)
        ),
        1e-3,
    )


def _rebuilt(n: int) -> Match:
    """Both factorise M and find the smallest eigenvalues of its inverse, theirs to 1e-6 and ours to 1e-10."""
    return Match(
        "lle",
        "12 neighbours, 2 dimensions",
        generate("swiss_roll", n=n, noise=0, seed=1),
        {"neighbours": 12, "dimensions": 2},
        LocallyLinearEmbedding(n_neighbors=12, n_components=2, eigen_solver="arpack", random_state=0),
        _apart,
        1e-3,
    )


def _smoothest(n: int) -> Match:
    return Match(
        "laplacian_eigenmaps",
        "10 neighbours of weight 1, 2 dimensions",
        generate("swiss_roll", n=n, noise=0, seed=1),
        {"neighbours": 10, "dimensions": 2, "kernel": "0 and 1"},
        _Joined(),
        _apart,
        1e-3,
    )


class _Joined(SpectralEmbedding):
    """Spectral embedding of the graph in which either of two neighbours has chosen the other; theirs has the mean."""

    def __init__(self) -> None:
        super().__init__(2, affinity="precomputed", eigen_solver="arpack", random_state=0)

    def fit(self, X: Any, y: Any = None) -> Any:
        """The map of the graph of these points."""
        near = kneighbors_graph(X, 10)
        return super().fit(near.maximum(near.T))


def _apart(ours: Fit, theirs: Any) -> float:
    """How far two maps are apart at most, up to signs, by their range."""
    return float(np.abs(np.abs(theirs.embedding_) - np.abs(ours.model.embedding)).max() / np.ptp(ours.model.embedding))


def _down_the_stress(n: int) -> Match:
    return Match(
        "mds",
        "metric, 30 steps of majorisation from the map of classical scaling",
        generate("swiss_roll", n=n, noise=0, seed=1),
        {"kind": "metric", "begin": "classical scaling", "max_steps": 30, "tol": 1e-9},
        MDS(2, n_init=1, init="classical_mds", max_iter=30, eps=0.0, normalized_stress=False),
        lambda ours, theirs: float(
            abs(np.sqrt(2.0 * theirs.stress_ / np.square(theirs.dissimilarity_matrix_).sum()) - ours.model.stress)
        ),
        1e-4,
    )
