"""Pieces of work for the tests of executors: functions of a module, so that other processes find them."""

import os
import signal
from pathlib import Path

from algorithms.interrupt import checkpoint


def times(shared, item):
    return shared * item


def fails(_, item):
    raise ValueError(f"no {item}")


def process(_, __):
    return os.getpid()


def dies_once(folder, item):
    """Kills its own process the first time that the item 3 is worked on."""
    marker = Path(folder) / "died"
    if item == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def both_die(folder, item):
    """Kills its own process the first two times that anything is worked on."""
    for name in ("first", "second"):
        try:
            (Path(folder) / name).touch(exist_ok=False)
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def always_dies(_, __):
    os.kill(os.getpid(), signal.SIGKILL)


def goes_on(folder, item):
    """Works until it is called off, and says then that it was."""
    (Path(folder) / f"began-{item}").touch()
    try:
        while True:
            checkpoint()
    finally:
        (Path(folder) / f"ended-{item}").touch()
