"""``mlviz render``: one step as a picture, the whole run as a film, a lesson as a handout."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlviz.cli.files import draw_without_window, not_written, writable
from mlviz.cli.options import CommandError, add_command, add_run_options, run_of, say_warnings, size_of, step_of

if TYPE_CHECKING:
    from mlviz.export.command import Drawn


def add(commands: Any) -> None:
    """Declare the command."""
    from mlviz.export.command import add_picture_options

    parser = add_command(commands, "render", _render, "draw one step as a picture, or the whole run as a film")
    add_run_options(parser, lessons=True)
    add_picture_options(parser)


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
    path = Path(options.out) if sequence else writable(options.out, (*command.PICTURES, *command.FILMS))
    command.check_picture_options(options, path)
    size = None if options.size is None else size_of(options.size)
    step = step_of(options.step)
    if session:
        command.check_session_options(options)
    run = None if session else run_of(options)
    draw_without_window()
    try:
        if run is None:
            drawn = command.render_session(options, Path(options.key), path, size, step)
        else:
            drawn = command.render(options, run, path, size, step)
    except SessionError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(not_written(path, error)) from error
    _say(drawn, options.out)
    return 0


def _say(drawn: Drawn, out: str) -> None:
    say_warnings(drawn.warnings)
    print(f"wrote {out}: {drawn.what}")


def _render_lesson(options: argparse.Namespace) -> int:
    """All slides of a lesson as a handout or as a page."""
    from mlviz.export import command
    from mlviz.session.files import SessionError

    path = writable(options.out, command.LESSONS)
    command.check_lesson_options(options)
    draw_without_window()
    try:
        drawn = command.render_lesson(Path(options.key), path, options.theme)
    except SessionError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(not_written(path, error)) from error
    _say(drawn, options.out)
    return 0
