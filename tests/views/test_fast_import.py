"""pyqtgraph imported the short way is the same pyqtgraph."""

from __future__ import annotations

import subprocess
import sys

CHECK = """
import sys
import mlviz.views
import pyqtgraph
import PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets
made = sum(type(value) is type(PySide6.QtCore.QObject) for value in vars(PySide6.QtWidgets).values())
for name in ("QtCore", "QtGui", "QtWidgets"):
    original, mirror = sys.modules[f"PySide6.{name}"], getattr(pyqtgraph.Qt, name)
    names = [each for each in dir(original) if not each.startswith("__")]
    assert len(names) > 100, (name, len(names))
    assert set(names) <= set(dir(mirror)), name
    for each in names:
        assert getattr(mirror, each) is getattr(original, each), (name, each)
assert pyqtgraph.Qt.QtWidgets.QOpenGLWidget.__module__ == "PySide6.QtOpenGLWidgets"
assert not hasattr(pyqtgraph.Qt.QtGui, "QNothing")
after = sum(type(value) is type(PySide6.QtCore.QObject) for value in vars(PySide6.QtWidgets).values())
assert made < after / 2, (made, after)
import linecache
assert not [path for path in linecache.cache if "pyqtgraph" in path]
import pyqtgraph.exporters, pyqtgraph.dockarea, pyqtgraph.imageview
print("alike", made, after)
"""


def test_every_name_is_there_and_most_were_not_made_on_the_way():
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("alike"), done.stderr


def test_a_pyqtgraph_that_is_there_already_is_left_alone():
    code = "import pyqtgraph, sys; before = pyqtgraph.Qt.QtGui\nimport mlviz.views\nprint(pyqtgraph.Qt.QtGui is before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr
