"""A canvas: axes, a stack of layers and one renderer for each mark of the current frame.

Renderers are made the first time their mark appears and are then updated, never rebuilt. A canvas does not compute:
fields arrive from outside through :meth:`Canvas.set_raster`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.dataset import Array
from algorithms.marks import Isolines, Mark, Regions
from mlviz.views.legend import Legend, Row
from mlviz.views.renderers.base import Raster, Renderer, renderer_for
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, Theme

Rect = tuple[float, float, float, float]


class Canvas(pg.PlotWidget):
    """One panel: ``show_marks`` draws a frame, ``set_raster`` delivers what a mark asked of the model."""

    point_hovered = Signal(int)
    """The number of the data point under the mouse, or -1."""
    point_clicked = Signal(int)
    range_changed = Signal()
    """The visible part of the plane has changed, so fields have to be evaluated again."""

    def __init__(self, panel: Panel, parent: QWidget | None = None, box: pg.ViewBox | None = None) -> None:
        super().__init__(parent=parent, viewBox=box or pg.ViewBox(enableMenu=False), background=None)
        self.panel = panel
        self.setObjectName(f"canvas_{panel.key}")
        self.setAccessibleName(panel.title)
        self.scene_info: Scene | None = None
        self.rasters: dict[str, Raster] = {}
        self.theme = LIGHT
        self._marks: tuple[Mark, ...] = ()
        self._renderers: dict[tuple[type[Mark], int], Renderer] = {}
        self._lit = -1
        self.setMenuEnabled(False)
        self.hideButtons()
        box = self.getViewBox()
        box.setDefaultPadding(0.05)
        self.legend = Legend(box)
        box.sigResized.connect(self._resized)
        box.sigRangeChanged.connect(self._ranged)
        self.setMinimumSize(120, 90)
        self.viewport().setMouseTracking(True)
        self._base_rows: tuple[Row, ...] = ()
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.theme = theme
        self.setBackground(theme.plot)
        font = QFont()
        font.setPointSizeF(theme.font * 0.9)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setStyle(tickFont=font, tickTextOffset=4)
            axis.labelStyle = {"color": theme.text, "font-size": f"{theme.font:.0f}pt"}
        self._label_axes()
        for renderer in self._renderers.values():
            renderer.restyle()
        if self._marks:
            self.show_marks(self._marks)

    def set_scene(self, scene: Scene) -> None:
        """The data set and projection that following marks refer to; forgets what the old ones showed."""
        self.scene_info = scene
        self.theme = scene.theme
        self.rasters.clear()
        self._marks = ()
        self._base_rows = self._scene_rows(scene)
        for renderer in self._renderers.values():
            renderer.hide()
        self._label_axes()

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame: bottom layer first."""
        assert self.scene_info is not None, "a canvas needs a scene before it can draw"
        self._marks = tuple(marks)
        count: Counter[type[Mark]] = Counter()
        unused = set(self._renderers)
        rows = list(self._base_rows)
        for height, mark in enumerate(self._marks):
            key = (type(mark), count[type(mark)])
            count[type(mark)] += 1
            unused.discard(key)
            renderer = self._renderers.get(key)
            if renderer is None:
                renderer = self._renderers[key] = renderer_for(type(mark))(self, key[1])
            renderer.set_height(height)
            renderer.show(mark)
            rows.extend(renderer.legend(mark))
        for key in unused:
            self._renderers[key].hide()
        self.legend.set_rows(tuple(rows), self.theme)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of the frame on show."""
        return self._marks

    def set_raster(self, what: str, values: Array, rect: Rect) -> None:
        """Values of ``predict`` or ``field`` on a grid over ``rect``, row 0 at the lower edge."""
        self.rasters[what] = Raster(values, rect)
        for renderer in self._renderers.values():
            renderer.raster_changed(what)

    def clear_rasters(self) -> None:
        """Forget the fields: they belong to another run."""
        self.rasters.clear()
        for renderer in self._renderers.values():
            renderer.raster_changed("predict")
            renderer.raster_changed("field")

    def view_rect(self) -> Rect:
        """The visible part in data coordinates: left, right, bottom, top."""
        (left, right), (bottom, top) = self.getViewBox().viewRange()
        return left, right, bottom, top

    def light_point(self, index: int) -> None:
        """Show which point is meant by something hovered in another view; -1 for none."""
        if index != self._lit:
            self._lit = index
            for renderer in self._renderers.values():
                renderer.light_point(index)

    def point_at(self, position: QPointF) -> int:
        """The data point under a place in the widget, or -1. Canvases that show points override the search."""
        place = self.getViewBox().mapSceneToView(self.mapToScene(position.toPoint()))
        for renderer in self._renderers.values():
            found = renderer.point_at(place)
            if found >= 0:
                return found
        return -1

    def viewportEvent(self, event: QEvent) -> bool:
        """Say which point the mouse is over, and when it has left."""
        if event.type() == QEvent.Type.MouseMove and not event.buttons():  # type: ignore[attr-defined]
            self.point_hovered.emit(self.point_at(event.position()))  # type: ignore[attr-defined]
        elif event.type() == QEvent.Type.Leave:
            self.point_hovered.emit(-1)
        return super().viewportEvent(event)

    def _scene_rows(self, scene: Scene) -> tuple[Row, ...]:
        return ()

    def _label_axes(self) -> None:
        self.setLabel("bottom", self.panel.x)
        self.setLabel("left", self.panel.y)

    def _resized(self) -> None:
        self.legend.place()

    def _ranged(self) -> None:
        self.range_changed.emit()


def raster_needs(marks: Iterable[Mark]) -> tuple[str, ...]:
    """What has to be asked of the model to draw these marks: ``predict``, ``field``, both or nothing."""
    needs = set()
    for mark in marks:
        if isinstance(mark, Regions):
            needs.add("predict" if mark.kind == "classes" else "field")
        elif isinstance(mark, Isolines):
            needs.add("field")
    return tuple(sorted(needs))


class PlotView(Canvas):
    """A panel with two free axes that always shows everything in it."""

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        super().__init__(panel, parent)
        self.setLogMode(x=panel.log_x, y=panel.log_y)
        self.setMouseEnabled(x=False, y=False)
        self.getViewBox().setMouseMode(pg.ViewBox.PanMode)
