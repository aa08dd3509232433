"""One-line data: what is understood, and the sentence for everything else."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from algorithms.data import DataError
from algorithms.params import ParamError
from mlviz.data import spec as spec_module
from mlviz.data.generators import generate
from mlviz.data.spec import load_data, parse_spec
from mlviz.data.understanding import Wishes


def test_a_call_is_read() -> None:
    recipe = parse_spec(" moons( n=300, noise=1e-1 ,seed=1 ) ")
    assert (recipe.name, recipe.values) == ("moons", {"n": 300, "noise": 0.1, "seed": 1})
    assert str(recipe) == "moons(n=300,noise=0.1,seed=1)"
    assert parse_spec(str(recipe)) == recipe


@pytest.mark.parametrize("spec", ["moons", "moons()"])
def test_a_bare_name_means_the_defaults(spec: str) -> None:
    assert np.array_equal(load_data(spec).X, generate("moons").X)


def test_a_name_that_is_known_is_compared_with_no_other(monkeypatch) -> None:
    """It takes milliseconds, and a window asks for the source of its data ten times with every change."""
    monkeypatch.setattr(spec_module.difflib, "get_close_matches", lambda *_, **__: pytest.fail("names were compared"))
    assert spec_module.find_source("moons").name == "moons"
    assert spec_module.find_source("iris").name == "iris"


@pytest.mark.parametrize("word", ["true", "True"])
def test_words_need_no_quotes(word: str) -> None:
    assert parse_spec(f"blobs_anisotropic(parallel={word})").values == {"parallel": True}


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mons(n=3)", "There is no data generator 'mons'; did you mean 'moons'?"),
        ("zebra", "There is no data generator 'zebra'; there are blobs, "),
        ("moons(nois=1)", "moons has no parameter 'nois'; did you mean 'noise'?"),
        ("moons(zebra=1)", "moons has no parameter 'zebra'; it has n, noise, gap, seed."),
        ("moons(300)", "Every value of moons needs its name: write moons(n=300), not moons(300)."),
        ("moons(**{})", "Every value of moons needs its name"),
        ("moons(n=1,n=2)", "moons is given n twice."),
        ("moons(n=2*3)", "The value of n of moons must be a number or a word, not a formula."),
        ("moons(n=__import__('os').getpid())", "The value of n of moons must be a number or a word, not a formula."),
        ("moons(n=", "'moons(n=' is not a generator call; write it like moons(n=300,noise=0.1,seed=1)."),
        ("tables/mons.csv", "There is no file 'tables/mons.csv'."),
        ("x" * 400 + "()", "There is no data generator"),
        ("moons(n=)", "'moons(n=)' is not a generator call; write it like moons(n=300,noise=0.1,seed=1)."),
        ("moons(n=1)(n=2)", "is not a generator call"),
        ("moons(" + "(" * 1000 + ")" * 1001, "is not a generator call"),
        ("moons(" + " " * 5000 + ")", "is not a generator call"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(DataError) as refused:
        load_data(spec)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("value", ["0", "100001", "1.5", "1e400", "two", "'3'", "[1]", "{1}", "2j", "None", "9" * 400])
def test_values_outside_the_declaration_are_refused_by_name(value: str) -> None:
    with pytest.raises(ParamError, match=r"^n must be a whole number from 1 to 100000; got .+\.$"):
        load_data(f"moons(n={value})")


def test_an_older_name_of_a_parameter_is_read() -> None:
    assert str(parse_spec("masks(n=20,share=0.4)")) == "masks(n=20,fraction=0.4)"


def test_a_target_column_makes_sense_only_for_files() -> None:
    with pytest.raises(DataError, match="The generator moons brings its own target"):
        load_data("moons", Wishes("y"))


def test_a_file_named_like_a_word_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table(1)").write_text("a,b\n1,2\n3,4\n")
    assert load_data("table(1)").features == ("a",)


@given(text=st.text() | st.builds("moons({})".format, st.text()))
@example("moons(\0)")
@example("moons(n=1if 1else 2)")
@example("\0")
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    sentence = "None."
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            load_data(text)
        except (DataError, ParamError) as refused:
            sentence = str(refused)
    assert sentence.endswith((".", "?"))
