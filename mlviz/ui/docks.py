"""The panels at the sides of the window: what they are, how wide they stand, and how to have none of them.

On a small screen they are narrower from the beginning, so that the board keeps more than half of the width; who has
given one of them a width of their own keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer, Slot
from PySide6.QtWidgets import QDockWidget, QTabWidget, QWidget

from mlviz.ui.actions import ActionSpec

if TYPE_CHECKING:
    from mlviz.ui.window import MainWindow

NARROW = 1200
"""A window narrower than this has narrow docks."""
WIDTHS, NARROW_WIDTHS = (236, 332), (184, 268)
"""Of the methods and the controls, at the two sides."""
HEIGHTS = (232, 408)
"""Of the controls and what happens, one above the other."""
FEW_KNOBS = 194
"""The least height of the controls, in which a few knobs are seen."""
_LEFT, _RIGHT, _BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


class KnobTabs(QTabWidget):
    """Parameters, data and whatever else is turned by hand; it is as high as the page in front needs to be.

    Qt asks for the height of the highest page, and a dock that has once grown for one that nobody sees stays so.
    """

    def __init__(self) -> None:
        super().__init__(objectName="knobs", documentMode=True)

    def minimumSizeHint(self) -> QSize:
        """As wide as any page."""
        whole, page = super().minimumSizeHint(), self.currentWidget()
        if page is None:
            return whole
        needed = page.minimumSizeHint().height() + self.tabBar().sizeHint().height()
        return QSize(whole.width(), min(max(needed, FEW_KNOBS), whole.height()))


class Docks(QObject):
    """Makes the docks of a window and gives them their sizes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._first = QByteArray()
        self._put_aside: list[QDockWidget] = []
        self._later = QTimer(self, objectName="docks_later", interval=0, singleShot=True)
        self._later.timeout.connect(self._suit)

    def specs(self) -> tuple[ActionSpec, ...]:
        """What can be done with all of them."""
        return (
            ActionSpec("side_panels", "&View", "Side panels or none", self.toggle, "F9"),
            ActionSpec("layout", "&View", "Restore the layout", self.restore_first, separated=True),
        )

    def build(self) -> tuple[QDockWidget, ...]:
        """Methods, controls, what happens, the table of points and the lesson; the last two come when asked for."""
        window = self._window
        docks = (
            self._dock("Methods", window.gallery, _LEFT),
            self._dock("Controls", window.knobs, _RIGHT),
            self._dock("What happens", window.what_happens, _RIGHT),
            self._dock("Points", window.data_controller.table, _BOTTOM),
            self._dock("Lesson", window.lessons.panel, _LEFT),
        )
        window.tabifyDockWidget(docks[0], docks[4])
        docks[3].hide()
        docks[4].hide()
        window.setCorner(Qt.Corner.BottomLeftCorner, _LEFT)
        window.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        return docks

    def _dock(self, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self._window, objectName="dock_" + title.replace(" ", "_").lower())
        dock.setWidget(widget)
        self._window.addDockWidget(area, dock)
        return dock

    def begin(self) -> None:
        """Give the docks their first sizes, to which the user can come back."""
        self._first_sizes()
        self._first = self._window.saveState()
        self._window.installEventFilter(self)

    def restore_first(self) -> None:
        """Every dock visible at its first place and size."""
        self._put_aside = []
        self._window.restoreState(self._first)
        self._first_sizes()

    def toggle(self) -> None:
        """The board alone in the window, or the panels that were beside it again."""
        window = self._window
        if window.presenting:
            return
        sides = [dock for dock in window.docks if dock.isVisible() and not dock.isFloating()]
        if sides:
            self._put_aside = sides
        for dock in self._put_aside:
            dock.setVisible(not sides)
        if not sides:
            self._put_aside = []

    def resize(self, docks: Sequence[QDockWidget], sizes: Sequence[int], orientation: Qt.Orientation) -> None:
        """Give docks these widths or heights."""
        self._window.resizeDocks(list(docks), list(sizes), orientation)

    def _first_sizes(self) -> None:
        self.resize(self._window.docks[:2], self._widths(), Qt.Orientation.Horizontal)
        self.resize(self._window.docks[1:3], HEIGHTS, Qt.Orientation.Vertical)

    def _widths(self) -> tuple[int, int]:
        return NARROW_WIDTHS if self._window.width() < NARROW else WIDTHS

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another size of the window may need other widths."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._later.start()
        return super().eventFilter(watched, event)

    @Slot()
    def _suit(self) -> None:
        """Each dock that stands at its side as wide as it was given here is as wide as the window wants it now."""
        window = self._window
        if window.presenting or not window.isVisible():
            return
        for number, (dock, wanted) in enumerate(zip(window.docks[:2], self._widths())):
            given = {WIDTHS[number], NARROW_WIDTHS[number]}
            if dock.isVisible() and not dock.isFloating() and dock.width() in given - {wanted}:
                self.resize([dock], [wanted], Qt.Orientation.Horizontal)
