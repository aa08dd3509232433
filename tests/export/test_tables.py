"""Fitted parameters, predictions, curves and points as files: what is written reads back as what was found."""

import csv
import io
import itertools
import json
import struct
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from algorithms import DataError, Points, all_algorithms, find
from mlviz import __version__
from mlviz.cli.fit import _print_summary
from mlviz.data.files import read_points
from mlviz.data.spec import example_of, load_data
from mlviz.data.understanding import Wishes
from mlviz.export import tables
from mlviz.export.frames import evenly, film_steps, outcome_of, recorded
from mlviz.export.learned import learned
from mlviz.export.parameters import fitted, flatten, plain, split
from tests.export.conftest import run_of_example

X = [[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]]


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.fixture
def engine():
    algorithm = find("k_means")
    data = Points(X, np.array(["u", "u", "v", "v"]), features=("a", "b"), target="kind", name="four")
    return recorded(algorithm, data, algorithm.make_params({"k": 2}), 5)


@pytest.fixture
def outcome(engine):
    return outcome_of(engine, [len(engine.timeline) - 1])


def test_the_hash_is_that_of_the_bytes_of_x_and_y():
    data = Points([[1.5], [2.5]], np.array([0.25, 4.0]))
    assert data.sha256 == sha256(struct.pack("<4d", 1.5, 2.5, 0.25, 4.0)).hexdigest()
    assert Points([[1.5], [2.5]]).sha256 == sha256(struct.pack("<2d", 1.5, 2.5)).hexdigest()


def test_json_says_what_was_run_and_what_came_out(outcome, engine):
    written = json.loads(tables.outcome_bytes(outcome, ".json"))
    assert (written["program"], written["version"], written["algorithm"]) == ("mlviz", __version__, "k_means")
    assert (written["seed"], written["stop"], written["reason"]) == (5, "converged", "converged")
    assert not written["resumed"]
    assert written["step"] == written["steps"] == len(engine.timeline) - 1
    assert written["data"]["sha256"] == outcome.data.sha256
    assert sorted(written["model"]["centres"]) == [[0.0, 0.5], [9.0, 8.5]]
    assert written["model"]["loss"] == 1.0  # four points, each half a unit from its centre
    first, *_, last = written["predictions"]
    assert written["predictions"] == [first, first, last, last]


def test_csv_has_one_number_a_row(outcome):
    header, *rows = rows_of(tables.outcome_csv(outcome))
    assert header == ["step", "name", "row", "column", "value"]
    named = {(name, row, column): (step, value) for step, name, row, column, value in rows}
    assert named["algorithm", "", ""] == ("", "k_means")
    assert named["params.k", "", ""] == ("", "2")
    assert named["data.sha256", "", ""] == ("", outcome.data.sha256)
    assert named["loss", "", ""] == (str(outcome.last[0]), "1.0")
    centres = [[float(named["centres", str(i), str(j)][1]) for j in range(2)] for i in range(2)]
    assert centres == outcome.last[1].centres.tolist()


def test_npz_stacks_what_keeps_its_shape(engine):
    outcome = outcome_of(engine, range(len(engine.timeline)))
    with np.load(io.BytesIO(tables.outcome_bytes(outcome, ".npz")), allow_pickle=False) as file:
        about = json.loads(str(file["about"]))
        assert about["stacked"] == ["loss"]  # the seeding begins with one centre, so their number changes
        assert file["loss"].tolist() == [model.loss for model in outcome.models.values()]
        assert file["at_steps"].tolist() == list(range(len(engine.timeline)))
        for step, model in outcome.models.items():
            assert file[f"centres.step{step}"].tolist() == model.centres.tolist()
        assert file["metrics.J"].tolist() == engine.timeline.metric("J").tolist()
        assert len(file["predictions"]) == 4


def test_what_never_changes_is_written_once():
    shared = np.arange(3.0)
    constant, changing = split({0: {"a": shared, "b": 1}, 4: {"a": shared, "b": 2}})
    assert constant == {"a": shared}
    assert changing == {0: {"b": 1}, 4: {"b": 2}}


def test_leaves_have_dotted_names():
    assert {
        name: plain(value) for name, value in flatten({"a": [{"b": np.eye(2)}, {"b": None}], "c": (1, 2)}).items()
    } == {
        "a[0].b": [[1.0, 0.0], [0.0, 1.0]],
        "c": [1, 2],
    }


def test_a_function_in_a_model_is_named_without_its_address():
    assert plain({"f": np.linalg.norm}) == {"f": "norm"}


def test_clusters_are_numbers_and_classes_names(outcome):
    predicted = [row[-1] for row in rows_of(tables.predictions_csv(outcome))]
    assert predicted[0] == "predicted"
    assert set(predicted[1:]) == {"0", "1"}
    tree = find("decision_tree")
    learned = recorded(tree, outcome.data, tree.make_params({}), 0)
    table = rows_of(tables.predictions_csv(outcome_of(learned, [len(learned.timeline) - 1])))
    assert table[0] == ["a", "b", "kind", "predicted"]
    assert [row[2:] for row in table[1:]] == [["u", "u"], ["u", "u"], ["v", "v"], ["v", "v"]]


