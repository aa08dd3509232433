"""Frames: our canvas against matplotlib and against plain pyqtgraph, really painted (into the offscreen window)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
import shiboken6
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Assignment, Isolines, Regions
from mlviz.app import application
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster
from mlviz.views.plane import PlaneView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT
from tests.benchmarks.record import Effort, Row, duel, words

WIDTH, HEIGHT = 900, 700
CLASSES = 3
RECT = (-3.0, 3.0, -3.0, 3.0)


def measure(effort: Effort) -> list[Row]:
    """Both rows about drawing."""
    app = application()
    rows = [*_frame(effort), _recolouring(effort)]
    app.processEvents()
    return rows


def _cloud(n: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Points, and several groupings of them to go through."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), [rng.integers(0, CLASSES, n) for _ in range(4)]


def _fields() -> list[np.ndarray]:
    """Several fields with a zero line, 128 by 128."""
    side = np.linspace(-3, 3, 128)
    x, y = np.meshgrid(side, side)
    return [np.sin(x * 1.3 + turn) + np.cos(y * 1.1 - turn) + 0.1 * x for turn in np.linspace(0, 2, 5)]


def _plane(points: np.ndarray) -> PlaneView:
    """Our canvas with these points, on the offscreen screen."""
    view = PlaneView(Panel("plane", "plane", "data"))
    view.resize(WIDTH, HEIGHT)
    data = Points(points)
    view.set_scene(Scene.of(data, Projection.of(data, (0, 1)), LIGHT))
    view.box.setAspectLocked(False)
    view.box.setRange(xRange=RECT[:2], yRange=RECT[2:], padding=0)
    view.show()
    application().processEvents()
    return view


def _our_frame(view: PlaneView, labels: list[np.ndarray], fields: list[np.ndarray]) -> Callable[[], None]:
    number = 0

    def draw() -> None:
        nonlocal number
        number += 1
        view.show_marks((Regions("signed"), Isolines((0.0,)), Assignment(labels[number % len(labels)])))
        view.set_raster("field", Raster(fields[number % len(fields)], RECT))
        view.viewport().repaint()

    return draw


def _matplotlib_frame(points: np.ndarray, labels: list[np.ndarray], fields: list[np.ndarray]) -> Callable[[], None]:
    """The same picture with artists that are kept and updated; only a contour has to be made anew, it cannot change."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_xlim(RECT[:2])
    axes.set_ylim(RECT[2:])
    image = axes.imshow(fields[0], extent=RECT, origin="lower", aspect="auto", cmap="coolwarm", alpha=0.3)
    x, y = points.T
    scatter = axes.scatter(x, y, c=labels[0], cmap="viridis", s=30, edgecolors="w", linewidths=0.5)
    side = np.linspace(-3, 3, 128)
    state: dict[str, Any] = {"number": 0, "contour": None}

    def draw() -> None:
        state["number"] += 1
        field = fields[state["number"] % len(fields)]
        image.set_data(field)
        scatter.set_array(labels[state["number"] % len(labels)])
        if state["contour"] is not None:
            state["contour"].remove()
        state["contour"] = axes.contour(side, side, field, levels=[0.0], colors="k")
        canvas.draw()

    return draw


def _frame(effort: Effort) -> list[Row]:
    points, labels = _cloud(1000)
    fields = _fields()
    view = _plane(points)
    ours, theirs = duel(
        _our_frame(view, labels, fields),
        _matplotlib_frame(points, labels, fields),
        effort.many(120, 3),
        warm=effort.many(10, 1),
    )
    _away(view)
    median, p95 = float(np.median(ours)), float(np.percentile(ours, 95))
    case = "1,000 points recoloured + 128² field + zero contour, 900x700"
    return [
        Row(
            "frame",
            case,
            "matplotlib (Agg), artists kept",
            words(median),
            words(float(np.median(theirs))),
            median / float(np.median(theirs)),
            1 / 8,
            detail={"statistic": "medians", "rounds": len(ours)},
        ),
        Row("frame", "p95 of our frame", "16 ms", words(p95), "16 ms", p95 / 0.016, 1.0, detail={"rounds": len(ours)}),
    ]


def _scatter_items(points: np.ndarray, labels: list[np.ndarray]) -> tuple[QWidget, Callable[[], None]]:
    """One ScatterPlotItem for each class, the usual advice for many points in pyqtgraph."""
    widget = pg.PlotWidget(background=LIGHT.plot)
    widget.resize(WIDTH, HEIGHT)
    widget.setRange(xRange=RECT[:2], yRange=RECT[2:], padding=0, disableAutoRange=True)
    items = []
    for group in range(CLASSES):
        pen = pg.mkPen(LIGHT.plot, width=LIGHT.stroke / 2)
        items.append(pg.ScatterPlotItem(size=LIGHT.point, brush=LIGHT.colour(group), pen=pen, pxMode=True))
        widget.addItem(items[-1])
    widget.show()
    application().processEvents()
    number = 0

    def draw() -> None:
        nonlocal number
        number += 1
        groups = labels[number % len(labels)]
        for group, item in enumerate(items):
            item.setData(pos=points[groups == group])
        widget.viewport().repaint()

    return widget, draw


def _recolouring(effort: Effort) -> Row:
    n = effort.size(100_000, 2_000)
    points, labels = _cloud(n)
    view = _plane(points)
    other, theirs_draw = _scatter_items(points, labels)
    number = 0

    def draw() -> None:
        nonlocal number
        number += 1
        view.show_marks((Assignment(labels[number % len(labels)]),))
        view.viewport().repaint()

    ours, theirs = duel(draw, theirs_draw, effort.many(15))
    _away(view)
    _away(other)
    return Row(
        "recolour",
        f"recolouring {n:,} points, 900x700",
        "pyqtgraph, one ScatterPlotItem per class",
        words(float(np.median(ours))),
        words(float(np.median(theirs))),
        float(np.median(ours) / np.median(theirs)),
        1 / 6,
        detail={"statistic": "medians", "rounds": len(ours), "classes": CLASSES},
    )


def _away(widget: QWidget) -> None:
    widget.hide()
    shiboken6.delete(widget)
