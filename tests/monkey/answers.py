"""Somebody who answers whatever blocks the window: message boxes, menus, and where to read and write files."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Qt, QThread, QTimer, Slot
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QLineEdit, QMenu, QMessageBox, QWidget

from algorithms import Graph
from mlviz.data.spec import load_data
from mlviz.session.document import Document
from mlviz.session.files import save

PATIENCE = 40
"""After so many looks whatever still blocks is closed."""


class Janitor(QObject):
    """Looks, as long as something blocks, what it is, and answers it with the random numbers of the action."""

    def __init__(self, use: Callable[[QWidget, random.Random], None], parent: QObject) -> None:
        super().__init__(parent)
        self.rng = random.Random(0)
        self._use = use
        self._looks = 0
        # one timer for all looks: QTimer.singleShot leaves some hundred bytes behind each time, 60 MB in an hour
        self._timer = QTimer(self, interval=5, singleShot=True)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def begin(self, seed: str) -> None:
        """An action begins; what blocks during it is answered by random numbers from its own text."""
        self.rng, self._looks = random.Random(seed), 0

    @Slot()
    def _look(self) -> None:
        self._timer.start()  # first: an answer may lead to another question, which waits inside of this one
        if QThread.currentThread().loopLevel() == 0:
            return
        blocking = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if blocking is not None:
            self._looks += 1
            self._answer(blocking)

    def _answer(self, widget: QWidget) -> None:
        if self._looks > PATIENCE:
            widget.close()
        elif isinstance(widget, QMenu):
            able = [action for action in widget.actions() if action.isEnabled() and not action.isSeparator()]
            if able and self.rng.random() < 0.7:
                widget.setActiveAction(self.rng.choice(able))
                QTest.keyClick(widget, Qt.Key.Key_Return)
            else:
                widget.close()
        elif isinstance(widget, QMessageBox):
            self.rng.choice(widget.buttons()).click()
        elif isinstance(widget, QInputDialog):
            for line in widget.findChildren(QLineEdit):
                line.setText(self.rng.choice(["", "0", "1.5", "1e9", "a"]))
            (widget.accept if self.rng.random() < 0.7 else widget.reject)()
        elif isinstance(widget, QDialog) and (not _ours(widget) or self.rng.random() < 0.4):
            widget.reject()
        elif isinstance(widget, QDialog):
            self._use(widget, self.rng)
        else:
            widget.close()


def _ours(dialog: QDialog) -> bool:
    return type(dialog).__module__.startswith("mlviz")


def sample_files(folder: Path) -> list[Path]:
    """Files to open: of every kind of data, a session, damaged ones and one that is not there."""
    rows = "\n".join(f"{k % 7},{k * k % 11},{'ab'[k % 2]}" for k in range(40))
    texts = {
        "points.csv": "x,y,kind\n" + rows,
        "gaps.csv": "x,y\n1,\n,2\n3,4\n",
        "numbers.tsv": "1\t2\n3\t4\n",
        "damaged.csv": "a,b\n1,2,3\n\0\0",
        "empty.csv": "",
        "graph.gml": "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]",
        "damaged.gml": "graph [ node [",
        "rows.json": '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]',
        "damaged.mlviz": "PK no session",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    np.save(folder / "array.npy", np.arange(24.0).reshape(12, 2))
    save(folder / "points.mlviz", Document(load_data("moons(n=40)"), "kernel_svm"))
    save(folder / "graph.mlviz", Document(Graph(3, [(0, 1), (1, 2)]), "shortest_paths"))  # type: ignore[arg-type]
    return sorted([*folder.iterdir(), folder / "missing.csv"])


@contextmanager
def files_in(folder: Path, rng: Callable[[], random.Random]) -> Iterator[None]:
    """Whoever asks for a file to read, to write or for a folder is given one in here, or none."""
    names = ("out.png", "out.svg", "out.csv", "out.mlviz", "out.json", "out.npz", "out.gif", "out.txt", "out.gml")
    answers = {
        "getOpenFileName": lambda: str(rng().choice(sorted(folder.iterdir()))),
        "getSaveFileName": lambda: str(folder / rng().choice(names)),
        "getExistingDirectory": lambda: str(folder),
    }
    before = {name: getattr(QFileDialog, name) for name in answers}

    def answering(name: str) -> Callable[..., object]:
        def answer(*_: object, **__: object) -> object:
            found = answers[name]() if rng().random() < 0.6 else ""
            return found if name == "getExistingDirectory" else (found, "")

        return answer

    for name in answers:
        setattr(QFileDialog, name, answering(name))
    try:
        yield
    finally:
        for name, old in before.items():
            setattr(QFileDialog, name, old)
