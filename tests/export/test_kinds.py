"""Scripts, tables and numbers for every kind of data, whatever method worked on it."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from algorithms import Distances, Graph, GraphSet, Nothing, Points, Sequences, Strings
from algorithms._checks.values import same
from algorithms.contract import Algorithm, Counterpart, Line, Metric, Panel, Stop
from algorithms.data import KINDS
from mlviz.export import tables
from mlviz.export.frames import outcome_of, recorded
from mlviz.export.script import script
from tests.telling import AS_SHOWN, told

RING = Graph(3, [[0, 1], [1, 2], [2, 0]], [1, 2, 3], directed=True, names=("a", "b", "c"), positions=np.eye(3)[:, :2])
DATA = [
    Points([[0.0, 1.0], [2.0, 3.0]], ["u", "v"], image_shape=(1, 2)),
    Points(np.arange(4000.0)),
    RING,
    Graph(3, [], groups=["x", "y", "x"]),
    Sequences([[0, 1, 2], [1, 1]], states=[[0, 0, 1], [1, 0]]),
    Sequences([np.linspace(0.0, 1.0, 2000)]),
    Distances([[0, 2.5], [2.5, 0]], ("here", "there")),
    Strings(['it\'s "spam"', "ham"], ["bad", "good"]),
    GraphSet([RING, Graph(1, [])], [0, 1]),
    Nothing(),
]


@dataclass(frozen=True, slots=True)
class NoParams:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    count: int


def run(data, params, rng, start=None):
    for count in (0, data.n):
        yield told(Model(count), {}, {"count": count}, "count", "Counted.")
    return Stop.COMPLETE


def labels(model, data):
    return np.zeros(len(data) if isinstance(data, np.ndarray) else data.n, dtype=int)


COUNTER = Algorithm(
    key="counter",
    title="Counter",
    family="evaluation",
    summary="Counts.",
    params=NoParams,
    run=run,
    panels=(Panel("count", "Count"),),
    metrics=(Metric("count", "count"),),
    pseudocode=(Line("count", "count"),),
    reference="none",
    **AS_SHOWN,
    accepts=tuple(KINDS.values()),
    predict=labels,
    counterpart=lambda params, case: Counterpart("import math", "data", "0", "difference", estimator=False),
)


@pytest.mark.parametrize("data", DATA, ids=lambda data: f"{data.kind}-{data.n}")
def test_a_script_makes_the_very_same_data(data):
    source = script(COUNTER, data, NoParams(), 3)
    made: dict = {"__name__": "script"}
    exec(compile(source, "script.py", "exec"), made)
    if isinstance(data, Nothing):
        assert made["data"] is None
    else:
        assert same(made["data"], data)
    assert made["scikit_learn"]() is made["data"]
    assert data.sha256 in source


@pytest.mark.parametrize("data", DATA, ids=lambda data: f"{data.kind}-{data.n}")
def test_the_numbers_of_a_run_can_be_written(data):
    outcome = outcome_of(recorded(COUNTER, data, NoParams(), 0), [1])
    written = json.loads(tables.outcome_bytes(outcome, ".json"))
    assert written["model"] == {"count": data.n}
    assert written["data"]["sha256"] == data.sha256
    assert tables.outcome_bytes(outcome, ".npz")
    assert "count" in tables.outcome_bytes(outcome, ".csv").decode()
    rows = tables.predictions_csv(outcome).splitlines()
    assert len(rows) == data.n + 1
    assert "predicted" in rows[0]


def test_the_tables_of_the_kinds_by_hand():
    assert tables.data_csv(RING).splitlines()[:2] == ["node,x,y,degree", "a,1.0,0.0,2"]
    series = Sequences([["sun", "rain"]], states=[[0, 1]])
    assert tables.data_csv(series).splitlines() == ["series,time,symbol,state", "1,1,sun,1", "1,2,rain,2"]
    assert tables.data_csv(DATA[6]).splitlines() == [",here,there", "here,0.0,2.5", "there,2.5,0.0"]
    assert tables.data_csv(Strings(["a,b"], ["x"])).splitlines() == ["text,class", '"a,b",x']
    assert tables.data_csv(GraphSet([RING])).splitlines() == ["graph,nodes,edges", "1,3,3"]
