"""The command line: the window, and the same engine without one.

Each command is a module with ``add``, which declares it, and what carries it out; ``parser_of_all`` lists them. Nothing
heavy is imported at the top of any: ``mlviz list`` must answer at once, so Qt, SciPy and DuckDB are imported only by
the commands that need them.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

from mlviz import __version__
from mlviz.cli.options import CommandError, Parser

WRONG_INPUT = 2
INTERRUPTED = 130
TERMINATED = 143
BROKEN_PIPE = 141

EXAMPLES = """examples:
  mlviz                                                     open the laboratory
  mlviz open lecture.mlviz                                  open it on a saved session
  mlviz open patients.csv --method kernel_svm               or on a table
  mlviz list                                                the algorithms and their parameters
  mlviz fit k_means --data "blobs(n=300,seed=1)" --param k=4
  mlviz data iris --out flowers.csv
  mlviz fit kernel_svm --data flowers.csv --target species --out svm.json
  mlviz predict svm.json --data new_flowers.csv --out predictions.csv
  mlviz fit k_means --data blobs --all-steps --out k_means.npz
  mlviz fit kernel_svm --data patients.csv --target outcome --gaps median
  mlviz sweep kernel_svm --data "moons(noise=0.3)" --over C=0.1..100:log:8 --over sigma=0.1..3:log:8 --out table.csv
  mlviz data "moons(n=200,noise=0.2)" --out moons.csv
  mlviz script kernel_svm --data iris --out svm.py
  mlviz render gaussian_mixture --data "moons(noise=0.1)" --out mixture.png --step 5 --size 1200x800
  mlviz render k_means --data "blobs(centres=5)" --param k=5 --out film.gif
  mlviz render k_means --data blobs --preset column --out figure.pdf
  mlviz render kernel_svm --data digits --axes pca --out digits.png
  mlviz render kernel_svm --data "moons(noise=0.3)" --view roc --scores cross-validation --out roc.pdf
  mlviz render k_means --data blobs --handout 6 --out handout.pdf
  mlviz render mlp --data moons --every 5 --out replay.html
  mlviz render lesson.mlviz --out handout.pdf               a page for every slide of a lesson (or .html)
  mlviz render lecture.mlviz --out compared.png             what a session shows, all its boards side by side
  mlviz render shortest_paths --data karate --param to=34 --out path.png
  mlviz tour --out pictures                                 a picture of every panel and a film

--data is a generator call such as moons(n=300,noise=0.1,seed=1), a built-in data set such as iris, or a file
(CSV, TSV, Excel, ODS, Parquet, JSON, NPY, NPZ, ARFF, MAT, libsvm; of graphs also GraphML, GML, Pajek)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 2 with one line on stderr for wrong input."""
    given = sys.argv[1:] if arguments is None else arguments
    if sys.stdout is None:  # closed by who called
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if "numpy" not in sys.modules and (not given or given[0] == "open"):
        _one_thread_each()
    from algorithms import DataError, ParamError, UnknownAlgorithm
    from algorithms.maths.words import readable

    try:
        if not given:
            from mlviz.cli.window import open_window

            return open_window()
        options = parser_of_all().parse_args(given)
        command: Callable[[argparse.Namespace], int] = options.command
        with _ended_in_order():
            code = command(options)
        sys.stdout.flush()
        return code
    except (CommandError, DataError, ParamError, UnknownAlgorithm) as error:
        print(f"mlviz: {readable(str(error))}", file=sys.stderr)
        return WRONG_INPUT
    except Terminated:
        return TERMINATED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _end_output()  # the reader has gone
        return BROKEN_PIPE
    except (OSError, UnicodeEncodeError) as error:
        print(f"mlviz: {readable(_refused(error))}", file=sys.stderr)
        _end_output()
        return WRONG_INPUT


class Terminated(KeyboardInterrupt):
    """The program was asked to end by a signal; what it has begun is put away first."""


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """``kill`` ends a command as Ctrl+C does: with its processes, and with a journal that can be gone on from."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def terminate(*_: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end_output() -> None:
    """Python would complain again when it flushes at exit, so it gets another stdout."""
    with contextlib.suppress(OSError):  # it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused(error: OSError | UnicodeEncodeError) -> str:
    """What the system or its encoding does not let a command print or write, in a sentence."""
    if isinstance(error, UnicodeEncodeError):
        letter = error.object[error.start]
        return f"There is no {letter!a} in {error.encoding}; write to a file (--out), or set PYTHONIOENCODING=utf-8."
    what = "The output" if error.filename is None else repr(str(error.filename))
    return f"{what} cannot be written: {error.strerror or error}."


def _one_thread_each() -> None:
    """Tell the numeric libraries before they are loaded, unless somebody has told them otherwise (see worker/blas)."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(variable, "1")


def parser_of_all() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    from mlviz.cli import data, fit, listing, pictures, predict, render, script, sweep, window

    parser = Parser(
        prog="mlviz",
        description="The visual machine-learning laboratory. Without a command it opens the window.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mlviz {__version__}")
    parser.set_defaults(command=lambda _: window.open_window())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in (window, listing, fit, predict, sweep, data, script, render, pictures):
        module.add(commands)
    return parser
