"""A canvas: axes, a stack of layers and one renderer for each mark of the current frame.

Renderers are made the first time their mark appears and are then updated, never rebuilt. A canvas does not compute:
fields arrive from outside through :meth:`Canvas.set_raster`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtWidgets import QGraphicsSceneWheelEvent, QWidget

from algorithms.contract import Panel
from algorithms.data import Array
from algorithms.marks import DividingLine, Mark
from mlviz.session.layout import Viewport
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster, Rect
from mlviz.session.scoring import Threshold
from mlviz.views.axes import RoomyAxis, StepAxis, axis_height, style_axes
from mlviz.views.brush import MouseRelay
from mlviz.views.legend import OUTSIDE, PRESENTED, Legend
from mlviz.views.legend_rows import Row
from mlviz.views.menuless_plot import MenulessPlot
from mlviz.views.occupied import is_kept_off, places_of
from mlviz.views.renderers.base import NO_PLACES, NO_POINTS, Renderer, renderer_for
from mlviz.views.scene import Scene
from mlviz.views.sprites import Sprite, SpriteLayer
from mlviz.views.theme import LIGHT, Theme

FARTHEST, NEAREST, CLOSEST = 1e99, 1e-12, 1e-90
"""How far one can zoom out, and in as a fraction of where one is and at all: no numbers are beyond, or between."""
FAR = 1e6
"""Pixels outside a view beyond which it does not matter where something is."""
REACH = 10.0
"""How near, in pixels, the mouse must be to a point or handle to mean it."""


class CanvasBox(pg.ViewBox):
    """A drag that begins on something that can be dragged moves it; any other drag pans, where that is allowed."""

    def __init__(self, pans: bool) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=pans, y=pans)
        self._pans = pans
        self.canvas: Canvas | None = None
        self._held: Renderer | None = None

    def mouseDragEvent(self, event: MouseDragEvent, axis: int | None = None) -> None:
        """Drag what is under the mouse, or pan."""
        event.accept()
        if event.isStart() and event.button() == Qt.MouseButton.LeftButton and self.canvas is not None:
            self._held = self.canvas.renderer_to_drag(self.mapToView(event.buttonDownPos()))
        held, before, now = self._held, self.mapToView(event.lastPos()), self.mapToView(event.pos())
        if event.isFinish():
            self._held = None
        if not np.abs((before.x(), before.y(), now.x(), now.y())).max() <= 100.0 * FARTHEST:
            return  # without any room, as when another view takes all of it meanwhile, there are no places
        if held is not None:
            held.drag(now, event.isFinish())
        elif self._pans:
            self.translateBy(x=before.x() - now.x(), y=before.y() - now.y())
            self.sigRangeChangedManually.emit(self.state["mouseEnabled"])

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Scroll what can be scrolled; or zoom, as long as there are numbers for the edges of the picture."""
        place = self.mapToView(self.mapFromScene(event.scenePos()))
        if self.canvas is not None and self.canvas.scroll_marks(place, event.delta() / 120.0):
            event.accept()
            return
        edges = np.array(self.viewRange())
        spans, sizes = np.ptp(edges, axis=1), np.abs(edges).max(axis=1)
        out = event.delta() < 0
        if (out and sizes.max() > FARTHEST) or (not out and (spans < np.maximum(NEAREST * sizes, CLOSEST)).any()):
            event.accept()
            return
        super().wheelEvent(event, axis)

    def mouseClickEvent(self, event: MouseClickEvent) -> None:
        """Leave clicks to the canvas; there is no context menu."""
        event.ignore()


