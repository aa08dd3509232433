"""The drawing tools. Each is declared once in :data:`TOOLS`; a stroke of it is an object that lives from press to
release, edits the easel's draft and knows nothing of windows and undo.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from algorithms.data import Array
from algorithms.records import dataclass
from mlviz.session import edits
from mlviz.session.edits import Draft
from mlviz.session.nearest import nearest
from mlviz.session.projection import Axes
from mlviz.ui.editors.toolbox import HAND, Tool
from mlviz.views.brush import Band, PointerState
from mlviz.views.canvas import REACH
from mlviz.views.renderers.base import NO_POINTS


@dataclass(frozen=True, slots=True)
class Brush:
    """The settings of the tools: the radius in pixels, points for each dab of the spray, points of a line or stamp."""

    radius: int = 24
    flow: int = 3
    count: int = 40


class Easel(Protocol):
    """What a stroke works on."""

    draft: Draft
    group: int
    brush: Brush
    rng: np.random.Generator
    selection: Array

    @property
    def axes(self) -> Axes:
        """What is looked at: two features, or the plane of the principal components."""

    def change(self, draft: Draft) -> None:
        """The data from now on."""

    def select(self, points: Array) -> None:
        """The selection from now on."""

    def show_band(self, band: Band | None) -> None:
        """A rubber band, or none."""


class Stroke:
    """One use of a tool. The base class does nothing."""

    def __init__(self, easel: Easel) -> None:
        self.easel = easel
        self.start = easel.draft
        self.at = edits.positions(easel.draft.data, easel.axes)
        self.first = self.last = PointerState(0.0, 0.0)

    def press(self, pointer: PointerState) -> None:
        """The button goes down."""
        self.first = self.last = pointer
        self.begin(pointer)

    def drag(self, pointer: PointerState) -> None:
        """The mouse moves."""
        self.go(pointer)
        self.last = pointer

    def begin(self, pointer: PointerState) -> None:
        """What happens at the press."""

    def go(self, pointer: PointerState) -> None:
        """What happens at each move; ``self.last`` is where the mouse was before."""

    def end(self) -> None:
        """What happens at the release."""


class PointStroke(Stroke):
    """One point, which can still be dragged to its place."""

    def begin(self, pointer: PointerState) -> None:
        """Place the point."""
        self.go(pointer)

    def go(self, pointer: PointerState) -> None:
        """Place it elsewhere."""
        self.easel.change(edits.add(self.start, self.easel.axes, pointer.at, self.easel.group))


class SprayStroke(Stroke):
    """Points at random under the brush; the faster the mouse, the longer the trail, never the thinner."""

    _left_over = 0.0

    def begin(self, pointer: PointerState) -> None:
        """The first dab."""
        self._dab(pointer.at[None], pointer)

    def go(self, pointer: PointerState) -> None:
        """A dab every half radius."""
        centres, self._left_over = edits.dabs(
            self.last.at, pointer.at, pointer.radii(self.easel.brush.radius), self._left_over
        )
        self._dab(centres, pointer)

    def _dab(self, centres: Array, pointer: PointerState) -> None:
        if len(centres):
            easel = self.easel
            at = edits.sprayed(easel.rng, centres, pointer.radii(easel.brush.radius), easel.brush.flow)
            easel.change(edits.add(easel.draft, easel.axes, at, easel.group))


class LineStroke(Stroke):
    """Points at equal distances on a line; with Shift scattered around it by the size of the brush."""

    def __init__(self, easel: Easel) -> None:
        super().__init__(easel)
        self._noise = easel.rng.normal(size=(max(easel.brush.count, 2), 2)) / 2

    def go(self, pointer: PointerState) -> None:
        """Stretch the line."""
        at = edits.along(self.first.at, pointer.at, self.easel.brush.count)
        if pointer.shift:
            at = at + self._noise * pointer.radii(self.easel.brush.radius)
        self.easel.change(edits.add(self.start, self.easel.axes, at, self.easel.group))
        self.easel.show_band(Band("line", np.array([self.first.at, pointer.at])))


class StampStroke(Stroke):
    """A Gaussian cloud: the press is its mean, the drag its ellipse of two standard deviations.

    Without Shift the ellipse lies along the axes, with Shift its long axis follows the mouse. The points are the same
    ones throughout the drag, only stretched.
    """

    def __init__(self, easel: Easel) -> None:
        super().__init__(easel)
        self._noise = easel.rng.normal(size=(easel.brush.count, 2))

    def begin(self, pointer: PointerState) -> None:
        """A round cloud of the size of the brush."""
        self._stamp(np.diag(pointer.radii(self.easel.brush.radius)))

    def go(self, pointer: PointerState) -> None:
        """Stretch the cloud to the mouse."""
        reach = pointer.at - self.first.at
        if pointer.shift:
            pixel = np.array(pointer.pixel)
            across = np.array([-reach[1], reach[0]]) / pixel[::-1] * pixel / 3  # a right angle on the screen
            self._stamp(np.array([reach, across]))
        else:
            self._stamp(np.diag(np.abs(reach)))

    def _stamp(self, half_axes: Array) -> None:
        centre = self.first.at
        angle = np.linspace(0, 2 * np.pi, 73)
        border = np.column_stack([np.cos(angle), np.sin(angle)])
        self.easel.change(
            edits.add(self.start, self.easel.axes, centre + self._noise @ half_axes / 2, self.easel.group)
        )
        self.easel.show_band(Band("polygon", centre + border @ half_axes))


class BrushStroke(Stroke):
    """A tool that does something to the points under the brush."""

    def begin(self, pointer: PointerState) -> None:
        """Touch the points at the press."""
        self._pointer(pointer, pointer, 0.5)

    def go(self, pointer: PointerState) -> None:
        """Touch the points on the way."""
        distance = np.hypot(*((pointer.at - self.last.at) / pointer.radii(self.easel.brush.radius)))
        self._pointer(self.last, pointer, min(float(distance), 2.0))

    def _pointer(self, last: PointerState, pointer: PointerState, dose: float) -> None:
        at = edits.positions(self.easel.draft.data, self.easel.axes)
        points = edits.under_brush(at, last.at, pointer.at, pointer.radii(self.easel.brush.radius))
        if len(points):
            self.easel.change(self.treat(points, pointer, dose))

    def treat(self, points: Array, pointer: PointerState, dose: float) -> Draft:
        """The data after the brush has touched these points; ``dose`` is how far the mouse has moved, in radii."""
        raise NotImplementedError


class EraseStroke(BrushStroke):
    """Removes what it touches."""

    def treat(self, points: Array, pointer: PointerState, dose: float) -> Draft:
        """Without the points."""
        return edits.erase(self.easel.draft, points)


class RelabelStroke(BrushStroke):
    """Gives the chosen class to what it touches."""

    def begin(self, pointer: PointerState) -> None:
        """Refuse data without classes even where there is no point."""
        self.start.data.class_numbers("The relabel brush")
        super().begin(pointer)

    def treat(self, points: Array, pointer: PointerState, dose: float) -> Draft:
        """The points in the chosen class."""
        return edits.relabel(self.easel.draft, points, self.easel.group)


class JitterStroke(BrushStroke):
    """Shakes what it touches."""

    def treat(self, points: Array, pointer: PointerState, dose: float) -> Draft:
        """The points displaced; as after a random walk, the square of the spread grows with the distance."""
        spread = pointer.radii(self.easel.brush.radius * 0.25 * dose**0.5)
        return edits.jitter(self.easel.draft, self.easel.axes, points, spread, self.easel.rng)


class AttractStroke(BrushStroke):
    """Draws what it touches towards the mouse; with Shift it pushes away."""

    def treat(self, points: Array, pointer: PointerState, dose: float) -> Draft:
        """The points nearer to the mouse, or further."""
        fraction = 1.0 - 0.6**dose
        towards = -fraction if pointer.shift else fraction
        return edits.attract(self.easel.draft, self.easel.axes, points, pointer.at, towards)


class MovingStroke(Stroke):
    """Carries points along."""

    carried: Array = NO_POINTS

    def go(self, pointer: PointerState) -> None:
        """Carry them to where the mouse is."""
        if len(self.carried):
            to = self.at[self.carried] + (pointer.at - self.first.at)
            self.easel.change(edits.move(self.start, self.easel.axes, self.carried, to))

    def nearest(self, pointer: PointerState, reach: float) -> int:
        """The point nearest to the mouse within so many pixels, or -1."""
        found = nearest(self.at, *pointer.at, pointer.pixel, reach)
        return -1 if found is None else found

    def same_class(self, point: int) -> Array:
        """All points of the same class; every point where there are no classes."""
        data = self.start.data
        if not data.is_labelled or data.y is None:
            return np.arange(data.n)
        return np.flatnonzero(data.y == data.y[point])


class SelectStroke(MovingStroke):
    """On a point: moves it, or the selection it belongs to. Beside the points: selects by a rectangle.

    Shift adds to the selection, Ctrl takes the whole class, and so does a double click.
    """

    def begin(self, pointer: PointerState) -> None:
        """Take hold of a point, or begin to select."""
        point = self.nearest(pointer, REACH)
        self._kept = self.easel.selection if pointer.shift else NO_POINTS
        if point < 0:
            self.easel.select(self._kept)
            return
        chosen = self.easel.selection
        if pointer.control or pointer.double:
            chosen = self.same_class(point)
        elif point not in chosen:
            chosen = np.union1d(self._kept, [point])
        self.easel.select(chosen)
        self.carried = chosen

    def go(self, pointer: PointerState) -> None:
        """Carry, or select what lies in the shape."""
        if len(self.carried):
            super().go(pointer)
            return
        band = self.shape(pointer)
        self.easel.show_band(band)
        self.easel.select(np.union1d(self._kept, self.inside(band)).astype(np.intp))

    def shape(self, pointer: PointerState) -> Band:
        """What has been drawn up to here."""
        return Band("rectangle", np.array([self.first.at, pointer.at]))

    def inside(self, band: Band) -> Array:
        """The points that it selects."""
        return edits.in_rectangle(self.at, band.corners[0], band.corners[1])


class LassoStroke(SelectStroke):
    """The same with a line drawn by hand."""

    def __init__(self, easel: Easel) -> None:
        super().__init__(easel)
        self._line: list[Array] = []

    def shape(self, pointer: PointerState) -> Band:
        """The line up to here, closed."""
        self._line = [*self._line, pointer.at] if self._line else [self.first.at, pointer.at]
        return Band("polygon", np.array(self._line))

    def inside(self, band: Band) -> Array:
        """The points inside the line."""
        return edits.in_polygon(self.at, band.corners)


class MoveClassStroke(MovingStroke):
    """Carries the whole class of the nearest point."""

    def begin(self, pointer: PointerState) -> None:
        """Take hold of the class, if there is one."""
        point = self.nearest(pointer, np.inf)
        if point >= 0:
            self.carried = self.same_class(point)


TOOLS = (
    HAND,
    Tool("point", "Draw single points", "P", "point", "draw a point", "Click to place a point.", PointStroke),
    Tool("spray", "Spray points", "B", "spray", "spray points", "Drag to spray points.", SprayStroke, True),
    Tool(
        "line",
        "Draw a line of points",
        "L",
        "line",
        "draw a line",
        "Drag from one end of the line to the other; Shift scatters the points around it.",
        LineStroke,
    ),
    Tool(
        "stamp",
        "Stamp a Gaussian cloud",
        "G",
        "stamp",
        "stamp a cloud",
        "Press at the mean and drag the ellipse of two standard deviations; Shift tilts it.",
        StampStroke,
    ),
    Tool(
        "select",
        "Select and move points",
        "V",
        "select",
        "move points",
        "Drag a point or the selection to move it, drag beside the points to select; Shift adds, Ctrl takes a class.",
        SelectStroke,
    ),
    Tool(
        "lasso",
        "Select points with a lasso",
        "S",
        "lasso",
        "move points",
        "Draw around points to select them; Shift adds, Ctrl takes a class.",
        LassoStroke,
    ),
    Tool(
        "move",
        "Move a whole class",
        "C",
        "move",
        "move a class",
        "Drag: the class of the nearest point moves along.",
        MoveClassStroke,
    ),
    Tool(
        "relabel",
        "Give points another class",
        "R",
        "relabel",
        "relabel points",
        "Brush over points to give them the chosen class.",
        RelabelStroke,
        True,
    ),
    Tool("erase", "Erase points", "E", "erase", "erase points", "Brush over points to erase them.", EraseStroke, True),
    Tool("jitter", "Shake points", "J", "jitter", "shake points", "Brush over points to shake.", JitterStroke, True),
    Tool(
        "attract",
        "Attract points",
        "A",
        "attract",
        "attract points",
        "Brush to draw points together; Shift pushes them apart.",
        AttractStroke,
        True,
    ),
)
