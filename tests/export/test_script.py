"""Scripts: they run on their own and give the same numbers, and scikit-learn agrees where it must."""

import runpy
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from algorithms import Points, all_algorithms, find, fit
from algorithms.params import as_dict
from mlviz.data.spec import load_data
from mlviz.export.script import MOST_READABLE, counterpart, script
from tests.export.conftest import run_of_example


def scope_of(key, data, tmp_path, seed=0, **params):
    algorithm = find(key)
    path = tmp_path / "a.py"
    path.write_text(script(algorithm, data, algorithm.make_params(params), seed), encoding="utf-8")
    return runpy.run_path(str(path))


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_every_script_gives_the_same_numbers(algorithm, tmp_path):
    direct = run_of_example(algorithm)
    scope = scope_of(algorithm.key, direct.data, tmp_path, seed=direct.seed)
    again = scope["run"]()
    assert (again.reason, again.steps) == (direct.reason, len(direct.timeline) - 1)
    for metric in algorithm.metrics:
        np.testing.assert_array_equal(again.metrics[metric.name], direct.timeline.metric(metric.name))


@pytest.mark.parametrize("n", [40, 4 * MOST_READABLE])
def test_the_points_are_the_same_to_the_last_bit(n, tmp_path):
    rng = np.random.default_rng(0)
    data = Points(rng.normal(size=(n, 2)) * 1e-7, rng.normal(size=n), features=('a "quoted"', "b\\c"), name="odd '''")
    scope = scope_of("k_means", data, tmp_path)
    again = scope["data"]
    assert again.X.tobytes() == data.X.tobytes()
    assert again.y.tobytes() == data.y.tobytes()
    assert (again.features, again.target, again.name) == (data.features, data.target, data.name)


