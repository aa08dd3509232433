"""What an algorithm accepts: immutable values of several kinds, checked once at the door."""

from algorithms.data.distances import Distances
from algorithms.data.graph import Graph, graph_of
from algorithms.data.graph_set import GraphSet
from algorithms.data.kind import MAX_CLASSES, Array, Data, DataError, Item
from algorithms.data.nothing import Nothing
from algorithms.data.points import Points, distinct_rows
from algorithms.data.sequences import Sequences
from algorithms.data.strings import Strings
from algorithms.maths.words import counted

KINDS: dict[str, type[Data]] = {
    kind.kind: kind for kind in (Points, Graph, Sequences, Distances, Strings, GraphSet, Nothing)
}
"""Every kind of data by the name that files and the command line use."""

__all__ = [
    "KINDS",
    "MAX_CLASSES",
    "Array",
    "Data",
    "DataError",
    "Distances",
    "Graph",
    "GraphSet",
    "Item",
    "Nothing",
    "Points",
    "Sequences",
    "Strings",
    "counted",
    "distinct_rows",
    "graph_of",
]
