"""Drawing: a canvas, one renderer per mark, the theme."""

from mlviz.views.fast_import import import_pyqtgraph

import_pyqtgraph()
