"""The progress bar: on a terminal only, and gone when the work is done."""

import io
import sys

import pytest

from mlviz.export import terminal
from mlviz.export.terminal import Bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Every look at the clock finds it a second later."""
    now = iter(range(1000))
    monkeypatch.setattr(terminal.time, "monotonic", lambda: next(now))


def test_a_terminal_sees_the_share_and_then_nothing(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Bar("frames") as bar:
        bar.progress(1, 2)
        bar.count(1234)
    text = sys.stderr.getvalue()
    assert f"[{'#' * 15}{' ' * 15}] 1/2 frames" in text
    assert "1,234 frames" in text
    assert text.endswith("\r\033[K")


def test_a_file_sees_nothing(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Bar("frames") as bar:
        bar.progress(1, 2)
    assert sys.stderr.getvalue() == ""
