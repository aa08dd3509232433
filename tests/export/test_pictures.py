"""Pictures: the same drawing in pixels and as shapes, with its texts, in the size that was asked for."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtSvg import QSvgRenderer

from algorithms import DataError, find
from mlviz.export.figure import views_of
from mlviz.export.flat import FlatPage
from mlviz.export.frames import exact_frame
from mlviz.export.pictures import page_image, painted, picture, save_picture
from mlviz.export.presets import PRESETS
from mlviz.export.render import Style
from mlviz.export.svg import SvgSink

SVG = "{http://www.w3.org/2000/svg}"


def pixels(image):
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(bytes(image.constBits()), np.uint8).reshape(image.height(), -1, 4)[:, : image.width()]


@pytest.fixture
def frame(engine):
    return exact_frame(engine, len(engine.timeline) - 1)


def test_svg_has_every_text_and_every_point_as_a_shape(make_figure, frame, tmp_path):
    figure = make_figure(size=(800, 600))
    save_picture(figure, frame, tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("800", "600", "0 0 800 600")
    texts = {"".join(item.itertext()).strip() for item in root.iter(f"{SVG}text")}
    assert {"Support vector machine · moons", "x1", "x2", "class 1", "class 2", "decision line", "step"} <= texts
    fills = [item.get("fill") for item in root.iter(f"{SVG}path")]
    assert all(
        fills.count(colour) >= 15 for colour in ("#0072b2", "#d55e00")
    )  # twenty points of each, some drawn by bars too
    widths = [float(item.get("stroke-width")) for item in root.iter(f"{SVG}path") if item.get("stroke-width")]
    assert max(widths) < 6  # a line in data coordinates must not become as wide as the plot
    assert QSvgRenderer(QByteArray((tmp_path / "a.svg").read_bytes())).isValid()


def test_pdf_is_one_page_of_the_right_size_with_fonts(make_figure, frame, tmp_path):
    save_picture(make_figure(size=(800, 600)), frame, tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) == 1
    box = re.search(rb"/MediaBox \[\s*0 0 ([\d.]+) ([\d.]+)", content)
    assert (float(box[1]), float(box[2])) == pytest.approx((600, 450))  # points: 72 of them where there are 96 pixels
    assert b"/FontFile2" in content or b"/FontFile3" in content  # the letters are embedded


def test_an_enlarged_picture_is_the_same_picture(make_figure, frame):
    """Reduced again it differs from the plain one only where lines are smoothed."""
    figure = make_figure(size=(400, 300))
    plain, large = picture(figure, frame), picture(figure, frame, 3.0)
    assert (large.width(), large.height()) == (1200, 900)
    assert large.dotsPerMeterX() == round(288 / 0.0254)
    mode = Qt.TransformationMode.SmoothTransformation
    small = large.scaled(400, 300, Qt.AspectRatioMode.IgnoreAspectRatio, mode)
    assert np.abs(pixels(plain).astype(int) - pixels(small)).mean() < 4


def test_png_may_be_transparent(make_figure, frame, tmp_path):
    save_picture(make_figure(size=(400, 300), transparent=True), frame, tmp_path / "a.png")
    seen = pixels(QImage(str(tmp_path / "a.png")))
    assert seen[0, 0].tolist() == [0, 0, 0, 0]
    assert (seen[..., 3] > 0).mean() > 0.1
    save_picture(make_figure(size=(400, 300)), frame, tmp_path / "b.png")
    assert (pixels(QImage(str(tmp_path / "b.png")))[..., 3] == 255).all()


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_every_preset_fits_on_its_page(preset, make_figure, frame, tmp_path):
    figure = make_figure(preset=preset)
    assert (figure.width(), figure.height()) == preset.size
    assert figure.title.isVisibleTo(figure) == preset.words
    save_picture(figure, frame, tmp_path / "a.png", preset.scale)
    image = QImage(str(tmp_path / "a.png"))
    assert (image.width(), image.height()) == tuple(round(side * preset.scale) for side in preset.size)
    rim = np.concatenate([pixels(image)[:2].reshape(-1, 4), pixels(image)[-2:].reshape(-1, 4)])
    assert len(np.unique(rim, axis=0)) == 1  # nothing runs over the upper or lower edge
    for view in figure.findChildren(type(figure.curves.plot)):
        assert view.scene().itemsBoundingRect().width() < 3 * view.width()


@pytest.mark.parametrize("view", ["plane", "curves"])
def test_one_view_alone(view, make_figure, frame, tmp_path):
    save_picture(make_figure(only=view, size=(500, 400)), frame, tmp_path / "a.svg")
    texts = {
        "".join(item.itertext()).strip() for item in ElementTree.parse(tmp_path / "a.svg").getroot().iter(f"{SVG}text")
    }
    assert ("x1" in texts) == (view == "plane")
    assert ("step" in texts) == (view == "curves")


def test_a_view_that_does_not_exist_is_refused():
    algorithm = find("k_means")
    assert list(views_of(algorithm))[:2] == ["", "plane"]
    with pytest.raises(DataError, match="k-means has no view 'tree'; it has plane"):
        Style(only="tree").look(algorithm)


def test_a_folder_that_cannot_be_written_is_an_error(make_figure, frame, tmp_path):
    for ending in ("png", "svg"):
        with pytest.raises(OSError):
            save_picture(make_figure(size=(200, 150)), frame, tmp_path / "no" / f"a.{ending}")


# -- the flat page ----------------------------------------------------------------------------------------------------


def drawing(painter):
    """A line that keeps its width in coordinates a hundred times as large, clipped, and a turned text."""
    painter.save()
    painter.setClipRect(QRectF(0, 0, 50, 100))
    painter.scale(100, 100)
    pen = QPen(QColor("#ff0000"), 4)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.drawLine(QPointF(0, 0.5), QPointF(1, 0.5))
    painter.restore()
    painter.translate(80, 80)
    painter.rotate(-90)
    painter.drawText(QPointF(0, 0), "α < β")


def test_a_line_keeps_its_width_and_stays_inside_its_clip(qtbot):
    sink = SvgSink()
    painted(FlatPage(100, 100, sink), drawing)
    text = sink.document(100, 100, "a < b")
    assert 'stroke-width="4"' in text
    assert "M0,50 L100,50" in text
    assert '<path d="M0,0 L50,0 L50,100 L0,100 L0,0"/></clipPath>' in text
    assert "matrix(0 -1 1 0 80 80)" in text.replace("6.12323e-17", "0")
    assert ">α &lt; β</text>" in text
    assert "<title>a &lt; b</title>" in text


def test_enlarged_the_line_is_twice_as_wide(qtbot):
    image = page_image((100, 100), 2.0, QColor("#ffffff"), drawing)
    red = (pixels(image)[..., :3] == (255, 0, 0)).all(axis=2)
    assert red[:, 20].sum() == 8
    assert not red[:, 102:].any()


def test_the_painter_is_released_after_a_failure(qtbot):
    def fail(painter: QPainter) -> None:
        raise ValueError("no")

    page = FlatPage(10, 10, SvgSink())
    with pytest.raises(ValueError, match="no"):
        painted(page, fail)
    assert not page.paintingActive()
