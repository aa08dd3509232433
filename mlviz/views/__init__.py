"""Drawing: a canvas, one renderer per mark, the theme."""

from mlviz.views.lean import import_pyqtgraph

import_pyqtgraph()
