"""Pictures: the same drawing in pixels and as shapes, with its texts, in the size that was asked for."""

import os
import re
import threading
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QGraphicsTextItem, QStyleOptionGraphicsItem, QWidget

from algorithms import DataError, all_algorithms, find
from algorithms.interrupt import checkpoint
from mlviz.data.spec import load_data
from mlviz.export import pictures, pieces
from mlviz.export.figure import grid_of
from mlviz.export.flat import FlatPage
from mlviz.export.frames import exact_frame, recorded
from mlviz.export.model_queries import EVALUATIONS, VALUE_EVALUATIONS, views_of
from mlviz.export.pictures import image_page, painting
from mlviz.export.pieces import finished, image_of, in_thread, picture_file
from mlviz.export.presets import PRESETS
from mlviz.export.render import Style, document_of, render_picture
from mlviz.export.svg import SvgSink
from mlviz.session.document import Document
from mlviz.session.layout import EvaluationSettings, Layout, Viewport
from mlviz.session.scoring import confusion_at
from mlviz.views.canvas import Canvas
from mlviz.views.renderers._node_names import WordItem
from tests.export.conftest import run_of_example

SVG = "{http://www.w3.org/2000/svg}"


def save_picture(figure, frame, path, scale=1.0):
    finished(picture_file(figure, frame, path, scale))


def pixels(image):
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(bytes(image.constBits()), np.uint8).reshape(image.height(), -1, 4)[:, : image.width()]


@pytest.fixture
def frame(engine):
    return exact_frame(engine, len(engine.timeline) - 1)


def test_work_in_a_thread_ends_at_a_checkpoint_when_nobody_waits_for_it():
    begun, unwound = threading.Event(), threading.Event()

    def work():
        try:
            while True:
                begun.set()
                checkpoint()
        finally:
            unwound.set()

    pieces = in_thread(work)
    assert next(pieces) is None
    assert begun.wait(60)
    pieces.close()
    assert unwound.wait(60)


def test_the_scores_of_a_scaled_document_come_from_folds_with_their_own_scale(qtbot):
    method = find("logistic_regression")
    document = Document(load_data("moons(n=60,noise=0.3)"), method.key).with_scale("standardised")
    engine = recorded(method, document.data, document.make_params(), 0)
    style = Style(only="roc", layout=Layout(evaluation=EvaluationSettings("cross-validation")))
    figure = style.figure(document, engine)
    asked = figure.begin(exact_frame(engine, 0), 2.0).scores
    figure.dispose()
    assert (asked.source, asked.data.scale) == ("cross-validation", "standardised")


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
    plain, large = finished(image_of(figure, frame)), finished(image_of(figure, frame, 3.0))
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
    parts = [part for part in (*figure._views, figure.curves) if part.isVisible()]
    assert all(figure.rect().contains(part.geometry()) for part in parts)
    assert all(part.width() >= part.minimumWidth() for part in parts)  # so its neighbour does not lie over it
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
    with pytest.raises(DataError, match="k-means on this data is no classifier"):
        Style(only="roc").look(algorithm, load_data("blobs(n=30)"))
    with pytest.raises(DataError, match="k-means on this data predicts no values"):
        Style(only="qq").look(algorithm, load_data("blobs(n=30)"))
    assert "qq" in views_of(find("lasso"), load_data("sine(n=30)"))
    assert "roc" not in views_of(find("lasso"), load_data("sine(n=30)"))


