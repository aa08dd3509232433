"""Marks that need values of the model all over the plane: shading and contours."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import contourpy
import numpy as np

from algorithms.data import Array
from algorithms.marks import Extent, Isolines, Regions
from mlviz.session.rasters import Raster
from mlviz.session.scoring import Threshold
from mlviz.views.colours import channels
from mlviz.views.legend_rows import Row
from mlviz.views.lines import LineItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers._image import SmoothImage
from mlviz.views.renderers.base import NO_PLACES, Renderer, renders
from mlviz.views.scale import value_colours
from mlviz.views.sprites import Sprite

HATCH = 64
"""Stripes along a side where all of it is hatched, light and dark ones, at every resolution."""
FEW_PLACES = 500
"""So many along a decision line are enough for the legend to keep off it."""
STRENGTH = 0.30
"""How opaque the strongest shading is; the points must stay readable on it."""


@renders(Regions)
class RegionsRenderer(Renderer):
    """An image under everything, coloured from the raster that the worker delivers."""

    depth = -100.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._image = self.add(SmoothImage())
        self._mark: Regions | None = None

    def show(self, mark: Regions) -> None:
        was = self._mark
        fresh = was is None or (was.kind, was.log) != (mark.kind, mark.log) or not self._image.isVisible()
        self._mark = mark
        if fresh:
            self._paint()

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def legend(self, mark: Regions) -> tuple[Row, ...]:
        size = self.theme.point * 1.3
        looks = (Sprite("s", size, self.theme.colour(number)) for number in range(len(mark.names)))
        rows = tuple(Row(name, sprite=look) for name, look in zip(mark.names, looks))
        tie = Sprite("s", size, self.theme.faint(self.theme.line, 0.28), self.theme.line, 0.5)
        return (*rows, Row("no winner", sprite=tie)) if mark.kind == "votes" else rows

    def restyle(self) -> None:
        self._paint()

    def raster_changed(self, what: str) -> None:
        if self._mark is not None and what == ("predict" if self._mark.kind == "classes" else "field"):
            self._paint()

    def threshold_changed(self) -> None:
        if self._mark is not None and self._mark.kind in ("signed", "probability"):
            self._paint()

    def _paint(self) -> None:
        if self._mark is None:
            return
        raster = self.canvas.rasters.get("predict" if self._mark.kind == "classes" else "field")
        if raster is None or not np.isfinite(raster.values).all():
            self._image.setVisible(False)
            return
        self._image.set(self._colours(raster), raster.rect)
        self._image.setVisible(True)

    def _colours(self, raster: Raster) -> Array:
        assert self._mark is not None
        kind, values = self._mark.kind, raster.values
        if kind == "classes":
            return self._by_group(values.astype(np.intp), np.full(values.shape, STRENGTH))
        if kind == "votes":
            return self._by_votes(raster)
        level = _level(self.canvas.threshold, values)
        if kind == "signed" and values.ndim == 2:
            value = values - (level or 0.0)
            return self._by_group((value > 0).astype(np.intp), STRENGTH * np.tanh(np.abs(value)) + 0.04)
        if kind in ("signed", "probability") and values.ndim == 3:
            winner, best, second, _ = raster.ranking
            return self._by_group(winner, STRENGTH * np.tanh(best - second) + 0.04)
        if kind == "probability":
            half = 0.5 if level is None else min(max(level, 1e-6), 1.0 - 1e-6)
            sure = np.where(values > half, (values - half) / (1.0 - half), (half - values) / half)
            return self._by_group((values > half).astype(np.intp), STRENGTH * sure + 0.03)
        if kind == "value" and self.scene.is_valued and self.canvas.panel.space == "data":
            return self._by_value(values)
        return self._by_height(values)

    def _by_value(self, values: Array) -> Array:
        """The colours of the points' targets, so that a point that is well predicted sinks into the surface."""
        image = np.empty((*values.shape, 4), dtype=np.ubyte)
        image[..., :3] = value_colours(self.theme, self.scene.value_fraction(values))
        image[..., 3] = round(255 * 0.45)
        return image

    def _by_group(self, groups: Array, alpha: Array) -> Array:
        # four bytes at once: red, green, blue and, in the highest, how opaque
        colours = [channels(self.theme.colour(group)) for group in range(int(groups.max(initial=0)) + 1)]
        palette = np.array([red | green << 8 | blue << 16 for red, green, blue in colours], dtype="<u4")
        packed = palette[groups] | (255 * alpha).astype("<u4") << 24
        return packed.view(np.ubyte).reshape(*groups.shape, 4)

    def _by_votes(self, raster: Raster) -> Array:
        """The winner's colour; where there is none, stripes of the colours that the tie is broken with."""
        winner, best, second, _ = raster.ranking
        tied = np.round(best) == np.round(second)
        rows, columns = np.ogrid[: len(tied), : tied.shape[1]]
        stripe = (rows + columns) // max(len(tied) // HATCH, 1) % 2 == 1
        image = self._by_group(winner, np.where(tied, 0.06, STRENGTH))
        image[tied & stripe] = (*channels(self.theme.line), round(255 * 0.28))
        return image

    def _by_height(self, values: Array) -> Array:
        low = 0.0 if self._mark is not None and self._mark.kind == "density" else float(values.min())
        span = float(values.max()) - low
        fraction = np.sqrt(np.clip((values - low) / span, 0, 1)) if span > 0 else np.zeros(values.shape)
        if span > 0 and self._mark is not None and self._mark.log:
            floor = max(float(np.quantile(values, 0.04)) - low, 1e-9 * span)
            fraction = np.log1p((values - low) / floor) / np.log1p(span / floor)
        image = np.empty((*values.shape, 4), dtype=np.ubyte)
        # a map is grey, so that the coloured paths on it stand out
        mapped = self._mark is not None and self._mark.log
        image[..., :3] = channels(self.theme.muted if mapped else self.theme.accent)
        image[..., 3] = (255 * 0.55 * fraction).astype(np.ubyte)
        return image


