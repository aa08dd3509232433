"""The tabs of the second views: each is there from the first frame that has something to show in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget

from mlviz.ui.controls import ToolButton
from mlviz.ui.icons import icon
from mlviz.ui.style import icon_size
from mlviz.views.plain_text import plain
from mlviz.views.tabs import TabBar
from mlviz.views.theme import Theme

GRACE = 0.7
"""Seconds that an empty view keeps its tab: one without marks for a step or two is not worth a flicker."""


class EnlargeButton(ToolButton):
    """Asks for the view beside it in the large place."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "small")
        self.setToolTip(plain("Make this the large view (Shift+M, or double-click its tab)"))
        self.setAccessibleName("Make this the large view")

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.setIcon(icon("enlarge", theme))
        side = round(0.8 * icon_size(theme))
        self.setIconSize(QSize(side, side))


class SecondViews(QTabWidget):
    """Tabs that go when their view has stayed empty, and come back as they were.

    Until a tab is chosen by hand, the first of them is looked at: the views stand in the order of their importance.
    Who was looking at a view that went is shown another one meanwhile, never the ``reserve`` (it would rearrange the
    whole board), and is brought back with it unless a tab was chosen by hand since. A view that room is kept for stays
    while there is no other one, empty as it may be. A double click on a tab, or the button beside the tabs, asks for
    its view in the large place.
    """

    enlarged = Signal(object)

    def __init__(
        self, reserve: QWidget, parent: QWidget | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        super().__init__(parent, objectName="second_views")
        self._clock = clock
        self.setTabBar(TabBar())
        self.setDocumentMode(True)
        self.tabBar().setDrawBase(False)  # which the mode has switched on
        self._reserve = reserve
        self._empty_since: dict[QWidget, float] = {}
        self._missed: QWidget | None = None
        self._kept: QWidget | None = None
        self.folds_bar = False
        """Whether a single tab needs no bar."""
        self._by_hand = True
        self._by_itself = False
        self.enlarge_button = EnlargeButton("enlarge", self)
        self.setCornerWidget(self.enlarge_button, Qt.Corner.TopRightCorner)
        self.currentChanged.connect(self._chosen)
        self.enlarge_button.clicked.connect(self.enlarge)
        self._pressed: QWidget | None = None
        self._waiting = QTimer(self, objectName="second_views_double_click", singleShot=True)
        self._waiting.timeout.connect(self._stop_waiting)
        self.tabBarClicked.connect(self._wait_for_double_click)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.enlarge_button.set_theme(theme)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing: Qt would draw a line above the button, of a frame that the tabs do not have."""

    @Slot()
    def enlarge(self) -> None:
        """Ask for the view in front in the large place."""
        if self.currentWidget() is not None:
            self.enlarged.emit(self.currentWidget())

    @Slot(int)
    def _wait_for_double_click(self, index: int) -> None:
        """The first click may rearrange the board, so that the second one falls on whatever is there then."""
        self._stop_waiting()
        widget, app = self.widget(index), QApplication.instance()
        if widget is not None and app is not None:
            self._pressed = widget
            app.installEventFilter(self)
            self._waiting.start(QApplication.doubleClickInterval())

    @Slot()
    def _stop_waiting(self) -> None:
        app = QApplication.instance()
        if self._pressed is not None and app is not None:
            self._pressed = None
            app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The second click of two at the same place means the tab that the first one has pressed."""
        if event.type() != QEvent.Type.MouseButtonDblClick or self._pressed is None:
            return super().eventFilter(watched, event)
        widget = self._pressed
        self._stop_waiting()
        if self.indexOf(widget) >= 0:
            self.enlarged.emit(widget)
        return True

    def forget(self) -> None:
        """Remove all tabs."""
        self._empty_since, self._missed, self._kept = {}, None, None
        while self.count():
            self.removeTab(0)

    def insert(self, view: QWidget, title: str, after: Iterable[QWidget], shown: bool = False) -> None:
        """Add a tab behind those of the views ``after`` that are tabs here; one that is there already stays."""
        if self.indexOf(view) >= 0:
            return
        index = self.insertTab(sum(self.indexOf(other) >= 0 for other in after), view, title)
        self.setTabVisible(index, shown)
        if shown and sum(self.isTabVisible(k) for k in range(self.count())) == 1:
            self._by_hand = False  # nobody has chosen it: there was no other one
        self.show_bar()

    def take_out(self, view: QWidget) -> None:
        """Remove a tab; in front is then one that leaves the board as it is, where there is one."""
        if self.currentWidget() is view:
            others = (k for k in range(self.count()) if self.widget(k) not in (view, self._reserve))
            index = next((k for k in others if self.isTabVisible(k)), None)
            if index is not None:
                self._choose(index)
        if self.indexOf(view) >= 0:
            self.removeTab(self.indexOf(view))

    def show_bar(self) -> None:
        """Show the bar of the tabs when there is something to choose."""
        count = sum(self.isTabVisible(k) for k in range(self.count()))
        self.tabBar().setVisible(count > 1 or not self.folds_bar)
        self.enlarge_button.setVisible(count > 1 or not self.folds_bar)

    def note(self, view: QWidget, filled: bool) -> bool:
        """Whether a view has something to show now; the first tab to come is the one to look at. Says if one came."""
        index = self.indexOf(view)
        if index < 0:
            return False
        if not filled:
            if self.isTabVisible(index):
                self._empty_since.setdefault(view, self._clock())
            return False
        self._empty_since.pop(view, None)
        if self.isTabVisible(index):
            return False
        self.reveal(view)
        return True

    def reveal(self, view: QWidget) -> None:
        """Show the tab of a view."""
        index = self.indexOf(view)
        self.setTabVisible(index, True)
        self.show_bar()
        if self.isHidden():
            self._by_hand = False
            self._choose(index)
            self.show()
        elif view is self._missed or (not self._by_hand and index < self.currentIndex()):
            self._choose(index)

    def keep_room_for(self, view: QWidget) -> None:
        """Keep the room for this one until it has something to show, so that nothing moves when that comes."""
        self._kept = view
        self.reveal(view)

    def remove_empty(self) -> None:
        """Take away the tabs of the views that have been empty for long enough."""
        now = self._clock()
        for view, since in tuple(self._empty_since.items()):
            if now - since >= GRACE:
                del self._empty_since[view]
                self._take_away(view)

    def hide_when_empty(self) -> None:
        """Take no room without a tab."""
        self.setVisible(any(self.isTabVisible(k) for k in range(self.count())))

    def _take_away(self, view: QWidget) -> None:
        others = [k for k in range(self.count()) if self.isTabVisible(k) and self.widget(k) is not view]
        if not others and self._kept is None:
            self.hide()
        elif self.currentWidget() is view:
            others = [k for k in others if self.widget(k) is not self._reserve]
            if not others:
                return  # an empty view is better than a board rearranged by itself
            self._choose(others[0])
            self._missed = view
        self.setTabVisible(self.indexOf(view), False)
        self.show_bar()

    def _choose(self, index: int) -> None:
        self._missed = None
        self._by_itself = True
        self.setCurrentIndex(index)
        self._by_itself = False

    @Slot()
    def _chosen(self) -> None:
        if not self._by_itself:
            self._by_hand, self._missed = True, None
