"""The widgets of the window. Nothing here computes."""

from mlviz.views import overrides as overrides  # before there are any
