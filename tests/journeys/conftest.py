"""The window of the tests of the user interface."""

from tests.ui.conftest import make_window

__all__ = ["make_window"]
