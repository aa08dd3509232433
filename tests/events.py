"""Qt's events in tests: served until there are none, and paintings counted. Nobody waits for the clock."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, Qt


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget):
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def settle():
    """Serve every event there is, and those that come of them, without waiting for any."""
    for _ in range(5):
        QCoreApplication.sendPostedEvents()
        QCoreApplication.processEvents()


def drag(qtbot, plot, *places):
    """Press at the first place of a plot, move over the others and let go."""
    at = [plot.mapFromScene(plot.box.mapViewToScene(QPointF(*place))) for place in places]
    qtbot.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=at[0])
    for place in at[1:]:
        for _ in range(2):  # a drag begins with the second move
            qtbot.mouseMove(plot.viewport(), place)
    qtbot.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=at[-1])
