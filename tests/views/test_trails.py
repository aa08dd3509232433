"""The ways of several walkers in one picture."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter, QPicture

from mlviz.views.pens import make_pen
from mlviz.views.trails import TrailsItem

WAYS = np.cumsum(np.random.default_rng(3).normal(size=(300, 4, 2)), axis=0) + 100.0
PENS = tuple(
    make_pen(colour, 2.0, dashed=colour == "#009e73") for colour in ("#0072b2", "#d55e00", "#009e73", "#000000")
)


@pytest.fixture
def painted(qapp):
    """Paints an item as a canvas of 200 x 200 pixels would; gives the pixels."""

    def paint(item, scale=1.0):
        image = QImage(200, 200, QImage.Format.Format_RGB32)
        image.fill(0xFFFFFFFF)
        painter = QPainter(image)
        painter.scale(scale, scale)
        item.paint(painter)
        painter.end()
        return np.array(image.constBits()).reshape(200, 200, 4)[..., :3].astype(int)

    return paint


def at_once(painted, ways, pens=PENS, scale=1.0):
    item = TrailsItem()
    item.set(ways, pens)
    return painted(item, scale)


def test_walking_on_leaves_the_picture_that_walking_at_once_leaves(painted):
    item, solid = TrailsItem(), tuple(make_pen(pen.color().name(), 2.0) for pen in PENS)
    for steps in (2, 50, 51, 51, 200, 300):
        item.set(WAYS[:steps], solid)
        walked = painted(item)
    whole = at_once(painted, WAYS, solid)
    assert (whole != 255).any()
    inked, expected = (walked != 255).any(axis=2), (whole != 255).any(axis=2)
    assert (inked != expected).mean() < 0.002  # where two pieces meet, half a pixel
    np.testing.assert_allclose(walked.mean(axis=(0, 1)), whole.mean(axis=(0, 1)), atol=1.5)


def test_dashes_go_on_where_they_were(painted):
    straight = np.stack([np.linspace(10.0, 190.0, 91), np.full(91, 100.0)], axis=1)[:, None]
    pens, item = (make_pen("#000000", 2.0, dashed=True),), TrailsItem()
    for steps in range(2, 92):
        item.set(straight[:steps], pens)
        walked = painted(item)
    np.testing.assert_allclose(walked[100].mean(), at_once(painted, straight, pens)[100].mean(), atol=4.0)
    assert 40 < (walked[100, 10:190] < 128).all(axis=1).sum() < 150


@pytest.mark.parametrize("other", ["shorter", "elsewhere", "fewer", "another scale"])
def test_other_ways_begin_a_new_picture(painted, other):
    item = TrailsItem()
    item.set(WAYS, PENS)
    painted(item)
    ways = {"shorter": WAYS[:40], "elsewhere": WAYS + 5.0, "fewer": WAYS[:, :2], "another scale": WAYS}[other]
    pens, scale = PENS[: ways.shape[1]], 0.5 if other == "another scale" else 1.0
    item.set(ways, pens)
    np.testing.assert_array_equal(painted(item, scale), at_once(painted, ways, pens, scale))


def test_somebody_who_is_lost_is_left_out_and_the_others_go_on(painted):
    ways = WAYS.copy()
    ways[100:, 1] = np.nan
    item = TrailsItem()
    for steps in (90, 150, 300):
        item.set(ways[:steps], PENS)
        walked = painted(item)
    assert np.isfinite(item.boundingRect().width())
    np.testing.assert_allclose(walked.mean(), at_once(painted, ways).mean(), atol=1.0)
    item.set(np.full((5, 2, 2), np.nan), PENS[:2])
    assert (painted(item) == 255).all()


def test_in_a_vector_picture_they_are_strokes(qapp):
    item = TrailsItem()
    item.set(WAYS, PENS)
    page = QPicture()
    painter = QPainter(page)
    item.paint(painter)
    painter.end()
    assert page.size() > 1000
    assert item._picture is None


def test_the_extent_holds_every_place(qapp):
    item = TrailsItem()
    item.set(WAYS, PENS)
    rect = item.boundingRect()
    low, high = WAYS.min(axis=(0, 1)), WAYS.max(axis=(0, 1))
    assert rect.left() <= low[0]
    assert rect.right() >= high[0]
    assert rect.top() <= low[1]
    assert rect.bottom() >= high[1]
