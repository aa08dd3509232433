"""The command line: the window, and the same engine without one.

Nothing heavy is imported here: ``mlviz list`` must answer at once, so Qt, SciPy and DuckDB are imported only by the
commands that need them.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import math
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mlviz import __version__

if TYPE_CHECKING:
    from algorithms import Data
    from algorithms.contract import Algorithm
    from mlviz.data.spec import Source
    from mlviz.export.parameters import Outcome
    from mlviz.worker.engine import Engine

WRONG_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
SMALLEST, LARGEST = 64, 8192
MAX_SEED = 2**31 - 1

EXAMPLES = """examples:
  mlviz                                                     open the laboratory
  mlviz open lecture.mlviz                                  open it on a saved session
  mlviz list                                                the algorithms and their parameters
  mlviz fit k_means --data "blobs(n=300,seed=1)" --param k=4
  mlviz fit kernel_svm --data flowers.csv --target species --out svm.json
  mlviz fit k_means --data blobs --all-steps --out k_means.npz
  mlviz fit kernel_svm --data patients.csv --target outcome --gaps median
  mlviz data "moons(n=200,noise=0.2)" --out moons.csv
  mlviz script kernel_svm --data iris --out svm.py
  mlviz render gaussian_mixture --data "moons(noise=0.1)" --out mixture.png --step 5 --size 1200x800
  mlviz render k_means --data "blobs(centres=5)" --param k=5 --out film.gif
  mlviz render k_means --data blobs --preset column --out figure.pdf
  mlviz render kernel_svm --data digits --axes pca --out digits.png
  mlviz render kernel_svm --data moons --view roc --scores cross-validation --out roc.pdf
  mlviz render k_means --data blobs --handout 6 --out handout.pdf
  mlviz render mlp --data moons --every 5 --out replay.html
  mlviz render lesson.mlviz --out handout.pdf               a page for every slide of a lesson (or .html)
  mlviz render lecture.mlviz --out compared.png             what a session shows, all its boards side by side
  mlviz render shortest_paths --data karate --param to=34 --out path.png
  mlviz tour --out pictures                                 a picture of every panel and a film

--data is a generator call such as moons(n=300,noise=0.1,seed=1), a built-in data set such as iris, or a file
(CSV, TSV, Excel, ODS, Parquet, JSON, NPY, NPZ, ARFF, MAT, libsvm; of graphs also GraphML, GML, Pajek)."""


class CommandError(ValueError):
    """A command that cannot be carried out; the message is a full sentence."""


class _Parser(argparse.ArgumentParser):
    """Complains in one line, without the usage text that would hide it."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 2 with one line on stderr for wrong input."""
    given = sys.argv[1:] if arguments is None else arguments
    if "numpy" not in sys.modules and (not given or given[0] == "open"):
        _one_thread_each()
    from algorithms import DataError, ParamError, UnknownAlgorithm
    from algorithms.maths.words import readable

    try:
        if not given:
            return _window()
        options = _parser().parse_args(given)
        command: Callable[[argparse.Namespace], int] = options.command
        code = command(options)
        sys.stdout.flush()
        return code
    except (CommandError, DataError, ParamError, UnknownAlgorithm) as error:
        print(f"mlviz: {readable(str(error))}", file=sys.stderr)
        return WRONG_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone. Python would complain again when it flushes at exit, so it gets another stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


# -- the commands -----------------------------------------------------------------------------------------------------


def _open_window(_: argparse.Namespace) -> int:
    return _window()


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
    return _window(path)