AGREE = {
    "k-means": ("k_means", "blobs(n=200,centres=4,seed=1)", {"k": 4}, 1e-9),
    "k-means from points": ("k_means", "moons(n=150)", {"k": 3, "init": "random points"}, 1e-9),
    "mixture": ("gaussian_mixture", "blobs(n=200,seed=1)", {"tol": 1e-9}, 1e-3),
    "diagonal mixture": ("gaussian_mixture", "blobs(n=200,seed=1)", {"covariance": "diagonal", "tol": 1e-9}, 1e-3),
    "spherical mixture": ("gaussian_mixture", "blobs(n=200,seed=1)", {"covariance": "spherical", "tol": 1e-9}, 1e-3),
    "tied mixture": ("gaussian_mixture", "blobs(n=200,seed=1)", {"covariance": "tied", "tol": 1e-9}, 1e-3),
    "single": ("agglomerative", "moons(n=100,noise=0.05)", {"linkage": "single", "k": 2}, 0),
    "average": ("agglomerative", "blobs(n=90,seed=2)", {}, 0),
    "ward": ("agglomerative", "blobs(n=90,seed=2)", {"linkage": "ward"}, 0),
    "svm": ("kernel_svm", "moons(n=150,noise=0.2)", {"tol": 1e-6}, 0),
    "polynomial svm": ("kernel_svm", "moons(n=100,noise=0.2)", {"kernel": "polynomial", "tol": 1e-6}, 0),
    "laplacian svm": ("kernel_svm", "moons(n=100,noise=0.2)", {"kernel": "laplacian", "tol": 1e-6}, 0),
    "svm of three": ("kernel_svm", "blobs(n=90,seed=2)", {"tol": 1e-6}, 0),
    "svm of pairs": ("kernel_svm", "blobs(n=90,seed=2)", {"tol": 1e-6, "multiclass": "one-versus-one"}, 0),
    "logistic": ("logistic_regression", "moons(n=150,noise=0.3)", {"lam": 0.5}, 1e-4),
    "logistic without a penalty": ("logistic_regression", "moons(n=150,noise=0.3)", {}, 0),
    "tree": ("decision_tree", "moons(n=150,noise=0.3)", {"depth": 3}, 1e-9),
    "network": ("mlp", "moons(n=150,noise=0.1)", {"epochs": 1000}, 0.1),
    "perceptron": ("perceptron", "blobs(n=80,centres=2,noise=0.5,seed=1)", {}, 0),
    "line": ("linear_regression", "sine(n=60)", {"degree": 3, "sweep": False}, 1e-8),
    "ridge": ("linear_regression", "sine(n=60)", {"degree": 2, "penalty": "ridge", "sweep": False}, 1e-8),
    "lasso": ("lasso", "sine(n=60)", {"degree": 2, "sweep": False}, 1e-5),
    "elastic net": ("lasso", "sine(n=60)", {"degree": 2, "penalty": "elastic net", "sweep": False}, 1e-5),
    "median": ("robust_regression", "line(n=60,outliers=0.1)", {"loss": "absolute", "sweep": False}, 1e-6),
    "quantile": ("robust_regression", "heteroscedastic(n=61)", {"loss": "pinball", "sweep": False}, 1e-6),
    "ridge over two features": ("linear_regression", "collinear(n=60)", {"degree": 2, "penalty": "ridge"}, 1e-8),
    "principal component": ("component_regression", "collinear(n=60)", {"degree": 1, "components": 1}, 1e-9),
    "principal components": ("component_regression", "collinear(n=60)", {"degree": 3, "components": 4}, 1e-9),
    "directions that say something": ("component_regression", "sine(n=60)", {"degree": 6}, 1e-9),
    "kernel ridge": ("kernel_ridge", "sine(n=60)", {"sigma": 0.25, "sweep": False}, 1e-7),
    "laplacian ridge": ("kernel_ridge", "sine(n=60)", {"kernel": "laplacian", "features": "from 0 to 1"}, 1e-8),
    "polynomial ridge": ("kernel_ridge", "sine(n=60)", {"kernel": "polynomial", "lam": 0.1}, 1e-7),
    "dual ridge": ("kernel_ridge", "collinear(n=60)", {"kernel": "linear", "lam": 2.0}, 1e-8),
    "process": ("gaussian_process", "sine(n=30)", {"learn": False, "map": False}, 1e-8),
    "learned process": ("gaussian_process", "sine(n=30)", {"kernel": "matern 3/2", "map": False}, 1e-2),
    "process of lines": ("gaussian_process", "collinear(n=30)", {"kernel": "linear", "learn": False}, 1e-8),
    "isomap": ("isomap", "swiss_roll(n=200)", {"neighbours": 10}, 1e-6),
    "isomap by radius": ("isomap", "swiss_roll(n=200)", {"graph": "epsilon ball", "epsilon": 0.2}, 1e-6),
    "neighbours": ("t_sne", "some_digits(n=150,seed=1)", {"perplexity": 10, "iterations": 500}, 0.05),
    "weights of neighbours": ("lle", "swiss_roll(n=300)", {"neighbours": 10}, 1e-4),
    "smoothest vectors": ("laplacian_eigenmaps", "swiss_roll(n=200)", {"neighbours": 9}, 1e-5),
    "smoothest vectors of a plain graph": ("laplacian_eigenmaps", "s_curve(n=200)", {"kernel": "0 and 1"}, 1e-5),
    "components": ("pca", "iris", {"dimensions": 3}, 1e-9),
    "components of the wine": ("pca", "wine", {"scaling": "standardised"}, 1e-9),
    "casino": ("hidden_markov", "casino(n=200,series=2)", {}, 1e-8),
    "chain": ("hidden_markov", "gaussian_chain(n=120,features=2)", {"task": "evaluate"}, 1e-8),
    "scaling of distances": ("mds", "cities_by_road", {"dimensions": 3}, 1e-9),
    "scaling of points": ("mds", "iris", {}, 1e-9),
    "paths": ("shortest_paths", "small_web", {"from": 4}, 0),
    "paths by weight": ("shortest_paths", "grid(weights=random)", {}, 0),
    "paths by edges": ("shortest_paths", "les_miserables", {"method": "breadth first"}, 0),
    "paths of all pairs": ("shortest_paths", "random_graph(p=0.05)", {"method": "Floyd-Warshall"}, 0),
    "degree": ("centralities", "karate", {"kind": "degree"}, 1e-12),
    "closeness": ("centralities", "karate", {"kind": "closeness"}, 1e-12),
    "closeness in pieces": (
        "centralities",
        "random_graph(p=0.05)",
        {"kind": "closeness", "scaling": "as in networkx"},
        1e-12,
    ),
    "betweenness": ("centralities", "les_miserables", {"weights": "used"}, 1e-12),
    "paths through nodes": ("centralities", "small_web", {"scaling": "none"}, 1e-12),
    "eigenvector": ("centralities", "les_miserables", {"kind": "eigenvector", "weights": "used"}, 1e-6),
    "Katz": ("centralities", "small_web", {"kind": "Katz"}, 1e-6),
    "Katz without a cycle": ("centralities", "textbook_graph(which='directed star')", {"kind": "Katz"}, 1e-6),
    "HITS": ("centralities", "small_web", {"kind": "HITS", "side": "hubs"}, 1e-6),
    "metric scaling": ("mds", "cities", {"kind": "metric", "max_steps": 60, "tol": 1e-9}, 1e-6),
    "scaling by order": ("mds", "cities", {"kind": "non-metric", "max_steps": 60, "tol": 1e-9}, 1e-3),
    "pieces of texts": ("string_kernel", "subjects", {"kind": "spectrum", "length": 3}, 0),
    "triples of graphs": ("graph_kernel", "friend_graphs(n=12)", {}, 0),
    "triples of several families": ("graph_kernel", "graph_families(n=12)", {"normalise": True, "C": 1000.0}, 0),
    "walks in two graphs": ("graph_kernel", "graph_families(n=8,families=2)", {"kind": "random walk"}, 0),
    "pairs of classes": ("multi_class", "blobs(n=90,seed=2)", {"base": "logistic", "scheme": "one-vs-one"}, 0),
    "bootstrap of a median": ("bootstrap", "line(n=40,noise=1,seed=2)", {"statistic": "median", "column": 2}, 1e-9),
    "bootstrap of a slope": ("bootstrap", "line(n=40,noise=1,seed=2)", {"statistic": "slope"}, 1e-9),
    "boosted trees of depth 1": ("adaboost", "blobs(n=90,seed=2,noise=2)", {"base": "tree", "depth": 1}, 0.02),
    "boosted values": ("gradient_boosting", "line(n=80,noise=1,seed=2)", {"validation": 0.0}, 1e-6),
    "boosted classes": ("gradient_boosting", "moons(n=90,noise=0.3,seed=2)", {"validation": 0.0, "rounds": 20}, 0),
    "bags": ("bagging", "moons(n=150,noise=0.3,seed=1)", {}, 0.03),  # drawn by another generator
    "forest": ("random_forest", "wine", {}, 0.03),
    "one sparse component": ("sparse_pca", "wine", {"dimensions": 1}, 1e-3),
    "factors from one start": ("nmf", "mixtures(n=60,seed=1)", {"rank": 3}, 1e-6),
    "discriminants": ("multi_class", "blobs(n=90,seed=2)", {"base": "logistic", "scheme": "discriminant"}, 0),
}
AGREE |= {
    method.title: (method.key, method.example, {}, 1e-6)
    for method in all_algorithms()
    if method.counterpart is not None and method.key not in {key for key, *_ in AGREE.values()}
}
"""A method with nothing special to try is compared on its example."""


