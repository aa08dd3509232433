"""Graph files: written and read back the same, read as other programs write them, and refused in one sentence."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from algorithms.data import DataError, Graph, Points
from mlviz.data.files import kind_of, pasted_kind, read_pasted_data
from mlviz.data.graph_files import FORMATS
from mlviz.data.graph_files.markup import read_gml, read_graphml
from mlviz.data.saving import as_text, save_data, suffixes
from mlviz.data.spec import load_data
from mlviz.data.understanding import Wishes

WHOLE = (".graphml", ".gml", ".json")
"""The formats that keep everything."""
SINGLE = [form for form in FORMATS if form.kind == "graph"]
READERS = {form.suffixes[0]: form.read for form in SINGLE}
WRITERS = {form.suffixes[0]: form.write for form in SINGLE}


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def as_dict(graph: Graph) -> dict[tuple[str, str], float]:
    names = [graph.node_name(node) for node in range(graph.n)]
    pairs = ((names[a], names[b]) for a, b in graph.edges.tolist())
    return {pair if graph.directed else tuple(sorted(pair)): w for pair, w in zip(pairs, graph.lengths.tolist())}  # type: ignore[misc]


def same(one: Graph, two: Graph, whole: bool) -> None:
    assert as_dict(one) == as_dict(two)
    assert (one.n, one.directed, one.names) == (two.n, two.directed, two.names)
    if whole:
        assert one.positions == pytest.approx(two.positions)
        assert one.classes == two.classes
        assert np.array_equal(one.groups, two.groups) if one.groups is not None else two.groups is None


# -- round trips ------------------------------------------------------------------------------------------------------

GRAPHS = {
    "karate": load_data("karate"),
    "les_miserables": load_data("les_miserables"),
    "small_web": load_data("small_web"),
    "lonely": Graph(4, [(2, 0)], positions=[(0, 0), (1, 0), (0, 1), (3, 3)]),  # type: ignore[arg-type]
    "odd names": Graph(
        3, [(0, 1), (1, 2)], [0.1, -2.5e-7], True, ("a, b", 'Zoë "x" & <y>', "7"), [(0, 0), (1, 0), (0, 1e-7)]
    ),  # type: ignore[arg-type]
    "whole-number names": Graph(3, [(0, 1), (1, 2)], names=("10", "2", "33"), positions=[(0, 0), (1, 0), (0, 1)]),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("suffix", suffixes("graph"))
def test_what_is_saved_is_read_back(name: str, suffix: str, tmp_path: Path) -> None:
    graph, path = GRAPHS[name], tmp_path / f"my{suffix}"
    if name == "odd names" and suffix == ".net":
        graph = Graph(3, graph.edges, graph.weights, True, ("a, b", "Zoë & <y>", "7"), graph.positions)
    save_data(path, graph)
    again = load_data(str(path), kinds=("graph",))
    same(graph, again, whole=suffix in WHOLE)
    assert again.name == "my"
    if suffix == ".net":
        assert again.positions == pytest.approx(graph.positions)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), n=st.integers(1, 9), directed=st.booleans(), weighted=st.booleans())
@pytest.mark.parametrize("suffix", suffixes("graph"))
def test_any_graph_is_read_back(
    suffix: str, data: st.DataObject, n: int, directed: bool, weighted: bool, tmp_path: Path
) -> None:
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: directed or pair[0] <= pair[1])
    edges = data.draw(st.lists(pairs, max_size=12, unique=True))
    weights = data.draw(st.lists(st.sampled_from([1.0, 2.5, -3.0, 1e-9]), min_size=len(edges), max_size=len(edges)))
    graph = Graph(n, np.array(edges).reshape(-1, 2), weights if weighted else None, directed)
    path = tmp_path / f"g{suffix}"
    save_data(path, graph)
    again = load_data(str(path), kinds=("graph",))
    assert np.array_equal(again.adjacency(), graph.adjacency())
    # a matrix that is symmetric does not say that its edges had directions
    assert suffix == ".adj" or not edges or again.directed == directed


@pytest.mark.parametrize("suffix", suffixes("graph"))
def test_a_name_may_begin_like_a_comment(suffix: str, tmp_path: Path) -> None:
    graph, path = Graph(3, [[1, 0], [2, 1]], directed=True, names=("a", "#b", "% c")), tmp_path / f"g{suffix}"
    save_data(path, graph)
    again = load_data(str(path), kinds=("graph",))
    edges = [(again.names[one], again.names[two]) for one, two in again.edges.tolist()]
    assert sorted(edges) == [("#b", "a"), ("% c", "#b")]
    assert read_pasted_data(as_text(graph), ("graph",)).m == 2


def test_a_matrix_loses_no_edge_without_a_word(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no place for an edge of weight 0"):
        save_data(tmp_path / "g.adj", Graph(3, [[0, 1], [1, 2]], [0.0, 1.0]))


def test_text_for_the_clipboard_and_the_terminal() -> None:
    graph = load_data("textbook_graph(which='weighted star')")
    assert as_text(graph, ",") == ("source,target,type,weight\n1,2,undirected,2\n2,3,undirected,1\n2,4,undirected,3\n")
    assert as_text(graph).splitlines()[1] == "1\t2\tundirected\t2"


# -- what other programs write ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "edges", "directed", "weights"),
    [
        ("a,b\nb,c\n", {("a", "b"), ("b", "c")}, False, {1.0}),
        ("a b 2.5\nb c 1\n", {("a", "b"), ("b", "c")}, False, {2.5, 1.0}),
        ("source,target\na,b\nb,a\nb,c\n", {("a", "b"), ("b", "a"), ("b", "c")}, True, {1.0}),
        ("from;to;cost\na;b;3\n", {("a", "b")}, True, {3.0}),
        ("# SNAP\n# Nodes: 3\n10\t2\n2\t33\n", {("10", "2"), ("2", "33")}, False, {1.0}),
        ("a,b,2\nb,a,2\nb,c,1\nc,b,1\n", {("a", "b"), ("b", "c")}, False, {1.0, 2.0}),
        ("a,b,2\na,b,3\n", {("a", "b")}, False, {5.0}),
        ("Source,Target,Type,Weight\na,b,Directed,1.0\n", {("a", "b")}, True, {1.0}),
        ("1,2,5\n2,3,1\n1,3,2\n", {("1", "2"), ("2", "3"), ("1", "3")}, False, {5.0, 1.0, 2.0}),
    ],
)
def test_edge_lists(text: str, edges: set, directed: bool, weights: set, tmp_path: Path) -> None:  # type: ignore[type-arg]
    graph = load_data(written(tmp_path / "e.csv", text), kinds=("graph",))
    assert set(as_dict(graph)) == {pair if directed else tuple(sorted(pair)) for pair in edges}
    assert graph.directed == directed
    assert set(graph.lengths.tolist()) == weights
    assert graph.positions is not None


def test_whole_numbers_are_numbered_in_their_order(tmp_path: Path) -> None:
    graph = load_data(written(tmp_path / "e.csv", "3,1\n2,3\n"), kinds=("graph",))
    assert graph.names == ()
    assert graph.edges.tolist() == [[2, 0], [1, 2]]


@pytest.mark.parametrize("ending", ["csv", "adj"])
@pytest.mark.parametrize(
    ("text", "directed", "names"),
    [
        ("0,1,0\n1,0,2\n0,2,0\n", False, ()),
        ("0 1 0\n0 0 2\n0 0 0\n", True, ()),
        (",x,y,z\nx,0,1,0\ny,1,0,2\nz,0,2,0\n", False, ("x", "y", "z")),
    ],
)
def test_adjacency_matrices(text: str, directed: bool, names: tuple[str, ...], ending: str, tmp_path: Path) -> None:
    graph = load_data(written(tmp_path / f"m.{ending}", text), kinds=("graph",))
    assert (graph.n, graph.m, graph.directed, graph.names) == (3, 2, directed, names)
    assert graph.lengths.tolist() == [1, 2]


def test_a_csv_file_is_a_table_of_points_unless_a_graph_is_wanted(tmp_path: Path) -> None:
    path = written(tmp_path / "e.csv", "a,b\n1,2\n2,3\n")
    assert isinstance(load_data(path), Points)
    assert isinstance(load_data(path, kinds=("graph",)), Graph)
    assert isinstance(load_data(path, kinds=("points", "graph")), Points)


@pytest.mark.parametrize(("suffix", "name"), [(".csv", "florentine"), (".csv", "les_miserables"), (".json", "karate")])
def test_a_graph_that_was_saved_here_is_known_also_where_points_are_welcome(
    suffix: str, name: str, tmp_path: Path
) -> None:
    path, graph = tmp_path / f"g{suffix}", load_data(name)
    save_data(path, graph)
    assert [kind_of(path, kinds) for kinds in ((), ("points",), ("distances", "points"), ("graph",))] == ["graph"] * 4
    back = load_data(str(path))
    assert (back.n, back.m, back.directed, back.names) == (graph.n, graph.m, graph.directed, graph.names)
    assert kind_of(Path(written(tmp_path / "p.csv", "source,target\n1,2\n2,3\n")), ("points",)) == "points"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("florentine", "graph"), ("casino", "sequences"), ("graph_families", "graph_set"), ("iris", "points")],
)
def test_what_is_on_the_clipboard_says_what_it_is(name: str, kind: str) -> None:
    text = as_text(load_data(name))
    assert pasted_kind(text, ["points"]) == kind
    if kind != "points":
        assert read_pasted_data(text, ["points"]).n == load_data(name).n


def test_a_pasted_text_that_is_no_table_is_a_sentence(request: pytest.FixtureRequest) -> None:
    before = csv.field_size_limit(131_072)  # a library may have raised it for everybody
    request.addfinalizer(lambda: csv.field_size_limit(before))
    text = "a\tb\n" + "x" * 200_000 + "\t1\n"
    assert pasted_kind(text, ["graph"]) == "graph"
    with pytest.raises(DataError, match=r"^The pasted text is not a table"):
        read_pasted_data(text, ["graph"])


def test_a_copied_table_of_distances_is_one_again() -> None:
    text = as_text(load_data("cities"))
    assert pasted_kind(text, ["distances", "points"]) == "distances"
    assert read_pasted_data(text, ["distances", "points"]).n == 27
    assert pasted_kind(text, ["points"]) == pasted_kind(as_text(load_data("iris")), ["distances", "points"]) == "points"


def test_a_json_file_with_nodes_and_links_is_a_graph(tmp_path: Path) -> None:
    graph = load_data(
        written(tmp_path / "g.json", '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}')
    )
    assert graph.names == ("a", "b")
    table = load_data(written(tmp_path / "t.json", '[{"a": 1, "b": 2}, {"a": 3, "b": 5}]'))
    assert isinstance(table, Points)


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1, "value": 3}]}',
        '{"nodes": ["a", "b"], "edges": [["a", "b", 3]]}',
        '{"nodes": [{"id": "a", "x": 0, "y": 0}, {"id": "b", "pos": [1, 2]}],'
        ' "edges": [{"source": "a", "target": "b", "weight": 3}]}',
    ],
)
def test_dialects_of_node_link_json(text: str, tmp_path: Path) -> None:
    graph = load_data(written(tmp_path / "g.json", text))
    assert (graph.names, graph.edges.tolist(), graph.lengths.tolist()) == (("a", "b"), [[0, 1]], [3])


@pytest.mark.parametrize("make", [nx.karate_club_graph, nx.les_miserables_graph, nx.florentine_families_graph])
def test_files_that_networkx_wrote(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    theirs = make()
    nx.write_graphml(theirs, tmp_path / "g.graphml")
    nx.write_gml(theirs, tmp_path / "g.gml")
    nx.write_pajek(theirs, tmp_path / "g.net")
    (tmp_path / "g.json").write_text(__import__("json").dumps(nx.node_link_data(theirs, edges="links")))
    for suffix in ("graphml", "gml", "net", "json"):
        graph = load_data(str(tmp_path / f"g.{suffix}"))
        assert (graph.n, graph.m) == (len(theirs), theirs.size())
        assert graph.lengths.sum() == pytest.approx(theirs.size(weight="weight"))


def test_the_groups_of_the_karate_club_come_from_the_file(tmp_path: Path) -> None:
    nx.write_graphml(nx.karate_club_graph(), tmp_path / "g.graphml")
    assert load_data(str(tmp_path / "g.graphml")).classes == ("Mr. Hi", "Officer")


def test_a_gml_file_with_an_edge_twice_and_graphics(tmp_path: Path) -> None:
    text = """Creator "Mark" graph [ directed 0
      node [ id 4 label "A" graphics [ x 1.0 y 2.0 ] ] node [ id 9 label "B" graphics [ x 3.0 y 2.5 ] ]
      edge [ source 4 target 9 value 2 ] edge [ source 9 target 4 value 3 ] ]"""
    graph = read_gml(Path(written(tmp_path / "g.gml", text)))
    assert (graph.names, graph.lengths.tolist(), graph.positions.tolist()) == (("A", "B"), [5], [[1, 2], [3, 2.5]])


def test_gml_as_networkx_reads_it(tmp_path: Path) -> None:
    """Comments, brackets without spaces, texts with escapes and brackets, nested and repeated keys, floats."""
    text = """# made by hand
    Version 1 graph[directed 1 comment "a [ b ]"
      # a comment ] between
      node[id 1 label "Zo&#235; [1]" pos 0.5 pos 1E1]node [ id 2 label "B" pos -2 pos 3.0 ]
      node [ id "x" name "C" pos 1 pos 1 ]
      edge[source 1 target "x" weight 2.5E0]edge [ source "x" target 2 ] ]"""
    graph = read_gml(Path(written(tmp_path / "g.gml", text)))
    assert (graph.names, graph.directed) == (("Zoë [1]", "B", "C"), True)
    assert as_dict(graph) == {("Zoë [1]", "C"): 2.5, ("C", "B"): 1.0}
    assert graph.positions is not None
    assert graph.positions.tolist() == [[0.5, 10.0], [-2.0, 3.0], [1.0, 1.0]]


def test_a_large_gml_file_needs_no_other_parser_and_few_steps_of_springs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5,000 nodes and 50,000 edges took 10 seconds, half of them in the parser of networkx."""
    from algorithms.maths import layouts

    calls, pull = [], layouts._pull
    monkeypatch.setattr(nx, "parse_gml", None)
    monkeypatch.setattr(layouts, "_pull", lambda *forces: calls.append(1) or pull(*forces))  # type: ignore[func-returns-value]
    ends = np.random.default_rng(0).permuted(np.tile(np.arange(5_000), (20, 1)), axis=1).reshape(-1, 2)
    rows = [*(f"node [ id {k} ]" for k in range(5_000)), *(f"edge [ source {a} target {b} ]" for a, b in ends)]
    graph = read_gml(Path(written(tmp_path / "g.gml", "graph [\n" + "\n".join(rows) + "\n]")))
    assert graph.n == 5_000
    assert graph.edges.shape[0] > 49_000
    assert len(calls) <= 75