def _one_thread_each() -> None:
    """Tell the numeric libraries before they are loaded, unless somebody has told them otherwise (see worker/blas)."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(variable, "1")


def _window(path: Path | None = None) -> int:
    """Open the window. Its start makes 100,000 objects and drops hardly any, so nothing is collected meanwhile."""
    _need_display()
    gc.disable()
    try:
        from mlviz.app import main as open_window

        return int(open_window(path=path) or 0)
    finally:
        gc.enable()


def _need_display() -> None:
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not shown:
        raise CommandError("There is no display to open a window on; try: mlviz tour --out pictures")


def _list(options: argparse.Namespace) -> int:
    from algorithms import all_algorithms
    from algorithms.params import json_schema
    from mlviz.data.builtin import all_builtin
    from mlviz.data.generators import all_generators

    if options.json:
        from mlviz.export.parameters import as_json, plain

        rows = [
            {
                "key": item.key,
                "title": item.title,
                "family": item.family,
                "summary": item.summary,
                "accepts": [kind.kind for kind in item.accepts],
                "target": item.target,
                "example": item.example,
                "params": json_schema(item.params),
            }
            for item in all_algorithms()
        ]
        made = [_described(item) | {"target": item.target} for item in all_generators()]
        real = [_described(item) for item in all_builtin()]
        everything = {"version": __version__, "algorithms": rows, "generators": made, "datasets": real}
        print(as_json(plain(everything)), end="")
        return 0
    for algorithm in all_algorithms():
        print(f"{algorithm.key}  ({algorithm.family}: {algorithm.title})\n    {algorithm.summary}")
        _print_fields(algorithm.fields)
    print("\ndata generators")
    for generator in all_generators():
        print(f"  {generator.name}({', '.join(f'{field.name}={field.default}' for field in generator.fields)})")
        print(f"      {generator.doc}")
    print("\nbuilt-in data")
    for item in all_builtin():
        print(f"  {item.name}\n      {item.doc}")
    return 0


def _described(source: Source) -> dict[str, Any]:
    """A generator or a built-in set for other programs."""
    from algorithms.params import json_schema

    return {
        "key": source.name,
        "title": source.title,
        "group": source.group,
        "kind": source.kind,
        "doc": source.doc,
        "params": json_schema(source.params),
    }


def _print_fields(fields: Sequence[Any]) -> None:
    width = max((len(field.name) for field in fields), default=0)
    for field in fields:
        default = "" if field.kind == "points" else f" [{field.default}]"
        print(f"      {field.name:{width}}  {field.describe()}{default}")


def _fit(options: argparse.Namespace) -> int:
    from mlviz.export import tables
    from mlviz.export.frames import checked_step, outcome_of

    step = _step(options.step)
    if options.all_steps and options.step is not None:
        raise CommandError("--step chooses one step and --all-steps all of them; give one or the other.")
    path = None if options.out in (None, "-") else _writable(options.out, tables.OUTCOME_SUFFIXES)
    if options.what != "parameters" and (path is None or path.suffix.lower() != ".csv"):
        raise CommandError(f"--what {options.what} is a table: give --out FILE.csv (JSON and NPZ hold everything).")
    engine = _run_to_end(*_run_of(options))
    count = len(engine.timeline)
    steps = range(count) if options.all_steps else [checked_step(count, step)]
    outcome = outcome_of(engine, steps)
    if options.out is None:
        _print_summary(outcome)
        if options.scores is not None:
            _print_scores(engine, outcome, options)
    elif path is None:
        sys.stdout.write(tables.outcome_bytes(outcome, ".json").decode())
    elif options.what == "predictions":
        _write(path, tables.predictions_csv(outcome).encode())
    elif options.what == "metrics":
        _write(path, tables.metrics_csv(outcome.metrics).encode())
    else:
        _write(path, tables.outcome_bytes(outcome, path.suffix.lower()))
    return 0


def _print_scores(engine: Engine, outcome: Outcome, options: argparse.Namespace) -> None:
    """How good the answers are, on points that the model was trained on or on others."""
    from mlviz.export.command import evaluation_settings
    from mlviz.session.scoring import confusion_at, verdict_of_all
    from mlviz.worker.evaluation import EvaluationRequest, can_evaluate, evaluate

    if not can_evaluate(engine.algorithm, engine.data):
        raise CommandError(f"{engine.algorithm.title} gives no scores for two or more classes of points here.")
    run = (engine.algorithm, engine.data, engine.params, engine.seed)
    settings = evaluation_settings(options)
    split = (settings.folds, settings.held_out)
    found = evaluate(EvaluationRequest(*run, outcome.last[1], options.scores, None, None, engine.scaling, *split))
    if found.scores is None:
        raise CommandError(found.refusal or str(found.error))
    scores = found.scores
    several = len(scores.classes) > 2
    verdict = verdict_of_all(scores) if several else confusion_at(scores, 1, scores.neutral)
    print(f"  scores on {scores.source} ({len(scores.points):,} points, {scores.origin})")
    width = max(len(name) for name, _ in verdict.rates)
    for name, value in verdict.rates:
        print(f"    {name:{width}}  {value:.4f}")


def _data(options: argparse.Namespace) -> int:
    from mlviz.data.saving import as_text, save_data, suffixes
    from mlviz.data.spec import load_data

    data = load_data(options.spec, options.target, gaps=options.gaps)
    path = None if options.out in (None, "-") else _writable(options.out, suffixes(data.kind))
    if path is None:
        sys.stdout.write(as_text(data, ","))
    else:
        save_data(path, data)
    return 0


def _script(options: argparse.Namespace) -> int:
    from mlviz.export.script import script

    path = None if options.out in (None, "-") else _writable(options.out, (".py",))
    text = script(*_run_of(options))
    if path is None:
        sys.stdout.write(text)
    else:
        _write(path, text.encode())
    return 0


def _run_to_end(algorithm: Algorithm, data: Data, params: Any, seed: int) -> Engine:
    """The finished run, from the engine of the window, with a count of its steps on a terminal."""
    from mlviz.export.frames import recorded
    from mlviz.export.terminal import Bar

    with Bar("steps") as bar:
        return recorded(algorithm, data, params, seed, bar.count)


def _print_summary(outcome: Outcome) -> None:
    from algorithms import Points
    from algorithms.maths.words import counted

    data, step = outcome.data, outcome.last[0]
    size = f"{data.n} points, {data.d} features" if isinstance(data, Points) else data.counted()
    print(f"{outcome.algorithm.title} on {data.name} ({size})")
    print(f"  {counted(outcome.steps, 'step')} with seed {outcome.seed}; {outcome.reason}")
    if step < outcome.steps:
        print(f"  at step {step}:")
    width = max((len(name) for name in outcome.metrics), default=0)
    for name, values in outcome.metrics.items():
        print(f"  {name:{width}}  {format(values[step], '.6g') if math.isfinite(values[step]) else 'not finite'}")


def _render(options: argparse.Namespace) -> int:
    from mlviz.export import command
    from mlviz.session.archive import SessionError

    session = options.key.lower().endswith(".mlviz")
    try:
        if session and Path(options.out).suffix.lower() in command.LESSONS and command.holds_lesson(Path(options.key)):
            return _render_lesson(options)
    except (SessionError, OSError) as error:
        raise CommandError(str(error)) from error
    sequence = options.out.endswith(("/", os.sep))
    path = Path(options.out) if sequence else _writable(options.out, (*command.PICTURES, *command.FILMS))
    command.check_picture_options(options, path)
    size = None if options.size is None else _size(options.size)
    step = _step(options.step)
    if session:
        command.check_session_options(options)
    run = None if session else _run_of(options)
    _draw_without_window()
    try:
        if run is None:
            command.render_session(options, Path(options.key), path, size, step)
        else:
            command.render(options, run, path, size, step)
    except SessionError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(_not_written(path, error)) from error
    return 0


def _render_lesson(options: argparse.Namespace) -> int:
    """All slides of a lesson as a handout or as a page."""
    from mlviz.export import command
    from mlviz.session.files import SessionError

    path = _writable(options.out, command.LESSONS)
    command.check_lesson_options(options)
    _draw_without_window()
    try:
        command.render_lesson(Path(options.key), path, options.theme)
    except SessionError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(_not_written(path, error)) from error
    return 0


def _tour(options: argparse.Namespace) -> int:
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"The folder {str(folder)!r} cannot be made: {error.strerror or error}.") from error
    _draw_without_window()
    from mlviz.export.tour import render_tour

    render_tour(folder)
    return 0


def _thumbnails(options: argparse.Namespace) -> int:
    from algorithms import find

    for key in options.keys:
        find(key)
    _draw_without_window()
    from mlviz.export.thumbnails import make

    for path in make(options.keys, options.theme):
        print(path)
    return 0


def _draw_without_window() -> None:
    """Pictures need no screen, so they must not fail where there is none, nor open anything where there is one."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"


