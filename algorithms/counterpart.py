"""The same method elsewhere: source code in scikit-learn, networkx or hmmlearn for the exported script.

A method's ``counterpart(params, case)`` gives the nearest estimator, or None where these parameters have none. Nothing
here imports those libraries: they are only written about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.data import Array, Data
from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class Counterpart:
    """An estimator as source code.

    Parameters
    ----------
    imports : str
        The lines that import what ``make`` needs, and prepare it.
    make : str
        The expression that makes the estimator; it is fitted to ``X`` and, with ``target``, to ``y``. Without
        ``estimator`` the expression is the answer itself, in ``data``, and is called ``theirs``.
    difference : str
        An expression in ``ours`` (a Fit) and ``theirs`` (the fitted estimator): 0 when they agree.
    measure : str
        What the difference is, in words.
    caveat : str
        Why the two need not agree; empty when they must.
    package : str
        What has to be installed, as pip calls it.
    """

    imports: str
    make: str
    difference: str
    measure: str
    target: bool = True
    caveat: str = ""
    package: str = "scikit-learn"
    estimator: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """The run for which a counterpart is wanted: its data and seed, and how to begin it again."""

    data: Data
    seed: int
    begin: Callable[[], Any]

    def first_model(self, ready: Callable[[Any], bool]) -> Any:
        """The first state that satisfies a condition: where the random beginning has ended."""
        run = self.begin()
        for snapshot in run:
            if ready(snapshot.model):
                run.close()
                return snapshot.model
        return None


def array_source(values: Array) -> str:
    """An array as an expression that gives the very same numbers."""
    return f"np.array({values.tolist()!r})"


def same_map(imports: str, make: str, caveat: str = "", estimator: bool = True) -> Counterpart:
    """An estimator whose ``embedding_`` is our map, but for the signs of its coordinates."""
    return Counterpart(
        imports=imports,
        make=make,
        difference="np.abs(np.abs(theirs.embedding_) - np.abs(ours.model.embedding)).max() "
        "/ np.ptp(ours.model.embedding)",
        measure="largest difference of a coordinate, by their range and up to sign",
        target=False,
        caveat=caveat,
        estimator=estimator,
    )


NETWORKX_GRAPH = """import networkx as nx

G = nx.DiGraph() if data.directed else nx.Graph()
G.add_nodes_from(range(data.n))
G.add_weighted_edges_from(zip(*data.edges.T.tolist(), data.lengths.tolist()))"""
"""The graph ``data`` as the graph ``G`` of networkx: lines for ``imports``."""

SAME_LABELS = "np.mean({ours} != {theirs})"
SAME_VALUES = "np.abs(theirs.predict(X) - ours.predict(X)).max() / max(np.ptp(y), 1e-12)"
SAME_GROUPS = "len(set(zip({ours}, {theirs}))) - max(len(set({ours})), len(set({theirs})))"


def over_powers(degree: int, *steps: str, caveat: str = "") -> Counterpart:
    """These estimators of scikit-learn, one after the other, over the powers of the features; the last one predicts."""
    homes = {"PCA": "sklearn.decomposition"}
    names = [step.partition("(")[0] for step in steps]
    lines = [
        *(f"from {homes.get(name, 'sklearn.linear_model')} import {name}" for name in names),
        "from sklearn.pipeline import make_pipeline",
        "from sklearn.preprocessing import PolynomialFeatures",
    ]
    make = f"make_pipeline(PolynomialFeatures({degree}, include_bias=False), {', '.join(steps)})"
    measure = "largest difference of a prediction, by the range of y"
    return Counterpart("\n".join(lines), make, SAME_VALUES, measure, caveat=caveat)
