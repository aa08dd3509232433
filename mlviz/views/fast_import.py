"""Imports pyqtgraph without three detours that are more than half of its time and a sixth of the window's memory.

PySide6 makes its classes when they are first asked for, but pyqtgraph copies every name of three Qt modules into
mirrors of its own and so has all 600 classes and enumerations made. Here the mirrors look a name up when it is needed.
And PySide6 reads the source of every module that is imported after it, to find out whether it uses Qt at all, which
matters only to the optional ``__feature__`` switches; nothing in this program has them. Last, pyqtgraph imports all
of its widgets, and with them its tree of parameters and its processes, of which nothing is used here; who imports one
of them by its own name still gets it. Where a library is built otherwise than today, the import is the ordinary one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

MIRRORED = ("QtCore", "QtGui", "QtWidgets")
UNUSED = (
    "imageview",
    "widgets.ColorMapWidget",
    "widgets.DataFilterWidget",
    "widgets.DataTreeWidget",
    "widgets.DiffTreeWidget",
    "widgets.RemoteGraphicsView",
    "widgets.ScatterPlotWidget",
)
"""Modules of pyqtgraph that take long and that nothing here needs."""


class Mirror(ModuleType):
    """Has what another module has, and whatever else is set in it."""

    def __init__(self, name: str, original: ModuleType) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self._original = original

    def __getattr__(self, name: str) -> Any:
        """Ask the original once; from then on the value is found here."""
        value = getattr(self._original, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        """All names, also those that nobody has asked for yet."""
        return sorted({*super().__dir__(), *dir(self._original)})


def import_pyqtgraph() -> None:
    """Have it imported from now on; does nothing when somebody else was sooner."""
    if "pyqtgraph" in sys.modules:
        return
    import PySide6.QtCore  # by a statement: importlib.import_module would have all classes made
    import PySide6.QtGui
    import PySide6.QtWidgets

    originals: list[ModuleType] = [PySide6.QtCore, PySide6.QtGui, PySide6.QtWidgets]
    _read_no_sources()
    for name, original in zip(MIRRORED, originals):
        sys.modules[f"pyqtgraph.Qt.{name}"] = Mirror(f"pyqtgraph.Qt.{name}", original)
    with _nothing_to_copy(originals), _without(UNUSED):
        import pyqtgraph  # noqa: F401


def _read_no_sources() -> None:
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _: False  # type: ignore[union-attr]


@contextmanager
def _nothing_to_copy(modules: list[ModuleType]) -> Iterator[None]:
    """Meanwhile the modules name nothing when they are asked what they contain, so nothing is copied from them."""
    usual = {module: vars(module).get("__dir__") for module in modules}
    for module in modules:
        module.__dir__ = list  # type: ignore[method-assign]
    try:
        yield
    finally:
        for module, answer in usual.items():
            if answer is None:
                del module.__dir__
            else:
                module.__dir__ = answer  # type: ignore[method-assign]


@contextmanager
def _without(names: tuple[str, ...]) -> Iterator[None]:
    """Meanwhile these modules of pyqtgraph are empty; afterwards they can be imported as ever."""
    stand_ins = {f"pyqtgraph.{name}": ModuleType(f"pyqtgraph.{name}") for name in names}
    for full, stand_in in stand_ins.items():
        setattr(stand_in, full.rpartition(".")[2], None)  # some are asked for a class of their name
        stand_in.__all__ = []  # type: ignore[attr-defined]
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for full, stand_in in stand_ins.items():
            if sys.modules.get(full) is stand_in:
                del sys.modules[full]