# -- reading the options ----------------------------------------------------------------------------------------------


def _run_of(options: argparse.Namespace) -> tuple[Algorithm, Data, Any, int]:
    """The algorithm, the data, the parameters and the seed that the options name, all checked."""
    from algorithms import Nothing, find
    from algorithms.fitting import refuse_other_kinds
    from algorithms.moved import moved
    from mlviz.data.spec import load_data

    key, given, words = moved(options.key, _assigned(options.param))
    if words:
        print(f"mlviz: {words}", file=sys.stderr)
    algorithm = find(key)
    params = algorithm.make_params(_values(algorithm, given))
    if not 0 <= options.seed <= MAX_SEED:
        raise CommandError(f"--seed must be a whole number from 0 to {MAX_SEED}; got {options.seed}.")
    if options.data is None and algorithm.accepts:
        raise CommandError(f"the following arguments are required: --data (see mlviz {options.name} --help)")
    kinds = [kind.kind for kind in algorithm.accepts]
    data = Nothing() if options.data is None else load_data(options.data, options.target, kinds, options.gaps)
    return algorithm, refuse_other_kinds(algorithm, data), params, options.seed


def _assigned(assignments: Sequence[str]) -> dict[str, str]:
    """The texts of ``name=value``, by name."""
    given: dict[str, str] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise CommandError(f"--param needs name=value, for example k=3; got {assignment!r}.")
        if name in given:
            raise CommandError(f"The parameter {name!r} is given twice.")
        given[name] = text
    return given


def _values(algorithm: Algorithm, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that texts mean, each parsed by the parameter's own declaration."""
    fields = {field.name: field for field in algorithm.fields}
    for name in given:
        if name not in fields:
            near = difflib.get_close_matches(name, fields, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(fields)}."
            raise CommandError(f"{algorithm.key} has no parameter {name!r}; {hint}")
    return {name: fields[name].parse(str(text)) for name, text in given.items()}


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text.strip().lower(), re.ASCII)
    if match is None or not all(SMALLEST <= int(side) <= LARGEST for side in match.groups()):
        raise CommandError(f"--size must be like 1200x800, each side from {SMALLEST} to {LARGEST}; got {text!r}.")
    return int(match[1]), int(match[2])


