"""Damaged files of the formats that others read for us: the sentence says where."""

import duckdb
import pytest

from algorithms.data import DataError
from mlviz.data.files import read_table
from mlviz.data.spec import load_data
from mlviz.data.understanding import Wishes


def refused(path):
    with pytest.raises(DataError) as caught:
        read_table(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"a": 1, "b": 2},\n {"a": 3, "b": 4},\n {"a": 5, "b":', "line 3, column 15"),
        ('[{"a": 1, "b": 2},\n {"a": 3 "b": 4}]', "line 2, column 10"),
        ('{"a": 1, "b": 2}\n{"a": 3, "b": }\n{"a": 5, "b": 6}\n', "line 2, column 15"),
    ],
)
def test_json_that_stops_being_json(tmp_path, text, place):
    path = tmp_path / "t.json"
    path.write_text(text)
    assert refused(path).startswith(f"t.json is not JSON from {place} on")


def test_words_of_a_mixed_json_column_have_no_quotes(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"a": 1, "b": 2}, {"a": 2, "b": "six"}]')
    column = read_table(path).columns[1]
    assert column.levels == ("2", "six")


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "t.parquet"
    query = "SELECT i AS one, random() AS two FROM range(5000) t(i)"
    duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)")
    return path


def test_a_parquet_file_without_its_end(parquet):
    parquet.write_bytes(parquet.read_bytes()[:-100])
    assert refused(parquet) == "t.parquet is not a Parquet file, or its end is missing."


def test_a_damaged_column_of_a_parquet_file_is_named(parquet):
    whole = bytearray(parquet.read_bytes())
    (start,) = duckdb.execute(
        f"SELECT data_page_offset FROM parquet_metadata('{parquet}') WHERE path_in_schema = 'two'"
    ).fetchone()
    whole[start : start + 64] = b"\xff" * 64
    parquet.write_bytes(bytes(whole))
    assert refused(parquet) == "The column 'two' of t.parquet is damaged and cannot be read."


def test_something_else_named_as_a_spreadsheet(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_text("hello")
    assert "it is no Excel or OpenDocument file, or its end is missing" in refused(path)


def test_a_feature_without_any_value(tmp_path, caplog):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,\n2,\n")
    assert load_data(str(path), Wishes("")).features == ("a",)
    assert caplog.messages == ["Left out is 'b' (no values)."]


@pytest.mark.parametrize("start", ["", '{"a": '])
def test_json_in_json_in_json(tmp_path, start):
    path = tmp_path / "t.json"
    path.write_text(start + "[" * 200_000 + "]" * 200_000 + "}" * len(start[:1]))
    assert refused(path).startswith("t.json")
