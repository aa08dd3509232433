"""What goes wrong in a method that Qt calls is an exception, not the end of the program."""

from __future__ import annotations

import subprocess
import sys
from types import FunctionType

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QGraphicsItem

import mlviz.app  # noqa: F401  every class of a window
from mlviz.views import overrides

CODE = """
from PySide6.QtWidgets import QApplication, QWidget
from mlviz.views import overrides

class Faulty(QWidget):
    __module__ = "mlviz.faulty"

    def sizeHint(self):
        return FAULT

app = QApplication([])
widget = Faulty()
try:
    widget.adjustSize()
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize(
    ("fault", "name"), [("[][3]", "IndexError"), ("int('a')", "ValueError"), ("{}['a']", "KeyError")]
)
def test_an_exception_in_an_override_is_one_that_python_sees(fault, name):
    code = CODE.replace("FAULT", fault)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600)
    assert (done.stdout, done.returncode) == (f"{name}\n", 0), done.stderr


def _subclasses(base):
    for each in base.__subclasses__():
        yield each
        yield from _subclasses(each)


def test_every_class_of_ours_is_guarded_where_that_is_needed():
    """Later versions of Python raise whole exceptions only."""
    ours = {each for base in (QObject, QGraphicsItem) for each in _subclasses(base)}
    found = {
        (f"{each.__qualname__}.{name}", hasattr(value, "__wrapped__"))
        for each in ours
        if each.__module__.startswith("mlviz")
        for name, value in vars(each).items()
        if isinstance(value, FunctionType) and not name.startswith("_") and _is_an_override(each, name)
    }
    needed = sys.version_info < (3, 12)
    assert len(found) > 150
    assert not [name for name, guarded in found if guarded != needed]


def _is_an_override(cls, name):
    return any(name in vars(base) for base in cls.__mro__[1:] if base.__module__.startswith("PySide6"))


def test_a_guarded_slot_takes_no_more_than_it_asks_for():
    assert overrides.whole(lambda self: self)(1, True) == 1
    assert overrides.whole(lambda self, *more: more)(1, 2, 3) == (2, 3)
    assert overrides.whole(lambda self, other=2: other)(1, other=5) == 5
