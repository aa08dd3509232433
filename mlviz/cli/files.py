"""Files that commands write: refused before a long run rather than after it, and never half written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mlviz.cli.options import CommandError


def writable(text: str, suffixes: tuple[str, ...]) -> Path:
    """The path, refused before a long run rather than after it."""
    path = Path(text)
    try:
        return _checked(path, text, suffixes)
    except OSError as error:  # a name that no file can have
        raise CommandError(not_written(path, error)) from error


def _checked(path: Path, text: str, suffixes: tuple[str, ...]) -> Path:
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


def write(path: Path, content: bytes) -> None:
    """Write a whole file or none."""
    from mlviz.export import atomic_file

    try:
        atomic_file.write(path, content)
    except OSError as error:
        raise CommandError(not_written(path, error)) from error


def not_written(path: Path, error: OSError) -> str:
    """The sentence about a file that could not be written."""
    return f"{str(path)!r} cannot be written: {error.strerror or error}."


def draw_without_window() -> None:
    """Pictures need no screen, so they must not fail where there is none, nor open anything where there is one."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
