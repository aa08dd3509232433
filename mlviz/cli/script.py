"""``mlviz script``: a Python script that gives the same run again."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mlviz.cli.files import writable, write
from mlviz.cli.options import add_command, add_run_options, run_of


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "script", _script, "write a Python script that gives the same run again")
    add_run_options(parser)
    parser.add_argument("--out", metavar="FILE", help="a Python file (default: print it)")


def _script(options: argparse.Namespace) -> int:
    from mlviz.export.script import script

    path = None if options.out in (None, "-") else writable(options.out, (".py",))
    text = script(*run_of(options))
    if path is None:
        sys.stdout.write(text)
    else:
        write(path, text.encode())
    return 0
