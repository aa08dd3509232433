"""The registry: files are found by being there."""

import importlib
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import algorithms
from algorithms import UnknownAlgorithm, all_algorithms, find
from algorithms.checks import ALL_CHECKS
from algorithms.registry import families

ROOT = Path(algorithms.__file__).parent


def files_of_algorithms():
    """The keys that the files on disk promise, found without the registry."""
    modules = {path.stem: path for path in ROOT.glob("*/*.py") if not path.name.startswith("_")}
    packages = {path.parent.name: path for path in ROOT.glob("*/*/__init__.py")}
    return {key for key, path in (modules | packages).items() if "\nALGORITHM = " in path.read_text("utf-8")}


def test_every_file_with_an_algorithm_is_found_once():
    keys = [algorithm.key for algorithm in all_algorithms()]
    assert len(set(keys)) == len(keys)
    assert set(keys) == files_of_algorithms()


def test_every_public_module_of_a_family_is_an_algorithm():
    for family in families():
        package = importlib.import_module(f"algorithms.{family}")
        for item in pkgutil.iter_modules(package.__path__):
            if not item.name.startswith("_"):
                assert item.name in files_of_algorithms()


def test_the_order_is_by_family_and_title():
    order = [(algorithm.family, algorithm.title.lower()) for algorithm in all_algorithms()]
    assert order == sorted(order)


def test_find_gives_the_record_itself():
    for algorithm in all_algorithms():
        assert find(algorithm.key) is algorithm
        assert pickle.loads(pickle.dumps(algorithm)) == algorithm


def test_finding_one_does_not_import_the_others():
    code = "import sys, algorithms; algorithms.find('k_means'); print('algorithms.neural.mlp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_skeleton_is_not_found():
    assert "skeleton" not in {algorithm.key for algorithm in all_algorithms()}
    assert "skeleton" not in families()


def test_families_are_the_packages_with_algorithms():
    assert "maths" not in families()
    assert {algorithm.family for algorithm in all_algorithms()} <= set(families())
    packages = {path.parent.name for path in ROOT.glob("[a-z]*/__init__.py")}
    assert set(families()) == packages - {"data", "marks", "maths", "params"}


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("kmeans", "'k_means'"),
        ("Linear Regression", "'linear_regression'"),
        ("svm", "'kernel_svm', 'hinge_svm' or 'lp_svm'"),
        ("ridge", "'linear_regression' or 'kernel_ridge'"),
        ("PCR", "'component_regression'"),
        ("kernal_svm", "'kernel_svm', 'lp_svm' or 'kernel_lab'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_methods_that_are_called_nearly_so(typed, names):
    with pytest.raises(UnknownAlgorithm) as caught:
        find(typed)
    assert str(caught.value) == f"There is no algorithm {typed!r}; did you mean {names}?"


def test_a_name_that_is_like_no_other_gets_the_three_nearest_and_not_the_list():
    with pytest.raises(UnknownAlgorithm) as caught:
        find("zzz")
    assert str(caught.value).count("'") == 2 + 2 * 3
    assert isinstance(caught.value, KeyError)


def test_a_new_file_is_found_by_being_there(tmp_path, monkeypatch):
    """The promise of the README: copy the skeleton into a family, and it is there and keeps the contract."""
    family = tmp_path / "stargazing"
    family.mkdir()
    (family / "__init__.py").write_text("", encoding="utf-8")
    source = (ROOT / "_skeleton.py").read_text("utf-8")
    copy = source.replace('key="skeleton"', 'key="polaris"').replace('family="clustering"', 'family="stargazing"')
    (family / "polaris.py").write_text(copy, encoding="utf-8")
    (family / "_helper.py").write_text("raise RuntimeError('helpers are not imported')", encoding="utf-8")
    monkeypatch.setattr(algorithms, "__path__", [*algorithms.__path__, str(tmp_path)])
    clear_caches()
    try:
        assert find("polaris").family == "stargazing"
        assert "stargazing" in families()
        for check in ALL_CHECKS:
            check(find("polaris"))
    finally:
        monkeypatch.undo()
        clear_caches()
    assert "polaris" not in {algorithm.key for algorithm in all_algorithms()}


def clear_caches():
    importlib.invalidate_caches()
    all_algorithms.cache_clear()
    families.cache_clear()


@pytest.mark.parametrize(
    ("key", "names", "defaults"),
    [
        ("agglomerative", ("linkage", "k"), {}),
        ("decision_tree", ("criterion", "depth"), {"criterion": "gini"}),
        ("mlp", ("hidden", "activation", "optimiser", "learning_rate"), {}),
        (
            "linear_regression",
            ("dictionary", "degree", "penalty", "lam"),
            {"dictionary": "polynomial", "penalty": "none"},
        ),
        ("lasso", ("penalty", "lam", "mix", "q", "dictionary", "degree"), {"penalty": "lasso"}),
        ("subset_selection", ("subset", "size"), {}),
        ("robust_regression", ("loss", "delta", "tau"), {"loss": "huber"}),
        ("component_regression", ("components",), {}),
        ("kernel_ridge", ("kernel", "lam", "sigma"), {}),
        ("bias_variance", ("redraws", "truth", "noise"), {}),
        ("gradient_descent", ("surface", "method"), {}),
        ("isomap", ("neighbours", "dimensions"), {}),
        ("logistic_regression", ("solver", "lam"), {"lam": 0.0}),
    ],
)
def test_parameters_have_the_names_and_defaults_that_users_write_down(key, names, defaults):
    """Scripts, session files and command lines hold these names: a new one breaks them."""
    fields = {field.name: field for field in find(key).fields}
    assert set(names) <= set(fields)
    assert {name: fields[name].default for name in defaults} == defaults


@pytest.mark.parametrize(
    ("key", "name", "choices"),
    [
        ("agglomerative", "linkage", {"single", "complete", "average", "ward"}),
        ("agglomerative", "metric", {"euclidean", "manhattan", "cosine"}),
        ("decision_tree", "criterion", {"gini", "cross-entropy", "misclassification"}),
        (
            "mlp",
            "activation",
            {"identity", "sigmoid", "tanh", "relu", "elu", "selu", "softplus", "swish"},
        ),
        ("mlp", "optimiser", {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam"}),
        ("linear_regression", "penalty", {"none", "ridge"}),
        ("lasso", "penalty", {"lasso", "elastic net", "power"}),
        ("subset_selection", "subset", {"forward", "backward", "exhaustive", "leaps and bounds"}),
        ("robust_regression", "loss", {"huber", "absolute", "pinball", "expectile"}),
        ("logistic_regression", "solver", {"newton", "gradient descent"}),
    ],
)
def test_choices_that_users_write_down(key, name, choices):
    field = next(field for field in find(key).fields if field.name == name)
    assert choices <= set(field.choices)


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_a_form_has_at_most_a_dozen_knobs(algorithm):
    """What needs more is two methods; only while a network learns are many of them turned, in groups."""
    groups = {field.group for field in algorithm.fields}
    assert len(algorithm.fields) <= (12 if algorithm.key != "mlp" else 17)
    assert len(algorithm.fields) <= 12 or "" not in groups
