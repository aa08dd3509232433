"""The data plane: the points, whatever the algorithm draws over and under them, and handles to drag."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Slot
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Array, Points
from algorithms.marks import Assignment, Bundle, Curve, HeldOut, Mark, SoftAssignment
from mlviz.session.nearest import nearest
from mlviz.views.brush import BrushLayer
from mlviz.views.canvas import REACH, Canvas
from mlviz.views.legend_rows import Row
from mlviz.views.occupied import occupied
from mlviz.views.renderers.base import NO_POINTS
from mlviz.views.scale import end_colour
from mlviz.views.scene import Scene, hollow_look
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer
from mlviz.views.theme import Theme

LEAST_SPAN = 1e-9
"""What the view shows is at least so large, compared with the numbers in it."""
ASPECT = 4.0
"""Features whose ranges differ by less than this factor share one scale, so that circles are circles."""
BLANK = np.array([[-5.0, -5.0], [5.0, 5.0]])
"""What is seen while there are no points."""
CROWDING = 0.1
"""The fraction of the points that the legend may hide; in a small plane full of points there is no room for it."""

NOTE = 0.75
"""The size of the note's letters where it is longer than the plane is wide: two lines would hide the points."""


class PlaneView(Canvas):
    """The panel ``plane``. Shape says the true class; colour says what the algorithm thinks, where it thinks."""

    PANS = True
    SEES_ALL = False

    def __init__(self, panel: Panel, parent: QWidget | None = None) -> None:
        self._ring: SpriteLayer | None = None
        self._recoloured = False
        self._plain: Scene | None = None
        """The scene whose points are on show in the colours of their classes."""
        self._fills: Array = np.empty(0, dtype=np.int64)
        self._draft: tuple[Scene, Array] | None = None
        self._held_out: Array | None = None
        self._kept_by_method: Array | None = None
        """Points that the method itself does not learn from, (n,) bool; what the evaluation holds out goes before."""
        super().__init__(panel, parent)
        self.points = SpriteLayer()
        self.points.setZValue(100)
        self._ring = SpriteLayer()
        self._ring.setZValue(900)
        self.addItem(self.points)
        self.addItem(self._ring)
        self.legend.avoid = self._places
        self.legend.crowding, self.legend.reach = CROWDING, 1.0
        self.note = pg.TextItem(anchor=(0, 1))
        self.note.setZValue(950)
        self.note.setParentItem(self.box)
        self.brush = BrushLayer(self)

    def set_scene(self, scene: Scene, origin: Array | None = None) -> None:
        """Show another data set, or the same one edited."""
        self._held_out = _after(self._held_out, origin) if origin is not None else None
        self._kept_by_method = _after(self._kept_by_method, origin) if origin is not None else None
        super().set_scene(scene, origin)
        self._label_axes()
        self._draft = None
        self.paint_points(self._fills_after(scene, origin))
        self._write_note()
        self.legend.place()

    def show_marks(self, marks: Iterable[Mark]) -> None:
        """Draw one frame; the points wear their class colours unless a mark says otherwise."""
        assert self.scene_info is not None
        marks = tuple(marks)
        recoloured = any(isinstance(mark, Assignment | SoftAssignment) for mark in marks)
        if recoloured != self._recoloured:
            self._recoloured = recoloured
            self._base_rows = self._scene_rows(self.scene_info)
        kept = _mask(marks, len(self.scene_info.at))
        if not np.array_equal(kept, self._kept_by_method):  # type: ignore[arg-type]  # None is equal to None alone
            self._kept_by_method, self._plain = kept, None
        if not recoloured and (self._plain is not self.scene_info or self._draft is not None):
            self.paint_points(self.scene_info.class_fills())
            self._plain = self.scene_info
        super().show_marks(marks)

    def paint_points(self, fills: Array, same: Array | None = None) -> None:
        """Colour the points, (n,) 0xRRGGBB; ``same`` says which were which on show when some have gone."""
        assert self.scene_info is not None
        self._fills, self._plain = fills, None
        scene = self.scene_info
        hollow = self._kept_by_method if self._held_out is None else self._held_out
        if self._draft is not None:
            scene, origin = self._draft
            fills, hollow = self._fills_after(scene, origin), _after(hollow, origin)
        sprites, which = scene.looks(fills, hollow)
        self.points.set(scene.at, sprites, which, same)

    @Slot(object)
    def hold_out(self, points: Array) -> None:
        """Draw these points hollow, because they are kept away from training; none for all alike."""
        scene = self.scene_info
        if scene is None or points.max(initial=-1) >= len(scene.at):
            return
        self._held_out = np.isin(np.arange(len(scene.at)), points) if len(points) else None
        self._base_rows = self._scene_rows(scene)
        self.paint_points(self._fills)
        if self._marks:
            self.show_marks(self._marks)
        elif not self._stale:
            self.legend.set_rows(self._base_rows, self.theme)

    def set_draft(self, data: Points, origin: Array) -> None:
        """Draw these points while a stroke goes on; everything else stays as it was before the stroke.

        ``origin`` (n,) gives the number of each point in the scene, or -1. The next scene ends the draft.
        """
        assert self.scene_info is not None
        before = np.arange(len(self.scene_info.at)) if self._draft is None else self._draft[1]
        self._draft = (Scene.of(data, self.scene_info.projection, self.theme), origin)
        self.paint_points(self._fills, _survivors(before, origin, len(self.points.at)))
        self.legend.place()

    def end_draft(self) -> None:
        """Draw the points of the scene again."""
        if self._draft is not None:
            self._draft = None
            self.paint_points(self._fills)

    def _fills_after(self, scene: Scene, origin: Array | None) -> Array:
        """The colours of edited points: those the algorithm gave them stay until it has seen the edit."""
        if origin is None or not self._recoloured or not len(self._fills):
            return scene.class_fills()
        grey = scene.group_colours(np.array([-1]))[0]
        return np.where(origin >= 0, self._fills[origin], grey)

    def fit_view(self) -> None:
        """Show all points with a margin, with one scale on both axes where the ranges allow it."""
        assert self.scene_info is not None
        at = self.scene_info.at if len(self.scene_info.at) else BLANK
        low, high = at.min(axis=0), at.max(axis=0)
        span = high - low
        middle = low / 2 + high / 2
        largest = float(np.abs(at).max())  # next to large numbers a small span has no pixels of its own
        span = np.where(span > LEAST_SPAN * largest, span, max(float(span.max()), 1.0, 1000 * LEAST_SPAN * largest))
        alike = span.max() < ASPECT * span.min() and not self.scene_info.projection.target
        self.box.setAspectLocked(bool(alike), ratio=1.0)
        half = span * 0.58
        self.box.setRange(
            xRange=(middle[0] - half[0], middle[0] + half[0]),
            yRange=(middle[1] - half[1], middle[1] + half[1]),
            padding=0,
        )

    def item_places(self) -> Array:
        """Where the points are on show, also those of a draft."""
        return self.points.at

    def shows_data(self) -> bool:
        """Whether any point lies in the visible part, as long as there are some."""
        assert self.scene_info is not None
        return self.scene_info.any_within(*self.view_rect())

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        if self.scene_info is not None and self.scene_info.theme is not theme:
            self.scene_info = replace(self.scene_info, theme=theme)
            self.theme = theme
            self._base_rows = self._scene_rows(self.scene_info)
            if not self._marks:  # they colour the points themselves, or have them coloured by class
                self.paint_points(self.scene_info.class_fills())
            self._write_note()
        super().set_theme(theme)
        if self._ring is not None:
            self.brush.set_theme(theme)

    def light_points(self, points: Array) -> None:
        """Ring these points."""
        before = self._lit
        super().light_points(points)
        if self._ring is None or self.scene_info is None or not (len(points) or before):
            return
        points = points[points < len(self.scene_info.at)]
        look = Sprite("o", self.theme.point * 2.2, None, self.theme.line, self.theme.stroke)
        self._ring.set(self.scene_info.at[points], (look,), np.zeros(len(points), dtype=np.intp))

    def points_at(self, position: QPointF) -> Array:
        """The nearest data point within reach; else whatever a mark says lies here, such as a region."""
        if self.scene_info is None:
            return NO_POINTS
        place = self.place_of(position)
        point = nearest(self.scene_info.at, place.x(), place.y(), self.box.viewPixelSize(), REACH)
        return super().points_at(position) if point is None else np.array([point])

    def _scene_rows(self, scene: Scene) -> tuple[Row, ...]:
        """The classes; without their colours while the points wear those of the algorithm."""
        theme = scene.theme
        data = scene.points
        if data.is_valued and data.d > 1 and data.n and data.y is not None and not self._recoloured:
            ends = ((float(data.y.max()), 1.0), (float(data.y.min()), 0.0))
            looks = [Sprite("o", theme.point, end_colour(theme, fraction), theme.plot) for _, fraction in ends]
            return tuple(Row(f"{data.target} = {end:.3g}", sprite=look) for (end, _), look in zip(ends, looks))
        classes = tuple(
            Row(
                name,
                sprite=Sprite(
                    theme.shape(c), theme.point, theme.muted if self._recoloured else theme.colour(c), theme.plot, 1.0
                ),
            )
            for c, name in enumerate(scene.data.classes)
        )
        if self._held_out is None:
            return classes
        return (*classes, Row("held out", sprite=hollow_look(theme, 0, theme.muted)))

    def _places(self) -> Array:
        """Where the points, curves and the words of the note are, in the pixels of the view box."""
        if self.scene_info is None:
            return EMPTY
        lines = tuple(mark for mark in self._marks if isinstance(mark, Curve | Bundle))
        at = self.in_pixels(np.concatenate([self.points.at, *map(occupied, lines)]))
        noted = self.scene_info.projection.note and self.note.isVisible()
        return np.concatenate([at, self._note_places(len(at))]) if noted else at

    def _note_places(self, n: int) -> Array:
        """Places along the words of the note, enough of them to weigh against ``n`` points."""
        words = self.note.textItem.document()
        along = np.linspace(0.0, min(words.idealWidth(), self.box.boundingRect().width()), n // 6 + 30)
        height = self.box.boundingRect().bottom() - words.size().height() / 2
        return np.column_stack([along, np.full(len(along), height)])

    def _label_axes(self) -> None:
        if self.scene_info is None:
            return
        x, y = self.scene_info.projection.labels
        self.setLabel("bottom", x)
        self.setLabel("left", y)

    def _resized(self) -> None:
        self._place_note()
        super()._resized()

    def _write_note(self) -> None:
        assert self.scene_info is not None
        self.note.setText(self.scene_info.projection.note, color=self.scene_info.theme.muted)
        back = QColor(self.scene_info.theme.plot)
        back.setAlphaF(0.8)  # the words can be read on whatever lies below them
        self.note.fill = pg.mkBrush(back if self.scene_info.projection.note else None)
        self._place_note()

    def _place_note(self) -> None:
        if hasattr(self, "note"):
            self._measure_note(1.0)
            room = max(self.box.boundingRect().width() - 12, 40)
            if self.note.textItem.document().idealWidth() > room:
                self._measure_note(NOTE)
            self.note.setTextWidth(min(self.note.textItem.document().idealWidth(), room))
            self.note.setPos(6, self.box.boundingRect().bottom() - 2)

    def _measure_note(self, factor: float) -> None:
        font = QFont()
        font.setPointSizeF(self.theme.letters(factor))
        self.note.setFont(font)
        self.note.setTextWidth(-1)


def _mask(marks: tuple[Mark, ...], n: int) -> Array | None:
    """Which of the points a method holds out, (n,) bool; None where it holds out none."""
    kept = next((mark.points for mark in marks if isinstance(mark, HeldOut) and len(mark.points)), None)
    return None if kept is None else np.isin(np.arange(n), kept)


def _after(held_out: Array | None, origin: Array) -> Array | None:
    """Which points are held out after an edit: those that were."""
    if held_out is None or not len(held_out):
        return None
    return np.asarray((origin >= 0) & held_out[origin])


def _survivors(before: Array, origin: Array, shown: int) -> Array | None:
    """Which of the points on show each one was when points have only gone; None when it is not as simple as that.

    Both arrays say which point of the scene each one is.
    """
    if len(origin) >= len(before) or shown != len(before) or (origin < 0).any() or (before < 0).any():
        return None
    kept = np.zeros(int(before[-1]) + 1, dtype=bool)
    kept[origin] = True
    return np.flatnonzero(kept[before])
