"""GraphML and GML, which networkx reads; it is imported when such a file is opened."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.parsers import expat

from algorithms.data import DataError, Graph
from algorithms.data.graph import MAX_EDGES, MAX_NODES
from mlviz.data.graph_files.parts import Parts, file_bytes, file_text, node_facts, refuse_many

MAX_DEPTH = 40
"""Elements of a GraphML file inside each other."""
MAX_ELEMENTS = 6 * MAX_EDGES
"""With their attributes."""
MAX_FACTS = 1_000
"""Attributes of one element."""
_WORD = re.compile(r'"[^"]*"|[^\s"]+')
"""Of GML: a key, a bracket, a number or a text."""


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


def read_gml(path: Path) -> Graph:
    """GML; a file in which an edge is twice is read, too."""
    text = file_text(path)
    if len(re.findall(r"\bnode\s*\[", text)) > MAX_NODES or len(re.findall(r"\bedge\s*\[", text)) > MAX_EDGES:
        raise DataError(f"{path.name} has more than {MAX_NODES:,} nodes or {MAX_EDGES:,} edges.")
    refuse_many(sum(1 for _ in _WORD.finditer(text)), "words", path.name)
    if not re.search(r"\bmultigraph\b", text):
        text = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1 ", text, count=1)
    return _by_networkx(path, lambda nx: nx.parse_gml(text.splitlines(), label="id"))


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
