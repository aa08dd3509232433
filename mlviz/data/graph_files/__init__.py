"""Graphs in files: edge lists and adjacency matrices as CSV, GraphML, GML, Pajek and node-link JSON; sets of graphs.

networkx reads GraphML and GML; it is imported when such a file is opened. Nodes may bring a name (``label`` or
``name``), a place (``x`` and ``y``, ``pos`` or ``graphics``) and a ``group``; edges that are listed more than once
become one with the sum of their weights. A graph without places gets those of the spring layout.
"""

from __future__ import annotations

from mlviz.data.formats import DataFormat
from mlviz.data.graph_files.markup import gml_text, graphml_text, read_gml, read_graphml
from mlviz.data.graph_files.node_link import looks_like_node_link, node_link_json, read_node_link
from mlviz.data.graph_files.pajek import pajek_text, read_pajek
from mlviz.data.graph_files.sets import graph_set_json, looks_like_graph_set, read_graph_set
from mlviz.data.graph_files.tables import edge_list_csv, matrix_csv, names_edges, read_csv_graph, read_matrix

FORMATS: tuple[DataFormat, ...] = (
    DataFormat(
        *("graph", "Edge list", (".csv", ".tsv", ".txt", ".edges"), read_csv_graph, edge_list_csv),
        own=False,
        looks=names_edges,
        sure=True,
    ),
    DataFormat("graph", "Adjacency matrix", (".adj",), read_matrix, matrix_csv),
    DataFormat("graph", "GraphML", (".graphml",), read_graphml, graphml_text),
    DataFormat("graph", "GML", (".gml",), read_gml, gml_text),
    DataFormat("graph", "Pajek", (".net", ".paj"), read_pajek, pajek_text),
    DataFormat(
        "graph", "Node-link JSON", (".json",), read_node_link, node_link_json, False, looks_like_node_link, sure=True
    ),
    DataFormat(
        "graph_set", "Set of graphs", (".json",), read_graph_set, graph_set_json, False, looks_like_graph_set, sure=True
    ),
)
