"""Imports pyqtgraph without two detours that are half of its time and a sixth of the window's memory.

PySide6 makes its classes when they are first asked for, but pyqtgraph copies every name of three Qt modules into
mirrors of its own and so has all 600 classes and enumerations made. Here the mirrors look a name up when it is needed.
And PySide6 reads the source of every module that is imported after it, to find out whether it uses Qt at all, which
matters only to the optional ``__feature__`` switches; nothing in this program has them. Where either library is built
otherwise than today, the import is the ordinary one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

MIRRORED = ("QtCore", "QtGui", "QtWidgets")


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
    with _nothing_to_copy(originals):
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
