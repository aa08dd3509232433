"""``mlviz`` and ``mlviz open``: the window."""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlviz.cli.options import CommandError, add_command


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "open", _open, "open the window on a saved session or on a table")
    parser.add_argument("file", metavar="FILE", help="a session (.mlviz), or a file with data")
    parser.add_argument("--method", metavar="KEY", help="the method that meets the data, as printed by mlviz list")


def _open(options: argparse.Namespace) -> int:
    """Open the window on a file, which is looked at first: a damaged one must not end in an empty window."""
    from algorithms import find
    from mlviz.session.files import SessionError, load

    path = Path(options.file)
    if path.suffix.lower() != ".mlviz":
        if not path.is_file():
            raise CommandError(f"There is no file {options.file!r}.")
        return open_window(path, None if options.method is None else find(options.method).key)
    if options.method is not None:
        raise CommandError("A session has its own method; --method is for a table.")
    try:
        load(path)
    except SessionError as error:
        raise CommandError(str(error)) from error
    return open_window(path)


def open_window(path: Path | None = None, method: str | None = None) -> int:
    """Open the window. Its start makes 100,000 objects and drops hardly any, so nothing is collected meanwhile."""
    _need_display()
    need_libraries()
    gc.disable()
    try:
        import mlviz.views  # noqa: F401  # first of all that needs Qt: from there on imports are quick
        from mlviz.app import main

        return int(main(path=path, method=method) or 0)
    finally:
        gc.enable()


LIBRARIES = (
    "libGL.so.1", "libEGL.so.1", "libX11.so.6", "libX11-xcb.so.1", "libxkbcommon.so.0", "libxkbcommon-x11.so.0",
    "libxcb.so.1", "libxcb-cursor.so.0", "libxcb-icccm.so.4", "libxcb-image.so.0", "libxcb-keysyms.so.1",
    "libxcb-randr.so.0", "libxcb-render.so.0", "libxcb-render-util.so.0", "libxcb-shape.so.0", "libxcb-shm.so.0",
    "libxcb-sync.so.1", "libxcb-util.so.1", "libxcb-xfixes.so.0", "libxcb-xkb.so.1",
)  # fmt: skip
"""What Qt's plug-in for X11 needs of the system; a test compares it with the plug-in."""


def need_libraries(load: Callable[[str], object] = ctypes.CDLL) -> None:
    """Say which libraries are missing: Qt would end the program and name one that may well be there."""
    platform = os.environ.get("QT_QPA_PLATFORM", "wayland" if os.environ.get("WAYLAND_DISPLAY") else "xcb")
    if not (sys.platform.startswith("linux") and platform.startswith("xcb")):
        return
    missing = []
    for library in LIBRARIES:
        try:
            load(library)
        except OSError:
            missing.append(library)
    if missing:
        packages = " ".join(map(package_of, missing))
        raise CommandError(
            f"Qt cannot open a window, because the system has no {', '.join(missing)}. "
            f"On Debian or Ubuntu: sudo apt-get install -y {packages}"
        )


def package_of(library: str) -> str:
    """The Debian package of a shared library: libxcb-icccm.so.4 is in libxcb-icccm4, libX11.so.6 in libx11-6."""
    name, _, version = library.lower().partition(".so.")
    return f"{name}{'-' if name[-1].isdigit() else ''}{version}"


def _need_display() -> None:
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not shown:
        raise CommandError("There is no display to open a window on; try: mlviz tour --out pictures")
