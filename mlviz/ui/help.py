"""Help made from the declarations: what the method is, what its knobs do, and the keyboard."""

from __future__ import annotations

import html
import sys

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from algorithms.contract import Algorithm
from mlviz.ui.actions import ActionSpec, keyboard_table


class HelpDialog(QDialog):
    """A page of text with a close button."""

    def __init__(self, title: str, page: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("help_dialog")
        self.setWindowTitle(title)
        self.browser = QTextBrowser(objectName="help_page")
        self.browser.setHtml(page)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.browser)
        layout.addWidget(buttons)
        self.resize(640, 560)


def method_page(method: Algorithm) -> str:
    """What the method is, from its own module, and every knob with its range."""
    text = sys.modules[method.run.__module__].__doc__ or method.summary
    paragraphs = "".join(f"<p>{_inline(part)}</p>" for part in text.strip().split("\n\n"))
    knobs = "".join(
        f"<tr><td><b>{_inline(field.label)}</b></td><td>{_inline(field.doc)}<br>"
        f"<i>{_inline(field.describe())}</i></td></tr>"
        for field in method.fields
    )
    metrics = "".join(f"<li><b>{_inline(m.label)}</b></li>" for m in method.metrics)
    return (
        f"<h2>{_inline(method.title)}</h2><p>{_inline(method.summary)}</p>{paragraphs}"
        f"<h3>Knobs</h3><table cellpadding='4'>{knobs}</table><h3>Curves</h3><ul>{metrics}</ul>"
        f"<p><i>{_inline(method.reference)}</i></p>"
    )


def keyboard_page(specs: tuple[ActionSpec, ...]) -> str:
    """The keyboard table."""
    rows = "".join(
        f"<tr><td><code>{_inline(keys)}</code></td><td>{_inline(text)}</td></tr>"
        for keys, text in keyboard_table(specs)
    )
    return f"<h2>Keyboard</h2><table cellpadding='4'>{rows}</table>"


def _inline(text: str) -> str:
    return html.escape(text).replace("``", "").replace("\n", "<br>")
