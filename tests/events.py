"""Qt's events in tests: served until there are none, and paintings counted. Nobody waits for the clock."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject


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