@renders(Isolines)
class IsolinesRenderer(Renderer):
    """Contours by contourpy: the decision line strong, the margins dashed."""

    depth = 60.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._strong = self.add(LineItem(antialias=True))
        self._weak = self.add(LineItem(antialias=True))
        self._fine = self.add(LineItem(antialias=True))
        self._mark: Isolines | None = None

    def show(self, mark: Isolines) -> None:
        was = self._mark
        fresh = was is None or (was.strong, was.weak, was.fine) != (mark.strong, mark.weak, mark.fine)
        self._mark = mark
        if fresh:
            self._trace()

    def hide(self) -> None:
        super().hide()
        self._mark = None

    def restyle(self) -> None:
        self._trace()

    def raster_changed(self, what: str) -> None:
        if what == "field":
            self._trace()

    def decision_places(self) -> Array:
        line = self._strong
        if self._mark is None or not line.isVisible() or line.xData is None:
            return NO_PLACES
        return np.column_stack([line.xData, line.yData])[:: len(line.xData) // FEW_PLACES + 1]

    def legend(self, mark: Isolines) -> tuple[Row, ...]:
        dash = Row(mark.weak_name, line=self.theme.line, dashed=True, width=self.theme.stroke * 0.75)
        weak = (dash,) if mark.weak else ()
        moved = self.canvas.threshold
        name = "decision line"
        if moved is not None and (moved.column is not None or moved.level not in mark.strong):
            name += f" at {moved.level:.2f}"
        strong = (Row(name, line=self.theme.line, width=self.theme.stroke * 1.25),) if mark.strong else ()
        fine = (Row(mark.fine_name, line=self.theme.muted, width=self.theme.stroke * 0.5),) if mark.fine else ()
        return (*strong, *weak, *fine)

    def _trace(self) -> None:
        if self._mark is None:
            return
        raster = self.canvas.rasters.get("field")
        visible = raster is not None and bool(np.isfinite(raster.values).all())
        self._strong.setVisible(visible)
        self._weak.setVisible(visible and bool(self._mark.weak))
        self._fine.setVisible(visible and bool(self._mark.fine))
        if raster is None or not visible:
            return
        stroke = self.theme.stroke
        self.threshold_changed()
        _draw(self._weak, raster, self._mark.weak, make_pen(self.theme.line, stroke * 0.75, dashed=True))
        _draw(self._fine, raster, self._mark.fine, make_pen(self.theme.faint(self.theme.muted, 0.75), stroke * 0.4))

    def threshold_changed(self) -> None:
        raster = self.canvas.rasters.get("field")
        if self._mark is not None and raster is not None and self._strong.isVisible():
            _draw(self._strong, *self._decision(raster), make_pen(self.theme.line, self.theme.stroke * 1.25))

    def _decision(self, raster: Raster) -> tuple[Raster, tuple[float, ...]]:
        """Where the strong line runs: as the mark says, or at the threshold of the evaluation."""
        assert self._mark is not None
        threshold = self.canvas.threshold
        level = _level(threshold, raster.values)
        if level is None or threshold is None or not self._mark.strong:
            # among several classes the line is where the lead of the best one is 0, whatever the level for two
            return raster, (0.0,) if raster.values.ndim == 3 and self._mark.strong else self._mark.strong
        if threshold.column is None:
            return raster, (level,)
        return Raster(raster.values[:, :, threshold.column], raster.rect), (level,)


def _level(threshold: Threshold | None, values: Array) -> float | None:
    """The level of a threshold that belongs to a field of this shape; None when there is none."""
    if threshold is None or (threshold.column is None) != (values.ndim == 2):
        return None
    return threshold.level


@renders(Extent)
class ExtentRenderer(Renderer):
    """Sets the visible part once; afterwards panning and zooming are the user's."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._shown: tuple[object, ...] = ()

    def show(self, mark: Extent) -> None:
        # a change of theme or data writes the names of the panel again
        for side, name in zip(("bottom", "left"), mark.names or ()):
            self.canvas.name_axis(side, name)
        wanted = (mark.left, mark.right, mark.bottom, mark.top, mark.equal)
        if wanted != self._shown:
            self._shown = wanted
            self.canvas.box.setAspectLocked(mark.equal, ratio=1.0)
            self.canvas.box.setRange(xRange=(mark.left, mark.right), yRange=(mark.bottom, mark.top), padding=0)


def _draw(curve: LineItem, raster: Raster, levels: tuple[float, ...], pen: object) -> None:
    surfaces = _surfaces(raster) if levels else []
    lines = [line for surface in surfaces for line in _lines(surface, levels, raster)]
    if not lines:
        if curve.xData is not None and len(curve.xData):
            curve.setData(x=np.empty(0), y=np.empty(0))
        return
    at = np.concatenate(lines)
    connect = np.ones(len(at), dtype=np.int32)
    connect[np.cumsum([len(line) for line in lines]) - 1] = 0
    curve.setData(x=at[:, 0], y=at[:, 1], connect=connect, pen=pen)


def _surfaces(raster: Raster) -> Iterable[Array]:
    """One surface; for several classes, each class's lead over the best of the others."""
    return [raster.values] if raster.values.ndim == 2 else raster.ranking.leads


def _lines(surface: Array, levels: tuple[float, ...], raster: Raster) -> list[Array]:
    left, right, bottom, top = raster.rect
    rows, columns = surface.shape
    if rows < 2 or columns < 2:
        return []
    # in cells, whose middles the values belong to; looking for holes, as contour_generator does, takes as long again
    generator = contourpy.SerialContourGenerator(
        *_grid(rows, columns),
        np.asarray(surface, dtype=float),
        None,  # type: ignore[arg-type]  # no holes
        corner_mask=False,
        line_type=contourpy.LineType.Separate,
        fill_type=contourpy.FillType.OuterCode,
        quad_as_tri=False,
        z_interp=contourpy.ZInterp.Linear,
    )
    cell = ((right - left) / columns, (top - bottom) / rows)
    found = [np.asarray(line) for level in levels for line in generator.lines(level)]
    return [(left, bottom) + (line + 0.5) * cell for line in found if len(line) > 1]


@functools.lru_cache(maxsize=2)  # a coarse and a fine one, of three megabytes
def _grid(rows: int, columns: int) -> tuple[Array, Array]:
    x, y = np.meshgrid(np.arange(columns, dtype=float), np.arange(rows, dtype=float))
    return x, y
