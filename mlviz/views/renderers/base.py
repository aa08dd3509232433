"""What a renderer is, and how the right one is found: by the type of the mark."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QGraphicsItem

from algorithms.data import Array
from algorithms.marks import Mark
from mlviz.views.legend_rows import Row
from mlviz.views.scene import Scene
from mlviz.views.theme import Theme

if TYPE_CHECKING:
    from mlviz.views.canvas import Canvas


class Renderer:
    """Draws one mark on one canvas. Items are made in ``__init__`` and updated in ``show``."""

    depth: ClassVar[float] = 0.0
    """Where the layer lies whatever the order of the marks; 0 means by that order."""
    stacked: ClassVar[bool] = False
    """Whether each item lies above the one that was added before it."""

    def __init__(self, canvas: Canvas, ordinal: int) -> None:
        self.canvas = canvas
        self.ordinal = ordinal
        self.items: list[QGraphicsItem] = []

    @property
    def scene(self) -> Scene:
        """The data the marks refer to."""
        assert self.canvas.scene_info is not None
        return self.canvas.scene_info

    @property
    def theme(self) -> Theme:
        """The current look."""
        return self.canvas.theme

    def on_axis(self, values: Any, axis: str = "x") -> Any:
        """Values where the canvas draws them: their decimal logarithm on a logarithmic axis."""
        panel = self.canvas.panel
        if not (panel.log_x if axis == "x" else panel.log_y):
            return values
        return np.log10(np.maximum(values, np.finfo(float).tiny))

    def off_axis(self, place: float, axis: str = "x") -> float:
        """The value at a place of the canvas; the inverse of :meth:`on_axis`."""
        panel = self.canvas.panel
        return float(10.0**place) if (panel.log_x if axis == "x" else panel.log_y) else place

    def add(self, item: Any) -> Any:
        """Put an item on the canvas; it stays there for the life of the renderer."""
        self.canvas.addItem(item)
        self.items.append(item)
        return item

    def set_height(self, height: int) -> None:
        """Lie above the marks before this one."""
        for above, item in enumerate(self.items):
            item.setZValue((self.depth or 10.0 + height) + (above if self.stacked else 0))

    def show(self, mark: Any) -> None:
        """Update the items to this mark and make them visible."""
        raise NotImplementedError

    def hide(self) -> None:
        """The current frame has no such mark."""
        for item in self.items:
            item.setVisible(False)

    def end(self) -> None:
        """Leave the canvas with all that was made: another one is made for the next such mark."""
        for item in self.items:
            if item in self.canvas.getPlotItem().items:
                self.canvas.removeItem(item)
            elif item.scene() is not None:
                item.scene().removeItem(item)
        self.items = []

    @property
    def angles(self) -> tuple[float, float] | None:
        """Where something that can be turned is seen from; None for everything flat."""
        return None

    def turn_to(self, angles: tuple[float, float]) -> None:
        """See it from there."""

    def legend(self, mark: Any) -> tuple[Row, ...]:
        """What the legend says about the mark."""
        return ()

    def restyle(self) -> None:
        """The theme has changed; anything kept in its colours is to be made again."""

    def raster_changed(self, what: str) -> None:
        """New values of ``predict`` or ``field`` have arrived (or were forgotten)."""

    def threshold_changed(self) -> None:
        """The canvas has another threshold for the decision line."""

    def show_newcomer(self, place: Array | None) -> None:
        """Mark something that is not among the data at this place of the mark's own space, or nothing."""

    def light_points(self, points: Array) -> None:
        """These data points (indices) are meant by another view; empty for none."""

    def points_at(self, place: QPointF) -> Array:
        """The data points (indices) that are meant by this place, in the coordinates of the canvas."""
        return NO_POINTS

    def hover(self, place: QPointF | None) -> tuple[str, Any] | None:
        """The parameter, and its value, that stand at this place under the mouse; no place when the mouse has left."""
        return None

    def decision_places(self) -> Array:
        """Where lines run between classes, (m, 2): a legend keeps off them where there is room elsewhere."""
        return NO_PLACES

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        """Whether a drag that begins here takes hold of something; ``reach`` is the tolerance in both directions."""
        return False

    def click(self, place: QPointF) -> bool:
        """A click at this place; whether it has done something."""
        return False

    def scroll(self, place: QPointF, steps: float) -> bool:
        """The wheel was turned here, by so many steps away from the user; whether it has scrolled something."""
        return False

    def drag(self, place: QPointF, finished: bool) -> None:
        """What was taken hold of is dragged here; emit ``canvas.param_dragged`` with (name, value, finished)."""


NO_POINTS: Array = np.empty(0, dtype=np.intp)
NO_PLACES: Array = np.empty((0, 2))
R = TypeVar("R", bound=type[Renderer])
_RENDERERS: dict[type[Mark], type[Renderer]] = {}
MODULES: dict[str, tuple[str, ...]] = {
    "bundles": ("Bundle", "Dots"),
    "charts": ("Curve", "ReferenceLine", "Bars"),
    "cell_map": ("CellMap",),
    "cloud": ("Cloud3D",),
    "dendrogram": ("Dendrogram",),
    "dividing_line": ("DividingLine",),
    "fields": ("Regions", "Isolines", "Extent"),
    "hulls": ("Hulls",),
    "images": ("Images",),
    "matrices": ("Matrix",),
    "multiples": ("Multiples",),
    "network": ("NetworkDiagram",),
    "node_link": ("NodeLink",),
    "paths": ("Paths", "Arrows"),
    "points": ("Assignment", "SoftAssignment", "PointSizes", "Highlight", "HeldOut"),
    "polygons": ("Polygons",),
    "scatter": ("Scatter",),
    "shapes": ("Centres", "Trail", "Ellipses", "Segments"),
    "spans": ("Spans",),
    "squares": ("Squares",),
    "strip": ("Strip",),
    "table": ("Table",),
    "tree": ("Rectangles", "TreeDiagram"),
    "trellis": ("Trellis",),
    "turning_axis": ("TurningAxis",),
}
"""Which marks each module of this package renders: a module is imported when the first of its marks is drawn."""


def renders(mark: type[Mark]) -> Callable[[R], R]:
    """Register a renderer for a type of mark."""

    def register(renderer: R) -> R:
        _RENDERERS[mark] = renderer
        return renderer

    return register


def renderer_for(mark: type[Mark]) -> type[Renderer]:
    """The renderer of a type of mark."""
    if mark not in _RENDERERS:
        module = next((name for name, marks in MODULES.items() if mark.__name__ in marks), None)
        if module is None:
            raise LookupError(f"No module in MODULES of {__name__} renders {mark.__name__}.")
        importlib.import_module(f"{__package__}.{module}")
    return _RENDERERS[mark]
