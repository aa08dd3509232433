"""The options of ``mlviz render``: declared and checked here, without anything heavy, so that ``--help`` is quick."""

from __future__ import annotations

import argparse
from pathlib import Path

from algorithms.dataset import DataError

PICTURES, FILMS = (".png", ".svg", ".pdf"), (".gif", ".webp", ".mp4", ".html")
MOST_ON_A_SHEET = 24
_RANGES = (("fps", 0.1, 60), ("hold", 0, 60), ("scale", 0.25, 10), ("every", 1, 10**9), ("handout", 1, MOST_ON_A_SHEET))


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
    looks.add_argument("--view", metavar="KEY", default="", help="one view alone: a panel such as plane, or curves")
    looks.add_argument("--transparent", action="store_true", help="no background")
    picture = parser.add_argument_group("pictures")
    picture.add_argument("--step", metavar="N", help="which step; 0 is the initial state (default: last)")
    picture.add_argument("--handout", metavar="N", type=int, help="so many steps of the run on one sheet")
    film = parser.add_argument_group("films")
    film.add_argument("--first", metavar="N", type=int, default=0, help="first step (default: 0)")
    film.add_argument("--last", metavar="N", type=int, help="last step (default: the end)")
    film.add_argument("--every", metavar="N", type=int, help="only every N-th step (default: as many as fit)")
    film.add_argument("--fps", metavar="X", type=float, default=8.0, help="frames a second (default: 8)")
    film.add_argument("--hold", metavar="X", type=float, default=2.0, help="seconds on the last frame (default: 2)")


def check_picture_options(options: argparse.Namespace, path: Path) -> bool:
    """Whether a film is wanted; options that do not belong together are refused before the run, not after it."""
    film = path.suffix == "" or path.suffix.lower() in FILMS
    if not path.suffix and not path.absolute().parent.is_dir():
        raise DataError(f"The folder {str(path.parent)!r} does not exist.")
    if film and options.step is not None:
        raise DataError("--step chooses the frame of a picture; a film shows them all (or --first to --last).")
    if film and (options.handout is not None or options.transparent):
        raise DataError("--handout and --transparent are for pictures, not for films.")
    for name, low, high in _RANGES:
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            raise DataError(f"--{name} must be from {low} to {high}; got {value}.")
    return film
