"""``mlviz thumbnails`` and ``mlviz tour``: pictures of every method."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from mlviz.cli.files import draw_without_window
from mlviz.cli.options import CommandError, add_command


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = add_command(commands, "thumbnails", _thumbnails, "draw the small pictures of the gallery into the cache")
    parser.add_argument("keys", metavar="KEY", nargs="*", help="algorithms (default: all)")
    parser.add_argument("--theme", choices=["light", "dark"], default="light", help="colours (default: light)")

    parser = add_command(commands, "tour", _tour, "draw a picture of every panel and a film, without a window")
    parser.add_argument("--out", metavar="DIR", default="out", help="folder to draw into (default: out)")


def _thumbnails(options: argparse.Namespace) -> int:
    from algorithms import find

    for key in options.keys:
        find(key)
    draw_without_window()
    from mlviz.export.thumbnails import make

    for path in make(options.keys, options.theme):
        print(path)
    return 0


def _tour(options: argparse.Namespace) -> int:
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"The folder {str(folder)!r} cannot be made: {error.strerror or error}.") from error
    draw_without_window()
    from mlviz.export.tour import render_tour

    render_tour(folder)
    return 0
