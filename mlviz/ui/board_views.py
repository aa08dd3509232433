"""The views of a board in their places: one is large, the others are tabs, or stand among or beside the curves.

Every view can be the large one: the canvas of a panel, the evaluation, or the curves. Which one it is under each method
is remembered here, for a board alone and for one beside others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.contract import Algorithm
from algorithms.data import Data
from mlviz.ui.board_layout import BoardLayout
from mlviz.ui.second_views import EnlargeButton, SecondViews
from mlviz.views.canvas import Canvas
from mlviz.views.composition import CURVES, EVALUATION, ViewOrder, is_drawn
from mlviz.views.compositor import Compositor
from mlviz.views.theme import Theme
from mlviz.worker.evaluation import can_evaluate

TITLES = {EVALUATION: "Evaluation", CURVES: "Curves"}
"""Of the views that no panel describes."""


class BoardViews:
    """Puts the views of a method in their places."""

    def __init__(self, compositor: Compositor, evaluation: QWidget, clock: Callable[[], float]) -> None:
        self._compositor, self.evaluation = compositor, evaluation
        self.curves = compositor.curves
        self.large = QStackedWidget(objectName="large_view")
        self.seconds = SecondViews(evaluation, clock=clock)
        self.layout = BoardLayout(self.large, self.seconds, self.curves)
        self.compact = False
        """Whether the board stands beside others, where the curves are a tab, and the data are large."""
        self._choices: dict[bool, dict[str, str]] = {False: {}, True: {}}
        self._curves_behind = False
        self.evaluation_wanted = False
        """Whether the evaluation is to be in front again as soon as there is one."""
        self.curves_button = EnlargeButton("enlarge_curves", self.curves)
        self.curves.add_corner(self.curves_button)

    def set_theme(self, theme: Theme) -> None:
        """Colours and sizes from now on."""
        self.seconds.set_theme(theme)
        self.layout.set_font(theme.font)
        self.curves_button.set_theme(theme)

    # -- which is large ------------------------------------------------------------------------------------------

    @property
    def order(self) -> ViewOrder:
        """The order in which the views have been placed."""
        return self._compositor.order

    @property
    def choices(self) -> dict[str, str]:
        """The key of the view that was chosen to be large under each method, as the board stands now."""
        return self._choices[self.compact]

    @property
    def choices_alone(self) -> dict[str, str]:
        """The same for the board alone."""
        return self._choices[False]

    def choose(self, choices: Mapping[str, str], compact: bool) -> None:
        """Have these views large under their methods, and the first one under all others."""
        own = self._choices[compact]
        changed = dict(choices)
        own.clear()
        own.update(changed)

    def share_choices(self, alone: dict[str, str]) -> None:
        """Have these choices for the board alone: whichever of several boards is left has those of all."""
        self._choices[False] = alone

    def chosen_with(self, method: Algorithm, key: str) -> dict[str, str]:
        """The choices with this view large under a method."""
        others = {name: view for name, view in self.choices.items() if name != method.key}
        return others if key == self.order.first else others | {method.key: key}

    def wanted(self, method: Algorithm, data: Data | None) -> ViewOrder:
        """The order of the views of a method on these data."""
        evaluated = data is not None and can_evaluate(method, data)
        panels = method.panels if data is None else method.panels_on(data)
        return ViewOrder(panels, evaluated, self.choices.get(method.key, ""), self.compact, is_drawn(data))

    # -- places --------------------------------------------------------------------------------------------------

    def place_all(self, method: Algorithm, order: ViewOrder, owner: QWidget) -> None:
        """The large view of a method, the data, the curves and what stands beside them; the others when needed."""
        self._compositor.set_method(method, order)
        self._clear()
        shown = (panel.key for panel in order.panels if panel.space == "data" or panel.beside)
        for key in (order.large, *shown):
            self.view(key)
        self.seconds.hide()
        kept = None if order.reserved is None else self.view(order.reserved)
        if kept is not None:
            self.seconds.keep_room_for(kept)
        self.layout.set_usual(order.fraction)
        self.place_curves()
        if order.large == EVALUATION:
            self._enlarge(self.evaluation)
        for canvas in self._compositor.out_of_sight():
            canvas.setParent(owner)
            canvas.hide()

    def _clear(self) -> None:
        self.seconds.forget()
        while (widget := self.large.widget(0)) is not None:
            self.large.removeWidget(widget)
            widget.hide()
        self.curves.set_aside(None)

    def view(self, key: str) -> Canvas | None:
        """The canvas of a panel, made and given its place when it is first asked for."""
        compositor = self._compositor
        if key in compositor.canvases or key not in compositor.panels:
            return compositor.canvases.get(key)
        canvas = compositor.canvas(key)
        if key == self.order.large:
            self._enlarge(canvas)
        elif canvas.panel.beside:
            self.curves.set_aside(canvas, canvas.panel.title)
        else:
            self.seconds.insert(canvas, canvas.panel.title, self._before(key))
        return canvas

    def _enlarge(self, widget: QWidget) -> None:
        self.large.addWidget(widget)
        self.large.setCurrentWidget(widget)

    def suit(self) -> None:
        """The board has another shape, or other letters."""
        if self.curves_behind != self._curves_behind:
            self.place_curves()
            for splitter in (self.layout.below, self.layout.splitter):
                splitter.refresh()  # now, not with a later event: what is shown then would be painted again

    @property
    def curves_behind(self) -> bool:
        """Whether the curves are a tab, because there is no room for them beside the second views."""
        return self.compact or self.layout.crowded

    def place_curves(self) -> None:
        """The curves are large, or stand beside the second views, or behind them as the last tab."""
        self.seconds.folds_bar = self._curves_behind = self.curves_behind
        large = self.order.large == CURVES
        self.curves_button.setVisible(not large and not self.compact)
        if large:
            self.seconds.take_out(self.curves)
            self._enlarge(self.curves)
            self.curves.show()
        elif self._curves_behind:
            self.seconds.insert(self.curves, TITLES[CURVES], self._before(CURVES), shown=True)
            self.seconds.show()
        elif self.layout.below.indexOf(self.curves) < 0:
            self.seconds.take_out(self.curves)
            self.layout.below.addWidget(self.curves)
            self.curves.setVisible(not self.evaluation_in_front)
            self.seconds.hide_when_empty()
        self.seconds.show_bar()

    def widget(self, key: str) -> QWidget | None:
        """The view with this key, as far as it has been made."""
        others: dict[str, QWidget] = {EVALUATION: self.evaluation, CURVES: self.curves}
        return others.get(key) or self._compositor.canvases.get(key)

    def key_of(self, widget: QWidget | None) -> str:
        """The key of a view; empty for what is none."""
        return next((key for key in self.order.keys if widget is not None and self.widget(key) is widget), "")

    def _before(self, key: str) -> list[QWidget]:
        return [found for other in self.order.before(key) if (found := self.widget(other)) is not None]

    # -- what is to be seen --------------------------------------------------------------------------------------

    @property
    def evaluation_in_front(self) -> bool:
        """Whether the evaluation is looked at among the second views."""
        return self.seconds.currentWidget() is self.evaluation

    @property
    def front(self) -> str:
        """The key of the second view in front, or of the curves where there is none."""
        return CURVES if self.seconds.isHidden() else self.key_of(self.seconds.currentWidget())

    def offered(self) -> dict[str, str]:
        """The titles of the views that have something to show now, by their keys."""
        found = {}
        for key in self.order.keys:
            widget = self.widget(key)
            index = -1 if widget is None else self.seconds.indexOf(widget)
            tab = index >= 0 and self.seconds.isTabVisible(index)
            aside = widget is not None and self.curves.holds(widget) and self.curves.aside_filled
            if key in (self.order.large, CURVES) or tab or aside:
                found[key] = TITLES.get(key) or self._compositor.panels[key].title
        return found

    def bring_to_front(self, key: str) -> None:
        """Show a view where it is behind another tab."""
        widget = self.widget(key)
        if widget is None:
            return
        if self.seconds.indexOf(widget) >= 0:
            self.seconds.reveal(widget)
            self.seconds.setCurrentWidget(widget)
        elif self.curves.holds(widget):
            self.curves.choose(self._compositor.panels[key].title, {})

    def note(self, canvas: Canvas, filled: bool) -> bool:
        """Whether a canvas has something to show; says whether a tab came with that, so that all get other room."""
        if self.curves.holds(canvas):
            self.curves.note_aside(filled)
        return self.seconds.note(canvas, filled)

    def note_evaluation(self, possible: bool) -> None:
        """Whether the frame can be evaluated: its tab comes, or goes."""
        index = self.seconds.indexOf(self.evaluation)
        seen = index >= 0 and self.seconds.isTabVisible(index)
        if seen and not possible:
            self.seconds.setTabVisible(index, False)
        elif possible and not seen and self.order.large != EVALUATION:
            self.seconds.insert(self.evaluation, TITLES[EVALUATION], self._before(EVALUATION))
            self.seconds.reveal(self.evaluation)
            if self.evaluation_wanted:
                self.seconds.setCurrentWidget(self.evaluation)

    def is_second(self, canvas: Canvas) -> bool:
        """Whether this is not the large view."""
        return self.curves.holds(canvas) or self.seconds.indexOf(canvas) >= 0
