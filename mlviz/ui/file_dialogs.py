"""Asking for a file: the dialog begins in the folder and with the format of the last time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from mlviz import paths
from mlviz.views.plain_text import plain


def settings() -> QSettings:
    """The settings file."""
    return QSettings(str(paths.config_folder() / "settings.ini"), QSettings.Format.IniFormat)


def last_folder() -> str:
    """Where files were last opened or saved."""
    return str(settings().value("folder", str(Path.home())))


def remember_folder(path: Path) -> None:
    """Begin there the next time."""
    settings().setValue("folder", str(path.parent))


def ask_to_open(parent: QWidget, kind: str, title: str, filters: str) -> Path | None:
    """The file that the user chooses; ``kind`` says for what the format is remembered."""
    name, chosen = QFileDialog.getOpenFileName(parent, title, last_folder(), filters, _last_filter(kind, filters))
    return _chosen(kind, name, chosen)


def ask_to_save(
    parent: QWidget, kind: str, title: str, proposal: Path | str, filters: str, endings: Sequence[str] = ()
) -> Path | None:
    """Where to save; a name without one of the endings gets that of the chosen format.

    ``proposal`` is a whole path, or a name without ending, which is proposed in the last folder and format.
    """
    before = _last_filter(kind, filters)
    start = proposal
    if isinstance(proposal, str):
        start = Path(last_folder()) / f"{proposal}{_ending(before or filters)}"
    name, chosen = QFileDialog.getSaveFileName(parent, title, str(start), filters, before)
    path = _chosen(kind, name, chosen)
    ending = _ending(chosen or before or filters)
    return None if path is None else with_ending(parent, path, ending, endings or (ending,))


def with_ending(parent: QWidget, path: Path, ending: str, endings: Sequence[str]) -> Path | None:
    """The path with its ending. The dialog has asked only about the name without it, so a file in its place is ours."""
    if path.suffix.lower() in endings:
        return path
    path = path.with_name(path.name + ending)
    if not path.is_file():
        return path
    buttons = QMessageBox.StandardButton
    question = plain(f"{path.name} already exists. Replace it?")
    wanted = QMessageBox.question(parent, "Replace the file", question, buttons.Yes | buttons.No, buttons.No)
    return path if wanted == buttons.Yes else None


def _chosen(kind: str, name: str, chosen: str) -> Path | None:
    if not name:
        return None
    settings().setValue(f"filter/{kind}", chosen)
    remember_folder(Path(name))
    return Path(name)


def _last_filter(kind: str, filters: str) -> str:
    """The format of the last time, where it is still offered."""
    value = settings().value(f"filter/{kind}", "")
    return value if isinstance(value, str) and value in filters.split(";;") else ""


def _ending(filters: str) -> str:
    """The first ending that a filter such as ``CSV (*.csv);;TSV (*.tsv)`` names."""
    return filters.partition("*")[2].partition(")")[0].partition(" ")[0]
