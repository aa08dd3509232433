"""``mlviz data``: the points of a generator or a file as a table."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mlviz.cli.files import writable
from mlviz.cli.options import add_command, add_table_options


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "data", _data, "write the points of a generator or a file as a table")
    parser.add_argument("spec", metavar="SPEC", help="moons(n=300,noise=0.1,seed=1), iris, or a file")
    add_table_options(parser)
    parser.add_argument("--out", metavar="FILE", help=".csv, .tsv, .npz or .parquet (default: CSV on stdout)")


def _data(options: argparse.Namespace) -> int:
    from mlviz.data.saving import as_text, save_data, suffixes
    from mlviz.data.spec import load_data

    data = load_data(options.spec, options.target, gaps=options.gaps)
    path = None if options.out in (None, "-") else writable(options.out, suffixes(data.kind))
    if path is None:
        sys.stdout.write(as_text(data, ","))
    else:
        save_data(path, data)
    return 0
