"""The command line: what it prints, what it writes, and one line on stderr with exit code 2 for every mistake."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mlviz
from algorithms import all_algorithms, find, fit
from mlviz import cli
from mlviz.cli import fit as fit_command
from mlviz.data.generators import all_generators, generate
from mlviz.session.document import Document
from mlviz.session.files import save
from mlviz.session.projection import PrincipalPlane

FIT = ["fit", "k_means", "--data", "blobs(n=60,seed=1)"]


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlviz", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, **options)


# -- list -------------------------------------------------------------------------------------------------------------


def test_list_names_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list"]) == 0
    text = capsys.readouterr().out
    for algorithm in all_algorithms():
        assert f"{algorithm.key}  ({algorithm.family}: {algorithm.title})" in text
    for generator in all_generators():
        assert f"  {generator.name}(" in text


def test_list_as_json_holds_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "--json"]) == 0
    listing = json.loads(capsys.readouterr().out)
    k_means = next(row for row in listing["algorithms"] if row["key"] == "k_means")
    assert (k_means["title"], k_means["family"]) == ("k-means", "clustering")
    k = next(field for field in k_means["params"] if field["name"] == "k")
    assert (k["kind"], k["low"], k["high"], k["default"]) == ("int", 1, 20, 3)
    assert {row["key"] for row in listing["generators"]} >= {"blobs", "moons", "circles", "spirals"}


def test_list_starts_without_the_heavy_imports() -> None:
    code = (
        "import sys; from mlviz.cli import main; code = main(['list'])\n"
        "heavy = {'PySide6', 'pyqtgraph', 'duckdb', 'PIL'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")


# -- fit --------------------------------------------------------------------------------------------------------------


def test_fit_prints_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*FIT, "--param", "k=4", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "k-means on blobs (60 points, 2 features)"
    done = fit("k_means", generate("blobs", n=60, seed=1), k=4, seed=3)
    assert lines[1] == f"  {done.steps} steps with seed 3; converged"
    assert f"{done.metrics['J'][-1]:.6g}" in lines[2]


def test_fit_writes_what_the_library_finds(tmp_path: Path) -> None:
    out = tmp_path / "fit.json"
    assert cli.main([*FIT, "--param", "k=4", "--param", "init=random points", "--seed", "2", "--out", str(out)]) == 0
    written = json.loads(out.read_text())
    done = fit("k_means", generate("blobs", n=60, seed=1), k=4, init="random points", seed=2)
    assert written["version"] == mlviz.__version__
    assert written["params"]["k"] == 4
    assert written["params"]["init"] == "random points"
    assert (written["seed"], written["stop"], written["steps"]) == (2, done.stop.value, done.steps)
    assert set(written["metrics"]) == set(done.metrics)
    assert written["metrics"]["J"] == done.metrics["J"].tolist()
    assert np.array(written["model"]["centres"]).tolist() == done.model.centres.tolist()


def test_fit_prints_json_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*FIT, "--out", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["algorithm"] == "k_means"


def test_fit_reads_a_file_with_a_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "flowers.csv"
    table.write_text("a,b,kind\n0,0,x\n0,1,x\n9,9,y\n9,8,y\n")
    command = ["fit", "k_means", "--data", str(table), "--target", "kind", "--param", "k=2", "--out", "-"]
    assert cli.main(command) == 0
    written = json.loads(capsys.readouterr().out)
    digest = written["data"].pop("sha256")
    assert digest == "1616171af83017efc0966017a20966857f8b2255b11dbe7b7d0576c573d476a1"  # of the bytes packed by hand
    assert written["data"] == {
        "name": "flowers",
        "points": 4,
        "features": ["a", "b"],
        "target": "kind",
        "classes": ["x", "y"],
    }
    assert sorted(written["model"]["centres"]) == [[0, 0.5], [9, 8.5]]


def test_the_class_column_of_a_file_is_no_feature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three clusters of the flowers have J 78.85; with the species as a fifth feature it would be 87."""
    table, run = tmp_path / "flowers.csv", ["--param", "restarts=10", "--seed", "1"]
    assert cli.main(["data", "iris", "--out", str(table)]) == 0
    for data in (str(table), "iris"):
        assert cli.main(["fit", "k_means", "--data", data, "--scaling", "none", *run]) == 0
        assert "  J        78.8514" in capsys.readouterr().out
    assert cli.main(["fit", "k_means", "--data", str(table), "--target", "", *run]) == 0
    assert "7 features" in capsys.readouterr().out