def test_what_predicts_nothing_says_so():
    algorithm = next(item for item in all_algorithms() if item.predict is None)
    engine = recorded(algorithm, example_of(algorithm), algorithm.make_params({}), 0)
    with pytest.raises(DataError, match="predicts nothing"):
        tables.predictions_csv(outcome_of(engine, [0]))


def test_states_are_counted_from_one_in_every_column():
    algorithm, data = find("hidden_markov"), load_data("casino(n=30,seed=4)")
    engine = recorded(algorithm, data, algorithm.make_params({"task": "decode"}), 0)
    rows = rows_of(tables.predictions_csv(outcome_of(engine, [len(engine.timeline) - 1])))
    names, *cells = rows
    both = [{row[names.index(name)] for row in cells} for name in ("state", "predicted")]
    assert both[0] | both[1] <= {"1", "2"}
    assert "2" in both[0] & both[1]


def test_curves_have_one_row_a_step():
    text = tables.metrics_csv({"J": np.array([2.0, 0.5]), "gap": np.array([np.nan, 1e-9])})
    assert text == "step,J,gap\n0,2.0,\n1,0.5,1e-09\n"


def test_a_metric_that_is_not_known_is_a_dash_in_words(outcome, capsys):
    _print_summary(replace(outcome, metrics={"J": np.full(len(outcome.metrics["J"]), np.nan)}))
    assert "  J  –\n" in capsys.readouterr().out
    assert fitted(replace(outcome, metrics={"J": np.array([np.nan, 2.0])}))["metrics"] == {"J": [None, 2.0]}


@pytest.mark.parametrize("spec", ["blobs(n=30,seed=2)", "moons(n=20,noise=0.3)"])
def test_points_read_back_as_they_were(spec, tmp_path):
    data = load_data(spec)
    (tmp_path / "a.csv").write_bytes(tables.data_bytes(data, ".csv"))
    again = read_points(tmp_path / "a.csv", Wishes(data.target)).points
    assert again.X.tolist() == data.X.tolist()
    assert again.y.tolist() == data.y.tolist()
    assert (again.features, again.classes, again.target) == (data.features, data.classes, data.target)
    (tmp_path / "a.npz").write_bytes(tables.data_bytes(data, ".npz"))
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert file["X"].tolist() == data.X.tolist()
        assert file["classes"].tolist() == list(data.classes)


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_every_algorithm_can_be_written_in_every_format(algorithm):
    """The last two states, because one state and several are written differently."""
    engine = run_of_example(algorithm)
    count = len(engine.timeline)
    for steps in ([count - 1], evenly(0, count - 1, 2)):
        outcome = outcome_of(engine, steps)
        json.loads(tables.outcome_bytes(outcome, ".json"))
        rows = list(itertools.islice(csv.reader(io.StringIO(tables.outcome_csv(outcome))), 22))  # of up to a million
        assert len(rows) > 20
        assert {len(row) for row in rows} == {5}
        with np.load(io.BytesIO(tables.outcome_bytes(outcome, ".npz")), allow_pickle=False) as file:
            assert all(file[name] is not None for name in file.files)


def test_the_steps_of_a_film():
    assert film_steps(5) == [0, 1, 2, 3, 4]
    assert film_steps(10, first=2, last=7, every=2) == [2, 4, 6, 7]
    assert film_steps(10, every=100) == [0, 9]
    many = film_steps(100_000)
    assert (len(many), many[0], many[-1]) == (240, 0, 99_999)
    assert evenly(3, 9, 3) == [3, 6, 9]
    with pytest.raises(DataError, match="There is no step 10: the run has steps 0 to 9"):
        film_steps(10, last=10)
    with pytest.raises(DataError, match="must not lie behind"):
        film_steps(10, first=8, last=3)


@pytest.mark.parametrize(
    ("key", "spec", "params", "lines"),
    [
        ("shortest_paths", "karate", {"from": 1, "to": 34}, ["path  1 - 9 - 34"]),
        (
            "k_means",
            "iris",
            {"k": 1},
            ["centres", "     sepal length", "  1         5.843        3.057"],
        ),
        ("linear_regression", "line(n=30,noise=0)", {"degree": 1}, ["intercept  ", "coefficients  x 1"]),
        ("centralities", "florentine", {"kind": "degree", "scaling": "none"}, ["most central  Medici 6, "]),
    ],
)
def test_what_was_learned_in_a_few_lines(key, spec, params, lines):
    """The mean of the flowers, a line without noise and the numbers of edges of the families are known."""
    method, data = find(key), load_data(spec)
    engine = recorded(method, data, method.make_params(params), 0)
    found = learned(outcome_of(engine, [len(engine.timeline) - 1]))
    assert len(found) <= 12
    for line in lines:
        assert any(one.startswith(line) for one in found), found


def test_a_method_never_takes_more_than_a_screen_to_say_what_it_learned():
    for method in all_algorithms():
        outcome = outcome_of(run_of_example(method), [len(run_of_example(method).timeline) - 1])
        found = learned(outcome)
        assert len(found) <= 32, method.key
        assert all(len(line) < 400 for line in found), method.key
