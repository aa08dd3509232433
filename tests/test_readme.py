"""What the README says is true."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

import algorithms.clustering
from algorithms import find, registry
from algorithms.checks import ALL_CHECKS
from mlviz.cli import main as cli
from tests.test_layers import in_the_main_file
from tests.ui.conftest import make_window

__all__ = ["make_window"]

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks():
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def example():
    return next(block for block in python_blocks() if "_skeleton" in block)


@pytest.fixture
def few_lines(tmp_path, monkeypatch):
    """The algorithm of the README as a file among those of its family, and nothing else."""
    source = example()
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 14
    (tmp_path / "brownian_motion.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(algorithms.clustering, "__path__", [*algorithms.clustering.__path__, str(tmp_path)])
    clear_caches()
    yield find("brownian_motion")
    monkeypatch.undo()
    sys.modules.pop("algorithms.clustering.brownian_motion")
    clear_caches()


def clear_caches():
    importlib.invalidate_caches()
    for function in vars(registry).values():
        getattr(function, "cache_clear", lambda: None)()


def test_the_algorithm_in_few_lines_passes_what_make_test_asks_of_a_file():
    """Lint, the annotations that strict types need, and the two records of a method."""
    place = ROOT / "algorithms/clustering/brownian_motion.py"
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "-"], ["format", "--check", "-"]):
        lint = [*ruff, command[0], "--stdin-filename", str(place), *command[1:]]
        done = subprocess.run(lint, input=example(), capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
    run = next(node for node in ast.parse(example()).body if isinstance(node, ast.FunctionDef))
    assert run.returns is not None
    assert all(argument.annotation for argument in run.args.args)
    assert in_the_main_file(example()) == {"Params", "Model"}


def test_the_algorithm_in_few_lines_keeps_the_contract(few_lines):
    for check in ALL_CHECKS:
        check(few_lines)


def test_the_algorithm_in_few_lines_is_in_the_window(few_lines, make_window, qtbot):
    window = make_window()
    window.gallery.search.setText("brownian motion")
    qtbot.keyClick(window.gallery.search, Qt.Key.Key_Return)
    assert window.document.algorithm == "brownian_motion"
    assert window.form.values() == {"rate": 0.5}
    window.player.jump("end")
    qtbot.waitUntil(lambda: not window.player.running and window.player.steps == 21)
    window.player.jump("end")
    qtbot.waitUntil(lambda: window.player.shown.step == 20)
    assert window.what_happens.caption.text().startswith("Step 20 moves the centre by ")


def test_the_algorithm_in_few_lines_has_a_picture_a_script_and_a_place_in_the_list(few_lines, qapp, tmp_path, capsys):
    assert cli(["list"]) == 0
    assert "brownian_motion" in capsys.readouterr().out
    for command, name in (("render", "a.png"), ("fit", "a.json"), ("script", "a.py")):
        assert cli([command, "brownian_motion", "--data", "blobs(n=20)", "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 0


def test_the_library_example_runs():
    from sklearn.datasets import make_moons

    X, y = make_moons(60, noise=0.1, random_state=0)
    source = next(block for block in python_blocks() if 'fit("kernel_svm"' in block)
    scope = {"X": X, "y": y, "X_new": X[:3]}
    exec(source, scope)
    assert scope["svm"].predict(X).tolist() == y.tolist()


def test_the_keyboard_table_is_the_declared_one(qtbot):
    import shiboken6

    from mlviz.data.generators import generate
    from mlviz.session.document import Document
    from mlviz.ui.actions import keyboard_table
    from mlviz.ui.window import MainWindow

    window = MainWindow(Document(generate("blobs", n=30), "k_means"))
    table = keyboard_table(window.actions_table.specs)
    window.close()
    shiboken6.delete(window)
    written = re.search(r"\| keys \| what they do \|\n\|---\|---\|\n((?:\|.*\|\n)+)", README)
    rows = [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in written[1].splitlines()]
    assert rows == table


@pytest.mark.parametrize("path", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()
