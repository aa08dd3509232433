"""The splitters in which the large view, the second views and the curves share the room of a board.

How they share it is said by ``views/composition.py``; here the user moves handles, and finds them again.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtWidgets import QSplitter, QWidget

from mlviz.views.composition import BESIDE, DATA_ABOVE, LOW_SCREEN, WIDE, Mode, board_mode, large_fraction
from mlviz.views.theme import LIGHT


class EvenSplitter(QSplitter):
    """Two widgets that have equal parts, or those that the user has given them, whenever both are seen.

    A plain splitter gives a widget that has been hidden for a while hardly more than its least size.
    """

    def __init__(self, first: QWidget, second: QWidget, objectName: str) -> None:
        super().__init__(Qt.Orientation.Horizontal, objectName=objectName)
        self.fraction = 0.5
        for widget in (first, second):
            self.addWidget(widget)
            self.setStretchFactor(self.indexOf(widget), 1)
            widget.installEventFilter(self)
        self.splitterMoved.connect(self._moved)

    def give(self, fraction: float) -> None:
        """Let the first have this part from now on."""
        self.fraction = fraction
        self.setSizes([round(1e4 * fraction), round(1e4 - 1e4 * fraction)])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Part the room again when one of the two comes back."""
        if event.type() == QEvent.Type.Show:
            self.give(self.fraction)
        return super().eventFilter(watched, event)

    @Slot()
    def _moved(self) -> None:
        self.fraction = first_fraction(self) or self.fraction


class BoardLayout:
    """Owns the two splitters of the board and remembers how the height is shared at rest."""

    def __init__(self, large: QWidget, seconds: QWidget, curves: QWidget) -> None:
        self.below = EvenSplitter(seconds, curves, "below_splitter")
        self.splitter = QSplitter(Qt.Orientation.Vertical, objectName="board_splitter")
        self.splitter.addWidget(large)
        self.splitter.addWidget(self.below)
        self.splitter.setSizes([460, 190])
        for splitter in (self.splitter, self.below):
            splitter.setChildrenCollapsible(False)
        self.splitter.splitterMoved.connect(self._moved)
        self._stretch(3, 1)
        self._mode: Mode = "rest"
        self._rest = self._usual = DATA_ABOVE
        self.compact = False
        """Whether other boards stand beside this one, so that nothing else may."""
        self.crowded = False
        """Whether there is room for one small view only beside the large one."""
        self._font = LIGHT.font

    @property
    def side_by_side(self) -> bool:
        """Whether the second views stand beside the large one."""
        return self._mode == "side"

    @property
    def fraction(self) -> float:
        """The part of the height that the large view has while the board is high enough."""
        return self._rest

    def share_height(self, fraction: float) -> None:
        """Give the large view this part of the height, where the board is high enough."""
        self._rest = fraction
        if self._mode == "rest":
            self._give(fraction)

    def _moved(self, *_: int) -> None:
        """The user has moved the handle."""
        if self._mode == "rest":
            self._rest = first_fraction(self.splitter) or self._rest

    def set_font(self, size: float) -> None:
        """The letters are this large from now on."""
        self._font = size
        self.suit()

    def set_usual(self, fraction: float) -> None:
        """The large view has this part of the height; the user's own choice stays."""
        if fraction != self._usual:
            self._usual = fraction
            self.share_height(fraction)

    def suit(self) -> None:
        """Share the room as the shape of the board and the letters want it."""
        mode = self._wanted()
        screen = self.splitter.window().size()
        low = screen.height() < min(LOW_SCREEN * self._font, screen.width() / WIDE)
        self.crowded = low and self._font > LIGHT.font  # letters for a projector
        if mode == self._mode:
            return
        turned = (mode == "side") != self.side_by_side
        self._mode = mode
        if turned:
            self._turn()
        self._give(large_fraction(mode, self._rest))

    def _wanted(self) -> Mode:
        size = self.splitter.width(), self.splitter.height()
        return board_mode(size, self._font, self.compact)

    def _turn(self) -> None:
        across, along = Qt.Orientation.Vertical, Qt.Orientation.Horizontal
        if self.side_by_side:
            across, along = along, across
        self.splitter.setOrientation(across)
        self.below.setOrientation(along)
        self.below.give(self.below.fraction)
        self._stretch(*((round(100 * BESIDE), round(100 - 100 * BESIDE)) if self.side_by_side else (3, 1)))

    def _stretch(self, first: int, second: int) -> None:
        self.splitter.setStretchFactor(0, first)
        self.splitter.setStretchFactor(1, second)

    def _give(self, fraction: float) -> None:
        self.splitter.setSizes([round(1e4 * fraction), round(1e4 - 1e4 * fraction)])


def first_fraction(splitter: QSplitter) -> float | None:
    """How much of its room the first part has; None while it has no room."""
    sizes = splitter.sizes()
    return sizes[0] / sum(sizes) if sum(sizes) else None
