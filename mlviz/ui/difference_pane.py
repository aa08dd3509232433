"""Where the boards differ: a map beside them, and a sentence above it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import QSize, QTimer, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from algorithms.data import Array, Points
from mlviz.export.differences import draw_difference
from mlviz.session.comparison import names_of
from mlviz.session.document import Document
from mlviz.session.rasters import grid
from mlviz.ui.pane import Pane, PaneHeader
from mlviz.ui.results_table import ResultsTable
from mlviz.ui.scheduler import Piece
from mlviz.views.canvas import Canvas
from mlviz.views.canvases import make_canvas
from mlviz.views.difference import DifferenceView
from mlviz.views.plain_text import PlainLabel
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, SPACING, Theme
from mlviz.views.two_maps import PANEL as MAPS
from mlviz.worker.difference import Answerer, Differ, Difference, DifferenceRequest, sort_of, why_not

SIDES = (64, 256)
"""Cells along a side: quickly something, then sharp when nothing moves."""
BESIDE = 1.7
"""From this many times as wide as high on, the words stand beside the map."""


class DifferencePane(QWidget):
    """Follows the frames on show on all boards; it computes nothing itself."""

    def __init__(self, panes: Sequence[Pane], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("difference_pane")
        self._panes = panes
        self._differ = Differ()
        self._document: Document | None = None
        self._theme = LIGHT
        self._asked: DifferenceRequest | None = None
        self._answered = True
        self._found: Difference | None = None
        self.shown: Difference | None = None
        """What is drawn."""
        self.header = PaneHeader(self)
        self.header.view_button.hide()
        self.header.name.setText("Where they differ")
        self.words = PlainLabel(objectName="difference_words", wordWrap=True, margin=SPACING)
        self.table = ResultsTable()
        self._clusters: tuple[Array, ...] = ()
        self.view = DifferenceView(self)
        self.maps = make_canvas(MAPS, parent=self)
        """Where the answers are maps, in place of the plane."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        self._said = QVBoxLayout()
        self._said.addWidget(self.words)
        self._said.addWidget(self.table)
        self._said.addStretch(1)
        self._body = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._body.setSpacing(0)
        self._body.addLayout(self._said)
        self._body.addWidget(self.view)
        self._body.addWidget(self.maps)
        column.addLayout(self._body, 1)
        self._settle = QTimer(self, objectName="difference_settle", interval=40, singleShot=True)
        self._settle.timeout.connect(self._ask_anew)
        self.view.range_changed.connect(self._settle.start)

    def minimumSizeHint(self) -> QSize:
        """Never a reason for its row to be higher than the others."""
        return QSize(160, 120)

    def hasHeightForWidth(self) -> bool:
        """Its sentence is cut in a low place, and the boards stay alike."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The words stand above the map; in a wide place beside it, so that it has the form of the boards."""
        super().resizeEvent(event)
        beside = self.width() > BESIDE * self.height()
        self._body.setDirection(QBoxLayout.Direction.RightToLeft if beside else QBoxLayout.Direction.TopToBottom)
        self._body.setStretch(0, int(beside))
        self._body.setStretch(1, 1)
        self._body.setStretch(2, 1)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self._theme = theme
        self.header.set_theme(theme)
        self.table.set_theme(theme)
        self._match_colours(self._clusters)
        for view in self.views:
            view.set_theme(theme)

    @property
    def views(self) -> tuple[Canvas, Canvas]:
        """The plane and the maps, of which one is seen."""
        return self.view, self.maps

    @property
    def _of_maps(self) -> bool:
        return self._document is not None and sort_of(self._document.method, self._document.data) == "maps"

    def set_document(self, document: Document) -> None:
        """Show this data; what cannot be compared says why."""
        before, self._document = self._document, document
        refusal = why_not(tuple(setting.method for setting in document.settings), document.data)
        self.words.setText(refusal)
        self.header.name.setText(MAPS.title if self._of_maps else "Where they differ")
        self.view.setVisible(not refusal and not self._of_maps)
        self.maps.setVisible(not refusal and self._of_maps)
        self._asked, self._answered = None, True
        data = document.data
        if self._of_maps and not refusal:
            if before is None or before.data is not data or self.maps.scene_info is None:
                self.maps.set_scene(Scene.of(data, document.projection, self._theme))
            return
        if refusal or not isinstance(data, Points):
            return
        other = before is None or before.data is not data or before.axes != document.axes
        if other or self.view.scene_info is None:
            self.view.set_scene(Scene.of(data, document.projection, self._theme))
            if before is None or not before.seen_like(document) or not self.view.shows_data():
                self.view.fit_view()

    def poll(self) -> None:
        """Take what the thread has finished, and ask on: a frame may have changed, or the map can become sharper."""
        found = self._differ.poll()
        if found is not None and found.request is self._asked:
            self._found, self._answered = found, True
        if self._answered and self.isVisible():
            self._ask()

    def pieces(self, _: bool) -> list[Piece]:
        """The map, when it is another one."""
        return [] if self._found is None else [Piece("difference", self._draw)]

    def _ask(self) -> None:
        """Ask for the map of the frames on show; a coarse one first, because frames may follow."""
        wanted = self._wanted()
        if wanted is None:
            return
        if self._asked is not None and _same(wanted, self._asked):
            finer = self._sizes()[-1]
            if self._asked.size == finer or any(pane.player.playing for pane in self._panes):
                return
            wanted = dataclasses.replace(wanted, size=finer)
        self._asked, self._answered = wanted, False
        self._differ.ask(wanted)

    @Slot()
    def _ask_anew(self) -> None:
        self._answered = True
        if self.isVisible():  # not when a board has gone since the view moved
            self._ask()

    def _wanted(self) -> DifferenceRequest | None:
        document, models = self._document, []
        if document is None or all(view.isHidden() for view in self.views):
            return None
        for place, pane in enumerate(self._panes):
            shown, threshold = pane.player.frame_of(document.at(place)), pane.board.compositor.threshold
            if shown is None:
                return None
            decided = threshold if pane.board.draws_line() else None
            models.append(Answerer(document.settings[place].method, shown.snapshot.model, decided))
        data, projection, sizes = document.data, document.projection, self._sizes()
        if self._of_maps:
            return DifferenceRequest(tuple(models), data, projection, (0.0, 1.0, 0.0, 1.0), sizes[-1])
        return DifferenceRequest(tuple(models), data, projection, self.view.view_rect(), sizes[0])

    def _sizes(self) -> tuple[tuple[int, int], ...]:
        wide = max(self.view.width(), 1) / max(self.view.height(), 1)
        return tuple(grid(side, wide) for side in SIDES)

    def show_results(self) -> None:
        """Say what the runs have come to, and how long they have computed."""
        if self._document is not None and len(self._panes) == len(self._document.settings):
            self.table.show_results([pane.player for pane in self._panes], self._document.settings)

    def hideEvent(self, event: QHideEvent) -> None:
        """Without the map, every board has its own colours again."""
        super().hideEvent(event)
        self._match_colours(())

    def _match_colours(self, clusters: tuple[Array, ...]) -> None:
        """Have the clusters of all boards wear the colours of those that they share most points with on the first."""
        self._clusters = clusters
        for place, pane in enumerate(self._panes):
            names = clusters[place].tolist() if place < len(clusters) else []
            theme = self._theme.with_classes(tuple(self._theme.colour(name) for name in names))
            if pane.board.compositor.theme != theme:
                pane.board.compositor.set_theme(theme)

    def _draw(self) -> None:
        found, self._found = self._found, None
        if found is None or self._document is None or found.request.data is not self._document.data:
            return
        if found.error is not None:
            self.view.forget()
            self.maps.show_marks(())
            self.words.setText("These models cannot be compared at this step.")
            return
        self.shown = found
        self.words.setText(found.words)
        if not any(pane.player.playing for pane in self._panes):
            self._match_colours(found.clusters)
        view = self.view if found.maps is None else self.maps
        draw_difference(view, found, names_of(self._document.settings))

    def close_threads(self) -> None:
        """End the thread."""
        self._settle.stop()
        self._differ.close()


def _same(one: DifferenceRequest, other: DifferenceRequest) -> bool:
    """Whether two requests ask for the same map, but for its size."""
    alike = one.data is other.data and one.rect == other.rect and len(one.models) == len(other.models)
    return alike and all(
        a.model is b.model and a.method is b.method and a.threshold == b.threshold
        for a, b in zip(one.models, other.models)
    )
