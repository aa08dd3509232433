"""``mlviz sweep``: a table, the same whoever works, and one that goes on after it was stopped."""

import csv
import errno
import json
import os
from pathlib import Path

import pytest

from algorithms.executor import WorkersLost
from algorithms.maths import sweeps
from mlviz.cli import main
from mlviz.data import sweep_files

ASKED = ["sweep", "kernel_svm", "--data", "moons(n=40,noise=0.3)", "--over", "C=0.1..10:log:3", "--over", "sigma=0.5,1"]
ASKED += ["--folds", "4"]


def run(*more, out):
    return main([*ASKED, "--out", str(out), *more])


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "table.csv"
    assert run("--processes", "1", out=path) == 0
    return path


def test_the_table_has_a_row_for_each_cell(table):
    found = rows(table)
    assert [(row["C"], row["sigma"]) for row in found] == [
        (C, s) for C in ("0.1", "1.0", "10.0") for s in ("0.5", "1.0")
    ]
    for row in found:
        errors = [float(row[f"repeat_1_fold_{fold}"]) for fold in range(1, 5)]
        assert float(row["mean_error"]) == pytest.approx(sum(errors) / 4)
        assert row["refusal"] == ""
    assert not table.with_name("table.csv.part").exists()


def test_processes_give_the_same_table(table, tmp_path, capsys):
    assert run("--processes", "2", out=tmp_path / "again.csv") == 0
    assert rows(tmp_path / "again.csv") == rows(table)
    assert "of the held-out points wrong" in capsys.readouterr().out


def test_parquet_holds_the_same(table, tmp_path):
    import duckdb

    path = tmp_path / "table.parquet"
    assert run("--processes", "1", out=path) == 0
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT mean_error FROM '{path}'").fetchall()
    assert [value for (value,) in found] == [float(row["mean_error"]) for row in rows(table)]


def test_the_map_is_drawn_and_shows_the_numbers_of_the_window(table, tmp_path):
    import numpy as np
    from PIL import Image

    from algorithms import fit
    from mlviz.data.spec import load_data

    path = tmp_path / "map.png"
    assert run("--processes", "1", out=path) == 0
    with Image.open(path) as image:
        assert np.ptp(np.asarray(image.convert("L"))) > 100
    data = load_data("moons(n=40,noise=0.3)")
    window = fit("model_selection", data, first="C=0.1..10:log:3", second="sigma=0.5,1", folds=4).model.errors
    assert window.ravel() == pytest.approx([float(row["mean_error"]) for row in rows(table)])


def test_a_sweep_that_was_stopped_goes_on(table, tmp_path, monkeypatch, capsys):
    path, asked = tmp_path / "table.csv", []
    honest = sweeps.Sweep.run

    def gone_after_two(self, executor, places=None):
        for number, cell in enumerate(honest(self, executor, places)):
            if number == 2:
                raise WorkersLost("The cluster at 'tcp://x' is gone; what it had finished is kept.")
            yield cell

    monkeypatch.setattr(sweeps.Sweep, "run", gone_after_two)
    assert run("--processes", "1", out=path) == 2
    assert "is gone; what it had finished is kept. The same command goes on from there." in capsys.readouterr().err
    journal = path.with_name("table.csv.part")
    assert len(journal.read_text().splitlines()) == 3
    with journal.open("a") as file:
        file.write('{"place": [0')  # killed in the middle of a line

    def remembered(self, executor, places=None):
        asked.extend(places)
        return honest(self, executor, places)

    monkeypatch.setattr(sweeps.Sweep, "run", remembered)
    assert run("--processes", "1", out=path) == 0
    assert len(asked) == 4
    assert rows(path) == rows(table)
    assert not journal.exists()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{}", "holds an unfinished sweep over something else; remove it, or name another file."),
        (None, "is damaged; remove it, and the sweep begins anew."),
    ],
)
def test_a_journal_of_something_else_is_left_alone(line, sentence, tmp_path, monkeypatch, capsys):
    journal = tmp_path / "table.csv.part"
    if line is None:
        monkeypatch.setattr(sweeps.Sweep, "run", lambda *_: iter(()))
        with pytest.raises(KeyError):
            run("--processes", "1", out=tmp_path / "table.csv")
        line = journal.read_text() + json.dumps({"place": [99, 0], "errors": [0.0] * 4, "refusal": ""}) + "\n"
    journal.write_text(line)
    assert run("--processes", "1", out=tmp_path / "table.csv") == 2
    assert sentence in capsys.readouterr().err
    assert journal.read_text() == line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["k_means", "--data", "blobs", "--over", "k=1..3"], "k-means predicts nothing that could be compared"),
        (["kernel_svm", "--data", "moons"], "Say over what to sweep: one or two parameters"),
        (["kernel_svm", "--data", "moons", "--over", "C=1", "--over", "C=2"], "Say over what to sweep"),
        (["kernel_svm", "--data", "moons", "--over", "C=a..b"], "is not written like C=0.01..100:log:20."),
        (["kernel_svm", "--data", "moons", "--over", "C=1", "--folds", "1"], "--folds must be from 2 to 1,000; got 1."),
        (
            ["kernel_svm", "--data", "moons(n=20)", "--over", "C=1", "--folds", "21"],
            "--folds must be at most 20, for there are 20 points; got 21.",
        ),
        (["kernel_svm", "--data", "moons", "--over", "C=1", "--processes", "-1"], "--processes must be from 1 to 256"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_computed(arguments, sentence, tmp_path, capsys):
    assert main(["sweep", *arguments, "--out", str(tmp_path / "t.csv")]) == 2
    assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_table_that_cannot_be_written_is_a_sentence_and_the_old_one_stays(tmp_path, monkeypatch, capsys):
    path = tmp_path / "table.csv"
    path.write_text("old")
    monkeypatch.setattr(Path, "write_text", full_disk)
    assert run("--processes", "1", out=path) == 2
    assert capsys.readouterr().err == "mlviz: table.csv.part cannot be written: No space left on device.\n"
    monkeypatch.undo()
    monkeypatch.setattr(sweep_files, "_csv_of", full_disk)
    assert run("--processes", "1", out=path) == 2
    assert capsys.readouterr().err == "mlviz: table.csv cannot be written: No space left on device.\n"
    assert path.read_text() == "old"
    assert {file.name for file in tmp_path.iterdir()} == {"table.csv", "table.csv.part"}, "from which it goes on"


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
