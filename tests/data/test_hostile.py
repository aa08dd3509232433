"""Devices, pipes, endless lines and cells of a hundred thousand letters: one short sentence, and soon."""

import math
import os
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pytest
import scipy.io

from algorithms import find
from algorithms.data import DataError
from algorithms.maths.words import MOST_LETTERS, SentenceError, readable
from algorithms.params import ParamError
from algorithms.registry import UnknownAlgorithm
from mlviz import cli
from mlviz.data import array_files
from mlviz.data.files import read_data, read_pasted, read_table
from mlviz.data.formats import all_formats
from mlviz.data.graph_files import tables
from mlviz.data.spec import load_data
from mlviz.data.table import distinct_names
from mlviz.session.archive import SessionError
from mlviz.session.files import load


def refused(path):
    with pytest.raises(DataError) as caught:
        read_data(path)
    return str(caught.value)


@pytest.mark.parametrize(
    "suffix", [".csv", ".xlsx", ".json", ".npy", ".npz", ".mat", ".gml", ".graphml", ".arff", ".svm"]
)
def test_devices_and_pipes_are_refused_before_reading(tmp_path, suffix):
    device, pipe = tmp_path / f"device{suffix}", tmp_path / f"pipe{suffix}"
    device.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    for path in (device, pipe):
        assert refused(path) == f"{path} is a device or a pipe, not a file."


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_a_disk_that_fails_while_it_is_found_out_what_a_file_holds(tmp_path, monkeypatch, name):
    def looks(path):
        raise OSError(5, "Input/output error")

    forms = [replace(form, looks=looks) for form in all_formats()]
    monkeypatch.setattr("mlviz.data.files.all_formats", lambda: forms)
    path = tmp_path / name
    path.write_text("a,b\n1,2\n" if name.endswith("csv") else '[{"a": 1, "b": 2}]')
    assert read_data(path).X.tolist() == [[1.0, 2.0]]
    assert refused(tmp_path / "gone.csv").startswith("There is no file")


@pytest.mark.parametrize("made", [lambda path: path.symlink_to("/dev/zero"), os.mkfifo])
def test_a_session_is_a_file(tmp_path, made):
    path = tmp_path / "s.mlviz"
    made(path)
    with pytest.raises(SessionError, match="is a device or a pipe, not a file"):
        load(path)


def test_a_line_without_end(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a" * 3_000_000)
    assert refused(path) == "The first line of t.csv is longer than 1 MB, so it is no table."
    path.write_text("1," * 600_000)
    assert refused(path) == "The first line of t.csv is longer than 1 MB, so it is no table."
    path.write_text("1," * 2_000 + "\n" + "1," * 2000)
    assert refused(path) == "t.csv has more than 1000 columns; at most 1000 can be used."


def test_an_archive_that_unpacks_to_a_gigabyte(tmp_path):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, X=np.zeros((60_000_000,)))
    assert refused(path) == "t.npz unpacks to more than 400 MB, too much to be read."


@pytest.mark.parametrize("shape", [(2_000_000,), (1_000_000, 12)])
@pytest.mark.parametrize("name", ["t.npz", "t.npy", "t.mat"])
def test_arrays_of_too_many_small_numbers_are_refused_before_they_become_columns(tmp_path, monkeypatch, shape, name):
    small = dict.fromkeys("ab", np.zeros(shape, np.int8))
    path = tmp_path / name
    if name == "t.npz":
        np.savez_compressed(path, **small)
    elif name == "t.mat":
        scipy.io.savemat(path, small, do_compression=True)
    else:
        np.save(path, np.zeros(math.prod(shape), np.int8))
    monkeypatch.setattr(array_files, "array_column", lambda *_: pytest.fail("memory was taken for a column"))
    assert refused(path).startswith(f"{name} has more than ")


