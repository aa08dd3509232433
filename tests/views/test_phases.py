"""Every phase of every method can be drawn: on one, two and five features, and on every kind of data it takes."""

from dataclasses import replace

import numpy as np
import pytest

from algorithms import all_algorithms, find
from algorithms._checks import cases
from algorithms.marks import Assignment, Curve
from mlviz.views.composition import ViewOrder
from mlviz.worker.evaluation import can_evaluate
from tests.views.composed import composed, draw


def picture(compositor, key):
    return compositor.canvas(key).grab().toImage()


def draw_everything(algorithm):
    """The phases that were drawn, and the panels in which something was to be seen.

    On each ordinary data set every phase is drawn, and the end; with other parameters only what is new with them.
    """
    phases, panels = set(), set()
    for recording in cases.recordings(algorithm):
        usual = recording.params == algorithm.params()
        first = {frame.phase: frame for frame in reversed(recording.frames) if usual or frame.phase not in phases}
        new = {key for key, marks in recording.frames[-1].views.items() if marks} - panels
        if not (usual or first or new):
            continue
        with composed(algorithm, recording.data) as compositor:
            empty = {key: picture(compositor, key) for key in compositor.panels if key not in panels}
            for frame in (*first.values(), recording.frames[-1]):
                draw(compositor, frame)
                phases.add(frame.phase)
                shown = {key: picture(compositor, key) for key, marks in frame.views.items() if marks}
                panels |= {key for key, drawn in shown.items() if key not in panels and drawn != empty[key]}
    return phases, panels


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_every_phase_is_drawn_and_every_panel(qapp, key):
    algorithm = find(key)
    phases, panels = draw_everything(algorithm)
    assert phases == {phase for line in algorithm.pseudocode for phase in line.phases}
    assert panels == {panel.key for panel in algorithm.panels}


MORE_VIEWS = {"adaboost", "mlp"}
"""Seven, all of which their courses ask for."""


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_no_run_has_more_than_six_views(key):
    """More are not looked at; a view that says what another one says is for data or parameters where it does not."""
    most = 6 + (key in MORE_VIEWS)
    for recording in cases.recordings(find(key)):
        shown = [panel for panel, marks in recording.frames[-1].views.items() if marks]
        assert len(shown) <= most, recording.params


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_the_board_has_the_same_room_for_second_views_in_the_first_frame_and_in_the_last(key):
    """Whatever the parameters are; where the first frame has none, the room is kept, and what it is kept for comes."""
    algorithm = find(key)
    for recording in cases.recordings(algorithm):
        order = ViewOrder(algorithm.panels_on(recording.data), can_evaluate(algorithm, recording.data))
        second = [panel for panel in order.panels if panel.key != order.large and not panel.beside]
        first, last = (
            {panel.key for panel in second if panel.space == "data" or frame.views.get(panel.key)}
            for frame in (recording.frames[0], recording.frames[-1])
        )
        assert bool(first) == bool(last) or order.reserved is not None, recording.params
        assert order.reserved is None or order.reserved in last or (last and recording.params != algorithm.params())


def test_a_panel_in_which_nothing_is_seen_would_be_noticed(qapp):
    def blind(shot):
        return {**find("agglomerative").views(shot), "dendrogram": (Curve(np.empty(0), np.empty(0)),)}

    assert draw_everything(find("agglomerative"))[1] == {"plane", "dendrogram"}
    assert draw_everything(replace(find("agglomerative"), views=blind))[1] == {"plane"}


def test_marks_that_cannot_be_drawn_would_be_noticed(qapp):
    def torn(shot):
        late = shot.phase == "update"
        return {"plane": (Assignment(np.zeros(3, dtype=int)),)} if late else find("k_means").views(shot)

    with pytest.raises((ValueError, IndexError)):
        draw_everything(replace(find("k_means"), views=torn))
