"""What was fitted answers for another table, read and scaled alike; what it cannot know is a sentence."""

import csv
import json

import numpy as np
import pytest

from algorithms import Points, find, fit
from algorithms.registry import all_algorithms
from algorithms.suggestions import suggested_params
from mlviz import cli
from mlviz.data.builtin import load_builtin
from mlviz.data.spec import load_data
from mlviz.export.model_file import decoded, encoded

HEADER = "id,height,region,age,kind\n"
ROWS = [f"{900 + 7 * k},{150 + k % 40},{'nsw'[k % 3]},{20 + k % 30 / 10},{'uv'[k % 40 > 20]}" for k in range(120)]


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "old.csv").write_text(HEADER + "\n".join(ROWS))
    (tmp_path / "new.csv").write_text("age,region,height\n21.5,s,151\n,n,189\n21.1,w,188\n")
    return tmp_path


def predictions(path):
    with open(path, newline="") as file:
        return [row[-1] for row in csv.reader(file)]


@pytest.mark.parametrize("key", ["kernel_svm", "decision_tree", "logistic_regression", "k_nearest", "naive_bayes"])
def test_a_model_answers_for_another_table(tables, key, capsys):
    model, out = tables / "model.json", tables / "out.csv"
    assert cli.main(["fit", key, "--data", str(tables / "old.csv"), "--out", str(model)]) == 0
    assert cli.main(["predict", str(model), "--data", str(tables / "new.csv"), "--out", str(out)]) == 0
    assert predictions(out) == ["predicted kind", "u", "v", "v"]
    assert "1 of 3 values of 'age' is missing: 21.45 is used." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("age,height\n1,2\n2,3\n", "new.csv has no column 'region', which the model was trained on."),
        ("age,region,height\n2,x,160\n2,n,161\n", "Row 1 of 'region' is 'x', a category that the model has not seen"),
        ("age,region,height\n2,n,tall\n2,n,small\n", "The column 'height' holds words"),
    ],
)
def test_what_the_model_cannot_know_is_a_sentence(tables, table, sentence, capsys):
    model = tables / "model.json"
    assert cli.main(["fit", "kernel_svm", "--data", str(tables / "old.csv"), "--out", str(model)]) == 0
    (tables / "new.csv").write_text(table)
    assert cli.main(["predict", str(model), "--data", str(tables / "new.csv")]) == cli.WRONG_INPUT
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    ["{}", "[]", "no JSON", '{"predictor": 3}', '{"predictor": {"format": 1, "algorithm": "k_means", "columns": []}}'],
)
def test_any_other_file_is_a_sentence(tables, content, capsys):
    (tables / "model.json").write_text(content)
    assert cli.main(["predict", str(tables / "model.json"), "--data", str(tables / "new.csv")]) == cli.WRONG_INPUT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "model.json" in said


@pytest.mark.parametrize(
    "value",
    [
        {"class": "os:PathLike", "fields": {}},
        {"function": "os:system"},
        {"function": "algorithms.registry:importlib.import_module"},
        {"class": "algorithms.data.points:np.ndarray", "fields": {}},
        {"array": "AAAA", "type": "O", "shape": [1]},
    ],
)
def test_a_file_reaches_nothing_but_our_own_models(value):
    with pytest.raises((ValueError, TypeError)):
        decoded(value)


VALUED = load_builtin("diabetes").rows(np.arange(60))


@pytest.mark.parametrize("key", [m.key for m in all_algorithms() if m.predict is not None and Points in m.accepts])
def test_every_model_that_predicts_comes_back_from_its_text(key):
    method = find(key)
    data = VALUED if method.target == "values" else load_data(method.example)
    done = fit(key, data, **suggested_params(method, data, {}))
    text = json.dumps(encoded(done.model))
    asked = data.X[:20]
    assert np.array_equal(method.predict(decoded(json.loads(text)), asked), method.predict(done.model, asked))