@pytest.mark.parametrize("name", AGREE)
def test_the_other_library_agrees(name, tmp_path):
    key, spec, params, tolerance = AGREE[name]
    scope = scope_of(key, load_data(spec), tmp_path, **params)
    theirs = next(scope[name] for name in ("scikit_learn", "hmmlearn", "networkx", "scipy") if name in scope)
    assert abs(scope["difference"](scope["run"](), theirs())) <= tolerance


def test_there_may_be_no_counterpart():
    svm = find("kernel_svm")
    moons = load_data("moons(n=20)")
    assert counterpart(svm, moons, svm.make_params({"slack": "squared"}), 0) is None
    assert counterpart(svm, moons, svm.make_params({"kernel": "polynomial × rbf"}), 0) is None
    logistic = find("logistic_regression")
    assert counterpart(logistic, moons, logistic.make_params({"kernel": "Gaussian"}), 0) is None
    regression, line = find("linear_regression"), load_data("sine(n=20)")
    kernel, many = find("kernel_ridge"), load_data("sine(n=10100)")
    assert counterpart(kernel, line, kernel.make_params({}), 0) is not None
    assert counterpart(kernel, line, kernel.make_params({"intercept": "free"}), 0) is None
    assert counterpart(kernel, many, kernel.make_params({}), 0) is None
    components = find("component_regression")
    for other in ({"intercept": "none"}, {"columns": "standardised"}, {"dictionary": "gaussian bumps"}):
        assert counterpart(components, line, components.make_params(other), 0) is None
    subsets = find("subset_selection")
    assert counterpart(subsets, line, subsets.make_params({"subset": "leaps and bounds"}), 0) is None
    for other in ({"columns": "standardised"}, {"dictionary": "gaussian bumps"}, {"intercept": "penalised"}):
        assert counterpart(regression, line, regression.make_params(other), 0) is None
    descent = find("gradient_descent")
    text = script(descent, moons, descent.make_params({}), 0)
    assert "has no counterpart" in text


