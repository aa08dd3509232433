"""What the README says is true."""

import re
import sys
import types
from pathlib import Path

import pytest

from algorithms import find
from algorithms.checks import ALL_CHECKS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks():
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_algorithm_in_ten_lines_passes_every_check(monkeypatch):
    source = next(block for block in python_blocks() if "SKELETON" in block)
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 12
    module = types.ModuleType("algorithms.clustering.random_walk")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(source, "README.md", "exec"), module.__dict__)
    module.run.__module__ = module.__name__
    for check in ALL_CHECKS:
        check(module.ALGORITHM)


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


def test_the_commands_named_are_real():
    for key in re.findall(r"mlviz (?:fit|render) (\w+)", README):
        assert find(key).key == key
