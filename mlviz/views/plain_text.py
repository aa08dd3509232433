"""Words that may come from a file are shown letter by letter.

Qt takes a text with a tag in it for a page, and a page may open files: ``<img src=file:///dev/zero>`` as the name of a
column would never end. So every label is a :class:`PlainLabel`, every tool tip and question goes through :func:`plain`,
and what pyqtgraph takes for a page in any case through :func:`markup`. A test sees to it that nobody does otherwise.
"""

from __future__ import annotations

import html
from typing import Any

from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLabel


class PlainLabel(QLabel):
    """A label that shows a text as it is written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"textFormat": Qt.TextFormat.PlainText, **kwargs})


def plain(text: str) -> str:
    """What is to be given to Qt so that it shows this text where it decides by itself whether that is a page."""
    return f"<qt>{markup(text)}</qt>" if Qt.mightBeRichText(text) else text


def markup(text: str) -> str:
    """The page that shows this text."""
    return html.escape(text).replace("\n", "<br>")
