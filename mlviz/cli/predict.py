"""``mlviz predict``: the answers of a model that ``mlviz fit`` has written, for the rows of another table."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

from mlviz.cli.files import writable, write
from mlviz.cli.options import CommandError, add_command

MOST_BYTES = 500_000_000


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "predict", _predict, "answer for the rows of a table with a model from a file")
    parser.add_argument(
        "model", metavar="MODEL.json", help="what mlviz fit KEY --data FILE --out MODEL.json has written"
    )
    parser.add_argument("--data", metavar="FILE", required=True, help="a table with the columns of the training table")
    parser.add_argument("--out", metavar="FILE.csv", help="the table with one more column (default: print it)")


def _predict(options: argparse.Namespace) -> int:
    from mlviz.data.files import read_table
    from mlviz.export.model_file import Predictor

    path = None if options.out in (None, "-") else writable(options.out, (".csv",))
    predictor = Predictor.of(_loaded(Path(options.model)).get("predictor"), Path(options.model).name)
    table = read_table(Path(options.data))
    X, notes = predictor.rows_of(table)
    for note in notes:
        print(f"mlviz: {note}", file=sys.stderr)
    name = f"predicted {predictor.target}".strip()
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*(column.name for column in table.columns), name])
    for row, answer in enumerate(predictor.predictions(X)):
        rows.writerow([*(column.shown(row) for column in table.columns), answer])
    if path is None:
        sys.stdout.write(text.getvalue())
    else:
        write(path, text.getvalue().encode())
        print(f"{table.rows:,} predictions are in {path}.", file=sys.stderr)
    return 0


def _loaded(path: Path) -> dict[str, Any]:
    """The dictionary in a JSON file, or a sentence."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise CommandError(f"{path.name} is too large for a model.")
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CommandError(f"There is no file {str(path)!r}.") from error
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, CommandError):
            raise
        raise CommandError(f"{path.name} is no model that mlviz fit has written.") from error
    if not isinstance(found, dict) or "predictor" not in found:
        raise CommandError(
            f"{path.name} holds no model that can predict: write one with mlviz fit KEY --out FILE.json."
        )
    return found