def test_a_script_runs_as_a_program(tmp_path):
    algorithm = find("k_means")
    path = tmp_path / "a.py"
    params = algorithm.make_params({"k": 4})
    path.write_text(script(algorithm, load_data("blobs(n=60,seed=1)"), params, 1, resumed=True), encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    direct = fit("k_means", load_data("blobs(n=60,seed=1)"), seed=1, **as_dict(params))
    assert f"J = {direct.metrics['J'][-1]:.6g}" in done.stdout
    assert "relative difference in J is" in done.stdout
    assert "begins at the beginning" in path.read_text()


def test_a_script_does_not_print_what_is_not_known(tmp_path, capsys):
    scope = scope_of("k_means", Points([[0.0], [1.0], [5.0]]), tmp_path, k=2)
    ours = scope["run"]()
    curves = {"J": np.array([2.0, np.nan]), "moved": np.array([np.nan, 3.0])}
    scope["main"].__globals__["run"] = lambda: replace(ours, metrics=curves)
    scope["main"]()
    printed = capsys.readouterr().out
    assert "moved = 3\n" in printed
    assert "J =" not in printed


def test_data_that_the_other_library_refuses_leave_a_sentence(tmp_path, capsys):
    flat = Points([[0.0, 1.0], [2.0, 1.0], [3.0, 1.0], [5.0, 1.0]], [0, 0, 1, 1])
    scope_of("gaussian_classifier", flat, tmp_path)["main"]()
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("scikit-learn has no answer for these data: ")


@pytest.mark.parametrize("key", ["kernel_ridge", "gaussian_process"])
def test_a_script_compares_an_approximation_with_the_exact_fit(key):
    """Beyond 4,000 points the comparison stays, and says what the difference is."""
    method = find(key)
    data = load_data("sine(n=4500,noise=0.2,seed=1)")
    params = method.make_params({"learn": False, "map": False} if key == "gaussian_process" else {"sweep": False})
    other = counterpart(method, data, params, 0)
    assert other.caveat == "1,000 landmarks of 4,500 points here, all points there: the cost of the approximation."
    assert counterpart(method, load_data("sine(n=60)"), params, 0).caveat == ""
