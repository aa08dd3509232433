"""Points in space, drawn in software: projected with NumPy, sorted by depth, stamped as sprites. No OpenGL needed.

Three cues give depth: near points are larger (a weak perspective), far ones fade into the background, and turning the
cloud with the mouse moves them against each other. The wires (edges, path, box) are drawn as lists of lines.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from algorithms.data import Array
from algorithms.marks import Cloud3D
from mlviz.session.nearest import nearest
from mlviz.views.colours import blend
from mlviz.views.legend_rows import Row
from mlviz.views.pens import make_pen
from mlviz.views.plain_text import plain
from mlviz.views.renderers._looks import codes_of, sprite_of, value_rows, weight_rows, weight_styles
from mlviz.views.renderers._space import Camera, Triad, Wires, box_lines
from mlviz.views.renderers.base import NO_POINTS, Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

REACH = 10.0
"""How near, in pixels, the mouse must be to a point to mean it."""
LAYERS = 8
"""Steps of size and fading from the farthest to the nearest point."""
FOG = 0.45
"""How far the farthest points fade into the background."""
MANY_EDGES = 1200
"""More edges than this are drawn one pixel wide: Qt draws such lines four times as fast."""
HINT = "Drag to turn the cloud."
ENDS_HINT = "Drag to turn the cloud; drag an end of the path to another point."
SOURCE_HINT = "Drag to turn the cloud; drag the ring to another point."
TURN = 1.6
"""Radians for a drag over the radius of the cloud."""


class SphereLayer(SpriteLayer):
    """Sprites in a view that always shows the whole sphere around them, so that it does not breathe while it turns."""

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: object = None) -> tuple[float, float] | None:
        """The range along one axis, for fitting the view."""
        return (-1.04, 1.04) if len(self.at) or self.isVisible() else None


@renders(Cloud3D)
class CloudRenderer(Renderer):
    """A cloud that is turned by dragging it; the ends of its path can be dragged to other points."""

    depth = 100.0
    stacked = True

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._wires: Wires = self.add(Wires())
        self._dots: SphereLayer = self.add(SphereLayer())
        self._lines: Wires = self.add(Wires())
        self._ends: SpriteLayer = self.add(SphereLayer())
        self._ring: SpriteLayer = self.add(SphereLayer())
        self._cross: SpriteLayer = self.add(SphereLayer())
        self._triad = Triad(canvas.box)
        self.items.append(self._triad)
        self.camera: Camera | None = None
        self._is_flat = False
        self._mark: Cloud3D | None = None
        self._flat = EMPTY  # (m, 2) where the points are seen
        self._depth = np.empty(0)  # (m,) -1 is far, 1 is near
        self._joints = EMPTY  # (m + c, 2) where lines may end: at the points, then at the corners
        self._joint_depth = np.empty(0)
        self._codes = np.empty(0, dtype=np.intp)
        self._kinds: tuple[int, ...] = ()
        self._lit: Array = NO_POINTS
        self._newcomer: Array | None = None  # (3,)
        self._from = QPointF()
        self._held: int | None = None  # which end of the path is being dragged
        self._target: int | None = None  # the row it would be put on

    def show(self, mark: Cloud3D) -> None:
        self._look_at(mark)
        self._mark = mark
        codes = codes_of(self.scene, mark.points, mark.values, len(mark.at))
        if mark.left_out is not None:
            codes[mark.left_out] = codes_of(self.scene, None, None, 0, grey=True)
        kinds, self._codes = np.unique(codes, return_inverse=True)
        self._kinds = tuple(kinds.tolist())
        self._take_canvas(True)
        for item in self.items:
            item.setVisible(True)
        self._redraw()

    def hide(self) -> None:
        if self._mark is not None:
            self._take_canvas(False)
        super().hide()
        self._mark = None

    def _look_at(self, mark: Cloud3D) -> None:
        """Begin with the usual view of flat or of solid data; afterwards the camera is the user's."""
        flat = not np.ptp(_places(mark)[:, 2]) > 0.0 if mark.axes else self._is_flat
        if self.camera is None or flat != self._is_flat:
            self.camera = Camera.above() if flat else Camera.aside()
            self._is_flat = flat

    @property
    def angles(self) -> tuple[float, float] | None:
        return None if self.camera is None or self._mark is None else (self.camera.around, self.camera.raised)

    def turn_to(self, angles: tuple[float, float]) -> None:
        if self._mark is not None:
            self.camera = Camera(angles[0], min(max(angles[1], -math.pi / 2), math.pi / 2))
            self._redraw()

    def _take_canvas(self, taken: bool) -> None:
        """A cloud has one scale and no axes, whatever panel it stands in."""
        self.canvas.box.setAspectLocked(taken, ratio=1.0)
        if self.canvas.panel.space == "own":
            for side in ("left", "bottom"):
                self.canvas.showAxis(side, not taken)
        self.canvas.setToolTip(plain(self._hint()) if taken else "")
        if taken:
            self.canvas.legend.avoid = self._places

    def _hint(self) -> str:
        """What can be done with the mouse."""
        if self._mark is None or not self._mark.handles or self._mark.chord is None:
            return HINT
        return SOURCE_HINT if self._mark.chord[0] == self._mark.chord[1] else ENDS_HINT

    # -- drawing -------------------------------------------------------------------------------------------------

    def _redraw(self) -> None:
        assert self._mark is not None
        assert self.camera is not None
        mark, theme = self._mark, self.theme
        self._joints, self._joint_depth = self.camera.project(_places(mark))
        self._flat, self._depth = self._joints[: len(mark.at)], self._joint_depth[: len(mark.at)]
        order = np.argsort(self._depth, kind="stable")
        behind = (self._depth.max(initial=-1.0) - self._depth) / 2.0  # behind the nearest point: 0 to 1
        layer = LAYERS - 1 - np.clip(behind * LAYERS, 0, LAYERS - 1).astype(np.intp)
        self._dots.set(self._flat[order], self._sprites(), (self._codes * LAYERS + layer)[order])
        self._wires.set(self._box() + self._edges())
        self._lines.set(self._path())
        ends = np.empty(0, dtype=np.intp) if mark.chord is None else self._chord()
        self._ends.set(
            self._joints[ends],
            (Sprite("o", theme.point * 1.5, theme.plot, theme.line, theme.stroke * 1.1),),
            np.zeros(len(ends), dtype=np.intp),
        )
        self._triad.show_axes(self.camera, mark.axes, theme)
        self._draw_ring()
        self._draw_newcomer()

    def _sprites(self) -> tuple[Sprite, ...]:
        """Every look in every layer, the farthest first."""
        size = 0.82 if len(self._flat) > 400 else 1.0
        return tuple(
            sprite_of(self.theme, kind, size * (0.7 + 0.5 * layer / (LAYERS - 1)), FOG * (1.0 - layer / (LAYERS - 1)))
            for kind in self._kinds
            for layer in range(LAYERS)
        )

    def _box(self) -> list[tuple[Any, Array]]:
        """The box around the cloud, behind everything."""
        assert self._mark is not None
        assert self.camera is not None
        if not self._mark.axes:
            return []
        places = _places(self._mark)
        ends = self.camera.project(box_lines(places), like=places)[0]
        return [(make_pen(self.theme.border, 1.0), ends.reshape(-1, 4))]

    def _edges(self) -> list[tuple[Any, Array]]:
        """The edges in three layers of fading, then the new ones and the doubtful ones."""
        assert self._mark is not None
        mark, theme = self._mark, self.theme
        if mark.edges is None or not len(mark.edges):
            return []
        thick = 1.0 if len(mark.edges) > MANY_EDGES else theme.stroke * 0.6
        lines = self._joints[mark.edges].reshape(-1, 4)
        behind = self._joint_depth.max(initial=-1.0) - self._joint_depth[mark.edges].mean(axis=1)
        old = np.arange(len(lines)) < len(lines) - mark.fresh
        groups = []
        for low, high, fade in ((1.2, 9.0, 0.72), (0.6, 1.2, 0.5), (-1.0, 0.6, 0.25)):
            chosen = old & (behind >= low) & (behind < high)
            groups.append((make_pen(blend(theme.muted, theme.plot, fade), thick), lines[chosen]))
        groups.append((make_pen(theme.accent, thick), lines[~old]))
        if mark.suspects is not None and len(mark.suspects):
            pen = make_pen(theme.danger, theme.stroke * 0.9)
            groups.append((pen, self._joints[mark.suspects].reshape(-1, 4)))
        return groups

    def _path(self) -> list[tuple[Any, Array]]:
        """The path over everything with a rim around it, and the straight line dashed."""
        assert self._mark is not None
        mark, theme = self._mark, self.theme
        groups: list[tuple[Any, Array]] = []
        if mark.spokes is not None and mark.spoke_weights is not None and len(mark.spokes):
            lines = self._joints[mark.spokes].reshape(-1, 4)
            for colour, width, chosen in weight_styles(theme, mark.spoke_weights):
                groups.append((make_pen(theme.plot, width + theme.stroke), lines[chosen]))
                groups.append((make_pen(colour, width), lines[chosen]))
        if mark.chord is not None:
            ends = self._joints[self._chord()].reshape(-1, 4)
            groups.append((make_pen(theme.accent, theme.stroke * 1.2, dashed=True), ends))
        if mark.path is not None and len(mark.path) > 1 and self._held is None:
            lines = np.concatenate([self._joints[mark.path[:-1]], self._joints[mark.path[1:]]], axis=1)
            groups.append((make_pen(theme.plot, theme.stroke * 2.6), lines))
            groups.append((make_pen(theme.line, theme.stroke * 1.4), lines))
        return groups

    def _chord(self) -> Array:
        """The rows of the two ends; the one that is being dragged is where it would be put."""
        assert self._mark is not None
        assert self._mark.chord is not None
        ends = np.array(self._mark.chord)
        if self._held is not None and self._target is not None:
            ends[self._held] = self._target
        return ends

    def _draw_ring(self) -> None:
        rows = self._rows_of(self._lit)
        look = Sprite("o", self.theme.point * 2.0, None, self.theme.line, self.theme.stroke)
        self._ring.set(self._flat[rows], (look,), np.zeros(len(rows), dtype=np.intp))

    def show_newcomer(self, place: Array | None) -> None:
        self._newcomer = place
        if self._mark is not None:
            self._draw_newcomer()

    def _draw_newcomer(self) -> None:
        """A cross, which may be outside of the ball around the cloud."""
        assert self._mark is not None
        assert self.camera is not None
        at = EMPTY
        if self._newcomer is not None:
            at = self.camera.project(self._newcomer[None], like=_places(self._mark))[0]
        look = Sprite("+", self.theme.point * 2.4, self.theme.text, self.theme.plot, self.theme.stroke / 2)
        self._cross.set(at, (look,), np.zeros(len(at), dtype=np.intp))

    def legend(self, mark: Cloud3D) -> tuple[Row, ...]:
        if self.canvas.panel.space == "own":
            return ()  # a map: the colours are those of the cloud, and a legend would hide it
        theme = self.theme
        rows = list(value_rows(self.scene, mark.values, mark.values_name)) if len(mark.at) else []
        if mark.edges is not None and len(mark.edges):
            rows.append(Row(mark.edges_name, line=blend(theme.muted, theme.plot, 0.3), width=theme.stroke * 0.6))
            if mark.fresh:
                rows.append(Row("new edge", line=theme.accent, width=theme.stroke * 0.6))
        if mark.suspects is not None and len(mark.suspects):
            rows.append(Row(mark.suspects_name, line=theme.danger, width=theme.stroke * 0.9))
        if mark.spokes is not None and mark.spoke_weights is not None and len(mark.spokes):
            rows += weight_rows(theme, mark.spoke_weights, mark.spokes_name)
        if mark.path is not None and len(mark.path) > 1:
            rows.append(Row(mark.path_name, line=theme.line, width=theme.stroke * 1.4))
        if mark.chord is not None and mark.chord_name:
            rows.append(Row(mark.chord_name, line=theme.accent, dashed=True, width=theme.stroke * 1.2))
        if mark.left_out is not None and len(mark.left_out):
            rows.append(Row(mark.left_out_name, sprite=Sprite("o", theme.point, theme.muted, theme.plot)))
        return tuple(rows)

    def _places(self) -> Array:
        """Where the points, the ends of the lines and the names of the axes are, in pixels, for the legend to avoid."""
        (left, right), (bottom, top) = self.canvas.box.viewRange()
        size = self.canvas.box.boundingRect()
        at = (self._joints - (left, top)) / (right - left, bottom - top) * (size.width(), size.height())
        corner = np.repeat(self._triad.middle()[None], len(at) // 4 + 1, axis=0)
        return np.concatenate([at, corner])

    # -- the mouse -----------------------------------------------------------------------------------------------

    def light_points(self, points: Array) -> None:
        self._lit = points
        if self._mark is not None:
            self._draw_ring()

    def points_at(self, place: QPointF) -> Array:
        row = self._row_at(place)
        if row is None or self._mark is None:
            return NO_POINTS
        return np.array([row if self._mark.points is None else self._mark.points[row]])

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        """Everything can be taken hold of: the ends of the path move, anything else turns the cloud."""
        if self._mark is None:
            return False
        self._from, self._held, self._target = place, None, None
        if self._mark.chord is not None and self._mark.handles:
            self._held = nearest(self._joints[self._mark.chord], place.x(), place.y(), reach, 1.0)
        return True

    def drag(self, place: QPointF, finished: bool) -> None:
        """Turn the cloud, or move an end of the path to the nearest point; only its final point sets the parameter."""
        if self._mark is None or self.camera is None:
            return
        if self._held is None:
            move = place - self._from
            self._from = place
            self.camera = self.camera.turned(-TURN * move.x(), -TURN * move.y())
            self._redraw()
            return
        self._target = self._row_at(place) if self._row_at(place) is not None else self._target
        held, target = self._held, self._target
        if finished:
            self._held = self._target = None
        self._redraw()
        if finished and target is not None:
            point = target if self._mark.points is None else int(self._mark.points[target])
            self.canvas.param_dragged.emit((self._mark.handles[held], point + 1, True))

    def _row_at(self, place: QPointF) -> int | None:
        """The row under the mouse: of those quite near it, the one in front."""
        if self._mark is None or not len(self._flat):
            return None
        distance = self.canvas.pixels_away(self._flat, place)
        least = float(distance.min())
        if least > REACH:
            return None
        close = np.flatnonzero(distance <= max(least, REACH / 3))
        return int(close[self._depth[close].argmax()])

    def _rows_of(self, points: Array) -> Array:
        assert self._mark is not None
        if self._mark.points is None:
            return points[points < len(self._flat)]
        return np.flatnonzero(np.isin(self._mark.points, points))


def _places(mark: Cloud3D) -> Array:
    """The points, then the corners."""
    return mark.at if mark.corners is None else np.concatenate([mark.at, mark.corners])