def _step(text: str | None) -> int | None:
    """The number of the frame; None is the last one."""
    if text in (None, "last"):
        return None
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) is None:
        raise CommandError(f"--step must be a whole number from 0, or last; got {text!r}.")
    return int(text)


def _writable(text: str, suffixes: tuple[str, ...]) -> Path:
    """The path, refused before a long run rather than after it."""
    path = Path(text)
    if path.suffix.lower() not in suffixes:
        raise CommandError(f"--out must end with {_either(suffixes)}; got {text!r}.")
    if path.is_dir():
        raise CommandError(f"{text!r} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise CommandError(f"The folder {str(path.parent)!r} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandError(f"{text!r} cannot be written: permission denied.")
    return path


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _write(path: Path, content: bytes) -> None:
    from mlviz.export.atomic_file import write

    try:
        write(path, content)
    except OSError as error:
        raise CommandError(_not_written(path, error)) from error


def _not_written(path: Path, error: OSError) -> str:
    return f"{str(path)!r} cannot be written: {error.strerror or error}."


# -- the parser -------------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    from mlviz.export.command import add_picture_options, add_split_options

    parser = _Parser(
        prog="mlviz",
        description="The visual machine-learning laboratory. Without a command it opens the window.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mlviz {__version__}")
    parser.set_defaults(command=_open_window)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    opening = _command(commands, "open", _open, "open the window on a saved session")
    opening.add_argument("file", metavar="FILE", help="a session (.mlviz)")

    listing = _command(commands, "list", _list, "print the algorithms and their parameters")
    listing.add_argument("--json", action="store_true", help="for other programs")

    fit = _command(commands, "fit", _fit, "run an algorithm to its end and print or write what it learned")
    _add_run_options(fit)
    fit.add_argument("--step", metavar="N", help="the state after this step; 0 is the initial one (default: last)")
    fit.add_argument("--all-steps", action="store_true", help="write the states of all steps")
    fit.add_argument(
        "--what",
        choices=["parameters", "predictions", "metrics"],
        default="parameters",
        help="which table a .csv holds (default: parameters)",
    )
    fit.add_argument(
        "--scores",
        choices=["training", "validation", "cross-validation"],
        help="also print how good a classifier is on these points",
    )
    add_split_options(fit)
    fit.add_argument(
        "--out", metavar="FILE", help="write .json, .csv or .npz (- prints JSON) instead of printing a summary"
    )

    data = _command(commands, "data", _data, "write the points of a generator or a file as a table")
    data.add_argument("spec", metavar="SPEC", help="moons(n=300,noise=0.1,seed=1), iris, or a file")
    _add_table_options(data)
    data.add_argument("--out", metavar="FILE", help=".csv, .tsv, .npz or .parquet (default: CSV on stdout)")

    script = _command(commands, "script", _script, "write a Python script that gives the same run again")
    _add_run_options(script)
    script.add_argument("--out", metavar="FILE", help="a Python file (default: print it)")

    render = _command(commands, "render", _render, "draw one step as a picture, or the whole run as a film")
    _add_run_options(render, lessons=True)
    add_picture_options(render)

    pictures = _command(commands, "thumbnails", _thumbnails, "draw the small pictures of the gallery into the cache")
    pictures.add_argument("keys", metavar="KEY", nargs="*", help="algorithms (default: all)")
    pictures.add_argument("--theme", choices=["light", "dark"], default="light", help="colours (default: light)")

    tour = _command(commands, "tour", _tour, "draw a picture of every panel and a film, without a window")
    tour.add_argument("--out", metavar="DIR", default="out", help="folder to draw into (default: out)")
    return parser


def _command(commands: Any, name: str, function: Callable[..., int], text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    parser.set_defaults(command=function, name=name)
    return parser


def _add_table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", metavar="COLUMN", help="target column of the file, by name or number from 1")
    parser.add_argument(
        "--gaps",
        choices=["drop", "mean", "median", "mode"],
        default="refuse",
        help="leave out rows with missing values, or fill in the mean, median or most frequent value of the column",
    )


def _add_run_options(parser: argparse.ArgumentParser, lessons: bool = False) -> None:
    words = "an algorithm, as printed by mlviz list" + (", or a session (.mlviz)" if lessons else "")
    parser.add_argument("key", metavar="KEY", help=words)
    parser.add_argument("--data", metavar="SPEC", help="moons(n=300,noise=0.1,seed=1), iris, karate, or a file")
    _add_table_options(parser)
    parser.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter; may be repeated"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="which random numbers (default: 0)")