def test_a_folder_that_cannot_be_written_is_an_error(make_figure, frame, tmp_path):
    for ending in ("png", "svg"):
        with pytest.raises(OSError):
            save_picture(make_figure(size=(200, 150)), frame, tmp_path / "no" / f"a.{ending}")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_full_disk_is_an_error(suffix, make_figure, frame, tmp_path, monkeypatch):
    @contextmanager
    def on_a_full_disk(path):
        yield full

    full = tmp_path / f"full{suffix}"
    full.symlink_to("/dev/full")
    monkeypatch.setattr(pieces, "placed", on_a_full_disk)
    with pytest.raises(OSError, match="No space left on device"):
        save_picture(make_figure(), frame, tmp_path / f"picture{suffix}")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_picture_may_have_a_name_that_is_not_utf8(suffix, make_figure, frame, tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe" + suffix.encode())
    save_picture(make_figure(), frame, path)
    assert os.listdir(tmp_path) == [path.name]
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("view", EVALUATIONS)
def test_every_picture_of_the_evaluation_alone(view, make_figure, frame, tmp_path):
    save_picture(make_figure(only=view, size=(500, 400)), frame, tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    texts = {"".join(item.itertext()).strip() for item in root.iter(f"{SVG}text")}
    mine = {"histogram": "score of class 2", "roc": "TPR", "precision_recall": "precision", "confusion": "true class"}
    wanted = set(mine.values()) if view == "evaluation" else {mine[view]}
    assert {text for text in mine.values() if text in texts} == wanted


@pytest.mark.parametrize(
    ("key", "spec", "view"),
    [
        *(("logistic_regression", "moons(n=40,noise=0.3)", view) for view in EVALUATIONS),
        *(("lasso", "sine(n=40)", view) for view in VALUE_EVALUATIONS),
    ],
)
def test_a_picture_of_the_evaluation_is_whole_in_a_column(key, spec, view, qtbot, tmp_path):
    """Made for a page of 640 x 480, it showed its upper left part."""
    method = find(key)
    engine = recorded(method, load_data(spec), method.make_params({}), 0)
    figure = Style(PRESETS["column"], only=view).figure(document_of(engine), engine)
    save_picture(figure, exact_frame(engine, 1), tmp_path / "a.png")
    shown = [picture for picture in figure.evaluation._pictures() if picture.isVisible()]
    assert len(shown) == (4 if view == "evaluation" else 1)
    assert all(figure.evaluation.rect().contains(picture.geometry()) for picture in shown)
    figure.dispose()


@pytest.fixture
def column(qtbot):
    """``column(key, spec)``: the last frame of a run as a figure of a paper column."""
    made = []

    def make(key, spec):
        method = find(key)
        engine = recorded(method, load_data(spec), method.make_params({}), 0)
        figure = Style(PRESETS["column"]).figure(document_of(engine), engine)
        made.append(figure)
        return figure, exact_frame(engine, len(engine.timeline) - 1)

    yield make
    for figure in made:
        figure.dispose()


@pytest.mark.parametrize("key", ["k_means", "gaussian_mixture", "shortest_paths"])
def test_no_small_view_of_a_column_loses_the_name_of_its_axis(key, column):
    """The curves of k-means were 90 pixels high in a place of 71, and their lower edge, with 'step', was cut off."""
    figure, frame = column(key, "karate" if key == "shortest_paths" else "blobs(n=60)")
    figure.set_frame(frame)
    assert figure.curves.rect().contains(figure.curves.plot.geometry())
    assert figure.rect().contains(figure.curves.geometry())


def test_several_curves_without_room_for_a_legend_are_named_above(column, tmp_path):
    figure, frame = column("shortest_paths", "karate")
    save_picture(figure, frame, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    labels = [metric.label for metric in figure.curves._visible()]
    assert len(labels) == 2
    assert all(f">{label}<" in text for label in labels)


@pytest.mark.parametrize(("preset", "noted"), [("column", False), ("screen", True)])
def test_the_note_about_a_slice_hides_no_points_of_a_column(preset, noted, tmp_path, qtbot):
    method = find("decision_tree")
    engine = recorded(method, load_data("iris"), method.make_params({}), 0)
    figure = Style(PRESETS[preset]).figure(document_of(engine, (2, 3)), engine)
    save_picture(figure, exact_frame(engine, 0), tmp_path / "a.svg")
    figure.dispose()
    assert ("Slice" in (tmp_path / "a.svg").read_text(encoding="utf-8")) is noted


def test_names_of_nodes_do_not_overlap_in_a_small_picture(column, tmp_path):
    figure, frame = column("shortest_paths", "karate")
    save_picture(figure, frame, tmp_path / "a.png")
    (words,) = (item for view in figure._views for item in view.scene().items() if isinstance(item, WordItem))
    scale, places = words._placed
    corners = words.net.at * scale + places
    boxes = [QRectF(*corner, *size) for corner, size in zip(corners, words._sizes) if np.isfinite(corner).all()]
    assert len(boxes) > 5
    shared = [one & other for one, other in combinations(boxes, 2)]
    assert max(box.width() * box.height() for box in shared) <= 0.05 * boxes[0].width() * boxes[0].height()


def test_the_evaluation_is_that_of_the_choices(make_figure, engine, frame):
    evaluation = EvaluationSettings("training", positive=0, threshold=0.4)
    figure = make_figure(layout=Layout(second="evaluation", evaluation=evaluation), size=(900, 700))
    figure.set_frame(frame)
    scores = figure.evaluation.scores
    assert figure.evaluation.isVisible()
    assert (figure.evaluation.positive, figure.evaluation.threshold) == (0, 0.4)
    wanted = confusion_at(scores, 0, 0.4)
    np.testing.assert_array_equal(figure.evaluation.matrix.confusion.matrix, wanted.matrix)
    direct = engine.algorithm.field(frame.snapshot.model, engine.data.X)
    np.testing.assert_allclose(scores.of(1), direct)
    plane = next(view for view in figure._views if view.panel.key == "plane")
    assert plane.threshold == scores.on_field(0, 0.4)


def test_what_the_window_looks_at_is_drawn(make_figure, frame):
    """The same part of the plane, the same group of curves on the same scale."""
    group = "objective"
    layout = Layout(viewports={"plane": Viewport((-1.0, 1.5, -0.5, 0.5))}, curve=group, logarithmic={group: True})
    figure = make_figure(layout=layout, size=(900, 700))
    figure.set_frame(frame)
    left, right, bottom, top = figure._views[0].view_rect()
    assert (left <= -1.0, right >= 1.5, bottom <= -0.5, top >= 0.5) == (True,) * 4
    assert min((right - left) / 2.5, top - bottom) == pytest.approx(1.0, abs=0.02)  # as near as the shape allows


def test_colours_of_the_user_are_in_the_picture(engine, frame, qtbot):
    document = document_of(engine).with_colour(0, "#123456")
    figure = Style(size=(400, 300)).figure(document, engine)
    figure.set_frame(frame)
    seen = pixels(figure.draw())[..., :3]
    figure.dispose()
    assert (seen == (0x12, 0x34, 0x56)).all(axis=2).sum() > 20


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda item: item.key)
def test_the_whole_figure_has_every_view_that_shows_something(algorithm, qtbot):
    engine = run_of_example(algorithm)
    last = exact_frame(engine, len(engine.timeline) - 1)
    figure = Style().figure(document_of(engine), engine)
    figure.set_frame(last)
    shown = {view.panel.key for view in figure._views if view.isVisible()}
    boxes = [part.geometry() for part in (*figure._views, figure.curves, figure.title, figure.caption)]
    figure_box = figure.rect()
    figure.dispose()
    assert {panel.key for panel in algorithm.panels if last.snapshot.views.get(panel.key)} <= shown
    assert all(figure_box.contains(box) for box in boxes)  # nothing is cut off
    assert not any(one.intersects(other) for one, other in combinations(boxes, 2))


def test_the_background_is_in_the_file_unless_it_is_transparent(make_figure, frame, tmp_path):
    for transparent in (False, True):
        save_picture(make_figure(size=(200, 150), transparent=transparent), frame, tmp_path / "a.svg")
        corner = QImage(200, 150, QImage.Format.Format_ARGB32)
        corner.fill(0)
        painter = QPainter(corner)
        QSvgRenderer(str(tmp_path / "a.svg")).render(painter)
        painter.end()
        assert (corner.pixelColor(1, 1).alpha() == 0) == transparent


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
    with painting(FlatPage(100, 100, sink)) as painter:
        drawing(painter)
    text = sink.document(100, 100, "a < b")
    assert 'stroke-width="4"' in text
    assert "M0,50 L100,50" in text
    assert '<path d="M0,0 L50,0 L50,100 L0,100 L0,0"/></clipPath>' in text
    assert "matrix(0 -1 1 0 80 80)" in text.replace("6.12323e-17", "0")
    assert ">α &lt; β</text>" in text
    assert "<title>a &lt; b</title>" in text


def test_enlarged_the_line_is_twice_as_wide(qtbot):
    with image_page(QSizeF(100, 100), 2.0, QColor("#ffffff")) as (image, painter):
        drawing(painter)
    red = (pixels(image())[..., :3] == (255, 0, 0)).all(axis=2)
    assert red[:, 20].sum() == 8
    assert not red[:, 102:].any()


def test_a_text_that_leaves_its_font_open_keeps_its_size(qtbot):
    """Rich text: its font says nothing explicitly, and must not become that of the painter."""
    item = QGraphicsTextItem("MMMM")
    item.setFont(QFont("Sans Serif", 24))
    with image_page(QSizeF(300, 60), 1.0, QColor("#ffffff")) as (image, painter):
        item.paint(painter, QStyleOptionGraphicsItem(), None)
    dark = np.flatnonzero((pixels(image())[..., 0] < 128).any(axis=0))
    assert dark[-1] - dark[0] == pytest.approx(item.boundingRect().width() - 8, abs=8)  # it has a margin of 4


def test_the_painter_is_released_after_a_failure(qtbot):
    page = FlatPage(10, 10, SvgSink())
    with pytest.raises(ValueError, match="no"), painting(page):
        raise ValueError("no")
    assert not page.paintingActive()


def test_a_picture_does_not_ask_to_be_dragged(qtbot):
    method = find("k_means")
    engine = recorded(method, load_data("blobs(n=30,seed=1)"), method.make_params({}), 0)
    figure = Style(size=(800, 600)).figure(document_of(engine), engine)
    try:
        figure.set_frame(engine.timeline.frame(2))
        names = [row.name for view in figure.findChildren(Canvas) for row in view.legend.rows]
        assert "centre" in names
        assert not any("drag" in name for name in names)
    finally:
        figure.dispose()


def test_symbols_at_once_are_where_they_are_one_by_one(make_figure, frame, tmp_path, monkeypatch):
    figure = make_figure(size=(400, 300))
    save_picture(figure, frame, tmp_path / "at_once.svg")
    monkeypatch.delattr(SvgSink, "symbols")
    save_picture(figure, frame, tmp_path / "one_by_one.svg")
    pictures = []
    for name in ("at_once", "one_by_one"):
        image = QImage(400, 300, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.white)
        with painting(image) as painter:
            QSvgRenderer(str(tmp_path / f"{name}.svg")).render(painter)
        pictures.append(pixels(image).astype(int))
    assert (abs(pictures[0] - pictures[1]) > 8).mean() < 0.002
    assert "translate(" in (tmp_path / "at_once.svg").read_text()


def test_many_points_of_an_enlarged_picture_are_stamped_in_one_call(make_figure, frame, monkeypatch):
    """As outlines 100,000 would keep the window waiting for ten seconds."""
    figure = make_figure(size=(400, 300))
    outlined = []
    path = pictures._Enlarged.path
    monkeypatch.setattr(pictures._Enlarged, "path", lambda *parts: (outlined.append(1), path(*parts)))
    drawn = []
    for crowd in (10**6, 10):
        monkeypatch.setattr(pictures, "CROWD", crowd)
        outlined.clear()
        drawn.append((pixels(finished(image_of(figure, frame, 2.0))).astype(int), len(outlined)))
    (one_by_one, many), (stamped, few) = drawn
    assert many - few > 0.9 * len(frame.snapshot.model.X)
    assert (abs(one_by_one - stamped) > 64).mean() < 0.01
    assert abs(one_by_one - stamped).mean() < 1.0


def test_a_picture_that_is_too_large_is_refused_before_memory_is_taken(qapp, monkeypatch):
    monkeypatch.setattr(pictures, "QImage", lambda *_: pytest.fail("memory was taken"))
    with (
        pytest.raises(DataError, match="A picture of 20,000 by 20,000 pixels is too large"),
        pictures.image_page(QSizeF(2000.0, 2000.0), 10.0, QColor("white")),
    ):
        pass


def test_a_picture_that_is_too_large_is_refused_before_anything_runs(tmp_path):
    style = Style(size=(8000, 8000), zoom=10.0)
    with pytest.raises(DataError, match="A picture of 80,000 by 80,000 pixels is too large"):
        render_picture(replace(find("k_means"), run=None), None, None, 0, tmp_path / "a.png", style=style)


def test_a_field_of_a_large_picture_has_cells_that_fit_into_memory(qtbot):
    view = QWidget()
    qtbot.addWidget(view)
    view.resize(600, 400)
    assert grid_of(view, 0.5) == (1200, 800)
    view.resize(8000, 4000)
    assert grid_of(view, 0.5) == (2828, 1414)
    view.resize(8000, 1)
    assert grid_of(view, 4.0) == (2000, 2)
