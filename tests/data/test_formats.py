"""Every kind of file: what other programs write is read back exactly, and damaged files get a sentence."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import duckdb
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from algorithms.data import DataError
from mlviz.data import array_files
from mlviz.data.files import SUFFIXES, read_pasted, read_points, read_table
from mlviz.data.reading import Cancelled, Reading
from mlviz.data.roles import Choices, to_points
from mlviz.data.table import ReadOptions, summarise
from mlviz.data.understanding import understood

X = np.array([[1.5, -2.0, 1e300], [0.1, 3.25, -7.0], [2.5, 0.0, 4.0], [1.0, 1.0, 1.0]])
WORDS = ["red", "blue", "red", "blue"]


def matrix(path: Path, **options: object) -> list[list[float]]:
    table = read_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    return np.column_stack([column.values for column in table.columns]).tolist()


def write_sheet(path: Path, rows: list[list[object]], name: str = "Sheet1") -> Path:
    """The smallest .xlsx: a zip with four parts (written by hand, so that no writer is needed)."""

    def cell(value: object) -> str:
        if value is None:
            return "<c/>"
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return f"<c><v>{value!r}</v></c>"

    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packed = "http://schemas.openxmlformats.org/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{packed}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{packed}/relationships"><Relationship Id="r1"'
        f' Type="{links}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{links}"><sheets>'
        f'<sheet name="{name}" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packed}/relationships"><Relationship Id="rId1"'
        f' Type="{links}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for part, text in parts.items():
            archive.writestr(part, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return path


# -- what others write ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "json", "ndjson"])
def test_typed_files_keep_names_numbers_and_gaps(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    form = {"parquet": "PARQUET", "json": "JSON, ARRAY true", "ndjson": "JSON"}[suffix]
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM (VALUES (1.5::DOUBLE, 2, 'a', true), (NULL, 3, 'b', false)) t(x, \"n n\", w, b))"
            f" TO '{path}' (FORMAT {form})"
        )
    table = read_table(path)
    assert [(column.name, column.is_text) for column in table.columns] == [
        ("x", False), ("n n", False), ("w", True), ("b", True),
    ]  # fmt: skip
    assert np.array_equal(table.columns[0].values, [1.5, np.nan], equal_nan=True)
    assert table.columns[1].values.tolist() == [2, 3]
    assert table.columns[3].levels == ("false", "true")


def test_json_as_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"a": [1, 2, 3], "b": [0.5, None, 1.5]}))
    table = read_table(path)
    assert table.columns[0].values.tolist() == [1, 2, 3]
    assert summarise(table.columns[1]).missing == 1


def test_a_spreadsheet_with_header_gaps_and_words(tmp_path: Path) -> None:
    path = write_sheet(tmp_path / "s.xlsx", [["a", "b", "kind"], [1.5, 2, "x"], [3, None, "y"], [-4.25, 1e10, "x"]])
    table = read_table(path)
    assert [column.name for column in table.columns] == ["a", "b", "kind"]
    assert table.columns[0].values.tolist() == [1.5, 3, -4.25]
    assert np.array_equal(table.columns[1].values, [2, np.nan, 1e10], equal_nan=True)
    assert table.columns[2].levels == ("x", "y")
    assert understood(table).roles == ("feature", "feature", "class")
    assert read_table(path, ReadOptions(header=False)).rows == 4


def test_a_spreadsheet_without_header(tmp_path: Path) -> None:
    path = write_sheet(tmp_path / "s.xlsx", [[1, 2], [3, 4]])
    assert matrix(path) == [[1, 2], [3, 4]]
    with pytest.raises(DataError, match=r"s.xlsx has no sheet 'Other'; it has Sheet1\."):
        read_table(path, ReadOptions(sheet="Other"))


def test_numpy_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    assert matrix(tmp_path / "a.npy") == X.tolist()
    np.save(tmp_path / "v.npy", np.arange(4))
    assert matrix(tmp_path / "v.npy") == [[0], [1], [2], [3]]
    np.save(tmp_path / "r.npy", np.array([(1.5, b"u"), (2.5, b"v")], dtype=[("a", "f8"), ("w", "S1")]))
    record = read_table(tmp_path / "r.npy")
    assert [(column.name, column.is_text) for column in record.columns] == [("a", False), ("w", True)]


def test_numpy_archives_with_and_without_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=X, y=np.array([0, 1, 0, 1]), classes=np.array(["u", "v"]))
    data = read_points(tmp_path / "a.npz").points
    assert data.X.tolist() == X.tolist()
    assert (data.classes, data.y.tolist()) == (("u", "v"), [0, 1, 0, 1])  # type: ignore[union-attr]
    np.savez_compressed(tmp_path / "b.npz", height=X[:, 0], width=X[:, 1])
    assert sorted(column.name for column in read_table(tmp_path / "b.npz").columns) == ["height", "width"]


def test_matlab(tmp_path: Path) -> None:
    scipy.io.savemat(tmp_path / "m.mat", {"X": X, "y": np.array([[1], [2], [1], [2]]), "note": "hello"})
    data = read_points(tmp_path / "m.mat").points
    assert data.X.tolist() == X.tolist()
    assert (data.target, data.classes) == ("y", ("1", "2"))
    scipy.io.savemat(tmp_path / "s.mat", {"S": scipy.sparse.csr_array(X)}, do_compression=True)
    assert matrix(tmp_path / "s.mat") == X.tolist()


def test_weka(tmp_path: Path) -> None:
    (tmp_path / "w.arff").write_text(
        "% a comment\n@relation r\n@attribute a numeric\n@attribute 'kind of' {u,v}\n@data\n1.5,u\n?,v\n2,u\n"
    )
    table = read_table(tmp_path / "w.arff")
    assert [column.name for column in table.columns] == ["a", "kind of"]
    assert np.array_equal(table.columns[0].values, [1.5, np.nan, 2], equal_nan=True)
    assert understood(table).roles == ("feature", "class")


@pytest.mark.parametrize("zero_based", [True, False])
def test_libsvm_as_scikit_learn_writes_it(tmp_path: Path, zero_based: bool) -> None:
    sparse = np.where(np.abs(X) > 2, X, 0.0)
    sparse[0, 0] = 9.0  # the first place must occur, or nobody can know where the counting begins
    sparse[3, 2] = 5.0
    dump_svmlight_file(sparse, [1, -1, 1, -1], str(tmp_path / "d.svm"), zero_based=zero_based, comment="made")
    data = read_points(tmp_path / "d.svm").points
    assert data.X.tolist() == sparse.tolist()
    assert (data.target, data.classes) == ("label", ("-1", "1"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found_out(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "e.csv").write_bytes("größe;kind\n1,5;süß\n2,25;bös\n".encode(encoding))
    table = read_table(tmp_path / "e.csv")
    assert [column.name for column in table.columns] == ["größe", "kind"]
    assert table.columns[0].values.tolist() == [1.5, 2.25]
    assert table.columns[1].levels == ("bös", "süß")
    assert bool(table.notices) == (encoding == "cp1252")
    assert table.options == ReadOptions(";", ",", True, encoding.removesuffix("-sig"))


def test_a_guess_can_be_overruled(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_bytes(b"1,5;2\n3,25;4\n")
    assert matrix(path) == [[1.5, 2], [3.25, 4]]
    assert [len(column.values) for column in read_table(path, ReadOptions(header=True)).columns] == [1, 1]
    assert read_table(path, ReadOptions(decimal=".")).columns[0].is_text
    assert len(read_table(path, ReadOptions(separator=",")).columns) == 2
    with pytest.raises(DataError, match=r"There is no encoding 'klingon'\."):
        read_table(path, ReadOptions(encoding="klingon"))


def test_a_wrong_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_bytes(b"a,b\n1,2\n3,\xff\n")
    with pytest.raises(DataError, match=r"^Line 3 of o\.csv is not UTF-8 text; choose another encoding\.$"):
        read_table(path, ReadOptions(encoding="utf-8"))


def test_pasted_text_is_a_table() -> None:
    table = read_pasted("a\tb\r\n1\t2,5\r\n3\t4,5\r\n")
    assert (table.name, [column.values.tolist() for column in table.columns]) == ("pasted", [[1, 3], [2.5, 4.5]])
    with pytest.raises(DataError, match=r"^Line 3 of the pasted table has 1 value; 2 values were expected\.$"):
        read_pasted("a\tb\n1\t2\n3\n")
    with pytest.raises(DataError, match="the pasted table is empty"):
        read_pasted(" \n")


# -- bad ones ---------------------------------------------------------------------------------------------------------


def test_objects_are_never_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "o.npz", X=np.array([{"a": 1}], dtype=object))
    for name in ("o.npy", "o.npz"):
        with pytest.raises(DataError, match="holds Python objects, which are not loaded"):
            read_table(tmp_path / name)


def test_a_header_that_never_ends_is_one_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "h.npy", X)
    content = (tmp_path / "h.npy").read_bytes()
    (tmp_path / "h.npy").write_bytes(content.replace(b"), }", b"),( ", 1))  # found by the fuzz test
    with pytest.raises(DataError, match=r"^h\.npy cannot be read as a NumPy file; it is damaged or of another kind\.$"):
        read_table(tmp_path / "h.npy")


def test_a_reader_that_dies_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # SciPy's MATLAB reader can take the whole process with it (a bus error was found by fuzzing)
    (tmp_path / "killer.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGBUS)")
    monkeypatch.setattr(array_files.reader_process, "__file__", str(tmp_path / "killer.py"))
    scipy.io.savemat(tmp_path / "m.mat", {"X": X})
    with pytest.raises(
        DataError, match=r"^m\.mat cannot be read as a MATLAB file; it is damaged or of another kind\.$"
    ):
        read_table(tmp_path / "m.mat")


BAD_SVM = {
    "1 2:3 x\n": "Line 1 of bad.svm has 'x' where index:value was expected.",
    "1 1:2\n1 1:a\n": "Line 2 of bad.svm has '1:a', which is not a number.",
    "red 1:2\n": "Line 1 of bad.svm has 'red', which is not a number.",
    "# nothing\n": "bad.svm has no rows.",
    "1 20000:1\n": "bad.svm has 20000 columns; at most 1000 can be used.",
}


@pytest.mark.parametrize("content", BAD_SVM)
def test_bad_libsvm(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.svm").write_text(content)
    with pytest.raises(DataError) as refused:
        read_table(tmp_path / "bad.svm")
    assert str(refused.value) == BAD_SVM[content]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x02\xff" * 9, b"PK\x03\x04" + b"\x81" * 40, b"\x93NUMPY\x01\x00v\x00{"]
)
def test_rubbish_of_every_name_gets_one_sentence(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"bad{suffix}"
    path.write_bytes(content)
    with pytest.raises(DataError) as refused:
        read_points(path)
    sentence = str(refused.value)
    assert "bad" in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def samples(folder: Path) -> list[Path]:
    """A small valid file of every binary or structured kind: the corpus that the fuzz test damages."""
    np.save(folder / "a.npy", X)
    np.savez(folder / "a.npz", X=X, y=np.arange(4))
    scipy.io.savemat(folder / "a.mat", {"X": X})
    write_sheet(folder / "a.xlsx", [["a", "b"], [1, 2], [3, 4]])
    (folder / "a.arff").write_text("@relation r\n@attribute a numeric\n@attribute b {u,v}\n@data\n1,u\n2,v\n")
    (folder / "a.json").write_text(json.dumps([{"a": 1, "b": "u"}, {"a": 2, "b": "v"}]))
    (folder / "a.svm").write_text("1 1:2 3:4\n-1 2:5\n")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1.5 AS a, 'x' AS b) TO '{folder / 'a.parquet'}' (FORMAT PARQUET)")
    return sorted(folder.glob("a.*"))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(0, 7), place=st.floats(0, 1), byte=st.integers(0, 255), cut=st.booleans())
def test_damaged_files_are_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, number: int, place: float, byte: int, cut: bool
) -> None:
    path = samples(tmp_path_factory.mktemp("fuzz"))[number]
    content = bytearray(path.read_bytes())
    at = min(int(place * len(content)), len(content) - 1)
    content[at] = byte
    path.write_bytes(bytes(content[:at] if cut else content))
    sentence = "It was read."
    try:
        read_points(path)
    except DataError as refused:
        sentence = str(refused)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


def test_a_wide_table_is_refused_in_every_kind(tmp_path: Path) -> None:
    wide = np.ones((2, 10_000))
    np.save(tmp_path / "w.npy", wide)
    scipy.io.savemat(tmp_path / "w.mat", {"X": wide})
    np.savetxt(tmp_path / "w.csv", wide, delimiter=",")
    for name in ("w.npy", "w.mat", "w.csv"):
        with pytest.raises(DataError, match=rf"{name} has (10000|more than 1000) columns; at most 1000 can be used\."):
            read_table(tmp_path / name)


def test_a_file_that_vanishes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gone.csv"
    path.write_text("a,b\n1,2\n")

    class Thief(Reading):
        def step(self, fraction: float, stage: str) -> None:
            if stage == "Reading the rows":
                path.unlink(missing_ok=True)

    with pytest.raises(DataError, match=r"gone\.csv could not be read to its end"):
        read_table(path, None, Thief())


def test_a_load_can_be_called_off(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("a,b\n" + "1,2\n" * 1000)
    stages = []

    class Impatient(Reading):
        def step(self, fraction: float, stage: str) -> None:
            stages.append(stage)
            if stage == "Reading the rows":
                self.cancel()
            super().step(fraction, stage)

    with pytest.raises(Cancelled):
        read_table(path, None, Impatient())
    assert stages[-1] == "Reading the rows"


# -- roles and missing values -----------------------------------------------------------------------------------------

GAPS = "a,b,kind\n1,2,u\n,4,v\n5,inf,u\n7,8,\n9,10,v\n"


def test_rows_with_gaps_are_dropped_and_counted() -> None:
    made = to_points(read_pasted(GAPS), Choices(("feature", "feature", "class"), "drop"))
    assert made.points.X.tolist() == [[1, 2], [9, 10]]
    assert made.points.classes == ("u", "v")
    assert made.notices == (
        "1 of 5 rows has no 'kind' and is left out.",
        "2 of 5 rows have no 'a' or 'b' (row 3 of 'b' is 'inf') and are left out.",
    )


def test_gaps_are_filled_with_the_mean_but_never_the_target() -> None:
    made = to_points(read_pasted(GAPS), Choices(("feature", "feature", "class"), "mean"))
    assert np.allclose(made.points.X, [[1, 2], [5.5, 4], [5, 6], [9, 10]], rtol=1e-12)  # (1+5+7+9)/4 and (2+4+8+10)/4
    assert made.notices[1:] == (
        "1 of 5 values of 'a' is missing and filled with the mean (5.5).",
        "1 of 5 values of 'b' is missing and filled with the mean (6).",
    )


@pytest.mark.parametrize(("how", "filled"), [("mean", 3.75), ("median", 2.5), ("mode", 2.0)])
def test_gaps_are_filled_as_chosen(how: str, filled: float) -> None:
    made = to_points(read_pasted('a\n2\n3\n""\n8\n2\n'), Choices(("feature",), how))  # type: ignore[arg-type]
    assert made.points.X[:, 0].tolist() == [2, 3, filled, 8, 2]
    name = "commonest value" if how == "mode" else how
    assert made.notices == (f"1 of 5 values of 'a' is missing and filled with the {name} ({filled:g}).",)


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("a,b,ill\n1.5,2,0\n2.5,3,1\n3,5,0\n", ("feature", "feature", "class")),
        ("ill,a,b\n-1,1.5,2\n1,2.5,3\n1,3,5\n", ("feature", "feature", "target")),
        ("a,smoker,ill\n1.5,1,0\n2.5,0,1\n3,1,0\n", ("feature", "feature", "class")),  # of two the last one
        ("a,smoker,old,b\n1.5,1,0,7\n2.5,0,1,8\n3,1,0,9\n", ("feature", "feature", "feature", "target")),
        ("a,b,art\n1.5,0,u\n2.5,1,v\n3,0,u\n", ("feature", "feature", "class")),  # words say it more clearly
        ("a,b\n1.5,0\n2.5,1\n3,2\n", ("feature", "target")),
    ],
)
def test_the_last_column_is_proposed_as_the_target(text: str, roles: tuple[str, ...]) -> None:
    assert understood(read_pasted(text)).roles == roles


def test_a_sample_is_said_and_always_the_same() -> None:
    table = read_pasted("a\n" + "\n".join(map(str, range(1000))))
    first, second = (to_points(table, Choices(("feature",), limit=100)) for _ in range(2))
    assert first.notices == ("A random sample of 100 of 1,000 rows is used.",)
    assert first.rows == 1000
    assert to_points(table, Choices(("feature",), limit=1000)).rows == 0
    assert np.array_equal(first.points.X, second.points.X)
    values = first.points.X[:, 0]
    assert len(np.unique(values)) == 100
    assert np.array_equal(values, np.sort(values))
    assert abs(values.mean() - 499.5) < 100


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        (("feature", "feature", "feature"), "The column 'kind' is not numeric (row 1 is 'u')"),
        (("feature", "target", "class"), "Only one column can be the target or the class; 'b' and 'kind' are chosen."),
        (("ignore", "ignore", "class"), "the pasted table has no column left for the features beside the target."),
        (("feature", "ignore", "target"), "The column 'kind' is not numeric (row 1 is 'u'); choose it as the class."),
    ],
)
def test_choices_that_cannot_be_met(roles: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(DataError) as refused:
        to_points(read_pasted(GAPS), Choices(roles, "drop"))  # type: ignore[arg-type]
    assert sentence in str(refused.value)


def test_nothing_left_is_said() -> None:
    with pytest.raises(DataError, match="The column 'b' has no values at all; leave it out"):
        to_points(read_pasted("a,b\n1,\n2,\n"), Choices(("feature", "feature"), "drop"))
    with pytest.raises(DataError, match="No row of the pasted table is complete"):
        to_points(read_pasted("a,b\n1,\n,2\n"), Choices(("feature", "feature"), "drop"))


def test_a_table_of_gaps_is_said() -> None:
    table = read_pasted("a,b\nNA,\n,NA\n")
    with pytest.raises(DataError, match=r"^Every value of the pasted table is missing\.$"):
        to_points(table, Choices(understood(table).roles, "drop"))


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        ("x,y,art", ("feature", "feature", "class")),
        ("x,target,art", ("feature", "target", "category")),
        ("x,y,species", ("feature", "feature", "class")),
    ],
)
def test_x_and_y_beside_words_are_a_place(header: str, roles: tuple[str, ...]) -> None:
    table = read_pasted(header + "\n1.5,2.5,a\n2.5,3.5,b\n3.5,1.0,a\n4.5,1.5,b\n")
    assert understood(table).roles == roles


def test_a_word_among_the_numbers_of_an_arff_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.arff"
    path.write_text("@relation foo\n@attribute foo numeric\n@data\n1\nfoo\n2\n")
    with pytest.raises(DataError, match=r"a\.arff cannot be read as an ARFF file, line 5: .*'foo'"):
        read_table(path)


def test_summaries_say_what_is_in_a_column() -> None:
    table = read_pasted("a,b,c\n1,0.5,u\n2,,v\n3,2.5,u\n")
    whole, number, text = (summarise(column) for column in table.columns)
    assert (whole.kind, whole.missing, whole.range) == ("whole number", 0, "1 … 3")
    assert (number.kind, number.missing, number.range) == ("number", 1, "0.5 … 2.5")
    assert (text.kind, text.range, text.bars) == ("text", "2 different: u, v", (1.0, 0.5))
    extreme = summarise(read_pasted("a\n-1.7e308\n1.7e308\n").columns[0])
    assert extreme.bars[0] == extreme.bars[-1] == 1.0


cells = st.sampled_from(["1", "2.5", "-3e5", "", "NA", "u", "v", "inf", "1e400", "0x10", "1_0"])


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=8),
    roles=st.tuples(*[st.sampled_from(["feature", "target", "class", "ignore"])] * 2),
    missing=st.sampled_from(["refuse", "drop", "mean", "median", "mode"]),
)
def test_whatever_is_chosen_gives_finite_points_or_a_sentence(
    rows: list[list[str]], roles: tuple[str, str], missing: str
) -> None:
    table = read_pasted("a,b\n" + "".join(",".join(row) + "\n" for row in rows))
    try:
        points = to_points(table, Choices(roles, missing)).points  # type: ignore[arg-type]
    except DataError as refused:
        assert str(refused).endswith(".")  # noqa: PT017
    else:
        assert points.n <= len(rows)
        assert np.isfinite(points.X).all()


def test_words_become_categories_where_the_user_says_so() -> None:
    """A column of words, or of a few numbers, as codes with names; gaps are filled with the most frequent one."""
    text = "size\tcolour\tdoors\tprice\n1\tred\t4\t10\n2\tblue\t2\t20\n3\t\t4\t30\n4\tred\t2\t40\n"
    table = read_pasted(text)
    roles = ("feature", "category", "category", "target")
    made = to_points(table, Choices(roles, "mean")).points
    assert made.categories == ((1, ("blue", "red")), (2, ("2", "4")))
    assert made.X.tolist() == [[1, 1, 1], [2, 0, 0], [3, 1, 1], [4, 1, 0]]
    assert "red" in made.item_text(0)
    dropped = to_points(table, Choices(roles, "drop")).points
    assert dropped.X[:, 1].tolist() == [1, 0, 1]
    with pytest.raises(DataError, match="Row 3 of the column 'colour' has no value"):
        to_points(table, Choices(roles, "refuse"))
    with pytest.raises(DataError, match="choose it as a category or as the target, or leave it out"):
        to_points(table, Choices(("feature", "feature", "feature", "target"), "mean"))


def test_too_many_words_are_no_category() -> None:
    rows = "\n".join(f"{k}\tname{k}" for k in range(100))
    table = read_pasted(f"a\tb\n{rows}\n")
    with pytest.raises(DataError, match="100 different texts, too many for a category"):
        to_points(table, Choices(("feature", "category")))


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a": 2}]', '{"a": 1}\n{"a": 2}\n', '{"a": [1, 2]}'])
def test_json_with_the_mark_of_utf8_is_json(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text, encoding="utf-8-sig")
    table = read_table(path)
    assert [column.name for column in table.columns] == ["a"]
    assert table.columns[0].values.tolist() == [1, 2]
