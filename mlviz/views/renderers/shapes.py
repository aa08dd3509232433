"""Marks drawn in the data plane as shapes of their own: centres, trails, ellipses, segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF

from algorithms.data import Array
from algorithms.marks import Centres, Ellipses, Segments, Trail
from algorithms.maths.gaussians import mass_within
from mlviz.session.nearest import nearest
from mlviz.views.legend_rows import Row
from mlviz.views.lines import LineItem
from mlviz.views.pens import make_pen
from mlviz.views.renderers._looks import weight_rows, weight_styles
from mlviz.views.renderers.base import Renderer, renders
from mlviz.views.sprites import EMPTY, Sprite, SpriteLayer

_BELL = 0.3
"""The height of the tallest bell, as a fraction of how far all of them reach."""
_CIRCLE = np.stack([np.cos(np.linspace(0, 2 * np.pi, 73)), np.sin(np.linspace(0, 2 * np.pi, 73))])


class _Lines(Renderer):
    """A renderer with one curve item per group, made when the group first appears."""

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._curves: list[pg.PlotCurveItem] = []

    def _curve(self, number: int) -> pg.PlotCurveItem:
        while len(self._curves) <= number:
            item = self.add(LineItem(antialias=True))
            item.setZValue(self.depth)
            self._curves.append(item)
        self._curves[number].setVisible(True)
        return self._curves[number]

    def _hide_from(self, number: int) -> None:
        for item in self._curves[number:]:
            item.setVisible(False)


@renders(Centres)
class CentresRenderer(Renderer):
    """A large cross in the colour of the group, on a disc that keeps it apart from the points."""

    depth = 300.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._discs: SpriteLayer = self.add(SpriteLayer())
        self._crosses: SpriteLayer = self.add(SpriteLayer())
        self._mark: Centres | None = None
        self._at = EMPTY
        self._held = 0

    def show(self, mark: Centres) -> None:
        at = self.scene.projection.project(mark.at)
        which = np.arange(len(at))
        discs, crosses = zip(*(self._looks(group) for group in range(len(at)))) if len(at) else ((), ())
        self._discs.set(at, discs, which)
        self._crosses.set(at, crosses, which)
        for item in self.items:
            item.setVisible(True)
        self._mark, self._at = mark, at

    def grab(self, place: QPointF, reach: tuple[float, float]) -> bool:
        if self._mark is None or not self._mark.handle or not self._discs.isVisible():
            return False
        held = nearest(self._at, place.x(), place.y(), reach, 1.0)
        if held is not None:
            self._held = held
        return held is not None

    def drag(self, place: QPointF, finished: bool) -> None:
        """Move one centre; features that the plane does not show stay as they are."""
        assert self._mark is not None
        places = np.array(self._mark.at)[:, : self.scene.projection.d]  # a height over one feature is no feature
        if self._held < len(places):
            places[self._held] = self.scene.projection.moved(places[self._held], np.array([place.x(), place.y()]))
            value = tuple(map(tuple, places.tolist()))
            self.canvas.param_dragged.emit((self._mark.handle, value, finished))

    def set_height(self, height: int) -> None:
        self._discs.setZValue(self.depth)
        self._crosses.setZValue(self.depth + 1)

    def legend(self, mark: Centres) -> tuple[Row, ...]:
        name = f"{mark.name} (drag to move)" if mark.handle else mark.name
        return (Row(name, sprite=Sprite("+", self.theme.point * 1.4, self.theme.muted, self.theme.line, 1.0)),)

    def _looks(self, group: int) -> tuple[Sprite, Sprite]:
        theme = self.theme
        disc = Sprite("o", theme.point * 2.3, theme.plot, theme.colour(group), theme.stroke * 1.2)
        return disc, Sprite("+", theme.point * 1.6, theme.colour(group), theme.line, theme.stroke * 0.4)


@renders(Trail)
class TrailRenderer(_Lines):
    """Where the centres have been."""

    depth = 250.0

    def show(self, mark: Trail) -> None:
        steps, count = mark.at.shape[:2]
        for group in range(count):
            at = self.scene.projection.project(mark.at[:, group])
            curve = self._curve(group)
            if steps > 1:
                curve.setData(x=at[:, 0], y=at[:, 1], pen=make_pen(self.theme.colour(group), self.theme.stroke))
            else:
                curve.setVisible(False)
        self._hide_from(count)


@renders(Ellipses)
class EllipsesRenderer(_Lines):
    """Closed lines around each mean, or a bell over a single feature; heavier components have stronger lines."""

    depth = 200.0

    def show(self, mark: Ellipses) -> None:
        means = self.scene.projection.project(mark.means)
        covariances = self.scene.projection.covariance(mark.covariances)
        top = float(mark.weights.max(initial=0.0)) or 1.0
        if self.scene.projection.d == 1:
            outlines = self._bells(mark)
        else:
            outlines = [
                [ellipse(mean, covariance, deviations) for deviations in mark.deviations]
                for mean, covariance in zip(means, covariances)
            ]
        for group, (pieces, weight) in enumerate(zip(outlines, mark.weights)):
            connect = np.ones(sum(map(len, pieces)), dtype=np.int32)
            connect[np.cumsum([len(piece) for piece in pieces]) - 1] = 0
            at = np.concatenate(pieces)
            pen = make_pen(self.theme.colour(group), self.theme.stroke * (0.5 + float(weight) / top))
            self._curve(group).setData(x=at[:, 0], y=at[:, 1], connect=connect, pen=pen)
        self._hide_from(len(means))

    def _bells(self, mark: Ellipses) -> list[list[Array]]:
        """The densities of the components over one feature, to a common scale in which they can be seen.

        The height of the plane is no density: it is the target, or nothing at all.
        """
        sigmas = np.sqrt(np.maximum(mark.covariances[:, 0, 0], 1e-300))
        heights = mark.weights / sigmas
        reach = float((mark.means[:, 0] + 3.0 * sigmas).max() - (mark.means[:, 0] - 3.0 * sigmas).min())
        floor = 0.0
        if self.scene.projection.target:
            floor, reach = float(self.scene.at[:, 1].min()), float(np.ptp(self.scene.at[:, 1]))
        scale = _BELL * reach / float(heights.max())
        return [
            bell(float(mean), float(sigma), float(height) * scale, floor, mark.deviations)
            for mean, sigma, height in zip(mark.means[:, 0], sigmas, heights)
        ]

    def legend(self, mark: Ellipses) -> tuple[Row, ...]:
        line = self.scene.projection.d == 1
        masses = " and ".join(f"{mass_within(deviations, 1 if line else 2):.0%}" for deviations in mark.deviations)
        words = f"between upright lines {masses}" if line else f"holds {masses} of a {mark.whole}"
        return (Row(words, line=self.theme.muted, width=self.theme.stroke),)


def ellipse(mean: Array, covariance: Array, deviations: float) -> Array:
    """The closed line, (m, 2), at so many standard deviations from the mean of a Gaussian in the plane."""
    values, vectors = np.linalg.eigh(covariance)
    axes = vectors * (deviations * np.sqrt(np.maximum(values, 0.0)))
    return mean + (axes @ _CIRCLE).T


def bell(mean: float, sigma: float, height: float, floor: float, deviations: tuple[float, ...]) -> list[Array]:
    """A bell that stands on ``floor``, and upright lines under it at so many standard deviations on both sides."""
    t = np.linspace(-3.5, 3.5, 71)
    places = np.array([side * r for r in deviations for side in (-1.0, 1.0)])
    lines = [np.array([[t, 0.0], [t, np.exp(-0.5 * t * t)]]) for t in places]
    unit = [np.column_stack([t, np.exp(-0.5 * t * t)]), *lines]
    return [piece * (sigma, height) + (mean, floor) for piece in unit]


@renders(Segments)
class SegmentsRenderer(Renderer):
    """Many straight pieces in one item."""

    depth = 80.0

    def __init__(self, canvas: Any, ordinal: int) -> None:
        super().__init__(canvas, ordinal)
        self._curve = self.add(LineItem(antialias=True, connect="pairs"))
        self._weighted: list[Any] = []  # an item for each width and sign, once they are needed

    def show(self, mark: Segments) -> None:
        ends = np.stack([self._seen(mark.start), self._seen(mark.end)], axis=1)
        at = ends.reshape(-1, 2)
        if mark.weights is None:
            self._curve.setData(x=at[:, 0], y=at[:, 1], connect="pairs", pen=self._pen(mark.role))
        self._curve.setVisible(mark.weights is None)
        self._show_weights(ends, mark.weights)

    def _seen(self, places: Array) -> Array:
        """Where places are drawn: those of the data in their plane, others as they are."""
        if self.canvas.panel.space == "data":
            return self.scene.projection.project(places)
        return np.stack([self.on_axis(places[:, 0]), self.on_axis(places[:, 1], "y")], axis=1)

    def _show_weights(self, ends: Array, weights: Array | None) -> None:
        styles = [] if weights is None else weight_styles(self.theme, weights)
        while len(self._weighted) < len(styles):
            self._weighted.append(self.add(LineItem(antialias=True, connect="pairs")))
            self._weighted[-1].setZValue(self.depth)
        for item, (colour, width, chosen) in zip(self._weighted, styles):
            at = ends[chosen].reshape(-1, 2)
            item.setData(x=at[:, 0], y=at[:, 1], connect="pairs", pen=make_pen(colour, width))
        for item in self._weighted:
            item.setVisible(bool(styles))

    def legend(self, mark: Segments) -> tuple[Row, ...]:
        if mark.weights is not None:
            return weight_rows(self.theme, mark.weights, mark.name) if mark.name and len(mark.weights) else ()
        colour, width, dashed = self._style(mark.role)
        return (Row(mark.name or mark.role, line=colour, dashed=dashed, width=width),) if len(mark.start) else ()

    def _pen(self, role: str) -> object:
        colour, width, dashed = self._style(role)
        return make_pen(colour, width, dashed)

    def _style(self, role: str) -> tuple[str, float, bool]:
        theme = self.theme
        return {
            "slack": (theme.danger, theme.stroke * 0.8, False),
            "residual": (theme.danger, theme.stroke * 0.8, False),
            "edge": (theme.muted, theme.stroke * 0.5, False),
            "link": (theme.muted, theme.stroke * 0.75, True),
            "axis": (theme.line, theme.stroke, False),
        }[role]
