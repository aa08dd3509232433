"""``mlviz sweep``: the held-out error of a method over a grid of its parameters, on all cores or on a cluster."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlviz.cli.files import writable
from mlviz.cli.options import CommandError, add_command, add_run_options, run_of, say_warnings

if TYPE_CHECKING:
    from algorithms.executor import Executor
    from algorithms.maths.sweeps import Cell, Sweep
    from mlviz.data.sweep_files import Journal

MOST_FOLDS, MOST_REPEATS, MOST_PROCESSES = 1_000, 1_000, 256


def add(commands: Any) -> None:
    """Declare the command."""
    parser = add_command(commands, "sweep", _sweep, "the held-out error of a method over a grid of its parameters")
    add_run_options(parser)
    parser.add_argument(
        "--over",
        metavar="NAME=RANGE",
        action="append",
        default=[],
        help="a parameter and its values: C=0.01..100:log:20, k=1..15, or kernel=linear,rbf; once or twice",
    )
    parser.add_argument("--folds", metavar="K", type=int, default=5, help="parts of the data, each held out once")
    parser.add_argument("--repeats", metavar="N", type=int, default=1, help="how often the parts are drawn anew")
    parser.add_argument("--out", metavar="FILE", required=True, help="the table: .csv or .parquet; or its map: .png")
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument("--processes", metavar="N", type=int, default=0, help="on this machine (default: all cores)")
    workers.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler, such as tcp://10.0.0.5:8786")


def _sweep(options: argparse.Namespace) -> int:
    from mlviz.data import sweep_files
    from mlviz.data.saving import in_a_sentence

    path = writable(options.out, (*sweep_files.SUFFIXES, ".png"))
    sweep = _asked(options)
    journal = sweep_files.Journal(path, sweep, {"folds": options.folds, "repeats": options.repeats})
    try:
        found = _worked_out(sweep, journal, options)
    except KeyboardInterrupt:
        print(f"mlviz: stopped; the same command goes on from {str(journal.path)!r}.", file=sys.stderr)
        raise
    if path.suffix.lower() == ".png":
        with in_a_sentence(path):
            _draw(path, sweep, found, options)
    else:
        sweep_files.write_table(path, sweep_files.columns_of(found, sweep))
    journal.remove()
    _print_best(sweep, found)
    return 0


def _asked(options: argparse.Namespace) -> Sweep:
    """The sweep that the options describe, checked before anything is computed."""
    import numpy as np

    from algorithms import Points
    from algorithms.maths.sweeps import Sweep, SweepError, cells, parse_axis
    from algorithms.maths.validation import splits
    from algorithms.method_choice import Method, serves

    algorithm, data, params, seed = run_of(options)
    if not serves(algorithm, "predictor") or not isinstance(data, Points):
        raise CommandError(f"{algorithm.title} predicts nothing that could be compared with held-out points.")
    if data.y is None:
        raise CommandError("The data have no target to be predicted; name a column with --target.")
    if not 2 <= options.folds <= MOST_FOLDS:
        raise CommandError(f"--folds must be from 2 to {MOST_FOLDS:,}; got {options.folds}.")
    if options.folds > data.n > 1:
        raise CommandError(f"--folds must be at most {data.n}, for there are {data.counted()}; got {options.folds}.")
    if not 1 <= options.repeats <= MOST_REPEATS:
        raise CommandError(f"--repeats must be from 1 to {MOST_REPEATS:,}; got {options.repeats}.")
    if not 0 <= options.processes <= MOST_PROCESSES:
        raise CommandError(f"--processes must be from 1 to {MOST_PROCESSES}; got {options.processes}.")
    try:
        axes = tuple(parse_axis(text, algorithm) for text in options.over)
        if not 1 <= len(axes) <= 2 or len({axis.name for axis in axes}) < len(axes):
            raise CommandError("Say over what to sweep: one or two parameters, as in --over C=0.01..100:log:20.")
        cells(axes)
    except SweepError as error:
        raise CommandError(str(error)) from error
    rng = np.random.default_rng(seed)
    own = int(rng.integers(2**31))  # drawn as in the window, so that its map shows the same numbers
    parts = splits(data, "repeated", rng, options.folds, options.repeats)
    return Sweep(Method(algorithm, params), axes, data, parts, own)


def _worked_out(sweep: Sweep, journal: Journal, options: argparse.Namespace) -> list[Cell]:
    """Every cell: those of the journal, and the others, which it gets as they are finished."""
    from algorithms.executor import WorkersLost
    from algorithms.maths.sweeps import cells
    from mlviz.export.terminal import Bar

    known = {cell.place: cell for cell in journal.cells}
    places = cells(sweep.axes)
    missing = [place for place in places if place not in known]
    if known and missing:
        print(f"mlviz: going on; {len(known):,} of {len(places):,} cells are done.", file=sys.stderr)
    if missing:
        with closing(_executor(options)) as executor, Bar("cells") as bar:
            try:
                for cell in sweep.run(executor, missing):
                    known[cell.place] = cell
                    journal.add(cell)
                    bar.progress(len(known), len(places))
            except WorkersLost as error:
                raise CommandError(f"{error} The same command goes on from there.") from error
    return [known[place] for place in places]


def _executor(options: argparse.Namespace) -> Executor:
    if options.cluster is not None:
        from mlviz.worker.cluster import Cluster, NoCluster

        try:
            return Cluster(options.cluster)
        except NoCluster as error:
            raise CommandError(str(error)) from error
    if options.processes == 1:
        from algorithms.executor import Inline

        return Inline()
    from mlviz.worker.processes import Processes

    return Processes(options.processes)


def _draw(path: Path, sweep: Sweep, found: list[Cell], options: argparse.Namespace) -> None:
    """The picture of the window, from the cells that are known."""
    from algorithms import find
    from algorithms.executor import Inline, use_by_default
    from mlviz.cli.files import draw_without_window
    from mlviz.export.render import Style, render_picture

    known = {cell.place: cell for cell in found}

    class Known(Inline):
        """Gives back what is known."""

        def map(self, function: Any, items: Iterable[Any], shared: Any = None) -> Iterator[Any]:
            return ([known[place] for place in places] for places in items)

    draw_without_window()
    method = find("model_selection")
    directions = dict(zip(("first", "second"), options.over))
    grid = "two parameters" if len(sweep.axes) == 2 else "one parameter"
    view = "map" if len(sweep.axes) == 2 else "curve"
    splitting = {"folds": min(options.folds, 20), "repeats": min(options.repeats, 20)}
    params = method.make_params({"method": sweep.method.text, "grid": grid, **directions, **splitting})
    use_by_default(Known)
    try:
        render_picture(method, sweep.data, params, options.seed, path, style=Style(only=view))
    finally:
        use_by_default(Inline)


def _warnings_of(sweep: Sweep, cell: Cell) -> tuple[str, ...]:
    """What deserves doubt in the model of a cell: it is fitted once more, to the points of the first split."""
    from algorithms.data.scaling import rescaled

    learn, _ = rescaled(sweep.data.rows(sweep.parts[0].learn))
    method = sweep.at(cell.place)
    warning = ""
    for snapshot in method.algorithm.start(learn, method.params, sweep.seed):
        warning = snapshot.warning
    return (warning,) if warning else ()


def _print_best(sweep: Sweep, found: list[Cell]) -> None:
    from algorithms.maths.sweeps import best_of

    best = best_of(found)
    if best is None:
        print(f"Every setting was refused: {found[0].refusal}")
        return
    say_warnings(_warnings_of(sweep, best))
    values = ", ".join(f"{name} = {value}" for name, value in sweep.values(best.place).items())
    what = "of the held-out points wrong" if sweep.data.is_labelled else "mean squared error on held-out points"
    print(f"best: {values}: {best.mean:.4g} ± {best.standard_error:.2g} {what}")
