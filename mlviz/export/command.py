"""``mlviz render``: its options are declared and checked here, and carried out.

Nothing heavy is imported before it is needed, so that ``--help`` is quick.
"""

from __future__ import annotations

import argparse
import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algorithms.data import Data, DataError, Points
from algorithms.maths.words import counted
from mlviz.session.projection import Axes, PrincipalPlane, is_seen_by_pca

if TYPE_CHECKING:
    from collections.abc import Callable

    from algorithms.contract import Algorithm
    from mlviz.export.pieces import AnyRun
    from mlviz.export.render import Style
    from mlviz.session.document import Document
    from mlviz.session.layout import EvaluationSettings

PICTURES, FILMS = (".png", ".svg", ".pdf"), (".gif", ".webp", ".mp4", ".html")
LESSONS = (".pdf", ".html")
EVALUATION_VIEWS = (
    *("evaluation", "histogram", "roc", "precision_recall", "confusion"),  # of a classifier
    *("fitted", "residuals", "qq", "residual_histogram"),  # of values
)
_FOR_FILMS = ("first", "last", "every", "fps", "hold")
MOST_ON_A_SHEET = 24
_RANGES = (("fps", 0.1, 60), ("hold", 0, 60), ("scale", 0.25, 10), ("every", 1, 10**9), ("handout", 1, MOST_ON_A_SHEET))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Which steps a file shows, in words, and what deserves doubt in them."""

    what: str
    warnings: tuple[str, ...]


def add_picture_options(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "--out",
        metavar="FILE",
        required=True,
        help="a picture (.png .svg .pdf), a film (.gif .webp .mp4), a page that replays the run (.html), "
        "or a folder ending with / for numbered PNG frames",
    )
    looks = parser.add_argument_group("the look")
    looks.add_argument("--preset", choices=["screen", "slide", "column"], default="screen", help="sizes by purpose")
    looks.add_argument("--size", metavar="WxH", help="in logical pixels (default: that of the preset, 1200x800)")
    looks.add_argument("--scale", metavar="X", type=float, help="pixels for each logical one (default: by preset)")
    looks.add_argument("--theme", choices=["light", "dark"], default="light", help="colours (default: light)")
    looks.add_argument(
        "--view",
        metavar="KEY",
        default="",
        help="one view alone: a panel such as plane, curves, or evaluation; of a classifier also histogram, roc, "
        "precision_recall or confusion, of values fitted, residuals, qq or residual_histogram "
        "(default: the whole figure)",
    )
    looks.add_argument(
        "--scores",
        choices=["training", "validation", "cross-validation"],
        help="which points the evaluation scores (default: training)",
    )
    add_split_options(looks)
    looks.add_argument(
        "--axes",
        metavar="A,B",
        help="what the plane shows of more than two features: two of them by name or number from 1, or pca",
    )
    looks.add_argument("--transparent", action="store_true", help="no background")
    picture = parser.add_argument_group("pictures")
    picture.add_argument("--step", metavar="N", help="which step; 0 is the initial state (default: last)")
    picture.add_argument("--handout", metavar="N", type=int, help="so many steps of the run on one sheet")
    picture.add_argument("--steps", metavar="LIST", help="a handout of these steps, for example 0,3,10-12")
    film = parser.add_argument_group("films")
    film.add_argument("--first", metavar="N", type=int, help="first step (default: 0)")
    film.add_argument("--last", metavar="N", type=int, help="last step (default: the end)")
    film.add_argument("--every", metavar="N", type=int, help="only every N-th step (default: as many as fit)")
    film.add_argument("--fps", metavar="X", type=float, help="frames a second (default: 8)")
    film.add_argument("--hold", metavar="X", type=float, help="seconds on the last frame (default: 2)")


def check_picture_options(options: argparse.Namespace, path: Path) -> bool:
    """Whether a film is wanted; options that do not belong together are refused before the run, not after it."""
    film = path.suffix == "" or path.suffix.lower() in FILMS
    if not path.suffix and not path.absolute().parent.is_dir():
        raise DataError(f"The folder {str(path.parent)!r} does not exist.")
    if film and options.step is not None:
        raise DataError("--step chooses the frame of a picture; a film shows them all (or --first to --last).")
    if film and (options.handout is not None or options.steps is not None or options.transparent):
        raise DataError("--handout, --steps and --transparent are for pictures, not for films.")
    if options.step is not None and (options.handout is not None or options.steps is not None):
        raise DataError("--step chooses one step; a handout shows several (--handout N, or --steps LIST).")
    given = [f"--{name}" for name in _FOR_FILMS if getattr(options, name) is not None]
    if given and not film:
        raise DataError(f"{given[0]} is for films; {path.name} is a picture.")
    if options.scores is not None and options.view not in EVALUATION_VIEWS:
        raise DataError("--scores needs --view " + ", ".join(EVALUATION_VIEWS[:-1]) + f" or {EVALUATION_VIEWS[-1]}.")
    for name, low, high in _RANGES:
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            raise DataError(f"--{name} must be from {low} to {high}; got {value}.")
    return film


def check_session_options(options: argparse.Namespace) -> None:
    """Refuse what chooses something that a session has chosen already."""
    for name in ("data", "target", "param", "seed", "axes"):
        if getattr(options, name, None):
            raise DataError(f"--{name} does not go with a session, which says what is run and seen.")


def holds_lesson(session: Path) -> bool:
    """Whether a session file has slides; what is wrong with the file is raised."""
    from mlviz.session.files import load

    return bool(load(session).document.lesson.slides)


def render_session(
    options: argparse.Namespace, session: Path, path: Path, size: tuple[int, int] | None, step: int | None
) -> Drawn:
    """What a session file looks at, all boards side by side; a picture is of the step at which it was left."""
    from mlviz.export.presets import PRESETS
    from mlviz.export.render import Style
    from mlviz.session.files import load
    from mlviz.worker.shared_run import finished_run

    loaded = load(session)
    document = loaded.document
    looks = (options.theme, size, options.scale, options.view, options.transparent, document.axes, loaded.layout)
    style = Style(PRESETS[options.preset], *looks)
    style.look(document.method, document.data)
    left, chosen = loaded.extra.get("playhead"), options.step is not None

    def record(progress: Callable[[int], None]) -> tuple[Document, AnyRun]:
        return document, finished_run(document, progress)

    resting = left if isinstance(left, int) and left >= 0 and not chosen else None
    return _draw(options, record, style, path, step, resting)


def check_lesson_options(options: argparse.Namespace) -> None:
    """Refuse what chooses something that a lesson has chosen already."""
    chosen = ("data", "target", "param", "size", "scale", "view", "scores", "axes", "transparent", "step")
    for name in (*chosen, "handout", "steps", *_FOR_FILMS):
        if getattr(options, name, None):
            raise DataError(f"--{name} does not go with a lesson, whose slides say how they look.")


def render_lesson(session: Path, path: Path, theme: str) -> Drawn:
    """All slides of the lesson in a session file, as PDF or HTML."""
    from mlviz.export.lesson import lesson_handout, lesson_page
    from mlviz.export.pieces import finished
    from mlviz.export.render import application
    from mlviz.export.terminal import Bar
    from mlviz.session.files import load

    lesson = load(session).document.lesson
    if not lesson.slides:
        raise DataError(f"{session.name} holds no lesson.")
    application()
    pieces = lesson_page(lesson, path, theme) if path.suffix.lower() == ".html" else lesson_handout(lesson, path)
    with Bar("slides") as bar:
        finished(pieces, bar.progress)
    return Drawn(counted(len(lesson.slides), "slide"), ())


def render(
    options: argparse.Namespace,
    run: tuple[Algorithm, Data, Any, int],
    path: Path,
    size: tuple[int, int] | None,
    step: int | None,
) -> Drawn:
    """Draw what the options ask for; the look is checked before the run, which may take long."""
    from mlviz.export.frames import recorded
    from mlviz.export.presets import PRESETS
    from mlviz.export.render import Style, document_of
    from mlviz.session.layout import Layout

    axes = chosen_axes(options.axes, options.data, run[1])
    layout = Layout(evaluation=evaluation_settings(options))
    looks = (options.theme, size, options.scale, options.view, options.transparent, axes, layout)
    style = Style(PRESETS[options.preset], *looks)
    style.look(run[0], run[1])

    def record(progress: Callable[[int], None]) -> tuple[Document, AnyRun]:
        engine = recorded(*run, progress)
        return document_of(engine, axes), engine

    return _draw(options, record, style, path, step)


def _draw(
    options: argparse.Namespace,
    record: Callable[[Callable[[int], None]], tuple[Document, AnyRun]],
    style: Style,
    path: Path,
    step: int | None,
    resting: int | None = None,
) -> Drawn:
    """Draw the runs that are recorded; ``resting`` is the step of a picture where none was chosen, if it exists."""
    from mlviz.export.films import Timing
    from mlviz.export.frames import checked_step, listed_steps, warnings_at
    from mlviz.export.render import Span, draw_film, draw_handout, draw_picture
    from mlviz.export.terminal import Bar

    chosen = None if options.steps is None else listed_steps(options.steps)
    film = path.suffix == "" or path.suffix.lower() in FILMS
    with Bar("steps") as bar:
        document, run = record(bar.count)
        if chosen is not None or options.handout is not None:
            count = options.handout or MOST_ON_A_SHEET
            steps = draw_handout(document, run, path, count=count, steps=chosen, style=style, progress=bar.progress)
        elif film:
            usual = Timing()
            span = Span(options.first or 0, options.last, options.every)
            timing = Timing(
                usual.fps if options.fps is None else options.fps,
                usual.hold if options.hold is None else options.hold,
            )
            steps = draw_film(document, run, path, span=span, timing=timing, style=style, progress=bar.progress)
        else:
            step = step if resting is None else min(resting, len(run.timeline) - 1)
            draw_picture(document, run, path, step=step, style=style)
            steps = [checked_step(len(run.timeline), step)]
    which = f"step {steps[0]}" if len(steps) == 1 else f"{len(steps)} steps from {steps[0]} to {steps[-1]}"
    return Drawn(f"{which} of {len(run.timeline) - 1}", warnings_at(run, steps))


def chosen_axes(text: str | None, spec: str | None, data: Data) -> Axes:
    """What ``--axes`` asks for; without it what the window shows first of this data."""
    if text is None:
        from mlviz.data.spec import first_axes

        if is_seen_by_pca(data):
            return PrincipalPlane.of(data)  # type: ignore[arg-type]
        return first_axes(spec) if spec is not None and isinstance(data, Points) else (0, 1)
    if not isinstance(data, Points):
        raise DataError(f"--axes chooses features of points; {data.name} has none.")
    if data.d < 3:
        raise DataError(f"--axes needs more than two features; {data.name} has {data.d}.")
    if text.strip().lower() == "pca":
        return PrincipalPlane.of(data)
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise DataError(f"--axes must be pca or two features with a comma between them; got {text!r}.")
    first, second = (_feature(name, data.features) for name in names)
    if first == second:
        raise DataError(f"--axes names the feature {data.features[first]!r} twice.")
    return first, second


def _feature(name: str, features: tuple[str, ...]) -> int:
    """A feature by name, or by number counted from 1."""
    if name in features:
        return features.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(features):
        return int(name[:9]) - 1
    near = difflib.get_close_matches(name, features, n=1)
    some = ", ".join(features[:12]) + (" ..." if len(features) > 12 else "")
    hint = f"did you mean {near[0]!r}?" if near else f"there are {some}."
    raise DataError(f"--axes: there is no feature {name!r}; {hint}")


def add_split_options(command: argparse._ActionsContainer) -> None:
    """How the evaluation divides the points."""
    command.add_argument("--folds", type=int, metavar="K", help="parts of the cross-validation (default: 5)")
    command.add_argument(
        "--held-out", type=float, metavar="F", help="fraction that validation holds out (default: 0.3)"
    )


def evaluation_settings(options: argparse.Namespace) -> EvaluationSettings:
    """What the options say about the evaluation, checked."""
    from mlviz.session.layout import FOLDS, HELD_OUT, EvaluationSettings

    usual = EvaluationSettings()
    folds = usual.folds if options.folds is None else options.folds
    held_out = usual.held_out if options.held_out is None else options.held_out
    if not FOLDS[0] <= folds <= FOLDS[1]:
        raise DataError(f"--folds must be a whole number from {FOLDS[0]} to {FOLDS[1]}; got {folds}.")
    if not HELD_OUT[0] <= held_out <= HELD_OUT[1]:
        raise DataError(f"--held-out must be a number from {HELD_OUT[0]} to {HELD_OUT[1]}; got {held_out:g}.")
    return EvaluationSettings(options.scores or "training", folds=folds, held_out=held_out)
