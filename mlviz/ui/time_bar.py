"""The time line: how far the run is computed, where the playhead stands, and what happened when."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mlviz.ui.controls import ARROWS, claims
from mlviz.views.colours import blend
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, Theme

MOST_CHANGES = 100
"""More lines across the bar say nothing."""
_TAIL = 0.04
"""The part of the bar left open at its end while the run goes on."""


def step_words(step: int | str, counted: str = "") -> str:
    """A step as it is named everywhere, with what the method counts before it."""
    return f"{counted} · step {step}" if counted else f"step {step}"


class TimeBar(QWidget):
    """Click to jump, drag to scrub, hover to read the step; ticks mark events. ``scrubbed`` carries the step."""

    scrubbed = Signal(int)

    def __init__(self, *, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("time_bar")
        self.setAccessibleName("Time line")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._last = 0
        self._step = 0
        self._running, self._reason = False, ""
        self._hover: int | None = None
        self._events: tuple[tuple[int, str], ...] = ()
        self._changes: tuple[tuple[int, str], ...] = ()
        self.counted: Callable[[int], str] = lambda _: ""
        """What the method has counted up to a step, where that is something else than steps."""

    def set_theme(self, theme: Theme) -> None:
        """Paint in other colours and sizes."""
        self._theme = theme
        self.updateGeometry()
        self.update()

    def set_range(self, last: int, running: bool, reason: str = "") -> None:
        """The last step that exists, and whether more will come, or why the run ended there."""
        self._reason = reason
        if (last, running) != (self._last, self._running):
            self._last, self._running = max(last, 0), running
            self.update()

    def set_step(self, step: int) -> None:
        """Move the playhead."""
        if step != self._step:
            self._step = step
            self.setAccessibleDescription(f"step {step} of {self._last}")
            self.update()

    def set_events(self, events: tuple[tuple[int, str], ...], changes: tuple[tuple[int, str], ...] = ()) -> None:
        """What happened at which step, and where the run went on after a change."""
        if (events, changes) != (self._events, self._changes):
            self._events, self._changes = events, changes
            self.update()

    def step_at(self, x: float) -> int:
        """The step at a place along the bar."""
        left, span = self._span()
        fraction = (x - left) / span if span > 0 else 0.0
        return min(max(round(fraction * self._last), 0), self._last)

    def x_of(self, step: int) -> float:
        """Where a step lies along the bar."""
        left, span = self._span()
        return left + (span * min(step, self._last) / self._last if self._last else 0.0)

    def words_at(self, step: int) -> str:
        """What the tool tip says: the step and the events within reach of the mouse."""
        reach = 4.0
        here = self.x_of(step)
        marked = (*self._changes, *self._events)
        near = [f"{self._named(at)}: {text}" for at, text in marked if abs(self.x_of(at) - here) <= reach]
        return "\n".join(near[:6]) if near else self._named(step)

    def _named(self, step: int) -> str:
        ended = f" · {self._reason}" if self._reason and step == self._last else ""
        return step_words(step, self.counted(step)) + ended

    def sizeHint(self) -> QSize:
        """As tall as its handle and ticks."""
        return QSize(400, self._handle() + 14)

    def minimumSizeHint(self) -> QSize:
        """Still usable when narrow."""
        return QSize(120, self._handle() + 14)

    def event(self, event: QEvent) -> bool:
        """Claim the arrow keys while focused."""
        return claims(event, ARROWS) or super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Jump to the place clicked."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._go(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub while the button is held; say the step in any case."""
        step = self.step_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(step)
        if step != self._hover:
            self._hover = step
            self.update()
        above = QPoint(round(self.x_of(step)), -self._handle() - 24)
        QToolTip.showText(self.mapToGlobal(above), plain(self.words_at(step)), self)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the mouse."""
        self._hover = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by keys while focused."""
        page = max(1, self._last // 10)
        targets = {
            Qt.Key.Key_Left: self._step - 1,
            Qt.Key.Key_Down: self._step - 1,
            Qt.Key.Key_Right: self._step + 1,
            Qt.Key.Key_Up: self._step + 1,
            Qt.Key.Key_PageDown: self._step - page,
            Qt.Key.Key_PageUp: self._step + page,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self._last,
        }
        target = targets.get(Qt.Key(event.key()))
        if target is None:
            super().keyPressEvent(event)
        else:
            self._go(min(max(target, 0), self._last))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring."""
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Groove, progress, ticks, hover line, handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        self._paint_groove(painter)
        self._paint_events(painter)
        self._paint_changes(painter)
        self._paint_handle(painter)
        painter.end()

    def _paint_groove(self, painter: QPainter) -> None:
        theme = self._theme
        left, span = self._span()
        thick = max(4.0, theme.stroke * 2.5)
        middle = self.height() / 2
        groove = blend(theme.surface, theme.text, 0.16)

        def bar(start: float, end: float, colour: str) -> None:
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(start, middle - thick / 2, max(end - start, 0), thick), thick / 2, thick / 2)

        if self._running:
            bar(left, self.width() - left, blend(groove, theme.window, 0.6))
        bar(left, left + span, groove)
        bar(left, self.x_of(self._step), theme.accent)
        if self._hover is not None:
            painter.setBrush(QColor(theme.muted))
            painter.drawRect(QRectF(self.x_of(self._hover) - 0.75, middle - thick * 1.4, 1.5, thick * 2.8))

    def _paint_events(self, painter: QPainter) -> None:
        """One tick in five pixels at most: thousands of events stay ticks, and cost no more than the bar is wide."""
        painter.setBrush(QColor(self._theme.warning))
        size = self.height() / 2 - max(4.0, self._theme.stroke * 2.5) / 2 - 3
        taken: set[int] = set()
        for step, _ in self._events:
            x = self.x_of(step)
            if step <= self._last and int(x / 5) not in taken:
                taken.add(int(x / 5))
                painter.drawRoundedRect(QRectF(x - 1.25, 1, 2.5, size), 1.25, 1.25)

    def _paint_changes(self, painter: QPainter) -> None:
        """A line across the bar where a knob was turned."""
        painter.setBrush(QColor(self._theme.text))
        for step, _ in self._changes[-MOST_CHANGES:]:
            painter.drawRect(QRectF(self.x_of(step) - 1.0, 1, 2.0, self.height() - 2))

    def _paint_handle(self, painter: QPainter) -> None:
        theme = self._theme
        size = self._handle()
        ring = theme.text if self.hasFocus() else theme.accent
        painter.setBrush(QColor(theme.surface))
        painter.setPen(QPen(QColor(ring), max(2.0, theme.stroke)))
        painter.drawEllipse(QPointF(self.x_of(self._step), self.height() / 2), size / 2, size / 2)

    def _handle(self) -> int:
        return round(QFontMetrics(self.font()).height() * 0.85)

    def _span(self) -> tuple[float, float]:
        """Where the computed part begins, and how long it is."""
        left = self._handle() / 2 + 3
        whole = self.width() - 2 * left
        return left, max(whole * (1 - _TAIL) if self._running else whole, 1.0)

    def _go(self, step: int) -> None:
        if step != self._step:
            self.set_step(step)
            self.scrubbed.emit(step)
