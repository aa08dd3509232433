"""``mlviz script``: a Python script that gives the same run again."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mlviz.cli.files import writable, write
from mlviz.cli.options import add_command, add_run_options, run_of, run_to_end, say_warnings


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "script", _script, "write a Python script that gives the same run again")
    add_run_options(parser)
    parser.add_argument("--out", metavar="FILE", help="a Python file (default: print it)")


def _script(options: argparse.Namespace) -> int:
    from mlviz.export.frames import warnings_at
    from mlviz.export.script import script

    path = None if options.out in (None, "-") else writable(options.out, (".py",))
    run = run_of(options)
    engine = run_to_end(*run)
    warnings = warnings_at(engine, [len(engine.timeline) - 1])
    text = script(*run, warnings=warnings)
    say_warnings(warnings)
    if path is None:
        sys.stdout.write(text)
    else:
        write(path, text.encode())
    return 0
