"""Made-up data: every generator is one declared function in one of these modules.

To add one, write a function with ``@generator`` beside its relatives. Its signature is the declaration: the form, the
command line, the messages and the tests read it.
"""

from mlviz.data.generators import (
    classes,
    distances,
    graph_sets,
    graphs,
    manifolds,
    pictures,
    regression,
    sequences,
    strings,
)
from mlviz.data.generators.declare import Generator, all_generators, find_generator, generate

__all__ = [
    "Generator",
    "all_generators",
    "classes",
    "distances",
    "find_generator",
    "generate",
    "graph_sets",
    "graphs",
    "manifolds",
    "pictures",
    "regression",
    "sequences",
    "strings",
]