PAJEK = """*Network by hand
*Vertices 4
% a comment
1 "Zoë and all" 0.1 0.2 0.5
2 b 0.3 0.4 ic Red
3
*Arcs
1 2 2.5
*Edges
2 3
*Arcslist
4 1 2
"""


def test_sections_of_pajek_by_hand(tmp_path: Path) -> None:
    graph = load_data(written(tmp_path / "g.net", PAJEK))
    assert graph.names == ("Zoë and all", "b", "3", "4")
    assert graph.directed
    assert as_dict(graph) == {
        ("Zoë and all", "b"): 2.5, ("b", "3"): 1, ("3", "b"): 1, ("4", "Zoë and all"): 1, ("4", "b"): 1
    }  # fmt: skip


def test_a_pajek_matrix(tmp_path: Path) -> None:
    graph = load_data(written(tmp_path / "g.net", "*Vertices 2\n1 a\n2 b\n*Matrix\n0 3\n0 0\n"))
    assert as_dict(graph) == {("a", "b"): 3}


# -- what is refused --------------------------------------------------------------------------------------------------

BOMB = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<graphml><graph edgedefault="undirected"><node id="&b;"/></graph></graphml>"""
REFERENCE = """<?xml version="1.0"?><!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<graphml><graph edgedefault="undirected"><node id="&x;"/></graph></graphml>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
@pytest.mark.parametrize("text", [BOMB, REFERENCE, "<!DOCTYPE graphml SYSTEM 'http://example.org/x.dtd'><graphml/>"])
def test_entities_and_references_to_files_are_refused(text: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "g.graphml"
    path.write_bytes(text.replace("?>", f" encoding='{encoding}'?>", 1).encode(encoding))
    with pytest.raises(DataError, match=r"^g\.graphml has a document type, which no GraphML file needs"):
        load_data(str(path))


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nested deeper"):
        load_data(written(tmp_path / "g.graphml", "<a>" * 100_000 + "</a>" * 100_000))


def test_a_graph_of_too_many_nodes_is_refused_before_it_is_built(tmp_path: Path) -> None:
    many = "".join(f'<node id="n{i}"/>' for i in range(20_001))
    text = f'<graphml><graph edgedefault="directed">{many}</graph></graphml>'
    with pytest.raises(DataError, match="more than 20,000 nodes"):
        read_graphml(Path(written(tmp_path / "g.graphml", text)))
    with pytest.raises(DataError, match="999,999,999 nodes; at most 20,000"):
        load_data(written(tmp_path / "g.net", "*Vertices 999999999\n"))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("g.graphml", "hello", "g.graphml is not GraphML from line 1, column 1 on: syntax error."),
        ("g.graphml", "<graphml>", "g.graphml is not GraphML from line 1, column 10 on: no element found."),
        ("g.graphml", "<a/>", "g.graphml cannot be read as a graph: "),
        ("g.graphml", "<?xml version='1.0' encoding='foo-9'?><graphml/>", "g.graphml cannot be read: unknown encoding"),
        ("g.graphml", "<?xml version='1.0' encoding='gb2312'?><graphml/>", "; save it in UTF-8."),
        (
            "g.gml",
            "graph [ node [ id 1 ] edge [ source 1 target 2 ] ]",
            "edge 1 ends at a node '2', which is not there.",
        ),
        ("g.gml", "graph [ node [ id 1 ] node [ id 1 ] ]", "there are two nodes with the id '1'."),
        ("g.gml", "graph [ node [ label a ] ]", "'a' is neither number nor text."),
        ("g.gml", 'graph [ node [ label "a ] ]', "'label' has no value."),
        ("g.gml", "graph [ node [ label 3 ] ]", "node 1 has no id."),
        ("g.gml", "graph [ node [ id", "g.gml cannot be read as a graph: "),
        ("g.gml", "hello", "g.gml cannot be read as a graph: "),
        ("g.gml", "[" * 100_000, "g.gml cannot be read as a graph: "),
        ("g.gml", "graph " + "[ a " * 100_000, "g.gml is nested deeper than a graph file needs; it is not read."),
        ("g.net", "hello", "g.net does not say how many vertices there are."),
        ("g.net", "*Vertices 2\n*Edges\n1 3\n", "g.net speaks of the vertex '3'; there are vertices 1 to 2."),
        ("g.net", "*Vertices 0\n", "There are no nodes in it."),
        ("g.adj", "0,1\n1\n", "g.adj is not a square table with as many rows as columns."),
        ("g.adj", "0,1\n1,a\n", "Row 2, column 2 is 'a', which is not a number."),
        ("g.adj", "0,inf\n1,0\n", "Row 1, column 2 is 'inf', which is not finite."),
        ("g.adj", "# nothing\n", "There is nothing but comments in g.adj."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(name: str, text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        load_data(written(tmp_path / name, text))
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "g.json is not JSON from line 1, column 2 on."),
        ("[" * 100_000, "g.json is not JSON"),
        ('{"nodes": 3}', "g.json is no graph: it must have a list of nodes and a list of links (or edges)."),
        ('{"nodes": [], "links": []}', "There are no nodes in it."),
        ('{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "The node '1' is twice in g.json."),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "A link of g.json has no source and target."),
        ('{"nodes": [{"id": 1}], "links": [{"source": 1, "target": [2]}]}', "which is not among its nodes."),
        ('{"nodes": [{"id": [1]}], "links": []}', "which is neither a word nor a number."),
        ('{"nodes": [{"id": 1}], "links": [[1, 1, "x"]]}', "The weight of an edge is 'x', which is not a number."),
        ('{"nodes": [{"id": 1}], "links": [[1, 1, Infinity]]}', "which is not finite."),
        ('{"nodes": [{"id": 1}], "links": [[1, 1, 1e308], [1, 1, 1e308]]}', "must be finite numbers."),
    ],
)
def test_what_is_wrong_with_json_is_said_in_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        load_data(written(tmp_path / "g.json", text), kinds=("graph",))
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b,heavy\nb,c,x\n", "Row 2 of e.csv has the weight 'x', which is not a number."),
        ("source,target\n,b\n", "Row 2 of e.csv has no node to begin at."),
    ],
)
def test_what_is_wrong_with_an_edge_list(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        load_data(written(tmp_path / "e.csv", text), kinds=("graph",))
    assert sentence in str(refused.value)


def test_an_empty_file_a_folder_and_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "e.gml").touch()
    for path, sentence in (("e.gml", "e.gml is empty."), ("no.gml", "There is no file"), ("../", "is a folder")):
        with pytest.raises(DataError, match=sentence):
            load_data(str(tmp_path / path))


