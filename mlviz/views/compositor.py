"""The compositor: brings the pictures of a method's panels to a snapshot, in the window and in files alike.

It makes a canvas for each panel, gives it data and theme, draws the marks of a snapshot with the decision line of the
evaluation among them, and says what has to be asked of the model for that. It asks nobody itself: the requests are
plain values, and whoever has a worker answers them. Which view is large, in which order the others follow and how they
share the room is said by ``composition.py``; its owner has the tabs, or the page of paper, in which they stand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import shiboken6
from PySide6.QtWidgets import QWidget

from algorithms.contract import Algorithm, AnySnapshot, Panel
from algorithms.data import Array, Data, Nothing, Points
from algorithms.marks import Isolines, Mark, Regions
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster, RasterRequest, Size, Slot, What
from mlviz.session.scoring import Threshold
from mlviz.views.canvas import Canvas
from mlviz.views.canvases import make_canvas
from mlviz.views.composition import ViewOrder
from mlviz.views.curves import MetricCurves
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT, Theme


class Compositor:
    """The canvases of one method over one data set, and the curves of its metrics.

    Parameters
    ----------
    parent : QWidget
        Owns the canvases and the curves until they are put elsewhere; without one Python's collector would end them.
    draws_line : callable
        Whether the evaluation wants a decision line in the picture of the data, also where the method draws none.
    made : callable
        Hears of each canvas that is made.
    plane : Canvas, optional
        Shows points whenever there are points. Like the canvas of any kind of data it stays from method to method,
        because tools draw on it, and is out of sight under a method that does not show the data.
    clock : callable
        The time in seconds.
    """

    def __init__(
        self,
        parent: QWidget,
        draws_line: Callable[[], bool] = lambda: False,
        made: Callable[[Canvas], None] = lambda _: None,
        plane: Canvas | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._parent, self._draws_line, self._tell_made = parent, draws_line, made
        self.theme = LIGHT
        self.legends, self.legends_inside = True, False
        self.scene: Scene | None = None
        self.threshold: Threshold | None = None
        self.method: Algorithm | None = None
        self.panels: dict[str, Panel] = {}
        self.order = ViewOrder(())
        self.canvases: dict[str, Canvas] = {}
        self._ending: list[Canvas] = []
        """Those that Qt is going to end; under a dialog that waits Python's collector could come first, and crash."""
        self._by_kind: dict[str, Canvas] = {} if plane is None else {"points": plane}
        self.curves = MetricCurves(parent, clock)

    # -- what is looked at ---------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.theme = theme
        if self.scene is not None:
            self.scene = replace(self.scene, theme=theme)
        self.curves.set_theme(theme)
        for canvas in self.everywhere():  # those of other kinds of data are dressed when such data come back
            canvas.set_theme(theme)

    def show_legends(self, on: bool, inside: bool = False) -> None:
        """Whether the curves and the canvases, also those still to come, say what is what; the latter only inside."""
        if (on, inside) == (self.legends, self.legends_inside):
            return
        self.legends, self.legends_inside = on, inside
        canvases = {*self.canvases.values(), *self._by_kind.values()}
        for canvas in canvases:
            canvas.legend.stays_inside = inside
        for legend in (self.curves.legend, *(canvas.legend for canvas in canvases)):
            legend.hide_for(not on)

    def set_data(self, data: Data, projection: Projection, origin: Array | None = None) -> None:
        """Show these data; ``origin`` (n,) says which item was which before an edit, see :meth:`Canvas.set_scene`.

        Where they are of another kind than those before, all canvases go.
        """
        if self.scene is not None and self.scene.data.kind != data.kind:
            self.set_method(None)
        self.scene = Scene.of(data, projection, self.theme)
        if self.data_canvas is not None and self.data_canvas.theme != self.theme:
            self.data_canvas.set_theme(self.theme)
        for canvas in self.everywhere():
            canvas.set_scene(self.scene, origin)

    def set_method(self, method: Algorithm | None, order: ViewOrder | None = None) -> None:
        """Show the panels of this method in this order, else their own; the canvases of the one before go."""
        ending = [canvas for canvas in self.canvases.values() if canvas not in self._by_kind.values()]
        for canvas in ending:
            canvas.deleteLater()
        self._ending = [canvas for canvas in self._ending if shiboken6.isValid(canvas)] + ending
        self.method, self.canvases = method, {}
        panels = () if method is None else method.panels if self.scene is None else method.panels_on(self.scene.data)
        self.panels = {panel.key: panel for panel in panels}
        self.order = order or ViewOrder(panels)

    @property
    def panels_changed(self) -> bool:
        """Whether the data of now have other panels than those that the method was given."""
        suited = () if self.method is None or self.scene is None else self.method.panels_on(self.scene.data)
        return self.method is not None and tuple(self.panels.values()) != suited

    def drop_unused(self) -> None:
        """Let go of what is not on show and can be made again."""
        self._ending = [canvas for canvas in self._ending if shiboken6.isValid(canvas)]
        for canvas in {*self.canvases.values(), *self._by_kind.values()}:
            canvas.drop_unused()

    def set_threshold(self, threshold: Threshold | None) -> None:
        """Draw the decision line at this level of the field; None leaves it where the method says."""
        self.threshold = threshold
        if self.data_canvas is not None:
            self.data_canvas.set_threshold(threshold)

    # -- the canvases --------------------------------------------------------------------------------------------

    @property
    def data_key(self) -> str | None:
        """The key of the panel with the picture of the data; None where there is none."""
        return self.order.data

    @property
    def data_canvas(self) -> Canvas | None:
        """The canvas of the data, also while it is out of sight; None when it has not been needed yet."""
        return None if self.scene is None else self._by_kind.get(self.scene.data.kind)

    def canvas(self, key: str) -> Canvas:
        """The canvas of a panel, made when it is first asked for."""
        if key not in self.canvases:
            panel = self.panels[key]
            self.canvases[key] = self._data_canvas(panel) if panel.space == "data" else self._made(panel)
        return self.canvases[key]

    def _data_canvas(self, panel: Panel) -> Canvas:
        canvas = self.data_canvas
        if canvas is None:
            assert self.scene is not None, "a canvas needs data"
            canvas = self._by_kind[self.scene.data.kind] = self._made(panel)
            canvas.set_threshold(self.threshold)
        canvas.set_panel(panel)
        return canvas

    def _made(self, panel: Panel) -> Canvas:
        assert self.scene is not None, "a canvas needs data"
        canvas = make_canvas(panel, self.scene.data.kind, self._parent)
        canvas.set_theme(self.theme)
        canvas.set_scene(self.scene)
        canvas.legend.stays_inside = self.legends_inside
        canvas.legend.hide_for(not self.legends)
        self._tell_made(canvas)
        return canvas

    def everywhere(self) -> set[Canvas]:
        """All canvases of the data, also the one that shows them while it is out of sight."""
        return {*self.canvases.values(), *([] if self.data_canvas is None else [self.data_canvas])}

    def out_of_sight(self) -> set[Canvas]:
        """Canvases of data that no panel shows now."""
        return {*self._by_kind.values()} - {*self.canvases.values()}

    # -- a snapshot ----------------------------------------------------------------------------------------------

    def marks(self, snapshot: AnySnapshot, key: str) -> tuple[Mark, ...]:
        """What a panel is to show of a snapshot."""
        marks = snapshot.views.get(key, ())
        if self.method is None or self.method.field is None:
            return marks  # a threshold may still be that of the method before
        lined = self.panels[key].space != "data" or any(isinstance(mark, Isolines) for mark in marks)
        return marks if lined or not self._draws_line() else (*marks, Isolines(strong=(0.0,)))

    def has_something(self, snapshot: AnySnapshot, key: str) -> bool:
        """Whether a panel has something to show: marks, or the data as they are where it is their picture."""
        if self.marks(snapshot, key):
            return True
        assert self.scene is not None
        bare = key in snapshot.views or not isinstance(self.scene.data, Points | Nothing)
        return self.panels[key].space == "data" and bare

    def requests(
        self,
        snapshot: AnySnapshot,
        keys: Iterable[str],
        sizes: Callable[[Canvas], tuple[Size, ...]],
        run: object = None,
    ) -> dict[Slot, RasterRequest]:
        """What these panels need of the model of a snapshot, over the visible part of each.

        Parameters
        ----------
        snapshot : AnySnapshot
            The frame.
        keys : keys of panels
            Those whose canvases are to be seen; they must have been made.
        sizes : function of a canvas
            In how many cells its part of the plane is to be evaluated, coarse first.
        run : object
            What the answers are known by.
        """
        assert self.method is not None
        found: dict[Slot, RasterRequest] = {}
        for key in keys:
            canvas = self.canvases[key]
            assert canvas.scene_info is not None
            for what in raster_needs(self.marks(snapshot, key)):
                found[Slot(key, what)] = RasterRequest(
                    algorithm=self.method,
                    model=snapshot.model,
                    what=what,
                    projection=canvas.scene_info.projection,
                    rect=canvas.view_rect(),
                    sizes=sizes(canvas),
                    key=run,
                )
        return found

    def deliver(self, slot: Slot, raster: Raster) -> None:
        """Draw what the model has answered; of a panel that has gone since, nothing."""
        if slot.panel in self.canvases:
            self.canvases[slot.panel].set_raster(slot.what, raster)


def raster_needs(marks: Iterable[Mark]) -> tuple[What, ...]:
    """What has to be asked of the model to draw these marks: ``predict``, ``field``, both or nothing."""
    needs: set[What] = set()
    for mark in marks:
        if isinstance(mark, Regions):
            needs.add("predict" if mark.kind == "classes" else "field")
        elif isinstance(mark, Isolines):
            needs.add("field")
    return tuple(sorted(needs))
