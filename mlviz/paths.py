"""Where things lie: the assets, in a checkout or in an installed package, and the user's own folders."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "MLVIZ_HOME"
"""When set, settings, logs and caches all go below this folder: tests and portable installations use it."""


@functools.cache
def assets() -> Path:
    """The folder of icons, data sets, themes and lessons."""
    package = Path(__file__).resolve().parent
    installed = package / "assets"
    return installed if installed.is_dir() else package.parent / "assets"


def config_folder() -> Path:
    """Where settings and the last session are kept; made when missing."""
    return _folder("config", platformdirs.user_config_path("mlviz", appauthor=False))


def log_folder() -> Path:
    """Where the log file is written; made when missing."""
    return _folder("log", platformdirs.user_log_path("mlviz", appauthor=False))


def cache_folder() -> Path:
    """Where things lie that can be made again; made when missing."""
    return _folder("cache", platformdirs.user_cache_path("mlviz", appauthor=False))


def _folder(kind: str, usual: Path) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    folder = Path(home) / kind if home else usual
    folder.mkdir(parents=True, exist_ok=True)
    return folder
