"""How the large view, the second views and the curves share the room of the board.

Usually the second views and the curves stand side by side below the large view. The evaluation needs more height than
is left there, and so does anything on a board of few lines of text (with the large letters of the presenter mode, or
above the table of points): the plane would be a strip. Where the board is wide they stand beside the large view
instead, one above the other.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtWidgets import QSplitter, QWidget

from mlviz.views.theme import LIGHT

PLANE_ABOVE, PLANE_BELOW = 0.70, 0.55
"""The part of the height that the large view has at first, by where the data plane is."""
EVALUATING = 0.50
"""The least part of the height that the evaluation takes while it is looked at."""
LOW, LOW_BELOW = 50.0, 0.42
"""On a board lower than so many font sizes, what axes and tabs take away is made up for: the least part below."""
WIDE, BESIDE = 1.0, 0.58
"""A board so many times as wide as high has room beside the large view, which then has this part of the width."""

Mode = Literal["rest", "low", "side", "evaluating"]


class EvenSplitter(QSplitter):
    """Two widgets that have equal parts, or those that the user has given them, whenever both are seen.

    A plain splitter gives a widget that has been hidden for a while hardly more than its least size.
    """

    def __init__(self, first: QWidget, second: QWidget, objectName: str) -> None:
        super().__init__(Qt.Orientation.Horizontal, objectName=objectName)
        self.share = 0.5
        for widget in (first, second):
            self.addWidget(widget)
            self.setStretchFactor(self.indexOf(widget), 1)
            widget.installEventFilter(self)
        self.splitterMoved.connect(self._moved)

    def give(self, share: float) -> None:
        """Let the first have this part from now on."""
        self.share = share
        self.setSizes([round(1e4 * share), round(1e4 - 1e4 * share)])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Part the room again when one of the two comes back."""
        if event.type() == QEvent.Type.Show:
            self.give(self.share)
        return super().eventFilter(watched, event)

    @Slot()
    def _moved(self) -> None:
        self.share = _share(self) or self.share


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
        self._rest = PLANE_ABOVE
        self._evaluating = self._plane_below = False
        self.compact = False
        """Whether other boards stand beside this one, so that nothing else may."""
        self._font = LIGHT.font

    @property
    def side_by_side(self) -> bool:
        """Whether the second views stand beside the large one."""
        return self._mode == "side"

    @property
    def share(self) -> float:
        """The part of the height that the large view has while nothing is evaluated and the board is high enough."""
        return self._rest

    def share_height(self, share: float, resting: bool = True) -> None:
        """Give the large view this part of the height, for now or (``resting``) for when nothing is evaluated."""
        if resting:
            self._rest = share
        if not resting or self._mode == "rest":
            self._give(share)

    def _moved(self, *_: int) -> None:
        """The user has moved the handle."""
        if self._mode == "rest":
            self._rest = _share(self.splitter) or self._rest

    def set_font(self, size: float) -> None:
        """The letters are this large from now on."""
        self._font = size
        self.suit()

    def set_evaluating(self, evaluating: bool) -> None:
        """The evaluation takes more of the height while it is looked at."""
        self._evaluating = evaluating
        self.suit()

    def set_plane_below(self, below: bool) -> None:
        """A data plane that stands below a diagram needs more room than a curve; the user's own choice stays."""
        if below != self._plane_below:
            self._plane_below = below
            self.share_height(PLANE_BELOW if below else PLANE_ABOVE)

    def suit(self) -> None:
        """Share the room as the shape of the board, the letters and the evaluation want it."""
        mode = self._wanted()
        if mode == self._mode:
            return
        turned = (mode == "side") != self.side_by_side
        self._mode = mode
        if turned:
            self._turn()
        lower = {"low": LOW_BELOW, "evaluating": EVALUATING}.get(mode, 0.0)
        self._give(BESIDE if mode == "side" else min(self._rest, 1.0 - lower))

    def _wanted(self) -> Mode:
        width, height = self.splitter.width(), self.splitter.height()
        if not self._evaluating and height >= LOW * self._font:
            return "rest"
        if width >= WIDE * height and not self.compact:
            return "side"
        return "evaluating" if self._evaluating else "low"

    def _turn(self) -> None:
        across, along = Qt.Orientation.Vertical, Qt.Orientation.Horizontal
        if self.side_by_side:
            across, along = along, across
        self.splitter.setOrientation(across)
        self.below.setOrientation(along)
        self.below.give(self.below.share)
        self._stretch(*((round(100 * BESIDE), round(100 - 100 * BESIDE)) if self.side_by_side else (3, 1)))

    def _stretch(self, first: int, second: int) -> None:
        self.splitter.setStretchFactor(0, first)
        self.splitter.setStretchFactor(1, second)

    def _give(self, share: float) -> None:
        self.splitter.setSizes([round(1e4 * share), round(1e4 - 1e4 * share)])


def _share(splitter: QSplitter) -> float | None:
    sizes = splitter.sizes()
    return sizes[0] / sum(sizes) if sum(sizes) else None
