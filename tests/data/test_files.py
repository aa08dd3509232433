"""Tables from files: what is found out about them, and the sentence for each way in which they can be bad."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mlviz.data.table as tables
from algorithms.data import DataError, Points
from mlviz.data.files import read_points
from mlviz.data.understanding import Wishes

IRIS = "length,width,species\n5.1,3.5,setosa\n7.0,3.2,versicolor\n6.3,3.3,setosa\n"


def points(path: Path, target: str = "", gaps: Any = "suggested") -> Points:
    """The points with this target, or with none."""
    return read_points(path, Wishes(target), gaps).points


def write(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("target", ["species", "3"])
def test_the_target_is_chosen_by_name_or_number(tmp_path: Path, target: str) -> None:
    data = points(write(tmp_path, IRIS, "iris.csv"), target)
    assert data.X.tolist() == [[5.1, 3.5], [7.0, 3.2], [6.3, 3.3]]
    assert (data.name, data.features, data.target) == ("iris", ("length", "width"), "species")
    assert data.classes == ("setosa", "versicolor")
    assert data.y.tolist() == [0, 1, 0]  # type: ignore[union-attr]


def test_a_name_wins_over_a_number(tmp_path: Path) -> None:
    assert points(write(tmp_path, "2,b\n1.5,3\n2.5,4\n"), "2").target == "2"


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a,b\n1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("a\tb\n1\t2\n3\t4\n", [[1, 2], [3, 4]]),
        ("a|b\n1|2\n3|4\n", [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("a;b\n1,5;2\n3;4,25\n", [[1.5, 2], [3, 4.25]]),
        ("1,5;2,5\n3,25;4,5\n", [[1.5, 2.5], [3.25, 4.5]]),
        ("a;b\n1.5;2\n3;4.25\n", [[1.5, 2], [3, 4.25]]),
        ("a,b\r\n1,2\r\n3,4\r\n", [[1, 2], [3, 4]]),
        ("\ufeffa,b\n1,2\n3,4", [[1, 2], [3, 4]]),
        ('"a, the first",b\n"1",2\n3,4\n', [[1, 2], [3, 4]]),
        ("a,b,\n1,2,\n3,4,\n", [[1, 2], [3, 4]]),
        ("Measured on Monday\n\na,b\n1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("a,b\n 1 , -2e-3\n+3,.5\n", [[1, -0.002], [3, 0.5]]),
        ("a\n1\n2\n", [[1], [2]]),
        ("1,2\n", [[1, 2]]),
    ],
)
def test_the_dialect_is_found_out(tmp_path: Path, content: str, rows: list[list[float]]) -> None:
    data = points(write(tmp_path, content))
    assert data.X.tolist() == rows
    assert data.y is None


@pytest.mark.parametrize(
    ("column", "classes", "values"),
    [
        (["yes", "no", "yes", "no"], ("no", "yes"), [1, 0, 1, 0]),
        (["10", "9", "10", "9"], ("9", "10"), [1, 0, 1, 0]),
        (["1", "2", "3", "4"], (), [1, 2, 3, 4]),
        (["0.5", "1", "1", "0.5"], (), [0.5, 1, 1, 0.5]),
        (["+", "-", "+", "-"], ("+", "-"), [0, 1, 0, 1]),
        (["1", "b", "1", "b"], ("1", "b"), [0, 1, 0, 1]),
    ],
)
def test_words_and_few_whole_numbers_are_classes(
    tmp_path: Path, column: list[str], classes: tuple[str, ...], values: list[float]
) -> None:
    content = "x,y\n" + "".join(f"{row}.5,{value}\n" for row, value in enumerate(column))
    data = points(write(tmp_path, content), "y")
    assert data.classes == classes
    assert data.y.tolist() == values  # type: ignore[union-attr]


def test_many_whole_numbers_are_values(tmp_path: Path) -> None:
    content = "x,y\n" + "".join(f"{row},{row % 21}\n" for row in range(100))
    assert points(write(tmp_path, content), "y").is_valued


@pytest.mark.parametrize("name", ["a*b.csv", "a[1].csv", "it's.csv", "what?.csv", "späß 1.csv"])
def test_odd_names_are_just_names(tmp_path: Path, name: str) -> None:
    write(tmp_path, "a,b\n9,9\n8,8\n", "axb.csv")
    assert points(write(tmp_path, "a,b\n1,2\n3,4\n", name)).X.tolist() == [[1, 2], [3, 4]]


BAD = {
    "nothing": ("", "bad.csv is empty."),
    "only blank lines": ("\n \n\n", "bad.csv is empty."),
    "only a header": ("a,b\n", "bad.csv has a header but no rows."),
    "zero bytes": (b"PK\x03\x04\0\0\xff\xfe", "it contains zero bytes, the first in line 1"),
    "zero byte below": (b"a,b\n1,2\n3,\0\n", "it contains zero bytes, the first in line 3"),
    "binary": (b"a,b\n\x81\x02,3\n", "Line 2 of bad.csv is not text, neither in UTF-8 nor in Windows-1252."),
    "UTF-16 cut": ("a,b\n1,2\n".encode("utf-16")[:-1], "Line 2 of bad.csv is not UTF-16 text"),
    "short row": ("a,b,c\n1,2,3\n4,5\n6,7,8\n", "Line 3 of bad.csv has 2 values; 3 values were expected."),
    "long row": ("a,b,c\n1,2,3\n4,5,6,7\n6,7,8\n", "Line 3 of bad.csv has 4 values; 3 values were expected."),
    "short header": ("a,b\n1,2,3\n4,5,6\n", "Line 2 of bad.csv has 3 values; 2 values were expected."),
    "long row far down": ("a,b\n" + "1,2\n" * 30_000 + "1,2,3\n", "Line 30002 of bad.csv has 3 values; 2 values"),
    "open quotation": ('a,b\n1,"2\n3,4\n', "Line 2 of bad.csv cannot be read: a quotation mark is not closed."),
    "missing": ("a,b\n1,2\n3,\n", "Row 2 of the column 'b' has no value; fill it in or remove the row."),
    "NA": ("a,b\n1,2\nNA,3\n", "Row 2 of the column 'a' has no value; fill it in or remove the row."),
    "too large": ("a,b\n1,2\n3,1e400\n", "Row 2 of the column 'b' is '1e400', which is not a finite number."),
    "infinite": ("a,b\n1,2\n-inf,4\n", "Row 2 of the column 'a' is '-inf', which is not a finite number."),
    "wide": (
        ",".join(["1"] * 1001) + "\n" + ",".join(["2"] * 1001) + "\n",
        "bad.csv has more than 1000 columns; at most 1000",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_each_bad_file_gets_its_sentence(tmp_path: Path, kind: str) -> None:
    content, sentence = BAD[kind]
    with pytest.raises(DataError) as refused:
        points(write(tmp_path, content, "bad.csv"), gaps="refuse")
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("spezies", "bad.csv has no column 'spezies'; did you mean 'species'?"),
        ("zzz", "bad.csv has no column 'zzz'; it has length, width, species."),
        ("0", "bad.csv has no column '0'"),
        ("4", "bad.csv has no column '4'"),
    ],
)
def test_a_bad_target_gets_its_sentence(tmp_path: Path, target: str, sentence: str) -> None:
    with pytest.raises(DataError) as refused:
        points(write(tmp_path, IRIS, "bad.csv"), target)
    assert sentence in str(refused.value)


def test_columns_of_a_few_words_are_categories(tmp_path: Path) -> None:
    found = points(write(tmp_path, IRIS + "5.9,3.0,versicolor\n"), "length")
    assert (found.features, found.categories) == (("width", "species"), ((1, ("setosa", "versicolor")),))
    assert found.X[:, 1].tolist() == [0, 1, 0, 1]


def test_targets_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column left for the features"):
        points(write(tmp_path, "a\n1\n2\n"), "a")
    with pytest.raises(DataError, match="Row 2 of the column 'y' has no value"):
        points(write(tmp_path, "x,y\n1,a\n2,\n"), "y", "refuse")
    with pytest.raises(DataError, match="The target 'y' has 65 different texts; at most 64 classes"):
        points(write(tmp_path, "x,y\n" + "".join(f"{i},t{i}\n" for i in range(65))), "y")


def test_folders_and_absent_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder, not a file"):
        points(tmp_path)
    with pytest.raises(DataError, match=r"^There is no file '.*absent.csv'\.$"):
        points(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="cannot be opened"):
        points(tmp_path / ("x" * 300))


def test_too_many_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_ROWS", 3)
    assert points(write(tmp_path, "a\n1\n2\n3\n")).n == 3
    with pytest.raises(DataError, match="more than 3 rows"):
        points(write(tmp_path, "a\n1\n2\n3\n4\n"))


numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(1, 4).flatmap(lambda d: st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=2)),
    separator=st.sampled_from([",", ";", "\t"]),
)
def test_what_the_csv_module_writes_is_read_back_exactly(
    tmp_path: Path, rows: list[list[float]], separator: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow([f"name {j}" for j in range(len(rows[0]))])
    writer.writerows([[repr(value) for value in row] for row in rows])
    data = points(write(tmp_path, text.getvalue()))
    assert np.array_equal(data.X, np.array(rows))
    assert data.features == tuple(f"name {j}" for j in range(len(rows[0])))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200)
    | st.text(alphabet="01.,;\t\n\"'aé-eE|# ", max_size=200).map(str.encode)
    | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")),
    target=st.sampled_from([None, "1", "a"]),
)
def test_rubbish_is_read_or_refused_in_one_sentence(tmp_path: Path, content: bytes, target: str | None) -> None:
    sentence = "It was read."
    try:
        points(write(tmp_path, content), target)
    except DataError as refused:
        sentence = str(refused)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence
