"""The built-in data: the published sizes and summaries, and the names by which they are reached."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets

from algorithms.data import DataError
from algorithms.params import ParamError
from mlviz import paths
from mlviz.data.builtin import BuiltinTable, all_builtin, find_builtin, load_builtin
from mlviz.data.spec import Recipe, all_sources, load_data, parse_spec
from mlviz.data.understanding import Wishes
from mlviz.session.document import Document

COPIES = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}


@pytest.mark.parametrize("name", COPIES)
def test_the_numbers_are_those_of_an_independent_copy(name: str) -> None:
    data, copy = load_builtin(name), COPIES[name]()
    assert np.array_equal(data.X, copy.data)
    named = np.array(data.classes)[data.y]
    # the classes may be numbered and named otherwise, but must group the rows in the same way
    assert len(set(zip(named.tolist(), copy.target.tolist()))) == len(data.classes) == len(copy.target_names)


def test_old_faithful_has_the_published_summary() -> None:
    data = load_builtin("old_faithful")
    assert (data.n, data.features, data.y) == (272, ("eruption", "waiting"), None)
    assert data.X.mean(axis=0) == pytest.approx([3.487783, 70.897059], abs=5e-7)
    assert data.X.std(axis=0, ddof=1) == pytest.approx([1.141371, 13.59497], abs=5e-6)
    assert np.median(data.X, axis=0).tolist() == [4.0, 76.0]
    assert (data.X.min(axis=0).tolist(), data.X.max(axis=0).tolist()) == ([1.6, 43.0], [5.1, 96.0])


def test_diabetes_is_the_raw_table_with_its_value() -> None:
    data, copy = load_builtin("diabetes"), datasets.load_diabetes(scaled=False)
    assert np.array_equal(data.X, copy.data)
    assert data.y is not None
    assert np.array_equal(data.y, copy.target)
    assert (data.target, data.is_valued, data.features[2]) == ("progression", True, "bmi")
    assert load_builtin("diabetes", "none").d == 11
    assert load_builtin("diabetes", "bmi").target == "bmi"


@pytest.mark.parametrize("spec", ["iris", "iris()", "iris(target=species)", " iris "])
def test_a_spec_names_it(spec: str) -> None:
    data = load_data(spec)
    assert (data.name, data.n, data.d, data.classes) == ("iris", 150, 4, ("setosa", "versicolor", "virginica"))


def test_any_column_can_be_the_target() -> None:
    waiting = load_data("old_faithful", Wishes("waiting"))
    assert (waiting.features, waiting.target, waiting.d, waiting.is_valued) == (("eruption",), "waiting", 1, True)
    assert load_data("old_faithful", Wishes("2")).target == "waiting"
    petal = load_data("iris(target='petal width')")
    assert (petal.features, petal.classes) == (("sepal length", "sepal width", "petal length"), ())
    assert petal.y is not None
    assert np.array_equal(petal.y, load_builtin("iris").X[:, 3])
    assert load_builtin("iris", "none").y is None


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: load_builtin("iris", "petal widht"), "iris has no column 'petal widht'; did you mean 'petal width'?"),
        (lambda: load_builtin("iriss"), "There is no built-in data set 'iriss'; did you mean 'iris'?"),
        (
            lambda: load_data("old_faithfull"),
            "There is no built-in data set 'old_faithfull'; did you mean 'old_faithful'?",
        ),
        (lambda: parse_spec("iris(n=3)"), "iris has no parameter 'n'; it has target."),
    ],
)
def test_a_wrong_name_gets_a_sentence(ask, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DataError) as refused:
        ask()
    assert str(refused.value) == sentence


def test_a_wrong_target_in_a_spec_is_refused() -> None:
    with pytest.raises(ParamError):
        load_data("iris(target=colour)")


def test_names_are_told_apart_from_the_generators() -> None:
    names = [source.name for source in all_sources()]
    assert len(names) == len(set(names))
    assert Recipe("iris", {}).axes == (2, 3)
    tables = [item for item in all_builtin() if isinstance(item, BuiltinTable)]
    assert all(max(item.axes) < item.generate().d for item in tables)
    assert all(np.ptp(item.generate().X[:, axis]) > 0 for item in tables for axis in item.axes)


def test_every_file_has_its_source_and_licence() -> None:
    folder = paths.assets() / "datasets"
    written = set(re.findall(r"^\| `([^`]+)`", (folder / "SOURCES.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert written == {path.name for path in folder.iterdir()} - {"SOURCES.md"} == {x.file for x in all_builtin()}
    assert find_builtin("iris").file == Path("iris.csv").name


def test_digits_are_pictures() -> None:
    digits = load_builtin("digits")
    assert digits.image_shape == (8, 8)
    assert load_builtin("digits", "none").image_shape == (8, 8)
    assert load_builtin("digits", "1").image_shape is None  # a pixel that is the target is missing in the picture
    assert Document(digits, "k_means").with_first_axes((36, 21)).shows_pca
    assert Document(load_builtin("subject_words"), "naive_bayes").with_first_axes((0, 1)).shows_pca
    assert Document(load_builtin("iris"), "k_means").with_first_axes((2, 3)).axes == (2, 3)
