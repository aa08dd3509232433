"""Lines: what is left out of them cannot be seen."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
import shiboken6
from PySide6.QtGui import QImage, QTransform
from PySide6.QtWidgets import QWidget

from mlviz.views.lines import LONG, LineItem, _spaced, dashes, distinct_strokes, is_jagged, on_device, thinned


def test_points_on_a_straight_line_go_and_corners_stay():
    along = np.linspace(0, 400, 401)
    corner = np.concatenate([np.column_stack([along, 0 * along]), np.column_stack([400 + 0 * along, along])])
    kept = thinned(corner)
    assert len(kept) < 0.3 * len(corner)
    for end in ([0, 0], [400, 0], [400, 400]):
        assert end in kept.tolist()


def test_a_thinned_circle_stays_within_a_fifth_of_a_pixel():
    angle = np.linspace(0, 2 * np.pi, 2001)
    circle = 300 * np.column_stack([np.cos(angle), np.sin(angle)])
    kept = thinned(circle)
    assert len(kept) < 0.5 * len(circle)
    middles = (kept[1:] + kept[:-1]) / 2
    assert np.abs(np.hypot(*middles.T) - 300).max() < 0.2


@pytest.mark.parametrize("count", [60, 300, 5000])
def test_the_strokes_of_a_smooth_line_hardly_overlap_and_stay_on_it(count):
    angle = np.linspace(0, 2 * np.pi, count)
    kept = _spaced(150 * np.column_stack([np.cos(angle), np.sin(angle)]), 2.5)
    lengths = np.hypot(*np.diff(kept, axis=0).T)
    assert np.median(lengths) > 2 * 2.5
    middles = (kept[1:] + kept[:-1]) / 2
    assert np.abs(np.hypot(*middles.T) - 150).max() < 0.35
    assert kept[0].tolist() == [150, 0]
    np.testing.assert_allclose(kept[-1], [150, 0], atol=1e-9)


def test_short_lines_and_turning_back_are_left_alone():
    short = np.column_stack([np.arange(LONG - 1.0), np.zeros(LONG - 1)])
    assert thinned(short) is short
    back = np.zeros((LONG + 1, 2))
    back[1::2, 0] = 50.0
    assert np.array_equal(thinned(back), back)


def test_jagged_is_what_runs_to_and_fro():
    steps = np.arange(100.0)
    assert not is_jagged(np.column_stack([steps, steps**2]))
    assert is_jagged(np.column_stack([steps, steps % 2]))


def test_strokes_that_repeat_or_lie_outside_are_left_out():
    line = np.zeros((LONG * 4, 2))
    line[1::2] = (10.0, 20.0)  # to and fro between two places
    assert distinct_strokes(line, 100, 100).tolist() == [[0, 0, 10, 20], [10, 20, 0, 0]]
    outside = np.column_stack([np.arange(50.0), np.full(50, 500.0)])
    assert len(distinct_strokes(outside, 100, 100)) == 0
    across = np.array([[-1000.0, 50.0], [1000.0, 50.0]])  # both ends outside, and yet seen
    assert distinct_strokes(across, 100, 100).tolist() == [[-16, 50, 116, 50]]
    steep = np.array([[50.0, 1e6], [50.0, -1e6]])
    assert distinct_strokes(steep, 100, 100).tolist() == [[50, 116, 50, -16]]
    past = np.array([[-200.0, 50.0], [50.0, -200.0]])  # passes the corner
    assert len(distinct_strokes(past, 100, 100)) == 0
    assert distinct_strokes(np.array([[3.0, 4.0], [5.0, 4.0]]), 100, 100).tolist() == [[3, 4, 5, 4]]


@pytest.mark.parametrize("kind", ["smooth", "jagged", "broken", "pairs"])
def test_a_line_looks_like_pyqtgraphs(qtbot, kind):
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 400)
    connect = "pairs" if kind == "pairs" else "finite"
    y = {
        "pairs": np.round(5 * x),
        "smooth": np.sin(9 * x),
        "jagged": rng.normal(size=400),
        "broken": np.where(x % 0.2 < 0.1, x, np.nan),
    }[kind]
    parent = QWidget()
    pictures = []
    for item in (LineItem(antialias=True, connect=connect), pg.PlotCurveItem(antialias=True, connect=connect)):
        plot = pg.PlotWidget(parent=parent, background="w")
        plot.resize(400, 300)
        plot.addItem(item)
        item.setData(x=x, y=y, pen=pg.mkPen("#0072b2", width=2))
        image = plot.grab().toImage()
        pictures.append(np.frombuffer(image.constBits(), dtype=np.uint8).astype(int).copy())
    ours, theirs = pictures
    assert (theirs < 200).sum() > 500  # something was drawn
    assert np.abs(ours - theirs).mean() < {"smooth": 0.1, "jagged": 6.0, "broken": 0.1, "pairs": 0.1}[kind]
    shiboken6.delete(parent)


def spiral(count):
    angle = np.linspace(0, 12, 3000)[:count]
    return np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])


@pytest.fixture
def pair(qtbot):
    """Two plots of the same place: one whose line is painted again and again, and one that is painted once."""
    parent = QWidget()
    qtbot.addWidget(parent)
    plots = [pg.PlotWidget(parent) for _ in range(2)]
    for plot in plots:
        plot.resize(400, 300)
        plot.setRange(xRange=(-13, 13), yRange=(-13, 13), padding=0)
    yield plots
    for plot in plots:
        shiboken6.delete(plot)


def painted(plot):
    image = plot.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    shape = image.height(), image.width(), 4
    return np.frombuffer(image.constBits(), np.uint8).reshape(shape).astype(int)


def line_in(plot, at, colour="#0060b0"):
    item = LineItem(pen=pg.mkPen(colour, width=2), antialias=True)
    item.setData(x=at[:, 0], y=at[:, 1])
    plot.addItem(item, ignoreBounds=True)
    return item


def test_a_line_that_grows_looks_as_if_it_were_painted_at_once(pair):
    growing = line_in(pair[0], spiral(400))
    for count in (400, 400, 401, 900, 1700, 3000):
        at = spiral(count)
        growing.setData(x=at[:, 0], y=at[:, 1])
        last = painted(pair[0])
    assert growing._kept.picture is not None
    line_in(pair[1], spiral(3000))
    assert np.abs(last - painted(pair[1])).mean() < 0.6  # strokes join a little differently where it stopped


@pytest.mark.parametrize("change", ["shape", "colour", "range"])
def test_what_was_kept_goes_when_the_line_is_another_one(pair, change):
    item, at = line_in(pair[0], spiral(2000)), spiral(2000)
    for _ in range(3):
        painted(pair[0])
    assert item._kept.picture is not None
    if change == "shape":
        at = at[:, ::-1]
        item.setData(x=at[:, 0], y=at[:, 1])
    elif change == "colour":
        item.setPen(pg.mkPen("#d04000", width=2))
    else:
        for plot in pair:
            plot.setRange(xRange=(-5, 5), yRange=(-5, 5), padding=0)
    line_in(pair[1], at, "#d04000" if change == "colour" else "#0060b0")
    assert np.array_equal(painted(pair[0]), painted(pair[1]))


def test_dashes_lie_on_the_line_and_have_the_lengths_of_the_pattern():
    corner = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]])
    found = dashes(corner, 6.0, 3.0)  # from 0 to 6, 9 to 15 (around the corner) and 18 to 20
    assert found.tolist() == [[0, 0, 6, 0], [9, 0, 10, 0], [10, 0, 10, 5], [10, 8, 10, 10]]
    assert dashes(corner, 1.0, 0.0).tolist() == [[0, 0, 10, 0], [10, 0, 10, 10]]
    still = np.zeros((5, 2))
    assert np.isfinite(dashes(still, 6.0, 3.0)).all()


@pytest.mark.filterwarnings("error")
def test_a_view_of_no_width_has_gaps_and_edges_but_no_warning():
    narrow = QTransform(np.inf, 0.0, 0.0, 1.0, 0.0, 0.0)
    device = on_device(narrow, np.array([[0.0, 1.0, -1.0], [0.0, 1.0, 2.0]]))
    assert np.isnan(device[:, 0]).tolist() == [True, False, False]
    assert not np.isinf(device).any()
