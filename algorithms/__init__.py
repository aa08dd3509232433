"""Machine-learning algorithms that can be watched: pure generators of immutable snapshots on NumPy and SciPy."""

from algorithms.contract import DataError, Ended, Item, Stop
from algorithms.data import Data, Distances, Graph, GraphSet, Nothing, Points, Sequences, Strings
from algorithms.fitting import Fit, fit, show
from algorithms.params import ParamError
from algorithms.registry import UnknownAlgorithm, all_algorithms, find

Dataset = Points
"""The name of points in scripts that were exported before there were other kinds of data."""

__all__ = [
    "Data",
    "DataError",
    "Dataset",
    "Distances",
    "Ended",
    "Fit",
    "Graph",
    "GraphSet",
    "Item",
    "Nothing",
    "ParamError",
    "Points",
    "Sequences",
    "Stop",
    "Strings",
    "UnknownAlgorithm",
    "all_algorithms",
    "find",
    "fit",
    "show",
]
