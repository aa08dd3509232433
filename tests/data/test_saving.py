"""Saved data is read back the same, and a save that fails leaves the old file alone."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mlviz.data.saving as saving
from algorithms.data import DataError, Points
from mlviz.data.builtin import load_builtin
from mlviz.data.files import read_pasted, read_points
from mlviz.data.roles import Choices, to_points
from mlviz.data.saving import WRITERS, as_text, save_data
from mlviz.data.spec import load_data
from mlviz.data.understanding import Wishes, understood

SAMPLES = {
    "classes": Points(
        [[0.1, 2.0], [1 / 3, -4e-300], [5.0, 1e300]], [1, 0, 1], ("length, in cm", 'the "b"'), ("u", "v w")
    ),
    "values": Points([[1.0], [2.0], [3.5]], [0.25, -1.0, 7.0], ("x",), target="height"),
    "alone": Points([[1.0, 2.0], [3.0, 4.5]]),
    "same names": Points([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "a"], ("class", "class 2")),  # type: ignore[arg-type]
    "iris": load_builtin("iris"),
    "categories": load_builtin("tennis"),
    "levels that are not used": Points(
        [[2.0, 0.5], [0.0, 1.5], [2.0, 2.5], [0.0, 3.5]], categories={0: ("low", "middle", "high")}
    ),
    "pictures": Points(np.arange(24.0).reshape(4, 6), [0, 1, 0, 1], image_shape=(2, 3)),
}


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("suffix", WRITERS)
def test_every_form_gives_the_same_points_back(tmp_path: Path, suffix: str, kind: str) -> None:
    points, path = SAMPLES[kind], tmp_path / f"it's{suffix}"
    save_data(path, points)
    last = "" if points.y is None else str(points.d + 1)
    back = read_points(path, Wishes(last)).points
    assert list(back.columns().values())[: points.d] == list(points.columns().values())[: points.d]
    assert back.features == points.features
    assert [column for column, _ in back.categories] == [column for column, _ in points.categories]
    if suffix == ".npz":
        assert np.array_equal(back.X, points.X)
        assert (back.categories, back.image_shape) == (points.categories, points.image_shape)
    assert (back.y is None) == (points.y is None)
    if points.is_labelled:
        assert [back.classes[k] for k in back.y] == [points.classes[k] for k in points.y]  # type: ignore[union-attr]
    elif points.is_valued:
        assert back.y.tolist() == points.y.tolist()  # type: ignore[union-attr]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    X=arrays(np.float64, (3, 2), elements=st.floats(allow_nan=False, allow_infinity=False)),
    suffix=st.sampled_from(list(WRITERS)),
)
def test_any_finite_numbers_come_back_exactly(tmp_path: Path, X: np.ndarray, suffix: str) -> None:  # type: ignore[type-arg]
    path = tmp_path / f"p{suffix}"
    save_data(path, Points(X, features=("a", "b")))
    assert np.array_equal(read_points(path, Wishes("")).points.X, X)


def test_the_clipboard_gets_what_can_be_pasted() -> None:
    points = load_builtin("iris")
    table = read_pasted(as_text(points))
    back = to_points(table, Choices(understood(table).roles)).points
    assert np.array_equal(back.X, points.X)
    assert (back.classes, back.target) == (points.classes, "species")
    assert as_text(Points([[1.0, 0.5]])) == "x1\tx2\n1\t0.5\n"


def test_what_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    points = SAMPLES["alone"]
    with pytest.raises(DataError, match=r"^data\.doc must end with \.csv, \.tsv, \.npz, \.parquet\.$"):
        save_data(tmp_path / "data.doc", points)
    with pytest.raises(DataError, match=r"^data\.csv cannot be written: No such file or directory\.$"):
        save_data(tmp_path / "nowhere" / "data.csv", points)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_name_that_is_not_utf8_is_a_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe" + suffix.encode())
    save_data(path, SAMPLES["alone"])
    assert os.listdir(tmp_path) == [path.name]
    assert np.array_equal(read_points(path, Wishes("")).points.X, SAMPLES["alone"].X)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_full_disk_is_said_in_a_few_words(tmp_path: Path, suffix: str) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    with (
        pytest.raises(DataError, match=r"^full cannot be written: No space left on device\.$"),
        saving.in_a_sentence(full),
    ):
        WRITERS[suffix](full, SAMPLES["alone"])


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.csv"
    path.write_text("kept")

    def full(place: Path, points: Points) -> None:
        place.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(saving.WRITERS, ".csv", full)
    with pytest.raises(DataError, match=r"old\.csv cannot be written: No space left on device\."):
        save_data(path, SAMPLES["alone"])
    assert path.read_text() == "kept"
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.csv"]


@pytest.mark.parametrize("features", [("a;b", "c|d"), ("<b>&amp;", 'say "x"'), ("a\tb", "c,d"), ("a;b",)])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_separators_in_names_and_words_are_read_back(tmp_path, features, suffix):
    points = Points(
        np.arange(12.0).reshape(12 // len(features), len(features)),
        np.arange(12 // len(features)) % 2,
        features,
        ("&amp; 1|2", "x;y;z"),
        "the;class",
    )
    save_data(tmp_path / f"a{suffix}", points)
    read = load_data(str(tmp_path / f"a{suffix}"), Wishes("the;class"))
    assert (read.features, read.classes, read.target) == (points.features, points.classes, points.target)
    assert np.array_equal(read.X, points.X)


def test_a_separator_in_one_name_of_somebody_elses_table_is_none(tmp_path):
    (tmp_path / "a.csv").write_text("price (EUR; net),number\n1.5,2\n2.5,3\n")
    assert load_data(str(tmp_path / "a.csv"), Wishes("")).features == ("price (EUR; net)", "number")
