"""What several commands ask for: a method with its data, parameters and seed, a step, a size."""

from __future__ import annotations

import argparse
import csv
import difflib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from algorithms import Data
    from algorithms.contract import Algorithm
    from algorithms.data.readiness import WantedScale
    from mlviz.data.understanding import Wishes
    from mlviz.worker.engine import Engine

SMALLEST, LARGEST = 64, 8192
MAX_SEED = 2**31 - 1


class CommandError(ValueError):
    """A command that cannot be carried out; the message is a full sentence."""


class Parser(argparse.ArgumentParser):
    """Complains in one line, without the usage text that would hide it."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message} (see {self.prog} --help)")


def add_command(commands: Any, name: str, function: Callable[..., int], text: str) -> argparse.ArgumentParser:
    """Declare a command: its name, what carries it out, and what it does, in words."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    parser.set_defaults(command=function, name=name, scaled=None)
    return parser


def add_table_options(parser: argparse.ArgumentParser) -> None:
    """Declare how a table is read; what is not given is decided by looking at it."""
    parser.add_argument("--target", metavar="COLUMN", help="target column, by name or number from 1; '' for none")
    for name, text in (
        ("features", "the columns to use, and no others"),
        ("ignore", "columns to leave out"),
        ("category", "columns whose numbers are codes of a category"),
    ):
        parser.add_argument(f"--{name}", metavar="A,B,...", type=_names, default=(), help=text)
    parser.add_argument(
        "--gaps",
        choices=["suggested", "refuse", "drop", "mean", "median", "mode"],
        default="suggested",
        help="missing values: few rows are left out, otherwise columns are filled (suggested); or refuse, leave out "
        "every such row, or fill in the mean, median or most frequent value of the column",
    )


def wishes_of(options: argparse.Namespace, needs: Any = "any") -> Wishes:
    """What the options ask of the columns of a table, for a method with these needs."""
    from mlviz.data.understanding import Wishes

    return Wishes(options.target, needs, options.features, options.ignore, options.category)


def _names(text: str) -> tuple[str, ...]:
    """Names of columns with commas between them; in quotation marks where they have commas themselves."""
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []) if name.strip())


def add_run_options(parser: argparse.ArgumentParser, lessons: bool = False) -> None:
    """Declare what fixes a run: method, data, parameters and seed."""
    words = "an algorithm, as printed by mlviz list" + (", or a session (.mlviz)" if lessons else "")
    parser.add_argument("key", metavar="KEY", help=words)
    parser.add_argument("--data", metavar="SPEC", help="moons(n=300,noise=0.1,seed=1), iris, karate, or a file")
    add_table_options(parser)
    parser.add_argument(
        "--scaling",
        choices=["suggested", "none", "standardised", "0 to 1"],
        help="the scale of the features: standardised where the columns of a file are unlike (suggested, "
        "for files), as they are (none, for built-in data), or one of these",
    )
    parser.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], help="a parameter; may be repeated"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="which random numbers (default: 0)")


def run_of(options: argparse.Namespace) -> tuple[Algorithm, Data, Any, int]:
    """The algorithm, the data, the parameters and the seed that the options name, all checked."""
    from algorithms import Nothing, find
    from algorithms.fitting import refuse_other_kinds
    from algorithms.moved import moved
    from algorithms.params import suited
    from mlviz.data.spec import is_table

    key, given, words = moved(options.key, _assigned(options.param))
    if words:
        print(f"mlviz: {words}", file=sys.stderr)
    algorithm = find(key)
    values = _values(algorithm, given)
    # what is wrong with them is said before the data are read
    params = algorithm.make_params(suited(algorithm.params, values))
    if not 0 <= options.seed <= MAX_SEED:
        raise CommandError(f"--seed must be a whole number from 0 to {MAX_SEED}; got {options.seed}.")
    if options.data is None and not algorithm.takes(Nothing()):
        raise CommandError(f"the following arguments are required: --data (see mlviz {options.name} --help)")
    kinds = [kind.kind for kind in algorithm.accepts if kind is not Nothing]
    data = Nothing() if options.data is None else _data_of(options, algorithm, kinds)
    if options.data is not None and is_table(options.data):
        params = _with_suggestions(algorithm, data, values)
    return algorithm, refuse_other_kinds(algorithm, data), params, options.seed


def _with_suggestions(algorithm: Algorithm, data: Data, values: dict[str, Any]) -> Any:
    """The parameters with these values and with what the data of a file suggest for the other knobs, which is said."""
    from algorithms.params import as_dict, suited
    from algorithms.suggestions import suggested_params

    found = suggested_params(algorithm, data, values)
    params = algorithm.make_params(suited(algorithm.params, found))
    used = as_dict(params)
    for field in algorithm.fields:
        if field.suggest is not None and field.name in found and field.name not in values and field.relevant(used):
            print(f"mlviz: {field.name}={used[field.name]} is suggested {field.suggest.source}.", file=sys.stderr)
    return params


def run_to_end(algorithm: Algorithm, data: Data, params: Any, seed: int) -> Engine:
    """The finished run, from the engine of the window, with a count of its steps on a terminal."""
    from mlviz.export.frames import recorded
    from mlviz.export.terminal import Bar

    with Bar("steps") as bar:
        return recorded(algorithm, data, params, seed, bar.count)


def say_warnings(warnings: Sequence[str]) -> None:
    """What deserves doubt in the result, each sentence once."""
    for warning in dict.fromkeys(warnings):
        print(f"mlviz: warning: {warning}", file=sys.stderr)


def _data_of(options: argparse.Namespace, algorithm: Algorithm, kinds: list[str]) -> Data:
    from algorithms.data import Points
    from algorithms.data.readiness import ready_for
    from mlviz.data.spec import is_table, load_data

    data: Data = load_data(options.data, wishes_of(options, algorithm.target), kinds, options.gaps)
    wanted: WantedScale = options.scaling or ("suggested" if is_table(options.data) else "none")
    if not isinstance(data, Points) or not algorithm.takes(data):
        return data
    if is_table(options.data) or wanted != "none":
        data, options.scaled, words = ready_for(algorithm, data, wanted)
        if words:
            print(f"mlviz: {words}", file=sys.stderr)
    return data


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


def size_of(text: str) -> tuple[int, int]:
    """The width and the height of a picture."""
    match = re.fullmatch(r"(\d{1,6})x(\d{1,6})", text.strip().lower(), re.ASCII)
    if match is None or not all(SMALLEST <= int(side) <= LARGEST for side in match.groups()):
        raise CommandError(f"--size must be like 1200x800, each side from {SMALLEST} to {LARGEST}; got {text!r}.")
    return int(match[1]), int(match[2])


def step_of(text: str | None) -> int | None:
    """The number of the frame; None is the last one."""
    if text in (None, "last"):
        return None
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) is None:
        raise CommandError(f"--step must be a whole number from 0, or last; got {text!r}.")
    return int(text)