def test_gaps_of_a_file_are_filled_as_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("a,b,kind\n0,0,x\n,1,x\n9,9,y\n9,8,y\n")
    for how, value in (("mean", "6"), ("median", "9"), ("mode", "9")):
        assert cli.main(["data", str(table), "--target", "kind", "--gaps", how]) == 0
        assert capsys.readouterr().out.splitlines()[2].startswith(f"{value},1,x")
    assert cli.main(["data", str(table), "--target", "kind", "--gaps", "drop"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert cli.main(["data", str(table), "--target", "kind", "--gaps", "refuse"]) == cli.WRONG_INPUT
    assert "Row 2 of the column 'a' has no value" in capsys.readouterr().err
    assert cli.main(["data", "iris", "--gaps", "mean"]) == cli.WRONG_INPUT
    assert "iris has no missing values" in capsys.readouterr().err


def test_fit_writes_the_states_of_all_steps(tmp_path: Path) -> None:
    out = tmp_path / "fit.npz"
    assert cli.main([*FIT, "--all-steps", "--out", str(out)]) == 0
    done = fit("k_means", generate("blobs", n=60, seed=1))
    with np.load(out, allow_pickle=False) as file:
        assert file["loss"].shape == (done.steps + 1,)
        assert file[f"centres.step{done.steps}"].tolist() == done.model.centres.tolist()


def test_fit_writes_tables(tmp_path: Path) -> None:
    for what, first in (("predictions", "x1,x2,class,predicted"), ("metrics", "step,J,")):
        out = tmp_path / f"{what}.csv"
        assert cli.main([*FIT, "--what", what, "--out", str(out)]) == 0
        assert out.read_text().startswith(first)


def test_fit_of_an_earlier_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*FIT, "--step", "0", "--out", "-"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["step"] == 0
    assert len(written["model"]["centres"]) == 1  # k-means++ has drawn its first centre


def test_data_writes_and_prints_the_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.npz"
    assert cli.main(["data", "blobs(n=60,seed=1)", "--out", str(out)]) == 0
    with np.load(out, allow_pickle=False) as file:
        assert file["X"].tolist() == generate("blobs", n=60, seed=1).X.tolist()
    assert cli.main(["data", "blobs(n=5)"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6


def test_graphs_are_written_read_and_worked_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, edges = tmp_path / "club.gml", tmp_path / "club.csv"
    assert cli.main(["data", "karate", "--out", str(out)]) == 0
    assert cli.main(["data", str(out), "--out", str(edges)]) == 0
    for data in ("karate", str(out), str(edges)):
        assert cli.main(["fit", "shortest_paths", "--data", data, "--param", "from=17"]) == 0
        assert "34 nodes, 78 edges" in capsys.readouterr().out
    assert cli.main(["fit", "k_means", "--data", "karate"]) == 2
    assert "k-means works on Points; these are Graph." in capsys.readouterr().err
    assert cli.main(["data", "karate", "--out", str(tmp_path / "club.xlsx")]) == 2


def test_script_writes_and_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.py"
    command = ["script", *FIT[1:], "--param", "k=4", "--seed", "2"]
    assert cli.main([*command, "--out", str(out)]) == 0
    assert cli.main(command) == 0
    assert capsys.readouterr().out == out.read_text()
    scope = runpy.run_path(str(out))
    done = fit("k_means", generate("blobs", n=60, seed=1), k=4, seed=2)
    assert scope["run"]().model.centres.tolist() == done.model.centres.tolist()


# -- render and tour --------------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the drawing functions are called with; drawing itself is tested in tests/export."""
    from mlviz.export import render, tour

    calls: list[tuple[Any, ...]] = []
    for module, name in (
        (render, "draw_picture"),
        (render, "draw_film"),
        (render, "draw_handout"),
        (tour, "render_tour"),
    ):
        record = partial(lambda kind, *a, **k: calls.append((kind, a, k)) or [0], name.partition("_")[2])
        monkeypatch.setattr(module, name, record)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return calls


RENDER = ["render", *FIT[1:]]
RENDER_IRIS = ["render", "k_means", "--data", "iris", "--out", "x.png"]


@pytest.mark.parametrize(("step", "number"), [(["--step", "3"], 3), (["--step", "last"], None), ([], None)])
@pytest.mark.parametrize("ending", ["png", "svg", "PDF"])
def test_render_draws_a_picture(
    tmp_path: Path, drawn: list[tuple[Any, ...]], step: list[str], number: int | None, ending: str
) -> None:
    out = tmp_path / f"a.{ending}"
    look = ["--size", "640x480", "--theme", "dark", "--scale", "2", "--transparent", "--view", "curves"]
    assert cli.main([*RENDER, *step, *look, "--seed", "5", "--out", str(out)]) == 0
    ((kind, (document, run, path), options),) = drawn
    seen = (kind, document.algorithm, document.data.n, document.params["k"], document.seed, path)
    assert seen == ("picture", "k_means", 60, 3, 5, out)
    assert len(run.timeline) > 1
    assert options["step"] == number
    style = options["style"]
    assert (style.size, style.theme, style.scale, style.transparent) == ((640, 480), "dark", 2.0, True)
    assert (style.only, style.preset.key) == ("curves", "screen")


@pytest.mark.parametrize(
    ("axes", "expected"),
    [([], (2, 3)), (["--axes", "1, petal width"], (0, 3)), (["--axes", "PCA"], "components")],
)
def test_render_looks_along_the_axes_asked_for(
    tmp_path: Path, drawn: list[tuple[Any, ...]], axes: list[str], expected: object
) -> None:
    """Without a word, a built-in set is seen as the window shows it first."""
    assert cli.main(["render", "k_means", "--data", "iris", *axes, "--out", str(tmp_path / "a.png")]) == 0
    ((_, (document, *_), options),) = drawn
    wanted = PrincipalPlane.of(document.data) if expected == "components" else expected
    assert options["style"].axes == document.axes == wanted


@pytest.mark.parametrize("out", ["a.GIF", "a.webp", "a.mp4", "a.html", "frames/"])
def test_render_draws_a_film(tmp_path: Path, drawn: list[tuple[Any, ...]], out: str) -> None:
    span = ["--first", "1", "--last", "9", "--every", "2", "--fps", "4", "--hold", "1"]
    assert cli.main([*RENDER, *span, "--out", f"{tmp_path}/{out}"]) == 0
    ((kind, (*_, path), options),) = drawn
    assert (kind, path) == ("film", tmp_path / out)
    assert (options["span"].first, options["span"].last, options["span"].every) == (1, 9, 2)
    assert (options["timing"].fps, options["timing"].hold) == (4.0, 1.0)


def test_render_draws_a_handout(tmp_path: Path, drawn: list[tuple[Any, ...]]) -> None:
    assert cli.main([*RENDER, "--handout", "4", "--out", str(tmp_path / "a.pdf")]) == 0
    assert (drawn[0][0], drawn[0][2]["count"]) == ("handout", 4)


def test_a_handout_of_chosen_steps(tmp_path: Path, drawn: list[tuple[Any, ...]]) -> None:
    assert cli.main([*RENDER, "--steps", "0, 2-4", "--out", str(tmp_path / "a.pdf")]) == 0
    assert (drawn[0][0], drawn[0][2]["steps"]) == ("handout", [0, 2, 3, 4])


def test_the_evaluation_is_drawn_on_chosen_scores(tmp_path: Path) -> None:
    """ROC of points that the model has not seen: the area written in the picture is the one scikit-learn finds."""
    from sklearn.metrics import roc_auc_score

    from mlviz.worker.evaluation import EvaluationRequest, evaluate

    out = tmp_path / "a.svg"
    command = ["render", "logistic_regression", "--data", "moons(n=80,noise=0.3)", "--view", "roc", "--out", str(out)]
    assert cli.main([*command, "--scores", "cross-validation"]) == 0
    method, data = find("logistic_regression"), generate("moons", n=80, noise=0.3)
    request = EvaluationRequest(method, data, method.make_params({}), 0, None, "cross-validation")
    scores = evaluate(request).scores
    assert scores is not None
    assert f">AUC {roc_auc_score(scores.truth, scores.of(1)):.3f}<" in out.read_text()


def test_tour_makes_its_folder(tmp_path: Path, drawn: list[tuple[Any, ...]]) -> None:
    assert cli.main(["tour", "--out", str(tmp_path / "a" / "b")]) == 0
    assert drawn == [("tour", (tmp_path / "a" / "b",), {})]
    assert (tmp_path / "a" / "b").is_dir()


# -- mistakes ---------------------------------------------------------------------------------------------------------


MISTAKES = {
    "unknown command": (["lst"], "invalid choice: 'lst'"),
    "unknown option": (["list", "--jsn"], "unrecognized arguments: --jsn"),
    "unknown key": (["fit", "kmeans", "--data", "blobs"], "There is no algorithm 'kmeans'; did you mean 'k_means'?"),
    "no data": (["fit", "k_means"], "the following arguments are required: --data (see mlviz fit --help)"),
    "unknown generator": (["fit", "k_means", "--data", "blob()"], "There is no data generator 'blob'; did you mean"),
    "broken call": (["fit", "k_means", "--data", "blobs(n="], "is not a generator call"),
    "value of a generator": (["fit", "k_means", "--data", "blobs(n=0)"], "n must be a whole number from 1 to 100000"),
    "name in a generator": (["fit", "k_means", "--data", "blobs(m=1)"], "blobs has no parameter 'm'; "),
    "missing file": (["fit", "k_means", "--data", "no/such.csv"], "There is no file 'no/such.csv'."),
    "target of a generator": ([*FIT, "--target", "y"], "The generator blobs brings its own target"),
    "value of a parameter": ([*FIT, "--param", "k=0"], "k must be a whole number from 1 to 20; got 0."),
    "word for a number": ([*FIT, "--param", "k=three"], "k must be a whole number from 1 to 20; got 'three'."),
    "choice": ([*FIT, "--param", "init=magic"], "init must be one of k-means++, "),
    "name of a parameter": ([*FIT, "--param", "inti=magic"], "k_means has no parameter 'inti'; did you mean 'init'?"),
    "no equals sign": ([*FIT, "--param", "k"], "--param needs name=value, for example k=3; got 'k'."),
    "twice": ([*FIT, "--param", "k=2", "--param", "k=3"], "The parameter 'k' is given twice."),
    "seed": ([*FIT, "--seed", "-1"], "--seed must be a whole number from 0 to 2147483647; got -1."),
    "seed in words": ([*FIT, "--seed", "one"], "invalid int value: 'one'"),
    "data too small": (["fit", "k_means", "--data", "blobs(n=2)", "--param", "k=3"], "distinct points"),
    "ending of fit": ([*FIT, "--out", "x.yaml"], "--out must end with .json, .csv or .npz; got 'x.yaml'."),
    "ending of data": (["data", "blobs", "--out", "x.xls"], "--out must end with .csv, .tsv, .npz or .parquet; got"),
    "step of fit": ([*FIT, "--step", "999"], "There is no step 999: the run has steps 0 to"),
    "step and all": ([*FIT, "--step", "1", "--all-steps"], "give one or the other."),
    "table as JSON": ([*FIT, "--what", "metrics", "--out", "x.json"], "--what metrics is a table: give --out FILE.csv"),
    "ending of script": (["script", *FIT[1:], "--out", "x.txt"], "--out must end with .py; got 'x.txt'."),
    "damaged session": (["open", "damaged.mlviz"], "damaged.mlviz is damaged or not a session of this program."),
    "missing session": (["open", "no.mlviz"], "no.mlviz could not be opened: No such file or directory."),
    "absent table": (["open", "a.csv"], "There is no file 'a.csv'."),
    "method of a session": (["open", "a.mlviz", "--method", "pca"], "A session has its own method"),
    "unknown method": (["list", "k_meens"], "'k_means'"),
    "folder as file": ([*FIT, "--out", "folder.json"], "'folder.json' is a folder; name a file in it."),
    "no such folder": ([*FIT, "--out", "no/x.json"], "The folder 'no' does not exist."),
    "a name no file can have": ([*FIT, "--out", "n" * 300 + ".json"], "cannot be written: File name too long."),
    "a folder no path can name": ([*RENDER, "--out", "n" * 300 + "/x.png"], "cannot be written: File name too long."),
    "ending of render": (
        [*RENDER, "--out", "x.jpg"],
        ".mp4 or .html; got 'x.jpg'.",
    ),
    "no ending": (
        [*RENDER, "--out", "x"],
        ".mp4 or .html; got 'x'.",
    ),
    "size": ([*RENDER, "--out", "x.png", "--size", "wide"], "--size must be like 1200x800, each side from 64 to 8192"),
    "huge": ([*RENDER, "--out", "x.png", "--size", "9000x9000"], "--size must be like 1200x800"),
    "step": ([*RENDER, "--out", "x.png", "--step", "-1"], "--step must be a whole number from 0, or last; got '-1'."),
    "step of a film": ([*RENDER, "--out", "x.gif", "--step", "3"], "a film shows them all"),
    "view": ([*RENDER, "--out", "x.png", "--view", "tree"], "k-means has no view 'tree'; it has plane, "),
    "frames beyond the end": ([*RENDER, "--out", "x.gif", "--last", "999"], "There is no step 999"),
    "no speed": ([*RENDER, "--out", "x.gif", "--fps", "0"], "--fps must be from 0.1 to 60; got 0.0."),
    "transparent film": ([*RENDER, "--out", "x.gif", "--transparent"], "are for pictures, not for films."),
    "large sheet": ([*RENDER, "--out", "x.pdf", "--handout", "99"], "--handout must be from 1 to 24; got 99."),
    "no folder for frames": ([*RENDER, "--out", "no/frames/"], "The folder 'no' does not exist."),
    "axes of two features": (
        [*RENDER, "--out", "x.png", "--axes", "pca"],
        "--axes needs more than two features; blobs",
    ),
    "three axes": ([*RENDER_IRIS, "--axes", "1,2,3"], "--axes must be pca or two features with a comma between them"),
    "unknown axis": ([*RENDER_IRIS, "--axes", "1,petal"], "there is no feature 'petal'; did you mean 'petal width'?"),
    "axis beyond": ([*RENDER_IRIS, "--axes", "5,1"], "there is no feature '5'; there are sepal length, sepal width,"),
    "same axis": ([*RENDER_IRIS, "--axes", "2,sepal width"], "--axes names the feature 'sepal width' twice."),
    "speed of a picture": ([*RENDER, "--out", "x.png", "--fps", "3"], "--fps is for films; x.png is a picture."),
    "step of a sheet": ([*RENDER, "--out", "x.pdf", "--handout", "3", "--step", "1"], "--step chooses one step;"),
    "list of steps": ([*RENDER, "--out", "x.pdf", "--steps", "3-"], "Steps are listed like 0, 3, 10-12"),
    "steps of a film": ([*RENDER, "--out", "x.gif", "--steps", "3"], "are for pictures, not for films."),
    "scores of the plane": ([*RENDER, "--out", "x.png", "--scores", "training"], "--scores needs --view evaluation, "),
    "no classifier": ([*RENDER, "--out", "x.png", "--view", "roc"], "k-means on this data is no classifier"),
    "theme": ([*RENDER, "--out", "x.png", "--theme", "pink"], "invalid choice: 'pink'"),
    "tour into a file": (["tour", "--out", "file"], "The folder 'file' cannot be made: File exists."),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_each_mistake_gets_one_line_and_exit_code_2(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.json").mkdir()
    Path("file").touch()
    Path("damaged.mlviz").write_bytes(b"PK")
    arguments, sentence = MISTAKES[kind]
    assert cli.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("mlviz: ")
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(item.name for item in tmp_path.iterdir()) == ["damaged.mlviz", "file", "folder.json"]


def test_a_full_disk_is_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "full.json"
    out.symlink_to("/dev/full")
    assert cli.main([*FIT, "--out", str(out)]) == 2
    assert "cannot be written: No space left on device." in capsys.readouterr().err


def test_no_display_is_a_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert cli.main([]) == 2
    assert capsys.readouterr().err == (
        "mlviz: There is no display to open a window on; try: mlviz tour --out pictures\n"
    )


def test_without_a_command_the_window_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ModuleType("mlviz.app")
    app.main = lambda path=None, method=None: 17  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlviz.app", app)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert cli.main([]) == 17


def test_open_shows_a_session_or_a_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[Any] = []
    app = ModuleType("mlviz.app")
    app.main = lambda path, method: opened.append((path, method)) or 0  # type: ignore[attr-defined, func-returns-value]
    monkeypatch.setitem(sys.modules, "mlviz.app", app)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    path = tmp_path / "a.mlviz"
    save(path, Document(generate("blobs", n=20), "k_means"))
    table = tmp_path / "a.csv"
    table.write_text("a,b\n1,2\n3,4\n")
    assert cli.main(["open", str(path)]) == cli.main(["open", str(table), "--method", "pca"]) == 0
    assert opened == [(path, None), (table, "pca")]


def test_an_interruption_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_command, "run_to_end", interrupted)
    assert cli.main(FIT) == 130
    assert capsys.readouterr() == ("", "")


# -- as a program of its own ------------------------------------------------------------------------------------------


def test_a_mistake_ends_the_program_without_a_traceback() -> None:
    done = run("fit", "kmeans", "--data", "blobs")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "mlviz: There is no algorithm 'kmeans'; did you mean 'k_means'?\n"


def test_a_broken_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "mlviz", "list", "--json"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=600)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("command", [["list"], ["data", "iris"], FIT])
def test_a_full_disk_behind_the_output_is_a_sentence(command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "mlviz", *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (
        2,
        "mlviz: The output cannot be written: No space left on device.\n",
    )


def test_a_letter_that_the_output_does_not_have_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\N{GREEK SMALL LETTER ALPHA},b\n1,2\n3,4\n", encoding="utf-8")
    done = run("data", str(tmp_path / "a.csv"), env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mlviz: There is no '\\u03b1' in ascii; write to a file (--out), or set PYTHONIOENCODING=utf-8.\n"
    )


def test_an_output_that_is_closed_is_no_mistake() -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m mlviz data iris >&-"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_cache_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("thumbnails", "k_means", env=os.environ | {"MLVIZ_HOME": str(tmp_path / "file")})
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"mlviz: '.*' cannot be written: Not a directory\.\n", done.stderr)


def test_version_and_help() -> None:
    assert run("--version").stdout == f"mlviz {mlviz.__version__}\n"
    text = run("--help").stdout
    assert "examples:" in text
    assert all(f"\n    {name} " in text for name in ("open", "list", "fit", "data", "script", "render", "tour"))


@pytest.fixture
def doubtful(monkeypatch: pytest.MonkeyPatch) -> str:
    """k-means and logistic regression doubt what they have found."""
    import algorithms

    warning = "Only 7 of the points are used."
    methods = {key: replace(find(key), warning=lambda shot: warning) for key in ("k_means", "logistic_regression")}
    monkeypatch.setattr(algorithms, "find", lambda key: methods.get(key) or find(key))
    for key in methods:
        assert next(methods[key].start(generate("blobs", n=20), methods[key].make_params({}), 0)).warning == warning
    return warning


def test_a_warning_is_seen_on_the_command_line_and_in_every_file(
    doubtful: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = f"mlviz: warning: {doubtful}\n"
    assert cli.main(FIT) == 0
    assert capsys.readouterr().err == said
    out = tmp_path / "a.json"
    assert cli.main([*FIT, "--all-steps", "--out", str(out)]) == 0
    assert capsys.readouterr().err == said
    assert json.loads(out.read_text())["warnings"] == [doubtful]
    for name in ("a.png", "a.gif"):
        assert cli.main([*RENDER, "--size", "160x120", "--out", str(tmp_path / name)]) == 0
        assert capsys.readouterr().err == said
    sweep = ["sweep", "logistic_regression", "--data", "moons(n=20)", "--over", "lam=1,2", "--processes", "1"]
    assert cli.main([*sweep, "--out", str(tmp_path / "a.csv")]) == 0
    assert capsys.readouterr().err == said
    assert cli.main(["script", *FIT[1:]]) == 0
    printed = capsys.readouterr()
    assert printed.err == said
    assert f"\n# Warning: {doubtful}\n" in printed.out
    assert "theirs = scikit_learn()" in printed.out  # the comparison stays, and says so
    assert f"Ours has a warning: {doubtful}" in printed.out


def test_a_fit_from_python_has_its_warnings() -> None:
    fitted = fit("k_means", generate("blobs", n=20))
    doubted = replace(fitted.algorithm, warning=lambda shot: "Doubt.")
    assert fitted.warnings == ()
    assert replace(fitted, last=replace(fitted.last, told_by=doubted)).warnings == ("Doubt.",)


def test_render_really_draws(tmp_path: Path) -> None:
    from PIL import Image

    picture, film = tmp_path / "a.png", tmp_path / "a.gif"
    for out, extra in ((picture, ["--step", "0"]), (film, [])):
        done = run(*RENDER, "--size", "320x240", *extra, "--out", str(out))
        steps = fit("k_means", generate("blobs", n=60, seed=1)).steps
        what = f"step 0 of {steps}" if extra else f"{steps + 1} steps from 0 to {steps} of {steps}"
        assert (done.returncode, done.stdout, done.stderr) == (0, f"wrote {out}: {what}\n", "")
    with Image.open(picture) as image:
        assert image.size == (320, 240)
        assert len(image.convert("RGB").getcolors(maxcolors=1 << 24) or []) > 8
    with Image.open(film) as frames:
        assert frames.size == (320, 240)
        assert frames.n_frames > 1  # type: ignore[attr-defined]


def test_a_step_beyond_the_end_is_a_sentence(tmp_path: Path) -> None:
    done = run(*RENDER, "--step", "999", "--out", str(tmp_path / "a.png"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("mlviz: There is no step 999")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_residuals_are_drawn_and_scores_of_values_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.svg"
    spec = "line(n=60,noise=1,seed=2)"
    command = ["render", "linear_regression", "--data", spec, "--param", "sweep=false", "--out", str(out)]
    assert cli.main([*command, "--view", "fitted", "--scores", "cross-validation", "--folds", "4"]) == 0
    assert cli.main(["fit", "linear_regression", "--data", spec, "--scores", "cross-validation", "--folds", "4"]) == 0
    text = capsys.readouterr().out
    assert "scores on cross-validation (60 points" in text
    (r2,) = (float(line.split()[1]) for line in text.splitlines() if line.split()[:1] == ["R²"])
    assert f">R² {r2:.3f}<" in out.read_text()


def test_fit_prints_scores_of_held_out_points(capsys: pytest.CaptureFixture[str]) -> None:
    spec = "blobs(n=60,centres=2,noise=4,seed=1)"
    assert cli.main(["fit", "logistic_regression", "--data", spec, "--scores", "validation", "--held-out", "0.5"]) == 0
    text = capsys.readouterr().out
    assert "scores on validation (30 points" in text
    assert "FNR" in text
    assert cli.main(["fit", "logistic_regression", "--data", spec, "--scores", "cross-validation", "--folds", "1"]) == 2
    assert "--folds must be a whole number from 2 to 100; got 1." in capsys.readouterr().err
    assert cli.main(["fit", "k_means", "--data", spec, "--scores", "training"]) == 2
    assert "gives no scores" in capsys.readouterr().err


def test_what_the_data_of_a_file_suggest_is_said_and_can_be_overruled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two clouds in unlike units: standardised, with the width sqrt(d/2) of scikit-learn's gamma="scale"."""
    rng, table = np.random.default_rng(0), tmp_path / "clouds.csv"
    rows = "".join(f"{rng.normal(5 * c)},{1000 * rng.normal(5 * c)},{'ab'[c]}\n" for c in (0, 1) for _ in range(30))
    table.write_text(f"x,y,kind\n{rows}")
    assert cli.main(["fit", "kernel_svm", "--data", str(table), "--out", "-"]) == 0
    said = capsys.readouterr()
    assert "mlviz: sigma=1.0 is suggested from the distances." in said.err
    assert "mlviz: The features are standardised: the standard deviations of 'y'" in said.err
    assert json.loads(said.out)["params"]["sigma"] == 1.0
    assert cli.main(["fit", "kernel_svm", "--data", str(table), "--param", "sigma=2", "--scaling", "none"]) == 0
    assert "suggested" not in capsys.readouterr().err


def test_one_method_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "kernel_svm"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Support vector machine (classification)\n")
    assert "  C: a number from 0.001 to 100000 [1.0]\n" in said
    assert "For a table it is suggested from the distances." in said
    assert "k_means" not in said


def test_the_pixels_of_a_picture_are_left_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    path = tmp_path / "a.png"
    Image.fromarray((np.add.outer(np.arange(12) ** 2, 9 * np.arange(8)) % 256).astype(np.uint8)).save(path)
    assert cli.main(["fit", "svd", "--data", str(path)]) == 0
    assert "standardised" not in capsys.readouterr().err
