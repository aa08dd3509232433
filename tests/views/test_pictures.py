"""Comparing pictures: what is missing is found, what only moved a little is not."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen, QPolygonF

from algorithms import Points, all_algorithms
from algorithms.contract import Panel
from algorithms.marks import Curve, ReferenceLine
from mlviz.session.projection import Projection
from mlviz.views.plots import PlotView
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT
from tests.views.conftest import APPROVED
from tests.views.pictures import differences, pixels, read, where, write

WIDTH, HEIGHT = 800, 600
PARTS = ("title", "caption", "x axis", "x name", "y axis", "legend", "curve", "dashed line", "points", "one number")


def chart(without="", shift=0.0, weight=QFont.Weight.Normal):
    """A plot with everything that a plot has, drawn by hand; one part can be left out."""
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(shift, shift)
    font = QFont("DejaVu Sans", 9)
    font.setWeight(weight)
    painter.setFont(font)
    for part, draw in DRAWN.items():
        if part != without:
            painter.save()
            draw(painter, without)
            painter.restore()
    painter.end()
    return pixels(image)


def draw_x_axis(painter, without):
    painter.setPen(QColor("#c5ced8"))
    painter.drawLine(60, 520, 780, 520)
    painter.setPen(QColor("#5f6b76"))
    for k in range(8):
        if k != 3 or without != "one number":
            painter.drawText(QPointF(80 + 90 * k, 536), f"{2 * k}")


def draw_y_axis(painter, without):
    painter.setPen(QColor("#c5ced8"))
    painter.drawLine(60, 60, 60, 520)
    painter.setPen(QColor("#5f6b76"))
    for k in range(6):
        painter.drawText(QPointF(20, 90 + 80 * k), f"{1000 - 200 * k}")


def draw_legend(painter, without):
    painter.setPen(QPen(QColor("#c5ced8")))
    painter.drawRoundedRect(QRectF(640, 70, 130, 50), 4, 4)
    painter.setPen(QColor("#1c2126"))
    painter.drawText(QPointF(670, 90), "training")
    painter.drawText(QPointF(670, 110), "validation")


def draw_curve(painter, without):
    painter.setPen(QPen(QColor("#0072b2"), 2))
    x = np.linspace(0, 1, 50)
    painter.drawPolyline(QPolygonF([QPointF(60 + 700 * t, 500 - 380 * np.exp(-5 * t)) for t in x]))


def draw_dashed_line(painter, without):
    pen = QPen(QColor("#5f6b76"), 1)
    pen.setDashPattern([4, 4])
    painter.setPen(pen)
    painter.drawLine(420, 60, 420, 520)


def draw_points(painter, without):
    painter.setPen(QColor("white"))
    painter.setBrush(QColor("#d55e00"))
    for x, y in np.random.default_rng(0).uniform((300, 150), (600, 350), size=(20, 2)):
        painter.drawEllipse(QPointF(x, y), 4, 4)


def text(x, y, words, size=9):
    def draw(painter, without):
        font = painter.font()
        font.setPointSize(size)
        painter.setFont(font)
        painter.setPen(QColor("#1c2126"))
        painter.drawText(QPointF(x, y), words)

    return draw


DRAWN = {
    "title": text(16, 30, "k-means · blobs", 13),
    "caption": text(16, 585, "Step 15: No point changes its cluster."),
    "x axis": draw_x_axis,
    "x name": text(400, 556, "step"),
    "y axis": draw_y_axis,
    "legend": draw_legend,
    "curve": draw_curve,
    "dashed line": draw_dashed_line,
    "points": draw_points,
}


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_found_and_an_added_one(qapp, part):
    whole, less = chart(), chart(without=part)
    assert differences(less, whole).max() > 1.0
    assert differences(whole, less).max() > 1.0


@pytest.mark.parametrize("shift", [0.3, 1.0, 2.0, 4.0])
def test_what_moved_by_a_few_pixels_is_the_same(qapp, shift):
    assert differences(chart(shift=shift), chart()).max() <= 1.0


def test_what_moved_far_is_not(qapp):
    assert differences(chart(shift=30.0), chart()).max() > 1.0


def test_letters_may_be_a_little_thicker(qapp):
    assert differences(chart(weight=QFont.Weight.Medium), chart()).max() <= 1.0


def test_noise_of_the_last_bits_is_the_same(qapp):
    whole = chart()
    noisy = np.clip(whole + np.random.default_rng(0).normal(size=whole.shape) * 3.0, 0, 255)
    assert differences(noisy, whole).max() <= 1.0


def test_another_shade_of_a_whole_region_is_found(qapp):
    whole = chart()
    shaded = whole.copy()
    shaded[300:400, 100:300] -= 15.0
    far = differences(shaded, whole)
    assert far.max() > 1.0
    assert "x = 1" in where(far) or "x = 2" in where(far)


def test_other_sizes_are_always_different(qapp):
    whole = chart()
    far = differences(whole[:-8], whole)
    assert far.max() > 1.0
    assert where(far) == "they have different sizes"


def test_small_pictures_are_compared_as_a_whole():
    assert differences(np.zeros((20, 20, 3)), np.full((20, 20, 3), 12.0)).max() > 1.0
    assert differences(np.zeros((20, 20, 3)), np.full((20, 20, 3), 6.0)).max() <= 1.0


def test_a_file_is_small_and_has_the_same_regions(qapp, tmp_path):
    whole = chart()
    write(whole, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size < 20_000
    assert differences(read(tmp_path / "a.png"), whole).max() < 0.5


LESS = {
    "legend": lambda view: view.legend.hide(),
    "axis": lambda view: view.getAxis("left").setStyle(showValues=False),
    "name": lambda view: view.getAxis("bottom").showLabel(False),
    "curve": lambda view: view.show_marks(view.marks[:1]),
    "line": lambda view: view.show_marks((*view.marks[:2], replace(view.marks[2], at=2.0))),
}


@pytest.mark.parametrize("part", LESS)
def test_a_part_of_a_real_plot_is_missed(qtbot, part):
    view = PlotView(Panel("plot", "Plot", x="across", y="up"))
    qtbot.addWidget(view)
    view.resize(360, 240)
    x = np.arange(8.0)
    view.set_scene(Scene.of(Points(x[:, None]), Projection.of(Points(x[:, None])), LIGHT))
    view.show_marks((Curve(x, x**2, "square"), Curve(x, 30 - x, "falling"), ReferenceLine(5.0, "here")))
    whole = pixels(view.grab().toImage())
    assert differences(pixels(view.grab().toImage()), whole).max() == 0.0
    LESS[part](view)
    assert differences(pixels(view.grab().toImage()), whole).max() > 1.0


def erased(picture, left, top, right, bottom):
    """A picture with a part of it in the colour of what surrounds it."""
    less = picture.copy()
    less[top:bottom, left:right] = np.median(picture[top:bottom, left : left + 2].reshape(-1, 3), axis=0)
    return less


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_the_title_of_every_approved_picture_would_be_missed(key):
    whole = read(APPROVED / f"panel-{key}.png")
    assert differences(erased(whole, 4, 4, 600, 36), whole).max() > 1.0


def test_no_picture_is_left_that_nobody_looks_at(request):
    """Every file belongs to a method that exists, or to a test that names it."""
    known = "".join(path.read_text("utf-8") for path in APPROVED.parent.glob("test_*.py"))
    keys = {f"panel-{algorithm.key}" for algorithm in all_algorithms()}
    for path in APPROVED.glob("panel-*.png"):
        assert path.stem in keys or f'"{path.stem}"' in known or path.stem.removesuffix("-first-dark") in keys, path


class TestApproving:
    @pytest.fixture
    def picture_folders(self, tmp_path):
        return tmp_path / "approved", tmp_path / "diffs"

    @pytest.fixture
    def image(self, qapp):
        image = QImage(64, 48, QImage.Format.Format_RGB32)
        image.fill(QColor("#0072b2"))
        return image

    def test_a_new_picture_has_to_be_looked_at(self, approved, image, picture_folders):
        with pytest.raises(AssertionError, match=r"new has never been approved; look at .*diffs/new\.png"):
            approved(image, "new")
        assert (picture_folders[1] / "new.png").exists()

    def test_one_command_approves_it(self, approved, image, picture_folders, monkeypatch, capsys):
        monkeypatch.setenv("MLVIZ_APPROVE", "1")
        approved(image, "new")
        assert "look at it" in capsys.readouterr().out
        monkeypatch.delenv("MLVIZ_APPROVE")
        approved(image, "new")

    def test_a_picture_that_differs_is_shown_with_its_difference(self, approved, image, picture_folders, monkeypatch):
        monkeypatch.setenv("MLVIZ_APPROVE", "1")
        approved(image, "new")
        monkeypatch.delenv("MLVIZ_APPROVE")
        image.fill(QColor("#d55e00"))
        with pytest.raises(AssertionError, match="new differs from the approved picture, most of all between x = 0"):
            approved(image, "new")
        assert {path.name for path in picture_folders[1].iterdir()} == {"new.png", "new-diff.png"}
