"""What goes wrong in a method that Qt calls is reported; with Python 3.11 it would end the program.

PySide6 (6.8 to 6.11) puts the name of such a method before the words of an exception. Up to Python 3.11 an exception
that code in C has raised, such as that of a wrong index, is only its words as long as nobody has caught it; PySide6
takes these words for the exception and writes into memory that is not its own. An exception that has been caught and
raised again is a whole one.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from inspect import CO_VARARGS
from types import FunctionType
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QGraphicsItem

OURS, QT = "mlviz", "PySide6"


def whole(override: FunctionType) -> Callable[..., Any]:
    """The method, of which every exception is a whole one; as a slot it takes no more than the method does."""
    code = override.__code__
    most = None if code.co_flags & CO_VARARGS else code.co_argcount

    @functools.wraps(override)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return override(*arguments[:most], **named)
        except BaseException:
            raise  # it is caught here, and that is all

    return call


def guard(cls: type) -> None:
    """Make the methods of a class whole that have the name of one of Qt's."""
    theirs = [vars(base) for base in cls.__mro__[1:] if base.__module__.startswith(QT)]
    for name, value in tuple(vars(cls).items()):
        if isinstance(value, FunctionType) and not name.startswith("_") and any(name in names for names in theirs):
            setattr(cls, name, whole(value))


def install() -> None:
    """Guard every class of ours that is made from one of Qt's from now on."""
    for base in (QObject, QGraphicsItem):

        def made(cls: type, base: Any = base, **named: Any) -> None:
            super(base, cls).__init_subclass__(**named)
            if cls.__module__.startswith(OURS):
                guard(cls)

        base.__init_subclass__ = classmethod(made)  # type: ignore[assignment, method-assign]


if sys.version_info < (3, 12):
    install()