@pytest.mark.skipif(sys.platform != "linux", reason="where the name of a file is text")
@pytest.mark.parametrize("ending", [".csv", ".json", ".edges"])
def test_the_name_of_a_file_need_not_be_text(tmp_path, ending):
    path = tmp_path / os.fsdecode(b"\xff\x1b[31m\n" + ending.encode())
    path.write_text('[{"a": 1, "b": 2}]' if ending == ".json" else "1,2\n3,4\n")
    data = read_data(path)
    assert data.name == "\ufffd [31m "
    assert data.n in (1, 2, 4)
    missing = path.with_name(os.fsdecode(b"\xfe.csv"))
    assert refused(missing).startswith("There is no file '")


LONG = "x\0\n" * 50_000


@pytest.mark.parametrize("kind", [DataError, ParamError, SessionError])
def test_every_error_for_the_user_is_a_short_line(kind):
    assert issubclass(kind, SentenceError)
    for message in (f"The cell is {LONG!r}, which is no number.", f"There is {LONG}."):
        said = str(kind(message))
        assert len(said) <= MOST_LETTERS
        assert said.isprintable()


def test_the_command_line_answers_in_a_short_line(capsys):
    assert cli.main(["render", "k_means", "--data", "moons", "--out", "a.png", "--param", LONG]) == 2
    said = capsys.readouterr().err.rstrip("\n")
    assert said.isprintable()
    assert len(said) <= MOST_LETTERS + len("mlviz: ")


def test_what_is_quoted_keeps_its_beginning_and_the_sentence_its_end():
    said = readable(f"The cell is {'a' * 1000!r}, which is no number.")
    assert said == f"The cell is '{'a' * 60}…', which is no number."
    assert readable(f"The cell is {'a' * 200_000!r}, which is no number.") == said
    assert readable("It's 'short'.") == "It's 'short'."
    long = f"Dijkstra's way has no parameter 'x'; it has {', '.join(f'knob {k}' for k in range(40))}."
    assert readable(long) == long  # only what is quoted is shortened


def test_unknown_names_are_quoted_shortly():
    with pytest.raises(UnknownAlgorithm) as caught:
        find(LONG)
    assert len(str(caught.value)) <= MOST_LETTERS + 2
    with pytest.raises(UnknownAlgorithm, match=r"^.?There is no algorithm 'k{60}…'; did you mean "):
        find("k" * 100_000)
    with pytest.raises(DataError) as caught:
        load_data(f"moons({'n' * 1900}=3)")
    assert len(str(caught.value)) <= MOST_LETTERS


def test_a_cell_and_a_name_of_a_hundred_thousand_letters():
    table = read_pasted(f"{'n' * 100_000},b\n{'w' * 100_000},1\n2,3\n")
    assert [len(name) for name in (column.name for column in table.columns)] == [200, 1]
    assert distinct_names(["a" * 300, "a" * 300, "two\nlines"])[1:] == ("a" * 200 + " (2)", "two lines")


def test_a_table_with_many_columns_is_still_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(str(value) for value in range(900)) for _ in range(3)))
    assert len(read_table(path).columns) == 900


@pytest.mark.parametrize("kind", ["graph", "sequences", "distances"])
@pytest.mark.parametrize("cell", ["1,", "a b ", "a"])
def test_a_line_that_is_no_row_is_not_cut_into_cells(tmp_path, kind, cell):
    path = tmp_path / "line.csv"
    path.write_text(cell * 2**21)
    with pytest.raises(DataError, match=r"ine of line\.csv is longer than 1 MB, so it is no table"):
        read_data(path, kinds=(kind,))


def test_a_graph_has_so_many_rows_and_cells(tmp_path, monkeypatch):
    path = tmp_path / "rows.edges"
    path.write_text("1 2 3\n" * 40)
    monkeypatch.setattr(tables, "MAX_ROWS", 30)
    with pytest.raises(DataError, match="has 40 rows; a list of edges may have 30"):
        read_data(path, kinds=("graph",))
    monkeypatch.setattr(tables, "MAX_ROWS", 50)
    monkeypatch.setattr(tables, "MAX_CELLS", 100)
    with pytest.raises(DataError, match="has more than 100 cells, too many for a graph"):
        read_data(path, kinds=("graph",))


