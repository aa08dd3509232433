"""``mlviz fit``: run a method to its end and say or write what it learned."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from mlviz.cli.files import writable, write
from mlviz.cli.options import CommandError, add_command, add_run_options, run_of, run_to_end, say_warnings, step_of

if TYPE_CHECKING:
    from mlviz.export.parameters import Outcome
    from mlviz.worker.engine import Engine


def add(commands: Any) -> None:
    """Declare the command."""
    from mlviz.export.command import add_split_options

    parser = add_command(commands, "fit", _fit, "run an algorithm to its end and print or write what it learned")
    add_run_options(parser)
    parser.add_argument("--step", metavar="N", help="the state after this step; 0 is the initial one (default: last)")
    parser.add_argument("--all-steps", action="store_true", help="write the states of all steps")
    parser.add_argument(
        "--what",
        choices=["parameters", "predictions", "metrics"],
        default="parameters",
        help="which table a .csv holds (default: parameters)",
    )
    parser.add_argument(
        "--scores",
        choices=["training", "validation", "cross-validation"],
        help="also print how good a classifier is on these points",
    )
    add_split_options(parser)
    parser.add_argument(
        "--out", metavar="FILE", help="write .json, .csv or .npz (- prints JSON) instead of printing a summary"
    )


def _fit(options: argparse.Namespace) -> int:
    from mlviz.export import tables
    from mlviz.export.frames import checked_step, outcome_of

    step = step_of(options.step)
    if options.all_steps and options.step is not None:
        raise CommandError("--step chooses one step and --all-steps all of them; give one or the other.")
    path = None if options.out in (None, "-") else writable(options.out, tables.OUTCOME_SUFFIXES)
    if options.what != "parameters" and (path is None or path.suffix.lower() != ".csv"):
        raise CommandError(f"--what {options.what} is a table: give --out FILE.csv (JSON and NPZ hold everything).")
    engine = run_to_end(*run_of(options))
    count = len(engine.timeline)
    steps = range(count) if options.all_steps else [checked_step(count, step)]
    outcome = outcome_of(engine, steps)
    say_warnings(outcome.warnings)
    if options.out is None:
        _print_summary(outcome)
        if options.scores is not None:
            _print_scores(engine, outcome, options)
    elif path is None:
        sys.stdout.write(tables.outcome_bytes(outcome, ".json").decode())
    elif options.what == "predictions":
        write(path, tables.predictions_csv(outcome).encode())
    elif options.what == "metrics":
        write(path, tables.metrics_csv(outcome.metrics).encode())
    elif path.suffix.lower() == ".json" and len(steps) == 1:
        write(path, _with_predictor(outcome, options.scaled).encode())
    else:
        write(path, tables.outcome_bytes(outcome, path.suffix.lower()))
    return 0


def _with_predictor(outcome: Outcome, scaling: Any) -> str:
    """The fitted file, with what ``mlviz predict`` needs where the method answers for new rows."""
    from algorithms import DataError, Points
    from algorithms.data.scaling import AS_GIVEN
    from mlviz.export.model_file import predictor
    from mlviz.export.parameters import as_json, fitted

    record = fitted(outcome)
    if outcome.algorithm.predict is not None and isinstance(outcome.data, Points):
        try:
            record["predictor"] = predictor(outcome.algorithm, outcome.data, scaling or AS_GIVEN, outcome.last[1])
        except DataError as error:
            print(f"mlviz: mlviz predict cannot use this file: {error}", file=sys.stderr)
    return as_json(record)


def _print_summary(outcome: Outcome) -> None:
    from algorithms import Points
    from algorithms.maths.words import UNKNOWN, counted
    from mlviz.export.learned import learned

    data, step = outcome.data, outcome.last[0]
    size = f"{data.n} points, {data.d} features" if isinstance(data, Points) else data.counted()
    print(f"{outcome.algorithm.title} on {data.name} ({size})")
    print(f"  {counted(outcome.steps, 'step')} with seed {outcome.seed}; {outcome.reason}")
    there = outcome.algorithm.counted_at(outcome.last[1])
    if step < outcome.steps or there:
        print(f"  at step {step}{f' ({there})' if there else ''}:")
    width = max((len(name) for name in outcome.metrics), default=0)
    for name, values in outcome.metrics.items():
        print(f"  {name:{width}}  {UNKNOWN if math.isnan(values[step]) else format(values[step], '.6g')}")
    for line in learned(outcome):
        print(f"  {line}")


def _print_scores(engine: Engine, outcome: Outcome, options: argparse.Namespace) -> None:
    """How good the answers are, on points that the model was trained on or on others."""
    from mlviz.export.command import evaluation_settings
    from mlviz.session.scoring import confusion_at, confusion_of_all
    from mlviz.session.value_scoring import ValueScores
    from mlviz.worker.evaluation import EvaluationRequest, can_evaluate, evaluate

    if not can_evaluate(engine.algorithm, engine.data):
        raise CommandError(f"{engine.algorithm.title} gives no scores for classes or values of points here.")
    run = (engine.algorithm, engine.data, engine.params, engine.seed)
    settings = evaluation_settings(options)
    split = (settings.folds, settings.held_out)
    found = evaluate(EvaluationRequest(*run, outcome.last[1], options.scores, None, None, *split))
    if found.scores is None:
        raise CommandError(found.refusal or str(found.error))
    scores = found.scores
    print(f"  scores on {scores.source} ({len(scores.points):,} points, {scores.origin})")
    if isinstance(scores, ValueScores):
        rates, form = scores.rates, ".4g"
    else:
        several = len(scores.classes) > 2
        rates, form = (confusion_of_all(scores) if several else confusion_at(scores, 1, scores.neutral)).rates, ".4f"
    width = max(len(name) for name, _ in rates)
    for name, value in rates:
        print(f"    {name:{width}}  {value:{form}}")
