"""GraphML, which networkx reads (it is imported when such a file is opened), and GML."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from algorithms.data import DataError, Graph
from algorithms.data.graph import MAX_EDGES, MAX_NODES
from algorithms.maths.words import counted
from mlviz.data.graph_files.parts import Parts, file_bytes, file_text, node_facts, refuse_many

MAX_DEPTH = 40
"""Elements of a GraphML file inside each other."""
MAX_ELEMENTS = 6 * MAX_EDGES
"""With their attributes."""
MAX_FACTS = 1_000
"""Attributes of one element."""
_WORD = re.compile(r'"[^"]*"|#.*|[\[\]]|[^\s"\[\]#]+|"')
"""Of GML: a text, a comment, a bracket, a key or a number; a quotation mark alone is not closed."""


def read_graphml(path: Path) -> Graph:
    """GraphML. A document type could hide entities that grow or that name other files, so none is read."""
    raw = file_bytes(path)
    _check_xml(raw, path.name)
    return _by_networkx(path, lambda nx: nx.read_graphml(io.BytesIO(raw)))


def _check_xml(raw: bytes, name: str) -> None:
    """Refuse what is no XML, document types, and more nodes and edges than can be used, before anything is kept."""
    refuse_many(raw.count(b"="), "attributes", name, MAX_ELEMENTS)
    counts = {"node": 0, "edge": 0, "all": 0}
    limits = {"node": MAX_NODES, "edge": MAX_EDGES}
    depth = 0

    def begin(tag: str, facts: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise DataError(f"{name} is nested deeper than a GraphML file needs; it is not read.")
        counts["all"] += 1 + len(facts)
        refuse_many(counts["all"], "elements and attributes", name, MAX_ELEMENTS)
        refuse_many(len(facts), f"attributes of one {tag[:40]}", name, MAX_FACTS)
        kind = tag.rpartition(":")[2]
        if kind in limits:
            counts[kind] += 1
            if counts[kind] > limits[kind]:
                raise DataError(f"{name} has more than {limits[kind]:,} {kind}s, which is more than can be used.")

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: Any) -> None:
        raise DataError(f"{name} has a document type, which no GraphML file needs; it is not read.")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        raise DataError(f"{name} is not GraphML from {where} on: {expat.ErrorString(error.code)}.") from error
    except (LookupError, ValueError) as error:  # an encoding that nobody has, or of several bytes a letter
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} cannot be read: {error}; save it in UTF-8.") from error


def read_gml(path: Path) -> Graph:
    """GML: keys and values one after the other, of which ``node`` and ``edge`` in ``graph`` are read."""
    text = file_text(path)
    if len(re.findall(r"\bnode\s*\[", text)) > MAX_NODES or len(re.findall(r"\bedge\s*\[", text)) > MAX_EDGES:
        raise DataError(f"{path.name} has more than {MAX_NODES:,} nodes or {MAX_EDGES:,} edges.")
    refuse_many(sum(1 for _ in _WORD.finditer(text)), "words", path.name)
    try:
        return _graph_of(_gml_values((word for word in _WORD.findall(text) if word[0] != "#"), 0, path.name))
    except _NotGml as error:
        raise DataError(f"{path.name} cannot be read as a graph: {error}.") from error


class _NotGml(ValueError):
    """What is wrong, as the end of a sentence."""


def _gml_values(words: Iterator[str], depth: int, name: str) -> dict[str, list[Any]]:
    """The values of every key up to the bracket that closes this list."""
    if depth > MAX_DEPTH:
        raise DataError(f"{name} is nested deeper than a graph file needs; it is not read.")
    found: dict[str, list[Any]] = {}
    for key in words:
        if key == "]" and depth:
            return found
        if not key[0].isalpha():
            raise _NotGml(f"{key[:40]!r} stands where a key should")
        word = next(words, "")
        value = _gml_values(words, depth + 1, name) if word == "[" else _gml_value(key, word)
        found.setdefault(key, []).append(value)
    if depth:
        raise _NotGml("a bracket is not closed")
    return found


def _gml_value(key: str, word: str) -> int | float | str:
    """A text in quotation marks, or a number."""
    if len(word) > 1 and word[0] == '"':
        return html.unescape(word[1:-1])
    for number in (int, float):
        try:
            return number(word)
        except ValueError:
            continue
    raise _NotGml(
        f"{key[:40]!r} has no value" if word in ("", "]", '"') else f"{word[:40]!r} is neither number nor text"
    )


def _graph_of(values: dict[str, list[Any]]) -> Graph:
    """The one graph of a GML file."""
    graphs = values.get("graph", [])
    if len(graphs) != 1 or not isinstance(graphs[0], dict):
        raise _NotGml(f"it holds {counted(len(graphs), 'graph')}" if len(graphs) != 1 else "its graph is no list")
    graph = graphs[0]
    parts = Parts(directed=graph.get("directed", [0])[0] == 1)
    for number, node in enumerate(graph.get("node", [])):
        key = _fact(node, "id", "node", number)
        if key in parts.numbers:
            raise _NotGml(f"there are two nodes with the id {str(key)[:40]!r}")
        parts.node(key, {name: _plain_facts(value) for name, value in node.items() if name != "id"})
    for number, edge in enumerate(graph.get("edge", [])):
        ends = [_fact(edge, end, "edge", number) for end in ("source", "target")]
        missing = [end for end in ends if end not in parts.numbers]
        if missing:
            raise _NotGml(f"edge {number + 1} ends at a node {str(missing[0])[:40]!r}, which is not there")
        weight = edge.get("weight", edge.get("value", [None]))[0]
        parts.edge(parts.numbers[ends[0]], parts.numbers[ends[1]], weight)
    return parts.graph()


def _fact(part: Any, key: str, what: str, number: int) -> int | float | str:
    found = part.get(key, []) if isinstance(part, dict) else []
    if len(found) != 1 or isinstance(found[0], dict):
        raise _NotGml(f"{what} {number + 1} has no {key}")
    value: int | float | str = found[0]
    return value


def _plain_facts(values: list[Any]) -> Any:
    """A value that is there once as itself."""
    plain = [{key: _plain_facts(inner) for key, inner in v.items()} if isinstance(v, dict) else v for v in values]
    return plain[0] if len(plain) == 1 else plain


def _by_networkx(path: Path, read: Callable[[Any], Any]) -> Graph:
    """What networkx reads; whatever goes wrong there is one sentence here."""
    import networkx as nx

    try:
        found = read(nx)
    except (DataError, MemoryError):
        raise
    except RecursionError as error:
        raise DataError(f"{path.name} is nested deeper than a graph file needs; it is not read.") from error
    except Exception as error:  # parsers of other people raise whatever comes to hand, down to StopIteration
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise DataError(f"{path.name} cannot be read as a graph: {reason}.") from error
    parts = Parts(directed=bool(found.is_directed()))
    for node, facts in found.nodes(data=True):
        parts.node(node, {key: value for key, value in facts.items() if key != "id"})
    for one, two, facts in found.edges(data=True):
        weight = facts.get("weight", facts.get("value"))
        parts.edge(parts.numbers[one], parts.numbers[two], weight)
    return parts.graph()


def _as_networkx(graph: Graph) -> Any:
    import networkx as nx

    made = nx.DiGraph() if graph.directed else nx.Graph()
    for node, facts in enumerate(node_facts(graph)):
        made.add_node(node + 1, **facts)
    for (one, two), weight in zip(graph.edges.tolist(), graph.lengths.tolist()):
        made.add_edge(one + 1, two + 1, **({"weight": weight} if graph.weighted else {}))
    return made


def graphml_text(graph: Graph) -> str:
    """GraphML as networkx writes it."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(_as_networkx(graph))) + "\n"


def gml_text(graph: Graph) -> str:
    """GML: ASCII with the numbers of other characters, as its authors want it."""
    rows = ["graph [", f"  directed {int(graph.directed)}"]
    for node, facts in enumerate(node_facts(graph)):
        rows.append(f"  node [ id {node + 1}" + "".join(_gml_fact(*fact) for fact in facts.items()) + " ]")
    for (one, two), weight in zip(graph.edges.tolist(), graph.lengths.tolist()):
        heavy = f" weight {_gml_number(weight)}" if graph.weighted else ""
        rows.append(f"  edge [ source {one + 1} target {two + 1}{heavy} ]")
    return "\n".join([*rows, "]"]) + "\n"


def _gml_fact(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f" {key} {_gml_number(value)}"
    text = "".join(f"&#{ord(letter)};" if letter in '&"' or not " " <= letter <= "~" else letter for letter in value)
    return f' {"label" if key == "name" else key} "{text}"'


def _gml_number(value: float) -> str:
    """GML wants a point in a number that is not whole, also before an exponent."""
    digits, e, exponent = repr(value).partition("e")
    return (digits if "." in digits else digits + ".0") + (f"E{exponent}" if e else "")
