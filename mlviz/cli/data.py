"""``mlviz data``: the data of a generator, a built-in set or a file, of any kind, as a file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mlviz.cli.files import writable
from mlviz.cli.options import add_command, add_table_options, wishes_of


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(
        commands, "data", _data, "write the data of a generator or a file: a table of points, a graph, a series ..."
    )
    parser.add_argument("spec", metavar="SPEC", help="moons(n=300,noise=0.1,seed=1), iris, or a file")
    add_table_options(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="points: .csv .tsv .npz .parquet; graphs: .csv (edges) .adj .graphml .gml .net .json; "
        "sets of graphs: .json; other kinds: .csv (default: text on stdout)",
    )


def _data(options: argparse.Namespace) -> int:
    from mlviz.data.saving import as_text, save_data, suffixes
    from mlviz.data.spec import load_data

    data = load_data(options.spec, wishes_of(options, "none"), gaps=options.gaps)
    path = None if options.out in (None, "-") else writable(options.out, suffixes(data.kind))
    if path is None:
        sys.stdout.write(as_text(data, ","))
    else:
        save_data(path, data)
    return 0
