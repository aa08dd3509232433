"""The strip of series: drawn as approved, panned along time only, and its places mean moments and values."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from algorithms.contract import Panel
from algorithms.data import Sequences
from algorithms.marks import Highlight, Strip
from mlviz.session.projection import Projection
from mlviz.views.bands import Band
from mlviz.views.canvases import make_canvas
from mlviz.views.scene import Scene
from mlviz.views.strip_layout import Place, StripLayout, round_values
from mlviz.views.theme import DARK, LIGHT

RNG = np.random.default_rng(3)
STATES = [np.repeat([0, 1, 0, 2], 15), np.repeat([1, 0], 20)]
VALUES = Sequences([3.0 * one + RNG.normal(size=len(one)) for one in STATES], STATES)
ROLLS = np.where((STATES[0] == 1) & (RNG.random(60) < 0.5), 5, RNG.integers(0, 6, 60))
DICE = Sequences([ROLLS], [STATES[0]], symbols=tuple("123456"))
VECTORS = Sequences([np.column_stack([VALUES.series[0][:, 0], -VALUES.series[0][:, 0]])])
LONG = Sequences([np.sin(np.arange(20_000.0) / 900.0)], [np.arange(20_000) // 3000 % 2])
NAMES = ("state 1", "state 2", "state 3")


def decoded(data: Sequences, lag: int = 2) -> Strip:
    """States that are found a little late, and less surely there."""
    labels = np.roll(np.concatenate(data.states), lag)
    sure = np.where(np.arange(data.n) % 15 < 4, 0.5, 1.0)
    return Strip(labels[None], ("decoded",), NAMES, sure[None])


CASES = {
    "values": (VALUES, (decoded(VALUES), Highlight(np.array([20])))),
    "symbols": (DICE, (decoded(DICE),)),
    "vectors": (VECTORS, ()),
    "long": (LONG, (decoded(LONG, 100),)),
}


@pytest.fixture
def strip(qtbot):
    def make(data, marks=(), theme=LIGHT, size=(560, 320)):
        view = make_canvas(Panel("series", "Series", "data"), "sequences")
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection(), theme))
        view.fit_view()
        view.show_marks(marks)
        view.grab()  # only a drawn axis knows how much room its numbers take
        return view

    return make


@pytest.mark.parametrize("name", CASES)
def test_pictures(strip, approved, name):
    approved(strip(*CASES[name]).grab().toImage(), f"strip-{name}")


@pytest.mark.parametrize("name", ["values", "symbols"])
def test_pictures_in_the_dark(strip, approved, name):
    view = strip(*CASES[name], theme=DARK)
    view.light_points(np.array([33]))
    approved(view.grab().toImage(), f"strip-{name}-dark")


def test_picture_for_a_projector(strip, approved):
    view = strip(*CASES["values"], theme=LIGHT.presenting(), size=(760, 460))
    approved(view.grab().toImage(), "strip-values-presenting")


def test_changing_the_theme_redraws_everything(strip, approved):
    view = strip(*CASES["symbols"])
    view.set_theme(DARK)
    view.light_points(np.array([33]))
    approved(view.grab().toImage(), "strip-symbols-dark")


def position_of(view, place):
    """Where a place of the series is on the screen."""
    layout = view.layout_now
    height = layout.y(layout.lanes_of(place.series)[max(place.feature, 0)], np.array(place.value))
    return view.mapFromScene(view.box.mapViewToScene(QPointF(place.time + 1.0, float(height)))).toPointF()


def meaning_of(view, position):
    """What is at a position of the screen."""
    at = view.place_of(position)
    return view.layout_now.place_at(at.x(), at.y())


def test_a_place_means_a_moment_and_leads_back(strip):
    view = strip(VALUES)
    for place in (Place(0, 0, 7.0, 1.5), Place(1, 0, 30.0, -0.5)):
        found = meaning_of(view, position_of(view, place))
        assert (found.series, found.feature, found.moment) == (place.series, 0, round(place.time))
        assert found.value == pytest.approx(place.value, abs=0.1)
    view = strip(DICE)
    found = meaning_of(view, position_of(view, Place(0, -1, 12.0, 4.0)))
    assert (found.series, found.moment, found.symbol) == (0, 12, 4)


def test_hovering_means_the_moment_at_that_time_of_the_series(strip):
    view = strip(VALUES)
    above = position_of(view, Place(1, 0, 3.0, 5.0))
    assert view.points_at(above).tolist() == [63]
    assert view.points_at(QPointF(-50.0, above.y())).tolist() == []
    after_the_end = position_of(view, Place(1, 0, 45.0, 0.0))
    assert view.points_at(after_the_end).tolist() == []


def test_only_time_is_panned_and_zoomed(strip):
    view = strip(DICE)
    *_, bottom, top = view.view_rect()
    view.box.translateBy(x=0.0, y=3.0)
    view.box.scaleBy((0.2, 0.2))
    left, right, *rest = view.view_rect()
    assert rest == pytest.approx([bottom, top])
    assert right - left == pytest.approx(0.2 * 61.2)
    view.box.scaleBy((1e-6, 1.0))
    left, right, *_ = view.view_rect()
    assert right - left == pytest.approx(3.0)


def test_bars_are_named_anew_when_they_mean_something_else(strip):
    """Decoding after filtering: as many bars, and the old names stayed beside them until the window was resized."""
    found = decoded(DICE)
    view = strip(DICE, (replace(found, names=("filtered",)),))
    view.show_marks((replace(found, names=("Viterbi",)),))
    names = {name for _, name in view.getAxis("left")._tickLevels[0]}
    assert "Viterbi" in names
    assert "filtered" not in names


def test_a_draft_is_drawn_until_it_ends(strip):
    view = strip(VALUES)
    longer = Sequences([np.append(VALUES.series[0][:, 0], [9.0, 9.0]), VALUES.series[1][:, 0]])
    view.set_draft(longer)
    assert view.data is longer
    view.end_draft()
    assert view.data is VALUES


def test_a_long_series_is_drawn_with_few_points(strip):
    view = strip(LONG)
    assert len(view._line.xData) < 2000
    view.box.setXRange(100.0, 200.0, padding=0)
    assert view._line.xData.min() < 100.0
    assert view._line.xData.max() > 200.0
    assert len(view._line.xData) < 200


def test_runs_are_joined_and_cut_to_what_is_seen():
    band = Band(1.0, 0.0, 1.0, np.array([0, 0, 1, -1, -1, 2]), ("a", "b", "c"))
    assert band.runs(-10, 10, 100) == [(0.5, 2.5, 0), (2.5, 3.5, 1), (5.5, 6.5, 2)]
    assert band.runs(2.6, 3.0, 100) == [(2.5, 3.5, 1)]
    many = Band(1.0, 0.0, 1.0, np.arange(10_000) % 2, ("a", "b"))
    assert len(many.runs(0, 10_001, 100)) <= 100


@given(
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=5),
    d=st.integers(0, 3),
    rows=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_every_moment_is_found_where_it_is_drawn(lengths, d, rows, seed):
    rng = np.random.default_rng(seed)
    data = Sequences([rng.normal(size=(n, d)) * 10.0**seed if d else rng.integers(0, 4, n) for n in lengths])
    layout = StripLayout.of(data, rows)
    at = layout.places()
    assert [layout.number_at(*place) for place in at.tolist()] == list(range(data.n))
    left, right, bottom, top = layout.extent
    assert ((at >= (left, bottom)) & (at <= (right, top))).all()
    for lane in layout.lanes:
        x, y = layout.line(lane)[0]
        place = layout.place_at(x, y)
        seen = np.atleast_1d(data.series[lane.series][0])[max(lane.feature, 0)]
        assert (place.series, place.feature, place.moment) == (lane.series, lane.feature, 0)
        assert place.value == pytest.approx(seen, rel=1e-6, abs=1e-9 * abs(lane.high - lane.low))


@pytest.mark.parametrize(
    ("low", "high", "most"), [(0, 1, 5), (-3.2, 8.9, 4), (1e150, 2e150, 3), (1e-9, 2e-9, 6), (5, 6, 1)]
)
def test_round_values_lie_inside_and_are_few(low, high, most):
    values = round_values(low, high, most)
    assert all(low <= value <= high for value in values)
    assert len(values) <= most + 1
    assert len(values) >= min(most, 2) - 1
