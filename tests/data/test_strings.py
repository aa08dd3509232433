"""Texts and sets of graphs from generators, built-in sets, files and the clipboard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms._checks.values import same
from algorithms.data import DataError, Graph, GraphSet, Points, Strings
from mlviz import cli
from mlviz.data.files import read_data, read_pasted_data
from mlviz.data.generators import generate
from mlviz.data.graph_files.sets import graph_set_json, graph_set_of
from mlviz.data.saving import as_text, save_data
from mlviz.data.spec import load_data
from mlviz.data.string_files import strings_from_text, strings_text
from mlviz.data.understanding import Wishes


def read(text: str) -> Strings:
    return strings_from_text(text.splitlines(keepends=True), "t.csv")


def named(data: Strings | GraphSet) -> list[str]:
    assert data.y is not None
    return [data.classes[k] for k in data.y.tolist()]


def test_the_subjects_are_half_ham_and_half_spam_and_all_different() -> None:
    data = load_data("subjects")
    assert (data.n, len(set(data.texts)), data.classes) == (120, 120, ("ham", "spam"))
    assert np.bincount(data.y).tolist() == [60, 60]
    assert max(map(len, data.texts)) < 60


def test_the_words_are_thirty_of_each_language() -> None:
    data = load_data("words")
    assert (data.classes, np.bincount(data.y).tolist()) == (("English", "French", "German", "Italian"), [30] * 4)
    assert len(set(data.texts)) == 120


def test_the_motif_is_planted_in_one_class_only() -> None:
    data = generate("motifs", n=200, length=20, letters=3, motif="TTGT", mutations=0, seed=1)  # no T among A, C, G
    assert all(("TTGT" in text) == (name == "with the motif") for text, name in zip(data.texts, named(data)))
    assert {len(text) for text in data.texts} == {20}
    changed = generate("motifs", n=2000, motif="TTTTTTTTTT", letters=3, mutations=0.3, seed=1)
    kept = np.array([text.count("T") / 10 for text, name in zip(changed.texts, named(changed)) if name != "random"])
    assert kept.mean() == pytest.approx(0.7, abs=0.02)
    with pytest.raises(DataError, match="must have 1 to 100 letters"):
        generate("motifs", motif="")


def test_graph_families_have_the_structure_of_their_name() -> None:
    data = generate("graph_families", n=40, families=4, seed=2)
    for graph, name in zip(data.graphs, named(data)):
        degrees = np.bincount(graph.edges.ravel(), minlength=graph.n)
        assert 6 <= graph.n <= 9
        assert graph.positions is not None
        if name == "ring":
            assert (degrees == 2).all()
        if name in ("tree", "star"):
            assert graph.m == graph.n - 1
        if name == "star":
            assert degrees.max() == graph.n - 1
    full = generate("graph_families", n=3, extra=1, seed=2)
    assert all(graph.m == graph.n * (graph.n - 1) // 2 for graph in full.graphs)


def test_friends_close_triangles_and_strangers_with_as_many_edges_do_not() -> None:
    data = generate("friend_graphs", n=40, closure=1, seed=3)
    triangles: dict[str, list[float]] = {"friends": [], "strangers": []}
    for graph, name in zip(data.graphs, named(data)):
        assert 7 <= graph.n <= 9
        assert graph.m == round(1.5 * graph.n)
        reached = np.linalg.matrix_power(np.eye(graph.n) + graph.adjacency(), graph.n)
        assert (reached > 0).all()  # nobody is alone
        triangles[name].append(np.trace(np.linalg.matrix_power(graph.adjacency(), 3)) / 6)
    assert len(triangles["friends"]) == 20
    assert min(triangles["friends"]) > np.mean(triangles["strangers"])
    full = generate("friend_graphs", n=2, smallest=3, largest=3, degree=8)
    assert all(graph.m == 3 for graph in full.graphs)


def test_a_table_of_texts_with_and_without_classes() -> None:
    data = read('Label;id;Message\nham;1;"a; b"\nspam;2;c\n')
    assert (data.texts, named(data)) == (("a; b", "c"), ["ham", "spam"])
    assert read("text\none\ntwo, three\n".replace("two, three", '"two, three"')).texts == ("one", "two, three")
    assert read("one\n\ntwo, three\n").texts == ("one", "two, three")  # no header: a text in each line
    data = read("ham\thello\nspam\tbuy now\nham\tlunch?\n")
    assert (data.texts, named(data)) == (("hello", "buy now", "lunch?"), ["ham", "spam", "ham"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("text,class\na,b,c\n", r"Text 1 of t\.csv has 3 cells; there are 2 columns\."),
        ("text,class\na,b\nb, \n", r"Text 2 of t\.csv has no class\."),
        ("text,class\n", r"t\.csv has no texts below its header\."),
        ("\n \n", r"t\.csv holds no text\."),
        ("text\n" + "a\n" * 10_001, "more than 10,000 texts"),
        ("a\n" * 10_001, "more than 10,000 texts"),
    ],
)
def test_what_is_wrong_with_a_file_of_texts_is_said(text: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        read(text)


letters = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(letters, st.sampled_from(["ham", "spam, or not"])), min_size=1, max_size=6), st.booleans())
def test_texts_are_read_back_as_they_were_written(rows: list[tuple[str, str]], labelled: bool) -> None:
    texts, labels = zip(*rows)
    data = Strings(texts, labels if labelled else None)  # type: ignore[arg-type]
    back = strings_from_text(_lines(strings_text(data)))
    assert back.texts == data.texts
    assert (back.y is None) == (data.y is None)
    assert not labelled or named(back) == list(labels)


def _lines(text: str) -> list[str]:
    """The lines as an open file gives them: only line feeds end one."""
    return [line + "\n" for line in text.split("\n")[:-1]]


def test_a_file_of_texts_is_told_from_a_table_of_points(tmp_path: Path) -> None:
    path, points = tmp_path / "t.csv", tmp_path / "p.csv"
    save_data(path, load_data("subjects"))
    points.write_text("x,class\n1,a\n2,b\n")
    assert same(read_data(path), load_data("subjects").renamed("t"))
    assert isinstance(read_data(points, Wishes("class")), Points)
    plain = tmp_path / "t.txt"
    plain.write_text("GATTACA\nCAT\n", encoding="utf-8")
    assert read_data(plain, kinds=["strings"]).texts == ("GATTACA", "CAT")  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["subjects", "graph_families"])
def test_what_is_copied_can_be_pasted(name: str) -> None:
    data = load_data(name)
    assert same(read_pasted_data(as_text(data), [data.kind]).renamed(name), data)


def test_lines_with_a_class_can_be_pasted() -> None:
    assert named(read_pasted_data("ham\thello\nspam\tbuy\nham\tno\n", ["strings"])) == ["ham", "spam", "ham"]  # type: ignore[arg-type]


def test_graphs_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    arrow = Graph(2, [[0, 1]], [2.5], directed=True, names=("a", "b"), positions=[[0, 0], [1, 1]])
    data = GraphSet((arrow, Graph(0, [])), [1, 0], ("u", "v", "w"))  # type: ignore[arg-type]
    path = tmp_path / "set.json"
    save_data(path, data)
    assert same(read_data(path), data.renamed("set"))
    without = GraphSet((arrow,))
    assert same(graph_set_of(graph_set_json(without)).renamed("graphs"), without)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "is not JSON"),
        ('{"graphs": []}', "must have a list of graphs"),
        ('{"graphs": [{"nodes": 3}]}', "Graph 1 of The text is no graph"),
        ('{"graphs": [{"class": "a", "nodes": [], "links": []}, {"nodes": [], "links": []}]}', "Graph 2 .* no class"),
        ('{"graphs": [' + ",".join(['{"nodes": [], "links": []}'] * 1001) + "]}", "at most 1,000"),
        ('{"graphs": [{"nodes": [1], "links": [[1, 2]]}]}', "not among its nodes"),
    ],
)
def test_what_is_wrong_with_a_file_of_graphs_is_said(text: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        graph_set_of(text)


@pytest.mark.parametrize(("spec", "suffix"), [("motifs(n=5)", ".csv"), ("graph_families(n=4)", ".json")])
def test_the_command_line_writes_and_lists_them(tmp_path: Path, capsys, spec: str, suffix: str) -> None:
    out = tmp_path / f"made{suffix}"
    assert cli.main(["data", spec, "--out", str(out)]) == 0
    assert same(read_data(out).renamed(""), load_data(spec).renamed(""))
    assert cli.main(["list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("subjects", "words", "motifs", "graph_families"))
