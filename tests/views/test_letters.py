"""In presenter mode no letters are smaller than twenty points, whatever a method writes, and wherever."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from algorithms.contract import Panel
from algorithms.data import Points
from algorithms.marks import Bars, Curve, Images, NodeLink, Scatter, Table, TreeDiagram, Trellis
from mlviz.data.spec import load_data
from mlviz.export.flat import DPI, FlatPage
from mlviz.session.projection import Projection
from mlviz.session.scoring import Scores, confusion_at
from mlviz.views.canvases import make_canvas
from mlviz.views.confusion import ConfusionMatrix
from mlviz.views.fitting_text import elided
from mlviz.views.renderers.table import cell_text
from mlviz.views.scene import Scene
from mlviz.views.theme import LIGHT

PRESENTING = LIGHT.presenting()


class Texts:
    """Keeps the size of every text, in points on the page."""

    def __init__(self):
        self.sizes = {}

    def path(self, *_):
        """Shapes have no letters."""

    image = path

    def text(self, place, item, colour, transform, clip):
        font = item.font()
        size = font.pixelSize() * 72 / DPI if font.pixelSize() > 0 else font.pointSizeF()
        scale = np.hypot(transform.m11(), transform.m12())
        if item.text().strip():
            self.sizes[item.text()] = min(size * scale, self.sizes.get(item.text(), np.inf))


def written(widget):
    """The texts of a widget and their sizes."""
    texts = Texts()
    widget.grab()
    page = FlatPage(widget.width(), widget.height(), texts)
    painter = QPainter(page)
    QWidget.render(widget, painter, QPoint())
    painter.end()
    return texts.sizes


def random(*shape):
    return np.random.default_rng(2).uniform(0.1, 0.9, shape)


NAMES = tuple(f"a longer name {number}" for number in range(6))
MARKS = {
    "table": ("none", Table(random(6, 6), NAMES, NAMES, rows_name="from", columns_name="to")),
    "trellis": ("none", Trellis(random(9, 3), np.ones(9, bool), tuple("123456789"), ("-12.5",) * 9, NAMES[:3])),
    "tree": ("none", TreeDiagram(np.array([-1, 0, 0]), ("x1 < 0.25", "class 1", "class 2"), np.array([9, 4, 5]))),
    "images": ("none", Images(random(6, 8, 8), np.array([(0, k) for k in range(6)]), captions=tuple("123456"))),
    "nodes": ("none", NodeLink(random(6, 2), np.array([(k, (k + 1) % 6) for k in range(6)]), names=NAMES)),
    "bars": ("own", Bars(random(6), NAMES, groups=np.arange(6) % 2, group_names=("first", "second"), limit=1.0)),
    "curve": ("own", Curve(np.arange(9.0), random(9), "a curve with a rather long name")),
    "scatter": ("own", Scatter(random(6, 2), names=NAMES)),
}


@pytest.mark.parametrize("size", [(300, 220), (900, 600)], ids=["small", "large"])
@pytest.mark.parametrize("name", MARKS)
def test_of_marks(qtbot, name, size):
    space, mark = MARKS[name]
    view = make_canvas(Panel("view", "A view", space, x="a name below the plot", y="a name beside the plot"))
    qtbot.addWidget(view)
    view.resize(*size)
    view.set_theme(PRESENTING)
    view.set_scene(Scene.of(Points(random(6, 2)), Projection(), PRESENTING))
    view.show_marks((mark,))
    sizes = written(view)
    assert sizes or size[0] < 400
    assert min(sizes.values(), default=20.0) >= 19.9, sizes


@pytest.mark.parametrize("spec", ["florentine", "casino", "cities", "motifs", "graph_families"])
def test_of_data(qtbot, spec):
    data = load_data(spec)
    view = make_canvas(Panel("data", "Data", "data"), data.kind)
    qtbot.addWidget(view)
    view.resize(620, 420)
    view.set_theme(PRESENTING)
    view.set_scene(Scene.of(data, Projection(), PRESENTING))
    view.fit_view()
    view.show_marks(())
    sizes = written(view)
    assert sizes
    assert min(sizes.values()) >= 19.9, sizes


@pytest.mark.parametrize("size", [(120, 120), (420, 400)])
def test_of_the_confusion_matrix(qtbot, size):
    matrix = ConfusionMatrix()
    qtbot.addWidget(matrix)
    matrix.set_theme(PRESENTING)
    matrix.resize(*size)
    truth = np.arange(40) % 2
    scores = Scores("training", random(40), truth, truth, np.arange(40), ("no", "yes"), True, None, 0)
    matrix.show_confusion(confusion_at(scores, 1, 0.5))
    assert min(written(matrix).values(), default=20.0) >= 19.9


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.957, 3, "0.957"), (0.957, 2, "0.96"), (0.957, 1, "1"), (12.34, 2, "12"), (9.6, 1, "10"), (999.6, 3, "1000")],
)
def test_a_cell_that_is_too_small_has_fewer_digits(value, digits, text):
    assert cell_text(value, digits) == text


def test_words_of_which_only_dots_would_be_left_are_left_out(qapp):
    class Metrics:
        def __init__(self, cut):
            self.cut = cut

        def elidedText(self, words, mode, room):
            return self.cut

    assert [elided("Vienna", Metrics(cut), 0.0) for cut in ("Vienna", "Vie…", "V…", "…")] == ["Vienna", "Vie…", "", ""]