def test_a_target_makes_no_sense(tmp_path: Path) -> None:
    path = written(tmp_path / "g.net", PAJEK)
    with pytest.raises(DataError, match="it has no target column to choose"):
        load_data(path, Wishes("b"))


def read_or_refused(path: Path) -> None:
    """Whatever the file holds, it gives a graph or one sentence, and never a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            graph = load_data(str(path), kinds=("graph",))
        except DataError as refused:
            assert str(refused).endswith((".", "?"))  # noqa: PT017
            assert "\n" not in str(refused)  # noqa: PT017
        else:
            assert isinstance(graph, Graph)


SAMPLES = {suffix: write(GRAPHS["odd names"]).encode() for suffix, write in WRITERS.items() if write is not None}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), new=st.binary(max_size=6), gone=st.integers(0, 12), cut=st.booleans())
@example(place=0.5, new=b"", gone=0, cut=True)
@pytest.mark.parametrize("suffix", SAMPLES)
def test_damaged_files(suffix: str, place: float, new: bytes, gone: int, cut: bool, tmp_path: Path) -> None:
    whole = SAMPLES[suffix]
    at = int(place * len(whole))
    path = tmp_path / f"f{suffix}"
    path.write_bytes(whole[:at] + new + (b"" if cut else whole[at + gone :]))
    read_or_refused(path)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=60) | st.binary(max_size=60))
@pytest.mark.parametrize("suffix", SAMPLES)
def test_any_content_at_all(suffix: str, text: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / f"f{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    read_or_refused(path)


def test_every_format_is_read_and_written() -> None:
    assert all(READERS.values())
    assert all(WRITERS.values())
    assert suffixes("graph") == (".csv", ".adj", ".graphml", ".gml", ".net", ".json")
