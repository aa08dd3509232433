"""Lists of things in cells: where they are, what is seen of texts, and which pieces of them are lit."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from algorithms import GraphSet, Strings
from algorithms.contract import Panel
from algorithms.marks import Assignment, Highlight, Spans
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.views.canvases import make_canvas
from mlviz.views.cells import Grid
from mlviz.views.scene import Scene
from mlviz.views.strings_view import span_colour
from mlviz.views.theme import DARK, LIGHT


@pytest.fixture
def canvas(qtbot):
    """Shows data on their canvas."""

    def make(data, size=(600, 400), theme=LIGHT):
        view = make_canvas(Panel("list", "Data", space="data"), data.kind)
        qtbot.addWidget(view)
        view.resize(*size)
        view.set_theme(theme)
        view.set_scene(Scene.of(data, Projection(), theme))
        view.show()
        return view

    return make


@pytest.mark.parametrize("by_column", [False, True])
def test_every_cell_is_found_where_it_is(by_column):
    grid = Grid(7, 3, 50.0, 20.0, by_column)
    for number in range(7):
        middle = grid.rect(number).center()
        assert grid.cell_at(middle.x(), middle.y()) == number
    assert grid.cell_at(-1.0, -5.0) is None
    assert grid.cell_at(140.0, -55.0) is None  # of nine cells, two are empty
    assert grid.cells_in(QRectF(-10, -500, 1000, 600)).tolist() == list(range(7))
    assert len(grid.cells_in(QRectF(10, -15, 5, 10))) == 1


def test_short_texts_stand_in_columns_and_all_can_be_seen(canvas):
    view = canvas(load_data("words"), (900, 760))
    assert view.grid.columns > 2
    assert view._height() <= view.box.boundingRect().height()
    narrow = canvas(load_data("words"), (160, 300))
    assert narrow.grid.columns == 1


def test_a_long_text_is_cut_and_its_tip_is_the_whole(canvas):
    view = canvas(Strings(("short", "<b>" + "long " * 200, "two\nlines")))
    assert view.shown_text(0) == "short"
    assert view.tip(0) == ""
    assert view.shown_text(1).endswith("…")
    assert view.tip(1).replace("\n", " ").count("long") == 200
    assert view.shown_text(2) == "two↵lines"
    assert view.tip(2) == "two\nlines"


def test_lit_pieces_lie_behind_their_letters_in_the_colour_of_their_group(canvas):
    view = canvas(Strings(("banana", "x")))
    view.show_marks((Spans(np.array([0, 0]), np.array([1, 3]), np.array([3, 6]), np.array([0, 1])),))
    (first, blue), (second, orange) = view.lit_rects(0, "banana")
    advance = QFontMetricsF(view.font_now).horizontalAdvance
    assert first.left() + 1 == pytest.approx(advance("b"))
    assert first.right() - 1 == pytest.approx(advance("ban"))
    assert second.right() - 1 == pytest.approx(advance("banana"))
    assert (blue, orange) == (span_colour(LIGHT, 0), span_colour(LIGHT, 1))
    assert view.lit_rects(1, "x") == []
    view.set_theme(DARK)
    assert view.lit_rects(0, "banana")[0][1] == span_colour(DARK, 0)
    view.show_marks(())
    assert view.lit_rects(0, "banana") == []


def test_a_lit_piece_is_seen_in_the_picture(canvas):
    view = canvas(Strings(("banana",)))
    where = view.cell_on_screen(0).center().toPoint()
    where.setX(round(view._indent + 12))
    plain = view.grab().toImage()
    view.show_marks((Spans(np.array([0]), np.array([0]), np.array([6])),))
    where.setY(round(view.cell_on_screen(0).center().y() - 0.38 * view.grid.height))
    lit = view.grab().toImage()
    assert plain.pixelColor(where) == QColor(LIGHT.plot)
    assert lit.pixelColor(where) == QColor(span_colour(LIGHT, -1))


def test_a_piece_in_the_part_that_is_cut_off_lights_the_dots(canvas):
    view = canvas(Strings(("a" * 500,)))
    view.show_marks((Spans(np.array([0]), np.array([400]), np.array([410])),))
    text = view.shown_text(0)
    ((rect, _),) = view.lit_rects(0, text)
    advance = QFontMetricsF(view.font_now).horizontalAdvance
    assert rect.left() + 1 == pytest.approx(advance(text[:-1]))


def test_spans_name_their_groups_in_the_legend(canvas):
    view = canvas(Strings(("ab",)))
    spans = Spans(np.array([0, 0]), np.array([0, 1]), np.array([1, 2]), np.array([0, 1]), group_names=("one", "two"))
    view.show_marks((spans,))
    assert [row.name for row in view.legend.rows] == ["one", "two"]
    view.show_marks((Spans(np.array([0]), np.array([0]), np.array([1]), name="match"),))
    assert [row.name for row in view.legend.rows] == ["match"]


@pytest.mark.parametrize("name", ["subjects", "graph_families"])
def test_an_assignment_colours_the_signs_and_shapes_keep_the_class(canvas, name):
    data = load_data(name)
    view = canvas(data)
    own = view._fills.copy()
    view.show_marks((Assignment(np.full(data.n, 3)),))
    assert set(view._fills.tolist()) == {int(LIGHT.colour(3)[1:], 16)}
    assert all(row.sprite.fill == LIGHT.muted for row in view.legend.rows[: len(data.classes)])
    view.show_marks(())
    assert np.array_equal(view._fills, own)


@pytest.mark.parametrize("name", ["subjects", "graph_families"])
def test_the_legend_of_a_frame_has_the_colours_of_a_new_theme(canvas, name):
    data = load_data(name)
    view = canvas(data)
    view.show_marks((Highlight(np.array([0])),))
    view.set_theme(DARK)
    assert [row.sprite.fill for row in view.legend.rows[: len(data.classes)]] == [
        DARK.colour(c) for c in range(len(data.classes))
    ]


def test_graphs_lie_inside_their_cells(canvas):
    data = load_data("graph_families(n=40)")
    assert isinstance(data, GraphSet)
    view = canvas(data)
    for number in range(data.n):
        at = view.frame(number).to_view(view.graph(number).positions)
        box = view.cell_of(number)
        assert box.left() < at[:, 0].min()
        assert at[:, 0].max() < box.right()
        assert box.top() + view._caption < at[:, 1].min()
        assert at[:, 1].max() < box.bottom()
    view.grab()
    view.open(7)
    view.grab()
    assert view.filled_rects() == [view.grid.rect(0)]


def test_a_graph_is_painted_inside_what_its_view_leaves_free(canvas):
    """A clip of its own took the place of that of the view: edges and nodes went on below the legend."""
    view = canvas(load_data("graph_families(n=4)"))
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setClipRect(0, 0, 400, 100)
    view.paint_cell(painter, 0, QRectF(0, 0, 400, 300))
    painter.end()
    dark = np.frombuffer(image.constBits(), np.uint8).reshape(300, 400, 4)[..., :3].min(axis=2) < 250
    assert dark[:100].any()
    assert not dark[100:].any()
