"""A pane: a board with its player, and above it, where several are compared, a line that says which setting it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mlviz.session.comparison import Setting, names_of
from mlviz.session.document import Document
from mlviz.ui.board import Board
from mlviz.ui.controls import StillLabel, ToolButton
from mlviz.ui.icons import icon, pixmap
from mlviz.ui.player import Player
from mlviz.ui.prose import Prose
from mlviz.ui.style import icon_size
from mlviz.ui.ticker import Ticker
from mlviz.ui.time_bar import step_words
from mlviz.ui.transport import CANCELLED
from mlviz.views.colours import blend
from mlviz.views.plain_text import plain
from mlviz.views.theme import LIGHT, SPACING, Theme
from mlviz.worker.timeline import Frame

UNCOMPUTED = {"colours", "lesson", "comparison"}
"""What no run depends on."""


def time_words(seconds: float) -> str:
    """A computing time as people say it."""
    if seconds >= 1.0:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.{0 if seconds >= 0.01 else 1}f} ms"


def run_words(player: Player) -> str:
    """Where a run stands: its step, how long it has computed, and at its last step why it ended."""
    engine = player.engine
    if engine is None or not player.steps:
        return player.reason
    more = "+" if player.running else ""
    at_end = player.position == player.steps - 1 or player.reason == CANCELLED
    state = "computing" if player.running else player.reason if at_end else ""
    shown, method = player.shown, player.algorithm
    counted = "" if shown is None or method is None else method.counted_at(shown.snapshot.model)
    step = step_words(f"{player.position} of {player.steps - 1}{more}", counted)
    return " · ".join(filter(None, (step, time_words(engine.seconds), state)))


class PaneHeader(QWidget):
    """The name of a setting, how its run stands, a choice of what is large, and a button to close it."""

    view_chosen = Signal(str)
    """The key of the view that is to be the large one."""

    def __init__(self, parent: QWidget, views: Callable[[], tuple[Mapping[str, str], str]] = lambda: ({}, "")) -> None:
        super().__init__(parent)
        self._views = views
        self.setObjectName("pane_header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.name, self.facts = StillLabel(parent=self), StillLabel(parent=self)
        self.name.setObjectName("pane_name")
        self.facts.setObjectName("pane_facts")
        self.facts.set_alignment(Qt.AlignmentFlag.AlignRight)
        for label in (self.name, self.facts):  # each is shortened where there is no room for it
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.close_button = ToolButton(self)
        self.close_button.setObjectName("pane_close")
        self.close_button.setProperty("role", "small")
        self.close_button.setToolTip(plain("Close this board"))
        self.close_button.setAccessibleName("Close this board")
        self.view_button = ToolButton(self)
        self.view_button.setObjectName("pane_view")
        self.view_button.setProperty("role", "small")
        self.view_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.view_button.setToolTip(plain("Which view is the large one on this board"))
        self.view_button.setAccessibleName("Large view")
        self._menu = QMenu(self, objectName="pane_views")
        self._menu.aboutToShow.connect(self._offer)
        self.view_button.setMenu(self._menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING, 2, 2, 2)
        row.setSpacing(SPACING)
        self._words = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._words.setSpacing(0)
        self._words.addWidget(self.name, 1)
        self._words.addWidget(self.facts, 1)
        row.addLayout(self._words, 1)
        row.addWidget(self.view_button)
        row.addWidget(self.close_button)
        self._active, self._theme = False, LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        small, bold = QFont(), QFont()
        for font, size in ((small, 0.9), (bold, 1.0)):
            font.setPointSizeF(theme.letters(size))
        bold.setWeight(QFont.Weight.DemiBold)
        self.name.setFont(bold)
        self.facts.setFont(small)
        side = round(0.8 * icon_size(theme))
        for button, name in ((self.view_button, "enlarge"), (self.close_button, "close")):
            button.setIcon(icon(name, theme))
            button.setIconSize(QSize(side, side))
        self._dress()

    @Slot()
    def _offer(self) -> None:
        """List the views that have something to show, with a mark at the large one."""
        self._menu.clear()
        offered, large = self._views()
        for key, title in offered.items():
            action = self._menu.addAction(title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(key == large)
            action.triggered.connect(partial(self._choose, key))

    def _choose(self, key: str, _checked: bool = False) -> None:
        self.view_chosen.emit(key)

    def needs_lines(self, name: str, width: int) -> int:
        """In how many lines this name and the facts are to be read whole in a pane of this width, if possible."""
        facts = QFontMetrics(self.facts.font()).horizontalAdvance(self.facts.text())
        return 1 if self.has_room(name, width - facts - 2 * SPACING) else 2

    def has_room(self, name: str, width: int) -> bool:
        """Whether a name is whole in a pane of this width."""
        buttons = self.view_button.sizeHint().width() + self.close_button.sizeHint().width()
        return QFontMetrics(self.name.font()).horizontalAdvance(name) + 3 * SPACING + buttons <= width

    def set_lines(self, lines: int) -> None:
        """The words beside each other, or one above the other."""
        one = lines == 1
        self._words.setDirection(QBoxLayout.Direction.LeftToRight if one else QBoxLayout.Direction.TopToBottom)
        self.facts.set_alignment(Qt.AlignmentFlag.AlignRight if one else Qt.AlignmentFlag.AlignLeft)

    def set_active(self, active: bool) -> None:
        """Whether the controls of the window are about this board."""
        if active != self._active:
            self._active = active
            self._dress()

    def _dress(self) -> None:
        theme, active = self._theme, self._active
        back = blend(theme.surface, theme.accent, 0.16) if active else theme.window
        line = theme.accent if active else theme.border
        self.setStyleSheet(f"#pane_header {{ background: {back}; border: 0; border-bottom: 2px solid {line}; }}")
        self.name.set_colour(theme.accent if active else theme.text)
        self.facts.set_colour(theme.muted)


class Pane(QWidget):
    """One of the boards of the window."""

    pressed = Signal()
    """The mouse means this board."""
    close_requested = Signal()

    def __init__(self, ticker: Ticker, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"pane of {name}")
        self.document: Document | None = None
        """What the player was asked to run last."""
        self.warning = Prose(name="pane_warning", parent=self)
        """That of the frame on show, where nobody else says it."""
        self.warning.hide()
        self._warned: object = None
        self.note = ""
        """What else is to be said of the run."""
        self.rested: Document | None = None
        """That of a board that was closed; it comes back as it was, should it be needed again."""
        self.player = Player(ticker, self)
        self.board = Board(self.player, self, name)
        self.header = PaneHeader(self, self._views)
        self.header.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.warning)
        column.addWidget(self.board, 1)
        self.header.close_button.clicked.connect(self._ask_to_close)
        self.header.view_chosen.connect(self._enlarge)
        self.board.pressed.connect(self.pressed)
        for bar in (self.board.seconds.tabBar(), self.board.curves.tabs):
            bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # arrows drive time

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press that nothing on the board has taken."""
        self.pressed.emit()
        super().mousePressEvent(event)

    @Slot()
    def _ask_to_close(self) -> None:
        self.close_requested.emit()

    def _views(self) -> tuple[Mapping[str, str], str]:
        return self.board.places.offered(), self.board.large_key

    @Slot(str)
    def _enlarge(self, key: str) -> None:
        self.pressed.emit()
        self.board.enlarge_key(key)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.board.set_theme(theme)
        self.header.set_theme(theme)
        side = round(theme.font * 1.8)
        self.warning.set_look(theme.warning, pixmap("warning", theme.warning, side, self.devicePixelRatioF()))

    def show_warning(self, text: str) -> None:
        """Say this above the board; the room of a warning stays until there is another run, or nothing would stay."""
        if text or self._warned is not self.player.engine:
            self._warned = self.player.engine if text else None
            if self.warning.isHidden():
                self.warning.resize(self.width(), self.warning.height())
            self.warning.set_text(text)
            self.warning.setVisible(bool(text))
            if not text:
                self.warning.forget()
        else:
            self.warning.set_text("")

    def run_soon(self, document: Document, start: Frame | None = None) -> None:
        """Run this as soon as changes rest, unless the run is just that already."""
        before, self.document = self.document, document
        if before is None or document.changes(before) - UNCOMPUTED:
            self.player.run_soon(document, start)

    def run(self, document: Document, start: Frame | None = None, at: int | None = None) -> None:
        """Run this now."""
        self.document = document
        self.player.run(document, start, at)

    def show_facts(self) -> None:
        """How the run stands, above the board."""
        self.header.facts.setText(" · ".join(filter(None, (run_words(self.player), self.note))))

    def rest(self) -> None:
        """Out of sight until it is needed again, and without the frames of its run."""
        self.rested, self.document = self.document, None
        self.player.rest()
        self.board.rest()
        self.hide()


def name_panes(panes: Sequence[Pane], settings: Sequence[Setting]) -> None:
    """Above each pane stands what it has of its own, as much of it as can be read on all of them."""
    whole = names_of(settings)
    lines = max(pane.header.needs_lines(name, pane.width()) for pane, name in zip(panes, whole))

    def fit(names: tuple[str, ...]) -> bool:
        return lines == 1 or all(pane.header.has_room(name, pane.width()) for pane, name in zip(panes, names))

    for pane, name in zip(panes, names_of(settings, fit), strict=True):
        pane.header.name.setText(name)
        pane.header.set_lines(lines)  # all alike, so that the pictures stand side by side
