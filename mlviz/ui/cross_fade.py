"""From one picture of the board to the next: what was seen stays until the next picture is complete, then fades.

Where two slides look at the same data from the same place, what is the same in both stands still and only the rest
dissolves, which is as good as a morph and never shows a state that no run has had.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QTimer, QVariantAnimation, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, Qt
from PySide6.QtWidgets import QWidget

FADE_MS = 260
PATIENCE_MS = 1_200
"""A run that needs longer to come to its step is shown on its way."""


class CrossFade(QWidget):
    """Lies over a widget while that changes behind it."""

    def __init__(self, target: QWidget, ready: Callable[[], bool]) -> None:
        super().__init__(target)
        self.setObjectName("cross_fade")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._target, self._ready = target, ready
        self._picture = QPixmap()
        self._fade = QVariantAnimation(self, duration=FADE_MS, startValue=1.0, endValue=0.0)
        self._fade.setEasingCurve(QEasingCurve.Type.InOutQuad)
        self._fade.valueChanged.connect(self._repaint)
        self._fade.finished.connect(self._over)
        self._patience = QTimer(self, objectName="fade_patience", interval=PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self._begin)

    def hold(self) -> None:
        """Keep what is seen now over whatever follows."""
        if not self._target.isVisible():
            return
        picture = self._target.grab()  # with what is left of a fade that goes on
        self._fade.stop()
        self._picture = picture
        self.setGeometry(self._target.rect())
        self.show()
        self.raise_()
        self._patience.start()

    @Slot()
    def look(self) -> None:
        """Begin to fade as soon as the new picture is there."""
        if self._patience.isActive() and self._ready():
            self._begin()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The old picture, as much of it as is left."""
        painter = QPainter(self)
        if self._fade.state() == QVariantAnimation.State.Running:
            painter.setOpacity(self._fade.currentValue())
        painter.drawPixmap(0, 0, self._picture)
        painter.end()

    @Slot()
    def _begin(self) -> None:
        self._patience.stop()
        self._fade.start()

    @Slot()
    def _repaint(self) -> None:
        self.update()

    @Slot()
    def _over(self) -> None:
        self.hide()
        self._picture = QPixmap()
