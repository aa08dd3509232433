"""``mlviz`` and ``mlviz open``: the window."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path
from typing import Any

from mlviz.cli.options import CommandError, add_command


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "open", _open, "open the window on a saved session")
    parser.add_argument("file", metavar="FILE", help="a session (.mlviz)")


def _open(options: argparse.Namespace) -> int:
    """Open the window on a file, which is looked at first: a damaged one must not end in an empty window."""
    from mlviz.session.files import SessionError, load

    path = Path(options.file)
    if path.suffix.lower() != ".mlviz":
        raise CommandError(f"A session ends with .mlviz; got {options.file!r}. Tables are opened in the window.")
    try:
        load(path)
    except SessionError as error:
        raise CommandError(str(error)) from error
    return open_window(path)


def open_window(path: Path | None = None) -> int:
    """Open the window. Its start makes 100,000 objects and drops hardly any, so nothing is collected meanwhile."""
    _need_display()
    gc.disable()
    try:
        import mlviz.views  # noqa: F401  # first of all that needs Qt: from there on imports are quick
        from mlviz.app import main

        return int(main(path=path) or 0)
    finally:
        gc.enable()


def _need_display() -> None:
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not shown:
        raise CommandError("There is no display to open a window on; try: mlviz tour --out pictures")