def test_a_column_file_that_unpacks_to_gigabytes(tmp_path):
    path = tmp_path / "t.parquet"
    words = "SELECT repeat('a', 100000) AS word FROM range(20000)"
    duckdb.execute(f"COPY ({words}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    assert path.stat().st_size < 1_000_000
    assert refused(path) == "t.parquet would take more than 0.5 GB of memory to read."


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("g.net", "*Vertices 3\n*Matrix\n" + "1 " * 600_000, "A line of g.net is longer than 1 MB"),
        ("g.net", "*Vertices 3\n" + "1\n" * 5_000_001, "g.net has more than 5,000,000 lines, too many for a graph"),
        ("g.edges", "1\n" * 5_000_001, "g.edges has more than 5,000,000 lines, too many for a graph"),
        ("g.gml", "graph [ " + "x 1 " * 2_500_001, "g.gml has more than 5,000,000 words, too many for a graph"),
        ("g.graphml", "<graphml>" + "<a/>" * 3_000_001, "g.graphml has more than 3,000,000 elements and attributes"),
        ("g.graphml", "<a b='1'/>" * 3_000_001, "g.graphml has more than 3,000,000 attributes"),
        ("g.graphml", "<a " + "".join(f"b{k}='1' " for k in range(1001)) + "/>", "1,000 attributes of one a, too many"),
        ("g.json", '{"nodes": [' + "{}," * 2_500_001 + '1], "links": []}', "g.json has more than 5,000,000 values"),
    ],
    ids=["line", "vertices", "edges", "words", "elements", "attributes", "one element", "values"],
)
def test_a_graph_file_of_countless_parts_is_refused_before_they_take_memory(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError, match=words):
        read_data(path, kinds=("graph",))


def test_countless_values_are_no_graph_and_their_damaged_place_is_not_searched(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    path.write_text("[" + "[]," * 5_000_000 + "1]")
    monkeypatch.setattr("json.loads", lambda _: pytest.fail("memory was taken for every value"))
    assert "Expected ARRAY" in refused(path)


def test_small_oddities_of_graph_files(tmp_path):
    path = tmp_path / "g.json"
    path.write_text('{"graphs": [{"class": "a", "nodes": [1], "links": []}], "classes": [["a"]]}')
    assert read_data(path).classes == ("a",)
    path.write_text('{"nodes": [1], "links": [], "x": ' + "9" * 5000 + "}")
    with pytest.raises(DataError, match=r"^g\.json is not JSON\.$"):
        read_data(path, kinds=("graph",))
    path.write_text('[{"a": ' + "9" * 5000 + "}")
    assert "digits" not in refused(path)
    path = tmp_path / "g.net"
    path.write_text('*Vertices 1\n1 "a" "" ""\n')
    assert read_data(path).n == 1


def test_a_word_that_would_be_kept_in_every_row(tmp_path):
    path = tmp_path / "t.arff"
    word = "a" * 1_000_000
    path.write_text(f"@relation r\n@attribute x numeric\n@attribute k {{{word},b}}\n@data\n" + "1,b\n" * 4000)
    assert refused(path).startswith("t.arff would take more than 1.04 GB of memory to read.")


def test_a_row_of_countless_pairs(tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("1 " + "1:1 " * 300_000)
    assert refused(path) == "A line of t.svm is longer than 1 MB, so it is no table."


@pytest.mark.skipif(sys.platform != "linux", reason="where the system writes into files that are none")
@pytest.mark.parametrize("name", ["/proc/kmsg", "/proc/self/mem"])
def test_a_file_that_the_system_writes_is_not_waited_for(tmp_path, name):
    for ending in (".csv", ".json"):
        path = tmp_path / f"t{ending}"
        path.symlink_to(name)
        assert "is empty" in refused(path) or "cannot be opened" in refused(path)