class Canvas(MenulessPlot):
    """One panel: ``show_marks`` draws a frame, ``set_raster`` delivers what a mark asked of the model."""

    points_hovered = Signal(object)
    """The data points (indices) under the mouse: none, one, or those of a branch, a leaf, a cell."""
    points_clicked = Signal(object)
    place_hovered = Signal(object)
    """The place (2,) of the view under the mouse, or None when it has left."""
    param_dragged = Signal(object)
    """(parameter name, value, finished): something on the canvas that stands for a parameter was dragged."""
    value_hovered = Signal(object)
    """(parameter name, value) that what is under the mouse stands for, or None."""
    value_opened = Signal()
    """Such a thing was clicked twice: what it stands for is to be opened."""
    pressed = Signal()
    """A button of the mouse was pressed; said before anything is done with it."""
    range_changed = Signal()
    """The visible part has changed, so fields have to be evaluated again."""

    mouse = MouseRelay()
    """What gives the left button to a tool. The class has one without a tool as well, for events after the end."""
    PANS = False
    SEES_ALL = True
    """Whether the view always fits everything in it."""

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self.box = CanvasBox(self.PANS)
        axes = {"left": RoomyAxis("left"), "bottom": (StepAxis if panel.integer_x else RoomyAxis)("bottom")}
        super().__init__(parent, viewBox=self.box, axisItems=axes)
        self.box.canvas = self
        self.set_panel(panel)
        self.scene_info: Scene | None = None
        self.rasters: dict[str, Raster] = {}
        self._latest: dict[tuple[str, tuple[int, ...]], Raster] = {}
        self.threshold: Threshold | None = None
        self.theme = LIGHT
        self._marks: tuple[Mark, ...] = ()
        self._renderers: dict[tuple[type[Mark], int], Renderer] = {}
        self._stale = self._lit = False
        self._newcomer: SpriteLayer | None = None
        self._hovered: Array = NO_POINTS
        self._hovered_value: tuple[str, Any] | None = None
        self._base_rows: tuple[Row, ...] = ()
        self.setLogMode(x=panel.log_x, y=panel.log_y)
        self.box.setDefaultPadding(0.05)
        if not self.SEES_ALL:
            self.box.disableAutoRange()
        self.legend = Legend(self.box, PRESENTED if panel.space == "data" else OUTSIDE)
        self.legend.avoid, self.legend.shun = self._mark_places, self._decision_places
        self.box.sigResized.connect(self._resized)
        self.box.sigRangeChanged.connect(self._ranged)
        self.getPlotItem().scene().sigMouseClicked.connect(self._clicked)
        self.mouse = MouseRelay()  # set before the widget is made, it would change the order in which all ends: a crash
        self.setMinimumSize(120, 90)
        self.viewport().setMouseTracking(True)
        self.set_theme(LIGHT)

    def set_panel(self, panel: Panel) -> None:
        """Be the canvas of this panel: the picture of the data stays the same one under the next method."""
        if hasattr(self, "legend"):
            self.legend.forget_place()
        self.panel = panel
        self.setObjectName(f"canvas_{panel.key}")
        self.setAccessibleName(panel.title)

    def __getattr__(self, name: str) -> Any:
        """What the plot has; nothing once Python's collector has emptied the canvas and Qt still sends it an event.

        The parent would then look for the plot in the plot, for ever.
        """
        if "plotItem" not in self.__dict__:
            raise AttributeError(name)
        return super().__getattr__(name)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.theme = theme
        if self.scene_info is not None:
            self.scene_info = replace(self.scene_info, theme=theme)
        self.setBackground(theme.plot)
        style_axes(self, theme)
        self._label_axes()
        for renderer in self._renderers.values():
            renderer.restyle()
        if self._marks:
            self.show_marks(self._marks)
        elif not self._stale:
            self.legend.set_rows(self._base_rows, theme)

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """The data set and projection that following marks refer to.

        What the old ones showed is forgotten; but after an edit, when ``origin`` (n,) says which point was which
        before, it stays to be looked at until the next frame replaces it, so that drawing does not flicker.
        """
        self.light_points(NO_POINTS)
        # outside the picture of the data, places are those of the panel itself and never projected
        self.scene_info = scene if self.panel.space == "data" else replace(scene, projection=Projection())
        self._marks = ()
        if origin is None:
            self.legend.forget_place()
        self._stale = origin is not None
        self._base_rows = self._scene_rows(scene)
        if not self._stale:
            self._forget()
        self._label_axes()

    def forget_frame(self) -> None:
        """Show the data alone: what a run has drawn goes, and no frame will come to replace it."""
        if self.scene_info is not None:
            self._forget()
            self.show_marks(())
            self.viewport().update()  # a legend that became smaller leaves its old rows behind

    def _forget(self) -> None:
        self.rasters.clear()
        self._latest.clear()
        for renderer in self._renderers.values():
            renderer.hide()

    def drop_unused(self) -> None:
        """Let go of what drew marks that the frame on show does not have: it keeps something of every method."""
        count: Counter[type[Mark]] = Counter(map(type, self._marks))
        for key in [key for key in self._renderers if key[1] >= count[key[0]]]:
            self._renderers.pop(key).end()

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame: bottom layer first."""
        assert self.scene_info is not None, "a canvas needs a scene before it can draw"
        self._marks = tuple(marks)
        self._stale = False
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
        self.scene().prepareForPaint()  # a range that only changed while painting would have it all painted twice
        self.legend.set_rows(tuple(rows), self.theme)
        if any(is_kept_off(mark) or isinstance(mark, DividingLine) for mark in self._marks):
            self.legend.place()  # what it keeps off has moved

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of the frame on show."""
        return self._marks

    def set_raster(self, what: str, raster: Raster) -> None:
        """Values of ``predict`` or ``field`` on a grid over a part of the plane."""
        values, rect = raster.values, raster.rect
        before, self._latest[what, values.shape] = self._latest.get((what, values.shape)), raster
        shown = self.rasters.get(what)
        finer = shown is not None and shown.rect == rect and shown.values.size >= values.size
        if finer and before is not None and before.rect == rect and np.array_equal(before.values, values):
            return  # the field has not changed since it was seen in this or a finer resolution
        self.rasters[what] = raster
        for renderer in self._renderers.values():
            renderer.raster_changed(what)
        if what == "field":
            self.legend.place()  # there may be a decision line below it now

    def clear_rasters(self) -> None:
        """Forget the fields: they belong to another run."""
        self.rasters.clear()
        self._latest.clear()
        for renderer in self._renderers.values():
            renderer.raster_changed("predict")
            renderer.raster_changed("field")

    def set_threshold(self, threshold: Threshold | None) -> None:
        """Draw the decision line at this level of the field; None leaves it where the marks say."""
        if threshold == self.threshold:
            return
        self.threshold = threshold
        for renderer in self._renderers.values():
            renderer.threshold_changed()
        if self._marks:
            self.show_marks(self._marks)  # the legend names the level

    def view_rect(self) -> Rect:
        """The visible part in data coordinates: left, right, bottom, top."""
        (left, right), (bottom, top) = self.box.viewRange()
        return left, right, bottom, top

    def viewport_state(self) -> Viewport:
        """Where this canvas is looked at from, as far as that is the user's choice: the part that was asked for, not
        what one sees beyond it while the room has another shape.
        """
        (left, right), (bottom, top) = self.box.targetRange()
        rect = (float(left), float(right), float(bottom), float(top))
        chosen = self.PANS and not any(self.box.autoRangeEnabled()) and all(map(math.isfinite, rect))
        angles = (renderer.angles for renderer in self._renderers.values())
        return Viewport(rect if chosen else None, next((pair for pair in angles if pair is not None), None))

    def restore_viewport(self, viewport: Viewport) -> None:
        """Look from there; at least the same part is seen where the room has another shape."""
        if viewport.rect is not None and self.PANS:
            left, right, bottom, top = viewport.rect
            self.box.setRange(xRange=(left, right), yRange=(bottom, top), padding=0, disableAutoRange=True)
        if viewport.angles is not None:
            for renderer in self._renderers.values():
                renderer.turn_to(viewport.angles)

    def show_newcomer(self, at: Array | None) -> None:
        """Mark the place of something that is not among the data, (2,) or in space (3,), or nothing."""
        in_space = at if at is not None and len(at) == 3 else None
        for renderer in self._renderers.values():
            renderer.show_newcomer(in_space)
        at = at if in_space is None else None
        if self._newcomer is None:
            if at is None:
                return
            self._newcomer = SpriteLayer()
            self._newcomer.setZValue(920)
            self.addItem(self._newcomer, ignoreBounds=True)
        look = Sprite("+", self.theme.point * 2.4, self.theme.text, self.theme.plot, self.theme.stroke / 2)
        places = np.zeros((0, 2)) if at is None else np.asarray(at)[None]
        self._newcomer.set(places, (look,), np.zeros(len(places), dtype=np.intp))

    def item_places(self) -> Array:
        """Where the items of the data are drawn, (n, 2)."""
        return np.zeros((0, 2)) if self.scene_info is None else self.scene_info.at

    def fit_view(self) -> None:
        """Show everything in it."""
        self.box.enableAutoRange()

    def note_stroke(self, begins: bool) -> None:
        """A tool begins a stroke, or has ended it: until then nothing moves, and then only as far as needed."""

    def shows_data(self) -> bool:
        """Whether any of the data lies in the visible part."""
        return True

    def light_points(self, points: Array) -> None:
        """Show which points are meant by something hovered in any view; empty for none."""
        if self._stale or not (len(points) or self._lit):  # what is on show speaks of other points, or none are lit
            return
        self._lit = len(points) > 0
        for renderer in self._renderers.values():
            renderer.light_points(points)

    def points_at(self, position: QPointF) -> Array:
        """The data points meant by a place in the widget."""
        place = self.place_of(position)
        for renderer in self._renderers.values() if not self._stale else ():
            found = renderer.points_at(place)
            if len(found):
                return found
        return NO_POINTS

    def place_of(self, position: QPointF) -> QPointF:
        """The place, in the coordinates of the view, at a position of the widget."""
        return self.box.mapSceneToView(self.mapToScene(position.toPoint()))

    def pixels_away(self, at: Array, place: QPointF) -> Array:
        """How far places (m, 2) of the view are from one of them, (m,) on the screen."""
        gaps = (at - (place.x(), place.y())) / self.box.viewPixelSize()
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", gaps, gaps)))

    def renderer_to_drag(self, place: QPointF) -> Renderer | None:
        """The topmost renderer that has something to drag at this place of the view."""
        width, height = self.box.viewPixelSize()
        for renderer in reversed(self._renderers.values()):
            if renderer.grab(place, (2 * REACH * width, 2 * REACH * height)):
                return renderer
        return None

    def scroll_marks(self, place: QPointF, steps: float) -> bool:
        """The wheel was turned over a place of the view; whether that has scrolled something."""
        return any(renderer.scroll(place, steps) for renderer in self._renderers.values())

    def viewportEvent(self, event: QEvent) -> bool:
        """A tool in hand takes the left button; otherwise say which points the mouse is over, and when it has left."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self.pressed.emit()
        if self.mouse.takes(self, event):
            return True
        if event.type() == QEvent.Type.MouseMove and not event.buttons():  # type: ignore[attr-defined]
            self._hover(self.points_at(event.position()))  # type: ignore[attr-defined]
            place = self.place_of(event.position())  # type: ignore[attr-defined]
            self.place_hovered.emit(np.array([place.x(), place.y()]))
            self._hover_value(place)
        elif event.type() == QEvent.Type.Leave:
            self._hover(NO_POINTS)
            self.place_hovered.emit(None)
            self._hover_value(None)
        return super().viewportEvent(event)

    def _hover(self, points: Array) -> None:
        if not np.array_equal(points, self._hovered):
            self._hovered = points
            self.points_hovered.emit(points)

    def _hover_value(self, place: QPointF | None) -> None:
        meant = [renderer.hover(None if self._stale else place) for renderer in self._renderers.values()]
        found = next(filter(None, meant), None)
        if found != self._hovered_value:
            self._hovered_value = found
            self.value_hovered.emit(found)

    def _clicked(self, event: MouseClickEvent) -> None:
        place = self.box.mapSceneToView(event.scenePos())
        if not self._stale and any(renderer.click(place) for renderer in self._renderers.values()):
            if event.double() and any(renderer.hover(place) for renderer in self._renderers.values()):
                self.value_opened.emit()
            return
        self.points_clicked.emit(self.points_at(self.mapFromScene(event.scenePos()).toPointF()))

    def _scene_rows(self, scene: Scene) -> tuple[Row, ...]:
        return ()

    def in_pixels(self, at: Array) -> Array:
        """Places (m, 2) of the view in the pixels of its box; those far outside are not that far."""
        left, right, bottom, top = self.view_rect()
        area = self.box.boundingRect()
        with np.errstate(over="ignore"):  # who zooms into nothing has everything else beyond all numbers
            found = (at - (left, top)) / (right - left, bottom - top) * (area.width(), area.height())
        return np.clip(found, -FAR, FAR)

    def _mark_places(self) -> Array:
        """Where curves, bars, dots and the like are, in the pixels of the box: the legend keeps off them."""
        return self.in_pixels(places_of(self._marks, self.panel))

    def _decision_places(self) -> Array:
        """Where decision lines run, in the pixels of the box."""
        parts = [renderer.decision_places() for renderer in self._renderers.values()]
        found = [part for part in parts if len(part)]
        return self.in_pixels(np.concatenate(found)) if found else NO_PLACES

    def name_axis(self, side: str, name: str) -> None:
        """Change the name of an axis during a run; pyqtgraph centres names only when the size changes."""
        axis = self.getAxis(side)
        if axis.labelText != name:
            self.setLabel(side, name)
            axis.resizeEvent()

    def _label_axes(self) -> None:
        self.setLabel("bottom", self.panel.x)
        self.setLabel("left", self.panel.y)
        self.getAxis("bottom").setHeight(axis_height(self.theme, named=bool(self.panel.x)))

    def _resized(self) -> None:
        self.legend.place()

    def _ranged(self) -> None:
        if not self.SEES_ALL:
            self.legend.reconsider()  # somebody looks at another part
        self.legend.place()
        self.range_changed.emit()
