"""Ending a run in the middle of a long step.

A run is ended at a yield. A step that takes long (all shortest paths, the eigenvectors of a large matrix, an epoch over
many points) calls :func:`checkpoint` every few dozen milliseconds. Whoever drives the run says with
:func:`interruptible` how to find out whether it has been called off; then the checkpoint raises
:class:`Interrupted` and the step unwinds. Without a driver a checkpoint does nothing, so a result never depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager


class _Driver(threading.local):  # a run is driven by one thread, and several threads drive runs
    called_off: Callable[[], bool] | None = None  # looking for a name that is not there costs as much as a small step


_driver = _Driver()


class Interrupted(BaseException):
    """The run was called off."""


def checkpoint() -> None:
    """A place where a long step may be ended."""
    called_off = _driver.called_off
    if called_off is not None and called_off():
        raise Interrupted


def current_driver() -> Callable[[], bool]:
    """How to find out whether the work of this thread was called off, for work that drives a run of its own."""
    return _driver.called_off or _never


def _never() -> bool:
    return False


@contextmanager
def interruptible(called_off: Callable[[], bool]) -> Generator[None]:
    """Inside, checkpoints of this thread ask ``called_off`` whether to go on."""
    before = _driver.called_off
    _driver.called_off = called_off
    try:
        yield
    finally:
        _driver.called_off = before
