"""Drawing: a canvas, one renderer per mark, the theme."""

from mlviz.views import overrides as overrides  # before there are any
from mlviz.views.fast_import import import_pyqtgraph

import_pyqtgraph()
