"""A view of the evaluation, for its tests."""

from mlviz.views.evaluation import EvaluationView
from tests.events import settle


def shown(qtbot, scores, theme, size):
    """A view of these scores, laid out."""
    view = EvaluationView()
    qtbot.addWidget(view)
    view.setStyleSheet(f"QWidget {{ font-size: {theme.font:g}pt; }}")
    view.set_theme(theme)
    view.resize(*size)
    view.show()
    view.set_scores(scores)
    settle()
    return view
