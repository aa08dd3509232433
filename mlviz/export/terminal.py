"""Progress of long work on a terminal. No Qt."""

from __future__ import annotations

import sys
import time


class Bar:
    """Progress on one line of the terminal, and nothing at all where stderr is not one."""

    WIDTH = 30

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = sys.stderr.isatty()
        self._last = self._began = time.monotonic()
        self._drawn = False
        self._first: int | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def count(self, done: int) -> None:
        """So many are done; how many there will be is not known."""
        self._draw(f"{done:,} {self._what}")

    def progress(self, done: int, whole: int) -> None:
        """So many of so many are done."""
        filled = self.WIDTH * done // max(whole, 1)
        self._draw(
            f"[{'#' * filled}{' ' * (self.WIDTH - filled)}] {done}/{whole} {self._what}{self._left(done, whole)}"
        )

    def _left(self, done: int, whole: int) -> str:
        """How long the rest will take, at the pace so far, once there is something to judge by."""
        self._first = done - 1 if self._first is None else self._first  # what was done before counts for nothing
        spent = time.monotonic() - self._began
        if spent < 2.0 or done - self._first < 3:
            return ""
        seconds = round(spent / (done - self._first) * (whole - done))
        return f", {seconds // 60}:{seconds % 60:02d} left"

    def _draw(self, text: str) -> None:
        now = time.monotonic()
        if self._shown and now - self._began > 0.5 and now - self._last > 0.1:  # short work needs no bar
            self._last, self._drawn = now, True
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()
