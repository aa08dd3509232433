"""A picture file is opened from the menu, dropped, or pasted; a broken one changes nothing."""

import numpy as np
from PIL import Image
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from mlviz.ui.data_controller import open_filter

SHADES = np.arange(0, 240, 10, dtype=np.uint8).reshape(4, 6)


def opened(qtbot, window):
    qtbot.waitUntil(lambda: window.data_controller._reading is None)


def test_a_picture_is_opened_with_the_method_for_it_and_undone(window, qtbot, tmp_path):
    path = tmp_path / "shades.png"
    Image.fromarray(SHADES).save(path)
    assert "*.png" in open_filter()
    before = window.document
    window.files.open_path(path)
    opened(qtbot, window)
    assert window.document.algorithm == "svd"
    assert np.array_equal(window.document.data.X, SHADES / 255.0)
    said = window.statusBar().currentMessage()
    assert said.startswith("Opened shades.png: A picture of 6 × 4 pixels, in grey. It is opened with Singular values;")
    qtbot.waitUntil(lambda: window.player.shown is not None and "pictures" in window.player.shown.snapshot.views)
    window.undo()
    assert window.document.data is before.data
    assert window.document.algorithm == before.algorithm


def test_a_picture_on_the_clipboard_is_pasted_but_cells_come_before_their_picture(window, qtbot):
    image = QImage(SHADES.tobytes(), 6, 4, 6, QImage.Format.Format_Grayscale8).copy()
    QApplication.clipboard().setImage(image)
    window.actions_table["paste"].trigger()
    opened(qtbot, window)
    assert np.array_equal(window.document.data.X, SHADES / 255.0)
    assert window.document.data.name == "clipboard"
    cells = QMimeData()
    cells.setImageData(image)
    cells.setText("a\tb\n1\t2\n3\t4\n")
    QApplication.clipboard().setMimeData(cells)
    window.actions_table["paste"].trigger()
    assert window.data_controller._reading is None
    assert window.data_controller.dialog is not None
    window.data_controller.dialog.reject()
    copied = QMimeData()
    copied.setUrls([QUrl.fromLocalFile("/nowhere/a.png")])
    QApplication.clipboard().setMimeData(copied)
    window.actions_table["paste"].trigger()
    assert window.statusBar().currentMessage() == "a.png is not there (any more)."


def test_a_broken_picture_leaves_the_document(window, qtbot, tmp_path):
    path = tmp_path / "broken.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0" + b"x" * 100)
    before = window.document
    window.files.open_path(path)
    opened(qtbot, window)
    assert window.document is before
    assert window.statusBar().currentMessage().startswith("broken.jpg cannot be read as a picture: it")
